/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compose.c - from the words of an experiment to policies that can run, each under a label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allot/policy.h"
#include "builtin.h"
#include "run/plugin.h"
#include "run/run_internal.h"

enum hs_err run_registry_create(const char *const *plugins, size_t plugin_count,
                                struct hs_registry **registry, struct hs_error *error)
{
    struct hs_registry *made = hs_registry_create();
    enum hs_err err;

    *registry = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    err = hs_registry_add(made, &hp_builtin, "built-in", error);
    err = err == HS_OK ? hs_registry_add(made, &allot_policies, "built-in", error) : err;
    for (size_t i = 0; err == HS_OK && i < plugin_count; i++) {
        err = plugin_check(plugins[i], error);
        if (err == HS_OK) {
            err = hs_registry_load(made, plugins[i], error);
        }
    }
    if (err != HS_OK) {
        hs_registry_destroy(made);
        return err;
    }
    *registry = made;
    return HS_OK;
}

/* Appends " file:line:column" of the policy to a message that has no place yet. */
static enum hs_err locate(const struct experiment *experiment,
                          const struct experiment_policy *policy, struct hs_error *error)
{
    struct hs_error inner = *error;

    if (policy->line <= 0) {
        return hs_error_set(error, inner.code, "--set: %.1900s", inner.text);
    }
    return hs_error_set(error, inner.code, "%s:%d:%d: %.1900s", experiment->path, policy->line,
                        policy->column, inner.text);
}

enum hs_err run_compose(const struct hs_registry *registry, const struct experiment *experiment,
                        size_t index, struct hs_stack **stack, struct hs_error *error)
{
    const struct experiment_policy *policy = &experiment->policies[index];
    struct hs_choice_param *params = calloc(policy->param_count + 1, sizeof *params);
    struct hs_choice choice = {
        .name = policy->name,
        .order = policy->order,
        .place = policy->place,
        .local = policy->local,
        .tie = policy->tie,
        .params = params,
        .param_count = policy->param_count,
        .predictor = policy->predictor ? policy->predictor : experiment->predictor,
    };
    enum hs_err err;

    *stack = NULL;
    if (!params) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < policy->param_count; i++) {
        params[i] = (struct hs_choice_param){policy->params[i].name, policy->params[i].value};
    }
    err = hs_stack_create(registry, &choice, stack, error);
    free(params);
    if (err == HS_OK && experiment->is_clairvoyant && hs_stack_predicts(*stack)) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "With `clairvoyant: true` every policy has the true run time, so that "
                           "the predictor '%s' is not asked. Leave one of them out; `predictor: "
                           "oracle` gives the true run time to single policies.",
                           choice.predictor);
    }
    return err;
}

void run_label_make(const struct experiment_policy *policy, const struct hs_stack *stack,
                    char label[RUN_LABEL_SIZE])
{
    (void)snprintf(label, RUN_LABEL_SIZE, "%.120s",
                   policy->label ? policy->label : hs_stack_label(stack));
    for (char *c = label; *c; c++) {
        *c = *c == '/' ? '_' : *c; /* labels become file names */
    }
}

/* A label that no earlier policy of the session has: "depth", "depth-2", ... */
static void make_label(struct run_session *session, size_t index)
{
    char base[RUN_LABEL_SIZE];
    char *label = session->labels[index];
    bool is_taken = true;

    run_label_make(&session->experiment->policies[index], session->stacks[index], base);
    memcpy(label, base, sizeof base);
    for (size_t number = 2; is_taken; number++) {
        is_taken = false;
        for (size_t i = 0; i < index; i++) {
            is_taken |= strcmp(session->labels[i], label) == 0;
        }
        if (is_taken) {
            (void)snprintf(label, RUN_LABEL_SIZE, "%.120s-%zu", base, number);
        }
    }
}

/* A name under `scheduler` is the policies' own, but told once, where it stands. */
static enum hs_err check_predictor(const struct run_session *session, struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    struct experiment_policy place = {0};
    struct hs_choice choice = {.name = "fcfs", .predictor = experiment->predictor};
    struct hs_stack *stack = NULL;
    enum hs_err err = hs_stack_create(session->registry, &choice, &stack, error);

    hs_stack_destroy(stack);
    if (err == HS_OK) {
        return HS_OK;
    }
    experiment_place(experiment, "scheduler.predictor", &place.line, &place.column);
    return locate(experiment, &place, error);
}

/* Composes and names all policies. Every wrong one is told, in a line of its own. */
enum hs_err session_compose(struct run_session *session, struct hs_error *error)
{
    enum hs_err first = check_predictor(session, error);

    if (first != HS_OK) {
        return first;
    }
    for (size_t i = 0; i < session->experiment->policy_count; i++) {
        struct hs_error more = {0};
        enum hs_err err =
            run_compose(session->registry, session->experiment, i, &session->stacks[i], &more);
        size_t length = strlen(error->text);

        if (err != HS_OK) {
            err = locate(session->experiment, &session->experiment->policies[i], &more);
        }
        if (err == HS_OK) {
            make_label(session, i);
        } else if (first == HS_OK) {
            *error = more;
            first = err;
        } else if (length + strlen(more.text) + 1 < sizeof error->text) {
            error->text[length] = '\n';
            memcpy(error->text + length + 1, more.text, strlen(more.text) + 1);
        }
    }
    return first;
}
