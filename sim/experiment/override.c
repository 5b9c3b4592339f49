/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override.c - finds the place of a --set in the tree and puts the value there. */
#include "experiment/override.h"

#include <string.h>

#include "experiment/fill.h"

struct override {
    struct arena *arena;
    struct report *report;
    const struct override_path *path;
};

bool experiment_override_path(struct arena *arena, struct report *report, const char *text,
                              struct override_path *path)
{
    const struct key *parent = &experiment_keys[0];
    char *rest = text_arena_copy(arena, text, strlen(text));

    path->level_count = 0;
    if (!rest) {
        return false;
    }
    while (rest) {
        char *name = rest;

        rest = strchr(name, '.');
        if (rest) {
            *rest++ = '\0';
        }
        if (!parent || path->level_count == OVERRIDE_LEVEL_MAX ||
            (parent->type != KEY_MAP && parent->type != KEY_POLICY)) {
            text_report_add(report, path->place,
                            "'%s' has no keys below it, so '%s' cannot be set. Set '%s' "
                            "itself.",
                            path->names[path->level_count - 1], REPORT_CLIP(name),
                            path->names[path->level_count - 1]);
            return false;
        }
        path->names[path->level_count] = name;
        path->keys[path->level_count] = experiment_key_child(parent, name);
        if (!*name || (!path->keys[path->level_count] && parent->type != KEY_POLICY)) {
            experiment_fill_unknown(report, path->place, parent, name);
            return false;
        }
        parent = path->keys[path->level_count++];
    }
    return true;
}

/* Puts a value under a name, in place of what is there and of what it excludes. */
static void put(struct override *override, struct tree_node *map, size_t level,
                struct tree_node *value)
{
    const struct override_path *path = override->path;
    const struct key *parent = level ? path->keys[level - 1] : &experiment_keys[0];
    const char *name = path->names[level];
    struct tree_entry *entry = text_tree_find(map, name);

    for (size_t i = 1; i < experiment_key_count && path->keys[level]; i++) {
        const struct key *sibling = &experiment_keys[i];
        const char *sibling_name = experiment_key_name(sibling);

        if (experiment_key_is_child(parent, sibling) && sibling != path->keys[level] &&
            ((experiment_key_has_word(parent->one_of, name) &&
              experiment_key_has_word(parent->one_of, sibling_name)) ||
             (sibling->excludes && strcmp(sibling->excludes, name) == 0))) {
            text_tree_remove(map, sibling_name);
        }
    }
    if (entry) {
        entry->value = value;
        entry->key_place = path->place;
    } else {
        (void)text_tree_append(override->arena, map, name, path->place, value);
    }
}

/* A map in place of a node: a copy, or the long form of what a single value means; NULL: there is
 * something else, which the check of the file will name, or no memory. */
static struct tree_node *as_map(struct override *override, const struct key *key,
                                struct tree_node *node, struct tree_place key_place)
{
    struct tree_node *map = NULL;

    if (node->kind == TREE_MAP) {
        return text_tree_copy(override->arena, node);
    }
    if (node->kind == TREE_SCALAR && key->short_form) {
        map = text_tree_map(override->arena, node->place);
        if (map && !text_tree_append(override->arena, map, key->short_form, key_place, node)) {
            return NULL;
        }
    }
    return map;
}

/* The policy with the value in it; as it was where it is none. */
static struct tree_node *with_part(struct override *override, struct tree_node *policy,
                                   struct tree_node *value)
{
    struct tree_node *map = text_tree_is_null(policy)
                                ? NULL
                                : as_map(override, override->path->keys[0], policy, policy->place);

    if (map) {
        put(override, map, 1, value);
    }
    return map ? map : policy;
}

/* Puts the value into every policy of a list, or into the only one. */
static void put_each(struct override *override, struct tree_entry *policies,
                     struct tree_node *value)
{
    struct tree_node *list;

    if (policies->value->kind != TREE_LIST) {
        policies->value = with_part(override, policies->value, value);
        return;
    }
    list = text_tree_copy(override->arena, policies->value);
    for (struct tree_entry *entry = list ? list->first : NULL; entry; entry = entry->next) {
        entry->value = with_part(override, entry->value, value);
    }
    policies->value = list ? list : policies->value;
}

/* The map below `map` at a level, made or copied so that it can be changed; NULL: there is
 * something else, which the check of the file will name, or no memory. */
static struct tree_node *descend(struct override *override, struct tree_node *map, size_t level)
{
    const struct override_path *path = override->path;
    const struct key *key = path->keys[level];
    const struct tree_entry *entry = text_tree_find(map, path->names[level]);
    struct tree_node *child;

    if (!entry && key->type == KEY_POLICY && text_tree_find(map, "policies")) {
        text_report_add(override->report, path->place,
                        "The experiment has 'policies', not 'policy', so it is not clear "
                        "which one to change. Set the whole: --set 'policies=[...]', or "
                        "--set 'policy={name: easy}'.");
        return NULL;
    }
    child = !entry || text_tree_is_null(entry->value)
                ? text_tree_map(override->arena, path->place)
                : as_map(override, key, entry->value, entry->key_place);
    if (child) {
        put(override, map, level, child);
    }
    return child;
}

void experiment_override_put(struct arena *arena, struct report *report,
                             const struct override_path *path, struct tree_node *value,
                             struct tree_node *root)
{
    struct override override = {arena, report, path};
    struct tree_node *map = root;

    if (path->is_each_policy && path->level_count == 2 && path->keys[0]->type == KEY_POLICY) {
        struct tree_entry *policies = text_tree_find(root, "policies");

        if (policies && !text_tree_find(root, "policy")) {
            put_each(&override, policies, value);
            return;
        }
    }
    for (size_t level = 0; map && level + 1 < path->level_count; level++) {
        map = descend(&override, map, level);
    }
    if (map) {
        put(&override, map, path->level_count - 1, value);
    }
}

/* All that an override brings is placed at the override, not at a line of its short text. */
void experiment_override_apply(struct arena *arena, struct report *report, size_t index,
                               struct tree_node *root)
{
    const char *text = report->set_texts[index];
    const char *equals = strchr(text, '=');
    struct override_path path = {.place = {.source = (int)index + 1}};
    struct tree_node *value;
    bool is_empty;
    char *key;

    if (!equals || equals == text) {
        text_report_add(report, path.place,
                        "A --set is KEY=VALUE. Write for instance --set 'policy=easy' or "
                        "--set 'workload.load=0.8'.");
        return;
    }
    key = text_arena_copy(arena, text, (size_t)(equals - text));
    if (!key || !experiment_override_path(arena, report, key, &path)) {
        return;
    }
    value = text_tree_parse(arena, report, path.place.source, equals + 1, strlen(equals + 1),
                            &is_empty);
    if (is_empty) {
        value = text_tree_scalar(arena, path.place, "");
    }
    if (value) {
        experiment_override_put(arena, report, &path, value, root);
    }
}
