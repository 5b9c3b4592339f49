/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sched.c - the state machine: events, decisions, wrong states, and policies that break rules. */
#include <math.h>
#include <string.h>

#include "fixture.h"

#define STARTS(fixture, expected)                                                                  \
    do {                                                                                           \
        char started_[256];                                                                        \
        CU_ASSERT_STRING_EQUAL(fixture_starts(fixture, started_, sizeof started_), expected);      \
    } while (0)
#define NODES(fixture, spec, expected)                                                             \
    do {                                                                                           \
        char nodes_[256];                                                                          \
        CU_ASSERT_STRING_EQUAL(fixture_nodes(fixture, spec, nodes_, sizeof nodes_), expected);     \
    } while (0)

/* Worked by hand: 4 processors. 1 takes 3 until 10; 2 wants 2; 3 wants 1 for 5 s. */
static void easy_by_hand(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 0, 3, 10);
    struct hs_job_spec job2 = fixture_job(2, 1, 2, 10);
    struct hs_job_spec job3 = fixture_job(3, 2, 1, 5);
    struct hs_job_spec job4 = fixture_job(4, 2, 1, 50);
    struct hs_job_spec job5 = fixture_job(5, 7, 1, 50);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, NULL, "easy");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, true), HS_OK);
    STARTS(&f, "1");
    NODES(&f, &job1, "0-2");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 1, true), HS_OK);
    STARTS(&f, "");
    /* Shadow 10, extra 2: job 3 ends in time and takes the last processor. */
    CU_ASSERT_EQUAL(fixture_submit(&f, &job3), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job4), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 2, true), HS_OK);
    STARTS(&f, "3");
    NODES(&f, &job3, "3");
    CU_ASSERT_EQUAL(fixture_event(&f, 7, HS_EVENT_FINISHED, &job3), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job5), HS_OK);
    /* Job 4 fits into the extra processors beyond the shadow; nothing is left for job 5. */
    CU_ASSERT_EQUAL(fixture_decide(&f, 7, true), HS_OK);
    STARTS(&f, "4");
    CU_ASSERT_EQUAL(fixture_event(&f, 10, HS_EVENT_FINISHED, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 10, true), HS_OK);
    STARTS(&f, "2 5");
    NODES(&f, &job2, "0-1");
    NODES(&f, &job5, "2");
    fixture_fini(&f);
}

static void counts_its_work(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 0, 4, 10);
    struct hs_job_spec job2 = fixture_job(2, 0, 3, 10);
    struct hs_sched_stats stats;

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, NULL, "fcfs");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_TRUE(hs_sched_wants_pass(f.sched));
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, false), HS_OK);
    stats = hs_sched_stats(f.sched);
    CU_ASSERT_EQUAL(stats.starting_jobs, 1);
    CU_ASSERT_EQUAL(stats.running_jobs, 0);
    CU_ASSERT_EQUAL(stats.alloc_milli, 0);
    CU_ASSERT_EQUAL(fixture_event(&f, 3, HS_EVENT_STARTED, &job1), HS_OK);
    stats = hs_sched_stats(f.sched);
    CU_ASSERT_EQUAL(stats.running_jobs, 1);
    CU_ASSERT_EQUAL(stats.alloc_milli, 4000);
    CU_ASSERT_EQUAL(stats.pending_jobs, 1);
    CU_ASSERT_EQUAL(stats.pending_procs, 3);
    CU_ASSERT_EQUAL(stats.examined, 2);
    CU_ASSERT_EQUAL(stats.passes, 1);
    CU_ASSERT_EQUAL(stats.decisions, 1);
    /* It was confirmed at 3: it is expected to end at 13. */
    CU_ASSERT_EQUAL(hs_sched_find(f.sched, job1.key)->expected_end_ns, 13 * HS_NS_PER_S);
    CU_ASSERT_FALSE(hs_sched_wants_pass(f.sched));
    fixture_fini(&f);
}

static void failed_start_goes_back(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 0, 2, 10);
    struct hs_job_spec job2 = fixture_job(2, 0, 2, 10);

    fixture_init(&f, 2, 1, HS_MEM_UNLIMITED, NULL, "sjf");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, false), HS_OK);
    STARTS(&f, "1");
    CU_ASSERT_EQUAL(fixture_event(&f, 1, HS_EVENT_START_FAILED, &job1), HS_OK);
    CU_ASSERT_EQUAL(hs_sched_find(f.sched, job1.key)->state, HS_JOB_PENDING);
    CU_ASSERT_EQUAL(fixture_decide(&f, 1, true), HS_OK);
    STARTS(&f, "1"); /* its old place before job 2 */
    fixture_fini(&f);
}

static void cancels_in_every_state(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 0, 2, 10);
    struct hs_job_spec job2 = fixture_job(2, 0, 2, 10);
    struct hs_job_spec job3 = fixture_job(3, 0, 2, 10);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, NULL, "conservative");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job3), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, false), HS_OK);
    STARTS(&f, "1 2");
    CU_ASSERT_EQUAL(fixture_event(&f, 0, HS_EVENT_STARTED, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_event(&f, 1, HS_EVENT_CANCELLED, &job2), HS_OK); /* starting */
    CU_ASSERT_EQUAL(fixture_event(&f, 1, HS_EVENT_CANCELLED, &job1), HS_OK); /* running */
    CU_ASSERT_EQUAL(fixture_event(&f, 1, HS_EVENT_CANCELLED, &job3), HS_OK); /* waiting */
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).alloc_milli, 0);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_jobs, 0);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).starting_jobs, 0);
    CU_ASSERT_PTR_NULL(hs_sched_find(f.sched, job3.key));
    CU_ASSERT_EQUAL(fixture_event(&f, 1, HS_EVENT_CANCELLED, &job3), HS_ERR_STATE);
    fixture_fini(&f);
}

static void refuses_events_that_cannot_be(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 5, 2, 10);
    struct hs_job_spec job2 = fixture_job(2, 4, 2, 10);
    struct hs_job_spec bad = fixture_job(3, 5, 0, 10);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, NULL, "fcfs");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_ERR_STATE); /* twice */
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_ERR_STATE); /* time runs back */
    CU_ASSERT_EQUAL(fixture_submit(&f, &bad), HS_ERR_STATE);  /* no tasks */
    bad = fixture_job(3, 5, 1, 10);
    bad.key.submit_ns = HS_TIME_NEVER;
    CU_ASSERT_EQUAL(fixture_submit(&f, &bad), HS_ERR_STATE); /* it happens at no time */
    CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "at no time"));
    CU_ASSERT_EQUAL(fixture_event(&f, 5, HS_EVENT_STARTED, &job1), HS_ERR_STATE);
    CU_ASSERT_EQUAL(fixture_event(&f, 5, HS_EVENT_FINISHED, &job1), HS_ERR_STATE);
    CU_ASSERT_EQUAL(fixture_event(&f, 5, HS_EVENT_FINISHED, &job2), HS_ERR_STATE);
    bad = fixture_job(3, 5, 1, 10);
    bad.demand.device_count = 1;
    bad.demand.device_share = 1001;
    CU_ASSERT_EQUAL(fixture_submit(&f, &bad), HS_ERR_STATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "devices of 1001 shares"));
    CU_ASSERT_EQUAL(fixture_decide(&f, 6, true), HS_ERR_STATE); /* not the last event's time */
    CU_ASSERT_EQUAL(fixture_decide(&f, 5, true), HS_OK);
    STARTS(&f, "1");
    fixture_fini(&f);
}

static void refuses_jobs_that_never_fit(void)
{
    struct fixture f;
    struct hs_job_spec wide = fixture_job(1, 0, 9, 10);
    struct hs_job_spec fat = fixture_job(2, 0, 1, 10);
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &wide};

    fat.demand.mem_bytes = 101;
    fixture_init(&f, 4, 2, 100, NULL, "fcfs");
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 0, &event, &f.error), HS_OK);
    CU_ASSERT_PTR_NULL(event.job);
    CU_ASSERT_PTR_NOT_NULL_FATAL(event.refusal);
    CU_ASSERT_PTR_NOT_NULL(strstr(event.refusal, "needs 9 tasks"));
    CU_ASSERT_PTR_NOT_NULL(strstr(event.refusal, "takes 8"));
    event.spec = &fat;
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 0, &event, &f.error), HS_OK);
    CU_ASSERT_PTR_NOT_NULL(event.refusal);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_jobs, 0);
    fixture_fini(&f);
}

/* Policies that misbehave, each in its own way. */
enum vice { STARTS_TWICE, BUSY_NODE, TOO_FEW, NOTHING, WAKES_NOW, REJECTS_ALL, REJECTS_TWICE, GAP };

static void misbehave(const struct hs_view *view, struct hs_plan *plan, enum vice vice)
{
    const struct hs_job *job = hs_view_first(view);
    struct hs_span span = {.first_node = 0, .node_count = 2, .tasks = 1};
    struct hs_alloc alloc = {.spans = &span, .span_count = 1};

    switch (vice) {
    case STARTS_TWICE:
        (void)hs_plan_start(plan, job);
        (void)hs_plan_start(plan, job);
        break;
    case BUSY_NODE:
        (void)hs_plan_start_on(plan, job, &alloc);
        (void)hs_plan_start_on(plan, hs_view_next(view, job), &alloc);
        break;
    case TOO_FEW:
        span.node_count = 1;
        (void)hs_plan_start_on(plan, job, &alloc);
        break;
    case GAP:
        span.first_node = 3;
        (void)hs_plan_start_on(plan, job, &alloc);
        break;
    case WAKES_NOW:
        hs_plan_wake(plan, hs_view_now(view));
        break;
    case REJECTS_ALL:
        for (; job; job = hs_view_next(view, job)) {
            (void)hs_plan_reject(plan, job, "not today");
        }
        hs_plan_wake(plan, hs_view_now(view) + 5);
        break;
    case REJECTS_TWICE:
        (void)hs_plan_reject(plan, job, "no");
        (void)hs_plan_reject(plan, job, "no");
        break;
    case NOTHING:
        break;
    }
}

#define VICE(id, policy_name, vice)                                                                \
    static void id##_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)        \
    {                                                                                              \
        (void)self;                                                                                \
        misbehave(view, plan, vice);                                                               \
    }                                                                                              \
    static const struct hs_policy id = {HS_POLICY_HEADER, .name = policy_name, .summary = "",      \
                                        .schedule = id##_schedule}

VICE(twice, "twice", STARTS_TWICE);
VICE(busy, "busy", BUSY_NODE);
VICE(few, "few", TOO_FEW);
VICE(gap, "gap", GAP);
VICE(idle, "idle", NOTHING);
VICE(wakes, "wakes", WAKES_NOW);
VICE(rejects, "rejects", REJECTS_ALL);
VICE(rejects_twice, "rejects-twice", REJECTS_TWICE);

static const struct hs_policy *const vices[] = {&twice, &busy,    &few,           &gap, &idle,
                                                &wakes, &rejects, &rejects_twice, NULL};
static const struct hs_plugin vice_plugin = {
    .abi = HS_ABI, .size = sizeof(struct hs_plugin), .policies = vices};

static void stops_policies_that_break_rules(void)
{
    static const struct {
        const char *policy;
        const char *sentence;
    } cases[] = {
        {"twice", "Policy 'twice' at time 7 s: job 1: it is started although it already holds"},
        {"busy", "Policy 'busy' at time 7 s: job 2: node n0 has 0 free cores and 1 are wanted."},
        {"few", "job 1: it gets 1 of its 2 tasks."},
        {"gap", "job 1: its nodes 3 to 4 are empty, out of order or outside the cluster of 4."},
        {"wakes", "it asks to be woken at a time that is not in the future."},
        {"rejects-twice", "job 1: it was rejected in this pass and is decided on again."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        struct hs_job_spec job1 = fixture_job(1, 7, 2, 10);
        struct hs_job_spec job2 = fixture_job(2, 7, 2, 10);

        fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, &vice_plugin, cases[i].policy);
        CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
        CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
        CU_ASSERT_EQUAL(fixture_decide(&f, 7, true), HS_ERR_POLICY);
        CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, cases[i].sentence));
        /* The scheduler is dead, and says so. */
        CU_ASSERT_EQUAL(fixture_decide(&f, 7, true), HS_ERR_STATE);
        fixture_fini(&f);
    }
}

static void finds_stalls(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 7, 2, 10);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, &vice_plugin, "idle");
    CU_ASSERT_EQUAL(hs_sched_check_stall(f.sched, &f.error), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 7, true), HS_OK);
    CU_ASSERT_EQUAL(hs_sched_check_stall(f.sched, &f.error), HS_ERR_POLICY);
    CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "Policy 'idle' at time 7 s: job 1"));
    fixture_fini(&f);
}

static void finds_endless_loops(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 7, 2, 10);
    int passes = 0;

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, &vice_plugin, "idle");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    while (passes < 5000 && fixture_decide(&f, 7, true) == HS_OK) {
        CU_ASSERT_EQUAL(fixture_event(&f, 7, HS_EVENT_TIMER, NULL), HS_OK);
        passes++;
    }
    CU_ASSERT_EQUAL(passes, 1000);
    CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "1000 passes at one instant"));
    fixture_fini(&f);
}

static void rejections_and_wakes_are_decisions(void)
{
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 7, 2, 10);
    struct hs_job_spec job2 = fixture_job(2, 7, 2, 10);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, &vice_plugin, "rejects");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 7, true), HS_OK);
    CU_ASSERT_EQUAL_FATAL(f.decision_count, 3);
    CU_ASSERT_EQUAL(f.decisions[0].kind, HS_DECISION_REJECT);
    CU_ASSERT_EQUAL(f.decisions[0].job->key.id, 1); /* still there to be read */
    CU_ASSERT_STRING_EQUAL(f.decisions[1].reason, "not today");
    CU_ASSERT_EQUAL(f.decisions[2].kind, HS_DECISION_WAKE);
    CU_ASSERT_EQUAL(f.decisions[2].time_ns, 7 * HS_NS_PER_S + 5);
    CU_ASSERT_EQUAL(f.decisions[2].id, 2);
    CU_ASSERT_EQUAL(fixture_event(&f, 8, HS_EVENT_TIMER, NULL), HS_OK);
    CU_ASSERT_PTR_NULL(hs_sched_find(f.sched, job1.key));
    CU_ASSERT_PTR_NULL(hs_sched_find(f.sched, job2.key));
    CU_ASSERT_EQUAL(fixture_submit(&f,
                                   &(struct hs_job_spec){
                                       .key = {1, 8 * HS_NS_PER_S},
                                       .walltime_ns = 1,
                                       .demand = {.tasks = 1, .cores_milli = 1000},
                                   }),
                    HS_OK);
    fixture_fini(&f);
}

static double no_number(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return job->key.id == 2 ? (double)NAN : 0.0;
}

static void an_order_must_give_numbers(void)
{
    static const struct hs_order order = {HS_ORDER_HEADER, .name = "broken", .summary = "",
                                          .key = no_number};
    static const struct hs_order *const orders[] = {&order, NULL};
    static const struct hs_plugin plugin = {
        .abi = HS_ABI, .size = sizeof(struct hs_plugin), .orders = orders};
    struct fixture f;
    struct hs_job_spec job2 = fixture_job(2, 7, 2, 10);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, &plugin, "broken-easy");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 7, true), HS_ERR_POLICY);
    CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "job 2: its order gives a key that is no number"));
    fixture_fini(&f);
}

static double youngest(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    return (double)(hs_view_now(view) - job->key.submit_ns);
}

/* Looks at the queue whenever it is told something. */
static void curious_notify(void *self, const struct hs_view *view, const struct hs_event *event)
{
    const struct hs_job *first = hs_view_first(view);
    const struct hs_job *second = first ? hs_view_next(view, first) : NULL;

    (void)self;
    (void)event;
    CU_ASSERT_TRUE(!second || hs_view_compare(view, first, second) < 0);
}

static enum hs_err curious_init(void *self, const struct hs_view *view, struct hs_error *error)
{
    (void)self;
    (void)error;
    CU_ASSERT_PTR_NULL(hs_view_first(view));
    return HS_OK;
}

static void curious_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count = 0;

    (void)self;
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        count++;
        (void)hs_plan_start(plan, job);
    }
    CU_ASSERT_EQUAL(count, hs_view_pending_count(view));
}

static void notify_may_look_at_an_order_of_the_time(void)
{
    static const struct hs_order order = {HS_ORDER_HEADER, .name = "youngest", .summary = "",
                                          .key = youngest, .is_time_varying = true};
    static const struct hs_reserve reserve = {
        HS_RESERVE_HEADER,    .name = "curious",        .summary = "",
        .init = curious_init, .notify = curious_notify, .schedule = curious_schedule};
    static const struct hs_order *const orders[] = {&order, NULL};
    static const struct hs_reserve *const reserves[] = {&reserve, NULL};
    static const struct hs_plugin plugin = {
        .abi = HS_ABI, .size = sizeof(struct hs_plugin), .orders = orders, .reserves = reserves};
    struct fixture f;
    struct hs_job_spec job1 = fixture_job(1, 0, 1, 10);
    struct hs_job_spec job2 = fixture_job(2, 1, 1, 10);
    struct hs_job_spec job3 = fixture_job(3, 2, 1, 10);

    fixture_init(&f, 4, 1, HS_MEM_UNLIMITED, &plugin, "youngest-curious");
    CU_ASSERT_EQUAL(fixture_submit(&f, &job1), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &job3), HS_OK);
    CU_ASSERT_EQUAL(fixture_event(&f, 2, HS_EVENT_CANCELLED, &job2), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 2, true), HS_OK);
    STARTS(&f, "3 1");
    fixture_fini(&f);
}

static double no_score(const void *self, const struct hs_free *state, uint32_t node,
                       const struct hs_demand *demand)
{
    (void)self;
    (void)state;
    (void)demand;
    return node % 2 ? (double)NAN : 0.0;
}

static void a_score_that_is_no_number_comes_last(void)
{
    static const struct hs_place place = {HS_PLACE_HEADER, .name = "odd", .summary = "",
                                          .score = no_score};
    struct fixture f;
    struct hs_demand demand = {.tasks = 4, .cores_milli = 1000};
    struct hs_placement placement = {.score = place.score};
    struct hs_alloc_buffer buffer = {0};
    struct hs_free *state;

    fixture_init(&f, 6, 1, HS_MEM_UNLIMITED, NULL, "fcfs");
    state = hs_free_create(f.cluster);
    CU_ASSERT_TRUE_FATAL(hs_free_place(state, &demand, &placement, &buffer));
    CU_ASSERT_EQUAL(buffer.alloc.span_count, 2); /* nodes 0 to 2, and 4 */
    CU_ASSERT_EQUAL(buffer.alloc.spans[0].node_count, 3);
    CU_ASSERT_EQUAL(buffer.alloc.spans[1].first_node, 4);
    hs_alloc_buffer_fini(&buffer);
    hs_free_destroy(state);
    fixture_fini(&f);
}

static const struct unit_test tests[] = {
    {"easy by hand", easy_by_hand},
    {"counts its work", counts_its_work},
    {"a failed start goes back to its place", failed_start_goes_back},
    {"cancels in every state", cancels_in_every_state},
    {"refuses events that cannot be", refuses_events_that_cannot_be},
    {"refuses jobs that never fit", refuses_jobs_that_never_fit},
    {"stops policies that break rules", stops_policies_that_break_rules},
    {"finds stalls", finds_stalls},
    {"finds endless loops", finds_endless_loops},
    {"rejections and wakes are decisions", rejections_and_wakes_are_decisions},
    {"an order must give numbers", an_order_must_give_numbers},
    {"notify may look at an order of the time", notify_may_look_at_an_order_of_the_time},
    {"a score that is no number comes last", a_score_that_is_no_number_comes_last},
};

UNIT_MAIN("core: scheduler", tests)
