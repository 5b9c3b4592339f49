/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - the sentences of the core: why an allocation, a parameter, a plug-in or a node is
 * refused. */
#include <string.h>

#include "fixture.h"

/* Six nodes of two cores and 10 bytes. */
static struct hs_cluster *small_cluster(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct hs_cluster *cluster = hs_cluster_create();

    for (size_t i = 0; i < 6; i++) {
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, names[i], 2000, 10, NULL), HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    return cluster;
}

static const struct {
    struct hs_demand demand;
    struct hs_span spans[2];
    uint32_t span_count;
    uint32_t device_count;
    bool is_exclusive;
    const char *reason;
} allocation_cases[] = {
    {{.tasks = 4, .cores_milli = 1000}, {{0, 2, 2}}, 1, 0, false, NULL},
    {{.tasks = 3, .cores_milli = 1000},
     {{0, 1, 3}},
     1,
     0,
     false,
     "node a has 2 free cores and 3 are wanted"},
    {{.tasks = 2, .cores_milli = 1000, .mem_bytes = 6},
     {{1, 1, 2}},
     1,
     0,
     false,
     "node b has 10 bytes of memory free and 6 are wanted for each of 2 tasks"},
    {{.tasks = 2, .cores_milli = 1000, .flags = HS_DEMAND_SPREAD},
     {{2, 1, 2}},
     1,
     0,
     false,
     "node c gets 2 tasks, more than the job allows"},
    {{.tasks = 2, .cores_milli = 1000, .tasks_per_node = 1},
     {{2, 1, 2}},
     1,
     0,
     false,
     "node c gets 2 tasks, more than the job allows"},
    {{.tasks = 2, .cores_milli = 1000, .flags = HS_DEMAND_CONTIGUOUS},
     {{0, 1, 1}, {2, 1, 1}},
     2,
     0,
     false,
     "its nodes have a gap before node 2"},
    {{.tasks = 2, .cores_milli = 1000, .flags = HS_DEMAND_SAME_NODE},
     {{0, 2, 1}},
     1,
     0,
     false,
     "its tasks must be on one node"},
    {{.tasks = 2, .cores_milli = 1000},
     {{0, 2, 1}},
     1,
     0,
     true,
     "it is given something else than it asks for"},
    {{.tasks = 2, .cores_milli = 1000},
     {{0, 2, 1}},
     1,
     1,
     false,
     "it gets 1 devices for 2 tasks of 0"},
    {{.tasks = 3, .cores_milli = 1000}, {{0, 2, 1}}, 1, 0, false, "it gets 2 of its 3 tasks"},
    {{.tasks = 2, .cores_milli = 1000},
     {{5, 2, 1}},
     1,
     0,
     false,
     "its nodes 5 to 6 are empty, out of order or outside the cluster of 6"},
};

static void why_an_allocation_is_refused(void)
{
    struct hs_cluster *cluster = small_cluster();
    struct hs_free *state = hs_free_create(cluster);

    for (size_t i = 0; i < sizeof allocation_cases / sizeof allocation_cases[0]; i++) {
        struct hs_alloc alloc = {.spans = allocation_cases[i].spans,
                                 .span_count = allocation_cases[i].span_count,
                                 .device_count = allocation_cases[i].device_count,
                                 .is_exclusive = allocation_cases[i].is_exclusive};
        char reason[160] = "";

        CU_ASSERT_EQUAL(
            hs_free_holds(state, &allocation_cases[i].demand, &alloc, reason, sizeof reason),
            allocation_cases[i].reason == NULL);
        CU_ASSERT_STRING_EQUAL(reason,
                               allocation_cases[i].reason ? allocation_cases[i].reason : "");
        CU_ASSERT_EQUAL(hs_free_holds(state, &allocation_cases[i].demand, &alloc, NULL, 0),
                        allocation_cases[i].reason == NULL);
    }
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

/* Nodes are of one class if their devices are equal, one by one. */
static void classes_know_devices(void)
{
    static const struct {
        const char *kind, *model;
        uint32_t group;
        int64_t mem_bytes;
    } devices[] = {{"gpu", "a", 0, 8}, {"gpu", "a", 0, 8}, {"npu", "a", 0, 8},
                   {"gpu", "b", 0, 8}, {"gpu", "a", 1, 8}, {"gpu", "a", 0, 9}};
    struct hs_cluster *cluster = hs_cluster_create();
    char name[] = "n0";

    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        name[1] = (char)('0' + i);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, name, 1000, 10, NULL), HS_OK);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_device(cluster, devices[i].kind, devices[i].model,
                                                    devices[i].group, devices[i].mem_bytes, NULL),
                              HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_class_count(cluster), 5);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 1)->class_index,
                    hs_cluster_node(cluster, 0)->class_index);
    CU_ASSERT_EQUAL(hs_cluster_device_count(cluster), 6);
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 2)->node, 2);
    CU_ASSERT_STRING_EQUAL(hs_cluster_kind_name(cluster, hs_cluster_device(cluster, 2)->kind),
                           "npu");
    CU_ASSERT_STRING_EQUAL(hs_cluster_model_name(cluster, hs_cluster_device(cluster, 3)->model),
                           "b");
    hs_cluster_destroy(cluster);
}

static void why_a_node_is_refused(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "n", 0, 1, &error), HS_ERR_INPUT);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "n", INT64_MAX, 1, &error), HS_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(error.text, "The cluster is too large at node 'n'.");
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "n", 1000, 1, &error), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "n", 1000, 1, &error), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_seal(cluster, &error), HS_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(error.text, "Two nodes are named 'n'; rename one.");
    hs_cluster_destroy(cluster);
}

static void why_a_demand_cannot_run(void)
{
    struct hs_demand demand = {.tasks = 5, .cores_milli = 1000};
    struct fixture f;
    char reason[200] = "";

    fixture_init(&f, 2, 2, 10, NULL, "fcfs");
    CU_ASSERT_FALSE(hs_sched_can_run(f.sched, &demand, reason, sizeof reason));
    CU_ASSERT_STRING_EQUAL(reason, "needs 5 tasks of 1 cores, the empty cluster takes 4");
    demand.tasks = 4;
    CU_ASSERT_TRUE(hs_sched_can_run(f.sched, &demand, reason, sizeof reason));
    demand.flags = HS_DEMAND_SAME_NODE;
    CU_ASSERT_FALSE(hs_sched_can_run(f.sched, &demand, reason, sizeof reason));
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "but not as its constraints want them"));
    fixture_fini(&f);
}

struct settings {
    int64_t number;
    hs_time delay;
    double share;
    bool is_on;
};

static const struct hs_param good_params[] = {
    HS_PARAM_INT(struct settings, number, "3", 0, 9, "", "a number"),
    HS_PARAM_TIME(struct settings, delay, "1.5s", 0, 1e9, "a time"),
    HS_PARAM_DOUBLE(struct settings, share, "0.5", 0, 1, "", "a share"),
    HS_PARAM_BOOL(struct settings, is_on, "true", "a switch"),
    HS_PARAM_END,
};
static const struct hs_param bad_params[] = {
    HS_PARAM_INT(struct settings, number, "10", 0, 9, "", "a default out of range"),
    HS_PARAM_END,
};

static void parameters(void)
{
    struct settings settings = {0};
    struct hs_error error = {0};
    const struct hs_param *row;
    char text[64];

    CU_ASSERT_EQUAL(hs_param_set_defaults(good_params, &settings, &error), HS_OK);
    CU_ASSERT(settings.number == 3 && settings.delay == 1500000000 && settings.is_on);
    CU_ASSERT_EQUAL(hs_param_set_defaults(bad_params, &settings, &error), HS_ERR_POLICY);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "number"));
    CU_ASSERT_EQUAL(hs_param_count(good_params), 4);
    CU_ASSERT_EQUAL(hs_param_count(NULL), 0);
    row = hs_param_find(good_params, "share");
    CU_ASSERT_PTR_EQUAL_FATAL(row, &good_params[2]);
    CU_ASSERT_PTR_NULL(hs_param_find(good_params, "none"));
    CU_ASSERT_PTR_NULL(hs_param_find(NULL, "none"));
    CU_ASSERT_EQUAL(hs_param_set(row, &settings, "0.25", &error), HS_OK);
    hs_param_format(row, &settings, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "0.25");
    for (size_t i = 0; i < 4; i++) {
        static const char *const wrong[] = {"", "x", "-1", "1e99", "nan", "1 2", "maybe"};

        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            CU_ASSERT_EQUAL(hs_param_set(&good_params[i], &settings, wrong[k], &error),
                            HS_ERR_CONFIG);
            CU_ASSERT_PTR_NOT_NULL(strstr(error.text, good_params[i].name));
        }
    }
    CU_ASSERT(settings.number == 3 && settings.share == 0.25);
}

static void why_a_plugin_is_refused(void)
{
    static const struct hs_order nameless = {HS_ORDER_HEADER, .summary = "has no name"};
    static const struct hs_order keyless = {HS_ORDER_HEADER, .name = "keyless", .summary = "x"};
    static const struct hs_order *const lists[][2] = {{&nameless, NULL}, {&keyless, NULL}};
    struct hs_registry *registry = hs_registry_create();
    struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof plugin};
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "x.so", &error), HS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error.text, "Plug-in 'x.so' lists no plug-ins.");
    for (size_t i = 0; i < 2; i++) {
        plugin.orders = lists[i];
        CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "x.so", &error), HS_ERR_CONFIG);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "x.so"));
    }
    CU_ASSERT_EQUAL(hs_registry_count(registry, HS_KIND_ORDER), 0);
    hs_registry_destroy(registry);
}

static const struct unit_test tests[] = {
    {"why an allocation is refused", why_an_allocation_is_refused},
    {"classes know devices", classes_know_devices},
    {"why a node is refused", why_a_node_is_refused},
    {"why a demand cannot run", why_a_demand_cannot_run},
    {"parameters", parameters},
    {"why a plug-in is refused", why_a_plugin_is_refused},
};

UNIT_MAIN("core: words", tests)
