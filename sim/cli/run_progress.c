/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_progress.c - one line of progress on the terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/run_output.h"

#define PERIOD_S 0.2

static double now_s(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void run_progress_begin(struct run_progress *progress, const char *label)
{
    *progress = (struct run_progress){.label = label, .started_s = now_s(), .shown_s = now_s()};
}

void run_progress_show(void *context, int64_t jobs_done, hs_time now, double share)
{
    struct run_progress *progress = context;
    double time = now_s();
    double elapsed = time - progress->started_s;

    if (time - progress->shown_s < PERIOD_S || elapsed <= 0) {
        return;
    }
    progress->shown_s = time;
    progress->is_shown = true;
    (void)fprintf(stderr, "\r\033[K%s: %" PRId64 " jobs, %.0f jobs/s, day %.1f of the trace",
                  progress->label, jobs_done, (double)jobs_done / elapsed, (double)now / 86400e9);
    if (share > 0 && share <= 1) {
        (void)fprintf(stderr, ", %.0f %%, %.0f s left", 100 * share, elapsed * (1 - share) / share);
    }
    (void)fflush(stderr);
}

void run_progress_end(struct run_progress *progress)
{
    if (progress->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}
