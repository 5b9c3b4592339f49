/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranks.c - the signed-rank test against published figures and all signs written out; Holm. */
#include <math.h>
#include <string.h>

#include "stats/stats.h"
#include "unit.h"

static struct stats_wilcoxon run(const double *differences, size_t count)
{
    struct stats_wilcoxon result;
    struct hs_error error = {0};

    CU_ASSERT_FATAL(stats_wilcoxon(differences, count, &result, &error) == HS_OK);
    return result;
}

/* Hamilton depression scale before and after: Hollander and Wolfe, Nonparametric Statistical
 * Methods, 1973, p. 29; the example of R's wilcox.test, V = 40 and one-sided p = 0.01953. */
static void test_depression(void)
{
    const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double differences[9];
    struct stats_wilcoxon result;

    for (int i = 0; i < 9; i++) {
        differences[i] = before[i] - after[i];
    }
    result = run(differences, 9);
    CU_ASSERT(result.used == 9 && result.plus == 40 && result.minus == 5 && result.is_exact);
    CU_ASSERT_DOUBLE_EQUAL(result.p, 20.0 / 512, 1e-15);
}

/* Heights of crossed and self-fertilised maize, Darwin, 1876: the example of scipy.stats.wilcoxon
 * (scipy's manual): statistic 24.0, p = 0.041259765625. */
static void test_maize(void)
{
    const double differences[] = {6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75};
    struct stats_wilcoxon result = run(differences, 15);

    CU_ASSERT(result.minus == 24 && result.plus == 96 && result.is_exact);
    CU_ASSERT_DOUBLE_EQUAL(result.p, 0.041259765625, 1e-15);
}

/* Twice the smaller tail over all signs of the given ranks; rank sums are halves of integers. */
static double by_hand(const double *differences, size_t count, size_t *used)
{
    double sizes[16];
    double ranks[16];
    double observed = 0;
    double all = 0;
    unsigned at_most = 0;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        if (differences[i] != 0) {
            sizes[n++] = differences[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        ranks[i] = 0.5;
        for (size_t k = 0; k < n; k++) {
            ranks[i] += fabs(sizes[k]) < fabs(sizes[i])    ? 1
                        : fabs(sizes[k]) == fabs(sizes[i]) ? 0.5
                                                           : 0;
        }
        observed += sizes[i] > 0 ? ranks[i] : 0;
        all += ranks[i];
    }
    observed = fmin(observed, all - observed);
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++) {
            sum += signs >> i & 1 ? ranks[i] : 0;
        }
        at_most += sum <= observed;
    }
    *used = n;
    return fmin(2.0 * at_most / (double)(1u << n), 1);
}

/* Small whole differences: ties and zeros in plenty. */
static void test_signs(void)
{
    uint64_t state = 11;

    for (int k = 0; k < 500; k++) {
        double differences[12];
        size_t count = (size_t)(k % 13);
        size_t used;
        double expected;
        struct stats_wilcoxon result;

        for (size_t i = 0; i < count; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            differences[i] = (double)(state >> 60) - 6;
        }
        expected = by_hand(differences, count, &used);
        result = run(differences, count);
        CU_ASSERT(result.used == used && result.is_exact);
        CU_ASSERT_DOUBLE_EQUAL(result.p, used ? expected : 1, 1e-14);
        CU_ASSERT_DOUBLE_EQUAL(result.plus + result.minus, (double)(used * (used + 1)) / 2, 0);
    }
}

/* Sixty differences with ties. Computed again from the formulas with the normal distribution of
 * Python's statistics module: rank sums 1563.5 and 266.5, p = 1.7841314129407593e-06. */
static void test_normal(void)
{
    double differences[60];
    struct stats_wilcoxon result;

    for (int i = 0; i < 60; i++) {
        differences[i] = (double)(i * i * 7 % 23 - 9);
    }
    result = run(differences, 60);
    CU_ASSERT(!result.is_exact && result.used == 60);
    CU_ASSERT(result.plus == 1563.5 && result.minus == 266.5);
    CU_ASSERT_DOUBLE_EQUAL(result.p, 1.7841314129407593e-06, 1e-16);
}

/* Above the limit p is close to the exact one, counted here for ranks 1 to 51 without ties.
 * Python's whole numbers give 0.25324 exactly, its normal distribution 0.25087: the error is the
 * method's. */
static void test_seam(void)
{
    enum { COUNT = STATS_WILCOXON_EXACT_MAX + 1, MOST = COUNT * (COUNT + 1) / 2 };
    double differences[COUNT];
    double shares[MOST + 1] = {1}; /* of the choices of signs, by rank sum */
    double tail = 0;
    struct stats_wilcoxon normal;

    for (int i = 0; i < COUNT; i++) {
        differences[i] = (i % 5 < 3 ? 1 : -1) * (1.0 + (double)i);
        for (int sum = MOST; sum >= 0; sum--) {
            shares[sum] = (shares[sum] + (sum > i ? shares[sum - i - 1] : 0)) / 2;
        }
    }
    normal = run(differences, COUNT);
    for (int sum = 0; sum <= (int)fmin(normal.plus, normal.minus); sum++) {
        tail += shares[sum];
    }
    CU_ASSERT(!normal.is_exact);
    CU_ASSERT_DOUBLE_EQUAL(2 * tail, 0.25323874906633215, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(normal.p, 0.2508655010106512, 1e-12);
}

/* Worked example of step-down: p of 0.01, 0.04, 0.03, 0.005 times 3, 1, 2, 4, none below that of a
 * smaller p. */
static void test_holm(void)
{
    const double p[] = {0.01, 0.04, NAN, 0.03, 0.005};
    const double ties[] = {0.02, 0.02, 0.9};
    double adjusted[5];

    stats_holm(p, 5, adjusted);
    CU_ASSERT_DOUBLE_EQUAL(adjusted[0], 0.03, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(adjusted[1], 0.06, 1e-15);
    CU_ASSERT(isnan(adjusted[2]));
    CU_ASSERT_DOUBLE_EQUAL(adjusted[3], 0.06, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(adjusted[4], 0.02, 1e-15);
    stats_holm(ties, 3, adjusted);
    CU_ASSERT_DOUBLE_EQUAL(adjusted[0], 0.06, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(adjusted[1], 0.06, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(adjusted[2], 0.9, 1e-15);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"depression scale of Hollander and Wolfe", test_depression},
        {"Darwin's maize, as scipy has it", test_maize},
        {"all signs written out", test_signs},
        {"normal approximation", test_normal},
        {"exact and normal meet", test_seam},
        {"Holm", test_holm},
    };

    return unit_main("stats ranks", tests, sizeof tests / sizeof tests[0]);
}
