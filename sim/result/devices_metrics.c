/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices_metrics.c - the metrics of energy and of devices. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/devices.h"

#define TEXT_MAX    192
#define WORD_MAX    64 /* of a kind or model inside a text */
#define FIXED_COUNT 10 /* metrics of energy that do not depend on the platform */

/* The summary as it grows; texts follow one another in one block. */
struct appendix {
    struct result_summary *summary;
    char *next;
    int64_t jobs, points;
};

static const char *make_text(struct appendix *appendix, const char *format, ...) HS_PRINTF(2, 3);

static const char *make_text(struct appendix *appendix, const char *format, ...)
{
    char *text = appendix->next;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, TEXT_MAX, format, arguments);
    va_end(arguments);
    HS_ASSERT(length >= 0 && length < TEXT_MAX);
    appendix->next += length + 1;
    return text;
}

static void add(struct appendix *appendix, const char *name, const char *unit, const char *doc,
                double value, int64_t count)
{
    struct result_summary *summary = appendix->summary;

    summary->metrics[summary->metric_count++] =
        (struct result_metric){name, unit, doc, value, count};
}

static double joules(hs_int128 energy)
{
    return (double)energy / DEVICES_UW_NS_PER_J;
}

static void add_energy(struct appendix *appendix, const struct series *series,
                       const struct result_energy *energy, double makespan_s)
{
    hs_int128 total = energy->jobs + energy->uncharged;
    double window_s = (double)(series->now_ns - series->first_ns) / 1e9;
    int64_t points = appendix->points;

    add(appendix, "energy_total_j", "J",
        "energy of the platform, from the first submission to the last change of its state",
        joules(total), points);
    add(appendix, "energy_idle_j", "J", "of that, by nodes and devices that no job used",
        joules(energy->idle), points);
    add(appendix, "energy_context_j", "J",
        "of that, by nodes and devices in use, as much as they draw without load",
        joules(energy->context), points);
    add(appendix, "energy_busy_j", "J", "of that, because of the load", joules(energy->busy),
        points);
    add(appendix, "energy_off_j", "J", "of that, by nodes and devices that were switched off",
        joules(energy->off), points);
    add(appendix, "energy_jobs_j", "J", "of the total, charged to jobs", joules(energy->jobs),
        appendix->jobs);
    add(appendix, "energy_uncharged_j", "J", "of the total, charged to nobody",
        joules(energy->uncharged), points);
    add(appendix, "power_mean_w", "W", "total energy / that time",
        window_s > 0 ? joules(total) / window_s : NAN, points);
    add(appendix, "power_peak_w", "W", "highest power of the platform",
        (double)series->extras[0].highest / series->extras[0].unit, points);
    add(appendix, "edp_js", "J s", "energy-delay product: total energy x makespan",
        joules(total) * makespan_s, points);
}

static void add_energy_by_kind(struct appendix *appendix, const struct devices *devices)
{
    add(appendix, "energy_" DEVICES_CPU "_j", "J", "energy of the nodes without their devices",
        joules(devices->node_energy), appendix->points);
    for (size_t k = 0; k < devices->more.kind_count; k++) {
        const char *kind = devices->more.slots[k];
        hs_int128 sum = 0;

        for (size_t g = 0; g < devices->groups.count; g++) {
            sum += devices->groups.groups[g].kind_index == k ? devices->sums[g].energy : 0;
        }
        add(appendix, make_text(appendix, "energy_%.*s_j", WORD_MAX, kind), "J",
            make_text(appendix, "energy of the devices of kind %.*s", WORD_MAX, kind), joules(sum),
            appendix->points);
    }
}

/* Shares held / installed, over the makespan. */
static double utilisation(hs_int128 held, int64_t shares, double makespan_s)
{
    return makespan_s > 0 && shares > 0 ? (double)held / ((double)shares * makespan_s * 1e9) : NAN;
}

static void add_use(struct appendix *appendix, const struct devices *devices, double makespan_s)
{
    for (size_t k = 0; k < devices->more.kind_count; k++) {
        const char *kind = devices->more.slots[k];
        hs_int128 held = 0;

        for (size_t g = 0; g < devices->groups.count; g++) {
            held += devices->groups.groups[g].kind_index == k ? devices->sums[g].held : 0;
        }
        add(appendix, make_text(appendix, "util_%.*s", WORD_MAX, kind), "1",
            make_text(appendix,
                      "device time of kind %.*s given to jobs / installed, over the makespan",
                      WORD_MAX, kind),
            utilisation(held, devices->capacities[k], makespan_s), appendix->jobs);
        add(appendix, make_text(appendix, "alloc_%.*s_h", WORD_MAX, kind), "h",
            make_text(appendix, "device hours of kind %.*s given to jobs", WORD_MAX, kind),
            (double)held / (HS_SHARES_PER_UNIT * 3.6e12), appendix->jobs);
        for (size_t g = 0; g < devices->groups.count; g++) {
            const struct result_group *group = &devices->groups.groups[g];

            if (group->kind_index == k) {
                add(appendix,
                    make_text(appendix, "util_%.*s_%.*s", WORD_MAX, kind, WORD_MAX, group->model),
                    "1", make_text(appendix, "the same of the model %.*s", WORD_MAX, group->model),
                    utilisation(devices->sums[g].held, group->count * HS_SHARES_PER_UNIT,
                                makespan_s),
                    appendix->jobs);
            }
        }
    }
}

/* Means over the window of the series; of a kind, then of the models. */
static void add_fragments(struct appendix *appendix, const struct devices *devices,
                          const struct series *series)
{
    const struct result_series_more *more = &devices->more;
    double window_ns = (double)(series->now_ns - series->first_ns);

    for (size_t i = 0; i < more->slot_count; i++) {
        const char *slot = more->slots[i];
        double lost = (double)series_lost(series, more, i) / (double)more->mix_jobs;
        double installed = (double)devices->capacities[i] * window_ns;
        double free = (double)series_free(series, more, i);

        add(appendix, make_text(appendix, "frag_%.*s", RESULT_LABEL_MAX, slot), "1",
            make_text(appendix,
                      "share of the installed devices of %.*s that is free and of no use to the "
                      "mix, mean over time",
                      WORD_MAX, slot),
            installed > 0 ? lost / installed : NAN, appendix->points);
        add(appendix, make_text(appendix, "frag_%.*s_of_free", RESULT_LABEL_MAX, slot), "1",
            make_text(appendix, "the same as a share of what is free"),
            free > 0 ? lost / free : NAN, appendix->points);
    }
}

/* What was held of what was available, over the window of the series. */
static void add_avail(struct appendix *appendix, const struct devices *devices,
                      const struct series *series)
{
    const struct result_series_more *more = &devices->more;
    double cores = (double)series_avail(series, more, 0);

    add(appendix, "util_avail", "1",
        "core time held by jobs / core time available, from the first submission to the last "
        "change of the state",
        cores > 0 ? (double)series->integrals[LEVEL_ALLOC] / cores : NAN, appendix->points);
    add(appendix, "avail_core_h", "h", "core hours available in that time", cores / 3.6e15,
        appendix->points);
    for (size_t k = 0; k < more->kind_count; k++) {
        const char *kind = more->slots[k];
        double shares = (double)series_avail(series, more, k + 1);

        add(appendix, make_text(appendix, "util_avail_%.*s", WORD_MAX, kind), "1",
            make_text(appendix, "device time of kind %.*s given to jobs / available, in that time",
                      WORD_MAX, kind),
            shares > 0 ? (double)series_shares(series, more, k) / shares : NAN, appendix->points);
    }
}

enum hs_err devices_metrics(const struct devices *devices, const struct series *series,
                            const struct result_energy *energy, struct result_summary *summary,
                            struct hs_error *error)
{
    double makespan_s = result_summary_get(summary, "makespan_s");
    size_t more = FIXED_COUNT + 1 + 3 * devices->more.kind_count + devices->groups.count +
                  (devices->more.has_fragments ? 2 * devices->more.slot_count : 0) +
                  (devices->more.has_avail ? 2 + devices->more.kind_count : 0);
    struct result_metric *metrics;
    struct appendix appendix = {summary, NULL, (int64_t)result_summary_get(summary, "jobs"),
                                series->points};

    if (!energy && devices->more.kind_count == 0 && !devices->more.has_avail) {
        return HS_OK;
    }
    metrics = realloc(summary->metrics, (summary->metric_count + more) * sizeof *metrics);
    if (!metrics) {
        return hs_error_memory(error);
    }
    summary->metrics = metrics;
    summary->texts = calloc(2 * more, TEXT_MAX);
    if (!summary->texts) {
        return hs_error_memory(error);
    }
    appendix.next = summary->texts;
    if (energy) {
        add_energy(&appendix, series, energy, makespan_s);
        add_energy_by_kind(&appendix, devices);
    }
    add_use(&appendix, devices, makespan_s);
    if (devices->more.has_fragments) {
        add_fragments(&appendix, devices, series);
    }
    if (devices->more.has_avail) {
        add_avail(&appendix, devices, series);
    }
    return HS_OK;
}
