/* SPDX-License-Identifier: MIT */
/* start_head.c - start the head of the queue while it fits. */
#include "lib/start_head.h"

const struct hs_job *hp_start_head(const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *job = hs_view_first(view);

    while (job && hs_plan_start(plan, job)) {
        job = hs_view_next(view, job);
    }
    return job;
}
