/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stats.h - statistics of runs: intervals, tests, corrections, and where a run settles.
 *
 * Pure functions over arrays. One value is one run (or one pair of runs), never one job: the jobs
 * of a run wait for each other and are no independent sample. Values are finite unless a
 * declaration says otherwise. What does not apply (one value, no spread, a logarithm of zero) is
 * NaN, so a caller shows a gap instead of a number that means nothing. */
#ifndef HSIM_STATS_STATS_H
#define HSIM_STATS_STATS_H

#include "hs/base.h"

/* An estimate and the bounds of its interval, in the unit of the values. */
struct stats_interval {
    double estimate, low, high;
};

/* Arithmetic mean; NaN for no value. Summed with the correction of Neumaier (ZAMM 54, 1974). */
double stats_mean(const double *values, size_t count);

/* Standard deviation with the divisor count - 1; NaN for fewer than two values. */
double stats_deviation(const double *values, size_t count);

/* In ascending order. */
void stats_sort(double *values, size_t count);

/* Quantile 0 <= p <= 1 of sorted values by linear interpolation at (count - 1) p, definition 7 of
 * Hyndman and Fan (The American Statistician 50, 1996); NaN for no value. */
double stats_quantile(const double *sorted, size_t count, double p);

/* The middle value, or the mean of the two in the middle. Sorts `values`. */
double stats_median(double *values, size_t count);

/* Mean with Student's t interval, count - 1 degrees of freedom. 0 < level < 1. */
struct stats_interval stats_t_interval(const double *values, size_t count, double level);

/* mean(a) - mean(b) of independent samples whose variances may differ: Welch's interval with the
 * degrees of freedom of Satterthwaite (Biometrika 34, 1947). */
struct stats_interval stats_welch_interval(const double *a, size_t a_count, const double *b,
                                           size_t b_count, double level);

/* Quantile of Student's t distribution that cuts (1 - level) / 2 off above. */
double stats_t_quantile(double level, double freedom);

/* A box of Tukey (Exploratory Data Analysis, 1977): quartiles as stats_quantile has them, whiskers
 * at the outermost values within 1.5 interquartile ranges of the box. */
struct stats_box {
    double whisker_low, quartile_low, median, quartile_high, whisker_high;
};

/* All NaN for no value. Values beyond the whiskers lie at both ends of `sorted`. */
struct stats_box stats_box(const double *sorted, size_t count);

/* y = intercept + slope x by least squares; the interval of the slope by Student's t with count - 2
 * degrees of freedom. NaN slope and intercept if all x are equal, NaN bounds for fewer than three
 * points. */
struct stats_line {
    struct stats_interval slope;
    double intercept;
};
struct stats_line stats_fit_line(const double *x, const double *y, size_t count, double level);

/* A number computed from a sample; it may change the order of the values. */
typedef double stats_statistic(double *values, size_t count);

/* The statistic of the sample, and its bias-corrected and accelerated bootstrap interval (Efron,
 * JASA 82, 1987): `resamples` draws with replacement by the Mersenne twister from `seed`, the
 * acceleration by the jackknife. Equal seed and values give equal bounds. NaN bounds for fewer
 * than two values. HS_ERR_SYSTEM: no memory. */
enum hs_err stats_bootstrap(const double *values, size_t count, stats_statistic *statistic,
                            double level, size_t resamples, uint64_t seed,
                            struct stats_interval *interval, struct hs_error *error) HS_MUST_USE;

/* The interval from its parts: the statistic of `resamples` draws (which are sorted), and without
 * each of `count` observations. NaN bounds if one of them is not finite. */
struct stats_interval stats_bca(double estimate, double *draws, size_t resamples,
                                const double *without, size_t count, double level);

/* How often each block of a sample counts. */
typedef void stats_block_visitor(void *context, size_t sample, const uint32_t *times);

/* For observations that come in blocks (users, weeks) within which they depend on each other: whole
 * blocks are drawn with replacement, as many as there are (Davison and Hinkley, Bootstrap Methods
 * and their Application, 1997, section 3.8; Field and Welsh, JRSS B 69, 2007). Calls `visit` for
 * `resamples` draws by the Mersenne twister from `seed`, and then for each block left out in turn:
 * what stats_bca asks for. */
enum hs_err stats_draw_blocks(size_t blocks, size_t resamples, uint64_t seed,
                              stats_block_visitor *visit, void *context,
                              struct hs_error *error) HS_MUST_USE;

/* Up to so many differences the signed-rank test is exact. */
#define STATS_WILCOXON_EXACT_MAX 50

struct stats_wilcoxon {
    size_t used;        /* differences that are not zero */
    double plus, minus; /* sums of the ranks of positive and negative ones */
    double p;           /* two-sided; 1 if none is used */
    bool is_exact;
};

/* Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) that differences are symmetric about
 * zero. Zeros are left out (Wilcoxon's own rule), equal sizes share the mean of their ranks. Up to
 * STATS_WILCOXON_EXACT_MAX used differences p is exact given these ranks, ties too: all 2^used
 * signs are counted, and p is twice the smaller tail, at most 1. Beyond, it is by the normal
 * distribution with variance corrected for ties and half a rank of continuity (Hollander, Wolfe
 * and Chicken, Nonparametric Statistical Methods, 3rd ed., section 3.1). */
enum hs_err stats_wilcoxon(const double *differences, size_t count, struct stats_wilcoxon *result,
                           struct hs_error *error) HS_MUST_USE;

/* p-values adjusted for being `count` of one family: Holm's step-down (Scandinavian Journal of
 * Statistics 6, 1979). NaN are no members and stay NaN. The arrays do not overlap. */
void stats_holm(const double *p, size_t count, double *adjusted);

/* Where an initial transient ends. */
struct stats_warmup {
    size_t batches;   /* whole batches of STATS_MSER_BATCH values; the rest is not looked at */
    size_t drop;      /* values at the beginning to leave out, whole batches */
    bool is_at_limit; /* the least error is at the limit, half of the batches: the values do not
                         settle, or are too few */
};

#define STATS_MSER_BATCH 5

/* MSER-5 (White, Cobb and Spratt, Proc. Winter Simulation Conference, 2000): of all numbers d of
 * batches, at most half of them, the one that makes sum (y - mean)^2 / (k - d)^2 of the remaining k
 * - d batch means least; the smallest d of equal ones. All zero for fewer than two batches. */
struct stats_warmup stats_mser5(const double *values, size_t count);

#endif
