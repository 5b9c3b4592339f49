/* SPDX-License-Identifier: MIT */
/* profile.c - steps of free resources over time. */
#include "lib/profile.h"

#include <stdlib.h>
#include <string.h>

#include "lib/seconds.h"

/* Room for `extra` more steps; if placed, each with a state. */
static bool reserve(struct hp_profile *profile, uint32_t extra, const struct hs_cluster *cluster)
{
    uint32_t wanted = profile->count + extra;

    if (wanted > profile->room) {
        uint32_t room = profile->room ? profile->room * 2 : 64;
        struct hp_step *moved;

        room = room < wanted ? wanted : room;
        moved = realloc(profile->steps, room * sizeof *moved);
        if (!moved) {
            return false;
        }
        memset(&moved[profile->room], 0, (room - profile->room) * sizeof *moved);
        profile->steps = moved;
        profile->room = room;
    }
    for (uint32_t i = profile->count; !profile->is_counted && i < wanted; i++) {
        if (!profile->steps[i].free) {
            profile->steps[i].free = hs_free_create(cluster);
            if (!profile->steps[i].free) {
                return false;
            }
        }
    }
    return true;
}

/* Index of the step that holds at `time`; the first one if it lies before all. */
static uint32_t step_at(const struct hp_profile *profile, hs_time time)
{
    uint32_t low = 0;
    uint32_t high = profile->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (profile->steps[middle].from_ns <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Makes `time` the beginning of a step; its index. Room was reserved. */
static uint32_t split(struct hp_profile *profile, hs_time time)
{
    uint32_t index = step_at(profile, time);
    struct hp_step spare = profile->steps[profile->count];

    if (profile->steps[index].from_ns >= time) {
        return index;
    }
    memmove(&profile->steps[index + 2], &profile->steps[index + 1],
            (profile->count - index - 1) * sizeof *profile->steps);
    profile->count++;
    spare.from_ns = time;
    spare.units = profile->steps[index].units;
    if (!profile->is_counted) {
        hs_free_copy(spare.free, profile->steps[index].free);
    }
    profile->steps[index + 1] = spare;
    return index + 1;
}

static bool change(struct hp_profile *profile, const struct hs_job *job,
                   const struct hs_alloc *alloc, hs_time from, hs_time to, bool is_taken)
{
    const struct hs_cluster *cluster =
        profile->is_counted ? NULL : hs_free_cluster(profile->steps[0].free);
    uint32_t first;
    uint32_t end;

    if (from < profile->steps[0].from_ns) {
        from = profile->steps[0].from_ns;
    }
    if (from >= to) {
        return true;
    }
    if (!reserve(profile, 2, cluster)) {
        return false;
    }
    first = split(profile, from);
    end = to == HS_TIME_NEVER ? profile->count : split(profile, to);
    for (uint32_t i = first; i < end; i++) {
        struct hp_step *step = &profile->steps[i];

        if (profile->is_counted) {
            step->units += is_taken ? -(int64_t)job->units : (int64_t)job->units;
        } else if (is_taken) {
            hs_free_take(step->free, job->demand, alloc);
        } else {
            hs_free_release(step->free, job->demand, alloc);
        }
    }
    return true;
}

bool hp_profile_hold(struct hp_profile *profile, const struct hs_job *job,
                     const struct hs_alloc *alloc, hs_time from, hs_time to)
{
    return change(profile, job, alloc, from, to, true);
}

bool hp_profile_release(struct hp_profile *profile, const struct hs_job *job,
                        const struct hs_alloc *alloc, hs_time from, hs_time to)
{
    return change(profile, job, alloc, from, to, false);
}

bool hp_profile_begin(struct hp_profile *profile, const struct hs_view *view, bool is_counted)
{
    uint32_t running_count;
    const struct hs_job *const *running = hs_view_running(view, &running_count);
    hs_time now = hs_view_now(view);

    profile->count = 0;
    profile->is_counted = is_counted;
    if (!reserve(profile, running_count + 1, hs_view_cluster(view))) {
        return false;
    }
    if (!is_counted && !profile->window) {
        profile->window = hs_free_create(hs_view_cluster(view));
        if (!profile->window ||
            !hs_alloc_buffer_reserve(&profile->found, hs_view_cluster(view), NULL)) {
            return false;
        }
    }
    profile->count = 1;
    profile->steps[0].from_ns = now;
    profile->steps[0].units = hs_view_free_units(view);
    if (!is_counted) {
        hs_free_copy(profile->steps[0].free, hs_view_free(view));
    }
    /* They ascend by end: each release opens a new last step, or joins it. */
    for (uint32_t i = 0; i < running_count; i++) {
        const struct hs_job *job = running[i];
        hs_time end = job->expected_end_ns > now ? job->expected_end_ns : now + 1;
        uint32_t step;

        if (end == HS_TIME_NEVER) {
            break;
        }
        step = split(profile, end);
        if (is_counted) {
            profile->steps[step].units += job->units;
        } else {
            hs_free_release(profile->steps[step].free, job->demand, job->alloc);
        }
    }
    return true;
}

void hp_profile_advance(struct hp_profile *profile, hs_time now)
{
    uint32_t drop = step_at(profile, now);

    if (drop) {
        struct hp_step *steps = profile->steps;

        /* The dropped steps go behind the others, where their states wait for use. */
        for (uint32_t i = 0; i + drop < profile->count; i++) {
            struct hp_step kept = steps[i + drop];

            steps[i + drop] = steps[i];
            steps[i] = kept;
        }
        profile->count -= drop;
    }
    if (profile->steps[0].from_ns < now) {
        profile->steps[0].from_ns = now;
    }
}

static hs_time earliest_counted(const struct hp_profile *profile, const struct hs_job *job,
                                hs_time from)
{
    uint32_t index = step_at(profile, from);
    hs_time start = from > profile->steps[index].from_ns ? from : profile->steps[index].from_ns;
    hs_time end = hp_time_add(start, job->walltime_ns);

    for (; index < profile->count && profile->steps[index].from_ns < end; index++) {
        if (profile->steps[index].units < (int64_t)job->units) {
            if (index + 1 == profile->count) {
                return HS_TIME_NEVER;
            }
            start = profile->steps[index + 1].from_ns;
            end = hp_time_add(start, job->walltime_ns);
        }
    }
    return start;
}

hs_time hp_profile_limit(const void *context, int64_t units, const struct hs_demand *demand)
{
    const struct hp_profile *profile = context;

    (void)demand;
    for (uint32_t i = 0; i < profile->count; i++) {
        if (profile->steps[i].units < units) {
            return i ? profile->steps[i].from_ns - profile->steps[0].from_ns : -1;
        }
    }
    return HS_TIME_NEVER;
}

/* Does the job fit on the same nodes from step `index` for its walltime? */
static bool fits_from(struct hp_profile *profile, const struct hs_view *view,
                      const struct hs_job *job, uint32_t index, hs_time end)
{
    hs_free_copy(profile->window, profile->steps[index].free);
    while (++index < profile->count && profile->steps[index].from_ns < end) {
        hs_free_intersect(profile->window, profile->steps[index].free);
        if (hs_free_total_cores_milli(profile->window) <
            job->demand->cores_milli * job->demand->tasks) {
            return false;
        }
    }
    return hs_free_place(profile->window, job->demand, hs_view_placement(view), &profile->found);
}

hs_time hp_profile_earliest(struct hp_profile *profile, const struct hs_view *view,
                            const struct hs_job *job, hs_time from)
{
    if (profile->is_counted) {
        return earliest_counted(profile, job, from);
    }
    for (uint32_t i = step_at(profile, from); i < profile->count; i++) {
        hs_time start = from > profile->steps[i].from_ns ? from : profile->steps[i].from_ns;

        if (fits_from(profile, view, job, i, hp_time_add(start, job->walltime_ns))) {
            return start;
        }
    }
    return HS_TIME_NEVER;
}

void hp_profile_fini(struct hp_profile *profile)
{
    for (uint32_t i = 0; i < profile->room; i++) {
        hs_free_destroy(profile->steps[i].free);
    }
    free(profile->steps);
    hs_free_destroy(profile->window);
    hs_alloc_buffer_fini(&profile->found);
}
