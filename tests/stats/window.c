/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window.c - MSER-5 against its definition written out, and what counts as growth. */
#include <math.h>

#include "stats/stats.h"
#include "unit.h"

#define VALUES_MAX 400

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Each d in its own pass, from the definition. */
static size_t by_definition(const double *values, size_t count)
{
    size_t batches = count / STATS_MSER_BATCH;
    double least = INFINITY;
    size_t best = 0;

    for (size_t d = 0; d <= batches / 2; d++) {
        double kept = (double)(batches - d);
        double mean = stats_mean(values + d * STATS_MSER_BATCH, (batches - d) * STATS_MSER_BATCH);
        double squares = 0;

        for (size_t k = d; k < batches; k++) {
            double batch = stats_mean(values + k * STATS_MSER_BATCH, STATS_MSER_BATCH);

            squares += (batch - mean) * (batch - mean);
        }
        if (squares / (kept * kept) < least) {
            least = squares / (kept * kept);
            best = d;
        }
    }
    return best * STATS_MSER_BATCH;
}

static void test_definition(void)
{
    uint64_t state = 3;

    for (int k = 0; k < 200; k++) {
        double values[VALUES_MAX];
        size_t count = 10 + (size_t)(uniform(&state) * (VALUES_MAX - 10));
        double scale = (double)(k % 7) * 20;

        for (size_t i = 0; i < count; i++) {
            values[i] = 5 + uniform(&state) - scale * exp(-(double)i / 15);
        }
        CU_ASSERT_EQUAL(stats_mser5(values, count).drop, by_definition(values, count));
    }
}

static void test_transient(void)
{
    double values[VALUES_MAX];
    uint64_t state = 5;
    struct stats_warmup warmup;

    for (int i = 0; i < VALUES_MAX; i++) {
        values[i] = i < 60 ? 10 + (double)i : 70 + uniform(&state);
    }
    warmup = stats_mser5(values, VALUES_MAX);
    CU_ASSERT(warmup.drop == 60 && !warmup.is_at_limit && warmup.batches == 80);
    for (int i = 0; i < VALUES_MAX; i++) {
        values[i] = (double)i; /* never settles */
    }
    warmup = stats_mser5(values, VALUES_MAX);
    CU_ASSERT(warmup.is_at_limit && warmup.drop == 200);
    for (int i = 0; i < VALUES_MAX; i++) {
        values[i] = 4;
    }
    warmup = stats_mser5(values, VALUES_MAX);
    CU_ASSERT(warmup.drop == 0 && !warmup.is_at_limit);
    warmup = stats_mser5(values, 9); /* one batch and a rest */
    CU_ASSERT(warmup.drop == 0 && warmup.batches == 0);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"MSER-5 by its definition", test_definition},
        {"a transient of known length", test_transient},
    };

    return unit_main("stats window", tests, sizeof tests / sizeof tests[0]);
}
