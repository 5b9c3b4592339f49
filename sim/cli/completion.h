/* SPDX-License-Identifier: GPL-3.0-or-later */
/* completion.h - what the shells' scripts and the manual pages are made from: all commands with
 * their options, and the words that arguments can be. */
#ifndef HSIM_CLI_COMPLETION_H
#define HSIM_CLI_COMPLETION_H

#include <stdio.h>

#include "cli/describe.h"

/* A command that is no family; `family` is the one that it belongs to, or NULL. */
struct completion_command {
    const struct cli_command *family, *command;
    const struct argp *argp;
};

/* Calls `visit` for each command of the table, those of families one by one. */
enum hs_err completion_each_command(void (*visit)(const struct completion_command *command,
                                                  void *context),
                                    void *context, struct hs_error *error) HS_MUST_USE;

/* What the argument of an option can be, or (NULL) an argument of the command: words, patterns and
 * sets with blanks between, as in struct cli_values; "" if nothing is known. */
void completion_tokens(FILE *file, const struct completion_command *command,
                       const struct argp_option *option);

/* The same for the value of a key of an experiment. Further sets: @stacks, @orders, @places and
 * @predictors. */
struct key;
const char *completion_key_tokens(const struct key *key, char *buffer, size_t size);

/* May the key stand in --set? Maps and what lies in lists of maps may not. */
bool completion_is_settable(const struct key *key);

/* The names of what plugs in, each behind a blank: of the kinds of the set @policies, @stacks
 * (what `policy:` takes), @orders, @places, @predictors. */
enum hs_err completion_names(FILE *file, const char *set, struct hs_error *error) HS_MUST_USE;

/* An option that is a heading, or hidden. */
bool completion_is_heading(const struct argp_option *option);
/* The short name of an option, or '\0'. */
char completion_letter(const struct argp_option *option);

/* "trace info", "run" */
void completion_put_path(FILE *file, const struct completion_command *command);
/* The functions _hsim_commands, _hsim_set and _hsim_key of bash and zsh, which leave the words in
 * REPLY. */
void completion_put_commands(FILE *file);
enum hs_err completion_put_sets(FILE *file, struct hs_error *error) HS_MUST_USE;
void completion_put_keys(FILE *file);

enum hs_err completion_bash(FILE *file, struct hs_error *error) HS_MUST_USE;
enum hs_err completion_zsh(FILE *file, struct hs_error *error) HS_MUST_USE;
enum hs_err completion_fish(FILE *file, struct hs_error *error) HS_MUST_USE;

#endif
