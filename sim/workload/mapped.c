/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapped.c - jobs of other systems as CSV, read by a map of columns.
 *
 * The map says which column holds what; the rest is the same for all: a row becomes facts, and the
 * facts a record. Columns come in any order, fields in quotes may hold separators and newlines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "workload/columns.h"
#include "workload/demand_words.h"
#include "workload/moment.h"

#define MICRO INT64_C(1000000)

/* A column that is read, or a constant. */
struct source_column {
    struct columns_spec spec;
    size_t place; /* in the row */
};

struct reader {
    char *path;
    struct csv *csv;
    struct facts_reader facts;
    struct workload_columns map;
    struct source_column columns[COLUMNS_FIELD_COUNT];
    struct csv_column asked[COLUMNS_FIELD_COUNT];
    struct labels labels[COLUMNS_FIELD_COUNT];
    size_t column_count;
    struct csv_row row; /* the first one, read when the file is opened, or the current one */
    bool has_row;       /* it is still to be handed on */
    bool has_number_ids;
    bool is_numeric; /* times are numbers, not dates */
    bool is_strict;
};

static void reader_close(void *self)
{
    struct reader *reader = self;

    if (!reader) {
        return;
    }
    for (size_t i = 0; i < COLUMNS_FIELD_COUNT; i++) {
        labels_fini(&reader->labels[i]);
    }
    csv_close(reader->csv);
    free(reader->path);
    free(reader);
}

static bool is_mapped(const struct reader *reader, enum columns_field field)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].spec.field == field) {
            return true;
        }
    }
    return false;
}

/* Does the map tell when a job came, how long it ran and what it needed? */
static enum hs_err map_check(const struct reader *reader, struct hs_error *error)
{
    bool has_run = is_mapped(reader, COLUMNS_DURATION) ||
                   (is_mapped(reader, COLUMNS_START) && is_mapped(reader, COLUMNS_END));
    bool has_size = is_mapped(reader, COLUMNS_CPUS) || is_mapped(reader, COLUMNS_GPUS) ||
                    is_mapped(reader, COLUMNS_NODES) || is_mapped(reader, COLUMNS_TASKS);
    const char *lacking = !is_mapped(reader, COLUMNS_SUBMIT) ? "`submit`, the time of submission"
                          : !has_run                         ? "`duration`, or `start` and `end`"
                                     : "one of `cpus`, `gpus`, `nodes` and `tasks`";

    if (is_mapped(reader, COLUMNS_SUBMIT) && has_run && has_size) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: the map of its columns lacks %s. Name the columns with "
                        "`workload.columns` (--columns), as in {submit: submit_time, duration: "
                        "run_s, gpus: num_gpus}; `hsim explain workload.columns` lists them all.",
                        reader->path, lacking);
}

static enum hs_err separator_read(const struct reader *reader, char *separator,
                                  struct hs_error *error)
{
    const char *text = reader->map.separator;

    *separator = !text ? ',' : !strcmp(text, "tab") ? '\t' : *text;
    if (!text || !strcmp(text, "tab") ||
        (strlen(text) == 1 && !strchr("\" \r\n", *text) && *text > 0)) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "Option workload.columns.separator is '%.20s'; one character is due, or "
                        "tab.",
                        text);
}

/* Takes the map apart, and asks for its columns. */
static enum hs_err map_read(struct reader *reader, size_t *asked_count, struct hs_error *error)
{
    struct columns_spec specs[COLUMNS_FIELD_COUNT];
    enum hs_err err = columns_specs(&reader->map, specs, &reader->column_count, error);

    for (size_t i = 0; !err && i < reader->column_count; i++) {
        struct source_column *column = &reader->columns[i];

        column->spec = specs[i];
        if (!column->spec.is_constant) {
            column->place = *asked_count;
            reader->asked[*asked_count].name = column->spec.text;
            /* Files of a known system have lost a column here and there. */
            reader->asked[(*asked_count)++].is_required = reader->map.is_given ||
                                                          column->spec.field == COLUMNS_SUBMIT ||
                                                          column->spec.field == COLUMNS_GPUS;
        }
    }
    return err ? err : map_check(reader, error);
}

static const char *text_of(const struct reader *reader, const struct source_column *column)
{
    return column->spec.is_constant ? column->spec.text : reader->row.fields[column->place];
}

static bool is_number(const char *text)
{
    bool is_exact, is_huge;
    int64_t value;

    return swf_number(&text, 9, &value, &is_exact, &is_huge) && !*text;
}

/* The first row tells whether times are dates and ids are numbers. */
static enum hs_err row_peek(struct reader *reader, struct hs_error *error)
{
    enum hs_err err = csv_next(reader->csv, &reader->row, &reader->has_row, error);

    reader->is_numeric = reader->map.times != WORKLOAD_TIMES_DATES;
    if (err || !reader->has_row || reader->row.problem) {
        return err;
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        const struct source_column *column = &reader->columns[i];
        const char *text = text_of(reader, column);
        int64_t id;

        if (column->spec.field == COLUMNS_ID) {
            reader->has_number_ids = csv_parse_int(text, &id) && id >= 0;
        }
        if (column->spec.field == COLUMNS_SUBMIT && reader->map.times == WORKLOAD_TIMES_AUTO) {
            reader->is_numeric = is_number(text);
        }
    }
    return HS_OK;
}

static enum hs_err file_open(struct reader *reader, const struct workload_setup *setup,
                             struct hs_error *error)
{
    struct csv_form form = {.is_multiline = true, .is_headless = reader->map.is_headless};
    size_t asked_count = 0;
    enum hs_err err = map_read(reader, &asked_count, error);

    err = err ? err : separator_read(reader, &form.separator, error);
    err = err ? err : facts_reader_init(&reader->facts, setup, error);
    if (!err) {
        err = csv_open_form(reader->path, "a list of jobs with this map", &form, reader->asked,
                            asked_count, &reader->csv, error);
    }
    err = err ? err : row_peek(reader, error);
    if (!err) {
        setup->stats->lines = form.is_headless ? 0 : 1;
        setup->stats->epoch_unix =
            !reader->is_numeric || reader->map.times == WORKLOAD_TIMES_UNIX ? 0 : -1;
        (void)snprintf(setup->stats->unused_columns, sizeof setup->stats->unused_columns, "%s",
                       csv_unused(reader->csv));
    }
    return err;
}

static enum hs_err reader_open(const struct workload_setup *setup, void **self,
                               struct hs_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    enum hs_err err;

    *self = NULL;
    if (!reader) {
        return hs_error_memory(error);
    }
    reader->is_strict = setup->options->is_strict;
    for (size_t i = 0; i < COLUMNS_FIELD_COUNT; i++) {
        reader->labels[i].has_names = true; /* what looks like a number is one of them */
    }
    reader->map = columns_of(workload_format_id_of(setup->format), setup->options);
    reader->path = strdup(setup->options->file);
    err = reader->path ? file_open(reader, setup, error) : hs_error_memory(error);
    if (err) {
        reader_close(reader);
        return err;
    }
    *self = reader;
    return HS_OK;
}

static bool read_moment(struct reader *reader, const struct columns_spec *spec, const char *text,
                        hs_time *value)
{
    const char *name = columns_name(spec->field);

    if (reader->is_numeric) {
        return facts_read_number(&reader->facts, name, text, spec->scale, spec->unit, value);
    }
    return facts_read_moment(&reader->facts, name, text, reader->row.line, value);
}

static bool read_span(struct reader *reader, const struct columns_spec *spec, const char *text,
                      hs_time *value)
{
    if (strchr(text, ':')) {
        return moment_span_parse(text, value) ||
               facts_problem(&reader->facts, columns_name(spec->field), text,
                             "a number or [days-]hours:minutes:seconds is due");
    }
    return facts_read_number(&reader->facts, columns_name(spec->field), text, spec->scale,
                             spec->unit, value);
}

static bool read_bytes(struct reader *reader, const struct columns_spec *spec, const char *text,
                       int64_t *value)
{
    hs_int128 bytes;

    if (!facts_read_number(&reader->facts, columns_name(spec->field), text, spec->scale, 1,
                           value)) {
        return false;
    }
    if (*value < 0) {
        return true;
    }
    bytes = ((hs_int128)*value * spec->unit + MICRO - 1) / MICRO;
    *value = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
    return true;
}

static bool read_priority(struct reader *reader, const char *text, struct facts *facts)
{
    char *end;

    if (moment_is_missing(text)) {
        return true;
    }
    facts->priority = strtod(text, &end);
    facts->has_priority = true;
    return (!*end && facts->priority >= -1e300 && facts->priority <= 1e300) ||
           facts_problem(&reader->facts, "priority", text, "a number is due");
}

/* Moments, spans, amounts: their places in the facts. */
static int64_t *place_of(enum columns_field field, struct facts *facts)
{
    switch (field) {
    case COLUMNS_SUBMIT:
        return &facts->submit_ns;
    case COLUMNS_ELIGIBLE:
        return &facts->eligible_ns;
    case COLUMNS_START:
        return &facts->start_ns;
    case COLUMNS_END:
        return &facts->end_ns;
    case COLUMNS_DURATION:
        return &facts->duration_ns;
    case COLUMNS_WAIT:
        return &facts->wait_ns;
    case COLUMNS_WALLTIME:
        return &facts->walltime_ns;
    case COLUMNS_CPUS:
        return &facts->cpus_milli;
    case COLUMNS_GPUS:
        return &facts->gpus_milli;
    case COLUMNS_MEMORY:
        return &facts->mem_bytes;
    case COLUMNS_NODES:
        return &facts->nodes;
    case COLUMNS_TASKS:
        return &facts->tasks;
    default:
        return &facts->id;
    }
}

static int32_t *label_of(enum columns_field field, struct facts *facts, enum workload_noun *noun)
{
    switch (field) {
    case COLUMNS_USER:
        *noun = WORKLOAD_USER;
        return &facts->user;
    case COLUMNS_GROUP:
        *noun = WORKLOAD_GROUP;
        return &facts->group;
    case COLUMNS_QUEUE:
        *noun = WORKLOAD_QUEUE;
        return &facts->queue;
    default:
        *noun = WORKLOAD_NOUN_COUNT;
        return &facts->job_class;
    }
}

static bool read_label(struct reader *reader, enum columns_field field, const char *text,
                       struct facts *facts)
{
    enum workload_noun noun;
    int32_t *number = label_of(field, facts, &noun);

    return facts_read_label(&reader->facts, columns_name(field), text, &reader->labels[field], noun,
                            number);
}

static bool read_field(struct reader *reader, const struct columns_spec *spec, const char *text,
                       struct facts *facts)
{
    const char *name = columns_name(spec->field);
    int64_t *place = place_of(spec->field, facts);

    switch (spec->kind) {
    case COLUMNS_KIND_ID:
        return !reader->has_number_ids || (csv_parse_int(text, place) && *place >= 0) ||
               facts_problem(&reader->facts, name, text, "a whole number is due, as above");
    case COLUMNS_KIND_MOMENT:
        return read_moment(reader, spec, text, place);
    case COLUMNS_KIND_SPAN:
        return read_span(reader, spec, text, place);
    case COLUMNS_KIND_STATE:
        facts->state = columns_state(&reader->map, text);
        return true;
    case COLUMNS_KIND_LABEL:
        return read_label(reader, spec->field, text, facts);
    case COLUMNS_KIND_MILLI:
    case COLUMNS_KIND_WHOLE:
        return facts_read_number(&reader->facts, name, text, spec->scale, spec->unit, place);
    case COLUMNS_KIND_BYTES:
        return read_bytes(reader, spec, text, place);
    case COLUMNS_KIND_TEXT:
        facts->models = text;
        return true;
    case COLUMNS_KIND_PRIORITY:
        return read_priority(reader, text, facts);
    }
    return true;
}

static bool read_row(struct reader *reader, struct workload_record *record)
{
    struct facts facts;

    facts_clear(&facts);
    record->fields.value[SWF_ID] = -1;
    if (reader->row.problem) {
        (void)snprintf(reader->facts.problem, sizeof reader->facts.problem, "%s",
                       reader->row.problem);
        return false;
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        if (!read_field(reader, &reader->columns[i].spec, text_of(reader, &reader->columns[i]),
                        &facts)) {
            record->fields.value[SWF_ID] = facts.id;
            return false;
        }
    }
    facts.id = facts.id >= 0 ? facts.id : reader->facts.stats->records;
    return facts_to_record(&reader->facts, &facts, reader->row.line, record);
}

static enum hs_err reader_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct reader *reader = self;
    struct workload_stats *stats = reader->facts.stats;

    for (;;) {
        bool has_row = reader->has_row;
        enum hs_err err = has_row ? HS_OK : csv_next(reader->csv, &reader->row, &has_row, error);

        reader->has_row = false;
        *has_record = false;
        if (err || !has_row) {
            return err;
        }
        stats->lines = reader->row.line;
        stats->records++;
        *has_record = read_row(reader, record);
        err = facts_end_row(&reader->facts, reader->path, reader->is_strict, !*has_record, record,
                            error);
        if (err || *has_record) {
            *has_record = !err;
            return err;
        }
    }
}

static double reader_progress(const void *self)
{
    const struct reader *reader = self;

    return csv_progress(reader->csv);
}

const struct workload_source workload_source_mapped = {
    .open = reader_open,
    .next = reader_next,
    .progress = reader_progress,
    .close = reader_close,
};
