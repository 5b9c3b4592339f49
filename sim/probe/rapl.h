/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rapl.h - energy of the processor packages, counted by the processor (RAPL). */
#ifndef HSIM_PROBE_RAPL_H
#define HSIM_PROBE_RAPL_H

#include "probe/probe.h"

#define RAPL_ZONES_MAX 16

/* One reading of all packages. */
struct rapl {
    int64_t energy_uj[RAPL_ZONES_MAX];
    int64_t range_uj[RAPL_ZONES_MAX]; /* where the counter starts again */
    bool is_package[RAPL_ZONES_MAX];
    double time_s;
    int64_t busy_ticks, all_ticks; /* of the kernel, over all processors of the machine */
    uint32_t count;                /* of packages; 0: none can be read */
    bool is_forbidden;             /* there are counters, but not for this user */
};

void rapl_read(const char *root, double now_s, struct rapl *rapl);

/* Mean power of all packages between two readings; NaN if it is not known. */
double rapl_power(const struct rapl *before, const struct rapl *after);

/* Part of the machine's time between two readings that was spent at work; NaN if not known. */
double rapl_load(const struct rapl *before, const struct rapl *after);

#endif
