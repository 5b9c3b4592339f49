/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series.c - the state over time: every change, exact means over intervals, the measured window. */
#include <math.h>

#include "fake.h"
#include "result/reader.h"

/* Ten cores: 4 from 5 to 25, 10 from 25 to 35, and a queue in between. */
static const struct fake_job jobs[] = {
    {.submit = 5, .start = 5, .end = 25, .procs = 4},
    {.submit = 12, .start = 25, .end = 35, .procs = 10},
};

static struct result_reader *write_and_open(enum result_series mode, hs_time interval_ns,
                                            struct result_summary *summary, hs_time from,
                                            hs_time to)
{
    struct hs_cluster *cluster = fake_cluster(1, 10);
    struct result_meta meta = fake_meta(cluster);
    char path[256];
    struct result_options options = {.path = fake_path("series.h5", path),
                                     .is_forced = true,
                                     .series = mode,
                                     .series_interval_ns = interval_ns};
    struct result_reader *reader = NULL;

    meta.measure_from_ns = from;
    meta.measure_to_ns = to;
    fake_result(&options, &meta, jobs, 2, summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    hs_cluster_destroy(cluster);
    return reader;
}

static void expect_integral(struct result_reader *reader, const char *name, const char *expected)
{
    char *text = NULL;

    CU_ASSERT_EQUAL_FATAL(result_reader_text(reader, "series", name, &text, NULL), HS_OK);
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

static void expect_integrals(struct result_reader *reader)
{
    expect_integral(reader, "alloc_integral", "180000000000000"); /* 180 core seconds */
    expect_integral(reader, "queue_integral", "13000000000");
    expect_integral(reader, "running_integral", "30000000000");
    expect_integral(reader, "backlog_integral", "130000000000");
}

static void expect_doubles(struct result_reader *reader, size_t column, const double *expected,
                           size_t count)
{
    const struct result_table *table = result_reader_table(reader, "series");
    double values[16];

    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, table), (int64_t)count);
    CU_ASSERT_EQUAL_FATAL(result_reader_doubles(reader, table, column, 0, count, values, NULL),
                          HS_OK);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(values[i], expected[i]);
    }
}

static void test_means(void)
{
    struct result_summary summary;
    struct result_reader *reader =
        write_and_open(RESULT_SERIES_INTERVAL, 10 * S, &summary, 0, HS_TIME_NEVER);
    int64_t times[4] = {0};

    expect_integrals(reader);
    CU_ASSERT_EQUAL(result_reader_ints(reader, result_reader_table(reader, "series"), SERIES_TIME,
                                       0, 4, times, NULL),
                    HS_OK);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(times[i], i * 10 * S);
    }
    expect_doubles(reader, SERIES_ALLOC_MILLI, (const double[]){2000, 4000, 7000, 5000}, 4);
    expect_doubles(reader, SERIES_UTIL_CORES, (const double[]){0.2, 0.4, 0.7, 0.5}, 4);
    expect_doubles(reader, SERIES_QUEUE, (const double[]){0, 0.8, 0.5, 0}, 4);
    expect_doubles(reader, SERIES_RUNNING, (const double[]){0.5, 1, 1, 0.5}, 4);
    expect_doubles(reader, SERIES_BACKLOG, (const double[]){0, 8, 5, 0}, 4);
    result_reader_close(reader);
    result_summary_fini(&summary);
}

static void test_none(void)
{
    struct result_summary summary;
    struct result_reader *reader =
        write_and_open(RESULT_SERIES_NONE, 0, &summary, 0, HS_TIME_NEVER);

    CU_ASSERT_PTR_NULL(result_reader_table(reader, "series"));
    CU_ASSERT_PTR_NULL(result_reader_table(reader, "allocations"));
    expect_integrals(reader);
    CU_ASSERT_EQUAL(result_summary_get(&summary, "queue_mean_jobs"), 13.0 / 30);
    result_reader_close(reader);
    result_summary_fini(&summary);
}

static void test_events(void)
{
    struct result_summary summary;
    struct result_reader *reader =
        write_and_open(RESULT_SERIES_EVENTS, 0, &summary, 0, HS_TIME_NEVER);

    expect_integrals(reader);
    expect_doubles(reader, SERIES_UTIL_CORES, (const double[]){0.4, 0.4, 1, 0}, 4);
    result_reader_close(reader);
    result_summary_fini(&summary);
}

/* Utilisation over windows whose ends lie between events, at events, and outside. */
static void test_windows(void)
{
    static const struct {
        hs_time from, to;
        double utilisation;
    } windows[] = {
        {0, HS_TIME_NEVER, 180.0 / 300},
        {0, 35, 180.0 / 300},
        {0, 1000, 180.0 / 300},
        {10, 20, 40.0 / 100},
        {20, 30, 70.0 / 100},
        {25, 30, 1},
        {5, 25, 80.0 / 200},
        {30, HS_TIME_NEVER, 1},
        {-100, 10, 20.0 / 50},
    };

    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct result_summary summary;
        hs_time to = windows[i].to == HS_TIME_NEVER ? HS_TIME_NEVER : windows[i].to * S;

        result_reader_close(
            write_and_open(RESULT_SERIES_NONE, 0, &summary, windows[i].from * S, to));
        CU_ASSERT_EQUAL(result_summary_get(&summary, "util_alloc_measure"), windows[i].utilisation);
        CU_ASSERT_EQUAL(result_summary_get(&summary, "util_alloc"), 180.0 / 300);
        CU_ASSERT_EQUAL(result_summary_get(&summary, "util_alloc_arrivals"), 28.0 / 70);
        result_summary_fini(&summary);
    }
}

/* The state holds until the last point, even if that changes nothing. */
static void test_last_point(void)
{
    struct hs_cluster *cluster = fake_cluster(1, 10);
    struct result_meta meta = fake_meta(cluster);
    char path[256];
    struct result_options options = {.path = fake_path("series.h5", path), .is_forced = true};
    struct result_point point = {.time_ns = -3 * S, .queue_jobs = 2};
    struct result_writer *writer = NULL;
    struct result_reader *reader = NULL;
    struct result_summary summary;

    CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writer, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_writer_point(writer, &point, NULL), HS_OK);
    point.time_ns = 4 * S;
    CU_ASSERT_EQUAL(result_writer_point(writer, &point, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(writer, &fake_final, &summary, NULL), HS_OK);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    expect_integral(reader, "queue_integral", "14000000000");
    expect_integral(reader, "alloc_integral", "0");
    CU_ASSERT_EQUAL(result_reader_rows(reader, result_reader_table(reader, "series")), 2);
    result_reader_close(reader);
    hs_cluster_destroy(cluster);
}

static void test_int128(void)
{
    static const char *const texts[] = {"0", "-1", "99999999999999999999999999999999999999",
                                        "-170141183460469231731687303715884105"};
    char text[RESULT_INT128_TEXT_MAX];
    hs_int128 value = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CU_ASSERT(result_int128_parse(texts[i], &value));
        result_int128_format(value, text);
        CU_ASSERT_STRING_EQUAL(text, texts[i]);
    }
    CU_ASSERT_FALSE(result_int128_parse("", &value));
    CU_ASSERT_FALSE(result_int128_parse("-", &value));
    CU_ASSERT_FALSE(result_int128_parse("12x", &value));
    CU_ASSERT_FALSE(result_int128_parse("999999999999999999999999999999999999999", &value));
}

static const struct unit_test tests[] = {
    {"means", test_means},     {"none", test_none},       {"events", test_events},
    {"windows", test_windows}, {"last", test_last_point}, {"128-bit integers", test_int128},
};

UNIT_MAIN("result series", tests)
