/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy.c - energy and devices in a result: the case of tests/engine/energy.c, and what the checks
 * say when something of it is wrong. */
#include "engine/energy.h"

#include <hdf5.h>
#include <math.h>

#include "fake.h"
#include "result/check.h"

/* What is told wrongly. */
enum wrong {
    NOTHING,
    WRONG_JOB,    /* energy of a job */
    WRONG_STATE,  /* a sum by state */
    WRONG_NODE,   /* energy of a node */
    WRONG_POWER,  /* in one point */
    WRONG_SHARES, /* in one point */
    WRONG_DEVICE, /* job 1 is told to hold 600 shares */
};

static struct hs_cluster *make_cluster(void)
{
    struct hs_cluster *cluster = hs_cluster_create();

    if (hs_cluster_add_node(cluster, "a", 4000, HS_MEM_UNLIMITED, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "gpu", "g1", 1, 40, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "gpu", "g2", HS_NO_GROUP, HS_MEM_UNLIMITED, NULL) != HS_OK ||
        hs_cluster_add_node(cluster, "b", 4000, HS_MEM_UNLIMITED, NULL) != HS_OK ||
        hs_cluster_add_device(cluster, "fpga", "f", HS_NO_GROUP, HS_MEM_UNLIMITED, NULL) != HS_OK ||
        hs_cluster_seal(cluster, NULL) != HS_OK) {
        abort();
    }
    return cluster;
}

static const struct hs_power nodes[] = {{10, 100, 100, 180}, {10, 100, 100, 180}};
static const struct hs_power devices[] = {{5, 20, 50, 250}, {5, 20, 50, 250}, {0, 5, 5, 60}};

/* Job 0: two cores of node a and 600 shares of its first GPU, 10 s to 30 s; job 1: one core and
 * 200 shares, 20 s to 40 s. Submitted at 0. */
struct scene {
    struct hs_cluster *cluster;
    struct energy *energy;
    struct result_writer *writer;
    struct hs_span spans[2];
    struct hs_device_share shares[2];
    struct hs_demand demands[2];
    struct hs_alloc allocs[2];
    double charged[2];
    hs_time starts[2], ends[2];
    enum wrong wrong;
};

static void tell_point(struct scene *scene, int64_t second, int64_t queue, int64_t running)
{
    int64_t shares[] = {0, 0};
    int64_t cores = 0;

    for (int i = 0; i < 2; i++) {
        if (scene->starts[i] <= second * S && second * S < scene->ends[i]) {
            cores += 1000 * (int64_t)scene->spans[i].tasks;
            shares[0] += scene->shares[i].share;
        }
    }
    shares[0] += scene->wrong == WRONG_SHARES && second == 20;
    struct result_point point = {
        .time_ns = second * S,
        .alloc_milli = cores,
        .queue_jobs = queue,
        .running_jobs = running,
        .queue_procs = queue,
        .power_uw = energy_power_uw(scene->energy) + (scene->wrong == WRONG_POWER && second == 20),
        .device_levels = shares,
    };
    CU_ASSERT_EQUAL(result_writer_point(scene->writer, &point, NULL), HS_OK);
}

static void start(struct scene *scene, int j)
{
    CU_ASSERT_EQUAL(energy_start(scene->energy, scene->starts[j], (uint32_t)j, &scene->demands[j],
                                 &scene->allocs[j], NULL),
                    HS_OK);
}

static void stop(struct scene *scene, int j)
{
    struct result_job row = {
        .id = j,
        .submit_ns = 0,
        .start_ns = scene->starts[j],
        .end_ns = scene->ends[j],
        .run_ns = scene->ends[j] - scene->starts[j],
        .walltime_ns = HS_TIME_NEVER,
        .demand = &scene->demands[j],
        .alloc = &scene->allocs[j],
        .procs = scene->spans[j].tasks,
    };

    scene->charged[j] = (double)energy_stop(scene->energy, scene->ends[j], (uint32_t)j,
                                            &scene->demands[j], &scene->allocs[j]) /
                        ENERGY_PER_JOULE;
    if (scene->wrong == WRONG_DEVICE && j == 1) {
        scene->shares[1].share = 600;
    }
    row.energy_j = scene->charged[j] + (scene->wrong == WRONG_JOB && j == 0 ? 1e-3 : 0);
    CU_ASSERT_EQUAL(result_writer_job(scene->writer, &row, NULL), HS_OK);
}

static void play(struct scene *scene)
{
    *scene = (struct scene){.cluster = scene->cluster,
                            .energy = scene->energy,
                            .writer = scene->writer,
                            .wrong = scene->wrong,
                            .spans = {{0, 1, 2}, {0, 1, 1}},
                            .shares = {{0, 600}, {0, 200}},
                            .starts = {10 * S, 20 * S},
                            .ends = {30 * S, 40 * S}};
    for (int i = 0; i < 2; i++) {
        scene->demands[i] = (struct hs_demand){.tasks = scene->spans[i].tasks, .cores_milli = 1000};
        scene->allocs[i] = (struct hs_alloc){.spans = &scene->spans[i],
                                             .span_count = 1,
                                             .devices = &scene->shares[i],
                                             .device_count = 1};
    }
    energy_begin(scene->energy, 0);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(result_writer_submitted(scene->writer, 0, NULL), HS_OK);
    }
    tell_point(scene, 0, 2, 0);
    start(scene, 0);
    tell_point(scene, 10, 1, 1);
    start(scene, 1);
    tell_point(scene, 20, 0, 2);
    stop(scene, 0);
    tell_point(scene, 30, 0, 1);
    stop(scene, 1);
    tell_point(scene, 40, 0, 0);
    energy_settle(scene->energy, 40 * S);
}

static void finish(struct scene *scene, struct result_summary *summary)
{
    struct result_final final = fake_final;
    struct energy_totals totals = energy_totals(scene->energy);
    hs_int128 of_nodes[2], of_devices[3];
    struct result_energy sums = {
        .off = totals.states[ENERGY_OFF],
        .idle = totals.states[ENERGY_IDLE] + (scene->wrong == WRONG_STATE),
        .context = totals.states[ENERGY_CONTEXT],
        .busy = totals.states[ENERGY_BUSY],
        .jobs = totals.jobs,
        .uncharged = totals.uncharged,
        .nodes = of_nodes,
        .devices = of_devices,
    };

    for (uint32_t i = 0; i < 2; i++) {
        of_nodes[i] = energy_of_node(scene->energy, i) - (scene->wrong == WRONG_NODE);
    }
    for (uint32_t i = 0; i < 3; i++) {
        of_devices[i] = energy_of_device(scene->energy, i);
    }
    final.energy = &sums;
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(scene->writer, &final, summary, NULL), HS_OK);
}

/* Plays the scene into a file (path NULL: only for the summary). */
static void run(struct scene *scene, const char *path, enum result_series series,
                struct result_summary *summary)
{
    struct energy_options options = {NULL, nodes, devices, 1, ENERGY_EXCLUSIVE, false};
    struct result_options output = {.path = path,
                                    .is_forced = true,
                                    .has_allocations = true,
                                    .series = series,
                                    .series_interval_ns = 15 * S};
    struct result_meta meta;

    scene->cluster = make_cluster();
    options.cluster = scene->cluster;
    meta = fake_meta(scene->cluster);
    meta.has_energy = true;
    meta.node_power = nodes;
    meta.device_power = devices;
    CU_ASSERT_EQUAL_FATAL(energy_create(&options, &scene->energy, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_writer_create(&output, &meta, &scene->writer, NULL), HS_OK);
    play(scene);
    finish(scene, summary);
    energy_destroy(scene->energy);
    hs_cluster_destroy(scene->cluster);
}

/* By hand in tests/engine/energy.c; here without its last 10 s, and with an FPGA of 5 W. */
static void the_summary(void)
{
    static const struct {
        const char *name;
        double value;
    } expected[] = {
        {"energy_total_j", 17300 - 2400 + 200},
        {"energy_idle_j", 1000 + 4000 + 200 + 800 + 200},
        {"energy_context_j", 4500},
        {"energy_busy_j", 4400},
        {"energy_off_j", 0},
        {"energy_jobs_j", 3000 + 1200 + 1500 + 3200},
        {"energy_uncharged_j", 6200},
        {"energy_cpu_j", 5200 + 4000},
        {"energy_gpu_j", 4900 + 800},
        {"energy_fpga_j", 200},
        {"power_mean_w", 15100 / 40.0},
        {"power_peak_w", 160 + 100 + 210 + 20 + 5},
        {"edp_js", 15100 * 40.0},
        {"util_gpu", (20 * 0.6 + 20 * 0.2) / 80},
        {"util_gpu_g1", (20 * 0.6 + 20 * 0.2) / 40},
        {"util_gpu_g2", 0},
        {"alloc_gpu_h", 16 / 3600.0},
        {"util_fpga", 0},
        {"util_fpga_f", 0},
    };

    for (int has_file = 0; has_file < 2; has_file++) {
        struct scene scene = {0};
        struct result_summary summary;
        char path[256];

        run(&scene, has_file ? fake_path("summary.h5", path) : NULL, RESULT_SERIES_EVENTS,
            &summary);
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            double value = result_summary_get(&summary, expected[i].name);

            if (!(fabs(value - expected[i].value) <= 1e-9 * expected[i].value)) {
                (void)printf("\n    %s: %.17g, not %.17g ", expected[i].name, value,
                             expected[i].value);
                CU_FAIL("value");
            }
        }
        result_summary_fini(&summary);
    }
}

static void read_doubles(struct result_reader *reader, const char *table, size_t column,
                         size_t count, double *values)
{
    const struct result_table *its = result_reader_table(reader, table);

    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, its), (int64_t)count);
    CU_ASSERT_EQUAL(result_reader_doubles(reader, its, column, 0, count, values, NULL), HS_OK);
}

static void the_columns(void)
{
    static const double powers[] = {245, 435, 495, 335, 245};
    static const int64_t gpu_shares[] = {0, 600, 800, 200, 0};
    struct scene scene = {0};
    struct result_summary summary;
    struct result_reader *reader = NULL;
    const struct result_series_more *more;
    double values[5];
    int64_t shares[5], *kinds_nodes;
    char path[256];
    char *texts;
    size_t count;

    run(&scene, fake_path("columns.h5", path), RESULT_SERIES_EVENTS, &summary);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    more = result_reader_series_more(reader);
    CU_ASSERT(more->has_power && more->kind_count == 2);
    CU_ASSERT_STRING_EQUAL(more->slots[1], "fpga");
    read_doubles(reader, "series", result_series_power(), 5, values);
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(values[i], powers[i]);
    }
    read_doubles(reader, "series", result_series_shares(more, 0) + 1, 5, values);
    CU_ASSERT_EQUAL(result_reader_ints(reader, result_reader_table(reader, "series"),
                                       result_series_shares(more, 0), 0, 5, shares, NULL),
                    HS_OK);
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(shares[i], gpu_shares[i]);
        CU_ASSERT_EQUAL(values[i], (double)gpu_shares[i] / 2000);
    }
    read_doubles(reader, "jobs", JOB_ENERGY, 2, values);
    CU_ASSERT_EQUAL(values[0], scene.charged[0]);
    CU_ASSERT_EQUAL(values[1], scene.charged[1]);
    CU_ASSERT_EQUAL(result_reader_texts(reader, "platform/devices/model", &texts, &count, NULL),
                    HS_OK);
    CU_ASSERT_EQUAL(count, 3);
    CU_ASSERT_STRING_EQUAL(texts, "g1");
    free(texts);
    CU_ASSERT_EQUAL(
        result_reader_column(reader, "platform/devices/node", &kinds_nodes, &count, NULL), HS_OK);
    CU_ASSERT_EQUAL(kinds_nodes[2], 1);
    free(kinds_nodes);
    CU_ASSERT_EQUAL(
        result_reader_column(reader, "platform/nodes/energy", &kinds_nodes, &count, NULL), HS_OK);
    CU_ASSERT_EQUAL(kinds_nodes[0], 5200);
    free(kinds_nodes);
    result_reader_close(reader);
}

/* Means over 15 s: 2/3 x 245 + 1/3 x 435, ... */
static void the_means(void)
{
    struct scene scene = {0};
    struct result_summary summary;
    struct result_reader *reader = NULL;
    double values[3];
    char path[256];

    run(&scene, fake_path("means.h5", path), RESULT_SERIES_INTERVAL, &summary);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    read_doubles(reader, "series", result_series_power(), 3, values);
    CU_ASSERT_DOUBLE_EQUAL(values[0], (10 * 245 + 5 * 435) / 15.0, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(values[1], (5 * 435 + 10 * 495) / 15.0, 1e-9);
    read_doubles(reader, "series", result_series_shares(result_reader_series_more(reader), 0), 3,
                 values);
    CU_ASSERT_DOUBLE_EQUAL(values[1], (5 * 600 + 10 * 800) / 15.0, 1e-9);
    result_reader_close(reader);
}

static size_t check(enum wrong wrong, enum result_series series,
                    struct result_check checks[RESULT_CHECKS_MAX])
{
    struct scene scene = {.wrong = wrong};
    struct result_summary summary;
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    size_t count = 0;
    char path[256];

    run(&scene, fake_path("check.h5", path), series, &summary);
    result_summary_fini(&summary);
    CU_ASSERT_EQUAL_FATAL(result_reader_open(path, &reader, NULL), HS_OK);
    CU_ASSERT_EQUAL(result_check(reader, checks, &count, &error), HS_OK);
    result_reader_close(reader);
    return count;
}

static void all_checks_hold(void)
{
    struct result_check checks[RESULT_CHECKS_MAX];

    for (int series = RESULT_SERIES_EVENTS; series <= RESULT_SERIES_NONE; series++) {
        size_t count = check(NOTHING, (enum result_series)series, checks);

        CU_ASSERT_EQUAL(count, 17);
        for (size_t i = 0; i < count; i++) {
            if (checks[i].outcome == RESULT_FAILS) {
                (void)printf("\n    %s: %s ", checks[i].name, checks[i].text);
                CU_FAIL("check");
            }
        }
    }
}

static void each_check_fails(void)
{
    static const struct {
        enum wrong wrong;
        const char *name, *text;
    } cases[] = {
        {WRONG_JOB, "energy of jobs", "all jobs together have 8900.001 J, but 8900 J"},
        {WRONG_STATE, "energy by state", "residual 1"},
        {WRONG_NODE, "energy by device", "residual -2"},
        {WRONG_POWER, "energy in time", "residual 10000000000"},
        {WRONG_SHARES, "device shares", "residual 10000000000"},
        {WRONG_DEVICE, "devices", "1200 thousandths of device 0 are given out at 20 s"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result_check checks[RESULT_CHECKS_MAX];
        size_t count = check(cases[i].wrong, RESULT_SERIES_EVENTS, checks);
        bool is_told = false;

        for (size_t k = 0; k < count; k++) {
            is_told |= checks[k].outcome == RESULT_FAILS &&
                       strcmp(checks[k].name, cases[i].name) == 0 &&
                       strstr(checks[k].text, cases[i].text);
            if (checks[k].outcome == RESULT_FAILS && strcmp(checks[k].name, cases[i].name) == 0 &&
                !strstr(checks[k].text, cases[i].text)) {
                (void)printf("\n    %s: %s ", checks[k].name, checks[k].text);
            }
        }
        if (!is_told) {
            (void)printf("\n    %s does not fail as it should ", cases[i].name);
            CU_FAIL("check");
        }
    }
}

static void replace_text(const char *path, const char *object, const char *name, const char *text)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t attr;

    CU_ASSERT(H5Tset_size(type, strlen(text)) >= 0);
    CU_ASSERT(H5Adelete_by_name(file, object, name, H5P_DEFAULT) >= 0);
    attr =
        H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT(H5Awrite(attr, type, text) >= 0);
    CU_ASSERT(H5Aclose(attr) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
}

static void damaged_files(void)
{
    static const struct {
        const char *object, *name, *text, *sentence;
        bool is_open;
    } cases[] = {
        {"series", "kinds", "a,b,c,d,e,f,g,h,i", "\"kinds\" cannot be read", false},
        {"series", "kinds", "gpu,npu", "\"series/shares_npu\" cannot be read", false},
        {"energy", "idle", "12x", "attribute \"idle\" of the energy is \"12x\"", true},
        {"series", "kinds", "fpga", "device 0 is of kind \"gpu\"", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene = {0};
        struct result_check checks[RESULT_CHECKS_MAX];
        struct result_summary summary;
        struct result_reader *reader = NULL;
        struct hs_error error = {0};
        enum hs_err err;
        size_t count;
        char path[256];

        run(&scene, fake_path("damaged.h5", path), RESULT_SERIES_EVENTS, &summary);
        result_summary_fini(&summary);
        replace_text(path, cases[i].object, cases[i].name, cases[i].text);
        err = result_reader_open(path, &reader, &error);
        CU_ASSERT_EQUAL(err == HS_OK, cases[i].is_open);
        if (err == HS_OK) {
            err = result_check(reader, checks, &count, &error);
        }
        CU_ASSERT_EQUAL(err, HS_ERR_INPUT);
        if (!strstr(error.text, cases[i].sentence)) {
            (void)printf("\n    %s ", error.text);
            CU_FAIL("sentence");
        }
        result_reader_close(reader);
    }
}

static const struct unit_test tests[] = {
    {"the summary", the_summary},
    {"the columns", the_columns},
    {"means over intervals", the_means},
    {"all checks hold", all_checks_hold},
    {"each check fails for its error", each_check_fails},
    {"damaged files", damaged_files},
};

UNIT_MAIN("result: energy and devices", tests)
