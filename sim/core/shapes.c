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

static uint64_t hash_demand(const struct hs_demand *demand)
{
    uint64_t words[sizeof *demand / sizeof(uint64_t)];
    uint64_t hash = 0;

    memcpy(words, demand, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash = hsi_mix64(hash ^ words[i]) + (uint64_t)i;
    }
    return hash;
}

static void bucket_insert(struct hsi_shapes *shapes, uint32_t index)
{
    uint32_t mask = shapes->bucket_count - 1;
    uint32_t bucket = (uint32_t)hash_demand(&shapes->list[index]->demand) & mask;

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

/* Tasks of the demand that the empty cluster holds at once. */
static int64_t capacity_of(struct hs_sched *sched, const struct hs_demand *demand)
{
    struct hs_demand many = *demand;
    int64_t capacity = 0;

    many.tasks = UINT32_MAX;
    for (uint32_t i = 0; i < hs_cluster_node_count(sched->cluster); i++) {
        capacity += hs_free_node_tasks(sched->empty, i, &many);
    }
    return capacity;
}

static uint32_t find_unit(struct hs_sched *sched, int64_t cores_milli, int64_t mem_bytes,
                          int64_t capacity)
{
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
    shapes->units[shapes->unit_count] = (struct hsi_unit){cores_milli, mem_bytes, capacity, 0};
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
    if (demand->flags & ~(uint32_t)HS_DEMAND_EXCLUSIVE) {
        return;
    }
    if (demand->flags & HS_DEMAND_EXCLUSIVE) {
        int64_t per_node = hs_free_node_tasks(sched->empty, 0, demand);

        if (hs_cluster_class_count(sched->cluster) == 1 && per_node > 0) {
            shape->unit = find_unit(sched, -1, 0, hs_cluster_node_count(sched->cluster));
            shape->units = (uint32_t)((demand->tasks + per_node - 1) / per_node);
        }
    } else if (!demand->tasks_per_node && demand->cores_milli > 0) {
        int64_t mem = has_memory_model(sched->cluster) ? demand->mem_bytes : 0;

        shape->unit = find_unit(sched, demand->cores_milli, mem, capacity_of(sched, demand));
    }
}

enum hs_err hsi_shape_find(struct hs_sched *sched, const struct hs_demand *demand, uint32_t *shape,
                           struct hs_error *error)
{
    struct hsi_shapes *shapes = &sched->shapes;
    struct hsi_shape *made;

    if (shapes->bucket_count) {
        uint32_t mask = shapes->bucket_count - 1;
        uint32_t bucket = (uint32_t)hash_demand(demand) & mask;

        for (; shapes->buckets[bucket] != HSI_NONE; bucket = (bucket + 1) & mask) {
            uint32_t index = shapes->buckets[bucket];

            if (memcmp(&shapes->list[index]->demand, demand, sizeof *demand) == 0) {
                *shape = index;
                return HS_OK;
            }
        }
    }
    made = calloc(1, sizeof *made);
    if (!made || !make_room(shapes)) {
        free(made);
        return hs_error_memory(error);
    }
    made->demand = *demand;
    classify(sched, made);
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

void hsi_shapes_fini(struct hs_sched *sched)
{
    for (uint32_t i = 0; i < sched->shapes.count; i++) {
        free(sched->shapes.list[i]);
    }
    free(sched->shapes.list);
    free(sched->shapes.buckets);
}
