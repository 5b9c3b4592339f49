/* SPDX-License-Identifier: MIT */
/* order_size.c - orders by one attribute of the job: arrival, request, processors, area, priority.
 *
 * r is the requested walltime in seconds (at least 1), n the processors, s the submit time.
 * Sources: Feitelson, Rudolph and Schwiegelshohn, JSSPP 2004 (fcfs, sjf, ljf, smallest, largest);
 * Carastan-Santos, de Camargo, Trystram and Zrigui, "One can only gain by replacing EASY
 * backfilling", CCGrid 2019 (saf, laf). */
#include "lib/seconds.h"

static double fcfs_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return hp_seconds(job->key.submit_ns);
}

static double lcfs_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    return -fcfs_key(self, view, job);
}

static double sjf_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return hp_request_s(job);
}

static double ljf_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    return -sjf_key(self, view, job);
}

static double saf_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    return sjf_key(self, view, job) * (double)job->procs;
}

static double laf_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    return -saf_key(self, view, job);
}

static double smallest_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return (double)job->procs;
}

static double largest_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    return -smallest_key(self, view, job);
}

static double priority_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return -job->priority;
}

static double random_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    return hs_view_random(view, "order-random", (uint64_t)job->key.id);
}

HS_ORDER_DEFINE(fcfs) = {
    HS_ORDER_HEADER, .name = "fcfs",     .summary = "first come, first served: s",
    .key = fcfs_key, .is_arrival = true,
};

HS_ORDER_DEFINE(lcfs) = {
    HS_ORDER_HEADER,
    .name = "lcfs",
    .summary = "last come, first served: -s",
    .key = lcfs_key,
};

HS_ORDER_DEFINE(sjf) = {
    HS_ORDER_HEADER,
    .name = "sjf",
    .summary = "shortest request first: r",
    .key = sjf_key,
};

HS_ORDER_DEFINE(ljf) = {
    HS_ORDER_HEADER,
    .name = "ljf",
    .summary = "longest request first: -r",
    .key = ljf_key,
};

HS_ORDER_DEFINE(saf) = {
    HS_ORDER_HEADER,
    .name = "saf",
    .summary = "smallest area first: r n",
    .key = saf_key,
};

HS_ORDER_DEFINE(laf) = {
    HS_ORDER_HEADER,
    .name = "laf",
    .summary = "largest area first: -r n",
    .key = laf_key,
};

HS_ORDER_DEFINE(smallest) = {
    HS_ORDER_HEADER,
    .name = "smallest",
    .summary = "fewest processors first: n",
    .key = smallest_key,
};

HS_ORDER_DEFINE(largest) = {
    HS_ORDER_HEADER,
    .name = "largest",
    .summary = "most processors first: -n",
    .key = largest_key,
};

HS_ORDER_DEFINE(priority) = {
    HS_ORDER_HEADER,
    .name = "priority",
    .summary = "largest priority of the workload first (workload.priority_field)",
    .key = priority_key,
};

HS_ORDER_DEFINE(random) = {
    HS_ORDER_HEADER,
    .name = "random",
    .summary = "a random order that depends on the seed and the job only",
    .key = random_key,
};
