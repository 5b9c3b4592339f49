/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels.c - a hash table from name to number. */
#include "workload/labels.h"

#include <stdlib.h>
#include <string.h>

#include "workload/random.h"
#include "workload/swf.h"

#define CAPACITY_MIN ((size_t)16)

void labels_fini(struct labels *labels)
{
    for (size_t i = 0; i < labels->capacity; i++) {
        free(labels->slots[i].name);
    }
    free(labels->slots);
    *labels = (struct labels){0};
}

/* The slot of the name, or the free one where it belongs. */
static struct labels_slot *find(const struct labels *labels, const char *name)
{
    size_t at = (size_t)workload_random_bits(0, name, 0) & (labels->capacity - 1);

    while (labels->slots[at].name && strcmp(labels->slots[at].name, name) != 0) {
        at = (at + 1) & (labels->capacity - 1);
    }
    return &labels->slots[at];
}

static bool grow(struct labels *labels)
{
    struct labels grown = {.capacity = labels->capacity ? labels->capacity * 2 : CAPACITY_MIN};

    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots) {
        return false;
    }
    for (size_t i = 0; i < labels->capacity; i++) {
        if (labels->slots[i].name) {
            *find(&grown, labels->slots[i].name) = labels->slots[i];
        }
    }
    free(labels->slots);
    labels->slots = grown.slots;
    labels->capacity = grown.capacity;
    return true;
}

static bool name_number(struct labels *labels, const char *name, int32_t *number)
{
    struct labels_slot *slot;

    if (2 * (labels->count + 1) > labels->capacity && !grow(labels)) {
        return false;
    }
    slot = find(labels, name);
    if (!slot->name) {
        slot->name = strdup(name);
        if (!slot->name) {
            return false;
        }
        slot->number = (int32_t)labels->count++;
    }
    *number = slot->number;
    return true;
}

bool labels_number(struct labels *labels, const char *text, int32_t *number, const char **problem)
{
    const char *end = text;
    bool is_exact, is_huge;
    int64_t value = -1;
    bool is_number;

    *problem = NULL;
    *number = -1;
    if (!*text) {
        return true;
    }
    if (labels->has_names) {
        return name_number(labels, text, number);
    }
    is_number = swf_number(&end, 0, &value, &is_exact, &is_huge) && !*end && is_exact;
    if (labels->count > 0 || (!labels->has_numbers && !is_number)) {
        if (labels->count == INT32_MAX) {
            *problem = "there are more than 2147483647 names";
            return false;
        }
        return name_number(labels, text, number);
    }
    labels->has_numbers = true;
    if (!is_number || value < -1 || value > INT32_MAX) {
        *problem = "a whole number from 0 to 2147483647 is due, as above";
        return false;
    }
    *number = (int32_t)value;
    return true;
}
