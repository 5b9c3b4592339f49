/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace.h - how fast the live jobs of one simulation are: what the core is told of it, and how long
 * a job takes on what it got. Internal to sim/run. */
#ifndef HSIM_RUN_PACE_H
#define HSIM_RUN_PACE_H

#include "hs/sched.h"
#include "run/speeds.h"

struct simulation;

/* What the pace keeps of a live job, in its annex. */
struct pace_job {
    struct speed_job speed;
    hs_time estimate_ns; /* on the reference device: what policies may know */
};

/* Alternatives of a demand, narrowed for a class. */
struct pace_narrowed {
    const struct hs_demand *from; /* of the workload; NULL: the demand itself is no alternative */
    uint32_t count;
    int32_t job_class;
    int64_t row;          /* of a matrix, which may rule out nodes for one job; -1: none */
    struct hs_demand *to; /* owned */
    uint32_t to_count;
};

/* Zeroed: without speeds. */
struct pace {
    struct run_speeds *speeds; /* NULL: without speeds */
    struct hs_speeds told;     /* what the core gets */
    struct pace_job incoming;  /* of the job that is being submitted */
    struct hs_job_key incoming_key;
    bool has_incoming;
    struct pace_narrowed *narrowed;
    size_t narrowed_count, narrowed_room;
};

/* Without speeds (NULL) nothing. `sim` holds the pace. */
void pace_init(struct simulation *sim, struct run_speeds *speeds);
void pace_fini(struct pace *pace);

/* The job is going to be submitted as `spec`: finds its class, keeps its demand away from where it
 * cannot run, and sets the walltime that policies see. *refusal becomes NULL, or why it can run
 * nowhere; lives until the next call. Errors of the class. */
enum hs_err pace_submit(struct simulation *sim, const struct workload_job *job,
                        struct hs_job_spec *spec, const char **refusal,
                        struct hs_error *error) HS_MUST_USE;
/* It was, and lives in `slot` from now on. */
void pace_keep(struct simulation *sim, uint32_t slot);

/* How long the job runs on what it holds; *is_cut becomes true if it is killed then. */
hs_time pace_duration(const struct simulation *sim, const struct hs_job *job, bool *is_cut);

#endif
