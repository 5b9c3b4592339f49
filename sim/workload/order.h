/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.h - a queue of jobs by (submit time, order of arrival).
 *
 * Jobs that arrive in order pass through a ring at the cost of one copy; the others wait in a
 * binary heap. The first of the two fronts comes out. Memory grows with the number of jobs held. */
#ifndef HSIM_WORKLOAD_ORDER_H
#define HSIM_WORKLOAD_ORDER_H

#include "workload/workload.h"

struct workload_order_entry {
    hs_time submit_ns;
    uint64_t sequence; /* order of arrival */
    size_t slot;
};

struct workload_order {
    struct workload_job *jobs; /* [capacity] */
    size_t *free_slots;
    size_t free_count;
    size_t capacity;
    struct workload_order_entry *ring; /* [capacity], ascending from ring_first */
    size_t ring_first, ring_count;
    struct workload_order_entry *heap; /* [capacity] */
    size_t heap_count;
    uint64_t sequence;
};

void workload_order_fini(struct workload_order *order); /* takes a zeroed one */

/* Memory for the next job; NULL: none left. Valid until the next call of any function here. */
struct workload_job *workload_order_slot(struct workload_order *order);
/* Queues the job that the slot now holds. */
void workload_order_push(struct workload_order *order);

size_t workload_order_count(const struct workload_order *order);
/* Submit time of the first job; the queue is not empty. */
hs_time workload_order_first(const struct workload_order *order);
/* Takes the first job out. */
void workload_order_pop(struct workload_order *order, struct workload_job *job);

#endif
