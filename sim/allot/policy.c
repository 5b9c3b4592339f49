/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.c - Gavel's policies: shares by a linear program, realised in rounds.
 *
 * Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads",
 * OSDI 2020: sections 3.1 and 4 for the programs (allot.h), section 5 for the rounds (rounds.h). A
 * program is solved anew when the set of live jobs has changed, at the start of the next round. A
 * job runs on one type of worker at a time; who keeps its type keeps its devices. The work of a job
 * is one unit: its throughput on a type is 1 / the time that was predicted at its submission.
 *
 * Other than there: no two jobs share a worker, throughputs are predicted and not learnt, and what
 * a job was owed and has received is kept when the shares change. */
#include "allot/policy.h"

#include <stdlib.h>
#include <string.h>

#include "allot/rounds.h"

static const struct hs_param params[] = {
    HS_PARAM_TIME(struct rounds, round, "360", 1, 1e7, "length of a round"),
    HS_PARAM_BOOL(struct rounds, eager, "false",
                  "jobs that wait start at once where workers are idle, also between rounds and "
                  "beyond their shares; they may be stopped at the next round"),
    HS_PARAM_BOOL(
        struct rounds, aware, "true",
        "false: jobs are taken as equally fast on all types on which they can run, and get "
        "time on each by the number of its workers"),
    HS_PARAM_END,
};

static void fini(void *self)
{
    struct rounds *rounds = self;

    allot_destroy(rounds->allot);
    free(rounds->jobs);
    free(rounds->rates);
    free(rounds->shares);
    free(rounds->owed_s);
    free(rounds->got_s);
    free(rounds->live);
    free(rounds->pairs);
    free(rounds->chosen);
    free(rounds->place_of);
    free(rounds->left);
    free(rounds->problem_rates);
    free(rounds->problem_scales);
    free(rounds->problem_steps);
    free(rounds->problem_shares);
    rounds_types_fini(rounds);
}

static enum hs_err init(struct rounds *rounds, const struct hs_view *view, enum allot_goal goal,
                        struct hs_error *error)
{
    enum hs_err err = rounds_types_init(rounds, view, error);

    rounds->goal = goal;
    rounds->settled_ns = rounds->next_ns = INT64_MIN / 2;
    rounds->allot = err == HS_OK ? allot_create() : NULL;
    if (err == HS_OK && !rounds->allot) {
        err = hs_error_memory(error);
    }
    if (err != HS_OK) {
        fini(rounds); /* the host does so only after success */
    }
    return err;
}

static enum hs_err init_max_min(void *self, const struct hs_view *view, struct hs_error *error)
{
    return init(self, view, ALLOT_MAX_MIN, error);
}

static enum hs_err init_makespan(void *self, const struct hs_view *view, struct hs_error *error)
{
    return init(self, view, ALLOT_MAKESPAN, error);
}

static enum hs_err init_throughput(void *self, const struct hs_view *view, struct hs_error *error)
{
    return init(self, view, ALLOT_TOTAL, error);
}

/* Room for `count` elements in *array, which may move. */
static bool grow(void *array, size_t count, size_t size)
{
    void *old, *moved;

    memcpy(&old, array, sizeof old);
    moved = realloc(old, count * size);
    if (moved) {
        memcpy(array, &moved, sizeof moved);
    }
    return moved != NULL;
}

static bool reserve(struct rounds *rounds, uint32_t room)
{
    size_t cells = (size_t)room * rounds->type_count;

    if (room <= rounds->room) {
        return true;
    }
    if (!grow(&rounds->jobs, room, sizeof *rounds->jobs) ||
        !grow(&rounds->rates, cells, sizeof *rounds->rates) ||
        !grow(&rounds->shares, cells, sizeof *rounds->shares) ||
        !grow(&rounds->owed_s, cells, sizeof *rounds->owed_s) ||
        !grow(&rounds->got_s, cells, sizeof *rounds->got_s) ||
        !grow(&rounds->live, room, sizeof *rounds->live) ||
        !grow(&rounds->pairs, cells, sizeof *rounds->pairs) ||
        !grow(&rounds->chosen, room, sizeof *rounds->chosen) ||
        !grow(&rounds->place_of, room, sizeof *rounds->place_of) ||
        !grow(&rounds->left, room, sizeof *rounds->left) ||
        !grow(&rounds->problem_rates, cells, sizeof *rounds->problem_rates) ||
        !grow(&rounds->problem_scales, room, sizeof *rounds->problem_scales) ||
        !grow(&rounds->problem_steps, room, sizeof *rounds->problem_steps) ||
        !grow(&rounds->problem_shares, cells, sizeof *rounds->problem_shares)) {
        return false;
    }
    rounds->room = room;
    return true;
}

static void notify(void *self, const struct hs_view *view, const struct hs_event *event)
{
    struct rounds *rounds = self;

    switch (event->kind) {
    case HS_EVENT_SUBMITTED:
        if (!reserve(rounds, hs_view_slot_room(view))) {
            rounds->is_short = true;
            return;
        }
        rounds_meet(rounds, view, event->job);
        rounds->is_stale = true;
        return;
    case HS_EVENT_CANCELLED:
    case HS_EVENT_FINISHED:
        rounds->is_stale = true;
        return;
    case HS_EVENT_STARTED:
    case HS_EVENT_START_FAILED:
    case HS_EVENT_TIMER:
    case HS_EVENT_EXPECTED:
    case HS_EVENT_NODE: /* nothing is placed on a node that is away; shares are of what is installed
                         */
        return;
    }
}

static void reject_hopeless(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan)
{
    const struct hs_job *next;

    for (const struct hs_job *job = hs_view_first(view); job; job = next) {
        next = hs_view_next(view, job);
        if (rounds->jobs[job->slot].is_hopeless &&
            hs_plan_reject(plan, job, "no type of worker alone has room for it")) {
            rounds->jobs[job->slot].is_hopeless = false;
        }
    }
    rounds->hopeless_count = 0;
}

static void list_live(struct rounds *rounds, const struct hs_view *view)
{
    const struct hs_job *const *running = hs_view_running(view, &rounds->held_count);

    rounds->live_count = 0;
    for (uint32_t i = 0; i < rounds->held_count; i++) {
        rounds->live[rounds->live_count++] = running[i];
    }
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        rounds->live[rounds->live_count++] = job;
    }
}

static void begin_round(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan)
{
    hs_time now = hs_view_now(view);
    struct hs_error error = {0};

    rounds_settle(rounds, view);
    if (rounds->is_stale && rounds_solve(rounds, view, &error) != HS_OK) {
        hs_plan_fail(plan, error.text);
        return;
    }
    rounds_choose(rounds);
    rounds_look(rounds, view);
    rounds_place(rounds, view, plan);
    rounds->next_ns = now < HS_TIME_NEVER - rounds->round ? now + rounds->round : HS_TIME_NEVER;
}

static void schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    struct rounds *rounds = self;
    hs_time now = hs_view_now(view);

    if (rounds->is_short) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    if (rounds->hopeless_count) {
        reject_hopeless(rounds, view, plan);
    }
    list_live(rounds, view);
    if (rounds->live_count == 0) {
        return;
    }
    if (now >= rounds->next_ns) {
        begin_round(rounds, view, plan);
    } else if (rounds->eager) {
        rounds_look(rounds, view);
    }
    if (rounds->eager) {
        rounds_fill(rounds, view, plan);
    }
    if (rounds->next_ns > now && rounds->next_ns != HS_TIME_NEVER) {
        hs_plan_wake(plan, rounds->next_ns);
    }
}

#define GAVEL(id, text, doc, function)                                                             \
    HS_POLICY_DEFINE(id) = {                                                                       \
        HS_POLICY_HEADER,                                                                          \
        .name = text,                                                                              \
        .summary = doc,                                                                            \
        .params = params,                                                                          \
        .state_size = sizeof(struct rounds),                                                       \
        .init = function,                                                                          \
        .fini = fini,                                                                              \
        .notify = notify,                                                                          \
        .schedule = schedule,                                                                      \
        .flags = HS_POLICY_PREEMPTS,                                                               \
    }

GAVEL(gavel_max_min, "gavel-max-min",
      "rounds of shares by linear program: the least progress is greatest (Gavel)", init_max_min);
GAVEL(gavel_makespan, "gavel-makespan",
      "rounds of shares by linear program: all jobs there are end soonest (Gavel)", init_makespan);
GAVEL(gavel_throughput, "gavel-throughput",
      "rounds of shares by linear program: most jobs end in a second (Gavel)", init_throughput);

static const struct hs_policy *const policies[] = {
    &hs_policy_gavel_max_min, &hs_policy_gavel_makespan, &hs_policy_gavel_throughput, NULL};

const struct hs_plugin allot_policies = {
    .abi = HS_ABI, .size = sizeof allot_policies, .policies = policies};
