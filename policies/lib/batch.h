/* SPDX-License-Identifier: MIT */
/* batch.h - waiting jobs to pools of nodes by a mapping heuristic (mapping.h, pools.h).
 *
 * Jobs of equal shape and equal predictions are one row of the matrix. Slots are ready when the
 * jobs that hold them are expected to end; where a pool's jobs hold more slots than it has (a core
 * here, a device there), those that end last do not count. Slots of nodes that are away are not
 * there: a job that then finds too few everywhere is not mapped. A job whose time is known nowhere
 * is taken for one of 1e12 s; if it is known somewhere, it cannot run elsewhere.
 */
#ifndef HP_BATCH_H
#define HP_BATCH_H

#include "lib/mapping.h"
#include "lib/pools.h"

/* Zero it before use. */
struct hp_batch {
    hs_time aging_ns; /* set by the owner: a job that has waited for this is twice as urgent, and so
                         on; 0: all are equally urgent */
    struct hp_mapper *mapper;
    const struct hs_job **jobs;
    uint32_t *row_of_job;
    double *urgency; /* by job */
    uint32_t job_count, job_room;
    double *times_s;             /* [row * pools + pool] */
    uint32_t *widths;            /* likewise */
    const struct hs_job **first; /* by row: its first job */
    uint32_t row_count, row_room;
    uint32_t *table; /* rows by hash, + 1; 0: empty */
    uint32_t table_size;
    bool is_wide; /* a width is not 1 */
    struct hp_booking *bookings;
    uint32_t booking_count, booking_room;
    struct hp_slots *slots;
    uint32_t *pool_of_running; /* scratch, as long */
    uint32_t slot_room;
    uint32_t *slots_begin; /* by pool, and the end; with one more while it is built */
    double *class_times_s; /* by speed class: of the job that is added; negative: not asked */
};

bool hp_batch_init(struct hp_batch *batch, const struct hs_view *view,
                   const struct hp_node_pools *pools) HS_MUST_USE;
void hp_batch_fini(struct hp_batch *batch);

/* Begins a batch without jobs and bookings. */
void hp_batch_begin(struct hp_batch *batch);

/* Adds a waiting job; all are mapped in this order where the heuristic looks at them in turn. If no
 * pool can run it, *can_run becomes false and it is not added. False: no memory. */
bool hp_batch_add(struct hp_batch *batch, const struct hs_view *view,
                  const struct hp_node_pools *pools, const struct hs_job *job,
                  bool *can_run) HS_MUST_USE;

/* A job that was mapped before and keeps its place, in their order in each pool. */
bool hp_batch_book(struct hp_batch *batch, struct hp_booking booking) HS_MUST_USE;

/* Maps the jobs: tasks of *mapping are jobs, machines are pools. False: no memory. */
bool hp_batch_map(struct hp_batch *batch, const struct hs_view *view,
                  const struct hp_node_pools *pools, const struct hp_heuristic *heuristic,
                  double patience, struct hp_mapping *mapping) HS_MUST_USE;

/* The time for which the i-th job is planned on this pool. */
double hp_batch_time(const struct hp_batch *batch, const struct hp_node_pools *pools, uint32_t i,
                     uint32_t pool);

/* The pool that computes the i-th job fastest, of equal ones the first. */
uint32_t hp_batch_fastest(const struct hp_batch *batch, const struct hp_node_pools *pools,
                          uint32_t i);

#endif
