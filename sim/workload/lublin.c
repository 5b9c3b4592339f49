/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lublin.c - draws jobs from the Lublin-Feitelson model with GSL. */
#include "workload/lublin.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "workload/random.h"
#include "workload/source.h"

#define SLOTS        48
#define SLOT_S       1800
#define SLOT_FIRST   11 /* the day of the model begins here */
#define LN_RUN_MAX   12
#define LN_GAP_MAX   13
#define DRAWS_MAX    1000 /* of a truncated variable; then its bound is taken */
#define STREAM_COUNT 3

enum stream { STREAM_ARRIVAL, STREAM_SIZE, STREAM_RUN };

struct lublin {
    struct workload_lublin model;
    gsl_rng *rng[STREAM_COUNT]; /* one each, so that a new parameter changes only its own draws */
    int64_t nodes, power2_max;
    double u_low, u_med, u_high;
    double weights[SLOTS]; /* points a slot of the day offers; 48 in sum */
    int slot;
    double slot_start_s; /* begin of the slot in which the last job arrived */
    double points;       /* used of that slot */
    int64_t jobs_done;
    struct workload_stats *stats; /* of the workload, if it is the source of one */
};

void lublin_destroy(struct lublin *lublin)
{
    if (!lublin) {
        return;
    }
    for (size_t i = 0; i < STREAM_COUNT; i++) {
        if (lublin->rng[i]) {
            gsl_rng_free(lublin->rng[i]);
        }
    }
    free(lublin);
}

static bool generators_create(struct lublin *lublin, uint64_t seed)
{
    static const char *const streams[STREAM_COUNT] = {
        [STREAM_ARRIVAL] = "lublin.arrival",
        [STREAM_SIZE] = "lublin.size",
        [STREAM_RUN] = "lublin.run",
    };
    /* GSL's own handler would abort when memory is short. */
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    bool is_complete = true;

    for (size_t i = 0; i < STREAM_COUNT; i++) {
        lublin->rng[i] = gsl_rng_alloc(gsl_rng_mt19937);
        if (lublin->rng[i]) {
            /* The twister takes 32 bits of seed, and 0 for its own default. */
            gsl_rng_set(lublin->rng[i],
                        (unsigned long)(workload_random_bits(seed, streams[i], 0) >> 33) + 1);
        }
        is_complete = is_complete && lublin->rng[i];
    }
    (void)gsl_set_error_handler(handler);
    return is_complete;
}

static void sizes_prepare(struct lublin *lublin, int64_t machine_procs)
{
    const struct workload_lublin *model = &lublin->model;

    lublin->nodes = model->nodes ? model->nodes : machine_procs;
    for (lublin->power2_max = 1; lublin->power2_max <= lublin->nodes / 2; lublin->power2_max *= 2) {
    }
    lublin->u_high = model->u_high > 0 ? model->u_high : log2((double)lublin->nodes);
    lublin->u_low = fmin(model->u_low, lublin->u_high);
    lublin->u_med = fmax(lublin->u_high - model->u_med_offset, lublin->u_low);
}

/* The share of each half-hour in the arrivals of a day. */
static bool weights_prepare(struct lublin *lublin)
{
    double sum = 0;

    for (int i = SLOT_FIRST; i < SLOT_FIRST + SLOTS; i++) {
        double share = gsl_cdf_gamma_P(i + 0.5, lublin->model.a_num, lublin->model.b_num) -
                       gsl_cdf_gamma_P(i - 0.5, lublin->model.a_num, lublin->model.b_num);

        /* The model counts slots from 1. */
        lublin->weights[(i - 1) % SLOTS] = share > 0 ? share : 0;
        sum += share > 0 ? share : 0;
    }
    for (int i = 0; i < SLOTS; i++) {
        lublin->weights[i] *= SLOTS / sum;
    }
    return sum > 1e-6;
}

enum hs_err lublin_create(const struct workload_options *options, struct lublin **lublin,
                          struct hs_error *error)
{
    struct lublin *created = calloc(1, sizeof *created);

    *lublin = NULL;
    if (!created) {
        return hs_error_memory(error);
    }
    created->model = options->lublin;
    if (!generators_create(created, options->seed)) {
        lublin_destroy(created);
        return hs_error_memory(error);
    }
    sizes_prepare(created, options->machine_procs);
    if (!weights_prepare(created)) {
        lublin_destroy(created);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Options workload.generate.a_num %.10g and b_num %.10g leave no "
                            "arrivals within a day; their product, the mean, is a half-hour slot "
                            "between 11 and 58.",
                            options->lublin.a_num, options->lublin.b_num);
    }
    created->slot = (int)(options->lublin.start_ns / (SLOT_S * HS_NS_PER_S) % SLOTS);
    created->points = created->weights[created->slot] *
                      ((double)(options->lublin.start_ns % (SLOT_S * HS_NS_PER_S)) /
                       (double)(SLOT_S * HS_NS_PER_S));
    created->slot_start_s =
        -(double)(options->lublin.start_ns % (SLOT_S * HS_NS_PER_S)) / (double)HS_NS_PER_S;
    *lublin = created;
    return HS_OK;
}

static int64_t size_draw(struct lublin *lublin)
{
    const struct workload_lublin *model = &lublin->model;
    gsl_rng *rng = lublin->rng[STREAM_SIZE];
    double kind = gsl_rng_uniform(rng);
    double stage = gsl_rng_uniform(rng);
    double place = gsl_rng_uniform(rng);
    bool is_low = stage < model->u_probability;
    double low = is_low ? lublin->u_low : lublin->u_med;
    double high = is_low ? lublin->u_med : lublin->u_high;
    double exponent = low + (high - low) * place;
    int64_t size;

    if (kind < model->serial_probability) {
        return 1;
    }
    if (kind < model->serial_probability + model->power2_probability) {
        size = (int64_t)1 << (int)floor(exponent + 0.5);
        return size <= lublin->power2_max ? size : lublin->power2_max;
    }
    size = (int64_t)floor(exp2(exponent) + 0.5);
    return size <= lublin->nodes ? size : lublin->nodes;
}

static double gamma_below(gsl_rng *rng, double shape, double scale, double limit)
{
    for (int i = 0; i < DRAWS_MAX; i++) {
        double value = gsl_ran_gamma(rng, shape, scale);

        if (value <= limit) {
            return value;
        }
    }
    return limit;
}

static int64_t run_draw_s(struct lublin *lublin, int64_t size)
{
    const struct workload_lublin *model = &lublin->model;
    gsl_rng *rng = lublin->rng[STREAM_RUN];
    double probability = model->pa * (double)size + model->pb;

    /* The mixture is truncated as a whole: the branch is drawn again too. */
    for (int i = 0; i < DRAWS_MAX; i++) {
        bool is_first = gsl_rng_uniform(rng) < probability;
        double ln_run = is_first ? gsl_ran_gamma(rng, model->a1, model->b1)
                                 : gsl_ran_gamma(rng, model->a2, model->b2);

        if (ln_run <= LN_RUN_MAX) {
            return (int64_t)exp(ln_run);
        }
    }
    return (int64_t)exp(LN_RUN_MAX);
}

/* Seconds from the trace's zero. */
static double arrival_draw_s(struct lublin *lublin)
{
    const struct workload_lublin *model = &lublin->model;

    lublin->points +=
        exp(gamma_below(lublin->rng[STREAM_ARRIVAL], model->a_arrival * model->arrival_ratio,
                        model->b_arrival, LN_GAP_MAX)) /
        SLOT_S;
    while (lublin->points > lublin->weights[lublin->slot]) {
        lublin->points -= lublin->weights[lublin->slot];
        lublin->slot = (lublin->slot + 1) % SLOTS;
        lublin->slot_start_s += SLOT_S;
    }
    return lublin->slot_start_s + SLOT_S * (lublin->points / lublin->weights[lublin->slot]);
}

enum hs_err lublin_next(struct lublin *lublin, struct swf_record *record, bool *has_record,
                        struct hs_error *error)
{
    double arrival_s;
    int64_t size;

    *has_record = lublin->jobs_done < lublin->model.jobs;
    if (!*has_record) {
        return HS_OK;
    }
    arrival_s = arrival_draw_s(lublin);
    if (arrival_s > (double)SWF_SUBMIT_MAX_S) {
        *has_record = false;
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The generated submit times pass %lld s at job %lld, more than a "
                            "trace can hold. Ask for fewer jobs, or make the gaps shorter "
                            "(generate.a_arrival, generate.b_arrival).",
                            (long long)SWF_SUBMIT_MAX_S, (long long)lublin->jobs_done + 1);
    }
    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        record->value[i] = -1;
    }
    size = size_draw(lublin);
    record->line = 0;
    record->value[SWF_ID] = ++lublin->jobs_done;
    record->value[SWF_SUBMIT] = (int64_t)arrival_s * HS_NS_PER_S;
    record->value[SWF_RUN] = run_draw_s(lublin, size) * HS_NS_PER_S;
    record->value[SWF_PROCS_USED] = size;
    record->value[SWF_PROCS] = size;
    record->value[SWF_WALLTIME] = record->value[SWF_RUN];
    record->value[SWF_STATUS] = 1;
    return HS_OK;
}

static enum hs_err source_open(const struct workload_setup *setup, void **self,
                               struct hs_error *error)
{
    struct lublin *lublin;
    enum hs_err err = lublin_create(setup->options, &lublin, error);

    if (!err) {
        lublin->stats = setup->stats;
        /* The request of a generated job is its run time. */
        setup->stats->is_clairvoyant =
            setup->stats->is_clairvoyant || setup->options->estimate == WORKLOAD_ESTIMATE_TRACE;
    }
    *self = lublin;
    return err;
}

static enum hs_err source_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct lublin *lublin = self;
    enum hs_err err = lublin_next(lublin, &record->fields, has_record, error);

    lublin->stats->records += !err && *has_record;
    return err;
}

static double source_progress(const void *self)
{
    const struct lublin *lublin = self;

    return (double)lublin->jobs_done / (double)lublin->model.jobs;
}

static void source_close(void *self)
{
    lublin_destroy(self);
}

const struct workload_source workload_source_lublin = {
    .open = source_open,
    .next = source_next,
    .progress = source_progress,
    .close = source_close,
    .is_sorted = true,
};
