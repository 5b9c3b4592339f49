/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - names of things along an axis: wrapped below a picture, or beside its rows. */
#ifndef HSIM_PLOT_WORDS_H
#define HSIM_PLOT_WORDS_H

#include "plot/figure.h"

/* Numbers of an axis become words at 0, 1, ...: "x" wraps them to the room there is and makes the
 * margin below as high as it needs. */
void plot_words_across(struct figure *figure, const char *const *words, size_t count);
/* Rows 0, 1, ... from top to bottom: the y axis with words, and the height that the rows need, a
 * row being `lines` lines of text high. Before any data. */
void plot_words_down(struct figure *figure, const char *const *words, size_t count, double lines);

/* Breaks `text` into lines of at most `width` letters where it has spaces; *lines: how many. The
 * caller frees; NULL: no memory. */
char *plot_words_wrap(const char *text, size_t width, size_t *lines);

#endif
