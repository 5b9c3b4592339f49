/* SPDX-License-Identifier: GPL-3.0-or-later */
/* yaml.c - experiment files: any text is refused with a report or becomes an experiment whose
 * resolved form reads back to itself.
 *
 * What stands behind a zero byte is a `--set`. */
#include "experiment/experiment.h"

#include "builtin.h"
#include "fuzz.h"
#include "hs/registry.h"

/* Composes the policies as a run would; wrong names and parameters are sentences. */
static void compose(const struct experiment *experiment)
{
    struct hs_registry *registry = hs_registry_create();
    struct hs_error error = {0};

    FUZZ_CHECK(registry && hs_registry_add(registry, &hp_builtin, "built-in", &error) == HS_OK);
    for (size_t i = 0; i < experiment->policy_count; i++) {
        const struct experiment_policy *policy = &experiment->policies[i];
        struct hs_choice_param *params = calloc(policy->param_count + 1, sizeof *params);
        struct hs_choice choice = {.name = policy->name,
                                   .order = policy->order,
                                   .place = policy->place,
                                   .local = policy->local,
                                   .tie = policy->tie,
                                   .params = params,
                                   .param_count = policy->param_count,
                                   .predictor = policy->predictor};
        struct hs_stack *stack = NULL;
        enum hs_err err;

        FUZZ_CHECK(params);
        for (size_t k = 0; k < policy->param_count; k++) {
            params[k] = (struct hs_choice_param){policy->params[k].name, policy->params[k].value};
        }
        err = hs_stack_create(registry, &choice, &stack, &error);
        if (err != HS_OK) {
            fuzz_check_error(err, &error);
        }
        hs_stack_destroy(stack);
        free(params);
    }
    hs_registry_destroy(registry);
}

static void check_resolved(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->policy_count; i++) {
        char *resolved = experiment_resolved(experiment, i);
        struct experiment again = {0};
        struct hs_error error = {0};
        char *report = NULL;
        char *second;

        FUZZ_CHECK(resolved);
        if (experiment_load_text(resolved, strlen(resolved), experiment->path, experiment->base_dir,
                                 NULL, 0, &again, &report, &error) != HS_OK) {
            (void)fprintf(stderr, "%s\n%s\n", report ? report : "", resolved);
            fuzz_fail("the resolved experiment reads back", __FILE__, __LINE__);
        }
        second = experiment_resolved(&again, 0);
        FUZZ_CHECK(second && strcmp(resolved, second) == 0);
        free(second);
        free(report);
        experiment_fini(&again);
        free(resolved);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    char *text = malloc(size + 1);
    struct experiment experiment = {0};
    struct experiment_override override = {NULL};
    struct hs_error error = {0};
    char *report = NULL;
    enum hs_err err;

    FUZZ_CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    override.text = text + (zero ? length + 1 : size);
    err = experiment_load_text(text, length, "fuzz.yaml", ".", &override, zero ? 1 : 0, &experiment,
                               &report, &error);
    if (err == HS_OK) {
        compose(&experiment);
        check_resolved(&experiment);
    } else {
        fuzz_check_error(err, &error);
        FUZZ_CHECK(report && *report);
    }
    free(report);
    experiment_fini(&experiment);
    free(text);
    return 0;
}
