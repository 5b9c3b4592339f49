/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - `hsim trace`: chooses among its subcommands. */
#include "cli/trace.h"

#include "cli/cli.h"

static const struct cli_command commands[] = {
    {.name = "info",
     .summary = "Show what a trace holds: jobs, load, users, sizes, times",
     .run = trace_info,
     .argp = &trace_info_argp,
     .values = trace_values},
    {.name = "validate",
     .summary = "Name the problems of a trace, with their lines",
     .run = trace_validate,
     .argp = &trace_validate_argp,
     .values = trace_values},
    {.name = "convert",
     .summary = "Select, transform and write a trace",
     .run = trace_convert,
     .argp = &trace_convert_argp,
     .values = trace_values},
    {.name = "generate",
     .summary = "Write a trace drawn from a workload model",
     .run = trace_generate,
     .argp = &trace_generate_argp,
     .values = trace_values},
};

static const struct cli_family family = {
    "trace", "Traces of jobs: SWF, CSV, Slurm and others, plain or packed (gzip, zstd).", commands,
    sizeof commands / sizeof commands[0]};

static int trace_run(int argc, char **argv)
{
    return cli_run_family(&family, argc, argv);
}

const struct cli_command cli_trace = {
    .name = "trace",
    .summary = "Look at, check, convert and generate workload traces",
    .run = trace_run,
    .family = &family,
};
