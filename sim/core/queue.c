/* SPDX-License-Identifier: MIT */
/* queue.c - the waiting jobs in the order of the policy.
 *
 * All of them are in a list by (submit, sequence): the order of arrival. The index (index.c) serves
 * the other orders without looking at all jobs. A walk through the whole queue under an order whose
 * keys change with time ranks all jobs once in the pass: keys are computed, and a heap sorts as far
 * as asked. The plain mode ranks every order in this way: the reference that the index must equal.
 */
#include <math.h>
#include <stdlib.h>

#include "sched_internal.h"

bool hsi_arrives_before(const struct hsi_job *left, const struct hsi_job *right)
{
    if (left->pub.key.submit_ns != right->pub.key.submit_ns) {
        return left->pub.key.submit_ns < right->pub.key.submit_ns;
    }
    return left->pub.sequence < right->pub.sequence;
}

double hsi_queue_key(struct hs_sched *sched, const struct hsi_job *job)
{
    double key =
        hsi_order(sched)->key(sched->stack->parts[HS_KIND_ORDER].state, &sched->view, &job->pub);

    if (isnan(key)) { /* remembered: the next pass fails with it */
        sched->is_key_broken = true;
        sched->broken_key = job->pub.key;
        key = INFINITY;
    }
    return key;
}

static bool is_ranking(const struct hs_sched *sched)
{
    return !sched->queue.is_arrival && (sched->is_plain || hsi_order(sched)->is_time_varying);
}

/* Mostly at the end; a job that has held resources goes back to its old place, which may be near
 * either end: both are searched in turns. */
static void list_insert(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_queue *queue = &sched->queue;
    uint32_t after = queue->last;
    uint32_t before = queue->first;

    while (after != HSI_NONE && hsi_arrives_before(job, hsi_job_at(sched, after))) {
        after = hsi_job_at(sched, after)->previous;
        if (hsi_arrives_before(job, hsi_job_at(sched, before))) {
            after = hsi_job_at(sched, before)->previous;
            break;
        }
        before = hsi_job_at(sched, before)->next;
    }
    job->previous = after;
    job->next = after == HSI_NONE ? queue->first : hsi_job_at(sched, after)->next;
    if (after == HSI_NONE) {
        queue->first = job->pub.slot;
    } else {
        hsi_job_at(sched, after)->next = job->pub.slot;
    }
    if (job->next == HSI_NONE) {
        queue->last = job->pub.slot;
    } else {
        hsi_job_at(sched, job->next)->previous = job->pub.slot;
    }
}

static void list_remove(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_queue *queue = &sched->queue;

    if (job->previous == HSI_NONE) {
        queue->first = job->next;
    } else {
        hsi_job_at(sched, job->previous)->next = job->next;
    }
    if (job->next == HSI_NONE) {
        queue->last = job->previous;
    } else {
        hsi_job_at(sched, job->next)->previous = job->previous;
    }
}

static bool ranks_before(const struct hs_sched *sched, const struct hsi_ranked *left,
                         const struct hsi_ranked *right)
{
    if (left->key != right->key) {
        return left->key < right->key;
    }
    return hsi_arrives_before(hsi_job_at(sched, left->slot), hsi_job_at(sched, right->slot));
}

static void heap_sift(struct hs_sched *sched, uint32_t index)
{
    struct hsi_queue *queue = &sched->queue;
    struct hsi_ranked moving = queue->ranked[index];

    for (;;) {
        uint32_t child = 2 * index + 1;

        if (child >= queue->heap_count) {
            break;
        }
        if (child + 1 < queue->heap_count &&
            ranks_before(sched, &queue->ranked[child + 1], &queue->ranked[child])) {
            child++;
        }
        if (!ranks_before(sched, &queue->ranked[child], &moving)) {
            break;
        }
        queue->ranked[index] = queue->ranked[child];
        index = child;
    }
    queue->ranked[index] = moving;
}

/* Computes the keys of all waiting jobs and makes the heap. */
static void rank_begin(struct hs_sched *sched)
{
    struct hsi_queue *queue = &sched->queue;
    uint32_t count = 0;

    for (uint32_t slot = queue->first; slot != HSI_NONE;) {
        struct hsi_job *job = hsi_job_at(sched, slot);

        queue->ranked[count++] = (struct hsi_ranked){hsi_queue_key(sched, job), slot};
        slot = job->next;
    }
    queue->ranked_count = queue->heap_count = count;
    for (uint32_t i = count / 2; i-- > 0;) {
        heap_sift(sched, i);
    }
    queue->is_ranked = true;
}

/* The job of the given rank; takes from the heap as needed. NULL: no so many. */
static struct hsi_job *rank_at(struct hs_sched *sched, uint32_t rank)
{
    struct hsi_queue *queue = &sched->queue;

    if (!queue->is_ranked) {
        rank_begin(sched);
    }
    if (rank >= queue->ranked_count) {
        return NULL;
    }
    while (queue->ranked_count - queue->heap_count <= rank) {
        struct hsi_ranked top = queue->ranked[0];

        hsi_job_at(sched, top.slot)->rank = queue->ranked_count - queue->heap_count;
        queue->ranked[0] = queue->ranked[--queue->heap_count];
        if (queue->heap_count) {
            heap_sift(sched, 0);
        }
        queue->ranked[queue->heap_count] = top;
    }
    return hsi_job_at(sched, queue->ranked[queue->ranked_count - 1 - rank].slot);
}

/* The rank of a job that an index may have handed out before the ranking began. */
static uint32_t rank_of(struct hs_sched *sched, const struct hsi_job *job)
{
    uint32_t rank = 0;

    if (sched->queue.is_ranked) {
        return job->rank;
    }
    for (;; rank++) {
        const struct hsi_job *other = rank_at(sched, rank);

        if (!other || other == job) {
            return rank;
        }
    }
}

bool hsi_queue_reserve(struct hs_sched *sched)
{
    struct hsi_queue *queue = &sched->queue;
    uint32_t room = queue->ranked_room ? queue->ranked_room * 2 : 64;
    struct hsi_ranked *moved;

    if (!is_ranking(sched) || sched->jobs.live_count < queue->ranked_room) {
        return true;
    }
    moved = realloc(queue->ranked, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    queue->ranked = moved;
    queue->ranked_room = room;
    return true;
}

void hsi_queue_insert(struct hs_sched *sched, struct hsi_job *job)
{
    list_insert(sched, job);
    sched->queue.is_ranked = false;
    sched->queue.count++;
    sched->queue.procs += job->pub.procs;
    hsi_index_insert(sched, job);
}

/* The job has left the index when the plan decided on it, or leaves it now. */
void hsi_queue_remove(struct hs_sched *sched, struct hsi_job *job)
{
    list_remove(sched, job);
    sched->queue.is_ranked = false;
    sched->queue.count--;
    sched->queue.procs -= job->pub.procs;
}

struct hsi_job *hsi_queue_first(struct hs_sched *sched)
{
    if (sched->queue.is_arrival) {
        return sched->queue.first == HSI_NONE ? NULL : hsi_job_at(sched, sched->queue.first);
    }
    if (sched->is_plain || !hsi_index_is_kept(sched)) {
        return rank_at(sched, 0);
    }
    return hsi_index_first(sched);
}

struct hsi_job *hsi_queue_next(struct hs_sched *sched, struct hsi_job *job)
{
    if (sched->queue.is_arrival) {
        if (job->next == HSI_NONE) {
            return NULL;
        }
        job = hsi_job_at(sched, job->next);
        hsi_job_fetch(sched, job->next);
        return job;
    }
    if (!is_ranking(sched)) {
        return hsi_index_next(sched, job);
    }
    /* While the head is started again and again the best of the rest is the next one. */
    if (!sched->is_plain && hsi_index_is_kept(sched) && !sched->queue.is_ranked &&
        job->pub.state != HS_JOB_PENDING && job == sched->index.last) {
        return hsi_index_first(sched);
    }
    return rank_at(sched, rank_of(sched, job) + 1);
}

void hsi_queue_end(struct hs_sched *sched)
{
    sched->queue.is_ranked = false;
    sched->index.is_walking = false;
    sched->index.is_first = false;
    sched->index.last = NULL;
}

void hsi_queue_fini(struct hs_sched *sched)
{
    free(sched->queue.ranked);
}
