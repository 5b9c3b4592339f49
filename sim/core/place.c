/* SPDX-License-Identifier: MIT */
/* place.c - which nodes: left-most, or by the order of a placement; then which of their devices.
 *
 * A tracked state (fit.c) knows what each node takes of the demand; else each node is asked. Both
 * ways give the same answer. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "free_internal.h"
#include "random.h"

/* A node that takes tasks, in the order in which it is filled. */
struct node_score {
    double score;
    uint32_t node;
    uint32_t rank;
    uint32_t tasks;
    uint32_t rack; /* place of its rack in the order of racks */
};

/* One search for room. */
struct search {
    struct hs_free *state;
    const struct hs_demand *demand; /* the demand or one of its alternatives */
    struct hs_demand unit;          /* it as scores see it: one task */
    const struct hs_placement *placement;
    struct hsi_fit *fit;  /* NULL: not tracked */
    const uint64_t *part; /* bit per node: it may be used; NULL: all may */
    struct hs_alloc_buffer *buffer;
    struct node_score *scores;
};

/* Where the scores begin behind `count` spans. */
static size_t scores_offset(uint32_t count)
{
    size_t size = count * sizeof(struct hs_span);

    return (size + _Alignof(struct node_score) - 1) / _Alignof(struct node_score) *
           _Alignof(struct node_score);
}

/* Could the cluster, all of it free, have the shares that all tasks together want? */
static bool has_shares(const struct hs_cluster *cluster, const struct hs_demand *demand)
{
    uint64_t wanted = (uint64_t)demand->tasks * demand->device_count * demand->device_share;

    return wanted <= (uint64_t)hs_cluster_device_count(cluster) * HS_SHARES_PER_UNIT;
}

/* Room for the devices of the demand. */
static bool reserve_devices(struct hs_alloc_buffer *buffer, const struct hs_demand *demand)
{
    size_t wanted = (size_t)demand->tasks * demand->device_count;
    void *moved;

    if (wanted <= buffer->device_room) {
        return true;
    }
    if (wanted > UINT32_MAX / 2) {
        return false;
    }
    moved = realloc(buffer->devices, wanted * sizeof *buffer->devices);
    if (!moved) {
        return false;
    }
    buffer->devices = moved;
    buffer->device_room = (uint32_t)wanted;
    return true;
}

bool hs_alloc_buffer_reserve(struct hs_alloc_buffer *buffer, const struct hs_cluster *cluster,
                             const struct hs_demand *demand)
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
    for (uint32_t a = 0; demand && a < demand->alternative_count; a++) {
        if (has_shares(cluster, &demand->alternatives[a]) &&
            !reserve_devices(buffer, &demand->alternatives[a])) {
            return false;
        }
    }
    return !demand || !has_shares(cluster, demand) || reserve_devices(buffer, demand);
}

void hs_alloc_buffer_fini(struct hs_alloc_buffer *buffer)
{
    free(buffer->spans);
    free(buffer->devices);
    *buffer = (struct hs_alloc_buffer){0};
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

/* The first node >= `node` whose bit is set in `bits`, and in `more` unless that is NULL;
 * node_count if none. */
static uint32_t next_set(const struct hs_free *state, uint32_t node, const uint64_t *bits,
                         const uint64_t *more)
{
    uint32_t word = node / 64;
    uint64_t left;

    if (node >= state->node_count) {
        return state->node_count;
    }
    left = bits[word] & (more ? more[word] : ~UINT64_C(0)) & (~UINT64_C(0) << (node % 64));
    while (!left) {
        if (++word == state->word_count) {
            return state->node_count;
        }
        left = bits[word] & (more ? more[word] : ~UINT64_C(0));
    }
    return word * 64 + (uint32_t)__builtin_ctzll(left);
}

/* The first node >= `node` that may take a task; node_count if none. */
static uint32_t next_node(const struct search *search, uint32_t node)
{
    const struct hs_free *state = search->state;
    const uint64_t *open = search->fit ? search->fit->open : state->open;

    if (!search->fit && search->demand->cores_milli == 0) { /* it fits on full nodes too */
        return search->part ? next_set(state, node, search->part, NULL) : node;
    }
    return next_set(state, node, open, search->part);
}

/* Tasks that the node takes; 0 if it is to take all and cannot. */
static uint32_t tasks_on(const struct search *search, uint32_t node)
{
    const struct hs_demand *demand = search->demand;
    uint32_t tasks =
        search->fit ? search->fit->tasks[node] : hs_free_node_tasks(search->state, node, demand);

    search->state->looked_count++;
    tasks = tasks < demand->tasks ? tasks : demand->tasks;
    return (demand->flags & HS_DEMAND_SAME_NODE) && tasks < demand->tasks ? 0 : tasks;
}

static bool place_leftmost(const struct search *search)
{
    const struct hs_demand *demand = search->demand;
    struct hs_alloc_buffer *buffer = search->buffer;
    uint32_t left = demand->tasks;
    uint32_t previous = 0;

    for (uint32_t i = next_node(search, 0); i < search->state->node_count;
         i = next_node(search, i + 1)) {
        uint32_t tasks = tasks_on(search, i);

        if (!tasks) {
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

    if (a->rack != b->rack) {
        return a->rack < b->rack ? -1 : 1;
    }
    if (a->score != b->score) {
        return a->score > b->score ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int compare_nodes(const void *left, const void *right)
{
    const struct node_score *a = left;
    const struct node_score *b = right;

    return a->node < b->node ? -1 : a->node > b->node;
}

double hsi_random_score(const struct hs_free *state, const struct hs_placement *placement,
                        uint32_t what)
{
    uint64_t draw = hsi_mix64(placement->draw ^ hsi_mix64(state->change_count)) + what;

    return (double)(hsi_mix64(draw) >> 11);
}

double hsi_score(const struct hs_free *state, const struct hs_placement *placement, uint32_t node,
                 const struct hs_demand *demand)
{
    double score = 0;

    if (placement->flags & HS_PLACE_RANDOM) {
        return hsi_random_score(state, placement, node);
    }
    if (placement->score) {
        score = placement->score(placement->self, state, node, demand);
    }
    return isnan(score) || score == HSI_NO_SCORE ? -DBL_MAX : score;
}

/* The racks that the job goes to first: the one with the fewest tasks of those that hold it, or if
 * none does the one with the most, and so on. Sets the place of each candidate's rack. */
static void order_racks(const struct search *search, uint32_t count)
{
    struct hs_free *state = search->state;
    uint32_t rack_count = hs_cluster_rack_count(state->cluster);
    int64_t *sums = state->rack_tasks; /* the last one: nodes without a rack */
    int64_t wanted = search->demand->tasks;

    if (!sums) {
        return;
    }
    memset(sums, 0, (rack_count + 1u) * sizeof *sums);
    for (uint32_t i = 0; i < count; i++) {
        sums[search->scores[i].rack] += search->scores[i].tasks;
    }
    for (uint32_t place = 0; wanted > 0; place++) {
        uint32_t best = UINT32_MAX;

        for (uint32_t r = 0; r <= rack_count; r++) {
            bool is_enough = sums[r] >= wanted;

            if (sums[r] > 0 && (best == UINT32_MAX ||
                                (is_enough && (sums[best] < wanted || sums[r] < sums[best])) ||
                                (!is_enough && sums[best] < wanted && sums[r] > sums[best]))) {
                best = r;
            }
        }
        if (best == UINT32_MAX) {
            break;
        }
        wanted -= sums[best];
        sums[best] = -1 - (int64_t)place;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t sum = sums[search->scores[i].rack];

        search->scores[i].rack = sum < 0 ? (uint32_t)(-1 - sum) : UINT32_MAX;
    }
}

/* The allocation from the first `used` scores. */
static void append_scores(const struct search *search, uint32_t used)
{
    qsort(search->scores, used, sizeof *search->scores, compare_nodes);
    for (uint32_t i = 0; i < used; i++) {
        append(search->buffer, search->scores[i].node, search->scores[i].tasks);
    }
}

/* Sorts all nodes that take something, and fills the first ones. */
static bool place_sorted(const struct search *search)
{
    const struct hs_placement *placement = search->placement;
    struct hs_free *state = search->state;
    struct node_score *scores = search->scores;
    uint32_t rack_count = hs_cluster_rack_count(state->cluster);
    uint32_t left = search->demand->tasks;
    uint32_t count = 0;
    uint32_t used = 0;

    for (uint32_t i = next_node(search, 0); i < state->node_count; i = next_node(search, i + 1)) {
        uint32_t tasks = tasks_on(search, i);
        uint32_t rack = state->nodes[i].rack;

        if (tasks) {
            scores[count++] = (struct node_score){
                .score = hsi_score(state, placement, i, &search->unit),
                .node = i,
                .rank = placement->rank ? placement->rank[i] : i,
                .tasks = tasks,
                .rack = placement->flags & HS_PLACE_RACKS ? (rack == HS_NO_RACK ? rack_count : rack)
                                                          : 0,
            };
        }
    }
    if (placement->flags & HS_PLACE_RACKS) {
        order_racks(search, count);
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
    append_scores(search, used);
    return true;
}

/* Fills the winners of the tournament. */
static bool place_winners(const struct search *search)
{
    struct hsi_fit *fit = search->fit;
    uint32_t left = search->demand->tasks;
    uint32_t used = 0;
    uint32_t passed = 0;

    while (left) {
        uint32_t node = hsi_fit_best(fit);
        uint32_t tasks;

        if (node == UINT32_MAX) {
            break;
        }
        search->state->looked_count++;
        tasks = fit->tasks[node] < left ? fit->tasks[node] : left;
        search->scores[used++] = (struct node_score){.node = node, .tasks = tasks};
        left -= tasks;
        if (left) {
            search->scores[used - 1].score = hsi_fit_pass_over(search->state, fit, node);
            passed++;
        }
    }
    for (uint32_t i = 0; i < passed; i++) {
        hsi_fit_restore(search->state, fit, search->scores[i].node, search->scores[i].score);
    }
    if (left) {
        return false;
    }
    append_scores(search, used);
    return true;
}

/* The devices of the nodes of the allocation. */
static bool pick_devices(const struct search *search)
{
    struct hs_alloc_buffer *buffer = search->buffer;
    const struct hs_demand *demand = search->demand;

    for (uint32_t s = 0; s < buffer->alloc.span_count; s++) {
        const struct hs_span *span = &buffer->spans[s];

        for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
            if (!hsi_local_pick(search->state, i, demand, span->tasks, search->placement,
                                &buffer->devices[buffer->alloc.device_count])) {
                return false;
            }
            buffer->alloc.device_count += span->tasks * demand->device_count;
        }
    }
    return true;
}

/* Most tasks of the job on one node, whatever is free there. */
static uint32_t node_limit(const struct hs_demand *demand)
{
    if (demand->flags & HS_DEMAND_SPREAD) {
        return 1;
    }
    return demand->tasks_per_node ? demand->tasks_per_node : UINT32_MAX;
}

static bool has_tournament(const struct search *search)
{
    return search->fit && search->fit->is_tournament;
}

/* The node of the highest score for one more task, of those below the limit; UINT32_MAX: none.
 * scores[node].tasks counts the tasks that it has. */
static uint32_t best_node(const struct search *search)
{
    const struct hs_placement *placement = search->placement;
    uint32_t limit = node_limit(search->demand);
    uint32_t best = UINT32_MAX;
    uint32_t best_rank = 0;
    double best_score = 0;

    if (has_tournament(search)) {
        return hsi_fit_best(search->fit);
    }
    for (uint32_t i = 0; i < search->state->node_count; i++) {
        uint32_t rank = placement->rank ? placement->rank[i] : i;
        double score;

        if (search->part && !(search->part[i / 64] >> (i % 64) & 1)) {
            continue;
        }
        search->state->looked_count++;
        if (search->scores[i].tasks == limit ||
            !hs_free_node_tasks(search->state, i, search->demand)) {
            continue;
        }
        score = hsi_score(search->state, placement, i, &search->unit);
        if (best == UINT32_MAX || score > best_score || (score == best_score && rank < best_rank)) {
            best = i;
            best_rank = rank;
            best_score = score;
        }
    }
    return best;
}

/* Takes or gives back one task on a node; its devices, if any, are task number `task`. */
static void step(const struct search *search, uint32_t node, uint32_t task, bool is_taken)
{
    uint32_t k = search->demand->device_count;
    struct hs_span span = {node, 1, 1};
    struct hs_alloc alloc = {
        .spans = &span,
        .devices = k ? &search->buffer->devices[(size_t)task * k] : NULL,
        .span_count = 1,
        .device_count = k,
    };

    if (is_taken) {
        hs_free_take(search->state, search->demand, &alloc);
    } else {
        hs_free_release(search->state, search->demand, &alloc);
    }
}

/* Gives back the first `tasks` steps. Without devices the nodes tell where they were. */
static void undo_steps(const struct search *search, uint32_t tasks)
{
    uint32_t k = search->demand->device_count;

    for (uint32_t t = 0; t < tasks && k; t++) {
        step(search, search->state->devices[search->buffer->devices[(size_t)t * k].device].node, t,
             false);
    }
    for (uint32_t i = 0; i < search->state->node_count && !k; i++) {
        for (uint32_t t = 0; t < search->scores[i].tasks; t++) {
            step(search, i, 0, false);
        }
    }
}

/* Task by task: each is taken, so that the next sees the scores behind it, and all are given back
 * at the end. False: no room was found, though there may be some. */
static bool place_stepwise(struct search *search)
{
    struct hs_free *state = search->state;
    const struct hs_demand *demand = search->demand;
    uint64_t change_count = state->change_count;
    uint32_t limit = node_limit(demand);
    uint32_t k = demand->device_count;
    bool is_tracked = has_tournament(search);
    uint32_t tasks = 0;

    for (uint32_t i = 0; i < state->node_count; i++) {
        search->scores[i].tasks = 0;
    }
    while (tasks < demand->tasks) {
        uint32_t node = best_node(search);

        if (node == UINT32_MAX ||
            (k && !hsi_local_pick(state, node, demand, 1, search->placement,
                                  &search->buffer->devices[(size_t)tasks * k]))) {
            break;
        }
        step(search, node, tasks++, true);
        if (is_tracked) {
            search->fit = hsi_fit_get_scored(state, demand, search->placement);
            HS_ASSERT(search->fit); /* it is there, and updating needs no memory */
        }
        if (++search->scores[node].tasks == limit && is_tracked) {
            (void)hsi_fit_pass_over(state, search->fit, node);
        }
    }
    undo_steps(search, tasks);
    state->change_count = change_count;
    if (is_tracked) { /* all nodes that took part have changed, so they are back in the tournament
                       */
        search->fit = hsi_fit_get_scored(state, demand, search->placement);
    }
    for (uint32_t i = 0; i < state->node_count && tasks == demand->tasks; i++) {
        if (search->scores[i].tasks) {
            append(search->buffer, i, search->scores[i].tasks);
        }
    }
    return tasks == demand->tasks;
}

/* Nodes for the demand, in the way that it and the placement ask for. */
static bool place_nodes(struct search *search)
{
    const struct hs_placement *placement = search->placement;
    const struct hs_demand *demand = search->demand;
    const uint32_t whole = HS_DEMAND_EXCLUSIVE | HS_DEMAND_SAME_NODE;

    if (!placement || (demand->flags & HS_DEMAND_CONTIGUOUS) ||
        (!hsi_is_ordered(placement) && !placement->flags)) {
        return !search->fit && !search->part && hsi_unit_serves(search->state, demand)
                   ? hsi_unit_place(search->state, demand, search->buffer)
                   : place_leftmost(search);
    }
    if ((placement->flags & HS_PLACE_STEPWISE) && demand->tasks > 1 && !(demand->flags & whole) &&
        place_stepwise(search)) {
        return true;
    }
    search->buffer->alloc.span_count = 0;
    if (has_tournament(search)) {
        return place_winners(search);
    }
    return place_sorted(search);
}

/* Enough for the demand, neighbours or not? */
static bool has_enough(const struct hsi_fit *fit, const struct hs_demand *demand)
{
    return demand->flags & HS_DEMAND_SAME_NODE ? fit->entrants > 0 : fit->total >= demand->tasks;
}

/* The demand itself, without its alternatives. */
static bool place_one(struct hs_free *state, const struct hs_demand *demand,
                      const struct hs_placement *placement, const uint64_t *part,
                      struct hs_alloc_buffer *buffer)
{
    struct search search = {
        .state = state, .demand = demand, .placement = placement, .part = part, .buffer = buffer};

    search.unit = hsi_fit_demand(demand);
    search.unit.tasks = 1;
    buffer->alloc = (struct hs_alloc){.is_exclusive = demand->flags & HS_DEMAND_EXCLUSIVE};
    if ((demand->cores_milli > 0 &&
         demand->tasks > state->total_cores_milli / demand->cores_milli) ||
        (demand->device_count &&
         (!has_shares(state->cluster, demand) || !reserve_devices(buffer, demand)))) {
        return false;
    }
    if (!part) { /* what is known of all nodes says nothing of some */
        search.fit = hsi_fit_get(state, demand);
        if (search.fit && !has_enough(search.fit, demand)) {
            return false;
        }
        search.fit = hsi_fit_get_scored(state, demand, placement);
    }
    search.scores = (void *)((char *)buffer->spans + scores_offset(buffer->span_room));
    if (!place_nodes(&search) || (demand->device_count && !pick_devices(&search))) {
        return false;
    }
    buffer->alloc.spans = buffer->spans;
    buffer->alloc.devices = buffer->alloc.device_count ? buffer->devices : NULL;
    return true;
}

bool hs_free_place_within(struct hs_free *state, const struct hs_demand *demand,
                          const struct hs_placement *placement, const uint64_t *part,
                          struct hs_alloc_buffer *buffer)
{
    if (!hs_alloc_buffer_reserve(buffer, state->cluster, NULL)) {
        return false;
    }
    if (place_one(state, demand, placement, part, buffer)) {
        return true;
    }
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        if (place_one(state, &demand->alternatives[a], placement, part, buffer)) {
            buffer->alloc.alternative = a + 1;
            return true;
        }
    }
    return false;
}

bool hs_free_place(struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_placement *placement, struct hs_alloc_buffer *buffer)
{
    return hs_free_place_within(state, demand, placement, NULL, buffer);
}

/* Does the demand itself fit? */
static bool fits_one(struct hs_free *state, const struct hs_demand *demand)
{
    struct search search = {.state = state, .demand = demand};
    uint32_t run = 0;
    uint64_t tasks = 0;

    search.fit = hsi_fit_get(state, demand);
    if (search.fit && !(demand->flags & HS_DEMAND_CONTIGUOUS)) {
        return has_enough(search.fit, demand);
    }
    for (uint32_t i = next_node(&search, 0); i < state->node_count; i = next_node(&search, i + 1)) {
        uint32_t here = tasks_on(&search, i);

        if (!here) {
            continue;
        }
        tasks = (demand->flags & HS_DEMAND_CONTIGUOUS) && i != run ? here : tasks + here;
        run = i + 1;
        if (tasks >= demand->tasks) {
            return true;
        }
    }
    return false;
}

bool hs_free_fits(struct hs_free *state, const struct hs_demand *demand)
{
    bool fits = fits_one(state, demand);

    for (uint32_t a = 0; a < demand->alternative_count && !fits; a++) {
        fits = fits_one(state, &demand->alternatives[a]);
    }
    return fits;
}
