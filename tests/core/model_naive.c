/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_naive.c - the loop of the naive simulator: what happens, in which order. */
#include <stdlib.h>
#include <string.h>

#include "model_naive.h"

void naive_start(struct naive *naive, uint32_t job, const uint32_t *allowed)
{
    const struct model_job *it = &naive->model->jobs[job];
    struct model_outcome *outcome = naive->outcome;
    uint32_t left = it->width;

    for (uint32_t node = 0; node < naive->model->node_count; node++) {
        uint32_t room = allowed[node] < naive->free[node] ? allowed[node] : naive->free[node];
        uint32_t taken = left < room ? left : room;

        outcome->tasks[job][node] = taken;
        naive->free[node] -= taken;
        left -= taken;
    }
    if (left > 0) {
        abort(); /* the rule has started a job that does not fit */
    }
    naive_begin(naive, job);
}

void naive_begin(struct naive *naive, uint32_t job)
{
    const struct model_job *it = &naive->model->jobs[job];
    struct model_outcome *outcome = naive->outcome;
    hs_time run_ns = model_scaled(naive->model, outcome->tasks[job], it->run_ns);
    hs_time answer_ns;

    outcome->attempts[job]++;
    outcome->start_ns[job] = naive->now;
    if (outcome->attempts[job] == 1) {
        outcome->first_ns[job] = naive->now;
    }
    naive->state[job] = NAIVE_HOLDING;
    naive->is_shortened |=
        model_scaled(naive->model, outcome->tasks[job], it->request_ns) < it->request_ns;
    naive->expected_ns[job] = MODEL_NO_TIME;
    naive->corrections[job] = 0;
    naive->is_failing[job] = model_start_fails(naive->model, it, outcome->attempts[job]);
    answer_ns = naive->now + model_answer_delay(naive->model, it, outcome->attempts[job]);
    naive->confirm_ns[job] = naive->is_failing[job] ? MODEL_NO_TIME : answer_ns;
    naive->end_ns[job] = naive->is_failing[job] ? answer_ns : answer_ns + run_ns;
}

/* The host has carried out a start: the job runs, and its request counts, from here on. */
static void confirm(struct naive *naive)
{
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive->state[job] == NAIVE_HOLDING && naive->confirm_ns[job] == naive->now) {
            naive->is_late |= naive->outcome->start_ns[job] < naive->now;
            if (naive->vector && naive->outcome->start_ns[job] < naive->now) {
                naive->vector->is_kept = false;
            }
            naive->outcome->start_ns[job] = naive->now;
            naive->confirm_ns[job] = MODEL_NO_TIME;
        }
    }
}

/* The job holds nothing any more. */
static void give_back(struct naive *naive, uint32_t job)
{
    hs_time start = naive->outcome->start_ns[job];

    naive->is_late |= naive_expected_end(naive, job, start) < naive->now;
    for (uint32_t node = 0; node < naive->model->node_count && !naive->vector; node++) {
        uint32_t *free = naive->is_away[node] ? naive->hidden : naive->free;

        free[node] += naive->outcome->tasks[job][node];
    }
    if (naive->vector) {
        vector_release(naive->model->vector, &naive->vector->free, &naive->model->jobs[job].demand,
                       &naive->vector->held[job]);
        naive->vector->is_kept = false;
    }
    naive->is_freed = true;
    naive->plan_ns[job] = MODEL_NO_TIME;
}

static void leave(struct naive *naive, uint32_t job, enum model_fate fate)
{
    if (naive->state[job] == NAIVE_HOLDING) {
        give_back(naive, job);
    }
    naive->state[job] = NAIVE_GONE;
    naive->is_freed = true;
    if (naive->vector) {
        naive->vector->is_kept = false;
    }
    naive->outcome->fate[job] = fate;
    naive->outcome->end_ns[job] = naive->now;
}

static bool ends(struct naive *naive)
{
    bool is_event = false;

    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive->state[job] == NAIVE_HOLDING && naive->end_ns[job] == naive->now) {
            is_event = true;
            if (naive->is_failing[job]) {
                give_back(naive, job);
                naive->state[job] = NAIVE_WAITING;
            } else {
                leave(naive, job, MODEL_DONE);
            }
        }
    }
    return is_event;
}

/* Nodes leave and come back; nothing happens to the jobs on them. */
static bool changes(struct naive *naive)
{
    const struct model_case *model = naive->model;
    bool is_event = false;

    for (; naive->next_change < model->change_count; naive->next_change++) {
        const struct model_change *change = &model->changes[naive->next_change];

        if (change->time_ns != naive->now) {
            break;
        }
        if (change->node >= model->node_count) {
            continue;
        }
        if (change->is_available) {
            naive->free[change->node] = naive->hidden[change->node];
        } else {
            naive->hidden[change->node] = naive->free[change->node];
            naive->free[change->node] = 0;
        }
        naive->is_away[change->node] = !change->is_available;
        naive->is_late = true;
        if (naive->vector) {
            naive->vector->free.is_away[change->node] = !change->is_available;
            naive->vector->is_kept = false;
        }
        is_event = true;
    }
    return is_event;
}

static bool cancellations(struct naive *naive)
{
    bool is_event = false;

    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive->model->jobs[job].cancel_ns != naive->now || naive->is_cancel_past[job]) {
            continue;
        }
        naive->is_cancel_past[job] = true;
        if (naive->state[job] == NAIVE_WAITING) {
            leave(naive, job, MODEL_CANCELLED_WAITING);
            is_event = true;
        } else if (naive->state[job] == NAIVE_HOLDING) {
            leave(naive, job, MODEL_CANCELLED_RUNNING);
            is_event = true;
        }
    }
    return is_event;
}

/* When the next correction of the job is due, and to what; false: none. */
static bool correction_of(const struct naive *naive, uint32_t job, hs_time *time, hs_time *end)
{
    return naive->state[job] == NAIVE_HOLDING && !naive->is_failing[job] &&
           naive->confirm_ns[job] == MODEL_NO_TIME &&
           model_correction(naive->model, &naive->model->jobs[job], naive->outcome->attempts[job],
                            naive->corrections[job], naive->outcome->start_ns[job], time, end);
}

/* Earlier, it is as if the rest of the time were given back; later, promises may break. */
static bool corrections(struct naive *naive)
{
    bool is_event = false;

    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        hs_time time, end, before;

        if (!correction_of(naive, job, &time, &end) || time != naive->now) {
            continue;
        }
        before = naive_expected_end(naive, job, naive->outcome->start_ns[job]);
        naive->is_late |= end > before;
        naive->is_freed |= end < before;
        naive->expected_ns[job] = end;
        naive->corrections[job]++;
        if (naive->vector) {
            naive->vector->is_kept = false;
        }
        is_event = true;
    }
    return is_event;
}

/* Does the empty machine take the job? */
static bool can_run(const struct naive *naive, uint32_t job)
{
    const struct model_case *model = naive->model;
    struct vector_state empty;

    if (!naive->vector) {
        return model->jobs[job].width <= model_total_units(model);
    }
    vector_open(model->vector, &empty);
    return vector_fits(model->vector, &empty, &model->jobs[job].demand);
}

static bool submissions(struct naive *naive)
{
    bool is_event = false;

    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        if (naive->model->jobs[job].submit_ns != naive->now || naive->state[job] != NAIVE_FUTURE) {
            continue;
        }
        if (!can_run(naive, job)) {
            naive->state[job] = NAIVE_GONE;
            naive->outcome->fate[job] = MODEL_REFUSED;
        } else {
            naive->state[job] = NAIVE_WAITING;
            is_event = true;
        }
    }
    return is_event;
}

static bool next_time(const struct naive *naive, hs_time *next)
{
    *next = naive->next_change < naive->model->change_count
                ? naive->model->changes[naive->next_change].time_ns
                : HS_TIME_NEVER;
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        const struct model_job *it = &naive->model->jobs[job];
        hs_time time, end;

        if (naive->state[job] == NAIVE_FUTURE && it->submit_ns < *next) {
            *next = it->submit_ns;
        }
        if (naive->state[job] == NAIVE_HOLDING && naive->end_ns[job] < *next) {
            *next = naive->end_ns[job];
        }
        if (naive->state[job] == NAIVE_HOLDING && naive->confirm_ns[job] != MODEL_NO_TIME &&
            naive->confirm_ns[job] < *next) {
            *next = naive->confirm_ns[job];
        }
        if (!naive->is_cancel_past[job] && it->cancel_ns < *next) {
            *next = it->cancel_ns;
        }
        if (correction_of(naive, job, &time, &end) && time < *next) {
            *next = time;
        }
    }
    return *next != HS_TIME_NEVER;
}

/* Jobs stand in the order of their arrival, so a stable sort by (key, submit) is all. */
static void sort_queue(struct naive *naive)
{
    double keys[MODEL_JOBS_MAX];

    naive->queue_count = 0;
    for (uint32_t job = 0; job < naive->model->job_count; job++) {
        uint32_t place = naive->queue_count;

        if (naive->state[job] != NAIVE_WAITING) {
            continue;
        }
        keys[job] = naive_key(naive, job);
        while (place > 0 && keys[naive->queue[place - 1]] > keys[job]) {
            naive->queue[place] = naive->queue[place - 1];
            place--;
        }
        naive->queue[place] = job;
        naive->queue_count++;
    }
}

void naive_run(const struct model_case *model, struct model_outcome *outcome)
{
    struct naive naive = {.model = model, .outcome = outcome};

    memset(outcome, 0, sizeof(*outcome));
    for (uint32_t job = 0; job < model->job_count; job++) {
        outcome->first_ns[job] = MODEL_NO_TIME;
        outcome->start_ns[job] = MODEL_NO_TIME;
        outcome->end_ns[job] = MODEL_NO_TIME;
        naive.plan_ns[job] = MODEL_NO_TIME;
    }
    memcpy(naive.free, model->units, sizeof(naive.free));
    if (model->vector) {
        naive.vector = calloc(1, sizeof(*naive.vector));
        naive.vector->held = calloc(2 * MODEL_JOBS_MAX, sizeof(*naive.vector->held));
        naive.vector->plan = &naive.vector->held[model->job_count];
        vector_open(model->vector, &naive.vector->free);
    }
    while (next_time(&naive, &naive.now)) {
        bool is_event;

        confirm(&naive);
        is_event = ends(&naive);
        is_event |= changes(&naive);
        is_event |= cancellations(&naive);
        is_event |= submissions(&naive);
        is_event |= corrections(&naive);
        if (is_event) {
            sort_queue(&naive);
            naive_pass(&naive);
            confirm(&naive);
            naive.is_freed = naive.is_shortened;
            naive.is_shortened = false;
            naive.is_late = false;
        }
    }
    if (naive.vector) {
        free(naive.vector->held);
    }
    free(naive.vector);
}
