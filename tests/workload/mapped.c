/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapped.c - jobs of other systems as CSV: maps, times, demands, rows that say two things. */
#include "hs/cluster.h"
#include "support.h"

static struct stream stream;
static struct workload_options options;

#define ROW(member, text) options.columns.member = (text)

/* A map of its own, with the columns that most tests need. */
static void begin(void)
{
    workload_options_defaults(&options);
    options.columns.is_given = true;
    ROW(submit, "submit");
    ROW(start, "start");
    ROW(end, "end");
    ROW(cpus, "cpus");
}

#define HELIOS                                                                                     \
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"      \
    "queue\n"

static void test_helios(void)
{
    const struct workload_job *jobs = stream.jobs;

    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_HELIOS;
    stream_text(&stream,
                HELIOS "7,ua,vcA,16,32,2,COMPLETED,2020-04-01 00:00:05,2020-04-01 00:01:05,"
                       "2020-04-01 00:01:15,10,60\n"
                       "8,ub,vcB,0,24,1,TIMEOUT,2020-04-01 00:00:06,2020-04-01 00:00:06,"
                       "2020-04-01 00:00:16,10,0\n"
                       "9,ua,vcB,6,10,4,NODE_FAIL,2020-04-01 00:00:07,2020-04-01 00:00:07,"
                       "2020-04-01 00:00:17,10,0\n"
                       "10,uc,vcA,8,8,1,CANCELLED,2020-04-01 00:00:08,,2020-04-01 00:00:58,0,50\n"
                       "11,uc,vcA,1,0,1,FAILED,2020-04-01 00:00:09,2020-04-01 00:00:19,"
                       "2020-04-01 00:00:20,1,10\n",
                &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 5);
    CHECK_INT(stream.stats.epoch_unix, 0);
    CHECK_INT(stream.stats.bad.count, 0);
    CHECK_INT(jobs[0].trace_id, 7);
    CHECK_INT(jobs[0].submit_ns, 1585699205 * S);
    CHECK_INT(jobs[0].trace_start_ns, 1585699265 * S);
    CHECK_INT(jobs[0].run_ns, 10 * S);
    CHECK_INT(jobs[0].trace_status, 1);
    CHECK_INT(jobs[0].demand.tasks, 2); /* 2 nodes, 8 GPUs and 16 processors on each */
    CHECK_INT(jobs[0].demand.device_count, 8);
    CHECK_INT(jobs[0].demand.cores_milli, 16000);
    CHECK_INT(jobs[1].trace_status, WORKLOAD_STATUS_TIMEOUT);
    CHECK_INT(jobs[1].demand.tasks, 1);
    CHECK_INT(jobs[1].demand.cores_milli, 24000);
    CHECK_INT(jobs[1].demand.device_count, 0);
    CHECK_INT(jobs[2].trace_status, WORKLOAD_STATUS_NODE_FAIL);
    CHECK_INT(jobs[2].demand.tasks, 6); /* 6 GPUs do not divide by 4 nodes: a task a GPU */
    CHECK_INT(jobs[2].demand.device_count, 1);
    CHECK_INT(jobs[2].demand.cores_milli, 1667);
    CHECK_INT(jobs[3].run_ns, HS_TIME_NEVER); /* gave up after 50 s */
    CHECK_INT(jobs[3].cancel_ns, 1585699258 * S);
    CHECK_INT(jobs[3].trace_start_ns, -1);
    CHECK_INT(jobs[4].demand.cores_milli, 0);
    CHECK_INT(jobs[0].user, 0);
    CHECK_INT(jobs[3].user, 2);
    CHECK_INT(jobs[1].queue, 1);
    CHECK_INT(stream.stats.cancelled.count, 1);
}

static void test_pai(void)
{
    const struct workload_job *jobs = stream.jobs;

    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_PAI;
    stream_text(&stream,
                "4f05,worker,2.0,Terminated,100.0,160.5,600.0,29.296875,50.0,MISC\n"
                "5f06,ps,1.0,Failed,101.0,111.0,400.0,1,0.0,\n"
                "5f07,w,1.0,Running,102.0,,400.0,1,200.0,V100\n"
                "5f08,w,3.0,Terminated,103.0,104.0,100.0,1,200.0,V100\n"
                "5f09,w,3.0,Terminated,103.0,104.0,100.0,1,250.0,V100\n",
                &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.stats.epoch_unix, -1);
    CHECK_INT(jobs[0].submit_ns, 100 * S);
    CHECK_INT(jobs[0].run_ns, 60500000000);
    CHECK_INT(jobs[0].demand.tasks, 2);
    CHECK_INT(jobs[0].demand.cores_milli, 6000);
    CHECK_INT(jobs[0].demand.device_count, 1);
    CHECK_INT(jobs[0].demand.device_share, 500);
    CHECK_INT(jobs[0].demand.mem_bytes, 29296875000);
    CHECK_INT(jobs[0].demand.model_count, 1);
    CHECK_INT(jobs[0].trace_status, 1);
    CHECK_INT(jobs[1].trace_status, 0);
    CHECK_INT(jobs[1].demand.device_count, 0);
    CHECK_INT(jobs[2].demand.device_count, 2);
    CHECK_INT(jobs[2].demand.tasks, 3);
    CHECK_INT(stream.stats.dropped.count, 1); /* still ran when the trace was taken */
    CHECK_INT(stream.stats.bad.count, 1);
    CHECK_HAS(stream.stats.bad.reasons[0], "2.500 GPUs; a share of one or whole ones are due");
}

static void test_map(void)
{
    begin();
    options.columns.start = NULL;
    options.columns.end = NULL;
    ROW(submit, "When ms");
    ROW(duration, "Ran");
    ROW(walltime, "limit min");
    ROW(cpus, "=4");
    ROW(memory, "mem GiB");
    ROW(gpus, "share milli");
    ROW(state, "how");
    ROW(separator, ";");
    ROW(priority, "p");
    options.columns.states.completed = "fine|good";
    stream_text(&stream,
                "When;Ran;limit;mem;share;how;p\n"
                "1500;1:00;5;1.5;250;GOOD;2.5\n"
                "1750;90;;;0;odd;\n",
                &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 2);
    CHECK_INT(stream.jobs[0].submit_ns, 1500000000);
    CHECK_INT(stream.jobs[0].run_ns, 60 * S);
    CHECK_INT(stream.jobs[0].walltime_ns, 300 * S);
    CHECK_INT(stream.jobs[0].demand.mem_bytes, INT64_C(3) << 29);
    CHECK_INT(stream.jobs[0].demand.device_share, 250);
    CHECK_INT(stream.jobs[0].demand.cores_milli, 4000);
    CHECK_INT(stream.jobs[0].trace_status, 1);
    CHECK_NEAR(stream.jobs[0].priority, 2.5, 0);
    CHECK_INT(stream.jobs[1].trace_status, -1);
    CHECK_INT(stream.jobs[1].demand.tasks, 4); /* four processors: four tasks, as in SWF */
    CHECK_INT(stream.stats.missing.count, 1);
}

/* Columns go before those of the format. */
static void test_map_over_format(void)
{
    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_PHILLY;
    options.columns.is_given = true;
    ROW(gpus, "n");
    stream_text(&stream,
                "timestamp,duration,n,cluster\n2017-10-10 06:54:28,1816.0,2,0e4a51\n"
                "2017-10-10 06:54:27,5,1,11\n",
                &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 2);
    CHECK_INT(stream.jobs[0].demand.tasks, 1); /* sorted */
    CHECK_INT(stream.jobs[0].queue, 1);
    CHECK_INT(stream.jobs[1].demand.tasks, 2);
    CHECK_INT(stream.jobs[1].queue, 0); /* a name, though it looks like a number */
    CHECK_INT(stream.stats.unsorted.count, 1);
}

static void refuse(const char *text, enum hs_err err, const char *part)
{
    stream_text(&stream, text, &options);
    CHECK_INT(stream.err, err);
    CHECK_HAS(stream.error.text, part);
}

static void test_refusals(void)
{
    begin();
    refuse("submt,start,end,cpus\n", HS_ERR_INPUT,
           ":1: the header has no column 'submit' (but 'submt')");
    begin();
    options.columns.end = NULL;
    refuse("submit,start,end,cpus\n", HS_ERR_CONFIG, "lacks `duration`, or `start` and `end`");
    begin();
    options.columns.cpus = NULL;
    refuse("submit,start,end,cpus\n", HS_ERR_CONFIG, "lacks one of `cpus`, `gpus`");
    begin();
    options.columns.submit = NULL;
    refuse("submit,start,end,cpus\n", HS_ERR_CONFIG, "lacks `submit`");
    begin();
    options.columns.separator = "::";
    refuse("submit,start,end,cpus\n", HS_ERR_CONFIG, "separator is '::'; one character");
    begin();
    options.columns.cpus = "=";
    refuse("submit,start,end,cpus\n", HS_ERR_CONFIG, "workload.columns.cpus is ''");
    begin();
    options.zone = "Mars";
    refuse("submit,start,end,cpus\n", HS_ERR_CONFIG, "workload.zone is 'Mars'");
    begin();
    options.format = WORKLOAD_FORMAT_JOBS;
    refuse("submit,run,cores\n", HS_ERR_CONFIG, "columns has no meaning for the format jobs");
    workload_options_defaults(&options);
    options.zone = "UTC";
    refuse("1 2 3\n", HS_ERR_CONFIG, "a zone has no meaning for the format swf");
    begin();
    refuse("submit,start,end,cpus\n2020-01-01 00:00:00,2020-01-01 00:00:00,2020-01-01 00:00:01,1\n"
           "2020-01-01 00:00:00,2020-01-01 00:00:00Z,2020-01-01 00:00:01,1\n",
           HS_ERR_INPUT, ":3: a time with a zone, but line 2 has one without");
    options.is_strict = true;
    refuse("submit,start,end,cpus\n5,7,6,1\n", HS_ERR_INPUT,
           ":2: the job ends 1 s before it starts");
}

static void test_bad_rows(void)
{
    static const struct {
        const char *row, *reason;
    } cases[] = {
        {"x,1,2,1", "submit is 'x'; a number is due"},
        {",1,2,1", "there is no submit time"},
        {"-1,1,2,1", "submit is '-1'; 0 or more is due"},
        {"1,1,2,-1", "cpus is '-1'; 0 or more is due"},
        {"1,1,2,1e30", "cpus is '1e30'; that is too large"},
        {"1,1,2,99999999999", "more than can be counted"},
        {"1,3,2,1", "the job ends 1 s before it starts"},
        {"1,2,3", "3 fields; the header names 4"},
        {"1,1,5e9,1", "a time is too large"},
        {"7e9,7e9,7e9,1", "a time is too large"},
        {"2020-01-01,1,2,1", "submit is '2020-01-01'; a number is due"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];

        begin();
        (void)snprintf(text, sizeof text, "submit,start,end,cpus\n1,1,2,1\n%s\n3,3,4,1\n",
                       cases[i].row);
        stream_text(&stream, text, &options);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 2);
        CHECK_INT(stream.stats.bad.count, 1);
        CHECK_INT(stream.stats.bad.lines[0], 3);
        CHECK_HAS(stream.stats.bad.reasons[0], cases[i].reason);
    }
}

/* Which run time counts, what is submitted when it was released, and what is dropped. */
static void test_rules(void)
{
    static const char text[] = "submit,eligible,start,end,dur,cpus,state\n"
                               "10,10,20,30,15,1,DONE\n"
                               "11,50,60,70,10,1,DONE\n"
                               "12,12,11,13,2,1,DONE\n"
                               "13,13,14,15,1,0,DONE\n";

    for (int by_column = 0; by_column < 2; by_column++) {
        begin();
        ROW(eligible, "eligible");
        ROW(duration, "dur");
        ROW(state, "state");
        options.duration = by_column ? WORKLOAD_DURATION_COLUMN : WORKLOAD_DURATION_TIMES;
        stream_text(&stream, text, &options);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 3);
        CHECK_INT(stream.stats.conflict.count, 1);
        CHECK_INT(stream.stats.conflict.lines[0], 2);
        CHECK_INT(stream.jobs[0].run_ns, by_column ? 15 * S : 10 * S);
        CHECK_INT(stream.jobs[1].trace_id, 3);            /* ids are numbers of rows */
        CHECK_INT(stream.jobs[1].trace_start_ns, 12 * S); /* no start before the submit */
        CHECK_INT(stream.jobs[2].submit_ns, 50 * S);
        CHECK_INT(stream.jobs[2].trace_start_ns, 60 * S);
        CHECK_INT(stream.stats.held.count, 1);
        CHECK_INT(stream.stats.dropped.count, 1);
        CHECK_HAS(stream.stats.dropped.reasons[0], "no processors and no devices");
    }
}

/* A platform without GPUs, and one without the model. */
static void test_platforms(void)
{
    static const char text[] = "submit,start,end,gpus,model\n1,1,2,1,v100\n2,2,3,0.5,\n";

    for (int has_gpus = 0; has_gpus < 2; has_gpus++) {
        struct hs_cluster *cluster = hs_cluster_create();

        CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
        CHECK_INT(hs_cluster_add_node(cluster, "n", 8000, INT64_C(1) << 36, NULL), HS_OK);
        if (has_gpus) {
            CHECK_INT(hs_cluster_add_device(cluster, "gpu", "v100-sxm2-16", HS_NO_GROUP,
                                            HS_MEM_UNLIMITED, NULL),
                      HS_OK);
        }
        CHECK_INT(hs_cluster_seal(cluster, NULL), HS_OK);
        for (int any = 0; any < 2; any++) {
            begin();
            options.columns.cpus = NULL;
            ROW(gpus, "gpus");
            ROW(model, "model");
            options.cluster = cluster;
            options.machine_procs = 8;
            options.models = any ? WORKLOAD_MODELS_ANY : WORKLOAD_MODELS_TRACE;
            stream_text(&stream, text, &options);
            CHECK_INT(stream.count, 2);
            CHECK_INT(stream.jobs[0].is_oversized, !has_gpus || !any);
            CHECK_INT(stream.jobs[1].is_oversized, !has_gpus);
            CHECK_INT(stream.stats.absent.count, has_gpus ? !any : 2);
            if (stream.stats.absent.count > 0) {
                CHECK_HAS(stream.stats.absent.reasons[0],
                          !has_gpus ? "no node has a device of kind 'gpu'" : "model 'v100'");
            }
            CHECK_INT(stream.jobs[1].demand.device_share, 500);
            CHECK_INT(stream.jobs[1].demand.cores_milli, 1000);
        }
        hs_cluster_destroy(cluster);
    }
}

static const struct unit_test tests[] = {
    {"helios", test_helios},     {"pai", test_pai},
    {"a map", test_map},         {"map over a format", test_map_over_format},
    {"refusals", test_refusals}, {"bad rows", test_bad_rows},
    {"rules", test_rules},       {"platforms", test_platforms},
};

UNIT_MAIN("maps of columns", tests)
