/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override.h - --set KEY=VALUE: changes of the tree before it is checked.
 *
 * The value is YAML, so lists and maps work. Setting one of several keys that exclude each other
 * removes the others: --set policy=easy replaces `policies`. */
#ifndef HSIM_EXPERIMENT_OVERRIDE_H
#define HSIM_EXPERIMENT_OVERRIDE_H

#include "text/tree.h"

/* Applies override number `index` to the root map. Problems go to the report. */
void experiment_override_apply(struct arena *arena, struct report *report, size_t index,
                               struct tree_node *root);

#endif
