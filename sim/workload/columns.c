/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.c - the table of the fields of a map, of the maps that hsim knows, and of units. */
#include "workload/columns.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "workload/demand_words.h"

#define BYTES_SCALE 6 /* decimals of a size */

static const struct {
    const char *name;
    enum columns_kind kind;
    size_t offset;
} fields[COLUMNS_FIELD_COUNT] = {
#define ROW(field, kind, member)                                                                   \
    [COLUMNS_##field] = {#member, COLUMNS_KIND_##kind, offsetof(struct workload_columns, member)}
    ROW(ID, ID, id),
    ROW(SUBMIT, MOMENT, submit),
    ROW(ELIGIBLE, MOMENT, eligible),
    ROW(START, MOMENT, start),
    ROW(END, MOMENT, end),
    ROW(DURATION, SPAN, duration),
    ROW(WAIT, SPAN, wait),
    ROW(WALLTIME, SPAN, walltime),
    ROW(STATE, STATE, state),
    ROW(USER, LABEL, user),
    ROW(GROUP, LABEL, group),
    ROW(QUEUE, LABEL, queue),
    ROW(PRIORITY, PRIORITY, priority),
    ROW(CPUS, MILLI, cpus),
    ROW(GPUS, MILLI, gpus),
    ROW(MEMORY, BYTES, memory),
    ROW(NODES, WHOLE, nodes),
    ROW(TASKS, WHOLE, tasks),
    ROW(MODEL, TEXT, model),
#undef ROW
    [COLUMNS_CLASS] = {"class", COLUMNS_KIND_LABEL, offsetof(struct workload_columns, job_class)},
};

/* Columns as the files are published. Helios: Hu et al., SC'21. Acme: Hu et al., NSDI'24. Philly: a
 * list derived from Jeon et al., ATC'19. PAI: the task table of Weng et al., NSDI'22, which has no
 * header; its GPUs and processors are percent, and only Terminated is a success. */
static const struct workload_columns maps[WORKLOAD_FORMAT_COUNT] = {
    [WORKLOAD_FORMAT_HELIOS] = {.id = "job_id",
                                .user = "user",
                                .queue = "vc",
                                .gpus = "gpu_num",
                                .cpus = "cpu_num",
                                .nodes = "node_num",
                                .state = "state",
                                .submit = "submit_time",
                                .start = "start_time",
                                .end = "end_time",
                                .duration = "duration",
                                .wait = "queue",
                                .times = WORKLOAD_TIMES_DATES},
    [WORKLOAD_FORMAT_ACME] = {.id = "job_id",
                              .user = "user",
                              .job_class = "type",
                              .gpus = "gpu_num",
                              .cpus = "cpu_num",
                              .nodes = "node_num",
                              .state = "state",
                              .submit = "submit_time",
                              .start = "start_time",
                              .end = "end_time",
                              .duration = "duration",
                              .wait = "queue",
                              .times = WORKLOAD_TIMES_DATES},
    [WORKLOAD_FORMAT_PHILLY] = {.submit = "timestamp",
                                .duration = "duration",
                                .gpus = "num_gpus",
                                .queue = "cluster",
                                .times = WORKLOAD_TIMES_DATES},
    [WORKLOAD_FORMAT_PAI] = {.is_headless = true,
                             .job_class = "#2",
                             .tasks = "#3",
                             .state = "#4",
                             .submit = "#5",
                             .start = "#5",
                             .end = "#6",
                             .cpus = "#7 %",
                             .memory = "#8 GB",
                             .gpus = "#9 %",
                             .model = "#10",
                             .times = WORKLOAD_TIMES_SECONDS,
                             .states = {.completed = "Terminated", .failed = "Failed"}},
};

/* Units of time, of moments too; the last name ends the table. */
static const struct {
    const char *name;
    int scale;
    int64_t unit;
} time_units[] = {{"ns", 0, 1},   {"us", 3, 1}, {"ms", 6, 1},   {"s", 9, 1},
                  {"min", 9, 60}, {"m", 9, 60}, {"h", 9, 3600}, {"d", 9, 86400}};

static const struct {
    const char *name;
    enum facts_state state;
} usual_states[] = {
    {"COMPLETED", FACTS_COMPLETED},  {"COMPLETE", FACTS_COMPLETED},  {"SUCCESS", FACTS_COMPLETED},
    {"SUCCEEDED", FACTS_COMPLETED},  {"DONE", FACTS_COMPLETED},      {"PASS", FACTS_COMPLETED},
    {"FAILED", FACTS_FAILED},        {"FAILURE", FACTS_FAILED},      {"ERROR", FACTS_FAILED},
    {"OUT_OF_MEMORY", FACTS_FAILED}, {"BOOT_FAIL", FACTS_FAILED},    {"DEADLINE", FACTS_FAILED},
    {"PREEMPTED", FACTS_FAILED},     {"REVOKED", FACTS_FAILED},      {"REQUEUED", FACTS_FAILED},
    {"CANCELLED", FACTS_CANCELLED},  {"CANCELED", FACTS_CANCELLED},  {"KILLED", FACTS_CANCELLED},
    {"TIMEOUT", FACTS_TIMEOUT},      {"NODE_FAIL", FACTS_NODE_FAIL},
};

const char *columns_name(enum columns_field field)
{
    return fields[field].name;
}

static const char **line_of(struct workload_columns *columns, enum columns_field field)
{
    return (const char **)(void *)((char *)columns + fields[field].offset);
}

struct workload_columns columns_of(enum workload_format_id format,
                                   const struct workload_options *options)
{
    struct workload_columns columns = maps[format];
    struct workload_columns given = options->columns;

    if (!given.is_given) {
        return columns;
    }
    for (int i = 0; i < COLUMNS_FIELD_COUNT; i++) {
        const char *line = *line_of(&given, (enum columns_field)i);

        if (line) {
            *line_of(&columns, (enum columns_field)i) = line;
        }
    }
    columns.is_given = true;
    columns.separator = given.separator ? given.separator : columns.separator;
    columns.is_headless = given.is_headless || columns.is_headless;
    columns.times = given.times != WORKLOAD_TIMES_AUTO ? given.times : columns.times;
    columns.states.completed =
        given.states.completed ? given.states.completed : columns.states.completed;
    columns.states.failed = given.states.failed ? given.states.failed : columns.states.failed;
    columns.states.cancelled =
        given.states.cancelled ? given.states.cancelled : columns.states.cancelled;
    columns.states.timeout = given.states.timeout ? given.states.timeout : columns.states.timeout;
    columns.states.node_fail =
        given.states.node_fail ? given.states.node_fail : columns.states.node_fail;
    return columns;
}

/* Is the word a unit of what the field counts? Then the spec gets it. */
static bool unit_find(struct columns_spec *spec, const char *word)
{
    switch (spec->kind) {
    case COLUMNS_KIND_MOMENT:
    case COLUMNS_KIND_SPAN:
        for (size_t i = 0; i < sizeof time_units / sizeof time_units[0]; i++) {
            if (!strcmp(word, time_units[i].name)) {
                spec->scale = time_units[i].scale;
                spec->unit = time_units[i].unit;
                return true;
            }
        }
        return false;
    case COLUMNS_KIND_MILLI:
        spec->scale = !strcmp(word, "%") ? 1 : !strcmp(word, "milli") ? 0 : spec->scale;
        return spec->scale < 3;
    case COLUMNS_KIND_BYTES:
        for (const struct demand_unit *unit = demand_units + 1; unit->name; unit++) {
            if (!strcmp(word, unit->name)) {
                spec->unit = unit->bytes;
                return true;
            }
        }
        return false;
    default:
        return false;
    }
}

static enum hs_err spec_read(struct columns_spec *spec, const char *line, struct hs_error *error)
{
    static const int scales[] = {
        [COLUMNS_KIND_ID] = 0,      [COLUMNS_KIND_MOMENT] = 9,          [COLUMNS_KIND_SPAN] = 9,
        [COLUMNS_KIND_STATE] = 0,   [COLUMNS_KIND_LABEL] = 0,           [COLUMNS_KIND_MILLI] = 3,
        [COLUMNS_KIND_WHOLE] = 0,   [COLUMNS_KIND_BYTES] = BYTES_SCALE, [COLUMNS_KIND_TEXT] = 0,
        [COLUMNS_KIND_PRIORITY] = 0};
    char *last;

    spec->kind = fields[spec->field].kind;
    spec->scale = scales[spec->kind];
    spec->unit = 1;
    spec->is_constant = *line == '=';
    line += spec->is_constant;
    line += strspn(line, " ");
    if (!*line || strlen(line) >= sizeof spec->text) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Option workload.columns.%s is '%.40s'; the name of a column (1 to %zu "
                            "bytes) is due, or = and a value.",
                            columns_name(spec->field), line, sizeof spec->text - 1);
    }
    memcpy(spec->text, line, strlen(line) + 1);
    last = strrchr(spec->text, ' ');
    if (last && unit_find(spec, last + 1)) {
        while (last > spec->text && *last == ' ') {
            *last-- = '\0';
        }
    }
    return HS_OK;
}

enum hs_err columns_specs(const struct workload_columns *columns,
                          struct columns_spec specs[COLUMNS_FIELD_COUNT], size_t *count,
                          struct hs_error *error)
{
    struct workload_columns copy = *columns;

    *count = 0;
    for (int i = 0; i < COLUMNS_FIELD_COUNT; i++) {
        const char *line = *line_of(&copy, (enum columns_field)i);
        enum hs_err err;

        if (!line) {
            continue;
        }
        specs[*count].field = (enum columns_field)i;
        err = spec_read(&specs[*count], line, error);
        if (err) {
            return err;
        }
        (*count)++;
    }
    return HS_OK;
}

/* Is the word one of "A|B"? */
static bool is_listed(const char *list, const char *word, size_t length)
{
    while (list && *list) {
        size_t item = strcspn(list, "|");

        if (item == length && !strncasecmp(list, word, length)) {
            return true;
        }
        list += item + (list[item] == '|');
    }
    return false;
}

enum facts_state columns_state(const struct workload_columns *columns, const char *text)
{
    const struct {
        const char *list;
        enum facts_state state;
    } given[] = {{columns->states.completed, FACTS_COMPLETED},
                 {columns->states.failed, FACTS_FAILED},
                 {columns->states.cancelled, FACTS_CANCELLED},
                 {columns->states.timeout, FACTS_TIMEOUT},
                 {columns->states.node_fail, FACTS_NODE_FAIL}};
    size_t length = strcspn(text, " +");

    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (is_listed(given[i].list, text, length) ||
            is_listed(given[i].list, text, strlen(text))) {
            return given[i].state;
        }
    }
    for (size_t i = 0; i < sizeof usual_states / sizeof usual_states[0]; i++) {
        if (strlen(usual_states[i].name) == length &&
            !strncasecmp(usual_states[i].name, text, length)) {
            return usual_states[i].state;
        }
    }
    return FACTS_UNKNOWN;
}
