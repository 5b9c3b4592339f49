/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.h - the problems of a YAML file, in the order of the text.
 *
 * Checking goes on after a problem, so that a person sees all of them in one pass. Each is one
 * sentence or two with a place: a line and column of the file, or the --set it stands in. */
#ifndef HSIM_TEXT_REPORT_H
#define HSIM_TEXT_REPORT_H

#include "hs/base.h"

/* More than this help nobody; the rest is counted. */
#define REPORT_PROBLEM_MAX 50

/* source 0: the file; n: the n-th --set. Line 0: the file as a whole. */
struct tree_place {
    int source, line, column;
};

struct report_problem {
    struct tree_place place;
    char *text;
};

struct report {
    const char *path;             /* borrowed, as the texts */
    const char *const *set_texts; /* of each --set, "key=value" */
    size_t count;                 /* all problems, kept or not */
    size_t kept;
    bool has_failed; /* memory */
    struct report_problem problems[REPORT_PROBLEM_MAX];
};

void text_report_fini(struct report *report);

/* Adds a problem; those of one line stay in the order in which they come. */
void text_report_add(struct report *report, struct tree_place place, const char *format, ...)
    HS_PRINTF(3, 4);

/* HS_OK without a problem; else all of them as text (caller frees) and the first as the error. */
enum hs_err text_report_conclude(const struct report *report, char **text,
                                 struct hs_error *error) HS_MUST_USE;

/* All problems, a line each, without a newline at the end; caller frees; NULL without memory. */
char *text_report_text(const struct report *report);

/* A value for a message: cut when long, control characters shown as '?'. */
struct report_clip {
    char text[64];
};
struct report_clip text_report_clip(const char *text);
#define REPORT_CLIP(value) (text_report_clip(value).text)

#endif
