/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe.h - what there is to say about a command: its options, and what their arguments can be.
 *
 * `hsim completion` and `hsim man` are made from it, so that nothing is written twice. */
#ifndef HSIM_CLI_DESCRIBE_H
#define HSIM_CLI_DESCRIBE_H

#include <argp.h>

#include "cli/cli.h"

/* What an argument can be. Where a command has no row, the name of the argument in its help
 * decides: FILE.h5 is a file of this ending, FOLDER a folder, KEY=VALUE a key of an experiment,
 * and a word in small letters stands for itself. */
struct cli_values {
    const char *option; /* long name; NULL: an argument of the command itself */
    /* With blanks between: words, patterns of files (*.h5), and the sets @files, @folders,
     * @policies (names of all that plugs in), @keys and @settings (KEY=). */
    const char *words;
    const char *(*word)(size_t index); /* or words one by one, NULL behind the last; may be NULL */
};
#define CLI_VALUES_END                                                                             \
    {                                                                                              \
        NULL, NULL, NULL                                                                           \
    }

/* A command's argp; what was made for it is owned here. */
struct cli_description {
    struct argp argp;
    struct argp_option *options;
    char *doc;
};

/* Of a command that is no family. cli_description_fini in any case. */
enum hs_err cli_describe(const struct cli_command *command, struct cli_description *description,
                         struct hs_error *error) HS_MUST_USE;
void cli_description_fini(struct cli_description *description);

/* Calls `visit` with each option of an argp and of its children, headings included, in the order
 * of their tables. */
void cli_each_option(const struct argp *argp,
                     void (*visit)(const struct argp_option *option, void *context), void *context);

#endif
