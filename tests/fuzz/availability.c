/* SPDX-License-Identifier: GPL-3.0-or-later */
/* availability.c - tables of when nodes are available: any bytes yield changes that ascend by time
 * and change something, or a sentence. */
#include "platform/availability.h"
#include "fuzz.h"

#define NODES 6u

static struct hs_cluster *build_cluster(void)
{
    static const char *const names[NODES] = {"n0", "n1", "gpu-1", "7", "all", "0-1"};
    struct hs_cluster *cluster = hs_cluster_create();

    FUZZ_CHECK(cluster);
    for (uint32_t i = 0; i < NODES; i++) {
        FUZZ_CHECK(hs_cluster_add_node(cluster, names[i], 1000, HS_MEM_UNLIMITED, NULL) == HS_OK);
        for (uint32_t d = 0; d < i % 3; d++) {
            FUZZ_CHECK(hs_cluster_add_device(cluster, "gpu", "model", HS_NO_GROUP, HS_MEM_UNLIMITED,
                                             NULL) == HS_OK);
        }
    }
    FUZZ_CHECK(hs_cluster_seal(cluster, NULL) == HS_OK);
    return cluster;
}

static void check_changes(const struct availability *availability)
{
    bool is_away[NODES] = {false};

    for (size_t i = 0; i < availability->count; i++) {
        const struct availability_change *change = &availability->changes[i];

        FUZZ_CHECK(change->node < NODES && is_away[change->node] == change->is_available);
        FUZZ_CHECK(i == 0 || change->time_ns >= availability->changes[i - 1].time_ns);
        is_away[change->node] = !change->is_available;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_cluster *cluster = build_cluster();
    struct availability availability = {0};
    struct hs_error error = {0};
    char path[FUZZ_PATH_MAX];
    int file = fuzz_file(data, size, path);
    enum hs_err err = availability_load(path, "total", cluster, &availability, &error);

    if (err == HS_OK) {
        check_changes(&availability);
    } else {
        fuzz_check_error(err, &error);
    }
    availability_fini(&availability);
    hs_cluster_destroy(cluster);
    FUZZ_CHECK(close(file) == 0);
    return 0;
}
