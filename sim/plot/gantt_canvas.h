/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt_canvas.h - boxes of a Gantt chart, as many as a picture can show.
 *
 * Boxes are kept as they come while they are few. At the same time they are laid onto a grid whose
 * cells are as large as the width of a line; of more boxes than can be told apart the grid is drawn
 * in their place: a cell that is held for at least half of its area and time gets the colour that
 * holds most of it, and neighbouring cells of one colour become one box. Internal to the kind. */
#ifndef HSIM_PLOT_GANTT_CANVAS_H
#define HSIM_PLOT_GANTT_CANVAS_H

#include "plot/figure.h"

#define GANTT_COLORS_MAX 8

/* What a job holds: from x0 to x1 (s since the origin) and from y0 to y1 (rows). */
struct gantt_box {
    double x0, x1, y0, y1;
    int64_t job; /* its number in the trace */
    int color;   /* from 0 */
};

struct gantt_canvas {
    double begin, end, height; /* x from begin to end, y from 0 to height */
    struct gantt_box *boxes;
    size_t box_max, box_count; /* box_count > box_max: they are not all kept */
    size_t columns, rows;      /* of the grid */
    bool is_merged;            /* the boxes are those of the grid, and of no single job */
    float *cells;              /* parts that are held: [row][column][color] */
};

/* gantt_canvas_fini in any case. `rows` is at most what the picture can show. */
enum hs_err gantt_canvas_init(struct gantt_canvas *canvas, const struct figure *figure,
                              double begin, double end, double height, double panels,
                              struct hs_error *error) HS_MUST_USE;
void gantt_canvas_fini(struct gantt_canvas *canvas);

/* Cuts the box at the ends of the canvas. */
void gantt_canvas_add(struct gantt_canvas *canvas, const struct gantt_box *box);

/* Replaces the boxes by those of the grid, if they are too many. */
enum hs_err gantt_canvas_merge(struct gantt_canvas *canvas, struct hs_error *error) HS_MUST_USE;

#endif
