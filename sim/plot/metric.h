/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metric.h - the metrics of single jobs that can be drawn, and their values in a run. */
#ifndef HSIM_PLOT_METRIC_H
#define HSIM_PLOT_METRIC_H

#include "plot/runs.h"

struct plot_metric {
    const char *name;    /* as --metric takes it; also that of the column */
    const char *label;   /* of the axis */
    const char *unit;    /* "s", "J", "1" */
    const char *lacking; /* why a run may not have it; NULL: all have */
    enum result_job_column column;
    double least;   /* where a logarithmic axis begins; 0: at the smallest value */
    bool is_linear; /* usually */
};

enum hs_err plot_metric_find(const char *name, const struct plot_metric **metric,
                             struct hs_error *error) HS_MUST_USE;

/* Values of the measured jobs, in ascending order; jobs to which the metric does not apply are
 * counted in *missing. The caller frees. HS_ERR_CONFIG: not recorded, or no job has one. */
enum hs_err plot_metric_read(const struct plot_metric *metric, const struct plot_run *run,
                             double **values, size_t *count, size_t *missing,
                             struct hs_error *error) HS_MUST_USE;

#endif
