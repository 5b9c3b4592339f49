/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload.c - the chain: source, rules, sorting, transforms, shaking, numbering.
 *
 * Each stage pulls from the one before into the caller's job. Only the two queues hold jobs:
 * sort_window records for sorting, and what lies within reach of shaking. */
#include "workload/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload/inflation.h"
#include "workload/options.h"
#include "workload/order.h"
#include "workload/random.h"
#include "workload/rules.h"
#include "workload/source.h"
#include "workload/tally.h"

#define PARTS_PER_UNIT INT64_C(1000000000) /* loads and factors are rounded to 1e-9 */

struct workload {
    struct workload_options options;
    const volatile sig_atomic_t *stop; /* NULL unless this is a pass over the whole workload */
    struct workload_stats stats;
    const struct workload_format *format; /* of the file; NULL: generated */
    const struct workload_source *source;
    void *self; /* the source's */
    struct workload_names *names;
    char *label; /* of the source, for messages */

    struct workload_order sorting;
    bool has_source_ended;
    hs_time newest_ns;  /* latest submit read */
    hs_time emitted_ns; /* submit handed on last by the sorting */
    int64_t last_trace_id;
    bool has_records;

    bool has_first;        /* a job has passed filter and window */
    hs_time zero_ns;       /* subtracted: shift_to_zero */
    hs_time load_first_ns; /* load scaling turns load_span_ns into load_new_span_ns */
    hs_time load_span_ns, load_new_span_ns;
    hs_time load_unit_ns; /* whole seconds stay whole */
    int64_t transformed;  /* jobs handed on by the transforms */
    bool has_stream_ended;
    struct inflation *inflation; /* in place of sorting and transforms; NULL until the first job */

    struct workload_order shaking;
    struct workload_job ahead; /* the job before shaking that is next to enter the queue */
    bool has_ahead;
};

void workload_close(struct workload *workload)
{
    if (workload) {
        if (workload->source) {
            workload->source->close(workload->self);
        }
        workload_names_destroy(workload->names);
        inflation_destroy(workload->inflation);
        workload_order_fini(&workload->sorting);
        workload_order_fini(&workload->shaking);
        free(workload->label);
        free(workload);
    }
}

const struct workload_names *workload_names(const struct workload *workload)
{
    return workload->names;
}

const struct workload_stats *workload_stats(const struct workload *workload)
{
    return &workload->stats;
}

double workload_progress(const struct workload *workload)
{
    const struct workload_options *options = &workload->options;

    if (workload->inflation) {
        return inflation_progress(workload->inflation);
    }
    if (options->head > 0) {
        return (double)workload->stats.jobs / (double)options->head;
    }
    return workload->source->progress(workload->self);
}

static enum hs_err load_prepare(struct workload *workload, struct hs_error *error);

static enum hs_err source_open(struct workload *workload, struct hs_error *error)
{
    const struct workload_options *options = &workload->options;
    struct workload_setup setup = {.options = options, .stats = &workload->stats};
    enum hs_err err = HS_OK;

    workload->names = workload_names_create(options->cluster);
    if (!workload->names) {
        return hs_error_memory(error);
    }
    setup.names = workload->names;
    if (options->is_generated) {
        workload->source = options->model == WORKLOAD_MODEL_MIX ? &workload_source_classes
                                                                : &workload_source_lublin;
    } else {
        err = workload_format_find(options, &workload->format, error);
        workload->source = err ? NULL : workload->format->source;
        setup.format = workload->format;
    }
    if (!err && !(workload->format && workload->format->has_steps) &&
        (options->throughputs || options->reference)) {
        workload->source = NULL;
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "%s: throughputs and reference turn steps into run times, but %s has no "
                           "steps. Leave them out.",
                           workload->label,
                           workload->format ? workload->format->about : "a generator");
    }
    return err ? err : workload->source->open(&setup, &workload->self, error);
}

enum hs_err workload_open(const struct workload_options *options, struct workload **workload,
                          struct hs_error *error)
{
    struct workload *opened;
    enum hs_err err = workload_options_check(options, error);

    *workload = NULL;
    if (err) {
        return err;
    }
    opened = calloc(1, sizeof *opened);
    if (!opened) {
        return hs_error_memory(error);
    }
    opened->options = *options;
    opened->stats.epoch_unix = -1;
    opened->stats.header_max_procs = -1;
    opened->stats.header_max_nodes = -1;
    opened->stats.load_before = NAN;
    opened->stats.load_after = NAN;
    if (options->estimate == WORKLOAD_ESTIMATE_EXACT) {
        opened->stats.is_clairvoyant = true;
    }
    opened->label = strdup(options->is_generated ? "generated workload" : options->file);
    err = opened->label ? source_open(opened, error) : hs_error_memory(error);
    if (!err && options->load > 0) {
        err = load_prepare(opened, error);
    }
    if (err) {
        workload_close(opened);
        return err;
    }
    *workload = opened;
    return HS_OK;
}

/* Source and rules: the next job in the order of the file, into *job. */
static enum hs_err source_next(struct workload *workload, struct workload_job *job, bool *has_job,
                               struct hs_error *error)
{
    struct workload_record record;
    bool has_record = true;
    enum hs_err err = HS_OK;

    *has_job = false;
    workload_record_clear(&record);
    while (!err && has_record && !*has_job) {
        int64_t trace_id;

        if (workload->stop && *workload->stop) {
            return hs_error_set(error, HS_ERR_INTERRUPTED,
                                "%s: interrupted while the workload was measured, after %lld "
                                "records; nothing is written.",
                                workload->label, (long long)workload->stats.records);
        }
        err = workload->source->next(workload->self, &record, &has_record, error);
        if (err || !has_record) {
            break;
        }
        trace_id = record.fields.value[SWF_ID];
        if (workload->has_records && trace_id <= workload->last_trace_id) {
            workload_tally_add(&workload->stats.id_order, record.fields.line, trace_id,
                               "job number %lld follows %lld", (long long)trace_id,
                               (long long)workload->last_trace_id);
        }
        workload->last_trace_id = trace_id;
        workload->has_records = true;
        *has_job = workload_rules_apply(&workload->options, &record, job, &workload->stats);
    }
    return err;
}

/* A job that should have been handed on before others that were. */
static enum hs_err late_job(struct workload *workload, const struct workload_job *job,
                            struct hs_error *error)
{
    char submit[HS_TIME_TEXT_MAX], emitted[HS_TIME_TEXT_MAX];

    (void)hs_time_format(job->submit_ns, submit);
    (void)hs_time_format(workload->emitted_ns, emitted);
    if (workload->options.is_survey) {
        workload_tally_add(&workload->stats.late, job->line, job->trace_id,
                           "submit time %s s after jobs submitted at %s s", submit, emitted);
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:%lld: job %lld was submitted at %s s, but more than %lld records "
                        "before it there is one submitted at %s s. %s, or raise sort_window "
                        "above %lld.",
                        workload->label, (long long)job->line, (long long)job->trace_id, submit,
                        (long long)workload->options.sort_window, emitted,
                        workload->format->sorting, (long long)workload->options.sort_window);
}

/* Fills the sorting queue until it can tell which job is first. */
static enum hs_err sorting_fill(struct workload *workload, struct hs_error *error)
{
    size_t window = (size_t)workload->options.sort_window;

    while (!workload->has_source_ended && workload_order_count(&workload->sorting) <= window) {
        struct workload_job *slot = workload_order_slot(&workload->sorting);
        bool has_job = false;
        enum hs_err err =
            slot ? source_next(workload, slot, &has_job, error) : hs_error_memory(error);

        if (err) {
            return err;
        }
        if (!has_job) {
            workload->has_source_ended = true;
            break;
        }
        if (slot->submit_ns < workload->emitted_ns) {
            err = late_job(workload, slot, error);
            if (err) {
                return err;
            }
            continue;
        }
        if (slot->submit_ns < workload->newest_ns) {
            workload_tally_add(&workload->stats.unsorted, slot->line, slot->trace_id,
                               "submit time lies before that of an earlier record: sorted");
        } else {
            workload->newest_ns = slot->submit_ns;
        }
        workload_order_push(&workload->sorting);
    }
    return HS_OK;
}

static enum hs_err sorted_next(struct workload *workload, struct workload_job *job, bool *has_job,
                               struct hs_error *error)
{
    enum hs_err err;

    if (workload->source->is_sorted) {
        return source_next(workload, job, has_job, error);
    }
    err = sorting_fill(workload, error);
    *has_job = !err && workload_order_count(&workload->sorting) > 0;
    if (*has_job) {
        workload_order_pop(&workload->sorting, job);
        workload->emitted_ns = job->submit_ns;
    }
    return err;
}

/* A list that is not given, or empty, lets all pass. */
static bool is_listed(int32_t number, const int32_t *list, size_t count)
{
    if (!list || count == 0) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i] == number) {
            return true;
        }
    }
    return false;
}

static bool filter_passes(const struct workload_options *options, const struct workload_job *job)
{
    bool has_run = job->run_ns != HS_TIME_NEVER;
    int64_t procs = workload_job_procs(job);

    return (options->filter.min_procs == 0 || procs >= options->filter.min_procs) &&
           (options->filter.max_procs == 0 || procs <= options->filter.max_procs) &&
           (!has_run || options->filter.min_run_ns == 0 ||
            job->run_ns >= options->filter.min_run_ns) &&
           (!has_run || options->filter.max_run_ns == 0 ||
            job->run_ns <= options->filter.max_run_ns) &&
           is_listed(job->user, options->filter.users, options->filter.user_count) &&
           is_listed(job->queue, options->filter.queues, options->filter.queue_count) &&
           is_listed(job->partition, options->filter.partitions, options->filter.partition_count);
}

/* A cancellation keeps its distance, which is a wait time and so small enough to be added. */
static void job_place(struct workload_job *job, hs_time submit_ns)
{
    if (job->cancel_ns != HS_TIME_NEVER) {
        job->cancel_ns = submit_ns + (job->cancel_ns - job->submit_ns);
    }
    job->submit_ns = submit_ns;
}

/* Moves a job to another submit time, if that can be. */
static enum hs_err job_move(const struct workload *workload, struct workload_job *job,
                            hs_int128 submit_ns, struct hs_error *error)
{
    if (submit_ns < 0 || submit_ns > SWF_SUBMIT_MAX_NS) {
        char from[HS_TIME_TEXT_MAX];

        (void)hs_time_format(job->submit_ns, from);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s:%lld: job %lld, submitted at %s s, would be moved to %.0f s; times "
                            "lie in 0 to 6000000000 s. Choose another shift or load.",
                            workload->label, (long long)job->line, (long long)job->trace_id, from,
                            (double)submit_ns / (double)HS_NS_PER_S);
    }
    job_place(job, (hs_time)submit_ns);
    return HS_OK;
}

/* Filter, window and shift: what load scaling measures. */
static enum hs_err selected_next(struct workload *workload, struct workload_job *job, bool *has_job,
                                 struct hs_error *error)
{
    const struct workload_options *options = &workload->options;

    for (;;) {
        enum hs_err err = sorted_next(workload, job, has_job, error);

        if (err || !*has_job) {
            return err;
        }
        if (options->window_to_ns != 0 && job->submit_ns >= options->window_to_ns) {
            *has_job = false; /* nor will any later one be inside */
            workload->stats.left_out++;
            return HS_OK;
        }
        if (job->submit_ns >= options->window_from_ns && filter_passes(options, job)) {
            break;
        }
        workload->stats.left_out++;
    }
    if (!workload->has_first) {
        workload->has_first = true;
        workload->zero_ns = options->shift_to_zero ? job->submit_ns : 0;
    }
    if (workload->zero_ns != 0 || (options->shift_ns != 0 && !options->shift_to_zero)) {
        return job_move(workload, job,
                        (hs_int128)job->submit_ns - workload->zero_ns +
                            (options->shift_to_zero ? 0 : options->shift_ns),
                        error);
    }
    return HS_OK;
}

static void estimate_apply(const struct workload_options *options, struct workload_job *job,
                           struct workload_stats *stats)
{
    hs_int128 walltime_ns = job->walltime_ns;

    if (options->estimate != WORKLOAD_ESTIMATE_TRACE && job->run_ns != HS_TIME_NEVER) {
        walltime_ns = job->run_ns > 0 ? job->run_ns : HS_NS_PER_S;
        if (options->estimate == WORKLOAD_ESTIMATE_FACTOR) {
            int64_t parts = (int64_t)llround(options->estimate_factor * (double)PARTS_PER_UNIT);

            walltime_ns = (walltime_ns * parts + PARTS_PER_UNIT / 2) / PARTS_PER_UNIT;
            stats->is_clairvoyant = stats->is_clairvoyant || parts == PARTS_PER_UNIT;
        }
    }
    if (options->estimate_round_ns > 0 && walltime_ns < HS_TIME_NEVER) {
        walltime_ns = (walltime_ns + options->estimate_round_ns - 1) / options->estimate_round_ns *
                      options->estimate_round_ns;
    }
    job->walltime_ns = walltime_ns < HS_TIME_NEVER ? (hs_time)walltime_ns : HS_TIME_NEVER;
}

/* From the first submit, so that rounding does not add up; to nearest, halves up. */
static hs_int128 load_scale(const struct workload *workload, hs_time submit_ns)
{
    hs_int128 gap = (hs_int128)submit_ns - workload->load_first_ns;
    hs_int128 divisor = (hs_int128)workload->load_span_ns * workload->load_unit_ns;
    hs_int128 units = (gap * workload->load_new_span_ns + divisor / 2) / divisor;

    return workload->load_first_ns + units * workload->load_unit_ns;
}

static enum hs_err transformed_next(struct workload *workload, struct workload_job *job,
                                    bool *has_job, struct hs_error *error)
{
    const struct workload_options *options = &workload->options;
    enum hs_err err;

    *has_job = false;
    if (workload->has_stream_ended) {
        return HS_OK;
    }
    err = selected_next(workload, job, has_job, error);
    if (err || !*has_job) {
        workload->has_stream_ended = true;
        return err;
    }
    if (workload->load_span_ns > 0) {
        err = job_move(workload, job, load_scale(workload, job->submit_ns), error);
    }
    estimate_apply(options, job, &workload->stats);
    workload->transformed++;
    if (workload->transformed == options->head) {
        workload->has_stream_ended = true;
    }
    return err;
}

/* Moves the job by its own random amount: whole seconds if the bound is a number of seconds. */
static void shake_apply(const struct workload *workload, struct workload_job *job)
{
    hs_time bound = workload->options.shake_ns;
    hs_time unit = bound % HS_NS_PER_S == 0 ? HS_NS_PER_S : 1;
    uint64_t steps = (uint64_t)(bound / unit);
    uint64_t bits = workload_random_bits(workload->options.seed, "shake",
                                         (uint64_t)(workload->transformed - 1));
    hs_time move = (hs_time)workload_random_below(bits, 2 * steps + 1) * unit - bound;
    hs_time submit_ns = job->submit_ns + move;

    submit_ns = submit_ns < 0 ? 0 : submit_ns;
    job_place(job, submit_ns < SWF_SUBMIT_MAX_NS ? submit_ns : SWF_SUBMIT_MAX_NS);
}

/* A shaken job may leave when no job still to come can be shaken to before it. */
static enum hs_err shaken_next(struct workload *workload, struct workload_job *job, bool *has_job,
                               struct hs_error *error)
{
    struct workload_order *order = &workload->shaking;

    for (;;) {
        struct workload_job *slot;
        enum hs_err err;

        if (!workload->has_ahead && !workload->has_stream_ended) {
            err = transformed_next(workload, &workload->ahead, &workload->has_ahead, error);
            if (err) {
                return err;
            }
        }
        *has_job = workload_order_count(order) > 0;
        if (*has_job &&
            (!workload->has_ahead || workload_order_first(order) <=
                                         workload->ahead.submit_ns - workload->options.shake_ns)) {
            workload_order_pop(order, job);
            return HS_OK;
        }
        if (!workload->has_ahead) {
            return HS_OK;
        }
        slot = workload_order_slot(order);
        if (!slot) {
            return hs_error_memory(error);
        }
        *slot = workload->ahead;
        workload->has_ahead = false;
        shake_apply(workload, slot);
        workload_order_push(order);
    }
}

/* The jobs of an inflation come in the order of the file: their times do not count. */
static enum hs_err inflation_fill(struct workload *workload, struct hs_error *error)
{
    const struct workload_options *options = &workload->options;
    enum hs_err err = inflation_create(options, workload->label, &workload->inflation, error);
    bool has_job = true;

    while (!err && has_job && (options->head == 0 || workload->transformed < options->head)) {
        struct workload_job job;

        err = source_next(workload, &job, &has_job, error);
        if (err || !has_job) {
            break;
        }
        if (filter_passes(options, &job)) {
            workload->transformed++;
            err = inflation_add(workload->inflation, &job, error);
        } else {
            workload->stats.left_out++;
        }
    }
    return err ? err : inflation_start(workload->inflation, error);
}

static enum hs_err inflated_next(struct workload *workload, struct workload_job *job, bool *has_job,
                                 struct hs_error *error)
{
    if (!workload->inflation) {
        enum hs_err err = inflation_fill(workload, error);

        if (err) {
            return err;
        }
    }
    return inflation_next(workload->inflation, job, has_job, error);
}

/* A stream without a single job is an error: of the file, or of what was asked for. */
static enum hs_err stream_empty(const struct workload *workload, struct hs_error *error)
{
    const struct workload_stats *stats = &workload->stats;
    const struct workload_tally *bad = &stats->bad, *dropped = &stats->dropped;

    if (stats->records == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: holds no job, only %lld comment or empty lines. A trace holds at "
                            "least one job.",
                            workload->label, (long long)stats->lines);
    }
    if (bad->count == stats->records) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%lld: %s; none of the %lld rows can be read. %s", workload->label,
                            (long long)bad->lines[0], bad->reasons[0], (long long)bad->count,
                            workload->format->row);
    }
    if (stats->left_out > 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: none of the %lld records lies within the filter and the window. "
                            "Widen them (`hsim trace info` shows what the trace holds).",
                            workload->label, (long long)stats->records);
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: none of the %lld records is a job that can run: %lld unreadable, "
                        "%lld dropped (line %lld: %s).",
                        workload->label, (long long)stats->records, (long long)bad->count,
                        (long long)dropped->count, (long long)dropped->lines[0],
                        dropped->reasons[0]);
}

enum hs_err workload_next(struct workload *workload, struct workload_job *job, bool *has_job,
                          struct hs_error *error)
{
    const struct workload_options *options = &workload->options;
    enum hs_err err = options->inflation.is_on ? inflated_next(workload, job, has_job, error)
                      : options->shake_ns > 0  ? shaken_next(workload, job, has_job, error)
                                               : transformed_next(workload, job, has_job, error);

    if (!err && *has_job) {
        job->id = workload->stats.jobs++;
    } else if (!err && workload->stats.jobs == 0) {
        err = stream_empty(workload, error);
    }
    if (err) {
        *has_job = false;
    }
    return err;
}

static bool is_load(const struct workload_job *job)
{
    return job->run_ns != HS_TIME_NEVER && !job->is_oversized;
}

static enum hs_err extent_measure(struct workload *workload, struct workload_extent *extent,
                                  struct hs_error *error)
{
    struct workload_job job;
    hs_time span_ns;
    int64_t procs;

    extent->is_whole_second = true;
    for (;;) {
        bool has_job;
        enum hs_err err = workload_next(workload, &job, &has_job, error);

        if (err) {
            return err;
        }
        if (!has_job) {
            break;
        }
        if (extent->jobs++ == 0) {
            extent->first_submit_ns = job.submit_ns;
        }
        extent->last_submit_ns = job.submit_ns;
        extent->is_whole_second = extent->is_whole_second && job.submit_ns % HS_NS_PER_S == 0;
        procs = workload_job_procs(&job);
        extent->max_procs = procs > extent->max_procs ? procs : extent->max_procs;
        extent->area += is_load(&job) ? workload_job_area(&job) : 0;
    }
    span_ns = extent->last_submit_ns - extent->first_submit_ns;
    extent->offered_load = NAN;
    if (span_ns > 0 && workload->options.machine_procs > 0) {
        extent->offered_load =
            (double)extent->area / ((double)workload->options.machine_procs * (double)span_ns);
    }
    return HS_OK;
}

enum hs_err workload_scan(const struct workload_options *options, struct workload_extent *extent,
                          struct hs_error *error)
{
    struct workload *workload;
    enum hs_err err = workload_open(options, &workload, error);

    *extent = (struct workload_extent){0};
    if (!err) {
        workload->stop = options->stop;
        err = extent_measure(workload, extent, error);
    }
    workload_close(workload);
    return err;
}

/* First pass of load scaling: the span that gives the offered load asked for. */
static enum hs_err load_prepare(struct workload *workload, struct hs_error *error)
{
    struct workload_options options = workload->options;
    struct workload_extent extent;
    int64_t parts = (int64_t)llround(options.load * (double)PARTS_PER_UNIT);
    hs_int128 new_span_ns, rate;
    enum hs_err err;

    options.load = 0;
    options.head = 0;
    options.shake_ns = 0;
    err = workload_scan(&options, &extent, error);
    if (err) {
        return err;
    }
    if (!(extent.offered_load > 0)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the load cannot be scaled to %.10g: the %lld jobs have no span or "
                            "no work that counts. Leave `load` out.",
                            workload->label, workload->options.load, (long long)extent.jobs);
    }
    rate = (hs_int128)options.machine_procs * parts;
    /* area x 10^9 / rate without overflow. */
    new_span_ns = extent.area / rate * PARTS_PER_UNIT +
                  (extent.area % rate * PARTS_PER_UNIT + rate / 2) / rate;
    if (new_span_ns > SWF_SUBMIT_MAX_NS || new_span_ns < 1) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: a load of %.10g would make the trace span %.10g s; 1 ns to "
                            "6000000000 s is possible. Its load is %.6g as it is.",
                            workload->label, workload->options.load,
                            (double)new_span_ns / (double)HS_NS_PER_S, extent.offered_load);
    }
    workload->load_first_ns = extent.first_submit_ns;
    workload->load_span_ns = extent.last_submit_ns - extent.first_submit_ns;
    workload->load_new_span_ns = (hs_time)new_span_ns;
    workload->load_unit_ns = extent.is_whole_second && new_span_ns >= HS_NS_PER_S ? HS_NS_PER_S : 1;
    new_span_ns = load_scale(workload, extent.last_submit_ns) - extent.first_submit_ns;
    workload->stats.load_before = extent.offered_load;
    workload->stats.load_after =
        (double)extent.area / ((double)options.machine_procs * (double)new_span_ns);
    return HS_OK;
}
