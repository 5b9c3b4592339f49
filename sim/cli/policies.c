/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policies.c - hsim policies: what there is to choose from, built in and in plug-ins. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/policies.h"
#include "run/run.h"

#define PLUGIN_MAX 64

struct policies {
    const char *plugins[PLUGIN_MAX];
    size_t plugin_count;
    const char *verb;
    const char *name;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct policies *policies = state->input;

    switch (key) {
    case 'p':
        if (policies->plugin_count == PLUGIN_MAX) {
            cli_usage(state, "More than %d plug-ins are given; name fewer.", PLUGIN_MAX);
        }
        policies->plugins[policies->plugin_count++] = value;
        return 0;
    case ARGP_KEY_ARG:
        if (!policies->verb) {
            policies->verb = value;
        } else if (!policies->name) {
            policies->name = value;
        } else {
            cli_usage(state, "One name at a time; '%s' is one too many.", value);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"plugin", 'p', "FILE.so", 0, "Also look into this plug-in (may be repeated)", 0},
    {0},
};

static const struct argp policies_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "list\nshow NAME\nnew NAME [OPTION...]\ntest FILE.so [OPTION...]",
    .doc =
        "Lists policies, orders, reservation rules, placements, predictors, and choices of "
        "devices, or shows "
        "one with its parameters. `new` writes a plug-in to begin with, `test` tests one; each "
        "has a --help of its own.\vAn order and a reservation rule combine: `policy: sjf-easy` is "
        "the same as "
        "`policy: {name: easy, order: sjf}`; `place`, `predictor`, `local` and `tie` are further "
        "keys of it.",
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

static int run_policies(int argc, char **argv)
{
    struct policies policies = {0};
    struct hs_registry *registry = NULL;
    struct hs_error error = {0};
    bool is_show;
    int code;

    if (argc > 1 && strcmp(argv[1], "new") == 0) {
        return policies_new(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "test") == 0) {
        return policies_test(argc - 1, argv + 1);
    }
    code = cli_parse(&policies_argp, argc, argv, 0, NULL, &policies);

    if (code != CLI_OK) {
        return code;
    }
    is_show = policies.verb && strcmp(policies.verb, "show") == 0;
    if ((!is_show && policies.verb && strcmp(policies.verb, "list") != 0) ||
        is_show != (policies.name != NULL)) {
        (void)hs_error_set(
            &error, HS_ERR_CONFIG,
            "Say `hsim policies list`, `hsim policies show NAME`, `hsim policies new "
            "NAME` or `hsim policies test FILE.so`.");
        return cli_fail(&error);
    }
    if (run_registry_create(policies.plugins, policies.plugin_count, &registry, &error) != HS_OK) {
        return cli_fail(&error);
    }
    if (is_show) {
        code = show_named(registry, policies.name);
    } else {
        list_all(registry);
    }
    hs_registry_destroy(registry);
    return cli_finish(code);
}

const struct cli_command cli_policies = {
    "policies", "List policies, show one, write or test a plug-in", run_policies};
