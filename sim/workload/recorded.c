/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorded.c - a heap of starts and ends that are still to come. */
#include "workload/recorded.h"

#include <stdlib.h>

#define ROOM_MIN ((size_t)64)

void recorded_fini(struct recorded *recorded)
{
    free(recorded->heap);
    *recorded = (struct recorded){0};
}

/* By time; at one instant ends come first. */
static bool precedes(const struct recorded_change *left, const struct recorded_change *right)
{
    bool is_left_end = left->cores_milli < 0 || left->device_milli < 0;
    bool is_right_end = right->cores_milli < 0 || right->device_milli < 0;

    return left->time_ns != right->time_ns ? left->time_ns < right->time_ns
                                           : is_left_end && !is_right_end;
}

static bool push(struct recorded *recorded, struct recorded_change change)
{
    size_t at = recorded->count;

    if (recorded->count == recorded->room) {
        size_t room = recorded->room ? recorded->room * 2 : ROOM_MIN;
        struct recorded_change *moved = realloc(recorded->heap, room * sizeof *moved);

        if (!moved) {
            return false;
        }
        recorded->heap = moved;
        recorded->room = room;
    }
    recorded->count++;
    for (; at > 0 && precedes(&change, &recorded->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        recorded->heap[at] = recorded->heap[(at - 1) / 2];
    }
    recorded->heap[at] = change;
    return true;
}

static struct recorded_change pop(struct recorded *recorded)
{
    struct recorded_change first = recorded->heap[0];
    struct recorded_change last = recorded->heap[--recorded->count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < recorded->count &&
            precedes(&recorded->heap[child + 1], &recorded->heap[child])) {
            child++;
        }
        if (child >= recorded->count || !precedes(&recorded->heap[child], &last)) {
            break;
        }
        recorded->heap[at] = recorded->heap[child];
        at = child;
    }
    recorded->heap[at] = last;
    return first;
}

/* Settles what lies before an instant. */
static void settle(struct recorded *recorded, hs_time before_ns)
{
    while (recorded->count > 0 && recorded->heap[0].time_ns < before_ns) {
        struct recorded_change change = pop(recorded);

        recorded->cores_milli += change.cores_milli;
        recorded->device_milli += change.device_milli;
        if (recorded->cores_milli > recorded->peak_cores_milli) {
            recorded->peak_cores_milli = recorded->cores_milli;
        }
        if (recorded->device_milli > recorded->peak_device_milli) {
            recorded->peak_device_milli = recorded->device_milli;
        }
    }
}

bool recorded_add(struct recorded *recorded, const struct workload_job *job)
{
    int64_t cores_milli = job->demand.cores_milli * job->demand.tasks;
    int64_t device_milli = (int64_t)workload_job_device_milli(job);
    hs_time start_ns = job->trace_start_ns, end_ns;

    settle(recorded, job->trace_submit_ns);
    if (start_ns < 0 || job->run_ns <= 0 || job->run_ns == HS_TIME_NEVER ||
        start_ns > HS_TIME_NEVER - job->run_ns) {
        return true;
    }
    end_ns = start_ns + job->run_ns;
    if (recorded->jobs++ == 0 || start_ns < recorded->first_start_ns) {
        recorded->first_start_ns = start_ns;
    }
    recorded->last_end_ns = end_ns > recorded->last_end_ns ? end_ns : recorded->last_end_ns;
    recorded->core_work += (hs_int128)cores_milli * job->run_ns;
    recorded->device_work += (hs_int128)device_milli * job->run_ns;
    return push(recorded, (struct recorded_change){start_ns, cores_milli, device_milli}) &&
           push(recorded, (struct recorded_change){end_ns, -cores_milli, -device_milli});
}

void recorded_finish(struct recorded *recorded)
{
    settle(recorded, HS_TIME_NEVER);
}
