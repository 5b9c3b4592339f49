/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search.c - the bound of the relaxation and the search for a mapping near it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mapping.h"
#include "map/generate.h"
#include "map/search.h"
#include "unit.h"

static void draw(struct map_etc *etc, const char *text)
{
    struct map_generate generate;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(map_generate_parse(text, &generate, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(map_generate_etc(&generate, etc, &error), HS_OK);
}

/* Min-Min's mapping; caller frees. */
static uint32_t *map_min_min(const struct map_etc *etc, double *makespan_s)
{
    struct hp_mapper *mapper = hp_mapper_create();
    uint32_t *machine_of_task = malloc(etc->task_count * sizeof *machine_of_task);
    struct hp_mapping_problem problem = {.task_count = etc->task_count,
                                         .machine_count = etc->machine_count,
                                         .times_s = etc->times_s};
    struct hp_mapping mapping;
    struct hs_error error = {0};

    CU_ASSERT_FATAL(mapper && machine_of_task);
    CU_ASSERT_EQUAL_FATAL(
        hp_mapper_map(mapper, hp_heuristic_find("min-min"), &problem, &mapping, &error), HS_OK);
    memcpy(machine_of_task, mapping.machine_of_task, etc->task_count * sizeof *machine_of_task);
    *makespan_s = mapping.makespan_s;
    hp_mapper_destroy(mapper);
    return machine_of_task;
}

static struct map_bound bound_of(const struct map_etc *etc, double *prices, uint32_t *rounded)
{
    struct map_bound bound;
    struct hs_error error = {0};
    double makespan_s;
    uint32_t *start = map_min_min(etc, &makespan_s);

    CU_ASSERT_EQUAL_FATAL(map_bound_find(etc, start, 0, prices, rounded, &bound, &error), HS_OK);
    CU_ASSERT(bound.bound_s <= makespan_s * (1 + 1e-12));
    free(start);
    return bound;
}

/* Small programs that can be solved by hand. */
static void test_known_bounds(void)
{
    double one[] = {3, 5};
    double two[] = {4, 4, 2, 2, 6, 6};
    double apart[] = {1, INFINITY, INFINITY, 7};
    double cut[] = {2, 6}; /* 3/4 on the first machine: 1.5 = 6/4 */
    struct map_etc etc = {2, 1, one};

    CU_ASSERT_DOUBLE_EQUAL(bound_of(&etc, NULL, NULL).bound_s, 8.0, 1e-12);
    etc = (struct map_etc){3, 2, two};
    CU_ASSERT_DOUBLE_EQUAL(bound_of(&etc, NULL, NULL).bound_s, 6.0, 1e-12);
    etc = (struct map_etc){2, 2, apart};
    CU_ASSERT_DOUBLE_EQUAL(bound_of(&etc, NULL, NULL).bound_s, 7.0, 1e-12);
    etc = (struct map_etc){1, 2, cut};
    CU_ASSERT_DOUBLE_EQUAL(bound_of(&etc, NULL, NULL).bound_s, 1.5, 1e-12);
    cut[0] = cut[1] = 0.0;
    CU_ASSERT_EQUAL(bound_of(&etc, NULL, NULL).bound_s, 0.0);
}

/* Primal and dual agree, which proves both; so do the prices, computed here again. Ties and equal
 * machines, where the simplex method stands still, and forbidden machines are among them. */
static void test_duality(void)
{
    static const char *const texts[] = {
        "range tasks=%d machines=%d consistency=consistent seed=%d",
        "range tasks=%d machines=%d task-range=10 machine-range=4 seed=%d",
        "cvb tasks=%d machines=%d seed=%d",
        "cvb tasks=%d machines=%d consistency=semi task-cv=0.1 machine-cv=0.1 seed=%d",
    };

    for (int i = 0; i < 400; i++) {
        struct map_etc etc = {0};
        struct map_bound bound;
        char text[128];
        double prices[64], sum = 0.0, value = 0.0;
        uint32_t rounded[200];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(text, sizeof text, texts[i % 4], 1 + i % 97, 1 + i % 23, i);
#pragma GCC diagnostic pop
        draw(&etc, text);
        for (size_t k = 0; k < (size_t)etc.task_count * etc.machine_count; k++) {
            bool is_first = k % etc.machine_count == 0;

            etc.times_s[k] = i % 3 == 1 ? floor(fmod(etc.times_s[k], 5)) : etc.times_s[k];
            etc.times_s[k] = i % 5 == 2 && k % 7 == 3 && !is_first ? INFINITY : etc.times_s[k];
        }
        bound = bound_of(&etc, prices, rounded);
        CU_ASSERT(bound.is_exact);
        for (uint32_t machine = 0; machine < etc.machine_count; machine++) {
            CU_ASSERT(prices[machine] >= 0);
            sum += prices[machine];
        }
        for (uint32_t task = 0; task < etc.task_count; task++) {
            double least = INFINITY;

            for (uint32_t machine = 0; machine < etc.machine_count; machine++) {
                double time_s = etc.times_s[task * etc.machine_count + machine];

                least = isinf(time_s) ? least : fmin(least, prices[machine] * time_s);
            }
            value += least;
            CU_ASSERT(isfinite(etc.times_s[task * etc.machine_count + rounded[task]]));
        }
        CU_ASSERT_DOUBLE_EQUAL(value / sum, bound.bound_s, 1e-12 * bound.bound_s);
        map_etc_fini(&etc);
    }
}

/* Cut short, what it tells is still a bound. */
static void test_cut_bound(void)
{
    struct map_etc etc = {0};
    struct map_bound bound, cut;
    struct hs_error error = {0};
    double makespan_s;
    uint32_t *start;

    draw(&etc, "range tasks=300 machines=16 consistency=consistent");
    bound = bound_of(&etc, NULL, NULL);
    start = map_min_min(&etc, &makespan_s);
    CU_ASSERT_EQUAL(map_bound_find(&etc, start, 50, NULL, NULL, &cut, &error), HS_OK);
    CU_ASSERT(!cut.is_exact && cut.iterations == 50);
    CU_ASSERT(cut.bound_s < bound.bound_s && bound.relaxed_s < cut.relaxed_s);
    free(start);
    map_etc_fini(&etc);
}

static void check_search(const struct map_etc *etc, uint64_t seed, uint64_t step_count,
                         struct map_search_result *result)
{
    struct map_search_options options = {.seed = seed, .step_count = step_count};
    struct hs_error error = {0};
    double makespan_s;
    uint32_t *machine_of_task = map_min_min(etc, &makespan_s);
    double *loads_s = malloc(etc->machine_count * sizeof *loads_s);

    CU_ASSERT_PTR_NOT_NULL_FATAL(loads_s);
    CU_ASSERT_EQUAL_FATAL(map_search(etc, &options, machine_of_task, result, &error), HS_OK);
    CU_ASSERT_EQUAL(map_makespan(etc, machine_of_task, loads_s), result->makespan_s);
    CU_ASSERT(result->makespan_s <= makespan_s * (1 + 1e-12));
    CU_ASSERT(result->makespan_s >= result->bound.bound_s * (1 - 1e-12));
    CU_ASSERT(!result->is_cut && result->step_count <= step_count);
    free(machine_of_task);
    free(loads_s);
}

static void test_search(void)
{
    struct map_etc etc = {0};
    struct map_search_result result, again, other;

    draw(&etc, "range tasks=512 machines=16 consistency=consistent");
    check_search(&etc, 1, 2000000, &result);
    check_search(&etc, 1, 2000000, &again);
    CU_ASSERT_EQUAL(result.makespan_s, again.makespan_s);
    CU_ASSERT(result.makespan_s < 1.03 * result.bound.bound_s);
    CU_ASSERT(result.start_s > 1.05 * result.bound.bound_s);
    check_search(&etc, 2, 2000000, &other);
    CU_ASSERT(result.makespan_s != other.makespan_s);
    check_search(&etc, 1, 0, &other); /* the relaxation with whole tasks, or Min-Min */
    CU_ASSERT(other.step_count == 0 && other.makespan_s > result.makespan_s);
    map_etc_fini(&etc);
}

/* All mappings of a few tasks: the search promises nothing, but finds the best of nearly all. */
static void test_optimum(void)
{
    int found = 0;

    for (int i = 0; i < 40; i++) {
        struct map_etc etc = {0};
        struct map_search_result result;
        double best_s = INFINITY;
        char text[64];

        (void)snprintf(text, sizeof text, "cvb tasks=7 machines=3 seed=%d", i);
        draw(&etc, text);
        etc.times_s[4] = INFINITY;
        for (int code = 0; code < 2187; code++) {
            uint32_t machine_of_task[7];
            double loads_s[3];

            for (int task = 0, rest = code; task < 7; task++, rest /= 3) {
                machine_of_task[task] = (uint32_t)(rest % 3);
            }
            best_s = fmin(best_s, map_makespan(&etc, machine_of_task, loads_s));
        }
        check_search(&etc, 1, 200000, &result);
        CU_ASSERT(result.makespan_s >= best_s && result.makespan_s < 1.1 * best_s);
        found += result.makespan_s == best_s;
        map_etc_fini(&etc);
    }
    CU_ASSERT(found >= 36);
}

static bool is_over(void *context)
{
    int *left = context;

    return --*left < 0;
}

static void test_cut_search(void)
{
    struct map_etc etc = {0};
    int left = 3;
    struct map_search_options options = {
        .seed = 1, .step_count = 10000000, .is_over = is_over, .context = &left};
    struct map_search_result result;
    struct hs_error error = {0};
    double makespan_s;
    uint32_t *machine_of_task;

    draw(&etc, "cvb tasks=100 machines=5");
    machine_of_task = map_min_min(&etc, &makespan_s);
    CU_ASSERT_EQUAL(map_search(&etc, &options, machine_of_task, &result, &error), HS_OK);
    CU_ASSERT(result.is_cut && result.step_count < 200000);
    free(machine_of_task);
    map_etc_fini(&etc);
}

static const struct unit_test tests[] = {
    {"bounds that are known", test_known_bounds},  {"primal and dual", test_duality},
    {"a bound that is cut short", test_cut_bound}, {"the search", test_search},
    {"the optimum of a few tasks", test_optimum},  {"a search that is cut short", test_cut_search},
};

UNIT_MAIN("search", tests)
