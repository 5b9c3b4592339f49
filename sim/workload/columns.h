/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.h - maps of columns: the built-in ones, and what one line of a map says. */
#ifndef HSIM_WORKLOAD_COLUMNS_H
#define HSIM_WORKLOAD_COLUMNS_H

#include "workload/facts.h"

enum columns_field {
    COLUMNS_ID,
    COLUMNS_SUBMIT,
    COLUMNS_ELIGIBLE,
    COLUMNS_START,
    COLUMNS_END,
    COLUMNS_DURATION,
    COLUMNS_WAIT,
    COLUMNS_WALLTIME,
    COLUMNS_STATE,
    COLUMNS_USER,
    COLUMNS_GROUP,
    COLUMNS_QUEUE,
    COLUMNS_CLASS,
    COLUMNS_PRIORITY,
    COLUMNS_CPUS,
    COLUMNS_GPUS,
    COLUMNS_MEMORY,
    COLUMNS_NODES,
    COLUMNS_TASKS,
    COLUMNS_MODEL,
    COLUMNS_FIELD_COUNT
};

enum columns_kind {
    COLUMNS_KIND_ID,
    COLUMNS_KIND_MOMENT,
    COLUMNS_KIND_SPAN,
    COLUMNS_KIND_STATE,
    COLUMNS_KIND_LABEL,
    COLUMNS_KIND_MILLI, /* counted in thousandths */
    COLUMNS_KIND_WHOLE,
    COLUMNS_KIND_BYTES,
    COLUMNS_KIND_TEXT,
    COLUMNS_KIND_PRIORITY,
};

/* One line of a map, taken apart. A number in the column is read with `scale` decimals and times
 * `unit`. */
struct columns_spec {
    enum columns_field field;
    enum columns_kind kind;
    bool is_constant; /* `text` is the value, else the name of the column */
    int scale;
    int64_t unit;
    char text[128];
};

/* "submit", "cpus", ...: as in a map. */
const char *columns_name(enum columns_field field);

/* The map of a format with that of the options over it. */
struct workload_columns columns_of(enum workload_format_id format,
                                   const struct workload_options *options);

/* The lines that are given, in the order of the fields. HS_ERR_CONFIG: one is too long, empty, or
 * its unit is none. */
enum hs_err columns_specs(const struct workload_columns *columns,
                          struct columns_spec specs[COLUMNS_FIELD_COUNT], size_t *count,
                          struct hs_error *error) HS_MUST_USE;

/* How a job ended, by a word of the map or a usual one, in capitals or not; only the first word of
 * `text` counts ("CANCELLED by 1001"). */
enum facts_state columns_state(const struct workload_columns *columns, const char *text);

#endif
