/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_engine.c - options of the engines, what is missing, and the engine that prints commands. */
#include "cli/sweep_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/sweep_engine_work.h"
#include "sweep/shell.h"
#include "sweep/slurm.h"

enum { OPTION_ENGINE = 0x200, OPTION_SLURM, OPTION_TASK_TIME, OPTION_DRY };

static const struct argp_option options[] = {
    {"engine", OPTION_ENGINE, "ENGINE", 0,
     "Who computes: local, this process and its children (the default); commands, whoever gets the "
     "command lines that are printed, one for each run that is missing; slurm, as job arrays",
     5},
    {"slurm-option", OPTION_SLURM, "OPTION", 0,
     "Pass an option on to sbatch, e.g. --slurm-option=--account=physics; may be repeated", 5},
    {"task-time", OPTION_TASK_TIME, "TIME", 0,
     "Slurm: pack runs to about this time a task (default 45m)", 5},
    {"dry-run", OPTION_DRY, NULL, 0, "Slurm: write the scripts into DIR/slurm, and submit nothing",
     5},
    {0},
};

static void parse_engine(struct sweep_engine *engine, const char *value,
                         const struct argp_state *state)
{
    static const char *const names[] = {"local", "commands", "slurm"};
    const char *near = hs_nearest(value, names, sizeof names / sizeof *names);

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            engine->kind = (enum sweep_engine_kind)i;
            return;
        }
    }
    cli_usage(state, "--engine %s: there are local, commands and slurm%s%s%s", value,
              near ? "; did you mean " : ".", near ? near : "", near ? "?" : "");
}

static void add_option(struct sweep_engine *engine, const char *value,
                       const struct argp_state *state)
{
    if (value[0] != '-') {
        cli_usage(state,
                  "--slurm-option %s: an option of sbatch begins with '-', as in "
                  "--slurm-option=--account=physics.",
                  value);
    }
    if (slurm_option_is_ours(value)) {
        cli_usage(state, "--slurm-option %s: hsim itself decides that; leave it out.", value);
    }
    if (!engine->options) {
        engine->options = calloc((size_t)state->argc, sizeof *engine->options);
    }
    if (!engine->options) {
        cli_usage(state, "Out of memory.");
    }
    engine->options[engine->option_count++] = value;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct sweep_engine *engine = state->input;
    hs_time time_ns;

    switch (key) {
    case OPTION_ENGINE:
        parse_engine(engine, value, state);
        return 0;
    case OPTION_SLURM:
        add_option(engine, value, state);
        return 0;
    case OPTION_TASK_TIME:
        if (!experiment_parse_time(value, &time_ns) || time_ns <= 0) {
            cli_usage(state,
                      "--task-time %s: a time is a number above 0 with a unit, as 90s, 30m or 2h.",
                      value);
        }
        engine->task_s = (double)time_ns / HS_NS_PER_S;
        return 0;
    case OPTION_DRY:
        engine->is_dry = true;
        return 0;
    case ARGP_KEY_END:
        if (engine->kind != SWEEP_ENGINE_SLURM &&
            (engine->option_count > 0 || engine->task_s > 0 || engine->is_dry)) {
            cli_usage(state, "--slurm-option, --task-time and --dry-run are for --engine slurm.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sweep_engine_argp = {.options = options, .parser = parse_option};

void sweep_engine_fini(struct sweep_engine *engine)
{
    free(engine->options);
    *engine = (struct sweep_engine){0};
}

/* ---- how hsim is called again */

/* The path with the working folder before it, as the person knows that. NULL: no memory. */
static char *make_absolute(const char *path)
{
    char *here = get_current_dir_name();
    char *absolute = NULL;

    if (path[0] == '/') {
        absolute = strdup(path);
    } else if (here && asprintf(&absolute, "%s/%s", here, path) < 0) {
        absolute = NULL;
    }
    free(here);
    return absolute;
}

/* Takes the text into the words; false: there is none, for want of memory. */
static bool take_word(struct sweep_engine_work *work, char *text)
{
    if (text) {
        work->words[work->word_count++] = text;
    }
    return text != NULL;
}

static bool take_words(struct sweep_engine_work *work, const struct sweep_engine_call *call)
{
    const struct sweep_request *request = call->request;
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char limit[64];
    bool is_good;

    program[length > 0 ? length : 0] = '\0';
    is_good = take_word(work, strdup(length > 0 ? program : "hsim")) &&
              take_word(work, strdup("sweep")) && take_word(work, make_absolute(call->path)) &&
              take_word(work, strdup("-o")) && take_word(work, make_absolute(request->folder));
    for (size_t i = 0; is_good && i < call->override_count; i++) {
        is_good =
            take_word(work, strdup("--set")) && take_word(work, strdup(call->overrides[i].text));
    }
    if (is_good && request->time_limit_s > 0) {
        (void)snprintf(limit, sizeof limit, "--time-limit=%.9gs", request->time_limit_s);
        is_good = take_word(work, strdup(limit));
    }
    if (is_good && request->memory_limit_bytes > 0) {
        (void)snprintf(limit, sizeof limit, "--memory-limit=%" PRId64, request->memory_limit_bytes);
        is_good = take_word(work, strdup(limit));
    }
    return is_good;
}

static enum hs_err list_words(struct sweep_engine_work *work, struct hs_error *error)
{
    work->words = calloc(2 * work->call->override_count + 8, sizeof *work->words);
    if (!work->words || !take_words(work, work->call)) {
        return hs_error_memory(error);
    }
    work->folder = work->words[4];
    return HS_OK;
}

/* ---- what is missing */

static int compare_missing(const void *left, const void *right)
{
    const struct sweep_engine_run *a = left;
    const struct sweep_engine_run *b = right;
    int order = strcmp(a->key, b->key);

    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int compare_order(const void *left, const void *right)
{
    const struct sweep_engine_run *a = left;
    const struct sweep_engine_run *b = right;

    return (a->row > b->row) - (a->row < b->row);
}

/* Keeps the first row of each key, in the order of the sweep. */
static size_t unite(struct sweep_engine_run *runs, size_t count)
{
    size_t kept = 0;

    qsort(runs, count, sizeof *runs, compare_missing);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(runs[kept - 1].key, runs[i].key) != 0) {
            runs[kept++] = runs[i];
        }
    }
    qsort(runs, kept, sizeof *runs, compare_order);
    return kept;
}

static enum hs_err list_missing(struct sweep_engine_work *work, struct hs_error *error)
{
    const struct sweep_request *request = work->call->request;
    struct sweep_store *store = NULL;
    enum hs_err err;

    work->row_count = sweep_plan_rows(work->plan, &work->rows);
    if (!work->missing) {
        work->missing = calloc(work->row_count + 1, sizeof *work->missing);
    }
    if (!work->missing) {
        return hs_error_memory(error);
    }
    err = sweep_store_open(request->folder, NULL, SWEEP_TOGETHER, &store, error);
    work->missing_count = 0;
    for (size_t row = 0; err == HS_OK && row < work->row_count; row++) {
        enum sweep_state state = sweep_store_state(store, work->rows[row].key);

        if (state == SWEEP_MISSING || (state == SWEEP_BROKEN && request->is_retrying)) {
            work->missing[work->missing_count++] =
                (struct sweep_engine_run){.key = work->rows[row].key, .row = row};
        }
    }
    sweep_store_close(store);
    work->missing_count = unite(work->missing, work->missing_count);
    return err;
}

enum hs_err sweep_engine_look(struct sweep_engine_work *work, struct sweep_result *result,
                              struct hs_error *error)
{
    struct sweep_request request = *work->call->request;
    enum hs_err err;

    request.is_merging_only = true;
    request.event = NULL;
    err = sweep_run(work->plan, &request, result, error);
    if (err != HS_OK && result->counts.left == 0) {
        return err;
    }
    return list_missing(work, error);
}

/* ---- the engine that prints commands */

static enum hs_err print_commands(const struct sweep_engine_work *work, struct hs_error *error)
{
    for (size_t i = 0; i < work->word_count; i++) {
        if (strchr(work->words[i], '\n')) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--engine commands writes a command a line, but '%s' holds a line "
                                "break; rename it, or write it without.",
                                work->words[i]);
        }
    }
    for (size_t i = 0; i < work->missing_count; i++) {
        shell_write_words(stdout, (const char *const *)work->words, work->word_count);
        (void)printf(" -j 1 --run %s\n", work->missing[i].key);
    }
    if (!work->call->is_quiet) {
        (void)fprintf(stderr,
                      "hsim: %zu commands, one for each missing run; they may run in any order, at "
                      "the same time and on several machines that share the folder. Then merge:\n",
                      work->missing_count);
        shell_write_words(stderr, (const char *const *)work->words, work->word_count);
        (void)fputs(" --merge\n", stderr);
    }
    return HS_OK;
}

void sweep_engine_print_counts(const struct sweep_engine_work *work,
                               const struct sweep_result *result)
{
    const struct sweep_counts *counts = &result->counts;

    if (work->call->is_quiet) {
        return;
    }
    (void)printf("%s: %zu %s, %zu finished, %zu failed, %zu left\n", work->call->request->folder,
                 counts->runs, counts->runs == 1 ? "run" : "runs", counts->finished, counts->failed,
                 counts->left);
    if (result->is_merged) {
        (void)printf("%s/sweep.h5%s\n", work->call->request->folder,
                     result->was_merged ? ": nothing was left to do" : "");
    }
}

int sweep_engine_run(const struct sweep_engine *engine, const struct sweep_engine_call *call,
                     const struct sweep_plan *plan)
{
    struct sweep_engine_work work = {.engine = engine, .call = call, .plan = plan};
    struct sweep_result result = {0};
    struct hs_error error = {0};
    enum hs_err err = list_words(&work, &error);

    if (err == HS_OK && engine->kind == SWEEP_ENGINE_SLURM) {
        err = sweep_engine_slurm(&work, &result, &error);
    } else if (err == HS_OK) {
        err = sweep_engine_look(&work, &result, &error);
        if (err == HS_OK && work.missing_count > 0) {
            err = print_commands(&work, &error);
        } else if (err == HS_OK && !call->is_quiet) {
            (void)fprintf(stderr, "hsim: all runs are there, and %s/sweep.h5 holds them\n",
                          call->request->folder);
        }
    }
    for (size_t i = 0; i < work.word_count; i++) {
        free(work.words[i]);
    }
    free(work.words);
    free(work.missing);
    if (err != HS_OK) {
        return cli_finish(cli_fail(&error));
    }
    return cli_finish(result.is_merged && result.counts.failed > 0 ? CLI_FAILED : CLI_OK);
}
