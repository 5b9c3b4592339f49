/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inflation.c - the list, its order, and the draws behind it. */
#include "workload/inflation.h"

#include <math.h>
#include <stdlib.h>

#include "hs/cluster.h"
#include "workload/random.h"
#include "workload/swf.h"

#define PARTS_PER_UNIT INT64_C(1000000000) /* loads are rounded to 1e-9 */

struct inflation {
    const char *label;
    uint64_t seed;
    bool is_shuffled;
    hs_time interval_ns;
    hs_int128 target;  /* requests at which arrivals end, in 1e-9 thousandths; 0: the list, once */
    hs_int128 arrived; /* requests so far, thousandths of accelerators */
    struct workload_job *jobs;
    uint32_t *order; /* the list as it arrives */
    size_t count, room;
    int64_t next; /* arrivals so far */
};

enum hs_err inflation_create(const struct workload_options *options, const char *label,
                             struct inflation **inflation, struct hs_error *error)
{
    double load = options->inflation.load;
    int64_t devices = options->cluster ? hs_cluster_device_count(options->cluster) : 0;
    struct inflation *made;

    *inflation = NULL;
    if (load > 0 && devices == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: `inflation.load` is a share of the platform's accelerators, and "
                            "the platform has none. Name one that has, for instance the list of "
                            "nodes that belongs to the jobs, or set the load to 0.",
                            label);
    }
    made = calloc(1, sizeof *made);
    if (!made) {
        return hs_error_memory(error);
    }
    made->label = label;
    made->seed = options->seed;
    made->is_shuffled = options->inflation.is_shuffled;
    made->interval_ns = options->inflation.interval_ns;
    made->target = (hs_int128)llround(load * (double)PARTS_PER_UNIT) * devices * HS_SHARES_PER_UNIT;
    *inflation = made;
    return HS_OK;
}

void inflation_destroy(struct inflation *inflation)
{
    if (inflation) {
        free(inflation->jobs);
        free(inflation->order);
        free(inflation);
    }
}

enum hs_err inflation_add(struct inflation *inflation, const struct workload_job *job,
                          struct hs_error *error)
{
    if (inflation->count == inflation->room) {
        size_t room = inflation->room ? 2 * inflation->room : 1024;
        struct workload_job *moved;

        if (room > UINT32_MAX / 2) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: more than %zu jobs; an inflation holds its list in memory. "
                                "Take a part of it with `head`.",
                                inflation->label, inflation->count);
        }
        moved = realloc(inflation->jobs, room * sizeof *moved);
        if (!moved) {
            return hs_error_memory(error);
        }
        inflation->jobs = moved;
        inflation->room = room;
    }
    inflation->jobs[inflation->count++] = *job;
    return HS_OK;
}

enum hs_err inflation_start(struct inflation *inflation, struct hs_error *error)
{
    size_t count = inflation->count;
    hs_int128 sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += workload_job_device_milli(&inflation->jobs[i]);
    }
    if (inflation->target > 0 && count > 0 && sum == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: none of the %zu jobs asks for an accelerator, so that no number "
                            "of them reaches `inflation.load`. Set it to 0, or take other jobs.",
                            inflation->label, count);
    }
    inflation->order = malloc((count + 1) * sizeof *inflation->order);
    if (!inflation->order) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        inflation->order[i] = (uint32_t)i;
    }
    for (size_t i = count; inflation->is_shuffled && i > 1; i--) { /* Fisher and Yates */
        uint64_t bits = workload_random_bits(inflation->seed, "inflation-order", i - 1);
        size_t other = (size_t)workload_random_below(bits, i);
        uint32_t moved = inflation->order[i - 1];

        inflation->order[i - 1] = inflation->order[other];
        inflation->order[other] = moved;
    }
    return HS_OK;
}

static enum hs_err too_late(const struct inflation *inflation, struct hs_error *error)
{
    char interval[HS_TIME_TEXT_MAX];

    (void)hs_time_format(inflation->interval_ns, interval);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: job number %lld would arrive after 6000000000 s, the last submit time "
                        "that is allowed. Make `inflation.interval` (%s s) or `inflation.load` "
                        "smaller.",
                        inflation->label, (long long)inflation->next, interval);
}

enum hs_err inflation_next(struct inflation *inflation, struct workload_job *job, bool *has_job,
                           struct hs_error *error)
{
    int64_t number = inflation->next;
    bool is_full = inflation->target > 0 ? inflation->arrived * PARTS_PER_UNIT >= inflation->target
                                         : number >= (int64_t)inflation->count;
    size_t index;

    *has_job = !is_full && inflation->count > 0;
    if (!*has_job) {
        return HS_OK;
    }
    if (number > SWF_SUBMIT_MAX_NS / inflation->interval_ns) {
        return too_late(inflation, error);
    }
    if (number < (int64_t)inflation->count) {
        index = inflation->order[number];
    } else {
        index = (size_t)workload_random_below(
            workload_random_bits(inflation->seed, "inflation-draw", (uint64_t)number),
            inflation->count);
    }
    *job = inflation->jobs[index];
    job->submit_ns = number * inflation->interval_ns;
    inflation->arrived += workload_job_device_milli(job);
    inflation->next = number + 1;
    return HS_OK;
}

double inflation_progress(const struct inflation *inflation)
{
    if (inflation->target > 0) {
        double share = (double)inflation->arrived * (double)PARTS_PER_UNIT;

        return share < (double)inflation->target ? share / (double)inflation->target : 1;
    }
    return inflation->count ? (double)inflation->next / (double)inflation->count : 1;
}
