/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_naive.h - the reference of the model test: a second simulator, as naive as can be.
 *
 * Jobs take `width` units of nodes with some units each, left-most first. Every question is
 * answered by a scan of everything; nothing is kept that can be computed anew, but for the
 * reservations of the conservative rule, whose point is that they are kept. It shares no code with
 * the core or the policies and follows their documentation only. */
#ifndef HSIM_TESTS_MODEL_NAIVE_H
#define HSIM_TESTS_MODEL_NAIVE_H

#include "model_case.h"
#include "vector.h"

enum naive_state { NAIVE_FUTURE, NAIVE_WAITING, NAIVE_HOLDING, NAIVE_GONE };

/* What the naive simulator keeps where nodes have devices: certain nodes and devices, not units. */
struct naive_vector {
    struct vector_state free;
    struct vector_alloc *held; /* by job */
    struct vector_alloc *plan; /* waiting: where, as plan_ns says when */
    /* The reservation of EASY, which holds while nothing ends and nobody else starts. */
    bool is_kept;
    uint32_t head;
    hs_time shadow_ns;
    struct vector_state later; /* free at the shadow time beside the head */
};

struct naive {
    const struct model_case *model;
    struct model_outcome *outcome;
    hs_time now;
    enum naive_state state[MODEL_JOBS_MAX];
    bool is_failing[MODEL_JOBS_MAX]; /* holding: the start will turn out to have failed */
    hs_time end_ns[MODEL_JOBS_MAX];  /* holding: when it ends or turns out to have failed */
    hs_time plan_ns[MODEL_JOBS_MAX]; /* waiting, conservative: reserved start */
    uint32_t plan_tasks[MODEL_JOBS_MAX][MODEL_NODES_MAX]; /* where, if the case is placed */
    hs_time expected_ns[MODEL_JOBS_MAX];  /* holding: as corrected; MODEL_NO_TIME: it was not */
    uint32_t corrections[MODEL_JOBS_MAX]; /* holding: so far */
    hs_time confirm_ns[MODEL_JOBS_MAX];  /* holding: when it really starts; MODEL_NO_TIME: it has */
    bool is_cancel_past[MODEL_JOBS_MAX]; /* its cancellation is over */
    bool is_freed;                       /* somebody has gone since the last pass */
    bool is_shortened; /* in this pass somebody got nodes on which it ends before its request */
    bool is_late; /* since the last pass somebody has gone after the expected end, started late, or
                     is expected to end later than before */
    uint32_t free[MODEL_NODES_MAX];   /* units, now; on a node that is away none */
    uint32_t hidden[MODEL_NODES_MAX]; /* units that are free on it when it is back */
    bool is_away[MODEL_NODES_MAX];
    uint32_t next_change;
    struct naive_vector *vector;    /* NULL: no devices */
    uint32_t queue[MODEL_JOBS_MAX]; /* the waiting jobs of the pass, in order */
    uint32_t queue_count;
};

/* Runs the whole case. */
void naive_run(const struct model_case *model, struct model_outcome *outcome);

/* The key of job `job` under the case's order at the time of `naive` (model_naive_order.c). */
double naive_key(const struct naive *naive, uint32_t job);

/* One pass of the case's rule over naive->queue (model_naive_rule.c). */
void naive_pass(struct naive *naive);

/* The rules that plan ahead (model_naive_plan.c). */
void naive_pass_depth(struct naive *naive, uint32_t depth);
void naive_pass_conservative(struct naive *naive);

/* A job fits at no time: that is wrong unless a node is away, since the empty machine takes it. */
void naive_plan_never(const struct naive *naive);

/* The span of time in which a job holds what it has or plans; false: it does neither. */
bool naive_span(const struct naive *naive, uint32_t job, hs_time *from, hs_time *to);

/* The same where nodes have devices (model_naive_vector.c). */
void naive_vector_pass(struct naive *naive);
void naive_vector_plan(struct naive *naive, uint32_t job);
void naive_vector_start(struct naive *naive, uint32_t job, const struct vector_alloc *alloc);

/* The job has been given what it needs: it is on its way. */
void naive_begin(struct naive *naive, uint32_t job);

/* Sorts the queue from place `first` on as easy-sjbf tries it; other rules: nothing. */
void naive_sort_others(struct naive *naive, uint32_t first);

/* When a job started or to be started at `start` is expected to end. */
hs_time naive_expected_end(const struct naive *naive, uint32_t job, hs_time start);

/* Starts a waiting job on the left-most of the `allowed` units of each node. */
void naive_start(struct naive *naive, uint32_t job, const uint32_t *allowed);

#endif
