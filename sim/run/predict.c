/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c - the predictor's life beside the jobs. */
#include "run/predict.h"

hs_time predict_next(struct simulation *sim)
{
    const struct workload_job *job = &sim->next;
    struct hs_predict_question question = {
        .number = (uint64_t)job->id,
        .now_ns = job->submit_ns,
        .request_ns = job->walltime_ns > 0 ? job->walltime_ns : 1,
        .truth_ns = job->run_ns == HS_TIME_NEVER ? -1 : job->run_ns,
        .demand = &job->demand,
        .procs = (job->demand.cores_milli * job->demand.tasks + 999) / 1000,
        .user = job->user,
        .group = job->group,
        .queue = job->queue,
        .job_class = job->job_class,
        .speed_class = -1,
    };

    question.procs = question.procs < 1 ? 1 : question.procs;
    return hs_sched_predict(sim->sched, &question);
}

/* A time on the reference device, on what the job holds or held last. */
static hs_time on_device(const struct simulation *sim, const struct hs_job *job, hs_time time)
{
    const struct annex *annex = live_annex(sim, job->slot);

    return sim->pace.speeds && job->alloc
               ? speed_model_time(sim->pace.speeds->model, &annex->pace.speed, job->demand,
                                  job->alloc, time, NULL)
               : time;
}

/* The longest that the job may run on what it holds. */
static hs_time limit_of(const struct simulation *sim, const struct hs_job *job)
{
    hs_time request_ns = live_record(sim, job->slot)->walltime_ns;

    return sim->pace.speeds && !sim->pace.speeds->options->is_walltime_fixed
               ? on_device(sim, job, request_ns)
               : request_ns;
}

hs_time predict_logged(const struct simulation *sim, const struct hs_job *job)
{
    return on_device(sim, job, live_annex(sim, job->slot)->predicted_ns);
}

/* How long the job ran before it was preempted, and what its restart takes now. */
struct past {
    hs_time run_ns, restart_ns;
};

static struct past past_of(const struct simulation *sim, const struct hs_job *job)
{
    const struct history *history = live_annex(sim, job->slot)->history;
    struct past past = {0, history ? sim->options->preempt_cost_ns : 0};

    for (size_t i = 0; history && i < history->attempt_count; i++) {
        const struct result_attempt *attempt = &history->attempts[i];

        past.run_ns += attempt->end_ns - attempt->start_ns - attempt->overhead_ns;
    }
    return past;
}

/* How long the running job will have run by `time`. */
static hs_time run_until(const struct hs_job *job, struct past past, hs_time time)
{
    hs_time run_ns = past.run_ns + (time - job->start_ns) - past.restart_ns;

    return run_ns > past.run_ns ? run_ns : past.run_ns;
}

enum hs_err predict_watch(struct simulation *sim, const struct hs_job *job, struct hs_error *error)
{
    if (job->expected_end_ns == HS_TIME_NEVER ||
        run_until(job, past_of(sim, job), job->expected_end_ns) >= limit_of(sim, job)) {
        return HS_OK;
    }
    return live_agenda_add(sim, job->expected_end_ns, AGENDA_EXPECTED, job->slot, error);
}

enum hs_err predict_correct(struct simulation *sim, hs_time now, const struct hs_job *job,
                            struct hs_error *error)
{
    struct annex *annex = live_annex(sim, job->slot);
    struct hs_event event = {.kind = HS_EVENT_EXPECTED, .key = job->key, .job = job};
    struct past past = past_of(sim, job);
    hs_time run_ns, more_ns;
    enum hs_err err;

    if (job->state != HS_JOB_RUNNING || job->expected_end_ns != now) {
        return HS_OK; /* it was preempted since */
    }
    run_ns = run_until(job, past, now);
    more_ns = hs_predict_corrected(run_ns, annex->corrections, limit_of(sim, job)) - run_ns;
    if (more_ns <= 0) {
        return HS_OK; /* at its limit; it was preempted, and started again where that is shorter */
    }
    event.expected_end_ns =
        more_ns < HS_TIME_NEVER - (now > 0 ? now : 0) ? now + more_ns : HS_TIME_NEVER;
    annex->corrections++;
    err = hs_sched_event(sim->sched, now, &event, error);
    return err == HS_OK ? predict_watch(sim, job, error) : err;
}

/* What the predictor learns is a time on the reference device, as what it is asked for. */
static hs_time on_reference(const struct simulation *sim, const struct hs_job *job, hs_time run_ns)
{
    hs_time reference_ns = live_annex(sim, job->slot)->run_ref_ns;
    hs_time whole_ns = on_device(sim, job, reference_ns);

    return sim->pace.speeds && whole_ns > 0 && whole_ns != HS_TIME_NEVER
               ? (hs_time)((hs_int128)reference_ns * run_ns / whole_ns)
               : run_ns;
}

enum hs_err predict_learn(struct simulation *sim, hs_time now, const struct hs_job *job,
                          bool is_killed, struct hs_error *error)
{
    const struct record *record = live_record(sim, job->slot);
    struct hs_predict_question question = {
        .number = (uint64_t)record->id,
        .now_ns = now,
        .request_ns = record->walltime_ns > 0 ? record->walltime_ns : 1,
        .truth_ns = record->is_unknown ? -1
                    : sim->pace.speeds ? live_annex(sim, job->slot)->run_ref_ns
                                       : record->run_ns,
        .demand = job->demand,
        .procs = job->procs,
        .user = job->user,
        .group = job->group,
        .queue = job->queue,
        .job_class = live_annex(sim, job->slot)->predicted_class,
        .speed_class = -1,
    };
    hs_time run_ns = run_until(job, past_of(sim, job), now);
    const struct hs_predict_run run = {.run_ns = on_reference(sim, job, run_ns),
                                       .is_killed = is_killed};

    return hs_sched_learn(sim->sched, &question, &run) ? HS_OK : hs_error_memory(error);
}
