/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulation.c - the loop of one simulation. */
#include "run/predict.h"

#define PROGRESS_EVENTS 16384

static enum hs_err deliver_completions(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = HS_OK;
    uint32_t slot;

    while (err == HS_OK && engine_pop(sim->engine, now, &slot)) {
        err = life_end(sim, now, live_job(sim, slot), HS_EVENT_FINISHED,
                       live_record(sim, slot)->is_cut ? RESULT_KILLED : RESULT_FINISHED, error);
    }
    return err;
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
        } else if (live_record(sim, item.slot)->is_live &&
                   live_record(sim, item.slot)->generation == item.generation) {
            const struct hs_job *job = live_job(sim, item.slot);

            if (kind == AGENDA_CONFIRM) {
                err = life_begin(sim, now, job, error);
            } else if (kind == AGENDA_EXPECTED) {
                err = predict_correct(sim, now, job, error);
            } else {
                engine_cancel(sim->engine, item.slot);
                err = life_end(sim, now, job, HS_EVENT_CANCELLED, RESULT_CANCELLED, error);
            }
        }
    }
    return err;
}

static hs_time change_time(const struct simulation *sim, size_t index)
{
    return sim->options->availability->changes[index].time_ns - sim->change_offset_ns;
}

/* The next time at which a node leaves or comes back, as long as that can matter to a job. */
static hs_time next_change_time(const struct simulation *sim)
{
    const struct availability *availability = sim->options->availability;
    struct hs_sched_stats stats;

    if (!availability || !sim->has_begun || sim->next_change == availability->count) {
        return HS_TIME_NEVER;
    }
    stats = hs_sched_stats(sim->sched);
    return sim->has_next || stats.pending_jobs || stats.starting_jobs || stats.running_jobs
               ? change_time(sim, sim->next_change)
               : HS_TIME_NEVER;
}

static enum hs_err change_node(struct simulation *sim, hs_time now,
                               const struct availability_change *change, struct hs_error *error)
{
    struct hs_event event = {
        .kind = HS_EVENT_NODE, .node = change->node, .is_available = change->is_available};

    levels_set_available(&sim->levels, change->node, change->is_available);
    if (sim->options->energy) {
        energy_set_available(sim->options->energy, now, change->node, change->is_available);
    }
    sim->deliveries++;
    return hs_sched_event(sim->sched, now, &event, error);
}

/* All until `now`; those before the first event come with it. */
static enum hs_err deliver_changes(struct simulation *sim, hs_time now, struct hs_error *error)
{
    const struct availability *availability = sim->options->availability;
    enum hs_err err = HS_OK;

    while (err == HS_OK && availability && sim->next_change < availability->count &&
           change_time(sim, sim->next_change) <= now) {
        err = change_node(sim, now, &availability->changes[sim->next_change++], error);
    }
    sim->has_begun = true;
    return err;
}

static enum hs_err deliver_submissions(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    while (err == HS_OK && sim->has_next && sim->next.submit_ns == now) {
        err = life_submit(sim, error);
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
            err = life_check_end(sim, now, sim->options->latency_ns, decision->job, error);
            return err != HS_OK ? err
                                : live_agenda_add(sim, now + sim->options->latency_ns,
                                                  AGENDA_CONFIRM, decision->job->slot, error);
        }
        return life_begin(sim, now, decision->job, error);
    case HS_DECISION_WAKE:
        if (!calendar_push(&sim->agenda, decision->time_ns, AGENDA_TIMER, 0, NULL)) {
            return hs_error_memory(error);
        }
        return HS_OK;
    case HS_DECISION_REJECT:
    case HS_DECISION_PREEMPT:
        break; /* carried out before the others */
    }
    return HS_OK;
}

static enum hs_err pass(struct simulation *sim, hs_time now, struct hs_error *error)
{
    const struct hs_decision *decisions;
    size_t count;
    enum hs_err err = hs_sched_decide(sim->sched, now, &decisions, &count, error);

    for (size_t i = 0; err == HS_OK && i < count; i++) {
        if (decisions[i].kind == HS_DECISION_REJECT) {
            err = life_reject(sim, &decisions[i], error);
        } else if (decisions[i].kind == HS_DECISION_PREEMPT) {
            err = life_preempt(sim, now, &decisions[i], error);
        }
    }
    if (err == HS_OK) {
        err = life_check_progress(sim, now, error);
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

    if (sim->levels.avail) {
        sim->levels.avail[0] = stats.avail_milli;
    }
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

    hs_time change = next_change_time(sim);

    if (sim->has_next && sim->next.submit_ns < time) {
        time = sim->next.submit_ns;
    }
    if (top && top->time_ns < time) {
        time = top->time_ns;
    }
    time = change < time ? change : time;
    return sim->tick_ns < time ? sim->tick_ns : time;
}

static enum hs_err instant(struct simulation *sim, hs_time now, struct hs_error *error)
{
    enum hs_err err = deliver_completions(sim, now, error);

    if (err == HS_OK) {
        err = deliver_changes(sim, now, error);
    }
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

/* From the clock of the availability to that of the core: dates need the time at which the trace's
 * clock began, which is known once a record has been read. */
static enum hs_err place_changes(struct simulation *sim, struct hs_error *error)
{
    const struct availability *availability = sim->options->availability;
    const struct workload_options *workload = sim->options->workload;
    int64_t epoch = workload_stats(sim->workload)->epoch_unix;

    if (!availability || !availability->is_absolute || !availability->count) {
        return HS_OK;
    }
    if (epoch < 0 || epoch > HS_TIME_NEVER / HS_NS_PER_S) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: the times are dates, but the workload does not say at which date "
                            "its clock began (in SWF: UnixStartTime). Write the times as seconds "
                            "on the clock of the workload.",
                            sim->options->availability_path);
    }
    if (workload->shift_ns || workload->shift_to_zero || workload->load > 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the times are dates, which submissions moved by workload.shift or "
                            "workload.load no longer have. Leave these keys out, or write the "
                            "times as seconds on the clock of the simulation.",
                            sim->options->availability_path);
    }
    sim->change_offset_ns = epoch * HS_NS_PER_S;
    return HS_OK;
}

/* For the policy; the annex is there. */
static hs_time recorded_start(const void *context, const struct hs_job *job)
{
    return live_annex(context, job->slot)->recorded_ns;
}

static enum hs_err open_parts(struct simulation *sim, struct hs_error *error)
{
    struct hs_sched_options sched = {
        .cluster = sim->options->cluster,
        .stack = sim->options->stack,
        .seed = sim->options->seed,
        .mix = sim->options->mix,
        .restart_ns = sim->options->preempt_cost_ns,
        .history = sim->is_replay ? &sim->recorded : NULL,
    };
    enum hs_err err;

    pace_init(sim, sim->options->speeds);
    sched.speeds = sim->pace.speeds ? &sim->pace.told : NULL;
    sim->recorded = (struct hs_history){.start = recorded_start, .context = sim};
    err = hs_sched_create(&sched, &sim->sched, error);
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
    return err == HS_OK ? place_changes(sim, error) : err;
}

enum hs_err simulation_run(const struct simulation_options *options,
                           struct simulation_report *report, struct hs_error *error)
{
    struct simulation sim = {
        .options = options,
        .report = report,
        .is_inflated = options->workload->inflation.is_on,
        .is_replay = hs_stack_replays(options->stack),
        .has_annex = hs_stack_preempts(options->stack) || hs_stack_replays(options->stack) ||
                     hs_stack_predicts(options->stack),
        .has_predictor = hs_stack_predicts(options->stack),
        .tick_ns = HS_TIME_NEVER,
    };
    hs_time end = 0;
    enum hs_err err;

    *report = (struct simulation_report){0};
    err = open_parts(&sim, error);
    if (err == HS_OK) {
        err = levels_init(&sim.levels, options->cluster, options->has_fragments,
                          options->availability != NULL, options->mix, error);
        curve_init(&sim.curve, sim.levels.has_fragments ? &sim.levels.fragments : NULL);
    }
    if (err == HS_OK) {
        err = loop(&sim, &end, error);
    }
    if (err == HS_OK) {
        err = is_stopped(&sim) ? interrupt(&sim, end, error) : close_window(&sim, error);
    }
    if (err == HS_OK && (is_stopped(&sim) || sim.is_inflated)) {
        err = life_log_unfinished(&sim, sim.last_point.time_ns, error);
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
    pace_fini(&sim.pace);
    live_fini(&sim);
    return err;
}
