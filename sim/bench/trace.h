/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.h - workloads of the benchmarks: one block of jobs, as often as it takes.
 *
 * Repetition k of a block adds k times the highest id to the ids and k times the last submit time
 * to the submit times. So a trace of any length keeps the load and the mix of its block, and the
 * cost per job of a simulator that scales does not depend on the length. */
#ifndef HSIM_BENCH_TRACE_H
#define HSIM_BENCH_TRACE_H

#include "hs/base.h"

/* A block from the model of Lublin and Feitelson. */
struct bench_model {
    int64_t jobs;
    int64_t procs;     /* of the machine */
    int64_t procs_max; /* of a job */
    double load;       /* offered to the machine; the gaps between jobs are scaled to it */
    bool has_slack;    /* requests exceed run times by a random factor of 1 to 10; else they equal
                          them */
};

struct bench_block;

enum hs_err bench_block_generate(const struct bench_model *model, struct bench_block **block,
                                 struct hs_error *error) HS_MUST_USE;
/* All jobs of an SWF file. */
enum hs_err bench_block_read(const char *path, struct bench_block **block,
                             struct hs_error *error) HS_MUST_USE;
void bench_block_destroy(struct bench_block *block); /* takes NULL */

/* Processors of the machine: as the model or the file's header says, else those of the largest
 * job. */
int64_t bench_block_procs(const struct bench_block *block);

/* Writes `jobs` jobs as SWF: the block again and again, the last time cut short. */
enum hs_err bench_block_write(const struct bench_block *block, int64_t jobs, const char *path,
                              struct hs_error *error) HS_MUST_USE;

#endif
