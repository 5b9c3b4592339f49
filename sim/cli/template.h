/* SPDX-License-Identifier: GPL-3.0-or-later */
/* template.h - files to begin with, from templates that are installed with hsim.
 *
 * Templates lie in share/hsim/templates, or in the folder templates beside the program. A template
 * is copied with its words, @WORD@, replaced. Nothing is ever overwritten. */
#ifndef HSIM_CLI_TEMPLATE_H
#define HSIM_CLI_TEMPLATE_H

#include "hs/base.h"

struct template_word {
    const char *name; /* "NAME" stands as @NAME@ in the template */
    const char *value;
};

struct template_file {
    const char *template; /* its name in the folder of templates */
    const char *target;   /* its name in the new folder */
    bool is_program;      /* may be executed */
};

/* Writes the files into `folder`, which is made if it is not there. `words` ends with a name NULL;
 * so does `files`. If one of them is there already, none is written: HS_ERR_CONFIG. */
enum hs_err template_write(const char *folder, const struct template_file *files,
                           const struct template_word *words, struct hs_error *error) HS_MUST_USE;

#endif
