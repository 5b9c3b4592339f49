/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c - hsim compare: do policies differ, and by how much? */
#include "cli/compare.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "text/units.h"

/* Each takes the metrics of all jobs, and Efron (1987) asks for a thousand. */
#define RESAMPLES_OF_JOBS 2000

struct arguments {
    char **paths; /* the arguments from the first on that is no option */
    int path_count;
    const char *metrics, *baseline, *by, *where;
    struct stats_design design;
    enum compare_format format;
    enum compare_unit unit;
};

enum {
    OPTION_METRIC = 'm',
    OPTION_BASELINE = 'b',
    OPTION_FORMAT = 'f',
    OPTION_BY = 256,
    OPTION_WHERE,
    OPTION_UNPAIRED,
    OPTION_MEDIAN,
    OPTION_LEVEL,
    OPTION_SEED,
    OPTION_RESAMPLE,
};

static const struct argp_option options[] = {
    {"metric", OPTION_METRIC, "NAME[,NAME...]", 0,
     "Metrics to compare (default: wait_mean_s, bsld_mean, turnaround_mean_s, makespan_s, "
     "util_alloc, energy_total_j as far as they are there; `hsim inspect --json` lists all)",
     0},
    {"baseline", OPTION_BASELINE, "LABEL", 0,
     "Policy with which the others are compared (default: that of the first file)", 0},
    {"by", OPTION_BY, "KEY[,KEY...]", 0,
     "Compare values of these keys of the experiment, too: they become part of the label, and may "
     "differ within a pair (--by scheduler.interval)",
     0},
    {"where", OPTION_WHERE, "KEY=VALUE[,KEY=VALUE...]", 0,
     "Compare only the runs in which these keys have these values (--where workload.load=0.9)", 0},
    {"unpaired", OPTION_UNPAIRED, NULL, 0,
     "Treat the runs of each policy as an independent sample: Welch's interval, no test", 0},
    {"median", OPTION_MEDIAN, NULL, 0,
     "Medians with BCa bootstrap intervals in place of means with Student's", 0},
    {"level", OPTION_LEVEL, "PERCENT", 0, "Level of the intervals (default: 95)", 0},
    {"resample", OPTION_RESAMPLE, "users|weeks", 0,
     "Compare one run of each policy on one trace: intervals by drawing its users, or weeks of "
     "submissions, with replacement, the same for all policies. Metrics are those of jobs: mean, "
     "median, p90, p95, p99 of wait, turnaround, slowdown and bsld",
     0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the bootstrap (default: 1)", 0},
    {"format", OPTION_FORMAT, "FORMAT", 0, "text (default), markdown, latex, csv or json", 0},
    {0},
};

static const char *const format_names[] = {
    [COMPARE_TEXT] = "text", [COMPARE_MARKDOWN] = "markdown", [COMPARE_LATEX] = "latex",
    [COMPARE_CSV] = "csv",   [COMPARE_JSON] = "json",
};

enum { FORMAT_COUNT = sizeof format_names / sizeof format_names[0] };

static void parse_format(struct arguments *arguments, const char *value, struct argp_state *state)
{
    const char *near = hs_nearest(value, format_names, FORMAT_COUNT);

    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(format_names[i], value) == 0) {
            arguments->format = (enum compare_format)i;
            return;
        }
    }
    cli_usage(state, "--format is '%s'; text, markdown, latex, csv or json is due%s%s%s.", value,
              near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static void parse_level(struct arguments *arguments, const char *value, struct argp_state *state)
{
    double percent;

    if (!text_units_parse_double(value, &percent) || !(percent >= 50 && percent <= 99.9999)) {
        cli_usage(state, "--level is '%s'; a number of percent from 50 to 99.9999 is due.", value);
    }
    arguments->design.level = percent / 100;
}

static void parse_seed(struct arguments *arguments, const char *value, struct argp_state *state)
{
    int64_t seed;
    bool is_number;

    if (!text_units_parse_int(value, &seed, &is_number) || seed < 0 || seed > UINT32_MAX) {
        cli_usage(state, "--seed is '%s'; a whole number from 0 to 4294967295 is due.", value);
    }
    arguments->design.seed = (uint64_t)seed;
}

static void parse_unit(struct arguments *arguments, const char *value, struct argp_state *state)
{
    if (strcmp(value, compare_unit_names[COMPARE_USERS]) == 0) {
        arguments->unit = COMPARE_USERS;
    } else if (strcmp(value, compare_unit_names[COMPARE_WEEKS]) == 0) {
        arguments->unit = COMPARE_WEEKS;
    } else {
        cli_usage(state, "--resample is '%s'; users or weeks is due.", value);
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case OPTION_METRIC:
        arguments->metrics = value;
        return 0;
    case OPTION_BASELINE:
        arguments->baseline = value;
        return 0;
    case OPTION_BY:
        arguments->by = value;
        return 0;
    case OPTION_WHERE:
        arguments->where = value;
        return 0;
    case OPTION_UNPAIRED:
        arguments->design.is_paired = false;
        return 0;
    case OPTION_MEDIAN:
        arguments->design.is_median = true;
        return 0;
    case OPTION_LEVEL:
        parse_level(arguments, value, state);
        return 0;
    case OPTION_RESAMPLE:
        parse_unit(arguments, value, state);
        return 0;
    case OPTION_SEED:
        parse_seed(arguments, value, state);
        return 0;
    case OPTION_FORMAT:
        parse_format(arguments, value, state);
        return 0;
    case ARGP_KEY_ARGS:
        arguments->paths = state->argv + state->next;
        arguments->path_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage(state,
                  "Which runs? Name results, FILE.h5, the merged file of a sweep, or folders "
                  "of them.");
    case ARGP_KEY_END:
        if (arguments->design.is_median && !arguments->design.is_paired) {
            cli_usage(state, "--median needs pairs: it does not go with --unpaired.");
        }
        if (arguments->unit != COMPARE_RUNS &&
            (arguments->design.is_median || !arguments->design.is_paired)) {
            cli_usage(state, "--resample compares one run of each policy, so it goes with neither "
                             "--median nor --unpaired.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp compare_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "FILE.h5|SWEEP.h5|FOLDER...",
    .doc =
        "Compares policies over runs of the same workloads, seeds and windows.\v"
        "Two runs are a pair if their experiments are equal but for the policy, the name, plugins "
        "and output, and their inputs have the same bytes; all that they share is a situation. For "
        "each metric and policy it prints "
        "the number of runs n, the mean, the mean difference from the baseline within pairs with "
        "Student's interval, the ratio of the geometric means with the interval of Student's t "
        "on logarithms, p of Wilcoxon's signed-rank test (zeros left out, equal sizes share their "
        "mean rank, exact up to 50 differences) after Holm's correction over the policies of a "
        "metric, and in how many pairs the policy is better, worse and equal. With fewer than five "
        "pairs there is no interval and no test, but the single values.\n\n"
        "A run whose backlog grows through the window is marked and left out, since its waits tell "
        "how long the workload is, not how good the policy. It is one in which, throughout the "
        "last quarter of the time from the first to the last submission (within the measured "
        "window), waiting jobs ask for at least as many processors as they did on average in the "
        "first half, and as jobs hold cores.",
};

static enum hs_err print(const struct compare_set *set, const struct compare_table *table,
                         const struct arguments *arguments, struct hs_error *error)
{
    struct stats_cell *cells = calloc(set->metric_count * table->policy_count + 1, sizeof *cells);
    struct compare_report report = {.set = set,
                                    .table = table,
                                    .cells = cells,
                                    .design = &arguments->design,
                                    .unit = arguments->unit};
    enum hs_err code = cells ? HS_OK : hs_error_memory(error);

    if (code == HS_OK && arguments->unit != COMPARE_RUNS) {
        code = compare_resample(set, table, &arguments->design, arguments->unit, cells, error);
    } else if (code == HS_OK) {
        code = compare_cells(set, table, &arguments->design, cells, error);
    }

    if (code == HS_OK && !compare_print(&report, arguments->format)) {
        code = hs_error_memory(error);
    }
    free(cells);
    return code;
}

static int compare_run(int argc, char **argv)
{
    struct arguments arguments = {
        .design = {.level = 0.95, .is_paired = true, .seed = 1, .resamples = 10000}};
    struct compare_set set = {0};
    struct compare_table table = {0};
    struct hs_error error = {0};
    int code = cli_parse(&compare_argp, argc, argv, 0, NULL, &arguments);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    table.is_paired = arguments.design.is_paired;
    if (arguments.unit != COMPARE_RUNS) {
        arguments.metrics = arguments.metrics ? arguments.metrics : COMPARE_JOB_METRICS;
        arguments.design.resamples = RESAMPLES_OF_JOBS;
    }
    err = compare_choose_metrics(&set, arguments.metrics, &error);
    for (int i = 0; err == HS_OK && i < arguments.path_count; i++) {
        err = compare_read(&set, arguments.paths[i], &error);
    }
    if (err == HS_OK) {
        compare_drop_metrics(&set);
    }
    if (err == HS_OK && arguments.where) {
        err = compare_filter(&set, arguments.where, &error);
    }
    if (err == HS_OK && arguments.by) {
        err = compare_split(&set, arguments.by, &error);
    }
    if (err == HS_OK) {
        err = compare_pair(&set, arguments.baseline, &table, &error);
    }
    if (err == HS_OK) {
        err = print(&set, &table, &arguments, &error);
    }
    if (err != HS_OK) {
        code = cli_fail(&error);
    }
    compare_table_fini(&table);
    compare_fini(&set);
    return cli_finish(code);
}

static const struct cli_values values[] = {
    {"baseline", "@policies", NULL},
    {"by", "@keys", NULL},
    {"format", "text markdown latex csv json", NULL},
    {NULL, "*.h5 @folders", NULL},
    CLI_VALUES_END,
};

const struct cli_command cli_compare = {
    .name = "compare",
    .summary = "Compare policies over many runs, with intervals and tests",
    .run = compare_run,
    .argp = &compare_argp,
    .values = values,
};
