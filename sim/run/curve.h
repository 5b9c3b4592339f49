/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve.h - how full the machine is while an inflated workload arrives. */
#ifndef HSIM_RUN_CURVE_H
#define HSIM_RUN_CURVE_H

#include "result/result.h"
#include "run/fragments.h"
#include "workload/workload.h"

struct curve {
    const struct fragments *fragments; /* NULL: there are no devices; borrowed */
    int64_t requested_milli;
    int64_t used_milli;
    int64_t job; /* that has arrived since the last row; -1: none */
};

void curve_init(struct curve *curve, const struct fragments *fragments);
void curve_arrived(struct curve *curve, const struct workload_job *job);
void curve_started(struct curve *curve, const struct hs_alloc *alloc);
void curve_ended(struct curve *curve, const struct hs_alloc *alloc);

/* After the pass: the row of the job that has arrived, if one has. */
enum hs_err curve_log(struct curve *curve, struct result_writer *writer,
                      struct hs_error *error) HS_MUST_USE;

#endif
