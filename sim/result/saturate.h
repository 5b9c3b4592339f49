/* SPDX-License-Identifier: GPL-3.0-or-later */
/* saturate.h - sums and products that stop at the ends of their range.
 *
 * For numbers out of files: in a sound file nothing overflows and these are exact; in a damaged
 * one the checks that use them fail in either case, and shall do so with a sentence. */
#ifndef HSIM_RESULT_SATURATE_H
#define HSIM_RESULT_SATURATE_H

#include "hs/base.h"

static inline int64_t saturate_sum(int64_t left, int64_t right)
{
    int64_t sum;

    return __builtin_add_overflow(left, right, &sum) ? (left < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static inline int64_t saturate_difference(int64_t left, int64_t right)
{
    int64_t rest;

    return __builtin_sub_overflow(left, right, &rest) ? (left < 0 ? INT64_MIN : INT64_MAX) : rest;
}

static inline int64_t saturate_product(int64_t left, int64_t right)
{
    int64_t product;

    if (__builtin_mul_overflow(left, right, &product)) {
        return (left < 0) == (right < 0) ? INT64_MAX : INT64_MIN;
    }
    return product;
}

/* Largest sum that saturate_add makes; its negative is the smallest, so that it can be negated. */
#define SATURATE_INT128_MAX ((((hs_int128)1 << 126) - 1) * 2 + 1)

static inline void saturate_add(hs_int128 *sum, hs_int128 value)
{
    bool is_negative = *sum < 0;

    if (__builtin_add_overflow(*sum, value, sum)) {
        *sum = is_negative ? -SATURATE_INT128_MAX : SATURATE_INT128_MAX;
    } else if (*sum < -SATURATE_INT128_MAX) {
        *sum = -SATURATE_INT128_MAX;
    }
}

#endif
