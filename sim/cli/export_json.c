/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_json.c - a whole file as one JSON object, column by column as it is read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

void export_json_string(struct export_text *text, const char *string)
{
    static const char digits[] = "0123456789abcdef";

    export_char(text, '"');
    for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
        if (*c == '"' || *c == '\\') {
            export_char(text, '\\');
            export_char(text, (char)*c);
        } else if (*c == '\n') {
            export_string(text, "\\n");
        } else if (*c < 0x20) {
            export_string(text, "\\u00");
            export_char(text, digits[*c >> 4]);
            export_char(text, digits[*c & 15]);
        } else {
            export_char(text, (char)*c);
        }
    }
    export_char(text, '"');
}

/* Reads back to the same double, and as a real number, not as an integer. JSON has no NaN. */
static void put_real(struct export_text *text, double value)
{
    if (!isfinite(value)) {
        export_string(text, "null");
    } else if (fabs(value) < 1e15 && value == (double)(int64_t)value && !signbit(value)) {
        export_int(text, (int64_t)value);
        export_string(text, ".0");
    } else {
        export_real(text, value);
    }
}

static void put_key(struct export_text *text, const char *indent, const char *name, bool is_first)
{
    export_string(text, is_first ? "\n" : ",\n");
    export_string(text, indent);
    export_json_string(text, name);
    export_string(text, ": ");
}

static void put_attributes(struct export_text *text, const struct contents *contents)
{
    const char *object = NULL;

    for (size_t i = 0; i < contents->attribute_count; i++) {
        const struct contents_attribute *attribute = &contents->attributes[i];
        bool is_new = !object || strcmp(object, attribute->object) != 0;

        if (is_new) {
            export_string(text, object ? "\n    }" : "");
            put_key(text, "    ", *attribute->object ? attribute->object : "/", !object);
            export_char(text, '{');
            object = attribute->object;
        }
        put_key(text, "      ", attribute->name, is_new);
        if (attribute->type == CONTENTS_TEXT) {
            export_json_string(text, attribute->text);
        } else if (attribute->type == CONTENTS_REAL) {
            put_real(text, attribute->real);
        } else {
            export_int(text, attribute->integer);
        }
    }
    export_string(text, object ? "\n    }" : "");
}

static void put_value(struct export_text *text, const struct contents_column *column,
                      const struct export_piece *piece, size_t row)
{
    const char *word;

    switch (column->type) {
    case CONTENTS_INT:
        if (contents_is_missing(column, piece->ints[row])) {
            export_string(text, "null");
        } else {
            export_int(text, piece->ints[row]);
        }
        return;
    case CONTENTS_REAL:
        put_real(text, piece->reals[row]);
        return;
    case CONTENTS_BOOL:
        export_string(text, piece->ints[row] ? "true" : "false");
        return;
    case CONTENTS_TEXT:
        export_json_string(text, piece->texts + row * column->text_size);
        return;
    case CONTENTS_WORD:
        break;
    }
    word = contents_word(column, piece->ints[row]);
    if (word) {
        export_json_string(text, word);
    } else {
        export_string(text, "null");
    }
}

static enum hs_err put_column(struct export_text *text, struct contents *contents,
                              const struct contents_table *table,
                              const struct contents_column *column, struct hs_error *error)
{
    struct export_piece piece = {0};
    enum hs_err code = HS_OK;

    export_string(text, "{\"unit\": ");
    export_json_string(text, column->unit);
    export_string(text, ", \"doc\": ");
    export_json_string(text, column->doc);
    export_string(text, ", \"values\": [");
    for (int64_t row = 0; code == HS_OK && row < table->rows && !ferror(text->file);
         row += CONTENTS_ROWS) {
        code = export_piece_read(&piece, contents, table, column, row, error);
        for (size_t i = 0; code == HS_OK && i < piece.count; i++) {
            export_string(text, row || i ? "," : "");
            put_value(text, column, &piece, i);
        }
    }
    export_string(text, "]}");
    export_piece_fini(&piece);
    return code;
}

static enum hs_err put_tables(struct export_text *text, struct contents *contents,
                              struct hs_error *error)
{
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < contents->table_count; i++) {
        const struct contents_table *table = &contents->tables[i];

        put_key(text, "    ", table->path, i == 0);
        export_string(text, "{\"rows\": ");
        export_int(text, table->rows);
        export_string(text, ", \"columns\": {");
        for (size_t k = 0; code == HS_OK && k < table->column_count; k++) {
            put_key(text, "      ", table->columns[k].name, k == 0);
            code = put_column(text, contents, table, &table->columns[k], error);
        }
        export_string(text, "\n    }}");
    }
    return code;
}

enum hs_err export_json(struct contents *contents, struct export_text *text, struct hs_error *error)
{
    enum hs_err code;

    export_string(text, "{\n  \"hsim_export\": 1,\n  \"kind\": ");
    export_json_string(text, contents->is_sweep ? "sweep" : "run");
    export_string(text, ",\n  \"attributes\": {");
    put_attributes(text, contents);
    export_string(text, "\n  },\n  \"texts\": {");
    for (size_t i = 0; i < contents->text_count; i++) {
        put_key(text, "    ", contents->texts[i].path, i == 0);
        export_json_string(text, contents->texts[i].text);
    }
    export_string(text, "\n  },\n  \"tables\": {");
    code = put_tables(text, contents, error);
    export_string(text, "\n  }\n}\n");
    return code;
}
