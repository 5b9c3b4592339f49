/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.c - reads `axes` and `zip`. */
#include "sweep/block.h"

#include <stdio.h>
#include <string.h>

#include "experiment/fill.h"
#include "text/text_map.h"
#include "text/units.h"

#define AXIS_MAX 64

/* Which axes make sense: those of keys that make a difference between runs. */
static bool check_key(struct report *report, const struct block_axis *axis)
{
    if (!axis->row || (axis->row->part != KEY_PART_NAME && axis->row->part != KEY_PART_SWEEP &&
                       strcmp(axis->key, "hsim") != 0)) {
        return true;
    }
    text_report_add(report, axis->path.place,
                    "'%s' is no axis: the result of a run does not depend on it. Set it for the "
                    "whole experiment.",
                    axis->key);
    return false;
}

/* Of keys that exclude each other a run has one. */
static bool is_excluding(const struct block_axis *left, const struct block_axis *right)
{
    size_t level = left->path.level_count - 1;
    const struct key *parent = level ? left->path.keys[level - 1] : &experiment_keys[0];
    const char *left_name, *right_name;

    if (!left->row || !right->row || !experiment_key_is_child(parent, left->row) ||
        !experiment_key_is_child(parent, right->row)) {
        return false;
    }
    left_name = experiment_key_name(left->row);
    right_name = experiment_key_name(right->row);
    return (experiment_key_has_word(parent->one_of, left_name) &&
            experiment_key_has_word(parent->one_of, right_name)) ||
           (left->row->excludes && strcmp(left->row->excludes, right_name) == 0) ||
           (right->row->excludes && strcmp(right->row->excludes, left_name) == 0);
}

static bool check_others(struct block *block, const struct block_axis *axis)
{
    for (const struct block_axis *other = block->axes; other < axis; other++) {
        if (strcmp(other->key, axis->key) == 0) {
            text_report_add(&block->draft->report, axis->path.place,
                            "'%s' is an axis already. Put all its values into one.", axis->key);
            return false;
        }
        if (is_excluding(other, axis)) {
            text_report_add(&block->draft->report, axis->path.place,
                            "'%s' and '%s' exclude each other, so that they cannot both be axes. "
                            "Remove one of them.",
                            axis->key, other->key);
            return false;
        }
    }
    return true;
}

/* Every value of a list, by the row of the key. */
static enum hs_err check_list(struct block *block, struct block_axis *axis, struct hs_error *error)
{
    struct report *report = &block->draft->report;
    enum hs_err err = HS_OK;

    axis->count = axis->spec->count;
    if (axis->count == 0) {
        text_report_add(report, axis->spec->place,
                        "The list of values of '%s' is empty. Write at least one, or remove the "
                        "axis.",
                        axis->key);
    }
    for (const struct tree_entry *entry = axis->spec->first; err == HS_OK && entry;
         entry = entry->next) {
        if (axis->row) {
            err = experiment_draft_check(block->draft, axis->row, entry->value, report, error);
        } else if (entry->value->kind != TREE_SCALAR || text_tree_is_null(entry->value)) {
            text_report_add(report, entry->value->place,
                            "The policy parameter '%s' takes single values. `hsim policies show "
                            "NAME` lists the parameters.",
                            axis->key);
        }
    }
    return err;
}

static enum hs_err read_axis(struct block *block, const struct tree_entry *entry, size_t dimension,
                             struct hs_error *error)
{
    struct experiment_draft *draft = block->draft;
    struct block_axis *axis = &block->axes[block->axis_count];

    if (block->axis_count == AXIS_MAX) {
        text_report_add(&draft->report, entry->key_place,
                        "A sweep has at most %d axes. Remove this one.", AXIS_MAX);
        return HS_OK;
    }
    *axis = (struct block_axis){.key = entry->key, .spec = entry->value, .dimension = dimension};
    axis->path.place = entry->key_place;
    axis->path.is_each_policy = true;
    if (!experiment_override_path(&draft->arena, &draft->report, entry->key, &axis->path)) {
        return HS_OK;
    }
    axis->row = axis->path.keys[axis->path.level_count - 1];
    axis->is_policy = strcmp(axis->path.names[0], "policy") == 0 ||
                      (axis->row && axis->row->part == KEY_PART_POLICY);
    if (!check_key(&draft->report, axis) || !check_others(block, axis)) {
        return HS_OK;
    }
    block->axis_count++;
    if (axis->row && (axis->row->type == KEY_POLICY || axis->row->type == KEY_POLICY_LIST)) {
        block->policies = axis;
    }
    if (axis->spec->kind == TREE_MAP) {
        return range_read(block, axis, error);
    }
    if (axis->spec->kind == TREE_LIST) {
        return check_list(block, axis, error);
    }
    text_report_add(&draft->report, axis->spec->place,
                    "An axis is a list of values, or a range, but '%s' has a single value. Write "
                    "`%s: [%s]`, or set the key itself.",
                    axis->key, axis->key, REPORT_CLIP(axis->spec->text));
    return HS_OK;
}

/* The axes of a map go together. */
static enum hs_err read_dimension(struct block *block, const struct tree_node *map,
                                  const struct tree_entry *first, const struct tree_entry *end,
                                  struct hs_error *error)
{
    struct block_dimension *dimension = &block->dimensions[block->dimension_count];
    enum hs_err err = HS_OK;

    *dimension = (struct block_dimension){.first_axis = block->axis_count};
    for (const struct tree_entry *entry = first; err == HS_OK && entry != end;
         entry = entry->next) {
        err = read_axis(block, entry, block->dimension_count, error);
    }
    dimension->axis_count = block->axis_count - dimension->first_axis;
    if (err != HS_OK || dimension->axis_count == 0) {
        return err;
    }
    block->dimension_count++;
    dimension->length = block->axes[dimension->first_axis].count;
    for (size_t i = 1; i < dimension->axis_count; i++) {
        const struct block_axis *one = &block->axes[dimension->first_axis];
        const struct block_axis *other = one + i;

        if (one->count && other->count && one->count != other->count) {
            text_report_add(&block->draft->report, map->place,
                            "The values of a zip go together, but '%s' has %zu of them and '%s' "
                            "has %zu. Make them equally many.",
                            one->key, one->count, other->key, other->count);
        }
    }
    return HS_OK;
}

static enum hs_err read_axes(struct block *block, const struct tree_node *node,
                             struct hs_error *error)
{
    enum hs_err err = HS_OK;

    if (node->kind != TREE_MAP) {
        text_report_add(&block->draft->report, node->place,
                        "'sweep.axes' takes keys of the experiment with their values. Write for "
                        "instance `axes: %s`.",
                        experiment_key_find("sweep.axes")->example);
        return HS_OK;
    }
    for (const struct tree_entry *entry = node->first; err == HS_OK && entry; entry = entry->next) {
        err = read_dimension(block, node, entry, entry->next, error);
    }
    return err;
}

static enum hs_err read_zip(struct block *block, const struct tree_node *node,
                            struct hs_error *error)
{
    enum hs_err err = HS_OK;

    for (const struct tree_entry *entry = node->first; err == HS_OK && entry; entry = entry->next) {
        if (node->kind != TREE_LIST || entry->value->kind != TREE_MAP) {
            break;
        }
        if (entry->value->count < 2) {
            text_report_add(&block->draft->report, entry->value->place,
                            "A zip is of at least two keys whose values go together; a single key "
                            "belongs under `axes`.");
        }
        err = read_dimension(block, entry->value, entry->value->first, NULL, error);
        if (!entry->next) {
            return err;
        }
    }
    if (err == HS_OK) {
        text_report_add(&block->draft->report, node->place,
                        "'sweep.zip' takes a list of maps of axes. Write for instance `zip: %s`.",
                        experiment_key_find("sweep.zip")->example);
    }
    return err;
}

static enum hs_err read_replications(struct block *block, const struct tree_node *node,
                                     struct hs_error *error)
{
    bool is_number;
    enum hs_err err =
        experiment_draft_check(block->draft, experiment_key_find("sweep.replications"), node,
                               &block->draft->report, error);

    if (node->kind == TREE_SCALAR) {
        (void)text_units_parse_int(node->text, &block->replications, &is_number);
    }
    return err;
}

static enum hs_err read_sweep(struct block *block, struct hs_error *error)
{
    const struct key *parent = experiment_key_find("sweep");
    enum hs_err err = HS_OK;

    for (const struct tree_entry *entry = block->sweep->first; err == HS_OK && entry;
         entry = entry->next) {
        if (!experiment_key_child(parent, entry->key)) {
            experiment_fill_unknown(&block->draft->report, entry->key_place, parent, entry->key);
        } else if (text_tree_is_null(entry->value)) {
            continue;
        } else if (strcmp(entry->key, "axes") == 0) {
            err = read_axes(block, entry->value, error);
        } else if (strcmp(entry->key, "zip") == 0) {
            err = read_zip(block, entry->value, error);
        } else if (strcmp(entry->key, "replications") == 0) {
            err = read_replications(block, entry->value, error);
        }
    }
    return err;
}

enum hs_err block_read(struct experiment_draft *draft, struct block *block, struct hs_error *error)
{
    struct tree_entry *entry = draft->root ? text_tree_find(draft->root, "sweep") : NULL;
    enum hs_err err = HS_OK;

    *block = (struct block){
        .draft = draft,
        .replications = 1,
        .axes = text_arena_alloc(&draft->arena, (AXIS_MAX + 1) * sizeof *block->axes),
        .dimensions = text_arena_alloc(&draft->arena, (AXIS_MAX + 1) * sizeof *block->dimensions),
    };
    if (entry && !text_tree_is_null(entry->value)) {
        block->place = entry->key_place;
        if (entry->value->kind == TREE_MAP) {
            block->sweep = entry->value;
        } else {
            text_report_add(&draft->report, entry->value->place,
                            "'sweep' takes a map, not a %s. Write for instance `sweep: %s`.",
                            entry->value->kind == TREE_LIST ? "list" : "single value",
                            experiment_key_find("sweep")->example);
        }
    }
    if (entry) {
        text_tree_remove(draft->root, "sweep");
    }
    if (block->sweep && !draft->arena.has_failed) {
        err = read_sweep(block, error);
    }
    return err == HS_OK && (draft->arena.has_failed || draft->report.has_failed)
               ? hs_error_memory(error)
               : err;
}

/* A value that is there twice would count twice. */
static bool check_twice(struct block *block, const struct block_axis *axis)
{
    struct text_map map = {0};
    bool is_ok = true;

    for (size_t i = 0; is_ok && i < axis->count; i++) {
        const struct block_value *value = &axis->values[i];
        const char *text = value->column.text;
        char digits[UNITS_TEXT_MAX];
        size_t number;

        if (axis->type == SWEEP_REAL) {
            (void)snprintf(digits, sizeof digits, "%.17g", value->column.real);
            text = digits;
        } else if (axis->type == SWEEP_INT) {
            (void)snprintf(digits, sizeof digits, "%lld", (long long)value->column.integer);
            text = digits;
        }
        is_ok = text_map_add(&map, text, &number);
        if (is_ok && number < i) {
            text_report_add(&block->draft->report, value->node->place,
                            "'%s' has the value %s twice, and its runs would count twice. Remove "
                            "one of them.",
                            axis->key, REPORT_CLIP(value->column.text));
            break;
        }
    }
    text_map_fini(&map);
    return is_ok;
}

static bool expand_axis(struct block *block, struct block_axis *axis)
{
    struct arena *arena = &block->draft->arena;
    size_t before = block->draft->report.count, i = 0;

    axis->values = text_arena_alloc(arena, axis->count * sizeof *axis->values);
    if (!axis->values) {
        return false;
    }
    if (axis->spec->kind == TREE_MAP) {
        range_expand(block, axis);
    } else {
        for (const struct tree_entry *entry = axis->spec->first; entry; entry = entry->next) {
            axis->values[i].node = entry->value;
            value_describe(axis, &axis->values[i++], arena);
        }
    }
    if (block->draft->report.count > before) {
        return true;
    }
    if (arena->has_failed) {
        return false;
    }
    value_settle_type(axis);
    return check_twice(block, axis);
}

enum hs_err block_expand(struct block *block, struct hs_error *error)
{
    enum hs_err err;

    for (size_t i = 0; i < block->axis_count; i++) {
        if (!expand_axis(block, &block->axes[i])) {
            return hs_error_memory(error);
        }
    }
    if (block->draft->report.count > 0) {
        return HS_OK; /* cases are compared with values */
    }
    err = cases_read(block, "exclude", &block->excludes, error);
    return err == HS_OK ? cases_read(block, "include", &block->includes, error) : err;
}
