/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy.c - the energy model on cases that were computed by hand. */
#include "engine/energy.h"

#include <math.h>
#include <string.h>

#include "energy.h"
#include "unit.h"

#define SECOND HS_NS_PER_S

/* Two nodes of four cores; the first has two GPUs. */
struct fixture {
    struct hs_cluster *cluster;
    struct hs_power nodes[2], devices[2];
    struct energy *energy;
};

static struct hs_cluster *make_cluster(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, "a", 4000, HS_MEM_UNLIMITED, &error), HS_OK);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_device(cluster, "gpu", "g", HS_NO_GROUP, HS_MEM_UNLIMITED, &error),
            HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, "b", 4000, HS_MEM_UNLIMITED, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, &error), HS_OK);
    return cluster;
}

static enum hs_err create(struct fixture *fixture, double load, enum energy_attribution attribution,
                          struct hs_error *error)
{
    struct energy_options options = {fixture->cluster, fixture->nodes, fixture->devices, load,
                                     attribution,      false};

    return energy_create(&options, &fixture->energy, error);
}

static void begin(struct fixture *fixture, double load, enum energy_attribution attribution)
{
    struct hs_error error = {0};

    *fixture = (struct fixture){.cluster = make_cluster()};
    for (int i = 0; i < 2; i++) {
        fixture->nodes[i] = (struct hs_power){10, 100, NAN, 180};
        fixture->devices[i] = (struct hs_power){5, 20, 50, 250};
    }
    CU_ASSERT_EQUAL_FATAL(create(fixture, load, attribution, &error), HS_OK);
    energy_begin(fixture->energy, 0);
}

static void end(struct fixture *fixture)
{
    energy_destroy(fixture->energy);
    hs_cluster_destroy(fixture->cluster);
}

static bool is_joules(hs_int128 energy, double joules)
{
    hs_int128 expected = (hs_int128)llround(joules * 1e6) * SECOND;

    if (energy != expected) {
        (void)fprintf(stderr, "%.15g J instead of %.15g J\n", (double)energy / ENERGY_PER_JOULE,
                      joules);
    }
    return energy == expected;
}

static bool is_balanced(const struct energy *energy)
{
    struct energy_totals totals = energy_totals(energy);
    hs_int128 states = 0;
    hs_int128 units = 0;

    for (int i = 0; i < ENERGY_STATE_COUNT; i++) {
        states += totals.states[i];
    }
    for (uint32_t i = 0; i < 2; i++) {
        units += energy_of_node(energy, i) + energy_of_device(energy, i);
    }
    return states == totals.total && units == totals.total &&
           totals.jobs + totals.uncharged == totals.total;
}

/* Job 0: 2 of 4 cores of node a and 600 shares of its first GPU, from 10 s to 30 s; job 1: 1 core
 * and 200 shares of the same, from 20 s to 40 s; window: 0 to 50 s. */
static const struct hs_demand demands[] = {
    {.tasks = 2, .cores_milli = 1000, .device_count = 1, .device_share = 300},
    {.tasks = 1, .cores_milli = 1000, .device_count = 1, .device_share = 200},
};
static const struct hs_span spans[] = {{0, 1, 2}, {0, 1, 1}};
static const struct hs_device_share shares[] = {{0, 600}, {0, 200}};
static const struct hs_alloc allocs[] = {
    {.spans = &spans[0], .span_count = 1, .devices = &shares[0], .device_count = 1},
    {.spans = &spans[1], .span_count = 1, .devices = &shares[1], .device_count = 1},
};

static void run_two(struct fixture *fixture, hs_int128 charged[2])
{
    struct energy *energy = fixture->energy;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(energy_start(energy, 10 * SECOND, 5, &demands[0], &allocs[0], &error), HS_OK);
    CU_ASSERT_EQUAL(energy_start(energy, 20 * SECOND, 0, &demands[1], &allocs[1], &error), HS_OK);
    charged[0] = energy_stop(energy, 30 * SECOND, 5, &demands[0], &allocs[0]);
    charged[1] = energy_stop(energy, 40 * SECOND, 0, &demands[1], &allocs[1]);
    CU_ASSERT_EQUAL(energy_power_uw(energy), INT64_C(240000000));
    energy_settle(energy, 50 * SECOND);
    CU_ASSERT_TRUE(is_balanced(energy));
    CU_ASSERT_TRUE(energy_totals(energy).jobs == charged[0] + charged[1]);
}

/* With load 1 node a draws 100, 140, 160, 120, 100 W in the five parts of 10 s, the first GPU 20,
 * 50 + 120, 50 + 160, 50 + 40, 20 W. */
static void a_shared_device(void)
{
    struct fixture fixture;
    hs_int128 charged[2];
    struct energy_totals totals;

    begin(&fixture, 1, ENERGY_EXCLUSIVE);
    run_two(&fixture, charged);
    totals = energy_totals(fixture.energy);
    CU_ASSERT_TRUE(is_joules(energy_of_node(fixture.energy, 0), 6200));
    CU_ASSERT_TRUE(is_joules(energy_of_node(fixture.energy, 1), 5000));
    CU_ASSERT_TRUE(is_joules(energy_of_device(fixture.energy, 0), 5100));
    CU_ASSERT_TRUE(is_joules(energy_of_device(fixture.energy, 1), 1000));
    CU_ASSERT_TRUE(is_joules(totals.total, 17300));
    CU_ASSERT_TRUE(is_joules(totals.states[ENERGY_IDLE], 2000 + 5000 + 400 + 1000));
    CU_ASSERT_TRUE(is_joules(totals.states[ENERGY_CONTEXT], 3000 + 1500));
    CU_ASSERT_TRUE(is_joules(totals.states[ENERGY_BUSY], 1200 + 3200));
    /* Job 0: 1400 alone and 2/3 of 1600; 1700 alone and 3/4 of 2100. Division: see below. */
    CU_ASSERT_DOUBLE_EQUAL((double)charged[0] / ENERGY_PER_JOULE, 1400 + 3200.0 / 3 + 1700 + 1575,
                           1e-9);
    CU_ASSERT_DOUBLE_EQUAL((double)charged[1] / ENERGY_PER_JOULE, 1200 + 1600.0 / 3 + 900 + 525,
                           1e-9);
    /* Idle units, and 1.6e18 mod 3000 that three thousandths of cores cannot share. */
    CU_ASSERT_TRUE(totals.uncharged - (hs_int128)8400 * 1000000 * SECOND == 1000);
    end(&fixture);
}

/* The static power of what is not held remains nobody's: 2/4 of 100 W, 600/1000 of 50 W, ... */
static void proportional_attribution(void)
{
    struct fixture fixture;
    hs_int128 charged[2];

    begin(&fixture, 1, ENERGY_PROPORTIONAL);
    run_two(&fixture, charged);
    CU_ASSERT_TRUE(is_joules(charged[0], 20 * (50 + 40 + 30 + 120)));
    CU_ASSERT_TRUE(is_joules(charged[1], 20 * (25 + 20 + 10 + 40)));
    end(&fixture);
}

static void dynamic_attribution(void)
{
    struct fixture fixture;
    hs_int128 charged[2];

    begin(&fixture, 1, ENERGY_DYNAMIC);
    run_two(&fixture, charged);
    /* The 30 W of the context are shared 3 to 1. */
    CU_ASSERT_TRUE(is_joules(charged[0], 20 * (40 + 120) + 10 * 30 + 10 * 22.5));
    CU_ASSERT_TRUE(is_joules(charged[1], 20 * (20 + 40) + 10 * 30 + 10 * 7.5));
    end(&fixture);
}

static void half_load_and_none(void)
{
    struct fixture fixture;
    hs_int128 charged[2];

    begin(&fixture, 0.5, ENERGY_PROPORTIONAL);
    run_two(&fixture, charged);
    CU_ASSERT_TRUE(is_joules(charged[0], 20 * (50 + 20 + 30 + 60)));
    CU_ASSERT_TRUE(is_joules(energy_totals(fixture.energy).states[ENERGY_BUSY], 2200));
    end(&fixture);
    begin(&fixture, 0, ENERGY_EXCLUSIVE);
    run_two(&fixture, charged);
    CU_ASSERT_TRUE(is_joules(energy_totals(fixture.energy).states[ENERGY_BUSY], 0));
    CU_ASSERT_TRUE(is_joules(energy_totals(fixture.energy).states[ENERGY_CONTEXT], 4500));
    CU_ASSERT_TRUE(is_joules(energy_totals(fixture.energy).total, 17300 - 4400));
    end(&fixture);
}

/* A whole node: all cores work, the GPU asked for works, the other one stays idle; all are paid
 * for. */
static void an_exclusive_node(void)
{
    static const struct hs_demand demand = {.tasks = 1,
                                            .cores_milli = 1000,
                                            .device_count = 1,
                                            .device_share = 1000,
                                            .flags = HS_DEMAND_EXCLUSIVE};
    static const struct hs_device_share one = {1, 1000};
    static const struct hs_span span = {0, 2, 1};
    static const struct hs_alloc alloc = {
        .spans = &span, .span_count = 1, .devices = &one, .device_count = 1, .is_exclusive = true};

    for (int attribution = ENERGY_EXCLUSIVE; attribution <= ENERGY_DYNAMIC; attribution++) {
        struct fixture fixture;
        struct hs_error error = {0};
        hs_int128 charged;

        begin(&fixture, 1, (enum energy_attribution)attribution);
        CU_ASSERT_EQUAL(energy_start(fixture.energy, 0, 2000, &demand, &alloc, &error), HS_OK);
        CU_ASSERT_EQUAL(energy_power_uw(fixture.energy), INT64_C(630000000));
        charged = energy_stop(fixture.energy, 10 * SECOND, 2000, &demand, &alloc);
        CU_ASSERT_TRUE(is_joules(charged, attribution == ENERGY_DYNAMIC ? 1600 + 2300 : 6300));
        CU_ASSERT_TRUE(is_balanced(fixture.energy));
        end(&fixture);
    }
}

static void zero_cores_moldable_and_instants(void)
{
    static const struct hs_demand alternatives[] = {{.tasks = 1, .cores_milli = 2000}};
    static const struct hs_demand demand = {
        .tasks = 1, .device_count = 1, .alternatives = alternatives, .alternative_count = 1};
    static const struct hs_device_share whole = {0, 1000};
    static const struct hs_span span = {0, 1, 1};
    static const struct hs_alloc device = {
        .spans = &span, .span_count = 1, .devices = &whole, .device_count = 1};
    static const struct hs_alloc cores = {.spans = &span, .span_count = 1, .alternative = 1};
    struct fixture fixture;
    struct hs_error error = {0};

    begin(&fixture, 1, ENERGY_EXCLUSIVE);
    CU_ASSERT_EQUAL(energy_start(fixture.energy, SECOND, 1, &demand, &device, &error), HS_OK);
    CU_ASSERT_EQUAL(energy_power_uw(fixture.energy), INT64_C(470000000)); /* the node is idle */
    CU_ASSERT_TRUE(is_joules(energy_stop(fixture.energy, 2 * SECOND, 1, &demand, &device), 250));
    CU_ASSERT_EQUAL(energy_start(fixture.energy, 2 * SECOND, 1, &demand, &cores, &error), HS_OK);
    CU_ASSERT_TRUE(is_joules(energy_stop(fixture.energy, 3 * SECOND, 1, &demand, &cores), 140));
    CU_ASSERT_EQUAL(energy_start(fixture.energy, 3 * SECOND, 1, &demand, &cores, &error), HS_OK);
    CU_ASSERT_TRUE(is_joules(energy_stop(fixture.energy, 3 * SECOND, 1, &demand, &cores), 0));
    end(&fixture);
}

static void switched_off(void)
{
    struct fixture fixture;

    begin(&fixture, 1, ENERGY_EXCLUSIVE);
    energy_switch(fixture.energy, 10 * SECOND, 0, true);
    CU_ASSERT_EQUAL(energy_power_uw(fixture.energy), INT64_C(120000000));
    energy_switch(fixture.energy, 30 * SECOND, 0, false);
    energy_settle(fixture.energy, 40 * SECOND);
    CU_ASSERT_TRUE(is_joules(energy_totals(fixture.energy).states[ENERGY_OFF], 400));
    CU_ASSERT_TRUE(is_joules(energy_totals(fixture.energy).states[ENERGY_IDLE], 4000 + 2800));
    CU_ASSERT_TRUE(is_balanced(fixture.energy));
    end(&fixture);
}

static void impossible_powers(void)
{
    static const double wrong[] = {-1, NAN, INFINITY, 1.1e12};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct fixture fixture = {.cluster = make_cluster()};
        struct hs_error error = {0};

        fixture.devices[1].busy_w = wrong[i];
        CU_ASSERT_EQUAL(create(&fixture, 1, ENERGY_EXCLUSIVE, &error), HS_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "a device of node 'a'"));
        end(&fixture);
    }
    for (int i = 0; i < 2; i++) {
        struct fixture fixture = {.cluster = make_cluster()};
        struct hs_error error = {0};

        fixture.nodes[0].busy_w = 6e11;
        fixture.nodes[1].off_w = i ? 6e11 : 4e11;
        CU_ASSERT_EQUAL(create(&fixture, 1, ENERGY_EXCLUSIVE, &error), i ? HS_ERR_INPUT : HS_OK);
        end(&fixture);
    }
}

/* Node a leaves while a job holds half of it and a GPU, and is off once that has ended. */
static void nodes_that_are_away_are_off(void)
{
    struct fixture fixture;
    struct hs_span span = {0, 1, 2};
    struct hs_device_share device = {0, 1000};
    struct hs_alloc alloc = {
        .spans = &span, .devices = &device, .span_count = 1, .device_count = 1};
    struct hs_demand demand = {
        .tasks = 2, .cores_milli = 1000, .device_count = 1, .device_share = 1000};
    struct hs_error error = {0};
    struct energy_options options;

    begin(&fixture, 1, ENERGY_EXCLUSIVE);
    energy_destroy(fixture.energy);
    options = (struct energy_options){.cluster = fixture.cluster,
                                      .nodes = fixture.nodes,
                                      .devices = fixture.devices,
                                      .load = 1,
                                      .has_away = true};
    CU_ASSERT_EQUAL_FATAL(energy_create(&options, &fixture.energy, &error), HS_OK);
    energy_begin(fixture.energy, 0);
    CU_ASSERT_EQUAL(energy_start(fixture.energy, 0, 0, &demand, &alloc, &error), HS_OK);
    energy_set_available(fixture.energy, 10 * SECOND, 0, false); /* it drains */
    (void)energy_stop(fixture.energy, 20 * SECOND, 0, &demand, &alloc);
    energy_set_available(fixture.energy, 20 * SECOND, 1, false); /* nobody is on it */
    energy_set_available(fixture.energy, 30 * SECOND, 0, true);
    energy_set_available(fixture.energy, 40 * SECOND, 0, false);
    /* A start that was decided before it left. */
    CU_ASSERT_EQUAL(energy_start(fixture.energy, 50 * SECOND, 0, &demand, &alloc, &error), HS_OK);
    (void)energy_stop(fixture.energy, 55 * SECOND, 0, &demand, &alloc);
    energy_settle(fixture.energy, 60 * SECOND);
    /* Node a: 140 W (100 idle, 80 more at full use) held, 100 W idle, 10 W off. */
    CU_ASSERT_TRUE(
        is_joules(energy_of_node(fixture.energy, 0), 25 * 140 + 10 * 100 + (10 + 10 + 5) * 10));
    CU_ASSERT_TRUE(
        is_joules(energy_of_device(fixture.energy, 0), 25 * 250 + 10 * 20 + (10 + 10 + 5) * 5));
    CU_ASSERT_TRUE(
        is_joules(energy_of_device(fixture.energy, 1), (25 + 10) * 20 + (10 + 10 + 5) * 5));
    CU_ASSERT_TRUE(is_joules(energy_of_node(fixture.energy, 1), 20 * 100 + 40 * 10));
    CU_ASSERT_TRUE(is_balanced(fixture.energy));
    end(&fixture);
}

static const struct unit_test tests[] = {
    {"nodes that are away are off", nodes_that_are_away_are_off},
    {"a device shared by two jobs", a_shared_device},
    {"proportional attribution", proportional_attribution},
    {"attribution of the dynamic power", dynamic_attribution},
    {"half load, and none", half_load_and_none},
    {"an exclusive node", an_exclusive_node},
    {"no cores, alternatives, no time", zero_cores_moldable_and_instants},
    {"a node that is switched off", switched_off},
    {"impossible powers", impossible_powers},
    {"equals a plain integration", energy_equals_plain_integration},
};

UNIT_MAIN("engine: energy", tests)
