/* SPDX-License-Identifier: MIT */
/* job.h - a job as the scheduling core and the policies know it.
 *
 * Only what a real scheduler can know is here: the demand, the user's walltime request or
 * what is predicted in its place, who submitted it. The true run time is the host's secret. */
#ifndef HS_JOB_H
#define HS_JOB_H

#include "hs/demand.h"

enum hs_job_state {
    HS_JOB_PENDING,  /* waits */
    HS_JOB_STARTING, /* decided; holds its resources; the host has not confirmed yet */
    HS_JOB_RUNNING,
    HS_JOB_GONE, /* ended; only a policy that kept a pointer for too long sees it */
};

/* Jobs are keyed by (id, submit time), since live systems use ids again. */
struct hs_job_key {
    int64_t id;
    hs_time submit_ns;
};

/* What the host says of a job when it is submitted. */
struct hs_job_spec {
    struct hs_job_key key;
    hs_time walltime_ns; /* > 0: how long it will run as far as orders and rules know: the user's
                            request, or what a predictor says (hs/predict.h), which may be too
                            short. HS_TIME_NEVER: none. At what limit a job is killed is the
                            host's affair: the core kills nothing */
    double priority;     /* a number from the workload; larger is more urgent */
    struct hs_demand demand; /* copied; equal demands are stored once */
    int32_t user;            /* -1: unknown; likewise below */
    int32_t group;
    int32_t queue;
    int32_t job_class;
};

/* A live job: read-only to policies, valid until it ends. Append-only. */
struct hs_job {
    struct hs_job_key key;
    hs_time walltime_ns; /* as in hs_job_spec; changed in proportion by HS_EVENT_EXPECTED; what is
                            left of it, if the job was preempted: see hs_plan_preempt */
    hs_time start_ns;    /* of the decision, once confirmed of the confirmation; -1 while pending */
    hs_time expected_end_ns; /* start + what is predicted on its nodes (speed.h), without speeds
                              * start + walltime, or what the host has said since
                              * (HS_EVENT_EXPECTED); HS_TIME_NEVER if unknown or pending */
    double priority;
    const struct hs_demand *demand; /* shared by all jobs of the same shape */
    const struct hs_alloc *alloc;   /* NULL while pending */
    uint64_t sequence;              /* order of arrival at the core, from 0 */
    uint32_t units;                 /* see hs_view_is_counted */
    uint32_t procs;                 /* processors: tasks x cores per task, rounded up, >= 1 */
    uint32_t slot;  /* dense index among live jobs, used again later: for a policy's own arrays */
    uint32_t shape; /* dense index of the demand */
    enum hs_job_state state;
    int32_t user;
    int32_t group;
    int32_t queue;
    int32_t job_class;
    /* The share of its work that was done before it was last preempted, in units of 2^-32, rounded
     * down; 0: none, or it was never preempted. What it does in this attempt is not in it. */
    uint32_t done;
};

#endif
