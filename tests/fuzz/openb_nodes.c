/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb_nodes.c - lists of nodes: any bytes yield a cluster with hosts that match, or a sentence.
 */
#include "fuzz.h"
#include "platform/openb.h"

static void check_platform(const struct platform *platform)
{
    const struct hs_cluster *cluster = platform->cluster;
    uint32_t devices = 0;
    uint32_t nodes = 0;

    FUZZ_CHECK(platform->host_count ==
               hs_cluster_node_count(cluster) + hs_cluster_device_count(cluster));
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        if (host->role == PLATFORM_DEVICE) {
            FUZZ_CHECK(nodes > 0 && host->node == nodes - 1 && host->device == devices);
            FUZZ_CHECK(hs_cluster_device(cluster, devices)->node == nodes - 1);
            FUZZ_CHECK(host->property_count == 1 && *host->property_values[0]);
            devices++;
            continue;
        }
        FUZZ_CHECK(host->node == nodes && host->device == UINT32_MAX && *host->name);
        FUZZ_CHECK(host->cores == hs_cluster_node(cluster, nodes)->cores_milli / 1000);
        FUZZ_CHECK(host->mem_bytes == hs_cluster_node(cluster, nodes)->mem_bytes);
        nodes++;
    }
    FUZZ_CHECK(devices == hs_cluster_device_count(cluster));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct platform platform = {0};
    struct hs_error error = {0};
    char path[FUZZ_PATH_MAX];
    int file = fuzz_file(data, size, path);
    enum hs_err err = openb_load(path, &platform, &error);

    if (err == HS_OK) {
        check_platform(&platform);
    } else {
        fuzz_check_error(err, &error);
    }
    platform_fini(&platform);
    FUZZ_CHECK(close(file) == 0);
    return 0;
}
