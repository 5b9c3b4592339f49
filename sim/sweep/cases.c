/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases.c - reads `exclude` and `include`: maps of axes, each with one value. */
#include <string.h>

#include "sweep/block.h"

/* Names that may stand in a case. */
static void report_name(struct block *block, const char *list, const struct tree_entry *entry)
{
    const char **names =
        text_arena_alloc(&block->draft->arena, (block->axis_count + 1) * sizeof *names);
    const char *nearest;

    if (!names) {
        return;
    }
    for (size_t i = 0; i < block->axis_count; i++) {
        names[i] = block->axes[i].key;
    }
    names[block->axis_count] = "policy";
    nearest = hs_nearest(entry->key, names, block->axis_count + 1);
    text_report_add(&block->draft->report, entry->key_place,
                    "'%s' in `%s` is no axis of this sweep, nor `policy`.%s%s%s",
                    REPORT_CLIP(entry->key), list, nearest ? " Did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : " Make it an axis, or remove it.");
}

static struct block_axis *find_axis(struct block *block, const char *key)
{
    for (size_t i = 0; i < block->axis_count; i++) {
        if (strcmp(block->axes[i].key, key) == 0) {
            return &block->axes[i];
        }
    }
    return NULL;
}

static bool has_value(const struct block_axis *axis, const struct sweep_value *column)
{
    for (size_t i = 0; i < axis->count; i++) {
        if (value_is_equal(axis->type, &axis->values[i].column, column)) {
            return true;
        }
    }
    return false;
}

static void report_value(struct block *block, const struct block_axis *axis,
                         const struct block_value *value)
{
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < axis->count && used < sizeof list - 64; i++) {
        const char *text = axis->values[i].column.text;

        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 REPORT_CLIP(text));
        if (used >= sizeof list - 64 && i + 1 < axis->count) {
            (void)snprintf(list + used, sizeof list - used, ", ...");
        }
    }
    text_report_add(&block->draft->report, value->node->place,
                    "'%s' is never %s in this sweep, so that nothing is excluded. Its values are "
                    "%s.",
                    axis->key, REPORT_CLIP(value->column.text), list);
}

static enum hs_err read_value(struct block *block, const struct tree_entry *entry, bool is_exclude,
                              struct block_case *made, struct hs_error *error)
{
    struct block_axis *axis = find_axis(block, entry->key);
    struct report *report = &block->draft->report;
    size_t before = report->count;
    struct block_value *value;
    enum hs_err err = HS_OK;

    if (!axis || axis == block->policies) {
        if (is_exclude && (axis || strcmp(entry->key, "policy") == 0) &&
            entry->value->kind != TREE_SCALAR) {
            text_report_add(report, entry->value->place,
                            "'%s' in `exclude` is the label or the name of a policy, a single "
                            "value. Write for instance `policy: easy`.",
                            entry->key);
        } else if (axis || strcmp(entry->key, "policy") == 0) {
            made->policy = entry->value;
        } else {
            report_name(block, is_exclude ? "exclude" : "include", entry);
        }
        return HS_OK;
    }
    value = &made->values[axis - block->axes];
    value->node = entry->value;
    if (axis->row) {
        err = experiment_draft_check(block->draft, axis->row, entry->value, report, error);
    } else if (entry->value->kind != TREE_SCALAR) {
        text_report_add(report, entry->value->place, "'%s' takes a single value here.", axis->key);
    }
    if (err != HS_OK || report->count > before) {
        return err;
    }
    value_describe(axis, value, &block->draft->arena);
    if (value->column.text && !value_number(axis, value)) {
        text_report_add(report, entry->value->place,
                        "'%s' is '%s' here, but its axis has %s values. Write it as one of them.",
                        axis->key, REPORT_CLIP(value->column.text),
                        axis->type == SWEEP_INT ? "whole numbers as" : "numbers as");
    } else if (is_exclude && value->column.text && !has_value(axis, &value->column)) {
        report_value(block, axis, value);
    }
    return HS_OK;
}

static enum hs_err read_case(struct block *block, const struct tree_node *map, bool is_exclude,
                             struct block_case *made, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *made = (struct block_case){
        .place = map->place,
        .values =
            text_arena_alloc(&block->draft->arena, (block->axis_count + 1) * sizeof *made->values),
    };
    if (!made->values) {
        return hs_error_memory(error);
    }
    if (map->kind != TREE_MAP || map->count == 0) {
        text_report_add(&block->draft->report, map->place,
                        "An entry of `%s` is a map of axes, each with one value. Write for "
                        "instance `- {%s: %s}`.",
                        is_exclude ? "exclude" : "include",
                        block->axis_count ? block->axes[0].key : "policy",
                        block->axis_count ? block->axes[0].values[0].column.text : "easy");
        return HS_OK;
    }
    for (const struct tree_entry *entry = map->first; err == HS_OK && entry; entry = entry->next) {
        err = read_value(block, entry, is_exclude, made, error);
    }
    return err;
}

enum hs_err cases_read(struct block *block, const char *name, struct block_cases *cases,
                       struct hs_error *error)
{
    const struct tree_entry *entry = block->sweep ? text_tree_find(block->sweep, name) : NULL;
    const struct tree_node *list = entry ? entry->value : NULL;
    enum hs_err err = HS_OK;

    if (!list || text_tree_is_null(list)) {
        return HS_OK;
    }
    if (list->kind != TREE_LIST) {
        text_report_add(
            &block->draft->report, list->place,
            "'sweep.%s' takes a list of maps. Write for instance `%s: %s`.", name, name,
            experiment_key_find(strcmp(name, "exclude") == 0 ? "sweep.exclude" : "sweep.include")
                ->example);
        return HS_OK;
    }
    cases->list = text_arena_alloc(&block->draft->arena, (list->count + 1) * sizeof *cases->list);
    if (!cases->list) {
        return hs_error_memory(error);
    }
    for (entry = list->first; err == HS_OK && entry; entry = entry->next) {
        err = read_case(block, entry->value, strcmp(name, "exclude") == 0,
                        &cases->list[cases->count++], error);
    }
    return err;
}
