/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - the rows of sweeps against tables made by hand. */
#include "plan_fixture.h"

#include "run/run_key.h"

static void test_order(void)
{
    static const char *const table[] = {
        "0.5 0s easy 7.0",  "0.5 0s easy 8.1",  "0.5 0s sjf-easy 7.0",  "0.5 0s sjf-easy 8.1",
        "0.5 1m easy 7.0",  "0.5 1m easy 8.1",  "0.5 1m sjf-easy 7.0",  "0.5 1m sjf-easy 8.1",
        "0.90 0s easy 7.0", "0.90 0s easy 8.1", "0.90 0s sjf-easy 7.0", "0.90 0s sjf-easy 8.1",
        "0.90 1m easy 7.0", "0.90 1m easy 8.1", "0.90 1m sjf-easy 7.0", "0.90 1m sjf-easy 8.1",
    };
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    struct plan_fixture fixture;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD "seed: 7\npolicies: [easy, sjf-easy]\nsweep:\n"
                                     "  axes:\n    workload.load: [0.5, 0.90]\n"
                                     "    scheduler.interval: [0s, 1m]\n  replications: 2\n")) {
        CHECK_ROWS(fixture.plan, table);
        CHECK(sweep_plan_axes(fixture.plan, &axes) == 2);
        check_text(axes[0].key, "workload.load");
        check_text(axes[0].unit, "");
        check_text(axes[1].unit, "s");
        CHECK(axes[0].type == SWEEP_REAL && axes[1].type == SWEEP_REAL);
        CHECK(!axes[0].is_policy && !axes[1].is_policy);
        (void)sweep_plan_rows(fixture.plan, &rows);
        CHECK(rows[15].values[0].real == 0.9 && rows[15].values[1].real == 60);
        /* Equal situations are what policies are compared in; each run is one of its own. */
        check_text(row_situation(fixture.plan, 2), row_situation(fixture.plan, 0));
        for (size_t i = 1; i < 16; i++) {
            for (size_t k = 0; k < i; k++) {
                CHECK(strcmp(rows[i].key, rows[k].key) != 0);
                CHECK((strcmp(rows[i].situation, rows[k].situation) == 0) ==
                      (i / 4 == k / 4 && i % 2 == k % 2));
            }
        }
    }
    plan_leave(&fixture);
}

static void check_range(const char *axis, const char *const *texts, const double *numbers,
                        size_t count, enum sweep_type type, const char *unit)
{
    struct plan_fixture fixture;
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    char text[512];

    plan_enter(&fixture);
    (void)snprintf(text, sizeof text, HEAD "policy: depth\nsweep:\n  axes:\n    %s\n", axis);
    if (plan_is_valid(&fixture, text)) {
        CHECK(sweep_plan_axes(fixture.plan, &axes) == 1);
        CHECK(axes[0].type == type);
        check_text(axes[0].unit, unit);
        CHECK(sweep_plan_rows(fixture.plan, &rows) == count);
        for (size_t i = 0; i < count && i < sweep_plan_rows(fixture.plan, &rows); i++) {
            check_text(rows[i].values[0].text, texts[i]);
            CHECK(rows[i].values[0].real == numbers[i]);
            CHECK(type != SWEEP_INT || *unit ||
                  rows[i].values[0].integer == strtoll(texts[i], NULL, 10));
            CHECK(type != SWEEP_INT || !*unit || rows[i].values[0].integer == (int64_t)numbers[i]);
        }
    }
    plan_leave(&fixture);
}

static void test_ranges(void)
{
    static const char *const loads[] = {"0.5",  "0.55", "0.6",  "0.65", "0.7",
                                        "0.75", "0.8",  "0.85", "0.9",  "0.950"};
    static const double load_numbers[] = {0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
    static const char *const thirds[] = {"1", "1.33333333333", "1.66666666667", "2"};
    static const double third_numbers[] = {1, 1.33333333333, 1.66666666667, 2};
    static const char *const nodes[] = {"1", "10", "100", "1000", "10000"};
    static const double node_numbers[] = {1, 10, 100, 1000, 10000};
    static const char *const downs[] = {"9", "6", "3"};
    static const double down_numbers[] = {9, 6, 3};
    static const char *const times[] = {"1s", "3162277660ns", "10s"};
    static const double time_numbers[] = {1, 3.162277660, 10};
    static const char *const sizes[] = {"1GiB", "2GiB", "4GiB"};
    static const double size_numbers[] = {1073741824, 2147483648, 4294967296};
    static const char *const seeds[] = {"1", "4611686018427387904", "9223372036854775807"};
    static const double seed_numbers[] = {1, 4611686018427387904, 9223372036854775807.0};

    check_range("workload.load: {from: 0.5, to: 0.950, count: 10}", loads, load_numbers, 10,
                SWEEP_REAL, "");
    check_range("workload.load: {from: 1, to: 2, count: 4, scale: lin}", thirds, third_numbers, 4,
                SWEEP_REAL, "");
    check_range("platform.nodes: {from: 1, to: 10000, count: 5, scale: log}", nodes, node_numbers,
                5, SWEEP_INT, "");
    check_range("policy.k: {from: 9, to: 3, count: 3}", downs, down_numbers, 3, SWEEP_INT, "");
    check_range("scheduler.interval: {from: 1s, to: 10s, count: 3, scale: log}", times,
                time_numbers, 3, SWEEP_REAL, "s");
    check_range("platform.memory: {from: 1GiB, to: 4GiB, count: 3, scale: log}", sizes,
                size_numbers, 3, SWEEP_INT, "B");
    /* Exact beyond the digits of a double. */
    check_range("seed: {from: 1, to: 9223372036854775807, count: 3}", seeds, seed_numbers, 3,
                SWEEP_INT, "");
}

static void test_zip(void)
{
    static const char *const table[] = {"1000 64 a 0s easy 1.0", "1000 64 a 5s easy 1.0",
                                        "5000 128 b 0s easy 1.0", "5000 128 b 5s easy 1.0"};
    struct plan_fixture fixture;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD
                      "policy: easy\nsweep:\n  zip:\n"
                      "    - {workload.generate.jobs: [1000, 5000], platform.nodes: [64, 128],\n"
                      "       speeds.default: [a, b]}\n  axes: {scheduler.latency: [0s, 5s]}\n")) {
        CHECK_ROWS(fixture.plan, table);
    }
    plan_leave(&fixture);
}

static void test_cases(void)
{
    static const char *const table[] = {
        "0.5 0s sjf 1.0",  "0.5 0s sjf 2.1",  "0.5 1m easy 1.0",        "0.5 1m easy 2.1",
        "0.5 1m sjf 1.0",  "0.5 1m sjf 2.1",  "0.7 0s easy 1.0",        "0.7 0s easy 2.1",
        "0.7 0s sjf 1.0",  "0.7 0s sjf 2.1",  "1.2 - easy 1.0",         "1.2 - easy 2.1",
        "- 2m easy 1.0",   "- 2m easy 2.1",   "- 2m sjf 1.0",           "- 2m sjf 2.1",
        "1.3 - depth 1.0", "1.3 - depth 2.1", "1.3 - conservative 1.0", "1.3 - conservative 2.1"};
    struct plan_fixture fixture;
    const struct sweep_row *rows;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture,
                      HEAD "policies: [easy, {name: sjf-easy, label: sjf}]\nsweep:\n"
                           "  axes: {workload.load: [0.5, 0.7], scheduler.interval: [0s, 1m]}\n"
                           "  exclude:\n"
                           "    - {workload.load: 0.70, scheduler.interval: 60}\n"
                           "    - {workload.load: 0.5, policy: easy, scheduler.interval: 0s}\n"
                           "  include:\n"
                           "    - {workload.load: 1.2, policy: easy}\n"
                           "    - {scheduler.interval: 2m}\n"
                           "    - {workload.load: 1.3, policy: {name: depth, k: 3}}\n"
                           "    - {workload.load: 1.3, policy: conservative}\n"
                           "  replications: 2\n")) {
        CHECK_ROWS(fixture.plan, table);
        (void)sweep_plan_rows(fixture.plan, &rows);
        CHECK(rows[10].values[0].real == 1.2 && isnan(rows[10].values[1].real));
    }
    plan_leave(&fixture);
}

/* Cases that overlap each concern what they match; a name means all policies of that name. */
static void test_overlaps(void)
{
    static const char *const table[] = {"1 a 1.0", "1 b 1.0", "2 easy 1.0",
                                        "3 a 1.0", "3 b 1.0", "4 b 1.0"};
    struct plan_fixture fixture;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD
                      "policies: [{name: depth, k: 1, label: a}, {name: depth, k: 2, label: b},"
                      " easy]\nsweep:\n  axes: {workload.load: [1, 2, 5]}\n"
                      "  exclude: [{workload.load: 5}, {workload.load: 5, policy: a},\n"
                      "    {workload.load: 5}, {workload.load: 1, policy: easy},\n"
                      "    {workload.load: 2, policy: depth}, {policy: b, workload.load: 2}]\n"
                      "  include: [{workload.load: 3, policy: depth},\n"
                      "    {workload.load: 4, policy: b}]\n")) {
        CHECK_ROWS(fixture.plan, table);
    }
    plan_leave(&fixture);
}

/* Rows of one key are one run, and stay two rows. */
static void test_equal_rows(void)
{
    struct plan_fixture fixture;
    const struct sweep_row *rows;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD "policy: easy\nsweep:\n  axes: {workload.load: [0.5]}\n"
                                     "  include: [{workload.load: 0.5}]\n")) {
        CHECK(sweep_plan_rows(fixture.plan, &rows) == 2);
        check_text(rows[1].key, rows[0].key);
    }
    plan_leave(&fixture);
}

static void test_policies(void)
{
    static const char *const depths[] = {"1 depth:k=1 1.0", "2 depth:k=2 1.0", "- easy 1.0"};
    static const char *const lists[] = {"fcfs fcfs 1.0", "[easy, sjf] easy 1.0",
                                        "[easy, sjf] sjf 1.0"};
    const struct sweep_axis *axes;
    struct plan_fixture fixture;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD "policies: [easy, depth]\nsweep:\n"
                                     "  axes: {policy.k: [1, 2]}\n"
                                     "  exclude: [{policy: easy}]\n"
                                     "  include: [{policy: easy}]\n")) {
        CHECK_ROWS(fixture.plan, depths);
        CHECK(sweep_plan_axes(fixture.plan, &axes) == 1);
        CHECK(axes[0].is_policy && axes[0].type == SWEEP_INT);
        check_text(row_situation(fixture.plan, 0), row_situation(fixture.plan, 2));
    }
    plan_drop(&fixture);
    if (plan_is_valid(&fixture, HEAD "policy: easy\nsweep:\n"
                                     "  axes: {policies: [fcfs, [easy, sjf]]}\n")) {
        CHECK_ROWS(fixture.plan, lists);
    }
    plan_leave(&fixture);
}

/* An order for each of several policies; a short form and its own key; platforms as a whole. */
static void test_maps(void)
{
    static const char *const orders[] = {"sjf sjf-easy 1.0", "sjf sjf-depth 1.0", "f1 f1-easy 1.0",
                                         "f1 f1-depth 1.0"};
    static const char *const platforms[] = {"{nodes: 8, cores: 2} 4 easy 1.0",
                                            "{nodes: 8, cores: 2} 5 easy 1.0",
                                            "{nodes: 9} 4 easy 1.0", "{nodes: 9} 5 easy 1.0"};
    struct plan_fixture fixture;
    struct experiment experiment;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD "policies: [easy, {name: depth}]\nsweep:\n"
                                     "  axes: {policy.order: [sjf, f1]}\n")) {
        CHECK_ROWS(fixture.plan, orders);
    }
    plan_drop(&fixture);
    /* The experiment has no platform of its own, and a map comes before what stands in it. */
    if (plan_is_valid(&fixture, "hsim: 1\nworkload: {generate: {jobs: 5}}\npolicy: easy\nsweep:\n"
                                "  axes: {platform: [{nodes: 8, cores: 2}, {nodes: 9}],\n"
                                "         platform.cores: [4, 5]}\n")) {
        CHECK_ROWS(fixture.plan, platforms);
        CHECK(sweep_plan_experiment(fixture.plan, 3, &experiment, &fixture.error) == HS_OK);
        CHECK(experiment.platform.nodes == 9 && experiment.platform.cores == 5);
        experiment_fini(&experiment);
    }
    plan_leave(&fixture);
}

/* The experiment of a row holds its values, and a run of it by itself has the key of the row. */
static void test_experiments(void)
{
    struct plan_fixture fixture;
    const struct sweep_row *rows;
    struct run_digests *digests = run_digests_create(NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(digests);
    plan_enter(&fixture);
    write_file("w.swf", "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n");
    if (plan_is_valid(&fixture, "hsim: 1\nplatform: {nodes: 4}\nworkload: {file: w.swf, load: 2}\n"
                                "name: study\npolicies: [easy, {name: depth, k: 3}]\nsweep:\n"
                                "  axes: {workload.load: [0.5, 0.7]}\n  replications: 3\n")) {
        check_text(sweep_plan_base(fixture.plan)->name, "study");
        CHECK(sweep_plan_base(fixture.plan)->policy_count == 2);
        CHECK(sweep_plan_rows(fixture.plan, &rows) == 12);
        for (size_t i = 0; i < 12; i++) {
            struct experiment experiment;
            struct run_basis basis;
            struct run_key key;

            CHECK(sweep_plan_experiment(fixture.plan, i, &experiment, &fixture.error) == HS_OK);
            CHECK(experiment.workload.load == (i < 6 ? 0.5 : 0.7));
            CHECK(experiment.seed == 1 + i % 3 && experiment.policy_count == 1);
            check_text(experiment.policies[0].name, i % 6 < 3 ? "easy" : "depth");
            check_text(experiment.policies[0].label, rows[i].policy);
            CHECK(run_basis_init(&basis, &experiment, digests, &fixture.error) == HS_OK);
            CHECK(run_key_make(&basis, &experiment, 0, experiment.seed, &key, &fixture.error) ==
                  HS_OK);
            check_text(key.key, rows[i].key);
            check_text(key.situation, rows[i].situation);
            experiment_fini(&experiment);
        }
    }
    run_digests_destroy(digests);
    plan_leave(&fixture);
}

static void test_overrides(void)
{
    static const char *const table[] = {"2 fcfs 1.0", "2 fcfs 2.1"};
    static const char *const sets[] = {"sweep.axes={workload.load: [2]}", "policies=fcfs",
                                       "sweep.replications=2"};
    struct plan_fixture fixture;

    plan_enter(&fixture);
    plan_create(&fixture, HEAD "policies: [easy, sjf]", sets, 3);
    CHECK(fixture.result == HS_OK);
    if (fixture.result == HS_OK) {
        CHECK_ROWS(fixture.plan, table);
        check_text(sweep_plan_config(fixture.plan),
                   HEAD "policies: [easy, sjf]\n# --set sweep.axes={workload.load: [2]}\n"
                        "# --set policies=fcfs\n# --set sweep.replications=2\n");
    }
    plan_leave(&fixture);
}

static void test_no_sweep(void)
{
    static const char *const table[] = {"easy 1.0", "sjf 1.0"};
    struct plan_fixture fixture;
    const struct sweep_axis *axes;

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD "policies: [easy, sjf]\n")) {
        CHECK_ROWS(fixture.plan, table);
        CHECK(sweep_plan_axes(fixture.plan, &axes) == 0);
        check_text(sweep_plan_config(fixture.plan), HEAD "policies: [easy, sjf]\n");
        CHECK(!sweep_plan_is_due("e.yaml", NULL, 0));
    }
    write_file("e.yaml", HEAD "policy: easy\nsweep: {replications: 2}\n");
    CHECK(sweep_plan_is_due("e.yaml", NULL, 0));
    CHECK(!sweep_plan_is_due("e.yaml", &(struct experiment_override){"sweep=null"}, 1));
    CHECK(!sweep_plan_is_due("missing.yaml", NULL, 0));
    plan_leave(&fixture);
}

/* Inputs that are not there: the plan can be checked, but has no keys. */
static void test_check(void)
{
    static const char *const table[] = {"a.swf mine 1.0", "b.swf mine 1.0"};
    struct plan_fixture fixture;

    plan_enter(&fixture);
    plan_create(&fixture,
                "hsim: 1\nplatform: {nodes: 4}\nworkload: a\npolicy: mine\nplugins: [none.so]\n"
                "sweep: {axes: {workload.file: [a.swf, b.swf]}}\n",
                NULL, 0);
    CHECK(fixture.result == HS_ERR_INPUT || fixture.result == HS_ERR_CONFIG);
    plan_drop(&fixture);
    CHECK(sweep_plan_check("e.yaml", NULL, 0, &fixture.plan, &fixture.report, &fixture.error) ==
          HS_OK);
    if (fixture.plan) {
        CHECK_ROWS(fixture.plan, table);
        check_text(row_key(fixture.plan, 0), "");
    }
    plan_leave(&fixture);
}

static const struct unit_test tests[] = {
    {"the order of rows", test_order},
    {"ranges", test_ranges},
    {"zip", test_zip},
    {"exclude and include", test_cases},
    {"cases that overlap", test_overlaps},
    {"equal rows", test_equal_rows},
    {"axes of policies", test_policies},
    {"axes of whole maps", test_maps},
    {"experiments of rows", test_experiments},
    {"--set", test_overrides},
    {"without a sweep", test_no_sweep},
    {"without inputs", test_check},
};

UNIT_MAIN("sweep plan", tests)
