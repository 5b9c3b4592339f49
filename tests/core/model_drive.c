/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_drive.c - the loop of the model test's host of the core. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "model_books.h"
#include "model_drive.h"

#define PASSES_PER_JOB 40 /* more must be an endless loop */
#define MIX_MAX        8u

bool drive_complain(struct drive *drive, const char *format, ...)
{
    char now[HS_TIME_TEXT_MAX];
    va_list arguments;
    int length;

    (void)hs_time_format(drive->now, now);
    length = snprintf(drive->complaint, sizeof(drive->complaint), "at %s s: ", now);
    va_start(arguments, format);
    (void)vsnprintf(drive->complaint + length, sizeof(drive->complaint) - (size_t)length, format,
                    arguments);
    va_end(arguments);
    return false;
}

static bool send(struct drive *drive, enum hs_event_kind kind, uint32_t job)
{
    const struct model_job *it = &drive->model->jobs[job];
    struct hs_event event = {.kind = kind, .key = {.id = it->id, .submit_ns = it->submit_ns}};
    struct hs_error error = {0};

    if (hs_sched_event(drive->sched, drive->now, &event, &error) != HS_OK) {
        return drive_complain(drive, "event %d of job %" PRIu32 ": %s", (int)kind, job, error.text);
    }
    return true;
}

static void leave(struct drive *drive, uint32_t job, enum model_fate fate)
{
    drive->state[job] = DRIVE_GONE;
    drive->outcome->fate[job] = fate;
    drive->outcome->end_ns[job] = drive->now;
}

static bool confirmations(struct drive *drive)
{
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        if (drive->state[job] != DRIVE_HOLDING || drive->is_failing[job] ||
            drive->is_confirmed[job] || drive->confirm_ns[job] != drive->now) {
            continue;
        }
        if (!send(drive, HS_EVENT_STARTED, job)) {
            return false;
        }
        drive->is_confirmed[job] = true;
        drive->outcome->start_ns[job] = drive->now;
    }
    return true;
}

static bool ends(struct drive *drive, bool *is_event)
{
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        bool is_failing = drive->is_failing[job];

        if (drive->state[job] != DRIVE_HOLDING || drive->end_ns[job] != drive->now) {
            continue;
        }
        if (!send(drive, is_failing ? HS_EVENT_START_FAILED : HS_EVENT_FINISHED, job)) {
            return false;
        }
        books_release(drive, job);
        if (is_failing) {
            drive->state[job] = DRIVE_WAITING;
        } else {
            leave(drive, job, MODEL_DONE);
        }
        *is_event = true;
    }
    return true;
}

static bool changes(struct drive *drive, bool *is_event)
{
    const struct model_case *model = drive->model;

    for (; drive->next_change < model->change_count; drive->next_change++) {
        const struct model_change *change = &model->changes[drive->next_change];
        struct hs_event event = {
            .kind = HS_EVENT_NODE, .node = change->node, .is_available = change->is_available};
        struct hs_error error = {0};

        if (change->time_ns != drive->now) {
            break;
        }
        if (change->node >= model->node_count) {
            continue;
        }
        if (hs_sched_event(drive->sched, drive->now, &event, &error) != HS_OK) {
            return drive_complain(drive, "a change of node %" PRIu32 ": %s", change->node,
                                  error.text);
        }
        drive->books.is_away[change->node] = !change->is_available;
        drive->books.vector.is_away[change->node] = !change->is_available;
        *is_event = true;
    }
    return true;
}

static bool cancellations(struct drive *drive, bool *is_event)
{
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        bool is_holding = drive->state[job] == DRIVE_HOLDING;

        if (drive->model->jobs[job].cancel_ns != drive->now || drive->is_cancel_past[job]) {
            continue;
        }
        drive->is_cancel_past[job] = true;
        if (!is_holding && drive->state[job] != DRIVE_WAITING) {
            continue;
        }
        if (!send(drive, HS_EVENT_CANCELLED, job)) {
            return false;
        }
        if (is_holding) {
            books_release(drive, job);
        }
        leave(drive, job, is_holding ? MODEL_CANCELLED_RUNNING : MODEL_CANCELLED_WAITING);
        *is_event = true;
    }
    return true;
}

static bool submit(struct drive *drive, uint32_t job, bool *is_event)
{
    const struct model_job *it = &drive->model->jobs[job];
    struct hs_job_spec spec = {
        .key = {.id = it->id, .submit_ns = it->submit_ns},
        .walltime_ns = it->request_ns,
        .priority = it->priority,
        .demand = it->demand,
        .user = (int32_t)job,
        .group = -1,
        .queue = -1,
        .job_class = -1,
    };
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
    struct hs_error error = {0};

    if (hs_sched_event(drive->sched, drive->now, &event, &error) != HS_OK) {
        return drive_complain(drive, "submission of job %" PRIu32 ": %s", job, error.text);
    }
    if ((event.job == NULL) != (event.refusal != NULL)) {
        return drive_complain(drive, "submission of job %" PRIu32 " neither kept nor refused", job);
    }
    if ((event.refusal != NULL) == books_fit(drive->model, &drive->empty, job)) {
        return drive_complain(drive, "job %" PRIu32 " refused: %s", job,
                              event.refusal ? event.refusal : "no, but it should be");
    }
    if (event.refusal) {
        leave(drive, job, MODEL_REFUSED);
        drive->outcome->end_ns[job] = MODEL_NO_TIME;
        return true;
    }
    if (event.job->procs != it->procs || event.job->state != HS_JOB_PENDING ||
        event.job->alloc != NULL) {
        return drive_complain(
            drive, "job %" PRIu32 " has %" PRIu32 " processors, not %" PRIu32 ", or does not wait",
            job, event.job->procs, it->procs);
    }
    drive->state[job] = DRIVE_WAITING;
    *is_event = true;
    return true;
}

static bool submissions(struct drive *drive, bool *is_event)
{
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        if (drive->state[job] == DRIVE_FUTURE && drive->model->jobs[job].submit_ns == drive->now &&
            !submit(drive, job, is_event)) {
            return false;
        }
    }
    return true;
}

/* When the next correction of the job is due, and to what; false: none. */
static bool correction_of(const struct drive *drive, uint32_t job, hs_time *time, hs_time *end)
{
    return drive->state[job] == DRIVE_HOLDING && drive->is_confirmed[job] &&
           model_correction(drive->model, &drive->model->jobs[job], drive->outcome->attempts[job],
                            drive->corrections[job], drive->outcome->start_ns[job], time, end);
}

static bool corrections(struct drive *drive, bool *is_event)
{
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        const struct model_job *it = &drive->model->jobs[job];
        struct hs_event event = {.kind = HS_EVENT_EXPECTED,
                                 .key = {.id = it->id, .submit_ns = it->submit_ns}};
        struct hs_error error = {0};
        hs_time time;

        if (!correction_of(drive, job, &time, &event.expected_end_ns) || time != drive->now) {
            continue;
        }
        if (hs_sched_event(drive->sched, drive->now, &event, &error) != HS_OK) {
            return drive_complain(drive, "correction of job %" PRIu32 ": %s", job, error.text);
        }
        if (hs_sched_find(drive->sched, event.key)->expected_end_ns != event.expected_end_ns) {
            return drive_complain(drive, "correction of job %" PRIu32 " without effect", job);
        }
        drive->corrections[job]++;
        *is_event = true;
    }
    return true;
}

static bool timers(struct drive *drive, bool *is_event)
{
    struct hs_event event = {.kind = HS_EVENT_TIMER};
    struct hs_error error = {0};
    uint32_t kept = 0;

    for (uint32_t i = 0; i < drive->wake_count; i++) {
        if (drive->wakes_ns[i] != drive->now) {
            drive->wakes_ns[kept++] = drive->wakes_ns[i];
        }
    }
    if (kept == drive->wake_count) {
        return true;
    }
    drive->wake_count = kept;
    *is_event = true;
    if (hs_sched_event(drive->sched, drive->now, &event, &error) != HS_OK) {
        return drive_complain(drive, "timer: %s", error.text);
    }
    return true;
}

static bool start(struct drive *drive, const struct hs_decision *decision)
{
    const struct hs_job *core = decision->job;
    uint32_t job = (uint32_t)core->user;
    const struct model_job *it = &drive->model->jobs[job];
    struct model_outcome *outcome = drive->outcome;
    hs_time delay;

    if (core->key.id != it->id || core->key.submit_ns != it->submit_ns ||
        decision->key.id != it->id || decision->key.submit_ns != it->submit_ns) {
        return drive_complain(drive, "a decision mixes up job %" PRIu32, job);
    }
    if (!books_take(drive, job, core->alloc)) {
        return false;
    }
    if (drive->state[job] != DRIVE_WAITING || core->state != HS_JOB_STARTING ||
        core->start_ns != drive->now ||
        core->expected_end_ns !=
            model_add(drive->now,
                      model_scaled(drive->model, outcome->tasks[job], it->request_ns))) {
        return drive_complain(drive, "start of job %" PRIu32 " with a wrong state or time", job);
    }
    drive->state[job] = DRIVE_HOLDING;
    outcome->attempts[job]++;
    outcome->start_ns[job] = drive->now;
    if (outcome->attempts[job] == 1) {
        outcome->first_ns[job] = drive->now;
    }
    drive->is_failing[job] = model_start_fails(drive->model, it, outcome->attempts[job]);
    drive->is_confirmed[job] = false;
    drive->corrections[job] = 0;
    delay = model_answer_delay(drive->model, it, outcome->attempts[job]);
    drive->confirm_ns[job] = drive->now + delay;
    drive->end_ns[job] = drive->now + delay;
    if (!drive->is_failing[job]) {
        drive->end_ns[job] += model_scaled(drive->model, outcome->tasks[job], it->run_ns);
    }
    return true;
}

static bool add_wake(struct drive *drive, hs_time time)
{
    if (time <= drive->now) {
        return drive_complain(drive, "a wake-up that is not in the future");
    }
    for (uint32_t i = 0; i < drive->wake_count; i++) {
        if (drive->wakes_ns[i] == time) {
            return true;
        }
    }
    if (drive->wake_count == MODEL_WAKES_MAX) {
        return drive_complain(drive, "too many wake-ups");
    }
    drive->wakes_ns[drive->wake_count++] = time;
    return true;
}

static bool decide(struct drive *drive)
{
    const struct hs_decision *decisions;
    struct hs_error error = {0};
    size_t count;

    if (!hs_sched_wants_pass(drive->sched)) {
        for (uint32_t job = 0; job < drive->model->job_count; job++) {
            if (drive->state[job] == DRIVE_WAITING) {
                return drive_complain(drive, "jobs wait, but no pass is wanted");
            }
        }
        return true;
    }
    if (hs_sched_decide(drive->sched, drive->now, &decisions, &count, &error) != HS_OK) {
        return drive_complain(drive, "pass: %s", error.text);
    }
    for (size_t i = 0; i < count; i++) {
        bool is_good = false;

        if ((drive->last_decision > 0 && decisions[i].id <= drive->last_decision)) {
            return drive_complain(drive, "ids of decisions do not ascend");
        }
        drive->last_decision = decisions[i].id;
        if (decisions[i].kind == HS_DECISION_START) {
            is_good = start(drive, &decisions[i]);
        } else if (decisions[i].kind == HS_DECISION_WAKE) {
            is_good = add_wake(drive, decisions[i].time_ns);
        } else {
            is_good = drive_complain(drive, "unexpected decision %d", (int)decisions[i].kind);
        }
        if (!is_good) {
            return false;
        }
    }
    return true;
}

static hs_time next_time(const struct drive *drive)
{
    hs_time next = drive->next_change < drive->model->change_count
                       ? drive->model->changes[drive->next_change].time_ns
                       : HS_TIME_NEVER;

    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        hs_time times[5] = {HS_TIME_NEVER, HS_TIME_NEVER, HS_TIME_NEVER, HS_TIME_NEVER};
        hs_time end;

        if (drive->state[job] == DRIVE_FUTURE) {
            times[0] = drive->model->jobs[job].submit_ns;
        }
        if (drive->state[job] == DRIVE_HOLDING) {
            times[1] = drive->end_ns[job];
            times[2] = drive->is_confirmed[job] ? HS_TIME_NEVER : drive->confirm_ns[job];
        }
        if (!drive->is_cancel_past[job]) {
            times[3] = drive->model->jobs[job].cancel_ns;
        }
        if (!correction_of(drive, job, &times[4], &end)) {
            times[4] = HS_TIME_NEVER;
        }
        for (int i = 0; i < 5; i++) {
            next = times[i] < next ? times[i] : next;
        }
    }
    for (uint32_t i = 0; i < drive->wake_count; i++) {
        next = drive->wakes_ns[i] < next ? drive->wakes_ns[i] : next;
    }
    return next;
}

static bool loop(struct drive *drive, const struct drive_watch *watch)
{
    struct hs_error error = {0};
    hs_time next;

    while ((next = next_time(drive)) != HS_TIME_NEVER) {
        bool is_event = false;

        drive->now = next;
        if (!confirmations(drive) || !ends(drive, &is_event) || !changes(drive, &is_event) ||
            !cancellations(drive, &is_event) || !submissions(drive, &is_event) ||
            !corrections(drive, &is_event) || !timers(drive, &is_event)) {
            return false;
        }
        if (!is_event) {
            continue;
        }
        if (++drive->passes >
            PASSES_PER_JOB * (drive->model->job_count + drive->model->change_count)) {
            return drive_complain(drive, "too many passes");
        }
        if (!decide(drive) || !confirmations(drive) || !books_agree(drive)) {
            return false;
        }
        if (watch && !watch->after_pass(watch->self, drive)) {
            return false;
        }
    }
    if (hs_sched_check_stall(drive->sched, &error) != HS_OK) {
        return drive_complain(drive, "%s", error.text);
    }
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        if (drive->state[job] != DRIVE_GONE) {
            return drive_complain(drive, "job %" PRIu32 " waits for ever", job);
        }
    }
    return true;
}

/* Everything that a scheduler needs, made anew for each case. */
struct setting {
    struct hs_cluster *cluster;
    struct hs_registry *registry;
    struct hs_stack *stack;
    struct hs_sched *sched;
    struct hs_mix mix; /* of the first demands */
    const struct model_case *model;
    struct hs_speeds speeds;
    uint32_t class_of_node[MODEL_NODES_MAX];
    uint32_t permille[MODEL_NODES_MAX]; /* by class */
    struct hs_demand demands[MIX_MAX];
    double weights[MIX_MAX];
};

static void build_mix(const struct model_case *model, struct setting *setting)
{
    uint32_t count = model->job_count < MIX_MAX ? model->job_count : MIX_MAX;

    setting->mix =
        (struct hs_mix){.demands = setting->demands, .weights = setting->weights, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        setting->demands[i] = model->jobs[i].demand;
        setting->weights[i] = 1.0 / count;
    }
}

static hs_time predict(const void *context, const struct hs_job *job, uint32_t speed_class)
{
    const struct setting *setting = context;

    return model_at_speed(setting->model->jobs[job->user].request_ns,
                          setting->permille[speed_class]);
}

/* Nodes of one speed are a class. */
static void build_speeds(const struct model_case *model, struct setting *setting)
{
    uint32_t count = 0;

    for (uint32_t node = 0; node < model->node_count; node++) {
        uint32_t class = 0;

        while (class < count && setting->permille[class] != model->permille[node]) {
            class ++;
        }
        setting->permille[class] = model->permille[node];
        setting->class_of_node[node] = class;
        count += class == count;
    }
    setting->model = model;
    setting->speeds = (struct hs_speeds){.class_count = count,
                                         .class_of_node = setting->class_of_node,
                                         .predict = predict,
                                         .context = setting};
}

static bool build_cluster(const struct model_case *model, struct setting *setting,
                          struct hs_error *error)
{
    if (model->vector) {
        setting->cluster = vector_build(model->vector);
        return true;
    }
    setting->cluster = hs_cluster_create();
    if (!setting->cluster) {
        return false;
    }
    for (uint32_t node = 0; node < model->node_count; node++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "n%" PRIu32, node);
        if (hs_cluster_add_node(setting->cluster, name, model->cores_milli[node],
                                model->mem_bytes[node], error) != HS_OK) {
            return false;
        }
    }
    return hs_cluster_seal(setting->cluster, error) == HS_OK;
}

static bool build(const struct model_case *model, const struct hs_plugin *extra,
                  struct setting *setting, struct hs_error *error)
{
    char name[64];
    char depth[32];
    struct hs_choice_param param = {.name = "k", .value = depth};
    struct hs_choice choice = {
        .name = name,
        .order = model_order_name(model->order),
        .place = model->place,
        .local = model->local,
        .tie = model->tie,
        .params = &param,
        .param_count = model->rule == MODEL_DEPTH ? 1 : 0,
    };
    struct hs_sched_options options = {.seed = model->seed, .is_plain = model->is_plain};

    (void)snprintf(name, sizeof(name), "%s%s", model->rule_prefix, model_rule_name(model->rule));
    (void)snprintf(depth, sizeof(depth), "%" PRIu32, model->depth);
    setting->registry = hs_registry_create();
    if (!setting->registry || !build_cluster(model, setting, error) ||
        hs_registry_add(setting->registry, &hp_builtin, "built-in", error) != HS_OK ||
        (extra && hs_registry_add(setting->registry, extra, "the test", error) != HS_OK) ||
        hs_stack_create(setting->registry, &choice, &setting->stack, error) != HS_OK) {
        return false;
    }
    options.cluster = setting->cluster;
    options.stack = setting->stack;
    build_mix(model, setting);
    options.mix = &setting->mix;
    if (model->has_speeds) {
        build_speeds(model, setting);
        options.speeds = &setting->speeds;
    }
    return hs_sched_create(&options, &setting->sched, error) == HS_OK;
}

bool drive_run(const struct model_case *model, const struct hs_plugin *extra,
               const struct drive_watch *watch, struct model_outcome *outcome, char *complaint)
{
    struct setting setting = {0};
    struct hs_error error = {0};
    struct drive *drive = calloc(1, sizeof(*drive));
    bool is_good = false;

    memset(outcome, 0, sizeof(*outcome));
    if (!drive || !build(model, extra, &setting, &error)) {
        (void)snprintf(complaint, MODEL_COMPLAINT_MAX, "cannot begin: %s", error.text);
    } else {
        drive->model = model;
        drive->held = model->vector ? calloc(model->job_count, sizeof(*drive->held)) : NULL;
        drive->outcome = outcome;
        drive->sched = setting.sched;
        books_open(drive);
        is_good = loop(drive, watch);
        (void)snprintf(complaint, MODEL_COMPLAINT_MAX, "%s", drive->complaint);
    }
    hs_sched_destroy(setting.sched);
    hs_stack_destroy(setting.stack);
    hs_registry_destroy(setting.registry);
    hs_cluster_destroy(setting.cluster);
    if (drive) {
        free(drive->held);
    }
    free(drive);
    return is_good;
}
