/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes.c - the model `mix`: Poisson arrivals of jobs of several classes.
 *
 * Every draw depends on seed, stream and number of the job alone, so another class, or another
 * distribution, changes nothing else. Times are whole milliseconds. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload/bottleneck.h"
#include "workload/demand_store.h"
#include "workload/random.h"
#include "workload/source.h"

#define NS_PER_MS      INT64_C(1000000)
#define MS_PER_S       1000.0
#define SECONDS_PER_H  3600.0
#define PARTS_PER_UNIT INT64_C(1000000000) /* factors are rounded to 1e-9 */

struct generator {
    const struct workload_class *classes;
    const struct demand_entry **entries; /* [class_count] */
    double *ends;                        /* [class_count] running sums of the weights */
    size_t class_count;
    struct demand_store *demands;
    struct workload_stats *stats;
    uint64_t seed;
    int64_t jobs, jobs_done;
    double rate;      /* jobs a second */
    double arrival_s; /* of the last job */
};

static void generator_close(void *self)
{
    struct generator *generator = self;

    if (generator) {
        demand_store_destroy(generator->demands);
        free(generator->entries);
        free(generator->ends);
        free(generator);
    }
}

/* In (0, 1). */
static double uniform(const struct generator *generator, const char *stream)
{
    uint64_t bits = workload_random_bits(generator->seed, stream, (uint64_t)generator->jobs_done);

    return ((double)(bits >> 11) + 0.5) * 0x1.0p-53;
}

static double seconds(hs_time time_ns)
{
    return (double)time_ns / (double)HS_NS_PER_S;
}

/* Parameters of the normal distribution of the logarithm. */
static void lognormal_of(const struct workload_class *class, double *mean, double *deviation)
{
    double variance = log1p(class->run.cv * class->run.cv);

    *mean = log(seconds(class->run.mean_ns)) - variance / 2;
    *deviation = sqrt(variance);
}

/* The mean of the run time where longer ones than `limit` count as `limit`. */
static double mean_below(const struct workload_class *class, double limit)
{
    double mean = seconds(class->run.mean_ns), centre, deviation, place;

    switch (class->run.distribution) {
    case WORKLOAD_RUN_EXPONENTIAL:
        return -mean * expm1(-limit / mean);
    case WORKLOAD_RUN_LOGNORMAL:
        lognormal_of(class, &centre, &deviation);
        if (!(limit > 0) || !(deviation > 0)) {
            break;
        }
        place = (log(limit) - centre) / deviation;
        return mean * gsl_cdf_ugaussian_P(place - deviation) + limit * gsl_cdf_ugaussian_Q(place);
    case WORKLOAD_RUN_FIXED:
    case WORKLOAD_RUN_UNIFORM:
        break;
    }
    return fmin(mean, limit);
}

/* Of max(min, min(run, max)) = min + min(run, max) - min(run, min). */
static double mean_of(const struct workload_class *class)
{
    double low = seconds(class->run.min_ns), high = seconds(class->run.max_ns);

    if (class->run.distribution == WORKLOAD_RUN_UNIFORM) {
        return (low + high) / 2;
    }
    return low + (high > 0 ? mean_below(class, high) : seconds(class->run.mean_ns)) -
           mean_below(class, low);
}

static hs_time run_draw(const struct generator *generator, const struct workload_class *class)
{
    double low = seconds(class->run.min_ns), high = seconds(class->run.max_ns);
    double run = seconds(class->run.mean_ns), centre, deviation;
    double draw = uniform(generator, "mix.run");

    switch (class->run.distribution) {
    case WORKLOAD_RUN_EXPONENTIAL:
        run *= -log1p(-draw);
        break;
    case WORKLOAD_RUN_LOGNORMAL:
        lognormal_of(class, &centre, &deviation);
        run = exp(centre + deviation * gsl_cdf_ugaussian_Pinv(draw));
        break;
    case WORKLOAD_RUN_UNIFORM:
        run = low + (high - low) * draw;
        break;
    case WORKLOAD_RUN_FIXED:
        break;
    }
    run = fmax(run, low);
    run = high > 0 ? fmin(run, high) : run;
    run = fmin(run, (double)SWF_TIME_MAX_S);
    return run < 1 / MS_PER_S ? NS_PER_MS : llround(run * MS_PER_S) * NS_PER_MS;
}

static hs_time request_of(const struct workload_class *class, hs_time run_ns)
{
    int64_t parts = llround(class->estimate * (double)PARTS_PER_UNIT);
    hs_int128 request_ms =
        ((hs_int128)(run_ns / NS_PER_MS) * parts + PARTS_PER_UNIT - 1) / PARTS_PER_UNIT;

    return request_ms < SWF_TIME_MAX_NS / NS_PER_MS ? (hs_time)request_ms * NS_PER_MS
                                                    : SWF_TIME_MAX_NS;
}

static enum hs_err class_wrong(const struct workload_class *class, const char *why,
                               struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_CONFIG,
                        "workload.generate.classes, class '%s': the demand '%s' cannot be met: %s.",
                        class->name, class->demand, why);
}

static enum hs_err class_open(struct generator *generator, size_t index, struct hs_error *error)
{
    const struct workload_class *class = &generator->classes[index];
    struct hs_error found = {0};
    enum hs_err err = demand_store_find(generator->demands, class->demand, strlen(class->demand),
                                        &generator->entries[index], &found);

    if (err == HS_ERR_INPUT) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "workload.generate.classes, class '%s': demand, %s.", class->name,
                            found.text);
    }
    if (err) {
        return hs_error_memory(error);
    }
    generator->ends[index] = (index ? generator->ends[index - 1] : 0) + class->weight;
    return generator->entries[index]->refusal
               ? class_wrong(class, generator->entries[index]->refusal, error)
               : HS_OK;
}

/* From the load that is asked for to jobs a second. */
static enum hs_err rate_find(struct generator *generator, const struct workload_options *options,
                             struct hs_error *error)
{
    size_t count = generator->class_count;
    struct bottleneck_class *classes = calloc(count, sizeof *classes);
    struct bottleneck bottleneck;
    struct hs_error found = {0};
    enum hs_err err;

    if (!classes) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const struct workload_class *class = &generator->classes[i];

        classes[i].demand = &generator->entries[i]->demand;
        classes[i].seconds = class->weight / generator->ends[count - 1] * mean_of(class);
    }
    err = bottleneck_find(options->cluster, options->machine_procs, classes, count, &bottleneck,
                          &found);
    free(classes);
    if (err) {
        return class_wrong(&generator->classes[bottleneck.class_index], found.text, error);
    }
    if (options->classes.load > 0 && !(bottleneck.load_per_rate > 0)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "workload.generate.load is %.10g, but nothing that the classes ask for "
                            "has a known amount here. Give `rate` instead.",
                            options->classes.load);
    }
    generator->rate = options->classes.load > 0 ? options->classes.load / bottleneck.load_per_rate
                                                : options->classes.rate / SECONDS_PER_H;
    return HS_OK;
}

/* The names of the classes by their numbers, as far as they are all different. */
static void classes_name(const struct generator *generator, struct workload_names *names)
{
    uint16_t number;

    for (size_t i = 0; i < generator->class_count; i++) {
        if (workload_names_number(names, WORKLOAD_CLASS, generator->classes[i].name, &number,
                                  NULL) ||
            number != i) {
            return;
        }
    }
}

static enum hs_err generator_open(const struct workload_setup *setup, void **self,
                                  struct hs_error *error)
{
    const struct workload_options *options = setup->options;
    struct generator *generator = calloc(1, sizeof *generator);
    enum hs_err err = HS_OK;

    *self = NULL;
    if (!generator) {
        return hs_error_memory(error);
    }
    generator->classes = options->classes.list;
    generator->class_count = options->classes.count;
    generator->stats = setup->stats;
    generator->seed = options->seed;
    generator->jobs = options->lublin.jobs;
    generator->entries = calloc(generator->class_count, sizeof(struct demand_entry *));
    generator->ends = calloc(generator->class_count, sizeof *generator->ends);
    generator->demands = demand_store_create(setup->names);
    if (!generator->entries || !generator->ends || !generator->demands) {
        err = hs_error_memory(error);
    }
    for (size_t i = 0; !err && i < generator->class_count; i++) {
        err = class_open(generator, i, error);
        setup->stats->is_clairvoyant =
            setup->stats->is_clairvoyant ||
            (options->estimate == WORKLOAD_ESTIMATE_TRACE && !(generator->classes[i].estimate > 1));
    }
    err = err ? err : rate_find(generator, options, error);
    if (err) {
        generator_close(generator);
        return err;
    }
    classes_name(generator, setup->names);
    *self = generator;
    return HS_OK;
}

static size_t class_draw(const struct generator *generator)
{
    double place = uniform(generator, "mix.class") * generator->ends[generator->class_count - 1];
    size_t index = 0;

    while (index + 1 < generator->class_count && place >= generator->ends[index]) {
        index++;
    }
    return index;
}

static enum hs_err generator_next(void *self, struct workload_record *record, bool *has_record,
                                  struct hs_error *error)
{
    struct generator *generator = self;
    int64_t *value = record->fields.value;
    size_t index;

    *has_record = generator->jobs_done < generator->jobs;
    if (!*has_record) {
        return HS_OK;
    }
    generator->arrival_s += -log1p(-uniform(generator, "mix.arrival")) / generator->rate;
    if (generator->arrival_s > (double)SWF_SUBMIT_MAX_S) {
        *has_record = false;
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The generated submit times pass %lld s at job %lld, more than a trace "
                            "can hold. Ask for fewer jobs, or a higher load or rate.",
                            (long long)SWF_SUBMIT_MAX_S, (long long)generator->jobs_done + 1);
    }
    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        value[i] = -1;
    }
    index = class_draw(generator);
    value[SWF_ID] = generator->jobs_done + 1;
    value[SWF_SUBMIT] = llround(generator->arrival_s * MS_PER_S) * NS_PER_MS;
    value[SWF_RUN] = run_draw(generator, &generator->classes[index]);
    value[SWF_WALLTIME] = request_of(&generator->classes[index], value[SWF_RUN]);
    value[SWF_STATUS] = 1;
    record->fields.line = 0;
    record->demand = &generator->entries[index]->demand;
    record->priority = generator->classes[index].priority;
    record->has_priority = true;
    record->job_class = (int32_t)index;
    generator->jobs_done++;
    generator->stats->records++;
    return HS_OK;
}

static double generator_progress(const void *self)
{
    const struct generator *generator = self;

    return (double)generator->jobs_done / (double)generator->jobs;
}

const struct workload_source workload_source_classes = {
    .open = generator_open,
    .next = generator_next,
    .progress = generator_progress,
    .close = generator_close,
    .is_sorted = true,
};
