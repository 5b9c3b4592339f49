/* SPDX-License-Identifier: GPL-3.0-or-later */
/* version.c - hsim version: of the program and of what it is built with. */
#include <argp.h>
#include <stdio.h>

#include "cli/cli.h"
#include "hs/policy.h"
#include "result/result.h"
#include "result/schema.h"

static const struct argp version_argp = {
    .doc = "Prints the version, the commit, and the versions of interfaces and formats.",
};

static int run_version(int argc, char **argv)
{
    int code = cli_parse(&version_argp, argc, argv, 0, NULL, NULL);

    if (code != CLI_OK) {
        return code;
    }
    (void)printf("hsim %s\ncommit %s\nplug-in interface %u\nresult schema %d\ncompiler %s\n",
                 HSIM_VERSION, result_git_commit(), HS_ABI, RESULT_SCHEMA_VERSION, __VERSION__);
    return cli_finish(CLI_OK);
}

const struct cli_command cli_version = {
    .name = "version",
    .summary = "Print versions",
    .run = run_version,
    .argp = &version_argp,
};
