/* SPDX-License-Identifier: GPL-3.0-or-later */
/* completion.c - hsim completion: scripts that let a shell complete commands, options and words. */
#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "experiment/key.h"
#include "hs/registry.h"
#include "run/run.h"

static enum hs_err visit_one(const struct cli_command *family, const struct cli_command *command,
                             void (*visit)(const struct completion_command *, void *),
                             void *context, struct hs_error *error)
{
    struct cli_description description;
    enum hs_err code = cli_describe(command, &description, error);

    if (code == HS_OK) {
        visit(&(struct completion_command){family, command, &description.argp}, context);
    }
    cli_description_fini(&description);
    return code;
}

enum hs_err completion_each_command(void (*visit)(const struct completion_command *command,
                                                  void *context),
                                    void *context, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    for (const struct cli_command *const *at = cli_commands; code == HS_OK && *at; at++) {
        const struct cli_family *family = (*at)->family;

        if (!family) {
            code = visit_one(NULL, *at, visit, context, error);
        }
        for (size_t i = 0; code == HS_OK && family && i < family->command_count; i++) {
            code = visit_one(*at, &family->commands[i], visit, context, error);
        }
    }
    return code;
}

bool completion_is_heading(const struct argp_option *option)
{
    return !option->name && option->doc;
}

char completion_letter(const struct argp_option *option)
{
    return option->key > 0 && option->key < 128 && isprint(option->key) ? (char)option->key : '\0';
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* One name of an argument: FILE.h5, FOLDER, KEY, or a word in small letters for itself. */
static void put_name(FILE *file, const char *name, size_t length, bool is_argument)
{
    static const char *const files[] = {"FILE", "PATH", "TRACE", "MATRIX", "INSTANCES"};
    const char *dot = memchr(name, '.', length);
    size_t small = 0;

    while (small < length && (islower((unsigned char)name[small]) || name[small] == '-')) {
        small++;
    }
    if (length > 1 && small == length && is_argument && *name != '-') {
        (void)fprintf(file, " %.*s", (int)length, name);
    } else if (is_word(name, length, "KEY=VALUE")) {
        (void)fputs(" @settings", file);
    } else if (is_word(name, length, "KEY")) {
        (void)fputs(" @keys", file);
    } else if (is_word(name, length, "FOLDER") || is_word(name, length, "DIR")) {
        (void)fputs(" @folders", file);
    } else if (dot && dot > name && isupper((unsigned char)*name)) {
        (void)fprintf(file, " *%.*s", (int)(length - (size_t)(dot - name)), dot);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (is_word(name, length, files[i])) {
            (void)fputs(" @files", file);
        }
    }
}

/* The names in the help of an option ("KEY[,KEY...]") or of a command ("list\nshow NAME"), without
 * those of options. */
static void put_names(FILE *file, const char *text, bool is_argument)
{
    bool is_option = false;

    while (text && *text) {
        size_t length;

        text += strspn(text, " \n[]|,.");
        length = strcspn(text, " \n[]|,");
        if (length > 3 && strncmp(text + length - 3, "...", 3) == 0) {
            put_name(file, text, length - 3, is_argument);
        } else if (length > 0 && *text == '-') {
            is_option = !memchr(text, '=', length);
        } else if (length > 0) {
            if (!is_option) {
                put_name(file, text, length, is_argument);
            }
            is_option = false;
        }
        text += length;
    }
}

void completion_tokens(FILE *file, const struct completion_command *command,
                       const struct argp_option *option)
{
    const char *name = option ? option->name : NULL;

    for (const struct cli_values *row = command->command->values;
         row && (row->option || row->words || row->word); row++) {
        if (row->option && name ? strcmp(row->option, name) != 0 : row->option || name) {
            continue;
        }
        (void)fprintf(file, "%s%s", row->words ? " " : "", row->words ? row->words : "");
        for (size_t i = 0; row->word && row->word(i); i++) {
            (void)fprintf(file, " %s", row->word(i));
        }
        return;
    }
    put_names(file, option ? option->arg : command->argp->args_doc, !option);
}

bool completion_is_settable(const struct key *key)
{
    return *key->path && key->type != KEY_MAP && key->type != KEY_MAP_LIST &&
           !experiment_key_list(key);
}

const char *completion_key_tokens(const struct key *key, char *buffer, size_t size)
{
    static const char *const sets[][2] = {{"policy", "@stacks"},
                                          {"policy.name", "@stacks"},
                                          {"policy.order", "@orders"},
                                          {"policy.place", "@places"},
                                          {"predictor", "@predictors"}};
    size_t length = 0;

    buffer[0] = '\0';
    if (key->type == KEY_BOOL) {
        return "true false";
    }
    if (key->type == KEY_PATH) {
        return "@files";
    }
    for (const struct key_choice *choice = key->choices; choice && choice->name; choice++) {
        length += (size_t)snprintf(buffer + length, length < size ? size - length : 0, "%s%s",
                                   length ? " " : "", choice->name);
        HS_ASSERT(length < size);
    }
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (strcmp(key->path, sets[i][0]) == 0 ||
            (i == 4 && strcmp(experiment_key_name(key), sets[i][0]) == 0)) {
            return sets[i][1];
        }
    }
    return buffer;
}

static void put_kind(FILE *file, const struct hs_registry *registry, enum hs_kind kind,
                     const char *before)
{
    for (size_t i = 0; i < hs_registry_count(registry, kind); i++) {
        (void)fprintf(file, " %s%s", before, hs_registry_info(registry, kind, i).name);
    }
}

enum hs_err completion_names(FILE *file, const char *set, struct hs_error *error)
{
    bool is_stacks = strcmp(set, "@stacks") == 0;
    bool is_policies = strcmp(set, "@policies") == 0;
    struct hs_registry *registry = NULL;
    enum hs_err code = run_registry_create(NULL, 0, &registry, error);

    for (int kind = 0; code == HS_OK && kind < HS_KIND_COUNT; kind++) {
        if (is_policies || (is_stacks && kind <= HS_KIND_RESERVE) ||
            (kind == HS_KIND_ORDER && strcmp(set, "@orders") == 0) ||
            (kind == HS_KIND_PLACE && strcmp(set, "@places") == 0) ||
            (kind == HS_KIND_PREDICT && strcmp(set, "@predictors") == 0)) {
            put_kind(file, registry, (enum hs_kind)kind, "");
        }
    }
    for (size_t i = 0; code == HS_OK && is_stacks && i < hs_registry_count(registry, HS_KIND_ORDER);
         i++) {
        char order[128];

        (void)snprintf(order, sizeof order, "%s-",
                       hs_registry_info(registry, HS_KIND_ORDER, i).name);
        put_kind(file, registry, HS_KIND_RESERVE, order);
    }
    hs_registry_destroy(registry);
    return code;
}

struct arguments {
    const char *shell;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    if (key == ARGP_KEY_ARG && !arguments->shell) {
        arguments->shell = value;
        return 0;
    }
    if (key == ARGP_KEY_END && !arguments->shell) {
        cli_usage(state, "For which shell? bash, zsh or fish.");
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp completion_argp = {
    .parser = parse_option,
    .args_doc = "bash\nzsh\nfish",
    .doc = "Prints a script that lets the shell complete commands, options, their words, files, "
           "names of policies, and keys of experiments."
           "\vIn bash, for this session:\n"
           "  eval \"$(hsim completion bash)\"\n"
           "For all to come:\n"
           "  hsim completion bash >~/.local/share/bash-completion/completions/hsim\n"
           "  hsim completion zsh >~/.zfunc/_hsim        # a folder of $fpath\n"
           "  hsim completion fish >~/.config/fish/completions/hsim.fish",
};

static int completion_run(int argc, char **argv)
{
    static const char *const names[] = {"bash", "zsh", "fish"};
    static enum hs_err (*const write[])(FILE *, struct hs_error *) = {
        completion_bash, completion_zsh, completion_fish};
    struct arguments arguments = {0};
    struct hs_error error = {0};
    int code = cli_parse(&completion_argp, argc, argv, 0, NULL, &arguments);
    const char *near;

    if (code != CLI_OK) {
        return code;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(arguments.shell, names[i]) == 0) {
            return cli_finish(write[i](stdout, &error) == HS_OK ? CLI_OK : cli_fail(&error));
        }
    }
    near = hs_nearest(arguments.shell, names, sizeof names / sizeof names[0]);
    (void)hs_error_set(&error, HS_ERR_CONFIG,
                       "There is no completion for '%s'; there is for bash, zsh and fish.%s%s%s",
                       arguments.shell, near ? " Did you mean '" : "", near ? near : "",
                       near ? "'?" : "");
    return cli_fail(&error);
}

const struct cli_command cli_completion = {
    .name = "completion",
    .summary = "Print a completion script for bash, zsh or fish",
    .run = completion_run,
    .argp = &completion_argp,
};
