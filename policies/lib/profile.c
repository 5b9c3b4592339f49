/* SPDX-License-Identifier: MIT */
/* profile.c - steps of free resources over time. */
#include "lib/profile.h"

#include <stdlib.h>
#include <string.h>

#include "lib/seconds.h"

/* Room for `extra` more steps. */
static bool reserve(struct hp_profile *profile, uint32_t extra)
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
        profile->steps = moved;
        profile->room = room;
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

    if (profile->steps[index].from_ns >= time) {
        return index;
    }
    memmove(&profile->steps[index + 2], &profile->steps[index + 1],
            (profile->count - index - 1) * sizeof *profile->steps);
    profile->count++;
    profile->steps[index + 1] = (struct hp_step){time, profile->steps[index].units};
    return index + 1;
}

/* Adds `units` to what is free over [from, to). */
static bool change(struct hp_profile *profile, int64_t units, hs_time from, hs_time to)
{
    uint32_t first;
    uint32_t end;

    if (from < profile->steps[0].from_ns) {
        from = profile->steps[0].from_ns;
    }
    if (from >= to) {
        return true;
    }
    if (!reserve(profile, 2)) {
        return false;
    }
    first = split(profile, from);
    end = to == HS_TIME_NEVER ? profile->count : split(profile, to);
    for (uint32_t i = first; i < end; i++) {
        profile->steps[i].units += units;
    }
    return true;
}

bool hp_profile_hold(struct hp_profile *profile, const struct hs_job *job,
                     const struct hs_alloc *alloc, hs_time from, hs_time to)
{
    if (profile->is_counted) {
        return change(profile, -(int64_t)job->units, from, to);
    }
    return hp_timeline_book(&profile->timeline, job, alloc, from, to);
}

bool hp_profile_release(struct hp_profile *profile, const struct hs_job *job, int64_t units,
                        hs_time from, hs_time to)
{
    if (profile->is_counted) {
        return change(profile, units, from, to);
    }
    hp_timeline_unbook(&profile->timeline, job);
    return true;
}

void hp_profile_started(struct hp_profile *profile, const struct hs_job *job)
{
    if (!profile->is_counted) {
        hp_timeline_unbook(&profile->timeline, job);
    }
}

bool hp_profile_begin(struct hp_profile *profile, const struct hs_view *view, bool is_counted)
{
    uint32_t running_count;
    const struct hs_job *const *running = hs_view_running(view, &running_count);
    hs_time now = hs_view_now(view);

    profile->count = 0;
    profile->is_counted = is_counted;
    hp_timeline_clear(&profile->timeline);
    if (!is_counted) {
        return hp_timeline_reserve(&profile->timeline, view);
    }
    if (!reserve(profile, running_count + 1)) {
        return false;
    }
    profile->count = 1;
    profile->steps[0] = (struct hp_step){now, hs_view_free_units(view)};
    /* They ascend by end: each release opens a new last step, or joins it. */
    for (uint32_t i = 0; i < running_count; i++) {
        const struct hs_job *job = running[i];
        hs_time end = job->expected_end_ns > now ? job->expected_end_ns : now + 1;

        if (end == HS_TIME_NEVER) {
            break;
        }
        profile->steps[split(profile, end)].units += hs_view_units_back(view, job);
    }
    return true;
}

void hp_profile_advance(struct hp_profile *profile, hs_time now)
{
    uint32_t drop;

    if (!profile->is_counted) {
        return;
    }
    drop = step_at(profile, now);
    memmove(profile->steps, &profile->steps[drop],
            (profile->count - drop) * sizeof *profile->steps);
    profile->count -= drop;
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

bool hp_profile_earliest(struct hp_profile *profile, const struct hs_view *view,
                         const struct hs_job *job, hs_time *earliest)
{
    if (!profile->is_counted) {
        return hp_timeline_earliest(&profile->timeline, view, job, earliest);
    }
    *earliest = earliest_counted(profile, job, hs_view_now(view));
    return true;
}

void hp_profile_fini(struct hp_profile *profile)
{
    free(profile->steps);
    hp_timeline_fini(&profile->timeline);
}
