/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect.c - hsim inspect: what a result file says, and whether it agrees with itself. */
#include "cli/inspect.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "result/check.h"

struct arguments {
    const char *path;
    int64_t job;
    bool has_job;
    bool is_check;
    bool is_warmup;
    bool is_json;
};

enum { OPTION_CHECK = 256, OPTION_JOB, OPTION_JSON, OPTION_WARMUP };

static const struct argp_option options[] = {
    {"check", OPTION_CHECK, NULL, 0,
     "Check identities that hold for every right run (Little's law, core time, nodes, ...), or of "
     "a "
     "merged file that its runs lie beside it with the same metrics; exit code 5 if one does not",
     0},
    {"job", OPTION_JOB, "ID", 0, "Tell the life of the job with this number in the trace", 0},
    {"warmup", OPTION_WARMUP, NULL, 0,
     "Suggest a warm-up (measure.warmup) by MSER-5: from which submission on the waits have "
     "forgotten that the machine was empty",
     0},
    {"json", OPTION_JSON, NULL, 0, "Print JSON instead of text (not with --job or --warmup)", 0},
    {0},
};

static error_t parse_job(const char *value, struct arguments *arguments, struct argp_state *state)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(value, &end, 10);
    if (errno != 0 || end == value || *end) {
        cli_usage(state, "--job takes the number of a job, not '%s'.", value);
    }
    arguments->job = number;
    arguments->has_job = true;
    return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case OPTION_CHECK:
        arguments->is_check = true;
        return 0;
    case OPTION_JOB:
        return parse_job(value, arguments, state);
    case OPTION_JSON:
        arguments->is_json = true;
        return 0;
    case OPTION_WARMUP:
        arguments->is_warmup = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->path) {
            cli_usage(state, "One file at a time, not '%s' and '%s'.", arguments->path, value);
        }
        arguments->path = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->path) {
            cli_usage(state, "Which file? Name a result, FILE.h5, or the merged file of a sweep.");
        }
        if (arguments->has_job && (arguments->is_check || arguments->is_json)) {
            cli_usage(state, "--job goes with neither --check nor --json.");
        }
        if (arguments->is_warmup &&
            (arguments->has_job || arguments->is_check || arguments->is_json)) {
            cli_usage(state, "--warmup goes with neither --check, --job nor --json.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp inspect_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "FILE.h5",
    .doc = "Shows a result file: the run, its jobs and its metrics; or the merged file of a sweep: "
           "its "
           "axes, runs and metrics, what failed and what is unstable.",
};

static const char *const outcome_names[] = {
    [RESULT_HOLDS] = "holds", [RESULT_FAILS] = "FAILS", [RESULT_SKIPPED] = "skipped"};

static void print_checks(const struct result_check *checks, size_t count, bool is_json)
{
    if (!is_json) {
        for (size_t i = 0; i < count; i++) {
            (void)printf("%-16s %-8s %s\n", checks[i].name, outcome_names[checks[i].outcome],
                         checks[i].text);
        }
        return;
    }
    (void)fputs("{\"checks\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", stdout);
        cli_json_string(stdout, checks[i].name);
        (void)printf(", \"outcome\": \"%s\", \"text\": ", checks[i].outcome == RESULT_FAILS
                                                              ? "fails"
                                                              : outcome_names[checks[i].outcome]);
        cli_json_string(stdout, checks[i].text);
        (void)fputs("}", stdout);
    }
    (void)fputs("\n]}\n", stdout);
}

/* `remedy` says what to do if one does not hold. */
static int tell_checks(const char *path, const struct result_check *checks, size_t count,
                       bool is_json, const char *remedy)
{
    struct hs_error error = {0};
    int failures = 0;

    print_checks(checks, count, is_json);
    for (size_t i = 0; i < count; i++) {
        failures += checks[i].outcome == RESULT_FAILS;
    }
    if (failures) {
        (void)hs_error_set(&error, HS_ERR_INPUT, "%s: %d of %zu checks %s not hold. %s", path,
                           failures, count, failures == 1 ? "does" : "do", remedy);
        return cli_fail(&error);
    }
    return CLI_OK;
}

static int check_file(struct result_reader *reader, bool is_json)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct hs_error error = {0};
    size_t count = 0;

    if (result_check(reader, checks, &count, &error) != HS_OK) {
        return cli_fail(&error);
    }
    return tell_checks(result_reader_path(reader), checks, count, is_json,
                       "The file was changed or damaged: run the experiment again. If that gives "
                       "the same, it is a bug of hsim: please report it with the file.");
}

static int check_sweep(const struct sweep_file *file, bool is_json)
{
    struct result_check checks[SWEEP_CHECKS];
    struct hs_error error = {0};

    if (sweep_file_check(file, checks, &error) != HS_OK) {
        return cli_fail(&error);
    }
    return tell_checks(file->path, checks, SWEEP_CHECKS, is_json,
                       "Its runs were moved, changed or damaged. Bring them back into the folder "
                       "`runs` beside the file, or delete the file and call `hsim sweep` again, "
                       "which computes what is missing and merges anew.");
}

static int inspect_merged(const struct arguments *arguments)
{
    struct sweep_file *file = NULL;
    struct hs_error error = {0};
    enum hs_err err = sweep_file_read(arguments->path, &file, &error);
    int code = CLI_OK;

    if (err == HS_OK && arguments->is_check) {
        code = check_sweep(file, arguments->is_json);
    } else if (err == HS_OK) {
        err = inspect_sweep(file, arguments->is_json, &error);
    }
    if (err != HS_OK) {
        code = cli_fail(&error);
    }
    sweep_file_destroy(file);
    return cli_finish(code);
}

static int inspect_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    bool is_sweep = false;
    int code = cli_parse(&inspect_argp, argc, argv, 0, NULL, &arguments);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    err = sweep_file_is_one(arguments.path, &is_sweep, &error);
    if (err == HS_OK && is_sweep && !arguments.has_job && !arguments.is_warmup) {
        return inspect_merged(&arguments);
    }
    if (err == HS_OK) {
        err = result_reader_open(arguments.path, &reader, &error);
    }
    if (err == HS_OK && arguments.is_check) {
        code = check_file(reader, arguments.is_json);
    } else if (err == HS_OK && arguments.has_job) {
        err = inspect_job(reader, arguments.job, &error);
    } else if (err == HS_OK && arguments.is_warmup) {
        err = inspect_warmup(reader, &error);
    } else if (err == HS_OK) {
        err = inspect_summary(reader, arguments.is_json, &error);
    }
    if (err != HS_OK) {
        code = cli_fail(&error);
    }
    result_reader_close(reader);
    return cli_finish(code);
}

const struct cli_command cli_inspect = {
    .name = "inspect",
    .summary = "Show a result file, check it, tell a job's life",
    .run = inspect_run,
    .argp = &inspect_argp,
};
