/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tally.h - counting kinds of records and keeping the first examples. */
#ifndef HSIM_WORKLOAD_TALLY_H
#define HSIM_WORKLOAD_TALLY_H

#include "workload/workload.h"

/* Counts one record. The reason is formatted only while examples are still kept. */
void workload_tally_add(struct workload_tally *tally, int64_t line, int64_t trace_id,
                        const char *format, ...) HS_PRINTF(4, 5);

#endif
