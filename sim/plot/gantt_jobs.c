/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt_jobs.c - users, classes and states to colours. */
#include "plot/gantt_jobs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/scan.h"

const char *const gantt_by_names[GANTT_BY_COUNT] = {"user", "class", "state"};

static const size_t key_columns[GANTT_BY_COUNT] = {JOB_USER, JOB_CLASS, JOB_STATE};

enum { ID, TRACE_ID, KEY, SUBMIT, START, END, HELD, COLUMNS };

/* Does the first run know more than one user, or classes? */
static enum hs_err find_by(const struct plot_run *run, enum gantt_by *by, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(run->reader, "jobs");
    const size_t columns[] = {JOB_USER};
    struct result_scan scan;
    enum hs_err code = result_scan_init(&scan, run->reader, table, columns, 1, error);
    int64_t first = 0;

    *by = result_has_column(table, JOB_CLASS) ? GANTT_CLASS : GANTT_STATE;
    for (int64_t row = 0; code == HS_OK && row < scan.rows; row++) {
        size_t index;

        code = result_scan_load(&scan, row, &index, error);
        first = code == HS_OK && row == 0 ? scan.values[0][index] : first;
        if (code == HS_OK && scan.values[0][index] != first) {
            *by = GANTT_USER;
            break;
        }
    }
    result_scan_fini(&scan);
    return code;
}

enum hs_err gantt_by_choose(const struct plot_request *request, const struct plot_runs *runs,
                            enum gantt_by *by, struct hs_error *error)
{
    size_t index;

    if (!request->color) {
        return find_by(&runs->list[0], by, error);
    }
    index = plot_word_find(request->color, gantt_by_names, GANTT_BY_COUNT);
    if (index == GANTT_BY_COUNT) {
        return plot_word_fail("--color", request->color, gantt_by_names, GANTT_BY_COUNT, error);
    }
    *by = (enum gantt_by)index;
    return HS_OK;
}

/* Room for all ids: they are numbers of jobs in the workload, of which the rows are a part. */
static enum hs_err make_room(struct gantt_jobs *jobs, int64_t id, int64_t rows,
                             const struct plot_run *run, struct hs_error *error)
{
    size_t count = jobs->count > 0 ? jobs->count : (size_t)rows;
    struct gantt_job *list;

    if (id < 0 || id > 64 * (rows + 1024)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: a job has the number %" PRId64 ", which cannot be in a file of "
                            "%" PRId64 " jobs. The file is damaged: run the experiment again.",
                            run->path, id, rows);
    }
    while (count <= (size_t)id) {
        count *= 2;
    }
    if (count == jobs->count) {
        return HS_OK;
    }
    list = realloc(jobs->list, count * sizeof *list);
    if (!list) {
        return hs_error_memory(error);
    }
    for (size_t i = jobs->count; i < count; i++) {
        list[i] = (struct gantt_job){.key = -1, .start_ns = -1, .end_ns = -1};
    }
    jobs->list = list;
    jobs->count = count;
    return HS_OK;
}

static void take_row(struct gantt_jobs *jobs, const struct result_scan *scan, size_t index)
{
    struct gantt_job *job = &jobs->list[scan->values[ID][index]];
    hs_time submit_ns = scan->values[SUBMIT][index];

    job->trace_id = scan->values[TRACE_ID][index];
    job->key = scan->values[KEY][index];
    job->start_ns = scan->values[START][index];
    job->end_ns = scan->values[END][index];
    job->cores = (double)scan->values[HELD][index];
    jobs->submit_ns = submit_ns < jobs->submit_ns ? submit_ns : jobs->submit_ns;
    jobs->last_ns = job->start_ns > jobs->last_ns ? job->start_ns : jobs->last_ns;
    jobs->last_ns = job->end_ns > jobs->last_ns ? job->end_ns : jobs->last_ns;
}

enum hs_err gantt_jobs_read(const struct plot_run *run, enum gantt_by by, struct gantt_jobs *jobs,
                            struct hs_error *error)
{
    const struct result_table *table = result_reader_table(run->reader, "jobs");
    const size_t columns[COLUMNS] = {JOB_ID,    JOB_TRACE_ID, key_columns[by], JOB_SUBMIT,
                                     JOB_START, JOB_END,      JOB_ALLOC_MILLI};
    struct result_scan scan;
    enum hs_err code;

    *jobs = (struct gantt_jobs){.submit_ns = HS_TIME_NEVER, .last_ns = INT64_MIN};
    if (!result_has_column(table, key_columns[by])) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the jobs of the run have no classes: only runs with `speeds` "
                            "have. Give --color user or --color state.",
                            run->path);
    }
    code = result_scan_init(&scan, run->reader, table, columns, COLUMNS, error);
    if (code == HS_OK && scan.rows == 0) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the run has no jobs, so there is nothing to draw.", run->path);
    }
    for (int64_t row = 0; code == HS_OK && row < scan.rows; row++) {
        size_t index;

        code = result_scan_load(&scan, row, &index, error);
        if (code == HS_OK) {
            code = make_room(jobs, scan.values[ID][index], scan.rows, run, error);
        }
        if (code == HS_OK) {
            take_row(jobs, &scan, index);
        }
    }
    result_scan_fini(&scan);
    return code;
}

void gantt_jobs_fini(struct gantt_jobs *jobs)
{
    free(jobs->list);
    *jobs = (struct gantt_jobs){0};
}

struct weight {
    int64_t key;
    double core_s;
};

static int compare_keys(const void *left, const void *right)
{
    const struct weight *a = left;
    const struct weight *b = right;

    return (a->key > b->key) - (a->key < b->key);
}

/* Those that hold most first; of equal ones that with the lower key. */
static int compare_weights(const void *left, const void *right)
{
    const struct weight *a = left;
    const struct weight *b = right;

    if (a->core_s != b->core_s) {
        return a->core_s < b->core_s ? 1 : -1;
    }
    return compare_keys(left, right);
}

/* What each job holds from `begin_ns` to `end_ns`; the number of those that hold something. */
static size_t weigh(const struct gantt_jobs *jobs, hs_time begin_ns, hs_time end_ns,
                    struct weight *weights)
{
    size_t count = 0;

    for (size_t i = 0; i < jobs->count; i++) {
        const struct gantt_job *job = &jobs->list[i];
        hs_time from = job->start_ns > begin_ns ? job->start_ns : begin_ns;
        hs_time to = job->end_ns >= 0 && job->end_ns < end_ns ? job->end_ns : end_ns;

        if (job->start_ns >= 0 && to > from) {
            weights[count++] =
                (struct weight){job->key, job->cores * (double)(to - from) / (double)HS_NS_PER_S};
        }
    }
    return count;
}

/* One weight for each key; their number. */
static size_t add_up(struct weight *weights, size_t count)
{
    size_t kept = 0;

    qsort(weights, count, sizeof *weights, compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && weights[kept - 1].key == weights[i].key) {
            weights[kept - 1].core_s += weights[i].core_s;
        } else {
            weights[kept++] = weights[i];
        }
    }
    return kept;
}

static enum hs_err name_colors(const struct plot_run *run, struct gantt_colors *colors,
                               struct hs_error *error)
{
    size_t named = colors->count - colors->has_others;
    char *classes = NULL;
    size_t class_count = 0;
    enum hs_err code = HS_OK;

    if (colors->by == GANTT_CLASS) {
        code = result_reader_texts(run->reader, "dict/class/name", &classes, &class_count, error);
    }
    for (size_t i = 0; code == HS_OK && i < named; i++) {
        int64_t key = colors->keys[i];
        char *name = colors->names[i];
        const char *text = classes;

        if (key < 0) {
            (void)snprintf(name, sizeof colors->names[i], "no %s", gantt_by_names[colors->by]);
        } else if (colors->by == GANTT_STATE) {
            (void)snprintf(name, sizeof colors->names[i], "%s",
                           result_state_name((enum result_state)key));
        } else if (colors->by == GANTT_USER || (size_t)key >= class_count) {
            (void)snprintf(name, sizeof colors->names[i], "%s %" PRId64, gantt_by_names[colors->by],
                           key);
        } else {
            for (int64_t k = 0; k < key; k++) {
                text += strlen(text) + 1;
            }
            (void)snprintf(name, sizeof colors->names[i], "%s", text);
        }
    }
    if (colors->has_others) {
        (void)snprintf(colors->names[named], sizeof colors->names[named], "others");
    }
    free(classes);
    return code;
}

enum hs_err gantt_colors_choose(const struct plot_runs *runs, const struct gantt_jobs *jobs,
                                enum gantt_by by, hs_time begin_ns, hs_time end_ns,
                                struct gantt_colors *colors, struct hs_error *error)
{
    struct weight *weights;
    size_t total = 0;
    size_t count = 0;
    size_t named;

    *colors = (struct gantt_colors){.by = by};
    for (size_t i = 0; i < runs->count; i++) {
        total += jobs[i].count;
    }
    weights = calloc(total + 1, sizeof *weights);
    if (!weights) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < runs->count; i++) {
        count += weigh(&jobs[i], begin_ns, end_ns, weights + count);
    }
    count = add_up(weights, count);
    colors->has_others = count > GANTT_COLORS_MAX;
    named = colors->has_others ? GANTT_COLORS_MAX - 1 : count;
    if (colors->has_others) {
        qsort(weights, count, sizeof *weights, compare_weights);
        qsort(weights, named, sizeof *weights, compare_keys);
    }
    for (size_t i = 0; i < named; i++) {
        colors->keys[i] = weights[i].key;
    }
    colors->count = named + colors->has_others;
    free(weights);
    return name_colors(&runs->list[0], colors, error);
}

int gantt_color(const struct gantt_colors *colors, const struct gantt_jobs *jobs, int64_t job)
{
    size_t named = colors->count - colors->has_others;
    int64_t key = job >= 0 && (size_t)job < jobs->count ? jobs->list[job].key : -1;

    for (size_t i = 0; i < named; i++) {
        if (colors->keys[i] == key) {
            return (int)i;
        }
    }
    return colors->count > 0 ? (int)colors->count - 1 : 0;
}
