/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.h - a sweep carried out: what is missing is computed, then everything is merged.
 *
 * Rows with one key are one run. A run that failed is an answer too: it stands in the merged file
 * with its error, and is computed again only when asked for. Where the disk is full or a folder
 * cannot be written, no run is to blame: the sweep stops, and can be repeated. */
#ifndef HSIM_SWEEP_SWEEP_H
#define HSIM_SWEEP_SWEEP_H

#include "sweep/plan.h"
#include "sweep/pool.h"
#include "sweep/store.h"

enum sweep_event_kind {
    SWEEP_BEGINS,   /* the counts are known */
    SWEEP_RUN_ENDS, /* row, timing, error */
    SWEEP_RUN_LOST, /* row, error: its result cannot be read, and is computed again */
    SWEEP_STOPS,    /* the first signal: what runs may finish */
    SWEEP_TICK,     /* several times a second */
    SWEEP_MERGES,
    SWEEP_ENDS, /* error: why the sweep stopped */
};

struct sweep_counts {
    size_t rows;     /* of the sweep */
    size_t runs;     /* different ones */
    size_t finished; /* of these, so far */
    size_t failed;
    size_t running;
    size_t left;      /* neither of the three */
    size_t cached;    /* finished or failed before this sweep began */
    size_t strangers; /* finished runs in the folder that belong to no row */
    double elapsed_s;
    double left_s;      /* estimate; NaN: nothing is known yet */
    double work_cpu_s;  /* of simulations and their files, so far */
    double child_cpu_s; /* of the processes in which they ran */
};

struct sweep_event {
    enum sweep_event_kind kind;
    const struct sweep_counts *counts;
    const struct sweep_row *row;
    const struct sweep_timing *timing;
    const char *error; /* NULL: it went well */
};

struct sweep_request {
    const char *folder;
    const char *runs; /* shared folder of finished runs; NULL: as the folder has it */
    unsigned jobs;
    double time_limit_s;
    int64_t memory_limit_bytes;
    bool is_fail_fast;
    bool is_retrying;        /* failed runs are computed again */
    bool is_merging_only;    /* nothing is computed; single runs may go on beside it */
    const char *const *keys; /* only these runs, and nothing is merged; NULL: all */
    size_t key_count;
    const char *command_line;
    const volatile sig_atomic_t *stop; /* number of signals */
    void (*event)(void *context, const struct sweep_event *event);
    void *context;
};

struct sweep_result {
    struct sweep_counts counts;
    bool is_merged;  /* sweep.h5 is that of this sweep */
    bool was_merged; /* and was it before */
};

/* HS_ERR_SYSTEM: disk, processes. HS_ERR_CONFIG: folder, unknown key. HS_ERR_INTERRUPTED: by
 * `stop`. Failed runs are no error of the sweep. The result is filled in as far as it got. */
enum hs_err sweep_run(const struct sweep_plan *plan, const struct sweep_request *request,
                      struct sweep_result *result, struct hs_error *error) HS_MUST_USE;

#endif
