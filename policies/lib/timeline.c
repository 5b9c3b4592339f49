/* SPDX-License-Identifier: MIT */
/* timeline.c - the earliest start beside reservations on concrete nodes and devices. */
#include "lib/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "lib/seconds.h"

bool hp_timeline_reserve(struct hp_timeline *timeline, const struct hs_view *view)
{
    uint32_t room = hs_view_slot_room(view);

    if (!timeline->at) {
        struct hs_free **states[] = {&timeline->at, &timeline->roll, &timeline->window};

        for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
            *states[i] = *states[i] ? *states[i] : hs_free_create(hs_view_cluster(view));
            if (!*states[i]) {
                return false;
            }
            (void)hs_free_track(*states[i], hs_view_placement(view)); /* else it is slower */
        }
    }
    if (room > timeline->booking_room) {
        struct hp_booking *moved = realloc(timeline->bookings, room * sizeof *moved);

        if (!moved) {
            return false;
        }
        memset(&moved[timeline->booking_room], 0, (room - timeline->booking_room) * sizeof *moved);
        timeline->bookings = moved;
        timeline->booking_room = room;
    }
    if (2 * timeline->booking_room > timeline->change_room) {
        struct hp_change *moved =
            realloc(timeline->changes, 2 * (size_t)timeline->booking_room * sizeof *moved);

        if (!moved) {
            return false;
        }
        timeline->changes = moved;
        timeline->change_room = 2 * timeline->booking_room;
    }
    return true;
}

void hp_timeline_clear(struct hp_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->change_count; i++) {
        struct hp_booking *booking = &timeline->bookings[timeline->changes[i].slot];

        booking->from_ns = booking->to_ns = 0;
    }
    timeline->change_count = 0;
}

static bool comes_before(const struct hp_change *left, const struct hp_change *right)
{
    if (left->time_ns != right->time_ns) {
        return left->time_ns < right->time_ns;
    }
    if (left->is_begin != right->is_begin) {
        return right->is_begin;
    }
    return left->slot < right->slot;
}

static uint32_t lower_bound(const struct hp_timeline *timeline, const struct hp_change *change)
{
    uint32_t low = 0;
    uint32_t high = timeline->change_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (comes_before(&timeline->changes[middle], change)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_change(struct hp_timeline *timeline, struct hp_change change)
{
    uint32_t at = lower_bound(timeline, &change);

    HS_ASSERT(timeline->change_count < timeline->change_room);
    memmove(&timeline->changes[at + 1], &timeline->changes[at],
            (timeline->change_count - at) * sizeof *timeline->changes);
    timeline->changes[at] = change;
    timeline->change_count++;
}

static void remove_change(struct hp_timeline *timeline, struct hp_change change)
{
    uint32_t at = lower_bound(timeline, &change);

    HS_ASSERT(at < timeline->change_count && timeline->changes[at].slot == change.slot);
    timeline->change_count--;
    memmove(&timeline->changes[at], &timeline->changes[at + 1],
            (timeline->change_count - at) * sizeof *timeline->changes);
}

/* Room for `wanted` elements in *array. */
static bool grow(void **array, uint32_t *room, uint32_t wanted, size_t size)
{
    void *moved;

    if (wanted <= *room) {
        return true;
    }
    moved = realloc(*array, wanted * size);
    if (!moved) {
        return false;
    }
    *array = moved;
    *room = wanted;
    return true;
}

static uint32_t enough(uint32_t room, uint32_t wanted)
{
    while (room < wanted) {
        room = room ? room * 2 : 4;
    }
    return room;
}

/* A booking gets room for any that there has been, so that soon none needs to grow in a pass. */
static bool copy_alloc(struct hp_timeline *timeline, struct hp_booking *booking,
                       const struct hs_alloc *alloc)
{
    void *spans = booking->spans;
    void *devices = booking->devices;
    bool is_done;

    timeline->span_room = enough(timeline->span_room, alloc->span_count);
    timeline->device_room = enough(timeline->device_room, alloc->device_count);
    is_done =
        grow(&spans, &booking->span_room, timeline->span_room, sizeof *booking->spans) &&
        grow(&devices, &booking->device_room, timeline->device_room, sizeof *booking->devices);

    booking->spans = spans;
    booking->devices = devices;
    if (!is_done) {
        return false;
    }
    booking->alloc = *alloc;
    booking->alloc.spans = spans;
    booking->alloc.devices = devices;
    if (alloc->span_count) {
        memcpy(spans, alloc->spans, alloc->span_count * sizeof *booking->spans);
    }
    if (alloc->device_count) {
        memcpy(devices, alloc->devices, alloc->device_count * sizeof *booking->devices);
    }
    return true;
}

bool hp_timeline_book(struct hp_timeline *timeline, const struct hs_job *job,
                      const struct hs_alloc *alloc, hs_time from, hs_time to)
{
    struct hp_booking *booking;

    HS_ASSERT(job->slot < timeline->booking_room && from < to);
    booking = &timeline->bookings[job->slot];
    HS_ASSERT(booking->from_ns == booking->to_ns);
    if (!copy_alloc(timeline, booking, alloc)) {
        return false;
    }
    booking->demand = job->demand;
    booking->from_ns = from;
    booking->to_ns = to;
    add_change(timeline, (struct hp_change){from, job->slot, true});
    add_change(timeline, (struct hp_change){to, job->slot, false});
    return true;
}

void hp_timeline_unbook(struct hp_timeline *timeline, const struct hs_job *job)
{
    struct hp_booking *booking;

    if (!hp_timeline_find(timeline, job)) {
        return;
    }
    booking = &timeline->bookings[job->slot];
    remove_change(timeline, (struct hp_change){booking->from_ns, job->slot, true});
    remove_change(timeline, (struct hp_change){booking->to_ns, job->slot, false});
    booking->from_ns = booking->to_ns = 0;
}

const struct hp_booking *hp_timeline_find(const struct hp_timeline *timeline,
                                          const struct hs_job *job)
{
    const struct hp_booking *booking =
        job->slot < timeline->booking_room ? &timeline->bookings[job->slot] : NULL;

    return booking && booking->from_ns < booking->to_ns ? booking : NULL;
}

/* A walk over the ends of running jobs and the changes, by time; at one time ends come first. */
struct walk {
    const struct hp_timeline *timeline;
    const struct hs_job *const *running;
    uint32_t running_count;
    uint32_t next_running;
    uint32_t next_change;
    hs_time now;
};

/* Takes place at the step of a walk. */
struct happening {
    hs_time time_ns;
    const struct hs_demand *demand;
    const struct hs_alloc *alloc;
    bool is_begin;
};

/* The next thing that happens before `limit`; false: none. */
static bool walk_next(struct walk *walk, hs_time limit, struct happening *happening)
{
    const struct hp_timeline *timeline = walk->timeline;
    const struct hs_job *job =
        walk->next_running < walk->running_count ? walk->running[walk->next_running] : NULL;
    const struct hp_change *change =
        walk->next_change < timeline->change_count ? &timeline->changes[walk->next_change] : NULL;
    hs_time job_end = HS_TIME_NEVER;

    if (job) {
        job_end = job->expected_end_ns > walk->now ? job->expected_end_ns : walk->now + 1;
    }
    if (change && (change->time_ns < job_end || (change->time_ns == job_end && !job))) {
        const struct hp_booking *booking = &timeline->bookings[change->slot];

        *happening =
            (struct happening){change->time_ns, booking->demand, &booking->alloc, change->is_begin};
        if (change->time_ns == HS_TIME_NEVER || change->time_ns >= limit) {
            return false;
        }
        walk->next_change++;
        return true;
    }
    if (job_end == HS_TIME_NEVER || job_end >= limit) {
        return false;
    }
    *happening = (struct happening){job_end, job->demand, job->alloc, false};
    walk->next_running++;
    return true;
}

static void apply(struct hs_free *state, const struct happening *happening)
{
    if (happening->is_begin) {
        hs_free_take(state, happening->demand, happening->alloc);
    } else {
        hs_free_release(state, happening->demand, happening->alloc);
    }
}

/* Does the job fit from the time of `at`, before which `walk` stands, until `end`? */
static bool fits_until(struct hp_timeline *timeline, const struct hs_view *view,
                       const struct hs_job *job, struct walk walk, hs_time end)
{
    struct happening happening;

    hs_free_follow(timeline->roll, timeline->at);
    hs_free_follow(timeline->window, timeline->at);
    while (walk_next(&walk, end, &happening)) {
        const struct hs_alloc *alloc = happening.alloc;

        apply(timeline->roll, &happening);
        if (!happening.is_begin) {
            continue;
        }
        for (uint32_t s = 0; s < alloc->span_count; s++) {
            for (uint32_t i = 0; i < alloc->spans[s].node_count; i++) {
                hs_free_intersect_node(timeline->window, timeline->roll,
                                       alloc->spans[s].first_node + i);
            }
        }
        if (!hs_free_fits(timeline->window, job->demand)) {
            return false;
        }
    }
    return hs_free_place(timeline->window, job->demand, hs_view_placement(view), &timeline->found);
}

bool hp_timeline_earliest(struct hp_timeline *timeline, const struct hs_view *view,
                          const struct hs_job *job, hs_time *earliest)
{
    struct walk walk = {.timeline = timeline, .now = hs_view_now(view)};
    struct happening happening;
    hs_time start = walk.now;
    bool is_more = true;

    if (!hs_alloc_buffer_reserve(&timeline->found, hs_view_cluster(view), job->demand)) {
        return false;
    }
    *earliest = HS_TIME_NEVER;
    walk.running = hs_view_running(view, &walk.running_count);
    hs_free_follow(timeline->at, hs_view_free(view));
    while (walk_next(&walk, walk.now + 1, &happening)) {
        apply(timeline->at, &happening);
    }
    while (is_more) {
        struct walk ahead;

        if (hs_free_fits(timeline->at, job->demand) &&
            fits_until(timeline, view, job, walk, hp_time_add(start, job->walltime_ns))) {
            *earliest = start;
            return true;
        }
        /* On to the next time at which something ends. */
        is_more = false;
        while (walk_next(&walk, HS_TIME_NEVER, &happening)) {
            apply(timeline->at, &happening);
            start = happening.time_ns;
            is_more |= !happening.is_begin;
            ahead = walk;
            if (is_more && !walk_next(&ahead, start + 1, &happening)) {
                break;
            }
        }
    }
    return true;
}

void hp_timeline_fini(struct hp_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->booking_room; i++) {
        free(timeline->bookings[i].spans);
        free(timeline->bookings[i].devices);
    }
    free(timeline->bookings);
    free(timeline->changes);
    hs_free_destroy(timeline->at);
    hs_free_destroy(timeline->roll);
    hs_free_destroy(timeline->window);
    hs_alloc_buffer_fini(&timeline->found);
}
