/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override.c - --set changes the tree as if the file had said so. */
#include "fixture.h"

static void load_set(struct fixture *fixture, const char *text, const char *one, const char *other)
{
    const struct experiment_override overrides[] = {{one}, {other}};

    fixture_load_bytes(fixture, text, strlen(text), overrides, other ? 2 : 1);
}

static bool is_set(struct fixture *fixture, const char *text, const char *one, const char *other)
{
    load_set(fixture, text, one, other);
    if (fixture->result != HS_OK) {
        printf("\nunexpected problem: %s\n", fixture->report ? fixture->report : "(none)");
    }
    CHECK(fixture->result == HS_OK);
    return fixture->result == HS_OK;
}

static void test_values(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (is_set(&fixture, FOUR, "seed=7", "seed=8")) {
        CHECK(e->seed == 8);
    }
    fixture_fini(&fixture);
    if (is_set(&fixture, FOUR, "workload.filter.users=[1, 2]", "measure={warmup: 1h}")) {
        CHECK(e->workload.filter.user_count == 2 && e->workload.filter.users[1] == 2);
        CHECK(e->warmup_ns == 3600 * HS_NS_PER_S);
        check_text(e->workload.file, "dir/w.swf");
    }
    fixture_fini(&fixture);
    if (is_set(&fixture, FOUR "scheduler: {latency: 2}\n", "scheduler.interval=30s", "name=x=y")) {
        CHECK(e->interval_ns == 30 * HS_NS_PER_S && e->latency_ns == 2 * HS_NS_PER_S);
        check_text(e->name, "x=y");
    }
    fixture_fini(&fixture);
    /* It may give what the file lacks. */
    if (is_set(&fixture, HEAD "workload: w.swf\n", "policy=fcfs", NULL)) {
        check_text(e->policies[0].name, "fcfs");
        CHECK(e->policies[0].line == 0 && e->policies[0].column == 0);
    }
    fixture_fini(&fixture);
}

static void test_replacing(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (is_set(&fixture, HEAD "workload: w.swf\npolicies: [fcfs, easy]\n", "policy=sjf", NULL)) {
        CHECK(e->policy_count == 1);
        check_text(e->policies[0].name, "sjf");
    }
    fixture_fini(&fixture);
    if (is_set(&fixture, FOUR, "policies=[fcfs, {name: easy, order: f1}]", NULL)) {
        CHECK(e->policy_count == 2);
        check_text(e->policies[1].order, "f1");
    }
    fixture_fini(&fixture);
    if (is_set(&fixture, FOUR, "workload.generate.jobs=5", "platform.file=p.xml")) {
        CHECK(e->workload.is_generated && !e->workload.file && e->workload.lublin.jobs == 5);
        check_text(e->platform.file, "dir/p.xml");
        CHECK(e->platform.nodes == 0);
    }
    fixture_fini(&fixture);
    if (is_set(&fixture,
               "hsim: 1\nplatform: {nodes: 4, cores: 2, memory: 1GB}\n"
               "workload: w.swf\npolicy: easy\n",
               "platform.file=/p.xml", NULL)) {
        check_text(e->platform.file, "/p.xml");
    }
    fixture_fini(&fixture);
}

static void test_policy_parameters(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (is_set(&fixture, FOUR, "policy.k=5", "policy.order=sjf")) {
        check_text(e->policies[0].name, "easy");
        check_text(e->policies[0].order, "sjf");
        CHECK(e->policies[0].param_count == 1);
        check_text(e->policies[0].params[0].name, "k");
        check_text(e->policies[0].params[0].value, "5");
    }
    fixture_fini(&fixture);
    if (is_set(&fixture, HEAD "workload: w.swf\npolicy: {name: easy, k: 1, l: 2}\n", "policy.k=9",
               NULL)) {
        CHECK(e->policies[0].param_count == 2);
        check_text(e->policies[0].params[0].value, "9");
        check_text(e->policies[0].params[1].value, "2");
    }
    fixture_fini(&fixture);
}

/* A map that stands in two places by an alias is changed in one only. */
static void test_alias(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (is_set(&fixture, "hsim: 1\nplatform: &p {file: x}\nworkload: *p\npolicy: easy\n",
               "workload.head=3", "platform.file=y")) {
        check_text(e->workload.file, "dir/x");
        check_text(e->platform.file, "dir/y");
        CHECK(e->workload.head == 3);
    }
    fixture_fini(&fixture);
}

static void test_problems(void)
{
    static const struct {
        const char *set, *report;
    } cases[] = {
        {"foo", "--set 'foo': A --set is KEY=VALUE. Write for instance --set 'policy=easy' or "
                "--set 'workload.load=0.8'."},
        {"=1", "--set '=1': A --set is KEY=VALUE. Write for instance --set 'policy=easy' or --set "
               "'workload.load=0.8'."},
        {"sed=1", "--set 'sed=1': Unknown key 'sed'. Did you mean 'seed'?"},
        {"workload.lod=1",
         "--set 'workload.lod=1': Unknown key 'lod' in 'workload'. Did you mean 'load'?"},
        {"seed=", "--set 'seed=': 'seed' has no value. Write for instance `seed: 42`."},
        {"seed=x", "--set 'seed=x': 'seed' is 'x', but allowed is an integer without unit, point "
                   "or exponent. Write for instance `seed: 42`."},
        {"seed=[1", "--set 'seed=[1': A '[' is not closed. Separate its entries by commas and end "
                    "it with ']'. What it belongs to begins at line 1."},
        {"seed.a=1", "--set 'seed.a=1': 'seed' has no keys below it, so 'a' cannot be set. Set "
                     "'seed' itself."},
        {"policy.a.b=1", "--set 'policy.a.b=1': 'a' has no keys below it, so 'b' cannot be set. "
                         "Set 'a' itself."},
        {"a.b.c.d.e.f.g.h.i.j=1",
         "--set 'a.b.c.d.e.f.g.h.i.j=1': Unknown key 'a'. Allowed here: "
         "hsim, name, seed, clairvoyant, platform, workload, policy, "
         "policies, plugins, scheduler, speeds, energy, metrics, measure, output, "
         "sweep."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture;

        load_set(&fixture, FOUR, cases[i].set, NULL);
        CHECK(fixture.result == HS_ERR_CONFIG);
        check_text(fixture.report, cases[i].report);
        fixture_fini(&fixture);
    }
}

/* Problems of the file come first, then those of each --set, in order. */
static void test_order_of_problems(void)
{
    struct fixture fixture;

    load_set(&fixture, FOUR "sed: 3\n", "polcy=1", "seed=-1");
    check_text(fixture.report, "dir/e.yaml:5:1: Unknown key 'sed'. Did you mean 'seed'?\n"
                               "--set 'polcy=1': Unknown key 'polcy'. Did you mean 'policy'?\n"
                               "--set 'seed=-1': 'seed' is '-1', but allowed is at least 0. Write "
                               "for instance `seed: 42`.");
    fixture_fini(&fixture);
    load_set(&fixture, HEAD "workload: w.swf\npolicies: [fcfs]\n", "policy.k=1", NULL);
    check_text(fixture.report,
               "--set 'policy.k=1': The experiment has 'policies', not 'policy', so it is not "
               "clear which one to change. Set the whole: --set 'policies=[...]', or --set "
               "'policy={name: easy}'.");
    fixture_fini(&fixture);
    /* What the file has wrong stays wrong. */
    load_set(&fixture, FOUR "scheduler: 5\n", "scheduler.interval=1s", NULL);
    check_text(fixture.report, "dir/e.yaml:5:12: 'scheduler' takes a map, not a single value. "
                               "Write for instance `scheduler: {interval: 30s}`.");
    fixture_fini(&fixture);
}

static const struct unit_test tests[] = {
    {"values, lists and maps", test_values},
    {"one of several keys replaces the others", test_replacing},
    {"parameters of a policy", test_policy_parameters},
    {"aliases are not changed elsewhere", test_alias},
    {"problems name the --set", test_problems},
    {"problems are in order", test_order_of_problems},
};

UNIT_MAIN("experiment override", tests)
