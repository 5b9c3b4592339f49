/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - `hsim platform`: chooses among its subcommands. */
#include "cli/platform.h"

#include "cli/cli.h"

static const struct cli_command commands[] = {
    {.name = "show",
     .summary = "Show the nodes, devices and other hosts of a platform",
     .run = platform_show,
     .argp = &platform_show_argp},
    {.name = "generate",
     .summary = "Write a platform file from a few words",
     .run = platform_generate,
     .describe = platform_generate_describe},
    {.name = "devices",
     .summary = "List the device catalogue, or show one model",
     .run = platform_devices,
     .argp = &platform_devices_argp},
    {.name = "probe",
     .summary = "Describe this machine as a platform",
     .run = platform_probe,
     .argp = &platform_probe_argp},
};

static const struct cli_family family = {"platform",
                                         "Platforms: SimGrid files, or a number of equal nodes.",
                                         commands, sizeof commands / sizeof commands[0]};

static int platform_run(int argc, char **argv)
{
    return cli_run_family(&family, argc, argv);
}

const struct cli_command cli_platform = {
    .name = "platform",
    .summary = "Look at platforms, or write one; the device catalogue",
    .run = platform_run,
    .family = &family,
};
