/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rounds_shares.c - shares of live jobs, what they have received, and who is next. */
#include <math.h>
#include <stdlib.h>

#include "allot/rounds.h"

#define SHARE_LEAST 1e-9 /* below: rounding of the solver */

void rounds_settle(struct rounds *rounds, const struct hs_view *view)
{
    hs_time now = hs_view_now(view);
    double passed_s = (double)(now - rounds->settled_ns) / (double)HS_NS_PER_S;

    for (uint32_t i = 0; i < rounds->live_count; i++) {
        const struct hs_job *job = rounds->live[i];
        uint32_t type = rounds->jobs[job->slot].type;
        size_t first = (size_t)job->slot * rounds->type_count;

        for (uint32_t w = 0; w < rounds->type_count; w++) {
            rounds->owed_s[first + w] += rounds->shares[first + w] * passed_s;
        }
        if (i < rounds->held_count && type != ROUNDS_NO_TYPE) {
            hs_time since = job->start_ns > rounds->settled_ns ? job->start_ns : rounds->settled_ns;

            rounds->got_s[first + type] += (double)(now - since) / (double)HS_NS_PER_S;
        }
    }
    rounds->settled_ns = now;
}

/* The share of its work that a job has still to do, > 0. */
static double work_left(const struct hs_job *job, hs_time now)
{
    double left = 1 - (double)job->done / 4294967296.0;

    if (job->alloc && job->expected_end_ns != HS_TIME_NEVER && job->start_ns >= 0) {
        double part =
            (double)(now - job->start_ns) / (double)(job->expected_end_ns - job->start_ns);

        left *= part < 1 ? 1 - part : 0;
    }
    return left > 1e-9 ? left : 1e-9;
}

/* A scheduler that takes all types as alike has no reason to prefer one: what a job got in all is
 * spread over the types on which it fits, by their numbers of workers. */
static void spread(const struct rounds *rounds, uint32_t first, const double *rates, double *shares,
                   uint32_t width)
{
    double sum = 0;
    double workers = 0;

    for (uint32_t w = 0; w < width; w++) {
        sum += shares[w];
        workers += rates[w] > 0 ? (double)rounds->types[first + w].amount : 0;
    }
    for (uint32_t w = 0; w < width; w++) {
        shares[w] = rates[w] > 0 ? sum * (double)rounds->types[first + w].amount / workers : 0;
    }
}

/* The types [first, last) of one kind, among the jobs of this kind. */
static enum hs_err solve_kind(struct rounds *rounds, hs_time now, uint32_t first, uint32_t last,
                              struct hs_error *error)
{
    double workers[ROUNDS_TYPES_MAX];
    uint32_t width = last - first;
    struct allot_problem problem = {.type_count = width,
                                    .workers = workers,
                                    .steps_per_s = rounds->problem_rates,
                                    .scale_factors = rounds->problem_scales,
                                    .steps = rounds->problem_steps};
    double optimum;
    size_t at = 0;
    enum hs_err err;

    for (uint32_t w = 0; w < width; w++) {
        workers[w] = (double)rounds->types[first + w].amount / 1000;
    }
    for (uint32_t i = 0; i < rounds->live_count; i++) {
        const struct hs_job *job = rounds->live[i];
        const struct round_job *own = &rounds->jobs[job->slot];
        const double *rates = &rounds->rates[(size_t)job->slot * rounds->type_count + first];

        if (own->kind != rounds->types[first].kind) {
            continue;
        }
        for (uint32_t w = 0; w < width; w++) {
            rounds->problem_rates[problem.job_count * width + w] = rates[w];
        }
        rounds->problem_scales[problem.job_count] = (double)own->amount / 1000;
        rounds->problem_steps[problem.job_count] = work_left(job, now);
        problem.job_count++;
    }
    if (problem.job_count == 0) {
        return HS_OK;
    }
    rounds->solved_count++;
    err =
        allot_solve(rounds->allot, rounds->goal, &problem, rounds->problem_shares, &optimum, error);
    for (uint32_t i = 0; err == HS_OK && i < rounds->live_count; i++) {
        uint32_t slot = rounds->live[i]->slot;
        double *shares = &rounds->shares[(size_t)slot * rounds->type_count + first];

        for (uint32_t w = 0; rounds->jobs[slot].kind == rounds->types[first].kind && w < width;
             w++) {
            double share = rounds->problem_shares[at++];

            shares[w] = share > SHARE_LEAST ? share : 0;
        }
        if (!rounds->aware && rounds->jobs[slot].kind == rounds->types[first].kind) {
            spread(rounds, first, &rounds->rates[(size_t)slot * rounds->type_count + first], shares,
                   width);
        }
    }
    return err;
}

enum hs_err rounds_solve(struct rounds *rounds, const struct hs_view *view, struct hs_error *error)
{
    enum hs_err err = HS_OK;
    uint32_t last;

    for (uint32_t first = 0; err == HS_OK && first < rounds->type_count; first = last) {
        last = first + 1;
        while (last < rounds->type_count && rounds->types[last].kind == rounds->types[first].kind) {
            last++;
        }
        err = solve_kind(rounds, hs_view_now(view), first, last, error);
    }
    rounds->is_stale = err != HS_OK;
    return err;
}

/* The highest priority first; of equal ones the larger share, the earlier arrival, the first type:
 * no two are equal. Devices come before cores, so that jobs without devices do not keep others
 * from them. */
static int compare(const void *left, const void *right)
{
    const struct round_choice *a = left;
    const struct round_choice *b = right;

    if (a->priority != b->priority) {
        return a->priority > b->priority ? -1 : 1;
    }
    if (a->share != b->share) {
        return a->share > b->share ? -1 : 1;
    }
    if (a->job->sequence != b->job->sequence) {
        return a->job->sequence < b->job->sequence ? -1 : 1;
    }
    return a->type < b->type ? -1 : 1;
}

/* Pairs of jobs that may start or be stopped, and types of a kind of which they have a share. */
static size_t list_pairs(struct rounds *rounds, uint16_t kind)
{
    size_t count = 0;

    for (uint32_t i = 0; i < rounds->live_count; i++) {
        const struct hs_job *job = rounds->live[i];
        size_t first = (size_t)job->slot * rounds->type_count;

        if (job->state == HS_JOB_STARTING || rounds->jobs[job->slot].kind != kind) {
            continue;
        }
        for (uint32_t w = 0; w < rounds->type_count; w++) {
            double got_s = rounds->got_s[first + w];

            if (rounds->shares[first + w] > 0) {
                rounds->pairs[count++] = (struct round_choice){
                    .job = job,
                    .type = w,
                    .priority = got_s > 0 ? rounds->owed_s[first + w] / got_s : HUGE_VAL,
                    .share = rounds->shares[first + w],
                };
            }
        }
    }
    qsort(rounds->pairs, count, sizeof *rounds->pairs, compare);
    return count;
}

void rounds_choose(struct rounds *rounds)
{
    int64_t left[ROUNDS_TYPES_MAX];

    for (uint32_t w = 0; w < rounds->type_count; w++) {
        left[w] = rounds->types[w].amount;
    }
    for (uint32_t i = 0; i < rounds->live_count; i++) {
        const struct round_job *own = &rounds->jobs[rounds->live[i]->slot];

        rounds->place_of[rounds->live[i]->slot] = ROUNDS_NO_TYPE;
        if (rounds->live[i]->state == HS_JOB_STARTING && own->type != ROUNDS_NO_TYPE) {
            left[own->type] -= own->amount; /* it cannot be stopped yet */
        }
    }
    rounds->chosen_count = 0;
    for (uint32_t w = 0; w < rounds->type_count; w++) {
        uint16_t kind = rounds->types[w].kind;
        size_t count = w == 0 || rounds->types[w - 1].kind != kind ? list_pairs(rounds, kind) : 0;

        for (size_t i = 0; i < count; i++) {
            const struct round_choice *pair = &rounds->pairs[i];
            uint32_t slot = pair->job->slot;

            if (rounds->place_of[slot] == ROUNDS_NO_TYPE &&
                rounds->jobs[slot].amount <= left[pair->type]) {
                rounds->place_of[slot] = pair->type;
                left[pair->type] -= rounds->jobs[slot].amount;
                rounds->chosen[rounds->chosen_count++] = *pair;
            }
        }
    }
}
