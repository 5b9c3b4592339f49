/* SPDX-License-Identifier: MIT */
/* las.c - least attained service: who has had little goes before who has had much.
 *
 * The service of a job is what it has held so far: devices x time, of a job without devices cores x
 * time. By thresholds of service the jobs are in queues; a job sinks to the next queue when it
 * reaches a threshold. A waiting job may preempt running ones of lower queues, the lowest queue and
 * the latest arrival first; jobs of one queue do not preempt each other and start in the order of
 * arrival, and who does not fit is passed over. Short jobs thus end soon, and nobody has to say how
 * long a job takes.
 * Source: discretised two-dimensional least attained service, Gu et al., "Tiresias: a GPU cluster
 * manager for distributed deep learning", NSDI 2019, section 3.2. Other than there, a job that has
 * starved is not promoted, jobs of a queue go by arrival rather than by first start, and a pass is
 * made when a job reaches a threshold instead of at intervals.
 * Cost of a pass: the running jobs, and the waiting ones of the queues that could start. */
#include "hs/policy.h"

#include <stdlib.h>
#include <string.h>

#define FAILED_MAX 64u /* demands of which it is remembered in a pass that they do not fit */

struct victim {
    const struct hs_job *job;
    int64_t level;
};

struct las {
    int64_t queues;
    double threshold;
    double factor;
    hs_time *held_ns;       /* by slot: how long the job held resources before it was preempted */
    struct victim *victims; /* running jobs, who is preempted first in front */
    uint32_t room;          /* slots, of both */
    uint32_t victim_count;
    uint32_t next_victim;        /* those before it are preempted */
    bool is_short;               /* of memory */
    uint32_t failed[FAILED_MAX]; /* shapes that do not fit, whoever is preempted for this queue */
    uint32_t failed_count;
};

static const struct hs_param las_params[] = {
    HS_PARAM_INT(struct las, queues, "2", 1, 16, "queues", "number of queues"),
    HS_PARAM_DOUBLE(struct las, threshold, "3600", 1e-9, 1e12, "device s",
                    "service at which a job leaves the first queue, in seconds x devices (cores "
                    "if it has no devices)"),
    HS_PARAM_DOUBLE(struct las, factor, "8", 1, 1e6, "",
                    "each further threshold is so many times the one before"),
    HS_PARAM_END,
};

/* Devices that the job holds, or cores. */
static double width(const struct hs_job *job)
{
    const struct hs_demand *demand = job->demand;
    double devices = (double)demand->tasks * demand->device_count * demand->device_share / 1000;

    return devices > 0 ? devices : job->procs;
}

/* How long the job may hold resources in all before it leaves the queue `level`. */
static hs_time limit_of(const struct las *self, const struct hs_job *job, int64_t level)
{
    double service = self->threshold;
    double limit_ns;

    if (level >= self->queues - 1) {
        return HS_TIME_NEVER;
    }
    for (int64_t i = 0; i < level; i++) {
        service *= self->factor;
    }
    limit_ns = service / width(job) * 1e9;
    return limit_ns >= 9e18 ? HS_TIME_NEVER : limit_ns < 1 ? 1 : (hs_time)limit_ns;
}

static hs_time held(const struct las *self, const struct hs_job *job, hs_time now)
{
    hs_time before = self->held_ns[job->slot];

    return job->start_ns >= 0 && job->state != HS_JOB_PENDING ? before + (now - job->start_ns)
                                                              : before;
}

static int64_t level_of(const struct las *self, const struct hs_job *job, hs_time now)
{
    hs_time time = held(self, job, now);
    int64_t level = 0;

    while (time >= limit_of(self, job, level)) {
        level++;
    }
    return level;
}

/* Room for all slots; made at events, so that a pass allocates nothing. */
static bool reserve(struct las *self, uint32_t room)
{
    struct victim *victims;
    hs_time *held_ns;

    if (room <= self->room) {
        return true;
    }
    held_ns = realloc(self->held_ns, room * sizeof *held_ns);
    if (!held_ns) {
        return false;
    }
    self->held_ns = held_ns;
    victims = realloc(self->victims, room * sizeof *victims);
    if (!victims) {
        return false;
    }
    self->victims = victims;
    self->room = room;
    return true;
}

static void las_notify(void *state, const struct hs_view *view, const struct hs_event *event)
{
    struct las *self = state;

    if (event->kind != HS_EVENT_SUBMITTED) {
        return;
    }
    if (!reserve(self, hs_view_slot_room(view))) {
        self->is_short = true;
        return;
    }
    self->held_ns[event->job->slot] = 0;
}

/* Is `left` preempted before `right`? */
static bool goes_before(const struct victim *left, const struct victim *right)
{
    return left->level != right->level ? left->level > right->level
                                       : left->job->sequence > right->job->sequence;
}

/* Heap of victims in [0, count), who goes last on top. */
static void sift(struct victim *victims, uint32_t count, uint32_t index)
{
    struct victim moving = victims[index];

    for (;;) {
        uint32_t child = 2 * index + 1;

        if (child >= count) {
            break;
        }
        if (child + 1 < count && goes_before(&victims[child], &victims[child + 1])) {
            child++;
        }
        if (!goes_before(&moving, &victims[child])) {
            break;
        }
        victims[index] = victims[child];
        index = child;
    }
    victims[index] = moving;
}

/* Lists the running jobs in the order in which they are preempted. (qsort would allocate.) */
static void list_victims(struct las *self, const struct hs_view *view)
{
    hs_time now = hs_view_now(view);
    uint32_t running_count;
    const struct hs_job *const *running = hs_view_running(view, &running_count);

    self->victim_count = self->next_victim = 0;
    for (uint32_t i = 0; i < running_count; i++) {
        if (running[i]->state == HS_JOB_RUNNING) {
            self->victims[self->victim_count++] =
                (struct victim){running[i], level_of(self, running[i], now)};
        }
    }
    for (uint32_t i = self->victim_count / 2; i-- > 0;) {
        sift(self->victims, self->victim_count, i);
    }
    for (uint32_t i = self->victim_count; i-- > 1;) {
        struct victim last = self->victims[0];

        self->victims[0] = self->victims[i];
        self->victims[i] = last;
        sift(self->victims, i, 0);
    }
}

static bool preempt_next(struct las *self, struct hs_plan *plan, hs_time now)
{
    const struct hs_job *victim = self->victims[self->next_victim].job;
    hs_time length = now - victim->start_ns;

    if (!hs_plan_preempt(plan, victim)) {
        return false; /* out of memory: the plan has failed */
    }
    self->held_ns[victim->slot] += length;
    self->next_victim++;
    return true;
}

/* Takes back the preemptions from `first` on. */
static void spare(struct las *self, struct hs_plan *plan, hs_time now, size_t mark, uint32_t first)
{
    hs_plan_undo(plan, mark);
    while (self->next_victim > first) {
        const struct hs_job *victim = self->victims[--self->next_victim].job;

        self->held_ns[victim->slot] -= now - victim->start_ns;
    }
}

/* Preempts jobs of queues below `level` until `job` fits, or nobody if that does not help. */
static bool make_room(struct las *self, struct hs_plan *plan, const struct hs_job *job,
                      int64_t level, hs_time now)
{
    uint32_t first = self->next_victim;
    uint32_t end;
    size_t mark = hs_plan_mark(plan);
    struct victim last;
    bool is_done = false;

    while (!is_done && self->next_victim < self->victim_count &&
           self->victims[self->next_victim].level > level) {
        if (!preempt_next(self, plan, now)) {
            return false;
        }
        is_done = hs_plan_start(plan, job);
    }
    if (!is_done || self->next_victim == first + 1) {
        if (!is_done) {
            spare(self, plan, now, mark, first);
        }
        return is_done;
    }
    end = self->next_victim;
    /* It did not fit before the last one was preempted; perhaps not all before are needed. */
    last = self->victims[self->next_victim - 1];
    memmove(&self->victims[first + 1], &self->victims[first],
            (self->next_victim - 1 - first) * sizeof last);
    self->victims[first] = last;
    spare(self, plan, now, mark, first);
    for (uint32_t i = first; i < end && preempt_next(self, plan, now); i++) {
        if (hs_plan_start(plan, job)) {
            return true;
        }
    }
    return false; /* out of memory: all of them were enough before */
}

static bool has_failed(const struct las *self, const struct hs_job *job)
{
    for (uint32_t i = 0; i < self->failed_count; i++) {
        if (self->failed[i] == job->shape) {
            return true;
        }
    }
    return false;
}

/* Starts what it can of a queue, in the order of arrival. False: nothing more can start at all. */
static bool serve(struct las *self, const struct hs_view *view, struct hs_plan *plan, int64_t level)
{
    hs_time now = hs_view_now(view);

    self->failed_count = 0;
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        bool can_preempt = self->next_victim < self->victim_count &&
                           self->victims[self->next_victim].level > level;

        if (!can_preempt && !hs_view_any_fits(view)) {
            return self->next_victim < self->victim_count;
        }
        if (level_of(self, job, now) != level || has_failed(self, job) ||
            hs_plan_start(plan, job)) {
            continue;
        }
        if (!(can_preempt && make_room(self, plan, job, level, now)) &&
            self->failed_count < FAILED_MAX) {
            self->failed[self->failed_count++] = job->shape;
        }
    }
    return true;
}

/* The next time at which a running job sinks. */
static void wake(const struct las *self, const struct hs_view *view, struct hs_plan *plan)
{
    hs_time now = hs_view_now(view);
    hs_time first = HS_TIME_NEVER;
    hs_time time;
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    for (uint32_t i = 0; i < count; i++) {
        hs_time so_far = held(self, running[i], now);
        hs_time limit = limit_of(self, running[i], level_of(self, running[i], now));

        if (limit != HS_TIME_NEVER && limit - so_far < first) {
            first = limit - so_far;
        }
    }
    if (first != HS_TIME_NEVER && !__builtin_add_overflow(now, first, &time)) {
        hs_plan_wake(plan, time);
    }
}

static void las_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    struct las *self = state;

    if (self->is_short) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    if (!hs_view_first(view)) {
        return;
    }
    list_victims(self, view);
    for (int64_t level = 0; level < self->queues && serve(self, view, plan, level); level++) {
    }
    if (hs_view_first(view)) {
        wake(self, view, plan);
    }
}

static void las_fini(void *state)
{
    struct las *self = state;

    free(self->held_ns);
    free(self->victims);
}

HS_POLICY_DEFINE(las) = {
    HS_POLICY_HEADER,
    .name = "las",
    .summary = "least attained service (Tiresias): preempts who has had more than a threshold",
    .params = las_params,
    .state_size = sizeof(struct las),
    .notify = las_notify,
    .fini = las_fini,
    .schedule = las_schedule,
    .flags = HS_POLICY_PREEMPTS,
};
