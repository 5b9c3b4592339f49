/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resample.c - metrics of jobs over blocks of them that are drawn again and again. */
#include "compare/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WEEK_NS (7 * 24 * 3600 * HS_NS_PER_S)

const char *const compare_unit_names[3] = {"runs", "users", "weeks"};

/* ---- metrics of jobs */

enum { QUANTITIES = 4, STATISTICS = 5 };

static const struct {
    const char *name, *suffix;
    enum result_job_column column;
} quantities[QUANTITIES] = {
    {"wait", "_s", JOB_WAIT},
    {"turnaround", "_s", JOB_TURNAROUND},
    {"slowdown", "", JOB_SLOWDOWN},
    {"bsld", "", JOB_BSLD},
};

/* Percent of a nearest rank; 0: the mean. */
static const struct {
    const char *name;
    unsigned percent;
} statistics[STATISTICS] = {{"mean", 0}, {"median", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}};

struct metric {
    size_t quantity;
    unsigned percent;
};

static enum hs_err find_metric(const char *name, struct metric *metric, struct hs_error *error)
{
    char texts[QUANTITIES * STATISTICS][32];
    const char *names[QUANTITIES * STATISTICS];
    const char *near;

    for (size_t i = 0; i < QUANTITIES * STATISTICS; i++) {
        size_t quantity = i / STATISTICS;

        (void)snprintf(texts[i], sizeof texts[i], "%s_%s%s", quantities[quantity].name,
                       statistics[i % STATISTICS].name, quantities[quantity].suffix);
        names[i] = texts[i];
        if (strcmp(texts[i], name) == 0) {
            *metric = (struct metric){quantity, statistics[i % STATISTICS].percent};
            return HS_OK;
        }
    }
    near = hs_nearest(name, names, QUANTITIES * STATISTICS);
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "--resample draws jobs, and '%s' is no metric that jobs alone give%s%s%s It "
        "takes the mean, median, p90, p95 and p99 of wait, turnaround, slowdown and "
        "bsld, as in %s.",
        name, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "",
        COMPARE_JOB_METRICS);
}

/* ---- jobs of a run */

struct job {
    double value;
    uint32_t block;
};

/* One quantity of the measured jobs that have it. */
struct sample {
    struct job *jobs; /* by value */
    size_t count;
    double *sums;     /* by block */
    uint32_t *counts; /* likewise */
};

/* The measured jobs of a run, in the order of its file. */
struct run {
    int64_t *blocks; /* users or submit times; then weeks */
    double *values[QUANTITIES];
    size_t count;
    struct sample samples[QUANTITIES];
};

struct resampling {
    const struct compare_set *set;
    const struct compare_table *table;
    const struct stats_design *design;
    enum compare_unit unit;
    struct run *runs;       /* by policy */
    struct metric *metrics; /* of the set */
    int64_t *keys;          /* of the blocks, ascending */
    size_t block_count;
    double *draws; /* [(metric * policies + policy) * samples + sample] */
    size_t samples;
};

static void resampling_fini(struct resampling *self)
{
    for (size_t p = 0; self->runs && p < self->table->policy_count; p++) {
        struct run *run = &self->runs[p];

        free(run->blocks);
        for (int q = 0; q < QUANTITIES; q++) {
            free(run->values[q]);
            free(run->samples[q].jobs);
            free(run->samples[q].sums);
            free(run->samples[q].counts);
        }
    }
    free(self->runs);
    free(self->metrics);
    free(self->keys);
    free(self->draws);
}

/* Keeps the rows that are measured and have the quantity that follows. */
static enum hs_err read_rows(struct result_reader *reader, enum compare_unit unit, struct run *run,
                             int64_t *scratch, struct hs_error *error)
{
    const struct result_table *jobs = result_reader_table(reader, "jobs");
    size_t rows = (size_t)result_reader_rows(reader, jobs);
    size_t kept = 0;
    enum hs_err code = result_reader_ints(
        reader, jobs, unit == COMPARE_USERS ? JOB_USER : JOB_SUBMIT, 0, rows, run->blocks, error);

    for (int q = 0; code == HS_OK && q < QUANTITIES; q++) {
        code = result_reader_doubles(reader, jobs, quantities[q].column, 0, rows, run->values[q],
                                     error);
    }
    if (code == HS_OK) {
        code = result_reader_ints(reader, jobs, JOB_MEASURED, 0, rows, scratch, error);
    }
    for (size_t i = 0; code == HS_OK && i < rows; i++) {
        if (scratch[i]) {
            run->blocks[kept] = run->blocks[i];
            for (int q = 0; q < QUANTITIES; q++) {
                run->values[q][kept] = run->values[q][i];
            }
            kept++;
        }
    }
    run->count = kept;
    return code;
}

static enum hs_err read_run(const char *path, enum compare_unit unit, struct run *run,
                            struct hs_error *error)
{
    struct result_reader *reader = NULL;
    int64_t *scratch = NULL;
    enum hs_err code = result_reader_open(path, &reader, error);
    size_t rows;

    if (code != HS_OK) {
        return code;
    }
    rows = (size_t)result_reader_rows(reader, result_reader_table(reader, "jobs"));
    run->blocks = calloc(rows + 1, sizeof *run->blocks);
    scratch = calloc(rows + 1, sizeof *scratch);
    code = run->blocks && scratch ? HS_OK : hs_error_memory(error);
    for (int q = 0; code == HS_OK && q < QUANTITIES; q++) {
        run->values[q] = calloc(rows + 1, sizeof(double));
        code = run->values[q] ? HS_OK : hs_error_memory(error);
    }
    if (code == HS_OK) {
        code = read_rows(reader, unit, run, scratch, error);
    }
    free(scratch);
    result_reader_close(reader);
    return code;
}

/* ---- blocks */

static int compare_keys(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;

    return (*x > *y) - (*x < *y);
}

/* Submit times become numbers of weeks since the first measured submission. */
static void number_weeks(struct resampling *self)
{
    int64_t first = INT64_MAX;

    for (size_t p = 0; p < self->table->policy_count; p++) {
        for (size_t i = 0; i < self->runs[p].count; i++) {
            first = self->runs[p].blocks[i] < first ? self->runs[p].blocks[i] : first;
        }
    }
    for (size_t p = 0; p < self->table->policy_count; p++) {
        for (size_t i = 0; i < self->runs[p].count; i++) {
            int64_t *block = &self->runs[p].blocks[i];

            *block = (int64_t)(((uint64_t)*block - (uint64_t)first) / (uint64_t)WEEK_NS);
        }
    }
}

/* Lists the blocks of all runs, and numbers those of the jobs by it. */
static enum hs_err number_blocks(struct resampling *self, struct hs_error *error)
{
    size_t count = 0;
    size_t kept = 0;

    for (size_t p = 0; p < self->table->policy_count; p++) {
        count += self->runs[p].count;
    }
    self->keys = calloc(count + 1, sizeof *self->keys);
    if (!self->keys) {
        return hs_error_memory(error);
    }
    count = 0;
    for (size_t p = 0; p < self->table->policy_count; p++) {
        memcpy(self->keys + count, self->runs[p].blocks, self->runs[p].count * sizeof *self->keys);
        count += self->runs[p].count;
    }
    qsort(self->keys, count, sizeof *self->keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || self->keys[kept - 1] != self->keys[i]) {
            self->keys[kept++] = self->keys[i];
        }
    }
    self->block_count = kept;
    for (size_t p = 0; p < self->table->policy_count; p++) {
        for (size_t i = 0; i < self->runs[p].count; i++) {
            int64_t *block = &self->runs[p].blocks[i];
            const int64_t *key = bsearch(block, self->keys, kept, sizeof *self->keys, compare_keys);

            *block = key - self->keys;
        }
    }
    return HS_OK;
}

/* A job without a user has the number -1. */
static enum hs_err check_blocks(const struct resampling *self, struct hs_error *error)
{
    if (self->unit == COMPARE_USERS && self->block_count == 1 && self->keys[0] == -1) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--resample users: no job of these runs has a user. Resample weeks in "
                            "their place (--resample weeks).");
    }
    return HS_OK;
}

/* ---- samples */

static int compare_jobs(const void *a, const void *b)
{
    const struct job *x = a;
    const struct job *y = b;

    if (x->value < y->value || x->value > y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return (x->block > y->block) - (x->block < y->block);
}

static enum hs_err make_sample(const struct resampling *self, struct run *run, size_t quantity,
                               struct hs_error *error)
{
    struct sample *sample = &run->samples[quantity];

    if (sample->jobs) {
        return HS_OK;
    }
    sample->jobs = calloc(run->count + 1, sizeof *sample->jobs);
    sample->sums = calloc(self->block_count + 1, sizeof *sample->sums);
    sample->counts = calloc(self->block_count + 1, sizeof *sample->counts);
    if (!sample->jobs || !sample->sums || !sample->counts) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < run->count; i++) {
        double value = run->values[quantity][i];
        uint32_t block = (uint32_t)run->blocks[i];

        if (!isnan(value)) {
            sample->jobs[sample->count++] = (struct job){value, block};
            sample->sums[block] += value;
            sample->counts[block]++;
        }
    }
    qsort(sample->jobs, sample->count, sizeof *sample->jobs, compare_jobs);
    return HS_OK;
}

/* The metric over the jobs of the blocks, each as often as it was drawn; NaN: there is none. */
static double evaluate(const struct sample *sample, unsigned percent, const uint32_t *times,
                       size_t blocks)
{
    uint64_t count = 0;
    double sum = 0;
    uint64_t rank, seen;
    size_t i;

    for (size_t k = 0; k < blocks; k++) {
        count += (uint64_t)times[k] * sample->counts[k];
        sum += times[k] * sample->sums[k];
    }
    if (count == 0) {
        return NAN;
    }
    if (percent == 0) {
        return sum / (double)count;
    }
    rank = (count * percent + 99) / 100;
    seen = 0;
    for (i = 0; i < sample->count; i++) {
        seen += times[sample->jobs[i].block];
        if (seen >= rank) {
            break;
        }
    }
    return sample->jobs[i].value;
}

static bool is_left_out(const struct compare_run *run)
{
    return run->stability == RESULT_UNSTABLE;
}

static void visit(void *context, size_t number, const uint32_t *times)
{
    struct resampling *self = context;
    size_t policies = self->table->policy_count;

    for (size_t m = 0; m < self->set->metric_count; m++) {
        for (size_t p = 0; p < policies; p++) {
            const struct metric *metric = &self->metrics[m];

            self->draws[(m * policies + p) * self->samples + number] =
                is_left_out(self->table->runs[p])
                    ? NAN
                    : evaluate(&self->runs[p].samples[metric->quantity], metric->percent, times,
                               self->block_count);
        }
    }
}

/* ---- cells */

enum comparison { AS_IT_IS, DIFFERENCE, RATIO };

static double combine(double own, double base, enum comparison comparison)
{
    return comparison == AS_IT_IS     ? own
           : comparison == DIFFERENCE ? own - base
           : base > 0 && own > 0      ? own / base
                                      : NAN;
}

static struct stats_interval interval_of(const struct resampling *self, size_t metric,
                                         size_t policy, enum comparison comparison, double *room)
{
    const struct compare_table *table = self->table;
    size_t policies = table->policy_count;
    const double *own = self->draws + (metric * policies + policy) * self->samples;
    const double *base = self->draws + (metric * policies + table->baseline) * self->samples;
    double estimate = combine(table->runs[policy]->values[metric],
                              table->runs[table->baseline]->values[metric], comparison);
    size_t resamples = self->samples - self->block_count;

    if (is_left_out(table->runs[policy]) ||
        (comparison != AS_IT_IS && is_left_out(table->runs[table->baseline]))) {
        return (struct stats_interval){NAN, NAN, NAN};
    }
    for (size_t i = 0; i < self->samples; i++) {
        room[i] = combine(own[i], base[i], comparison);
    }
    return stats_bca(estimate, room, resamples, room + resamples, self->block_count,
                     self->design->level);
}

static enum hs_err fill_cells(const struct resampling *self, struct stats_cell *cells,
                              struct hs_error *error)
{
    const struct compare_table *table = self->table;
    double *room = calloc(self->samples + 1, sizeof *room);

    if (!room) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < self->set->metric_count * table->policy_count; i++) {
        size_t policy = i % table->policy_count;
        size_t metric = i / table->policy_count;
        struct stats_interval none = {NAN, NAN, NAN};
        struct stats_cell *cell = &cells[i];

        *cell = (struct stats_cell){.difference = none, .ratio = none, .deviation = NAN};
        cell->p = cell->p_holm = NAN;
        cell->count = is_left_out(table->runs[policy]) ? 0 : self->block_count;
        cell->center = interval_of(self, metric, policy, AS_IT_IS, room);
        if (policy != table->baseline) {
            cell->pairs = cell->count;
            cell->difference = interval_of(self, metric, policy, DIFFERENCE, room);
            cell->ratio = interval_of(self, metric, policy, RATIO, room);
        }
    }
    free(room);
    return HS_OK;
}

/* ---- the whole */

static enum hs_err check_table(const struct compare_table *table, struct hs_error *error)
{
    for (size_t p = 0; p < table->policy_count; p++) {
        if (table->columns != 1 || !table->runs[p] || table->runs[p]->is_failed) {
            return hs_error_set(
                error, HS_ERR_CONFIG,
                "--resample takes one run of each policy, since it asks what one trace can tell; "
                "here are %zu situations. Name the runs of one trace, or narrow them with --where. "
                "Several runs are compared without --resample.",
                table->columns);
        }
    }
    return HS_OK;
}

/* The jobs must give what the summary says, or the intervals are about something else. */
static enum hs_err check_values(const struct resampling *self, const uint32_t *once,
                                struct hs_error *error)
{
    const struct compare_table *table = self->table;

    for (size_t m = 0; m < self->set->metric_count; m++) {
        for (size_t p = 0; p < table->policy_count; p++) {
            double found = evaluate(&self->runs[p].samples[self->metrics[m].quantity],
                                    self->metrics[m].percent, once, self->block_count);
            double told = table->runs[p]->values[m];

            if (!(fabs(found - told) <= 1e-9 * fabs(told)) && !(isnan(found) && isnan(told))) {
                return hs_error_set(error, HS_ERR_INPUT,
                                    "%s: the jobs give %s = %.10g, and the summary says %.10g. The "
                                    "file was changed or damaged: run the experiment again.",
                                    table->runs[p]->path, self->set->metrics[m].name, found, told);
            }
        }
    }
    return HS_OK;
}

static enum hs_err prepare(struct resampling *self, struct hs_error *error)
{
    size_t policies = self->table->policy_count;
    enum hs_err code = check_table(self->table, error);

    self->metrics = calloc(self->set->metric_count + 1, sizeof *self->metrics);
    self->runs = calloc(policies + 1, sizeof *self->runs);
    if (code == HS_OK && (!self->metrics || !self->runs)) {
        code = hs_error_memory(error);
    }
    for (size_t m = 0; code == HS_OK && m < self->set->metric_count; m++) {
        code = find_metric(self->set->metrics[m].name, &self->metrics[m], error);
    }
    for (size_t p = 0; code == HS_OK && p < policies; p++) {
        code = read_run(self->table->runs[p]->path, self->unit, &self->runs[p], error);
    }
    if (code == HS_OK && self->unit == COMPARE_WEEKS) {
        number_weeks(self);
    }
    if (code == HS_OK) {
        code = number_blocks(self, error);
    }
    if (code == HS_OK) {
        code = check_blocks(self, error);
    }
    for (size_t i = 0; code == HS_OK && i < policies * self->set->metric_count; i++) {
        code = make_sample(self, &self->runs[i % policies], self->metrics[i / policies].quantity,
                           error);
    }
    return code;
}

enum hs_err compare_resample(const struct compare_set *set, const struct compare_table *table,
                             const struct stats_design *design, enum compare_unit unit,
                             struct stats_cell *cells, struct hs_error *error)
{
    struct resampling self = {.set = set, .table = table, .design = design, .unit = unit};
    enum hs_err code = prepare(&self, error);
    uint32_t *once = NULL;

    if (code == HS_OK) {
        size_t resamples = self.block_count < STATS_INTERVAL_MIN ? 0 : design->resamples;

        self.samples = resamples + self.block_count;
        self.draws =
            calloc(set->metric_count * table->policy_count * self.samples + 1, sizeof *self.draws);
        once = calloc(self.block_count + 1, sizeof *once);
        code = self.draws && once ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < self.block_count; i++) {
        once[i] = 1;
    }
    if (code == HS_OK) {
        code = check_values(&self, once, error);
    }
    if (code == HS_OK) {
        code = stats_draw_blocks(self.block_count, self.samples - self.block_count, design->seed,
                                 visit, &self, error);
    }
    if (code == HS_OK) {
        code = fill_cells(&self, cells, error);
    }
    free(once);
    resampling_fini(&self);
    return code;
}
