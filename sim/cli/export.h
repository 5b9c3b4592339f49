/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export.h - the parts of `hsim export`.
 *
 * Whole columns are read, and rows are written through a buffer of our own: a million rows a
 * second is the aim. Jobs come in the order of the workload, by an index over the rows. */
#ifndef HSIM_CLI_EXPORT_H
#define HSIM_CLI_EXPORT_H

#include <stdio.h>

#include "result/contents.h"
#include "result/reader.h"

#define EXPORT_BUFFER 65536
#define EXPORT_ITEM   512 /* more than any item that is put at once */

/* Buffered text. Errors show in ferror of the file. */
struct export_text {
    FILE *file;
    size_t length;
    char buffer[EXPORT_BUFFER];
};

void export_flush(struct export_text *text);
void export_char(struct export_text *text, char c);
void export_string(struct export_text *text, const char *string);
void export_int(struct export_text *text, int64_t value);
/* Exact decimal seconds; -1 ns, which stands for "does not apply", as -1. */
void export_time(struct export_text *text, hs_time time_ns);
/* Seconds with six decimals, as Batsim writes them. */
void export_micros(struct export_text *text, hs_time time_ns);
/* So many significant digits, or decimals; "nan" for what does not apply. */
void export_general(struct export_text *text, int digits, double value);
void export_fixed(struct export_text *text, int decimals, double value);
/* A finite number in the fewest digits that read back to it. */
void export_real(struct export_text *text, double value);

/* A whole column, int64_t or double; the caller frees, after a failure, too. */
enum hs_err export_read_whole(struct result_reader *reader, const struct result_table *table,
                              size_t column, void **values, struct hs_error *error) HS_MUST_USE;

/* Columns of /jobs in memory, in the order of the workload, and the nodes of each job. */
struct export_jobs {
    struct result_reader *reader;
    const struct result_table *table;
    size_t count;
    int64_t *order;                   /* row of the job with the k-th smallest id */
    void *columns[JOB_COLUMNS];       /* int64_t or double; NULL: not loaded */
    int64_t *first_node, *node_count; /* of the allocations; NULL: not loaded */
    int64_t *first_allocation;        /* of each row; count + 1 values */
    int64_t *attempts;                /* of the allocations; NULL: all are the first */
    struct export_names {
        char *texts;
        const char **at;
        size_t count;
    } classes, models; /* what the columns JOB_CLASS and JOB_MODEL point to, once they are loaded */
};

/* export_jobs_fini in any case. */
enum hs_err export_jobs_init(struct export_jobs *jobs, struct result_reader *reader,
                             struct hs_error *error) HS_MUST_USE;
void export_jobs_fini(struct export_jobs *jobs);
enum hs_err export_jobs_load(struct export_jobs *jobs, size_t column,
                             struct hs_error *error) HS_MUST_USE;
enum hs_err export_jobs_load_hosts(struct export_jobs *jobs, struct hs_error *error) HS_MUST_USE;
enum hs_err export_fail_allocations(const struct result_reader *reader, struct hs_error *error);
int64_t export_jobs_int(const struct export_jobs *jobs, size_t column, int64_t row);
/* The name of the job's class, or of the model that it computed on; "-": none. NULL: the column is
 * no other. */
const char *export_jobs_name(const struct export_jobs *jobs, size_t column, int64_t row);
/* "0-3 7": node indices of the job in this row, of its last attempt. */
void export_hosts(struct export_text *text, const struct export_jobs *jobs, int64_t row);

/* The tables "nodes", "devices", "energy", "classes" and "models". */
bool export_is_units(const char *table);
/* A text of a field, in quotes if it needs them. */
void export_field(struct export_text *text, const char *string);
enum hs_err export_units(struct result_reader *reader, const char *table, const char *columns,
                         struct export_text *text, struct hs_error *error) HS_MUST_USE;
/* The sentence about a column that is not there, with all that are. */
enum hs_err export_fail_column(const char *table, const char *column, const char *const *names,
                               size_t count, struct hs_error *error);

/* `table` as the help of the command lists them; `columns` NULL: the usual ones. */
enum hs_err export_csv(struct result_reader *reader, const char *table, const char *columns,
                       struct export_text *text, struct hs_error *error) HS_MUST_USE;
enum hs_err export_batsim(struct result_reader *reader, struct export_text *text,
                          struct hs_error *error) HS_MUST_USE;
enum hs_err export_swf(struct result_reader *reader, FILE *file,
                       struct hs_error *error) HS_MUST_USE;

/* Rows [first, first + count) of a column; which array holds them depends on its type, and a text
 * takes column->text_size bytes. Zeroed at first; used for one column only. */
struct export_piece {
    size_t count;
    const int64_t *ints;
    const double *reals;
    const char *texts;
    void *memory;
};
enum hs_err export_piece_read(struct export_piece *piece, struct contents *contents,
                              const struct contents_table *table,
                              const struct contents_column *column, int64_t first,
                              struct hs_error *error) HS_MUST_USE;
void export_piece_fini(struct export_piece *piece);

/* A string of JSON with its quotes. */
void export_json_string(struct export_text *text, const char *string);
/* Whole files, of runs and of sweeps. */
enum hs_err export_json(struct contents *contents, struct export_text *text,
                        struct hs_error *error) HS_MUST_USE;
/* Into a file that is there and empty. */
enum hs_err export_sqlite(struct contents *contents, const char *path,
                          struct hs_error *error) HS_MUST_USE;
/* One table of a sweep; `columns` NULL: all. */
enum hs_err export_sweep_csv(struct contents *contents, const char *columns,
                             struct export_text *text, struct hs_error *error) HS_MUST_USE;
/* What nodes and devices did, for the Perfetto UI. */
enum hs_err export_perfetto(struct result_reader *reader, struct export_text *text,
                            struct hs_error *error) HS_MUST_USE;

#endif
