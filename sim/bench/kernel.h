/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.h - the reference: the work that no simulator of a trace can leave out, and nothing else.
 *
 * Reading the text of the trace as numbers, one push and one pop of an event heap for each job, and
 * writing as many rows of the same columns as the run has logged, each column in full (hsim leaves
 * constant ones out). The parser and the log know none of hsim's own readers and writers, so the
 * reference stays where it is when those change. */
#ifndef HSIM_BENCH_KERNEL_H
#define HSIM_BENCH_KERNEL_H

#include "hs/base.h"

/* Rows of a result file. */
struct bench_rows {
    int64_t jobs, allocations, series;
};
enum hs_err bench_rows_read(const char *path, struct bench_rows *rows,
                            struct hs_error *error) HS_MUST_USE;

/* Reads a plain SWF file of whole numbers; counts its rows. *sum of all numbers, modulo 2^64. */
enum hs_err bench_kernel_parse(const char *path, int64_t *rows, uint64_t *sum,
                               struct hs_error *error) HS_MUST_USE;

/* Pushes and pops `events` events at random times; `depth` of them are in the heap at a time. */
enum hs_err bench_kernel_heap(int64_t events, int64_t depth, struct hs_error *error) HS_MUST_USE;

/* Writes an HDF5 file with the columns of a result and so many rows; deflate level 0 to 9. */
enum hs_err bench_kernel_log(const char *path, const struct bench_rows *rows, int level,
                             struct hs_error *error) HS_MUST_USE;

#endif
