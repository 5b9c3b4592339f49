/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.c - the built-in checks hold for a right run, and each fails for the error it is for. */
#include "result/check.h"
#include "fake.h"

/* Two nodes of two cores; memory is not modelled. */
static const struct fake_job jobs[] = {
    {.submit = 0, .start = 0, .end = 10, .procs = 4, .spans = {{0, 2, 2}}, .span_count = 1},
    {.submit = 1, .start = 10, .end = 12, .procs = 2, .spans = {{0, 1, 2}}, .span_count = 1},
    {.submit = 2,
     .start = 10,
     .end = 20,
     .procs = 2,
     .state = RESULT_KILLED,
     .run = 30,
     .walltime = 10,
     .spans = {{1, 1, 2}},
     .span_count = 1},
    {.submit = 3, .start = -1, .end = 9, .procs = 1, .state = RESULT_CANCELLED, .run = -1},
    {.submit = 4, .start = -1, .end = -1, .procs = 9, .state = RESULT_REJECTED, .run = 1},
    {.submit = 5, .start = 12, .end = 12, .procs = 2, .spans = {{0, 2, 1}}, .span_count = 1},
};
#define JOB_COUNT (sizeof jobs / sizeof jobs[0])

struct run {
    struct fake_job jobs[JOB_COUNT + 1];
    size_t count;
    struct result_options options;
    int64_t extra_queue; /* a wrong point at the begin */
    int64_t extra_cores;
    int64_t extra_running;
    int64_t avail; /* cores available at that point, thousandths; 0: the run does not tell */
    bool twice;    /* the first job is told twice */
};

static struct run right_run(void)
{
    struct run run = {.count = JOB_COUNT, .options = {.is_forced = true, .has_allocations = true}};

    memcpy(run.jobs, jobs, sizeof jobs);
    return run;
}

static size_t check_run(struct run *run, struct result_check checks[RESULT_CHECKS_MAX])
{
    struct hs_cluster *cluster = fake_cluster(2, 2);
    struct result_meta meta = fake_meta(cluster);
    struct result_writer *writer = NULL;
    struct result_reader *reader = NULL;
    struct result_summary summary;
    struct hs_error error = {0};
    struct result_point point = {.time_ns = -1,
                                 .device_levels = &run->avail,
                                 .queue_jobs = run->extra_queue,
                                 .alloc_milli = run->extra_cores,
                                 .running_jobs = run->extra_running};
    char path[256];
    size_t count = 0;

    meta.has_avail = run->avail > 0;
    run->options.path = fake_path("check.h5", path);
    CU_ASSERT_EQUAL_FATAL(result_writer_create(&run->options, &meta, &writer, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_writer_point(writer, &point, NULL), HS_OK);
    if (run->twice) {
        CU_ASSERT_EQUAL_FATAL(fake_write(writer, &run->jobs[0], 0, NULL), HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(fake_run(writer, run->jobs, run->count, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(writer, &fake_final, &summary, NULL), HS_OK);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_check(reader, checks, &count, &error), HS_OK);
    if (error.code != HS_OK) {
        (void)printf("\n    %s ", error.text);
    }
    result_reader_close(reader);
    hs_cluster_destroy(cluster);
    return count;
}

static const struct result_check *find(const struct result_check *checks, size_t count,
                                       const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(checks[i].name, name) == 0) {
            return &checks[i];
        }
    }
    CU_FAIL_FATAL("no such check");
    return NULL;
}

static void expect(struct run *run, const char *name, enum result_outcome outcome, const char *text)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    size_t count = check_run(run, checks);
    const struct result_check *check = find(checks, count, name);

    if (check->outcome != outcome || !strstr(check->text, text)) {
        (void)printf("\n    %s: %s ", check->name, check->text);
        CU_FAIL("outcome");
    }
}

static void test_right(void)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct run run = right_run();
    size_t count = check_run(&run, checks);

    CU_ASSERT_EQUAL(count, 11);
    for (size_t i = 0; i < count; i++) {
        if (checks[i].outcome != RESULT_HOLDS) {
            (void)printf("\n    %s: %s ", checks[i].name, checks[i].text);
            CU_FAIL("check");
        }
    }
    /* 9 + 8 + 6 + 7 seconds of waiting. */
    CU_ASSERT_STRING_EQUAL(find(checks, count, "Little's law")->text,
                           "integral of the queue 30000000000, waiting of all jobs 30000000000: "
                           "residual 0");
}

static void test_cut_off(void)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct run run = right_run();
    size_t count;

    run.jobs[2].state = RESULT_UNFINISHED; /* runs at the end */
    run.jobs[2].end = -1;
    run.jobs[5].state = RESULT_UNFINISHED; /* waits at the end */
    run.jobs[5].start = run.jobs[5].end = -1;
    count = check_run(&run, checks);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(checks[i].outcome, RESULT_HOLDS);
    }
}

static void test_identities(void)
{
    struct run run = right_run();

    run.extra_queue = 3; /* for one nanosecond */
    expect(&run, "Little's law", RESULT_FAILS, "residual 3");
    expect(&run, "held cores", RESULT_HOLDS, "residual 0");
    run = right_run();
    run.extra_cores = 5;
    expect(&run, "held cores", RESULT_FAILS, "residual 5");
    run = right_run();
    run.extra_running = 2;
    expect(&run, "running jobs", RESULT_FAILS, "residual 2");
}

static void test_jobs(void)
{
    struct run run = right_run();

    run.twice = true;
    expect(&run, "job ids", RESULT_FAILS, "job 0 is there twice");
    run = right_run();
    run.jobs[1].run = 3;
    expect(&run, "run times", RESULT_FAILS, "job 1 ran 2000000000 ns instead of 3000000000");
    run = right_run();
    run.jobs[2].walltime = 9;
    expect(&run, "run times", RESULT_FAILS, "job 2 was killed after 10000000000 ns instead of 9");
    run = right_run();
    run.jobs[3].end = 2; /* cancelled before its submission */
    expect(&run, "order of times", RESULT_FAILS, "job 3: submit 3000000000");
}

static void test_nodes(void)
{
    struct run run = right_run();

    run.jobs[1].spans[0].first_node = 1; /* beside job 2 */
    expect(&run, "nodes", RESULT_FAILS, "node 1 holds 4000 of 2000 milli-cores");
    expect(&run, "nodes", RESULT_FAILS, "at 10 s, when job 2 starts");
    run = right_run();
    run.jobs[1].spans[0].tasks = 1;
    expect(&run, "allocations", RESULT_FAILS, "job 1 holds nodes for 1 tasks");
    run = right_run();
    run.jobs[1].start = 9; /* overlaps job 0 by a second */
    expect(&run, "nodes", RESULT_FAILS, "at 9 s, when job 1 starts");
}

static void test_without_series(void)
{
    struct run run = right_run();

    run.options.series = RESULT_SERIES_NONE;
    expect(&run, "series", RESULT_SKIPPED, "series: none keeps no change");
    expect(&run, "Little's law", RESULT_HOLDS, "residual 0");
    run.extra_queue = 1;
    expect(&run, "Little's law", RESULT_FAILS, "residual 1");
    run = right_run();
    run.options.series = RESULT_SERIES_INTERVAL;
    run.options.series_interval_ns = 7 * S;
    expect(&run, "series", RESULT_SKIPPED, "series: interval keeps no change");
    expect(&run, "held cores", RESULT_HOLDS, "residual 0");
}

static void test_without_allocations(void)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct run run = right_run();
    size_t count;

    run.options.has_allocations = false;
    count = check_run(&run, checks);
    CU_ASSERT_EQUAL(find(checks, count, "allocations")->outcome, RESULT_SKIPPED);
    CU_ASSERT_EQUAL(find(checks, count, "schedule digest")->outcome, RESULT_SKIPPED);
    CU_ASSERT_EQUAL(find(checks, count, "held cores")->outcome, RESULT_HOLDS);
}

static void test_avail(void)
{
    struct run run = right_run();

    run.avail = 3000;
    expect(&run, "availability", RESULT_HOLDS, "no more than is available");
    run.avail = 4001;
    expect(&run, "availability", RESULT_FAILS, "row 0 of the series");
    run.avail = 4;
    run.extra_cores = 5;
    expect(&run, "availability", RESULT_FAILS, "row 0 of the series");
    run = right_run();
    run.avail = 3000;
    run.options.series = RESULT_SERIES_NONE;
    expect(&run, "availability", RESULT_SKIPPED, "the series keeps no change");
}

static const struct unit_test tests[] = {
    {"right", test_right},           {"cut off", test_cut_off},
    {"identities", test_identities}, {"jobs", test_jobs},
    {"nodes", test_nodes},           {"without series", test_without_series},
    {"availability", test_avail},    {"without allocations", test_without_allocations},
};

UNIT_MAIN("result checks", tests)
