/* SPDX-License-Identifier: GPL-3.0-or-later */
/* experiment.c - hsim validate, explain and schema: experiments without running them. */
#include "experiment/experiment.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/run.h"
#include "sweep/plan.h"

#define OVERRIDE_MAX 64

struct validate {
    struct experiment_override overrides[OVERRIDE_MAX];
    size_t override_count;
    bool is_resolved;
};

static error_t validate_option(int key, char *value, struct argp_state *state)
{
    struct validate *validate = state->input;

    switch (key) {
    case 's':
        if (validate->override_count == OVERRIDE_MAX) {
            cli_usage(state, "More than %d --set are given; write them into the experiment.",
                      OVERRIDE_MAX);
        }
        validate->overrides[validate->override_count++].text = value;
        return 0;
    case 'r':
        validate->is_resolved = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option validate_options[] = {
    {"set", 's', "KEY=VALUE", 0, "Change a key; the value is YAML, e.g. --set policy=easy", 0},
    {"resolved", 'r', NULL, 0, "Print the experiment as YAML with every key, one for each policy",
     0},
    {0},
};

static const struct argp validate_argp = {
    .options = validate_options,
    .parser = validate_option,
    .args_doc = "FILE...",
    .doc = "Checks experiments without running them and names every problem with its place."
           "\vPlatform, workload and plug-ins may be missing still, which is a warning; without a "
           "plug-in the policies are not checked. The exit code is 0 if all files are valid, else "
           "2.",
};

/* A file that is not there yet is no error of the experiment. False: it is not there. */
static bool warn_file(const struct experiment *experiment, const char *key, const char *path)
{
    if (path && access(path, R_OK) != 0) {
        fprintf(stderr, "hsim: warning: %s: The %s '%s' cannot be read: %s.\n", experiment->path,
                key, path, strerror(errno));
        return false;
    }
    return true;
}

/* Files that the experiment names. False: a plug-in is not there. */
static bool warn_files(const struct experiment *experiment)
{
    bool has_plugins = true;

    (void)warn_file(experiment, "platform", experiment->platform.file);
    (void)warn_file(experiment, "catalogue", experiment->platform.catalogue);
    (void)warn_file(experiment, "workload", experiment->workload.file);
    (void)warn_file(experiment, "table of throughputs", experiment->workload.throughputs);
    for (size_t i = 0; i < experiment->plugin_count; i++) {
        has_plugins &= warn_file(experiment, "plug-in", experiment->plugins[i]);
    }
    return has_plugins;
}

/* Files, and policies; these only if all plug-ins are there. */
static int check_surroundings(const struct experiment *experiment)
{
    struct hs_error error = {0};

    if (!warn_files(experiment) || run_check(experiment, &error) == HS_OK) {
        return CLI_OK;
    }
    if (error.code != HS_ERR_CONFIG) {
        return cli_fail(&error);
    }
    fprintf(stderr, "%s\n", error.text);
    return CLI_USAGE;
}

static void print_summary(const struct experiment *experiment)
{
    printf("%s: ok\n  %s: platform %s; workload %s; seed %llu; %zu %s:", experiment->path,
           experiment->name, experiment->platform_as_written, experiment->workload_as_written,
           (unsigned long long)experiment->seed, experiment->policy_count,
           experiment->policy_count == 1 ? "policy" : "policies");
    for (size_t i = 0; i < experiment->policy_count; i++) {
        const struct experiment_policy *policy = &experiment->policies[i];

        printf("%s %s", i ? "," : "", policy->label ? policy->label : policy->name);
        if (!policy->label && policy->order) {
            printf(" (%s)", policy->order);
        }
    }
    putchar('\n');
}

static int print_resolved(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->policy_count; i++) {
        char *text = experiment_resolved(experiment, i);
        struct hs_error error = {0};

        if (!text) {
            (void)hs_error_memory(&error);
            return cli_fail(&error);
        }
        printf("%s%s", i ? "---\n" : "", text);
        free(text);
    }
    return CLI_OK;
}

/* "400 runs: workload.load x 10, ..." */
static void print_sweep(const struct sweep_plan *plan)
{
    const struct experiment *base = sweep_plan_base(plan);
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    size_t axis_count = sweep_plan_axes(plan, &axes);
    size_t row_count = sweep_plan_rows(plan, &rows);

    printf("%s: ok\n  %s: a sweep of %zu run%s", base->path, base->name, row_count,
           row_count == 1 ? "" : "s");
    for (size_t i = 0; i < axis_count; i++) {
        printf("%s%s", i ? ", " : " over ", axes[i].key);
    }
    printf("; `hsim sweep %s --list` lists them\n", base->path);
}

static int print_resolved_sweep(const struct sweep_plan *plan)
{
    const struct sweep_row *rows;
    size_t row_count = sweep_plan_rows(plan, &rows);
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < row_count; i++) {
        struct experiment experiment;
        struct hs_error error = {0};

        fputs(i ? "---\n" : "", stdout);
        code = sweep_plan_experiment(plan, i, &experiment, &error) == HS_OK
                   ? print_resolved(&experiment)
                   : cli_fail(&error);
        experiment_fini(&experiment);
    }
    return code;
}

/* Each problem begins with its place, as editors and compilers know it. */
static int print_problems(const char *report, const struct hs_error *error)
{
    if (!report || error->code != HS_ERR_CONFIG) {
        return cli_fail(error);
    }
    fprintf(stderr, "%s\n", report);
    return CLI_USAGE;
}

static int validate_sweep(const struct validate *validate, const char *path)
{
    struct sweep_plan *plan = NULL;
    struct hs_error error = {0};
    char *report = NULL;
    int code = CLI_OK;

    if (sweep_plan_check(path, validate->overrides, validate->override_count, &plan, &report,
                         &error) != HS_OK) {
        code = print_problems(report, &error);
    } else {
        (void)warn_files(sweep_plan_base(plan));
        if (validate->is_resolved) {
            code = print_resolved_sweep(plan);
        } else {
            print_sweep(plan);
        }
    }
    sweep_plan_destroy(plan);
    free(report);
    return code;
}

static int validate_file(const struct validate *validate, const char *path)
{
    struct experiment experiment;
    struct hs_error error = {0};
    char *report = NULL;
    int code = CLI_OK;

    if (sweep_plan_is_due(path, validate->overrides, validate->override_count)) {
        return validate_sweep(validate, path);
    }
    if (experiment_load(path, validate->overrides, validate->override_count, &experiment, &report,
                        &error) != HS_OK) {
        code = print_problems(report, &error);
    } else {
        code = check_surroundings(&experiment);
        if (code == CLI_OK && validate->is_resolved) {
            code = print_resolved(&experiment);
        } else if (code == CLI_OK) {
            print_summary(&experiment);
        }
    }
    experiment_fini(&experiment);
    free(report);
    return code;
}

static int validate_run(int argc, char **argv)
{
    struct validate validate = {0};
    int index = argc;
    int code = cli_parse(&validate_argp, argc, argv, 0, &index, &validate);
    int result = CLI_OK;

    if (code != CLI_OK) {
        return code;
    }
    if (index >= argc) {
        struct hs_error error = {0};

        (void)hs_error_set(&error, HS_ERR_CONFIG,
                           "validate needs an experiment. Write for instance `hsim validate "
                           "experiments/four-key.yaml`.");
        return cli_fail(&error);
    }
    for (; index < argc; index++) {
        code = validate_file(&validate, argv[index]);
        result = result == CLI_OK ? code : result;
    }
    return cli_finish(result);
}

const struct cli_command cli_validate = {
    .name = "validate",
    .summary = "Check experiments without running them",
    .run = validate_run,
    .argp = &validate_argp,
};

static const struct argp explain_argp = {
    .args_doc = "[KEY]",
    .doc = "Explains a key of an experiment: meaning, type, unit, range, default, example. "
           "Without KEY it lists all keys.",
};

static int explain_run(int argc, char **argv)
{
    const char *suggestion = NULL;
    int index = argc;
    int code = cli_parse(&explain_argp, argc, argv, 0, &index, NULL);
    struct hs_error error = {0};

    if (code != CLI_OK) {
        return code;
    }
    if (index + 1 < argc) {
        (void)hs_error_set(&error, HS_ERR_CONFIG,
                           "explain takes one key, not %d. Write for instance `hsim explain "
                           "workload.load`.",
                           argc - index);
        return cli_fail(&error);
    }
    if (!experiment_explain(stdout, index < argc ? argv[index] : NULL, &suggestion)) {
        if (suggestion) {
            (void)hs_error_set(&error, HS_ERR_CONFIG, "There is no key '%s'. Did you mean '%s'?",
                               argv[index], suggestion);
        } else {
            (void)hs_error_set(&error, HS_ERR_CONFIG,
                               "There is no key '%s'. `hsim explain` lists all keys.", argv[index]);
        }
        return cli_fail(&error);
    }
    return cli_finish(CLI_OK);
}

const struct cli_command cli_explain = {
    .name = "explain",
    .summary = "Explain a key of an experiment",
    .run = explain_run,
    .argp = &explain_argp,
};

static const struct argp schema_argp = {
    .doc = "Prints the JSON Schema (draft-07) of experiments, for editors that check and complete "
           "YAML.",
};

static int schema_run(int argc, char **argv)
{
    int index = argc;
    int code = cli_parse(&schema_argp, argc, argv, 0, &index, NULL);

    if (code != CLI_OK) {
        return code;
    }
    if (index < argc) {
        struct hs_error error = {0};

        (void)hs_error_set(&error, HS_ERR_CONFIG,
                           "schema takes no argument, but '%s' is given. Remove it.", argv[index]);
        return cli_fail(&error);
    }
    experiment_write_schema(stdout);
    return cli_finish(CLI_OK);
}

const struct cli_command cli_schema = {
    .name = "schema",
    .summary = "Print the JSON Schema of experiments",
    .run = schema_run,
    .argp = &schema_argp,
};
