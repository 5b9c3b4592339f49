/* SPDX-License-Identifier: MIT */
/* fcfs.c - first come, first served.
 *
 * Starts jobs in arrival order and stops at the first that does not fit now, so a wide job at the
 * head blocks all behind it. The baseline of every study, and the smallest whole policy.
 * Source: folklore; analysed for parallel jobs by Schwiegelshohn and Yahyapour, SODA 1998. */
#include "hs/policy.h"

static void fcfs_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self; /* FCFS keeps no state and has no parameters. */

    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        /* Takes resources for the job, or changes nothing and returns false. */
        if (!hs_plan_start(plan, job)) {
            break;
        }
    }
}

HS_POLICY_DEFINE(fcfs) = {
    HS_POLICY_HEADER,
    .name = "fcfs",
    .summary = "arrival order; the head of the queue blocks the rest",
    .schedule = fcfs_schedule,
};
