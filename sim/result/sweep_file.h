/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_file.h - the merged file of a sweep: one row a run, one column an axis or a metric.
 *
 *   /            attrs: hsim_schema, hsim_kind "sweep", hsim_version, name
 *   /provenance/ config (the experiment with its sweep)
 *   /runs/       key, policy, seed, replicate, situation, status, stability, error, job_count,
 *                schedule_digest
 *   /params/     a column per axis, named by its key: int64, double, or text
 *   /metrics/    a column per metric, double, NaN where a run has none
 *   /raw/KEY     external links to runs/KEY.h5, of the runs that did not fail
 *
 * Rows stand in the order of the sweep, and nothing in it depends on when, where or in which order
 * the runs were computed, so that equal sweeps give equal bytes. Timings live in a sidecar.
 * /params and /metrics keep the order in which their columns were made. */
#ifndef HSIM_RESULT_SWEEP_FILE_H
#define HSIM_RESULT_SWEEP_FILE_H

#include "result/check.h"
#include "result/stability.h"

#define SWEEP_SCHEMA_VERSION 1
#define SWEEP_KEY_SIZE       33 /* 32 hexadecimal digits and the end */

/* Where the result of a run lies, seen from the folder of the merged file. */
#define SWEEP_RUN_FILE "runs/%s.h5"

enum sweep_type { SWEEP_INT, SWEEP_REAL, SWEEP_TEXT };

struct sweep_axis {
    const char *key;  /* "workload.load" */
    const char *unit; /* "s", "B"; "" without one */
    const char *doc;
    enum sweep_type type; /* of its column */
    bool is_policy;       /* the key belongs to the policy, so that it tells no situations apart */
};

/* A value of an axis in a row. */
struct sweep_value {
    const char *text; /* as written; NULL: the row does not set the axis */
    int64_t integer;  /* SWEEP_INT */
    double real;      /* SWEEP_REAL, and the integer as a number; NaN for text */
};

enum sweep_status { SWEEP_COMPLETE, SWEEP_FAILED };

/* One run of a sweep. Strings are borrowed from who made the row. */
struct sweep_row {
    char key[SWEEP_KEY_SIZE];
    char situation[SWEEP_KEY_SIZE]; /* equal for runs that differ in the policy alone */
    const char *policy; /* label, with the parameters that the sweep varies: "depth:k=4" */
    uint64_t seed;
    int64_t replicate;                /* 0, 1, ... */
    const struct sweep_value *values; /* one per axis */
};

/* ---- writing */

/* All that is merged. Borrowed. Rows may share a key: they are one run. */
struct sweep_source {
    const char *path;   /* of the merged file; one that is there is replaced */
    const char *name;   /* of the experiment */
    const char *config; /* text of it, with its sweep */
    const struct sweep_axis *axes;
    size_t axis_count;
    const struct sweep_row *rows;
    const char *const *errors; /* by row: why the run failed; NULL: SWEEP_RUN_FILE is its result */
    size_t row_count;
};

/* Reads the summary of each run and writes the merged file: PATH.part, to the disk, renamed.
 * HS_ERR_INPUT: a run is not there, damaged or not complete. HS_ERR_SYSTEM: the disk. */
enum hs_err sweep_file_write(const struct sweep_source *source, struct hs_error *error) HS_MUST_USE;

/* ---- reading */

struct sweep_run {
    struct sweep_row row; /* texts of numbers are made from them, with the unit: "30s" */
    enum sweep_status status;
    enum result_stability stability; /* RESULT_STABILITY_UNKNOWN if it failed */
    const char *error;               /* why it failed; "" */
    int64_t job_count;               /* -1: it failed */
    char schedule_digest[33];        /* "": it failed */
};

struct sweep_metric {
    const char *name, *unit, *doc;
    const double *values; /* by run; NaN: it has none */
};

/* The whole file in memory. */
struct sweep_file {
    const char *path, *name, *config, *version; /* version: of the hsim that wrote it */
    const struct sweep_axis *axes;
    size_t axis_count;
    const struct sweep_run *runs;
    size_t run_count;
    const struct sweep_metric *metrics;
    size_t metric_count;
};

/* HS_ERR_INPUT as result_reader_open, also for the result of a single run. sweep_file_destroy in
 * any case. */
enum hs_err sweep_file_read(const char *path, struct sweep_file **file,
                            struct hs_error *error) HS_MUST_USE;
void sweep_file_destroy(struct sweep_file *file); /* takes NULL */

/* NULL: no metric of that name. */
const struct sweep_metric *sweep_file_metric(const struct sweep_file *file, const char *name);

/* Path of the result of a run, which need not be there; the caller frees. NULL: no memory. */
char *sweep_file_run_path(const struct sweep_file *file, size_t run);

/* Are the runs beside the file those that were merged? Skipped: no run is complete. */
#define SWEEP_CHECKS 6
enum hs_err sweep_file_check(const struct sweep_file *file,
                             struct result_check checks[SWEEP_CHECKS],
                             struct hs_error *error) HS_MUST_USE;

/* Whether a file is a merged one or the result of a run. HS_ERR_INPUT: neither. */
enum hs_err sweep_file_is_one(const char *path, bool *is_sweep, struct hs_error *error) HS_MUST_USE;

#endif
