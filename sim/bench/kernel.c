/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.c - bare reading, bare events, bare writing. */
#include "bench/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/calendar.h"
#include "result/reader.h"
#include "workload/random.h"

#define READ_BYTES ((size_t)256 * 1024)
#define FIELDS     18
#define CHUNK_ROWS ((size_t)65536)
#define SPREAD_NS  (100000 * HS_NS_PER_S) /* of the random times */

enum hs_err bench_rows_read(const char *path, struct bench_rows *rows, struct hs_error *error)
{
    static const char *const names[] = {"jobs", "allocations", "series"};
    int64_t *counts[] = {&rows->jobs, &rows->allocations, &rows->series};
    struct result_reader *reader = NULL;
    enum hs_err err = result_reader_open(path, &reader, error);

    for (int i = 0; err == HS_OK && i < 3; i++) {
        const struct result_table *table = result_reader_table(reader, names[i]);

        *counts[i] = table ? result_reader_rows(reader, table) : 0;
    }
    result_reader_close(reader);
    return err;
}

/* What the parser has between two characters. */
struct parser {
    int64_t values[FIELDS];
    int64_t value;
    int count;
    bool is_negative, has_digits, is_comment;
    int64_t rows;
    uint64_t sum;
};

static void parse_number_end(struct parser *parser)
{
    if (parser->has_digits && parser->count < FIELDS) {
        parser->values[parser->count++] = parser->is_negative ? -parser->value : parser->value;
    }
    parser->value = 0;
    parser->has_digits = parser->is_negative = false;
}

static void parse_line_end(struct parser *parser)
{
    parse_number_end(parser);
    parser->rows += parser->count > 0;
    for (int i = 0; i < parser->count; i++) {
        parser->sum += (uint64_t)parser->values[i];
    }
    parser->count = 0;
    parser->is_comment = false;
}

static void parse_block(struct parser *parser, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char character = bytes[i];

        if (character == '\n') {
            parse_line_end(parser);
        } else if (parser->is_comment) {
            continue;
        } else if ((unsigned)(character - '0') < 10u) {
            parser->value = parser->value * 10 + (character - '0');
            parser->has_digits = true;
        } else if (character == '-') {
            parser->is_negative = true;
        } else if (character == ';') {
            parser->is_comment = true;
        } else {
            parse_number_end(parser);
        }
    }
}

enum hs_err bench_kernel_parse(const char *path, int64_t *rows, uint64_t *sum,
                               struct hs_error *error)
{
    struct parser parser = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = malloc(READ_BYTES);
    ssize_t length = file < 0 ? -1 : 1;

    if (!bytes) {
        if (file >= 0) {
            (void)close(file);
        }
        return hs_error_memory(error);
    }
    while (length > 0) {
        length = read(file, bytes, READ_BYTES);
        if (length > 0) {
            parse_block(&parser, bytes, (size_t)length);
        }
    }
    if (length < 0) {
        (void)hs_error_set(error, HS_ERR_INPUT, "%s: reading the file failed: %s.", path,
                           strerror(errno));
    }
    if (file >= 0) {
        (void)close(file);
    }
    free(bytes);
    *rows = parser.rows;
    *sum = parser.sum;
    return length < 0 ? HS_ERR_INPUT : HS_OK;
}

enum hs_err bench_kernel_heap(int64_t events, int64_t depth, struct hs_error *error)
{
    struct calendar calendar = {0};
    hs_time now = 0;
    bool is_ok = true;

    for (int64_t i = 0; is_ok && i < events; i++) {
        uint64_t bits = workload_random_mix((uint64_t)i);

        is_ok = calendar_push(&calendar,
                              now + (hs_time)workload_random_below(bits, (uint64_t)SPREAD_NS), 0,
                              (uint32_t)i, NULL);
        if (is_ok && i >= depth) {
            now = calendar_top(&calendar)->time_ns;
            calendar_pop(&calendar);
        }
    }
    while (calendar_top(&calendar)) {
        calendar_pop(&calendar);
    }
    calendar_fini(&calendar);
    return is_ok ? HS_OK : hs_error_memory(error);
}

static hid_t memory_type(enum result_type type)
{
    switch (type) {
    case RESULT_I64:
        return H5T_NATIVE_INT64;
    case RESULT_I32:
        return H5T_NATIVE_INT32;
    case RESULT_F64:
        return H5T_NATIVE_DOUBLE;
    case RESULT_STATE:
    case RESULT_BOOL:
        break;
    }
    return H5T_NATIVE_INT8;
}

static hid_t column_create(hid_t group, const struct result_column *column, hsize_t chunk,
                           int level)
{
    hsize_t size = 0, limit = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &size, &limit);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t dataset = H5I_INVALID_HID;

    if (space >= 0 && H5Pset_chunk(create, 1, &chunk) >= 0 &&
        H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 &&
        (level == 0 ||
         (H5Pset_shuffle(create) >= 0 && H5Pset_deflate(create, (unsigned)level) >= 0)) &&
        H5Pset_chunk_cache(access, 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT) >= 0) {
        dataset = H5Dcreate2(group, column->name, memory_type(column->type), space, H5P_DEFAULT,
                             create, access);
    }
    (void)H5Pclose(access);
    (void)H5Pclose(create);
    (void)H5Sclose(space);
    return dataset;
}

static bool column_append(hid_t dataset, hid_t type, hsize_t row, hsize_t count, const void *values)
{
    hsize_t size = row + count;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    bool is_ok = H5Dset_extent(dataset, &size) >= 0;
    hid_t space = H5Dget_space(dataset);

    is_ok = is_ok && memory >= 0 && space >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &row, NULL, &count, NULL) >= 0 &&
            H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values) >= 0;
    (void)H5Sclose(space);
    (void)H5Sclose(memory);
    return is_ok;
}

/* Columns side by side, a chunk of each at a time, as rows come in a run. */
static bool write_table(hid_t file, const struct result_table *table, int64_t rows, int level,
                        const void *values)
{
    hid_t group = H5Gcreate2(file, table->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t datasets[JOB_COLUMNS];
    hsize_t chunk = (size_t)rows < CHUNK_ROWS ? (hsize_t)(rows ? rows : 1) : CHUNK_ROWS;
    bool is_ok = group >= 0;

    for (size_t i = 0; i < table->column_count; i++) {
        datasets[i] =
            is_ok ? column_create(group, &table->columns[i], chunk, level) : H5I_INVALID_HID;
        is_ok = is_ok && datasets[i] >= 0;
    }
    for (int64_t row = 0; is_ok && row < rows; row += (int64_t)chunk) {
        hsize_t left = (hsize_t)(rows - row);

        for (size_t i = 0; is_ok && i < table->column_count; i++) {
            is_ok = column_append(datasets[i], memory_type(table->columns[i].type), (hsize_t)row,
                                  left < chunk ? left : chunk, values);
        }
    }
    for (size_t i = 0; i < table->column_count; i++) {
        is_ok = datasets[i] >= 0 && H5Dclose(datasets[i]) >= 0 && is_ok;
    }
    return group >= 0 && H5Gclose(group) >= 0 && is_ok;
}

enum hs_err bench_kernel_log(const char *path, const struct bench_rows *rows, int level,
                             struct hs_error *error)
{
    int64_t *values = malloc(CHUNK_ROWS * sizeof *values);
    hid_t file;
    bool is_ok;

    if (!values) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < CHUNK_ROWS; i++) {
        values[i] = (int64_t)workload_random_below(workload_random_mix(i), (uint64_t)SPREAD_NS);
    }
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what failed is told below */
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    is_ok = file >= 0 && write_table(file, &result_jobs_table, rows->jobs, level, values) &&
            write_table(file, &result_allocations_table, rows->allocations, level, values) &&
            write_table(file, &result_series_table, rows->series, level, values);
    is_ok = file >= 0 && H5Fclose(file) >= 0 && is_ok;
    free(values);
    return is_ok ? HS_OK
                 : hs_error_set(error, HS_ERR_SYSTEM,
                                "%s: the reference log cannot be written. Free space there, or set "
                                "TMPDIR to another folder.",
                                path);
}
