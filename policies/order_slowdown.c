/* SPDX-License-Identifier: MIT */
/* order_slowdown.c - orders that weigh the waiting time against the request; they change with time.
 *
 * r is the requested walltime in seconds (at least 1), n the processors, w the seconds waited.
 * Sources: Tang, Lan, Desai and Buettner, "Fault-aware, utility-based job scheduling on Blue Gene/P
 * systems", CLUSTER 2009 (wfp3, unicef); Srinivasan, Kettimuthu, Subramani and Sadayappan,
 * "Characterization of backfilling strategies for parallel job scheduling", ICPP Workshops 2002
 * (expansion factor). */
#include <math.h>

#include "lib/seconds.h"

static double wfp3_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    double x = hp_waited_s(view, job) / hp_request_s(job);

    (void)self;
    return -(x * x * x * (double)job->procs);
}

/* As other simulators have it: log2(1 + 1e-15) makes the priority of a serial job about 6e14 times
 * larger, so serial jobs go first. */
static double unicep_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    return -(hp_waited_s(view, job) + 1e-15) /
           (log2((double)job->procs + 1e-15) * hp_request_s(job));
}

static double unicef_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    double n = job->procs < 2 ? 2.0 : (double)job->procs;

    (void)self;
    return -(hp_waited_s(view, job) + 1e-15) / (log2(n) * hp_request_s(job));
}

static double expansion_factor_key(const void *self, const struct hs_view *view,
                                   const struct hs_job *job)
{
    double r = hp_request_s(job);

    (void)self;
    return -(hp_waited_s(view, job) + r) / r;
}

/* Each key sorts as -(w + offset) / c; here are the c. */
static double wfp3_rate(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return hp_request_s(job) / cbrt((double)job->procs);
}

static double unicep_rate(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return log2((double)job->procs + 1e-15) * hp_request_s(job);
}

static double unicef_rate(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return log2(job->procs < 2 ? 2.0 : (double)job->procs) * hp_request_s(job);
}

static double expansion_factor_rate(const void *self, const struct hs_view *view,
                                    const struct hs_job *job)
{
    (void)self;
    (void)view;
    return hp_request_s(job);
}

HS_ORDER_DEFINE(wfp3) = {
    HS_ORDER_HEADER, .name = "wfp3",    .summary = "large old jobs first: -(w/r)^3 n",
    .key = wfp3_key, .rate = wfp3_rate, .is_time_varying = true,
};

HS_ORDER_DEFINE(unicep) = {
    HS_ORDER_HEADER,
    .name = "unicep",
    .summary = "old small jobs first: -w / (log2(n) r), serial jobs before all others",
    .key = unicep_key,
    .is_time_varying = true,
    .rate = unicep_rate,
    .rate_offset = 1e-15,
};

HS_ORDER_DEFINE(unicef) = {
    HS_ORDER_HEADER,
    .name = "unicef",
    .summary = "old small jobs first: -(w + 1e-15) / (log2(max(n, 2)) r)",
    .key = unicef_key,
    .is_time_varying = true,
    .rate = unicef_rate,
    .rate_offset = 1e-15,
};

HS_ORDER_DEFINE(expansion_factor) = {
    HS_ORDER_HEADER,
    .name = "expansion-factor",
    .summary = "largest expected slowdown first: -(w + r)/r",
    .key = expansion_factor_key,
    .is_time_varying = true,
    .rate = expansion_factor_rate,
};
