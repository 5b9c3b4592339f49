/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_file.c - the merged file of a sweep: what goes in comes out, the same bytes each time, and
 * a sentence for what is no such file. */
#include <math.h>

#include <hdf5.h>

#include "fake.h"
#include "result/reader.h"
#include "result/sweep_file.h"

/* HDF5 loses small pieces of memory where it finds a file damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

static const struct sweep_axis axes[] = {
    {"workload.load", "", "offered load", SWEEP_REAL, false},
    {"scheduler.interval", "s", "time between passes", SWEEP_INT, false},
    {"policy.depth", "", "reservations", SWEEP_TEXT, true},
};

enum { ROWS = 4, AXES = 3 };

static const struct sweep_value values[ROWS][AXES] = {
    {{"0.5", 0, 0.5}, {"30s", 30, 30}, {"one", 0, NAN}},
    {{"0.1", 0, 0.1}, {"30s", 30, 30}, {NULL, 0, NAN}},
    {{NULL, 0, NAN}, {NULL, 0, NAN}, {"two", 0, NAN}},
    {{"0.5", 0, 0.5}, {"30s", 30, 30}, {"one", 0, NAN}}, /* the first run once more */
};

static struct sweep_row rows[ROWS] = {
    {"00000000000000000000000000000001", "a0000000000000000000000000000000", "easy", 7, 0,
     values[0]},
    {"00000000000000000000000000000002", "b0000000000000000000000000000000", "fcfs", 7, 0,
     values[1]},
    {"00000000000000000000000000000003", "a0000000000000000000000000000000", "fcfs", 8, 1,
     values[2]},
    {"00000000000000000000000000000001", "a0000000000000000000000000000000", "easy", 7, 0,
     values[3]},
};

static const char *const errors[ROWS] = {NULL, NULL, "no.swf: the trace cannot be read.", NULL};

static struct sweep_source source_at(const char *path)
{
    return (struct sweep_source){
        .path = path,
        .name = "study",
        .config = "hsim: 1\nsweep:\n",
        .axes = axes,
        .axis_count = AXES,
        .rows = rows,
        .errors = errors,
        .row_count = ROWS,
    };
}

/* A run of two jobs on one core: the second waits for `wait` seconds. */
static double write_run(const char *key, int64_t wait, const char *status)
{
    const struct fake_job jobs[] = {
        {.end = wait, .procs = 1, .spans = {{0, 1, 1}}, .span_count = 1},
        {.start = wait, .end = wait + 50, .procs = 1, .spans = {{0, 1, 1}}, .span_count = 1},
    };
    struct hs_cluster *cluster = fake_cluster(1, 1);
    struct result_meta meta = fake_meta(cluster);
    struct result_summary summary = {0};
    struct result_final final = fake_final;
    struct result_writer *writer = NULL;
    char name[64];
    char path[256];
    double mean;

    (void)mkdir(fake_path("runs", path), 0777);
    (void)snprintf(name, sizeof name, SWEEP_RUN_FILE, key);
    struct result_options options = {.path = fake_path(name, path), .is_forced = true};
    meta.run_key = key;
    CU_ASSERT_EQUAL_FATAL(result_writer_create(&options, &meta, &writer, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(fake_run(writer, jobs, 2, NULL), HS_OK);
    final.status = status;
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(writer, &final, &summary, NULL), HS_OK);
    mean = result_summary_get(&summary, "wait_mean_s");
    result_summary_fini(&summary);
    hs_cluster_destroy(cluster);
    return mean;
}

static void write_runs(void)
{
    CU_ASSERT_EQUAL(write_run(rows[0].key, 100, "complete"), 50);
    CU_ASSERT_EQUAL(write_run(rows[1].key, 300, "complete"), 150);
}

static struct sweep_file *write_and_read(const char *path)
{
    struct sweep_source source = source_at(path);
    struct sweep_file *file = NULL;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(sweep_file_write(&source, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL_FATAL(error.text, "");
    CU_ASSERT_EQUAL(sweep_file_read(path, &file, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL_FATAL(error.text, "");
    return file;
}

static void expect_value(const struct sweep_value *value, const char *text, int64_t integer,
                         double real)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(value->text);
    CU_ASSERT_STRING_EQUAL(value->text, text);
    CU_ASSERT_EQUAL(value->integer, integer);
    CU_ASSERT(value->real == real || (isnan(value->real) && isnan(real)));
}

static void check_runs(const struct sweep_file *file)
{
    CU_ASSERT_EQUAL_FATAL(file->run_count, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const struct sweep_run *run = &file->runs[i];

        CU_ASSERT_STRING_EQUAL(run->row.key, rows[i].key);
        CU_ASSERT_STRING_EQUAL(run->row.situation, rows[i].situation);
        CU_ASSERT_STRING_EQUAL(run->row.policy, rows[i].policy);
        CU_ASSERT_EQUAL(run->row.seed, rows[i].seed);
        CU_ASSERT_EQUAL(run->row.replicate, rows[i].replicate);
        CU_ASSERT_EQUAL(run->status, errors[i] ? SWEEP_FAILED : SWEEP_COMPLETE);
        CU_ASSERT_STRING_EQUAL(run->error, errors[i] ? errors[i] : "");
        CU_ASSERT_EQUAL(run->job_count, errors[i] ? -1 : 2);
        CU_ASSERT_EQUAL(strlen(run->schedule_digest), errors[i] ? 0 : 32);
    }
    CU_ASSERT_STRING_NOT_EQUAL(file->runs[0].schedule_digest, file->runs[1].schedule_digest);
}

static void test_round_trip(void)
{
    char path[256];
    struct sweep_file *file;
    const struct sweep_metric *metric;
    char *raw;

    write_runs();
    file = write_and_read(fake_path("sweep.h5", path));
    CU_ASSERT_STRING_EQUAL(file->name, "study");
    CU_ASSERT_STRING_EQUAL(file->config, "hsim: 1\nsweep:\n");
    check_runs(file);
    CU_ASSERT_EQUAL_FATAL(file->axis_count, AXES);
    for (size_t i = 0; i < AXES; i++) {
        CU_ASSERT_STRING_EQUAL(file->axes[i].key, axes[i].key);
        CU_ASSERT_STRING_EQUAL(file->axes[i].unit, axes[i].unit);
        CU_ASSERT_STRING_EQUAL(file->axes[i].doc, axes[i].doc);
        CU_ASSERT_EQUAL(file->axes[i].type, axes[i].type);
        CU_ASSERT_EQUAL(file->axes[i].is_policy, axes[i].is_policy);
    }
    expect_value(&file->runs[0].row.values[0], "0.5", 0, 0.5);
    expect_value(&file->runs[1].row.values[0], "0.1", 0, 0.1);
    expect_value(&file->runs[1].row.values[1], "30s", 30, 30);
    expect_value(&file->runs[2].row.values[2], "two", 0, NAN);
    CU_ASSERT_PTR_NULL(file->runs[2].row.values[0].text);
    CU_ASSERT_PTR_NULL(file->runs[2].row.values[1].text);
    CU_ASSERT_PTR_NULL(file->runs[1].row.values[2].text);
    metric = sweep_file_metric(file, "wait_mean_s");
    CU_ASSERT_PTR_NOT_NULL_FATAL(metric);
    CU_ASSERT_STRING_EQUAL(metric->unit, "s");
    CU_ASSERT_EQUAL(metric->values[0], 50);
    CU_ASSERT_EQUAL(metric->values[1], 150);
    CU_ASSERT(isnan(metric->values[2]));
    CU_ASSERT_EQUAL(metric->values[3], 50);
    CU_ASSERT_PTR_NULL(sweep_file_metric(file, "wall_s"));
    CU_ASSERT_PTR_NOT_NULL(sweep_file_metric(file, "offered_load"));
    raw = sweep_file_run_path(file, 1);
    CU_ASSERT_EQUAL(access(raw, R_OK), 0);
    free(raw);
    sweep_file_destroy(file);
}

/* HDF5 itself follows the links, wherever the folder is. */
static void test_links(void)
{
    char path[256];
    hid_t file, dataset;

    write_runs();
    sweep_file_destroy(write_and_read(fake_path("sweep.h5", path)));
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dataset = H5Dopen2(file, "raw/00000000000000000000000000000002/summary/value", H5P_DEFAULT);
    CU_ASSERT(dataset >= 0);
    CU_ASSERT_EQUAL(H5Lexists(file, "raw/00000000000000000000000000000003", H5P_DEFAULT), 0);
    (void)H5Dclose(dataset);
    (void)H5Fclose(file);
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);

    *size = fread(bytes, 1, 1 << 20, file);
    (void)fclose(file);
    return bytes;
}

/* The runs are written anew, at another time, and the file into another folder. */
static void test_same_bytes(void)
{
    char first[256];
    char second[256];
    size_t sizes[2];
    char *bytes[2];

    write_runs();
    sweep_file_destroy(write_and_read(fake_path("sweep.h5", first)));
    bytes[0] = read_bytes(first, &sizes[0]);
    (void)sleep(1);
    write_runs();
    sweep_file_destroy(write_and_read(fake_path("again.h5", second)));
    bytes[1] = read_bytes(second, &sizes[1]);
    CU_ASSERT_EQUAL(sizes[0], sizes[1]);
    CU_ASSERT(sizes[0] > 1000 && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
}

static void expect_error(enum hs_err code, const struct hs_error *error, const char *cause)
{
    CU_ASSERT_EQUAL(code, HS_ERR_INPUT);
    if (!strstr(error->text, cause)) {
        (void)fprintf(stderr, "'%s' is not in: %s\n", cause, error->text);
        CU_FAIL("another error is due");
    }
}

static void test_bad_runs(void)
{
    struct hs_error error = {0};
    char path[256];
    char run[256];
    char other[256];
    struct sweep_source source = source_at(fake_path("bad.h5", path));

    write_runs();
    CU_ASSERT_EQUAL(write_run(rows[1].key, 300, "interrupted"), 150);
    expect_error(sweep_file_write(&source, &error), &error, "this run is 'interrupted'");
    (void)fake_path("runs/00000000000000000000000000000002.h5", run);
    CU_ASSERT_EQUAL(truncate(run, 3000), 0);
    expect_error(sweep_file_write(&source, &error), &error, "truncated or damaged");
    CU_ASSERT_EQUAL(rename(fake_path("runs/00000000000000000000000000000001.h5", other), run), 0);
    expect_error(sweep_file_write(&source, &error), &error, "cannot be opened");
    CU_ASSERT_EQUAL(write_run(rows[0].key, 100, "complete"), 50);
    expect_error(sweep_file_write(&source, &error), &error,
                 "the result of run 00000000000000000000000000000002 is due here, and this is that "
                 "of run '00000000000000000000000000000001'");
    CU_ASSERT_EQUAL(unlink(run), 0);
    expect_error(sweep_file_write(&source, &error), &error, "cannot be opened");
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(fake_path("bad.h5.part", run), F_OK), 0);
}

static void set_number(const char *path, const char *name, int64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attr = H5Aopen(file, name, H5P_DEFAULT);

    CU_ASSERT(H5Awrite(attr, H5T_NATIVE_INT64, &value) >= 0);
    (void)H5Aclose(attr);
    (void)H5Fclose(file);
}

static enum hs_err read_file(const char *path, struct hs_error *error)
{
    struct sweep_file *file = NULL;
    enum hs_err code = sweep_file_read(path, &file, error);

    sweep_file_destroy(file);
    return code;
}

static void test_bad_files(void)
{
    struct hs_error error = {0};
    struct result_reader *reader = NULL;
    bool is_sweep = false;
    char path[256];
    char run[256];

    write_runs();
    sweep_file_destroy(write_and_read(fake_path("sweep.h5", path)));
    (void)fake_path("runs/00000000000000000000000000000001.h5", run);
    CU_ASSERT_EQUAL(sweep_file_is_one(path, &is_sweep, &error), HS_OK);
    CU_ASSERT(is_sweep);
    CU_ASSERT_EQUAL(sweep_file_is_one(run, &is_sweep, &error), HS_OK);
    CU_ASSERT(!is_sweep);
    expect_error(read_file(run, &error), &error, "this is the result of one run");
    expect_error(result_reader_open(path, &reader, &error), &error, "the merged file of a sweep");
    CU_ASSERT_PTR_NULL(reader);
    set_number(path, "hsim_schema", 99);
    expect_error(read_file(path, &error), &error,
                 "the file has schema 99, and this hsim reads schema 1 to 1. Use a newer hsim.");
    set_number(path, "hsim_schema", 1);
    CU_ASSERT_EQUAL(read_file(path, &error), HS_OK);
    CU_ASSERT_EQUAL(truncate(path, 5000), 0);
    expect_error(read_file(path, &error), &error, "truncated or damaged");
    CU_ASSERT_EQUAL(truncate(path, 0), 0);
    expect_error(read_file(path, &error), &error, "the file is empty");
    CU_ASSERT_EQUAL(mkfifo(fake_path("pipe", run), 0600), 0);
    expect_error(read_file(run, &error), &error, "no regular file");
    expect_error(read_file(fake_path("runs", path), &error), &error, "this is a folder");
    expect_error(read_file(__FILE__, &error), &error, "this is no HDF5 file");
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"what goes in comes out", test_round_trip},
        {"links to the runs", test_links},
        {"the same bytes each time", test_same_bytes},
        {"runs that cannot be merged", test_bad_runs},
        {"files that are no merged ones", test_bad_files},
    };

    return unit_main("result sweep_file", tests, sizeof tests / sizeof tests[0]);
}
