/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nodes.h - from hosts whose properties are read to the cluster: nodes, racks, devices, power. */
#ifndef HSIM_PLATFORM_NODES_H
#define HSIM_PLATFORM_NODES_H

#include "platform/platform.h"
#include "platform/source.h"

/* Builds platform->cluster, fills the indices of the hosts and the arrays of power. A device
 * belongs to the node that its property `node` names, else to the one of the name before ':'.
 * Devices of hosts that take no jobs stay outside, as these do. HS_ERR_INPUT. */
enum hs_err nodes_build(struct platform *platform, const struct source *source,
                        struct hs_error *error) HS_MUST_USE;

/* Fills the arrays of power from the hosts, if any of them has some. */
enum hs_err nodes_collect_power(struct platform *platform, struct hs_error *error) HS_MUST_USE;

#endif
