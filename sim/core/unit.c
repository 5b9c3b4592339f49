/* SPDX-License-Identifier: MIT */
/* unit.c - a machine of equal nodes whose tasks take a node's cores each: runs of bits.
 *
 * A processor of a classical parallel machine is a node of one core here, and a job on hundreds of
 * them is one or a few spans. Nothing is asked node by node. */
#include <string.h>

#include "free_internal.h"

bool hsi_unit_serves(const struct hs_free *state, const struct hs_demand *demand)
{
    return demand->cores_milli == state->unit_milli && state->unit_milli > 0 &&
           demand->mem_bytes == 0 && !demand->device_count && !demand->flags &&
           !demand->tasks_per_node && !demand->node_features;
}

/* The first node >= `node` whose bit in `idle`, or in its complement, is set; at most node_count.
 */
static uint32_t next_bit(const struct hs_free *state, uint32_t node, bool is_idle)
{
    uint64_t flip = is_idle ? 0 : ~UINT64_C(0);
    uint32_t word = node / 64;
    uint64_t bits;

    if (node >= state->node_count) {
        return state->node_count;
    }
    bits = (state->idle[word] ^ flip) & (~UINT64_C(0) << (node % 64));
    while (!bits) {
        if (++word == state->word_count) {
            return state->node_count;
        }
        bits = state->idle[word] ^ flip;
    }
    node = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return node < state->node_count ? node : state->node_count;
}

bool hsi_unit_place(const struct hs_free *state, const struct hs_demand *demand,
                    struct hs_alloc_buffer *buffer)
{
    uint32_t left = demand->tasks;
    uint32_t node = next_bit(state, 0, true);

    while (left && node < state->node_count) {
        uint32_t end = next_bit(state, node + 1, false);
        uint32_t count = end - node < left ? end - node : left;

        buffer->spans[buffer->alloc.span_count++] = (struct hs_span){node, count, 1};
        left -= count;
        node = left ? next_bit(state, end, true) : node;
    }
    return left == 0;
}

/* Sets or clears the bits [first, end); *was_other becomes whether all of them were the other way.
 */
static void set_bits(uint64_t *words, uint32_t first, uint32_t end, bool is_set, bool *was_other)
{
    while (first < end) {
        uint32_t word = first / 64;
        uint32_t stop = (word + 1) * 64 < end ? (word + 1) * 64 : end;
        uint64_t mask = (~UINT64_C(0) << (first % 64)) & (~UINT64_C(0) >> (63 - (stop - 1) % 64));

        *was_other &= (words[word] & mask) == (is_set ? 0 : mask);
        words[word] = is_set ? words[word] | mask : words[word] & ~mask;
        first = stop;
    }
}

void hsi_unit_apply(struct hs_free *state, const struct hs_span *span, int sign)
{
    uint32_t first = span->first_node;
    uint32_t end = first + span->node_count;
    int64_t cores = sign > 0 ? state->unit_milli : 0;
    bool was_other = true;

    set_bits(state->idle, first, end, sign > 0, &was_other);
    set_bits(state->open, first, end, sign > 0, &was_other);
    HS_ASSERT(was_other); /* taken nodes were idle, released ones full */
    for (uint32_t i = first; i < end; i++) {
        state->cores_milli[i] = cores;
        state->jobs[i] -= (uint32_t)sign;
    }
    state->total_cores_milli += sign * state->unit_milli * span->node_count;
}
