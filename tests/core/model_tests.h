/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_tests.h - the bench of the model test: runs a case both ways, shrinks and prints it. */
#ifndef HSIM_TESTS_MODEL_TESTS_H
#define HSIM_TESTS_MODEL_TESTS_H

#include "model_drive.h"
#include "model_naive.h"

/* Everything for one case at a time; too large for the stack. */
struct model_bench {
    const char *title;
    const struct hs_plugin *extra;   /* for the core; may be NULL */
    const struct drive_watch *watch; /* further checks; may be NULL */
    bool is_compared;                /* with the naive simulator; else only checked */
    struct model_case model;
    struct model_case spare;
    struct model_outcome naive;
    struct model_outcome core;
    char complaint[MODEL_COMPLAINT_MAX];
};

/* A bench; free() it. */
struct model_bench *model_bench_create(const char *title);

/* Runs bench->model both ways. False: it fails; the smallest failing case has been printed. */
bool model_check(struct model_bench *bench);

/* Jobs stand in the order of fcfs; the first that waits, or -1. */
int model_first_waiting(const struct drive *drive);

/* The head of the queue and when it would start at the latest. */
struct model_promise {
    int head;
    hs_time plan_ns;
};

/* A watch under fcfs: the head's planned start, found by a replay of the expected ends, never moves
 * later, and it starts by then. `self` is a model_promise. */
bool model_head_is_kept(void *self, struct drive *drive);

/* Nobody outlives the request, starts late or fails to start. */
void model_keep_promises(struct model_case *model);

/* Tests of other files. */
void model_test_random(void);        /* model_undo.c */
void model_test_undo(void);          /* model_undo.c */
void model_test_placed(void);        /* model_vector.c */
void model_test_whole_nodes(void);   /* model_vector.c */
void model_test_equal_vectors(void); /* model_vector.c */
void model_test_mixed(void);         /* model_mixed.c */
void model_test_head(void);          /* model_mixed.c */
void model_test_units(void);         /* model_mixed.c */

#endif
