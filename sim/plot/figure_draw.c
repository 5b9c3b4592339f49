/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_draw.c - what each script begins with, and the call of gnuplot. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot/figure_internal.h"

#define PNG_DPI         300 /* of a slide less, so that it fills a screen of full HD */
#define PNG_SLIDE_CM    20
#define PNG_SLIDE_DPI   192
#define PIXELS_PER_INCH 96 /* of SVG */
#define CM_PER_INCH     2.54

/* Letters of cairo are in pt of 96 to an inch: `fontscale` makes them what the style says. A point
 * of size 1 in letters: three quarters in SVG, which has no `pointscale`, and therefore everywhere.
 * Other terminals make it this many pt or pixels wide, whatever the letters. */
#define POINT_SIZE       0.75
#define CAIRO_POINT_SIZE 6.

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The name of a file in the folder of the script. Of some that begin with a sign (|, <, $, ~)
 * gnuplot thinks that they are no names but commands or such. */
static void quote_name(FILE *file, const char *path)
{
    const char *name = file_name(path);
    char *plain = NULL;

    if (isalnum((unsigned char)*name) || asprintf(&plain, "./%s", name) < 0) {
        plain = NULL;
    }
    figure_quote(file, plain ? plain : name);
    free(plain);
}

static void put_terminals(const struct figure *figure, FILE *file)
{
    const struct figure_style *style = figure->options.style;
    double width = figure->width_cm;
    double height = figure->height_cm;
    double dpi = style->width_cm > PNG_SLIDE_CM ? PNG_SLIDE_DPI : PNG_DPI;

    (void)fprintf(file,
                  "%sset terminal pdfcairo noenhanced color size %gcm,%gcm font 'DejaVu Sans,%g' "
                  "fontscale 0.75 linewidth %g pointscale %.4g\n",
                  figure->format == FIGURE_PDF ? "" : "#", width, height, style->font_pt,
                  2 * style->line_pt, POINT_SIZE * style->font_pt / CAIRO_POINT_SIZE);
    (void)fprintf(file,
                  "%sset terminal svg noenhanced size %.0f,%.0f font 'DejaVu Sans,%.4g' "
                  "linewidth %.4g dashlength 0.6 background 'white'\n",
                  figure->format == FIGURE_SVG ? "" : "#", width / CM_PER_INCH * PIXELS_PER_INCH,
                  height / CM_PER_INCH * PIXELS_PER_INCH, style->font_pt / 72 * PIXELS_PER_INCH,
                  style->line_pt / 72 * PIXELS_PER_INCH);
    (void)fprintf(file,
                  "%sset terminal pngcairo noenhanced color size %.0f,%.0f font 'DejaVu Sans,%g' "
                  "fontscale %.4g linewidth %.4g pointscale %.4g\n",
                  figure->format == FIGURE_PNG ? "" : "#", width / CM_PER_INCH * dpi,
                  height / CM_PER_INCH * dpi, style->font_pt, dpi / PIXELS_PER_INCH,
                  style->line_pt / 72 * dpi,
                  POINT_SIZE * style->font_pt / CAIRO_POINT_SIZE / 72 * dpi);
}

/* A line of comment; what would end it, or join the next line to it, becomes "?". */
static void put_comment(FILE *file, const char *text)
{
    (void)fputs("# ", file);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;

        (void)fputc(letter < ' ' || letter == '\\' ? '?' : letter, file);
    }
    (void)fputc('\n', file);
}

char *figure_preamble(const struct figure *figure)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool is_ok;

    if (!file) {
        return NULL;
    }
    (void)fputs(
        "# To draw the picture anew, run gnuplot on this file in its folder. Change what you "
        "like: `hsim\n# plot --keep` draws with the file as it is.\n",
        file);
    if (figure->options.command_line) {
        put_comment(file, figure->options.command_line);
    }
    (void)fprintf(file, "reset\nset encoding utf8\n\n# The format; change it and output.\n");
    put_terminals(figure, file);
    (void)fputs("if (!exists('output')) output = ", file);
    quote_name(file, figure->options.path);
    (void)fputs("\nset output output\ndata = ", file);
    quote_name(file, figure->data_path);
    (void)fputs("\n\n"
                "# Colours after Okabe and Ito, which all eyes tell apart; dashes and points for "
                "print in grey.\n"
                "set linetype 1 lc rgb '#0072B2' dt solid pt 7\n"
                "set linetype 2 lc rgb '#D55E00' dt (16,6) pt 5\n"
                "set linetype 3 lc rgb '#009E73' dt (5,5) pt 9\n"
                "set linetype 4 lc rgb '#CC79A7' dt (18,6,4,6) pt 13\n"
                "set linetype 5 lc rgb '#E69F00' dt (32,6) pt 11\n"
                "set linetype 6 lc rgb '#56B4E9' dt (12,5,3,5,3,5) pt 6\n"
                "set linetype 7 lc rgb '#000000' dt (3,5) pt 4\n"
                "set linetype 8 lc rgb '#888888' dt (24,6,10,6) pt 8\n"
                "set linetype cycle 8\n"
                "set border 3 lc rgb '#404040' lw 0.6\n"
                "set tics nomirror out scale 0.5,0.25 textcolor rgb '#000000'\n"
                "set xlabel offset 0,0.4\nset ylabel offset 0.4,0\n"
                "set grid lc rgb '#dddddd' lt 1 dt solid lw 0.5\n",
                file);
    is_ok = !ferror(file);
    if (fclose(file) != 0 || !is_ok) {
        free(text);
        return NULL;
    }
    return text;
}

/* In the child; does not return. Whatever fails before gnuplot runs goes as errno into `report`. */
static _Noreturn void become_gnuplot(const char *folder, char *const *arguments, int words,
                                     int report)
{
    int cause;

    (void)signal(SIGPIPE, SIG_DFL);
    if (chdir(folder) == 0 && dup2(words, STDERR_FILENO) >= 0 && dup2(words, STDOUT_FILENO) >= 0) {
        (void)execvp("gnuplot", arguments);
    }
    cause = errno;
    if (write(report, &cause, sizeof cause) < 0) {
        cause = 0; /* nobody is there to be told */
    }
    _exit(127);
}

/* The rest of a pipe, of which the first `size` - 1 bytes are kept. */
static void read_pipe(int descriptor, char *text, size_t size)
{
    size_t length = 0;
    char rest[512];

    for (;;) {
        bool has_room = length + 1 < size;
        ssize_t count = has_room ? read(descriptor, text + length, size - 1 - length)
                                 : read(descriptor, rest, sizeof rest);

        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        length += has_room && count > 0 ? (size_t)count : 0;
    }
    text[length] = '\0';
}

/* Words of gnuplot in one line: its own lines, without empty ones and the pointer to a column. */
static void tidy_words(char *words)
{
    char *to = words;
    bool is_gap = true;

    for (const char *from = words; *from; from++) {
        bool is_space = (unsigned char)*from <= ' ' || *from == '^';

        if (!is_space || !is_gap) {
            *to++ = is_space ? ' ' : *from;
        }
        is_gap = is_space;
    }
    while (to > words && to[-1] == ' ') {
        to--;
    }
    *to = '\0';
}

static enum hs_err explain(const struct figure *figure, int cause, int status, char *words,
                           struct hs_error *error)
{
    tidy_words(words);
    if (cause == ENOENT) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "gnuplot, which draws the picture, is not installed: apt-get install "
                            "gnuplot-nox fonts-dejavu-core. Data and script are written: `gnuplot "
                            "%s`, in its folder, draws '%s' where gnuplot is.",
                            file_name(figure->script_path), figure->options.path);
    }
    if (cause != 0) {
        return hs_error_set(error, HS_ERR_SYSTEM, "gnuplot could not be started: %s.",
                            strerror(cause));
    }
    if (WIFSIGNALED(status)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: gnuplot was ended by signal %d (%s)%s%s. Data and script are "
                            "written; see what `gnuplot %s` does in its folder.",
                            figure->script_path, WTERMSIG(status), strsignal(WTERMSIG(status)),
                            *words ? ": " : "", words, file_name(figure->script_path));
    }
    if (WEXITSTATUS(status) != 0) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: gnuplot could not draw the picture: %s",
                            figure->script_path, *words ? words : "it does not say why.");
    }
    return HS_OK;
}

/* "output='NAME'", for the command line of gnuplot. */
static char *output_command(const char *output)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (file) {
        (void)fputs("output=", file);
        quote_name(file, output);
        if (fclose(file) != 0) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

/* Runs the child in `folder` and waits. */
static enum hs_err run_gnuplot(struct figure *figure, const char *folder, char *const *arguments,
                               struct hs_error *error)
{
    char words[1024];
    enum hs_err code;
    int reports[2] = {-1, -1};
    int pipes[2] = {-1, -1};
    int cause = 0;
    int status = 0;
    bool is_ok = pipe2(reports, O_CLOEXEC) == 0 && pipe2(pipes, O_CLOEXEC) == 0;
    pid_t child = is_ok ? fork() : -1;

    if (child == 0) {
        become_gnuplot(folder, arguments, pipes[1], reports[1]);
    }
    if (child < 0) {
        cause = errno;
    }
    (void)close(reports[1]);
    (void)close(pipes[1]);
    words[0] = '\0';
    if (child > 0) {
        if (read(reports[0], &cause, sizeof cause) != sizeof cause) {
            cause = 0;
        }
        read_pipe(pipes[0], words, sizeof words);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    (void)close(reports[0]);
    (void)close(pipes[0]);
    code = explain(figure, cause, status, words, error);
    if (code == HS_OK && *words) {
        figure_note(figure, "gnuplot says: %s", words);
    }
    return code;
}

enum hs_err figure_draw(struct figure *figure, const char *output, struct hs_error *error)
{
    const char *name = file_name(figure->script_path);
    char *command = output_command(output);
    char *folder = strndup(figure->script_path, (size_t)(name - figure->script_path));
    char *script = NULL;
    enum hs_err code = HS_OK;

    /* A name that begins with a dash would be an option. */
    if (!command || !folder || asprintf(&script, "./%s", name) < 0) {
        script = NULL;
        code = hs_error_memory(error);
    }
    if (code == HS_OK) {
        char *arguments[] = {
            (char[]){"gnuplot"}, (char[]){"-d"}, (char[]){"-e"}, command, script, NULL};

        code = run_gnuplot(figure, *folder ? folder : ".", arguments, error);
    }
    free(script);
    free(folder);
    free(command);
    return code;
}
