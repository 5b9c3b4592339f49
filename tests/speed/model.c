/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - the performance model: factors, scales, fallbacks, what cannot run, and gangs. */
#include "speed/model.h"
#include "hs/free.h"
#include "speed/mark.h"
#include "speed/throughput.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define S HS_NS_PER_S

/* Nodes 0, 1: two A100 each; 2: a V100; 3: a V100 and an H100; 4, 5: processors only. */
static const char *const processors[] = {"epyc-7742", "epyc-7742", "epyc-7742",
                                         "epyc-7742", "epyc-7601", NULL};
static const char *const devices[][3] = {{"a100-sxm4-40", "a100-sxm4-40"},
                                         {"a100-sxm4-40", "a100-sxm4-40"},
                                         {"v100-sxm2-16"},
                                         {"v100-sxm2-16", "h100-sxm5"},
                                         {NULL},
                                         {NULL}};

static const char classes[] =
    "classes:\n"
    "  - {name: train, reference: a100-sxm4-40, times: {a100-sxm4-40: 100, v100-sxm2-16: 250,"
    " h100-sxm5: 50}}\n"
    "  - name: scaled\n    reference: a100-sxm4-40\n"
    "    rates: {a100-sxm4-40: {1: 10, 4: 20}, v100-sxm2-16: {1: 5, 4: 8, 8: 12}, h100-sxm5: {2: "
    "1}}\n"
    "  - {name: large, reference: a100-sxm4-40, times: {a100-sxm4-40: 3, v100-sxm2-16: 0}}\n"
    "  - {name: guessed, reference: v100-sxm2-16, times: {v100-sxm2-16: 8}, fallback: fp64}\n"
    "  - {name: third, reference: a100-sxm4-40, times: {a100-sxm4-40: 3, v100-sxm2-16: 1}}\n"
    "  - {name: host, reference: epyc-7742, times: {epyc-7742: 10, epyc-7601: 15}}\n";

struct world {
    struct hs_cluster *cluster;
    struct catalogue *catalogue;
    struct speed_library *library;
    struct speed_model *model;
};

static void world_init(struct world *world, const char *reference)
{
    struct hs_cluster *plain = hs_cluster_create();
    struct hs_error error = {0};
    struct speed_options options = {.node_models = processors, .reference = reference};

    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "n%zu", i);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(plain, name, 8000, HS_MEM_UNLIMITED, &error),
                              HS_OK);
        for (size_t k = 0; devices[i][k]; k++) {
            CU_ASSERT_EQUAL_FATAL(hs_cluster_add_device(plain, "gpu", devices[i][k], HS_NO_GROUP,
                                                        HS_MEM_UNLIMITED, &error),
                                  HS_OK);
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(plain, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(speed_mark(plain, processors, NULL, &world->cluster, &error), HS_OK);
    hs_cluster_destroy(plain);
    world->catalogue = catalogue_create();
    CU_ASSERT_EQUAL_FATAL(catalogue_add_file(world->catalogue, TEST_CATALOGUE, &error), HS_OK);
    world->library = speed_library_create();
    CU_ASSERT_EQUAL_FATAL(speed_library_add_text(world->library, classes, strlen(classes), "c.yaml",
                                                 world->catalogue, &error),
                          HS_OK);
    options.cluster = world->cluster;
    options.catalogue = world->catalogue;
    options.library = world->library;
    CU_ASSERT_EQUAL_FATAL(speed_model_create(&options, &world->model, &error), HS_OK);
}

static void world_fini(struct world *world)
{
    speed_model_destroy(world->model);
    speed_library_destroy(world->library);
    catalogue_destroy(world->catalogue);
    hs_cluster_destroy(world->cluster);
}

static int32_t class_of(struct world *world, const char *name)
{
    struct hs_error error = {0};
    int32_t number = -7;

    if (speed_model_job_class(world->model, name, &number, &error) != HS_OK) {
        (void)printf("\n%s\n", error.text);
        CU_FAIL_FATAL("a known class is refused");
    }
    return number;
}

static uint32_t unit_of(const struct world *world, const char *name)
{
    for (uint32_t i = 0; i < speed_model_unit_count(world->model); i++) {
        if (strcmp(speed_model_unit_name(world->model, i), name) == 0) {
            return i;
        }
    }
    CU_FAIL_FATAL("no such unit");
    return 0;
}

/* The factor as a number. */
static double factor(struct world *world, const char *name, const char *unit, int64_t scale)
{
    return (double)speed_model_factor(world->model, class_of(world, name), unit_of(world, unit),
                                      scale) /
           (double)SPEED_ONE;
}

/* The shares of one device a task: `count` tasks from device `first` on. */
static hs_time on_devices(struct world *world, const char *name, hs_time time, const uint32_t *list,
                          uint32_t count, uint32_t *unit)
{
    struct hs_device_share shares[8];
    struct hs_span span = {0, 1, count};
    struct hs_alloc alloc = {
        .spans = &span, .devices = shares, .span_count = 1, .device_count = count};
    struct hs_demand demand = {.tasks = count,
                               .cores_milli = 1000,
                               .device_count = 1,
                               .device_share = 1000,
                               .device_kind = HS_ANY_KIND};
    struct speed_job job = {.job_class = name ? class_of(world, name) : SPEED_NO_CLASS};

    for (uint32_t i = 0; i < count; i++) {
        shares[i] = (struct hs_device_share){list[i], 1000};
    }
    return speed_model_time(world->model, &job, &demand, &alloc, time, unit);
}

static void test_rounding(void)
{
    CU_ASSERT_EQUAL(speed_scale(12345, SPEED_ONE), 12345);
    CU_ASSERT_EQUAL(speed_scale(3, SPEED_ONE / 2), 2); /* halves up */
    CU_ASSERT_EQUAL(speed_scale(1, SPEED_ONE / 4), 1); /* never nothing */
    CU_ASSERT_EQUAL(speed_scale(0, SPEED_ONE * 7), 0);
    CU_ASSERT_EQUAL(speed_scale(HS_TIME_NEVER, SPEED_ONE / 2), HS_TIME_NEVER);
    CU_ASSERT_EQUAL(speed_scale(HS_TIME_NEVER - 1, SPEED_ONE * 2), HS_TIME_NEVER - 1);
    CU_ASSERT_EQUAL(speed_scale(HS_TIME_NEVER / 2, SPEED_ONE), HS_TIME_NEVER / 2);
}

static void test_slowest_task(void)
{
    static const uint32_t gang[] = {0, 6, 4}; /* an A100, the H100, a V100 */
    struct world world;
    uint32_t unit;

    world_init(&world, NULL);
    CU_ASSERT_EQUAL(on_devices(&world, "train", 1000 * S, gang, 1, &unit), 1000 * S);
    CU_ASSERT_EQUAL(on_devices(&world, "train", 1000 * S, gang + 1, 1, &unit), 500 * S);
    CU_ASSERT_EQUAL(unit, unit_of(&world, "h100-sxm5"));
    CU_ASSERT_EQUAL(on_devices(&world, "train", 1000 * S, gang, 2, &unit), 1000 * S);
    CU_ASSERT_EQUAL(unit, unit_of(&world, "a100-sxm4-40"));
    CU_ASSERT_EQUAL(on_devices(&world, "train", 1000 * S, gang, 3, &unit), 2500 * S);
    CU_ASSERT_EQUAL(unit, unit_of(&world, "v100-sxm2-16"));
    CU_ASSERT_EQUAL(on_devices(&world, NULL, 1000 * S, gang, 3, &unit), 1000 * S);
    /* One third of a second, rounded to the nanosecond. */
    CU_ASSERT_EQUAL(on_devices(&world, "third", S, gang + 2, 1, NULL), 333333333);
    world_fini(&world);
}

static void test_scales(void)
{
    struct world world;

    world_init(&world, NULL);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "v100-sxm2-16", 1), 2, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "v100-sxm2-16", 3), 2, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "v100-sxm2-16", 4), 2.5, 0);
    /* At 8 the reference has no value: 4 is the largest that both have. */
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "v100-sxm2-16", 8), 2.5, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "v100-sxm2-16", 1000), 2.5, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "a100-sxm4-40", 4), 1, 0);
    /* The H100 has no scale in common with the reference. */
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "scaled", "h100-sxm5", 2), 0, 0);
    world_fini(&world);
}

static void test_fallback(void)
{
    struct world world;
    const struct catalogue_device *volta, *hopper;
    double ratio;

    world_init(&world, NULL);
    volta = catalogue_find(world.catalogue, "v100-sxm2-16");
    hopper = catalogue_find(world.catalogue, "h100-sxm5");
    CU_ASSERT_FATAL(speed_fallback_ratio(SPEED_FALLBACK_FP64, hopper, volta, true, &ratio));
    CU_ASSERT(ratio > 4 && ratio < 12); /* 66.9 over 7.8 Tflop/s */
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "guessed", "h100-sxm5", 1), 1 / ratio, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "guessed", "v100-sxm2-16", 1), 1, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "guessed", "epyc-7742", 1), 0, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "train", "epyc-7742", 1), 0, 0);
    world_fini(&world);
}

static void test_reference(void)
{
    struct world world;
    struct hs_error error = {0};
    int32_t number;

    world_init(&world, "V100"); /* an alias */
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "train", "a100-sxm4-40", 1), 0.4, 1e-11);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "train", "v100-sxm2-16", 1), 1, 0);
    CU_ASSERT_EQUAL(speed_model_job_class(world.model, "host", &number, &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "has those of epyc-7601, epyc-7742"));
    CU_ASSERT_EQUAL(speed_model_job_class(world.model, "trane", &number, &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "did you mean 'train'?"));
    world_fini(&world);
}

static void test_classes_of_nodes(void)
{
    struct world world;
    const uint32_t *of;

    world_init(&world, NULL);
    of = speed_model_class_of_node(world.model);
    CU_ASSERT_EQUAL(speed_model_class_count(world.model), 5);
    CU_ASSERT_EQUAL(of[0], of[1]);
    for (uint32_t i = 1; i < 6; i++) {
        for (uint32_t k = i + 1; k < 6; k++) {
            CU_ASSERT_NOT_EQUAL(of[i], of[k]);
        }
    }
    world_fini(&world);
}

static void test_predict(void)
{
    struct hs_demand gpus = {.tasks = 2,
                             .cores_milli = 1000,
                             .device_count = 1,
                             .device_share = 1000,
                             .device_kind = HS_ANY_KIND};
    struct hs_demand cores = {.tasks = 2, .cores_milli = 1000};
    struct hs_demand either = gpus;
    struct world world;
    const uint32_t *of;
    struct speed_job train, host;

    world_init(&world, NULL);
    of = speed_model_class_of_node(world.model);
    train = (struct speed_job){.job_class = class_of(&world, "train")};
    host = (struct speed_job){.job_class = class_of(&world, "host")};
#define PREDICT(job, demand, node)                                                                 \
    speed_model_predict(world.model, &(job), &(demand), -1, of[node], 100 * S)
    CU_ASSERT_EQUAL(PREDICT(train, gpus, 0), 100 * S);
    CU_ASSERT_EQUAL(PREDICT(train, gpus, 2), 250 * S);
    CU_ASSERT_EQUAL(PREDICT(train, gpus, 3), 250 * S); /* the slower of the two */
    CU_ASSERT_EQUAL(PREDICT(train, gpus, 4), HS_TIME_NEVER);
    CU_ASSERT_EQUAL(PREDICT(train, cores, 0), HS_TIME_NEVER);
    CU_ASSERT_EQUAL(PREDICT(host, cores, 0), 100 * S);
    CU_ASSERT_EQUAL(PREDICT(host, cores, 4), 150 * S);
    CU_ASSERT_EQUAL(PREDICT(host, cores, 5), HS_TIME_NEVER); /* an unknown processor */
    CU_ASSERT_EQUAL(speed_model_longest(world.model, &train, &gpus, 100 * S), 250 * S);
    CU_ASSERT_EQUAL(speed_model_longest(world.model, &host, &cores, 100 * S), 150 * S);
    CU_ASSERT_EQUAL(speed_model_longest(world.model, &train, &cores, 100 * S), HS_TIME_NEVER);
    gpus.model_count = 1;
    CU_ASSERT_FATAL(hs_cluster_find_model(world.cluster, "h100-sxm5", &gpus.models[0]));
    CU_ASSERT_EQUAL(PREDICT(train, gpus, 3), 50 * S);
    CU_ASSERT_EQUAL(PREDICT(train, gpus, 0), HS_TIME_NEVER);
    either.alternatives = &gpus;
    either.alternative_count = 1;
    CU_ASSERT_EQUAL(speed_model_predict(world.model, &train, &either, 0, of[3], 100 * S), 250 * S);
    CU_ASSERT_EQUAL(speed_model_predict(world.model, &train, &either, 1, of[3], 100 * S), 50 * S);
    CU_ASSERT_EQUAL(PREDICT(train, either, 3), 250 * S);
    world_fini(&world);
}

/* After narrowing the demand fits exactly the nodes and devices on which the class can run. */
static void test_narrow(void)
{
    struct world world;
    struct hs_free *free_state;
    struct hs_alloc_buffer buffer = {0};
    struct hs_demand large = {.tasks = 1,
                              .cores_milli = 1000,
                              .device_count = 1,
                              .device_share = 1000,
                              .device_kind = HS_ANY_KIND};
    struct hs_demand host = {.tasks = 1, .cores_milli = 8000};
    struct hs_demand none = host;
    struct speed_job job;
    uint32_t placed = 0;

    world_init(&world, NULL);
    free_state = hs_free_create(world.cluster);
    CU_ASSERT_PTR_NOT_NULL_FATAL(free_state);
    job = (struct speed_job){.job_class = class_of(&world, "large")};
    CU_ASSERT(speed_model_narrow(world.model, &job, &large));
    CU_ASSERT(!speed_model_narrow(world.model, &job, &none)); /* on no processor */
    while (hs_free_place(free_state, &large, NULL, &buffer)) {
        const struct hs_device *device =
            hs_cluster_device(world.cluster, buffer.alloc.devices[0].device);

        CU_ASSERT_STRING_EQUAL(hs_cluster_model_name(world.cluster, device->model), "a100-sxm4-40");
        hs_free_take(free_state, &large, &buffer.alloc);
        placed++;
    }
    CU_ASSERT_EQUAL(placed, 4);
    hs_free_destroy(free_state);
    free_state = hs_free_create(world.cluster);
    job.job_class = class_of(&world, "host");
    CU_ASSERT(speed_model_narrow(world.model, &job, &host));
    for (placed = 0; hs_free_place(free_state, &host, NULL, &buffer); placed++) {
        CU_ASSERT_NOT_EQUAL(buffer.alloc.spans[0].first_node, 5);
        hs_free_take(free_state, &host, &buffer.alloc);
    }
    CU_ASSERT_EQUAL(placed, 5);
    hs_free_destroy(free_state);
    hs_alloc_buffer_fini(&buffer);
    world_fini(&world);
}

static void test_throughputs(void)
{
    static const char text[] = "job_type,batch_size,scale_factor,v100,a100\n"
                               "ResNet,16,1,2,8\nResNet,16,2,4,0\nA3C,,1,1,3\n";
    char path[] = "/tmp/hsim-throughput-XXXXXX";
    int file = mkstemp(path);
    struct throughput_table *table;
    struct hs_error error = {0};
    struct speed_options options = {0};
    struct world world;

    CU_ASSERT_FATAL(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    (void)close(file);
    CU_ASSERT_EQUAL_FATAL(throughput_read(path, &table, &error), HS_OK);
    world_init(&world, NULL);
    speed_model_destroy(world.model);
    options = (struct speed_options){.cluster = world.cluster,
                                     .node_models = processors,
                                     .catalogue = world.catalogue,
                                     .library = world.library,
                                     .throughputs = table};
    CU_ASSERT_EQUAL_FATAL(speed_model_create(&options, &world.model, &error), HS_OK);
    /* The first worker is the reference; a library class is still there. */
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "ResNet (batch size 16)", "a100-sxm4-40", 1), 0.25, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "ResNet (batch size 16)", "v100-sxm2-16", 1), 1, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "ResNet (batch size 16)", "a100-sxm4-40", 2), 0, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "A3C", "h100-sxm5", 1), 0, 0);
    CU_ASSERT_DOUBLE_EQUAL(factor(&world, "train", "v100-sxm2-16", 1), 2.5, 0);
    world_fini(&world);
    throughput_destroy(table);
    (void)unlink(path);
}

static void test_matrix(void)
{
    static const double times[] = {1, 2, 3, 4, 5, 6, 10, INFINITY, 0.5, 1e-10, 2, 2.5};
    static const unsigned char apart[] = {0, 1, 0, 0, 0, 0};
    struct hs_demand demand = {.tasks = 2, .cores_milli = 4000};
    struct hs_span spans[] = {{1, 1, 1}, {3, 1, 1}};
    struct hs_alloc alloc = {.spans = spans, .span_count = 2};
    struct speed_job job = {.job_class = SPEED_NO_CLASS, .row = 0, .run_ns = 10 * S};
    struct hs_error error = {0};
    struct speed_options options = {.node_models = processors, .etc_s = times, .etc_rows = 2};
    struct hs_cluster *marked;
    struct world world;

    world_init(&world, NULL);
    CU_ASSERT_EQUAL_FATAL(speed_mark(world.cluster, processors, apart, &marked, &error), HS_OK);
    speed_model_destroy(world.model);
    options.cluster = marked;
    CU_ASSERT_EQUAL_FATAL(speed_model_create(&options, &world.model, &error), HS_OK);
    CU_ASSERT_EQUAL(speed_model_class_count(world.model), 6);
    CU_ASSERT_EQUAL(speed_model_time(world.model, &job, &demand, &alloc, 10 * S, NULL), 4 * S);
    /* A request of three times the run time stays so. */
    CU_ASSERT_EQUAL(speed_model_time(world.model, &job, &demand, &alloc, 30 * S, NULL), 12 * S);
    job.row = 1;
    CU_ASSERT_EQUAL(speed_model_predict(world.model, &job, &demand, -1, 0, 10 * S), 10 * S);
    CU_ASSERT_EQUAL(speed_model_predict(world.model, &job, &demand, -1, 1, 10 * S), HS_TIME_NEVER);
    CU_ASSERT_EQUAL(speed_model_predict(world.model, &job, &demand, -1, 2, 10 * S), S / 2);
    CU_ASSERT_EQUAL(speed_model_predict(world.model, &job, &demand, -1, 3, 10 * S), 1);
    CU_ASSERT_EQUAL(speed_model_longest(world.model, &job, &demand, 10 * S), 10 * S);
    CU_ASSERT(speed_model_narrow(world.model, &job, &demand));
    CU_ASSERT_EQUAL(demand.node_features, speed_mark_bit(marked, "node-1"));
    CU_ASSERT_NOT_EQUAL(demand.node_features, 0);
    CU_ASSERT_EQUAL(hs_cluster_node(marked, 1)->features & demand.node_features, 0);
    CU_ASSERT_EQUAL(hs_cluster_node(marked, 2)->features & demand.node_features,
                    demand.node_features);
    world_fini(&world);
    hs_cluster_destroy(marked);
}

/* The copy is the cluster, but for the marks. */
static void test_mark(void)
{
    struct world world;
    uint16_t feature;

    world_init(&world, NULL);
    CU_ASSERT_EQUAL(hs_cluster_node_count(world.cluster), 6);
    CU_ASSERT_EQUAL(hs_cluster_device_count(world.cluster), 7);
    CU_ASSERT_EQUAL(hs_cluster_model_count(world.cluster), 3);
    CU_ASSERT_STRING_EQUAL(hs_cluster_node(world.cluster, 3)->name, "n3");
    CU_ASSERT(hs_cluster_find_feature(world.cluster, "not-h100-sxm5", &feature));
    CU_ASSERT(hs_cluster_find_feature(world.cluster, "not-unknown", &feature));
    CU_ASSERT(hs_cluster_find_feature(world.cluster, "not-epyc-7601", &feature));
    CU_ASSERT_EQUAL(speed_mark_bit(world.cluster, "t4"), 0);
    world_fini(&world);
}

static const struct unit_test tests[] = {
    {"times are rounded to the nanosecond", test_rounding},
    {"a gang runs as its slowest task", test_slowest_task},
    {"between scales the smaller one counts", test_scales},
    {"fallbacks by figures of the catalogue", test_fallback},
    {"another reference", test_reference},
    {"classes of nodes", test_classes_of_nodes},
    {"predictions by class of nodes", test_predict},
    {"a job is kept from where it cannot run", test_narrow},
    {"throughput tables", test_throughputs},
    {"matrices of times", test_matrix},
    {"marks of models", test_mark},
};

UNIT_MAIN("speed_model", tests)
