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

enum hs_err workload_tally_bad_row(struct workload_tally *tally, bool is_strict, const char *path,
                                   int64_t line, int64_t trace_id, const char *problem,
                                   struct hs_error *error)
{
    if (is_strict) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%lld: %s. Correct or remove this row, or leave `strict` off to "
                            "count and skip such rows.",
                            path, (long long)line, problem);
    }
    workload_tally_add(tally, line, trace_id, "%s", problem);
    return HS_OK;
}
