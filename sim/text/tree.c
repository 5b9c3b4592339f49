/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.c - from libyaml's events to located nodes, without recursion. */
#include "text/tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "text/syntax.h"

struct anchor {
    const char *name;
    struct tree_node *node;
    struct anchor *next;
};

struct builder {
    yaml_parser_t parser;
    struct arena *arena;
    struct report *report;
    int source;
    int depth;
    struct tree_node *stack[TREE_DEPTH_MAX]; /* lists and maps that are open */
    const char *key[TREE_DEPTH_MAX];         /* of the map at that depth: waits for its value */
    struct tree_place key_place[TREE_DEPTH_MAX];
    struct anchor *anchors; /* newest first */
    size_t anchor_count;
    struct tree_node *root;
};

struct tree_node *text_tree_scalar(struct arena *arena, struct tree_place place, const char *text)
{
    struct tree_node *node = text_arena_alloc(arena, sizeof *node);

    if (node) {
        *node = (struct tree_node){TREE_SCALAR, true, place, 1, text, 0, NULL, NULL};
    }
    return node;
}

struct tree_node *text_tree_map(struct arena *arena, struct tree_place place)
{
    struct tree_node *node = text_tree_scalar(arena, place, NULL);

    if (node) {
        node->kind = TREE_MAP;
    }
    return node;
}

bool text_tree_append(struct arena *arena, struct tree_node *parent, const char *key,
                      struct tree_place key_place, struct tree_node *value)
{
    struct tree_entry *entry = text_arena_alloc(arena, sizeof *entry);

    if (!entry) {
        return false;
    }
    *entry = (struct tree_entry){key, key_place, value, NULL};
    if (parent->last) {
        parent->last->next = entry;
    } else {
        parent->first = entry;
    }
    parent->last = entry;
    parent->count++;
    return true;
}

struct tree_node *text_tree_copy(struct arena *arena, const struct tree_node *node)
{
    struct tree_node *copy = text_tree_scalar(arena, node->place, node->text);

    if (!copy) {
        return NULL;
    }
    copy->kind = node->kind;
    copy->is_plain = node->is_plain;
    for (const struct tree_entry *entry = node->first; entry; entry = entry->next) {
        if (!text_tree_append(arena, copy, entry->key, entry->key_place, entry->value)) {
            return NULL;
        }
    }
    return copy;
}

struct tree_entry *text_tree_find(const struct tree_node *map, const char *key)
{
    struct tree_entry *entry = map->first;

    while (entry && strcmp(entry->key, key) != 0) {
        entry = entry->next;
    }
    return entry;
}

void text_tree_remove(struct tree_node *map, const char *key)
{
    struct tree_entry **link = &map->first;
    struct tree_entry *before = NULL;

    while (*link && strcmp((*link)->key, key) != 0) {
        before = *link;
        link = &before->next;
    }
    if (*link) {
        if (map->last == *link) {
            map->last = before;
        }
        *link = (*link)->next;
        map->count--;
    }
}

bool text_tree_is_null(const struct tree_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++) {
        if (node->kind == TREE_SCALAR && node->is_plain && strcmp(node->text, nulls[i]) == 0) {
            return true;
        }
    }
    return false;
}

static struct tree_place event_place(const struct builder *builder, const yaml_event_t *event)
{
    return (struct tree_place){builder->source, (int)event->start_mark.line + 1,
                               (int)event->start_mark.column + 1};
}

static int compare_entries(const void *left, const void *right)
{
    const struct tree_entry *const *one = left;
    const struct tree_entry *const *other = right;
    int order = strcmp((*one)->key, (*other)->key);

    if (order != 0) {
        return order;
    }
    if ((*one)->key_place.line != (*other)->key_place.line) {
        return (*one)->key_place.line < (*other)->key_place.line ? -1 : 1;
    }
    return (*one)->key_place.column < (*other)->key_place.column ? -1 : 1;
}

/* Names every key that a map has twice, with both places. */
static bool check_duplicates(struct builder *builder, const struct tree_node *map)
{
    const struct tree_entry **sorted;
    size_t count = 0, first = 0;

    if (map->count < 2) {
        return true;
    }
    sorted = malloc(map->count * sizeof *sorted);
    if (!sorted) {
        builder->arena->has_failed = true;
        return false;
    }
    for (const struct tree_entry *entry = map->first; entry; entry = entry->next) {
        sorted[count++] = entry;
    }
    qsort(sorted, count, sizeof *sorted, compare_entries);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[first]->key, sorted[i]->key) != 0) {
            first = i;
            continue;
        }
        text_report_add(builder->report, sorted[i]->key_place,
                        "The key '%s' is given twice; the first time is at line %d, column "
                        "%d. Remove one of them.",
                        REPORT_CLIP(sorted[i]->key), sorted[first]->key_place.line,
                        sorted[first]->key_place.column);
    }
    free(sorted);
    return true;
}

/* Hangs a finished node (or an alias) into what is open. */
static bool attach(struct builder *builder, struct tree_node *node, struct tree_place place)
{
    int level = builder->depth - 1;
    struct tree_node *parent;

    if (level < 0) {
        builder->root = node;
        return true;
    }
    parent = builder->stack[level];
    if (parent->kind == TREE_MAP && !builder->key[level]) {
        if (node->kind != TREE_SCALAR) {
            text_report_add(builder->report, place,
                            "A key is a single word, not a list or a map. Put the value in "
                            "quotes if a '{' or '[' is part of it.");
            return false;
        }
        builder->key[level] = node->text;
        builder->key_place[level] = place;
        return true;
    }
    parent->weight += node->weight;
    if (parent->weight > TREE_VALUE_MAX) {
        text_report_add(builder->report, place,
                        "The text has more than %d values, aliases counted with what they "
                        "stand for. Name another file here, or split "
                        "this one.",
                        TREE_VALUE_MAX);
        return false;
    }
    if (!text_tree_append(builder->arena, parent, builder->key[level], builder->key_place[level],
                          node)) {
        return false;
    }
    builder->key[level] = NULL;
    return true;
}

static bool remember_anchor(struct builder *builder, const yaml_char_t *name,
                            struct tree_node *node)
{
    struct anchor *anchor;

    if (!name) {
        return true;
    }
    if (++builder->anchor_count > TREE_ANCHOR_MAX) {
        text_report_add(builder->report, node->place,
                        "The text has more than %d anchors ('&'). Use fewer.", TREE_ANCHOR_MAX);
        return false;
    }
    anchor = text_arena_alloc(builder->arena, sizeof *anchor);
    if (!anchor) {
        return false;
    }
    anchor->name = text_arena_copy(builder->arena, (const char *)name, strlen((const char *)name));
    anchor->node = node;
    anchor->next = builder->anchors;
    builder->anchors = anchor;
    return anchor->name != NULL;
}

static bool on_alias(struct builder *builder, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct tree_place place = event_place(builder, event);
    const struct anchor *anchor = builder->anchors;

    while (anchor && strcmp(anchor->name, name) != 0) {
        anchor = anchor->next;
    }
    if (!anchor) {
        text_report_add(builder->report, place,
                        "The alias '*%s' has no anchor '&%s' before it. Define the anchor "
                        "first, or quote the value if the '*' is part of it.",
                        REPORT_CLIP(name), REPORT_CLIP(name));
        return false;
    }
    for (int i = 0; i < builder->depth; i++) {
        if (builder->stack[i] == anchor->node) {
            text_report_add(builder->report, place,
                            "The alias '*%s' stands inside its own anchor (line %d), so the "
                            "value would contain itself. Remove the alias.",
                            REPORT_CLIP(name), anchor->node->place.line);
            return false;
        }
    }
    return attach(builder, anchor->node, place);
}

static bool check_tag(struct builder *builder, const yaml_char_t *tag, struct tree_place place)
{
    const char *text = (const char *)tag;

    if (!text || strcmp(text, "!") == 0) {
        return true;
    }
    text_report_add(builder->report, place,
                    "The tag '%s' has no meaning here. Remove it, or quote the value if the "
                    "'!' is part of it.",
                    REPORT_CLIP(text));
    return false;
}

static bool on_scalar(struct builder *builder, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    struct tree_place place = event_place(builder, event);
    struct tree_node *node;
    char *text;

    if (!check_tag(builder, event->data.scalar.tag, place)) {
        return false;
    }
    if (strlen(value) != event->data.scalar.length) {
        text_report_add(builder->report, place,
                        "The value contains a NUL character. Remove the '\\0'.");
        return false;
    }
    text = text_arena_copy(builder->arena, value, event->data.scalar.length);
    node = text ? text_tree_scalar(builder->arena, place, text) : NULL;
    if (!node) {
        return false;
    }
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return remember_anchor(builder, event->data.scalar.anchor, node) &&
           attach(builder, node, place);
}

static bool on_start(struct builder *builder, const yaml_event_t *event)
{
    bool is_map = event->type == YAML_MAPPING_START_EVENT;
    struct tree_place place = event_place(builder, event);
    struct tree_node *node;

    if (!check_tag(builder, is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag,
                   place)) {
        return false;
    }
    if (builder->depth == TREE_DEPTH_MAX) {
        text_report_add(builder->report, place,
                        "Lists and maps are nested more than %d deep here. Five levels "
                        "are enough: remove the surplus brackets or indentation.",
                        TREE_DEPTH_MAX);
        return false;
    }
    node = text_tree_map(builder->arena, place);
    if (!node) {
        return false;
    }
    node->kind = is_map ? TREE_MAP : TREE_LIST;
    builder->stack[builder->depth] = node;
    builder->key[builder->depth] = NULL;
    builder->depth++;
    return remember_anchor(
        builder, is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
        node);
}

static bool on_end(struct builder *builder)
{
    struct tree_node *node = builder->stack[--builder->depth];

    return (node->kind != TREE_MAP || check_duplicates(builder, node)) &&
           attach(builder, node, node->place);
}

static bool on_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (builder->root) {
            text_report_add(builder->report, event_place(builder, event),
                            "A second document begins here. A file holds one: "
                            "remove the '---', or put the rest into a file of its own.");
            return false;
        }
        return true;
    case YAML_ALIAS_EVENT:
        return on_alias(builder, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return on_start(builder, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(builder);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return true;
}

struct tree_node *text_tree_parse(struct arena *arena, struct report *report, int source,
                                  const char *text, size_t length, bool *is_empty)
{
    struct builder builder = {.arena = arena, .report = report, .source = source};
    bool is_done = false, has_failed = false;

    *is_empty = false;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* a byte order mark */
        length -= 3;
    }
    if (!text_syntax_check_bytes(report, source, text, length)) {
        return NULL;
    }
    if (!yaml_parser_initialize(&builder.parser)) {
        arena->has_failed = true;
        return NULL;
    }
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text, length);
    while (!is_done && !has_failed) {
        yaml_event_t event;

        if (!yaml_parser_parse(&builder.parser, &event)) {
            has_failed = true;
            if (builder.parser.error == YAML_MEMORY_ERROR) {
                arena->has_failed = true;
            } else {
                text_syntax_explain(report, source, &builder.parser, text, length);
            }
            break;
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        has_failed = !on_event(&builder, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&builder.parser);
    *is_empty = !has_failed && !builder.root;
    return has_failed ? NULL : builder.root;
}
