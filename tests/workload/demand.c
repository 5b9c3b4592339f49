/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand.c - the language of demands: every word, what is wrong, names that a cluster lacks, and
 * random demands that are written and read again. */
#include "support.h"
#include "workload/demand_store.h"
#include "workload/random.h"

#define GIB (INT64_C(1) << 30)

static struct workload_names *names;
static struct demand_options options;
static struct hs_error error;

static struct hs_cluster *cluster_make(void)
{
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, "n0", 8000, 64 * GIB, &error));
    CU_ASSERT_FATAL(!hs_cluster_add_node_feature(cluster, "avx512", &error));
    CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", "a100", 0, 40 * GIB, &error));
    CU_ASSERT_FATAL(!hs_cluster_add_device_feature(cluster, "wmma", &error));
    CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", "t4", 0, 16 * GIB, &error));
    CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", "mi250-oam-128", 0, GIB, &error));
    CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "tpu", "v5", 0, 16 * GIB, &error));
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, &error));
    return cluster;
}

static enum hs_err parse(const char *text)
{
    memset(&error, 0, sizeof error);
    return demand_text_parse(text, strlen(text), names, &options, &error);
}

static const struct hs_demand *good(const char *text)
{
    if (parse(text)) {
        printf("\n  '%s': %s\n", text, error.text);
        CU_FAIL("a demand is refused");
    }
    return &options.list[0];
}

static void bad(const char *text, const char *part)
{
    CHECK_INT(parse(text), HS_ERR_INPUT);
    check_has(error.text, part, __LINE__);
}

static void test_words(void)
{
    const struct hs_demand *demand;

    names = workload_names_create(NULL);
    demand = good("4x cores=8 mem=32GiB gpu:a100|h100=2 device-mem=40GB features=wmma,nvlink "
                  "node-features=avx512 tasks-per-node=2 same-island exclusive contiguous");
    CHECK_INT(options.count, 1);
    CHECK_INT(demand->tasks, 4);
    CHECK_INT(demand->cores_milli, 8000);
    CHECK_INT(demand->mem_bytes, 32 * GIB);
    CHECK_INT(demand->device_mem, 40000000000);
    CHECK_INT(demand->device_count, 2);
    CHECK_INT(demand->device_share, 1000);
    CHECK_INT(demand->model_count, 2);
    CU_ASSERT_STRING_EQUAL(workload_names_text(names, WORKLOAD_KIND, demand->device_kind), "gpu");
    CU_ASSERT_STRING_EQUAL(workload_names_text(names, WORKLOAD_MODEL, demand->models[1]), "h100");
    CHECK_INT(demand->features, 3);
    CHECK_INT(demand->node_features, 4);
    CHECK_INT(demand->tasks_per_node, 2);
    CHECK_INT(demand->flags, HS_DEMAND_SAME_ISLAND | HS_DEMAND_EXCLUSIVE | HS_DEMAND_CONTIGUOUS);
    CHECK_INT(good("gpu")->device_count, 1);
    CHECK_INT(options.list[0].cores_milli, 1000);
    CHECK_INT(good("cores=250m")->cores_milli, 250);
    CHECK_INT(good("cores=0.25")->cores_milli, 250);
    CHECK_INT(good("tasks=7")->tasks, 7);
    CHECK_INT(good("mem=1.5KiB")->mem_bytes, 1536);
    CHECK_INT(good("mem=123456789012345")->mem_bytes, 123456789012345);
    CHECK_INT(good("gpu=0.25")->device_share, 250);
    CHECK_INT(good("gpu=250m")->device_share, 250);
    CHECK_INT(good("gpu=2*0.5")->device_share, 500);
    CHECK_INT(options.list[0].device_count, 2);
    CHECK_INT(good("device:h100=1")->device_kind, HS_ANY_KIND);
    CHECK_INT(good("tpu:*=2")->model_count, 0);
    CHECK_INT(good("spread exclusive=false same-node=0")->flags, HS_DEMAND_SPREAD);
    CHECK_INT(good("gpu=0 features=wmma same-island")->flags, 0);
    CHECK_INT(options.list[0].features, 0);
    CHECK_INT(good("  gpu=1  or\t2x cores=4 or 8x\n")->tasks, 1);
    CHECK_INT(options.count, 3);
    CHECK_INT(options.list[2].tasks, 8);
    workload_names_destroy(names);
}

static void test_errors(void)
{
    char many[512] = "gpu";

    names = workload_names_create(NULL);
    bad("", "a demand is due");
    bad("cores=1 or", "a demand is due");
    bad("or cores=1", "before 'or'");
    bad("coers=8", "column 1: 'coers' is no word of a demand (did you mean 'cores'?)");
    bad("2x gqu=1", "column 4: 'gqu' is no word of a demand (did you mean 'gpu'?)");
    bad("zzzzzz=1", "these are Nx (tasks), tasks, cores, mem");
    bad("cores", "has no value; write for instance cores=8");
    bad("cores=x", "a number of cores is due");
    bad("cores=0.0001", "a number of cores is due");
    bad("cores=-1", "a number of cores is due");
    bad("cores=1 cores=2", "column 9: 'cores=2' is said twice");
    bad("2x tasks=2", "is said twice");
    bad("0x", "a whole number from 1");
    bad("3000000000x", "a whole number from 1");
    bad("mem=32Gib", "a size is due");
    bad("mem=9000000TiB", "more than any machine has");
    bad("gpu=1.5", "is no number of devices");
    bad("gpu=65", "is no number of devices");
    bad("gpu=2*1.5", "is no number of devices");
    bad("gpu=0.0005", "is no number of devices");
    bad("gpu: cores=1", "lacks a name");
    bad("gpu:a||b", "lacks the name of a model");
    bad(":a=1", "lacks a name");
    bad("gpu:a=1 fpga=1", "one kind of devices");
    bad("exclusive=maybe", "true or false is due");
    bad("features=wmma", "of devices; add one");
    bad("gpu=1 features=a,,b", "names no feature");
    bad("cores=0", "asks for nothing");
    bad("2x spread same-node", "exclude each other");
    bad("3x cores=1000000000", "more than 2147483647 cores");
    for (char model = 'a'; model <= 'i'; model++) {
        (void)snprintf(many + strlen(many), sizeof many - strlen(many), "%c%c",
                       model == 'a' ? ':' : '|', model);
    }
    bad(many, "more than 8 models");
    many[0] = '\0';
    for (int i = 0; i < 18; i++) {
        (void)snprintf(many + strlen(many), sizeof many - strlen(many), "%s%dx", i ? " or " : "",
                       i + 1);
    }
    bad(many, "more than 16 alternatives");
    memset(many, 'a', sizeof many);
    many[sizeof many - 1] = '\0';
    bad(many, "longer than 255");
    workload_names_destroy(names);
}

static void test_cluster(void)
{
    struct hs_cluster *cluster = cluster_make();
    uint16_t model;

    names = workload_names_create(cluster);
    CHECK_INT(good("gpu:t4=1")->models[0], 1);
    CU_ASSERT_STRING_EQUAL(options.refusal, "");
    CHECK_INT(good("tpu=1")->device_kind, 1); /* a kind of this cluster needs no colon */
    (void)good("gpu:a1000=1");
    CU_ASSERT_STRING_EQUAL(options.refusal,
                           "no node has a device of model 'a1000' (did you mean 'a100'?)");
    (void)good("gpu:A100=1"); /* hardly misspelt */
    check_has(options.refusal, "did you mean 'a100'", __LINE__);
    (void)good("gpu:mi250=1"); /* people leave out the end of the name, not its begin */
    check_has(options.refusal,
              "no node has a device of model 'mi250' (did you mean 'mi250-oam-128'?)", __LINE__);
    (void)good("gpu:oam=1");
    CU_ASSERT_STRING_EQUAL(options.refusal, "no node has a device of model 'oam'");
    (void)good("fpga=1");
    CU_ASSERT_STRING_EQUAL(options.refusal, "no node has a device of kind 'fpga'");
    (void)good("gpu=1 features=wmmma");
    CU_ASSERT_STRING_EQUAL(options.refusal, "no node has the feature 'wmmma' (did you mean "
                                            "'wmma'?)");
    /* One model of several, one alternative of several suffices. */
    CHECK_INT(good("gpu:h100|a100=1")->model_count, 1);
    CU_ASSERT_STRING_EQUAL(options.refusal, "");
    CHECK_INT(good("fpga=1 or 2x gpu=1 or npu=3")->tasks, 2);
    CHECK_INT(options.count, 1);
    CU_ASSERT_STRING_EQUAL(options.refusal, "");
    (void)good("fpga=1 or npu=1");
    CU_ASSERT_STRING_EQUAL(options.refusal, "no node has a device of kind 'fpga'");
    CHECK_INT(options.count, 1);
    CU_ASSERT_FALSE(hs_cluster_find_model(cluster, "h100", &model));
    workload_names_destroy(names);
    hs_cluster_destroy(cluster);
}

static void test_many_features(void)
{
    char text[32];

    names = workload_names_create(NULL);
    for (int i = 0; i < 64; i++) {
        (void)snprintf(text, sizeof text, "node-features=f%d", i);
        CHECK_INT(good(text)->node_features, (long long)(UINT64_C(1) << i));
    }
    (void)good("node-features=one-too-many");
    CHECK_HAS(options.refusal, "more than 64 features");
    workload_names_destroy(names);
}

static void test_store(void)
{
    struct demand_store *store;
    const struct demand_entry *first, *again, *other;

    names = workload_names_create(NULL);
    store = demand_store_create(names);
    CU_ASSERT_FATAL(!demand_store_find(store, "2x gpu:a|b=1 or 4x", 18, &first, &error));
    CU_ASSERT_FATAL(!demand_store_find(store, "2x gpu:a|b=1 or 4x", 18, &again, &error));
    CU_ASSERT_PTR_EQUAL(first, again);
    CU_ASSERT_FATAL(!demand_store_find(store, "gpu:b|a=1 tasks=2 or 4x", 23, &other, &error));
    CU_ASSERT(first != other && !memcmp(&first->demand, &other->demand, sizeof first->demand));
    CHECK_INT(first->demand.alternative_count, 1);
    CHECK_INT(first->demand.alternatives[0].tasks, 4);
    CHECK_INT(demand_store_find(store, "gpus=1", 6, &other, &error), HS_ERR_INPUT);
    for (int i = 1; i < 1000; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "%dx or %dx", i, i % 10 + 1);

        CU_ASSERT_FATAL(!demand_store_find(store, text, (size_t)length, &other, &error));
        CHECK_INT(other->demand.tasks, i);
        CHECK_INT(other->demand.alternatives[0].tasks, i % 10 + 1);
    }
    CU_ASSERT_FATAL(!demand_store_find(store, "2x gpu:a|b=1 or 4x", 18, &again, &error));
    CU_ASSERT_PTR_EQUAL(first, again);
    demand_store_destroy(store);
    workload_names_destroy(names);
}

static uint64_t below(uint64_t *state, uint64_t limit)
{
    return workload_random_below(workload_random_mix(++*state), limit);
}

/* Any demand that the parser could have made. */
static struct hs_demand random_demand(uint64_t *state)
{
    struct hs_demand demand = {
        .tasks = (uint32_t)(1 + below(state, 5)), .device_share = 1000, .device_kind = HS_ANY_KIND};

    demand.flags = (uint32_t)below(state, 16) & ~(uint32_t)HS_DEMAND_SAME_NODE;
    demand.cores_milli = (int64_t)below(state, 3) * 500 + (int64_t)below(state, 1000);
    demand.mem_bytes = (int64_t)(below(state, 100) << below(state, 40)) + 1;
    demand.tasks_per_node = (uint32_t)below(state, 3);
    demand.node_features = below(state, 16);
    if (below(state, 2)) {
        demand.device_count = (uint32_t)(1 + below(state, 64));
        demand.device_share = below(state, 2) ? 1000 : (uint32_t)(1 + below(state, 1000));
        demand.device_kind = below(state, 4) ? (uint16_t)below(state, 3) : HS_ANY_KIND;
        demand.device_mem = (int64_t)below(state, 3) * 1000000;
        demand.features = below(state, 16);
        demand.flags |= below(state, 2) ? HS_DEMAND_SAME_ISLAND : 0;
        for (uint16_t model = 0; model < 12 && demand.model_count < HS_MODEL_MAX; model++) {
            if (below(state, 4) == 0) {
                demand.models[demand.model_count++] = model;
            }
        }
    }
    return demand;
}

static void test_round_trip(void)
{
    static const char *const kinds[] = {"gpu", "fpga", "xpu"};
    uint64_t state = 1;

    names = workload_names_create(NULL);
    for (int i = 0; i < 12; i++) {
        char name[16];
        uint16_t number;

        (void)snprintf(name, sizeof name, "m-%d.x", i);
        CU_ASSERT_FATAL(!workload_names_number(names, WORKLOAD_MODEL, name, &number, &error));
        CU_ASSERT_FATAL(!workload_names_number(names, WORKLOAD_FEATURE, name, &number, &error));
        CU_ASSERT_FATAL(
            !workload_names_number(names, WORKLOAD_KIND, kinds[i % 3], &number, &error));
    }
    for (int round = 0; round < 20000; round++) {
        struct hs_demand parts[4];
        uint32_t count = (uint32_t)(1 + below(&state, 4));
        char text[DEMAND_TEXT_MAX];
        size_t length;

        for (uint32_t i = 0; i < count; i++) {
            parts[i] = random_demand(&state);
        }
        if (count > 1) {
            parts[0].alternatives = &parts[1];
            parts[0].alternative_count = count - 1;
        }
        length = demand_text_format(&parts[0], names, text);
        CHECK_INT(length, strlen(text));
        parts[0].alternatives = NULL;
        parts[0].alternative_count = 0;
        (void)good(text);
        CHECK_INT(options.count, count);
        if (memcmp(options.list, parts, count * sizeof parts[0]) != 0) {
            printf("\n  '%s' reads back to something else\n", text);
            CU_FAIL("round trip");
            break;
        }
    }
    workload_names_destroy(names);
}

static const struct unit_test tests[] = {
    {"words", test_words},
    {"errors", test_errors},
    {"names of a cluster", test_cluster},
    {"too many features", test_many_features},
    {"texts are parsed once", test_store},
    {"random demands read back", test_round_trip},
};

UNIT_MAIN("workload demands", tests)
