/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_table.c - the results of `hsim run` as a table, as JSON, and the notes below. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/parts.h"
#include "cli/run_output.h"

/* A column of the table; `scale` turns the metric into what is shown. */
struct column {
    const char *title;
    const char *unit;
    const char *metric;
    double scale;
    int width;
    int decimals;
    bool is_optional; /* shown if a run has the metric */
};

static const struct column columns[] = {
    {"jobs", "", "jobs_measured", 1, 8, 0, false},
    {"wait", "mean s", "wait_mean_s", 1, 11, 1, false},
    {"wait", "p95 s", "wait_p95_s", 1, 10, 0, false},
    {"bsld", "mean", "bsld_mean", 1, 10, 2, false},
    {"bsld", "p95", "bsld_p95", 1, 10, 2, false},
    {"turnaround", "mean s", "turnaround_mean_s", 1, 12, 1, false},
    {"makespan", "s", "makespan_s", 1, 11, 0, false},
    {"util", "%", "util_alloc", 100, 6, 2, false},
    {"queue", "max", "queue_max_jobs", 1, 7, 0, false},
    {"preempted", "times", "preemptions", 1, 10, 0, true},
    {"gpu", "util %", "util_gpu", 100, 6, 2, true},
    {"fpga", "util %", "util_fpga", 100, 6, 2, true},
    {"npu", "util %", "util_npu", 100, 6, 2, true},
    {"energy", "kWh", "energy_total_j", 1 / 3.6e6, 10, 2, true},
    {"power", "peak kW", "power_peak_w", 1e-3, 9, 2, true},
    {"predicted", "accuracy", "predict_accuracy_mean", 1, 10, 3, true},
    {"too short", "% of jobs", "predict_under_share", 100, 10, 1, true},
    {"held", "% at full", "inflation_alloc", 100, 10, 2, true},
    {"fragmented", "% at full", "inflation_fragment", 100, 10, 2, true},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

static int label_width(const struct run_row *rows, size_t count)
{
    size_t width = strlen("policy");

    for (size_t i = 0; i < count; i++) {
        width = strlen(rows[i].label) > width ? strlen(rows[i].label) : width;
    }
    return (int)width;
}

/* The columns that the table has; the number of them. */
static int choose_columns(const struct run_row *rows, size_t count,
                          const struct column *chosen[COLUMN_COUNT])
{
    int chosen_count = 0;

    for (int c = 0; c < COLUMN_COUNT; c++) {
        bool is_shown = !columns[c].is_optional;

        for (size_t i = 0; !is_shown && i < count; i++) {
            is_shown = rows[i].is_done && rows[i].err == HS_OK &&
                       !isnan(result_summary_get(&rows[i].outcome.summary, columns[c].metric));
        }
        if (is_shown) {
            chosen[chosen_count++] = &columns[c];
        }
    }
    return chosen_count;
}

void run_print_table(const struct run_row *rows, size_t count)
{
    const struct column *chosen[COLUMN_COUNT];
    int column_count = choose_columns(rows, count, chosen);
    int width = label_width(rows, count);

    (void)printf("%-*s", width, "policy");
    for (int c = 0; c < column_count; c++) {
        (void)printf(" %*s", chosen[c]->width, chosen[c]->title);
    }
    (void)printf(" %8s\n%-*s", "CPU", width, "");
    for (int c = 0; c < column_count; c++) {
        (void)printf(" %*s", chosen[c]->width, chosen[c]->unit);
    }
    (void)printf(" %8s\n", "s");
    for (size_t i = 0; i < count; i++) {
        const struct run_row *row = &rows[i];

        if (!row->is_done) {
            continue;
        }
        (void)printf("%-*s", width, row->label);
        if (row->err != HS_OK) {
            (void)printf(" failed\n");
            continue;
        }
        for (int c = 0; c < column_count; c++) {
            double value = result_summary_get(&row->outcome.summary, chosen[c]->metric);

            if (isnan(value)) {
                (void)printf(" %*s", chosen[c]->width, "-");
            } else {
                (void)printf(" %*.*f", chosen[c]->width, chosen[c]->decimals,
                             value * chosen[c]->scale);
            }
        }
        (void)printf(" %8.2f%s\n", row->outcome.cpu_s,
                     row->outcome.report.is_interrupted ? "  interrupted" : "");
    }
}

static void print_json_string(const char *text)
{
    if (!text) {
        (void)fputs("null", stdout);
        return;
    }
    (void)putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            (void)printf("\\%c", *c);
        } else if (*c < 0x20) {
            (void)printf("\\u%04x", *c);
        } else {
            (void)putchar(*c);
        }
    }
    (void)putchar('"');
}

static void print_json_metrics(const struct result_summary *summary)
{
    (void)fputs("{", stdout);
    for (size_t i = 0; i < summary->metric_count; i++) {
        const struct result_metric *metric = &summary->metrics[i];

        (void)printf("%s\"%s\": ", i ? ", " : "", metric->name);
        if (isfinite(metric->value)) {
            (void)printf("%.17g", metric->value);
        } else {
            (void)fputs("null", stdout);
        }
    }
    (void)fputs("}", stdout);
}

static void print_json_workload(const struct workload_stats *stats)
{
    (void)printf(
        "{\"records\": %" PRId64 ", \"jobs\": %" PRId64 ", \"bad\": %" PRId64
        ", \"dropped\": %" PRId64 ", \"oversized\": %" PRId64 ", \"absent\": %" PRId64
        ", \"overrun\": %" PRId64 ", \"missing_request\": %" PRId64 ", \"zero_length\": %" PRId64
        ", \"cancellations\": %" PRId64 ", \"clairvoyant_estimates\": %s",
        stats->records, stats->jobs, stats->bad.count, stats->dropped.count, stats->oversized.count,
        stats->absent.count, stats->overrun.count, stats->missing.count, stats->zero.count,
        stats->cancelled.count, stats->is_clairvoyant ? "true" : "false");
    if (!isnan(stats->load_after)) {
        (void)printf(", \"load_before\": %.17g, \"load_after\": %.17g", stats->load_before,
                     stats->load_after);
    }
    (void)fputs("}", stdout);
}

void run_print_json(const struct run_row *rows, size_t count)
{
    bool is_first = true;

    (void)fputs("{\"runs\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        const struct run_row *row = &rows[i];

        if (!row->is_done) {
            continue;
        }
        (void)printf("%s\n  {\"policy\": ", is_first ? "" : ",");
        is_first = false;
        print_json_string(row->label);
        (void)fputs(", \"status\": ", stdout);
        print_json_string(row->err == HS_OK ? row->outcome.status : "failed");
        (void)fputs(", \"file\": ", stdout);
        print_json_string(row->outcome.file);
        if (row->err != HS_OK) {
            (void)fputs(", \"error\": ", stdout);
            print_json_string(row->error.text);
        }
        (void)printf(",\n   \"cpu_s\": %.6f, \"wall_s\": %.6f, \"events\": %" PRId64
                     ", \"passes\": %" PRId64 ", \"jobs_examined\": %" PRId64 ",\n   "
                     "\"schedule_digest\": ",
                     row->outcome.cpu_s, row->outcome.wall_s, row->outcome.report.events,
                     row->outcome.report.passes, row->outcome.report.jobs_examined);
        print_json_string(row->err == HS_OK ? row->outcome.summary.schedule_digest : NULL);
        (void)fputs(",\n   \"workload\": ", stdout);
        print_json_workload(&row->outcome.report.workload);
        (void)printf(", \"late_starts\": %" PRId64 ", \"late_s\": %.17g, \"unrecorded\": %" PRId64,
                     row->outcome.report.late.count, (double)row->outcome.report.late_ns / 1e9,
                     row->outcome.report.unrecorded);
        (void)fputs(",\n   \"metrics\": ", stdout);
        print_json_metrics(&row->outcome.summary);
        if (row->outcome.summary.classes) {
            (void)fputs(",\n   \"classes\": ", stdout);
            cli_parts_json(row->outcome.summary.classes, row->outcome.summary.class_count);
            (void)fputs(",\n   \"models\": ", stdout);
            cli_parts_json(row->outcome.summary.models, row->outcome.summary.model_count);
        }
        (void)fputs("}", stdout);
    }
    (void)fputs("\n]}\n", stdout);
}

/* "3 jobs have no requested time: line 7 job 5 (reason); ..." `one` is said of a single record. */
static void print_tally(FILE *file, const char *path, const char *one, const char *many,
                        const struct workload_tally *tally)
{
    int64_t shown = tally->count < 3 ? tally->count : 3;

    if (!tally->count) {
        return;
    }
    (void)fprintf(file, "%s: %" PRId64 " %s", path ? path : "workload", tally->count,
                  tally->count == 1 ? one : many);
    for (int64_t i = 0; i < shown; i++) {
        (void)fprintf(file, "%s", i ? "; " : ": ");
        if (tally->lines[i] > 0) {
            (void)fprintf(file, "line %" PRId64 " ", tally->lines[i]);
        }
        if (tally->trace_ids[i] >= 0) {
            (void)fprintf(file, "job %" PRId64 " ", tally->trace_ids[i]);
        }
        (void)fprintf(file, "(%s)", tally->reasons[i]);
    }
    (void)fprintf(file, "%s\n", tally->count > shown ? "; ..." : "");
}

static bool is_right(const struct run_row *row)
{
    return row->is_done && row->err == HS_OK;
}

static bool is_same_tally(const struct workload_tally *a, const struct workload_tally *b)
{
    bool is_same = a->count == b->count;

    for (int64_t i = 0; is_same && i < a->count && i < 3; i++) {
        is_same = a->trace_ids[i] == b->trace_ids[i] && a->lines[i] == b->lines[i];
    }
    return is_same;
}

/* Once if it is the same in all runs, else for each. */
static void print_rejected(FILE *file, const char *path, const struct run_row *rows, size_t count)
{
    const struct run_row *first = NULL;
    bool is_same = true;

    for (size_t i = 0; i < count; i++) {
        if (is_right(&rows[i])) {
            first = first ? first : &rows[i];
            is_same = is_same && is_same_tally(&first->outcome.report.rejected,
                                               &rows[i].outcome.report.rejected);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_right(&rows[i]) && (!is_same || &rows[i] == first)) {
            print_tally(file, is_same ? path : rows[i].label, "job was rejected",
                        "jobs were rejected", &rows[i].outcome.report.rejected);
        }
    }
}

/* How far a replay of recorded starts has missed them. */
static void print_late(FILE *file, const struct run_row *row)
{
    const struct simulation_report *report = &row->outcome.report;

    print_tally(file, row->label, "job started later than recorded",
                "jobs started later than recorded", &report->late);
    if (report->late.count) {
        (void)fprintf(file, "%s: they were %.17g s late in all\n", row->label,
                      (double)report->late_ns / 1e9);
    }
    if (report->unrecorded) {
        (void)fprintf(file, "%s: %" PRId64 " job%s no recorded start\n", row->label,
                      report->unrecorded, report->unrecorded == 1 ? " has" : "s have");
    }
}

/* Which load was scaled: `head` comes behind it, and so do rejections. */
static void print_load(FILE *file, const struct experiment *experiment,
                       const struct run_outcome *outcome)
{
    const struct workload_stats *stats = &outcome->report.workload;
    double replayed = result_summary_get(&outcome->summary, "offered_load");

    if (isnan(stats->load_after)) {
        return;
    }
    (void)fprintf(file, "offered load scaled from %.4f to %.4f", stats->load_before,
                  stats->load_after);
    if (experiment->workload.head > 0) {
        (void)fprintf(file, " (of all jobs, before head)");
    }
    if (isnan(replayed)) {
        (void)fprintf(file, "\n");
    } else {
        (void)fprintf(file, "; that of the jobs replayed is %.4f\n", replayed);
    }
}

void run_print_notes(FILE *file, const struct experiment *experiment, const struct run_row *rows,
                     size_t count)
{
    const char *path = experiment->workload_as_written;
    const struct run_outcome *outcome = NULL;
    const struct workload_stats *stats;

    for (size_t i = 0; i < count && !outcome; i++) {
        outcome = is_right(&rows[i]) ? &rows[i].outcome : NULL;
    }
    if (!outcome) {
        return;
    }
    stats = &outcome->report.workload;
    print_tally(file, path, "row could not be read and was left out",
                "rows could not be read and were left out", &stats->bad);
    print_tally(file, path, "record was left out", "records were left out", &stats->dropped);
    print_tally(file, path, "job is larger than the machine", "jobs are larger than the machine",
                &stats->oversized);
    print_tally(file, path, "job asks for what the platform has not",
                "jobs ask for what the platform has not", &stats->absent);
    print_rejected(file, path, rows, count);
    print_tally(file, path, "job ran longer than requested", "jobs ran longer than requested",
                &stats->overrun);
    print_tally(file, path, "job has no requested time", "jobs have no requested time",
                &stats->missing);
    print_tally(file, path, "job has a run time of zero", "jobs have a run time of zero",
                &stats->zero);
    print_tally(file, path, "job is cancelled by its user", "jobs are cancelled by their users",
                &stats->cancelled);
    print_tally(file, path, "submission was out of order and has been sorted",
                "submissions were out of order and have been sorted", &stats->unsorted);
    print_tally(file, path, "job counts as submitted when it was released",
                "jobs count as submitted when they were released", &stats->held);
    print_tally(file, path, "duration is not end - start", "durations are not end - start",
                &stats->conflict);
    print_tally(file, path, "job has a class that is not known, and counts as speeds.default",
                "jobs have classes that are not known, and count as speeds.default",
                &outcome->report.unknown_classes);
    print_tally(file, path, "row of speeds.class_map is met by no job",
                "rows of speeds.class_map are met by no job", &outcome->report.unmet_rows);
    if (*stats->unused_columns) {
        (void)fprintf(file, "%s: columns that say nothing to hsim: %s\n", path ? path : "workload",
                      stats->unused_columns);
    }
    if (stats->id_order.count) {
        (void)fprintf(file,
                      "%s: %" PRId64
                      " job id%s not ascend; `hsim trace validate` tells whether some "
                      "are used twice\n",
                      path ? path : "workload", stats->id_order.count,
                      stats->id_order.count == 1 ? " does" : "s do");
    }
    if (stats->is_clairvoyant) {
        (void)fprintf(file, "clairvoyant: estimates (where the request is missing it is the true "
                            "run time)\n");
    }
    for (size_t i = 0; i < count; i++) {
        if (is_right(&rows[i])) {
            print_late(file, &rows[i]);
        }
    }
    print_load(file, experiment, outcome);
}
