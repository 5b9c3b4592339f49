/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs_read.c - jobs as CSV: a header, and a row a job.
 *
 * A table says what a column is for. A job's demand is either a text in the language of
 * demand_text.h (column demand), or its words are columns of their own (tasks, cores, mem, gpu,
 * model, ...): the text is put together from them, so that both ways mean the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "workload/demand_store.h"
#include "workload/labels.h"
#include "workload/source.h"
#include "workload/tally.h"

#define PROBLEM_MAX      ((size_t)384)
#define PLAIN_DIGITS_MAX 9              /* so many are seconds within all bounds */
#define TEXT_MAX         ((size_t)2048) /* of a demand that is put together */

enum use {
    USE_NUMBER, /* whole, 0 or more */
    USE_SUBMIT, /* seconds, 0 or more */
    USE_TIME,   /* seconds; negative: missing */
    USE_LABEL,  /* a number or a name */
    USE_CLASS,  /* the same, for the job's class */
    USE_PRIORITY,
    USE_DEMAND, /* a text */
    USE_MODEL,  /* of the devices */
    USE_WORD,   /* of a demand */
    USE_KIND,   /* of devices: how many */
};

/* Further columns are the words of a demand and the kinds of devices. */
static const struct column {
    const char *name;
    enum use use;
    enum swf_field field;
    const char *word; /* of USE_KIND and USE_WORD: what it is in a demand */
} fixed[] = {
    {"id", USE_NUMBER, SWF_ID, NULL},
    {"submit", USE_SUBMIT, SWF_SUBMIT, NULL},
    {"run", USE_TIME, SWF_RUN, NULL},
    {"runtime", USE_TIME, SWF_RUN, NULL},
    {"walltime", USE_TIME, SWF_WALLTIME, NULL},
    {"wait", USE_TIME, SWF_WAIT, NULL},
    {"status", USE_NUMBER, SWF_STATUS, NULL},
    {"user", USE_LABEL, SWF_USER, NULL},
    {"group", USE_LABEL, SWF_GROUP, NULL},
    {"queue", USE_LABEL, SWF_QUEUE, NULL},
    {"partition", USE_LABEL, SWF_PARTITION, NULL},
    {"class", USE_CLASS, SWF_FIELD_COUNT, NULL},
    {"priority", USE_PRIORITY, SWF_FIELD_COUNT, NULL},
    {"demand", USE_DEMAND, SWF_FIELD_COUNT, NULL},
    {"model", USE_MODEL, SWF_FIELD_COUNT, NULL},
    {"memory", USE_WORD, SWF_FIELD_COUNT, "mem"},
    {"gpus", USE_KIND, SWF_FIELD_COUNT, "gpu"},
};

#define FIXED_COUNT (sizeof fixed / sizeof fixed[0])

struct reader {
    char *path;
    struct csv *csv;
    struct workload_stats *stats;
    struct demand_store *demands;
    struct workload_names *names;
    struct column columns[CSV_COLUMNS_MAX];
    struct csv_column asked[CSV_COLUMNS_MAX];
    struct labels labels[CSV_COLUMNS_MAX]; /* of the column with the same number */
    size_t column_count;
    uint8_t present[CSV_COLUMNS_MAX]; /* numbers of the columns that the file has */
    size_t present_count;
    int64_t last_id;
    bool is_strict;
    char problem[PROBLEM_MAX]; /* why the row cannot be used */
};

static void reader_close(void *self)
{
    struct reader *reader = self;

    if (!reader) {
        return;
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        labels_fini(&reader->labels[i]);
    }
    csv_close(reader->csv);
    demand_store_destroy(reader->demands);
    free(reader->path);
    free(reader);
}

static void columns_prepare(struct reader *reader)
{
    const char *words[DEMAND_WORD_MAX];
    size_t word_count = demand_text_words(words);

    memcpy(reader->columns, fixed, sizeof fixed);
    reader->column_count = FIXED_COUNT;
    for (size_t i = 0; i < word_count; i++) {
        struct column *column = &reader->columns[reader->column_count];
        enum demand_word_class word_class = demand_text_word_class(words[i]);

        if (word_class != DEMAND_CLASS_NONE) {
            *column =
                (struct column){words[i], word_class == DEMAND_CLASS_KIND ? USE_KIND : USE_WORD,
                                SWF_FIELD_COUNT, words[i]};
            reader->column_count++;
        }
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        reader->asked[i] = (struct csv_column){reader->columns[i].name, false};
        reader->asked[i].is_required = reader->columns[i].use == USE_SUBMIT;
    }
}

static bool is_there(const struct reader *reader, enum use use)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].use == use && csv_has(reader->csv, i)) {
            return true;
        }
    }
    return false;
}

static bool has_field(const struct reader *reader, enum swf_field field)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].field == field && csv_has(reader->csv, i)) {
            return true;
        }
    }
    return false;
}

/* Do the columns together make jobs? */
static enum hs_err header_check(struct reader *reader, struct hs_error *error)
{
    bool has_words = is_there(reader, USE_WORD) || is_there(reader, USE_KIND);

    for (size_t i = 0; i < reader->column_count; i++) {
        if (csv_has(reader->csv, i)) {
            reader->present[reader->present_count++] = (uint8_t)i;
        }
    }
    if (!has_field(reader, SWF_RUN)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: the header has neither a column 'run' nor 'runtime' for the run "
                            "times. Its columns that say nothing here are: %s.",
                            reader->path, *csv_unused(reader->csv) ? csv_unused(reader->csv) : "-");
    }
    if (has_words == is_there(reader, USE_DEMAND)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: the header has %s. A job's demand is either a text in the "
                            "column 'demand' or in columns for its words: tasks, cores, mem, gpu, "
                            "...",
                            reader->path,
                            has_words ? "a column 'demand' and columns for its words too"
                                      : "no column that says what a job asks for");
    }
    return HS_OK;
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
    reader->stats = setup->stats;
    reader->names = setup->names;
    reader->is_strict = setup->options->is_strict;
    columns_prepare(reader);
    reader->path = strdup(setup->options->file);
    reader->demands = demand_store_create(setup->names);
    err = reader->path && reader->demands ? csv_open(reader->path, "a list of jobs", reader->asked,
                                                     reader->column_count, &reader->csv, error)
                                          : hs_error_memory(error);
    if (!err) {
        err = header_check(reader, error);
    }
    if (err) {
        reader_close(reader);
        return err;
    }
    reader->stats->lines = 1;
    (void)snprintf(reader->stats->unused_columns, sizeof reader->stats->unused_columns, "%s",
                   csv_unused(reader->csv));
    *self = reader;
    return HS_OK;
}

static bool problem(struct reader *reader, size_t column, const char *text, const char *due)
{
    (void)snprintf(reader->problem, sizeof reader->problem, "%s is '%.24s%s'; %s",
                   reader->columns[column].name, text, strlen(text) > 24 ? "..." : "", due);
    return false;
}

/* Nearly all numbers of a trace are whole and short. */
static bool read_plain(const char *text, int64_t *value)
{
    int64_t number = 0;
    size_t length = 0;

    for (; (unsigned)(text[length] - '0') < 10u && length < PLAIN_DIGITS_MAX; length++) {
        number = number * 10 + (text[length] - '0');
    }
    *value = number;
    return length > 0 && !text[length];
}

/* Seconds with decimals to ns; -1 for an empty field, and where that is allowed a negative one. */
static bool read_seconds(struct reader *reader, size_t column, const char *text, hs_time *time_ns)
{
    bool is_submit = reader->columns[column].use == USE_SUBMIT;
    const char *end = text;
    bool is_exact, is_huge;

    if (read_plain(text, time_ns)) {
        *time_ns *= HS_NS_PER_S;
        return true;
    }
    *time_ns = -1;
    if (!*text && !is_submit) {
        return true;
    }
    if (!swf_number(&end, 9, time_ns, &is_exact, &is_huge) || *end || (is_submit && *text == '-') ||
        *time_ns > (is_submit ? SWF_SUBMIT_MAX_NS : SWF_TIME_MAX_NS)) {
        return problem(reader, column, text,
                       is_submit ? "seconds from 0 to 6000000000 are due"
                                 : "seconds up to 3000000000 are due");
    }
    *time_ns = *time_ns < 0 ? -1 : *time_ns;
    return true;
}

static bool read_whole(struct reader *reader, size_t column, const char *text, int64_t *value)
{
    const char *end = text;
    bool is_exact, is_huge;

    if (reader->columns[column].field == SWF_ID && read_plain(text, value)) {
        return true;
    }
    *value = -1;
    if (*text && (!swf_number(&end, 0, value, &is_exact, &is_huge) || *end || !is_exact ||
                  *value < -1 || (reader->columns[column].field == SWF_STATUS && *value > 99))) {
        return problem(reader, column, text, "a whole number, 0 or more, is due");
    }
    return true;
}

static bool read_label(struct reader *reader, size_t column, const char *text, int32_t *number)
{
    const char *due;

    if (labels_number(&reader->labels[column], text, number, &due)) {
        return true;
    }
    return problem(reader, column, text, due ? due : "the memory does not suffice for its name");
}

/* A class that is met for the first time also gets its name in the table of names, which holds so
 * many; later ones have numbers alone. */
static bool read_class(struct reader *reader, size_t column, const char *text, int32_t *number)
{
    uint16_t same;

    if (!read_label(reader, column, text, number)) {
        return false;
    }
    if (reader->labels[column].count > 0 &&
        *number == workload_names_count(reader->names, WORKLOAD_CLASS)) {
        enum hs_err err = workload_names_number(reader->names, WORKLOAD_CLASS, text, &same, NULL);

        HS_ASSERT(err || same == *number);
    }
    return true;
}

static bool read_priority(struct reader *reader, size_t column, const char *text,
                          struct workload_record *record)
{
    char *end;

    if (!*text) {
        return true;
    }
    record->priority = strtod(text, &end);
    record->has_priority = true;
    if (*end || !(record->priority >= -1e300 && record->priority <= 1e300)) {
        return problem(reader, column, text, "a number is due");
    }
    return true;
}

static bool read_field(struct reader *reader, size_t column, const char *text,
                       struct workload_record *record)
{
    enum swf_field field = reader->columns[column].field;
    int64_t *value = field < SWF_FIELD_COUNT ? &record->fields.value[field] : NULL;
    int32_t number = -1;

    switch (reader->columns[column].use) {
    case USE_NUMBER:
        return read_whole(reader, column, text, value);
    case USE_SUBMIT:
    case USE_TIME:
        return read_seconds(reader, column, text, value);
    case USE_LABEL:
        if (!read_label(reader, column, text, &number)) {
            return false;
        }
        *value = number;
        return true;
    case USE_CLASS:
        return read_class(reader, column, text, &record->job_class);
    case USE_PRIORITY:
        return read_priority(reader, column, text, record);
    case USE_DEMAND:
    case USE_MODEL:
    case USE_WORD:
    case USE_KIND:
        break;
    }
    return true;
}

static bool is_zero(const char *text)
{
    return !*text || !strcmp(text, "0") || !strcmp(text, "0.0");
}

/* "tasks=4 cores=2 gpu:a100=1" from the columns of a row; the length, or TEXT_MAX: too long. */
static size_t demand_compose(const struct reader *reader, const struct csv_row *row,
                             char text[TEXT_MAX])
{
    const char *model = "", *kind = NULL, *amount = "0";
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < reader->present_count && used < TEXT_MAX; i++) {
        const struct column *column = &reader->columns[reader->present[i]];
        const char *field = row->fields[reader->present[i]];

        if (column->use == USE_MODEL) {
            model = field;
        } else if (column->use == USE_KIND && (!kind || !is_zero(field))) {
            kind = column->word;
            amount = is_zero(field) ? "0" : field;
        } else if (column->use == USE_WORD && *field) {
            used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s=%s ", column->word, field);
        }
    }
    if (kind && used < TEXT_MAX) {
        used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s%s%s=%s", kind,
                                 *model && strcmp(amount, "0") != 0 ? ":" : "",
                                 strcmp(amount, "0") != 0 ? model : "", amount);
    }
    return used < TEXT_MAX ? used : TEXT_MAX;
}

static bool read_demand(struct reader *reader, const struct csv_row *row, const char *given,
                        struct workload_record *record, enum hs_err *err, struct hs_error *error)
{
    char composed[TEXT_MAX];
    const struct demand_entry *entry = NULL;
    struct hs_error found = {0};
    const char *text = given;
    size_t length = given ? strlen(given) : demand_compose(reader, row, composed);

    if (!given && length == TEXT_MAX) {
        (void)snprintf(reader->problem, sizeof reader->problem,
                       "the columns of the demand are longer than %zu bytes", TEXT_MAX);
        return false;
    }
    text = given ? given : composed;
    *err = demand_store_find(reader->demands, text, length, &entry, &found);
    if (*err == HS_ERR_INPUT) {
        *err = HS_OK;
        (void)snprintf(reader->problem, sizeof reader->problem, "demand, %.360s", found.text);
        return false;
    }
    if (*err) {
        *error = found;
        return false;
    }
    record->demand = &entry->demand;
    record->refusal = entry->refusal;
    record->fields.value[SWF_PROCS] =
        (entry->demand.cores_milli * entry->demand.tasks + 999) / 1000;
    return true;
}

/* False: a row that cannot be used, or *err. */
static bool read_row(struct reader *reader, const struct csv_row *row,
                     struct workload_record *record, enum hs_err *err, struct hs_error *error)
{
    const char *demand = NULL;

    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        record->fields.value[i] = -1;
    }
    workload_record_clear(record);
    record->fields.line = row->line;
    if (row->problem) {
        (void)snprintf(reader->problem, sizeof reader->problem, "%s", row->problem);
        return false;
    }
    for (size_t i = 0; i < reader->present_count; i++) {
        size_t column = reader->present[i];

        if (!read_field(reader, column, row->fields[column], record)) {
            return false;
        }
        if (reader->columns[column].use == USE_DEMAND) {
            demand = row->fields[column];
        }
    }
    if (record->fields.value[SWF_ID] < 0) {
        record->fields.value[SWF_ID] = reader->last_id + 1;
    }
    reader->last_id = record->fields.value[SWF_ID];
    return read_demand(reader, row, demand, record, err, error);
}

static enum hs_err reader_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct reader *reader = self;
    struct hs_error memory = {0};

    for (;;) {
        struct csv_row row;
        bool has_row;
        enum hs_err err = csv_next(reader->csv, &row, &has_row, error);

        *has_record = false;
        if (err || !has_row) {
            return err;
        }
        reader->stats->lines = row.line;
        reader->stats->records++;
        *has_record = read_row(reader, &row, record, &err, error ? error : &memory);
        if (err || *has_record) {
            return err;
        }
        err = workload_tally_bad_row(&reader->stats->bad, reader->is_strict, reader->path, row.line,
                                     record->fields.value[SWF_ID], reader->problem, error);
        if (err != HS_OK) {
            return err;
        }
    }
}

static double reader_progress(const void *self)
{
    const struct reader *reader = self;

    return csv_progress(reader->csv);
}

const struct workload_source workload_source_jobs = {
    .open = reader_open,
    .next = reader_next,
    .progress = reader_progress,
    .close = reader_close,
};
