/* SPDX-License-Identifier: MIT */
/* tree.c - treaps of waiting jobs, linked by slots.
 *
 * Under a static order a tree is sorted by the key; under an order that changes with time by the
 * walltime. The heap priorities are a hash of the sequence number (Seidel and Aragon, Algorithmica
 * 16, 1996), so the shape of a tree depends on nothing but the jobs. Each node knows the least
 * walltime of its subtree: "the first job with a walltime of at most x" descends without a false
 * step. Depths are logarithmic, so the functions recurse. What a node knows of its subtree is
 * recomputed from its children, two more lines to fetch, only where it cannot be told otherwise. */
#include "sched_internal.h"

static bool comes_before(const struct hs_sched *sched, const struct hsi_node *left,
                         const struct hsi_node *right)
{
    if (!sched->index.has_rate) {
        return hsi_node_before(left, right);
    }
    if (left->walltime_ns != right->walltime_ns) {
        return left->walltime_ns < right->walltime_ns;
    }
    return hsi_node_arrives_before(left, right);
}

static hs_time shortest(const struct hs_sched *sched, uint32_t root)
{
    return root == HSI_NONE ? HS_TIME_NEVER : hsi_node_at(sched, root)->shortest_ns;
}

/* Recomputes what a node knows of its subtree. */
static void update(struct hs_sched *sched, uint32_t slot)
{
    struct hsi_node *node = hsi_node_at(sched, slot);
    hs_time left = shortest(sched, node->left);
    hs_time right = shortest(sched, node->right);
    hs_time below = left < right ? left : right;

    node->shortest_ns = below < node->walltime_ns ? below : node->walltime_ns;
    if (sched->index.has_rate) {
        hsi_kinetic_update(sched, slot);
    }
}

/* The subtree of a node has got jobs, the shortest of this walltime. */
static void grow(struct hs_sched *sched, uint32_t slot, hs_time walltime)
{
    struct hsi_node *node = hsi_node_at(sched, slot);

    if (walltime < node->shortest_ns) {
        node->shortest_ns = walltime;
    }
    if (sched->index.has_rate) {
        hsi_kinetic_update(sched, slot);
    }
}

/* The subtree of a node has lost a job of this walltime. */
static void shrink(struct hs_sched *sched, uint32_t slot, hs_time walltime)
{
    if (sched->index.has_rate || hsi_node_at(sched, slot)->shortest_ns == walltime) {
        update(sched, slot);
    }
}

/* Into the nodes before and behind `pivot`. */
static void split(struct hs_sched *sched, uint32_t root, const struct hsi_node *pivot,
                  uint32_t *before, uint32_t *behind)
{
    struct hsi_node *node;

    if (root == HSI_NONE) {
        *before = *behind = HSI_NONE;
        return;
    }
    node = hsi_node_at(sched, root);
    if (comes_before(sched, node, pivot)) {
        split(sched, node->right, pivot, &node->right, behind);
        *before = root;
    } else {
        split(sched, node->left, pivot, before, &node->left);
        *behind = root;
    }
    update(sched, root);
}

/* All of `left` comes before all of `right`. */
static uint32_t merge(struct hs_sched *sched, uint32_t left, uint32_t right)
{
    struct hsi_node *left_node;
    struct hsi_node *right_node;

    if (left == HSI_NONE || right == HSI_NONE) {
        return left != HSI_NONE ? left : right;
    }
    left_node = hsi_node_at(sched, left);
    right_node = hsi_node_at(sched, right);
    if (left_node->weight > right_node->weight) {
        hs_time walltime = right_node->shortest_ns;

        left_node->right = merge(sched, left_node->right, right);
        grow(sched, left, walltime);
        return left;
    }
    right_node->left = merge(sched, left, right_node->left);
    grow(sched, right, left_node->shortest_ns);
    return right;
}

uint32_t hsi_tree_insert(struct hs_sched *sched, uint32_t root, uint32_t slot)
{
    struct hsi_node *own = hsi_node_at(sched, slot);
    struct hsi_node *node = root == HSI_NONE ? NULL : hsi_node_at(sched, root);

    if (!node || node->weight < own->weight) {
        split(sched, root, own, &own->left, &own->right);
        update(sched, slot);
        return slot;
    }
    if (comes_before(sched, own, node)) {
        node->left = hsi_tree_insert(sched, node->left, slot);
    } else {
        node->right = hsi_tree_insert(sched, node->right, slot);
    }
    grow(sched, root, own->walltime_ns);
    return root;
}

uint32_t hsi_tree_remove(struct hs_sched *sched, uint32_t root, uint32_t slot)
{
    const struct hsi_node *own = hsi_node_at(sched, slot);
    struct hsi_node *node = hsi_node_at(sched, root);

    if (root == slot) {
        return merge(sched, node->left, node->right);
    }
    if (comes_before(sched, own, node)) {
        node->left = hsi_tree_remove(sched, node->left, slot);
    } else {
        node->right = hsi_tree_remove(sched, node->right, slot);
    }
    shrink(sched, root, own->walltime_ns);
    return root;
}

/* The first job of a subtree that has one within the limit. */
static uint32_t first_within(struct hs_sched *sched, uint32_t root, hs_time limit)
{
    for (;;) {
        const struct hsi_node *node = hsi_node_at(sched, root);

        sched->stats.examined++;
        if (shortest(sched, node->left) <= limit && node->left != HSI_NONE) {
            root = node->left;
        } else if (node->walltime_ns <= limit) {
            return root;
        } else {
            root = node->right;
        }
    }
}

uint32_t hsi_tree_first(struct hs_sched *sched, uint32_t root, uint32_t after, hs_time limit)
{
    while (root != HSI_NONE && hsi_node_at(sched, root)->shortest_ns <= limit) {
        const struct hsi_node *node = hsi_node_at(sched, root);

        if (after == HSI_NONE) {
            return first_within(sched, root, limit);
        }
        sched->stats.examined++;
        if (comes_before(sched, hsi_node_at(sched, after), node)) {
            uint32_t found = hsi_tree_first(sched, node->left, after, limit);

            if (found != HSI_NONE) {
                return found;
            }
            if (node->walltime_ns <= limit) {
                return root;
            }
            after = HSI_NONE; /* all that follows is behind it */
        }
        root = node->right;
    }
    return HSI_NONE;
}
