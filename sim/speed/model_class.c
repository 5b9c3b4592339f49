/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_class.c - factors of a job class: from its values, its reference and the units. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "speed/model_internal.h"
#include "speed/throughput.h"

void model_class_fini(struct model_class *class)
{
    free(class->name);
    free(class->scales);
    free(class->factors);
    *class = (struct model_class){0};
}

const char *model_canonical(const struct speed_model *model, const char *name)
{
    const struct catalogue_device *device =
        model->options.catalogue ? catalogue_find(model->options.catalogue, name) : NULL;

    return device ? device->model : name;
}

static bool is_same(const char *left, const char *right)
{
    return strcasecmp(left, right) == 0;
}

/* The value of a model at a scale; NULL: there is none. */
static const struct speed_entry *value_at(const struct speed_class *class, const char *model,
                                          int64_t scale)
{
    for (size_t i = 0; i < class->entry_count; i++) {
        if (class->entries[i].scale == scale && is_same(class->entries[i].model, model)) {
            return &class->entries[i];
        }
    }
    return NULL;
}

/* The scale at which `model` is compared with the reference for jobs of `scale`: of those that both
 * have the largest that is not above, else the smallest. 0: none. */
static int64_t common_scale(const struct speed_class *class, const char *model,
                            const char *reference, int64_t scale)
{
    int64_t below = 0;
    int64_t above = INT64_MAX;

    for (size_t i = 0; i < class->entry_count; i++) {
        const struct speed_entry *entry = &class->entries[i];
        const struct speed_entry *base;

        if (!is_same(entry->model, model)) {
            continue;
        }
        base = value_at(class, reference, entry->scale);
        if (!base || !(base->value > 0)) {
            continue;
        }
        if (entry->scale <= scale) {
            below = entry->scale > below ? entry->scale : below;
        } else {
            above = entry->scale < above ? entry->scale : above;
        }
    }
    return below ? below : above < INT64_MAX ? above : 0;
}

/* Time on `unit` over time on the reference as measured; 0: it cannot run there. False: no value.
 */
static bool measured_ratio(const struct speed_class *class, const char *unit, const char *reference,
                           int64_t scale, double *ratio)
{
    int64_t common = common_scale(class, unit, reference, scale);
    double value;
    double base;

    *ratio = 1;
    if (is_same(unit, reference)) {
        return true;
    }
    if (!common) {
        return false;
    }
    value = value_at(class, unit, common)->value;
    base = value_at(class, reference, common)->value;
    *ratio = !(value > 0) ? 0 : class->is_rate ? base / value : value / base;
    return true;
}

/* How far apart two speeds are: the larger over the smaller. */
static double distance_of(double ratio)
{
    return ratio < 1 ? 1 / ratio : ratio;
}

/* By the fallback of the class: from the measured model of the same kind whose peak is nearest,
 * of equally near ones the reference, else the first; if there is none, from the reference, but not
 * between processors and devices: their values count nodes, their figures sockets. 0: it cannot run
 * there. */
static double fallback_ratio(const struct speed_class *class, const struct catalogue *catalogue,
                             const char *unit, const char *reference, int64_t scale)
{
    const struct catalogue_device *device = catalogue_find(catalogue, unit);
    const struct catalogue_device *base = catalogue_find(catalogue, reference);
    double nearest = INFINITY;
    double found = 0;
    double figures;
    double peaks;

    for (size_t i = 0; device && i < class->entry_count; i++) {
        const struct catalogue_device *other = catalogue_find(catalogue, class->entries[i].model);
        double measured;

        if (other && strcmp(other->kind, device->kind) == 0 &&
            measured_ratio(class, other->model, reference, scale, &measured) && measured > 0 &&
            speed_fallback_ratio(class->fallback, device, other, true, &figures) &&
            speed_fallback_ratio(class->fallback, device, other, false, &peaks) &&
            distance_of(peaks) <= nearest && (distance_of(peaks) < nearest || other == base)) {
            nearest = distance_of(peaks);
            found = measured / figures;
        }
    }
    if (found > 0 || !device || !base || strcmp(device->kind, "cpu") == 0 ||
        strcmp(base->kind, "cpu") == 0 ||
        !speed_fallback_ratio(class->fallback, device, base, true, &figures)) {
        return found;
    }
    return 1 / figures;
}

/* Time on `unit` over time on the reference; 0: it cannot run there. */
static double ratio_of(const struct speed_model *model, const struct speed_class *class,
                       const char *unit, const char *reference, int64_t scale)
{
    double ratio;

    if (measured_ratio(class, unit, reference, scale, &ratio)) {
        return ratio;
    }
    if (class->fallback == SPEED_FALLBACK_NONE || !model->options.catalogue) {
        return 0;
    }
    return fallback_ratio(class, model->options.catalogue, unit, reference, scale);
}

static int compare_scales(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;

    return (*a > *b) - (*a < *b);
}

static bool list_scales(const struct speed_class *class, struct model_class *made)
{
    size_t kept = 0;

    made->scales = calloc(class->entry_count, sizeof *made->scales);
    if (!made->scales) {
        return false;
    }
    for (size_t i = 0; i < class->entry_count; i++) {
        made->scales[i] = class->entries[i].scale;
    }
    qsort(made->scales, class->entry_count, sizeof *made->scales, compare_scales);
    for (size_t i = 0; i < class->entry_count; i++) {
        if (!kept || made->scales[i] != made->scales[kept - 1]) {
            made->scales[kept++] = made->scales[i];
        }
    }
    made->scale_count = kept;
    return true;
}

static enum hs_err fill(const struct speed_model *model, const struct speed_class *class,
                        const char *reference, struct model_class *made, struct hs_error *error)
{
    if (!list_scales(class, made)) {
        return hs_error_memory(error);
    }
    made->factors = calloc(made->scale_count * model->unit_count, sizeof *made->factors);
    if (!made->factors) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < made->scale_count; i++) {
        for (uint32_t unit = 0; unit < model->unit_count; unit++) {
            double ratio = ratio_of(model, class, model->units[unit], reference, made->scales[i]);

            if (ratio > 0 && !(ratio >= 1 / SPEED_RATIO_MAX && ratio <= SPEED_RATIO_MAX)) {
                return hs_error_set(error, HS_ERR_CONFIG,
                                    "The job class '%s' is %g times as slow on '%s' as on its "
                                    "reference '%s'; a millionth to a million is allowed.",
                                    class->name, ratio, model->units[unit], reference);
            }
            made->factors[i * model->unit_count + unit] =
                (speed_factor)llround(ratio * (double)SPEED_ONE);
        }
    }
    return HS_OK;
}

/* The values of a job type of the throughput table as a class; its entries are the caller's to
 * free. False: no memory. */
static bool class_of_table(const struct speed_model *model, const char *name,
                           struct speed_class *class)
{
    const struct throughput_table *table = model->options.throughputs;
    size_t workers = throughput_worker_count(table);

    *class = (struct speed_class){.name = name, .is_rate = true};
    for (size_t i = 0; i < throughput_row_count(table); i++) {
        const struct throughput_row *row = throughput_row_at(table, i);
        struct speed_entry *moved;

        if (strcmp(row->job_type, name) != 0) {
            continue;
        }
        moved = realloc(class->entries, (class->entry_count + workers) * sizeof *moved);
        if (!moved) {
            return false;
        }
        class->entries = moved;
        for (size_t k = 0; k < workers; k++) {
            moved[class->entry_count++] = (struct speed_entry){
                .model = model_canonical(model, throughput_worker_name(table, k)),
                .scale = row->scale_factor,
                .value = row->steps_per_s[k],
            };
        }
    }
    class->reference = model_canonical(model, throughput_worker_name(table, 0));
    return true;
}

static enum hs_err unknown_class(const struct speed_model *model, const char *name,
                                 struct hs_error *error)
{
    const char *near = NULL;

    if (model->options.throughputs) {
        near = throughput_nearest(model->options.throughputs, name);
    }
    if (!near && model->options.library) {
        near = speed_library_nearest(model->options.library, name);
    }
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "The job class '%s' is in no throughput table and in no class library%s%s%s "
        "`hsim classes` lists those that come with hsim; name files with "
        "more in `speeds.classes`.",
        name, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "");
}

/* Has the class a value above 0 for the reference? */
static enum hs_err check_reference(const struct speed_class *class, const char *reference,
                                   struct hs_error *error)
{
    char list[512] = "";

    for (size_t i = 0; i < class->entry_count; i++) {
        size_t length = strlen(list);

        if (class->entries[i].value > 0 && is_same(class->entries[i].model, reference)) {
            return HS_OK;
        }
        if (!strstr(list, class->entries[i].model) &&
            length + strlen(class->entries[i].model) + 3 < sizeof list) {
            (void)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "",
                           class->entries[i].model);
        }
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "The job class '%s' has no measured value on the reference '%s', to which "
                        "its speeds would relate; it has those of %s. Name one of them as "
                        "`speeds.reference`, or leave that key out: then each class has its own.",
                        class->name, reference, list);
}

enum hs_err model_class_find(const struct speed_model *model, const char *name,
                             struct model_class *found, struct hs_error *error)
{
    struct speed_class of_table = {0};
    const struct speed_class *class = NULL;
    const char *reference;
    enum hs_err err = HS_OK;

    *found = (struct model_class){.name = strdup(name)};
    if (!found->name || (model->options.throughputs && !class_of_table(model, name, &of_table))) {
        err = hs_error_memory(error);
    } else if (of_table.entry_count) {
        class = &of_table;
    } else if (model->options.library) {
        class = speed_library_find(model->options.library, name);
    }
    if (err == HS_OK && !class) {
        err = unknown_class(model, name, error);
    }
    if (err == HS_OK) {
        reference = model->reference ? model->reference : class->reference;
        err = check_reference(class, reference, error);
        err = err == HS_OK ? fill(model, class, reference, found, error) : err;
    }
    free(of_table.entries);
    if (err != HS_OK) {
        model_class_fini(found);
    }
    return err;
}
