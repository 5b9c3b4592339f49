/* SPDX-License-Identifier: GPL-3.0-or-later */
/* select.c - which keys tell runs apart, and which runs are looked at. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"
#include "text/units.h"

#define VALUES_SHOWN 8

const struct compare_fact *compare_find_fact(const struct compare_run *run, const char *key)
{
    for (size_t i = 0; i < run->fact_count; i++) {
        if (strcmp(run->facts[i].key, key) == 0) {
            return &run->facts[i];
        }
    }
    return NULL;
}

static enum hs_err fail_key(const struct compare_set *set, const char *option, const char *key,
                            struct hs_error *error)
{
    size_t count = 0;
    size_t room = 0;
    const char **names;
    const char *near;

    for (size_t i = 0; i < set->run_count; i++) {
        room += set->runs[i].fact_count;
    }
    names = calloc(room + 1, sizeof *names);
    if (!names) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < set->run_count; i++) {
        for (size_t k = 0; k < set->runs[i].fact_count; k++) {
            names[count++] = set->runs[i].facts[k].key;
        }
    }
    near = hs_nearest(key, names, count);
    (void)hs_error_set(
        error, HS_ERR_CONFIG,
        "%s names '%s', and no run has such a key%s%s%s `hsim validate --resolved` prints the keys "
        "of an experiment, and `hsim inspect` the axes of a sweep.",
        option, key, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "");
    free(names);
    return HS_ERR_CONFIG;
}

/* ---- keys that become part of the label */

/* The fact becomes part of the label, and no longer tells the situation of the run. */
static bool move_fact(struct compare_set *set, struct compare_run *run, const char *key)
{
    size_t label_size = strlen(run->label) + strlen(key) + 3;
    struct compare_fact *fact = NULL;
    char *label;

    for (size_t i = 0; i < run->fact_count && !fact; i++) {
        fact = strcmp(run->facts[i].key, key) == 0 ? &run->facts[i] : NULL;
    }
    label_size += fact ? strlen(fact->text) : 1;
    label = text_arena_alloc(&set->arena, label_size);
    if (!label) {
        return false;
    }
    (void)snprintf(label, label_size, "%s %s=%s", run->label, key, fact ? fact->text : "-");
    run->label = label;
    if (fact) {
        memmove(fact, fact + 1, (size_t)(run->facts + run->fact_count - fact - 1) * sizeof *fact);
        run->fact_count--;
        run->situation = compare_join_facts(set, run);
    }
    return run->situation != NULL;
}

enum hs_err compare_split(struct compare_set *set, const char *keys, struct hs_error *error)
{
    while (keys) {
        size_t length = strcspn(keys, ",");
        const char *key = text_arena_copy(&set->arena, keys, length);
        bool is_known = false;

        if (!key) {
            return hs_error_memory(error);
        }
        for (size_t i = 0; i < set->run_count && !is_known; i++) {
            is_known = compare_find_fact(&set->runs[i], key);
        }
        if (!is_known) {
            return fail_key(set, "--by", key, error);
        }
        for (size_t i = 0; i < set->run_count; i++) {
            if (!move_fact(set, &set->runs[i], key)) {
                return hs_error_memory(error);
            }
        }
        keys = keys[length] ? keys + length + 1 : NULL;
    }
    return HS_OK;
}

/* ---- runs of one setting */

/* The same duration or size: 60s and 1m. */
static bool is_quantity(enum units_kind kind, const char *text, const char *wanted)
{
    int64_t a = 0;
    int64_t b = 0;

    return text_units_parse(kind, text, &a, NULL) == UNITS_OK &&
           text_units_parse(kind, wanted, &b, NULL) == UNITS_OK && a == b;
}

/* The same word, or the same number: 0.9 and 0.90, and what a person rounds. */
static bool is_value(const char *text, const char *wanted)
{
    double a = 0;
    double b = 0;

    return strcmp(text, wanted) == 0 ||
           (text_units_parse_double(text, &a) && text_units_parse_double(wanted, &b) &&
            fabs(a - b) <= 1e-9 * fabs(b)) ||
           is_quantity(UNITS_TIME, text, wanted) || is_quantity(UNITS_BYTES, text, wanted);
}

static enum hs_err fail_value(const struct compare_set *set, const char *key, const char *value,
                              struct hs_error *error)
{
    char list[300] = "";
    const char *seen[VALUES_SHOWN + 1];
    size_t count = 0;
    size_t at = 0;

    for (size_t i = 0; i < set->run_count && count <= VALUES_SHOWN; i++) {
        const struct compare_fact *fact = compare_find_fact(&set->runs[i], key);
        size_t k = 0;

        while (fact && k < count && strcmp(seen[k], fact->text) != 0) {
            k++;
        }
        if (fact && k == count) {
            seen[count++] = fact->text;
        }
    }
    for (size_t k = 0; k < count && at < sizeof list; k++) {
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%.40s", k ? ", " : "",
                               k < VALUES_SHOWN ? seen[k] : "...");
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "--where asks for %s=%s, and no run has that value; there are %s.", key,
                        value, list);
}

static enum hs_err keep_value(struct compare_set *set, const char *key, const char *value,
                              struct hs_error *error)
{
    bool is_known = false;
    size_t kept = 0;

    for (size_t i = 0; i < set->run_count; i++) {
        is_known = is_known || compare_find_fact(&set->runs[i], key);
    }
    if (!is_known) {
        return fail_key(set, "--where", key, error);
    }
    for (size_t i = 0; i < set->run_count; i++) {
        const struct compare_fact *fact = compare_find_fact(&set->runs[i], key);

        kept += fact && is_value(fact->text, value);
    }
    if (kept == 0) {
        return fail_value(set, key, value, error);
    }
    kept = 0;
    set->failed = 0;
    for (size_t i = 0; i < set->run_count; i++) {
        const struct compare_fact *fact = compare_find_fact(&set->runs[i], key);

        if (fact && is_value(fact->text, value)) {
            set->failed += set->runs[i].is_failed;
            set->runs[kept++] = set->runs[i];
        }
    }
    set->run_count = kept;
    return HS_OK;
}

enum hs_err compare_filter(struct compare_set *set, const char *settings, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    while (settings && code == HS_OK) {
        size_t length = strcspn(settings, ",");
        char *key = text_arena_copy(&set->arena, settings, length);
        char *equals = key ? strchr(key, '=') : NULL;

        if (!key) {
            return hs_error_memory(error);
        }
        if (!equals || equals == key) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--where holds '%s'; it takes KEY=VALUE[,KEY=VALUE...], as in "
                                "workload.load=0.9.",
                                key);
        }
        *equals = '\0';
        code = keep_value(set, key, equals + 1, error);
        settings = settings[length] ? settings + length + 1 : NULL;
    }
    return code;
}
