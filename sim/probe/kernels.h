/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.h - the loops that are timed. This file's source alone is built with -O3 and fused
 * multiply-add, in debug builds as well. */
#ifndef HSIM_PROBE_KERNELS_H
#define HSIM_PROBE_KERNELS_H

#include <stddef.h>

/* a[i] = b[i] + factor * c[i]: the triad of STREAM (McCalpin, 1995), 24 bytes an element. */
void kernels_triad(double *a, const double *b, const double *c, double factor, size_t count);

/* Multiply-adds in registers. `run` makes `rounds` rounds of `flops` operations each; its result
 * is of no use but keeps the compiler from leaving the work out. */
struct kernels_flops {
    const char *name; /* of the instructions: "avx512" */
    double fp64_flops, fp32_flops;
    double (*run_fp64)(size_t rounds);
    double (*run_fp32)(size_t rounds);
};

/* The widest that this processor can do. */
const struct kernels_flops *kernels_choose(void);

#endif
