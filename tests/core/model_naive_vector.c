/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_naive_vector.c - the rules where nodes have devices: a reservation is certain nodes and
 * devices, and what fits is what finds a place. */
#include <stdlib.h>
#include <string.h>

#include "model_books.h"
#include "model_naive.h"

static const struct hs_demand *demand_of(const struct naive *naive, uint32_t job)
{
    return &naive->model->jobs[job].demand;
}

static bool fits(const struct naive *naive, const struct vector_state *state, uint32_t job)
{
    return vector_fits(naive->model->vector, state, demand_of(naive, job));
}

/* The same as fits, and where. */
static bool place(const struct naive *naive, const struct vector_state *state, uint32_t job,
                  struct vector_alloc *alloc)
{
    const char *name = naive->model->place;
    enum vector_way way = !name                           ? VECTOR_LEFT_MOST
                          : strcmp(name, "best-fit") == 0 ? VECTOR_BEST_FIT
                                                          : VECTOR_WORST_FIT;

    return vector_place(naive->model->vector, state, demand_of(naive, job), way, alloc);
}

void naive_vector_start(struct naive *naive, uint32_t job, const struct vector_alloc *alloc)
{
    const char *why;

    if (!vector_holds(naive->model->vector, &naive->vector->free, demand_of(naive, job), alloc,
                      &why)) {
        abort(); /* the rule has started a job that does not fit */
    }
    naive->vector->held[job] = *alloc;
    vector_take(naive->model->vector, &naive->vector->free, demand_of(naive, job), alloc);
    memcpy(naive->outcome->tasks[job], alloc->tasks, sizeof(alloc->tasks));
    naive->outcome->given[job] = books_hash(alloc);
    naive_begin(naive, job);
}

/* Starts the job where there is room now. */
static bool start_now(struct naive *naive, uint32_t job)
{
    struct vector_alloc alloc;

    if (!place(naive, &naive->vector->free, job, &alloc)) {
        return false;
    }
    naive_vector_start(naive, job, &alloc);
    return true;
}

static uint32_t start_head(struct naive *naive)
{
    uint32_t next = 0;

    while (next < naive->queue_count && start_now(naive, naive->queue[next])) {
        next++;
    }
    return next;
}

/* e = max(start + request, now) of a job that holds nodes. */
static hs_time assumed_end(const struct naive *naive, uint32_t job)
{
    hs_time end = naive_expected_end(naive, job, naive->outcome->start_ns[job]);

    return end > naive->now ? end : naive->now;
}

/* What is free at `time` if nothing starts any more. */
static void free_then(const struct naive *naive, hs_time time, struct vector_state *state)
{
    *state = naive->vector->free;
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive->state[job] == NAIVE_HOLDING && assumed_end(naive, job) != HS_TIME_NEVER &&
            assumed_end(naive, job) <= time) {
            vector_release(naive->model->vector, state, demand_of(naive, job),
                           &naive->vector->held[job]);
        }
    }
}

/* The head gets a place at the first assumed end at which it fits. */
static void reserve(struct naive *naive, uint32_t head)
{
    struct naive_vector *vector = naive->vector;
    struct vector_alloc alloc;

    vector->shadow_ns = HS_TIME_NEVER;
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        struct vector_state state;

        if (naive->state[job] != NAIVE_HOLDING || assumed_end(naive, job) >= vector->shadow_ns) {
            continue;
        }
        free_then(naive, assumed_end(naive, job), &state);
        if (fits(naive, &state, head)) {
            vector->shadow_ns = assumed_end(naive, job);
        }
    }
    free_then(naive, vector->shadow_ns, &vector->later);
    if (place(naive, &vector->later, head, &alloc)) {
        vector_take(naive->model->vector, &vector->later, demand_of(naive, head), &alloc);
    }
    vector->head = head;
    vector->is_kept = true;
}

static void pass_easy(struct naive *naive, bool is_extra_allowed)
{
    struct naive_vector *vector = naive->vector;
    uint32_t next = start_head(naive);

    vector->is_kept = vector->is_kept && next == 0;
    if (next == naive->queue_count) {
        return;
    }
    if (!vector->is_kept || vector->head != naive->queue[next] || vector->shadow_ns <= naive->now) {
        reserve(naive, naive->queue[next]);
    }
    naive_sort_others(naive, next + 1);
    while (++next < naive->queue_count) {
        uint32_t job = naive->queue[next];
        struct vector_state both = vector->later;
        struct vector_alloc alloc;

        if (naive_expected_end(naive, job, naive->now) <= vector->shadow_ns) {
            (void)start_now(naive, job);
            continue;
        }
        vector_intersect(naive->model->vector, &both, &vector->free);
        if (is_extra_allowed && place(naive, &both, job, &alloc)) {
            naive_vector_start(naive, job, &alloc);
            vector_take(naive->model->vector, &vector->later, demand_of(naive, job), &alloc);
        }
    }
}

/* What is free at `time` by the jobs that hold nodes and by the plans. */
static void free_at(const struct naive *naive, hs_time time, struct vector_state *state)
{
    hs_time from;
    hs_time to;

    vector_open(naive->model->vector, state);
    memcpy(state->is_away, naive->vector->free.is_away, sizeof(state->is_away));
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive_span(naive, job, &from, &to) && from <= time && time < to) {
            vector_take(naive->model->vector, state, demand_of(naive, job),
                        naive->state[job] == NAIVE_HOLDING ? &naive->vector->held[job]
                                                           : &naive->vector->plan[job]);
        }
    }
}

/* A place for the job all through [begin, end): what is free shrinks only where a span begins. */
static bool find_room(struct naive *naive, uint32_t job, hs_time begin, hs_time end)
{
    struct vector_state window;
    hs_time from;
    hs_time to;

    free_at(naive, begin, &window);
    for (uint32_t other = 0; other < naive->model->job_count; other++) {
        if (naive_span(naive, other, &from, &to) && begin < from && from < end) {
            struct vector_state then;

            free_at(naive, from, &then);
            vector_intersect(naive->model->vector, &window, &then);
        }
    }
    return place(naive, &window, job, &naive->vector->plan[job]);
}

void naive_vector_plan(struct naive *naive, uint32_t job)
{
    hs_time begin = naive->now;

    while (!find_room(naive, job, begin, naive_expected_end(naive, job, begin))) {
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
}

void naive_vector_pass(struct naive *naive)
{
    switch (naive->model->rule) {
    case MODEL_NONE:
        (void)start_head(naive);
        return;
    case MODEL_FIRST_FIT:
        for (uint32_t i = 0; i < naive->queue_count; i++) {
            (void)start_now(naive, naive->queue[i]);
        }
        return;
    case MODEL_EASY:
    case MODEL_EASY_HOSTS:
    case MODEL_EASY_SJBF:
        pass_easy(naive, true);
        return;
    case MODEL_EASY_NOEXTRA:
        pass_easy(naive, false);
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
