/* SPDX-License-Identifier: MIT */
/* predict.h - predictors of run times: the fifth kind of plug-in, beside those of hs/policy.h.
 *
 * Before a job is submitted the host asks the predictor of the stack how long it will run, and
 * hands the answer to the core as hs_job_spec.walltime_ns: orders and reservation rules then go by
 * it. The user's request stays the limit at which the host kills. When a job outlives its
 * prediction the host corrects it (hs_predict_corrected, HS_EVENT_EXPECTED), and when it has ended
 * the predictor learns how long it ran.
 *
 * Source of the scheme: Tsafrir, Etsion and Feitelson, "Backfilling using system-generated
 * predictions rather than user runtime estimates", IEEE TPDS 18(6), 2007. */
#ifndef HS_PREDICT_H
#define HS_PREDICT_H

#include "hs/demand.h"
#include "hs/param.h"

/* A job that is to run, or has run. Borrowed for the call. Append-only. */
struct hs_predict_question {
    uint64_t number;    /* of the job, the same under every policy: what `draw` is keyed by */
    hs_time now_ns;     /* submission; for learn: the end */
    hs_time request_ns; /* of the user, > 0; HS_TIME_NEVER: none */
    hs_time truth_ns;   /* how long it will run, if the host knows (a simulator); else -1 */
    double draw;        /* in [0, 1): a random number of the job; set by the core */
    const struct hs_demand *demand;
    int64_t procs; /* tasks x cores per task, rounded up, >= 1 */
    int32_t user;  /* -1: unknown; likewise below */
    int32_t group;
    int32_t queue;
    int32_t job_class;
    int32_t speed_class; /* of the nodes, where they differ in speed; -1: not known yet, or alike */
    const char *model;   /* of the device or node that governs the speed; NULL likewise */
};

/* How a job has run. Append-only. */
struct hs_predict_run {
    hs_time run_ns; /* from its start to its end, >= 0 */
    bool is_killed; /* at its limit: it would have run longer */
};

enum hs_predict_flag {
    HS_PREDICT_REQUEST = 1u, /* the answer is always the request: the host need not ask */
    HS_PREDICT_TRUTH = 2u,   /* reads truth_ns: what no real scheduler knows; logs say so */
};

#define HS_PREDICT_HEADER .abi = HS_ABI, .size = sizeof(struct hs_predictor)

/* Pure, as all plug-ins: the answer depends on the question and on what was learned before. */
struct hs_predictor {
    uint32_t abi, size; /* HS_PREDICT_HEADER */
    const char *name;
    const char *summary;
    const struct hs_param *params;
    size_t state_size;
    enum hs_err (*init)(void *self, struct hs_error *error); /* may be NULL, likewise fini, learn */
    void (*fini)(void *self);
    /* How long the job will run, in ns. Less than 1 counts as 1; HS_TIME_NEVER: no idea. */
    hs_time (*predict)(void *self, const struct hs_predict_question *question);
    /* Told of every job that ended by itself or at its limit, in order of the ends; not of those
     * that their user cancelled. False: no memory. */
    bool (*learn)(void *self, const struct hs_predict_question *question,
                  const struct hs_predict_run *run);
    uint32_t flags; /* enum hs_predict_flag */
};

#define HS_PREDICT_DEFINE(id)                                                                      \
    extern const struct hs_predictor hs_predictor_##id;                                            \
    const struct hs_predictor hs_predictor_##id

/* The shorter of both, where HS_TIME_NEVER is infinity. */
static inline hs_time hs_predict_within(hs_time prediction_ns, hs_time request_ns)
{
    return prediction_ns < request_ns ? prediction_ns : request_ns;
}

/* How long a job is taken to run in all once it has outlived `outlived_ns`, the last answer to that
 * question, for the time number `corrections` + 1: so much more by the steps 1, 5, 15 and 30
 * minutes, 1, 2, 5, 10, 20, 50 and 100 hours, then by 100 hours again and again; never more than
 * `request_ns`. A job at or beyond its request is not corrected: the answer is `outlived_ns`.
 * Source: the same paper. */
hs_time hs_predict_corrected(hs_time outlived_ns, uint32_t corrections, hs_time request_ns);

#endif
