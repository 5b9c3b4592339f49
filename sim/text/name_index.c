/* SPDX-License-Identifier: GPL-3.0-or-later */
/* name_index.c - a sorted list of names. */
#include "text/name_index.h"

#include <stdlib.h>
#include <strings.h>

bool name_index_begin(struct name_index *index, size_t room)
{
    free(index->names);
    index->count = 0;
    index->names = calloc(room ? room : 1, sizeof *index->names);
    return index->names != NULL;
}

void name_index_add(struct name_index *index, const char *text, size_t entry)
{
    index->names[index->count++] = (struct name_entry){text, entry};
}

static int compare(const void *left, const void *right)
{
    const struct name_entry *a = left;
    const struct name_entry *b = right;
    int order = strcasecmp(a->text, b->text);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

void name_index_sort(struct name_index *index)
{
    qsort(index->names, index->count, sizeof *index->names, compare);
}

void name_index_fini(struct name_index *index)
{
    free(index->names);
    *index = (struct name_index){0};
}

bool name_index_is_shared(const struct name_index *index, size_t number)
{
    const struct name_entry *name = &index->names[number];

    return name->index != name[-1].index && strcasecmp(name->text, name[-1].text) == 0;
}

bool name_index_find(const struct name_index *index, const char *text, size_t *entry)
{
    size_t low = 0;
    size_t high = index->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcasecmp(text, index->names[middle].text);

        if (order == 0) {
            *entry = index->names[middle].index;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

const char *name_index_nearest(const struct name_index *index, const char *text)
{
    const char **names = calloc(index->count + 1, sizeof *names);
    const char *near = NULL;

    for (size_t i = 0; names && i < index->count; i++) {
        names[i] = index->names[i].text;
    }
    if (names) {
        near = hs_nearest(text, names, index->count);
    }
    free(names);
    return near;
}
