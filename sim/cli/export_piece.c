/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_piece.c - a piece of a column in memory, whatever its type. */
#include <stdlib.h>

#include "cli/export.h"

enum hs_err export_piece_read(struct export_piece *piece, struct contents *contents,
                              const struct contents_table *table,
                              const struct contents_column *column, int64_t first,
                              struct hs_error *error)
{
    bool is_text = column->type == CONTENTS_TEXT;
    int64_t rest = table->rows - first;

    if (!piece->memory) {
        size_t rows = table->rows < CONTENTS_ROWS ? (size_t)table->rows : CONTENTS_ROWS;

        piece->memory = calloc(rows + 1, is_text ? column->text_size : sizeof *piece->ints);
        if (!piece->memory) {
            return hs_error_memory(error);
        }
    }
    piece->count = rest < CONTENTS_ROWS ? (size_t)rest : CONTENTS_ROWS;
    piece->ints = piece->memory;
    piece->reals = piece->memory;
    piece->texts = piece->memory;
    if (is_text) {
        return contents_texts(contents, table, column, first, piece->count, piece->memory, error);
    }
    return column->type == CONTENTS_REAL
               ? contents_reals(contents, table, column, first, piece->count, piece->memory, error)
               : contents_ints(contents, table, column, first, piece->count, piece->memory, error);
}

void export_piece_fini(struct export_piece *piece)
{
    free(piece->memory);
    *piece = (struct export_piece){0};
}
