/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels.c - a greedy placement of names, improved until nothing gets better. */
#include "plot/labels.h"

#include <math.h>

#define SIDES     8
#define DISTANCES 3
#define PASSES    20

/* A worse side costs this much of the area of a letter: right of the point is usual. */
#define SIDE_COST     0.02
#define OBSTACLE_COST 0.3 /* of its area, where that of names counts in full */

static double overlap(const struct plot_obstacle *a, const struct plot_obstacle *b)
{
    double width = fmin(a->right, b->right) - fmax(a->left, b->left);
    double height = fmin(a->top, b->top) - fmax(a->bottom, b->bottom);

    return width > 0 && height > 0 ? width * height : 0;
}

static struct plot_obstacle place_of(const struct plot_label *label)
{
    return (struct plot_obstacle){label->left, label->bottom, label->left + label->width,
                                  label->bottom + label->height};
}

/* What the name covers where it is. */
static double covered(const struct plot_label *labels, size_t count, size_t index,
                      const struct plot_area *area)
{
    struct plot_obstacle own = place_of(&labels[index]);
    struct plot_obstacle inside = {0, 0, area->width, area->height};
    double sum = labels[index].width * labels[index].height - overlap(&own, &inside);

    sum = sum > 1e-9 ? 2 * sum : 0; /* beyond the edge is worse than on another name */
    for (size_t i = 0; i < count; i++) {
        struct plot_obstacle point = {labels[i].x - area->point, labels[i].y - area->point,
                                      labels[i].x + area->point, labels[i].y + area->point};

        sum += overlap(&own, &point);
        if (i != index && labels[i].width > 0) {
            struct plot_obstacle other = place_of(&labels[i]);

            sum += overlap(&own, &other);
        }
    }
    return sum;
}

static double obstructed(const struct plot_label *label, const struct plot_area *area)
{
    struct plot_obstacle own = place_of(label);
    double sum = 0;

    for (size_t i = 0; i < area->obstacle_count; i++) {
        sum += overlap(&own, &area->obstacles[i]);
    }
    return sum;
}

/* Sides: right, left, above, below, and between. */
static void move(struct plot_label *label, int side, int distance, const struct plot_area *area)
{
    static const int across[SIDES] = {1, -1, 0, 0, 1, -1, 1, -1};
    static const int up[SIDES] = {0, 0, 1, -1, 1, 1, -1, -1};
    double gap = area->point * (1.3 + distance) * (up[side] && across[side] ? 0.8 : 1);

    label->left = across[side] > 0   ? label->x + gap
                  : across[side] < 0 ? label->x - gap - label->width
                                     : label->x - label->width / 2;
    label->bottom = up[side] > 0   ? label->y + gap
                    : up[side] < 0 ? label->y - gap - label->height
                                   : label->y - label->height / 2;
}

/* The best place of a name while the others stay; true: it has moved. */
static bool improve(struct plot_label *labels, size_t count, size_t index,
                    const struct plot_area *area)
{
    struct plot_label *label = &labels[index];
    double letter = label->height * label->height;
    struct plot_label before = *label;
    struct plot_label best = *label;
    double least = INFINITY;

    for (int distance = 0; distance < DISTANCES; distance++) {
        for (int side = 0; side < SIDES; side++) {
            double cost;

            move(label, side, distance, area);
            cost = covered(labels, count, index, area) + OBSTACLE_COST * obstructed(label, area) +
                   SIDE_COST * letter * (side + SIDES * distance);
            if (cost < least - 1e-9) {
                least = cost;
                best = *label;
            }
        }
    }
    *label = best;
    return fabs(best.left - before.left) + fabs(best.bottom - before.bottom) > 1e-9;
}

double plot_labels_place(struct plot_label *labels, size_t count, const struct plot_area *area)
{
    bool is_moving = true;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        /* Far from all others until it has its place. */
        labels[i].left = labels[i].bottom = -1e9;
    }
    for (int pass = 0; pass < PASSES && is_moving; pass++) {
        is_moving = false;
        for (size_t i = 0; i < count; i++) {
            if (labels[i].width > 0) {
                is_moving |= improve(labels, count, i, area);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        sum += labels[i].width > 0 ? covered(labels, count, i, area) : 0;
    }
    return sum;
}
