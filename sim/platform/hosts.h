/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hosts.h - from the hosts of a file to the nodes of a cluster: roles, kinds, memory, order. */
#ifndef HSIM_PLATFORM_HOSTS_H
#define HSIM_PLATFORM_HOSTS_H

#include "platform/platform.h"
#include "platform/source.h"

/* Sorts the hosts, reads the properties that hsim knows, and builds the cluster of the compute
 * hosts. `source` serves to say where something stands. HS_ERR_INPUT. */
enum hs_err hosts_finish(struct platform *platform, const struct source *source,
                         struct hs_error *error) HS_MUST_USE;

#endif
