/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rounds_place.c - the choice of a round becomes starts and preemptions. */
#include "allot/rounds.h"

static bool start_on_type(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan,
                          const struct hs_job *job, uint32_t type)
{
    struct hs_free *open = rounds->open[rounds->types[type].speed_class];
    struct hs_demand demand = rounds_demand(rounds, job, type);

    if (!hs_free_place(open, &demand, hs_view_placement(view), &rounds->buffer)) {
        return false;
    }
    rounds->buffer.alloc.alternative = rounds->jobs[job->slot].alternative;
    if (!hs_plan_start_on(plan, job, &rounds->buffer.alloc)) {
        return false; /* the plan is broken */
    }
    rounds->jobs[job->slot].type = type;
    rounds_look_at(rounds, view, job->alloc);
    return true;
}

/* The job stops; returns what it held, valid during the pass. */
static const struct hs_alloc *stop(struct rounds *rounds, const struct hs_view *view,
                                   struct hs_plan *plan, const struct hs_job *job)
{
    const struct hs_alloc *alloc = job->alloc;

    if (!hs_plan_preempt(plan, job)) {
        return NULL;
    }
    rounds_look_at(rounds, view, alloc);
    return alloc;
}

/* The count says that the chosen one has room, but leases of others lie so that it does not fit:
 * those of lower priority make room on its speed class, the lowest first, and are placed anew when
 * it is their turn. If that does not help they stay. */
static bool make_room(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan,
                      uint32_t index)
{
    const struct round_choice *choice = &rounds->chosen[index];
    uint32_t speed_class = rounds->types[choice->type].speed_class;
    size_t mark = hs_plan_mark(plan);
    uint32_t count = 0;

    for (uint32_t k = rounds->chosen_count; --k > index;) {
        const struct round_choice *other = &rounds->chosen[k];

        if (other->job->state != HS_JOB_RUNNING ||
            rounds->types[other->type].speed_class != speed_class) {
            continue;
        }
        rounds->left[count] = stop(rounds, view, plan, other->job);
        if (!rounds->left[count]) {
            return false; /* the plan is broken */
        }
        count++;
        if (start_on_type(rounds, view, plan, choice->job, choice->type)) {
            return true;
        }
    }
    hs_plan_undo(plan, mark);
    for (uint32_t k = 0; k < count; k++) {
        rounds_look_at(rounds, view, rounds->left[k]);
    }
    return false;
}

void rounds_place(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan)
{
    for (uint32_t i = 0; i < rounds->held_count; i++) {
        const struct hs_job *job = rounds->live[i];

        if (job->state == HS_JOB_RUNNING &&
            rounds->place_of[job->slot] != rounds->jobs[job->slot].type &&
            !stop(rounds, view, plan, job)) {
            return;
        }
    }
    for (uint32_t i = 0; i < rounds->chosen_count; i++) {
        const struct round_choice *choice = &rounds->chosen[i];

        if (choice->job->state == HS_JOB_PENDING &&
            !start_on_type(rounds, view, plan, choice->job, choice->type)) {
            (void)make_room(rounds, view, plan, i);
        }
    }
}

/* Starts the job on the fastest type with room, of equals the first. */
static void start_anywhere(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan,
                           const struct hs_job *job)
{
    const double *rates = &rounds->rates[(size_t)job->slot * rounds->type_count];
    bool is_tried[ROUNDS_TYPES_MAX] = {false};

    for (;;) {
        uint32_t best = ROUNDS_NO_TYPE;

        for (uint32_t w = 0; w < rounds->type_count; w++) {
            if (!is_tried[w] && rates[w] > 0 &&
                (best == ROUNDS_NO_TYPE || rates[w] > rates[best])) {
                best = w;
            }
        }
        if (best == ROUNDS_NO_TYPE || start_on_type(rounds, view, plan, job, best)) {
            return;
        }
        is_tried[best] = true;
    }
}

void rounds_fill(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *next;

    for (const struct hs_job *job = hs_view_first(view); job; job = next) {
        if (!hs_view_any_fits(view)) {
            return;
        }
        next = hs_view_next(view, job);
        if (hs_view_fits(view, job->demand)) {
            start_anywhere(rounds, view, plan, job);
        }
    }
}
