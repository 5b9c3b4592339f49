/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.c - shapes of fabrics, racks and islands of generated platforms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/generate_internal.h"
#include "unit.h"

#define RACKS_TESTED 1000

static struct generate_network network_of(enum generate_topology topology, int64_t racks,
                                          const char *shape)
{
    return (struct generate_network){
        .topology = topology, .taper = 1, .racks = racks, .shape = shape};
}

/* Each number of racks has a dragonfly with which SimGrid does not crash, and not many spares. */
static void test_dragonflies(void)
{
    for (int64_t racks = 1; racks <= RACKS_TESTED; racks++) {
        struct generate_network network = network_of(GENERATE_DRAGONFLY, racks, NULL);
        struct hs_error error = {0};
        long long groups, chassis, blades, cables;

        CU_ASSERT_EQUAL_FATAL(generate_fabric(&network, &error), HS_OK);
        CU_ASSERT_EQUAL_FATAL(sscanf(network.parameters, "%lld,%lld;%lld,1;%lld,1;1", &groups,
                                     &cables, &chassis, &blades),
                              4);
        CU_ASSERT(groups <= blades);
        CU_ASSERT(cables >= 1);
        CU_ASSERT_EQUAL(network.ports, groups * chassis * blades);
        CU_ASSERT(network.ports >= racks);
        CU_ASSERT(network.ports < racks + chassis * blades);
    }
}

static void test_trees(void)
{
    for (int64_t racks = 1; racks <= RACKS_TESTED; racks++) {
        struct generate_network network = network_of(GENERATE_FAT_TREE, racks, NULL);
        struct hs_error error = {0};
        int64_t product = 1;
        char *at;
        long levels;

        CU_ASSERT_EQUAL_FATAL(generate_fabric(&network, &error), HS_OK);
        levels = strtol(network.parameters, &at, 10);
        CU_ASSERT_EQUAL(levels, racks <= 32 ? 1 : 2);
        for (long i = 0; i < levels; i++) {
            int64_t size = strtoll(at + 1, &at, 10);

            CU_ASSERT(size >= 1 && size <= 32);
            product *= size;
        }
        CU_ASSERT_EQUAL(network.ports, product);
        CU_ASSERT(product >= racks && product < racks + 32);
    }
}

static void check_shape(enum generate_topology topology, int64_t racks, const char *shape,
                        const char *parameters)
{
    struct generate_network network = network_of(topology, racks, shape);
    struct hs_error error = {0};
    enum hs_err err = generate_fabric(&network, &error);

    if (parameters) {
        CU_ASSERT_EQUAL(err, HS_OK);
        CU_ASSERT_STRING_EQUAL(network.parameters, parameters);
    } else {
        CU_ASSERT_EQUAL(err, HS_ERR_CONFIG);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, shape));
    }
}

static void test_shapes(void)
{
    static const char *const bad[] = {"",   "x",         "4x",   "x4",   "0x4",
                                      "-1", "4x4x4x4x4", "5000", "4 x 4"};

    check_shape(GENERATE_FAT_TREE, 6, "6", "1;6;1;1");
    check_shape(GENERATE_FAT_TREE, 6, "4x2", "2;4,2;1,4;1,1");
    check_shape(GENERATE_FAT_TREE, 20, "4x3x2", "3;4,3,2;1,4,3;1,1,1");
    check_shape(GENERATE_FAT_TREE, 4096, "4096", "1;4096;1;1");
    check_shape(GENERATE_FAT_TREE, 9, "4x2", NULL);
    check_shape(GENERATE_FAT_TREE, 9, "65x64", NULL);
    check_shape(GENERATE_DRAGONFLY, 8, "2x1x4", "2,2;1,1;4,1;1");
    check_shape(GENERATE_DRAGONFLY, 8, "1x2x4", "1,1;2,1;4,1;1");
    check_shape(GENERATE_DRAGONFLY, 9, "2x1x4", NULL);
    /* The second loads in SimGrid 3.32, which then reads behind an array as it routes. */
    check_shape(GENERATE_DRAGONFLY, 8, "5x2x2", NULL);
    check_shape(GENERATE_DRAGONFLY, 8, "4x2x2", NULL);
    check_shape(GENERATE_DRAGONFLY, 4, "4x2", NULL);
    check_shape(GENERATE_STAR, 4, "4", NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_shape(GENERATE_FAT_TREE, 1, bad[i], NULL);
        check_shape(GENERATE_DRAGONFLY, 1, bad[i], NULL);
    }
}

/* Racks part the nodes without a gap, and none is more than a node larger than another. */
static void test_racks(void)
{
    for (int64_t nodes = 1; nodes <= 70; nodes++) {
        for (int64_t racks = 1; racks <= nodes; racks++) {
            const struct generate_class class = {.nodes = nodes, .racks = racks};
            int64_t next = 0;

            for (int64_t rack = 0; rack < racks; rack++) {
                int64_t first, count;

                generate_rack(&class, rack, &first, &count);
                CU_ASSERT_EQUAL(first, next);
                CU_ASSERT(count == nodes / racks || count == nodes / racks + 1);
                next += count;
            }
            CU_ASSERT_EQUAL(next, nodes);
        }
    }
}

static void check_runs(const struct generate_class *class, const char *wanted)
{
    char text[256] = "";
    struct generate_run run;
    size_t entry = 0;
    int64_t index = 0;

    while (generate_next_run(class, &entry, &index, &run)) {
        size_t length = strlen(text);

        (void)snprintf(text + length, sizeof text - length, "%s%lld+%lld@%lld ", run.device->kind,
                       (long long)run.first, (long long)run.count, (long long)run.group);
    }
    CU_ASSERT_STRING_EQUAL(text, wanted);
}

/* Devices of a kind are numbered through, whatever their models; islands through the node. */
static void test_islands(void)
{
    const struct catalogue_device one = {.kind = "gpu"}, other = {.kind = "gpu"},
                                  third = {.kind = "npu"};
    struct generate_class class = {
        .devices = {{&one, 4}, {&third, 2}, {&other, 2}},
        .device_count = 3,
    };

    check_runs(&class, "gpu0+4@-1 npu0+2@-1 gpu4+2@-1 ");
    class.island = 2;
    check_runs(&class, "gpu0+2@0 gpu2+2@1 npu0+2@2 gpu4+2@3 ");
    class.device_count = 0;
    check_runs(&class, "");
}

static const struct unit_test tests[] = {
    {"dragonflies", test_dragonflies}, {"fat trees", test_trees},
    {"given shapes", test_shapes},     {"racks", test_racks},
    {"islands", test_islands},
};

UNIT_MAIN("platform generate", tests)
