/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack.c - runs into tasks: by hand, and against a search over all ways to cut. */
#include "sweep/pack.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "unit.h"

/* Packs, and compares with the tasks' first runs and their end. */
static void check(const double *wall_s, size_t count, double target_s, const size_t *expected,
                  size_t tasks)
{
    size_t first[64];

    CU_ASSERT_EQUAL_FATAL(sweep_pack(wall_s, count, target_s, first), tasks);
    for (size_t i = 0; i <= tasks; i++) {
        CU_ASSERT_EQUAL(first[i], expected[i]);
    }
}

static void test_examples(void)
{
    /* 20 + 20 + 10 is too much, 50 is alone. */
    check((const double[]){20, 20, 10, 30, 50, 5, 5}, 7, 45, (const size_t[]){0, 2, 4, 5, 7}, 4);
    check((const double[]){7}, 1, 45, (const size_t[]){0, 1}, 1);
    check((const double[]){45, 45}, 2, 45, (const size_t[]){0, 1, 2}, 2);
    check((const double[]){15, 15, 15}, 3, 45, (const size_t[]){0, 3}, 1);
    check((const double[]){0, 0, 0}, 3, 45, (const size_t[]){0, 3}, 1);
}

/* The last task is no rest. */
static void test_even(void)
{
    double wall_s[61];

    for (int i = 0; i < 61; i++) {
        wall_s[i] = 60.0;
    }
    check(wall_s, 61, 2700, (const size_t[]){0, 31, 61}, 2);
}

/* Nobody knows how long they take: each can be the longest of all. */
static void test_unknown(void)
{
    check((const double[]){NAN, NAN, NAN}, 3, 45, (const size_t[]){0, 1, 2, 3}, 3);
    check((const double[]){1, 1, NAN, 1, 1}, 5, 45, (const size_t[]){0, 2, 3, 5}, 3);
    check((const double[]){1, INFINITY, 1}, 3, 45, (const size_t[]){0, 1, 2, 3}, 3);
}

/* The plain definition for ten runs: of all ways to cut, the fewest tasks, then the shortest. */
static void search(const double *wall_s, double target_s, size_t *best_tasks, double *best_s)
{
    *best_tasks = SIZE_MAX;
    for (unsigned cuts = 0; cuts < 1u << 9; cuts++) {
        size_t tasks = 1;
        double sum_s = 0, longest_s = 0;
        bool is_allowed = true;

        for (unsigned i = 0; i < 10; i++) {
            if (i > 0 && (cuts >> (i - 1) & 1u)) {
                tasks++;
                sum_s = 0;
            }
            sum_s += wall_s[i];
            longest_s = sum_s > longest_s ? sum_s : longest_s;
            is_allowed = is_allowed && sum_s <= target_s;
        }
        if (is_allowed && (tasks < *best_tasks || (tasks == *best_tasks && longest_s < *best_s))) {
            *best_tasks = tasks;
            *best_s = longest_s;
        }
    }
}

static void test_optimal(void)
{
    uint32_t state = 1;

    for (int trial = 0; trial < 300; trial++) {
        double wall_s[10], longest_s = 0, best_s = 0;
        size_t first[11], tasks, best_tasks;

        for (int i = 0; i < 10; i++) {
            state = state * 1664525u + 1013904223u;
            wall_s[i] = (double)(state >> 27); /* 0 to 31 */
        }
        search(wall_s, 45, &best_tasks, &best_s);
        tasks = sweep_pack(wall_s, 10, 45, first);
        CU_ASSERT_EQUAL(tasks, best_tasks);
        for (size_t task = 0; task < tasks; task++) {
            double sum_s = 0;

            CU_ASSERT(first[task] < first[task + 1]);
            for (size_t i = first[task]; i < first[task + 1]; i++) {
                sum_s += wall_s[i];
            }
            longest_s = sum_s > longest_s ? sum_s : longest_s;
        }
        CU_ASSERT_EQUAL(first[0], 0);
        CU_ASSERT_EQUAL(first[tasks], 10);
        CU_ASSERT_DOUBLE_EQUAL(longest_s, best_s, 1e-9);
    }
}

static const struct unit_test tests[] = {
    {"examples", test_examples},
    {"even tasks", test_even},
    {"unknown times", test_unknown},
    {"fewest and shortest of all ways", test_optimal},
};

UNIT_MAIN("packing runs", tests)
