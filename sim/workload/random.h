/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.h - random bits as a pure function of (seed, stream name, number).
 *
 * No state: a draw does not depend on which draws came before it. Mixing is the finaliser of
 * SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), the name is folded in by FNV-1a. */
#ifndef HSIM_WORKLOAD_RANDOM_H
#define HSIM_WORKLOAD_RANDOM_H

#include "hs/base.h"

static inline uint64_t workload_random_mix(uint64_t bits)
{
    bits += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

static inline uint64_t workload_random_bits(uint64_t seed, const char *stream, uint64_t number)
{
    uint64_t name = UINT64_C(0xCBF29CE484222325);

    for (; *stream; stream++) {
        name = (name ^ (unsigned char)*stream) * UINT64_C(0x100000001B3);
    }
    return workload_random_mix(workload_random_mix(workload_random_mix(seed) ^ name) ^ number);
}

/* Uniform in [0, limit). */
static inline uint64_t workload_random_below(uint64_t bits, uint64_t limit)
{
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)(((wide)bits * limit) >> 64);
}

#endif
