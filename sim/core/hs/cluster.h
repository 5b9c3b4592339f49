/* SPDX-License-Identifier: MIT */
/* cluster.h - what a cluster consists of: nodes with cores, memory and addressable devices.
 *
 * A cluster is built once (create, add, seal) and then never changes; what is free and what is
 * used lies elsewhere (free.h). Quantities are integers: cores in thousandths ("milli-cores"),
 * memory in bytes, a device in 1000 shares. Nodes keep the order in which they were added; "left-
 * most" everywhere means the lowest index. */
#ifndef HS_CLUSTER_H
#define HS_CLUSTER_H

#include "hs/base.h"

#define HS_MEM_UNLIMITED    INT64_MAX /* the platform says nothing about the memory of a node */
#define HS_SHARES_PER_UNIT  1000u     /* capacity of one device */
#define HS_NO_GROUP         UINT32_MAX
#define HS_NO_RACK          UINT32_MAX
#define HS_NODE_DEVICES_MAX 64u /* accelerators in one node */
#define HS_FEATURE_MAX      64u /* names of features in one cluster: bits of a mask */

/* One accelerator, addressed one by one. */
struct hs_device {
    uint32_t node;     /* index of its node */
    uint16_t kind;     /* index into the cluster's device kinds ("gpu", "fpga", "npu") */
    uint16_t model;    /* index into the cluster's device models ("a100-40gb") */
    uint32_t group;    /* NVLink island or NUMA domain within the node, or HS_NO_GROUP */
    int64_t mem_bytes; /* HS_MEM_UNLIMITED if not modelled */
    uint64_t features; /* bit k: it has hs_cluster_feature_name(cluster, k) */
};

struct hs_node {
    const char *name;     /* owned by the cluster */
    int64_t cores_milli;  /* > 0 */
    int64_t mem_bytes;    /* HS_MEM_UNLIMITED if not modelled */
    uint32_t class_index; /* nodes of equal cores, memory, features and devices share a class */
    uint32_t first_device;
    uint32_t device_count; /* devices [first_device, first_device + device_count) */
    uint32_t rack;         /* nodes behind one switch share a number; HS_NO_RACK: not modelled */
    uint64_t features;     /* of its processors; bits as in hs_device */
};

struct hs_cluster;

/* An empty cluster, or NULL when memory is short. */
struct hs_cluster *hs_cluster_create(void);
void hs_cluster_destroy(struct hs_cluster *cluster);

/* Appends a node. The name is copied and must be unique (checked by hs_cluster_seal). */
enum hs_err hs_cluster_add_node(struct hs_cluster *cluster, const char *name, int64_t cores_milli,
                                int64_t mem_bytes, struct hs_error *error) HS_MUST_USE;

/* Appends a device to the node added last; kind and model are copied. HS_ERR_INPUT: too many
 * devices in the node, or kinds or models in the cluster. */
enum hs_err hs_cluster_add_device(struct hs_cluster *cluster, const char *kind, const char *model,
                                  uint32_t group, int64_t mem_bytes,
                                  struct hs_error *error) HS_MUST_USE;

/* Say more of the node or the device added last. A name is copied; the 65th distinct feature of a
 * cluster is HS_ERR_INPUT. */
void hs_cluster_set_rack(struct hs_cluster *cluster, uint32_t rack);
enum hs_err hs_cluster_add_node_feature(struct hs_cluster *cluster, const char *feature,
                                        struct hs_error *error) HS_MUST_USE;
enum hs_err hs_cluster_add_device_feature(struct hs_cluster *cluster, const char *feature,
                                          struct hs_error *error) HS_MUST_USE;

/* Ends the building: checks names, finds classes. Fails for an empty cluster or equal names. */
enum hs_err hs_cluster_seal(struct hs_cluster *cluster, struct hs_error *error) HS_MUST_USE;

/* Reading. Pointers live as long as the cluster. */
uint32_t hs_cluster_node_count(const struct hs_cluster *cluster);
const struct hs_node *hs_cluster_node(const struct hs_cluster *cluster, uint32_t index);
uint32_t hs_cluster_device_count(const struct hs_cluster *cluster);
const struct hs_device *hs_cluster_device(const struct hs_cluster *cluster, uint32_t index);
uint32_t hs_cluster_class_count(const struct hs_cluster *cluster);
uint32_t hs_cluster_rack_count(const struct hs_cluster *cluster); /* largest rack + 1; 0: none */
uint16_t hs_cluster_kind_count(const struct hs_cluster *cluster);
uint16_t hs_cluster_model_count(const struct hs_cluster *cluster);
uint16_t hs_cluster_feature_count(const struct hs_cluster *cluster);
const char *hs_cluster_kind_name(const struct hs_cluster *cluster, uint16_t kind);
const char *hs_cluster_model_name(const struct hs_cluster *cluster, uint16_t model);
const char *hs_cluster_feature_name(const struct hs_cluster *cluster, uint16_t feature);
/* The number of a name; false if the cluster has none of it. */
bool hs_cluster_find_kind(const struct hs_cluster *cluster, const char *name, uint16_t *kind);
bool hs_cluster_find_model(const struct hs_cluster *cluster, const char *name, uint16_t *model);
bool hs_cluster_find_feature(const struct hs_cluster *cluster, const char *name, uint16_t *feature);
int64_t hs_cluster_cores_milli(const struct hs_cluster *cluster); /* sum over all nodes */

#endif
