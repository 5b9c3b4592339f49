/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels.h - the numbers of users, queues and the like in a table of jobs.
 *
 * A column holds either whole numbers, which stand for themselves, or names, which are numbered
 * from 0 as they come; the first of them decides. Memory grows with the number of names. */
#ifndef HSIM_WORKLOAD_LABELS_H
#define HSIM_WORKLOAD_LABELS_H

#include "hs/base.h"

struct labels_slot {
    char *name; /* NULL: free */
    int32_t number;
};

/* Zeroed: empty. */
struct labels {
    struct labels_slot *slots;
    size_t capacity, count;
    bool has_numbers;
    bool has_names; /* from the beginning: what looks like a number is a name */
};

void labels_fini(struct labels *labels);

/* The number of a text; -1 for an empty one. False: *problem says what is due, half a sentence, or
 * is NULL without memory. */
bool labels_number(struct labels *labels, const char *text, int32_t *number, const char **problem);

#endif
