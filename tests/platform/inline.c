/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inline.c - platforms without a file. */
#include "platform/platform.h"
#include "unit.h"

#include <string.h>

static void test_nodes(void)
{
    struct platform_options options = {.nodes = 12, .cores = 3, .mem_bytes = 4096};
    struct platform platform;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(platform_load(&options, &platform, &error), HS_OK);
    CU_ASSERT_EQUAL(platform.host_count, 12);
    CU_ASSERT_PTR_NULL(platform.simgrid_version);
    CU_ASSERT_EQUAL(hs_cluster_node_count(platform.cluster), 12);
    CU_ASSERT_EQUAL(hs_cluster_class_count(platform.cluster), 1);
    CU_ASSERT_EQUAL(hs_cluster_cores_milli(platform.cluster), 36000);
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(platform.cluster, 0)->name, "n0");
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(platform.cluster, 11)->name, "n11");
    CU_ASSERT_EQUAL(hs_cluster_node(platform.cluster, 11)->cores_milli, 3000);
    CU_ASSERT_EQUAL(hs_cluster_node(platform.cluster, 11)->mem_bytes, 4096);
    CU_ASSERT_STRING_EQUAL(platform.hosts[11].name, "n11");
    CU_ASSERT_STRING_EQUAL(platform.hosts[11].kind, "cpu");
    CU_ASSERT_EQUAL(platform.hosts[11].role, PLATFORM_COMPUTE);
    CU_ASSERT_EQUAL(platform.hosts[11].cores, 3);
    CU_ASSERT_EQUAL(platform.hosts[11].mem_bytes, 4096);
    CU_ASSERT_EQUAL(platform.hosts[11].node, 11);
    CU_ASSERT_EQUAL(platform.hosts[11].pstate_count, 0);
    platform_fini(&platform);
    CU_ASSERT_PTR_NULL(platform.cluster);
    platform_fini(&platform);
}

static void test_no_memory(void)
{
    struct platform_options options = {.nodes = 1, .cores = 1};
    struct platform platform;

    CU_ASSERT_EQUAL_FATAL(platform_load(&options, &platform, NULL), HS_OK);
    CU_ASSERT_EQUAL(platform.hosts[0].mem_bytes, 0);
    CU_ASSERT_EQUAL(hs_cluster_node(platform.cluster, 0)->mem_bytes, HS_MEM_UNLIMITED);
    platform_fini(&platform);
}

static void test_ranges(void)
{
    static const struct {
        struct platform_options options;
        const char *text;
    } cases[] = {
        {{.nodes = 0, .cores = 1}, "nodes = 0; allowed are 1 to 10000000"},
        {{.nodes = -1, .cores = 1}, "nodes = -1; allowed are 1 to 10000000"},
        {{.nodes = INT64_MAX, .cores = 1}, "nodes = 9223372036854775807; allowed"},
        {{.nodes = 1, .cores = 0}, "cores = 0; allowed are 1 to 1000000."},
        {{.nodes = 1, .cores = INT64_MIN}, "cores = -9223372036854775808; allowed"},
        {{.nodes = 1, .cores = 1, .mem_bytes = -1}, "memory = -1; allowed are 0 to"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct platform platform;
        struct hs_error error = {0};

        CU_ASSERT_EQUAL(platform_load(&cases[i].options, &platform, &error), HS_ERR_CONFIG);
        CU_ASSERT_EQUAL(error.code, HS_ERR_CONFIG);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cases[i].text));
        CU_ASSERT_PTR_NULL(platform.cluster);
        platform_fini(&platform);
    }
}

static const struct unit_test tests[] = {
    {"equal nodes", test_nodes},
    {"memory is not modelled", test_no_memory},
    {"numbers out of range", test_ranges},
};

UNIT_MAIN("inline platforms", tests)
