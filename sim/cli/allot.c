/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot.c - hsim allot: the shares of workers that linear programs find best. */
#include "cli/allot.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "speed/throughput.h"
#include "text/units.h"

#define WORKERS_MAX THROUGHPUT_WORKERS_MAX

enum { OPTION_THROUGHPUTS = 256, OPTION_WORKERS, OPTION_HEAD, OPTION_STRICT, OPTION_JSON };

struct arguments {
    const char *input;
    const char *throughputs;
    const char *first_of_trace; /* an option that needs --throughputs */
    struct instance_workers workers[WORKERS_MAX];
    size_t worker_count;
    size_t head;
    bool is_chosen[ALLOT_GOAL_COUNT];
    bool is_strict;
    bool is_json;
};

static const struct argp_option options[] = {
    {"policy", 'p', "NAME", 0,
     "max-min-fairness, makespan, or total-throughput (may be repeated; default: all)", 0},
    {"json", OPTION_JSON, NULL, 0, "Print JSON", 0},
    {NULL, 0, NULL, 0, "For a trace of Gavel:", 1},
    {"throughputs", OPTION_THROUGHPUTS, "TABLE", 0,
     "Steps a second of job types on types of workers (CSV)", 0},
    {"workers", OPTION_WORKERS, "LIST", 0, "Workers of each type: v100=4,p100=4,k80=4", 0},
    {"head", OPTION_HEAD, "N", 0, "Only the first N jobs", 0},
    {"strict", OPTION_STRICT, NULL, 0, "A row that cannot be used is an error", 0},
    {0},
};

static void choose_goal(struct arguments *arguments, const char *word,
                        const struct argp_state *state)
{
    const char *names[ALLOT_GOAL_COUNT];
    const char *nearest;

    for (size_t goal = 0; goal < ALLOT_GOAL_COUNT; goal++) {
        names[goal] = allot_goal_name((enum allot_goal)goal);
        if (strcmp(word, names[goal]) == 0) {
            arguments->is_chosen[goal] = true;
            return;
        }
    }
    nearest = hs_nearest(word, names, ALLOT_GOAL_COUNT);
    cli_usage(state, "--policy is '%s'; %s, %s or %s is due%s%s%s.", word, names[0], names[1],
              names[2], nearest ? " (did you mean " : "", nearest ? nearest : "",
              nearest ? "?)" : "");
}

/* "v100=4,p100=4": splits the text in place. */
static void parse_workers(struct arguments *arguments, char *text, const struct argp_state *state)
{
    char *rest = NULL;

    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *count = strchr(word, '=');
        struct instance_workers *workers = &arguments->workers[arguments->worker_count];

        if (arguments->worker_count == WORKERS_MAX) {
            cli_usage(state, "--workers names more than %d types.", WORKERS_MAX);
        }
        if (!count || count == word || !text_units_parse_double(count + 1, &workers->count) ||
            !(workers->count >= 0 && workers->count <= 1e9)) {
            cli_usage(state,
                      "--workers: '%s' is no TYPE=NUMBER with a number from 0 to 1000000000; for "
                      "instance v100=4,p100=4.",
                      word);
        }
        *count = '\0';
        workers->type = word;
        for (size_t i = 0; i < arguments->worker_count; i++) {
            if (strcmp(arguments->workers[i].type, word) == 0) {
                cli_usage(state, "--workers names '%s' twice.", word);
            }
        }
        arguments->worker_count++;
    }
    if (arguments->worker_count == 0) {
        cli_usage(state, "--workers names no type of worker; for instance v100=4,p100=4.");
    }
}

static size_t parse_head(const char *text, const struct argp_state *state)
{
    int64_t value = 0;
    bool is_number;

    if (!text_units_parse_int(text, &value, &is_number) || value < 1) {
        cli_usage(state, "--head is '%s'; a whole number from 1 is due.", text);
    }
    return (size_t)value;
}

static void check_arguments(const struct arguments *arguments, const struct argp_state *state)
{
    if (!arguments->input) {
        cli_usage(state, "Which jobs? Name a file of instances, or a trace with --throughputs.");
    }
    if (!arguments->throughputs && arguments->first_of_trace) {
        cli_usage(state,
                  "--%s goes with a trace; name its table of throughputs with --throughputs.",
                  arguments->first_of_trace);
    }
    if (arguments->throughputs && arguments->worker_count == 0) {
        cli_usage(state, "How many workers are there of each type? Say for instance --workers "
                         "v100=4,p100=4.");
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'p':
        choose_goal(arguments, value, state);
        return 0;
    case OPTION_JSON:
        arguments->is_json = true;
        return 0;
    case OPTION_THROUGHPUTS:
        arguments->throughputs = value;
        return 0;
    case OPTION_WORKERS:
        arguments->first_of_trace = "workers";
        parse_workers(arguments, value, state);
        return 0;
    case OPTION_HEAD:
        arguments->first_of_trace = "head";
        arguments->head = parse_head(value, state);
        return 0;
    case OPTION_STRICT:
        arguments->first_of_trace = "strict";
        arguments->is_strict = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->input) {
            cli_usage(state, "Only one file at a time; '%s' is one too many.", value);
        }
        arguments->input = value;
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp allot_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "INSTANCES\nTRACE --throughputs=TABLE --workers=LIST",
    .doc = "Shows which share of its time each job should spend on each type of worker: the linear "
           "programs of Gavel (Narayanan et al., OSDI 2020)."
           "\vmax-min-fairness: the least of the jobs' throughputs, each over that of an equal "
           "share of all workers and times its workers, is as great as can be. makespan: all jobs "
           "are done as soon as can be. total-throughput: most steps a second.\n\n"
           "INSTANCES is YAML or JSON: a map, or a list of maps, of worker_types: [k80, v100], "
           "num_workers: [2, 1], throughput: [[1, 4], [2, 3]] (a row for each job, steps a second "
           "on each type; 0: does not fit), and where they matter jobs (names), scale_factor "
           "(workers at once), steps_remaining (for the makespan), weight (for fairness) and name. "
           "TRACE is a trace of Gavel, whose jobs are taken as if all were there at once. The "
           "optimum is unique, the shares need not be.",
};

static int allot_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct arena arena = {0};
    struct instance *first = NULL;
    struct hs_error error = {0};
    enum hs_err err;
    int code = cli_parse(&allot_argp, argc, argv, 0, NULL, &arguments);

    if (code != CLI_OK) {
        return code;
    }
    if (arguments.throughputs) {
        err = instance_from_trace(&arena, arguments.input, arguments.throughputs, arguments.workers,
                                  arguments.worker_count, arguments.head, arguments.is_strict,
                                  &first, &error);
    } else {
        err = instance_read(&arena, arguments.input, &first, &error);
    }
    if (!err) {
        err = instance_print(first, arguments.is_chosen, arguments.is_json, &error);
    }
    text_arena_fini(&arena);
    code = cli_finish(CLI_OK);
    return err ? cli_fail(&error) : code;
}

static const struct cli_values values[] = {
    {"policy", "max-min-fairness makespan total-throughput", NULL},
    {"throughputs", "@files", NULL},
    {NULL, "@files", NULL},
    CLI_VALUES_END,
};

const struct cli_command cli_allot = {
    .name = "allot",
    .summary = "Share workers of several types among jobs, by linear programs",
    .run = allot_run,
    .argp = &allot_argp,
    .values = values,
};
