/* SPDX-License-Identifier: MIT */
/* sched.c - the state machine: events in, decisions out. */
#include "hs/sched.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "free_internal.h"
#include "random.h"
#include "sched_internal.h"

/* Passes at one instant in which no job came or went, before it is called endless. */
#define IDLE_PASSES_MAX 1000
/* Passes on an empty machine without any event but timers, before the policy is called stalled. */
#define IDLE_WAKES_MAX 10000

/* The part of the stack that decides: a whole policy or a reservation rule. Both begin with the
 * same fields, so a rule is read as a policy. */
static const struct hs_policy *decider(const struct hs_sched *sched, void **self)
{
    const struct hsi_part *parts = sched->stack->parts;
    enum hs_kind kind = parts[HS_KIND_POLICY].entry ? HS_KIND_POLICY : HS_KIND_RESERVE;

    *self = parts[kind].state;
    return &parts[kind].entry->as.policy;
}

_Static_assert(sizeof(struct hs_policy) == sizeof(struct hs_reserve) &&
                   offsetof(struct hs_policy, schedule) == offsetof(struct hs_reserve, schedule) &&
                   offsetof(struct hs_policy, init) == offsetof(struct hs_reserve, init) &&
                   offsetof(struct hs_policy, flags) == offsetof(struct hs_reserve, flags),
               "a reservation rule has the layout of a policy");

/* One order of the nodes for the whole run (Fisher and Yates). */
static uint32_t *random_rank(uint32_t count, uint64_t seed)
{
    uint32_t *rank = calloc(count, sizeof *rank);

    for (uint32_t i = 0; rank && i < count; i++) {
        uint32_t other = (uint32_t)(hsi_random_keyed(seed, "tie", i) * (i + 1.0));

        rank[i] = rank[other];
        rank[other] = i;
    }
    return rank;
}

/* Ties, draws, devices: what the placement of the stack needs to know of this run. */
static enum hs_err begin_placement(struct hs_sched *sched, struct hs_error *error)
{
    const struct hsi_part *part = &sched->stack->parts[HS_KIND_PLACE];
    struct hs_placement *placement = &sched->stack->placement;
    uint32_t node_count = hs_cluster_node_count(sched->cluster);
    enum hs_err err = HS_OK;

    if (sched->stack->is_tie_random) {
        sched->rank = random_rank(node_count, sched->seed);
        if (!sched->rank) {
            return hs_error_memory(error);
        }
    }
    placement->rank = sched->rank;
    placement->draw = hsi_mix64(sched->seed);
    if (part->entry && part->entry->as.place.init) {
        err = part->entry->as.place.init(part->state, &sched->view, error);
    }
    sched->is_placed = err == HS_OK;
    if (err == HS_OK && !sched->is_plain &&
        (hs_cluster_device_count(sched->cluster) || hsi_is_ordered(placement))) {
        (void)hs_free_track(
            sched->free,
            hs_view_placement(&sched->view)); /* without memory it is slower, and the same */
    }
    return err;
}

enum hs_err hs_sched_create(const struct hs_sched_options *options, struct hs_sched **sched,
                            struct hs_error *error)
{
    struct hs_sched *made = calloc(1, sizeof *made);
    const struct hs_order *order;
    const struct hs_policy *policy;
    enum hs_err err = HS_OK;
    void *self;

    *sched = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    made->view.sched = made;
    made->plan.sched = made;
    made->plan.wake_ns = HS_TIME_NEVER;
    made->cluster = options->cluster;
    made->stack = options->stack;
    made->seed = options->seed;
    made->is_plain = options->is_plain;
    made->restart_ns = options->restart_ns;
    made->now = INT64_MIN;
    made->time_max = HS_TIME_NEVER - 1;
    order = hsi_order(made);
    made->jobs.free_slot = HSI_NONE;
    made->queue.first = made->queue.last = HSI_NONE;
    made->rejected = HSI_NONE;
    made->queue.is_arrival = !order || order->is_arrival;
    made->index.has_rate = order && order->is_time_varying && order->rate;
    made->index.rate_offset = order ? order->rate_offset : 0;
    /* On n nodes of one core no allocation has more than (n + 1) / 2 spans. */
    made->span_room = (hs_cluster_node_count(options->cluster) + 1) / 2;
    made->span_room = made->span_room < 64 ? made->span_room : 64;
    made->free = hs_free_create(options->cluster);
    made->empty = hs_free_create(options->cluster);
    if (!made->free || !made->empty ||
        !hs_alloc_buffer_reserve(&made->buffer, options->cluster, NULL)) {
        hs_sched_destroy(made);
        return hs_error_memory(error);
    }
    made->mix = options->mix;
    made->speeds = options->speeds;
    made->history = options->history;
    err = begin_placement(made, error);
    if (err == HS_OK) {
        err = hsi_predict_begin(made, error);
    }
    policy = decider(made, &self);
    made->is_preemptive = hs_stack_preempts(options->stack);
    if (err == HS_OK && policy->init) {
        err = policy->init(self, &made->view, error);
    }
    made->is_initialised = err == HS_OK;
    if (err != HS_OK) {
        hs_sched_destroy(made);
        return err;
    }
    *sched = made;
    return HS_OK;
}

static void end_placement(struct hs_sched *sched)
{
    const struct hsi_part *part = &sched->stack->parts[HS_KIND_PLACE];

    if (sched->is_placed && part->entry && part->entry->as.place.fini) {
        part->entry->as.place.fini(part->state);
    }
    sched->stack->placement.rank = NULL;
    free(sched->rank);
}

void hs_sched_destroy(struct hs_sched *sched)
{
    void *self;
    const struct hs_policy *policy;

    if (!sched) {
        return;
    }
    policy = decider(sched, &self);
    if (sched->is_initialised && policy->fini) {
        policy->fini(self);
    }
    end_placement(sched);
    hsi_predict_end(sched);
    for (uint32_t i = 0; i < sched->running_count; i++) {
        hsi_block_put(sched, hsi_block_of(hsi_job_from(sched, sched->running[i])));
    }
    hsi_running_forget(sched);
    while (sched->free_blocks) {
        struct hsi_block *block = sched->free_blocks;

        sched->free_blocks = block->next_free;
        free(block->spans);
        free(block->devices);
        free(block);
    }
    hsi_jobs_fini(sched);
    hsi_shapes_fini(sched);
    hsi_queue_fini(sched);
    hsi_index_fini(sched);
    hs_alloc_buffer_fini(&sched->buffer);
    hs_free_destroy(sched->free);
    hs_free_destroy(sched->empty);
    free(sched->running);
    free(sched->plan.entries);
    free(sched->decisions);
    free(sched);
}

bool hs_sched_can_run(struct hs_sched *sched, const struct hs_demand *demand, char *reason,
                      size_t reason_size)
{
    if (hs_free_place(sched->empty, demand, NULL, &sched->buffer)) {
        return true;
    }
    hsi_demand_explain(sched, demand);
    (void)snprintf(reason, reason_size, "%s", sched->text);
    return false;
}

static enum hs_err submit(struct hs_sched *sched, struct hs_event *event, struct hs_error *error)
{
    const struct hs_job_spec *spec = event->spec;
    enum hs_err err = hsi_demand_check(spec, error);
    struct hsi_job *job;
    hs_time waited;
    uint32_t shape;

    if (err == HS_OK && __builtin_sub_overflow(sched->now, spec->key.submit_ns, &waited)) {
        err = hs_error_set(error, HS_ERR_STATE,
                           "Job %" PRId64 " has a submit time that is more than 64 bits of "
                           "nanoseconds away.",
                           spec->key.id);
    }
    if (err == HS_OK && hsi_jobs_find(sched, spec->key)) {
        err =
            hs_error_set(error, HS_ERR_STATE, "Job %" PRId64 " is submitted twice.", spec->key.id);
    }
    if (err == HS_OK) {
        err = hsi_shape_find(sched, &spec->demand, &shape, error);
    }
    if (err != HS_OK) {
        return err;
    }
    if (!sched->shapes.list[shape]->can_run) {
        hsi_demand_explain(sched, &spec->demand);
        event->refusal = sched->text;
        return HS_OK;
    }
    if (!hsi_queue_reserve(sched) || !hsi_index_reserve(sched)) {
        return hs_error_memory(error);
    }
    job = hsi_jobs_add(sched, spec->key);
    if (!job) {
        return hs_error_memory(error);
    }
    job->pub.walltime_ns = spec->walltime_ns;
    job->pub.start_ns = -1;
    job->pub.expected_end_ns = HS_TIME_NEVER;
    job->pub.priority = spec->priority;
    job->pub.demand = &sched->shapes.list[shape]->demand;
    job->pub.sequence = sched->next_sequence++;
    job->pub.units = sched->shapes.list[shape]->units;
    job->pub.procs = sched->shapes.list[shape]->procs;
    job->pub.shape = shape;
    job->pub.state = HS_JOB_PENDING;
    job->pub.user = spec->user;
    job->pub.group = spec->group;
    job->pub.queue = spec->queue;
    job->pub.job_class = spec->job_class;
    if (spec->key.submit_ns < 0 && spec->key.submit_ns + INT64_MAX < sched->time_max) {
        sched->time_max = spec->key.submit_ns + INT64_MAX; /* so that each wait fits */
    }
    hsi_shape_live(sched, shape, 1);
    hsi_queue_insert(sched, job);
    event->job = &job->pub;
    if (sched->jobs.live_count > sched->stats.live_jobs_peak) {
        sched->stats.live_jobs_peak = sched->jobs.live_count;
    }
    if (sched->queue.count > sched->stats.pending_jobs_peak) {
        sched->stats.pending_jobs_peak = sched->queue.count;
    }
    return HS_OK;
}

static void notify(struct hs_sched *sched, const struct hs_event *event)
{
    void *self;
    const struct hs_policy *policy = decider(sched, &self);

    if (policy->notify) {
        policy->notify(self, &sched->view, event);
    }
}

/* The host confirms a start; it may have taken a while (a decision latency). */
static void confirm_start(struct hs_sched *sched, struct hsi_job *job)
{
    if (job->pub.start_ns != sched->now) {
        hsi_running_remove(sched, job);
        job->pub.start_ns = sched->now;
        job->pub.expected_end_ns =
            hsi_expected_end(sched->now, hsi_expected_time(sched, &job->pub));
        hsi_running_insert(sched, job);
    }
    hsi_running_confirm(sched, job);
}

/* The job leaves; the policy may look at it once more. */
static void end_job(struct hs_sched *sched, struct hsi_job *job, struct hs_event *event)
{
    struct hs_job last = job->pub; /* with start and expected end as they were */

    if (job->pub.state == HS_JOB_PENDING) {
        hsi_queue_remove(sched, job);
        hsi_index_remove(sched, job);
        notify(sched, event);
    } else {
        struct hsi_block *block = hsi_block_of(job);

        hsi_running_stop(sched, job);
        last.alloc = &block->alloc; /* the block is on the free list, its content still there */
        event->job = &last;
        notify(sched, event);
    }
    event->job = NULL;
    hsi_shape_live(sched, job->pub.shape, -1);
    hsi_jobs_remove(sched, job);
}

static enum hs_err wrong_state(const struct hs_event *event, const char *what,
                               struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_STATE, "Job %" PRId64 " cannot have %s: it is %s.",
                        event->key.id, what, event->job ? "not in that state" : "not known");
}

/* The host's hint, if it is a live job of that key, else NULL. */
static struct hsi_job *hinted_job(const struct hs_sched *sched, const struct hs_job *hint,
                                  struct hs_job_key key)
{
    struct hsi_job *job;

    if (!hint || hint->slot >= sched->jobs.slot_room) {
        return NULL;
    }
    job = hsi_job_from(sched, hint);
    return job->pub.key.id == key.id && job->pub.key.submit_ns == key.submit_ns ? job : NULL;
}

static enum hs_err change_job(struct hs_sched *sched, struct hs_event *event,
                              const struct hs_job *hint, struct hs_error *error)
{
    struct hsi_job *job = hinted_job(sched, hint, event->key);

    if (!job) {
        job = hsi_jobs_find(sched, event->key);
    }

    event->job = job ? &job->pub : NULL;
    switch (event->kind) {
    case HS_EVENT_STARTED:
        if (!job || job->pub.state != HS_JOB_STARTING) {
            return wrong_state(event, "started", error);
        }
        confirm_start(sched, job);
        hsi_block_spare(sched);
        notify(sched, event);
        return HS_OK;
    case HS_EVENT_START_FAILED:
        if (!job || job->pub.state != HS_JOB_STARTING) {
            return wrong_state(event, "failed to start", error);
        }
        hsi_running_stop(sched, job);
        hsi_queue_insert(sched, job);
        notify(sched, event);
        break;
    case HS_EVENT_EXPECTED:
        if (!job || job->pub.state != HS_JOB_RUNNING) {
            return wrong_state(event, "another expected end", error);
        }
        if (event->expected_end_ns < sched->now) {
            return hs_error_set(error, HS_ERR_STATE,
                                "Job %" PRId64 " runs, and cannot be expected to end in the past.",
                                event->key.id);
        }
        hsi_running_expect(sched, job, event->expected_end_ns);
        notify(sched, event);
        break;
    case HS_EVENT_FINISHED:
        if (!job || job->pub.state != HS_JOB_RUNNING) {
            return wrong_state(event, "finished", error);
        }
        end_job(sched, job, event);
        sched->idle_passes = 0;
        sched->idle_wakes = 0;
        break;
    default:
        if (!job) {
            return wrong_state(event, "been cancelled", error);
        }
        end_job(sched, job, event);
        sched->idle_passes = 0;
        sched->idle_wakes = 0;
        break;
    }
    sched->is_dirty = true;
    return HS_OK;
}

/* A node leaves or comes back; what runs on it runs on. */
static enum hs_err change_node(struct hs_sched *sched, const struct hs_event *event,
                               struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(sched->cluster);

    if (event->node >= count) {
        return hs_error_set(error, HS_ERR_STATE,
                            "Node %" PRIu32 " cannot change: the cluster has %" PRIu32 " nodes.",
                            event->node, count);
    }
    if (hs_free_is_available(sched->free, event->node) == event->is_available) {
        return hs_error_set(error, HS_ERR_STATE, "Node '%s' cannot %s: it %s.",
                            hs_cluster_node(sched->cluster, event->node)->name,
                            event->is_available ? "come back" : "leave",
                            event->is_available ? "is there" : "is away already");
    }
    hs_free_set_available(sched->free, event->node, event->is_available);
    hsi_shapes_change_node(sched, event->node, event->is_available);
    hsi_running_change_node(sched, event->node, event->is_available);
    notify(sched, event);
    sched->is_dirty = true;
    sched->idle_passes = 0;
    sched->idle_wakes = 0;
    return HS_OK;
}

/* The jobs that the last decisions rejected leave now, and so do the allocations of those that they
 * preempted: the host has read them. */
static void forget_decisions(struct hs_sched *sched)
{
    hsi_running_forget(sched);
    while (sched->rejected != HSI_NONE) {
        struct hsi_job *job = hsi_job_at(sched, sched->rejected);

        sched->rejected = job->next;
        hsi_shape_live(sched, job->pub.shape, -1);
        hsi_jobs_remove(sched, job);
    }
}

enum hs_err hs_sched_event(struct hs_sched *sched, hs_time time, struct hs_event *event,
                           struct hs_error *error)
{
    const struct hs_job *hint = event->job;
    enum hs_err err = HS_OK;

    if (sched->is_dead || time < sched->now || time > sched->time_max) {
        return hs_error_set(error, HS_ERR_STATE, "%s",
                            sched->is_dead ? "The scheduler has stopped after an error."
                            : time < sched->now
                                ? "An event lies before the last one."
                                : "An event lies at no time that 64 bits can tell, counted from "
                                  "zero and from the first submission.");
    }
    forget_decisions(sched);
    if (time > sched->now) {
        sched->now = time;
        sched->idle_passes = 0;
    }
    hsi_queue_end(sched); /* a policy may have looked at the last event */
    event->job = NULL;
    event->refusal = NULL;
    switch (event->kind) {
    case HS_EVENT_SUBMITTED:
        err = submit(sched, event, error);
        if (err == HS_OK && event->job) {
            notify(sched, event);
            sched->is_dirty = true;
            sched->idle_passes = 0;
            sched->idle_wakes = 0;
        }
        break;
    case HS_EVENT_TIMER:
        notify(sched, event);
        sched->is_dirty = true;
        break;
    case HS_EVENT_NODE:
        err = change_node(sched, event, error);
        break;
    default:
        err = change_job(sched, event, hint, error);
        break;
    }
    sched->stats.events += err == HS_OK;
    return err;
}

bool hs_sched_wants_pass(const struct hs_sched *sched)
{
    return sched->is_dirty &&
           (sched->queue.count > 0 || (sched->is_preemptive && sched->running_count > 0));
}

static enum hs_err policy_error(struct hs_sched *sched, const char *reason, struct hs_error *error)
{
    char time_text[HS_TIME_TEXT_MAX];

    sched->is_dead = true;
    (void)hs_time_format(sched->now, time_text);
    return hs_error_set(error, HS_ERR_POLICY, "Policy '%s' at time %s s: %s.",
                        hs_stack_label(sched->stack), time_text, reason);
}

static void commit_entry(struct hs_sched *sched, struct hsi_plan_entry *entry,
                         struct hs_decision *decision)
{
    struct hsi_job *job = entry->job;

    *decision =
        (struct hs_decision){.id = sched->next_decision++, .key = job->pub.key, .job = &job->pub};
    switch (entry->kind) {
    case HSI_ENTRY_START:
        decision->kind = HS_DECISION_START;
        hsi_queue_remove(sched, job);
        break;
    case HSI_ENTRY_REJECT:
        decision->kind = HS_DECISION_REJECT;
        decision->reason = entry->reason;
        hsi_queue_remove(sched, job);
        job->next = sched->rejected;
        sched->rejected = job->pub.slot;
        break;
    case HSI_ENTRY_PREEMPT: /* it is in the queue since the plan was made */
        decision->kind = HS_DECISION_PREEMPT;
        decision->alloc = &entry->stop.block->alloc;
        decision->start_ns = entry->stop.start_ns;
        sched->stats.preemptions++;
        break;
    }
}

/* Turns the plan into decisions; started and rejected jobs leave the queue. */
static enum hs_err commit(struct hs_sched *sched, size_t *count, struct hs_error *error)
{
    struct hs_plan *plan = &sched->plan;
    size_t wanted = plan->count + 1;

    if (wanted > sched->decision_room) {
        struct hs_decision *moved = realloc(sched->decisions, 2 * wanted * sizeof *moved);

        if (!moved) {
            sched->is_dead = true;
            return hs_error_memory(error);
        }
        sched->decisions = moved;
        sched->decision_room = 2 * wanted;
    }
    *count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        commit_entry(sched, &plan->entries[i], &sched->decisions[(*count)++]);
    }
    if (plan->wake_ns != HS_TIME_NEVER) {
        sched->decisions[(*count)++] = (struct hs_decision){
            .id = sched->next_decision++, .kind = HS_DECISION_WAKE, .time_ns = plan->wake_ns};
    }
    sched->stats.decisions += (int64_t)*count;
    return HS_OK;
}

enum hs_err hs_sched_decide(struct hs_sched *sched, hs_time time,
                            const struct hs_decision **decisions, size_t *count,
                            struct hs_error *error)
{
    struct hs_plan *plan = &sched->plan;
    const struct hs_policy *policy;
    enum hs_err err;
    void *self;

    *count = 0;
    *decisions = sched->decisions;
    if (sched->is_dead || time != sched->now) {
        return hs_error_set(error, HS_ERR_STATE, "%s",
                            sched->is_dead ? "The scheduler has stopped after an error."
                                           : "A pass must be at the time of the last event.");
    }
    forget_decisions(sched);
    hsi_queue_end(sched);
    plan->count = 0;
    plan->wake_ns = HS_TIME_NEVER;
    policy = decider(sched, &self);
    policy->schedule(self, &sched->view, plan);
    sched->stats.passes++;
    sched->is_dirty = false;
    if (sched->is_key_broken) {
        char reason[96];

        (void)snprintf(reason, sizeof reason,
                       "job %" PRId64 ": its order gives a key that is no number",
                       sched->broken_key.id);
        return policy_error(sched, reason, error);
    }
    if (plan->is_broken) {
        return policy_error(sched, plan->problem.text, error);
    }
    if (++sched->idle_passes > IDLE_PASSES_MAX) {
        return policy_error(sched, "1000 passes at one instant and no job came or went", error);
    }
    err = commit(sched, count, error);
    hsi_queue_end(sched);
    sched->idle_wakes = sched->running_count ? 0 : sched->idle_wakes + 1;
    if (err == HS_OK && sched->idle_wakes > IDLE_WAKES_MAX) {
        return policy_error(
            sched, "jobs wait, nothing runs, and in 10000 passes it has started nothing", error);
    }
    *decisions = sched->decisions;
    return err;
}

enum hs_err hs_sched_check_stall(const struct hs_sched *sched, struct hs_error *error)
{
    const struct hsi_job *head;
    char time_text[HS_TIME_TEXT_MAX];
    char away[96] = "";

    if (!sched->queue.count || sched->running_count) {
        return HS_OK;
    }
    head = hsi_job_at(sched, sched->queue.first);
    (void)hs_time_format(sched->now, time_text);
    if (hs_free_away_count(sched->free)) {
        (void)snprintf(away, sizeof away, " %" PRIu32 " of %" PRIu32 " nodes are away.",
                       hs_free_away_count(sched->free), hs_cluster_node_count(sched->cluster));
    }
    return hs_error_set(error, HS_ERR_POLICY,
                        "Policy '%s' at time %s s: job %" PRId64 " and %" PRIu32
                        " others wait, nothing runs, and nothing is to come: the policy starts "
                        "none of them for ever.%s",
                        hs_stack_label(sched->stack), time_text, head->pub.key.id,
                        sched->queue.count - 1, away);
}

const struct hs_job *hs_sched_job(const struct hs_sched *sched, uint32_t slot)
{
    HS_ASSERT(slot < sched->jobs.slot_room);
    return &hsi_job_at(sched, slot)->pub;
}

const struct hs_job *hs_sched_find(const struct hs_sched *sched, struct hs_job_key key)
{
    const struct hsi_job *job = hsi_jobs_find(sched, key);

    return job ? &job->pub : NULL;
}

struct hs_sched_stats hs_sched_stats(const struct hs_sched *sched)
{
    struct hs_sched_stats stats = sched->stats;

    stats.pending_jobs = sched->queue.count;
    stats.pending_procs = sched->queue.procs;
    stats.running_jobs = sched->running_count - stats.starting_jobs;
    stats.nodes_looked = (int64_t)sched->free->looked_count;
    stats.avail_milli = hs_cluster_cores_milli(sched->cluster) - sched->free->hidden_cores_milli;
    stats.alloc_milli =
        stats.avail_milli - hs_free_total_cores_milli(sched->free) - sched->starting_milli;
    stats.away_nodes = sched->free->away_count;
    return stats;
}
