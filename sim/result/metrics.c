/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metrics.c - the table of metrics, and how each is computed. */
#include "result/metrics.h"

#include "result/stability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum scalar {
    SCALAR_JOBS,
    SCALAR_FINISHED,
    SCALAR_KILLED,
    SCALAR_CANCELLED,
    SCALAR_REJECTED,
    SCALAR_UNFINISHED,
    SCALAR_MEASURED,
    SCALAR_MAKESPAN,
    SCALAR_UTIL_ALLOC,
    SCALAR_UTIL_ARRIVALS,
    SCALAR_UTIL_MEASURE,
    SCALAR_ALLOC_HOURS,
    SCALAR_OFFERED_LOAD,
    SCALAR_THROUGHPUT,
    SCALAR_QUEUE_MEAN,
    SCALAR_QUEUE_MAX,
    SCALAR_RUNNING_MEAN,
    SCALAR_RUNNING_MAX,
    SCALAR_BACKLOG_MEAN,
    SCALAR_BACKLOG_MAX,
    SCALAR_BACKLOG_EARLY,
    SCALAR_BACKLOG_LATE,
    SCALAR_HELD_LATE,
    SCALAR_COUNT
};

enum statistic {
    STATISTIC_MEAN,
    STATISTIC_STD,
    STATISTIC_MAX,
    STATISTIC_GEOMEAN,
    STATISTIC_WEIGHTED,
    STATISTIC_QUANTILES, /* and those after it: ranks by percent */
    STATISTIC_MEDIAN = STATISTIC_QUANTILES,
    STATISTIC_P90,
    STATISTIC_P95,
    STATISTIC_P99,
    STATISTIC_COUNT
};

#define QUANTILE_COUNT (STATISTIC_COUNT - STATISTIC_QUANTILES)
static const unsigned quantile_percents[QUANTILE_COUNT] = {50, 90, 95, 99};

struct metric_row {
    const char *name, *unit, *doc;
    enum scalar scalar; /* SCALAR_COUNT: a statistic of a distribution */
    enum metrics_quantity quantity;
    enum statistic statistic;
};

#define SCALAR_ROW(scalar, name, unit, doc)                                                        \
    {                                                                                              \
        name, unit, doc, scalar, QUANTITY_COUNT, STATISTIC_COUNT                                   \
    }
#define STATISTIC_ROW(quantity, statistic, name, unit, doc)                                        \
    {                                                                                              \
        name, unit, doc, SCALAR_COUNT, quantity, statistic                                         \
    }
#define DISTRIBUTION_ROWS(quantity, name, suffix, unit, what)                                      \
    STATISTIC_ROW(quantity, STATISTIC_MEAN, name "_mean" suffix, unit, "mean " what),              \
        STATISTIC_ROW(quantity, STATISTIC_STD, name "_std" suffix, unit,                           \
                      "standard deviation (n - 1) of the " what),                                  \
        STATISTIC_ROW(quantity, STATISTIC_MEDIAN, name "_median" suffix, unit,                     \
                      "median " what " (nearest rank)"),                                           \
        STATISTIC_ROW(quantity, STATISTIC_P90, name "_p90" suffix, unit,                           \
                      "90th percentile of the " what " (nearest rank)"),                           \
        STATISTIC_ROW(quantity, STATISTIC_P95, name "_p95" suffix, unit,                           \
                      "95th percentile of the " what " (nearest rank)"),                           \
        STATISTIC_ROW(quantity, STATISTIC_P99, name "_p99" suffix, unit,                           \
                      "99th percentile of the " what " (nearest rank)"),                           \
        STATISTIC_ROW(quantity, STATISTIC_MAX, name "_max" suffix, unit, "largest " what)

/* Distributions are over the measured jobs that ran to their end (finished or killed). */
static const struct metric_row metric_rows[] = {
    SCALAR_ROW(SCALAR_JOBS, "jobs", "jobs", "jobs of the workload"),
    SCALAR_ROW(SCALAR_FINISHED, "finished", "jobs", "jobs that ran to their end"),
    SCALAR_ROW(SCALAR_KILLED, "killed", "jobs", "jobs that were cut at their requested time"),
    SCALAR_ROW(SCALAR_CANCELLED, "cancelled", "jobs", "jobs that the user took back"),
    SCALAR_ROW(SCALAR_REJECTED, "rejected", "jobs",
               "jobs that can never run on this machine, or that the policy rejected"),
    SCALAR_ROW(SCALAR_UNFINISHED, "unfinished", "jobs", "jobs that the end of the run cut off"),
    SCALAR_ROW(SCALAR_MEASURED, "jobs_measured", "jobs",
               "jobs behind the distributions: submitted within the measured window, and ended"),
    SCALAR_ROW(SCALAR_MAKESPAN, "makespan_s", "s", "last end - first submit of the jobs that ran"),
    SCALAR_ROW(SCALAR_UTIL_ALLOC, "util_alloc", "1",
               "core time held by jobs / installed core time, over the makespan"),
    SCALAR_ROW(SCALAR_UTIL_ARRIVALS, "util_alloc_arrivals", "1",
               "the same from the first to the last submission"),
    SCALAR_ROW(SCALAR_UTIL_MEASURE, "util_alloc_measure", "1", "the same in the measured window"),
    SCALAR_ROW(SCALAR_ALLOC_HOURS, "alloc_core_h", "h", "core hours held by jobs"),
    SCALAR_ROW(SCALAR_OFFERED_LOAD, "offered_load", "1",
               "core time asked for / installed core time from the first to the last submission"),
    SCALAR_ROW(SCALAR_THROUGHPUT, "throughput_per_h", "1/h", "jobs ended per hour of makespan"),
    SCALAR_ROW(SCALAR_QUEUE_MEAN, "queue_mean_jobs", "jobs",
               "jobs waiting, mean over the makespan"),
    SCALAR_ROW(SCALAR_QUEUE_MAX, "queue_max_jobs", "jobs", "most jobs waiting at once"),
    SCALAR_ROW(SCALAR_RUNNING_MEAN, "running_mean_jobs", "jobs",
               "jobs running, mean over the makespan"),
    SCALAR_ROW(SCALAR_RUNNING_MAX, "running_max_jobs", "jobs", "most jobs running at once"),
    SCALAR_ROW(SCALAR_BACKLOG_MEAN, "backlog_mean_procs", "procs",
               "processors asked for by waiting jobs, mean over the makespan"),
    SCALAR_ROW(SCALAR_BACKLOG_MAX, "backlog_max_procs", "procs",
               "most processors asked for by waiting jobs"),
    SCALAR_ROW(
        SCALAR_BACKLOG_EARLY, RESULT_BACKLOG_EARLY, "procs",
        "processors asked for by waiting jobs, mean over the first half of the time from the "
        "first to the last submission in the measured window"),
    SCALAR_ROW(SCALAR_BACKLOG_LATE, RESULT_BACKLOG_LATE, "procs",
               "fewest processors asked for by waiting jobs in the last quarter of that time"),
    SCALAR_ROW(SCALAR_HELD_LATE, RESULT_HELD_LATE, "cores",
               "cores held by jobs, mean over the last quarter of that time"),
    DISTRIBUTION_ROWS(QUANTITY_WAIT, "wait", "_s", "s", "wait (start - submit)"),
    STATISTIC_ROW(QUANTITY_WAIT, STATISTIC_WEIGHTED, "wait_weighted_s", "s",
                  "mean wait weighted by processors x run time"),
    DISTRIBUTION_ROWS(QUANTITY_TURNAROUND, "turnaround", "_s", "s", "turnaround (end - submit)"),
    DISTRIBUTION_ROWS(QUANTITY_SLOWDOWN, "slowdown", "", "1", "slowdown (turnaround / run time)"),
    STATISTIC_ROW(QUANTITY_SLOWDOWN, STATISTIC_GEOMEAN, "slowdown_geomean", "1",
                  "geometric mean of the slowdown"),
    DISTRIBUTION_ROWS(QUANTITY_BSLD, "bsld", "", "1", "bounded slowdown"),
    STATISTIC_ROW(QUANTITY_BSLD, STATISTIC_GEOMEAN, "bsld_geomean", "1",
                  "geometric mean of the bounded slowdown"),
    STATISTIC_ROW(QUANTITY_BSLD, STATISTIC_WEIGHTED, "bsld_weighted", "1",
                  "mean bounded slowdown weighted by processors x run time"),
    DISTRIBUTION_ROWS(QUANTITY_BSLD_PER_PROC, "bsld_per_proc", "", "1",
                      "bounded slowdown per processor"),
};

#define METRIC_COUNT (sizeof metric_rows / sizeof metric_rows[0])

enum hs_err metrics_init(struct metrics *metrics, const struct result_meta *meta,
                         struct hs_error *error)
{
    *metrics = (struct metrics){
        .tau_ns = meta->tau_ns,
        .from_ns = meta->measure_from_ns,
        .to_ns = meta->measure_to_ns,
        .capacity_milli = hs_cluster_cores_milli(meta->cluster),
    };
    growth_init(&metrics->growth, meta->measure_from_ns, meta->measure_to_ns);
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        enum hs_err code = quantile_counts_init(&metrics->distributions[i].counts, error);

        if (code != HS_OK) {
            return code;
        }
    }
    return HS_OK;
}

void metrics_fini(struct metrics *metrics)
{
    growth_fini(&metrics->growth);
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        quantile_counts_fini(&metrics->distributions[i].counts);
    }
}

bool metrics_submitted(struct metrics *metrics, const struct series *series, hs_time time_ns)
{
    if (metrics->submitted == 0) {
        metrics->first_submit_ns = time_ns;
        metrics->integral_at_first_submit = series_integral_at(series, LEVEL_ALLOC, time_ns);
    }
    if (metrics->submitted == 0 || time_ns > metrics->last_submit_ns) {
        metrics->last_submit_ns = time_ns;
        metrics->integral_at_last_submit = series_integral_at(series, LEVEL_ALLOC, time_ns);
    }
    metrics->submitted++;
    return growth_submitted(&metrics->growth, time_ns);
}

void metrics_point(struct metrics *metrics, const struct series *series,
                   const struct result_point *point)
{
    hs_time time_ns = point->time_ns;

    growth_point(&metrics->growth, time_ns, point->queue_procs, point->alloc_milli);
    if (!metrics->has_from && time_ns >= metrics->from_ns) {
        metrics->has_from = true;
        metrics->integral_at_from = series_integral_at(series, LEVEL_ALLOC, metrics->from_ns);
    }
    if (!metrics->has_to && time_ns >= metrics->to_ns) {
        metrics->has_to = true;
        metrics->integral_at_to = series_integral_at(series, LEVEL_ALLOC, metrics->to_ns);
    }
}

bool metrics_is_measured(const struct metrics *metrics, hs_time submit_ns)
{
    return submit_ns >= metrics->from_ns && submit_ns <= metrics->to_ns;
}

bool metrics_sample_of(enum result_state state, hs_time submit_ns, hs_time start_ns, hs_time end_ns,
                       hs_time run_ns, int64_t procs, struct metrics_sample *sample)
{
    *sample = (struct metrics_sample){
        .wait_ns = start_ns - submit_ns,
        .turnaround_ns = end_ns - submit_ns,
        .run_ns = run_ns,
        .ref_ns = run_ns,
        .procs = procs,
    };
    return state == RESULT_FINISHED || state == RESULT_KILLED;
}

void metrics_values(hs_time tau_ns, const struct metrics_sample *sample,
                    double values[QUANTITY_COUNT])
{
    double turnaround = (double)sample->turnaround_ns;
    hs_time bound_ns = sample->ref_ns > tau_ns ? sample->ref_ns : tau_ns;
    double bsld = bound_ns > 0 ? turnaround / (double)bound_ns : NAN;
    double per_proc = bound_ns > 0 ? bsld / (double)sample->procs : NAN;

    values[QUANTITY_WAIT] = (double)sample->wait_ns / 1e9;
    values[QUANTITY_TURNAROUND] = turnaround / 1e9;
    values[QUANTITY_SLOWDOWN] = sample->run_ns > 0 ? turnaround / (double)sample->run_ns : NAN;
    values[QUANTITY_BSLD] = bsld < 1 ? 1 : bsld;
    values[QUANTITY_BSLD_PER_PROC] = per_proc < 1 ? 1 : per_proc;
}

static void add_sample(struct metrics *metrics, const struct metrics_sample *sample,
                       const double values[QUANTITY_COUNT])
{
    double weight = (double)sample->procs * (double)sample->run_ns;

    metrics->samples++;
    metrics->wait_ns += sample->wait_ns;
    metrics->turnaround_ns += sample->turnaround_ns;
    metrics_sum_add(&metrics->weights, weight);
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        struct metrics_distribution *distribution = &metrics->distributions[i];
        double value = values[i];

        if (isnan(value)) {
            continue;
        }
        if (distribution->counts.count == 0 || value > distribution->max) {
            distribution->max = value;
        }
        quantile_counts_add(&distribution->counts, value);
        if (i >= QUANTITY_SLOWDOWN) {
            metrics_sum_add(&distribution->sum, value);
        }
        if ((i == QUANTITY_SLOWDOWN || i == QUANTITY_BSLD) && value != 1) {
            metrics_sum_add(&distribution->logs, log(value)); /* log(1) is 0, and common */
        }
        if (i == QUANTITY_WAIT || i == QUANTITY_BSLD) {
            metrics_sum_add(&distribution->weighted, weight * value);
        }
    }
}

void metrics_job(struct metrics *metrics, const struct result_job *job, hs_int128 held,
                 const struct metrics_sample *sample, const double values[QUANTITY_COUNT])
{
    const struct hs_demand *demand = job->demand;

    metrics->jobs++;
    metrics->states[job->state]++;
    if (job->start_ns >= 0 && job->end_ns >= 0) {
        if (metrics->started == 0 || job->submit_ns < metrics->first_started_ns) {
            metrics->first_started_ns = job->submit_ns;
        }
        if (metrics->started == 0 || job->end_ns > metrics->last_end_ns) {
            metrics->last_end_ns = job->end_ns;
        }
        metrics->started++;
        metrics->held += held;
    }
    if (job->state != RESULT_REJECTED && job->run_ns >= 0 && job->run_ns != HS_TIME_NEVER) {
        metrics->offered += (hs_int128)demand->tasks * demand->cores_milli * job->run_ns;
    }
    if (sample && metrics_is_measured(metrics, job->submit_ns)) {
        add_sample(metrics, sample, values);
    }
}

/* a / b, or NaN where there is nothing to divide by. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

/* Core time held / installed core time over a window. */
static double utilisation(const struct metrics *metrics, hs_int128 held, hs_time window_ns)
{
    return window_ns > 0 ? (double)held / (double)((hs_int128)metrics->capacity_milli * window_ns)
                         : NAN;
}

static double measured_utilisation(const struct metrics *metrics, const struct series *series)
{
    hs_time from_ns = metrics->from_ns;
    hs_time to_ns = metrics->to_ns;
    hs_int128 before = metrics->has_from ? metrics->integral_at_from : 0;
    hs_int128 until = metrics->integral_at_to;

    if (from_ns < metrics->first_submit_ns) {
        from_ns = metrics->first_submit_ns;
        before = metrics->integral_at_first_submit;
    }
    if (!metrics->has_to || to_ns > metrics->last_end_ns) {
        to_ns = metrics->last_end_ns;
        until = series->integrals[LEVEL_ALLOC];
    }
    return utilisation(metrics, until - before, to_ns - from_ns);
}

static void compute_scalars(const struct metrics *metrics, const struct series *series,
                            double scalars[SCALAR_COUNT])
{
    hs_time makespan_ns = metrics->started ? metrics->last_end_ns - metrics->first_started_ns : -1;
    hs_time arrivals_ns = metrics->last_submit_ns - metrics->first_submit_ns;
    double makespan = (double)makespan_ns;
    double ended = (double)(metrics->states[RESULT_FINISHED] + metrics->states[RESULT_KILLED]);
    struct growth_levels growth = growth_levels(&metrics->growth);

    scalars[SCALAR_JOBS] = (double)metrics->jobs;
    scalars[SCALAR_FINISHED] = (double)metrics->states[RESULT_FINISHED];
    scalars[SCALAR_KILLED] = (double)metrics->states[RESULT_KILLED];
    scalars[SCALAR_CANCELLED] = (double)metrics->states[RESULT_CANCELLED];
    scalars[SCALAR_REJECTED] = (double)metrics->states[RESULT_REJECTED];
    scalars[SCALAR_UNFINISHED] = (double)metrics->states[RESULT_UNFINISHED];
    scalars[SCALAR_MEASURED] = (double)metrics->samples;
    scalars[SCALAR_MAKESPAN] = makespan_ns >= 0 ? makespan / 1e9 : NAN;
    scalars[SCALAR_UTIL_ALLOC] = utilisation(metrics, metrics->held, makespan_ns);
    scalars[SCALAR_UTIL_ARRIVALS] = utilisation(
        metrics, metrics->integral_at_last_submit - metrics->integral_at_first_submit, arrivals_ns);
    scalars[SCALAR_UTIL_MEASURE] = measured_utilisation(metrics, series);
    scalars[SCALAR_ALLOC_HOURS] = (double)metrics->held / 3.6e15;
    scalars[SCALAR_OFFERED_LOAD] = utilisation(metrics, metrics->offered, arrivals_ns);
    scalars[SCALAR_THROUGHPUT] = ratio(ended * 3.6e12, makespan);
    scalars[SCALAR_QUEUE_MEAN] = ratio((double)series->integrals[LEVEL_QUEUE], makespan);
    scalars[SCALAR_QUEUE_MAX] = (double)series->highest[LEVEL_QUEUE];
    scalars[SCALAR_RUNNING_MEAN] = ratio((double)series->integrals[LEVEL_RUNNING], makespan);
    scalars[SCALAR_RUNNING_MAX] = (double)series->highest[LEVEL_RUNNING];
    scalars[SCALAR_BACKLOG_MEAN] = ratio((double)series->integrals[LEVEL_BACKLOG], makespan);
    scalars[SCALAR_BACKLOG_MAX] = (double)series->highest[LEVEL_BACKLOG];
    scalars[SCALAR_BACKLOG_EARLY] = growth.early;
    scalars[SCALAR_BACKLOG_LATE] = growth.least;
    scalars[SCALAR_HELD_LATE] = growth.held;
}

typedef double statistics_table[QUANTITY_COUNT][STATISTIC_COUNT];

/* What needs no second reading; NaN for the rest. */
static void compute_means(const struct metrics *metrics, statistics_table table)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const struct metrics_distribution *distribution = &metrics->distributions[i];
        double count = (double)distribution->counts.count;
        double sum = metrics_sum_value(&distribution->sum);

        for (int j = 0; j < STATISTIC_COUNT; j++) {
            table[i][j] = NAN;
        }
        if (distribution->counts.count == 0) {
            continue;
        }
        if (i == QUANTITY_WAIT) {
            sum = (double)metrics->wait_ns / 1e9;
        } else if (i == QUANTITY_TURNAROUND) {
            sum = (double)metrics->turnaround_ns / 1e9;
        }
        table[i][STATISTIC_MEAN] = sum / count;
        table[i][STATISTIC_MAX] = distribution->max;
        table[i][STATISTIC_GEOMEAN] = exp(metrics_sum_value(&distribution->logs) / count);
        table[i][STATISTIC_WEIGHTED] =
            ratio(metrics_sum_value(&distribution->weighted), metrics_sum_value(&metrics->weights));
    }
}

#define READ_BLOCK 1024u

/* A few samples of a reading. */
static void read_block(const struct metrics *metrics, const struct metrics_sample *samples,
                       size_t count, statistics_table table, struct metrics_sum *squares,
                       struct quantile (*quantiles)[QUANTILE_COUNT])
{
    double columns[QUANTITY_COUNT][READ_BLOCK];

    for (size_t s = 0; s < count; s++) {
        double values[QUANTITY_COUNT];

        metrics_values(metrics->tau_ns, &samples[s], values);
        for (int i = 0; i < QUANTITY_COUNT; i++) {
            columns[i][s] = values[i];
        }
    }
    /* Sample by sample: an addition waits for the one before it only within a sum. */
    for (size_t s = 0; squares && s < count; s++) {
        for (int i = 0; i < QUANTITY_COUNT; i++) {
            double offset = columns[i][s] - table[i][STATISTIC_MEAN];

            if (!isnan(offset)) {
                metrics_sum_add(&squares[i], offset * offset);
            }
        }
    }
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        for (int q = 0; q < QUANTILE_COUNT; q++) {
            quantile_add(&quantiles[i][q], columns[i], count);
        }
    }
}

/* One reading of all samples: squares around the mean (first reading only), ranks. */
static enum hs_err read_samples(const struct metrics *metrics, const struct metrics_source *source,
                                statistics_table table, struct metrics_sum *squares,
                                struct quantile (*quantiles)[QUANTILE_COUNT],
                                struct hs_error *error)
{
    for (;;) {
        const struct metrics_sample *samples;
        size_t count;
        enum hs_err code = source->next(source->context, &samples, &count, error);

        if (code != HS_OK || count == 0) {
            return code;
        }
        for (size_t done = 0; done < count; done += READ_BLOCK) {
            size_t left = count - done;

            read_block(metrics, samples + done, left < READ_BLOCK ? left : READ_BLOCK, table,
                       squares, quantiles);
        }
    }
}

static enum hs_err init_quantiles(const struct metrics *metrics,
                                  struct quantile (*quantiles)[QUANTILE_COUNT],
                                  struct hs_error *error)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        for (int q = 0; q < QUANTILE_COUNT; q++) {
            const struct quantile_counts *counts = &metrics->distributions[i].counts;
            enum hs_err code = HS_OK;

            if (counts->count == 0) {
                quantiles[i][q].is_done = true;
                quantiles[i][q].value = NAN;
            } else {
                code = quantile_init(&quantiles[i][q], counts, quantile_percents[q], error);
            }
            if (code != HS_OK) {
                return code;
            }
        }
    }
    return HS_OK;
}

static enum hs_err compute_ranks(const struct metrics *metrics, const struct metrics_source *source,
                                 statistics_table table, struct hs_error *error)
{
    struct quantile quantiles[QUANTITY_COUNT][QUANTILE_COUNT] = {0};
    struct metrics_sum squares[QUANTITY_COUNT] = {0};
    enum hs_err code = init_quantiles(metrics, quantiles, error);
    bool is_done = false;

    for (int reading = 0; code == HS_OK && !is_done; reading++) {
        code =
            read_samples(metrics, source, table, reading == 0 ? squares : NULL, quantiles, error);
        is_done = true;
        for (int i = 0; code == HS_OK && i < QUANTITY_COUNT; i++) {
            for (int q = 0; q < QUANTILE_COUNT; q++) {
                is_done = quantile_step(&quantiles[i][q]) && is_done;
            }
        }
    }
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        int64_t count = metrics->distributions[i].counts.count;

        if (count > 1) {
            table[i][STATISTIC_STD] = sqrt(metrics_sum_value(&squares[i]) / (double)(count - 1));
        }
        for (int q = 0; q < QUANTILE_COUNT; q++) {
            table[i][STATISTIC_QUANTILES + q] = quantiles[i][q].value;
            quantile_fini(&quantiles[i][q]);
        }
    }
    return code;
}

enum hs_err metrics_summarise(struct metrics *metrics, const struct series *series,
                              const struct metrics_source *source, struct result_summary *summary,
                              struct hs_error *error)
{
    double scalars[SCALAR_COUNT];
    statistics_table table;
    enum hs_err code;

    compute_scalars(metrics, series, scalars);
    compute_means(metrics, table);
    code = compute_ranks(metrics, source, table, error);
    if (code != HS_OK) {
        return code;
    }
    summary->metrics = calloc(METRIC_COUNT, sizeof *summary->metrics);
    if (!summary->metrics) {
        return hs_error_memory(error);
    }
    summary->metric_count = METRIC_COUNT;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct metric_row *row = &metric_rows[i];
        struct result_metric *metric = &summary->metrics[i];

        *metric = (struct result_metric){.name = row->name, .unit = row->unit, .doc = row->doc};
        if (row->scalar == SCALAR_COUNT) {
            metric->value = table[row->quantity][row->statistic];
            metric->count = metrics->distributions[row->quantity].counts.count;
        } else {
            metric->value = scalars[row->scalar];
            metric->count = row->scalar >= SCALAR_QUEUE_MEAN ? series->points : metrics->jobs;
        }
    }
    return HS_OK;
}

void result_summary_fini(struct result_summary *summary)
{
    free(summary->metrics);
    free(summary->texts);
    free(summary->classes);
    free(summary->models);
    *summary = (struct result_summary){0};
}

double result_summary_get(const struct result_summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->metric_count; i++) {
        if (strcmp(summary->metrics[i].name, name) == 0) {
            return summary->metrics[i].value;
        }
    }
    return NAN;
}
