/* SPDX-License-Identifier: GPL-3.0-or-later */
/* combine.c - from a combination of values to an experiment. */
#include <stdio.h>
#include <string.h>

#include "sweep/plan_internal.h"

const struct block_case *combination_include(const struct sweep_plan *plan, size_t number)
{
    return number < plan->combination_count
               ? NULL
               : &plan->block.includes.list[number - plan->combination_count];
}

struct block_value combination_value(const struct sweep_plan *plan,
                                     const struct combination *combination, size_t axis)
{
    const struct block *block = &plan->block;
    size_t rest = combination->number;

    if (combination->include) {
        return combination->include->values[axis];
    }
    for (size_t i = block->dimension_count; --i > block->axes[axis].dimension;) {
        rest /= block->dimensions[i].length;
    }
    return block->axes[axis].values[rest % block->dimensions[block->axes[axis].dimension].length];
}

/* Maps before what stands in them, so that `workload` and `workload.load` may both be axes. */
static void put_values(const struct sweep_plan *plan, const struct combination *combination,
                       struct arena *arena, struct report *report, struct tree_node *root)
{
    const struct block *block = &plan->block;

    for (size_t level = 1; level <= OVERRIDE_LEVEL_MAX; level++) {
        if (level == 1 && combination->is_policy_put) {
            struct override_path path = {.place = combination->include->policy->place};

            if (experiment_override_path(arena, report, "policy", &path)) {
                experiment_override_put(arena, report, &path, combination->include->policy, root);
            }
        }
        for (size_t i = 0; i < block->axis_count; i++) {
            const struct block_axis *axis = &block->axes[i];
            struct block_value value;

            if (axis->path.level_count != level ||
                (combination->is_policy_put && axis == block->policies)) {
                continue;
            }
            value = combination_value(plan, combination, i);
            if (value.node) {
                experiment_override_put(arena, report, &axis->path, value.node, root);
            }
        }
    }
}

enum hs_err combination_fill(const struct sweep_plan *plan, const struct combination *combination,
                             struct report *report, struct experiment *experiment,
                             struct hs_error *error)
{
    struct arena arena = {0};
    struct tree_node *root = text_tree_copy(&arena, plan->draft.root);
    enum hs_err err = HS_OK;

    *experiment = (struct experiment){0};
    if (root) {
        put_values(plan, combination, &arena, report, root);
    }
    if (arena.has_failed || report->has_failed) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = experiment_draft_fill(&plan->draft, root, report, experiment, error);
    }
    if (err == HS_OK) {
        experiment_draft_give(experiment, &arena);
    }
    text_arena_fini(&arena);
    return err;
}

void combination_text(const struct sweep_plan *plan, const struct combination *combination,
                      bool is_policy, char text[COMBINATION_TEXT_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < plan->block.axis_count && used < COMBINATION_TEXT_MAX - 1; i++) {
        const struct block_axis *axis = &plan->block.axes[i];
        struct block_value value = combination_value(plan, combination, i);
        const char *key = axis->key;

        if (!value.node || (is_policy && (!axis->is_policy || axis == plan->block.policies))) {
            continue;
        }
        if (is_policy && strncmp(key, "policy.", strlen("policy.")) == 0) {
            key += strlen("policy.");
        }
        used += (size_t)snprintf(text + used, COMBINATION_TEXT_MAX - used, "%s%s%s%s",
                                 used ? (is_policy ? "," : ", ") : "", key, is_policy ? "=" : " ",
                                 REPORT_CLIP(value.column.text));
    }
}
