/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid.c - keeps all cells, since the widest decides. */
#include "cli/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 80

void grid_add(struct grid *grid, const char *format, ...)
{
    va_list arguments;
    int length;

    if (grid->count == grid->room) {
        size_t room = grid->room ? grid->room * 2 : 64;
        char **moved = realloc(grid->cells, room * sizeof *moved);

        if (!moved) {
            grid->has_failed = true;
            return;
        }
        grid->cells = moved;
        grid->room = room;
    }
    va_start(arguments, format);
    length = vasprintf(&grid->cells[grid->count], format, arguments);
    va_end(arguments);
    if (length < 0) {
        grid->has_failed = true;
    } else {
        grid->count++;
    }
}

static void print_row(const struct grid *grid, char *const *row, const int *widths)
{
    for (size_t k = 0; k < grid->columns; k++) {
        bool is_right = grid->rights >> k & 1;

        if (k + 1 < grid->columns) {
            (void)printf("%*s  ", is_right ? widths[k] : -widths[k], row[k]);
        } else {
            (void)printf("%*s\n", is_right ? widths[k] : 0, row[k]);
        }
    }
}

bool grid_print(struct grid *grid)
{
    bool is_whole = !grid->has_failed;
    int widths[COLUMNS_MAX] = {0};

    HS_ASSERT(grid->columns <= COLUMNS_MAX &&
              (grid->has_failed || grid->count % grid->columns == 0));
    for (size_t i = 0; i < grid->count; i++) {
        int width = (int)strlen(grid->cells[i]);
        int *widest = &widths[i % grid->columns];

        *widest = width > *widest ? width : *widest;
    }
    for (size_t i = 0; is_whole && i < grid->count; i += grid->columns) {
        print_row(grid, grid->cells + i, widths);
    }
    for (size_t i = 0; i < grid->count; i++) {
        free(grid->cells[i]);
    }
    free(grid->cells);
    *grid = (struct grid){.columns = grid->columns, .rights = grid->rights};
    return is_whole;
}
