/* SPDX-License-Identifier: MIT */
/* index.c - finding waiting jobs without looking at all of them.
 *
 * Jobs of one shape of demand form a group with a tree (tree.c). Shapes are few: a query looks at
 * each group once and descends in those that have something to offer. static orders        an
 * iteration or a scan keeps a heap of cursors, one for each group, and advances the cursor that was
 * handed out time-varying orders  the best job of each group is kept (kinetic.c); a query takes the
 * best of them Within a pass what may start only shrinks, so a job that was passed over is not
 * asked again. */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "sched_internal.h"

/* No index can serve a time-varying order without a rate. */
static bool can_index(const struct hs_sched *sched)
{
    const struct hs_order *order = hsi_order(sched);

    return !sched->is_plain && (!order || !order->is_time_varying || order->rate);
}

bool hsi_index_is_kept(const struct hs_sched *sched)
{
    return !sched->queue.is_arrival && can_index(sched);
}

bool hsi_index_reserve(struct hs_sched *sched)
{
    struct hsi_index *index = &sched->index;
    uint32_t room = sched->shapes.room;
    struct hsi_group *groups;
    struct hsi_cursor *cursors;
    struct hsi_doubt *doubts;
    hs_time *shortest;
    int64_t *units;

    if (hsi_index_is_kept(sched) && !hsi_jobs_add_nodes(sched)) {
        return false;
    }
    if (room <= index->room) {
        return true;
    }
    groups = realloc(index->groups, room * sizeof *groups);
    if (!groups) {
        return false;
    }
    index->groups = groups;
    cursors = realloc(index->cursors, room * sizeof *cursors);
    if (!cursors) {
        return false;
    }
    index->cursors = cursors;
    doubts = realloc(index->doubts, room * sizeof *doubts);
    if (!doubts) {
        return false;
    }
    index->doubts = doubts;
    shortest = realloc(index->shortest_ns, room * sizeof *shortest);
    if (!shortest) {
        return false;
    }
    index->shortest_ns = shortest;
    units = realloc(index->units, room * sizeof *units);
    if (!units) {
        return false;
    }
    index->units = units;
    index->room = room;
    return true;
}

static void set_best(struct hs_sched *sched, struct hsi_group *group, uint32_t slot)
{
    const struct hsi_node *best = hsi_node_at(sched, slot);

    group->best = slot;
    group->best_sort = sched->index.has_rate ? best->rate : best->key;
    group->best_submit_ns = best->submit_ns;
    group->best_sequence = best->sequence;
    group->best_walltime_ns = best->walltime_ns;
}

/* Does the group's best job come before another, which a node tells? The order is static. */
static bool begins_before(const struct hsi_group *group, const struct hsi_node *node)
{
    if (group->best_sort != node->key) {
        return group->best_sort < node->key;
    }
    if (group->best_submit_ns != node->submit_ns) {
        return group->best_submit_ns < node->submit_ns;
    }
    return group->best_sequence < node->sequence;
}

/* What the group tells without its tree, after the tree has changed: under a static order `best` is
 * HSI_NONE if it has left, else at most the new job `slot` comes before it. */
static void refresh(struct hs_sched *sched, struct hsi_group *group, uint32_t slot)
{
    const struct hsi_node *root = hsi_node_at(sched, group->root);
    uint32_t first = group->root;

    sched->index.shortest_ns[group - sched->index.groups] = root->shortest_ns;
    group->expiry_ns = root->expiry_ns;
    if (sched->index.has_rate) {
        set_best(sched, group, root->best);
        return;
    }
    if (group->best != HSI_NONE) {
        if (slot != HSI_NONE && !begins_before(group, hsi_node_at(sched, slot))) {
            set_best(sched, group, slot);
        }
        return;
    }
    while (hsi_node_at(sched, first)->left != HSI_NONE) {
        first = hsi_node_at(sched, first)->left;
    }
    set_best(sched, group, first);
}

/* Groups are sorted by units, so that a scan looks at those only that fit. From `first` on they
 * have moved. */
static void renumber(struct hs_sched *sched, uint32_t first)
{
    for (uint32_t i = first; i < sched->index.group_count; i++) {
        sched->shapes.list[sched->index.groups[i].shape]->group = i;
    }
}

static void add_group(struct hs_sched *sched, uint32_t shape)
{
    struct hsi_index *index = &sched->index;
    int64_t units = sched->shapes.list[shape]->units;
    uint32_t at = index->group_count;

    HS_ASSERT(index->group_count < index->room);
    for (; at > 0 && index->units[at - 1] > units; at--) {
        index->units[at] = index->units[at - 1];
        index->shortest_ns[at] = index->shortest_ns[at - 1];
    }
    memmove(&index->groups[at + 1], &index->groups[at],
            (index->group_count - at) * sizeof *index->groups);
    index->group_count++;
    index->units[at] = units;
    index->groups[at] = (struct hsi_group){.root = HSI_NONE, .best = HSI_NONE, .shape = shape};
    renumber(sched, at);
}

static void remove_group(struct hs_sched *sched, uint32_t at)
{
    struct hsi_index *index = &sched->index;
    uint32_t behind = --index->group_count - at;

    sched->shapes.list[index->groups[at].shape]->group = HSI_NONE;
    memmove(&index->groups[at], &index->groups[at + 1], behind * sizeof *index->groups);
    memmove(&index->units[at], &index->units[at + 1], behind * sizeof *index->units);
    memmove(&index->shortest_ns[at], &index->shortest_ns[at + 1],
            behind * sizeof *index->shortest_ns);
    renumber(sched, at);
}

/* The sort of the node is set. */
static void insert(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_shape *shape = sched->shapes.list[job->pub.shape];
    struct hsi_node *node = hsi_node_at(sched, job->pub.slot);
    struct hsi_group *group;

    if (shape->group == HSI_NONE) {
        add_group(sched, job->pub.shape);
    }
    node->submit_ns = job->pub.key.submit_ns;
    node->sequence = job->pub.sequence;
    node->walltime_ns = job->pub.walltime_ns;
    node->weight = (uint32_t)(hsi_mix64(job->pub.sequence + 1) >> 32);
    group = &sched->index.groups[shape->group];
    group->root = hsi_tree_insert(sched, group->root, job->pub.slot);
    refresh(sched, group, job->pub.slot);
}

/* A rate must be a number > 0; one that is not is remembered, and the next pass fails with it. */
static double rate_of(struct hs_sched *sched, const struct hsi_job *job)
{
    double rate =
        hsi_order(sched)->rate(sched->stack->parts[HS_KIND_ORDER].state, &sched->view, &job->pub);

    if (!(rate > 0)) {
        sched->is_key_broken = true;
        sched->broken_key = job->pub.key;
        rate = 1;
    }
    return rate;
}

void hsi_index_insert(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_node *node;

    if (!sched->index.is_active && !hsi_index_is_kept(sched)) {
        return;
    }
    sched->index.is_active = true;
    sched->index.is_walking = false;
    sched->index.is_first = false;
    node = hsi_node_at(sched, job->pub.slot);
    node->key = 0;
    if (sched->index.has_rate) {
        node->rate = rate_of(sched, job);
    } else if (!sched->queue.is_arrival) {
        node->key = hsi_queue_key(sched, job);
    }
    insert(sched, job);
}

void hsi_index_remove(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_index *index = &sched->index;
    struct hsi_shape *shape = sched->shapes.list[job->pub.shape];
    struct hsi_group *group;

    if (!index->is_active) {
        return;
    }
    group = &index->groups[shape->group];
    group->root = hsi_tree_remove(sched, group->root, job->pub.slot);
    if (group->best == job->pub.slot) {
        group->best = HSI_NONE;
    }
    if (group->root != HSI_NONE) {
        refresh(sched, group, HSI_NONE);
    } else {
        remove_group(sched, shape->group);
    }
}

/* The first use by a rule under the order of arrival: enter all that wait. Without memory for it
 * the rule goes on without an index. */
static void activate(struct hs_sched *sched)
{
    if (sched->index.is_active || !can_index(sched) || !hsi_jobs_add_nodes(sched)) {
        return;
    }
    sched->index.is_active = true;
    for (uint32_t slot = sched->queue.first; slot != HSI_NONE;) {
        struct hsi_job *job = hsi_job_at(sched, slot);

        if (job->pub.state == HS_JOB_PENDING && !job->is_rejected) {
            hsi_node_at(sched, slot)->key = 0;
            insert(sched, job);
        }
        slot = job->next;
    }
}

/* The units that are free, for the bound on groups; without a bound while jobs are placed. */
static int64_t unit_bound(const struct hs_sched *sched)
{
    return hs_view_is_counted(&sched->view) ? hs_view_free_units(&sched->view) : INT64_MAX;
}

static const struct hs_demand *demand_of(const struct hs_sched *sched, uint32_t shape)
{
    return &sched->shapes.list[shape]->demand;
}

bool hsi_index_any(struct hs_sched *sched)
{
    struct hsi_index *index = &sched->index;

    activate(sched);
    if (!index->is_active) {
        return unit_bound(sched) > 0;
    }
    if (hs_view_is_counted(&sched->view)) {
        return index->group_count > 0 && index->units[0] <= unit_bound(sched);
    }
    for (uint32_t i = 0; i < index->group_count; i++) {
        if (hs_view_fits(&sched->view, demand_of(sched, index->groups[i].shape))) {
            return true;
        }
    }
    return false;
}

/* Heap of cursors, the first job on top. */
static bool cursor_before(const struct hs_sched *sched, const struct hsi_cursor *left,
                          const struct hsi_cursor *right)
{
    return hsi_node_before(hsi_node_at(sched, left->slot), hsi_node_at(sched, right->slot));
}

static void sift(struct hs_sched *sched, uint32_t position)
{
    struct hsi_index *index = &sched->index;
    struct hsi_cursor *cursors = index->cursors;
    struct hsi_cursor moving = cursors[position];

    for (;;) {
        uint32_t child = 2 * position + 1;

        if (child >= index->cursor_count) {
            break;
        }
        if (child + 1 < index->cursor_count &&
            cursor_before(sched, &cursors[child + 1], &cursors[child])) {
            child++;
        }
        if (!cursor_before(sched, &cursors[child], &moving)) {
            break;
        }
        cursors[position] = cursors[child];
        position = child;
    }
    cursors[position] = moving;
}

static void make_heap(struct hs_sched *sched)
{
    for (uint32_t i = sched->index.cursor_count / 2; i-- > 0;) {
        sift(sched, i);
    }
}

/* The top cursor goes on to `slot`, or away. */
static void replace_top(struct hs_sched *sched, uint32_t slot)
{
    struct hsi_index *index = &sched->index;

    if (slot != HSI_NONE) {
        index->cursors[0].slot = slot;
    } else {
        index->cursors[0] = index->cursors[--index->cursor_count];
    }
    if (index->cursor_count) {
        sift(sched, 0);
    }
}

static uint32_t root_of(const struct hs_sched *sched, uint32_t shape)
{
    uint32_t group = sched->shapes.list[shape]->group;

    return group == HSI_NONE ? HSI_NONE : sched->index.groups[group].root;
}

/* A group of a time-varying order with its best job true now. */
static struct hsi_group *current_group(struct hs_sched *sched, uint32_t index)
{
    struct hsi_group *group = &sched->index.groups[index];

    if (group->expiry_ns <= sched->now) {
        hsi_kinetic_refresh(sched, group->root);
        refresh(sched, group, HSI_NONE);
    }
    return group;
}

/* The best job so far of a search over groups. */
struct champion {
    uint32_t slot;
    struct hsi_line line;
};

/* Does the job, known by its slot and line, beat the champion? */
static bool beats(struct hs_sched *sched, const struct champion *champion, uint32_t slot,
                  struct hsi_line line)
{
    return champion->slot == HSI_NONE ||
           hsi_kinetic_before(sched, slot, line, champion->slot, champion->line);
}

static uint32_t best_of_all(struct hs_sched *sched)
{
    struct champion best = {.slot = HSI_NONE};

    for (uint32_t i = 0; i < sched->index.group_count; i++) {
        const struct hsi_group *group = current_group(sched, i);
        struct hsi_line line = hsi_kinetic_line(sched, group->best_submit_ns, group->best_sort);

        if (beats(sched, &best, group->best, line)) {
            best = (struct champion){group->best, line};
        }
    }
    return best.slot;
}

static hs_time limit_of(struct hs_sched *sched, const struct hs_job *job)
{
    return job->units <= unit_bound(sched)
               ? sched->index.limit(sched->index.context, job->units, job->demand)
               : -1;
}

static hs_time limit_of_group(const struct hs_sched *sched, uint32_t i)
{
    const struct hsi_index *index = &sched->index;

    return index->limit(index->context, index->units[i], demand_of(sched, index->groups[i].shape));
}

/* The best job of a time-varying order within the limits of the scan. */
static uint32_t best_within(struct hs_sched *sched)
{
    struct hsi_index *index = &sched->index;
    bool is_counted = hs_view_is_counted(&sched->view);
    int64_t bound = unit_bound(sched);
    struct champion best = {.slot = HSI_NONE};
    hs_time limit = HS_TIME_NEVER;

    for (uint32_t i = 0; i < index->group_count && index->units[i] <= bound; i++) {
        const struct hsi_group *group;
        struct hsi_line line;
        uint32_t slot;

        if (is_counted && index->shortest_ns[i] > limit) {
            continue; /* limits do not grow with the units */
        }
        limit = limit_of_group(sched, i);
        if (index->shortest_ns[i] > limit) {
            continue;
        }
        group = current_group(sched, i);
        line = hsi_kinetic_line(sched, group->best_submit_ns, group->best_sort);
        if (!beats(sched, &best, group->best, line)) {
            continue; /* not even its best */
        }
        slot = group->best;
        if (group->best_walltime_ns > limit) {
            slot = hsi_kinetic_best(sched, group->root, limit);
            line = hsi_kinetic_line(sched, hsi_node_at(sched, slot)->submit_ns,
                                    hsi_node_at(sched, slot)->rate);
        }
        if (beats(sched, &best, slot, line)) {
            best = (struct champion){slot, line};
        }
    }
    return best.slot;
}

static struct hsi_job *job_or_null(const struct hs_sched *sched, uint32_t slot)
{
    return slot == HSI_NONE ? NULL : hsi_job_at(sched, slot);
}

/* The first job of a static order. */
static uint32_t first_of_all(struct hs_sched *sched)
{
    uint32_t first = HSI_NONE;

    for (uint32_t i = 0; i < sched->index.group_count; i++) {
        const struct hsi_group *group = &sched->index.groups[i];

        if (first == HSI_NONE || begins_before(group, hsi_node_at(sched, first))) {
            first = group->best;
        }
    }
    return first;
}

struct hsi_job *hsi_index_first(struct hs_sched *sched)
{
    struct hsi_index *index = &sched->index;

    index->last =
        job_or_null(sched, sched->index.has_rate ? best_of_all(sched) : first_of_all(sched));
    index->is_first = true;
    index->is_walking = false;
    return index->last;
}

static bool is_waiting(const struct hsi_job *job)
{
    return job->pub.state == HS_JOB_PENDING && !job->is_rejected;
}

/* Cursors behind `job`, which is the first of all or anywhere. */
static void begin_walk(struct hs_sched *sched, const struct hsi_job *job, bool is_first)
{
    struct hsi_index *index = &sched->index;

    index->cursor_count = 0;
    for (uint32_t i = 0; i < index->group_count; i++) {
        const struct hsi_group *group = &index->groups[i];
        uint32_t next = group->best;

        if (!is_first || next == job->pub.slot) {
            next = hsi_tree_first(sched, group->root, job->pub.slot, HS_TIME_NEVER);
        }
        if (next != HSI_NONE) {
            index->cursors[index->cursor_count++] = (struct hsi_cursor){next, group->shape};
        }
    }
    make_heap(sched);
}

/* The order is static. While the first is started again and again, the first of the rest is next. A
 * walk that was left (by a scan, or by asking for another job) begins anew behind `job`. */
struct hsi_job *hsi_index_next(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_index *index = &sched->index;

    if (index->is_first && index->last == job && !is_waiting(job)) {
        return hsi_index_first(sched);
    }
    if (index->is_walking && index->last == job) {
        uint32_t root = root_of(sched, index->cursors[0].shape);

        replace_top(sched, hsi_tree_first(sched, root, job->pub.slot, HS_TIME_NEVER));
    } else {
        begin_walk(sched, job, index->is_first && index->last == job);
    }
    index->is_first = false;
    index->is_walking = index->cursor_count > 0;
    index->last = index->is_walking ? hsi_job_at(sched, index->cursors[0].slot) : NULL;
    return index->last;
}

void hsi_scan_begin(struct hs_sched *sched, hs_scan_limit limit, const void *context)
{
    struct hsi_index *index = &sched->index;

    activate(sched);
    index->limit = limit;
    index->context = context;
    index->is_walking = false;
    index->is_first = false;
    index->is_passing = false;
    index->last = NULL;
}

/* Without an index: on from the job handed out last. */
static struct hsi_job *walk_next(struct hs_sched *sched)
{
    const struct hs_view *view = &sched->view;
    struct hsi_index *index = &sched->index;
    const struct hs_job *job =
        index->last ? hs_view_next(view, &index->last->pub) : hs_view_first(view);

    while (job && job->walltime_ns > limit_of(sched, job)) {
        job = hs_view_next(view, job);
    }
    return job ? hsi_job_from(sched, job) : NULL;
}

/* The first job of a static order behind `after` (HSI_NONE: of all) within the limits of the scan.
 * A group is descended only if its first job comes before the best that was found, and only after
 * all groups whose first job will do. */
static uint32_t first_in_limits(struct hs_sched *sched, uint32_t after)
{
    struct hsi_index *index = &sched->index;
    bool is_counted = hs_view_is_counted(&sched->view);
    int64_t bound = unit_bound(sched);
    hs_time limit = HS_TIME_NEVER;
    uint32_t first = HSI_NONE;
    uint32_t count = 0;

    for (uint32_t i = 0; i < index->group_count && index->units[i] <= bound; i++) {
        const struct hsi_group *group = &index->groups[i];

        if ((is_counted && index->shortest_ns[i] > limit) ||
            (first != HSI_NONE && !begins_before(group, hsi_node_at(sched, first)))) {
            continue; /* limits do not grow with the units; and not even its first is before */
        }
        limit = limit_of_group(sched, i);
        if (index->shortest_ns[i] > limit) {
            continue;
        }
        if (after == HSI_NONE && group->best_walltime_ns <= limit) {
            first = group->best;
        } else {
            index->doubts[count++] = (struct hsi_doubt){limit, i};
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hsi_group *group = &index->groups[index->doubts[i].group];
        uint32_t slot;

        if (first != HSI_NONE && !begins_before(group, hsi_node_at(sched, first))) {
            continue;
        }
        slot = hsi_tree_first(sched, group->root, after, index->doubts[i].limit_ns);
        if (slot != HSI_NONE && (first == HSI_NONE || hsi_node_before(hsi_node_at(sched, slot),
                                                                      hsi_node_at(sched, first)))) {
            first = slot;
        }
    }
    return first;
}

struct hsi_job *hsi_scan_next(struct hs_sched *sched)
{
    struct hsi_index *index = &sched->index;

    /* What comes before the last job was started, or is beyond its limit for good; but a job that
     * was handed out and not started would be found again. */
    index->is_passing |= index->last && is_waiting(index->last);
    if (!index->is_active || (index->is_passing && sched->index.has_rate)) {
        index->last = walk_next(sched);
    } else if (sched->index.has_rate) {
        index->last = job_or_null(sched, best_within(sched));
    } else {
        index->last = job_or_null(
            sched, first_in_limits(sched, index->is_passing ? index->last->pub.slot : HSI_NONE));
    }
    return index->last;
}

void hsi_index_fini(struct hs_sched *sched)
{
    free(sched->index.groups);
    free(sched->index.cursors);
    free(sched->index.doubts);
    free(sched->index.units);
    free(sched->index.shortest_ns);
}
