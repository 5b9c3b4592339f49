/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.h - predicted run times in a simulation: asked at the submission, corrected by timers
 * while the job runs, learned at its end. Internal to sim/run; only while sim->has_predictor. */
#ifndef HSIM_RUN_PREDICT_H
#define HSIM_RUN_PREDICT_H

#include "run/simulation_internal.h"

/* What the predictor says of sim->next before it is submitted, >= 1. */
hs_time predict_next(struct simulation *sim);

/* The job has begun, and the core expects an end: corrects it when that has come, unless the job
 * then is at its request. */
enum hs_err predict_watch(struct simulation *sim, const struct hs_job *job,
                          struct hs_error *error) HS_MUST_USE;

/* The end has come that was expected when this was put on the agenda. A job that is not expected to
 * end now any more is left alone. */
enum hs_err predict_correct(struct simulation *sim, hs_time now, const struct hs_job *job,
                            struct hs_error *error) HS_MUST_USE;

/* What the log has of the prediction: where devices differ in speed, on what the job got. */
hs_time predict_logged(const struct simulation *sim, const struct hs_job *job);

/* The running job ends now, by itself or at its limit. */
enum hs_err predict_learn(struct simulation *sim, hs_time now, const struct hs_job *job,
                          bool is_killed, struct hs_error *error) HS_MUST_USE;

#endif
