/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.h - the subcommands of hsim: one table, one function each.
 *
 * Only this folder prints and decides exit codes. A command gets its own argc and argv, with
 * argv[0] "hsim NAME" for argp's help. */
#ifndef HSIM_CLI_H
#define HSIM_CLI_H

#include "hs/base.h"

enum cli_exit {
    CLI_DONE = -1, /* not an exit code: help was asked for and printed, leave with CLI_OK */
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_POLICY = 4,
    CLI_INPUT = 5,
    CLI_INTERRUPTED = 130,
};

struct argp;
struct cli_values; /* cli/describe.h */
struct cli_description;
struct cli_family;

/* Completion and the manual page are made from the rows: a command names its argp, or the family
 * that it is, or describes itself where its options are made when it runs. */
struct cli_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    const struct argp *argp;
    const struct cli_family *family;
    enum hs_err (*describe)(struct cli_description *description, struct hs_error *error);
    const struct cli_values *values; /* NULL: the names of the arguments tell enough */
};

/* All commands, in the order of the help; ends with NULL. */
extern const struct cli_command *const cli_commands[];

extern const struct cli_command cli_init, cli_run, cli_sweep, cli_inspect, cli_compare, cli_plot,
    cli_export, cli_trace, cli_platform, cli_policies, cli_classes, cli_validate, cli_explain,
    cli_schema, cli_allot, cli_map, cli_bench, cli_completion, cli_man, cli_version;

/* Prints "hsim: error: TEXT" (each line of the text) on standard error; the exit code for it. */
int cli_fail(const struct hs_error *error);

/* The same for each line of a report of experiment_load, then for the sentence `end`; without a
 * report for the error alone. */
int cli_fail_report(const char *report, const struct hs_error *error, const char *end);

/* "hsim run experiment.yaml --set a=b", as typed; the caller frees. NULL: no memory. */
char *cli_command_line(int argc, char **argv);

/* Flushes standard output; CLI_FAILED with a message when that fails (a full disk), else `code`.
 * Every command that writes to standard output ends with it. A closed pipe is no failure. */
int cli_finish(int code);

/* Parses with argp; `argp` gets hsim's conventions: exit code 2 for usage errors, messages as of
 * cli_fail. Commands call this instead of argp_parse. Returns CLI_OK, or what to leave with:
 * CLI_DONE after --help and --usage, CLI_FAILED if that could not be written. */
int cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *arg_index,
              void *input);

/* Ends the program with CLI_USAGE and "hsim: error: " before the sentence. Parsers of options call
 * this instead of argp_error. */
struct argp_state;
_Noreturn void cli_usage(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A command that is a family of commands: `hsim NAME COMMAND ...`. */
struct cli_family {
    const char *name;                   /* "trace" */
    const char *about;                  /* one line for its help */
    const struct cli_command *commands; /* its table */
    size_t command_count;
};

/* Runs the subcommand that argv[1] names, prints the family's help, or says what there is. */
int cli_run_family(const struct cli_family *family, int argc, char **argv);

/* True if standard error is a terminal and NO_COLOR is unset: messages may be coloured. */
bool cli_has_color(void);

#endif
