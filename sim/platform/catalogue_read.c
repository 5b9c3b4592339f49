/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue_read.c - from the tree of a file to entries, by the rows of the table.
 *
 * An entry whose model is known begins as a copy of that entry, so that a file of the user says
 * only what differs. A figure that is given anew loses its old source. */
#include "platform/catalogue_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/catalogue_key.h"
#include "text/tree.h"
#include "text/units.h"

#define SMALLEST                                                                                   \
    "A catalogue is a list `devices:` of entries such as `- {model: my-gpu, kind: gpu, name: My "  \
    "GPU, power: {idle: 20 W, busy: 200 W}}`."
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789.+-"
#define ALL          "all" /* stands for all figures of an entry */

/* One entry that is being read. */
struct entry {
    struct catalogue *catalogue;
    struct report *report;
    struct tree_place place;
    struct catalogue_device *device;
    uint32_t given;    /* figures that this file states */
    uint64_t *refused; /* keys, by index, that are there with a wrong value: they do not lack */
};

static void *field(const struct entry *entry, size_t offset)
{
    return (char *)entry->device + offset;
}

static void complain(const struct entry *entry, const struct catalogue_key *key,
                     const struct tree_node *node, const char *allowed)
{
    const char *text = node->kind == TREE_SCALAR ? node->text
                       : node->kind == TREE_LIST ? "(a list)"
                                                 : "(a map)";

    *entry->refused |= UINT64_C(1) << (key - catalogue_keys);
    text_report_add(entry->report, node->place,
                    "'%s' of '%s' is '%s', but allowed is %s. Write for instance `%s: %s`.",
                    key->path, REPORT_CLIP(entry->device->model), REPORT_CLIP(text), allowed,
                    catalogue_key_name(key), key->example);
}

/* A text that is there, of one line. */
static bool is_text(const struct tree_node *node)
{
    return node->kind == TREE_SCALAR && !text_tree_is_null(node) && *node->text &&
           !strpbrk(node->text, "\n\r\t");
}

static bool is_name(const struct tree_node *node)
{
    return is_text(node) && strspn(node->text, NAME_LETTERS) == strlen(node->text);
}

/* "cpu, gpu, ..." with a suggestion for what was written. */
static void read_kind(const struct entry *entry, const struct catalogue_key *key,
                      const struct tree_node *node)
{
    char allowed[256] = "";
    size_t count = 0;
    const char *near;

    for (; catalogue_kinds[count]; count++) {
        size_t length = strlen(allowed);

        if (node->kind == TREE_SCALAR && strcmp(node->text, catalogue_kinds[count]) == 0) {
            *(const char **)field(entry, key->offset) = catalogue_kinds[count];
            return;
        }
        (void)snprintf(allowed + length, sizeof allowed - length, "%s%s", count ? ", " : "",
                       catalogue_kinds[count]);
    }
    near = node->kind == TREE_SCALAR ? hs_nearest(node->text, catalogue_kinds, count) : NULL;
    if (near) {
        size_t length = strlen(allowed);

        (void)snprintf(allowed + length, sizeof allowed - length, " (did you mean '%s'?)", near);
    }
    complain(entry, key, node, allowed);
}

static void read_list(const struct entry *entry, const struct catalogue_key *key,
                      const struct tree_node *node)
{
    bool is_names = key->type == CATALOGUE_NAMES;
    const char **items;
    size_t count = 0;

    if (node->kind != TREE_LIST) {
        complain(entry, key, node, "a list in brackets");
        return;
    }
    items = text_arena_alloc(&entry->catalogue->arena, (node->count + 1) * sizeof *items);
    if (!items) {
        return;
    }
    for (const struct tree_entry *item = node->first; item; item = item->next) {
        if (is_names ? !is_name(item->value) : !is_text(item->value)) {
            complain(entry, key, item->value,
                     is_names ? "a name of small letters, digits and '.', '+', '-'"
                              : "a text of one line");
            return;
        }
        items[count++] = item->value->text;
    }
    *(const char *const **)field(entry, key->offset) = items;
    *(size_t *)field(entry, key->count_offset) = count;
}

/* Reads a number of any kind; false after a complaint. */
static bool read_number(const struct entry *entry, const struct catalogue_key *key,
                        const struct tree_node *node, double *value)
{
    char allowed[128];
    int64_t whole = 0;
    bool is_number = node->kind == TREE_SCALAR;

    switch (key->type) {
    case CATALOGUE_INTEGER:
        is_number = is_number && text_units_parse_int(node->text, &whole, &is_number);
        *value = (double)whole;
        (void)snprintf(allowed, sizeof allowed, "a whole number from %.0f to %.0f", key->min,
                       key->max);
        break;
    case CATALOGUE_BYTES:
        is_number =
            is_number && text_units_parse(UNITS_BYTES, node->text, &whole, NULL) == UNITS_OK;
        *value = (double)whole;
        (void)snprintf(allowed, sizeof allowed, "a size from 1 MB to 1 PB (%s)",
                       text_units_list(UNITS_BYTES));
        break;
    case CATALOGUE_FRACTION:
        is_number = is_number && text_units_parse_double(node->text, value);
        (void)snprintf(allowed, sizeof allowed, "a fraction above 0, at most 1");
        break;
    default: {
        char lowest[CATALOGUE_TEXT_MAX];
        char highest[CATALOGUE_TEXT_MAX];

        is_number = is_number && catalogue_quantity_parse(key->type, node->text, value);
        catalogue_quantity_format(key->type, key->min, lowest);
        catalogue_quantity_format(key->type, key->max, highest);
        (void)snprintf(allowed, sizeof allowed, "a number with a unit, %s to %s (%s)", lowest,
                       highest, catalogue_quantity_units(key->type));
    }
    }
    if (!is_number || !(*value >= key->min && *value <= key->max)) {
        complain(entry, key, node, allowed);
        return false;
    }
    return true;
}

static void store_number(struct entry *entry, const struct catalogue_key *key, double value)
{
    if (key->type == CATALOGUE_INTEGER || key->type == CATALOGUE_BYTES) {
        *(int64_t *)field(entry, key->offset) = (int64_t)value;
    } else {
        *(double *)field(entry, key->offset) = value;
    }
    if (key->is_figure) {
        size_t figure = catalogue_key_figure(key);

        entry->given |= UINT32_C(1) << figure;
        entry->device->figures |= UINT32_C(1) << figure;
        entry->device->sources[figure] = NULL;
        entry->device->is_unconfirmed[figure] = false;
    }
}

static void read_value(struct entry *entry, const struct catalogue_key *key,
                       const struct tree_node *node)
{
    double value = 0;

    switch (key->type) {
    case CATALOGUE_MAP:
    case CATALOGUE_SOURCES: /* when all figures are known */
    case CATALOGUE_FIGURES:
    case CATALOGUE_MODEL: /* before all others */
        return;
    case CATALOGUE_KIND:
        read_kind(entry, key, node);
        return;
    case CATALOGUE_STRING:
        if (is_text(node)) {
            *(const char **)field(entry, key->offset) = node->text;
        } else {
            complain(entry, key, node, "a text of one line");
        }
        return;
    case CATALOGUE_STRINGS:
    case CATALOGUE_NAMES:
        read_list(entry, key, node);
        return;
    case CATALOGUE_INTEGER:
    case CATALOGUE_BYTES:
    case CATALOGUE_BANDWIDTH:
    case CATALOGUE_FLOPS:
    case CATALOGUE_OPS:
    case CATALOGUE_FRACTION:
    case CATALOGUE_WATTS:
        if (read_number(entry, key, node, &value)) {
            store_number(entry, key, value);
        }
        return;
    }
}

static void report_unknown(const struct entry *entry, const char *parent,
                           const struct tree_entry *item)
{
    const char *names[CATALOGUE_CHILDREN_MAX];
    size_t count = catalogue_key_children(parent, names);
    const char *near = hs_nearest(item->key, names, count);

    text_report_add(entry->report, item->key_place,
                    "The key '%s' is unknown in %s%s%s of '%s'%s%s%s `hsim platform devices "
                    "--help` lists all keys.",
                    REPORT_CLIP(item->key), *parent ? "'" : "the entry", parent, *parent ? "'" : "",
                    REPORT_CLIP(entry->device->model), near ? "; did you mean '" : ".",
                    near ? near : "", near ? "'?" : "");
}

/* Reads the children of "" or of a map; maps nest once. */
static void read_map(struct entry *entry, const char *parent, const struct tree_node *map)
{
    for (const struct tree_entry *item = map->first; item; item = item->next) {
        const struct catalogue_key *key = catalogue_key_child(parent, item->key);

        if (!key) {
            report_unknown(entry, parent, item);
        } else if (key->type != CATALOGUE_MAP) {
            read_value(entry, key, item->value);
        } else if (item->value->kind != TREE_MAP) {
            complain(entry, key, item->value, "a map in braces");
        } else {
            for (const struct tree_entry *below = item->value->first; below; below = below->next) {
                const struct catalogue_key *child = catalogue_key_child(key->path, below->key);

                if (child) {
                    read_value(entry, child, below->value);
                } else {
                    report_unknown(entry, key->path, below);
                }
            }
        }
    }
}

/* How well `word` names a figure: 3 exactly, 2 by its map, 1 as one of all, 0 not. */
static int match_figure(const char *word, size_t figure)
{
    const char *path = catalogue_figure_name(figure);
    size_t length = strlen(word);

    if (strcmp(word, path) == 0) {
        return 3;
    }
    if (strncmp(word, path, length) == 0 && path[length] == '.') {
        return 2;
    }
    return strcmp(word, ALL) == 0;
}

/* The figures that a word means: exactly that one, or those of a group that this file gives. */
static uint32_t find_figures(const struct entry *entry, const char *word,
                             const struct tree_place place)
{
    const char *names[CATALOGUE_FIGURE_COUNT];
    uint32_t found = 0;
    bool is_known = false;

    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        int match = match_figure(word, i);

        names[i] = catalogue_figure_name(i);
        is_known = is_known || match;
        if (match) {
            found |= (UINT32_C(1) << i) & (match == 3 ? entry->device->figures : entry->given);
        }
    }
    if (!is_known) {
        const char *near = hs_nearest(word, names, CATALOGUE_FIGURE_COUNT);

        text_report_add(entry->report, place,
                        "'%s' is no figure%s%s%s Name a figure such as power.idle, a map of "
                        "figures such as power, or all.",
                        REPORT_CLIP(word), near ? "; did you mean '" : ".", near ? near : "",
                        near ? "'?" : "");
    } else if (!found && strcmp(word, ALL) != 0) {
        text_report_add(entry->report, place,
                        "'%s' is named here, but the entry '%s' does not give it. Give the figure, "
                        "or remove its name.",
                        REPORT_CLIP(word), REPORT_CLIP(entry->device->model));
    }
    return found;
}

static void read_sources(const struct entry *entry, const struct catalogue_key *key,
                         const struct tree_node *node)
{
    int matches[CATALOGUE_FIGURE_COUNT] = {0};

    if (node->kind != TREE_MAP) {
        complain(entry, key, node, "a map in braces");
        return;
    }
    for (const struct tree_entry *item = node->first; item; item = item->next) {
        uint32_t found = find_figures(entry, item->key, item->key_place);

        if (!is_text(item->value)) {
            complain(entry, key, item->value, "a text of one line");
            return;
        }
        for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
            int match = match_figure(item->key, i);

            if ((found >> i & 1) && match > matches[i]) {
                matches[i] = match;
                entry->device->sources[i] = item->value->text;
            }
        }
    }
}

static void read_unconfirmed(const struct entry *entry, const struct catalogue_key *key,
                             const struct tree_node *node)
{
    if (node->kind != TREE_LIST) {
        complain(entry, key, node, "a list in brackets");
        return;
    }
    for (const struct tree_entry *item = node->first; item; item = item->next) {
        uint32_t found;

        if (item->value->kind != TREE_SCALAR) {
            complain(entry, key, item->value, "the name of a figure");
            return;
        }
        found = find_figures(entry, item->value->text, item->value->place);
        for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
            if (found >> i & 1) {
                entry->device->is_unconfirmed[i] = true;
            }
        }
    }
}

/* Whether the device has the field of a row. */
static bool has_field(const struct entry *entry, const struct catalogue_key *key)
{
    if (key->is_figure) {
        return entry->device->figures >> catalogue_key_figure(key) & 1;
    }
    if (key->type == CATALOGUE_MAP) {
        return true; /* its children tell */
    }
    return *(const char *const *)field(entry, key->offset) != NULL;
}

static void check_power(const struct entry *entry)
{
    const struct platform_power *power = &entry->device->power;

    if (!(power->off_w <= power->idle_w && power->idle_w <= power->context_w &&
          power->context_w <= power->busy_w)) {
        text_report_add(entry->report, entry->place,
                        "The power of '%s' is off %g, idle %g, context %g, busy %g W; allowed is "
                        "off <= idle <= context <= busy. Correct the values.",
                        REPORT_CLIP(entry->device->model), power->off_w, power->idle_w,
                        power->context_w, power->busy_w);
    }
}

/* What must be there, what follows from what is there, and what must fit together. */
static void finish_entry(const struct entry *entry)
{
    struct platform_power *power = &entry->device->power;
    bool is_complete = true;

    for (size_t i = 0; i < catalogue_key_count; i++) {
        const struct catalogue_key *key = &catalogue_keys[i];

        if (key->is_required && !has_field(entry, key)) {
            is_complete = false;
            if (*entry->refused >> i & 1) {
                continue;
            }
            text_report_add(entry->report, entry->place,
                            "The entry '%s' lacks '%s'. Add for instance `%s: %s`.",
                            REPORT_CLIP(entry->device->model), key->path, catalogue_key_name(key),
                            key->example);
        }
    }
    if (!is_complete) {
        return;
    }
    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        if ((entry->device->figures >> i & 1) && !entry->device->sources[i]) {
            entry->device->is_unconfirmed[i] = true;
        }
        if (!(entry->device->figures >> i & 1)) {
            const struct catalogue_key *key = catalogue_figure_key(i);

            if (key->offset == offsetof(struct catalogue_device, power.off_w)) {
                power->off_w = 0;
            } else if (key->offset == offsetof(struct catalogue_device, power.context_w)) {
                power->context_w = power->idle_w;
            }
        }
    }
    check_power(entry);
}

static struct catalogue_device *find_model(struct catalogue *catalogue, const char *model)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        if (strcmp(catalogue->devices[i].model, model) == 0) {
            return &catalogue->devices[i];
        }
    }
    return NULL;
}

/* The place for the entry of a model: the known one, or a new one. NULL: no memory, or reported. */
static struct catalogue_device *find_place(struct catalogue *catalogue, struct report *report,
                                           const struct tree_node *model)
{
    struct catalogue_device *device = find_model(catalogue, model->text);

    if (device && device->path == report->path) {
        text_report_add(report, model->place,
                        "The model '%s' is described twice; the first time is at line %d. Remove "
                        "one of the two.",
                        REPORT_CLIP(model->text), device->line);
        return NULL;
    }
    if (device) {
        return device;
    }
    if (catalogue->count == catalogue->room) {
        size_t room = catalogue->room ? catalogue->room * 2 : 64;
        struct catalogue_device *moved = realloc(catalogue->devices, room * sizeof *moved);

        if (!moved) {
            catalogue->arena.has_failed = true;
            return NULL;
        }
        catalogue->devices = moved;
        catalogue->room = room;
    }
    device = &catalogue->devices[catalogue->count++];
    *device = (struct catalogue_device){.power = platform_power_unknown()};
    device->model = model->text;
    return device;
}

static void read_entry(struct catalogue *catalogue, struct report *report,
                       const struct tree_node *node)
{
    uint64_t refused = 0;
    struct entry entry = {catalogue, report, node->place, NULL, 0, &refused};
    const struct tree_entry *model, *item;

    if (node->kind != TREE_MAP) {
        text_report_add(report, node->place, "An entry of `devices:` is a map. " SMALLEST);
        return;
    }
    model = text_tree_find(node, "model");
    if (!model || !is_name(model->value)) {
        text_report_add(report, model ? model->value->place : node->place,
                        "An entry needs a `model:` of small letters, digits and '.', '+', '-', "
                        "for instance `model: a100-sxm4-40`%s%s%s.",
                        model && model->value->kind == TREE_SCALAR ? ", not '" : "",
                        model && model->value->kind == TREE_SCALAR ? REPORT_CLIP(model->value->text)
                                                                   : "",
                        model && model->value->kind == TREE_SCALAR ? "'" : "");
        return;
    }
    entry.device = find_place(catalogue, report, model->value);
    if (!entry.device) {
        return;
    }
    entry.device->path = report->path;
    entry.device->line = node->place.line;
    read_map(&entry, "", node);
    item = text_tree_find(node, "sources");
    if (item) {
        read_sources(&entry, catalogue_key_child("", "sources"), item->value);
    }
    item = text_tree_find(node, "unconfirmed");
    if (item) {
        read_unconfirmed(&entry, catalogue_key_child("", "unconfirmed"), item->value);
    }
    finish_entry(&entry);
}

void catalogue_read(struct catalogue *catalogue, struct report *report, const char *text,
                    size_t length)
{
    struct tree_place start = {0};
    bool is_empty;
    const struct tree_node *root =
        text_tree_parse(&catalogue->arena, report, 0, text, length, &is_empty);
    const struct tree_entry *devices = NULL;

    if (is_empty) {
        text_report_add(report, start, "The file is empty. " SMALLEST);
    }
    if (!root) {
        return;
    }
    for (const struct tree_entry *item = root->kind == TREE_MAP ? root->first : NULL; item;
         item = item->next) {
        if (strcmp(item->key, "devices") == 0) {
            devices = item;
        } else {
            text_report_add(report, item->key_place,
                            "The key '%s' is unknown; a catalogue has only `devices:`. Indent "
                            "entries with '- ' below it.",
                            REPORT_CLIP(item->key));
        }
    }
    if (!devices || devices->value->kind != TREE_LIST || !devices->value->count) {
        text_report_add(report, devices ? devices->value->place : root->place,
                        "There is no list of devices here. " SMALLEST);
        return;
    }
    for (const struct tree_entry *item = devices->value->first; item; item = item->next) {
        read_entry(catalogue, report, item->value);
    }
}
