/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.c - the sorting queue against a plain sort, and the sort window of the reader. */
#include "workload/order.h"

#include "support.h"

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* The first by (submit, arrival) of those present, by looking at all. */
static size_t plain_first(const struct workload_job *jobs, const bool *is_present, size_t count)
{
    size_t best = count;

    for (size_t i = 0; i < count; i++) {
        if (is_present[i] && (best == count || jobs[i].submit_ns < jobs[best].submit_ns)) {
            best = i;
        }
    }
    return best;
}

static void test_queue(void)
{
    static struct workload_job jobs[2000];
    static bool is_present[2000];
    uint64_t state = 42;

    for (int round = 0; round < 8; round++) {
        struct workload_order order = {0};
        size_t pushed = 0, popped = 0;

        while (popped < 500) {
            bool is_push = pushed < 500 && (pushed == popped || random_next(&state) % 5 < 3);

            if (is_push) {
                struct workload_job *slot = workload_order_slot(&order);

                CU_ASSERT_PTR_NOT_NULL_FATAL(slot);
                jobs[pushed] = (struct workload_job){
                    .line = (int64_t)pushed,
                    .submit_ns = (hs_time)(pushed * (size_t)round / 2 + random_next(&state) % 20)};
                *slot = jobs[pushed];
                is_present[pushed++] = true;
                workload_order_push(&order);
            } else {
                struct workload_job job;
                size_t first = plain_first(jobs, is_present, pushed);

                CHECK_INT(workload_order_first(&order), jobs[first].submit_ns);
                workload_order_pop(&order, &job);
                CHECK_INT(job.line, first);
                is_present[first] = false;
                popped++;
            }
            CHECK_INT(workload_order_count(&order), pushed - popped);
        }
        workload_order_fini(&order);
    }
}

static struct stream stream;

static void submits_read(const int *submits, size_t count, int64_t window, bool is_survey)
{
    struct workload_options options;
    char text[8192];
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        length +=
            (size_t)snprintf(text + length, sizeof text - length,
                             "%zu %d -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n", i + 1, submits[i]);
    }
    workload_options_defaults(&options);
    options.sort_window = window;
    options.is_survey = is_survey;
    stream_text(&stream, text, &options);
}

static void test_window(void)
{
    static const int submits[] = {10, 30, 40, 20, 40, 50};

    /* 20 stands behind two later ones. */
    submits_read(submits, 6, 2, false);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 6);
    CHECK_INT(stream.stats.unsorted.count, 1);
    CHECK_INT(stream.stats.unsorted.lines[0], 4);
    for (size_t i = 1; i < stream.count; i++) {
        CU_ASSERT(stream.jobs[i - 1].submit_ns <= stream.jobs[i].submit_ns);
        CHECK_INT(stream.jobs[i].id, i);
    }
    CHECK_INT(stream.jobs[1].trace_id, 4);
    CHECK_INT(stream.jobs[3].trace_id, 3); /* equal times: order of the file */
    CHECK_INT(stream.jobs[4].trace_id, 5);
    submits_read(submits, 6, 1, false);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, ":4: job 4 was submitted at 20 s");
    CHECK_HAS(stream.error.text, "more than 1 records before it there is one submitted at 30 s");
    CHECK_HAS(stream.error.text, "sort -s -n -k 2,2");
    submits_read(submits, 6, 0, false);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    submits_read(submits, 3, 0, false);
    CHECK_INT(stream.err, HS_OK);
    submits_read(submits, 6, 1, true);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 5);
    CHECK_INT(stream.stats.late.count, 1);
    CHECK_INT(stream.stats.late.lines[0], 4);
}

static void test_bad_window(void)
{
    static const int submits[] = {10};

    submits_read(submits, 1, -1, false);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    submits_read(submits, 1, 10000001, false);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
}

static const struct unit_test tests[] = {
    {"queue", test_queue},
    {"window", test_window},
    {"window out of range", test_bad_window},
};

UNIT_MAIN("workload order", tests)
