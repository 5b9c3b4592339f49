/* SPDX-License-Identifier: MIT */
/* predict_truth.c - predictors that know: what the user said, or what will be.
 *
 *   request  the user's request, as without a predictor
 *   oracle   the true run time; the request where the host does not know it
 *   factor   the true run time x f: the wrong estimates of studies that have none of users. With
 *            `drawn` each job has its own number, uniform in [1, f], the same under every policy.
 * Sources: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001 (a fixed factor, and a uniform
 * one); Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007 (perfect predictions). */
#include "hs/policy.h"

static hs_time request_predict(void *self, const struct hs_predict_question *question)
{
    (void)self;
    return question->request_ns;
}

static hs_time oracle_predict(void *self, const struct hs_predict_question *question)
{
    (void)self;
    return question->truth_ns >= 0 ? question->truth_ns : question->request_ns;
}

struct factor {
    double factor;
    bool drawn;
};

static hs_time factor_predict(void *state, const struct hs_predict_question *question)
{
    const struct factor *self = state;
    double f = self->drawn ? 1 + question->draw * (self->factor - 1) : self->factor;
    double more; /* so that a factor of 1 is exact */

    if (question->truth_ns < 0) {
        return question->request_ns;
    }
    more = (f - 1) * (double)question->truth_ns;
    return more < (double)(HS_TIME_NEVER / 2) && question->truth_ns < HS_TIME_NEVER / 2
               ? question->truth_ns + (hs_time)more
               : HS_TIME_NEVER;
}

static const struct hs_param factor_params[] = {
    HS_PARAM_DOUBLE(struct factor, factor, "2", 0.001, 1e6, "", "prediction / run time"),
    HS_PARAM_BOOL(struct factor, drawn, "false",
                  "each job's own factor, uniform between 1 and the one given"),
    HS_PARAM_END,
};

HS_PREDICT_DEFINE(request) = {
    HS_PREDICT_HEADER,          .name = "request",           .summary = "what the user requests",
    .predict = request_predict, .flags = HS_PREDICT_REQUEST,
};

HS_PREDICT_DEFINE(oracle) = {
    HS_PREDICT_HEADER,
    .name = "oracle",
    .summary = "the true run time (no real scheduler has it; the log says so)",
    .predict = oracle_predict,
    .flags = HS_PREDICT_TRUTH,
};

HS_PREDICT_DEFINE(factor) = {
    HS_PREDICT_HEADER,
    .name = "factor",
    .summary = "the true run time x a factor, fixed or drawn for each job",
    .params = factor_params,
    .state_size = sizeof(struct factor),
    .predict = factor_predict,
    .flags = HS_PREDICT_TRUTH,
};
