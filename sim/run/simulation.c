/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulation.c - the loop of one simulation. */
#include "run/simulation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/calendar.h"
#include "engine/engine.h"
#include "hs/sched.h"
#include "run/curve.h"
#include "run/levels.h"

/* Kinds of the loop's own calendar; at equal times the smaller comes first. */
enum { AGENDA_CONFIRM, AGENDA_CANCEL, AGENDA_TIMER };

#define PROGRESS_EVENTS 16384
#define RECORD_CHUNK    1024u
#define CACHE_LINE      64u

/* What the host knows of a live job and the core does not; by the job's slot. In a deep queue each
 * look at one costs a line from memory, so that it must not take two. */
struct record {
    int64_t id; /* number in the stream; the core knows the job by its trace id */
    int64_t trace_id;
    hs_time trace_submit_ns;
    hs_time run_ns;      /* if that is unknown: until it is killed */
    hs_time walltime_ns; /* as requested, also when clairvoyant */
    int64_t executable;
    int32_t partition;
    uint32_t generation; /* ascends with each job in the slot */
    bool is_live;
    bool is_cut;
    bool is_unknown; /* its run time: the user cancels it */
};

_Static_assert(sizeof(struct record) == CACHE_LINE, "a record fills a cache line");

struct agenda_item {
    uint32_t slot;
    uint32_t generation;
};

struct simulation {
    const struct simulation_options *options;
    struct simulation_report *report;
    struct hs_sched *sched;
    struct engine *engine;
    struct workload *workload;
    struct calendar agenda; /* tokens are indices of `items` */
    struct agenda_item *items;
    uint32_t item_count;
    uint32_t item_room;
    uint32_t *free_items;
    uint32_t free_item_count;
    struct record **records; /* chunks */
    uint32_t record_chunks;
    struct workload_job next; /* the next submission */
    bool has_next;
    bool is_inflated; /* jobs never end, and the run ends with the last submission */
    hs_time last_submit_ns;
    struct curve curve; /* if it is inflated */
    hs_time tick_ns;    /* of the scheduling interval, if one is due; else HS_TIME_NEVER */
    struct result_point last_point;
    bool has_point;
    hs_time held_ns;      /* last change of what jobs hold */
    struct levels levels; /* of devices */
    int64_t deliveries;
};

static struct record *record_at(const struct simulation *sim, uint32_t slot)
{
    return &sim->records[slot / RECORD_CHUNK][slot % RECORD_CHUNK];
}

static bool reserve_records(struct simulation *sim, uint32_t slot)
{
    while (slot / RECORD_CHUNK >= sim->record_chunks) {
        struct record **moved =
            realloc(sim->records, (sim->record_chunks + 1) * sizeof(struct record *));

        if (!moved) {
            return false;
        }
        sim->records = moved;
        moved[sim->record_chunks] = aligned_alloc(CACHE_LINE, RECORD_CHUNK * sizeof(struct record));
        if (!moved[sim->record_chunks]) {
            return false;
        }
        memset(moved[sim->record_chunks], 0, RECORD_CHUNK * sizeof(struct record));
        sim->record_chunks++;
    }
    return true;
}

/* Puts something about a live job on the agenda. */
static enum hs_err agenda_add(struct simulation *sim, hs_time time_ns, uint32_t kind, uint32_t slot,
                              struct hs_error *error)
{
    uint32_t index;

    if (sim->free_item_count) {
        index = sim->free_items[--sim->free_item_count];
    } else {
        if (sim->item_count == sim->item_room) {
            uint32_t room = sim->item_room ? sim->item_room * 2 : 64;
            struct agenda_item *items = realloc(sim->items, room * sizeof *items);
            uint32_t *free_items;

            if (!items) {
                return hs_error_memory(error);
            }
            sim->items = items;
            free_items = realloc(sim->free_items, room * sizeof *free_items);
            if (!free_items) {
                return hs_error_memory(error);
            }
            sim->free_items = free_items;
            sim->item_room = room;
        }
        index = sim->item_count++;
    }
    sim->items[index] = (struct agenda_item){slot, record_at(sim, slot)->generation};
    if (!calendar_push(&sim->agenda, time_ns, kind, index, NULL)) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

/* The job holds its resources from now on. */
static enum hs_err begin_holding(struct simulation *sim, hs_time now, const struct hs_job *job,
                                 struct hs_error *error)
{
    if (!sim->options->energy) {
        return HS_OK;
    }
    sim->held_ns = now;
    return energy_start(sim->options->energy, now, job->slot, job->demand, job->alloc, error);
}

/* It held them until now; what it was charged, in joules. */
static double end_holding(struct simulation *sim, hs_time now, const struct hs_job *job)
{
    if (!sim->options->energy) {
        return 0;
    }
    sim->held_ns = now;
    return (double)energy_stop(sim->options->energy, now, job->slot, job->demand, job->alloc) /
           ENERGY_PER_JOULE;
}

/* Writes the job to the log. `job` is as the core knows it (still alive), or NULL for a job that
 * the core refused. */
static enum hs_err log_job(struct simulation *sim, const struct hs_job *job,
                           const struct record *record, enum result_state state, hs_time end_ns,
                           double energy_j, struct hs_error *error)
{
    struct result_job row = {
        .id = record->id,
        .trace_id = record->trace_id,
        .submit_ns = job->key.submit_ns,
        .trace_submit_ns = record->trace_submit_ns,
        .eligible_ns = job->key.submit_ns,
        .start_ns = job->state == HS_JOB_RUNNING ? job->start_ns : -1,
        .end_ns = end_ns,
        .run_ns = record->is_unknown && state != RESULT_KILLED ? -1 : record->run_ns,
        .walltime_ns = record->walltime_ns,
        .demand = job->demand,
        .alloc = job->state == HS_JOB_RUNNING ? job->alloc : NULL,
        .procs = job->procs,
        .executable = record->executable,
        .user = job->user,
        .group = job->group,
        .queue = job->queue,
        .partition = record->partition,
        .energy_j = energy_j,
        .state = state,
    };

    sim->report->jobs_done += state != RESULT_UNFINISHED;
    return result_writer_job(sim->options->writer, &row, error);
}

/* The job's end: into the log, then out of the core. */
static enum hs_err end_job(struct simulation *sim, hs_time now, const struct hs_job *job,
                           enum hs_event_kind kind, enum result_state state, struct hs_error *error)
{
    struct record *record = record_at(sim, job->slot);
    struct hs_event event = {.kind = kind, .key = job->key, .job = job};
    double energy_j = job->state == HS_JOB_RUNNING ? end_holding(sim, now, job) : 0;
    enum hs_err err = log_job(sim, job, record, state, now, energy_j, error);

    if (job->state == HS_JOB_RUNNING) {
        levels_ended(&sim->levels, job->demand, job->alloc);
        if (sim->is_inflated) {
            curve_ended(&sim->curve, job->alloc);
        }
    }
    record->is_live = false;
    record->generation++;
    sim->deliveries++;
    return err == HS_OK ? hs_sched_event(sim->sched, now, &event, error) : err;
}

/* The core's job in a slot that is known to be alive. */
static const struct hs_job *job_in(const struct simulation *sim, uint32_t slot)
{
    return hs_sched_job(sim->sched, slot);
}

static enum hs_err deliver_completions(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = HS_OK;
    uint32_t slot;

    while (err == HS_OK && engine_pop(sim->engine, now, &slot)) {
        err = end_job(sim, now, job_in(sim, slot), HS_EVENT_FINISHED,
                      record_at(sim, slot)->is_cut ? RESULT_KILLED : RESULT_FINISHED, error);
    }
    return err;
}

/* The times of a simulation are 64-bit nanoseconds: what would lie beyond them ends the run. */
static enum hs_err check_end(const struct simulation *sim, hs_time now, hs_time duration_ns,
                             const struct hs_job *job, struct hs_error *error)
{
    char start[HS_TIME_TEXT_MAX];
    char duration[HS_TIME_TEXT_MAX];

    if (duration_ns == HS_TIME_NEVER || now <= 0 || duration_ns < HS_TIME_NEVER - now) {
        return HS_OK;
    }
    (void)hs_time_format(now, start);
    (void)hs_time_format(duration_ns, duration);
    return hs_error_set(error, HS_ERR_INPUT,
                        "Job %" PRId64 ", started at %s s, would take %s s more and end after "
                        "9223372036 s, the last time that can be simulated. Take fewer or shorter "
                        "jobs (`workload.head`, `workload.filter`), or a larger platform.",
                        record_at(sim, job->slot)->trace_id, start, duration);
}

/* The start has taken place: the work begins. */
static enum hs_err begin_work(struct simulation *sim, hs_time now, const struct hs_job *job,
                              struct hs_error *error)
{
    struct hs_event event = {.kind = HS_EVENT_STARTED, .key = job->key, .job = job};
    struct engine_work work = {.duration_ns = record_at(sim, job->slot)->run_ns};
    uint32_t slot = job->slot;
    enum hs_err err = check_end(sim, now, work.duration_ns, job, error);

    levels_started(&sim->levels, job->demand, job->alloc);
    if (sim->is_inflated) {
        curve_started(&sim->curve, job->alloc);
    }
    if (err == HS_OK) {
        err = hs_sched_event(sim->sched, now, &event, error);
    }
    if (err == HS_OK) {
        err = begin_holding(sim, now, job, error);
    }
    return err == HS_OK ? engine_start(sim->engine, now, slot, &work, error) : err;
}

/* What the agenda has for `now`, up to kind `last_kind`. */
static enum hs_err deliver_agenda(struct simulation *sim, hs_time now, uint32_t last_kind,
                                  struct hs_error *error)
{
    const struct calendar_entry *top;
    enum hs_err err = HS_OK;

    while (err == HS_OK && (top = calendar_top(&sim->agenda)) && top->time_ns == now &&
           top->kind <= last_kind) {
        struct agenda_item item = {0};
        uint32_t kind = top->kind;

        if (kind != AGENDA_TIMER) {
            item = sim->items[top->token];
            sim->free_items[sim->free_item_count++] = top->token;
        }
        calendar_pop(&sim->agenda);
        if (kind == AGENDA_TIMER) {
            struct hs_event event = {.kind = HS_EVENT_TIMER};

            err = hs_sched_event(sim->sched, now, &event, error);
        } else if (record_at(sim, item.slot)->is_live &&
                   record_at(sim, item.slot)->generation == item.generation) {
            const struct hs_job *job = job_in(sim, item.slot);

            if (kind == AGENDA_CONFIRM) {
                err = begin_work(sim, now, job, error);
            } else {
                engine_cancel(sim->engine, item.slot);
                err = end_job(sim, now, job, HS_EVENT_CANCELLED, RESULT_CANCELLED, error);
            }
        }
    }
    return err;
}

/* The first ones are named under the table. */
static void note_rejection(struct simulation *sim, int64_t trace_id, const char *reason)
{
    struct workload_tally *tally = &sim->report->rejected;

    if (tally->count < WORKLOAD_NOTE_MAX) {
        tally->trace_ids[tally->count] = trace_id;
        (void)snprintf(tally->reasons[tally->count], sizeof tally->reasons[0], "%s", reason);
    }
    tally->count++;
}

static enum hs_err log_rejected(struct simulation *sim, const struct workload_job *job,
                                struct hs_error *error)
{
    struct result_job row = {
        .id = job->id,
        .trace_id = job->trace_id,
        .submit_ns = job->submit_ns,
        .trace_submit_ns = job->trace_submit_ns,
        .eligible_ns = job->submit_ns,
        .start_ns = -1,
        .end_ns = -1,
        .run_ns = job->run_ns == HS_TIME_NEVER ? -1 : job->run_ns,
        .walltime_ns = job->walltime_ns,
        .demand = &job->demand,
        .procs = (job->demand.cores_milli * job->demand.tasks + 999) / 1000,
        .executable = job->executable,
        .user = job->user,
        .group = job->group,
        .queue = job->queue,
        .partition = job->partition,
        .state = RESULT_REJECTED,
    };

    sim->report->jobs_done++;
    return result_writer_job(sim->options->writer, &row, error);
}

/* Policies and messages know a job by its id in the trace. Where two live jobs share id and submit
 * time, the later one gets a negative number of its own. */
static enum hs_err tell_core(struct simulation *sim, struct hs_job_spec *spec,
                             struct hs_event *event, struct hs_error *error)
{
    hs_time now = sim->next.submit_ns;
    enum hs_err err = hs_sched_event(sim->sched, now, event, error);

    if (err == HS_ERR_STATE && hs_sched_find(sim->sched, spec->key)) {
        spec->key.id = -2 - sim->next.id;
        err = hs_sched_event(sim->sched, now, event, error);
    }
    return err;
}

/* Hands sim->next to the core. */
static enum hs_err submit(struct simulation *sim, struct hs_error *error)
{
    struct workload_job *job = &sim->next;
    hs_time estimate = sim->options->is_clairvoyant && job->run_ns != HS_TIME_NEVER
                           ? job->run_ns
                           : job->walltime_ns;
    struct hs_job_spec spec = {
        .key = {job->trace_id, job->submit_ns},
        .walltime_ns = estimate > 0 ? estimate : 1, /* a zero-length job asks for an instant */
        .priority = job->priority,
        .user = job->user,
        .group = job->group,
        .queue = job->queue,
        .job_class = -1,
    };
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
    struct record *record;
    enum hs_err err = result_writer_submitted(sim->options->writer, job->submit_ns, error);

    if (err != HS_OK) {
        return err;
    }
    sim->deliveries++;
    sim->last_submit_ns = job->submit_ns;
    if (sim->is_inflated) {
        curve_arrived(&sim->curve, job);
    }
    if (sim->options->has_whole_nodes) {
        job->demand.flags |= HS_DEMAND_EXCLUSIVE;
    }
    spec.demand = job->demand;
    if (!job->is_oversized) {
        err = tell_core(sim, &spec, &event, error);
        if (err != HS_OK) {
            return err;
        }
    }
    if (!event.job) {
        if (event.refusal) {
            note_rejection(sim, job->trace_id, event.refusal);
        }
        return log_rejected(sim, job, error);
    }
    if (!reserve_records(sim, event.job->slot)) {
        return hs_error_memory(error);
    }
    record = record_at(sim, event.job->slot);
    record->id = job->id;
    record->trace_id = job->trace_id;
    record->trace_submit_ns = job->trace_submit_ns;
    record->run_ns = job->run_ns == HS_TIME_NEVER ? job->limit_ns : job->run_ns;
    record->is_unknown = job->run_ns == HS_TIME_NEVER;
    record->walltime_ns = job->walltime_ns;
    record->executable = job->executable;
    record->partition = job->partition;
    record->is_live = true;
    record->is_cut = job->is_cut;
    if (job->cancel_ns == HS_TIME_NEVER) {
        return HS_OK;
    }
    return agenda_add(sim, job->cancel_ns > job->submit_ns ? job->cancel_ns : job->submit_ns,
                      AGENDA_CANCEL, event.job->slot, error);
}

static enum hs_err deliver_submissions(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    while (err == HS_OK && sim->has_next && sim->next.submit_ns == now) {
        err = submit(sim, error);
        if (err == HS_OK) {
            err = workload_next(sim->workload, &sim->next, &sim->has_next, error);
        }
    }
    return err;
}

static enum hs_err carry_out(struct simulation *sim, hs_time now,
                             const struct hs_decision *decision, struct hs_error *error)
{
    enum hs_err err;

    switch (decision->kind) {
    case HS_DECISION_START:
        if (sim->options->latency_ns > 0) {
            err = check_end(sim, now, sim->options->latency_ns, decision->job, error);
            return err != HS_OK ? err
                                : agenda_add(sim, now + sim->options->latency_ns, AGENDA_CONFIRM,
                                             decision->job->slot, error);
        }
        return begin_work(sim, now, decision->job, error);
    case HS_DECISION_WAKE:
        if (!calendar_push(&sim->agenda, decision->time_ns, AGENDA_TIMER, 0, NULL)) {
            return hs_error_memory(error);
        }
        return HS_OK;
    case HS_DECISION_REJECT:
        break; /* carried out before the others */
    }
    return HS_OK;
}

/* A job that the policy rejected: into the log before the next event, with which it is gone. */
static enum hs_err reject(struct simulation *sim, const struct hs_decision *decision,
                          struct hs_error *error)
{
    struct record *record = record_at(sim, decision->job->slot);

    note_rejection(sim, record->trace_id, decision->reason);
    record->is_live = false;
    record->generation++;
    return log_job(sim, decision->job, record, RESULT_REJECTED, -1, 0, error);
}

static enum hs_err pass(struct simulation *sim, hs_time now, struct hs_error *error)
{
    const struct hs_decision *decisions;
    size_t count;
    enum hs_err err = hs_sched_decide(sim->sched, now, &decisions, &count, error);

    for (size_t i = 0; err == HS_OK && i < count; i++) {
        if (decisions[i].kind == HS_DECISION_REJECT) {
            err = reject(sim, &decisions[i], error);
        }
    }
    for (size_t i = 0; err == HS_OK && i < count; i++) {
        err = carry_out(sim, now, &decisions[i], error);
    }
    return err;
}

/* A pass now, or at the next multiple of the interval. */
static enum hs_err pass_if_due(struct simulation *sim, hs_time now, struct hs_error *error)
{
    hs_time interval = sim->options->interval_ns;

    if (!hs_sched_wants_pass(sim->sched)) {
        return HS_OK;
    }
    if (interval > 0 && now % interval != 0) {
        hs_time remainder = now % interval;

        if (now - remainder > HS_TIME_NEVER - interval) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "The scheduling pass that is due next lies after 9223372036 s, the "
                                "last time that can be simulated. Make `scheduler.interval` "
                                "smaller, or take fewer or shorter jobs.");
        }
        sim->tick_ns = now - remainder + (remainder < 0 ? 0 : interval);
        return HS_OK;
    }
    return pass(sim, now, error);
}

static enum hs_err log_point(struct simulation *sim, hs_time now, struct hs_error *error)
{
    struct hs_sched_stats stats = hs_sched_stats(sim->sched);
    int64_t queue_jobs = stats.pending_jobs + stats.starting_jobs;
    int64_t queue_procs = stats.pending_procs + stats.starting_procs;
    int64_t power_uw = sim->options->energy ? energy_power_uw(sim->options->energy) : 0;
    struct result_point *point = &sim->last_point;

    if (sim->has_point && point->alloc_milli == stats.alloc_milli &&
        point->queue_jobs == queue_jobs && point->running_jobs == stats.running_jobs &&
        point->queue_procs == queue_procs && point->power_uw == power_uw &&
        !levels_are_new(&sim->levels)) {
        return HS_OK;
    }
    levels_keep(&sim->levels);
    point->time_ns = now;
    point->alloc_milli = stats.alloc_milli;
    point->queue_jobs = queue_jobs;
    point->running_jobs = stats.running_jobs;
    point->queue_procs = queue_procs;
    point->power_uw = power_uw;
    point->device_levels = sim->levels.now;
    sim->has_point = true;
    return result_writer_point(sim->options->writer, point, error);
}

static hs_time next_time(struct simulation *sim)
{
    const struct calendar_entry *top = calendar_top(&sim->agenda);
    hs_time time = engine_next(sim->engine);

    if (sim->has_next && sim->next.submit_ns < time) {
        time = sim->next.submit_ns;
    }
    if (top && top->time_ns < time) {
        time = top->time_ns;
    }
    return sim->tick_ns < time ? sim->tick_ns : time;
}

static enum hs_err instant(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = deliver_completions(sim, now, error);

    if (err == HS_OK) {
        err = deliver_agenda(sim, now, AGENDA_CANCEL, error);
    }
    if (err == HS_OK) {
        err = deliver_submissions(sim, now, error);
    }
    if (err == HS_OK && sim->tick_ns == now) {
        struct hs_event event = {.kind = HS_EVENT_TIMER};

        sim->tick_ns = HS_TIME_NEVER; /* also if nobody waits any more */
        err = hs_sched_event(sim->sched, now, &event, error);
    }
    if (err == HS_OK) {
        err = deliver_agenda(sim, now, AGENDA_TIMER, error);
    }
    if (err == HS_OK) {
        err = pass_if_due(sim, now, error);
    }
    return err == HS_OK && sim->is_inflated ? curve_log(&sim->curve, sim->options->writer, error)
                                            : err;
}

/* Where jobs never end, the run does once the last submission has had its pass and its start. */
static bool is_over(const struct simulation *sim, hs_time now)
{
    return sim->is_inflated && !sim->has_next &&
           now - sim->last_submit_ns > sim->options->interval_ns + sim->options->latency_ns;
}

static bool is_stopped(const struct simulation *sim)
{
    return sim->options->stop && *sim->options->stop;
}

static enum hs_err loop(struct simulation *sim, hs_time *end, struct hs_error *error)
{
    int64_t reported = 0;
    hs_time now = next_time(sim);
    enum hs_err err = HS_OK;

    if (sim->options->energy) {
        energy_begin(sim->options->energy, now);
    }
    while (err == HS_OK && now != HS_TIME_NEVER && !is_stopped(sim) && !is_over(sim, now)) {
        hs_time next;

        *end = now;
        err = instant(sim, now, error);
        if (err != HS_OK) {
            break;
        }
        next = next_time(sim);
        if (next != now) {
            err = log_point(sim, now, error);
        }
        if (sim->options->progress && sim->deliveries - reported >= PROGRESS_EVENTS) {
            reported = sim->deliveries;
            sim->options->progress(sim->options->context, sim->report->jobs_done, now,
                                   workload_progress(sim->workload));
        }
        now = next;
    }
    if (err == HS_OK && !is_stopped(sim) && !sim->is_inflated) {
        err = hs_sched_check_stall(sim->sched, error);
    }
    return err;
}

/* After an interruption, or where jobs never end: what is not done goes into the log as it is. */
static enum hs_err log_unfinished(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    for (uint32_t slot = 0; err == HS_OK && slot < sim->record_chunks * RECORD_CHUNK; slot++) {
        if (record_at(sim, slot)->is_live) {
            const struct hs_job *job = job_in(sim, slot);
            double energy_j = job->state == HS_JOB_RUNNING ? end_holding(sim, now, job) : 0;

            err = log_job(sim, job, record_at(sim, slot), RESULT_UNFINISHED, -1, energy_j, error);
        }
    }
    return err;
}

/* The window of the energy is that of the series, which end with the last change; the levels may
 * then be as before. */
static enum hs_err close_window(struct simulation *sim, struct hs_error *error)
{
    struct result_point *last = &sim->last_point;

    if (!sim->options->energy || !sim->has_point) {
        return HS_OK;
    }
    if (sim->held_ns > last->time_ns) {
        last->time_ns = sim->held_ns;
    }
    energy_settle(sim->options->energy, last->time_ns);
    return result_writer_point(sim->options->writer, last, error);
}

/* The run was interrupted in or after the instant `now`. */
static enum hs_err interrupt(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = sim->has_point ? log_point(sim, now, error) : HS_OK;

    sim->report->is_interrupted = true;
    return err == HS_OK ? close_window(sim, error) : err;
}

static enum hs_err open_parts(struct simulation *sim, struct hs_error *error)
{
    struct hs_sched_options sched = {
        .cluster = sim->options->cluster,
        .stack = sim->options->stack,
        .seed = sim->options->seed,
        .mix = sim->options->mix,
    };
    enum hs_err err = hs_sched_create(&sched, &sim->sched, error);

    if (err != HS_OK) {
        return err;
    }
    sim->engine = engine_calendar_create();
    if (!sim->engine) {
        return hs_error_memory(error);
    }
    err = workload_open(sim->options->workload, &sim->workload, error);
    if (err == HS_OK) {
        err = workload_next(sim->workload, &sim->next, &sim->has_next, error);
    }
    return err;
}

enum hs_err simulation_run(const struct simulation_options *options,
                           struct simulation_report *report, struct hs_error *error)
{
    struct simulation sim = {
        .options = options,
        .report = report,
        .is_inflated = options->workload->inflation.is_on,
        .tick_ns = HS_TIME_NEVER,
    };
    hs_time end = 0;
    enum hs_err err;

    *report = (struct simulation_report){0};
    err = open_parts(&sim, error);
    if (err == HS_OK) {
        err =
            levels_init(&sim.levels, options->cluster, options->has_fragments, options->mix, error);
        curve_init(&sim.curve, sim.levels.has_fragments ? &sim.levels.fragments : NULL);
    }
    if (err == HS_OK) {
        err = loop(&sim, &end, error);
    }
    if (err == HS_OK) {
        err = is_stopped(&sim) ? interrupt(&sim, end, error) : close_window(&sim, error);
    }
    if (err == HS_OK && (is_stopped(&sim) || sim.is_inflated)) {
        err = log_unfinished(&sim, sim.last_point.time_ns, error);
    }
    if (sim.sched) {
        struct hs_sched_stats stats = hs_sched_stats(sim.sched);

        report->events = stats.events;
        report->passes = stats.passes;
        report->decisions = stats.decisions;
        report->jobs_examined = stats.examined;
        report->pending_peak = stats.pending_jobs_peak;
    }
    if (sim.workload) {
        report->workload = *workload_stats(sim.workload);
    }
    levels_fini(&sim.levels);
    workload_close(sim.workload);
    engine_destroy(sim.engine);
    hs_sched_destroy(sim.sched);
    calendar_fini(&sim.agenda);
    free(sim.items);
    free(sim.free_items);
    for (uint32_t i = 0; i < sim.record_chunks; i++) {
        free(sim.records[i]);
    }
    free(sim.records);
    return err;
}
