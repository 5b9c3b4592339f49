/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fragments.c - what is free and lost of the devices in a result: columns, metrics, and what the
 * checks say when something of it is wrong. */
#include <hdf5.h>
#include <math.h>

#include "fake.h"
#include "result/check.h"

#define POINTS 4

/* What is told wrongly. */
enum wrong {
    NOTHING,
    WRONG_LOST,  /* more is lost than is free */
    WRONG_MODEL, /* a model has less lost than its kind */
    WRONG_FREE,  /* more is free than there is */
    WRONG_SIGN,  /* less than nothing is free */
};

/* Two GPUs of model g1, one of g2, an FPGA. */
static struct hs_cluster *make_cluster(const char *last_model)
{
    struct hs_cluster *cluster = hs_cluster_create();

    if (hs_cluster_add_node(cluster, "a", 4000, HS_MEM_UNLIMITED, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "gpu", "g1", HS_NO_GROUP, 0, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "gpu", "g/2", HS_NO_GROUP, 0, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "gpu", "g1", HS_NO_GROUP, 0, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "fpga", last_model, HS_NO_GROUP, 0, NULL) != HS_OK ||
        hs_cluster_seal(cluster, NULL) != HS_OK) {
        abort();
    }
    return cluster;
}

/* Slots: gpu, fpga, gpu_g1, gpu_g_2, fpga_f. A mix of 3 jobs. At 0, 10, 20 and 40 s. */
static const int64_t given[POINTS][5] = {
    {0, 0, 0, 0, 0}, {500, 0, 500, 0, 0}, {1500, 1000, 1500, 0, 1000}, {0, 0, 0, 0, 0}};
static const int64_t unused[POINTS][5] = {{3000, 1000, 2000, 1000, 1000},
                                          {2500, 1000, 1500, 1000, 1000},
                                          {1500, 0, 500, 1000, 0},
                                          {3000, 1000, 2000, 1000, 1000}};
static const int64_t lost[POINTS][5] = {{3000, 2000, 2000, 1000, 2000},
                                        {4000, 2000, 2500, 1500, 2000},
                                        {1700, 0, 700, 1000, 0},
                                        {3000, 2000, 2000, 1000, 2000}};

static void run(enum wrong wrong, const char *path, enum result_series series,
                struct result_summary *summary)
{
    static const int64_t seconds[POINTS] = {0, 10, 20, 40};
    struct hs_cluster *cluster = make_cluster("f");
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {
        .path = path, .is_forced = true, .series = series, .series_interval_ns = 20 * S};
    struct result_writer *writer = NULL;

    meta.has_fragments = true;
    meta.mix_jobs = 3;
    CU_ASSERT_FATAL(!result_writer_create(&options, &meta, &writer, NULL));
    for (int i = 0; i < POINTS; i++) {
        int64_t levels[15];
        struct result_point point = {.time_ns = seconds[i] * S, .device_levels = levels};

        for (int k = 0; k < 5; k++) {
            levels[k] = given[i][k];
            levels[5 + k] = unused[i][k];
            levels[10 + k] = lost[i][k];
        }
        if (i == 2) {
            levels[10] += wrong == WRONG_LOST ? 3000 : 0;
            levels[13] += wrong == WRONG_LOST ? 3000 : 0;
            levels[12] -= wrong == WRONG_MODEL;
            levels[5] += wrong == WRONG_FREE ? 3000 : 0;
            levels[7] += wrong == WRONG_FREE ? 3000 : 0;
            levels[6] -= wrong == WRONG_SIGN;
            levels[9] -= wrong == WRONG_SIGN;
        }
        CU_ASSERT(!result_writer_point(writer, &point, NULL));
    }
    CU_ASSERT_FATAL(!result_writer_finish(writer, &fake_final, summary, NULL));
    hs_cluster_destroy(cluster);
}

static void the_summary(void)
{
    static const struct {
        const char *name;
        double value;
    } expected[] = {
        {"frag_gpu", (3000 * 10 + 4000 * 10 + 1700 * 20) / 3. / 3000 / 40},
        {"frag_gpu_of_free", (3000 * 10 + 4000 * 10 + 1700 * 20) / 3. / (55000 + 30000)},
        {"frag_fpga", 40000 / 3. / 1000 / 40},
        {"frag_fpga_of_free", 2 / 3.},
        {"frag_gpu_g1", (2000 * 10 + 2500 * 10 + 700 * 20) / 3. / 2000 / 40},
        {"frag_gpu_g_2", (1000 * 10 + 1500 * 10 + 1000 * 20) / 3. / 1000 / 40},
        {"frag_gpu_g_2_of_free", (1000 * 10 + 1500 * 10 + 1000 * 20) / 3. / 40000},
        {"frag_fpga_f", 1 / 3.},
    };

    for (int has_file = 0; has_file < 2; has_file++) {
        struct result_summary summary;
        char path[256];

        run(NOTHING, has_file ? fake_path("summary.h5", path) : NULL, RESULT_SERIES_EVENTS,
            &summary);
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            CU_ASSERT_DOUBLE_EQUAL(result_summary_get(&summary, expected[i].name),
                                   expected[i].value, 1e-12);
        }
        result_summary_fini(&summary);
    }
}

static void the_columns(void)
{
    static const char *const slots[] = {"gpu", "fpga", "gpu_g1", "gpu_g_2", "fpga_f"};
    struct result_summary summary;
    struct result_reader *reader = NULL;
    const struct result_series_more *more;
    const struct result_table *table;
    char path[256];
    double values[POINTS];

    run(NOTHING, fake_path("columns.h5", path), RESULT_SERIES_EVENTS, &summary);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    more = result_reader_series_more(reader);
    table = result_reader_table(reader, "series");
    CU_ASSERT_FATAL(more->has_fragments && more->kind_count == 2 && more->slot_count == 5);
    CU_ASSERT_EQUAL(more->mix_jobs, 3);
    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, table), POINTS);
    for (size_t k = 0; k < 5; k++) {
        int64_t ints[POINTS];
        const char *name = table->columns[result_series_fragment(more, k)].name;

        CU_ASSERT_STRING_EQUAL(more->slots[k], slots[k]);
        CU_ASSERT(strncmp(name, "frag_", 5) == 0 && strcmp(name + 5, slots[k]) == 0);
        CU_ASSERT(
            !result_reader_ints(reader, table, result_series_free(more, k), 0, POINTS, ints, NULL));
        CU_ASSERT(!result_reader_doubles(reader, table, result_series_fragment(more, k), 0, POINTS,
                                         values, NULL));
        for (int i = 0; i < POINTS; i++) {
            CU_ASSERT_EQUAL(ints[i], unused[i][k]);
            CU_ASSERT_EQUAL(values[i], (double)lost[i][k] / 3);
        }
    }
    result_reader_close(reader);
    run(NOTHING, path, RESULT_SERIES_INTERVAL, &summary);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    more = result_reader_series_more(reader);
    table = result_reader_table(reader, "series");
    CU_ASSERT(
        !result_reader_doubles(reader, table, result_series_fragment(more, 0), 0, 2, values, NULL));
    CU_ASSERT_DOUBLE_EQUAL(values[0], 3500 / 3., 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(values[1], 1700 / 3., 1e-9);
    CU_ASSERT(
        !result_reader_doubles(reader, table, result_series_free(more, 2), 0, 2, values, NULL));
    CU_ASSERT_EQUAL(values[0], 1750);
    result_reader_close(reader);
}

/* The outcome of the check, and whether its sentence has the text. */
static void check_one(const char *path, const char *name, enum result_outcome outcome,
                      const char *text)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct result_reader *reader = NULL;
    size_t count = 0;
    bool is_there = false;

    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_check(reader, checks, &count, NULL), HS_OK);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(checks[i].name, name) == 0) {
            is_there = true;
            CU_ASSERT_EQUAL(checks[i].outcome, outcome);
            if (!strstr(checks[i].text, text)) {
                (void)printf("\n    %s ", checks[i].text);
                CU_FAIL("text");
            }
        }
    }
    CU_ASSERT(is_there);
    result_reader_close(reader);
}

static void each_check_fails(void)
{
    static const struct {
        enum wrong wrong;
        enum result_series series;
        enum result_outcome outcome;
        const char *text;
    } cases[] = {
        {NOTHING, RESULT_SERIES_EVENTS, RESULT_HOLDS, "in every row"},
        {NOTHING, RESULT_SERIES_INTERVAL, RESULT_HOLDS, "in the integrals"},
        {NOTHING, RESULT_SERIES_NONE, RESULT_HOLDS, "in the integrals"},
        {WRONG_LOST, RESULT_SERIES_EVENTS, RESULT_FAILS, "row 2 of the series has more lost"},
        {WRONG_MODEL, RESULT_SERIES_EVENTS, RESULT_FAILS, "row 2 of the series has other sums"},
        {WRONG_MODEL, RESULT_SERIES_NONE, RESULT_FAILS, "do not add up"},
        {WRONG_FREE, RESULT_SERIES_EVENTS, RESULT_FAILS, "row 2 of the series has more given"},
        {WRONG_SIGN, RESULT_SERIES_EVENTS, RESULT_FAILS, "row 2 of the series has a level"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result_summary summary;
        char path[256];

        run(cases[i].wrong, fake_path("check.h5", path), cases[i].series, &summary);
        result_summary_fini(&summary);
        check_one(path, "fragmentation", cases[i].outcome, cases[i].text);
    }
}

/* Changes one value of a column of doubles, or an attribute of the series. */
static void damage(const char *path, const char *column, const char *attribute)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    if (column) {
        hid_t set = H5Dopen2(file, column, H5P_DEFAULT);
        double values[64];

        CU_ASSERT(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        values[1] += 1e-3;
        CU_ASSERT(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        CU_ASSERT(H5Dclose(set) >= 0);
    } else {
        int64_t zero = 0;
        hid_t space = H5Screate(H5S_SCALAR);
        hid_t attr;

        CU_ASSERT(H5Adelete_by_name(file, "series", attribute, H5P_DEFAULT) >= 0);
        attr = H5Acreate_by_name(file, "series", attribute, H5T_NATIVE_INT64, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
        CU_ASSERT(H5Awrite(attr, H5T_NATIVE_INT64, &zero) >= 0 && H5Sclose(space) >= 0);
        CU_ASSERT(H5Aclose(attr) >= 0);
    }
    CU_ASSERT(H5Fclose(file) >= 0);
}

static void damaged_files(void)
{
    struct result_summary summary;
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    char path[256];

    run(NOTHING, fake_path("damaged.h5", path), RESULT_SERIES_EVENTS, &summary);
    result_summary_fini(&summary);
    damage(path, "series/frag_gpu", NULL);
    check_one(path, "fragmentation", RESULT_HOLDS, ""); /* less than a third of a thousandth */
    for (int i = 0; i < 400; i++) {
        damage(path, "series/frag_gpu", NULL);
        damage(path, "series/frag_gpu_g1", NULL);
    }
    check_one(path, "fragmentation", RESULT_FAILS, "are not those summed up");
    damage(path, NULL, "mix_jobs");
    CU_ASSERT_EQUAL(result_reader_open(path, &reader, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "\"mix_jobs\" cannot be read"));
}

/* /inflation is the mean of /arrivals. */
static void inflations(void)
{
    struct hs_cluster *cluster = make_cluster("f");
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {
        .is_forced = true, .series = RESULT_SERIES_NONE, .has_arrivals = true};
    struct result_writer *writer = NULL;
    struct result_summary summary;
    char path[256];

    options.path = fake_path("inflation.h5", path);
    CU_ASSERT_FATAL(!result_writer_create(&options, &meta, &writer, NULL));
    for (int64_t i = 0; i < 40; i++) {
        struct result_arrival arrival = {i, 17 * i, 16 * i, (double)i / 3};

        CU_ASSERT(!result_writer_arrival(writer, &arrival, NULL));
    }
    CU_ASSERT_FATAL(!result_writer_finish(writer, &fake_final, &summary, NULL));
    result_summary_fini(&summary);
    hs_cluster_destroy(cluster);
    check_one(path, "inflation", RESULT_HOLDS, "are the means of 40 arrivals");
    damage(path, "inflation/fragment", NULL);
    check_one(path, "inflation", RESULT_FAILS, "row 1 is not");
}

/* What has no name of its own, or is too much. */
static void refused(void)
{
    struct hs_cluster *cluster = make_cluster("f,1");
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {0};
    struct result_writer *writer = NULL;
    struct hs_error error = {0};

    meta.has_fragments = true;
    CU_ASSERT_FATAL(!result_writer_create(&options, &meta, &writer, NULL));
    result_writer_abort(writer);
    hs_cluster_destroy(cluster);
    cluster = hs_cluster_create();
    CU_ASSERT(!hs_cluster_add_node(cluster, "a", 4000, HS_MEM_UNLIMITED, NULL));
    for (int i = 0; i < 33; i++) {
        char model[16];

        (void)snprintf(model, sizeof model, "m%c%d", i % 2 ? '/' : '_', i / 2);
        CU_ASSERT(!hs_cluster_add_device(cluster, "gpu", model, HS_NO_GROUP, 0, NULL));
        if (i == 1) {
            struct hs_cluster *twins = hs_cluster_create();

            CU_ASSERT(!hs_cluster_add_node(twins, "a", 4000, HS_MEM_UNLIMITED, NULL));
            CU_ASSERT(!hs_cluster_add_device(twins, "gpu", "m_0", HS_NO_GROUP, 0, NULL));
            CU_ASSERT(!hs_cluster_add_device(twins, "gpu", "m/0", HS_NO_GROUP, 0, NULL));
            CU_ASSERT(!hs_cluster_seal(twins, NULL));
            meta.cluster = twins;
            CU_ASSERT_EQUAL(result_writer_create(&options, &meta, &writer, &error), HS_ERR_INPUT);
            CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "model 'm/0' would have the names of others, "
                                                      "'gpu_m_0'"));
            hs_cluster_destroy(twins);
        }
    }
    CU_ASSERT(!hs_cluster_seal(cluster, NULL));
    meta.cluster = cluster;
    CU_ASSERT_EQUAL(result_writer_create(&options, &meta, &writer, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        error.text, "has 33 models of devices; a result with fragmentation holds at most 32"));
    meta.has_fragments = false;
    CU_ASSERT_EQUAL(result_writer_create(&options, &meta, &writer, &error), HS_OK);
    result_writer_abort(writer);
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"the summary", the_summary},
    {"the columns", the_columns},
    {"each check fails for its error", each_check_fails},
    {"damaged files", damaged_files},
    {"means of an inflation", inflations},
    {"what is refused", refused},
};

UNIT_MAIN("result: fragments", tests)
