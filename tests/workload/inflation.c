/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inflation.c - jobs that fill a machine, and the mix that they are drawn from. */
#include <stdlib.h>

#include "pods.h"
#include "workload/inflation.h"
#include "workload/mix.h"

static struct stream stream;
static struct stream other;

/* 100 pods: of ten, five ask for a whole GPU, four for 0.25 of one, one for cores alone. */
static char *hundred_pods(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, PODS_SHORT);
    for (int i = 0; i < 100; i++) {
        int share = i % 10 < 5 ? 1000 : i % 10 < 9 ? 250 : 0;

        fprintf(file, "p%d,1000,1,%d,%d,\n", i, share > 0, share);
    }
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return text;
}

/* Each job of the list is there once. */
static void check_permutation(const struct stream *jobs)
{
    bool is_there[100] = {false};

    CHECK_INT(jobs->err, HS_OK);
    CHECK_INT(jobs->count, 100);
    for (size_t i = 0; i < jobs->count; i++) {
        int64_t id = jobs->jobs[i].trace_id;

        CU_ASSERT_FATAL(id >= 0 && id < 100);
        CU_ASSERT_FALSE(is_there[id]);
        is_there[id] = true;
        CHECK_INT(jobs->jobs[i].id, i);
        CHECK_INT(jobs->jobs[i].submit_ns, (int64_t)i * S);
        CHECK_INT(jobs->jobs[i].run_ns, HS_TIME_NEVER);
        CHECK_INT(jobs->jobs[i].walltime_ns, HS_TIME_NEVER);
        CHECK_INT(jobs->jobs[i].cancel_ns, HS_TIME_NEVER);
    }
}

static void test_order(void)
{
    struct workload_options options;
    char *text = hundred_pods();
    size_t moved = 0, differing = 0;

    pods_options(&options, NULL);
    options.inflation.is_on = true;
    options.inflation.load = 0;
    options.inflation.is_shuffled = false;
    stream_text(&stream, text, &options);
    check_permutation(&stream);
    for (size_t i = 0; i < stream.count; i++) {
        CHECK_INT(stream.jobs[i].trace_id, i);
    }
    options.inflation.is_shuffled = true;
    stream_text(&stream, text, &options);
    check_permutation(&stream);
    stream_text(&other, text, &options);
    for (size_t i = 0; i < stream.count; i++) {
        CHECK_INT(other.jobs[i].trace_id, stream.jobs[i].trace_id);
        moved += stream.jobs[i].trace_id != (int64_t)i;
    }
    options.seed = 2;
    stream_text(&other, text, &options);
    check_permutation(&other);
    for (size_t i = 0; i < stream.count; i++) {
        differing += other.jobs[i].trace_id != stream.jobs[i].trace_id;
    }
    CU_ASSERT(moved > 80 && differing > 80);
    free(text);
}

/* Draws go on until the requests reach the load: not a job before, and none behind. */
static void test_load(void)
{
    static const double loads[] = {0.01, 0.5, 1, 1.3, 10};
    struct hs_cluster *cluster = pods_cluster(50); /* 100 GPUs; the list asks for 60 */
    struct workload_options options;
    char *text = hundred_pods();

    for (size_t k = 0; k < sizeof loads / sizeof loads[0]; k++) {
        hs_int128 sum = 0;
        double target = loads[k] * 100 * 1000;

        pods_options(&options, cluster);
        options.inflation.is_on = true;
        options.inflation.load = loads[k];
        stream_text(&stream, text, &options);
        CHECK_INT(stream.err, HS_OK);
        for (size_t i = 0; i < stream.count; i++) {
            CU_ASSERT((double)sum < target);
            sum += workload_job_device_milli(&stream.jobs[i]);
            CHECK_INT(stream.jobs[i].submit_ns, (int64_t)i * S);
        }
        CU_ASSERT((double)sum >= target && (double)sum < target + 1000);
        CU_ASSERT(loads[k] < 1 || stream.count > 100);
    }
    free(text);
    hs_cluster_destroy(cluster);
}

/* What is drawn has the shares of the list; the first hundred are the list itself. */
static void test_draws(void)
{
    struct hs_cluster *cluster = pods_cluster(50);
    struct workload_options options;
    char *text = hundred_pods();
    bool is_there[100] = {false};
    size_t whole = 0;

    pods_options(&options, cluster);
    options.inflation.is_on = true;
    options.inflation.load = 20;
    options.inflation.interval_ns = 7;
    stream_text(&stream, text, &options);
    CU_ASSERT_FATAL(stream.count > 3000 && stream.count < STREAM_MAX);
    for (size_t i = 0; i < 100; i++) {
        CU_ASSERT_FALSE(is_there[stream.jobs[i].trace_id]);
        is_there[stream.jobs[i].trace_id] = true;
    }
    for (size_t i = 100; i < stream.count; i++) {
        whole += stream.jobs[i].demand.device_count && stream.jobs[i].demand.device_share == 1000;
        CHECK_INT(stream.jobs[i].submit_ns, 7 * i);
    }
    CHECK_NEAR((double)whole / (double)(stream.count - 100), 0.5, 0.05);
    free(text);
    hs_cluster_destroy(cluster);
}

/* Filter and head come before; the order is that of the file, whatever its times. */
static void test_before(void)
{
    static const char text[] = PODS_LONG "p0,1000,1,0,0,,LS,,90,91,90\n"
                                         "p1,2000,1,0,0,,LS,,10,11,\n"
                                         "p2,9000,1,0,0,,LS,,50,51,50\n"
                                         "p3,2000,1,0,0,,LS,,20,,\n";
    struct workload_options options;

    pods_options(&options, NULL);
    options.inflation.is_on = true;
    options.inflation.is_shuffled = false;
    options.inflation.load = 0;
    options.filter.min_procs = 2;
    options.head = 2;
    stream_text(&stream, text, &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 2);
    CHECK_INT(stream.jobs[0].trace_id, 1);
    CHECK_INT(stream.jobs[1].trace_id, 2);
    CHECK_INT(stream.jobs[1].trace_submit_ns, 50 * S);
    CHECK_INT(stream.stats.left_out, 1);
}

static void refuse(const struct workload_options *options, const char *text, const char *sentence)
{
    stream_text(&stream, text, options);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, sentence);
}

static void test_refusals(void)
{
    static const char text[] = PODS_SHORT "p0,1000,1,0,0,\n";
    struct hs_cluster *cluster = pods_cluster(1);
    struct workload_options options;

    pods_options(&options, NULL);
    options.inflation.is_on = true;
    refuse(&options, text, "the platform has none");
    options.cluster = cluster;
    refuse(&options, text, "none of the 1 jobs asks for an accelerator");
    options.inflation.interval_ns = 3000000000 * S;
    refuse(&options, PODS_SHORT "p0,1000,1,1,1,\n", "would arrive after 6000000000 s");
    options.inflation.interval_ns = 0;
    refuse(&options, text, "workload.inflation.interval is 0");
    options.inflation.interval_ns = 1;
    options.inflation.load = 101;
    refuse(&options, text, "workload.inflation.load is 101");
    options.inflation.load = 1;
    options.shake_ns = S;
    refuse(&options, text, "window, shift, load and shake have no meaning");
    hs_cluster_destroy(cluster);
}

/* By hand: 40 pods. 95 % are 38: the 20, the 12, the 3 with more cores, the 3 that follow. */
static void test_mix(void)
{
    static const struct {
        int count, cpu, gpus, share;
    } rows[] = {{1, 9000, 0, 0},    {12, 1000, 1, 500}, {3, 2000, 1, 1000},
                {20, 4000, 1, 250}, {3, 3000, 0, 0},    {1, 9000, 1, 1}};
    struct workload_options options;
    struct workload_mix mix;
    struct scratch scratch;
    struct hs_error error = {0};
    char text[4096] = PODS_SHORT;
    size_t used = strlen(text);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int k = 0; k < rows[i].count; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "p,%d,%d,%d,%d,\n",
                                     rows[i].cpu, k + 1, rows[i].gpus, rows[i].share);
        }
    }
    scratch = scratch_text(text);
    pods_options(&options, NULL);
    options.file = scratch.path;
    options.inflation.is_on = true; /* its load and order do not matter */
    CHECK_INT(workload_mix_create(&options, &mix, &error), HS_OK);
    CHECK_INT(mix.job_count, 40);
    CHECK_INT(mix.distinct, 6);
    CHECK_INT(mix.count, 4);
    CHECK_INT(mix.demands[0].cores_milli, 4000);
    CHECK_INT(mix.demands[0].device_share, 250);
    CHECK_INT(mix.demands[0].mem_bytes, 0);
    CHECK_INT(mix.demands[1].device_share, 500);
    CHECK_INT(mix.demands[2].cores_milli, 3000);
    CHECK_INT(mix.demands[2].device_count, 0);
    CHECK_INT(mix.demands[3].cores_milli, 2000);
    CHECK_NEAR(mix.weights[0], 20 / 38.0, 1e-15);
    CHECK_NEAR(mix.weights[3], 3 / 38.0, 1e-15);
    workload_mix_fini(&mix);
    CU_ASSERT_PTR_NULL(mix.demands);
    scratch_remove(&scratch);
}

/* A pod that asks for a model that is not there finds no device of use. */
static void test_mix_absent(void)
{
    struct hs_cluster *cluster = pods_cluster(1);
    struct workload_options options;
    struct workload_mix mix;
    struct scratch scratch = scratch_text(PODS_SHORT "p0,1000,1,1,1000,A100\np1,1,1,1,7,T4\n");

    pods_options(&options, cluster);
    options.file = scratch.path;
    options.inflation.is_on = true;
    CHECK_INT(workload_mix_create(&options, &mix, NULL), HS_OK);
    CHECK_INT(mix.count, 2);
    CHECK_INT(mix.demands[0].device_count, 0);
    CHECK_INT(mix.demands[1].model_count, 1);
    workload_mix_fini(&mix);
    scratch_remove(&scratch);
    hs_cluster_destroy(cluster);
}

/* The published list, counted by other means (a script of a dozen lines). */
static void test_published(void)
{
    const char *folder = getenv("HSIM_SHARED");
    struct workload_options options;
    struct workload_mix mix;
    char path[512];

    (void)snprintf(path, sizeof path, "%s/data/openb/openb_pod_list_default.csv.gz",
                   folder ? folder : SHARED_DEFAULT);
    if (access(path, R_OK)) {
        printf("\n  skipped: %s is not there (set HSIM_SHARED)\n", path);
        return;
    }
    pods_options(&options, NULL);
    options.file = path;
    options.inflation.is_on = true;
    CHECK_INT(workload_mix_create(&options, &mix, NULL), HS_OK);
    CHECK_INT(mix.job_count, 8152);
    CHECK_INT(mix.distinct, 91);
    CHECK_INT(mix.count, 35);
    CHECK_INT(mix.jobs[0], 1047);
    CHECK_INT(mix.demands[0].cores_milli, 3152);
    CHECK_INT(mix.demands[0].device_share, 810);
    CHECK_INT(mix.jobs[1], 874);
    CHECK_INT(mix.demands[1].cores_milli, 11300);
    CHECK_INT(mix.jobs[34], 31);
    CHECK_INT(mix.demands[34].cores_milli, 4152);
    CHECK_NEAR(mix.weights[34], 31 / 7766.0, 1e-15);
    workload_mix_fini(&mix);
}

static const struct unit_test tests[] = {
    {"order and seeds", test_order},
    {"requests reach the load", test_load},
    {"what is drawn", test_draws},
    {"filter and head", test_before},
    {"what cannot be", test_refusals},
    {"the mix, by hand", test_mix},
    {"absent models in a mix", test_mix_absent},
    {"the mix of the published list", test_published},
};

UNIT_MAIN("inflation", tests)
