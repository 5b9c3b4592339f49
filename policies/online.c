/* SPDX-License-Identifier: MIT */
/* online.c - mapping heuristics as on-line policies: which job to which machine, as jobs come.
 *
 * Machines are pools of equal slots (lib/pools.h): nodes of one class and speed. A job goes to one
 * pool, never across several; one that no pool can take is rejected. The jobs of a pool start in
 * the order in which they were mapped to it, each as soon as its nodes are free. Behind the first
 * that does not fit others may start, if by the predictions they do not delay it: EASY backfilling
 * (lib/shadow.h) in each pool.
 *
 * Immediate mode: a job is mapped once, when it comes. Batch mode: all that wait are mapped anew,
 * at each event or at each mapping interval. Source: Maheswaran et al., JPDC 59(2), 1999, sections
 * 2 and 3; the heuristics are in lib/mapping.h.
 *
 * Nothing stalls: the first job of a pool starts at the latest when the pool is idle, since jobs
 * are mapped to pools on which they fit alone.
 *
 * Cost: a pass in which nothing waiting fits costs nothing. A mapping of b jobs asks for b
 * predictions a speed class; then it is as hp_mapper_map, of as many rows as the batch has
 * different jobs and as many columns as there are pools, plus the running jobs; in immediate mode
 * also the jobs that were mapped and wait. */
#include <stdlib.h>
#include <string.h>

#include "hs/policy.h"
#include "lib/batch.h"
#include "lib/seconds.h"

#define NONE UINT32_MAX

/* What the policy knows of a live job, by its slot. */
struct entry {
    const struct hs_job *job; /* NULL: not live */
    double time_s;            /* for which it was mapped */
    uint32_t width;           /* slots that it takes of its pool */
    uint32_t learnt;          /* as the pools had when this was so */
    uint32_t list;            /* its pool's queue, the last list: not mapped yet; NONE: no list */
    uint32_t pool;            /* to which it was mapped last */
    uint32_t previous, next;  /* slots; NONE: it is the first, the last */
};

struct list {
    uint32_t first, last;
};

struct online {
    hs_time interval;
    int64_t batch;
    int64_t backfill;
    hs_time aging;
    bool remap;
    double patience;
    const struct hp_heuristic *heuristic;
    struct hp_node_pools pools;
    struct hp_batch problem;
    struct entry *entries;
    uint32_t entry_room;
    struct list *lists; /* queues of the pools, and the jobs that wait to be mapped if each is so
                           only once */
    uint64_t *dirty;    /* bit per pool: the first of its queue may start */
    uint64_t *failed;   /* by shape: the last walk through a queue in which it did not fit */
    uint32_t shape_room;
    uint64_t walk;
    hs_time due_ns;   /* of the next mapping; HS_TIME_NEVER: not known */
    hs_time asked_ns; /* the last wake-up asked for */
    bool has_news;    /* since the last mapping */
    bool is_starved;  /* of memory */
};

static void list_remove(struct online *self, uint32_t slot)
{
    struct entry *entry = &self->entries[slot];
    struct list *list = &self->lists[entry->list];

    *(entry->previous == NONE ? &list->first : &self->entries[entry->previous].next) = entry->next;
    *(entry->next == NONE ? &list->last : &self->entries[entry->next].previous) = entry->previous;
    entry->list = NONE;
}

/* Puts the entry behind `before`; NONE: in front of all. */
static void list_insert(struct online *self, uint32_t number, uint32_t before, uint32_t slot)
{
    struct entry *entry = &self->entries[slot];
    struct list *list = &self->lists[number];

    entry->list = number;
    entry->previous = before;
    entry->next = before == NONE ? list->first : self->entries[before].next;
    *(before == NONE ? &list->first : &self->entries[before].next) = slot;
    *(entry->next == NONE ? &list->last : &self->entries[entry->next].previous) = slot;
}

static void mark_dirty(struct online *self, uint32_t pool)
{
    self->dirty[pool / 64] |= UINT64_C(1) << (pool % 64);
}

/* A job waits, as new or since its start failed: by arrival among those to be mapped. */
static void wait_for_mapping(struct online *self, uint32_t slot)
{
    uint32_t number = self->pools.count;
    uint32_t before = self->lists[number].last;

    while (before != NONE &&
           self->entries[before].job->sequence > self->entries[slot].job->sequence) {
        before = self->entries[before].previous;
    }
    list_insert(self, number, before, slot);
}

static bool reserve_entry(struct online *self, uint32_t slot)
{
    uint32_t room = slot < 512 ? 1024 : 2 * slot;
    struct entry *moved;

    if (slot < self->entry_room) {
        return true;
    }
    moved = realloc(self->entries, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    memset(&moved[self->entry_room], 0, (room - self->entry_room) * sizeof *moved);
    self->entries = moved;
    self->entry_room = room;
    return true;
}

static bool reserve_shape(struct online *self, uint32_t shape)
{
    uint32_t room = shape < 8 ? 16 : 2 * shape;
    uint64_t *moved;

    if (shape < self->shape_room) {
        return true;
    }
    moved = realloc(self->failed, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    memset(&moved[self->shape_room], 0, (room - self->shape_room) * sizeof *moved);
    self->failed = moved;
    self->shape_room = room;
    return true;
}

static void submitted(struct online *self, const struct hs_view *view, const struct hs_job *job)
{
    if (!reserve_entry(self, job->slot) || !reserve_shape(self, job->shape) ||
        !hp_pools_learn(&self->pools, view, job)) {
        self->is_starved = true;
        return;
    }
    self->entries[job->slot] = (struct entry){.job = job, .list = NONE, .pool = NONE};
    if (!self->remap) {
        wait_for_mapping(self, job->slot);
    }
}

/* The job left its queue, or its nodes. */
static void left(struct online *self, const struct hs_job *job, bool is_live)
{
    struct entry *entry = &self->entries[job->slot];

    if (entry->list != NONE) {
        list_remove(self, job->slot);
    }
    if (entry->pool != NONE) {
        mark_dirty(self, entry->pool);
    }
    if (!is_live) {
        entry->job = NULL;
    } else if (!self->remap) {
        wait_for_mapping(self, job->slot);
    }
}

static void online_notify(void *state, const struct hs_view *view, const struct hs_event *event)
{
    struct online *self = state;

    if (self->is_starved || (!event->job && event->kind != HS_EVENT_NODE)) {
        return;
    }
    switch (event->kind) {
    case HS_EVENT_SUBMITTED:
        submitted(self, view, event->job);
        break;
    case HS_EVENT_START_FAILED:
        left(self, event->job, true);
        break;
    case HS_EVENT_FINISHED:
    case HS_EVENT_CANCELLED:
        left(self, event->job, false);
        break;
    case HS_EVENT_NODE:
        hp_pools_node(&self->pools, event);
        /* Nodes that came back may take the first of a queue. */
        for (uint32_t pool = 0; pool < self->pools.count; pool++) {
            mark_dirty(self, pool);
        }
        break;
    case HS_EVENT_EXPECTED: /* the first of a queue may be expected later, so that others fit */
        if (self->entries[event->job->slot].pool != NONE) {
            mark_dirty(self, self->entries[event->job->slot].pool);
        }
        break;
    case HS_EVENT_STARTED:
    case HS_EVENT_TIMER:
        return;
    }
    self->has_news = true;
}

/* Adds the job to the batch, or rejects it. False: no memory, or the plan is broken. */
static bool add(struct online *self, const struct hs_view *view, struct hs_plan *plan,
                const struct hs_job *job)
{
    bool can_run;

    if (!hp_batch_add(&self->problem, view, &self->pools, job, &can_run)) {
        return false;
    }
    if (can_run) {
        return true;
    }
    if (self->entries[job->slot].list != NONE) {
        list_remove(self, job->slot);
    }
    return hs_plan_reject(
        plan, job,
        "the nodes of no one class can run it, and this policy runs no job across "
        "classes");
}

static bool is_full(const struct online *self)
{
    return self->batch > 0 && self->problem.job_count >= self->batch;
}

static void empty_queues(struct online *self)
{
    for (uint32_t pool = 0; pool < self->pools.count; pool++) {
        while (self->lists[pool].first != NONE) {
            list_remove(self, self->lists[pool].first);
        }
    }
}

/* What is in the queues keeps its place in front of the batch. */
static bool book_queues(struct online *self)
{
    for (uint32_t pool = 0; pool < self->pools.count; pool++) {
        for (uint32_t slot = self->lists[pool].first; slot != NONE;
             slot = self->entries[slot].next) {
            struct entry *entry = &self->entries[slot];

            if (entry->learnt != self->pools.learnt) {
                entry->width = hp_pools_width(&self->pools, entry->job, pool);
                entry->learnt = self->pools.learnt;
            }
            if (!hp_batch_book(&self->problem,
                               (struct hp_booking){entry->time_s, pool, entry->width})) {
                return false;
            }
        }
    }
    return true;
}

/* Batch mode: the jobs from *job on; it becomes the first that is not in the batch. */
static bool collect_all(struct online *self, const struct hs_view *view, struct hs_plan *plan,
                        const struct hs_job **job)
{
    while (*job && !is_full(self)) {
        const struct hs_job *next = hs_view_next(view, *job);

        if (!add(self, view, plan, *job)) {
            return false;
        }
        *job = next;
    }
    return true;
}

/* Immediate mode: the first that were not mapped yet. */
static bool collect_new(struct online *self, const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t next;

    for (uint32_t slot = self->lists[self->pools.count].first; slot != NONE && !is_full(self);
         slot = next) {
        next = self->entries[slot].next;
        hs_view_count_examined(view, 1);
        if (!add(self, view, plan, self->entries[slot].job)) {
            return false;
        }
    }
    return true;
}

/* The job of the batch goes to the end of the pool's queue. */
static void assign(struct online *self, uint32_t task, uint32_t pool)
{
    uint32_t slot = self->problem.jobs[task]->slot;
    struct entry *entry = &self->entries[slot];

    if (entry->list != NONE) {
        list_remove(self, slot);
    }
    entry->pool = pool;
    entry->width = hp_pools_width(&self->pools, entry->job, pool);
    entry->learnt = self->pools.learnt;
    entry->time_s = hp_batch_time(&self->problem, &self->pools, task, pool);
    list_insert(self, pool, self->lists[pool].last, slot);
    mark_dirty(self, pool);
}

/* Maps a batch into the queues of the pools. False: no memory. */
static bool map_batch(struct online *self, const struct hs_view *view, struct hs_plan *plan,
                      const struct hs_job **job)
{
    struct hp_mapping mapping;

    hp_batch_begin(&self->problem);
    if (!book_queues(self) ||
        !(self->remap ? collect_all(self, view, plan, job) : collect_new(self, view, plan))) {
        return false;
    }
    if (self->problem.job_count == 0) {
        return true;
    }
    if (!hp_batch_map(&self->problem, view, &self->pools, self->heuristic, self->patience,
                      &mapping)) {
        return false;
    }
    for (uint32_t i = 0; i < mapping.mapped_count; i++) {
        assign(self, mapping.order[i], mapping.machine_of_task[mapping.order[i]]);
    }
    for (uint32_t task = 0; task < self->problem.job_count; task++) {
        if (mapping.machine_of_task[task] == HP_MAPPING_NONE) { /* nodes are away */
            assign(self, task, hp_batch_fastest(&self->problem, &self->pools, task));
        }
    }
    return true;
}

/* Does the job end before the blocked head of its queue will start, or fit beside it then? */
static bool is_harmless(const struct online *self, const struct hs_view *view,
                        const struct hs_job *job, uint32_t pool,
                        const struct hp_pool_shadow *shadow)
{
    hs_time time = hs_view_predict(view, job, self->pools.speed_class[pool]);

    if (hp_time_add(hs_view_now(view), time) <= shadow->time_ns) {
        return true;
    }
    return hp_pools_width(&self->pools, job, pool) <= shadow->extra;
}

/* Behind the first of a queue, which does not fit, starts those of the next ones that fit and do
 * not delay it. What did not fit once in this walk is not tried again. */
static void start_behind(struct online *self, const struct hs_view *view, struct hs_plan *plan,
                         uint32_t pool)
{
    const struct hs_job *head = self->entries[self->lists[pool].first].job;
    struct hp_pool_shadow shadow;
    uint32_t next = self->entries[self->lists[pool].first].next;
    bool has_shadow = false;

    self->failed[head->shape] = ++self->walk;
    for (int64_t i = 0; i < self->backfill && next != NONE; i++) {
        uint32_t slot = next;
        const struct hs_job *job = self->entries[slot].job;

        next = self->entries[slot].next;
        if (self->failed[job->shape] == self->walk) {
            continue;
        }
        hs_view_count_examined(view, 1);
        if (!hs_view_fits(view, job->demand)) {
            self->failed[job->shape] = self->walk;
            continue;
        }
        if (!has_shadow) {
            shadow = hp_pools_shadow(&self->pools, view, head, pool);
            has_shadow = true;
        }
        if (!is_harmless(self, view, job, pool, &shadow)) {
            continue;
        }
        if (!hp_pools_start(&self->pools, plan, job, pool)) {
            self->failed[job->shape] = self->walk;
            continue;
        }
        if (job->expected_end_ns > shadow.time_ns) {
            shadow.extra -= hp_pools_width(&self->pools, job, pool);
        }
        list_remove(self, slot);
    }
}

/* Starts the first jobs of a queue while they fit, then those that may overtake. */
static void start_queue(struct online *self, const struct hs_view *view, struct hs_plan *plan,
                        uint32_t pool)
{
    while (self->lists[pool].first != NONE) {
        uint32_t slot = self->lists[pool].first;

        hs_view_count_examined(view, 1);
        if (!hp_pools_start(&self->pools, plan, self->entries[slot].job, pool)) {
            start_behind(self, view, plan, pool);
            return;
        }
        list_remove(self, slot);
    }
}

static void start_queues(struct online *self, const struct hs_view *view, struct hs_plan *plan)
{
    for (uint32_t word = 0; word <= (self->pools.count - 1) / 64; word++) {
        while (self->dirty[word]) {
            uint32_t bit = (uint32_t)__builtin_ctzll(self->dirty[word]);

            self->dirty[word] &= self->dirty[word] - 1;
            start_queue(self, view, plan, word * 64 + bit);
        }
    }
}

/* The multiple of the interval that is not before `time`. */
static hs_time next_multiple(hs_time time, hs_time interval)
{
    hs_time over = time % interval;

    over = over < 0 ? over + interval : over;
    if (over == 0) {
        return time;
    }
    return time > HS_TIME_NEVER - 1 - interval ? time : time - over + interval;
}

/* Do jobs wait for a mapping? */
static bool is_wanted(const struct online *self, const struct hs_view *view)
{
    return self->remap ? hs_view_pending_count(view) > 0
                       : self->lists[self->pools.count].first != NONE;
}

/* Is it time to map? */
static bool is_due(struct online *self, const struct hs_view *view)
{
    hs_time now = hs_view_now(view);

    if (!is_wanted(self, view)) {
        self->due_ns = HS_TIME_NEVER;
        return false;
    }
    if (self->interval == 0) {
        return self->has_news && (!self->remap || hs_view_any_fits(view));
    }
    if (self->due_ns == HS_TIME_NEVER) {
        self->due_ns = next_multiple(now, self->interval);
    }
    if (now < self->due_ns) {
        return false;
    }
    self->due_ns = HS_TIME_NEVER;
    return self->has_news;
}

/* With an interval, jobs that wait are mapped again at its next multiple. */
static void await_mapping(struct online *self, const struct hs_view *view, struct hs_plan *plan)
{
    hs_time now = hs_view_now(view);

    if (self->interval == 0 || !is_wanted(self, view)) {
        return;
    }
    if (self->due_ns == HS_TIME_NEVER) {
        self->due_ns = next_multiple(now + 1, self->interval);
    }
    if (self->due_ns > now && self->due_ns != self->asked_ns) {
        self->asked_ns = self->due_ns;
        hs_plan_wake(plan, self->due_ns);
    }
}

/* Maps and starts batch by batch, each behind the last: until all are mapped, or until nobody fits
 * if the mapping lasts only until the next event. So a machine stays idle only if all that wait do
 * better elsewhere. False: no memory. */
static bool map_and_start(struct online *self, const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *job = self->remap ? hs_view_first(view) : NULL;
    bool is_more = true;

    self->has_news = false;
    if (self->remap) {
        empty_queues(self);
    }
    while (is_more) {
        if (!map_batch(self, view, plan, &job)) {
            return false;
        }
        start_queues(self, view, plan);
        is_more = is_full(self) && (!self->remap || self->interval > 0 || hs_view_any_fits(view));
    }
    return true;
}

static void online_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    struct online *self = state;

    if (self->is_starved) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    if (!is_due(self, view)) {
        start_queues(self, view, plan);
    } else if (!map_and_start(self, view, plan)) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    await_mapping(self, view, plan);
}

static void online_fini(void *state)
{
    struct online *self = state;

    hp_batch_fini(&self->problem);
    hp_pools_fini(&self->pools);
    free(self->entries);
    free(self->lists);
    free(self->dirty);
    free(self->failed);
}

static enum hs_err begin(struct online *self, const struct hs_view *view,
                         const struct hp_heuristic *heuristic, struct hs_error *error)
{
    HS_ASSERT(heuristic);
    self->heuristic = heuristic;
    self->problem.aging_ns = self->aging;
    self->due_ns = self->asked_ns = HS_TIME_NEVER;
    if (!hp_pools_init(&self->pools, view) || !hp_batch_init(&self->problem, view, &self->pools)) {
        online_fini(self);
        return hs_error_memory(error);
    }
    self->lists = calloc(self->pools.count + (size_t)1, sizeof *self->lists);
    self->dirty = calloc((self->pools.count + (size_t)63) / 64, sizeof *self->dirty);
    if (!self->lists || !self->dirty) {
        online_fini(self);
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i <= self->pools.count; i++) {
        self->lists[i] = (struct list){NONE, NONE};
    }
    return HS_OK;
}

#define INTERVAL                                                                                   \
    HS_PARAM_TIME(struct online, interval, "0", 0, 1e9,                                            \
                  "jobs are mapped only at multiples of this; 0: at each event")
#define BATCH                                                                                      \
    HS_PARAM_INT(struct online, batch, "256", 0, 1e9, "jobs",                                      \
                 "most jobs that are mapped at once, first come first; the next ones are mapped "  \
                 "behind them; 0: all that wait")
#define BACKFILL                                                                                   \
    HS_PARAM_INT(                                                                                  \
        struct online, backfill, "64", 0, 1e9, "jobs",                                             \
        "so many jobs behind the first of a machine's queue are tried when that does not "         \
        "fit; they start if they do not delay it; 0: strict queues")
#define REMAP(text)                                                                                \
    HS_PARAM_BOOL(struct online, remap, text,                                                      \
                  "jobs that wait are mapped anew (batch mode), or keep their machine once they "  \
                  "are mapped (immediate mode)")

static const struct hs_param immediate_params[] = {INTERVAL, BATCH, BACKFILL, REMAP("false"),
                                                   HS_PARAM_END};
static const struct hs_param batch_params[] = {INTERVAL, BATCH, BACKFILL, REMAP("true"),
                                               HS_PARAM_END};
static const struct hs_param aging_params[] = {
    INTERVAL,
    BATCH,
    BACKFILL,
    REMAP("true"),
    HS_PARAM_TIME(struct online, aging, "0", 0, 1e9,
                  "a job that has waited w counts as 1 + w / aging times as urgent, so that long "
                  "ones do not wait for ever; 0: waiting does not count"),
    HS_PARAM_END};
static const struct hs_param match_params[] = {
    INTERVAL,
    BATCH,
    BACKFILL,
    REMAP("true"),
    HS_PARAM_DOUBLE(struct online, patience, "1", 0, 1e9, "",
                    "how long a job waits for a fast machine, in units of its time on it"),
    HS_PARAM_END};

/* A policy by its heuristic: `id` with underscores, `text` its name. */
#define ONLINE(id, text, about, mode, rule)                                                        \
    static enum hs_err id##_init(void *self, const struct hs_view *view, struct hs_error *error)   \
    {                                                                                              \
        return begin(self, view, rule, error);                                                     \
    }                                                                                              \
    HS_POLICY_DEFINE(id) = {                                                                       \
        HS_POLICY_HEADER,                                                                          \
        .name = text,                                                                              \
        .summary = about,                                                                          \
        .params = mode##_params,                                                                   \
        .state_size = sizeof(struct online),                                                       \
        .init = id##_init,                                                                         \
        .fini = online_fini,                                                                       \
        .notify = online_notify,                                                                   \
        .schedule = online_schedule,                                                               \
    }

ONLINE(olb, "olb", "each job to the machine that is ready first", immediate,
       hp_heuristic_find("olb"));
ONLINE(met, "met", "each job to the machine that computes it fastest, ready or not", immediate,
       hp_heuristic_find("met"));
ONLINE(mct, "mct", "each job to the machine that completes it first", immediate,
       hp_heuristic_find("mct"));
ONLINE(min_min, "min-min", "of all that wait, the job that can complete first goes first", aging,
       hp_heuristic_find("min-min"));
ONLINE(max_min, "max-min", "the job whose first completion is latest goes first", aging,
       hp_heuristic_find("max-min"));
ONLINE(duplex, "duplex", "the better of min-min and max-min, at each mapping", aging,
       hp_heuristic_find("duplex"));
ONLINE(sufferage_iter, "sufferage-iter", "who loses most by its second best machine goes first",
       aging, hp_heuristic_find("sufferage-iter"));
ONLINE(sufferage_pass, "sufferage-pass",
       "in each pass a machine goes to who would lose most without it", aging,
       hp_heuristic_find("sufferage-pass"));
ONLINE(min_standard_deviation, "min-standard-deviation",
       "the job and machine that keep the ready times closest together", batch,
       hp_heuristic_find("min-standard-deviation"));
ONLINE(match, "match", "each job to its fastest machine, unless the wait for it is too long", match,
       &hp_heuristic_match);
ONLINE(balance, "balance", "each job to the machine that then has the least work per slot",
       immediate, &hp_heuristic_balance);
