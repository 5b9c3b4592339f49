/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inline.c - `platform: {nodes: 256, cores: 1}`: equal nodes without a file. */
#include "platform/inline.h"

#include <stdio.h>
#include <stdlib.h>

#define NODES_MAX INT64_C(10000000)
#define CORES_MAX INT64_C(1000000)

static enum hs_err check_range(const char *what, int64_t value, int64_t lowest, int64_t highest,
                               struct hs_error *error)
{
    if (value >= lowest && value <= highest) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "The platform has %s = %lld; allowed are %lld to %lld. Write for instance "
                        "platform: {nodes: 256, cores: 1}.",
                        what, (long long)value, (long long)lowest, (long long)highest);
}

enum hs_err inline_build(const struct platform_options *options, struct platform *platform,
                         struct hs_error *error)
{
    enum hs_err err = check_range("nodes", options->nodes, 1, NODES_MAX, error);
    int64_t mem_bytes = options->mem_bytes ? options->mem_bytes : HS_MEM_UNLIMITED;

    if (err == HS_OK) {
        err = check_range("cores", options->cores, 1, CORES_MAX, error);
    }
    if (err == HS_OK) {
        err = check_range("memory", options->mem_bytes, 0, INT64_MAX - 1, error);
    }
    if (err != HS_OK) {
        return err;
    }
    platform->cluster = hs_cluster_create();
    platform->hosts = calloc((size_t)options->nodes, sizeof *platform->hosts);
    if (!platform->cluster || !platform->hosts) {
        return hs_error_memory(error);
    }
    for (int64_t i = 0; i < options->nodes && err == HS_OK; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "n%lld", (long long)i);
        err = hs_cluster_add_node(platform->cluster, name, options->cores * 1000, mem_bytes, error);
    }
    if (err == HS_OK) {
        err = hs_cluster_seal(platform->cluster, error);
    }
    for (int64_t i = 0; i < options->nodes && err == HS_OK; i++) {
        platform->hosts[i] = (struct platform_host){
            .name = hs_cluster_node(platform->cluster, (uint32_t)i)->name,
            .role = PLATFORM_COMPUTE,
            .kind = "cpu",
            .cores = options->cores,
            .mem_bytes = options->mem_bytes,
            .power = platform_power_unknown(),
            .node = (uint32_t)i,
            .device = UINT32_MAX,
        };
    }
    platform->host_count = (size_t)options->nodes;
    return err;
}
