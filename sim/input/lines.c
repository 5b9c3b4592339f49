/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.c - a window on the bytes of a file that moves from line to line. */
#include "input/lines.h"

#include <stdlib.h>
#include <string.h>

#include "input/input.h"

#define BUFFER_CAPACITY ((size_t)128 * 1024)

struct lines {
    struct input *input;
    char *buffer; /* one byte longer than BUFFER_CAPACITY: a line can always be ended */
    size_t line;  /* where the current line begins */
    size_t next;  /* where the next one does */
    size_t end;   /* of what was read */
    int64_t number;
    int64_t joined;   /* lines behind the first of the current one */
    bool has_newline; /* the current line ended with one, which is now a zero byte */
    bool at_end;
    bool is_skipping; /* within a line that is too long */
    int64_t skipped;  /* bytes of it */
};

void lines_close(struct lines *lines)
{
    if (lines) {
        input_close(lines->input);
        free(lines->buffer);
        free(lines);
    }
}

enum hs_err lines_open(const char *path, struct lines **lines, struct hs_error *error)
{
    struct lines *opened = calloc(1, sizeof *opened);
    enum hs_err err;

    *lines = NULL;
    if (!opened) {
        return hs_error_memory(error);
    }
    opened->buffer = malloc(BUFFER_CAPACITY + 1);
    err = opened->buffer ? input_open(path, &opened->input, error) : hs_error_memory(error);
    if (err) {
        lines_close(opened);
        return err;
    }
    *lines = opened;
    return HS_OK;
}

int64_t lines_number(const struct lines *lines)
{
    return lines->number;
}

const char *lines_path(const struct lines *lines)
{
    return input_path(lines->input);
}

double lines_progress(const struct lines *lines)
{
    return input_progress(lines->input);
}

/* Reads more behind what is kept, which begins at `from`. */
static enum hs_err fill(struct lines *lines, size_t from, struct hs_error *error)
{
    size_t length = 0;
    enum hs_err err;

    memmove(lines->buffer, lines->buffer + from, lines->end - from);
    lines->end -= from;
    lines->next -= from;
    lines->line = 0;
    err = input_read(lines->input, lines->buffer + lines->end, BUFFER_CAPACITY - lines->end,
                     &length, error);
    lines->end += length;
    lines->at_end = !err && length == 0;
    return err;
}

enum hs_err lines_next(struct lines *lines, char **line, size_t *length, struct hs_error *error)
{
    *line = NULL;
    lines->number += lines->joined;
    lines->joined = 0;
    for (;;) {
        char *start = lines->buffer + lines->next;
        size_t room = lines->end - lines->next;
        char *newline = room ? memchr(start, '\n', room) : NULL;
        bool is_tail = lines->is_skipping;
        enum hs_err err;

        if (newline || (room > LINES_MAX_BYTES && !is_tail) || (lines->at_end && room > 0)) {
            *length = newline ? (size_t)(newline - start) : room;
            lines->is_skipping = !newline && !lines->at_end;
            lines->skipped = 0;
            lines->line = lines->next;
            lines->has_newline = newline != NULL;
            lines->next += *length + (newline != NULL);
            start[*length] = '\0';
            if (is_tail) {
                continue;
            }
            lines->number++;
            *line = start;
            return HS_OK;
        }
        if (lines->at_end) {
            return HS_OK;
        }
        lines->skipped += is_tail ? (int64_t)room : 0;
        if (lines->skipped > LINES_SKIP_BYTES) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:%lld: the line is longer than %lld bytes. Check that this is a "
                                "file of text.",
                                lines_path(lines), (long long)lines->number,
                                (long long)LINES_SKIP_BYTES);
        }
        lines->next = is_tail ? lines->end : lines->next;
        err = fill(lines, lines->next, error);
        if (err) {
            return err;
        }
    }
}

enum hs_err lines_join(struct lines *lines, char **line, size_t *length, bool *is_joined,
                       struct hs_error *error)
{
    char *newline = NULL;

    *is_joined = false;
    if (!lines->has_newline) {
        return HS_OK;
    }
    for (;;) {
        size_t room = lines->end - lines->next;
        size_t total;
        enum hs_err err;

        newline = room ? memchr(lines->buffer + lines->next, '\n', room) : NULL;
        total =
            newline ? (size_t)(newline - lines->buffer) - lines->line : lines->end - lines->line;
        if (total > LINES_MAX_BYTES || (lines->at_end && room == 0)) {
            return HS_OK;
        }
        if (newline || lines->at_end) {
            lines->buffer[lines->next - 1] = '\n';
            lines->next += newline ? (size_t)(newline - (lines->buffer + lines->next)) + 1 : room;
            lines->buffer[newline ? lines->next - 1 : lines->end] = '\0';
            lines->has_newline = newline != NULL;
            lines->joined++;
            *line = lines->buffer + lines->line;
            *length = total;
            *is_joined = true;
            return HS_OK;
        }
        err = fill(lines, lines->line, error);
        if (err) {
            return err;
        }
        *line = lines->buffer;
    }
}

void lines_part(struct lines *lines)
{
    char *start = lines->buffer + lines->line;
    char *newline;

    if (lines->joined == 0) {
        return;
    }
    if (lines->has_newline) {
        lines->buffer[lines->next - 1] = '\n';
    }
    newline = memchr(start, '\n', lines->next - lines->line);
    HS_ASSERT(newline);
    *newline = '\0';
    lines->next = (size_t)(newline - lines->buffer) + 1;
    lines->has_newline = true;
    lines->joined = 0;
}
