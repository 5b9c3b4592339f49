/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hosts.h - from the hosts of a file to the nodes of a cluster: roles, kinds, memory, order. */
#ifndef HSIM_PLATFORM_HOSTS_H
#define HSIM_PLATFORM_HOSTS_H

#include "platform/platform.h"
#include "platform/source.h"

/* Sorts the hosts, reads the properties that hsim knows, and builds the cluster of the compute
 * hosts and their devices. `source` serves to say where something stands; `catalogue` (or NULL)
 * adds to the device catalogue, which is loaded only if a host names a model. HS_ERR_INPUT. */
enum hs_err hosts_finish(struct platform *platform, const struct source *source,
                         const char *catalogue, struct hs_error *error) HS_MUST_USE;

/* Value of a property, or NULL. */
const char *hosts_property(const struct platform_host *host, const char *name);

/* Sets "FILE:LINE: Host 'h' has the property NAME="VALUE". REMEDY" and returns HS_ERR_INPUT. */
enum hs_err hosts_fail_property(const struct source *source, const struct platform_host *host,
                                const char *name, const char *remedy, struct hs_error *error);

/* "FILE:LINE" of a host, for messages. */
struct hosts_place {
    char text[1024];
};
struct hosts_place hosts_place(const struct source *source, const struct platform_host *host);

#endif
