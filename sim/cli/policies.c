/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policies.c - hsim policies: what there is to choose from, built in and in plug-ins. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/policies.h"
#include "run/run.h"

#define PLUGIN_MAX 64

struct policies {
    const char *plugins[PLUGIN_MAX];
    size_t plugin_count;
    const char *name;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct policies *policies = state->input;

    if (key != 'p') {
        return ARGP_ERR_UNKNOWN;
    }
    if (policies->plugin_count == PLUGIN_MAX) {
        cli_usage(state, "More than %d plug-ins are given; name fewer.", PLUGIN_MAX);
    }
    policies->plugins[policies->plugin_count++] = value;
    return 0;
}

/* `show` takes a name besides. */
static error_t parse_show(int key, char *value, struct argp_state *state)
{
    struct policies *policies = state->input;

    if (key == ARGP_KEY_NO_ARGS) {
        cli_usage(state, "Name what to show; `hsim policies list` has the names.");
    }
    if (key != ARGP_KEY_ARG) {
        return parse_option(key, value, state);
    }
    if (policies->name) {
        cli_usage(state, "One name at a time; '%s' is one too many.", value);
    }
    policies->name = value;
    return 0;
}

static const struct argp_option options[] = {
    {"plugin", 'p', "FILE.so", 0, "Also look into this plug-in (may be repeated)", 0},
    {0},
};

static const struct argp list_argp = {
    .options = options,
    .parser = parse_option,
    .doc =
        "Lists policies, orders, reservation rules, placements, predictors, and choices of "
        "devices.\vAn order and a reservation rule combine: `policy: sjf-easy` is "
        "the same as "
        "`policy: {name: easy, order: sjf}`; `place`, `predictor`, `local` and `tie` are further "
        "keys of it.",
};

static const struct argp show_argp = {
    .options = options,
    .parser = parse_show,
    .args_doc = "NAME",
    .doc = "Shows a policy, order, reservation rule, placement or predictor with its parameters.",
};

static const char *plural(enum hs_kind kind)
{
    static const char *const names[HS_KIND_COUNT] = {
        [HS_KIND_POLICY] = "Whole policies",           [HS_KIND_ORDER] = "Orders",
        [HS_KIND_RESERVE] = "Reservation rules",       [HS_KIND_PLACE] = "Placements",
        [HS_KIND_PREDICT] = "Predictors of run times",
    };

    return names[kind];
}

/* What is no plug-in but a word of a policy: in the order of hs_stack_locals and hs_stack_ties. */
struct detail {
    const char *key, *title, *kind;
    const char *const *(*names)(void);
    const char *summaries[4];
};

static const struct detail details[] = {
    {"local",
     "Devices inside a node",
     "choice of devices inside a node",
     hs_stack_locals,
     {[HS_LOCAL_TIGHT] = "the fullest that suffice, so that whole devices stay whole",
      [HS_LOCAL_ISLAND] = "of one NVLink island or NUMA domain if one suffices",
      [HS_LOCAL_FIRST] = "the lowest index"}},
    {"tie",
     "Nodes that a placement finds equal",
     "tie rule of placements",
     hs_stack_ties,
     {"the lowest index", "one random order of the nodes for the whole run, by the seed"}},
};

static void list_details(void)
{
    for (size_t d = 0; d < sizeof details / sizeof details[0]; d++) {
        const char *const *names = details[d].names();

        (void)printf("\n%s, `%s:`\n", details[d].title, details[d].key);
        for (size_t i = 0; names[i]; i++) {
            (void)printf("  %-22s %s%s\n", names[i], details[d].summaries[i],
                         i ? "" : " (the default)");
        }
    }
}

/* Shows the details of the name; false: there are none. */
static bool show_details(const char *name)
{
    bool is_found = false;

    for (size_t d = 0; d < sizeof details / sizeof details[0]; d++) {
        const char *const *names = details[d].names();

        for (size_t i = 0; names[i]; i++) {
            if (strcmp(names[i], name) == 0) {
                (void)printf("%s: %s\n  %s\n  in a policy: {name: easy, %s: %s}\n", name,
                             details[d].kind, details[d].summaries[i], details[d].key, name);
                is_found = true;
            }
        }
    }
    return is_found;
}

static void list_all(const struct hs_registry *registry)
{
    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        (void)printf("%s%s\n", kind ? "\n" : "", plural((enum hs_kind)kind));
        for (size_t i = 0; i < hs_registry_count(registry, (enum hs_kind)kind); i++) {
            struct hs_plugin_info info = hs_registry_info(registry, (enum hs_kind)kind, i);

            (void)printf("  %-22s %s%s%s\n", info.name, info.summary,
                         strcmp(info.origin, "built-in") == 0 ? "" : "  from ",
                         strcmp(info.origin, "built-in") == 0 ? "" : info.origin);
        }
    }
    list_details();
    (void)printf(
        "\nAny order combines with any reservation rule: ORDER-RULE, for instance "
        "sjf-easy.\nAn order alone has the rule none; a rule alone has the order fcfs. Each "
        "goes with any\nplacement: {name: easy, order: sjf, place: best-fit, local: "
        "island, tie: random},\nand by any predictor: {name: easy, predictor: last-two}.\n");
}

static void show(enum hs_kind kind, const struct hs_plugin_info *info)
{
    (void)printf("%s: %s%s\n  %s\n  origin: %s\n", info->name, hs_kind_name(kind),
                 info->is_time_varying ? " (changes with time)" : "", info->summary, info->origin);
    for (const struct hs_param *row = info->params; row && row->type != HS_PARAM_TYPE_END; row++) {
        if (row->type == HS_PARAM_TYPE_BOOL) {
            (void)printf("  parameter %s = %s: %s\n", row->name, row->default_text, row->doc);
        } else {
            bool has_own_unit = row->type == HS_PARAM_TYPE_TIME; /* "1h"; the limits are in s */

            (void)printf("  parameter %s = %s%s%s (%g to %g%s%s): %s\n", row->name,
                         row->default_text, *row->unit && !has_own_unit ? " " : "",
                         has_own_unit ? "" : row->unit, row->min, row->max,
                         *row->unit && has_own_unit ? " " : "", has_own_unit ? row->unit : "",
                         row->doc);
        }
    }
}

/* Shows all that has the name (an order, a policy and a tie rule may share it). */
static int show_named(const struct hs_registry *registry, const char *name)
{
    struct hs_choice choice = {.name = name};
    struct hs_error error = {0};
    struct hs_stack *stack = NULL;
    bool is_found = false;

    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        for (size_t i = 0; i < hs_registry_count(registry, (enum hs_kind)kind); i++) {
            struct hs_plugin_info info = hs_registry_info(registry, (enum hs_kind)kind, i);

            if (strcmp(info.name, name) == 0) {
                show((enum hs_kind)kind, &info);
                is_found = true;
            }
        }
    }
    is_found = show_details(name) || is_found;
    if (is_found) {
        return CLI_OK;
    }
    if (hs_stack_create(registry, &choice, &stack, &error) != HS_OK) {
        return cli_fail(&error);
    }
    (void)printf("%s: an order and a reservation rule; see `hsim policies show` for each part\n",
                 hs_stack_label(stack));
    hs_stack_destroy(stack);
    return CLI_OK;
}

/* `list` without a name to show, else `show`. */
static int look(const struct argp *argp, int argc, char **argv)
{
    struct policies policies = {0};
    struct hs_registry *registry = NULL;
    struct hs_error error = {0};
    int code = cli_parse(argp, argc, argv, 0, NULL, &policies);

    if (code != CLI_OK) {
        return code;
    }
    if (run_registry_create(policies.plugins, policies.plugin_count, &registry, &error) != HS_OK) {
        return cli_fail(&error);
    }
    if (policies.name) {
        code = show_named(registry, policies.name);
    } else {
        list_all(registry);
    }
    hs_registry_destroy(registry);
    return cli_finish(code);
}

static int policies_list(int argc, char **argv)
{
    return look(&list_argp, argc, argv);
}

static int policies_show(int argc, char **argv)
{
    return look(&show_argp, argc, argv);
}

static const struct cli_values show_values[] = {
    {NULL, "@policies", NULL},
    CLI_VALUES_END,
};

static const struct cli_values new_values[] = {
    {"kind", "policy order reserve place predictor", NULL},
    CLI_VALUES_END,
};

static const struct cli_command commands[] = {
    {.name = "list",
     .summary = "List all policies, and what they are composed of",
     .run = policies_list,
     .argp = &list_argp},
    {.name = "show",
     .summary = "Show one with its parameters",
     .run = policies_show,
     .argp = &show_argp,
     .values = show_values},
    {.name = "new",
     .summary = "Write a plug-in to begin with",
     .run = policies_new,
     .argp = &policies_new_argp,
     .values = new_values},
    {.name = "test",
     .summary = "Test a plug-in on random clusters and workloads",
     .run = policies_test,
     .argp = &policies_test_argp},
};

static const struct cli_family family = {
    "policies", "Policies and what they are composed of, built in and in plug-ins.", commands,
    sizeof commands / sizeof commands[0]};

/* Without a subcommand all are listed. */
static int run_policies(int argc, char **argv)
{
    return argc < 2 || (argv[1][0] == '-' && argv[1][1] == 'p')
               ? policies_list(argc, argv)
               : cli_run_family(&family, argc, argv);
}

const struct cli_command cli_policies = {
    .name = "policies",
    .summary = "List policies, show one, write or test a plug-in",
    .run = run_policies,
    .family = &family,
};
