/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_inflation.c - how full the machine was as an inflated workload arrived. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/inspect.h"

#define STEP_PERCENT 10 /* so often a line is shown */

struct curve {
    int64_t *percents;
    int64_t *events;
    double *allocs;
    double *fragments;
};

static enum hs_err read_curve(struct result_reader *reader, const struct result_table *table,
                              size_t rows, struct curve *curve, struct hs_error *error)
{
    enum hs_err err;

    curve->percents = calloc(rows + 1, sizeof *curve->percents);
    curve->events = calloc(rows + 1, sizeof *curve->events);
    curve->allocs = calloc(rows + 1, sizeof *curve->allocs);
    curve->fragments = calloc(rows + 1, sizeof *curve->fragments);
    if (!curve->percents || !curve->events || !curve->allocs || !curve->fragments) {
        return hs_error_memory(error);
    }
    err = result_reader_ints(reader, table, INFLATION_PERCENT, 0, rows, curve->percents, error);
    if (err == HS_OK) {
        err = result_reader_ints(reader, table, INFLATION_EVENTS, 0, rows, curve->events, error);
    }
    if (err == HS_OK) {
        err = result_reader_doubles(reader, table, INFLATION_ALLOC, 0, rows, curve->allocs, error);
    }
    if (err == HS_OK) {
        err = result_reader_doubles(reader, table, INFLATION_FRAGMENT, 0, rows, curve->fragments,
                                    error);
    }
    return err;
}

static void print_share(double share)
{
    if (isnan(share)) {
        (void)printf(" %11s", "-");
    } else {
        (void)printf(" %9.2f %%", 100 * share);
    }
}

enum hs_err inspect_inflation(struct result_reader *reader, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(reader, "inflation");
    size_t rows = (size_t)result_reader_rows(reader, table);
    struct curve curve = {0};
    enum hs_err err = read_curve(reader, table, rows, &curve, error);

    if (err == HS_OK) {
        (void)printf("\n%-12s %11s %11s %10s\n", "arrived", "held", "fragmented", "arrivals");
    }
    for (size_t i = 0; err == HS_OK && i < rows; i++) {
        if (curve.percents[i] % STEP_PERCENT == 0 || i + 1 == rows) {
            (void)printf("%7" PRId64 " %%   ", curve.percents[i]);
            print_share(curve.allocs[i]);
            print_share(curve.fragments[i]);
            (void)printf(" %10" PRId64 "\n", curve.events[i]);
        }
    }
    free(curve.percents);
    free(curve.events);
    free(curve.allocs);
    free(curve.fragments);
    return err;
}
