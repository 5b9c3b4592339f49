/* SPDX-License-Identifier: MIT */
/* stack.c - from names to a composition: a whole policy, or an order and a reservation rule; a
 * placement; and a predictor; each with its state and parameters. */
#include "registry_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ORDER   "fcfs"
#define DEFAULT_RULE    "none"
#define NAME_MAX_LENGTH 64u

/* "sjf-easy": splits at each dash until both sides are known. */
static bool split_name(const struct hs_registry *registry, const char *name, struct hs_stack *stack)
{
    char order[NAME_MAX_LENGTH];

    for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
        size_t length = (size_t)(dash - name);
        const struct hsi_entry *rule = hsi_registry_find(registry, HS_KIND_RESERVE, dash + 1);

        if (!rule || length >= sizeof order) {
            continue;
        }
        memcpy(order, name, length);
        order[length] = '\0';
        stack->parts[HS_KIND_ORDER].entry = hsi_registry_find(registry, HS_KIND_ORDER, order);
        if (stack->parts[HS_KIND_ORDER].entry) {
            stack->parts[HS_KIND_RESERVE].entry = rule;
            return true;
        }
    }
    return false;
}

/* The nearest of all names of the given kinds; NULL if none is near. */
static const char *suggest(const struct hs_registry *registry, const char *name,
                           const enum hs_kind *kinds, size_t kind_count)
{
    const char *names[512];
    size_t count = 0;

    for (size_t k = 0; k < kind_count; k++) {
        for (size_t i = 0; i < hs_registry_count(registry, kinds[k]); i++) {
            if (count < sizeof names / sizeof names[0]) {
                names[count++] = hs_registry_info(registry, kinds[k], i).name;
            }
        }
    }
    return hs_nearest(name, names, count);
}

static enum hs_err unknown_name(const struct hs_registry *registry, const char *what,
                                const char *name, const enum hs_kind *kinds, size_t kind_count,
                                struct hs_error *error)
{
    const char *dash = strrchr(name, '-');
    const char *near = suggest(registry, name, kinds, kind_count);
    const enum hs_kind rule = HS_KIND_RESERVE;
    const enum hs_kind order = HS_KIND_ORDER;
    char head[NAME_MAX_LENGTH] = "";

    if (near) {
        return hs_error_set(error, HS_ERR_CONFIG, "There is no %s '%s'; did you mean '%s'?", what,
                            name, near);
    }
    if (dash && kind_count > 1 && (size_t)(dash - name) < sizeof head) {
        const char *near_rule = suggest(registry, dash + 1, &rule, 1);
        const char *near_order;

        memcpy(head, name, (size_t)(dash - name));
        near_order = suggest(registry, head, &order, 1);
        if (near_rule && near_order) {
            return hs_error_set(error, HS_ERR_CONFIG, "There is no %s '%s'; did you mean '%s-%s'?",
                                what, name, near_order, near_rule);
        }
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "There is no %s '%s'; `hsim policies list` shows what there is.", what,
                        name);
}

/* The name of the policy is none; of a placement it says where that goes. */
static enum hs_err unknown_policy(const struct hs_registry *registry, const char *name,
                                  struct hs_error *error)
{
    static const enum hs_kind all[] = {HS_KIND_POLICY, HS_KIND_ORDER, HS_KIND_RESERVE};

    for (const char *end = name; end; end = strchr(end, '-')) {
        end += *end == '-';
        if (hsi_registry_find(registry, HS_KIND_PLACE, end)) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "There is no policy '%s': '%s' is a placement. Write for instance "
                                "{name: easy, place: %s}.",
                                name, end, end);
        }
    }
    return unknown_name(registry, "policy", name, all, 3, error);
}

static enum hs_err choose_parts(const struct hs_registry *registry, const struct hs_choice *choice,
                                struct hs_stack *stack, struct hs_error *error)
{
    const enum hs_kind order = HS_KIND_ORDER;
    const enum hs_kind place = HS_KIND_PLACE;
    struct hsi_part *parts = stack->parts;

    parts[HS_KIND_POLICY].entry = hsi_registry_find(registry, HS_KIND_POLICY, choice->name);
    if (parts[HS_KIND_POLICY].entry && choice->order) {
        return hs_error_set(
            error, HS_ERR_CONFIG,
            "Policy '%s' is a whole policy and takes no order; leave `order` out, or "
            "name a reservation rule such as easy.",
            choice->name);
    }
    if (!parts[HS_KIND_POLICY].entry) {
        parts[HS_KIND_RESERVE].entry = hsi_registry_find(registry, HS_KIND_RESERVE, choice->name);
        if (!parts[HS_KIND_RESERVE].entry) {
            parts[HS_KIND_ORDER].entry = hsi_registry_find(registry, HS_KIND_ORDER, choice->name);
            if (parts[HS_KIND_ORDER].entry) {
                parts[HS_KIND_RESERVE].entry =
                    hsi_registry_find(registry, HS_KIND_RESERVE, DEFAULT_RULE);
            } else if (!split_name(registry, choice->name, stack)) {
                return unknown_policy(registry, choice->name, error);
            }
        }
        if (choice->order && parts[HS_KIND_ORDER].entry) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "Policy '%s' already has an order; leave `order: %s` out, or name "
                                "only the reservation rule.",
                                choice->name, choice->order);
        }
        if (!parts[HS_KIND_ORDER].entry) {
            const char *name = choice->order ? choice->order : DEFAULT_ORDER;

            parts[HS_KIND_ORDER].entry = hsi_registry_find(registry, HS_KIND_ORDER, name);
            if (!parts[HS_KIND_ORDER].entry) {
                return unknown_name(registry, "order", name, &order, 1, error);
            }
        }
        HS_ASSERT(parts[HS_KIND_RESERVE].entry);
    }
    if (choice->place) {
        parts[HS_KIND_PLACE].entry = hsi_registry_find(registry, HS_KIND_PLACE, choice->place);
        if (!parts[HS_KIND_PLACE].entry) {
            return unknown_name(registry, "placement", choice->place, &place, 1, error);
        }
    }
    return HS_OK;
}

static enum hs_err choose_predictor(const struct hs_registry *registry,
                                    const struct hs_choice *choice, struct hs_stack *stack,
                                    struct hs_error *error)
{
    const enum hs_kind kind = HS_KIND_PREDICT;

    if (choice->predictor) {
        stack->parts[kind].entry = hsi_registry_find(registry, kind, choice->predictor);
        if (!stack->parts[kind].entry) {
            return unknown_name(registry, "predictor", choice->predictor, &kind, 1, error);
        }
    }
    return HS_OK;
}

static bool has_predict_flag(const struct hs_stack *stack, enum hs_predict_flag flag)
{
    const struct hsi_entry *entry = stack->parts[HS_KIND_PREDICT].entry;

    return entry && (entry->as.predictor.flags & flag);
}

bool hs_stack_predicts(const struct hs_stack *stack)
{
    return stack->parts[HS_KIND_PREDICT].entry && !has_predict_flag(stack, HS_PREDICT_REQUEST);
}

bool hs_stack_knows_truth(const struct hs_stack *stack)
{
    return has_predict_flag(stack, HS_PREDICT_TRUTH);
}

static const char *const local_names[] = {
    [HS_LOCAL_TIGHT] = "tight", [HS_LOCAL_ISLAND] = "island", [HS_LOCAL_FIRST] = "first", NULL};
static const char *const tie_names[] = {"index", "random", NULL};

const char *const *hs_stack_locals(void)
{
    return local_names;
}

const char *const *hs_stack_ties(void)
{
    return tie_names;
}

/* Index of a word in a list that ends with NULL; 0 if the word is NULL. */
static enum hs_err choose_word(const char *word, const char *const *names, const char *what,
                               size_t *index, struct hs_error *error)
{
    const char *near;

    for (*index = 0; word && names[*index]; (*index)++) {
        if (strcmp(names[*index], word) == 0) {
            return HS_OK;
        }
    }
    if (!word) {
        return HS_OK;
    }
    near = hs_nearest(word, names, *index);
    if (near) {
        return hs_error_set(error, HS_ERR_CONFIG, "There is no %s '%s'; did you mean '%s'?", what,
                            word, near);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "There is no %s '%s'; '%s' is the usual one.", what,
                        word, names[0]);
}

static enum hs_err choose_details(const struct hs_choice *choice, struct hs_stack *stack,
                                  struct hs_error *error)
{
    size_t local;
    size_t tie;
    enum hs_err err =
        choose_word(choice->local, local_names, "choice of devices (local)", &local, error);

    if (err == HS_OK) {
        err = choose_word(choice->tie, tie_names, "tie rule", &tie, error);
    }
    if (err == HS_OK) {
        stack->placement.local = (enum hs_local)local;
        stack->is_tie_random = tie == 1;
    }
    return err;
}

static void set_placement(struct hs_stack *stack)
{
    const struct hsi_part *part = &stack->parts[HS_KIND_PLACE];

    if (part->entry) {
        const struct hs_place *place = &part->entry->as.place;

        stack->placement.score = place->score;
        stack->placement.device_score = place->device_score;
        stack->placement.self = part->state;
        stack->placement.flags = place->flags;
    }
}

bool hs_stack_needs_mix(const struct hs_stack *stack)
{
    return stack->placement.flags & HS_PLACE_MIX;
}

bool hs_stack_preempts(const struct hs_stack *stack)
{
    const struct hsi_entry *policy = stack->parts[HS_KIND_POLICY].entry;
    const struct hsi_entry *reserve = stack->parts[HS_KIND_RESERVE].entry;
    uint32_t flags = policy ? policy->as.policy.flags : reserve ? reserve->as.reserve.flags : 0;

    return flags & HS_POLICY_PREEMPTS;
}

bool hs_stack_replays(const struct hs_stack *stack)
{
    enum hs_kind kind = stack->parts[HS_KIND_POLICY].entry ? HS_KIND_POLICY : HS_KIND_RESERVE;

    return stack->parts[kind].entry->as.policy.flags & HS_POLICY_REPLAYS;
}

/* Zeroed state with the defaults of every part. */
static enum hs_err create_states(struct hs_stack *stack, struct hs_error *error)
{
    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        struct hsi_part *part = &stack->parts[kind];
        const struct hs_policy *common;
        enum hs_err err;

        if (!part->entry) {
            continue;
        }
        common = &part->entry->as.policy;
        part->state = calloc(1, common->state_size ? common->state_size : 1);
        if (!part->state) {
            return hs_error_memory(error);
        }
        err = hs_param_set_defaults(common->params, part->state, error);
        if (err != HS_OK) {
            return err;
        }
    }
    return HS_OK;
}

static enum hs_err set_param(struct hs_stack *stack, const struct hs_choice_param *param,
                             const char *policy, struct hs_error *error)
{
    const char *names[64];
    const char *near;
    size_t count = 0;

    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        const struct hsi_part *part = &stack->parts[kind];
        const struct hs_param *row = part->entry ? part->entry->as.policy.params : NULL;

        for (; row && row->type != HS_PARAM_TYPE_END; row++) {
            if (strcmp(row->name, param->name) == 0) {
                return hs_param_set(row, part->state, param->value, error);
            }
            if (count < sizeof names / sizeof names[0]) {
                names[count++] = row->name;
            }
        }
    }
    near = hs_nearest(param->name, names, count);
    if (near) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Policy '%s' has no parameter '%s'; did you mean '%s'?", policy,
                            param->name, near);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "Policy '%s' has no parameter '%s'; it has %s%s.",
                        policy, param->name, count ? "others: see `hsim policies show " : "none",
                        count ? "NAME`" : "");
}

static void make_label(struct hs_stack *stack)
{
    const struct hsi_part *parts = stack->parts;
    char *label = stack->label;
    size_t size = sizeof stack->label;
    int length;

    if (parts[HS_KIND_POLICY].entry) {
        length = snprintf(label, size, "%s", parts[HS_KIND_POLICY].entry->as.policy.name);
    } else {
        const char *order = parts[HS_KIND_ORDER].entry->as.order.name;
        const char *rule = parts[HS_KIND_RESERVE].entry->as.reserve.name;

        if (strcmp(rule, DEFAULT_RULE) == 0) {
            length = snprintf(label, size, "%s", order);
        } else if (strcmp(order, DEFAULT_ORDER) == 0) {
            length = snprintf(label, size, "%s", rule);
        } else {
            length = snprintf(label, size, "%s-%s", order, rule);
        }
    }
    if (parts[HS_KIND_PLACE].entry && length > 0 && (size_t)length < size) {
        length += snprintf(label + length, size - (size_t)length, "@%s",
                           parts[HS_KIND_PLACE].entry->as.place.name);
    }
    if (hs_stack_predicts(stack) && length > 0 && (size_t)length < size) {
        (void)snprintf(label + length, size - (size_t)length, "+%s",
                       parts[HS_KIND_PREDICT].entry->as.predictor.name);
    }
}

enum hs_err hs_stack_create(const struct hs_registry *registry, const struct hs_choice *choice,
                            struct hs_stack **stack, struct hs_error *error)
{
    struct hs_stack *made = calloc(1, sizeof *made);
    enum hs_err err;

    *stack = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    err = choose_parts(registry, choice, made, error);
    if (err == HS_OK) {
        err = choose_predictor(registry, choice, made, error);
    }
    if (err == HS_OK) {
        err = choose_details(choice, made, error);
    }
    if (err == HS_OK) {
        err = create_states(made, error);
    }
    for (size_t i = 0; err == HS_OK && i < choice->param_count; i++) {
        err = set_param(made, &choice->params[i], choice->name, error);
    }
    if (err != HS_OK) {
        hs_stack_destroy(made);
        return err;
    }
    set_placement(made);
    make_label(made);
    *stack = made;
    return HS_OK;
}

void hs_stack_destroy(struct hs_stack *stack)
{
    if (!stack) {
        return;
    }
    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        free(stack->parts[kind].state);
    }
    free(stack);
}

const char *hs_stack_label(const struct hs_stack *stack)
{
    return stack->label;
}

bool hs_stack_param(const struct hs_stack *stack, size_t index, enum hs_kind *kind,
                    const struct hs_param **row, char *text, size_t size)
{
    for (int k = 0; k < HS_KIND_COUNT; k++) {
        const struct hsi_part *part = &stack->parts[k];
        size_t count = part->entry ? hs_param_count(part->entry->as.policy.params) : 0;

        if (index < count) {
            *kind = (enum hs_kind)k;
            *row = &part->entry->as.policy.params[index];
            hs_param_format(*row, part->state, text, size);
            return true;
        }
        index -= count;
    }
    return false;
}
