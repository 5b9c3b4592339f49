/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.c - what all commands share: messages, exit codes, argp. */
#include "cli/cli.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/syntax.h"

#define FAMILY_MAX 16 /* subcommands of one command */

bool cli_has_color(void)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(STDERR_FILENO) && !(no_color && *no_color);
}

/* A sentence may quote any bytes of a file; those that are no text go out as \xNN. */
static void put_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t step = text_syntax_printable(line + i, length - i);

        if (step) {
            (void)fwrite(line + i, 1, step, stderr);
        } else {
            (void)fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)line[i]);
        }
        i += step ? step : 1;
    }
    (void)fputc('\n', stderr);
}

int cli_fail(const struct hs_error *error)
{
    bool has_color = cli_has_color();
    const char *line = error->text;

    do {
        size_t length = strcspn(line, "\n");

        (void)fprintf(stderr, "%shsim: error:%s ", has_color ? "\033[1;31m" : "",
                      has_color ? "\033[0m" : "");
        put_line(line, length);
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

int cli_fail_report(const char *report, const struct hs_error *error, const char *end)
{
    struct hs_error lines = *error;

    if (report && *report) {
        const char *line = report;

        while (*line) {
            size_t length = strcspn(line, "\n");

            (void)snprintf(lines.text, sizeof lines.text, "%.*s", (int)length, line);
            (void)cli_fail(&lines);
            line += length;
            line += *line == '\n';
        }
        lines.code = error->code;
        (void)snprintf(lines.text, sizeof lines.text, "%s", end);
        return cli_fail(&lines);
    }
    return cli_fail(error);
}

char *cli_command_line(int argc, char **argv)
{
    size_t size = 1;
    char *line;

    for (int i = 0; i < argc; i++) {
        size += strlen(argv[i]) + 1;
    }
    line = malloc(size);
    if (line) {
        char *end = line;

        for (int i = 0; i < argc; i++) {
            end = stpcpy(end, argv[i]);
            *end++ = i + 1 < argc ? ' ' : '\0';
        }
    }
    return line;
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

void cli_usage(const struct argp_state *state, const char *format, ...)
{
    struct hs_error error = {.code = HS_ERR_CONFIG};
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    (void)cli_fail(&error);
    argp_state_help(state, stderr, ARGP_HELP_STD_ERR);
    exit(CLI_USAGE);
}

/* What cli_parse wraps around the arguments of a command: help that can fail, and one style of
 * messages. */
struct frame {
    char **argv;
    void *input; /* of the command */
    bool is_helped;
};

enum { OPTION_USAGE = 0x8000 };

static error_t parse_frame(int key, char *value, struct argp_state *state)
{
    struct frame *frame = state->input;

    (void)value;
    switch (key) {
    case ARGP_KEY_INIT:
        state->argv = frame->argv;
        state->child_inputs[0] = frame->input;
        return 0;
    case '?':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
        break;
    case OPTION_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    frame->is_helped = true;
    return ECANCELED; /* ends the parsing */
}

/* An argument that the command did not take. */
static error_t parse_rest(int key, char *value, struct argp_state *state)
{
    if (key == ARGP_KEY_ARG) {
        cli_usage(state, "Too many arguments: '%s'.", value);
    }
    return ARGP_ERR_UNKNOWN;
}

int cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *arg_index,
              void *input)
{
    static const struct argp_option options[] = {
        {"help", '?', NULL, 0, "Give this help list", -1},
        {"usage", OPTION_USAGE, NULL, 0, "Give a short usage message", -1},
        {0},
    };
    static const struct argp rest = {.parser = parse_rest};
    /* Who asks for the index of the first argument takes them all. */
    const struct argp_child children[] = {
        {argp, 0, NULL, 0}, {arg_index ? NULL : &rest, 0, NULL, 0}, {0}};
    const struct argp whole = {.options = options, .parser = parse_frame, .children = children};
    struct frame frame = {.argv = argv, .input = input};
    char *name = argv[0];
    char *program = program_invocation_short_name;
    char *no_words[] = {NULL}; /* parse_frame puts the true ones in their place */
    struct hs_error error = {0};
    error_t status;

    /* getopt begins its messages with the first word, and argp its advice with the name. */
    argv[0] = (char[]){"hsim: error"};
    program_invocation_short_name = name;
    argp_err_exit_status = CLI_USAGE;
    status = argp_parse(&whole, argc, no_words, flags | ARGP_NO_HELP, arg_index, &frame);
    program_invocation_short_name = program;
    argv[0] = name;
    if (frame.is_helped) {
        int code = cli_finish(CLI_OK);

        return code == CLI_OK ? CLI_DONE : code;
    }
    if (status != 0) {
        (void)hs_error_set(&error, HS_ERR_SYSTEM, "The arguments cannot be read: %s.",
                           strerror(status));
        return cli_fail(&error);
    }
    return CLI_OK;
}

static void print_family(const struct cli_family *family, FILE *file)
{
    (void)fprintf(file, "Usage: hsim %s COMMAND [OPTION...]\n%s\n\n", family->name, family->about);
    for (size_t i = 0; i < family->command_count; i++) {
        (void)fprintf(file, "  %-10s %s\n", family->commands[i].name, family->commands[i].summary);
    }
    (void)fprintf(file, "\n`hsim %s COMMAND --help` shows the options of a command.\n",
                  family->name);
}

static int unknown_subcommand(const struct cli_family *family, const char *word)
{
    const char *names[FAMILY_MAX];
    struct hs_error error = {0};
    const char *near;

    for (size_t i = 0; i < family->command_count; i++) {
        names[i] = family->commands[i].name;
    }
    near = hs_nearest(word, names, family->command_count);
    (void)hs_error_set(&error, HS_ERR_CONFIG,
                       "`hsim %s %s` does not exist%s%s%s `hsim %s --help` lists the commands.",
                       family->name, word, near ? "; did you mean " : ".", near ? near : "",
                       near ? "?" : "", family->name);
    return cli_fail(&error);
}

int cli_run_family(const struct cli_family *family, int argc, char **argv)
{
    HS_ASSERT(family->command_count <= FAMILY_MAX);
    if (argc < 2) {
        print_family(family, stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "-?") == 0 || strcmp(argv[1], "help") == 0) {
        print_family(family, stdout);
        return cli_finish(CLI_OK);
    }
    for (size_t i = 0; i < family->command_count; i++) {
        if (strcmp(argv[1], family->commands[i].name) == 0) {
            char name[64];

            (void)snprintf(name, sizeof name, "hsim %s %s", family->name, family->commands[i].name);
            argv[1] = name;
            return family->commands[i].run(argc - 1, argv + 1);
        }
    }
    return unknown_subcommand(family, argv[1]);
}
