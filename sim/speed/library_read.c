/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library_read.c - from the tree of a file to classes. */
#include <stdlib.h>
#include <string.h>

#include "speed/library_internal.h"
#include "text/tree.h"
#include "text/units.h"

#define SMALLEST                                                                                   \
    "A class library is a list `classes:` of entries such as `- {name: my-code, reference: "       \
    "a100-sxm4-40, times: {a100-sxm4-40: 100, h100-sxm5: 60}}`."
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789.+-"
#define VALUE_MAX    1e15
#define SCALE_MAX    1000000

const struct library_key library_keys[] = {
    {"name", "resnet50-training",
     "What workloads call it; a known name replaces that class. Required"},
    {"aliases", "[\"ResNet-50 (batch size 64)\"]", "Further names, in any case of letters"},
    {"summary", "image classification, trained to 75.9 %", "One line for people"},
    {"demand", "8x cores=8 gpu=1", "The kind of demand that suits it"},
    {"features", "[tensor-cores]", "Features of devices that it makes good use of"},
    {"reference", "a100-sxm4-80",
     "Model on which run times are given, unless the experiment says so. Required"},
    {"times", "{a100-sxm4-80: 216.4, k80-half: 0}",
     "By model, what it takes; 0: cannot run there. Of several scales a map of devices: value"},
    {"rates", "{v100-sxm2-16: {1: 4.5, 4: 9.5}}", "The same as work per time, instead of times"},
    {"unit", "chip-minutes", "Of the values; only ratios count"},
    {"fallback", "half",
     "For models without a value, by which figure of the catalogue their speeds follow from the "
     "nearest measured model of their kind, the one whose figure has the ratio nearest to 1: none "
     "(cannot run there), bandwidth, fp64 (of matrix units if that is more), fp32, or half (fp16, "
     "else bf16, by matrix units if that is more)"},
    {"source", "MLPerf Training v3.0", "Where the values are from"},
    {"sources", "{k80-half: our own measurement}", "The same of some models"},
    {"unconfirmed", "[k80-half]", "Models whose values the source does not confirm, or `all`"},
    {"note", "eight devices in a node", "What else is to be known"},
};
const size_t library_key_count = sizeof library_keys / sizeof library_keys[0];

/* One class that is being read. */
struct entry {
    struct speed_library *library;
    const struct catalogue *catalogue;
    struct report *report;
    struct speed_class class;
    bool is_wrong;
};

static void complain(struct entry *entry, const char *key, const struct tree_node *node,
                     const char *allowed)
{
    const char *text = node->kind == TREE_SCALAR ? node->text
                       : node->kind == TREE_LIST ? "(a list)"
                                                 : "(a map)";
    const char *example = "";

    for (size_t i = 0; i < library_key_count; i++) {
        example = strcmp(library_keys[i].name, key) == 0 ? library_keys[i].example : example;
    }
    entry->is_wrong = true;
    text_report_add(entry->report, node->place,
                    "'%s' of '%s' is '%s', but allowed is %s. Write for instance `%s: %s`.", key,
                    REPORT_CLIP(entry->class.name), REPORT_CLIP(text), allowed, key, example);
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

static void read_text(struct entry *entry, const struct tree_entry *item, const char **field)
{
    if (is_text(item->value)) {
        *field = item->value->text;
    } else {
        complain(entry, item->key, item->value, "a text of one line");
    }
}

static void read_list(struct entry *entry, const struct tree_entry *item, const char *const **field,
                      size_t *count)
{
    const char **items;

    if (item->value->kind != TREE_LIST) {
        complain(entry, item->key, item->value, "a list in brackets");
        return;
    }
    items = text_arena_alloc(&entry->library->arena, (item->value->count + 1) * sizeof *items);
    for (const struct tree_entry *each = item->value->first; items && each; each = each->next) {
        if (!is_text(each->value)) {
            complain(entry, item->key, each->value, "a list of texts of one line");
            return;
        }
        items[(*count)++] = each->value->text;
    }
    *field = items;
}

/* The model of the catalogue that a text names; the text itself without a catalogue. NULL: none,
 * which is told. */
static const char *read_model(struct entry *entry, const char *text, struct tree_place place)
{
    const struct catalogue_device *device;
    const char *near;

    if (!entry->catalogue) {
        return text;
    }
    device = catalogue_find(entry->catalogue, text);
    if (device) {
        return text_arena_copy(&entry->library->arena, device->model, strlen(device->model));
    }
    near = catalogue_nearest(entry->catalogue, text);
    entry->is_wrong = true;
    text_report_add(
        entry->report, place,
        "The class '%s' names the model '%s', which the device catalogue does not have%s"
        "%s%s `hsim platform devices` lists its models; a catalogue of your own adds "
        "some.",
        REPORT_CLIP(entry->class.name), REPORT_CLIP(text), near ? "; did you mean '" : ".",
        near ? near : "", near ? "'?" : "");
    return NULL;
}

static void add_value(struct entry *entry, const char *model, int64_t scale, const char *key,
                      const struct tree_node *node)
{
    struct speed_entry *value = &entry->class.entries[entry->class.entry_count];

    *value = (struct speed_entry){.model = model, .scale = scale};
    if (node->kind != TREE_SCALAR || !text_units_parse_double(node->text, &value->value) ||
        !(value->value >= 0 && value->value <= VALUE_MAX)) {
        complain(entry, key, node, "a number from 0 to 1e15 for each model");
        return;
    }
    for (size_t i = 0; i < entry->class.entry_count; i++) {
        if (strcmp(entry->class.entries[i].model, model) == 0 &&
            entry->class.entries[i].scale == scale) {
            entry->is_wrong = true;
            text_report_add(entry->report, node->place,
                            "The class '%s' has two values for the model '%s' at scale %d. Remove "
                            "one of the two.",
                            REPORT_CLIP(entry->class.name), model, (int)scale);
            return;
        }
    }
    entry->class.entry_count++;
}

static void read_values(struct entry *entry, const struct tree_entry *item)
{
    size_t room = 0;

    if (item->value->kind != TREE_MAP || !item->value->count) {
        complain(entry, item->key, item->value, "a map in braces, with a number for each model");
        return;
    }
    for (const struct tree_entry *each = item->value->first; each; each = each->next) {
        room += each->value->kind == TREE_MAP ? each->value->count : 1;
    }
    entry->class.is_rate = strcmp(item->key, "rates") == 0;
    entry->class.entries =
        text_arena_alloc(&entry->library->arena, (room + 1) * sizeof *entry->class.entries);
    for (const struct tree_entry *each = item->value->first; entry->class.entries && each;
         each = each->next) {
        const char *model = read_model(entry, each->key, each->key_place);

        if (!model) {
            continue;
        }
        if (each->value->kind != TREE_MAP) {
            add_value(entry, model, 1, item->key, each->value);
            continue;
        }
        for (const struct tree_entry *at = each->value->first; at; at = at->next) {
            bool is_number;
            int64_t scale;

            if (!text_units_parse_int(at->key, &scale, &is_number) || scale < 1 ||
                scale > SCALE_MAX) {
                entry->is_wrong = true;
                text_report_add(entry->report, at->key_place,
                                "The scale '%s' of the class '%s' is no number of devices from 1 "
                                "to %d.",
                                REPORT_CLIP(at->key), REPORT_CLIP(entry->class.name), SCALE_MAX);
                continue;
            }
            add_value(entry, model, scale, item->key, at->value);
        }
    }
}

static void read_fallback(struct entry *entry, const struct tree_entry *item)
{
    for (size_t i = 0; library_fallbacks[i]; i++) {
        if (item->value->kind == TREE_SCALAR &&
            strcmp(item->value->text, library_fallbacks[i]) == 0) {
            entry->class.fallback = (enum speed_fallback)i;
            return;
        }
    }
    complain(entry, item->key, item->value, "none, bandwidth, fp64, fp32 or half");
}

/* Sets the source of the values of a model, or marks them; "all" stands for every model. */
static void mark_values(struct entry *entry, const char *model, struct tree_place place,
                        const char *source, bool is_unconfirmed)
{
    bool is_found = false;
    const char *found = model;

    if (strcmp(model, "all") != 0) {
        found = read_model(entry, model, place);
    }
    for (size_t i = 0; found && i < entry->class.entry_count; i++) {
        struct speed_entry *value = &entry->class.entries[i];

        if (strcmp(found, "all") == 0 || strcmp(found, value->model) == 0) {
            value->source = source ? source : value->source;
            value->is_unconfirmed = value->is_unconfirmed || is_unconfirmed;
            is_found = true;
        }
    }
    if (found && !is_found) {
        entry->is_wrong = true;
        text_report_add(
            entry->report, place,
            "'%s' is named here, but the class '%s' has no value for it. Give the value, "
            "or remove the name.",
            REPORT_CLIP(model), REPORT_CLIP(entry->class.name));
    }
}

static void read_sources(struct entry *entry, const struct tree_node *node)
{
    const struct tree_entry *all = text_tree_find(node, "source");
    const struct tree_entry *some = text_tree_find(node, "sources");
    const struct tree_entry *unconfirmed = text_tree_find(node, "unconfirmed");
    const char *text = NULL;

    if (all) {
        read_text(entry, all, &text);
        if (text) {
            mark_values(entry, "all", all->key_place, text, false);
        }
    }
    if (some && some->value->kind != TREE_MAP) {
        complain(entry, "sources", some->value, "a map in braces");
    } else if (some) {
        for (const struct tree_entry *each = some->value->first; each; each = each->next) {
            read_text(entry, each, &text);
            mark_values(entry, each->key, each->key_place, text, false);
        }
    }
    if (unconfirmed && unconfirmed->value->kind != TREE_LIST) {
        complain(entry, "unconfirmed", unconfirmed->value, "a list in brackets");
    } else if (unconfirmed) {
        for (const struct tree_entry *each = unconfirmed->value->first; each; each = each->next) {
            if (is_text(each->value)) {
                mark_values(entry, each->value->text, each->value->place, NULL, true);
            } else {
                complain(entry, "unconfirmed", each->value, "a list of models");
            }
        }
    }
    for (size_t i = 0; i < entry->class.entry_count; i++) {
        struct speed_entry *value = &entry->class.entries[i];

        value->is_unconfirmed = value->is_unconfirmed || !value->source;
    }
}

static void read_key(struct entry *entry, const struct tree_entry *item)
{
    struct speed_class *class = &entry->class;
    const char *names[32];

    if (strcmp(item->key, "aliases") == 0) {
        read_list(entry, item, &class->aliases, &class->alias_count);
    } else if (strcmp(item->key, "features") == 0) {
        read_list(entry, item, &class->features, &class->feature_count);
    } else if (strcmp(item->key, "summary") == 0) {
        read_text(entry, item, &class->summary);
    } else if (strcmp(item->key, "demand") == 0) {
        read_text(entry, item, &class->demand);
    } else if (strcmp(item->key, "unit") == 0) {
        read_text(entry, item, &class->unit);
    } else if (strcmp(item->key, "note") == 0) {
        read_text(entry, item, &class->note);
    } else if (strcmp(item->key, "fallback") == 0) {
        read_fallback(entry, item);
    } else if (strcmp(item->key, "reference") == 0) {
        const char *text = NULL;

        read_text(entry, item, &text);
        class->reference = text ? read_model(entry, text, item->value->place) : NULL;
    } else if (strcmp(item->key, "times") == 0 || strcmp(item->key, "rates") == 0) {
        if (class->entries) {
            complain(entry, item->key, item->value, "either `times` or `rates`, once");
            return;
        }
        read_values(entry, item);
    } else {
        bool is_known = false;
        const char *near;

        for (size_t i = 0; i < library_key_count; i++) {
            names[i] = library_keys[i].name;
            is_known = is_known || strcmp(names[i], item->key) == 0;
        }
        near = hs_nearest(item->key, names, library_key_count);
        if (!is_known) {
            entry->is_wrong = true;
            text_report_add(entry->report, item->key_place, "The key '%s' is unknown%s%s%s",
                            REPORT_CLIP(item->key), near ? "; did you mean '" : ".",
                            near ? near : "", near ? "'?" : "");
        }
    }
}

static int compare_entries(const void *left, const void *right)
{
    const struct speed_entry *a = left;
    const struct speed_entry *b = right;
    int order = strcmp(a->model, b->model);

    return order ? order : (a->scale > b->scale) - (a->scale < b->scale);
}

/* What must be there, and what must fit together. */
static void finish(struct entry *entry, const struct tree_node *node)
{
    const struct speed_class *class = &entry->class;
    bool has_reference = false;

    if (entry->is_wrong || entry->library->arena.has_failed) {
        return;
    }
    if (!class->reference || !class->entry_count) {
        text_report_add(
            entry->report, node->place, "The class '%s' lacks `%s`. Add for instance `%s`.",
            REPORT_CLIP(class->name), class->reference ? "times` or `rates" : "reference",
            class->reference ? "times: {a100-sxm4-80: 216.4}" : "reference: a100-sxm4-80");
        entry->is_wrong = true;
        return;
    }
    qsort(class->entries, class->entry_count, sizeof *class->entries, compare_entries);
    for (size_t i = 0; i < class->entry_count; i++) {
        has_reference = has_reference || (strcmp(class->entries[i].model, class->reference) == 0 &&
                                          class->entries[i].value > 0);
    }
    if (!has_reference) {
        entry->is_wrong = true;
        text_report_add(entry->report, node->place,
                        "The class '%s' has no value above 0 for its reference '%s'. Give one, or "
                        "name another reference.",
                        REPORT_CLIP(class->name), class->reference);
    }
}

/* Puts the class into the library, in the place of one of the same name. */
static void keep(struct entry *entry)
{
    struct speed_library *library = entry->library;

    for (size_t i = 0; i < library->count; i++) {
        struct speed_class *old = &library->classes[i];

        if (strcmp(old->name, entry->class.name) == 0) {
            if (old->path == entry->report->path) {
                text_report_add(entry->report,
                                (struct tree_place){.line = entry->class.line, .column = 1},
                                "The class '%s' is described twice; the first time is at line %d. "
                                "Remove one of the two.",
                                REPORT_CLIP(old->name), old->line);
            }
            *old = entry->class;
            return;
        }
    }
    if (library->count == library->room) {
        size_t room = library->room ? library->room * 2 : 64;
        struct speed_class *moved = realloc(library->classes, room * sizeof *moved);

        if (!moved) {
            library->arena.has_failed = true;
            return;
        }
        library->classes = moved;
        library->room = room;
    }
    library->classes[library->count++] = entry->class;
}

static void read_class(struct speed_library *library, const struct catalogue *catalogue,
                       struct report *report, const struct tree_node *node)
{
    struct entry entry = {.library = library, .catalogue = catalogue, .report = report};
    const struct tree_entry *name;

    if (node->kind != TREE_MAP) {
        text_report_add(report, node->place, "An entry of `classes:` is a map. " SMALLEST);
        return;
    }
    name = text_tree_find(node, "name");
    if (!name || !is_name(name->value)) {
        text_report_add(report, name ? name->value->place : node->place,
                        "A class needs a `name:` of small letters, digits and '.', '+', '-', for "
                        "instance `name: resnet50-training`.");
        return;
    }
    entry.class.name = name->value->text;
    entry.class.path = report->path;
    entry.class.line = node->place.line;
    for (const struct tree_entry *item = node->first; item; item = item->next) {
        read_key(&entry, item);
    }
    read_sources(&entry, node);
    finish(&entry, node);
    if (!entry.is_wrong && !library->arena.has_failed) {
        keep(&entry);
    }
}

void library_read(struct speed_library *library, const struct catalogue *catalogue,
                  struct report *report, const char *text, size_t length)
{
    struct tree_place start = {0};
    bool is_empty;
    const struct tree_node *root =
        text_tree_parse(&library->arena, report, 0, text, length, &is_empty);
    const struct tree_entry *classes = NULL;

    if (is_empty) {
        text_report_add(report, start, "The file is empty. " SMALLEST);
    }
    if (!root) {
        return;
    }
    for (const struct tree_entry *item = root->kind == TREE_MAP ? root->first : NULL; item;
         item = item->next) {
        if (strcmp(item->key, "classes") == 0) {
            classes = item;
        } else {
            text_report_add(report, item->key_place,
                            "The key '%s' is unknown; a class library has only `classes:`. Indent "
                            "entries with '- ' below it.",
                            REPORT_CLIP(item->key));
        }
    }
    if (!classes || classes->value->kind != TREE_LIST || !classes->value->count) {
        text_report_add(report, classes ? classes->value->place : root->place,
                        "There is no list of classes here. " SMALLEST);
        return;
    }
    for (const struct tree_entry *item = classes->value->first; item; item = item->next) {
        read_class(library, catalogue, report, item->value);
    }
}
