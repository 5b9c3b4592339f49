/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan.h - walking over chosen integer columns of a table, row after row, a piece at a time. */
#ifndef HSIM_RESULT_SCAN_H
#define HSIM_RESULT_SCAN_H

#include "result/reader.h"

#define SCAN_COLUMNS_MAX 16

struct result_scan {
    struct result_reader *reader;
    const struct result_table *table;
    size_t columns[SCAN_COLUMNS_MAX];
    size_t column_count;
    int64_t *values[SCAN_COLUMNS_MAX]; /* one piece of each column */
    int64_t rows;                      /* of the table */
    int64_t first;                     /* row at values[..][0] */
    int64_t count;                     /* rows in memory */
};

/* `table` NULL: no rows. result_scan_fini in either case. */
enum hs_err result_scan_init(struct result_scan *scan, struct result_reader *reader,
                             const struct result_table *table, const size_t *columns,
                             size_t column_count, struct hs_error *error) HS_MUST_USE;
void result_scan_fini(struct result_scan *scan);

/* Brings the piece with `row` (< rows) into memory; *index is its place in `values`. */
enum hs_err result_scan_load(struct result_scan *scan, int64_t row, size_t *index,
                             struct hs_error *error) HS_MUST_USE;

#endif
