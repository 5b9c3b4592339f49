/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map.c - `hsim map`: maps the tasks of a matrix to machines. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/grid.h"
#include "cli/map.h"
#include "cli/stop.h"
#include "cli/trace.h"
#include "text/units.h"
#include "workload/output.h"

#define STEPS_DEFAULT INT64_C(100000000)

enum option_key {
    KEY_STEPS = 0x100,
    KEY_TIME,
    KEY_SEED,
    KEY_BATCH,
    KEY_INTERVAL,
    KEY_RATE,
    KEY_JSON,
    KEY_FORCE,
    KEY_LIST
};

struct arguments {
    const char *path, *description; /* of the matrix: one of them */
    const char *policies, *output, *written;
    bool has_search, has_bound, is_json, is_forced, is_list, is_batch, has_steps;
    int64_t step_count, seed, batch_size;
    hs_time time_ns, interval_ns; /* 0: none */
    double rate_per_s;
    struct map_generate generate;
};

static const struct argp_option options[] = {
    {"policy", 'p', "NAME", 0,
     "The heuristic; several with commas between them, or all (default min-min)", 0},
    {"bound", 'b', NULL, 0, "Also tell the bound of the relaxation, which no mapping goes below",
     0},
    {"search", 's', NULL, 0, "Also search for a better mapping, by moves and exchanges", 0},
    {"steps", KEY_STEPS, "N", 0, "Moves that the search tries (default 100000000)", 0},
    {"time", KEY_TIME, "TIME", 0,
     "CPU time after which the search ends; what it finds then depends on the machine", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the search and of arrivals (default 1)", 0},
    {"generate", 'g', "TEXT", 0, "Draw the matrix instead of reading it", 0},
    {"write", 'w', "FILE", 0, "Write the matrix (packed if it ends in .gz or .zst; -: to stdout)",
     0},
    {"batch", KEY_BATCH, "N", 0, "On-line: map N tasks at a time, when the last of them arrives",
     0},
    {"interval", KEY_INTERVAL, "TIME", 0, "On-line: map every TIME what has arrived", 0},
    {"rate", KEY_RATE, "R", 0,
     "Tasks arrive at random (Poisson), R a second on the average (default: all at 0)", 0},
    {"output", 'o', "FILE", 0,
     "Write the mapping as CSV, of several that with the least makespan (-: to stdout)", 0},
    {"force", KEY_FORCE, NULL, 0, "Replace files that are there already", 0},
    {"json", KEY_JSON, NULL, 0, "Print the results as JSON", 0},
    {"list", KEY_LIST, NULL, 0, "List the heuristics", 0},
    {0},
};

static error_t parse_number(int key, const char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case KEY_STEPS:
        arguments->step_count = trace_parse_count(state, "steps", text);
        arguments->has_steps = true;
        return 0;
    case KEY_TIME:
        arguments->time_ns = trace_parse_time(state, "time", text);
        break;
    case KEY_SEED:
        arguments->seed = trace_parse_count(state, "seed", text);
        return 0;
    case KEY_BATCH:
        arguments->batch_size = trace_parse_count(state, "batch", text);
        arguments->is_batch = true;
        if (arguments->batch_size < 1 || arguments->batch_size > (int64_t)MAP_CELLS_MAX) {
            cli_usage(state, "--batch is '%s'; from 1 to %" PRIu64 " tasks are possible.", text,
                      MAP_CELLS_MAX);
        }
        return 0;
    case KEY_INTERVAL:
        arguments->interval_ns = trace_parse_time(state, "interval", text);
        arguments->is_batch = true;
        break;
    case KEY_RATE:
        if (!text_units_parse_double(text, &arguments->rate_per_s) ||
            !(arguments->rate_per_s >= 1e-9 && arguments->rate_per_s <= 1e9)) {
            cli_usage(state, "--rate is '%s'; a number of tasks a second from 1e-9 to 1e9 is due.",
                      text);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (arguments->time_ns < 0 || arguments->interval_ns < 0 ||
        (key == KEY_TIME ? arguments->time_ns : arguments->interval_ns) == 0) {
        cli_usage(state, "--%s is '%s'; it must be longer than nothing.",
                  key == KEY_TIME ? "time" : "interval", text);
    }
    return 0;
}

static bool is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* One place takes one output. */
static void check_outputs(struct argp_state *state, const struct arguments *arguments)
{
    bool is_taken = is_standard(arguments->output) || is_standard(arguments->written);

    if (arguments->output && arguments->written &&
        strcmp(arguments->output, arguments->written) == 0) {
        cli_usage(state, "--output and --write both name '%s'; give each a file of its own.",
                  arguments->output);
    }
    if (arguments->is_json && is_taken) {
        cli_usage(state, "--json and a '-' both want standard output; name a file instead of "
                         "the '-'.");
    }
}

/* What does not go together. */
static void check_arguments(struct argp_state *state, const struct arguments *arguments)
{
    if (arguments->is_list) {
        return;
    }
    if (!arguments->path == !arguments->description) {
        cli_usage(state, arguments->path
                             ? "Name a file or describe a matrix (--generate), not both."
                             : "Which matrix? Name a file, or describe one with --generate.");
    }
    if (arguments->batch_size && arguments->interval_ns) {
        cli_usage(state, "--batch and --interval are two ways to collect tasks; name one.");
    }
    if (arguments->is_batch && (arguments->has_search || arguments->has_bound)) {
        cli_usage(state,
                  "--search and --bound look at all tasks at once; leave them or the batches.");
    }
    if (arguments->rate_per_s > 0 && !arguments->is_batch) {
        cli_usage(state, "--rate says when tasks arrive; say with --batch or --interval when they "
                         "are mapped.");
    }
    if ((arguments->has_steps || arguments->time_ns) && !arguments->has_search) {
        cli_usage(state, "--%s says when a search ends; ask for one with --search.",
                  arguments->has_steps ? "steps" : "time");
    }
    check_outputs(state, arguments);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'p':
        arguments->policies = text;
        return 0;
    case 'b':
        arguments->has_bound = true;
        return 0;
    case 's':
        arguments->has_search = true;
        return 0;
    case 'g':
        arguments->description = text;
        return 0;
    case 'w':
        arguments->written = text;
        return 0;
    case 'o':
        arguments->output = text;
        return 0;
    case KEY_FORCE:
        arguments->is_forced = true;
        return 0;
    case KEY_JSON:
        arguments->is_json = true;
        return 0;
    case KEY_LIST:
        arguments->is_list = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->path) {
            cli_usage(state, "One matrix at a time; '%s' is one too many.", text);
        }
        arguments->path = text;
        return 0;
    case ARGP_KEY_END:
        check_arguments(state, arguments);
        return 0;
    default:
        return parse_number(key, text, state);
    }
}

static enum hs_err find_heuristic(const char *name, const struct hp_heuristic **heuristic,
                                  struct hs_error *error)
{
    const char *names[MAP_ROWS_MAX];
    const char *near;

    *heuristic = hp_heuristic_find(name);
    if (*heuristic) {
        return HS_OK;
    }
    HS_ASSERT(hp_heuristic_count < MAP_ROWS_MAX);
    for (size_t i = 0; i < hp_heuristic_count; i++) {
        names[i] = hp_heuristics[i].name;
    }
    names[hp_heuristic_count] = "all";
    if (strcmp(name, "all") == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--policy names `all` in a list; write it alone, or name some.");
    }
    near = hs_nearest(name, names, hp_heuristic_count + 1);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "There is no heuristic '%s'%s%s%s `hsim map --list` tells all.", name,
                        near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "");
}

/* The heuristics of a list of names, each once. */
static enum hs_err find_heuristics(const char *text, const struct hp_heuristic **heuristics,
                                   size_t *count, struct hs_error *error)
{
    *count = 0;
    if (strcmp(text, "all") == 0) {
        while (*count < hp_heuristic_count) {
            heuristics[*count] = &hp_heuristics[*count];
            ++*count;
        }
        return HS_OK;
    }
    while (true) {
        char name[64];
        size_t length = strcspn(text, ",");
        enum hs_err err;

        (void)snprintf(name, sizeof name, "%.*s", length < 63 ? (int)length : 63, text);
        err = find_heuristic(name, &heuristics[*count], error);
        if (err != HS_OK) {
            return err;
        }
        for (size_t i = 0; i < *count; i++) {
            if (heuristics[i] == heuristics[*count]) {
                return hs_error_set(error, HS_ERR_CONFIG, "--policy names '%s' twice.", name);
            }
        }
        ++*count;
        if (!text[length]) {
            return HS_OK;
        }
        text += length + 1;
    }
}

/* Completes a row from the mapping: copies, and what can be computed from it. */
static enum hs_err row_fill(struct map_row *row, const struct map_etc *etc,
                            const uint32_t *machine_of_task, const uint32_t *order,
                            struct hs_error *error)
{
    size_t bytes = etc->task_count * sizeof(uint32_t);
    double busy_s = 0.0;

    row->machine_of_task = malloc(bytes);
    row->order = malloc(bytes);
    if (!row->machine_of_task || !row->order) {
        return hs_error_memory(error);
    }
    memcpy(row->machine_of_task, machine_of_task, bytes);
    for (uint32_t task = 0; task < etc->task_count; task++) {
        row->order[task] = order ? order[task] : task;
        busy_s += etc->times_s[(size_t)task * etc->machine_count + machine_of_task[task]];
    }
    row->balance = row->makespan_s > 0 ? busy_s / (etc->machine_count * row->makespan_s) : 0.0;
    return HS_OK;
}

static enum hs_err map_once(struct hp_mapper *mapper, const struct hp_heuristic *heuristic,
                            const struct map_etc *etc, struct map_row *row, struct hs_error *error)
{
    const struct hp_mapping_problem problem = {.task_count = etc->task_count,
                                               .machine_count = etc->machine_count,
                                               .times_s = etc->times_s};
    struct hp_mapping mapping;
    double begin_s = map_cpu_s();
    enum hs_err err = hp_mapper_map(mapper, heuristic, &problem, &mapping, error);

    if (err != HS_OK) {
        return err;
    }
    row->name = heuristic->name;
    row->cpu_s = map_cpu_s() - begin_s;
    row->makespan_s = mapping.makespan_s;
    row->flowtime_s = mapping.flowtime_s;
    row->cell_count = mapping.cell_count;
    return row_fill(row, etc, mapping.machine_of_task, mapping.order, error);
}

/* When the search has to end. */
struct deadline {
    double end_s; /* 0: never by itself */
};

static bool is_over(void *context)
{
    const struct deadline *deadline = context;

    return *cli_stop_count() || (deadline->end_s > 0 && map_cpu_s() >= deadline->end_s);
}

/* The search begins from Min-Min, whatever else is asked for. */
static enum hs_err search_once(struct hp_mapper *mapper, const struct arguments *arguments,
                               const struct map_etc *etc, struct map_report *report,
                               struct hs_error *error)
{
    struct map_row *row = &report->rows[report->row_count++];
    double begin_s = map_cpu_s();
    struct deadline deadline = {
        arguments->time_ns ? begin_s + (double)arguments->time_ns / (double)HS_NS_PER_S : 0};
    const struct map_search_options search = {.seed = (uint64_t)arguments->seed,
                                              .step_count = (uint64_t)arguments->step_count,
                                              .is_over = is_over,
                                              .context = &deadline};
    uint32_t *machine_of_task;
    double *ready_s;
    enum hs_err err = map_once(mapper, hp_heuristic_find("min-min"), etc, row, error);

    if (err != HS_OK) {
        return err;
    }
    machine_of_task = row->machine_of_task;
    free(row->order);
    *row = (struct map_row){.name = "search"};
    cli_stop_catch(false);
    err = map_search(etc, &search, machine_of_task, &report->search, error);
    row->cpu_s = map_cpu_s() - begin_s;
    row->makespan_s = report->search.makespan_s;
    ready_s = calloc(etc->machine_count, sizeof *ready_s);
    if (err == HS_OK) {
        err = ready_s ? row_fill(row, etc, machine_of_task, NULL, error) : hs_error_memory(error);
    }
    for (uint32_t task = 0; err == HS_OK && task < etc->task_count; task++) {
        uint32_t machine = machine_of_task[task];

        ready_s[machine] += etc->times_s[(size_t)task * etc->machine_count + machine];
        row->flowtime_s += ready_s[machine];
    }
    report->has_search = true;
    free(ready_s);
    free(machine_of_task);
    return err;
}

static enum hs_err bound_once(const struct map_etc *etc, struct hp_mapper *mapper,
                              struct map_report *report, struct hs_error *error)
{
    struct map_row start = {0};
    double begin_s = map_cpu_s();
    enum hs_err err = map_once(mapper, hp_heuristic_find("min-min"), etc, &start, error);

    if (err == HS_OK) {
        err = map_bound_find(etc, start.machine_of_task, 0, NULL, NULL, &report->bound, error);
    }
    report->bound_cpu_s = map_cpu_s() - begin_s;
    report->has_bound = true;
    free(start.machine_of_task);
    free(start.order);
    return err;
}

static enum hs_err write_best(const struct arguments *arguments, const struct map_etc *etc,
                              const struct map_report *report, struct hs_error *error)
{
    const struct map_row *best = &report->rows[0];
    struct workload_output *output = NULL;
    enum hs_err err =
        workload_output_open(arguments->output, arguments->is_forced, stdout, &output, error);

    if (err != HS_OK) {
        return err;
    }
    for (size_t i = 1; i < report->row_count; i++) {
        best = report->rows[i].makespan_s < best->makespan_s ? &report->rows[i] : best;
    }
    if (!map_write_csv(workload_output_file(output), etc, best)) {
        workload_output_discard(output);
        return hs_error_memory(error);
    }
    return workload_output_finish(output, error);
}

/* All tasks at once. */
static enum hs_err map_all(const struct arguments *arguments, const struct map_etc *etc,
                           const struct hp_heuristic *const *heuristics, size_t count,
                           struct map_report *report, struct hs_error *error)
{
    struct hp_mapper *mapper = hp_mapper_create();
    enum hs_err err = mapper ? HS_OK : hs_error_memory(error);

    if (err == HS_OK && (arguments->has_bound || arguments->has_search)) {
        err = bound_once(etc, mapper, report, error);
    }
    for (size_t i = 0; err == HS_OK && i < count; i++) {
        err = map_once(mapper, heuristics[i], etc, &report->rows[report->row_count++], error);
    }
    if (err == HS_OK && arguments->has_search) {
        err = search_once(mapper, arguments, etc, report, error);
    }
    if (err == HS_OK && arguments->output) {
        err = write_best(arguments, etc, report, error);
    }
    hp_mapper_destroy(mapper);
    return err;
}

/* What goes on beside a run of batches. */
struct batch_context {
    FILE *file; /* NULL: none */
    double begin_s, cpu_s;
};

static bool take_placed(void *context, const struct map_placed *placed)
{
    const struct batch_context *batch = context;

    map_write_batch_line(batch->file, placed);
    return !ferror(batch->file) && !*cli_stop_count();
}

static void mark_time(void *context, bool is_begin)
{
    struct batch_context *batch = context;

    if (is_begin) {
        batch->begin_s = map_cpu_s();
    } else {
        batch->cpu_s += map_cpu_s() - batch->begin_s;
    }
}

static enum hs_err map_batches(const struct arguments *arguments, const struct map_etc *etc,
                               const struct hp_heuristic *heuristic, struct map_row *row,
                               struct hs_error *error)
{
    const struct map_batch_options batch = {
        .heuristic = heuristic,
        .etc = etc->times_s ? etc : NULL,
        .generate = &arguments->generate,
        .batch_size = (uint32_t)arguments->batch_size,
        .interval_s = (double)arguments->interval_ns / (double)HS_NS_PER_S,
        .rate_per_s = arguments->rate_per_s,
        .seed = (uint64_t)arguments->seed,
    };
    struct workload_output *output = NULL;
    struct batch_context context = {0};
    struct map_batch_calls calls = {.mark = mark_time, .context = &context};
    enum hs_err err = HS_OK;

    if (arguments->output) {
        err = workload_output_open(arguments->output, arguments->is_forced, stdout, &output, error);
        if (err != HS_OK) {
            return err;
        }
        context.file = workload_output_file(output);
        calls.take = take_placed;
        cli_stop_catch(false);
        map_write_batch_header(context.file);
    }
    err = map_batch_run(&batch, &calls, &row->batch, error);
    row->name = heuristic->name;
    row->makespan_s = row->batch.makespan_s;
    row->flowtime_s = row->batch.flowtime_s;
    row->balance = row->batch.balance;
    row->cell_count = row->batch.cell_count;
    row->cpu_s = context.cpu_s;
    if (err == HS_ERR_INTERRUPTED && *cli_stop_count()) {
        workload_output_discard(output);
        return hs_error_set(error, HS_ERR_INTERRUPTED,
                            "Stopped after %" PRIu64 " tasks; the unfinished file is removed.",
                            row->batch.mapped_count);
    }
    if (output && (err == HS_OK || err == HS_ERR_INTERRUPTED)) {
        return workload_output_finish(output, error); /* which says why writing failed */
    }
    workload_output_discard(output);
    return err;
}

/* Reads or draws the matrix, unless its rows are drawn batch by batch. */
static enum hs_err get_matrix(struct arguments *arguments, struct map_etc *etc,
                              struct map_report *report, struct hs_error *error)
{
    struct workload_output *output = NULL;
    enum hs_err err = HS_OK;

    if (arguments->path) {
        err = map_etc_read(arguments->path, etc, error);
    } else {
        err = map_generate_parse(arguments->description, &arguments->generate, error);
        if (err == HS_OK && (!arguments->is_batch || arguments->written)) {
            err = map_generate_etc(&arguments->generate, etc, error);
        }
    }
    report->source = arguments->path ? arguments->path : arguments->description;
    report->task_count = etc->task_count ? etc->task_count : arguments->generate.task_count;
    report->machine_count =
        etc->machine_count ? etc->machine_count : arguments->generate.machine_count;
    if (err == HS_OK && arguments->written) {
        err =
            workload_output_open(arguments->written, arguments->is_forced, stdout, &output, error);
        if (err == HS_OK) {
            map_etc_write(etc, workload_output_file(output));
            err = workload_output_finish(output, error);
        }
    }
    return err;
}

static enum hs_err run_all(struct arguments *arguments, struct map_etc *etc,
                           struct map_report *report, struct hs_error *error)
{
    const struct hp_heuristic *heuristics[MAP_ROWS_MAX];
    size_t count;
    const char *policies = arguments->policies ? arguments->policies : "min-min";
    enum hs_err err = find_heuristics(policies, heuristics, &count, error);

    if (err == HS_OK && arguments->is_batch && count > 1 && arguments->output) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "Batches are written as they are mapped: name one --policy with -o.");
    }
    if (err == HS_OK) {
        err = get_matrix(arguments, etc, report, error);
    }
    if (err != HS_OK || (arguments->written && !arguments->policies && !arguments->output &&
                         !arguments->is_batch && !arguments->has_bound && !arguments->has_search)) {
        return err; /* the matrix was all that was wanted */
    }
    report->is_batch = arguments->is_batch;
    if (!arguments->is_batch) {
        return map_all(arguments, etc, heuristics, count, report, error);
    }
    for (size_t i = 0; err == HS_OK && i < count; i++) {
        err = map_batches(arguments, etc, heuristics[i], &report->rows[report->row_count++], error);
    }
    return err;
}

static int list_heuristics(void)
{
    struct grid grid = {.columns = 2};

    for (size_t i = 0; i < hp_heuristic_count; i++) {
        grid_add(&grid, "%s", hp_heuristics[i].name);
        grid_add(&grid, "%s", hp_heuristics[i].summary);
    }
    return cli_finish(grid_print(&grid) ? CLI_OK : CLI_FAILED);
}

/* Prints what was found, unless standard output is taken. */
static int print_report(const struct arguments *arguments, const struct map_report *report)
{
    bool is_taken = is_standard(arguments->output) || is_standard(arguments->written);
    struct hs_error error = {0};

    if (is_taken || !report->row_count) {
        return cli_finish(CLI_OK);
    }
    if (arguments->is_json) {
        map_print_json(report);
    } else if (!map_print_table(report)) {
        (void)hs_error_memory(&error);
        return cli_fail(&error);
    }
    return cli_finish(CLI_OK);
}

#define ABOUT                                                                                      \
    "Maps independent tasks to machines that differ, from a matrix of expected times to compute "  \
    "(ETC): `TASKS MACHINES` in the first line, then the seconds of the first task on each "       \
    "machine, of the second, ...; or CSV with a line a task; `-`: cannot run there. Plain, gzip "  \
    "or zstd.\v"                                                                                   \
    "  hsim map matrix.etc --policy all --bound\n"                                                 \
    "  hsim map matrix.etc --search -o mapping.csv\n"                                              \
    "  hsim map -g 'range tasks=2048 machines=64 consistency=consistent' -w matrix.etc.gz\n"       \
    "  hsim map -g 'cvb tasks=100000 machines=1000' --batch 100 --rate 2\n\n"                      \
    "The makespan is the last end of a task, the flowtime the sum of all ends (on-line: ends "     \
    "minus arrivals, as a mean), the balance what machines compute on the average, relative to "   \
    "the makespan. On-line a task keeps its machine, and of a drawn matrix only the rows of a "    \
    "batch are held.\n\nA drawn matrix is of the model `range` or `cvb` (coefficient of "          \
    "variation); its keys, with their defaults:\n"

/* The help ends with the keys of drawn matrices. */
static enum hs_err describe(struct cli_description *description, struct hs_error *error)
{
    char *keys = map_generate_keys();
    bool is_ok = keys && asprintf(&description->doc, ABOUT "%s", keys) >= 0;

    free(keys);
    if (!is_ok) {
        description->doc = NULL;
        return hs_error_memory(error);
    }
    description->argp = (struct argp){.options = options,
                                      .parser = parse_option,
                                      .args_doc = "[MATRIX]",
                                      .doc = description->doc};
    return HS_OK;
}

static int run_map(int argc, char **argv)
{
    struct arguments arguments = {.step_count = STEPS_DEFAULT, .seed = 1};
    struct map_report report = {0};
    struct map_etc etc = {0};
    struct hs_error error = {0};
    struct cli_description description = {0};
    int code;

    if (describe(&description, &error) != HS_OK) {
        return cli_fail(&error);
    }
    code = cli_parse(&description.argp, argc, argv, 0, NULL, &arguments);
    cli_description_fini(&description);
    if (code != CLI_OK) {
        return code;
    }
    if (arguments.is_list) {
        return list_heuristics();
    }
    if (run_all(&arguments, &etc, &report, &error) == HS_OK) {
        code = print_report(&arguments, &report);
        if (code == CLI_OK && report.has_search && *cli_stop_count()) {
            (void)fputs("hsim: interrupted; the search is as far as it came until then.\n", stderr);
            code = CLI_INTERRUPTED;
        }
    } else {
        code = cli_fail(&error);
    }
    map_report_fini(&report);
    map_etc_fini(&etc);
    return code;
}

static const char *heuristic_name(size_t index)
{
    return index < hp_heuristic_count ? hp_heuristics[index].name : NULL;
}

static const struct cli_values values[] = {
    {"policy", "all", heuristic_name},
    {NULL, "@files", NULL},
    CLI_VALUES_END,
};

const struct cli_command cli_map = {
    .name = "map",
    .summary = "Map independent tasks to machines that differ (ETC)",
    .run = run_map,
    .describe = describe,
    .values = values,
};
