/* SPDX-License-Identifier: MIT */
/* history.h - when jobs started before, for a policy that repeats a schedule.
 *
 * The host of a replay may know when each job started in the trace. A policy that asks for it says
 * so by HS_POLICY_REPLAYS, and then sees it by hs_view_recorded_start. It is no prediction: no live
 * system knows it. */
#ifndef HS_HISTORY_H
#define HS_HISTORY_H

#include "hs/job.h"

struct hs_view;

/* What the host knows; borrowed by hs_sched_options. Append-only. */
struct hs_history {
    /* The recorded start of a live job on the clock of the core; HS_TIME_NEVER: none is known. Not
     * asked before the submission has been answered. */
    hs_time (*start)(const void *context, const struct hs_job *job);
    const void *context; /* handed to start */
};

/* hs_history.start of a live job, once a pass has come since its submission; without a history
 * HS_TIME_NEVER. Cost: one call of the host. */
hs_time hs_view_recorded_start(const struct hs_view *view, const struct hs_job *job);

#endif
