/* SPDX-License-Identifier: MIT */
/* holds.c - is an allocation free, well formed, and what the demand asks for? */
#include <inttypes.h>
#include <stdio.h>

#include "free_internal.h"

/* Where the check writes its clause. */
struct clause {
    char *text;
    size_t size;
};

static bool lacks_devices(const struct hs_free *state, uint32_t node,
                          const struct hs_demand *demand)
{
    return hsi_local_tasks(state, node, demand, hsi_admitted(state->cluster, node, demand),
                           demand->tasks) < demand->tasks;
}

/* One node of an allocation: is what it needs free? */
static bool node_holds(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                       uint32_t tasks, char *reason, size_t size)
{
    struct hs_demand part = *demand;
    const char *name = state->nodes[node].name;

    part.tasks = tasks;
    if (hs_free_node_tasks(state, node, &part) >= tasks) {
        return true;
    }
    if (hsi_is_away(state, node)) {
        (void)snprintf(reason, size, "node %s is away", name);
    } else if ((demand->flags & HS_DEMAND_EXCLUSIVE) && state->jobs[node]) {
        (void)snprintf(reason, size, "node %s is wanted whole and has %" PRIu32 " jobs on it", name,
                       state->jobs[node]);
    } else if (demand->cores_milli > 0 && state->cores_milli[node] / demand->cores_milli < tasks) {
        (void)snprintf(reason, size, "node %s has %g free cores and %g are wanted", name,
                       (double)state->cores_milli[node] / 1000.0,
                       (double)demand->cores_milli / 1000.0 * tasks);
    } else if (demand->mem_bytes > 0 && state->mem_bytes[node] / demand->mem_bytes < tasks) {
        (void)snprintf(reason, size,
                       "node %s has %" PRId64 " bytes of memory free and %" PRId64
                       " are wanted for each of %" PRIu32 " tasks",
                       name, state->mem_bytes[node], demand->mem_bytes, tasks);
    } else if (demand->node_features & ~state->nodes[node].features) {
        (void)snprintf(reason, size, "the processors of node %s lack a feature", name);
    } else if (demand->device_count && lacks_devices(state, node, &part)) {
        (void)snprintf(reason, size,
                       "node %s has not the free devices that %" PRIu32 " tasks of the job need",
                       name, tasks);
    } else {
        (void)snprintf(reason, size, "node %s gets %" PRIu32 " tasks, more than the job allows",
                       name, tasks);
    }
    return false;
}

/* The spans alone: nodes in order, free, and with as many tasks as the demand has. */
static bool spans_hold(const struct hs_free *state, const struct hs_demand *demand,
                       const struct hs_alloc *alloc, struct clause clause)
{
    uint64_t tasks = 0;
    uint64_t next_node = 0;

    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];
        uint64_t end = (uint64_t)span->first_node + span->node_count;

        if (span->first_node < next_node || end > state->node_count || !span->node_count ||
            !span->tasks) {
            (void)snprintf(clause.text, clause.size,
                           "its nodes %" PRIu32 " to %" PRIu64
                           " are empty, out of order or outside the cluster of %" PRIu32,
                           span->first_node, end - 1, state->node_count);
            return false;
        }
        if ((demand->flags & HS_DEMAND_CONTIGUOUS) && s && span->first_node != next_node) {
            (void)snprintf(clause.text, clause.size, "its nodes have a gap before node %" PRIu32,
                           span->first_node);
            return false;
        }
        for (uint32_t i = span->first_node; i < end; i++) {
            if (!node_holds(state, i, demand, span->tasks, clause.text, clause.size)) {
                return false;
            }
        }
        next_node = end;
        tasks += (uint64_t)span->node_count * span->tasks;
    }
    if (tasks != demand->tasks) {
        (void)snprintf(clause.text, clause.size, "it gets %" PRIu64 " of its %" PRIu32 " tasks",
                       tasks, demand->tasks);
        return false;
    }
    if ((demand->flags & HS_DEMAND_SAME_NODE) && next_node != alloc->spans[0].first_node + 1u) {
        (void)snprintf(clause.text, clause.size, "its tasks must be on one node");
        return false;
    }
    return true;
}

/* What the tasks on a node have taken of its devices so far. */
struct taken {
    uint32_t shares[HS_NODE_DEVICES_MAX];
    uint32_t tasks[HS_NODE_DEVICES_MAX];
    uint32_t last_task[HS_NODE_DEVICES_MAX];
};

/* One device of task number `task` (from 1) on the node. */
static bool device_holds(const struct hs_free *state, const struct hs_node *node,
                         const struct hs_demand *demand, const struct hs_device_share *given,
                         struct taken *taken, uint32_t task, struct clause clause)
{
    uint32_t index = given->device - node->first_device;

    if (given->device < node->first_device || index >= node->device_count) {
        (void)snprintf(clause.text, clause.size,
                       "device %" PRIu32 " is not on node %s, whose task it is given to",
                       given->device, node->name);
        return false;
    }
    if (!hs_demand_admits(demand, &state->devices[given->device])) {
        (void)snprintf(clause.text, clause.size,
                       "device %" PRIu32 " of node %s is not of the kind that the job wants", index,
                       node->name);
        return false;
    }
    if (given->share != demand->device_share || taken->last_task[index] == task) {
        (void)snprintf(clause.text, clause.size,
                       "device %" PRIu32 " of node %s is given twice to a task, or another share "
                       "of it than the job wants",
                       index, node->name);
        return false;
    }
    taken->last_task[index] = task;
    taken->tasks[index]++;
    taken->shares[index] += given->share;
    if (taken->shares[index] > state->shares[given->device] ||
        (demand->device_mem > 0 && state->device_mem[given->device] != HS_MEM_UNLIMITED &&
         state->device_mem[given->device] / demand->device_mem < (int64_t)taken->tasks[index])) {
        (void)snprintf(clause.text, clause.size,
                       "device %" PRIu32 " of node %s has %" PRIu32 " of 1000 shares and %" PRId64
                       " bytes free, fewer than the job wants",
                       index, node->name, state->shares[given->device],
                       state->device_mem[given->device]);
        return false;
    }
    return true;
}

static bool node_devices_hold(const struct hs_free *state, uint32_t node,
                              const struct hs_demand *demand, uint32_t tasks,
                              const struct hs_device_share *devices, struct clause clause)
{
    uint32_t k = demand->device_count;
    struct taken taken = {0};

    for (uint32_t t = 0; t < tasks; t++) {
        for (uint32_t i = 0; i < k; i++) {
            const struct hs_device_share *given = &devices[(size_t)t * k + i];

            if (!device_holds(state, &state->nodes[node], demand, given, &taken, t + 1, clause)) {
                return false;
            }
            if ((demand->flags & HS_DEMAND_SAME_ISLAND) &&
                state->devices[given->device].group !=
                    state->devices[devices[(size_t)t * k].device].group) {
                (void)snprintf(clause.text, clause.size,
                               "the devices of a task on node %s are not of one island",
                               state->nodes[node].name);
                return false;
            }
        }
    }
    return true;
}

static bool devices_hold(const struct hs_free *state, const struct hs_demand *demand,
                         const struct hs_alloc *alloc, struct clause clause)
{
    const struct hs_device_share *devices = alloc->devices;

    if (alloc->device_count != (uint64_t)demand->tasks * demand->device_count) {
        (void)snprintf(clause.text, clause.size,
                       "it gets %" PRIu32 " devices for %" PRIu32 " tasks of %" PRIu32,
                       alloc->device_count, demand->tasks, demand->device_count);
        return false;
    }
    for (uint32_t s = 0; s < alloc->span_count && demand->device_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = 0; i < span->node_count; i++) {
            if (!node_devices_hold(state, span->first_node + i, demand, span->tasks, devices,
                                   clause)) {
                return false;
            }
            devices += (size_t)span->tasks * demand->device_count;
        }
    }
    return true;
}

bool hs_free_holds(const struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_alloc *alloc, char *reason, size_t reason_size)
{
    char unused[1];
    struct clause clause = {reason ? reason : unused, reason ? reason_size : sizeof unused};

    if (alloc->alternative > demand->alternative_count) {
        (void)snprintf(clause.text, clause.size, "it is given alternative %" PRIu32 " of %" PRIu32,
                       alloc->alternative, demand->alternative_count);
        return false;
    }
    demand = hs_demand_chosen(demand, alloc);
    if (!spans_hold(state, demand, alloc, clause) || !devices_hold(state, demand, alloc, clause)) {
        return false;
    }
    if (alloc->is_exclusive != ((demand->flags & HS_DEMAND_EXCLUSIVE) != 0)) {
        (void)snprintf(clause.text, clause.size, "it is given something else than it asks for");
        return false;
    }
    return true;
}
