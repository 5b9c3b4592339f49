/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_map.c - open addressing with linear probing, at most half full. */
#include "text/text_map.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(14695981039346656037);

    for (; *text; text++) {
        value = (value ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return value ^ value >> 32;
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t find_slot(const struct text_map *map, const char *text)
{
    size_t slot = hash(text) & (map->slot_count - 1);

    while (map->slots[slot] && strcmp(map->texts[map->slots[slot] - 1], text) != 0) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return slot;
}

static bool grow(struct text_map *map)
{
    size_t slot_count = map->slot_count ? 2 * map->slot_count : SLOTS_FIRST;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    const char **texts = realloc(map->texts, slot_count / 2 * sizeof *texts);

    map->texts = texts ? texts : map->texts;
    if (!slots || !texts) {
        free(slots);
        return false;
    }
    free(map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    for (size_t i = 0; i < map->count; i++) {
        map->slots[find_slot(map, map->texts[i])] = (uint32_t)i + 1;
    }
    return true;
}

bool text_map_add(struct text_map *map, const char *text, size_t *number)
{
    const char *copy;

    if (text_map_find(map, text, number)) {
        return true;
    }
    if (2 * map->count >= map->slot_count && !grow(map)) {
        return false;
    }
    copy = text_arena_copy(&map->arena, text, strlen(text));
    if (!copy) {
        return false;
    }
    *number = map->count;
    map->texts[map->count++] = copy;
    map->slots[find_slot(map, copy)] = (uint32_t)map->count;
    return true;
}

bool text_map_find(const struct text_map *map, const char *text, size_t *number)
{
    size_t slot;

    if (map->count == 0) {
        return false;
    }
    slot = find_slot(map, text);
    if (!map->slots[slot]) {
        return false;
    }
    *number = map->slots[slot] - 1;
    return true;
}

void text_map_fini(struct text_map *map)
{
    text_arena_fini(&map->arena);
    free(map->texts);
    free(map->slots);
    *map = (struct text_map){0};
}
