/* SPDX-License-Identifier: MIT */
/* local.c - inside a node: which of its devices do the tasks of a demand get?
 *
 * A device has slots: how many tasks it still can serve. If a task needs k different devices, t
 * tasks fit exactly if the sum of min(slots, t) over the devices is at least k t, and giving each
 * task the k devices with the most slots left attains it (McNaughton's wrap-around rule, Management
 * Science 6(1), 1959). */
#include <string.h>

#include "free_internal.h"

/* A device of the node that the demand admits. */
struct candidate {
    uint32_t device;
    uint32_t share; /* free */
    uint32_t slots; /* tasks that it still serves */
    uint32_t group; /* HSI_ALL: groups do not matter */
    double score;   /* of the placement */
    uint64_t round; /* of the task that took it last; 0: none */
};

struct node_devices {
    struct candidate list[HS_NODE_DEVICES_MAX];
    uint32_t count;
};

bool hs_demand_admits(const struct hs_demand *demand, const struct hs_device *device)
{
    if ((demand->device_kind != HS_ANY_KIND && demand->device_kind != device->kind) ||
        (demand->features & ~device->features)) {
        return false;
    }
    for (uint16_t i = 0; i < demand->model_count; i++) {
        if (demand->models[i] == device->model) {
            return true;
        }
    }
    return demand->model_count == 0;
}

/* Tasks that one device serves. */
static uint32_t slots_of(const struct hs_free *state, uint32_t device,
                         const struct hs_demand *demand)
{
    uint32_t slots = demand->device_share == HS_SHARES_PER_UNIT
                         ? state->shares[device] == HS_SHARES_PER_UNIT
                         : state->shares[device] / demand->device_share;

    if (slots && demand->device_mem > 0 && state->device_mem[device] != HS_MEM_UNLIMITED) {
        int64_t by_mem = state->device_mem[device] / demand->device_mem;

        slots = by_mem < slots ? (uint32_t)by_mem : slots;
    }
    return slots;
}

static void find_candidates(const struct hs_free *state, uint32_t node,
                            const struct hs_demand *demand, struct node_devices *devices)
{
    const struct hs_node *place = &state->nodes[node];

    devices->count = 0;
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        uint32_t slots = state->shares[d] && hs_demand_admits(demand, &state->devices[d])
                             ? slots_of(state, d, demand)
                             : 0;

        if (slots) {
            devices->list[devices->count++] = (struct candidate){
                .device = d,
                .share = state->shares[d],
                .slots = slots,
                .group = state->devices[d].group,
            };
        }
    }
}

/* Tasks that the devices of `group` take, or all of them if it is NULL. */
static uint32_t tasks_of(const struct node_devices *devices, const uint32_t *group, uint32_t k,
                         uint32_t limit)
{
    uint64_t slots = 0;
    uint64_t tasks;

    for (uint32_t i = 0; i < devices->count; i++) {
        slots += !group || devices->list[i].group == *group ? devices->list[i].slots : 0;
    }
    tasks = slots / k;
    tasks = tasks < limit ? tasks : limit;
    while (tasks && k > 1) {
        uint64_t served = 0;

        for (uint32_t i = 0; i < devices->count; i++) {
            const struct candidate *candidate = &devices->list[i];

            if (!group || candidate->group == *group) {
                served += candidate->slots < tasks ? candidate->slots : tasks;
            }
        }
        if (served >= k * tasks) {
            break;
        }
        tasks = served / k; /* fewer: what serves t tasks serves no more of fewer ones */
    }
    return (uint32_t)tasks;
}

/* Is this the first candidate of its group? */
static bool is_first_of_group(const struct node_devices *devices, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (devices->list[i].group == devices->list[index].group) {
            return false;
        }
    }
    return true;
}

uint64_t hsi_admitted(const struct hs_cluster *cluster, uint32_t node,
                      const struct hs_demand *demand)
{
    const struct hs_node *place = hs_cluster_node(cluster, node);
    uint64_t admitted = 0;

    for (uint32_t i = 0; i < place->device_count; i++) {
        const struct hs_device *device = hs_cluster_device(cluster, place->first_device + i);
        bool is_admitted =
            hs_demand_admits(demand, device) && device->mem_bytes >= demand->device_mem;

        admitted |= (uint64_t)is_admitted << i;
    }
    return admitted;
}

/* Tasks that need no island, each on one share or on whole devices: counted without a look at the
 * devices that are wholly free. */
static uint64_t simple_tasks(const struct hs_free *state, uint32_t node,
                             const struct hs_demand *demand, uint64_t admitted)
{
    uint64_t whole = (uint64_t)__builtin_popcountll(state->whole[node] & admitted);
    uint32_t first = state->nodes[node].first_device;
    uint64_t partly = state->partly[node] & admitted;
    uint64_t slots;

    if (demand->device_share == HS_SHARES_PER_UNIT) {
        return whole / demand->device_count;
    }
    slots = HS_SHARES_PER_UNIT / demand->device_share;
    if (demand->device_mem > 0) {
        slots = 0; /* memory may bound a free device, too */
        partly |= state->whole[node] & admitted;
    }
    slots *= whole;
    for (; partly; partly &= partly - 1) {
        slots += slots_of(state, first + (uint32_t)__builtin_ctzll(partly), demand);
    }
    return slots;
}

uint32_t hsi_local_tasks(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                         uint64_t admitted, uint32_t limit)
{
    struct node_devices devices;
    uint64_t tasks = 0;
    bool is_island = demand->flags & HS_DEMAND_SAME_ISLAND;

    if (!admitted) {
        return 0;
    }
    if (!is_island && (demand->device_count == 1 || demand->device_share == HS_SHARES_PER_UNIT)) {
        tasks = simple_tasks(state, node, demand, admitted);
        return tasks < limit ? (uint32_t)tasks : limit;
    }
    find_candidates(state, node, demand, &devices);
    if (!is_island) {
        return tasks_of(&devices, NULL, demand->device_count, limit);
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        if (is_first_of_group(&devices, i)) {
            tasks += tasks_of(&devices, &devices.list[i].group, demand->device_count, limit);
        }
    }
    return tasks < limit ? (uint32_t)tasks : limit;
}

/* What decides between two devices. */
struct choice {
    const struct node_devices *devices;
    uint64_t round;      /* of the task that looks */
    uint32_t k;          /* devices of a task */
    uint32_t tasks;      /* that still look */
    bool is_scored;      /* by the placement */
    bool is_share;       /* a part of a device */
    enum hs_local local; /* what decides otherwise */
};

static uint32_t free_in_group(const struct choice *choice, uint32_t group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < choice->devices->count; i++) {
        const struct candidate *candidate = &choice->devices->list[i];

        count += candidate->group == group && candidate->slots && candidate->round < choice->round;
    }
    return count;
}

static bool is_better(const struct choice *choice, const struct candidate *left,
                      const struct candidate *right)
{
    if (choice->is_scored) {
        return left->score > right->score;
    }
    if (choice->is_share && choice->k > 1 && choice->tasks > 1 && left->slots != right->slots) {
        return left->slots > right->slots; /* else the last tasks may find too few */
    }
    if (choice->local == HS_LOCAL_FIRST) {
        return false; /* they ascend */
    }
    if (left->share != right->share) {
        return left->share < right->share;
    }
    return choice->local == HS_LOCAL_ISLAND && choice->k == 1 && left->group != right->group &&
           free_in_group(choice, left->group) < free_in_group(choice, right->group);
}

/* The best device of `group` (NULL: any) that the task does not have yet. */
static struct candidate *best_device(struct node_devices *devices, const struct choice *choice,
                                     const uint32_t *group)
{
    struct candidate *best = NULL;

    for (uint32_t i = 0; i < devices->count; i++) {
        struct candidate *candidate = &devices->list[i];

        if (candidate->slots && candidate->round < choice->round &&
            (!group || candidate->group == *group) &&
            (!best || is_better(choice, candidate, best))) {
            best = candidate;
        }
    }
    return best;
}

/* The island with the fewest free devices of those that hold the task; if none does and the task
 * may lie on several, the one with the most. False: there is none. */
static bool best_group(const struct node_devices *devices, const struct choice *choice,
                       uint32_t missing, bool is_strict, uint32_t *group)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < devices->count; i++) {
        uint32_t count;
        bool is_enough;

        if (!is_first_of_group(devices, i)) {
            continue;
        }
        count = free_in_group(choice, devices->list[i].group);
        is_enough = count >= missing;
        if (!count || (is_strict && !is_enough)) {
            continue;
        }
        if (!best || (is_enough && (best < missing || count < best)) ||
            (!is_enough && best < missing && count > best)) {
            best = count;
            *group = devices->list[i].group;
        }
    }
    return best > 0;
}

/* Gives one task its devices. */
static bool pick_task(struct node_devices *devices, const struct choice *choice,
                      const struct hs_demand *demand, struct hs_device_share *out)
{
    bool is_strict = demand->flags & HS_DEMAND_SAME_ISLAND;
    bool is_grouped = is_strict || (choice->local == HS_LOCAL_ISLAND && choice->k > 1);
    uint32_t group = 0;
    uint32_t given = 0;

    while (given < choice->k) {
        struct candidate *device;

        if (is_grouped && (!given || !is_strict) &&
            !best_group(devices, choice, choice->k - given, is_strict, &group)) {
            return false;
        }
        do {
            device = best_device(devices, choice, is_grouped ? &group : NULL);
            if (device) {
                out[given++] = (struct hs_device_share){device->device, demand->device_share};
                device->slots--;
                device->share -= demand->device_share;
                device->round = choice->round;
            }
        } while (device && given < choice->k);
        if (given < choice->k && (!is_grouped || is_strict)) {
            return false;
        }
    }
    return true;
}

static bool pick_tasks(struct node_devices *devices, struct choice *choice,
                       const struct hs_demand *demand, uint32_t tasks, struct hs_device_share *out)
{
    for (uint32_t t = 0; t < tasks; t++) {
        choice->round = t + 1u;
        choice->tasks = tasks - t;
        if (!pick_task(devices, choice, demand, &out[(size_t)t * choice->k])) {
            return false;
        }
    }
    return true;
}

bool hsi_local_pick(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                    uint32_t tasks, const struct hs_placement *placement,
                    struct hs_device_share *out)
{
    struct node_devices devices;
    struct choice choice = {
        .devices = &devices,
        .k = demand->device_count,
        .is_share = demand->device_share < HS_SHARES_PER_UNIT,
        .local = placement ? placement->local : HS_LOCAL_TIGHT,
    };

    find_candidates(state, node, demand, &devices);
    choice.is_scored = placement &&
                       (placement->device_score || (placement->flags & HS_PLACE_RANDOM)) &&
                       choice.is_share && demand->device_count == 1;
    for (uint32_t i = 0; i < devices.count && choice.is_scored; i++) {
        uint32_t device = devices.list[i].device;

        devices.list[i].score =
            placement->flags & HS_PLACE_RANDOM
                ? hsi_random_score(state, placement, ~device)
                : placement->device_score(placement->self, state, device, demand);
    }
    if (pick_tasks(&devices, &choice, demand, tasks, out)) {
        return true;
    }
    /* To keep to islands can leave too few devices for the last tasks: then without. */
    find_candidates(state, node, demand, &devices);
    choice.local = HS_LOCAL_TIGHT;
    return pick_tasks(&devices, &choice, demand, tasks, out);
}
