/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.h - rates of all cores together, measured in about a second. */
#ifndef HSIM_PROBE_MEASURE_H
#define HSIM_PROBE_MEASURE_H

#include "probe/topology.h"

struct measure_plan {
    uint32_t thread_count; /* one a core */
    const struct topology_places *places;
    int64_t cache_bytes, mem_bytes;
};

/* The triad: bytes/s as STREAM counts them (24 an element), best of some passes over arrays of
 * measured->array_bytes. False with a note if threads or memory are short. */
bool measure_triad(const struct measure_plan *plan, struct probe_measured *measured,
                   struct probe_notes *notes);

/* Multiply-adds in both precisions: flop/s, best of some trials. */
bool measure_flops(const struct measure_plan *plan, struct probe_measured *measured,
                   struct probe_notes *notes);

/* Bytes of the three arrays together: twelve times the cache (four times each array, as STREAM
 * wants them), within limits. */
int64_t measure_array_bytes(int64_t cache_bytes, int64_t mem_bytes);

/* Seconds of a clock that only goes forward. */
double measure_now(void);

#endif
