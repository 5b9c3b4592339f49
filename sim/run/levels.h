/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.h - how much of the devices is given to jobs, free and lost, for the series. */
#ifndef HSIM_RUN_LEVELS_H
#define HSIM_RUN_LEVELS_H

#include "run/fragments.h"

struct levels {
    const struct hs_cluster *cluster; /* borrowed */
    bool has_fragments;
    struct result_groups groups; /* if it has them */
    struct fragments fragments;  /* likewise */
    int64_t *now;                /* as in result_point; NULL: there are no devices */
    int64_t *last;               /* at the last point */
    size_t count;
    int64_t
        *avail; /* in `now`: the cores that are available, then devices by kind; NULL: not told */
    uint32_t *held; /* by device: shares given to jobs, if `avail` is told; likewise the next */
    bool *is_away;  /* by node */
};

/* No job runs. The mix is for the fragmentation; NULL: it is empty. levels_fini in either case. */
enum hs_err levels_init(struct levels *levels, const struct hs_cluster *cluster, bool has_fragments,
                        bool has_avail, const struct hs_mix *mix,
                        struct hs_error *error) HS_MUST_USE;
void levels_fini(struct levels *levels); /* takes a zeroed one too */

void levels_started(struct levels *levels, const struct hs_demand *demand,
                    const struct hs_alloc *alloc);
void levels_ended(struct levels *levels, const struct hs_demand *demand,
                  const struct hs_alloc *alloc);

/* A node leaves or comes back; only where `avail` is told. Its cores are the caller's to count. */
void levels_set_available(struct levels *levels, uint32_t node, bool is_available);

/* Whether they are others than when levels_keep was called last. */
bool levels_are_new(const struct levels *levels);
void levels_keep(struct levels *levels);

#endif
