/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fill.c - checks values by their rows and stores them. */
#include "experiment/fill.h"

#include <stdio.h>
#include <string.h>

#include "text/units.h"

static size_t key_index(const struct key *key)
{
    return (size_t)(key - experiment_keys);
}

static void store_bytes(struct filler *filler, size_t offset, const void *value, size_t size)
{
    memcpy((char *)filler->base + offset, value, size);
}

/* Stores into a field of one, four or eight bytes. */
static void store_int(struct filler *filler, const struct key *key, int64_t value)
{
    int32_t narrow = (int32_t)value;
    bool truth = value != 0;

    switch (key->size) {
    case sizeof truth:
        store_bytes(filler, key->offset, &truth, sizeof truth);
        break;
    case sizeof narrow:
        store_bytes(filler, key->offset, &narrow, sizeof narrow);
        break;
    case sizeof value:
        store_bytes(filler, key->offset, &value, sizeof value);
        break;
    default:
        HS_ASSERT(key->size == 0);
    }
}

#define EXAMPLE_FORMAT "Write for instance `%s: %s`."
#define EXAMPLE(key)   experiment_key_name(key), (key)->example

bool experiment_fill_is_single(struct filler *filler, const struct key *key,
                               const struct tree_node *node)
{
    if (node->kind != TREE_SCALAR) {
        text_report_add(filler->report, node->place,
                        "'%s' takes a single value (%s), not a %s. " EXAMPLE_FORMAT, key->path,
                        experiment_key_type_text(key), node->kind == TREE_LIST ? "list" : "map",
                        EXAMPLE(key));
        return false;
    }
    if (text_tree_is_null(node)) {
        text_report_add(filler->report, node->place, "'%s' has no value. " EXAMPLE_FORMAT,
                        key->path, EXAMPLE(key));
        return false;
    }
    return true;
}

static void report_value(struct filler *filler, const struct key *key, const struct tree_node *node,
                         const char *allowed)
{
    text_report_add(filler->report, node->place, "'%s' is '%s', but allowed is %s. " EXAMPLE_FORMAT,
                    key->path, REPORT_CLIP(node->text), allowed, EXAMPLE(key));
}

static void report_range(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    char range[KEY_RANGE_MAX];

    experiment_key_range(key, range);
    report_value(filler, key, node, range);
}

/* Numbers and truth values are written without quotes. */
static bool is_unquoted(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    if (!node->is_plain) {
        text_report_add(filler->report, node->place,
                        "'%s' takes %s, but \"%s\" is a text in quotes. Remove the quotes.",
                        key->path, experiment_key_type_text(key), REPORT_CLIP(node->text));
    }
    return node->is_plain;
}

static bool read_int(struct filler *filler, const struct key *key, const struct tree_node *node,
                     int64_t *value)
{
    bool is_number;

    if (!experiment_fill_is_single(filler, key, node) || !is_unquoted(filler, key, node)) {
        return false;
    }
    if (text_units_parse_int(node->text, value, &is_number) && *value >= key->min &&
        *value <= key->max) {
        return true;
    }
    if (is_number) {
        report_range(filler, key, node);
    } else {
        report_value(filler, key, node, "an integer without unit, point or exponent");
    }
    return false;
}

static void fill_bool(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    bool is_true = strcmp(node->text, "true") == 0;

    if (!is_unquoted(filler, key, node)) {
        return;
    }
    if (is_true || strcmp(node->text, "false") == 0) {
        store_int(filler, key, is_true);
    } else {
        report_value(filler, key, node, "true or false");
    }
}

static void fill_double(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    double value;

    if (!is_unquoted(filler, key, node)) {
        return;
    }
    if (!text_units_parse_double(node->text, &value)) {
        report_value(filler, key, node, "a decimal number without unit");
    } else if (value > key->max_real || value < key->min_real ||
               (key->is_min_open && value <= key->min_real)) {
        report_range(filler, key, node);
    } else {
        store_bytes(filler, key->offset, &value, sizeof value);
    }
}

/* A duration or a size. */
static bool read_unit(struct filler *filler, const struct key *key, const struct tree_node *node,
                      enum units_kind kind, int64_t *value)
{
    const char *what = kind == UNITS_TIME ? "duration" : "size";
    const char *base = kind == UNITS_TIME ? "nanoseconds" : "bytes";
    const char *unit;

    switch (text_units_parse(kind, node->text, value, &unit)) {
    case UNITS_OK:
        if (*value >= key->min && *value <= key->max) {
            return true;
        }
        report_range(filler, key, node);
        break;
    case UNITS_TOO_LARGE:
        report_range(filler, key, node);
        break;
    case UNITS_TOO_FINE:
        text_report_add(filler->report, node->place,
                        "'%s' is '%s', which is no whole number of %s. " EXAMPLE_FORMAT, key->path,
                        REPORT_CLIP(node->text), base, EXAMPLE(key));
        break;
    case UNITS_BAD_UNIT:
        text_report_add(filler->report, node->place,
                        "'%s' is '%s', and '%s' is no unit of a %s. Units are %s; a number "
                        "without unit is in %s. " EXAMPLE_FORMAT,
                        key->path, REPORT_CLIP(node->text), REPORT_CLIP(unit), what,
                        text_units_list(kind), kind == UNITS_TIME ? "seconds" : "bytes",
                        EXAMPLE(key));
        break;
    case UNITS_NO_NUMBER:
        text_report_add(filler->report, node->place,
                        "'%s' is '%s', but a %s is a number and a unit (%s). " EXAMPLE_FORMAT,
                        key->path, REPORT_CLIP(node->text), what, text_units_list(kind),
                        EXAMPLE(key));
        break;
    }
    return false;
}

/* The choices in words: "kill, run, extend". */
static void list_choices(const struct key_choice *choices, char *text, size_t size)
{
    size_t used = 0;

    for (; choices->name && used < size; choices++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", choices->name);
    }
}

static const struct key_choice *find_choice(const struct key *key, const char *text)
{
    const struct key_choice *choice = key->choices;

    while (choice->name && strcmp(choice->name, text) != 0) {
        choice++;
    }
    return choice->name ? choice : NULL;
}

static void report_choice(struct filler *filler, const struct key *key,
                          const struct tree_node *node)
{
    const char *names[16];
    const char *nearest;
    char list[256] = "";
    size_t count = 0;

    while (key->choices[count].name && count < sizeof names / sizeof names[0]) {
        names[count] = key->choices[count].name;
        count++;
    }
    list_choices(key->choices, list, sizeof list);
    nearest = hs_nearest(node->text, names, count);
    text_report_add(filler->report, node->place, "'%s' is '%s', but allowed is %s%s.%s%s%s",
                    key->path, REPORT_CLIP(node->text), list,
                    key->type == KEY_CHOICE_TIME ? ", or a duration such as 12h" : "",
                    nearest ? " Did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static void fill_choice(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    const struct key_choice *choice = find_choice(key, node->text);
    int64_t duration = 0;

    if (!choice) {
        if (key->type == KEY_CHOICE) {
            report_choice(filler, key, node);
            return;
        }
        if (text_units_parse(UNITS_TIME, node->text, &duration, NULL) == UNITS_NO_NUMBER) {
            report_choice(filler, key, node);
            return;
        }
        if (!read_unit(filler, key, node, UNITS_TIME, &duration)) {
            return;
        }
    }
    store_int(filler, key, choice ? choice->value : key->duration_choice);
    if (key->type == KEY_CHOICE_TIME) {
        store_bytes(filler, key->offset_more, &duration, sizeof duration);
    }
}

/* A path that can be opened from here; NULL without memory. */
static const char *open_path(struct filler *filler, const char *written)
{
    const char *base = filler->experiment->base_dir;
    size_t base_length = strlen(base), length = strlen(written);
    char *path;

    if (*written == '/' || base_length == 0 || strcmp(base, ".") == 0) {
        return written;
    }
    path = text_arena_alloc(filler->arena, base_length + length + 2);
    if (path) {
        memcpy(path, base, base_length);
        path[base_length] = '/';
        memcpy(path + base_length + (base[base_length - 1] != '/'), written, length + 1);
    }
    return path;
}

static bool is_path(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    if (!*node->text) {
        text_report_add(filler->report, node->place, "'%s' is an empty text. " EXAMPLE_FORMAT,
                        key->path, EXAMPLE(key));
        return false;
    }
    return true;
}

static void fill_path(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    const char *path;

    if (is_path(filler, key, node)) {
        path = open_path(filler, node->text);
        filler->storage->written[key_index(key)] = node->text;
        store_bytes(filler, key->offset, &path, sizeof path);
    }
}

bool experiment_fill_is_file_name(struct filler *filler, const struct key *key,
                                  const struct tree_node *node)
{
    bool is_name =
        *node->text && *node->text != '.' && !strchr(node->text, '/') && strlen(node->text) <= 100;

    for (const char *at = node->text; *at; at++) {
        is_name = is_name && (unsigned char)*at >= 0x20 && *at != 0x7f;
    }
    if (!is_name) {
        report_value(filler, key, node,
                     "what can be part of a file name: 1 to 100 bytes without '/', not beginning "
                     "with '.'");
    }
    return is_name;
}

/* Nodes of a list; a single value is a list of one. */
static size_t list_count(const struct tree_node *node)
{
    return node->kind == TREE_LIST ? node->count : 1;
}

static const struct tree_node *list_next(const struct tree_node *node,
                                         const struct tree_entry **entry)
{
    const struct tree_node *value;

    if (node->kind != TREE_LIST) {
        return node;
    }
    *entry = *entry ? (*entry)->next : node->first;
    value = (*entry)->value;
    return value;
}

static void fill_list(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    size_t count = list_count(node), used = 0;
    const struct tree_entry *entry = NULL;
    bool is_paths = key->type == KEY_PATH_LIST;
    const char **paths = text_arena_alloc(filler->arena, (count + 1) * sizeof *paths);
    const char **written = text_arena_alloc(filler->arena, (count + 1) * sizeof *written);
    int32_t *numbers = text_arena_alloc(filler->arena, (count + 1) * sizeof *numbers);

    if (!paths || !written || !numbers) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct tree_node *item = list_next(node, &entry);
        int64_t number;

        if (is_paths) {
            if (experiment_fill_is_single(filler, key, item) && is_path(filler, key, item)) {
                written[used] = item->text;
                paths[used++] = open_path(filler, item->text);
            }
        } else if (read_int(filler, key, item, &number)) {
            numbers[used++] = (int32_t)number;
        }
    }
    store_bytes(filler, key->offset_more, &used, sizeof used);
    if (is_paths && used) {
        store_bytes(filler, key->offset, &paths, sizeof paths);
        filler->storage->written_lists[key_index(key)] = written;
    } else if (used) {
        store_bytes(filler, key->offset, &numbers, sizeof numbers);
    }
}

static void fill_scalar(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    int64_t value;

    if (text_tree_is_null(node) && experiment_key_is_nullable(key)) {
        return;
    }
    if (!experiment_fill_is_single(filler, key, node)) {
        return;
    }
    switch (key->type) {
    case KEY_BOOL:
        fill_bool(filler, key, node);
        break;
    case KEY_INT:
        if (read_int(filler, key, node, &value)) {
            store_int(filler, key, value);
        }
        break;
    case KEY_DOUBLE:
        fill_double(filler, key, node);
        break;
    case KEY_TIME:
    case KEY_BYTES:
        if (read_unit(filler, key, node, key->type == KEY_TIME ? UNITS_TIME : UNITS_BYTES,
                      &value)) {
            store_int(filler, key, value);
        }
        break;
    case KEY_STRING:
        if (!key->is_file_name || experiment_fill_is_file_name(filler, key, node)) {
            store_bytes(filler, key->offset, &node->text, sizeof node->text);
        }
        break;
    case KEY_PATH:
        fill_path(filler, key, node);
        break;
    default:
        fill_choice(filler, key, node);
        break;
    }
}

/* A map, its short form, or nothing where nothing means all defaults. */
static void fill_block(struct filler *filler, const struct key *key, const struct tree_node *node)
{
    if (key->size) {
        store_int(filler, key, true);
    }
    if (node->kind == TREE_MAP) {
        experiment_fill_map(filler, key, node);
    } else if (text_tree_is_null(node) && !key->one_of) {
        return;
    } else if (node->kind == TREE_SCALAR && key->short_form && !text_tree_is_null(node)) {
        const struct key *child = experiment_key_child(key, key->short_form);

        filler->seen[key_index(child)] = filler->seen[key_index(key)];
        filler->storage->places[key_index(child)] = node->place;
        fill_scalar(filler, child, node);
    } else if (text_tree_is_null(node)) {
        text_report_add(filler->report, node->place, "'%s' has no value. " EXAMPLE_FORMAT,
                        key->path, EXAMPLE(key));
    } else {
        text_report_add(filler->report, node->place, "'%s' takes %s, not a %s. " EXAMPLE_FORMAT,
                        key->path, experiment_key_type_text(key),
                        node->kind == TREE_LIST ? "list" : "single value", EXAMPLE(key));
    }
}

void experiment_fill_value(struct filler *filler, const struct key *key,
                           const struct tree_node *node)
{
    filler->storage->places[key_index(key)] = node->place;
    if (key->part == KEY_PART_SWEEP && key->type != KEY_INT) {
        return; /* read by itself (draft.h), and here it is null */
    }
    switch (key->type) {
    case KEY_MAP:
        fill_block(filler, key, node);
        break;
    case KEY_INT_LIST:
    case KEY_PATH_LIST:
        fill_list(filler, key, node);
        break;
    case KEY_MAP_LIST:
        experiment_fill_map_list(filler, key, node);
        break;
    case KEY_POLICY:
    case KEY_POLICY_LIST:
        experiment_fill_policies(filler, key, node);
        break;
    default:
        fill_scalar(filler, key, node);
        break;
    }
}

void experiment_fill_unknown(struct report *report, struct tree_place place,
                             const struct key *parent, const char *name)
{
    const char *names[KEY_COUNT_MAX];
    size_t count = experiment_key_children(parent, names);
    const char *nearest = hs_nearest(name, names, count);
    const struct key *elsewhere = experiment_key_find_name(name);
    char where[128] = "";
    char list[1024] = "";
    size_t used = 0;

    if (*parent->path) {
        (void)snprintf(where, sizeof where, " in '%s'", parent->path);
    }
    if (elsewhere) {
        text_report_add(report, place, "Unknown key '%s'%s. Its place is '%s': did you mean that?",
                        REPORT_CLIP(name), where, elsewhere->path);
        return;
    }
    if (nearest) {
        text_report_add(report, place, "Unknown key '%s'%s. Did you mean '%s'?", REPORT_CLIP(name),
                        where, nearest);
        return;
    }
    for (size_t i = 0; i < count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    text_report_add(report, place, "Unknown key '%s'%s. Allowed here: %s.", REPORT_CLIP(name),
                    where, list);
}

/* Exactly one of a group of children must be there. */
static void check_one_of(struct filler *filler, const struct key *parent,
                         const struct tree_node *map)
{
    const struct tree_entry *first = NULL;
    const struct key *example = NULL;

    for (size_t i = 0; parent->one_of && i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];
        const struct tree_entry *entry = filler->seen[i];

        if (!experiment_key_is_child(parent, key) ||
            !experiment_key_has_word(parent->one_of, experiment_key_name(key))) {
            continue;
        }
        if (first && entry) {
            bool is_later = entry->key_place.line > first->key_place.line ||
                            (entry->key_place.line == first->key_place.line &&
                             entry->key_place.column > first->key_place.column);

            text_report_add(filler->report, is_later ? entry->key_place : first->key_place,
                            "'%s' and '%s' exclude each other%s%s. Remove one of them.", first->key,
                            entry->key, *parent->path ? " in " : "", parent->path);
        }
        first = first ? first : entry;
        example = example ? example : key;
    }
    if (example && !first) {
        char names[64];

        (void)snprintf(names, sizeof names, "%s", parent->one_of);
        *strchr(names, ' ') = '\0';
        text_report_add(
            filler->report, map->place, "%s%s%s needs one of '%s' and '%s'. " EXAMPLE_FORMAT,
            *parent->path ? "'" : "An experiment", parent->path, *parent->path ? "'" : "", names,
            strchr(parent->one_of, ' ') + 1, EXAMPLE(example));
    }
}

/* Does the sibling that decides about the key give it no meaning? */
static void check_meaning(struct filler *filler, const struct key *parent, const struct key *key,
                          const struct tree_entry *entry)
{
    const struct key *sibling = experiment_key_child(parent, key->only_with);
    int value;

    memcpy(&value, (const char *)filler->base + sibling->offset, sizeof value);
    for (const struct key_choice *choice = sibling->choices; choice->name; choice++) {
        if (choice->value == value && value != key->only_value) {
            text_report_add(filler->report, entry->key_place,
                            "'%s' has no meaning with `%s: %s`. Remove it.", key->path,
                            key->only_with, choice->name);
        }
    }
}

/* What must, and what must not, stand beside what is given. */
static void check_presence(struct filler *filler, const struct key *parent,
                           const struct tree_node *map)
{
    check_one_of(filler, parent, map);
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];
        const struct tree_entry *entry = filler->seen[i];

        if (!experiment_key_is_child(parent, key)) {
            continue;
        }
        if (key->is_required && !entry) {
            text_report_add(filler->report, map->place,
                            "The key '%s' is missing. %s " EXAMPLE_FORMAT, key->path, key->doc,
                            EXAMPLE(key));
        }
        if (key->only_with && entry) {
            check_meaning(filler, parent, key, entry);
        }
        if (key->excludes && entry &&
            filler->seen[key_index(experiment_key_child(parent, key->excludes))]) {
            text_report_add(filler->report, entry->key_place,
                            "'%s' has no meaning beside '%s'. Remove one of them.", key->path,
                            key->excludes);
        }
    }
}

void experiment_fill_map(struct filler *filler, const struct key *parent,
                         const struct tree_node *map)
{
    for (const struct tree_entry *entry = map->first; entry; entry = entry->next) {
        const struct key *key = experiment_key_child(parent, entry->key);

        if (!key) {
            experiment_fill_unknown(filler->report, entry->key_place, parent, entry->key);
            continue;
        }
        filler->seen[key_index(key)] = entry;
        experiment_fill_value(filler, key, entry->value);
    }
    check_presence(filler, parent, map);
}

void experiment_fill_default(struct filler *filler, const struct key *key)
{
    if (key->fallback && strcmp(key->fallback, "[]") != 0) {
        struct tree_node node = {.kind = TREE_SCALAR, .is_plain = true, .text = key->fallback};

        fill_scalar(filler, key, &node);
    }
}

/* One run cannot be many: the other keys of a file with a sweep need not make an experiment. */
static bool is_sweep(struct filler *filler, const struct tree_node *root)
{
    const struct tree_entry *entry = text_tree_find(root, "sweep");

    if (!entry || text_tree_is_null(entry->value)) {
        return false;
    }
    text_report_add(filler->report, entry->key_place,
                    "'sweep' makes many runs of this experiment, and here is one due. Run `hsim "
                    "sweep %s -o FOLDER`, or leave it out with --set sweep=null.",
                    filler->report->path);
    return true;
}

void experiment_fill(struct filler *filler, const struct tree_node *root)
{
    if (is_sweep(filler, root)) {
        return;
    }
    for (size_t i = 1; i < experiment_key_count; i++) {
        if (!experiment_key_list(&experiment_keys[i]) &&
            experiment_keys[i].part != KEY_PART_SWEEP) {
            experiment_fill_default(filler, &experiment_keys[i]);
        }
    }
    experiment_fill_map(filler, &experiment_keys[0], root);
    experiment_fill_relations(filler);
}
