/* SPDX-License-Identifier: MIT */
/* queue.c - the waiting jobs in the order of the policy.
 *
 * All waiting jobs are in a list by (submit, sequence): the order of arrival. An order with static
 * keys has a tree beside it: a treap whose heap priorities are a hash of the job's sequence number
 * (Seidel and Aragon, Algorithmica 16, 1996), so its shape depends on nothing but the jobs. An
 * order whose keys change with time is ranked in each pass, by a heap that sorts only as far as
 * asked. */
#include "sched_internal.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"

int hsi_queue_compare(const struct hsi_job *left, const struct hsi_job *right)
{
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    if (left->pub.key.submit_ns != right->pub.key.submit_ns) {
        return left->pub.key.submit_ns < right->pub.key.submit_ns ? -1 : 1;
    }
    return left->pub.sequence < right->pub.sequence ? -1 : left->pub.sequence > right->pub.sequence;
}

/* The order's key; one that is no number is remembered, and the next pass fails with it. */
static double key_of(struct hs_sched *sched, const struct hsi_job *job)
{
    double key =
        hsi_order(sched)->key(sched->stack->parts[HS_KIND_ORDER].state, &sched->view, &job->pub);

    if (isnan(key)) {
        sched->is_key_broken = true;
        sched->broken_key = job->pub.key;
        key = INFINITY;
    }
    return key;
}

static bool has_tree(const struct hs_sched *sched)
{
    const struct hs_order *order = hsi_order(sched);

    return order && !order->is_time_varying && !order->is_arrival;
}

static bool has_ranking(const struct hs_sched *sched)
{
    const struct hs_order *order = hsi_order(sched);

    return order && order->is_time_varying;
}

static bool arrives_before(const struct hsi_job *left, const struct hsi_job *right)
{
    if (left->pub.key.submit_ns != right->pub.key.submit_ns) {
        return left->pub.key.submit_ns < right->pub.key.submit_ns;
    }
    return left->pub.sequence < right->pub.sequence;
}

/* Mostly at the end; a job whose start failed goes back to its old place. */
static void list_insert(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_queue *queue = &sched->queue;
    uint32_t after = queue->last;

    while (after != HSI_NONE && arrives_before(job, hsi_job_at(sched, after))) {
        after = hsi_job_at(sched, after)->previous;
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

static uint64_t tree_weight(const struct hsi_job *job)
{
    return hsi_mix64(job->pub.sequence + 1);
}

/* Splits the tree at *link around `job` into its two subtrees. */
static void tree_split(struct hs_sched *sched, uint32_t root, struct hsi_job *job)
{
    uint32_t *smaller = &job->left;
    uint32_t *larger = &job->right;

    while (root != HSI_NONE) {
        struct hsi_job *node = hsi_job_at(sched, root);

        if (hsi_queue_compare(node, job) < 0) {
            *smaller = root;
            smaller = &node->right;
            root = node->right;
        } else {
            *larger = root;
            larger = &node->left;
            root = node->left;
        }
    }
    *smaller = HSI_NONE;
    *larger = HSI_NONE;
}

static void tree_insert(struct hs_sched *sched, struct hsi_job *job)
{
    uint32_t *link = &sched->queue.root;
    uint64_t weight = tree_weight(job);

    while (*link != HSI_NONE) {
        struct hsi_job *node = hsi_job_at(sched, *link);

        if (tree_weight(node) < weight) {
            break;
        }
        link = hsi_queue_compare(job, node) < 0 ? &node->left : &node->right;
    }
    tree_split(sched, *link, job);
    *link = job->pub.slot;
}

static void tree_remove(struct hs_sched *sched, struct hsi_job *job)
{
    uint32_t *link = &sched->queue.root;
    uint32_t left = job->left;
    uint32_t right = job->right;

    while (*link != job->pub.slot) {
        struct hsi_job *node = hsi_job_at(sched, *link);

        link = hsi_queue_compare(job, node) < 0 ? &node->left : &node->right;
    }
    while (left != HSI_NONE && right != HSI_NONE) {
        struct hsi_job *a = hsi_job_at(sched, left);
        struct hsi_job *b = hsi_job_at(sched, right);

        if (tree_weight(a) > tree_weight(b)) {
            *link = left;
            link = &a->right;
            left = a->right;
        } else {
            *link = right;
            link = &b->left;
            right = b->left;
        }
    }
    *link = left != HSI_NONE ? left : right;
}

/* The smallest job behind `after`, or of all (NULL). */
static struct hsi_job *tree_next(struct hs_sched *sched, const struct hsi_job *after)
{
    struct hsi_job *best = NULL;
    uint32_t root = sched->queue.root;

    while (root != HSI_NONE) {
        struct hsi_job *node = hsi_job_at(sched, root);

        if (!after || hsi_queue_compare(after, node) < 0) {
            best = node;
            root = node->left;
        } else {
            root = node->right;
        }
    }
    return best;
}

static bool ranks_before(const struct hs_sched *sched, const struct hsi_ranked *left,
                         const struct hsi_ranked *right)
{
    if (left->key != right->key) {
        return left->key < right->key;
    }
    return hsi_queue_compare(hsi_job_at(sched, left->slot), hsi_job_at(sched, right->slot)) < 0;
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

        job->key = key_of(sched, job);
        queue->ranked[count++] = (struct hsi_ranked){job->key, slot};
        slot = job->next;
    }
    queue->ranked_count = queue->heap_count = count;
    for (uint32_t i = count / 2; i-- > 0;) {
        heap_sift(sched, i);
    }
    queue->is_ranked = true;
}

void hsi_queue_begin(struct hs_sched *sched)
{
    if (has_ranking(sched) && !sched->queue.is_ranked) {
        rank_begin(sched);
    }
}

/* The job of the given rank; takes from the heap as needed. NULL: no so many. */
static struct hsi_job *rank_at(struct hs_sched *sched, uint32_t rank)
{
    struct hsi_queue *queue = &sched->queue;

    hsi_queue_begin(sched);
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

bool hsi_queue_reserve(struct hs_sched *sched)
{
    struct hsi_queue *queue = &sched->queue;
    uint32_t room = queue->ranked_room ? queue->ranked_room * 2 : 64;
    struct hsi_ranked *moved;

    if (!has_ranking(sched) || sched->jobs.live_count < queue->ranked_room) {
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
    job->key = 0;
    if (has_tree(sched)) {
        job->key = key_of(sched, job);
        tree_insert(sched, job);
    }
    list_insert(sched, job);
    sched->queue.count++;
    sched->queue.procs += job->pub.procs;
}

void hsi_queue_remove(struct hs_sched *sched, struct hsi_job *job)
{
    if (has_tree(sched)) {
        tree_remove(sched, job);
    }
    list_remove(sched, job);
    sched->queue.count--;
    sched->queue.procs -= job->pub.procs;
}

struct hsi_job *hsi_queue_first(struct hs_sched *sched)
{
    if (has_ranking(sched)) {
        return rank_at(sched, 0);
    }
    if (has_tree(sched)) {
        return tree_next(sched, NULL);
    }
    return sched->queue.first == HSI_NONE ? NULL : hsi_job_at(sched, sched->queue.first);
}

struct hsi_job *hsi_queue_next(struct hs_sched *sched, const struct hsi_job *job)
{
    if (has_ranking(sched)) {
        return rank_at(sched, job->rank + 1);
    }
    if (has_tree(sched)) {
        return tree_next(sched, job);
    }
    return job->next == HSI_NONE ? NULL : hsi_job_at(sched, job->next);
}

void hsi_queue_end(struct hs_sched *sched)
{
    sched->queue.is_ranked = false;
}

void hsi_queue_fini(struct hs_sched *sched)
{
    free(sched->queue.ranked);
}
