/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_output.c - what `hsim map` prints and writes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/grid.h"
#include "cli/json.h"
#include "cli/map.h"
#include "text/units.h"

double map_cpu_s(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void map_report_fini(struct map_report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        free(report->rows[i].machine_of_task);
        free(report->rows[i].order);
    }
}

static void print_head(const struct map_report *report)
{
    (void)printf("%s: %" PRIu32 " task%s on %" PRIu32 " machine%s\n", report->source,
                 report->task_count, report->task_count == 1 ? "" : "s", report->machine_count,
                 report->machine_count == 1 ? "" : "s");
    if (report->has_bound) {
        (void)printf("bound %.3f s, the makespan if tasks could be cut%s (%" PRIu64
                     " iterations, %.3f CPU s)\n",
                     report->bound.bound_s,
                     report->bound.is_exact ? "" : "; not solved to the end, but true",
                     report->bound.iterations, report->bound_cpu_s);
    }
    if (report->has_search) {
        (void)printf("search: %" PRIu64 " steps%s\n", report->search.step_count,
                     report->search.is_cut ? ", cut short" : "");
    }
}

static void add_batch_row(struct grid *grid, const struct map_row *row)
{
    double count = (double)row->batch.mapped_count;

    grid_add(grid, "%s", row->name);
    grid_add(grid, "%" PRIu64, row->batch.batch_count);
    grid_add(grid, "%" PRIu32, row->batch.batch_max);
    grid_add(grid, "%.3f", row->makespan_s);
    grid_add(grid, "%.3f", count > 0 ? row->flowtime_s / count : 0.0);
    grid_add(grid, "%.2f", 100.0 * row->balance);
    grid_add(grid, "%.3f", row->cpu_s);
}

static void add_row(struct grid *grid, const struct map_report *report, const struct map_row *row)
{
    grid_add(grid, "%s", row->name);
    grid_add(grid, "%.3f", row->makespan_s);
    if (report->has_bound) {
        grid_add(grid, "%.3f",
                 report->bound.bound_s > 0 ? 100.0 * (row->makespan_s / report->bound.bound_s - 1.0)
                                           : 0.0);
    }
    grid_add(grid, "%.3f", row->flowtime_s);
    grid_add(grid, "%.2f", 100.0 * row->balance);
    grid_add(grid, "%.3f", row->cpu_s * 1e3);
}

bool map_print_table(const struct map_report *report)
{
    static const char *const batch_titles[] = {"policy",      "batches",   "largest", "makespan s",
                                               "mean flow s", "balance %", "CPU s",   NULL};
    static const char *const titles[] = {
        "policy", "makespan s", "above bound %", "flowtime s", "balance %", "CPU ms", NULL};
    struct grid grid = {.columns = report->is_batch ? 7 : report->has_bound ? 6 : 5, .rights = ~1u};
    const char *const *title = report->is_batch ? batch_titles : titles;

    print_head(report);
    for (; report->row_count && *title; title++) {
        if (report->is_batch || report->has_bound || title != &titles[2]) {
            grid_add(&grid, "%s", *title);
        }
    }
    for (size_t i = 0; i < report->row_count; i++) {
        if (report->is_batch) {
            add_batch_row(&grid, &report->rows[i]);
        } else {
            add_row(&grid, report, &report->rows[i]);
        }
    }
    return grid_print(&grid);
}

static void print_number(const char *key, double value)
{
    (void)printf("\"%s\": ", key);
    cli_json_number(stdout, value);
}

static void print_row_json(const struct map_report *report, const struct map_row *row)
{
    (void)fputs("    {\"policy\": ", stdout);
    cli_json_string(stdout, row->name);
    (void)fputs(", ", stdout);
    print_number("makespan_s", row->makespan_s);
    (void)fputs(", ", stdout);
    print_number("flowtime_s", row->flowtime_s);
    (void)fputs(", ", stdout);
    print_number("balance", row->balance);
    (void)fputs(", ", stdout);
    print_number("cpu_s", row->cpu_s);
    if (report->is_batch) {
        (void)printf(", \"batches\": %" PRIu64 ", \"largest_batch\": %" PRIu32
                     ", \"mapped_tasks\": %" PRIu64,
                     row->batch.batch_count, row->batch.batch_max, row->batch.mapped_count);
    }
    (void)printf(", \"cells\": %" PRIu64 "}", row->cell_count);
}

void map_print_json(const struct map_report *report)
{
    (void)fputs("{\n  \"source\": ", stdout);
    cli_json_string(stdout, report->source);
    (void)printf(",\n  \"tasks\": %" PRIu32 ",\n  \"machines\": %" PRIu32, report->task_count,
                 report->machine_count);
    if (report->has_bound) {
        (void)fputs(",\n  ", stdout);
        print_number("bound_s", report->bound.bound_s);
        (void)printf(",\n  \"is_bound_exact\": %s", report->bound.is_exact ? "true" : "false");
    }
    if (report->has_search) {
        (void)printf(",\n  \"search_steps\": %" PRIu64 ",\n  \"is_search_cut\": %s",
                     report->search.step_count, report->search.is_cut ? "true" : "false");
    }
    (void)fputs(",\n  \"mappings\": [", stdout);
    for (size_t i = 0; i < report->row_count; i++) {
        (void)fputs(i ? ",\n" : "\n", stdout);
        print_row_json(report, &report->rows[i]);
    }
    (void)fputs(report->row_count ? "\n  ]\n}\n" : "]\n}\n", stdout);
}

static void put_number(FILE *file, double value, char end)
{
    char text[UNITS_TEXT_MAX];

    text_units_format_double(value, text);
    (void)fprintf(file, "%s%c", text, end);
}

bool map_write_csv(FILE *file, const struct map_etc *etc, const struct map_row *row)
{
    double *ready_s = calloc(etc->machine_count, sizeof *ready_s);

    if (!ready_s) {
        return false;
    }
    (void)fputs("task,machine,start,end\n", file);
    for (uint32_t i = 0; i < etc->task_count; i++) {
        uint32_t task = row->order[i];
        uint32_t machine = row->machine_of_task[task];

        (void)fprintf(file, "%" PRIu32 ",%" PRIu32 ",", task, machine);
        put_number(file, ready_s[machine], ',');
        ready_s[machine] += etc->times_s[(size_t)task * etc->machine_count + machine];
        put_number(file, ready_s[machine], '\n');
    }
    free(ready_s);
    return true;
}

void map_write_batch_header(FILE *file)
{
    (void)fputs("task,machine,arrival,mapped,start,end\n", file);
}

void map_write_batch_line(FILE *file, const struct map_placed *placed)
{
    (void)fprintf(file, "%" PRIu32 ",%" PRIu32 ",", placed->task, placed->machine);
    put_number(file, placed->arrival_s, ',');
    put_number(file, placed->mapped_s, ',');
    put_number(file, placed->start_s, ',');
    put_number(file, placed->end_s, '\n');
}
