/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan.c - a window of rows over columns. */
#include "result/scan.h"

#include <stdlib.h>

enum hs_err result_scan_init(struct result_scan *scan, struct result_reader *reader,
                             const struct result_table *table, const size_t *columns,
                             size_t column_count, struct hs_error *error)
{
    *scan = (struct result_scan){.reader = reader, .table = table, .column_count = column_count};
    HS_ASSERT(column_count <= SCAN_COLUMNS_MAX);
    if (!table) {
        return HS_OK;
    }
    scan->rows = result_reader_rows(reader, table);
    for (size_t i = 0; i < column_count; i++) {
        size_t room = scan->rows < RESULT_READER_ROWS ? (size_t)scan->rows : RESULT_READER_ROWS;

        scan->columns[i] = columns[i];
        scan->values[i] = malloc((room + 1) * sizeof *scan->values[i]);
        if (!scan->values[i]) {
            return hs_error_memory(error);
        }
    }
    return HS_OK;
}

void result_scan_fini(struct result_scan *scan)
{
    for (size_t i = 0; i < scan->column_count; i++) {
        free(scan->values[i]);
    }
    *scan = (struct result_scan){0};
}

enum hs_err result_scan_load(struct result_scan *scan, int64_t row, size_t *index,
                             struct hs_error *error)
{
    int64_t left;

    HS_ASSERT(row >= 0 && row < scan->rows);
    if (row >= scan->first && row < scan->first + scan->count) {
        *index = (size_t)(row - scan->first);
        return HS_OK;
    }
    scan->first = row - row % RESULT_READER_ROWS;
    left = scan->rows - scan->first;
    scan->count = left < RESULT_READER_ROWS ? left : RESULT_READER_ROWS;
    *index = (size_t)(row - scan->first);
    for (size_t i = 0; i < scan->column_count; i++) {
        enum hs_err code =
            result_reader_ints(scan->reader, scan->table, scan->columns[i], scan->first,
                               (size_t)scan->count, scan->values[i], error);

        if (code != HS_OK) {
            scan->count = 0;
            return code;
        }
    }
    return HS_OK;
}
