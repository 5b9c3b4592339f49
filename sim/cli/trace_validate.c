/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_validate.c - `hsim trace validate`: every problem of a trace, with lines and remedies. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/trace.h"
#include "workload/summary.h"

struct validate_arguments {
    struct trace_options options;
    const char *input;
    bool has_failing_warnings;
};

/* A kind of problem: its examples, then what to do. */
struct problem {
    const struct workload_tally *tally;
    const char *one;    /* "row that cannot be read" */
    const char *many;   /* "rows that cannot be read" */
    const char *remedy; /* a sentence */
};

static void problem_print(FILE *file, const char *path, const char *severity,
                          const struct problem *problem)
{
    const struct workload_tally *tally = problem->tally;
    int64_t shown = tally->count < WORKLOAD_NOTE_MAX ? tally->count : WORKLOAD_NOTE_MAX;

    for (int64_t i = 0; i < shown; i++) {
        (void)fprintf(file, "%s:%lld: %s: ", path, (long long)tally->lines[i], severity);
        if (tally->trace_ids[i] >= 0) {
            (void)fprintf(file, "job %lld: ", (long long)tally->trace_ids[i]);
        }
        (void)fprintf(file, "%s.\n", tally->reasons[i]);
    }
    if (tally->count > shown) {
        (void)fprintf(file, "%s: %s: and %lld more of this kind.\n", path, severity,
                      (long long)(tally->count - shown));
    }
    (void)fprintf(file, "%s: %s: %lld %s. %s\n", path, severity, (long long)tally->count,
                  tally->count == 1 ? problem->one : problem->many, problem->remedy);
}

static int64_t problems_print(FILE *file, const char *path, const char *severity,
                              const struct problem *problems, size_t count)
{
    int64_t found = 0;

    for (size_t i = 0; i < count; i++) {
        if (problems[i].tally->count > 0) {
            problem_print(file, path, severity, &problems[i]);
            found += problems[i].tally->count;
        }
    }
    return found;
}

static int64_t errors_print(const char *path, const struct workload_summary *summary)
{
    const struct workload_stats *stats = &summary->stats;
    const struct problem problems[] = {
        {&stats->bad, "row that cannot be read", "rows that cannot be read",
         "A run skips them (with strict it stops). Correct or remove them."},
        {&stats->late, "record further out of order than the sort window",
         "records further out of order than the sort window",
         "A run stops at the first. Sort the trace by submit time (SWF: sort -s -n -k 2,2), or "
         "raise sort_window."},
        {&summary->duplicate_ids, "job number used twice", "job numbers used twice",
         "A run keeps both jobs; whoever joins tables by job number will mix them up. Number the "
         "jobs anew."},
    };
    int64_t found =
        problems_print(stderr, path, "error", problems, sizeof problems / sizeof problems[0]);

    if (summary->is_broken) {
        (void)fprintf(stderr, "error: %s\n", summary->broken.text);
        found++;
    }
    return found;
}

static int64_t warnings_print(const char *path, const struct workload_summary *summary)
{
    static const struct workload_tally none = {0};
    const struct workload_stats *stats = &summary->stats;
    const struct problem problems[] = {
        {&stats->unsorted, "record out of order within the sort window",
         "records out of order within the sort window", "A run sorts them."},
        {summary->duplicate_ids.count > 0 ? &none : &stats->id_order,
         "job number that does not ascend", "job numbers that do not ascend",
         "A run does not mind; none is used twice."},
        {&stats->dropped, "record that is no job to run", "records that are no jobs to run",
         "A run leaves them out."},
        {&stats->oversized, "job larger than the machine", "jobs larger than the machine",
         "A run rejects them, or clamps them (oversized: clamp)."},
        {&stats->absent, "job that asks for what the platform has not",
         "jobs that ask for what the platform has not", "A run rejects them."},
        {&stats->cancelled, "job cancelled while waiting", "jobs cancelled while waiting",
         "A run replays the cancellations, or leaves these jobs out (cancellations: drop)."},
        {&stats->zero, "job of zero length", "jobs of zero length",
         "A run keeps them; see zero: one-second and zero: drop."},
        {&stats->missing, "job without requested time", "jobs without requested time",
         "A run takes the run time, which lets the policy know the future; see estimate.missing."},
        {&stats->held, "job that was released later than submitted",
         "jobs that were released later than submitted",
         "A run submits them when they were released."},
        {&stats->conflict, "job whose duration is not end - start",
         "jobs whose durations are not end - start",
         "A run takes end - start, or the duration (duration: column)."},
        {&stats->overrun, "job that ran longer than requested",
         "jobs that ran longer than requested",
         "A run cuts them at the request; see overrun: run and overrun: extend."},
    };

    return problems_print(stdout, path, "warning", problems, sizeof problems / sizeof problems[0]);
}

static int validate(const struct validate_arguments *arguments)
{
    struct workload_options options = arguments->options.workload;
    struct workload_summary *summary;
    struct hs_error error = {0};
    int64_t errors, warnings;

    options.file = arguments->input;
    options.is_survey = true;
    options.is_strict = false;
    if (workload_summary_create(&options, true, &summary, &error)) {
        return cli_fail(&error);
    }
    if (summary->is_broken && summary->stats.records == 0) {
        error = summary->broken; /* nothing could be read at all */
        workload_summary_destroy(summary);
        return cli_fail(&error);
    }
    errors = errors_print(arguments->input, summary);
    warnings = warnings_print(arguments->input, summary);
    if (*summary->stats.unused_columns) {
        (void)printf("%s: note: columns that say nothing to hsim: %s\n", arguments->input,
                     summary->stats.unused_columns);
    }
    (void)printf("%s: %lld records, %lld jobs: %lld error%s, %lld warning%s\n", arguments->input,
                 (long long)summary->stats.records, (long long)summary->extent.jobs,
                 (long long)errors, trace_plural(errors), (long long)warnings,
                 trace_plural(warnings));
    workload_summary_destroy(summary);
    return cli_finish(errors > 0 || (warnings > 0 && arguments->has_failing_warnings) ? CLI_INPUT
                                                                                      : CLI_OK);
}

static error_t validate_parse(int key, char *text, struct argp_state *state)
{
    struct validate_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->options;
        return 0;
    case 'W':
        arguments->has_failing_warnings = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->input) {
            cli_usage(state, "Only one trace at a time; '%s' is one too many.", text);
        }
        arguments->input = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage(state, "Which trace? Name a file of jobs.");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option validate_options[] = {
    {"fail-on-warnings", 'W', NULL, 0, "Warnings count as errors", 0}, {0}};
static const struct argp_child validate_children[] = {{&trace_rules_argp, 0, NULL, 0}, {0}};
const struct argp trace_validate_argp = {
    validate_options,
    validate_parse,
    "TRACE",
    "Checks TRACE (in any format that `hsim trace info --help` lists) and names every kind of "
    "problem with "
    "its first lines."
    "\vErrors (on standard error) are what a trace must not have; warnings are what the rules "
    "of the replay decide about. Exit code 5 if there are errors, 0 otherwise.",
    validate_children,
    NULL,
    NULL};

int trace_validate(int argc, char **argv)
{
    struct validate_arguments arguments = {0};
    int code;

    trace_options_init(&arguments.options);
    code = cli_parse(&trace_validate_argp, argc, argv, 0, NULL, &arguments);
    if (code == CLI_OK) {
        code = validate(&arguments);
    }
    trace_options_fini(&arguments.options);
    return code;
}
