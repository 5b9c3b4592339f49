/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch.h - on-line mapping: tasks arrive, and a batch at a time is mapped for good.
 *
 * The batch mode of Maheswaran et al., JPDC 59(2), 1999, with one difference: a task that has a
 * machine keeps it, while theirs are mapped again until they start. Machines keep their ready times
 * from batch to batch. Of the matrix only the rows of one batch are held. */
#ifndef HSIM_MAP_BATCH_H
#define HSIM_MAP_BATCH_H

#include "lib/mapping.h"
#include "map/etc.h"
#include "map/generate.h"

struct map_batch_options {
    const struct hp_heuristic *heuristic;
    const struct map_etc *etc;           /* the rows come from here, or */
    const struct map_generate *generate; /* are drawn as they are needed */
    uint32_t batch_size; /* tasks; a batch is mapped when its last one arrives. 0: by interval */
    double interval_s;   /* > 0: all that have arrived are mapped at each multiple of it */
    double rate_per_s;   /* arrivals are a Poisson process; 0: all arrive at 0 */
    uint64_t seed;       /* of the arrivals */
};

/* One task as it was mapped; times in seconds. */
struct map_placed {
    uint32_t task, machine; /* HP_MAPPING_NONE: it can run nowhere; times but the first two are 0 */
    double arrival_s, mapped_s, start_s, end_s;
};

struct map_batch_result {
    uint64_t batch_count, mapped_count, cell_count;
    uint32_t batch_max; /* tasks of the largest batch */
    double makespan_s;  /* last end */
    double flowtime_s;  /* sum of end - arrival */
    double busy_s;      /* sum of times of the tasks where they run */
    double balance;     /* busy_s / (machines * makespan_s); 0 without a makespan */
};

/* Runs all batches. `take` (may be NULL) gets every task, in the order of mapping; if it returns
 * false, that ends the run with HS_ERR_INTERRUPTED. `mark` (may be NULL) is called with true before
 * a batch is mapped and with false behind, so that a caller can take the time of that alone. */
struct map_batch_calls {
    bool (*take)(void *context, const struct map_placed *placed);
    void (*mark)(void *context, bool is_begin);
    void *context;
};
enum hs_err map_batch_run(const struct map_batch_options *options,
                          const struct map_batch_calls *calls, struct map_batch_result *result,
                          struct hs_error *error) HS_MUST_USE;

#endif
