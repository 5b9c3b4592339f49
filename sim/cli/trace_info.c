/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_info.c - `hsim trace info`: what a trace holds, on one page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/trace.h"
#include "cli/trace_info.h"

#define TOP_MAX 5

enum option_key { KEY_PLATFORM = 0x300, KEY_JSON };

struct info_arguments {
    struct trace_options options;
    const char *input;
    const char *platform; /* file; NULL: none */
    bool is_json;
};

const char *const trace_info_states[SUMMARY_STATUS_COUNT] = {
    "missing",       "failed (0)",  "completed (1)",
    "partial (2)",   "last (3)",    "partial failed (4)",
    "cancelled (5)", "timeout (6)", "node failure (7)"};

static double share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* "  12345 s = 3.4 h", with the date if the trace says when its zero was. */
static void instant_print(const char *name, hs_time time_ns, int64_t epoch_unix)
{
    char text[HS_TIME_TEXT_MAX];

    (void)hs_time_format(time_ns, text);
    (void)printf("%-16s %s s", name, text);
    if (epoch_unix >= 0) {
        time_t moment = (time_t)(epoch_unix + time_ns / HS_NS_PER_S);
        char date[32];
        struct tm calendar;

        if (gmtime_r(&moment, &calendar) &&
            strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &calendar) > 0) {
            (void)printf(" (%s)", date);
        }
    }
    (void)printf("\n");
}

static void histogram_print(const char *name, const char *unit,
                            const struct summary_histogram *histogram)
{
    static const double shares[] = {0.25, 0.5, 0.75, 0.9, 0.99};

    if (histogram->count == 0) {
        (void)printf("%-16s none\n", name);
        return;
    }
    (void)printf("%-16s min %lld", name, (long long)histogram->minimum);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        (void)printf("  p%.0f %lld", shares[i] * 100,
                     (long long)summary_histogram_quantile(histogram, shares[i]));
    }
    (void)printf("  max %lld  mean %.6g%s\n", (long long)histogram->maximum,
                 (double)histogram->sum / (double)histogram->count, unit);
}

/* How many different ones, and the ones with most jobs. */
static bool set_print(const char *name, const struct summary_set *set, int64_t jobs,
                      const struct workload_names *names, enum workload_noun noun)
{
    struct summary_set_slot *slots;

    if (!summary_set_sorted(set, &slots)) {
        return false;
    }
    (void)printf("%-16s %zu", name, set->count);
    for (size_t shown = 0; shown < TOP_MAX && shown < set->count; shown++) {
        size_t best = 0;

        /* Ties go to the smaller number: the slots ascend. */
        for (size_t i = 1; i < set->count; i++) {
            best = slots[i].count > slots[best].count ? i : best;
        }
        (void)printf("%s%lld", shown ? ", " : ": ", (long long)slots[best].number);
        if (slots[best].number < workload_names_count(names, noun)) {
            (void)printf(" = %s", workload_names_text(names, noun, (uint16_t)slots[best].number));
        }
        (void)printf(" (%.1f %%)", share_of(slots[best].count, jobs));
        slots[best].count = 0;
    }
    (void)printf("%s\n", set->count > TOP_MAX ? ", ..." : "");
    free(slots);
    return true;
}

static void tally_print(const char *name, const struct workload_tally *tally, int64_t records)
{
    if (tally->count > 0) {
        int64_t shown = tally->count < WORKLOAD_NOTE_MAX ? tally->count : WORKLOAD_NOTE_MAX;

        (void)printf("%-16s %lld (%.1f %%), first in line %lld: %s", name, (long long)tally->count,
                     share_of(tally->count, records), (long long)tally->lines[0],
                     tally->reasons[0]);
        for (int64_t i = 1; i < shown; i++) {
            (void)printf("%s%lld", i > 1 ? ", " : "; then ", (long long)tally->lines[i]);
        }
        (void)printf("%s\n", tally->count > shown ? ", ..." : "");
    }
}

/* Which devices the jobs ask for, in which way; nothing for plain jobs. */
static void mix_print(const struct demand_mix *mix)
{
    if (mix->count == 0) {
        return;
    }
    (void)printf("%-16s %.1f %% of jobs, %.6g device-hours\n", "devices",
                 share_of(mix->device_jobs, mix->jobs),
                 (double)mix->device_work / 1000 / (double)HS_NS_PER_S / 3600);
    (void)printf("  %-32s %8s %8s %8s\n", "", "jobs", "work", "devices");
    for (size_t i = 0; i < mix->count; i++) {
        const struct demand_mix_row *row = &mix->rows[i];

        (void)printf(
            "  %-32s %6.1f %% %6.1f %% %6.1f %%\n", row->name, share_of(row->jobs, mix->jobs),
            mix->work ? 100.0 * (double)row->work / (double)mix->work : 0,
            mix->device_work ? 100.0 * (double)row->device_work / (double)mix->device_work : 0);
    }
}

/* What the list says of no job, of what one may expect. */
static void absent_print(const struct workload_summary *summary, int64_t records)
{
    static const enum swf_field expected[] = {SWF_WAIT, SWF_RUN,   SWF_WALLTIME, SWF_STATUS,
                                              SWF_USER, SWF_GROUP, SWF_QUEUE};
    const char *separator = "";

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (records > 0 && summary->missing[expected[i]] == records) {
            (void)printf(*separator ? "%s%s" : "%-16s %s", *separator ? separator : "absent fields",
                         swf_field_name(expected[i]));
            separator = ", ";
        }
    }
    (void)printf("%s", *separator ? "\n" : "");
}

static void records_print(const struct workload_summary *summary)
{
    const struct workload_stats *stats = &summary->stats;
    const char *separator = "";
    bool is_swf = summary->format == workload_format_at(WORKLOAD_FORMAT_SWF);
    int64_t records = stats->records - stats->bad.count;

    (void)printf("%-16s %s\n", "format", summary->format->about);
    (void)printf("%-16s %lld in %lld lines\n", "records", (long long)stats->records,
                 (long long)stats->lines);
    tally_print("unreadable", &stats->bad, stats->records);
    tally_print("dropped", &stats->dropped, stats->records);
    tally_print("oversized", &stats->oversized, stats->records);
    tally_print("absent devices", &stats->absent, stats->records);
    tally_print("cancelled", &stats->cancelled, stats->records);
    tally_print("zero length", &stats->zero, stats->records);
    tally_print("no request", &stats->missing, stats->records);
    tally_print("over request", &stats->overrun, stats->records);
    tally_print("out of order", &stats->unsorted, stats->records);
    tally_print("held", &stats->held, stats->records);
    tally_print("two run times", &stats->conflict, stats->records);
    if (stats->steps > 0) {
        (void)printf("%-16s %lld rows, passed over\n", "job steps", (long long)stats->steps);
    }
    (void)printf("%-16s ", "status");
    for (size_t i = 0; i < SUMMARY_STATUS_COUNT; i++) {
        if (summary->status[i] > 0) {
            (void)printf("%s%s %.1f %%", separator, trace_info_states[i],
                         share_of(summary->status[i], records));
            separator = ", ";
        }
    }
    separator = "";
    (void)printf("\n%-16s ", "missing fields");
    for (int field = 0; field < SWF_FIELD_COUNT; field++) {
        bool is_foreign = !is_swf && summary->missing[field] == records;

        if (summary->missing[field] > 0 && !is_foreign) {
            (void)printf("%s%s %.1f %%", separator, swf_field_name((enum swf_field)field),
                         share_of(summary->missing[field], records));
            separator = ", ";
        }
    }
    (void)printf("%s\n", *separator ? "" : "none");
    if (!is_swf) {
        absent_print(summary, records);
    }
    if (*stats->unused_columns) {
        (void)printf("%-16s %s\n", "unused columns", stats->unused_columns);
    }
}

static void machine_print(const struct trace_machine *machine, const struct workload_extent *extent)
{
    if (machine->procs <= 0) {
        (void)printf("%-16s unknown; give --machine N or --platform FILE for the offered load\n",
                     "machine");
        return;
    }
    (void)printf("%-16s %lld processors", "machine", (long long)machine->procs);
    if (machine->devices > 0) {
        (void)printf(", %lld devices", (long long)machine->devices);
    }
    (void)printf("%s\n", machine->origin);
    (void)printf("%-16s %.4f\n", "offered load", trace_info_load(extent, machine));
}

/* What the trace's own schedule did with the machine. */
static void recorded_print(const struct workload_summary *summary,
                           const struct trace_machine *machine)
{
    const struct recorded *recorded = &summary->recorded;
    double span_ns = (double)(recorded->last_end_ns - recorded->first_start_ns);

    if (recorded->jobs == 0) {
        return;
    }
    (void)printf("%-16s %lld jobs; at the most %.10g processors", "recorded",
                 (long long)recorded->jobs, (double)recorded->peak_cores_milli / 1000);
    if (recorded->peak_device_milli > 0) {
        (void)printf(" and %.10g devices", (double)recorded->peak_device_milli / 1000);
    }
    (void)printf(" at once\n");
    if (machine->procs > 0 && span_ns > 0) {
        (void)printf("%-16s %.4f of the processors", "recorded use",
                     (double)recorded->core_work / 1000 / (double)machine->procs / span_ns);
        if (machine->devices > 0) {
            (void)printf(", %.4f of the devices",
                         (double)recorded->device_work / 1000 / (double)machine->devices / span_ns);
        }
        (void)printf(", from the first start to the last end\n");
    }
    histogram_print("recorded wait", " s", &summary->wait_s);
}

static bool summary_print(const struct info_arguments *arguments,
                          const struct workload_summary *summary,
                          const struct trace_machine *machine)
{
    const struct workload_extent *extent = &summary->extent;
    int64_t epoch = summary->stats.epoch_unix;
    char span[HS_TIME_TEXT_MAX];
    hs_time span_ns = extent->last_submit_ns - extent->first_submit_ns;
    bool is_complete;

    (void)printf("%-16s %s\n", "trace", arguments->input);
    records_print(summary);
    (void)printf("%-16s %lld\n", "jobs", (long long)extent->jobs);
    instant_print("first submit", extent->first_submit_ns, epoch);
    instant_print("last submit", extent->last_submit_ns, epoch);
    (void)hs_time_format(span_ns, span);
    (void)printf("%-16s %s s = %.2f days\n", "span", span,
                 (double)span_ns / (double)HS_NS_PER_S / 86400);
    machine_print(machine, extent);
    (void)printf("%-16s %.6g processor-hours\n", "work",
                 (double)extent->area / (double)HS_NS_PER_S / 3600);
    histogram_print("processors", "", &summary->procs);
    (void)printf("%-16s %.1f %%, powers of two above it %.1f %%\n", "one processor",
                 share_of(summary->serial_jobs, extent->jobs),
                 share_of(summary->power2_jobs, extent->jobs));
    mix_print(&summary->mix);
    if (summary->devices.count > 0) {
        histogram_print("devices of a job", "", &summary->devices);
    }
    histogram_print("run time", " s", &summary->run_s);
    histogram_print("requested time", " s", &summary->request_s);
    histogram_print("between submits", " s", &summary->gap_s);
    recorded_print(summary, machine);
    is_complete =
        set_print("users", &summary->users, extent->jobs, summary->names, WORKLOAD_USER) &&
        set_print("groups", &summary->groups, extent->jobs, summary->names, WORKLOAD_GROUP) &&
        set_print("queues", &summary->queues, extent->jobs, summary->names, WORKLOAD_QUEUE);
    if (*summary->header) {
        (void)printf("header\n%s", summary->header);
    }
    return is_complete;
}

/* The size of the machine as the header has it; 0: it does not say. */
static enum hs_err header_procs(const struct workload_options *options, int64_t *procs,
                                struct hs_error *error)
{
    struct workload *workload;
    enum hs_err err = workload_open(options, &workload, error);

    *procs = 0;
    if (!err) {
        const struct workload_stats *stats = workload_stats(workload);

        *procs = stats->header_max_procs > 0   ? stats->header_max_procs
                 : stats->header_max_nodes > 0 ? stats->header_max_nodes
                                               : 0;
        *procs = *procs > INT32_MAX ? 0 : *procs;
    }
    workload_close(workload);
    return err;
}

double trace_info_load(const struct workload_extent *extent, const struct trace_machine *machine)
{
    hs_time span_ns = extent->last_submit_ns - extent->first_submit_ns;

    return machine->procs > 0 && span_ns > 0
               ? (double)extent->area / ((double)machine->procs * (double)span_ns)
               : NAN;
}

/* The machine that the trace is measured by: as asked for, of the header, or the most that its own
 * schedule held at once. */
static struct trace_machine machine_of(const struct info_arguments *arguments,
                                       const struct platform *platform, int64_t header_procs_count,
                                       const struct workload_summary *summary)
{
    const struct recorded *recorded = &summary->recorded;
    struct trace_machine machine = {.procs = arguments->options.workload.machine_procs,
                                    .origin = ""};

    if (platform->cluster) {
        machine.devices = hs_cluster_device_count(platform->cluster);
        machine.origin = " (of the platform)";
    }
    if (machine.procs == 0 && header_procs_count > 0) {
        machine.procs = header_procs_count;
        machine.origin = " (of the header)";
    }
    if (machine.procs == 0 && recorded->peak_cores_milli > 0) {
        machine.procs = (recorded->peak_cores_milli + 999) / 1000;
        machine.devices = (recorded->peak_device_milli + 999) / 1000;
        machine.origin = " (the most that its own schedule held at once)";
    }
    return machine;
}

static enum hs_err platform_use(struct info_arguments *arguments, struct platform *platform,
                                struct hs_error *error)
{
    struct platform_options options = {.file = arguments->platform, .cores = 1};
    enum hs_err err = arguments->platform ? platform_load(&options, platform, error) : HS_OK;

    if (!err && platform->cluster) {
        int64_t procs = hs_cluster_cores_milli(platform->cluster) / 1000;

        arguments->options.workload.cluster = platform->cluster;
        arguments->options.workload.machine_procs = procs < INT32_MAX ? procs : INT32_MAX;
    }
    return err;
}

static int info(struct info_arguments *arguments)
{
    struct workload_options options;
    struct workload_summary *summary = NULL;
    struct platform platform = {0};
    struct hs_error error = {0};
    int64_t of_header = 0;
    enum hs_err err = platform_use(arguments, &platform, &error);

    options = arguments->options.workload;
    options.file = arguments->input;
    if (!err && options.machine_procs == 0) {
        err = header_procs(&options, &of_header, &error);
        options.machine_procs = of_header;
    }
    if (!err) {
        err = workload_summary_create(&options, false, &summary, &error);
    }
    if (!err) {
        struct trace_machine machine = machine_of(arguments, &platform, of_header, summary);

        if (arguments->is_json) {
            trace_info_json(arguments->input, summary, &machine);
        } else if (!summary_print(arguments, summary, &machine)) {
            err = hs_error_memory(&error);
        }
    }
    workload_summary_destroy(summary);
    platform_fini(&platform);
    return err ? cli_fail(&error) : cli_finish(CLI_OK);
}

static error_t info_parse(int key, char *text, struct argp_state *state)
{
    struct info_arguments *arguments = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->options;
        return 0;
    case KEY_PLATFORM:
        arguments->platform = text;
        return 0;
    case KEY_JSON:
        arguments->is_json = true;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (arguments->platform && arguments->options.workload.machine_procs) {
            cli_usage(state, "--machine and --platform both say how large the machine is. Leave "
                             "one of the two away.");
        }
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->input) {
            cli_usage(state, "Only one trace at a time; '%s' is one too many.", text);
        }
        arguments->input = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage(state, "Which trace? Name a file of jobs.");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option info_options[] = {
    {"platform", KEY_PLATFORM, "FILE", 0,
     "Platform file: the size of the machine, and which devices there are", 0},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object", 0},
    {0}};
static const struct argp_child info_children[] = {{&trace_rules_argp, 0, NULL, 0}, {0}};
const struct argp trace_info_argp = {
    info_options,
    info_parse,
    "TRACE",
    "Shows what TRACE (plain or packed) holds, after the rules of the replay: jobs, span, "
    "load, users, sizes, devices and times; and what its own schedule did, where it says when "
    "jobs started."
    "\vFormats: swf (Standard Workload Format), jobs (CSV with a header: id, submit, run, "
    "walltime, demand, ...), openb (pods), helios, acme, philly-sia, pai (CSV of these "
    "systems), csv (any CSV, with --columns), sacct and jobcomp (Slurm), gavel (needs "
    "--throughputs and --reference); workloads/README.md describes them. The offered load is "
    "the work of all jobs over "
    "processors x span. Where jobs ask for devices or have constraints, their shares of the "
    "jobs, of the work (processors x run time) and of the device time are shown. "
    " Quantiles are exact "
    "below 2048 and at most 0.1 % too small above. Without --machine and "
    "--platform the size of the machine is taken from the header (MaxProcs, else MaxNodes), "
    "else it is the most that the trace's own schedule held at once.",
    info_children,
    NULL,
    NULL};

int trace_info(int argc, char **argv)
{
    struct info_arguments arguments = {0};
    int code;

    trace_options_init(&arguments.options);
    code = cli_parse(&trace_info_argp, argc, argv, 0, NULL, &arguments);
    if (code == CLI_OK) {
        code = info(&arguments);
    }
    trace_options_fini(&arguments.options);
    return code;
}
