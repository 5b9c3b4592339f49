/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_generate.c - random cases for the model test: small machines, and workloads full of ties.
 *
 * Each case draws its own habits first (how many jobs, how bursty, how wide, how honest the
 * requests, whether jobs are cancelled and starts fail), then the jobs. */
#include <stdlib.h>
#include <string.h>

#include "model_case.h"

struct habits {
    uint32_t gap_max;     /* ticks between submissions */
    uint32_t tie_percent; /* submitted together with the job before */
    uint32_t request_max; /* ticks */
    uint32_t exact_percent;
    uint32_t zero_percent;
    uint32_t overrun_percent;
    uint32_t endless_percent; /* no walltime */
    uint32_t cancel_percent;
    uint32_t narrow_percent;
    uint32_t oversized_percent;
    bool are_ids_shared;
};

static void draw_machine(struct model_case *model, struct model_random *random)
{
    uint32_t shape = model_below(random, 10);
    uint32_t cores = model_between(random, 2, 8);

    model->node_count = model_chance(random, 50) ? model_between(random, 1, 8)
                                                 : model_between(random, 1, MODEL_NODES_MAX);
    for (uint32_t node = 0; node < model->node_count; node++) {
        uint32_t units = shape < 6 ? 1 : shape < 8 ? cores : model_between(random, 1, 4);

        model->units[node] = units;
        model->cores_milli[node] = (int64_t)units * 1000;
        model->mem_bytes[node] = INT64_MAX;
    }
}

static uint32_t draw_job_count(enum model_rule rule, struct model_random *random)
{
    bool is_planning = rule == MODEL_DEPTH || rule == MODEL_REBUILT || rule == MODEL_CONSERVATIVE;
    uint32_t size = model_below(random, 40);

    if (size < 12) {
        return model_between(random, 1, 8);
    }
    if (size < 36) {
        return model_between(random, 5, is_planning ? 25 : 50);
    }
    return size < 39 ? model_between(random, 20, is_planning ? 50 : 120)
                     : model_between(random, 50, is_planning ? 90 : 400);
}

static struct habits draw_habits(const struct model_case *model, struct model_random *random)
{
    static const uint32_t request_max[] = {2, 5, 10, 30, 1000, 100000};
    bool is_planning = model->rule == MODEL_DEPTH || model->rule == MODEL_REBUILT ||
                       model->rule == MODEL_CONSERVATIVE;
    struct habits habits = {
        .request_max = request_max[model_below(random, 6)],
        .tie_percent = model_chance(random, 50) ? 30 : 90,
        .exact_percent = model_chance(random, 30) ? 100 : model_below(random, 60),
        .zero_percent = model_chance(random, 50) ? 0 : 10,
        .overrun_percent = model_chance(random, 80) ? 0 : 15,
        .endless_percent = model_chance(random, 93) ? 0 : 20,
        .cancel_percent = model_chance(random, 70) ? 0 : 20,
        .narrow_percent = model_below(random, 101),
        .oversized_percent = model_chance(random, 90) ? 0 : 5,
        .are_ids_shared = model_chance(random, 15),
    };

    habits.gap_max = 1 + habits.request_max / model_between(random, 1, 6);
    if (model_chance(random, 15)) {
        habits.gap_max = 1; /* one burst */
    }
    if (is_planning) {
        habits.endless_percent = 0; /* there need be no time for a plan */
    }
    return habits;
}

static hs_time draw_base(const struct model_case *model, struct model_random *random)
{
    uint32_t kind = model_below(random, 10);
    bool is_logarithmic = model->order >= MODEL_F1;

    if (kind < 5) {
        return 0;
    }
    if (kind == 5 && !is_logarithmic) {
        return -(hs_time)model_below(random, 1000) * HS_NS_PER_S;
    }
    return (hs_time)model_below(random, kind < 8 ? 100 : 1500000000) * HS_NS_PER_S;
}

static void draw_times(const struct model_case *model, const struct habits *habits,
                       struct model_random *random, struct model_job *job)
{
    uint32_t request = model_between(random, 1, habits->request_max);
    uint32_t run =
        model_chance(random, habits->exact_percent) ? request : model_below(random, request + 1);

    if (model_chance(random, habits->zero_percent)) {
        run = 0;
    }
    if (model_chance(random, habits->overrun_percent)) {
        run = request + model_between(random, 1, habits->request_max);
    }
    job->run_ns = (hs_time)run * model->tick_ns;
    job->request_ns = (hs_time)request * model->tick_ns;
    if (model_chance(random, habits->endless_percent)) {
        job->request_ns = HS_TIME_NEVER;
    }
    job->cancel_ns = HS_TIME_NEVER;
    if (model_chance(random, habits->cancel_percent)) {
        job->cancel_ns =
            job->submit_ns +
            ((hs_time)model_below(random, 3 * habits->request_max + 2) - 1) * model->tick_ns;
    }
}

static void draw_width(const struct model_case *model, const struct habits *habits,
                       struct model_random *random, struct model_job *job)
{
    uint32_t total = model_total_units(model);

    if (model_chance(random, habits->narrow_percent)) {
        job->width = model_between(random, 1, total / 4 + 1);
    } else {
        job->width = model_between(random, 1, total);
    }
    if (model_chance(random, 15)) {
        job->width = 1;
    }
    if (model_chance(random, 5)) {
        job->width = total;
    }
    if (model_chance(random, habits->oversized_percent)) {
        job->width = total + model_between(random, 1, 3);
    }
    job->procs = job->width;
    job->demand = (struct hs_demand){.tasks = job->width, .cores_milli = 1000};
}

/* Ids are used again, but not by two jobs of one instant. */
static int64_t draw_id(const struct model_case *model, const struct habits *habits, uint32_t index,
                       struct model_random *random)
{
    int64_t id = (int64_t)model_below(random, 5);

    for (uint32_t other = 0; other < index; other++) {
        if (model->jobs[other].id == id &&
            model->jobs[other].submit_ns == model->jobs[index].submit_ns) {
            return 1000 - (int64_t)index;
        }
    }
    return habits->are_ids_shared ? id : 1000 - (int64_t)index;
}

void model_generate(struct model_case *model, enum model_order order, enum model_rule rule,
                    uint64_t seed)
{
    static const hs_time ticks[] = {HS_NS_PER_S, HS_NS_PER_S, HS_NS_PER_S, 60 * HS_NS_PER_S,
                                    1000000,     250000000,   1,           7};
    struct model_random random = {.state = seed};
    struct habits habits;
    hs_time submit;

    memset(model, 0, sizeof(*model));
    model->seed = seed;
    model->order = order;
    model->rule = rule;
    model->rule_prefix = "";
    model->depth = model_between(&random, 1, model_chance(&random, 50) ? 3 : 12);
    model->fail_permille = model_chance(&random, 75) ? 0 : model_between(&random, 1, 300);
    model->is_confirmed_late = model_chance(&random, 30);
    model->tick_ns = ticks[model_below(&random, 8)];
    draw_machine(model, &random);
    habits = draw_habits(model, &random);
    submit = draw_base(model, &random);
    model->job_count = draw_job_count(rule, &random);
    for (uint32_t i = 0; i < model->job_count; i++) {
        struct model_job *job = &model->jobs[i];

        if (i > 0 && !model_chance(&random, habits.tie_percent)) {
            submit += (hs_time)model_below(&random, habits.gap_max + 1) * model->tick_ns;
        }
        job->tag = i;
        job->submit_ns = submit;
        job->priority = model_between(&random, 0, 3);
        draw_width(model, &habits, &random, job);
        draw_times(model, &habits, &random, job);
        job->id = draw_id(model, &habits, i, &random);
    }
    model->correct_percent = model_chance(&random, 60) ? 0 : model_between(&random, 1, 100);
}

static int compare_changes(const void *left, const void *right)
{
    const struct model_change *a = left;
    const struct model_change *b = right;

    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return a->node < b->node ? -1 : a->node > b->node;
}

/* A time after the first instant: any, or when a job comes or may end. */
static hs_time draw_change_time(const struct model_case *model, struct model_random *random)
{
    const struct model_job *job = &model->jobs[model_below(random, model->job_count)];
    hs_time first = model->jobs[0].submit_ns + 2 * model->tick_ns;
    hs_time last = model->jobs[model->job_count - 1].submit_ns;
    hs_time time = job->submit_ns;

    switch (model_below(random, 4)) {
    case 0:
        time += job->run_ns;
        break;
    case 1:
        time += job->request_ns == HS_TIME_NEVER ? 0 : job->request_ns;
        break;
    case 2:
        break;
    default:
        time = first + (hs_time)(model_next(random) %
                                 (uint64_t)(last - first + job->run_ns + 50 * model->tick_ns)) /
                           model->tick_ns * model->tick_ns;
    }
    return time > first ? time : first;
}

void model_add_changes(struct model_case *model, struct model_random *random)
{
    bool is_away[MODEL_NODES_MAX] = {false};
    uint32_t few = model_chance(random, 50) ? 3 : 31;
    hs_time last = 0;

    model->change_count = model->job_count ? model_between(random, 1, few) : 0;
    for (uint32_t i = 0; i < model->change_count; i++) {
        model->changes[i].time_ns = draw_change_time(model, random);
        model->changes[i].node = model_below(random, model->node_count);
    }
    qsort(model->changes, model->change_count, sizeof(model->changes[0]), compare_changes);
    for (uint32_t i = 0; i < model->change_count; i++) {
        struct model_change *change = &model->changes[i];

        change->is_available = is_away[change->node];
        is_away[change->node] = !is_away[change->node];
        last = change->time_ns;
    }
    for (uint32_t node = 0; node < model->node_count; node++) {
        if (is_away[node]) {
            last += (hs_time)model_below(random, 20) * model->tick_ns;
            model->changes[model->change_count++] = (struct model_change){last, node, true};
        }
    }
    if (model->is_placed && model->change_count) {
        model->jobs[0].run_ns += last - model->jobs[0].submit_ns;
        model->jobs[0].request_ns = model->jobs[0].run_ns;
    }
}
