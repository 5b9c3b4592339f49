/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolve.c - a resolved experiment reads back to the same one: random experiments that are drawn
 * from the table of keys, compared field by field through the same table. */
#include <inttypes.h>

#include "experiment/fill.h"
#include "fixture.h"
#include "random.h"
#include "text/units.h"

static const char *const texts[] = {
    "plain",
    "a/b c",
    "true",
    "null",
    "~",
    "12",
    "1e5",
    "- x",
    "#no",
    "a: b",
    "q\\\"q",
    "tab\\tx",
    "line\\nnext",
    "\\u00e4\\u00f6",
    "nel\\u0085x",
    "ls\\u2028x",
    "\\U0001F680x",
    "@at",
    "*star",
    "&and",
    "[x]",
    "{x}",
    "\\\\back",
    " lead",
    "trail ",
    "'single'",
    "on",
    "-",
    "%pct",
    "--- x",
    "a,b",
    "x #y",
    "0x1F",
    "!tag",
    "bom\\uFEFFx",
    "...",
    ".5",
    "-5m",
    "\\u00a0nbsp",
    "1:30",
};

static const char *random_text(struct random *random)
{
    return texts[random_below(random, sizeof texts / sizeof texts[0])];
}

/* A number of random size within the range. */
static int64_t random_int(struct random *random, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;
    uint64_t draw = random_next(random) >> random_below(random, 64);

    return (int64_t)((uint64_t)low + (span == UINT64_MAX ? draw : draw % (span + 1)));
}

static void write_policy(FILE *out, struct random *random, size_t number)
{
    if (random_below(random, 2)) {
        fprintf(out, "policy-%zu", number);
        return;
    }
    fprintf(out, "{name: \"%s%zu\"", random_text(random), number);
    if (random_below(random, 2)) {
        fprintf(out, ", order: \"%s\"", random_text(random));
    }
    if (random_below(random, 2)) {
        fprintf(out, ", place: \"%s\"", random_text(random));
    }
    if (random_below(random, 2)) {
        fprintf(out, ", label: label-%zu", number);
    }
    for (uint64_t i = random_below(random, 4); i > 0; i--) {
        fprintf(out, ", \"%s.%" PRIu64 "\": \"%s\"", random_text(random), i, random_text(random));
    }
    fputc('}', out);
}

static void write_time(FILE *out, struct random *random, const struct key *key)
{
    char text[UNITS_TEXT_MAX];
    int64_t value = random_int(random, key->min, key->max);

    if (random_below(random, 2)) {
        value -= value % HS_NS_PER_S;
        value = value < key->min ? key->min : value;
    }
    text_units_format(key->type == KEY_BYTES ? UNITS_BYTES : UNITS_TIME, value, text);
    fputs(text, out);
}

/* Choices that were written last, by key: others depend on them. */
static int chosen[KEY_COUNT_MAX];

static void write_choice(FILE *out, struct random *random, const struct key *key)
{
    const struct key_choice *choice;
    size_t count = 0;

    while (key->choices[count].name) {
        count++;
    }
    choice = &key->choices[random_below(random, count)];
    chosen[key - experiment_keys] = choice->value;
    fputs(choice->name, out);
}

/* As if no choice had been written: the defaults. */
static void forget_choices(const struct key *parent)
{
    for (const struct key *key = parent + 1; key < experiment_keys + experiment_key_count; key++) {
        if (key->type != KEY_CHOICE || !experiment_key_is_child(parent, key)) {
            continue;
        }
        for (const struct key_choice *choice = key->choices; choice->name; choice++) {
            if (strcmp(choice->name, key->fallback) == 0) {
                chosen[key - experiment_keys] = choice->value;
            }
        }
    }
}

/* What a key needs to be right that its row does not say. */
static bool is_wanted_with(const struct key *parent, const struct key *key, bool is_wanted)
{
    const struct key *sibling;

    if (strcmp(key->path, "speeds.etc") == 0) {
        return false; /* there may be a table of throughputs */
    }
    if (!key->only_with) {
        return is_wanted;
    }
    sibling = experiment_key_child(parent, key->only_with);
    if (chosen[sibling - experiment_keys] != key->only_value) {
        return false;
    }
    if (strcmp(key->path, "workload.generate.rate") == 0) {
        return false; /* the load is there */
    }
    return is_wanted || strcmp(key->path, "workload.generate.load") == 0 ||
           strcmp(key->path, "workload.generate.classes") == 0;
}

static void write_list(FILE *out, struct random *random, const struct key *key)
{
    uint64_t count = random_below(random, 4);

    fputc('[', out);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        if (key->type == KEY_POLICY_LIST) {
            write_policy(out, random, (size_t)i);
        } else if (key->type == KEY_PATH_LIST) {
            fprintf(out, "\"%s\"", random_text(random));
        } else {
            fprintf(out, "%" PRId64, random_int(random, key->min, key->max));
        }
    }
    if (key->type == KEY_POLICY_LIST) {
        fprintf(out, "%slast", count ? ", " : "");
    }
    fputc(']', out);
}

static void write_map(FILE *out, struct random *random, const struct key *parent);

static void write_maps(FILE *out, struct random *random, const struct key *key)
{
    uint64_t count = 1 + random_below(random, 3);

    fputc('[', out);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        write_map(out, random, key);
    }
    fputc(']', out);
}

static void write_string(FILE *out, struct random *random, const struct key *key)
{
    if (strcmp(key->path, "workload.generate.classes.demand") == 0) {
        fprintf(out, "%dx cores=%d", (int)random_below(random, 9) + 1,
                (int)random_below(random, 9) + 1);
    } else if (experiment_key_list(key)) {
        fprintf(out, "class-%llu", (unsigned long long)random_below(random, 1000000000));
    } else {
        fprintf(out, "\"%s\"", key->is_file_name ? "n \\u00e4\\\": #x" : random_text(random));
    }
}

static void write_value(FILE *out, struct random *random, const struct key *key)
{
    double share = (double)random_below(random, 1000001) / 1e6;

    switch (key->type) {
    case KEY_MAP:
        write_map(out, random, key);
        break;
    case KEY_BOOL:
        fputs(random_below(random, 2) ? "true" : "false", out);
        break;
    case KEY_INT: {
        /* All nodes together have at most 2^31 - 1 cores. */
        bool is_cores = strcmp(key->path, "platform.cores") == 0;

        fprintf(out, "%" PRId64, random_int(random, key->min, is_cores ? 200 : key->max));
        break;
    }
    case KEY_DOUBLE:
        fprintf(out, "%.17g",
                key->min_real + (key->max_real - key->min_real) * (share * 0.999 + 0.001));
        break;
    case KEY_CHOICE_TIME:
        if (random_below(random, 2)) {
            write_choice(out, random, key);
            break;
        }
        write_time(out, random, key);
        break;
    case KEY_TIME:
    case KEY_BYTES:
        write_time(out, random, key);
        break;
    case KEY_CHOICE:
        write_choice(out, random, key);
        break;
    case KEY_STRING:
        write_string(out, random, key);
        break;
    case KEY_PATH:
        fprintf(out, "\"%s\"", random_text(random));
        break;
    case KEY_MAP_LIST:
        write_maps(out, random, key);
        break;
    case KEY_POLICY:
        write_policy(out, random, 0);
        break;
    default:
        write_list(out, random, key);
        break;
    }
}

/* Is it the first of the two children of which exactly one is given? */
static bool is_first_of(const struct key *parent, const char *name)
{
    return strncmp(parent->one_of, name, strlen(name)) == 0 && parent->one_of[strlen(name)] == ' ';
}

/* A flow map with a random part of the children, and all that must be there. */
static void write_map(FILE *out, struct random *random, const struct key *parent)
{
    bool is_first_of_group = random_below(random, 2);
    const char *separator = "";
    const char *excluded = NULL; /* a later sibling */

    forget_choices(parent);
    fputc('{', out);
    for (const struct key *key = parent + 1; key < experiment_keys + experiment_key_count; key++) {
        const char *name = experiment_key_name(key);
        bool is_wanted = key->is_required || random_below(random, 2);

        if (!experiment_key_is_child(parent, key) || key->part == KEY_PART_SWEEP) {
            continue; /* a resolved experiment is one run */
        }
        if (experiment_key_has_word(parent->one_of, name)) {
            is_wanted = is_first_of(parent, name) == is_first_of_group;
        } else if (key->excludes && experiment_key_has_word(parent->one_of, key->excludes)) {
            is_wanted = is_wanted && is_first_of(parent, key->excludes) != is_first_of_group;
        } else if (key->excludes && is_wanted) {
            excluded = key->excludes;
        } else if (excluded && strcmp(excluded, name) == 0) {
            is_wanted = false;
        }
        is_wanted = is_wanted_with(parent, key, is_wanted);
        if (is_wanted) {
            fprintf(out, "%s%s: ", separator, name);
            write_value(out, random, key);
            separator = ",\n ";
        }
    }
    fputc('}', out);
}

static bool is_same_text(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

static bool is_same_list(const struct experiment *left, const struct experiment *right,
                         const struct key *key)
{
    const char *one = (const char *)left, *other = (const char *)right;
    const char *const *texts_left, *const *texts_right;
    const int32_t *left_numbers, *right_numbers;
    size_t count, right_count;

    memcpy(&count, one + key->offset_more, sizeof count);
    memcpy(&right_count, other + key->offset_more, sizeof right_count);
    if (count != right_count) {
        return false;
    }
    memcpy(&texts_left, one + key->offset, sizeof texts_left);
    memcpy(&texts_right, other + key->offset, sizeof texts_right);
    memcpy(&left_numbers, one + key->offset, sizeof left_numbers);
    memcpy(&right_numbers, other + key->offset, sizeof right_numbers);
    for (size_t i = 0; i < count; i++) {
        if (key->type == KEY_INT_LIST ? left_numbers[i] != right_numbers[i]
                                      : strcmp(texts_left[i], texts_right[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Fields that belong to what was not chosen (generate's without generate) need not agree. */
static bool is_same_field(const struct experiment *left, const struct experiment *right,
                          const struct key *key)
{
    const char *one = (const char *)left + key->offset, *other = (const char *)right + key->offset;
    const char *left_text, *right_text;

    switch (key->type) {
    case KEY_INT_LIST:
    case KEY_PATH_LIST:
        return is_same_list(left, right, key);
    case KEY_STRING:
    case KEY_PATH:
        memcpy(&left_text, one, sizeof left_text);
        memcpy(&right_text, other, sizeof right_text);
        return is_same_text(left_text, right_text);
    case KEY_CHOICE_TIME:
        return memcmp(one, other, key->size) == 0 &&
               memcmp((const char *)left + key->offset_more, (const char *)right + key->offset_more,
                      sizeof(hs_time)) == 0;
    default:
        return memcmp(one, other, key->size) == 0;
    }
}

static void check_same_policy(const struct experiment_policy *left,
                              const struct experiment_policy *right)
{
    CHECK(is_same_text(left->name, right->name) && is_same_text(left->order, right->order));
    CHECK(is_same_text(left->place, right->place) && is_same_text(left->label, right->label));
    CHECK(left->param_count == right->param_count);
    for (size_t i = 0; i < left->param_count && i < right->param_count; i++) {
        check_text(right->params[i].name, left->params[i].name);
        check_text(right->params[i].value, left->params[i].value);
    }
}

/* The resolved text of every policy reads back to the same experiment and to the same text. */
static void check_round_trip(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->policy_count; i++) {
        char *resolved = experiment_resolved(experiment, i);
        struct fixture again;

        CU_ASSERT_PTR_NOT_NULL_FATAL(resolved);
        if (fixture_is_valid(&again, resolved)) {
            char *twice = experiment_resolved(&again.experiment, 0);

            check_text(twice, resolved);
            free(twice);
            for (size_t k = 0; k < experiment_key_count; k++) {
                const struct key *key = &experiment_keys[k];

                /* What lists of maps hold is compared as text, above. */
                if (key->size && key->type != KEY_MAP_LIST && !experiment_key_list(key) &&
                    !is_same_field(experiment, &again.experiment, key)) {
                    printf("\nfield of %s differs\n", key->path);
                    CU_FAIL("field differs");
                }
            }
            CHECK(again.experiment.policy_count == 1);
            check_same_policy(&experiment->policies[i], &again.experiment.policies[0]);
            check_text(again.experiment.workload_as_written, experiment->workload_as_written);
            check_text(again.experiment.platform_as_written, experiment->platform_as_written);
            if (experiment->catalogue_as_written) {
                check_text(again.experiment.catalogue_as_written, experiment->catalogue_as_written);
            }
        }
        fixture_fini(&again);
        free(resolved);
    }
}

/* Is every problem one between keys, which the generator does not know? */
static bool is_relation(const char *report)
{
    while (report) {
        const char *line = report;
        size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        bool is_one = copy && (strstr(copy, "is not above") || strstr(copy, "has no effect") ||
                               strstr(copy, "'speeds.class_map' has the number") ||
                               strstr(copy, "together are above 1") ||
                               strstr(copy, "A uniform run time has") ||
                               strstr(copy, "has no `mean`") || strstr(copy, "is below `min`"));

        free(copy);
        if (!is_one) {
            return false;
        }
        report = line[length] ? line + length + 1 : NULL;
    }
    return true;
}

static void test_random(void)
{
    struct random random = {20240229};
    size_t valid_count = 0;

    for (int round = 0; round < 3000; round++) {
        struct fixture fixture;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        CU_ASSERT_PTR_NOT_NULL_FATAL(out);
        write_map(out, &random, &experiment_keys[0]);
        CHECK(fclose(out) == 0);
        fixture_load(&fixture, text);
        if (fixture.result == HS_OK) {
            valid_count++;
            check_round_trip(&fixture.experiment);
        } else if (!is_relation(fixture.report)) {
            printf("\n%s\n%s\n", text, fixture.report);
            CU_FAIL("a random experiment is not valid");
        }
        fixture_fini(&fixture);
        free(text);
    }
    printf(" (%zu round trips) ", valid_count);
    CHECK(valid_count >= 500);
}

static void test_exact_text(void)
{
    struct fixture fixture;

    if (fixture_is_valid(&fixture,
                         "hsim: 1\nplatform: p.xml\nworkload: {generate: {jobs: 5}, shift: zero,\n"
                         "  estimate: {missing: 1.5h}, filter: {users: [2, 3]}}\n"
                         "policies: [fcfs, {name: easy, order: sjf, k: 'a: b'}]\n"
                         "plugins: x.so\noutput: {path: out, series: 90}\n")) {
        char *text = experiment_resolved(&fixture.experiment, 1);

        check_text(
            text,
            "hsim: 1\nname: e\nseed: 1\nclairvoyant: false\nplatform:\n  file: p.xml\n"
            "  catalogue: null\n  availability: null\n  availability_column: total\nworkload:\n  "
            "generate:\n    model: lublin\n    jobs: 5\n    nodes: "
            "0\n"
            "    serial_probability: 0.244\n    power2_probability: 0.576\n    u_low: 0.8\n"
            "    u_med_offset: 2.5\n    u_high: 0\n    u_probability: 0.86\n    a1: 4.2\n"
            "    b1: 0.94\n    a2: 312\n    b2: 0.03\n    pa: -0.0054\n    pb: 0.78\n"
            "    a_arrival: 10.2303\n    b_arrival: 0.4871\n    a_num: 8.1737\n"
            "    b_num: 3.9631\n    arrival_ratio: 1.0225\n    start: 0s\n  strict: false\n"
            "  procs: requested\n  estimate:\n    missing: 90m\n    model: trace\n    factor: 1\n"
            "    round: 0s\n  overrun: kill\n  zero: keep\n  oversized: reject\n"
            "  memory: ignore\n  cancellations: replay\n  priority_field: 0\n"
            "  sort_window: 4096\n  filter:\n    users: [2, 3]\n    queues: []\n"
            "    partitions: []\n    min_procs: 0\n    max_procs: 0\n    min_runtime: 0s\n"
            "    max_runtime: 0s\n  window:\n    from: 0s\n    to: 0s\n  shift: zero\n"
            "  load: 0\n  head: 0\n  shake: 0s\npolicy:\n  name: easy\n  order: sjf\n"
            "  k: \"a: b\"\nplugins: [x.so]\nscheduler:\n  interval: 0s\n  latency: 0s\n  "
            "preempt_cost: 0s\n"
            "  allocation: cores\n  predictor: request\nenergy:\n  account: auto\n  load: 1\n"
            "  attribution: exclusive\nmetrics:\n  tau: 10s\nmeasure:\n  warmup: 0s\n"
            "  cooldown: 0s\noutput:\n  path: out\n  compression: deflate-1\n  series: 90s\n"
            "  allocations: true\n"
            "  fragmentation: false\n");
        free(text);
        check_round_trip(&fixture.experiment);
    }
    fixture_fini(&fixture);
}

static const struct unit_test tests[] = {
    {"resolved text, exactly", test_exact_text},
    {"random experiments read back", test_random},
};

UNIT_MAIN("experiment resolved", tests)
