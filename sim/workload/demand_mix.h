/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_mix.h - what a workload asks for beyond processors: which devices, in which shares, under
 * which constraints, and how much of the jobs and of the work that is. */
#ifndef HSIM_WORKLOAD_DEMAND_MIX_H
#define HSIM_WORKLOAD_DEMAND_MIX_H

#include "workload/workload.h"

#define DEMAND_MIX_ROWS_MAX 256 /* further sets of devices are counted together */

enum demand_mix_group {
    DEMAND_MIX_KIND,  /* "gpu", "device" */
    DEMAND_MIX_MODEL, /* "gpu:a100|h100" */
    DEMAND_MIX_SHARE, /* "whole devices", "shares of a device" */
    DEMAND_MIX_WISH,  /* "same-island", "alternatives", ... */
};

struct demand_mix_row {
    char name[96];
    enum demand_mix_group group;
    int64_t jobs;
    hs_int128 work;        /* processors x run time, ns */
    hs_int128 device_work; /* thousandths of devices x run time, ns */
};

/* Zeroed: empty. Rows stand in the order in which they were first met. */
struct demand_mix {
    struct demand_mix_row *rows;
    size_t count, room;
    int64_t jobs, device_jobs; /* all, with devices */
    hs_int128 work, device_work;
};

/* False: no memory. */
bool demand_mix_add(struct demand_mix *mix, const struct workload_job *job,
                    const struct workload_names *names);
/* By group, in each by falling number of jobs; ties by name. */
void demand_mix_sort(struct demand_mix *mix);
void demand_mix_fini(struct demand_mix *mix);

#endif
