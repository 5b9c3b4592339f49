/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calendar.h - events to come: a binary heap by (time, kind, sequence).
 *
 * Equal times pop by kind, then in the order in which they were pushed; never by address. */
#ifndef HSIM_CALENDAR_H
#define HSIM_CALENDAR_H

#include "hs/base.h"

struct calendar_entry {
    hs_time time_ns;
    uint64_t sequence; /* set by push */
    uint32_t kind;
    uint32_t token; /* the caller's */
};

/* Zero it before first use. */
struct calendar {
    struct calendar_entry *entries;
    size_t count;
    size_t room;
    uint64_t next_sequence;
};

/* Returns false when memory is short. *sequence (may be NULL) identifies the entry. */
bool calendar_push(struct calendar *calendar, hs_time time_ns, uint32_t kind, uint32_t token,
                   uint64_t *sequence);
/* The earliest entry, or NULL; valid until the next call. */
const struct calendar_entry *calendar_top(const struct calendar *calendar);
/* Removes the earliest entry, which must exist. */
void calendar_pop(struct calendar *calendar);
void calendar_fini(struct calendar *calendar);

#endif
