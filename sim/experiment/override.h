/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override.h - changes of the tree before it is checked: --set KEY=VALUE, and values of axes.
 *
 * The value is YAML, so lists and maps work. Setting one of several keys that exclude each other
 * removes the others: --set policy=easy replaces `policies`. */
#ifndef HSIM_EXPERIMENT_OVERRIDE_H
#define HSIM_EXPERIMENT_OVERRIDE_H

#include "experiment/key.h"
#include "text/tree.h"

#define OVERRIDE_LEVEL_MAX 8

/* Where a value goes: the parts of a path of keys, and their rows. */
struct override_path {
    const char *names[OVERRIDE_LEVEL_MAX];
    const struct key *keys[OVERRIDE_LEVEL_MAX]; /* NULL: a parameter of a policy */
    size_t level_count;
    struct tree_place place;
    bool is_each_policy; /* below `policy`: in every policy of `policies`; else that is refused */
};

/* Applies override number `index` to the root map. Problems go to the report. */
void experiment_override_apply(struct arena *arena, struct report *report, size_t index,
                               struct tree_node *root);

/* Finds the rows of "workload.load"; place and is_each_policy are the caller's. False: there is no
 * such key, and the report says so, or no memory. */
bool experiment_override_path(struct arena *arena, struct report *report, const char *text,
                              struct override_path *path);

/* Puts a value there. The root and its entries are changed, all below is copied first. */
void experiment_override_put(struct arena *arena, struct report *report,
                             const struct override_path *path, struct tree_node *value,
                             struct tree_node *root);

#endif
