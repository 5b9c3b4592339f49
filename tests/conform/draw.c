/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.c - cases are what the tests of plug-ins need: of many kinds, and always the same. */
#include <string.h>

#include "conform/case.h"
#include "unit.h"

#define CASES 400

/* The same seed draws the same case; fewer jobs are the first of them. */
static void test_same(void)
{
    static struct conform_case first, second, short_one;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        CU_ASSERT_EQUAL_FATAL(case_draw(&first, seed, 0, NULL), HS_OK);
        CU_ASSERT_EQUAL_FATAL(case_draw(&second, seed, 0, NULL), HS_OK);
        CU_ASSERT_EQUAL_FATAL(case_draw(&short_one, seed, 3, NULL), HS_OK);
        CU_ASSERT_EQUAL(first.job_count, second.job_count);
        CU_ASSERT_EQUAL(first.change_count, second.change_count);
        CU_ASSERT_EQUAL(hs_cluster_cores_milli(first.cluster),
                        hs_cluster_cores_milli(second.cluster));
        CU_ASSERT_EQUAL(short_one.job_count, first.job_count < 3 ? first.job_count : 3);
        for (uint32_t i = 0; i < first.job_count; i++) {
            const struct case_job *job = &first.jobs[i];

            CU_ASSERT_EQUAL(job->submit_ns, second.jobs[i].submit_ns);
            CU_ASSERT_EQUAL(job->run_ns, second.jobs[i].run_ns);
            CU_ASSERT_EQUAL(job->demand.tasks, second.jobs[i].demand.tasks);
            CU_ASSERT_TRUE(i >= short_one.job_count ||
                           short_one.jobs[i].request_ns == job->request_ns);
        }
        case_fini(&first);
        case_fini(&second);
        case_fini(&short_one);
    }
}

/* Every kind of trouble is in some of the cases, and not in all. */
static void test_variety(void)
{
    enum { DEVICES, CHANGES, FAILS, DELAYS, SPEEDS, CANCELS, ENDLESS, OVERRUNS, SHARES, MOULDS };
    static const char *const names[] = {"devices", "nodes that leave", "failing starts", "delays",
                                        "speeds",  "cancellations",    "endless",        "overruns",
                                        "shares",  "alternatives"};
    static struct conform_case model;
    int counts[MOULDS + 1] = {0};

    for (uint64_t seed = 1; seed <= CASES; seed++) {
        bool has[MOULDS + 1] = {false};

        CU_ASSERT_EQUAL_FATAL(case_draw(&model, seed, 0, NULL), HS_OK);
        has[DEVICES] = hs_cluster_device_count(model.cluster) > 0;
        has[CHANGES] = model.change_count > 0;
        has[FAILS] = model.fail_percent > 0;
        has[DELAYS] = model.delay_ns > 0;
        has[SPEEDS] = model.class_count > 1;
        for (uint32_t i = 0; i < model.job_count; i++) {
            const struct case_job *job = &model.jobs[i];

            has[CANCELS] |= job->cancel_ns != HS_TIME_NEVER;
            has[ENDLESS] |= job->request_ns == HS_TIME_NEVER;
            has[OVERRUNS] |= job->run_ns > job->request_ns;
            has[SHARES] |= job->demand.device_share % HS_SHARES_PER_UNIT != 0;
            has[MOULDS] |= job->demand.alternative_count > 0;
            CU_ASSERT_TRUE(i == 0 || job->submit_ns >= model.jobs[i - 1].submit_ns);
        }
        for (int k = 0; k <= MOULDS; k++) {
            counts[k] += has[k];
        }
        case_fini(&model);
    }
    for (int k = 0; k <= MOULDS; k++) {
        if (counts[k] < CASES / 40 || counts[k] > CASES * 9 / 10) {
            (void)fprintf(stderr, "%s: in %d of %d cases\n", names[k], counts[k], CASES);
            CU_FAIL("a kind of trouble is too rare or too common");
        }
    }
}

/* Nodes that have left are back at the end. */
static void test_changes(void)
{
    static struct conform_case model;

    for (uint64_t seed = 1; seed <= CASES; seed++) {
        bool is_away[CASE_NODES_MAX] = {false};

        CU_ASSERT_EQUAL_FATAL(case_draw(&model, seed, 0, NULL), HS_OK);
        for (uint32_t i = 0; i < model.change_count; i++) {
            const struct case_change *change = &model.changes[i];

            CU_ASSERT_TRUE(i == 0 || change->time_ns >= model.changes[i - 1].time_ns);
            CU_ASSERT_EQUAL(change->is_available, is_away[change->node]);
            is_away[change->node] = !change->is_available;
        }
        for (uint32_t node = 0; node < CASE_NODES_MAX; node++) {
            CU_ASSERT_FALSE(is_away[node]);
        }
        case_fini(&model);
    }
}

static const struct unit_test tests[] = {
    {"a case follows from its seed", test_same},
    {"there is trouble of all kinds", test_variety},
    {"nodes come back", test_changes},
};

UNIT_MAIN("cases", tests)
