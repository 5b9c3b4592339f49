/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override.c - finds the place of a --set in the tree and puts the value there. */
#include "experiment/override.h"

#include <string.h>

#include "experiment/fill.h"
#include "experiment/key.h"

#define LEVEL_MAX 8

struct override {
    struct arena *arena;
    struct report *report;
    struct tree_place place;
    const char *names[LEVEL_MAX];      /* parts of the path */
    const struct key *keys[LEVEL_MAX]; /* their rows; NULL: a parameter of a policy */
    size_t level_count;
};

/* Splits `path` (which is changed) and finds the rows. */
static bool resolve_path(struct override *override, char *path)
{
    const struct key *parent = &experiment_keys[0];
    char *rest = path;

    while (rest) {
        char *name = rest;

        rest = strchr(name, '.');
        if (rest) {
            *rest++ = '\0';
        }
        if (!parent || override->level_count == LEVEL_MAX ||
            (parent->type != KEY_MAP && parent->type != KEY_POLICY)) {
            text_report_add(override->report, override->place,
                            "'%s' has no keys below it, so '%s' cannot be set. Set '%s' "
                            "itself.",
                            override->names[override->level_count - 1], REPORT_CLIP(name),
                            override->names[override->level_count - 1]);
            return false;
        }
        override->names[override->level_count] = name;
        override->keys[override->level_count] = experiment_key_child(parent, name);
        if (!*name || (!override->keys[override->level_count] && parent->type != KEY_POLICY)) {
            experiment_fill_unknown(override->report, override->place, parent, name);
            return false;
        }
        parent = override->keys[override->level_count++];
    }
    return true;
}

/* Puts a value under a name, in place of what is there and of what it excludes. */
static void put(struct override *override, struct tree_node *map, size_t level,
                struct tree_node *value)
{
    const struct key *parent = level ? override->keys[level - 1] : &experiment_keys[0];
    const char *name = override->names[level];
    struct tree_entry *entry = text_tree_find(map, name);

    for (size_t i = 1; i < experiment_key_count && override->keys[level]; i++) {
        const struct key *sibling = &experiment_keys[i];
        const char *sibling_name = experiment_key_name(sibling);

        if (experiment_key_is_child(parent, sibling) && sibling != override->keys[level] &&
            ((experiment_key_has_word(parent->one_of, name) &&
              experiment_key_has_word(parent->one_of, sibling_name)) ||
             (sibling->excludes && strcmp(sibling->excludes, name) == 0))) {
            text_tree_remove(map, sibling_name);
        }
    }
    if (entry) {
        entry->value = value;
        entry->key_place = override->place;
    } else {
        (void)text_tree_append(override->arena, map, name, override->place, value);
    }
}

/* The map below `map` at a level, made or copied so that it can be changed; NULL: there is
 * something else, which the check of the file will name, or no memory. */
static struct tree_node *descend(struct override *override, struct tree_node *map, size_t level)
{
    const struct key *key = override->keys[level];
    const struct tree_entry *entry = text_tree_find(map, override->names[level]);
    struct tree_node *child;

    if (!entry && key->type == KEY_POLICY && text_tree_find(map, "policies")) {
        text_report_add(override->report, override->place,
                        "The experiment has 'policies', not 'policy', so it is not clear "
                        "which one to change. Set the whole: --set 'policies=[...]', or "
                        "--set 'policy={name: easy}'.");
        return NULL;
    }
    if (!entry || text_tree_is_null(entry->value)) {
        child = text_tree_map(override->arena, override->place);
    } else if (entry->value->kind == TREE_MAP) {
        child = text_tree_copy(override->arena, entry->value);
    } else if (entry->value->kind == TREE_SCALAR && key->short_form) {
        child = text_tree_map(override->arena, entry->value->place);
        if (child && !text_tree_append(override->arena, child, key->short_form, entry->key_place,
                                       entry->value)) {
            return NULL;
        }
    } else {
        return NULL;
    }
    if (child) {
        put(override, map, level, child);
    }
    return child;
}

/* All that an override brings is placed at the override, not at a line of its short text. */
void experiment_override_apply(struct arena *arena, struct report *report, size_t index,
                               struct tree_node *root)
{
    const char *text = report->set_texts[index];
    const char *equals = strchr(text, '=');
    struct override override = {
        .arena = arena, .report = report, .place = {.source = (int)index + 1}};
    struct tree_node *value, *map = root;
    bool is_empty;
    char *path;

    if (!equals || equals == text) {
        text_report_add(report, override.place,
                        "A --set is KEY=VALUE. Write for instance --set 'policy=easy' or "
                        "--set 'workload.load=0.8'.");
        return;
    }
    path = text_arena_copy(arena, text, (size_t)(equals - text));
    if (!path || !resolve_path(&override, path)) {
        return;
    }
    value = text_tree_parse(arena, report, override.place.source, equals + 1, strlen(equals + 1),
                            &is_empty);
    if (is_empty) {
        value = text_tree_scalar(arena, override.place, "");
    }
    for (size_t level = 0; value && map && level + 1 < override.level_count; level++) {
        map = descend(&override, map, level);
    }
    if (value && map) {
        put(&override, map, override.level_count - 1, value);
    }
}
