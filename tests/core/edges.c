/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edges.c - the ends of the ranges: times, demands, allocations that only a careless host or
 * policy would hand in. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/* Time ends where a wait would not fit 64 bits; until then orders that change with time agree. */
static void waits_that_do_not_fit(void)
{
    static const char *const orders[] = {"wfp3-easy", "unicep", "unicef-depth",
                                         "expansion-factor-conservative"};

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct hs_job_spec old = fixture_job(2, 0, 2, 10);
        struct hs_job_spec young = fixture_job(3, 0, 2, 10);
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &old};
        struct hs_event timer = {.kind = HS_EVENT_TIMER};
        struct fixture f;

        old.key.submit_ns = INT64_MIN;
        fixture_init(&f, 2, 1, HS_MEM_UNLIMITED, NULL, orders[i]);
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, 0, &event, &f.error), HS_ERR_STATE);
        CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "Job 2 has a submit time that is more than"));
        old.key.submit_ns = INT64_MIN + 1 + HS_NS_PER_S;
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, 0, &event, &f.error), HS_OK);
        event.spec = &young;
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, 0, &event, &f.error), HS_OK);
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, HS_NS_PER_S + 1, &timer, &f.error), HS_ERR_STATE);
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, HS_NS_PER_S, &timer, &f.error), HS_OK);
        CU_ASSERT_EQUAL(fixture_decide(&f, 1, true), HS_OK);
        CU_ASSERT_EQUAL_FATAL(f.decision_count, 1);
        CU_ASSERT_EQUAL(f.decisions[0].key.id, 2);
        fixture_fini(&f);
    }
}

/* A policy gives a job of very large tasks more of them than 64 bits can count cores of. */
static void more_cores_than_can_be_counted(void)
{
    const int64_t huge = INT64_C(1) << 60;
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_demand demand = {.tasks = 2, .cores_milli = huge / 2};
    struct hs_span span = {0, 1, UINT32_MAX};
    struct hs_alloc alloc = {.spans = &span, .span_count = 1};
    struct hs_free *state;
    char reason[160];

    CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, "n0", huge, HS_MEM_UNLIMITED, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    state = hs_free_create(cluster);
    CU_ASSERT_FALSE(hs_free_holds(state, &demand, &alloc, reason, sizeof reason));
    CU_ASSERT_STRING_EQUAL(reason, "node n0 has 1.15292e+15 free cores and 2.47588e+24 are wanted");
    span.tasks = 2;
    CU_ASSERT_TRUE(hs_free_holds(state, &demand, &alloc, reason, sizeof reason));
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

/* Room is there before it is needed: short memory must not look like a job that does not fit. */
static void room_for_any_placement(void)
{
    struct hs_demand one = {.tasks = 1, .cores_milli = 1000};
    struct hs_demand all = {.tasks = 4, .cores_milli = 1000};
    struct hs_alloc_buffer buffer = {0};
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_span *spans;
    struct hs_free *state;

    for (uint32_t i = 0; i < 8; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, name, 1000, HS_MEM_UNLIMITED, NULL),
                              HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    state = hs_free_create(cluster);
    CU_ASSERT_TRUE_FATAL(hs_alloc_buffer_reserve(&buffer, cluster, NULL));
    spans = buffer.spans;
    CU_ASSERT_EQUAL(buffer.span_room, 8);
    for (uint32_t i = 0; i < 8; i += 2) {
        struct hs_span span = {i, 1, 1};
        struct hs_alloc alloc = {.spans = &span, .span_count = 1};

        hs_free_take(state, &one, &alloc);
    }
    CU_ASSERT_TRUE(hs_free_place(state, &all, NULL, &buffer));
    CU_ASSERT_EQUAL(buffer.alloc.span_count, 4);
    CU_ASSERT_EQUAL(buffer.alloc.spans[3].first_node, 7);
    CU_ASSERT_PTR_EQUAL(buffer.spans, spans);
    hs_alloc_buffer_fini(&buffer);
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

struct keeper {
    const struct hs_job *kept;
};

/* Starts the first job that it has ever seen, again and again. */
static void keeper_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    struct keeper *self = state;

    self->kept = self->kept ? self->kept : hs_view_first(view);
    (void)hs_plan_start(plan, self->kept);
}

static const struct hs_policy keeper = {
    HS_POLICY_HEADER,
    .name = "keeper",
    .summary = "keeps a job for too long",
    .state_size = sizeof(struct keeper),
    .schedule = keeper_schedule,
};

/* A job that has ended, or was cancelled while it waited, is not started again. */
static void the_dead_stay_dead(void)
{
    const struct hs_policy *const policies[] = {&keeper, NULL};
    const struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof plugin, .policies = policies};
    struct hs_job_spec job = fixture_job(1, 0, 1, 10);
    struct fixture f;

    for (int i = 0; i < 2; i++) {
        fixture_init(&f, 1, 1, HS_MEM_UNLIMITED, &plugin, "keeper");
        CU_ASSERT_EQUAL(fixture_submit(&f, &job), HS_OK);
        CU_ASSERT_EQUAL(fixture_decide(&f, 0, i == 0), HS_OK);
        if (i == 1) {
            CU_ASSERT_EQUAL(fixture_event(&f, 0, HS_EVENT_START_FAILED, &job), HS_OK);
        }
        CU_ASSERT_EQUAL(fixture_event(&f, 5, i == 0 ? HS_EVENT_FINISHED : HS_EVENT_CANCELLED, &job),
                        HS_OK);
        CU_ASSERT_EQUAL(fixture_decide(&f, 5, true), HS_ERR_POLICY);
        CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "Policy 'keeper' at time 5 s: "));
        fixture_fini(&f);
    }
}

static const struct unit_test tests[] = {
    {"room for any placement", room_for_any_placement},
    {"the dead stay dead", the_dead_stay_dead},
    {"more cores than can be counted", more_cores_than_can_be_counted},
    {"waits that do not fit", waits_that_do_not_fit},
};

UNIT_MAIN("core: edges", tests)
