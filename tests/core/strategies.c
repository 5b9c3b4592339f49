/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategies.c - what each way to choose nodes and devices does, by examples checked by hand. */
#include <stdio.h>
#include <string.h>

#include "peek.h"
#include "unit.h"

#define TEXT_SIZE 128

static struct hs_cluster *sealed(struct hs_cluster *cluster)
{
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    return cluster;
}

static void add_node(struct hs_cluster *cluster, uint32_t index, int64_t cores)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "n%u", index);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, name, cores * 1000, HS_MEM_UNLIMITED, NULL),
                          HS_OK);
}

/* Takes `share` of one device. */
static void take_share(struct hs_free *state, uint32_t device, uint32_t share)
{
    const struct hs_demand demand = {
        .tasks = 1, .device_count = 1, .device_share = share, .device_kind = HS_ANY_KIND};
    const struct hs_span span = {0, 1, 1};
    const struct hs_device_share given = {device, share};
    const struct hs_alloc alloc = {
        .spans = &span, .devices = &given, .span_count = 1, .device_count = 1};

    if (share) {
        CU_ASSERT_TRUE_FATAL(hs_free_holds(state, &demand, &alloc, NULL, 0));
        hs_free_take(state, &demand, &alloc);
    }
}

/* The devices that the demand gets: "4 5"; "-": none. */
static const char *devices(struct hs_free *state, const struct hs_demand *demand,
                           enum hs_local local, char *text)
{
    const struct hs_placement placement = {.local = local};
    struct hs_alloc_buffer buffer = {0};
    size_t end = 0;

    (void)snprintf(text, TEXT_SIZE, "-");
    if (hs_free_place(state, demand, &placement, &buffer)) {
        for (uint32_t i = 0; i < buffer.alloc.device_count; i++) {
            end += (size_t)snprintf(text + end, TEXT_SIZE - end, "%s%u", i ? " " : "",
                                    buffer.alloc.devices[i].device);
        }
    }
    hs_alloc_buffer_fini(&buffer);
    return text;
}

/* One node, devices 0 to 3 in one island and 4 to 7 in another; what of them is taken. */
static const struct {
    const char *devices;
    uint32_t taken[8];
    uint32_t tasks, count, share, flags;
    enum hs_local local;
} local_cases[] = {
    {"3", {0, 400, 600, 700, 0}, 1, 1, 300, 0, HS_LOCAL_TIGHT},
    {"1", {0, 400, 600, 700, 0}, 1, 1, 500, 0, HS_LOCAL_TIGHT},
    {"0", {0, 400, 600, 700, 0}, 1, 1, 300, 0, HS_LOCAL_FIRST},
    {"3 2", {0, 400, 600, 701, 0}, 2, 1, 200, 0, HS_LOCAL_TIGHT},
    {"1 2", {1, 0, 0, 0, 0}, 1, 2, 1000, 0, HS_LOCAL_TIGHT},
    {"1 2", {1, 0, 0, 0, 0}, 1, 2, 1000, 0, HS_LOCAL_ISLAND},
    {"4 5 6 7", {1, 0, 0, 0, 0}, 1, 4, 1000, 0, HS_LOCAL_ISLAND},
    {"1 2 3 4", {1, 0, 0, 0, 0}, 1, 4, 1000, 0, HS_LOCAL_TIGHT},
    {"4 5 6 7", {1, 0, 0, 0, 0}, 1, 4, 1000, HS_DEMAND_SAME_ISLAND, HS_LOCAL_TIGHT},
    {"2 3 4", {9, 9, 0, 0, 0, 0, 9, 9}, 1, 3, 1000, 0, HS_LOCAL_ISLAND},
    {"-", {9, 9, 0, 0, 0, 0, 9, 9}, 1, 3, 1000, HS_DEMAND_SAME_ISLAND, HS_LOCAL_ISLAND},
    {"0", {0, 0, 0, 0, 9, 9, 9, 0}, 1, 1, 1000, 0, HS_LOCAL_TIGHT},
    {"7", {0, 0, 0, 0, 9, 9, 9, 0}, 1, 1, 1000, 0, HS_LOCAL_ISLAND},
    {"2", {0, 0, 300, 0, 1000, 1000, 200, 0}, 1, 1, 500, 0, HS_LOCAL_ISLAND},
    {"6", {0, 0, 300, 0, 1000, 1000, 300, 0}, 1, 1, 500, 0, HS_LOCAL_ISLAND},
    {"1 2 4 5 6 7", {9, 0, 0, 0, 0}, 3, 2, 1000, HS_DEMAND_SAME_ISLAND, HS_LOCAL_TIGHT},
    {"-", {9, 0, 0, 0, 9}, 3, 2, 1000, HS_DEMAND_SAME_ISLAND, HS_LOCAL_TIGHT},
    /* Three tasks of two halves on three devices: only in turn they all find two different ones. */
    {"0 1 2 0 1 2", {0, 0, 0, 501, 501, 501, 501, 501}, 3, 2, 500, 0, HS_LOCAL_TIGHT},
    {"0 1 2 0 1 2", {0, 0, 0, 501, 501, 501, 501, 501}, 3, 2, 500, 0, HS_LOCAL_FIRST},
    /* Islands of 3: the first task takes one, the second finds no island and goes across. */
    {"0 1 2 4", {0, 0, 0, 9, 0, 9, 9, 9}, 2, 2, 1000, 0, HS_LOCAL_ISLAND},
};

static void devices_inside_a_node(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    char text[TEXT_SIZE];

    add_node(cluster, 0, 64);
    for (uint32_t d = 0; d < 8; d++) {
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_device(cluster, "gpu", "a100", d / 4, HS_MEM_UNLIMITED, NULL), HS_OK);
    }
    (void)sealed(cluster);
    for (size_t i = 0; i < sizeof(local_cases) / sizeof(local_cases[0]); i++) {
        struct hs_free *state = hs_free_create(cluster);
        const struct hs_demand demand = {.tasks = local_cases[i].tasks,
                                         .device_count = local_cases[i].count,
                                         .device_share = local_cases[i].share,
                                         .flags = local_cases[i].flags,
                                         .device_kind = HS_ANY_KIND};

        for (uint32_t d = 0; d < 8; d++) {
            take_share(state, d, local_cases[i].taken[d]);
        }
        CU_ASSERT_STRING_EQUAL(devices(state, &demand, local_cases[i].local, text),
                               local_cases[i].devices);
        if (strcmp(text, local_cases[i].devices) != 0) {
            (void)fprintf(stderr, "case %zu: %s, not %s\n", i, text, local_cases[i].devices);
        }
        hs_free_destroy(state);
    }
    hs_cluster_destroy(cluster);
}

/* The tasks on each node: "1 3 2"; "-": no room. */
static const char *nodes(struct hs_free *state, const struct hs_demand *demand,
                         const struct hs_placement *placement, char *text)
{
    uint32_t count = hs_cluster_node_count(hs_free_cluster(state));
    struct hs_alloc_buffer buffer = {0};
    size_t end = 0;

    (void)snprintf(text, TEXT_SIZE, "-");
    if (hs_free_place(state, demand, placement, &buffer)) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t tasks = 0;

            for (uint32_t s = 0; s < buffer.alloc.span_count; s++) {
                const struct hs_span *span = &buffer.spans[s];

                tasks += i - span->first_node < span->node_count ? span->tasks : 0;
            }
            end += (size_t)snprintf(text + end, TEXT_SIZE - end, "%s%u", i ? " " : "", tasks);
        }
    }
    hs_alloc_buffer_fini(&buffer);
    return text;
}

/* Takes cores of one node. */
static void take_cores(struct hs_free *state, uint32_t node, int64_t cores)
{
    const struct hs_demand demand = {.tasks = 1, .cores_milli = cores * 1000};
    const struct hs_span span = {node, 1, 1};
    const struct hs_alloc alloc = {.spans = &span, .span_count = 1};

    hs_free_take(state, &demand, &alloc);
}

static void topology_keeps_to_racks(void)
{
    static const uint32_t racks[] = {0, 0, 1, 1, 1, 2};
    static const struct {
        uint32_t tasks;
        const char *nodes;
    } cases[] = {
        {4, "0 0 0 0 0 4"},  /* the fullest rack that holds it */
        {6, "4 2 0 0 0 0"},  /* of two that hold it the smaller */
        {10, "0 0 4 4 2 0"}, /* only one holds it */
        {16, "0 0 4 4 4 4"}, /* two racks: the largest, and the smallest that holds the rest */
        {20, "4 4 4 4 4 0"}, /* two racks, not three */
        {21, "4 4 4 4 4 1"}, /* three */
        {25, "-"},
    };
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_free *state;
    struct peek peek;
    char text[TEXT_SIZE];

    for (uint32_t i = 0; i < 6; i++) {
        add_node(cluster, i, 4);
        hs_cluster_set_rack(cluster, racks[i]);
    }
    state = hs_free_create(sealed(cluster));
    peek_open(&peek, cluster, "topology", NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct hs_demand demand = {.tasks = cases[i].tasks, .cores_milli = 1000};

        CU_ASSERT_STRING_EQUAL(nodes(state, &demand, &peek.placement, text), cases[i].nodes);
    }
    take_cores(state, 3, 4); /* rack 1 is as full as rack 0 now: the first of equal ones */
    CU_ASSERT_STRING_EQUAL(
        nodes(state, &(struct hs_demand){.tasks = 6, .cores_milli = 1000}, &peek.placement, text),
        "4 2 0 0 0 0");
    take_cores(state, 4, 1); /* and fuller */
    CU_ASSERT_STRING_EQUAL(
        nodes(state, &(struct hs_demand){.tasks = 6, .cores_milli = 1000}, &peek.placement, text),
        "0 0 4 0 2 0");
    peek_close(&peek);
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

static void worst_fit_balances(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    const struct hs_demand six = {.tasks = 6, .cores_milli = 1000};
    const struct hs_demand two = {.tasks = 6, .cores_milli = 1000, .tasks_per_node = 2};
    const struct hs_demand one_node = {
        .tasks = 3, .cores_milli = 1000, .flags = HS_DEMAND_SAME_NODE};
    struct hs_free *state;
    struct peek peek;
    char text[TEXT_SIZE];

    for (uint32_t i = 0; i < 3; i++) {
        add_node(cluster, i, 4);
    }
    state = hs_free_create(sealed(cluster));
    peek_open(&peek, cluster, "worst-fit", NULL, NULL, NULL);
    CU_ASSERT_STRING_EQUAL(nodes(state, &six, &peek.placement, text), "2 2 2");
    take_cores(state, 0, 2); /* free are 2 4 4: 1 and 2 in turn until all have 2, then 0 and 1 */
    CU_ASSERT_STRING_EQUAL(nodes(state, &six, &peek.placement, text), "1 3 2");
    CU_ASSERT_STRING_EQUAL(nodes(state, &two, &peek.placement, text), "2 2 2");
    CU_ASSERT_STRING_EQUAL(nodes(state, &one_node, &peek.placement, text), "0 3 0");
    CU_ASSERT_EQUAL(hs_free_total_cores_milli(state), 10000); /* the steps were taken back */
    peek_close(&peek);
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

static void affinity_keeps_what_is_scarce(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    const struct hs_demand cpu = {.tasks = 1, .cores_milli = 1000};
    struct hs_demand gpu = {.tasks = 1,
                            .cores_milli = 1000,
                            .device_count = 1,
                            .device_share = 1000,
                            .device_kind = HS_ANY_KIND};
    struct hs_free *state;
    struct peek peek;
    char text[TEXT_SIZE];

    add_node(cluster, 0, 4); /* a device with a feature */
    CU_ASSERT_EQUAL(hs_cluster_add_device(cluster, "gpu", "a100", 0, 1, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_device_feature(cluster, "wmma", NULL), HS_OK);
    add_node(cluster, 1, 4); /* a device without */
    CU_ASSERT_EQUAL(hs_cluster_add_device(cluster, "gpu", "p100", 0, 1, NULL), HS_OK);
    add_node(cluster, 2, 4); /* processors with a feature */
    CU_ASSERT_EQUAL(hs_cluster_add_node_feature(cluster, "avx512", NULL), HS_OK);
    add_node(cluster, 3, 4);
    add_node(cluster, 4, 4);
    state = hs_free_create(sealed(cluster));
    peek_open(&peek, cluster, "affinity", NULL, NULL, NULL);
    CU_ASSERT_STRING_EQUAL(nodes(state, &cpu, &peek.placement, text), "0 0 0 1 0");
    take_cores(state, 4, 1); /* of equal ones the fullest */
    CU_ASSERT_STRING_EQUAL(nodes(state, &cpu, &peek.placement, text), "0 0 0 0 1");
    CU_ASSERT_STRING_EQUAL(nodes(state, &gpu, &peek.placement, text), "0 1 0 0 0");
    gpu.features = hs_cluster_device(cluster, 0)->features;
    CU_ASSERT_STRING_EQUAL(nodes(state, &gpu, &peek.placement, text), "1 0 0 0 0");
    take_cores(state, 3, 4);
    take_cores(state, 4, 3);
    CU_ASSERT_STRING_EQUAL(nodes(state, &cpu, &peek.placement, text), "0 0 1 0 0");
    take_cores(state, 2, 4); /* only nodes with devices are left: one without their features */
    CU_ASSERT_STRING_EQUAL(nodes(state, &cpu, &peek.placement, text), "1 0 0 0 0");
    peek_close(&peek);
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

#define DRAWS 2000

/* Where 2000 jobs of one core go, one at a time, on ten nodes of which the fourth is full. */
static void draw_nodes(const struct hs_cluster *cluster, uint64_t draw, uint32_t *where)
{
    const struct hs_placement placement = {.flags = HS_PLACE_RANDOM, .draw = draw};
    const struct hs_demand demand = {.tasks = 1, .cores_milli = 1000};
    struct hs_free *state = hs_free_create(cluster);
    struct hs_alloc_buffer buffer = {0};

    take_cores(state, 3, 4);
    for (uint32_t i = 0; i < DRAWS; i++) {
        CU_ASSERT_TRUE_FATAL(hs_free_place(state, &demand, &placement, &buffer));
        where[i] = buffer.spans[0].first_node;
        hs_free_take(state, &demand, &buffer.alloc);
        hs_free_release(state, &demand, &buffer.alloc);
    }
    hs_alloc_buffer_fini(&buffer);
    hs_free_destroy(state);
}

static void random_is_uniform_and_keyed(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    uint32_t first[DRAWS];
    uint32_t again[DRAWS];
    uint32_t other[DRAWS];
    uint32_t counts[10] = {0};
    double chi = 0;

    for (uint32_t i = 0; i < 10; i++) {
        add_node(cluster, i, 4);
    }
    (void)sealed(cluster);
    draw_nodes(cluster, 1, first);
    draw_nodes(cluster, 1, again);
    draw_nodes(cluster, 2, other);
    CU_ASSERT_EQUAL(memcmp(first, again, sizeof(first)), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first, other, sizeof(first)), 0);
    for (uint32_t i = 0; i < DRAWS; i++) {
        counts[first[i]]++;
    }
    CU_ASSERT_EQUAL(counts[3], 0);
    for (uint32_t i = 0; i < 10; i++) {
        double difference = counts[i] - DRAWS / 9.0;

        chi += i == 3 ? 0 : difference * difference / (DRAWS / 9.0);
    }
    CU_ASSERT(chi < 26.1); /* 8 degrees of freedom: one seed in a thousand is beyond */
    CU_ASSERT(chi > 0.3);  /* nor is it a round */
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"devices inside a node", devices_inside_a_node},
    {"topology keeps to racks", topology_keeps_to_racks},
    {"worst-fit balances", worst_fit_balances},
    {"affinity keeps what is scarce", affinity_keeps_what_is_scarce},
    {"random is uniform, and keyed by the seed", random_is_uniform_and_keyed},
};

UNIT_MAIN("core: strategies", tests)
