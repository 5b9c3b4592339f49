/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mix.c - counts equal demands in a table, and keeps the frequent ones. */
#include "workload/mix.h"

#include <stdlib.h>
#include <string.h>

#include "hs/cluster.h"
#include "workload/random.h"

#define COVERED_PERCENT 95

struct spec {
    struct hs_demand demand;
    int64_t jobs; /* 0: the slot is free */
};

/* Open addressing; `room` is a power of two and at least twice `count`. */
struct table {
    struct spec *specs;
    size_t count, room;
};

/* One task of the demand, without what a mix leaves out. */
static struct hs_demand spec_of(const struct workload_job *job)
{
    const struct hs_demand *demand = &job->demand;
    struct hs_demand spec;

    memset(&spec, 0, sizeof spec); /* specs are compared byte by byte */
    spec.tasks = 1;
    spec.cores_milli = demand->cores_milli;
    /* Devices are of no use to what no node can serve. */
    spec.device_count = job->is_oversized ? 0 : demand->device_count;
    spec.device_share = demand->device_share;
    spec.device_kind = demand->device_kind;
    spec.model_count = demand->model_count;
    memcpy(spec.models, demand->models, demand->model_count * sizeof spec.models[0]);
    spec.features = demand->features;
    spec.node_features = demand->node_features;
    if (spec.device_count == 0) {
        spec.device_share = HS_SHARES_PER_UNIT;
        spec.device_kind = HS_ANY_KIND;
    }
    return spec;
}

static uint64_t hash_of(const struct hs_demand *spec)
{
    uint64_t hash = 0;
    uint64_t word;

    for (size_t at = 0; at < sizeof *spec; at += sizeof word) {
        size_t left = sizeof *spec - at;

        word = 0;
        memcpy(&word, (const char *)spec + at, left < sizeof word ? left : sizeof word);
        hash = workload_random_mix(hash ^ word);
    }
    return hash;
}

/* The slot of the demand, or the free one where it belongs. */
static struct spec *slot_of(const struct table *table, const struct hs_demand *demand)
{
    size_t at = (size_t)hash_of(demand) & (table->room - 1);

    while (table->specs[at].jobs > 0 &&
           memcmp(&table->specs[at].demand, demand, sizeof *demand) != 0) {
        at = (at + 1) & (table->room - 1);
    }
    return &table->specs[at];
}

static bool table_grow(struct table *table)
{
    struct table larger = {.count = table->count, .room = table->room ? 2 * table->room : 256};

    larger.specs = calloc(larger.room, sizeof *larger.specs);
    if (!larger.specs) {
        return false;
    }
    for (size_t i = 0; i < table->room; i++) {
        if (table->specs[i].jobs > 0) {
            *slot_of(&larger, &table->specs[i].demand) = table->specs[i];
        }
    }
    free(table->specs);
    *table = larger;
    return true;
}

static enum hs_err count_job(struct table *table, const struct workload_job *job,
                             struct hs_error *error)
{
    struct hs_demand demand = spec_of(job);
    struct spec *spec;

    if (2 * (table->count + 1) > table->room && !table_grow(table)) {
        return hs_error_memory(error);
    }
    spec = slot_of(table, &demand);
    table->count += spec->jobs == 0;
    spec->demand = demand;
    spec->jobs++;
    return HS_OK;
}

static enum hs_err count_jobs(const struct workload_options *options, struct table *table,
                              int64_t *jobs, struct hs_error *error)
{
    struct workload *workload;
    enum hs_err err = workload_open(options, &workload, error);
    bool has_job = true;

    for (*jobs = 0; !err && has_job;) {
        struct workload_job job;

        if (options->stop && *options->stop) {
            err = hs_error_set(error, HS_ERR_INTERRUPTED,
                               "Interrupted while the demands of the workload were counted; "
                               "nothing is written.");
            break;
        }
        err = workload_next(workload, &job, &has_job, error);
        if (!err && has_job) {
            err = count_job(table, &job, error);
            ++*jobs;
        }
    }
    workload_close(workload);
    return err;
}

#define COMPARE(field)                                                                             \
    if (a->demand.field != b->demand.field) {                                                      \
        return a->demand.field > b->demand.field ? -1 : 1;                                         \
    }

/* The frequent first; the order is total, so that no sum depends on the hash. */
static int compare_specs(const void *left, const void *right)
{
    const struct spec *a = left;
    const struct spec *b = right;

    if (a->jobs != b->jobs) {
        return a->jobs > b->jobs ? -1 : 1;
    }
    COMPARE(cores_milli)
    COMPARE(device_count)
    COMPARE(device_share)
    COMPARE(device_kind)
    COMPARE(model_count)
    for (uint16_t i = 0; i < a->demand.model_count; i++) {
        COMPARE(models[i])
    }
    COMPARE(features)
    COMPARE(node_features)
    return 0;
}

/* Moves the slots in use to the front, sorted. */
static void table_sort(struct table *table)
{
    size_t count = 0;

    for (size_t i = 0; i < table->room; i++) {
        if (table->specs[i].jobs > 0) {
            table->specs[count++] = table->specs[i];
        }
    }
    qsort(table->specs, count, sizeof *table->specs, compare_specs);
}

static enum hs_err keep_frequent(const struct table *table, struct workload_mix *mix,
                                 struct hs_error *error)
{
    mix->demands = calloc(table->count + 1, sizeof *mix->demands);
    mix->weights = calloc(table->count + 1, sizeof *mix->weights);
    mix->jobs = calloc(table->count + 1, sizeof *mix->jobs);
    if (!mix->demands || !mix->weights || !mix->jobs) {
        return hs_error_memory(error);
    }
    while ((hs_int128)mix->covered * 100 < (hs_int128)mix->job_count * COVERED_PERCENT) {
        const struct spec *spec = &table->specs[mix->count];

        mix->demands[mix->count] = spec->demand;
        mix->jobs[mix->count++] = spec->jobs;
        mix->covered += spec->jobs;
    }
    for (size_t i = 0; i < mix->count; i++) {
        mix->weights[i] = (double)mix->jobs[i] / (double)mix->covered;
    }
    return HS_OK;
}

enum hs_err workload_mix_create(const struct workload_options *options, struct workload_mix *mix,
                                struct hs_error *error)
{
    struct workload_options list = *options;
    struct table table = {0};
    enum hs_err err;

    *mix = (struct workload_mix){0};
    list.inflation.is_shuffled = false;
    list.inflation.load = 0;
    err = count_jobs(&list, &table, &mix->job_count, error);
    if (!err) {
        table_sort(&table);
        mix->distinct = table.count;
        err = keep_frequent(&table, mix, error);
    }
    free(table.specs);
    if (err) {
        workload_mix_fini(mix);
    }
    return err;
}

void workload_mix_fini(struct workload_mix *mix)
{
    free(mix->demands);
    free(mix->weights);
    free(mix->jobs);
    *mix = (struct workload_mix){0};
}
