/* SPDX-License-Identifier: MIT */
/* predict_rls.c - recursive least squares on the logarithms of request, size and run time.
 *
 * A filter holds theta and P. For a job it has the features x = (1, ln r, ln n): r the request in
 * seconds (a day where there is none), n the processors, both at least 1. A run of p seconds (at
 * least 1) teaches, with the forgetting factor l,
 *     k = P x / (l + x'P x)     theta += k (ln p - x'theta)     P = (P - k x'P) / l
 * where l = 1 for the step if P would else have a larger trace than at the beginning (or a filter
 * that meets equal jobs only would forget all else, until numbers overflow). It begins with theta =
 * (0, 1, 0), which predicts the request, and P = `prior` x I. The prediction is exp(x'theta), in
 * whole seconds rounded up, at least one, at most the request.
 *
 * There are filters for each job class (where jobs have none: for each user) on each model of node
 * or device, for each class or user wherever it runs, and one for all jobs. A run teaches those
 * that it belongs to; the first of them, in this order, that has learned `least` runs answers, else
 * the answer is the request. Beyond `filters` filters new classes have none of their own: memory is
 * bounded. Jobs that were killed teach the time that they ran.
 *
 * Source: Ljung and Soederstroem, Theory and Practice of Recursive Identification, MIT Press 1983
 * (least squares with a forgetting factor). */
#include <math.h>
#include <stdlib.h>

#include "hs/policy.h"
#include "lib/keys.h"
#include "lib/seconds.h"

#define FEATURES  3
#define REQUEST_S 86400.0
#define LONGEST_S 9e9 /* that a time in nanoseconds holds */

struct filter {
    double theta[FEATURES];
    double p[FEATURES][FEATURES];
    int64_t runs;
};

struct rls {
    double forgetting;
    double prior;
    int64_t least;
    int64_t filters;
    struct hp_keys keys;
    struct filter *list; /* by index of the key */
    uint32_t room;
};

/* FNV-1a: names of models become part of a key. 0: no model. */
static uint64_t hash_model(const char *model)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = model; c && *c; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return model ? hash | 1 : 0;
}

/* The keys of the filters that a job belongs to, the finest first; their number. */
static size_t keys_of(const struct hs_predict_question *question, struct hp_key keys[3])
{
    bool is_class = question->job_class >= 0;
    int32_t who = is_class ? question->job_class : question->user;
    size_t count = 0;

    if (who >= 0) {
        uint64_t first = (uint64_t)(who + INT64_C(1)) * 2 + is_class;

        if (question->model) {
            keys[count++] = (struct hp_key){first, hash_model(question->model)};
        }
        keys[count++] = (struct hp_key){first, 0};
    }
    keys[count++] = (struct hp_key){0, 0};
    return count;
}

static void features_of(const struct hs_predict_question *question, double x[FEATURES])
{
    double request =
        question->request_ns == HS_TIME_NEVER ? REQUEST_S : hp_seconds(question->request_ns);

    x[0] = 1;
    x[1] = log(request < 1 ? 1 : request);
    x[2] = log(question->procs < 1 ? 1 : (double)question->procs);
}

static double product(const double a[FEATURES], const double b[FEATURES])
{
    double sum = 0;

    for (int i = 0; i < FEATURES; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void filter_init(struct filter *filter, double prior)
{
    *filter = (struct filter){.theta = {0, 1, 0}};
    for (int i = 0; i < FEATURES; i++) {
        filter->p[i][i] = prior;
    }
}

static void filter_learn(struct filter *filter, const double x[FEATURES], double target,
                         double forgetting, double prior)
{
    double px[FEATURES]; /* P x; P is symmetric */
    double error = target - product(filter->theta, x);
    double spread, trace = 0;

    for (int i = 0; i < FEATURES; i++) {
        px[i] = product(filter->p[i], x);
    }
    spread = forgetting + product(px, x);
    for (int i = 0; i < FEATURES; i++) {
        trace += (filter->p[i][i] - px[i] * px[i] / spread) / forgetting;
    }
    if (trace > FEATURES * prior) {
        forgetting = 1;
        spread = 1 + product(px, x);
    }
    for (int i = 0; i < FEATURES; i++) {
        filter->theta[i] += px[i] / spread * error;
        for (int j = 0; j < FEATURES; j++) {
            filter->p[i][j] = (filter->p[i][j] - px[i] * px[j] / spread) / forgetting;
        }
    }
    filter->runs++;
}

static hs_time rls_predict(void *state, const struct hs_predict_question *question)
{
    const struct rls *self = state;
    struct hp_key keys[3];
    size_t count = keys_of(question, keys);
    double x[FEATURES];
    double seconds;

    features_of(question, x);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = hp_keys_find(&self->keys, keys[i]);

        if (index == HP_KEYS_NONE || self->list[index].runs < self->least) {
            continue;
        }
        seconds = ceil(exp(product(self->list[index].theta, x)));
        seconds = seconds < 1 ? 1 : seconds;
        return hs_predict_within(seconds < LONGEST_S ? (hs_time)seconds * HS_NS_PER_S
                                                     : HS_TIME_NEVER,
                                 question->request_ns);
    }
    return question->request_ns;
}

/* The filter of the key, made if there is room. False: no memory; *filter NULL: no room. */
static bool find_filter(struct rls *self, struct hp_key key, struct filter **filter)
{
    uint32_t index = hp_keys_find(&self->keys, key);

    *filter = NULL;
    if (index == HP_KEYS_NONE && (int64_t)self->keys.count >= self->filters) {
        return true;
    }
    if (index == HP_KEYS_NONE) {
        if (self->keys.count == self->room) {
            uint32_t room = self->room ? self->room * 2 : 16;
            struct filter *moved = realloc(self->list, room * sizeof *moved);

            if (!moved) {
                return false;
            }
            self->list = moved;
            self->room = room;
        }
        index = hp_keys_add(&self->keys, key);
        if (index == HP_KEYS_NONE) {
            return false;
        }
        filter_init(&self->list[index], self->prior);
    }
    *filter = &self->list[index];
    return true;
}

static bool rls_learn(void *state, const struct hs_predict_question *question,
                      const struct hs_predict_run *run)
{
    struct rls *self = state;
    struct hp_key keys[3];
    size_t count = keys_of(question, keys);
    double run_s = hp_seconds(run->run_ns);
    double target = log(run_s < 1 ? 1 : run_s);
    double x[FEATURES];

    features_of(question, x);
    for (size_t i = count; i-- > 0;) { /* that of all jobs first: it always has room */
        struct filter *filter;

        if (!find_filter(self, keys[i], &filter)) {
            return false;
        }
        if (filter) {
            filter_learn(filter, x, target, self->forgetting, self->prior);
        }
    }
    return true;
}

static void rls_fini(void *state)
{
    struct rls *self = state;

    hp_keys_fini(&self->keys);
    free(self->list);
}

static const struct hs_param rls_params[] = {
    HS_PARAM_DOUBLE(struct rls, forgetting, "0.98", 0.5, 1, "",
                    "weight of each run against the one after it; 1: nothing is forgotten"),
    HS_PARAM_DOUBLE(struct rls, prior, "1", 1e-6, 1e6, "",
                    "distrust of the request at the beginning"),
    HS_PARAM_INT(struct rls, least, "2", 1, 1e9, "runs", "until a filter answers"),
    HS_PARAM_INT(struct rls, filters, "4096", 1, 1e6, "", "most that are kept"),
    HS_PARAM_END,
};

HS_PREDICT_DEFINE(rls) = {
    HS_PREDICT_HEADER,
    .name = "rls",
    .summary =
        "least squares over the logarithms of request and size, by class or user, forgetting",
    .params = rls_params,
    .state_size = sizeof(struct rls),
    .fini = rls_fini,
    .predict = rls_predict,
    .learn = rls_learn,
};
