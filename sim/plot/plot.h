/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot.h - the kinds of figures: one table, one function each.
 *
 * A kind reads result files, reduces them to what a picture of its size can show, and writes data
 * and commands into a figure (figure.h). Help, completion and manual pages are made from the tables
 * of kinds and options; a new kind is a file with a function and a row in kinds.c. Nothing here
 * prints: what a person should know stands in the notes of the figure. */
#ifndef HSIM_PLOT_PLOT_H
#define HSIM_PLOT_PLOT_H

#include "plot/figure.h"

/* What the files of a kind are. */
enum plot_input {
    PLOT_RUNS, /* results of single runs, one curve or panel each */
    PLOT_SETS, /* results, folders of results, merged files of sweeps: many runs */
};

/* Options that not every kind has, as bits of plot_kind.options. */
enum plot_option {
    PLOT_METRIC = 1u << 0,
    PLOT_LABEL = 1u << 1,
    PLOT_LOG = 1u << 2,
    PLOT_FROM = 1u << 3,
    PLOT_TO = 1u << 4,
    PLOT_COLOR = 1u << 5,
    PLOT_AGAINST = 1u << 6,
    PLOT_ROWS = 1u << 7,
    PLOT_BASELINE = 1u << 8,
    PLOT_POLICY = 1u << 9,
    PLOT_WHERE = 1u << 10,
    PLOT_BY = 1u << 11,
    PLOT_LEVEL = 1u << 12,
};

/* Those of all kinds that show many runs. */
#define PLOT_SET_OPTIONS (PLOT_METRIC | PLOT_LABEL | PLOT_POLICY | PLOT_WHERE | PLOT_BY)

struct plot_option_row {
    enum plot_option option;
    const char *name; /* "metric" */
    const char *value;
    const char *doc;
};
extern const struct plot_option_row plot_options[];
extern const size_t plot_option_count;

/* Axes of --log, as bits. */
enum plot_axes { PLOT_X = 1u << 0, PLOT_Y = 1u << 1 };

/* What the person asked for; strings are borrowed. Options that were not given are zero. */
struct plot_request {
    char *const *paths;
    size_t path_count; /* at least 1 */
    unsigned given;    /* options, as bits */
    const char *metric;
    const char *const *labels; /* "NAME=TEXT" */
    size_t label_count;
    unsigned log_axes; /* if PLOT_LOG is given; 0: none */
    hs_time from_ns, to_ns;
    const char *color;
    const char *against;
    const char *rows;
    const char *baseline;     /* label of a policy */
    const char *policy;       /* labels, "NAME[,NAME...]" */
    const char *const *where; /* "KEY=VALUE" */
    size_t where_count;
    const char *by; /* keys, "KEY[,KEY...]" */
    double level;   /* of intervals, 0 < level < 1 */
};

struct plot_kind {
    const char *name;    /* "cdf" */
    const char *summary; /* a line without a full stop */
    const char *about;   /* sentences for its help: what is drawn, of which files, what is usual */
    enum plot_input input;
    unsigned options;
    /* Fills the figure; figure_finish is the caller's. */
    enum hs_err (*draw)(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error);
};
extern const struct plot_kind *const plot_kinds[];
extern const size_t plot_kind_count;

/* One of the kinds, or HS_ERR_CONFIG with those that there are. */
enum hs_err plot_kind_find(const char *name, const struct plot_kind **kind,
                           struct hs_error *error) HS_MUST_USE;
/* Refuses options that the kind does not have. */
enum hs_err plot_request_check(const struct plot_request *request, const struct plot_kind *kind,
                               struct hs_error *error) HS_MUST_USE;

/* A row of words, with what is near to `word` if it is none of them: "'x'; a, b or c is due (did
 * you mean a?)". The index of the word, or `count`. */
size_t plot_word_find(const char *word, const char *const *words, size_t count);
enum hs_err plot_word_fail(const char *option, const char *word, const char *const *words,
                           size_t count, struct hs_error *error);

extern const struct plot_kind plot_cdf, plot_ccdf, plot_timeline, plot_fragmentation, plot_gantt;
extern const struct plot_kind plot_load, plot_bars, plot_box, plot_forest, plot_pareto;
extern const struct plot_kind plot_heatmap, plot_scaling;

#endif
