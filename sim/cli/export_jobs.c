/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_jobs.c - columns of the jobs in the order of the workload. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

/* In pieces that are read without waste. */
enum hs_err export_read_whole(struct result_reader *reader, const struct result_table *table,
                              size_t column, void **values, struct hs_error *error)
{
    int64_t rows = result_reader_rows(reader, table);
    int64_t *whole = malloc(((size_t)rows + 1) * sizeof *whole);

    *values = whole;
    if (!whole) {
        return hs_error_memory(error);
    }
    for (int64_t row = 0; row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;
        enum hs_err code =
            table->columns[column].type == RESULT_F64
                ? result_reader_doubles(reader, table, column, row, count, (double *)*values + row,
                                        error)
                : result_reader_ints(reader, table, column, row, count, whole + row, error);

        if (code != HS_OK) {
            return code;
        }
    }
    return HS_OK;
}

static enum hs_err load_names(struct export_names *names, struct result_reader *reader,
                              const char *path, struct hs_error *error)
{
    enum hs_err code = result_reader_texts(reader, path, &names->texts, &names->count, error);
    const char *text = names->texts;

    if (code != HS_OK) {
        return code;
    }
    names->at = malloc((names->count + 1) * sizeof *names->at);
    if (!names->at) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < names->count; i++) {
        names->at[i] = text;
        text += strlen(text) + 1;
    }
    return HS_OK;
}

enum hs_err export_jobs_load(struct export_jobs *jobs, size_t column, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    if (jobs->columns[column]) {
        return HS_OK;
    }
    if (column == JOB_CLASS) {
        code = load_names(&jobs->classes, jobs->reader, "dict/class/name", error);
    } else if (column == JOB_MODEL) {
        code = load_names(&jobs->models, jobs->reader, "dict/model/name", error);
    }
    return code == HS_OK
               ? export_read_whole(jobs->reader, jobs->table, column, &jobs->columns[column], error)
               : code;
}

const char *export_jobs_name(const struct export_jobs *jobs, size_t column, int64_t row)
{
    const struct export_names *names = column == JOB_CLASS ? &jobs->classes : &jobs->models;
    int64_t index;

    if (column != JOB_CLASS && column != JOB_MODEL) {
        return NULL;
    }
    index = export_jobs_int(jobs, column, row);
    return index >= 0 && index < (int64_t)names->count ? names->at[index] : "-";
}

int64_t export_jobs_int(const struct export_jobs *jobs, size_t column, int64_t row)
{
    return ((const int64_t *)jobs->columns[column])[row];
}

/* Ids are 0, 1, 2, ...: their order is a permutation. */
static enum hs_err sort_by_id(struct export_jobs *jobs, struct hs_error *error)
{
    jobs->order = malloc((jobs->count + 1) * sizeof *jobs->order);
    if (!jobs->order) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < jobs->count; i++) {
        jobs->order[i] = -1;
    }
    for (size_t row = 0; row < jobs->count; row++) {
        int64_t id = export_jobs_int(jobs, JOB_ID, (int64_t)row);

        if (id < 0 || id >= (int64_t)jobs->count || jobs->order[id] >= 0) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: the id %" PRId64 " of a job is out of range or there twice. "
                                "The file is damaged: run the experiment again.",
                                result_reader_path(jobs->reader), id);
        }
        jobs->order[id] = (int64_t)row;
    }
    return HS_OK;
}

enum hs_err export_jobs_init(struct export_jobs *jobs, struct result_reader *reader,
                             struct hs_error *error)
{
    enum hs_err code;

    *jobs = (struct export_jobs){.reader = reader, .table = result_reader_table(reader, "jobs")};
    jobs->count = (size_t)result_reader_rows(reader, jobs->table);
    code = export_jobs_load(jobs, JOB_ID, error);
    return code == HS_OK ? sort_by_id(jobs, error) : code;
}

void export_jobs_fini(struct export_jobs *jobs)
{
    for (int i = 0; i < JOB_COLUMNS; i++) {
        free(jobs->columns[i]);
    }
    free(jobs->order);
    free(jobs->first_node);
    free(jobs->node_count);
    free(jobs->attempts);
    free(jobs->first_allocation);
    free(jobs->classes.texts);
    free(jobs->classes.at);
    free(jobs->models.texts);
    free(jobs->models.at);
    *jobs = (struct export_jobs){0};
}

/* Rows of the allocations lie in the order of the jobs' rows. */
static enum hs_err assign_allocations(struct export_jobs *jobs, const int64_t *ids, size_t count,
                                      struct hs_error *error)
{
    size_t next = 0;

    for (size_t row = 0; row < jobs->count; row++) {
        jobs->first_allocation[row] = (int64_t)next;
        while (next < count && ids[next] == export_jobs_int(jobs, JOB_ID, (int64_t)row)) {
            next++;
        }
    }
    jobs->first_allocation[jobs->count] = (int64_t)next;
    if (next != count) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: the allocations are not in the order of the jobs. The file is "
                            "damaged: run the experiment again.",
                            result_reader_path(jobs->reader));
    }
    return HS_OK;
}

enum hs_err export_fail_allocations(const struct result_reader *reader, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: the file has no allocations, so the nodes of the jobs are not known. "
                        "Run the experiment with output: {allocations: true}.",
                        result_reader_path(reader));
}

enum hs_err export_jobs_load_hosts(struct export_jobs *jobs, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(jobs->reader, "allocations");
    void *ids = NULL;
    void *first = NULL;
    void *count = NULL;
    void *attempts = NULL;
    enum hs_err code;

    if (jobs->first_allocation) {
        return HS_OK;
    }
    if (!table) {
        return export_fail_allocations(jobs->reader, error);
    }
    code = export_read_whole(jobs->reader, table, ALLOCATION_JOB, &ids, error);
    if (code == HS_OK) {
        code = export_read_whole(jobs->reader, table, ALLOCATION_FIRST_NODE, &first, error);
    }
    jobs->first_node = first;
    if (code == HS_OK) {
        code = export_read_whole(jobs->reader, table, ALLOCATION_NODE_COUNT, &count, error);
    }
    jobs->node_count = count;
    if (code == HS_OK && result_has_column(table, ALLOCATION_ATTEMPT)) {
        code = export_read_whole(jobs->reader, table, ALLOCATION_ATTEMPT, &attempts, error);
    }
    jobs->attempts = attempts;
    jobs->first_allocation = malloc((jobs->count + 1) * sizeof *jobs->first_allocation);
    if (code == HS_OK && !jobs->first_allocation) {
        code = hs_error_memory(error);
    }
    if (code == HS_OK) {
        code =
            assign_allocations(jobs, ids, (size_t)result_reader_rows(jobs->reader, table), error);
    }
    free(ids);
    return code;
}

void export_hosts(struct export_text *text, const struct export_jobs *jobs, int64_t row)
{
    int64_t from = jobs->first_allocation[row];
    int64_t until = jobs->first_allocation[row + 1];
    bool is_first = true;

    while (jobs->attempts && from < until && jobs->attempts[from] != jobs->attempts[until - 1]) {
        from++;
    }
    for (int64_t i = from; i < until;) {
        int64_t first = jobs->first_node[i];
        int64_t last = first + jobs->node_count[i] - 1;

        /* Neighbours with different tasks are rows of their own, but one interval. */
        for (i++; i < until && jobs->first_node[i] == last + 1; i++) {
            last += jobs->node_count[i];
        }
        if (!is_first) {
            export_char(text, ' ');
        }
        is_first = false;
        export_int(text, first);
        if (last > first) {
            export_char(text, '-');
            export_int(text, last);
        }
    }
}
