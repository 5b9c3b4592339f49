/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.c - one run into one file: rows come in, columns and metrics go out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hs/free.h"
#include "result/arrivals.h"
#include "result/devices.h"
#include "result/digest.h"
#include "result/metrics.h"
#include "result/outfile.h"
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
    struct devices devices;
    struct metrics metrics;
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
    bool is_ok =
        create_table(writer, &writer->jobs,
                     writer->meta.has_energy ? &result_energy_jobs_table : &result_jobs_table);

    if (is_ok && options->has_allocations) {
        is_ok = create_table(writer, &writer->allocations, &result_allocations_table);
    }
    if (is_ok && options->has_allocations && writer->devices.more.kind_count > 0) {
        is_ok = create_table(writer, &writer->device_allocations, &result_devices_table);
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
    (void)error; /* nothing is written */
    metrics_submitted(&writer->metrics, &writer->series, time_ns);
    return HS_OK;
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
    metrics_point(&writer->metrics, &writer->series, point->time_ns);
    return series_point(&writer->series, point) ? HS_OK : fail_write(writer, error);
}

enum hs_err result_writer_arrival(struct result_writer *writer,
                                  const struct result_arrival *arrival, struct hs_error *error)
{
    return arrivals_add(&writer->arrivals, arrival) ? HS_OK : fail_write(writer, error);
}

/* What the job asked for, of its alternatives the one it got. */
static const struct hs_demand *chosen_demand(const struct result_job *job)
{
    return job->alloc ? hs_demand_chosen(job->demand, job->alloc) : job->demand;
}

/* Cores that `tasks` tasks of the job hold on a node. */
static int64_t held_on_node(const struct result_job *job, const struct hs_node *node,
                            uint32_t tasks)
{
    return job->alloc->is_exclusive ? node->cores_milli
                                    : (int64_t)tasks * chosen_demand(job)->cores_milli;
}

/* Neighbouring nodes on which a job holds the same: a row of /allocations. */
struct holding {
    struct hs_span span;
    int64_t cores_milli;
};

static bool write_holding(struct result_writer *writer, const struct result_job *job,
                          const struct holding *holding, int64_t *held_milli)
{
    struct table *table = &writer->allocations;
    size_t row = table->filled;

    *held_milli += (int64_t)holding->span.node_count * holding->cores_milli;
    digest_span(writer->digest, holding->span.first_node, holding->span.node_count,
                holding->span.tasks);
    if (!table->schema) {
        return true;
    }
    table->buffers[ALLOCATION_JOB].i64[row] = job->id;
    table->buffers[ALLOCATION_FIRST_NODE].i32[row] = (int32_t)holding->span.first_node;
    table->buffers[ALLOCATION_NODE_COUNT].i32[row] = (int32_t)holding->span.node_count;
    table->buffers[ALLOCATION_TASKS_PER_NODE].i32[row] = (int32_t)holding->span.tasks;
    table->buffers[ALLOCATION_CORES_MILLI].i64[row] = holding->cores_milli;
    table->buffers[ALLOCATION_START].i64[row] = job->start_ns;
    table->buffers[ALLOCATION_END].i64[row] = job->end_ns;
    return table_row_done(table);
}

/* Adds nodes to the holding if they continue it, else writes it and begins another. */
static bool extend_holding(struct result_writer *writer, const struct result_job *job,
                           struct holding *holding, struct hs_span span, int64_t cores_milli,
                           int64_t *held_milli)
{
    bool continues = holding->span.node_count > 0 && holding->span.tasks == span.tasks &&
                     holding->cores_milli == cores_milli &&
                     holding->span.first_node + holding->span.node_count == span.first_node;

    if (continues) {
        holding->span.node_count += span.node_count;
        return true;
    }
    if (holding->span.node_count > 0 && !write_holding(writer, job, holding, held_milli)) {
        return false;
    }
    *holding = (struct holding){span, cores_milli};
    return true;
}

static bool write_devices(struct result_writer *writer, const struct result_job *job)
{
    struct table *table = &writer->device_allocations;

    for (uint32_t i = 0; i < job->alloc->device_count; i++) {
        const struct hs_device_share *part = &job->alloc->devices[i];
        size_t row = table->filled;

        digest_device(writer->digest, part->device, part->share);
        if (!table->schema) {
            continue;
        }
        table->buffers[DEVICE_JOB].i64[row] = job->id;
        table->buffers[DEVICE_INDEX].i32[row] = (int32_t)part->device;
        table->buffers[DEVICE_SHARE].i32[row] = (int32_t)part->share;
        table->buffers[DEVICE_START].i64[row] = job->start_ns;
        table->buffers[DEVICE_END].i64[row] = job->end_ns;
        if (!table_row_done(table)) {
            return false;
        }
    }
    devices_job(&writer->devices, job);
    return true;
}

/* The allocation in canonical form: as few rows as can be, whatever the policy's spans are. */
static bool write_allocation(struct result_writer *writer, const struct result_job *job,
                             int64_t *held_milli)
{
    const struct hs_alloc *alloc = job->alloc;
    const struct hs_cluster *cluster = writer->meta.cluster;
    struct holding holding = {0};

    *held_milli = 0;
    if (!alloc || job->start_ns < 0) {
        return true;
    }
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        struct hs_span span = alloc->spans[i];
        /* Only whole nodes may differ in what is held of them. */
        uint32_t step = alloc->is_exclusive ? 1 : span.node_count;

        for (uint32_t k = 0; k < span.node_count; k += step) {
            struct hs_span part = {span.first_node + k, step, span.tasks};
            const struct hs_node *node = hs_cluster_node(cluster, part.first_node);

            if (!extend_holding(writer, job, &holding, part, held_on_node(job, node, span.tasks),
                                held_milli)) {
                return false;
            }
        }
    }
    if (holding.span.node_count > 0 && !write_holding(writer, job, &holding, held_milli)) {
        return false;
    }
    return write_devices(writer, job);
}

static bool write_job(struct result_writer *writer, const struct result_job *job,
                      int64_t held_milli, bool is_measured, const double values[QUANTITY_COUNT])
{
    struct table *table = &writer->jobs;
    size_t row = table->filled;
    hs_time walltime_ns = job->walltime_ns == HS_TIME_NEVER ? -1 : job->walltime_ns;
    const struct hs_demand *demand = chosen_demand(job);

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
    table->buffers[JOB_ALLOC_MILLI].i64[row] = held_milli;
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
    bool is_sample = metrics_sample_of(job->state, job->submit_ns, job->start_ns, job->end_ns,
                                       job->procs, &sample);
    bool is_measured = is_sample && metrics_is_measured(&writer->metrics, job->submit_ns);
    int64_t held_milli;

    HS_ASSERT(!is_sample ||
              (job->start_ns >= job->submit_ns && job->end_ns >= job->start_ns && job->procs > 0));
    digest_job(writer->digest, job->id, job->start_ns, job->end_ns, job->state);
    if (!write_allocation(writer, job, &held_milli)) {
        return fail_write(writer, error);
    }
    if (job->start_ns >= 0 && job->end_ns >= 0) {
        metrics_values(writer->meta.tau_ns, &sample, values);
    } else if (job->start_ns >= 0) {
        values[QUANTITY_WAIT] = (double)sample.wait_ns / 1e9;
    }
    metrics_job(&writer->metrics, job, held_milli, is_sample ? &sample : NULL, values);
    if (has_file(writer)) {
        return write_job(writer, job, held_milli, is_measured, values) ? HS_OK
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
static const enum result_job_column sample_columns[] = {JOB_SUBMIT, JOB_START, JOB_END,
                                                        JOB_PROCS,  JOB_STATE, JOB_MEASURED};

/* Brings the rows from `cursor` on back into the buffers, as many as they hold. */
static bool load_chunk(struct result_writer *writer)
{
    struct table *table = &writer->jobs;
    int64_t left = table->stored - writer->cursor;
    size_t count = left < (int64_t)table->room ? (size_t)left : table->room;

    for (size_t i = 0; i < sizeof sample_columns / sizeof sample_columns[0]; i++) {
        enum result_job_column column = sample_columns[i];
        hid_t type = store_type(table->schema->columns[column].type);
        bool is_ok = type >= 0 && store_read(table->datasets[column], type, writer->cursor, count,
                                             table->buffers[column].any);

        (void)H5Tclose(type);
        if (!is_ok) {
            return false;
        }
    }
    writer->loaded = writer->cursor + (int64_t)count;
    return true;
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

            *count += table->buffers[JOB_MEASURED].i8[row] &&
                      metrics_sample_of(
                          (enum result_state)table->buffers[JOB_STATE].i8[row],
                          table->buffers[JOB_SUBMIT].i64[row], table->buffers[JOB_START].i64[row],
                          table->buffers[JOB_END].i64[row], table->buffers[JOB_PROCS].i64[row],
                          &writer->samples[*count]);
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

/* Same experiment, same inputs: same key. */
static enum hs_err make_run_key(const struct result_meta *meta, const struct result_final *final,
                                char key[DIGEST_TEXT_MAX], struct hs_error *error)
{
    const struct result_input *inputs = final->inputs ? final->inputs : meta->inputs;
    size_t count = final->inputs ? final->input_count : meta->input_count;
    struct digest *digest = digest_create();

    if (!digest) {
        return hs_error_memory(error);
    }
    digest_text(digest, meta->config ? meta->config : "");
    for (size_t i = 0; i < count; i++) {
        digest_text(digest, inputs[i].xxh128);
    }
    digest_result(digest, key);
    digest_destroy(digest);
    return HS_OK;
}

static enum hs_err summarise(struct result_writer *writer, const struct result_final *final,
                             struct result_summary *summary, struct hs_error *error)
{
    struct metrics_source source = {has_file(writer) ? next_stored : next_kept, writer};
    const struct result_energy *energy = writer->meta.has_energy ? final->energy : NULL;
    char run_key[DIGEST_TEXT_MAX];
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
    if (code == HS_OK) {
        code = make_run_key(&writer->meta, final, run_key, error);
    }
    if (code == HS_OK && has_file(writer) &&
        !(series_write_attributes(&writer->series, writer->file, &writer->devices.more) &&
          (!energy || devices_write_energy(writer->file, &writer->devices, energy)) &&
          provenance_end(writer->file, &writer->meta, final, summary, run_key) &&
          close_tables(writer) && H5Fflush(writer->file, H5F_SCOPE_LOCAL) >= 0)) {
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
