/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_sweep.c - the runs of a sweep as CSV: a row a run, with its axes and its metrics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"

struct chosen {
    const struct contents_column **columns;
    struct export_piece *pieces;
    size_t count;
};

/* "a,b,c" to columns of the table. */
static enum hs_err choose(const struct contents_table *table, char *list, struct chosen *chosen,
                          struct hs_error *error)
{
    const char **names = calloc(table->column_count, sizeof *names);
    enum hs_err code = names ? HS_OK : hs_error_memory(error);
    char *name;

    for (size_t i = 0; code == HS_OK && i < table->column_count; i++) {
        names[i] = table->columns[i].name;
    }
    while (code == HS_OK && (name = strsep(&list, ",")) != NULL) {
        size_t at = 0;

        name += strspn(name, " ");
        while (at < table->column_count && strcmp(names[at], name) != 0) {
            at++;
        }
        if (at < table->column_count) {
            chosen->columns[chosen->count++] = &table->columns[at];
        } else {
            code = export_fail_column(table->path, name, names, table->column_count, error);
        }
    }
    free(names);
    return code;
}

static enum hs_err chosen_init(struct chosen *chosen, const struct contents_table *table,
                               const char *list, struct hs_error *error)
{
    char *copy = list ? strdup(list) : NULL;
    size_t space = table->column_count;
    enum hs_err code = HS_OK;

    for (const char *c = list; c && *c; c++) {
        space += *c == ',';
    }
    chosen->columns = calloc(space + 1, sizeof *chosen->columns);
    chosen->pieces = calloc(space + 1, sizeof *chosen->pieces);
    if (!chosen->columns || !chosen->pieces || (list && !copy)) {
        code = hs_error_memory(error);
    } else if (list) {
        code = choose(table, copy, chosen, error);
    } else {
        for (size_t i = 0; i < table->column_count; i++) {
            chosen->columns[chosen->count++] = &table->columns[i];
        }
    }
    free(copy);
    return code;
}

static void chosen_fini(struct chosen *chosen)
{
    for (size_t i = 0; i < chosen->count; i++) {
        export_piece_fini(&chosen->pieces[i]);
    }
    free(chosen->columns);
    free(chosen->pieces);
}

static void put_value(struct export_text *text, const struct contents_column *column,
                      const struct export_piece *piece, size_t row)
{
    const char *word;

    switch (column->type) {
    case CONTENTS_INT:
    case CONTENTS_BOOL:
        if (!contents_is_missing(column, piece->ints[row])) {
            export_int(text, piece->ints[row]);
        }
        return;
    case CONTENTS_REAL:
        if (isfinite(piece->reals[row])) {
            export_real(text, piece->reals[row]);
        } else {
            export_string(text, "nan");
        }
        return;
    case CONTENTS_TEXT:
        export_field(text, piece->texts + row * column->text_size);
        return;
    case CONTENTS_WORD:
        break;
    }
    word = contents_word(column, piece->ints[row]);
    export_field(text, word ? word : "-");
}

enum hs_err export_sweep_csv(struct contents *contents, const char *columns,
                             struct export_text *text, struct hs_error *error)
{
    const struct contents_table *table = contents_find(contents, "runs");
    struct chosen chosen = {0};
    enum hs_err code = chosen_init(&chosen, table, columns, error);

    for (size_t i = 0; code == HS_OK && i < chosen.count; i++) {
        export_string(text, i ? "," : "");
        export_field(text, chosen.columns[i]->name);
    }
    export_string(text, code == HS_OK ? "\n" : "");
    for (int64_t first = 0; code == HS_OK && first < table->rows; first += CONTENTS_ROWS) {
        for (size_t i = 0; code == HS_OK && i < chosen.count; i++) {
            code = export_piece_read(&chosen.pieces[i], contents, table, chosen.columns[i], first,
                                     error);
        }
        for (size_t row = 0; code == HS_OK && row < chosen.pieces[0].count; row++) {
            for (size_t i = 0; i < chosen.count; i++) {
                export_string(text, i ? "," : "");
                put_value(text, chosen.columns[i], &chosen.pieces[i], row);
            }
            export_char(text, '\n');
        }
    }
    chosen_fini(&chosen);
    return code;
}
