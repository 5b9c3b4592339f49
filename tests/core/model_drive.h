/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_drive.h - runs a case on the core: a small host of its own, with books of its own.
 *
 * At one instant it reports ends and failed starts, changes of nodes, cancellations, submissions,
 * timers, and asks once for decisions. It checks each decision against its own books: what every
 * node has left, whether the demand is met, whether the job waits. The core's counters must agree
 * with the books after every pass. */
#ifndef HSIM_TESTS_MODEL_DRIVE_H
#define HSIM_TESTS_MODEL_DRIVE_H

#include "hs/sched.h"
#include "model_case.h"
#include "vector.h"

#define MODEL_WAKES_MAX     4096
#define MODEL_COMPLAINT_MAX 3000

enum drive_state { DRIVE_FUTURE, DRIVE_WAITING, DRIVE_HOLDING, DRIVE_GONE };

/* What every node has left. */
struct books {
    int64_t free_milli[MODEL_NODES_MAX];
    int64_t free_bytes[MODEL_NODES_MAX];
    uint32_t holders[MODEL_NODES_MAX];
    bool is_whole[MODEL_NODES_MAX]; /* held by an exclusive job */
    bool is_away[MODEL_NODES_MAX];
    struct vector_state vector; /* of nodes with devices, in place of the above */
};

struct drive {
    const struct model_case *model;
    struct model_outcome *outcome;
    struct hs_sched *sched;
    hs_time now;
    enum drive_state state[MODEL_JOBS_MAX];
    bool is_failing[MODEL_JOBS_MAX];
    bool is_confirmed[MODEL_JOBS_MAX];
    bool is_cancel_past[MODEL_JOBS_MAX];
    hs_time end_ns[MODEL_JOBS_MAX];
    hs_time confirm_ns[MODEL_JOBS_MAX];
    uint32_t corrections[MODEL_JOBS_MAX]; /* of the running attempt, so far */
    hs_time wakes_ns[MODEL_WAKES_MAX];
    uint32_t wake_count;
    uint32_t next_change;
    uint64_t last_decision;
    uint32_t passes;
    struct books books;
    struct books empty;        /* of the empty machine */
    struct vector_alloc *held; /* on nodes with devices: by job; else NULL */
    char complaint[MODEL_COMPLAINT_MAX];
};

/* Called after each pass with the books up to date; false stops, drive->complaint says why. */
struct drive_watch {
    bool (*after_pass)(void *self, struct drive *drive);
    void *self;
};

/* Runs the case. False: the core erred or broke a rule; `complaint` (MODEL_COMPLAINT_MAX bytes)
 * says how. `extra` (may be NULL) are further plug-ins, `watch` (may be NULL) further checks. */
bool drive_run(const struct model_case *model, const struct hs_plugin *extra,
               const struct drive_watch *watch, struct model_outcome *outcome, char *complaint);

/* Writes a complaint and returns false. */
bool drive_complain(struct drive *drive, const char *format, ...) HS_PRINTF(2, 3);

#endif
