/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fields.c - each key of a valid file fills its field with the exact value. */
#include <time.h>

#include "fixture.h"

static void test_four_keys(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (fixture_is_valid(&fixture, FOUR)) {
        check_text(e->name, "e");
        check_text(e->path, "dir/e.yaml");
        check_text(e->base_dir, "dir");
        check_text(e->source, FOUR);
        CHECK(e->platform.file == NULL && e->platform.nodes == 4 && e->platform.cores == 1);
        CHECK(e->platform.mem_bytes == 0);
        check_text(e->platform_as_written, "4 nodes x 1 core");
        check_text(e->workload.file, "dir/w.swf");
        check_text(e->workload_as_written, "w.swf");
        CHECK(!e->workload.is_generated);
        CHECK(e->policy_count == 1);
        check_text(e->policies[0].name, "easy");
        CHECK(!e->policies[0].order && !e->policies[0].place && !e->policies[0].label);
        CHECK(e->policies[0].line == 4 && e->policies[0].column == 9);
        CHECK(e->plugin_count == 0 && e->seed == 1 && !e->is_clairvoyant);
        CHECK(e->allocation == EXPERIMENT_ALLOCATION_CORES);
        CHECK(e->interval_ns == 0 && e->latency_ns == 0 && e->tau_ns == 10 * HS_NS_PER_S);
        CHECK(e->warmup_ns == 0 && e->cooldown_ns == 0 && e->output == NULL);
        CHECK(e->compression == 1 && e->series == EXPERIMENT_SERIES_EVENTS && e->has_allocations);
        CHECK(!e->has_fragments);
    }
    fixture_fini(&fixture);
}

static void test_workload(void)
{
    struct fixture fixture;
    const struct workload_options *w = &fixture.experiment.workload;

    if (fixture_is_valid(
            &fixture,
            HEAD "policy: easy\nworkload:\n  file: /abs/t.swf\n  strict: true\n  procs: max\n"
                 "  estimate: {missing: 12h, model: factor, factor: 2.5, round: 15m}\n"
                 "  overrun: extend\n  zero: one-second\n  oversized: clamp\n  memory: used\n"
                 "  cancellations: drop\n  priority_field: 15\n  sort_window: 7\n"
                 "  filter: {users: [3, -1], queues: 5, partitions: [], min_procs: 2,\n"
                 "    max_procs: 64, min_runtime: 1m, max_runtime: 2d}\n"
                 "  window: {from: 1w, to: 2w}\n  shift: -90\n  load: 0.8\n  head: 99\n"
                 "  shake: 30s\n")) {
        check_text(w->file, "/abs/t.swf");
        CHECK(w->is_strict && w->procs == WORKLOAD_PROCS_MAX);
        CHECK(w->missing == WORKLOAD_MISSING_WALLTIME);
        CHECK(w->missing_walltime_ns == 43200 * HS_NS_PER_S);
        CHECK(w->estimate == WORKLOAD_ESTIMATE_FACTOR && w->estimate_factor == 2.5);
        CHECK(w->estimate_round_ns == 900 * HS_NS_PER_S);
        CHECK(w->overrun == WORKLOAD_OVERRUN_EXTEND && w->zero == WORKLOAD_ZERO_ONE_SECOND);
        CHECK(w->oversized == WORKLOAD_OVERSIZED_CLAMP && w->memory == WORKLOAD_MEMORY_USED);
        CHECK(w->cancel == WORKLOAD_CANCEL_DROP && w->priority_field == 15);
        CHECK(w->sort_window == 7);
        CHECK(w->filter.user_count == 2 && w->filter.users[0] == 3 && w->filter.users[1] == -1);
        CHECK(w->filter.queue_count == 1 && w->filter.queues[0] == 5);
        CHECK(w->filter.partition_count == 0 && w->filter.partitions == NULL);
        CHECK(w->filter.min_procs == 2 && w->filter.max_procs == 64);
        CHECK(w->filter.min_run_ns == 60 * HS_NS_PER_S);
        CHECK(w->filter.max_run_ns == 172800 * HS_NS_PER_S);
        CHECK(w->window_from_ns == 604800 * HS_NS_PER_S);
        CHECK(w->window_to_ns == 1209600 * HS_NS_PER_S);
        CHECK(w->shift_ns == -90 * HS_NS_PER_S && !w->shift_to_zero);
        CHECK(w->load == 0.8 && w->head == 99 && w->shake_ns == 30 * HS_NS_PER_S);
    }
    fixture_fini(&fixture);
}

static void test_rest(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (fixture_is_valid(&fixture,
                         "hsim: 1\nname: study\nseed: 9223372036854775807\nclairvoyant: true\n"
                         "platform: {nodes: 2, cores: 64, memory: 40 GB}\n"
                         "workload: {generate: {model: lublin, jobs: 77, nodes: 8, u_low: 1.5,\n"
                         "  start: 8h}, shift: zero, estimate: {missing: drop}}\n"
                         "policies: [fcfs, {name: easy, order: sjf, place: best, label: mine,\n"
                         "  depth: 3, weight: -0.5}]\nplugins: [a.so, /b.so]\n"
                         "scheduler: {interval: 30s, latency: 1, allocation: nodes}\n"
                         "metrics: {tau: 1m}\nmeasure: {warmup: 1h, cooldown: 2h}\n"
                         "output: {path: out, compression: none, series: 1h, "
                         "allocations: false, fragmentation: true}\n")) {
        check_text(e->name, "study");
        CHECK(e->seed == INT64_MAX && e->is_clairvoyant);
        CHECK(e->platform.nodes == 2 && e->platform.cores == 64);
        CHECK(e->platform.mem_bytes == INT64_C(40000000000));
        CHECK(e->workload.is_generated && e->workload.file == NULL);
        CHECK(e->workload.lublin.jobs == 77 && e->workload.lublin.nodes == 8);
        CHECK(e->workload.lublin.u_low == 1.5 && e->workload.lublin.a2 == 312);
        CHECK(e->workload.lublin.start_ns == 28800 * HS_NS_PER_S);
        CHECK(e->workload.shift_to_zero && e->workload.shift_ns == 0);
        CHECK(e->workload.missing == WORKLOAD_MISSING_DROP);
        CHECK(e->policy_count == 2 && e->policies[1].param_count == 2);
        check_text(e->policies[0].name, "fcfs");
        check_text(e->policies[1].name, "easy");
        check_text(e->policies[1].order, "sjf");
        check_text(e->policies[1].place, "best");
        check_text(e->policies[1].label, "mine");
        check_text(e->policies[1].params[0].name, "depth");
        check_text(e->policies[1].params[0].value, "3");
        check_text(e->policies[1].params[1].value, "-0.5");
        CHECK(e->policies[1].params[0].line == 9 && e->policies[1].params[0].column == 3);
        CHECK(e->plugin_count == 2);
        check_text(e->plugins[0], "dir/a.so");
        check_text(e->plugins[1], "/b.so");
        CHECK(e->interval_ns == 30 * HS_NS_PER_S && e->latency_ns == HS_NS_PER_S);
        CHECK(e->allocation == EXPERIMENT_ALLOCATION_NODES && e->tau_ns == 60 * HS_NS_PER_S);
        CHECK(e->warmup_ns == 3600 * HS_NS_PER_S && e->cooldown_ns == 7200 * HS_NS_PER_S);
        check_text(e->output, "dir/out");
        CHECK(e->compression == 0 && e->series == EXPERIMENT_SERIES_INTERVAL);
        CHECK(e->series_interval_ns == 3600 * HS_NS_PER_S && !e->has_allocations);
        CHECK(e->has_fragments);
    }
    fixture_fini(&fixture);
}

/* Ranges may be one value wide. */
static void test_narrow_ranges(void)
{
    struct fixture fixture;

    if (fixture_is_valid(&fixture, HEAD "policy: easy\nworkload: {file: w, filter: {min_procs: 4, "
                                        "max_procs: 4, min_runtime: 1h, max_runtime: 60m}}\n")) {
        CHECK(fixture.experiment.workload.filter.max_procs == 4);
    }
    fixture_fini(&fixture);
}

/* Short forms, empty blocks, quotes, null, anchors and a byte order mark. */
static void test_forms(void)
{
    struct fixture fixture;
    const struct experiment *e = &fixture.experiment;

    if (fixture_is_valid(&fixture,
                         "\xef\xbb\xbfhsim: 1\r\nplatform: p.xml\r\nworkload: &w {generate: }\r\n"
                         "policies: easy\r\nscheduler:\r\nmeasure: {warmup: \"1h\"}\r\n"
                         "output: {path: ~}\r\nname: null\r\n")) {
        check_text(e->platform.file, "dir/p.xml");
        check_text(e->platform_as_written, "p.xml");
        check_text(e->workload_as_written, "lublin model, 10000 jobs");
        CHECK(e->workload.is_generated && e->workload.lublin.jobs == 10000);
        CHECK(e->policy_count == 1 && e->warmup_ns == 3600 * HS_NS_PER_S && !e->output);
        check_text(e->name, "e");
    }
    fixture_fini(&fixture);
    if (fixture_is_valid(&fixture, HEAD "workload: w.swf\npolicies:\n  - &base {name: easy, "
                                        "label: a}\n  - {name: easy, label: b}\n"
                                        "measure: {warmup: &t 5m, cooldown: *t}\n")) {
        CHECK(e->policy_count == 2 && e->cooldown_ns == 300 * HS_NS_PER_S);
    }
    fixture_fini(&fixture);
}

static void test_base_folders(void)
{
    static const char *const folders[] = {"", ".", "/", "/a", "b/"};
    static const char *const expected[] = {"w.swf", "w.swf", "/w.swf", "/a/w.swf", "b/w.swf"};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        struct fixture fixture = {0};

        CHECK(experiment_load_text(FOUR, strlen(FOUR), ".yaml", folders[i], NULL, 0,
                                   &fixture.experiment, &fixture.report, &fixture.error) == HS_OK);
        check_text(fixture.experiment.workload.file, expected[i]);
        check_text(fixture.experiment.name, "experiment");
        fixture_fini(&fixture);
    }
}

static void test_shipped_files(void)
{
    static const char *const names[] = {"four-key", "compare-backfilling", "replay-swf"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct fixture fixture = {0};
        char path[512];

        (void)snprintf(path, sizeof path, "%s/%s.yaml", EXPERIMENTS_DIR, names[i]);
        CHECK(experiment_load(path, NULL, 0, &fixture.experiment, &fixture.report,
                              &fixture.error) == HS_OK);
        check_text(fixture.experiment.name, names[i]);
        check_text(fixture.experiment.base_dir, EXPERIMENTS_DIR);
        fixture_fini(&fixture);
    }
}

/* Prints what a reading costs; a figure, not a judgement. */
static void test_cost(void)
{
    struct timespec start, end;
    const int rounds = 200;

    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start) == 0);
    for (int i = 0; i < rounds; i++) {
        struct fixture fixture;

        fixture_load(&fixture, FOUR);
        CHECK(fixture.result == HS_OK);
        fixture_fini(&fixture);
    }
    CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end) == 0);
    printf(" (%.0f us for four keys) ", ((double)(end.tv_sec - start.tv_sec) * 1e6 +
                                         (double)(end.tv_nsec - start.tv_nsec) / 1e3) /
                                            rounds);
}

static const struct unit_test tests[] = {
    {"four keys and the defaults", test_four_keys},
    {"all keys of a workload", test_workload},
    {"all other keys", test_rest},
    {"narrow ranges", test_narrow_ranges},
    {"short forms and YAML's own forms", test_forms},
    {"relative paths", test_base_folders},
    {"the experiments of the repository", test_shipped_files},
    {"cost of reading", test_cost},
};

UNIT_MAIN("experiment fields", tests)
