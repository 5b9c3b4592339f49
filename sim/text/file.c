/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file.c - reads a whole file, with a sentence for what is no file. */
#include "text/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum hs_err read_stream(FILE *stream, const char *path, const struct text_file_words *words,
                               char **text, size_t *length, struct hs_error *error)
{
    size_t room = 0, used = 0;

    while (!feof(stream) && used <= TEXT_FILE_BYTES_MAX) {
        if (used == room) {
            char *larger = realloc(*text, room ? room * 4 : 8192);

            if (!larger) {
                return hs_error_memory(error);
            }
            *text = larger;
            room = room ? room * 4 : 8192;
        }
        used += fread(*text + used, 1, room - used, stream);
        if (ferror(stream)) {
            return hs_error_set(error, HS_ERR_SYSTEM, "%s: The file cannot be read: %s.", path,
                                strerror(errno));
        }
    }
    *length = used;
    if (used > TEXT_FILE_BYTES_MAX) {
        return hs_error_set(error, words->missing_code,
                            "%s: The file is larger than 16 MiB, so it is no %s. Name the YAML "
                            "file of one here%s.",
                            path, words->noun, words->advice);
    }
    return HS_OK;
}

enum hs_err text_file_read(const char *path, const struct text_file_words *words, char **text,
                           size_t *length, struct hs_error *error)
{
    struct stat status;
    enum hs_err result;
    FILE *stream = fopen(path, "re");

    *text = NULL;
    *length = 0;
    if (!stream && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: The %s cannot be opened now: %s. Close programs, or raise the "
                            "limits (ulimit -n, ulimit -v).",
                            path, words->noun, strerror(errno));
    }
    if (!stream) {
        return hs_error_set(error, words->missing_code,
                            "%s: The %s cannot be opened: %s. Check the path and its permissions.",
                            path, words->noun, strerror(errno));
    }
    if (fstat(fileno(stream), &status) == 0 && S_ISDIR(status.st_mode)) {
        const char *last_word = strrchr(words->noun, ' ');

        (void)fclose(stream);
        return hs_error_set(error, words->missing_code,
                            "%s: This is a folder. Name a YAML file in it, for instance "
                            "%s/%s.yaml.",
                            path, path, last_word ? last_word + 1 : words->noun);
    }
    result = read_stream(stream, path, words, text, length, error);
    (void)fclose(stream); /* only read from */
    return result;
}
