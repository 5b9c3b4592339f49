/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foreign.c - sound HDF5 files with a content that hsim does not write: sentences, no crash. */
#include <hdf5.h>
#include <zlib.h>

#include "fake.h"
#include "result/check.h"
#include "result/saturate.h"

static const struct fake_job job = {.end = 10, .procs = 1, .spans = {{0, 1, 1}}, .span_count = 1};

/* A result of two jobs one after another on two nodes, open for changes. */
static hid_t open_packed(const char *path, int level)
{
    struct hs_cluster *cluster = fake_cluster(2, 1);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {
        .path = path, .is_forced = true, .has_allocations = true, .compression = level};
    struct result_writer *writer = NULL;
    struct result_summary summary = {0};
    struct hs_error error = {0};
    hid_t file;

    CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writer, &error), HS_OK);
    for (size_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(fake_write(writer, &job, i, &error), HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(writer, &fake_final, &summary, &error), HS_OK);
    result_summary_fini(&summary);
    hs_cluster_destroy(cluster);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    CU_ASSERT_FATAL(file >= 0);
    return file;
}

static hid_t open_result(const char *path)
{
    return open_packed(path, 0);
}

/* Writes the first row of a column; -1 as a dimension of `type`'s own. */
static void set_first(hid_t file, const char *column, hid_t type, const void *value)
{
    hsize_t row = 0;
    hsize_t one = 1;
    hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT);
    hid_t own = H5Dget_type(dataset);
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &one, NULL);

    CU_ASSERT(H5Sselect_hyperslab(space, H5S_SELECT_SET, &row, NULL, &one, NULL) >= 0);
    CU_ASSERT(H5Dwrite(dataset, type >= 0 ? type : own, memory, space, H5P_DEFAULT, value) >= 0);
    CU_ASSERT(H5Sclose(memory) >= 0 && H5Sclose(space) >= 0 && H5Tclose(own) >= 0);
    CU_ASSERT(H5Dclose(dataset) >= 0);
}

static void expect_open_error(const char *path, const char *cause)
{
    struct result_reader *reader = NULL;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(result_reader_open(path, &reader, &error), HS_ERR_INPUT);
    CU_ASSERT_EQUAL(strncmp(error.text, path, strlen(path)), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cause));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "run the experiment again"));
    CU_ASSERT_PTR_NULL(reader);
}

/* A list of texts where one is due is longer than the type tells. */
static void test_text_array(void)
{
    static const char texts[100][16] = {"events"};
    hsize_t size = 100;
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate_simple(1, &size, NULL);
    char path[256];
    hid_t file = open_result(fake_path("array.h5", path));
    hid_t attr;

    CU_ASSERT(H5Tset_size(type, 16) >= 0);
    CU_ASSERT(H5Adelete_by_name(file, "series", "mode", H5P_DEFAULT) >= 0);
    attr = H5Acreate_by_name(file, "series", "mode", type, space, H5P_DEFAULT, H5P_DEFAULT,
                             H5P_DEFAULT);
    CU_ASSERT(H5Awrite(attr, type, texts) >= 0);
    CU_ASSERT(H5Aclose(attr) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
    expect_open_error(path, "\"mode\" cannot be read");
}

static void test_unknown_state(void)
{
    static const int8_t states[] = {5, 127, -1};

    for (size_t i = 0; i < sizeof states; i++) {
        struct result_check checks[RESULT_CHECKS_MAX];
        struct result_reader *reader = NULL;
        struct hs_error error = {0};
        int64_t values[2];
        size_t count = 0;
        char path[256];
        hid_t file = open_result(fake_path("state.h5", path));

        set_first(file, "jobs/state", H5I_INVALID_HID, &states[i]);
        CU_ASSERT(H5Fclose(file) >= 0);
        CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
        CU_ASSERT_EQUAL(
            result_reader_ints(reader, &result_jobs_table, JOB_STATE, 0, 2, values, &error),
            HS_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "row 0 of the jobs has the unknown state"));
        CU_ASSERT_EQUAL(result_check(reader, checks, &count, &error), HS_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "run the experiment again"));
        result_reader_close(reader);
    }
}

/* Numbers at the ends of their range: some check fails, and none overflows. */
static void test_extreme_numbers(void)
{
    static const char *const columns[] = {
        "jobs/submit",     "jobs/eligible",          "jobs/start",
        "jobs/end",        "jobs/alloc_milli",       "jobs/tasks",
        "jobs/id",         "allocations/job",        "allocations/cores_milli",
        "allocations/end", "allocations/node_count", "allocations/first_node",
    };

    for (size_t i = 0; i < 2 * (sizeof columns / sizeof columns[0]); i++) {
        struct result_check checks[RESULT_CHECKS_MAX];
        struct result_reader *reader = NULL;
        struct hs_error error = {0};
        int64_t value = i % 2 ? INT64_MAX : INT64_MIN;
        size_t count = 0;
        size_t failures = 0;
        char path[256];
        hid_t file = open_result(fake_path("extreme.h5", path));

        set_first(file, columns[i / 2], H5T_NATIVE_INT64, &value);
        CU_ASSERT(H5Fclose(file) >= 0);
        CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
        CU_ASSERT_EQUAL(result_check(reader, checks, &count, &error), HS_OK);
        for (size_t k = 0; k < count; k++) {
            failures += checks[k].outcome == RESULT_FAILS;
        }
        if (failures == 0) {
            (void)printf("\n    %s ", columns[i / 2]);
            CU_FAIL("a wrong number is not noticed");
        }
        result_reader_close(reader);
    }
}

static void test_saturation(void)
{
    hs_int128 sum = SATURATE_INT128_MAX;
    char text[RESULT_INT128_TEXT_MAX];

    CU_ASSERT_EQUAL(saturate_sum(INT64_MAX, 1), INT64_MAX);
    CU_ASSERT_EQUAL(saturate_sum(INT64_MIN, -1), INT64_MIN);
    CU_ASSERT_EQUAL(saturate_sum(INT64_MIN, INT64_MAX), -1);
    CU_ASSERT_EQUAL(saturate_difference(0, INT64_MIN), INT64_MAX);
    CU_ASSERT_EQUAL(saturate_difference(-2, INT64_MAX), INT64_MIN);
    CU_ASSERT_EQUAL(saturate_product(INT64_MIN, -1), INT64_MAX);
    CU_ASSERT_EQUAL(saturate_product(INT64_MAX, -2), INT64_MIN);
    CU_ASSERT_EQUAL(saturate_product(3, -2), -6);
    saturate_add(&sum, 1);
    CU_ASSERT(sum == SATURATE_INT128_MAX);
    result_int128_format(sum, text);
    CU_ASSERT_STRING_EQUAL(text, "170141183460469231731687303715884105727");
    sum = -SATURATE_INT128_MAX;
    saturate_add(&sum, -1);
    CU_ASSERT(sum == -SATURATE_INT128_MAX);
    result_int128_format(sum - 1, text);
    CU_ASSERT_STRING_EQUAL(text, "-170141183460469231731687303715884105728");
}

/* The key of a chunk in the index ("TREE", 24 bytes, then the keys) begins with its size. */
static void test_chunk_sizes(void)
{
    char path[256];
    uint8_t bytes[65536];
    hid_t file = open_result(fake_path("chunks.h5", path));
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    int64_t values[2];
    size_t trees = 0;
    size_t length;
    FILE *stream;

    CU_ASSERT(H5Fclose(file) >= 0);
    stream = fopen(path, "r+b");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    length = fread(bytes, 1, sizeof bytes, stream);
    for (size_t at = 0; at + 28 < length; at++) {
        if (memcmp(bytes + at, "TREE\1", 5) == 0) {
            CU_ASSERT_EQUAL(fseek(stream, (long)at + 24, SEEK_SET), 0);
            CU_ASSERT_EQUAL(fputc(1, stream), 1);
            trees++;
        }
    }
    CU_ASSERT_EQUAL(fclose(stream), 0);
    CU_ASSERT(trees > 10);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
    CU_ASSERT_EQUAL(result_reader_ints(reader, &result_jobs_table, JOB_START, 0, 2, values, &error),
                    HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error.text, "\"start\" cannot be read (it has chunks of impossible sizes)"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "run the experiment again"));
    result_reader_close(reader);
}

/* The starts of both jobs cannot be read, and why. */
static void expect_start_error(const char *path, const char *cause)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    int64_t *column = NULL;
    int64_t values[2];
    size_t count = 0;

    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
    CU_ASSERT_EQUAL(result_reader_ints(reader, &result_jobs_table, JOB_START, 0, 2, values, &error),
                    HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "\"start\" cannot be read"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cause));
    error = (struct hs_error){0};
    CU_ASSERT_EQUAL(result_reader_column(reader, "jobs/start", &column, &count, &error),
                    HS_ERR_INPUT);
    CU_ASSERT_PTR_NULL(column);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cause));
    CU_ASSERT_EQUAL(result_check(reader, checks, &count, &error), HS_ERR_INPUT);
    result_reader_close(reader);
}

/* A chunk whose packed bytes are sound and unpack to less or more than a chunk, are cut off, or
 * are none; HDF5 alone would copy what lies behind them. */
static void test_packed_sizes(void)
{
    static const char *const cause = "packed chunks that do not unpack to their size";
    static const uint8_t zeros[4096];
    const size_t sizes[] = {0, 1, 15, 17, 4096, 16}; /* 16: the chunk of two starts, cut off */
    hsize_t row = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t packed[8192];
        uLongf length = sizeof packed;
        char path[256];
        hid_t file = open_packed(fake_path("packed.h5", path), 6);
        hid_t dataset = H5Dopen2(file, "jobs/start", H5P_DEFAULT);

        CU_ASSERT_EQUAL_FATAL(compress2(packed, &length, zeros, sizes[i], 6), Z_OK);
        length -= sizes[i] == 16;
        CU_ASSERT(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &row, length, packed) >= 0);
        CU_ASSERT(H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
        expect_start_error(path, cause);
    }
}

/* A column of jobs in the place of the one that hsim wrote. */
static void replace_start(hid_t file, hid_t type, hid_t create, const void *values)
{
    hsize_t size = 2;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t dataset;

    CU_ASSERT(H5Ldelete(file, "jobs/start", H5P_DEFAULT) >= 0);
    dataset = H5Dcreate2(file, "jobs/start", type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    CU_ASSERT_FATAL(dataset >= 0);
    CU_ASSERT(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    CU_ASSERT(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0);
}

/* Shuffling and packing in this order are read; whatever else a program may pack with is refused,
 * since what it unpacks to is not known before. */
static void test_filters(void)
{
    static const struct {
        bool is_shuffled, is_packed, is_summed, is_shuffled_last;
    } cases[] = {{true, true, false, false},
                 {false, true, false, false},
                 {true, false, false, false},
                 {true, true, true, false},
                 {false, true, false, true}};
    static const int64_t starts[2] = {0, 10 * S};
    hsize_t rows = 2;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[256];
        hid_t file = open_result(fake_path("filters.h5", path));
        hid_t create = H5Pcreate(H5P_DATASET_CREATE);

        CU_ASSERT(H5Pset_chunk(create, 1, &rows) >= 0);
        CU_ASSERT(!cases[i].is_shuffled || H5Pset_shuffle(create) >= 0);
        CU_ASSERT(!cases[i].is_packed || H5Pset_deflate(create, 6) >= 0);
        CU_ASSERT(!cases[i].is_summed || H5Pset_fletcher32(create) >= 0);
        CU_ASSERT(!cases[i].is_shuffled_last || H5Pset_shuffle(create) >= 0);
        replace_start(file, H5T_NATIVE_INT64, create, starts);
        CU_ASSERT(H5Pclose(create) >= 0 && H5Fclose(file) >= 0);
        if (cases[i].is_summed || cases[i].is_shuffled_last) {
            expect_start_error(path, "`h5repack -f NONE`");
        } else {
            struct result_reader *reader = NULL;
            struct hs_error error = {0};
            int64_t values[2] = {-1, -1};

            CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
            CU_ASSERT_EQUAL(
                result_reader_ints(reader, &result_jobs_table, JOB_START, 0, 2, values, &error),
                HS_OK);
            CU_ASSERT(values[0] == starts[0] && values[1] == starts[1]);
            result_reader_close(reader);
        }
    }
}

/* Texts of variable length, which lie elsewhere in the file, where numbers and texts are due. */
static void test_variable_texts(void)
{
    const char *texts[2] = {"0", "10"};
    struct result_reader *reader = NULL;
    struct result_summary summary;
    struct hs_error error = {0};
    char path[256];
    hid_t file = open_result(fake_path("variable.h5", path));
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr;

    CU_ASSERT(H5Tset_size(type, H5T_VARIABLE) >= 0);
    replace_start(file, type, H5P_DEFAULT, texts);
    CU_ASSERT(H5Lcopy(file, "jobs/start", file, "summary/text", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CU_ASSERT(H5Ldelete(file, "summary/name", H5P_DEFAULT) >= 0);
    CU_ASSERT(H5Lmove(file, "summary/text", file, "summary/name", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
    expect_start_error(path, "run the experiment again");
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, &error), HS_OK);
    CU_ASSERT_EQUAL(result_reader_summary(reader, &summary, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "\"summary/name\" cannot be read"));
    result_summary_fini(&summary);
    result_reader_close(reader);

    file = open_result(fake_path("variable.h5", path));
    CU_ASSERT(H5Adelete_by_name(file, "series", "mode", H5P_DEFAULT) >= 0);
    attr = H5Acreate_by_name(file, "series", "mode", type, space, H5P_DEFAULT, H5P_DEFAULT,
                             H5P_DEFAULT);
    CU_ASSERT(H5Awrite(attr, type, texts) >= 0);
    CU_ASSERT(H5Aclose(attr) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
    expect_open_error(path, "\"mode\" cannot be read");
}

static const struct unit_test tests[] = {
    {"sizes of packed chunks", test_packed_sizes},
    {"filters", test_filters},
    {"texts of variable length", test_variable_texts},
    {"sizes of chunks", test_chunk_sizes},
    {"a list of texts for a text", test_text_array},
    {"unknown states", test_unknown_state},
    {"numbers at the ends of their range", test_extreme_numbers},
    {"saturation", test_saturation},
};

UNIT_MAIN("result: foreign content", tests)
