/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.c - hsim sweep: many runs of an experiment, and one file of them. */
#include "cli/sweep.h"

#include <argp.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/stop.h"
#include "cli/sweep_engine.h"
#include "cli/sweep_list.h"
#include "sweep/shell.h"

#define JOBS_MAX 4096

struct arguments {
    struct experiment_override overrides[SWEEP_OVERRIDE_MAX];
    size_t override_count;
    const char *path;
    struct sweep_request request;
    const char **keys;
    bool is_listing;
    bool is_json; /* the list */
    struct sweep_show show;
    struct sweep_engine engine;
};

enum {
    OPTION_TIME = 256,
    OPTION_MEMORY,
    OPTION_FAIL_FAST,
    OPTION_RETRY,
    OPTION_PROGRESS,
    OPTION_RUNS,
    OPTION_RUN,
    OPTION_MERGE,
    OPTION_LIST
};

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0,
     "Folder of the sweep; without it and without output.path results/NAME", 0},
    {"jobs", 'j', "N", 0, "Runs at a time; without it one for each processor", 0},
    {"set", 's', "KEY=VALUE", 0, "Change a key; the value is YAML, e.g. --set policy=sjf-easy", 0},
    {"list", OPTION_LIST, "json", OPTION_ARG_OPTIONAL,
     "Compute nothing, show all runs, their keys and states, and how long the rest may take", 0},
    {"runs", OPTION_RUNS, "FOLDER", 0,
     "Keep finished runs in this folder, which several sweeps may share; DIR remembers it", 1},
    {"time-limit", OPTION_TIME, "TIME", 0,
     "Wall clock that one run may take, e.g. 30m; it fails if it takes longer", 2},
    {"memory-limit", OPTION_MEMORY, "SIZE", 0,
     "Resident memory that one run may take, e.g. 4GiB; looked at ten times a second", 2},
    {"fail-fast", OPTION_FAIL_FAST, NULL, 0, "Begin no more runs after the first that fails", 2},
    {"retry-failed", OPTION_RETRY, NULL, 0, "Compute runs again that failed before", 2},
    {"run", OPTION_RUN, "KEY", 0,
     "Compute this run only (the first digits of its key do), and do not merge; may be repeated",
     3},
    {"merge", OPTION_MERGE, NULL, 0, "Compute nothing, only merge what is there", 3},
    {"progress", OPTION_PROGRESS, "json|line|none", 0,
     "What is shown meanwhile: a line for each event on standard output, or one that is rewritten "
     "on standard error (the default on a terminal)",
     4},
    {"quiet", 'q', NULL, 0, "Print errors only", 4},
    {0},
};

static void parse_progress(struct arguments *arguments, const char *value,
                           const struct argp_state *state)
{
    static const char *const names[] = {"none", "line", "json"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            arguments->show.progress = (enum sweep_progress)i;
            return;
        }
    }
    cli_usage(state, "--progress %s: it is json, line or none.", value);
}

static void parse_jobs(struct arguments *arguments, const char *value,
                       const struct argp_state *state)
{
    char *end;
    long jobs = strtol(value, &end, 10);

    if (*end || end == value || jobs < 1 || jobs > JOBS_MAX) {
        cli_usage(state, "-j %s: a number of runs at a time is 1 to %d.", value, JOBS_MAX);
    }
    arguments->request.jobs = (unsigned)jobs;
}

static void parse_limit(struct arguments *arguments, int key, const char *value,
                        const struct argp_state *state)
{
    struct sweep_request *request = &arguments->request;
    hs_time limit_ns;

    if (key == OPTION_MEMORY) {
        if (!experiment_parse_bytes(value, &request->memory_limit_bytes) ||
            request->memory_limit_bytes <= 0) {
            cli_usage(
                state,
                "--memory-limit %s: a size is a number above 0 with a unit, as 4GiB or 500 MB.",
                value);
        }
        return;
    }
    if (!experiment_parse_time(value, &limit_ns) || limit_ns <= 0) {
        cli_usage(state,
                  "--time-limit %s: a time is a number above 0 with a unit, as 90s, 30m or 2h.",
                  value);
    }
    request->time_limit_s = (double)limit_ns / HS_NS_PER_S;
}

static void add_override(struct arguments *arguments, const char *value,
                         const struct argp_state *state)
{
    if (arguments->override_count == SWEEP_OVERRIDE_MAX) {
        cli_usage(state, "More than %d --set are given; write them into the experiment.",
                  SWEEP_OVERRIDE_MAX);
    }
    arguments->overrides[arguments->override_count++].text = value;
}

static void add_key(struct arguments *arguments, const char *value, const struct argp_state *state)
{
    struct sweep_request *request = &arguments->request;

    if (strspn(value, "0123456789abcdef") != strlen(value) || strlen(value) < 4 ||
        strlen(value) >= SWEEP_KEY_SIZE) {
        cli_usage(state, "--run %s: a key is the first 4 to 32 of its digits (0-9, a-f).", value);
    }
    if (!arguments->keys) {
        arguments->keys = calloc((size_t)state->argc, sizeof *arguments->keys);
        request->keys = arguments->keys;
    }
    if (!arguments->keys) {
        cli_usage(state, "Out of memory.");
    }
    arguments->keys[request->key_count++] = value;
}

static void check_arguments(struct arguments *arguments, const struct argp_state *state)
{
    const struct sweep_request *request = &arguments->request;

    if (!arguments->path) {
        cli_usage(state, "Which one? Name an experiment, EXPERIMENT.yaml.");
    }
    if (request->is_merging_only && request->key_count > 0) {
        cli_usage(state, "--merge computes nothing, and --run does not merge: leave one out.");
    }
    if (request->folder && !*request->folder) {
        cli_usage(state, "-o: the name of the folder is empty.");
    }
    if (request->runs && !*request->runs) {
        cli_usage(state, "--runs: the name of the folder is empty.");
    }
    if (arguments->engine.kind != SWEEP_ENGINE_LOCAL &&
        (request->key_count > 0 || request->is_merging_only || request->is_fail_fast)) {
        cli_usage(state, "--engine says who computes all that is missing; --run, --merge and "
                         "--fail-fast are for the engine local.");
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    struct sweep_request *request = &arguments->request;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->engine;
        return 0;
    case 'o':
        request->folder = value;
        return 0;
    case 'j':
        parse_jobs(arguments, value, state);
        return 0;
    case 's':
        add_override(arguments, value, state);
        return 0;
    case OPTION_RUNS:
        request->runs = value;
        return 0;
    case OPTION_TIME:
    case OPTION_MEMORY:
        parse_limit(arguments, key, value, state);
        return 0;
    case OPTION_FAIL_FAST:
        request->is_fail_fast = true;
        return 0;
    case OPTION_RETRY:
        request->is_retrying = true;
        return 0;
    case OPTION_RUN:
        add_key(arguments, value, state);
        return 0;
    case OPTION_MERGE:
        request->is_merging_only = true;
        return 0;
    case OPTION_LIST:
        if (value && strcmp(value, "json") != 0) {
            cli_usage(state, "--list=%s: it is --list or --list=json.", value);
        }
        arguments->is_listing = true;
        arguments->is_json = value != NULL;
        return 0;
    case OPTION_PROGRESS:
        parse_progress(arguments, value, state);
        return 0;
    case 'q':
        arguments->show.is_quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->path) {
            cli_usage(state, "One experiment at a time, not '%s' and '%s'.", arguments->path,
                      value);
        }
        arguments->path = value;
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&sweep_engine_argp, 0, NULL, 0}, {0}};

static const struct argp sweep_argp = {
    .options = options,
    .parser = parse_option,
    .children = children,
    .args_doc = "EXPERIMENT.yaml\nstatus DIR",
    .doc =
        "Computes every run of the `sweep` of an experiment and merges them into DIR/sweep.h5."
        "\vA run is kept in DIR/runs under a key that stands for all that it depends on. What is "
        "there is not computed again: the same command goes on after an interruption, and with "
        "a changed experiment it computes what is new. The first Ctrl-C lets running runs "
        "finish, the second ends them. `hsim sweep status DIR` tells how far a sweep is, from "
        "another shell, too. The exit code is 1 if a run failed.",
};

/* Processors that this process may use. */
static unsigned count_processors(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        online = CPU_COUNT(&set);
    }
    return online < 1 ? 1 : online > JOBS_MAX ? JOBS_MAX : (unsigned)online;
}

/* "hsim sweep EXP.yaml -o DIR --set K=V --run": what computes one run again. NULL: no memory. */
static char *write_again(const struct arguments *arguments)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file) {
        return NULL;
    }
    (void)fputs("hsim sweep ", file);
    shell_write_word(file, arguments->path);
    (void)fputs(" -o ", file);
    shell_write_word(file, arguments->request.folder);
    for (size_t i = 0; i < arguments->override_count; i++) {
        (void)fputs(" --set ", file);
        shell_write_word(file, arguments->overrides[i].text);
    }
    (void)fputs(" --run", file);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void print_summary(const struct arguments *arguments, const struct sweep_result *result)
{
    const struct sweep_request *request = &arguments->request;
    const struct sweep_counts *counts = &result->counts;

    printf("%s: %zu %s, %zu finished, %zu failed, %zu left\n", request->folder, counts->runs,
           counts->runs == 1 ? "run" : "runs", counts->finished, counts->failed, counts->left);
    if (counts->rows > counts->runs && request->key_count == 0) {
        printf("%zu rows share them: equal runs are computed once\n", counts->rows);
    }
    if (counts->failed > 0) {
        printf("why runs failed: %s/failed/KEY; --retry-failed computes them again\n",
               request->folder);
    }
    if (counts->strangers > 0) {
        printf("%zu finished %s in %s/runs %s to no row of this sweep\n", counts->strangers,
               counts->strangers == 1 ? "run" : "runs", request->folder,
               counts->strangers == 1 ? "belongs" : "belong");
    }
    if (result->is_merged) {
        printf("%s/sweep.h5%s\n", request->folder,
               result->was_merged ? ": nothing was left to do" : "");
    }
}

static int carry_out(struct arguments *arguments, const struct sweep_plan *plan)
{
    struct sweep_result result;
    struct hs_error error = {0};
    enum hs_err err;

    arguments->show.axis_count = sweep_plan_axes(plan, &arguments->show.axes);
    arguments->request.event = sweep_show_event;
    arguments->request.context = &arguments->show;
    arguments->request.stop = cli_stop_count();
    cli_stop_catch(true);
    err = sweep_run(plan, &arguments->request, &result, &error);
    sweep_show_end(&arguments->show);
    if (!arguments->show.is_quiet && arguments->show.progress != SWEEP_PROGRESS_JSON &&
        result.counts.runs > 0) {
        print_summary(arguments, &result);
    }
    if (err != HS_OK) {
        return cli_finish(cli_fail(&error));
    }
    return cli_finish(result.counts.failed > 0 ? CLI_FAILED : CLI_OK);
}

/* The runs are computed elsewhere. */
static int call_engine(const struct arguments *arguments, const struct sweep_plan *plan)
{
    struct sweep_request request = arguments->request;
    const struct sweep_engine_call call = {
        .path = arguments->path,
        .overrides = arguments->overrides,
        .override_count = arguments->override_count,
        .request = &request,
        .is_quiet = arguments->show.is_quiet,
    };

    request.stop = cli_stop_count();
    cli_stop_catch(true);
    return sweep_engine_run(&arguments->engine, &call, plan);
}

/* Is the result in the folder of --runs? */
static bool is_shared(const struct arguments *arguments, const char *key)
{
    struct stat status;
    char *path = NULL;
    bool is_there = arguments->request.runs &&
                    asprintf(&path, "%s/%s.h5", arguments->request.runs, key) >= 0 &&
                    stat(path, &status) == 0 && S_ISREG(status.st_mode);

    free(path);
    return is_there;
}

/* The states of the rows, as far as the folders are there. */
static int list(const struct arguments *arguments, const struct sweep_plan *plan)
{
    struct sweep_list list = {
        .mean_s = NAN, .jobs = arguments->request.jobs, .is_json = arguments->is_json};
    struct sweep_store *store = NULL;
    struct hs_error error = {0};
    const struct sweep_row *rows;
    size_t count = sweep_plan_rows(plan, &rows);
    enum sweep_list_state *states = calloc(count + 1, sizeof *states);
    int code;

    if (!states) {
        (void)hs_error_memory(&error);
        return cli_fail(&error);
    }
    if (sweep_store_open(arguments->request.folder, NULL, SWEEP_LOOK, &store, &error) == HS_OK) {
        list.mean_s = sweep_store_mean_s(store);
    }
    if (store || arguments->request.runs) {
        for (size_t i = 0; i < count; i++) {
            enum sweep_state state = is_shared(arguments, rows[i].key) ? SWEEP_FINISHED
                                     : store ? sweep_store_state(store, rows[i].key)
                                             : SWEEP_MISSING;

            states[i] = state == SWEEP_FINISHED ? SWEEP_LIST_FINISHED
                        : state == SWEEP_BROKEN ? SWEEP_LIST_FAILED
                                                : SWEEP_LIST_MISSING;
        }
        list.states = states;
    }
    code = sweep_list_print(plan, &list);
    sweep_store_close(store);
    free(states);
    return code;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);

    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static int sweep_run_plan(struct arguments *arguments, const struct sweep_plan *plan)
{
    struct sweep_request *request = &arguments->request;
    const struct experiment *base = sweep_plan_base(plan);
    struct hs_error error = {0};
    char *folder = NULL;
    char *again;
    int code;

    if (!request->folder && base->output && !ends_with(base->output, ".h5")) {
        request->folder = base->output;
    } else if (!request->folder) {
        if (asprintf(&folder, "results/%s", base->name) < 0) {
            (void)hs_error_memory(&error);
            return cli_fail(&error);
        }
        request->folder = folder;
    }
    again = write_again(arguments);
    arguments->show.again = again;
    if (arguments->is_listing) {
        code = list(arguments, plan);
    } else {
        code = arguments->engine.kind == SWEEP_ENGINE_LOCAL ? carry_out(arguments, plan)
                                                            : call_engine(arguments, plan);
    }
    free(again);
    free(folder);
    return code;
}

static int sweep_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct sweep_plan *plan = NULL;
    struct hs_error error = {0};
    char *report = NULL;
    char *command_line;
    int code;

    if (argc > 1 && strcmp(argv[1], "status") == 0) {
        return sweep_status(argc - 1, argv + 1);
    }
    arguments.request.jobs = count_processors();
    arguments.show.progress = isatty(STDERR_FILENO) ? SWEEP_PROGRESS_LINE : SWEEP_PROGRESS_NONE;
    command_line = cli_command_line(argc, argv);
    code = cli_parse(&sweep_argp, argc, argv, 0, NULL, &arguments);
    arguments.request.command_line = command_line;
    if (code == CLI_OK) {
        if (sweep_plan_create(arguments.path, arguments.overrides, arguments.override_count, &plan,
                              &report, &error) != HS_OK) {
            code = cli_fail_report(report, &error, "The sweep was not begun.");
        } else {
            code = sweep_run_plan(&arguments, plan);
        }
    }
    sweep_plan_destroy(plan);
    free(report);
    free(arguments.keys);
    sweep_engine_fini(&arguments.engine);
    free(command_line);
    return code;
}

static const struct cli_values values[] = {
    {"engine", "commands local slurm", NULL},
    {"progress", "json line none", NULL},
    {"run", "", NULL}, /* no key of an experiment */
    {NULL, "status *.yaml", NULL},
    CLI_VALUES_END,
};

const struct cli_command cli_sweep = {
    .name = "sweep",
    .summary = "Run an experiment over values of its keys",
    .run = sweep_main,
    .argp = &sweep_argp,
    .values = values,
};
