/* SPDX-License-Identifier: GPL-3.0-or-later */
/* property.c - random jobs survive writing and reading; damaged traces never do harm. */
#include "support.h"
#include "workload/output.h"

#define ROUNDS     40
#define JOBS       300
#define MUTATIONS  2000
#define TRACE_JOBS 20

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Whole seconds, ns, or anything between. */
static hs_time random_time(uint64_t *state, hs_time limit_s)
{
    hs_time seconds = (hs_time)(random_next(state) % (uint64_t)limit_s);

    switch (random_next(state) % 3) {
    case 0:
        return seconds * S;
    case 1:
        return seconds * S + (hs_time)(random_next(state) % 1000) * 1000000;
    default:
        return seconds * S + (hs_time)(random_next(state) % (uint64_t)S);
    }
}

static int32_t random_number(uint64_t *state)
{
    return random_next(state) % 4 ? (int32_t)(random_next(state) % INT32_MAX) : -1;
}

/* What a reader with the default rules gives back unchanged. */
static void job_random(struct workload_job *job, uint64_t *state, int64_t index, hs_time submit_ns)
{
    *job = (struct workload_job){
        .id = index,
        .trace_id = (int64_t)(random_next(state) << 20),
        .submit_ns = submit_ns,
        .trace_submit_ns = submit_ns,
        .run_ns = random_time(state, 100000),
        .cancel_ns = HS_TIME_NEVER,
        .trace_wait_ns = random_next(state) % 3 ? random_time(state, 5000) : -1,
        .demand = {.tasks = 1 + (uint32_t)(random_next(state) % INT32_MAX),
                   .cores_milli = 1000,
                   .device_share = 1000,
                   .device_kind = HS_ANY_KIND,
                   .mem_bytes = (int64_t)(random_next(state) % 1000) * 1024},
        .executable = random_number(state),
        .preceding = random_number(state),
        .think_ns = random_next(state) % 3 ? random_time(state, 5000) : -1,
        .user = random_number(state),
        .group = random_number(state),
        .queue = random_number(state),
        .partition = random_number(state),
        .trace_status = (int32_t)(random_next(state) % 7) - 1,
    };
    job->walltime_ns = job->run_ns + 1 + random_time(state, 100000);
    if (random_next(state) % 10 == 0) {
        job->trace_wait_ns = random_time(state, 5000);
        job->trace_status = 5;
        job->run_ns = HS_TIME_NEVER;
        job->cancel_ns = submit_ns + job->trace_wait_ns;
    } else if (job->run_ns == 0 && job->trace_status == 5) {
        job->trace_status = 1;
    }
}

static void job_compare(const struct workload_job *actual, const struct workload_job *expected,
                        bool is_swf)
{
    CHECK_INT(actual->id, expected->id);
    CHECK_INT(actual->trace_id, expected->trace_id);
    CHECK_INT(actual->submit_ns, expected->submit_ns);
    CHECK_INT(actual->run_ns, expected->run_ns);
    CHECK_INT(actual->walltime_ns, expected->walltime_ns);
    CHECK_INT(actual->cancel_ns, expected->cancel_ns);
    CHECK_INT(actual->trace_wait_ns, expected->trace_wait_ns);
    CHECK_INT(actual->demand.tasks, expected->demand.tasks);
    CHECK_INT(actual->demand.mem_bytes, expected->demand.mem_bytes);
    if (is_swf) { /* a CSV has no columns for these */
        CHECK_INT(actual->executable, expected->executable);
        CHECK_INT(actual->preceding, expected->preceding);
        CHECK_INT(actual->think_ns, expected->think_ns);
    }
    CHECK_INT(actual->user, expected->user);
    CHECK_INT(actual->group, expected->group);
    CHECK_INT(actual->queue, expected->queue);
    CHECK_INT(actual->partition, expected->partition);
    CHECK_INT(actual->trace_status, expected->trace_status);
}

static void test_round_trip(void)
{
    static const char *const endings[] = {".swf", ".swf.gz",  ".swf.zst",
                                          ".csv", ".csv.zst", ".csv.gz"};
    static const struct workload_swf_header header = {
        .computer = "two\nlines", .epoch_unix = 99, .jobs = JOBS, .procs = 7, .note = "note"};
    static struct workload_job jobs[JOBS];
    static struct stream stream;
    uint64_t state = 1;

    for (int round = 0; round < ROUNDS; round++) {
        struct scratch scratch = scratch_text("");
        struct workload_output *output;
        struct workload_options options;
        hs_time submit_ns = 0;
        char path[80];

        bool is_swf = round % 6 < 3;

        snprintf(path, sizeof path, "%s%s", scratch.path, endings[round % 6]);
        CU_ASSERT_FATAL(workload_output_open(path, false, NULL, &output, NULL) == HS_OK);
        if (is_swf) {
            workload_swf_write_header(workload_output_file(output), &header);
        } else {
            workload_jobs_write_header(workload_output_file(output));
        }
        for (int64_t i = 0; i < JOBS; i++) {
            submit_ns += random_next(&state) % 4 ? random_time(&state, 1000) : 0;
            job_random(&jobs[i], &state, i, submit_ns);
            if (is_swf) {
                workload_swf_write_job(workload_output_file(output), &jobs[i],
                                       jobs[i].trace_wait_ns, jobs[i].trace_status);
            } else {
                workload_jobs_write_job(workload_output_file(output), &jobs[i], NULL,
                                        jobs[i].trace_wait_ns, jobs[i].trace_status);
            }
        }
        CU_ASSERT_FATAL(workload_output_finish(output, NULL) == HS_OK);
        workload_options_defaults(&options);
        options.file = path;
        options.memory = WORKLOAD_MEMORY_REQUESTED;
        options.sort_window = round % 2 ? 4096 : 0;
        stream_read(&stream, &options);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, JOBS);
        CHECK_INT(stream.stats.bad.count, 0);
        CHECK_INT(stream.stats.overrun.count, 0);
        CHECK_INT(stream.stats.epoch_unix, is_swf ? 99 : -1);
        CHECK_INT(stream.stats.header_max_procs, is_swf ? 7 : -1);
        for (size_t i = 0; i < JOBS && i < stream.count; i++) {
            job_compare(&stream.jobs[i], &jobs[i], is_swf);
        }
        CU_ASSERT(unlink(path) == 0);
        scratch_remove(&scratch);
    }
}

static size_t small_trace(char *text, size_t capacity)
{
    size_t length = (size_t)snprintf(text, capacity, "; MaxProcs: 8\n");

    for (int i = 0; i < TRACE_JOBS; i++) {
        length += (size_t)snprintf(text + length, capacity - length,
                                   "%d %d.5 %d %d 4 -1 -1 4 600 -1 %d 1 1 1 1 1 -1 -1\n", i, i * 7,
                                   i % 3 - 1, i * 13 - 1, i % 6);
    }
    return length;
}

/* One to eight random changes: a byte, a swap, a removal, a doubling. */
static size_t mutate(char *text, size_t length, size_t capacity, uint64_t *state)
{
    static const char interesting[] = "0123456789-+.eE \t\r\n;#xN\xFF\x01";
    size_t changes = 1 + random_next(state) % 8;

    for (size_t i = 0; i < changes && length > 1; i++) {
        size_t at = random_next(state) % length;
        size_t span = 1 + random_next(state) % 30;

        span = span < length - at ? span : length - at;
        switch (random_next(state) % 5) {
        case 0:
            text[at] = (char)random_next(state);
            break;
        case 1:
            text[at] = interesting[random_next(state) % (sizeof interesting - 1)];
            break;
        case 2:
            memmove(text + at, text + at + span, length - at - span);
            length -= span;
            break;
        case 3:
            if (length + span <= capacity) {
                memmove(text + at + span, text + at, length - at);
                length += span;
            }
            break;
        default:
            length = at + 1;
            break;
        }
    }
    return length;
}

static void test_mutations(void)
{
    static struct stream stream;
    uint64_t state = 2;
    int readable = 0;

    for (int i = 0; i < MUTATIONS; i++) {
        char text[8192];
        size_t length = mutate(text, small_trace(text, sizeof text / 2), sizeof text, &state);
        struct scratch scratch = scratch_bytes(text, length);
        struct workload_options options;

        workload_options_defaults(&options);
        options.file = scratch.path;
        options.machine_procs = i % 2 ? 8 : 0;
        options.load = i % 2 ? 0.5 : 0;
        options.sort_window = i % 3;
        options.shake_ns = i % 5 == 0 ? 10 * S : 0;
        options.memory = (enum workload_memory)(i % 3);
        options.priority_field = i % 19;
        stream_read(&stream, &options);
        readable += stream.err == HS_OK;
        CU_ASSERT((stream.err == HS_OK) == (stream.error.text[0] == '\0'));
        if (stream.err == HS_OK) {
            CHECK_INT(stream.stats.records,
                      stream.stats.bad.count + stream.stats.dropped.count + stream.stats.jobs);
        }
        for (size_t j = 0; j < stream.count; j++) {
            const struct workload_job *job = &stream.jobs[j];

            CU_ASSERT(job->submit_ns >= 0 && job->run_ns >= 0 && job->walltime_ns > 0);
            CU_ASSERT(job->demand.tasks >= 1 && job->demand.mem_bytes >= 0);
            CU_ASSERT(j == 0 || stream.jobs[j - 1].submit_ns <= job->submit_ns);
        }
        scratch_remove(&scratch);
    }
    CU_ASSERT(readable > MUTATIONS / 10 && readable < MUTATIONS);
}

static const struct unit_test tests[] = {
    {"round trip", test_round_trip},
    {"mutations", test_mutations},
};

UNIT_MAIN("workload property", tests)
