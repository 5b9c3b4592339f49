/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrivals.c - rows of arrivals, and means by percent of the load. */
#include <math.h>

#include "fake.h"
#include "result/reader.h"

/* One node with `devices` devices. */
static struct hs_cluster *make_cluster(int devices)
{
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, "n0", 8000, HS_MEM_UNLIMITED, NULL));
    for (int i = 0; i < devices; i++) {
        CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", "x", HS_NO_GROUP, 0, NULL));
    }
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, NULL));
    return cluster;
}

/* Writes the arrivals; `path` NULL: only the metrics. */
static void write_arrivals(const char *path, int devices, const struct result_arrival *arrivals,
                           size_t count, struct result_summary *summary)
{
    struct hs_cluster *cluster = make_cluster(devices);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {
        .path = path, .is_forced = true, .series = RESULT_SERIES_NONE, .has_arrivals = true};
    struct result_final final = {.status = "complete", .epoch_unix = -1};
    struct result_writer *writer = NULL;

    CU_ASSERT_FATAL(!result_writer_create(&options, &meta, &writer, NULL));
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_FATAL(!result_writer_arrival(writer, &arrivals[i], NULL));
    }
    CU_ASSERT_FATAL(!result_writer_finish(writer, &final, summary, NULL));
    hs_cluster_destroy(cluster);
}

/* 2000 thousandths: 5 are 0.25 %, 10 are 0.5 % and round up, 2000 are all. */
static const struct result_arrival arrivals[] = {
    {0, 5, 5, 4},         {1, 9, 9, 0},        {2, 10, 10, 1000},    {3, 29, 20, 1000},
    {4, 30, 30, 3},       {5, 1989, 1000, 40}, {6, 1990, 1100, 100}, {7, 2000, 1200, 200},
    {8, 2009, 1201, 300}, {9, 2010, 1300, 17}, {10, 90000, 2000, 0},
};
#define ARRIVALS (sizeof arrivals / sizeof arrivals[0])

static void check_summary(const struct result_summary *summary)
{
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(summary, "inflation_alloc"), 3501 / 6000.0, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(summary, "inflation_fragment"), 0.1, 1e-15);
    CU_ASSERT_EQUAL(summary->metrics[summary->metric_count - 1].count, 3);
}

static void test_tables(void)
{
    static const int64_t percents[] = {0, 1, 2, 99, 100, 101, 4500};
    static const int64_t events[] = {2, 2, 1, 1, 3, 1, 1};
    static const double allocs[] = {0.0035, 0.0075, 0.015, 0.5, 3501 / 6000.0, 0.65, 1};
    struct result_summary summary;
    struct result_reader *reader;
    const struct result_table *table;
    char path[256];
    int64_t ints[16];
    double doubles[16];

    write_arrivals(fake_path("arrivals.h5", path), 2, arrivals, ARRIVALS, &summary);
    check_summary(&summary);
    result_summary_fini(&summary);
    CU_ASSERT_FATAL(!result_reader_open(path, &reader, NULL));
    table = result_reader_table(reader, "arrivals");
    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, table), ARRIVALS);
    CU_ASSERT(!result_reader_ints(reader, table, ARRIVAL_USED, 0, ARRIVALS, ints, NULL));
    CU_ASSERT(!result_reader_doubles(reader, table, ARRIVAL_FRAGMENT, 0, ARRIVALS, doubles, NULL));
    for (size_t i = 0; i < ARRIVALS; i++) {
        CU_ASSERT_EQUAL(ints[i], arrivals[i].used_milli);
        CU_ASSERT_EQUAL(doubles[i], arrivals[i].fragment_milli);
    }
    table = result_reader_table(reader, "inflation");
    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, table), 7);
    CU_ASSERT(!result_reader_doubles(reader, table, INFLATION_ALLOC, 0, 7, doubles, NULL));
    CU_ASSERT(!result_reader_ints(reader, table, INFLATION_PERCENT, 0, 7, ints, NULL));
    for (size_t i = 0; i < 7; i++) {
        CU_ASSERT_EQUAL(ints[i], percents[i]);
        CU_ASSERT_DOUBLE_EQUAL(doubles[i], allocs[i], 1e-15);
    }
    CU_ASSERT(!result_reader_ints(reader, table, INFLATION_EVENTS, 0, 7, ints, NULL));
    for (size_t i = 0; i < 7; i++) {
        CU_ASSERT_EQUAL(ints[i], events[i]);
    }
    CU_ASSERT(!result_reader_doubles(reader, table, INFLATION_FRAGMENT, 0, 7, doubles, NULL));
    CU_ASSERT_DOUBLE_EQUAL(doubles[1], 0.5, 1e-15);
    result_reader_close(reader);
}

static void test_no_file(void)
{
    struct result_summary summary;

    write_arrivals(NULL, 2, arrivals, ARRIVALS, &summary);
    check_summary(&summary);
    result_summary_fini(&summary);
}

/* Nothing arrives at 100 %; fragmentation is not known; there are no devices. */
static void test_unknown(void)
{
    struct result_arrival one = {0, 500, 500, (double)NAN};
    struct result_summary summary;
    struct result_reader *reader;
    char path[256];
    double value = 0;

    write_arrivals(fake_path("arrivals.h5", path), 2, &one, 1, &summary);
    CU_ASSERT(isnan(result_summary_get(&summary, "inflation_alloc")));
    result_summary_fini(&summary);
    CU_ASSERT_FATAL(!result_reader_open(path, &reader, NULL));
    CU_ASSERT(!result_reader_doubles(reader, result_reader_table(reader, "inflation"),
                                     INFLATION_FRAGMENT, 0, 1, &value, NULL));
    CU_ASSERT(isnan(value));
    result_reader_close(reader);
    write_arrivals(path, 0, &one, 1, &summary);
    CU_ASSERT(isnan(result_summary_get(&summary, "inflation_alloc")));
    result_summary_fini(&summary);
    CU_ASSERT_FATAL(!result_reader_open(path, &reader, NULL));
    CU_ASSERT_EQUAL(result_reader_rows(reader, result_reader_table(reader, "inflation")), 0);
    result_reader_close(reader);
}

static const struct unit_test tests[] = {
    {"both tables", test_tables},
    {"only metrics", test_no_file},
    {"what is not known", test_unknown},
};

UNIT_MAIN("arrivals", tests)
