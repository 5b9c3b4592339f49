/* SPDX-License-Identifier: GPL-3.0-or-later */
/* range.c - `{from, to, count, scale}`: so many values between two ends.
 *
 * The ends are exact, as they are written. Whole numbers and sizes must come out whole; durations
 * are rounded to nanoseconds, and other numbers to 12 digits, so that the values between 0.5 and
 * 0.95 are 0.55 and 0.6, and the same on every machine. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/block.h"
#include "text/units.h"

#define EXAMPLE "Write for instance `{from: 0.5, to: 0.95, count: 10}`."

static const char *const words[] = {"from", "to", "count", "scale"};

/* Has the axis values of which there are some between two others? */
static bool has_range(const struct block_axis *axis)
{
    return !axis->row || axis->row->type == KEY_INT || axis->row->type == KEY_DOUBLE ||
           axis->row->type == KEY_TIME || axis->row->type == KEY_BYTES;
}

static bool check_words(struct report *report, const struct block_axis *axis)
{
    bool is_ok = true;

    for (const struct tree_entry *entry = axis->spec->first; entry; entry = entry->next) {
        const char *nearest;
        bool is_word = false;

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            is_word |= strcmp(words[i], entry->key) == 0;
        }
        if (is_word) {
            continue;
        }
        nearest = hs_nearest(entry->key, words, sizeof words / sizeof words[0]);
        text_report_add(report, entry->key_place,
                        "A range has the keys from, to, count and scale, but '%s' is none of "
                        "them.%s%s%s",
                        REPORT_CLIP(entry->key), nearest ? " Did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
        is_ok = false;
    }
    for (size_t i = 0; i < 3; i++) {
        if (!text_tree_find(axis->spec, words[i])) {
            text_report_add(report, axis->spec->place, "The range of '%s' has no '%s'. " EXAMPLE,
                            axis->key, words[i]);
            is_ok = false;
        }
    }
    return is_ok;
}

static void read_count(struct report *report, struct block_axis *axis, const struct tree_node *node)
{
    int64_t count = 0;
    bool is_number;

    if (node->kind != TREE_SCALAR || !node->is_plain ||
        !text_units_parse_int(node->text, &count, &is_number) || count < 2) {
        text_report_add(report, node->place,
                        "The 'count' of a range is the number of its values with both ends, an "
                        "integer of at least 2. For a single value write a list, or set '%s' "
                        "itself.",
                        axis->key);
    } else {
        axis->count = (size_t)count;
    }
}

static bool is_log(const struct block_axis *axis)
{
    const struct tree_entry *scale = text_tree_find(axis->spec, "scale");

    return scale && strcmp(scale->value->text, "log") == 0;
}

static bool check_scale(struct report *report, const struct block_axis *axis)
{
    const struct tree_entry *scale = text_tree_find(axis->spec, "scale");

    if (!scale || (scale->value->kind == TREE_SCALAR && (strcmp(scale->value->text, "lin") == 0 ||
                                                         strcmp(scale->value->text, "log") == 0))) {
        return true;
    }
    text_report_add(report, scale->value->place,
                    "The 'scale' of a range is lin (equal steps) or log (equal ratios).");
    return false;
}

/* One of the ends: a value that the key takes, and above 0 where the steps are ratios. */
static enum hs_err read_end(struct block *block, const struct block_axis *axis, const char *word,
                            struct hs_error *error)
{
    struct report *report = &block->draft->report;
    struct tree_node *node = text_tree_find(axis->spec, word)->value;
    struct block_value value = {.node = node};
    size_t before = report->count;
    double number;

    if (axis->row) {
        enum hs_err err = experiment_draft_check(block->draft, axis->row, node, report, error);

        if (err != HS_OK || report->count > before) {
            return err;
        }
        value_describe(axis, &value, &block->draft->arena);
        number = value.column.real;
    } else if (node->kind != TREE_SCALAR || !text_units_parse_double(node->text, &number)) {
        text_report_add(report, node->place,
                        "'%s' of a range of '%s' is no number. Write a list of its values.", word,
                        axis->key);
        return HS_OK;
    }
    if (is_log(axis) && !(number > 0)) {
        text_report_add(report, node->place,
                        "A range with `scale: log` is of values above 0, but '%s' is %s. Raise "
                        "it, or write `scale: lin`.",
                        word, REPORT_CLIP(node->text));
    }
    return HS_OK;
}

enum hs_err range_read(struct block *block, struct block_axis *axis, struct hs_error *error)
{
    struct report *report = &block->draft->report;
    enum hs_err err;

    if (!has_range(axis)) {
        text_report_add(report, axis->spec->place,
                        "'%s' takes %s, which has no range. Write a list of its values, for "
                        "instance `%s: [%s]`.",
                        axis->key, experiment_key_type_text(axis->row), axis->key,
                        axis->row->example);
        return HS_OK;
    }
    if (!check_words(report, axis)) {
        return HS_OK;
    }
    read_count(report, axis, text_tree_find(axis->spec, "count")->value);
    if (!check_scale(report, axis)) {
        return HS_OK;
    }
    err = read_end(block, axis, "from", error);
    return err == HS_OK ? read_end(block, axis, "to", error) : err;
}

/* from x (1 - share) + to x share, or the same of the logarithms; share = step / steps. */
static long double between(const struct block_axis *axis, long double from, long double to,
                           size_t step)
{
    long double share = (long double)step / (long double)(axis->count - 1);

    return is_log(axis) ? from * powl(to / from, share) : from + (to - from) * share;
}

/* Whole numbers exactly, however large; false: the value is not whole. */
static bool between_whole(const struct block_axis *axis, int64_t from, int64_t to, size_t step,
                          bool is_rounded, int64_t *whole)
{
    hs_int128 steps = (hs_int128)(axis->count - 1);
    hs_int128 sum = (hs_int128)from * (steps - (hs_int128)step) + (hs_int128)to * (hs_int128)step;
    long double value;

    if (!is_log(axis)) {
        hs_int128 half = sum < 0 ? -(steps / 2) : steps / 2;

        *whole = (int64_t)((sum + half) / steps);
        return is_rounded || sum % steps == 0;
    }
    value = between(axis, (long double)from, (long double)to, step);
    *whole = (int64_t)llroundl(value);
    return is_rounded || fabsl(value - (long double)*whole) <= 1e-12L * value;
}

static void format_real(double value, char *text)
{
    char digits[UNITS_TEXT_MAX];
    double rounded = value;

    (void)snprintf(digits, sizeof digits, "%.12g", value);
    (void)text_units_parse_double(digits, &rounded);
    text_units_format_double(rounded, text);
}

/* The text of a value between the ends; false: it is not whole, and the report says so. */
static bool format_inner(struct block *block, const struct block_axis *axis, size_t step,
                         char text[UNITS_TEXT_MAX])
{
    const struct sweep_value *from = &axis->values[0].column;
    const struct sweep_value *to = &axis->values[axis->count - 1].column;
    enum key_type type = axis->row ? axis->row->type : KEY_DOUBLE;
    int64_t first = from->integer, last = to->integer, whole;
    double real;

    if (type == KEY_DOUBLE) {
        double low, high;

        (void)text_units_parse_double(from->text, &low);
        (void)text_units_parse_double(to->text, &high);
        real = (double)between(axis, low, high, step);
        format_real(real, text);
        return true;
    }
    if (type == KEY_TIME) {
        (void)text_units_parse(UNITS_TIME, from->text, &first, NULL);
        (void)text_units_parse(UNITS_TIME, to->text, &last, NULL);
    }
    if (!between_whole(axis, first, last, step, type == KEY_TIME, &whole)) {
        format_real((double)between(axis, (long double)first, (long double)last, step), text);
        text_report_add(&block->draft->report, axis->spec->place,
                        "'%s' takes whole numbers%s, but value %zu of this range of %zu is %s. "
                        "Choose another count, or write a list.",
                        axis->key, type == KEY_BYTES ? " of bytes" : "", step + 1, axis->count,
                        text);
        return false;
    }
    if (type == KEY_INT) {
        (void)snprintf(text, UNITS_TEXT_MAX, "%" PRId64, whole);
    } else {
        text_units_format(type == KEY_TIME ? UNITS_TIME : UNITS_BYTES, whole, text);
    }
    return true;
}

void range_expand(struct block *block, struct block_axis *axis)
{
    struct arena *arena = &block->draft->arena;
    size_t last = axis->count - 1;

    axis->values[0].node = text_tree_find(axis->spec, "from")->value;
    axis->values[last].node = text_tree_find(axis->spec, "to")->value;
    value_describe(axis, &axis->values[0], arena);
    value_describe(axis, &axis->values[last], arena);
    for (size_t i = 1; i < last; i++) {
        char text[UNITS_TEXT_MAX];
        const char *copy;

        if (!format_inner(block, axis, i, text)) {
            return;
        }
        copy = text_arena_copy(arena, text, strlen(text));
        axis->values[i].node = copy ? text_tree_scalar(arena, axis->spec->place, copy) : NULL;
        if (!axis->values[i].node) {
            return;
        }
        value_describe(axis, &axis->values[i], arena);
    }
}
