/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vector.c - what is free, counted naively: takes, releases and room. */
#include "vector.h"

#include <string.h>

void vector_open(const struct vector_cluster *cluster, struct vector_state *state)
{
    memset(state, 0, sizeof(*state));
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        state->cores_milli[i] = cluster->nodes[i].cores_milli;
        state->mem_bytes[i] = cluster->nodes[i].mem_bytes;
    }
    for (uint32_t i = 0; i < cluster->device_count; i++) {
        state->shares[i] = HS_SHARES_PER_UNIT;
        state->device_mem[i] = cluster->devices[i].mem_bytes;
    }
}

static const struct hs_demand *chosen(const struct hs_demand *demand, uint32_t alternative)
{
    return alternative > 0 ? &demand->alternatives[alternative - 1] : demand;
}

static void apply(const struct vector_cluster *cluster, struct vector_state *state,
                  const struct hs_demand *demand, const struct vector_alloc *alloc, int sign)
{
    const struct hs_demand *it = chosen(demand, alloc->alternative);

    for (uint32_t i = 0; i < cluster->node_count; i++) {
        int64_t tasks = alloc->tasks[i];

        if (tasks == 0) {
            continue;
        }
        state->cores_milli[i] += sign * tasks * it->cores_milli;
        if (cluster->nodes[i].mem_bytes != HS_MEM_UNLIMITED) {
            state->mem_bytes[i] += sign * tasks * it->mem_bytes;
        }
        state->jobs[i] -= (uint32_t)sign;
        if (alloc->is_exclusive) {
            state->is_whole[i] = sign < 0;
        }
    }
    for (uint32_t i = 0; i < alloc->given_count; i++) {
        uint32_t device = alloc->given[i].device;

        state->shares[device] += (uint32_t)(sign * (int64_t)alloc->given[i].share);
        if (cluster->devices[device].mem_bytes != HS_MEM_UNLIMITED) {
            state->device_mem[device] += sign * it->device_mem;
        }
    }
}

void vector_take(const struct vector_cluster *cluster, struct vector_state *state,
                 const struct hs_demand *demand, const struct vector_alloc *alloc)
{
    apply(cluster, state, demand, alloc, -1);
}

void vector_release(const struct vector_cluster *cluster, struct vector_state *state,
                    const struct hs_demand *demand, const struct vector_alloc *alloc)
{
    apply(cluster, state, demand, alloc, 1);
}

static int64_t least(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

void vector_intersect(const struct vector_cluster *cluster, struct vector_state *state,
                      const struct vector_state *other)
{
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        state->cores_milli[i] = least(state->cores_milli[i], other->cores_milli[i]);
        state->mem_bytes[i] = least(state->mem_bytes[i], other->mem_bytes[i]);
        state->jobs[i] = state->jobs[i] > other->jobs[i] ? state->jobs[i] : other->jobs[i];
        state->is_whole[i] = state->is_whole[i] || other->is_whole[i];
        state->is_away[i] = state->is_away[i] || other->is_away[i];
    }
    for (uint32_t i = 0; i < cluster->device_count; i++) {
        state->shares[i] = (uint32_t)least(state->shares[i], other->shares[i]);
        state->device_mem[i] = least(state->device_mem[i], other->device_mem[i]);
    }
}

static bool admits(const struct hs_demand *demand, const struct hs_device *device)
{
    bool is_model = demand->model_count == 0;

    for (uint16_t i = 0; i < demand->model_count; i++) {
        is_model = is_model || demand->models[i] == device->model;
    }
    return is_model && (device->features & demand->features) == demand->features &&
           (demand->device_kind == HS_ANY_KIND || demand->device_kind == device->kind);
}

/* Devices of a node as places for tasks. */
struct places {
    uint32_t count;
    uint32_t slots[VECTOR_NODE_DEVICES_MAX]; /* tasks that each takes */
    uint32_t load[VECTOR_NODE_DEVICES_MAX];
    bool uses[VECTOR_TASKS_MAX][VECTOR_NODE_DEVICES_MAX];
    bool is_seen[VECTOR_NODE_DEVICES_MAX];
    uint32_t task_count;
};

/* Tasks that one device still takes: shares and memory are taken off until they do not suffice. */
static uint32_t slots(const struct vector_cluster *cluster, const struct vector_state *state,
                      uint32_t device, const struct hs_demand *demand)
{
    uint32_t share = state->shares[device];
    int64_t mem = state->device_mem[device];
    uint32_t count = 0;

    if (!admits(demand, &cluster->devices[device])) {
        return 0;
    }
    while (share >= demand->device_share && mem >= demand->device_mem && count < VECTOR_TASKS_MAX) {
        share -= demand->device_share;
        mem -= cluster->devices[device].mem_bytes == HS_MEM_UNLIMITED ? 0 : demand->device_mem;
        count++;
    }
    return count;
}

/* Gives the task one more device, moving other tasks if that helps: an augmenting path. */
static bool give(struct places *places, uint32_t task)
{
    for (uint32_t d = 0; d < places->count; d++) {
        if (places->uses[task][d] || places->is_seen[d] || places->slots[d] == 0) {
            continue;
        }
        places->is_seen[d] = true;
        if (places->load[d] < places->slots[d]) {
            places->load[d]++;
            places->uses[task][d] = true;
            return true;
        }
        for (uint32_t other = 0; other < places->task_count; other++) {
            if (places->uses[other][d] && give(places, other)) {
                places->uses[other][d] = false;
                places->uses[task][d] = true;
                return true;
            }
        }
    }
    return false;
}

/* Most tasks of `k` different devices each, at most `limit`: one after the other, as a flow. */
static uint32_t most_tasks(struct places *places, uint32_t k, uint32_t limit)
{
    memset(places->load, 0, sizeof(places->load));
    memset(places->uses, 0, sizeof(places->uses));
    for (uint32_t task = 0; task < limit; task++) {
        places->task_count = task + 1;
        for (uint32_t i = 0; i < k; i++) {
            memset(places->is_seen, 0, sizeof(places->is_seen));
            if (!give(places, task)) {
                return task;
            }
        }
    }
    return limit;
}

static uint32_t device_tasks(const struct vector_cluster *cluster, const struct vector_state *state,
                             uint32_t node, const struct hs_demand *demand, uint32_t limit)
{
    const struct vector_node *it = &cluster->nodes[node];
    struct places places = {0};
    uint32_t sum = 0;

    for (uint32_t d = 0; d < it->device_count; d++) {
        uint32_t group = cluster->devices[it->first_device + d].group;
        bool is_first = true;

        for (uint32_t e = 0; e < d; e++) {
            is_first = is_first && cluster->devices[it->first_device + e].group != group;
        }
        if (!is_first && (demand->flags & HS_DEMAND_SAME_ISLAND)) {
            continue;
        }
        places.count = it->device_count;
        for (uint32_t e = 0; e < it->device_count; e++) {
            bool is_in = !(demand->flags & HS_DEMAND_SAME_ISLAND) ||
                         cluster->devices[it->first_device + e].group == group;

            places.slots[e] = is_in ? slots(cluster, state, it->first_device + e, demand) : 0;
        }
        sum += most_tasks(&places, demand->device_count, limit - sum);
        if (!(demand->flags & HS_DEMAND_SAME_ISLAND)) {
            break;
        }
    }
    return sum;
}

uint32_t vector_node_tasks(const struct vector_cluster *cluster, const struct vector_state *state,
                           uint32_t node, const struct hs_demand *demand)
{
    const struct vector_node *it = &cluster->nodes[node];
    int64_t cores = state->cores_milli[node];
    int64_t mem = state->mem_bytes[node];
    uint32_t limit = demand->tasks;
    uint32_t tasks = 0;

    if (state->is_whole[node] || state->is_away[node] ||
        (it->features & demand->node_features) != demand->node_features ||
        ((demand->flags & HS_DEMAND_EXCLUSIVE) && state->jobs[node] > 0)) {
        return 0;
    }
    if (demand->flags & HS_DEMAND_SPREAD) {
        limit = 1;
    }
    if (demand->tasks_per_node > 0 && demand->tasks_per_node < limit) {
        limit = demand->tasks_per_node;
    }
    while (tasks < limit && cores >= demand->cores_milli && mem >= demand->mem_bytes) {
        cores -= demand->cores_milli;
        mem -= it->mem_bytes == HS_MEM_UNLIMITED ? 0 : demand->mem_bytes;
        tasks++;
    }
    return demand->device_count > 0 ? device_tasks(cluster, state, node, demand, tasks) : tasks;
}

static bool fits_one(const struct vector_cluster *cluster, const struct vector_state *state,
                     const struct hs_demand *demand)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < cluster->node_count; i++) {
        uint32_t tasks = vector_node_tasks(cluster, state, i, demand);

        if ((demand->flags & HS_DEMAND_SAME_NODE) ||
            ((demand->flags & HS_DEMAND_CONTIGUOUS) && tasks == 0)) {
            sum = 0;
        }
        sum += tasks;
        if (sum >= demand->tasks) {
            return true;
        }
    }
    return false;
}

bool vector_fits(const struct vector_cluster *cluster, const struct vector_state *state,
                 const struct hs_demand *demand)
{
    bool fits = fits_one(cluster, state, demand);

    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        fits = fits || fits_one(cluster, state, &demand->alternatives[a]);
    }
    return fits;
}

bool vector_read(const struct vector_cluster *cluster, const struct hs_alloc *core,
                 struct vector_alloc *alloc)
{
    uint64_t beyond = 0;

    memset(alloc, 0, sizeof(*alloc));
    alloc->alternative = core->alternative;
    alloc->is_exclusive = core->is_exclusive;
    alloc->given_count = core->device_count;
    if (core->device_count > VECTOR_GIVEN_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < core->device_count; i++) {
        alloc->given[i] = core->devices[i];
    }
    for (uint32_t i = 0; i < core->span_count; i++) {
        const struct hs_span *span = &core->spans[i];
        uint64_t end = (uint64_t)span->first_node + span->node_count;

        if (span->first_node < beyond || span->node_count == 0 || span->tasks == 0 ||
            end > cluster->node_count) {
            return false;
        }
        beyond = end;
        for (uint32_t node = span->first_node; node < end; node++) {
            alloc->tasks[node] = span->tasks;
        }
    }
    return true;
}

bool vector_is_equal(const struct vector_cluster *cluster, const struct vector_alloc *left,
                     const struct vector_alloc *right)
{
    if (left->alternative != right->alternative || left->is_exclusive != right->is_exclusive ||
        left->given_count != right->given_count ||
        memcmp(left->tasks, right->tasks, cluster->node_count * sizeof(left->tasks[0])) != 0) {
        return false;
    }
    return memcmp(left->given, right->given, left->given_count * sizeof(left->given[0])) == 0;
}

/* The devices of task number `task` on `node`, taken off `state` one by one. */
static const char *wrong_devices(const struct vector_cluster *cluster, struct vector_state *state,
                                 uint32_t node, const struct hs_demand *demand,
                                 const struct hs_device_share *given)
{
    for (uint32_t i = 0; i < demand->device_count; i++) {
        uint32_t d = given[i].device;

        if (d >= cluster->device_count || cluster->devices[d].node != node) {
            return "a device of another node";
        }
        if (!admits(demand, &cluster->devices[d])) {
            return "a device of the wrong kind";
        }
        if (given[i].share != demand->device_share || state->shares[d] < given[i].share ||
            state->device_mem[d] < demand->device_mem) {
            return "a device that has not so much free";
        }
        for (uint32_t j = 0; j < i; j++) {
            if (given[j].device == d) {
                return "a device twice";
            }
        }
        if ((demand->flags & HS_DEMAND_SAME_ISLAND) &&
            cluster->devices[d].group != cluster->devices[given[0].device].group) {
            return "devices of two islands";
        }
        state->shares[d] -= given[i].share;
        state->device_mem[d] -=
            cluster->devices[d].mem_bytes == HS_MEM_UNLIMITED ? 0 : demand->device_mem;
    }
    return NULL;
}

/* Nodes and tasks alone. */
static const char *wrong_nodes(const struct vector_cluster *cluster,
                               const struct vector_state *state, const struct hs_demand *demand,
                               const struct vector_alloc *alloc)
{
    uint32_t total = 0;
    uint32_t nodes = 0;
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;

    for (uint32_t i = 0; i < cluster->node_count; i++) {
        if (alloc->tasks[i] == 0) {
            continue;
        }
        if (alloc->tasks[i] > vector_node_tasks(cluster, state, i, demand)) {
            return "a node that does not take so many tasks";
        }
        total += alloc->tasks[i];
        nodes++;
        first = first == UINT32_MAX ? i : first;
        last = i;
    }
    if (total != demand->tasks) {
        return "another number of tasks";
    }
    if ((demand->flags & HS_DEMAND_SAME_NODE) && nodes != 1) {
        return "several nodes";
    }
    if ((demand->flags & HS_DEMAND_CONTIGUOUS) && last - first + 1 != nodes) {
        return "nodes with a gap";
    }
    return NULL;
}

bool vector_holds(const struct vector_cluster *cluster, const struct vector_state *state,
                  const struct hs_demand *demand, const struct vector_alloc *alloc,
                  const char **why)
{
    struct vector_state left = *state;
    const struct hs_device_share *given = alloc->given;

    *why = "an alternative that there is not";
    if (alloc->alternative > demand->alternative_count) {
        return false;
    }
    demand = chosen(demand, alloc->alternative);
    *why = wrong_nodes(cluster, state, demand, alloc);
    if (*why) {
        return false;
    }
    *why = "another number of devices, or not whole nodes";
    if (alloc->given_count != demand->tasks * demand->device_count ||
        alloc->is_exclusive != ((demand->flags & HS_DEMAND_EXCLUSIVE) != 0)) {
        return false;
    }
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        for (uint32_t t = 0; t < alloc->tasks[i]; t++) {
            *why = wrong_devices(cluster, &left, i, demand, given);
            if (*why) {
                return false;
            }
            given += demand->device_count;
        }
    }
    return true;
}
