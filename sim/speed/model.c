/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - times of jobs on allocations and on classes of nodes. */
#include "speed/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed/mark.h"
#include "speed/model_internal.h"

hs_time speed_scale(hs_time time_ns, speed_factor factor)
{
    hs_int128 scaled;

    if (time_ns == HS_TIME_NEVER || time_ns <= 0) {
        return time_ns;
    }
    scaled = ((hs_int128)time_ns * (hs_int128)factor + (hs_int128)(SPEED_ONE / 2)) /
             (hs_int128)SPEED_ONE;
    if (scaled < 1) {
        return 1;
    }
    return scaled < HS_TIME_NEVER ? (hs_time)scaled : HS_TIME_NEVER - 1;
}

/* The units: models of devices by their numbers, then the distinct models of processors. */
static bool list_units(struct speed_model *model)
{
    const struct speed_options *options = &model->options;

    model->device_units = hs_cluster_model_count(options->cluster);
    model->units = calloc((size_t)model->device_units + model->node_count, sizeof *model->units);
    model->processor_of_node = calloc(model->node_count, sizeof *model->processor_of_node);
    if (!model->units || !model->processor_of_node) {
        return false;
    }
    for (uint32_t i = 0; i < model->device_units; i++) {
        model->units[i] = hs_cluster_model_name(options->cluster, (uint16_t)i);
    }
    model->unit_count = model->device_units;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const char *name = options->node_models && options->node_models[i] ? options->node_models[i]
                                                                           : SPEED_UNKNOWN_MODEL;
        uint32_t unit = model->device_units;

        while (unit < model->unit_count && strcmp(model->units[unit], name) != 0) {
            unit++;
        }
        model->units[unit] = name;
        model->unit_count += unit == model->unit_count;
        model->processor_of_node[i] = unit;
    }
    return true;
}

static bool is_like(const struct hs_device *left, const struct hs_device *right)
{
    return left->kind == right->kind && left->model == right->model &&
           left->features == right->features;
}

static bool has_like(const struct hs_cluster *cluster, const struct model_node_class *class,
                     const struct hs_device *device)
{
    for (uint32_t i = 0; i < class->device_count; i++) {
        if (is_like(hs_cluster_device(cluster, class->devices[i]), device)) {
            return true;
        }
    }
    return false;
}

/* One device of each sort that the node has. */
static bool describe_node(const struct speed_model *model, uint32_t index,
                          struct model_node_class *class)
{
    const struct hs_cluster *cluster = model->options.cluster;
    const struct hs_node *node = hs_cluster_node(cluster, index);

    *class = (struct model_node_class){.processor = model->processor_of_node[index],
                                       .cluster_class = node->class_index};
    class->devices = calloc(node->device_count + 1, sizeof *class->devices);
    for (uint32_t i = 0; class->devices && i < node->device_count; i++) {
        if (!has_like(cluster, class, hs_cluster_device(cluster, node->first_device + i))) {
            class->devices[class->device_count++] = node->first_device + i;
        }
    }
    return class->devices != NULL;
}

static bool is_equal(const struct hs_cluster *cluster, const struct model_node_class *left,
                     const struct model_node_class *right)
{
    if (left->processor != right->processor || left->device_count != right->device_count) {
        return false;
    }
    for (uint32_t i = 0; i < right->device_count; i++) {
        if (!has_like(cluster, left, hs_cluster_device(cluster, right->devices[i]))) {
            return false;
        }
    }
    return true;
}

/* The class of a node among those so far, or a new one. */
static bool classify(struct speed_model *model, uint32_t index)
{
    const struct hs_cluster *cluster = model->options.cluster;
    struct model_node_class class;
    struct model_node_class *moved;
    uint32_t found = 0;

    if (!describe_node(model, index, &class)) {
        return false;
    }
    while (found < model->class_count && !is_equal(cluster, &model->node_classes[found], &class)) {
        found++;
    }
    model->class_of_node[index] = found;
    if (found < model->class_count) {
        free(class.devices);
        return true;
    }
    moved = realloc(model->node_classes, (found + 1) * sizeof *moved);
    if (!moved) {
        free(class.devices);
        return false;
    }
    model->node_classes = moved;
    moved[found] = class;
    model->class_count++;
    return true;
}

static bool list_classes(struct speed_model *model)
{
    model->class_of_node = calloc(model->node_count, sizeof *model->class_of_node);
    if (!model->class_of_node) {
        return false;
    }
    if (model->options.etc_s) {
        model->class_count = model->node_count;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        const struct hs_cluster *cluster = model->options.cluster;

        if (model->options.etc_s) {
            model->class_of_node[i] = i;
        } else if (i && model->processor_of_node[i] == model->processor_of_node[i - 1] &&
                   hs_cluster_node(cluster, i)->class_index ==
                       hs_cluster_node(cluster, i - 1)->class_index) {
            model->class_of_node[i] = model->class_of_node[i - 1];
        } else if (!classify(model, i)) {
            return false;
        }
    }
    return true;
}

enum hs_err speed_model_create(const struct speed_options *options, struct speed_model **model,
                               struct hs_error *error)
{
    struct speed_model *made = calloc(1, sizeof *made);
    const struct catalogue *catalogue = options->catalogue;

    *model = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    made->options = *options;
    made->node_count = hs_cluster_node_count(options->cluster);
    if (options->reference && catalogue && !catalogue_find(catalogue, options->reference)) {
        const char *near = catalogue_nearest(catalogue, options->reference);

        speed_model_destroy(made);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The reference '%s' is no model of the device catalogue%s%s%s `hsim "
                            "platform devices` lists them.",
                            options->reference, near ? "; did you mean '" : ".", near ? near : "",
                            near ? "'?" : "");
    }
    made->reference = options->reference ? model_canonical(made, options->reference) : NULL;
    if (!list_units(made) || !list_classes(made)) {
        speed_model_destroy(made);
        return hs_error_memory(error);
    }
    *model = made;
    return HS_OK;
}

void speed_model_destroy(struct speed_model *model)
{
    if (!model) {
        return;
    }
    for (uint32_t i = 0; model->node_classes && i < model->class_count; i++) {
        free(model->node_classes[i].devices);
    }
    for (size_t i = 0; i < model->job_class_count; i++) {
        model_class_fini(&model->job_classes[i]);
    }
    free(model->node_classes);
    free(model->job_classes);
    free(model->units);
    free(model->processor_of_node);
    free(model->class_of_node);
    free(model);
}

uint32_t speed_model_class_count(const struct speed_model *model)
{
    return model->class_count;
}

const uint32_t *speed_model_class_of_node(const struct speed_model *model)
{
    return model->class_of_node;
}

uint32_t speed_model_unit_count(const struct speed_model *model)
{
    return model->unit_count;
}

const char *speed_model_unit_name(const struct speed_model *model, uint32_t unit)
{
    HS_ASSERT(unit < model->unit_count);
    return model->units[unit];
}

enum hs_err speed_model_job_class(struct speed_model *model, const char *name, int32_t *job_class,
                                  struct hs_error *error)
{
    enum hs_err err;

    for (size_t i = 0; i < model->job_class_count; i++) {
        if (strcmp(model->job_classes[i].name, name) == 0) {
            *job_class = (int32_t)i;
            return HS_OK;
        }
    }
    if (model->job_class_count == model->job_class_room) {
        size_t room = model->job_class_room ? model->job_class_room * 2 : 16;
        struct model_class *moved = realloc(model->job_classes, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        model->job_classes = moved;
        model->job_class_room = room;
    }
    err = model_class_find(model, name, &model->job_classes[model->job_class_count], error);
    if (err == HS_OK) {
        *job_class = (int32_t)model->job_class_count++;
    }
    return err;
}

size_t speed_model_job_class_count(const struct speed_model *model)
{
    return model->job_class_count;
}

const char *speed_model_job_class_name(const struct speed_model *model, int32_t job_class)
{
    HS_ASSERT(job_class >= 0 && (size_t)job_class < model->job_class_count);
    return model->job_classes[job_class].name;
}

speed_factor speed_model_factor(const struct speed_model *model, int32_t job_class, uint32_t unit,
                                int64_t scale)
{
    const struct model_class *class;
    size_t row = 0;

    HS_ASSERT(unit < model->unit_count);
    if (job_class == SPEED_NO_CLASS) {
        return SPEED_ONE;
    }
    HS_ASSERT((size_t)job_class < model->job_class_count);
    class = &model->job_classes[job_class];
    while (row + 1 < class->scale_count && class->scales[row + 1] <= scale) {
        row++;
    }
    return class->factors[row * model->unit_count + unit];
}

static const struct hs_demand *chosen(const struct hs_demand *demand, uint32_t alternative)
{
    HS_ASSERT(alternative <= demand->alternative_count);
    return alternative ? &demand->alternatives[alternative - 1] : demand;
}

static int64_t scale_of(const struct hs_demand *demand)
{
    return demand->device_count ? (int64_t)demand->tasks * demand->device_count : 1;
}

/* The cell of the matrix; HS_TIME_NEVER: the job cannot run there. */
static hs_time cell_of(const struct speed_model *model, const struct speed_job *job, uint32_t node)
{
    double cell_s;

    HS_ASSERT(job->row >= 0 && job->row < model->options.etc_rows);
    cell_s = model->options.etc_s[(size_t)job->row * model->node_count + node];
    return cell_s < (double)HS_TIME_NEVER / 2e9 ? llround(cell_s * (double)HS_NS_PER_S)
                                                : HS_TIME_NEVER;
}

/* The time of the matrix, of a job that is `run_ns` long by its record; HS_TIME_NEVER: it cannot
 * run there, or `time_ns` is it. What is no run time (a request) keeps its proportion to that. */
static hs_time time_by_matrix(const struct speed_model *model, const struct speed_job *job,
                              uint32_t node, hs_time time_ns)
{
    hs_time cell_ns = cell_of(model, job, node);
    hs_int128 scaled;

    if (cell_ns == HS_TIME_NEVER || time_ns == HS_TIME_NEVER) {
        return HS_TIME_NEVER;
    }
    if (time_ns == job->run_ns || job->run_ns <= 0 || job->run_ns == HS_TIME_NEVER) {
        return cell_ns;
    }
    scaled = ((hs_int128)time_ns * cell_ns + job->run_ns / 2) / job->run_ns;
    return scaled < 1 ? 1 : scaled < HS_TIME_NEVER ? (hs_time)scaled : HS_TIME_NEVER - 1;
}

hs_time speed_model_time(const struct speed_model *model, const struct speed_job *job,
                         const struct hs_demand *demand, const struct hs_alloc *alloc,
                         hs_time time_ns, uint32_t *unit)
{
    const struct hs_demand *taken = chosen(demand, alloc->alternative);
    int64_t scale = scale_of(taken);
    speed_factor slowest = 0;
    hs_time longest = -1;
    uint32_t found = model->unit_count;

    for (uint32_t i = 0; taken->device_count && i < alloc->device_count; i++) {
        const struct hs_device *device =
            hs_cluster_device(model->options.cluster, alloc->devices[i].device);
        speed_factor factor = speed_model_factor(model, job->job_class, device->model, scale);

        if (found == model->unit_count || factor > slowest) {
            slowest = factor;
            found = device->model;
        }
    }
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        const struct hs_span *span = &alloc->spans[i];

        for (uint32_t node = span->first_node; node < span->first_node + span->node_count; node++) {
            uint32_t processor = model->processor_of_node[node];

            if (model->options.etc_s) {
                hs_time time = time_by_matrix(model, job, node, time_ns);

                if (time > longest) {
                    longest = time;
                    found = taken->device_count ? found : processor;
                }
            } else if (!taken->device_count && processor != found) {
                speed_factor factor = speed_model_factor(model, job->job_class, processor, scale);

                if (found == model->unit_count || factor > slowest) {
                    slowest = factor;
                    found = processor;
                }
            }
        }
    }
    if (unit) {
        *unit = found;
    }
    return longest >= 0 ? longest : speed_scale(time_ns, slowest);
}

/* Does the demand admit this device at all? */
static bool admits(const struct hs_demand *demand, const struct hs_device *device)
{
    bool is_listed = demand->model_count == 0;

    if (demand->device_kind != HS_ANY_KIND && demand->device_kind != device->kind) {
        return false;
    }
    for (uint16_t i = 0; i < demand->model_count; i++) {
        is_listed = is_listed || demand->models[i] == device->model;
    }
    return is_listed && !(demand->features & ~device->features);
}

/* The slowest factor of one demand on the nodes of a class; 0: it cannot run there. */
static speed_factor slowest_in(const struct speed_model *model, const struct speed_job *job,
                               const struct hs_demand *demand, uint32_t speed_class)
{
    const struct model_node_class *class = &model->node_classes[speed_class];
    speed_factor slowest = 0;

    if (!demand->device_count) {
        return speed_model_factor(model, job->job_class, class->processor, 1);
    }
    for (uint32_t i = 0; i < class->device_count; i++) {
        const struct hs_device *device =
            hs_cluster_device(model->options.cluster, class->devices[i]);

        if (admits(demand, device)) {
            speed_factor factor =
                speed_model_factor(model, job->job_class, device->model, scale_of(demand));

            slowest = factor > slowest ? factor : slowest;
        }
    }
    return slowest;
}

/* A demand that asks for processors with features: the node that the class stands for may lack
 * them, which makes a prediction for a class that the job does not get; it errs on the long side.
 */
hs_time speed_model_predict(const struct speed_model *model, const struct speed_job *job,
                            const struct hs_demand *demand, int64_t alternative,
                            uint32_t speed_class, hs_time time_ns)
{
    speed_factor slowest = 0;

    HS_ASSERT(speed_class < model->class_count);
    if (model->options.etc_s) {
        hs_time time = time_by_matrix(model, job, speed_class, time_ns);

        return time > 0 ? time : 1;
    }
    for (uint32_t i = 0; i <= demand->alternative_count; i++) {
        if (alternative < 0 || alternative == i) {
            speed_factor factor = slowest_in(model, job, chosen(demand, i), speed_class);

            slowest = factor > slowest ? factor : slowest;
        }
    }
    return slowest ? speed_scale(time_ns, slowest) : HS_TIME_NEVER;
}

hs_time speed_model_longest(const struct speed_model *model, const struct speed_job *job,
                            const struct hs_demand *demand, hs_time time_ns)
{
    hs_time longest = -1;

    for (uint32_t i = 0; i < model->class_count; i++) {
        hs_time time = speed_model_predict(model, job, demand, -1, i, time_ns);

        longest = time != HS_TIME_NEVER && time > longest ? time : longest;
    }
    return longest < 0 ? HS_TIME_NEVER : longest;
}

/* By a matrix: asks for the marks of the nodes on which the job cannot run. */
static bool narrow_by_matrix(const struct speed_model *model, const struct speed_job *job,
                             struct hs_demand *demand)
{
    bool can_run = false;

    for (uint32_t i = 0; i < model->node_count; i++) {
        char name[32];

        if (cell_of(model, job, i) != HS_TIME_NEVER) {
            can_run = true;
            continue;
        }
        (void)snprintf(name, sizeof name, "node-%" PRIu32, i);
        demand->node_features |= speed_mark_bit(model->options.cluster, name);
    }
    return can_run;
}

bool speed_model_narrow(const struct speed_model *model, const struct speed_job *job,
                        struct hs_demand *demand)
{
    const struct hs_cluster *cluster = model->options.cluster;
    uint32_t first = demand->device_count ? 0 : model->device_units;
    uint32_t end = demand->device_count ? model->device_units : model->unit_count;
    uint64_t marks = 0;
    bool can_run = false;

    if (model->options.etc_s) {
        return narrow_by_matrix(model, job, demand);
    }
    if (job->job_class == SPEED_NO_CLASS) {
        return true;
    }
    for (uint32_t unit = first; unit < end; unit++) {
        if (speed_model_factor(model, job->job_class, unit, scale_of(demand))) {
            continue;
        }
        marks |= speed_mark_bit(cluster, model->units[unit]);
    }
    for (uint32_t i = 0; !can_run && i < model->class_count; i++) {
        can_run = slowest_in(model, job, demand, i) > 0;
    }
    if (demand->device_count) {
        demand->features |= marks;
    } else {
        demand->node_features |= marks;
    }
    return can_run;
}
