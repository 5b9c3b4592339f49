/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.c - the runs of a merged file as a source of runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"
#include "result/sweep_file.h"
#include "text/units.h"

#define NAME_MAX_BYTES 400

static const char *copy(struct compare_set *set, const char *text)
{
    return text_arena_copy(&set->arena, text, strlen(text));
}

/* What the simulations took is in a file beside the merged one. */
static enum hs_err read_cost(struct compare_set *set, const struct sweep_file *file,
                             struct compare_metric *metric, const double **column,
                             struct hs_error *error)
{
    double *values = text_arena_alloc(&set->arena, (file->run_count + 1) * sizeof *values);

    if (!values) {
        return hs_error_memory(error);
    }
    *metric = *compare_find_cost(metric->name);
    *column = values;
    return compare_read_timings(file, metric->name, values, error);
}

/* Columns of the metrics of the set; NULL where the file has none. */
static enum hs_err find_metrics(struct compare_set *set, const struct sweep_file *file,
                                const double **columns, struct hs_error *error)
{
    const char **names = calloc(file->metric_count + 1, sizeof *names);
    enum hs_err code = names ? HS_OK : hs_error_memory(error);

    for (size_t i = 0; code == HS_OK && i < file->metric_count; i++) {
        names[i] = file->metrics[i].name;
    }
    for (size_t i = 0; code == HS_OK && i < set->metric_count; i++) {
        struct compare_metric *metric = &set->metrics[i];
        const struct sweep_metric *found = sweep_file_metric(file, metric->name);

        columns[i] = found ? found->values : NULL;
        if (!found && compare_find_cost(metric->name)) {
            code = read_cost(set, file, metric, &columns[i], error);
        } else if (!found && !set->has_defaults) {
            code = compare_fail_metric(file->path, metric->name, names, file->metric_count, error);
        } else if (found && !metric->unit) {
            metric->unit = copy(set, found->unit);
            metric->doc = copy(set, found->doc);
        }
    }
    free(names);
    return code;
}

/* A value as the experiment of its run has it: a duration with its unit, in place of seconds. */
static const char *value_text(struct compare_set *set, const struct sweep_axis *axis,
                              const struct sweep_value *value)
{
    char text[UNITS_TEXT_MAX];

    if (strcmp(axis->unit, "s") == 0 && fabs(value->real) < 9e9) {
        text_units_format(UNITS_TIME, llround(value->real * 1e9), text);
        return copy(set, text);
    }
    if (strcmp(axis->unit, "B") == 0 && fabs(value->real) < 9e18) {
        text_units_format(UNITS_BYTES, llround(value->real), text);
        return copy(set, text);
    }
    return copy(set, value->text);
}

struct member {
    const struct sweep_run *run;
    size_t row, values; /* how many axes it sets */
};

/* By situation, the row that sets most axes first. */
static int compare_members(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    int order = strcmp(x->run->row.situation, y->run->row.situation);

    if (order == 0) {
        order = (x->values < y->values) - (x->values > y->values);
    }
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* By key and label. */
static int compare_twins(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    int order = strcmp(x->run->row.key, y->run->row.key);

    if (order == 0) {
        order = strcmp(x->run->row.policy, y->run->row.policy);
    }
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* What `include` adds need not set every axis: the experiment has a value of its own there, which
 * only the rows tell that set it. So rows of one situation have the values of the row that sets
 * most. By row; SIZE_MAX: the row is one run with an earlier one, under the same label. The caller
 * frees. NULL: no memory. */
static size_t *find_fullest(const struct sweep_file *file)
{
    size_t *fullest = calloc(file->run_count + 1, sizeof *fullest);
    struct member *members = calloc(file->run_count + 1, sizeof *members);

    for (size_t i = 0; fullest && members && i < file->run_count; i++) {
        members[i] = (struct member){.run = &file->runs[i], .row = i};
        for (size_t k = 0; k < file->axis_count; k++) {
            members[i].values += !file->axes[k].is_policy && file->runs[i].row.values[k].text;
        }
    }
    if (fullest && members) {
        qsort(members, file->run_count, sizeof *members, compare_members);
        for (size_t i = 0, first = 0; i < file->run_count; i++) {
            if (strcmp(members[i].run->row.situation, members[first].run->row.situation) != 0) {
                first = i;
            }
            fullest[members[i].row] = members[first].row;
        }
        qsort(members, file->run_count, sizeof *members, compare_twins);
        for (size_t i = 1; i < file->run_count; i++) {
            if (strcmp(members[i].run->row.key, members[i - 1].run->row.key) == 0 &&
                strcmp(members[i].run->row.policy, members[i - 1].run->row.policy) == 0) {
                fullest[members[i].row] = SIZE_MAX;
            }
        }
    } else {
        free(fullest);
        fullest = NULL;
    }
    free(members);
    return fullest;
}

/* What the sweep varies beside the policy, and the seed: of replications it is not that of the
 * axis. */
static enum hs_err make_facts(struct compare_set *set, const struct sweep_file *file,
                              const struct sweep_run *from, struct compare_run *run,
                              struct hs_error *error)
{
    struct compare_fact *facts =
        text_arena_alloc(&set->arena, (file->axis_count + 1) * sizeof *facts);
    size_t count = 0;
    char seed[24];

    if (!facts) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < file->axis_count; i++) {
        const struct sweep_axis *axis = &file->axes[i];
        const struct sweep_value *value = &from->row.values[i];

        if (value->text && !axis->is_policy && strcmp(axis->key, "seed") != 0) {
            const char *own = value_text(set, axis, value);

            facts[count++] = (struct compare_fact){copy(set, axis->key), own, own};
        }
    }
    (void)snprintf(seed, sizeof seed, "%" PRIu64, from->row.seed);
    facts[count].key = "seed";
    facts[count].text = facts[count].value = copy(set, seed);
    count++;
    run->facts = facts;
    run->fact_count = count;
    return set->arena.has_failed ? hs_error_memory(error) : HS_OK;
}

/* "easy workload.load=0.9 seed=3" */
static void make_name(const struct compare_run *run, char text[NAME_MAX_BYTES])
{
    size_t at = (size_t)snprintf(text, NAME_MAX_BYTES, "%s", run->label);

    for (size_t i = 0; i < run->fact_count && at < NAME_MAX_BYTES; i++) {
        at += (size_t)snprintf(text + at, NAME_MAX_BYTES - at, " %s=%s", run->facts[i].key,
                               run->facts[i].text);
    }
}

/* All facts of a run, out of its own file. */
static enum hs_err read_facts(struct compare_set *set, struct compare_run *run,
                              struct hs_error *error)
{
    struct result_reader *reader = NULL;
    struct hs_error cause = {0};
    enum hs_err code = result_reader_open(run->path, &reader, &cause);

    if (code == HS_OK) {
        code = compare_read_facts(reader, &set->arena, run, &cause);
    }
    result_reader_close(reader);
    if (code != HS_OK) {
        return hs_error_set(error, code,
                            "%s\nBeside other files a sweep is compared by all keys of its runs, "
                            "which are in their own files: they must lie in the folder `runs` "
                            "beside the merged file.",
                            cause.text);
    }
    run->trace = compare_trace_of_facts(&set->arena, run);
    return HS_OK;
}

/* `fullest`: the row whose values tell the situation. */
static enum hs_err add_row(struct compare_set *set, const struct sweep_file *file, size_t row,
                           size_t fullest, const struct tree_node *workload,
                           const double *const *columns, bool has_company, struct hs_error *error)
{
    const struct sweep_run *from = &file->runs[row];
    double values[COMPARE_METRICS_MAX];
    char name[NAME_MAX_BYTES];
    char *path = sweep_file_run_path(file, row);
    struct compare_run run = {
        .path = path,
        .name = name,
        .label = from->row.policy, /* with the parameters that the sweep varies */
        .values = values,
        .stability = from->stability,
        .is_of_sweep = true,
        .is_failed = from->status == SWEEP_FAILED,
    };
    enum hs_err code =
        path ? make_facts(set, file, &file->runs[fullest], &run, error) : hs_error_memory(error);

    make_name(&run, name);
    if (code == HS_OK) {
        run.trace = compare_trace_of_sweep(&set->arena, workload, &run);
        run.schedule = run.is_failed ? NULL : copy(set, from->schedule_digest);
    }
    for (size_t i = 0; i < set->metric_count; i++) {
        values[i] = columns[i] && isfinite(columns[i][row]) ? columns[i][row] : NAN;
    }
    if (code == HS_OK && has_company) {
        code = read_facts(set, &run, error);
    }
    if (code == HS_OK) {
        code = compare_add_run(set, &run, error);
    }
    free(path);
    return code;
}

enum hs_err compare_read_sweep(struct compare_set *set, const char *path, bool has_company,
                               struct hs_error *error)
{
    struct sweep_file *file = NULL;
    const double *columns[COMPARE_METRICS_MAX];
    const struct tree_node *workload = NULL;
    size_t *fullest = NULL;
    size_t complete = 0;
    enum hs_err code = sweep_file_read(path, &file, error);

    if (code == HS_OK) {
        code = find_metrics(set, file, columns, error);
    }
    if (code == HS_OK) {
        workload = compare_workload_of_sweep(&set->arena, file->config);
        fullest = find_fullest(file);
        code = fullest ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < file->run_count; i++) {
        bool is_failed = file->runs[i].status == SWEEP_FAILED;

        if (fullest[i] == SIZE_MAX) {
            continue;
        }
        complete += !is_failed;
        set->failed += is_failed;
        if (!(is_failed && has_company)) {
            code = add_row(set, file, i, fullest[i], workload, columns, has_company, error);
        }
    }
    if (code == HS_OK && complete == 0) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: no run of the sweep is complete, so there is nothing to compare. "
                            "`hsim inspect` shows why they failed.",
                            path);
    }
    free(fullest);
    sweep_file_destroy(file);
    return code;
}

enum hs_err compare_complete_facts(struct compare_set *set, struct hs_error *error)
{
    enum hs_err code = HS_OK;
    size_t kept = 0;

    for (size_t i = 0; code == HS_OK && i < set->run_count; i++) {
        struct compare_run *run = &set->runs[i];

        if (run->is_failed) {
            continue; /* nobody knows on what it was to be run */
        }
        if (run->is_of_sweep) {
            code = read_facts(set, run, error);
            run->situation = code == HS_OK ? compare_join_facts(set, run) : NULL;
        }
        set->runs[kept++] = *run;
    }
    if (code == HS_OK) {
        set->run_count = kept;
        set->is_sweep = false;
        code = set->arena.has_failed ? hs_error_memory(error) : HS_OK;
    }
    return code;
}
