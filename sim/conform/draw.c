/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.c - draws a case: first the habits of the workload, then its jobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/case.h"
#include "hs/free.h"

#define GIB (INT64_C(1) << 30)

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
struct dice {
    uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
    uint64_t bits = dice->state += UINT64_C(0x9E3779B97F4A7C15);

    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

/* Both ends included. */
static uint32_t between(struct dice *dice, uint32_t low, uint32_t high)
{
    return low + (uint32_t)(roll(dice) % (high - low + 1));
}

static bool chance(struct dice *dice, uint32_t percent)
{
    return between(dice, 1, 100) <= percent;
}

/* A kind of nodes. */
struct mould {
    int64_t cores_milli, mem_bytes;
    uint32_t devices, island;
    uint32_t model;
};

static const struct {
    const char *kind, *model;
    int64_t mem_bytes;
} models[] = {
    {"gpu", "small-gpu", 16 * GIB},
    {"gpu", "large-gpu", 80 * GIB},
    {"fpga", "fpga", HS_MEM_UNLIMITED},
};

enum { MODEL_COUNT = sizeof models / sizeof models[0] };

static void draw_moulds(struct dice *dice, bool has_devices, struct mould *moulds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        moulds[i] = (struct mould){
            .cores_milli = 1000 * (int64_t)between(dice, 1, 8),
            .mem_bytes = HS_MEM_UNLIMITED,
            .model = between(dice, 0, MODEL_COUNT - 1),
        };
        if (has_devices) {
            moulds[i].mem_bytes = GIB * between(dice, 16, 128);
            moulds[i].devices = chance(dice, 25) ? 0 : between(dice, 1, 4);
            moulds[i].island = between(dice, 1, 4);
        }
    }
}

static enum hs_err add_node(struct hs_cluster *cluster, uint32_t index, const struct mould *mould,
                            struct hs_error *error)
{
    enum hs_err err;
    char name[16];

    (void)snprintf(name, sizeof name, "n%u", index);
    err = hs_cluster_add_node(cluster, name, mould->cores_milli, mould->mem_bytes, error);
    hs_cluster_set_rack(cluster, index / 4);
    for (uint32_t d = 0; err == HS_OK && d < mould->devices; d++) {
        err = hs_cluster_add_device(cluster, models[mould->model].kind, models[mould->model].model,
                                    d / mould->island, models[mould->model].mem_bytes, error);
    }
    return err;
}

static enum hs_err draw_cluster(struct conform_case *model, struct dice *dice, bool has_devices,
                                struct hs_error *error)
{
    struct mould moulds[3];
    uint32_t mould_count = between(dice, 1, has_devices || chance(dice, 30) ? 3 : 1);
    uint32_t count = between(dice, 1, chance(dice, 50) ? 6 : CASE_NODES_MAX);
    enum hs_err err = HS_OK;

    draw_moulds(dice, has_devices, moulds, mould_count);
    model->cluster = hs_cluster_create();
    if (!model->cluster) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; err == HS_OK && i < count; i++) {
        err = add_node(model->cluster, i, &moulds[between(dice, 0, mould_count - 1)], error);
    }
    err = err == HS_OK ? hs_cluster_seal(model->cluster, error) : err;
    if (err == HS_OK && chance(dice, 25)) {
        model->class_count = between(dice, 1, CASE_CLASSES_MAX);
        for (uint32_t class = 0; class < model->class_count; class ++) {
            model->permille[class] = class ? between(dice, 1000, 4000) : 1000;
        }
        for (uint32_t node = 0; node < count; node++) { /* every class has a node */
            model->class_of_node[node] = node % model->class_count;
        }
        model->class_count = model->class_count < count ? model->class_count : count;
    }
    return err;
}

static void draw_device_demand(const struct conform_case *model, struct dice *dice,
                               struct hs_demand *demand)
{
    static const uint32_t shares[] = {100, 250, 500, 700};

    *demand = (struct hs_demand){
        .tasks = between(dice, 1, chance(dice, 20) ? 8 : 3),
        .cores_milli = 500 * (int64_t)between(dice, 1, 6),
        .mem_bytes = chance(dice, 50) ? 0 : GIB * between(dice, 1, 16),
        .device_kind = HS_ANY_KIND,
    };
    if (hs_cluster_device_count(model->cluster) && chance(dice, 65)) {
        demand->device_count = between(dice, 1, chance(dice, 70) ? 1 : 4);
        demand->device_share = HS_SHARES_PER_UNIT;
        if (demand->device_count == 1 && chance(dice, 40)) {
            demand->device_share = shares[between(dice, 0, 3)];
        }
        demand->device_mem = chance(dice, 80) ? 0 : GIB * between(dice, 1, 8);
        if (chance(dice, 60)) {
            demand->device_kind =
                (uint16_t)between(dice, 0, hs_cluster_kind_count(model->cluster) - 1u);
        }
        demand->flags |= chance(dice, 15) ? HS_DEMAND_SAME_ISLAND : 0;
    }
    demand->flags |= chance(dice, 8) ? HS_DEMAND_EXCLUSIVE : 0;
    demand->flags |= chance(dice, 8) ? HS_DEMAND_SPREAD : 0;
    demand->flags |= chance(dice, 8) ? HS_DEMAND_SAME_NODE : 0;
}

/* Demands that the empty cluster meets, some with alternatives. */
static enum hs_err draw_demands(struct conform_case *model, struct dice *dice,
                                struct hs_error *error)
{
    struct hs_free *empty = hs_free_create(model->cluster);

    if (!empty) {
        return hs_error_memory(error);
    }
    model->demand_count = between(dice, 1, CASE_DEMANDS_MAX);
    for (uint32_t i = 0; i < model->demand_count; i++) {
        struct hs_demand *demand = &model->demands[i];
        uint32_t alternatives = chance(dice, 80) ? 0 : between(dice, 1, CASE_ALTERNATIVES_MAX);

        for (uint32_t tries = 0;; tries++) {
            draw_device_demand(model, dice, demand);
            if (hs_free_fits(empty, demand)) {
                break;
            }
            if (tries == 50) {
                *demand =
                    (struct hs_demand){.tasks = 1, .cores_milli = 500, .device_kind = HS_ANY_KIND};
                break;
            }
        }
        for (uint32_t k = 0; k < alternatives; k++) {
            draw_device_demand(model, dice, &model->alternatives[i][k]);
        }
        demand->alternatives = alternatives ? model->alternatives[i] : NULL;
        demand->alternative_count = alternatives;
    }
    hs_free_destroy(empty);
    return HS_OK;
}

/* What the jobs of a case have in common. */
struct habits {
    hs_time tick_ns;
    uint32_t gap_max, tie_percent; /* ticks between submissions; submitted with the one before */
    uint32_t request_max;          /* ticks */
    uint32_t exact_percent, overrun_percent, endless_percent, cancel_percent;
    uint32_t narrow_percent;
    uint32_t user_count;
};

static struct habits draw_habits(struct dice *dice)
{
    static const hs_time ticks[] = {HS_NS_PER_S, HS_NS_PER_S, 60 * HS_NS_PER_S, 250000000, 1};
    static const uint32_t request_max[] = {3, 10, 30, 1000, 100000};
    struct habits habits = {
        .tick_ns = ticks[between(dice, 0, 4)],
        .request_max = request_max[between(dice, 0, 4)],
        .tie_percent = chance(dice, 60) ? 30 : 90,
        .exact_percent = chance(dice, 30) ? 100 : between(dice, 0, 60),
        .overrun_percent = chance(dice, 85) ? 0 : 20,
        .endless_percent = chance(dice, 90) ? 0 : 20,
        .cancel_percent = chance(dice, 70) ? 0 : 20,
        .narrow_percent = between(dice, 0, 100),
        .user_count = between(dice, 1, 5),
    };

    habits.gap_max = 1 + habits.request_max / between(dice, 1, 8);
    return habits;
}

static void draw_times(const struct habits *habits, struct dice *dice, struct case_job *job)
{
    uint32_t request = between(dice, 1, habits->request_max);
    uint32_t run = chance(dice, habits->exact_percent) ? request : between(dice, 0, request);

    if (chance(dice, habits->overrun_percent)) {
        run = request + between(dice, 1, habits->request_max);
    }
    job->run_ns = (hs_time)run * habits->tick_ns;
    job->request_ns = (hs_time)request * habits->tick_ns;
    if (chance(dice, habits->endless_percent)) {
        job->request_ns = HS_TIME_NEVER;
    }
    job->cancel_ns = HS_TIME_NEVER;
    if (chance(dice, habits->cancel_percent)) {
        job->cancel_ns =
            job->submit_ns + (hs_time)between(dice, 0, 3 * habits->request_max) * habits->tick_ns;
    }
}

static void draw_jobs(struct conform_case *model, struct dice *dice)
{
    struct habits habits = draw_habits(dice);
    uint32_t cores = (uint32_t)(hs_cluster_cores_milli(model->cluster) / 1000);
    hs_time submit = chance(dice, 70) ? 0 : (hs_time)between(dice, 1, 1500000000) * HS_NS_PER_S;

    model->job_count = between(dice, 1, chance(dice, 30) ? 8 : CONFORM_JOBS_MAX);
    for (uint32_t i = 0; i < model->job_count; i++) {
        struct case_job *job = &model->jobs[i];

        if (i > 0 && !chance(dice, habits.tie_percent)) {
            submit += (hs_time)between(dice, 0, habits.gap_max) * habits.tick_ns;
        }
        *job = (struct case_job){
            .submit_ns = submit,
            .priority = between(dice, 0, 3),
            .user = (int32_t)between(dice, 0, habits.user_count) - 1, /* -1: unknown */
            .group = (int32_t)between(dice, 0, 2) - 1,
            .queue = (int32_t)between(dice, 0, 2) - 1,
            .job_class = (int32_t)between(dice, 0, 3) - 1,
        };
        if (model->demand_count) {
            job->demand = model->demands[between(dice, 0, model->demand_count - 1)];
        } else {
            job->demand.cores_milli = 1000;
            job->demand.tasks =
                between(dice, 1, chance(dice, habits.narrow_percent) ? cores / 4 + 1 : cores);
            job->demand.device_kind = HS_ANY_KIND;
        }
        draw_times(&habits, dice, job);
    }
    model->fail_percent = chance(dice, 75) ? 0 : between(dice, 1, 30);
    model->delay_ns = chance(dice, 75) ? 0 : (hs_time)between(dice, 1, 3) * habits.tick_ns;
    model->restart_ns = chance(dice, 50) ? 0 : habits.tick_ns;
}

static int compare_changes(const void *left, const void *right)
{
    const struct case_change *a = left;
    const struct case_change *b = right;

    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Nodes leave and come back when something else happens, too: when a job comes or may end. */
static void draw_changes(struct conform_case *model, struct dice *dice)
{
    uint32_t nodes = hs_cluster_node_count(model->cluster);
    bool is_away[CASE_NODES_MAX] = {false};
    hs_time last = 0;

    model->change_count = between(dice, 1, 8);
    for (uint32_t i = 0; i < model->change_count; i++) {
        const struct case_job *job = &model->jobs[between(dice, 0, model->job_count - 1)];

        model->changes[i].time_ns = job->submit_ns + (chance(dice, 50) ? job->run_ns : 0);
        model->changes[i].node = between(dice, 0, nodes - 1);
    }
    qsort(model->changes, model->change_count, sizeof model->changes[0], compare_changes);
    for (uint32_t i = 0; i < model->change_count; i++) {
        struct case_change *change = &model->changes[i];

        change->is_available = is_away[change->node];
        is_away[change->node] = !is_away[change->node];
        last = change->time_ns;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        if (is_away[node]) {
            last += (hs_time)between(dice, 0, 20) * HS_NS_PER_S;
            model->changes[model->change_count++] = (struct case_change){last, node, true};
        }
    }
}

enum hs_err case_draw(struct conform_case *model, uint64_t seed, uint32_t jobs,
                      struct hs_error *error)
{
    struct dice dice = {.state = seed};
    bool has_devices = chance(&dice, 50);
    enum hs_err err;

    memset(model, 0, sizeof *model);
    model->seed = seed;
    err = draw_cluster(model, &dice, has_devices, error);
    if (err == HS_OK && has_devices) {
        err = draw_demands(model, &dice, error);
    }
    if (err != HS_OK) {
        case_fini(model);
        return err;
    }
    draw_jobs(model, &dice);
    if (chance(&dice, 40)) {
        draw_changes(model, &dice);
    }
    if (jobs && jobs < model->job_count) {
        model->job_count = jobs;
    }
    return HS_OK;
}

void case_fini(struct conform_case *model)
{
    hs_cluster_destroy(model->cluster);
    model->cluster = NULL;
}

bool case_start_fails(const struct conform_case *model, uint32_t job)
{
    struct dice dice = {.state = model->seed ^ ((uint64_t)job << 32)};

    return chance(&dice, model->fail_percent);
}

hs_time case_at(const struct conform_case *model, hs_time time, uint32_t speed_class)
{
    return time == HS_TIME_NEVER || !model->class_count
               ? time
               : (hs_time)((hs_int128)time * model->permille[speed_class] / 1000);
}

hs_time case_scaled(const struct conform_case *model, hs_time time, const struct hs_alloc *alloc)
{
    hs_time longest = time;

    for (uint32_t s = 0; model->class_count && s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t node = span->first_node; node < span->first_node + span->node_count; node++) {
            hs_time here = case_at(model, time, model->class_of_node[node]);

            longest = here > longest ? here : longest;
        }
    }
    return longest;
}
