/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels.h - names beside points, such that none covers another, a point or the edge. */
#ifndef HSIM_PLOT_LABELS_H
#define HSIM_PLOT_LABELS_H

#include "hs/base.h"

/* Any unit of length, y upwards. */
struct plot_label {
    double x, y;          /* the point */
    double width, height; /* of the name; 0: a point without one */
    double left, bottom;  /* where the name is placed */
};

/* Something that a name should rather not lie on, such as a line. */
struct plot_obstacle {
    double left, bottom, right, top;
};

struct plot_area {
    double width, height; /* names lie from 0 to these */
    double point;         /* radius of a point */
    const struct plot_obstacle *obstacles;
    size_t obstacle_count;
};

/* Places each name at one of eight sides of its point, near or further away, and moves them while
 * that makes the sum of what they cover smaller. Equal points, equal places. The area of names,
 * points and beyond the edge that is still covered, without obstacles; 0: nothing is. */
double plot_labels_place(struct plot_label *labels, size_t count, const struct plot_area *area);

#endif
