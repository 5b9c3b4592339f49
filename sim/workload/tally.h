/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tally.h - counting kinds of records and keeping the first examples. */
#ifndef HSIM_WORKLOAD_TALLY_H
#define HSIM_WORKLOAD_TALLY_H

#include "workload/workload.h"

/* Counts one record. The reason is formatted only while examples are still kept. */
void workload_tally_add(struct workload_tally *tally, int64_t line, int64_t trace_id,
                        const char *format, ...) HS_PRINTF(4, 5);

/* A row that cannot be read, because of `problem` (a clause): an error if `is_strict`, else
 * counted. */
enum hs_err workload_tally_bad_row(struct workload_tally *tally, bool is_strict, const char *path,
                                   int64_t line, int64_t trace_id, const char *problem,
                                   struct hs_error *error) HS_MUST_USE;

#endif
