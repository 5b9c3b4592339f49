/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drive.h - runs jobs on the scheduling core with speed classes, without the rest of hsim. */
#ifndef HSIM_TESTS_DRIVE_H
#define HSIM_TESTS_DRIVE_H

#include "builtin.h"
#include "hs/sched.h"
#include "unit.h"

struct drive_job {
    hs_time submit_ns; /* ascending */
    struct hs_demand demand;
    const hs_time *times_ns;  /* predicted, by speed class; HS_TIME_NEVER: it cannot run there */
    double part;              /* of the predicted time that it really takes, 0 to 1 */
    hs_time start_ns, end_ns; /* found: -1: rejected */
    uint32_t speed_class;     /* found */
    uint32_t first_node;      /* found */
};

/* A node leaves, or comes back. */
struct drive_outage {
    hs_time time_ns; /* ascending */
    uint32_t node;
    bool is_available;
};

struct drive {
    const struct hs_cluster *cluster;
    struct hs_speeds speeds; /* class_count and class_of_node */
    struct drive_job *jobs;
    uint32_t job_count;
    const struct drive_outage *outages;
    uint32_t outage_count;
    struct hs_choice choice;
    bool is_plain;
    bool is_prompt;      /* a pass must not leave an idle cluster with jobs that wait */
    hs_time makespan_ns; /* found */
    uint32_t rejected;
    struct hs_sched_stats stats;
};

/* Runs all jobs to their ends. Every error, and a stall, fails the test. After each pass the
 * allocations are checked: none touches two speed classes, and none starts before its submission.
 */
void drive_run(struct drive *drive);

/* A cluster of `count` nodes alike. */
struct hs_cluster *drive_cluster(uint32_t count, uint32_t cores);

/* A reproducible number below `below`. */
uint32_t drive_draw(uint64_t *state, uint32_t below);

#endif
