/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sets.c - reads the runs of a picture, and picks lines and cells. */
#include "plot/sets.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL_USUAL 0.95

/* ---- which runs */

/* A run and its number, to find the same one again. */
struct place {
    const struct compare_run *run;
    size_t index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int order = strcmp(x->run->path, y->run->path);

    order = order ? order : strcmp(x->run->label, y->run->label);
    order = order ? order : strcmp(x->run->situation, y->run->situation);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Failed runs have no values; two rows of a sweep may be one run, which counts once. */
static enum hs_err drop_runs(struct compare_set *set, struct hs_error *error)
{
    struct place *places = calloc(set->run_count + 1, sizeof *places);
    bool *is_dropped = calloc(set->run_count + 1, sizeof *is_dropped);
    size_t kept = 0;

    for (size_t i = 0; places && is_dropped && i < set->run_count; i++) {
        places[i] = (struct place){&set->runs[i], i};
        is_dropped[i] = set->runs[i].is_failed;
    }
    if (places && is_dropped) {
        qsort(places, set->run_count, sizeof *places, compare_places);
        for (size_t i = 1; i < set->run_count; i++) {
            struct place first = {places[i - 1].run, places[i].index};

            is_dropped[places[i].index] |= compare_places(&first, &places[i]) == 0;
        }
        for (size_t i = 0; i < set->run_count; i++) {
            if (!is_dropped[i]) {
                set->runs[kept++] = set->runs[i];
            }
        }
        set->run_count = kept;
    }
    free(places);
    free(is_dropped);
    return places && is_dropped ? HS_OK : hs_error_memory(error);
}

/* ---- lines */

/* The line of each run, in the order of the first runs. */
static enum hs_err list_lines(struct plot_sets *sets, struct hs_error *error)
{
    sets->lines = calloc(sets->set.run_count + 1, sizeof *sets->lines);
    sets->titles = calloc(sets->set.run_count + 1, sizeof *sets->titles);
    if (!sets->lines || !sets->titles) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < sets->set.run_count; i++) {
        size_t k = 0;

        while (k < sets->line_count && strcmp(sets->lines[k], sets->set.runs[i].label) != 0) {
            k++;
        }
        if (k == sets->line_count) {
            sets->lines[sets->line_count++] = sets->set.runs[i].label;
        }
    }
    return HS_OK;
}

/* Places the line `name` at `to`, before those that were not asked for. */
static enum hs_err pick_line(struct plot_sets *sets, const char *name, size_t to,
                             struct hs_error *error)
{
    const char *near;

    for (size_t i = 0; i < sets->line_count; i++) {
        if (strcmp(sets->lines[i], name) == 0) {
            const char *line = sets->lines[i];

            if (i < to) {
                return hs_error_set(error, HS_ERR_CONFIG, "--policy names '%s' twice.", name);
            }
            memmove(sets->lines + to + 1, sets->lines + to, (i - to) * sizeof *sets->lines);
            sets->lines[to] = line;
            return HS_OK;
        }
    }
    near = hs_nearest(name, sets->lines, sets->line_count);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "--policy names '%s', and no run has that policy%s%s%s The first one here "
                        "is '%s'.",
                        name, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "",
                        sets->lines[0]);
}

/* Runs in the order of their lines, which is then that of all lists; others are left out. */
static enum hs_err sort_runs(struct plot_sets *sets, struct hs_error *error)
{
    struct compare_set *set = &sets->set;
    struct compare_run *sorted = calloc(set->run_count + 1, sizeof *sorted);
    size_t count = 0;

    if (!sorted) {
        return hs_error_memory(error);
    }
    for (size_t line = 0; line < sets->line_count; line++) {
        for (size_t i = 0; i < set->run_count; i++) {
            if (strcmp(sets->lines[line], set->runs[i].label) == 0) {
                sorted[count++] = set->runs[i];
            }
        }
    }
    free(set->runs);
    set->runs = sorted;
    set->run_room = set->run_count + 1;
    set->run_count = count;
    return HS_OK;
}

static enum hs_err pick_lines(struct plot_sets *sets, const char *names, struct hs_error *error)
{
    size_t picked = 0;
    enum hs_err code = HS_OK;

    while (names && code == HS_OK) {
        size_t length = strcspn(names, ",");
        const char *name = text_arena_copy(&sets->set.arena, names, length);

        code = name ? pick_line(sets, name, picked, error) : hs_error_memory(error);
        picked++;
        names = names[length] ? names + length + 1 : NULL;
    }
    if (code == HS_OK && picked) {
        sets->line_count = picked;
    }
    return code == HS_OK ? sort_runs(sets, error) : code;
}

/* ---- labels */

/* What --label calls `name`; NULL: nothing. */
static const char *find_label(struct plot_sets *sets, const char *name)
{
    const struct plot_request *request = sets->request;
    size_t length = strlen(name);
    const char *found = NULL;

    for (size_t i = 0; i < request->label_count; i++) {
        const char *label = request->labels[i];

        if (strncmp(label, name, length) == 0 && label[length] == '=') {
            sets->is_used[i] = true;
            found = label + length + 1;
        }
    }
    return found;
}

const char *plot_metric_title(struct plot_sets *sets, size_t metric)
{
    static const char *const known[][2] = {
        {"makespan_s", "makespan"},
        {"util_alloc", "utilisation"},
        {"util_alloc_arrivals", "utilisation during arrivals"},
        {"util_alloc_measure", "utilisation"},
        {"util_avail", "utilisation of what is available"},
        {"offered_load", "offered load"},
        {"throughput_per_h", "throughput"},
        {"queue_mean_jobs", "mean queue length"},
        {"queue_max_jobs", "longest queue"},
        {"backlog_mean_procs", "mean backlog"},
        {"wait_weighted_s", "mean weighted wait"},
        {"bsld_weighted", "mean weighted bounded slowdown"},
        {"energy_total_j", "energy"},
        {"power_mean_w", "mean power"},
        {"power_peak_w", "peak power"},
        {"edp_js", "energy-delay product"},
    };
    const struct compare_metric *own = &sets->set.metrics[metric];
    const char *label = find_label(sets, own->name);
    size_t length;
    const char *title;

    for (size_t i = 0; !label && i < sizeof known / sizeof known[0]; i++) {
        label = strcmp(known[i][0], own->name) == 0 ? known[i][1] : NULL;
    }
    if (label) {
        return label;
    }
    /* "mean wait (start - submit)"; what is long explains and is no title. */
    length = own->doc ? strcspn(own->doc, "(:;,/") : 0;
    while (length > 0 && own->doc[length - 1] == ' ') {
        length--;
    }
    if (length == 0 || length > 40) {
        return own->name;
    }
    title = text_arena_copy(&sets->set.arena, own->doc, length);
    return title ? title : own->name;
}

const char *plot_axis_title(struct plot_sets *sets, const char *key)
{
    static const char *const known[][2] = {
        {"workload.load", "offered load"},
        {"workload.generate.load", "offered load"},
        {"workload.generate.jobs", "jobs"},
        {"platform.nodes", "nodes"},
        {"scheduler.interval", "scheduling interval"},
    };
    const char *label = find_label(sets, key);

    for (size_t i = 0; !label && i < sizeof known / sizeof known[0]; i++) {
        label = strcmp(known[i][0], key) == 0 ? known[i][1] : NULL;
    }
    return label ? label : key;
}

enum hs_err plot_sets_check_labels(const struct plot_sets *sets, struct hs_error *error)
{
    for (size_t i = 0; i < sets->request->label_count; i++) {
        const char *label = sets->request->labels[i];
        size_t length = strcspn(label, "=");
        char name[256];
        const char *near;

        if (length == 0 || !label[length] || !label[length + 1]) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--label is '%s'; NAME=TEXT is due, where NAME is a policy, a "
                                "metric or a key of the picture, as in --label easy=EASY.",
                                label);
        }
        if (!sets->is_used[i]) {
            (void)snprintf(name, sizeof name, "%.*s", (int)length, label);
            near = hs_nearest(name, sets->lines, sets->line_count);
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--label %s: the picture shows no policy, metric or key '%s'%s%s%s",
                                label, name, near ? "; did you mean '" : ".", near ? near : "",
                                near ? "'?" : "");
        }
    }
    return HS_OK;
}

/* ---- all of it */

void plot_note_unstable(struct figure *figure, size_t unstable, const char *how)
{
    if (unstable) {
        figure_note(figure,
                    "%zu run%s %s unstable: the backlog grows through the window, so that waits "
                    "tell how long the workload is. %s",
                    unstable, unstable == 1 ? "" : "s", unstable == 1 ? "is" : "are", how);
    }
}

void plot_note_missing(struct figure *figure, size_t missing)
{
    if (missing) {
        figure_note(figure, "%zu value%s %s missing: the metric does not apply to the run.",
                    missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
    }
}

/* What intervals and counts of runs do not say of a trace that is replayed with several seeds. */
static void note_copies(const struct compare_set *set, struct figure *figure)
{
    size_t copies;

    figure->has_failed |= !compare_count_copies(set, &copies);
    if (copies) {
        figure_note(figure,
                    "%zu run%s the very schedule of another run of the same policy and %s drawn "
                    "and counted nevertheless: what differs, a seed where a trace is replayed or a "
                    "setting, changes nothing there. Copies are no sample.",
                    copies, copies == 1 ? " has" : "s have", copies == 1 ? "is" : "are");
    } else if (set->run_count > 1 && compare_is_one_trace(set)) {
        figure_note(figure, "All runs replay the same window of one trace, which is one sample.");
    }
}

static void note_runs(const struct plot_sets *sets, struct figure *figure)
{
    size_t unknown = 0;

    for (size_t i = 0; i < sets->set.run_count; i++) {
        unknown += sets->set.runs[i].stability == RESULT_STABILITY_UNKNOWN;
    }
    if (unknown) {
        figure_note(figure,
                    "%zu run%s %s written by an older hsim, so it is not known whether the backlog "
                    "grows.",
                    unknown, unknown == 1 ? "" : "s", unknown == 1 ? "was" : "were");
    }
    note_copies(&sets->set, figure);
    if (sets->set.failed) {
        figure_note(figure,
                    "%zu run%s of the sweep failed and %s left out; `hsim inspect` shows why.",
                    sets->set.failed, sets->set.failed == 1 ? "" : "s",
                    sets->set.failed == 1 ? "is" : "are");
    }
    if (sets->set.interrupted) {
        figure_note(figure, "%zu interrupted run%s of the folders %s left out.",
                    sets->set.interrupted, sets->set.interrupted == 1 ? "" : "s",
                    sets->set.interrupted == 1 ? "is" : "are");
    }
}

enum hs_err plot_sets_read(const struct plot_request *request, const char *metrics,
                           struct plot_sets *sets, struct figure *figure, struct hs_error *error)
{
    enum hs_err code;

    *sets = (struct plot_sets){.request = request};
    sets->level = request->level > 0 ? request->level : LEVEL_USUAL;
    sets->is_used = calloc(request->label_count + 1, sizeof *sets->is_used);
    code =
        sets->is_used ? compare_choose_metrics(&sets->set, metrics, error) : hs_error_memory(error);
    for (size_t i = 0; code == HS_OK && i < request->path_count; i++) {
        code = compare_read(&sets->set, request->paths[i], error);
    }
    if (code == HS_OK) {
        compare_drop_metrics(&sets->set);
    }
    for (size_t i = 0; code == HS_OK && i < request->where_count; i++) {
        code = compare_filter(&sets->set, request->where[i], error);
    }
    if (code == HS_OK && request->by) {
        code = compare_split(&sets->set, request->by, error);
    }
    if (code == HS_OK) {
        code = drop_runs(&sets->set, error);
    }
    if (code == HS_OK) {
        code = list_lines(sets, error);
    }
    if (code == HS_OK) {
        code = pick_lines(sets, request->policy, error);
    }
    for (size_t i = 0; code == HS_OK && i < sets->line_count; i++) {
        const char *label = find_label(sets, sets->lines[i]);

        sets->titles[i] = label ? label : sets->lines[i];
    }
    if (code == HS_OK) {
        note_runs(sets, figure);
    }
    return code;
}

void plot_sets_fini(struct plot_sets *sets)
{
    free(sets->lines);
    free(sets->titles);
    free(sets->runs);
    free(sets->cells);
    free(sets->is_used);
    compare_fini(&sets->set);
    *sets = (struct plot_sets){0};
}
