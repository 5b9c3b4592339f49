/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vector_place.c - where a demand goes, by the words of the headers: nodes from the left, the
 * fullest first, or task by task on the emptiest; inside a node the tightest devices. */
#include <string.h>

#include "vector.h"

/* One search; `left` is what is free beside what the search has given so far. */
struct search {
    const struct vector_cluster *cluster;
    struct vector_state left;
    const struct hs_demand *demand;
    struct vector_alloc *alloc;
};

/* Tasks that the device still takes, by itself. */
static uint32_t slots_of(const struct search *search, uint32_t device)
{
    struct vector_cluster one = {.node_count = 1, .device_count = 1};
    struct vector_state state = {.shares = {search->left.shares[device]},
                                 .device_mem = {search->left.device_mem[device]}};
    struct hs_demand demand = *search->demand;

    one.nodes[0] = (struct vector_node){.device_count = 1, .mem_bytes = HS_MEM_UNLIMITED};
    one.devices[0] = search->cluster->devices[device];
    demand.tasks = VECTOR_TASKS_MAX;
    demand.device_count = 1;
    demand.tasks_per_node = 0;
    demand.cores_milli = 0;
    demand.mem_bytes = 0;
    demand.node_features = 0;
    demand.flags = 0;
    return vector_node_tasks(&one, &state, 0, &demand);
}

/* What the search knows of a device of the node. */
struct seat {
    uint32_t slots;
    uint32_t share;
    uint32_t group;
    bool is_given; /* to this task */
};

/* The island of a task: of those that hold it the one with the fewest devices that serve. */
static bool find_island(const struct seat *seats, uint32_t count, uint32_t k, uint32_t *group)
{
    uint32_t fewest = UINT32_MAX;

    for (uint32_t d = 0; d < count; d++) {
        uint32_t size = 0;

        for (uint32_t e = 0; e < count; e++) {
            size += seats[e].group == seats[d].group && seats[e].slots > 0;
        }
        if (size >= k && size < fewest) {
            fewest = size;
            *group = seats[d].group;
        }
    }
    return fewest != UINT32_MAX;
}

/* Devices for one task of those `tasks` that are to come on the node. */
static bool pick_task(struct search *search, uint32_t node, uint32_t tasks)
{
    const struct vector_node *it = &search->cluster->nodes[node];
    const struct hs_demand *demand = search->demand;
    bool is_island = (demand->flags & HS_DEMAND_SAME_ISLAND) != 0;
    bool is_by_slots =
        demand->device_count > 1 && demand->device_share < HS_SHARES_PER_UNIT && tasks > 1;
    struct seat seats[VECTOR_NODE_DEVICES_MAX];
    uint32_t group = 0;

    for (uint32_t d = 0; d < it->device_count; d++) {
        seats[d] = (struct seat){.slots = slots_of(search, it->first_device + d),
                                 .share = search->left.shares[it->first_device + d],
                                 .group = search->cluster->devices[it->first_device + d].group};
    }
    if (is_island && !find_island(seats, it->device_count, demand->device_count, &group)) {
        return false;
    }
    for (uint32_t i = 0; i < demand->device_count; i++) {
        uint32_t best = UINT32_MAX;

        for (uint32_t d = 0; d < it->device_count; d++) {
            if (seats[d].slots == 0 || seats[d].is_given ||
                (is_island && seats[d].group != group)) {
                continue;
            }
            if (best == UINT32_MAX || (is_by_slots && seats[d].slots > seats[best].slots) ||
                ((!is_by_slots || seats[d].slots == seats[best].slots) &&
                 seats[d].share < seats[best].share)) {
                best = d;
            }
        }
        if (best == UINT32_MAX || search->alloc->given_count == VECTOR_GIVEN_MAX) {
            return false;
        }
        seats[best].is_given = true;
        best += it->first_device;
        search->alloc->given[search->alloc->given_count++] =
            (struct hs_device_share){best, demand->device_share};
        search->left.shares[best] -= demand->device_share;
        if (search->cluster->devices[best].mem_bytes != HS_MEM_UNLIMITED) {
            search->left.device_mem[best] -= demand->device_mem;
        }
    }
    return true;
}

static double score(const struct search *search, uint32_t node, enum vector_way way)
{
    const struct vector_cluster *cluster = search->cluster;
    const struct vector_node *it = &cluster->nodes[node];
    double most_cores = 1;
    double most_devices = 1;
    double cores = (double)(search->left.cores_milli[node] - search->demand->cores_milli);
    double shares = -(double)(search->demand->device_count * search->demand->device_share);
    double rest;

    for (uint32_t i = 0; i < cluster->node_count; i++) {
        double size = (double)cluster->nodes[i].cores_milli;

        most_cores = size > most_cores ? size : most_cores;
        size = cluster->nodes[i].device_count;
        most_devices = size > most_devices ? size : most_devices;
    }
    for (uint32_t d = 0; d < it->device_count; d++) {
        shares += search->left.shares[it->first_device + d];
    }
    rest = 0.5 * cores / most_cores + 0.5 * shares / (1000 * most_devices);
    return way == VECTOR_BEST_FIT ? 100 * (1 - rest) : 100 * rest;
}

/* The next node to fill: the best of those that are not done. */
static uint32_t next_node(const struct search *search, enum vector_way way, const bool *is_done)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < search->cluster->node_count; i++) {
        uint32_t tasks = vector_node_tasks(search->cluster, &search->left, i, search->demand);

        if (is_done[i] || tasks == 0 ||
            ((search->demand->flags & HS_DEMAND_SAME_NODE) && tasks < search->demand->tasks)) {
            continue;
        }
        if (best == UINT32_MAX ||
            (way != VECTOR_LEFT_MOST && score(search, i, way) > score(search, best, way))) {
            best = i;
        }
    }
    return best;
}

/* Node after node takes what it can. */
static bool fill(struct search *search, enum vector_way way)
{
    bool is_done[VECTOR_NODES_MAX] = {false};
    uint32_t left = search->demand->tasks;

    while (left > 0) {
        uint32_t node = next_node(search, way, is_done);
        uint32_t tasks;

        if (node == UINT32_MAX) {
            return false;
        }
        tasks = vector_node_tasks(search->cluster, &search->left, node, search->demand);
        tasks = tasks < left ? tasks : left;
        search->alloc->tasks[node] = tasks;
        left -= tasks;
        is_done[node] = true;
    }
    return true;
}

/* The first node from which its neighbours to the right suffice. */
static bool fill_row(struct search *search)
{
    for (uint32_t first = 0; first < search->cluster->node_count; first++) {
        uint32_t left = search->demand->tasks;

        memset(search->alloc->tasks, 0, sizeof(search->alloc->tasks));
        for (uint32_t i = first; i < search->cluster->node_count && left > 0; i++) {
            uint32_t tasks = vector_node_tasks(search->cluster, &search->left, i, search->demand);

            if (tasks == 0 ||
                ((search->demand->flags & HS_DEMAND_SAME_NODE) && tasks < search->demand->tasks)) {
                break;
            }
            tasks = tasks < left ? tasks : left;
            search->alloc->tasks[i] = tasks;
            left -= tasks;
        }
        if (left == 0) {
            return true;
        }
    }
    return false;
}

/* Task by task where the score is highest after the last. */
static bool spread(struct search *search, enum vector_way way)
{
    const struct hs_demand *demand = search->demand;
    uint32_t limit = demand->tasks_per_node > 0 ? demand->tasks_per_node : UINT32_MAX;

    limit = demand->flags & HS_DEMAND_SPREAD ? 1 : limit;
    for (uint32_t t = 0; t < demand->tasks; t++) {
        bool is_done[VECTOR_NODES_MAX];
        uint32_t node;

        for (uint32_t i = 0; i < search->cluster->node_count; i++) {
            is_done[i] = search->alloc->tasks[i] == limit;
        }
        node = next_node(search, way, is_done);
        if (node == UINT32_MAX || !pick_task(search, node, 1)) {
            return false;
        }
        search->alloc->tasks[node]++;
        search->left.cores_milli[node] -= demand->cores_milli;
        if (search->cluster->nodes[node].mem_bytes != HS_MEM_UNLIMITED) {
            search->left.mem_bytes[node] -= demand->mem_bytes;
        }
    }
    return true;
}

static bool place_one(const struct vector_cluster *cluster, const struct vector_state *state,
                      const struct hs_demand *demand, enum vector_way way,
                      struct vector_alloc *alloc)
{
    const uint32_t not_spread = HS_DEMAND_EXCLUSIVE | HS_DEMAND_SAME_NODE | HS_DEMAND_CONTIGUOUS;
    struct search search = {.cluster = cluster, .left = *state, .demand = demand, .alloc = alloc};
    bool is_found = false;

    memset(alloc, 0, sizeof(*alloc));
    alloc->is_exclusive = (demand->flags & HS_DEMAND_EXCLUSIVE) != 0;
    if (demand->flags & HS_DEMAND_CONTIGUOUS) {
        is_found = fill_row(&search);
    } else {
        if (way == VECTOR_WORST_FIT && demand->tasks > 1 && !(demand->flags & not_spread)) {
            is_found = spread(&search, way);
            search.left = *state;
            alloc->given_count = 0;
        }
        if (!is_found) {
            memset(alloc->tasks, 0, sizeof(alloc->tasks));
            is_found = fill(&search, way);
        }
    }
    for (uint32_t i = 0; is_found && demand->device_count > 0 && i < cluster->node_count; i++) {
        for (uint32_t t = 0; t < alloc->tasks[i]; t++) {
            is_found = is_found && pick_task(&search, i, alloc->tasks[i] - t);
        }
    }
    return is_found;
}

bool vector_place(const struct vector_cluster *cluster, const struct vector_state *state,
                  const struct hs_demand *demand, enum vector_way way, struct vector_alloc *alloc)
{
    if (place_one(cluster, state, demand, way, alloc)) {
        return true;
    }
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        if (place_one(cluster, state, &demand->alternatives[a], way, alloc)) {
            alloc->alternative = a + 1;
            return true;
        }
    }
    return false;
}
