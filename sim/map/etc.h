/* SPDX-License-Identifier: GPL-3.0-or-later */
/* etc.h - matrices of expected times to compute (ETC): how long each task takes on each machine.
 *
 * In a file the first line is `TASKS MACHINES`, and what else stands in it (no comma) is passed
 * over; then come the times in seconds, all machines of a task before the next task, with blanks or
 * line ends between them (the instances of Braun et al., JPDC 61(6), 2001, have one a line). Or it
 * is a CSV file with a line a task and a column a machine, and perhaps a line of names above. `-`
 * means that the machine cannot run the task. Plain or packed by gzip or zstd. */
#ifndef HSIM_MAP_ETC_H
#define HSIM_MAP_ETC_H

#include <stdio.h>

#include "hs/base.h"

#define MAP_CELLS_MAX  UINT64_C(1000000000)
#define MAP_TIME_MAX_S 1e18 /* sums of a billion of them are still exact enough, and finite */

/* Zero it before use. */
struct map_etc {
    uint32_t task_count, machine_count; /* > 0 */
    double *times_s; /* [task * machines + machine], 0 to MAP_TIME_MAX_S; INFINITY: cannot run */
};

/* Errors name file:line:column. HS_ERR_INPUT: no such file; a bad first line; too few or too many
 * times; a time that is none, negative, or too large; a task that no machine can run. Memory grows
 * with what is read, not with what the first line promises. */
enum hs_err map_etc_read(const char *path, struct map_etc *etc, struct hs_error *error) HS_MUST_USE;

/* Writes the matrix as above, one time a line, such that it reads back to the same numbers. Errors
 * stay in the state of the stream. */
void map_etc_write(const struct map_etc *etc, FILE *file);

void map_etc_fini(struct map_etc *etc);

#endif
