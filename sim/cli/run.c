/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.c - hsim run: an experiment, from the file to the table. */
#include "run/run.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/run_output.h"
#include "cli/stop.h"

#define OVERRIDE_MAX 256

struct arguments {
    struct experiment_override overrides[OVERRIDE_MAX];
    size_t override_count;
    const char *path;
    const char *output;
    const char *verify;
    bool is_forced;
    bool is_json;
    bool is_quiet;
    bool is_verbose;
    bool has_no_progress;
};

enum { OPTION_FORCE = 256, OPTION_JSON, OPTION_NO_PROGRESS, OPTION_VERIFY };

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0, "Result file (one policy; ends in .h5) or folder", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace results that are there already", 0},
    {"set", 's', "KEY=VALUE", 0, "Change a key; the value is YAML, e.g. --set policy=sjf-easy", 0},
    {"json", OPTION_JSON, NULL, 0, "Print every metric as JSON instead of the table", 0},
    {"verify", OPTION_VERIFY, "FILE.h5", 0,
     "Run the experiment of a result file again and compare the schedules; writes nothing", 0},
    {"quiet", 'q', NULL, 0, "Print errors only", 1},
    {"verbose", 'v', NULL, 0, "Also print where results are and what was counted", 1},
    {"no-progress", OPTION_NO_PROGRESS, NULL, 0, "No progress line on a terminal", 1},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'o':
        arguments->output = value;
        return 0;
    case OPTION_FORCE:
        arguments->is_forced = true;
        return 0;
    case 's':
        if (arguments->override_count == OVERRIDE_MAX) {
            cli_usage(state, "More than %d --set are given; write them into the experiment.",
                      OVERRIDE_MAX);
        }
        arguments->overrides[arguments->override_count++].text = value;
        return 0;
    case OPTION_JSON:
        arguments->is_json = true;
        return 0;
    case OPTION_VERIFY:
        arguments->verify = value;
        return 0;
    case 'q':
        arguments->is_quiet = true;
        return 0;
    case 'v':
        arguments->is_verbose = true;
        return 0;
    case OPTION_NO_PROGRESS:
        arguments->has_no_progress = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->path) {
            cli_usage(state, "One experiment at a time, not '%s' and '%s'.", arguments->path,
                      value);
        }
        arguments->path = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->path == !arguments->verify) {
            cli_usage(state,
                      "Which one? Name an experiment, EXPERIMENT.yaml, or --verify FILE.h5.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp run_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "EXPERIMENT.yaml\n--verify FILE.h5",
    .doc = "Simulates the policies of an experiment and prints them side by side."
           "\vWithout -o and without the key output.path, results go to results/NAME/POLICY.h5. "
           "`hsim explain` tells about the keys of an experiment.",
};

static int verify(const char *path)
{
    struct run_verification verification;
    struct hs_error error = {0};

    if (run_verify(path, &verification, &error) != HS_OK) {
        return cli_fail(&error);
    }
    if (strcmp(verification.recorded, verification.computed) != 0) {
        (void)hs_error_set(&error, HS_ERR_SYSTEM,
                           "%s: the schedule differs: recorded digest %s, computed %s.", path,
                           verification.recorded, verification.computed);
        return cli_fail(&error);
    }
    (void)printf("%s: verified, schedule digest %s\n", path, verification.computed);
    return cli_finish(CLI_OK);
}

/* Runs all policies; a failed one is told at once and does not end the others. */
static int run_all(const struct experiment *experiment, struct run_session *session,
                   struct run_progress *progress, bool has_progress, struct run_row *rows)
{
    int code = CLI_OK;

    for (size_t i = 0; i < experiment->policy_count && !*cli_stop_count(); i++) {
        struct run_row *row = &rows[i];

        row->label = run_label(session, i);
        row->is_done = true;
        if (has_progress) {
            run_progress_begin(progress, row->label);
        }
        row->err = run_policy(session, i, &row->outcome, &row->error);
        if (has_progress) {
            run_progress_end(progress);
        }
        if (row->err != HS_OK) {
            int failure = cli_fail(&row->error);

            code = code == CLI_OK ? failure : code;
        } else if (row->outcome.report.is_interrupted) {
            (void)fprintf(stderr,
                          "hsim: interrupted: %s keeps the %lld jobs that were done; its status is "
                          "'interrupted'\n",
                          row->outcome.file ? row->outcome.file : "nothing written:",
                          (long long)row->outcome.report.jobs_done);
        }
    }
    return *cli_stop_count() ? CLI_INTERRUPTED : code;
}

static void show_results(const struct arguments *arguments, const struct experiment *experiment,
                         const struct run_row *rows)
{
    const struct run_row *first = NULL;

    for (size_t i = 0; i < experiment->policy_count && !first; i++) {
        first = rows[i].is_done && rows[i].err == HS_OK ? &rows[i] : NULL;
    }
    if (arguments->is_json) {
        run_print_json(rows, experiment->policy_count);
    } else if (first && !arguments->is_quiet) {
        run_print_table(rows, experiment->policy_count);
        run_print_notes(stdout, experiment, rows, experiment->policy_count);
    }
    for (size_t i = 0; i < experiment->policy_count && !arguments->is_quiet; i++) {
        if (!arguments->is_json && rows[i].is_done && rows[i].outcome.file) {
            (void)printf("%s: %s\n", rows[i].label, rows[i].outcome.file);
        }
        if (arguments->is_verbose && rows[i].is_done &&
            (rows[i].err == HS_OK || rows[i].outcome.report.passes > 0)) {
            const struct simulation_report *report = &rows[i].outcome.report;

            (void)fprintf(stderr,
                          "%s: %" PRId64 " events, %" PRId64 " passes, %" PRId64
                          " jobs examined, %" PRId64 " waiting at the peak, %.3f s wall\n",
                          rows[i].label, report->events, report->passes, report->jobs_examined,
                          report->pending_peak, rows[i].outcome.wall_s);
        }
    }
}

static int run_experiment(const struct arguments *arguments, const struct experiment *experiment,
                          const char *command_line)
{
    struct run_progress progress = {0};
    struct run_request request = {
        .output = arguments->output,
        .is_forced = arguments->is_forced,
        .command_line = command_line,
        .stop = cli_stop_count(),
    };
    bool has_progress =
        isatty(STDERR_FILENO) && !arguments->is_quiet && !arguments->has_no_progress;
    struct run_row *rows = calloc(experiment->policy_count, sizeof *rows);
    struct run_session *session = NULL;
    struct hs_error error = {0};
    int code;

    if (!rows) {
        (void)hs_error_memory(&error);
        return cli_fail(&error);
    }
    if (has_progress) {
        request.progress = run_progress_show;
        request.context = &progress;
    }
    cli_stop_catch(false);
    if (run_open(experiment, &request, &session, &error) != HS_OK) {
        code = cli_fail(&error);
    } else {
        for (size_t i = 0; i < experiment->policy_count; i++) {
            rows[i].label = run_label(session, i);
        }
        code = run_all(experiment, session, &progress, has_progress, rows);
        show_results(arguments, experiment, rows);
        code = cli_finish(code);
    }
    for (size_t i = 0; i < experiment->policy_count; i++) {
        run_outcome_fini(&rows[i].outcome);
    }
    free(rows);
    run_close(session);
    return code;
}

static int run_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct experiment experiment = {0};
    struct hs_error error = {0};
    char *report = NULL;
    char *command_line = cli_command_line(argc, argv);
    int code = cli_parse(&run_argp, argc, argv, 0, NULL, &arguments);

    if (code == CLI_OK && arguments.verify) {
        code = verify(arguments.verify);
    } else if (code == CLI_OK) {
        if (experiment_load(arguments.path, arguments.overrides, arguments.override_count,
                            &experiment, &report, &error) != HS_OK) {
            code = cli_fail_report(report, &error, "The experiment was not run.");
        } else {
            code = run_experiment(&arguments, &experiment, command_line);
        }
        experiment_fini(&experiment);
    }
    free(report);
    free(command_line);
    return code;
}

static const struct cli_values values[] = {
    {"output", "@files @folders", NULL},
    CLI_VALUES_END,
};

const struct cli_command cli_run = {
    .name = "run",
    .summary = "Simulate an experiment",
    .run = run_run,
    .argp = &run_argp,
    .values = values,
};
