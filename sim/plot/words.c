/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - words in place of numbers of an axis. */
#include "plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_PER_CM (72 / 2.54)
#define LETTER_WIDTH  0.62 /* of the mean letter, in the size of the font */
#define SMALL         0.85 /* letters of words that else would be too near to each other */
#define WORD_SHARE    0.3  /* of the width, for words beside rows */
#define EDGE_LINES    6    /* axis and label below, and a margin above */

static double font_cm(const struct figure *figure)
{
    return figure->options.style->font_pt / POINTS_PER_CM;
}

static size_t letters_of(const char *text, size_t bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < bytes; i++) {
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return count;
}

char *plot_words_wrap(const char *text, size_t width, size_t *lines)
{
    char *own = strdup(text);
    size_t length = 0; /* letters of the line so far */

    *lines = 1;
    for (char *at = own; own && *at;) {
        size_t bytes = strcspn(at, " ");
        size_t letters = letters_of(at, bytes);

        if (at > own && length + 1 + letters > width) {
            at[-1] = '\n';
            ++*lines;
            length = 0;
        }
        length += letters + (length > 0);
        at += bytes;
        at += *at == ' ';
    }
    return own;
}

static size_t longest_word(const char *const *words, size_t count)
{
    size_t longest = 0;

    for (size_t i = 0; i < count; i++) {
        for (const char *at = words[i]; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");

            longest = length > longest ? length : longest;
            at += length;
        }
    }
    return longest;
}

void plot_words_across(struct figure *figure, const char *const *words, size_t count)
{
    double room_cm = figure->width_cm - 7 * font_cm(figure);
    double letters = room_cm / (double)count / (font_cm(figure) * LETTER_WIDTH);
    size_t most = 1;
    char font[32] = "";

    if ((double)longest_word(words, count) + 1.5 > letters) {
        double pixels = figure->format == FIGURE_SVG ? 96. / 72 : 1;

        (void)snprintf(font, sizeof font, "font ',%.4g' ",
                       SMALL * pixels * figure->options.style->font_pt);
        letters /= SMALL;
    }
    (void)fprintf(figure->script, "set xtics scale 0 %s(", font);
    for (size_t i = 0; i < count; i++) {
        size_t lines = 1;
        char *text = plot_words_wrap(words[i], letters < 2 ? 1 : (size_t)letters - 1, &lines);

        most = lines > most ? lines : most;
        figure->has_failed |= !text;
        (void)fputs(i ? ", " : "", figure->script);
        figure_quote_tick(figure->script, text ? text : "");
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
    size_t letters = (size_t)(WORD_SHARE * figure->width_cm / (font_cm(figure) * LETTER_WIDTH));
    double height_cm;
    size_t most = 1;

    (void)fputs("set ytics scale 0 (", figure->script);
    for (size_t i = 0; i < count; i++) {
        size_t parts = 1;
        char *text = plot_words_wrap(words[i], letters, &parts);

        most = parts > most ? parts : most;
        figure->has_failed |= !text;
        (void)fputs(i ? ", " : "", figure->script);
        figure_quote_tick(figure->script, text ? text : "");
        (void)fprintf(figure->script, " %zu", i);
        free(text);
    }
    (void)fputs(")\n", figure->script);
    lines = fmax(lines, (double)most + 0.5);
    height_cm = ((double)count * lines + EDGE_LINES) * font_cm(figure) * 1.25;
    /* A slide has the height that it has. */
    if (!style->is_fixed || height_cm > style->height_cm) {
        figure_scale_height(figure, height_cm / style->height_cm);
    }
    figure_line(figure, "set yrange [%.1f:-0.6] noextend", (double)count - 0.4);
}
