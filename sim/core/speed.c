/* SPDX-License-Identifier: MIT */
/* speed.c - predictions by speed class, and what they make of an allocation. */
#include "hs/speed.h"

#include "sched_internal.h"

uint32_t hs_view_speed_class_count(const struct hs_view *view)
{
    return view->sched->speeds ? view->sched->speeds->class_count : 1;
}

uint32_t hs_view_speed_class(const struct hs_view *view, uint32_t node)
{
    HS_ASSERT(node < hs_cluster_node_count(view->sched->cluster));
    return view->sched->speeds ? view->sched->speeds->class_of_node[node] : 0;
}

/* What is left of it after a preemption, with the time of the restart. */
static hs_time left_of(const struct hs_sched *sched, const struct hs_job *job, hs_time time)
{
    const int64_t whole = INT64_C(1) << 32;
    hs_time left = (hs_time)(((hs_int128)time * (whole - job->done) + whole - 1) / whole);

    if (!hsi_job_from(sched, job)->was_preempted) {
        return left;
    }
    return left < HS_TIME_NEVER - sched->restart_ns ? left + sched->restart_ns : HS_TIME_NEVER;
}

hs_time hs_view_predict(const struct hs_view *view, const struct hs_job *job, uint32_t speed_class)
{
    const struct hs_speeds *speeds = view->sched->speeds;
    hs_time time;

    if (!speeds) {
        return job->walltime_ns;
    }
    HS_ASSERT(speed_class < speeds->class_count);
    time = speeds->predict(speeds->context, job, speed_class);
    HS_ASSERT(time > 0);
    if (time == HS_TIME_NEVER) {
        return time;
    }
    time = left_of(view->sched, job, time);
    return time < job->walltime_ns ? time : job->walltime_ns;
}

/* Neighbouring nodes are mostly alike: the host is asked once for each run of a class. */
hs_time hsi_speed_expect(const struct hs_sched *sched, const struct hs_job *job)
{
    const struct hs_speeds *speeds = sched->speeds;
    uint32_t last = HSI_NONE;
    hs_time longest = 0;

    for (uint32_t i = 0; i < job->alloc->span_count; i++) {
        const struct hs_span *span = &job->alloc->spans[i];

        for (uint32_t node = span->first_node; node < span->first_node + span->node_count; node++) {
            hs_time time;

            if (speeds->class_of_node[node] == last) {
                continue;
            }
            last = speeds->class_of_node[node];
            time = hs_view_predict(&sched->view, job, last);
            longest = time > longest ? time : longest;
        }
    }
    return longest > 0 && longest < job->walltime_ns ? longest : job->walltime_ns;
}
