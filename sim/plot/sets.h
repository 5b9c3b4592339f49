/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sets.h - the runs behind a picture of many runs, gathered into lines and cells.
 *
 * A line is a policy (with what --by adds to its name). A cell is the runs of a line that differ in
 * nothing but what repeats an experiment: seed, trace, window. Its mean is over stable runs. */
#ifndef HSIM_PLOT_SETS_H
#define HSIM_PLOT_SETS_H

#include "compare/runs.h"
#include "plot/plot.h"

struct plot_cell {
    size_t line;
    struct compare_run **runs; /* one or more */
    size_t count;
};

struct plot_sets {
    struct compare_set set;
    const struct plot_request *request;
    double level;              /* of intervals */
    const char **lines;        /* labels, as the runs have them */
    const char **titles;       /* as they are drawn */
    size_t line_count;         /* at least 1 */
    struct compare_run **runs; /* sorted by cell */
    struct plot_cell *cells;   /* sorted by line */
    size_t cell_count;
    bool *is_used; /* by --label of the request */
};

/* A key of the experiment as an axis. */
struct plot_axis {
    const char *key;
    const char *unit; /* "s", "B", "1"; "": its values are words */
};

/* The mean of a cell. Its interval is NaN for fewer than STATS_INTERVAL_MIN values. */
struct plot_mean {
    struct stats_interval mean;
    size_t count;             /* values in it */
    size_t unstable, missing; /* runs that are left out, or that have no value */
};

/* Reads all files and folders of the request with these metrics ("a,b"; NULL: the usual ones), and
 * does what it asks for: --where, --by, --policy. Notes of the figure tell what is left out.
 * plot_sets_fini in any case. */
enum hs_err plot_sets_read(const struct plot_request *request, const char *metrics,
                           struct plot_sets *sets, struct figure *figure,
                           struct hs_error *error) HS_MUST_USE;
void plot_sets_fini(struct plot_sets *sets);

/* Gathers cells. `axes` are keys that always tell cells apart. */
enum hs_err plot_sets_gather(struct plot_sets *sets, const struct plot_axis *axes, size_t count,
                             struct hs_error *error) HS_MUST_USE;

/* HS_ERR_CONFIG: no run has the key; did you mean. */
enum hs_err plot_axis_find(struct plot_sets *sets, const char *key, struct plot_axis *axis,
                           struct hs_error *error) HS_MUST_USE;
/* As a number in the unit of the axis; NaN: the run does not have it, or it is a word. */
double plot_axis_value(const struct plot_axis *axis, const struct compare_run *run);
/* A key in which the runs of two cells of one line differ, NULL: none. */
const char *plot_cells_differ(const struct plot_cell *a, const struct plot_cell *b);
/* Such a key of some line that has several cells, NULL: none has. */
const char *plot_sets_mix(const struct plot_sets *sets);
/* Does the key have more than one value? */
bool plot_sets_varies(const struct plot_sets *sets, const char *key);
/* The key of numbers that has more than one value, beside what repeats an experiment; NULL: none,
 * or several. */
const char *plot_sets_only_varying(const struct plot_sets *sets);
/* Keys that have more than one value, as "a, b" for a message. Lives as the sets. */
const char *plot_sets_varying(struct plot_sets *sets);

/* False: no memory. */
bool plot_cell_mean(const struct plot_sets *sets, const struct plot_cell *cell, size_t metric,
                    struct plot_mean *mean);
/* Values of the stable runs, in their order, into `values` (room for all); how many. */
size_t plot_cell_values(const struct plot_cell *cell, size_t metric, double *values);

/* What is written at axes and legends: --label, else a title made of the documentation. */
const char *plot_metric_title(struct plot_sets *sets, size_t metric);
const char *plot_axis_title(struct plot_sets *sets, const char *key);
/* HS_ERR_CONFIG: a --label that names nothing in the picture. After all titles were asked for. */
enum hs_err plot_sets_check_labels(const struct plot_sets *sets,
                                   struct hs_error *error) HS_MUST_USE;

/* Counts of runs that are left out or lack a value, as a note. */
void plot_note_unstable(struct figure *figure, size_t unstable, const char *how);
void plot_note_missing(struct figure *figure, size_t missing);

#endif
