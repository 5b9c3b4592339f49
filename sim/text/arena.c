/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arena.c - a list of chunks; the newest one serves until it is full. */
#include "text/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384u

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

void text_arena_fini(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunks;

    while (chunk) {
        struct arena_chunk *next = chunk->next;

        free(chunk);
        chunk = next;
    }
    *arena = (struct arena){0};
}

void *text_arena_alloc(struct arena *arena, size_t size)
{
    const size_t step = alignof(max_align_t);
    size_t needed = (size + step - 1) / step * step;
    void *memory;

    if (!arena->chunks || arena->chunks->size - arena->used < needed) {
        size_t chunk_size = needed > CHUNK_BYTES ? needed : CHUNK_BYTES;
        struct arena_chunk *chunk = calloc(1, sizeof *chunk + chunk_size);

        if (!chunk) {
            arena->has_failed = true;
            return NULL;
        }
        chunk->next = arena->chunks;
        chunk->size = chunk_size;
        arena->chunks = chunk;
        arena->used = 0;
    }
    memory = arena->chunks->bytes + arena->used;
    arena->used += needed;
    return memory;
}

char *text_arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = text_arena_alloc(arena, length + 1);

    if (copy && length) {
        memcpy(copy, text, length);
    }
    return copy;
}
