/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c - one row of a comparison after the other. */
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>

/* Room for one row each: values of the policy and of the baseline, and what is made of them. */
struct scratch {
    double *own, *base, *made;
    size_t own_count, base_count;
};

static const struct stats_interval nothing = {NAN, NAN, NAN};

static size_t keep_values(const double *row, size_t columns, double *kept)
{
    size_t count = 0;

    for (size_t i = 0; i < columns; i++) {
        if (!isnan(row[i])) {
            kept[count++] = row[i];
        }
    }
    return count;
}

/* Without bounds if there are too few values. */
static struct stats_interval trim(struct stats_interval interval, size_t count)
{
    if (count < STATS_INTERVAL_MIN) {
        interval.low = NAN;
        interval.high = NAN;
    }
    return interval;
}

static enum hs_err center(const double *values, size_t count, const struct stats_design *design,
                          struct stats_interval *interval, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    if (design->is_median) {
        code = stats_bootstrap(values, count, stats_median, design->level,
                               count < STATS_INTERVAL_MIN ? 0 : design->resamples, design->seed,
                               interval, error);
    } else {
        *interval = stats_t_interval(values, count, design->level);
    }
    *interval = trim(*interval, count);
    return code;
}

static bool take_logarithms(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0)) {
            return false;
        }
        values[i] = log(values[i]);
    }
    return count > 0;
}

static struct stats_interval exponential(struct stats_interval interval)
{
    return (struct stats_interval){exp(interval.estimate), exp(interval.low), exp(interval.high)};
}

/* Leaves logarithms behind in the scratch. */
static struct stats_interval paired_ratio(struct scratch *scratch, size_t pairs, double level)
{
    if (!take_logarithms(scratch->own, pairs) || !take_logarithms(scratch->base, pairs)) {
        return nothing;
    }
    for (size_t i = 0; i < pairs; i++) {
        scratch->made[i] = scratch->own[i] - scratch->base[i];
    }
    return exponential(trim(stats_t_interval(scratch->made, pairs, level), pairs));
}

static enum hs_err compare_pairs(const double *own, const double *base, size_t columns,
                                 const struct stats_design *design, struct scratch *scratch,
                                 struct stats_cell *cell, struct hs_error *error)
{
    size_t pairs = 0;
    enum hs_err code;

    for (size_t i = 0; i < columns; i++) {
        if (!isnan(own[i]) && !isnan(base[i])) {
            scratch->own[pairs] = own[i];
            scratch->base[pairs] = base[i];
            scratch->made[pairs] = own[i] - base[i];
            cell->lower += own[i] < base[i];
            cell->higher += own[i] > base[i];
            pairs++;
        }
    }
    cell->pairs = pairs;
    cell->equal = pairs - cell->lower - cell->higher;
    code = center(scratch->made, pairs, design, &cell->difference, error);
    if (code == HS_OK && pairs >= STATS_INTERVAL_MIN) {
        code = stats_wilcoxon(scratch->made, pairs, &cell->test, error);
        cell->p = cell->test.p;
    }
    cell->ratio = paired_ratio(scratch, pairs, design->level);
    return code;
}

static void compare_samples(struct scratch *scratch, const struct stats_design *design,
                            struct stats_cell *cell)
{
    size_t fewer =
        scratch->own_count < scratch->base_count ? scratch->own_count : scratch->base_count;

    cell->difference = trim(stats_welch_interval(scratch->own, scratch->own_count, scratch->base,
                                                 scratch->base_count, design->level),
                            fewer);
    if (take_logarithms(scratch->own, scratch->own_count) &&
        take_logarithms(scratch->base, scratch->base_count)) {
        cell->ratio =
            exponential(trim(stats_welch_interval(scratch->own, scratch->own_count, scratch->base,
                                                  scratch->base_count, design->level),
                             fewer));
    }
}

static enum hs_err fill_cell(const double *own, const double *base, size_t columns,
                             const struct stats_design *design, struct scratch *scratch,
                             struct stats_cell *cell, struct hs_error *error)
{
    enum hs_err code;

    *cell = (struct stats_cell){.difference = nothing, .ratio = nothing, .p = NAN, .p_holm = NAN};
    cell->count = scratch->own_count = keep_values(own, columns, scratch->own);
    scratch->base_count = keep_values(base, columns, scratch->base);
    cell->deviation = stats_deviation(scratch->own, cell->count);
    code = center(scratch->own, cell->count, design, &cell->center, error);
    if (code != HS_OK || own == base) {
        return code;
    }
    if (design->is_paired) {
        return compare_pairs(own, base, columns, design, scratch, cell, error);
    }
    compare_samples(scratch, design, cell);
    return HS_OK;
}

static enum hs_err adjust(struct stats_cell *cells, size_t policies, struct hs_error *error)
{
    double *p = calloc(2 * policies + 1, sizeof *p);

    if (!p) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < policies; i++) {
        p[i] = cells[i].p;
    }
    stats_holm(p, policies, p + policies);
    for (size_t i = 0; i < policies; i++) {
        cells[i].p_holm = p[policies + i];
    }
    free(p);
    return HS_OK;
}

enum hs_err stats_compare(const double *values, size_t policies, size_t columns, size_t baseline,
                          const struct stats_design *design, struct stats_cell *cells,
                          struct hs_error *error)
{
    double *room = calloc(3 * columns + 1, sizeof *room);
    struct scratch scratch = {.own = room};
    enum hs_err code = room ? HS_OK : hs_error_memory(error);

    HS_ASSERT(baseline < policies);
    HS_ASSERT(design->is_paired || !design->is_median);
    if (room) {
        scratch.base = room + columns;
        scratch.made = room + 2 * columns;
    }
    for (size_t i = 0; code == HS_OK && i < policies; i++) {
        code = fill_cell(values + i * columns, values + baseline * columns, columns, design,
                         &scratch, &cells[i], error);
    }
    free(room);
    return code == HS_OK ? adjust(cells, policies, error) : code;
}
