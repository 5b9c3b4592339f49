/* SPDX-License-Identifier: GPL-3.0-or-later */
/* etc.c - reads ETC matrices word by word. */
#include "map/etc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "text/report.h"
#include "text/units.h"

#define BYTES_CAPACITY ((size_t)64 * 1024)
#define WORD_MAX       400               /* bytes of a word; a double needs no more */
#define ENDLESS_MIN    ((size_t)1 << 20) /* bytes of a word after which nobody waits for its end */
#define ROOM_MIN       1024

/* The file as words and line ends. */
struct scan {
    struct input *input;
    char bytes[BYTES_CAPACITY];
    size_t at, end;
    int64_t line, column;           /* of the next byte, from 1 */
    int64_t word_line, word_column; /* of the word */
    char word[WORD_MAX];
    size_t word_bytes; /* > WORD_MAX - 1: the rest is cut */
};

enum token { TOKEN_WORD, TOKEN_COMMA, TOKEN_LINE, TOKEN_END };

/* What is known of the matrix while it is read. */
struct reading {
    struct scan scan;
    struct map_etc *etc;
    struct hs_error *error;
    uint64_t cell_count, room;
    uint64_t wanted;         /* cells; 0: not known */
    uint64_t beyond;         /* words behind the last cell */
    int64_t first_beyond[2]; /* line and column of the first of them */
};

static enum hs_err peek(struct scan *scan, int *byte, struct hs_error *error)
{
    if (scan->at == scan->end) {
        enum hs_err err =
            input_read(scan->input, scan->bytes, sizeof scan->bytes, &scan->end, error);

        scan->at = 0;
        if (err != HS_OK) {
            scan->end = 0;
            return err;
        }
    }
    *byte = scan->end ? (unsigned char)scan->bytes[scan->at] : EOF;
    return HS_OK;
}

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static enum hs_err read_word(struct scan *scan, struct hs_error *error)
{
    enum hs_err err;
    int byte;

    scan->word_line = scan->line;
    scan->word_column = scan->column;
    scan->word_bytes = 0;
    while ((err = peek(scan, &byte, error)) == HS_OK) {
        if (byte == EOF || byte == '\n' || byte == ',' || is_blank(byte)) {
            break;
        }
        if (scan->word_bytes == ENDLESS_MIN) {
            return hs_error_set(
                error, HS_ERR_INPUT,
                "%s:%" PRId64 ":%" PRId64 ": a word of more than %zu bytes. Check that "
                "this is a matrix of times.",
                input_path(scan->input), scan->word_line, scan->word_column, ENDLESS_MIN);
        }
        if (scan->word_bytes < WORD_MAX - 1) {
            scan->word[scan->word_bytes] = byte ? (char)byte : '?';
        }
        scan->word_bytes++;
        scan->at++;
        scan->column++;
    }
    scan->word[scan->word_bytes < WORD_MAX - 1 ? scan->word_bytes : WORD_MAX - 1] = '\0';
    return err;
}

static enum hs_err next_token(struct scan *scan, enum token *token, struct hs_error *error)
{
    enum hs_err err;
    int byte;

    while ((err = peek(scan, &byte, error)) == HS_OK && is_blank(byte)) {
        scan->at++;
        scan->column++;
    }
    if (err != HS_OK) {
        return err;
    }
    switch (byte) {
    case EOF:
        *token = TOKEN_END;
        return HS_OK;
    case '\n':
        scan->at++;
        scan->line++;
        scan->column = 1;
        *token = TOKEN_LINE;
        return HS_OK;
    case ',':
        scan->at++;
        scan->column++;
        *token = TOKEN_COMMA;
        return HS_OK;
    default:
        *token = TOKEN_WORD;
        return read_word(scan, error);
    }
}

/* "PATH:LINE:COLUMN: " and the rest, at the word. */
#define WORD_FORMAT(text) "%s:%" PRId64 ":%" PRId64 ": " text
#define WORD_PLACE(reading)                                                                        \
    input_path((reading)->scan.input), (reading)->scan.word_line, (reading)->scan.word_column

static enum hs_err cell_add(struct reading *reading, double time_s)
{
    struct map_etc *etc = reading->etc;

    if (reading->cell_count == reading->room) {
        uint64_t room = reading->room ? reading->room * 2 : ROOM_MIN;
        double *moved = realloc(etc->times_s, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(reading->error);
        }
        etc->times_s = moved;
        reading->room = room;
    }
    etc->times_s[reading->cell_count++] = time_s;
    return HS_OK;
}

/* The word is a time. */
static enum hs_err cell_read(struct reading *reading)
{
    const struct scan *scan = &reading->scan;
    double time_s;

    if (reading->cell_count == MAP_CELLS_MAX) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            WORD_FORMAT("more than %" PRIu64 " times are too many."),
                            WORD_PLACE(reading), MAP_CELLS_MAX);
    }
    if (strcmp(scan->word, "-") == 0) {
        return cell_add(reading, INFINITY);
    }
    if (scan->word_bytes >= WORD_MAX || !text_units_parse_double(scan->word, &time_s)) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            WORD_FORMAT("'%s' is no time. A number of seconds is due, or `-` where "
                                        "the machine cannot run the task."),
                            WORD_PLACE(reading), REPORT_CLIP(scan->word));
    }
    if (time_s < 0 || time_s > MAP_TIME_MAX_S) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            WORD_FORMAT("the time %s is %s. It must be from 0 to %g seconds."),
                            WORD_PLACE(reading), REPORT_CLIP(scan->word),
                            time_s < 0 ? "negative" : "too large", MAP_TIME_MAX_S);
    }
    return cell_add(reading, fabs(time_s)); /* -0 is 0 */
}

/* A count of the first line, which is the word. */
static enum hs_err count_read(struct reading *reading, const char *what, uint32_t *count)
{
    bool is_number;
    int64_t value;
    bool is_exact = text_units_parse_int(reading->scan.word, &value, &is_number);

    if (!is_number) {
        return hs_error_set(
            reading->error, HS_ERR_INPUT,
            WORD_FORMAT("'%s' is no number of %s. The first line is `TASKS MACHINES`, "
                        "two whole numbers; the times begin in the second."),
            WORD_PLACE(reading), REPORT_CLIP(reading->scan.word), what);
    }
    if (!is_exact || value < 1 || value > (int64_t)MAP_CELLS_MAX) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            WORD_FORMAT("%s %s are not possible; from 1 to %" PRIu64 " are."),
                            WORD_PLACE(reading), REPORT_CLIP(reading->scan.word), what,
                            MAP_CELLS_MAX);
    }
    *count = (uint32_t)value;
    return HS_OK;
}

/* The rest of the first line behind the number of tasks, which is the word. */
static enum hs_err header_read(struct reading *reading)
{
    struct map_etc *etc = reading->etc;
    enum token token;
    enum hs_err err = count_read(reading, "tasks", &etc->task_count);

    if (err == HS_OK) {
        err = next_token(&reading->scan, &token, reading->error);
    }
    if (err == HS_OK && token != TOKEN_WORD) {
        return hs_error_set(
            reading->error, HS_ERR_INPUT,
            WORD_FORMAT("the number of machines is missing. The first line is `TASKS "
                        "MACHINES`, two whole numbers; a CSV file has a comma in it."),
            WORD_PLACE(reading));
    }
    if (err == HS_OK) {
        err = count_read(reading, "machines", &etc->machine_count);
    }
    if (err != HS_OK) {
        return err;
    }
    reading->wanted = (uint64_t)etc->task_count * etc->machine_count;
    if (reading->wanted > MAP_CELLS_MAX) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            WORD_FORMAT("%" PRIu32 " tasks on %" PRIu32
                                        " machines are too many; %" PRIu64 " times are allowed."),
                            WORD_PLACE(reading), etc->task_count, etc->machine_count,
                            MAP_CELLS_MAX);
    }
    do {
        err = next_token(&reading->scan, &token, reading->error);
    } while (err == HS_OK && token != TOKEN_LINE && token != TOKEN_END);
    return err;
}

static enum hs_err size_check(struct reading *reading)
{
    const struct map_etc *etc = reading->etc;
    const char *path = input_path(reading->scan.input);

    if (reading->beyond) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            "%s:%" PRId64 ":%" PRId64
                            ": here times begin that are too many: the file "
                            "has %" PRIu64 ", but its first line tells %" PRIu64 " (%" PRIu32
                            " tasks on %" PRIu32 " machines).",
                            path, reading->first_beyond[0], reading->first_beyond[1],
                            reading->cell_count + reading->beyond, reading->wanted, etc->task_count,
                            etc->machine_count);
    }
    if (reading->cell_count < reading->wanted) {
        return hs_error_set(
            reading->error, HS_ERR_INPUT,
            "%s:%" PRId64 ":%" PRId64 ": the file ends behind %" PRIu64
            " times, but its first line tells %" PRIu64 " (%" PRIu32 " tasks on %" PRIu32
            " machines); from machine %" PRIu64 " of task %" PRIu64 " on, counted from "
            "0, they are missing.",
            path, reading->scan.line, reading->scan.column, reading->cell_count, reading->wanted,
            etc->task_count, etc->machine_count, reading->cell_count % etc->machine_count,
            reading->cell_count / etc->machine_count);
    }
    return HS_OK;
}

/* Times behind the first line. */
static enum hs_err list_read(struct reading *reading)
{
    for (;;) {
        enum token token;
        enum hs_err err = next_token(&reading->scan, &token, reading->error);

        if (err != HS_OK) {
            return err;
        }
        if (token == TOKEN_END) {
            return size_check(reading);
        }
        if (token == TOKEN_COMMA) {
            return hs_error_set(
                reading->error, HS_ERR_INPUT,
                "%s:%" PRId64 ":%" PRId64 ": a comma. Blanks or line ends stand between "
                "the times; a CSV file has no line with the numbers of tasks and "
                "machines.",
                input_path(reading->scan.input), reading->scan.line, reading->scan.column - 1);
        }
        if (token == TOKEN_WORD && reading->cell_count == reading->wanted) {
            if (!reading->beyond++) {
                reading->first_beyond[0] = reading->scan.word_line;
                reading->first_beyond[1] = reading->scan.word_column;
            }
        } else if (token == TOKEN_WORD) {
            err = cell_read(reading);
            if (err != HS_OK) {
                return err;
            }
        }
    }
}

/* A line of a CSV file ends: it has as many fields as the first. */
static enum hs_err csv_line_end(struct reading *reading, uint64_t fields, int64_t line)
{
    struct map_etc *etc = reading->etc;

    if (fields > UINT32_MAX || (etc->machine_count && fields != etc->machine_count)) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the line has %" PRIu64 " times; the first has %" PRIu32
                            ", one for each machine.",
                            input_path(reading->scan.input), line, fields, etc->machine_count);
    }
    etc->machine_count = (uint32_t)fields;
    return HS_OK;
}

/* The word is the name of a machine. A number among names is rather a time, and another
 * word of its line is misspelt: such a line must not be lost as one of names. */
static enum hs_err name_check(const struct reading *reading)
{
    char *end;

    /* The library also takes nan, inf and hexadecimal numbers, which are no times. */
    (void)strtod(reading->scan.word, &end);
    if (*end && strcmp(reading->scan.word, "-") != 0) {
        return HS_OK;
    }
    return hs_error_set(reading->error, HS_ERR_INPUT,
                        WORD_FORMAT("'%s' is no name of a machine, but the line does not begin "
                                    "with a time. Correct the times, or give all machines names."),
                        WORD_PLACE(reading), REPORT_CLIP(reading->scan.word));
}

/* One line of a CSV file; `token` is its first token. *fields 0: it is empty. */
static enum hs_err csv_line_read(struct reading *reading, enum token *token, bool is_names,
                                 uint64_t *fields)
{
    bool is_due = true; /* a time, not a comma */
    unsigned words = 0; /* of a name */

    *fields = 0;
    while (*token != TOKEN_LINE && *token != TOKEN_END) {
        enum hs_err err = HS_OK;

        if (*token == TOKEN_WORD && (is_due || is_names)) {
            *fields += is_due;
            words = is_due ? 1 : words + 1;
            err = is_names ? HS_OK : cell_read(reading);
        } else if ((*token == TOKEN_COMMA) == is_due) {
            return hs_error_set(reading->error, HS_ERR_INPUT,
                                "%s:%" PRId64 ":%" PRId64
                                ": a %s is missing here. Write `-` where the "
                                "machine cannot run the task.",
                                input_path(reading->scan.input), reading->scan.line,
                                reading->scan.column, is_due ? "time" : "comma");
        }
        is_due = *token == TOKEN_COMMA;
        if (err == HS_OK) {
            err = next_token(&reading->scan, token, reading->error);
        }
        if (err == HS_OK && is_names && !is_due && words == 1 && *token != TOKEN_WORD) {
            err = name_check(reading);
        }
        if (err != HS_OK) {
            return err;
        }
    }
    if (is_due && *fields) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the line ends with a comma; a time is missing.",
                            input_path(reading->scan.input),
                            reading->scan.line - (*token == TOKEN_LINE));
    }
    return HS_OK;
}

/* A CSV file; the first word of its first line has been read. */
static enum hs_err csv_read(struct reading *reading)
{
    enum token token = TOKEN_WORD;
    double number;
    bool is_names = strcmp(reading->scan.word, "-") != 0 &&
                    !text_units_parse_double(reading->scan.word, &number);

    for (;;) {
        uint64_t fields;
        int64_t line = reading->scan.line;
        enum hs_err err = csv_line_read(reading, &token, is_names, &fields);

        if (err == HS_OK && fields) {
            err = csv_line_end(reading, fields, line);
        }
        if (err != HS_OK) {
            return err;
        }
        if (token == TOKEN_END) {
            break;
        }
        is_names = false;
        err = next_token(&reading->scan, &token, reading->error);
        if (err != HS_OK) {
            return err;
        }
    }
    if (reading->cell_count == 0) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            "%s: no line has times; a line for each task is due.",
                            input_path(reading->scan.input));
    }
    reading->etc->task_count = (uint32_t)(reading->cell_count / reading->etc->machine_count);
    return HS_OK;
}

/* Fills the buffer, so that the first line, or enough of it, can be looked at. */
static enum hs_err first_bytes_read(struct scan *scan, struct hs_error *error)
{
    size_t length = 1;

    while (length && scan->end < sizeof scan->bytes) {
        enum hs_err err = input_read(scan->input, &scan->bytes[scan->end],
                                     sizeof scan->bytes - scan->end, &length, error);

        if (err != HS_OK) {
            return err;
        }
        scan->end += length;
    }
    if (scan->end >= 3 && memcmp(scan->bytes, "\xEF\xBB\xBF", 3) == 0) {
        scan->at = 3; /* the mark that some editors put before UTF-8 text */
    }
    return HS_OK;
}

/* Is there a comma in the rest of the line? */
static bool line_has_comma(const struct scan *scan)
{
    const char *rest = &scan->bytes[scan->at];
    const char *end = memchr(rest, '\n', scan->end - scan->at);

    return memchr(rest, ',', end ? (size_t)(end - rest) : scan->end - scan->at) != NULL;
}

static enum hs_err all_read(struct reading *reading)
{
    enum token token;
    enum hs_err err;

    err = first_bytes_read(&reading->scan, reading->error);
    do {
        err = err == HS_OK ? next_token(&reading->scan, &token, reading->error) : err;
    } while (err == HS_OK && token == TOKEN_LINE);
    if (err != HS_OK) {
        return err;
    }
    if (token != TOKEN_WORD) {
        return hs_error_set(reading->error, HS_ERR_INPUT,
                            "%s:%" PRId64
                            ": there is no matrix. The first line is `TASKS MACHINES`, or "
                            "the times of the first task with commas between them.",
                            input_path(reading->scan.input), reading->scan.line);
    }
    if (line_has_comma(&reading->scan)) {
        return csv_read(reading);
    }
    err = header_read(reading);
    return err == HS_OK ? list_read(reading) : err;
}

static enum hs_err rows_check(const char *path, const struct map_etc *etc, struct hs_error *error)
{
    for (uint32_t task = 0; task < etc->task_count; task++) {
        const double *times_s = &etc->times_s[(size_t)task * etc->machine_count];
        uint32_t machine = 0;

        while (machine < etc->machine_count && isinf(times_s[machine])) {
            machine++;
        }
        if (machine == etc->machine_count) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: no machine can run task %" PRIu32
                                ", counted from 0: all its times "
                                "are `-`. Give it a time, or leave the task out.",
                                path, task);
        }
    }
    return HS_OK;
}

enum hs_err map_etc_read(const char *path, struct map_etc *etc, struct hs_error *error)
{
    struct reading *reading = calloc(1, sizeof *reading);
    enum hs_err err;

    *etc = (struct map_etc){0};
    if (!reading) {
        return hs_error_memory(error);
    }
    reading->etc = etc;
    reading->error = error;
    reading->scan.line = reading->scan.column = 1;
    err = input_open(path, &reading->scan.input, error);
    if (err == HS_OK) {
        err = all_read(reading);
    }
    if (err == HS_OK) {
        err = rows_check(path, etc, error);
    }
    input_close(reading->scan.input);
    free(reading);
    if (err != HS_OK) {
        map_etc_fini(etc);
    }
    return err;
}

void map_etc_write(const struct map_etc *etc, FILE *file)
{
    size_t count = (size_t)etc->task_count * etc->machine_count;
    char text[UNITS_TEXT_MAX];

    (void)fprintf(file, "%" PRIu32 " %" PRIu32 "\n", etc->task_count, etc->machine_count);
    for (size_t i = 0; i < count; i++) {
        if (isinf(etc->times_s[i])) {
            (void)fputs("-\n", file);
        } else {
            text_units_format_double(etc->times_s[i], text);
            (void)fprintf(file, "%s\n", text);
        }
    }
}

void map_etc_fini(struct map_etc *etc)
{
    free(etc->times_s);
    *etc = (struct map_etc){0};
}
