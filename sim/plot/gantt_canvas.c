/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt_canvas.c - boxes, and the grid that takes their place. */
#include "plot/gantt_canvas.h"

#include <math.h>
#include <stdlib.h>

#define CELLS_PER_BOX 3 /* boxes are merged if they have fewer cells on average */

enum hs_err gantt_canvas_init(struct gantt_canvas *canvas, const struct figure *figure,
                              double begin, double end, double height, double panels,
                              struct hs_error *error)
{
    double rows = (double)figure_points_down(figure) / panels;

    *canvas = (struct gantt_canvas){.begin = begin, .end = end, .height = height};
    canvas->columns = figure_points_across(figure);
    canvas->rows = (size_t)fmax(1, fmin(rows, ceil(height)));
    canvas->box_max = canvas->columns * canvas->rows / CELLS_PER_BOX;
    canvas->boxes = calloc(canvas->box_max + 1, sizeof *canvas->boxes);
    canvas->cells =
        calloc(canvas->rows * canvas->columns * GANTT_COLORS_MAX, sizeof *canvas->cells);
    return canvas->boxes && canvas->cells ? HS_OK : hs_error_memory(error);
}

void gantt_canvas_fini(struct gantt_canvas *canvas)
{
    free(canvas->boxes);
    free(canvas->cells);
    *canvas = (struct gantt_canvas){0};
}

/* Length of what [low, high) and cell `index` have in common, in cells. */
static double common(double low, double high, size_t index)
{
    double from = fmax(low, (double)index);
    double to = fmin(high, (double)index + 1);

    return to > from ? to - from : 0;
}

static size_t limit(double value, size_t count)
{
    size_t index = value > 0 ? (size_t)value : 0;

    return index < count ? index : count;
}

/* Lays the box onto the grid. */
static void spread(struct gantt_canvas *canvas, const struct gantt_box *box)
{
    double across = (double)canvas->columns / (canvas->end - canvas->begin);
    double down = (double)canvas->rows / canvas->height;
    double x0 = (box->x0 - canvas->begin) * across;
    double x1 = (box->x1 - canvas->begin) * across;
    double y0 = box->y0 * down;
    double y1 = box->y1 * down;
    size_t column_end = limit(ceil(x1), canvas->columns);
    size_t row_end = limit(ceil(y1), canvas->rows);

    for (size_t row = limit(y0, canvas->rows); row < row_end; row++) {
        double part = common(y0, y1, row);
        float *cells = canvas->cells + row * canvas->columns * GANTT_COLORS_MAX + box->color;

        for (size_t column = limit(x0, canvas->columns); column < column_end; column++) {
            cells[column * GANTT_COLORS_MAX] += (float)(part * common(x0, x1, column));
        }
    }
}

void gantt_canvas_add(struct gantt_canvas *canvas, const struct gantt_box *box)
{
    struct gantt_box cut = *box;

    cut.x0 = fmax(cut.x0, canvas->begin);
    cut.x1 = fmin(cut.x1, canvas->end);
    if (!(cut.x1 > cut.x0) || !(cut.y1 > cut.y0)) {
        return;
    }
    if (canvas->box_count < canvas->box_max) {
        canvas->boxes[canvas->box_count] = cut;
    }
    canvas->box_count++;
    spread(canvas, &cut);
}

/* The colour of a cell; -1: it is rather free. */
static int cell_color(const struct gantt_canvas *canvas, size_t row, size_t column)
{
    const float *parts = canvas->cells + (row * canvas->columns + column) * GANTT_COLORS_MAX;
    float sum = 0;
    int most = 0;

    for (int i = 0; i < GANTT_COLORS_MAX; i++) {
        sum += parts[i];
        most = parts[i] > parts[most] ? i : most;
    }
    return sum >= 0.5F ? most : -1;
}

/* A row of cells as boxes, from `boxes` on; their number. */
static size_t cut_row(const struct gantt_canvas *canvas, size_t row, struct gantt_box *boxes)
{
    double across = (canvas->end - canvas->begin) / (double)canvas->columns;
    double down = canvas->height / (double)canvas->rows;
    size_t count = 0;

    for (size_t column = 0; column < canvas->columns;) {
        int color = cell_color(canvas, row, column);
        size_t first = column;

        while (column < canvas->columns && cell_color(canvas, row, column) == color) {
            column++;
        }
        if (color >= 0) {
            boxes[count++] = (struct gantt_box){.x0 = canvas->begin + (double)first * across,
                                                .x1 = canvas->begin + (double)column * across,
                                                .y0 = (double)row * down,
                                                .y1 = (double)(row + 1) * down,
                                                .color = color};
        }
    }
    return count;
}

enum hs_err gantt_canvas_merge(struct gantt_canvas *canvas, struct hs_error *error)
{
    struct gantt_box *boxes;
    size_t count = 0;
    size_t before = 0; /* where the boxes that end at this row begin */

    if (canvas->box_count <= canvas->box_max) {
        return HS_OK;
    }
    boxes = calloc(canvas->rows * canvas->columns + 1, sizeof *boxes);
    if (!boxes) {
        return hs_error_memory(error);
    }
    for (size_t row = 0; row < canvas->rows; row++) {
        size_t first = count;
        size_t last = count + cut_row(canvas, row, boxes + count);
        size_t above = before;

        /* Boxes of equal ends and colour in the row before grow by this row. */
        for (size_t i = first; i < last; i++) {
            while (above < first && boxes[above].x0 < boxes[i].x0) {
                above++;
            }
            if (above < first && boxes[above].x0 == boxes[i].x0 && boxes[above].x1 == boxes[i].x1 &&
                boxes[above].color == boxes[i].color) {
                boxes[i].y0 = boxes[above].y0;
                boxes[above].color = -1;
            }
        }
        count = last;
        before = first;
    }
    free(canvas->boxes);
    canvas->boxes = boxes;
    canvas->box_count = 0;
    canvas->is_merged = true;
    for (size_t i = 0; i < count; i++) {
        if (boxes[i].color >= 0) {
            boxes[canvas->box_count++] = boxes[i];
        }
    }
    return HS_OK;
}
