/* SPDX-License-Identifier: MIT */
/* plan.h - what a policy decides during a call.
 *
 * Each function checks, takes resources at once and appends a decision; undo gives them back.
 * A plan costs what it changes. A decision that breaks a rule (a job that is not waiting, a busy
 * node) marks the plan broken: the simulation stops with policy, time, job and reason. */
#ifndef HS_PLAN_H
#define HS_PLAN_H

#include "hs/view.h"

struct hs_plan;

/* Starts the waiting `job` now where the placement puts it. False: it does not fit now; nothing
 * has changed. */
bool hs_plan_start(struct hs_plan *plan, const struct hs_job *job);

/* The same on some of the nodes alone: bit n % 64 of part[n / 64] is set for each node n that may
 * be used; NULL: all may. */
bool hs_plan_start_within(struct hs_plan *plan, const struct hs_job *job, const uint64_t *part);

/* Starts the waiting `job` now exactly on `alloc` (copied), which must serve it and be free. */
bool hs_plan_start_on(struct hs_plan *plan, const struct hs_job *job, const struct hs_alloc *alloc);

/* Stops the running (confirmed) `job` now. It keeps what it has done, its resources are free at
 * once, and it waits again, in its place by arrival: hs_plan_start may start it again in the same
 * plan, elsewhere. Its `done` grows by the share of what was left that has passed, (now - start) /
 * (expected end - start); its walltime becomes what is left, at least 1 ns. With
 * hs_sched_options.restart_ns that much is added to the walltime for each restart, and does no
 * work. A walk through the queue goes on, and meets the job if it comes later; a scan has to
 * be begun again. Only for policies with HS_POLICY_PREEMPTS. */
bool hs_plan_preempt(struct hs_plan *plan, const struct hs_job *job);

/* Refuses the waiting `job`, which has never run, for good. `reason` is a clause, copied. */
bool hs_plan_reject(struct hs_plan *plan, const struct hs_job *job, const char *reason);

/* Asks for a pass at `time` (> now) even if nothing happens then. */
void hs_plan_wake(struct hs_plan *plan, hs_time time);

/* A state of the plan, and the way back to it: takes back all later starts, preemptions
 * and rejections. */
size_t hs_plan_mark(const struct hs_plan *plan);
void hs_plan_undo(struct hs_plan *plan, size_t mark);

/* A policy that cannot go on (out of memory, a broken invariant) says so; the run stops. */
void hs_plan_fail(struct hs_plan *plan, const char *reason);

#endif
