/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_warmup.c - where the beginning of a run ends that an empty machine has made easy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/grid.h"
#include "cli/inspect.h"
#include "result/stability.h"
#include "stats/stats.h"

struct arrival {
    int64_t submit_ns, id, row;
};

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *x = a;
    const struct arrival *y = b;
    int order = (x->submit_ns > y->submit_ns) - (x->submit_ns < y->submit_ns);

    return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Measures that settle, or do not, in their own time. */
static const struct {
    size_t column;
    const char *name;
} measures[] = {{JOB_WAIT, "wait"}, {JOB_TURNAROUND, "turnaround"}, {JOB_BSLD, "bounded slowdown"}};

enum { MEASURE_COUNT = sizeof measures / sizeof measures[0] };

/* The jobs that ran, in order of submission; `number` is scratch for a column. */
static enum hs_err list_arrivals(struct result_reader *reader, const struct result_table *jobs,
                                 size_t rows, int64_t *number, struct arrival *arrivals,
                                 size_t *count, struct hs_error *error)
{
    enum hs_err code = result_reader_ints(reader, jobs, JOB_START, 0, rows, number, error);

    *count = 0;
    for (size_t i = 0; code == HS_OK && i < rows; i++) {
        if (number[i] >= 0) {
            arrivals[(*count)++].row = (int64_t)i;
        }
    }
    code =
        code == HS_OK ? result_reader_ints(reader, jobs, JOB_SUBMIT, 0, rows, number, error) : code;
    for (size_t i = 0; code == HS_OK && i < *count; i++) {
        arrivals[i].submit_ns = number[arrivals[i].row];
    }
    code = code == HS_OK ? result_reader_ints(reader, jobs, JOB_ID, 0, rows, number, error) : code;
    for (size_t i = 0; code == HS_OK && i < *count; i++) {
        arrivals[i].id = number[arrivals[i].row];
    }
    if (code == HS_OK) {
        qsort(arrivals, *count, sizeof *arrivals, compare_arrivals);
    }
    return code;
}

static void add_row(struct grid *grid, const char *name, const struct stats_warmup *warmup,
                    const struct arrival *arrivals)
{
    int64_t span = arrivals[warmup->drop].submit_ns - arrivals[0].submit_ns;
    char seconds[HS_TIME_TEXT_MAX];

    (void)hs_time_format(span, seconds);
    grid_add(grid, "%s", name);
    grid_add(grid, "%zu", warmup->drop);
    if (warmup->is_at_limit) {
        grid_add(grid, "-");
        grid_add(grid, "does not settle within the first half of the jobs");
    } else {
        grid_add(grid, "%s", seconds);
        grid_add(grid, "%s", "");
    }
}

static enum hs_err print_measures(struct result_reader *reader, const struct result_table *jobs,
                                  size_t rows, const struct arrival *arrivals, size_t count,
                                  double *column, double *ordered, struct hs_error *error)
{
    struct grid grid = {.columns = 4, .rights = 6};
    hs_time longest = 0;
    bool has_settled = true;
    enum result_stability stability = RESULT_STABILITY_UNKNOWN;
    struct result_summary summary = {0};
    enum hs_err code = HS_OK;

    grid_add(&grid, "measure");
    grid_add(&grid, "jobs to leave out");
    grid_add(&grid, "warm-up s");
    grid_add(&grid, "%s", "");
    for (size_t m = 0; code == HS_OK && m < MEASURE_COUNT; m++) {
        struct stats_warmup warmup;

        code = result_reader_doubles(reader, jobs, measures[m].column, 0, rows, column, error);
        for (size_t i = 0; code == HS_OK && i < count; i++) {
            ordered[i] = column[arrivals[i].row];
        }
        if (code == HS_OK) {
            hs_time span;

            warmup = stats_mser5(ordered, count);
            span = arrivals[warmup.drop].submit_ns - arrivals[0].submit_ns;
            longest = span > longest ? span : longest;
            has_settled = has_settled && !warmup.is_at_limit;
            add_row(&grid, measures[m].name, &warmup, arrivals);
        }
    }
    if (!grid_print(&grid)) {
        return hs_error_memory(error);
    }
    if (code == HS_OK) {
        code = result_reader_summary(reader, &summary, error);
        stability = code == HS_OK ? result_stability_of(&summary) : RESULT_STABILITY_UNKNOWN;
        result_summary_fini(&summary);
    }
    if (code == HS_OK && stability == RESULT_UNSTABLE) {
        (void)puts(
            "\nNo warm-up is suggested: the backlog grows through the window, so the run has "
            "no steady state. Lower the load.");
    } else if (code == HS_OK && !has_settled) {
        (void)puts("\nNo warm-up is suggested: simulate more jobs, or ask whether the load is "
                   "below what the machine can do.");
    } else if (code == HS_OK) {
        char seconds[HS_TIME_TEXT_MAX];

        (void)hs_time_format(longest, seconds);
        (void)printf("\nMSER-5 suggests measure.warmup: %ss. Use one warm-up for all policies and "
                     "seeds of a study, the longest.\n",
                     seconds);
    }
    return code;
}

enum hs_err inspect_warmup(struct result_reader *reader, struct hs_error *error)
{
    const struct result_table *jobs = result_reader_table(reader, "jobs");
    size_t rows = jobs ? (size_t)result_reader_rows(reader, jobs) : 0;
    struct arrival *arrivals = calloc(rows + 1, sizeof *arrivals);
    int64_t *number = calloc(rows + 1, sizeof *number);
    double *column = calloc(2 * rows + 1, sizeof *column);
    size_t count = 0;
    enum hs_err code = arrivals && number && column ? HS_OK : hs_error_memory(error);

    if (code == HS_OK) {
        code = list_arrivals(reader, jobs, rows, number, arrivals, &count, error);
    }
    if (code == HS_OK && count < 10 * STATS_MSER_BATCH) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: %zu jobs ran, and MSER-5 needs at least %d. Simulate more jobs.",
                            result_reader_path(reader), count, 10 * STATS_MSER_BATCH);
    }
    if (code == HS_OK) {
        code = print_measures(reader, jobs, rows, arrivals, count, column, column + rows, error);
    }
    free(column);
    free(number);
    free(arrivals);
    return code;
}
