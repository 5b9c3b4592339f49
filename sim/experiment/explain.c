/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain.c - the table of keys for a person at a terminal. */
#include <stdio.h>
#include <string.h>

#include "experiment/fill.h"
#include "text/units.h"

/* Writes text in lines of at most 76 columns behind an indentation. */
static void write_wrapped(FILE *file, const char *text, int indent)
{
    size_t column = 0;

    fprintf(file, "%*s", indent, "");
    while (*text) {
        size_t length = strcspn(text, " ");

        if (column && column + 1 + length > 76 - (size_t)indent) {
            fprintf(file, "\n%*s", indent, "");
            column = 0;
        } else if (column) {
            fputc(' ', file);
            column++;
        }
        (void)fwrite(text, 1, length, file);
        column += length;
        text += length;
        text += *text == ' ';
    }
    fputc('\n', file);
}

static void write_line(FILE *file, const struct key *key)
{
    fprintf(file, "  %-38s ", key->path);
    if (key->fallback) {
        fprintf(file, "%-22s default %s\n", experiment_key_type_text(key), key->fallback);
    } else {
        fprintf(file, key->is_required ? "%-22s required\n" : "%s\n",
                experiment_key_type_text(key));
    }
}

static void write_children(FILE *file, const struct key *parent)
{
    size_t length = strlen(parent->path);

    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (length == 0 ||
            (strncmp(key->path, parent->path, length) == 0 && key->path[length] == '.')) {
            write_line(file, key);
        }
    }
}

/* The value in a file: a key inside maps stands in their braces. */
static void write_example(FILE *file, const struct key *key)
{
    const struct key *list = experiment_key_list(key);
    const char *list_end = list ? key->path + strlen(list->path) : NULL;

    fputs("  example   ", file);
    for (const char *at = key->path; *at; at++) {
        if (*at == '.') {
            fputs(at == list_end ? ": [{" : ": {", file);
        } else {
            fputc(*at, file);
        }
    }
    fprintf(file, ": %s", key->example);
    for (const char *at = key->path + strlen(key->path); at > key->path; at--) {
        if (*at == '.') {
            fputs(at == list_end ? "}]" : "}", file);
        }
    }
    fputc('\n', file);
}

/* The choice beside which the key has a meaning. */
static void write_condition(FILE *file, const struct key *key)
{
    char path[128];
    const struct key *sibling;

    (void)snprintf(path, sizeof path, "%.*s.%s", (int)(strrchr(key->path, '.') - key->path),
                   key->path, key->only_with);
    sibling = experiment_key_find(path);
    for (const struct key_choice *choice = sibling->choices; choice->name; choice++) {
        if (choice->value == key->only_value) {
            fprintf(file, "  only with %s: %s\n", key->only_with, choice->name);
        }
    }
}

static void write_key(FILE *file, const struct key *key)
{
    char range[KEY_RANGE_MAX];

    fprintf(file, "%s\n\n", key->path);
    write_wrapped(file, key->doc, 2);
    fprintf(file, "\n  type      %s\n", experiment_key_type_text(key));
    if (key->choices) {
        fputs("  choices   ", file);
        for (const struct key_choice *choice = key->choices; choice->name; choice++) {
            fprintf(file, "%s%s", choice == key->choices ? "" : ", ", choice->name);
        }
        fputs(key->type == KEY_CHOICE_TIME ? ", or a duration\n" : "\n", file);
    }
    if (key->type == KEY_TIME || key->type == KEY_CHOICE_TIME) {
        fprintf(file, "  unit      %s; a number without unit is in seconds\n",
                text_units_list(UNITS_TIME));
    } else if (key->type == KEY_BYTES) {
        fprintf(file, "  unit      %s; a number without unit is in bytes\n",
                text_units_list(UNITS_BYTES));
    }
    experiment_key_range(key, range);
    if (*range) {
        fprintf(file, "  range     %s\n", range);
    }
    if (key->fallback) {
        fprintf(file, "  default   %s\n", key->fallback);
    }
    if (key->is_required) {
        fputs("  required  yes\n", file);
    }
    if (key->only_with) {
        write_condition(file, key);
    }
    if (key->one_of) {
        fprintf(file, "  needs     exactly one of '%.*s' and '%s'\n",
                (int)strcspn(key->one_of, " "), key->one_of, strchr(key->one_of, ' ') + 1);
    }
    write_example(file, key);
}

/* The key that was probably meant: a misspelt path, or the last part of one. */
static const char *suggest(const char *word)
{
    const char *paths[KEY_COUNT_MAX], *names[KEY_COUNT_MAX];
    const char *nearest;

    for (size_t i = 1; i < experiment_key_count; i++) {
        paths[i - 1] = experiment_keys[i].path;
        names[i - 1] = experiment_key_name(&experiment_keys[i]);
    }
    if (experiment_key_find_name(word)) {
        return experiment_key_find_name(word)->path;
    }
    nearest = hs_nearest(word, paths, experiment_key_count - 1);
    if (nearest) {
        return nearest;
    }
    nearest = hs_nearest(word, names, experiment_key_count - 1);
    return nearest ? experiment_key_find_name(nearest)->path : NULL;
}

bool experiment_explain(FILE *file, const char *key_path, const char **suggestion)
{
    const struct key *key = key_path && *key_path ? experiment_key_find(key_path) : NULL;

    *suggestion = NULL;
    if (!key_path) {
        write_children(file, &experiment_keys[0]);
        return true;
    }
    if (!key) {
        *suggestion = suggest(key_path);
        return false;
    }
    write_key(file, key);
    if (key->type == KEY_MAP || key->type == KEY_MAP_LIST || key->type == KEY_POLICY) {
        fputc('\n', file);
        write_children(file, key);
    }
    return true;
}
