/* SPDX-License-Identifier: GPL-3.0-or-later */
/* throughput.c - reads a table of throughputs and finds its rows. */
#include "speed/throughput.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "text/units.h"

#define SPREAD_ENDING "_unconsolidated"
#define NEAREST_MAX   4096 /* rows among which a misspelling is looked for */
#define NO_COLUMN     SIZE_MAX

enum column { COLUMN_TYPE, COLUMN_SCALE, COLUMN_BATCH, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_TYPE] = {"job_type", true},
    [COLUMN_SCALE] = {"scale_factor", true},
    [COLUMN_BATCH] = {"batch_size", false},
};

struct throughput_table {
    char *path;
    size_t worker_count;
    char *workers[THROUGHPUT_WORKERS_MAX];
    size_t place[THROUGHPUT_WORKERS_MAX];        /* fields of a row */
    size_t spread_place[THROUGHPUT_WORKERS_MAX]; /* or NO_COLUMN */
    struct throughput_row *rows;
    size_t row_count, row_room;
    const struct throughput_row **sorted; /* by job type and scale factor */
};

/* A row owns its text and its two arrays. */
static void row_fini(struct throughput_row *row)
{
    free((char *)(uintptr_t)row->job_type);
    free((double *)(uintptr_t)row->steps_per_s);
    free((double *)(uintptr_t)row->spread_steps_per_s);
}

void throughput_destroy(struct throughput_table *table)
{
    if (!table) {
        return;
    }
    for (size_t i = 0; i < table->worker_count; i++) {
        free(table->workers[i]);
    }
    for (size_t i = 0; i < table->row_count; i++) {
        row_fini(&table->rows[i]);
    }
    free(table->rows);
    free(table->sorted);
    free(table->path);
    free(table);
}

size_t throughput_worker_count(const struct throughput_table *table)
{
    return table->worker_count;
}

const char *throughput_worker_name(const struct throughput_table *table, size_t worker)
{
    return table->workers[worker];
}

size_t throughput_row_count(const struct throughput_table *table)
{
    return table->row_count;
}

const struct throughput_row *throughput_row_at(const struct throughput_table *table, size_t row)
{
    return &table->rows[row];
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end_length = strlen(ending);

    return length > end_length && strcmp(text + length - end_length, ending) == 0;
}

/* Number of the worker called by the first `length` bytes of `name`, or worker_count. */
static size_t worker_number(const struct throughput_table *table, const char *name, size_t length)
{
    size_t worker = 0;

    while (worker < table->worker_count && (strlen(table->workers[worker]) != length ||
                                            strncmp(table->workers[worker], name, length) != 0)) {
        worker++;
    }
    return worker;
}

static const char *nearest_worker(const struct throughput_table *table, const char *name)
{
    const char *names[THROUGHPUT_WORKERS_MAX];

    for (size_t i = 0; i < table->worker_count; i++) {
        names[i] = table->workers[i];
    }
    return hs_nearest(name, names, table->worker_count);
}

enum hs_err throughput_worker_find(const struct throughput_table *table, const char *name,
                                   size_t *worker, struct hs_error *error)
{
    const char *nearest;
    char all[512] = "";
    size_t used = 0;

    *worker = worker_number(table, name, strlen(name));
    if (*worker < table->worker_count) {
        return HS_OK;
    }
    for (size_t i = 0; i < table->worker_count && used < sizeof all; i++) {
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                 table->workers[i]);
    }
    nearest = nearest_worker(table, name);
    return hs_error_set(error, HS_ERR_CONFIG, "%s has no type of worker '%.64s'%s%s%s. It has %s.",
                        table->path, name, nearest ? " (did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?)" : "", all);
}

/* Which columns are workers: those without the ending that the others have. */
static enum hs_err workers_find(struct throughput_table *table, const struct csv *csv,
                                struct hs_error *error)
{
    for (size_t i = 0; i < csv_rest_count(csv); i++) {
        const char *name = csv_rest_name(csv, i);

        if (ends_with(name, SPREAD_ENDING)) {
            continue;
        }
        if (table->worker_count == THROUGHPUT_WORKERS_MAX) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:1: more than %d types of workers. Remove some columns.",
                                table->path, THROUGHPUT_WORKERS_MAX);
        }
        table->workers[table->worker_count] = strdup(name);
        if (!table->workers[table->worker_count]) {
            return hs_error_memory(error);
        }
        table->place[table->worker_count] = COLUMN_COUNT + i;
        table->spread_place[table->worker_count++] = NO_COLUMN;
    }
    if (table->worker_count == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: the header names no type of worker. Behind job_type, batch_size "
                            "and scale_factor there is a column for each, for instance v100.",
                            table->path);
    }
    for (size_t i = 0; i < csv_rest_count(csv); i++) {
        const char *name = csv_rest_name(csv, i);
        size_t worker;

        if (!ends_with(name, SPREAD_ENDING)) {
            continue;
        }
        worker = worker_number(table, name, strlen(name) - strlen(SPREAD_ENDING));
        if (worker == table->worker_count) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:1: the column '%.80s' belongs to no type of worker: there is "
                                "no column '%.*s'. Correct its name, or remove it.",
                                table->path, name, (int)(strlen(name) - strlen(SPREAD_ENDING)),
                                name);
        }
        table->spread_place[worker] = COLUMN_COUNT + i;
    }
    return HS_OK;
}

static enum hs_err bad_row(const struct throughput_table *table, const struct csv_row *row,
                           struct hs_error *error, const char *column, const char *text,
                           const char *due)
{
    return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: %s is '%.40s'; %s.", table->path,
                        (long long)row->line, column, text, due);
}

/* "ResNet-18" and "16" to "ResNet-18 (batch size 16)", as traces call it. */
static enum hs_err type_read(const struct throughput_table *table, const struct csv_row *row,
                             struct throughput_row *into, struct hs_error *error)
{
    const char *type = row->fields[COLUMN_TYPE], *batch = row->fields[COLUMN_BATCH];
    char name[THROUGHPUT_TYPE_MAX];
    int64_t size;
    int length;

    if (!*type) {
        return bad_row(table, row, error, "job_type", type, "a name is due");
    }
    if (*batch && (!csv_parse_int(batch, &size) || size < 1)) {
        return bad_row(table, row, error, "batch_size", batch,
                       "a whole number from 1, or nothing, is due");
    }
    length = *batch ? snprintf(name, sizeof name, "%s (batch size %lld)", type, (long long)size)
                    : snprintf(name, sizeof name, "%s", type);
    if (length < 0 || (size_t)length >= sizeof name) {
        return bad_row(table, row, error, "job_type", type, "a shorter name is due");
    }
    into->job_type = strdup(name);
    if (!into->job_type) {
        return hs_error_memory(error);
    }
    if (!csv_parse_int(row->fields[COLUMN_SCALE], &into->scale_factor) || into->scale_factor < 1 ||
        into->scale_factor > THROUGHPUT_SCALE_MAX) {
        return bad_row(table, row, error, "scale_factor", row->fields[COLUMN_SCALE],
                       "the number of workers, 1 to 100000, is due");
    }
    return HS_OK;
}

static enum hs_err numbers_read(const struct throughput_table *table, const struct csv_row *row,
                                struct throughput_row *into, struct hs_error *error)
{
    double *alone = malloc(table->worker_count * sizeof *alone);
    double *spread = malloc(table->worker_count * sizeof *spread);
    bool fits = false;

    into->steps_per_s = alone;
    into->spread_steps_per_s = spread;
    if (!alone || !spread) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < table->worker_count; i++) {
        const char *text = row->fields[table->place[i]];
        const char *far =
            table->spread_place[i] == NO_COLUMN ? "" : row->fields[table->spread_place[i]];
        char name[160];

        if (!text_units_parse_double(text, &alone[i]) || !(alone[i] >= 0) ||
            alone[i] > THROUGHPUT_STEPS_PER_S_MAX) {
            return bad_row(table, row, error, table->workers[i], text,
                           "steps a second, from 0, are due (0: does not fit)");
        }
        spread[i] = NAN;
        if (*far && (!text_units_parse_double(far, &spread[i]) || !(spread[i] >= 0) ||
                     spread[i] > THROUGHPUT_STEPS_PER_S_MAX)) {
            (void)snprintf(name, sizeof name, "%.120s" SPREAD_ENDING, table->workers[i]);
            return bad_row(table, row, error, name, far,
                           "steps a second, from 0, or nothing (not measured) are due");
        }
        fits = fits || alone[i] > 0;
    }
    if (!fits) {
        return hs_error_set(
            error, HS_ERR_INPUT,
            "%s:%lld: '%s' with scale factor %lld has throughput 0 on every type of "
            "worker, so it could never run. Correct or remove this row.",
            table->path, (long long)row->line, into->job_type, (long long)into->scale_factor);
    }
    return HS_OK;
}

static enum hs_err row_add(struct throughput_table *table, const struct csv_row *row,
                           struct hs_error *error)
{
    struct throughput_row *into;
    enum hs_err err;

    if (row->problem) {
        return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: %s. Correct or remove this row.",
                            table->path, (long long)row->line, row->problem);
    }
    if (table->row_count == table->row_room) {
        size_t room = table->row_room ? table->row_room * 2 : 64;
        struct throughput_row *moved = realloc(table->rows, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        table->rows = moved;
        table->row_room = room;
    }
    if (table->row_count == THROUGHPUT_ROWS_MAX) {
        return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: more than %d rows. Use a smaller table.",
                            table->path, (long long)row->line, THROUGHPUT_ROWS_MAX);
    }
    into = &table->rows[table->row_count++];
    *into = (struct throughput_row){.line = row->line};
    err = type_read(table, row, into, error);
    return err ? err : numbers_read(table, row, into, error);
}

static int compare(const char *type, int64_t scale, const struct throughput_row *row)
{
    int order = strcmp(type, row->job_type);

    return order ? order : (scale > row->scale_factor) - (scale < row->scale_factor);
}

/* Equal ones by their lines, so that a message names the same one on every machine. */
static int compare_rows(const void *a, const void *b)
{
    const struct throughput_row *left = *(const struct throughput_row *const *)a;
    const struct throughput_row *right = *(const struct throughput_row *const *)b;
    int order = compare(left->job_type, left->scale_factor, right);

    return order ? order : (left->line > right->line) - (left->line < right->line);
}

/* Sorts the rows, and looks for those that are there twice. */
static enum hs_err rows_index(struct throughput_table *table, struct hs_error *error)
{
    if (table->row_count == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: a header, but no row. A table of throughputs has a row for each "
                            "job type and scale factor.",
                            table->path);
    }
    table->sorted = malloc(table->row_count * sizeof *table->sorted);
    if (!table->sorted) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < table->row_count; i++) {
        table->sorted[i] = &table->rows[i];
    }
    qsort(table->sorted, table->row_count, sizeof *table->sorted, compare_rows);
    for (size_t i = 1; i < table->row_count; i++) {
        const struct throughput_row *row = table->sorted[i], *before = table->sorted[i - 1];

        if (compare(row->job_type, row->scale_factor, before) == 0) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:%lld: '%s' with scale factor %lld is there already, in line "
                                "%lld. Remove one of the two rows.",
                                table->path, (long long)row->line, row->job_type,
                                (long long)row->scale_factor, (long long)before->line);
        }
    }
    return HS_OK;
}

static enum hs_err table_fill(struct throughput_table *table, struct csv *csv,
                              struct hs_error *error)
{
    enum hs_err err = workers_find(table, csv, error);
    bool has_row = true;

    while (!err && has_row) {
        struct csv_row row;

        err = csv_next(csv, &row, &has_row, error);
        if (!err && has_row) {
            err = row_add(table, &row, error);
        }
    }
    return err ? err : rows_index(table, error);
}

enum hs_err throughput_read(const char *path, struct throughput_table **table,
                            struct hs_error *error)
{
    struct throughput_table *made = calloc(1, sizeof *made);
    struct csv *csv = NULL;
    enum hs_err err;

    *table = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    made->path = strdup(path);
    err = made->path
              ? csv_open_rest(path, "a table of throughputs", columns, COLUMN_COUNT, &csv, error)
              : hs_error_memory(error);
    if (!err) {
        err = table_fill(made, csv, error);
    }
    csv_close(csv);
    if (err) {
        throughput_destroy(made);
        return err;
    }
    *table = made;
    return HS_OK;
}

const struct throughput_row *throughput_find(const struct throughput_table *table,
                                             const char *job_type, int64_t scale_factor)
{
    size_t low = 0, high = table->row_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(job_type, scale_factor, table->sorted[middle]);

        if (order == 0) {
            return table->sorted[middle];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}

const char *throughput_nearest(const struct throughput_table *table, const char *job_type)
{
    size_t count = table->row_count < NEAREST_MAX ? table->row_count : NEAREST_MAX;
    const char **names = malloc(count * sizeof *names);
    const char *nearest = NULL;

    if (names) {
        for (size_t i = 0; i < count; i++) {
            names[i] = table->rows[i].job_type;
        }
        nearest = hs_nearest(job_type, names, count);
    }
    free((void *)names);
    return nearest;
}
