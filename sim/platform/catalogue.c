/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue.c - the catalogue as a whole: where it lies, its files, and its names. */
#include "platform/catalogue.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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
        free(catalogue->names);
        free(catalogue);
    }
}

/* Names of one spelling stand in the order of their entries. */
static int compare_names(const void *left, const void *right)
{
    const struct catalogue_name *a = left;
    const struct catalogue_name *b = right;
    int order = strcasecmp(a->text, b->text);

    return order ? order : (a->device > b->device) - (a->device < b->device);
}

static void report_shared_name(const struct catalogue *catalogue, struct report *report,
                               const struct catalogue_name *first,
                               const struct catalogue_name *second)
{
    const struct catalogue_device *old = &catalogue->devices[first->device];
    const struct catalogue_device *new = &catalogue->devices[second->device];
    struct tree_place place = {.line = strcmp(new->path, report->path) == 0 ? new->line : 0,
                               .column = 1};

    text_report_add(report, place,
                    "'%s' names both '%s' and '%s' (described in %s:%d). Give one of the two "
                    "another name, or write `model: %s` to change the known entry.",
                    REPORT_CLIP(second->text), new->model, old->model, old->path, old->line,
                    old->model);
}

/* Sorts all models and aliases; two entries of one name are a problem. */
static bool index_names(struct catalogue *catalogue, struct report *report)
{
    size_t count = 0;

    for (size_t i = 0; i < catalogue->count; i++) {
        count += 1 + catalogue->devices[i].alias_count;
    }
    free(catalogue->names);
    catalogue->name_count = 0;
    catalogue->names = calloc(count ? count : 1, sizeof *catalogue->names);
    if (!catalogue->names) {
        return false;
    }
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_device *device = &catalogue->devices[i];

        catalogue->names[catalogue->name_count++] = (struct catalogue_name){device->model, i};
        for (size_t k = 0; k < device->alias_count; k++) {
            catalogue->names[catalogue->name_count++] =
                (struct catalogue_name){device->aliases[k], i};
        }
    }
    qsort(catalogue->names, count, sizeof *catalogue->names, compare_names);
    for (size_t i = 1; i < count; i++) {
        const struct catalogue_name *name = &catalogue->names[i];

        if (name->device != name[-1].device && strcasecmp(name->text, name[-1].text) == 0) {
            report_shared_name(catalogue, report, name - 1, name);
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
    size_t low = 0;
    size_t high = catalogue->name_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcasecmp(name, catalogue->names[middle].text);

        if (order == 0) {
            return &catalogue->devices[catalogue->names[middle].device];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const char *catalogue_nearest(const struct catalogue *catalogue, const char *name)
{
    const char **names = calloc(catalogue->name_count + 1, sizeof *names);
    const char *near = NULL;

    for (size_t i = 0; names && i < catalogue->name_count; i++) {
        names[i] = catalogue->names[i].text;
    }
    if (names) {
        near = hs_nearest(name, names, catalogue->name_count);
    }
    free(names);
    return near;
}
