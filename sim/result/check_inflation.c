/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_inflation.c - the means by percent of an inflation against its arrivals. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "result/arrivals.h"
#include "result/check.h"
#include "result/saturate.h"

/* The rows of /inflation, as they should be. */
struct means {
    int64_t *requested, *used; /* of the arrivals */
    double *fragments;
    int64_t *percents, *events; /* of the file */
    double *allocs, *lost;
    int64_t capacity_milli;
    size_t arrival_count, row_count;
};

static void means_fini(struct means *means)
{
    free(means->requested);
    free(means->used);
    free(means->fragments);
    free(means->percents);
    free(means->events);
    free(means->allocs);
    free(means->lost);
}

static enum hs_err load_ints(struct result_reader *reader, const struct result_table *table,
                             size_t column, int64_t **values, struct hs_error *error)
{
    size_t rows = (size_t)result_reader_rows(reader, table);

    *values = calloc(rows + 1, sizeof **values);
    return *values ? result_reader_ints(reader, table, column, 0, rows, *values, error)
                   : hs_error_memory(error);
}

static enum hs_err load_doubles(struct result_reader *reader, const struct result_table *table,
                                size_t column, double **values, struct hs_error *error)
{
    size_t rows = (size_t)result_reader_rows(reader, table);

    *values = calloc(rows + 1, sizeof **values);
    return *values ? result_reader_doubles(reader, table, column, 0, rows, *values, error)
                   : hs_error_memory(error);
}

static enum hs_err load_means(struct result_reader *reader, struct means *means,
                              struct hs_error *error)
{
    const struct result_table *arrivals = result_reader_table(reader, "arrivals");
    const struct result_table *rows = result_reader_table(reader, "inflation");
    enum hs_err code =
        result_reader_int(reader, "platform", "device_count", &means->capacity_milli, error);

    means->capacity_milli = saturate_product(means->capacity_milli, HS_SHARES_PER_UNIT);
    means->arrival_count = (size_t)result_reader_rows(reader, arrivals);
    means->row_count = (size_t)result_reader_rows(reader, rows);
    if (code == HS_OK) {
        code = load_ints(reader, arrivals, ARRIVAL_REQUESTED, &means->requested, error);
    }
    if (code == HS_OK) {
        code = load_ints(reader, arrivals, ARRIVAL_USED, &means->used, error);
    }
    if (code == HS_OK) {
        code = load_doubles(reader, arrivals, ARRIVAL_FRAGMENT, &means->fragments, error);
    }
    if (code == HS_OK) {
        code = load_ints(reader, rows, INFLATION_PERCENT, &means->percents, error);
    }
    if (code == HS_OK) {
        code = load_ints(reader, rows, INFLATION_EVENTS, &means->events, error);
    }
    if (code == HS_OK) {
        code = load_doubles(reader, rows, INFLATION_ALLOC, &means->allocs, error);
    }
    return code == HS_OK ? load_doubles(reader, rows, INFLATION_FRAGMENT, &means->lost, error)
                         : code;
}

/* Whether row `row` of the file is the sum. */
static bool is_row(const struct means *means, size_t row, const struct arrivals_sum *sum)
{
    double alloc;
    double fragment;

    if (row >= means->row_count || means->percents[row] != sum->percent ||
        means->events[row] != sum->events) {
        return false;
    }
    arrivals_means(sum, means->capacity_milli, &alloc, &fragment);
    return means->allocs[row] == alloc &&
           (means->lost[row] == fragment || (isnan(means->lost[row]) && isnan(fragment)));
}

/* The first row that is not the mean of its arrivals; -1: none, and no row is left. */
static int64_t find_wrong_row(const struct means *means)
{
    struct arrivals_sum sum = {0};
    size_t row = 0;

    for (size_t i = 0; i < means->arrival_count && means->capacity_milli > 0; i++) {
        int64_t percent = arrivals_percent(means->requested[i], means->capacity_milli);

        if (sum.events > 0 && percent != sum.percent) {
            if (!is_row(means, row, &sum)) {
                return (int64_t)row;
            }
            sum = (struct arrivals_sum){0};
            row++;
        }
        sum.percent = percent;
        arrivals_count(&sum, means->used[i], means->fragments[i]);
    }
    if (sum.events > 0 && !is_row(means, row++, &sum)) {
        return (int64_t)row - 1;
    }
    return row < means->row_count ? (int64_t)row : -1;
}

enum hs_err result_check_inflation(struct result_reader *reader, struct result_check *checks,
                                   size_t *count, struct hs_error *error)
{
    struct means means = {0};
    enum hs_err code;

    if (!result_reader_table(reader, "arrivals") || !result_reader_table(reader, "inflation")) {
        return HS_OK;
    }
    code = load_means(reader, &means, error);
    if (code == HS_OK) {
        struct result_check *check = &checks[(*count)++];
        int64_t row = find_wrong_row(&means);

        check->name = "inflation";
        if (row < 0) {
            result_conclude(check, RESULT_HOLDS, "its %zu rows are the means of %zu arrivals",
                            means.row_count, means.arrival_count);
        } else {
            result_conclude(check, RESULT_FAILS, "row %" PRId64 " is not the mean of its arrivals",
                            row);
        }
    }
    means_fini(&means);
    return code;
}
