/* SPDX-License-Identifier: MIT */
/* node_size.h - how full a node is, for placements that compare nodes. */
#ifndef HP_NODE_SIZE_H
#define HP_NODE_SIZE_H

#include "hs/policy.h"

/* What scores are relative to: the largest node of the cluster, unless the experiment says. */
struct hp_scale {
    int64_t cores; /* parameters: 0 means the most of any node */
    int64_t devices;
    double cores_milli; /* from them */
    double shares;
};

#define HP_SCALE_PARAMS(state, field)                                                              \
    {.name = "cores",                                                                              \
     .unit = "cores",                                                                              \
     .doc = "cores that count as a whole node; 0: those of the largest node",                      \
     .default_text = "0",                                                                          \
     .min = 0,                                                                                     \
     .max = 1e9,                                                                                   \
     .offset = HS_PARAM_OFFSET(state, field.cores, int64_t),                                       \
     .type = HS_PARAM_TYPE_INT},                                                                   \
    {                                                                                              \
        .name = "devices", .unit = "devices",                                                      \
        .doc = "devices that count as a whole node; 0: those of the node with the most",           \
        .default_text = "0", .min = 0, .max = 64,                                                  \
        .offset = HS_PARAM_OFFSET(state, field.devices, int64_t), .type = HS_PARAM_TYPE_INT        \
    }

/* Completes the scale from the cluster. */
void hp_scale_begin(struct hp_scale *scale, const struct hs_cluster *cluster);

/* Free thousandths of those devices of the node that the demand admits. */
uint32_t hp_node_useful_shares(const struct hs_free *free, uint32_t node,
                               const struct hs_demand *demand);

/* Thousandths of devices that a task asks for. */
uint32_t hp_task_shares(const struct hs_demand *demand);

#endif
