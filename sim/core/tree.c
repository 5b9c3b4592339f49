/* SPDX-License-Identifier: MIT */
/* tree.c - treaps of waiting jobs, linked by slots.
 *
 * Under a static order a tree is sorted by the key; under an order that changes with time by the
 * walltime. The heap priorities are a hash of the sequence number (Seidel and Aragon, Algorithmica
 * 16, 1996), so the shape of a tree depends on nothing but the jobs. Each node knows the least
 * walltime of its subtree: "the first job with a walltime of at most x" descends without a false
 * step. Depths are logarithmic, so the functions recurse. */
#include "random.h"
#include "sched_internal.h"

static bool comes_before(const struct hs_sched *sched, const struct hsi_job *left,
                         const struct hsi_job *right)
{
    if (!hsi_has_rate(sched)) {
        return hsi_queue_compare(sched, left, right) < 0;
    }
    if (left->pub.walltime_ns != right->pub.walltime_ns) {
        return left->pub.walltime_ns < right->pub.walltime_ns;
    }
    return hsi_arrives_before(left, right);
}

static uint64_t weight(const struct hs_sched *sched, uint32_t slot)
{
    return hsi_mix64(hsi_job_at(sched, slot)->pub.sequence + 1);
}

static hs_time shortest(const struct hs_sched *sched, uint32_t root)
{
    return root == HSI_NONE ? HS_TIME_NEVER : hsi_node_at(sched, root)->shortest_ns;
}

/* Recomputes what a node knows of its subtree. */
static void update(struct hs_sched *sched, uint32_t slot)
{
    struct hsi_node *node = hsi_node_at(sched, slot);
    hs_time own = hsi_job_at(sched, slot)->pub.walltime_ns;
    hs_time left = shortest(sched, node->left);
    hs_time right = shortest(sched, node->right);
    hs_time below = left < right ? left : right;

    node->shortest_ns = below < own ? below : own;
    if (hsi_has_rate(sched)) {
        hsi_kinetic_update(sched, slot);
    }
}

/* Into the nodes before and behind `job`. */
static void split(struct hs_sched *sched, uint32_t root, const struct hsi_job *job,
                  uint32_t *before, uint32_t *behind)
{
    struct hsi_node *node;

    if (root == HSI_NONE) {
        *before = *behind = HSI_NONE;
        return;
    }
    node = hsi_node_at(sched, root);
    if (comes_before(sched, hsi_job_at(sched, root), job)) {
        split(sched, node->right, job, &node->right, behind);
        *before = root;
    } else {
        split(sched, node->left, job, before, &node->left);
        *behind = root;
    }
    update(sched, root);
}

/* All of `left` comes before all of `right`. */
static uint32_t merge(struct hs_sched *sched, uint32_t left, uint32_t right)
{
    if (left == HSI_NONE || right == HSI_NONE) {
        return left != HSI_NONE ? left : right;
    }
    if (weight(sched, left) > weight(sched, right)) {
        struct hsi_node *node = hsi_node_at(sched, left);

        node->right = merge(sched, node->right, right);
        update(sched, left);
        return left;
    }
    hsi_node_at(sched, right)->left = merge(sched, left, hsi_node_at(sched, right)->left);
    update(sched, right);
    return right;
}

uint32_t hsi_tree_insert(struct hs_sched *sched, uint32_t root, struct hsi_job *job)
{
    uint32_t slot = job->pub.slot;
    struct hsi_node *node;

    if (root == HSI_NONE || weight(sched, root) < weight(sched, slot)) {
        node = hsi_node_at(sched, slot);
        split(sched, root, job, &node->left, &node->right);
        update(sched, slot);
        return slot;
    }
    node = hsi_node_at(sched, root);
    if (comes_before(sched, job, hsi_job_at(sched, root))) {
        node->left = hsi_tree_insert(sched, node->left, job);
    } else {
        node->right = hsi_tree_insert(sched, node->right, job);
    }
    update(sched, root);
    return root;
}

uint32_t hsi_tree_remove(struct hs_sched *sched, uint32_t root, struct hsi_job *job)
{
    struct hsi_node *node = hsi_node_at(sched, root);

    if (root == job->pub.slot) {
        return merge(sched, node->left, node->right);
    }
    if (comes_before(sched, job, hsi_job_at(sched, root))) {
        node->left = hsi_tree_remove(sched, node->left, job);
    } else {
        node->right = hsi_tree_remove(sched, node->right, job);
    }
    update(sched, root);
    return root;
}

/* The first job of a subtree that has one within the limit. */
static struct hsi_job *first_within(struct hs_sched *sched, uint32_t root, hs_time limit)
{
    for (;;) {
        const struct hsi_node *node = hsi_node_at(sched, root);

        sched->stats.examined++;
        if (shortest(sched, node->left) <= limit && node->left != HSI_NONE) {
            root = node->left;
        } else if (hsi_job_at(sched, root)->pub.walltime_ns <= limit) {
            return hsi_job_at(sched, root);
        } else {
            root = node->right;
        }
    }
}

struct hsi_job *hsi_tree_first(struct hs_sched *sched, uint32_t root, const struct hsi_job *after,
                               hs_time limit)
{
    while (root != HSI_NONE && hsi_node_at(sched, root)->shortest_ns <= limit) {
        struct hsi_node *node = hsi_node_at(sched, root);
        struct hsi_job *job = hsi_job_at(sched, root);

        if (!after) {
            return first_within(sched, root, limit);
        }
        sched->stats.examined++;
        if (comes_before(sched, after, job)) {
            struct hsi_job *found = hsi_tree_first(sched, node->left, after, limit);

            if (found) {
                return found;
            }
            if (job->pub.walltime_ns <= limit) {
                return job;
            }
            after = NULL; /* all that follows is behind it */
        }
        root = node->right;
    }
    return NULL;
}
