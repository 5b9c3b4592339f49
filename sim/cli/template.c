/* SPDX-License-Identifier: GPL-3.0-or-later */
/* template.c - copies templates. */
#include "cli/template.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/locate.h"
#include "text/file.h"

static enum hs_err join(const char *folder, const char *name, char *path, struct hs_error *error)
{
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return length > 0 && length < PATH_MAX
               ? HS_OK
               : hs_error_set(error, HS_ERR_CONFIG,
                              "The path '%.200s...' is too long; choose a shorter one.", folder);
}

static enum hs_err read_template(const char *name, char **text, struct hs_error *error)
{
    static const char *const places[] = {"templates/", "../share/hsim/templates/",
                                         "../bin/templates/", NULL};
    static const struct text_file_words words = {"template", "", HS_ERR_SYSTEM};
    char folder[PATH_MAX], path[PATH_MAX];
    size_t length;
    char *moved;
    enum hs_err err;

    *text = NULL;
    if (!locate_beside(places, name, folder, path)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "The template %s is neither in %s/templates nor in "
                            "../share/hsim/templates from there. Install hsim anew.",
                            name, folder);
    }
    err = text_file_read(path, &words, text, &length, error);
    moved = err == HS_OK ? realloc(*text, length + 1) : NULL;
    if (!moved) {
        return err == HS_OK ? hs_error_memory(error) : err;
    }
    moved[length] = '\0';
    *text = moved;
    return HS_OK;
}

/* The value of the word @...@ that begins at `at`, and its length there; NULL: it is none. */
static const char *word_at(const char *at, const struct template_word *words, size_t *length)
{
    for (; words->name; words++) {
        size_t name = strlen(words->name);

        if (strncmp(at + 1, words->name, name) == 0 && at[1 + name] == '@') {
            *length = name + 2;
            return words->value;
        }
    }
    return NULL;
}

static bool put_text(FILE *file, const char *text, const struct template_word *words)
{
    while (*text) {
        const char *at = strchr(text, '@');
        size_t plain = at ? (size_t)(at - text) : strlen(text);
        size_t length = 1;
        const char *value = at ? word_at(at, words, &length) : NULL;

        (void)fwrite(text, 1, plain, file);
        text += plain;
        if (at) {
            (void)fwrite(value ? value : at, 1, value ? strlen(value) : 1, file);
            text += length;
        }
    }
    return fflush(file) == 0 && !ferror(file);
}

/* Writes one file that must not be there. */
static enum hs_err write_file(const char *path, const char *text, bool is_program,
                              const struct template_word *words, struct hs_error *error)
{
    int number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_program ? 0777 : 0666);
    FILE *file = number >= 0 ? fdopen(number, "w") : NULL;
    bool is_written = file && put_text(file, text, words);
    int reason = errno;

    if (file && fclose(file) != 0) {
        reason = is_written ? errno : reason;
        is_written = false;
    }
    if (is_written) {
        return HS_OK;
    }
    if (number >= 0) {
        (void)unlink(path);
    }
    return hs_error_set(error, HS_ERR_SYSTEM, "%s cannot be written: %s.", path, strerror(reason));
}

static enum hs_err make_folder(const char *folder, struct hs_error *error)
{
    struct stat status;

    if (mkdir(folder, 0777) == 0) {
        return HS_OK;
    }
    if (errno == EEXIST && stat(folder, &status) == 0 && S_ISDIR(status.st_mode)) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_SYSTEM, "The folder %s cannot be made: %s.", folder,
                        strerror(errno == EEXIST ? ENOTDIR : errno));
}

static enum hs_err check_absent(const char *folder, const struct template_file *files,
                                struct hs_error *error)
{
    for (; files->template; files++) {
        struct stat status;
        char path[PATH_MAX];

        if (join(folder, files->target, path, error) != HS_OK) {
            return HS_ERR_CONFIG;
        }
        if (lstat(path, &status) == 0) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s is there already, and is not overwritten. Choose another name, "
                                "or move it away.",
                                path);
        }
    }
    return HS_OK;
}

enum hs_err template_write(const char *folder, const struct template_file *files,
                           const struct template_word *words, struct hs_error *error)
{
    enum hs_err err = check_absent(folder, files, error);

    err = err == HS_OK ? make_folder(folder, error) : err;
    for (; err == HS_OK && files->template; files++) {
        char path[PATH_MAX];
        char *text;

        err = read_template(files->template, &text, error);
        if (err == HS_OK) {
            err = join(folder, files->target, path, error);
        }
        if (err == HS_OK) {
            err = write_file(path, text, files->is_program, words, error);
        }
        free(text);
    }
    return err;
}
