/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key.c - finding rows of the table, and their types and ranges in words. */
#include "experiment/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/units.h"

const char *experiment_key_name(const struct key *key)
{
    const char *dot = strrchr(key->path, '.');

    return dot ? dot + 1 : key->path;
}

const struct key *experiment_key_find(const char *path)
{
    for (size_t i = 0; i < experiment_key_count; i++) {
        if (strcmp(experiment_keys[i].path, path) == 0) {
            return &experiment_keys[i];
        }
    }
    return NULL;
}

static int depth_of(const struct key *key)
{
    int depth = 0;

    for (const char *at = key->path; *at; at++) {
        depth += *at == '.';
    }
    return depth;
}

const struct key *experiment_key_find_name(const char *name)
{
    const struct key *found = NULL;

    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (strcmp(experiment_key_name(key), name) == 0 &&
            strncmp(key->path, "workload.columns.", strlen("workload.columns.")) != 0 &&
            (!found || depth_of(key) < depth_of(found))) {
            found = key;
        }
    }
    return found;
}

bool experiment_key_is_child(const struct key *parent, const struct key *child)
{
    size_t length = strlen(parent->path);

    if (length == 0) {
        return *child->path && !strchr(child->path, '.');
    }
    return strncmp(child->path, parent->path, length) == 0 && child->path[length] == '.' &&
           !strchr(child->path + length + 1, '.');
}

const struct key *experiment_key_child(const struct key *parent, const char *name)
{
    for (size_t i = 0; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (experiment_key_is_child(parent, key) && strcmp(experiment_key_name(key), name) == 0) {
            return key;
        }
    }
    return NULL;
}

const struct key *experiment_key_list(const struct key *key)
{
    for (size_t i = 0; i < experiment_key_count; i++) {
        const struct key *list = &experiment_keys[i];
        size_t length;

        if (list->type != KEY_MAP_LIST) {
            continue;
        }
        length = strlen(list->path);
        if (strncmp(key->path, list->path, length) == 0 && key->path[length] == '.') {
            return list;
        }
    }
    return NULL;
}

size_t experiment_key_children(const struct key *parent, const char **names)
{
    size_t count = 0;

    for (size_t i = 0; i < experiment_key_count; i++) {
        if (experiment_key_is_child(parent, &experiment_keys[i])) {
            names[count++] = experiment_key_name(&experiment_keys[i]);
        }
    }
    return count;
}

bool experiment_key_has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    while (list) {
        if (strncmp(list, word, length) == 0 && (list[length] == ' ' || list[length] == '\0')) {
            return true;
        }
        list = strchr(list, ' ');
        list = list ? list + 1 : NULL;
    }
    return false;
}

bool experiment_key_is_nullable(const struct key *key)
{
    const char *dot = strrchr(key->path, '.');

    if ((key->type != KEY_STRING && key->type != KEY_PATH) || key->fallback || key->is_required) {
        return false;
    }
    for (size_t i = 0; dot && i < experiment_key_count; i++) {
        if (experiment_key_is_child(&experiment_keys[i], key) &&
            experiment_key_has_word(experiment_keys[i].one_of, dot + 1)) {
            return false;
        }
    }
    return true;
}

const char *experiment_key_type_text(const struct key *key)
{
    switch (key->type) {
    case KEY_MAP:
        return key->short_form ? "a single value or a map" : "a map";
    case KEY_BOOL:
        return "true or false";
    case KEY_INT:
        return "an integer";
    case KEY_DOUBLE:
        return "a number";
    case KEY_TIME:
        return "a duration";
    case KEY_BYTES:
        return "a size";
    case KEY_STRING:
        return "a text";
    case KEY_PATH:
        return "a path";
    case KEY_CHOICE:
        return "a choice";
    case KEY_CHOICE_TIME:
        return "a choice or a duration";
    case KEY_INT_LIST:
        return "a list of integers";
    case KEY_PATH_LIST:
        return "a list of paths";
    case KEY_MAP_LIST:
        return "a list of maps";
    case KEY_POLICY:
        return "a policy: a name, or a map";
    case KEY_POLICY_LIST:
        return "a list of policies";
    case KEY_AXES:
        return "a map of keys and values";
    case KEY_AXES_LIST:
    case KEY_CASES:
        return "a list of maps";
    }
    return "";
}

/* A bound as a person would write it. */
static void format_bound(const struct key *key, int64_t value, double real, char *text)
{
    switch (key->type) {
    case KEY_DOUBLE:
        text_units_format_double(real, text);
        break;
    case KEY_TIME:
    case KEY_CHOICE_TIME:
        text_units_format(UNITS_TIME, value, text);
        break;
    case KEY_BYTES:
        text_units_format(UNITS_BYTES, value, text);
        break;
    default:
        (void)snprintf(text, UNITS_TEXT_MAX, "%" PRId64, value);
        break;
    }
}

void experiment_key_range(const struct key *key, char *text)
{
    char low[UNITS_TEXT_MAX], high[UNITS_TEXT_MAX];

    text[0] = '\0';
    if (key->type != KEY_INT && key->type != KEY_DOUBLE && key->type != KEY_TIME &&
        key->type != KEY_BYTES && key->type != KEY_CHOICE_TIME && key->type != KEY_INT_LIST) {
        return;
    }
    format_bound(key, key->min, key->min_real, low);
    format_bound(key, key->max, key->max_real, high);
    if (strcmp(low, high) == 0) {
        (void)snprintf(text, KEY_RANGE_MAX, "%s", low);
    } else if (key->max == INT64_MAX) {
        (void)snprintf(text, KEY_RANGE_MAX, "at least %s", low);
    } else {
        (void)snprintf(text, KEY_RANGE_MAX, key->is_min_open ? "above %s, up to %s" : "%s to %s",
                       low, high);
    }
}
