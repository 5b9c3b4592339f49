/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quantile.h - exact order statistics of a stream that can be read again, in constant memory.
 *
 * Non-negative doubles order as their bits do, so that a value is found digit by digit, 16 bits at
 * a time: count the digits, step into the one that holds the wanted rank, read again. As soon as
 * few enough values share the digits, they are kept and sorted. The first digit is counted while
 * the stream comes the first time. Internal to sim/result. */
#ifndef HSIM_RESULT_QUANTILE_H
#define HSIM_RESULT_QUANTILE_H

#include "hs/base.h"

#define QUANTILE_BINS 65536u
#define QUANTILE_KEEP 65536u /* values at most, in the same memory as the bins */

/* Counts of the first digit. */
struct quantile_counts {
    uint32_t *bins; /* QUANTILE_BINS */
    int64_t count;
};

/* Search for one rank. */
struct quantile {
    int64_t rank;    /* wanted, from 0, among the values that share the digits found */
    uint64_t prefix; /* digits found, in the low bits */
    unsigned digits; /* how many of the four */
    bool is_keeping; /* values are kept, not counted */
    bool is_done;
    bool has_first;  /* `first_key` is that of the first value counted at this reading */
    bool is_uniform; /* all counted since are equal to it */
    uint64_t first_key;
    uint32_t kept;
    double value;
    union {
        uint32_t *bins;
        double *values;
        void *any;
    } store;
};

enum hs_err quantile_counts_init(struct quantile_counts *counts,
                                 struct hs_error *error) HS_MUST_USE;
void quantile_counts_fini(struct quantile_counts *counts);
/* Adds a value >= 0 of the first reading. */
void quantile_counts_add(struct quantile_counts *counts, double value);

/* Begins the search for the value of rank ceil(count x percent / 100), the nearest rank; there is
 * at least one value. */
enum hs_err quantile_init(struct quantile *quantile, const struct quantile_counts *counts,
                          unsigned percent, struct hs_error *error) HS_MUST_USE;
void quantile_fini(struct quantile *quantile);
/* Every value, once per reading; NaN is passed over. */
void quantile_add(struct quantile *quantile, const double *values, size_t count);
/* After each reading: true if `value` is found, else read again. */
bool quantile_step(struct quantile *quantile);

#endif
