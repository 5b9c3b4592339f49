/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.c - a run of seven jobs, worked out by hand: every column, attribute and metric. */
#include <math.h>

#include "fake.h"
#include "result/reader.h"

/* Four nodes of two cores. Job 2 is killed at its request, 3 is cancelled while it waits, 4 is too
 * large, 5 has length 0, 6 is still running when the run is cut off. */
static const struct fake_job jobs[] = {
    {.submit = 0,
     .start = 0,
     .end = 100,
     .procs = 4,
     .walltime = 200,
     .spans = {{0, 1, 2}, {1, 1, 2}},
     .span_count = 2},
    {.submit = 10,
     .start = 40,
     .end = 45,
     .procs = 3,
     .walltime = 20,
     .spans = {{2, 1, 2}, {3, 1, 1}},
     .span_count = 2},
    {.submit = 20,
     .start = 100,
     .end = 150,
     .procs = 8,
     .state = RESULT_KILLED,
     .run = 70,
     .walltime = 50,
     .spans = {{0, 4, 2}},
     .span_count = 1},
    {.submit = 30, .start = -1, .end = 60, .procs = 2, .state = RESULT_CANCELLED, .run = -1},
    {.submit = 35, .start = -1, .end = -1, .procs = 99, .state = RESULT_REJECTED, .run = 5},
    {.submit = 50, .start = 150, .end = 150, .procs = 1, .spans = {{3, 1, 1}}, .span_count = 1},
    {.submit = 150,
     .start = 150,
     .end = -1,
     .procs = 2,
     .state = RESULT_UNFINISHED,
     .run = 500,
     .spans = {{1, 2, 1}},
     .span_count = 1},
};
#define JOB_COUNT (sizeof jobs / sizeof jobs[0])

static void write_run(const char *path, struct result_summary *summary)
{
    struct hs_cluster *cluster = fake_cluster(4, 2);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {
        .path = path, .is_forced = true, .compression = 1, .has_allocations = true};

    fake_result(&options, &meta, jobs, JOB_COUNT, summary);
    hs_cluster_destroy(cluster);
}

static void expect(const struct result_summary *summary, const char *name, double value)
{
    double found = result_summary_get(summary, name);

    if (!(found == value || (isnan(found) && isnan(value)))) {
        (void)printf("\n    %s is %.17g, not %.17g ", name, found, value);
        CU_FAIL("metric");
    }
}

static void check_metrics(const struct result_summary *summary)
{
    expect(summary, "jobs", 7);
    expect(summary, "finished", 3);
    expect(summary, "killed", 1);
    expect(summary, "cancelled", 1);
    expect(summary, "rejected", 1);
    expect(summary, "unfinished", 1);
    expect(summary, "jobs_measured", 4);
    expect(summary, "makespan_s", 150);
    /* 4 x 100 + 3 x 5 + 8 x 50 core seconds of 8 x 150. */
    expect(summary, "util_alloc", 815.0 / 1200);
    expect(summary, "alloc_core_h", 815.0 / 3600);
    /* Until the submission at 150: the same; until the measured end: the same. */
    expect(summary, "util_alloc_arrivals", 815.0 / 1200);
    expect(summary, "util_alloc_measure", 815.0 / 1200);
    /* True run times: 4 x 100, 3 x 5, 8 x 70, 1 x 0, 2 x 500. */
    expect(summary, "offered_load", 1975.0 / 1200);
    expect(summary, "throughput_per_h", 4 * 3600.0 / 150);
    /* Waits 30, 80, 100, and 30 until the cancellation. */
    expect(summary, "queue_mean_jobs", 240.0 / 150);
    expect(summary, "queue_max_jobs", 3);
    expect(summary, "running_mean_jobs", 155.0 / 150);
    expect(summary, "running_max_jobs", 2);
    expect(summary, "backlog_mean_procs", (3 * 30 + 8 * 80 + 2 * 30 + 1 * 100) / 150.0);
    expect(summary, "backlog_max_procs", 13);
    expect(summary, "wait_mean_s", 52.5);
    expect(summary, "wait_median_s", 30); /* of 0 30 80 100 */
    expect(summary, "wait_p90_s", 100);
    expect(summary, "wait_max_s", 100);
    expect(summary, "wait_std_s",
           sqrt((52.5 * 52.5 + 22.5 * 22.5 + 27.5 * 27.5 + 47.5 * 47.5) / 3));
    expect(summary, "wait_weighted_s", (3 * 5 * 30 + 8 * 50 * 80) / 815.0);
    expect(summary, "turnaround_mean_s", (100 + 35 + 130 + 100) / 4.0);
    expect(summary, "slowdown_mean", (1 + 7 + 2.6) / 3); /* the job of length 0 has none */
    expect(summary, "slowdown_max", 7);
    expect(summary, "bsld_mean", (1 + 3.5 + 2.6 + 10) / 4);
    expect(summary, "bsld_median", 2.6);
    expect(summary, "bsld_p95", 10);
    expect(summary, "bsld_per_proc_mean", (12 + 3.5 / 3) / 4);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(summary, "bsld_geomean"), pow(91, 0.25), 1e-12);
    expect(summary, "no such metric", NAN);
}

static void test_metrics(void)
{
    struct result_summary with_file, without;
    char path[256];

    write_run(fake_path("run.h5", path), &with_file);
    check_metrics(&with_file);
    write_run(NULL, &without);
    check_metrics(&without);
    CU_ASSERT_STRING_EQUAL(with_file.schedule_digest, without.schedule_digest);
    result_summary_fini(&with_file);
    result_summary_fini(&without);
}

static struct result_reader *open_run(const char *path)
{
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    enum hs_err code = result_reader_open(path, &reader, &error);

    CU_ASSERT_STRING_EQUAL_FATAL(error.text, "");
    CU_ASSERT_EQUAL_FATAL(code, HS_OK);
    return reader;
}

static void expect_ints(struct result_reader *reader, const char *name, size_t column,
                        const int64_t *expected, size_t count)
{
    const struct result_table *table = result_reader_table(reader, name);
    int64_t values[32] = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, table), (int64_t)count);
    CU_ASSERT_EQUAL_FATAL(result_reader_ints(reader, table, column, 0, count, values, NULL), HS_OK);
    for (size_t i = 0; i < count; i++) {
        if (values[i] != expected[i]) {
            (void)printf("\n    %s/%s row %zu is %lld, not %lld ", name,
                         table->columns[column].name, i, (long long)values[i],
                         (long long)expected[i]);
            CU_FAIL("column");
        }
    }
}

#define EXPECT_INTS(reader, table, column, ...)                                                    \
    expect_ints(reader, table, column, (const int64_t[]){__VA_ARGS__},                             \
                sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void check_jobs(struct result_reader *reader)
{
    double values[7] = {0};
    const struct result_table *table = result_reader_table(reader, "jobs");

    /* In order of completion: 1, 3, 0, 2, 5, then what has no end. */
    EXPECT_INTS(reader, "jobs", JOB_ID, 1, 3, 0, 2, 5, 4, 6);
    EXPECT_INTS(reader, "jobs", JOB_TRACE_ID, 101, 103, 100, 102, 105, 104, 106);
    EXPECT_INTS(reader, "jobs", JOB_USER, 1, 0, 0, 2, 2, 1, 0);
    EXPECT_INTS(reader, "jobs", JOB_PARTITION, -1, -1, -1, -1, -1, -1, -1);
    EXPECT_INTS(reader, "jobs", JOB_EXECUTABLE, 7, 7, 7, 7, 7, 7, 7);
    EXPECT_INTS(reader, "jobs", JOB_TASKS, 3, 2, 4, 8, 1, 99, 2);
    EXPECT_INTS(reader, "jobs", JOB_ALLOC_MILLI, 3000, 0, 4000, 8000, 1000, 0, 2000);
    EXPECT_INTS(reader, "jobs", JOB_SUBMIT, 10 * S, 30 * S, 0, 20 * S, 50 * S, 35 * S, 150 * S);
    EXPECT_INTS(reader, "jobs", JOB_START, 40 * S, -1, 0, 100 * S, 150 * S, -1, 150 * S);
    EXPECT_INTS(reader, "jobs", JOB_END, 45 * S, 60 * S, 100 * S, 150 * S, 150 * S, -1, -1);
    EXPECT_INTS(reader, "jobs", JOB_RUNTIME, 5 * S, -1, 100 * S, 70 * S, 0, 5 * S, 500 * S);
    EXPECT_INTS(reader, "jobs", JOB_REQ_TIME, 20 * S, -1, 200 * S, 50 * S, -1, -1, -1);
    EXPECT_INTS(reader, "jobs", JOB_STATE, RESULT_FINISHED, RESULT_CANCELLED, RESULT_FINISHED,
                RESULT_KILLED, RESULT_FINISHED, RESULT_REJECTED, RESULT_UNFINISHED);
    EXPECT_INTS(reader, "jobs", JOB_MEASURED, 1, 0, 1, 1, 1, 0, 0);
    CU_ASSERT_EQUAL(result_reader_doubles(reader, table, JOB_BSLD, 0, 7, values, NULL), HS_OK);
    CU_ASSERT_EQUAL(values[0], 3.5);
    CU_ASSERT(isnan(values[1]));
    CU_ASSERT_EQUAL(values[4], 10);
    CU_ASSERT(isnan(values[6]));
    CU_ASSERT_EQUAL(result_reader_doubles(reader, table, JOB_WAIT, 0, 7, values, NULL), HS_OK);
    CU_ASSERT_EQUAL(values[3], 80);
    CU_ASSERT_EQUAL(values[6], 0);
    /* A piece from the middle. */
    CU_ASSERT_EQUAL(result_reader_doubles(reader, table, JOB_WAIT, 3, 1, values, NULL), HS_OK);
    CU_ASSERT_EQUAL(values[0], 80);
}

static void test_columns(void)
{
    struct result_summary summary;
    struct result_reader *reader;
    char path[256];

    write_run(fake_path("run.h5", path), &summary);
    result_summary_fini(&summary);
    CU_ASSERT_NOT_EQUAL(access(fake_path("run.h5.part", path), F_OK), 0);
    reader = open_run(fake_path("run.h5", path));
    check_jobs(reader);
    /* Neighbouring spans of equal tasks become one row. */
    EXPECT_INTS(reader, "allocations", ALLOCATION_JOB, 1, 1, 0, 2, 5, 6);
    EXPECT_INTS(reader, "allocations", ALLOCATION_FIRST_NODE, 2, 3, 0, 0, 3, 1);
    EXPECT_INTS(reader, "allocations", ALLOCATION_NODE_COUNT, 1, 1, 2, 4, 1, 2);
    EXPECT_INTS(reader, "allocations", ALLOCATION_TASKS_PER_NODE, 2, 1, 2, 2, 1, 1);
    EXPECT_INTS(reader, "allocations", ALLOCATION_CORES_MILLI, 2000, 1000, 2000, 2000, 1000, 1000);
    EXPECT_INTS(reader, "allocations", ALLOCATION_END, 45 * S, 45 * S, 100 * S, 150 * S, 150 * S,
                -1);
    /* One row an instant; the rejected job at 35 changes nothing. */
    EXPECT_INTS(reader, "series", SERIES_TIME, 0, 10 * S, 20 * S, 30 * S, 40 * S, 45 * S, 50 * S,
                60 * S, 100 * S, 150 * S);
    EXPECT_INTS(reader, "series", SERIES_ALLOC_MILLI, 4000, 4000, 4000, 4000, 7000, 4000, 4000,
                4000, 8000, 2000);
    EXPECT_INTS(reader, "series", SERIES_QUEUE, 0, 1, 2, 3, 2, 2, 3, 2, 1, 0);
    EXPECT_INTS(reader, "series", SERIES_RUNNING, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1);
    EXPECT_INTS(reader, "series", SERIES_BACKLOG, 0, 3, 11, 13, 10, 10, 11, 9, 1, 0);
    result_reader_close(reader);
}

static void expect_text(struct result_reader *reader, const char *name, const char *expected)
{
    char *text = NULL;

    CU_ASSERT_EQUAL_FATAL(result_reader_text(reader, NULL, name, &text, NULL), HS_OK);
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

static void expect_texts(struct result_reader *reader, const char *path, size_t count,
                         const char *joined, size_t length)
{
    char *texts = NULL;
    size_t found = 0;

    CU_ASSERT_EQUAL_FATAL(result_reader_texts(reader, path, &texts, &found, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(found, count);
    CU_ASSERT_EQUAL(memcmp(texts, joined, length), 0);
    free(texts);
}

static void test_provenance(void)
{
    struct result_summary summary, read;
    struct result_reader *reader;
    char path[256];
    int64_t number = 0;
    double real = 0;

    write_run(fake_path("run.h5", path), &summary);
    reader = open_run(path);
    expect_text(reader, "policy", "fcfs");
    expect_text(reader, "status", "complete");
    expect_text(reader, "command_line", "hsim run x.yaml");
    expect_text(reader, "base_dir", "/somewhere");
    expect_text(reader, "simgrid_version", "none");
    expect_text(reader, "git_commit", result_git_commit());
    expect_text(reader, "schedule_digest", summary.schedule_digest);
    CU_ASSERT_EQUAL(result_reader_int(reader, NULL, "seed", &number, NULL), HS_OK);
    CU_ASSERT_EQUAL(number, 42);
    CU_ASSERT_EQUAL(result_reader_int(reader, NULL, "epoch_unix", &number, NULL), HS_OK);
    CU_ASSERT_EQUAL(number, 1000);
    CU_ASSERT_EQUAL(result_reader_int(reader, NULL, "tau_ns", &number, NULL), HS_OK);
    CU_ASSERT_EQUAL(number, 10 * S);
    CU_ASSERT_EQUAL(result_reader_double(reader, NULL, "cpu_s", &real, NULL), HS_OK);
    CU_ASSERT_EQUAL(real, 1.25);
    expect_texts(reader, "provenance/config", 1, "hsim: 1\n", 9);
    expect_texts(reader, "provenance/config_source", 1, "hsim: 1 # as written\n", 22);
    expect_texts(reader, "provenance/inputs/path", 1, "trace.swf", 10);
    expect_texts(reader, "platform/nodes/name", 4, "n0\0n1\0n2\0n3", 12);
    expect_texts(reader, "policy/params/name", 2, "depth\0a", 8);
    expect_texts(reader, "policy/params/value", 2,
                 "3\0"
                 "0.5",
                 6);
    CU_ASSERT_EQUAL_FATAL(result_reader_summary(reader, &read, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(read.metric_count, summary.metric_count);
    for (size_t i = 0; i < read.metric_count; i++) {
        CU_ASSERT_STRING_EQUAL(read.metrics[i].name, summary.metrics[i].name);
        CU_ASSERT_STRING_EQUAL(read.metrics[i].unit, summary.metrics[i].unit);
        CU_ASSERT_STRING_EQUAL(read.metrics[i].doc, summary.metrics[i].doc);
        CU_ASSERT_EQUAL(memcmp(&read.metrics[i].value, &summary.metrics[i].value, 8), 0);
        CU_ASSERT_EQUAL(read.metrics[i].count, summary.metrics[i].count);
    }
    result_summary_fini(&read);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL(result_reader_int(reader, NULL, "no such", &number, NULL), HS_ERR_INPUT);
    result_reader_close(reader);
}

static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1u << 22);

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    *length = fread(bytes, 1, 1u << 22, file);
    (void)fclose(file);
    return bytes;
}

/* More than equal datasets: with equal timings the files are equal to the byte. */
static void test_same_bytes(void)
{
    struct result_summary summary;
    char path[256];
    char *first, *second;
    size_t first_length, second_length;

    write_run(fake_path("a.h5", path), &summary);
    result_summary_fini(&summary);
    first = read_all(path, &first_length);
    (void)sleep(1); /* a time stamp would show */
    write_run(fake_path("b.h5", path), &summary);
    result_summary_fini(&summary);
    second = read_all(path, &second_length);
    CU_ASSERT_EQUAL_FATAL(first_length, second_length);
    CU_ASSERT_EQUAL(memcmp(first, second, first_length), 0);
    free(first);
    free(second);
}

/* Whole nodes: what is held is the node, and rows part where nodes differ. */
static void test_exclusive(void)
{
    static const struct fake_job whole[] = {{.start = 0,
                                             .end = 10,
                                             .procs = 3,
                                             .spans = {{0, 3, 1}},
                                             .span_count = 1,
                                             .is_exclusive = true}};
    struct hs_cluster *cluster = hs_cluster_create();
    struct result_meta meta;
    struct result_options options = {.is_forced = true, .has_allocations = true};
    struct result_summary summary;
    struct result_reader *reader;
    char path[256];

    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "a", 2000, HS_MEM_UNLIMITED, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "b", 2000, HS_MEM_UNLIMITED, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "c", 6000, HS_MEM_UNLIMITED, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    meta = fake_meta(cluster);
    options.path = fake_path("whole.h5", path);
    fake_result(&options, &meta, whole, 1, &summary);
    expect(&summary, "util_alloc", 1);
    result_summary_fini(&summary);
    reader = open_run(path);
    EXPECT_INTS(reader, "allocations", ALLOCATION_FIRST_NODE, 0, 2);
    EXPECT_INTS(reader, "allocations", ALLOCATION_NODE_COUNT, 2, 1);
    EXPECT_INTS(reader, "allocations", ALLOCATION_CORES_MILLI, 2000, 6000);
    EXPECT_INTS(reader, "jobs", JOB_ALLOC_MILLI, 10000);
    result_reader_close(reader);
    hs_cluster_destroy(cluster);
}

/* The digest goes over times, states and nodes, and not over how a policy cuts its spans. */
static void test_digest(void)
{
    struct hs_cluster *cluster = fake_cluster(4, 2);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {0};
    struct fake_job job = {.end = 10, .procs = 4, .spans = {{0, 2, 2}}, .span_count = 1};
    char digests[5][33];

    for (int i = 0; i < 5; i++) {
        struct fake_job changed = job;
        struct result_summary summary;

        if (i == 1) {
            changed.spans[0] = (struct hs_span){0, 1, 2};
            changed.spans[1] = (struct hs_span){1, 1, 2};
            changed.span_count = 2;
        }
        changed.spans[0].first_node += i == 2;
        changed.end += i == 3;
        changed.state = i == 4 ? RESULT_KILLED : RESULT_FINISHED;
        fake_result(&options, &meta, &changed, 1, &summary);
        memcpy(digests[i], summary.schedule_digest, sizeof digests[i]);
        result_summary_fini(&summary);
    }
    CU_ASSERT_EQUAL(strlen(digests[0]), 32);
    CU_ASSERT_STRING_EQUAL(digests[0], digests[1]);
    for (int i = 2; i < 5; i++) {
        CU_ASSERT_STRING_NOT_EQUAL(digests[0], digests[i]);
    }
    hs_cluster_destroy(cluster);
}

static void test_empty_run(void)
{
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {.is_forced = true, .has_allocations = true, .compression = 9};
    struct result_summary summary;
    struct result_reader *reader;
    char path[256];

    meta.param_count = 0;
    meta.input_count = 0;
    meta.config_source = NULL;
    options.path = fake_path("empty.h5", path);
    fake_result(&options, &meta, NULL, 0, &summary);
    expect(&summary, "jobs", 0);
    expect(&summary, "makespan_s", NAN);
    expect(&summary, "util_alloc", NAN);
    expect(&summary, "wait_mean_s", NAN);
    expect(&summary, "wait_p95_s", NAN);
    expect(&summary, "queue_max_jobs", 0);
    result_summary_fini(&summary);
    reader = open_run(path);
    CU_ASSERT_EQUAL(result_reader_rows(reader, result_reader_table(reader, "jobs")), 0);
    result_reader_close(reader);
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"metrics", test_metrics},       {"columns", test_columns},
    {"provenance", test_provenance}, {"same bytes", test_same_bytes},
    {"whole nodes", test_exclusive}, {"digest", test_digest},
    {"empty run", test_empty_run},
};

UNIT_MAIN("result writer", tests)
