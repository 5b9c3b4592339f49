/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.c - histograms, sets and the summary of a trace. */
#include "workload/summary.h"

#include "support.h"

static void test_histogram(void)
{
    struct summary_histogram *histogram = calloc(1, sizeof *histogram);

    CU_ASSERT_PTR_NOT_NULL_FATAL(histogram);
    CHECK_INT(summary_histogram_quantile(histogram, 0.5), -1);
    for (int64_t value = 1; value <= 100; value++) {
        summary_histogram_add(histogram, value);
    }
    CHECK_INT(summary_histogram_quantile(histogram, 0), 1);
    CHECK_INT(summary_histogram_quantile(histogram, 0.25), 25);
    CHECK_INT(summary_histogram_quantile(histogram, 0.5), 50);
    CHECK_INT(summary_histogram_quantile(histogram, 1), 100);
    CHECK_INT(histogram->sum, 5050);
    memset(histogram, 0, sizeof *histogram);
    /* Every value alone: at most 0.1 % too small, never too large. */
    for (int64_t value = 1; value > 0 && value < INT64_MAX / 3; value += value / 7 + 1) {
        int64_t quantile;

        memset(histogram, 0, sizeof *histogram);
        summary_histogram_add(histogram, value);
        summary_histogram_add(histogram, 0);
        quantile = summary_histogram_quantile(histogram, 1);
        CU_ASSERT(quantile <= value && value - quantile <= value / 1000);
    }
    memset(histogram, 0, sizeof *histogram);
    summary_histogram_add(histogram, INT64_MAX);
    summary_histogram_add(histogram, 0);
    CU_ASSERT(summary_histogram_quantile(histogram, 1) > INT64_MAX - INT64_MAX / 1000);
    CHECK_INT(histogram->maximum, INT64_MAX);
    free(histogram);
}

static void test_set(void)
{
    struct summary_set set = {0};
    struct summary_set_slot *sorted;

    for (int64_t i = 0; i < 5000; i++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(summary_set_add(&set, (i * 7919) % 1000 - 500, i));
    }
    CHECK_INT(set.count, 1000);
    CU_ASSERT_FATAL(summary_set_sorted(&set, &sorted));
    for (int64_t i = 0; i < 1000; i++) {
        CHECK_INT(sorted[i].number, i - 500);
        CHECK_INT(sorted[i].count, 5);
    }
    CHECK_INT(sorted[500].line, 500); /* 500 x 7919 ends with 500 */
    free(sorted);
    summary_set_fini(&set);
}

static void test_summary(void)
{
    struct scratch scratch = scratch_text("; MaxProcs: 10\n"
                                          "1 0 -1 10 1 -1 -1 1 60 -1 1 7 1 1 1 1 -1 -1\n"
                                          "2 10 -1 20 2 -1 -1 2 60 -1 0 7 2 2 2 2 -1 -1\n"
                                          "bad row\n"
                                          "2 20 -1 30 6 -1 -1 6 -1 -1 1 8 3 3 -1 3 -1 -1\n"
                                          "4 50 5 -1 -1 -1 -1 8 60 -1 5 -1 4 4 4 4 -1 -1\n");
    struct workload_options options;
    struct workload_summary *summary;
    struct hs_error error = {0};

    workload_options_defaults(&options);
    options.file = scratch.path;
    options.machine_procs = 10;
    CU_ASSERT_FATAL(workload_summary_create(&options, true, &summary, &error) == HS_OK);
    CHECK_INT(summary->extent.jobs, 4);
    CHECK_INT(summary->extent.area, (10 + 40 + 180) * S);
    CHECK_NEAR(summary->extent.offered_load, 230.0 / 500, 1e-15);
    CHECK_INT(summary->stats.bad.count, 1);
    CHECK_INT(summary->stats.cancelled.count, 1);
    CHECK_INT(summary->missing[SWF_WALLTIME], 1);
    CHECK_INT(summary->missing[SWF_USER], 1);
    CHECK_INT(summary->missing[SWF_THINK], 4);
    CHECK_INT(summary->missing[SWF_ID], 0);
    CHECK_INT(summary->status[0], 0);
    CHECK_INT(summary->status[1], 1);
    CHECK_INT(summary->status[2], 2);
    CHECK_INT(summary->status[6], 1);
    CHECK_INT(summary->serial_jobs, 1);
    CHECK_INT(summary->power2_jobs, 2);
    CHECK_INT(summary->users.count, 2);
    CHECK_INT(summary->queues.count, 3);
    CHECK_INT(summary->run_s.count, 3);
    CHECK_INT(summary->gap_s.sum, 50);
    CHECK_INT(summary->duplicate_ids.count, 1);
    CHECK_INT(summary->duplicate_ids.lines[0], 5);
    CU_ASSERT_STRING_EQUAL(summary->duplicate_ids.reasons[0],
                           "job number 2 was used in line 3 already");
    CU_ASSERT_STRING_EQUAL(summary->header, "; MaxProcs: 10\n");
    CU_ASSERT_FALSE(summary->is_broken);
    workload_summary_destroy(summary);
    scratch_remove(&scratch);
}

static void test_broken(void)
{
    struct scratch scratch = scratch_text("1 50 -1 10 1 -1 -1 1 60 -1 1 7 1 1 1 1 -1 -1\n"
                                          "2 60 -1 10 1 -1 -1 1 60 -1 1 7 1 1 1 1 -1 -1\n"
                                          "3 20 -1 20 2 -1 -1 2 60 -1 0 7 2 2 2 2 -1 -1\n");
    struct workload_options options;
    struct workload_summary *summary;
    struct hs_error error = {0};

    workload_options_defaults(&options);
    options.file = scratch.path;
    options.sort_window = 1;
    CHECK_INT(workload_summary_create(&options, true, &summary, &error), HS_ERR_INPUT);
    CHECK_HAS(error.text, ":3: job 3");
    options.is_survey = true;
    CU_ASSERT_FATAL(workload_summary_create(&options, true, &summary, &error) == HS_OK);
    CU_ASSERT_FALSE(summary->is_broken);
    CHECK_INT(summary->stats.late.count, 1);
    workload_summary_destroy(summary);
    scratch_remove(&scratch);
    CU_ASSERT_FATAL(workload_summary_create(&options, true, &summary, &error) == HS_OK);
    CU_ASSERT_TRUE(summary->is_broken);
    CHECK_HAS(summary->broken.text, "cannot be opened");
    workload_summary_destroy(summary);
}

static const struct unit_test tests[] = {
    {"histogram", test_histogram},
    {"set", test_set},
    {"summary", test_summary},
    {"broken", test_broken},
};

UNIT_MAIN("workload summary", tests)
