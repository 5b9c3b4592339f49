/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.c - what all commands share: messages, exit codes, argp. */
#include "cli/cli.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_has_color(void)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(STDERR_FILENO) && !(no_color && *no_color);
}

int cli_fail(const struct hs_error *error)
{
    bool has_color = cli_has_color();
    const char *line = error->text;

    do {
        size_t length = strcspn(line, "\n");

        (void)fprintf(stderr, "%shsim: error:%s %.*s\n", has_color ? "\033[1;31m" : "",
                      has_color ? "\033[0m" : "", (int)length, line);
        line += length;
        line += *line == '\n';
    } while (*line);
    switch (error->code) {
    case HS_ERR_CONFIG:
        return CLI_USAGE;
    case HS_ERR_INPUT:
        return CLI_INPUT;
    case HS_ERR_POLICY:
        return CLI_POLICY;
    case HS_ERR_INTERRUPTED:
        return CLI_INTERRUPTED;
    default:
        return CLI_FAILED;
    }
}

int cli_finish(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE) {
        (void)fprintf(stderr, "hsim: error: Standard output cannot be written: %s.\n",
                      strerror(errno));
        return code == CLI_OK ? CLI_FAILED : code;
    }
    return code;
}

int cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *arg_index,
              void *input)
{
    error_t status;

    argp_err_exit_status = CLI_USAGE;
    status = argp_parse(argp, argc, argv, flags, arg_index, input);
    if (status != 0) {
        (void)fprintf(stderr, "hsim: error: %s\n", strerror(status));
        return CLI_USAGE;
    }
    return CLI_OK;
}
