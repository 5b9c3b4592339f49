/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.c - identities over the tables of a result. */
#include "result/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/digest.h"
#include "result/saturate.h"
#include "result/scan.h"

void result_conclude(struct result_check *check, enum result_outcome outcome, const char *format,
                     ...)
{
    va_list arguments;

    check->outcome = outcome;
    va_start(arguments, format);
    (void)vsnprintf(check->text, sizeof check->text, format, arguments);
    va_end(arguments);
}

/* Columns of /jobs that the checks read, in the order of `job_columns`. */
enum {
    J_ID,
    J_SUBMIT,
    J_ELIGIBLE,
    J_START,
    J_END,
    J_RUNTIME,
    J_REQ,
    J_STATE,
    J_ALLOC,
    J_TASKS,
    J_MEASURED,
    J_USUAL, /* and before it: columns of every run */
    J_PREEMPTIONS = J_USUAL,
    J_EXECUTED,
    J_OVERHEAD,
    J_ALL
};
static const size_t job_columns[J_ALL] = {
    JOB_ID,       JOB_SUBMIT,      JOB_ELIGIBLE, JOB_START,       JOB_END,
    JOB_RUNTIME,  JOB_REQ_TIME,    JOB_STATE,    JOB_ALLOC_MILLI, JOB_TASKS,
    JOB_MEASURED, JOB_PREEMPTIONS, JOB_EXECUTED, JOB_OVERHEAD};

/* The last one is only there in runs with attempts. */
enum { A_JOB, A_FIRST, A_COUNT, A_TASKS, A_CORES, A_START, A_END, A_ATTEMPT, A_ALL };
static const size_t allocation_columns[A_ALL] = {
    ALLOCATION_JOB,         ALLOCATION_FIRST_NODE, ALLOCATION_NODE_COUNT, ALLOCATION_TASKS_PER_NODE,
    ALLOCATION_CORES_MILLI, ALLOCATION_START,      ALLOCATION_END,        ALLOCATION_ATTEMPT};

enum { D_JOB, D_DEVICE, D_SHARE, D_START, D_END, D_ATTEMPT, D_ALL };
static const size_t device_columns[D_ALL] = {DEVICE_JOB,   DEVICE_INDEX, DEVICE_SHARE,
                                             DEVICE_START, DEVICE_END,   DEVICE_ATTEMPT};

struct job_row {
    int64_t id, submit, eligible, start, end, runtime, req, alloc, tasks;
    int64_t preemptions, executed, overhead; /* executed: until the end of the job or the run */
    enum result_state state;
    bool is_measured;
};

/* First offender of a kind. */
struct offence {
    int64_t count;
    char text[200];
};

struct audit {
    struct result_reader *reader;
    struct result_scan jobs, allocations, devices;
    int64_t allocation_row; /* next row of the allocations */
    int64_t device_row;     /* likewise of the devices */
    hs_time end_ns;         /* of the series: what is unfinished counts until then */
    bool has_attempts, has_speeds;
    uint8_t *seen; /* a bit per id */
    struct digest *digest;
    hs_int128 waiting, running, held; /* sums over the jobs */
    hs_int128 measured_wait;
    int64_t measured;
    int64_t states[RESULT_STATE_COUNT];
    struct offence ids, times, runs, allocation;
};

static void offend(struct offence *offence, const char *format, ...) HS_PRINTF(2, 3);

static void offend(struct offence *offence, const char *format, ...)
{
    va_list arguments;

    if (offence->count++ == 0) {
        va_start(arguments, format);
        (void)vsnprintf(offence->text, sizeof offence->text, format, arguments);
        va_end(arguments);
    }
}

static void check_id(struct audit *audit, const struct job_row *job)
{
    if (job->id < 0 || job->id >= audit->jobs.rows) {
        offend(&audit->ids, "a job has the id %" PRId64, job->id);
    } else if (audit->seen[job->id / 8] >> (job->id % 8) & 1) {
        offend(&audit->ids, "job %" PRId64 " is there twice", job->id);
    } else {
        audit->seen[job->id / 8] = (uint8_t)(audit->seen[job->id / 8] | 1u << (job->id % 8));
    }
}

static void check_times(struct audit *audit, const struct job_row *job)
{
    hs_time executed = saturate_difference(job->executed, job->overhead);
    /* Where speeds differ, requests are times on the reference device, and the run time of a job
     * that was killed is what it got. A run time that was cut at the trace's request may lie below
     * the estimate of policies. */
    hs_time limit = job->runtime >= 0 && (audit->has_speeds || job->runtime < job->req)
                        ? job->runtime
                        : job->req;

    if (job->state == RESULT_REJECTED) {
        if (job->start >= 0) {
            offend(&audit->times, "job %" PRId64 " was rejected, but started", job->id);
        }
        return;
    }
    if (job->eligible < job->submit || (job->start >= 0 && job->start < job->eligible) ||
        (job->end >= 0 && job->end < (job->start >= 0 ? job->start : job->eligible))) {
        offend(&audit->times,
               "job %" PRId64 ": submit %" PRId64 ", eligible %" PRId64 ", start %" PRId64
               ", end %" PRId64 " ns",
               job->id, job->submit, job->eligible, job->start, job->end);
        return;
    }
    if (job->state == RESULT_FINISHED && (job->start < 0 || executed != job->runtime)) {
        offend(&audit->runs, "job %" PRId64 " ran %" PRId64 " ns instead of %" PRId64, job->id,
               executed, job->runtime);
    } else if (job->state == RESULT_KILLED && (job->start < 0 || executed != limit)) {
        offend(&audit->runs, "job %" PRId64 " was killed after %" PRId64 " ns instead of %" PRId64,
               job->id, executed, limit);
    } else if (job->overhead < 0 || job->overhead > job->executed ||
               (job->end >= 0 && job->start >= 0 &&
                job->executed > saturate_difference(job->end, job->start))) {
        offend(&audit->runs,
               "job %" PRId64 " executed for %" PRId64 " ns, of which restarts took %" PRId64,
               job->id, job->executed, job->overhead);
    }
}

/* Adds the job to the sums. */
static void add_job(struct audit *audit, const struct job_row *job)
{
    hs_time end = job->end >= 0 ? job->end : audit->end_ns;
    bool is_ended = job->state == RESULT_FINISHED || job->state == RESULT_KILLED;

    audit->states[job->state]++;
    if (job->state != RESULT_REJECTED) {
        saturate_add(&audit->waiting,
                     saturate_difference(saturate_difference(end, job->eligible), job->executed));
    }
    if (job->start >= 0) {
        saturate_add(&audit->running, job->executed);
        if (!audit->has_attempts) { /* otherwise each attempt may have held something else */
            saturate_add(&audit->held, (hs_int128)job->alloc * job->executed);
        }
    }
    if (is_ended && job->is_measured) {
        saturate_add(&audit->measured_wait, saturate_difference(job->start, job->submit));
        audit->measured++;
    }
    digest_job(audit->digest, job->id, job->start, job->end, job->state);
}

/* What the rows of /allocations of a job add up to. */
struct sum {
    int64_t tasks, cores; /* of the last attempt */
    int64_t attempts;     /* begun */
    hs_time start, end;   /* of the last attempt; end as in the file */
    hs_time executed;     /* in all of them */
    bool is_broken;       /* they do not follow one another in number and time */
};

/* A row begins an attempt, or belongs to the one that was begun last. */
static void add_row(struct audit *audit, const struct job_row *job, size_t i, struct sum *sum)
{
    const struct result_scan *scan = &audit->allocations;
    int64_t count = scan->values[A_COUNT][i];
    int64_t cores = saturate_product(count, scan->values[A_CORES][i]);
    hs_time start = scan->values[A_START][i];
    hs_time end = scan->values[A_END][i];
    hs_time length = saturate_difference(end >= 0 ? end : audit->end_ns, start);
    int64_t attempt = audit->has_attempts ? scan->values[A_ATTEMPT][i] : 1;

    if (attempt != sum->attempts) {
        sum->is_broken = sum->is_broken || attempt != sum->attempts + 1 ||
                         (attempt > 1 && (sum->end < 0 || start < sum->end));
        sum->attempts = attempt;
        sum->tasks = sum->cores = 0;
        sum->executed = saturate_sum(sum->executed, length);
        if (job->preemptions > 0) {
            digest_attempt(audit->digest, start, end);
        }
    } else {
        sum->is_broken = sum->is_broken || start != sum->start || end != sum->end;
    }
    sum->start = start;
    sum->end = end;
    sum->tasks = saturate_sum(sum->tasks, saturate_product(count, scan->values[A_TASKS][i]));
    sum->cores = saturate_sum(sum->cores, cores);
    if (audit->has_attempts) {
        saturate_add(&audit->held, (hs_int128)cores * length);
    }
    digest_span(audit->digest, (uint32_t)scan->values[A_FIRST][i], (uint32_t)count,
                (uint32_t)scan->values[A_TASKS][i]);
    if ((attempt == 1 && start != job->start) ||
        (attempt > job->preemptions ? end != job->end
                                    : end < 0 || (job->end >= 0 && end > job->end))) {
        sum->is_broken = true;
    }
}

/* The rows of /allocations that follow must be this job's, and give it what it asked for. */
static enum hs_err check_allocation(struct audit *audit, const struct job_row *job,
                                    struct hs_error *error)
{
    struct result_scan *scan = &audit->allocations;
    bool is_ended = job->state == RESULT_FINISHED || job->state == RESULT_KILLED;
    struct sum sum = {0};

    for (; audit->allocation_row < scan->rows; audit->allocation_row++) {
        size_t i = 0;
        enum hs_err code = result_scan_load(scan, audit->allocation_row, &i, error);

        if (code != HS_OK) {
            return code;
        }
        if (scan->values[A_JOB][i] != job->id) {
            break;
        }
        add_row(audit, job, i, &sum);
    }
    if (sum.is_broken || sum.executed != job->executed) {
        offend(&audit->allocation, "job %" PRId64 " holds nodes at other times than it runs",
               job->id);
    } else if (sum.attempts != job->preemptions + (job->start >= 0) &&
               (is_ended || sum.attempts != job->preemptions)) {
        offend(&audit->allocation,
               "job %" PRId64 " was preempted %" PRId64 " times and has %" PRId64 " attempts",
               job->id, job->preemptions, sum.attempts);
    }
    if (job->start >= 0 && sum.tasks == 0) {
        offend(&audit->allocation, "job %" PRId64 " started without nodes", job->id);
    } else if (job->start < 0 && sum.tasks > 0) {
        offend(&audit->allocation, "job %" PRId64 " holds nodes, but never started", job->id);
    } else if (job->start >= 0 && (sum.tasks != job->tasks || sum.cores != job->alloc)) {
        offend(&audit->allocation,
               "job %" PRId64 " holds nodes for %" PRId64 " tasks and %" PRId64
               " milli-cores instead of %" PRId64 " and %" PRId64,
               job->id, sum.tasks, sum.cores, job->tasks, job->alloc);
    }
    return HS_OK;
}

/* The rows of /device_allocations that follow must be this job's. */
static enum hs_err check_devices(struct audit *audit, const struct job_row *job,
                                 struct hs_error *error)
{
    struct result_scan *scan = &audit->devices;
    int64_t attempt = 1;
    hs_time start = job->start;
    hs_time end = -1;

    for (; audit->device_row < scan->rows; audit->device_row++) {
        size_t i = 0;
        enum hs_err code = result_scan_load(scan, audit->device_row, &i, error);
        int64_t next;

        if (code != HS_OK || scan->values[D_JOB][i] != job->id) {
            return code;
        }
        digest_device(audit->digest, (uint32_t)scan->values[D_DEVICE][i],
                      (uint32_t)scan->values[D_SHARE][i]);
        next = audit->has_attempts ? scan->values[D_ATTEMPT][i] : 1;
        if (next == attempt + 1 && end >= 0 && scan->values[D_START][i] >= end) {
            attempt = next;
            start = scan->values[D_START][i];
        }
        end = scan->values[D_END][i];
        if (next != attempt || scan->values[D_START][i] != start ||
            (attempt > job->preemptions ? end != job->end : end < start)) {
            offend(&audit->allocation, "job %" PRId64 " holds devices at other times than it runs",
                   job->id);
        }
    }
    return HS_OK;
}

/* The job in place `i` of the piece that is loaded. */
static struct job_row job_at(const struct audit *audit, size_t i)
{
    int64_t *const *values = audit->jobs.values;
    struct job_row job = {
        .id = values[J_ID][i],
        .submit = values[J_SUBMIT][i],
        .eligible = values[J_ELIGIBLE][i],
        .start = values[J_START][i],
        .end = values[J_END][i],
        .runtime = values[J_RUNTIME][i],
        .req = values[J_REQ][i],
        .alloc = values[J_ALLOC][i],
        .tasks = values[J_TASKS][i],
        .state = (enum result_state)values[J_STATE][i],
        .is_measured = values[J_MEASURED][i] != 0,
    };

    if (audit->has_attempts) {
        job.preemptions = values[J_PREEMPTIONS][i];
        job.executed = values[J_EXECUTED][i];
        job.overhead = values[J_OVERHEAD][i];
    } else if (job.start >= 0) {
        job.executed = saturate_difference(job.end >= 0 ? job.end : audit->end_ns, job.start);
    }
    return job;
}

static enum hs_err audit_jobs(struct audit *audit, struct hs_error *error)
{
    for (int64_t row = 0; row < audit->jobs.rows; row++) {
        size_t i = 0;
        enum hs_err code = result_scan_load(&audit->jobs, row, &i, error);
        struct job_row job;

        if (code != HS_OK) {
            return code;
        }
        job = job_at(audit, i);
        check_id(audit, &job);
        check_times(audit, &job);
        add_job(audit, &job);
        if (audit->allocations.table) {
            code = check_allocation(audit, &job, error);
        }
        if (code == HS_OK && audit->devices.table) {
            code = check_devices(audit, &job, error);
        }
        if (code != HS_OK) {
            return code;
        }
    }
    if (audit->allocation_row < audit->allocations.rows) {
        offend(&audit->allocation, "row %" PRId64 " of the allocations belongs to no job",
               audit->allocation_row);
    }
    if (audit->device_row < audit->devices.rows) {
        offend(&audit->allocation, "row %" PRId64 " of the device allocations belongs to no job",
               audit->device_row);
    }
    return HS_OK;
}

/* The three integrals over the series: held cores, queue, running. */
#define INTEGRALS 3
static const char *const integral_names[INTEGRALS] = {"alloc_integral", "queue_integral",
                                                      "running_integral"};

enum hs_err result_check_sum(struct result_reader *reader, const char *object, const char *name,
                             hs_int128 *sum, struct hs_error *error)
{
    char *text = NULL;
    enum hs_err code = result_reader_text(reader, object, name, &text, error);

    if (code == HS_OK && !result_int128_parse(text, sum)) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: the attribute \"%s\" of the %s is \"%s\", not an integer. The "
                            "file is damaged: run the experiment again.",
                            result_reader_path(reader), name, object, text);
    }
    free(text);
    return code;
}

static enum hs_err stored_integrals(struct result_reader *reader, hs_int128 integrals[INTEGRALS],
                                    struct hs_error *error)
{
    enum hs_err code = HS_OK;

    for (int i = 0; code == HS_OK && i < INTEGRALS; i++) {
        code = result_check_sum(reader, "series", integral_names[i], &integrals[i], error);
    }
    return code;
}

static enum hs_err sum_series(struct result_reader *reader, hs_time end_ns,
                              hs_int128 integrals[INTEGRALS], struct hs_error *error)
{
    static const size_t columns[] = {SERIES_TIME, SERIES_ALLOC_MILLI, SERIES_QUEUE, SERIES_RUNNING};
    struct result_scan scan;
    enum hs_err code =
        result_scan_init(&scan, reader, result_reader_table(reader, "series"), columns, 4, error);
    int64_t levels[INTEGRALS] = {0};
    hs_time before = 0;

    memset(integrals, 0, INTEGRALS * sizeof *integrals);
    for (int64_t row = 0; code == HS_OK && row <= scan.rows; row++) {
        hs_time now = end_ns;
        size_t i = 0;

        if (row < scan.rows) {
            code = result_scan_load(&scan, row, &i, error);
            now = code == HS_OK ? scan.values[0][i] : before;
        }
        for (int k = 0; row > 0 && k < INTEGRALS; k++) {
            saturate_add(&integrals[k], (hs_int128)levels[k] * saturate_difference(now, before));
        }
        before = now;
        for (int k = 0; code == HS_OK && row < scan.rows && k < INTEGRALS; k++) {
            levels[k] = scan.values[k + 1][i];
        }
    }
    result_scan_fini(&scan);
    return code;
}

void result_compare(struct result_check *check, const char *name, const char *left,
                    hs_int128 integral, const char *right, hs_int128 sum)
{
    char texts[3][RESULT_INT128_TEXT_MAX];
    hs_int128 residual = integral;

    saturate_add(&residual, -sum);
    result_int128_format(integral, texts[0]);
    result_int128_format(sum, texts[1]);
    result_int128_format(residual, texts[2]);
    check->name = name;
    result_conclude(check, integral == sum ? RESULT_HOLDS : RESULT_FAILS,
                    "%s %s, %s %s: residual %s", left, texts[0], right, texts[1], texts[2]);
}

/* The integrals: from the rows if each change is there, else those kept while it ran. */
static enum hs_err check_integrals(struct audit *audit, struct result_check *checks, size_t *count,
                                   struct hs_error *error)
{
    hs_int128 stored[INTEGRALS] = {0};
    hs_int128 summed[INTEGRALS] = {0};
    struct result_check *check;
    char *mode = NULL;
    bool has_rows;
    enum hs_err code = result_reader_text(audit->reader, "series", "mode", &mode, error);

    if (code == HS_OK) {
        code = stored_integrals(audit->reader, stored, error);
    }
    has_rows = code == HS_OK && strcmp(mode, "events") == 0;
    if (has_rows) {
        code = sum_series(audit->reader, audit->end_ns, summed, error);
    }
    if (code != HS_OK) {
        free(mode);
        return code;
    }
    check = &checks[(*count)++];
    check->name = "series";
    if (!has_rows) {
        result_conclude(
            check, RESULT_SKIPPED,
            "series: %s keeps no change, so the next three take the integrals that were "
            "summed up while it ran",
            mode);
    } else if (memcmp(stored, summed, sizeof stored) == 0) {
        result_conclude(check, RESULT_HOLDS,
                        "its integrals are those that were summed up while it ran");
    } else {
        result_conclude(check, RESULT_FAILS, "its integrals are not those summed up while it ran");
    }
    free(mode);
    if (!has_rows) {
        memcpy(summed, stored, sizeof summed);
    }
    result_compare(&checks[(*count)++], "Little's law", "integral of the queue", summed[1],
                   "waiting of all jobs", audit->waiting);
    result_compare(&checks[(*count)++], "running jobs", "integral of the series", summed[2],
                   "run times of all jobs", audit->running);
    if (audit->has_attempts && !audit->allocations.table) {
        checks[*count].name = "held cores";
        result_conclude(&checks[(*count)++], RESULT_SKIPPED,
                        "the file has no allocations, and attempts of a job may hold different "
                        "nodes");
    } else {
        result_compare(&checks[(*count)++], "held cores", "integral of the series", summed[0],
                       "core time of all jobs", audit->held);
    }
    return HS_OK;
}

static void conclude_offence(struct result_check *check, const char *name,
                             const struct offence *offence, const char *good)
{
    check->name = name;
    if (offence->count) {
        result_conclude(check, RESULT_FAILS, "%s (%" PRId64 " in all)", offence->text,
                        offence->count);
    } else {
        result_conclude(check, RESULT_HOLDS, "%s", good);
    }
}

static void check_digest(const struct audit *audit, const struct result_summary *summary,
                         bool has_hidden_devices, struct result_check *check)
{
    char text[DIGEST_TEXT_MAX];

    check->name = "schedule digest";
    digest_result(audit->digest, text);
    if (!audit->allocations.table) {
        result_conclude(check, RESULT_SKIPPED, "the file has no allocations, over which it goes");
    } else if (has_hidden_devices) {
        result_conclude(check, RESULT_SKIPPED, "it goes over devices, which are not in the file");
    } else if (strcmp(text, summary->schedule_digest) == 0) {
        result_conclude(check, RESULT_HOLDS, "%s over the rows of the file", text);
    } else {
        result_conclude(check, RESULT_FAILS, "%s over the rows of the file, but the file says %s",
                        text, summary->schedule_digest);
    }
}

static void check_summary(const struct audit *audit, const struct result_summary *summary,
                          struct result_check *check)
{
    double wait =
        audit->measured ? (double)audit->measured_wait / 1e9 / (double)audit->measured : NAN;
    double stored = result_summary_get(summary, "wait_mean_s");
    bool is_same = (isnan(wait) && isnan(stored)) || wait == stored;

    check->name = "summary";
    for (int i = 0; i < RESULT_STATE_COUNT; i++) {
        const char *name = result_state_name((enum result_state)i);

        if (result_summary_get(summary, name) != (double)audit->states[i]) {
            result_conclude(check, RESULT_FAILS,
                            "%" PRId64 " jobs are %s, but the summary says %.0f", audit->states[i],
                            name, result_summary_get(summary, name));
            return;
        }
    }
    if (is_same) {
        result_conclude(check, RESULT_HOLDS, "counts and mean wait are those of the jobs");
    } else {
        result_conclude(check, RESULT_FAILS, "the mean wait is %.9g s, but the summary says %.9g s",
                        wait, stored);
    }
}

static enum hs_err conclude_allocations(struct audit *audit, struct result_check *checks,
                                        size_t *count, struct hs_error *error)
{
    if (audit->allocations.table) {
        conclude_offence(&checks[(*count)++], "allocations", &audit->allocation,
                         "every job held the nodes for its tasks while it ran");
        return result_check_nodes(audit->reader, audit->end_ns, &checks[(*count)++], error);
    }
    checks[*count].name = "allocations";
    result_conclude(&checks[(*count)++], RESULT_SKIPPED,
                    "the file has none (output: {allocations: false}), so nodes cannot be checked");
    return HS_OK;
}

static enum hs_err conclude_all(struct audit *audit, struct result_check *checks, size_t *count,
                                struct hs_error *error)
{
    struct result_summary summary;
    enum hs_err code = result_reader_summary(audit->reader, &summary, error);
    int64_t devices = 0;

    if (code != HS_OK) {
        return code;
    }
    conclude_offence(&checks[(*count)++], "job ids", &audit->ids, "every job is there once");
    conclude_offence(&checks[(*count)++], "order of times", &audit->times,
                     "submit <= eligible <= start <= end for every job");
    conclude_offence(&checks[(*count)++], "run times", &audit->runs,
                     "every job ran as long as its run time, or was killed at its request");
    check_summary(audit, &summary, &checks[(*count)++]);
    code = result_reader_int(audit->reader, "platform", "device_count", &devices, error);
    check_digest(audit, &summary, devices > 0 && !audit->devices.table, &checks[(*count)++]);
    result_summary_fini(&summary);
    if (code == HS_OK) {
        code = check_integrals(audit, checks, count, error);
    }
    if (code == HS_OK) {
        code = result_check_energy(audit->reader, checks, count, error);
    }
    if (code == HS_OK) {
        code = result_check_devices(audit->reader, audit->end_ns, checks, count, error);
    }
    if (code == HS_OK) {
        code = result_check_fragments(audit->reader, audit->end_ns, checks, count, error);
    }
    if (code == HS_OK) {
        code = result_check_parts(audit->reader, checks, count, error);
    }
    if (code == HS_OK) {
        code = result_check_avail(audit->reader, audit->end_ns, checks, count, error);
    }
    if (code == HS_OK) {
        code = result_check_inflation(audit->reader, checks, count, error);
    }
    return code == HS_OK ? conclude_allocations(audit, checks, count, error) : code;
}

static enum hs_err open_scans(struct audit *audit, struct hs_error *error)
{
    struct result_reader *reader = audit->reader;
    const struct result_table *jobs = result_reader_table(reader, "jobs");
    bool has_attempts = result_has_column(jobs, JOB_PREEMPTIONS);
    enum hs_err code = result_scan_init(&audit->jobs, reader, jobs, job_columns,
                                        has_attempts ? J_ALL : J_USUAL, error);

    audit->has_attempts = has_attempts;
    audit->has_speeds = result_has_column(jobs, JOB_RUN_REF);
    if (code == HS_OK) {
        code = result_scan_init(&audit->allocations, reader,
                                result_reader_table(reader, "allocations"), allocation_columns,
                                has_attempts ? A_ALL : A_ATTEMPT, error);
    }
    if (code == HS_OK) {
        code = result_scan_init(&audit->devices, reader,
                                result_reader_table(reader, "device_allocations"), device_columns,
                                has_attempts ? D_ALL : D_ATTEMPT, error);
    }
    return code;
}

enum hs_err result_check(struct result_reader *reader,
                         struct result_check checks[RESULT_CHECKS_MAX], size_t *count,
                         struct hs_error *error)
{
    struct audit audit = {.reader = reader};
    enum hs_err code;

    *count = 0;
    memset(checks, 0, RESULT_CHECKS_MAX * sizeof *checks);
    code = open_scans(&audit, error);
    if (code == HS_OK) {
        audit.seen = calloc((size_t)audit.jobs.rows / 8 + 1, 1);
        audit.digest = digest_create();
        code = audit.seen && audit.digest ? HS_OK : hs_error_memory(error);
    }
    if (code == HS_OK) {
        code = result_reader_int(reader, "series", "end_ns", &audit.end_ns, error);
    }
    if (code == HS_OK) {
        code = audit_jobs(&audit, error);
    }
    if (code == HS_OK) {
        code = conclude_all(&audit, checks, count, error);
    }
    digest_destroy(audit.digest);
    free(audit.seen);
    result_scan_fini(&audit.devices);
    result_scan_fini(&audit.allocations);
    result_scan_fini(&audit.jobs);
    return code;
}
