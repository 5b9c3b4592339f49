/* SPDX-License-Identifier: GPL-3.0-or-later */
/* level.h - a quantity that holds from one change until the next, reduced to what a picture shows.
 *
 * The time is cut into equal stretches, as many as can be told apart; of each the exact mean, the
 * least and the greatest value are known. As long as there are few changes they are kept, too, so
 * that a short run is drawn as it was. */
#ifndef HSIM_PLOT_LEVEL_H
#define HSIM_PLOT_LEVEL_H

#include "plot/runs.h"
#include "plot/window.h"

struct level_stretch {
    double sum; /* value x s; once the level is finished, the mean */
    double held_s;
    double least, greatest;
};

struct level {
    hs_time begin_ns, end_ns; /* what is shown */
    size_t stretch_count;
    struct level_stretch *stretches;
    size_t change_room;
    size_t change_count; /* more than change_room: they are not kept */
    hs_time *times_ns;
    double *values;
    hs_time now_ns; /* of the last change */
    double value;   /* since then */
    bool has_value;
    hs_time last_ns; /* where the level ends; after level_finish */
};

/* level_fini in any case. */
enum hs_err level_init(struct level *level, hs_time begin_ns, hs_time end_ns, size_t stretch_count,
                       struct hs_error *error) HS_MUST_USE;
void level_fini(struct level *level);
/* The value holds from `time_ns` on; times never decrease. */
void level_add(struct level *level, hs_time time_ns, double value);
/* The last value ends. */
void level_finish(struct level *level, hs_time time_ns);

/* After level_finish: are all changes kept? */
bool level_is_exact(const struct level *level);
/* Greatest value; NaN: there is none within what is shown. */
double level_highest(const struct level *level);
double level_highest_mean(const struct level *level); /* of the stretches; likewise */
/* Centre of a stretch, in s since `origin_ns`. */
double level_centre(const struct level *level, size_t stretch, hs_time origin_ns);

/* Rows of the level for a block of data: "time value" at each change where they are kept, with a
 * last row at the end, else "time mean least greatest" of each stretch. Times are in s since
 * `origin_ns`, values times `factor`. */
void level_put(const struct level *level, hs_time origin_ns, double factor, struct figure *figure);

/* First and last instant of the series of a run. HS_ERR_CONFIG: it was not recorded, with what to
 * do; *table is the series. */
enum hs_err level_span(const struct plot_run *run, const struct result_table **table,
                       hs_time *begin_ns, hs_time *end_ns, struct hs_error *error) HS_MUST_USE;
/* Reads columns of the series, each into its level, and finishes them. */
enum hs_err level_read(const struct plot_run *run, const size_t *columns, size_t count,
                       struct level *const *levels, struct hs_error *error) HS_MUST_USE;

/* Reads the sum of columns into one level. */
enum hs_err level_read_sum(const struct plot_run *run, const size_t *columns, size_t count,
                           struct level *level, struct hs_error *error) HS_MUST_USE;

/* The time that the series of all runs span together, or what the request says of it. */
enum hs_err level_window(const struct plot_request *request, const struct plot_runs *runs,
                         struct plot_window *window, struct hs_error *error) HS_MUST_USE;

#endif
