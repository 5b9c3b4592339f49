/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_notes.c - what a reader of the figures has to know. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

#define FILES_SHOWN 6

static void add(struct compare_notes *notes, const char *format, ...) HS_PRINTF(2, 3);

static void add(struct compare_notes *notes, const char *format, ...)
{
    va_list arguments;

    HS_ASSERT(notes->count < sizeof notes->texts / sizeof notes->texts[0]);
    va_start(arguments, format);
    if (vasprintf(&notes->texts[notes->count], format, arguments) < 0) {
        notes->has_failed = true;
    } else {
        notes->count++;
    }
    va_end(arguments);
}

/* The runs of one stability, the first of them by name. */
static void add_files(const struct compare_report *report, struct compare_notes *notes,
                      enum result_stability stability, const char *text)
{
    char *files = NULL;
    size_t length = 0;
    size_t count = 0;
    FILE *stream = open_memstream(&files, &length);

    for (size_t i = 0; stream && i < report->set->run_count; i++) {
        const struct compare_run *run = &report->set->runs[i];

        if (run->stability == stability && !run->is_failed) {
            if (count < FILES_SHOWN) {
                (void)fprintf(stream, "%s%s", count ? "; " : "", run->name);
            }
            count++;
        }
    }
    if (stream && count > FILES_SHOWN) {
        (void)fprintf(stream, "; and %zu more", count - FILES_SHOWN);
    }
    if (!stream || fclose(stream) != 0) {
        notes->has_failed = true;
    } else {
        add(notes, "%s %s.", text, files);
    }
    free(files);
}

/* One trace is one sample, whatever is drawn from it. */
static void note_resampling(const struct compare_report *report, struct compare_notes *notes)
{
    const char *unit = compare_unit_names[report->unit];
    size_t blocks = 0;

    for (size_t i = 0; i < report->table->policy_count; i++) {
        blocks = report->cells[i].count > blocks ? report->cells[i].count : blocks;
    }
    if (blocks < STATS_INTERVAL_MIN) {
        add(notes, "Fewer than %d %s: no intervals.", STATS_INTERVAL_MIN, unit);
        return;
    }
    add(notes,
        "One trace is one sample. The intervals are BCa over its %zu %s, drawn with replacement "
        "%zu "
        "times (seed %llu), the same for all policies; the metrics are computed from the jobs of "
        "those that are drawn. They tell how much the figures hang on what happened to be in the "
        "trace, with the schedules as they are, and are no evidence for other traces or machines.",
        blocks, unit, report->design->resamples, (unsigned long long)report->design->seed);
}

static void note_size(const struct compare_report *report, struct compare_notes *notes)
{
    const struct compare_table *table = report->table;
    size_t copies;
    size_t fewest = SIZE_MAX;

    for (size_t i = 0; i < table->policy_count * report->set->metric_count; i++) {
        const struct stats_cell *cell = &report->cells[i];
        size_t count = i % table->policy_count == table->baseline || !table->is_paired
                           ? cell->count
                           : cell->pairs;

        fewest = count < fewest ? count : fewest;
    }
    notes->has_failed |= !compare_count_copies(report->set, &copies);
    if (table->runs_max == 1) {
        add(notes, "One run per policy: one trace is one sample, so the differences hold for this "
                   "workload and are no evidence beyond it. Cut disjoint windows "
                   "(workload.window) or generate workloads with several seeds.");
    } else if (compare_is_one_trace(report->set)) {
        add(notes, "All runs replay the same window of one trace, which is one sample: the "
                   "intervals tell nothing of other workloads. Cut disjoint windows "
                   "(workload.window).");
    }
    if (table->runs_max > 1 && copies > 0) {
        add(notes,
            "%zu run%s the very schedule of another run of the same policy, and n, intervals and p "
            "count %s nevertheless: what differs, a seed where a trace is replayed or a setting, "
            "changes nothing there. Copies are no sample.",
            copies, copies == 1 ? " has" : "s have", copies == 1 ? "it" : "them");
    }
    if (table->runs_max > 1 && fewest < STATS_INTERVAL_MIN) {
        add(notes, "Fewer than %d %s: single values, no interval and no test where that is so.",
            STATS_INTERVAL_MIN, table->is_paired ? "pairs" : "runs of a policy");
    }
}

/* Where the jobs of a run come from: the same numbers are drawn, or the same window is read. The
 * caller frees. */
static char *origin_of(const struct compare_run *run)
{
    const struct compare_fact *seed = compare_find_fact(run, "seed");
    const struct compare_fact *model = compare_find_fact(run, "workload.generate.model");
    char *text = NULL;

    return asprintf(&text, "%s\t%s\t%s", seed ? seed->value : "", model ? model->value : "",
                    run->trace ? run->trace : "") < 0
               ? NULL
               : text;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A seed gives the same jobs at another load or for another interval. */
static void note_shared_jobs(const struct compare_report *report, struct compare_notes *notes)
{
    const struct compare_table *table = report->table;
    struct compare_run *const *runs = table->runs + table->baseline * table->columns;
    char **origins = calloc(table->columns + 1, sizeof *origins);
    size_t situations = 0;
    size_t workloads = 0;
    bool is_one = compare_is_one_trace(report->set); /* whatever the seeds */

    notes->has_failed = notes->has_failed || !origins;
    for (size_t i = 0; i < table->columns && !notes->has_failed; i++) {
        if (runs[i]) {
            origins[situations] = origin_of(runs[i]);
            notes->has_failed = !origins[situations];
            situations += origins[situations] != NULL;
        }
    }
    if (situations > 1) {
        qsort(origins, situations, sizeof *origins, compare_texts);
    }
    for (size_t i = 0; i < situations; i++) {
        workloads += i == 0 || strcmp(origins[i], origins[i - 1]) != 0;
    }
    if (table->is_paired && situations > workloads) {
        add(notes,
            "The %zu situations replay %zu workload%s (by %sfile and window) under different "
            "settings. Those of one workload are no independent samples, so intervals and p are "
            "too small: compare one setting at a time (--where KEY=VALUE), or settings with each "
            "other (--by KEY).",
            situations, is_one ? 1 : workloads, is_one || workloads == 1 ? "" : "s",
            is_one ? "" : "seed, ");
    }
    for (size_t i = 0; i < situations; i++) {
        free(origins[i]);
    }
    free(origins);
}

static void note_cells(const struct compare_report *report, struct compare_notes *notes)
{
    size_t policies = report->table->policy_count;
    bool has_gap = false;
    bool is_normal = false;

    for (size_t i = 0; i < policies * report->set->metric_count; i++) {
        const struct stats_cell *cell = &report->cells[i];

        has_gap = has_gap || (i % policies != report->table->baseline &&
                              !isnan(cell->difference.estimate) && isnan(cell->ratio.estimate));
        is_normal = is_normal || (!isnan(cell->p) && !cell->test.is_exact);
    }
    if (has_gap) {
        add(notes, "No ratio where a value is not above 0: it has no logarithm.");
    }
    if (is_normal) {
        add(notes, "With more than %d differences p is by the normal approximation.",
            STATS_WILCOXON_EXACT_MAX);
    }
}

/* The exact test of n differences has no p below 2^(1 - n): too few pairs cannot show anything. */
static void note_power(const struct compare_report *report, struct compare_notes *notes)
{
    size_t policies = report->table->policy_count;

    for (size_t m = 0; m < report->set->metric_count; m++) {
        const struct stats_cell *cells = report->cells + m * policies;
        size_t tests = 0;
        size_t most = 0;

        for (size_t i = 0; i < policies; i++) {
            tests += isnan(cells[i].p) ? 0 : 1;
            most = !isnan(cells[i].p) && cells[i].pairs > most ? cells[i].pairs : most;
        }
        if (tests > 0 && most < 50 &&
            (double)tests * ldexp(1, 1 - (int)most) > 1 - report->design->level) {
            add(notes,
                "p of %zu pairs is at least %.2g, and with Holm's correction over %zu polic%s the "
                "smallest cannot be below %.2g: more %s are needed to show a difference.",
                most, ldexp(1, 1 - (int)most), tests, tests == 1 ? "y" : "ies",
                fmin((double)tests * ldexp(1, 1 - (int)most), 1),
                compare_is_one_trace(report->set) ? "traces or windows" : "seeds");
            return;
        }
    }
}

/* Values that are missing although the run is not left out. */
static void note_missing(const struct compare_report *report, struct compare_notes *notes)
{
    size_t missing = 0;

    for (size_t i = 0; i < report->set->run_count; i++) {
        const struct compare_run *run = &report->set->runs[i];

        for (size_t m = 0; m < report->set->metric_count; m++) {
            missing +=
                !run->is_failed && run->stability != RESULT_UNSTABLE && isnan(run->values[m]);
        }
    }
    if (missing) {
        add(notes, "%zu value%s %s missing: the metric does not apply to the run.", missing,
            missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
    }
}

void compare_note(const struct compare_report *report, struct compare_notes *notes)
{
    const struct compare_table *table = report->table;

    if (report->unit != COMPARE_RUNS) {
        note_resampling(report, notes);
    } else {
        note_size(report, notes);
        note_shared_jobs(report, notes);
    }
    if (table->unstable) {
        add_files(report, notes, RESULT_UNSTABLE,
                  "Left out, since the backlog grows through the window (what is left of such a "
                  "policy are its easier workloads):");
    }
    if (table->unknown) {
        add_files(report, notes, RESULT_STABILITY_UNKNOWN,
                  "Written by an older hsim, so it is not known whether the backlog grows:");
    }
    if (report->set->interrupted) {
        add(notes, "%zu interrupted run%s of the folders %s left out.", report->set->interrupted,
            report->set->interrupted == 1 ? "" : "s", report->set->interrupted == 1 ? "is" : "are");
    }
    if (report->set->failed) {
        add(notes, "%zu run%s of the sweep failed and %s left out; `hsim inspect` shows why.",
            report->set->failed, report->set->failed == 1 ? "" : "s",
            report->set->failed == 1 ? "is" : "are");
    }
    if (table->gaps) {
        add(notes,
            "%zu run%s a counterpart under '%s' (or, being of it, under another policy), since the "
            "sweep leaves it out, or since a key differs that is itself to be compared (--by KEY); "
            "n and the mean of a policy take %s in, the difference does not.",
            table->gaps, table->gaps == 1 ? " lacks" : "s lack", table->policies[table->baseline],
            table->gaps == 1 ? "it" : "them");
    }
    note_missing(report, notes);
    note_cells(report, notes);
    note_power(report, notes);
    if (!table->is_paired && table->policy_count > 1) {
        add(notes, "Not paired: the workloads themselves differ between the samples, so a "
                   "difference need not come from the policy.");
    }
}

void compare_notes_fini(struct compare_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->texts[i]);
    }
    *notes = (struct compare_notes){0};
}
