/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tally.c - counting kinds of records and keeping the first examples. */
#include "workload/tally.h"

#include <stdarg.h>
#include <stdio.h>

void workload_tally_add(struct workload_tally *tally, int64_t line, int64_t trace_id,
                        const char *format, ...)
{
    int64_t at = tally->count++;

    if (at < WORKLOAD_NOTE_MAX) {
        va_list arguments;

        tally->lines[at] = line;
        tally->trace_ids[at] = trace_id;
        va_start(arguments, format);
        (void)vsnprintf(tally->reasons[at], sizeof tally->reasons[at], format, arguments);
        va_end(arguments);
    }
}
