/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_show.c - what a sweep shows while it works: a line on the terminal, or lines of JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/sweep.h"

#define PERIOD_S 0.2

void sweep_show_time(double seconds, char text[32])
{
    long long whole = isfinite(seconds) && seconds < 1e12 ? llround(seconds) : -1;

    if (whole < 0) {
        (void)snprintf(text, 32, "?");
    } else if (whole < 60) {
        (void)snprintf(text, 32, "%lld s", whole);
    } else if (whole < 3600) {
        (void)snprintf(text, 32, "%lld min %02lld s", whole / 60, whole % 60);
    } else {
        (void)snprintf(text, 32, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    }
}

void sweep_show_row(FILE *file, const struct sweep_show *show, const struct sweep_row *row)
{
    (void)fputs(row->policy, file);
    for (size_t i = 0; i < show->axis_count; i++) {
        if (row->values[i].text) {
            (void)fprintf(file, ", %s=%s", show->axes[i].key, row->values[i].text);
        }
    }
    (void)fprintf(file, ", seed %" PRIu64, row->seed);
}

void sweep_show_end(struct sweep_show *show)
{
    if (show->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        show->is_shown = false;
    }
}

/* A sentence on standard error, above the line of progress. */
static void tell_failure(struct sweep_show *show, const struct sweep_event *event)
{
    sweep_show_end(show);
    (void)fprintf(stderr, "hsim: failed: run %s (", event->row->key);
    sweep_show_row(stderr, show, event->row);
    (void)fprintf(stderr, "): %s\n", event->error);
    if (show->again) {
        (void)fprintf(stderr, "hsim: again: %s %s\n", show->again, event->row->key);
    }
}

static void tell_loss(struct sweep_show *show, const struct sweep_event *event)
{
    sweep_show_end(show);
    (void)fprintf(stderr, "hsim: warning: %s The run is computed again.\n", event->error);
}

static void tell_stop(struct sweep_show *show, const struct sweep_event *event)
{
    sweep_show_end(show);
    (void)fprintf(stderr,
                  "hsim: stopping: the %zu running %s finish; interrupt once more to end them "
                  "now\n",
                  event->counts->running, event->counts->running == 1 ? "run may" : "runs may");
}

static void show_line(struct sweep_show *show, const struct sweep_event *event)
{
    const struct sweep_counts *counts = event->counts;
    char left[32];

    if (show->progress != SWEEP_PROGRESS_LINE || show->is_quiet ||
        (event->kind == SWEEP_TICK && counts->elapsed_s - show->shown_s < PERIOD_S)) {
        return;
    }
    show->shown_s = counts->elapsed_s;
    show->is_shown = true;
    if (event->kind == SWEEP_MERGES) {
        (void)fprintf(stderr, "\r\033[K%zu of %zu runs, merging", counts->finished, counts->runs);
    } else {
        (void)fprintf(stderr, "\r\033[K%zu of %zu runs, %zu running", counts->finished,
                      counts->runs, counts->running);
        if (counts->failed > 0) {
            (void)fprintf(stderr, ", %zu failed", counts->failed);
        }
        if (isfinite(counts->left_s)) {
            sweep_show_time(counts->left_s, left);
            (void)fprintf(stderr, ", %s left", left);
        }
    }
    (void)fflush(stderr);
}

static void show_json(const struct sweep_show *show, const struct sweep_event *event)
{
    static const char *const names[] = {
        [SWEEP_BEGINS] = "begin", [SWEEP_RUN_ENDS] = "run", [SWEEP_RUN_LOST] = "lost",
        [SWEEP_STOPS] = "stop",   [SWEEP_TICK] = "tick",    [SWEEP_MERGES] = "merge",
        [SWEEP_ENDS] = "end",
    };
    const struct sweep_counts *counts = event->counts;

    if (show->progress != SWEEP_PROGRESS_JSON || event->kind == SWEEP_TICK) {
        return;
    }
    printf(
        "{\"event\": \"%s\", \"runs\": %zu, \"finished\": %zu, \"failed\": %zu, \"running\": %zu, "
        "\"left\": %zu, \"left_s\": ",
        names[event->kind], counts->runs, counts->finished, counts->failed, counts->running,
        counts->left);
    cli_json_number(stdout, counts->left_s);
    if (event->row) {
        printf(", \"key\": \"%s\", \"policy\": ", event->row->key);
        cli_json_string(stdout, event->row->policy);
        printf(", \"seed\": %" PRIu64 ", \"replicate\": %" PRId64, event->row->seed,
               event->row->replicate);
    }
    if (event->timing) {
        printf(", \"status\": \"%s\", \"wall_s\": %.3f, \"cpu_s\": %.3f, \"rss_bytes\": %" PRId64,
               event->timing->status, event->timing->wall_s, event->timing->cpu_s,
               event->timing->rss_bytes);
    }
    if (event->kind == SWEEP_ENDS) { /* what it cost to get the work done */
        struct rusage usage = {0};

        (void)getrusage(RUSAGE_SELF, &usage);
        printf(", \"elapsed_s\": %.3f, \"work_cpu_s\": %.3f, \"child_cpu_s\": %.3f, "
               "\"parent_cpu_s\": %.3f",
               counts->elapsed_s, counts->work_cpu_s, counts->child_cpu_s,
               (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    }
    if (event->error) {
        fputs(", \"error\": ", stdout);
        cli_json_string(stdout, event->error);
    }
    puts("}");
    (void)fflush(stdout);
}

void sweep_show_event(void *context, const struct sweep_event *event)
{
    struct sweep_show *show = context;

    if (event->kind == SWEEP_RUN_ENDS && event->error) {
        tell_failure(show, event);
    } else if (event->kind == SWEEP_RUN_LOST) {
        tell_loss(show, event);
    } else if (event->kind == SWEEP_STOPS) {
        tell_stop(show, event);
    }
    show_json(show, event);
    show_line(show, event);
}
