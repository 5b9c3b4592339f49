/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid.h - a table of text: cells are added row by row, then printed with aligned columns. */
#ifndef HSIM_CLI_GRID_H
#define HSIM_CLI_GRID_H

#include "hs/base.h"

/* Zero it, and set the first two. */
struct grid {
    size_t columns;
    unsigned rights; /* bit k: column k is aligned to the right */
    char **cells;
    size_t count, room;
    bool has_failed; /* memory; the grid prints nothing then */
};

void grid_add(struct grid *grid, const char *format, ...) HS_PRINTF(2, 3);
/* Prints on standard output; nothing stands behind the last cell of a row. Empties the grid.
 * False if memory was short. */
bool grid_print(struct grid *grid);

#endif
