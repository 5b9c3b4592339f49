/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swf_read.c - splits SWF text into rows and rows into numbers.
 *
 * Whole numbers, nearly all of a trace, take a short path; whatever else stands in a field goes
 * through swf_number. The bytes in the buffer are always followed by newlines, so no loop over a
 * line checks for the end of the buffer, and a word of eight bytes can be loaded at any of them. */
#include "workload/swf.h"

#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "workload/source.h"
#include "workload/tally.h"

#define BUFFER_CAPACITY  ((size_t)256 * 1024)
#define BUFFER_MARGIN    sizeof(uint64_t) /* for the newlines behind the last byte */
#define LINE_MAX_BYTES   ((size_t)64 * 1024)
#define HEADER_MAX       ((size_t)8 * 1024)
#define BINARY_PROBE     ((size_t)4096)
#define PLAIN_DIGITS_MAX 18     /* so many always fit 64 bits */
#define MISSING_TEXT     0x312D /* "-1", the first character lowest */
#define FIELDS_MIN       17     /* think time may be left out */
#define MEM_MAX_KB       (INT64_MAX / 1024)

enum field_kind {
    KIND_ID,     /* whole, 0 or more */
    KIND_SUBMIT, /* a time, 0 or more */
    KIND_TIME,   /* a time; negative: missing */
    KIND_WHOLE,  /* whole; -1: missing */
    KIND_COUNT,  /* whole, fits 31 bits; negative: none */
    KIND_SMALL,  /* whole, fits 31 bits */
    KIND_LOOSE,  /* a time not needed for a replay: too large is as good as missing */
    KIND_MEM,    /* KB: rounded up; too large is as good as missing */
};

/* A whole number from 0 to `plain_max` is the value once it is multiplied by `unit`; all others go
 * through field_finish. */
static const struct {
    enum field_kind kind;
    const char *name;
    uint64_t plain_max;
    int64_t unit;
} fields[SWF_FIELD_COUNT] = {
    [SWF_ID] = {KIND_ID, "job number", INT64_MAX, 1},
    [SWF_SUBMIT] = {KIND_SUBMIT, "submit time", SWF_SUBMIT_MAX_S, HS_NS_PER_S},
    [SWF_WAIT] = {KIND_TIME, "wait time", SWF_TIME_MAX_S, HS_NS_PER_S},
    [SWF_RUN] = {KIND_TIME, "run time", SWF_TIME_MAX_S, HS_NS_PER_S},
    [SWF_PROCS_USED] = {KIND_COUNT, "allocated processors", INT32_MAX, 1},
    [SWF_CPU_TIME] = {KIND_LOOSE, "average CPU time", SWF_TIME_MAX_S, HS_NS_PER_S},
    [SWF_MEM_USED] = {KIND_MEM, "used memory", MEM_MAX_KB, 1},
    [SWF_PROCS] = {KIND_COUNT, "requested processors", INT32_MAX, 1},
    [SWF_WALLTIME] = {KIND_TIME, "requested time", SWF_TIME_MAX_S, HS_NS_PER_S},
    [SWF_MEM] = {KIND_MEM, "requested memory", MEM_MAX_KB, 1},
    [SWF_STATUS] = {KIND_SMALL, "status", INT32_MAX, 1},
    [SWF_USER] = {KIND_SMALL, "user", INT32_MAX, 1},
    [SWF_GROUP] = {KIND_SMALL, "group", INT32_MAX, 1},
    [SWF_EXECUTABLE] = {KIND_WHOLE, "executable", INT64_MAX, 1},
    [SWF_QUEUE] = {KIND_SMALL, "queue", INT32_MAX, 1},
    [SWF_PARTITION] = {KIND_SMALL, "partition", INT32_MAX, 1},
    [SWF_PRECEDING] = {KIND_WHOLE, "preceding job", INT64_MAX, 1},
    [SWF_THINK] = {KIND_LOOSE, "think time", SWF_TIME_MAX_S, HS_NS_PER_S},
};

struct swf_reader {
    struct input *input;
    struct workload_stats *stats;
    char *buffer;
    size_t start, end; /* bytes not used yet */
    bool is_strict;
    bool at_end;
    bool is_skipping;   /* inside a line that is too long */
    bool lacks_newline; /* the line handed out last ended with the file */
    bool has_full_row;  /* a row with 18 fields was seen */
    size_t header_length;
    char header[HEADER_MAX + 1];
};

/* Why a row cannot be read. */
struct row_problem {
    char text[96];
};

const char *swf_field_name(enum swf_field field)
{
    return fields[field].name;
}

const char *swf_reader_header(const struct swf_reader *reader)
{
    return reader->header;
}

/* Reads more behind what is left. */
static enum hs_err buffer_fill(struct swf_reader *reader, struct hs_error *error)
{
    size_t length = 0;
    enum hs_err err;

    if (reader->start > 0) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    err = input_read(reader->input, reader->buffer + reader->end, BUFFER_CAPACITY - reader->end,
                     &length, error);
    reader->end += length;
    memset(reader->buffer + reader->end, '\n', BUFFER_MARGIN); /* ends every loop over a line */
    reader->at_end = !err && length == 0;
    return err;
}

/* Passes over the rest of a line of which the beginning was handed out as too long. */
static enum hs_err line_skip(struct swf_reader *reader, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    while (!err && reader->is_skipping) {
        size_t length = reader->end - reader->start;
        char *newline = memchr(reader->buffer + reader->start, '\n', length);

        if (newline) {
            reader->start = (size_t)(newline - reader->buffer) + 1;
            reader->is_skipping = false;
        } else {
            reader->start = reader->end;
            reader->is_skipping = !reader->at_end;
            if (!reader->at_end) {
                err = buffer_fill(reader, error);
            }
        }
    }
    return err;
}

/* The next line, ending with a newline; *line NULL at the end of the file. Of a line beyond the
 * limit only *is_long is of interest. */
static enum hs_err line_next(struct swf_reader *reader, char **line, bool *is_long,
                             struct hs_error *error)
{
    enum hs_err err = reader->is_skipping ? line_skip(reader, error) : HS_OK;

    *line = NULL;
    *is_long = false;
    while (!err) {
        char *start = reader->buffer + reader->start;
        size_t length = reader->end - reader->start;
        char *newline = memchr(start, '\n', length);

        if (newline) {
            *line = start;
            *is_long = (size_t)(newline - start) > LINE_MAX_BYTES;
            reader->start += (size_t)(newline - start) + 1;
            return HS_OK;
        }
        if (length > LINE_MAX_BYTES) {
            *line = start;
            *is_long = true;
            reader->is_skipping = true;
            return HS_OK;
        }
        if (reader->at_end) {
            if (length > 0) {
                *line = start;
                reader->start = reader->end;
                reader->lacks_newline = true;
            }
            return HS_OK;
        }
        err = buffer_fill(reader, error);
    }
    return err;
}

static inline bool is_blank(char character)
{
    /* One comparison suffices for digits and signs. */
    return (unsigned char)character <= ' ' &&
           (character == ' ' || character == '\t' || character == '\r');
}

/* Copies the word at `text` for a message: at most 20 characters, only printable ones. */
static void word_copy(const char *text, char word[24])
{
    size_t length = 0;

    for (; !is_blank(text[length]) && text[length] != '\n' && length < 20; length++) {
        word[length] = isprint((unsigned char)text[length]) ? text[length] : '?';
    }
    word[length] = '\0';
    if (length == 20) {
        memcpy(word + 20, "...", 4);
    }
}

static bool problem_word(struct row_problem *problem, int field, const char *text, const char *due)
{
    char word[24];

    word_copy(text, word);
    (void)snprintf(problem->text, sizeof problem->text, "field %d (%s) is '%s'; %s", field + 1,
                   fields[field].name, word, due);
    return false;
}

/* Everything that is no plain whole number: decimals, exponents, signs, nonsense. The value comes
 * in the unit of the record. */
static bool field_slow(const char **text, int field, int64_t *value, struct row_problem *problem)
{
    static const int scales[] = {
        [KIND_ID] = 0,    [KIND_SUBMIT] = 9, [KIND_TIME] = 9,  [KIND_WHOLE] = 0,
        [KIND_COUNT] = 0, [KIND_SMALL] = 0,  [KIND_LOOSE] = 9, [KIND_MEM] = 0};
    enum field_kind kind = fields[field].kind;
    const char *at = *text;
    bool is_exact, is_huge;

    if (!swf_number(&at, scales[kind], value, &is_exact, &is_huge)) {
        if (!is_huge) {
            return problem_word(problem, field, *text, "a number is due");
        }
        if (kind != KIND_LOOSE && kind != KIND_MEM) {
            return problem_word(problem, field, *text, "that is too large");
        }
        *value = -1;
        for (at = *text; !is_blank(*at) && *at != '\n'; at++) {
        }
        *text = at;
        return true;
    }
    if (!is_blank(*at) && *at != '\n') {
        return problem_word(problem, field, *text, "a number is due");
    }
    if (!is_exact && scales[kind] == 0 && kind != KIND_MEM) {
        return problem_word(problem, field, *text, "a whole number is due");
    }
    *text = at;
    return true;
}

/* Checks ranges and turns seconds into ns, unless the slow path has done so (`is_scaled`). */
static bool field_finish(int field, int64_t *value, bool is_scaled)
{
    int64_t number = *value;

    switch (fields[field].kind) {
    case KIND_ID:
        return number >= 0;
    case KIND_SUBMIT:
        if (number < 0 || number > (is_scaled ? SWF_SUBMIT_MAX_NS : SWF_SUBMIT_MAX_S)) {
            return false;
        }
        *value = is_scaled ? number : number * HS_NS_PER_S;
        return true;
    case KIND_TIME:
        if (number > (is_scaled ? SWF_TIME_MAX_NS : SWF_TIME_MAX_S)) {
            return false;
        }
        *value = number < 0 ? -1 : is_scaled ? number : number * HS_NS_PER_S;
        return true;
    case KIND_LOOSE:
        if (number < 0 || number > (is_scaled ? SWF_TIME_MAX_NS : SWF_TIME_MAX_S)) {
            *value = -1;
        } else {
            *value = is_scaled ? number : number * HS_NS_PER_S;
        }
        return true;
    case KIND_WHOLE:
        return true;
    case KIND_COUNT:
        *value = number < 0 ? -1 : number;
        return number <= INT32_MAX;
    case KIND_SMALL:
        return number >= INT32_MIN && number <= INT32_MAX;
    case KIND_MEM:
        *value = number < 0 || number > MEM_MAX_KB ? -1 : number;
        return true;
    }
    return false;
}

static bool problem_range(struct row_problem *problem, int field, const char *text)
{
    enum field_kind kind = fields[field].kind;

    if (*text == '-' && (kind == KIND_ID || kind == KIND_SUBMIT)) {
        return problem_word(problem, field, text, "0 or more is due");
    }
    if (kind == KIND_SUBMIT) {
        return problem_word(problem, field, text, "at most 6000000000 s is due");
    }
    if (kind == KIND_TIME) {
        return problem_word(problem, field, text, "at most 3000000000 s is due");
    }
    return problem_word(problem, field, text, "at most 2147483647 is due");
}

/* A field that is not a whole number in the plain range. */
static bool field_special(const char **text, int field, int64_t *value, struct row_problem *problem)
{
    const char *word = *text;
    const char *digits = word + (*word == '-');
    const char *at;
    int64_t number = 0;
    bool is_scaled = false;

    for (at = digits; (unsigned)(*at - '0') < 10u; at++) {
        number = (int64_t)((uint64_t)number * 10 + (uint64_t)(*at - '0'));
    }
    if (at > digits && at - digits <= 18 && (is_blank(*at) || *at == '\n')) {
        number = digits > word ? -number : number;
    } else {
        at = word;
        if (!field_slow(&at, field, &number, problem)) {
            return false;
        }
        is_scaled = true;
    }
    if (!field_finish(field, &number, is_scaled)) {
        return problem_range(problem, field, word);
    }
    *text = at;
    *value = number;
    return true;
}

/* The row has `count` fields and ends at `end`: is that all? */
static bool row_complete(struct swf_reader *reader, int count, const char *end,
                         struct swf_record *record, struct row_problem *problem)
{
    if (count < FIELDS_MIN || *end != '\n') {
        (void)snprintf(problem->text, sizeof problem->text,
                       *end != '\n' ? "more than %d fields; %d are due" : "%d fields; %d are due",
                       count, SWF_FIELD_COUNT);
        return false;
    }
    if (count == SWF_FIELD_COUNT) {
        reader->has_full_row = true;
        return true;
    }
    if (reader->lacks_newline && reader->has_full_row) {
        (void)snprintf(problem->text, sizeof problem->text,
                       "the file ends in the middle of this row (%d fields, no newline)", count);
        return false;
    }
    record->value[SWF_THINK] = -1;
    return true;
}

/* Eight bytes, the first one lowest. */
static inline uint64_t word_load(const char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof word);
    return le64toh(word);
}

/* How many of the eight characters are digits, before the first that is none; *value becomes their
 * number. Without a loop, whose end no processor can foresee: lengths of numbers vary. */
static inline unsigned digits_read(uint64_t word, uint64_t *value)
{
    uint64_t digits = word ^ UINT64_C(0x3030303030303030); /* bytes from 0 to 9, if they are */
    uint64_t others = ((digits + UINT64_C(0x7676767676767676)) | digits) &
                      UINT64_C(0x8080808080808080); /* right up to the first that is set */
    unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;

    if (count == 0) {
        *value = 0;
        return 0;
    }
    digits <<= 64 - 8 * count; /* zeros come in front */
    digits = (digits * 10 + (digits >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
    digits = (digits * 100 + (digits >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
    *value = (digits * 10000 + (digits >> 32)) & UINT64_C(0xFFFFFFFF);
    return count;
}

/* Splits a row. `line` ends with a newline. */
static bool row_parse(struct swf_reader *reader, const char *line, struct swf_record *record,
                      struct row_problem *problem)
{
    const char *at = line;
    int count = 0;

    for (;; count++) {
        const char *word;
        uint64_t text, value;

        while (is_blank(*at)) {
            at++;
        }
        if (*at == '\n' || count == SWF_FIELD_COUNT) {
            break;
        }
        text = word_load(at);
        if ((text & 0xFFFF) == MISSING_TEXT && (at[2] == ' ' || at[2] == '\n') &&
            count > SWF_SUBMIT) {
            record->value[count] = -1; /* whatever the field */
            at += 2;
            continue;
        }
        word = at;
        at += digits_read(text, &value);
        for (; (unsigned)(*at - '0') < 10u; at++) {
            value = value * 10 + (uint64_t)(*at - '0');
        }
        if (*at == ' ' && (uintptr_t)(at - word) - 1 < PLAIN_DIGITS_MAX &&
            value <= fields[count].plain_max) {
            record->value[count] = (int64_t)value * fields[count].unit;
            at++;
            continue;
        }
        at = word;
        if (!field_special(&at, count, &record->value[count], problem)) {
            return false;
        }
    }
    return row_complete(reader, count, at, record, problem);
}

/* "; MaxProcs: 256" and the like. */
static void header_line(struct swf_reader *reader, const char *line)
{
    static const char *const keys[] = {"MaxProcs", "MaxNodes", "UnixStartTime"};
    struct workload_stats *stats = reader->stats;
    int64_t *values[] = {&stats->header_max_procs, &stats->header_max_nodes, &stats->epoch_unix};
    size_t length = (size_t)(strchr(line, '\n') - line) + 1;

    if (stats->records == 0 && reader->header_length + length <= HEADER_MAX) {
        memcpy(reader->header + reader->header_length, line, length);
        reader->header_length += length;
        reader->header[reader->header_length] = '\0';
    }
    while (*line == ';' || is_blank(*line)) {
        line++;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t key_length = strlen(keys[i]);
        bool is_exact, is_huge;
        int64_t value;

        if (strncmp(line, keys[i], key_length) != 0) {
            continue;
        }
        for (line += key_length; is_blank(*line) || *line == ':'; line++) {
        }
        if (swf_number(&line, 0, &value, &is_exact, &is_huge) && is_exact && value >= 0) {
            *values[i] = value;
        }
        return;
    }
}

static enum hs_err row_bad(struct swf_reader *reader, const struct row_problem *problem,
                           int64_t trace_id, struct hs_error *error)
{
    return workload_tally_bad_row(&reader->stats->bad, reader->is_strict, input_path(reader->input),
                                  reader->stats->lines, trace_id, problem->text, error);
}

enum hs_err swf_reader_next(struct swf_reader *reader, struct swf_record *record, bool *has_record,
                            struct hs_error *error)
{
    struct workload_stats *stats = reader->stats;

    for (;;) {
        struct row_problem problem;
        bool is_long;
        char *line;
        enum hs_err err = line_next(reader, &line, &is_long, error);

        *has_record = false;
        if (err || !line) {
            return err;
        }
        stats->lines++;
        while (is_blank(*line)) {
            line++;
        }
        if (*line == ';' || *line == '#') {
            if (!is_long) {
                header_line(reader, line);
            }
            continue;
        }
        if (*line == '\n' && !is_long) {
            continue;
        }
        stats->records++;
        record->value[SWF_ID] = -1;
        if (is_long) {
            (void)snprintf(problem.text, sizeof problem.text,
                           "longer than %zu bytes; a row has %d numbers", LINE_MAX_BYTES,
                           SWF_FIELD_COUNT);
        } else if (row_parse(reader, line, record, &problem)) {
            record->line = stats->lines;
            *has_record = true;
            return HS_OK;
        }
        err = row_bad(reader, &problem, record->value[SWF_ID], error);
        if (err) {
            return err;
        }
    }
}

/* Whether the first line ends with a carriage return alone. */
static bool has_bare_returns(const char *text, size_t length)
{
    const char *end = memchr(text, '\r', length);
    const char *newline = memchr(text, '\n', length);
    size_t after = end ? (size_t)(end - text) + 1 : length;

    return end && !(newline && newline < end) && after < length && text[after] != '\n' &&
           text[after] != '\r';
}

static enum hs_err text_probe(struct swf_reader *reader, struct hs_error *error)
{
    const char *path = input_path(reader->input);
    size_t length = reader->end < BINARY_PROBE ? reader->end : BINARY_PROBE;
    const char *zero = length ? memchr(reader->buffer, '\0', length) : NULL;

    if (length == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: the file is empty once unpacked. A trace holds at least one job.",
                            path);
    }
    if (zero) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: binary data (a zero byte at offset %zu); an SWF trace is text, "
                            "plain or packed with gzip or zstd. Check that this is the right file.",
                            path, (size_t)(zero - reader->buffer));
    }
    if (has_bare_returns(reader->buffer, reader->end)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: the line ends with a carriage return (CR) alone, as on old "
                            "Macintoshes; a line ends with LF or CR LF. Convert the file: "
                            "tr '\\r' '\\n' <OLD >NEW.",
                            path);
    }
    if (length >= 3 && !memcmp(reader->buffer, "\xEF\xBB\xBF", 3)) {
        reader->start = 3; /* the mark that some editors put before UTF-8 text */
    }
    return HS_OK;
}

/* Reads the comments at the beginning, so that the header is known before the first row. */
static enum hs_err header_read(struct swf_reader *reader, struct hs_error *error)
{
    for (;;) {
        bool is_long;
        char *line, *start;
        enum hs_err err = line_next(reader, &start, &is_long, error);

        if (err || !start) {
            return err;
        }
        for (line = start; is_blank(*line);) {
            line++;
        }
        if (is_long || (*line != ';' && *line != '#' && *line != '\n')) {
            reader->start = (size_t)(start - reader->buffer); /* comes again */
            reader->is_skipping = false;
            reader->lacks_newline = false;
            return HS_OK;
        }
        reader->stats->lines++;
        header_line(reader, line);
    }
}

enum hs_err swf_reader_open(const char *path, bool is_strict, struct workload_stats *stats,
                            struct swf_reader **reader, struct hs_error *error)
{
    struct swf_reader *opened = calloc(1, sizeof *opened);
    enum hs_err err;

    *reader = NULL;
    if (!opened) {
        return hs_error_memory(error);
    }
    opened->is_strict = is_strict;
    opened->stats = stats;
    opened->buffer = malloc(BUFFER_CAPACITY + BUFFER_MARGIN);
    err = opened->buffer ? input_open(path, &opened->input, error) : hs_error_memory(error);
    if (!err) {
        err = buffer_fill(opened, error);
    }
    if (!err) {
        err = text_probe(opened, error);
    }
    if (!err) {
        err = header_read(opened, error);
    }
    if (err) {
        swf_reader_close(opened);
        return err;
    }
    *reader = opened;
    return HS_OK;
}

double swf_reader_progress(const struct swf_reader *reader)
{
    return input_progress(reader->input);
}

void swf_reader_close(struct swf_reader *reader)
{
    if (reader) {
        input_close(reader->input);
        free(reader->buffer);
        free(reader);
    }
}

static enum hs_err source_open(const struct workload_setup *setup, void **self,
                               struct hs_error *error)
{
    struct swf_reader *reader;
    enum hs_err err = swf_reader_open(setup->options->file, setup->options->is_strict, setup->stats,
                                      &reader, error);

    *self = reader;
    return err;
}

static enum hs_err source_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    return swf_reader_next(self, &record->fields, has_record, error);
}

static double source_progress(const void *self)
{
    return swf_reader_progress(self);
}

static void source_close(void *self)
{
    swf_reader_close(self);
}

static const char *source_header(const void *self)
{
    return swf_reader_header(self);
}

const struct workload_source workload_source_swf = {
    .open = source_open,
    .next = source_next,
    .progress = source_progress,
    .close = source_close,
    .header = source_header,
};
