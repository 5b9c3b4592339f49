/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transforms.c - filter, window, shift, load, estimate, head, shake. */
#include "support.h"

/* Jobs 1 to 5: submit 100 110 130 160 200 s, run 10 20 30 40 50 s, procs 1 2 4 8 16, user = queue =
 * partition = number; the request is 60 s. Job 6 is cancelled at 230 s. */
static const char trace[] = "; UnixStartTime: 0\n"
                            "1 100 -1 10 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n"
                            "2 110 -1 20 2 -1 -1 2 60 -1 1 2 2 2 2 2 -1 -1\n"
                            "3 130 -1 30 4 -1 -1 4 60 -1 1 3 3 3 3 3 -1 -1\n"
                            "4 160 -1 40 8 -1 -1 8 60 -1 1 4 4 4 4 4 -1 -1\n"
                            "5 200 -1 50 16 -1 -1 16 60 -1 1 5 5 5 5 5 -1 -1\n"
                            "6 200 30 -1 -1 -1 -1 32 60 -1 5 6 6 6 6 6 -1 -1\n";

static struct stream stream;
static struct workload_options options;

/* The trace ids, as one decimal number, of what passes. */
static long long ids(void)
{
    long long number = 0;

    stream_text(&stream, trace, &options);
    for (size_t i = 0; i < stream.count; i++) {
        number = number * 10 + stream.jobs[i].trace_id;
    }
    return number;
}

static void test_filter(void)
{
    static const int32_t numbers[] = {5, 2};

    workload_options_defaults(&options);
    CHECK_INT(ids(), 123456);
    options.filter.min_procs = 2;
    options.filter.max_procs = 8;
    CHECK_INT(ids(), 234);
    CHECK_INT(stream.stats.left_out, 3);
    CHECK_INT(stream.stats.jobs, 3);
    CHECK_INT(stream.jobs[2].id, 2);
    workload_options_defaults(&options);
    options.filter.min_run_ns = 20 * S;
    options.filter.max_run_ns = 40 * S;
    CHECK_INT(ids(), 2346); /* the run time of 6 is unknown */
    for (int i = 0; i < 3; i++) {
        workload_options_defaults(&options);
        options.filter.users = i == 0 ? numbers : NULL;
        options.filter.queues = i == 1 ? numbers : NULL;
        options.filter.partitions = i == 2 ? numbers : NULL;
        options.filter.user_count = options.filter.queue_count = options.filter.partition_count = 2;
        CHECK_INT(ids(), 25);
    }
    options.filter.partition_count = 0; /* an empty list is none */
    CHECK_INT(ids(), 123456);
    options.filter.partition_count = 2;
    options.filter.max_procs = 1;
    CHECK_INT(ids(), 0);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, "none of the 6 records lies within the filter and the window");
}

static void test_window_and_head(void)
{
    workload_options_defaults(&options);
    options.window_from_ns = 110 * S;
    options.window_to_ns = 160 * S;
    CHECK_INT(ids(), 23);
    options.window_to_ns = 0;
    options.head = 3;
    CHECK_INT(ids(), 234);
    options.head = 100;
    CHECK_INT(ids(), 23456);
    options.window_to_ns = 100 * S;
    CHECK_INT(ids(), 0);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
}

static void test_shift(void)
{
    workload_options_defaults(&options);
    options.shift_ns = -100 * S;
    ids();
    CHECK_INT(stream.jobs[0].submit_ns, 0);
    CHECK_INT(stream.jobs[0].trace_submit_ns, 100 * S);
    CHECK_INT(stream.jobs[5].submit_ns, 100 * S);
    CHECK_INT(stream.jobs[5].cancel_ns, 130 * S);
    options.shift_ns = -101 * S;
    ids();
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, ":2: job 1, submitted at 100 s, would be moved to -1 s");
    options.shift_ns = INT64_MAX;
    ids();
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    options.shift_ns = 0;
    options.shift_to_zero = true;
    options.window_from_ns = 130 * S;
    ids();
    CHECK_INT(stream.jobs[0].submit_ns, 0);
    CHECK_INT(stream.jobs[1].submit_ns, 30 * S);
    CHECK_INT(stream.jobs[3].cancel_ns, 100 * S);
}

static void test_load(void)
{
    struct workload_extent extent;
    struct scratch scratch = scratch_text(trace);

    /* Area 10 + 40 + 120 + 320 + 800 = 1290 processor seconds; span 100 s; 43 processors. */
    workload_options_defaults(&options);
    options.file = scratch.path;
    options.machine_procs = 43;
    CHECK_INT(workload_scan(&options, &extent, NULL), HS_OK);
    CHECK_INT(extent.jobs, 6);
    CHECK_INT(extent.area, 1290 * S);
    CHECK_INT(extent.first_submit_ns, 100 * S);
    CHECK_INT(extent.last_submit_ns, 200 * S);
    CHECK_INT(extent.max_procs, 32);
    CU_ASSERT_TRUE(extent.is_whole_second);
    CHECK_NEAR(extent.offered_load, 0.3, 1e-15);
    options.load = 0.1; /* a span of 300 s */
    ids();
    CHECK_NEAR(stream.stats.load_before, 0.3, 1e-15);
    CHECK_NEAR(stream.stats.load_after, 0.1, 1e-15);
    CHECK_INT(stream.jobs[0].submit_ns, 100 * S);
    CHECK_INT(stream.jobs[1].submit_ns, 130 * S);
    CHECK_INT(stream.jobs[2].submit_ns, 190 * S);
    CHECK_INT(stream.jobs[4].submit_ns, 400 * S);
    CHECK_INT(stream.jobs[5].cancel_ns, 430 * S);
    CHECK_INT(stream.jobs[2].trace_submit_ns, 130 * S);
    options.load = 0.7; /* 42.857142857 s: whole seconds stay whole, 100 + 30 x 3 / 7 = 112.86 */
    ids();
    CHECK_INT(stream.jobs[2].submit_ns, 113 * S);
    CHECK_INT(stream.jobs[4].submit_ns, 143 * S);
    CHECK_NEAR(stream.stats.load_after, 30.0 / 43, 1e-15);
    options.machine_procs = 8; /* job 5 is too large: 490 / (8 x 100) */
    options.load = 0.6125;
    ids();
    CHECK_NEAR(stream.stats.load_before, 0.6125, 1e-15);
    CHECK_INT(stream.jobs[3].submit_ns, 160 * S);
    CHECK_INT(stream.stats.oversized.count, 2);
    options.machine_procs = 0;
    ids();
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    options.machine_procs = 8;
    options.load = NAN;
    ids();
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    options.load = 1e-6;
    options.head = 1;
    ids();
    CHECK_INT(stream.err, HS_OK); /* head counts after load */
    scratch_remove(&scratch);
}

static void test_load_fractions(void)
{
    /* One submit with a fraction: times stay exact to the ns. */
    workload_options_defaults(&options);
    options.machine_procs = 1;
    options.load = 0.75;
    stream_text(&stream,
                "1 0 -1 1 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n"
                "2 0.1 -1 1 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n"
                "3 1 -1 1 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n",
                &options);
    CHECK_INT(stream.jobs[1].submit_ns, 400000000); /* span 3 / 0.75 = 4 s */
    CHECK_INT(stream.jobs[2].submit_ns, 4 * S);
    stream_text(&stream, "1 5 -1 1 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n", &options);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    CHECK_HAS(stream.error.text, "no span");
}

static void test_estimate(void)
{
    workload_options_defaults(&options);
    ids();
    CHECK_INT(stream.jobs[0].walltime_ns, 60 * S);
    CU_ASSERT_FALSE(stream.stats.is_clairvoyant);
    options.estimate = WORKLOAD_ESTIMATE_EXACT;
    ids();
    CHECK_INT(stream.jobs[4].walltime_ns, 50 * S);
    CHECK_INT(stream.jobs[5].walltime_ns, 60 * S); /* unknown run time: the request stays */
    CU_ASSERT_TRUE(stream.stats.is_clairvoyant);
    options.estimate_round_ns = 15 * S;
    ids();
    CHECK_INT(stream.jobs[0].walltime_ns, 15 * S);
    CHECK_INT(stream.jobs[2].walltime_ns, 30 * S);
    CHECK_INT(stream.jobs[3].walltime_ns, 45 * S);
    options.estimate = WORKLOAD_ESTIMATE_FACTOR;
    options.estimate_factor = 1.25;
    options.estimate_round_ns = 0;
    ids();
    CHECK_INT(stream.jobs[0].walltime_ns, 12500000000);
    CHECK_INT(stream.jobs[0].run_ns, 10 * S);
    CU_ASSERT_FALSE(stream.stats.is_clairvoyant);
    options.estimate_factor = 0.5;
    ids();
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    options.estimate_factor = NAN;
    ids();
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    workload_options_defaults(&options);
    options.estimate_round_ns = 3600 * S;
    ids();
    CHECK_INT(stream.jobs[0].walltime_ns, 3600 * S);
}

/* 1,000 jobs, 10 s apart from 0, in a static buffer. */
static const char *even_trace(void)
{
    static char text[64 * 1000];
    size_t length = 0;

    for (int i = 0; i < 1000; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%d %d -1 5 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n", i + 1, i * 10);
    }
    return text;
}

static void test_shake(void)
{
    static struct stream again;
    const char *text = even_trace();
    int moved = 0, late = 0;
    double sum = 0;

    workload_options_defaults(&options);
    options.shake_ns = 60 * S;
    options.seed = 7;
    stream_text(&stream, text, &options);
    stream_text(&again, text, &options);
    CHECK_INT(stream.count, 1000);
    for (size_t i = 0; i < stream.count; i++) {
        const struct workload_job *job = &stream.jobs[i];
        hs_time move = job->submit_ns - job->trace_submit_ns;

        CHECK_INT(job->id, i);
        CU_ASSERT(move >= -60 * S && move <= 60 * S && job->submit_ns >= 0);
        CHECK_INT(move % S, 0); /* a bound in whole seconds gives whole seconds */
        CU_ASSERT(i == 0 || stream.jobs[i - 1].submit_ns <= job->submit_ns);
        CHECK_INT(again.jobs[i].trace_id, job->trace_id);
        CHECK_INT(again.jobs[i].submit_ns, job->submit_ns);
        moved += move != 0;
        late += i > 0 && stream.jobs[i - 1].trace_id > job->trace_id;
        sum += (double)move / (double)S;
    }
    CU_ASSERT(moved > 950);
    CU_ASSERT(late > 100);
    /* Uniform on -60..60: variance (121^2 - 1) / 12 = 1220; six standard errors of the mean. */
    CHECK_NEAR(sum / 1000, 0, 6 * sqrt(1220.0 / 1000));
    options.seed = 8;
    stream_text(&again, text, &options);
    moved = 0;
    for (size_t i = 0; i < again.count; i++) {
        moved += again.jobs[i].submit_ns != stream.jobs[i].submit_ns;
    }
    CU_ASSERT(moved > 500);
    options.shake_ns = 1500000000;
    options.head = 10;
    stream_text(&again, text, &options);
    CHECK_INT(again.count, 10);
    CU_ASSERT(again.jobs[5].submit_ns % S != 0);
}

static void test_all_together(void)
{
    /* Order of the transforms: users 2..5 -> from 110 -> to 0 -> load 0.5 on 16 -> exact -> 3. */
    static const int32_t users[] = {2, 3, 4, 5};

    workload_options_defaults(&options);
    options.filter.users = users;
    options.filter.user_count = 4;
    options.window_from_ns = 110 * S;
    options.shift_to_zero = true;
    options.machine_procs = 16;
    options.load = 0.5;
    options.estimate = WORKLOAD_ESTIMATE_EXACT;
    options.head = 3;
    CHECK_INT(ids(), 234);
    /* Area 40 + 120 + 320 + 800 = 1280; span 1280 / (16 x 0.5) = 160 s, was 90 s. */
    CHECK_INT(stream.jobs[0].submit_ns, 0);
    CHECK_INT(stream.jobs[1].submit_ns, 36 * S); /* 20 x 160 / 90 = 35.6 */
    CHECK_INT(stream.jobs[2].submit_ns, 89 * S); /* 50 x 160 / 90 = 88.9 */
    CHECK_INT(stream.jobs[2].walltime_ns, 40 * S);
    CHECK_INT(stream.jobs[2].trace_submit_ns, 160 * S);
}

static const struct unit_test tests[] = {
    {"filter", test_filter},
    {"window and head", test_window_and_head},
    {"shift", test_shift},
    {"load", test_load},
    {"load of fractions", test_load_fractions},
    {"estimate", test_estimate},
    {"shake", test_shake},
    {"all together", test_all_together},
};

UNIT_MAIN("workload transforms", tests)
