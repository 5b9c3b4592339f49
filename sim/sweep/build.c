/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build.c - the rows of a plan: each combination filled and checked, its policies composed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan_internal.h"

/* With problems in it, a plan need not be looked at to its end. */
#define TRIED_MAX 1000

/* A problem of the experiments of combinations, told once. */
struct complaint {
    struct tree_place place;
    const char *text;
    size_t count; /* combinations that have it */
    size_t last;  /* of them, and 1 */
    char first[COMBINATION_TEXT_MAX];
};

struct builder {
    struct sweep_plan *plan;
    struct text_map known; /* complaints by place and text */
    struct complaint *complaints[REPORT_PROBLEM_MAX];
    struct arena arena;
    size_t tried; /* combinations */
    /* The combination at hand. */
    struct combination combination;
    struct experiment experiment;
    struct run_basis basis;
    const struct sweep_value *values;
};

static bool complain(struct builder *builder, struct tree_place place, const char *text)
{
    struct complaint *complaint;
    size_t known = builder->known.count, number;
    char *key = NULL;
    bool is_ok = asprintf(&key, "%d:%d:%d:%s", place.source, place.line, place.column, text) >= 0;

    if (!is_ok || known >= REPORT_PROBLEM_MAX) {
        free(is_ok ? key : NULL);
        return is_ok;
    }
    is_ok = text_map_add(&builder->known, key, &number);
    free(key);
    if (!is_ok) {
        return false;
    }
    if (number == known) {
        complaint = text_arena_alloc(&builder->arena, sizeof *complaint);
        if (!complaint) {
            return false;
        }
        complaint->place = place;
        complaint->text = text_arena_copy(&builder->arena, text, strlen(text));
        combination_text(builder->plan, &builder->combination, false, complaint->first);
        builder->complaints[number] = complaint;
    }
    complaint = builder->complaints[number];
    complaint->count += complaint->last != builder->tried;
    complaint->last = builder->tried;
    return complaint->text != NULL;
}

/* Problems that only some combinations have say which. */
static void tell(struct builder *builder)
{
    for (size_t i = 0; i < builder->known.count; i++) {
        const struct complaint *complaint = builder->complaints[i];

        if (complaint->count < builder->tried && *complaint->first) {
            text_report_add(&builder->plan->draft.report, complaint->place,
                            "%s So it is with %s; leave such runs out with `exclude`.",
                            complaint->text, complaint->first);
        } else {
            text_report_add(&builder->plan->draft.report, complaint->place, "%s", complaint->text);
        }
    }
}

/* Does a case name the policy? */
static bool is_policy(const struct block_case *chosen, const struct experiment_policy *policy,
                      const char *base)
{
    const struct tree_node *named = chosen->policy;

    return named->kind == TREE_SCALAR &&
           (strcmp(named->text, base) == 0 || strcmp(named->text, policy->name) == 0 ||
            (policy->label && strcmp(named->text, policy->label) == 0));
}

/* Has the combination the values of axes that a case names? */
static bool has_values(const struct builder *builder, const struct block_case *named)
{
    const struct block *block = &builder->plan->block;

    for (size_t i = 0; i < block->axis_count; i++) {
        struct block_value value;

        if (!named->values[i].node) {
            continue;
        }
        value = combination_value(builder->plan, &builder->combination, i);
        if (!value_is_equal(block->axes[i].type, &value.column, &named->values[i].column)) {
            return false;
        }
    }
    return true;
}

/* Is the whole combination left out? Then cases that name one of its policies are met, too: which
 * policies it has is not looked at. */
static bool is_excluded(struct builder *builder)
{
    struct block_cases *excludes = &builder->plan->block.excludes;
    bool is_out = false;

    if (builder->combination.include) {
        return false;
    }
    for (size_t i = 0; i < excludes->count && !is_out; i++) {
        is_out = !excludes->list[i].policy && has_values(builder, &excludes->list[i]);
    }
    for (size_t i = 0; i < excludes->count && is_out; i++) {
        excludes->list[i].is_met |= has_values(builder, &excludes->list[i]);
    }
    return is_out;
}

/* Is this policy of the combination left out? */
static bool is_policy_excluded(struct builder *builder, const struct experiment_policy *policy,
                               const char *base)
{
    struct block_cases *excludes = &builder->plan->block.excludes;
    bool is_out = false;

    for (size_t i = 0; i < excludes->count && !builder->combination.include; i++) {
        struct block_case *exclude = &excludes->list[i];

        if (exclude->policy && is_policy(exclude, policy, base) && has_values(builder, exclude)) {
            exclude->is_met = true;
            is_out = true;
        }
    }
    return is_out;
}

static bool make_room(struct sweep_plan *plan, size_t more)
{
    size_t room = plan->row_room ? plan->row_room : 64;
    struct sweep_row *rows;
    struct plan_origin *origins;

    while (room < plan->row_count + more) {
        room *= 2;
    }
    if (room == plan->row_room) {
        return true;
    }
    rows = realloc(plan->rows, room * sizeof *rows);
    plan->rows = rows ? rows : plan->rows;
    origins = realloc(plan->origins, room * sizeof *origins);
    plan->origins = origins ? origins : plan->origins;
    plan->row_room = rows && origins ? room : plan->row_room;
    return rows && origins;
}

/* The values of the axes, which all rows of the combination share. */
static bool keep_values(struct builder *builder)
{
    struct sweep_plan *plan = builder->plan;
    size_t count = plan->block.axis_count;
    struct sweep_value *values = text_arena_alloc(&plan->values, (count + 1) * sizeof *values);

    for (size_t i = 0; values && i < count; i++) {
        struct block_value value = combination_value(plan, &builder->combination, i);

        values[i] = value.node ? value.column : (struct sweep_value){.real = NAN};
    }
    builder->values = values;
    return values != NULL;
}

static enum hs_err add_rows(struct builder *builder, size_t policy, const char *base,
                            struct hs_error *error)
{
    struct sweep_plan *plan = builder->plan;
    size_t replications = (size_t)plan->block.replications;
    struct plan_origin origin = {.combination = (uint32_t)builder->combination.number,
                                 .policy = (uint32_t)policy,
                                 .is_policy_put = builder->combination.is_policy_put};
    char more[COMBINATION_TEXT_MAX];
    enum hs_err err;

    combination_text(plan, &builder->combination, true, more);
    err = policy_labels_add(&plan->labels, &builder->experiment, policy, base, more, &origin.label,
                            error);
    if (err == HS_OK && !make_room(plan, replications)) {
        err = hs_error_memory(error);
    }
    for (size_t i = 0; err == HS_OK && i < replications; i++) {
        struct sweep_row *row = &plan->rows[plan->row_count];
        struct run_key key = {"", ""};

        *row = (struct sweep_row){.seed = builder->experiment.seed + i,
                                  .replicate = (int64_t)i,
                                  .values = builder->values};
        if (plan->digests) {
            err =
                run_key_make(&builder->basis, &builder->experiment, policy, row->seed, &key, error);
        }
        memcpy(row->key, key.key, sizeof row->key);
        memcpy(row->situation, key.situation, sizeof row->situation);
        plan->origins[plan->row_count] = origin;
        plan->row_count += err == HS_OK;
    }
    return err;
}

static bool is_quoted(const char *text, const char *word)
{
    char quoted[COMBINATION_TEXT_MAX];

    (void)snprintf(quoted, sizeof quoted, "'%.100s'", word);
    return strstr(text, quoted) != NULL;
}

/* Tells why a policy cannot be composed: at the axis or its value that the sentence quotes, else at
 * the policy. What is no key is taken for a parameter, so a part may have been meant. */
static bool complain_of_policy(struct builder *builder, const struct experiment_policy *policy,
                               const char *text)
{
    const struct block *block = &builder->plan->block;
    struct tree_place place = {.line = policy->line, .column = policy->column};
    const char *names[KEY_COUNT_MAX];
    const char *part = NULL;
    char sentence[HS_ERROR_TEXT_MAX + 64];

    for (size_t i = 0; i < block->axis_count; i++) {
        const struct block_axis *axis = &block->axes[i];
        struct block_value value = combination_value(builder->plan, &builder->combination, i);

        if (!value.node || !axis->is_policy || axis == block->policies) {
            continue;
        }
        if (is_quoted(text, value.column.text)) {
            place = value.node->place;
            break;
        }
        if (!axis->row && is_quoted(text, axis->path.names[1])) {
            size_t count = experiment_key_children(axis->path.keys[0], names);

            place = axis->path.place;
            part =
                strstr(text, "did you mean") ? NULL : hs_nearest(axis->path.names[1], names, count);
            break;
        }
    }
    (void)snprintf(sentence, sizeof sentence, "%s%s%s%s", text,
                   part ? " Did you mean 'policy." : "", part ? part : "", part ? "'?" : "");
    return complain(builder, place, sentence);
}

static enum hs_err build_policy(struct builder *builder, size_t policy, struct hs_error *error)
{
    struct sweep_plan *plan = builder->plan;
    const struct experiment_policy *words = &builder->experiment.policies[policy];
    const struct label_composition *composition;
    enum hs_err err = policy_labels_compose(&plan->labels, &builder->experiment, policy,
                                            !plan->digests, &composition, error);

    if (err != HS_OK || is_policy_excluded(builder, words, composition->base)) {
        return err;
    }
    if (composition->error) {
        return complain_of_policy(builder, words, composition->error) ? HS_OK
                                                                      : hs_error_memory(error);
    }
    return add_rows(builder, policy, composition->base, error);
}

/* Replications must have seeds. */
static bool check_seed(struct builder *builder)
{
    struct tree_place place = {0};
    uint64_t last = (uint64_t)INT64_MAX - (uint64_t)(builder->plan->block.replications - 1);

    experiment_place(&builder->experiment, "seed", &place.line, &place.column);
    return builder->experiment.seed <= last ||
           complain(builder, place,
                    "'seed' is so large that the replications have no seeds: they go on from it, "
                    "up to 9223372036854775807. Lower it.");
}

/* Does the combination mean this policy of its experiment? A case of `include` may name one. */
static enum hs_err is_meant(struct builder *builder, size_t policy, bool *is_it,
                            struct hs_error *error)
{
    const struct block_case *include = builder->combination.include;
    const struct label_composition *composition;
    enum hs_err err;

    *is_it = true;
    if (!include || !include->policy || builder->combination.is_policy_put) {
        return HS_OK;
    }
    err = policy_labels_compose(&builder->plan->labels, &builder->experiment, policy,
                                !builder->plan->digests, &composition, error);
    if (err == HS_OK) {
        *is_it = is_policy(include, &builder->experiment.policies[policy], composition->base);
    }
    return err;
}

/* Fills the experiment of the combination; *is_sound: it has no problems. */
static enum hs_err fill(struct builder *builder, bool *is_sound, struct hs_error *error)
{
    struct report report = {.set_texts = builder->plan->draft.report.set_texts,
                            .path = builder->plan->draft.path};
    enum hs_err err = combination_fill(builder->plan, &builder->combination, &report,
                                       &builder->experiment, error);

    for (size_t i = 0; err == HS_OK && i < report.kept; i++) {
        if (!complain(builder, report.problems[i].place, report.problems[i].text)) {
            err = hs_error_memory(error);
        }
    }
    *is_sound = err == HS_OK && report.count == 0;
    if (*is_sound && !check_seed(builder)) {
        err = hs_error_memory(error);
    }
    text_report_fini(&report);
    return err;
}

/* Makes the rows of the policies that are meant; *count: how many these are. */
static enum hs_err build_policies(struct builder *builder, size_t *count, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *count = 0;
    for (size_t i = 0; err == HS_OK && i < builder->experiment.policy_count; i++) {
        bool is_it;

        err = is_meant(builder, i, &is_it, error);
        if (err == HS_OK && is_it) {
            ++*count;
            err = build_policy(builder, i, error);
        }
    }
    return err;
}

/* Fills the experiment and makes its rows. *count: policies that are meant; not 0 if the
 * experiment has problems. */
static enum hs_err build_experiment(struct builder *builder, size_t *count, struct hs_error *error)
{
    struct sweep_plan *plan = builder->plan;
    bool is_sound;
    enum hs_err err = fill(builder, &is_sound, error);

    if (err == HS_OK && is_sound && plan->digests) {
        err = run_basis_init(&builder->basis, &builder->experiment, plan->digests, error);
    }
    *count = 1;
    if (err == HS_OK && is_sound) {
        err = build_policies(builder, count, error);
    }
    experiment_fini(&builder->experiment);
    return err;
}

static enum hs_err build_combination(struct builder *builder, size_t number, struct hs_error *error)
{
    const struct block_case *include = combination_include(builder->plan, number);
    size_t count;
    enum hs_err err;

    builder->combination = (struct combination){.number = number,
                                                .include = include,
                                                .is_policy_put = include && include->policy &&
                                                                 include->policy->kind == TREE_MAP};
    if (is_excluded(builder)) {
        return HS_OK;
    }
    builder->tried++;
    err = keep_values(builder) ? build_experiment(builder, &count, error) : hs_error_memory(error);
    if (err == HS_OK && count == 0) {
        /* `include` names a policy that the experiment does not have. */
        builder->combination.is_policy_put = true;
        err = build_experiment(builder, &count, error);
    }
    return err;
}

/* What was meant by a policy that no run has, or which there are: " Did you mean 'easy'?" */
static void suggest_policy(const struct sweep_plan *plan, const char *name, char *text, size_t size)
{
    size_t count = plan->labels.policies.count, used;
    const char **names = calloc(count + 1, sizeof *names);
    const char *nearest;

    text[0] = '\0';
    for (size_t i = 0; names && i < count; i++) {
        names[i] = plan->labels.policy[i].base;
    }
    nearest = names ? hs_nearest(name, names, count) : NULL;
    if (nearest && strcmp(nearest, name) != 0) {
        (void)snprintf(text, size, " Did you mean '%.100s'?", nearest);
    } else if (names && count > 0) {
        used = (size_t)snprintf(text, size, " There are runs of %.100s", names[0]);
        for (size_t i = 1; i < count && used + 110 < size; i++) {
            used += (size_t)snprintf(text + used, size - used, ", %.100s", names[i]);
        }
        (void)snprintf(text + used, size - used, ".");
    }
    free(names);
}

/* Cases that concern nothing, and a sweep without runs. */
static void check_cases(struct sweep_plan *plan)
{
    for (size_t i = 0; i < plan->block.excludes.count; i++) {
        const struct block_case *exclude = &plan->block.excludes.list[i];
        char hint[512] = "";

        if (exclude->is_met) {
            continue;
        }
        if (exclude->policy && exclude->policy->kind == TREE_SCALAR) {
            suggest_policy(plan, exclude->policy->text, hint, sizeof hint);
        }
        text_report_add(&plan->draft.report, exclude->place,
                        "This entry of `exclude` matches no run%s. Correct or remove it.%s",
                        exclude->policy ? " of that policy" : "", hint);
    }
    if (plan->row_count == 0 && plan->draft.report.count == 0) {
        text_report_add(&plan->draft.report, plan->block.place,
                        "All runs of this sweep are excluded. Remove an entry of `exclude`.");
    }
}

enum hs_err plan_build(struct sweep_plan *plan, struct hs_error *error)
{
    struct builder builder = {.plan = plan};
    size_t count = plan->combination_count + plan->block.includes.count;
    enum hs_err err = HS_OK;

    for (size_t i = 0; err == HS_OK && i < count; i++) {
        if (builder.known.count > 0 && builder.tried >= TRIED_MAX) {
            break;
        }
        err = build_combination(&builder, i, error);
    }
    if (err == HS_OK && builder.known.count > 0) {
        tell(&builder);
    } else if (err == HS_OK) {
        check_cases(plan);
    }
    text_map_fini(&builder.known);
    text_arena_fini(&builder.arena);
    if (err == HS_OK) {
        err = policy_labels_settle(&plan->labels, error);
    }
    for (size_t i = 0; err == HS_OK && i < plan->row_count; i++) {
        plan->rows[i].policy = plan->labels.policy[plan->origins[i].label].label;
    }
    return err;
}
