/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt_jobs.h - the colour of each job of a Gantt chart, and the span of the runs. Internal to the
 * kind. */
#ifndef HSIM_PLOT_GANTT_JOBS_H
#define HSIM_PLOT_GANTT_JOBS_H

#include "plot/gantt_canvas.h"
#include "plot/runs.h"

enum gantt_by { GANTT_USER, GANTT_CLASS, GANTT_STATE, GANTT_BY_COUNT };
extern const char *const gantt_by_names[GANTT_BY_COUNT];

/* Of a run, by the id of the job. */
struct gantt_jobs {
    size_t count; /* ids are below it */
    struct gantt_job {
        int64_t trace_id;
        int64_t key; /* user, class or state; -1: not known */
        hs_time start_ns, end_ns;
        double cores;
    } * list;
    hs_time submit_ns, last_ns; /* first submission, last start or end of all */
};

/* What a colour means. */
struct gantt_colors {
    enum gantt_by by;
    int64_t keys[GANTT_COLORS_MAX];
    char names[GANTT_COLORS_MAX][64];
    size_t count;
    bool has_others; /* the last one is that of all others */
};

/* What the request says, or the first of user, class and state by which the first run tells jobs
 * apart. */
enum hs_err gantt_by_choose(const struct plot_request *request, const struct plot_runs *runs,
                            enum gantt_by *by, struct hs_error *error) HS_MUST_USE;

/* Reads /jobs; gantt_jobs_fini in any case. HS_ERR_CONFIG: the run does not have the column. */
enum hs_err gantt_jobs_read(const struct plot_run *run, enum gantt_by by, struct gantt_jobs *jobs,
                            struct hs_error *error) HS_MUST_USE;
void gantt_jobs_fini(struct gantt_jobs *jobs);

/* Colours for the keys whose jobs hold most core x time from `begin_ns` to `end_ns`, in the order
 * of the keys; what is left shares the last one. `jobs` are those of `runs`. */
enum hs_err gantt_colors_choose(const struct plot_runs *runs, const struct gantt_jobs *jobs,
                                enum gantt_by by, hs_time begin_ns, hs_time end_ns,
                                struct gantt_colors *colors, struct hs_error *error) HS_MUST_USE;
/* Index of the colour of a job, whose id may be any. */
int gantt_color(const struct gantt_colors *colors, const struct gantt_jobs *jobs, int64_t job);

#endif
