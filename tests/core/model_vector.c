/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_vector.c - demands that are more than cores, in ways that the naive simulator can follow.
 *
 *   placed         jobs differ in memory that never binds, so the core must not count: it reserves
 *                  certain nodes, and so does the naive simulator
 *   whole nodes    n exclusive tasks on nodes of c cores are ceil(n / c) nodes
 *   equal vectors  all tasks alike, cores and memory: a node takes so many tasks and no more */
#include <stdlib.h>
#include <string.h>

#include "model_tests.h"
#include "unit.h"

#define CASES_PER_PAIR MODEL_CASES(60)

/* Runs cases of every order and rule that `alter` makes of the plain ones. */
static void check_all(const char *title, void (*alter)(struct model_case *, struct model_random *))
{
    struct model_bench *bench = model_bench_create(title);
    bool is_good = true;

    for (uint64_t i = 0; i < MODEL_ORDER_COUNT * MODEL_RULE_COUNT * CASES_PER_PAIR && is_good;
         i++) {
        struct model_random random = {.state = 5000000000u + i};

        model_generate(&bench->model, (enum model_order)(i % MODEL_ORDER_COUNT),
                       (enum model_rule)(i / MODEL_ORDER_COUNT % MODEL_RULE_COUNT),
                       6000000000u + i);
        alter(&bench->model, &random);
        if (model_chance(&random, 50)) { /* nodes leave and come back */
            model_add_changes(&bench->model, &random);
        }
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(bench);
}

/* A job that asks for other memory than the rest, comes first and outlasts all, on a node that is
 * added for it: while it runs, the core cannot count. */
static void add_pillar(struct model_case *model)
{
    struct model_job *pillar = &model->jobs[0];

    memmove(&model->jobs[1], &model->jobs[0], model->job_count * sizeof(model->jobs[0]));
    memset(pillar, 0, sizeof(*pillar));
    pillar->id = -1;
    pillar->tag = UINT64_C(1) << 40;
    pillar->submit_ns = model->jobs[1].submit_ns;
    pillar->run_ns = model->jobs[model->job_count].submit_ns - pillar->submit_ns;
    pillar->cancel_ns = HS_TIME_NEVER;
    pillar->procs = 1;
    pillar->width = 1;
    pillar->demand = (struct hs_demand){.tasks = 1, .cores_milli = 1000, .mem_bytes = 9};
    model->job_count++;
    for (uint32_t job = 1; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];

        it->submit_ns += model->tick_ns;
        it->cancel_ns = model_add(it->cancel_ns, model->tick_ns);
        pillar->run_ns += it->run_ns + 5 * model->tick_ns;
    }
    pillar->run_ns += 10 * model->tick_ns;
    pillar->request_ns = pillar->run_ns;
}

static void alter_placed(struct model_case *model, struct model_random *random)
{
    uint32_t total;

    if (model->node_count == MODEL_NODES_MAX) {
        model->node_count--;
    }
    if (model->job_count == MODEL_JOBS_MAX) {
        model->job_count--;
    }
    total = model_total_units(model);
    for (uint32_t job = 0; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];

        it->width = it->width > total ? total : it->width;
        it->procs = it->width;
        it->demand.tasks = it->width;
        it->demand.mem_bytes = model_below(random, 3);
    }
    model->is_placed = true;
    model->fail_permille = 0; /* the first job must run */
    memmove(&model->units[1], &model->units[0], model->node_count * sizeof(model->units[0]));
    model->units[0] = 1;
    model->node_count++;
    for (uint32_t node = 0; node < model->node_count; node++) {
        model->cores_milli[node] = (int64_t)model->units[node] * 1000;
        model->mem_bytes[node] = 1000;
    }
    add_pillar(model);
}

void model_test_placed(void)
{
    check_all("reservations on certain nodes", alter_placed);
}

static void alter_whole_nodes(struct model_case *model, struct model_random *random)
{
    uint32_t cores = model_between(random, 2, 6);

    for (uint32_t node = 0; node < model->node_count; node++) {
        model->units[node] = 1;
        model->cores_milli[node] = (int64_t)cores * 1000;
    }
    for (uint32_t job = 0; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];

        it->width = (it->width - 1) % (model->node_count + 1) + 1;
        it->procs = (it->width - 1) * cores + model_between(random, 1, cores);
        it->demand.tasks = it->procs;
        it->demand.flags = HS_DEMAND_EXCLUSIVE;
    }
}

void model_test_whole_nodes(void)
{
    check_all("whole nodes", alter_whole_nodes);
}

static void alter_equal_vectors(struct model_case *model, struct model_random *random)
{
    static const int64_t millis[] = {500, 1000, 1500, 2000, 3000};
    int64_t milli = millis[model_below(random, 5)];
    int64_t bytes = model_below(random, 5);
    bool is_binding = model_chance(random, 70);
    uint32_t total;

    for (uint32_t node = 0; node < model->node_count; node++) {
        int64_t by_cores;
        int64_t by_bytes;

        model->cores_milli[node] = (int64_t)model_between(random, 1, 8) * 1000;
        model->mem_bytes[node] = is_binding ? (int64_t)model_between(random, 1, 20) : 1000;
        if (model_chance(random, 10)) {
            model->mem_bytes[node] = HS_MEM_UNLIMITED;
        }
        by_cores = model->cores_milli[node] / milli;
        by_bytes = bytes > 0 ? model->mem_bytes[node] / bytes : INT64_MAX;
        model->units[node] = (uint32_t)(by_cores < by_bytes ? by_cores : by_bytes);
    }
    total = model_total_units(model);
    for (uint32_t job = 0; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];

        it->width = (it->width - 1) % (total + 1) + 1;
        it->procs = (uint32_t)(((int64_t)it->width * milli + 999) / 1000);
        it->demand =
            (struct hs_demand){.tasks = it->width, .cores_milli = milli, .mem_bytes = bytes};
    }
}

void model_test_equal_vectors(void)
{
    check_all("equal task vectors", alter_equal_vectors);
}
