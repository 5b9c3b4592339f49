/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wilcoxon.c - the signed-rank test, and Holm's correction for several of them.
 *
 * Ranks are kept doubled, so that the mean rank of ties is an integer and all sums are exact. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

struct signed_size {
    double size;
    bool is_positive;
};

static int compare_sizes(const void *a, const void *b)
{
    double x = ((const struct signed_size *)a)->size;
    double y = ((const struct signed_size *)b)->size;

    return (x > y) - (x < y);
}

/* Doubled ranks of sorted sizes. Returns the sum of t^3 - t over the groups of t ties. */
static double rank(const struct signed_size *sizes, size_t count, size_t *ranks)
{
    double ties = 0;
    size_t end;

    for (size_t i = 0; i < count; i = end) {
        double length;

        end = i + 1;
        while (end < count && sizes[end].size <= sizes[i].size) {
            end++;
        }
        for (size_t k = i; k < end; k++) {
            ranks[k] = i + 1 + end; /* twice the mean of i + 1 to end */
        }
        length = (double)(end - i);
        ties += length * length * length - length;
    }
    return ties;
}

/* Of the 2^count choices of signs, the share whose doubled sum of positive ranks is at most
 * `limit`. Counts stay below 2^53, so doubles hold them exactly. */
static double lower_tail(const size_t *ranks, size_t count, size_t limit)
{
    double ways[STATS_WILCOXON_EXACT_MAX * (STATS_WILCOXON_EXACT_MAX + 1) + 1] = {1};
    size_t most = 0;
    double total = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t sum = most + 1; sum-- > 0;) {
            ways[sum + ranks[i]] += ways[sum];
        }
        most += ranks[i];
    }
    for (size_t sum = 0; sum <= limit; sum++) {
        total += ways[sum];
    }
    return ldexp(total, -(int)count);
}

static double normal_p(double smaller, double count, double ties)
{
    double mean = count * (count + 1) / 4;
    double variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48;
    double distance = fmax(mean - smaller - 0.5, 0);

    return fmin(2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)), 1);
}

enum hs_err stats_wilcoxon(const double *differences, size_t count, struct stats_wilcoxon *result,
                           struct hs_error *error)
{
    struct signed_size *sizes = calloc(count + 1, sizeof *sizes);
    size_t *ranks = calloc(count + 1, sizeof *ranks);
    size_t sums[2] = {0}; /* doubled, of negative and positive */
    size_t used = 0;
    enum hs_err code = sizes && ranks ? HS_OK : hs_error_memory(error);
    double ties;

    *result = (struct stats_wilcoxon){.p = 1, .is_exact = true};
    if (code == HS_OK) {
        for (size_t i = 0; i < count; i++) {
            if (differences[i] < 0 || differences[i] > 0) {
                sizes[used++] = (struct signed_size){fabs(differences[i]), differences[i] > 0};
            }
        }
        qsort(sizes, used, sizeof *sizes, compare_sizes);
        ties = rank(sizes, used, ranks);
        for (size_t i = 0; i < used; i++) {
            sums[sizes[i].is_positive] += ranks[i];
        }
        size_t smaller = sums[0] < sums[1] ? sums[0] : sums[1];

        result->used = used;
        result->minus = (double)sums[0] / 2;
        result->plus = (double)sums[1] / 2;
        result->is_exact = used <= STATS_WILCOXON_EXACT_MAX;
        if (used > 0) {
            result->p = result->is_exact ? fmin(2 * lower_tail(ranks, used, smaller), 1)
                                         : normal_p((double)smaller / 2, (double)used, ties);
        }
    }
    free(ranks);
    free(sizes);
    return code;
}

void stats_holm(const double *p, size_t count, double *adjusted)
{
    size_t members = 0;

    for (size_t i = 0; i < count; i++) {
        members += isnan(p[i]) ? 0 : 1;
    }
    for (size_t i = 0; i < count; i++) {
        size_t factor = members;

        for (size_t k = 0; k < count; k++) {
            factor -= p[k] < p[i];
        }
        adjusted[i] = isnan(p[i]) ? NAN : fmin(p[i] * (double)factor, 1);
    }
    /* None is below that of a smaller p; what is raised already is right for those above, too. */
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (p[k] < p[i]) {
                adjusted[i] = fmax(adjusted[i], adjusted[k]);
            }
        }
    }
}
