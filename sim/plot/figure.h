/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure.h - a picture, with the data and the script that make it beside it.
 *
 * A figure is three files: NAME.pdf, NAME.svg or NAME.png; NAME.dat, the numbers in plain columns;
 * and NAME.gp, which draws them and needs nothing else: `gnuplot NAME.gp` in its folder. Data and
 * commands are gathered in memory, so that a kind can stop with an error at any time and no file is
 * touched. figure_finish writes both files, lets gnuplot draw, and gives the picture its name when
 * it is complete. Files that a person wrote or changed are never replaced unless that is forced.
 *
 * Text is drawn as it is (no markup), in UTF-8. Colours after Okabe and Ito (Color Universal
 * Design, 2008), which all eyes tell apart, are line types 1 to 8, each with dashes and a point
 * shape of its own. */
#ifndef HSIM_PLOT_FIGURE_H
#define HSIM_PLOT_FIGURE_H

#include <stdio.h>

#include "hs/base.h"

#define FIGURE_CURVES_MAX 8 /* line types; more cannot be told apart */

enum figure_format { FIGURE_PDF, FIGURE_SVG, FIGURE_PNG };

/* Where a picture is to stand: its size, that of its letters, the width of its lines. */
struct figure_style {
    const char *name;    /* "one-column" */
    const char *summary; /* for the help */
    double width_cm, height_cm;
    double font_pt, line_pt;
    bool is_fixed; /* the height is that of the page */
};
extern const struct figure_style figure_styles[];
extern const size_t figure_style_count;

struct figure_options {
    const char *path; /* of the picture */
    const struct figure_style *style;
    double width_cm, height_cm; /* 0: that of the style, or what the kind proposes */
    const char *command_line;   /* for the header of the script; NULL: none */
    bool is_forced;             /* replaces whatever is there */
    bool is_script_kept;        /* NAME.gp stays as it is, if it is there */
};

struct figure {
    struct figure_options options;
    enum figure_format format;
    char *data_path, *script_path;
    double width_cm, height_cm; /* as they are to be */
    FILE *data, *script;        /* in memory; written to with fprintf or the functions below */
    char *data_text, *script_text;
    size_t data_length, script_length;
    size_t block_count; /* of the data */
    int legend_rows;    /* above the uppermost panel; 0: none */
    size_t panel_count; /* 0: no multiplot */
    const char *const *panel_labels;
    bool are_labels_above; /* of the panels, since beside them is no room */
    char *notes;           /* sentences, each with a newline; NULL: none */
    bool is_plotting;      /* a plot command is not ended */
    bool has_failed;       /* memory was short */
};

struct figure_column {
    const char *name; /* [a-z0-9_]+ */
    const char *unit; /* "s"; "1": a plain number; as in result files */
};

/* HS_ERR_CONFIG: the ending is none of the three, or a file is in the way. figure_fini in any
 * case. */
enum hs_err figure_init(struct figure *figure, const struct figure_options *options,
                        struct hs_error *error) HS_MUST_USE;
void figure_fini(struct figure *figure); /* takes a zeroed one too */

/* Another height than that of the style, as a multiple of it; before anything is written. The
 * person's own choice goes before. */
void figure_scale_height(struct figure *figure, double factor);

/* How many points in a row the picture can show, as many as its width has widths of a line; and
 * likewise from top to bottom. What is finer may be reduced. */
size_t figure_points_across(const struct figure *figure);
size_t figure_points_down(const struct figure *figure);

/* Data: blocks of rows. A block begins with a title and its columns; returns the number that
 * `index` of gnuplot takes. Numbers are written with 10 digits, NaN as such. */
size_t figure_block(struct figure *figure, const char *title, const struct figure_column *columns,
                    size_t count);
void figure_row(struct figure *figure, const double *values, size_t count);
/* A comment in the data, before or within a block. */
void figure_remark(struct figure *figure, const char *format, ...) HS_PRINTF(2, 3);

/* Commands: a line of the script. */
void figure_line(struct figure *figure, const char *format, ...) HS_PRINTF(2, 3);
/* Text as a string of gnuplot, between quotes; control characters become spaces. */
void figure_quote(FILE *file, const char *text);
/* The same for the text of a tick, which gnuplot takes for a format of the number; ends of lines
 * are kept. */
void figure_quote_tick(FILE *file, const char *text);
/* "set xlabel 'TEXT'". */
void figure_label(struct figure *figure, const char *axis, const char *text);
/* Is there room for the text below the panels? */
bool figure_has_room(const struct figure *figure, const char *text);

/* A legend above the panels, in as many columns as its labels leave room for, so that it never
 * covers data; of a single label none unless `is_always`. Titles of the `plot` commands make it. */
void figure_legend(struct figure *figure, const char *const *labels, size_t count, bool is_always);

/* Panels one above the other, whose sides are in line: first the legend, then figure_panels with
 * the labels of their y axes (borrowed until the last panel), then before the commands of each,
 * from the uppermost, figure_panel; `before` and `part` are its parts of the whole height, which
 * those before it and it itself take. The legend is that of the first panel. Where labels do not
 * fit beside their panels they stand above. */
void figure_panels(struct figure *figure, const char *const *labels, size_t count);
void figure_panel(struct figure *figure, size_t index, double before, double part);

/* Begins a plot command, and goes on with it: each call adds a curve,
 * "data index N using 1:2 with lines lt 1" and its title; NULL: notitle. */
void figure_plot(struct figure *figure, size_t block, const char *title, const char *format, ...)
    HS_PRINTF(4, 5);
/* A curve that is not there, so that an empty panel is drawn. */
void figure_plot_nothing(struct figure *figure);
/* An entry of the legend alone, of curves that are in other panels. */
void figure_plot_entry(struct figure *figure, const char *title, const char *format, ...)
    HS_PRINTF(3, 4);
/* Ends the command, before another line. */
void figure_plot_end(struct figure *figure);

/* Tells the person something about the picture: printed by the command, and a comment in the
 * data. A full sentence. */
void figure_note(struct figure *figure, const char *format, ...) HS_PRINTF(2, 3);

/* Writes data and script, and lets gnuplot draw. HS_ERR_SYSTEM with gnuplot's own words, or what to
 * install; then data and script are there and the picture is not. */
enum hs_err figure_finish(struct figure *figure, struct hs_error *error) HS_MUST_USE;

#endif
