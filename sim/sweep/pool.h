/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.h - pieces of work, each in a process of its own, several at a time.
 *
 * The parent has loaded what all share; a child is a fork of it, does one piece, sends what came of
 * it through a pipe and ends. So a crash, a limit or a leak is the affair of one piece. Children
 * end with the parent, however that ends, and pay no heed to signals from the keyboard. Nothing
 * that HDF5 has open may be open across the fork. */
#ifndef HSIM_SWEEP_POOL_H
#define HSIM_SWEEP_POOL_H

#include <signal.h>
#include <sys/types.h>

#include "hs/base.h"

enum pool_end {
    POOL_DONE,
    POOL_ERROR,  /* the work says so: `error` */
    POOL_SIGNAL, /* it ended by `signal`, or without a word (signal 0) */
    POOL_TIME,   /* over the limit of time */
    POOL_MEMORY, /* over the limit of memory */
    POOL_KILLED, /* because the person wanted it */
};

struct pool_result {
    enum pool_end end;
    int signal;
    struct hs_error error;
    double wall_s;
    double cpu_s;  /* of the process */
    double work_s; /* CPU of the work alone, as `work` measured it; 0 unless POOL_DONE */
    int64_t rss_bytes;
};

/* In a child: its way to the parent. */
struct pool_child;

#define POOL_NONE  (-1) /* nothing is left */
#define POOL_LATER (-2) /* nothing now; ask again soon */

struct pool_options {
    unsigned jobs;              /* processes that compute at a time, >= 1 */
    double time_limit_s;        /* wall clock of a piece; 0: none */
    int64_t memory_limit_bytes; /* resident memory, looked at ten times a second; 0: none */
    /* 0: go on. 1: begin nothing more. 2: also kill what runs. */
    const volatile sig_atomic_t *stop;
    /* In the parent: which piece is next, or one of POOL_. What it prepares, the child finds. */
    int64_t (*next)(void *context);
    /* In the child. CPU seconds of the work proper go to *work_s. */
    enum hs_err (*work)(void *context, int64_t piece, struct pool_child *child, double *work_s,
                        struct hs_error *error);
    /* In the parent: no process could be made for a piece; `next` may give it again. */
    void (*unbegun)(void *context, int64_t piece);
    void (*began)(void *context, int64_t piece, pid_t process);
    /* It has ended. False: begin nothing more. */
    bool (*ended)(void *context, int64_t piece, const struct pool_result *result);
    void (*tick)(void *context); /* at least ten times a second; NULL allowed */
    void *context;
};

/* Processes that there can be at a time: besides those that compute, as many that only wait. */
unsigned pool_places(unsigned jobs);

/* In the child: all is computed, and what is left is waiting, for instance for the disk. So another
 * piece may begin in the meantime. */
void pool_child_waits(struct pool_child *child);

/* Seconds of a clock that only goes forward. */
double pool_now_s(void);

/* Until nothing is left or running. HS_ERR_SYSTEM: no process can be made at all. */
enum hs_err pool_run(const struct pool_options *options, struct hs_error *error) HS_MUST_USE;

#endif
