/* SPDX-License-Identifier: MIT */
/* free.c - free cores, memory and devices, and what takes and gives them back.
 *
 * A bitmap marks the nodes that have a free core, so that left-most placement passes over full
 * nodes 64 at a time. */
#include "free_internal.h"

#include <stdlib.h>
#include <string.h>

void hsi_set_cores(struct hs_free *state, uint32_t node, int64_t cores_milli)
{
    uint64_t bit = UINT64_C(1) << (node % 64);

    state->total_cores_milli += cores_milli - state->cores_milli[node];
    state->cores_milli[node] = cores_milli;
    if (cores_milli == state->capacity_milli[node]) {
        state->idle[node / 64] |= bit;
    } else {
        state->idle[node / 64] &= ~bit;
    }
    if (cores_milli > 0) {
        state->open[node / 64] |= bit;
    } else {
        state->open[node / 64] &= ~bit;
    }
}

void hsi_set_share(struct hs_free *state, uint32_t device, uint32_t share)
{
    uint32_t node = state->devices[device].node;
    uint64_t bit = UINT64_C(1) << (device - state->nodes[node].first_device);

    state->node_shares[node] += share - state->shares[device];
    state->shares[device] = share;
    state->whole[node] &= ~bit;
    state->partly[node] &= ~bit;
    if (share == HS_SHARES_PER_UNIT) {
        state->whole[node] |= bit;
    } else if (share > 0) {
        state->partly[node] |= bit;
    }
}

static bool allocate(struct hs_free *state)
{
    uint32_t count = state->node_count;

    if (!hsi_away_init(state)) {
        return false;
    }
    state->capacity_milli = calloc(count, sizeof *state->capacity_milli);
    state->cores_milli = calloc(count, sizeof *state->cores_milli);
    state->mem_bytes = calloc(count, sizeof *state->mem_bytes);
    state->jobs = calloc(count, sizeof *state->jobs);
    state->open = calloc(state->word_count, sizeof *state->open);
    state->idle = calloc(state->word_count, sizeof *state->idle);
    if (!state->capacity_milli || !state->cores_milli || !state->mem_bytes || !state->jobs ||
        !state->open || !state->idle) {
        return false;
    }
    if (state->device_count) {
        state->shares = calloc(state->device_count, sizeof *state->shares);
        state->device_mem = calloc(state->device_count, sizeof *state->device_mem);
        state->classes = calloc((size_t)count * HS_CLASS_COUNT, sizeof *state->classes);
        state->whole = calloc(count, sizeof *state->whole);
        state->partly = calloc(count, sizeof *state->partly);
        state->node_shares = calloc(count, sizeof *state->node_shares);
        if (!state->shares || !state->device_mem || !state->classes || !state->whole ||
            !state->partly || !state->node_shares) {
            return false;
        }
    }
    if (hs_cluster_rack_count(state->cluster)) {
        state->rack_tasks =
            calloc(hs_cluster_rack_count(state->cluster) + 1u, sizeof *state->rack_tasks);
        return state->rack_tasks;
    }
    return true;
}

struct hs_free *hs_free_create(const struct hs_cluster *cluster)
{
    struct hs_free *state = calloc(1, sizeof *state);

    if (!state) {
        return NULL;
    }
    state->cluster = cluster;
    state->nodes = hs_cluster_node(cluster, 0);
    state->node_count = hs_cluster_node_count(cluster);
    state->word_count = (state->node_count + 63) / 64;
    state->device_count = hs_cluster_device_count(cluster);
    state->devices = state->device_count ? hs_cluster_device(cluster, 0) : NULL;
    if (!allocate(state)) {
        hs_free_destroy(state);
        return NULL;
    }
    state->unit_milli = state->nodes[0].cores_milli;
    for (uint32_t i = 0; i < state->node_count; i++) {
        if (state->nodes[i].cores_milli != state->unit_milli) {
            state->unit_milli = 0;
        }
        state->capacity_milli[i] = state->nodes[i].cores_milli;
        hsi_set_cores(state, i, state->nodes[i].cores_milli);
        state->mem_bytes[i] = state->nodes[i].mem_bytes;
    }
    for (uint32_t i = 0; i < state->device_count; i++) {
        hsi_set_share(state, i, HS_SHARES_PER_UNIT);
        state->device_mem[i] = state->devices[i].mem_bytes;
    }
    return state;
}

void hs_free_destroy(struct hs_free *state)
{
    if (!state) {
        return;
    }
    hsi_track_fini(state);
    hsi_away_fini(state);
    free(state->capacity_milli);
    free(state->cores_milli);
    free(state->mem_bytes);
    free(state->jobs);
    free(state->open);
    free(state->idle);
    free(state->shares);
    free(state->device_mem);
    free(state->classes);
    free(state->whole);
    free(state->partly);
    free(state->node_shares);
    free(state->rack_tasks);
    free(state);
}

void hs_free_copy(struct hs_free *to, const struct hs_free *from)
{
    HS_ASSERT(to->cluster == from->cluster);
    memcpy(to->cores_milli, from->cores_milli, from->node_count * sizeof *from->cores_milli);
    memcpy(to->mem_bytes, from->mem_bytes, from->node_count * sizeof *from->mem_bytes);
    memcpy(to->jobs, from->jobs, from->node_count * sizeof *from->jobs);
    memcpy(to->open, from->open, from->word_count * sizeof *from->open);
    memcpy(to->idle, from->idle, from->word_count * sizeof *from->idle);
    if (from->device_count) {
        memcpy(to->shares, from->shares, from->device_count * sizeof *from->shares);
        memcpy(to->device_mem, from->device_mem, from->device_count * sizeof *from->device_mem);
        memcpy(to->whole, from->whole, from->node_count * sizeof *from->whole);
        memcpy(to->partly, from->partly, from->node_count * sizeof *from->partly);
        memcpy(to->node_shares, from->node_shares, from->node_count * sizeof *from->node_shares);
        memcpy(to->classes, from->classes,
               (size_t)from->node_count * HS_CLASS_COUNT * sizeof *from->classes);
    }
    to->total_cores_milli = from->total_cores_milli;
    if (hsi_any_away(to, from)) {
        hsi_away_copy(to, from);
    }
    to->change_count = from->change_count; /* random placements are those of the original */
    if (to->tracker) {
        to->tracker->log_count += to->tracker->log_mask + UINT64_C(2); /* all may have changed */
    }
}

void hs_free_copy_node(struct hs_free *to, const struct hs_free *from, uint32_t node)
{
    const struct hs_node *place = &to->nodes[node];

    hsi_set_cores(to, node, from->cores_milli[node]);
    to->mem_bytes[node] = from->mem_bytes[node];
    to->jobs[node] = from->jobs[node];
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        to->shares[d] = from->shares[d];
        to->device_mem[d] = from->device_mem[d];
    }
    if (place->device_count) {
        to->whole[node] = from->whole[node];
        to->partly[node] = from->partly[node];
        to->node_shares[node] = from->node_shares[node];
    }
    for (uint32_t c = 0; c < HS_CLASS_COUNT && to->classes; c++) {
        to->classes[node * HS_CLASS_COUNT + c] = from->classes[node * HS_CLASS_COUNT + c];
    }
    if (hsi_any_away(to, from)) {
        hsi_away_copy_node(to, from, node);
    }
    hsi_note_change(to, node);
}

/* Copies the nodes that stand in [first, last) of a log. */
static void copy_noted(struct hs_free *to, const struct hs_free *from,
                       const struct hsi_tracker *log, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++) {
        hs_free_copy_node(to, from, log->log[i & log->log_mask]);
    }
}

void hs_free_follow(struct hs_free *to, const struct hs_free *from)
{
    struct hsi_tracker *own = to->tracker;
    const struct hsi_tracker *other = from->tracker;

    if (!own || !other) {
        hs_free_copy(to, from);
        return;
    }
    if (own->followed != from ||
        other->log_count - own->followed_seen + own->log_count - own->own_seen > to->node_count ||
        own->log_count - own->own_seen > own->log_mask / 2) {
        hs_free_copy(to, from);
    } else {
        uint64_t last = own->log_count; /* copying notes changes, too */

        copy_noted(to, from, own, own->own_seen, last);
        copy_noted(to, from, other, own->followed_seen, other->log_count);
        to->change_count = from->change_count;
    }
    own->followed = from;
    own->followed_seen = other->log_count;
    own->own_seen = own->log_count;
}

void hs_free_intersect_node(struct hs_free *to, const struct hs_free *other, uint32_t node)
{
    const struct hs_node *place = &to->nodes[node];

    if (hsi_any_away(to, other)) {
        hsi_away_intersect_node(to, other, node);
    }
    if (other->cores_milli[node] < to->cores_milli[node]) {
        hsi_set_cores(to, node, other->cores_milli[node]);
    }
    if (other->mem_bytes[node] < to->mem_bytes[node]) {
        to->mem_bytes[node] = other->mem_bytes[node];
    }
    if (other->jobs[node] > to->jobs[node]) {
        to->jobs[node] = other->jobs[node];
    }
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        if (other->shares[d] < to->shares[d]) {
            hsi_set_share(to, d, other->shares[d]);
        }
        if (other->device_mem[d] < to->device_mem[d]) {
            to->device_mem[d] = other->device_mem[d];
        }
    }
    for (uint32_t c = 0; c < HS_CLASS_COUNT && to->classes; c++) {
        uint32_t at = node * HS_CLASS_COUNT + c;

        to->classes[at] =
            other->classes[at] > to->classes[at] ? other->classes[at] : to->classes[at];
    }
    hsi_note_change(to, node);
}

void hs_free_intersect(struct hs_free *to, const struct hs_free *other)
{
    HS_ASSERT(to->cluster == other->cluster);
    for (uint32_t i = 0; i < to->node_count; i++) {
        hs_free_intersect_node(to, other, i);
    }
    to->change_count++;
}

/* Sets the bits of [first, first + count) in `open` and `idle` to what the cores say. */
static void mark_open(struct hs_free *state, uint32_t first, uint32_t count)
{
    const int64_t *cores = state->cores_milli;
    uint32_t end = first + count;

    while (first < end) {
        uint32_t word = first / 64;
        uint32_t stop = (word + 1) * 64 < end ? (word + 1) * 64 : end;
        uint64_t is_open = 0;
        uint64_t is_idle = 0;
        uint64_t is_asked = 0;

        for (uint32_t i = first; i < stop; i++) {
            is_asked |= UINT64_C(1) << (i % 64);
            is_open |= (uint64_t)(cores[i] > 0) << (i % 64);
            is_idle |= (uint64_t)(cores[i] == state->capacity_milli[i]) << (i % 64);
        }
        state->open[word] = (state->open[word] & ~is_asked) | is_open;
        state->idle[word] = (state->idle[word] & ~is_asked) | is_idle;
        first = stop;
    }
}

/* Adds `sign` times what the tasks of a shared span hold. Whole arrays at a time: jobs on hundreds
 * of nodes are common. */
static void apply_shared(struct hs_free *state, const struct hs_demand *demand,
                         const struct hs_span *span, int sign)
{
    uint32_t first = span->first_node;
    uint32_t end = first + span->node_count;
    int64_t cores = sign * demand->cores_milli * span->tasks;
    int64_t mem = sign * demand->mem_bytes * span->tasks;
    bool is_wrong = false;

    if (state->unit_milli > 0 && !state->tracker && span->tasks == 1 &&
        hsi_unit_serves(state, demand)) {
        hsi_unit_apply(state, span, sign);
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        state->cores_milli[i] += cores;
        state->jobs[i] -= (uint32_t)sign;
        is_wrong |= state->cores_milli[i] < 0;
        is_wrong |= state->cores_milli[i] > state->capacity_milli[i];
    }
    for (uint32_t i = first; i < end && mem != 0; i++) {
        if (state->nodes[i].mem_bytes != HS_MEM_UNLIMITED) {
            state->mem_bytes[i] += mem;
            is_wrong |= state->mem_bytes[i] < 0 || state->mem_bytes[i] > state->nodes[i].mem_bytes;
        }
    }
    HS_ASSERT(!is_wrong);
    state->total_cores_milli += cores * span->node_count;
    mark_open(state, first, span->node_count);
    for (uint32_t i = first; i < end && state->tracker; i++) {
        hsi_note_change(state, i);
    }
}

const struct hs_demand *hs_demand_chosen(const struct hs_demand *demand,
                                         const struct hs_alloc *alloc)
{
    return alloc->alternative ? &demand->alternatives[alloc->alternative - 1] : demand;
}

/* Whole nodes, with their devices, become all free (sign > 0) or all taken. */
static void apply_exclusive(struct hs_free *state, const struct hs_span *span, int sign)
{
    for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
        const struct hs_node *node = &state->nodes[i];

        hsi_set_cores(state, i, sign > 0 ? node->cores_milli : 0);
        state->mem_bytes[i] = sign > 0 ? node->mem_bytes : 0; /* unlimited memory too */
        state->jobs[i] -= (uint32_t)sign;
        for (uint32_t d = node->first_device; d < node->first_device + node->device_count; d++) {
            hsi_set_share(state, d, sign > 0 ? HS_SHARES_PER_UNIT : 0);
            state->device_mem[d] = sign > 0 ? state->devices[d].mem_bytes : 0;
        }
        hsi_note_change(state, i);
    }
}

/* Shares of devices on nodes that are noted as changed for their cores. */
static void apply_devices(struct hs_free *state, const struct hs_demand *demand,
                          const struct hs_alloc *alloc, int sign)
{
    for (uint32_t i = 0; i < alloc->device_count; i++) {
        uint32_t device = alloc->devices[i].device;
        int64_t share = (int64_t)state->shares[device] + sign * (int64_t)alloc->devices[i].share;

        HS_ASSERT(share >= 0 && share <= (int64_t)HS_SHARES_PER_UNIT);
        hsi_set_share(state, device, (uint32_t)share);
        if (state->devices[device].mem_bytes != HS_MEM_UNLIMITED) {
            state->device_mem[device] += sign * demand->device_mem;
            HS_ASSERT(state->device_mem[device] >= 0 &&
                      state->device_mem[device] <= state->devices[device].mem_bytes);
        }
    }
}

/* Counts the job on its nodes by its size class. */
static void apply_class(struct hs_free *state, const struct hs_demand *demand,
                        const struct hs_alloc *alloc, int sign)
{
    enum hs_size_class size = hs_demand_size_class(demand);

    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
            state->classes[i * HS_CLASS_COUNT + size] -= (uint32_t)sign;
        }
    }
}

static void apply(struct hs_free *state, const struct hs_demand *demand,
                  const struct hs_alloc *alloc, int sign)
{
    demand = hs_demand_chosen(demand, alloc);
    state->change_count++;
    if (state->away_count) {
        hsi_away_show(state, alloc);
    }
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        if (alloc->is_exclusive) {
            apply_exclusive(state, &alloc->spans[s], sign);
        } else {
            apply_shared(state, demand, &alloc->spans[s], sign);
        }
    }
    if (!alloc->is_exclusive) {
        apply_devices(state, demand, alloc, sign);
    }
    if (demand->device_count && state->classes) {
        apply_class(state, demand, alloc, sign);
    }
    if (state->away_count) {
        hsi_away_hide(state, alloc);
    }
}

void hs_free_take(struct hs_free *state, const struct hs_demand *demand,
                  const struct hs_alloc *alloc)
{
    apply(state, demand, alloc, -1);
}

void hs_free_release(struct hs_free *state, const struct hs_demand *demand,
                     const struct hs_alloc *alloc)
{
    apply(state, demand, alloc, 1);
}

uint32_t hsi_node_tasks(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                        uint64_t admitted, uint32_t limit)
{
    uint32_t tasks = limit;

    if (((demand->flags & HS_DEMAND_EXCLUSIVE) && state->jobs[node]) ||
        (demand->node_features & ~state->nodes[node].features)) {
        return 0;
    }
    if (demand->cores_milli > 0) {
        int64_t cores = state->cores_milli[node];
        int64_t by_cores = cores < 2 * demand->cores_milli ? cores >= demand->cores_milli
                                                           : cores / demand->cores_milli;

        tasks = by_cores < tasks ? (uint32_t)by_cores : tasks;
    } else if (hsi_is_away(state, node)) {
        return 0; /* it has no cores, which are not asked for */
    }
    if (demand->mem_bytes > 0 && state->mem_bytes[node] != HS_MEM_UNLIMITED) {
        int64_t by_mem = state->mem_bytes[node] / demand->mem_bytes;

        tasks = by_mem < tasks ? (uint32_t)by_mem : tasks;
    }
    if (demand->tasks_per_node && demand->tasks_per_node < tasks) {
        tasks = demand->tasks_per_node;
    }
    if ((demand->flags & HS_DEMAND_SPREAD) && tasks > 1) {
        tasks = 1;
    }
    if (demand->device_count && tasks) {
        tasks = hsi_local_tasks(state, node, demand, admitted, tasks);
    }
    return tasks;
}

uint32_t hs_free_node_tasks(const struct hs_free *state, uint32_t node,
                            const struct hs_demand *demand)
{
    return hsi_node_tasks(state, node, demand,
                          demand->device_count ? hsi_admitted(state->cluster, node, demand) : 0,
                          demand->tasks);
}

const struct hs_cluster *hs_free_cluster(const struct hs_free *state)
{
    return state->cluster;
}

int64_t hs_free_cores_milli(const struct hs_free *state, uint32_t node)
{
    HS_ASSERT(node < state->node_count);
    return state->cores_milli[node];
}

int64_t hs_free_mem_bytes(const struct hs_free *state, uint32_t node)
{
    HS_ASSERT(node < state->node_count);
    return state->mem_bytes[node];
}

int64_t hs_free_total_cores_milli(const struct hs_free *state)
{
    return state->total_cores_milli;
}

uint32_t hs_free_node_jobs(const struct hs_free *state, uint32_t node)
{
    HS_ASSERT(node < state->node_count);
    return state->jobs[node];
}

uint32_t hs_free_device_share(const struct hs_free *state, uint32_t device)
{
    HS_ASSERT(device < state->device_count);
    return state->shares[device];
}

int64_t hs_free_device_mem(const struct hs_free *state, uint32_t device)
{
    HS_ASSERT(device < state->device_count);
    return state->device_mem[device];
}

enum hs_size_class hs_demand_size_class(const struct hs_demand *demand)
{
    if (demand->device_share < HS_SHARES_PER_UNIT) {
        return HS_CLASS_SHARE;
    }
    return demand->device_count <= 1   ? HS_CLASS_ONE
           : demand->device_count == 2 ? HS_CLASS_TWO
           : demand->device_count <= 4 ? HS_CLASS_FOUR
                                       : HS_CLASS_MORE;
}

uint32_t hs_free_class_jobs(const struct hs_free *state, uint32_t node, enum hs_size_class size)
{
    HS_ASSERT(node < state->node_count);
    return state->classes ? state->classes[node * HS_CLASS_COUNT + (uint32_t)size] : 0;
}

uint32_t hs_free_node_shares(const struct hs_free *state, uint32_t node)
{
    HS_ASSERT(node < state->node_count);
    return state->node_shares ? state->node_shares[node] : 0;
}

uint32_t hs_free_node_devices(const struct hs_free *state, uint32_t node)
{
    HS_ASSERT(node < state->node_count);
    return state->whole ? (uint32_t)__builtin_popcountll(state->whole[node]) : 0;
}
