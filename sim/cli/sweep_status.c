/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_status.c - hsim sweep status: how far a sweep is. */
#include "sweep/overview.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/sweep.h"
#include "cli/sweep_engine.h"

#define SHOWN_MAX 10 /* failed runs; --json has all */

struct arguments {
    const char *folder;
    bool is_json;
};

enum { OPTION_JSON = 256 };

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "Print it as JSON, with all runs that are running or failed", 0},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case OPTION_JSON:
        arguments->is_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->folder) {
            cli_usage(state, "One folder at a time, not '%s' and '%s'.", arguments->folder, value);
        }
        arguments->folder = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->folder) {
            cli_usage(state, "Of which sweep? Name its folder, DIR.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp status_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "DIR",
    .doc =
        "Tells how far the sweep in a folder is: what is finished, what failed and why, what runs "
        "and what is left.",
};

/* One word for it. */
static const char *state_of(const struct sweep_overview *overview)
{
    if (overview->is_running || overview->running > 0) {
        return "running";
    }
    return overview->left > 0 ? "incomplete" : overview->is_merged ? "complete" : "not merged";
}

static void print_json(const char *folder, const struct sweep_overview *overview)
{
    const char *comma = "";

    fputs("{\"folder\": ", stdout);
    cli_json_string(stdout, folder);
    printf(", \"state\": \"%s\", \"rows\": %zu, \"runs\": %zu, \"finished\": %zu, \"failed\": %zu, "
           "\"running\": %zu, \"left\": %zu, \"elapsed_s\": ",
           state_of(overview), overview->rows, overview->run_count, overview->finished,
           overview->failed, overview->running, overview->left);
    cli_json_number(stdout, overview->elapsed_s);
    fputs(", \"left_s\": ", stdout);
    cli_json_number(stdout, overview->left_s);
    fputs(",\n \"now\": [", stdout);
    for (size_t i = 0; i < overview->run_count; i++) {
        const struct sweep_overview_run *run = &overview->runs[i];

        if (run->is_running) {
            printf("%s\n  {\"key\": \"%s\", \"seconds\": ", comma, run->key);
            cli_json_number(stdout, run->seconds);
            fputs("}", stdout);
            comma = ",";
        }
    }
    fputs("],\n \"failures\": [", stdout);
    comma = "";
    for (size_t i = 0; i < overview->run_count; i++) {
        const struct sweep_overview_run *run = &overview->runs[i];

        if (run->state == SWEEP_BROKEN) {
            printf("%s\n  {\"key\": \"%s\", \"error\": ", comma, run->key);
            cli_json_string(stdout, run->failure);
            fputs("}", stdout);
            comma = ",";
        }
    }
    fputs("]", stdout);
    sweep_engine_print_status_json(folder);
    puts("}");
}

static void print_failures(const struct sweep_overview *overview)
{
    size_t shown = 0;

    for (size_t i = 0; i < overview->run_count; i++) {
        const struct sweep_overview_run *run = &overview->runs[i];

        if (run->state == SWEEP_BROKEN && shown++ < SHOWN_MAX) {
            printf("failed   %s (%s): %s\n", run->key, run->row, run->failure ? run->failure : "");
        }
    }
    if (shown > SHOWN_MAX) {
        printf("and %zu more that failed; --json shows them\n", shown - SHOWN_MAX);
    }
}

static void print_text(const char *folder, const struct sweep_overview *overview)
{
    char time[32];

    printf("%s: %s", folder, state_of(overview));
    if (overview->process) {
        printf(" (process %d)", overview->process);
    }
    printf("\n%zu runs: %zu finished, %zu failed, %zu running, %zu left\n", overview->run_count,
           overview->finished, overview->failed, overview->running, overview->left);
    if (isfinite(overview->left_s)) {
        sweep_show_time(overview->left_s, time);
        printf("about %s left\n", time);
    }
    for (size_t i = 0; i < overview->run_count; i++) {
        const struct sweep_overview_run *run = &overview->runs[i];

        if (run->is_running) {
            printf("running  %s (%s)", run->key, run->row);
            if (isfinite(run->seconds)) {
                sweep_show_time(run->seconds, time);
                printf(" since %s", time);
            }
            putchar('\n');
        }
    }
    print_failures(overview);
    sweep_engine_print_status(folder);
}

int sweep_status(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct sweep_overview overview = {0};
    struct hs_error error = {0};
    char name[] = "hsim sweep status";
    int code;

    argv[0] = name;
    code = cli_parse(&status_argp, argc, argv, 0, NULL, &arguments);
    if (code != CLI_OK) {
        return code;
    }
    if (sweep_overview_read(arguments.folder, &overview, &error) != HS_OK) {
        code = cli_fail(&error);
    } else if (arguments.is_json) {
        print_json(arguments.folder, &overview);
    } else {
        print_text(arguments.folder, &overview);
    }
    sweep_overview_fini(&overview);
    return cli_finish(code);
}
