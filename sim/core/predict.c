/* SPDX-License-Identifier: MIT */
/* predict.c - the predictor of a scheduler's stack: asked, corrected, taught. */
#include "hs/predict.h"

#include "random.h"
#include "sched_internal.h"

static const struct hsi_part *predictor(const struct hs_sched *sched)
{
    return &sched->stack->parts[HS_KIND_PREDICT];
}

enum hs_err hsi_predict_begin(struct hs_sched *sched, struct hs_error *error)
{
    const struct hsi_part *part = predictor(sched);
    enum hs_err err = HS_OK;

    if (part->entry && part->entry->as.predictor.init) {
        err = part->entry->as.predictor.init(part->state, error);
    }
    sched->is_predicting = err == HS_OK;
    return err;
}

void hsi_predict_end(struct hs_sched *sched)
{
    const struct hsi_part *part = predictor(sched);

    if (sched->is_predicting && part->entry && part->entry->as.predictor.fini) {
        part->entry->as.predictor.fini(part->state);
    }
}

hs_time hs_sched_predict(struct hs_sched *sched, struct hs_predict_question *question)
{
    const struct hsi_part *part = predictor(sched);
    hs_time prediction;

    if (!part->entry) {
        return question->request_ns;
    }
    question->draw = hsi_random_keyed(sched->seed, "predict", question->number);
    prediction = part->entry->as.predictor.predict(part->state, question);
    return prediction < 1 ? 1 : prediction;
}

bool hs_sched_learn(struct hs_sched *sched, struct hs_predict_question *question,
                    const struct hs_predict_run *run)
{
    const struct hsi_part *part = predictor(sched);

    if (!part->entry || !part->entry->as.predictor.learn) {
        return true;
    }
    question->draw = hsi_random_keyed(sched->seed, "predict", question->number);
    return part->entry->as.predictor.learn(part->state, question, run);
}

hs_time hs_predict_corrected(hs_time outlived_ns, uint32_t corrections, hs_time request_ns)
{
    static const int64_t steps_s[] = {60,    300,   900,   1800,   3600,  7200,
                                      18000, 36000, 72000, 180000, 360000};
    const uint32_t last = sizeof steps_s / sizeof steps_s[0] - 1;
    hs_time step = steps_s[corrections < last ? corrections : last] * HS_NS_PER_S;

    if (outlived_ns >= request_ns) {
        return outlived_ns;
    }
    return hs_predict_within(
        outlived_ns < HS_TIME_NEVER - step ? outlived_ns + step : HS_TIME_NEVER, request_ns);
}
