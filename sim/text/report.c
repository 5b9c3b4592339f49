/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - a short sorted list of problems. */
#include "text/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_report_fini(struct report *report)
{
    for (size_t i = 0; i < report->kept; i++) {
        free(report->problems[i].text);
    }
    *report = (struct report){0};
}

static bool is_before(struct tree_place left, struct tree_place right)
{
    if (left.source != right.source) {
        return left.source < right.source;
    }
    if (left.line != right.line) {
        return left.line < right.line;
    }
    return left.column < right.column;
}

void text_report_add(struct report *report, struct tree_place place, const char *format, ...)
{
    char *text = NULL;
    size_t at = report->kept;
    va_list arguments;
    int length;

    report->count++;
    while (at > 0 && is_before(place, report->problems[at - 1].place)) {
        at--;
    }
    if (at == REPORT_PROBLEM_MAX) {
        return;
    }
    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        report->has_failed = true;
        return;
    }
    if (report->kept == REPORT_PROBLEM_MAX) {
        report->kept--;
        free(report->problems[report->kept].text);
    }
    memmove(&report->problems[at + 1], &report->problems[at],
            (report->kept - at) * sizeof report->problems[0]);
    report->problems[at] = (struct report_problem){place, text};
    report->kept++;
}

char *text_report_text(const struct report *report)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool has_failed;

    if (!stream) {
        return NULL;
    }
    for (size_t i = 0; i < report->kept; i++) {
        struct tree_place place = report->problems[i].place;

        if (i > 0) {
            fputc('\n', stream);
        }
        if (place.source > 0) {
            fprintf(stream, "--set '%s': ", REPORT_CLIP(report->set_texts[place.source - 1]));
        } else if (place.line > 0) {
            fprintf(stream, "%s:%d:%d: ", report->path, place.line, place.column);
        } else {
            fprintf(stream, "%s: ", report->path);
        }
        fputs(report->problems[i].text, stream);
    }
    if (report->count > report->kept) {
        fprintf(stream, "\n%s: There are %zu more problems; mend these first.", report->path,
                report->count - report->kept);
    }
    has_failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || has_failed) {
        free(text);
        return NULL;
    }
    return text;
}

enum hs_err text_report_conclude(const struct report *report, char **text, struct hs_error *error)
{
    *text = NULL;
    if (report->has_failed) {
        return hs_error_memory(error);
    }
    if (report->count == 0) {
        return HS_OK;
    }
    *text = text_report_text(report);
    if (!*text) {
        return hs_error_memory(error);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "%.*s", (int)strcspn(*text, "\n"), *text);
}

struct report_clip text_report_clip(const char *text)
{
    struct report_clip clip;
    const size_t room = sizeof clip.text - sizeof "...";
    size_t length = 0;

    while (text[length] && length < room) {
        unsigned char byte = (unsigned char)text[length];

        clip.text[length] = byte < 0x20 || byte == 0x7f ? '?' : text[length];
        length++;
    }
    if (text[length]) {
        /* Not inside a character of several bytes. */
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
            length--;
        }
        memcpy(clip.text + length, "...", sizeof "...");
    } else {
        clip.text[length] = '\0';
    }
    return clip;
}
