/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series.h - the state of the cluster over time: exact integrals, and rows for the file.
 *
 * Levels hold from their point until the next. The integrals are 128-bit integers and exact; the
 * rows are either every change, or means over intervals of fixed length. Internal. */
#ifndef HSIM_RESULT_SERIES_H
#define HSIM_RESULT_SERIES_H

#include "result/table.h"

#define SERIES_ROWS_MAX 100000000 /* of intervals: three years of seconds */

enum series_level { LEVEL_ALLOC, LEVEL_QUEUE, LEVEL_RUNNING, LEVEL_BACKLOG, LEVEL_COUNT };

/* A level that only some runs have: the power drawn (microwatts), then those of devices, as in
 * result_point. */
struct series_extra {
    int64_t level, highest;
    double unit;        /* what the file has is level / unit, and, */
    int64_t capacity;   /* if this is not 0, level / capacity */
    bool is_whole;      /* the column has integers, with unit 1 */
    hs_int128 integral; /* until now_ns */
    hs_int128 interval_integral;
};

struct series {
    enum result_series mode;
    hs_time interval_ns;
    int64_t capacity_milli;
    struct table *table; /* NULL: no rows; borrowed */
    hs_time now_ns;      /* of the last point */
    int64_t levels[LEVEL_COUNT];
    int64_t highest[LEVEL_COUNT];
    hs_int128 integrals[LEVEL_COUNT]; /* until now_ns, level x ns */
    hs_time first_ns;
    hs_time last_ns;  /* of the last point, changed or not: the series ends there */
    int64_t points;   /* instants at which something changed */
    bool has_pending; /* the point at now_ns is no row yet: another at this time replaces it */
    bool has_point;
    hs_time interval_begin_ns;
    hs_int128 interval_integrals[LEVEL_COUNT]; /* since interval_begin_ns */
    bool has_power;
    size_t extra_count;
    struct series_extra extras[1 + 3 * RESULT_SLOTS_MAX + 1 + RESULT_KINDS_MAX];
};

void series_init(struct series *series, enum result_series mode, hs_time interval_ns,
                 int64_t capacity_milli, struct table *table);
/* Adds the levels that the run has beside the usual ones, before the first point; `capacities` are
 * the installed shares of each slot. */
void series_add(struct series *series, const struct result_series_more *more,
                const int64_t *capacities);
/* Integral of a level of devices; call after series_finish. */
hs_int128 series_shares(const struct series *series, const struct result_series_more *more,
                        size_t slot);
hs_int128 series_free(const struct series *series, const struct result_series_more *more,
                      size_t slot);
hs_int128 series_lost(const struct series *series, const struct result_series_more *more,
                      size_t slot); /* x mix_jobs */
/* Of what is available; number 0: the cores, k + 1: the devices of kind k. */
hs_int128 series_avail(const struct series *series, const struct result_series_more *more,
                       size_t number);
/* Would the intervals until `time_ns` be more rows than SERIES_ROWS_MAX? They come before the next
 * point can be recorded, however many they are. */
bool series_is_too_long(const struct series *series, hs_time time_ns);
/* False: storing a row failed. */
bool series_point(struct series *series, const struct result_point *point);
/* Writes the last row. */
bool series_finish(struct series *series);
/* Attributes of /series; after series_finish. */
bool series_write_attributes(const struct series *series, hid_t file,
                             const struct result_series_more *more);
/* Integral of a level until `time_ns`, which is not before the last point. */
hs_int128 series_integral_at(const struct series *series, enum series_level level, hs_time time_ns);

#endif
