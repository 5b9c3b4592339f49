/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.c - the key of a run changes if, and only if, something changes that a run depends on. */
#include "experiment/key.h"
#include "plan_fixture.h"
#include "run/run_key.h"

/* Every key of the table has its place in one of these. */
static const char *const bases[] = {
    "hsim: 1\nplatform: {nodes: 4}\nworkload: {file: file-a}\npolicy: {name: depth, k: 2}\n"
    "seed: 3\nspeeds: {class_of: user, class_map: [{number: 7, class: b}]}\n",
    "hsim: 1\nplatform: file-a\nworkload: {generate: {}}\npolicy: {name: depth}\n",
    "hsim: 1\nplatform: {nodes: 4}\nworkload: {generate: {model: mix, load: 1,\n"
    "  classes: [{name: a, demand: 1x, run: 5m}]}}\npolicy: {name: easy}\n",
    "hsim: 1\nplatform: {nodes: 4}\nworkload: {generate: {model: mix, rate: 7,\n"
    "  classes: [{name: a, demand: 1x, run: 5m}]}}\npolicy: {name: easy}\n",
    "hsim: 1\nplatform: {nodes: 4}\nworkload: {file: file-a, format: csv,\n"
    "  columns: {submit: s, duration: r, cpus: c}}\npolicy: {name: easy}\n",
    "hsim: 1\nplatform: {nodes: 4}\nworkload: {file: file-a, estimate: {model: factor, factor: "
    "2}}\n"
    "policy: {name: easy}\n",
};

#define BASE_COUNT (sizeof bases / sizeof bases[0])

struct outcome {
    bool is_valid;
    char *resolved;
    struct run_key key;
};

static struct outcome outcome_of(const char *base, const char *set)
{
    struct experiment_override override = {set};
    struct run_digests *digests = run_digests_create(NULL);
    struct outcome outcome = {0};
    struct experiment experiment;
    struct run_basis basis;
    struct hs_error error = {0};
    char *report = NULL;

    CU_ASSERT_PTR_NOT_NULL_FATAL(digests);
    if (experiment_load_text(base, strlen(base), "e.yaml", ".", &override, set ? 1 : 0, &experiment,
                             &report, &error) == HS_OK &&
        run_basis_init(&basis, &experiment, digests, &error) == HS_OK) {
        CHECK(run_key_make(&basis, &experiment, 0, experiment.seed, &outcome.key, &error) == HS_OK);
        outcome.resolved = experiment_resolved(&experiment, 0);
        outcome.is_valid = true;
    }
    experiment_fini(&experiment);
    run_digests_destroy(digests);
    free(report);
    return outcome;
}

/* A value of the key that is not its default. */
static void value_of(const struct key *key, size_t number, char *text, size_t size)
{
    const struct key_choice *choice = key->choices;

    if (key->type == KEY_PATH) {
        (void)snprintf(text, size, "file-b");
    } else if (key->type == KEY_PATH_LIST) {
        (void)snprintf(text, size, "[file-b]");
    } else if (key->type == KEY_BOOL) {
        (void)snprintf(text, size, number ? "true" : "false");
    } else if (choice && number > 0) {
        for (size_t i = 1; i < number && choice[1].name; i++) {
            choice++;
        }
        (void)snprintf(text, size, "%s", choice->name);
    } else {
        (void)snprintf(text, size, "%s", key->example);
    }
}

/* Sets a key in every base: wherever that gives another experiment, the key says so. */
static bool check_key(const struct key *key, const struct outcome *before)
{
    size_t value_count = key->choices || key->type == KEY_BOOL ? 4 : 1;
    bool is_changed = key->type == KEY_MAP; /* the example may be what is the default */

    for (size_t i = 0; i < BASE_COUNT; i++) {
        for (size_t number = 0; number < value_count; number++) {
            char value[256], set[320];
            struct outcome after;

            value_of(key, number, value, sizeof value);
            (void)snprintf(set, sizeof set, "%s=%s", key->path, value);
            after = outcome_of(bases[i], set);
            if (after.is_valid && strcmp(after.resolved, before[i].resolved) != 0) {
                bool is_other = strcmp(after.key.key, before[i].key.key) != 0;
                bool is_other_situation = strcmp(after.key.situation, before[i].key.situation) != 0;
                bool is_ok = is_other == (key->part != KEY_PART_NAME) &&
                             is_other_situation ==
                                 (key->part != KEY_PART_NAME && key->part != KEY_PART_POLICY);

                if (!is_ok) {
                    printf("\n%s: the key %s\n", set, is_other ? "changes" : "stays");
                }
                CHECK(is_ok);
                is_changed = true;
            }
            free(after.resolved);
        }
    }
    return is_changed;
}

static void test_every_key(void)
{
    struct outcome before[BASE_COUNT];
    struct plan_fixture fixture;

    plan_enter(&fixture);
    write_file("file-a", "a");
    write_file("file-b", "b");
    for (size_t i = 0; i < BASE_COUNT; i++) {
        before[i] = outcome_of(bases[i], NULL);
        if (!before[i].is_valid) {
            printf("\nbase %zu is wrong\n", i);
        }
        CU_ASSERT_FATAL(before[i].is_valid);
    }
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        /* Elements of lists and whole lists of policies are set with the list. */
        if (key->part == KEY_PART_SWEEP || strcmp(key->path, "hsim") == 0 ||
            experiment_key_list(key)) {
            continue;
        }
        if (!check_key(key, before)) {
            printf("\n%s: no value was tried that makes a difference\n", key->path);
            CHECK(false);
        }
    }
    for (size_t i = 0; i < BASE_COUNT; i++) {
        free(before[i].resolved);
    }
    plan_leave(&fixture);
}

static void check_same(const char *base, const char *left, const char *right, bool is_same)
{
    struct outcome one = outcome_of(base, left), other = outcome_of(base, right);

    CHECK(one.is_valid && other.is_valid);
    if ((strcmp(one.key.key, other.key.key) == 0) != is_same) {
        printf("\n%s, %s\n", left ? left : "-", right);
    }
    CHECK((strcmp(one.key.key, other.key.key) == 0) == is_same);
    free(one.resolved);
    free(other.resolved);
}

/* Files count by what they hold, and values by what they mean. */
static void test_meaning(void)
{
    struct plan_fixture fixture;
    struct outcome before, after;

    plan_enter(&fixture);
    write_file("file-a", "a");
    write_file("file-b", "b");
    write_file("again", "a");
    check_same(bases[0], NULL, "workload.file=again", true);
    check_same(bases[0], NULL, "workload.file=./file-a", true);
    check_same(bases[0], NULL, "workload.file=file-b", false);
    check_same(bases[0], "plugins=[file-a]", "plugins=[again]", true);
    check_same(bases[0], "plugins=[file-a]", "plugins=[file-b]", false);
    check_same(bases[0], "plugins=[file-a, file-b]", "plugins=[file-b, file-a]", false);
    check_same(bases[0], "speeds.classes=[file-a]", "speeds.classes=[again]", true);
    check_same(bases[1], "platform.catalogue=file-a", "platform.catalogue=file-b", false);
    check_same(bases[0], "scheduler.interval=60", "scheduler.interval=1m", true);
    check_same(bases[0], "workload.load=0.80", "workload.load=0.8", true);
    check_same(bases[0], "policy={name: depth, k: 2}", "policy={k: 2, name: depth}", true);
    check_same(bases[0], "policy={name: depth, k: 2}", "policy={name: depth, k: 3}", false);
    check_same(bases[0], "policy={name: depth, a: 1, b: 2}", "policy={name: depth, b: 2, a: 1}",
               true);
    check_same(bases[0], "policy={name: x, order: sjf}", "policy={name: x, place: sjf}", false);
    before = outcome_of(bases[0], NULL);
    write_file("file-a", "A");
    after = outcome_of(bases[0], NULL);
    CHECK(strcmp(before.key.key, after.key.key) != 0);
    free(before.resolved);
    free(after.resolved);
    plan_leave(&fixture);
}

/* The same policy by itself and in a list, in another folder, under another name: one run. */
static void test_lists(void)
{
    struct plan_fixture fixture;
    char first[RUN_KEY_SIZE], second[RUN_KEY_SIZE];

    plan_enter(&fixture);
    if (plan_is_valid(&fixture, HEAD "policies: [fcfs, easy]\nsweep: {replications: 3}\n")) {
        memcpy(first, row_key(fixture.plan, 4), sizeof first);
        plan_drop(&fixture);
        if (plan_is_valid(&fixture,
                          HEAD "name: other\noutput: {path: o}\npolicy: {name: easy, label: e}\n"
                               "sweep: {axes: {seed: [2]}}\n")) {
            memcpy(second, row_key(fixture.plan, 0), sizeof second);
            check_text(second, first);
        }
    }
    plan_leave(&fixture);
}

static const struct unit_test tests[] = {
    {"every key of the table", test_every_key},
    {"what values mean", test_meaning},
    {"one run in two experiments", test_lists},
};

UNIT_MAIN("sweep keys", tests)
