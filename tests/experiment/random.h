/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.h - a small seeded generator for the property tests of this folder (xorshift64*). */
#ifndef HSIM_TESTS_EXPERIMENT_RANDOM_H
#define HSIM_TESTS_EXPERIMENT_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* not 0 */
};

static inline uint64_t random_next(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * UINT64_C(2685821657736338717);
}

/* 0 .. limit - 1 */
static inline uint64_t random_below(struct random *random, uint64_t limit)
{
    return (random_next(random) >> 11) % limit;
}

#endif
