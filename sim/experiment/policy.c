/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.c - policies as written: a name, or a map with parts and parameters.
 *
 * Whether such a policy exists, and which parameters it has, is not known here. */
#include <stdlib.h>
#include <string.h>

#include "experiment/fill.h"

#define POLICY_MAX 1000

static void fill_part(struct filler *filler, const struct key *part, const struct tree_node *node,
                      const char **field)
{
    if (!part->is_required && text_tree_is_null(node)) {
        return;
    }
    if (!experiment_fill_is_single(filler, part, node)) {
        return;
    }
    if (!*node->text) {
        text_report_add(filler->report, node->place,
                        "'%s' is an empty text. Write for instance `%s: %s`.", part->path,
                        experiment_key_name(part), part->example);
    } else if (!part->is_file_name || experiment_fill_is_file_name(filler, part, node)) {
        *field = node->text;
    }
}

static void fill_param(struct filler *filler, const struct tree_entry *entry,
                       struct experiment_policy *policy)
{
    const struct tree_node *node = entry->value;
    bool is_in_file = entry->key_place.source == 0;

    if (node->kind != TREE_SCALAR || text_tree_is_null(node)) {
        text_report_add(filler->report, node->place,
                        "The policy parameter '%s' takes a single value. Write for instance "
                        "`%s: 1`; `hsim policies show NAME` lists the parameters.",
                        REPORT_CLIP(entry->key), REPORT_CLIP(entry->key));
        return;
    }
    policy->params[policy->param_count++] = (struct experiment_param){
        .name = entry->key,
        .value = node->text,
        .line = is_in_file ? entry->key_place.line : 0,
        .column = is_in_file ? entry->key_place.column : 0,
    };
}

/* The field of a part by the name of its key. */
static const char **part_field(struct experiment_policy *policy, const char *key)
{
    const struct {
        const char *name;
        const char **field;
    } parts[] = {
        {"name", &policy->name},           {"order", &policy->order}, {"place", &policy->place},
        {"local", &policy->local},         {"tie", &policy->tie},     {"label", &policy->label},
        {"predictor", &policy->predictor},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].name, key) == 0) {
            return parts[i].field;
        }
    }
    HS_ASSERT(false); /* the table of keys has a part that is not here */
    return NULL;
}

static void fill_policy_map(struct filler *filler, const struct tree_node *map,
                            struct experiment_policy *policy)
{
    const struct key *parent = experiment_key_find("policy");

    policy->params = text_arena_alloc(filler->arena, (map->count + 1) * sizeof *policy->params);
    if (!policy->params) {
        return;
    }
    for (const struct tree_entry *entry = map->first; entry; entry = entry->next) {
        const struct key *part = experiment_key_child(parent, entry->key);

        if (!part) {
            fill_param(filler, entry, policy);
        } else {
            fill_part(filler, part, entry->value, part_field(policy, entry->key));
        }
    }
    if (!text_tree_find(map, "name")) {
        text_report_add(filler->report, map->place,
                        "This policy has no name. Add one, for instance `name: easy`.");
    }
}

void experiment_fill_policy(struct filler *filler, const struct key *key,
                            const struct tree_node *node, struct experiment_policy *policy)
{
    if (node->place.source == 0) {
        policy->line = node->place.line;
        policy->column = node->place.column;
    }
    if (node->kind == TREE_MAP) {
        fill_policy_map(filler, node, policy);
    } else if (node->kind == TREE_LIST) {
        text_report_add(filler->report, node->place,
                        "'%s' takes one policy here, not a list. Write for instance "
                        "`policies: [fcfs, easy]` for several.",
                        key->path);
    } else if (experiment_fill_is_single(filler, key, node)) {
        fill_part(filler, experiment_key_find("policy.name"), node, &policy->name);
    }
}

static bool is_same_text(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

/* Do both lead to the same run, or to the same name? */
static bool is_same_policy(const struct experiment_policy *left,
                           const struct experiment_policy *right)
{
    if (left->label || right->label) {
        return left->label && right->label && strcmp(left->label, right->label) == 0;
    }
    if (!is_same_text(left->name, right->name) || !is_same_text(left->order, right->order) ||
        !is_same_text(left->place, right->place) || !is_same_text(left->local, right->local) ||
        !is_same_text(left->tie, right->tie) || !is_same_text(left->predictor, right->predictor) ||
        left->param_count != right->param_count) {
        return false;
    }
    for (size_t i = 0; i < left->param_count; i++) {
        if (strcmp(left->params[i].name, right->params[i].name) != 0 ||
            strcmp(left->params[i].value, right->params[i].value) != 0) {
            return false;
        }
    }
    return true;
}

static void check_same_policies(struct filler *filler, const struct tree_node *list)
{
    const struct experiment_policy *policies = filler->experiment->policies;
    const struct tree_entry *entry = list->first;

    for (size_t i = 0; i < filler->experiment->policy_count; i++, entry = entry->next) {
        for (size_t j = 0; j < i && policies[i].name; j++) {
            if (is_same_policy(&policies[j], &policies[i])) {
                text_report_add(
                    filler->report, entry->value->place,
                    "Policy %zu of the list is the same as policy %zu ('%s'). "
                    "Remove one of them, or give each its own `label`.",
                    i + 1, j + 1,
                    REPORT_CLIP(policies[i].label ? policies[i].label : policies[i].name));
                break;
            }
        }
    }
}

void experiment_fill_policies(struct filler *filler, const struct key *key,
                              const struct tree_node *node)
{
    bool is_list = key->type == KEY_POLICY_LIST && node->kind == TREE_LIST;
    size_t count = is_list ? node->count : 1;
    const struct tree_entry *entry = is_list ? node->first : NULL;
    struct experiment *experiment = filler->experiment;

    if (count == 0 || count > POLICY_MAX) {
        text_report_add(filler->report, node->place,
                        "'%s' has %zu entries, but allowed are 1 to %d. Write for instance "
                        "`%s: %s`.",
                        key->path, count, POLICY_MAX, key->path, key->example);
        return;
    }
    experiment->policies = text_arena_alloc(filler->arena, count * sizeof *experiment->policies);
    if (!experiment->policies) {
        return;
    }
    experiment->policy_count = count;
    for (size_t i = 0; i < count; i++) {
        experiment_fill_policy(filler, key, is_list ? entry->value : node,
                               &experiment->policies[i]);
        entry = entry ? entry->next : NULL;
    }
    if (is_list) {
        check_same_policies(filler, node);
    }
}
