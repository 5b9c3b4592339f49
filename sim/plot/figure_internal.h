/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_internal.h - between the files of a figure: what it holds, its files, and gnuplot. */
#ifndef HSIM_PLOT_FIGURE_INTERNAL_H
#define HSIM_PLOT_FIGURE_INTERNAL_H

#include "plot/figure.h"
#include "result/outfile.h"

/* Begin of the first line of a script; its digest follows. */
#define FIGURE_MARK "# hsim plot, digest "

/* Refuses to replace what hsim did not write, unless forced: the script bears a digest of itself,
 * and where it is intact data and pictures beside it are hsim's, too. */
enum hs_err figure_check_files(struct figure *figure, struct hs_error *error) HS_MUST_USE;

/* Commands that come before those of the kind. Freed by the caller; NULL: no memory. */
char *figure_preamble(const struct figure *figure);

/* Runs gnuplot on the script, drawing into `output` in place of the picture. What it says although
 * it draws becomes a note. */
enum hs_err figure_draw(struct figure *figure, const char *output,
                        struct hs_error *error) HS_MUST_USE;

#endif
