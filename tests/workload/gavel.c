/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gavel.c - traces of Gavel: run times from throughputs, classes, and rows that cannot be. */
#include "hs/cluster.h"
#include "support.h"
#include "workload/names.h"

#define TABLE                                                                                      \
    "job_type,batch_size,scale_factor,v100,k80\n"                                                  \
    "LM,80,1,32,8\n"                                                                               \
    "LM,80,4,100,0\n"                                                                              \
    "A3C,,1,7,3\n"
#define ROW(type, steps, scale, priority, slo, arrival)                                            \
    type "\tpython3 \"a b\" --x=%s\tfolder\t--steps\t1\t" steps "\t" scale "\t" priority "\t" slo  \
         "\t" arrival "\n"

static struct stream stream;

/* Reads the trace with the table; `reference` NULL: none is named. */
static void read_trace(const char *table, const char *reference, const char *trace, bool is_strict)
{
    struct scratch scratch = scratch_text(table);
    struct workload_options options;

    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_GAVEL;
    options.throughputs = scratch.path;
    options.reference = reference;
    options.is_strict = is_strict;
    stream_text(&stream, trace, &options);
    scratch_remove(&scratch);
}

static void test_jobs(void)
{
    read_trace(TABLE, "v100",
               ROW("LM (batch size 80)", "64", "1", "1", "-1.000000", "0")
                   ROW("A3C", "7", "1", "2.5", "1.2", "10.25")
                       ROW("LM (batch size 80)", "350", "4", "0", "-1", "11"),
               true);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.jobs[0].trace_id, 0);
    CHECK_INT(stream.jobs[0].submit_ns, 0);
    CHECK_INT(stream.jobs[0].run_ns, 2 * S);
    CHECK_INT(stream.jobs[0].walltime_ns, 2 * S);
    CHECK_INT(stream.jobs[0].job_class, 0);
    CHECK_INT(stream.jobs[0].demand.tasks, 1);
    CHECK_INT(stream.jobs[0].demand.cores_milli, 1000);
    CHECK_INT(stream.jobs[0].demand.device_count, 1);
    CHECK_INT(stream.jobs[0].demand.device_share, 1000);
    CHECK_NEAR(stream.jobs[0].priority, 1, 0);
    CHECK_INT(stream.jobs[1].submit_ns, 10250000000);
    CHECK_INT(stream.jobs[1].run_ns, S);
    CHECK_INT(stream.jobs[1].job_class, 1);
    CHECK_NEAR(stream.jobs[1].priority, 2.5, 0);
    CHECK_INT(stream.jobs[2].run_ns, 3500000000);
    CHECK_INT(stream.jobs[2].job_class, 0); /* the scale factor is no part of it */
    CHECK_INT(stream.jobs[2].demand.tasks, 4);
    CHECK_INT(stream.jobs[2].line, 3);
    CHECK_INT(stream.stats.records, 3);
    CHECK_INT(stream.stats.is_clairvoyant, true); /* a trace of Gavel has no requests */
}

/* Another reference, other run times; rounded to the nearest nanosecond. */
static void test_reference(void)
{
    read_trace(TABLE, "k80",
               ROW("A3C", "10", "1", "1", "-1", "0")
                   ROW("LM (batch size 80)", "64", "4", "1", "-1", "1"),
               false);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 1);
    CHECK_INT(stream.jobs[0].run_ns, 3333333333);
    CHECK_INT(stream.stats.bad.count, 1);
    CHECK_INT(stream.stats.bad.lines[0], 2);
    CHECK_HAS(stream.stats.bad.reasons[0],
              "'LM (batch size 80)' x 4 does not fit on the reference k80");
}

static void test_names(void)
{
    struct scratch table = scratch_text(TABLE);
    struct scratch trace = scratch_text(ROW("A3C", "1", "1", "1", "-1", "0")
                                            ROW("LM (batch size 80)", "1", "1", "1", "-1", "0"));
    struct workload_options options;
    struct workload *workload;
    struct workload_job job;
    bool has_job;
    FILE *file;
    char *text;
    size_t size;

    workload_options_defaults(&options);
    options.file = trace.path;
    options.format = WORKLOAD_FORMAT_GAVEL;
    options.throughputs = table.path;
    options.reference = "v100";
    CU_ASSERT_EQUAL_FATAL(workload_open(&options, &workload, NULL), HS_OK);
    file = open_memstream(&text, &size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(workload_next(workload, &job, &has_job, NULL), HS_OK);
        CU_ASSERT_FATAL(has_job);
        workload_jobs_write_job(file, &job, workload_names(workload), -1, -1);
    }
    CU_ASSERT(fclose(file) == 0);
    CHECK_HAS(text, "gpu=1,,,,,A3C,1,\n");
    CHECK_HAS(text, "gpu=1,,,,,LM (batch size 80),1,\n");
    free(text);
    CHECK_INT(workload_names_count(workload_names(workload), WORKLOAD_CLASS), 2);
    CU_ASSERT_STRING_EQUAL(workload_names_text(workload_names(workload), WORKLOAD_CLASS, 0), "A3C");
    workload_close(workload);
    scratch_remove(&table);
    scratch_remove(&trace);
}

static void test_bad_rows(void)
{
    static const struct {
        const char *row;
        const char *reason;
    } cases[] = {
        {ROW("LM (batch size 8)", "64", "1", "1", "-1", "0"),
         "no throughput of 'LM (batch size 8)' x 1 (but of 'LM (batch size 80)')"},
        {ROW("LM (batch size 80)", "64", "2", "1", "-1", "0"),
         "no throughput of 'LM (batch size 80)' x 2"},
        {ROW("", "64", "1", "1", "-1", "0"), "job_type is ''; a name is due"},
        {ROW("A3C", "0", "1", "1", "-1", "0"), "total_steps is '0'; a whole number from 1"},
        {ROW("A3C", "1.5", "1", "1", "-1", "0"), "total_steps is '1.5'"},
        {ROW("A3C", "1000000000000001", "1", "1", "-1", "0"), "total_steps is '1000000000000001'"},
        {ROW("A3C", "1000000000000000", "1", "1", "-1", "0"),
         "the run time on v100 would be 1.429e+14 s; 3000000000 is the limit"},
        {ROW("A3C", "5", "0", "1", "-1", "0"), "scale_factor is '0'; the number of workers"},
        {ROW("A3C", "5", "100001", "1", "-1", "0"), "scale_factor is '100001'"},
        {ROW("A3C", "5", "1", "nan", "-1", "0"), "priority is 'nan'; a number is due"},
        {ROW("A3C", "5", "1", "1", "none", "0"), "SLO is 'none'; a number (below 0: none) is due"},
        {ROW("A3C", "5", "1", "1", "-1", "-3"), "arrival_time is '-3'; seconds from 0"},
        {ROW("A3C", "5", "1", "1", "-1", "7e9"), "arrival_time is '7e9'; seconds from 0"},
        {"A3C\tb\tc\td\te\t5\t1\t1\t-1\n", "9 fields; 10 are due"},
        {"A3C 5 1 1 -1 0\n", "1 field; 10 are due"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];

        (void)snprintf(text, sizeof text, "%s%s", cases[i].row,
                       ROW("A3C", "7", "1", "1", "-1", "0"));
        read_trace(TABLE, "v100", text, false);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 1);
        CHECK_INT(stream.stats.bad.count, 1);
        CHECK_INT(stream.stats.bad.lines[0], 1);
        CHECK_HAS(stream.stats.bad.reasons[0], cases[i].reason);
        read_trace(TABLE, "v100", text, true);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        CHECK_HAS(stream.error.text, ":1: ");
        CHECK_HAS(stream.error.text, cases[i].reason);
    }
}

static void test_bad_options(void)
{
    static const char trace[] = ROW("A3C", "7", "1", "1", "-1", "0");
    struct workload_options options;

    read_trace(TABLE, "v10", trace, false);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, "has no type of worker 'v10' (did you mean 'v100'?)");
    read_trace(TABLE, NULL, trace, false);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, "Give `reference`, for instance v100.");
    read_trace(TABLE "A3C,,1,7,3\n", "v100", trace, false);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, ":5: 'A3C' with scale factor 1 is there already, in line 4.");
    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_GAVEL;
    stream_text(&stream, trace, &options);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, "give a table of throughputs, too");
    options.format = WORKLOAD_FORMAT_SWF;
    options.reference = "v100";
    stream_text(&stream, "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n", &options);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, "Standard Workload Format has no steps. Leave them out.");
}

/* A machine without GPUs can serve none of the jobs, and says why. */
static void test_no_gpus(void)
{
    struct scratch scratch = scratch_text(TABLE);
    struct hs_cluster *cluster = hs_cluster_create();
    struct workload_options options;

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, "n0", 64000, HS_MEM_UNLIMITED, NULL));
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, NULL));
    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_GAVEL;
    options.throughputs = scratch.path;
    options.reference = "v100";
    options.cluster = cluster;
    options.machine_procs = 64;
    stream_text(&stream, ROW("A3C", "7", "1", "1", "-1", "0"), &options);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.jobs[0].is_oversized, true);
    CHECK_HAS(stream.stats.absent.reasons[0], "no node has a device of kind 'gpu'");
    hs_cluster_destroy(cluster);
    scratch_remove(&scratch);
}

static const struct unit_test tests[] = {
    {"jobs", test_jobs},
    {"references", test_reference},
    {"names of classes", test_names},
    {"bad rows", test_bad_rows},
    {"bad options", test_bad_options},
    {"no GPUs", test_no_gpus},
};

UNIT_MAIN("traces of Gavel", tests)
