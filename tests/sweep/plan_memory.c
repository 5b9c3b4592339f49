/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_memory.c - when an allocation fails, making a plan says so and leaks nothing. The linker
 * hands all allocations of the library to the functions below. */
#include "plan_fixture.h"

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

/* Something of everything; the second has a problem that only some combinations have. */
static const char *const texts[] = {
    HEAD "policies: [easy, {name: depth, k: 2}]\nsweep:\n"
         "  axes: {workload.load: {from: 0.5, to: 1, count: 3}, policy.order: [sjf, f1]}\n"
         "  zip: [{platform.nodes: [1, 2], platform.cores: [3, 4]}]\n"
         "  exclude: [{workload.load: 1, policy: depth}]\n"
         "  include: [{workload.load: 2, policy: {name: depth, k: 7}}, {policy: fcfs}]\n"
         "  replications: 20\n",
    HEAD "policies: [easy, fcfs]\nsweep:\n  axes: {policy.order: [sjf, nope]}\n"
         "  exclude: [{policy: fcfs}]\n",
};

static void check_each(struct plan_fixture *fixture, const char *text, enum hs_err expected)
{
    bool is_done = false;
    long number = 1;

    write_file("e.yaml", text);
    for (; !is_done && number < 20000; number++) {
        fixture->error = (struct hs_error){0};
        allocations_left = number;
        fixture->result =
            sweep_plan_create("e.yaml", NULL, 0, &fixture->plan, &fixture->report, &fixture->error);
        is_done = allocations_left > 0;
        allocations_left = -1;
        if (is_done) {
            CHECK(fixture->result == expected);
        } else if (fixture->result != HS_ERR_SYSTEM) {
            /* A suggestion is left out rather than the sentence. */
            CHECK(fixture->result == expected && expected == HS_ERR_CONFIG);
        } else {
            CHECK(fixture->plan == NULL && fixture->report == NULL);
            CHECK(strstr(fixture->error.text, "emory") != NULL);
        }
        plan_drop(fixture);
    }
    CHECK(is_done && number > 100);
}

static void test_each_allocation(void)
{
    struct plan_fixture fixture;

    plan_enter(&fixture);
    check_each(&fixture, texts[0], HS_OK);
    check_each(&fixture, texts[1], HS_ERR_CONFIG);
    plan_leave(&fixture);
}

static const struct unit_test tests[] = {{"each allocation fails once", test_each_allocation}};

UNIT_MAIN("sweep plan memory", tests)
