/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_naive_rule.c - the reservation rules as their documentation words them. */
#include <stdlib.h>
#include <string.h>

#include "model_naive.h"

static uint32_t width(const struct naive *naive, uint32_t job)
{
    return naive->model->jobs[job].width;
}

static uint32_t sum(const struct naive *naive, const uint32_t *units)
{
    uint32_t total = 0;

    for (uint32_t node = 0; node < naive->model->node_count; node++) {
        total += units[node];
    }
    return total;
}

static bool fits_now(const struct naive *naive, uint32_t job)
{
    return width(naive, job) <= sum(naive, naive->free);
}

hs_time naive_expected_end(const struct naive *naive, uint32_t job, hs_time start)
{
    hs_time request = naive->model->jobs[job].request_ns;

    if (naive->state[job] == NAIVE_HOLDING && naive->expected_ns[job] != MODEL_NO_TIME) {
        return naive->expected_ns[job];
    }
    if (naive->state[job] == NAIVE_HOLDING) { /* its nodes are known */
        request = model_scaled(naive->model, naive->outcome->tasks[job], request);
    }
    return model_add(start, request);
}

/* Starts jobs from the head while they fit; the place in the queue of the first that does not. */
static uint32_t start_head(struct naive *naive)
{
    uint32_t place = 0;

    while (place < naive->queue_count && fits_now(naive, naive->queue[place])) {
        naive_start(naive, naive->queue[place], naive->free);
        place++;
    }
    return place;
}

static void pass_first_fit(struct naive *naive)
{
    for (uint32_t place = 0; place < naive->queue_count; place++) {
        if (fits_now(naive, naive->queue[place])) {
            naive_start(naive, naive->queue[place], naive->free);
        }
    }
}

/* e = max(start + request, now) of a job that holds nodes. */
static hs_time assumed_end(const struct naive *naive, uint32_t job)
{
    hs_time end = naive_expected_end(naive, job, naive->outcome->start_ns[job]);

    return end > naive->now ? end : naive->now;
}

/* What is free at `time` if nothing starts any more. */
static void free_then(const struct naive *naive, hs_time time, uint32_t *units)
{
    memcpy(units, naive->free, sizeof(naive->free));
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive->state[job] == NAIVE_HOLDING && assumed_end(naive, job) <= time) {
            for (uint32_t node = 0; node < naive->model->node_count; node++) {
                units[node] += naive->is_away[node] ? 0 : naive->outcome->tasks[job][node];
            }
        }
    }
}

/* The smallest assumed end at which the head is covered. */
static hs_time find_shadow(const struct naive *naive, uint32_t head)
{
    hs_time shadow = HS_TIME_NEVER;

    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        uint32_t units[MODEL_NODES_MAX];

        if (naive->state[job] != NAIVE_HOLDING || assumed_end(naive, job) >= shadow) {
            continue;
        }
        free_then(naive, assumed_end(naive, job), units);
        if (sum(naive, units) >= width(naive, head)) {
            shadow = assumed_end(naive, job);
        }
    }
    return shadow;
}

/* Under easy-sjbf the others are tried by their request, then as they came. */
void naive_sort_others(struct naive *naive, uint32_t first)
{
    const struct model_job *jobs = naive->model->jobs;

    for (uint32_t i = first; naive->model->rule == MODEL_EASY_SJBF && i < naive->queue_count; i++) {
        uint32_t job = naive->queue[i];
        uint32_t place = i;

        while (place > first &&
               (jobs[naive->queue[place - 1]].request_ns > jobs[job].request_ns ||
                (jobs[naive->queue[place - 1]].request_ns == jobs[job].request_ns &&
                 naive->queue[place - 1] > job))) {
            naive->queue[place] = naive->queue[place - 1];
            place--;
        }
        naive->queue[place] = job;
    }
}

static void pass_easy(struct naive *naive, bool is_extra_allowed)
{
    uint32_t place = start_head(naive);
    uint32_t units[MODEL_NODES_MAX];
    hs_time shadow;
    uint32_t extra;

    if (place == naive->queue_count) {
        return;
    }
    shadow = find_shadow(naive, naive->queue[place]);
    free_then(naive, shadow, units);
    extra = sum(naive, units) - width(naive, naive->queue[place]);
    naive_sort_others(naive, place + 1);
    while (++place < naive->queue_count) {
        uint32_t job = naive->queue[place];
        bool is_short = naive_expected_end(naive, job, naive->now) <= shadow;

        if (!fits_now(naive, job)) {
            continue;
        }
        if (is_short) {
            naive_start(naive, job, naive->free);
        } else if (is_extra_allowed && width(naive, job) <= extra) {
            naive_start(naive, job, naive->free);
            extra -= width(naive, job);
        }
    }
}

static void pass_easy_hosts(struct naive *naive)
{
    uint32_t place = start_head(naive);
    uint32_t later[MODEL_NODES_MAX]; /* free at the shadow time beside the head */
    uint32_t left;
    hs_time shadow;

    if (place == naive->queue_count) {
        return;
    }
    shadow = find_shadow(naive, naive->queue[place]);
    free_then(naive, shadow, later);
    left = width(naive, naive->queue[place]);
    for (uint32_t node = 0; node < naive->model->node_count; node++) {
        uint32_t taken = left < later[node] ? left : later[node];

        later[node] -= taken;
        left -= taken;
    }
    naive_sort_others(naive, place + 1);
    while (++place < naive->queue_count) {
        uint32_t job = naive->queue[place];
        uint32_t both[MODEL_NODES_MAX];

        for (uint32_t node = 0; node < naive->model->node_count; node++) {
            both[node] = later[node] < naive->free[node] ? later[node] : naive->free[node];
        }
        if (fits_now(naive, job) && naive_expected_end(naive, job, naive->now) <= shadow) {
            naive_start(naive, job, naive->free);
        } else if (width(naive, job) <= sum(naive, both)) {
            naive_start(naive, job, both);
            for (uint32_t node = 0; node < naive->model->node_count; node++) {
                later[node] -= naive->outcome->tasks[job][node];
            }
        }
    }
}

void naive_pass(struct naive *naive)
{
    if (naive->vector) {
        naive_vector_pass(naive);
        return;
    }
    switch (naive->model->rule) {
    case MODEL_NONE:
        (void)start_head(naive);
        return;
    case MODEL_FIRST_FIT:
        pass_first_fit(naive);
        return;
    case MODEL_EASY:
    case MODEL_EASY_SJBF:
        if (naive->model->is_placed) {
            pass_easy_hosts(naive);
        } else {
            pass_easy(naive, true);
        }
        return;
    case MODEL_EASY_NOEXTRA:
        pass_easy(naive, false);
        return;
    case MODEL_EASY_HOSTS:
        pass_easy_hosts(naive);
        return;
    case MODEL_DEPTH:
        naive_pass_depth(naive, naive->model->depth);
        return;
    case MODEL_REBUILT:
        naive_pass_depth(naive, UINT32_MAX);
        return;
    case MODEL_CONSERVATIVE:
        naive_pass_conservative(naive);
        return;
    case MODEL_RULE_COUNT:
        break;
    }
    abort();
}
