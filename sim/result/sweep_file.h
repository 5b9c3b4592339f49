/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_file.h - the merged file of a sweep: one row a run, one column an axis or a metric.
 *
 *   /            attrs: hsim_schema, hsim_kind "sweep", hsim_version, name
 *   /provenance/ config (the experiment with its sweep)
 *   /runs/       key, policy, seed, replicate, situation, status, stability, error, job_count
 *   /params/     a column per axis, named by its key: int64, double, or text
 *   /metrics/    a column per metric, double, NaN where a run has none
 *   /raw/KEY     external links to runs/KEY.h5
 *
 * Rows stand in the order of the sweep, and nothing in it depends on when, where or in which order
 * the runs were computed, so that equal sweeps give equal bytes. Timings live in a sidecar. */
#ifndef HSIM_RESULT_SWEEP_FILE_H
#define HSIM_RESULT_SWEEP_FILE_H

#include "hs/base.h"

#define SWEEP_KEY_SIZE 33 /* 32 hexadecimal digits and the end */

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
    const char *policy;             /* label */
    uint64_t seed;
    int64_t replicate;                /* 0, 1, ... */
    const struct sweep_value *values; /* one per axis */
};

#endif
