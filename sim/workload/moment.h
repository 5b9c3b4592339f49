/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moment.h - dates and times of day as lists of jobs write them, and spans of time.
 *
 * Times become ns since 1970-01-01 00:00:00 UTC. A time without a zone is naive: its reader says
 * how far its clock was ahead of UTC, one figure for the whole file, since a name such as
 * Europe/Berlin does not tell which of two equal hours in autumn is meant. */
#ifndef HSIM_WORKLOAD_MOMENT_H
#define HSIM_WORKLOAD_MOMENT_H

#include "hs/base.h"

/* "2020-04-01 00:00:05", with T between, with decimals, with a zone behind (Z, UTC, +08:00, +0800,
 * +08). `offset_s` is what a naive time is ahead of UTC; *has_zone tells whether there was a zone.
 * False: it is no such time, or not in 1970 to 2159. */
bool moment_parse(const char *text, int32_t offset_s, hs_time *unix_ns, bool *has_zone);

/* "UTC", "Z", "+08:00", "-0330", "+8" to seconds ahead of UTC, at most 18 h. */
bool moment_zone_parse(const char *text, int32_t *offset_s);

/* "1-02:03:04", "02:03:04", "03:04" (minutes and seconds), decimals behind the seconds: Slurm's
 * spans of time. At most 3e9 s. */
bool moment_span_parse(const char *text, hs_time *span_ns);

/* Does the text say that a time is not known: "", Unknown, None, N/A, NaN, NaT, NULL, -? */
bool moment_is_missing(const char *text);

#endif
