/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs_stream.h - what the harnesses of lists of jobs share: all jobs of a file, in order and in
 * range, and read again from what is written of them. */
#ifndef HSIM_TESTS_FUZZ_JOBS_STREAM_H
#define HSIM_TESTS_FUZZ_JOBS_STREAM_H

#include "fuzz.h"
#include "workload/workload.h"

#define JOBS_MAX 4096

struct outcome {
    enum hs_err err;
    int64_t jobs;
    uint64_t hash;
    bool is_whole; /* nothing was dropped, changed or counted as bad */
};

static inline void mix(uint64_t *hash, int64_t value)
{
    *hash = (*hash ^ (uint64_t)value) * UINT64_C(0x100000001b3);
}

static inline void check_job(const struct workload_job *job, int64_t id, hs_time last_submit)
{
    const struct hs_demand *demand = &job->demand;

    FUZZ_CHECK(job->id == id && job->submit_ns >= last_submit);
    FUZZ_CHECK(job->run_ns >= 0 && job->walltime_ns > 0);
    FUZZ_CHECK(job->run_ns != HS_TIME_NEVER || job->cancel_ns != HS_TIME_NEVER);
    FUZZ_CHECK(demand->tasks >= 1 && demand->cores_milli >= 0 && demand->mem_bytes >= 0);
    FUZZ_CHECK((demand->alternatives != NULL) == (demand->alternative_count > 0));
    FUZZ_CHECK(job->user >= -1 && job->job_class >= -1);
    FUZZ_CHECK(workload_job_procs(job) >= 0 && workload_job_procs(job) <= INT32_MAX);
}

static inline struct outcome read_all(const struct workload_options *options, FILE *copy)
{
    struct outcome outcome = {.hash = UINT64_C(0xcbf29ce484222325)};
    struct workload *workload = NULL;
    struct hs_error error = {0};
    hs_time last_submit = INT64_MIN;
    bool has_job = true;

    outcome.err = workload_open(options, &workload, &error);
    while (outcome.err == HS_OK && has_job && outcome.jobs < JOBS_MAX) {
        struct workload_job job;

        outcome.err = workload_next(workload, &job, &has_job, &error);
        if (outcome.err == HS_OK && has_job) {
            check_job(&job, outcome.jobs++, last_submit);
            last_submit = job.submit_ns;
            mix(&outcome.hash, job.trace_id);
            mix(&outcome.hash, job.submit_ns);
            mix(&outcome.hash, job.run_ns);
            mix(&outcome.hash, job.walltime_ns);
            mix(&outcome.hash, job.demand.tasks);
            if (copy) {
                workload_jobs_write_job(copy, &job, workload_names(workload), job.trace_wait_ns,
                                        job.trace_status);
            }
        }
    }
    if (outcome.err != HS_OK) {
        fuzz_check_error(outcome.err, &error);
    }
    if (workload) {
        const struct workload_stats *stats = workload_stats(workload);

        FUZZ_CHECK(stats->records <= stats->lines);
        outcome.is_whole = stats->bad.count == 0 && stats->dropped.count == 0 &&
                           stats->cancelled.count == 0 && stats->absent.count == 0 &&
                           stats->oversized.count == 0;
    }
    workload_close(workload);
    return outcome;
}

/* The bytes as a file of options->format; if all of it became jobs, what is written of them as CSV
 * reads back to the same. */
static inline void check_file(const struct workload_options *given, const void *bytes, size_t size)
{
    struct workload_options options = *given;
    struct outcome first;
    char path[FUZZ_PATH_MAX];
    char *text = NULL;
    size_t length;
    FILE *copy = open_memstream(&text, &length);
    int file = fuzz_file(bytes, size, path);

    FUZZ_CHECK(copy);
    workload_jobs_write_header(copy);
    options.file = path;
    first = read_all(&options, copy);
    FUZZ_CHECK(close(file) == 0 && fclose(copy) == 0);
    if (first.err == HS_OK && first.jobs < JOBS_MAX && first.is_whole &&
        options.overrun != WORKLOAD_OVERRUN_KILL) {
        struct outcome again;

        options.format = WORKLOAD_FORMAT_JOBS;
        options.columns = (struct workload_columns){0};
        options.zone = NULL;
        file = fuzz_file(text, length, path);
        again = read_all(&options, NULL);
        FUZZ_CHECK(close(file) == 0);
        FUZZ_CHECK(again.err == HS_OK && again.jobs == first.jobs);
        FUZZ_CHECK(!again.is_whole || again.hash == first.hash);
    }
    free(text);
}

#endif
