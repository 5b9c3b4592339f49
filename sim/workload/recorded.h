/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorded.h - what a trace's own schedule held: use of the machine over time, by the recorded
 * starts.
 *
 * Jobs come in the order of their submit times, and none starts before its own, so what lies
 * before the newest submit is settled. Memory grows with the jobs that wait or run at once. */
#ifndef HSIM_WORKLOAD_RECORDED_H
#define HSIM_WORKLOAD_RECORDED_H

#include "workload/workload.h"

/* Something begins, or ends with negative amounts. */
struct recorded_change {
    hs_time time_ns;
    int64_t cores_milli;
    int64_t device_milli;
};

/* Zeroed: empty. */
struct recorded {
    struct recorded_change *heap;
    size_t count, room;
    int64_t cores_milli, device_milli; /* held now */
    /* The result, once finished. */
    int64_t jobs; /* whose start is recorded, and that ran for some time */
    hs_time first_start_ns, last_end_ns;
    int64_t peak_cores_milli, peak_device_milli; /* held at once, at the most */
    hs_int128 core_work, device_work;            /* thousandths x ns */
};

/* Takes a job; those without a recorded start count for nothing. False: no memory. */
bool recorded_add(struct recorded *recorded, const struct workload_job *job);
/* All jobs were taken. */
void recorded_finish(struct recorded *recorded);
void recorded_fini(struct recorded *recorded);

#endif
