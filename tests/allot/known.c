/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known.c - small problems that were solved by hand, and problems that cannot be. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allot/allot.h"
#include "unit.h"

#define CELLS_MAX 16

static double shares[CELLS_MAX];

static void near(double actual, double expected, int line)
{
    bool is_near = fabs(actual - expected) <= 1e-9 * fabs(expected) + 1e-12;

    if (!is_near) {
        printf("\n  line %d: %.15g, expected %.15g\n", line, actual, expected);
    }
    CU_ASSERT(is_near);
}
#define NEAR(actual, expected) near((actual), (expected), __LINE__)

/* The optimum; the shares are in `shares`. */
static double solve(enum allot_goal goal, const struct allot_problem *problem)
{
    struct allot *allot = allot_create();
    struct hs_error error = {0};
    double optimum = NAN;

    CU_ASSERT_PTR_NOT_NULL_FATAL(allot);
    CU_ASSERT_FATAL(problem->job_count * problem->type_count <= CELLS_MAX);
    CU_ASSERT_EQUAL(allot_solve(allot, goal, problem, shares, &optimum, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(error.text, "");
    allot_destroy(allot);
    return optimum;
}

static void test_one(void)
{
    static const double steps_per_s[] = {2}, workers[] = {1}, steps[] = {30};
    const struct allot_problem problem = {.job_count = 1,
                                          .type_count = 1,
                                          .steps_per_s = steps_per_s,
                                          .workers = workers,
                                          .steps = steps};

    NEAR(solve(ALLOT_MAX_MIN, &problem), 1);
    NEAR(shares[0], 1);
    NEAR(solve(ALLOT_MAKESPAN, &problem), 15);
    NEAR(shares[0], 1);
    NEAR(solve(ALLOT_TOTAL, &problem), 2);
    NEAR(shares[0], 1);
}

/* T = (1 4; 2 3), one worker of each type. Each job takes one type whole for the total (4 + 2) and
 * for the makespan of 4 and 2 steps. For fairness both have p = 2.5; with t of the types exchanged
 * job 0 does 4 - 3t, job 1 does 2 + t: equal at t = 1/2, where both do 2.5. */
static void test_two(void)
{
    static const double steps_per_s[] = {1, 4, 2, 3}, workers[] = {1, 1}, steps[] = {4, 2};
    const struct allot_problem problem = {.job_count = 2,
                                          .type_count = 2,
                                          .steps_per_s = steps_per_s,
                                          .workers = workers,
                                          .steps = steps};

    NEAR(solve(ALLOT_TOTAL, &problem), 6);
    NEAR(shares[1], 1);
    NEAR(shares[2], 1);
    NEAR(solve(ALLOT_MAKESPAN, &problem), 1);
    NEAR(solve(ALLOT_MAX_MIN, &problem), 1);
    for (size_t i = 0; i < 4; i++) {
        NEAR(shares[i], 0.5);
    }
}

/* Two jobs of two workers each on two workers: each half of the time. */
static void test_scale_factors(void)
{
    static const double steps_per_s[] = {3, 3}, workers[] = {2}, scales[] = {2, 2},
                        steps[] = {9, 9};
    const struct allot_problem problem = {.job_count = 2,
                                          .type_count = 1,
                                          .steps_per_s = steps_per_s,
                                          .workers = workers,
                                          .scale_factors = scales,
                                          .steps = steps};

    NEAR(solve(ALLOT_MAX_MIN, &problem), 1);
    NEAR(shares[0], 0.5);
    NEAR(shares[1], 0.5);
    NEAR(solve(ALLOT_MAKESPAN, &problem), 6);
    NEAR(solve(ALLOT_TOTAL, &problem), 3);
}

/* A job of four workers on a single one: a quarter of the time. */
static void test_wider_than_the_machine(void)
{
    static const double steps_per_s[] = {8}, workers[] = {1}, scales[] = {4}, steps[] = {8};
    const struct allot_problem problem = {.job_count = 1,
                                          .type_count = 1,
                                          .steps_per_s = steps_per_s,
                                          .workers = workers,
                                          .scale_factors = scales,
                                          .steps = steps};

    NEAR(solve(ALLOT_MAKESPAN, &problem), 4);
    NEAR(shares[0], 0.25);
}

static void test_weights(void)
{
    static const double steps_per_s[] = {5, 5}, workers[] = {1}, weights[] = {1, 3};
    const struct allot_problem problem = {.job_count = 2,
                                          .type_count = 1,
                                          .steps_per_s = steps_per_s,
                                          .workers = workers,
                                          .weights = weights};

    NEAR(solve(ALLOT_MAX_MIN, &problem), 0.25);
    NEAR(shares[0], 0.25);
    NEAR(shares[1], 0.75);
}

/* Where a job does not fit, or where there is no worker, it has no share. */
static void test_zeros(void)
{
    static const double steps_per_s[] = {0, 4, 9, 2, 4, 9}, workers[] = {1, 1, 0};
    const struct allot_problem problem = {
        .job_count = 2, .type_count = 3, .steps_per_s = steps_per_s, .workers = workers};

    NEAR(solve(ALLOT_TOTAL, &problem), 6);
    CU_ASSERT(shares[0] == 0 && shares[2] == 0 && shares[5] == 0);
    NEAR(shares[1], 1);
    NEAR(shares[3], 1);
}

/* On one worker the makespan is the sum of all times, however much they differ. */
static void test_orders_of_magnitude(void)
{
    static const double steps_per_s[] = {1e-3, 1, 1e3, 1e6}, workers[] = {1};
    static const double steps[] = {1e6, 1, 1e-3, 1e6};
    const struct allot_problem problem = {.job_count = 4,
                                          .type_count = 1,
                                          .steps_per_s = steps_per_s,
                                          .workers = workers,
                                          .steps = steps};

    NEAR(solve(ALLOT_MAKESPAN, &problem), 1e9 + 1 + 1e-6 + 1);
    NEAR(shares[2], 1e-6 / (1e9 + 2 + 1e-6));
}

static void refuse(enum allot_goal goal, const struct allot_problem *problem, const char *part)
{
    struct allot *allot = allot_create();
    struct hs_error error = {0};
    double optimum = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(allot);
    CU_ASSERT_EQUAL(allot_solve(allot, goal, problem, shares, &optimum, &error), HS_ERR_CONFIG);
    if (!strstr(error.text, part)) {
        printf("\n  '%s' lacks '%s'\n", error.text, part);
        CU_FAIL("another sentence");
    }
    CU_ASSERT(isnan(optimum));
    allot_destroy(allot);
}

static void test_bad(void)
{
    static const char *const names[] = {"first", "second"};
    double steps_per_s[] = {1, 2, 3, 4}, workers[] = {1, 1}, scales[] = {1, 1}, steps[] = {1, 1},
           weights[] = {1, 1};
    struct allot_problem problem = {.job_count = 2,
                                    .type_count = 2,
                                    .steps_per_s = steps_per_s,
                                    .workers = workers,
                                    .scale_factors = scales,
                                    .steps = steps,
                                    .weights = weights,
                                    .job_names = names};

    steps_per_s[2] = steps_per_s[3] = 0;
    refuse(ALLOT_TOTAL, &problem, "Job 1 (second): its throughput is 0 on every type of worker");
    steps_per_s[3] = 4;
    workers[1] = 0;
    refuse(ALLOT_TOTAL, &problem, "Job 1 (second): it fits only on types of which there is no");
    workers[0] = 0;
    refuse(ALLOT_TOTAL, &problem, "There is no worker of any type.");
    workers[0] = -1;
    refuse(ALLOT_TOTAL, &problem, "The number of workers of type 0 is -1; 0 or more is due");
    workers[0] = workers[1] = 1;
    steps_per_s[0] = -1;
    refuse(ALLOT_TOTAL, &problem, "Job 0 (first): a throughput is negative or no number");
    steps_per_s[0] = NAN;
    refuse(ALLOT_MAX_MIN, &problem, "Job 0 (first): a throughput is negative or no number");
    steps_per_s[0] = INFINITY;
    refuse(ALLOT_MAX_MIN, &problem, "Job 0 (first): a throughput is negative or no number");
    steps_per_s[0] = 1;
    scales[1] = 0;
    refuse(ALLOT_MAX_MIN, &problem, "Job 1 (second): its scale factor must be a number above 0");
    scales[1] = 1;
    weights[1] = NAN;
    refuse(ALLOT_MAX_MIN, &problem, "Job 1 (second): its weight must be a number above 0");
    CU_ASSERT(solve(ALLOT_TOTAL, &problem) > 0); /* for which weights do not count */
    steps[0] = 0;
    refuse(ALLOT_MAKESPAN, &problem, "Job 0 (first): for the makespan the steps");
    problem.steps = NULL;
    problem.job_names = NULL;
    refuse(ALLOT_MAKESPAN, &problem, "Job 0: for the makespan the steps");
    problem.job_count = 0;
    refuse(ALLOT_TOTAL, &problem, "There is no job");
    problem.job_count = ALLOT_CELLS_MAX;
    refuse(ALLOT_TOTAL, &problem, "are too many: their product is at most 2000000.");
}

static const struct unit_test tests[] = {
    {"one job", test_one},
    {"two jobs, two types", test_two},
    {"scale factors", test_scale_factors},
    {"wider than the machine", test_wider_than_the_machine},
    {"weights", test_weights},
    {"where there is nothing", test_zeros},
    {"orders of magnitude", test_orders_of_magnitude},
    {"what cannot be", test_bad},
};

UNIT_MAIN("shares that are known", tests)
