/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells.c - the statistics of all policies and metrics of a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"

enum hs_err compare_cells(const struct compare_set *set, const struct compare_table *table,
                          const struct stats_design *design, struct stats_cell *cells,
                          struct hs_error *error)
{
    size_t size = table->policy_count * table->columns;
    double *values = calloc(size, sizeof *values);
    enum hs_err code = values ? HS_OK : hs_error_memory(error);

    for (size_t m = 0; code == HS_OK && m < set->metric_count; m++) {
        for (size_t i = 0; i < size; i++) {
            const struct compare_run *run = table->runs[i];

            values[i] = run && run->stability != RESULT_UNSTABLE ? run->values[m] : NAN;
        }
        code = stats_compare(values, table->policy_count, table->columns, table->baseline, design,
                             cells + m * table->policy_count, error);
    }
    free(values);
    return code;
}

enum compare_direction compare_direction(const char *metric)
{
    static const char *const higher[] = {"util_", "throughput_", "finished", "inflation_alloc"};
    static const char *const neither[] = {"jobs",  "alloc_", "offered_load", "running_",
                                          "held_", "avail",  "free_",        "unfinished"};

    for (size_t i = 0; i < sizeof higher / sizeof higher[0]; i++) {
        if (strncmp(metric, higher[i], strlen(higher[i])) == 0) {
            return COMPARE_HIGHER;
        }
    }
    for (size_t i = 0; i < sizeof neither / sizeof neither[0]; i++) {
        if (strncmp(metric, neither[i], strlen(neither[i])) == 0) {
            return COMPARE_NEITHER;
        }
    }
    return COMPARE_LOWER;
}
