/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit.c - boxes and fitted lines against published figures. */
#include <math.h>

#include "stats/stats.h"
#include "unit.h"

static void is_near(double value, double expected, double distance)
{
    CU_ASSERT_DOUBLE_EQUAL(value, expected, distance);
}

/* Average weights by height of American women of 30 to 39: The World Almanac, 1975; the data set
 * `women` of R. R: summary(lm(weight ~ height)): intercept -87.51667, slope 3.45000 with the
 * standard error 0.09114; confint: 3.253112 to 3.646888. */
static void test_line(void)
{
    const double weights[] = {115, 117, 120, 123, 126, 129, 132, 135,
                              139, 142, 146, 150, 154, 159, 164};
    double heights[15];
    struct stats_line line;

    for (int i = 0; i < 15; i++) {
        heights[i] = 58 + i;
    }
    line = stats_fit_line(heights, weights, 15, 0.95);
    is_near(line.slope.estimate, 3.45, 1e-12);
    is_near(line.intercept, -87.51667, 5e-6);
    is_near(line.slope.low, 3.253112, 5e-7);
    is_near(line.slope.high, 3.646888, 5e-7);
}

static void test_line_edges(void)
{
    const double x[] = {1, 2, 4};
    const double y[] = {5, 3, -1};
    const double same[] = {2, 2, 2};
    struct stats_line line = stats_fit_line(x, y, 3, 0.95);

    is_near(line.slope.estimate, -2, 1e-14);
    is_near(line.intercept, 7, 1e-14);
    is_near(line.slope.high, -2, 1e-12); /* exact: no width */
    line = stats_fit_line(x, y, 2, 0.95);
    is_near(line.slope.estimate, -2, 1e-14);
    CU_ASSERT(isnan(line.slope.low) && isnan(line.slope.high));
    CU_ASSERT(isnan(stats_fit_line(same, y, 3, 0.95).slope.estimate));
    CU_ASSERT(isnan(stats_fit_line(x, y, 1, 0.95).slope.estimate));
    CU_ASSERT(isnan(stats_fit_line(x, y, 0, 0.95).intercept));
}

/* R: quantile(c(1:8, 20)) is 1 3 5 7 20; the fence ends at 7 + 1.5 * 4 = 13, so 20 lies beyond. */
static void test_box(void)
{
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 20};
    const double low[] = {-20, 1, 2, 3, 4, 5, 6, 7, 8};
    const double equal[] = {4, 4, 4};
    const double far[] = {0, 0, 0, 100}; /* quartiles 0 and 25: no value between 25 and 62.5 */
    struct stats_box box = stats_box(values, 9);

    CU_ASSERT(box.whisker_low == 1 && box.quartile_low == 3 && box.median == 5);
    CU_ASSERT(box.quartile_high == 7 && box.whisker_high == 8);
    box = stats_box(low, 9);
    CU_ASSERT(box.whisker_low == 1 && box.quartile_low == 2 && box.whisker_high == 8);
    box = stats_box(equal, 3);
    CU_ASSERT(box.whisker_low == 4 && box.median == 4 && box.whisker_high == 4);
    box = stats_box(far, 4);
    CU_ASSERT(box.quartile_high == 25 && box.whisker_high == 25 && box.whisker_low == 0);
    CU_ASSERT(isnan(stats_box(values, 0).median));
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"a line fitted to published data", test_line},
        {"lines of few points", test_line_edges},
        {"boxes", test_box},
    };

    return unit_main("stats fit", tests, sizeof tests / sizeof tests[0]);
}
