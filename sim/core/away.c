/* SPDX-License-Identifier: MIT */
/* away.c - nodes that are away: nothing on them is free, whatever jobs give back there.
 *
 * What would be free on such a node is kept apart, and stands in the usual places again when the
 * node comes back. Whatever reads a free state then need not know of it. */
#include "free_internal.h"

#include <stdlib.h>

bool hsi_away_init(struct hs_free *state)
{
    struct hsi_hidden *hidden = &state->hidden;
    size_t device_room = state->device_count ? state->device_count : 1;

    state->away = calloc(state->word_count, sizeof *state->away);
    hidden->cores_milli = calloc(state->node_count, sizeof *hidden->cores_milli);
    hidden->mem_bytes = calloc(state->node_count, sizeof *hidden->mem_bytes);
    hidden->shares = calloc(device_room, sizeof *hidden->shares);
    hidden->device_mem = calloc(device_room, sizeof *hidden->device_mem);
    return state->away && hidden->cores_milli && hidden->mem_bytes && hidden->shares &&
           hidden->device_mem;
}

void hsi_away_fini(struct hs_free *state)
{
    free(state->away);
    free(state->hidden.cores_milli);
    free(state->hidden.mem_bytes);
    free(state->hidden.shares);
    free(state->hidden.device_mem);
}

/* What is free on the node goes out of sight. */
static void hide(struct hs_free *state, uint32_t node)
{
    const struct hs_node *place = &state->nodes[node];
    struct hsi_hidden *hidden = &state->hidden;

    hidden->cores_milli[node] = state->cores_milli[node];
    hidden->mem_bytes[node] = state->mem_bytes[node];
    state->hidden_cores_milli += hidden->cores_milli[node];
    hsi_set_cores(state, node, 0);
    state->mem_bytes[node] = 0;
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        hidden->shares[d] = state->shares[d];
        hidden->device_mem[d] = state->device_mem[d];
        hsi_set_share(state, d, 0);
        state->device_mem[d] = 0;
    }
}

static void show(struct hs_free *state, uint32_t node)
{
    const struct hs_node *place = &state->nodes[node];
    const struct hsi_hidden *hidden = &state->hidden;

    state->hidden_cores_milli -= hidden->cores_milli[node];
    hsi_set_cores(state, node, hidden->cores_milli[node]);
    state->mem_bytes[node] = hidden->mem_bytes[node];
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        hsi_set_share(state, d, hidden->shares[d]);
        state->device_mem[d] = hidden->device_mem[d];
    }
}

static void mark(struct hs_free *state, uint32_t node, bool is_away)
{
    uint64_t bit = UINT64_C(1) << (node % 64);

    if (hsi_is_away(state, node) != is_away) {
        state->away[node / 64] ^= bit;
        state->away_count = is_away ? state->away_count + 1 : state->away_count - 1;
    }
}

void hs_free_set_available(struct hs_free *state, uint32_t node, bool is_available)
{
    HS_ASSERT(node < state->node_count);
    if (hsi_is_away(state, node) != is_available) {
        return;
    }
    mark(state, node, !is_available);
    if (is_available) {
        show(state, node);
    } else {
        hide(state, node);
    }
    state->change_count++;
    hsi_note_change(state, node);
}

bool hs_free_is_available(const struct hs_free *state, uint32_t node)
{
    HS_ASSERT(node < state->node_count);
    return !hsi_is_away(state, node);
}

uint32_t hs_free_away_count(const struct hs_free *state)
{
    return state->away_count;
}

static void for_away_nodes(struct hs_free *state, const struct hs_alloc *alloc,
                           void (*act)(struct hs_free *state, uint32_t node))
{
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
            if (hsi_is_away(state, i)) {
                act(state, i);
            }
        }
    }
}

void hsi_away_show(struct hs_free *state, const struct hs_alloc *alloc)
{
    for_away_nodes(state, alloc, show);
}

void hsi_away_hide(struct hs_free *state, const struct hs_alloc *alloc)
{
    for_away_nodes(state, alloc, hide);
}

/* The hidden part of a node, which is away in `from`. */
static void copy_hidden(struct hs_free *to, const struct hs_free *from, uint32_t node)
{
    const struct hs_node *place = &from->nodes[node];

    to->hidden.cores_milli[node] = from->hidden.cores_milli[node];
    to->hidden.mem_bytes[node] = from->hidden.mem_bytes[node];
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        to->hidden.shares[d] = from->hidden.shares[d];
        to->hidden.device_mem[d] = from->hidden.device_mem[d];
    }
}

void hsi_away_copy_node(struct hs_free *to, const struct hs_free *from, uint32_t node)
{
    if (hsi_is_away(to, node)) {
        to->hidden_cores_milli -= to->hidden.cores_milli[node];
    }
    mark(to, node, hsi_is_away(from, node));
    if (hsi_is_away(from, node)) {
        copy_hidden(to, from, node);
        to->hidden_cores_milli += to->hidden.cores_milli[node];
    }
}

void hsi_away_copy(struct hs_free *to, const struct hs_free *from)
{
    for (uint32_t word = 0; word < from->word_count; word++) {
        to->away[word] = from->away[word];
        for (uint64_t bits = from->away[word]; bits; bits &= bits - 1) {
            copy_hidden(to, from, word * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
    to->away_count = from->away_count;
    to->hidden_cores_milli = from->hidden_cores_milli;
}

static int64_t smaller(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

void hsi_away_intersect_node(struct hs_free *to, const struct hs_free *other, uint32_t node)
{
    const struct hs_node *place = &to->nodes[node];
    bool is_other = hsi_is_away(other, node);
    struct hsi_hidden theirs = other->hidden;
    struct hsi_hidden *own = &to->hidden;

    if (!is_other && !hsi_is_away(to, node)) {
        return;
    }
    if (!hsi_is_away(to, node)) {
        mark(to, node, true);
        hide(to, node);
    }
    if (!is_other) {
        theirs = (struct hsi_hidden){other->cores_milli, other->mem_bytes, other->shares,
                                     other->device_mem};
    }
    to->hidden_cores_milli -= own->cores_milli[node];
    own->cores_milli[node] = smaller(own->cores_milli[node], theirs.cores_milli[node]);
    to->hidden_cores_milli += own->cores_milli[node];
    own->mem_bytes[node] = smaller(own->mem_bytes[node], theirs.mem_bytes[node]);
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        own->shares[d] = (uint32_t)smaller(own->shares[d], theirs.shares[d]);
        own->device_mem[d] = smaller(own->device_mem[d], theirs.device_mem[d]);
    }
}
