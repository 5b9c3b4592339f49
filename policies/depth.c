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

static bool start_planned(const struct hp_profile *profile, struct hs_plan *plan,
                          const struct hs_job *job)
{
    return profile->is_counted ? hs_plan_start(plan, job)
                               : hs_plan_start_on(plan, job, &profile->found.alloc);
}

static void plan_pass(struct depth *self, const struct hs_view *view, struct hs_plan *plan,
                      int64_t limit)
{
    struct hp_profile *profile = &self->profile;
    hs_time now = hs_view_now(view);
    const struct hs_job *job = hp_start_head(view, plan);
    int64_t reserved = 0;

    if (!job || is_full(view)) {
        return;
    }
    if (!hp_profile_begin(profile, view, hs_view_is_counted(view))) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    for (; job && !is_full(view); job = hs_view_next(view, job)) {
        hs_time start;

        if (reserved >= limit && profile->is_counted && job->units > hs_view_free_units(view)) {
            continue; /* it gets no reservation and cannot start */
        }
        start = hp_profile_earliest(profile, view, job, now);
        if (start == HS_TIME_NEVER || (start > now && reserved >= limit)) {
            continue;
        }
        if (!hp_profile_hold(profile, job, &profile->found.alloc, start,
                             hp_time_add(start, job->walltime_ns))) {
            hs_plan_fail(plan, "out of memory");
            return;
        }
        if (start > now) {
            reserved++;
        } else if (!start_planned(profile, plan, job)) {
            hs_plan_fail(plan, "a job planned for now does not fit now");
            return;
        }
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
