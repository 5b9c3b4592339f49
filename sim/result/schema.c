/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - the columns of a result file. */
#include "result/schema.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct result_column job_columns[JOB_COLUMNS] = {
    [JOB_ID] = {"id", "1", "number of the job in the workload, from 0", RESULT_I64},
    [JOB_TRACE_ID] = {"trace_id", "1", "job number as in the trace", RESULT_I64},
    [JOB_USER] = {"user", "1", "user number as in the trace", RESULT_I32},
    [JOB_GROUP] = {"group", "1", "group number as in the trace", RESULT_I32},
    [JOB_QUEUE] = {"queue", "1", "queue number as in the trace", RESULT_I32},
    [JOB_PARTITION] = {"partition", "1", "partition number as in the trace", RESULT_I32},
    [JOB_EXECUTABLE] = {"executable", "1", "application number as in the trace", RESULT_I64},
    [JOB_TASKS] = {"tasks", "1", "tasks of the demand, or of the alternative that it got",
                   RESULT_I64},
    [JOB_PROCS] = {"procs", "1", "processors asked for", RESULT_I64},
    [JOB_CORES_MILLI] = {"cores_milli", "core/1000", "cores per task, in thousandths", RESULT_I64},
    [JOB_MEM] = {"mem", "B", "memory per task", RESULT_I64},
    [JOB_ALLOC_MILLI] = {"alloc_milli", "core/1000", "cores held while it ran, in thousandths",
                         RESULT_I64},
    [JOB_SUBMIT] = {"submit", "ns", "submit time in the simulation", RESULT_I64},
    [JOB_TRACE_SUBMIT] = {"trace_submit", "ns", "submit time in the trace", RESULT_I64},
    [JOB_ELIGIBLE] = {"eligible", "ns", "time from which it could start", RESULT_I64},
    [JOB_START] = {"start", "ns", "start time; -1: never started", RESULT_I64},
    [JOB_END] = {"end", "ns", "end time; -1: did not end", RESULT_I64},
    [JOB_RUNTIME] = {"runtime", "ns", "run time in the workload; -1: unknown", RESULT_I64},
    [JOB_REQ_TIME] = {"req_time", "ns", "requested run time; -1: none", RESULT_I64},
    [JOB_STATE] = {"state", "1", "how the job ended", RESULT_STATE},
    [JOB_MEASURED] = {"measured", "1",
                      "counted in the statistics: ended, and submitted within the measured window",
                      RESULT_BOOL},
    [JOB_WAIT] = {"wait", "s", "start - submit", RESULT_F64},
    [JOB_TURNAROUND] = {"turnaround", "s", "end - submit", RESULT_F64},
    [JOB_SLOWDOWN] = {"slowdown", "1", "turnaround / executed time", RESULT_F64},
    [JOB_BSLD] = {"bsld", "1", "bounded slowdown: max(1, turnaround / max(executed time, tau))",
                  RESULT_F64},
    [JOB_ENERGY] = {"energy", "J", "energy charged to the job; 0: never started", RESULT_F64},
    [JOB_PREEMPTIONS] = {"preemptions", "1", "how often it was preempted", RESULT_I32},
    [JOB_EXECUTED] = {"executed", "ns",
                      "time for which it held its resources, in all attempts; if it did not end, "
                      "until the run did",
                      RESULT_I64},
    [JOB_OVERHEAD] = {"overhead", "ns", "of that, time that its restarts took", RESULT_I64},
    [JOB_QUEUED] = {"queued", "s", "turnaround - executed: all of its waiting", RESULT_F64},
    [JOB_CLASS] = {"class", "1", "class of the job, a row of /dict/class; -1: none", RESULT_I32},
    [JOB_MODEL] = {"model", "1",
                   "what its slowest task computed on, a row of /dict/model; -1: never started",
                   RESULT_I32},
    [JOB_RUN_REF] = {"run_ref", "ns", "run time alone on the reference device; -1: unknown",
                     RESULT_I64},
    [JOB_SLOWDOWN_REF] = {"slowdown_ref", "1", "turnaround / run_ref", RESULT_F64},
    [JOB_PREDICTED] = {"predicted", "ns", "run time as predicted at the submission; -1: it was not",
                       RESULT_I64},
};

static const struct result_column allocation_columns[ALLOCATION_COLUMNS] = {
    [ALLOCATION_JOB] = {"job", "1", "id of the job", RESULT_I64},
    [ALLOCATION_FIRST_NODE] = {"first_node", "1", "index of the first node", RESULT_I32},
    [ALLOCATION_NODE_COUNT] = {"node_count", "1", "neighbouring nodes from there", RESULT_I32},
    [ALLOCATION_TASKS_PER_NODE] = {"tasks_per_node", "1", "tasks on each of them", RESULT_I32},
    [ALLOCATION_CORES_MILLI] = {"cores_milli", "core/1000",
                                "cores held on each of them, in thousandths", RESULT_I64},
    [ALLOCATION_START] = {"start", "ns", "held from", RESULT_I64},
    [ALLOCATION_END] = {"end", "ns", "held until; -1: did not end", RESULT_I64},
    [ALLOCATION_ATTEMPT] = {"attempt", "1", "number of the attempt, from 1", RESULT_I32},
};

static const struct result_column device_columns[DEVICE_COLUMNS] = {
    [DEVICE_JOB] = {"job", "1", "id of the job", RESULT_I64},
    [DEVICE_INDEX] = {"device", "1", "index of the device", RESULT_I32},
    [DEVICE_SHARE] = {"share", "1/1000", "part of the device, in thousandths", RESULT_I32},
    [DEVICE_START] = {"start", "ns", "held from", RESULT_I64},
    [DEVICE_END] = {"end", "ns", "held until; -1: did not end", RESULT_I64},
    [DEVICE_ATTEMPT] = {"attempt", "1", "number of the attempt, from 1", RESULT_I32},
};

static const struct result_column series_columns[SERIES_COLUMNS] = {
    [SERIES_TIME] = {"time", "ns", "the state holds from this time until the next", RESULT_I64},
    [SERIES_ALLOC_MILLI] = {"alloc_milli", "core/1000", "cores held by jobs, in thousandths",
                            RESULT_I64},
    [SERIES_UTIL_CORES] = {"util_cores", "1", "share of the installed cores held", RESULT_F64},
    [SERIES_QUEUE] = {"queue", "1", "jobs waiting", RESULT_I32},
    [SERIES_RUNNING] = {"running", "1", "jobs running", RESULT_I32},
    [SERIES_BACKLOG] = {"backlog", "1", "processors asked for by the waiting", RESULT_I64},
};

static const struct result_column means_columns[SERIES_COLUMNS] = {
    [SERIES_TIME] = {"time", "ns", "begin of the interval", RESULT_I64},
    [SERIES_ALLOC_MILLI] = {"alloc_milli", "core/1000",
                            "cores held by jobs, in thousandths, mean over the interval",
                            RESULT_F64},
    [SERIES_UTIL_CORES] = {"util_cores", "1", "share of the installed cores held, mean",
                           RESULT_F64},
    [SERIES_QUEUE] = {"queue", "1", "jobs waiting, mean over the interval", RESULT_F64},
    [SERIES_RUNNING] = {"running", "1", "jobs running, mean over the interval", RESULT_F64},
    [SERIES_BACKLOG] = {"backlog", "1", "processors asked for by the waiting, mean", RESULT_F64},
};

const struct result_table result_jobs_table = {"jobs", job_columns, JOB_ENERGY};
const struct result_table result_devices_table = {"device_allocations", device_columns,
                                                  DEVICE_ATTEMPT};
const struct result_table result_device_attempts_table = {"device_allocations", device_columns,
                                                          DEVICE_COLUMNS};
static const struct result_column arrival_columns[ARRIVAL_COLUMNS] = {
    [ARRIVAL_JOB] = {"job", "1", "id of the job that arrived", RESULT_I64},
    [ARRIVAL_REQUESTED] = {"requested_milli", "device/1000",
                           "accelerators asked for by all that have arrived, in thousandths",
                           RESULT_I64},
    [ARRIVAL_USED] = {"used_milli", "device/1000", "accelerators held, in thousandths", RESULT_I64},
    [ARRIVAL_FRAGMENT] = {"fragment_milli", "device/1000",
                          "accelerators that are free and of no use to the mix, in thousandths",
                          RESULT_F64},
};

static const struct result_column inflation_columns[INFLATION_COLUMNS] = {
    [INFLATION_PERCENT] = {"percent", "1",
                           "accelerators asked for by all that have arrived, in percent of those "
                           "installed, to the nearest integer",
                           RESULT_I64},
    [INFLATION_ALLOC] = {"alloc", "1", "share of the installed accelerators held, mean",
                         RESULT_F64},
    [INFLATION_FRAGMENT] = {"fragment", "1", "share that is free and of no use to the mix, mean",
                            RESULT_F64},
    [INFLATION_EVENTS] = {"events", "1", "arrivals behind the means", RESULT_I64},
};

const struct result_table result_allocations_table = {"allocations", allocation_columns,
                                                      ALLOCATION_ATTEMPT};
const struct result_table result_attempts_table = {"allocations", allocation_columns,
                                                   ALLOCATION_COLUMNS};
const struct result_table result_series_table = {"series", series_columns, SERIES_COLUMNS};
const struct result_table result_means_table = {"series", means_columns, SERIES_COLUMNS};
const struct result_table result_arrivals_table = {"arrivals", arrival_columns, ARRIVAL_COLUMNS};
const struct result_table result_inflation_table = {"inflation", inflation_columns,
                                                    INFLATION_COLUMNS};

void result_jobs_describe(const struct result_jobs_more *more, struct result_jobs_schema *schema)
{
    const bool has_column[JOB_COLUMNS] = {
        [JOB_ENERGY] = more->has_energy,       [JOB_PREEMPTIONS] = more->has_attempts,
        [JOB_EXECUTED] = more->has_attempts,   [JOB_OVERHEAD] = more->has_attempts,
        [JOB_QUEUED] = more->has_attempts,     [JOB_CLASS] = more->has_speeds,
        [JOB_MODEL] = more->has_speeds,        [JOB_RUN_REF] = more->has_speeds,
        [JOB_SLOWDOWN_REF] = more->has_speeds, [JOB_PREDICTED] = more->has_predictions,
    };

    memset(schema->columns, 0, sizeof schema->columns);
    schema->table = (struct result_table){"jobs", schema->columns, 0};
    for (size_t i = 0; i < JOB_COLUMNS; i++) {
        if (i < JOB_ENERGY || has_column[i]) {
            schema->columns[i] = job_columns[i];
            schema->table.column_count = i + 1;
        }
    }
    if (more->has_speeds) {
        schema->columns[JOB_RUNTIME].doc =
            "run time on the devices that it got, on the reference device if it never started; -1: "
            "unknown";
        schema->columns[JOB_BSLD].doc = "bounded slowdown: max(1, turnaround / max(run_ref, tau))";
    }
}

#define PART(field) offsetof(struct result_part, field)

const struct result_part_column result_part_columns[RESULT_PART_COLUMNS] = {
    {{"jobs", "1", "measured jobs", RESULT_I64}, PART(jobs)},
    {{"killed", "1", "of them killed at their limit", RESULT_I64}, PART(killed)},
    {{"rejected", "1", "jobs that can never run here", RESULT_I64}, PART(rejected)},
    {{"wait_mean", "s", "mean wait", RESULT_F64}, PART(wait_s)},
    {{"run_mean", "s", "mean executed time", RESULT_F64}, PART(run_s)},
    {{"run_ref_mean", "s", "mean run time alone on the reference device", RESULT_F64},
     PART(run_ref_s)},
    {{"slowdown_ref_mean", "1", "mean of turnaround / run_ref", RESULT_F64}, PART(slowdown_ref)},
    {{"bsld_mean", "1", "mean bounded slowdown", RESULT_F64}, PART(bsld)},
    {{"device_time", "s", "devices held x time", RESULT_F64}, PART(device_s)},
    {{"core_time", "s", "cores held x time", RESULT_F64}, PART(core_s)},
    {{"energy", "J", "energy charged; NaN: not accounted", RESULT_F64}, PART(energy_j)},
};

double result_part_value(const struct result_part *part, const struct result_part_column *column)
{
    const char *field = (const char *)part + column->offset;
    int64_t whole;
    double real;

    if (column->column.type == RESULT_I64) {
        memcpy(&whole, field, sizeof whole);
        return (double)whole;
    }
    memcpy(&real, field, sizeof real);
    return real;
}

/* A column of slot `slot`: "PREFIX_SLOT", with a text that ends in `after`. */
static struct result_column describe_slot(const struct result_series_more *more, size_t slot,
                                          char (*texts)[128], const char *prefix,
                                          const char *before, const char *after)
{
    bool is_kind = slot < more->kind_count;

    (void)snprintf(texts[0], sizeof texts[0], "%s_%.100s", prefix, more->slots[slot]);
    (void)snprintf(texts[1], sizeof texts[1], "%s %s%.40s %s", before, is_kind ? "kind " : "",
                   more->slots[slot], after);
    return (struct result_column){texts[0], "1/1000", texts[1], RESULT_F64};
}

static struct result_column *describe_slots(const struct result_series_more *more, bool is_means,
                                            struct result_series_schema *schema,
                                            struct result_column *column)
{
    static const char *const texts[][2] = {
        {"given to jobs, in thousandths", "given to jobs, in thousandths, mean over the interval"},
        {"given to jobs", "given to jobs, mean over the interval"},
        {"that are free, in thousandths", "that are free, in thousandths, mean over the interval"},
        {"free and of no use to the mix, in thousandths",
         "free and of no use to the mix, in thousandths, mean"},
    };
    enum result_type type = is_means ? RESULT_F64 : RESULT_I64;

    for (size_t i = 0; i < more->slot_count; i++) {
        column[0] =
            describe_slot(more, i, schema->texts[i], "shares", "devices of", texts[0][is_means]);
        column[0].type = type;
        column[1] = describe_slot(more, i, schema->texts[i] + 2, "util",
                                  "share of the installed devices of", texts[1][is_means]);
        column[1].unit = "1";
        column += 2;
    }
    for (size_t i = 0; more->has_fragments && i < more->slot_count; i++) {
        *column =
            describe_slot(more, i, schema->texts[i] + 4, "free", "devices of", texts[2][is_means]);
        column++->type = type;
    }
    for (size_t i = 0; more->has_fragments && i < more->slot_count; i++) {
        *column++ =
            describe_slot(more, i, schema->texts[i] + 6, "frag", "devices of", texts[3][is_means]);
    }
    return column;
}

/* What is available: the cores, then each kind of devices. */
static struct result_column *describe_avail(const struct result_series_more *more, bool is_means,
                                            struct result_series_schema *schema,
                                            struct result_column *column)
{
    enum result_type type = is_means ? RESULT_F64 : RESULT_I64;
    const char *after = is_means ? "available, in thousandths, mean over the interval"
                                 : "available, in thousandths";

    *column++ =
        (struct result_column){"avail_milli", "core/1000",
                               is_means ? "cores available, in thousandths, mean over the interval"
                                        : "cores available, in thousandths",
                               type};
    for (size_t i = 0; i < more->kind_count; i++) {
        *column = describe_slot(more, i, schema->avail_texts[i], "avail", "devices of", after);
        column++->type = type;
    }
    return column;
}

void result_series_describe(const struct result_series_more *more, bool is_means,
                            struct result_series_schema *schema)
{
    const struct result_table *base = is_means ? &result_means_table : &result_series_table;
    struct result_column *column = schema->columns + SERIES_COLUMNS;

    HS_ASSERT(more->slot_count <= RESULT_SLOTS_MAX);
    memcpy(schema->columns, base->columns, SERIES_COLUMNS * sizeof *column);
    if (more->has_power) {
        *column++ = (struct result_column){
            "power", "W", is_means ? "power drawn, mean over the interval" : "power drawn",
            RESULT_F64};
    }
    column = describe_slots(more, is_means, schema, column);
    if (more->has_avail) {
        column = describe_avail(more, is_means, schema, column);
    }
    schema->table =
        (struct result_table){base->name, schema->columns, (size_t)(column - schema->columns)};
}

size_t result_type_size(enum result_type type)
{
    switch (type) {
    case RESULT_I64:
    case RESULT_F64:
        return 8;
    case RESULT_I32:
        return 4;
    case RESULT_STATE:
    case RESULT_BOOL:
        break;
    }
    return 1;
}

const char *result_state_name(enum result_state state)
{
    static const char *const names[RESULT_STATE_COUNT] = {"finished", "killed", "cancelled",
                                                          "rejected", "unfinished"};

    HS_ASSERT((unsigned)state < RESULT_STATE_COUNT);
    return names[state];
}

void result_int128_format(hs_int128 value, char *text)
{
    hs_int128 rest = value;
    char digits[RESULT_INT128_TEXT_MAX];
    size_t count = 0;

    do {
        int digit = (int)(rest % 10); /* of the sign of the rest: the smallest has no positive */

        digits[count++] = (char)('0' + (digit < 0 ? -digit : digit));
        rest /= 10;
    } while (rest);
    if (value < 0) {
        *text++ = '-';
    }
    while (count) {
        *text++ = digits[--count];
    }
    *text = '\0';
}

bool result_int128_parse(const char *text, hs_int128 *value)
{
    bool is_negative = *text == '-';
    size_t length = strlen(text + is_negative);

    *value = 0;
    if (length == 0 || length > 38) { /* 38 nines fit into 127 bits */
        return false;
    }
    for (const char *digit = text + is_negative; *digit; digit++) {
        if (*digit < '0' || *digit > '9') {
            return false;
        }
        *value = *value * 10 + (*digit - '0');
    }
    if (is_negative) {
        *value = -*value;
    }
    return true;
}
