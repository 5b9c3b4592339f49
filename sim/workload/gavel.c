/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gavel.c - traces of Gavel as a source of jobs: steps become a run time by a table of throughputs.
 *
 * A job is scale_factor tasks with one GPU and one core each. Its run time is the one on workers of
 * one type, the reference: total_steps over their throughput, which a table gives for its job type
 * and scale factor. Its class is its job type. */
#include "workload/gavel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hs/cluster.h"
#include "speed/throughput.h"
#include "workload/source.h"
#include "workload/tally.h"

#define KIND       "gpu"
#define CORE_MILLI 1000

struct source {
    struct gavel_reader *rows;
    struct throughput_table *table;
    char *path;
    char *reference;
    size_t worker; /* the reference, in the table */
    struct workload_stats *stats;
    struct workload_names *names;
    bool is_strict;
    uint16_t kind;
    struct hs_error refusal; /* why no node can serve any job; empty: some may */
    struct hs_demand demand; /* of the last record */
    char problem[320];       /* why the row cannot be used */
};

static void source_close(void *self)
{
    struct source *source = self;

    if (source) {
        gavel_close(source->rows);
        throughput_destroy(source->table);
        free(source->path);
        free(source->reference);
        free(source);
    }
}

/* Reads the table and finds the reference in it. */
static enum hs_err table_open(struct source *source, const struct workload_options *options,
                              struct hs_error *error)
{
    enum hs_err err;

    if (!options->throughputs) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: a trace of Gavel says how many steps a job does, not how long it "
                            "runs; give a table of throughputs, too (throughputs: FILE.csv, "
                            "reference: WORKER).",
                            source->path);
    }
    err = throughput_read(options->throughputs, &source->table, error);
    if (err) {
        return err;
    }
    if (!options->reference) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: on which type of worker of %s are the run times to be taken? Give "
                            "`reference`, for instance %s.",
                            source->path, options->throughputs,
                            throughput_worker_name(source->table, 0));
    }
    return throughput_worker_find(source->table, options->reference, &source->worker, error);
}

static enum hs_err source_open(const struct workload_setup *setup, void **self,
                               struct hs_error *error)
{
    const struct workload_options *options = setup->options;
    struct source *source = calloc(1, sizeof *source);
    enum hs_err err;

    *self = NULL;
    if (!source) {
        return hs_error_memory(error);
    }
    source->stats = setup->stats;
    source->names = setup->names;
    source->is_strict = options->is_strict;
    source->path = strdup(options->file);
    source->reference = strdup(options->reference ? options->reference : "");
    err = source->path && source->reference ? table_open(source, options, error)
                                            : hs_error_memory(error);
    if (!err) {
        err = gavel_open(source->path, &source->rows, error);
    }
    if (err) {
        source_close(source);
        return err;
    }
    if (workload_names_number(source->names, WORKLOAD_KIND, KIND, &source->kind,
                              &source->refusal)) {
        source->kind = HS_ANY_KIND;
    }
    *self = source;
    return HS_OK;
}

/* Steps over steps a second; false with a problem. */
static bool read_run_time(struct source *source, const struct gavel_row *row, hs_time *run_ns)
{
    const struct throughput_row *known =
        throughput_find(source->table, row->job_type, row->scale_factor);
    double run_s;

    if (!known) {
        const char *nearest = throughput_nearest(source->table, row->job_type);

        (void)snprintf(source->problem, sizeof source->problem,
                       "no throughput of '%.48s' x %lld%s%.48s%s", row->job_type,
                       (long long)row->scale_factor,
                       nearest && strcmp(nearest, row->job_type) != 0 ? " (but of '" : "",
                       nearest && strcmp(nearest, row->job_type) != 0 ? nearest : "",
                       nearest && strcmp(nearest, row->job_type) != 0 ? "')" : "");
        return false;
    }
    if (!(known->steps_per_s[source->worker] > 0)) {
        (void)snprintf(source->problem, sizeof source->problem,
                       "'%.48s' x %lld does not fit on the reference %.24s", row->job_type,
                       (long long)row->scale_factor, source->reference);
        return false;
    }
    run_s = (double)row->total_steps / known->steps_per_s[source->worker];
    if (run_s > (double)SWF_TIME_MAX_S) {
        (void)snprintf(source->problem, sizeof source->problem,
                       "the run time on %.24s would be %.4g s; 3000000000 is the limit",
                       source->reference, run_s);
        return false;
    }
    *run_ns = (hs_time)llround(run_s * (double)HS_NS_PER_S);
    return true;
}

static bool read_row(struct source *source, const struct gavel_row *row,
                     struct workload_record *record)
{
    int64_t *value = record->fields.value;
    struct hs_error full = {0};
    uint16_t number;

    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        value[i] = -1;
    }
    workload_record_clear(record);
    record->fields.line = row->line;
    value[SWF_ID] = source->stats->records - 1;
    if (row->problem) {
        (void)snprintf(source->problem, sizeof source->problem, "%s", row->problem);
        return false;
    }
    if (!read_run_time(source, row, &value[SWF_RUN])) {
        return false;
    }
    if (workload_names_number(source->names, WORKLOAD_CLASS, row->job_type, &number, &full)) {
        (void)snprintf(source->problem, sizeof source->problem, "%.300s", full.text);
        return false;
    }
    value[SWF_SUBMIT] = row->arrival_ns;
    value[SWF_PROCS] = row->scale_factor;
    record->job_class = number;
    record->priority = row->priority;
    record->has_priority = true;
    source->demand = (struct hs_demand){.tasks = (uint32_t)row->scale_factor,
                                        .cores_milli = CORE_MILLI,
                                        .device_count = 1,
                                        .device_share = HS_SHARES_PER_UNIT,
                                        .device_kind = source->kind};
    record->demand = &source->demand;
    record->refusal = source->refusal.text[0] ? source->refusal.text : NULL;
    return true;
}

static enum hs_err source_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct source *source = self;

    for (;;) {
        struct gavel_row row;
        enum hs_err err = gavel_next(source->rows, &row, has_record, error);

        if (err || !*has_record) {
            return err;
        }
        source->stats->lines = row.line;
        source->stats->records++;
        if (read_row(source, &row, record)) {
            return HS_OK;
        }
        err = workload_tally_bad_row(&source->stats->bad, source->is_strict, source->path, row.line,
                                     record->fields.value[SWF_ID], source->problem, error);
        if (err) {
            *has_record = false;
            return err;
        }
    }
}

static double source_progress(const void *self)
{
    const struct source *source = self;

    return gavel_progress(source->rows);
}

const struct workload_source workload_source_gavel = {
    .open = source_open,
    .next = source_next,
    .progress = source_progress,
    .close = source_close,
};
