/* SPDX-License-Identifier: MIT */
/* depth.c - backfilling with several reservations, planned anew in each pass.
 *
 * Jobs are planned in queue order at their earliest start. Those planned for now start; of the
 * others the first k keep their place in the profile for the rest of the pass, so that nobody
 * behind delays them. k = 1 decides as EASY does; conservative-rebuilt gives everyone a place,
 * but since plans are not kept from pass to pass a job may start later than once promised.
 * Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; depth as in Maui's RESERVATIONDEPTH:
 * Jackson, Snell and Clement, "Core algorithms of the Maui scheduler", JSSPP 2001. */
#include "lib/profile.h"
#include "lib/seconds.h"
#include "lib/start_head.h"

struct depth {
    struct hp_profile profile;
    int64_t k;
};

/* Nothing is free now: nobody starts, whatever is planned. */
static bool is_full(const struct hs_view *view)
{
    return hs_view_is_counted(view) && hs_view_free_units(view) == 0;
}

/* Takes the planned job's place in the profile, or starts it if that is now: then it holds its
 * place until its expected end, which on fast nodes comes before that of its walltime. */
static bool settle(struct depth *self, struct hs_plan *plan, const struct hs_job *job, hs_time now,
                   hs_time start)
{
    struct hp_profile *profile = &self->profile;
    bool is_counted = profile->is_counted;
    hs_time end = hp_time_add(start, job->walltime_ns);

    if (start == now) {
        if (!(is_counted ? hs_plan_start(plan, job)
                         : hs_plan_start_on(plan, job, &profile->timeline.found.alloc))) {
            hs_plan_fail(plan, "a job planned for now does not fit now");
            return false;
        }
        end = job->expected_end_ns;
    }
    if ((start > now || is_counted) &&
        !hp_profile_hold(profile, job, &profile->timeline.found.alloc, start, end)) {
        hs_plan_fail(plan, "out of memory");
        return false;
    }
    return true;
}

/* False: no memory, and the plan has failed. */
static bool earliest(struct depth *self, const struct hs_view *view, struct hs_plan *plan,
                     const struct hs_job *job, hs_time *start)
{
    if (hp_profile_earliest(&self->profile, view, job, start)) {
        return true;
    }
    hs_plan_fail(plan, "out of memory");
    return false;
}

/* Behind the last reservation: who fits now for all of its walltime starts. */
static void backfill(struct depth *self, const struct hs_view *view, struct hs_plan *plan,
                     const struct hs_job *job)
{
    struct hp_profile *profile = &self->profile;
    hs_time now = hs_view_now(view);

    if (profile->is_counted) {
        /* Who was reserved does not fit now, so the scan passes over it. */
        hs_view_scan_begin(view, hp_profile_limit, profile);
        while (!is_full(view) && (job = hs_view_scan_next(view))) {
            if (!settle(self, plan, job, now, now)) {
                return;
            }
        }
        return;
    }
    for (; job; job = hs_view_next(view, job)) {
        hs_time start;

        if (!earliest(self, view, plan, job, &start) ||
            (start == now && !settle(self, plan, job, now, start))) {
            return;
        }
    }
}

static void plan_pass(struct depth *self, const struct hs_view *view, struct hs_plan *plan,
                      int64_t limit)
{
    struct hp_profile *profile = &self->profile;
    hs_time now = hs_view_now(view);
    const struct hs_job *job = hp_start_head(view, plan);

    if (!job || is_full(view)) {
        return;
    }
    if (!hp_profile_begin(profile, view, hs_view_is_counted(view))) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    for (int64_t reserved = 0; job && reserved < limit; job = hs_view_next(view, job)) {
        hs_time start;

        if (is_full(view)) {
            return;
        }
        if (!earliest(self, view, plan, job, &start)) {
            return;
        }
        if (start != HS_TIME_NEVER) {
            if (!settle(self, plan, job, now, start)) {
                return;
            }
            reserved += start > now;
        }
    }
    if (job) {
        backfill(self, view, plan, job);
    }
}

static void depth_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    plan_pass(self, view, plan, ((struct depth *)self)->k);
}

static void rebuilt_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    plan_pass(self, view, plan, INT64_MAX);
}

static void depth_fini(void *self)
{
    hp_profile_fini(&((struct depth *)self)->profile);
}

static const struct hs_param depth_params[] = {
    HS_PARAM_INT(struct depth, k, "8", 1, 1e9, "jobs", "how many blocked jobs get a reservation"),
    HS_PARAM_END,
};

HS_RESERVE_DEFINE(depth) = {
    HS_RESERVE_HEADER,
    .name = "depth",
    .summary = "the first k blocked jobs get reservations, planned anew in each pass",
    .params = depth_params,
    .state_size = sizeof(struct depth),
    .fini = depth_fini,
    .schedule = depth_schedule,
};

HS_RESERVE_DEFINE(conservative_rebuilt) = {
    HS_RESERVE_HEADER,
    .name = "conservative-rebuilt",
    .summary = "every job gets a reservation, planned anew in queue order in each pass",
    .state_size = sizeof(struct depth),
    .fini = depth_fini,
    .schedule = rebuilt_schedule,
};
