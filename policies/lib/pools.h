/* SPDX-License-Identifier: MIT */
/* pools.h - the nodes of a cluster parted into pools, on whose nodes all is alike: the speed class
 * (hs/speed.h), and cores, memory, features and devices (the class of the cluster).
 *
 * A pool counts as so many equal slots: as many on each node as the smallest tasks met so far find
 * room there, at most 1024. A task takes the share of a node's slots that it takes of the resource
 * of which it needs most (the dominant one; Ghodsi et al., NSDI 2011). Slots serve to
 * plan ahead; whether a job fits now the nodes decide. */
#ifndef HP_POOLS_H
#define HP_POOLS_H

#include "hs/policy.h"

#define HP_POOL_NODE_SLOTS_MAX 1024u

/* The nodes that jobs of one shape take of a pool: numerator / denominator; 0 / 0: they cannot run
 * there even alone. */
struct hp_pool_share {
    uint32_t numerator, denominator;
};

/* Zero it before use. Pools are numbered by their first nodes. */
struct hp_node_pools {
    uint32_t count;
    uint32_t *of_node;
    uint32_t *nodes;       /* sorted by pool, then index */
    uint32_t *nodes_begin; /* by pool, and the end: into nodes */
    uint32_t *speed_class; /* by pool */
    uint32_t *node_slots;  /* by pool: slots of each node */
    uint32_t learnt;       /* how often slots of nodes have become more: widths change then */
    uint32_t *away_count;  /* by pool: nodes that are away */
    struct hp_pool_share **shares; /* by shape of jobs; NULL: not met yet */
    uint32_t shape_room;
    struct hs_free *idle; /* nothing runs */
    struct hs_alloc_buffer buffer;
    uint64_t *part; /* bit per node: it is of part_pool */
    uint32_t part_pool;
};

/* False: no memory. */
bool hp_pools_init(struct hp_node_pools *pools, const struct hs_view *view) HS_MUST_USE;
void hp_pools_fini(struct hp_node_pools *pools);

/* Learns the shape of a job. To be called when it comes, so that a pass allocates nothing. False:
 * no memory. */
bool hp_pools_learn(struct hp_node_pools *pools, const struct hs_view *view,
                    const struct hs_job *job) HS_MUST_USE;

/* Takes note of HS_EVENT_NODE. */
void hp_pools_node(struct hp_node_pools *pools, const struct hs_event *event);

/* Slots of a pool on nodes that are not away, and what a job (learnt) takes of the pool: at most as
 * many as it has without a node away; 0: it cannot run there. */
uint32_t hp_pools_slots(const struct hp_node_pools *pools, uint32_t pool);
uint32_t hp_pools_width(const struct hp_node_pools *pools, const struct hs_job *job, uint32_t pool);

/* Starts the waiting job on nodes of this pool, by the composed placement. False: it does not fit
 * now. On an idle pool a job with a width fits. */
bool hp_pools_start(struct hp_node_pools *pools, struct hs_plan *plan, const struct hs_job *job,
                    uint32_t pool);

/* The pool of a running job. */
static inline uint32_t hp_pools_of(const struct hp_node_pools *pools, const struct hs_job *job)
{
    return pools->of_node[job->alloc->spans[0].first_node];
}

/* Slots of the pool, its own, that will be ready when the running job ends: not those on nodes that
 * are away. */
uint32_t hp_pools_held(const struct hp_node_pools *pools, const struct hs_view *view,
                       const struct hs_job *job, uint32_t pool);

/* When a job that does not fit now will find its slots, and how many are then left beside it. */
struct hp_pool_shadow {
    hs_time time_ns; /* HS_TIME_NEVER: not known */
    int64_t extra;
};

/* By counting slots, as EASY does (lib/shadow.h). Where the slots are there and the nodes are too
 * scattered nevertheless, it is the next end in the pool. Cost: the running jobs. */
struct hp_pool_shadow hp_pools_shadow(const struct hp_node_pools *pools, const struct hs_view *view,
                                      const struct hs_job *job, uint32_t pool);

#endif
