/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_list.c - lists of maps: each fills an element of an array; and what the classes of the model
 * `mix` must be. */
#include <string.h>

#include "experiment/fill.h"
#include "workload/demand_text.h"

#define ITEM_MAX 10000

/* Keys of the list as if nothing had been given, with their defaults. */
static void item_begin(struct filler *filler, const struct key *list)
{
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (experiment_key_list(key) == list) {
            filler->seen[i] = NULL;
            filler->storage->places[i] = (struct tree_place){0};
            experiment_fill_default(filler, key);
        }
    }
}

static struct tree_place place_of(const struct filler *filler, const char *path,
                                  struct tree_place otherwise)
{
    size_t index = (size_t)(experiment_key_find(path) - experiment_keys);

    return filler->seen[index] ? filler->storage->places[index] : otherwise;
}

static void check_demand(struct filler *filler, const struct workload_class *class,
                         struct tree_place place)
{
    struct workload_names *names = workload_names_create(NULL);
    struct demand_options options;
    struct hs_error error = {0};

    if (!names) {
        filler->arena->has_failed = true;
        return;
    }
    if (demand_text_parse(class->demand, strlen(class->demand), names, &options, &error)) {
        text_report_add(filler->report, place, "The demand of class '%s', '%s', is wrong: %s.",
                        class->name ? REPORT_CLIP(class->name) : "?", REPORT_CLIP(class->demand),
                        error.text);
    }
    workload_names_destroy(names);
}

static void check_run(struct filler *filler, const struct workload_class *class,
                      struct tree_place place)
{
    bool is_uniform = class->run.distribution == WORKLOAD_RUN_UNIFORM;
    const char *problem = NULL;

    if (is_uniform && (class->run.mean_ns != 0 || class->run.max_ns == 0)) {
        problem = "A uniform run time has `min` and `max`, and no `mean`.";
    } else if (!is_uniform && class->run.mean_ns == 0) {
        problem = "The run time has no `mean`. Write for instance `run: {mean: 2h}`.";
    } else if (class->run.max_ns != 0 && class->run.max_ns < class->run.min_ns) {
        problem = "`max` is below `min`.";
    }
    if (problem) {
        text_report_add(filler->report, place_of(filler, "workload.generate.classes.run", place),
                        "%s", problem);
    }
}

static void check_class(struct filler *filler, const struct workload_class *classes, size_t index,
                        struct tree_place place)
{
    const struct workload_class *class = &classes[index];

    for (size_t i = 0; i < index && class->name; i++) {
        if (classes[i].name && strcmp(classes[i].name, class->name) == 0) {
            text_report_add(filler->report,
                            place_of(filler, "workload.generate.classes.name", place),
                            "Class %zu has the name of class %zu, '%s'. Give it another.",
                            index + 1, i + 1, REPORT_CLIP(class->name));
            break;
        }
    }
    if (class->demand) {
        check_demand(filler, class, place_of(filler, "workload.generate.classes.demand", place));
    }
    if (filler->seen[experiment_key_find("workload.generate.classes.run") - experiment_keys]) {
        check_run(filler, class, place);
    }
}

void experiment_fill_map_list(struct filler *filler, const struct key *key,
                              const struct tree_node *node)
{
    size_t count = node->kind == TREE_LIST ? node->count : 0, used = 0;
    const struct tree_entry *entry = node->first;
    void *outer = filler->base;
    char *items;

    if (count == 0 || count > ITEM_MAX) {
        text_report_add(filler->report, node->place,
                        "'%s' takes %s, 1 to %d of them. Write for instance `%s: %s`.", key->path,
                        experiment_key_type_text(key), ITEM_MAX, experiment_key_name(key),
                        key->example);
        return;
    }
    items = text_arena_alloc(filler->arena, count * key->item_size);
    if (!items) {
        return;
    }
    for (; used < count; used++, entry = entry->next) {
        const struct tree_node *item = entry->value;

        filler->base = items + used * key->item_size;
        item_begin(filler, key);
        if (item->kind == TREE_MAP) {
            experiment_fill_map(filler, key, item);
            if (strcmp(key->path, "workload.generate.classes") == 0) {
                check_class(filler, (const struct workload_class *)(void *)items, used,
                            item->place);
            }
        } else {
            text_report_add(filler->report, item->place,
                            "'%s' takes maps, but entry %zu is none. Write for instance "
                            "`%s: %s`.",
                            key->path, used + 1, experiment_key_name(key), key->example);
        }
    }
    filler->base = outer;
    memcpy((char *)outer + key->offset, &items, sizeof items);
    memcpy((char *)outer + key->offset_more, &count, sizeof count);
}
