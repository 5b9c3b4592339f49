/* SPDX-License-Identifier: MIT */
/* kinetic.c - the best job of an order whose keys change with time.
 *
 * The keys of such an order sort as -(w + offset) / c: each job is a line in time, and the best job
 * is on the upper envelope. Two lines cross once at most, so a node of a tree keeps the best job of
 * its subtree and the time until which that is certain, and is looked at again only after that: a
 * kinetic tournament (Basch, Guibas and Hershberger, "Data structures for mobile data", J.
 * Algorithms 31, 1999). Where two lines are so close that rounding matters, the exact keys decide,
 * at every query. */
#include <math.h>

#include "sched_internal.h"

/* Relative: far above the rounding of keys and lines, far below what tells jobs apart. */
#define TOLERANCE    1e-12
#define NEARLY_EQUAL 1e-9

struct hsi_line hsi_kinetic_line(const struct hs_sched *sched, hs_time submit_ns, double rate)
{
    return (struct hsi_line){
        .height = (double)(sched->now - submit_ns) * 1e-9 + sched->index.rate_offset,
        .rate = rate,
    };
}

static struct hsi_line line_of(const struct hs_sched *sched, uint32_t slot)
{
    const struct hsi_node *node = hsi_node_at(sched, slot);

    return hsi_kinetic_line(sched, node->submit_ns, node->rate);
}

/* How far `left` is ahead of `right`, scaled by both rates; 0 if that is not certain. */
static double certain_gap(struct hsi_line left, struct hsi_line right)
{
    double ahead = left.height * right.rate;
    double behind = right.height * left.rate;
    double gap = ahead - behind;
    double tolerance = TOLERANCE * (fabs(ahead) + fabs(behind));

    return gap > tolerance ? gap - tolerance : gap < -tolerance ? gap + tolerance : 0;
}

static bool precedes_exactly(struct hs_sched *sched, uint32_t left, uint32_t right)
{
    double left_key = hsi_queue_key(sched, hsi_job_at(sched, left));
    double right_key = hsi_queue_key(sched, hsi_job_at(sched, right));

    return left_key != right_key
               ? left_key < right_key
               : hsi_node_arrives_before(hsi_node_at(sched, left), hsi_node_at(sched, right));
}

bool hsi_kinetic_before(struct hs_sched *sched, uint32_t left, struct hsi_line left_line,
                        uint32_t right, struct hsi_line right_line)
{
    double gap = certain_gap(left_line, right_line);

    return gap != 0 ? gap > 0 : precedes_exactly(sched, left, right);
}

/* Until when the better job is certain to stay so. */
static hs_time crossing(const struct hs_sched *sched, struct hsi_line high, struct hsi_line low)
{
    double gap = certain_gap(high, low);
    double seconds;

    if (low.rate == high.rate) {
        return HS_TIME_NEVER; /* parallel, and of one shape: the older stays ahead */
    }
    if (gap <= 0) {
        return sched->now;
    }
    if (low.rate > high.rate * (1 + NEARLY_EQUAL)) {
        return HS_TIME_NEVER; /* it falls behind */
    }
    if (low.rate > high.rate * (1 - NEARLY_EQUAL)) {
        return sched->now; /* nearly parallel: never certain */
    }
    seconds = gap / (high.rate - low.rate) * (1 - NEARLY_EQUAL);
    return seconds < 4e9 ? hsi_expected_end(sched->now, (hs_time)(seconds * 1e9)) : HS_TIME_NEVER;
}

void hsi_kinetic_update(struct hs_sched *sched, uint32_t slot)
{
    struct hsi_node *node = hsi_node_at(sched, slot);
    const uint32_t children[2] = {node->left, node->right};
    struct hsi_line best_line = line_of(sched, slot);
    hs_time expiry = HS_TIME_NEVER;
    uint32_t best = slot;

    for (int i = 0; i < 2; i++) {
        const struct hsi_node *child;
        struct hsi_line line;
        hs_time end;

        if (children[i] == HSI_NONE) {
            continue;
        }
        child = hsi_node_at(sched, children[i]);
        line = line_of(sched, child->best);
        if (hsi_kinetic_before(sched, child->best, line, best, best_line)) {
            end = crossing(sched, line, best_line);
            best = child->best;
            best_line = line;
        } else {
            end = crossing(sched, best_line, line);
        }
        expiry = end < expiry ? end : expiry;
        expiry = child->expiry_ns < expiry ? child->expiry_ns : expiry;
    }
    node->best = best;
    node->expiry_ns = expiry;
}

void hsi_kinetic_refresh(struct hs_sched *sched, uint32_t root)
{
    struct hsi_node *node;

    if (root == HSI_NONE || hsi_node_at(sched, root)->expiry_ns > sched->now) {
        return;
    }
    sched->stats.examined++;
    node = hsi_node_at(sched, root);
    hsi_kinetic_refresh(sched, node->left);
    hsi_kinetic_refresh(sched, node->right);
    hsi_kinetic_update(sched, root);
}

static uint32_t better_of(struct hs_sched *sched, uint32_t left, uint32_t right)
{
    if (left == HSI_NONE || right == HSI_NONE) {
        return left == HSI_NONE ? right : left;
    }
    return hsi_kinetic_before(sched, left, line_of(sched, left), right, line_of(sched, right))
               ? left
               : right;
}

uint32_t hsi_kinetic_best(struct hs_sched *sched, uint32_t root, hs_time limit)
{
    uint32_t best = HSI_NONE;

    /* Sorted by walltime: what is left of a node that is short enough is short enough. */
    while (root != HSI_NONE) {
        const struct hsi_node *node = hsi_node_at(sched, root);

        sched->stats.examined++;
        if (node->walltime_ns > limit) {
            root = node->left;
            continue;
        }
        best = better_of(sched, best, root);
        if (node->left != HSI_NONE) {
            hsi_kinetic_refresh(sched, node->left);
            best = better_of(sched, best, hsi_node_at(sched, node->left)->best);
        }
        root = node->right;
    }
    return best;
}
