/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure.c - gathers the data and the commands of a figure in memory. */
#include "plot/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plot/figure_internal.h"

#define POINTS_PER_CM (72 / 2.54)

/* Widths of columns and text of IEEE and ACM journals; a slide of 16:9. DejaVu Sans is a wide
 * face: 7 points of it are as large as 8 of the text around. */
const struct figure_style figure_styles[] = {
    {"one-column", "8.6 cm wide, letters of 7 points: a column of a paper (default)", 8.6, 5.8, 7,
     0.8, false},
    {"two-column", "17.8 cm wide, letters of 8 points: all of a page", 17.8, 7.6, 8, 0.9, false},
    {"slide", "25.4 cm wide, 16:9, letters of 18 points", 25.4, 14.29, 18, 2.2, true},
};
const size_t figure_style_count = sizeof figure_styles / sizeof figure_styles[0];

static const char *const format_endings[] = {
    [FIGURE_PDF] = ".pdf",
    [FIGURE_SVG] = ".svg",
    [FIGURE_PNG] = ".png",
};

enum { FORMAT_COUNT = sizeof format_endings / sizeof format_endings[0] };

static enum hs_err find_format(const char *path, enum figure_format *format, struct hs_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    for (const char *letter = name; *letter; letter++) {
        if (iscntrl((unsigned char)*letter)) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "-o: the name of the picture holds a control character, such as "
                                "the end of a line, which gnuplot takes in no name. Choose another "
                                "name.");
        }
    }
    for (int i = 0; dot && dot > name && i < FORMAT_COUNT; i++) {
        if (strcmp(dot, format_endings[i]) == 0) {
            *format = (enum figure_format)i;
            return HS_OK;
        }
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "-o %s: the name of a picture ends in .pdf, .svg or .png, which is its "
                        "format, as in fig.pdf.",
                        path);
}

/* NAME.dat of NAME.pdf. */
static char *beside(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    char *name = NULL;

    return asprintf(&name, "%.*s%s", (int)(dot - path), path, ending) < 0 ? NULL : name;
}

enum hs_err figure_init(struct figure *figure, const struct figure_options *options,
                        struct hs_error *error)
{
    enum hs_err code;

    *figure = (struct figure){.options = *options};
    code = find_format(options->path, &figure->format, error);
    if (code != HS_OK) {
        return code;
    }
    figure->width_cm = options->width_cm > 0 ? options->width_cm : options->style->width_cm;
    figure->height_cm = options->height_cm > 0 ? options->height_cm : options->style->height_cm;
    figure->data_path = beside(options->path, ".dat");
    figure->script_path = beside(options->path, ".gp");
    figure->data = open_memstream(&figure->data_text, &figure->data_length);
    figure->script = open_memstream(&figure->script_text, &figure->script_length);
    if (!figure->data_path || !figure->script_path || !figure->data || !figure->script) {
        return hs_error_memory(error);
    }
    return figure_check_files(figure, error);
}

void figure_fini(struct figure *figure)
{
    if (figure->data) {
        (void)fclose(figure->data);
    }
    if (figure->script) {
        (void)fclose(figure->script);
    }
    free(figure->data_text);
    free(figure->script_text);
    free(figure->data_path);
    free(figure->script_path);
    free(figure->notes);
    *figure = (struct figure){0};
}

void figure_scale_height(struct figure *figure, double factor)
{
    if (figure->options.height_cm <= 0 && !figure->options.style->is_fixed) {
        figure->height_cm = figure->options.style->height_cm * factor;
    }
}

/* Axes and their texts take about a seventh of the width and a fifth of the height. */
size_t figure_points_across(const struct figure *figure)
{
    double lines = figure->width_cm * POINTS_PER_CM / figure->options.style->line_pt;

    return lines * 0.85 < 50 ? 50 : (size_t)(lines * 0.85);
}

size_t figure_points_down(const struct figure *figure)
{
    double lines = figure->height_cm * POINTS_PER_CM / figure->options.style->line_pt;

    return lines * 0.8 < 50 ? 50 : (size_t)(lines * 0.8);
}

size_t figure_block(struct figure *figure, const char *title, const struct figure_column *columns,
                    size_t count)
{
    if (figure->block_count > 0) {
        (void)fputs("\n\n", figure->data); /* what separates blocks for gnuplot */
    }
    (void)fprintf(figure->data, "# block %zu: %s\n#", figure->block_count, title);
    for (size_t i = 0; i < count; i++) {
        const char *unit = columns[i].unit;

        (void)fprintf(figure->data, " %s[%s]", columns[i].name, unit);
    }
    (void)fputc('\n', figure->data);
    return figure->block_count++;
}

void figure_row(struct figure *figure, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) {
            (void)fputs(i ? " NaN" : "NaN", figure->data); /* "-nan" means nothing to gnuplot */
        } else {
            (void)fprintf(figure->data, i ? " %.10g" : "%.10g", values[i]);
        }
    }
    (void)fputc('\n', figure->data);
}

void figure_remark(struct figure *figure, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)fputs("# ", figure->data);
    (void)vfprintf(figure->data, format, arguments);
    (void)fputc('\n', figure->data);
    va_end(arguments);
}

void figure_line(struct figure *figure, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vfprintf(figure->script, format, arguments);
    (void)fputc('\n', figure->script);
    va_end(arguments);
}

/* Between double quotes gnuplot knows \n, but also runs what stands between backquotes and puts in
 * variables after @, and quotes within confuse it: such letters are written as octal numbers, which
 * it reads only afterwards. Single quotes are easier to read; but of a text that begins with one
 * gnuplot makes two. */
static void quote(FILE *file, const char *text, bool is_tick)
{
    bool is_double = strpbrk(text, is_tick ? "'\n" : "'") != NULL;
    int mark = is_double ? '"' : '\'';

    (void)fputc(mark, file);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;

        if (letter == '\n' && is_tick) {
            (void)fputs("\\n", file);
        } else if (letter == '%' && is_tick) {
            (void)fputs("%%", file);
        } else if (is_double && strchr("\"'\\`@", letter)) {
            (void)fprintf(file, "\\%03o", (unsigned)letter);
        } else {
            (void)fputc(iscntrl(letter) ? ' ' : letter, file);
        }
    }
    (void)fputc(mark, file);
}

void figure_quote(FILE *file, const char *text)
{
    quote(file, text, false);
}

void figure_quote_tick(FILE *file, const char *text)
{
    quote(file, text, true);
}

void figure_label(struct figure *figure, const char *axis, const char *text)
{
    (void)fprintf(figure->script, "set %slabel ", axis);
    figure_quote(figure->script, text);
    (void)fputc('\n', figure->script);
}

/* Letters of a text, not bytes. */
static size_t letters(const char *text)
{
    size_t count = 0;

    for (; *text; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return count;
}

/* Lengths in the size of the font. A letter of DejaVu Sans, on the mean; a letter as gnuplot counts
 * it, by the terminal; what stands beside each text of the legend. */
#define LETTER_WIDTH  0.56
#define LETTER_CAIRO  0.64
#define LETTER_SVG    0.70
#define LEGEND_SAMPLE 3.9
#define SVG_GAP       0.6 /* letters more between the columns of the legend */
#define ROW_HEIGHT    1.5 /* of the legend, as gnuplot has it in SVG */
#define ROW_CAIRO     1.17
#define MARGIN_LEFT   7.6 /* of panels: the numbers of an axis, and its label */
#define MARGIN_LABEL  2.2 /* of that, the label */
#define MARGIN_RIGHT  1.8
#define MARGIN_BOTTOM 4.5
#define MARGIN_TOP    0.9
#define PANEL_GAP     1.4 /* between panels */
#define LABEL_GAP     2.4 /* likewise, with a label above each */

/* Letters that gnuplot is to add to the longest text, so that it counts what that takes. */
static double width_fix(size_t longest, double letter)
{
    return (double)longest * (LETTER_WIDTH / letter - 1);
}

void figure_legend(struct figure *figure, const char *const *labels, size_t count, bool is_always)
{
    double width = figure->width_cm * POINTS_PER_CM / figure->options.style->font_pt - MARGIN_LEFT -
                   MARGIN_RIGHT;
    size_t longest = 0;
    size_t columns;

    if (count == 0 || (count == 1 && !is_always)) {
        figure_line(figure, "unset key");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = letters(labels[i]);

        longest = length > longest ? length : longest;
    }
    columns = (size_t)(width / ((double)longest * LETTER_WIDTH + LEGEND_SAMPLE));
    columns = columns < 1 ? 1 : columns > count ? count : columns;
    figure->legend_rows = (int)((count + columns - 1) / columns);
    columns = (count + (size_t)figure->legend_rows - 1) / (size_t)figure->legend_rows;
    figure_line(figure,
                "set key tmargin center horizontal Left reverse samplen 2 maxcols %zu \\\n"
                "    width (GPVAL_TERM eq 'svg' ? %.1f : %.1f) spacing (GPVAL_TERM eq 'svg' ? 1 : "
                "%.2f)",
                columns, width_fix(longest, LETTER_SVG) + SVG_GAP, width_fix(longest, LETTER_CAIRO),
                ROW_HEIGHT / ROW_CAIRO);
}

bool figure_has_room(const struct figure *figure, const char *text)
{
    double width = figure->width_cm * POINTS_PER_CM / figure->options.style->font_pt;

    return (double)letters(text) * LETTER_WIDTH <= width - MARGIN_LEFT + MARGIN_RIGHT;
}

/* Height of the picture in that of its letters. */
static double rows(const struct figure *figure)
{
    return figure->height_cm * POINTS_PER_CM / figure->options.style->font_pt;
}

void figure_panels(struct figure *figure, const char *const *labels, size_t count)
{
    double width = figure->width_cm * POINTS_PER_CM / figure->options.style->font_pt;
    double room = (rows(figure) - MARGIN_BOTTOM - ROW_HEIGHT) / (double)count - PANEL_GAP;
    double left = MARGIN_LEFT;

    figure->panel_count = count;
    figure->panel_labels = labels;
    for (size_t i = 0; i < count; i++) {
        if ((double)letters(labels[i]) * LETTER_WIDTH > room) {
            figure->are_labels_above = true;
            left = MARGIN_LEFT - MARGIN_LABEL;
        }
    }
    figure_line(figure, "set multiplot");
    if (figure->legend_rows > 0) {
        figure_line(figure, "set key at screen %.4f,screen %.4f center top",
                    (left / width + 1 - MARGIN_RIGHT / width) / 2, 1 - 0.3 / rows(figure));
    }
    figure_line(figure, "set lmargin at screen %.4f", left / width);
    figure_line(figure, "set rmargin at screen %.4f", 1 - MARGIN_RIGHT / width);
}

void figure_panel(struct figure *figure, size_t index, double before, double part)
{
    double letter = 1 / rows(figure);
    double gap = letter * (figure->are_labels_above ? LABEL_GAP : PANEL_GAP);
    double top = 1 - letter * (MARGIN_TOP + ROW_HEIGHT * figure->legend_rows) -
                 (figure->are_labels_above ? letter * LABEL_GAP - letter * MARGIN_TOP / 2 : 0);
    double room = top - MARGIN_BOTTOM * letter + gap;

    figure_line(figure, "\n# Panel %zu of %zu.", index + 1, figure->panel_count);
    figure_line(figure, "set tmargin at screen %.4f", top - room * before);
    figure_line(figure, "set bmargin at screen %.4f", top - room * (before + part) + gap);
    if (index == 1) {
        figure_line(figure, "unset key");
    }
    if (figure->are_labels_above) {
        (void)fputs("set label 1 ", figure->script);
        figure_quote(figure->script, figure->panel_labels[index]);
        figure_line(figure, " at graph 0, graph 1 left offset 0,0.6");
    } else {
        figure_label(figure, "y", figure->panel_labels[index]);
    }
}

static void begin_curve(struct figure *figure)
{
    (void)fputs(figure->is_plotting ? ", \\\n     " : "plot ", figure->script);
    figure->is_plotting = true;
}

void figure_plot_nothing(struct figure *figure)
{
    begin_curve(figure);
    (void)fputs("NaN notitle", figure->script);
}

void figure_plot_entry(struct figure *figure, const char *title, const char *format, ...)
{
    va_list arguments;

    begin_curve(figure);
    (void)fputs("keyentry ", figure->script);
    va_start(arguments, format);
    (void)vfprintf(figure->script, format, arguments);
    va_end(arguments);
    (void)fputs(" title ", figure->script);
    figure_quote(figure->script, title);
}

void figure_plot(struct figure *figure, size_t block, const char *title, const char *format, ...)
{
    va_list arguments;

    begin_curve(figure);
    (void)fprintf(figure->script, "data index %zu ", block);
    va_start(arguments, format);
    (void)vfprintf(figure->script, format, arguments);
    va_end(arguments);
    (void)fputs(title ? " title " : " notitle", figure->script);
    if (title) {
        figure_quote(figure->script, title);
    }
}

void figure_plot_end(struct figure *figure)
{
    HS_ASSERT(figure->is_plotting);
    figure->is_plotting = false;
    (void)fputc('\n', figure->script);
}

void figure_note(struct figure *figure, const char *format, ...)
{
    char *note = NULL;
    char *notes = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&note, format, arguments) < 0) {
        note = NULL;
    }
    va_end(arguments);
    if (note && asprintf(&notes, "%s%s\n", figure->notes ? figure->notes : "", note) >= 0) {
        free(figure->notes);
        figure->notes = notes;
    }
    figure->has_failed |= !note || !notes;
    free(note);
}
