/* SPDX-License-Identifier: MIT */
/* fit.c - what every node takes of a demand, kept while little changes.
 *
 * A tracked state notes the nodes that change in a ring. A fit remembers up to where it has read;
 * asked again, it looks at the nodes noted since. Over the nodes with room lies a tournament by
 * score (and rank at equal scores), so that the best node is known at once, and the best without it
 * after a logarithm. Demands are many in some traces: those that were not asked for longest make
 * room for others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "free_internal.h"

#define FIT_BYTES_MAX (UINT64_C(48) << 20) /* of all fits of a state, in about */
#define FIT_COUNT_MIN 16u
#define FIT_COUNT_MAX 4096u
#define FIT_PROBES    8u /* places at which a demand may stand */

static uint32_t power_of_two(uint64_t least)
{
    uint32_t power = 1;

    while (power < least) {
        power *= 2;
    }
    return power;
}

bool hs_free_track(struct hs_free *state, const struct hs_placement *placement)
{
    struct hsi_tracker *tracker;
    uint64_t fit_bytes = (uint64_t)state->node_count * 24;
    uint64_t room = FIT_BYTES_MAX / fit_bytes;

    if (state->tracker) {
        return true;
    }
    tracker = calloc(1, sizeof *tracker);
    if (!tracker) {
        return false;
    }
    room = room < FIT_COUNT_MIN ? FIT_COUNT_MIN : room > FIT_COUNT_MAX ? FIT_COUNT_MAX : room;
    tracker->fit_room = power_of_two(room / 2 + 1);
    tracker->leaf_count = power_of_two(state->node_count);
    tracker->log_mask = power_of_two(4 * (uint64_t)state->node_count + 1024) - 1;
    tracker->log = calloc(tracker->log_mask + UINT64_C(1), sizeof *tracker->log);
    tracker->fits = calloc(tracker->fit_room, sizeof *tracker->fits);
    if (!tracker->log || !tracker->fits) {
        free(tracker->log);
        free(tracker->fits);
        free(tracker);
        return false;
    }
    if (placement) {
        tracker->placement = *placement;
    }
    state->tracker = tracker;
    return true;
}

static void fit_fini(struct hsi_fit *fit)
{
    free(fit->tasks);
    free(fit->open);
    free(fit->scores);
    free(fit->winners);
    *fit = (struct hsi_fit){0};
}

void hsi_track_fini(struct hs_free *state)
{
    struct hsi_tracker *tracker = state->tracker;

    if (!tracker) {
        return;
    }
    for (uint32_t i = 0; i < tracker->fit_room; i++) {
        fit_fini(&tracker->fits[i]);
    }
    free(tracker->fits);
    free(tracker->log);
    free(tracker);
    state->tracker = NULL;
}

/* The better of two nodes; UINT32_MAX is no node. */
static uint32_t winner_of(const struct hsi_fit *fit, const struct hs_placement *placement,
                          uint32_t left, uint32_t right)
{
    if (left == UINT32_MAX || right == UINT32_MAX) {
        return left == UINT32_MAX ? right : left;
    }
    if (fit->scores[left] != fit->scores[right]) {
        return fit->scores[left] > fit->scores[right] ? left : right;
    }
    if (placement->rank) {
        return placement->rank[left] < placement->rank[right] ? left : right;
    }
    return left < right ? left : right;
}

static void set_leaf(struct hs_free *state, struct hsi_fit *fit, uint32_t node, uint32_t entrant)
{
    const struct hsi_tracker *tracker = state->tracker;
    uint32_t at = tracker->leaf_count + node;

    fit->winners[at] = entrant;
    for (at /= 2; at; at /= 2) {
        fit->winners[at] =
            winner_of(fit, &tracker->placement, fit->winners[2 * at], fit->winners[2 * at + 1]);
    }
}

/* The node as it enters the tournament: itself, or nobody. */
static uint32_t entrant(const struct hsi_fit *fit, uint32_t node)
{
    uint32_t least = fit->is_same_node ? fit->demand.tasks : 1;

    return fit->tasks[node] >= least ? node : UINT32_MAX;
}

/* What the node takes now. True if its place in the tournament may be another. */
static bool look_at(const struct hs_free *state, struct hsi_fit *fit, uint32_t node)
{
    uint32_t tasks = hs_free_node_tasks(state, node, &fit->demand);
    uint64_t bit = UINT64_C(1) << (node % 64);
    uint32_t before = fit->tasks[node];

    fit->total += (int64_t)tasks - (int64_t)before;
    fit->full += (tasks == fit->demand.tasks) - (uint32_t)(before == fit->demand.tasks);
    fit->tasks[node] = tasks;
    fit->open[node / 64] = tasks ? fit->open[node / 64] | bit : fit->open[node / 64] & ~bit;
    if (fit->is_tournament && tasks) {
        fit->scores[node] = hsi_score(state, &state->tracker->placement, node, &fit->demand);
    }
    return tasks || before;
}

static void look_at_all(struct hs_free *state, struct hsi_fit *fit)
{
    const struct hsi_tracker *tracker = state->tracker;

    fit->total = 0;
    fit->full = 0;
    fit->is_blank = false;
    memset(fit->tasks, 0, state->node_count * sizeof *fit->tasks);
    memset(fit->open, 0, state->word_count * sizeof *fit->open);
    for (uint32_t i = 0; i < state->node_count; i++) {
        (void)look_at(state, fit, i);
    }
    if (!fit->is_tournament) {
        return;
    }
    for (uint32_t i = 0; i < tracker->leaf_count; i++) {
        fit->winners[tracker->leaf_count + i] =
            i < state->node_count ? entrant(fit, i) : UINT32_MAX;
    }
    for (uint32_t at = tracker->leaf_count - 1; at; at--) {
        fit->winners[at] =
            winner_of(fit, &tracker->placement, fit->winners[2 * at], fit->winners[2 * at + 1]);
    }
}

static void catch_up(struct hs_free *state, struct hsi_fit *fit)
{
    const struct hsi_tracker *tracker = state->tracker;

    if (fit->is_blank || tracker->log_count - fit->seen > state->node_count) {
        look_at_all(state, fit);
    } else {
        for (uint64_t i = fit->seen; i < tracker->log_count; i++) {
            uint32_t node = tracker->log[i & tracker->log_mask];

            if (look_at(state, fit, node) && fit->is_tournament) {
                set_leaf(state, fit, node, entrant(fit, node));
            }
        }
    }
    fit->seen = tracker->log_count;
}

static bool create_arrays(struct hs_free *state, struct hsi_fit *fit)
{
    fit->tasks = calloc(state->node_count, sizeof *fit->tasks);
    fit->open = calloc(state->word_count, sizeof *fit->open);
    if (!fit->tasks || !fit->open) {
        return false;
    }
    if (fit->is_tournament) {
        fit->scores = calloc(state->node_count, sizeof *fit->scores);
        fit->winners = calloc(2 * (size_t)state->tracker->leaf_count, sizeof *fit->winners);
        return fit->scores && fit->winners;
    }
    return true;
}

static bool is_tournament(const struct hs_placement *placement)
{
    return hsi_is_ordered(placement) && !(placement->flags & (HS_PLACE_RANDOM | HS_PLACE_RACKS));
}

/* Scores belong to one placement. */
static bool is_tracked_for(const struct hsi_tracker *tracker, const struct hs_placement *placement)
{
    const struct hs_placement none = {0};
    const struct hs_placement *kept = &tracker->placement;

    placement = placement ? placement : &none;
    return kept->score == placement->score && kept->self == placement->self &&
           kept->rank == placement->rank && kept->flags == placement->flags;
}

static uint32_t place_of(const struct hsi_tracker *tracker, const struct hs_demand *demand)
{
    uint64_t hash = (uint64_t)(uintptr_t)demand * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(hash >> 40) & (tracker->fit_room - 1);
}

/* Where the demand stands, or the place for it: an unused one, or that of the least lately used. */
static struct hsi_fit *find(struct hsi_tracker *tracker, const struct hs_demand *demand)
{
    uint32_t first = place_of(tracker, demand);
    struct hsi_fit *oldest = &tracker->fits[first];

    for (uint32_t i = 0; i < FIT_PROBES; i++) {
        struct hsi_fit *fit = &tracker->fits[(first + i) & (tracker->fit_room - 1)];

        if (fit->key == demand) {
            return fit;
        }
        if (fit->used < oldest->used) {
            oldest = fit;
        }
    }
    return oldest;
}

/* A fit for the demand in this place, with the arrays of its predecessor if it has one. It is true
 * once all nodes have been looked at. */
static bool begin(struct hs_free *state, struct hsi_fit *fit, const struct hs_demand *demand)
{
    struct hsi_tracker *tracker = state->tracker;

    if (!fit->key) {
        fit->is_tournament = is_tournament(&tracker->placement);
        if (!create_arrays(state, fit)) {
            fit_fini(fit);
            return false;
        }
    }
    fit->key = demand;
    fit->demand = *demand;
    fit->is_same_node = demand->flags & HS_DEMAND_SAME_NODE;
    fit->is_blank = true;
    return true;
}

void hs_free_expect(struct hs_free *state, const struct hs_demand *demand)
{
    struct hsi_fit *fit = state->tracker ? find(state->tracker, demand) : NULL;

    if (fit && !fit->key) {
        (void)begin(state, fit, demand);
    }
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        hs_free_expect(state, &demand->alternatives[a]);
    }
}

struct hsi_fit *hsi_fit_get(struct hs_free *state, const struct hs_demand *demand,
                            const struct hs_placement *placement)
{
    struct hsi_tracker *tracker = state->tracker;
    struct hsi_fit *fit;

    if (!tracker || !is_tracked_for(tracker, placement)) {
        return NULL;
    }
    fit = find(tracker, demand);
    if ((fit->key != demand || memcmp(&fit->demand, demand, sizeof *demand) != 0) &&
        !begin(state, fit, demand)) {
        return NULL;
    }
    if (fit->is_blank || fit->seen != tracker->log_count) {
        catch_up(state, fit);
    }
    fit->used = ++tracker->clock;
    return fit;
}

void hsi_fit_pass_over(struct hs_free *state, struct hsi_fit *fit, uint32_t node)
{
    set_leaf(state, fit, node, UINT32_MAX);
}

void hsi_fit_restore(struct hs_free *state, struct hsi_fit *fit, uint32_t node)
{
    set_leaf(state, fit, node, entrant(fit, node));
}
