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

/* The percent that is being summed up is complete. */
static bool end_percent(struct arrivals *arrivals)
{
    struct table *table = &arrivals->percents;
    double events = (double)arrivals->events;
    double capacity = (double)arrivals->capacity_milli;
    double alloc = (double)arrivals->used_milli / capacity / events;
    double fragment = arrivals->fragment_milli / capacity / events;
    size_t row = table->filled;

    if (arrivals->events == 0) {
        return true;
    }
    if (arrivals->percent == PERCENT_FULL) {
        arrivals->full.events = arrivals->events;
        arrivals->full.alloc = alloc;
        arrivals->full.fragment = fragment;
    }
    if (table->schema) {
        table->buffers[INFLATION_PERCENT].i64[row] = arrivals->percent;
        table->buffers[INFLATION_ALLOC].f64[row] = alloc;
        table->buffers[INFLATION_FRAGMENT].f64[row] = fragment;
        table->buffers[INFLATION_EVENTS].i64[row] = arrivals->events;
    }
    arrivals->events = 0;
    arrivals->used_milli = 0;
    arrivals->fragment_milli = 0;
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
    percent = (int64_t)(((hs_int128)arrival->requested_milli * 200 + arrivals->capacity_milli) /
                        ((hs_int128)arrivals->capacity_milli * 2));
    if (percent != arrivals->percent) {
        if (!end_percent(arrivals)) {
            return false;
        }
        arrivals->percent = percent;
    }
    arrivals->events++;
    arrivals->used_milli += arrival->used_milli;
    arrivals->fragment_milli += arrival->fragment_milli;
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
