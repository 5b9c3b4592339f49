/* SPDX-License-Identifier: GPL-3.0-or-later */
/* completion_tables.c - the tables as functions that bash and zsh understand alike. */
#include "cli/completion.h"
#include "experiment/key.h"

void completion_put_path(FILE *file, const struct completion_command *command)
{
    (void)fprintf(file, "%s%s%s", command->family ? command->family->name : "",
                  command->family ? " " : "", command->command->name);
}

void completion_put_commands(FILE *file)
{
    (void)fputs("# The commands behind those that are typed; fails if none "
                "follows.\n_hsim_commands()\n{\n    case $1 in\n    '') REPLY='",
                file);
    for (const struct cli_command *const *at = cli_commands; *at; at++) {
        (void)fprintf(file, "%s ", (*at)->name);
    }
    (void)fputs("help' ;;\n", file);
    for (const struct cli_command *const *at = cli_commands; *at; at++) {
        const struct cli_family *family = (*at)->family;

        if (family) {
            (void)fprintf(file, "    %s) REPLY='", (*at)->name);
            for (size_t i = 0; i < family->command_count; i++) {
                (void)fprintf(file, "%s ", family->commands[i].name);
            }
            (void)fputs("' ;;\n", file);
        }
    }
    (void)fputs("    *) return 1 ;;\n    esac\n}\n\n", file);
}

enum hs_err completion_put_sets(FILE *file, struct hs_error *error)
{
    static const char *const sets[] = {"@policies", "@stacks", "@orders", "@places", "@predictors"};
    enum hs_err code = HS_OK;

    (void)fputs("# Words of a set.\n_hsim_set()\n{\n    case $1 in\n", file);
    for (size_t i = 0; code == HS_OK && i < sizeof sets / sizeof sets[0]; i++) {
        (void)fprintf(file, "    %s) REPLY='", sets[i]);
        code = completion_names(file, sets[i], error);
        (void)fputs("' ;;\n", file);
    }
    (void)fputs("    @keys) REPLY='", file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        (void)fprintf(file, " %s", experiment_keys[i].path);
    }
    (void)fputs("' ;;\n    @settings) REPLY='", file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        if (completion_is_settable(&experiment_keys[i])) {
            (void)fprintf(file, " %s=", experiment_keys[i].path);
        }
    }
    (void)fputs("' ;;\n    *) REPLY= ;;\n    esac\n}\n\n", file);
    return code;
}

void completion_put_keys(FILE *file)
{
    (void)fputs("# What the value of a key can be.\n_hsim_key()\n{\n    case $1 in\n", file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        char buffer[1024];
        const char *tokens = completion_key_tokens(&experiment_keys[i], buffer, sizeof buffer);

        if (completion_is_settable(&experiment_keys[i]) && *tokens) {
            (void)fprintf(file, "    %s) REPLY='%s' ;;\n", experiment_keys[i].path, tokens);
        }
    }
    (void)fputs("    *) REPLY= ;;\n    esac\n}\n\n", file);
}
