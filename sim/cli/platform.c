/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - `hsim platform`: chooses among its subcommands. */
#include "cli/platform.h"

#include "cli/cli.h"

static const struct cli_command commands[] = {
    {"show", "Show the nodes, devices and other hosts of a platform", platform_show},
    {"generate", "Write a platform file from a few words", platform_generate},
    {"devices", "List the device catalogue, or show one model", platform_devices},
    {"probe", "Describe this machine as a platform", platform_probe},
};

static const struct cli_family family = {"platform",
                                         "Platforms: SimGrid files, or a number of equal nodes.",
                                         commands, sizeof commands / sizeof commands[0]};

static int platform_run(int argc, char **argv)
{
    return cli_run_family(&family, argc, argv);
}

const struct cli_command cli_platform = {
    "platform", "Look at platforms, or write one; the device catalogue", platform_run};
