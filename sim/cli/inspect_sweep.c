/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_sweep.c - what a merged file holds: axes, runs, failures, stability, metrics. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/inspect.h"
#include "cli/json.h"
#include "stats/stats.h"

#define VALUES_SHOWN 12
#define FAILED_SHOWN 10

/* Different texts in the order in which they come. */
struct list {
    const char **texts;
    size_t count, room;
    bool has_failed; /* memory */
};

static size_t list_add(struct list *list, const char *text)
{
    size_t i = 0;

    /* Texts of neighbours are often equal: the newest is asked first. */
    if (list->count > 0 && strcmp(list->texts[list->count - 1], text) == 0) {
        return list->count - 1;
    }
    while (i < list->count && strcmp(list->texts[i], text) != 0) {
        i++;
    }
    if (i < list->count) {
        return i;
    }
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        const char **moved = realloc(list->texts, room * sizeof *moved);

        if (!moved) {
            list->has_failed = true;
            return 0;
        }
        list->texts = moved;
        list->room = room;
    }
    list->texts[list->count] = text;
    return list->count++;
}

struct view {
    const struct sweep_file *file;
    struct list policies;
    struct list *values; /* by axis */
    size_t failed, unstable;
    uint64_t least_seed, most_seed;
};

static void view_fini(struct view *view)
{
    for (size_t i = 0; view->values && i < view->file->axis_count; i++) {
        free(view->values[i].texts);
    }
    free(view->values);
    free(view->policies.texts);
}

static enum hs_err view_init(struct view *view, const struct sweep_file *file,
                             struct hs_error *error)
{
    bool has_failed;

    *view = (struct view){.file = file, .least_seed = UINT64_MAX};
    view->values = calloc(file->axis_count + 1, sizeof *view->values);
    has_failed = !view->values;
    for (size_t i = 0; i < file->run_count && !has_failed; i++) {
        const struct sweep_run *run = &file->runs[i];

        (void)list_add(&view->policies, run->row.policy);
        for (size_t k = 0; k < file->axis_count; k++) {
            if (run->row.values[k].text) {
                (void)list_add(&view->values[k], run->row.values[k].text);
            }
            has_failed = has_failed || view->values[k].has_failed;
        }
        view->failed += run->status == SWEEP_FAILED;
        view->unstable += run->stability == RESULT_UNSTABLE;
        view->least_seed = run->row.seed < view->least_seed ? run->row.seed : view->least_seed;
        view->most_seed = run->row.seed > view->most_seed ? run->row.seed : view->most_seed;
    }
    return has_failed || view->policies.has_failed ? hs_error_memory(error) : HS_OK;
}

static void print_list(const struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i == VALUES_SHOWN - 1 && list->count > VALUES_SHOWN) {
            (void)printf(", ... %s (%zu)", list->texts[list->count - 1], list->count);
            break;
        }
        (void)printf("%s%s", i ? ", " : "", list->texts[i]);
    }
    (void)putchar('\n');
}

static void print_head(const struct view *view)
{
    const struct sweep_file *file = view->file;
    const char *title = "axes";

    (void)printf("sweep        %s\n", file->name);
    (void)printf("written by   hsim %s\n", file->version);
    (void)printf("runs         %zu: %zu complete, %zu of them unstable; %zu failed\n",
                 file->run_count, file->run_count - view->failed, view->unstable, view->failed);
    (void)printf("policies     ");
    print_list(&view->policies);
    if (file->run_count > 0) {
        (void)printf("seeds        %" PRIu64 " to %" PRIu64 "\n", view->least_seed,
                     view->most_seed);
    }
    for (size_t i = 0; i < file->axis_count; i++) {
        (void)printf("%-12s %s%s: ", title, file->axes[i].key,
                     file->axes[i].is_policy ? " (of the policy)" : "");
        print_list(&view->values[i]);
        title = "";
    }
}

/* The first axis with several values that is not the policy's, if they fit side by side; else none:
 * SIZE_MAX. */
static size_t find_side(const struct view *view)
{
    for (size_t i = 0; i < view->file->axis_count; i++) {
        if (view->values[i].count > 1 && !view->file->axes[i].is_policy) {
            return view->values[i].count <= VALUES_SHOWN ? i : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

/* Unstable and complete runs of each policy at each value of an axis. */
static enum hs_err print_stability(struct view *view, struct hs_error *error)
{
    size_t axis = find_side(view);
    struct list *values = axis == SIZE_MAX ? NULL : &view->values[axis];
    size_t columns = values ? values->count : 1;
    size_t *counts = calloc(2 * columns * (view->policies.count + 1), sizeof *counts);
    struct grid grid = {.columns = columns + 1, .rights = ~1u};

    if (!counts) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < view->file->run_count; i++) {
        const struct sweep_run *run = &view->file->runs[i];
        const char *text = values ? run->row.values[axis].text : "";
        size_t policy = list_add(&view->policies, run->row.policy);
        size_t *count;

        if (run->status == SWEEP_FAILED || !text) {
            continue;
        }
        count = &counts[2 * (policy * columns + (values ? list_add(values, text) : 0))];
        count[0] += run->stability == RESULT_UNSTABLE;
        count[1]++;
    }
    grid_add(&grid, "unstable%s%s", values ? " at " : "", values ? view->file->axes[axis].key : "");
    for (size_t k = 0; k < columns; k++) {
        grid_add(&grid, "%s", values ? values->texts[k] : "runs");
    }
    for (size_t p = 0; p < view->policies.count; p++) {
        grid_add(&grid, "%s", view->policies.texts[p]);
        for (size_t k = 0; k < columns; k++) {
            const size_t *count = &counts[2 * (p * columns + k)];

            grid_add(&grid, count[1] ? "%zu/%zu" : "-", count[0], count[1]);
        }
    }
    free(counts);
    (void)putchar('\n');
    return grid_print(&grid) ? HS_OK : hs_error_memory(error);
}

/* "easy workload.load=0.9 seed=3" */
static void print_place(const struct sweep_file *file, const struct sweep_run *run)
{
    (void)printf("%s", run->row.policy);
    for (size_t i = 0; i < file->axis_count; i++) {
        if (run->row.values[i].text) {
            (void)printf(" %s=%s", file->axes[i].key, run->row.values[i].text);
        }
    }
    (void)printf(" seed=%" PRIu64, run->row.seed);
}

static void print_failed(const struct view *view)
{
    size_t shown = 0;

    for (size_t i = 0; i < view->file->run_count; i++) {
        const struct sweep_run *run = &view->file->runs[i];

        if (run->status != SWEEP_FAILED) {
            continue;
        }
        if (shown++ == FAILED_SHOWN) {
            (void)printf("... and %zu more; --json has all.\n", view->failed - FAILED_SHOWN);
            return;
        }
        (void)printf("%sfailed: ", shown == 1 ? "\n" : "");
        print_place(view->file, run);
        (void)printf(" (%s): %s\n", run->row.key, run->error);
    }
}

/* Over the complete runs that are not unstable. */
struct spread {
    size_t count;
    double least, median, most;
};

static struct spread spread_of(const struct sweep_file *file, const struct sweep_metric *metric,
                               double *room)
{
    struct spread spread = {0, NAN, NAN, NAN};

    for (size_t i = 0; i < file->run_count; i++) {
        if (file->runs[i].stability != RESULT_UNSTABLE && isfinite(metric->values[i])) {
            room[spread.count++] = metric->values[i];
        }
    }
    if (spread.count > 0) {
        spread.median = stats_median(room, spread.count); /* which sorts */
        spread.least = room[0];
        spread.most = room[spread.count - 1];
    }
    return spread;
}

static void add_number(struct grid *grid, double value)
{
    grid_add(grid, isnan(value) ? "-" : "%.6g", value);
}

static enum hs_err print_metrics(const struct view *view, struct hs_error *error)
{
    const struct sweep_file *file = view->file;
    double *room = calloc(file->run_count + 1, sizeof *room);
    struct grid grid = {.columns = 6, .rights = 0x3cu};
    static const char *const titles[] = {"metric", "unit", "runs", "least", "median", "most"};

    if (!room) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        grid_add(&grid, "%s", titles[i]);
    }
    for (size_t i = 0; i < file->metric_count; i++) {
        struct spread spread = spread_of(file, &file->metrics[i], room);

        grid_add(&grid, "%s", file->metrics[i].name);
        grid_add(&grid, "%s", file->metrics[i].unit);
        grid_add(&grid, "%zu", spread.count);
        add_number(&grid, spread.least);
        add_number(&grid, spread.median);
        add_number(&grid, spread.most);
    }
    free(room);
    (void)putchar('\n');
    if (!grid_print(&grid)) {
        return hs_error_memory(error);
    }
    (void)puts("\nMetrics are over the runs that are not unstable. `hsim compare` compares the "
               "policies; --check\nchecks the file against its runs, --json prints all rows.");
    return HS_OK;
}

/* ---- JSON */

static void print_json_axes(const struct sweep_file *file)
{
    static const char *const types[] = {
        [SWEEP_INT] = "integer", [SWEEP_REAL] = "real", [SWEEP_TEXT] = "text"};

    (void)fputs(",\n \"axes\": [", stdout);
    for (size_t i = 0; i < file->axis_count; i++) {
        const struct sweep_axis *axis = &file->axes[i];

        (void)fputs(i ? ",\n  {\"key\": " : "\n  {\"key\": ", stdout);
        cli_json_string(stdout, axis->key);
        (void)fputs(", \"unit\": ", stdout);
        cli_json_string(stdout, axis->unit);
        (void)printf(", \"type\": \"%s\", \"is_policy\": %s, \"doc\": ", types[axis->type],
                     axis->is_policy ? "true" : "false");
        cli_json_string(stdout, axis->doc);
        (void)fputs("}", stdout);
    }
    (void)fputs("\n ],\n \"metrics\": [", stdout);
    for (size_t i = 0; i < file->metric_count; i++) {
        (void)fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", stdout);
        cli_json_string(stdout, file->metrics[i].name);
        (void)fputs(", \"unit\": ", stdout);
        cli_json_string(stdout, file->metrics[i].unit);
        (void)fputs(", \"doc\": ", stdout);
        cli_json_string(stdout, file->metrics[i].doc);
        (void)fputs("}", stdout);
    }
    (void)fputs("\n ]", stdout);
}

static void print_json_params(const struct sweep_file *file, const struct sweep_run *run)
{
    for (size_t i = 0; i < file->axis_count; i++) {
        const struct sweep_value *value = &run->row.values[i];

        (void)fputs(i ? ", " : "", stdout);
        cli_json_string(stdout, file->axes[i].key);
        (void)fputs(": ", stdout);
        if (!value->text || file->axes[i].type == SWEEP_TEXT) {
            cli_json_string(stdout, value->text);
        } else if (file->axes[i].type == SWEEP_INT) {
            (void)printf("%" PRId64, value->integer);
        } else {
            cli_json_number(stdout, value->real);
        }
    }
}

static void print_json_run(const struct sweep_file *file, size_t row)
{
    const struct sweep_run *run = &file->runs[row];

    (void)printf("%s\n  {\"key\": \"%s\", \"policy\": ", row ? "," : "", run->row.key);
    cli_json_string(stdout, run->row.policy);
    (void)printf(", \"seed\": %" PRIu64 ", \"replicate\": %" PRId64 ", \"situation\": ",
                 run->row.seed, run->row.replicate);
    cli_json_string(stdout, run->row.situation);
    (void)printf(", \"status\": \"%s\", \"stability\": \"%s\", \"error\": ",
                 run->status == SWEEP_FAILED ? "failed" : "complete",
                 result_stability_names[run->stability]);
    cli_json_string(stdout, *run->error ? run->error : NULL);
    (void)printf(", \"job_count\": %" PRId64 ", \"schedule_digest\": ", run->job_count);
    cli_json_string(stdout, *run->schedule_digest ? run->schedule_digest : NULL);
    (void)fputs(",\n   \"params\": {", stdout);
    print_json_params(file, run);
    (void)fputs("},\n   \"metrics\": {", stdout);
    for (size_t i = 0; i < file->metric_count; i++) {
        (void)fputs(i ? ", " : "", stdout);
        cli_json_string(stdout, file->metrics[i].name);
        (void)fputs(": ", stdout);
        cli_json_number(stdout, file->metrics[i].values[row]);
    }
    (void)fputs("}}", stdout);
}

static void print_json(const struct view *view)
{
    const struct sweep_file *file = view->file;

    (void)fputs("{\"kind\": \"sweep\", \"name\": ", stdout);
    cli_json_string(stdout, file->name);
    (void)fputs(", \"hsim_version\": ", stdout);
    cli_json_string(stdout, file->version);
    (void)printf(",\n \"complete\": %zu, \"failed\": %zu, \"unstable\": %zu",
                 file->run_count - view->failed, view->failed, view->unstable);
    print_json_axes(file);
    (void)fputs(",\n \"runs\": [", stdout);
    for (size_t i = 0; i < file->run_count; i++) {
        print_json_run(file, i);
    }
    (void)fputs("\n ]}\n", stdout);
}

enum hs_err inspect_sweep(const struct sweep_file *file, bool is_json, struct hs_error *error)
{
    struct view view;
    enum hs_err code = view_init(&view, file, error);

    if (code == HS_OK && is_json) {
        print_json(&view);
    } else if (code == HS_OK) {
        print_head(&view);
        code = print_stability(&view, error);
        print_failed(&view);
        if (code == HS_OK) {
            code = print_metrics(&view, error);
        }
    }
    view_fini(&view);
    return code;
}
