/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - what the benchmarks read: repetition of a block, to the byte; the load of a model. */
#include "bench/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "workload/workload.h"

/* Two jobs, not sorted by id; the first one waits for another. */
static const char block_text[] = "; MaxProcs: 32\n"
                                 "7 10 -1 5.5 4 -1 -1 4 60 -1 1 3 -1 -1 -1 -1 2 9\n"
                                 "5 100 0 20 16 -1 -1 -1 -1 512 1 4 1 2 0 1 -1 -1\n";

static void path_of(char path[64], const char *text)
{
    int file;

    (void)snprintf(path, 64, "/tmp/bench_trace.XXXXXX");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_EQUAL(write(file, text, strlen(text)), (ssize_t)strlen(text));
    CU_ASSERT_EQUAL(close(file), 0);
}

static void expect_text(const char *path, const char *expected)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    size_t length;

    CU_ASSERT_FATAL(file != NULL);
    length = fread(text, 1, sizeof text - 1, file);
    CU_ASSERT_EQUAL(fclose(file), 0);
    text[length] = '\0';
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_repetition(void)
{
    struct bench_block *block = NULL;
    struct hs_error error = {0};
    char source[64], target[64], expected[1024];

    path_of(source, block_text);
    path_of(target, "");
    CU_ASSERT_EQUAL_FATAL(bench_block_read(source, &block, &error), HS_OK);
    CU_ASSERT_EQUAL(bench_block_procs(block), 32);
    CU_ASSERT_EQUAL(bench_block_write(block, 5, target, &error), HS_OK);
    (void)snprintf(expected, sizeof expected,
                   "; Version: 2.2\n; Computer: %s\n; MaxJobs: 5\n; MaxRecords: 5\n"
                   "; MaxNodes: 32\n; MaxProcs: 32\n"
                   "7 10 -1 5.5 4 -1 -1 4 60 -1 1 3 -1 -1 -1 -1 2 9\n"
                   "5 100 0 20 16 -1 -1 -1 -1 512 1 4 1 2 0 1 -1 -1\n"
                   "14 110 -1 5.5 4 -1 -1 4 60 -1 1 3 -1 -1 -1 -1 9 9\n"
                   "12 200 0 20 16 -1 -1 -1 -1 512 1 4 1 2 0 1 -1 -1\n"
                   "21 210 -1 5.5 4 -1 -1 4 60 -1 1 3 -1 -1 -1 -1 16 9\n",
                   source);
    expect_text(target, expected);
    bench_block_destroy(block);
    CU_ASSERT_EQUAL(unlink(source), 0);
    CU_ASSERT_EQUAL(unlink(target), 0);
}

/* Load, number of jobs and largest job of a written trace. */
static void test_model(void)
{
    struct bench_model model = {2000, 256, 64, 0.7, false};
    struct workload_options options;
    struct workload_extent extent;
    struct bench_block *block = NULL;
    struct hs_error error = {0};
    char path[64];

    path_of(path, "");
    CU_ASSERT_EQUAL_FATAL(bench_block_generate(&model, &block, &error), HS_OK);
    CU_ASSERT_EQUAL(bench_block_procs(block), 256);
    CU_ASSERT_EQUAL_FATAL(bench_block_write(block, 6000, path, &error), HS_OK);
    workload_options_defaults(&options);
    options.file = path;
    options.is_strict = true;
    options.sort_window = 0;
    options.machine_procs = 256;
    CU_ASSERT_EQUAL_FATAL(workload_scan(&options, &extent, &error), HS_OK);
    CU_ASSERT_EQUAL(extent.jobs, 6000);
    CU_ASSERT_EQUAL(extent.max_procs, 64);
    CU_ASSERT(fabs(extent.offered_load - 0.7) < 0.01);
    bench_block_destroy(block);
    CU_ASSERT_EQUAL(unlink(path), 0);
}

/* Requests with slack lie between the run time and ten times as much, and differ from it. */
static void test_slack(void)
{
    struct bench_model model = {2000, 256, 256, 1.3, true};
    struct workload_options options;
    struct workload *workload = NULL;
    struct workload_job job;
    struct bench_block *block = NULL;
    struct hs_error error = {0};
    bool has_job = true;
    int64_t count = 0, longer = 0;
    char path[64];

    path_of(path, "");
    CU_ASSERT_EQUAL_FATAL(bench_block_generate(&model, &block, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(bench_block_write(block, 2000, path, &error), HS_OK);
    workload_options_defaults(&options);
    options.file = path;
    CU_ASSERT_EQUAL_FATAL(workload_open(&options, &workload, &error), HS_OK);
    for (;;) {
        CU_ASSERT_EQUAL_FATAL(workload_next(workload, &job, &has_job, &error), HS_OK);
        if (!has_job) {
            break;
        }
        CU_ASSERT(job.walltime_ns >= job.run_ns && job.walltime_ns <= 10 * job.run_ns);
        CU_ASSERT_EQUAL(job.walltime_ns % HS_NS_PER_S, 0);
        count++;
        longer += job.walltime_ns > 2 * job.run_ns;
    }
    CU_ASSERT_EQUAL(count, 2000);
    CU_ASSERT(longer > 1600 && longer < 1950); /* eight of nine */
    workload_close(workload);
    bench_block_destroy(block);
    CU_ASSERT_EQUAL(unlink(path), 0);
}

static void expect_error(enum hs_err code, const struct hs_error *error, enum hs_err expected,
                         const char *part, const char *remedy)
{
    CU_ASSERT_EQUAL(code, expected);
    CU_ASSERT_PTR_NOT_NULL(strstr(error->text, part));
    CU_ASSERT_PTR_NOT_NULL(strstr(error->text, remedy));
}

static void test_errors(void)
{
    struct bench_block *block = NULL;
    struct hs_error error = {0};
    char path[64];

    path_of(path, "; nothing\n1 0 -1\n");
    expect_error(bench_block_read(path, &block, &error), &error, HS_ERR_INPUT, path,
                 "hsim trace info");
    CU_ASSERT_PTR_NULL(block);
    CU_ASSERT_EQUAL(unlink(path), 0);
    path_of(path, "1 5000000000 -1 5 4 -1 -1 4 60 -1 1 3 -1 -1 -1 -1 -1 -1\n");
    CU_ASSERT_EQUAL_FATAL(bench_block_read(path, &block, &error), HS_OK);
    CU_ASSERT_EQUAL(bench_block_procs(block), 4); /* no header: the largest job */
    expect_error(bench_block_write(block, 2, path, &error), &error, HS_ERR_INPUT,
                 "2 repetitions of its 1 jobs", "Name a trace");
    expect_error(bench_block_write(block, 1, "/no/such/folder/x.swf", &error), &error,
                 HS_ERR_SYSTEM, "/no/such/folder/x.swf", "TMPDIR");
    expect_error(bench_block_write(block, 1, "/dev/full", &error), &error, HS_ERR_SYSTEM,
                 "No space left", "TMPDIR");
    bench_block_destroy(block);
    bench_block_destroy(NULL);
    CU_ASSERT_EQUAL(unlink(path), 0);
}

static const struct unit_test tests[] = {
    {"repetition", test_repetition},
    {"model", test_model},
    {"slack", test_slack},
    {"errors", test_errors},
};

UNIT_MAIN("bench_trace", tests)
