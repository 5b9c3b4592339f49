/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constant.c - of columns that begin constant one chunk is stored, and they read as if all were: by
 * hsim, and by HDF5 alone. They may change at any row after the first chunk. */
#include <hdf5.h>

#include "fake.h"
#include "result/reader.h"
#include "result/store.h"

/* More than three chunks; the buffers take a quarter of a chunk each after the first. */
#define ROWS (3 * STORE_CHUNK_ROWS + 20000)

/* From which row on a column counts up; before it is constant. */
static const struct {
    enum result_job_column column;
    int64_t row;
    hsize_t chunks; /* that are stored, of four */
} changes[] = {
    {JOB_USER, STORE_CHUNK_ROWS, 4},              /* with the second chunk */
    {JOB_GROUP, STORE_CHUNK_ROWS + 40000, 4},     /* inside the second chunk */
    {JOB_QUEUE, 2 * STORE_CHUNK_ROWS - 1, 4},     /* with its last row */
    {JOB_EXECUTABLE, ROWS - 1, 2},                /* with the last row */
    {JOB_PARTITION, ROWS, 1},                     /* never */
    {JOB_MEM, STORE_CHUNK_ROWS - 1, 4},           /* with the last row of the first chunk */
    {JOB_TRACE_ID, 2 * STORE_CHUNK_ROWS + 1, 3},  /* behind the first row of a chunk */
    {JOB_PROCS, 0, 4},                            /* at once */
    {JOB_RUNTIME, 2 * STORE_CHUNK_ROWS + 300, 2}, /* and back again: see value_of */
};

#define CHANGES (sizeof changes / sizeof changes[0])

static int64_t value_of(size_t change, int64_t row)
{
    bool is_back = changes[change].column == JOB_RUNTIME && row > 2 * STORE_CHUNK_ROWS + 400;

    return row < changes[change].row || is_back ? 5 : 7 + row % 100000;
}

static void write_rows(const char *path, int compression)
{
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {.path = path, .compression = compression};
    struct result_writer *writer = NULL;
    struct result_summary summary = {0};

    CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writer, NULL), HS_OK);
    for (int64_t row = 0; row < ROWS; row++) {
        struct hs_demand demand = {.tasks = 1, .cores_milli = 1000, .mem_bytes = value_of(5, row)};
        struct result_job job = {
            .id = row,
            .user = (int32_t)value_of(0, row),
            .group = (int32_t)value_of(1, row),
            .queue = (int32_t)value_of(2, row),
            .executable = value_of(3, row),
            .partition = (int32_t)value_of(4, row),
            .trace_id = value_of(6, row),
            .procs = value_of(7, row),
            .run_ns = value_of(8, row),
            .demand = &demand,
            .start_ns = -1,
            .end_ns = -1,
            .state = RESULT_REJECTED,
        };

        CU_ASSERT_EQUAL_FATAL(result_writer_job(writer, &job, NULL), HS_OK);
    }
    CU_ASSERT_EQUAL(result_writer_finish(writer, &fake_final, &summary, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_summary_get(&summary, "rejected"), ROWS);
    result_summary_fini(&summary);
    hs_cluster_destroy(cluster);
}

/* Reads with nothing but HDF5, as other programs do. */
static void read_plainly(hid_t file, const char *name, int64_t *values, hsize_t *chunks)
{
    char path[64];
    hid_t dataset, space;

    (void)snprintf(path, sizeof path, "jobs/%s", name);
    dataset = H5Dopen2(file, path, H5P_DEFAULT);
    space = H5Dget_space(dataset);
    CU_ASSERT(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    CU_ASSERT(H5Dget_num_chunks(dataset, space, chunks) >= 0);
    CU_ASSERT(H5Sclose(space) >= 0 && H5Dclose(dataset) >= 0);
}

static int64_t wrong_values(size_t change, const int64_t *values)
{
    int64_t wrong = 0;

    for (int64_t row = 0; row < ROWS; row++) {
        wrong += values[row] != value_of(change, row);
    }
    return wrong;
}

static void check_plainly(const char *path, int64_t *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

    for (size_t i = 0; i < CHANGES; i++) {
        hsize_t chunks = 0;

        read_plainly(file, result_jobs_table.columns[changes[i].column].name, values, &chunks);
        CU_ASSERT_EQUAL(wrong_values(i, values), 0);
        CU_ASSERT_EQUAL(chunks, changes[i].chunks);
    }
    CU_ASSERT(H5Fclose(file) >= 0);
}

static void check_columns(const char *name, int compression)
{
    int64_t *values = calloc(ROWS, sizeof *values);
    struct result_reader *reader = NULL;
    char path[256];

    write_rows(fake_path(name, path), compression);
    check_plainly(path, values);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    for (size_t i = 0; i < CHANGES; i++) {
        memset(values, 0, ROWS * sizeof *values);
        CU_ASSERT_EQUAL(result_reader_ints(reader, &result_jobs_table, changes[i].column, 0, ROWS,
                                           values, NULL),
                        HS_OK);
        CU_ASSERT_EQUAL(wrong_values(i, values), 0);
    }
    result_reader_close(reader);
    free(values);
}

static void test_plain(void)
{
    check_columns("plain.h5", 0);
}

static void test_packed(void)
{
    check_columns("packed.h5", 1);
}

static const struct unit_test tests[] = {
    {"not compressed", test_plain},
    {"compressed", test_packed},
};

UNIT_MAIN("result: constant columns", tests)
