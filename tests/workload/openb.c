/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb.c - lists of pods: demands, times, and rows that cannot be. */
#include "pods.h"

static struct stream stream;

static void test_demands(void)
{
    struct hs_cluster *cluster = pods_cluster(2);
    struct workload_options options;

    pods_options(&options, cluster);
    stream_text(&stream,
                "gpu_spec,creation_time,scheduled_time,deletion_time,x,num_gpu,gpu_milli,cpu_milli,"
                "memory_mib,name\n"
                ",0,0,100,,0,0,4152,1024,pod-7\n"
                ",10,12,20,,1,460,6000,12288,pod-8\n"
                "V100|T4|V100,10,10,11,,2,1000,1000,0,other\n"
                "T4,20,20,20,,1,1000,1000,0,pod-10\n",
                &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 4);
    CHECK_INT(stream.jobs[0].trace_id, 7);
    CHECK_INT(stream.jobs[0].demand.tasks, 1);
    CHECK_INT(stream.jobs[0].demand.cores_milli, 4152);
    CHECK_INT(stream.jobs[0].demand.mem_bytes, INT64_C(1) << 30);
    CHECK_INT(stream.jobs[0].demand.device_count, 0);
    CHECK_INT(stream.jobs[0].demand.device_kind, HS_ANY_KIND);
    CHECK_INT(stream.jobs[0].run_ns, 100 * S);
    CHECK_INT(stream.jobs[0].walltime_ns, 100 * S);
    CHECK_INT(stream.jobs[1].demand.device_count, 1);
    CHECK_INT(stream.jobs[1].demand.device_share, 460);
    CHECK_INT(stream.jobs[1].demand.device_kind, 0);
    CHECK_INT(stream.jobs[1].demand.model_count, 0);
    CHECK_INT(stream.jobs[1].submit_ns, 10 * S);
    CHECK_INT(stream.jobs[1].run_ns, 8 * S);
    CHECK_INT(stream.jobs[1].trace_wait_ns, 2 * S);
    CHECK_INT(stream.jobs[1].trace_start_ns, 12 * S);
    CHECK_INT(stream.jobs[2].trace_id, 2); /* no digits: the row */
    CHECK_INT(stream.jobs[2].demand.device_count, 2);
    CHECK_INT(stream.jobs[2].demand.device_share, 1000);
    CHECK_INT(stream.jobs[2].demand.model_count, 2); /* sorted, each once */
    CHECK_INT(stream.jobs[2].demand.models[0], 0);
    CHECK_INT(stream.jobs[2].demand.models[1], 1);
    CHECK_INT(stream.jobs[3].demand.model_count, 1);
    CHECK_INT(stream.jobs[3].run_ns, 0);
    CHECK_INT(stream.jobs[3].line, 5);
    CHECK_INT(stream.stats.records, 4);
    CHECK_INT(stream.stats.bad.count, 0);
    hs_cluster_destroy(cluster);
}

/* Pods that were never scheduled gave up; those that were not deleted have no run time. */
static void test_times(void)
{
    struct workload_options options;

    pods_options(&options, NULL);
    stream_text(&stream,
                PODS_LONG "p0,1000,1,0,0,,LS,Running,0,50,1.5\n"
                          "p1,1000,1,0,0,,BE,Pending,10,30,\n"
                          "p2,1000,1,0,0,,,Running,11,,12\n"
                          "p3,1000,1,0,0,,Guaranteed,Failed,12,40,20\n"
                          "p4,1000,1,0,0,,,Pending,13,,\n",
                &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.jobs[0].run_ns, 48500000000);
    CHECK_INT(stream.jobs[0].queue, 0);
    CHECK_INT(stream.jobs[1].run_ns, HS_TIME_NEVER);
    CHECK_INT(stream.jobs[1].cancel_ns, 30 * S);
    CHECK_INT(stream.jobs[1].queue, 2);
    CHECK_INT(stream.jobs[2].trace_id, 3);
    CHECK_INT(stream.jobs[2].queue, 3);
    CHECK_INT(stream.jobs[2].trace_status, 0);
    CHECK_INT(stream.stats.dropped.count, 2);
    CHECK_INT(stream.stats.cancelled.count, 1);
}

/* Without a machine models are numbered as they come; with one, those that it lacks are told. */
static void test_models(void)
{
    static const char text[] = PODS_LONG "p0,1000,1,1,1000,A100|T4,,,0,1,0\n"
                                         "p1,1000,1,1,1000,V10,,,0,1,0\n"
                                         "p2,1000,1,1,1000,,,,0,1,0\n";
    struct hs_cluster *cluster = pods_cluster(2);
    struct hs_cluster *plain = hs_cluster_create();
    struct workload_options options;

    pods_options(&options, NULL);
    stream_text(&stream, text, &options);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.jobs[0].demand.model_count, 2);
    CHECK_INT(stream.jobs[1].demand.models[0], 2);
    CHECK_INT(stream.stats.absent.count, 0);
    pods_options(&options, cluster);
    stream_text(&stream, text, &options);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.jobs[0].demand.model_count, 1); /* T4 serves */
    CHECK_INT(stream.jobs[0].is_oversized, false);
    CHECK_INT(stream.jobs[1].is_oversized, true);
    CHECK_INT(stream.stats.absent.count, 1);
    CHECK_INT(stream.stats.absent.lines[0], 3);
    CHECK_HAS(stream.stats.absent.reasons[0], "no node has a device of model 'V10'");
    CHECK_HAS(stream.stats.absent.reasons[0], "did you mean 'V100'?");
    CU_ASSERT_PTR_NOT_NULL_FATAL(plain);
    CU_ASSERT_FATAL(!hs_cluster_add_node(plain, "n0", 64000, HS_MEM_UNLIMITED, NULL));
    CU_ASSERT_FATAL(!hs_cluster_seal(plain, NULL));
    pods_options(&options, plain);
    stream_text(&stream, text, &options);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.stats.absent.count, 3);
    CHECK_HAS(stream.stats.absent.reasons[2], "no node has a device of kind 'gpu'");
    hs_cluster_destroy(cluster);
    hs_cluster_destroy(plain);
}

static void test_bad_rows(void)
{
    static const struct {
        const char *row;
        const char *reason;
    } cases[] = {
        {"p,0,1,0,0,,,,0,1,0", "cpu_milli is '0'; 1 to 1000000000 is due"},
        {"p,1.5,1,0,0,,,,0,1,0", "cpu_milli is '1.5'"},
        {"p,1,-1,0,0,,,,0,1,0", "memory_mib is '-1'; 0 to"},
        {"p,1,1,x,0,,,,0,1,0", "num_gpu is 'x'; 0 to 64 is due"},
        {"p,1,1,65,1000,,,,0,1,0", "num_gpu is '65'; 0 to 64 is due"},
        {"p,1,1,1,1001,,,,0,1,0", "gpu_milli is '1001'; 0 to 1000 is due"},
        {"p,1,1,1,0,,,,0,1,0", "gpu_milli is 0 with num_gpu 1; 1 to 1000 is due"},
        {"p,1,1,2,500,,,,0,1,0", "gpu_milli is 500 with num_gpu 2; 1000 per GPU is due"},
        {"p,1,1,0,500,,,,0,1,0", "gpu_milli is 500 without a GPU"},
        {"p,1,1,1,1000,A||B,,,0,1,0", "gpu_spec is 'A||B'"},
        {"p,1,1,1,1000,A|,,,0,1,0", "gpu_spec is 'A|'; a model is due behind the last '|'"},
        {"p,1,1,1,1000,|A,,,0,1,0", "gpu_spec is '|A'"},
        {"p,1,1,1,1000,1|2|3|4|5|6|7|8|9,,,0,1,0", "at most 8 models are due"},
        {"p,1,1,0,0,,,,,1,0", "creation_time is empty"},
        {"p,1,1,0,0,,,,0,x,0", "deletion_time is 'x'; seconds from 0 to 3000000000 are due"},
        {"p,1,1,0,0,,,,0,1,9e9", "scheduled_time is '9e9'"},
        {"p,1,1,0,0,,,,0,1,2", "deletion_time 1 is before scheduled_time 2"},
        {"p,1,1,0,0,,,,0,1", "10 fields; the header names 11"},
        {"p,1,1,0,0,,,,0,\"1,0", "are not closed in this line"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct workload_options options;
        char text[512];

        pods_options(&options, NULL);
        (void)snprintf(text, sizeof text, "%s%s\np1,1000,1,0,0,,,,0,1,0\n", PODS_LONG,
                       cases[i].row);
        stream_text(&stream, text, &options);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 1);
        CHECK_INT(stream.stats.records, 2);
        CHECK_INT(stream.stats.bad.count, 1);
        CHECK_INT(stream.stats.bad.lines[0], 2);
        CHECK_HAS(stream.stats.bad.reasons[0], cases[i].reason);
        options.is_strict = true;
        stream_text(&stream, text, &options);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        CHECK_HAS(stream.error.text, ":2: ");
        CHECK_HAS(stream.error.text, cases[i].reason);
    }
}

static void test_bad_files(void)
{
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {PODS_SHORT "p0,1,1,0,0,\n", ":1: the list of pods has no times"},
        {"name,cpu_milli,memory_mib,num_gpus,gpu_milli,gpu_spec\n",
         ":1: the header has no column 'num_gpu' (but 'num_gpus')"},
        {PODS_LONG, "holds no job"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn0,1,1,0,\n", ":1: the header has no column 'name'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct workload_options options;

        pods_options(&options, NULL);
        stream_text(&stream, cases[i].text, &options);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        CHECK_HAS(stream.error.text, cases[i].sentence);
    }
}

static const struct unit_test tests[] = {
    {"demands", test_demands},   {"times", test_times},         {"models", test_models},
    {"bad rows", test_bad_rows}, {"bad files", test_bad_files},
};

UNIT_MAIN("lists of pods", tests)
