/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_map.h - texts and the numbers in which they came: a hash table.
 *
 * The first text that is added gets the number 0, the next new one 1, and so on. Nothing depends on
 * the order inside the table. */
#ifndef HSIM_TEXT_MAP_H
#define HSIM_TEXT_MAP_H

#include <stdint.h>

#include "text/arena.h"

/* Zeroed: empty. */
struct text_map {
    struct arena arena; /* of the texts */
    const char **texts; /* by number */
    uint32_t *slots;    /* number + 1; 0: free */
    size_t count, slot_count;
};

/* The number of a text, which is copied when it is new: then *number == count before. False: no
 * memory. */
bool text_map_add(struct text_map *map, const char *text, size_t *number);
/* False: it is not there. */
bool text_map_find(const struct text_map *map, const char *text, size_t *number);
void text_map_fini(struct text_map *map);

#endif
