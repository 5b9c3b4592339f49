/* SPDX-License-Identifier: MIT */
/* timeline.h - reservations on concrete nodes and devices over time, where counting does not do.
 *
 * What is free at a time to come follows from what is free now, the expected ends of the running
 * jobs and the reservations, replayed in order of time on scratch states (hs_free_follow): no state
 * is kept for each step, so memory and time go with what changes, not with nodes x steps. Times at
 * which something ends after it was expected to count as right after now. */
#ifndef HP_TIMELINE_H
#define HP_TIMELINE_H

#include "hs/policy.h"

/* A reservation of a waiting job, by its slot. */
struct hp_booking {
    hs_time from_ns;
    hs_time to_ns; /* from_ns == to_ns: none */
    const struct hs_demand *demand;
    struct hs_alloc alloc; /* owned copy */
    struct hs_span *spans;
    struct hs_device_share *devices;
    uint32_t span_room;
    uint32_t device_room;
};

/* A booking begins or ends. */
struct hp_change {
    hs_time time_ns;
    uint32_t slot;
    bool is_begin;
};

/* Zero it before first use. */
struct hp_timeline {
    struct hp_booking *bookings; /* by slot */
    struct hp_change *changes;   /* by time; at one time ends come first */
    uint32_t booking_room;
    uint32_t change_count;
    uint32_t change_room;
    uint32_t span_room; /* of each booking that is made: as many as any has had */
    uint32_t device_room;
    struct hs_free *at;           /* free at the time that is tried */
    struct hs_free *roll;         /* free at a time within the window behind it */
    struct hs_free *window;       /* free all through the window */
    struct hs_alloc_buffer found; /* where hp_timeline_earliest found its room */
};

/* Room for the slots of all live jobs. Forgets nothing. False: no memory. */
bool hp_timeline_reserve(struct hp_timeline *timeline, const struct hs_view *view);

/* Forgets all reservations. */
void hp_timeline_clear(struct hp_timeline *timeline);

/* The earliest start from now on at which `job` fits for its walltime beside the running jobs and
 * the reservations; HS_TIME_NEVER: none. timeline->found.alloc is where. Cost: what changes until
 * then, once for each time at which the job would fit and is in the way of a reservation. False: no
 * memory. */
bool hp_timeline_earliest(struct hp_timeline *timeline, const struct hs_view *view,
                          const struct hs_job *job, hs_time *earliest) HS_MUST_USE;

/* Reserves `alloc` (copied) for the waiting job, or takes the reservation back (if there is one). A
 * job that has started holds its resources by itself: take it back then. False: no memory. */
bool hp_timeline_book(struct hp_timeline *timeline, const struct hs_job *job,
                      const struct hs_alloc *alloc, hs_time from, hs_time to);
void hp_timeline_unbook(struct hp_timeline *timeline, const struct hs_job *job);

/* The reservation of the job, or NULL. */
const struct hp_booking *hp_timeline_find(const struct hp_timeline *timeline,
                                          const struct hs_job *job);

void hp_timeline_fini(struct hp_timeline *timeline);

#endif
