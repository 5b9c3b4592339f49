/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_mixed.c - demands of all kinds at once, which the naive simulator cannot follow.
 *
 * The host's books watch over every allocation (model_books.h). Further properties hold after each
 * pass by a replay of the books alone: nobody waits who must not, and under fcfs the head's planned
 * start never moves later while nobody outlives the request. */
#include <inttypes.h>
#include <stdlib.h>

#include "model_books.h"
#include "model_tests.h"
#include "unit.h"

#define CASES_PER_PAIR MODEL_CASES(60)

static void draw_demand(struct model_random *random, uint32_t node_count, struct model_job *job)
{
    static const int64_t millis[] = {250, 500, 1000, 1000, 1500, 2000, 4000};
    struct hs_demand *demand = &job->demand;
    bool is_wide = model_chance(random, 30);

    *demand = (struct hs_demand){
        .tasks = model_between(random, 1, is_wide ? 3 * node_count + 1 : 4),
        .cores_milli = millis[model_below(random, 7)],
        .mem_bytes = model_chance(random, 40) ? 0 : (int64_t)model_between(random, 1, 8),
    };
    if (model_chance(random, 5) && demand->mem_bytes > 0) {
        demand->cores_milli = 0;
    }
    if (model_chance(random, 20)) {
        demand->flags |= HS_DEMAND_EXCLUSIVE;
    }
    if (model_chance(random, 10)) {
        demand->flags |= HS_DEMAND_SPREAD;
    }
    if (model_chance(random, 10)) {
        demand->flags |= HS_DEMAND_CONTIGUOUS;
    }
    if (model_chance(random, 5)) {
        demand->flags |= HS_DEMAND_SAME_NODE;
    }
    if (model_chance(random, 10)) {
        demand->tasks_per_node = model_between(random, 1, 3);
    }
    job->procs = (uint32_t)((demand->cores_milli * demand->tasks + 999) / 1000);
    job->procs = job->procs < 1 ? 1 : job->procs;
}

/* `habits` is the rule whose habits the workload has: some have no jobs without a walltime. */
static void draw_mixed(struct model_case *model, enum model_order order, enum model_rule rule,
                       enum model_rule habits, uint64_t seed)
{
    struct model_random random = {.state = seed ^ 0x5555};
    uint32_t shapes = model_between(&random, 2, 6);

    model_generate(model, order, habits, seed);
    model->rule = rule;
    for (uint32_t node = 0; node < model->node_count; node++) {
        model->cores_milli[node] = (int64_t)model_between(&random, 1, 16) * 500;
        model->mem_bytes[node] =
            model_chance(&random, 15) ? HS_MEM_UNLIMITED : (int64_t)model_between(&random, 1, 24);
    }
    for (uint32_t job = 0; job < model->job_count; job++) {
        if (job < shapes || model_chance(&random, 30)) {
            draw_demand(&random, model->node_count, &model->jobs[job]);
        } else {
            uint32_t other = model_below(&random, shapes);

            model->jobs[job].demand = model->jobs[other].demand;
            model->jobs[job].procs = model->jobs[other].procs;
        }
    }
}

/* After a pass: who would fit now has a reason to wait. */
static bool nobody_idles(void *self, struct drive *drive)
{
    const struct model_case *model = drive->model;
    int head = model_first_waiting(drive);

    (void)self;
    if (model->rule != MODEL_CONSERVATIVE && model->order == MODEL_FCFS && head >= 0 &&
        books_fit(model, &drive->books, (uint32_t)head)) {
        return drive_complain(drive, "the head, job %d, waits though it fits", head);
    }
    for (uint32_t job = 0; model->rule == MODEL_FIRST_FIT && job < model->job_count; job++) {
        if (drive->state[job] == DRIVE_WAITING && books_fit(model, &drive->books, job)) {
            return drive_complain(drive, "job %" PRIu32 " waits though it fits", job);
        }
    }
    return true;
}

void model_test_mixed(void)
{
    static const enum model_order orders[] = {MODEL_FCFS, MODEL_SJF, MODEL_LAF, MODEL_WFP3};
    const struct drive_watch watch = {.after_pass = nobody_idles};
    struct model_bench *bench = model_bench_create("demands of all kinds");
    bool is_good = true;

    bench->is_compared = false;
    bench->watch = &watch;
    for (uint64_t i = 0; i < 4 * MODEL_RULE_COUNT * CASES_PER_PAIR && is_good; i++) {
        enum model_rule rule = (enum model_rule)(i / 4 % MODEL_RULE_COUNT);
        enum model_rule habits = i % 3 == 0 ? rule : MODEL_FIRST_FIT;

        draw_mixed(&bench->model, orders[i % 4], rule, habits, 8000000000u + i);
        if (i % 5 < 2) { /* nodes leave and come back */
            model_add_changes(&bench->model, &(struct model_random){.state = i});
        }
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(bench);
}

void model_test_head(void)
{
    static const enum model_rule rules[] = {MODEL_EASY, MODEL_EASY_NOEXTRA, MODEL_EASY_HOSTS,
                                            MODEL_DEPTH, MODEL_REBUILT};
    struct model_promise promise = {.head = -1};
    const struct drive_watch watch = {.after_pass = model_head_is_kept, .self = &promise};
    struct model_bench *bench = model_bench_create("the head's planned start");
    bool is_good = true;

    bench->is_compared = false;
    bench->watch = &watch;
    for (uint64_t i = 0; i < 5 * 200 && is_good; i++) {
        draw_mixed(&bench->model, MODEL_FCFS, rules[i % 5], MODEL_DEPTH, 9000000000u + i);
        model_keep_promises(&bench->model);
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(bench);
}

/* Whole nodes first, tasks of half a core after them: what is counted changes in between. */
static void draw_units(struct model_case *model, enum model_rule rule)
{
    static const hs_time submits[] = {2, 2, 10, 10, 10};
    static const uint32_t tasks[] = {2, 1, 5, 2, 3};

    *model = (struct model_case){
        .rule = rule,
        .rule_prefix = "",
        .depth = 2,
        .tick_ns = HS_NS_PER_S,
        .node_count = 2,
        .job_count = 5,
    };
    for (uint32_t node = 0; node < model->node_count; node++) {
        model->cores_milli[node] = 2000;
        model->mem_bytes[node] = HS_MEM_UNLIMITED;
    }
    for (uint32_t job = 0; job < model->job_count; job++) {
        bool is_whole = job < 2;

        model->jobs[job] = (struct model_job){
            .id = job,
            .tag = job,
            .submit_ns = submits[job] * HS_NS_PER_S,
            .run_ns = 3 * HS_NS_PER_S,
            .request_ns = 3 * HS_NS_PER_S,
            .cancel_ns = HS_TIME_NEVER,
            .procs = is_whole ? tasks[job] : (tasks[job] + 1) / 2,
            .demand = {.tasks = tasks[job],
                       .cores_milli = is_whole ? 1000 : 500,
                       .flags = is_whole ? HS_DEMAND_EXCLUSIVE : 0},
        };
    }
}

void model_test_units(void)
{
    static const hs_time starts[] = {2, 2, 10, 10, 13}; /* 1 + 1 of 2 nodes; 5 + 2 of 8 halves */
    struct model_bench *bench = model_bench_create("a change of units");

    bench->is_compared = false;
    for (uint32_t rule = 0; rule < MODEL_RULE_COUNT; rule++) {
        draw_units(&bench->model, (enum model_rule)rule);
        CU_ASSERT_TRUE(model_check(bench));
        for (uint32_t job = 0; job < bench->model.job_count; job++) {
            CU_ASSERT_EQUAL(bench->core.start_ns[job], starts[job] * HS_NS_PER_S);
        }
    }
    free(bench);
}
