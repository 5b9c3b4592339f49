/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain.c - the table of keys for a person at a terminal. */
#include <stdio.h>
#include <stdlib.h>
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
static void put_example(FILE *file, const struct key *key)
{
    const struct key *list = experiment_key_list(key);
    const char *list_end = list ? key->path + strlen(list->path) : NULL;

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
}

/* The choice beside which the key has a meaning. */
static void put_condition(FILE *file, const struct key *key)
{
    char path[128];
    const struct key *sibling;

    (void)snprintf(path, sizeof path, "%.*s.%s", (int)(strrchr(key->path, '.') - key->path),
                   key->path, key->only_with);
    sibling = experiment_key_find(path);
    for (const struct key_choice *choice = sibling->choices; choice->name; choice++) {
        if (choice->value == key->only_value) {
            fprintf(file, "%s: %s", key->only_with, choice->name);
        }
    }
}

static void put_choices(FILE *file, const struct key *key)
{
    for (const struct key_choice *choice = key->choices; choice->name; choice++) {
        fprintf(file, "%s%s", choice == key->choices ? "" : ", ", choice->name);
    }
    fputs(key->type == KEY_CHOICE_TIME ? ", or a duration" : "", file);
}

static bool put_fact(FILE *file, const struct key *key, enum experiment_fact fact)
{
    char range[KEY_RANGE_MAX];

    switch (fact) {
    case EXPERIMENT_FACT_TYPE:
        fputs(experiment_key_type_text(key), file);
        return true;
    case EXPERIMENT_FACT_CHOICES:
        if (key->choices) {
            put_choices(file, key);
        }
        return key->choices;
    case EXPERIMENT_FACT_UNIT:
        if (key->type == KEY_TIME || key->type == KEY_CHOICE_TIME) {
            fprintf(file, "%s; a number without unit is in seconds", text_units_list(UNITS_TIME));
        } else if (key->type == KEY_BYTES) {
            fprintf(file, "%s; a number without unit is in bytes", text_units_list(UNITS_BYTES));
        }
        return key->type == KEY_TIME || key->type == KEY_CHOICE_TIME || key->type == KEY_BYTES;
    case EXPERIMENT_FACT_RANGE:
        experiment_key_range(key, range);
        fputs(range, file);
        return *range;
    case EXPERIMENT_FACT_DEFAULT:
        fputs(key->fallback ? key->fallback : "", file);
        return key->fallback;
    case EXPERIMENT_FACT_REQUIRED:
        fputs("yes", file);
        return key->is_required;
    case EXPERIMENT_FACT_CONDITION:
        if (key->only_with) {
            put_condition(file, key);
        }
        return key->only_with;
    case EXPERIMENT_FACT_NEEDS:
        if (key->one_of) {
            fprintf(file, "exactly one of '%.*s' and '%s'", (int)strcspn(key->one_of, " "),
                    key->one_of, strchr(key->one_of, ' ') + 1);
        }
        return key->one_of;
    case EXPERIMENT_FACT_EXAMPLE:
        put_example(file, key);
        return true;
    case EXPERIMENT_FACT_COUNT:
        break;
    }
    return false;
}

const char *experiment_fact_name(enum experiment_fact fact)
{
    static const char *const names[] = {
        [EXPERIMENT_FACT_TYPE] = "type",           [EXPERIMENT_FACT_CHOICES] = "choices",
        [EXPERIMENT_FACT_UNIT] = "unit",           [EXPERIMENT_FACT_RANGE] = "range",
        [EXPERIMENT_FACT_DEFAULT] = "default",     [EXPERIMENT_FACT_REQUIRED] = "required",
        [EXPERIMENT_FACT_CONDITION] = "only with", [EXPERIMENT_FACT_NEEDS] = "needs",
        [EXPERIMENT_FACT_EXAMPLE] = "example",
    };

    return names[fact];
}

char *experiment_key_fact(const struct key *key, enum experiment_fact fact)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool has_fact = file && put_fact(file, key, fact);

    if ((file && fclose(file) != 0) || !has_fact) {
        free(text);
        return NULL;
    }
    return text;
}

static void write_key(FILE *file, const struct key *key)
{
    fprintf(file, "%s\n\n", key->path);
    write_wrapped(file, key->doc, 2);
    fputc('\n', file);
    for (int fact = 0; fact < EXPERIMENT_FACT_COUNT; fact++) {
        char *text = experiment_key_fact(key, (enum experiment_fact)fact);

        if (text) {
            fprintf(file, "  %-9s %s\n", experiment_fact_name((enum experiment_fact)fact), text);
        }
        free(text);
    }
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
