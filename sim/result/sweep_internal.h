/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_internal.h - what the writer and the reader of merged files share. Internal to sim/result.
 */
#ifndef HSIM_RESULT_SWEEP_INTERNAL_H
#define HSIM_RESULT_SWEEP_INTERNAL_H

#include "result/load.h"
#include "result/sweep_file.h"

#define SWEEP_STATUS_COUNT 2
extern const char *const sweep_status_names[SWEEP_STATUS_COUNT];

/* In a column of integers: the row does not set the axis. */
#define SWEEP_INT_MISSING INT64_MIN

/* Path of the result of a run beside a merged file; the caller frees. NULL: no memory. */
char *sweep_run_path(const char *file, const char *key);

#endif
