/* SPDX-License-Identifier: MIT */
/* seconds.h - nanoseconds as the double-precision seconds in which orders compute their keys. */
#ifndef HP_SECONDS_H
#define HP_SECONDS_H

#include "hs/policy.h"

/* Whole seconds convert exactly, also beyond 2^53 ns (104 days). */
static inline double hp_seconds(hs_time time_ns)
{
    return (double)(time_ns / HS_NS_PER_S) + (double)(time_ns % HS_NS_PER_S) / 1e9;
}

/* The walltime request of a job as orders see it: at least one second. */
static inline double hp_request_s(const struct hs_job *job)
{
    double seconds = hp_seconds(job->walltime_ns);

    return seconds < 1.0 ? 1.0 : seconds;
}

/* How long the job has waited since its submission. */
static inline double hp_waited_s(const struct hs_view *view, const struct hs_job *job)
{
    return hp_seconds(hs_view_now(view) - job->key.submit_ns);
}

/* a + b, where HS_TIME_NEVER is infinity. */
static inline hs_time hp_time_add(hs_time a, hs_time b)
{
    bool is_never = a == HS_TIME_NEVER || b == HS_TIME_NEVER || (b > 0 && a >= HS_TIME_NEVER - b);

    return is_never ? HS_TIME_NEVER : a + b;
}

#endif
