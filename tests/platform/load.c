/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - good platform files: what becomes of their hosts. */
#include "files.h"

static struct platform load_text(const char *text)
{
    struct test_file file = files_write("platform.xml", text, strlen(text));
    struct platform platform;
    struct hs_error error;

    if (files_load(file.path, &platform, &error) != HS_OK) {
        (void)printf("%s\n", error.text);
        CU_FAIL_FATAL("a good file was refused");
    }
    files_remove(&file);
    return platform;
}

/* Order, cores, states, memory and properties of single hosts. */
static void test_hosts(void)
{
    struct platform platform = load_text(FILES_ZONE(
        "<host id=\"n10\" speed=\"2Gf\" core=\"8\"><prop id=\"mem\" value=\"1 GB\"/></host>\n"
        "<host id=\"n2\" speed=\"3Gf,1500Mf\" core=\"4\" pstate=\"1\">"
        "<prop id=\"z\" value=\"last\"/><prop id=\"memory\" value=\"64GiB\"/>"
        "<prop id=\"a\" value=\"&lt;first&gt;\"/></host>\n"
        "<host id=\"n1\" speed=\"0f\"/>"));
    const struct platform_host *host = &platform.hosts[1];

    CU_ASSERT_EQUAL_FATAL(platform.host_count, 3);
    CU_ASSERT_PTR_NOT_NULL(strchr("3456789", platform.simgrid_version[0]));
    CU_ASSERT_STRING_EQUAL(platform.hosts[0].name, "n1");
    CU_ASSERT_STRING_EQUAL(host->name, "n2");
    CU_ASSERT_STRING_EQUAL(platform.hosts[2].name, "n10");
    CU_ASSERT_EQUAL(platform.hosts[0].cores, 1);
    CU_ASSERT_EQUAL(platform.hosts[0].mem_bytes, 0);
    CU_ASSERT_EQUAL(platform.hosts[2].mem_bytes, 1000000000);
    CU_ASSERT_EQUAL(host->cores, 4);
    CU_ASSERT_EQUAL(host->mem_bytes, INT64_C(64) << 30);
    CU_ASSERT_EQUAL(host->speed, 3e9);
    CU_ASSERT_EQUAL_FATAL(host->pstate_count, 2);
    CU_ASSERT_EQUAL(host->pstate_speeds[0], 3e9);
    CU_ASSERT_EQUAL(host->pstate_speeds[1], 1.5e9);
    CU_ASSERT_EQUAL_FATAL(host->property_count, 3);
    CU_ASSERT_STRING_EQUAL(host->property_names[0], "a");
    CU_ASSERT_STRING_EQUAL(host->property_values[0], "<first>");
    CU_ASSERT_STRING_EQUAL(host->property_names[1], "memory");
    CU_ASSERT_STRING_EQUAL(host->property_names[2], "z");
    CU_ASSERT_STRING_EQUAL(host->property_values[2], "last");
    CU_ASSERT_EQUAL(hs_cluster_class_count(platform.cluster), 3);
    CU_ASSERT_EQUAL(hs_cluster_cores_milli(platform.cluster), 13000);
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(platform.cluster, 1)->name, "n2");
    CU_ASSERT_EQUAL(hs_cluster_node(platform.cluster, 0)->mem_bytes, HS_MEM_UNLIMITED);
    platform_fini(&platform);
}

/* Each host alone takes jobs or does not, as its properties say. */
static void test_roles(void)
{
    static const struct {
        const char *name;
        const char *properties;
        enum platform_role role;
        const char *kind;
    } cases[] = {
        {"b", "", PLATFORM_COMPUTE, "cpu"},
        {"b", "<prop id=\"role\" value=\"\"/>", PLATFORM_COMPUTE, "cpu"},
        {"b", "<prop id=\"role\" value=\"compute_node\"/>", PLATFORM_COMPUTE, "cpu"},
        {"b", "<prop id=\"role\" value=\"master\"/>", PLATFORM_MASTER, "cpu"},
        {"b", "<prop id=\"role\" value=\"storage\"/>", PLATFORM_STORAGE, "cpu"},
        {"b", "<prop id=\"role\" value=\"storage,compute_node\"/>", PLATFORM_COMPUTE, "cpu"},
        {"b", "<prop id=\"role\" value=\" storage , master \"/>", PLATFORM_MASTER, "cpu"},
        {"master_host", "", PLATFORM_MASTER, "cpu"},
        {"master_host", "<prop id=\"role\" value=\"compute_node\"/>", PLATFORM_MASTER, "cpu"},
        {"master_host0", "", PLATFORM_COMPUTE, "cpu"},
        {"b", "<prop id=\"kind\" value=\"cpu\"/>", PLATFORM_COMPUTE, "cpu"},
        {"a:b", "<prop id=\"kind\" value=\"gpu\"/>", PLATFORM_DEVICE, "gpu"},
        {"a:b", "<prop id=\"kind\" value=\"fpga\"/><prop id=\"role\" value=\"compute_node\"/>",
         PLATFORM_DEVICE, "fpga"},
        {"b", "<prop id=\"kind\" value=\"port\"/>", PLATFORM_PORT, "port"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        struct platform platform;
        const struct platform_host *host;
        bool takes_jobs = cases[i].role == PLATFORM_COMPUTE;

        (void)snprintf(
            text, sizeof text,
            FILES_ZONE("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"%s\" speed=\"1Gf\">%s</host>\n"
                       "<host id=\"z\" speed=\"1Gf\"/>"),
            cases[i].name, cases[i].properties);
        platform = load_text(text);
        host = &platform.hosts[1];
        CU_ASSERT_EQUAL(platform.host_count, 3);
        CU_ASSERT_STRING_EQUAL(host->name, cases[i].name);
        CU_ASSERT_EQUAL(host->role, cases[i].role);
        CU_ASSERT_STRING_EQUAL(host->kind, cases[i].kind);
        CU_ASSERT_EQUAL(host->node, takes_jobs                         ? 1
                                    : cases[i].role == PLATFORM_DEVICE ? 0
                                                                       : UINT32_MAX);
        CU_ASSERT_EQUAL(host->device, cases[i].role == PLATFORM_DEVICE ? 0 : UINT32_MAX);
        CU_ASSERT_EQUAL(platform.hosts[0].node, 0);
        CU_ASSERT_EQUAL(platform.hosts[2].node, takes_jobs ? 2 : 1);
        CU_ASSERT_EQUAL(hs_cluster_node_count(platform.cluster), takes_jobs ? 3 : 2);
        platform_fini(&platform);
    }
}

/* Files in the old spelling, and the names of many hosts in order. */
static void test_shapes(void)
{
    struct platform platform = load_text(
        FILES_HEAD "<platform version=\"4\">\n<config id=\"General\">"
                   "<prop id=\"contexts/stack-size\" value=\"16\"></prop></config>\n"
                   "<AS id=\"AS0\" routing=\"Vivaldi\">"
                   "<host id=\"h1\" coordinates=\"0 0 0\" speed=\"1Gf\"/>"
                   "<host id=\"h0\" coordinates=\"0 0 0\" speed=\"1Gf\"/></AS></platform>");
    struct platform cluster;

    CU_ASSERT_EQUAL(platform.host_count, 2);
    CU_ASSERT_STRING_EQUAL(platform.hosts[0].name, "h0");
    platform_fini(&platform);

    cluster = load_text(
        FILES_HEAD
        "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\".x\" "
        "radical=\"0-9999\" speed=\"1Gf\" core=\"2\" bw=\"1GBps\" lat=\"1us\"/></platform>");
    CU_ASSERT_EQUAL_FATAL(cluster.host_count, 10000);
    for (size_t i = 0; i < 10000; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "n%zu.x", i);
        if (strcmp(cluster.hosts[i].name, name) != 0 || cluster.hosts[i].node != i) {
            CU_FAIL("wrong order");
        }
    }
    CU_ASSERT_EQUAL(hs_cluster_cores_milli(cluster.cluster), 20000000);
    platform_fini(&cluster);
}

/* A dragonfly at the border of what SimGrid can take loads; beyond it bad_files.c refuses it. */
static void test_dragonfly(void)
{
    struct platform platform = load_text(FILES_ZONE(
        "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" bw=\"1GBps\" "
        "lat=\"1us\" topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;2,1;2\"/>"));

    CU_ASSERT_EQUAL(platform.host_count, 8);
    platform_fini(&platform);
}

static void check_file(const char *folder, const char *name, size_t hosts, uint32_t nodes,
                       const char *first, const char *last)
{
    char path[4096];
    struct platform platform;
    struct hs_error error;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (files_load(path, &platform, &error) != HS_OK) {
        (void)printf("%s\n", error.text);
        CU_FAIL("a good file was refused");
        return;
    }
    CU_ASSERT_EQUAL(platform.host_count, hosts);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_node_count(platform.cluster), nodes);
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(platform.cluster, 0)->name, first);
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(platform.cluster, nodes - 1)->name, last);
    platform_fini(&platform);
}

static void test_examples(void)
{
    check_file(TEST_PLATFORMS, "cluster-128.xml", 128, 128, "n0", "n127");
    check_file(TEST_PLATFORMS, "heterogeneous.xml", 26, 22, "acc0", "thin15");
    check_file(TEST_PLATFORMS, "batsim-roles.xml", 34, 32, "node0", "node31");
}

static void test_batsim(void)
{
    const char *shared = getenv("HSIM_SHARED");
    char folder[4096];

    (void)snprintf(folder, sizeof folder, "%s/data/batsim", shared ? shared : TEST_SHARED);
    if (access(folder, R_OK) != 0) {
        (void)printf("skipped: no %s; set HSIM_SHARED ", folder);
        return;
    }
    check_file(folder, "cluster512.xml", 513, 512, "a0", "a511");
    check_file(folder, "small_platform.xml", 5, 4, "Bourassa", "Jupiter");
    check_file(folder, "energy_platform_homogeneous_no_net_128.xml", 129, 128, "host0", "host127");
}

static const struct unit_test tests[] = {
    {"hosts", test_hosts},
    {"roles and kinds", test_roles},
    {"old files and large clusters", test_shapes},
    {"the largest dragonfly", test_dragonfly},
    {"example files", test_examples},
    {"platforms of Batsim", test_batsim},
};

UNIT_MAIN("platform files", tests)
