/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sacct.c - the table that `sacct --parsable2` (-P) or --parsable (-p) prints.
 *
 * Nothing in it is quoted: the name of a job, its command line and comments may hold the separator
 * and newlines. A row is therefore as many lines as it takes to have all fields, and fields too
 * many belong to columns of free text: what lies before the first of them is counted from the
 * left, what lies behind the last from the right, and what lies between must make sense. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input/lines.h"
#include "workload/slurm.h"

#define COLUMN_MAX 256 /* that a header may name */
#define PIECE_MAX  512 /* of a row */
#define EXCESS_MAX 32  /* separators within free text, of a row whose columns are told apart */
#define NONE       (-1)

/* Columns of free text. */
static const char *const free_texts[] = {
    "JobName",   "SubmitLine",  "Comment", "AdminComment", "SystemComment", "WorkDir",
    "Container", "Constraints", "Extra",   "StdIn",        "StdOut",        "StdErr",
};

struct column {
    int8_t field; /* enum slurm_field, or NONE */
    bool is_free;
};

struct reader {
    struct lines *lines;
    struct slurm_reader slurm;
    struct column columns[COLUMN_MAX];
    size_t column_count;
    size_t tail; /* 1: a separator ends each row */
    char separator;
    bool is_strict;
    char *pieces[PIECE_MAX];
    size_t piece_count;
};

static void reader_close(void *self)
{
    struct reader *reader = self;

    if (reader) {
        lines_close(reader->lines);
        slurm_reader_fini(&reader->slurm);
        free(reader);
    }
}

static struct column column_of(const char *name)
{
    struct column column = {.field = NONE};

    for (int i = 0; i < SLURM_FIELD_COUNT; i++) {
        if (!strcasecmp(name, slurm_field_name((enum slurm_field)i))) {
            column.field = (int8_t)i;
        }
    }
    if (!strcasecmp(name, "Reserved")) {
        column.field = SLURM_PLANNED;
    }
    for (size_t i = 0; i < sizeof free_texts / sizeof free_texts[0]; i++) {
        column.is_free = column.is_free || !strcasecmp(name, free_texts[i]);
    }
    return column;
}

static bool has_column(const struct reader *reader, enum slurm_field field)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].field == (int8_t)field) {
            return true;
        }
    }
    return false;
}

/* Is there what makes jobs? */
static enum hs_err header_check(const struct reader *reader, struct hs_error *error)
{
    bool has_run = has_column(reader, SLURM_ELAPSED) || has_column(reader, SLURM_ELAPSED_RAW) ||
                   (has_column(reader, SLURM_START) && has_column(reader, SLURM_END));
    bool has_size = has_column(reader, SLURM_CPUS) || has_column(reader, SLURM_REQ_TRES) ||
                    has_column(reader, SLURM_ALLOC_TRES) || has_column(reader, SLURM_REQ_CPUS) ||
                    has_column(reader, SLURM_ALLOC_CPUS);
    bool has_id = has_column(reader, SLURM_ID);
    const char *lacking = !has_id                             ? "JobID"
                          : !has_column(reader, SLURM_SUBMIT) ? "Submit"
                          : !has_run ? "ElapsedRaw (or Elapsed, or Start and End)"
                                     : "ReqTRES (or NCPUS)";

    if (has_id && has_column(reader, SLURM_SUBMIT) && has_run && has_size) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:%lld: the header lacks %s. Print the jobs with: sacct -a -P --format="
                        "JobID,JobIDRaw,User,Account,Partition,QOS,Submit,Eligible,Start,End,"
                        "ElapsedRaw,TimelimitRaw,State,NNodes,NCPUS,ReqTRES,AllocTRES,ReqMem",
                        lines_path(reader->lines), (long long)lines_number(reader->lines), lacking);
}

static enum hs_err header_wrong(const struct reader *reader, const char *line,
                                struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:%lld: '%.60s' is no header of sacct, names of fields with | between. "
                        "Print the jobs with sacct -P, and without --noheader.",
                        lines_path(reader->lines), (long long)lines_number(reader->lines), line);
}

static enum hs_err header_read(struct reader *reader, struct hs_error *error)
{
    char *line, *at;
    size_t length = 0;
    enum hs_err err;

    do {
        err = lines_next(reader->lines, &line, &length, error);
    } while (!err && line && length <= LINES_MAX_BYTES && line[strspn(line, " \r")] == '\0');
    if (err) {
        return err;
    }
    if (!line) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: the file is empty; a list of sacct begins with a header.",
                            lines_path(reader->lines));
    }
    line += strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    line[strcspn(line, "\r")] = '\0';
    at = line + strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    reader->separator = *at;
    if (at == line || !*at || length > LINES_MAX_BYTES) {
        return header_wrong(reader, line, error);
    }
    for (at = line; at;) {
        char *end = strchr(at, reader->separator);
        struct column column;

        if (reader->column_count == COLUMN_MAX) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:%lld: the header has more than %d columns. Name those that are "
                                "needed with sacct --format.",
                                lines_path(reader->lines), (long long)lines_number(reader->lines),
                                COLUMN_MAX);
        }
        if (end) {
            *end++ = '\0';
        } else if (!*at) {
            reader->tail = 1;
            break;
        }
        column = column_of(at);
        if (column.field != NONE && has_column(reader, (enum slurm_field)column.field)) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:%lld: the header has the column '%.40s' twice. Remove one of "
                                "them.",
                                lines_path(reader->lines), (long long)lines_number(reader->lines),
                                at);
        }
        reader->columns[reader->column_count++] = column;
        at = end;
    }
    return header_check(reader, error);
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
    err = slurm_reader_init(&reader->slurm, setup, error);
    err = err ? err : lines_open(setup->options->file, &reader->lines, error);
    err = err ? err : header_read(reader, error);
    if (err) {
        reader_close(reader);
        return err;
    }
    setup->stats->lines = lines_number(reader->lines);
    setup->stats->epoch_unix = 0;
    *self = reader;
    return HS_OK;
}

static size_t separators_count(const char *text, size_t length, char separator)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        count += text[i] == separator;
    }
    return count;
}

static bool wrong(struct reader *reader, const char *format, size_t have)
{
    size_t due = reader->column_count;

    (void)snprintf(reader->slurm.facts.problem, sizeof reader->slurm.facts.problem,
                   "%zu field%s; the header names %zu%s", have, have == 1 ? "" : "s", due, format);
    return false;
}

/* Joins lines until the row has its fields. *is_rest: the line is the end of a text that was the
 * last field of the row before it. */
static enum hs_err row_gather(struct reader *reader, char **line, size_t *length, bool *is_rest,
                              struct hs_error *error)
{
    size_t due = reader->column_count - 1 + reader->tail;
    size_t have = separators_count(*line, *length, reader->separator);
    bool is_joined = true;
    enum hs_err err = HS_OK;

    *is_rest = false;
    while (!err && have < due && is_joined) {
        size_t before = have;

        err = lines_join(reader->lines, line, length, &is_joined, error);
        if (!err && is_joined) {
            have = separators_count(*line, *length, reader->separator);
        }
        /* A line with all fields is a row of its own. */
        if (!err && is_joined && have - before >= due) {
            have = 0;
            is_joined = false;
        }
    }
    if (!err && have < due) {
        lines_part(reader->lines);
        *length = strlen(*line);
        *is_rest = reader->columns[reader->column_count - 1].is_free && !reader->tail;
    }
    return err;
}

/* Takes the row apart at all separators; false: there are too many. */
static bool row_cut(struct reader *reader, char *line, size_t length)
{
    reader->piece_count = 0;
    while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == '\n')) {
        line[--length] = '\0';
    }
    for (char *at = line; at;) {
        char *end = strchr(at, reader->separator);

        if (reader->piece_count == PIECE_MAX) {
            return false;
        }
        reader->pieces[reader->piece_count++] = at;
        if (end) {
            *end++ = '\0';
        }
        at = end;
    }
    return true;
}

/* Do the columns from `first` to before `end` make sense, `shift` pieces further on? */
static bool is_plausible(const struct reader *reader, size_t first, size_t end, size_t shift)
{
    for (size_t i = first; i < end; i++) {
        int8_t field = reader->columns[i].field;

        if (field != NONE &&
            !slurm_is_plausible((enum slurm_field)field, reader->pieces[i + shift])) {
            return false;
        }
    }
    return true;
}

static bool has_fields(const struct reader *reader, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (reader->columns[i].field != NONE) {
            return true;
        }
    }
    return false;
}

/* Columns between two free ones, and by how many pieces they may be shifted. */
struct segment {
    size_t first, end;
    bool may[EXCESS_MAX + 1];
};

static size_t segments_find(const struct reader *reader, struct segment *segments)
{
    size_t count = 0, first = 0;

    for (size_t i = 0; i <= reader->column_count; i++) {
        if (i == reader->column_count || reader->columns[i].is_free) {
            segments[count++] = (struct segment){.first = first, .end = i};
            first = i + 1;
        }
    }
    return count;
}

/* By how much each segment is shifted, when `excess` separators lie in free text: not at all
 * before the first free column, by all behind the last, and never by less than the one before.
 * False: no way or more than one to understand the row. */
static bool shifts_find(const struct reader *reader, size_t excess, struct segment *segments,
                        size_t count, size_t *shifts)
{
    size_t least = 0, most = excess;

    for (size_t k = 0; k < count; k++) {
        bool is_reached = false;

        for (size_t shift = 0; shift <= excess; shift++) {
            bool is_end = k == 0 ? shift == 0 : k + 1 == count ? shift == excess : true;

            is_reached = is_reached || k == 0 || segments[k - 1].may[shift];
            segments[k].may[shift] =
                is_end && is_reached &&
                is_plausible(reader, segments[k].first, segments[k].end, shift);
        }
    }
    for (size_t k = count; k-- > 0;) {
        size_t found = 0;

        for (size_t shift = 0; shift <= most; shift++) {
            if (segments[k].may[shift]) {
                found++;
                least = shift;
            }
        }
        if (found == 0 || (found > 1 && has_fields(reader, segments[k].first, segments[k].end))) {
            return false;
        }
        shifts[k] = least;
        /* With nothing of interest in a segment, the largest shift leaves most to those before. */
        most = least;
    }
    return true;
}

/* The texts of the fields; false with a problem. */
static bool row_assign(struct reader *reader, const char *texts[SLURM_FIELD_COUNT])
{
    struct segment segments[COLUMN_MAX + 1];
    size_t shifts[COLUMN_MAX + 1] = {0};
    size_t due = reader->column_count, have = reader->piece_count - reader->tail;
    size_t count = segments_find(reader, segments);

    for (int i = 0; i < SLURM_FIELD_COUNT; i++) {
        texts[i] = "";
    }
    if (reader->piece_count < due + reader->tail ||
        (reader->tail && *reader->pieces[reader->piece_count - 1])) {
        return wrong(reader, reader->tail ? ", each ended by a separator" : "", have);
    }
    if (have > due) {
        if (count == 1 || have - due > EXCESS_MAX) {
            return wrong(reader, count == 1 ? "" : ": too many to tell what is free text", have);
        }
        if (!shifts_find(reader, have - due, segments, count, shifts)) {
            return wrong(reader, ", and which text holds the separators cannot be told", have);
        }
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = segments[k].first; i < segments[k].end; i++) {
            if (reader->columns[i].field != NONE) {
                texts[reader->columns[i].field] = reader->pieces[i + shifts[k]];
            }
        }
    }
    return true;
}

/* One row: *is_row false for parts of jobs, repeated headers and empty lines. */
static bool row_read(struct reader *reader, char *line, size_t length, bool *is_row,
                     struct workload_record *record)
{
    const char *texts[SLURM_FIELD_COUNT];
    struct workload_stats *stats = reader->slurm.facts.stats;

    *is_row = true;
    record->fields.value[SWF_ID] = -1;
    if (length > LINES_MAX_BYTES || strlen(line) < length) {
        (void)snprintf(reader->slurm.facts.problem, sizeof reader->slurm.facts.problem,
                       length > LINES_MAX_BYTES ? "longer than %zu bytes" : "a zero byte at %zu",
                       length > LINES_MAX_BYTES ? LINES_MAX_BYTES : strlen(line));
        return false;
    }
    if (!row_cut(reader, line, length)) {
        return wrong(reader, ", too many to take apart", PIECE_MAX);
    }
    if (!row_assign(reader, texts)) {
        return false;
    }
    if (slurm_is_step(texts[SLURM_ID]) || !strcmp(texts[SLURM_ID], slurm_field_name(SLURM_ID))) {
        stats->steps += slurm_is_step(texts[SLURM_ID]);
        *is_row = false;
        return false;
    }
    return slurm_to_record(&reader->slurm, texts, stats->lines, record);
}

/* The next row in `line`; NULL at the end. */
static enum hs_err row_next(struct reader *reader, char **line, size_t *length,
                            struct hs_error *error)
{
    bool is_rest = true;
    enum hs_err err = HS_OK;

    while (!err && is_rest) {
        err = lines_next(reader->lines, line, length, error);
        if (err || !*line) {
            break;
        }
        is_rest = (*line)[strspn(*line, " \r")] == '\0' && strlen(*line) == *length;
        if (!is_rest && *length <= LINES_MAX_BYTES && strlen(*line) == *length) {
            err = row_gather(reader, line, length, &is_rest, error);
        }
    }
    return err;
}

static enum hs_err reader_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct reader *reader = self;
    struct workload_stats *stats = reader->slurm.facts.stats;

    for (;;) {
        char *line = NULL;
        size_t length = 0;
        bool is_row;
        enum hs_err err = row_next(reader, &line, &length, error);

        *has_record = false;
        if (err || !line) {
            return err;
        }
        stats->lines = lines_number(reader->lines);
        *has_record = row_read(reader, line, length, &is_row, record);
        stats->records += is_row;
        err = facts_end_row(&reader->slurm.facts, lines_path(reader->lines), reader->is_strict,
                            is_row && !*has_record, record, error);
        if (err || *has_record) {
            *has_record = !err;
            return err;
        }
    }
}

static double reader_progress(const void *self)
{
    const struct reader *reader = self;

    return lines_progress(reader->lines);
}

const struct workload_source workload_source_sacct = {
    .open = reader_open,
    .next = reader_next,
    .progress = reader_progress,
    .close = reader_close,
};
