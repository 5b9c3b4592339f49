/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.c - hsim bench: chooses the cases and has them measured one after the other. */
#include "cli/bench.h"

#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/describe.h"

#define RUNS_MAX  100
#define CASES_MAX 64

struct arguments {
    struct bench_options options;
    bool is_chosen[CASES_MAX];
    bool is_any_chosen;
    bool is_list;
};

enum { OPTION_LIST = 256, OPTION_QUICK, OPTION_TRACE, OPTION_AGAINST, OPTION_JSON, OPTION_PACK };

static const struct argp_option rows[] = {
    {"list", OPTION_LIST, NULL, 0, "List the cases and their targets", 0},
    {"quick", OPTION_QUICK, NULL, 0, "A twentieth of the jobs of each case", 0},
    {"runs", 'n', "N", 0, "Run each case N times and keep the least CPU time (default 1)", 0},
    {"trace", OPTION_TRACE, "FILE", 0,
     "SWF trace to repeat in the deep queues (fcfs-1m and its like); default: a generated one of "
     "10,000 jobs, 256 processors, load 1.06",
     0},
    {"against", OPTION_AGAINST, "HSIM", 0,
     "Run each case with this other program too, in turn, and compare", 0},
    {"compression", OPTION_PACK, "LEVEL", OPTION_ARG_OPTIONAL,
     "Compress the results, 1 to 9 (default 1 if no level is given; without this option they are "
     "not compressed)",
     0},
    {"json", OPTION_JSON, NULL, 0, "Print JSON at the end instead of the table", 0},
    {0},
};

/* A whole number in [low, high], or an error of usage. */
static int number_in(const char *text, int low, int high, const char *what,
                     const struct argp_state *state)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        argp_error(state, "%s is '%s'; %d to %d is possible", what, text, low, high);
        return low;
    }
    return (int)value;
}

/* A name, or a pattern of the shell ('easy-*'). */
static void choose(struct arguments *arguments, const char *word, const struct argp_state *state)
{
    const char *names[CASES_MAX];
    const char *near;
    bool is_found = false;

    for (size_t i = 0; i < bench_case_count; i++) {
        names[i] = bench_cases[i].name;
        if (fnmatch(word, names[i], 0) == 0) {
            arguments->is_chosen[i] = true;
            is_found = true;
        }
    }
    if (is_found) {
        arguments->is_any_chosen = true;
        return;
    }
    near = hs_nearest(word, names, bench_case_count);
    if (near) {
        argp_error(state, "there is no case '%s'; did you mean '%s'?", word, near);
    } else {
        argp_error(state, "there is no case '%s'; --list shows them all", word);
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    struct bench_options *options = &arguments->options;

    switch (key) {
    case OPTION_LIST:
        arguments->is_list = true;
        return 0;
    case OPTION_QUICK:
        options->is_quick = true;
        return 0;
    case 'n':
        options->runs = number_in(value, 1, RUNS_MAX, "the number of runs", state);
        return 0;
    case OPTION_TRACE:
        options->trace = value;
        return 0;
    case OPTION_AGAINST:
        options->against = value;
        return 0;
    case OPTION_PACK:
        options->level = value ? number_in(value, 1, 9, "the level of compression", state) : 1;
        return 0;
    case OPTION_JSON:
        options->is_json = true;
        return 0;
    case ARGP_KEY_ARG:
        choose(arguments, value, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp bench_argp = {
    .options = rows,
    .parser = parse_option,
    .args_doc = "[CASE...]",
    .doc =
        "Measures how fast hsim is: generates workloads, runs each case as a program of its own, "
        "and prints CPU time (user and system, start-up, reading and writing included), peak "
        "memory, and the work of the scheduler."
        "\vWithout CASE all are run, some minutes and gigabytes of temporary files; CASE may be a "
        "pattern such as 'easy-*'. The files go to a folder in TMPDIR (default /tmp) that is "
        "removed at the end. Targets hold for a release build on the machine that README.md "
        "names; nothing fails if they are missed. The case `kernel` runs next to it what no "
        "simulator can leave out (reading the numbers of the trace, one event per job through "
        "a heap, writing the same rows), and prints how many times as long the whole run takes.",
};

/* The cases in the order of the table: those that share a trace follow each other. */
static void list_cases(struct arguments *arguments, const struct bench_case **cases)
{
    struct bench_options *options = &arguments->options;

    options->cases = cases;
    for (size_t i = 0; i < bench_case_count; i++) {
        if (arguments->is_chosen[i] || !arguments->is_any_chosen) {
            cases[options->case_count++] = &bench_cases[i];
        }
    }
}

/* The trace is there, and a case uses it. */
static enum hs_err check_trace(const struct bench_options *options, struct hs_error *error)
{
    bool is_used = false;

    if (!options->trace) {
        return HS_OK;
    }
    if (access(options->trace, R_OK) != 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: cannot be opened: %s. Check the path of the trace.",
                            options->trace, strerror(errno));
    }
    for (size_t i = 0; i < options->case_count; i++) {
        is_used |= options->cases[i]->source == BENCH_BUSY;
    }
    return is_used ? HS_OK
                   : hs_error_set(error, HS_ERR_CONFIG,
                                  "--trace: none of the chosen cases repeats a trace. Leave it "
                                  "out, or choose fcfs-1m or another one of the deep queues.");
}

static enum hs_err check_program(const char *path, struct hs_error *error)
{
    struct stat status;

    if (stat(path, &status) != 0 || access(path, X_OK) != 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--against: '%s' cannot be executed: %s. Name the hsim program of "
                            "another build.",
                            path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--against: '%s' is no program. Name the hsim program of another "
                            "build.",
                            path);
    }
    return HS_OK;
}

/* Tells how much room is needed, if it is much, and refuses if it is not there. */
static enum hs_err check_room(const struct bench_options *options, const struct bench_stage *stage,
                              struct hs_error *error)
{
    double needed = (double)bench_disk_bytes(options);
    struct statvfs system;

    if (needed >= 1e8) {
        (void)fprintf(stderr, "hsim bench: up to %.1f GB of temporary files in %s\n", needed / 1e9,
                      stage->folder);
    }
    if (statvfs(stage->folder, &system) == 0) {
        double free_bytes = (double)system.f_bavail * (double)system.f_frsize;

        if (free_bytes < needed) {
            return hs_error_set(error, HS_ERR_SYSTEM,
                                "%s: %.1f GB of temporary files are needed and %.1f GB are free. "
                                "Set TMPDIR to a folder with more room, choose fewer cases, or "
                                "use --quick.",
                                stage->folder, needed / 1e9, free_bytes / 1e9);
        }
    }
    return HS_OK;
}

static enum hs_err measure_all(const struct bench_options *options, struct bench_stage *stage,
                               struct bench_result *results, struct hs_error *error)
{
    enum hs_err err = check_room(options, stage, error);

    if (err == HS_OK && !options->is_json) {
        bench_print_head(options);
    }
    for (size_t i = 0; err == HS_OK && i < options->case_count; i++) {
        err = bench_measure_case(options, stage, i, &results[i], error);
        if (err == HS_OK && !options->is_json) {
            bench_print_case(options, &results[i]);
        }
    }
    return err;
}

static int bench(struct bench_options *options)
{
    struct bench_result results[CASES_MAX] = {0};
    struct bench_stage stage;
    struct hs_error error = {0};
    enum hs_err err = check_trace(options, &error);

    if (err == HS_OK && options->against) {
        err = check_program(options->against, &error);
    }
    if (err == HS_OK) {
        err = bench_stage_open(&stage, &error);
    }
    if (err != HS_OK) {
        return cli_fail(&error);
    }
    err = measure_all(options, &stage, results, &error);
    bench_stage_close(&stage);
    if (err != HS_OK) {
        return cli_fail(&error);
    }
    if (options->is_json) {
        bench_print_json(options, results, options->case_count);
    } else {
        bench_print_marginal(options, results, options->case_count);
    }
    return cli_finish(CLI_OK);
}

static int run_bench(int argc, char **argv)
{
    const struct bench_case *cases[CASES_MAX];
    struct arguments arguments = {.options = {.runs = 1}};
    char *program;
    int code;

    HS_ASSERT(bench_case_count <= CASES_MAX);
    code = cli_parse(&bench_argp, argc, argv, 0, NULL, &arguments);
    if (code != CLI_OK) {
        return code;
    }
    if (arguments.is_list) {
        bench_print_list();
        return cli_finish(CLI_OK);
    }
    program = realpath("/proc/self/exe", NULL);
    arguments.options.program = program ? program : "/proc/self/exe";
    list_cases(&arguments, cases);
    code = bench(&arguments.options);
    free(program);
    return code;
}

static const char *case_name(size_t index)
{
    return index < bench_case_count ? bench_cases[index].name : NULL;
}

static const struct cli_values values[] = {
    {"against", "@files", NULL},
    {NULL, NULL, case_name},
    CLI_VALUES_END,
};

const struct cli_command cli_bench = {
    .name = "bench",
    .summary = "Measure how fast hsim is",
    .run = run_bench,
    .argp = &bench_argp,
    .values = values,
};
