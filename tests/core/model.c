/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - the model test: random cases, run by the core and by a naive simulator; starts, ends
 * and nodes of all jobs must be equal. */
#include <stdlib.h>

#include "model_tests.h"
#include "unit.h"

#define CASES_PER_PAIR MODEL_CASES(150)

static void test_rule(enum model_rule rule)
{
    struct model_bench *bench = model_bench_create(model_rule_name(rule));
    bool is_good = true;

    for (uint32_t order = 0; order < MODEL_ORDER_COUNT && is_good; order++) {
        for (uint64_t i = 0; i < CASES_PER_PAIR && is_good; i++) {
            model_generate(&bench->model, (enum model_order)order, rule,
                           (uint64_t)rule * 1000000 + (uint64_t)order * 10000 + i);
            is_good = model_check(bench);
        }
    }
    CU_ASSERT_TRUE(is_good);
    free(bench);
}

/* Every order and rule while nodes leave and come back; the core with its index and without. */
static void test_changes(void)
{
    struct model_bench *bench = model_bench_create("nodes that leave and come back");
    bool is_good = true;

    for (uint64_t i = 0; i < MODEL_ORDER_COUNT * MODEL_RULE_COUNT * CASES_PER_PAIR && is_good;
         i++) {
        struct model_random random = {.state = 16000000000u + i};

        model_generate(&bench->model, (enum model_order)(i % MODEL_ORDER_COUNT),
                       (enum model_rule)(i / MODEL_ORDER_COUNT % MODEL_RULE_COUNT),
                       17000000000u + i);
        model_add_changes(&bench->model, &random);
        bench->model.is_plain = model_chance(&random, 25);
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(bench);
}

static void test_none(void)
{
    test_rule(MODEL_NONE);
}

static void test_first_fit(void)
{
    test_rule(MODEL_FIRST_FIT);
}

static void test_easy(void)
{
    test_rule(MODEL_EASY);
}

static void test_easy_noextra(void)
{
    test_rule(MODEL_EASY_NOEXTRA);
}

static void test_easy_hosts(void)
{
    test_rule(MODEL_EASY_HOSTS);
}

static void test_depth(void)
{
    test_rule(MODEL_DEPTH);
}

static void test_rebuilt(void)
{
    test_rule(MODEL_REBUILT);
}

static void test_conservative(void)
{
    test_rule(MODEL_CONSERVATIVE);
}

static void test_easy_sjbf(void)
{
    test_rule(MODEL_EASY_SJBF);
}

static const struct unit_test tests[] = {
    {"none equals the naive simulator", test_none},
    {"first-fit equals the naive simulator", test_first_fit},
    {"easy equals the naive simulator", test_easy},
    {"easy-noextra equals the naive simulator", test_easy_noextra},
    {"easy-hosts equals the naive simulator", test_easy_hosts},
    {"depth equals the naive simulator", test_depth},
    {"conservative-rebuilt equals the naive simulator", test_rebuilt},
    {"conservative equals the naive simulator", test_conservative},
    {"nodes that leave and come back: equal to the naive simulator", test_changes},
    {"easy-sjbf equals the naive simulator", test_easy_sjbf},
    {"random is a permutation of seed and id", model_test_random},
    {"reservations on certain nodes equal the naive simulator", model_test_placed},
    {"whole nodes equal single cores", model_test_whole_nodes},
    {"equal task vectors equal single cores", model_test_equal_vectors},
    {"no node is overcommitted", model_test_mixed},
    {"the head's planned start never moves later", model_test_head},
    {"jobs of one unit come after jobs of another", model_test_units},
    {"an undone plan leaves no trace", model_test_undo},
};

UNIT_MAIN("model", tests)
