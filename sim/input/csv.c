/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv.c - splits lines into fields, in place. */
#include "input/csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"

#define FILE_COLUMNS 256 /* that a file may have */
#define NOT_THERE    SIZE_MAX

struct csv {
    struct lines *lines;
    struct csv_form form;
    const struct csv_column *columns;
    size_t column_count;
    size_t places[CSV_COLUMNS_MAX]; /* number of the column in the file, or NOT_THERE */
    size_t file_columns;            /* 0: without a header, before the first row */
    bool is_bare;                   /* no header, no quotes */
    char *rest[CSV_COLUMNS_MAX];    /* names of the columns that nobody asked for, if they count */
    size_t rest_count;
    char problem[160];
    char unused[160]; /* names of the columns that nobody asked for */
};

void csv_close(struct csv *csv)
{
    if (csv) {
        for (size_t i = 0; i < csv->rest_count; i++) {
            free(csv->rest[i]);
        }
        lines_close(csv->lines);
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
    return lines_progress(csv->lines);
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

/* A blank that is no separator. */
static bool is_padding(char character, char separator)
{
    return is_blank(character) && character != separator;
}

/* Ends the text that lies in [start, end) before the blanks at its end. */
static void trim(char separator, const char *start, char *end)
{
    while (end > start && is_padding(end[-1], separator)) {
        end--;
    }
    *end = '\0';
}

/* A field in quotes from `at`, which is behind the first one: its text stays where it is, without
 * the quotes. *next is behind the blanks that follow; NULL: the quotes are not closed. */
static char *unquoted(char *at, char separator, char **next)
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
    while (is_padding(*at, separator)) {
        at++;
    }
    *to = '\0'; /* not behind `at`: the quote that closes lies between */
    *next = at;
    return text;
}

/* How many fields a line has, 0 for text behind quotes; *is_open: it ends within quotes. The text
 * is left as it is. */
static size_t fields_count(const char *at, char separator, bool *is_open)
{
    size_t count = 1;

    for (;; count++) {
        while (is_padding(*at, separator)) {
            at++;
        }
        *is_open = *at == '"';
        if (*is_open) {
            for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
                at += *at == '"';
            }
            *is_open = *at == '\0';
            at += !*is_open;
            while (is_blank(*at) && *at != separator) {
                at++;
            }
            if (*at && *at != separator) {
                return 0;
            }
        }
        while (*at && *at != separator) {
            at++;
        }
        if (!*at) {
            return count;
        }
        at++;
    }
}

/* A row whose quotes reach over the ends of lines is joined; if that makes no whole row, the line
 * stands alone and so is a bad one, and those behind it are not lost. */
static enum hs_err row_join(struct csv *csv, char **line, size_t *length, struct hs_error *error)
{
    char separator = csv->form.separator;
    bool is_open = false, is_joined = true;
    enum hs_err err = HS_OK;
    size_t count = 0;

    if (*length > LINES_MAX_BYTES || !memchr(*line, '"', *length)) {
        return HS_OK;
    }
    if (fields_count(*line, separator, &is_open) == 0 || !is_open) {
        return HS_OK;
    }
    while (!err && is_open && is_joined) {
        err = lines_join(csv->lines, line, length, &is_joined, error);
        count = fields_count(*line, separator, &is_open);
    }
    if (is_open || count == 0 || (csv->file_columns > 0 && count != csv->file_columns)) {
        lines_part(csv->lines);
        *length = strlen(*line);
    }
    return err;
}

/* Splits a line in place; false with csv->problem. */
static bool split(struct csv *csv, char *at, char *fields[FILE_COLUMNS], size_t *count)
{
    char separator = csv->form.separator;

    for (*count = 0; *count < FILE_COLUMNS;) {
        char *field, *next;
        bool is_last;

        while (is_padding(*at, separator)) {
            at++;
        }
        if (*at == '"' && !csv->is_bare) {
            field = unquoted(at + 1, separator, &next);
            if (!next || (*next != separator && *next != '\0')) {
                (void)snprintf(csv->problem, sizeof csv->problem,
                               "the quotes of field %zu are %s (a quote inside is doubled)",
                               *count + 1, next ? "followed by text" : "not closed in this line");
                return false;
            }
            is_last = *next == '\0';
        } else {
            field = at;
            next = strchrnul(at, separator);
            is_last = *next == '\0';
            trim(separator, field, next);
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
    return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: %s", lines_path(csv->lines),
                        (long long)lines_number(csv->lines), text);
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
                        lines_path(csv->lines), (long long)lines_number(csv->lines), name,
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
        err = lines_next(csv->lines, &line, &length, error);
    } while (!err && line && length <= LINES_MAX_BYTES && is_empty(line));
    if (err) {
        return err;
    }
    if (!line) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: the file is empty; %s begins with a header.",
                            lines_path(csv->lines), what);
    }
    if (strlen(line) < length || length > LINES_MAX_BYTES) {
        return wrong(csv, error, "the header is no line of text. Check that this is a CSV file.");
    }
    if (lines_number(csv->lines) == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3; /* the mark that some editors put before UTF-8 text */
    }
    if (!split(csv, line, fields, &count)) {
        return wrong(csv, error, csv->problem);
    }
    err = find_columns(csv, what, fields, count, error);
    return err || !has_rest ? err : keep_rest(csv, what, fields, count, error);
}

/* Columns by their numbers: "#3". */
static enum hs_err places_read(struct csv *csv, struct hs_error *error)
{
    for (size_t i = 0; i < csv->column_count; i++) {
        const char *name = csv->columns[i].name;
        int64_t number;

        if (*name != '#' || !csv_parse_int(name + 1, &number) || number < 1 ||
            number > FILE_COLUMNS) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: the file has no header, so its columns are called #1 to #%d; "
                                "'%.80s' is none of them.",
                                lines_path(csv->lines), FILE_COLUMNS, name);
        }
        csv->places[i] = (size_t)number - 1;
    }
    return HS_OK;
}

static enum hs_err open_file(const char *path, struct csv **csv, struct hs_error *error)
{
    struct csv *opened = calloc(1, sizeof *opened);
    enum hs_err err;

    *csv = opened;
    if (!opened) {
        return hs_error_memory(error);
    }
    err = lines_open(path, &opened->lines, error);
    if (err) {
        csv_close(opened);
        *csv = NULL;
    }
    return err;
}

static enum hs_err open_table(const char *path, const char *what, const struct csv_form *form,
                              const struct csv_column *columns, size_t column_count, bool has_rest,
                              struct csv **csv, struct hs_error *error)
{
    enum hs_err err;

    HS_ASSERT(column_count <= CSV_COLUMNS_MAX);
    err = open_file(path, csv, error);
    if (err) {
        return err;
    }
    (*csv)->columns = columns;
    (*csv)->column_count = column_count;
    (*csv)->form = *form;
    err = form->is_headless ? places_read(*csv, error) : header_read(*csv, what, has_rest, error);
    if (err) {
        csv_close(*csv);
        *csv = NULL;
    }
    return err;
}

static const struct csv_form plain = {.separator = ','};

enum hs_err csv_open(const char *path, const char *what, const struct csv_column *columns,
                     size_t column_count, struct csv **csv, struct hs_error *error)
{
    return open_table(path, what, &plain, columns, column_count, false, csv, error);
}

enum hs_err csv_open_form(const char *path, const char *what, const struct csv_form *form,
                          const struct csv_column *columns, size_t column_count, struct csv **csv,
                          struct hs_error *error)
{
    return open_table(path, what, form, columns, column_count, false, csv, error);
}

enum hs_err csv_open_rest(const char *path, const char *what, const struct csv_column *columns,
                          size_t column_count, struct csv **csv, struct hs_error *error)
{
    return open_table(path, what, &plain, columns, column_count, true, csv, error);
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
    (*csv)->form = (struct csv_form){.separator = separator};
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

    if (length > LINES_MAX_BYTES || strlen(line) < length) {
        (void)snprintf(csv->problem, sizeof csv->problem,
                       length > LINES_MAX_BYTES ? "longer than %zu bytes" : "a zero byte at %zu",
                       length > LINES_MAX_BYTES ? LINES_MAX_BYTES : strlen(line));
        return false;
    }
    if (!split(csv, line, fields, &count)) {
        return false;
    }
    if (csv->file_columns == 0) {
        csv->file_columns = count;
    }
    if (count != csv->file_columns && csv->form.is_headless) {
        (void)snprintf(csv->problem, sizeof csv->problem, "%zu field%s; the first row has %zu",
                       count, count == 1 ? "" : "s", csv->file_columns);
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
        if (csv->places[i] != NOT_THERE && csv->places[i] >= count) {
            (void)snprintf(csv->problem, sizeof csv->problem,
                           "%zu fields, and column %s is asked for", count, csv->columns[i].name);
            return false;
        }
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
        err = lines_next(csv->lines, &line, &length, error);
    } while (!err && line && length <= LINES_MAX_BYTES && strlen(line) == length && is_empty(line));
    *has_row = !err && line;
    if (*has_row && csv->form.is_multiline) {
        err = row_join(csv, &line, &length, error);
        *has_row = !err;
    }
    if (*has_row) {
        bool has_mark = (csv->form.is_headless || csv->is_bare) && lines_number(csv->lines) == 1 &&
                        strncmp(line, "\xEF\xBB\xBF", 3) == 0;

        line += has_mark ? 3 : 0;
        length -= has_mark ? 3 : 0;
        row->line = lines_number(csv->lines);
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
