/* SPDX-License-Identifier: GPL-3.0-or-later */
/* value.c - values of axes as texts and numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/block.h"
#include "text/units.h"

/* The value in one line, as YAML. */
static void write_node(FILE *stream, const struct tree_node *node)
{
    const char *separator = "";

    if (node->kind == TREE_SCALAR) {
        fputs(node->text, stream);
        return;
    }
    fputc(node->kind == TREE_MAP ? '{' : '[', stream);
    for (const struct tree_entry *entry = node->first; entry; entry = entry->next) {
        fputs(separator, stream);
        if (entry->key) {
            fprintf(stream, "%s: ", entry->key);
        }
        write_node(stream, entry->value);
        separator = ", ";
    }
    fputc(node->kind == TREE_MAP ? '}' : ']', stream);
}

static const char *node_text(const struct tree_node *node, struct arena *arena)
{
    char *text = NULL;
    const char *copy = NULL;
    size_t length = 0;
    FILE *stream;

    if (node->kind == TREE_SCALAR) {
        return node->text;
    }
    stream = open_memstream(&text, &length);
    if (stream) {
        write_node(stream, node);
        if (fclose(stream) == 0) {
            copy = text_arena_copy(arena, text, length);
        }
    }
    if (!copy) {
        arena->has_failed = true;
    }
    free(text);
    return copy;
}

static enum sweep_type type_of(const struct key *row)
{
    switch (row->type) {
    case KEY_INT:
    case KEY_BYTES:
        return SWEEP_INT;
    case KEY_DOUBLE:
    case KEY_TIME:
        return SWEEP_REAL;
    default:
        return SWEEP_TEXT;
    }
}

void value_describe(const struct block_axis *axis, struct block_value *value, struct arena *arena)
{
    struct sweep_value *column = &value->column;
    enum key_type type = axis->row ? axis->row->type : KEY_STRING;
    bool is_number;

    *column = (struct sweep_value){.text = node_text(value->node, arena), .real = NAN};
    if (!column->text || value->node->kind != TREE_SCALAR) {
        return;
    }
    switch (type) {
    case KEY_INT:
        if (text_units_parse_int(column->text, &column->integer, &is_number)) {
            column->real = (double)column->integer;
        }
        break;
    case KEY_BYTES:
        if (text_units_parse(UNITS_BYTES, column->text, &column->integer, NULL) == UNITS_OK) {
            column->real = (double)column->integer;
        }
        break;
    case KEY_TIME:
        if (text_units_parse(UNITS_TIME, column->text, &column->integer, NULL) == UNITS_OK) {
            column->real = (double)column->integer / 1e9;
        }
        column->integer = 0;
        break;
    case KEY_DOUBLE:
        (void)text_units_parse_double(column->text, &column->real);
        break;
    default:
        break;
    }
}

bool value_number(const struct block_axis *axis, struct block_value *value)
{
    struct sweep_value *column = &value->column;
    bool is_number = true;

    if (axis->row) {
        return true; /* the key told it */
    }
    if (axis->type == SWEEP_INT) {
        is_number = text_units_parse_int(column->text, &column->integer, &is_number);
        column->real = is_number ? (double)column->integer : NAN;
    } else if (axis->type == SWEEP_REAL) {
        is_number = text_units_parse_double(column->text, &column->real);
    }
    return is_number;
}

/* Parameters of policies: whole numbers, numbers, or texts, as all values allow. */
void value_settle_type(struct block_axis *axis)
{
    bool is_whole = true, is_real = true, is_number;

    if (axis->row) {
        axis->type = type_of(axis->row);
        return;
    }
    for (size_t i = 0; i < axis->count; i++) {
        const char *text = axis->values[i].column.text;
        int64_t whole;
        double real;

        is_whole = is_whole && text_units_parse_int(text, &whole, &is_number);
        is_real = is_real && text_units_parse_double(text, &real);
    }
    axis->type = is_whole ? SWEEP_INT : is_real ? SWEEP_REAL : SWEEP_TEXT;
    for (size_t i = 0; i < axis->count; i++) {
        (void)value_number(axis, &axis->values[i]);
    }
}

bool value_is_equal(enum sweep_type type, const struct sweep_value *left,
                    const struct sweep_value *right)
{
    switch (type) {
    case SWEEP_INT:
        return left->integer == right->integer;
    case SWEEP_REAL:
        return left->real == right->real;
    case SWEEP_TEXT:
        break;
    }
    return strcmp(left->text, right->text) == 0;
}
