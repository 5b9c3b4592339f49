/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quantile.c - order statistics by digits. */
#include "result/quantile.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS  16u
#define DIGIT_COUNT 4u

static uint64_t key_of(double value)
{
    uint64_t key;

    memcpy(&key, &value, sizeof key);
    return key;
}

/* Shift that leaves the first `digits` digits of a key; there is at least one. */
static unsigned shift_of(unsigned digits)
{
    return (DIGIT_COUNT - digits) * DIGIT_BITS;
}

enum hs_err quantile_counts_init(struct quantile_counts *counts, struct hs_error *error)
{
    counts->count = 0;
    counts->bins = calloc(QUANTILE_BINS, sizeof *counts->bins);
    return counts->bins ? HS_OK : hs_error_memory(error);
}

void quantile_counts_fini(struct quantile_counts *counts)
{
    free(counts->bins);
    counts->bins = NULL;
}

void quantile_counts_add(struct quantile_counts *counts, double value)
{
    counts->bins[key_of(value) >> shift_of(1)]++;
    counts->count++;
}

/* Steps into the bin with the wanted rank; then the values in it are either few and are kept at
 * the next reading, or are counted by their next digit. */
static void enter_bin(struct quantile *quantile, const uint32_t *bins)
{
    uint32_t bin = 0;

    while (quantile->rank >= bins[bin]) {
        quantile->rank -= bins[bin];
        bin++;
    }
    quantile->prefix = quantile->prefix << DIGIT_BITS | bin;
    quantile->digits++;
    quantile->is_keeping = bins[bin] <= QUANTILE_KEEP;
}

enum hs_err quantile_init(struct quantile *quantile, const struct quantile_counts *counts,
                          unsigned percent, struct hs_error *error)
{
    *quantile = (struct quantile){0};
    HS_ASSERT(counts->count > 0);
    quantile->store.any = calloc(QUANTILE_KEEP, sizeof(double));
    if (!quantile->store.any) {
        return hs_error_memory(error);
    }
    quantile->rank = (int64_t)(((hs_int128)counts->count * percent + 99) / 100) - 1;
    enter_bin(quantile, counts->bins);
    return HS_OK;
}

void quantile_fini(struct quantile *quantile)
{
    free(quantile->store.any);
    quantile->store.any = NULL;
}

/* Counts the next digit of a key with the digits found so far. */
static void count_key(struct quantile *quantile, uint64_t key, unsigned shift)
{
    if (!quantile->has_first) {
        quantile->has_first = true;
        quantile->is_uniform = true;
        quantile->first_key = key;
    }
    quantile->is_uniform = quantile->is_uniform && key == quantile->first_key;
    quantile->store.bins[key >> shift & (QUANTILE_BINS - 1)]++;
}

void quantile_add(struct quantile *quantile, const double *values, size_t count)
{
    unsigned shift = shift_of(quantile->digits);
    uint64_t first = quantile->prefix << shift; /* keys with the digits found: so many from here */
    uint64_t width = UINT64_C(1) << shift;

    if (quantile->is_done) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_of(values[i]);

        if (key - first >= width) {
            continue;
        }
        if (quantile->is_keeping) {
            quantile->store.values[quantile->kept++] = values[i];
        } else {
            count_key(quantile, key, shift - DIGIT_BITS);
        }
    }
}

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

bool quantile_step(struct quantile *quantile)
{
    if (quantile->is_done) {
        return true;
    }
    if (quantile->is_keeping) {
        qsort(quantile->store.values, quantile->kept, sizeof(double), compare_values);
        quantile->value = quantile->store.values[quantile->rank];
        quantile->is_done = true;
        return true;
    }
    if (quantile->is_uniform) {
        /* Often: a wait of 0, a slowdown of 1. */
        memcpy(&quantile->value, &quantile->first_key, sizeof quantile->value);
        quantile->is_done = true;
        return true;
    }
    enter_bin(quantile, quantile->store.bins);
    if (quantile->digits == DIGIT_COUNT) {
        /* All that are left are equal. */
        memcpy(&quantile->value, &quantile->prefix, sizeof quantile->value);
        quantile->is_done = true;
        return true;
    }
    quantile->has_first = false;
    memset(quantile->store.any, 0, QUANTILE_BINS * sizeof(uint32_t));
    return false;
}
