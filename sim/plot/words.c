/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - words in place of numbers of an axis. */
#include "plot/words.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_PER_CM (72 / 2.54)
#define LETTER_WIDTH  0.58 /* of the mean letter, in the size of the font */
#define EDGE_LINES    6    /* axis and label below, and a margin above */

static double font_cm(const struct figure *figure)
{
    return figure->options.style->font_pt / POINTS_PER_CM;
}

char *plot_words_wrap(const char *text, size_t width, size_t *lines)
{
    char *own = strdup(text);
    char *gap = NULL; /* the last space that can become the end of a line */
    size_t length = 0;

    *lines = 1;
    for (char *at = own; own && *at; at++) {
        bool is_letter = ((unsigned char)*at & 0xC0) != 0x80;

        length += is_letter;
        if (*at == ' ') {
            gap = length <= width || !gap ? at : gap;
        }
        if (length > width && gap) {
            *gap = '\n';
            ++*lines;
            length = (size_t)(at - gap);
            gap = NULL;
        }
    }
    return own;
}

/* Between double quotes, where gnuplot knows \n. */
static void quote_lines(FILE *file, const char *text)
{
    (void)fputc('"', file);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;

        if (letter == '\n') {
            (void)fputs("\\n", file);
        } else if (letter == '"' || letter == '\\') {
            (void)fprintf(file, "\\%c", letter);
        } else {
            (void)fputc(letter < ' ' || letter == 127 ? ' ' : letter, file);
        }
    }
    (void)fputc('"', file);
}

void plot_words_across(struct figure *figure, const char *const *words, size_t count)
{
    double room_cm = figure->width_cm - 7 * font_cm(figure);
    double letters = room_cm / (double)count / (font_cm(figure) * LETTER_WIDTH);
    size_t most = 1;

    (void)fputs("set xtics scale 0 (", figure->script);
    for (size_t i = 0; i < count; i++) {
        size_t lines = 1;
        char *text = plot_words_wrap(words[i], letters < 2 ? 1 : (size_t)letters - 1, &lines);

        most = lines > most ? lines : most;
        figure->has_failed |= !text;
        (void)fputs(i ? ", " : "", figure->script);
        quote_lines(figure->script, text ? text : "");
        (void)fprintf(figure->script, " %zu", i);
        free(text);
    }
    (void)fputs(")\n", figure->script);
    figure_line(figure, "set bmargin %.1f", 1.4 + (double)most);
    figure_line(figure, "set xrange [-0.6:%.1f] noextend", (double)count - 0.4);
}

void plot_words_down(struct figure *figure, const char *const *words, size_t count, double lines)
{
    const struct figure_style *style = figure->options.style;
    double height_cm = ((double)count * lines + EDGE_LINES) * font_cm(figure) * 1.25;

    /* A slide has the height that it has. */
    if (strcmp(style->name, "slide") != 0 || height_cm > style->height_cm) {
        figure_scale_height(figure, height_cm / style->height_cm);
    }
    (void)fputs("set ytics scale 0 (", figure->script);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i ? ", " : "", figure->script);
        figure_quote(figure->script, words[i]);
        (void)fprintf(figure->script, " %zu", i);
    }
    (void)fputs(")\n", figure->script);
    figure_line(figure, "set yrange [%.1f:-0.6] noextend", (double)count - 0.4);
}
