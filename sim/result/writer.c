/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.c - one run into one file: rows come in, columns and metrics go out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hs/free.h"
#include "result/arrivals.h"
#include "result/attempts.h"
#include "result/devices.h"
#include "result/digest.h"
#include "result/metrics.h"
#include "result/outfile.h"
#include "result/parts.h"
#include "result/predictions.h"
#include "result/provenance.h"
#include "result/table.h"

#define SAMPLE_BLOCK 4096u

struct result_writer {
    struct result_meta meta;
    struct result_options options;
    struct outfile outfile;
    struct store_cause cause;
    hid_t file;        /* < 0: only metrics are wanted */
    struct pack *pack; /* NULL: not compressed */
    struct table jobs, allocations, device_allocations, points;
    struct arrivals arrivals;
    struct series series;
    struct result_series_schema series_schema;
    struct result_jobs_schema jobs_schema;
    struct devices devices;
    struct attempts attempts;
    struct parts parts;
    struct metrics metrics;
    struct predictions predictions; /* in runs with them */
    struct digest *digest;
    struct metrics_sample *samples; /* of all jobs without a file, else one block */
    size_t sample_count, sample_room;
    int64_t cursor; /* next row (or sample) that the source reads again */
    int64_t loaded; /* rows before it are in the buffers of the jobs */
};

static enum hs_err fail_write(const struct result_writer *writer, struct hs_error *error)
{
    return store_error(&writer->cause, writer->outfile.path, "writing", error);
}

static bool has_file(const struct result_writer *writer)
{
    return writer->options.path != NULL;
}

static bool close_tables(struct result_writer *writer)
{
    bool is_ok = arrivals_fini(&writer->arrivals);

    is_ok = table_fini(&writer->points) && is_ok;
    is_ok = table_fini(&writer->allocations) && is_ok;
    is_ok = table_fini(&writer->device_allocations) && is_ok;
    return table_fini(&writer->jobs) && is_ok;
}

/* Closes and frees everything; false if HDF5 failed. */
static bool writer_destroy(struct result_writer *writer)
{
    bool is_ok;

    store_listen(&writer->cause);
    is_ok = close_tables(writer);
    if (writer->file >= 0) {
        is_ok = H5Fclose(writer->file) >= 0 && is_ok;
    }
    store_silence();
    metrics_fini(&writer->metrics);
    devices_fini(&writer->devices);
    parts_fini(&writer->parts);
    digest_destroy(writer->digest);
    pack_destroy(writer->pack);
    free(writer->samples);
    return is_ok;
}

void result_writer_abort(struct result_writer *writer)
{
    if (!writer) {
        return;
    }
    if (writer->file >= 0) {
        store_discard(writer->file);
    }
    (void)writer_destroy(writer);
    outfile_remove(&writer->outfile);
    outfile_fini(&writer->outfile);
    free(writer);
}

static bool create_table(struct result_writer *writer, struct table *table,
                         const struct result_table *schema)
{
    return table_init(table, schema, writer->file, writer->options.compression, writer->pack,
                      &writer->cause);
}

static bool create_tables(struct result_writer *writer)
{
    const struct result_options *options = &writer->options;
    bool has_attempts = writer->meta.has_attempts;
    struct result_jobs_more more = {.has_energy = writer->meta.has_energy,
                                    .has_attempts = has_attempts,
                                    .has_speeds = writer->meta.has_speeds,
                                    .has_predictions = writer->meta.has_predictions};
    bool is_ok;

    result_jobs_describe(&more, &writer->jobs_schema);
    is_ok = create_table(writer, &writer->jobs, &writer->jobs_schema.table);
    if (is_ok && options->has_allocations) {
        is_ok = create_table(writer, &writer->allocations,
                             has_attempts ? &result_attempts_table : &result_allocations_table);
    }
    if (is_ok && options->has_allocations && writer->devices.more.kind_count > 0) {
        is_ok = create_table(writer, &writer->device_allocations,
                             has_attempts ? &result_device_attempts_table : &result_devices_table);
    }
    if (is_ok && options->series != RESULT_SERIES_NONE) {
        result_series_describe(&writer->devices.more, options->series == RESULT_SERIES_INTERVAL,
                               &writer->series_schema);
        is_ok = create_table(writer, &writer->points, &writer->series_schema.table);
    }
    return is_ok;
}

static enum hs_err create_file(struct result_writer *writer, struct hs_error *error)
{
    const struct result_options *options = &writer->options;
    enum hs_err code = outfile_init(&writer->outfile, options->path, options->is_forced, error);
    bool is_ok;

    if (code != HS_OK) {
        return code;
    }
    if (options->compression > 0) {
        writer->pack = pack_create(STORE_CHUNK_ROWS, options->compression);
        if (!writer->pack) {
            return hs_error_memory(error);
        }
    }
    store_listen(&writer->cause);
    writer->file = store_create(writer->outfile.part_path, options->compression > 0);
    is_ok = writer->file >= 0 && provenance_begin(writer->file, &writer->meta, options) &&
            create_tables(writer);
    return is_ok ? HS_OK : fail_write(writer, error);
}

enum hs_err result_writer_create(const struct result_options *options,
                                 const struct result_meta *meta, struct result_writer **writer,
                                 struct hs_error *error)
{
    struct result_writer *self = calloc(1, sizeof *self);
    enum hs_err code;

    *writer = NULL;
    if (!self) {
        return hs_error_memory(error);
    }
    self->meta = *meta;
    self->options = *options;
    self->file = H5I_INVALID_HID;
    self->parts.tau_ns = meta->tau_ns;
    self->digest = digest_create();
    code = self->digest ? metrics_init(&self->metrics, meta, error) : hs_error_memory(error);
    if (code == HS_OK) {
        code = devices_init(&self->devices, meta, error);
    }
    if (code == HS_OK && has_file(self)) {
        code = create_file(self, error);
    }
    if (code == HS_OK && options->has_arrivals &&
        !arrivals_init(&self->arrivals, &self->meta, self->file, options->compression, self->pack,
                       &self->cause)) {
        code = fail_write(self, error);
    }
    if (code != HS_OK) {
        result_writer_abort(self);
        return code;
    }
    store_silence();
    series_init(&self->series, options->series, options->series_interval_ns,
                hs_cluster_cores_milli(meta->cluster), has_file(self) ? &self->points : NULL);
    series_add(&self->series, &self->devices.more, self->devices.capacities);
    *writer = self;
    return HS_OK;
}

enum hs_err result_writer_submitted(struct result_writer *writer, hs_time time_ns,
                                    struct hs_error *error)
{
    return metrics_submitted(&writer->metrics, &writer->series, time_ns) ? HS_OK
                                                                         : hs_error_memory(error);
}

enum hs_err result_writer_point(struct result_writer *writer, const struct result_point *point,
                                struct hs_error *error)
{
    if (series_is_too_long(&writer->series, point->time_ns)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The series has intervals of %g s (output.series), so it would have "
                            "more than %d rows before the run is over. Choose longer intervals.",
                            (double)writer->series.interval_ns / 1e9, SERIES_ROWS_MAX);
    }
    metrics_point(&writer->metrics, &writer->series, point);
    return series_point(&writer->series, point) ? HS_OK : fail_write(writer, error);
}

enum hs_err result_writer_arrival(struct result_writer *writer,
                                  const struct result_arrival *arrival, struct hs_error *error)
{
    return arrivals_add(&writer->arrivals, arrival) ? HS_OK : fail_write(writer, error);
}

/* A stay on resources that is written. */
struct stay {
    const struct result_job *job;
    const struct hs_demand *demand; /* of the alternatives the one that it got */
    const struct hs_alloc *alloc;
    hs_time start_ns, end_ns;
    int32_t attempt;
    int64_t held_milli; /* cores, as far as they are written */
};

/* The stay of number `index`, from 0; the last one is not among the attempts. */
static struct stay stay_at(const struct result_job *job, size_t index)
{
    bool is_last = index == job->attempt_count;
    struct stay stay = {
        .job = job,
        .alloc = is_last ? job->alloc : &job->attempts[index].alloc,
        .start_ns = !is_last ? job->attempts[index].start_ns
                    : index  ? job->last_start_ns
                             : job->start_ns,
        .end_ns = is_last ? job->end_ns : job->attempts[index].end_ns,
        .attempt = (int32_t)index + 1,
    };

    stay.demand = hs_demand_chosen(job->demand, stay.alloc);
    return stay;
}

/* Stays of the job, of which the last may go on. */
static size_t stay_count(const struct result_job *job)
{
    return job->attempt_count + (job->alloc && job->start_ns >= 0);
}

/* Cores that `tasks` tasks of the job hold on a node. */
static int64_t held_on_node(const struct stay *stay, const struct hs_node *node, uint32_t tasks)
{
    return stay->alloc->is_exclusive ? node->cores_milli
                                     : (int64_t)tasks * stay->demand->cores_milli;
}

/* Neighbouring nodes on which a job holds the same: a row of /allocations. */
struct holding {
    struct hs_span span;
    int64_t cores_milli;
};

static bool write_holding(struct result_writer *writer, struct stay *stay,
                          const struct holding *holding)
{
    struct table *table = &writer->allocations;
    size_t row = table->filled;

    stay->held_milli += (int64_t)holding->span.node_count * holding->cores_milli;
    digest_span(writer->digest, holding->span.first_node, holding->span.node_count,
                holding->span.tasks);
    if (!table->schema) {
        return true;
    }
    table->buffers[ALLOCATION_JOB].i64[row] = stay->job->id;
    table->buffers[ALLOCATION_FIRST_NODE].i32[row] = (int32_t)holding->span.first_node;
    table->buffers[ALLOCATION_NODE_COUNT].i32[row] = (int32_t)holding->span.node_count;
    table->buffers[ALLOCATION_TASKS_PER_NODE].i32[row] = (int32_t)holding->span.tasks;
    table->buffers[ALLOCATION_CORES_MILLI].i64[row] = holding->cores_milli;
    table->buffers[ALLOCATION_START].i64[row] = stay->start_ns;
    table->buffers[ALLOCATION_END].i64[row] = stay->end_ns;
    if (writer->meta.has_attempts) {
        table->buffers[ALLOCATION_ATTEMPT].i32[row] = stay->attempt;
    }
    return table_row_done(table);
}

/* Adds nodes to the holding if they continue it, else writes it and begins another. */
static bool extend_holding(struct result_writer *writer, struct stay *stay, struct holding *holding,
                           struct hs_span span, int64_t cores_milli)
{
    bool continues = holding->span.node_count > 0 && holding->span.tasks == span.tasks &&
                     holding->cores_milli == cores_milli &&
                     holding->span.first_node + holding->span.node_count == span.first_node;

    if (continues) {
        holding->span.node_count += span.node_count;
        return true;
    }
    if (holding->span.node_count > 0 && !write_holding(writer, stay, holding)) {
        return false;
    }
    *holding = (struct holding){span, cores_milli};
    return true;
}

/* The nodes in canonical form: as few rows as can be, whatever the policy's spans are. */
static bool write_nodes(struct result_writer *writer, struct stay *stay)
{
    const struct hs_cluster *cluster = writer->meta.cluster;
    struct holding holding = {0};

    for (uint32_t i = 0; i < stay->alloc->span_count; i++) {
        struct hs_span span = stay->alloc->spans[i];
        /* Only whole nodes may differ in what is held of them. */
        uint32_t step = stay->alloc->is_exclusive ? 1 : span.node_count;

        for (uint32_t k = 0; k < span.node_count; k += step) {
            struct hs_span part = {span.first_node + k, step, span.tasks};
            const struct hs_node *node = hs_cluster_node(cluster, part.first_node);

            if (!extend_holding(writer, stay, &holding, part,
                                held_on_node(stay, node, span.tasks))) {
                return false;
            }
        }
    }
    return holding.span.node_count == 0 || write_holding(writer, stay, &holding);
}

static bool write_devices(struct result_writer *writer, const struct stay *stay)
{
    struct table *table = &writer->device_allocations;

    for (uint32_t i = 0; i < stay->alloc->device_count; i++) {
        const struct hs_device_share *part = &stay->alloc->devices[i];
        size_t row = table->filled;

        digest_device(writer->digest, part->device, part->share);
        if (!table->schema) {
            continue;
        }
        table->buffers[DEVICE_JOB].i64[row] = stay->job->id;
        table->buffers[DEVICE_INDEX].i32[row] = (int32_t)part->device;
        table->buffers[DEVICE_SHARE].i32[row] = (int32_t)part->share;
        table->buffers[DEVICE_START].i64[row] = stay->start_ns;
        table->buffers[DEVICE_END].i64[row] = stay->end_ns;
        if (writer->meta.has_attempts) {
            table->buffers[DEVICE_ATTEMPT].i32[row] = stay->attempt;
        }
        if (!table_row_done(table)) {
            return false;
        }
    }
    return true;
}

/* All that the job held, in all of its attempts. */
struct account {
    int64_t held_milli;     /* cores, in the last attempt */
    hs_int128 devices;      /* shares x time of attempts that ended */
    hs_int128 held, wasted; /* core time of attempts that ended, and what restarts took of it */
    hs_time executed_ns;    /* until the end of the job or of the run */
    hs_time overhead_ns;
};

static void add_stay(struct result_writer *writer, const struct stay *stay, struct account *account)
{
    const struct result_job *job = stay->job;
    bool is_over = (size_t)stay->attempt <= job->attempt_count;
    hs_time overhead = is_over ? job->attempts[stay->attempt - 1].overhead_ns : job->overhead_ns;
    hs_time end_ns = stay->end_ns >= 0 ? stay->end_ns : writer->series.last_ns;

    account->held_milli = stay->held_milli;
    account->executed_ns += end_ns > stay->start_ns ? end_ns - stay->start_ns : 0;
    account->overhead_ns += overhead;
    if (job->end_ns >= 0) {
        account->held += (hs_int128)stay->held_milli * (stay->end_ns - stay->start_ns);
        account->wasted += (hs_int128)stay->held_milli * overhead;
        for (uint32_t i = 0; writer->meta.has_speeds && i < stay->alloc->device_count; i++) {
            account->devices +=
                (hs_int128)stay->alloc->devices[i].share * (stay->end_ns - stay->start_ns);
        }
        devices_held(&writer->devices, stay->alloc, stay->end_ns - stay->start_ns);
    }
}

/* First the nodes of all attempts, then their devices. */
static bool write_stays(struct result_writer *writer, const struct result_job *job,
                        struct account *account)
{
    size_t count = stay_count(job);

    *account = (struct account){0};
    for (size_t i = 0; i < count; i++) {
        struct stay stay = stay_at(job, i);

        if (job->attempt_count > 0) {
            digest_attempt(writer->digest, stay.start_ns, stay.end_ns);
        }
        if (!write_nodes(writer, &stay)) {
            return false;
        }
        add_stay(writer, &stay, account);
    }
    for (size_t i = 0; i < count; i++) {
        struct stay stay = stay_at(job, i);

        if (!write_devices(writer, &stay)) {
            return false;
        }
    }
    return true;
}

static void write_attempts(struct result_writer *writer, const struct result_job *job,
                           const struct account *account)
{
    struct table *table = &writer->jobs;
    size_t row = table->filled;

    table->buffers[JOB_PREEMPTIONS].i32[row] = (int32_t)job->attempt_count;
    table->buffers[JOB_EXECUTED].i64[row] = account->executed_ns;
    table->buffers[JOB_OVERHEAD].i64[row] = account->overhead_ns;
    table->buffers[JOB_QUEUED].f64[row] =
        job->start_ns >= 0 && job->end_ns >= 0
            ? (double)(job->end_ns - job->submit_ns - account->executed_ns) / 1e9
            : (double)NAN;
}

static void write_speed(struct result_writer *writer, const struct result_job *job)
{
    struct table *table = &writer->jobs;
    size_t row = table->filled;
    bool has_ended = job->start_ns >= 0 && job->end_ns >= 0;

    table->buffers[JOB_CLASS].i32[row] = job->job_class;
    table->buffers[JOB_MODEL].i32[row] = job->model;
    table->buffers[JOB_RUN_REF].i64[row] = job->run_ref_ns;
    table->buffers[JOB_SLOWDOWN_REF].f64[row] =
        has_ended && job->run_ref_ns > 0
            ? (double)(job->end_ns - job->submit_ns) / (double)job->run_ref_ns
            : (double)NAN;
}

static bool write_job(struct result_writer *writer, const struct result_job *job,
                      const struct account *account, bool is_measured,
                      const double values[QUANTITY_COUNT])
{
    struct table *table = &writer->jobs;
    size_t row = table->filled;
    size_t stays = stay_count(job);
    hs_time walltime_ns = job->walltime_ns == HS_TIME_NEVER ? -1 : job->walltime_ns;
    const struct hs_demand *demand = stays ? stay_at(job, stays - 1).demand : job->demand;

    table->buffers[JOB_ID].i64[row] = job->id;
    table->buffers[JOB_TRACE_ID].i64[row] = job->trace_id;
    table->buffers[JOB_USER].i32[row] = job->user;
    table->buffers[JOB_GROUP].i32[row] = job->group;
    table->buffers[JOB_QUEUE].i32[row] = job->queue;
    table->buffers[JOB_PARTITION].i32[row] = job->partition;
    table->buffers[JOB_EXECUTABLE].i64[row] = job->executable;
    table->buffers[JOB_TASKS].i64[row] = demand->tasks;
    table->buffers[JOB_PROCS].i64[row] = job->procs;
    table->buffers[JOB_CORES_MILLI].i64[row] = demand->cores_milli;
    table->buffers[JOB_MEM].i64[row] = demand->mem_bytes;
    table->buffers[JOB_ALLOC_MILLI].i64[row] = account->held_milli;
    table->buffers[JOB_SUBMIT].i64[row] = job->submit_ns;
    table->buffers[JOB_TRACE_SUBMIT].i64[row] = job->trace_submit_ns;
    table->buffers[JOB_ELIGIBLE].i64[row] = job->eligible_ns;
    table->buffers[JOB_START].i64[row] = job->start_ns;
    table->buffers[JOB_END].i64[row] = job->end_ns;
    table->buffers[JOB_RUNTIME].i64[row] = job->run_ns == HS_TIME_NEVER ? -1 : job->run_ns;
    table->buffers[JOB_REQ_TIME].i64[row] = walltime_ns;
    table->buffers[JOB_STATE].i8[row] = (int8_t)job->state;
    table->buffers[JOB_MEASURED].i8[row] = is_measured;
    table->buffers[JOB_WAIT].f64[row] = values[QUANTITY_WAIT];
    table->buffers[JOB_TURNAROUND].f64[row] = values[QUANTITY_TURNAROUND];
    table->buffers[JOB_SLOWDOWN].f64[row] = values[QUANTITY_SLOWDOWN];
    table->buffers[JOB_BSLD].f64[row] = values[QUANTITY_BSLD];
    if (writer->meta.has_energy) {
        table->buffers[JOB_ENERGY].f64[row] = job->energy_j;
    }
    if (writer->meta.has_attempts) {
        write_attempts(writer, job, account);
    }
    if (writer->meta.has_speeds) {
        write_speed(writer, job);
    }
    if (writer->meta.has_predictions) {
        table->buffers[JOB_PREDICTED].i64[row] =
            job->predicted_ns == HS_TIME_NEVER ? -1 : job->predicted_ns;
    }
    return table_row_done(table);
}

static enum hs_err keep_sample(struct result_writer *writer, const struct metrics_sample *sample,
                               struct hs_error *error)
{
    if (writer->sample_count == writer->sample_room) {
        size_t room = writer->sample_room ? 2 * writer->sample_room : SAMPLE_BLOCK;
        void *samples = realloc(writer->samples, room * sizeof *writer->samples);

        if (!samples) {
            return hs_error_memory(error);
        }
        writer->samples = samples;
        writer->sample_room = room;
    }
    writer->samples[writer->sample_count++] = *sample;
    return HS_OK;
}

enum hs_err result_writer_job(struct result_writer *writer, const struct result_job *job,
                              struct hs_error *error)
{
    double values[QUANTITY_COUNT] = {NAN, NAN, NAN, NAN, NAN};
    struct metrics_sample sample;
    struct account account;
    bool is_measured;
    bool is_sample;

    digest_job(writer->digest, job->id, job->start_ns, job->end_ns, job->state);
    if (!write_stays(writer, job, &account)) {
        return fail_write(writer, error);
    }
    is_sample = metrics_sample_of(job->state, job->submit_ns, job->start_ns, job->end_ns,
                                  account.executed_ns - account.overhead_ns, job->procs, &sample);
    if (writer->meta.has_speeds && job->run_ref_ns >= 0) {
        sample.ref_ns = job->run_ref_ns;
    }
    is_measured = is_sample && metrics_is_measured(&writer->metrics, job->submit_ns);
    HS_ASSERT(!is_sample ||
              (job->start_ns >= job->submit_ns && job->end_ns >= job->start_ns && job->procs > 0));
    if (job->start_ns >= 0 && job->end_ns >= 0) {
        metrics_values(writer->meta.tau_ns, &sample, values);
    } else if (job->start_ns >= 0) {
        values[QUANTITY_WAIT] = (double)sample.wait_ns / 1e9;
    }
    metrics_job(&writer->metrics, job, account.held, is_sample ? &sample : NULL, values);
    if (writer->meta.has_speeds && !parts_job(&writer->parts, job, is_measured ? &sample : NULL,
                                              account.held, account.devices)) {
        return hs_error_memory(error);
    }
    attempts_job(&writer->attempts, job, account.wasted,
                 is_measured ? sample.turnaround_ns - account.executed_ns : -1);
    if (writer->meta.has_predictions) {
        predictions_job(&writer->predictions, job, is_measured ? &sample : NULL,
                        writer->meta.tau_ns);
    }
    if (has_file(writer)) {
        return write_job(writer, job, &account, is_measured, values) ? HS_OK
                                                                     : fail_write(writer, error);
    }
    return is_measured ? keep_sample(writer, &sample, error) : HS_OK;
}

/* Source of the samples when all are in memory. */
static enum hs_err next_kept(void *context, const struct metrics_sample **samples, size_t *count,
                             struct hs_error *error)
{
    struct result_writer *writer = context;

    (void)error; /* memory does not fail */
    *samples = writer->samples;
    *count = writer->cursor == 0 ? writer->sample_count : 0;
    writer->cursor = *count > 0;
    return HS_OK;
}

/* Columns of the jobs from which the samples are made again. */
static const enum result_job_column sample_columns[] = {JOB_SUBMIT,   JOB_START,    JOB_END,
                                                        JOB_PROCS,    JOB_STATE,    JOB_MEASURED,
                                                        JOB_EXECUTED, JOB_OVERHEAD, JOB_RUN_REF};

/* Brings the rows from `cursor` on back into the buffers, as many as they hold. */
static bool load_chunk(struct result_writer *writer)
{
    struct table *table = &writer->jobs;
    int64_t left = table->stored - writer->cursor;
    size_t count = left < (int64_t)table->room ? (size_t)left : table->room;

    for (size_t i = 0; i < sizeof sample_columns / sizeof sample_columns[0]; i++) {
        enum result_job_column column = sample_columns[i];
        hid_t type = store_type(table->schema->columns[column].type);
        bool is_ok = !result_has_column(table->schema, column) ||
                     (type >= 0 && store_read(table->datasets[column], type, writer->cursor, count,
                                              table->buffers[column].any));

        (void)H5Tclose(type);
        if (!is_ok) {
            return false;
        }
    }
    writer->loaded = writer->cursor + (int64_t)count;
    return true;
}

/* Time that the job in a row executed, without what restarts took. */
static hs_time run_of_row(const struct table *table, size_t row)
{
    return result_has_column(table->schema, JOB_EXECUTED)
               ? table->buffers[JOB_EXECUTED].i64[row] - table->buffers[JOB_OVERHEAD].i64[row]
               : table->buffers[JOB_END].i64[row] - table->buffers[JOB_START].i64[row];
}

/* Makes the sample again from a row; false: the job in it is not measured. */
static inline bool sample_of_row(const struct table *table, size_t row, bool has_speeds,
                                 struct metrics_sample *sample)
{
    bool is_sample =
        table->buffers[JOB_MEASURED].i8[row] &&
        metrics_sample_of((enum result_state)table->buffers[JOB_STATE].i8[row],
                          table->buffers[JOB_SUBMIT].i64[row], table->buffers[JOB_START].i64[row],
                          table->buffers[JOB_END].i64[row], run_of_row(table, row),
                          table->buffers[JOB_PROCS].i64[row], sample);

    if (is_sample && has_speeds && table->buffers[JOB_RUN_REF].i64[row] >= 0) {
        sample->ref_ns = table->buffers[JOB_RUN_REF].i64[row];
    }
    return is_sample;
}

/* Source of the samples when they are in the file. */
static enum hs_err next_stored(void *context, const struct metrics_sample **samples, size_t *count,
                               struct hs_error *error)
{
    struct result_writer *writer = context;
    const struct table *table = &writer->jobs;

    *samples = writer->samples;
    *count = 0;
    while (*count == 0 && writer->cursor < table->stored) {
        int64_t end;

        if (writer->cursor >= writer->loaded && !load_chunk(writer)) {
            return store_error(&writer->cause, writer->outfile.path, "reading back", error);
        }
        end = writer->loaded - writer->cursor < SAMPLE_BLOCK ? writer->loaded
                                                             : writer->cursor + SAMPLE_BLOCK;
        for (; writer->cursor < end; writer->cursor++) {
            size_t row = (size_t)writer->cursor % table->room;

            *count += sample_of_row(table, row, writer->meta.has_speeds, &writer->samples[*count]);
        }
    }
    if (*count == 0) {
        /* The next reading begins again; a short run is still in the buffers. */
        writer->cursor = 0;
        writer->loaded = table->stored <= (int64_t)table->room ? table->stored : 0;
    }
    return HS_OK;
}

static enum hs_err flush_tables(struct result_writer *writer, struct hs_error *error)
{
    struct table *tables[] = {&writer->jobs, &writer->allocations, &writer->device_allocations,
                              &writer->points};

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i]->schema && !table_flush(tables[i])) {
            return fail_write(writer, error);
        }
    }
    writer->samples = malloc(SAMPLE_BLOCK * sizeof *writer->samples);
    writer->loaded = writer->jobs.stored <= (int64_t)writer->jobs.room ? writer->jobs.stored : 0;
    return writer->samples ? HS_OK : hs_error_memory(error);
}

static enum hs_err summarise(struct result_writer *writer, const struct result_final *final,
                             struct result_summary *summary, struct hs_error *error)
{
    struct metrics_source source = {has_file(writer) ? next_stored : next_kept, writer};
    const struct result_energy *energy = writer->meta.has_energy ? final->energy : NULL;
    enum hs_err code = HS_OK;

    HS_ASSERT(!writer->meta.has_energy || energy);
    if (!series_finish(&writer->series) || !arrivals_finish(&writer->arrivals)) {
        return fail_write(writer, error);
    }
    if (has_file(writer)) {
        code = flush_tables(writer, error);
    }
    if (code == HS_OK) {
        code = metrics_summarise(&writer->metrics, &writer->series, &source, summary, error);
    }
    if (code == HS_OK && writer->meta.has_attempts) {
        code = attempts_metrics(&writer->attempts, &writer->metrics, summary, error);
    }
    if (code == HS_OK && writer->meta.has_speeds) {
        code = parts_summarise(&writer->parts, final, writer->meta.has_energy, summary, error);
    }
    if (code == HS_OK && writer->meta.has_predictions) {
        code = predictions_metrics(&writer->predictions, summary, error);
    }
    if (code == HS_OK && energy) {
        devices_energy(&writer->devices, energy);
    }
    if (code == HS_OK) {
        code = devices_metrics(&writer->devices, &writer->series, energy, summary, error);
    }
    if (code == HS_OK && writer->options.has_arrivals &&
        !arrivals_summarise(&writer->arrivals, summary)) {
        code = hs_error_memory(error);
    }
    digest_result(writer->digest, summary->schedule_digest);
    if (code == HS_OK && has_file(writer) &&
        !(series_write_attributes(&writer->series, writer->file, &writer->devices.more) &&
          (!energy || devices_write_energy(writer->file, &writer->devices, energy)) &&
          (!writer->meta.has_speeds || parts_write(writer->file, final, summary)) &&
          provenance_end(writer->file, &writer->meta, final, summary) && close_tables(writer) &&
          H5Fflush(writer->file, H5F_SCOPE_LOCAL) >= 0)) {
        code = fail_write(writer, error);
    }
    return code;
}

enum hs_err result_writer_finish(struct result_writer *writer, const struct result_final *final,
                                 struct result_summary *summary, struct hs_error *error)
{
    enum hs_err code;

    *summary = (struct result_summary){0};
    store_listen(&writer->cause);
    code = summarise(writer, final, summary, error);
    if (code != HS_OK) {
        result_summary_fini(summary);
        result_writer_abort(writer);
        return code;
    }
    if (!writer_destroy(writer)) {
        code = fail_write(writer, error);
    } else if (has_file(writer)) {
        code = final->path ? outfile_redirect(&writer->outfile, final->path, error) : HS_OK;
        if (code == HS_OK && final->written) {
            final->written(final->context);
        }
        if (code == HS_OK) {
            code = outfile_complete(&writer->outfile, error);
        }
    }
    if (code != HS_OK) {
        outfile_remove(&writer->outfile);
        result_summary_fini(summary);
    }
    outfile_fini(&writer->outfile);
    free(writer);
    return code;
}
