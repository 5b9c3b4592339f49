/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.c - opening, checking and reading a result file. */
#include "result/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/load.h"

enum {
    TABLE_JOBS,
    TABLE_ALLOCATIONS,
    TABLE_DEVICES,
    TABLE_SERIES,
    TABLE_ARRIVALS,
    TABLE_INFLATION,
    TABLE_COUNT
};

#define READER_COLUMNS RESULT_SERIES_COLUMNS_MAX /* no table has more */
_Static_assert(JOB_COLUMNS <= READER_COLUMNS, "columns of a table");

struct reader_table {
    const struct result_table *schema; /* NULL: not in the file */
    hid_t datasets[READER_COLUMNS];
    int64_t rows;
};

struct result_reader {
    struct load load;
    struct reader_table tables[TABLE_COUNT];
    char *summary_texts[3]; /* names, units, docs */
    char *kinds, *models;   /* of devices, each with its end */
    struct result_series_more more;
    struct result_series_schema series_schema;
    struct result_jobs_schema jobs_schema;
};

/* Opens all columns, which must be equally long. */
static enum hs_err open_table(struct result_reader *reader, struct reader_table *table,
                              const struct result_table *schema, struct hs_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        char path[64];
        int64_t rows;

        if (!result_has_column(schema, i)) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", schema->name, schema->columns[i].name);
        table->datasets[i] = H5Dopen2(reader->load.file, path, H5P_DEFAULT);
        if (table->datasets[i] < 0) {
            return load_fail(&reader->load, path, error);
        }
        rows = load_rows(table->datasets[i]);
        if (rows < 0 || (i > 0 && rows != table->rows)) {
            return hs_error_set(
                error, HS_ERR_INPUT,
                "%s: the column \"%s\" has %" PRId64 " rows, and \"%s\" has %" PRId64
                ". The file is damaged: run the experiment again.",
                reader->load.path, path, rows, schema->columns[0].name, table->rows);
        }
        table->rows = rows;
    }
    table->schema = schema;
    return HS_OK;
}

/* Slots out of an attribute of the series, "gpu,fpga"; it need not be there. */
static enum hs_err find_slots(struct result_reader *reader, const char *name, char **names,
                              size_t max, struct hs_error *error)
{
    struct result_series_more *more = &reader->more;
    size_t end = more->slot_count + max;
    enum hs_err code = HS_OK;
    char *rest;
    char *slot;

    if (H5Aexists_by_name(reader->load.file, result_series_table.name, name, H5P_DEFAULT) > 0) {
        code = result_reader_text(reader, result_series_table.name, name, names, error);
    }
    rest = *names;
    while (code == HS_OK && (slot = strsep(&rest, ",")) != NULL) {
        if (more->slot_count == end) {
            return load_fail(&reader->load, name, error);
        }
        more->slots[more->slot_count++] = slot;
    }
    return code;
}

/* What the series has beside the usual columns. */
static enum hs_err find_more(struct result_reader *reader, struct hs_error *error)
{
    struct result_series_more *more = &reader->more;
    const char *series = result_series_table.name;
    enum hs_err code = find_slots(reader, "kinds", &reader->kinds, RESULT_KINDS_MAX, error);

    more->kind_count = more->slot_count;
    more->has_power =
        H5Aexists_by_name(reader->load.file, series, "power_integral", H5P_DEFAULT) > 0;
    more->has_avail =
        H5Aexists_by_name(reader->load.file, series, "avail_integral", H5P_DEFAULT) > 0;
    more->has_fragments = H5Aexists_by_name(reader->load.file, series, "mix_jobs", H5P_DEFAULT) > 0;
    if (code != HS_OK || !more->has_fragments) {
        return code;
    }
    code = result_reader_int(reader, series, "mix_jobs", &more->mix_jobs, error);
    if (code == HS_OK && more->mix_jobs < 1) {
        return load_fail(&reader->load, "mix_jobs", error);
    }
    return code == HS_OK ? find_slots(reader, "models", &reader->models, RESULT_MODELS_MAX, error)
                         : code;
}

static bool has_object(const struct result_reader *reader, const char *path)
{
    return H5Lexists(reader->load.file, path, H5P_DEFAULT) > 0;
}

static enum hs_err open_series(struct result_reader *reader, struct hs_error *error)
{
    char *mode = NULL;
    enum hs_err code = result_reader_text(reader, "series", "mode", &mode, error);

    if (code == HS_OK) {
        code = find_more(reader, error);
    }
    if (code == HS_OK && strcmp(mode, "none") != 0) {
        result_series_describe(&reader->more, strcmp(mode, "interval") == 0,
                               &reader->series_schema);
        code =
            open_table(reader, &reader->tables[TABLE_SERIES], &reader->series_schema.table, error);
    }
    free(mode);
    return code;
}

static enum hs_err open_tables(struct result_reader *reader, struct hs_error *error)
{
    static const struct {
        int index;
        const struct result_table *schema, *with_attempts;
    } optional[] = {
        {TABLE_ALLOCATIONS, &result_allocations_table, &result_attempts_table},
        {TABLE_DEVICES, &result_devices_table, &result_device_attempts_table},
        {TABLE_ARRIVALS, &result_arrivals_table, NULL},
        {TABLE_INFLATION, &result_inflation_table, NULL},
    };
    enum hs_err code = open_series(reader, error);
    struct result_jobs_more more = {.has_energy = reader->more.has_power};

    if (code == HS_OK) {
        more.has_attempts = has_object(reader, "jobs") && has_object(reader, "jobs/preemptions");
        more.has_speeds = has_object(reader, "jobs") && has_object(reader, "jobs/run_ref");
        more.has_predictions = has_object(reader, "jobs") && has_object(reader, "jobs/predicted");
        result_jobs_describe(&more, &reader->jobs_schema);
        code = open_table(reader, &reader->tables[TABLE_JOBS],
                          more.has_energy || more.has_attempts || more.has_speeds ||
                                  more.has_predictions
                              ? &reader->jobs_schema.table
                              : &result_jobs_table,
                          error);
    }
    for (size_t i = 0; code == HS_OK && i < sizeof optional / sizeof optional[0]; i++) {
        const struct result_table *schema = more.has_attempts && optional[i].with_attempts
                                                ? optional[i].with_attempts
                                                : optional[i].schema;

        if (has_object(reader, schema->name)) {
            code = open_table(reader, &reader->tables[optional[i].index], schema, error);
        }
    }
    return code;
}

enum hs_err result_reader_open(const char *path, struct result_reader **reader,
                               struct hs_error *error)
{
    struct result_reader *self = calloc(1, sizeof *self);
    enum hs_err code;

    *reader = NULL;
    if (!self) {
        return hs_error_memory(error);
    }
    for (int i = 0; i < TABLE_COUNT; i++) {
        for (size_t j = 0; j < READER_COLUMNS; j++) {
            self->tables[i].datasets[j] = H5I_INVALID_HID;
        }
    }
    code = load_open(&self->load, path, error);
    if (code == HS_OK && self->load.is_sweep) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: this is the merged file of a sweep, and the result of one run is "
                            "due. Name one of its runs, in the folder `runs` beside it.",
                            path);
    }
    if (code == HS_OK) {
        code = open_tables(self, error);
    }
    if (code != HS_OK) {
        result_reader_close(self);
        return code;
    }
    *reader = self;
    return HS_OK;
}

void result_reader_close(struct result_reader *reader)
{
    if (!reader) {
        return;
    }
    store_silence();
    for (int i = 0; i < TABLE_COUNT; i++) {
        for (size_t j = 0; j < READER_COLUMNS; j++) {
            if (reader->tables[i].datasets[j] >= 0) {
                (void)H5Dclose(reader->tables[i].datasets[j]);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        free(reader->summary_texts[i]);
    }
    free(reader->kinds);
    free(reader->models);
    load_close(&reader->load);
    free(reader);
}

const char *result_reader_path(const struct result_reader *reader)
{
    return reader->load.path;
}

enum hs_err result_reader_text(struct result_reader *reader, const char *object, const char *name,
                               char **text, struct hs_error *error)
{
    return load_text(&reader->load, object, name, text, error);
}

enum hs_err result_reader_int(struct result_reader *reader, const char *object, const char *name,
                              int64_t *value, struct hs_error *error)
{
    return load_number(&reader->load, object, name, H5T_NATIVE_INT64, value, error);
}

enum hs_err result_reader_double(struct result_reader *reader, const char *object, const char *name,
                                 double *value, struct hs_error *error)
{
    return load_number(&reader->load, object, name, H5T_NATIVE_DOUBLE, value, error);
}

enum hs_err result_reader_texts(struct result_reader *reader, const char *path, char **texts,
                                size_t *count, struct hs_error *error)
{
    return load_texts(&reader->load, path, texts, count, error);
}

static const struct reader_table *find_table(const struct result_reader *reader,
                                             const struct result_table *table)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        if (reader->tables[i].schema == table) {
            return &reader->tables[i];
        }
    }
    return NULL;
}

const struct result_table *result_reader_table(const struct result_reader *reader, const char *name)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        if (reader->tables[i].schema && strcmp(reader->tables[i].schema->name, name) == 0) {
            return reader->tables[i].schema;
        }
    }
    return NULL;
}

const struct result_series_more *result_reader_series_more(const struct result_reader *reader)
{
    return &reader->more;
}

int64_t result_reader_rows(const struct result_reader *reader, const struct result_table *table)
{
    const struct reader_table *found = table ? find_table(reader, table) : NULL;

    return found ? found->rows : 0;
}

static enum hs_err read_rows(struct result_reader *reader, const struct result_table *table,
                             size_t column, int64_t first, size_t count, void *values,
                             struct hs_error *error)
{
    const struct reader_table *found = find_table(reader, table);
    hid_t type = store_type(table->columns[column].type);
    bool is_ok;

    HS_ASSERT(found && result_has_column(table, column) && first >= 0);
    HS_ASSERT(first + (int64_t)count <= found->rows);
    store_listen(&reader->load.cause);
    is_ok = type >= 0 &&
            store_is_sound(found->datasets[column], first, count, &reader->load.cause) &&
            store_read(found->datasets[column], type, first, count, values);
    (void)H5Tclose(type);
    return is_ok ? HS_OK : load_fail(&reader->load, table->columns[column].name, error);
}

/* A state beyond the known ones has no name. */
static enum hs_err check_states(const struct result_reader *reader, const int64_t *states,
                                int64_t first, size_t count, struct hs_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (states[i] < 0 || states[i] >= RESULT_STATE_COUNT) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: row %" PRId64 " of the jobs has the unknown state %" PRId64
                                ". The file is damaged: run the experiment again.",
                                reader->load.path, first + (int64_t)i, states[i]);
        }
    }
    return HS_OK;
}

enum hs_err result_reader_ints(struct result_reader *reader, const struct result_table *table,
                               size_t column, int64_t first, size_t count, int64_t *values,
                               struct hs_error *error)
{
    enum result_type type = table->columns[column].type;
    size_t size = result_type_size(type);
    /* Narrow values are read into the end of the array and widened from its begin, so that no
     * value is overwritten before it was moved. */
    char *narrow = (char *)values + count * (sizeof *values - size);
    enum hs_err code = read_rows(reader, table, column, first, count, narrow, error);

    HS_ASSERT(type != RESULT_F64);
    for (size_t i = 0; code == HS_OK && size < sizeof *values && i < count; i++) {
        if (type == RESULT_I32) {
            int32_t value;

            memcpy(&value, narrow + i * size, sizeof value);
            values[i] = value;
        } else {
            values[i] = (int8_t)narrow[i];
        }
    }
    return code == HS_OK && type == RESULT_STATE ? check_states(reader, values, first, count, error)
                                                 : code;
}

enum hs_err result_reader_doubles(struct result_reader *reader, const struct result_table *table,
                                  size_t column, int64_t first, size_t count, double *values,
                                  struct hs_error *error)
{
    HS_ASSERT(table->columns[column].type == RESULT_F64);
    return read_rows(reader, table, column, first, count, values, error);
}

enum hs_err result_reader_column(struct result_reader *reader, const char *path, int64_t **values,
                                 size_t *count, struct hs_error *error)
{
    *values = load_column(&reader->load, path, H5T_NATIVE_INT64, count);
    return *values ? HS_OK : load_fail(&reader->load, path, error);
}

enum hs_err result_reader_reals(struct result_reader *reader, const char *path, double **values,
                                size_t *count, struct hs_error *error)
{
    *values = load_column(&reader->load, path, H5T_NATIVE_DOUBLE, count);
    return *values ? HS_OK : load_fail(&reader->load, path, error);
}

bool result_reader_has(struct result_reader *reader, const char *path)
{
    return load_has(&reader->load, path);
}

enum hs_err result_reader_summary(struct result_reader *reader, struct result_summary *summary,
                                  struct hs_error *error)
{
    static const char *const paths[3] = {"summary/name", "summary/unit", "summary/doc"};
    size_t counts[5];
    double *values = load_column(&reader->load, "summary/value", H5T_NATIVE_DOUBLE, &counts[3]);
    int64_t *numbers = load_column(&reader->load, "summary/n", H5T_NATIVE_INT64, &counts[4]);
    enum hs_err code = values && numbers ? HS_OK : load_fail(&reader->load, "summary", error);
    const char *texts[3];
    char *digest = NULL;

    *summary = (struct result_summary){0};
    for (int i = 0; code == HS_OK && i < 3; i++) {
        free(reader->summary_texts[i]);
        code = result_reader_texts(reader, paths[i], &reader->summary_texts[i], &counts[i], error);
        texts[i] = reader->summary_texts[i];
    }
    for (int i = 1; code == HS_OK && i < 5; i++) {
        code = counts[i] == counts[0] ? HS_OK : load_fail(&reader->load, "summary", error);
    }
    if (code == HS_OK) {
        code = result_reader_text(reader, ".", "schedule_digest", &digest, error);
    }
    if (code == HS_OK) {
        (void)snprintf(summary->schedule_digest, sizeof summary->schedule_digest, "%s", digest);
        summary->metrics = calloc(counts[0] + 1, sizeof *summary->metrics);
        code = summary->metrics ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < counts[0]; i++) {
        summary->metrics[i] =
            (struct result_metric){texts[0], texts[1], texts[2], values[i], numbers[i]};
        summary->metric_count++;
        for (int k = 0; k < 3; k++) {
            texts[k] += strlen(texts[k]) + 1;
        }
    }
    free(digest);
    free(values);
    free(numbers);
    return code;
}
