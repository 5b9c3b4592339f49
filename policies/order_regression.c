/* SPDX-License-Identifier: MIT */
/* order_regression.c - f1 to f4: keys found by nonlinear regression over simulations.
 *
 * r is the requested walltime in seconds (at least 1), n the processors, s the submit time in
 * seconds on the trace's own clock; log10(0.1) where s is 0. The keys depend on that clock's zero:
 * the same trace shifted in time is ordered differently.
 * Source: Carastan-Santos and de Camargo, "Obtaining dynamic scheduling policies with simulation
 * and machine learning", SC 2017, table 3. */
#include <math.h>

#include "lib/seconds.h"

static double log10_submit(const struct hs_job *job)
{
    double s = hp_seconds(job->key.submit_ns);

    return log10(s > 0 ? s : 0.1);
}

static double f1_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return log10(hp_request_s(job)) * (double)job->procs + 870.0 * log10_submit(job);
}

static double f2_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return sqrt(hp_request_s(job)) * (double)job->procs + 25600.0 * log10_submit(job);
}

static double f3_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return hp_request_s(job) * (double)job->procs + 6.86e6 * log10_submit(job);
}

static double f4_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return hp_request_s(job) * sqrt((double)job->procs) + 5.30e5 * log10_submit(job);
}

HS_ORDER_DEFINE(f1) = {
    HS_ORDER_HEADER,
    .name = "f1",
    .summary = "log10(r) n + 870 log10(s)",
    .key = f1_key,
};

HS_ORDER_DEFINE(f2) = {
    HS_ORDER_HEADER,
    .name = "f2",
    .summary = "sqrt(r) n + 25600 log10(s)",
    .key = f2_key,
};

HS_ORDER_DEFINE(f3) = {
    HS_ORDER_HEADER,
    .name = "f3",
    .summary = "r n + 6.86e6 log10(s)",
    .key = f3_key,
};

HS_ORDER_DEFINE(f4) = {
    HS_ORDER_HEADER,
    .name = "f4",
    .summary = "r sqrt(n) + 5.30e5 log10(s)",
    .key = f4_key,
};
