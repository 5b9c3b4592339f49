/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_cases.c - what `hsim bench` measures, and how one case is measured. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/trace.h"
#include "cli/bench.h"

#define BLOCK_JOBS   10000
#define PROCS        256
#define QUICK_FACTOR 20
#define JOBS_MIN     100
/* Bytes of temporary files per job, rounded up from what was seen. */
#define TRACE_BYTES  72
#define RESULT_BYTES 360
/* The default compression may cost so much more CPU time. */
#define PACK_LEVEL     1
#define PACK_S_PER_JOB 2e-6

const struct bench_case bench_cases[] = {
    {.name = "startup",
     .policy = "easy",
     .summary = "a hundred jobs: what starting and ending cost",
     .source = BENCH_FLOW,
     .jobs = 100,
     .cpu_target_s = 0.05,
     .runs_min = 5},
    {.name = "conservative-10k",
     .policy = "conservative",
     .summary = "conservative backfilling, the profile of all waiting jobs",
     .source = BENCH_BUSY,
     .jobs = 10000,
     .cpu_target_s = 2},
    {.name = "fcfs-1m",
     .policy = "fcfs",
     .summary = "first come, first served; hundreds of thousands wait at the peak",
     .source = BENCH_BUSY,
     .jobs = 1000000,
     .cpu_target_s = 1,
     .rss_target_mb = 120},
    {.name = "easy-1m",
     .policy = "easy",
     .summary = "EASY backfilling in a deep queue",
     .source = BENCH_BUSY,
     .jobs = 1000000,
     .cpu_target_s = 1.5,
     .rss_target_mb = 90},
    {.name = "sjf-easy-1m",
     .policy = "sjf-easy",
     .summary = "EASY, shortest job first: a new job may become the head",
     .source = BENCH_BUSY,
     .jobs = 1000000,
     .cpu_target_s = 1.5},
    {.name = "wfp3-easy-1m",
     .policy = "wfp3-easy",
     .summary = "EASY, an order that changes as time goes by",
     .source = BENCH_BUSY,
     .jobs = 1000000,
     .cpu_target_s = 5},
    {.name = "easy-deep-1m",
     .policy = "easy",
     .summary = "EASY under load 1.3, requests up to ten times the run times",
     .source = BENCH_DEEP,
     .jobs = 1000000},
    {.name = "easy-flat-10k",
     .policy = "easy",
     .summary = "EASY under load 0.9: does a job cost the same in a long trace?",
     .source = BENCH_STEADY,
     .jobs = 10000,
     .runs_min = 3,
     .is_marginal = true},
    {.name = "easy-flat-100k",
     .policy = "easy",
     .summary = "the same jobs ten times",
     .source = BENCH_STEADY,
     .jobs = 100000,
     .runs_min = 3,
     .is_marginal = true},
    {.name = "easy-flat-1m",
     .policy = "easy",
     .summary = "the same jobs a hundred times",
     .source = BENCH_STEADY,
     .jobs = 1000000,
     .is_marginal = true},
    {.name = "kernel",
     .policy = "fcfs",
     .summary = "FCFS under load 0.7 beside bare parsing, bare events and bare log writing",
     .source = BENCH_FLOW,
     .jobs = 1000000,
     .has_kernel = true},
    {.name = "easy-10m",
     .policy = "easy",
     .summary = "EASY under load 0.7, ten million jobs",
     .source = BENCH_FLOW,
     .jobs = 10000000,
     .cpu_target_s = 12,
     .rss_target_mb = 120},
    {.name = "devices-100k",
     .policy = "{name: easy, place: best-fit}",
     .summary = "EASY and best fit on 10,000 nodes with 8 accelerators each",
     .source = BENCH_DEVICES,
     .jobs = 100000,
     .cpu_target_s = 10,
     .rss_target_mb = 500},
};

const size_t bench_case_count = sizeof bench_cases / sizeof bench_cases[0];

static const struct {
    const char *name;
    struct bench_model model;
} sources[BENCH_SOURCES] = {
    [BENCH_BUSY] = {"busy", {BLOCK_JOBS, PROCS, PROCS, 1.06, false}},
    /* Half the machine at most: ten million jobs then fit into the time that a trace can hold. */
    [BENCH_FLOW] = {"flow", {BLOCK_JOBS, PROCS, PROCS / 2, 0.7, false}},
    [BENCH_STEADY] = {"steady", {BLOCK_JOBS, PROCS, PROCS, 0.9, false}},
    [BENCH_DEEP] = {"deep", {BLOCK_JOBS, PROCS, PROCS, 1.3, true}},
    [BENCH_DEVICES] = {"devices", {0}},
};

int64_t bench_case_jobs(const struct bench_options *options, const struct bench_case *what)
{
    int64_t jobs = options->is_quick ? what->jobs / QUICK_FACTOR : what->jobs;

    return jobs < JOBS_MIN ? JOBS_MIN : jobs;
}

static bool has_trace(const struct bench_case *what)
{
    return what->source != BENCH_DEVICES;
}

static bool is_same_trace(const struct bench_options *options, size_t left, size_t right)
{
    const struct bench_case *a = options->cases[left], *b = options->cases[right];

    return a->source == b->source && bench_case_jobs(options, a) == bench_case_jobs(options, b);
}

static bool is_needed_later(const struct bench_options *options, size_t index)
{
    for (size_t i = index + 1; i < options->case_count; i++) {
        if (is_same_trace(options, index, i)) {
            return true;
        }
    }
    return false;
}

static bool is_needed_earlier(const struct bench_options *options, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (is_same_trace(options, index, i)) {
            return true;
        }
    }
    return false;
}

int64_t bench_disk_bytes(const struct bench_options *options)
{
    int64_t traces = 0, most = 0;

    for (size_t i = 0; i < options->case_count; i++) {
        int64_t jobs = bench_case_jobs(options, options->cases[i]);
        /* The reference kernel writes a log of its own. */
        int64_t results = jobs * RESULT_BYTES * (options->cases[i]->has_kernel ? 2 : 1);

        traces += is_needed_earlier(options, i) ? 0 : jobs * TRACE_BYTES;
        most = traces + results > most ? traces + results : most;
        traces -= is_needed_later(options, i) ? 0 : jobs * TRACE_BYTES;
    }
    return most;
}

/* The files of one case. All paths are owned. */
struct files {
    char *trace, *experiment, *result, *out, *messages, *log;
};

static void files_fini(struct files *files)
{
    free(files->trace);
    free(files->experiment);
    free(files->result);
    free(files->out);
    free(files->messages);
    free(files->log);
}

static enum hs_err name_files(const struct bench_options *options, const struct bench_stage *stage,
                              const struct bench_case *what, struct files *files,
                              struct hs_error *error)
{
    char name[64];

    (void)snprintf(name, sizeof name, "%s-%" PRId64 ".%s", sources[what->source].name,
                   bench_case_jobs(options, what), has_trace(what) ? "swf" : "xml");
    files->trace = bench_stage_path(stage, name);
    files->experiment = bench_stage_path(stage, "experiment.yaml");
    files->result = bench_stage_path(stage, "result.h5");
    files->out = bench_stage_path(stage, "metrics.json");
    files->messages = bench_stage_path(stage, "messages.txt");
    files->log = bench_stage_path(stage, "reference.h5");
    return files->trace && files->experiment && files->result && files->out && files->messages &&
                   files->log
               ? HS_OK
               : hs_error_memory(error);
}

static enum hs_err write_experiment(const char *path, const char *trace, const char *policy,
                                    int64_t procs, const char *compression, struct hs_error *error)
{
    FILE *file = fopen(path, "w");
    bool is_written = false;

    if (file) {
        (void)fprintf(file,
                      "hsim: 1\nplatform: {nodes: %" PRId64 ", cores: 1}\n"
                      "workload: {file: '%s'}\npolicy: %s\noutput: {compression: %s}\n",
                      procs, trace, policy, compression);
        is_written = !ferror(file);
        is_written = fclose(file) == 0 && is_written;
    }
    return is_written ? HS_OK
                      : hs_error_set(error, HS_ERR_SYSTEM, "%s: the file cannot be written: %s.",
                                     path, strerror(errno));
}

struct preparation {
    const struct bench_options *options;
    const struct bench_case *what;
    const struct files *files;
};

/* Writes the experiment, and the trace unless an earlier case has done so. */
static enum hs_err call_prepare(const void *context, struct bench_reply *reply)
{
    const struct preparation *preparation = context;
    const struct bench_options *options = preparation->options;
    const struct bench_case *what = preparation->what;
    const struct files *files = preparation->files;
    const char *name = strrchr(files->trace, '/') + 1;
    struct bench_block *block = NULL;
    char compression[24] = "none";
    enum hs_err err;

    if (options->level > 0) {
        (void)snprintf(compression, sizeof compression, "deflate-%d", options->level);
    }
    if (!has_trace(what)) {
        return bench_devices_experiment(files->experiment, name, what->policy,
                                        bench_case_jobs(options, what), compression, &reply->error);
    }
    err = what->source == BENCH_BUSY && options->trace
              ? bench_block_read(options->trace, &block, &reply->error)
              : bench_block_generate(&sources[what->source].model, &block, &reply->error);
    if (err == HS_OK && access(files->trace, F_OK) != 0) {
        err = bench_block_write(block, bench_case_jobs(options, what), files->trace, &reply->error);
    }
    if (err == HS_OK) {
        err = write_experiment(files->experiment, name, what->policy, bench_block_procs(block),
                               compression, &reply->error);
    }
    bench_block_destroy(block);
    return err;
}

/* The number behind `"key": ` in what `hsim run --json` has printed; NaN: there is none. */
static double number_of(const char *text, const char *key)
{
    char pattern[64];
    const char *found;

    (void)snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    found = strstr(text, pattern);
    if (!found) {
        return NAN;
    }
    found += strlen(pattern);
    return (*found >= '0' && *found <= '9') || *found == '-' ? strtod(found, NULL) : (double)NAN;
}

static int64_t count_of(const char *text, const char *key)
{
    double value = number_of(text, key);

    return isnan(value) ? -1 : (int64_t)value;
}

static enum hs_err read_metrics(const char *path, const char *program,
                                struct bench_measure *measure, struct hs_error *error)
{
    static const char key[] = "\"schedule_digest\": \"";
    char text[16384];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    const char *found;

    if (file) {
        (void)fclose(file);
    }
    text[length] = '\0';
    measure->jobs = count_of(text, "jobs");
    measure->events = count_of(text, "events");
    measure->passes = count_of(text, "passes");
    measure->examined = count_of(text, "jobs_examined");
    measure->queue_max = number_of(text, "queue_max_jobs");
    measure->running_mean = number_of(text, "running_mean_jobs");
    found = strstr(text, key);
    if (found) {
        (void)snprintf(measure->digest, sizeof measure->digest, "%.32s", found + strlen(key));
    }
    measure->is_known = measure->jobs > 0;
    return measure->is_known
               ? HS_OK
               : hs_error_set(error, HS_ERR_SYSTEM,
                              "%s printed no metrics with `run --json`. Is it hsim?", program);
}

/* One run of one program; keeps the better of it and what was measured before. */
static enum hs_err run_once(struct bench_stage *stage, const struct files *files,
                            const char *program, struct bench_measure *best, struct hs_error *error)
{
    char force[] = "--force", json[] = "--json", output[] = "-o", run[] = "run";
    char *name = strdup(program);
    char *const argv[] = {name, run, files->experiment, output, files->result, force, json, NULL};
    struct bench_measure measure = {0};
    enum hs_err err;

    if (!name) {
        return hs_error_memory(error);
    }
    (void)unlink(files->result);
    err = bench_stage_run(stage, argv, files->out, files->messages, &measure, error);
    if (err == HS_OK) {
        err = read_metrics(files->out, program, &measure, error);
    }
    free(name);
    if (err != HS_OK) {
        return err;
    }
    if (best->is_known && strcmp(best->digest, measure.digest) != 0) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: two runs of one experiment have different schedules (%s and %s). "
                            "Please report this as a bug.",
                            program, best->digest, measure.digest);
    }
    if (best->is_known && best->cpu_s < measure.cpu_s) {
        measure.cpu_s = best->cpu_s;
    }
    if (best->is_known && best->rss_bytes > measure.rss_bytes) {
        measure.rss_bytes = best->rss_bytes;
    }
    *best = measure;
    return HS_OK;
}

/* What the reference kernel needs to know of the run. */
struct kernel {
    const struct files *files;
    struct bench_rows rows;
    int64_t depth;
    int level;
};

static enum hs_err call_count(const void *context, struct bench_reply *reply)
{
    const struct kernel *kernel = context;

    return bench_rows_read(kernel->files->result, &reply->rows, &reply->error);
}

static enum hs_err call_parse(const void *context, struct bench_reply *reply)
{
    const struct kernel *kernel = context;
    int64_t rows;
    uint64_t sum;
    enum hs_err err = bench_kernel_parse(kernel->files->trace, &rows, &sum, &reply->error);

    if (err == HS_OK && rows != kernel->rows.jobs) {
        err = hs_error_set(&reply->error, HS_ERR_INPUT,
                           "%s: the reference parser finds %" PRId64 " rows, the run %" PRId64
                           " jobs (sum %" PRIu64 ").",
                           kernel->files->trace, rows, kernel->rows.jobs, sum);
    }
    return err;
}

static enum hs_err call_heap(const void *context, struct bench_reply *reply)
{
    const struct kernel *kernel = context;

    return bench_kernel_heap(kernel->rows.jobs, kernel->depth, &reply->error);
}

static enum hs_err call_log(const void *context, struct bench_reply *reply)
{
    const struct kernel *kernel = context;

    return bench_kernel_log(kernel->files->log, &kernel->rows, kernel->level, &reply->error);
}

static enum hs_err measure_kernel(const struct bench_options *options, struct bench_stage *stage,
                                  const struct files *files, struct bench_result *result,
                                  struct hs_error *error)
{
    static enum hs_err (*const calls[])(const void *, struct bench_reply *) = {call_parse,
                                                                               call_heap, call_log};
    double *best[] = {&result->parse_s, &result->heap_s, &result->log_s};
    struct kernel kernel = {.files = files, .level = options->level};
    double cpu_s = 0;
    enum hs_err err = bench_stage_call(stage, call_count, &kernel, &cpu_s, error);

    kernel.rows = stage->reply->rows;
    kernel.depth = result->self.running_mean > 1 ? (int64_t)result->self.running_mean : 1;
    for (int run = 0; err == HS_OK && run < options->runs; run++) {
        for (int part = 0; err == HS_OK && part < 3; part++) {
            (void)unlink(files->log);
            err = bench_stage_call(stage, calls[part], &kernel, &cpu_s, error);
            if (run == 0 || cpu_s < *best[part]) {
                *best[part] = cpu_s;
            }
        }
    }
    (void)unlink(files->log);
    return err;
}

/* `run` 0: the trace is written. */
static void show_progress(const struct bench_case *what, int run, int runs)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    if (run == 0) {
        (void)fprintf(stderr, "\r\033[K%s: writing the trace", what->name);
    } else {
        (void)fprintf(stderr, "\r\033[K%s: run %d of %d", what->name, run, runs);
    }
    (void)fflush(stderr);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO)) {
        (void)fputs("\r\033[K", stderr);
    }
}

static void set_targets(const struct bench_options *options, struct bench_result *result)
{
    const struct bench_case *what = result->what;

    if (bench_case_jobs(options, what) == what->jobs && options->level <= PACK_LEVEL) {
        result->cpu_target_s = what->cpu_target_s;
        result->rss_target_mb = what->rss_target_mb;
        if (what->cpu_target_s > 0 && options->level == PACK_LEVEL) {
            result->cpu_target_s += PACK_S_PER_JOB * (double)what->jobs;
        }
    }
}

enum hs_err bench_measure_case(const struct bench_options *options, struct bench_stage *stage,
                               size_t index, struct bench_result *result, struct hs_error *error)
{
    const struct bench_case *what = options->cases[index];
    int runs = options->runs > what->runs_min ? options->runs : what->runs_min;
    struct files files = {0};
    struct preparation preparation = {options, what, &files};
    double cpu_s;
    enum hs_err err = name_files(options, stage, what, &files, error);

    *result = (struct bench_result){.what = what};
    set_targets(options, result);
    if (err == HS_OK) {
        show_progress(what, 0, runs);
        err = bench_stage_call(stage, call_prepare, &preparation, &cpu_s, error);
    }
    if (err == HS_OK && !has_trace(what)) {
        err = bench_devices_machine(stage, options->program, files.trace, files.messages, error);
    }
    for (int run = 0; err == HS_OK && run < runs; run++) {
        show_progress(what, run + 1, runs);
        err = run_once(stage, &files, options->program, &result->self, error);
        if (err == HS_OK && options->against) {
            err = run_once(stage, &files, options->against, &result->other, error);
        }
    }
    if (err == HS_OK && what->has_kernel) {
        err = measure_kernel(options, stage, &files, result, error);
    }
    clear_progress();
    if (files.trace && !is_needed_later(options, index)) {
        (void)unlink(files.trace);
    }
    if (files.result) {
        (void)unlink(files.result);
    }
    files_fini(&files);
    return err;
}
