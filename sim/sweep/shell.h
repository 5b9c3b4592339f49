/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shell.h - words as a POSIX shell reads them, and programs started without one. */
#ifndef HSIM_SWEEP_SHELL_H
#define HSIM_SWEEP_SHELL_H

#include <stdio.h>

#include "hs/base.h"

/* Writes a word so that a shell reads it back as it is: plain where nothing in it is special. */
void shell_write_word(FILE *file, const char *word);

/* Words with blanks between them. */
void shell_write_words(FILE *file, const char *const *words, size_t count);

/* What a program has said; owned. */
struct shell_answer {
    char *output;    /* standard output, ended by a zero byte */
    char *words;     /* on standard error, likewise, without newlines at its end */
    int status;      /* exit code; 128 + n: it died by signal n */
    bool is_missing; /* there is no such program on the PATH; then nothing else is set */
};

/* Runs words[0], looked for on the PATH, with these arguments (NULL behind the last), nothing on
 * standard input, in `folder` (NULL: here), and waits. Variables SQUEUE_* are not passed on.
 * HS_ERR_SYSTEM: no process, no memory. */
enum hs_err shell_run(const char *const *words, const char *folder, struct shell_answer *answer,
                      struct hs_error *error) HS_MUST_USE;
void shell_answer_fini(struct shell_answer *answer); /* takes a zeroed one, too */

#endif
