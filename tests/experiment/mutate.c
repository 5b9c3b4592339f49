/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mutate.c - damaged files: an experiment or problems with places, never a crash (under the
 * sanitizers in the dev preset). */
#include "fixture.h"
#include "random.h"

static const char sample[] =
    "# a study\nhsim: 1\nname: \"study\"\nseed: 7\n"
    "platform: &p {nodes: 256, cores: 1, memory: 64GiB}\n"
    "workload:\n  generate: {model: lublin, jobs: 5000, u_low: 0.8}\n  load: 0.85\n"
    "  estimate: {missing: 12h, model: factor, factor: 3, round: 5m}\n"
    "  filter: {users: [1, 2, 3], min_procs: 2}\n  window: {from: 4w, to: 8w}\n  shift: zero\n"
    "policies:\n  - fcfs\n  - {name: easy, order: 'sjf', depth: 5}\n  - &x\n    name: easy\n"
    "    label: mine\nplugins: [a.so, b.so]\nmeasure: {warmup: &t 6h, cooldown: *t}\n"
    "output:\n  path: out\n  series: 1h\n";

#define SAMPLE_LENGTH (sizeof sample - 1)
#define ROOM          (2 * SAMPLE_LENGTH)

static const char spice[] = "{}[]:,-?&*!|>'\"%@`#\t\n\r \\~0=\xff\xc3\xa4\x01\x00";

/* One small damage; the new length. */
static size_t damage(struct random *random, char *text, size_t length)
{
    size_t at = (size_t)random_below(random, length);
    size_t from = (size_t)random_below(random, length);
    size_t span = (size_t)random_below(random, 40);

    switch (random_below(random, 6)) {
    case 0: /* another byte */
        text[at] = (char)random_below(random, 256);
        return length;
    case 1: /* a byte with a meaning */
        text[at] = spice[random_below(random, sizeof spice - 1)];
        return length;
    case 2: /* insert one */
        if (length + 1 < ROOM) {
            memmove(text + at + 1, text + at, length - at);
            text[at] = spice[random_below(random, sizeof spice - 1)];
            return length + 1;
        }
        return length;
    case 3: /* cut out */
        span = span < length - at ? span : length - at - 1;
        memmove(text + at, text + at + span, length - at - span);
        return length - span;
    case 4: /* copy a piece over another */
        span = span < length - at ? span : length - at;
        span = span < length - from ? span : length - from;
        memmove(text + at, text + from, span);
        return length;
    default: /* cut off */
        return random_below(random, 8) ? length : at + 1;
    }
}

static void test_mutations(void)
{
    struct random random = {77};
    int valid_count = 0;

    for (int round = 0; round < 4000; round++) {
        char *text = malloc(ROOM);
        size_t length = SAMPLE_LENGTH;
        struct fixture fixture;

        CU_ASSERT_PTR_NOT_NULL_FATAL(text);
        memcpy(text, sample, length);
        for (uint64_t i = random_below(&random, 4) + 1; i > 0; i--) {
            length = damage(&random, text, length);
        }
        fixture_load_bytes(&fixture, text, length, NULL, 0);
        free(text);
        if (fixture.result == HS_OK) {
            char *resolved = experiment_resolved(&fixture.experiment, 0);
            struct fixture again;

            CU_ASSERT_PTR_NOT_NULL_FATAL(resolved);
            CHECK(fixture_is_valid(&again, resolved));
            fixture_fini(&again);
            free(resolved);
            valid_count++;
        } else {
            CHECK(fixture.result == HS_ERR_CONFIG);
            CHECK(fixture.report && strncmp(fixture.report, "dir/e.yaml:", 11) == 0);
        }
        fixture_fini(&fixture);
    }
    printf(" (%d still valid) ", valid_count);
    CHECK(valid_count > 100 && valid_count < 3900);
}

/* The same for the text of a --set. */
static void test_override_mutations(void)
{
    static const char *const sets[] = {"policy={name: easy, k: 3}", "workload.filter.users=[1, 2]",
                                       "policies=[fcfs, easy]", "output.series=1h",
                                       "platform.memory=4 GB"};
    struct random random = {99};

    for (int round = 0; round < 2000; round++) {
        char text[64] = {0};
        struct experiment_override override = {text};
        struct fixture fixture;

        (void)snprintf(text, sizeof text, "%s", sets[random_below(&random, 5)]);
        for (uint64_t i = random_below(&random, 3) + 1; i > 0; i--) {
            char byte = spice[random_below(&random, sizeof spice - 2)];

            text[random_below(&random, strlen(text))] = byte ? byte : 'x';
        }
        fixture_load_bytes(&fixture, FOUR, strlen(FOUR), &override, 1);
        CHECK(fixture.result == HS_OK || fixture.result == HS_ERR_CONFIG);
        CHECK(fixture.result == HS_OK || strncmp(fixture.report, "--set '", 7) == 0);
        fixture_fini(&fixture);
    }
}

static void test_pure_garbage(void)
{
    struct random random = {5};
    size_t size = (size_t)1 << 20;
    char *text = malloc(size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    for (int round = 0; round < 6; round++) {
        struct fixture fixture;

        for (size_t i = 0; i < size; i++) {
            text[i] = round < 2 ? (char)random_below(&random, 256)
                                : spice[random_below(&random, round < 4 ? 20 : 7)];
        }
        fixture_load_bytes(&fixture, text, size, NULL, 0);
        CHECK(fixture.result == HS_ERR_CONFIG);
        fixture_fini(&fixture);
    }
    free(text);
}

static const struct unit_test tests[] = {
    {"4,000 damaged experiments", test_mutations},
    {"2,000 damaged --set", test_override_mutations},
    {"megabytes of garbage", test_pure_garbage},
};

UNIT_MAIN("experiment mutations", tests)
