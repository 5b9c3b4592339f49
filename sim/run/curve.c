/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve.c - what was asked for, what is held, and what of the rest is of no use.
 *
 * The fragments of the nodes are summed in a tree, so that a sum depends on the state alone and
 * not on the changes that led to it. */
#include "run/curve.h"

#include <math.h>
#include <stdlib.h>

static double fragment_of(const struct curve *curve, uint32_t node)
{
    return hs_mix_fragment(curve->mix, curve->free, node, HS_ANY_KIND);
}

enum hs_err curve_init(struct curve *curve, const struct hs_cluster *cluster,
                       const struct hs_mix *mix, struct hs_error *error)
{
    uint32_t nodes = hs_cluster_node_count(cluster);

    *curve = (struct curve){.mix = mix, .leaves = 1, .job = -1};
    if (!mix) {
        return HS_OK;
    }
    while (curve->leaves < nodes) {
        curve->leaves *= 2;
    }
    curve->free = hs_free_create(cluster);
    curve->sums = calloc(2 * (size_t)curve->leaves, sizeof *curve->sums);
    if (!curve->free || !curve->sums) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        curve->sums[curve->leaves + i] = fragment_of(curve, i);
    }
    for (uint32_t i = curve->leaves - 1; i > 0; i--) {
        curve->sums[i] = curve->sums[2 * i] + curve->sums[2 * i + 1];
    }
    return HS_OK;
}

void curve_fini(struct curve *curve)
{
    hs_free_destroy(curve->free);
    free(curve->sums);
    *curve = (struct curve){0};
}

static int64_t held_milli(const struct hs_alloc *alloc)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < alloc->device_count; i++) {
        sum += alloc->devices[i].share;
    }
    return sum;
}

/* The nodes of the allocation have changed. */
static void update(struct curve *curve, const struct hs_alloc *alloc)
{
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        struct hs_span span = alloc->spans[i];

        for (uint32_t node = span.first_node; node < span.first_node + span.node_count; node++) {
            uint32_t at = curve->leaves + node;

            curve->sums[at] = fragment_of(curve, node);
            for (at /= 2; at > 0; at /= 2) {
                curve->sums[at] = curve->sums[2 * at] + curve->sums[2 * at + 1];
            }
        }
    }
}

void curve_arrived(struct curve *curve, const struct workload_job *job)
{
    hs_int128 requested = workload_job_device_milli(job) + curve->requested_milli;

    curve->requested_milli = requested < INT64_MAX ? (int64_t)requested : INT64_MAX;
    curve->job = job->id;
}

void curve_started(struct curve *curve, const struct hs_demand *demand,
                   const struct hs_alloc *alloc)
{
    curve->used_milli += held_milli(alloc);
    if (curve->mix) {
        hs_free_take(curve->free, demand, alloc);
        update(curve, alloc);
    }
}

void curve_ended(struct curve *curve, const struct hs_demand *demand, const struct hs_alloc *alloc)
{
    curve->used_milli -= held_milli(alloc);
    if (curve->mix) {
        hs_free_release(curve->free, demand, alloc);
        update(curve, alloc);
    }
}

enum hs_err curve_log(struct curve *curve, struct result_writer *writer, struct hs_error *error)
{
    struct result_arrival arrival = {
        .job = curve->job,
        .requested_milli = curve->requested_milli,
        .used_milli = curve->used_milli,
        .fragment_milli = curve->mix ? curve->sums[1] : (double)NAN,
    };

    if (curve->job < 0) {
        return HS_OK;
    }
    curve->job = -1;
    return result_writer_arrival(writer, &arrival, error);
}
