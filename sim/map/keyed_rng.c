/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keyed_rng.c - SplitMix64 as a generator of GSL. */
#include "map/keyed_rng.h"

#include <gsl/gsl_errno.h>

#include "workload/random.h"

static uint64_t next(void *state)
{
    uint64_t *counter = state;
    uint64_t bits = workload_random_mix(*counter);

    *counter += UINT64_C(0x9E3779B97F4A7C15);
    return bits;
}

static void seed_set(void *state, unsigned long seed)
{
    *(uint64_t *)state = seed;
}

static unsigned long get(void *state)
{
    return (unsigned long)(next(state) >> 32);
}

static double get_double(void *state)
{
    return (double)(next(state) >> 11) * 0x1.0p-53;
}

static const gsl_rng_type split_mix = {
    .name = "splitmix64",
    .max = UINT32_MAX,
    .min = 0,
    .size = sizeof(uint64_t),
    .set = seed_set,
    .get = get,
    .get_double = get_double,
};

gsl_rng *map_rng_create(void)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* it would abort without memory */
    gsl_rng *rng = gsl_rng_alloc(&split_mix);

    (void)gsl_set_error_handler(handler);
    return rng;
}

void map_rng_begin(gsl_rng *rng, uint64_t seed, const char *stream, uint64_t number)
{
    *(uint64_t *)rng->state = workload_random_bits(seed, stream, number);
}
