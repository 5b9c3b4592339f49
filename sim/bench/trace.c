/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - blocks of jobs in memory, and their repetition into a file. */
#include "bench/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "workload/random.h"
#include "workload/swf.h"

#define SEED        UINT64_C(1)
#define SLACK_PARTS 100

struct bench_block {
    char *label; /* for messages */
    struct swf_record *records;
    size_t count, room;
    int64_t procs;
    int64_t last_id;
    hs_time last_submit_ns;
};

void bench_block_destroy(struct bench_block *block)
{
    if (block) {
        free(block->label);
        free(block->records);
        free(block);
    }
}

int64_t bench_block_procs(const struct bench_block *block)
{
    return block->procs;
}

static struct bench_block *block_create(const char *label)
{
    struct bench_block *block = calloc(1, sizeof *block);

    if (block) {
        block->label = strdup(label);
        if (!block->label) {
            free(block);
            block = NULL;
        }
    }
    return block;
}

static enum hs_err block_add(struct bench_block *block, const struct swf_record *record,
                             struct hs_error *error)
{
    if (block->count == block->room) {
        size_t room = block->room ? block->room * 2 : 1024;
        struct swf_record *moved = realloc(block->records, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        block->records = moved;
        block->room = room;
    }
    block->records[block->count++] = *record;
    if (record->value[SWF_ID] > block->last_id) {
        block->last_id = record->value[SWF_ID];
    }
    if (record->value[SWF_SUBMIT] > block->last_submit_ns) {
        block->last_submit_ns = record->value[SWF_SUBMIT];
    }
    return HS_OK;
}

/* Whole seconds, from the run time (1 s at least) to ten times as much. */
static hs_time slack_apply(hs_time run_ns, int64_t id)
{
    uint64_t bits = workload_random_bits(SEED, "bench slack", (uint64_t)id);
    int64_t parts = SLACK_PARTS + (int64_t)workload_random_below(bits, 9 * SLACK_PARTS + 1);

    int64_t run_s = run_ns < HS_NS_PER_S ? 1 : run_ns / HS_NS_PER_S;

    return (run_s * parts + SLACK_PARTS - 1) / SLACK_PARTS * HS_NS_PER_S;
}

static struct swf_record record_of(const struct workload_job *job, bool has_slack)
{
    struct swf_record record = {0};

    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        record.value[i] = -1;
    }
    record.value[SWF_ID] = job->trace_id;
    record.value[SWF_SUBMIT] = job->submit_ns;
    record.value[SWF_RUN] = job->run_ns;
    record.value[SWF_PROCS_USED] = job->demand.tasks;
    record.value[SWF_PROCS] = job->demand.tasks;
    record.value[SWF_WALLTIME] =
        has_slack ? slack_apply(job->run_ns, job->trace_id) : job->walltime_ns;
    record.value[SWF_STATUS] = job->trace_status;
    return record;
}

static enum hs_err generate(const struct workload_options *options, bool has_slack,
                            struct bench_block *block, struct hs_error *error)
{
    struct workload *workload = NULL;
    bool has_job = true;
    enum hs_err err = workload_open(options, &workload, error);

    while (err == HS_OK && has_job) {
        struct workload_job job;

        err = workload_next(workload, &job, &has_job, error);
        if (err == HS_OK && has_job) {
            struct swf_record record = record_of(&job, has_slack);

            err = block_add(block, &record, error);
        }
    }
    workload_close(workload);
    return err;
}

enum hs_err bench_block_generate(const struct bench_model *model, struct bench_block **block,
                                 struct hs_error *error)
{
    struct bench_block *made = block_create("generated jobs");
    struct workload_options options;
    enum hs_err err;

    *block = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    workload_options_defaults(&options);
    options.is_generated = true;
    options.lublin.jobs = model->jobs;
    options.lublin.nodes = model->procs_max;
    options.machine_procs = model->procs;
    options.load = model->load;
    options.seed = SEED;
    err = generate(&options, model->has_slack, made, error);
    if (err != HS_OK) {
        bench_block_destroy(made);
        return err;
    }
    made->procs = model->procs;
    *block = made;
    return HS_OK;
}

static enum hs_err read_all(const char *path, struct bench_block *block, struct hs_error *error)
{
    struct workload_stats stats = {0};
    struct swf_reader *reader = NULL;
    int64_t largest = 0;
    bool has_record = true;
    enum hs_err err = swf_reader_open(path, false, &stats, &reader, error);

    while (err == HS_OK && has_record) {
        struct swf_record record;

        err = swf_reader_next(reader, &record, &has_record, error);
        if (err == HS_OK && has_record) {
            int64_t procs = record.value[SWF_PROCS] > 0 ? record.value[SWF_PROCS]
                                                        : record.value[SWF_PROCS_USED];

            largest = procs > largest ? procs : largest;
            err = block_add(block, &record, error);
        }
    }
    swf_reader_close(reader);
    block->procs = stats.header_max_procs > 0   ? stats.header_max_procs
                   : stats.header_max_nodes > 0 ? stats.header_max_nodes
                                                : largest;
    if (err == HS_OK && (block->count == 0 || block->procs < 1)) {
        err = hs_error_set(error, HS_ERR_INPUT,
                           "%s: holds no job with processors. A benchmark repeats the jobs of a "
                           "trace; name one that `hsim trace info` finds jobs in.",
                           path);
    }
    return err;
}

enum hs_err bench_block_read(const char *path, struct bench_block **block, struct hs_error *error)
{
    struct bench_block *made = block_create(path);
    enum hs_err err;

    *block = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    err = read_all(path, made, error);
    if (err != HS_OK) {
        bench_block_destroy(made);
        return err;
    }
    *block = made;
    return HS_OK;
}

/* All submit times and ids of the repetitions must be such as a trace can hold. */
static enum hs_err check_reach(const struct bench_block *block, int64_t jobs,
                               struct hs_error *error)
{
    int64_t repetitions = (jobs + (int64_t)block->count - 1) / (int64_t)block->count;

    if ((hs_int128)block->last_submit_ns * repetitions > SWF_SUBMIT_MAX_NS ||
        (hs_int128)block->last_id * repetitions > INT64_MAX) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: %" PRId64 " repetitions of its %zu jobs, the last submitted at "
                            "%.0f s, pass the %.0f s that a trace can hold. Name a trace with "
                            "more jobs in less time.",
                            block->label, repetitions, block->count,
                            (double)block->last_submit_ns / (double)HS_NS_PER_S,
                            (double)SWF_SUBMIT_MAX_S);
    }
    return HS_OK;
}

static void write_rows(const struct bench_block *block, int64_t jobs, FILE *file)
{
    int64_t repetition = 0;
    size_t index = 0;

    for (int64_t row = 0; row < jobs && !ferror(file); row++) {
        struct swf_record record = block->records[index];

        record.value[SWF_ID] += repetition * block->last_id;
        record.value[SWF_SUBMIT] += repetition * block->last_submit_ns;
        if (record.value[SWF_PRECEDING] > 0) {
            record.value[SWF_PRECEDING] += repetition * block->last_id;
        }
        swf_record_write(file, &record);
        if (++index == block->count) {
            index = 0;
            repetition++;
        }
    }
}

enum hs_err bench_block_write(const struct bench_block *block, int64_t jobs, const char *path,
                              struct hs_error *error)
{
    struct workload_swf_header header = {
        .computer = block->label, .epoch_unix = -1, .jobs = jobs, .procs = block->procs};
    enum hs_err err = check_reach(block, jobs, error);
    bool is_written = false;
    FILE *file;

    if (err != HS_OK) {
        return err;
    }
    errno = 0;
    file = fopen(path, "w");
    if (file) {
        workload_swf_write_header(file, &header);
        write_rows(block, jobs, file);
        is_written = !ferror(file);
        is_written = fclose(file) == 0 && is_written;
    }
    return is_written ? HS_OK
                      : hs_error_set(error, HS_ERR_SYSTEM,
                                     "%s: the trace cannot be written: %s. Free space there, or "
                                     "set TMPDIR to another folder.",
                                     path, strerror(errno));
}
