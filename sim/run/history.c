/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history.c - attempts in arrays that grow. */
#include "run/history.h"

#include <stdlib.h>
#include <string.h>

struct history *history_create(void)
{
    return calloc(1, sizeof(struct history));
}

void history_destroy(struct history *history)
{
    if (history) {
        free(history->attempts);
        free(history->spans);
        free(history->devices);
        free(history);
    }
}

/* Room for `more` elements behind `count`; false: no memory. */
static bool reserve(void **array, size_t count, size_t *room, size_t more, size_t size)
{
    size_t wanted = *room ? *room : 4;
    void *moved;

    if (count + more <= *room) {
        return true;
    }
    while (wanted < count + more) {
        wanted *= 2;
    }
    moved = realloc(*array, wanted * size);
    if (!moved) {
        return false;
    }
    *array = moved;
    *room = wanted;
    return true;
}

static bool reserve_all(struct history *history, const struct hs_alloc *alloc)
{
    void *attempts = history->attempts;
    void *spans = history->spans;
    void *devices = history->devices;
    bool is_done = reserve(&attempts, history->attempt_count, &history->attempt_room, 1,
                           sizeof *history->attempts) &&
                   reserve(&spans, history->span_count, &history->span_room, alloc->span_count,
                           sizeof *history->spans) &&
                   reserve(&devices, history->device_count, &history->device_room,
                           alloc->device_count, sizeof *history->devices);

    history->attempts = attempts;
    history->spans = spans;
    history->devices = devices;
    return is_done;
}

hs_time history_left(const struct history *history, hs_time whole_ns)
{
    if (history->attempt_count == 0 || whole_ns == HS_TIME_NEVER ||
        history->whole_ns == HS_TIME_NEVER || history->whole_ns == 0) {
        return whole_ns;
    }
    if (whole_ns == history->whole_ns) {
        return history->left_ns;
    }
    return (hs_time)(((hs_int128)history->left_ns * whole_ns + history->whole_ns - 1) /
                     history->whole_ns);
}

bool history_add(struct history *history, hs_time start_ns, hs_time end_ns, hs_time restart_ns,
                 hs_time whole_ns, const struct hs_alloc *alloc)
{
    hs_time length = end_ns - start_ns;
    hs_time overhead = length < restart_ns ? length : restart_ns;
    hs_time left = history_left(history, whole_ns);

    if (!reserve_all(history, alloc)) {
        return false;
    }
    history->attempts[history->attempt_count++] = (struct result_attempt){
        .start_ns = start_ns, .end_ns = end_ns, .overhead_ns = overhead, .alloc = *alloc};
    if (alloc->span_count) {
        memcpy(&history->spans[history->span_count], alloc->spans,
               alloc->span_count * sizeof *alloc->spans);
        history->span_count += alloc->span_count;
    }
    if (alloc->device_count) {
        memcpy(&history->devices[history->device_count], alloc->devices,
               alloc->device_count * sizeof *alloc->devices);
        history->device_count += alloc->device_count;
    }
    history->useful_ns += length - overhead;
    history->whole_ns = whole_ns;
    history->left_ns = left == HS_TIME_NEVER ? left : left - (length - overhead);
    return true;
}

const struct result_attempt *history_attempts(struct history *history)
{
    size_t span = 0;
    size_t device = 0;

    for (size_t i = 0; i < history->attempt_count; i++) {
        struct hs_alloc *alloc = &history->attempts[i].alloc;

        alloc->spans = alloc->span_count ? &history->spans[span] : NULL;
        alloc->devices = alloc->device_count ? &history->devices[device] : NULL;
        span += alloc->span_count;
        device += alloc->device_count;
    }
    return history->attempts;
}
