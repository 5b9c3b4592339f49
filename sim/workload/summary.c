/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.c - two passes over a trace: one over its records, one over its jobs. */
#include "workload/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload/random.h"
#include "workload/tally.h"

#define EXACT_BELOW (2 * SUMMARY_STEPS)
#define SET_MIN     ((size_t)64)

/* How far a value is shifted right to get SUMMARY_STEPS .. 2 x SUMMARY_STEPS - 1. */
static unsigned histogram_shift(int64_t value)
{
    return 53u - (unsigned)__builtin_clzll((unsigned long long)value);
}

void summary_histogram_add(struct summary_histogram *histogram, int64_t value)
{
    int64_t index = value;

    if (value >= EXACT_BELOW) {
        unsigned shift = histogram_shift(value);

        index = (int64_t)shift * SUMMARY_STEPS + (value >> shift);
    }
    if (histogram->count == 0 || value < histogram->minimum) {
        histogram->minimum = value;
    }
    if (histogram->count == 0 || value > histogram->maximum) {
        histogram->maximum = value;
    }
    histogram->count++;
    histogram->sum += value;
    histogram->buckets[index]++;
}

int64_t summary_histogram_quantile(const struct summary_histogram *histogram, double share)
{
    int64_t rank = (int64_t)ceil(share * (double)histogram->count);
    int64_t seen = 0, value = 0;

    if (histogram->count == 0) {
        return -1;
    }
    rank = rank < 1 ? 1 : rank > histogram->count ? histogram->count : rank;
    for (int64_t index = 0; index < SUMMARY_BUCKETS; index++) {
        seen += histogram->buckets[index];
        if (seen >= rank) {
            int64_t shift = index < EXACT_BELOW ? 0 : index / SUMMARY_STEPS - 1;

            value = (index - shift * SUMMARY_STEPS) << shift;
            break;
        }
    }
    return value < histogram->minimum ? histogram->minimum : value;
}

void summary_set_fini(struct summary_set *set)
{
    free(set->slots);
    *set = (struct summary_set){0};
}

static struct summary_set_slot *set_find(const struct summary_set *set, int64_t number)
{
    size_t at = (size_t)workload_random_mix((uint64_t)number) & (set->capacity - 1);

    while (set->slots[at].count > 0 && set->slots[at].number != number) {
        at = (at + 1) & (set->capacity - 1);
    }
    return &set->slots[at];
}

static bool set_grow(struct summary_set *set)
{
    struct summary_set grown = {.count = set->count};

    grown.capacity = set->capacity ? set->capacity * 2 : SET_MIN;
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots) {
        return false;
    }
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i].count > 0) {
            *set_find(&grown, set->slots[i].number) = set->slots[i];
        }
    }
    free(set->slots);
    *set = grown;
    return true;
}

struct summary_set_slot *summary_set_add(struct summary_set *set, int64_t number, int64_t line)
{
    struct summary_set_slot *slot;

    if (set->count * 4 >= set->capacity * 3 && !set_grow(set)) {
        return NULL;
    }
    slot = set_find(set, number);
    if (slot->count++ == 0) {
        slot->number = number;
        slot->line = line;
        set->count++;
    }
    return slot;
}

static int slot_compare(const void *left, const void *right)
{
    const struct summary_set_slot *one = left, *other = right;

    return (one->number > other->number) - (one->number < other->number);
}

bool summary_set_sorted(const struct summary_set *set, struct summary_set_slot **sorted)
{
    size_t count = 0;

    *sorted = malloc((set->count ? set->count : 1) * sizeof **sorted);
    if (!*sorted) {
        return false;
    }
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i].count > 0) {
            (*sorted)[count++] = set->slots[i];
        }
    }
    qsort(*sorted, count, sizeof **sorted, slot_compare);
    return true;
}

void workload_summary_destroy(struct workload_summary *summary)
{
    if (summary) {
        summary_set_fini(&summary->users);
        summary_set_fini(&summary->groups);
        summary_set_fini(&summary->queues);
        demand_mix_fini(&summary->mix);
        recorded_fini(&summary->recorded);
        workload_names_destroy(summary->names);
        free(summary->header);
        free(summary);
    }
}

static enum hs_err id_check(struct workload_summary *summary, struct summary_set *ids,
                            const struct swf_record *record, struct hs_error *error)
{
    const struct summary_set_slot *slot = summary_set_add(ids, record->value[SWF_ID], record->line);

    if (!slot) {
        return hs_error_memory(error);
    }
    if (slot->count > 1) {
        workload_tally_add(&summary->duplicate_ids, record->line, slot->number,
                           "job number %lld was used in line %lld already", (long long)slot->number,
                           (long long)slot->line);
    }
    return HS_OK;
}

/* First pass: the fields of the records. `ids` NULL: job numbers are not checked. */
static enum hs_err records_read(struct workload_summary *summary,
                                const struct workload_source *source, void *self,
                                struct summary_set *ids, struct hs_error *error)
{
    struct workload_record record;
    bool has_record = true;
    enum hs_err err = HS_OK;

    while (!err) {
        int64_t status;

        workload_record_clear(&record);
        err = source->next(self, &record, &has_record, error);
        if (err || !has_record) {
            break;
        }
        for (int field = 0; field < SWF_FIELD_COUNT; field++) {
            summary->missing[field] += record.fields.value[field] == -1;
        }
        status = record.fields.value[SWF_STATUS];
        summary->status[status >= 0 && status + 1 < SUMMARY_STATUS_COUNT ? status + 1 : 0]++;
        if (ids) {
            err = id_check(summary, ids, &record.fields, error);
        }
    }
    if (!summary->header) {
        summary->header = strdup(source->header ? source->header(self) : "");
    }
    return err || summary->header ? err : hs_error_memory(error);
}

static enum hs_err set_note(struct summary_set *set, int32_t number, int64_t line,
                            struct hs_error *error)
{
    if (number >= 0 && !summary_set_add(set, number, line)) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

static enum hs_err job_note(struct workload_summary *summary, const struct workload_job *job,
                            const struct workload_names *names, struct hs_error *error)
{
    struct workload_extent *extent = &summary->extent;
    int64_t procs = workload_job_procs(job);
    enum hs_err err;

    if (extent->jobs++ == 0) {
        extent->first_submit_ns = job->submit_ns;
    } else {
        summary_histogram_add(&summary->gap_s,
                              (job->submit_ns - extent->last_submit_ns) / HS_NS_PER_S);
    }
    extent->last_submit_ns = job->submit_ns;
    extent->max_procs = procs > extent->max_procs ? procs : extent->max_procs;
    summary_histogram_add(&summary->procs, procs);
    summary->serial_jobs += procs == 1;
    summary->power2_jobs += procs > 1 && (procs & (procs - 1)) == 0;
    if (job->run_ns != HS_TIME_NEVER) {
        summary_histogram_add(&summary->run_s, job->run_ns / HS_NS_PER_S);
        if (!job->is_oversized) {
            extent->area += workload_job_area(job);
        }
    }
    if (job->walltime_ns != HS_TIME_NEVER) {
        summary_histogram_add(&summary->request_s, job->walltime_ns / HS_NS_PER_S);
    }
    if (job->demand.device_count > 0) {
        summary_histogram_add(&summary->devices,
                              (int64_t)((workload_job_device_milli(job) + 999) / 1000));
    }
    if (job->trace_start_ns >= 0) {
        summary_histogram_add(&summary->wait_s, job->trace_wait_ns / HS_NS_PER_S);
    }
    if (!demand_mix_add(&summary->mix, job, names) || !recorded_add(&summary->recorded, job)) {
        return hs_error_memory(error);
    }
    err = set_note(&summary->users, job->user, job->line, error);
    err = err ? err : set_note(&summary->groups, job->group, job->line, error);
    return err ? err : set_note(&summary->queues, job->queue, job->line, error);
}

/* Second pass: the jobs. */
static enum hs_err jobs_read(struct workload_summary *summary, struct workload *workload,
                             struct hs_error *error)
{
    struct workload_job job;
    bool has_job = true;
    enum hs_err err = HS_OK;

    while (!err) {
        err = workload_next(workload, &job, &has_job, error);
        if (err || !has_job) {
            break;
        }
        err = job_note(summary, &job, workload_names(workload), error);
    }
    summary->stats = *workload_stats(workload);
    demand_mix_sort(&summary->mix);
    recorded_finish(&summary->recorded);
    return err;
}

static enum hs_err source_read(const struct workload_options *options, bool has_id_check,
                               struct workload_summary *summary, struct hs_error *error)
{
    struct workload_options lenient = *options;
    struct workload_stats stats = {0};
    struct workload_setup setup = {.options = &lenient, .stats = &stats};
    struct summary_set ids = {0};
    const struct workload_format *format;
    void *self = NULL;
    enum hs_err err = workload_format_find(options, &format, error);

    if (err) {
        return err;
    }
    summary->format = format;
    setup.format = format;
    lenient.is_strict = false;
    summary->names = workload_names_create(options->cluster);
    setup.names = summary->names;
    err = setup.names ? format->source->open(&setup, &self, error) : hs_error_memory(error);
    if (!err) {
        err = records_read(summary, format->source, self, has_id_check ? &ids : NULL, error);
    }
    format->source->close(self);
    summary_set_fini(&ids);
    return err;
}

static enum hs_err summary_read(const struct workload_options *options, bool has_id_check,
                                struct workload_summary *summary, struct hs_error *error)
{
    struct workload *workload = NULL;
    struct workload_extent *extent = &summary->extent;
    enum hs_err err = source_read(options, has_id_check, summary, error);

    if (!err || options->is_survey) {
        struct hs_error second = {0};
        enum hs_err jobs_err = workload_open(options, &workload, &second);

        if (!jobs_err) {
            jobs_err = jobs_read(summary, workload, &second);
        }
        if (!err && jobs_err) {
            err = jobs_err;
            if (error) {
                *error = second;
            }
        }
    }
    workload_close(workload);
    extent->offered_load = NAN;
    if (options->machine_procs > 0 && extent->last_submit_ns > extent->first_submit_ns) {
        extent->offered_load =
            (double)extent->area / ((double)options->machine_procs *
                                    (double)(extent->last_submit_ns - extent->first_submit_ns));
    }
    return err;
}

enum hs_err workload_summary_create(const struct workload_options *options, bool has_id_check,
                                    struct workload_summary **summary, struct hs_error *error)
{
    struct workload_summary *created = calloc(1, sizeof *created);
    struct hs_error found = {0};
    enum hs_err err;

    *summary = NULL;
    if (!created) {
        return hs_error_memory(error);
    }
    err = summary_read(options, has_id_check, created, &found);
    if (err == HS_ERR_INPUT && options->is_survey) {
        created->is_broken = true;
        created->broken = found;
        err = HS_OK;
    }
    if (err) {
        workload_summary_destroy(created);
        if (error) {
            *error = found;
        }
        return err;
    }
    *summary = created;
    return HS_OK;
}
