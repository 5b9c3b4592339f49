/* SPDX-License-Identifier: MIT */
/* plan.c - decisions under construction: each takes its resources at once; undo gives them back. */
#include "sched_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first problem counts. */
static void break_plan(struct hs_plan *plan, const struct hs_job *job, const char *reason)
{
    if (plan->is_broken) {
        return;
    }
    plan->is_broken = true;
    if (job) {
        (void)hs_error_set(&plan->problem, HS_ERR_POLICY, "job %" PRId64 ": %s", job->key.id,
                           reason);
    } else {
        (void)hs_error_set(&plan->problem, HS_ERR_POLICY, "%s", reason);
    }
}

static struct hsi_plan_entry *add_entry(struct hs_plan *plan, struct hsi_job *job,
                                        enum hsi_entry_kind kind)
{
    struct hsi_plan_entry *entry;

    if (plan->count == plan->room) {
        size_t room = plan->room ? plan->room * 2 : 64;
        struct hsi_plan_entry *moved = realloc(plan->entries, room * sizeof *moved);

        if (!moved) {
            break_plan(plan, NULL, "out of memory");
            return NULL;
        }
        plan->entries = moved;
        plan->room = room;
    }
    entry = &plan->entries[plan->count++];
    entry->kind = kind;
    entry->job = job;
    return entry;
}

/* The job if it may be decided on, else NULL and a broken plan. */
static struct hsi_job *waiting_job(struct hs_plan *plan, const struct hs_job *job)
{
    struct hsi_job *own;

    if (plan->is_broken) {
        return NULL;
    }
    if (!job) {
        break_plan(plan, NULL, "a decision names no job");
        return NULL;
    }
    own = hsi_job_from(plan->sched, job);
    if (own->pub.state != HS_JOB_PENDING || own->is_rejected) {
        break_plan(plan, job,
                   own->pub.state == HS_JOB_GONE ? "a job that has ended is decided on"
                   : own->is_rejected ? "it was rejected in this pass and is decided on again"
                                      : "it is started although it already holds resources");
        return NULL;
    }
    return own;
}

static bool start(struct hs_plan *plan, struct hsi_job *job, const struct hs_alloc *alloc)
{
    if (!add_entry(plan, job, HSI_ENTRY_START)) {
        return false;
    }
    if (!hsi_running_start(plan->sched, job, alloc)) {
        plan->count--;
        break_plan(plan, NULL, "out of memory");
        return false;
    }
    hsi_index_remove(plan->sched, job);
    return true;
}

bool hs_plan_start(struct hs_plan *plan, const struct hs_job *job)
{
    return hs_plan_start_within(plan, job, NULL);
}

bool hs_plan_start_within(struct hs_plan *plan, const struct hs_job *job, const uint64_t *part)
{
    struct hsi_job *own = waiting_job(plan, job);
    struct hs_sched *sched = plan->sched;

    if (!own) {
        return false;
    }
    if (hs_view_is_counted(&sched->view) && job->units > hs_view_free_units(&sched->view)) {
        return false;
    }
    if (!hs_free_place_within(sched->free, own->pub.demand, hs_view_placement(&sched->view), part,
                              &sched->buffer)) {
        return false;
    }
    return start(plan, own, &sched->buffer.alloc);
}

bool hs_plan_start_on(struct hs_plan *plan, const struct hs_job *job, const struct hs_alloc *alloc)
{
    struct hsi_job *own = waiting_job(plan, job);
    char reason[160];

    if (!own) {
        return false;
    }
    if (!alloc || (alloc->span_count && !alloc->spans) ||
        (alloc->device_count && !alloc->devices)) {
        break_plan(plan, job, "it is started on no allocation");
        return false;
    }
    if (!hs_free_holds(plan->sched->free, own->pub.demand, alloc, reason, sizeof reason)) {
        break_plan(plan, job, reason);
        return false;
    }
    return start(plan, own, alloc);
}

/* The job if it may be preempted, else NULL and a broken plan. */
static struct hsi_job *running_job(struct hs_plan *plan, const struct hs_job *job)
{
    if (plan->is_broken) {
        return NULL;
    }
    if (!job) {
        break_plan(plan, NULL, "a decision names no job");
        return NULL;
    }
    if (!plan->sched->is_preemptive) {
        break_plan(plan, job, "it is preempted, but the policy's flags lack HS_POLICY_PREEMPTS");
        return NULL;
    }
    if (job->state != HS_JOB_RUNNING) {
        break_plan(plan, job,
                   job->state == HS_JOB_GONE       ? "a job that has ended is decided on"
                   : job->state == HS_JOB_STARTING ? "it is preempted before its start is confirmed"
                                                   : "it is preempted although it does not run");
        return NULL;
    }
    return hsi_job_from(plan->sched, job);
}

bool hs_plan_preempt(struct hs_plan *plan, const struct hs_job *job)
{
    struct hsi_job *own = running_job(plan, job);
    struct hsi_plan_entry *entry = own ? add_entry(plan, own, HSI_ENTRY_PREEMPT) : NULL;

    if (!entry) {
        return false;
    }
    hsi_running_preempt(plan->sched, own, &entry->stop);
    hsi_queue_insert(plan->sched, own);
    return true;
}

bool hs_plan_reject(struct hs_plan *plan, const struct hs_job *job, const char *reason)
{
    struct hsi_job *own = waiting_job(plan, job);
    struct hsi_plan_entry *entry;

    if (own && own->was_preempted) {
        break_plan(plan, job, "it is rejected although it has run");
        return false;
    }
    entry = own ? add_entry(plan, own, HSI_ENTRY_REJECT) : NULL;
    if (!entry) {
        return false;
    }
    own->is_rejected = true;
    hsi_index_remove(plan->sched, own);
    (void)snprintf(entry->reason, sizeof entry->reason, "%s", reason ? reason : "");
    return true;
}

void hs_plan_wake(struct hs_plan *plan, hs_time time)
{
    if (time <= plan->sched->now) {
        break_plan(plan, NULL, "it asks to be woken at a time that is not in the future");
    } else if (time < plan->wake_ns) {
        plan->wake_ns = time;
    }
}

size_t hs_plan_mark(const struct hs_plan *plan)
{
    return plan->count;
}

void hs_plan_undo(struct hs_plan *plan, size_t mark)
{
    if (mark > plan->count) {
        break_plan(plan, NULL, "it goes back to a mark that its plan does not have");
    }
    while (plan->count > mark) {
        struct hsi_plan_entry *entry = &plan->entries[--plan->count];

        switch (entry->kind) {
        case HSI_ENTRY_PREEMPT:
            hsi_index_remove(plan->sched, entry->job);
            hsi_queue_remove(plan->sched, entry->job);
            hsi_running_resume(plan->sched, entry->job, &entry->stop);
            break;
        case HSI_ENTRY_START:
            hsi_running_stop(plan->sched, entry->job);
            hsi_index_insert(plan->sched, entry->job);
            break;
        case HSI_ENTRY_REJECT:
            entry->job->is_rejected = false;
            hsi_index_insert(plan->sched, entry->job);
            break;
        }
    }
}

void hs_plan_fail(struct hs_plan *plan, const char *reason)
{
    break_plan(plan, NULL, reason);
}
