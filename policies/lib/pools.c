/* SPDX-License-Identifier: MIT */
/* pools.c - pools of like nodes, and what jobs take of them. */
#include "lib/pools.h"

#include <stdlib.h>
#include <string.h>

#define NO_POOL    UINT32_MAX
#define TASKS_MANY (1u << 20) /* more than any node takes, but of tasks that ask for nothing */

/* Finds the pool of each node: by pairs of classes, in an open table. */
static bool number_pools(struct hp_node_pools *pools, const struct hs_view *view)
{
    const struct hs_cluster *cluster = hs_view_cluster(view);
    uint32_t node_count = hs_cluster_node_count(cluster);
    uint32_t size = 16;
    uint32_t *table; /* first node of a pool, + 1; 0: empty */

    while (size < 2 * node_count) {
        size *= 2;
    }
    table = calloc(size, sizeof *table);
    if (!table) {
        return false;
    }
    for (uint32_t node = 0; node < node_count; node++) {
        uint32_t speed = hs_view_speed_class(view, node);
        uint32_t class = hs_cluster_node(cluster, node)->class_index;
        uint64_t hash = ((uint64_t)speed << 32 | class) * UINT64_C(0x9e3779b97f4a7c15);
        uint32_t place = (uint32_t)(hash >> 32) & (size - 1);

        while (table[place] && (hs_view_speed_class(view, table[place] - 1) != speed ||
                                hs_cluster_node(cluster, table[place] - 1)->class_index != class)) {
            place = (place + 1) & (size - 1);
        }
        if (!table[place]) {
            table[place] = node + 1;
            pools->speed_class[pools->count] = speed;
            pools->node_slots[pools->count] = 1;
            pools->of_node[node] = pools->count++;
        } else {
            pools->of_node[node] = pools->of_node[table[place] - 1];
        }
    }
    free(table);
    return true;
}

static void sort_nodes(struct hp_node_pools *pools, uint32_t node_count)
{
    uint32_t *begin = pools->nodes_begin;

    for (uint32_t node = 0; node < node_count; node++) {
        begin[pools->of_node[node] + 1]++;
    }
    for (uint32_t pool = 0; pool < pools->count; pool++) {
        begin[pool + 1] += begin[pool];
    }
    for (uint32_t node = 0; node < node_count; node++) {
        pools->nodes[begin[pools->of_node[node]]++] = node;
    }
    memmove(&begin[1], &begin[0], pools->count * sizeof *begin);
    begin[0] = 0;
}

bool hp_pools_init(struct hp_node_pools *pools, const struct hs_view *view)
{
    const struct hs_cluster *cluster = hs_view_cluster(view);
    uint32_t node_count = hs_cluster_node_count(cluster);

    pools->of_node = calloc(node_count, sizeof *pools->of_node);
    pools->nodes = calloc(node_count, sizeof *pools->nodes);
    pools->nodes_begin = calloc(node_count + (size_t)1, sizeof *pools->nodes_begin);
    pools->speed_class = calloc(node_count, sizeof *pools->speed_class);
    pools->node_slots = calloc(node_count, sizeof *pools->node_slots);
    pools->away_count = calloc(node_count, sizeof *pools->away_count);
    pools->part = calloc((node_count + (size_t)63) / 64, sizeof *pools->part);
    pools->part_pool = NO_POOL;
    pools->idle = hs_free_create(cluster);
    if (!pools->of_node || !pools->nodes || !pools->nodes_begin || !pools->speed_class ||
        !pools->node_slots || !pools->away_count || !pools->part || !pools->idle ||
        !number_pools(pools, view)) {
        return false;
    }
    sort_nodes(pools, node_count);
    return hs_alloc_buffer_reserve(&pools->buffer, cluster, NULL);
}

void hp_pools_fini(struct hp_node_pools *pools)
{
    for (uint32_t shape = 0; shape < pools->shape_room; shape++) {
        free(pools->shares[shape]);
    }
    free(pools->shares);
    free(pools->of_node);
    free(pools->nodes);
    free(pools->nodes_begin);
    free(pools->speed_class);
    free(pools->node_slots);
    free(pools->away_count);
    free(pools->part);
    hs_free_destroy(pools->idle);
    hs_alloc_buffer_fini(&pools->buffer);
    *pools = (struct hp_node_pools){0};
}

/* Makes the bits those of the pool's nodes. */
static void select_part(struct hp_node_pools *pools, uint32_t pool)
{
    if (pools->part_pool == pool) {
        return;
    }
    if (pools->part_pool != NO_POOL) {
        uint32_t last = pools->part_pool;

        for (uint32_t i = pools->nodes_begin[last]; i < pools->nodes_begin[last + 1]; i++) {
            pools->part[pools->nodes[i] / 64] = 0;
        }
    }
    for (uint32_t i = pools->nodes_begin[pool]; i < pools->nodes_begin[pool + 1]; i++) {
        pools->part[pools->nodes[i] / 64] |= UINT64_C(1) << (pools->nodes[i] % 64);
    }
    pools->part_pool = pool;
}

/* What the demand takes of the pool when nothing runs there, and how many of its smallest pieces
 * find room on a node. */
static struct hp_pool_share share_of(struct hp_node_pools *pools, const struct hs_view *view,
                                     const struct hs_demand *demand, uint32_t pool,
                                     uint32_t *pieces)
{
    struct hs_demand piece;
    uint32_t node = pools->nodes[pools->nodes_begin[pool]];
    uint32_t tasks;

    select_part(pools, pool);
    if (!hs_free_place_within(pools->idle, demand, hs_view_placement(view), pools->part,
                              &pools->buffer)) {
        return (struct hp_pool_share){0, 0};
    }
    piece = *hs_demand_chosen(demand, &pools->buffer.alloc);
    tasks = piece.tasks;
    piece.tasks = TASKS_MANY;
    piece.flags &= HS_DEMAND_EXCLUSIVE | HS_DEMAND_SPREAD | HS_DEMAND_SAME_ISLAND;
    if (piece.flags & HS_DEMAND_EXCLUSIVE) {
        uint32_t most = hs_free_node_tasks(pools->idle, node, &piece);

        *pieces = 1;
        return (struct hp_pool_share){(tasks + most - 1) / most, 1};
    }
    piece.flags &= HS_DEMAND_SAME_ISLAND;
    piece.tasks_per_node = 0;
    *pieces = hs_free_node_tasks(pools->idle, node, &piece);
    return (struct hp_pool_share){tasks, *pieces};
}

bool hp_pools_learn(struct hp_node_pools *pools, const struct hs_view *view,
                    const struct hs_job *job)
{
    if (job->shape >= pools->shape_room) {
        uint32_t room = job->shape < 8 ? 16 : 2 * job->shape;
        struct hp_pool_share **moved = realloc(pools->shares, room * sizeof *moved);

        if (!moved) {
            return false;
        }
        memset(&moved[pools->shape_room], 0, (room - pools->shape_room) * sizeof *moved);
        pools->shares = moved;
        pools->shape_room = room;
    }
    if (pools->shares[job->shape]) {
        return true;
    }
    if (!hs_alloc_buffer_reserve(&pools->buffer, hs_view_cluster(view), job->demand)) {
        return false;
    }
    pools->shares[job->shape] = calloc(pools->count, sizeof **pools->shares);
    if (!pools->shares[job->shape]) {
        return false;
    }
    for (uint32_t pool = 0; pool < pools->count; pool++) {
        uint32_t pieces = 0;

        pools->shares[job->shape][pool] = share_of(pools, view, job->demand, pool, &pieces);
        pieces = pieces < HP_POOL_NODE_SLOTS_MAX ? pieces : HP_POOL_NODE_SLOTS_MAX;
        if (pieces > pools->node_slots[pool]) {
            pools->node_slots[pool] = pieces;
            pools->learnt++;
        }
    }
    return true;
}

void hp_pools_node(struct hp_node_pools *pools, const struct hs_event *event)
{
    uint32_t *away_count = &pools->away_count[pools->of_node[event->node]];

    *away_count = event->is_available ? *away_count - 1 : *away_count + 1;
}

static uint32_t node_count_of(const struct hp_node_pools *pools, uint32_t pool)
{
    return pools->nodes_begin[pool + 1] - pools->nodes_begin[pool];
}

uint32_t hp_pools_slots(const struct hp_node_pools *pools, uint32_t pool)
{
    return (node_count_of(pools, pool) - pools->away_count[pool]) * pools->node_slots[pool];
}

uint32_t hp_pools_width(const struct hp_node_pools *pools, const struct hs_job *job, uint32_t pool)
{
    struct hp_pool_share share = pools->shares[job->shape][pool];
    uint64_t slots = (uint64_t)node_count_of(pools, pool) * pools->node_slots[pool];
    uint64_t width;

    if (!share.denominator) {
        return 0;
    }
    width = ((uint64_t)share.numerator * pools->node_slots[pool] + share.denominator - 1) /
            share.denominator;
    return (uint32_t)(width < slots ? width : slots);
}

uint32_t hp_pools_held(const struct hp_node_pools *pools, const struct hs_view *view,
                       const struct hs_job *job, uint32_t pool)
{
    uint32_t width = hp_pools_width(pools, job, pool);
    uint64_t node_count = 0;
    uint64_t back_count = 0;

    width = width ? width : 1;
    if (!pools->away_count[pool]) {
        return width;
    }
    for (uint32_t s = 0; s < job->alloc->span_count; s++) {
        const struct hs_span *span = &job->alloc->spans[s];

        for (uint32_t i = 0; i < span->node_count; i++) {
            back_count += hs_free_is_available(hs_view_free(view), span->first_node + i);
        }
        node_count += span->node_count;
    }
    return (uint32_t)((width * back_count + node_count - 1) / node_count);
}

bool hp_pools_start(struct hp_node_pools *pools, struct hs_plan *plan, const struct hs_job *job,
                    uint32_t pool)
{
    select_part(pools, pool);
    return hs_plan_start_within(plan, job, pools->part);
}

struct hp_pool_shadow hp_pools_shadow(const struct hp_node_pools *pools, const struct hs_view *view,
                                      const struct hs_job *job, uint32_t pool)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);
    int64_t wanted = hp_pools_width(pools, job, pool);
    int64_t free = hp_pools_slots(pools, pool);
    int64_t held = 0; /* those that end last do not count beyond all slots */
    hs_time last = -1;

    for (uint32_t i = 0; i < count; i++) {
        held += hp_pools_of(pools, running[i]) == pool
                    ? hp_pools_held(pools, view, running[i], pool)
                    : 0;
    }
    held = held < free ? held : free;
    free -= held;
    for (uint32_t i = 0; i < count; i++) {
        hs_time end = running[i]->expected_end_ns;
        int64_t width;

        if (hp_pools_of(pools, running[i]) != pool) {
            continue;
        }
        end = end > hs_view_now(view) ? end : hs_view_now(view);
        if (last >= 0 && end != last && free >= wanted) {
            break; /* all that end at one instant are free together */
        }
        last = end;
        width = hp_pools_held(pools, view, running[i], pool);
        width = width < held ? width : held;
        held -= width;
        free += width;
    }
    return (struct hp_pool_shadow){last >= 0 && free >= wanted ? last : HS_TIME_NEVER,
                                   free - wanted};
}
