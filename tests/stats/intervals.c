/* SPDX-License-Identifier: GPL-3.0-or-later */
/* intervals.c - means, quantiles and intervals against published figures. */
#include <math.h>

#include "stats/stats.h"
#include "unit.h"

/* Extra hours of sleep of ten patients under two drugs: Student, "The probable error of a mean",
 * Biometrika 6, 1908; the data set `sleep` of R. */
static const double first_drug[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double second_drug[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

/* Test A of spatial perception of 26 children: Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, table 14.1; the data set `spatial` of R's package bootstrap. */
static const double spatial[] = {48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                                 0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};

enum { CHILDREN = sizeof spatial / sizeof spatial[0] };

static void is_near(double value, double expected, double distance)
{
    CU_ASSERT_DOUBLE_EQUAL(value, expected, distance);
}

static void test_describe(void)
{
    double values[] = {4, 1, 3, 2};
    const double large[] = {1e16, 1, -1e16, 1};

    is_near(stats_mean(values, 4), 2.5, 0);
    is_near(stats_mean(large, 4), 0.5, 0); /* a plain sum gives 0.25 */
    is_near(stats_deviation(values, 4), sqrt(5.0 / 3), 1e-15);
    is_near(stats_median(values, 4), 2.5, 0);
    CU_ASSERT(values[0] == 1 && values[3] == 4);
    is_near(stats_quantile(values, 4, 0.25), 1.75, 0); /* definition 7: at 0.75 from the first */
    is_near(stats_quantile(values, 4, 1), 4, 0);
    CU_ASSERT(isnan(stats_mean(values, 0)) && isnan(stats_deviation(values, 1)));
    CU_ASSERT(isnan(stats_quantile(values, 0, 0.5)));
}

/* R: t.test(extra ~ group, data = sleep, paired = TRUE), as in its manual: mean -1.58, interval
 * -2.4598858 to -0.7001142. */
static void test_student(void)
{
    double differences[10];
    struct stats_interval interval;

    for (int i = 0; i < 10; i++) {
        differences[i] = first_drug[i] - second_drug[i];
    }
    interval = stats_t_interval(differences, 10, 0.95);
    is_near(interval.estimate, -1.58, 1e-12);
    is_near(interval.low, -2.4598858, 5e-8);
    is_near(interval.high, -0.7001142, 5e-8);
    interval = stats_t_interval(differences, 1, 0.95);
    CU_ASSERT(isnan(interval.low) && isnan(interval.high) && !isnan(interval.estimate));
    /* Tables of Student's distribution: 12.706, 2.776, 1.984 at 1, 4 and 100 degrees. */
    is_near(stats_t_quantile(0.95, 1), 12.706, 5e-4);
    is_near(stats_t_quantile(0.95, 4), 2.776, 5e-4);
    is_near(stats_t_quantile(0.95, 100), 1.984, 5e-4);
}

/* R: t.test(extra ~ group, data = sleep): interval -3.3654832 to 0.2054832. */
static void test_welch(void)
{
    const double equal[] = {2, 2, 2};
    struct stats_interval interval = stats_welch_interval(first_drug, 10, second_drug, 10, 0.95);

    is_near(interval.estimate, -1.58, 1e-12);
    is_near(interval.low, -3.3654832, 5e-8);
    is_near(interval.high, 0.2054832, 5e-8);
    interval = stats_welch_interval(equal, 3, equal, 2, 0.95);
    CU_ASSERT(interval.low == 0 && interval.high == 0);
    interval = stats_welch_interval(equal, 3, equal, 1, 0.95);
    CU_ASSERT(isnan(interval.low));
}

/* Variance with the divisor n. */
static double variance(double *values, size_t count)
{
    double mean = stats_mean(values, count);
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return squares / (double)count;
}

/* Table 14.2 of the same book: of the variance, 171.5, the BCa interval of level 90 % is 115.8 to
 * 259.6, from 2,000 draws; its plain percentiles are 100.8 to 233.9. A computation of our own with
 * 600,000 draws, in Python with its generator, gave 115.79 to 261.18. */
static void test_bootstrap(void)
{
    struct hs_error error = {0};
    struct stats_interval runs[3];

    for (int i = 0; i < 3; i++) { /* the seeds 1, 1 and 2 */
        CU_ASSERT(stats_bootstrap(spatial, CHILDREN, variance, 0.9, 400000, 1 + (uint64_t)i / 2,
                                  &runs[i], &error) == HS_OK);
        is_near(runs[i].estimate, 171.534, 5e-4);
        is_near(runs[i].low, 115.8, 2.5); /* the book */
        is_near(runs[i].high, 259.6, 3.5);
        is_near(runs[i].low, 115.79, 1);
        is_near(runs[i].high, 261.18, 1);
    }
    CU_ASSERT(runs[0].low == runs[1].low && runs[0].high == runs[1].high);
    CU_ASSERT(runs[0].low != runs[2].low);
}

static void test_bootstrap_edges(void)
{
    const double equal[] = {3, 3, 3, 3, 3};
    struct hs_error error = {0};
    struct stats_interval interval;

    CU_ASSERT(stats_bootstrap(equal, 5, stats_median, 0.95, 100, 1, &interval, &error) == HS_OK);
    CU_ASSERT(interval.low == 3 && interval.estimate == 3 && interval.high == 3);
    CU_ASSERT(stats_bootstrap(equal, 1, stats_median, 0.95, 100, 1, &interval, &error) == HS_OK);
    CU_ASSERT(interval.estimate == 3 && isnan(interval.low) && isnan(interval.high));
    CU_ASSERT(stats_bootstrap(equal, 0, stats_median, 0.95, 100, 1, &interval, &error) == HS_OK);
    CU_ASSERT(isnan(interval.estimate));
}

/* Normal samples by the sum of twelve uniform numbers: of 1,000 intervals of level 90 % about so
 * many hold the true mean, 0 (binomial: standard deviation 9.5). */
static void test_coverage(void)
{
    uint64_t state = 7;
    int covered = 0;

    for (int k = 0; k < 1000; k++) {
        double values[8];
        struct stats_interval interval;

        for (int i = 0; i < 8; i++) {
            values[i] = -6;
            for (int u = 0; u < 12; u++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                values[i] += (double)(state >> 11) * 0x1p-53;
            }
        }
        interval = stats_t_interval(values, 8, 0.9);
        covered += interval.low <= 0 && interval.high >= 0;
    }
    CU_ASSERT(covered > 865 && covered < 935);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"mean, deviation, quantiles", test_describe},
        {"Student's interval", test_student},
        {"Welch's interval", test_welch},
        {"BCa against Efron and Tibshirani", test_bootstrap},
        {"BCa of too little", test_bootstrap_edges},
        {"intervals hold what they promise", test_coverage},
    };

    return unit_main("stats intervals", tests, sizeof tests / sizeof tests[0]);
}
