/* SPDX-License-Identifier: MIT */
/* free.h - what is free on each node and device, and placement on it.
 *
 * The scheduler has one such state; reservation rules have scratch states for times to come. Two
 * levels: placement picks nodes for the tasks of a demand, by index or by the scores of a placement
 * plug-in; inside a node a local strategy picks devices. A node held by an exclusive job has
 * nothing free, whatever its tasks need. A node may be away: then nothing on it is free either, and
 * what jobs on it give back stays hidden until it is available again. */
#ifndef HS_FREE_H
#define HS_FREE_H

#include "hs/cluster.h"
#include "hs/demand.h"

struct hs_free;

/* Which devices of a node a task gets. Equal ones: the lowest index. */
enum hs_local {
    HS_LOCAL_TIGHT,  /* those with the smallest free share that suffices */
    HS_LOCAL_ISLAND, /* of one group if one can hold the task, the group with the fewest free
                        devices first; inside it as tight. A task on one device: as tight, of equal
                        ones that of the group with the fewest free devices */
    HS_LOCAL_FIRST,  /* the lowest index */
};

/* Bits of hs_placement.flags and hs_place.flags. */
enum hs_place_flag {
    HS_PLACE_STEPWISE = 1u << 0, /* task by task, each where the score is highest after the last;
                                    else the best node is filled before the next is looked at */
    HS_PLACE_RANDOM = 1u << 1,   /* instead of by score: drawn anew after each change of the state;
                                    also   the device for a share */
    HS_PLACE_RACKS = 1u << 2,    /* in one rack if one suffices, the fullest such; else in few */
    HS_PLACE_MIX = 1u << 3,      /* it needs hs_view_mix */
};

/* Scores node `node` for one more task of `demand` (whose `tasks` is 1), which fits there: the
 * largest score wins; what is no number counts as the least. A score depends on the cluster, the
 * demand and what is free on that node alone, so it is asked for again only when the node has
 * changed. NULL as a placement means left-most and tight. */
struct hs_placement {
    double (*score)(const void *self, const struct hs_free *free, uint32_t node,
                    const struct hs_demand *demand); /* NULL: all nodes are equal */
    /* For a task on a share of one device: which device of the node. NULL: by `local`. */
    double (*device_score)(const void *self, const struct hs_free *free, uint32_t device,
                           const struct hs_demand *demand);
    const void *self;
    const uint32_t *rank; /* per node, all different: of equals the smallest wins; NULL: index */
    uint64_t draw;        /* HS_PLACE_RANDOM: the seed */
    enum hs_local local;
    uint32_t flags; /* enum hs_place_flag */
};

/* Memory for an allocation under construction; zero it, reserve or let its first use do so, free
 * with fini. */
struct hs_alloc_buffer {
    struct hs_alloc alloc; /* alloc.spans points into `spans`, alloc.devices to `devices` */
    struct hs_span *spans; /* room for one a node; scratch of the placement lies behind */
    struct hs_device_share *devices; /* grown by use */
    uint32_t span_room;
    uint32_t device_room;
};

/* Room for the nodes of any placement on the cluster, and for the devices of `demand` (NULL: none):
 * hs_free_place does not fail for memory then. */
bool hs_alloc_buffer_reserve(struct hs_alloc_buffer *buffer, const struct hs_cluster *cluster,
                             const struct hs_demand *demand) HS_MUST_USE;

/* All of the cluster free. The cluster must outlive it. NULL when memory is short. */
struct hs_free *hs_free_create(const struct hs_cluster *cluster);
void hs_free_destroy(struct hs_free *state);

/* A node leaves, or comes back with what is then free on it. All are available at the beginning.
 * Cost: its devices. */
void hs_free_set_available(struct hs_free *state, uint32_t node, bool is_available);
bool hs_free_is_available(const struct hs_free *state, uint32_t node);
uint32_t hs_free_away_count(const struct hs_free *state); /* nodes */

/* `to` becomes equal to `from` (of the same cluster). Cost: nodes and devices. */
void hs_free_copy(struct hs_free *to, const struct hs_free *from);
void hs_free_copy_node(struct hs_free *to, const struct hs_free *from, uint32_t node);

/* On every node `to` keeps the smaller of both: what is free at both times; a node that is away in
 * one of them is so in `to`. Cost: as copy. */
void hs_free_intersect(struct hs_free *to, const struct hs_free *other);
void hs_free_intersect_node(struct hs_free *to, const struct hs_free *other, uint32_t node);

/* From now on the state notes which nodes change, and remembers for each demand what every node
 * takes of it: with `placement` (copied; NULL: left-most) it
 * then costs what has changed since the same demand was placed last, and a logarithm, instead of
 * nodes. Does nothing if it is tracked already. False when memory is short: all goes on as before.
 */
bool hs_free_track(struct hs_free *state, const struct hs_placement *placement);

/* A demand will be asked for: if the state is tracked, makes room now, so that the first question
 * need not allocate. */
void hs_free_expect(struct hs_free *state, const struct hs_demand *demand);

/* As hs_free_copy; if both are tracked at the cost of the nodes that have changed on either side
 * since `to` followed `from` last. */
void hs_free_follow(struct hs_free *to, const struct hs_free *from);

/* Takes what `alloc` of `demand` holds; it must be free (hs_free_holds). Release is the reverse. */
void hs_free_take(struct hs_free *state, const struct hs_demand *demand,
                  const struct hs_alloc *alloc);
void hs_free_release(struct hs_free *state, const struct hs_demand *demand,
                     const struct hs_alloc *alloc);

/* Is all that `alloc` of `demand` needs free, is it well formed, and does it serve the demand in
 * full? Devices are listed node by node in the order of the spans, and task by task within a node.
 * If not, *reason (may be NULL) becomes a clause: "node n3 has 0 of 2 cores free". */
bool hs_free_holds(const struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_alloc *alloc, char *reason, size_t reason_size);

/* How many tasks of `demand` (the demand itself, not its alternatives) node `node` takes now. */
uint32_t hs_free_node_tasks(const struct hs_free *state, uint32_t node,
                            const struct hs_demand *demand);

/* Finds nodes and devices for the demand, or else for the first of its alternatives that fits,
 * without taking them; the answer lies in buffer->alloc. False: it does not fit now (or the buffer
 * was not reserved and memory is short). */
bool hs_free_place(struct hs_free *state, const struct hs_demand *demand,
                   const struct hs_placement *placement, struct hs_alloc_buffer *buffer);

/* The same on some of the nodes alone: bit n % 64 of part[n / 64] is set for each node n that may
 * be used; NULL: all may. With a part every node of it that has free cores is asked. */
bool hs_free_place_within(struct hs_free *state, const struct hs_demand *demand,
                          const struct hs_placement *placement, const uint64_t *part,
                          struct hs_alloc_buffer *buffer);

/* Would hs_free_place find room? */
bool hs_free_fits(struct hs_free *state, const struct hs_demand *demand);

void hs_alloc_buffer_fini(struct hs_alloc_buffer *buffer);

/* The demand that an allocation serves: the demand itself or one of its alternatives. */
const struct hs_demand *hs_demand_chosen(const struct hs_demand *demand,
                                         const struct hs_alloc *alloc);

/* May a task of `demand` be given this device, as far as kind, model and features go? */
bool hs_demand_admits(const struct hs_demand *demand, const struct hs_device *device);

/* Reading, for scores. */
const struct hs_cluster *hs_free_cluster(const struct hs_free *state);
int64_t hs_free_cores_milli(const struct hs_free *state, uint32_t node);
int64_t hs_free_mem_bytes(const struct hs_free *state, uint32_t node);
int64_t hs_free_total_cores_milli(const struct hs_free *state);
uint32_t hs_free_node_jobs(const struct hs_free *state, uint32_t node);

/* Jobs on the node by the devices of a task: a share of one, one, two, up to four, more. Jobs
 * without devices are not among them. */
enum hs_size_class {
    HS_CLASS_SHARE,
    HS_CLASS_ONE,
    HS_CLASS_TWO,
    HS_CLASS_FOUR,
    HS_CLASS_MORE,
    HS_CLASS_COUNT
};
enum hs_size_class hs_demand_size_class(const struct hs_demand *demand);
uint32_t hs_free_class_jobs(const struct hs_free *state, uint32_t node, enum hs_size_class size);
uint32_t hs_free_node_shares(const struct hs_free *state, uint32_t node);  /* of all its devices */
uint32_t hs_free_node_devices(const struct hs_free *state, uint32_t node); /* wholly free ones */
uint32_t hs_free_device_share(const struct hs_free *state, uint32_t device); /* thousandths */
int64_t hs_free_device_mem(const struct hs_free *state, uint32_t device);    /* bytes */

#endif
