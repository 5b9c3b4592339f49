/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.h - from a SimGrid platform file, or a few numbers, to a cluster.
 *
 * A platform file is loaded by SimGrid itself in a forked child, so that no bad file can abort
 * the caller; the hosts come back over a pipe. SimGrid is a module loaded only in that child. */
#ifndef HSIM_PLATFORM_H
#define HSIM_PLATFORM_H

#include "hs/cluster.h"

struct platform_options {
    const char *file;  /* path that can be opened, or NULL: inline */
    int64_t nodes;     /* inline: number of nodes, >= 1 */
    int64_t cores;     /* inline: cores of each, >= 1 */
    int64_t mem_bytes; /* inline: memory of each; 0: not modelled */
};

enum platform_role { PLATFORM_COMPUTE, PLATFORM_MASTER, PLATFORM_STORAGE };

/* A SimGrid host with what the file says of it. Strings are owned by the platform. */
struct platform_host {
    const char *name;
    enum platform_role role; /* Batsim's property `role`; a host named master_host is a master */
    int64_t cores;
    double speed;      /* flop/s of one core in state 0 */
    int64_t mem_bytes; /* property `memory` or `mem`, as SimGrid writes sizes; 0: none */
    const char *const *property_names; /* sorted */
    const char *const *property_values;
    size_t property_count;
    uint32_t node; /* index in the cluster; UINT32_MAX for hosts that take no jobs */
};

/* The result. Hosts and nodes are in natural name order (n2 before n10). */
struct platform {
    struct hs_cluster *cluster;  /* compute hosts only; owned */
    struct platform_host *hosts; /* all hosts; owned */
    size_t host_count;
    char *simgrid_version; /* "3.32"; NULL for an inline platform; owned */
    void *storage;         /* private */
};

/* Loads or builds. Errors: HS_ERR_INPUT with `file:line: ...` and the remedy. */
enum hs_err platform_load(const struct platform_options *options, struct platform *platform,
                          struct hs_error *error) HS_MUST_USE;
void platform_fini(struct platform *platform); /* takes a zeroed one too */

/* Natural order of names: digit runs compare as numbers. <0, 0, >0. */
int platform_name_compare(const char *left, const char *right);

#endif
