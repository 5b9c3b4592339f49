/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front.c - the Pareto front of points by one pass over them in order. */
#include "plot/front.h"

#include <math.h>
#include <stdlib.h>

/* Of points in which less is better: by x, then by y. */
static int compare_points(const void *left, const void *right)
{
    const struct plot_front_point *a = left;
    const struct plot_front_point *b = right;

    if (a->x < b->x || a->x > b->x) {
        return a->x < b->x ? -1 : 1;
    }
    return (a->y > b->y) - (a->y < b->y);
}

static void flip(struct plot_front_point *points, size_t count, int x_sign, int y_sign)
{
    for (size_t i = 0; i < count; i++) {
        points[i].x *= x_sign;
        points[i].y *= y_sign;
    }
}

size_t plot_front_find(struct plot_front_point *points, size_t count, int x_sign, int y_sign)
{
    double least = INFINITY; /* y of all with a smaller x */
    size_t found = 0;
    size_t begin = 0;

    if (count == 0) {
        return 0;
    }
    flip(points, count, x_sign, y_sign);
    qsort(points, count, sizeof *points, compare_points);
    while (begin < count) {
        double best = points[begin].y; /* of all with this x */
        size_t end = begin;

        for (; end < count && points[end].x <= points[begin].x; end++) {
            points[end].is_front = best < least && points[end].y <= best;
            found += points[end].is_front;
        }
        least = fmin(least, best);
        begin = end;
    }
    flip(points, count, x_sign, y_sign);
    return found;
}
