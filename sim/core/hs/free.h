/* SPDX-License-Identifier: MIT */
/* free.h - what is free on each node, and placement on it.
 *
 * The scheduler has one such state for now; reservation rules have scratch copies for times to
 * come. Placement picks nodes for a demand: left-most, or by the scores of a placement plug-in.
 * A node held by an exclusive job has nothing free, whatever its tasks need. */
#ifndef HS_FREE_H
#define HS_FREE_H

#include "hs/cluster.h"
#include "hs/demand.h"

struct hs_free;

/* Scores node `node` for one more task of `demand`: the largest score wins, at equal scores the
 * lowest index; what is no number counts as -infinity. NULL as a placement means left-most. */
struct hs_placement {
    double (*score)(const void *self, const struct hs_free *free, uint32_t node,
                    const struct hs_demand *demand);
    const void *self;
};

/* Memory for an allocation under construction; zero it, reserve or let its first use do so, free
 * with fini. */
struct hs_alloc_buffer {
    struct hs_alloc alloc;           /* alloc.spans points into `spans` */
    struct hs_span *spans;           /* room for one a node; scratch of the placement lies behind */
    struct hs_device_share *devices; /* alloc.devices points here */
    uint32_t span_room;
    uint32_t device_room;
};

/* Room for any placement on the cluster: hs_free_place does not fail for memory then. */
bool hs_alloc_buffer_reserve(struct hs_alloc_buffer *buffer,
                             const struct hs_cluster *cluster) HS_MUST_USE;

/* All of the cluster free. The cluster must outlive it. NULL when memory is short. */
struct hs_free *hs_free_create(const struct hs_cluster *cluster);
void hs_free_destroy(struct hs_free *state);

/* `to` becomes equal to `from` (of the same cluster). Cost: nodes. */
void hs_free_copy(struct hs_free *to, const struct hs_free *from);

/* On every node `to` keeps the smaller of both: what is free at both times. Cost: nodes. */
void hs_free_intersect(struct hs_free *to, const struct hs_free *other);

/* Takes what `alloc` of `demand` holds; it must be free (hs_free_holds). Release is the reverse. */
void hs_free_take(struct hs_free *state, const struct hs_demand *demand,
                  const struct hs_alloc *alloc);
void hs_free_release(struct hs_free *state, const struct hs_demand *demand,
                     const struct hs_alloc *alloc);

/* Is all that `alloc` of `demand` needs free, is it well formed, and does it serve the demand in
 * full? If not, *reason (may be NULL) becomes a clause: "node n3 has 0 of 2 cores free". */
bool hs_free_holds(const struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_alloc *alloc, char *reason, size_t reason_size);

/* How many tasks of `demand` node `node` takes now. */
uint32_t hs_free_node_tasks(const struct hs_free *state, uint32_t node,
                            const struct hs_demand *demand);

/* Finds nodes for the demand without taking them; the answer lies in buffer->alloc. False: it does
 * not fit now (or the buffer was not reserved and memory is short). Cost: nodes looked at. */
bool hs_free_place(struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_placement *placement, struct hs_alloc_buffer *buffer);

void hs_alloc_buffer_fini(struct hs_alloc_buffer *buffer);

/* Reading, for scores. */
const struct hs_cluster *hs_free_cluster(const struct hs_free *state);
int64_t hs_free_cores_milli(const struct hs_free *state, uint32_t node);
int64_t hs_free_mem_bytes(const struct hs_free *state, uint32_t node);
int64_t hs_free_total_cores_milli(const struct hs_free *state);
uint32_t hs_free_node_jobs(const struct hs_free *state, uint32_t node);

#endif
