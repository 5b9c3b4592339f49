/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c - policies against a baseline. */
#include "stats/compare.h"

#include <math.h>

#include "unit.h"

#define COLUMNS 6

static const struct stats_design paired = {
    .level = 0.95, .is_paired = true, .seed = 1, .resamples = 2000};

static void compare(const double *values, size_t policies, const struct stats_design *design,
                    struct stats_cell *cells)
{
    struct hs_error error = {0};

    CU_ASSERT_FATAL(stats_compare(values, policies, COLUMNS, 0, design, cells, &error) == HS_OK);
}

/* The second policy is half as long and 1, 2, ... shorter: all is known. */
static void test_pairs(void)
{
    const double values[] = {2, 4, 6, 8, 10, 12, 1, 2, 3, 4, 5, 6, 3, 5, 7, 9, 11, 13};
    const double halves[] = {-1, -2, -3, -4, -5, -6};
    struct stats_interval expected = stats_t_interval(halves, COLUMNS, 0.95);
    struct stats_cell cells[3];

    compare(values, 3, &paired, cells);
    CU_ASSERT(cells[0].count == 6 && cells[0].pairs == 0 && isnan(cells[0].difference.estimate));
    CU_ASSERT_DOUBLE_EQUAL(cells[0].center.estimate, 7, 1e-15);
    CU_ASSERT(cells[1].difference.low == expected.low && cells[1].difference.estimate == -3.5);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.estimate, 0.5, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.low, 0.5, 1e-12);
    CU_ASSERT(cells[1].lower == 6 && cells[1].higher == 0 && cells[1].equal == 0);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].p, 2.0 / 64, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].p_holm, 4.0 / 64, 1e-15); /* two policies */
    CU_ASSERT(cells[2].difference.low == 1 && cells[2].difference.high == 1);
}

/* Geometric means by hand: of the ratios 2, 8, 2, 8, 2, 8 it is 4; the logarithms are ln 4 -+ ln 2
 * with the standard deviation ln 2 x sqrt(6 / 5). */
static void test_ratio(void)
{
    const double values[] = {1, 1, 1, 1, 1, 1, 2, 8, 2, 8, 2, 8};
    double half = stats_t_quantile(0.95, 5) * log(2) * sqrt(6.0 / 5) / sqrt(6);
    struct stats_cell cells[2];

    compare(values, 2, &paired, cells);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.estimate, 4, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.low, 4 * exp(-half), 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.high, 4 * exp(half), 1e-9);
}

/* Values that are missing break their pairs only; four pairs are points. */
static void test_gaps(void)
{
    const double values[] = {2, NAN, 6, 8, 10, 12, 1, 2, NAN, 4, 5, 0, 1, 2, 3, 4, 5, 6};
    struct stats_cell cells[3];

    compare(values, 3, &paired, cells);
    CU_ASSERT(cells[0].count == 5 && !isnan(cells[0].center.low));
    CU_ASSERT(cells[1].count == 5 && cells[1].pairs == 4);
    CU_ASSERT(!isnan(cells[1].difference.estimate) && isnan(cells[1].difference.low));
    CU_ASSERT(isnan(cells[1].p) && isnan(cells[1].p_holm));
    CU_ASSERT(isnan(cells[1].ratio.estimate)); /* a zero has no logarithm */
    CU_ASSERT(cells[2].pairs == 5 && !isnan(cells[2].difference.low));
    CU_ASSERT(cells[2].p_holm == cells[2].p); /* the only test */
}

static void test_median(void)
{
    const double values[] = {1, 2, 3, 4, 5, 100, 2, 3, 4, 5, 6, 100};
    struct stats_design design = paired;
    struct stats_cell cells[2];

    design.is_median = true;
    compare(values, 2, &design, cells);
    CU_ASSERT(cells[0].center.estimate == 3.5 && cells[1].difference.estimate == 1);
    CU_ASSERT(cells[1].difference.low >= 0 && cells[1].difference.high == 1);
    CU_ASSERT(cells[0].center.low >= 1 && cells[0].center.low < 3.5);
}

static void test_unpaired(void)
{
    const double values[] = {1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 9, NAN};
    double logarithms[11];
    struct stats_design design = paired;
    struct stats_interval expected;
    struct stats_cell cells[2];

    design.is_paired = false;
    compare(values, 2, &design, cells);
    expected = stats_welch_interval(values + 6, 5, values, 6, 0.95);
    CU_ASSERT(cells[1].difference.low == expected.low && cells[1].difference.high == expected.high);
    CU_ASSERT(isnan(cells[1].p) && cells[1].pairs == 0);
    for (int i = 0; i < 11; i++) {
        logarithms[i] = log(values[i]);
    }
    expected = stats_welch_interval(logarithms + 6, 5, logarithms, 6, 0.95);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.low, exp(expected.low), 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(cells[1].ratio.estimate, exp(expected.estimate), 1e-12);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"pairs", test_pairs},       {"ratio of geometric means", test_ratio},
        {"gaps", test_gaps},         {"medians", test_median},
        {"unpaired", test_unpaired},
    };

    return unit_main("stats compare", tests, sizeof tests / sizeof tests[0]);
}
