/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front.h - which points no other point beats in two metrics. */
#ifndef HSIM_PLOT_FRONT_H
#define HSIM_PLOT_FRONT_H

#include "hs/base.h"

struct plot_front_point {
    double x, y;
    bool is_front;
};

/* Marks the points that no other one dominates: as good in both, and better in one. `x_sign` and
 * `y_sign` are 1 where less is better, -1 where more is. Sorts the points by x, the better first;
 * equal points are all of the front, or none is. How many are. */
size_t plot_front_find(struct plot_front_point *points, size_t count, int x_sign, int y_sign);

#endif
