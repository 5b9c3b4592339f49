/* SPDX-License-Identifier: GPL-3.0-or-later */
/* completion_fish.c - the tables as `complete` commands of fish. */
#include <stdlib.h>
#include <string.h>

#include "cli/completion.h"
#include "experiment/key.h"

struct writer {
    FILE *file;
    const struct completion_command *command;
    struct hs_error *error; /* of memory */
};

/* Text inside single quotes. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') {
            (void)fputc('\\', file);
        }
        (void)fputc(*text == '\n' ? ' ' : *text, file);
    }
}

/* Words in one list, files, and what functions print. */
static void put_tokens(const struct writer *writer, const struct argp_option *option)
{
    char *tokens = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&tokens, &size);
    bool has_files = false;
    char *rest;
    char *token;

    if (!stream) {
        (void)hs_error_memory(writer->error);
        return;
    }
    completion_tokens(stream, writer->command, option);
    if (fclose(stream) != 0) {
        (void)hs_error_memory(writer->error);
    }
    rest = tokens;
    (void)fputs(" -a '", writer->file);
    while ((token = strsep(&rest, " ")) != NULL) {
        if (strcmp(token, "@files") == 0) {
            has_files = true;
        } else if (strcmp(token, "@folders") == 0) {
            (void)fputs("(__fish_complete_directories) ", writer->file);
        } else if (*token == '*') {
            (void)fprintf(writer->file, "(__fish_complete_suffix %s) ", token + 1);
        } else if (*token == '@') {
            (void)fprintf(writer->file, "(__hsim_set %s) ", token);
        } else if (*token) {
            (void)fprintf(writer->file, "%s ", token);
        }
    }
    (void)fprintf(writer->file, "'%s", has_files ? " -F" : option ? " -x" : "");
    free(tokens);
}

static void put_at(FILE *file, const struct completion_command *command)
{
    (void)fputs("complete -c hsim -n '__hsim_in ", file);
    completion_put_path(file, command);
    (void)fputc('\'', file);
}

static void put_option(const struct argp_option *option, void *context)
{
    const struct writer *writer = context;

    if (!option->name) {
        return;
    }
    put_at(writer->file, writer->command);
    if (completion_letter(option)) {
        (void)fprintf(writer->file, " -s %c", completion_letter(option));
    }
    (void)fprintf(writer->file, " -l %s -d '", option->name);
    put_text(writer->file, option->doc ? option->doc : "");
    (void)fputc('\'', writer->file);
    if (option->arg && !(option->flags & OPTION_ARG_OPTIONAL)) {
        (void)fputs(" -r", writer->file);
        put_tokens(writer, option);
    }
    (void)fputc('\n', writer->file);
}

static void put_command(const struct completion_command *command, void *context)
{
    struct writer writer = *(const struct writer *)context;

    writer.command = command;
    put_at(writer.file, command);
    put_tokens(&writer, NULL);
    (void)fputc('\n', writer.file);
    put_at(writer.file, command);
    (void)fputs(" -l help -d 'Give this help list'\n", writer.file);
    put_at(writer.file, command);
    (void)fputs(" -l usage -d 'Give a short usage message'\n", writer.file);
    cli_each_option(command->argp, put_option, &writer);
}

static void put_names(FILE *file)
{
    for (const struct cli_command *const *at = cli_commands; *at; at++) {
        const struct cli_family *family = (*at)->family;

        (void)fprintf(file, "complete -c hsim -n '__hsim_at' -a %s -d '", (*at)->name);
        put_text(file, (*at)->summary);
        (void)fputs("'\n", file);
        for (size_t i = 0; family && i < family->command_count; i++) {
            (void)fprintf(file, "complete -c hsim -n '__hsim_at %s' -a %s -d '", (*at)->name,
                          family->commands[i].name);
            put_text(file, family->commands[i].summary);
            (void)fputs("'\n", file);
        }
    }
}

static enum hs_err put_sets(FILE *file, struct hs_error *error)
{
    static const char *const sets[] = {"@policies", "@stacks", "@orders", "@places", "@predictors"};
    enum hs_err code = HS_OK;

    (void)fputs("# Words of a set; of @settings, with the value's once KEY= is typed.\n"
                "function __hsim_set\n    switch $argv[1]\n",
                file);
    for (size_t i = 0; code == HS_OK && i < sizeof sets / sizeof sets[0]; i++) {
        (void)fprintf(file, "        case %s\n            printf '%%s\\n'", sets[i]);
        code = completion_names(file, sets[i], error);
        (void)fputc('\n', file);
    }
    (void)fputs("        case @keys\n            printf '%s\\n'", file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        (void)fprintf(file, " %s", experiment_keys[i].path);
    }
    (void)fputs("\n        case @settings\n            __hsim_settings\n    end\nend\n\n"
                "function __hsim_settings\n"
                "    set -l word (commandline -ct | string replace -r '^--[a-z-]+=' '')\n"
                "    set -l key (string split -m 1 = -- $word)[1]\n"
                "    if not string match -q '*=*' -- $word\n"
                "        printf '%s=\\n'",
                file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        if (completion_is_settable(&experiment_keys[i])) {
            (void)fprintf(file, " %s", experiment_keys[i].path);
        }
    }
    (void)fputs("\n        return\n    end\n    switch $key\n", file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        char buffer[1024];
        const char *tokens = completion_key_tokens(&experiment_keys[i], buffer, sizeof buffer);

        if (!completion_is_settable(&experiment_keys[i]) || !*tokens ||
            strcmp(tokens, "@files") == 0) {
            continue;
        }
        (void)fprintf(file, "        case %s\n", experiment_keys[i].path);
        if (*tokens == '@') {
            (void)fprintf(file, "            __hsim_set %s | string replace -r '^' $key=\n",
                          tokens);
        } else {
            (void)fprintf(file, "            printf \"$key=%%s\\n\" %s\n", tokens);
        }
    }
    (void)fputs("    end\nend\n\n", file);
    return code;
}

static const char code_text[] =
    "# What is typed before the cursor, without options: exactly these words?\n"
    "function __hsim_at\n"
    "    set -l words (commandline -opc)[2..-1]\n"
    "    test \"$words\" = \"$argv\"\n"
    "end\n"
    "\n"
    "# Does it begin with them?\n"
    "function __hsim_in\n"
    "    set -l words (commandline -opc)[2..-1]\n"
    "    string match -q -- \"$argv *\" \"$words \"\n"
    "end\n"
    "\n"
    "complete -c hsim -f\n"
    "complete -c hsim -n __hsim_at -l help -d 'Print the commands'\n"
    "complete -c hsim -n __hsim_at -a help -d 'Print the commands, or the help of one'\n";

enum hs_err completion_fish(FILE *file, struct hs_error *error)
{
    struct writer writer = {.file = file, .error = error};
    enum hs_err code;

    error->code = HS_OK;
    (void)fputs("# Completion of hsim for fish; `hsim completion fish` made it.\n\n", file);
    code = put_sets(file, error);
    (void)fputs(code_text, file);
    put_names(file);
    if (code == HS_OK) {
        code = completion_each_command(put_command, &writer, error);
    }
    return code == HS_OK ? error->code : code;
}
