/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake.h - runs without a simulator: given jobs, what the writer would be told, in order. */
#ifndef HSIM_TESTS_FAKE_H
#define HSIM_TESTS_FAKE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/result.h"
#include "unit.h"

#define S HS_NS_PER_S

/* A job that ran or not, with times in seconds; -1: does not apply. */
struct fake_job {
    int64_t submit, start, end;
    int64_t procs;
    enum result_state state;
    int64_t run, walltime; /* 0: end - start; 0: none */
    struct hs_span spans[3];
    uint32_t span_count;
    bool is_exclusive;
};

enum fake_kind { FAKE_END, FAKE_SUBMIT, FAKE_START, FAKE_END_AT_START };

struct fake_event {
    int64_t time;
    enum fake_kind kind;
    size_t job;
};

static inline int fake_compare(const void *left, const void *right)
{
    const struct fake_event *a = left;
    const struct fake_event *b = right;

    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return (a->job > b->job) - (a->job < b->job);
}

/* `count` nodes n0, n1, ... of `cores` cores. */
static inline struct hs_cluster *fake_cluster(uint32_t count, int64_t cores)
{
    struct hs_cluster *cluster = hs_cluster_create();

    for (uint32_t i = 0; i < count; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", i);
        if (hs_cluster_add_node(cluster, name, cores * 1000, HS_MEM_UNLIMITED, NULL) != HS_OK) {
            abort();
        }
    }
    if (hs_cluster_seal(cluster, NULL) != HS_OK) {
        abort();
    }
    return cluster;
}

static inline struct result_meta fake_meta(const struct hs_cluster *cluster)
{
    static const struct result_param params[] = {{"policy", "depth", "3"}, {"order", "a", "0.5"}};
    static const struct result_input inputs[] = {
        {"trace.swf", "swf", 123, -1, "0123456789abcdef0123456789abcdef"}};

    return (struct result_meta){
        .policy = "fcfs",
        .config = "hsim: 1\n",
        .config_source = "hsim: 1 # as written\n",
        .base_dir = "/somewhere",
        .command_line = "hsim run x.yaml",
        .cluster = cluster,
        .inputs = inputs,
        .input_count = 1,
        .params = params,
        .param_count = 2,
        .seed = 42,
        .epoch_unix = -1,
        .tau_ns = 10 * S,
        .measure_to_ns = HS_TIME_NEVER,
    };
}

static inline hs_time fake_time(int64_t seconds)
{
    return seconds < 0 ? -1 : seconds * S;
}

static inline enum hs_err fake_write(struct result_writer *writer, const struct fake_job *job,
                                     size_t id, struct hs_error *error)
{
    struct hs_demand demand = {.tasks = (uint32_t)job->procs, .cores_milli = 1000};
    struct hs_alloc alloc = {
        .spans = job->spans, .span_count = job->span_count, .is_exclusive = job->is_exclusive};
    struct hs_span all = {0, 1, (uint32_t)job->procs};

    if (job->span_count == 0) {
        alloc.spans = &all;
        alloc.span_count = 1;
    }
    struct result_job row = {
        .id = (int64_t)id,
        .trace_id = (int64_t)id + 100,
        .submit_ns = job->submit * S,
        .trace_submit_ns = job->submit * S,
        .eligible_ns = job->submit * S,
        .start_ns = fake_time(job->start),
        .end_ns = fake_time(job->end),
        .run_ns = job->run                           ? fake_time(job->run)
                  : job->start >= 0 && job->end >= 0 ? (job->end - job->start) * S
                                                     : -1,
        .walltime_ns = job->walltime ? job->walltime * S : HS_TIME_NEVER,
        .demand = &demand,
        .alloc = job->start >= 0 ? &alloc : NULL,
        .procs = job->procs,
        .executable = 7,
        .user = (int32_t)(id % 3),
        .group = 1,
        .queue = 2,
        .partition = -1,
        .state = job->state,
    };
    return result_writer_job(writer, &row, error);
}

static inline size_t fake_events(const struct fake_job *jobs, size_t count,
                                 struct fake_event *events)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct fake_job *job = &jobs[i];

        events[n++] = (struct fake_event){job->submit, FAKE_SUBMIT, i};
        if (job->start >= 0) {
            events[n++] = (struct fake_event){job->start, FAKE_START, i};
        }
        if (job->end >= 0) {
            bool is_zero = job->end == job->start;

            events[n++] = (struct fake_event){job->end, is_zero ? FAKE_END_AT_START : FAKE_END, i};
        }
    }
    qsort(events, n, sizeof *events, fake_compare);
    return n;
}

static inline void fake_step(const struct fake_event *event, const struct fake_job *job,
                             struct result_point *point)
{
    if (job->state == RESULT_REJECTED) {
        return;
    }
    if (event->kind == FAKE_SUBMIT) {
        point->queue_jobs++;
        point->queue_procs += job->procs;
    } else if (event->kind == FAKE_START || job->start < 0) { /* or cancelled while waiting */
        point->queue_jobs--;
        point->queue_procs -= job->procs;
        point->running_jobs += job->start >= 0;
        point->alloc_milli += job->start >= 0 ? job->procs * 1000 : 0;
    } else {
        point->running_jobs--;
        point->alloc_milli -= job->procs * 1000;
    }
}

/* Tells the writer of all jobs: points after each event, jobs at their end, what never ends last.
 */
static inline enum hs_err fake_run(struct result_writer *writer, const struct fake_job *jobs,
                                   size_t count, struct hs_error *error)
{
    struct fake_event *events = calloc(3 * count + 1, sizeof *events);
    size_t n = fake_events(jobs, count, events);
    static const int64_t available[] = {4000}; /* for runs that tell it: two nodes of two cores */
    struct result_point point = {.device_levels = available};
    enum hs_err code = HS_OK;

    for (size_t i = 0; i < n && code == HS_OK; i++) {
        const struct fake_job *job = &jobs[events[i].job];
        bool is_end = events[i].kind == FAKE_END || events[i].kind == FAKE_END_AT_START;

        point.time_ns = events[i].time * S;
        if (events[i].kind == FAKE_SUBMIT) {
            code = result_writer_submitted(writer, point.time_ns, error);
        }
        fake_step(&events[i], job, &point);
        if (code == HS_OK) {
            code = result_writer_point(writer, &point, error);
        }
        if (code == HS_OK && is_end) {
            code = fake_write(writer, job, events[i].job, error);
        }
    }
    for (size_t i = 0; i < count && code == HS_OK; i++) {
        if (jobs[i].end < 0) {
            code = fake_write(writer, &jobs[i], i, error);
        }
    }
    free(events);
    return code;
}

static const struct result_final fake_final = {
    .status = "complete", .wall_s = 1.5, .cpu_s = 1.25, .events = 12, .epoch_unix = 1000};

/* A whole run; the error is told and the test fails if it does not work. */
static inline void fake_result(const struct result_options *options, const struct result_meta *meta,
                               const struct fake_job *jobs, size_t count,
                               struct result_summary *summary)
{
    struct result_writer *writer = NULL;
    struct hs_error error = {0};
    enum hs_err code = result_writer_create(options, meta, &writer, &error);

    if (code == HS_OK) {
        code = fake_run(writer, jobs, count, &error);
        if (code == HS_OK) {
            code = result_writer_finish(writer, &fake_final, summary, &error);
        } else {
            result_writer_abort(writer);
        }
    }
    CU_ASSERT_STRING_EQUAL_FATAL(error.text, "");
    CU_ASSERT_EQUAL_FATAL(code, HS_OK);
}

static inline int fake_remove(const char *path, const struct stat *status, int kind,
                              struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

static char fake_folder_name[] = "/tmp/hsim-result-XXXXXX";

static inline void fake_clean(void)
{
    (void)nftw(fake_folder_name, fake_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* A folder of its own for each test program, removed at its end; fake_path names a file in it. */
static inline const char *fake_folder(void)
{
    static bool is_made;

    if (!is_made && (!mkdtemp(fake_folder_name) || atexit(fake_clean) != 0)) {
        abort();
    }
    is_made = true;
    return fake_folder_name;
}

static inline const char *fake_path(const char *name, char path[256])
{
    (void)snprintf(path, 256, "%s/%s", fake_folder(), name);
    return path;
}

#endif
