/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file.h - a YAML file as text in memory. */
#ifndef HSIM_TEXT_FILE_H
#define HSIM_TEXT_FILE_H

#include "hs/base.h"

#define TEXT_FILE_BYTES_MAX ((size_t)16 << 20)

/* How messages call the file. */
struct text_file_words {
    const char *noun;         /* "experiment" */
    const char *advice;       /* for too large a file, behind "Name the YAML file of one here" */
    enum hs_err missing_code; /* for a file that is not there or is none of its kind */
};

/* Reads all of `path` into *text (caller frees, on failure too), `length` bytes without a final
 * zero. Errors: words->missing_code, or HS_ERR_SYSTEM when the machine is at its limits. */
enum hs_err text_file_read(const char *path, const struct text_file_words *words, char **text,
                           size_t *length, struct hs_error *error) HS_MUST_USE;

#endif
