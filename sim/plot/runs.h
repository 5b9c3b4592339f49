/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.h - the results of single runs that one figure shows, with their labels. */
#ifndef HSIM_PLOT_RUNS_H
#define HSIM_PLOT_RUNS_H

#include "plot/plot.h"
#include "result/reader.h"

struct plot_run {
    struct result_reader *reader;
    const char *path;
    char *label; /* for the legend: one line of text */
};

struct plot_runs {
    struct plot_run *list;
    const char **labels; /* the same ones, for figure_legend */
    size_t count;
};

/* Opens the files of the request, at most `max` of them. A label is what --label says of the policy
 * or of the file, else the policy; where two are equal, with the file. plot_runs_close in any case.
 * HS_ERR_INPUT as result_reader_open; HS_ERR_CONFIG: too many files, a label for none of them. */
enum hs_err plot_runs_open(const struct plot_request *request, size_t max, struct plot_runs *runs,
                           struct figure *figure, struct hs_error *error) HS_MUST_USE;
void plot_runs_close(struct plot_runs *runs);

#endif
