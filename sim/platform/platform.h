/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.h - from a SimGrid platform file, a list of nodes, or a few numbers, to a cluster.
 *
 * A SimGrid file is loaded by SimGrid itself in a forked child, so that no bad file can abort
 * the caller; the hosts come back over a pipe. SimGrid is a module loaded only in that child. */
#ifndef HSIM_PLATFORM_H
#define HSIM_PLATFORM_H

#include "hs/cluster.h"
#include "platform/catalogue.h"

struct platform_options {
    const char *file;      /* path that can be opened, or NULL: inline */
    const char *catalogue; /* of a file: YAML that adds to the device catalogue; NULL: none */
    int64_t nodes;         /* inline: number of nodes, >= 1 */
    int64_t cores;         /* inline: cores of each, >= 1 */
    int64_t mem_bytes;     /* inline: memory of each; 0: not modelled */
};

/* What a host is for. Only compute hosts become nodes of the cluster. */
enum platform_role {
    PLATFORM_COMPUTE,
    PLATFORM_MASTER,
    PLATFORM_STORAGE,
    PLATFORM_DEVICE, /* an accelerator: property `kind` says gpu, fpga, npu, ... */
    PLATFORM_PORT,   /* kind "port": where the links of a node's accelerators end */
};

/* A SimGrid host with what the file says of it. Strings are owned by the platform. */
struct platform_host {
    const char *name;
    enum platform_role role; /* Batsim's property `role`; a host named master_host is a master */
    const char *kind;        /* property `kind`; "cpu" if the file does not say */
    int64_t cores;
    double speed;                      /* flop/s of one core in state 0; 0: not stated (inline) */
    int64_t mem_bytes;                 /* property `memory` or `mem`, else the model's; 0: none */
    const double *pstate_speeds;       /* flop/s of one core in each state; [0] is `speed` */
    size_t pstate_count;               /* 0 for an inline platform */
    const char *const *property_names; /* sorted */
    const char *const *property_values;
    size_t property_count;
    const struct catalogue_device *model; /* property `model`; NULL: not stated */
    const char *rack;                     /* property `rack` of a node; NULL: not stated */
    const char *group; /* property `group` of a device: its island in the node; NULL: none */
    struct platform_power power;
    uint32_t node;   /* index in the cluster, of a device that of its node; UINT32_MAX for hosts
                      * that take no jobs, and for devices of such */
    uint32_t device; /* index in the cluster; UINT32_MAX: it is none */
};

/* The result. Hosts and nodes are in natural name order (n2 before n10); so are the devices of a
 * node. Those of a list of nodes (.csv) are in the order of the file.
 *
 * Power comes from SimGrid's properties wattage_per_state ("idle:context:busy" or "idle:busy" of
 * each state, of which the first counts; also Batsim's old watt_per_state) and wattage_off, else
 * from the catalogue by model, for a node times its sockets; else it is not known. */
struct platform {
    struct hs_cluster *cluster;  /* compute hosts and their devices; owned */
    struct platform_host *hosts; /* all hosts; owned */
    size_t host_count;
    struct platform_power *node_power;   /* by node; NULL: not known of any node or device; owned */
    struct platform_power *device_power; /* by device; NULL as node_power; owned */
    struct catalogue *catalogue;         /* NULL unless the file names models; owned */
    char *simgrid_version;               /* "3.32"; NULL for an inline platform; owned */
    void *storage;                       /* private */
};

/* Loads or builds. Inline nodes are named n0, n1, ... A file of SimGrid needs the module
 * hsim-simgrid.so, looked for in the folder that the environment variable HSIM_MODULE_PATH
 * names, else beside the running program and in ../lib/hsim and ../bin from there.
 *
 * Errors: HS_ERR_INPUT with `file:line: ...` and the remedy for what a file says, HS_ERR_CONFIG
 * for inline numbers, HS_ERR_SYSTEM for the machine (no module, no process), HS_ERR_INTERRUPTED.
 * *platform is zeroed on failure. Forks: the caller has one thread. */
enum hs_err platform_load(const struct platform_options *options, struct platform *platform,
                          struct hs_error *error) HS_MUST_USE;
void platform_fini(struct platform *platform); /* takes a zeroed one too */

/* What a platform file is by its name: "openb" (a list of nodes) or "simgrid". */
const char *platform_format(const char *path);

/* Natural order of names: digit runs compare as numbers. <0, 0, >0; 0 only for equal names. */
int platform_name_compare(const char *left, const char *right);

/* Reads a memory size as platform files write it: "64GiB", "40 GB", "1.5TiB", "4096" (bytes).
 * False if it is no such size, is zero, or does not fit; parts of a byte are dropped. */
bool platform_size_parse(const char *text, int64_t *bytes);

#endif
