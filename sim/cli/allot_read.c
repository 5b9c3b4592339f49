/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot_read.c - instances of shared workers from YAML, of which JSON is a part. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/allot.h"
#include "text/file.h"
#include "text/tree.h"
#include "text/units.h"

#define TYPES_COMPARED_MAX 1000 /* names that are there twice are looked for among so many */

enum key {
    KEY_NAME,
    KEY_TYPES,
    KEY_WORKERS,
    KEY_JOBS,
    KEY_THROUGHPUT,
    KEY_SCALE,
    KEY_STEPS,
    KEY_WEIGHT,
    KEY_EQUAL,
    KEY_BEST_MAX_MIN,
    KEY_BEST_MAKESPAN,
    KEY_BEST_TOTAL,
    KEY_COUNT
};

/* The last ones belong to the results with which an instance may come: passed over. */
static const char *const keys[KEY_COUNT] = {
    [KEY_NAME] = "name",
    [KEY_TYPES] = "worker_types",
    [KEY_WORKERS] = "num_workers",
    [KEY_JOBS] = "jobs",
    [KEY_THROUGHPUT] = "throughput",
    [KEY_SCALE] = "scale_factor",
    [KEY_STEPS] = "steps_remaining",
    [KEY_WEIGHT] = "weight",
    [KEY_EQUAL] = "proportional_throughput",
    [KEY_BEST_MAX_MIN] = "opt_max_min_normalised",
    [KEY_BEST_MAKESPAN] = "opt_makespan_lp_seconds",
    [KEY_BEST_TOTAL] = "opt_sum_throughput",
};

struct reader {
    struct arena *arena;
    struct report *report;
    const struct tree_node *nodes[KEY_COUNT]; /* of the instance at hand */
    const struct tree_node *map;
};

static bool is_list(struct reader *reader, enum key key, size_t count, const char *each)
{
    const struct tree_node *node = reader->nodes[key];

    if (node->kind != TREE_LIST) {
        text_report_add(reader->report, node->place, "'%s' is a list, [...].", keys[key]);
        return false;
    }
    if (node->count != count) {
        text_report_add(reader->report, node->place,
                        "'%s' has %zu elements; %zu are due, one for each %s.", keys[key],
                        node->count, count, each);
        return false;
    }
    return true;
}

static bool number(struct reader *reader, enum key key, const struct tree_node *node,
                   bool is_zero_allowed, double *value)
{
    if (node->kind == TREE_SCALAR && text_units_parse_double(node->text, value) &&
        (*value > 0 || (is_zero_allowed && *value >= 0))) {
        if (*value == 0 || (*value >= ALLOT_NUMBER_MIN && *value <= ALLOT_NUMBER_MAX)) {
            return true;
        }
        text_report_add(reader->report, node->place,
                        "'%s' holds %s; a number from %g to %g is due%s.", keys[key],
                        REPORT_CLIP(node->text), ALLOT_NUMBER_MIN, ALLOT_NUMBER_MAX,
                        is_zero_allowed ? ", or 0" : "");
        return false;
    }
    text_report_add(reader->report, node->place, "'%s' holds %s%s%s; a number %s is due.",
                    keys[key], node->kind == TREE_SCALAR ? "'" : "",
                    node->kind == TREE_SCALAR ? REPORT_CLIP(node->text) : "a list or map",
                    node->kind == TREE_SCALAR ? "'" : "", is_zero_allowed ? "from 0" : "above 0");
    return false;
}

/* A list of `count` numbers into *numbers; NULL if the key is not there or has a problem. */
static const double *read_numbers(struct reader *reader, enum key key, size_t count,
                                  const char *each, bool is_zero_allowed)
{
    const struct tree_node *node = reader->nodes[key];
    double *numbers;
    size_t at = 0;
    bool is_good = true;

    if (!node || !is_list(reader, key, count, each)) {
        return NULL;
    }
    numbers = text_arena_alloc(reader->arena, (count + 1) * sizeof *numbers);
    if (!numbers) {
        return NULL;
    }
    for (const struct tree_entry *entry = node->first; entry; entry = entry->next) {
        is_good = number(reader, key, entry->value, is_zero_allowed, &numbers[at++]) && is_good;
    }
    return is_good ? numbers : NULL;
}

/* A row of numbers for each job. */
static const double *read_throughput(struct reader *reader, size_t job_count, size_t type_count)
{
    const struct tree_node *node = reader->nodes[KEY_THROUGHPUT];
    double *cells = text_arena_alloc(reader->arena, (job_count * type_count + 1) * sizeof *cells);
    size_t at = 0;
    bool is_good = true;

    for (const struct tree_entry *row = node->first; cells && row; row = row->next) {
        double greatest = 0;

        if (row->value->kind != TREE_LIST || row->value->count != type_count) {
            text_report_add(reader->report, row->value->place,
                            "A row of 'throughput' is a list of %zu numbers, one for each type of "
                            "worker.",
                            type_count);
            return NULL;
        }
        for (const struct tree_entry *entry = row->value->first; entry; entry = entry->next) {
            is_good = number(reader, KEY_THROUGHPUT, entry->value, true, &cells[at]) && is_good;
            greatest = is_good && cells[at] > greatest ? cells[at] : greatest;
            at++;
        }
        if (is_good && type_count > 0 && greatest == 0) {
            text_report_add(reader->report, row->value->place,
                            "Job %zu has throughput 0 on every type of worker, so it can never "
                            "run; leave it out, or correct the throughputs.",
                            at / type_count - 1);
            is_good = false;
        }
    }
    return is_good ? cells : NULL;
}

/* Texts, or lists that begin with one: ["LM (batch size 20)", 2]. */
static const char *const *read_names(struct reader *reader, enum key key)
{
    const struct tree_node *node = reader->nodes[key];
    const char **names = text_arena_alloc(reader->arena, (node->count + 1) * sizeof *names);
    size_t at = 0;

    for (const struct tree_entry *entry = node->first; names && entry; entry = entry->next) {
        const struct tree_node *value = entry->value;

        if (key == KEY_JOBS && value->kind == TREE_LIST && value->first) {
            value = value->first->value;
        }
        if (value->kind != TREE_SCALAR) {
            text_report_add(reader->report, value->place, "An element of '%s' is a name.",
                            keys[key]);
            return NULL;
        }
        for (size_t i = 0; key == KEY_TYPES && at < TYPES_COMPARED_MAX && i < at; i++) {
            if (strcmp(names[i], value->text) == 0) {
                text_report_add(reader->report, value->place,
                                "'%s' has '%s' twice; add up its workers, or give one of the two "
                                "another name.",
                                keys[key], REPORT_CLIP(value->text));
                return NULL;
            }
        }
        names[at++] = value->text;
    }
    return names;
}

/* Which value stands behind each key; false with a problem. */
static bool find_keys(struct reader *reader)
{
    static const enum key due[] = {KEY_TYPES, KEY_WORKERS, KEY_THROUGHPUT};
    bool is_good = true;

    memset(reader->nodes, 0, sizeof reader->nodes);
    for (const struct tree_entry *entry = reader->map->first; entry; entry = entry->next) {
        enum key key = 0;
        const char *nearest = hs_nearest(entry->key, keys, KEY_COUNT);

        while (key < KEY_COUNT && strcmp(keys[key], entry->key) != 0) {
            key++;
        }
        if (key < KEY_COUNT) {
            reader->nodes[key] = entry->value;
            continue;
        }
        text_report_add(reader->report, entry->key_place, "'%s' is no key of an instance%s%s%s",
                        REPORT_CLIP(entry->key), nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : ".");
        is_good = false;
    }
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        if (!reader->nodes[due[i]]) {
            text_report_add(reader->report, reader->map->place,
                            "'%s' is missing: an instance has worker_types, num_workers and "
                            "throughput.",
                            keys[due[i]]);
            is_good = false;
        }
    }
    return is_good;
}

/* Numbers for every job that may be missing. */
static const double *read_optional(struct reader *reader, enum key key, size_t job_count)
{
    return read_numbers(reader, key, job_count, "job", false);
}

static struct instance *read_instance(struct reader *reader, const struct tree_node *map,
                                      size_t index)
{
    struct instance *instance = text_arena_alloc(reader->arena, sizeof *instance);
    struct allot_problem *problem;
    const struct tree_node *types, *rows;
    char label[32];

    if (!instance || map->kind != TREE_MAP) {
        text_report_add(reader->report, map->place,
                        "An instance is a map, {worker_types: ..., num_workers: ..., throughput: "
                        "...}.");
        return NULL;
    }
    reader->map = map;
    if (!find_keys(reader)) {
        return NULL;
    }
    types = reader->nodes[KEY_TYPES];
    rows = reader->nodes[KEY_THROUGHPUT];
    if (!is_list(reader, KEY_TYPES, types->count, "type of worker") ||
        !is_list(reader, KEY_THROUGHPUT, rows->count, "job") ||
        (reader->nodes[KEY_JOBS] && !is_list(reader, KEY_JOBS, rows->count, "row of throughput"))) {
        return NULL;
    }
    (void)snprintf(label, sizeof label, "instance %zu", index + 1);
    instance->path = reader->report->path;
    instance->label = text_arena_copy(reader->arena, label, strlen(label));
    if (reader->nodes[KEY_NAME] && reader->nodes[KEY_NAME]->kind != TREE_SCALAR) {
        text_report_add(reader->report, reader->nodes[KEY_NAME]->place,
                        "'name' is a text, for instance \"two jobs\".");
    } else if (reader->nodes[KEY_NAME] && *reader->nodes[KEY_NAME]->text) {
        instance->label = reader->nodes[KEY_NAME]->text;
    }
    instance->types = read_names(reader, KEY_TYPES);
    problem = &instance->problem;
    problem->job_count = rows->count;
    problem->type_count = types->count;
    problem->workers = read_numbers(reader, KEY_WORKERS, types->count, "type of worker", true);
    problem->steps_per_s = read_throughput(reader, rows->count, types->count);
    problem->scale_factors = read_optional(reader, KEY_SCALE, rows->count);
    problem->steps = read_optional(reader, KEY_STEPS, rows->count);
    problem->weights = read_optional(reader, KEY_WEIGHT, rows->count);
    problem->job_names = reader->nodes[KEY_JOBS] ? read_names(reader, KEY_JOBS) : NULL;
    return instance;
}

static void read_all(struct reader *reader, const struct tree_node *root, struct instance **first)
{
    struct instance **end = first;
    size_t index = 0;

    if (root->kind != TREE_LIST) {
        *first = read_instance(reader, root, 0);
        return;
    }
    if (!root->first) {
        text_report_add(reader->report, root->place, "The list holds no instance.");
    }
    for (const struct tree_entry *entry = root->first; entry; entry = entry->next) {
        *end = read_instance(reader, entry->value, index++);
        end = *end ? &(*end)->next : end;
    }
}

static enum hs_err conclude(const struct arena *arena, const struct report *report,
                            struct hs_error *error)
{
    char *text;
    enum hs_err err;

    if (arena->has_failed || report->has_failed) {
        return hs_error_memory(error);
    }
    if (report->count == 0) {
        return HS_OK;
    }
    text = text_report_text(report);
    err = text ? hs_error_set(error, HS_ERR_INPUT, "%s", text) : hs_error_memory(error);
    free(text);
    return err;
}

enum hs_err instance_read(struct arena *arena, const char *path, struct instance **first,
                          struct hs_error *error)
{
    static const struct text_file_words words = {
        .noun = "list of instances", .advice = "", .missing_code = HS_ERR_INPUT};
    struct report report = {.path = path};
    struct reader reader = {.arena = arena, .report = &report};
    const struct tree_node *root;
    char *text = NULL;
    size_t length;
    bool is_empty = false;
    enum hs_err err = text_file_read(path, &words, &text, &length, error);

    *first = NULL;
    if (err) {
        free(text);
        return err;
    }
    root = text_tree_parse(arena, &report, 0, text, length, &is_empty);
    if (is_empty) {
        text_report_add(&report, (struct tree_place){0}, "The file is empty.");
    } else if (root) {
        read_all(&reader, root, first);
    }
    err = conclude(arena, &report, error);
    text_report_fini(&report);
    free(text);
    return err;
}
