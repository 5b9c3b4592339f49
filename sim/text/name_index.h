/* SPDX-License-Identifier: GPL-3.0-or-later */
/* name_index.h - names and aliases of the entries of a list, found in any case of letters. */
#ifndef HSIM_NAME_INDEX_H
#define HSIM_NAME_INDEX_H

#include "hs/base.h"

struct name_entry {
    const char *text; /* borrowed */
    size_t index;     /* of its entry in the list */
};

/* Zeroed: empty. */
struct name_index {
    struct name_entry *names; /* sorted; names of one spelling in the order of their entries */
    size_t count;
};

/* Forgets all names and makes room for `room`; false: no memory, and the index is empty. */
bool name_index_begin(struct name_index *index, size_t room);
/* At most `room` times. */
void name_index_add(struct name_index *index, const char *text, size_t entry);
/* Before the first question. */
void name_index_sort(struct name_index *index);
void name_index_fini(struct name_index *index);

/* Do the names `number` and `number` - 1 (> 0) belong to two entries and differ at most in case? */
bool name_index_is_shared(const struct name_index *index, size_t number);

/* The entry of a name; false: there is none. */
bool name_index_find(const struct name_index *index, const char *text, size_t *entry);

/* The name that was meant, or NULL (also without memory). */
const char *name_index_nearest(const struct name_index *index, const char *text);

#endif
