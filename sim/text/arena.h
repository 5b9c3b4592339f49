/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arena.h - memory that is freed all at once.
 *
 * The tree of a file and everything that is made of it live in one arena. A failed
 * allocation yields NULL and is remembered, so that a caller may look once at the end. */
#ifndef HSIM_TEXT_ARENA_H
#define HSIM_TEXT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

/* Zero it before use. */
struct arena {
    struct arena_chunk *chunks;
    size_t used; /* bytes of the newest chunk */
    bool has_failed;
};

void text_arena_fini(struct arena *arena);

/* Zeroed and aligned for any type; NULL without memory. */
void *text_arena_alloc(struct arena *arena, size_t size);

/* `length` bytes of `text` and a NUL behind them; NULL without memory. */
char *text_arena_copy(struct arena *arena, const char *text, size_t length);

#endif
