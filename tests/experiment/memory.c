/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.c - when an allocation fails, loading says so and leaks nothing. The linker hands all
 * allocations of the library to the functions below. */
#include "fixture.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static long allocations_left = -1; /* -1: all succeed */

static bool is_refused(void)
{
    if (allocations_left > 0) {
        allocations_left--;
    }
    return allocations_left == 0;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __real_realloc(memory, size);
}

/* Big enough to need several chunks at different places of the code. */
static char *big_experiment(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    fputs("hsim: 1\nplatform: &p {nodes: 4}\nworkload:\n  file: w.swf\n  filter: {users: [", out);
    for (int i = 0; i < 4000; i++) {
        fprintf(out, "%d, ", i);
    }
    fputs("0]}\nplugins: [", out);
    for (int i = 0; i < 500; i++) {
        fprintf(out, "plugin-with-a-rather-long-name-%d.so, ", i);
    }
    fputs("last.so]\npolicies:\n", out);
    for (int i = 0; i < 300; i++) {
        fprintf(out, "  - {name: easy, order: sjf, parameter: %d}\n", i);
    }
    CHECK(fclose(out) == 0);
    return text;
}

static void test_each_allocation(void)
{
    char *text = big_experiment();
    const struct experiment_override overrides[] = {{"policy=fcfs"}, {"policy.k=1"}};
    bool is_done = false;
    long number = 1;

    for (; !is_done && number < 1000; number++) {
        struct fixture fixture;

        allocations_left = number;
        fixture_load_bytes(&fixture, text, strlen(text), overrides, number % 3 == 0 ? 2 : 0);
        is_done = allocations_left > 0;
        allocations_left = -1;
        if (is_done) {
            CHECK(fixture.result == HS_OK);
        } else {
            CHECK(fixture.result == HS_ERR_SYSTEM);
            check_text(fixture.error.text, "Out of memory.");
            CHECK(fixture.experiment.storage == NULL);
        }
        fixture_fini(&fixture);
    }
    CHECK(is_done && number > 20);
    free(text);
}

static const struct unit_test tests[] = {{"each allocation fails once", test_each_allocation}};

UNIT_MAIN("experiment memory", tests)
