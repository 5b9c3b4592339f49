/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_perfetto.c - what nodes and devices did, as trace events (JSON) for the Perfetto UI.
 *
 * A node is a process; its cores and each of its devices are threads, a job on them is a complete
 * event ("X"). Events of a thread must not overlap but by nesting, so jobs that share a node or a
 * device get a lane each, a thread of its own. The cluster is the first process and has the
 * counters ("C"). Times are whole microseconds, rounded down: Perfetto multiplies fractions as
 * doubles, and 1 ns of error would make neighbours overlap. The exact ones are arguments. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

#define PID_CLUSTER 1 /* 0 would be the idle process */
#define PID_NODES   2

/* What a job did on a unit, or on `count` neighbouring ones. */
struct span {
    hs_time start_ns, end_ns;
    int64_t job, first, count, amount, attempt; /* amount: cores or shares, in thousandths */
};

/* Lanes of a unit: until when each is taken, and which thread it is. */
struct lanes {
    struct lane {
        hs_time end_ns;
        int64_t thread;
    } * list;
    size_t count, space;
};

struct tracer {
    struct result_reader *reader;
    struct export_text *text;
    struct export_jobs jobs;
    char *node_names, *device_kinds, *device_models;
    const char **nodes, **kinds, **models; /* by index */
    int64_t *device_nodes;
    size_t node_count, device_count;
    hs_time end_ns; /* of what is known of the run */
    int64_t next_thread;
    bool has_events;
};

static int64_t micros(hs_time time_ns)
{
    return time_ns / 1000 - (time_ns % 1000 < 0);
}

static void begin_event(struct tracer *tracer, char phase, int64_t process)
{
    struct export_text *text = tracer->text;

    export_string(text, tracer->has_events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    export_char(text, phase);
    export_string(text, "\",\"pid\":");
    export_int(text, process);
    tracer->has_events = true;
}

static void put_int(struct export_text *text, const char *before, int64_t value)
{
    export_string(text, before);
    export_int(text, value);
}

/* Metadata: "process_name" or "thread_name" with its text, "..._sort_index" with its number. */
static void put_metadata(struct tracer *tracer, const char *kind, int64_t process, int64_t thread,
                         const char *name, int64_t number)
{
    struct export_text *text = tracer->text;

    begin_event(tracer, 'M', process);
    if (thread) {
        put_int(text, ",\"tid\":", thread);
    }
    export_string(text, ",\"name\":\"");
    export_string(text, kind);
    if (name) {
        export_string(text, "\",\"args\":{\"name\":");
        export_json_string(text, name);
    } else {
        put_int(text, "\",\"args\":{\"sort_index\":", number);
    }
    export_string(text, "}}");
}

/* The strings of a block, by index. */
static enum hs_err load_texts(struct tracer *tracer, const char *path, char **block,
                              const char ***texts, size_t *count, struct hs_error *error)
{
    enum hs_err code = result_reader_texts(tracer->reader, path, block, count, error);
    const char *text = *block;

    if (code != HS_OK) {
        return code;
    }
    *texts = calloc(*count + 1, sizeof **texts);
    if (!*texts) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < *count; i++) {
        (*texts)[i] = text;
        text += strlen(text) + 1;
    }
    return HS_OK;
}

static enum hs_err fail_damaged(const struct tracer *tracer, const char *what,
                                struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: a row of %s names a job, node or device that is not there. The file "
                        "is damaged: run the experiment again.",
                        result_reader_path(tracer->reader), what);
}

static enum hs_err load_devices(struct tracer *tracer, struct hs_error *error)
{
    size_t counts[2];
    enum hs_err code = load_texts(tracer, "platform/devices/kind", &tracer->device_kinds,
                                  &tracer->kinds, &tracer->device_count, error);

    if (code == HS_OK) {
        code = load_texts(tracer, "platform/devices/model", &tracer->device_models, &tracer->models,
                          &counts[0], error);
    }
    if (code == HS_OK) {
        code = result_reader_column(tracer->reader, "platform/devices/node", &tracer->device_nodes,
                                    &counts[1], error);
    }
    if (code == HS_OK && (counts[0] != tracer->device_count || counts[1] != tracer->device_count)) {
        return fail_damaged(tracer, "platform/devices", error);
    }
    for (size_t i = 0; code == HS_OK && i < tracer->device_count; i++) {
        if (tracer->device_nodes[i] < 0 || tracer->device_nodes[i] >= (int64_t)tracer->node_count) {
            return fail_damaged(tracer, "platform/devices", error);
        }
    }
    return code;
}

static enum hs_err tracer_init(struct tracer *tracer, struct hs_error *error)
{
    static const size_t columns[] = {JOB_TRACE_ID, JOB_USER,  JOB_PROCS, JOB_SUBMIT,
                                     JOB_START,    JOB_STATE, JOB_CLASS, JOB_MODEL};
    enum hs_err code = export_jobs_init(&tracer->jobs, tracer->reader, error);

    for (size_t i = 0; code == HS_OK && i < sizeof columns / sizeof columns[0]; i++) {
        if (result_has_column(tracer->jobs.table, columns[i])) {
            code = export_jobs_load(&tracer->jobs, columns[i], error);
        }
    }
    if (code == HS_OK) {
        code = load_texts(tracer, "platform/nodes/name", &tracer->node_names, &tracer->nodes,
                          &tracer->node_count, error);
    }
    if (code == HS_OK && result_reader_has(tracer->reader, "platform/devices/kind")) {
        code = load_devices(tracer, error);
    }
    if (code == HS_OK) {
        code = result_reader_int(tracer->reader, "series", "end_ns", &tracer->end_ns, error);
    }
    tracer->next_thread = PID_NODES + (int64_t)tracer->node_count; /* no number of a process */
    return code;
}

static void tracer_fini(struct tracer *tracer)
{
    export_jobs_fini(&tracer->jobs);
    free(tracer->node_names);
    free(tracer->device_kinds);
    free(tracer->device_models);
    free(tracer->nodes);
    free(tracer->kinds);
    free(tracer->models);
    free(tracer->device_nodes);
}

static void put_processes(struct tracer *tracer)
{
    put_metadata(tracer, "process_name", PID_CLUSTER, 0, "cluster", 0);
    put_metadata(tracer, "process_sort_index", PID_CLUSTER, 0, NULL, 0);
    for (size_t i = 0; i < tracer->node_count; i++) {
        int64_t process = PID_NODES + (int64_t)i;

        put_metadata(tracer, "process_name", process, 0, tracer->nodes[i], 0);
        put_metadata(tracer, "process_sort_index", process, 0, NULL, (int64_t)i + 1);
    }
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;

    if (x->start_ns != y->start_ns) {
        return x->start_ns < y->start_ns ? -1 : 1;
    }
    return x->job < y->job ? -1 : x->job > y->job;
}

/* The columns of one of the two tables of what jobs held. */
struct span_columns {
    size_t job, first, count, amount, start, end, attempt; /* count of devices: each row is one */
    bool has_count;
};

static enum hs_err fill_spans(struct tracer *tracer, const struct result_table *table,
                              const struct span_columns *columns, void *const *values,
                              struct span *spans, struct hs_error *error)
{
    int64_t rows = result_reader_rows(tracer->reader, table);
    int64_t units = (int64_t)(columns->has_count ? tracer->node_count : tracer->device_count);
    const int64_t *const *ints = (const int64_t *const *)values;

    for (int64_t row = 0; row < rows; row++) {
        struct span *span = &spans[row];

        *span = (struct span){
            .start_ns = ints[columns->start][row],
            .end_ns = ints[columns->end][row],
            .job = ints[columns->job][row],
            .first = ints[columns->first][row],
            .count = columns->has_count ? ints[columns->count][row] : 1,
            .amount = ints[columns->amount][row],
            .attempt = ints[columns->attempt] ? ints[columns->attempt][row] : 1,
        };
        if (span->job < 0 || span->job >= (int64_t)tracer->jobs.count || span->first < 0 ||
            span->count < 1 || span->first > units - span->count) {
            return fail_damaged(tracer, table->name, error);
        }
        if (span->end_ns < span->start_ns) { /* it did not end */
            span->end_ns = tracer->end_ns > span->start_ns ? tracer->end_ns : span->start_ns;
        }
    }
    qsort(spans, (size_t)rows, sizeof *spans, compare_spans);
    return HS_OK;
}

/* What jobs held, by start; the caller frees. */
static enum hs_err load_spans(struct tracer *tracer, const struct result_table *table,
                              const struct span_columns *columns, struct span **spans,
                              struct hs_error *error)
{
    void *values[ALLOCATION_COLUMNS] = {NULL};
    enum hs_err code = HS_OK;

    _Static_assert((int)ALLOCATION_COLUMNS >= (int)DEVICE_COLUMNS, "columns of both tables");
    for (size_t i = 0; code == HS_OK && i < table->column_count; i++) {
        if (result_has_column(table, i)) {
            code = export_read_whole(tracer->reader, table, i, &values[i], error);
        }
    }
    if (code == HS_OK) {
        *spans = calloc((size_t)result_reader_rows(tracer->reader, table) + 1, sizeof **spans);
        code = *spans ? fill_spans(tracer, table, columns, values, *spans, error)
                      : hs_error_memory(error);
    }
    for (size_t i = 0; i < ALLOCATION_COLUMNS; i++) {
        free(values[i]);
    }
    return code;
}

/* The name of a new lane: of a node's cores, or of a device; from the second on with its number. */
static void put_lane(struct tracer *tracer, bool is_device, int64_t unit, size_t lane,
                     int64_t thread)
{
    int64_t process = PID_NODES + (is_device ? tracer->device_nodes[unit] : unit);
    char name[512];
    char number[32] = "";

    if (lane > 0) {
        (void)snprintf(number, sizeof number, " (%zu)", lane + 1);
    }
    if (is_device) {
        (void)snprintf(name, sizeof name, "%.100s %" PRId64 ": %.300s%s", tracer->kinds[unit], unit,
                       tracer->models[unit], number);
    } else {
        (void)snprintf(name, sizeof name, "cores%s", number);
    }
    put_metadata(tracer, "thread_name", process, thread, name, 0);
    put_metadata(tracer, "thread_sort_index", process, thread, NULL,
                 (is_device ? (unit + 1) * 10000 : 0) + (int64_t)lane);
}

/* The first lane of the unit that is free at the start of the span; -1: no memory. */
static int64_t take_lane(struct tracer *tracer, struct lanes *lanes, bool is_device, int64_t unit,
                         const struct span *span)
{
    size_t at = 0;

    while (at < lanes->count && lanes->list[at].end_ns > span->start_ns) {
        at++;
    }
    if (at == lanes->space) {
        size_t space = lanes->space ? 2 * lanes->space : 1;
        struct lane *list = realloc(lanes->list, space * sizeof *list);

        if (!list) {
            return -1;
        }
        lanes->list = list;
        lanes->space = space;
    }
    if (at == lanes->count) {
        lanes->list[lanes->count++].thread = tracer->next_thread;
        put_lane(tracer, is_device, unit, at, tracer->next_thread++);
    }
    lanes->list[at].end_ns = span->end_ns;
    return lanes->list[at].thread;
}

static void put_span(struct tracer *tracer, const struct span *span, bool is_device, int64_t unit,
                     int64_t thread)
{
    struct export_text *text = tracer->text;
    const struct export_jobs *jobs = &tracer->jobs;
    int64_t row = jobs->order[span->job];
    int64_t process = PID_NODES + (is_device ? tracer->device_nodes[unit] : unit);
    const char *state = result_state_name((enum result_state)export_jobs_int(jobs, JOB_STATE, row));

    begin_event(tracer, 'X', process);
    put_int(text, ",\"tid\":", thread);
    put_int(text, ",\"ts\":", micros(span->start_ns));
    put_int(text, ",\"dur\":", micros(span->end_ns) - micros(span->start_ns));
    put_int(text, ",\"name\":\"job ", export_jobs_int(jobs, JOB_TRACE_ID, row));
    export_string(text, "\",\"cat\":\"");
    export_string(text, state);
    put_int(text, "\",\"args\":{\"id\":", span->job);
    put_int(text, ",\"trace_id\":", export_jobs_int(jobs, JOB_TRACE_ID, row));
    put_int(text, ",\"user\":", export_jobs_int(jobs, JOB_USER, row));
    put_int(text, ",\"procs\":", export_jobs_int(jobs, JOB_PROCS, row));
    if (!is_device) {
        put_int(text, ",\"nodes\":", span->count);
    }
    put_int(text, is_device ? ",\"share_milli\":" : ",\"cores_milli\":", span->amount);
    put_int(text, ",\"attempt\":", span->attempt);
    put_int(text, ",\"submit_ns\":", export_jobs_int(jobs, JOB_SUBMIT, row));
    put_int(text, ",\"start_ns\":", span->start_ns);
    put_int(text, ",\"end_ns\":", span->end_ns);
    put_int(text, ",\"wait_ns\":",
            export_jobs_int(jobs, JOB_START, row) - export_jobs_int(jobs, JOB_SUBMIT, row));
    if (jobs->columns[JOB_CLASS]) {
        export_string(text, ",\"class\":");
        export_json_string(text, export_jobs_name(jobs, JOB_CLASS, row));
    }
    export_string(text, ",\"state\":\"");
    export_string(text, state);
    export_string(text, "\"}}");
}

static enum hs_err put_table(struct tracer *tracer, const struct result_table *table,
                             const struct span_columns *columns, struct hs_error *error)
{
    bool is_device = !columns->has_count;
    size_t units = is_device ? tracer->device_count : tracer->node_count;
    struct lanes *lanes = calloc(units + 1, sizeof *lanes);
    struct span *spans = NULL;
    enum hs_err code =
        lanes ? load_spans(tracer, table, columns, &spans, error) : hs_error_memory(error);
    int64_t rows = result_reader_rows(tracer->reader, table);

    for (int64_t row = 0; code == HS_OK && row < rows && !ferror(tracer->text->file); row++) {
        const struct span *span = &spans[row];

        for (int64_t unit = span->first; code == HS_OK && unit < span->first + span->count;
             unit++) {
            int64_t thread = take_lane(tracer, &lanes[unit], is_device, unit, span);

            if (thread < 0) {
                code = hs_error_memory(error);
            } else {
                put_span(tracer, span, is_device, unit, thread);
            }
        }
    }
    for (size_t i = 0; lanes && i < units; i++) {
        free(lanes[i].list);
    }
    free(lanes);
    free(spans);
    return code;
}

/* `row` of a column of the series. The UI calls the track by the name and the unit. */
static void put_counter(struct tracer *tracer, const struct result_column *column, hs_time time_ns,
                        const void *values, int64_t row)
{
    struct export_text *text = tracer->text;

    begin_event(tracer, 'C', PID_CLUSTER);
    put_int(text, ",\"ts\":", micros(time_ns));
    export_string(text, ",\"name\":");
    export_json_string(text, column->name);
    export_string(text, ",\"args\":{");
    export_json_string(text, strcmp(column->unit, "1") == 0 ? "value" : column->unit);
    export_char(text, ':');
    if (column->type == RESULT_F64) {
        export_real(text, ((const double *)values)[row]);
    } else {
        export_int(text, ((const int64_t *)values)[row]);
    }
    export_string(text, "}}");
}

/* A column of the series as a counter: an event at each change. */
static enum hs_err put_series(struct tracer *tracer, const struct result_table *table,
                              size_t column, const int64_t *times, struct hs_error *error)
{
    int64_t rows = result_reader_rows(tracer->reader, table);
    void *values = NULL;
    enum hs_err code = export_read_whole(tracer->reader, table, column, &values, error);

    for (int64_t row = 0; code == HS_OK && row < rows && !ferror(tracer->text->file); row++) {
        const char *at = (const char *)values + (size_t)row * 8;

        if (row == 0 || memcmp(at, at - 8, 8) != 0) {
            put_counter(tracer, &table->columns[column], times[row], values, row);
        }
    }
    free(values);
    return code;
}

/* Queue, running jobs, utilisation of cores and of each kind of device, power. */
static enum hs_err put_counters(struct tracer *tracer, struct hs_error *error)
{
    const struct result_table *table = result_reader_table(tracer->reader, "series");
    const struct result_series_more *more = result_reader_series_more(tracer->reader);
    void *times = NULL;
    enum hs_err code;

    if (!table) {
        return HS_OK;
    }
    code = export_read_whole(tracer->reader, table, SERIES_TIME, &times, error);
    for (size_t i = SERIES_UTIL_CORES; code == HS_OK && i <= SERIES_BACKLOG; i++) {
        code = put_series(tracer, table, i, times, error);
    }
    if (code == HS_OK && more->has_power) {
        code = put_series(tracer, table, result_series_power(), times, error);
    }
    for (size_t i = 0; code == HS_OK && i < more->kind_count; i++) {
        code = put_series(tracer, table, result_series_shares(more, i) + 1, times, error);
    }
    free(times);
    return code;
}

static enum hs_err put_events(struct tracer *tracer, struct hs_error *error)
{
    static const struct span_columns of_nodes = {
        ALLOCATION_JOB,   ALLOCATION_FIRST_NODE, ALLOCATION_NODE_COUNT, ALLOCATION_CORES_MILLI,
        ALLOCATION_START, ALLOCATION_END,        ALLOCATION_ATTEMPT,    true};
    static const struct span_columns of_devices = {
        DEVICE_JOB, DEVICE_INDEX, 0, DEVICE_SHARE, DEVICE_START, DEVICE_END, DEVICE_ATTEMPT, false};
    const struct result_table *nodes = result_reader_table(tracer->reader, "allocations");
    const struct result_table *devices = result_reader_table(tracer->reader, "device_allocations");
    enum hs_err code;

    put_processes(tracer);
    code = put_table(tracer, nodes, &of_nodes, error);
    if (code == HS_OK && devices) {
        code = put_table(tracer, devices, &of_devices, error);
    }
    return code == HS_OK ? put_counters(tracer, error) : code;
}

enum hs_err export_perfetto(struct result_reader *reader, struct export_text *text,
                            struct hs_error *error)
{
    struct tracer tracer = {.reader = reader, .text = text};
    enum hs_err code;

    if (!result_reader_table(reader, "allocations")) {
        return export_fail_allocations(reader, error);
    }
    code = tracer_init(&tracer, error);
    if (code == HS_OK) {
        export_string(text, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"times\":\"microseconds "
                            "of the trace's clock, rounded down; args have nanoseconds\"},"
                            "\"traceEvents\":[");
        code = put_events(&tracer, error);
        export_string(text, "\n]}\n");
    }
    tracer_fini(&tracer);
    return code;
}
