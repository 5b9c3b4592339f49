/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt_holds.h - what jobs hold of nodes or devices, laid out as boxes. Internal to the kind.
 *
 * A unit, a node or a device, takes up some rows of the chart. A job that holds all of it fills
 * them; of jobs that share a unit each gets a part of its height as large as its share, the lowest
 * that is free when it starts: which cores of a node a job has is not told by the simulation. */
#ifndef HSIM_PLOT_GANTT_HOLDS_H
#define HSIM_PLOT_GANTT_HOLDS_H

#include "plot/gantt_jobs.h"
#include "plot/window.h"

enum gantt_rows { GANTT_DEVICES, GANTT_CORES, GANTT_NODES, GANTT_ROWS_COUNT };
extern const char *const gantt_rows_names[GANTT_ROWS_COUNT];

struct gantt_units {
    enum gantt_rows rows;
    size_t count;
    int64_t *capacities; /* cores or devices, in thousandths */
    double *bottoms;     /* rows below each; [count]: of all */
};

/* What the request says, or devices where the first run has some, else cores, which are nodes where
 * each has one. */
enum hs_err gantt_rows_choose(const struct plot_request *request, const struct plot_runs *runs,
                              enum gantt_rows *rows, struct hs_error *error) HS_MUST_USE;
/* gantt_units_fini in any case. HS_ERR_CONFIG: allocations were not recorded, or no devices. */
enum hs_err gantt_units_read(const struct plot_run *run, enum gantt_rows rows,
                             struct gantt_units *units, struct hs_error *error) HS_MUST_USE;
void gantt_units_fini(struct gantt_units *units);

/* What holds are read for. */
struct gantt_scene {
    const struct gantt_units *units;
    const struct gantt_jobs *jobs;
    const struct gantt_colors *colors;
    const struct plot_window *window;
    hs_time last_ns; /* what did not end is held until then */
};
/* Adds the boxes of all holds to the canvas. */
enum hs_err gantt_holds_read(const struct plot_run *run, const struct gantt_scene *scene,
                             struct gantt_canvas *canvas, struct hs_error *error) HS_MUST_USE;

#endif
