/* SPDX-License-Identifier: MIT */
/* conservative.c - conservative backfilling: every job keeps the reservation it was given.
 *
 * A new job is planned at its earliest start that delays nobody. A job that ends before its
 * expected end frees the rest of its time; then one compression pass in queue order takes each
 * reservation out and puts it back at the earliest start, which is never later. The order of the
 * queue matters for compression and for simultaneous arrivals only.
 * Where jobs outlive what they were expected to run (their requests, or predictions that the host
 * corrects) or a promised start passes without a pass (the scheduler works in cycles, starts take a
 * while), promises cannot be kept: all is planned anew. So it is when a node leaves or comes back.
 * Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001, section 2.2. */
#include <stdlib.h>
#include <string.h>

#include "lib/profile.h"
#include "lib/seconds.h"

/* What the profile holds for a job, waiting or running. */
struct hold {
    hs_time from_ns;
    hs_time to_ns; /* from_ns == to_ns: nothing */
    int64_t units; /* that are free again at its end */
};

struct conservative {
    struct hp_profile profile;
    struct hold *holds;  /* by slot */
    hs_time next_ns;     /* no promised start of the last pass lies before it */
    int64_t total_units; /* counted: of the machine, in the unit that the profile counts */
    uint32_t room;
    bool is_begun; /* the profile is valid */
    bool is_freed; /* a job has ended or was cancelled since the last pass */
    bool is_out_of_memory;
};

static bool reserve_slots(struct conservative *self, const struct hs_view *view)
{
    uint32_t room = hs_view_slot_room(view);
    struct hold *moved;

    if (room <= self->room) {
        return true;
    }
    moved = realloc(self->holds, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    memset(&moved[self->room], 0, (room - self->room) * sizeof *moved);
    self->holds = moved;
    self->room = room;
    return true;
}

static bool has_hold(const struct hold *hold)
{
    return hold->from_ns < hold->to_ns;
}

static bool drop(struct conservative *self, const struct hs_job *job, hs_time from)
{
    struct hold *hold = &self->holds[job->slot];
    hs_time begin = from > hold->from_ns ? from : hold->from_ns;
    bool is_done = true;

    if (has_hold(hold) && begin < hold->to_ns) {
        is_done = hp_profile_release(&self->profile, job, hold->units, begin, hold->to_ns);
    }
    hold->from_ns = hold->to_ns = 0;
    return is_done;
}

/* Gives the waiting job the earliest start from now on. */
static bool plan_job(struct conservative *self, const struct hs_view *view,
                     const struct hs_job *job)
{
    struct hold *hold = &self->holds[job->slot];
    hs_time start;

    if (!hp_profile_earliest(&self->profile, view, job, &start)) {
        return false;
    }
    if (start == HS_TIME_NEVER) {
        return true; /* behind a job without a known end: no promise yet */
    }
    hold->from_ns = start;
    hold->to_ns = hp_time_add(start, job->walltime_ns);
    hold->units = job->units;
    return hp_profile_hold(&self->profile, job, &self->profile.timeline.found.alloc, start,
                           hold->to_ns);
}

/* Does a running job outlive its request, so that the profile is wrong about it? */
static bool has_overrun(const struct hs_view *view)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    return count && running[0]->expected_end_ns <= hs_view_now(view);
}

/* Has a promised start gone by without a pass, so that the profile holds room in the past? */
static bool has_missed(const struct conservative *self, const struct hs_view *view)
{
    hs_time now = hs_view_now(view);

    if (self->next_ns >= now) {
        return false;
    }
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        if (has_hold(&self->holds[job->slot]) && self->holds[job->slot].from_ns < now) {
            return true;
        }
    }
    return false; /* the one that was to start then has been cancelled */
}

/* The profile from the running jobs alone; every reservation is forgotten. */
static bool begin(struct conservative *self, const struct hs_view *view, bool is_counted)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    if (!hp_profile_begin(&self->profile, view, is_counted)) {
        return false;
    }
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        self->holds[job->slot].from_ns = self->holds[job->slot].to_ns = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct hold *hold = &self->holds[running[i]->slot];
        hs_time now = hs_view_now(view);

        hold->from_ns = now;
        hold->to_ns = running[i]->expected_end_ns > now ? running[i]->expected_end_ns : now + 1;
        hold->units = hs_view_units_back(view, running[i]);
    }
    self->total_units = is_counted ? hs_view_total_units(view) : 0;
    self->is_begun = true;
    return true;
}

/* The unit that jobs are counted in changes only when all jobs of the old one have gone. The
 * profile is flat then, and wrong if the machine is a different number of the new ones. */
static bool has_other_unit(const struct conservative *self, const struct hs_view *view)
{
    return self->profile.is_counted && self->total_units != hs_view_total_units(view);
}

/* Takes each reservation out and puts it back at the earliest start, in queue order. */
static bool compress(struct conservative *self, const struct hs_view *view)
{
    hs_time now = hs_view_now(view);

    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        struct hold *hold = &self->holds[job->slot];

        if (!has_hold(hold) || hold->from_ns == now) {
            continue; /* a new job, or one that cannot be earlier */
        }
        if (!drop(self, job, now) || !plan_job(self, view, job)) {
            return false;
        }
    }
    return true;
}

static bool plan_all(struct conservative *self, const struct hs_view *view)
{
    bool is_counted = hs_view_is_counted(view) && (!self->is_begun || self->profile.is_counted);

    if (!reserve_slots(self, view) ||
        (!is_counted && !hp_timeline_reserve(&self->profile.timeline, view))) {
        return false;
    }
    if (!self->is_begun || is_counted != self->profile.is_counted || has_other_unit(self, view) ||
        has_overrun(view) || has_missed(self, view)) {
        if (!begin(self, view, is_counted)) {
            return false;
        }
    } else {
        hp_profile_advance(&self->profile, hs_view_now(view));
        if (self->is_freed && !compress(self, view)) {
            return false;
        }
    }
    self->is_freed = false;
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        if (!has_hold(&self->holds[job->slot]) && !plan_job(self, view, job)) {
            return false;
        }
    }
    return true;
}

/* The job is expected to end at another time. Earlier, it frees the rest of its time, as if it had
 * ended then; later, it takes what may have been promised to others. */
static bool expect(struct conservative *self, const struct hs_job *job)
{
    struct hold *hold = &self->holds[job->slot];
    hs_time held_to = hold->to_ns;

    if (!self->is_begun || job->expected_end_ns == held_to) {
        return true;
    }
    hold->to_ns = job->expected_end_ns;
    if (job->expected_end_ns > held_to) {
        self->is_begun = false;
        return true;
    }
    self->is_freed = true;
    return hp_profile_release(&self->profile, job, hold->units, job->expected_end_ns, held_to);
}

/* Starts a job whose reservation begins now. On fast nodes it is expected to end before that of its
 * walltime does; the next pass gives the rest to others. */
static bool start(struct conservative *self, struct hs_plan *plan, const struct hs_job *job)
{
    const struct hp_booking *booking;

    if (self->profile.is_counted) {
        if (!hs_plan_start(plan, job)) {
            return false;
        }
    } else {
        booking = hp_timeline_find(&self->profile.timeline, job);
        HS_ASSERT(booking);
        if (!hs_plan_start_on(plan, job, &booking->alloc)) {
            return false;
        }
        hp_profile_started(&self->profile, job);
    }
    self->is_out_of_memory |= !expect(self, job); /* the next pass says so */
    return true;
}

static void conservative_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    struct conservative *self = state;
    hs_time now = hs_view_now(view);

    if (self->is_out_of_memory || !plan_all(self, view)) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    self->next_ns = HS_TIME_NEVER;
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        struct hold *hold = &self->holds[job->slot];

        if (!has_hold(hold) || hold->from_ns > now) {
            if (has_hold(hold) && hold->from_ns < self->next_ns) {
                self->next_ns = hold->from_ns;
            }
            continue;
        }
        if (!start(self, plan, job)) {
            hs_plan_fail(plan, "a reservation for now does not fit now");
            return;
        }
    }
}

/* Has the job held its resources beyond what the profile knows? A job that could not be started has
 * no expected end any more. */
static bool outlived(const struct hold *hold, const struct hs_job *job, hs_time now)
{
    return job->expected_end_ns < now || (has_hold(hold) && hold->to_ns < now);
}

static void conservative_notify(void *state, const struct hs_view *view,
                                const struct hs_event *event)
{
    struct conservative *self = state;
    const struct hs_job *job = event->job;
    bool is_done = true;

    if (!reserve_slots(self, view)) {
        self->is_out_of_memory = true;
        return;
    }
    switch (event->kind) {
    case HS_EVENT_SUBMITTED:
        self->holds[job->slot].from_ns = self->holds[job->slot].to_ns = 0;
        break;
    case HS_EVENT_STARTED: /* later than decided: it holds its resources longer */
        if (self->is_begun && job->expected_end_ns > self->holds[job->slot].to_ns) {
            struct hold *hold = &self->holds[job->slot];

            /* The profile may be short here; what it took is planned anew. */
            self->is_begun = false;
            hold->to_ns = job->expected_end_ns;
        }
        break;
    case HS_EVENT_START_FAILED:
    case HS_EVENT_FINISHED:
    case HS_EVENT_CANCELLED:
        if (self->is_begun && outlived(&self->holds[job->slot], job, hs_view_now(view))) {
            self->is_begun = false; /* starts promised for its expected end have passed */
        } else if (self->is_begun) {
            is_done = drop(self, job, hs_view_now(view));
        }
        self->is_freed = true;
        break;
    case HS_EVENT_NODE:
        self->is_begun = false;
        break;
    case HS_EVENT_EXPECTED:
        is_done = expect(self, job);
        break;
    case HS_EVENT_TIMER:
        break;
    }
    self->is_out_of_memory |= !is_done;
}

static void conservative_fini(void *state)
{
    struct conservative *self = state;

    free(self->holds);
    hp_profile_fini(&self->profile);
}

HS_RESERVE_DEFINE(conservative) = {
    HS_RESERVE_HEADER,
    .name = "conservative",
    .summary = "every job keeps its reservation; compression when a job ends early",
    .state_size = sizeof(struct conservative),
    .fini = conservative_fini,
    .notify = conservative_notify,
    .schedule = conservative_schedule,
};
