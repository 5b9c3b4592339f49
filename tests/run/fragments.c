/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fragments.c - what is free and lost, kept up by starts and ends, against a plain recomputation
 * over the whole cluster after each of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/levels.h"
#include "unit.h"

#define NODES   14u
#define DEMANDS 9u
#define JOBS    60u
#define STEPS   400
#define CASES   60

static uint64_t random_state;

static uint32_t below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % bound;
}

/* Nodes with 0 to 6 devices of two kinds and, over them, three models. */
static struct hs_cluster *make_cluster(void)
{
    static const char *const kinds[] = {"gpu", "gpu", "fpga"};
    static const char *const models[] = {"x", "y", "z"};
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t devices = i ? below(7) : 3;
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", i);
        CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, name, 1000 * (1 + below(8)), 1000, NULL));
        if (below(2)) {
            CU_ASSERT_FATAL(!hs_cluster_add_node_feature(cluster, "fast", NULL));
        }
        for (uint32_t d = 0; d < devices; d++) {
            uint32_t model = i ? below(3) : d; /* the first node has all */

            CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, kinds[model], models[model],
                                                   HS_NO_GROUP, HS_MEM_UNLIMITED, NULL));
            if (below(3) == 0) {
                CU_ASSERT_FATAL(!hs_cluster_add_device_feature(cluster, "wmma", NULL));
            }
        }
    }
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, NULL));
    return cluster;
}

static void make_demand(const struct hs_cluster *cluster, struct hs_demand *demand)
{
    uint16_t feature;

    *demand = (struct hs_demand){.tasks = 1 + below(3),
                                 .flags = below(8) ? 0 : HS_DEMAND_EXCLUSIVE,
                                 .cores_milli = 500 * below(6),
                                 .device_count = below(4),
                                 .device_share = HS_SHARES_PER_UNIT,
                                 .device_kind = HS_ANY_KIND};
    if (demand->device_count == 1 && below(2)) {
        demand->device_share = 100 + 100 * below(9);
    }
    if (demand->device_count && below(2)) {
        demand->device_kind = (uint16_t)below(2);
    }
    if (demand->device_count && below(3) == 0) {
        demand->model_count = 2;
        demand->models[0] = (uint16_t)below(3);
        demand->models[1] = (uint16_t)below(3);
    }
    if (below(4) == 0 && hs_cluster_find_feature(cluster, "fast", &feature)) {
        demand->node_features = UINT64_C(1) << feature;
    }
    if (demand->device_count && below(4) == 0 &&
        hs_cluster_find_feature(cluster, "wmma", &feature)) {
        demand->features = UINT64_C(1) << feature;
    }
}

/* May a task of the demand be given the device? */
static bool is_allowed(const struct hs_demand *demand, const struct hs_device *device)
{
    bool is_model = demand->model_count == 0;

    for (int i = 0; i < demand->model_count; i++) {
        is_model |= demand->models[i] == device->model;
    }
    return is_model &&
           (demand->device_kind == HS_ANY_KIND || demand->device_kind == device->kind) &&
           (device->features & demand->features) == demand->features;
}

/* Can a task of the demand, as far as a mix looks at it, start on the node? */
static bool is_served(const struct hs_cluster *cluster, const struct hs_free *free, uint32_t node,
                      const struct hs_demand *demand)
{
    const struct hs_node *place = hs_cluster_node(cluster, node);
    uint32_t useful = 0;

    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        useful += is_allowed(demand, hs_cluster_device(cluster, d)) &&
                  hs_free_device_share(free, d) >= demand->device_share;
    }
    return demand->device_count > 0 && useful >= demand->device_count &&
           hs_free_cores_milli(free, node) >= demand->cores_milli &&
           (place->features & demand->node_features) == demand->node_features;
}

/* The sums of one kind and model (UINT16_MAX: any), from nothing. */
static void recompute(const struct hs_cluster *cluster, const struct hs_free *free,
                      const struct hs_mix *mix, uint16_t kind, uint16_t model, int64_t *free_milli,
                      int64_t *lost)
{
    *free_milli = *lost = 0;
    for (uint32_t d = 0; d < hs_cluster_device_count(cluster); d++) {
        const struct hs_device *device = hs_cluster_device(cluster, d);
        uint32_t share = hs_free_device_share(free, d);

        if ((kind != UINT16_MAX && device->kind != kind) ||
            (model != UINT16_MAX && device->model != model)) {
            continue;
        }
        *free_milli += share;
        for (size_t m = 0; m < mix->count; m++) {
            bool is_useful = is_served(cluster, free, device->node, &mix->demands[m]) &&
                             is_allowed(&mix->demands[m], device) &&
                             share >= mix->demands[m].device_share;

            *lost += is_useful ? 0 : mix->jobs[m] * share;
        }
    }
}

struct job {
    struct hs_alloc_buffer buffer;
    const struct hs_demand *demand; /* NULL: it does not run */
};

struct setting {
    struct hs_cluster *cluster;
    struct hs_free *free; /* beside the one that is tested */
    struct hs_demand demands[DEMANDS];
    double weights[DEMANDS];
    int64_t counts[DEMANDS];
    struct hs_mix mix;
    struct levels levels;
    struct job jobs[JOBS];
};

static void compare(const struct setting *setting)
{
    const struct levels *levels = &setting->levels;
    const struct result_groups *groups = &levels->groups;
    size_t slots = groups->kind_count + groups->count;
    const int64_t *free_milli = levels->now + slots;
    const int64_t *lost = levels->now + 2 * slots;
    double total = 0;

    CU_ASSERT_EQUAL(levels->count, 3 * slots);
    for (size_t i = 0; i < slots; i++) {
        uint16_t kind = (uint16_t)i;
        uint16_t model = UINT16_MAX;
        int64_t wanted_free;
        int64_t wanted_lost;
        double sum = 0;

        if (i >= groups->kind_count) {
            kind = groups->groups[i - groups->kind_count].kind_index;
            CU_ASSERT(hs_cluster_find_model(setting->cluster,
                                            groups->groups[i - groups->kind_count].model, &model));
        }
        recompute(setting->cluster, setting->free, &setting->mix, kind, model, &wanted_free,
                  &wanted_lost);
        CU_ASSERT_EQUAL_FATAL(free_milli[i], wanted_free);
        CU_ASSERT_EQUAL_FATAL(lost[i], wanted_lost);
        for (uint32_t n = 0; i < groups->kind_count && n < NODES; n++) {
            sum += hs_mix_fragment(&setting->mix, setting->free, n, kind);
        }
        if (i < groups->kind_count) {
            CU_ASSERT_DOUBLE_EQUAL(sum, (double)lost[i] / (double)setting->mix.job_count, 1e-6);
            total += sum;
        }
    }
    CU_ASSERT_DOUBLE_EQUAL(fragments_total(&levels->fragments), total, 1e-6);
}

/* Starts or ends one job at random. */
static void step(struct setting *setting)
{
    struct job *job = &setting->jobs[below(JOBS)];

    if (job->demand) {
        levels_ended(&setting->levels, job->demand, &job->buffer.alloc);
        hs_free_release(setting->free, job->demand, &job->buffer.alloc);
        job->demand = NULL;
        return;
    }
    job->demand = &setting->demands[below(DEMANDS)];
    if (!hs_free_place(setting->free, job->demand, NULL, &job->buffer)) {
        job->demand = NULL;
        return;
    }
    hs_free_take(setting->free, job->demand, &job->buffer.alloc);
    levels_started(&setting->levels, job->demand, &job->buffer.alloc);
}

static void play(struct setting *setting)
{
    setting->cluster = make_cluster();
    setting->free = hs_free_create(setting->cluster);
    setting->mix = (struct hs_mix){.demands = setting->demands,
                                   .weights = setting->weights,
                                   .count = 1 + below(DEMANDS),
                                   .jobs = setting->counts};
    for (size_t i = 0; i < DEMANDS; i++) {
        make_demand(setting->cluster, &setting->demands[i]);
        setting->counts[i] = 1 + below(1000);
        setting->mix.job_count += i < setting->mix.count ? setting->counts[i] : 0;
    }
    for (size_t i = 0; i < setting->mix.count; i++) {
        setting->weights[i] = (double)setting->counts[i] / (double)setting->mix.job_count;
    }
    CU_ASSERT_FATAL(
        !levels_init(&setting->levels, setting->cluster, true, false, &setting->mix, NULL));
    compare(setting);
    for (int i = 0; i < STEPS; i++) {
        step(setting);
        compare(setting);
    }
    for (size_t i = 0; i < JOBS; i++) {
        hs_alloc_buffer_fini(&setting->jobs[i].buffer);
    }
    levels_fini(&setting->levels);
    hs_free_destroy(setting->free);
    hs_cluster_destroy(setting->cluster);
}

static void as_recomputed(void)
{
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct setting setting = {0};

        random_state = seed;
        play(&setting);
    }
}

/* A sum of 2^63 does not come about silently. */
static void too_much(void)
{
    struct hs_demand demand = {.tasks = 1, .device_kind = HS_ANY_KIND};
    int64_t jobs = INT64_MAX / 1000;
    struct hs_mix mix = {&demand, (double[]){1}, 1, &jobs, INT64_MAX / 1000};
    struct hs_error error = {0};
    struct levels levels;
    struct hs_cluster *cluster;

    random_state = 1;
    cluster = make_cluster();
    CU_ASSERT_EQUAL(levels_init(&levels, cluster, true, false, &mix, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "has no room in 64 bits"));
    levels_fini(&levels);
    CU_ASSERT_EQUAL(levels_init(&levels, cluster, false, false, &mix, &error), HS_OK);
    CU_ASSERT_EQUAL(levels.count, 2);
    levels_fini(&levels);
    hs_cluster_destroy(cluster);
}

/* Without a mix nothing is lost. */
static void no_mix(void)
{
    struct levels levels;
    struct hs_cluster *cluster;

    random_state = 2;
    cluster = make_cluster();
    CU_ASSERT_FATAL(!levels_init(&levels, cluster, true, false, NULL, NULL));
    CU_ASSERT_EQUAL(fragments_total(&levels.fragments), 0);
    CU_ASSERT(levels.fragments.free_milli[0] > 0);
    CU_ASSERT(levels_are_new(&levels));
    levels_keep(&levels);
    CU_ASSERT(!levels_are_new(&levels));
    levels_fini(&levels);
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"as recomputed after each event", as_recomputed},
    {"too much for a sum", too_much},
    {"no mix", no_mix},
};

UNIT_MAIN("run: fragments", tests)
