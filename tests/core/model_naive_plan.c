/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_naive_plan.c - the rules that plan ahead: depth, conservative-rebuilt, conservative.
 *
 * A plan is a start, for units of the whole machine or, where the case is placed, on certain nodes:
 * the left-most that are free all through. */
#include <stdlib.h>
#include <string.h>

#include "model_naive.h"

static uint32_t width(const struct naive *naive, uint32_t job)
{
    return naive->model->jobs[job].width;
}

/* The span of time in which a job holds units, now or by its plan. A job beyond its expected end is
 * assumed to end right after now. */
bool naive_span(const struct naive *naive, uint32_t job, hs_time *from, hs_time *to)
{
    if (naive->state[job] == NAIVE_HOLDING) {
        *from = naive->outcome->start_ns[job];
        *to = naive_expected_end(naive, job, *from);
        *to = *to > naive->now ? *to : naive->now + 1;
        return true;
    }
    *from = naive->plan_ns[job];
    *to = *from == MODEL_NO_TIME ? *from : naive_expected_end(naive, job, *from);
    return naive->state[job] == NAIVE_WAITING && *from != MODEL_NO_TIME;
}

/* Units that the job holds on nodes that are there, now or by its plan. */
static uint32_t width_here(const struct naive *naive, uint32_t job)
{
    uint32_t units = width(naive, job);

    for (uint32_t node = 0; naive->state[job] == NAIVE_HOLDING && node < naive->model->node_count;
         node++) {
        units -= naive->is_away[node] ? naive->outcome->tasks[job][node] : 0;
    }
    return units;
}

/* What every node that is there has left at `time`, by the jobs that hold nodes and by the plans;
 * the sum. */
static uint32_t free_at(const struct naive *naive, hs_time time, uint32_t *units)
{
    uint32_t total = model_total_units(naive->model);
    hs_time from;
    hs_time to;

    memcpy(units, naive->model->units, sizeof(naive->model->units));
    for (uint32_t node = 0; node < naive->model->node_count; node++) {
        total -= naive->is_away[node] ? units[node] : 0;
        units[node] = naive->is_away[node] ? 0 : units[node];
    }
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (!naive_span(naive, job, &from, &to) || time < from || to <= time) {
            continue;
        }
        total -= width_here(naive, job);
        for (uint32_t node = 0; naive->model->is_placed && node < naive->model->node_count;
             node++) {
            uint32_t taken = naive->state[job] == NAIVE_HOLDING ? naive->outcome->tasks[job][node]
                                                                : naive->plan_tasks[job][node];

            units[node] -= naive->is_away[node] ? 0 : taken;
        }
    }
    return total;
}

/* Is there room for the job all through [begin, end)? What is free shrinks only where a span
 * begins. If placed, `units` becomes what each node has free all through. */
static bool has_room(const struct naive *naive, uint32_t job, hs_time begin, hs_time end,
                     uint32_t *units)
{
    uint32_t least = free_at(naive, begin, units);
    hs_time from;
    hs_time to;

    for (uint32_t other = 0; other < naive->model->job_count && least >= width(naive, job);
         other++) {
        uint32_t then[MODEL_NODES_MAX];
        uint32_t total;

        if (!naive_span(naive, other, &from, &to) || from <= begin || end <= from) {
            continue;
        }
        total = free_at(naive, from, then);
        least = total < least ? total : least;
        total = 0;
        for (uint32_t node = 0; naive->model->is_placed && node < naive->model->node_count;
             node++) {
            units[node] = then[node] < units[node] ? then[node] : units[node];
            total += units[node];
        }
        least = naive->model->is_placed && total < least ? total : least;
    }
    return least >= width(naive, job);
}

void naive_plan_never(const struct naive *naive)
{
    for (uint32_t node = 0; node < naive->model->node_count; node++) {
        if (naive->is_away[node]) {
            return;
        }
    }
    abort();
}

/* Plans the job at the earliest start >= now at which it fits for its whole request: now, or where
 * a span ends; not at all if too few nodes are there. */
static void plan(struct naive *naive, uint32_t job)
{
    uint32_t units[MODEL_NODES_MAX];
    uint32_t left = width(naive, job);
    hs_time begin = naive->now;

    if (naive->vector) {
        naive_vector_plan(naive, job);
        return;
    }
    while (!has_room(naive, job, begin, naive_expected_end(naive, job, begin), units)) {
        hs_time next = HS_TIME_NEVER;

        for (uint32_t other = 0; other < naive->model->job_count; other++) {
            hs_time from;
            hs_time to;

            if (naive_span(naive, other, &from, &to) && to > begin && to < next) {
                next = to;
            }
        }
        if (next == HS_TIME_NEVER) {
            naive_plan_never(naive);
            return;
        }
        begin = next;
    }
    naive->plan_ns[job] = begin;
    for (uint32_t node = 0; node < naive->model->node_count; node++) {
        uint32_t taken = left < units[node] ? left : units[node];

        naive->plan_tasks[job][node] = taken;
        left -= taken;
    }
}

static void start_planned(struct naive *naive, uint32_t job)
{
    naive->plan_ns[job] = MODEL_NO_TIME;
    if (naive->vector) {
        naive_vector_start(naive, job, &naive->vector->plan[job]);
        return;
    }
    naive_start(naive, job, naive->model->is_placed ? naive->plan_tasks[job] : naive->free);
}

void naive_pass_depth(struct naive *naive, uint32_t depth)
{
    uint32_t planned = 0;

    for (uint32_t place = 0; place < naive->queue_count; place++) {
        uint32_t job = naive->queue[place];

        plan(naive, job);
        if (naive->plan_ns[job] == naive->now) {
            start_planned(naive, job);
        } else if (planned < depth) {
            planned += naive->plan_ns[job] != MODEL_NO_TIME;
        } else {
            naive->plan_ns[job] = MODEL_NO_TIME;
        }
    }
    for (uint32_t place = 0; place < naive->queue_count; place++) {
        naive->plan_ns[naive->queue[place]] = MODEL_NO_TIME;
    }
}

/* Where jobs outlive their requests or start late, promises cannot be kept: all is planned anew. */
static void forget_broken_promises(struct naive *naive)
{
    bool is_broken = naive->is_late;

    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        is_broken |= naive->state[job] == NAIVE_HOLDING &&
                     naive_expected_end(naive, job, naive->outcome->start_ns[job]) <= naive->now;
    }
    for (uint32_t place = 0; place < naive->queue_count; place++) {
        uint32_t job = naive->queue[place];

        if (is_broken) {
            naive->plan_ns[job] = MODEL_NO_TIME;
        } else if (naive->plan_ns[job] != MODEL_NO_TIME && naive->plan_ns[job] < naive->now) {
            abort(); /* nothing happened at a reserved start: the rule would need a wake-up */
        }
    }
}

void naive_pass_conservative(struct naive *naive)
{
    bool is_new[MODEL_JOBS_MAX];

    forget_broken_promises(naive);
    for (uint32_t place = 0; place < naive->queue_count; place++) {
        is_new[place] = naive->plan_ns[naive->queue[place]] == MODEL_NO_TIME;
    }
    for (uint32_t place = 0; naive->is_freed && place < naive->queue_count; place++) {
        uint32_t job = naive->queue[place];

        if (!is_new[place] && naive->plan_ns[job] > naive->now) {
            naive->plan_ns[job] = MODEL_NO_TIME;
            plan(naive, job);
        }
    }
    for (uint32_t place = 0; place < naive->queue_count; place++) {
        if (is_new[place]) {
            plan(naive, naive->queue[place]);
        }
    }
    for (uint32_t place = 0; place < naive->queue_count; place++) {
        if (naive->plan_ns[naive->queue[place]] == naive->now) {
            start_planned(naive, naive->queue[place]);
        }
    }
}
