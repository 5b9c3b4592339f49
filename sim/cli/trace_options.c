/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_options.c - the options of the rules and transforms of a workload. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/trace.h"
#include "experiment/experiment.h"
#include "workload/source.h"

enum option_key {
    KEY_MACHINE = 0x200,
    KEY_FORMAT,
    KEY_THROUGHPUTS,
    KEY_REFERENCE,
    KEY_PROCS,
    KEY_MISSING,
    KEY_OVERRUN,
    KEY_ZERO,
    KEY_OVERSIZED,
    KEY_CANCELLED,
    KEY_MEMORY,
    KEY_STRICT,
    KEY_SORT_WINDOW,
    KEY_COLUMNS,
    KEY_ZONE,
    KEY_DURATION,
    KEY_MODELS,
    KEY_MIN_PROCS,
    KEY_MAX_PROCS,
    KEY_MIN_RUN,
    KEY_MAX_RUN,
    KEY_USERS,
    KEY_QUEUES,
    KEY_PARTITIONS,
    KEY_FROM_TIME,
    KEY_TO_TIME,
    KEY_SHIFT,
    KEY_LOAD,
    KEY_ESTIMATE,
    KEY_ESTIMATE_ROUND,
    KEY_HEAD,
    KEY_SHAKE,
    KEY_SEED,
};

void trace_options_init(struct trace_options *options)
{
    *options = (struct trace_options){0};
    workload_options_defaults(&options->workload);
    options->workload.seed = 1;
}

void trace_options_fini(struct trace_options *options)
{
    free(options->users);
    free(options->queues);
    free(options->partitions);
    experiment_fini(&options->columns);
}

const char *trace_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

int64_t trace_parse_count(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < 0) {
        cli_usage(state, "--%s is '%s'; a whole number, 0 or more, is due.", option, text);
    }
    return value;
}

hs_time trace_parse_time(struct argp_state *state, const char *option, const char *text)
{
    bool is_negative = *text == '-';
    hs_time time_ns = 0;

    if (!experiment_parse_time(text + is_negative, &time_ns)) {
        cli_usage(state,
                  "--%s is '%s'; a time is due: seconds, or a number with a unit (15m, "
                  "2h, 7d).",
                  option, text);
    }
    return is_negative ? -time_ns : time_ns;
}

static double parse_real(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end) {
        cli_usage(state, "--%s is '%s'; a number is due.", option, text);
    }
    return value;
}

/* One of the words; the index of it. */
static int parse_word(struct argp_state *state, const char *option, const char *text,
                      const char *const *words, size_t count)
{
    const char *nearest;
    char list[128] = "";

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list);

        if (!strcmp(text, words[i])) {
            return (int)i;
        }
        (void)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", words[i]);
    }
    nearest = hs_nearest(text, words, count);
    cli_usage(state, "--%s is '%s'; one of %s is due%s%s%s.", option, text, list,
              nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
}

/* "3,5,17": numbers into a new array. */
static size_t parse_list(struct argp_state *state, const char *option, const char *text,
                         int32_t **numbers)
{
    size_t count = 1, at = 0;

    for (const char *comma = text; *comma; comma++) {
        count += *comma == ',';
    }
    free(*numbers);
    *numbers = calloc(count, sizeof **numbers);
    if (!*numbers) {
        cli_usage(state, "--%s: the memory does not suffice for this list.", option);
    }
    while (at < count) {
        char *end;
        long value;

        errno = 0;
        value = strtol(text, &end, 10);
        if (errno || end == text || (*end && *end != ',') || value < -1 || value > INT32_MAX) {
            cli_usage(state, "--%s: numbers with commas between are due, as in 3,5,17.", option);
        }
        (*numbers)[at++] = (int32_t)value;
        text = end + (*end == ',');
    }
    return count;
}

enum workload_format_id trace_parse_format(struct argp_state *state, const char *option,
                                           const char *text)
{
    const char *names[WORKLOAD_FORMAT_COUNT] = {"auto"};

    for (int id = WORKLOAD_FORMAT_AUTO + 1; id < WORKLOAD_FORMAT_COUNT; id++) {
        names[id] = workload_format_at((enum workload_format_id)id)->name;
    }
    return (enum workload_format_id)parse_word(state, option, text, names, WORKLOAD_FORMAT_COUNT);
}

static const struct argp_option rules_options[] = {
    {NULL, 0, NULL, 0, "How records become jobs:", 1},
    {"machine", KEY_MACHINE, "N", 0, "Processors of the machine", 0},
    {"format", KEY_FORMAT, "NAME", 0,
     "Format of TRACE: swf, jobs, openb, gavel, helios, acme, philly-sia, pai, sacct, jobcomp, or "
     "csv with --columns; by default what the ending of its name and its first line say",
     0},
    {"columns", KEY_COLUMNS, "FILE", 0,
     "YAML file that says which column of a CSV file is what (`hsim explain workload.columns`)", 0},
    {"zone", KEY_ZONE, "OFFSET", 0, "What dates without a zone are ahead of UTC, as +08:00", 0},
    {"duration", KEY_DURATION, "WHICH", 0,
     "Run time where a list says it twice: times (end - start; default), or column (the duration)",
     0},
    {"models", KEY_MODELS, "WHICH", 0,
     "Models of GPUs that a list of another system names: trace (asked for; default), or any", 0},
    {"throughputs", KEY_THROUGHPUTS, "FILE", 0,
     "Steps a second of job types on types of workers (CSV), for a trace of Gavel", 0},
    {"reference", KEY_REFERENCE, "WORKER", 0,
     "Type of worker of that table on which the run times are taken", 0},
    {"procs", KEY_PROCS, "WHICH", 0,
     "Processors of a job: requested (field 8, else 5; default), allocated, or max", 0},
    {"estimate-missing", KEY_MISSING, "HOW", 0,
     "No requested time: run (the run time; default), drop, or a time", 0},
    {"overrun", KEY_OVERRUN, "HOW", 0,
     "Run time above the request: kill (cut; default), run, or extend", 0},
    {"zero", KEY_ZERO, "HOW", 0, "Run time 0: keep (default), one-second, or drop", 0},
    {"oversized", KEY_OVERSIZED, "HOW", 0,
     "More processors than the machine: reject (default) or clamp", 0},
    {"cancellations", KEY_CANCELLED, "HOW", 0, "Cancelled while waiting: replay (default) or drop",
     0},
    {"memory", KEY_MEMORY, "FIELD", 0, "Memory: ignore (default), requested, or used", 0},
    {"strict", KEY_STRICT, NULL, 0, "A row that cannot be read is an error, not a count", 0},
    {"sort-window", KEY_SORT_WINDOW, "N", 0,
     "Records that may be out of order by submit time (default 4096)", 0},
    {0},
};

static int rules_word(struct argp_state *state, int key, const char *text,
                      struct workload_options *workload)
{
    static const char *const sizes[] = {"requested", "allocated", "max"};
    static const char *const overruns[] = {"kill", "run", "extend"};
    static const char *const zeros[] = {"keep", "one-second", "drop"};
    static const char *const oversizes[] = {"reject", "clamp"};
    static const char *const cancels[] = {"replay", "drop"};
    static const char *const memories[] = {"ignore", "requested", "used"};
    static const char *const durations[] = {"times", "column"};
    static const char *const models[] = {"trace", "any"};

    switch (key) {
    case KEY_PROCS:
        workload->procs = (enum workload_procs)parse_word(state, "procs", text, sizes, 3);
        return 0;
    case KEY_OVERRUN:
        workload->overrun = (enum workload_overrun)parse_word(state, "overrun", text, overruns, 3);
        return 0;
    case KEY_ZERO:
        workload->zero = (enum workload_zero)parse_word(state, "zero", text, zeros, 3);
        return 0;
    case KEY_OVERSIZED:
        workload->oversized =
            (enum workload_oversized)parse_word(state, "oversized", text, oversizes, 2);
        return 0;
    case KEY_CANCELLED:
        workload->cancel =
            (enum workload_cancel)parse_word(state, "cancellations", text, cancels, 2);
        return 0;
    case KEY_MEMORY:
        workload->memory = (enum workload_memory)parse_word(state, "memory", text, memories, 3);
        return 0;
    case KEY_DURATION:
        workload->duration =
            (enum workload_duration)parse_word(state, "duration", text, durations, 2);
        return 0;
    case KEY_MODELS:
        workload->models = (enum workload_models)parse_word(state, "models", text, models, 2);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int64_t machine_parse(struct argp_state *state, const char *text)
{
    int64_t procs = trace_parse_count(state, "machine", text);

    if (procs > INT32_MAX) {
        cli_usage(state, "--machine is '%s'; a machine has at most 2147483647 processors.", text);
    }
    return procs;
}

static void columns_load(struct argp_state *state, const char *path, struct trace_options *options)
{
    struct hs_error error = {0};
    char *report;

    experiment_fini(&options->columns);
    if (experiment_load_columns(path, &options->columns, &report, &error)) {
        cli_usage(state, "--columns: %s", report ? report : error.text);
    }
    options->workload.columns = options->columns.workload.columns;
}

static error_t rules_parse(int key, char *text, struct argp_state *state)
{
    struct trace_options *options = state->input;
    struct workload_options *workload = &options->workload;

    switch (key) {
    case KEY_FORMAT:
        workload->format = trace_parse_format(state, "format", text);
        return 0;
    case KEY_THROUGHPUTS:
        workload->throughputs = text;
        return 0;
    case KEY_REFERENCE:
        workload->reference = text;
        return 0;
    case KEY_MACHINE:
        workload->machine_procs = machine_parse(state, text);
        return 0;
    case KEY_MISSING:
        if (!strcmp(text, "run")) {
            workload->missing = WORKLOAD_MISSING_RUN;
        } else if (!strcmp(text, "drop")) {
            workload->missing = WORKLOAD_MISSING_DROP;
        } else {
            workload->missing = WORKLOAD_MISSING_WALLTIME;
            workload->missing_walltime_ns = trace_parse_time(state, "estimate-missing", text);
        }
        return 0;
    case KEY_STRICT:
        workload->is_strict = true;
        return 0;
    case KEY_COLUMNS:
        columns_load(state, text, options);
        return 0;
    case KEY_ZONE:
        workload->zone = text;
        return 0;
    case KEY_SORT_WINDOW:
        workload->sort_window = trace_parse_count(state, "sort-window", text);
        return 0;
    default:
        return rules_word(state, key, text, workload);
    }
}

const struct argp trace_rules_argp = {rules_options, rules_parse, NULL, NULL, NULL, NULL, NULL};

static const struct argp_option transforms_options[] = {
    {NULL, 0, NULL, 0,
     "Transforms, applied as filter, window, shift, load, estimate, head, shake:", 2},
    {"min-procs", KEY_MIN_PROCS, "N", 0, "Only jobs of at least N processors", 0},
    {"max-procs", KEY_MAX_PROCS, "N", 0, "Only jobs of at most N processors", 0},
    {"min-runtime", KEY_MIN_RUN, "TIME", 0, "Only jobs that run at least so long", 0},
    {"max-runtime", KEY_MAX_RUN, "TIME", 0, "Only jobs that run at most so long", 0},
    {"users", KEY_USERS, "LIST", 0, "Only jobs of these users (3,5,17)", 0},
    {"queues", KEY_QUEUES, "LIST", 0, "Only jobs of these queues", 0},
    {"partitions", KEY_PARTITIONS, "LIST", 0, "Only jobs of these partitions", 0},
    {"window-from", KEY_FROM_TIME, "TIME", 0, "Only jobs submitted at this trace time or later", 0},
    {"window-to", KEY_TO_TIME, "TIME", 0, "Only jobs submitted before this trace time", 0},
    {"shift", KEY_SHIFT, "TIME", 0,
     "Move all submit times (negative: to earlier), or (zero) so that the first is 0", 0},
    {"load", KEY_LOAD, "X", 0,
     "Stretch the gaps between jobs until the offered load, before --head, is X (needs the size of "
     "the machine)",
     0},
    {"estimate", KEY_ESTIMATE, "HOW", 0,
     "Requested times: trace (default), exact, or a factor of the run time", 0},
    {"estimate-round", KEY_ESTIMATE_ROUND, "TIME", 0,
     "Round requested times up to multiples of this", 0},
    {"head", KEY_HEAD, "N", 0, "Only the first N jobs", 0},
    {"shake", KEY_SHAKE, "TIME", 0, "Move each submit time at random by up to +-TIME", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of all random numbers (default 1)", 0},
    {0},
};

static error_t filter_parse(int key, char *text, struct argp_state *state)
{
    struct trace_options *options = state->input;
    struct workload_options *workload = &options->workload;

    switch (key) {
    case KEY_MIN_PROCS:
        workload->filter.min_procs = trace_parse_count(state, "min-procs", text);
        return 0;
    case KEY_MAX_PROCS:
        workload->filter.max_procs = trace_parse_count(state, "max-procs", text);
        return 0;
    case KEY_MIN_RUN:
        workload->filter.min_run_ns = trace_parse_time(state, "min-runtime", text);
        return 0;
    case KEY_MAX_RUN:
        workload->filter.max_run_ns = trace_parse_time(state, "max-runtime", text);
        return 0;
    case KEY_USERS:
        workload->filter.user_count = parse_list(state, "users", text, &options->users);
        workload->filter.users = options->users;
        return 0;
    case KEY_QUEUES:
        workload->filter.queue_count = parse_list(state, "queues", text, &options->queues);
        workload->filter.queues = options->queues;
        return 0;
    case KEY_PARTITIONS:
        workload->filter.partition_count =
            parse_list(state, "partitions", text, &options->partitions);
        workload->filter.partitions = options->partitions;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void estimate_parse(struct argp_state *state, const char *text,
                           struct workload_options *workload)
{
    if (!strcmp(text, "trace")) {
        workload->estimate = WORKLOAD_ESTIMATE_TRACE;
    } else if (!strcmp(text, "exact")) {
        workload->estimate = WORKLOAD_ESTIMATE_EXACT;
    } else {
        workload->estimate = WORKLOAD_ESTIMATE_FACTOR;
        workload->estimate_factor = parse_real(state, "estimate", text);
    }
}

static error_t transforms_parse(int key, char *text, struct argp_state *state)
{
    struct trace_options *options = state->input;
    struct workload_options *workload = &options->workload;

    switch (key) {
    case KEY_FROM_TIME:
        workload->window_from_ns = trace_parse_time(state, "window-from", text);
        return 0;
    case KEY_TO_TIME:
        workload->window_to_ns = trace_parse_time(state, "window-to", text);
        return 0;
    case KEY_SHIFT:
        workload->shift_to_zero = !strcmp(text, "zero");
        workload->shift_ns = workload->shift_to_zero ? 0 : trace_parse_time(state, "shift", text);
        return 0;
    case KEY_LOAD:
        workload->load = parse_real(state, "load", text);
        if (!(workload->load > 0)) {
            cli_usage(state, "--load is '%s'; a number above 0 is due.", text);
        }
        return 0;
    case KEY_ESTIMATE:
        estimate_parse(state, text, workload);
        return 0;
    case KEY_ESTIMATE_ROUND:
        workload->estimate_round_ns = trace_parse_time(state, "estimate-round", text);
        return 0;
    case KEY_HEAD:
        workload->head = trace_parse_count(state, "head", text);
        return 0;
    case KEY_SHAKE:
        workload->shake_ns = trace_parse_time(state, "shake", text);
        return 0;
    case KEY_SEED:
        workload->seed = (uint64_t)trace_parse_count(state, "seed", text);
        return 0;
    default:
        return filter_parse(key, text, state);
    }
}

const struct argp trace_transforms_argp = {
    transforms_options, transforms_parse, NULL, NULL, NULL, NULL, NULL};

static const char *format_name(size_t index)
{
    enum workload_format_id id = (enum workload_format_id)(WORKLOAD_FORMAT_AUTO + 1 + (int)index);

    return index < WORKLOAD_FORMAT_COUNT - 1 ? workload_format_at(id)->name : NULL;
}

const struct cli_values trace_values[] = {
    {"format", "auto", format_name},
    {"to", "swf jobs", NULL},
    {"duration", "times column", NULL},
    {"models", "trace any", NULL},
    {"procs", "requested allocated max", NULL},
    {"estimate-missing", "run drop", NULL},
    {"overrun", "kill run extend", NULL},
    {"zero", "keep one-second drop", NULL},
    {"oversized", "reject clamp", NULL},
    {"cancellations", "replay drop", NULL},
    {"memory", "ignore requested used", NULL},
    {"shift", "zero", NULL},
    {"estimate", "trace exact", NULL},
    {NULL, "@files", NULL},
    CLI_VALUES_END,
};
