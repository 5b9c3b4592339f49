/* SPDX-License-Identifier: MIT */
/* simple.c - reservation rules without a reservation: none, first-fit and drop.
 *
 * `none` is the strict queue of the classical list policies. `first-fit` starts whatever fits, in
 * the order of the queue; wide jobs may starve. Source: Feitelson, Rudolph and Schwiegelshohn,
 * "Parallel job scheduling - a status report", JSSPP 2004, section 2. `drop` is the loss system of
 * queueing theory, and how placement alone is compared (Weng et al., USENIX ATC 2023). */
#include "lib/start_head.h"

static void none_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self;
    (void)hp_start_head(view, plan);
}

/* Whoever fits starts, however long it takes. */
static hs_time fit_limit(const void *context, int64_t units, const struct hs_demand *demand)
{
    const struct hs_view *view = context;

    (void)units;
    return hs_view_is_counted(view) || hs_view_fits(view, demand) ? HS_TIME_NEVER : -1;
}

static void first_fit_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *job;

    (void)self;
    hs_view_scan_begin(view, fit_limit, view);
    while ((!hs_view_is_counted(view) || hs_view_free_units(view) > 0) &&
           (job = hs_view_scan_next(view))) {
        (void)hs_plan_start(plan, job);
    }
}

static void drop_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *next;

    (void)self;
    for (const struct hs_job *job = hs_view_first(view); job; job = next) {
        bool is_started = hs_plan_start(plan, job);

        next = hs_view_next(view, job);
        if (!is_started && !hs_plan_reject(plan, job, "it did not fit when it came")) {
            return;
        }
    }
}

HS_RESERVE_DEFINE(drop) = {
    HS_RESERVE_HEADER,
    .name = "drop",
    .summary = "a job that does not fit when it comes is rejected: a system without a queue",
    .schedule = drop_schedule,
};

HS_RESERVE_DEFINE(none) = {
    HS_RESERVE_HEADER,
    .name = "none",
    .summary = "strict order: the first job that does not fit blocks the rest",
    .schedule = none_schedule,
};

HS_RESERVE_DEFINE(first_fit) = {
    HS_RESERVE_HEADER,
    .name = "first-fit",
    .summary = "every job that fits starts; nobody is protected from starving",
    .schedule = first_fit_schedule,
};
