/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metric.c - reads a metric of all measured jobs of a run. */
#include "plot/metric.h"

#include <math.h>
#include <stdlib.h>

#define NEEDS_ENERGY                                                                               \
    "no energy was accounted; the platform must say what its nodes and devices draw"
#define NEEDS_PREEMPT "only runs under a policy that preempts tell it apart from the wait"
#define NEEDS_SPEEDS  "only runs with `speeds` have a reference device"

static const struct plot_metric metrics[] = {
    {"wait", "wait", "s", NULL, JOB_WAIT, 1, false},
    {"bsld", "bounded slowdown", "1", NULL, JOB_BSLD, 1, false},
    {"slowdown", "slowdown", "1", NULL, JOB_SLOWDOWN, 1, false},
    {"turnaround", "turnaround", "s", NULL, JOB_TURNAROUND, 0, false},
    {"runtime", "run time", "s", NULL, JOB_RUNTIME, 0, false},
    {"energy", "energy of a job", "J", NEEDS_ENERGY, JOB_ENERGY, 0, false},
    {"queued", "waiting in all", "s", NEEDS_PREEMPT, JOB_QUEUED, 1, false},
    {"slowdown_ref", "slowdown against the reference device", "1", NEEDS_SPEEDS, JOB_SLOWDOWN_REF,
     0, false},
};

enum { METRIC_COUNT = sizeof metrics / sizeof metrics[0] };

enum hs_err plot_metric_find(const char *name, const struct plot_metric **metric,
                             struct hs_error *error)
{
    const char *names[METRIC_COUNT];
    size_t index;

    for (size_t i = 0; i < METRIC_COUNT; i++) {
        names[i] = metrics[i].name;
    }
    index = plot_word_find(name, names, METRIC_COUNT);
    *metric = index < METRIC_COUNT ? &metrics[index] : NULL;
    return *metric ? HS_OK : plot_word_fail("--metric", name, names, METRIC_COUNT, error);
}

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

/* The values of some rows; those of jobs that are not measured are passed over. */
static void keep_rows(const int64_t *measured, const int64_t *ints, const double *reals,
                      size_t rows, double *values, size_t *count, size_t *missing)
{
    for (size_t i = 0; i < rows; i++) {
        double value = ints ? (double)ints[i] / (double)HS_NS_PER_S : reals[i];

        if (!measured[i]) {
            continue;
        }
        if (ints ? ints[i] < 0 : !isfinite(value)) {
            ++*missing;
        } else {
            values[(*count)++] = value;
        }
    }
}

static enum hs_err read_values(const struct plot_metric *metric, const struct plot_run *run,
                               const struct result_table *table, double *values, size_t *count,
                               size_t *missing, struct hs_error *error)
{
    bool is_real = table->columns[metric->column].type == RESULT_F64;
    int64_t rows = result_reader_rows(run->reader, table);
    int64_t *measured = malloc(RESULT_READER_ROWS * sizeof *measured);
    double *reals = malloc(RESULT_READER_ROWS * sizeof *reals);
    int64_t *ints = malloc(RESULT_READER_ROWS * sizeof *ints);
    enum hs_err code = measured && reals && ints ? HS_OK : hs_error_memory(error);

    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t piece = (size_t)(rows - row < RESULT_READER_ROWS ? rows - row : RESULT_READER_ROWS);

        code = result_reader_ints(run->reader, table, JOB_MEASURED, row, piece, measured, error);
        if (code == HS_OK && is_real) {
            code =
                result_reader_doubles(run->reader, table, metric->column, row, piece, reals, error);
        } else if (code == HS_OK) {
            code = result_reader_ints(run->reader, table, metric->column, row, piece, ints, error);
        }
        if (code == HS_OK) {
            keep_rows(measured, is_real ? NULL : ints, reals, piece, values, count, missing);
        }
    }
    free(measured);
    free(reals);
    free(ints);
    return code;
}

enum hs_err plot_metric_read(const struct plot_metric *metric, const struct plot_run *run,
                             double **values, size_t *count, size_t *missing,
                             struct hs_error *error)
{
    const struct result_table *table = result_reader_table(run->reader, "jobs");
    enum hs_err code;

    *values = NULL;
    *count = 0;
    *missing = 0;
    if (!result_has_column(table, metric->column)) {
        return hs_error_set(error, HS_ERR_CONFIG, "%s: the run has no metric '%s': %s.", run->path,
                            metric->name, metric->lacking ? metric->lacking : "it is damaged");
    }
    *values = malloc(((size_t)result_reader_rows(run->reader, table) + 1) * sizeof **values);
    if (!*values) {
        return hs_error_memory(error);
    }
    code = read_values(metric, run, table, *values, count, missing, error);
    if (code == HS_OK && *count == 0) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%s: no measured job has the metric '%s', so there is nothing to draw. "
                            "`hsim inspect` tells what became of the jobs.",
                            run->path, metric->name);
    }
    if (code == HS_OK) {
        qsort(*values, *count, sizeof **values, compare_doubles);
    }
    return code;
}
