/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - the model test: random cases, run by the core and by a naive simulator; starts, ends
 * and nodes of all jobs must be equal.
 *
 * A failure prints the seed, the smallest case that still fails, and both outcomes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model_tests.h"
#include "unit.h"

#define CASES_PER_PAIR 150

static bool differs(struct model_bench *bench)
{
    if (bench->is_compared) {
        naive_run(&bench->model, &bench->naive);
    }
    return !drive_run(&bench->model, bench->extra, bench->watch, &bench->core, bench->complaint) ||
           (bench->is_compared &&
            model_difference(&bench->model, &bench->naive, &bench->core) >= 0);
}

/* Drops jobs, more and more finely, while the case still fails. */
static void shrink(struct model_bench *bench)
{
    for (uint32_t chunk = bench->model.job_count / 2; chunk > 0; chunk /= 2) {
        uint32_t at = bench->model.is_placed ? 1 : 0; /* the first job keeps it so */

        while (at < bench->model.job_count) {
            uint32_t end = at + chunk;
            uint32_t kept = at;

            bench->spare = bench->model;
            for (uint32_t job = end; job < bench->spare.job_count; job++) {
                bench->model.jobs[kept++] = bench->spare.jobs[job];
            }
            bench->model.job_count = kept;
            if (!differs(bench)) {
                bench->model = bench->spare;
                at = end;
            }
        }
    }
}

/* Drops nodes from the right while the case still fails. */
static void shrink_nodes(struct model_bench *bench)
{
    while (bench->model.node_count > 1) {
        bench->model.node_count--;
        if (!differs(bench)) {
            bench->model.node_count++;
            return;
        }
    }
}

bool model_check(struct model_bench *bench)
{
    if (!differs(bench)) {
        return true;
    }
    shrink(bench);
    shrink_nodes(bench);
    (void)differs(bench);
    (void)fprintf(stderr, "\n%s: seed %" PRIu64 ": %s\n", bench->title, bench->model.seed,
                  bench->complaint[0] ? bench->complaint : "the outcomes differ");
    model_print(&bench->model, bench->is_compared ? &bench->naive : NULL, &bench->core);
    return false;
}

struct model_bench *model_bench_create(const char *title)
{
    struct model_bench *bench = calloc(1, sizeof(*bench));

    if (!bench) {
        CU_FAIL_FATAL("no memory");
        abort();
    }
    bench->title = title;
    bench->is_compared = true;
    return bench;
}

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

static const struct unit_test tests[] = {
    {"none equals the naive simulator", test_none},
    {"first-fit equals the naive simulator", test_first_fit},
    {"easy equals the naive simulator", test_easy},
    {"easy-noextra equals the naive simulator", test_easy_noextra},
    {"easy-hosts equals the naive simulator", test_easy_hosts},
    {"depth equals the naive simulator", test_depth},
    {"conservative-rebuilt equals the naive simulator", test_rebuilt},
    {"conservative equals the naive simulator", test_conservative},
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
