/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series.c - integrals and rows of the cluster's state. */
#include "result/series.h"

#include <string.h>

void series_init(struct series *series, enum result_series mode, hs_time interval_ns,
                 int64_t capacity_milli, struct table *table)
{
    *series = (struct series){.mode = mode,
                              .interval_ns = interval_ns,
                              .capacity_milli = capacity_milli,
                              .table = mode == RESULT_SERIES_NONE ? NULL : table};
}

void series_add(struct series *series, const struct result_series_more *more,
                const int64_t *capacities)
{
    struct series_extra *extra = series->extras;

    HS_ASSERT(more->slot_count <= RESULT_SLOTS_MAX && !series->has_point);
    series->has_power = more->has_power;
    if (more->has_power) {
        *extra++ = (struct series_extra){.unit = 1e6};
    }
    for (size_t i = 0; i < more->slot_count; i++) {
        *extra++ = (struct series_extra){.unit = 1, .capacity = capacities[i], .is_whole = true};
    }
    for (size_t i = 0; more->has_fragments && i < more->slot_count; i++) {
        *extra++ = (struct series_extra){.unit = 1, .is_whole = true};
    }
    for (size_t i = 0; more->has_fragments && i < more->slot_count; i++) {
        *extra++ = (struct series_extra){.unit = (double)more->mix_jobs};
    }
    for (size_t i = 0; more->has_avail && i < 1 + more->kind_count; i++) {
        *extra++ = (struct series_extra){.unit = 1, .is_whole = true};
    }
    series->extra_count = (size_t)(extra - series->extras);
}

hs_int128 series_shares(const struct series *series, const struct result_series_more *more,
                        size_t slot)
{
    return series->extras[more->has_power + slot].integral;
}

hs_int128 series_free(const struct series *series, const struct result_series_more *more,
                      size_t slot)
{
    return series->extras[more->has_power + more->slot_count + slot].integral;
}

hs_int128 series_lost(const struct series *series, const struct result_series_more *more,
                      size_t slot)
{
    return series->extras[more->has_power + 2 * more->slot_count + slot].integral;
}

hs_int128 series_avail(const struct series *series, const struct result_series_more *more,
                       size_t number)
{
    size_t levels = more->has_fragments ? 3 : 1; /* of a slot */

    return series->extras[more->has_power + levels * more->slot_count + number].integral;
}

hs_int128 series_integral_at(const struct series *series, enum series_level level, hs_time time_ns)
{
    if (!series->has_point || time_ns <= series->now_ns) {
        return series->integrals[level];
    }
    return series->integrals[level] + (hs_int128)series->levels[level] * (time_ns - series->now_ns);
}

/* The columns behind the usual ones: of exact levels, or of means. */
static void write_extras(const struct series *series, struct table *table, size_t row,
                         bool is_means)
{
    size_t column = SERIES_COLUMNS;

    for (size_t i = 0; i < series->extra_count; i++) {
        const struct series_extra *extra = &series->extras[i];
        double value = is_means ? (double)extra->interval_integral / (double)series->interval_ns
                                : (double)extra->level;

        if (is_means || !extra->is_whole) {
            table->buffers[column++].f64[row] = value / extra->unit;
        } else {
            table->buffers[column++].i64[row] = extra->level;
        }
        if (extra->capacity > 0) {
            table->buffers[column++].f64[row] = value / (double)extra->capacity;
        }
    }
}

/* One row with the state at now_ns. */
static bool write_change(const struct series *series)
{
    struct table *table = series->table;
    size_t row = table->filled;

    table->buffers[SERIES_TIME].i64[row] = series->now_ns;
    table->buffers[SERIES_ALLOC_MILLI].i64[row] = series->levels[LEVEL_ALLOC];
    table->buffers[SERIES_UTIL_CORES].f64[row] =
        (double)series->levels[LEVEL_ALLOC] / (double)series->capacity_milli;
    table->buffers[SERIES_QUEUE].i32[row] = (int32_t)series->levels[LEVEL_QUEUE];
    table->buffers[SERIES_RUNNING].i32[row] = (int32_t)series->levels[LEVEL_RUNNING];
    table->buffers[SERIES_BACKLOG].i64[row] = series->levels[LEVEL_BACKLOG];
    write_extras(series, table, row, false);
    return table_row_done(table);
}

/* One row with the means over the interval that ended. */
static bool write_means(struct series *series)
{
    struct table *table = series->table;
    size_t row = table->filled;
    double means[LEVEL_COUNT];

    for (int i = 0; i < LEVEL_COUNT; i++) {
        means[i] = (double)series->interval_integrals[i] / (double)series->interval_ns;
        series->interval_integrals[i] = 0;
    }
    table->buffers[SERIES_TIME].i64[row] = series->interval_begin_ns;
    table->buffers[SERIES_ALLOC_MILLI].f64[row] = means[LEVEL_ALLOC];
    table->buffers[SERIES_UTIL_CORES].f64[row] =
        means[LEVEL_ALLOC] / (double)series->capacity_milli;
    table->buffers[SERIES_QUEUE].f64[row] = means[LEVEL_QUEUE];
    table->buffers[SERIES_RUNNING].f64[row] = means[LEVEL_RUNNING];
    table->buffers[SERIES_BACKLOG].f64[row] = means[LEVEL_BACKLOG];
    write_extras(series, table, row, true);
    for (size_t i = 0; i < series->extra_count; i++) {
        series->extras[i].interval_integral = 0;
    }
    series->interval_begin_ns += series->interval_ns;
    return table_row_done(table);
}

/* Lets the levels hold until `time_ns`, interval by interval. */
static bool advance_intervals(struct series *series, hs_time time_ns)
{
    hs_time from = series->now_ns;

    while (from < time_ns) {
        hs_time left = series->interval_ns - (from - series->interval_begin_ns);
        hs_time step = time_ns - from < left ? time_ns - from : left;

        for (int i = 0; i < LEVEL_COUNT; i++) {
            series->interval_integrals[i] += (hs_int128)series->levels[i] * step;
        }
        for (size_t i = 0; i < series->extra_count; i++) {
            series->extras[i].interval_integral += (hs_int128)series->extras[i].level * step;
        }
        from += step;
        if (step == left && !write_means(series)) {
            return false;
        }
    }
    return true;
}

/* Intervals begin at multiples of their length. */
static hs_time interval_of(hs_time time_ns, hs_time interval_ns)
{
    hs_time rest = time_ns % interval_ns;

    return time_ns - (rest < 0 ? rest + interval_ns : rest);
}

static bool advance(struct series *series, hs_time time_ns)
{
    if (series->table && series->mode == RESULT_SERIES_INTERVAL) {
        if (!advance_intervals(series, time_ns)) {
            return false;
        }
    } else if (series->table && series->has_pending && !write_change(series)) {
        return false;
    }
    series->has_pending = false;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        series->integrals[i] += (hs_int128)series->levels[i] * (time_ns - series->now_ns);
        if (series->levels[i] > series->highest[i]) {
            series->highest[i] = series->levels[i];
        }
    }
    for (size_t i = 0; i < series->extra_count; i++) {
        struct series_extra *extra = &series->extras[i];

        extra->integral += (hs_int128)extra->level * (time_ns - series->now_ns);
        extra->highest = extra->level > extra->highest ? extra->level : extra->highest;
    }
    series->now_ns = time_ns;
    return true;
}

static int64_t extra_of(const struct series *series, size_t extra, const struct result_point *point)
{
    return series->has_power && extra == 0 ? point->power_uw
                                           : point->device_levels[extra - series->has_power];
}

static bool is_changed(const struct series *series, const int64_t *levels,
                       const struct result_point *point)
{
    bool is_equal = memcmp(levels, series->levels, sizeof series->levels) == 0;

    for (size_t i = 0; is_equal && i < series->extra_count; i++) {
        is_equal = series->extras[i].level == extra_of(series, i, point);
    }
    return !is_equal;
}

bool series_is_too_long(const struct series *series, hs_time time_ns)
{
    return series->mode == RESULT_SERIES_INTERVAL && series->table && series->has_point &&
           (hs_int128)time_ns - series->first_ns > (hs_int128)series->interval_ns * SERIES_ROWS_MAX;
}

bool series_point(struct series *series, const struct result_point *point)
{
    int64_t levels[LEVEL_COUNT] = {point->alloc_milli, point->queue_jobs, point->running_jobs,
                                   point->queue_procs};

    series->last_ns = point->time_ns;
    if (!series->has_point) {
        series->has_point = true;
        series->first_ns = series->now_ns = point->time_ns;
        if (series->mode == RESULT_SERIES_INTERVAL) {
            series->interval_begin_ns = interval_of(point->time_ns, series->interval_ns);
        }
    } else if (!is_changed(series, levels, point)) {
        return true;
    } else {
        HS_ASSERT(point->time_ns >= series->now_ns);
        if (point->time_ns > series->now_ns && !advance(series, point->time_ns)) {
            return false;
        }
    }
    series->points += !series->has_pending;
    series->has_pending = true;
    memcpy(series->levels, levels, sizeof levels);
    for (size_t i = 0; i < series->extra_count; i++) {
        series->extras[i].level = extra_of(series, i, point);
    }
    return true;
}

bool series_finish(struct series *series)
{
    if (!series->has_point) {
        return true;
    }
    if (series->last_ns > series->now_ns) {
        if (!advance(series, series->last_ns)) {
            return false;
        }
    }
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (series->levels[i] > series->highest[i]) {
            series->highest[i] = series->levels[i];
        }
    }
    for (size_t i = 0; i < series->extra_count; i++) {
        struct series_extra *extra = &series->extras[i];

        extra->highest = extra->level > extra->highest ? extra->level : extra->highest;
    }
    if (!series->table) {
        return true;
    }
    if (series->mode == RESULT_SERIES_INTERVAL) {
        return series->now_ns == series->interval_begin_ns || write_means(series);
    }
    return write_change(series);
}
