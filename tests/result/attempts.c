/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attempts.c - a log of jobs that were preempted: columns, metrics, digest, and checks that fail
 * for what they are for. */
#include <hdf5.h>
#include <math.h>

#include "fake.h"
#include "result/check.h"

/* Two nodes of two cores and a device. Job 0 runs on node 0, is preempted, and goes on on node 1,
 * where its restart takes 2 s; job 1 takes its place; job 2 is preempted and cancelled while it
 * waits again. */
struct run {
    struct result_attempt first, second; /* of the jobs 0 and 2 */
    struct result_job jobs[3];           /* by id */
    bool has_no_allocations;
};

static const struct hs_span nodes[2] = {{0, 1, 2}, {1, 1, 2}};
static const struct hs_device_share shares[2] = {{0, 500}, {1, 500}};
static const struct hs_demand demand = {
    .tasks = 2, .cores_milli = 1000, .device_count = 1, .device_share = 250};
static const struct hs_alloc allocs[2] = {
    {.spans = &nodes[0], .span_count = 1, .devices = &shares[0], .device_count = 1},
    {.spans = &nodes[1], .span_count = 1, .devices = &shares[1], .device_count = 1}};

static struct result_job make_job(int64_t id, int64_t submit, int64_t start, int64_t end,
                                  int64_t run, enum result_state state)
{
    return (struct result_job){
        .id = id,
        .trace_id = id,
        .submit_ns = submit * S,
        .trace_submit_ns = submit * S,
        .eligible_ns = submit * S,
        .start_ns = start * S,
        .end_ns = end * S,
        .run_ns = run * S,
        .walltime_ns = 100 * S,
        .demand = &demand,
        .procs = 2,
        .state = state,
    };
}

static void make_run(struct run *run)
{
    *run = (struct run){
        .first = {.start_ns = 0, .end_ns = 10 * S, .alloc = allocs[0]},
        .second = {.start_ns = 5 * S, .end_ns = 12 * S, .alloc = allocs[1]},
        .jobs = {make_job(0, 0, 0, 30, 18, RESULT_FINISHED),
                 make_job(1, 10, 10, 20, 10, RESULT_FINISHED),
                 make_job(2, 5, 5, 25, 100, RESULT_CANCELLED)},
    };
    run->jobs[0].attempts = &run->first;
    run->jobs[0].attempt_count = 1;
    run->jobs[0].last_start_ns = 20 * S;
    run->jobs[0].overhead_ns = 2 * S;
    run->jobs[0].alloc = &allocs[1];
    run->jobs[1].alloc = &allocs[0];
    run->jobs[2].attempts = &run->second;
    run->jobs[2].attempt_count = 1;
}

static struct hs_cluster *make_cluster(void)
{
    struct hs_cluster *cluster = hs_cluster_create();

    for (int i = 0; i < 2; i++) {
        CU_ASSERT_FATAL(
            !hs_cluster_add_node(cluster, i ? "n1" : "n0", 2000, HS_MEM_UNLIMITED, NULL));
        CU_ASSERT_FATAL(
            !hs_cluster_add_device(cluster, "gpu", "x", HS_NO_GROUP, HS_MEM_UNLIMITED, NULL));
    }
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, NULL));
    return cluster;
}

static void tell_points(struct result_writer *writer)
{
    static const struct {
        int64_t time, running, queue;
    } points[] = {{0, 1, 0}, {5, 2, 0}, {10, 2, 1}, {12, 1, 2}, {20, 1, 1}, {25, 1, 0}, {30, 0, 0}};

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        int64_t running = points[i].running;
        int64_t shares_milli = 500 * running;
        struct result_point point = {.time_ns = points[i].time * S,
                                     .alloc_milli = 2000 * running,
                                     .queue_jobs = points[i].queue,
                                     .queue_procs = 2 * points[i].queue,
                                     .running_jobs = running,
                                     .device_levels = &shares_milli};

        CU_ASSERT_EQUAL_FATAL(result_writer_point(writer, &point, NULL), HS_OK);
    }
}

/* Writes the file; without a path only the metrics are made. */
static void write_run(const struct run *run, const char *path, struct result_summary *summary)
{
    struct hs_cluster *cluster = make_cluster();
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {
        .path = path, .is_forced = true, .has_allocations = !run->has_no_allocations};
    struct result_writer *writer = NULL;
    static const size_t order[] = {1, 2, 0}; /* by end */

    meta.has_attempts = true;
    CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writer, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_writer_submitted(writer, 0, NULL), HS_OK);
    tell_points(writer);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL_FATAL(result_writer_job(writer, &run->jobs[order[i]], NULL), HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(writer, &fake_final, summary, NULL), HS_OK);
    hs_cluster_destroy(cluster);
}

static size_t check_file(const char *path, struct result_check checks[RESULT_CHECKS_MAX])
{
    struct result_reader *reader = NULL;
    size_t count = 0;

    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_check(reader, checks, &count, NULL), HS_OK);
    result_reader_close(reader);
    return count;
}

/* The checks that fail, by name: "a, b". */
static const char *failures(const char *path, char *text, size_t size)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    size_t count = check_file(path, checks);
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && length < size; i++) {
        if (checks[i].outcome == RESULT_FAILS) {
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                       checks[i].name);
        }
    }
    return text;
}

static void metrics_and_columns(void)
{
    struct result_summary kept = {0};
    struct result_summary stored = {0};
    struct result_reader *reader = NULL;
    char path[256];
    char text[256];
    double values[3];
    int64_t numbers[3];
    struct run run;

    make_run(&run);
    write_run(&run, NULL, &kept);
    write_run(&run, fake_path("attempts.h5", path), &stored);
    CU_ASSERT_STRING_EQUAL(failures(path, text, sizeof text), "");
    CU_ASSERT_STRING_EQUAL(kept.schedule_digest, stored.schedule_digest);
    CU_ASSERT_EQUAL(kept.metric_count, stored.metric_count);
    for (size_t i = 0; i < kept.metric_count; i++) {
        CU_ASSERT(kept.metrics[i].value == stored.metrics[i].value ||
                  (isnan(kept.metrics[i].value) && isnan(stored.metrics[i].value)));
    }
    CU_ASSERT_EQUAL(result_summary_get(&stored, "preemptions"), 2);
    CU_ASSERT_EQUAL(result_summary_get(&stored, "jobs_preempted"), 2);
    CU_ASSERT_EQUAL(result_summary_get(&stored, "queued_mean_s"), 5); /* of the jobs 0 and 1 */
    CU_ASSERT_EQUAL(result_summary_get(&stored, "queued_max_s"), 10);
    CU_ASSERT_EQUAL(result_summary_get(&stored, "wait_mean_s"), 0);
    /* Two cores each for 20, 10 and 7 s, of which a restart took 2. */
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&stored, "alloc_core_h"), 74.0 / 3600, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&stored, "overhead_core_h"), 4.0 / 3600, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&stored, "util_alloc"), 74.0 / 120, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&stored, "util_alloc_useful"), 70.0 / 120, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&stored, "alloc_gpu_h"), 18.5 / 3600, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&stored, "slowdown_max"), 30.0 / 18, 1e-12);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_reader_ints(reader, result_reader_table(reader, "jobs"), JOB_EXECUTED, 0,
                                       3, numbers, NULL),
                    HS_OK);
    CU_ASSERT(numbers[0] == 10 * S && numbers[1] == 7 * S && numbers[2] == 20 * S);
    CU_ASSERT_EQUAL(result_reader_doubles(reader, result_reader_table(reader, "jobs"), JOB_QUEUED,
                                          0, 3, values, NULL),
                    HS_OK);
    CU_ASSERT(values[0] == 0 && values[1] == 13 && values[2] == 10);
    CU_ASSERT_FALSE(result_has_column(result_reader_table(reader, "jobs"), JOB_ENERGY));
    result_reader_close(reader);
    result_summary_fini(&kept);
    result_summary_fini(&stored);
}

/* What a host may tell wrongly, and the checks that say so. */
static void wrong_length(struct run *run)
{
    run->first.end_ns += S;
}
static void wrong_overhead(struct run *run)
{
    run->jobs[0].overhead_ns = 0;
}
static void wrong_overlap(struct run *run)
{
    run->jobs[0].last_start_ns = 9 * S;
}
static void wrong_first_start(struct run *run)
{
    run->jobs[0].start_ns = S;
}
static void wrong_node(struct run *run)
{
    run->first.alloc = allocs[1];
}
static void wrong_late_end(struct run *run)
{
    run->second.end_ns = 26 * S;
}

static void wrong_rows(void)
{
    static const struct {
        void (*change)(struct run *run);
        const char *failures;
    } cases[] = {
        {wrong_length, "run times, Little's law, running jobs, held cores, device shares, nodes"},
        {wrong_overhead, "run times"},
        {wrong_overlap, "run times, Little's law, running jobs, held cores, device shares, "
                        "allocations, nodes"},
        {wrong_first_start, "allocations"},
        {wrong_node, "nodes"},
        {wrong_late_end, "run times, Little's law, running jobs, held cores, device shares, "
                         "allocations, nodes"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result_summary summary = {0};
        char path[256];
        char text[256];
        struct run run;

        make_run(&run);
        cases[i].change(&run);
        write_run(&run, fake_path("wrong.h5", path), &summary);
        result_summary_fini(&summary);
        if (strcmp(failures(path, text, sizeof text), cases[i].failures) != 0) {
            (void)printf("\n    case %zu: %s ", i, text);
            CU_FAIL("failures");
        }
    }
}

/* Adds one to a row of a column. */
static void spoil(const char *path, const char *column, hsize_t row)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    hsize_t one = 1;
    hid_t memory = H5Screate_simple(1, &one, NULL);
    int64_t value = 0;

    CU_ASSERT_FATAL(H5Sselect_hyperslab(space, H5S_SELECT_SET, &row, NULL, &one, NULL) >= 0);
    CU_ASSERT(H5Dread(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &value) >= 0);
    value++;
    CU_ASSERT(H5Dwrite(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &value) >= 0);
    CU_ASSERT(H5Sclose(memory) >= 0 && H5Sclose(space) >= 0 && H5Dclose(dataset) >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
}

/* What somebody changes in a file. The rows: job 1, job 2, job 0 twice. */
static void spoilt_files(void)
{
    static const struct {
        const char *column;
        hsize_t row;
        const char *failures;
    } cases[] = {
        {"jobs/preemptions", 2, "allocations"},
        {"jobs/preemptions", 0, "schedule digest, allocations"},
        {"jobs/executed", 2, "run times, Little's law, running jobs, allocations"},
        {"jobs/overhead", 2, "run times"},
        {"allocations/attempt", 3, "allocations"},
        {"allocations/start", 3, "schedule digest, held cores, allocations"},
        {"allocations/first_node", 2, "schedule digest, nodes"},
        {"device_allocations/attempt", 3, "allocations"},
        {"device_allocations/start", 3, "device shares"},
        {"device_allocations/share", 2, "schedule digest, device shares"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result_summary summary = {0};
        char path[256];
        char text[256];
        struct run run;

        make_run(&run);
        write_run(&run, fake_path("spoilt.h5", path), &summary);
        result_summary_fini(&summary);
        spoil(path, cases[i].column, cases[i].row);
        if (strcmp(failures(path, text, sizeof text), cases[i].failures) != 0) {
            (void)printf("\n    %s %d: %s ", cases[i].column, (int)cases[i].row, text);
            CU_FAIL("failures");
        }
    }
}

/* The run is cut off at 15 s: job 0 waits, job 1 runs. */
static void cut_off(void)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct result_summary summary = {0};
    char path[256];
    char text[256];
    size_t count;
    struct run run;

    make_run(&run);
    run.jobs[0].end_ns = -1;
    run.jobs[0].state = RESULT_UNFINISHED;
    write_run(&run, fake_path("cut.h5", path), &summary); /* it runs until the series ends */
    CU_ASSERT_STRING_EQUAL(failures(path, text, sizeof text), "");
    result_summary_fini(&summary);
    make_run(&run);
    run.has_no_allocations = true;
    write_run(&run, fake_path("cut.h5", path), &summary);
    result_summary_fini(&summary);
    count = check_file(path, checks);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_NOT_EQUAL(checks[i].outcome, RESULT_FAILS);
        if (strcmp(checks[i].name, "held cores") == 0) {
            CU_ASSERT_EQUAL(checks[i].outcome, RESULT_SKIPPED);
        }
    }
}

static const struct unit_test tests[] = {
    {"metrics and columns", metrics_and_columns},
    {"wrong rows", wrong_rows},
    {"spoilt files", spoilt_files},
    {"cut off", cut_off},
};

UNIT_MAIN("result: attempts", tests)
