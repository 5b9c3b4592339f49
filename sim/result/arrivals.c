/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrivals.c - rows, means by percent, and the figures at full load. */
#include "result/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_FULL 100

bool arrivals_init(struct arrivals *arrivals, const struct result_meta *meta, hid_t file, int level,
                   struct pack *pack, struct store_cause *cause)
{
    *arrivals = (struct arrivals){
        .capacity_milli = (int64_t)hs_cluster_device_count(meta->cluster) * HS_SHARES_PER_UNIT,
        .full = {.alloc = NAN, .fragment = NAN},
    };
    return file < 0 ||
           (table_init(&arrivals->rows, &result_arrivals_table, file, level, pack, cause) &&
            table_init(&arrivals->percents, &result_inflation_table, file, level, pack, cause));
}

int64_t arrivals_percent(int64_t requested_milli, int64_t capacity_milli)
{
    return (int64_t)(((hs_int128)requested_milli * 200 + capacity_milli) /
                     ((hs_int128)capacity_milli * 2));
}

void arrivals_count(struct arrivals_sum *sum, int64_t used_milli, double fragment_milli)
{
    sum->events++;
    sum->used_milli += used_milli;
    sum->fragment_milli += fragment_milli;
}

void arrivals_means(const struct arrivals_sum *sum, int64_t capacity_milli, double *alloc,
                    double *fragment)
{
    double events = (double)sum->events;
    double capacity = (double)capacity_milli;

    *alloc = (double)sum->used_milli / capacity / events;
    *fragment = sum->fragment_milli / capacity / events;
}

/* The percent that is being summed up is complete. */
static bool end_percent(struct arrivals *arrivals)
{
    struct table *table = &arrivals->percents;
    struct arrivals_sum sum = arrivals->sum;
    size_t row = table->filled;
    double alloc;
    double fragment;

    if (sum.events == 0) {
        return true;
    }
    arrivals_means(&sum, arrivals->capacity_milli, &alloc, &fragment);
    if (sum.percent == PERCENT_FULL) {
        arrivals->full.events = sum.events;
        arrivals->full.alloc = alloc;
        arrivals->full.fragment = fragment;
    }
    if (table->schema) {
        table->buffers[INFLATION_PERCENT].i64[row] = sum.percent;
        table->buffers[INFLATION_ALLOC].f64[row] = alloc;
        table->buffers[INFLATION_FRAGMENT].f64[row] = fragment;
        table->buffers[INFLATION_EVENTS].i64[row] = sum.events;
    }
    arrivals->sum = (struct arrivals_sum){0};
    return !table->schema || table_row_done(table);
}

bool arrivals_add(struct arrivals *arrivals, const struct result_arrival *arrival)
{
    struct table *table = &arrivals->rows;
    size_t row = table->filled;
    int64_t percent;

    if (arrivals->capacity_milli == 0) {
        return true;
    }
    percent = arrivals_percent(arrival->requested_milli, arrivals->capacity_milli);
    if (percent != arrivals->sum.percent) {
        if (!end_percent(arrivals)) {
            return false;
        }
        arrivals->sum.percent = percent;
    }
    arrivals_count(&arrivals->sum, arrival->used_milli, arrival->fragment_milli);
    if (!table->schema) {
        return true;
    }
    table->buffers[ARRIVAL_JOB].i64[row] = arrival->job;
    table->buffers[ARRIVAL_REQUESTED].i64[row] = arrival->requested_milli;
    table->buffers[ARRIVAL_USED].i64[row] = arrival->used_milli;
    table->buffers[ARRIVAL_FRAGMENT].f64[row] = arrival->fragment_milli;
    return table_row_done(table);
}

bool arrivals_finish(struct arrivals *arrivals)
{
    return end_percent(arrivals) && (!arrivals->rows.schema || (table_flush(&arrivals->rows) &&
                                                                table_flush(&arrivals->percents)));
}

bool arrivals_fini(struct arrivals *arrivals)
{
    bool is_ok = table_fini(&arrivals->percents);

    return table_fini(&arrivals->rows) && is_ok;
}

bool arrivals_summarise(const struct arrivals *arrivals, struct result_summary *summary)
{
    const struct result_metric metrics[] = {
        {"inflation_alloc", "1",
         "share of the accelerators that is held when requests for 100 % of them have arrived",
         arrivals->full.alloc, arrivals->full.events},
        {"inflation_fragment", "1",
         "share of the accelerators that is free and of no use to the mix of jobs then",
         arrivals->full.fragment, arrivals->full.events},
    };
    size_t count = summary->metric_count;
    size_t more = sizeof metrics / sizeof metrics[0];
    struct result_metric *moved =
        realloc(summary->metrics, (count + more) * sizeof *summary->metrics);

    if (!moved) {
        return false;
    }
    memcpy(moved + count, metrics, sizeof metrics);
    summary->metrics = moved;
    summary->metric_count = count + more;
    return true;
}
