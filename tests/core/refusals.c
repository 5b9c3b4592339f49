/* SPDX-License-Identifier: GPL-3.0-or-later */
/* refusals.c - why a demand can never be met: each sentence, by an example. */
#include <stdio.h>
#include <string.h>

#include "peek.h"
#include "unit.h"

#define GPU 0u
#define NPU 1u

enum { A100, H100, ASCEND };

/* Two nodes of 8 a100 in islands of 4, 32 cores, 100 bytes; one of 2 h100, 64 cores, 500 bytes and
 * a feature; one of an npu; one of 128 cores alone. */
static struct hs_cluster *zoo(void)
{
    struct hs_cluster *cluster = hs_cluster_create();

    for (uint32_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, i ? "a1" : "a0", 32000, 100, NULL), HS_OK);
        for (uint32_t d = 0; d < 8; d++) {
            CU_ASSERT_EQUAL(hs_cluster_add_device(cluster, "gpu", "a100-40gb", d / 4, 40, NULL),
                            HS_OK);
        }
    }
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "h0", 64000, 500, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_node_feature(cluster, "avx512", NULL), HS_OK);
    for (uint32_t d = 0; d < 2; d++) {
        CU_ASSERT_EQUAL(hs_cluster_add_device(cluster, "gpu", "h100", 0, 80, NULL), HS_OK);
        CU_ASSERT_EQUAL(hs_cluster_add_device_feature(cluster, "fp8", NULL), HS_OK);
    }
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "n0", 8000, 100, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_device(cluster, "npu", "ascend", 0, 32, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "c0", 128000, 200, NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    return cluster;
}

#define WHOLE(tasks_, count_)                                                                      \
    .tasks = (tasks_), .device_count = (count_), .device_share = 1000, .device_kind = GPU
#define SHARE(tasks_, count_, share_)                                                              \
    .tasks = (tasks_), .device_count = (count_), .device_share = (share_), .device_kind = GPU

static const struct hs_demand alternatives[] = {{WHOLE(1, 9)}, {WHOLE(1, 8)}};

static const struct {
    struct hs_demand demand;
    const char *reason;
} cases[] = {
    {{WHOLE(1, 16), .model_count = 1, .models = {A100}},
     "needs 16 a100-40gb on one node, the largest node has 8"},
    {{WHOLE(1, 9), .model_count = 2, .models = {A100, H100}},
     "needs 9 a100-40gb or h100 on one node, the largest node has 8"},
    {{WHOLE(5, 2), .flags = HS_DEMAND_SAME_NODE},
     "needs 10 gpu on one node, the largest node has 8"},
    {{WHOLE(1, 1), .model_count = 1, .models = {77}}, "needs 1 an unknown model, no node has any"},
    {{.tasks = 1, .device_count = 2, .device_share = 1000, .device_kind = 9},
     "needs 2 device, no node has any"},
    {{WHOLE(1, 1), .features = UINT64_C(1) << 9},
     "needs 1 gpu with the features it wants, no node has any"},
    {{WHOLE(1, 3), .features = 2}, "needs 3 gpu on one node, the largest node has 2"},
    {{SHARE(1, 9, 500)}, "needs shares of 9 different gpu on one node, the largest node has 8"},
    {{WHOLE(1, 5), .flags = HS_DEMAND_SAME_ISLAND},
     "needs 5 gpu of one island, the largest island has 4"},
    {{WHOLE(1, 1), .device_mem = INT64_C(1) << 40}, "needs 1 TiB on each gpu, none has so much"},
    {{WHOLE(1, 1), .device_mem = 81}, "needs 81 bytes on each gpu, none has so much"},
    {{WHOLE(19, 1)}, "needs 19 gpu, the cluster has 18"},
    {{WHOLE(1, 4), .cores_milli = 33000},
     "needs 33 cores beside 4 gpu on one node, the largest such node has 32"},
    {{WHOLE(1, 4), .mem_bytes = 101},
     "needs 101 bytes beside 4 gpu on one node, the largest such node has 100 bytes"},
    {{.tasks = 1, .cores_milli = 1000, .node_features = UINT64_C(1) << 9},
     "needs processors with features that no node has"},
    {{.tasks = 1, .cores_milli = 129000}, "needs 129 cores on one node, the largest node has 128"},
    {{.tasks = 1, .cores_milli = 65000, .node_features = 1},
     "needs 65 cores on one node, the largest with the features it wants has 64"},
    {{.tasks = 1, .mem_bytes = INT64_C(3) << 29},
     "needs 1.5 GiB of memory on one node, the largest node has 500 bytes"},
    {{.tasks = 9, .cores_milli = 64000}, "needs 9 tasks of 64 cores, the empty cluster takes 3"},
    {{.tasks = 9, .cores_milli = 64000, .mem_bytes = 2},
     "needs 9 tasks of 64 cores, 2 bytes, the empty cluster takes 3"},
    {{.tasks = 5, .cores_milli = 32000, .flags = HS_DEMAND_SAME_NODE},
     "needs 5 tasks of 32 cores, the empty cluster takes 5, but not as its constraints want them"},
    {{SHARE(37, 1, 500)},
     "needs 37 tasks of 0 cores, 1 x 0.5 of a gpu, the empty cluster takes 36"},
    /* What would need 16 GB to write down is refused without. */
    {{WHOLE(UINT32_C(1) << 30, 1)}, "needs 1073741824 gpu, the cluster has 18"},
    {{WHOLE(1, 10), .alternatives = alternatives, .alternative_count = 1},
     "needs 10 gpu on one node, the largest node has 8; its 1 alternatives cannot be met either"},
    {{WHOLE(1, 10), .alternatives = alternatives, .alternative_count = 2}, NULL},
    {{SHARE(36, 1, 500)}, NULL},
    {{WHOLE(18, 1)}, NULL},
    {{WHOLE(1, 2), .features = 2, .node_features = 1}, NULL},
};

static void each_refusal_says_why(void)
{
    struct hs_cluster *cluster = zoo();
    struct peek peek;

    peek_open(&peek, cluster, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hs_job_spec spec = {
            .key = {(int64_t)i, 0}, .walltime_ns = 1, .demand = cases[i].demand};
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
        char reason[256] = "";

        CU_ASSERT_EQUAL(hs_sched_can_run(peek.sched, &spec.demand, reason, sizeof(reason)),
                        !cases[i].reason);
        CU_ASSERT_STRING_EQUAL(reason, cases[i].reason ? cases[i].reason : "");
        CU_ASSERT_EQUAL(hs_sched_event(peek.sched, 0, &event, NULL), HS_OK);
        CU_ASSERT_STRING_EQUAL(event.refusal ? event.refusal : "", reason);
        CU_ASSERT_EQUAL(!event.job, !!cases[i].reason);
        if (strcmp(reason, cases[i].reason ? cases[i].reason : "") != 0) {
            (void)fprintf(stderr, "case %zu: %s\n", i, reason);
        }
    }
    peek_close(&peek);
    hs_cluster_destroy(cluster);
}

/* Equal demands are one shape, whatever stands where it says nothing; the alternatives count. */
static void shapes_are_told_apart(void)
{
    static const struct hs_demand more[] = {{WHOLE(1, 2)}, {WHOLE(1, 4)}};
    const struct hs_demand copies[] = {{WHOLE(1, 2)}, {WHOLE(1, 4)}};
    const struct hs_demand swapped[] = {{WHOLE(1, 4)}, {WHOLE(1, 2)}};
    const struct {
        struct hs_demand demand;
        uint32_t shape;
    } rows[] = {
        {{WHOLE(1, 1)}, 0},
        {{WHOLE(1, 1), .models = {5, 6}}, 0}, /* beyond model_count */
        {{WHOLE(1, 1), .alternatives = more, .alternative_count = 1}, 1},
        {{WHOLE(1, 1), .alternatives = more, .alternative_count = 2}, 2},
        {{WHOLE(1, 1), .alternatives = copies, .alternative_count = 2}, 2},
        {{WHOLE(1, 1), .alternatives = swapped, .alternative_count = 2}, 3},
        {{SHARE(1, 1, 999)}, 4},
        {{WHOLE(1, 1), .flags = HS_DEMAND_SAME_ISLAND}, 5},
        {{WHOLE(1, 1), .device_mem = 1}, 6},
        {{WHOLE(1, 1), .features = 2}, 7},
        {{WHOLE(1, 1), .node_features = 1}, 8},
        {{WHOLE(1, 1), .model_count = 1, .models = {A100}}, 9},
        {{WHOLE(1, 1), .model_count = 1, .models = {H100}}, 10},
        {{WHOLE(1, 1), .tasks_per_node = 1}, 11},
        {{.tasks = 1, .cores_milli = 1000}, 12},
        {{.tasks = 1, .cores_milli = 1000, .device_share = 7, .device_kind = NPU, .features = 2},
         12},
        {{.tasks = 1, .cores_milli = 1000, .flags = HS_DEMAND_SAME_ISLAND, .device_mem = 3}, 12},
        {{WHOLE(2, 1)}, 13},
        {{WHOLE(1, 1)}, 0},
    };
    struct hs_cluster *cluster = zoo();
    struct peek peek;

    peek_open(&peek, cluster, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct hs_job_spec spec = {
            .key = {(int64_t)i, 0}, .walltime_ns = 1, .demand = rows[i].demand};
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};

        CU_ASSERT_EQUAL_FATAL(hs_sched_event(peek.sched, 0, &event, NULL), HS_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(event.job);
        CU_ASSERT_EQUAL(event.job->shape, rows[i].shape);
    }
    peek_close(&peek);
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"each refusal says why", each_refusal_says_why},
    {"equal demands share a shape", shapes_are_told_apart},
};

UNIT_MAIN("core: refusals", tests)
