/* SPDX-License-Identifier: MIT */
/* random.c - keyed random numbers. */
#include "random.h"

uint64_t hsi_mix64(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

double hsi_random_keyed(uint64_t seed, const char *stream, uint64_t id)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t state = hsi_mix64(seed + golden);

    for (const char *c = stream; *c; c++) {
        state = hsi_mix64((state ^ (unsigned char)*c) + golden);
    }
    state = hsi_mix64((state ^ id) + golden);
    return (double)(state >> 11) * 0x1.0p-53;
}
