/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - `hsim trace`: chooses among its subcommands. */
#include "cli/trace.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const struct cli_command commands[] = {
    {"info", "Show what a trace holds: jobs, load, users, sizes, times", trace_info},
    {"validate", "Name the problems of a trace, with their lines", trace_validate},
    {"convert", "Select, transform and write a trace", trace_convert},
    {"generate", "Write a trace drawn from a workload model", trace_generate},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void usage(FILE *file)
{
    (void)fprintf(file,
                  "Usage: hsim trace COMMAND [OPTION...]\n"
                  "Traces in the Standard Workload Format, plain or packed (gzip, zstd).\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        (void)fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    (void)fprintf(file, "\n`hsim trace COMMAND --help` shows the options of a command.\n");
}

static int unknown(const char *word)
{
    const char *names[COMMAND_COUNT];
    const char *nearest;
    struct hs_error error = {0};

    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
    }
    nearest = hs_nearest(word, names, COMMAND_COUNT);
    (void)hs_error_set(&error, HS_ERR_CONFIG,
                       "`hsim trace %s` does not exist%s%s%s. The commands are info, validate, "
                       "convert and generate.",
                       word, nearest ? "; did you mean " : "", nearest ? nearest : "",
                       nearest ? "?" : "");
    return cli_fail(&error);
}

static int trace_run(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?") ||
        !strcmp(argv[1], "help")) {
        usage(stdout);
        return cli_finish(CLI_OK);
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (!strcmp(argv[1], commands[i].name)) {
            char name[64];

            (void)snprintf(name, sizeof name, "hsim trace %s", commands[i].name);
            argv[1] = name;
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    return unknown(argv[1]);
}

const struct cli_command cli_trace = {
    "trace", "Look at, check, convert and generate workload traces", trace_run};
