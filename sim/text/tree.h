/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.h - YAML text as a tree whose every key and value knows its place.
 *
 * libyaml yields events, this yields nodes: scalars, lists and maps with scalar keys. Aliases
 * become shared nodes, so a node must not be changed in place; a copy is put instead. Depth and
 * the number of values (aliases counted with what they stand for) are limited, so that no text
 * can exhaust memory or time. */
#ifndef HSIM_TEXT_TREE_H
#define HSIM_TEXT_TREE_H

#include "text/arena.h"
#include "text/report.h"

#define TREE_DEPTH_MAX  64
#define TREE_VALUE_MAX  100000
#define TREE_ANCHOR_MAX 1000

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

/* A value of a list (key NULL) or a map. */
struct tree_entry {
    const char *key;
    struct tree_place key_place;
    struct tree_node *value;
    struct tree_entry *next;
};

struct tree_node {
    enum tree_kind kind;
    bool is_plain; /* a scalar without quotes */
    struct tree_place place;
    size_t weight;    /* this and all values below it */
    const char *text; /* of a scalar */
    size_t count;     /* of entries */
    struct tree_entry *first, *last;
};

/* Parses UTF-8 text. NULL: problems were added to the report, or the arena has failed.
 * An empty text yields NULL without a problem and *is_empty true. */
struct tree_node *text_tree_parse(struct arena *arena, struct report *report, int source,
                                  const char *text, size_t length, bool *is_empty);

/* Building by hand; NULL and false without memory. */
struct tree_node *text_tree_scalar(struct arena *arena, struct tree_place place, const char *text);
struct tree_node *text_tree_map(struct arena *arena, struct tree_place place);
bool text_tree_append(struct arena *arena, struct tree_node *parent, const char *key,
                      struct tree_place key_place, struct tree_node *value);

/* A copy whose own entries may be changed; the values below stay shared. */
struct tree_node *text_tree_copy(struct arena *arena, const struct tree_node *node);

/* The entry of a map, or NULL. */
struct tree_entry *text_tree_find(const struct tree_node *map, const char *key);
void text_tree_remove(struct tree_node *map, const char *key);

/* A plain scalar that stands for nothing: empty, ~ or null. */
bool text_tree_is_null(const struct tree_node *node);

#endif
