/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.c - jobs as CSV: columns in any order, demands as text and as columns, bad rows, names that
 * the platform lacks; and jobs that are written and read again. */
#include "support.h"
#include "workload/names.h"

static struct workload_options options;
static struct stream stream;
static struct hs_error error;

static void read_text(const char *text)
{
    options.format = WORKLOAD_FORMAT_JOBS;
    stream_text(&stream, text, &options);
}

static void test_columns(void)
{
    workload_options_defaults(&options);
    read_text("queue,demand,submit,run,id,priority,walltime,user,class,wait,status\n"
              "7,\"4x cores=8, gpu=1\",0,1,1,,,,,,\n"
              " 7 , 4x cores=8 mem=1GiB gpu=1 , 1.25 , 10.5 , 41 , -2.5 , 60 , anna, b ,3,1\r\n"
              "8,2x,2,20,42,,,bob,a,,\n"
              "9,2x,2.000000001,20,,,,anna,b,,\n");
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.stats.bad.count, 1); /* "8," is no number of cores */
    CHECK_INT(stream.stats.bad.lines[0], 2);
    CHECK_INT(stream.jobs[0].trace_id, 41);
    CHECK_INT(stream.jobs[0].submit_ns, 1250000000);
    CHECK_INT(stream.jobs[0].run_ns, 10500000000);
    CHECK_INT(stream.jobs[0].walltime_ns, 60 * S);
    CHECK_INT(stream.jobs[0].trace_wait_ns, 3 * S);
    CHECK_INT(stream.jobs[0].trace_status, 1);
    CHECK_INT(stream.jobs[0].queue, 7);
    CHECK_INT(stream.jobs[0].user, 0);
    CHECK_INT(stream.jobs[0].job_class, 0);
    CHECK_NEAR(stream.jobs[0].priority, -2.5, 0);
    CHECK_INT(stream.jobs[0].demand.tasks, 4);
    CHECK_INT(stream.jobs[0].demand.device_count, 1);
    CHECK_INT(stream.jobs[1].user, 1);
    CHECK_INT(stream.jobs[1].job_class, 1);
    CHECK_INT(stream.jobs[1].group, -1);
    CHECK_INT(stream.jobs[1].walltime_ns, 20 * S);
    CHECK_INT(stream.jobs[2].user, 0);
    CHECK_INT(stream.jobs[2].trace_id, 43);
    CHECK_INT(stream.jobs[2].submit_ns, 2000000001);
    CU_ASSERT_STRING_EQUAL(stream.stats.unused_columns, "");
}

static void test_words(void)
{
    workload_options_defaults(&options);
    read_text("submit,runtime,tasks,cores,memory,gpus,model,exclusive,note,colour\n"
              "0,1,4,8.0,2GiB,2,a100,true,x,y\n"
              "1,1,1.0,0.5,,0,a100,False,x,y\n"
              "2,1,,,,0.25,,,x,y\n"
              "3,1,,,,1,t4|a100,0,x,y\n"
              "4,1,0,,,,,,x,y\n"
              "5,1,x,,,,,,x,y\n");
    CHECK_INT(stream.count, 4);
    CU_ASSERT_STRING_EQUAL(stream.stats.unused_columns, "note, colour");
    CHECK_INT(stream.jobs[0].demand.tasks, 4);
    CHECK_INT(stream.jobs[0].demand.cores_milli, 8000);
    CHECK_INT(stream.jobs[0].demand.mem_bytes, INT64_C(2) << 30);
    CHECK_INT(stream.jobs[0].demand.device_count, 2);
    CHECK_INT(stream.jobs[0].demand.model_count, 1);
    CHECK_INT(stream.jobs[0].demand.flags, HS_DEMAND_EXCLUSIVE);
    CHECK_INT(stream.jobs[1].demand.cores_milli, 500);
    CHECK_INT(stream.jobs[1].demand.device_count, 0);
    CHECK_INT(stream.jobs[2].demand.device_share, 250);
    CHECK_INT(stream.jobs[2].demand.cores_milli, 1000);
    CHECK_INT(stream.jobs[3].demand.model_count, 2);
    CHECK_INT(stream.stats.bad.count, 2);
    CU_ASSERT_STRING_EQUAL(stream.stats.bad.reasons[1],
                           "demand, column 1: 'tasks=x'; a whole number from 1 to 2147483647 is "
                           "due");
}

static void check_refused(const char *text, const char *part)
{
    read_text(text);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    check_has(stream.error.text, part, __LINE__);
}

static void test_bad_files(void)
{
    workload_options_defaults(&options);
    check_refused("id,run,demand\n1,2,3x\n", "no column 'submit'");
    check_refused("submit,demand\n1,3x\n", "neither a column 'run' nor 'runtime'");
    check_refused("submit,run\n1,3\n", "no column that says what a job asks for");
    check_refused("submit,run,demand,gpu\n1,3,2x,1\n", "columns for its words too");
    check_refused("submit,run,run,demand\n1,3,2,2x\n", "the column 'run' twice");
    check_refused("submit,run,demand\n", "holds no job");
    check_refused("submit,run,demand\n-1,1,2x\n1e30,1,2x\n,1,2x\n1,x,2x\n1,1\n1,1,\n",
                  ":2: submit is '-1'; seconds from 0");
    CHECK_INT(stream.stats.bad.count, 6);
    CHECK_HAS(stream.stats.bad.reasons[3], "run is 'x'");
    CHECK_HAS(stream.stats.bad.reasons[4], "2 fields; the header names 3");
    CHECK_HAS(stream.stats.bad.reasons[5], "a demand is due");
}

static void test_labels(void)
{
    workload_options_defaults(&options);
    read_text("submit,run,demand,user,queue,priority,status\n"
              "1,1,2x,5,a,1,1\n"
              "1,1,2x,anna,b,1,1\n" /* numbers before, a name here */
              "1,1,2x,6.0,7,1,1\n"  /* names before, a number here: a name as well */
              "1,1,2x,-3,b,1,1\n"
              "1,1,2x,,,nan,1\n"
              "1,1,2x,,,,100\n"
              "1,1,2x,,,,\n");
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.stats.bad.count, 4);
    CHECK_INT(stream.jobs[0].user, 5);
    CHECK_INT(stream.jobs[1].user, 6);
    CHECK_INT(stream.jobs[1].queue, 1);
    CHECK_INT(stream.jobs[2].user, -1);
    CHECK_INT(stream.jobs[2].trace_status, -1);
    options.is_strict = true;
    check_refused("submit,run,demand\n1,1,2x coers=3\n",
                  ":2: demand, column 4: 'coers' is no word of a demand (did you mean 'cores'?)");
}

static void test_absent(void)
{
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, "n0", 8000, HS_MEM_UNLIMITED, &error));
    CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", "a100", 0, 0, &error));
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, &error));
    workload_options_defaults(&options);
    options.cluster = cluster;
    options.machine_procs = 8;
    read_text("submit,run,demand\n0,1,gpu:a10=1\n1,1,gpu:a100=1\n2,1,fpga=1 or 2x\n"
              "3,1,9x or 4x cores=2\n4,1,9x\n5,1,3x cores=3 or 9x\n");
    CHECK_INT(stream.count, 6);
    CHECK_INT(stream.stats.absent.count, 1);
    CU_ASSERT_STRING_EQUAL(stream.stats.absent.reasons[0],
                           "no node has a device of model 'a10' (did you mean 'a100'?)");
    CHECK_INT(stream.jobs[0].is_oversized, true);
    CHECK_INT(stream.jobs[1].is_oversized, false);
    CHECK_INT(stream.jobs[2].demand.tasks, 2);
    CHECK_INT(stream.jobs[3].is_oversized, false);
    CHECK_INT(stream.jobs[4].is_oversized, true);
    CHECK_INT(stream.jobs[5].is_oversized, true);
    CHECK_INT(stream.stats.oversized.count, 2);
    CU_ASSERT_STRING_EQUAL(stream.stats.oversized.reasons[1],
                           "9 processors, the machine has 8: rejected");
    options.oversized = WORKLOAD_OVERSIZED_CLAMP;
    read_text("submit,run,demand\n0,1,3x cores=3\n1,1,cores=9\n");
    CHECK_INT(stream.jobs[0].demand.tasks, 2);
    CHECK_INT(stream.jobs[0].is_oversized, false);
    CHECK_INT(stream.jobs[1].is_oversized, true);
    hs_cluster_destroy(cluster);
}

/* Sizes and work count cores, not tasks. */
static void test_extent(void)
{
    struct workload_extent extent;
    struct scratch scratch = scratch_text("submit,run,demand\n0,10,2x cores=4\n10,10,cores=0.5\n");

    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_JOBS;
    options.file = scratch.path;
    options.machine_procs = 17;
    CHECK_INT(workload_scan(&options, &extent, &error), HS_OK);
    CHECK_INT(extent.max_procs, 8);
    CHECK_INT(extent.area, 85 * S);
    CHECK_NEAR(extent.offered_load, 0.5, 1e-12);
    options.filter.min_procs = 8;
    stream_read(&stream, &options);
    CHECK_INT(stream.count, 1);
    scratch_remove(&scratch);
}

/* Writes all jobs of the stream; the caller frees. */
static char *write_all(const char *text)
{
    struct scratch scratch = scratch_text(text);
    struct workload *workload;
    struct workload_job job;
    bool has_job = true;
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);

    options.file = scratch.path;
    CU_ASSERT_FATAL(!workload_open(&options, &workload, &error));
    workload_jobs_write_header(file);
    while (!workload_next(workload, &job, &has_job, &error) && has_job) {
        workload_jobs_write_job(file, &job, workload_names(workload), job.trace_wait_ns,
                                job.trace_status);
    }
    workload_close(workload);
    CU_ASSERT(fclose(file) == 0);
    scratch_remove(&scratch);
    return out;
}

static void test_round_trip(void)
{
    static const char text[] =
        "id,submit,wait,run,walltime,demand,user,group,queue,partition,class,priority,status\n"
        "3,0,,1.5,2,\"4x cores=8.5 mem=3GB gpu:a100|h100=2*0.25 features=a,b\",1,2,3,4,5,0.1,1\n"
        "1,2.000000001,5,1,2,cores=1 or 2x cores=0.5 npu=1 same-island,,,,,,,\n";
    char *once, *twice;

    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_JOBS;
    once = write_all(text);
    CU_ASSERT_STRING_EQUAL(once, text);
    twice = write_all(once);
    CU_ASSERT_STRING_EQUAL(twice, text);
    free(once);
    free(twice);
}

static const struct unit_test tests[] = {
    {"columns", test_columns},       {"demands as columns", test_words},
    {"bad files", test_bad_files},   {"numbers and names", test_labels},
    {"absent devices", test_absent}, {"sizes count cores", test_extent},
    {"round trip", test_round_trip},
};

UNIT_MAIN("workload jobs", tests)
