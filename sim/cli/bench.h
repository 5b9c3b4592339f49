/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.h - `hsim bench`: cases, the stage on which they run, and what they measured.
 *
 * Each measurement is a program of its own, `hsim run` of this or of another hsim, so that CPU time
 * and memory are those of that run alone, start-up and reading and writing included. */
#ifndef HSIM_CLI_BENCH_H
#define HSIM_CLI_BENCH_H

#include <signal.h>
#include <sys/types.h>

#include "bench/kernel.h"

/* The blocks of jobs of which the traces are made. */
enum bench_source {
    BENCH_BUSY,    /* lublin_256 or its like: a little more work than the machine can do */
    BENCH_FLOW,    /* load 0.7 */
    BENCH_STEADY,  /* load 0.9 */
    BENCH_DEEP,    /* load 1.3, requests above the run times: the queue grows and grows */
    BENCH_DEVICES, /* no trace: a machine with accelerators, and generated jobs that ask for them */
    BENCH_SOURCES
};

struct bench_case {
    const char *name;
    const char *policy;
    const char *summary;
    int64_t jobs;
    double cpu_target_s;  /* output uncompressed; 0: none */
    double rss_target_mb; /* 10^6 bytes; 0: none */
    enum bench_source source;
    int runs_min;     /* so many runs at least: of what takes next to no time */
    bool has_kernel;  /* measured beside the reference kernel */
    bool is_marginal; /* one of the sizes between which the marginal cost is taken */
};

extern const struct bench_case bench_cases[];
extern const size_t bench_case_count;

/* Targets of the issue that belong to no single run. */
#define BENCH_KERNEL_TARGET   3.0  /* run / reference kernel */
#define BENCH_MARGINAL_TARGET 0.25 /* relative difference of marginal costs */

/* One program on one case; the least CPU time of its runs. */
struct bench_measure {
    double cpu_s;      /* user and system */
    int64_t rss_bytes; /* the most of all runs */
    int64_t jobs, events, passes, examined;
    double queue_max, running_mean;
    char digest[33]; /* of the schedule */
    bool is_known;
};

struct bench_result {
    const struct bench_case *what;
    double cpu_target_s, rss_target_mb; /* 0: none, since the circumstances are others */
    struct bench_measure self, other;
    double parse_s, heap_s, log_s; /* the reference kernel */
};

struct bench_options {
    const struct bench_case **cases; /* in the order of the table */
    size_t case_count;
    const char *program; /* this one */
    const char *trace;   /* NULL: generated */
    const char *against; /* NULL: no other program */
    int level;           /* of deflate; 0: uncompressed */
    int runs;
    bool is_quick;
    bool is_json;
};

/* What a process that only calls a function hands back. */
struct bench_reply {
    struct hs_error error;
    struct bench_rows rows;
};

/* A temporary folder, and signals that wait until they are asked for. */
struct bench_stage {
    char *folder;
    struct bench_reply *reply; /* memory shared with the children */
    sigset_t watched;          /* SIGINT, SIGTERM, SIGHUP, SIGCHLD: blocked here, not in children */
    sigset_t before;
};

/* bench_devices.c: writes the machine with accelerators as a platform file, by calling `program`,
 * and the experiment on it. */
enum hs_err bench_devices_machine(struct bench_stage *stage, const char *program, const char *path,
                                  const char *messages, struct hs_error *error) HS_MUST_USE;
enum hs_err bench_devices_experiment(const char *path, const char *platform, const char *policy,
                                     int64_t jobs, const char *compression,
                                     struct hs_error *error) HS_MUST_USE;

enum hs_err bench_stage_open(struct bench_stage *stage, struct hs_error *error) HS_MUST_USE;
/* Removes the folder and what is in it; lets signals pass again. */
void bench_stage_close(struct bench_stage *stage);
/* A file of that name in the folder. The caller frees; NULL: no memory. */
char *bench_stage_path(const struct bench_stage *stage, const char *name);

/* Runs `argv` with its output in the files `out` and `messages`; its CPU time and peak memory.
 * A program that fails is an error that quotes what it said. */
enum hs_err bench_stage_run(struct bench_stage *stage, char *const *argv, const char *out,
                            const char *messages, struct bench_measure *measure,
                            struct hs_error *error) HS_MUST_USE;
/* Calls a function in a process of its own, so that neither its time nor its memory is counted
 * where it does not belong; its CPU time. */
enum hs_err
bench_stage_call(struct bench_stage *stage,
                 enum hs_err (*function)(const void *context, struct bench_reply *reply),
                 const void *context, double *cpu_s, struct hs_error *error) HS_MUST_USE;

/* Bytes of temporary files that the cases need at a time. */
int64_t bench_disk_bytes(const struct bench_options *options);
int64_t bench_case_jobs(const struct bench_options *options, const struct bench_case *what);

/* Runs one case; `later` cases will follow, for which traces are kept. */
enum hs_err bench_measure_case(const struct bench_options *options, struct bench_stage *stage,
                               size_t index, struct bench_result *result,
                               struct hs_error *error) HS_MUST_USE;

/* Table: the head, a line a case (two and a comparison with another program), and what follows
 * from several cases. */
void bench_print_list(void);
void bench_print_head(const struct bench_options *options);
void bench_print_case(const struct bench_options *options, const struct bench_result *result);
void bench_print_marginal(const struct bench_options *options, const struct bench_result *results,
                          size_t count);
void bench_print_json(const struct bench_options *options, const struct bench_result *results,
                      size_t count);

#endif
