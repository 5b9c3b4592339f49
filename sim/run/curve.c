/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve.c - what was asked for, what is held, and what of the rest is of no use. */
#include "run/curve.h"

#include <math.h>

void curve_init(struct curve *curve, const struct fragments *fragments)
{
    *curve = (struct curve){.fragments = fragments, .job = -1};
}

static int64_t held_milli(const struct hs_alloc *alloc)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < alloc->device_count; i++) {
        sum += alloc->devices[i].share;
    }
    return sum;
}

void curve_arrived(struct curve *curve, const struct workload_job *job)
{
    hs_int128 requested = workload_job_device_milli(job) + curve->requested_milli;

    curve->requested_milli = requested < INT64_MAX ? (int64_t)requested : INT64_MAX;
    curve->job = job->id;
}

void curve_started(struct curve *curve, const struct hs_alloc *alloc)
{
    curve->used_milli += held_milli(alloc);
}

void curve_ended(struct curve *curve, const struct hs_alloc *alloc)
{
    curve->used_milli -= held_milli(alloc);
}

enum hs_err curve_log(struct curve *curve, struct result_writer *writer, struct hs_error *error)
{
    struct result_arrival arrival = {
        .job = curve->job,
        .requested_milli = curve->requested_milli,
        .used_milli = curve->used_milli,
        .fragment_milli = curve->fragments ? fragments_total(curve->fragments) : (double)NAN,
    };

    if (curve->job < 0) {
        return HS_OK;
    }
    curve->job = -1;
    return result_writer_arrival(writer, &arrival, error);
}
