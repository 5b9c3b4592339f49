/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_csv.c - any table as CSV with a header. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"
#include "result/scan.h"

#define COLUMNS_MAX RESULT_SERIES_COLUMNS_MAX /* no table has more */
#define MADE        COLUMNS_MAX               /* a column that is no dataset of the table */

static const size_t usual_job_columns[] = {JOB_TRACE_ID, JOB_USER, JOB_PROCS,      JOB_SUBMIT,
                                           JOB_START,    JOB_END,  JOB_RUNTIME,    JOB_REQ_TIME,
                                           JOB_STATE,    JOB_WAIT, JOB_TURNAROUND, JOB_BSLD};

struct choice {
    size_t columns[COLUMNS_MAX + 1]; /* and a made one */
    size_t count;
    const char *made; /* name of the column MADE; NULL: the table has none */
};

/* Number of a job in its trace, for the rows of the allocations, which lie in the order of the
 * jobs' rows. Zeroed: the table has no such column. */
struct trace_ids {
    struct export_jobs jobs;
    size_t row; /* of the job of the row that comes next */
};

enum hs_err export_fail_column(const char *table, const char *column, const char *const *names,
                               size_t count, struct hs_error *error)
{
    const char *near = hs_nearest(column, names, count);
    char list[1024];
    size_t length = 0;

    for (size_t i = 0; i < count && length < sizeof list; i++) {
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", names[i]);
    }
    return hs_error_set(
        error, HS_ERR_CONFIG, "--columns: the table %s has no column '%s'%s%s%s It has: %s.", table,
        column, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ".", list);
}

static enum hs_err fail_column(const struct result_table *table, const char *name, const char *made,
                               struct hs_error *error)
{
    const char *names[COLUMNS_MAX + 1];
    size_t count = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        if (result_has_column(table, i)) {
            names[count++] = table->columns[i].name;
        }
    }
    if (made) {
        names[count++] = made;
    }
    return export_fail_column(table->name, name, names, count, error);
}

static enum hs_err add_column(const struct result_table *table, const char *name,
                              struct choice *choice, struct hs_error *error)
{
    size_t column = table->column_count + 1;

    for (size_t i = 0; i < table->column_count; i++) {
        if (result_has_column(table, i) && strcmp(table->columns[i].name, name) == 0) {
            column = i;
        }
    }
    if (choice->made && strcmp(name, choice->made) == 0) {
        column = MADE;
    } else if (column > table->column_count) {
        return fail_column(table, name, choice->made, error);
    }
    if (choice->count == COLUMNS_MAX + 1) {
        return hs_error_set(error, HS_ERR_CONFIG, "--columns names more than %d columns.",
                            COLUMNS_MAX + 1);
    }
    choice->columns[choice->count++] = column;
    return HS_OK;
}

/* "a,b,c" to columns of the table. */
static enum hs_err choose_columns(const struct result_table *table, const char *list,
                                  struct choice *choice, struct hs_error *error)
{
    enum hs_err code = HS_OK;
    char *copy = strdup(list);
    char *rest = copy;
    char *name;

    if (!copy) {
        return hs_error_memory(error);
    }
    while (code == HS_OK && (name = strsep(&rest, ",")) != NULL) {
        code = add_column(table, name + strspn(name, " "), choice, error);
    }
    free(copy);
    return code;
}

static void put_header(struct export_text *text, const struct result_table *table,
                       const struct choice *choice)
{
    for (size_t i = 0; i < choice->count; i++) {
        export_string(text, i ? "," : "");
        export_string(text, choice->columns[i] == MADE ? choice->made
                                                       : table->columns[choice->columns[i]].name);
    }
    export_char(text, '\n');
}

static void put_integer(struct export_text *text, const struct result_column *column, int64_t value)
{
    if (strcmp(column->unit, "ns") == 0) {
        export_time(text, value);
    } else if (column->type == RESULT_STATE && value >= 0 && value < RESULT_STATE_COUNT) {
        export_string(text, result_state_name((enum result_state)value));
    } else {
        export_int(text, value);
    }
}

/* Wait and turnaround are differences of exact times, and so they are exact, too. */
static bool put_difference(struct export_text *text, const struct export_jobs *jobs, size_t column,
                           int64_t row)
{
    size_t end = column == JOB_WAIT ? JOB_START : JOB_END;

    if (column != JOB_WAIT && column != JOB_TURNAROUND) {
        return false;
    }
    if (isnan(((const double *)jobs->columns[column])[row])) {
        export_string(text, "nan");
    } else {
        export_time(text, export_jobs_int(jobs, end, row) - export_jobs_int(jobs, JOB_SUBMIT, row));
    }
    return true;
}

static void put_job(struct export_text *text, const struct export_jobs *jobs,
                    const struct choice *choice, int64_t row)
{
    for (size_t i = 0; i < choice->count; i++) {
        size_t column = choice->columns[i];

        if (i) {
            export_char(text, ',');
        }
        if (column == MADE) {
            export_hosts(text, jobs, row);
        } else if (export_jobs_name(jobs, column, row)) {
            export_field(text, export_jobs_name(jobs, column, row));
        } else if (jobs->table->columns[column].type != RESULT_F64) {
            put_integer(text, &jobs->table->columns[column], export_jobs_int(jobs, column, row));
        } else if (!put_difference(text, jobs, column, row)) {
            export_general(text, 12, ((const double *)jobs->columns[column])[row]);
        }
    }
    export_char(text, '\n');
}

static enum hs_err load_chosen(struct export_jobs *jobs, const struct choice *choice,
                               struct hs_error *error)
{
    static const size_t of_differences[] = {JOB_SUBMIT, JOB_START, JOB_END};
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < choice->count; i++) {
        size_t column = choice->columns[i];

        code = column == MADE ? export_jobs_load_hosts(jobs, error)
                              : export_jobs_load(jobs, column, error);
        for (int k = 0; code == HS_OK && k < 3 && (column == JOB_WAIT || column == JOB_TURNAROUND);
             k++) {
            code = export_jobs_load(jobs, of_differences[k], error);
        }
    }
    return code;
}

static enum hs_err export_job_table(struct result_reader *reader, const char *columns,
                                    struct export_text *text, struct hs_error *error)
{
    struct choice choice = {.made = "hosts"};
    struct export_jobs jobs = {0};
    const struct result_table *table = result_reader_table(reader, "jobs");
    enum hs_err code = HS_OK;

    if (columns) {
        code = choose_columns(table, columns, &choice, error);
    } else {
        choice.count = sizeof usual_job_columns / sizeof usual_job_columns[0];
        memcpy(choice.columns, usual_job_columns, sizeof usual_job_columns);
    }
    if (code == HS_OK) {
        code = export_jobs_init(&jobs, reader, error);
    }
    if (code == HS_OK) {
        code = load_chosen(&jobs, &choice, error);
    }
    if (code == HS_OK) {
        put_header(text, table, &choice);
        for (size_t i = 0; i < jobs.count && !ferror(text->file); i++) {
            put_job(text, &jobs, &choice, jobs.order[i]);
        }
    }
    export_jobs_fini(&jobs);
    return code;
}

static enum hs_err trace_ids_init(struct trace_ids *ids, struct result_reader *reader,
                                  struct hs_error *error)
{
    enum hs_err code = export_jobs_init(&ids->jobs, reader, error);

    return code == HS_OK ? export_jobs_load(&ids->jobs, JOB_TRACE_ID, error) : code;
}

/* Turns ids of jobs into numbers of the trace. */
static enum hs_err trace_ids_apply(struct trace_ids *ids, int64_t *values, size_t count,
                                   struct hs_error *error)
{
    for (size_t i = 0; i < count; i++) {
        while (ids->row < ids->jobs.count &&
               export_jobs_int(&ids->jobs, JOB_ID, (int64_t)ids->row) != values[i]) {
            ids->row++;
        }
        if (ids->row == ids->jobs.count) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: the allocations are not in the order of the jobs. The file is "
                                "damaged: run the experiment again.",
                                result_reader_path(ids->jobs.reader));
        }
        values[i] = export_jobs_int(&ids->jobs, JOB_TRACE_ID, (int64_t)ids->row);
    }
    return HS_OK;
}

/* A piece of the rows of a table that keeps its order. */
static enum hs_err put_piece(struct result_reader *reader, const struct result_table *table,
                             const struct choice *choice, struct trace_ids *ids, int64_t first,
                             size_t count, void **values, struct export_text *text,
                             struct hs_error *error)
{
    for (size_t i = 0; i < choice->count; i++) {
        bool is_made = choice->columns[i] == MADE;
        size_t column = is_made ? ALLOCATION_JOB : choice->columns[i];
        enum hs_err code =
            table->columns[column].type == RESULT_F64
                ? result_reader_doubles(reader, table, column, first, count, values[i], error)
                : result_reader_ints(reader, table, column, first, count, values[i], error);

        if (code == HS_OK && is_made) {
            code = trace_ids_apply(ids, values[i], count, error);
        }
        if (code != HS_OK) {
            return code;
        }
    }
    for (size_t row = 0; row < count; row++) {
        for (size_t i = 0; i < choice->count; i++) {
            bool is_made = choice->columns[i] == MADE;
            const struct result_column *column =
                &table->columns[is_made ? ALLOCATION_JOB : choice->columns[i]];

            if (i) {
                export_char(text, ',');
            }
            if (column->type == RESULT_F64) {
                export_general(text, 12, ((const double *)values[i])[row]);
            } else {
                put_integer(text, column, ((const int64_t *)values[i])[row]);
            }
        }
        export_char(text, '\n');
    }
    return HS_OK;
}

/* All columns, a made one behind the first. */
static void choose_all(const struct result_table *table, struct choice *choice)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (!result_has_column(table, i)) {
            continue;
        }
        choice->columns[choice->count++] = i;
        if (i == 0 && choice->made) {
            choice->columns[choice->count++] = MADE;
        }
    }
}

static enum hs_err put_rows(struct result_reader *reader, const struct result_table *table,
                            const struct choice *choice, struct export_text *text,
                            struct hs_error *error)
{
    int64_t rows = result_reader_rows(reader, table);
    void *values[COLUMNS_MAX + 1] = {NULL};
    struct trace_ids ids = {0};
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < choice->count; i++) {
        values[i] = malloc(RESULT_READER_ROWS * sizeof(int64_t));
        code = values[i] ? HS_OK : hs_error_memory(error);
        if (code == HS_OK && choice->columns[i] == MADE && !ids.jobs.count) {
            code = trace_ids_init(&ids, reader, error);
        }
    }
    if (code == HS_OK) {
        put_header(text, table, choice);
    }
    for (int64_t row = 0; code == HS_OK && row < rows && !ferror(text->file);
         row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;

        code = put_piece(reader, table, choice, &ids, row, count, values, text, error);
    }
    for (size_t i = 0; i < choice->count; i++) {
        free(values[i]);
    }
    export_jobs_fini(&ids.jobs);
    return code;
}

static enum hs_err export_plain_table(struct result_reader *reader, const char *name,
                                      const char *columns, struct export_text *text,
                                      struct hs_error *error)
{
    const struct result_table *table = result_reader_table(reader, name);
    bool is_inflation = strcmp(name, "arrivals") == 0 || strcmp(name, "inflation") == 0;
    bool is_list = strcmp(name, "allocations") == 0 || strcmp(name, "device_allocations") == 0;
    struct choice choice = {.made = is_list ? "trace_id" : NULL};
    enum hs_err code = HS_OK;

    if (!table && strcmp(name, "device_allocations") == 0 &&
        result_reader_series_more(reader)->kind_count == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the file has no table device_allocations, because the platform "
                            "has no devices.",
                            result_reader_path(reader));
    }
    if (!table) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the file has no table %s. Run the experiment with %s.",
                            result_reader_path(reader), name,
                            is_inflation                  ? "workload: {inflation: {...}}"
                            : strcmp(name, "series") == 0 ? "output: {series: events}"
                                                          : "output: {allocations: true}");
    }
    if (columns) {
        code = choose_columns(table, columns, &choice, error);
    } else {
        choose_all(table, &choice);
    }
    return code == HS_OK ? put_rows(reader, table, &choice, text, error) : code;
}

static enum hs_err export_summary(struct result_reader *reader, const char *columns,
                                  struct export_text *text, struct hs_error *error)
{
    struct result_summary summary;
    enum hs_err code;

    if (columns) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--columns does not go with --table summary, whose columns are name, "
                            "value, unit and n.");
    }
    code = result_reader_summary(reader, &summary, error);
    if (code != HS_OK) {
        return code;
    }
    export_string(text, "name,value,unit,n\n");
    for (size_t i = 0; i < summary.metric_count; i++) {
        export_string(text, summary.metrics[i].name);
        export_char(text, ',');
        export_general(text, 17, summary.metrics[i].value);
        export_char(text, ',');
        export_string(text, summary.metrics[i].unit);
        export_char(text, ',');
        export_int(text, summary.metrics[i].count);
        export_char(text, '\n');
    }
    result_summary_fini(&summary);
    return HS_OK;
}

enum hs_err export_csv(struct result_reader *reader, const char *table, const char *columns,
                       struct export_text *text, struct hs_error *error)
{
    if (strcmp(table, "jobs") == 0) {
        return export_job_table(reader, columns, text, error);
    }
    if (strcmp(table, "summary") == 0) {
        return export_summary(reader, columns, text, error);
    }
    if (export_is_units(table)) {
        return export_units(reader, table, columns, text, error);
    }
    return export_plain_table(reader, table, columns, text, error);
}
