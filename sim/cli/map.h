/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map.h - what the files of `hsim map` share. */
#ifndef HSIM_CLI_MAP_H
#define HSIM_CLI_MAP_H

#include "lib/mapping.h"
#include "map/batch.h"
#include "map/search.h"

#define MAP_ROWS_MAX 16 /* heuristics and the search */

/* One mapping of all tasks, or one run of batches. */
struct map_row {
    const char *name;
    double makespan_s, flowtime_s;
    double balance; /* mean over machines of the time they compute, relative to the makespan */
    double cpu_s;   /* of the mapping alone */
    uint64_t cell_count;
    uint32_t *machine_of_task, *order; /* owned; NULL for batches */
    struct map_batch_result batch;
};

struct map_report {
    const char *source; /* file, or description of the matrix */
    uint32_t task_count, machine_count;
    struct map_row rows[MAP_ROWS_MAX];
    size_t row_count;
    bool has_bound, has_search, is_batch;
    struct map_bound bound;
    double bound_cpu_s;
    struct map_search_result search;
};

void map_report_fini(struct map_report *report);

/* Prints the report on standard output. False: no memory. */
bool map_print_table(const struct map_report *report);
void map_print_json(const struct map_report *report);

/* Writes the row's mapping as CSV: task, machine, start, end, in the order in which the tasks got
 * their machines. False: no memory; nothing was written. */
bool map_write_csv(FILE *file, const struct map_etc *etc, const struct map_row *row);

/* The header and a line of the CSV of batches. */
void map_write_batch_header(FILE *file);
void map_write_batch_line(FILE *file, const struct map_placed *placed);

/* CPU time of the process. */
double map_cpu_s(void);

#endif
