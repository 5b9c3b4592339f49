/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_info_json.c - `hsim trace info --json`: the same numbers for programs.
 *
 * Times are seconds, shares of records 0 to 1; what is not known is null. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/trace_info.h"

static void key(const char *name)
{
    cli_json_string(stdout, name);
    (void)fputs(": ", stdout);
}

static void number(const char *name, double value, const char *end)
{
    key(name);
    cli_json_number(stdout, value);
    (void)fputs(end, stdout);
}

static double seconds(hs_time time_ns)
{
    return (double)time_ns / (double)HS_NS_PER_S;
}

/* Records of a kind, with the first of them. */
static void tally(const char *name, const struct workload_tally *tally, const char *end)
{
    int64_t shown = tally->count < WORKLOAD_NOTE_MAX ? tally->count : WORKLOAD_NOTE_MAX;

    (void)fputs("    ", stdout);
    key(name);
    (void)printf("{\"count\": %lld, \"first\": [", (long long)tally->count);
    for (int64_t i = 0; i < shown; i++) {
        (void)printf("%s{\"line\": %lld, \"job\": ", i ? ", " : "", (long long)tally->lines[i]);
        cli_json_number(stdout, tally->trace_ids[i] >= 0 ? (double)tally->trace_ids[i] : NAN);
        (void)fputs(", \"reason\": ", stdout);
        cli_json_string(stdout, tally->reasons[i]);
        (void)fputs("}", stdout);
    }
    (void)printf("]}%s\n", end);
}

static void tallies(const struct workload_stats *stats)
{
    (void)fputs("  \"counts\": {\n", stdout);
    tally("unreadable", &stats->bad, ",");
    tally("dropped", &stats->dropped, ",");
    tally("oversized", &stats->oversized, ",");
    tally("absent_devices", &stats->absent, ",");
    tally("cancelled_waiting", &stats->cancelled, ",");
    tally("zero_length", &stats->zero, ",");
    tally("no_request", &stats->missing, ",");
    tally("over_request", &stats->overrun, ",");
    tally("out_of_order", &stats->unsorted, ",");
    tally("held", &stats->held, ",");
    tally("two_run_times", &stats->conflict, "");
    (void)fputs("  },\n", stdout);
}

static void histogram(const char *name, const struct summary_histogram *histogram, const char *end)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p25", 0.25}, {"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p99", 0.99}};
    bool has_values = histogram->count > 0;

    (void)fputs("  ", stdout);
    key(name);
    (void)printf("{\"count\": %lld, ", (long long)histogram->count);
    number("min", has_values ? (double)histogram->minimum : NAN, ", ");
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        int64_t value = summary_histogram_quantile(histogram, quantiles[i].share);

        number(quantiles[i].name, has_values ? (double)value : NAN, ", ");
    }
    number("max", has_values ? (double)histogram->maximum : NAN, ", ");
    number("mean", has_values ? (double)histogram->sum / (double)histogram->count : NAN, "}");
    (void)printf("%s\n", end);
}

static void records(const struct workload_summary *summary)
{
    int64_t readable = summary->stats.records - summary->stats.bad.count;
    const char *separator = "";

    (void)printf("  \"records\": %lld,\n  \"lines\": %lld,\n  \"steps\": %lld,\n",
                 (long long)summary->stats.records, (long long)summary->stats.lines,
                 (long long)summary->stats.steps);
    tallies(&summary->stats);
    (void)fputs("  \"status\": {", stdout);
    for (size_t i = 0; i < SUMMARY_STATUS_COUNT; i++) {
        (void)fputs(separator, stdout);
        key(trace_info_states[i]);
        (void)printf("%lld", (long long)summary->status[i]);
        separator = ", ";
    }
    (void)fputs("},\n  \"missing\": {", stdout);
    separator = "";
    for (int field = 0; field < SWF_FIELD_COUNT; field++) {
        if (summary->missing[field] > 0 && readable > 0) {
            (void)fputs(separator, stdout);
            number(swf_field_name((enum swf_field)field),
                   (double)summary->missing[field] / (double)readable, "");
            separator = ", ";
        }
    }
    (void)fputs("},\n", stdout);
}

static void device_mix(const struct demand_mix *mix)
{
    static const char *const groups[] = {[DEMAND_MIX_KIND] = "kind",
                                         [DEMAND_MIX_MODEL] = "model",
                                         [DEMAND_MIX_SHARE] = "share",
                                         [DEMAND_MIX_WISH] = "constraint"};

    (void)printf("  \"device_jobs\": %lld,\n  \"device_hours\": ", (long long)mix->device_jobs);
    cli_json_number(stdout, seconds(1) * (double)mix->device_work / 1000 / 3600);
    (void)fputs(",\n  \"mix\": [", stdout);
    for (size_t i = 0; i < mix->count; i++) {
        const struct demand_mix_row *row = &mix->rows[i];

        (void)printf("%s{\"group\": \"%s\", \"name\": ", i ? ", " : "", groups[row->group]);
        cli_json_string(stdout, row->name);
        (void)printf(", \"jobs\": %lld, ", (long long)row->jobs);
        number("processor_hours", (double)row->work / (double)HS_NS_PER_S / 3600, ", ");
        number("device_hours", (double)row->device_work / 1000 / (double)HS_NS_PER_S / 3600, "}");
    }
    (void)fputs("],\n", stdout);
}

static void recorded_part(const struct workload_summary *summary,
                          const struct trace_machine *machine)
{
    const struct recorded *recorded = &summary->recorded;
    double span_ns = (double)(recorded->last_end_ns - recorded->first_start_ns);
    bool is_known = recorded->jobs > 0 && span_ns > 0;

    (void)printf("  \"recorded\": {\"jobs\": %lld, ", (long long)recorded->jobs);
    number("first_start", recorded->jobs ? seconds(recorded->first_start_ns) : NAN, ", ");
    number("last_end", recorded->jobs ? seconds(recorded->last_end_ns) : NAN, ", ");
    number("peak_processors", (double)recorded->peak_cores_milli / 1000, ", ");
    number("peak_devices", (double)recorded->peak_device_milli / 1000, ", ");
    number("processor_utilisation",
           is_known && machine->procs > 0
               ? (double)recorded->core_work / 1000 / (double)machine->procs / span_ns
               : NAN,
           ", ");
    number("device_utilisation",
           is_known && machine->devices > 0
               ? (double)recorded->device_work / 1000 / (double)machine->devices / span_ns
               : NAN,
           "},\n");
}

void trace_info_json(const char *path, const struct workload_summary *summary,
                     const struct trace_machine *machine)
{
    const struct workload_extent *extent = &summary->extent;

    (void)fputs("{\n  \"trace\": ", stdout);
    cli_json_string(stdout, path);
    (void)printf(",\n  \"format\": \"%s\",\n", summary->format->name);
    records(summary);
    (void)printf("  \"jobs\": %lld,\n  ", (long long)extent->jobs);
    number("epoch_unix", summary->stats.epoch_unix >= 0 ? (double)summary->stats.epoch_unix : NAN,
           ",\n  ");
    number("first_submit", seconds(extent->first_submit_ns), ",\n  ");
    number("last_submit", seconds(extent->last_submit_ns), ",\n  ");
    number("machine_processors", machine->procs > 0 ? (double)machine->procs : NAN, ",\n  ");
    number("machine_devices", machine->devices > 0 ? (double)machine->devices : NAN, ",\n  ");
    number("offered_load", trace_info_load(extent, machine), ",\n  ");
    number("processor_hours", (double)extent->area / (double)HS_NS_PER_S / 3600, ",\n");
    device_mix(&summary->mix);
    recorded_part(summary, machine);
    histogram("processors", &summary->procs, ",");
    histogram("devices", &summary->devices, ",");
    histogram("run_time", &summary->run_s, ",");
    histogram("requested_time", &summary->request_s, ",");
    histogram("between_submits", &summary->gap_s, ",");
    histogram("recorded_wait", &summary->wait_s, ",");
    (void)printf("  \"users\": %zu,\n  \"groups\": %zu,\n  \"queues\": %zu,\n",
                 summary->users.count, summary->groups.count, summary->queues.count);
    (void)fputs("  \"unused_columns\": ", stdout);
    cli_json_string(stdout, summary->stats.unused_columns);
    (void)fputs("\n}\n", stdout);
}
