/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe.c - the argp of a command, made where it has to be. */
#include "cli/describe.h"

#include <stdlib.h>

enum hs_err cli_describe(const struct cli_command *command, struct cli_description *description,
                         struct hs_error *error)
{
    *description = (struct cli_description){0};
    if (command->describe) {
        return command->describe(description, error);
    }
    HS_ASSERT(command->argp);
    description->argp = *command->argp;
    return HS_OK;
}

void cli_description_fini(struct cli_description *description)
{
    free(description->options);
    free(description->doc);
    *description = (struct cli_description){0};
}

static bool is_end(const struct argp_option *option)
{
    return !option->name && !option->key && !option->doc && !option->group;
}

void cli_each_option(const struct argp *argp,
                     void (*visit)(const struct argp_option *option, void *context), void *context)
{
    for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
        visit(option, context);
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++) {
        cli_each_option(child->argp, visit, context);
    }
}
