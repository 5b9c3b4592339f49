/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rounds_types.c - types of workers: where they are, who fits on them and how fast. */
#include <stdlib.h>
#include <string.h>

#include "allot/rounds.h"

/* Holds all nodes of the state but those of the class. */
static void close_others(struct hs_free *state, const struct hs_view *view, uint32_t speed_class)
{
    uint32_t nodes = hs_cluster_node_count(hs_view_cluster(view));

    for (uint32_t node = 0; node < nodes; node++) {
        struct hs_demand demand = {.tasks = 1, .flags = HS_DEMAND_EXCLUSIVE};
        struct hs_span span = {node, 1, 1};
        struct hs_alloc alloc = {.spans = &span, .span_count = 1, .is_exclusive = true};

        if (hs_view_speed_class(view, node) != speed_class) {
            hs_free_take(state, &demand, &alloc);
        }
    }
}

static bool make_states(struct rounds *rounds, const struct hs_view *view)
{
    rounds->idle = calloc(rounds->class_count, sizeof(struct hs_free *));
    rounds->open = calloc(rounds->class_count, sizeof(struct hs_free *));
    if (!rounds->idle || !rounds->open) {
        return false;
    }
    for (uint32_t c = 0; c < rounds->class_count; c++) {
        rounds->idle[c] = hs_free_create(rounds->cluster);
        rounds->open[c] = hs_free_create(rounds->cluster);
        if (!rounds->idle[c] || !rounds->open[c]) {
            return false;
        }
        close_others(rounds->idle[c], view, c);
        hs_free_copy(rounds->open[c], rounds->idle[c]);
    }
    return true;
}

/* What a speed class has of a kind. */
static int64_t amount_of(const struct hs_view *view, uint32_t speed_class, uint16_t kind)
{
    const struct hs_cluster *cluster = hs_view_cluster(view);
    int64_t amount = 0;

    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        const struct hs_node *node = hs_cluster_node(cluster, i);

        if (hs_view_speed_class(view, i) != speed_class) {
            continue;
        }
        for (uint32_t d = 0; kind != ROUNDS_CORES && d < node->device_count; d++) {
            amount += hs_cluster_device(cluster, node->first_device + d)->kind == kind
                          ? HS_SHARES_PER_UNIT
                          : 0;
        }
        amount += kind == ROUNDS_CORES ? node->cores_milli : 0;
    }
    return amount;
}

static bool find_types(struct rounds *rounds, const struct hs_view *view)
{
    uint32_t kinds = hs_cluster_kind_count(rounds->cluster);

    for (uint32_t k = 0; k <= kinds; k++) {
        uint16_t kind = k < kinds ? (uint16_t)k : ROUNDS_CORES;

        for (uint32_t c = 0; c < rounds->class_count; c++) {
            int64_t amount = amount_of(view, c, kind);

            if (amount == 0) {
                continue;
            }
            if (rounds->type_count == ROUNDS_TYPES_MAX) {
                return false;
            }
            rounds->types[rounds->type_count++] = (struct worker_type){c, kind, amount};
        }
    }
    return true;
}

enum hs_err rounds_types_init(struct rounds *rounds, const struct hs_view *view,
                              struct hs_error *error)
{
    rounds->cluster = hs_view_cluster(view);
    rounds->class_count = hs_view_speed_class_count(view);
    if (rounds->class_count > ROUNDS_CLASSES_MAX || !find_types(rounds, view)) {
        uint32_t count = rounds->class_count;

        rounds->class_count = 0;
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The Gavel policies tell at most %u speed classes and %u types of "
                            "workers apart; the nodes here are of %u speed classes. Take a "
                            "platform with fewer models, or jobs with classes instead of times for "
                            "each node.",
                            ROUNDS_CLASSES_MAX, ROUNDS_TYPES_MAX, count);
    }
    return make_states(rounds, view) ? HS_OK : hs_error_memory(error);
}

void rounds_types_fini(struct rounds *rounds)
{
    for (uint32_t c = 0; c < rounds->class_count; c++) {
        if (rounds->idle) {
            hs_free_destroy(rounds->idle[c]);
        }
        if (rounds->open) {
            hs_free_destroy(rounds->open[c]);
        }
    }
    free(rounds->idle);
    free(rounds->open);
    hs_alloc_buffer_fini(&rounds->buffer);
}

static struct hs_demand alternative_of(const struct hs_demand *demand, uint32_t alternative)
{
    struct hs_demand own = alternative ? demand->alternatives[alternative - 1] : *demand;

    own.alternatives = NULL;
    own.alternative_count = 0;
    return own;
}

struct hs_demand rounds_demand(const struct rounds *rounds, const struct hs_job *job, uint32_t type)
{
    struct hs_demand own = alternative_of(job->demand, rounds->jobs[job->slot].alternative);

    if (own.device_count) {
        own.device_kind = rounds->types[type].kind;
    }
    return own;
}

/* The kind of which a demand is: of any kind, the first of which it admits a device. */
static uint16_t kind_of(const struct hs_cluster *cluster, const struct hs_demand *demand)
{
    uint16_t first = ROUNDS_CORES;

    if (!demand->device_count || demand->device_kind != HS_ANY_KIND) {
        return demand->device_count ? demand->device_kind : ROUNDS_CORES;
    }
    for (uint32_t d = 0; d < hs_cluster_device_count(cluster); d++) {
        const struct hs_device *device = hs_cluster_device(cluster, d);

        if (device->kind < first && hs_demand_admits(demand, device)) {
            first = device->kind;
        }
    }
    return first;
}

static int64_t amount_asked(const struct hs_demand *demand)
{
    int64_t each = demand->device_count ? (int64_t)demand->device_count * demand->device_share
                                        : demand->cores_milli;

    return each > 0 ? each * demand->tasks : 1;
}

/* The rates of the job with the alternative that it has now; false: it fits nowhere. */
static bool find_rates(struct rounds *rounds, const struct hs_view *view, const struct hs_job *job)
{
    const struct round_job *own = &rounds->jobs[job->slot];
    double *rates = &rounds->rates[(size_t)job->slot * rounds->type_count];
    bool is_predicted = false;
    bool is_any = false;

    for (uint32_t w = 0; w < rounds->type_count; w++) {
        struct hs_demand demand = rounds_demand(rounds, job, w);
        uint32_t speed_class = rounds->types[w].speed_class;
        hs_time time;

        rates[w] = 0;
        if (rounds->types[w].kind != own->kind ||
            !hs_free_fits(rounds->idle[speed_class], &demand)) {
            continue;
        }
        time = hs_view_predict(view, job, speed_class);
        rates[w] = time == HS_TIME_NEVER ? -1 : (double)HS_NS_PER_S / (double)time;
        rates[w] = rates[w] > 0 && !rounds->aware ? 1 : rates[w];
        is_predicted |= rates[w] > 0;
        is_any = true;
    }
    for (uint32_t w = 0; w < rounds->type_count; w++) {
        if (rates[w] < 0) {
            rates[w] = is_predicted ? 0 : 1; /* without any prediction all are taken as alike */
        }
    }
    return is_any;
}

void rounds_meet(struct rounds *rounds, const struct hs_view *view, const struct hs_job *job)
{
    struct round_job *own = &rounds->jobs[job->slot];
    size_t first = (size_t)job->slot * rounds->type_count;
    size_t size = rounds->type_count * sizeof(double);

    memset(&rounds->shares[first], 0, size);
    memset(&rounds->owed_s[first], 0, size);
    memset(&rounds->got_s[first], 0, size);
    *own = (struct round_job){.type = ROUNDS_NO_TYPE, .is_hopeless = true};
    for (uint32_t a = 0; own->is_hopeless && a <= job->demand->alternative_count; a++) {
        struct hs_demand demand = alternative_of(job->demand, a);

        own->alternative = a;
        own->kind = kind_of(rounds->cluster, &demand);
        own->amount = amount_asked(&demand);
        own->is_hopeless = !find_rates(rounds, view, job);
    }
    rounds->hopeless_count += own->is_hopeless;
}

static void look_at_node(struct rounds *rounds, const struct hs_view *view, uint32_t node)
{
    hs_free_copy_node(rounds->open[hs_view_speed_class(view, node)], hs_view_free(view), node);
}

void rounds_look(struct rounds *rounds, const struct hs_view *view)
{
    for (uint32_t node = 0; node < hs_cluster_node_count(rounds->cluster); node++) {
        look_at_node(rounds, view, node);
    }
}

void rounds_look_at(struct rounds *rounds, const struct hs_view *view, const struct hs_alloc *alloc)
{
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = 0; i < span->node_count; i++) {
            look_at_node(rounds, view, span->first_node + i);
        }
    }
}
