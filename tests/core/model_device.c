/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_device.c - whole schedulers on nodes with devices: shares, islands, memory, constraints and
 * alternatives, under every rule.
 *
 * A job that asks for a device of its own kind comes first and outlasts all, so that the core never
 * counts; nobody needs its node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "model_tests.h"
#include "unit.h"

#define POOL 6u /* different demands of a case */

/* Where the demands and nodes of a case lie. */
struct stage {
    struct vector_cluster cluster;
    struct hs_demand demands[POOL];
    struct hs_demand alternatives[POOL][VECTOR_ALTERNATIVES_MAX];
};

/* The first node is for the first job: a quarter of a core and a device like no other. */
static void draw_cluster(struct stage *stage, struct model_random *random)
{
    struct vector_cluster *cluster = &stage->cluster;
    uint32_t count = model_chance(random, 80) ? model_between(random, 1, 6)
                                              : model_between(random, 1, VECTOR_NODES_MAX - 1);

    do {
        vector_draw_cluster(cluster, random, count);
    } while (cluster->device_count == 0 && model_chance(random, 80));
    memmove(&cluster->nodes[1], &cluster->nodes[0], count * sizeof(cluster->nodes[0]));
    memmove(&cluster->devices[1], &cluster->devices[0],
            cluster->device_count * sizeof(cluster->devices[0]));
    cluster->node_count++;
    cluster->device_count++;
    for (uint32_t i = 1; i < cluster->node_count; i++) {
        cluster->nodes[i].first_device++;
    }
    cluster->nodes[0] = (struct vector_node){
        .cores_milli = 250, .mem_bytes = 1, .rack = HS_NO_RACK, .device_count = 1};
    cluster->devices[0] = (struct hs_device){
        .kind = 9, .model = 9, .group = HS_NO_GROUP, .mem_bytes = HS_MEM_UNLIMITED};
    hs_cluster_destroy(vector_build(cluster)); /* for the numbers of kinds and models */
}

/* Demands that the cluster meets without its first node. */
static void draw_demands(struct stage *stage, struct model_random *random)
{
    const struct vector_cluster *cluster = &stage->cluster;
    struct vector_state state;

    vector_open(cluster, &state);
    state.is_whole[0] = true;
    for (uint32_t i = 0; i < POOL; i++) {
        uint32_t tries = 0;

        do {
            vector_draw_demand(cluster, random, &stage->demands[i], stage->alternatives[i]);
            if (++tries == 50) {
                stage->demands[i] = (struct hs_demand){.tasks = 1, .cores_milli = 500};
            }
        } while (!vector_fits(cluster, &state, &stage->demands[i]));
    }
}

static void add_pillar(const struct stage *stage, struct model_case *model)
{
    struct model_job *pillar = &model->jobs[0];

    memmove(&model->jobs[1], &model->jobs[0], model->job_count * sizeof(model->jobs[0]));
    *pillar = (struct model_job){
        .id = -1,
        .tag = UINT64_C(1) << 40,
        .submit_ns = model->jobs[1].submit_ns,
        .run_ns = model->jobs[model->job_count].submit_ns - model->jobs[1].submit_ns,
        .cancel_ns = HS_TIME_NEVER,
        .procs = 1,
        .demand = {.tasks = 1,
                   .cores_milli = 250,
                   .device_count = 1,
                   .device_share = HS_SHARES_PER_UNIT,
                   .device_kind = stage->cluster.devices[0].kind},
    };
    model->job_count++;
    for (uint32_t job = 1; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];

        it->submit_ns += model->tick_ns;
        it->cancel_ns = model_add(it->cancel_ns, model->tick_ns);
        pillar->run_ns += 2 * it->run_ns + 20 * model->tick_ns;
    }
    pillar->request_ns = pillar->run_ns;
}

static void draw_case(struct stage *stage, struct model_case *model, enum model_order order,
                      enum model_rule rule, uint64_t seed)
{
    struct model_random random = {.state = seed ^ 0xdede};
    uint32_t pool = model_between(&random, 2, POOL);
    uint32_t most = model_chance(&random, 90) ? 40 : 80;

    model_generate(model, order, rule, seed);
    draw_cluster(stage, &random);
    draw_demands(stage, &random);
    model->vector = &stage->cluster;
    model->node_count = stage->cluster.node_count;
    model->is_placed = true;
    model->job_count = model->job_count < most ? model->job_count : most;
    for (uint32_t job = 0; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];
        uint32_t procs;

        it->demand = stage->demands[model_below(&random, pool)];
        procs = (uint32_t)((it->demand.cores_milli * it->demand.tasks + 999) / 1000);
        it->procs = procs < 1 ? 1 : procs;
    }
    add_pillar(stage, model);
}

static struct stage *stage_create(void)
{
    struct stage *stage = calloc(1, sizeof(*stage));

    CU_ASSERT_PTR_NOT_NULL_FATAL(stage);
    return stage;
}

static void test_devices(void)
{
    static const char *const places[] = {NULL, "best-fit", "worst-fit"};
    struct model_bench *bench = model_bench_create("jobs on devices");
    struct stage *stage = stage_create();
    bool is_good = true;

    for (uint64_t i = 0; i < MODEL_RULE_COUNT * MODEL_CASES(150) && is_good; i++) {
        uint64_t round = i / MODEL_RULE_COUNT;
        enum model_order order = round % 2 ? (enum model_order)(round % MODEL_ORDER_COUNT) : 0;

        draw_case(stage, &bench->model, order, (enum model_rule)(i % MODEL_RULE_COUNT),
                  12000000000u + i);
        if (round % 5 < 2) { /* nodes leave and come back */
            model_add_changes(&bench->model, &(struct model_random){.state = i});
        }
        bench->model.place = places[round % 3];
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(stage);
    free(bench);
}

/* Nodes of different speeds: reservations are made by the longest prediction, jobs that hold nodes
 * end by the speed of the slowest of them. */
static void test_speeds(void)
{
    static const char *const places[] = {NULL, "best-fit", "worst-fit"};
    struct model_bench *bench = model_bench_create("jobs at different speeds");
    struct stage *stage = stage_create();
    bool is_good = true;

    for (uint64_t i = 0; i < MODEL_RULE_COUNT * MODEL_CASES(150) && is_good; i++) {
        enum model_order order = (enum model_order)(i / MODEL_RULE_COUNT % MODEL_ORDER_COUNT);
        enum model_rule rule = (enum model_rule)(i % MODEL_RULE_COUNT);

        if (i % 3) {
            draw_case(stage, &bench->model, order, rule, 16000000000u + i);
            bench->model.place = places[i / MODEL_RULE_COUNT % 3];
        } else {
            model_generate(&bench->model, order, rule, 17000000000u + i);
            bench->model.vector = NULL;
            bench->model.place = NULL;
        }
        model_draw_speeds(&bench->model, i);
        bench->model.permille[0] = 1000; /* the first job outlasts all */
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(stage);
    free(bench);
}

/* Both outcomes are the core's: one with all that it keeps, one without. */
static bool walks_equally(struct model_bench *bench)
{
    struct model_case *model = &bench->model;
    int job;

    model->is_plain = false;
    if (!drive_run(model, NULL, NULL, &bench->core, bench->complaint)) {
        (void)fprintf(stderr, "\n%s\n", bench->complaint);
        model_print(model, NULL, &bench->core);
        return false;
    }
    model->is_plain = true;
    if (!drive_run(model, NULL, NULL, &bench->naive, bench->complaint)) {
        (void)fprintf(stderr, "\nplain: %s\n", bench->complaint);
        return false;
    }
    job = model_difference(model, &bench->naive, &bench->core);
    if (job >= 0) {
        (void)fprintf(stderr, "\nseed %llu: the plain walk (\"naive\") differs at job %d, %s, %s\n",
                      (unsigned long long)model->seed, job, model->local, model->tie);
        model_print(model, &bench->naive, &bench->core);
    }
    return job < 0;
}

static void test_device_plain(void)
{
    struct model_bench *bench = model_bench_create("the plain walk");
    struct stage *stage = stage_create();
    uint64_t i = 0;
    bool is_good = true;

    for (size_t p = 0; hp_builtin.places[p]; p++) {
        for (const char *const *local = hs_stack_locals(); *local; local++) {
            for (const char *const *tie = hs_stack_ties(); *tie; tie++) {
                for (uint32_t rule = 0; rule < MODEL_RULE_COUNT && is_good; rule++, i++) {
                    draw_case(stage, &bench->model,
                              i % 3 ? (enum model_order)(i % MODEL_ORDER_COUNT) : MODEL_FCFS,
                              (enum model_rule)(rule % MODEL_RULE_COUNT), 13000000000u + i);
                    if (i / MODEL_RULE_COUNT % 2) { /* nodes leave and come back */
                        model_add_changes(&bench->model, &(struct model_random){.state = i});
                    }
                    bench->model.place = hp_builtin.places[p]->name;
                    bench->model.local = *local;
                    bench->model.tie = *tie;
                    if (i % 4 == 0) {
                        model_draw_speeds(&bench->model, i);
                    }
                    is_good = walks_equally(bench);
                }
            }
        }
    }
    CU_ASSERT_TRUE(is_good);
    free(stage);
    free(bench);
}

static void test_device_head(void)
{
    static const enum model_rule rules[] = {MODEL_EASY, MODEL_EASY_NOEXTRA, MODEL_DEPTH,
                                            MODEL_REBUILT};
    struct model_promise promise = {.head = -1};
    const struct drive_watch watch = {.after_pass = model_head_is_kept, .self = &promise};
    struct model_bench *bench = model_bench_create("the head's planned start on devices");
    struct stage *stage = stage_create();
    size_t places = 0;
    bool is_good = true;

    while (hp_builtin.places[places]) {
        places++;
    }
    bench->is_compared = false;
    bench->watch = &watch;
    for (uint64_t i = 0; i < 4 * 100 && is_good; i++) {
        draw_case(stage, &bench->model, MODEL_FCFS, rules[i % 4], 14000000000u + i);
        bench->model.rule = rules[i % 4];
        bench->model.place = hp_builtin.places[i / 4 % places]->name;
        bench->model.local = i % 3 == 1 ? "island" : NULL;
        model_keep_promises(&bench->model);
        for (uint32_t job = 0; job < bench->model.job_count; job++) {
            struct model_job *it = &bench->model.jobs[job];

            it->request_ns =
                it->request_ns == HS_TIME_NEVER ? it->run_ns + HS_NS_PER_S : it->request_ns;
        }
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(stage);
    free(bench);
}

/* Plain jobs on nodes that also have devices: the starts are those of the naive simulator, which
 * counts and knows no devices, whatever the placement. */
static void test_device_counted(void)
{
    struct model_bench *bench = model_bench_create("plain jobs beside devices");
    struct vector_cluster *cluster = calloc(1, sizeof(*cluster));
    size_t place = 0;
    bool is_good = true;

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    for (uint64_t i = 0; i < MODEL_ORDER_COUNT * 12 && is_good; i++) {
        struct model_random random = {.state = i};
        struct model_case *model = &bench->model;

        model_generate(model, (enum model_order)(i % MODEL_ORDER_COUNT), MODEL_EASY,
                       15000000000u + i);
        naive_run(model, &bench->naive);
        vector_draw_cluster(cluster, &random, model->node_count);
        for (uint32_t node = 0; node < model->node_count; node++) {
            cluster->nodes[node].cores_milli = model->cores_milli[node];
        }
        model->vector = cluster;
        place = hp_builtin.places[place + 1] ? place + 1 : 0;
        model->place = hp_builtin.places[place]->name;
        is_good &= drive_run(model, NULL, NULL, &bench->core, bench->complaint);
        for (uint32_t job = 0; job < model->job_count; job++) {
            is_good &= bench->naive.fate[job] == bench->core.fate[job] &&
                       bench->naive.start_ns[job] == bench->core.start_ns[job] &&
                       bench->naive.end_ns[job] == bench->core.end_ns[job];
        }
        if (!is_good) {
            (void)fprintf(stderr, "\n%s\n", bench->complaint);
            model_print(model, &bench->naive, &bench->core);
        }
    }
    CU_ASSERT_TRUE(is_good);
    free(cluster);
    free(bench);
}

static const struct unit_test tests[] = {
    {"reservations on devices equal the naive simulator", test_devices},
    {"nodes of different speeds", test_speeds},
    {"the plain walk decides the same on devices", test_device_plain},
    {"the head's planned start on devices never moves later", test_device_head},
    {"easy on plain jobs does not see devices", test_device_counted},
};

UNIT_MAIN("model with devices", tests)
