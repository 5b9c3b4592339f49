/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.h - the tables of a result file: every column with its type, unit and meaning.
 *
 * One row here is one 1-D dataset in the file. The writer, the reader, the checks and the exports
 * all go by these tables. Times are trace times, integers in ns, and exact; what is derived from
 * them (wait, slowdown, ...) is a double. Missing numbers are -1, or NaN for doubles. */
#ifndef HSIM_RESULT_SCHEMA_H
#define HSIM_RESULT_SCHEMA_H

#include "result/result.h"

#define RESULT_SCHEMA_VERSION 1

/* Part of the key of every run. To be raised with any change after which the same experiment gives
 * another schedule, other numbers, or other tables and columns, so that no sweep takes a run of
 * before for one of now. */
#define RESULT_ABI 1

enum result_type {
    RESULT_I64,
    RESULT_I32,
    RESULT_F64,
    RESULT_STATE, /* an HDF5 enumeration over enum result_state, one byte */
    RESULT_BOOL,  /* FALSE or TRUE, one byte */
};

struct result_column {
    const char *name;
    const char *unit; /* "ns": a time or duration; "1": a plain number */
    const char *doc;
    enum result_type type;
};

struct result_table {
    const char *name; /* group in the file */
    /* At fixed places: a column that the run does not have is a gap, without a name. */
    const struct result_column *columns;
    size_t column_count;
};

enum result_job_column {
    JOB_ID,
    JOB_TRACE_ID,
    JOB_USER,
    JOB_GROUP,
    JOB_QUEUE,
    JOB_PARTITION,
    JOB_EXECUTABLE,
    JOB_TASKS,
    JOB_PROCS,
    JOB_CORES_MILLI,
    JOB_MEM,
    JOB_ALLOC_MILLI,
    JOB_SUBMIT,
    JOB_TRACE_SUBMIT,
    JOB_ELIGIBLE,
    JOB_START,
    JOB_END,
    JOB_RUNTIME,
    JOB_REQ_TIME,
    JOB_STATE,
    JOB_MEASURED,
    JOB_WAIT,
    JOB_TURNAROUND,
    JOB_SLOWDOWN,
    JOB_BSLD,
    JOB_ENERGY,      /* only in runs with energy */
    JOB_PREEMPTIONS, /* only in runs with attempts, like those below */
    JOB_EXECUTED,
    JOB_OVERHEAD,
    JOB_QUEUED,
    JOB_CLASS, /* only in runs with speeds, like those below */
    JOB_MODEL,
    JOB_RUN_REF,
    JOB_SLOWDOWN_REF,
    JOB_PREDICTED, /* only in runs with predictions */
    JOB_COLUMNS
};

enum result_allocation_column {
    ALLOCATION_JOB,
    ALLOCATION_FIRST_NODE,
    ALLOCATION_NODE_COUNT,
    ALLOCATION_TASKS_PER_NODE,
    ALLOCATION_CORES_MILLI,
    ALLOCATION_START,
    ALLOCATION_END,
    ALLOCATION_ATTEMPT, /* only in runs with attempts */
    ALLOCATION_COLUMNS
};

enum result_device_column {
    DEVICE_JOB,
    DEVICE_INDEX,
    DEVICE_SHARE,
    DEVICE_START,
    DEVICE_END,
    DEVICE_ATTEMPT, /* likewise */
    DEVICE_COLUMNS
};

enum result_series_column {
    SERIES_TIME,
    SERIES_ALLOC_MILLI,
    SERIES_UTIL_CORES,
    SERIES_QUEUE,
    SERIES_RUNNING,
    SERIES_BACKLOG,
    SERIES_COLUMNS
};

extern const struct result_table result_jobs_table,                        /* what every run has */
    result_allocations_table, result_devices_table, result_attempts_table, /* with attempts */
    result_device_attempts_table,                                          /* likewise */
    result_series_table, /* exact at every change */
    result_means_table;  /* means over an interval: doubles in the same columns */

/* What /jobs has beside the columns of every run. Attempts: a policy may preempt, so that a job can
 * hold resources more than once. */
struct result_jobs_more {
    bool has_energy;
    bool has_attempts;
    bool has_speeds;
    bool has_predictions;
};

struct result_jobs_schema {
    struct result_table table;
    struct result_column columns[JOB_COLUMNS];
};

/* Fills *schema, which must stay where it is. */
void result_jobs_describe(const struct result_jobs_more *more, struct result_jobs_schema *schema);

static inline bool result_has_column(const struct result_table *table, size_t column)
{
    return column < table->column_count && table->columns[column].name;
}

/* Kinds of devices in one result, and models if they are told apart. */
#define RESULT_KINDS_MAX  8u
#define RESULT_MODELS_MAX 32u
#define RESULT_SLOTS_MAX  (RESULT_KINDS_MAX + RESULT_MODELS_MAX)

/* The columns of /series in a run with energy (then the first of the `more` columns is the power)
 * or devices, behind the usual ones: two columns a slot, shares and utilisation. A slot is a kind;
 * with fragmentation behind the kinds also a model, and then a column of free shares for each slot
 * and one of those that are lost. Last, where nodes leave and come back, the cores that are
 * available, and the shares of each kind. */
struct result_series_more {
    bool has_power;
    bool has_fragments;
    bool has_avail;
    size_t kind_count, slot_count;
    const char *slots[RESULT_SLOTS_MAX]; /* "gpu", "gpu_a100"; borrowed */
    int64_t mix_jobs;                    /* with fragmentation; at least 1 */
};

#define RESULT_SERIES_COLUMNS_MAX (SERIES_COLUMNS + 1 + 4 * RESULT_SLOTS_MAX + 1 + RESULT_KINDS_MAX)

struct result_series_schema {
    struct result_table table;
    struct result_column columns[RESULT_SERIES_COLUMNS_MAX];
    char texts[RESULT_SLOTS_MAX][8][128];
    char avail_texts[RESULT_KINDS_MAX][2][128];
};

/* Places of columns; only of those that are there. */
static inline size_t result_series_power(void)
{
    return SERIES_COLUMNS;
}

static inline size_t result_series_shares(const struct result_series_more *more, size_t slot)
{
    return SERIES_COLUMNS + more->has_power + 2 * slot;
}

static inline size_t result_series_free(const struct result_series_more *more, size_t slot)
{
    return SERIES_COLUMNS + more->has_power + 2 * more->slot_count + slot;
}

static inline size_t result_series_fragment(const struct result_series_more *more, size_t slot)
{
    return SERIES_COLUMNS + more->has_power + 3 * more->slot_count + slot;
}

/* Number 0: the cores; k + 1: the devices of kind k. */
static inline size_t result_series_avail(const struct result_series_more *more, size_t number)
{
    return result_series_shares(more, more->slot_count) +
           (more->has_fragments ? 2 * more->slot_count : 0) + number;
}

/* Fills *schema, which must stay where it is. */
void result_series_describe(const struct result_series_more *more, bool is_means,
                            struct result_series_schema *schema);
enum result_arrival_column {
    ARRIVAL_JOB,
    ARRIVAL_REQUESTED,
    ARRIVAL_USED,
    ARRIVAL_FRAGMENT,
    ARRIVAL_COLUMNS
};

enum result_inflation_column {
    INFLATION_PERCENT,
    INFLATION_ALLOC,
    INFLATION_FRAGMENT,
    INFLATION_EVENTS,
    INFLATION_COLUMNS
};

extern const struct result_table result_arrivals_table,
    result_inflation_table; /* of inflated workloads only */

/* Columns of the groups /classes and /models, behind `name`, and their places in struct
 * result_part.
 */
struct result_part_column {
    struct result_column column;
    size_t offset;
};
#define RESULT_PART_COLUMNS 11
extern const struct result_part_column result_part_columns[RESULT_PART_COLUMNS];

/* The value of a column as a number. */
double result_part_value(const struct result_part *part, const struct result_part_column *column);

size_t result_type_size(enum result_type type);
const char *result_state_name(enum result_state state);
#define RESULT_STATE_COUNT 5

/* 128-bit integers as decimal text: HDF5 has no such type. */
#define RESULT_INT128_TEXT_MAX 48
void result_int128_format(hs_int128 value, char *text);
bool result_int128_parse(const char *text, hs_int128 *value);

#endif
