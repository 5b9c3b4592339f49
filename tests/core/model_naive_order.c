/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_naive_order.c - keys of the orders, straight from their formulas. */
#include <math.h>
#include <stdlib.h>

#include "model_naive.h"

static double seconds(hs_time time)
{
    return (double)(time / HS_NS_PER_S) + (double)(time % HS_NS_PER_S) / 1e9;
}

double naive_key(const struct naive *naive, uint32_t job)
{
    const struct model_job *it = &naive->model->jobs[job];
    double s = seconds(it->submit_ns);
    double w = seconds(naive->now - it->submit_ns);
    double r = fmax(seconds(it->request_ns), 1.0);
    double n = it->procs;
    double log_s = log10(it->submit_ns == 0 ? 0.1 : s);
    double x = w / r;

    switch (naive->model->order) {
    case MODEL_FCFS:
        return s;
    case MODEL_LCFS:
        return -s;
    case MODEL_SJF:
        return r;
    case MODEL_LJF:
        return -r;
    case MODEL_SAF:
        return r * n;
    case MODEL_LAF:
        return -(r * n);
    case MODEL_SMALLEST:
        return n;
    case MODEL_LARGEST:
        return -n;
    case MODEL_PRIORITY:
        return -it->priority;
    case MODEL_WFP3:
        return -(x * x * x * n);
    case MODEL_UNICEP:
        return -(w + 1e-15) / (log2(n + 1e-15) * r);
    case MODEL_UNICEF:
        return -(w + 1e-15) / (log2(fmax(n, 2)) * r);
    case MODEL_EXPANSION:
        return -(w + r) / r;
    case MODEL_F1:
        return log10(r) * n + 870.0 * log_s;
    case MODEL_F2:
        return sqrt(r) * n + 25600.0 * log_s;
    case MODEL_F3:
        return r * n + 6.86e6 * log_s;
    case MODEL_F4:
        return r * sqrt(n) + 5.30e5 * log_s;
    case MODEL_ORDER_COUNT:
        break;
    }
    abort();
}
