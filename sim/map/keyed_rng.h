/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keyed_rng.h - a generator for GSL's distributions that can begin anywhere at once.
 *
 * GSL's own take 32 bits of seed, so that of 100,000 rows some would be equal. This one is
 * SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): its seed is all of its state. */
#ifndef HSIM_MAP_KEYED_RNG_H
#define HSIM_MAP_KEYED_RNG_H

#include <gsl/gsl_rng.h>

#include "hs/base.h"

/* NULL: no memory. Freed by gsl_rng_free. */
gsl_rng *map_rng_create(void);

/* Begins the sequence of (seed, stream, number). */
void map_rng_begin(gsl_rng *rng, uint64_t seed, const char *stream, uint64_t number);

#endif
