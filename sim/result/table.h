/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.h - a table that is written a row at a time and stored a column at a time.
 *
 * Rows lie in one buffer per column; when STORE_CHUNK_ROWS have come, each buffer becomes one
 * chunk of its dataset. The datasets are created by the first flush, because only then it is known
 * whether the run is small enough for smaller chunks. From then on chunks that are not compressed
 * are stored piece by piece, from buffers that are small enough for the processor's caches. Of a
 * column that begins constant (no user known, one core per task), later chunks that stay so are
 * left out.
 * Internal to sim/result. */
#ifndef HSIM_RESULT_TABLE_H
#define HSIM_RESULT_TABLE_H

#include "result/pack.h"
#include "result/store.h"

#define TABLE_COLUMNS_MAX RESULT_SERIES_COLUMNS_MAX /* no table has more */
#define TABLE_PIECE_ROWS  16384                     /* divides STORE_CHUNK_ROWS */

struct table {
    const struct result_table *schema;
    union {
        void *any;
        int64_t *i64;
        int32_t *i32;
        double *f64;
        int8_t *i8;
    } buffers[TABLE_COLUMNS_MAX];
    char *block; /* in which the buffers lie */
    hid_t datasets[TABLE_COLUMNS_MAX];
    char fills[TABLE_COLUMNS_MAX][8]; /* what rows hold that were not written */
    bool has_fill[TABLE_COLUMNS_MAX];
    hid_t group;
    struct store_cause *cause; /* where failures are told; borrowed */
    int64_t stored;            /* rows in the file */
    size_t room;               /* rows for which the buffers have room */
    size_t filled;             /* rows in the buffers */
    size_t chunk_rows;
    int level;
    struct pack *pack; /* NULL: not compressed; borrowed */
};

/* A table in the group `schema->name` of `file`, with chunks compressed by `pack` at its `level`
 * (NULL and 0: not). False: no memory, or HDF5 failed. table_fini in either case. */
bool table_init(struct table *table, const struct result_table *schema, hid_t file, int level,
                struct pack *pack, struct store_cause *cause);
/* To be called after each row: `filled` counts it, and a full buffer is stored. */
bool table_row_done(struct table *table);
/* Stores what is in the buffers. */
bool table_flush(struct table *table);
/* Frees and closes; false if closing failed. A zeroed table is allowed. */
bool table_fini(struct table *table);

#endif
