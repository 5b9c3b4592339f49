/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - `hsim trace`: chooses among its subcommands. */
#include "cli/trace.h"

#include "cli/cli.h"

static const struct cli_command commands[] = {
    {"info", "Show what a trace holds: jobs, load, users, sizes, times", trace_info},
    {"validate", "Name the problems of a trace, with their lines", trace_validate},
    {"convert", "Select, transform and write a trace", trace_convert},
    {"generate", "Write a trace drawn from a workload model", trace_generate},
};

static const struct cli_family family = {
    "trace", "Traces of jobs: SWF, CSV, Slurm and others, plain or packed (gzip, zstd).", commands,
    sizeof commands / sizeof commands[0]};

static int trace_run(int argc, char **argv)
{
    return cli_run_family(&family, argc, argv);
}

const struct cli_command cli_trace = {
    "trace", "Look at, check, convert and generate workload traces", trace_run};
