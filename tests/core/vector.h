/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vector.h - nodes with devices in plain arrays: the reference for placement.
 *
 * Every question is answered by a look at everything, with additions and comparisons only; it
 * shares no code with the core and follows its headers. Placement knows three ways to choose nodes,
 * with local strategy tight and ties by index. */
#ifndef HSIM_TESTS_VECTOR_H
#define HSIM_TESTS_VECTOR_H

#include "hs/cluster.h"
#include "hs/demand.h"
#include "model_case.h"

#define VECTOR_NODES_MAX        MODEL_NODES_MAX
#define VECTOR_NODE_DEVICES_MAX 8u
#define VECTOR_DEVICES_MAX      (VECTOR_NODES_MAX * VECTOR_NODE_DEVICES_MAX)
#define VECTOR_TASKS_MAX        80u  /* of a demand */
#define VECTOR_GIVEN_MAX        240u /* devices of an allocation */
#define VECTOR_ALTERNATIVES_MAX 2u

struct vector_node {
    int64_t cores_milli;
    int64_t mem_bytes;
    uint64_t features;
    uint32_t rack;
    uint32_t first_device;
    uint32_t device_count;
};

struct vector_cluster {
    uint32_t node_count;
    uint32_t device_count;
    uint16_t kind_count;
    uint16_t model_count;
    uint16_t feature_count;
    struct vector_node nodes[VECTOR_NODES_MAX];
    struct hs_device devices[VECTOR_DEVICES_MAX];
};

/* What is free. */
struct vector_state {
    int64_t cores_milli[VECTOR_NODES_MAX];
    int64_t mem_bytes[VECTOR_NODES_MAX];
    uint32_t jobs[VECTOR_NODES_MAX];
    bool is_whole[VECTOR_NODES_MAX]; /* held by an exclusive job: nothing is free */
    bool is_away[VECTOR_NODES_MAX];  /* nothing is free either, whatever the rest says */
    uint32_t shares[VECTOR_DEVICES_MAX];
    int64_t device_mem[VECTOR_DEVICES_MAX];
};

/* What a job holds; devices node by node, task by task. */
struct vector_alloc {
    uint32_t tasks[VECTOR_NODES_MAX];
    uint32_t alternative;
    uint32_t given_count;
    struct hs_device_share given[VECTOR_GIVEN_MAX];
    bool is_exclusive;
};

enum vector_way { VECTOR_LEFT_MOST, VECTOR_BEST_FIT, VECTOR_WORST_FIT, VECTOR_WAY_COUNT };

/* A random cluster: few kinds of nodes, devices of several kinds and models. */
void vector_draw_cluster(struct vector_cluster *cluster, struct model_random *random,
                         uint32_t node_count);

/* A random demand for it, whose alternatives (at most VECTOR_ALTERNATIVES_MAX) lie in
 * `alternatives`. */
void vector_draw_demand(const struct vector_cluster *cluster, struct model_random *random,
                        struct hs_demand *demand, struct hs_demand *alternatives);

/* The cluster of the core. The numbers of kinds, models and features are then the core's. */
struct hs_cluster *vector_build(struct vector_cluster *cluster);

void vector_open(const struct vector_cluster *cluster, struct vector_state *state);

/* Tasks of the demand itself that the node takes, at most demand->tasks. */
uint32_t vector_node_tasks(const struct vector_cluster *cluster, const struct vector_state *state,
                           uint32_t node, const struct hs_demand *demand);

/* Is there room for the demand or one of its alternatives? */
bool vector_fits(const struct vector_cluster *cluster, const struct vector_state *state,
                 const struct hs_demand *demand);

/* Where the demand or the first alternative that fits goes. */
bool vector_place(const struct vector_cluster *cluster, const struct vector_state *state,
                  const struct hs_demand *demand, enum vector_way way, struct vector_alloc *alloc);

/* Reads an allocation of the core; false: its spans are no list of nodes in order. */
bool vector_read(const struct vector_cluster *cluster, const struct hs_alloc *core,
                 struct vector_alloc *alloc);

/* Does the allocation serve the demand, with what is free? If not, *why says why. */
bool vector_holds(const struct vector_cluster *cluster, const struct vector_state *state,
                  const struct hs_demand *demand, const struct vector_alloc *alloc,
                  const char **why);

/* Takes what the allocation holds, or gives it back. */
void vector_take(const struct vector_cluster *cluster, struct vector_state *state,
                 const struct hs_demand *demand, const struct vector_alloc *alloc);
void vector_release(const struct vector_cluster *cluster, struct vector_state *state,
                    const struct hs_demand *demand, const struct vector_alloc *alloc);

/* What is free in both. */
void vector_intersect(const struct vector_cluster *cluster, struct vector_state *state,
                      const struct vector_state *other);

bool vector_is_equal(const struct vector_cluster *cluster, const struct vector_alloc *left,
                     const struct vector_alloc *right);

#endif
