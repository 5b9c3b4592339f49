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
    uint64_t fit_bytes = (uint64_t)state->node_count * 14;
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
    free(fit->admitted);
    free(fit->can_serve);
    free(fit->open);
    free(fit->scores);
    for (uint32_t level = 0; level < HSI_FIT_LEVELS; level++) {
        free(fit->winners[level]);
    }
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

/* Does `left` come before `right`, which is another node with a score? */
static bool is_better(const struct hsi_fit *fit, const struct hs_placement *placement,
                      uint32_t left, uint32_t right)
{
    if (fit->scores[left] != fit->scores[right]) {
        return fit->scores[left] > fit->scores[right];
    }
    return placement->rank ? placement->rank[left] < placement->rank[right] : left < right;
}

/* The best of the 8 nodes that begin at 8 x `group`. */
static uint32_t best_of_nodes(const struct hs_free *state, const struct hsi_fit *fit,
                              uint32_t group)
{
    uint32_t end = 8 * (group + 1) < state->node_count ? 8 * (group + 1) : state->node_count;
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 8 * group; i < end; i++) {
        if (fit->scores[i] != HSI_NO_SCORE &&
            (best == UINT32_MAX || is_better(fit, &state->tracker->placement, i, best))) {
            best = i;
        }
    }
    return best;
}

/* The best of the 8 winners of the level below `level` that begin at 8 x `group`. */
static uint32_t best_of_winners(const struct hs_free *state, const struct hsi_fit *fit,
                                uint32_t level, uint32_t group)
{
    const uint32_t *below = fit->winners[level - 1];
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 8 * group; i < 8 * group + 8; i++) { /* levels are filled up to 8 */
        if (below[i] != UINT32_MAX &&
            (best == UINT32_MAX || is_better(fit, &state->tracker->placement, below[i], best))) {
            best = below[i];
        }
    }
    return best;
}

static void set_score(struct hs_free *state, struct hsi_fit *fit, uint32_t node, double score)
{
    uint32_t group = node;

    if (fit->scores[node] == score) {
        return;
    }
    fit->scores[node] = score;
    for (uint32_t level = 0; level < fit->level_count; level++) {
        uint32_t winner;

        group /= 8;
        winner =
            level ? best_of_winners(state, fit, level, group) : best_of_nodes(state, fit, group);
        if (winner == fit->winners[level][group] && winner != node) {
            return; /* the node neither was the best here nor is it now */
        }
        fit->winners[level][group] = winner;
    }
}

uint32_t hsi_fit_best(const struct hsi_fit *fit)
{
    return fit->winners[fit->level_count - 1][0];
}

double hsi_fit_pass_over(struct hs_free *state, struct hsi_fit *fit, uint32_t node)
{
    double score = fit->scores[node];

    set_score(state, fit, node, HSI_NO_SCORE);
    return score;
}

void hsi_fit_restore(struct hs_free *state, struct hsi_fit *fit, uint32_t node, double score)
{
    set_score(state, fit, node, score);
}

static bool is_one_node(const struct hsi_fit *fit)
{
    return fit->demand.flags & HS_DEMAND_SAME_NODE;
}

/* The fewest tasks with which a node takes part in the tournament. */
static uint32_t least_tasks(const struct hsi_fit *fit)
{
    return is_one_node(fit) ? fit->demand.tasks : 1;
}

/* What the node takes now. */
static void look_at(struct hs_free *state, struct hsi_fit *fit, uint32_t node)
{
    uint32_t class = state->nodes[node].class_index;
    uint32_t least = least_tasks(fit);
    uint64_t bit = UINT64_C(1) << (node % 64);
    uint32_t before = fit->tasks[node];
    uint32_t tasks;

    if (!fit->can_serve[class]) {
        return;
    }
    state->looked_count++;
    tasks = hsi_node_tasks(state, node, &fit->demand, fit->admitted[class],
                           is_one_node(fit) ? fit->demand.tasks : UINT32_MAX);
    fit->total += (int64_t)tasks - (int64_t)before;
    fit->entrants += (uint32_t)(tasks >= least) - (uint32_t)(before >= least);
    fit->tasks[node] = tasks;
    fit->open[node / 64] = tasks ? fit->open[node / 64] | bit : fit->open[node / 64] & ~bit;
}

/* The score with which the node takes part in the tournament now. */
static double score_of(const struct hs_free *state, const struct hsi_fit *fit, uint32_t node)
{
    return fit->tasks[node] >= least_tasks(fit)
               ? hsi_score(state, &state->tracker->placement, node, &fit->unit)
               : HSI_NO_SCORE;
}

/* How many winners a level has, filled up to 8 but for the last. */
static uint32_t level_size(uint32_t below)
{
    uint32_t groups = (below + 7) / 8;

    return groups == 1 ? 1 : (groups + 7) / 8 * 8;
}

static void begin_tournament(const struct hs_free *state, struct hsi_fit *fit)
{
    uint32_t below = state->node_count;

    for (uint32_t level = 0; level < fit->level_count; level++) {
        uint32_t groups = (below + 7) / 8;
        uint32_t size = level_size(below);

        for (uint32_t i = 0; i < size; i++) {
            fit->winners[level][i] = i >= groups ? UINT32_MAX
                                     : level     ? best_of_winners(state, fit, level, i)
                                                 : best_of_nodes(state, fit, i);
        }
        below = size;
    }
}

static void look_at_all(struct hs_free *state, struct hsi_fit *fit)
{
    fit->total = 0;
    fit->entrants = 0;
    fit->is_blank = false;
    memset(fit->tasks, 0, state->node_count * sizeof *fit->tasks);
    memset(fit->open, 0, state->word_count * sizeof *fit->open);
    for (uint32_t i = 0; i < state->node_count; i++) {
        look_at(state, fit, i);
    }
}

static void catch_up(struct hs_free *state, struct hsi_fit *fit)
{
    const struct hsi_tracker *tracker = state->tracker;

    if (fit->is_blank || tracker->log_count - fit->seen > state->node_count) {
        look_at_all(state, fit);
    } else {
        for (uint64_t i = fit->seen; i < tracker->log_count; i++) {
            look_at(state, fit, tracker->log[i & tracker->log_mask]);
        }
    }
    fit->seen = tracker->log_count;
}

/* Who only asks whether there is room needs no scores: they are made true when a node is sought. */
static void catch_up_scores(struct hs_free *state, struct hsi_fit *fit)
{
    const struct hsi_tracker *tracker = state->tracker;

    if (!fit->has_scores || tracker->log_count - fit->scored > state->node_count) {
        for (uint32_t i = 0; i < state->node_count; i++) {
            fit->scores[i] = score_of(state, fit, i);
        }
        begin_tournament(state, fit);
    } else {
        for (uint64_t i = fit->scored; i < tracker->log_count; i++) {
            uint32_t node = tracker->log[i & tracker->log_mask];

            set_score(state, fit, node, score_of(state, fit, node));
        }
    }
    fit->has_scores = true;
    fit->scored = tracker->log_count;
}

static bool create_tournament(const struct hs_free *state, struct hsi_fit *fit)
{
    uint32_t size = state->node_count;

    fit->scores = calloc(state->node_count, sizeof *fit->scores);
    fit->level_count = 0;
    do {
        size = level_size(size);
        fit->winners[fit->level_count] = calloc(size, sizeof **fit->winners);
        if (!fit->winners[fit->level_count++]) {
            return false;
        }
    } while (size > 1);
    return fit->scores;
}

static bool create_arrays(const struct hs_free *state, struct hsi_fit *fit)
{
    uint32_t class_count = hs_cluster_class_count(state->cluster);

    fit->tasks = calloc(state->node_count, sizeof *fit->tasks);
    fit->open = calloc(state->word_count, sizeof *fit->open);
    fit->admitted = calloc(class_count, sizeof *fit->admitted);
    fit->can_serve = calloc(class_count, sizeof *fit->can_serve);
    if (!fit->tasks || !fit->open || !fit->admitted || !fit->can_serve) {
        return false;
    }
    return !fit->is_tournament || create_tournament(state, fit);
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

/* The number of tasks matters only where all go to one node. */
struct hs_demand hsi_fit_demand(const struct hs_demand *demand)
{
    struct hs_demand known = *demand;

    known.alternatives = NULL;
    known.alternative_count = 0;
    known.flags &= ~(uint32_t)HS_DEMAND_CONTIGUOUS; /* of no concern to a single node */
    if (!(known.flags & HS_DEMAND_SAME_NODE)) {
        known.tasks = 1;
    }
    return known;
}

static uint64_t hash_of(const struct hs_demand *demand)
{
    uint64_t words[sizeof *demand / sizeof(uint64_t)];
    uint64_t hash = 0;

    memcpy(words, demand, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Where the demand stands, or the place for it: an unused one, or that of the least lately used. */
static struct hsi_fit *find(struct hsi_tracker *tracker, const struct hs_demand *known,
                            uint64_t hash, bool *is_there)
{
    uint32_t mask = tracker->fit_room - 1;
    struct hsi_fit *oldest = &tracker->fits[hash & mask];

    for (uint32_t i = 0; i < FIT_PROBES; i++) {
        struct hsi_fit *fit = &tracker->fits[(hash + i) & mask];

        if (fit->used && fit->hash == hash && memcmp(&fit->demand, known, sizeof *known) == 0) {
            *is_there = true;
            return fit;
        }
        if (fit->used < oldest->used) {
            oldest = fit;
        }
    }
    *is_there = false;
    return oldest;
}

/* Does the empty node take a task, as far as can be seen without looking at it more closely? */
static bool can_serve(const struct hs_node *node, const struct hs_demand *demand, uint64_t admitted)
{
    return node->cores_milli >= demand->cores_milli && node->mem_bytes >= demand->mem_bytes &&
           !(demand->node_features & ~node->features) &&
           (uint32_t)__builtin_popcountll(admitted) >= demand->device_count;
}

/* What holds for all nodes of a class, at the cost of the nodes. */
static void look_at_classes(const struct hs_free *state, struct hsi_fit *fit)
{
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < state->node_count; i++) {
        uint32_t class = state->nodes[i].class_index;

        if (class != last) {
            fit->admitted[class] =
                fit->demand.device_count ? hsi_admitted(state->cluster, i, &fit->demand) : 0;
            fit->can_serve[class] = can_serve(&state->nodes[i], &fit->demand, fit->admitted[class]);
            last = class;
        }
    }
}

/* A fit for the demand in this place, with the arrays of its predecessor if it has one. It is true
 * once all nodes have been looked at. */
static bool begin(struct hs_free *state, struct hsi_fit *fit, const struct hs_demand *known,
                  uint64_t hash)
{
    struct hsi_tracker *tracker = state->tracker;

    if (!fit->used) {
        fit->is_tournament = is_tournament(&tracker->placement);
        if (!create_arrays(state, fit)) {
            fit_fini(fit);
            return false;
        }
    }
    fit->demand = *known;
    fit->unit = *known;
    fit->unit.tasks = 1;
    fit->hash = hash;
    fit->is_blank = true;
    fit->has_scores = false;
    fit->used = ++tracker->clock;
    look_at_classes(state, fit);
    return true;
}

void hs_free_expect(struct hs_free *state, const struct hs_demand *demand)
{
    struct hs_demand known = hsi_fit_demand(demand);
    uint64_t hash = hash_of(&known);
    bool is_there;

    if (!state->tracker) {
        return;
    }
    if (!find(state->tracker, &known, hash, &is_there)->used) {
        (void)begin(state, find(state->tracker, &known, hash, &is_there), &known, hash);
    }
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        hs_free_expect(state, &demand->alternatives[a]);
    }
}

/* The fit of the demand, with true numbers of tasks. */
static struct hsi_fit *get(struct hs_free *state, const struct hs_demand *demand)
{
    struct hsi_tracker *tracker = state->tracker;
    struct hs_demand known = hsi_fit_demand(demand);
    uint64_t hash = hash_of(&known);
    bool is_there;
    struct hsi_fit *fit = find(tracker, &known, hash, &is_there);

    if (!is_there && !begin(state, fit, &known, hash)) {
        return NULL;
    }
    if (fit->is_blank || fit->seen != tracker->log_count) {
        catch_up(state, fit);
    }
    fit->used = ++tracker->clock;
    return fit;
}

struct hsi_fit *hsi_fit_get(struct hs_free *state, const struct hs_demand *demand)
{
    return state->tracker ? get(state, demand) : NULL;
}

struct hsi_fit *hsi_fit_get_scored(struct hs_free *state, const struct hs_demand *demand,
                                   const struct hs_placement *placement)
{
    struct hsi_fit *fit = NULL;

    if (state->tracker && is_tracked_for(state->tracker, placement)) {
        fit = get(state, demand);
    }
    if (fit && fit->is_tournament && (!fit->has_scores || fit->scored != fit->seen)) {
        catch_up_scores(state, fit);
    }
    return fit;
}
