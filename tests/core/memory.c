/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.c - each allocation of the core and of the policies fails once: no crash, no leak, and
 * either a sentence or the same schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

/* The linker sends all allocations of the program here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

static int64_t count;    /* since the counting began */
static int64_t fail_at;  /* 0: none fails */
static bool is_counting; /* CUnit's own are left alone */

static bool fails(void)
{
    return is_counting && ++count == fail_at;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t number, size_t size)
{
    return fails() ? NULL : __real_calloc(number, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

#define JOBS  90
#define NODES 6

/* A scheduler without CUnit in between. */
struct world {
    struct hs_cluster *cluster;
    struct hs_registry *registry;
    struct hs_stack *stack;
    struct hs_sched *sched;
    struct hs_error error;
    uint64_t digest;
};

/* `policy` may name a predictor: "easy+last-two". */
static enum hs_err build(struct world *world, const char *policy)
{
    static const struct hs_choice_param soon = {"threshold", "2e-9"}; /* jobs last nanoseconds */
    const char *plus = strchr(policy, '+');
    char rule[32];
    struct hs_choice choice = {.name = rule, .predictor = plus ? plus + 1 : NULL};
    struct hs_sched_options options = {.seed = 1};
    enum hs_err err = HS_OK;

    (void)snprintf(rule, sizeof rule, "%.*s", plus ? (int)(plus - policy) : 31, policy);
    if (strcmp(policy, "las") == 0) {
        choice.params = &soon;
        choice.param_count = 1;
    }
    world->cluster = hs_cluster_create();
    world->registry = hs_registry_create();
    if (!world->cluster || !world->registry) {
        return hs_error_memory(&world->error);
    }
    for (int i = 0; err == HS_OK && i < NODES; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%d", i);
        err = hs_cluster_add_node(world->cluster, name, 2000, 8, &world->error);
        if (err == HS_OK) {
            err = hs_cluster_add_device(world->cluster, i % 2 ? "gpu" : "npu", "m", HS_NO_GROUP, 1,
                                        &world->error);
        }
    }
    if (err == HS_OK) {
        err = hs_cluster_seal(world->cluster, &world->error);
    }
    if (err == HS_OK) {
        err = hs_registry_add(world->registry, &hp_builtin, "built-in", &world->error);
    }
    if (err == HS_OK) {
        err = hs_stack_create(world->registry, &choice, &world->stack, &world->error);
    }
    options.cluster = world->cluster;
    options.stack = world->stack;
    return err == HS_OK ? hs_sched_create(&options, &world->sched, &world->error) : err;
}

/* One pass; what it starts is confirmed and goes into the digest. */
static enum hs_err pass(struct world *world, hs_time now)
{
    const struct hs_decision *decisions;
    struct hs_job_key started[JOBS];
    size_t decision_count;
    size_t start_count = 0;
    enum hs_err err =
        hs_sched_decide(world->sched, now, &decisions, &decision_count, &world->error);

    for (size_t i = 0; err == HS_OK && i < decision_count; i++) {
        if (decisions[i].kind == HS_DECISION_START) {
            const struct hs_alloc *alloc = decisions[i].job->alloc;

            started[start_count++] = decisions[i].key;
            world->digest = world->digest * 31 + (uint64_t)decisions[i].key.id * 1000 +
                            (uint64_t)now + alloc->spans[0].first_node;
        }
    }
    for (size_t i = 0; err == HS_OK && i < start_count; i++) {
        struct hs_event event = {.kind = HS_EVENT_STARTED, .key = started[i]};

        err = hs_sched_event(world->sched, now, &event, &world->error);
    }
    return err;
}

/* Four users. */
static struct hs_predict_question question_of(int64_t id, hs_time request_ns)
{
    return (struct hs_predict_question){.number = (uint64_t)id,
                                        .request_ns = request_ns,
                                        .truth_ns = request_ns,
                                        .procs = 1,
                                        .user = (int32_t)(id % 4),
                                        .job_class = -1};
}

static enum hs_err end_job(struct world *world, hs_time now, int64_t id)
{
    struct hs_event event = {.kind = HS_EVENT_FINISHED, .key = {id, id / 3}};
    const struct hs_job *job = hs_sched_find(world->sched, event.key);
    struct hs_predict_question question;
    struct hs_predict_run run = {0};

    if (!job || job->state != HS_JOB_RUNNING) {
        return HS_OK;
    }
    question = question_of(id, job->walltime_ns);
    run.run_ns = now - job->start_ns;
    if (!hs_sched_learn(world->sched, &question, &run)) {
        return hs_error_memory(&world->error);
    }
    return hs_sched_event(world->sched, now, &event, &world->error);
}

/* Jobs of many shapes come three at a time, and old ones end. */
static enum hs_err play(struct world *world, bool is_mixed)
{
    enum hs_err err = HS_OK;

    for (int64_t id = 0; err == HS_OK && id < JOBS; id++) {
        hs_time now = id / 3;
        struct hs_job_spec spec = {
            .key = {id, now},
            .priority = (double)(id % 5),
            .demand = {.tasks = (uint32_t)(1 + id * 5 % 9), .cores_milli = 1000},
        };
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
        struct hs_predict_question question = question_of(id, 3 + id * 7 % 11);

        spec.walltime_ns = hs_sched_predict(world->sched, &question);
        if (is_mixed) {
            spec.demand.mem_bytes = id % 4;
            spec.demand.cores_milli = 500 * (1 + id % 2);
        }
        err = hs_sched_event(world->sched, now, &event, &world->error);
        if (err == HS_OK && id % 3 == 2) {
            err = pass(world, now);
            for (int64_t old = 0; err == HS_OK && old <= id - 6; old += 2) {
                err = end_job(world, now, old);
            }
        }
    }
    return err;
}

static int64_t preemptions; /* of the last run */

static enum hs_err run(const char *policy, bool is_mixed, int64_t at, uint64_t *digest, char *text,
                       size_t size)
{
    struct world world = {0};
    enum hs_err err;

    count = 0;
    fail_at = at;
    is_counting = true;
    err = build(&world, policy);
    if (err == HS_OK) {
        err = play(&world, is_mixed);
    }
    is_counting = false;
    preemptions = world.sched ? hs_sched_stats(world.sched).preemptions : 0;
    hs_sched_destroy(world.sched);
    hs_stack_destroy(world.stack);
    hs_registry_destroy(world.registry);
    hs_cluster_destroy(world.cluster);
    *digest = world.digest;
    (void)snprintf(text, size, "%.*s", (int)size - 1, world.error.text);
    return err;
}

static void fail_each(const char *policy, bool is_mixed)
{
    uint64_t right;
    uint64_t digest;
    char text[256];
    int64_t total;

    CU_ASSERT_EQUAL_FATAL(run(policy, is_mixed, 0, &right, text, sizeof text), HS_OK);
    total = count;
    CU_ASSERT(total > 20 && right != 0);
    for (int64_t at = 1; at <= total; at++) {
        enum hs_err err = run(policy, is_mixed, at, &digest, text, sizeof text);
        bool is_told = (err == HS_ERR_SYSTEM || err == HS_ERR_POLICY) &&
                       (strstr(text, "ut of memory") || strstr(text, "emory"));

        if (!is_told && (err != HS_OK || digest != right)) {
            (void)printf("\n    %s, allocation %lld: %d %s ", policy, (long long)at, (int)err,
                         text);
            CU_FAIL("memory was short, and it is not told");
        }
    }
}

static void each_allocation(void)
{
    static const char *const policies[] = {
        "fcfs",
        "easy",
        "sjf-easy",
        "wfp3-easy",
        "easy-hosts",
        "conservative",
        "saf-conservative-rebuilt",
        "depth",
        "first-fit",
        "unicef-depth",
        "random-first-fit",
        "las",
        "easy-sjbf",
        "easy+last-two",
        "depth+rls",
    };

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        fail_each(policies[i], false);
        fail_each(policies[i], true);
        CU_ASSERT_EQUAL(preemptions > 0, strcmp(policies[i], "las") == 0);
    }
}

static const struct unit_test tests[] = {
    {"each allocation fails once", each_allocation},
};

UNIT_MAIN("core: memory", tests)
