/* SPDX-License-Identifier: MIT */
/* demand.h - what a job asks for, and what it is given.
 *
 * A demand is `tasks` times a per-task vector (cores, memory, devices or shares of one device,
 * device memory) with constraints. A plain SWF job of n processors is n tasks of one core. An
 * allocation is the answer: runs of nodes with the tasks on each, and the device shares. */
#ifndef HS_DEMAND_H
#define HS_DEMAND_H

#include "hs/base.h"

/* Constraints of a demand; bits of hs_demand.flags. */
enum hs_demand_flag {
    HS_DEMAND_EXCLUSIVE = 1u << 0,   /* whole nodes: nobody else on them */
    HS_DEMAND_CONTIGUOUS = 1u << 1,  /* neighbouring node indices */
    HS_DEMAND_SPREAD = 1u << 2,      /* one task a node */
    HS_DEMAND_SAME_NODE = 1u << 3,   /* all tasks on one node */
    HS_DEMAND_SAME_ISLAND = 1u << 4, /* the devices of a task in one group; those of a node that
                                        have none count as one */
};

#define HS_ANY_KIND  UINT16_MAX
#define HS_MODEL_MAX 8u

/* Plain data without padding surprises: zero it, then fill it. All pointers are borrowed. */
struct hs_demand {
    uint32_t tasks;          /* >= 1 */
    uint32_t flags;          /* enum hs_demand_flag */
    int64_t cores_milli;     /* per task, >= 0 */
    int64_t mem_bytes;       /* per task, >= 0 */
    int64_t device_mem;      /* bytes on each device, >= 0 */
    uint32_t device_count;   /* devices per task; 0: none */
    uint32_t device_share;   /* thousandths of each device, 1..1000; whole devices: 1000 */
    uint32_t tasks_per_node; /* at most so many on one node; 0: no limit */
    uint16_t device_kind;    /* kind index of the cluster, or HS_ANY_KIND */
    uint16_t model_count;    /* admissible models in `models`; 0: any */
    uint16_t models[HS_MODEL_MAX];
    uint64_t features;                    /* bits of features that each device must have */
    const struct hs_demand *alternatives; /* further demands, any of which serves (moldable) */
    uint32_t alternative_count;
    uint32_t reserved;      /* 0 */
    uint64_t node_features; /* bits of features that the processors must have */
};

/* `node_count` neighbouring nodes from `first_node`, with `tasks` tasks on each. */
struct hs_span {
    uint32_t first_node;
    uint32_t node_count;
    uint32_t tasks;
};

struct hs_device_share {
    uint32_t device; /* index in the cluster */
    uint32_t share;  /* thousandths */
};

/* What a job holds. Spans ascend by node and do not overlap. */
struct hs_alloc {
    const struct hs_span *spans;
    const struct hs_device_share *devices;
    uint32_t span_count;
    uint32_t device_count;
    uint32_t alternative; /* 0: the demand itself; k: its alternative k - 1 */
    bool is_exclusive;    /* the nodes are held whole, whatever the tasks need */
};

#endif
