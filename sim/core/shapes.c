/* SPDX-License-Identifier: MIT */
/* shapes.c - demands are few: equal ones are stored once, and classified once.
 *
 * A shape has a unit if jobs of that unit can be counted instead of placed: plain task vectors
 * without constraints (the tasks of equal vectors leave no gaps that another task of the same
 * vector could not fill), and whole nodes of a cluster with one class of nodes. */
#include "sched_internal.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

/* Equal demands shall be equal bytes: what says nothing is zero, and where the alternatives stand
 * is left out. */
static struct hs_demand canonical(const struct hs_demand *demand)
{
    struct hs_demand plain = *demand;

    plain.alternatives = NULL;
    if (!plain.device_count) {
        plain.device_share = 0;
        plain.device_kind = 0;
        plain.device_mem = 0;
        plain.features = 0;
        plain.flags &= ~(uint32_t)HS_DEMAND_SAME_ISLAND;
        plain.model_count = 0;
    }
    for (uint16_t i = plain.model_count; i < HS_MODEL_MAX; i++) {
        plain.models[i] = 0;
    }
    return plain;
}

/* `plain` is canonical, of `demand`. */
static uint64_t hash_demand(const struct hs_demand *plain, const struct hs_demand *demand,
                            uint64_t hash)
{
    uint64_t words[sizeof *plain / sizeof(uint64_t)];

    memcpy(words, plain, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash = hsi_mix64(hash ^ words[i]) + (uint64_t)i;
    }
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        struct hs_demand alternative = canonical(&demand->alternatives[a]);

        hash = hash_demand(&alternative, &demand->alternatives[a], hash);
    }
    return hash;
}

/* `kept` is canonical, and so is `plain`, of `demand`. */
static bool is_equal(const struct hs_demand *kept, const struct hs_demand *plain,
                     const struct hs_demand *demand)
{
    struct hs_demand other = *kept;

    if (!kept->alternative_count) {
        return memcmp(kept, plain, sizeof *plain) == 0;
    }
    other.alternatives = NULL;
    if (memcmp(&other, plain, sizeof *plain) != 0) {
        return false;
    }
    for (uint32_t a = 0; a < kept->alternative_count; a++) {
        struct hs_demand alternative = canonical(&demand->alternatives[a]);

        if (!is_equal(&kept->alternatives[a], &alternative, &demand->alternatives[a])) {
            return false;
        }
    }
    return true;
}

static void bucket_insert(struct hsi_shapes *shapes, uint32_t index)
{
    uint32_t mask = shapes->bucket_count - 1;
    const struct hs_demand *demand = &shapes->list[index]->demand;
    struct hs_demand plain = canonical(demand); /* without the address of its alternatives */
    uint32_t bucket = (uint32_t)hash_demand(&plain, demand, 0) & mask;

    while (shapes->buckets[bucket] != HSI_NONE) {
        bucket = (bucket + 1) & mask;
    }
    shapes->buckets[bucket] = index;
}

static bool make_room(struct hsi_shapes *shapes)
{
    uint32_t room = shapes->room ? shapes->room * 2 : 64;
    struct hsi_shape **list;
    uint32_t *buckets;

    if (shapes->count < shapes->room) {
        return true;
    }
    list = realloc(shapes->list, room * sizeof *list);
    if (!list) {
        return false;
    }
    shapes->list = list;
    buckets = malloc(2 * room * sizeof *buckets);
    if (!buckets) {
        return false;
    }
    free(shapes->buckets);
    shapes->buckets = buckets;
    shapes->bucket_count = 2 * room;
    shapes->room = room;
    memset(buckets, 0xff, 2 * room * sizeof *buckets); /* HSI_NONE */
    for (uint32_t i = 0; i < shapes->count; i++) {
        bucket_insert(shapes, i);
    }
    return true;
}

/* Units that an empty node holds at once. */
static int64_t node_capacity(const struct hs_sched *sched, const struct hsi_unit *unit,
                             uint32_t node)
{
    struct hs_demand many = {
        .tasks = UINT32_MAX, .cores_milli = unit->cores_milli, .mem_bytes = unit->mem_bytes};

    return unit->cores_milli < 0 ? 1 : hs_free_node_tasks(sched->empty, node, &many);
}

/* Units that the nodes that are available hold at once, when they are empty. */
static int64_t capacity_of(const struct hs_sched *sched, const struct hsi_unit *unit)
{
    int64_t capacity = 0;

    for (uint32_t i = 0; i < hs_cluster_node_count(sched->cluster); i++) {
        capacity += hs_free_is_available(sched->free, i) ? node_capacity(sched, unit, i) : 0;
    }
    return capacity;
}

static uint32_t find_unit(struct hs_sched *sched, int64_t cores_milli, int64_t mem_bytes)
{
    struct hsi_unit made = {.cores_milli = cores_milli, .mem_bytes = mem_bytes};
    struct hsi_shapes *shapes = &sched->shapes;

    for (uint32_t i = 0; i < shapes->unit_count; i++) {
        if (shapes->units[i].cores_milli == cores_milli &&
            shapes->units[i].mem_bytes == mem_bytes) {
            return i;
        }
    }
    if (shapes->unit_count == HSI_UNIT_MAX) {
        return HSI_NONE;
    }
    made.capacity = capacity_of(sched, &made);
    shapes->units[shapes->unit_count] = made;
    return shapes->unit_count++;
}

static bool has_memory_model(const struct hs_cluster *cluster)
{
    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        if (hs_cluster_node(cluster, i)->mem_bytes != HS_MEM_UNLIMITED) {
            return true;
        }
    }
    return false;
}

static void classify(struct hs_sched *sched, struct hsi_shape *shape)
{
    const struct hs_demand *demand = &shape->demand;
    int64_t procs_milli = demand->cores_milli * demand->tasks;
    int64_t procs = (procs_milli + 999) / 1000;

    shape->procs = procs < 1 ? 1 : procs > UINT32_MAX ? UINT32_MAX : (uint32_t)procs;
    shape->unit = HSI_NONE;
    shape->group = HSI_NONE;
    shape->units = demand->tasks;
    shape->can_run = hs_free_place(sched->empty, demand, NULL, &sched->buffer);
    if ((demand->flags & ~(uint32_t)HS_DEMAND_EXCLUSIVE) || demand->device_count ||
        demand->node_features || demand->alternative_count) {
        return;
    }
    if (demand->flags & HS_DEMAND_EXCLUSIVE) {
        int64_t per_node = hs_free_node_tasks(sched->empty, 0, demand);

        if (hs_cluster_class_count(sched->cluster) == 1 && per_node > 0) {
            shape->unit = find_unit(sched, -1, 0);
            shape->units = (uint32_t)((demand->tasks + per_node - 1) / per_node);
        }
    } else if (!demand->tasks_per_node && demand->cores_milli > 0) {
        int64_t mem = has_memory_model(sched->cluster) ? demand->mem_bytes : 0;

        shape->unit = find_unit(sched, demand->cores_milli, mem);
    }
}

static void destroy(struct hsi_shape *shape)
{
    if (shape) {
        free((void *)(uintptr_t)shape->demand.alternatives);
        free(shape);
    }
}

static struct hsi_shape *create(const struct hs_demand *demand)
{
    struct hsi_shape *shape = calloc(1, sizeof *shape);
    struct hs_demand *alternatives;

    if (!shape) {
        return NULL;
    }
    shape->demand = canonical(demand);
    if (demand->alternative_count) {
        alternatives = calloc(demand->alternative_count, sizeof *alternatives);
        if (!alternatives) {
            free(shape);
            return NULL;
        }
        for (uint32_t a = 0; a < demand->alternative_count; a++) {
            alternatives[a] = canonical(&demand->alternatives[a]);
        }
        shape->demand.alternatives = alternatives;
    }
    return shape;
}

/* Most demands of a trace differ in the number of tasks alone: those are found by that number. */
static bool find_by_tasks(const struct hsi_shapes *shapes, const struct hs_demand *demand,
                          uint32_t *shape)
{
    struct hs_demand rest = *demand;

    rest.tasks = 0;
    if (demand->tasks >= HSI_TASKS_KNOWN || memcmp(&rest, &shapes->usual, sizeof rest) != 0) {
        return false;
    }
    *shape = shapes->by_tasks[demand->tasks];
    return *shape != HSI_NONE;
}

static void know_by_tasks(struct hsi_shapes *shapes, const struct hs_demand *demand, uint32_t shape)
{
    struct hs_demand rest = *demand;

    rest.tasks = 0;
    if (demand->tasks >= HSI_TASKS_KNOWN || demand->alternative_count) {
        return;
    }
    if (shapes->count == 0) {
        shapes->usual = rest;
        memset(shapes->by_tasks, 0xff, sizeof shapes->by_tasks); /* HSI_NONE */
    }
    if (memcmp(&rest, &shapes->usual, sizeof rest) == 0) {
        shapes->by_tasks[demand->tasks] = shape;
    }
}

enum hs_err hsi_shape_find(struct hs_sched *sched, const struct hs_demand *demand, uint32_t *shape,
                           struct hs_error *error)
{
    struct hsi_shapes *shapes = &sched->shapes;
    struct hs_demand plain;
    struct hsi_shape *made;

    if (shapes->count && find_by_tasks(shapes, demand, shape)) {
        return HS_OK;
    }
    plain = canonical(demand);

    if (shapes->bucket_count) {
        uint32_t mask = shapes->bucket_count - 1;
        uint32_t bucket = (uint32_t)hash_demand(&plain, demand, 0) & mask;

        for (; shapes->buckets[bucket] != HSI_NONE; bucket = (bucket + 1) & mask) {
            uint32_t index = shapes->buckets[bucket];

            if (is_equal(&shapes->list[index]->demand, &plain, demand)) {
                *shape = index;
                return HS_OK;
            }
        }
    }
    made = create(demand);
    if (!made || !make_room(shapes) ||
        !hs_alloc_buffer_reserve(&sched->buffer, sched->cluster, &made->demand)) {
        destroy(made);
        return hs_error_memory(error);
    }
    classify(sched, made);
    hs_free_expect(sched->free, &made->demand);
    know_by_tasks(shapes, demand, shapes->count);
    shapes->list[shapes->count] = made;
    bucket_insert(shapes, shapes->count);
    *shape = shapes->count++;
    return HS_OK;
}

static void find_live_capacity(struct hsi_shapes *shapes)
{
    shapes->live_capacity = 0;
    for (uint32_t i = 0; i < shapes->unit_count; i++) {
        if (shapes->units[i].live_jobs > 0) {
            shapes->live_capacity = shapes->units[i].capacity;
            return;
        }
    }
}

void hsi_shape_live(struct hs_sched *sched, uint32_t shape, int change)
{
    struct hsi_shapes *shapes = &sched->shapes;
    uint32_t index = shapes->list[shape]->unit;

    if (index == HSI_NONE) {
        shapes->uncounted_jobs += change;
    } else {
        struct hsi_unit *unit = &shapes->units[index];
        bool was_live = unit->live_jobs > 0;

        unit->live_jobs += change;
        if (was_live != (unit->live_jobs > 0)) {
            shapes->live_units += was_live ? UINT32_MAX : 1; /* minus or plus one */
            find_live_capacity(shapes);
        }
    }
}

void hsi_shapes_change_node(struct hs_sched *sched, uint32_t node, bool is_available)
{
    struct hsi_shapes *shapes = &sched->shapes;

    for (uint32_t i = 0; i < shapes->unit_count; i++) {
        int64_t units = node_capacity(sched, &shapes->units[i], node);

        shapes->units[i].capacity += is_available ? units : -units;
    }
    find_live_capacity(shapes);
}

void hsi_shapes_fini(struct hs_sched *sched)
{
    for (uint32_t i = 0; i < sched->shapes.count; i++) {
        destroy(sched->shapes.list[i]);
    }
    free(sched->shapes.list);
    free(sched->shapes.buckets);
}
