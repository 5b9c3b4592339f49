/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb.c - lists of nodes. */
#include "files.h"

#define HEADER "sn,cpu_milli,memory_mib,gpu,model\n"

static void test_nodes(void)
{
    static const char text[] = "model,note,gpu,sn,memory_mib,cpu_milli\n"
                               "V100,x,2,node-10,1024,64000\n"
                               ",y,0,node-2,2048,1500\n"
                               "T4,z,1,node-1,4096,96000\n";
    struct test_file file = files_write("nodes.csv", text, sizeof text - 1);
    struct platform platform;
    struct hs_error error;
    const struct hs_cluster *cluster;
    uint16_t model;

    CU_ASSERT_EQUAL_FATAL(files_load(file.path, &platform, &error), HS_OK);
    cluster = platform.cluster;
    CU_ASSERT_EQUAL_FATAL(hs_cluster_node_count(cluster), 3);
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(cluster, 0)->name, "node-10"); /* as in the file */
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(cluster, 1)->name, "node-2");
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 1)->cores_milli, 1500);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 1)->device_count, 0);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 2)->mem_bytes, INT64_C(4) << 30);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 2)->first_device, 2);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_device_count(cluster), 3);
    CU_ASSERT_TRUE(hs_cluster_find_model(cluster, "T4", &model));
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 2)->model, model);
    CU_ASSERT_STRING_EQUAL(hs_cluster_kind_name(cluster, hs_cluster_device(cluster, 0)->kind),
                           "gpu");
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 0)->group, HS_NO_GROUP);
    CU_ASSERT_EQUAL(platform.host_count, 6);
    CU_ASSERT_STRING_EQUAL(platform.hosts[2].name, "node-10:gpu1");
    CU_ASSERT_EQUAL(platform.hosts[2].role, PLATFORM_DEVICE);
    CU_ASSERT_STRING_EQUAL(platform.hosts[2].property_values[0], "V100");
    CU_ASSERT_STRING_EQUAL(platform.hosts[5].property_values[0], "T4");
    CU_ASSERT_EQUAL(platform.hosts[2].node, 0);
    CU_ASSERT_EQUAL(platform.hosts[2].device, 1);
    CU_ASSERT_EQUAL(platform.hosts[4].node, 2);
    CU_ASSERT_EQUAL(platform.hosts[4].device, UINT32_MAX);
    CU_ASSERT_EQUAL(platform.hosts[4].cores, 96);
    CU_ASSERT_PTR_NULL(platform.simgrid_version);
    /* What the catalogue says of the models; of the processors nothing is known. */
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 2)->mem_bytes, platform.hosts[5].model->mem_bytes);
    CU_ASSERT(hs_cluster_device(cluster, 2)->features != 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(platform.device_power);
    CU_ASSERT_EQUAL(platform.device_power[2].busy_w, platform.hosts[5].model->power.busy_w);
    CU_ASSERT_FALSE(platform_power_is_known(&platform.node_power[0]));
    platform_fini(&platform);
    files_remove(&file);
}

static void test_bad(void)
{
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {HEADER, ":1: the list has a header and no node"},
        {"sn,cpu_milli,memory,gpu,model\n", ":1: the header has no column 'memory_mib'"},
        {HEADER "n0,1000,1,0,\nn1,1000,1,0\n", ":3: 4 fields; the header names 5."},
        {HEADER "n0,0,1,0,\n", ":2: cpu_milli is '0'; a whole number from 1 to 1000000000"},
        {HEADER "n0,1e3,1,0,\n", ":2: cpu_milli is '1e3'; a whole number"},
        {HEADER "n0,1,-1,0,\n", ":2: memory_mib is '-1'; a whole number from 1 to"},
        {HEADER "n0,1,99999999999999,0,\n", ":2: memory_mib is '99999999999999'"},
        {HEADER "n0,1,1,65,T4\n", ":2: gpu is '65'; a whole number from 0 to 64 is due."},
        {HEADER "n0,1,1,1,\n", ":2: model is empty; a node with GPUs names their model."},
        {HEADER "n0,1,1,1,A|B\n", ":2: model 'A|B' has the character 124;"},
        {HEADER ",1,1,0,\n", ":2: sn is empty; a node has a name."},
        {HEADER "n 0,1,1,0,\n", ":2: sn 'n 0' has the character 32;"},
        {HEADER "n0,1,1,0,\nn1,1,1,0,\nn0,2,1,0,\n", ":4: the node 'n0' stands in line 2 already."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_file file = files_write("n.csv", cases[i].text, strlen(cases[i].text));
        struct platform platform;
        struct hs_error error;

        CU_ASSERT_EQUAL(files_load(file.path, &platform, &error), HS_ERR_INPUT);
        if (strncmp(error.text, file.path, strlen(file.path)) != 0 ||
            !strstr(error.text, cases[i].sentence)) {
            printf("\n  '%s' lacks '%s'\n", error.text, cases[i].sentence);
            CU_FAIL("another sentence");
        }
        CU_ASSERT_PTR_NULL(platform.cluster);
        files_remove(&file);
    }
}

static void test_format(void)
{
    CU_ASSERT_STRING_EQUAL(platform_format("a/nodes.csv"), "openb");
    CU_ASSERT_STRING_EQUAL(platform_format("nodes.csv.gz"), "openb");
    CU_ASSERT_STRING_EQUAL(platform_format("nodes.csv.zst"), "openb");
    CU_ASSERT_STRING_EQUAL(platform_format("nodes.csv.xml"), "simgrid");
    CU_ASSERT_STRING_EQUAL(platform_format(".csv"), "simgrid");
}

/* The published list, where it is there: FORMATS of the trace give 1,213 nodes and 6,212 GPUs. */
static void test_published(void)
{
    const char *folder = getenv("HSIM_SHARED");
    struct platform platform;
    struct hs_error error;
    char path[512];

    (void)snprintf(path, sizeof path, "%s/data/openb/openb_node_list_gpu_node.csv.gz",
                   folder ? folder : TEST_SHARED);
    if (access(path, R_OK)) {
        printf("\n  skipped: %s is not there (set HSIM_SHARED)\n", path);
        return;
    }
    CU_ASSERT_EQUAL_FATAL(files_load(path, &platform, &error), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_node_count(platform.cluster), 1213);
    CU_ASSERT_EQUAL(hs_cluster_device_count(platform.cluster), 6212);
    CU_ASSERT_EQUAL(hs_cluster_model_count(platform.cluster), 7);
    CU_ASSERT_EQUAL(hs_cluster_cores_milli(platform.cluster), 107018000);
    platform_fini(&platform);
}

static const struct unit_test tests[] = {
    {"nodes in the order of the file", test_nodes},
    {"bad lists", test_bad},
    {"names of lists", test_format},
    {"the published list", test_published},
};

UNIT_MAIN("lists of nodes", tests)
