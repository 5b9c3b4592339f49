/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged.c - merged files of sweeps that are damaged: they are read, or a sentence says why not.
 *
 * The bytes are a list of edits on a sound file, as in result.c. */
#include <sys/stat.h>

#include "hdf5_edits.h"
#include "result/sweep_file.h"

#define ROWS 3

static const char *const keys[ROWS] = {"00000000000000000000000000000001",
                                       "00000000000000000000000000000002",
                                       "00000000000000000000000000000003"};

/* The key of these runs is the name of their file, so that the bytes stay the same. */
static void set_key(const char *path, const char *key)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attribute = H5Aopen(file, "run_key", H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);

    FUZZ_CHECK(H5Tget_size(type) == strlen(key) && H5Awrite(attribute, type, key) >= 0);
    FUZZ_CHECK(H5Tclose(type) >= 0 && H5Aclose(attribute) >= 0 && H5Fclose(file) >= 0);
}

/* Two runs and one that failed, on axes of each type. */
static void make_sweep(const char *folder, const char *path)
{
    static const char text[] = "hsim: 1\nplatform: {nodes: 4, cores: 2}\n"
                               "workload: {generate: {jobs: 3}}\npolicy: sjf\n"
                               "output: {compression: none, series: none, allocations: false}\n";
    static const struct sweep_axis axes[] = {{"workload.load", "", "load", SWEEP_REAL, false},
                                             {"scheduler.interval", "s", "", SWEEP_INT, false},
                                             {"policy.depth", "", "depth", SWEEP_TEXT, true}};
    static const struct sweep_value values[] = {{"0.5", 0, 0.5}, {"30s", 30, 30}, {"one", 0, 0}};
    static const char *const errors[ROWS] = {NULL, NULL, "It could not be."};
    struct sweep_row rows[ROWS] = {0};
    struct sweep_source source = {.path = path,
                                  .name = "fuzz",
                                  .config = "hsim: 1\n",
                                  .axes = axes,
                                  .axis_count = 3,
                                  .rows = rows,
                                  .errors = errors,
                                  .row_count = ROWS};
    struct hs_error error = {0};
    char run[128];

    for (int i = 0; i < ROWS; i++) {
        (void)snprintf(rows[i].key, sizeof rows[i].key, "%s", keys[i]);
        (void)snprintf(rows[i].situation, sizeof rows[i].situation, "%s", keys[0]);
        rows[i].policy = i ? "sjf" : "fcfs";
        rows[i].seed = 1;
        rows[i].values = values;
        if (!errors[i]) {
            (void)snprintf(run, sizeof run, "%s/" SWEEP_RUN_FILE, folder, keys[i]);
            make_run(text, run);
            set_key(run, keys[i]);
        }
    }
    FUZZ_CHECK(sweep_file_write(&source, &error) == HS_OK);
    for (int i = 0; i < ROWS; i++) {
        (void)snprintf(run, sizeof run, "%s/" SWEEP_RUN_FILE, folder, keys[i]);
        FUZZ_CHECK(errors[i] || unlink(run) == 0);
    }
}

static const struct base *get_base(void)
{
    static struct base base;

    if (!base.bytes) {
        char folder[] = "/tmp/hsim-fuzz-XXXXXX";
        char runs[64];
        char path[64];

        FUZZ_CHECK(mkdtemp(folder));
        (void)snprintf(runs, sizeof runs, "%s/runs", folder);
        (void)snprintf(path, sizeof path, "%s/sweep.h5", folder);
        FUZZ_CHECK(mkdir(runs, 0700) == 0);
        make_sweep(folder, path);
        base = take_file(path);
        FUZZ_CHECK(rmdir(runs) == 0 && rmdir(folder) == 0);
    }
    return &base;
}

static const char *const attributes[][2] = {
    {".", "hsim_schema"},
    {".", "hsim_kind"},
    {".", "hsim_version"},
    {".", "name"},
    {"params/workload.load", "units"},
    {"params/workload.load", "is_policy"},
    {"params/policy.depth", "long_name"},
    {"metrics/wait_mean_s", "units"},
};

static const char *const datasets[] = {
    "runs/key",
    "runs/situation",
    "runs/policy",
    "runs/error",
    "runs/schedule_digest",
    "runs/seed",
    "runs/replicate",
    "runs/job_count",
    "runs/status",
    "runs/stability",
    "params/workload.load",
    "params/scheduler.interval",
    "params/policy.depth",
    "metrics/jobs",
    "metrics/wait_mean_s",
    "provenance/config",
    "runs",
    "params",
    "metrics",
};

#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])
#define DATASETS   (sizeof datasets / sizeof datasets[0])

/* A group that lies within itself, or a link to nowhere. */
static void add_link(hid_t file, struct fuzz_bytes *bytes)
{
    static const char *const groups[] = {"params", "metrics", "raw"};
    const char *group = groups[fuzz_u8(bytes) % 3];
    char path[32];

    (void)snprintf(path, sizeof path, "%s/link", group);
    if (fuzz_u8(bytes) % 2) {
        (void)H5Lcreate_hard(file, group, file, path, H5P_DEFAULT, H5P_DEFAULT);
    } else {
        (void)H5Lcreate_external("nowhere.h5", "/", file, path, H5P_DEFAULT, H5P_DEFAULT);
    }
}

static void edit_objects(const char *path, struct fuzz_bytes *bytes, unsigned count)
{
    hid_t file = edit_open(path);

    for (unsigned i = 0; i < count && fuzz_left(bytes); i++) {
        uint8_t choice = fuzz_u8(bytes);
        const char *const *attribute = attributes[choice / 8 % ATTRIBUTES];
        const char *name = datasets[choice / 8 % DATASETS];
        hid_t dataset;

        switch (choice % 8) {
        case 0:
            edit_replace(file, attribute[0], attribute[1], bytes);
            break;
        case 1:
            edit_replace(file, name, NULL, bytes);
            break;
        case 2:
            (void)H5Ldelete(file, name, H5P_DEFAULT);
            break;
        case 3:
            edit_extent(file, datasets, DATASETS, bytes);
            break;
        case 4:
            add_link(file, bytes);
            break;
        default:
            dataset = H5Dopen2(file, datasets[fuzz_u8(bytes) % DATASETS], H5P_DEFAULT);
            edit_number(dataset, bytes);
            (void)H5Dclose(dataset);
        }
    }
    FUZZ_CHECK(H5Fclose(file) >= 0);
}

/* What the header promises of a table. */
static void check_table(const struct sweep_file *file)
{
    for (size_t i = 0; i < file->run_count; i++) {
        const struct sweep_run *run = &file->runs[i];

        FUZZ_CHECK(strlen(run->row.key) > 0 && !strpbrk(run->row.key, "/."));
        FUZZ_CHECK(run->row.policy && run->error && run->stability < RESULT_STABILITY_COUNT);
        for (size_t k = 0; k < file->axis_count; k++) {
            FUZZ_CHECK(!run->row.values[k].text || strlen(run->row.values[k].text) < 1000000);
        }
        for (size_t m = 0; m < file->metric_count; m++) {
            volatile double value = file->metrics[m].values[i];

            (void)value;
        }
    }
    for (size_t k = 0; k < file->axis_count; k++) {
        FUZZ_CHECK(file->axes[k].key && file->axes[k].unit && file->axes[k].doc);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = fuzz_begin(data, size);
    uint8_t object_edits = fuzz_u8(&bytes) % EDIT_MAX;
    const struct base *base = get_base();
    struct sweep_file *sweep = NULL;
    struct hs_error error = {0};
    char path[] = "/tmp/hsim-fuzz-XXXXXX";
    int file = mkstemp(path);
    enum hs_err err;

    FUZZ_CHECK(file >= 0 && write(file, base->bytes, base->size) == (ssize_t)base->size);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (object_edits) {
        edit_objects(path, &bytes, object_edits);
    }
    edit_bytes(file, &bytes);
    err = sweep_file_read(path, &sweep, &error);
    if (err == HS_OK) {
        struct result_check checks[SWEEP_CHECKS];

        check_table(sweep);
        if (sweep_file_check(sweep, checks, &error) != HS_OK) {
            fuzz_check_error(error.code, &error);
        }
    } else {
        fuzz_check_error(err, &error);
    }
    sweep_file_destroy(sweep);
    FUZZ_CHECK(close(file) == 0 && unlink(path) == 0);
    return 0;
}
