/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_summary.c - the run and its metrics. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inspect.h"
#include "cli/json.h"
#include "cli/parts.h"
#include "result/stability.h"

/* Attributes of the file that are told; texts, integers, real numbers. */
static const char *const text_names[] = {
    "policy",      "status",          "hsim_version", "git_commit", "compiler", "hdf5_version",
    "gsl_version", "simgrid_version", "command_line", "base_dir",   "run_key",  "schedule_digest"};
static const char *const int_names[] = {
    "hsim_schema",   "seed",        "tau_ns",          "measure_from_ns", "measure_to_ns",
    "epoch_unix",    "clairvoyant", "events",          "passes",          "decisions",
    "jobs_examined", "records_bad", "records_dropped", "records_overrun", "records_missing",
    "rss_bytes"};
static const char *const real_names[] = {"cpu_s", "wall_s"};

enum {
    TEXT_COUNT = sizeof text_names / sizeof text_names[0],
    INT_COUNT = sizeof int_names / sizeof int_names[0],
    REAL_COUNT = sizeof real_names / sizeof real_names[0]
};

struct facts {
    char *texts[TEXT_COUNT];
    int64_t ints[INT_COUNT];
    double reals[REAL_COUNT];
    int64_t node_count, device_count, cores_milli;
    char *input_paths, *input_formats;
    int64_t *input_rows;
    size_t input_count;
    struct result_summary summary;
};

static void facts_fini(struct facts *facts)
{
    for (int i = 0; i < TEXT_COUNT; i++) {
        free(facts->texts[i]);
    }
    free(facts->input_paths);
    free(facts->input_formats);
    free(facts->input_rows);
    result_summary_fini(&facts->summary);
}

static enum hs_err read_inputs(struct result_reader *reader, struct facts *facts,
                               struct hs_error *error)
{
    size_t count;
    enum hs_err code = result_reader_texts(reader, "provenance/inputs/path", &facts->input_paths,
                                           &facts->input_count, error);

    if (code == HS_OK) {
        code = result_reader_texts(reader, "provenance/inputs/format", &facts->input_formats,
                                   &count, error);
        facts->input_count = count < facts->input_count ? count : facts->input_count;
    }
    if (code == HS_OK) {
        code = result_reader_column(reader, "provenance/inputs/rows", &facts->input_rows, &count,
                                    error);
        facts->input_count = count < facts->input_count ? count : facts->input_count;
    }
    return code;
}

static enum hs_err read_facts(struct result_reader *reader, struct facts *facts,
                              struct hs_error *error)
{
    enum hs_err code = HS_OK;

    for (int i = 0; code == HS_OK && i < TEXT_COUNT; i++) {
        code = result_reader_text(reader, NULL, text_names[i], &facts->texts[i], error);
    }
    for (int i = 0; code == HS_OK && i < INT_COUNT; i++) {
        code = result_reader_int(reader, NULL, int_names[i], &facts->ints[i], error);
    }
    for (int i = 0; code == HS_OK && i < REAL_COUNT; i++) {
        code = result_reader_double(reader, NULL, real_names[i], &facts->reals[i], error);
    }
    if (code == HS_OK) {
        code = result_reader_int(reader, "platform", "node_count", &facts->node_count, error);
    }
    if (code == HS_OK) {
        code = result_reader_int(reader, "platform", "device_count", &facts->device_count, error);
    }
    if (code == HS_OK) {
        code = result_reader_int(reader, "platform", "cores_milli", &facts->cores_milli, error);
    }
    if (code == HS_OK) {
        code = read_inputs(reader, facts, error);
    }
    return code == HS_OK ? result_reader_summary(reader, &facts->summary, error) : code;
}

static const char *fact_text(const struct facts *facts, const char *name)
{
    for (int i = 0; i < TEXT_COUNT; i++) {
        if (strcmp(text_names[i], name) == 0) {
            return facts->texts[i];
        }
    }
    return "";
}

static int64_t fact_int(const struct facts *facts, const char *name)
{
    for (int i = 0; i < INT_COUNT; i++) {
        if (strcmp(int_names[i], name) == 0) {
            return facts->ints[i];
        }
    }
    return -1;
}

static enum hs_err print_json(struct result_reader *reader, const struct facts *facts,
                              struct hs_error *error)
{
    enum hs_err code;
    const struct result_summary *summary = &facts->summary;

    (void)fputs("{\"file\": ", stdout);
    cli_json_string(stdout, result_reader_path(reader));
    (void)fputs(",\n \"attributes\": {", stdout);
    for (int i = 0; i < TEXT_COUNT; i++) {
        (void)printf("%s\"%s\": ", i ? ", " : "", text_names[i]);
        cli_json_string(stdout, facts->texts[i]);
    }
    for (int i = 0; i < INT_COUNT; i++) {
        (void)printf(", \"%s\": %" PRId64, int_names[i], facts->ints[i]);
    }
    for (int i = 0; i < REAL_COUNT; i++) {
        (void)printf(", \"%s\": ", real_names[i]);
        cli_json_number(stdout, facts->reals[i]);
    }
    (void)printf("},\n \"platform\": {\"nodes\": %" PRId64 ", \"devices\": %" PRId64
                 ", \"cores\": ",
                 facts->node_count, facts->device_count);
    cli_json_number(stdout, (double)facts->cores_milli / 1000);
    (void)fputs("},\n \"metrics\": {", stdout);
    for (size_t i = 0; i < summary->metric_count; i++) {
        (void)printf("%s\"%s\": ", i ? ", " : "", summary->metrics[i].name);
        cli_json_number(stdout, summary->metrics[i].value);
    }
    (void)fputs("}", stdout);
    code = cli_parts_show(reader, true, error);
    (void)fputs("}\n", stdout);
    return code;
}

void inspect_duration(double seconds, char *text)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t unit = 0;

    if (isnan(seconds)) {
        (void)snprintf(text, 32, "-");
        return;
    }
    while (unit < 3 && fabs(seconds) < units[unit].seconds) {
        unit++;
    }
    (void)snprintf(text, 32, "%.4g %s", seconds / units[unit].seconds, units[unit].name);
}

static void print_run(const struct result_reader *reader, const struct facts *facts)
{
    const char *path = facts->input_paths;
    const char *format = facts->input_formats;
    char tau[32];

    (void)printf("%s: policy %s, %s\n\n", result_reader_path(reader), fact_text(facts, "policy"),
                 fact_text(facts, "status"));
    for (size_t i = 0; i < facts->input_count; i++) {
        (void)printf("%-12s %s (%s", i ? "" : "input", path, format);
        if (facts->input_rows[i] >= 0) {
            (void)printf(", %" PRId64 " records", facts->input_rows[i]);
        }
        (void)printf(")\n");
        path += strlen(path) + 1;
        format += strlen(format) + 1;
    }
    (void)printf("%-12s %" PRId64 " nodes, %.10g cores", "platform", facts->node_count,
                 (double)facts->cores_milli / 1000);
    if (facts->device_count) {
        (void)printf(", %" PRId64 " devices", facts->device_count);
    }
    inspect_duration((double)fact_int(facts, "tau_ns") / 1e9, tau);
    (void)printf("\n%-12s seed %" PRId64 ", tau %s, hsim %s (%s)%s\n", "run",
                 fact_int(facts, "seed"), tau, fact_text(facts, "hsim_version"),
                 fact_text(facts, "git_commit"),
                 fact_int(facts, "clairvoyant") ? ", clairvoyant: estimates" : "");
    (void)printf("%-12s %s\n", "schedule", fact_text(facts, "schedule_digest"));
    (void)printf("%-12s %" PRId64 " events, %" PRId64 " passes, %" PRId64 " jobs examined, %.3g s "
                 "CPU, %.0f MiB\n",
                 "simulator", fact_int(facts, "events"), fact_int(facts, "passes"),
                 fact_int(facts, "jobs_examined"), facts->reals[0],
                 (double)fact_int(facts, "rss_bytes") / 1048576);
}

/* Records of the trace that were not taken as they are. */
static void print_records(const struct facts *facts)
{
    static const struct {
        const char *name, *text;
    } kinds[] = {{"records_bad", "unreadable"},
                 {"records_dropped", "dropped"},
                 {"records_overrun", "ran longer than asked for"},
                 {"records_missing", "without requested time"}};
    bool is_first = true;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        int64_t count = fact_int(facts, kinds[i].name);

        if (count > 0) {
            (void)printf("%s%" PRId64 " %s", is_first ? "records      " : ", ", count,
                         kinds[i].text);
            is_first = false;
        }
    }
    (void)fputs(is_first ? "" : "\n", stdout);
}

static void print_percent(const char *title, double value, const char *text)
{
    if (isnan(value)) {
        (void)printf("%-12s - %s\n", title, text);
    } else {
        (void)printf("%-12s %.2f %% %s\n", title, 100 * value, text);
    }
}

/* Prints `before`, a mean with four digits or "-" where there is none, and `after`. */
static void print_mean(const char *before, double value, const char *after)
{
    if (isnan(value)) {
        (void)printf("%s-%s", before, after);
    } else {
        (void)printf("%s%.4g%s", before, value, after);
    }
}

/* In runs in which jobs could be preempted. */
static void print_preemptions(const struct result_summary *summary)
{
    double count = result_summary_get(summary, "preemptions");
    char queued[32];

    if (isnan(count)) {
        return;
    }
    inspect_duration(result_summary_get(summary, "queued_mean_s"), queued);
    (void)printf("%-12s %.0f preemptions of %.0f jobs; restarts took %.4g core hours\n",
                 "preempted", count, result_summary_get(summary, "jobs_preempted"),
                 result_summary_get(summary, "overhead_core_h"));
    (void)printf("%-12s %s queued on average, before the first start and after it\n", "", queued);
}

static void print_totals(const struct result_summary *summary)
{
    double makespan_s = result_summary_get(summary, "makespan_s");
    char makespan[32];

    (void)printf("%-12s %.0f: %.0f finished, %.0f killed, %.0f cancelled, %.0f rejected, "
                 "%.0f unfinished; %.0f measured\n",
                 "jobs", result_summary_get(summary, "jobs"),
                 result_summary_get(summary, "finished"), result_summary_get(summary, "killed"),
                 result_summary_get(summary, "cancelled"), result_summary_get(summary, "rejected"),
                 result_summary_get(summary, "unfinished"),
                 result_summary_get(summary, "jobs_measured"));
    inspect_duration(makespan_s, makespan);
    (void)printf("%-12s %s", "makespan", makespan);
    if (makespan_s >= 60) {
        (void)printf(" (%.15g s)", makespan_s);
    }
    print_mean(", ", result_summary_get(summary, "throughput_per_h"), " jobs per hour\n");
    print_percent("utilisation", result_summary_get(summary, "util_alloc"), "over the makespan");
    print_percent("", result_summary_get(summary, "util_alloc_arrivals"),
                  "from the first to the last submission");
    print_percent("", result_summary_get(summary, "util_alloc_measure"), "in the measured window");
    if (!isnan(result_summary_get(summary, "util_avail"))) {
        print_percent("", result_summary_get(summary, "util_avail"), "of what was available");
    }
    print_percent("load", result_summary_get(summary, "offered_load"), "offered");
    print_mean("queue        ", result_summary_get(summary, "queue_mean_jobs"), " jobs on average");
    (void)printf(", %.0f at most", result_summary_get(summary, "queue_max_jobs"));
    print_mean("; ", result_summary_get(summary, "backlog_mean_procs"), " processors on average");
    (void)printf(", %.0f at most\n", result_summary_get(summary, "backlog_max_procs"));
    if (result_stability_of(summary) == RESULT_UNSTABLE) {
        (void)printf(
            "%-12s unstable: waiting jobs ask for %.0f processors at least in the last "
            "quarter\n%-12s of the arrivals, and for %.0f on average in their first half\n",
            "", result_summary_get(summary, RESULT_BACKLOG_LATE), "",
            result_summary_get(summary, RESULT_BACKLOG_EARLY));
    }
    print_mean("running      ", result_summary_get(summary, "running_mean_jobs"),
               " jobs on average");
    (void)printf(", %.0f at most\n", result_summary_get(summary, "running_max_jobs"));
    print_preemptions(summary);
}

/* Joules as people read them. */
static void format_energy(double joules, char *text)
{
    static const struct {
        double joules;
        const char *name;
    } units[] = {{3.6e12, "GWh"}, {3.6e9, "MWh"}, {3.6e6, "kWh"}, {1e3, "kJ"}, {1, "J"}};
    size_t unit = 0;

    while (unit < 4 && fabs(joules) < units[unit].joules) {
        unit++;
    }
    (void)snprintf(text, 32, "%.5g %s", joules / units[unit].joules, units[unit].name);
}

static void print_energy_part(const struct result_summary *summary, const char *before,
                              const char *name, const char *after)
{
    char text[32];

    format_energy(result_summary_get(summary, name), text);
    (void)printf("%s%s%s", before, text, after);
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Its parts by kind: the metrics from energy_cpu_j on. */
static void print_energy_kinds(const struct result_summary *summary)
{
    static const char first[] = "energy_cpu_j";
    const char *before = "             ";
    bool is_kind = false;

    for (size_t i = 0; i < summary->metric_count; i++) {
        const char *name = summary->metrics[i].name;
        char after[128] = " of nodes without their devices";

        is_kind = has_prefix(name, "energy_") && (is_kind || strcmp(name, first) == 0);
        if (!is_kind) {
            continue;
        }
        if (strcmp(name, first) != 0) { /* energy_KIND_j */
            const char *kind = name + strlen("energy_");

            (void)snprintf(after, sizeof after, " of %.*s", (int)strlen(kind) - 2, kind);
        }
        print_energy_part(summary, before, name, after);
        before = ", ";
    }
    (void)printf("\n");
}

/* A share in percent, or "-". */
static const char *format_percent(double share, char text[32])
{
    if (isnan(share)) {
        (void)snprintf(text, 32, "-");
    } else {
        (void)snprintf(text, 32, "%.2f %%", 100 * share);
    }
    return text;
}

/* What is lost of the devices, if it is known: two metrics for each kind and model. */
static void print_fragments(const struct result_summary *summary)
{
    const char *title = "fragmented";

    for (size_t i = 0; i + 1 < summary->metric_count; i++) {
        const struct result_metric *metric = &summary->metrics[i];
        char texts[2][32];

        if (has_prefix(metric->name, "frag_")) {
            (void)printf("%-12s %s of %s, %s of what is free\n", title,
                         format_percent(metric->value, texts[0]), metric->name + strlen("frag_"),
                         format_percent(metric[1].value, texts[1]));
            title = "";
            i++;
        }
    }
}

/* Use of the devices, energy and power, as far as the run has them. */
static void print_devices_and_energy(const struct result_summary *summary)
{
    const char *title = "devices";

    for (size_t i = 0; i < summary->metric_count; i++) {
        const struct result_metric *metric = &summary->metrics[i];

        bool is_avail = has_prefix(metric->name, "util_avail_");

        if (is_avail || (has_prefix(metric->name, "util_") && strcmp(metric->name, "util_avail") &&
                         !has_prefix(metric->name, "util_alloc"))) {
            char percent[32];

            (void)printf("%-12s %s of %s%s\n", title, format_percent(metric->value, percent),
                         is_avail ? "the available " : "",
                         metric->name + strlen(is_avail ? "util_avail_" : "util_"));
            title = "";
        }
    }
    print_fragments(summary);
    if (isnan(result_summary_get(summary, "energy_total_j"))) {
        return;
    }
    print_energy_part(summary, "energy       ", "energy_total_j", ": ");
    print_energy_part(summary, "", "energy_idle_j", " idle, ");
    print_energy_part(summary, "", "energy_context_j", " in use without load, ");
    if (result_summary_get(summary, "energy_off_j") > 0) {
        print_energy_part(summary, "", "energy_off_j", " switched off, ");
    }
    print_energy_part(summary, "", "energy_busy_j", " by load\n");
    print_energy_kinds(summary);
    print_energy_part(summary, "             ", "energy_jobs_j", " charged to jobs, ");
    print_energy_part(summary, "", "energy_uncharged_j", " to nobody\n");
    print_mean("power        ", result_summary_get(summary, "power_mean_w"), " W on average");
    print_mean(", ", result_summary_get(summary, "power_peak_w"), " W at most\n");
}

/* A row of the distributions: metrics NAME_STATISTIC and the suffix of the unit. */
static void print_distribution(const struct result_summary *summary, const char *title,
                               const char *name, bool is_time)
{
    static const char *const statistics[] = {"mean", "std", "median", "p90", "p95", "p99", "max"};

    (void)printf("%-12s", title);
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++) {
        char metric[64];
        char text[32];
        double value;

        (void)snprintf(metric, sizeof metric, "%s_%s%s", name, statistics[i], is_time ? "_s" : "");
        value = result_summary_get(summary, metric);
        if (is_time) {
            inspect_duration(value, text);
        } else if (isnan(value)) {
            (void)snprintf(text, sizeof text, "-");
        } else {
            (void)snprintf(text, sizeof text, "%.4g", value);
        }
        (void)printf(" %10s", text);
    }
    (void)putchar('\n');
}

static void print_distributions(const struct result_summary *summary)
{
    (void)printf("\n%-12s %10s %10s %10s %10s %10s %10s %10s\n", "", "mean", "std", "median", "p90",
                 "p95", "p99", "max");
    print_distribution(summary, "wait", "wait", true);
    print_distribution(summary, "turnaround", "turnaround", true);
    print_distribution(summary, "slowdown", "slowdown", false);
    print_distribution(summary, "bsld", "bsld", false);
    print_distribution(summary, "bsld/proc", "bsld_per_proc", false);
    (void)printf(
        "\nbsld: bounded slowdown. --json prints every metric, --check checks the file.\n");
}

/* Jobs of an inflated workload never end: in place of their times, how full the machine became. */
static enum hs_err print_table(struct result_reader *reader, const struct facts *facts,
                               struct hs_error *error)
{
    enum hs_err code = HS_OK;

    print_run(reader, facts);
    print_records(facts);
    (void)putchar('\n');
    print_totals(&facts->summary);
    print_devices_and_energy(&facts->summary);
    if (!result_reader_table(reader, "inflation")) {
        print_distributions(&facts->summary);
        return cli_parts_show(reader, false, error);
    }
    code = inspect_inflation(reader, error);
    if (code == HS_OK) {
        (void)printf("\nPercent of the installed accelerators. `hsim export FILE --to csv --table "
                     "inflation` prints every percent, --table arrivals every arrival.\n");
    }
    return code;
}

enum hs_err inspect_summary(struct result_reader *reader, bool is_json, struct hs_error *error)
{
    struct facts facts = {0};
    enum hs_err code = read_facts(reader, &facts, error);

    if (code == HS_OK && is_json) {
        code = print_json(reader, &facts, error);
    } else if (code == HS_OK) {
        code = print_table(reader, &facts, error);
    }
    facts_fini(&facts);
    return code;
}
