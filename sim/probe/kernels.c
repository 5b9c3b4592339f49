/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.c - triad and multiply-add loops.
 *
 * Twelve independent sums hide the latency of multiply-adds: two units of 4 to 5 cycles need eight
 * to ten in flight, and twelve sums with two constants fit the sixteen registers of AVX2. */
#include "probe/kernels.h"

#define SUMS    12
#define PER_SUM 2 /* operations: a product and a sum */

void kernels_triad(double *a, const double *b, const double *c, double factor, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        a[i] = b[i] + factor * c[i];
    }
    /* The result counts as used, so that no pass is left out. */
    __asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
}

/* The sums start apart, or the compiler would make them one; they stay near 1. */
#define KERNEL(name, attributes, scalar, bytes)                                                    \
    attributes static double name(size_t rounds)                                                   \
    {                                                                                              \
        typedef scalar vector __attribute__((vector_size(bytes)));                                 \
        const vector zero = {0};                                                                   \
        const vector factor = zero + (scalar)0.5;                                                  \
        const vector term = zero + (scalar)0.5;                                                    \
        scalar start = (scalar)rounds;                                                             \
        vector s0 = zero + start, s1 = s0 + 1, s2 = s0 + 2, s3 = s0 + 3, s4 = s0 + 4, s5 = s0 + 5, \
               s6 = s0 + 6, s7 = s0 + 7, s8 = s0 + 8, s9 = s0 + 9, s10 = s0 + 10, s11 = s0 + 11;   \
                                                                                                   \
        for (size_t i = 0; i < rounds; i++) {                                                      \
            s0 = s0 * factor + term;                                                               \
            s1 = s1 * factor + term;                                                               \
            s2 = s2 * factor + term;                                                               \
            s3 = s3 * factor + term;                                                               \
            s4 = s4 * factor + term;                                                               \
            s5 = s5 * factor + term;                                                               \
            s6 = s6 * factor + term;                                                               \
            s7 = s7 * factor + term;                                                               \
            s8 = s8 * factor + term;                                                               \
            s9 = s9 * factor + term;                                                               \
            s10 = s10 * factor + term;                                                             \
            s11 = s11 * factor + term;                                                             \
        }                                                                                          \
        s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;                              \
        return (double)s0[0];                                                                      \
    }

#define FLOPS(bytes, scalar) ((double)(bytes) / sizeof(scalar) * SUMS * PER_SUM)
#define ROW(name, bytes, fp64, fp32)                                                               \
    {                                                                                              \
        name, FLOPS(bytes, double), FLOPS(bytes, float), fp64, fp32                                \
    }

KERNEL(plain_fp64, , double, 16)
KERNEL(plain_fp32, , float, 16)

#if defined(__x86_64__)

KERNEL(avx2_fp64, __attribute__((target("avx2,fma"))), double, 32)
KERNEL(avx2_fp32, __attribute__((target("avx2,fma"))), float, 32)
KERNEL(avx512_fp64, __attribute__((target("avx512f"))), double, 64)
KERNEL(avx512_fp32, __attribute__((target("avx512f"))), float, 64)

const struct kernels_flops *kernels_choose(void)
{
    static const struct kernels_flops sse2 = ROW("sse2", 16, plain_fp64, plain_fp32);
    static const struct kernels_flops avx2 = ROW("avx2", 32, avx2_fp64, avx2_fp32);
    static const struct kernels_flops avx512 = ROW("avx512", 64, avx512_fp64, avx512_fp32);

    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) {
        return &avx512;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2 : &sse2;
}

#else

const struct kernels_flops *kernels_choose(void)
{
    static const struct kernels_flops plain = ROW("128-bit", 16, plain_fp64, plain_fp32);

    return &plain;
}

#endif
