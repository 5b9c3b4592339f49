/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calendar.c - a binary heap of events. */
#include "engine/calendar.h"

#include <stdlib.h>

static bool comes_before(const struct calendar_entry *left, const struct calendar_entry *right)
{
    if (left->time_ns != right->time_ns) {
        return left->time_ns < right->time_ns;
    }
    if (left->kind != right->kind) {
        return left->kind < right->kind;
    }
    return left->sequence < right->sequence;
}

bool calendar_push(struct calendar *calendar, hs_time time_ns, uint32_t kind, uint32_t token,
                   uint64_t *sequence)
{
    struct calendar_entry entry = {time_ns, calendar->next_sequence, kind, token};
    size_t index = calendar->count;

    if (calendar->count == calendar->room) {
        size_t room = calendar->room ? calendar->room * 2 : 64;
        struct calendar_entry *moved = realloc(calendar->entries, room * sizeof *moved);

        if (!moved) {
            return false;
        }
        calendar->entries = moved;
        calendar->room = room;
    }
    while (index && comes_before(&entry, &calendar->entries[(index - 1) / 2])) {
        calendar->entries[index] = calendar->entries[(index - 1) / 2];
        index = (index - 1) / 2;
    }
    calendar->entries[index] = entry;
    calendar->count++;
    calendar->next_sequence++;
    if (sequence) {
        *sequence = entry.sequence;
    }
    return true;
}

const struct calendar_entry *calendar_top(const struct calendar *calendar)
{
    return calendar->count ? &calendar->entries[0] : NULL;
}

void calendar_pop(struct calendar *calendar)
{
    struct calendar_entry *entries = calendar->entries;
    struct calendar_entry moving;
    size_t index = 0;

    HS_ASSERT(calendar->count);
    moving = entries[--calendar->count];
    for (;;) {
        size_t child = 2 * index + 1;

        if (child >= calendar->count) {
            break;
        }
        if (child + 1 < calendar->count && comes_before(&entries[child + 1], &entries[child])) {
            child++;
        }
        if (!comes_before(&entries[child], &moving)) {
            break;
        }
        entries[index] = entries[child];
        index = child;
    }
    entries[index] = moving;
}

void calendar_fini(struct calendar *calendar)
{
    free(calendar->entries);
    *calendar = (struct calendar){0};
}
