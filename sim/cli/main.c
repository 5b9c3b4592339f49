/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - hsim: finds the subcommand in one table and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

const struct cli_command *const cli_commands[] = {
    &cli_init,    &cli_run,     &cli_sweep,    &cli_inspect,  &cli_compare, &cli_plot,
    &cli_export,  &cli_trace,   &cli_platform, &cli_policies, &cli_classes, &cli_validate,
    &cli_explain, &cli_schema,  &cli_allot,    &cli_map,      &cli_bench,   &cli_completion,
    &cli_man,     &cli_version, NULL,
};

enum { COMMAND_COUNT = sizeof cli_commands / sizeof cli_commands[0] - 1 };

static void print_help(FILE *file)
{
    (void)fputs("Usage: hsim COMMAND [ARGUMENTS]\n"
                "Simulates scheduling policies on heterogeneous clusters.\n\n"
                "Commands:\n",
                file);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        (void)fprintf(file, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    }
    (void)fputs("  help       Print this, or the help of a command: hsim help run\n\n"
                "`hsim COMMAND --help` tells all about a command. Exit codes: 0 ok, 1 run failed,\n"
                "2 usage or configuration, 4 a policy broke a rule, 5 bad input data,\n"
                "130 interrupted.\n",
                file);
}

static const struct cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1];
    const char *near;

    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = cli_commands[i]->name;
    }
    names[COMMAND_COUNT] = "help";
    near = hs_nearest(name, names, COMMAND_COUNT + 1);
    if (near) {
        (void)fprintf(stderr, "hsim: error: There is no command '%s'; did you mean '%s'?\n", name,
                      near);
    } else {
        (void)fprintf(stderr,
                      "hsim: error: There is no command '%s'; `hsim help` lists them all.\n", name);
    }
    return CLI_USAGE;
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    char name[64];
    int code;

    (void)snprintf(name, sizeof name, "hsim %s", command->name);
    argv[0] = name;
    code = command->run(argc, argv);
    return code == CLI_DONE ? CLI_OK : code;
}

/* `hsim help` and `hsim help trace info`: the names are in `argv`. */
static int help(int argc, char **argv)
{
    const struct cli_command *command = argc > 0 ? find_command(argv[0]) : NULL;
    char *words[] = {NULL, NULL, (char[]){"--help"}, NULL};

    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-?") == 0) {
        print_help(stdout);
        return cli_finish(CLI_OK);
    }
    if (!command) {
        return unknown_command(argv[0]);
    }
    if (argc == 1) {
        return run_command(command, 2, words + 1);
    }
    words[1] = argv[1];
    return run_command(command, 3, words);
}

int main(int argc, char **argv)
{
    const struct cli_command *command;

    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe shows as a write error */
    (void)signal(SIGXFSZ, SIG_IGN); /* so does a file beyond its limit */
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "-?") == 0) {
        print_help(stdout);
        return cli_finish(CLI_OK);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        return run_command(&cli_version, argc - 1, argv + 1);
    }
    if (strcmp(argv[1], "help") == 0) {
        return help(argc - 2, argv + 2);
    }
    command = find_command(argv[1]);
    return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
