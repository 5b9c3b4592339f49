/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mark.h - a cluster whose nodes and devices say which models they are not.
 *
 * A job that cannot run on some models must never be placed there, whatever the rule, the placement
 * or the plug-in. A demand can ask for features, all of which a device must have; so every device
 * gets the features `not-MODEL` of the models that it is not, and every node those of the processor
 * models that it has not. A job that cannot run on K80 boards asks for `not-k80-board`. */
#ifndef HSIM_SPEED_MARK_H
#define HSIM_SPEED_MARK_H

#include "hs/cluster.h"

/* What the processors of a node are called whose model is not known. */
#define SPEED_UNKNOWN_MODEL "unknown"

/* A copy of the sealed cluster with these features: the same nodes, devices, kinds and models under
 * the same numbers (features may get other numbers). `node_models` as in struct speed_options.
 * `nodes_apart` (NULL: none) has a byte a node: those that are not 0 get a mark of their own, the
 * feature `not-node-NUMBER` of all others. HS_ERR_CONFIG: a cluster has at most 64 features. */
enum hs_err speed_mark(const struct hs_cluster *cluster, const char *const *node_models,
                       const unsigned char *nodes_apart, struct hs_cluster **marked,
                       struct hs_error *error) HS_MUST_USE;

/* The bit of `not-NAME`; 0: the cluster has no such feature, since all bear that name. */
uint64_t speed_mark_bit(const struct hs_cluster *cluster, const char *name);

#endif
