/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace.c - speeds of live jobs: submission, prediction, start. */
#include "run/pace.h"

#include <stdlib.h>
#include <string.h>

#include "run/simulation_internal.h"

static const char NOWHERE[] = "its class can run on no device or node here that it admits";

/* What is known of a job: from its annex, or of the one that is being submitted. */
static const struct pace_job *pace_of(const struct simulation *sim, const struct hs_job *job)
{
    const struct pace *pace = &sim->pace;

    if (pace->has_incoming && pace->incoming_key.id == job->key.id &&
        pace->incoming_key.submit_ns == job->key.submit_ns) {
        return &pace->incoming;
    }
    return &live_annex(sim, job->slot)->pace;
}

static hs_time predict(const void *context, const struct hs_job *job, uint32_t speed_class)
{
    const struct simulation *sim = context;
    const struct pace_job *known = pace_of(sim, job);
    const struct speed_model *model = sim->pace.speeds->model;
    int64_t alternative = job->alloc ? (int64_t)job->alloc->alternative : -1;
    hs_time time = speed_model_predict(model, &known->speed, job->demand, alternative, speed_class,
                                       known->estimate_ns);

    if (time == HS_TIME_NEVER) {
        return time; /* it cannot run there, or has no estimate */
    }
    return sim->pace.speeds->options->is_walltime_fixed && !sim->options->is_clairvoyant &&
                   !sim->has_predictor
               ? known->estimate_ns
               : time;
}

void pace_init(struct simulation *sim, struct run_speeds *speeds)
{
    struct pace *pace = &sim->pace;

    if (!speeds || !speeds->model) {
        return;
    }
    pace->speeds = speeds;
    pace->told = (struct hs_speeds){
        .class_count = speed_model_class_count(speeds->model),
        .class_of_node = speed_model_class_of_node(speeds->model),
        .predict = predict,
        .context = sim,
    };
    sim->has_annex = true;
}

void pace_fini(struct pace *pace)
{
    for (size_t i = 0; i < pace->narrowed_count; i++) {
        free(pace->narrowed[i].to);
    }
    free(pace->narrowed);
    *pace = (struct pace){0};
}

/* Demands of all alternatives that can run somewhere, the first in the order of the job. NULL: no
 * memory. */
static const struct pace_narrowed *narrow_all(struct pace *pace, const struct hs_demand *demand,
                                              const struct speed_job *job)
{
    struct pace_narrowed *made;

    if (pace->narrowed_count == pace->narrowed_room) {
        size_t room = pace->narrowed_room ? pace->narrowed_room * 2 : 16;
        struct pace_narrowed *moved = realloc(pace->narrowed, room * sizeof *moved);

        if (!moved) {
            return NULL;
        }
        pace->narrowed = moved;
        pace->narrowed_room = room;
    }
    made = &pace->narrowed[pace->narrowed_count];
    *made = (struct pace_narrowed){.from = demand->alternatives,
                                   .count = demand->alternative_count,
                                   .job_class = job->job_class,
                                   .row = pace->speeds->etc.times_s ? job->row : -1};
    made->to = calloc(demand->alternative_count, sizeof *made->to);
    if (!made->to) {
        return NULL;
    }
    for (uint32_t i = 0; i < demand->alternative_count; i++) {
        struct hs_demand *to = &made->to[made->to_count];

        *to = demand->alternatives[i];
        made->to_count += speed_model_narrow(pace->speeds->model, job, to);
    }
    pace->narrowed_count++;
    return made;
}

/* The alternatives are shared by many jobs: those of a class are narrowed once. */
static const struct pace_narrowed *find_narrowed(struct pace *pace, const struct hs_demand *demand,
                                                 const struct speed_job *job)
{
    for (size_t i = 0; i < pace->narrowed_count; i++) {
        const struct pace_narrowed *known = &pace->narrowed[i];

        if (known->from == demand->alternatives && known->job_class == job->job_class &&
            known->row == (pace->speeds->etc.times_s ? job->row : -1)) {
            return known;
        }
    }
    return narrow_all(pace, demand, job);
}

/* False: it can run nowhere. */
static bool narrow(struct pace *pace, struct hs_demand *demand, const struct speed_job *job,
                   enum hs_err *err, struct hs_error *error)
{
    const struct pace_narrowed *others = NULL;
    bool can_run;

    *err = HS_OK;
    if (demand->alternative_count) {
        others = find_narrowed(pace, demand, job);
        if (!others) {
            *err = hs_error_memory(error);
            return false;
        }
    }
    can_run = speed_model_narrow(pace->speeds->model, job, demand);
    if (!others) {
        return can_run;
    }
    if (can_run) {
        demand->alternatives = others->to_count ? others->to : NULL;
        demand->alternative_count = others->to_count;
    } else if (others->to_count) {
        uint32_t left = others->to_count - 1;

        *demand = others->to[0]; /* the first that can run takes its place */
        demand->alternatives = left ? others->to + 1 : NULL;
        demand->alternative_count = left;
    }
    return can_run || others->to_count;
}

enum hs_err pace_submit(struct simulation *sim, const struct workload_job *job,
                        struct hs_job_spec *spec, const char **refusal, struct hs_error *error)
{
    struct pace *pace = &sim->pace;
    struct run_speeds *speeds = pace->speeds;
    struct pace_job *incoming = &pace->incoming;
    bool is_truth =
        sim->has_predictor || (sim->options->is_clairvoyant && job->run_ns != HS_TIME_NEVER);
    hs_time longest;
    enum hs_err err;

    *refusal = NULL;
    *incoming = (struct pace_job){
        .speed = {.row = job->id, .run_ns = job->run_ns},
        .estimate_ns = spec->walltime_ns,
    };
    err = run_speeds_class(speeds, workload_names(sim->workload), job, &incoming->speed.job_class,
                           &sim->report->unknown_classes, error);
    if (err == HS_OK) {
        err = run_speeds_check_row(speeds, job, error);
    }
    if (err != HS_OK) {
        return err;
    }
    if (!narrow(pace, &spec->demand, &incoming->speed, &err, error)) {
        *refusal = NOWHERE;
        return err;
    }
    spec->job_class = incoming->speed.job_class;
    longest =
        speed_model_longest(speeds->model, &incoming->speed, &spec->demand, incoming->estimate_ns);
    if (longest != HS_TIME_NEVER && (is_truth || !speeds->options->is_walltime_fixed)) {
        spec->walltime_ns = longest;
    }
    pace->incoming_key = spec->key;
    pace->has_incoming = true;
    return HS_OK;
}

void pace_keep(struct simulation *sim, uint32_t slot)
{
    live_annex(sim, slot)->pace = sim->pace.incoming;
    sim->pace.has_incoming = false;
}

hs_time pace_duration(const struct simulation *sim, const struct hs_job *job, bool *is_cut)
{
    const struct run_speeds *speeds = sim->pace.speeds;
    const struct record *record = live_record(sim, job->slot);
    struct annex *annex = live_annex(sim, job->slot);
    hs_time time = speed_model_time(speeds->model, &annex->pace.speed, job->demand, job->alloc,
                                    annex->run_ref_ns, &annex->unit);

    if (speeds->is_killing && !record->is_unknown) {
        *is_cut = time > record->walltime_ns;
        time = *is_cut ? record->walltime_ns : time;
    }
    return time;
}
