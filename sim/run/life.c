/* SPDX-License-Identifier: GPL-3.0-or-later */
/* life.c - the life of a job in a simulation: submitted, started, ended, logged. */
#include <inttypes.h>
#include <stdio.h>

#include "run/predict.h"

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

/* It held them until now; what it was charged, in microwatt x nanosecond. */
static hs_int128 end_holding(struct simulation *sim, hs_time now, const struct hs_job *job,
                             const struct hs_alloc *alloc)
{
    if (!sim->options->energy) {
        return 0;
    }
    sim->held_ns = now;
    return energy_stop(sim->options->energy, now, job->slot, job->demand, alloc);
}

/* The job's past; NULL: it has none. */
static struct history *history_of(const struct simulation *sim, const struct hs_job *job)
{
    return sim->has_annex ? live_annex(sim, job->slot)->history : NULL;
}

static hs_time add_time(hs_time left, hs_time right)
{
    return left < HS_TIME_NEVER - right ? left + right : HS_TIME_NEVER;
}

/* How long the whole job takes on what it holds, or held last. */
static hs_time whole_run(const struct simulation *sim, const struct hs_job *job)
{
    return live_record(sim, job->slot)->run_ns;
}

/* How long the whole job runs, on all that it got. */
static hs_time total_run(const struct simulation *sim, const struct hs_job *job,
                         const struct history *history)
{
    hs_time whole = whole_run(sim, job);

    return history && whole != HS_TIME_NEVER
               ? add_time(history->useful_ns, history_left(history, whole))
               : whole;
}

/* Adds to the row what the job did before it was preempted; `end_ns`: when it ceased to hold what
 * it has now. */
static void add_history(const struct simulation *sim, struct history *history, hs_time end_ns,
                        struct result_job *row)
{
    hs_time length = end_ns - row->start_ns;
    hs_time restart = sim->options->preempt_cost_ns;

    if (row->alloc) {
        row->last_start_ns = row->start_ns;
        row->overhead_ns = length < restart ? length : restart;
    }
    row->attempts = history_attempts(history);
    row->attempt_count = history->attempt_count;
    row->start_ns = row->attempts[0].start_ns;
}

/* Adds to the row its class, and the speed at which it ran last. */
static void add_speed(const struct simulation *sim, const struct hs_job *job,
                      enum result_state state, struct result_job *row)
{
    const struct annex *annex = live_annex(sim, job->slot);
    bool is_known = !live_record(sim, job->slot)->is_unknown || state == RESULT_KILLED;

    row->run_ref_ns = is_known ? annex->run_ref_ns : -1;
    row->job_class = annex->pace.speed.job_class;
    row->model = job->state == HS_JOB_RUNNING || annex->history ? (int32_t)annex->unit : -1;
}

/* Writes the job, which is still alive in the core, to the log; it ceases to hold anything now.
 * `end_ns` -1: it does not end. */
static enum hs_err log_job(struct simulation *sim, hs_time now, const struct hs_job *job,
                           enum result_state state, hs_time end_ns, struct hs_error *error)
{
    const struct record *record = live_record(sim, job->slot);
    struct history *history = history_of(sim, job);
    hs_int128 energy = job->state == HS_JOB_RUNNING ? end_holding(sim, now, job, job->alloc) : 0;
    enum hs_err err;
    struct result_job row = {
        .id = record->id,
        .trace_id = record->trace_id,
        .submit_ns = job->key.submit_ns,
        .trace_submit_ns = record->trace_submit_ns,
        .eligible_ns = job->key.submit_ns,
        .start_ns = job->state == HS_JOB_RUNNING ? job->start_ns : -1,
        .end_ns = end_ns,
        .run_ns = record->is_unknown && state != RESULT_KILLED ? -1 : total_run(sim, job, history),
        .walltime_ns = record->walltime_ns,
        .demand = job->demand,
        .alloc = job->state == HS_JOB_RUNNING ? job->alloc : NULL,
        .procs = job->procs,
        .executable = record->executable,
        .user = job->user,
        .group = job->group,
        .queue = job->queue,
        .partition = record->partition,
        .energy_j = (double)(energy + (history ? history->energy : 0)) / ENERGY_PER_JOULE,
        .state = state,
        .predicted_ns = -1,
    };

    if (sim->pace.speeds) {
        add_speed(sim, job, state, &row);
    }
    if (history) {
        add_history(sim, history, now, &row);
    }
    if (sim->has_predictor) {
        row.predicted_ns = predict_logged(sim, job);
        row.corrections = live_annex(sim, job->slot)->corrections;
    }
    sim->report->jobs_done += state != RESULT_UNFINISHED;
    err = result_writer_job(sim->options->writer, &row, error);
    if (history) {
        history_destroy(history);
        live_annex(sim, job->slot)->history = NULL;
    }
    return err;
}

/* What happens when a job ceases to hold `alloc`, apart from its energy. */
static void end_levels(struct simulation *sim, const struct hs_job *job,
                       const struct hs_alloc *alloc)
{
    levels_ended(&sim->levels, job->demand, alloc);
    if (sim->is_inflated) {
        curve_ended(&sim->curve, alloc);
    }
}

/* The job's end: into the log, then out of the core. */
enum hs_err life_end(struct simulation *sim, hs_time now, const struct hs_job *job,
                     enum hs_event_kind kind, enum result_state state, struct hs_error *error)
{
    struct record *record = live_record(sim, job->slot);
    struct hs_event event = {.kind = kind, .key = job->key, .job = job};
    enum hs_err err = HS_OK;

    if (sim->has_predictor && kind == HS_EVENT_FINISHED) {
        err = predict_learn(sim, now, job, state == RESULT_KILLED, error);
    }
    if (err == HS_OK) {
        err = log_job(sim, now, job, state, now, error);
    }
    if (job->state == HS_JOB_RUNNING) {
        end_levels(sim, job, job->alloc);
        sim->idle_attempts = 0;
    }
    record->is_live = false;
    record->generation++;
    sim->deliveries++;
    return err == HS_OK ? hs_sched_event(sim->sched, now, &event, error) : err;
}

/* The times of a simulation are 64-bit nanoseconds: what would lie beyond them ends the run. */
enum hs_err life_check_end(const struct simulation *sim, hs_time now, hs_time duration_ns,
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
                        live_record(sim, job->slot)->trace_id, start, duration);
}

/* Has any job that runs now got beyond its restart? */
static bool is_work_done(const struct simulation *sim, hs_time now)
{
    for (uint32_t chunk = 0; chunk < sim->record_chunks; chunk++) {
        for (uint32_t i = 0; i < RECORD_CHUNK; i++) {
            uint32_t slot = chunk * RECORD_CHUNK + i;
            const struct hs_job *job;

            if (!sim->records[chunk][i].is_live) {
                continue;
            }
            job = live_job(sim, slot);
            if (job->state == HS_JOB_RUNNING &&
                now - job->start_ns > (history_of(sim, job) ? sim->options->preempt_cost_ns : 0)) {
                return true;
            }
        }
    }
    return false;
}

enum hs_err life_check_progress(struct simulation *sim, hs_time now, struct hs_error *error)
{
    char when[HS_TIME_TEXT_MAX];
    char cost[HS_TIME_TEXT_MAX];

    if (sim->idle_attempts < IDLE_ATTEMPTS_MAX) {
        return HS_OK;
    }
    sim->idle_attempts = 0;
    if (is_work_done(sim, now)) {
        return HS_OK;
    }
    (void)hs_time_format(now, when);
    (void)hs_time_format(sim->options->preempt_cost_ns, cost);
    return hs_error_set(error, HS_ERR_POLICY,
                        "Policy '%s' at time %s s: the last %d preemptions each stopped a job "
                        "before it had done any work, and no job that runs has done any: the run "
                        "would never end. A restart takes %s s (`scheduler.preempt_cost`): make it "
                        "shorter, or let jobs run for longer at a time (`round` of the Gavel "
                        "policies).",
                        hs_stack_label(sim->options->stack), when, IDLE_ATTEMPTS_MAX, cost);
}

enum hs_err life_preempt(struct simulation *sim, hs_time now, const struct hs_decision *decision,
                         struct hs_error *error)
{
    const struct hs_job *job = decision->job;
    struct annex *annex = live_annex(sim, job->slot);
    hs_time restart = annex->history ? sim->options->preempt_cost_ns : 0;
    hs_int128 energy = end_holding(sim, now, job, decision->alloc);

    engine_cancel(sim->engine, job->slot);
    end_levels(sim, job, decision->alloc);
    if (!annex->history) {
        annex->history = history_create();
    }
    if (!annex->history || !history_add(annex->history, decision->start_ns, now, restart,
                                        whole_run(sim, job), decision->alloc)) {
        return hs_error_memory(error);
    }
    annex->history->energy += energy;
    sim->idle_attempts = now - decision->start_ns > restart ? 0 : sim->idle_attempts + 1;
    return HS_OK;
}

/* A start in the trace moves with the submission: the wait is what the site decided. */
static void note_recorded(struct simulation *sim, uint32_t slot, const struct workload_job *job)
{
    bool is_known = job->trace_start_ns >= 0;

    live_annex(sim, slot)->recorded_ns =
        is_known ? job->submit_ns + (job->trace_start_ns - job->trace_submit_ns) : HS_TIME_NEVER;
    sim->report->unrecorded += !is_known;
}

/* The start comes after the recorded one? The first ones are named under the table. */
static void note_late(struct simulation *sim, hs_time now, uint32_t slot)
{
    hs_time recorded_ns = live_annex(sim, slot)->recorded_ns;
    struct workload_tally *tally = &sim->report->late;
    char delay[HS_TIME_TEXT_MAX];

    if (recorded_ns >= now) {
        return;
    }
    if (tally->count < WORKLOAD_NOTE_MAX) {
        (void)hs_time_format(now - recorded_ns, delay);
        tally->trace_ids[tally->count] = live_record(sim, slot)->trace_id;
        (void)snprintf(tally->reasons[tally->count], sizeof tally->reasons[0], "%s s late", delay);
    }
    tally->count++;
    sim->report->late_ns += now - recorded_ns;
}

/* The start has taken place: the work begins. */
enum hs_err life_begin(struct simulation *sim, hs_time now, const struct hs_job *job,
                       struct hs_error *error)
{
    struct hs_event event = {.kind = HS_EVENT_STARTED, .key = job->key, .job = job};
    struct record *record = live_record(sim, job->slot);
    const struct history *history = history_of(sim, job);
    struct engine_work work = {0};
    uint32_t slot = job->slot;
    enum hs_err err;

    if (sim->pace.speeds) {
        record->run_ns = pace_duration(sim, job, &record->is_cut);
    }
    work.duration_ns = whole_run(sim, job);
    if (history) {
        work.duration_ns =
            add_time(history_left(history, work.duration_ns), sim->options->preempt_cost_ns);
    }
    err = life_check_end(sim, now, work.duration_ns, job, error);

    levels_started(&sim->levels, job->demand, job->alloc);
    if (sim->is_replay) {
        note_late(sim, now, slot);
    }
    if (sim->is_inflated) {
        curve_started(&sim->curve, job->alloc);
    }
    if (err == HS_OK) {
        err = hs_sched_event(sim->sched, now, &event, error);
    }
    if (err == HS_OK) {
        err = begin_holding(sim, now, job, error);
    }
    if (err == HS_OK && sim->has_predictor) {
        err = predict_watch(sim, job, error);
    }
    return err == HS_OK ? engine_start(sim->engine, now, slot, &work, error) : err;
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
        .run_ref_ns = job->run_ns == HS_TIME_NEVER ? -1 : job->run_ns,
        .job_class = sim->pace.incoming.speed.job_class,
        .model = -1,
        .predicted_ns = -1,
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

/* What the host must know of sim->next while it lives in `slot`. */
static enum hs_err keep(struct simulation *sim, uint32_t slot, struct hs_error *error)
{
    const struct workload_job *job = &sim->next;
    struct record *record;

    if (!live_reserve(sim, slot)) {
        return hs_error_memory(error);
    }
    record = live_record(sim, slot);
    if (sim->has_annex) {
        *live_annex(sim, slot) =
            (struct annex){.predicted_ns = sim->predicted_ns, .predicted_class = job->job_class};
    }
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
    if (sim->pace.speeds) {
        pace_keep(sim, slot);
        live_annex(sim, slot)->run_ref_ns = record->run_ns;
    }
    if (sim->is_replay) {
        note_recorded(sim, slot, job);
    }
    if (job->cancel_ns == HS_TIME_NEVER) {
        return HS_OK;
    }
    return live_agenda_add(sim, job->cancel_ns > job->submit_ns ? job->cancel_ns : job->submit_ns,
                           AGENDA_CANCEL, slot, error);
}

/* Hands sim->next to the core. */
enum hs_err life_submit(struct simulation *sim, struct hs_error *error)
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
        .job_class = job->job_class,
    };
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
    const char *refusal = NULL;
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
    if (sim->has_predictor) {
        spec.walltime_ns = sim->predicted_ns = predict_next(sim);
    }
    if (sim->pace.speeds) {
        err = pace_submit(sim, job, &spec, &refusal, error);
    }
    if (err == HS_OK && !job->is_oversized && !refusal) {
        err = tell_core(sim, &spec, &event, error);
        refusal = event.refusal;
    }
    if (err != HS_OK) {
        return err;
    }
    if (!event.job) {
        if (refusal) {
            note_rejection(sim, job->trace_id, refusal);
        }
        return log_rejected(sim, job, error);
    }
    return keep(sim, event.job->slot, error);
}

/* A job that the policy rejected: into the log before the next event, with which it is gone. */
enum hs_err life_reject(struct simulation *sim, const struct hs_decision *decision,
                        struct hs_error *error)
{
    struct record *record = live_record(sim, decision->job->slot);

    note_rejection(sim, record->trace_id, decision->reason);
    record->is_live = false;
    record->generation++;
    return log_job(sim, INT64_MIN, decision->job, RESULT_REJECTED, -1, error);
}

/* After an interruption, or where jobs never end: what is not done goes into the log as it is. */
enum hs_err life_log_unfinished(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    for (uint32_t slot = 0; err == HS_OK && slot < sim->record_chunks * RECORD_CHUNK; slot++) {
        if (live_record(sim, slot)->is_live) {
            err = log_job(sim, now, live_job(sim, slot), RESULT_UNFINISHED, -1, error);
        }
    }
    return err;
}
