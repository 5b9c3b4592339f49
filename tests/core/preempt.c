/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preempt.c - preemption in the core: progress, the place in the queue, decisions, refusals. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

#define HALF (UINT32_C(1) << 31)

/* What the policy of a test does in the next pass; NULL: it starts what fits. */
static void (*act)(const struct hs_view *view, struct hs_plan *plan);

static void start_all(const struct hs_view *view, struct hs_plan *plan)
{
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        (void)hs_plan_start(plan, job);
    }
}

static void puppet_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self;
    (act ? act : start_all)(view, plan);
}

static const struct hs_policy puppet = {
    HS_POLICY_HEADER,
    .name = "puppet",
    .summary = "does what the test says",
    .schedule = puppet_schedule,
    .flags = HS_POLICY_PREEMPTS,
};
static const struct hs_policy meek = {
    HS_POLICY_HEADER,
    .name = "meek",
    .summary = "does not say that it preempts",
    .schedule = puppet_schedule,
};
static const struct hs_reserve puppet_rule = {
    HS_RESERVE_HEADER,
    .name = "puppet-rule",
    .summary = "does what the test says, under an order",
    .schedule = puppet_schedule,
    .flags = HS_POLICY_PREEMPTS,
};
static const struct hs_policy *const policies[] = {&puppet, &meek, NULL};
static const struct hs_reserve *const reserves[] = {&puppet_rule, NULL};
static const struct hs_plugin plugin = {
    .abi = HS_ABI, .size = sizeof plugin, .policies = policies, .reserves = reserves};

/* Jobs 1, 2, ... of `procs` processors and 100 s on `cores` nodes of one core; those that fit run
 * since 0. */
static void begin(struct fixture *f, const char *policy, uint32_t cores, uint32_t count,
                  const uint32_t *procs, struct hs_job_spec *specs)
{
    act = NULL;
    fixture_init(f, cores, 1, HS_MEM_UNLIMITED, &plugin, policy);
    for (uint32_t i = 0; i < count; i++) {
        specs[i] = fixture_job(i + 1, 0, procs[i], 100);
        CU_ASSERT_EQUAL_FATAL(fixture_submit(f, &specs[i]), HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(fixture_decide(f, 0, true), HS_OK);
}

static const struct hs_job *find(const struct fixture *f, const struct hs_job_spec *spec)
{
    const struct hs_job *job = hs_sched_find(f->sched, spec->key);

    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    return job;
}

/* A pass at a time, after a timer event. */
static enum hs_err pass(struct fixture *f, int64_t time_s,
                        void (*what)(const struct hs_view *, struct hs_plan *))
{
    CU_ASSERT_EQUAL_FATAL(fixture_event(f, time_s, HS_EVENT_TIMER, NULL), HS_OK);
    act = what;
    return fixture_decide(f, time_s, true);
}

static void preempt_first(const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;

    CU_ASSERT_TRUE(hs_plan_preempt(plan, hs_view_running(view, &count)[0]));
}

static void progress_is_kept(void)
{
    struct hs_job_spec specs[1];
    struct fixture f;
    const struct hs_job *job;

    begin(&f, "puppet", 2, 1, (const uint32_t[]){2}, specs);
    job = find(&f, &specs[0]);
    CU_ASSERT_EQUAL(job->done, 0);
    CU_ASSERT_TRUE(hs_sched_wants_pass(f.sched) == false);
    CU_ASSERT_EQUAL(pass(&f, 50, preempt_first), HS_OK);
    CU_ASSERT_EQUAL(job->state, HS_JOB_PENDING);
    CU_ASSERT_EQUAL(job->done, HALF);
    CU_ASSERT_EQUAL(job->walltime_ns, 50 * HS_NS_PER_S);
    CU_ASSERT_EQUAL(job->start_ns, -1);
    CU_ASSERT_EQUAL(job->expected_end_ns, HS_TIME_NEVER);
    CU_ASSERT_PTR_NULL(job->alloc);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).preemptions, 1);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_jobs, 1);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_procs, 2);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).running_jobs, 0);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).alloc_milli, 0);
    /* It starts again, and is preempted at the same instant: nothing more is done. */
    CU_ASSERT_EQUAL(pass(&f, 60, NULL), HS_OK);
    CU_ASSERT_EQUAL(job->state, HS_JOB_RUNNING);
    CU_ASSERT_EQUAL(job->expected_end_ns, 110 * HS_NS_PER_S);
    CU_ASSERT_EQUAL(pass(&f, 60, preempt_first), HS_OK);
    CU_ASSERT_EQUAL(job->done, HALF);
    CU_ASSERT_EQUAL(job->walltime_ns, 50 * HS_NS_PER_S);
    /* Half of what is left. */
    CU_ASSERT_EQUAL(pass(&f, 70, NULL), HS_OK);
    CU_ASSERT_EQUAL(pass(&f, 95, preempt_first), HS_OK);
    CU_ASSERT_EQUAL(job->done, HALF + HALF / 2);
    CU_ASSERT_EQUAL(job->walltime_ns, 25 * HS_NS_PER_S);
    /* Longer than its walltime: all but nothing is done, and a nanosecond is left. */
    CU_ASSERT_EQUAL(pass(&f, 100, NULL), HS_OK);
    CU_ASSERT_EQUAL(pass(&f, 200, preempt_first), HS_OK);
    CU_ASSERT_EQUAL(job->done, UINT32_MAX);
    CU_ASSERT_EQUAL(job->walltime_ns, 1);
    CU_ASSERT_EQUAL(pass(&f, 200, NULL), HS_OK);
    CU_ASSERT_EQUAL(fixture_event(&f, 201, HS_EVENT_FINISHED, &specs[0]), HS_OK);
    CU_ASSERT_FALSE(hs_sched_wants_pass(f.sched));
    fixture_fini(&f);
}

/* No walltime: nobody knows what share is done. */
static void without_a_walltime(void)
{
    struct hs_job_spec spec = fixture_job(1, 0, 1, 1);
    struct fixture f;

    act = NULL;
    fixture_init(&f, 1, 1, HS_MEM_UNLIMITED, &plugin, "puppet");
    spec.walltime_ns = HS_TIME_NEVER;
    CU_ASSERT_EQUAL(fixture_submit(&f, &spec), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, true), HS_OK);
    CU_ASSERT_EQUAL(pass(&f, 50, preempt_first), HS_OK);
    CU_ASSERT_EQUAL(find(&f, &spec)->done, 0);
    CU_ASSERT_EQUAL(find(&f, &spec)->walltime_ns, HS_TIME_NEVER);
    fixture_fini(&f);
}

/* The time of a restart is added to the walltime and does no work. */
static void restarts_take_time(void)
{
    struct hs_choice choice = {.name = "puppet"};
    struct hs_sched_options options = {.restart_ns = 10 * HS_NS_PER_S};
    struct hs_job_spec spec = fixture_job(1, 0, 1, 100);
    struct hs_stack *stack;
    struct hs_sched *plain;
    struct fixture f;
    const struct hs_job *job;

    act = NULL;
    fixture_init(&f, 1, 1, HS_MEM_UNLIMITED, &plugin, "puppet");
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(f.registry, &choice, &stack, &f.error), HS_OK);
    options.cluster = f.cluster;
    options.stack = stack;
    plain = f.sched;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &f.sched, &f.error), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &spec), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, true), HS_OK);
    job = find(&f, &spec);
    CU_ASSERT_EQUAL(job->expected_end_ns, 100 * HS_NS_PER_S); /* the first start is no restart */
    CU_ASSERT_EQUAL(pass(&f, 50, preempt_first), HS_OK);
    CU_ASSERT_EQUAL(job->walltime_ns, 60 * HS_NS_PER_S);
    CU_ASSERT_EQUAL(pass(&f, 50, NULL), HS_OK);
    CU_ASSERT_EQUAL(job->expected_end_ns, 110 * HS_NS_PER_S);
    CU_ASSERT_EQUAL(pass(&f, 58, preempt_first), HS_OK); /* within the restart */
    CU_ASSERT_EQUAL(job->done, HALF);
    CU_ASSERT_EQUAL(job->walltime_ns, 60 * HS_NS_PER_S);
    CU_ASSERT_EQUAL(pass(&f, 60, NULL), HS_OK);
    CU_ASSERT_EQUAL(pass(&f, 95, preempt_first), HS_OK); /* 10 s of restart, 25 s of work */
    CU_ASSERT_EQUAL(job->done, HALF + HALF / 2);
    CU_ASSERT_EQUAL(job->walltime_ns, 35 * HS_NS_PER_S);
    hs_sched_destroy(f.sched);
    hs_stack_destroy(stack);
    f.sched = plain;
    fixture_fini(&f);
}

/* Job 1 leaves its place to job 3 and goes elsewhere, all in one pass. */
static void move(const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;
    const struct hs_job *first = hs_view_running(view, &count)[0];
    const struct hs_span span = {3, 1, 1};
    const struct hs_alloc alloc = {.spans = &span, .span_count = 1};
    const struct hs_job *waiting = hs_view_first(view);

    CU_ASSERT_EQUAL(first->key.id, 1);
    CU_ASSERT_TRUE(hs_plan_preempt(plan, first));
    CU_ASSERT_PTR_EQUAL(hs_view_first(view), first); /* by arrival */
    CU_ASSERT_PTR_EQUAL(hs_view_next(view, first), waiting);
    CU_ASSERT_TRUE(hs_plan_start_on(plan, first, &alloc));
    CU_ASSERT_EQUAL(first->state, HS_JOB_STARTING);
    CU_ASSERT_TRUE(hs_plan_start(plan, waiting));
}

static void one_pass_moves_a_job(void)
{
    struct hs_job_spec specs[4];
    struct fixture f;
    char text[64];

    begin(&f, "puppet", 4, 4, (const uint32_t[]){1, 2, 1, 1}, specs);
    CU_ASSERT_EQUAL(fixture_event(&f, 10, HS_EVENT_FINISHED, &specs[2]), HS_OK);
    /* Job 4 waits: it was the last of four cores; now node 3 is free. */
    CU_ASSERT_STRING_EQUAL(fixture_nodes(&f, &specs[0], text, sizeof text), "0");
    act = move;
    CU_ASSERT_EQUAL(fixture_decide(&f, 10, false), HS_OK);
    CU_ASSERT_EQUAL_FATAL(f.decision_count, 3);
    CU_ASSERT_EQUAL(f.decisions[0].kind, HS_DECISION_PREEMPT);
    CU_ASSERT_EQUAL(f.decisions[0].key.id, 1);
    CU_ASSERT_EQUAL(f.decisions[0].start_ns, 0);
    CU_ASSERT_EQUAL(f.decisions[0].alloc->span_count, 1);
    CU_ASSERT_EQUAL(f.decisions[0].alloc->spans[0].first_node, 0); /* where it was */
    CU_ASSERT_EQUAL(f.decisions[1].kind, HS_DECISION_START);
    CU_ASSERT_EQUAL(f.decisions[1].key.id, 1);
    CU_ASSERT_EQUAL(f.decisions[2].key.id, 4);
    CU_ASSERT_STRING_EQUAL(fixture_nodes(&f, &specs[0], text, sizeof text), "3");
    CU_ASSERT_STRING_EQUAL(fixture_nodes(&f, &specs[3], text, sizeof text), "0");
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_jobs, 0);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).starting_jobs, 2);
    CU_ASSERT_EQUAL(fixture_event(&f, 12, HS_EVENT_STARTED, &specs[0]), HS_OK);
    CU_ASSERT_EQUAL(find(&f, &specs[0])->expected_end_ns, 102 * HS_NS_PER_S); /* 10 s are done */
    CU_ASSERT_EQUAL(fixture_event(&f, 12, HS_EVENT_START_FAILED, &specs[3]), HS_OK);
    CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_jobs, 1);
    fixture_fini(&f);
}

/* A preempted job is cancelled, or fails to start again and keeps its progress. */
static void ends_of_the_preempted(void)
{
    struct hs_job_spec specs[2];
    struct fixture f;

    begin(&f, "puppet", 1, 2, (const uint32_t[]){1, 1}, specs);
    CU_ASSERT_EQUAL(pass(&f, 25, preempt_first), HS_OK);
    act = NULL;
    CU_ASSERT_EQUAL(fixture_event(&f, 25, HS_EVENT_TIMER, NULL), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 25, false), HS_OK);
    CU_ASSERT_EQUAL(f.decision_count, 1); /* job 1 again: it has its old place */
    CU_ASSERT_EQUAL(f.decisions[0].key.id, 1);
    CU_ASSERT_EQUAL(fixture_event(&f, 25, HS_EVENT_START_FAILED, &specs[0]), HS_OK);
    CU_ASSERT_EQUAL(find(&f, &specs[0])->done, HALF / 2);
    CU_ASSERT_EQUAL(find(&f, &specs[0])->walltime_ns, 75 * HS_NS_PER_S);
    CU_ASSERT_EQUAL(fixture_event(&f, 26, HS_EVENT_CANCELLED, &specs[0]), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 26, true), HS_OK);
    CU_ASSERT_EQUAL(f.decisions[0].key.id, 2);
    fixture_fini(&f);
}

/* The keys of an order are those of what is left, whatever index serves it. */
static void preempt_all(const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *const *running;
    const struct hs_job *walk = hs_view_first(view);
    uint32_t count;
    uint32_t met = 0;

    running = hs_view_running(view, &count);
    while (count) {
        CU_ASSERT_TRUE(hs_plan_preempt(plan, running[0]));
        running = hs_view_running(view, &count);
    }
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        const struct hs_job *next = hs_view_next(view, job);

        CU_ASSERT(!next || hs_view_compare(view, job, next) < 0);
        met++;
    }
    CU_ASSERT_EQUAL(met, hs_view_pending_count(view));
    /* A walk that was under way goes on. */
    for (met = 0; walk; walk = hs_view_next(view, walk)) {
        met++;
    }
    CU_ASSERT(met >= 1 && met <= hs_view_pending_count(view));
    start_all(view, plan);
}

static void orders_see_what_is_left(void)
{
    static const char *const orders[] = {"sjf", "fcfs", "wfp3", "unicep", "ljf", "f1", "lcfs"};
    char name[64];

    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        struct hs_job_spec specs[6];
        struct fixture f;

        (void)snprintf(name, sizeof name, "%s-puppet-rule", orders[o]);
        begin(&f, name, 3, 6, (const uint32_t[]){1, 1, 1, 1, 1, 1}, specs);
        for (int64_t time = 10; time < 100; time += 10) {
            CU_ASSERT_EQUAL(pass(&f, time, preempt_all), HS_OK);
            CU_ASSERT_EQUAL(hs_sched_stats(f.sched).running_jobs, 3);
            CU_ASSERT_EQUAL(hs_sched_stats(f.sched).pending_jobs, 3);
        }
        if (strcmp(orders[o], "sjf") == 0) { /* who has begun goes on */
            CU_ASSERT_EQUAL(find(&f, &specs[0])->walltime_ns, 10 * HS_NS_PER_S);
            CU_ASSERT_EQUAL(find(&f, &specs[5])->walltime_ns, 100 * HS_NS_PER_S);
        }
        if (strcmp(orders[o], "ljf") == 0) { /* they take turns */
            CU_ASSERT_EQUAL(find(&f, &specs[0])->walltime_ns, 50 * HS_NS_PER_S);
            CU_ASSERT_EQUAL(find(&f, &specs[5])->walltime_ns, 60 * HS_NS_PER_S);
        }
        fixture_fini(&f);
    }
}

static void preempt_waiting(const struct hs_view *view, struct hs_plan *plan)
{
    CU_ASSERT_FALSE(hs_plan_preempt(plan, hs_view_first(view)));
}

static void preempt_nothing(const struct hs_view *view, struct hs_plan *plan)
{
    (void)view;
    CU_ASSERT_FALSE(hs_plan_preempt(plan, NULL));
}

static void preempt_twice(const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;
    const struct hs_job *job = hs_view_running(view, &count)[0];

    CU_ASSERT_TRUE(hs_plan_preempt(plan, job));
    CU_ASSERT_FALSE(hs_plan_preempt(plan, job));
}

static void preempt_started(const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;
    const struct hs_job *job = hs_view_running(view, &count)[0];

    CU_ASSERT_TRUE(hs_plan_preempt(plan, job));
    CU_ASSERT_TRUE(hs_plan_start(plan, job));
    CU_ASSERT_FALSE(hs_plan_preempt(plan, job));
}

static void reject_preempted(const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;
    const struct hs_job *job = hs_view_running(view, &count)[0];

    CU_ASSERT_TRUE(hs_plan_preempt(plan, job));
    CU_ASSERT_FALSE(hs_plan_reject(plan, job, "no"));
}

static void preempt_meekly(const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;

    CU_ASSERT_FALSE(hs_plan_preempt(plan, hs_view_running(view, &count)[0]));
}

static void rules_are_kept(void)
{
    static const struct {
        const char *policy;
        void (*act)(const struct hs_view *view, struct hs_plan *plan);
        const char *text;
    } cases[] = {
        {"puppet", preempt_waiting, "job 2: it is preempted although it does not run"},
        {"puppet", preempt_nothing, "a decision names no job"},
        {"puppet", preempt_twice, "job 1: it is preempted although it does not run"},
        {"puppet", preempt_started, "job 1: it is preempted before its start is confirmed"},
        {"puppet", reject_preempted, "job 1: it is rejected although it has run"},
        {"meek", preempt_meekly, "the policy's flags lack HS_POLICY_PREEMPTS"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_job_spec specs[2];
        struct fixture f;

        begin(&f, cases[i].policy, 1, 2, (const uint32_t[]){1, 1}, specs);
        CU_ASSERT_EQUAL(pass(&f, 5, cases[i].act), HS_ERR_POLICY);
        CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, cases[i].text));
        fixture_fini(&f);
    }
}

/* Passes while nobody waits are for those that preempt. */
static void passes_without_a_queue(void)
{
    struct hs_job_spec specs[1];
    struct fixture f;

    begin(&f, "puppet", 1, 1, (const uint32_t[]){1}, specs);
    CU_ASSERT_EQUAL(fixture_event(&f, 5, HS_EVENT_TIMER, NULL), HS_OK);
    CU_ASSERT_TRUE(hs_sched_wants_pass(f.sched));
    fixture_fini(&f);
    begin(&f, "meek", 1, 1, (const uint32_t[]){1}, specs);
    CU_ASSERT_EQUAL(fixture_event(&f, 5, HS_EVENT_TIMER, NULL), HS_OK);
    CU_ASSERT_FALSE(hs_sched_wants_pass(f.sched));
    fixture_fini(&f);
}

static const struct unit_test tests[] = {
    {"progress is kept", progress_is_kept},
    {"without a walltime", without_a_walltime},
    {"restarts take time", restarts_take_time},
    {"one pass moves a job", one_pass_moves_a_job},
    {"ends of the preempted", ends_of_the_preempted},
    {"orders see what is left", orders_see_what_is_left},
    {"rules are kept", rules_are_kept},
    {"passes without a queue", passes_without_a_queue},
};

UNIT_MAIN("core: preemption", tests)
