/* SPDX-License-Identifier: MIT */
/* view.h - what a policy may see during a call: the queue, the running jobs, what is free, now.
 *
 * All pointers are valid during the call only. The order of everything is stable. */
#ifndef HS_VIEW_H
#define HS_VIEW_H

#include "hs/cluster.h"
#include "hs/free.h"
#include "hs/job.h"
#include "hs/mix.h"

struct hs_view;

hs_time hs_view_now(const struct hs_view *view);
const struct hs_cluster *hs_view_cluster(const struct hs_view *view);

/* The waiting jobs in the order that the experiment composes with the policy: smallest key first,
 * at equal keys earlier submission, then earlier arrival; without an order: by arrival. Jobs that
 * were started in this call are passed over. Cost of a step: logarithmic, or for orders that
 * change with time one sorting per call. */
const struct hs_job *hs_view_first(const struct hs_view *view);
const struct hs_job *hs_view_next(const struct hs_view *view, const struct hs_job *job);
uint32_t hs_view_pending_count(const struct hs_view *view);

/* A scan over the waiting jobs, in queue order, that could start: for a rule that backfills.
 * `limit` says the longest walltime with which a job of this demand, or of so many `units` while
 * hs_view_is_counted, may start now (HS_TIME_NEVER: any; negative: none). It must not grow with
 * `units`, and must not grow in the course of the scan. Cost: logarithmic in the queue for each job
 * that is handed out, plus one question for each distinct demand (while counted: that has no more
 * than the free units). One scan at a time. */
typedef hs_time (*hs_scan_limit)(const void *context, int64_t units,
                                 const struct hs_demand *demand);
void hs_view_scan_begin(const struct hs_view *view, hs_scan_limit limit, const void *context);
/* The next job within its limit, never the same twice; NULL: no more. */
const struct hs_job *hs_view_scan_next(const struct hs_view *view);
/* Is there a waiting job that fits? While false nothing can start. Cost: distinct demands. */
bool hs_view_any_fits(const struct hs_view *view);
/* Does a live job's demand fit now? Cost: the nodes that changed since the last question. */
bool hs_view_fits(const struct hs_view *view, const struct hs_demand *demand);

/* Compares two waiting jobs by the order: <0 if `left` comes first. */
int hs_view_compare(const struct hs_view *view, const struct hs_job *left,
                    const struct hs_job *right);

/* Starting and running jobs, those started in this call included, in order of expected end, at
 * equal ends by arrival. Jobs without a walltime come last (HS_TIME_NEVER). The array changes
 * with each start. */
const struct hs_job *const *hs_view_running(const struct hs_view *view, uint32_t *count);

/* What is free now, starts of this call taken off. */
const struct hs_free *hs_view_free(const struct hs_view *view);

/* Counting. Nodes that are away are left out. While all live jobs ask for multiples of one and the
 * same unit (cores of plain jobs; whole nodes of one class; equal task vectors), a job fits exactly
 * if its `units` are free, no matter where. Then a policy may count instead of placing. */
bool hs_view_is_counted(const struct hs_view *view);
int64_t hs_view_free_units(const struct hs_view *view);
int64_t hs_view_total_units(const struct hs_view *view);
/* The units that are free again when a starting or running job ends: those on nodes that are
 * available. Of a waiting job all. Cost: its spans while a node is away, else nothing. */
int64_t hs_view_units_back(const struct hs_view *view, const struct hs_job *job);

/* The placement that the experiment composes; for hs_free_place on scratch states. NULL: left-
 * most. */
const struct hs_placement *hs_view_placement(const struct hs_view *view);

/* The demands of the workload, if the host knows them beforehand; else NULL. */
const struct hs_mix *hs_view_mix(const struct hs_view *view);

/* A number in [0, 1) that depends on the experiment's seed, the name of the stream and `id` only,
 * not on the order of calls. */
double hs_view_random(const struct hs_view *view, const char *stream, uint64_t id);

/* Room for the slots of all live jobs: every job's slot is below it. It only grows. */
uint32_t hs_view_slot_room(const struct hs_view *view);

/* Counts one job as looked at in the pass, for the log's work counter. Iteration by
 * hs_view_first/next counts by itself. */
void hs_view_count_examined(const struct hs_view *view, uint32_t jobs);

#endif
