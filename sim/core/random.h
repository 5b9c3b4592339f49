/* SPDX-License-Identifier: MIT */
/* random.h - random numbers keyed by (seed, stream, id), independent of the order of draws. */
#ifndef HSI_RANDOM_H
#define HSI_RANDOM_H

#include "hs/base.h"

/* In [0, 1) with 53 random bits. SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014) over the
 * three parts of the key. */
double hsi_random_keyed(uint64_t seed, const char *stream, uint64_t id);

/* The finaliser alone: a bijection of 64-bit words that mixes well. */
uint64_t hsi_mix64(uint64_t value);

#endif
