/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rounds.c - Gavel's policies in rounds: by hand, in a steady state, and with the plain scheduler.
 *
 * A small host drives the core: nodes of one core for each device, in speed classes; jobs that know
 * their time on each class and keep what they have done. What was decided becomes a text: "10:-1"
 * (job 1 stops after 10 s), "10:+2@0" (job 2 starts on the nodes from 0 on), "0:x3" (rejected). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allot/allot.h"
#include "allot/policy.h"
#include "hs/sched.h"
#include "unit.h"

#define S        HS_NS_PER_S
#define JOBS_MAX 64
#define CLASSES  3
#define NODES    24

struct task {
    int64_t id, submit_s;
    double time_s[CLASSES];   /* 0: cannot run there */
    uint32_t tasks, devices;  /* devices of each task; 0: a core each */
    double left;              /* of the whole */
    hs_time start_ns, end_ns; /* end -1: does not run */
    uint32_t speed_class;
    bool is_submitted, is_gone;
    double held_s[CLASSES];
};

struct world {
    uint32_t nodes[CLASSES], devices; /* nodes of each class, devices of each node */
    const char *policy;
    struct hs_choice_param params[4];
    size_t param_count;
    bool is_plain;
    struct task tasks[JOBS_MAX];
    uint32_t count;

    uint32_t class_of_node[NODES];
    struct hs_speeds speeds;
    struct hs_cluster *cluster;
    struct hs_registry *registry;
    struct hs_stack *stack;
    struct hs_sched *sched;
    struct hs_error error;
    hs_time wake_ns;
    char *log;
    size_t log_size, log_room;
};

static void add_job(struct world *world, int64_t submit_s, uint32_t tasks, uint32_t devices,
                    double a, double b, double c)
{
    struct task *task = &world->tasks[world->count];

    *task = (struct task){.id = ++world->count,
                          .submit_s = submit_s,
                          .time_s = {a, b, c},
                          .tasks = tasks,
                          .devices = devices,
                          .left = 1,
                          .end_ns = -1};
}

static struct task *task_of(struct world *world, int64_t id)
{
    return &world->tasks[id - 1];
}

static hs_time predict(const void *context, const struct hs_job *job, uint32_t speed_class)
{
    const struct world *world = context;
    double time_s = world->tasks[job->key.id - 1].time_s[speed_class];

    return time_s > 0 ? (hs_time)llround(time_s * 1e9) : HS_TIME_NEVER;
}

static void open_world(struct world *world)
{
    struct hs_choice choice = {
        .name = world->policy, .params = world->params, .param_count = world->param_count};
    struct hs_sched_options options = {
        .seed = 1, .is_plain = world->is_plain, .speeds = &world->speeds};
    uint32_t count = 0;

    world->cluster = hs_cluster_create();
    for (uint32_t c = 0; c < CLASSES; c++) {
        for (uint32_t i = 0; i < world->nodes[c]; i++) {
            char name[16], model[16];

            (void)snprintf(name, sizeof name, "n%u", count);
            (void)snprintf(model, sizeof model, "m%u", c);
            world->class_of_node[count++] = c;
            CU_ASSERT_EQUAL_FATAL(
                hs_cluster_add_node(world->cluster, name, 4000, HS_MEM_UNLIMITED, &world->error),
                HS_OK);
            for (uint32_t d = 0; d < world->devices; d++) {
                CU_ASSERT_EQUAL_FATAL(hs_cluster_add_device(world->cluster, "gpu", model,
                                                            HS_NO_GROUP, HS_MEM_UNLIMITED,
                                                            &world->error),
                                      HS_OK);
            }
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(world->cluster, &world->error), HS_OK);
    world->registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(
        hs_registry_add(world->registry, &allot_policies, "built-in", &world->error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(world->registry, &choice, &world->stack, &world->error),
                          HS_OK);
    world->speeds = (struct hs_speeds){CLASSES, world->class_of_node, predict, world};
    options.cluster = world->cluster;
    options.stack = world->stack;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &world->sched, &world->error), HS_OK);
    world->wake_ns = HS_TIME_NEVER;
    world->log_size = 0;
    world->log_room = (size_t)1 << 20;
    world->log = calloc(1, world->log_room);
    CU_ASSERT_PTR_NOT_NULL_FATAL(world->log);
    for (uint32_t i = 0; i < world->count; i++) {
        struct task *task = &world->tasks[i];

        task->left = 1;
        task->end_ns = -1;
        task->is_submitted = task->is_gone = false;
        memset(task->held_s, 0, sizeof task->held_s);
    }
}

static void close_world(struct world *world)
{
    hs_sched_destroy(world->sched);
    hs_stack_destroy(world->stack);
    hs_registry_destroy(world->registry);
    hs_cluster_destroy(world->cluster);
    free(world->log);
}

static void say(struct world *world, hs_time now, const char *what, int64_t id, const char *where)
{
    CU_ASSERT_FATAL(world->log_size + 64 < world->log_room);
    world->log_size +=
        (size_t)snprintf(world->log + world->log_size, 64, "%s%g:%s%lld%s",
                         world->log_size ? " " : "", (double)now / 1e9, what, (long long)id, where);
}

static void tell(struct world *world, hs_time now, enum hs_event_kind kind, const struct task *task,
                 const struct hs_job_spec *spec)
{
    struct hs_event event = {.kind = kind, .spec = spec};

    if (task) {
        event.key = (struct hs_job_key){task->id, task->submit_s * S};
    }
    CU_ASSERT_EQUAL_FATAL(hs_sched_event(world->sched, now, &event, &world->error), HS_OK);
}

static void submit(struct world *world, struct task *task)
{
    double longest = 0;
    struct hs_job_spec spec = {
        .key = {task->id, task->submit_s * S},
        .demand = {.tasks = task->tasks, .cores_milli = 1000, .device_kind = HS_ANY_KIND},
        .user = -1,
        .group = -1,
        .queue = -1,
        .job_class = -1,
    };

    for (uint32_t c = 0; c < CLASSES; c++) {
        longest = task->time_s[c] > longest ? task->time_s[c] : longest;
    }
    spec.walltime_ns = (hs_time)llround(longest * 1e9);
    if (task->devices) {
        spec.demand.device_kind = 0;
        spec.demand.device_count = task->devices;
        spec.demand.device_share = HS_SHARES_PER_UNIT;
    }
    task->is_submitted = true;
    tell(world, spec.key.submit_ns, HS_EVENT_SUBMITTED, NULL, &spec);
}

static void hold(struct task *task, hs_time now)
{
    double held_s = (double)(now - task->start_ns) / 1e9;

    task->held_s[task->speed_class] += held_s;
    task->left -= held_s / task->time_s[task->speed_class];
    task->end_ns = -1;
}

static void begin(struct world *world, struct task *task, hs_time now, const struct hs_alloc *alloc)
{
    char where[16];

    task->speed_class = world->class_of_node[alloc->spans[0].first_node];
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        /* A gang is on one type of worker only. */
        CU_ASSERT_EQUAL(world->class_of_node[span->first_node], task->speed_class);
        CU_ASSERT_EQUAL(world->class_of_node[span->first_node + span->node_count - 1],
                        task->speed_class);
    }
    CU_ASSERT_TRUE_FATAL(task->time_s[task->speed_class] > 0);
    task->start_ns = now;
    task->end_ns = now + (hs_time)llround(task->left * task->time_s[task->speed_class] * 1e9);
    (void)snprintf(where, sizeof where, "@%u", alloc->spans[0].first_node);
    say(world, now, "+", task->id, where);
    tell(world, now, HS_EVENT_STARTED, task, NULL);
}

static void decide(struct world *world, hs_time now)
{
    const struct hs_decision *decisions;
    size_t count;

    if (!hs_sched_wants_pass(world->sched)) {
        return;
    }
    CU_ASSERT_EQUAL_FATAL(hs_sched_decide(world->sched, now, &decisions, &count, &world->error),
                          HS_OK);
    for (size_t i = 0; i < count; i++) {
        if (decisions[i].kind == HS_DECISION_PREEMPT) {
            hold(task_of(world, decisions[i].key.id), now);
            say(world, now, "-", decisions[i].key.id, "");
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct hs_decision *decision = &decisions[i];

        if (decision->kind == HS_DECISION_START) {
            begin(world, task_of(world, decision->key.id), now, decision->job->alloc);
        } else if (decision->kind == HS_DECISION_WAKE) {
            world->wake_ns =
                decision->time_ns < world->wake_ns ? decision->time_ns : world->wake_ns;
        } else if (decision->kind == HS_DECISION_REJECT) {
            task_of(world, decision->key.id)->is_gone = true;
            say(world, now, "x", decision->key.id, "");
        }
    }
}

/* Until all jobs are gone, or until `limit_s`. */
static void run_world(struct world *world, double limit_s)
{
    for (;;) {
        hs_time now = world->wake_ns;
        bool is_left = false;

        for (uint32_t i = 0; i < world->count; i++) {
            const struct task *task = &world->tasks[i];
            hs_time next = !task->is_submitted ? task->submit_s * S
                           : task->end_ns >= 0 ? task->end_ns
                                               : HS_TIME_NEVER;

            is_left |= !task->is_gone;
            now = !task->is_gone && next < now ? next : now;
        }
        if (!is_left || (double)now / 1e9 > limit_s) {
            return;
        }
        CU_ASSERT_NOT_EQUAL_FATAL(now, HS_TIME_NEVER);
        for (uint32_t i = 0; i < world->count; i++) {
            struct task *task = &world->tasks[i];

            if (task->end_ns == now) {
                hold(task, now);
                task->is_gone = true;
                tell(world, now, HS_EVENT_FINISHED, task, NULL);
            }
        }
        for (uint32_t i = 0; i < world->count; i++) {
            if (!world->tasks[i].is_submitted && world->tasks[i].submit_s * S == now) {
                submit(world, &world->tasks[i]);
            }
        }
        if (now == world->wake_ns) {
            world->wake_ns = HS_TIME_NEVER;
            tell(world, now, HS_EVENT_TIMER, NULL, NULL);
        }
        decide(world, now);
    }
}

static struct world make_world(const char *policy, const char *round, uint32_t a, uint32_t b,
                               uint32_t c, uint32_t devices)
{
    return (struct world){.policy = policy,
                          .params = {{"round", round}},
                          .param_count = 1,
                          .nodes = {a, b, c},
                          .devices = devices};
}

static void expect(struct world *world, double limit_s, const char *text)
{
    open_world(world);
    run_world(world, limit_s);
    CU_ASSERT_STRING_EQUAL(world->log, text);
    if (strcmp(world->log, text) != 0) {
        (void)fprintf(stderr, "%s instead of %s\n", world->log, text);
    }
    close_world(world);
}

/* One worker, shares of one half: who has received nothing goes first, equals by arrival. */
static void test_turns(void)
{
    struct world world = make_world("gavel-max-min", "10", 1, 0, 0, 1);

    add_job(&world, 0, 1, 1, 15, 0, 0);
    add_job(&world, 0, 1, 1, 15, 0, 0);
    expect(&world, HUGE_VAL, "0:+1@0 10:-1 10:+2@0 20:-2 20:+1@0 30:+2@0");
}

/* Each has the type on which it is fast; rounds pass and nothing happens. */
static void test_leases(void)
{
    struct world world = make_world("gavel-max-min", "10", 1, 1, 0, 1);

    add_job(&world, 0, 1, 1, 1000, 100, 0);
    add_job(&world, 0, 1, 1, 100, 1000, 0);
    expect(&world, HUGE_VAL, "0:+1@1 0:+2@0");
}

/* The priorities of shares 3/4 and 1/4 worked out by hand: job 1 is owed 3/4 of each 10 s, job 2
 * 1/4. Both have received nothing: the larger share goes first. At 10 s job 2 still has nothing; at
 * 20 s 15/10 against 5/10, at 30 s 22.5/20 against 7.5/10, at 40 s 30/30 against 10/10: equal, so
 * the larger share. At 50 s 37.5/40 against 12.5/10. The shares come from the makespan: the jobs
 * have 300 s and 100 s to do. */
static void test_priorities(void)
{
    struct world world = make_world("gavel-makespan", "10", 1, 0, 0, 1);

    add_job(&world, 0, 1, 1, 300, 0, 0);
    add_job(&world, 0, 1, 1, 100, 0, 0);
    expect(&world, 65, "0:+1@0 10:-1 10:+2@0 20:-2 20:+1@0 50:-1 50:+2@0 60:-2 60:+1@0");
}

/* A job that comes within a round waits for the next one, unless the policy is eager. */
static void test_eager(void)
{
    struct world world = make_world("gavel-max-min", "100", 2, 0, 0, 1);

    add_job(&world, 0, 1, 1, 500, 0, 0);
    add_job(&world, 30, 1, 1, 20, 0, 0);
    expect(&world, 400, "0:+1@0 100:+2@1");
    world.params[1] = (struct hs_choice_param){"eager", "true"};
    world.param_count = 2;
    expect(&world, 400, "0:+1@0 30:+2@1");
}

/* Two nodes with two devices. Job 1 makes as much progress with half of the time on two devices as
 * the others with all of it on one, so it comes last, and job 4 finds room on its node at 10 s. At
 * 20 s job 3 has ended; jobs 2 and 4 lie on both nodes, so that the task of job 5 does not fit,
 * although two devices are free: the one of lower priority moves. */
static void test_room(void)
{
    struct world world = make_world("gavel-max-min", "10", 2, 0, 0, 2);

    add_job(&world, 0, 1, 2, 5, 0, 0);
    add_job(&world, 0, 1, 1, 1000, 0, 0);
    add_job(&world, 0, 1, 1, 12, 0, 0);
    add_job(&world, 8, 1, 1, 1000, 0, 0);
    add_job(&world, 15, 1, 2, 1000, 0, 0);
    expect(&world, 25, "0:+2@0 0:+3@0 0:+1@1 10:+4@1 20:-4 20:+5@1 20:+4@0");
}

/* No type has four workers: the gang can never run. One of two finds them on one type. */
static void test_gangs(void)
{
    struct world world = make_world("gavel-throughput", "10", 3, 2, 0, 1);

    add_job(&world, 0, 4, 1, 10, 10, 0);
    add_job(&world, 0, 2, 1, 90, 30, 0);
    add_job(&world, 0, 3, 1, 25, 0, 0);
    expect(&world, HUGE_VAL, "0:x1 0:+2@3 0:+3@0");
}

/* Jobs without devices share the cores of each class; those with devices are not in their way. */
static void test_cores(void)
{
    struct world world = make_world("gavel-max-min", "10", 1, 1, 0, 1);

    add_job(&world, 0, 3, 0, 40, 80, 0);
    add_job(&world, 0, 1, 1, 40, 0, 0);
    add_job(&world, 0, 4, 0, 0, 40, 0);
    expect(&world, HUGE_VAL, "0:+2@0 0:+1@0 0:+3@1");
}

/* Many rounds with the same jobs: each gets the share of the time on each type that the program
 * says, and more only of a type of which the program leaves something. */
static void check_steady(const char *policy, enum allot_goal goal, bool has_gangs, double tolerance)
{
    struct world world = make_world(policy, "10", 3, 2, 1, 1);
    double rates[JOBS_MAX * CLASSES], scales[JOBS_MAX], steps[JOBS_MAX];
    double shares[JOBS_MAX * CLASSES];
    double workers[CLASSES] = {3, 2, 1};
    double used[CLASSES] = {0};
    double optimum, worst = 0;
    struct allot_problem problem = {.type_count = CLASSES,
                                    .steps_per_s = rates,
                                    .workers = workers,
                                    .scale_factors = scales,
                                    .steps = steps};
    struct allot *allot = allot_create();
    const double horizon_s = 40000;

    CU_ASSERT_PTR_NOT_NULL_FATAL(allot);
    for (uint32_t i = 0; i < 9; i++) {
        double length_s = 1e6 * (1 + i % 4);

        add_job(&world, 0, has_gangs && i % 4 == 0 ? 2 : 1, 1, length_s, length_s * (1 + i % 3),
                length_s * (1 + i % 5));
    }
    for (uint32_t i = 0; i < world.count; i++) {
        for (uint32_t c = 0; c < CLASSES; c++) {
            rates[i * CLASSES + c] = world.tasks[i].tasks <= world.nodes[c]
                                         ? 1e9 / (double)llround(world.tasks[i].time_s[c] * 1e9)
                                         : 0;
        }
        scales[i] = world.tasks[i].tasks;
        steps[i] = 1;
    }
    problem.job_count = world.count;
    CU_ASSERT_EQUAL_FATAL(allot_solve(allot, goal, &problem, shares, &optimum, &world.error),
                          HS_OK);
    for (uint32_t k = 0; k < world.count * CLASSES; k++) {
        used[k % CLASSES] += shares[k] * scales[k / CLASSES];
    }
    open_world(&world);
    run_world(&world, horizon_s);
    for (uint32_t i = 0; i < world.count; i++) {
        struct task *task = &world.tasks[i];

        if (task->end_ns >= 0) {
            hold(task, (hs_time)(horizon_s * 1e9));
        }
        for (uint32_t c = 0; c < CLASSES; c++) {
            double more = task->held_s[c] / horizon_s - shares[i * CLASSES + c];
            double difference = used[c] < workers[c] - 1e-9 && more > 0 ? 0 : fabs(more);

            worst = difference > worst ? difference : worst;
        }
    }
    CU_ASSERT_TRUE(worst <= tolerance);
    (void)printf(" [%s%s: shares within %.4f]", policy, has_gangs ? ", gangs" : "", worst);
    close_world(&world);
    allot_destroy(allot);
}

static void test_steady(void)
{
    check_steady("gavel-max-min", ALLOT_MAX_MIN, false, 0.01);
    check_steady("gavel-makespan", ALLOT_MAKESPAN, false, 0.01);
    check_steady("gavel-throughput", ALLOT_TOTAL, false, 0.01);
    /* Three jobs of two workers cannot halve three workers: not all shares can be kept. */
    check_steady("gavel-max-min", ALLOT_MAX_MIN, true, 0.1);
    check_steady("gavel-makespan", ALLOT_MAKESPAN, true, 0.2);
}

/* The same decisions from the scheduler that walks all of its queue, and all jobs end. */
static void test_plain(void)
{
    static const char *const names[] = {"gavel-max-min", "gavel-makespan", "gavel-throughput"};
    uint64_t state = 1;

    for (uint32_t round = 0; round < 60; round++) {
        struct world world = make_world(names[round % 3], "30", 3, 2, 2, 1 + round % 2);
        char *log;

        world.params[1] = (struct hs_choice_param){"eager", round % 4 == 1 ? "true" : "false"};
        world.param_count = 2;
        for (uint32_t i = 0; i < 30; i++) {
            uint32_t draws[6];

            for (uint32_t d = 0; d < 6; d++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                draws[d] = (uint32_t)(state >> 40);
            }
            add_job(&world, draws[0] % 900, 1 + (draws[1] % 4 == 0), draws[2] % 5 ? 1 : 0,
                    1 + draws[3] % 300, 1 + draws[4] % 300, draws[5] % 3 ? 1 + draws[5] % 200 : 0);
        }
        open_world(&world);
        run_world(&world, HUGE_VAL);
        log = world.log;
        world.log = NULL;
        close_world(&world);
        world.is_plain = true;
        open_world(&world);
        run_world(&world, HUGE_VAL);
        CU_ASSERT_STRING_EQUAL(world.log, log);
        CU_ASSERT_PTR_NOT_NULL(strstr(log, "+30@"));
        close_world(&world);
        free(log);
    }
}

static void test_refusal(void)
{
    struct world world = make_world("gavel-max-min", "0", 1, 0, 0, 1);
    struct hs_choice choice = {.name = world.policy, .params = world.params, .param_count = 1};
    struct hs_stack *stack = NULL;

    world.registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(
        hs_registry_add(world.registry, &allot_policies, "built-in", &world.error), HS_OK);
    CU_ASSERT_EQUAL(hs_stack_create(world.registry, &choice, &stack, &world.error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(world.error.text, "round"));
    hs_registry_destroy(world.registry);
}

static hs_time predict_alike(const void *context, const struct hs_job *job, uint32_t speed_class)
{
    (void)context;
    (void)speed_class;
    return job->walltime_ns;
}

/* A matrix of times makes each node a class of its own: that is no type of workers. */
static void test_too_many_classes(void)
{
    enum { MANY = 65 };
    uint32_t class_of_node[MANY];
    struct hs_speeds speeds = {MANY, class_of_node, predict_alike, NULL};
    struct hs_choice choice = {.name = "gavel-max-min"};
    struct hs_sched_options options = {.speeds = &speeds};
    struct world world = {0};

    world.cluster = hs_cluster_create();
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];

        class_of_node[i] = i;
        (void)snprintf(name, sizeof name, "n%u", i);
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_node(world.cluster, name, 1000, HS_MEM_UNLIMITED, &world.error), HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(world.cluster, &world.error), HS_OK);
    world.registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(
        hs_registry_add(world.registry, &allot_policies, "built-in", &world.error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(world.registry, &choice, &world.stack, &world.error),
                          HS_OK);
    options.cluster = world.cluster;
    options.stack = world.stack;
    CU_ASSERT_EQUAL(hs_sched_create(&options, &world.sched, &world.error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(world.error.text, "65 speed classes"));
    hs_stack_destroy(world.stack);
    hs_registry_destroy(world.registry);
    hs_cluster_destroy(world.cluster);
}

static const struct unit_test tests[] = {
    {"equal jobs take turns", test_turns},
    {"leases are renewed", test_leases},
    {"priorities by hand", test_priorities},
    {"arrivals within a round", test_eager},
    {"who lies in the way moves", test_room},
    {"gangs on one type", test_gangs},
    {"jobs without devices", test_cores},
    {"shares are received", test_steady},
    {"as the plain scheduler", test_plain},
    {"bad parameters", test_refusal},
    {"too many speed classes", test_too_many_classes},
};

UNIT_MAIN("Gavel's rounds", tests)
