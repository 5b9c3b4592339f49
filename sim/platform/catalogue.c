/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue.c - the catalogue as a whole: where it lies, its files, and its names. */
#include "platform/catalogue.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/catalogue_internal.h"
#include "platform/locate.h"
#include "text/file.h"

struct catalogue *catalogue_create(void)
{
    return calloc(1, sizeof(struct catalogue));
}

void catalogue_destroy(struct catalogue *catalogue)
{
    if (catalogue) {
        text_arena_fini(&catalogue->arena);
        free(catalogue->devices);
        name_index_fini(&catalogue->names);
        free(catalogue);
    }
}

static void report_shared_name(const struct catalogue *catalogue, struct report *report,
                               const struct name_entry *first, const struct name_entry *second)
{
    const struct catalogue_device *old = &catalogue->devices[first->index];
    const struct catalogue_device *new = &catalogue->devices[second->index];
    struct tree_place place = {.line = strcmp(new->path, report->path) == 0 ? new->line : 0,
                               .column = 1};

    text_report_add(report, place,
                    "'%s' names both '%s' and '%s' (described in %s:%d). Give one of the two "
                    "another name, or write `model: %s` to change the known entry.",
                    REPORT_CLIP(second->text), new->model, old->model, old->path, old->line,
                    old->model);
}

/* All models and aliases; two entries of one name are a problem. */
static bool index_names(struct catalogue *catalogue, struct report *report)
{
    struct name_index *names = &catalogue->names;
    size_t count = 0;

    for (size_t i = 0; i < catalogue->count; i++) {
        count += 1 + catalogue->devices[i].alias_count;
    }
    if (!name_index_begin(names, count)) {
        return false;
    }
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_device *device = &catalogue->devices[i];

        name_index_add(names, device->model, i);
        for (size_t k = 0; k < device->alias_count; k++) {
            name_index_add(names, device->aliases[k], i);
        }
    }
    name_index_sort(names);
    for (size_t i = 1; i < count; i++) {
        if (name_index_is_shared(names, i)) {
            report_shared_name(catalogue, report, &names->names[i - 1], &names->names[i]);
        }
    }
    return true;
}

enum hs_err catalogue_add_text(struct catalogue *catalogue, const char *text, size_t length,
                               const char *path, struct hs_error *error)
{
    struct report report = {.path = text_arena_copy(&catalogue->arena, path, strlen(path))};
    enum hs_err err = HS_OK;
    char *problems = NULL;

    if (report.path) {
        catalogue_read(catalogue, &report, text, length);
    }
    if (catalogue->arena.has_failed || report.has_failed ||
        (report.count == 0 && !index_names(catalogue, &report))) {
        err = hs_error_memory(error);
    } else if (report.count) {
        problems = text_report_text(&report);
        err = problems ? hs_error_set(error, HS_ERR_INPUT, "%s", problems) : hs_error_memory(error);
    }
    free(problems);
    text_report_fini(&report);
    return err;
}

enum hs_err catalogue_add_file(struct catalogue *catalogue, const char *path,
                               struct hs_error *error)
{
    static const struct text_file_words words = {"device catalogue", "", HS_ERR_INPUT};
    size_t length;
    char *text;
    enum hs_err err = text_file_read(path, &words, &text, &length, error);

    if (err == HS_OK) {
        err = catalogue_add_text(catalogue, text, length, path, error);
    }
    free(text);
    return err;
}

enum hs_err catalogue_locate(char *path, struct hs_error *error)
{
    return locate_shipped("device catalogue", CATALOGUE_FILE, CATALOGUE_VARIABLE, path, error);
}

enum hs_err catalogue_load(const char *extra, struct catalogue **catalogue, struct hs_error *error)
{
    char path[PATH_MAX];
    enum hs_err err = catalogue_locate(path, error);

    *catalogue = NULL;
    if (err != HS_OK) {
        return err;
    }
    *catalogue = catalogue_create();
    if (!*catalogue) {
        return hs_error_memory(error);
    }
    err = catalogue_add_file(*catalogue, path, error);
    if (err == HS_OK && extra) {
        err = catalogue_add_file(*catalogue, extra, error);
    }
    if (err != HS_OK) {
        catalogue_destroy(*catalogue);
        *catalogue = NULL;
    }
    return err;
}

size_t catalogue_count(const struct catalogue *catalogue)
{
    return catalogue->count;
}

const struct catalogue_device *catalogue_device(const struct catalogue *catalogue, size_t index)
{
    HS_ASSERT(index < catalogue->count);
    return &catalogue->devices[index];
}

const struct catalogue_device *catalogue_find(const struct catalogue *catalogue, const char *name)
{
    size_t device;

    return name_index_find(&catalogue->names, name, &device) ? &catalogue->devices[device] : NULL;
}

const char *catalogue_nearest(const struct catalogue *catalogue, const char *name)
{
    return name_index_nearest(&catalogue->names, name);
}
