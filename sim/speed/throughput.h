/* SPDX-License-Identifier: GPL-3.0-or-later */
/* throughput.h - how many steps a second a type of job does on each type of worker, as measured.
 *
 * A table is a CSV file as Gavel published it (Narayanan et al., OSDI 2020): columns job_type,
 * batch_size (may be missing), scale_factor, and one for each type of worker, whose name is its
 * own. A row counts all workers of the job together: the steps of scale_factor workers side by
 * side. 0 means that the job does not fit on workers of this type. A column WORKER_unconsolidated
 * says what remains when the job's workers lie on several nodes; an empty field there: not
 * measured. A table is read whole and not changed afterwards; any bad row is an error. */
#ifndef HSIM_SPEED_THROUGHPUT_H
#define HSIM_SPEED_THROUGHPUT_H

#include "hs/base.h"

#define THROUGHPUT_WORKERS_MAX     28      /* types of workers in a table */
#define THROUGHPUT_TYPE_MAX        128     /* bytes of a job type, with its final zero */
#define THROUGHPUT_ROWS_MAX        1000000 /* of a table */
#define THROUGHPUT_SCALE_MAX       100000  /* workers of one job */
#define THROUGHPUT_STEPS_PER_S_MAX 1e12

/* One row. The arrays have a number for each type of worker, in the order of the columns. */
struct throughput_row {
    const char *job_type;             /* as traces write it: "ResNet-18 (batch size 16)", "A3C" */
    int64_t scale_factor;             /* workers at once, >= 1 */
    const double *steps_per_s;        /* >= 0, at least one above; 0: does not fit */
    const double *spread_steps_per_s; /* on several nodes; NaN: not measured */
    int64_t line;                     /* in the file */
};

struct throughput_table;

/* Reads a table. HS_ERR_INPUT with file, line and column: no such file, a column is missing or
 * there twice or belongs to no worker, a number is none, negative or infinite, a row fits no
 * worker, or is there twice. */
enum hs_err throughput_read(const char *path, struct throughput_table **table,
                            struct hs_error *error) HS_MUST_USE;
void throughput_destroy(struct throughput_table *table); /* takes NULL */

/* Types of workers, in the order of the columns. Names live as long as the table. */
size_t throughput_worker_count(const struct throughput_table *table);
const char *throughput_worker_name(const struct throughput_table *table, size_t worker);

/* The number of a type of worker. HS_ERR_CONFIG: the table has none of this name; the text is a
 * sentence with those that it has. */
enum hs_err throughput_worker_find(const struct throughput_table *table, const char *name,
                                   size_t *worker, struct hs_error *error) HS_MUST_USE;

/* Rows, in the order of the file. */
size_t throughput_row_count(const struct throughput_table *table);
const struct throughput_row *throughput_row_at(const struct throughput_table *table, size_t row);

/* The row of a job type, batch size included, and a scale factor, by binary search; NULL: none. */
const struct throughput_row *throughput_find(const struct throughput_table *table,
                                             const char *job_type, int64_t scale_factor);

/* The job type of the table that is most like this one, for messages; NULL: none is. */
const char *throughput_nearest(const struct throughput_table *table, const char *job_type);

#endif
