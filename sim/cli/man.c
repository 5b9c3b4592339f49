/* SPDX-License-Identifier: GPL-3.0-or-later */
/* man.c - hsim man: prints a manual page. */
#include "cli/man.h"

#include <argp.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/describe.h"

#define LINE_MAX_BYTES 78 /* of the page; mandoc warns beyond 80 */

/* What stands for a character that roff would change. */
static const char *escape_of(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-': /* else a hyphen, which nobody can copy */
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

static void put_word(FILE *file, const char *word, size_t length)
{
    if (length > 0 && *word == '.') {
        (void)fputs("\\&", file); /* no request */
    }
    for (size_t i = 0; i < length; i++) {
        const char *escape = escape_of(word[i]);

        if (escape) {
            (void)fputs(escape, file);
        } else {
            (void)fputc(word[i], file);
        }
    }
}

void man_inline(FILE *file, const char *text)
{
    put_word(file, text, strlen(text));
}

/* One paragraph, which is as long as a line of the text. */
static void put_paragraph(FILE *file, const char *text, size_t length)
{
    size_t column = 0;

    for (size_t at = 0; at < length;) {
        size_t word = 0;
        size_t width = 0; /* in bytes of the page */

        for (; at + word < length && text[at + word] != ' '; word++) {
            const char *escape = escape_of(text[at + word]);

            width += escape ? strlen(escape) : 1;
        }
        if (word > 0 && column > 0) {
            bool fits = column + 1 + width <= LINE_MAX_BYTES;

            (void)fputc(fits ? ' ' : '\n', file);
            column = fits ? column + 1 : 0;
        }
        put_word(file, text + at, word);
        column += width;
        at += word + 1;
    }
    (void)fputs(column > 0 ? "\n" : "", file);
}

void man_text(FILE *file, const char *text)
{
    bool is_example = false;
    bool is_parted = false;

    while (*text) {
        size_t length = strcspn(text, "\n");
        bool is_indented = *text == ' ';

        if (is_indented != is_example && length > 0) {
            (void)fputs(is_indented ? ".PP\n.nf\n" : ".fi\n.PP\n", file);
            is_example = is_indented;
            is_parted = false;
        }
        if (length == 0) {
            is_parted = !is_example;
        } else if (is_indented) {
            put_word(file, text, length);
            (void)fputc('\n', file);
        } else {
            (void)fputs(is_parted ? ".PP\n" : "", file);
            is_parted = false;
            put_paragraph(file, text, length);
        }
        text += length;
        text += *text == '\n';
    }
    (void)fputs(is_example ? ".fi\n" : "", file);
}

struct arguments {
    const char *page;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    if (key == ARGP_KEY_ARG && !arguments->page) {
        arguments->page = value;
        return 0;
    }
    if (key == ARGP_KEY_END && !arguments->page) {
        cli_usage(state, "Which page? hsim.1 or hsim-experiment.5.");
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp man_argp = {
    .parser = parse_option,
    .args_doc = "hsim.1\nhsim-experiment.5",
    .doc = "Prints a manual page: of the commands, or of the keys of an experiment."
           "\vWhere hsim is installed, `man hsim` shows them. Without it:\n"
           "  hsim man hsim-experiment.5 | man -l -",
};

static int man_run(int argc, char **argv)
{
    static const char *const pages[] = {"hsim.1", "hsim-experiment.5"};
    struct arguments arguments = {0};
    struct hs_error error = {0};
    int code = cli_parse(&man_argp, argc, argv, 0, NULL, &arguments);
    const char *near;

    if (code != CLI_OK) {
        return code;
    }
    if (strcmp(arguments.page, pages[0]) == 0) {
        return cli_finish(man_commands(stdout, &error) == HS_OK ? CLI_OK : cli_fail(&error));
    }
    if (strcmp(arguments.page, pages[1]) == 0) {
        man_keys(stdout);
        return cli_finish(CLI_OK);
    }
    near = hs_nearest(arguments.page, pages, 2);
    (void)hs_error_set(&error, HS_ERR_CONFIG,
                       "There is no page '%s'; there are hsim.1 and hsim-experiment.5.%s%s%s",
                       arguments.page, near ? " Did you mean '" : "", near ? near : "",
                       near ? "'?" : "");
    return cli_fail(&error);
}

const struct cli_command cli_man = {
    .name = "man",
    .summary = "Print a manual page",
    .run = man_run,
    .argp = &man_argp,
    .values = (const struct cli_values[]){{NULL, "hsim.1 hsim-experiment.5", NULL}, CLI_VALUES_END},
};
