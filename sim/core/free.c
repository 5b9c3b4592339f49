/* SPDX-License-Identifier: MIT */
/* free.c - free cores and memory per node, and placement.
 *
 * A bitmap marks the nodes that have a free core, so that left-most placement passes over full
 * nodes 64 at a time. */
#include "hs/free.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node_score {
    double score;
    uint32_t node;
    uint32_t tasks;
};

struct hs_free {
    const struct hs_cluster *cluster;
    const struct hs_node *nodes; /* of the cluster */
    int64_t *capacity_milli;     /* per node: its cores */
    int64_t *cores_milli;        /* per node */
    int64_t *mem_bytes;          /* per node; unlimited stays so but under an exclusive job */
    uint32_t *jobs;              /* per node: allocations on it */
    uint64_t *open;              /* bit per node: cores_milli > 0 */
    int64_t total_cores_milli;
    uint32_t node_count;
    uint32_t word_count;
};

static void set_cores(struct hs_free *state, uint32_t node, int64_t cores_milli)
{
    uint64_t bit = UINT64_C(1) << (node % 64);

    state->total_cores_milli += cores_milli - state->cores_milli[node];
    state->cores_milli[node] = cores_milli;
    if (cores_milli > 0) {
        state->open[node / 64] |= bit;
    } else {
        state->open[node / 64] &= ~bit;
    }
}

struct hs_free *hs_free_create(const struct hs_cluster *cluster)
{
    struct hs_free *state = calloc(1, sizeof *state);
    uint32_t count = hs_cluster_node_count(cluster);

    if (!state) {
        return NULL;
    }
    state->cluster = cluster;
    state->nodes = hs_cluster_node(cluster, 0);
    state->node_count = count;
    state->word_count = (count + 63) / 64;
    state->capacity_milli = calloc(count, sizeof *state->capacity_milli);
    state->cores_milli = calloc(count, sizeof *state->cores_milli);
    state->mem_bytes = calloc(count, sizeof *state->mem_bytes);
    state->jobs = calloc(count, sizeof *state->jobs);
    state->open = calloc(state->word_count, sizeof *state->open);
    if (!state->capacity_milli || !state->cores_milli || !state->mem_bytes || !state->jobs ||
        !state->open) {
        hs_free_destroy(state);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        state->capacity_milli[i] = state->nodes[i].cores_milli;
        set_cores(state, i, state->nodes[i].cores_milli);
        state->mem_bytes[i] = state->nodes[i].mem_bytes;
    }
    return state;
}

void hs_free_destroy(struct hs_free *state)
{
    if (!state) {
        return;
    }
    free(state->capacity_milli);
    free(state->cores_milli);
    free(state->mem_bytes);
    free(state->jobs);
    free(state->open);
    free(state);
}

void hs_free_copy(struct hs_free *to, const struct hs_free *from)
{
    HS_ASSERT(to->cluster == from->cluster);
    memcpy(to->cores_milli, from->cores_milli, from->node_count * sizeof *from->cores_milli);
    memcpy(to->mem_bytes, from->mem_bytes, from->node_count * sizeof *from->mem_bytes);
    memcpy(to->jobs, from->jobs, from->node_count * sizeof *from->jobs);
    memcpy(to->open, from->open, from->word_count * sizeof *from->open);
    to->total_cores_milli = from->total_cores_milli;
}

void hs_free_intersect(struct hs_free *to, const struct hs_free *other)
{
    HS_ASSERT(to->cluster == other->cluster);
    for (uint32_t i = 0; i < to->node_count; i++) {
        if (other->cores_milli[i] < to->cores_milli[i]) {
            set_cores(to, i, other->cores_milli[i]);
        }
        if (other->mem_bytes[i] < to->mem_bytes[i]) {
            to->mem_bytes[i] = other->mem_bytes[i];
        }
        if (other->jobs[i] > to->jobs[i]) {
            to->jobs[i] = other->jobs[i];
        }
    }
}

/* Sets the bits of [first, first + count) in `open` to what the cores say. */
static void mark_open(struct hs_free *state, uint32_t first, uint32_t count)
{
    const int64_t *cores = state->cores_milli;
    uint32_t end = first + count;

    while (first < end) {
        uint32_t word = first / 64;
        uint32_t stop = (word + 1) * 64 < end ? (word + 1) * 64 : end;
        uint64_t is_open = 0;
        uint64_t is_asked = 0;

        for (uint32_t i = first; i < stop; i++) {
            is_asked |= UINT64_C(1) << (i % 64);
            is_open |= (uint64_t)(cores[i] > 0) << (i % 64);
        }
        state->open[word] = (state->open[word] & ~is_asked) | is_open;
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
}

/* Whole nodes become all free (sign > 0) or all taken. */
static void apply_exclusive(struct hs_free *state, const struct hs_span *span, int sign)
{
    for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
        const struct hs_node *node = &state->nodes[i];

        set_cores(state, i, sign > 0 ? node->cores_milli : 0);
        state->mem_bytes[i] = sign > 0 ? node->mem_bytes : 0; /* unlimited memory too */
        state->jobs[i] -= (uint32_t)sign;
    }
}

static void apply(struct hs_free *state, const struct hs_demand *demand,
                  const struct hs_alloc *alloc, int sign)
{
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        if (alloc->is_exclusive) {
            apply_exclusive(state, &alloc->spans[s], sign);
        } else {
            apply_shared(state, demand, &alloc->spans[s], sign);
        }
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

uint32_t hs_free_node_tasks(const struct hs_free *state, uint32_t node,
                            const struct hs_demand *demand)
{
    uint32_t tasks = demand->tasks;

    if ((demand->flags & HS_DEMAND_EXCLUSIVE) && state->jobs[node]) {
        return 0;
    }
    if (demand->cores_milli > 0) {
        int64_t cores = state->cores_milli[node];
        int64_t by_cores = cores < 2 * demand->cores_milli ? cores >= demand->cores_milli
                                                           : cores / demand->cores_milli;

        tasks = by_cores < tasks ? (uint32_t)by_cores : tasks;
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
    return tasks;
}

/* First node >= `node` that may have something free; node_count if none. */
static uint32_t next_open(const struct hs_free *state, uint32_t node,
                          const struct hs_demand *demand)
{
    uint32_t word = node / 64;
    uint64_t bits;

    if (demand->cores_milli == 0 || node >= state->node_count) {
        return node; /* a task without cores fits on full nodes too */
    }
    bits = state->open[word] & (~UINT64_C(0) << (node % 64));
    while (!bits) {
        if (++word == state->word_count) {
            return state->node_count;
        }
        bits = state->open[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Where the scores begin behind `count` spans. */
static size_t scores_offset(uint32_t count)
{
    size_t size = count * sizeof(struct hs_span);

    return (size + _Alignof(struct node_score) - 1) / _Alignof(struct node_score) *
           _Alignof(struct node_score);
}

bool hs_alloc_buffer_reserve(struct hs_alloc_buffer *buffer, const struct hs_cluster *cluster)
{
    uint32_t count = hs_cluster_node_count(cluster);

    if (buffer->span_room < count) {
        void *moved =
            realloc(buffer->spans, scores_offset(count) + count * sizeof(struct node_score));

        if (!moved) {
            return false;
        }
        buffer->spans = moved;
        buffer->span_room = count;
    }
    return true;
}

/* Appends `tasks` on `node`; nodes ascend, so that there is room. */
static void append(struct hs_alloc_buffer *buffer, uint32_t node, uint32_t tasks)
{
    struct hs_alloc *alloc = &buffer->alloc;
    struct hs_span *last = alloc->span_count ? &buffer->spans[alloc->span_count - 1] : NULL;

    if (last && last->tasks == tasks && last->first_node + last->node_count == node) {
        last->node_count++;
        return;
    }
    buffer->spans[alloc->span_count++] = (struct hs_span){node, 1, tasks};
}

static bool place_leftmost(const struct hs_free *state, const struct hs_demand *demand,
                           struct hs_alloc_buffer *buffer)
{
    uint32_t left = demand->tasks;
    uint32_t previous = 0;

    for (uint32_t i = next_open(state, 0, demand); i < state->node_count;
         i = next_open(state, i + 1, demand)) {
        uint32_t tasks = hs_free_node_tasks(state, i, demand);

        if (!tasks || ((demand->flags & HS_DEMAND_SAME_NODE) && tasks < demand->tasks)) {
            continue;
        }
        if ((demand->flags & HS_DEMAND_CONTIGUOUS) && buffer->alloc.span_count &&
            i != previous + 1) {
            buffer->alloc.span_count = 0; /* a gap: begin again here */
            left = demand->tasks;
        }
        previous = i;
        tasks = tasks < left ? tasks : left;
        append(buffer, i, tasks);
        left -= tasks;
        if (!left) {
            return true;
        }
    }
    return false;
}

static int compare_scores(const void *left, const void *right)
{
    const struct node_score *a = left;
    const struct node_score *b = right;

    if (a->score != b->score) {
        return a->score > b->score ? -1 : 1;
    }
    return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_nodes(const void *left, const void *right)
{
    const struct node_score *a = left;
    const struct node_score *b = right;

    return a->node < b->node ? -1 : a->node > b->node;
}

static bool place_scored(struct hs_free *state, const struct hs_demand *demand,
                         const struct hs_placement *placement, struct hs_alloc_buffer *buffer)
{
    struct node_score *scores = (void *)((char *)buffer->spans + scores_offset(buffer->span_room));
    uint32_t count = 0;
    uint32_t used = 0;
    uint32_t left = demand->tasks;

    for (uint32_t i = next_open(state, 0, demand); i < state->node_count;
         i = next_open(state, i + 1, demand)) {
        uint32_t tasks = hs_free_node_tasks(state, i, demand);

        if (tasks && (!(demand->flags & HS_DEMAND_SAME_NODE) || tasks == demand->tasks)) {
            double score = placement->score(placement->self, state, i, demand);

            score = isnan(score) ? -INFINITY : score;

            scores[count++] = (struct node_score){score, i, tasks};
        }
    }
    qsort(scores, count, sizeof *scores, compare_scores);
    while (left && used < count) {
        struct node_score *entry = &scores[used++];

        entry->tasks = entry->tasks < left ? entry->tasks : left;
        left -= entry->tasks;
    }
    if (left) {
        return false;
    }
    qsort(scores, used, sizeof *scores, compare_nodes);
    for (uint32_t i = 0; i < used; i++) {
        append(buffer, scores[i].node, scores[i].tasks);
    }
    return true;
}

bool hs_free_place(struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_placement *placement, struct hs_alloc_buffer *buffer)
{
    bool is_scored = placement && placement->score && !(demand->flags & HS_DEMAND_CONTIGUOUS);
    bool is_placed;

    buffer->alloc = (struct hs_alloc){.is_exclusive = demand->flags & HS_DEMAND_EXCLUSIVE};
    if ((demand->cores_milli > 0 &&
         demand->tasks > state->total_cores_milli / demand->cores_milli) ||
        !hs_alloc_buffer_reserve(buffer, state->cluster)) {
        return false;
    }
    is_placed = is_scored ? place_scored(state, demand, placement, buffer)
                          : place_leftmost(state, demand, buffer);
    buffer->alloc.spans = buffer->spans;
    return is_placed;
}

void hs_alloc_buffer_fini(struct hs_alloc_buffer *buffer)
{
    free(buffer->spans);
    free(buffer->devices);
    *buffer = (struct hs_alloc_buffer){0};
}

/* One node of an allocation: is what it needs free? */
static bool node_holds(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                       uint32_t tasks, char *reason, size_t size)
{
    struct hs_demand part = *demand;
    const char *name = state->nodes[node].name;

    part.tasks = tasks;
    if (hs_free_node_tasks(state, node, &part) >= tasks) {
        return true;
    }
    if ((demand->flags & HS_DEMAND_EXCLUSIVE) && state->jobs[node]) {
        (void)snprintf(reason, size, "node %s is wanted whole and has %" PRIu32 " jobs on it", name,
                       state->jobs[node]);
    } else if (demand->cores_milli > 0 && state->cores_milli[node] / demand->cores_milli < tasks) {
        (void)snprintf(reason, size, "node %s has %g free cores and %g are wanted", name,
                       (double)state->cores_milli[node] / 1000.0,
                       (double)demand->cores_milli / 1000.0 * tasks);
    } else if (demand->mem_bytes > 0 && state->mem_bytes[node] / demand->mem_bytes < tasks) {
        (void)snprintf(reason, size,
                       "node %s has %" PRId64 " bytes of memory free and %" PRId64
                       " are wanted for each of %" PRIu32 " tasks",
                       name, state->mem_bytes[node], demand->mem_bytes, tasks);
    } else {
        (void)snprintf(reason, size, "node %s gets %" PRIu32 " tasks, more than the job allows",
                       name, tasks);
    }
    return false;
}

bool hs_free_holds(const struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_alloc *alloc, char *reason, size_t reason_size)
{
    char unused[1];
    char *text = reason ? reason : unused;
    size_t size = reason ? reason_size : sizeof unused;
    uint64_t tasks = 0;
    uint64_t next_node = 0;

    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];
        uint64_t end = (uint64_t)span->first_node + span->node_count;

        if (span->first_node < next_node || end > state->node_count || !span->node_count ||
            !span->tasks) {
            (void)snprintf(text, size,
                           "its nodes %" PRIu32 " to %" PRIu64
                           " are empty, out of order or outside the cluster of %" PRIu32,
                           span->first_node, end - 1, state->node_count);
            return false;
        }
        if ((demand->flags & HS_DEMAND_CONTIGUOUS) && s && span->first_node != next_node) {
            (void)snprintf(text, size, "its nodes have a gap before node %" PRIu32,
                           span->first_node);
            return false;
        }
        for (uint32_t i = span->first_node; i < end; i++) {
            if (!node_holds(state, i, demand, span->tasks, text, size)) {
                return false;
            }
        }
        next_node = end;
        tasks += (uint64_t)span->node_count * span->tasks;
    }
    if (tasks != demand->tasks) {
        (void)snprintf(text, size, "it gets %" PRIu64 " of its %" PRIu32 " tasks", tasks,
                       demand->tasks);
        return false;
    }
    if ((demand->flags & HS_DEMAND_SAME_NODE) && next_node != alloc->spans[0].first_node + 1u) {
        (void)snprintf(text, size, "its tasks must be on one node");
        return false;
    }
    if (alloc->is_exclusive != ((demand->flags & HS_DEMAND_EXCLUSIVE) != 0) ||
        alloc->device_count) {
        (void)snprintf(text, size, "it is given something else than it asks for");
        return false;
    }
    return true;
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
