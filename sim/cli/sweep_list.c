/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_list.c - the table of the runs of a sweep. */
#include "cli/sweep_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/grid.h"
#include "cli/json.h"
#include "text/text_map.h"

struct counts {
    size_t runs; /* different ones */
    size_t of_state[3];
};

/* How long the rest takes; NaN: not known. */
static double left_s(const struct counts *counts, const struct sweep_list *list)
{
    return list->mean_s * (double)counts->of_state[SWEEP_LIST_MISSING] / list->jobs;
}

static enum sweep_list_state state_of(const struct sweep_list *list, size_t row)
{
    return list->states ? list->states[row] : SWEEP_LIST_MISSING;
}

static const char *state_name(enum sweep_list_state state)
{
    static const char *const names[] = {"missing", "finished", "failed"};

    return names[state];
}

/* Counts each key once. False: no memory. */
static bool count_runs(const struct sweep_row *rows, size_t row_count,
                       const struct sweep_list *list, struct counts *counts)
{
    struct text_map keys = {0};
    bool is_ok = true;

    *counts = (struct counts){0};
    for (size_t i = 0; is_ok && i < row_count; i++) {
        size_t number;

        is_ok = text_map_add(&keys, rows[i].key, &number);
        if (is_ok && number == counts->runs) {
            counts->runs++;
            counts->of_state[state_of(list, i)]++;
        }
    }
    text_map_fini(&keys);
    return is_ok;
}

static bool print_rows(const struct sweep_plan *plan, const struct sweep_list *list)
{
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    size_t axis_count = sweep_plan_axes(plan, &axes);
    size_t row_count = sweep_plan_rows(plan, &rows);
    struct grid grid = {.columns = axis_count + 5, .rights = 1u};

    grid_add(&grid, "row");
    for (size_t i = 0; i < axis_count; i++) {
        grid_add(&grid, "%s", axes[i].key);
    }
    grid_add(&grid, "policy");
    grid_add(&grid, "seed");
    grid_add(&grid, "state");
    grid_add(&grid, "key");
    for (size_t i = 0; i < row_count; i++) {
        grid_add(&grid, "%zu", i + 1);
        for (size_t k = 0; k < axis_count; k++) {
            grid_add(&grid, "%s", rows[i].values[k].text ? rows[i].values[k].text : "-");
        }
        grid_add(&grid, "%s", rows[i].policy);
        grid_add(&grid, "%" PRIu64, rows[i].seed);
        grid_add(&grid, "%s", state_name(state_of(list, i)));
        grid_add(&grid, "%s", rows[i].key);
    }
    return grid_print(&grid);
}

/* "3.2 h": a guess needs no more digits. */
static void print_estimate(double seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    size_t i = 0;

    while (i < 3 && seconds < 2 * units[i].seconds) {
        i++;
    }
    printf("%.*f %s", seconds / units[i].seconds < 10, seconds / units[i].seconds, units[i].unit);
}

static void print_counts(size_t row_count, const struct counts *counts,
                         const struct sweep_list *list)
{
    size_t missing = counts->of_state[SWEEP_LIST_MISSING];

    if (counts->runs < row_count) {
        printf("%zu rows of ", row_count);
    }
    printf("%zu run%s", counts->runs, counts->runs == 1 ? "" : "s");
    printf("; %zu finished", counts->of_state[SWEEP_LIST_FINISHED]);
    if (counts->of_state[SWEEP_LIST_FAILED]) {
        printf(", %zu failed", counts->of_state[SWEEP_LIST_FAILED]);
    }
    printf(", %zu missing", missing);
    if (missing && isfinite(list->mean_s)) {
        printf(": about ");
        print_estimate(left_s(counts, list));
        printf(" with %u at a time", list->jobs);
    }
    putchar('\n');
}

static void print_value(const struct sweep_axis *axis, const struct sweep_value *value)
{
    if (!value->text || axis->type == SWEEP_TEXT) {
        cli_json_string(stdout, value->text);
    } else if (axis->type == SWEEP_INT) {
        printf("%" PRId64, value->integer);
    } else {
        cli_json_number(stdout, value->real);
    }
}

static void print_json_row(const struct sweep_row *row, const struct sweep_axis *axes,
                           size_t axis_count, enum sweep_list_state state)
{
    printf("{\"key\": \"%s\", \"situation\": \"%s\", \"state\": \"%s\", \"policy\": ", row->key,
           row->situation, state_name(state));
    cli_json_string(stdout, row->policy);
    printf(", \"seed\": %" PRIu64 ", \"replicate\": %" PRId64 ", \"axes\": {", row->seed,
           row->replicate);
    for (size_t i = 0; i < axis_count; i++) {
        fputs(i ? ", " : "", stdout);
        cli_json_string(stdout, axes[i].key);
        fputs(": ", stdout);
        print_value(&axes[i], &row->values[i]);
    }
    fputs("}}", stdout);
}

static void print_json(const struct sweep_plan *plan, const struct counts *counts,
                       const struct sweep_list *list)
{
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    size_t axis_count = sweep_plan_axes(plan, &axes);
    size_t row_count = sweep_plan_rows(plan, &rows);

    fputs("{\"name\": ", stdout);
    cli_json_string(stdout, sweep_plan_base(plan)->name);
    printf(", \"rows\": %zu, \"runs\": %zu, \"finished\": %zu, \"failed\": %zu, \"missing\": %zu, "
           "\"left_s\": ",
           row_count, counts->runs, counts->of_state[SWEEP_LIST_FINISHED],
           counts->of_state[SWEEP_LIST_FAILED], counts->of_state[SWEEP_LIST_MISSING]);
    cli_json_number(stdout, left_s(counts, list));
    fputs(",\n \"axes\": [", stdout);
    for (size_t i = 0; i < axis_count; i++) {
        printf("%s{\"key\": ", i ? ", " : "");
        cli_json_string(stdout, axes[i].key);
        fputs(", \"unit\": ", stdout);
        cli_json_string(stdout, axes[i].unit);
        putchar('}');
    }
    fputs("],\n \"list\": [", stdout);
    for (size_t i = 0; i < row_count; i++) {
        fputs(i ? ",\n  " : "\n  ", stdout);
        print_json_row(&rows[i], axes, axis_count, state_of(list, i));
    }
    fputs("]}\n", stdout);
}

int sweep_list_print(const struct sweep_plan *plan, const struct sweep_list *list)
{
    const struct sweep_row *rows;
    size_t row_count = sweep_plan_rows(plan, &rows);
    struct counts counts;
    struct hs_error error = {0};
    bool is_ok = count_runs(rows, row_count, list, &counts);

    if (is_ok && list->is_json) {
        print_json(plan, &counts, list);
    } else if (is_ok) {
        is_ok = print_rows(plan, list);
        print_counts(row_count, &counts, list);
    }
    if (!is_ok) {
        (void)hs_error_memory(&error);
        return cli_finish(cli_fail(&error));
    }
    return cli_finish(CLI_OK);
}
