/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.c - each rule of the replay with each of its options. */
#include "support.h"

static struct stream stream;
static struct workload_options options;

/* One record after the rules of `options`. */
static const struct workload_job *one(const char *row)
{
    stream_text(&stream, row, &options);
    return stream.count == 1 ? &stream.jobs[0] : NULL;
}

static void test_processors(void)
{
    static const struct {
        const char *used, *requested;
        int64_t procs[3]; /* requested, allocated, max; 0: dropped */
    } cases[] = {
        {"4", "8", {8, 4, 8}},   {"8", "4", {4, 8, 8}}, {"4", "-1", {4, 4, 4}},
        {"-1", "8", {8, 8, 8}},  {"0", "8", {8, 8, 8}}, {"4", "0", {4, 4, 4}},
        {"-1", "-1", {0, 0, 0}}, {"0", "0", {0, 0, 0}}, {"-5", "3", {3, 3, 3}},
    };

    workload_options_defaults(&options);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int rule = 0; rule < 3; rule++) {
            char row[128];
            const struct workload_job *job;

            snprintf(row, sizeof row, "1 0 -1 10 %s -1 -1 %s 20 -1 1 1 1 1 1 1 1 1\n",
                     cases[i].used, cases[i].requested);
            options.procs = (enum workload_procs)rule;
            job = one(row);
            CHECK_INT(job ? job->demand.tasks : 0, cases[i].procs[rule]);
            CHECK_INT(stream.stats.dropped.count, cases[i].procs[rule] == 0);
            if (!job) {
                CHECK_INT(stream.err, HS_ERR_INPUT);
                CHECK_HAS(stream.error.text, "none of the 1 records is a job that can run");
                CHECK_HAS(stream.error.text, "no processors (fields 5 and 8)");
            }
        }
    }
}

static void test_missing_request(void)
{
    static const char row[] = "1 0 -1 10 4 -1 -1 4 -1 -1 1 1 1 1 1 1 1 1\n";
    static const char zero[] = "1 0 -1 0 4 -1 -1 4 0 -1 1 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    CHECK_INT(one(row)->walltime_ns, 10 * S);
    CHECK_INT(stream.stats.missing.count, 1);
    CHECK_INT(stream.stats.missing.lines[0], 1);
    CU_ASSERT_TRUE(stream.stats.is_clairvoyant);
    CHECK_INT(one(zero)->walltime_ns, 1 * S);
    CHECK_INT(stream.jobs[0].run_ns, 0);
    options.missing = WORKLOAD_MISSING_WALLTIME;
    options.missing_walltime_ns = 7 * S;
    CHECK_INT(one(row)->walltime_ns, 7 * S);
    CHECK_INT(stream.jobs[0].run_ns, 7 * S);
    CU_ASSERT_TRUE(stream.jobs[0].is_cut);
    CHECK_INT(stream.stats.overrun.count, 1);
    CU_ASSERT_FALSE(stream.stats.is_clairvoyant);
    options.missing = WORKLOAD_MISSING_DROP;
    CU_ASSERT_PTR_NULL(one(row));
    CHECK_INT(stream.stats.dropped.count, 1);
    CHECK_INT(stream.stats.missing.count, 1);
    options.missing = WORKLOAD_MISSING_WALLTIME;
    options.missing_walltime_ns = 0;
    CU_ASSERT_PTR_NULL(one(row));
    CHECK_INT(stream.err, HS_ERR_CONFIG);
}

static void test_overrun(void)
{
    static const char row[] = "1 0 -1 30.5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    CHECK_INT(one(row)->run_ns, 20 * S);
    CHECK_INT(stream.jobs[0].walltime_ns, 20 * S);
    CU_ASSERT_TRUE(stream.jobs[0].is_cut);
    CHECK_INT(stream.stats.overrun.count, 1);
    CU_ASSERT_STRING_EQUAL(stream.stats.overrun.reasons[0],
                           "run time 30.5 s, request 20 s: killed at the request");
    CU_ASSERT_FALSE(stream.stats.is_clairvoyant);
    options.overrun = WORKLOAD_OVERRUN_RUN;
    CHECK_INT(one(row)->run_ns, 30500000000);
    CHECK_INT(stream.jobs[0].walltime_ns, 20 * S);
    CU_ASSERT_FALSE(stream.jobs[0].is_cut);
    options.overrun = WORKLOAD_OVERRUN_EXTEND;
    CHECK_INT(one(row)->run_ns, 30500000000);
    CHECK_INT(stream.jobs[0].walltime_ns, 30500000000);
    options.overrun = WORKLOAD_OVERRUN_KILL;
    CHECK_INT(one("1 0 -1 20 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n")->is_cut, false);
    CHECK_INT(stream.stats.overrun.count, 0);
}

static void test_zero(void)
{
    static const char row[] = "1 0 -1 0 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    CHECK_INT(one(row)->run_ns, 0);
    CHECK_INT(stream.stats.zero.count, 1);
    options.zero = WORKLOAD_ZERO_ONE_SECOND;
    CHECK_INT(one(row)->run_ns, 1 * S);
    options.zero = WORKLOAD_ZERO_DROP;
    CU_ASSERT_PTR_NULL(one(row));
    CHECK_INT(stream.stats.zero.count, 1);
    CHECK_INT(stream.stats.dropped.count, 1);
}

static void test_oversized(void)
{
    static const char row[] = "9 0 -1 5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    options.machine_procs = 4;
    CHECK_INT(one(row)->is_oversized, false);
    options.machine_procs = 3;
    CHECK_INT(one(row)->is_oversized, true);
    CHECK_INT(stream.jobs[0].demand.tasks, 4);
    CHECK_INT(stream.stats.oversized.count, 1);
    CHECK_INT(stream.stats.oversized.trace_ids[0], 9);
    CU_ASSERT_STRING_EQUAL(stream.stats.oversized.reasons[0],
                           "4 processors, the machine has 3: rejected");
    options.oversized = WORKLOAD_OVERSIZED_CLAMP;
    CHECK_INT(one(row)->is_oversized, false);
    CHECK_INT(stream.jobs[0].demand.tasks, 3);
    CHECK_INT(stream.stats.oversized.count, 1);
}

static void test_cancelled(void)
{
    static const char row[] = "1 100 50 -1 -1 -1 -1 4 20 -1 5 1 1 1 1 1 1 1\n";
    static const char zero[] = "1 100 50 0 0 -1 -1 4 -1 -1 5 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    CHECK_INT(one(row)->run_ns, HS_TIME_NEVER);
    CHECK_INT(stream.jobs[0].cancel_ns, 150 * S);
    CHECK_INT(stream.jobs[0].trace_start_ns, -1); /* never started */
    CHECK_INT(stream.jobs[0].walltime_ns, 20 * S);
    CHECK_INT(stream.jobs[0].is_cut, true);
    CHECK_INT(stream.jobs[0].limit_ns, 20 * S);
    CHECK_INT(stream.stats.cancelled.count, 1);
    options.estimate_round_ns = 900 * S; /* the estimate changes, the kill does not */
    CHECK_INT(one(row)->walltime_ns, 900 * S);
    CHECK_INT(stream.jobs[0].limit_ns, 20 * S);
    options.estimate_round_ns = 0;
    CHECK_INT(one(zero)->cancel_ns, 150 * S);
    CHECK_INT(stream.jobs[0].walltime_ns, HS_TIME_NEVER);
    CHECK_INT(stream.stats.zero.count, 0);
    options.missing = WORKLOAD_MISSING_WALLTIME;
    options.missing_walltime_ns = 7 * S;
    CHECK_INT(one(zero)->walltime_ns, 7 * S);
    workload_options_defaults(&options);
    options.overrun = WORKLOAD_OVERRUN_RUN;
    CHECK_INT(one(row)->is_cut, false);
    workload_options_defaults(&options);
    options.cancel = WORKLOAD_CANCEL_DROP;
    CU_ASSERT_PTR_NULL(one(row));
    CHECK_INT(stream.stats.dropped.count, 1);
    CU_ASSERT_PTR_NULL(one(zero));
    workload_options_defaults(&options);
    /* No wait time: nobody knows when it was cancelled. Another status: it just has no run time. */
    CU_ASSERT_PTR_NULL(one("1 100 -1 -1 -1 -1 -1 4 20 -1 5 1 1 1 1 1 1 1\n"));
    CU_ASSERT_PTR_NULL(one("1 100 50 -1 -1 -1 -1 4 20 -1 0 1 1 1 1 1 1 1\n"));
    CU_ASSERT_PTR_NULL(one("1 100 50 -1 -1 -1 -1 -1 20 -1 5 1 1 1 1 1 1 1\n"));
    /* Cancelled while running: an ordinary job. */
    CHECK_INT(one("1 100 50 9 4 -1 -1 4 20 -1 5 1 1 1 1 1 1 1\n")->run_ns, 9 * S);
    CHECK_INT(stream.jobs[0].cancel_ns, HS_TIME_NEVER);
    CHECK_INT(one("1 100 -1 0 4 -1 -1 4 20 -1 5 1 1 1 1 1 1 1\n")->run_ns, 0);
}

static void test_memory(void)
{
    static const char row[] = "1 0 -1 5 4 -1 100.5 4 20 2000 1 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    CHECK_INT(one(row)->demand.mem_bytes, 0);
    options.memory = WORKLOAD_MEMORY_REQUESTED;
    CHECK_INT(one(row)->demand.mem_bytes, 2000 * 1024);
    options.memory = WORKLOAD_MEMORY_USED;
    CHECK_INT(one(row)->demand.mem_bytes, 101 * 1024);
    CHECK_INT(one("1 0 -1 5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n")->demand.mem_bytes, 0);
}

static void test_priority(void)
{
    static const char row[] = "1 0 2.5 5 4 -1 -1 4 20 -1 1 1 1 1 33 1 1 -1\n";

    workload_options_defaults(&options);
    CHECK_NEAR(one(row)->priority, 0, 0);
    options.priority_field = 15;
    CHECK_NEAR(one(row)->priority, 33, 0);
    options.priority_field = 3;
    CHECK_NEAR(one(row)->priority, 2.5, 0);
    options.priority_field = 18;
    CHECK_NEAR(one(row)->priority, 0, 0);
    options.priority_field = 19;
    CU_ASSERT_PTR_NULL(one(row));
    CHECK_INT(stream.err, HS_ERR_CONFIG);
}

static void test_id_order(void)
{
    static const char text[] = "5 0 -1 5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n"
                               "6 0 -1 5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n"
                               "6 1 -1 5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n"
                               "2 2 -1 5 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 1\n";

    workload_options_defaults(&options);
    stream_text(&stream, text, &options);
    CHECK_INT(stream.count, 4);
    CHECK_INT(stream.stats.id_order.count, 2);
    CHECK_INT(stream.stats.id_order.lines[0], 3);
    CHECK_INT(stream.stats.id_order.lines[1], 4);
    CHECK_INT(stream.jobs[3].id, 3);
    CHECK_INT(stream.jobs[3].trace_id, 2);
}

static const struct unit_test tests[] = {
    {"processors", test_processors}, {"missing request", test_missing_request},
    {"overrun", test_overrun},       {"zero length", test_zero},
    {"oversized", test_oversized},   {"cancelled", test_cancelled},
    {"memory", test_memory},         {"priority", test_priority},
    {"order of ids", test_id_order},
};

UNIT_MAIN("workload rules", tests)
