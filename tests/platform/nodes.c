/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nodes.c - devices, islands, racks and power of good platform files, in both layouts. */
#include "files.h"

#include <math.h>

#define PROP(name, value) "<prop id=\"" name "\" value=\"" value "\"/>"
#define GPU(name, more)                                                                            \
    "<host id=\"" name "\" speed=\"19.5Tf,14Tf\">" PROP("kind", "gpu") more "</host>\n"

/* A zone with switch, PCIe links and two devices for each node, as SIMGRID.md has it. */
#define ZONE(node, first, second)                                                                  \
    "<zone id=\"acc_" node "\" routing=\"Cluster\"> <router id=\"" node "_sw\"/>\n" first second   \
    "<link id=\"" node ":pcie0\" bandwidth=\"32GBps\" latency=\"500ns\" "                          \
    "sharing_policy=\"SPLITDUPLEX\"/>\n"                                                           \
    "<host_link id=\"" node ":gpu0\" up=\"" node ":pcie0_UP\" down=\"" node ":pcie0_DOWN\"/>\n"    \
    "</zone>\n"
#define ROOT(node)                                                                                 \
    "<zoneRoute src=\"acc_" node "\" dst=\"fabric\" gw_src=\"" node "_sw\" gw_dst=\"" node         \
    "\"> <link_ctn id=\"root\"/> </zoneRoute>\n"
#define FABRIC(more)                                                                               \
    "<cluster id=\"fabric\" prefix=\"n\" suffix=\"\" radical=\"0-2\" speed=\"50Gf,25Gf\" "         \
    "core=\"32\" bw=\"12.5GBps\" lat=\"1us\">" more "</cluster>\n"
#define FILE_OF(inside)                                                                            \
    FILES_HEAD "<platform version=\"4.1\"> <zone id=\"root\" routing=\"Floyd\">\n" inside          \
               "</zone> </platform>\n"

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

static const struct platform_host *find_host(const struct platform *platform, const char *name)
{
    for (size_t i = 0; i < platform->host_count; i++) {
        if (strcmp(platform->hosts[i].name, name) == 0) {
            return &platform->hosts[i];
        }
    }
    CU_FAIL_FATAL("no such host");
    return NULL;
}

static void check_power(const struct platform_power *power, double off, double idle, double context,
                        double busy)
{
    CU_ASSERT_EQUAL(power->off_w, off);
    CU_ASSERT_EQUAL(power->idle_w, idle);
    CU_ASSERT_EQUAL(power->context_w, context);
    CU_ASSERT_EQUAL(power->busy_w, busy);
}

/* Whether node or device features have the bit of a name. */
static bool has_feature(const struct hs_cluster *cluster, uint64_t features, const char *name)
{
    uint16_t feature;

    return hs_cluster_find_feature(cluster, name, &feature) && (features >> feature & 1);
}

/* Zones for each node, ten devices in natural order, the catalogue and what the file says. */
static void test_zones(void)
{
    struct platform platform = load_text(FILE_OF(
        FABRIC(PROP("model", "epyc-7742") PROP("wattage_per_state", "90:110:350,70:85:200")
                   PROP("wattage_off", "8"))
            ZONE("n1", GPU("n1:gpu10", PROP("model", "A100") PROP("group", "right")),
                 GPU("n1:gpu0", PROP("model", "a100-sxm4-40") PROP("group", "left")))
                ZONE("n0",
                     GPU("n0:gpu0", PROP("model", "t4") PROP("memory", "15 GB")
                                        PROP("wattage_per_state", " 9 : 60 , 1:2")),
                     GPU("n0:gpu1",
                         "")) "<link id=\"root\" bandwidth=\"64GBps\" latency=\"1us\"/>" ROOT("n0")
                    ROOT("n1")));
    struct hs_cluster *cluster = platform.cluster;
    const struct hs_node *node;
    const struct hs_device *device;

    CU_ASSERT_EQUAL_FATAL(hs_cluster_node_count(cluster), 3);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_device_count(cluster), 4);
    node = hs_cluster_node(cluster, 1);
    CU_ASSERT_STRING_EQUAL(node->name, "n1");
    CU_ASSERT_EQUAL(node->first_device, 2);
    CU_ASSERT_EQUAL(node->device_count, 2);
    CU_ASSERT_EQUAL(node->rack, HS_NO_RACK);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 2)->device_count, 0);
    CU_ASSERT_TRUE(has_feature(cluster, node->features, "avx2"));
    CU_ASSERT_FALSE(has_feature(cluster, node->features, "mig"));
    /* gpu0 stands before gpu10, so its island is the first; an alias means the model. */
    device = hs_cluster_device(cluster, 2);
    CU_ASSERT_STRING_EQUAL(hs_cluster_kind_name(cluster, device->kind), "gpu");
    CU_ASSERT_STRING_EQUAL(hs_cluster_model_name(cluster, device->model), "a100-sxm4-40");
    CU_ASSERT_EQUAL(device->group, 0);
    CU_ASSERT_EQUAL(device->mem_bytes, INT64_C(40) << 30);
    CU_ASSERT_TRUE(has_feature(cluster, device->features, "mig"));
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 3)->group, 1);
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 3)->model, device->model);
    CU_ASSERT_EQUAL(find_host(&platform, "n1:gpu10")->device, 3);
    CU_ASSERT_EQUAL(find_host(&platform, "n1:gpu10")->node, 1);
    /* The file goes before the catalogue; a device without a model has the name of its kind. */
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 0)->mem_bytes, INT64_C(15000000000));
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 0)->group, HS_NO_GROUP);
    CU_ASSERT_STRING_EQUAL(hs_cluster_model_name(cluster, hs_cluster_device(cluster, 1)->model),
                           "gpu");
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 1)->mem_bytes, HS_MEM_UNLIMITED);
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 1)->features, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(platform.device_power);
    check_power(&platform.node_power[0], 8, 90, 110, 350);
    check_power(&platform.device_power[0], 0, 9, 9, 60);
    CU_ASSERT_FALSE(platform_power_is_known(&platform.device_power[1]));
    CU_ASSERT_TRUE(isnan(platform.device_power[1].idle_w));
    check_power(&platform.device_power[2], 0, 55, 81, 400);
    platform_fini(&platform);
}

/* One star with all devices and a port for each node; the property node, racks by name. */
static void test_flat(void)
{
    struct platform platform = load_text(FILES_ZONE(
        "<host id=\"b2\" speed=\"1Gf\" core=\"65\">" PROP("rack", "r10")
            PROP("model", "epyc-7742") "</host>\n<host id=\"b10\" speed=\"1Gf\">" PROP(
                "rack",
                "r2") "</host>\n"
                      "<host id=\"b1\" speed=\"1Gf\">" PROP("rack", "r10") PROP("watt_per_state",
                                                                                "100:200")
                          PROP("watt_off", "10") "</host>\n<host id=\"b3\" speed=\"1Gf\">" PROP(
                              "rack",
                              "") "</host>"
                                  "<host id=\"b2:port\" speed=\"1Gf\">" PROP(
                                      "kind",
                                      "port") "</host>\n"
                                              "<host id=\"master_host\" speed=\"1Gf\"/>" GPU(
                                                  "master_host:gpu0",
                                                  "") "<host id=\"x\" speed=\"1Gf\">" PROP("kind",
                                                                                           "fpga")
                                                  PROP("node", "b10") PROP("model", "alveo-u280")
                                                      PROP("group",
                                                           "g") "</host>\n"
                                                                "<host id=\"b10:npu\" "
                                                                "speed=\"1Gf\">" PROP("kind", "npu")
                                                                    PROP("group",
                                                                         "g") "</"
                                                                              "host>\n" GPU(
                                                                                  "b1:gpu0",
                                                                                  PROP("nod"
                                                                                       "e",
                                                                                       "b"
                                                                                       "2"))));
    struct hs_cluster *cluster = platform.cluster;

    CU_ASSERT_EQUAL_FATAL(hs_cluster_node_count(cluster), 4); /* b1 b2 b3 b10 */
    CU_ASSERT_EQUAL_FATAL(hs_cluster_device_count(cluster), 3);
    CU_ASSERT_EQUAL(hs_cluster_rack_count(cluster), 2);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 0)->rack, 1);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 1)->rack, 1);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 2)->rack, HS_NO_RACK);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 3)->rack, 0); /* r2 before r10 */
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 0)->device_count, 0);
    CU_ASSERT_EQUAL(hs_cluster_node(cluster, 1)->device_count, 1);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_node(cluster, 3)->device_count, 2);
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 1)->group, 0);
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 2)->group, 0);
    CU_ASSERT_STRING_EQUAL(hs_cluster_kind_name(cluster, hs_cluster_device(cluster, 2)->kind),
                           "fpga");
    CU_ASSERT_EQUAL(find_host(&platform, "b2:port")->role, PLATFORM_PORT);
    CU_ASSERT_EQUAL(find_host(&platform, "b2:port")->node, UINT32_MAX);
    CU_ASSERT_EQUAL(find_host(&platform, "master_host:gpu0")->device, UINT32_MAX);
    CU_ASSERT_EQUAL(find_host(&platform, "master_host:gpu0")->node, UINT32_MAX);
    check_power(&platform.node_power[0], 10, 100, 100, 200);
    /* 65 cores of a CPU with 64 are two sockets. */
    check_power(&platform.node_power[1], 0, 140, 140, 450);
    CU_ASSERT_FALSE(platform_power_is_known(&platform.node_power[2]));
    platform_fini(&platform);
}

/* Without models and wattage there is no catalogue, and nothing is known of power. */
static void test_plain(void)
{
    struct platform platform =
        load_text(FILES_ZONE("<host id=\"a\" speed=\"1Gf\"/>" GPU("a:0", "")));

    CU_ASSERT_PTR_NULL(platform.catalogue);
    CU_ASSERT_PTR_NULL(platform.node_power);
    CU_ASSERT_PTR_NULL(platform.device_power);
    CU_ASSERT_EQUAL(hs_cluster_device_count(platform.cluster), 1);
    platform_fini(&platform);
}

/* A catalogue of the user. */
static void test_catalogue(void)
{
    static const char text[] = "devices:\n  - {model: my-gpu, kind: gpu, name: Mine, memory: "
                               "{size: 3 GB}, power: {idle: 1 W, busy: 2 W}}\n";
    static const char xml[] =
        FILES_ZONE("<host id=\"a\" speed=\"1Gf\"/>" GPU("a:0", PROP("model", "my-gpu")));
    struct test_file catalogue = files_write("my.yaml", text, strlen(text));
    struct test_file file = files_write("platform.xml", xml, strlen(xml));
    struct platform_options options = {.file = file.path, .catalogue = catalogue.path};
    struct platform platform;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(platform_load(&options, &platform, &error), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_device(platform.cluster, 0)->mem_bytes, INT64_C(3000000000));
    CU_ASSERT_STRING_EQUAL(platform.hosts[1].model->name, "Mine");
    check_power(&platform.device_power[0], 0, 1, 1, 2);
    platform_fini(&platform);
    files_remove(&file);
    files_remove(&catalogue);
}

static const struct unit_test tests[] = {
    {"a zone for each node", test_zones},
    {"one star", test_flat},
    {"nothing known", test_plain},
    {"a catalogue of the user", test_catalogue},
};

UNIT_MAIN("nodes and devices of platform files", tests)
