/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_output.c - what `hsim bench` prints: the table and JSON. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/json.h"
#include "result/result.h"

#define NAME_WIDTH 16

#if defined(__OPTIMIZE__)
#define IS_OPTIMISED true
#else
#define IS_OPTIMISED false
#endif

void bench_print_list(void)
{
    (void)printf("%-*s %9s %13s %7s %7s\n", NAME_WIDTH, "case", "jobs", "policy", "CPU s",
                 "RSS MB");
    for (size_t i = 0; i < bench_case_count; i++) {
        const struct bench_case *what = &bench_cases[i];
        char cpu[16] = "-", rss[16] = "-";

        if (what->cpu_target_s > 0) {
            (void)snprintf(cpu, sizeof cpu, "%.2f", what->cpu_target_s);
        }
        if (what->rss_target_mb > 0) {
            (void)snprintf(rss, sizeof rss, "%.0f", what->rss_target_mb);
        }
        (void)printf("%-*s %9" PRId64 " %13s %7s %7s  %s\n", NAME_WIDTH, what->name, what->jobs,
                     what->policy, cpu, rss, what->summary);
    }
    (void)printf("\nCPU s and RSS MB are targets (output uncompressed); kernel: at most %.0f times "
                 "the reference;\neasy-flat: marginal costs of a job within %.0f %%.\n",
                 BENCH_KERNEL_TARGET, 100 * BENCH_MARGINAL_TARGET);
}

/* "AMD EPYC", or "unknown processor". */
static void processor_name(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    (void)snprintf(text, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", strlen("model name")) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            for (colon++; isspace((unsigned char)*colon); colon++) {
            }
            (void)snprintf(text, size, "%s", colon);
            break;
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

static void print_columns(const char *name)
{
    (void)printf("%-*s %9s %8s %7s %7s %7s %9s %9s %9s %9s\n", NAME_WIDTH, name, "jobs", "CPU s",
                 "target", "RSS MB", "target", "jobs/s", "events/s", "passes", "examined");
    (void)printf("%-*s %9s %8s %7s %7s %7s %9s %9s %9s %9s\n", NAME_WIDTH, "", "", "", "", "", "",
                 "", "", "", "per pass");
}

void bench_print_head(const struct bench_options *options)
{
    char processor[128];

    processor_name(processor, sizeof processor);
    (void)printf("hsim %s, commit %s%s; %s, %ld cores; ", HSIM_VERSION, result_git_commit(),
                 IS_OPTIMISED ? "" : ", built WITHOUT optimisation", processor,
                 sysconf(_SC_NPROCESSORS_ONLN));
    if (options->level > 0) {
        (void)printf("output deflate-%d; ", options->level);
    } else {
        (void)printf("output uncompressed; ");
    }
    (void)printf("%s%d run%s%s\n", options->runs > 1 ? "best of " : "", options->runs,
                 options->runs > 1 ? "s" : "",
                 options->is_quick ? "; a twentieth of the jobs" : "");
    if (options->against) {
        (void)printf("beside it: %s\n", options->against);
    }
    (void)printf("\n");
    print_columns("case");
}

static double per(double amount, double divisor)
{
    return divisor > 0 ? amount / divisor : (double)NAN;
}

static double rss_mb(const struct bench_measure *measure)
{
    return (double)measure->rss_bytes / 1e6;
}

static void print_target(double target, int decimals)
{
    if (target > 0) {
        (void)printf(" %7.*f", decimals, target);
    } else {
        (void)printf(" %7s", "-");
    }
}

static void print_measure(const char *name, const struct bench_measure *measure, double cpu_target,
                          double rss_target)
{
    (void)printf("%-*s %9" PRId64 " %8.3f", NAME_WIDTH, name, measure->jobs, measure->cpu_s);
    print_target(cpu_target, 2);
    (void)printf(" %7.1f", rss_mb(measure));
    print_target(rss_target, 0);
    (void)printf(" %9.0f %9.0f %9" PRId64 " %9.2f\n", per((double)measure->jobs, measure->cpu_s),
                 per((double)measure->events, measure->cpu_s), measure->passes,
                 per((double)measure->examined, (double)measure->passes));
}

static double kernel_s(const struct bench_result *result)
{
    return result->parse_s + result->heap_s + result->log_s;
}

static bool is_same_schedule(const struct bench_result *result)
{
    return strcmp(result->self.digest, result->other.digest) == 0;
}

void bench_print_case(const struct bench_options *options, const struct bench_result *result)
{
    print_measure(result->what->name, &result->self, result->cpu_target_s, result->rss_target_mb);
    if (options->against) {
        print_measure("  the other", &result->other, 0, 0);
        (void)printf("  CPU of this / the other: %.3f; %s\n",
                     per(result->self.cpu_s, result->other.cpu_s),
                     is_same_schedule(result) ? "same schedule" : "the schedules DIFFER");
    }
    if (result->what->has_kernel) {
        (void)printf("  reference: parse %.3f + heap %.3f + log %.3f = %.3f s; run / reference "
                     "%.2f, target %.0f\n",
                     result->parse_s, result->heap_s, result->log_s, kernel_s(result),
                     per(result->self.cpu_s, kernel_s(result)), BENCH_KERNEL_TARGET);
    }
    (void)fflush(stdout);
}

/* Marginal costs between the sizes that were measured. */
struct marginal {
    int64_t from, to;
    double self_s, other_s; /* a job */
};

/* Between neighbouring sizes; returns how many there are, at most `room`. */
static size_t find_marginals(const struct bench_result *results, size_t count,
                             struct marginal *marginals, size_t room)
{
    const struct bench_result *last = NULL;
    size_t found = 0;

    for (size_t i = 0; i < count && found < room; i++) {
        const struct bench_result *next = &results[i];
        double jobs;

        if (!next->what->is_marginal) {
            continue;
        }
        jobs = last ? (double)(next->self.jobs - last->self.jobs) : 0;
        if (jobs > 0) {
            marginals[found++] = (struct marginal){
                last->self.jobs,
                next->self.jobs,
                (next->self.cpu_s - last->self.cpu_s) / jobs,
                (next->other.cpu_s - last->other.cpu_s) / jobs,
            };
        }
        last = next;
    }
    return found;
}

enum { MARGINALS_MAX = 8 };

void bench_print_marginal(const struct bench_options *options, const struct bench_result *results,
                          size_t count)
{
    struct marginal marginals[MARGINALS_MAX];
    size_t found = find_marginals(results, count, marginals, MARGINALS_MAX);

    for (size_t i = 0; i < found; i++) {
        const struct marginal *marginal = &marginals[i];

        (void)printf("%sa job more, from %" PRId64 " to %" PRId64 " jobs: %.3f us of CPU",
                     i ? "" : "\n", marginal->from, marginal->to, marginal->self_s * 1e6);
        if (options->against) {
            (void)printf(" (the other: %.3f)", marginal->other_s * 1e6);
        }
        if (i > 0) {
            (void)printf("; %+.0f %% of the line before, target within %.0f %%",
                         100 * (per(marginal->self_s, marginals[i - 1].self_s) - 1),
                         100 * BENCH_MARGINAL_TARGET);
        }
        (void)printf("\n");
    }
}

static void print_number(const char *key, double value)
{
    (void)printf(", \"%s\": ", key);
    cli_json_number(stdout, value);
}

static void print_target_number(const char *key, double target)
{
    print_number(key, target > 0 ? target : (double)NAN);
}

static void print_json_measure(const struct bench_measure *measure)
{
    (void)printf("{\"jobs\": %" PRId64 ", \"events\": %" PRId64 ", \"passes\": %" PRId64
                 ", \"jobs_examined\": %" PRId64 ", \"rss_bytes\": %" PRId64,
                 measure->jobs, measure->events, measure->passes, measure->examined,
                 measure->rss_bytes);
    print_number("cpu_s", measure->cpu_s);
    print_number("jobs_per_s", per((double)measure->jobs, measure->cpu_s));
    print_number("events_per_s", per((double)measure->events, measure->cpu_s));
    print_number("examined_per_pass", per((double)measure->examined, (double)measure->passes));
    print_number("queue_max_jobs", measure->queue_max);
    (void)printf(", \"schedule_digest\": ");
    cli_json_string(stdout, measure->digest);
    (void)printf("}");
}

static void print_json_case(const struct bench_options *options, const struct bench_result *result)
{
    (void)printf("\n  {\"name\": \"%s\", \"policy\": \"%s\"", result->what->name,
                 result->what->policy);
    print_target_number("target_cpu_s", result->cpu_target_s);
    print_target_number("target_rss_bytes", result->rss_target_mb * 1e6);
    (void)printf(",\n   \"this\": ");
    print_json_measure(&result->self);
    if (options->against) {
        (void)printf(",\n   \"other\": ");
        print_json_measure(&result->other);
        print_number("cpu_ratio", per(result->self.cpu_s, result->other.cpu_s));
        (void)printf(", \"same_schedule\": %s", is_same_schedule(result) ? "true" : "false");
    }
    if (result->what->has_kernel) {
        (void)printf(",\n   \"reference\": {\"cpu_s\": ");
        cli_json_number(stdout, kernel_s(result));
        print_number("parse_s", result->parse_s);
        print_number("heap_s", result->heap_s);
        print_number("log_s", result->log_s);
        print_number("ratio", per(result->self.cpu_s, kernel_s(result)));
        print_number("target_ratio", BENCH_KERNEL_TARGET);
        (void)printf("}");
    }
    (void)printf("}");
}

void bench_print_json(const struct bench_options *options, const struct bench_result *results,
                      size_t count)
{
    struct marginal marginals[MARGINALS_MAX];
    size_t found = find_marginals(results, count, marginals, MARGINALS_MAX);
    char processor[128];

    processor_name(processor, sizeof processor);
    (void)printf("{\"version\": \"%s\", \"commit\": \"%s\", \"optimised\": %s, \"processor\": ",
                 HSIM_VERSION, result_git_commit(), IS_OPTIMISED ? "true" : "false");
    cli_json_string(stdout, processor);
    (void)printf(", \"cores\": %ld,\n \"quick\": %s, \"compression\": %d, \"runs\": %d, "
                 "\"trace\": ",
                 sysconf(_SC_NPROCESSORS_ONLN), options->is_quick ? "true" : "false",
                 options->level, options->runs);
    cli_json_string(stdout, options->trace);
    (void)printf(", \"against\": ");
    cli_json_string(stdout, options->against);
    (void)printf(",\n \"cases\": [");
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s", i ? "," : "");
        print_json_case(options, &results[i]);
    }
    (void)printf("\n ],\n \"marginal\": [");
    for (size_t i = 0; i < found; i++) {
        (void)printf("%s\n  {\"from_jobs\": %" PRId64 ", \"to_jobs\": %" PRId64, i ? "," : "",
                     marginals[i].from, marginals[i].to);
        print_number("cpu_s_per_job", marginals[i].self_s);
        if (options->against) {
            print_number("other_cpu_s_per_job", marginals[i].other_s);
        }
        (void)printf("}");
    }
    (void)printf("]}\n");
}
