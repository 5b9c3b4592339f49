/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.c - the class library as a whole: its files, its names, its fallbacks. */
#include "speed/library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "platform/locate.h"
#include "speed/library_internal.h"
#include "text/file.h"

const char *const library_fallbacks[] = {"none", "bandwidth", "fp64", "fp32", "half", NULL};

struct speed_library *speed_library_create(void)
{
    return calloc(1, sizeof(struct speed_library));
}

void speed_library_destroy(struct speed_library *library)
{
    if (library) {
        text_arena_fini(&library->arena);
        free(library->classes);
        name_index_fini(&library->names);
        free(library);
    }
}

/* All names and aliases; two classes of one name are a problem of the later. */
static bool index_names(struct speed_library *library, struct report *report)
{
    struct name_index *names = &library->names;
    size_t count = 0;

    for (size_t i = 0; i < library->count; i++) {
        count += 1 + library->classes[i].alias_count;
    }
    if (!name_index_begin(names, count)) {
        return false;
    }
    for (size_t i = 0; i < library->count; i++) {
        const struct speed_class *class = &library->classes[i];

        name_index_add(names, class->name, i);
        for (size_t k = 0; k < class->alias_count; k++) {
            name_index_add(names, class->aliases[k], i);
        }
    }
    name_index_sort(names);
    for (size_t i = 1; i < count; i++) {
        const struct name_entry *name = &names->names[i];
        const struct speed_class *new = &library->classes[name->index];
        const struct speed_class *old = &library->classes[name[-1].index];

        if (name_index_is_shared(names, i)) {
            text_report_add(report, (struct tree_place){.line = new->line, .column = 1},
                            "'%s' names both '%s' and '%s' (%s:%d). Give one of the two another "
                            "name.",
                            REPORT_CLIP(name->text), new->name, old->name, old->path, old->line);
        }
    }
    return true;
}

enum hs_err speed_library_add_text(struct speed_library *library, const char *text, size_t length,
                                   const char *path, const struct catalogue *catalogue,
                                   struct hs_error *error)
{
    struct report report = {.path = text_arena_copy(&library->arena, path, strlen(path))};
    enum hs_err err = HS_OK;
    char *problems = NULL;

    if (report.path) {
        library_read(library, catalogue, &report, text, length);
    }
    if (library->arena.has_failed || report.has_failed ||
        (report.count == 0 && !index_names(library, &report))) {
        err = hs_error_memory(error);
    } else if (report.count) {
        problems = text_report_text(&report);
        err = problems ? hs_error_set(error, HS_ERR_INPUT, "%s", problems) : hs_error_memory(error);
    }
    free(problems);
    text_report_fini(&report);
    return err;
}

enum hs_err speed_library_add_file(struct speed_library *library, const char *path,
                                   const struct catalogue *catalogue, struct hs_error *error)
{
    static const struct text_file_words words = {"class library", "", HS_ERR_INPUT};
    size_t length;
    char *text;
    enum hs_err err = text_file_read(path, &words, &text, &length, error);

    if (err == HS_OK) {
        err = speed_library_add_text(library, text, length, path, catalogue, error);
    }
    free(text);
    return err;
}

enum hs_err speed_library_locate(char *path, struct hs_error *error)
{
    return locate_shipped("class library", SPEED_LIBRARY_FILE, SPEED_LIBRARY_VARIABLE, path, error);
}

enum hs_err speed_library_load(const char *const *files, size_t file_count,
                               const struct catalogue *catalogue, struct speed_library **library,
                               struct hs_error *error)
{
    char path[PATH_MAX];
    enum hs_err err = speed_library_locate(path, error);

    *library = NULL;
    if (err != HS_OK) {
        return err;
    }
    *library = speed_library_create();
    if (!*library) {
        return hs_error_memory(error);
    }
    err = speed_library_add_file(*library, path, catalogue, error);
    for (size_t i = 0; err == HS_OK && i < file_count; i++) {
        err = speed_library_add_file(*library, files[i], catalogue, error);
    }
    if (err != HS_OK) {
        speed_library_destroy(*library);
        *library = NULL;
    }
    return err;
}

size_t speed_library_count(const struct speed_library *library)
{
    return library->count;
}

const struct speed_class *speed_library_class(const struct speed_library *library, size_t index)
{
    HS_ASSERT(index < library->count);
    return &library->classes[index];
}

const struct speed_class *speed_library_find(const struct speed_library *library, const char *name)
{
    size_t index;

    return name_index_find(&library->names, name, &index) ? &library->classes[index] : NULL;
}

const char *speed_library_nearest(const struct speed_library *library, const char *name)
{
    return name_index_nearest(&library->names, name);
}

const char *speed_fallback_name(enum speed_fallback fallback)
{
    return library_fallbacks[fallback];
}

/* The figure of a fallback, and the fraction of it that was measured; 0: not stated. */
static double figure_of(enum speed_fallback fallback, const struct catalogue_device *device,
                        double *fraction)
{
    double plain = device->peak_flops[CATALOGUE_FP64];
    double matrix = device->peak_flops[CATALOGUE_FP64_MATRIX];

    *fraction = 0;
    switch (fallback) {
    case SPEED_FALLBACK_BANDWIDTH:
        *fraction = device->efficiency[CATALOGUE_STREAM];
        return device->mem_bandwidth;
    case SPEED_FALLBACK_FP64:
        return plain > matrix ? plain : matrix;
    case SPEED_FALLBACK_FP32:
        return device->peak_flops[CATALOGUE_FP32];
    case SPEED_FALLBACK_HALF:
        *fraction = device->efficiency[CATALOGUE_MATMUL];
        return catalogue_peak_half(device);
    case SPEED_FALLBACK_NONE:
        break;
    }
    return 0;
}

bool speed_fallback_ratio(enum speed_fallback fallback, const struct catalogue_device *device,
                          const struct catalogue_device *reference, bool has_fractions,
                          double *ratio)
{
    double device_fraction;
    double reference_fraction;
    double value = figure_of(fallback, device, &device_fraction);
    double base = figure_of(fallback, reference, &reference_fraction);

    if (!(value > 0 && base > 0)) {
        return false;
    }
    if (has_fractions && device_fraction > 0 && reference_fraction > 0) {
        value *= device_fraction;
        base *= reference_fraction;
    }
    *ratio = value / base;
    return true;
}

void speed_library_explain(FILE *file)
{
    for (size_t i = 0; i < library_key_count; i++) {
        fprintf(file, "  %-12s %s\n               %s: %s\n", library_keys[i].name,
                library_keys[i].doc, library_keys[i].name, library_keys[i].example);
    }
}
