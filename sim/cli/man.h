/* SPDX-License-Identifier: GPL-3.0-or-later */
/* man.h - the manual pages, in the macros of man(7).
 *
 * hsim.1 is made from the table of commands, hsim-experiment.5 from the table of keys. */
#ifndef HSIM_CLI_MAN_H
#define HSIM_CLI_MAN_H

#include <stdio.h>

#include "hs/base.h"

/* Text that flows: wrapped, and with nothing in it that roff would take for its own. Lines that
 * begin with a blank are examples and stay as they are; empty lines part paragraphs. */
void man_text(FILE *file, const char *text);
/* The same without a line's end, for a line of one's own. */
void man_inline(FILE *file, const char *text);

enum hs_err man_commands(FILE *file, struct hs_error *error) HS_MUST_USE;
void man_keys(FILE *file);

#endif
