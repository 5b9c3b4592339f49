/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sum.h - sums of doubles that do not depend on their order, but for the last digit. Internal to
 * sim/result. */
#ifndef HSIM_RESULT_SUM_H
#define HSIM_RESULT_SUM_H

/* Neumaier's sum. */
struct metrics_sum {
    double sum, rest;
};

/* `rest` gathers what rounding takes away from `sum`: Knuth's exact error of an addition (The Art
 * of Computer Programming 2, 4.2.2, theorem B), which needs no branch. */
static inline void metrics_sum_add(struct metrics_sum *sum, double value)
{
    double total = sum->sum + value;
    double added = total - sum->sum;

    sum->rest += (sum->sum - (total - added)) + (value - added);
    sum->sum = total;
}

static inline double metrics_sum_value(const struct metrics_sum *sum)
{
    return sum->sum + sum->rest;
}

#endif
