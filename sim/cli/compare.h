/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.h - the parts of `hsim compare` that print. */
#ifndef HSIM_CLI_COMPARE_H
#define HSIM_CLI_COMPARE_H

#include "compare/resample.h"

enum compare_format {
    COMPARE_TEXT,
    COMPARE_MARKDOWN,
    COMPARE_LATEX,
    COMPARE_CSV,
    COMPARE_JSON,
};

/* All that is printed: cells[metric * policies + policy]. */
struct compare_report {
    const struct compare_set *set;
    const struct compare_table *table;
    const struct stats_cell *cells;
    const struct stats_design *design;
    enum compare_unit unit; /* what was resampled; COMPARE_RUNS: nothing */
};

/* What has to be said about the figures, a sentence or two each. */
struct compare_notes {
    char *texts[16];
    size_t count;
    bool has_failed; /* memory */
};
void compare_note(const struct compare_report *report, struct compare_notes *notes);
void compare_notes_fini(struct compare_notes *notes);

/* False without memory. */
bool compare_print(const struct compare_report *report, enum compare_format format);
/* CSV (its notes on standard error) or JSON. */
void compare_print_rows(const struct compare_report *report, const struct compare_notes *notes,
                        enum compare_format format);

#endif
