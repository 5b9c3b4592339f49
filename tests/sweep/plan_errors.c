/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_errors.c - sweeps that are wrong: every sentence, with its place. */
#include "plan_fixture.h"

#define BASE HEAD "policies: [easy, {name: depth}]\nsweep:\n"

/* The block in the sweep, from line 6 on; and the whole report. */
struct wrong {
    const char *block, *report;
};

static void check_wrong(const struct wrong *cases, size_t count)
{
    struct plan_fixture fixture;

    plan_enter(&fixture);
    for (size_t i = 0; i < count; i++) {
        char text[1024];

        (void)snprintf(text, sizeof text, BASE "%s", cases[i].block);
        plan_create(&fixture, text, NULL, 0);
        CHECK(fixture.result == HS_ERR_CONFIG);
        CHECK(fixture.plan == NULL);
        check_text(fixture.report, cases[i].report);
        CHECK(fixture.report &&
              strncmp(fixture.error.text, fixture.report, strlen(fixture.error.text)) == 0);
        plan_drop(&fixture);
    }
    plan_leave(&fixture);
}

#define CHECK_WRONG(cases) check_wrong(cases, sizeof(cases) / sizeof(cases)[0])

static void test_axes(void)
{
    static const struct wrong cases[] = {
        {"  axes: {workload.lod: [1, 2]}\n",
         "e.yaml:6:10: Unknown key 'lod' in 'workload'. Did you mean 'load'?"},
        {"  axes: {load: [1, 2]}\n",
         "e.yaml:6:10: Unknown key 'load'. Its place is 'workload.load': did you mean that?"},
        {"  axes: {workload.load: [1, x, 200]}\n",
         "e.yaml:6:29: 'workload.load' is 'x', but allowed is a decimal number without unit. Write "
         "for instance `load: 0.8`.\n"
         "e.yaml:6:32: 'workload.load' is '200', but allowed is 0 to 100. Write for instance "
         "`load: 0.8`."},
        {"  axes: {workload.load: []}\n",
         "e.yaml:6:25: The list of values of 'workload.load' is empty. Write at least one, or "
         "remove the axis."},
        {"  axes: {workload.load: 0.5}\n",
         "e.yaml:6:25: An axis is a list of values, or a range, but 'workload.load' has a single "
         "value. Write `workload.load: [0.5]`, or set the key itself."},
        {"  axes: [workload.load]\n",
         "e.yaml:6:9: 'sweep.axes' takes keys of the experiment with their values. Write for "
         "instance `axes: {workload.load: {from: 0.5, to: 0.95, count: 10}}`."},
        {"  axs: {workload.load: [0.5]}\n",
         "e.yaml:6:3: Unknown key 'axs' in 'sweep'. Did you mean 'axes'?"},
        {"  axes: {workload.load: [0.5, 0.50]}\n",
         "e.yaml:6:31: 'workload.load' has the value 0.50 twice, and its runs would count twice. "
         "Remove one of them."},
        {"  axes: {name: [a, b]}\n",
         "e.yaml:6:10: 'name' is no axis: the result of a run does not depend on it. Set it for "
         "the whole experiment."},
        {"  axes: {policy: [fcfs], policies: [easy]}\n",
         "e.yaml:6:26: 'policies' and 'policy' exclude each other, so that they cannot both be "
         "axes. Remove one of them."},
        {"  axes: {platform.file: [a], platform.nodes: [1]}\n",
         "e.yaml:6:30: 'platform.nodes' and 'platform.file' exclude each other, so that they "
         "cannot both be axes. Remove one of them."},
        {"  axes: {speeds.class_map.number: [1]}\n",
         "e.yaml:6:10: 'class_map' has no keys below it, so 'number' cannot be set. Set "
         "'class_map' itself."},
        {"  axes: {workload: [{generate: {jobz: 5}}]}\n",
         "e.yaml:6:33: Unknown key 'jobz' in 'workload.generate'. Did you mean 'jobs'?"},
        {"  replications: 0\n",
         "e.yaml:6:17: 'sweep.replications' is '0', but allowed is 1 to 1000000. Write for "
         "instance `replications: 10`."},
        {"  - axes\n", "e.yaml:6:3: 'sweep' takes a map, not a list. Write for instance `sweep: "
                       "{axes: {workload.load: [0.5, 0.7, 0.9]}, replications: 5}`."},
    };

    CHECK_WRONG(cases);
}

static void test_zip(void)
{
    static const struct wrong cases[] = {
        {"  zip:\n    - {workload.load: [0.5, 0.6], platform.nodes: [1, 2, 3]}\n",
         "e.yaml:7:7: The values of a zip go together, but 'workload.load' has 2 of them and "
         "'platform.nodes' has 3. Make them equally many."},
        {"  zip: {workload.load: [1], platform.nodes: [1]}\n",
         "e.yaml:6:8: 'sweep.zip' takes a list of maps of axes. Write for instance `zip: "
         "[{workload.generate.jobs: [1000, 5000], platform.nodes: [64, 128]}]`."},
        {"  zip: [{workload.load: [1]}]\n",
         "e.yaml:6:9: A zip is of at least two keys whose values go together; a single key "
         "belongs under `axes`."},
        {"  axes: {seed: [1]}\n  zip: [{workload.load: [1], seed: [2]}]\n",
         "e.yaml:7:30: 'seed' is an axis already. Put all its values into one."},
    };

    CHECK_WRONG(cases);
}

static void test_ranges(void)
{
    static const struct wrong cases[] = {
        {"  axes: {workload.load: {from: 0.5, to: 1, count: 1}}\n",
         "e.yaml:6:51: The 'count' of a range is the number of its values with both ends, an "
         "integer of at least 2. For a single value write a list, or set 'workload.load' itself."},
        {"  axes: {workload.load: {from: 0, to: 1, count: 3, scale: log}}\n",
         "e.yaml:6:32: A range with `scale: log` is of values above 0, but 'from' is 0. Raise it, "
         "or write `scale: lin`."},
        {"  axes: {policy.k: {from: -1, to: 0, count: 3, scale: log}}\n",
         "e.yaml:6:27: A range with `scale: log` is of values above 0, but 'from' is -1. Raise "
         "it, or write `scale: lin`.\n"
         "e.yaml:6:35: A range with `scale: log` is of values above 0, but 'to' is 0. Raise it, "
         "or write `scale: lin`."},
        {"  axes: {workload.load: {from: 0.1, to: 1, count: 3, scale: lg}}\n",
         "e.yaml:6:61: The 'scale' of a range is lin (equal steps) or log (equal ratios)."},
        {"  axes: {workload.load: {from: 0.1, counts: 3}}\n",
         "e.yaml:6:25: The range of 'workload.load' has no 'to'. Write for instance `{from: 0.5, "
         "to: 0.95, count: 10}`.\n"
         "e.yaml:6:25: The range of 'workload.load' has no 'count'. Write for instance `{from: "
         "0.5, to: 0.95, count: 10}`.\n"
         "e.yaml:6:37: A range has the keys from, to, count and scale, but 'counts' is none of "
         "them. Did you mean 'count'?"},
        {"  axes: {platform.nodes: {from: 1, to: 10, count: 5}}\n",
         "e.yaml:6:26: 'platform.nodes' takes whole numbers, but value 2 of this range of 5 is "
         "3.25. Choose another count, or write a list."},
        {"  axes: {platform.nodes: {from: 1, to: 1000, count: 3, scale: log}}\n",
         "e.yaml:6:26: 'platform.nodes' takes whole numbers, but value 2 of this range of 3 is "
         "31.6227766017. Choose another count, or write a list."},
        {"  axes: {platform.memory: {from: 1B, to: 2B, count: 3}}\n",
         "e.yaml:6:27: 'platform.memory' takes whole numbers of bytes, but value 2 of this range "
         "of 3 is 1.5. Choose another count, or write a list."},
        {"  axes: {workload.load: {from: 1, to: 101, count: 3}}\n",
         "e.yaml:6:39: 'workload.load' is '101', but allowed is 0 to 100. Write for instance "
         "`load: 0.8`."},
        {"  axes: {scheduler.allocation: {from: 1, to: 10, count: 5}}\n",
         "e.yaml:6:32: 'scheduler.allocation' takes a choice, which has no range. Write a list of "
         "its values, for instance `scheduler.allocation: [nodes]`."},
    };

    CHECK_WRONG(cases);
}

static void test_cases(void)
{
    static const struct wrong cases[] = {
        {"  axes: {workload.load: [0.5, 0.6]}\n  exclude: [{workload.lod: 0.5}]\n",
         "e.yaml:7:14: 'workload.lod' in `exclude` is no axis of this sweep, nor `policy`. Did you "
         "mean 'workload.load'?"},
        {"  axes: {workload.load: [0.5, 0.6]}\n  exclude: [{workload.load: 0.55}]\n",
         "e.yaml:7:29: 'workload.load' is never 0.55 in this sweep, so that nothing is excluded. "
         "Its values are 0.5, 0.6."},
        {"  axes: {workload.load: [0.5, 0.6]}\n  exclude: [{workload.load: 0.5, policy: esy}]\n",
         "e.yaml:7:13: This entry of `exclude` matches no run of that policy. Correct or remove "
         "it. Did you mean 'easy'?"},
        {"  exclude: [{policy: easy}, {policy: depth}]\n",
         "e.yaml:5:1: All runs of this sweep are excluded. Remove an entry of `exclude`."},
        {"  axes: {seed: [1, 2]}\n  exclude: [{}]\n",
         "e.yaml:7:13: An entry of `exclude` is a map of axes, each with one value. Write for "
         "instance `- {seed: 1}`."},
        {"  exclude: {policy: easy}\n",
         "e.yaml:6:12: 'sweep.exclude' takes a list of maps. Write for instance `exclude: "
         "[{workload.load: 0.95, policy: fcfs}]`."},
        {"  include: [{platform.nodes: 3}]\n",
         "e.yaml:6:14: 'platform.nodes' in `include` is no axis of this sweep, nor `policy`. Make "
         "it an axis, or remove it."},
        {"  exclude: [{policy: {name: easy}}]\n",
         "e.yaml:6:22: 'policy' in `exclude` is the label or the name of a policy, a single value. "
         "Write for instance `policy: easy`."},
        {"  include: [{policy: esy}]\n",
         "e.yaml:6:22: There is no policy 'esy'; did you mean 'easy'?"},
        {"  axes: {seed: [1, 2]}\n  include: [{seed: x}]\n",
         "e.yaml:7:20: 'seed' is 'x', but allowed is an integer without unit, point or exponent. "
         "Write for instance `seed: 42`."},
        {"  axes: {policy.k: [1, 2]}\n  include: [{policy.k: 1.5}]\n",
         "e.yaml:7:24: 'policy.k' is '1.5' here, but its axis has whole numbers as values. Write "
         "it as one of them."},
    };

    CHECK_WRONG(cases);
}

/* What only some combinations have wrong says which; the rest is told once. */
static void test_combinations(void)
{
    static const struct wrong cases[] = {
        {"  axes: {policy.k: [1, 2]}\n",
         "e.yaml:6:10: Policy 'easy' has no parameter 'k'; it has none."},
        {"  axes: {policy.odrer: [sjf]}\n  exclude: [{policy: depth}]\n",
         "e.yaml:6:10: Policy 'easy' has no parameter 'odrer'; it has none. Did you mean "
         "'policy.order'?"},
        {"  axes: {policy.k: [1, -2]}\n  exclude: [{policy: easy}]\n",
         "e.yaml:6:24: Parameter 'k' is '-2'; it must be a whole number from 1 to 1e+09 jobs. So "
         "it is with policy.k -2; leave such runs out with `exclude`."},
        {"  axes: {workload.filter.min_procs: [1, 8], workload.filter.max_procs: [4, 16]}\n",
         "e.yaml:6:73: 'workload.filter.max_procs' is not above 'workload.filter.min_procs', so no "
         "job would be left. Raise it, or remove it for no limit. So it is with "
         "workload.filter.min_procs 8, workload.filter.max_procs 4; leave such runs out with "
         "`exclude`."},
        {"  axes: {seed: [1, 9223372036854775807]}\n  replications: 2\n",
         "e.yaml:6:20: 'seed' is so large that the replications have no seeds: they go on from "
         "it, up to 9223372036854775807. Lower it. So it is with seed 9223372036854775807; leave "
         "such runs out with `exclude`."},
        {"  axes: {seed: [1, 2, 3]}\nmetrics: {tau: 0s}\n",
         "e.yaml:7:16: 'metrics.tau' is '0s', but allowed is 1ns to 34000d. Write for instance "
         "`tau: 1m`."},
    };
    struct plan_fixture fixture;

    CHECK_WRONG(cases);
    /* What is excluded need not be right. */
    plan_enter(&fixture);
    (void)plan_is_valid(&fixture, BASE
                        "  axes: {workload.filter.min_procs: [1, 8], workload.filter.max_procs: "
                        "[4, 16]}\n  exclude: [{workload.filter.min_procs: 8, "
                        "workload.filter.max_procs: 4}]\n");
    plan_leave(&fixture);
}

/* Refused with the count, before a value is made: these take no time. */
static void test_counts(void)
{
    static const struct wrong cases[] = {
        {"  axes: {seed: {from: 1, to: 9, count: 500000}}\n  replications: 1000\n",
         "e.yaml:5:1: This sweep has 1,000,000,000 runs, but at most 1,000,000 are allowed. Give "
         "the axes fewer values, or ask for fewer replications."},
        {"  axes: {seed: {from: 1, to: 9, count: 500001}}\n",
         "e.yaml:5:1: This sweep has 1,000,002 runs, but at most 1,000,000 are allowed. Give the "
         "axes fewer values, or ask for fewer replications."},
        {"  axes: {seed: {from: 1, to: 9, count: 9223372036854775807}, platform.nodes: {from: 1, "
         "to: 9, count: 9223372036854775807}}\n  replications: 1000000\n",
         "e.yaml:5:1: This sweep has more than 10^18 runs, but at most 1,000,000 are allowed. Give "
         "the axes fewer values, or ask for fewer replications."},
        {"  axes: {policies: [[easy, sjf], fcfs]}\n  replications: 400000\n",
         "e.yaml:5:1: This sweep has 1,200,000 runs, but at most 1,000,000 are allowed. Give the "
         "axes fewer values, or ask for fewer replications."},
        {"  axes: {seed: [1]}\n  include: [{seed: 2}, {seed: 3, policy: easy}]\n"
         "  replications: 300000\n",
         "e.yaml:5:1: This sweep has 1,500,000 runs, but at most 1,000,000 are allowed. Give the "
         "axes fewer values, or ask for fewer replications."},
    };

    CHECK_WRONG(cases);
}

static void test_surroundings(void)
{
    static const char *const sets[] = {"sweep.axes={workload.lod: [1]}"};
    struct plan_fixture fixture;
    struct experiment experiment;

    plan_enter(&fixture);
    plan_create(&fixture, HEAD "policy: easy\n", sets, 1);
    CHECK(fixture.result == HS_ERR_CONFIG);
    check_text(fixture.report, "--set 'sweep.axes={workload.lod: [1]}': Unknown key 'lod' in "
                               "'workload'. Did you mean 'load'?");
    plan_drop(&fixture);
    /* An input that is not there. */
    plan_create(&fixture, "hsim: 1\nplatform: {nodes: 4}\nworkload: none.swf\npolicy: easy\n", NULL,
                0);
    CHECK(fixture.result == HS_ERR_INPUT);
    check_text(fixture.error.text,
               "none.swf: the file cannot be read: No such file or directory. Check the path and "
               "its permissions; a relative path starts at the folder of the experiment.");
    plan_drop(&fixture);
    /* A file with a sweep is no experiment of one run. */
    write_file("e.yaml", HEAD "sweep:\n  axes: {policy: [easy]}\n");
    CHECK(experiment_load("e.yaml", NULL, 0, &experiment, &fixture.report, &fixture.error) ==
          HS_ERR_CONFIG);
    check_text(fixture.report,
               "e.yaml:4:1: 'sweep' makes many runs of this experiment, and here is one due. Run "
               "`hsim sweep e.yaml -o FOLDER`, or leave it out with --set sweep=null.");
    plan_leave(&fixture);
}

static const struct unit_test tests[] = {
    {"axes", test_axes},
    {"zips", test_zip},
    {"ranges", test_ranges},
    {"exclude and include", test_cases},
    {"combinations", test_combinations},
    {"too many runs", test_counts},
    {"files and --set", test_surroundings},
};

UNIT_MAIN("sweep plan errors", tests)
