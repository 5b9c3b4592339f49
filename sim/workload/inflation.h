/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inflation.h - jobs that fill a machine: a list, in its order or shuffled, and repeated.
 *
 * The protocol of Weng et al., "Beware of Fragmentation", USENIX ATC 2023: jobs arrive one after
 * another and never end; behind the list come jobs drawn from it, until what all have asked for
 * reaches a multiple of the machine's accelerators. This is the one transform that holds the whole
 * list in memory. Order and draws depend on the seed and a number, so every policy meets the same
 * jobs. */
#ifndef HSIM_WORKLOAD_INFLATION_H
#define HSIM_WORKLOAD_INFLATION_H

#include "workload/workload.h"

struct inflation;

/* An empty list for options->inflation. HS_ERR_CONFIG: a load, and no accelerators to measure it
 * by. `label` names the source in messages and is borrowed. */
enum hs_err inflation_create(const struct workload_options *options, const char *label,
                             struct inflation **inflation, struct hs_error *error) HS_MUST_USE;
void inflation_destroy(struct inflation *inflation); /* takes NULL */

/* Appends a job to the list (copied). */
enum hs_err inflation_add(struct inflation *inflation, const struct workload_job *job,
                          struct hs_error *error) HS_MUST_USE;

/* The list is complete. HS_ERR_CONFIG: no job of it asks for an accelerator. */
enum hs_err inflation_start(struct inflation *inflation, struct hs_error *error) HS_MUST_USE;

/* The next job to arrive, with its submit time; *has_job false at the end. */
enum hs_err inflation_next(struct inflation *inflation, struct workload_job *job, bool *has_job,
                           struct hs_error *error) HS_MUST_USE;

/* Share of the arrivals that have come, 0 to 1. */
double inflation_progress(const struct inflation *inflation);

#endif
