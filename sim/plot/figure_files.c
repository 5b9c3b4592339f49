/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_files.c - the three files of a figure: what may be replaced, and writing them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/figure_internal.h"

#define DIGEST_LETTERS 16

/* FNV-1a; it need only tell that a text was changed. */
static uint64_t digest(const char *text, size_t length)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++) {
        value = (value ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return value;
}

/* All of a file that is no longer than a script can be; NULL: it cannot be read. */
static char *read_text(const char *path, size_t *length)
{
    enum { LENGTH_MAX = 1 << 20 };
    FILE *file = fopen(path, "r");
    char *text = file ? malloc(LENGTH_MAX) : NULL;

    *length = text ? fread(text, 1, LENGTH_MAX, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    return text;
}

/* Whether the script is as hsim wrote it: the first line has the digest of all that follows. */
static bool is_intact(const char *path)
{
    size_t mark = strlen(FIGURE_MARK);
    size_t begin = mark + DIGEST_LETTERS + 1;
    char written[DIGEST_LETTERS + 1];
    size_t length;
    char *text = read_text(path, &length);
    bool is_same = text && length > begin && memcmp(text, FIGURE_MARK, mark) == 0;

    if (is_same) {
        (void)snprintf(written, sizeof written, "%016" PRIx64,
                       digest(text + begin, length - begin));
        is_same = memcmp(text + mark, written, DIGEST_LETTERS) == 0;
    }
    free(text);
    return is_same;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

enum hs_err figure_check_files(struct figure *figure, struct hs_error *error)
{
    const char *script = figure->script_path;
    const char *others[] = {figure->options.path, figure->data_path};
    bool has_script = is_there(script);

    if (figure->options.is_forced || (has_script && figure->options.is_script_kept)) {
        return HS_OK;
    }
    if (has_script && !is_intact(script)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the script was changed since hsim wrote it, or is not of hsim. "
                            "Give --keep to draw with it as it is, --force to replace it, or "
                            "another name with -o.",
                            script);
    }
    for (size_t i = 0; !has_script && i < sizeof others / sizeof others[0]; i++) {
        if (is_there(others[i])) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: the file exists already, and without \"%s\" beside it hsim "
                                "has not made it. Give --force to replace it, or another name "
                                "with -o.",
                                others[i], script);
        }
    }
    return HS_OK;
}

static enum hs_err fail_write(const char *path, int cause, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "%s: writing the file failed: %s. Free space, or choose another place "
                        "with -o.",
                        path, strerror(cause));
}

/* A whole small file, under its name only when complete. */
static enum hs_err write_file(const char *path, const char *text, size_t length,
                              struct hs_error *error)
{
    struct outfile outfile;
    enum hs_err code = outfile_init(&outfile, path, true, error);

    if (code == HS_OK) {
        FILE *file = fopen(outfile.part_path, "w");
        bool is_ok = file && fwrite(text, 1, length, file) == length;

        is_ok = file && fclose(file) == 0 && is_ok;
        code = is_ok ? outfile_complete(&outfile, error) : fail_write(path, errno, error);
    }
    if (code != HS_OK) {
        outfile_remove(&outfile);
    }
    outfile_fini(&outfile);
    return code;
}

static enum hs_err write_data(const struct figure *figure, struct hs_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    enum hs_err code = HS_OK;
    bool is_ok;

    if (!file) {
        return hs_error_memory(error);
    }
    (void)fputs("# Columns are name[unit]; two empty lines part blocks.\n", file);
    for (const char *note = figure->notes; note && *note; note = strchr(note, '\n') + 1) {
        (void)fprintf(file, "# %.*s\n", (int)strcspn(note, "\n"), note);
    }
    (void)fwrite(figure->data_text, 1, figure->data_length, file);
    is_ok = !ferror(file);
    is_ok = fclose(file) == 0 && is_ok;
    code = is_ok ? write_file(figure->data_path, text, length, error) : hs_error_memory(error);
    free(text);
    return code;
}

static enum hs_err write_script(const struct figure *figure, struct hs_error *error)
{
    char *preamble = figure_preamble(figure);
    char *body = NULL;
    char *text = NULL;
    enum hs_err code = HS_OK;

    if (!preamble || asprintf(&body, "%s\n%s%sunset output\n", preamble, figure->script_text,
                              figure->panel_count ? "unset multiplot\n" : "") < 0) {
        body = NULL;
        code = hs_error_memory(error);
    }
    if (code == HS_OK &&
        asprintf(&text, FIGURE_MARK "%016" PRIx64 "\n%s", digest(body, strlen(body)), body) < 0) {
        text = NULL;
        code = hs_error_memory(error);
    }
    if (code == HS_OK) {
        code = write_file(figure->script_path, text, strlen(text), error);
    }
    free(text);
    free(body);
    free(preamble);
    return code;
}

/* What the picture begins and ends with; a text that it lacks is empty. */
#define ENDS_MAX 16
static void read_ends(const char *path, char *begin, char *end)
{
    FILE *file = fopen(path, "r");

    memset(begin, 0, ENDS_MAX + 1);
    memset(end, 0, ENDS_MAX + 1);
    if (!file) {
        return;
    }
    if (fread(begin, 1, ENDS_MAX, file) == ENDS_MAX && fseek(file, -ENDS_MAX, SEEK_END) == 0 &&
        fread(end, 1, ENDS_MAX, file) != ENDS_MAX) {
        end[0] = '\0';
    }
    (void)fclose(file);
}

/* gnuplot does not always notice that the disk is full, and a script that was kept may set another
 * terminal. */
static enum hs_err check_picture(const struct figure *figure, const char *path,
                                 struct hs_error *error)
{
    static const struct {
        const char *begin, *end, *terminal;
    } formats[] = {
        [FIGURE_PDF] = {"%PDF", "%%EOF", "pdfcairo"},
        [FIGURE_SVG] = {"<?xml", "</svg>", "svg"},
        [FIGURE_PNG] = {"\211PNG", "IEND", "pngcairo"},
    };
    char begin[ENDS_MAX + 1];
    char end[ENDS_MAX + 1];

    read_ends(path, begin, end);
    if (!begin[0]) {
        return hs_error_set(
            error, HS_ERR_SYSTEM,
            "%s: gnuplot drew nothing into '%s'. If you changed the script: it must "
            "set its output to the variable `output` if there is one, as the "
            "original does. Otherwise the disk may be full.",
            figure->script_path, figure->options.path);
    }
    if (strncmp(begin, formats[figure->format].begin, strlen(formats[figure->format].begin)) != 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the script draws another format than '%s' is. Let it say `set "
                            "terminal %s`, or choose the ending for it.",
                            figure->script_path, figure->options.path,
                            formats[figure->format].terminal);
    }
    if (!memmem(end, ENDS_MAX, formats[figure->format].end, strlen(formats[figure->format].end))) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the picture is not complete; gnuplot could not write all of it. "
                            "Free space, or choose another place with -o.",
                            figure->options.path);
    }
    return HS_OK;
}

static enum hs_err gather(struct figure *figure, struct hs_error *error)
{
    bool is_ok = !figure->has_failed && !ferror(figure->data) && !ferror(figure->script);

    HS_ASSERT(!figure->is_plotting);
    is_ok = fflush(figure->data) == 0 && fflush(figure->script) == 0 && is_ok;
    return is_ok ? HS_OK : hs_error_memory(error);
}

enum hs_err figure_finish(struct figure *figure, struct hs_error *error)
{
    bool is_kept = figure->options.is_script_kept && is_there(figure->script_path);
    struct outfile outfile = {.lock = -1};
    enum hs_err code = gather(figure, error);

    if (code == HS_OK) {
        code = outfile_init(&outfile, figure->options.path, true, error);
    }
    if (code == HS_OK) {
        code = write_data(figure, error);
    }
    if (code == HS_OK && !is_kept) {
        code = write_script(figure, error);
    }
    if (code == HS_OK) {
        code = figure_draw(figure, outfile.part_path, error);
    }
    if (code == HS_OK) {
        code = check_picture(figure, outfile.part_path, error);
    }
    if (code == HS_OK) {
        code = outfile_complete(&outfile, error);
    }
    if (code != HS_OK) {
        outfile_remove(&outfile);
    }
    outfile_fini(&outfile);
    return code;
}
