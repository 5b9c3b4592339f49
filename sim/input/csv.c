/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv.c - splits lines into fields, in place. */
#include "input/csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"

#define BUFFER_CAPACITY ((size_t)128 * 1024)
#define LINE_MAX_BYTES  ((size_t)32 * 1024)
#define FILE_COLUMNS    256 /* that a file may have */
#define NOT_THERE       SIZE_MAX

struct csv {
    struct input *input;
    const struct csv_column *columns;
    size_t column_count;
    size_t places[CSV_COLUMNS_MAX]; /* number of the column in the file, or NOT_THERE */
    size_t file_columns;
    char separator;
    bool is_bare;                /* no header, no quotes */
    char *rest[CSV_COLUMNS_MAX]; /* names of the columns that nobody asked for, if they count */
    size_t rest_count;
    char *buffer; /* one byte longer than BUFFER_CAPACITY: a line can always be ended */
    size_t start, end;
    int64_t line;
    bool at_end;
    bool is_skipping; /* within a line that is too long */
    char problem[160];
    char unused[160]; /* names of the columns that nobody asked for */
};

void csv_close(struct csv *csv)
{
    if (csv) {
        for (size_t i = 0; i < csv->rest_count; i++) {
            free(csv->rest[i]);
        }
        input_close(csv->input);
        free(csv->buffer);
        free(csv);
    }
}

bool csv_has(const struct csv *csv, size_t column)
{
    return csv->places[column] != NOT_THERE;
}

const char *csv_unused(const struct csv *csv)
{
    return csv->unused;
}

size_t csv_rest_count(const struct csv *csv)
{
    return csv->rest_count;
}

const char *csv_rest_name(const struct csv *csv, size_t index)
{
    return csv->rest[index];
}

double csv_progress(const struct csv *csv)
{
    return input_progress(csv->input);
}

static enum hs_err fill(struct csv *csv, struct hs_error *error)
{
    size_t length = 0;
    enum hs_err err;

    memmove(csv->buffer, csv->buffer + csv->start, csv->end - csv->start);
    csv->end -= csv->start;
    csv->start = 0;
    err =
        input_read(csv->input, csv->buffer + csv->end, BUFFER_CAPACITY - csv->end, &length, error);
    csv->end += length;
    csv->at_end = !err && length == 0;
    return err;
}

/* The next line, ended by a zero byte where its newline was; NULL at the end. Of a line that is too
 * long *length is larger than LINE_MAX_BYTES, and only its beginning is there. */
static enum hs_err line_next(struct csv *csv, char **line, size_t *length, struct hs_error *error)
{
    *line = NULL;
    for (;;) {
        char *start = csv->buffer + csv->start;
        size_t room = csv->end - csv->start;
        char *newline = room ? memchr(start, '\n', room) : NULL;
        bool is_tail = csv->is_skipping;
        enum hs_err err;

        if (newline || (room > LINE_MAX_BYTES && !is_tail) || (csv->at_end && room > 0)) {
            *length = newline ? (size_t)(newline - start) : room;
            csv->is_skipping = !newline && !csv->at_end;
            csv->start += *length + (newline != NULL);
            start[*length] = '\0';
            if (is_tail) {
                continue;
            }
            csv->line++;
            *line = start;
            return HS_OK;
        }
        if (csv->at_end) {
            return HS_OK;
        }
        csv->start = is_tail ? csv->end : csv->start;
        err = fill(csv, error);
        if (err) {
            return err;
        }
    }
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

/* A blank that is no separator. */
static bool is_padding(const struct csv *csv, char character)
{
    return is_blank(character) && character != csv->separator;
}

/* Ends the text that lies in [start, end) before the blanks at its end. */
static void trim(const struct csv *csv, const char *start, char *end)
{
    while (end > start && is_padding(csv, end[-1])) {
        end--;
    }
    *end = '\0';
}

/* A field in quotes from `at`, which is behind the first one: its text stays where it is, without
 * the quotes. *next is behind the blanks that follow; NULL: the quotes are not closed. */
static char *unquoted(char *at, char **next)
{
    char *text = at;
    char *to = at;

    for (;; at++) {
        if (*at == '\0') {
            *next = NULL;
            return text;
        }
        if (*at == '"' && at[1] == '"') {
            at++;
        } else if (*at == '"') {
            break;
        }
        *to++ = *at;
    }
    at++;
    while (is_blank(*at)) {
        at++;
    }
    *to = '\0'; /* not behind `at`: the quote that closes lies between */
    *next = at;
    return text;
}

/* Splits a line in place; false with csv->problem. */
static bool split(struct csv *csv, char *at, char *fields[FILE_COLUMNS], size_t *count)
{
    for (*count = 0; *count < FILE_COLUMNS;) {
        char *field, *next;
        bool is_last;

        while (is_padding(csv, *at)) {
            at++;
        }
        if (*at == '"' && !csv->is_bare) {
            field = unquoted(at + 1, &next);
            if (!next || (*next != ',' && *next != '\0')) {
                (void)snprintf(csv->problem, sizeof csv->problem,
                               "the quotes of field %zu are %s (a quote inside is doubled)",
                               *count + 1, next ? "followed by text" : "not closed in this line");
                return false;
            }
            is_last = *next == '\0';
        } else {
            field = at;
            next = strchrnul(at, csv->separator);
            is_last = *next == '\0';
            trim(csv, field, next);
        }
        fields[(*count)++] = field;
        if (is_last) {
            return true;
        }
        at = next + 1;
    }
    (void)snprintf(csv->problem, sizeof csv->problem, "more than %d fields", FILE_COLUMNS);
    return false;
}

static enum hs_err wrong(const struct csv *csv, struct hs_error *error, const char *text)
{
    return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: %s", input_path(csv->input),
                        (long long)csv->line, text);
}

/* The header lacks `name`: the nearest of the columns that it has is told. */
static enum hs_err missing(const struct csv *csv, const char *what, const char *name,
                           char *const *fields, size_t count, struct hs_error *error)
{
    const char *names[FILE_COLUMNS];
    const char *nearest;
    char all[512] = "";
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        names[i] = fields[i];
    }
    nearest = hs_nearest(name, names, count);
    for (size_t i = 0; i < csv->column_count; i++) {
        if (csv->columns[i].is_required && used < sizeof all) {
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? "," : "",
                                     csv->columns[i].name);
        }
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:%lld: the header has no column '%s'%s%.80s%s. The header of %s names "
                        "%s, in any order.",
                        input_path(csv->input), (long long)csv->line, name,
                        nearest ? " (but '" : "", nearest ? nearest : "", nearest ? "')" : "", what,
                        all);
}

static void note_unused(struct csv *csv, char *const *fields, size_t count)
{
    size_t used = 0;

    for (size_t k = 0; k < count; k++) {
        bool is_used = false;

        for (size_t i = 0; i < csv->column_count; i++) {
            is_used = is_used || csv->places[i] == k;
        }
        if (!is_used && used < sizeof csv->unused) {
            used += (size_t)snprintf(csv->unused + used, sizeof csv->unused - used, "%s%s",
                                     used ? ", " : "", fields[k]);
        }
    }
}

/* Columns that nobody asked for come behind those that were. */
static enum hs_err keep_rest(struct csv *csv, const char *what, char *const *fields, size_t count,
                             struct hs_error *error)
{
    size_t room = CSV_COLUMNS_MAX - csv->column_count;

    for (size_t k = 0; k < count; k++) {
        size_t at = 0;

        while (at < csv->column_count + csv->rest_count && csv->places[at] != k) {
            at++;
        }
        if (at < csv->column_count) {
            continue;
        }
        for (size_t i = 0; i < csv->rest_count; i++) {
            if (strcmp(csv->rest[i], fields[k]) == 0) {
                (void)snprintf(csv->problem, sizeof csv->problem,
                               "the header has the column '%.80s' twice. Remove one of them.",
                               fields[k]);
                return wrong(csv, error, csv->problem);
            }
        }
        if (!*fields[k] || csv->rest_count == room) {
            (void)snprintf(csv->problem, sizeof csv->problem,
                           *fields[k] ? "the header of %s has more than %zu columns. Remove some."
                                      : "the header of %s has a column without a name, number %zu. "
                                        "Give it one, or remove it.",
                           what, *fields[k] ? (size_t)CSV_COLUMNS_MAX : k + 1);
            return wrong(csv, error, csv->problem);
        }
        csv->places[csv->column_count + csv->rest_count] = k;
        csv->rest[csv->rest_count] = strdup(fields[k]);
        if (!csv->rest[csv->rest_count]) {
            return hs_error_memory(error);
        }
        csv->rest_count++;
    }
    return HS_OK;
}

static enum hs_err find_columns(struct csv *csv, const char *what, char *const *fields,
                                size_t count, struct hs_error *error)
{
    for (size_t i = 0; i < csv->column_count; i++) {
        csv->places[i] = NOT_THERE;
        for (size_t k = 0; k < count; k++) {
            if (strcmp(fields[k], csv->columns[i].name) != 0) {
                continue;
            }
            if (csv->places[i] != NOT_THERE) {
                (void)snprintf(csv->problem, sizeof csv->problem,
                               "the header has the column '%s' twice. Remove one of them.",
                               csv->columns[i].name);
                return wrong(csv, error, csv->problem);
            }
            csv->places[i] = k;
        }
        if (csv->places[i] == NOT_THERE && csv->columns[i].is_required) {
            return missing(csv, what, csv->columns[i].name, fields, count, error);
        }
    }
    csv->file_columns = count;
    note_unused(csv, fields, count);
    return HS_OK;
}

static bool is_empty(const char *line)
{
    while (is_blank(*line)) {
        line++;
    }
    return *line == '\0';
}

static enum hs_err header_read(struct csv *csv, const char *what, bool has_rest,
                               struct hs_error *error)
{
    char *fields[FILE_COLUMNS];
    char *line;
    size_t length, count;
    enum hs_err err;

    do {
        err = line_next(csv, &line, &length, error);
    } while (!err && line && length <= LINE_MAX_BYTES && is_empty(line));
    if (err) {
        return err;
    }
    if (!line) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: the file is empty. %s begins with a header.",
                            input_path(csv->input), what);
    }
    if (strlen(line) < length || length > LINE_MAX_BYTES) {
        return wrong(csv, error, "the header is no line of text. Check that this is a CSV file.");
    }
    if (csv->line == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3; /* the mark that some editors put before UTF-8 text */
    }
    if (!split(csv, line, fields, &count)) {
        return wrong(csv, error, csv->problem);
    }
    err = find_columns(csv, what, fields, count, error);
    return err || !has_rest ? err : keep_rest(csv, what, fields, count, error);
}

static enum hs_err open_file(const char *path, struct csv **csv, struct hs_error *error)
{
    struct csv *opened = calloc(1, sizeof *opened);
    enum hs_err err;

    *csv = opened;
    if (!opened) {
        return hs_error_memory(error);
    }
    opened->separator = ',';
    opened->buffer = malloc(BUFFER_CAPACITY + 1);
    err = opened->buffer ? input_open(path, &opened->input, error) : hs_error_memory(error);
    if (err) {
        csv_close(opened);
        *csv = NULL;
    }
    return err;
}

static enum hs_err open_table(const char *path, const char *what, const struct csv_column *columns,
                              size_t column_count, bool has_rest, struct csv **csv,
                              struct hs_error *error)
{
    enum hs_err err;

    HS_ASSERT(column_count <= CSV_COLUMNS_MAX);
    err = open_file(path, csv, error);
    if (err) {
        return err;
    }
    (*csv)->columns = columns;
    (*csv)->column_count = column_count;
    err = header_read(*csv, what, has_rest, error);
    if (err) {
        csv_close(*csv);
        *csv = NULL;
    }
    return err;
}

enum hs_err csv_open(const char *path, const char *what, const struct csv_column *columns,
                     size_t column_count, struct csv **csv, struct hs_error *error)
{
    return open_table(path, what, columns, column_count, false, csv, error);
}

enum hs_err csv_open_rest(const char *path, const char *what, const struct csv_column *columns,
                          size_t column_count, struct csv **csv, struct hs_error *error)
{
    return open_table(path, what, columns, column_count, true, csv, error);
}

enum hs_err csv_open_bare(const char *path, char separator, size_t column_count, struct csv **csv,
                          struct hs_error *error)
{
    enum hs_err err;

    HS_ASSERT(column_count <= CSV_COLUMNS_MAX);
    err = open_file(path, csv, error);
    if (err) {
        return err;
    }
    (*csv)->separator = separator;
    (*csv)->is_bare = true;
    (*csv)->column_count = column_count;
    (*csv)->file_columns = column_count;
    for (size_t i = 0; i < column_count; i++) {
        (*csv)->places[i] = i;
    }
    return HS_OK;
}

static bool row_split(struct csv *csv, char *line, size_t length, struct csv_row *row)
{
    char *fields[FILE_COLUMNS];
    size_t count;

    if (length > LINE_MAX_BYTES || strlen(line) < length) {
        (void)snprintf(csv->problem, sizeof csv->problem,
                       length > LINE_MAX_BYTES ? "longer than %zu bytes" : "a zero byte at %zu",
                       length > LINE_MAX_BYTES ? LINE_MAX_BYTES : strlen(line));
        return false;
    }
    if (!split(csv, line, fields, &count)) {
        return false;
    }
    if (count != csv->file_columns) {
        (void)snprintf(csv->problem, sizeof csv->problem,
                       csv->is_bare ? "%zu field%s; %zu are due"
                                    : "%zu field%s; the header names %zu",
                       count, count == 1 ? "" : "s", csv->file_columns);
        return false;
    }
    for (size_t i = 0; i < csv->column_count + csv->rest_count; i++) {
        row->fields[i] = csv->places[i] == NOT_THERE ? "" : fields[csv->places[i]];
    }
    return true;
}

enum hs_err csv_next(struct csv *csv, struct csv_row *row, bool *has_row, struct hs_error *error)
{
    char *line;
    size_t length = 0;
    enum hs_err err;

    do {
        err = line_next(csv, &line, &length, error);
    } while (!err && line && length <= LINE_MAX_BYTES && strlen(line) == length && is_empty(line));
    *has_row = !err && line;
    if (*has_row) {
        row->line = csv->line;
        row->problem = row_split(csv, line, length, row) ? NULL : csv->problem;
    }
    return err;
}

bool csv_parse_int(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    long long number;

    if (*digits < '0' || *digits > '9') {
        return false;
    }
    errno = 0;
    number = strtoll(text, &end, 10);
    *value = number;
    return errno == 0 && *end == '\0';
}
