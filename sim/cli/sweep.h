/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.h - the parts of `hsim sweep`. */
#ifndef HSIM_CLI_SWEEP_H
#define HSIM_CLI_SWEEP_H

#include "sweep/sweep.h"

#define SWEEP_OVERRIDE_MAX 256
#define SWEEP_KEY_MAX      100000

enum sweep_progress { SWEEP_PROGRESS_NONE, SWEEP_PROGRESS_LINE, SWEEP_PROGRESS_JSON };

/* How the sweep shows what it does. */
struct sweep_show {
    enum sweep_progress progress;
    const char *again; /* command that computes one run again, but for its key */
    const struct sweep_axis *axes;
    size_t axis_count;
    double shown_s;
    bool is_shown; /* the line of progress stands on the terminal */
    bool is_quiet;
};

/* As the callback of a sweep_request; `context` is a struct sweep_show. */
void sweep_show_event(void *context, const struct sweep_event *event);
/* Clears the line. */
void sweep_show_end(struct sweep_show *show);
/* "easy, workload.load=0.9, replicate 3": what tells a row from the others. */
void sweep_show_row(FILE *file, const struct sweep_show *show, const struct sweep_row *row);
/* "3 h 05 min", "12 s"; "?" if it is not known. */
void sweep_show_time(double seconds, char text[32]);

/* hsim sweep status */
int sweep_status(int argc, char **argv);

#endif
