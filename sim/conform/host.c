/* SPDX-License-Identifier: GPL-3.0-or-later */
/* host.c - the loop of the small host, and its books of what each job does. */
#include "conform/host.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hs/sched.h"

#define PASSES_MAX      1000000u /* a case with periodic passes needs some thousands */
#define IDLE_PASSES_MAX 2000u    /* while jobs wait, nothing runs and nothing is to come */
#define CORRECTION_NS   (60 * HS_NS_PER_S)

enum job_state { JOB_FUTURE, JOB_WAITING, JOB_HOLDING, JOB_GONE };

struct host_job {
    enum job_state state;
    bool is_failing, is_confirmed, is_cancel_past, is_predicted;
    uint32_t attempts, corrections;
    hs_time left_ns;    /* of the run time, as case_job.run_ns */
    hs_time told_ns;    /* the walltime that the core was told, as case_job.run_ns */
    hs_time began_ns;   /* as confirmed */
    hs_time confirm_ns; /* when the core learns how the start went */
    hs_time end_ns;
    hs_time expected_ns; /* as the core has it; HS_TIME_NEVER: unknown */
};

struct conform_host {
    const struct conform_case *model;
    struct host_trace *trace;
    struct hs_stack *stack;
    struct hs_sched *sched;
    struct hs_mix mix;
    double weights[CASE_DEMANDS_MAX];
    struct hs_speeds speeds;
    struct hs_history history;
    struct host_job jobs[CONFORM_JOBS_MAX];
    hs_time *wakes_ns;
    size_t wake_count, wake_room;
    struct host_decision *decisions;
    size_t decision_count, decision_room;
    uint32_t next_change;
    uint32_t idle_passes;  /* see judge_pass */
    uint32_t empty_passes; /* since the last start */
    hs_time now;
    uint64_t digest; /* of the decision that is carried out */
    enum host_verdict verdict;
    bool is_predicting, knows_truth, hides_truth;
    char text[CONFORM_TEXT_MAX];
};

/* Ends the case with a sentence; returns false. */
static bool HS_PRINTF(3, 4)
    give_up(struct conform_host *host, enum host_verdict verdict, const char *format, ...)
{
    va_list arguments;

    host->verdict = verdict;
    va_start(arguments, format);
    (void)vsnprintf(host->text, sizeof host->text, format, arguments);
    va_end(arguments);
    return false;
}

static void enter(struct conform_host *host, enum host_call call)
{
    host->trace->call = call;
    host->trace->now_ns = host->now;
}

static void digest_add(struct conform_host *host, uint64_t value)
{
    host->digest = (host->digest ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    host->digest ^= host->digest >> 29;
}

static void digest_alloc(struct conform_host *host, const struct hs_alloc *alloc)
{
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        digest_add(host, alloc->spans[i].first_node);
        digest_add(host, alloc->spans[i].node_count);
        digest_add(host, alloc->spans[i].tasks);
    }
    for (uint32_t i = 0; i < alloc->device_count; i++) {
        digest_add(host, alloc->devices[i].device);
        digest_add(host, alloc->devices[i].share);
    }
    digest_add(host, alloc->alternative);
}

static struct hs_job_key key_of(const struct conform_host *host, uint32_t job)
{
    return (struct hs_job_key){.id = job, .submit_ns = host->model->jobs[job].submit_ns};
}

static bool send(struct conform_host *host, struct hs_event *event)
{
    struct hs_error error = {0};

    enter(host, HOST_CALL_EVENT);
    return hs_sched_event(host->sched, host->now, event, &error) == HS_OK ||
           give_up(host, HOST_BROKE, "%s", error.text);
}

static bool send_job(struct conform_host *host, enum hs_event_kind kind, uint32_t job)
{
    struct hs_event event = {.kind = kind, .key = key_of(host, job)};

    return send(host, &event);
}

/* The predictor's own view of a job. */
static struct hs_predict_question ask(const struct conform_host *host, uint32_t job)
{
    const struct case_job *it = &host->model->jobs[job];
    int64_t procs = (it->demand.cores_milli * it->demand.tasks + 999) / 1000;

    return (struct hs_predict_question){
        .number = job,
        .now_ns = host->now,
        .request_ns = it->request_ns,
        .truth_ns = host->hides_truth ? -1 : it->run_ns,
        .demand = &it->demand,
        .procs = procs < 1 ? 1 : procs,
        .user = it->user,
        .group = it->group,
        .queue = it->queue,
        .job_class = it->job_class,
        .speed_class = -1,
    };
}

static bool learn(struct conform_host *host, uint32_t job)
{
    struct hs_predict_question question = ask(host, job);
    const struct hs_predict_run run = {.run_ns = host->model->jobs[job].run_ns};

    enter(host, HOST_CALL_PREDICT);
    return !host->is_predicting || hs_sched_learn(host->sched, &question, &run) ||
           give_up(host, HOST_BROKE, "The predictor's learn says that memory is short.");
}

static bool confirmations(struct conform_host *host)
{
    for (uint32_t i = 0; i < host->model->job_count; i++) {
        struct host_job *job = &host->jobs[i];

        if (job->state != JOB_HOLDING || job->is_failing || job->is_confirmed ||
            job->confirm_ns != host->now) {
            continue;
        }
        if (!send_job(host, HS_EVENT_STARTED, i)) {
            return false;
        }
        job->is_confirmed = true;
        job->began_ns = host->now;
        job->expected_ns = hs_sched_find(host->sched, key_of(host, i))->expected_end_ns;
    }
    return true;
}

static bool ends(struct conform_host *host)
{
    for (uint32_t i = 0; i < host->model->job_count; i++) {
        struct host_job *job = &host->jobs[i];

        if (job->state != JOB_HOLDING || job->end_ns != host->now) {
            continue;
        }
        if (!send_job(host, job->is_failing ? HS_EVENT_START_FAILED : HS_EVENT_FINISHED, i)) {
            return false;
        }
        job->state = job->is_failing ? JOB_WAITING : JOB_GONE;
        if (!job->is_failing && !learn(host, i)) {
            return false;
        }
    }
    return true;
}

static bool changes(struct conform_host *host)
{
    const struct conform_case *model = host->model;

    for (; host->next_change < model->change_count; host->next_change++) {
        const struct case_change *change = &model->changes[host->next_change];
        struct hs_event event = {
            .kind = HS_EVENT_NODE, .node = change->node, .is_available = change->is_available};

        if (change->time_ns > host->now) {
            break;
        }
        if (!send(host, &event)) {
            return false;
        }
    }
    return true;
}

static bool cancellations(struct conform_host *host)
{
    for (uint32_t i = 0; i < host->model->job_count; i++) {
        struct host_job *job = &host->jobs[i];

        if (job->is_cancel_past || host->model->jobs[i].cancel_ns != host->now) {
            continue;
        }
        job->is_cancel_past = true;
        if (job->state != JOB_HOLDING && job->state != JOB_WAITING) {
            continue;
        }
        if (!send_job(host, HS_EVENT_CANCELLED, i)) {
            return false;
        }
        job->state = JOB_GONE;
    }
    return true;
}

static bool submit(struct conform_host *host, uint32_t index)
{
    const struct case_job *it = &host->model->jobs[index];
    struct host_job *job = &host->jobs[index];
    struct hs_predict_question question = ask(host, index);
    struct hs_job_spec spec = {
        .key = key_of(host, index),
        .priority = it->priority,
        .demand = it->demand,
        .user = it->user,
        .group = it->group,
        .queue = it->queue,
        .job_class = it->job_class,
    };
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};

    enter(host, HOST_CALL_PREDICT);
    job->told_ns = host->is_predicting ? hs_sched_predict(host->sched, &question) : it->request_ns;
    spec.walltime_ns = job->told_ns;
    for (uint32_t class = 0; class < host->model->class_count; class ++) {
        hs_time here = case_at(host->model, job->told_ns, class);

        spec.walltime_ns = here > spec.walltime_ns ? here : spec.walltime_ns;
    }
    job->left_ns = it->run_ns;
    if (!send(host, &event)) {
        return false;
    }
    job->state = event.job ? JOB_WAITING : JOB_GONE;
    return true;
}

static bool submissions(struct conform_host *host)
{
    for (uint32_t i = 0; i < host->model->job_count; i++) {
        if (host->jobs[i].state == JOB_FUTURE && host->model->jobs[i].submit_ns == host->now &&
            !submit(host, i)) {
            return false;
        }
    }
    return true;
}

/* Has the job outlived what the core expects? Then the host says so, each time by twice as much. */
static bool is_outlived(const struct host_job *job)
{
    return job->state == JOB_HOLDING && job->is_confirmed && job->expected_ns != HS_TIME_NEVER &&
           job->expected_ns < job->end_ns;
}

static bool corrections(struct conform_host *host)
{
    for (uint32_t i = 0; i < host->model->job_count; i++) {
        struct host_job *job = &host->jobs[i];
        struct hs_event event = {.kind = HS_EVENT_EXPECTED, .key = key_of(host, i)};

        if (!is_outlived(job) || job->expected_ns > host->now) {
            continue;
        }
        job->expected_ns = host->now + (CORRECTION_NS << (job->corrections & 15u));
        job->corrections++;
        event.expected_end_ns = job->expected_ns;
        if (!send(host, &event)) {
            return false;
        }
    }
    return true;
}

static bool timers(struct conform_host *host)
{
    struct hs_event event = {.kind = HS_EVENT_TIMER};
    size_t kept = 0;

    for (size_t i = 0; i < host->wake_count; i++) {
        if (host->wakes_ns[i] > host->now) {
            host->wakes_ns[kept++] = host->wakes_ns[i];
        }
    }
    if (kept == host->wake_count) {
        return true;
    }
    host->wake_count = kept;
    return send(host, &event);
}

/* Makes room for one more element; NULL: no memory. */
static void *grow(struct conform_host *host, void *list, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room ? 2 * *room : 16;
    void *moved = list;

    if (count == *room) {
        moved = realloc(list, wanted * size);
        *room = moved ? wanted : *room;
    }
    if (!moved) {
        (void)give_up(host, HOST_BROKE, "Memory is short.");
    }
    return moved;
}

static bool add_wake(struct conform_host *host, hs_time time)
{
    hs_time *wakes;

    for (size_t i = 0; i < host->wake_count; i++) {
        if (host->wakes_ns[i] == time) {
            return true;
        }
    }
    wakes = grow(host, host->wakes_ns, host->wake_count, &host->wake_room, sizeof *wakes);
    if (wakes) {
        host->wakes_ns = wakes;
        host->wakes_ns[host->wake_count++] = time;
    }
    return wakes != NULL;
}

static void start(struct conform_host *host, const struct hs_decision *decision)
{
    uint32_t index = (uint32_t)decision->key.id;
    struct host_job *job = &host->jobs[index];
    hs_time delay = host->model->delay_ns;

    job->state = JOB_HOLDING;
    job->is_confirmed = false;
    job->is_failing = job->attempts++ == 0 && case_start_fails(host->model, index);
    job->confirm_ns = host->now + delay;
    job->end_ns = host->now + delay;
    if (job->is_failing) {
        job->end_ns += HS_NS_PER_S;
    } else {
        job->end_ns += case_scaled(host->model, job->left_ns, decision->job->alloc);
        job->end_ns += job->attempts > 1 ? host->model->restart_ns : 0;
    }
    digest_alloc(host, decision->job->alloc);
}

/* What is left of the run is in proportion to what was left of the time. */
static void preempt(struct conform_host *host, const struct hs_decision *decision)
{
    struct host_job *job = &host->jobs[decision->key.id];
    hs_time whole = job->end_ns - job->began_ns;
    hs_time rest = job->end_ns - host->now;

    if (whole > 0) {
        job->left_ns = (hs_time)((hs_int128)job->left_ns * rest / whole);
    }
    job->state = JOB_WAITING;
}

static bool keep(struct conform_host *host, const struct hs_decision *decision)
{
    struct host_decision *list = grow(host, host->decisions, host->decision_count,
                                      &host->decision_room, sizeof *host->decisions);

    if (list) {
        host->decisions = list;
        list[host->decision_count++] =
            (struct host_decision){decision->kind, decision->key.id, host->now, host->digest};
    }
    return list != NULL;
}

static bool carry_out(struct conform_host *host, const struct hs_decision *decision)
{
    if (decision->kind == HS_DECISION_WAKE) {
        return add_wake(host, decision->time_ns);
    }
    host->digest = (uint64_t)decision->kind;
    digest_add(host, (uint64_t)decision->key.id);
    digest_add(host, (uint64_t)host->now);
    switch (decision->kind) {
    case HS_DECISION_START:
        start(host, decision);
        host->idle_passes = 0;
        host->empty_passes = 0;
        break;
    case HS_DECISION_PREEMPT:
        preempt(host, decision);
        break;
    case HS_DECISION_REJECT:
        host->jobs[decision->key.id].state = JOB_GONE;
        break;
    case HS_DECISION_WAKE:
        break;
    }
    return keep(host, decision);
}

static bool has_job(const struct conform_host *host, enum job_state state)
{
    for (uint32_t i = 0; i < host->model->job_count; i++) {
        if (host->jobs[i].state == state) {
            return true;
        }
    }
    return false;
}

/* Ends cases that will never end by themselves. */
static bool judge_pass(struct conform_host *host)
{
    if (++host->trace->passes > PASSES_MAX) {
        return give_up(host, HOST_STALLED,
                       "The case does not come to its end in %u passes: the policy asks for "
                       "passes (hs_plan_wake), or preempts, without progress.",
                       PASSES_MAX);
    }
    if (!has_job(host, JOB_WAITING) || has_job(host, JOB_HOLDING) || has_job(host, JOB_FUTURE) ||
        host->next_change < host->model->change_count) {
        host->idle_passes = 0;
    } else if (++host->idle_passes > IDLE_PASSES_MAX) {
        return give_up(host, HOST_STALLED,
                       "Jobs wait, nothing runs, nothing is to come, and in %u passes that it "
                       "asked for (hs_plan_wake) the policy has started none of them.",
                       IDLE_PASSES_MAX);
    }
    return true;
}

static bool decide(struct conform_host *host)
{
    const struct hs_decision *decisions;
    struct hs_error error = {0};
    size_t count;

    if (!hs_sched_wants_pass(host->sched)) {
        return true;
    }
    enter(host, HOST_CALL_PASS);
    if (hs_sched_decide(host->sched, host->now, &decisions, &count, &error) != HS_OK) {
        /* The core, too, loses its patience with a policy that starts nothing. */
        return give_up(host, host->empty_passes > IDLE_PASSES_MAX ? HOST_STALLED : HOST_BROKE, "%s",
                       error.text);
    }
    host->empty_passes++;
    for (size_t i = 0; i < count; i++) { /* what is taken back comes before what is given */
        if (decisions[i].kind != HS_DECISION_START && !carry_out(host, &decisions[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (decisions[i].kind == HS_DECISION_START && !carry_out(host, &decisions[i])) {
            return false;
        }
    }
    return judge_pass(host);
}

static hs_time earlier(hs_time left, hs_time right)
{
    return left < right ? left : right;
}

static hs_time next_time(const struct conform_host *host)
{
    hs_time next = host->next_change < host->model->change_count
                       ? host->model->changes[host->next_change].time_ns
                       : HS_TIME_NEVER;

    for (uint32_t i = 0; i < host->model->job_count; i++) {
        const struct host_job *job = &host->jobs[i];

        if (job->state == JOB_FUTURE) {
            next = earlier(next, host->model->jobs[i].submit_ns);
        } else if (job->state == JOB_HOLDING) {
            next = earlier(next, job->end_ns);
            next = job->is_confirmed || job->is_failing ? next : earlier(next, job->confirm_ns);
            next = is_outlived(job) ? earlier(next, job->expected_ns) : next;
        }
        if (job->state != JOB_GONE && !job->is_cancel_past) {
            next = earlier(next, host->model->jobs[i].cancel_ns);
        }
    }
    for (size_t i = 0; i < host->wake_count; i++) {
        next = earlier(next, host->wakes_ns[i]);
    }
    return next;
}

/* Nothing is to come: then nobody may wait. */
static bool finish(struct conform_host *host)
{
    struct hs_error error = {0};

    if (hs_sched_check_stall(host->sched, &error) != HS_OK) {
        return give_up(host, HOST_STALLED, "%s", error.text);
    }
    if (has_job(host, JOB_WAITING)) {
        return give_up(host, HOST_STALLED, "A job waits for ever, although nothing runs.");
    }
    host->verdict = HOST_DONE;
    return false;
}

bool host_step(struct conform_host *host)
{
    hs_time next;

    if (host->verdict != HOST_RUNS) {
        return false;
    }
    next = next_time(host);
    if (next == HS_TIME_NEVER) {
        return finish(host);
    }
    host->now = next > host->now ? next : host->now;
    return confirmations(host) && ends(host) && changes(host) && cancellations(host) &&
           submissions(host) && corrections(host) && timers(host) && decide(host) &&
           confirmations(host);
}

static hs_time predict_on(const void *context, const struct hs_job *job, uint32_t speed_class)
{
    const struct conform_host *host = context;
    hs_time time = case_at(host->model, host->jobs[job->key.id].told_ns, speed_class);

    return time < 1 ? 1 : time;
}

/* For policies that replay: some starts are recorded, some not. */
static hs_time recorded_start(const void *context, const struct hs_job *job)
{
    const struct conform_host *host = context;

    return job->key.id % 5 == 4 ? HS_TIME_NEVER
                                : job->key.submit_ns + host->model->jobs[job->key.id].run_ns / 2;
}

static enum hs_err open_sched(struct conform_host *host, const struct host_options *options,
                              struct hs_error *error)
{
    const struct conform_case *model = host->model;
    struct hs_sched_options sched = {
        .cluster = model->cluster,
        .seed = model->seed,
        .restart_ns = model->restart_ns,
        .is_plain = options->is_plain,
    };
    enum hs_err err = hs_stack_create(options->registry, options->choice, &host->stack, error);

    if (err != HS_OK) {
        return err;
    }
    host->is_predicting = hs_stack_predicts(host->stack);
    host->knows_truth = hs_stack_knows_truth(host->stack);
    host->mix = (struct hs_mix){
        .demands = model->demand_count ? model->demands : &model->jobs[0].demand,
        .weights = host->weights,
        .count = model->demand_count ? model->demand_count : 1,
    };
    for (size_t i = 0; i < host->mix.count; i++) {
        host->weights[i] = 1.0 / (double)host->mix.count;
    }
    host->speeds = (struct hs_speeds){model->class_count, model->class_of_node, predict_on, host};
    host->history = (struct hs_history){recorded_start, host};
    sched.stack = host->stack;
    sched.mix = &host->mix;
    sched.speeds = model->class_count ? &host->speeds : NULL;
    sched.history = hs_stack_replays(host->stack) ? &host->history : NULL;
    return hs_sched_create(&sched, &host->sched, error);
}

struct conform_host *host_open(const struct conform_case *model, const struct host_options *options)
{
    struct conform_host *host = calloc(1, sizeof *host);
    struct hs_error error = {0};
    enum hs_err err;

    if (!host) {
        return NULL;
    }
    host->model = model;
    host->trace = options->trace;
    host->hides_truth = options->hides_truth;
    host->now = model->jobs[0].submit_ns;
    host->trace->passes = 0;
    enter(host, HOST_CALL_BEGIN);
    err = open_sched(host, options, &error);
    if (err != HS_OK) {
        (void)give_up(host, err == HS_ERR_CONFIG ? HOST_REFUSED : HOST_BROKE, "%s", error.text);
    }
    return host;
}

void host_close(struct conform_host *host)
{
    if (host) {
        enter(host, HOST_CALL_END);
        hs_sched_destroy(host->sched);
        hs_stack_destroy(host->stack);
        free(host->wakes_ns);
        free(host->decisions);
        host->trace->call = HOST_CALL_NONE;
        free(host);
    }
}

enum host_verdict host_verdict(const struct conform_host *host)
{
    return host->verdict;
}

const char *host_text(const struct conform_host *host)
{
    return host->text;
}

const struct host_decision *host_decisions(const struct conform_host *host, size_t *count)
{
    *count = host->decision_count;
    return host->decisions;
}

bool host_knows_truth(const struct conform_host *host)
{
    return host->knows_truth;
}
