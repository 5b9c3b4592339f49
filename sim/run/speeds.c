/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speeds.c - from the block `speeds` to a performance model, and the classes of jobs. */
#include "run/speeds.h"

#include "run/run_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "speed/mark.h"
#include "speed/throughput.h"

#define CLASS_UNSET (-2)

/* The model of each node's processors. */
static enum hs_err list_models(struct run_speeds *speeds, const struct platform *platform,
                               struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(platform->cluster);

    speeds->node_models = calloc(count, sizeof *speeds->node_models);
    if (!speeds->node_models) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        if (host->role == PLATFORM_COMPUTE && host->node < count && host->model) {
            speeds->node_models[host->node] = host->model->model;
        }
    }
    return HS_OK;
}

static enum hs_err load_files(struct run_speeds *speeds, const struct experiment *experiment,
                              const struct platform *platform, const struct catalogue **catalogue,
                              struct hs_error *error)
{
    const char *table = speeds->options->throughputs ? speeds->options->throughputs
                                                     : experiment->workload.throughputs;
    enum hs_err err = HS_OK;

    *catalogue = platform->catalogue;
    if (!platform->catalogue) {
        err = catalogue_load(experiment->platform.catalogue, &speeds->own_catalogue, error);
        *catalogue = speeds->own_catalogue;
    }
    if (err == HS_OK) {
        err = speed_library_load(speeds->options->classes, speeds->options->class_count, *catalogue,
                                 &speeds->library, error);
    }
    if (err == HS_OK && table) {
        err = throughput_read(table, &speeds->throughputs, error);
    }
    return err;
}

/* The class of a name in the experiment; `key` is where it stands. */
static enum hs_err find_class(struct run_speeds *speeds, const char *path, const char *key,
                              const char *name, int32_t *job_class, struct hs_error *error)
{
    struct hs_error found = {0};
    enum hs_err err = speed_model_job_class(speeds->model, name, job_class, &found);

    return err == HS_OK ? err : hs_error_set(error, err, "%s: %s: %s", path, key, found.text);
}

/* Words of the experiment are looked up before anything runs. */
static enum hs_err find_classes(struct run_speeds *speeds, const struct experiment *experiment,
                                struct hs_error *error)
{
    const struct experiment_speeds *options = speeds->options;
    const struct workload_classes *classes = &experiment->workload.classes;
    enum hs_err err = HS_OK;
    int32_t found;

    speeds->fallback = SPEED_NO_CLASS;
    if (options->fallback) {
        err = find_class(speeds, experiment->path, "speeds.default", options->fallback,
                         &speeds->fallback, error);
    }
    speeds->of_row = calloc(options->row_count + 1, sizeof *speeds->of_row);
    if (err == HS_OK && !speeds->of_row) {
        err = hs_error_memory(error);
    }
    for (size_t i = 0; err == HS_OK && i < options->row_count; i++) {
        err = find_class(speeds, experiment->path, "speeds.class_map", options->rows[i].class,
                         &speeds->of_row[i], error);
    }
    for (size_t i = 0; err == HS_OK && options->class_of == EXPERIMENT_CLASS_OF_CLASS &&
                       experiment->workload.is_generated &&
                       experiment->workload.model == WORKLOAD_MODEL_MIX && i < classes->count;
         i++) {
        if (classes->list[i].speed_class) {
            err = find_class(speeds, experiment->path, "workload.generate.classes",
                             classes->list[i].speed_class, &found, error);
        }
    }
    return err;
}

enum hs_err run_speeds_init(struct run_speeds *speeds, const struct experiment *experiment,
                            struct platform *platform, struct hs_error *error)
{
    struct speed_options options = {.reference = experiment->speeds.reference
                                                     ? experiment->speeds.reference
                                                     : experiment->workload.reference};
    struct hs_cluster *marked = NULL;
    struct hs_error found = {0};
    enum hs_err err;

    if (!experiment->speeds.is_on) {
        return HS_OK;
    }
    if (experiment->speeds.class_count > RUN_LIBRARIES_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: speeds.classes names %zu files; at most %d are allowed. Put "
                            "several libraries into one file.",
                            experiment->path, experiment->speeds.class_count, RUN_LIBRARIES_MAX);
    }
    speeds->options = &experiment->speeds;
    speeds->workload = &experiment->workload;
    err = list_models(speeds, platform, error);
    if (err == HS_OK) {
        err = load_files(speeds, experiment, platform, &options.catalogue, error);
    }
    if (err == HS_OK) {
        err = speed_mark(platform->cluster, speeds->node_models, NULL, &marked, error);
    }
    if (err != HS_OK) {
        return err;
    }
    hs_cluster_destroy(platform->cluster);
    platform->cluster = marked;
    options.cluster = marked;
    options.node_models = speeds->node_models;
    options.library = speeds->library;
    options.throughputs = speeds->throughputs;
    err = speed_model_create(&options, &speeds->model, &found);
    if (err != HS_OK) {
        return hs_error_set(error, err, "%s: speeds: %s", experiment->path, found.text);
    }
    return find_classes(speeds, experiment, error);
}

void run_speeds_fini(struct run_speeds *speeds)
{
    speed_model_destroy(speeds->model);
    speed_library_destroy(speeds->library);
    throughput_destroy(speeds->throughputs);
    catalogue_destroy(speeds->own_catalogue);
    free(speeds->node_models);
    free(speeds->of_row);
    free(speeds->of_number);
    free(speeds->class_names);
    free(speeds->unit_names);
    *speeds = (struct run_speeds){0};
}

/* By a number of the job; SPEED_NO_CLASS: the map does not have it. */
static int32_t class_by_map(const struct run_speeds *speeds, const struct workload_job *job)
{
    const struct experiment_speeds *options = speeds->options;
    int64_t number = -1;

    switch (options->class_of) {
    case EXPERIMENT_CLASS_OF_EXECUTABLE:
        number = job->executable;
        break;
    case EXPERIMENT_CLASS_OF_QUEUE:
        number = job->queue;
        break;
    case EXPERIMENT_CLASS_OF_USER:
        number = job->user;
        break;
    case EXPERIMENT_CLASS_OF_GROUP:
        number = job->group;
        break;
    case EXPERIMENT_CLASS_OF_PARTITION:
        number = job->partition;
        break;
    case EXPERIMENT_CLASS_OF_CLASS:
        break;
    }
    for (size_t i = 0; i < options->row_count; i++) {
        if (options->rows[i].number == number) {
            return speeds->of_row[i];
        }
    }
    return SPEED_NO_CLASS;
}

/* What the workload calls the class; NULL: a number without a name. */
static const char *name_of(const struct run_speeds *speeds, const struct workload_names *names,
                           int32_t number)
{
    const struct workload_classes *classes = &speeds->workload->classes;

    if (speeds->workload->is_generated && (size_t)number < classes->count) {
        return classes->list[number].speed_class ? classes->list[number].speed_class
                                                 : classes->list[number].name;
    }
    return number < workload_names_count(names, WORKLOAD_CLASS)
               ? workload_names_text(names, WORKLOAD_CLASS, (uint16_t)number)
               : NULL;
}

static bool reserve_numbers(struct run_speeds *speeds, size_t count)
{
    int32_t *moved;

    if (count <= speeds->number_count) {
        return true;
    }
    moved = realloc(speeds->of_number, count * sizeof *moved);
    if (!moved) {
        return false;
    }
    speeds->of_number = moved;
    while (speeds->number_count < count) {
        moved[speeds->number_count++] = CLASS_UNSET;
    }
    return true;
}

/* Is the class one of the model `mix` that does not say how its speed is known? Its name may be
 * that of a known class, and need not. */
static bool is_plain_name(const struct run_speeds *speeds, const struct workload_job *job)
{
    const struct workload_classes *classes = &speeds->workload->classes;

    return speeds->workload->is_generated && (size_t)job->job_class < classes->count &&
           !classes->list[job->job_class].speed_class;
}

/* A class that is not known is the default, if there is one. */
static enum hs_err look_up(struct run_speeds *speeds, const struct workload_names *names,
                           const struct workload_job *job, int32_t *job_class,
                           struct hs_error *error)
{
    const char *name = name_of(speeds, names, job->job_class);
    struct hs_error found = {0};
    enum hs_err err = HS_OK;

    if (!name) {
        (void)hs_error_set(&found, HS_ERR_CONFIG, "Its class is the number %d; a class has a name.",
                           (int)job->job_class);
        err = HS_ERR_CONFIG;
    } else {
        err = speed_model_job_class(speeds->model, name, job_class, &found);
    }
    if (err == HS_ERR_CONFIG && (speeds->options->fallback || is_plain_name(speeds, job))) {
        *job_class = speeds->fallback;
        return HS_OK;
    }
    if (err == HS_OK) {
        return err;
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s%sJob %" PRId64 "%s: %s Or name a class for all such jobs as "
                        "`speeds.default`.",
                        speeds->workload->file ? speeds->workload->file : "",
                        speeds->workload->file ? ": " : "", job->trace_id,
                        speeds->workload->file ? "" : " of the model", found.text);
}

enum hs_err run_speeds_class(struct run_speeds *speeds, const struct workload_names *names,
                             const struct workload_job *job, int32_t *job_class,
                             struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *job_class = SPEED_NO_CLASS;
    if (speeds->options->class_of != EXPERIMENT_CLASS_OF_CLASS) {
        *job_class = class_by_map(speeds, job);
    } else if (job->job_class >= 0 && job->job_class < UINT16_MAX) {
        if (!reserve_numbers(speeds, (size_t)job->job_class + 1)) {
            return hs_error_memory(error);
        }
        if (speeds->of_number[job->job_class] == CLASS_UNSET) {
            err = look_up(speeds, names, job, &speeds->of_number[job->job_class], error);
        }
        *job_class = speeds->of_number[job->job_class];
    }
    if (*job_class == SPEED_NO_CLASS) {
        *job_class = speeds->fallback;
    }
    return err;
}

enum hs_err run_speeds_names(struct run_speeds *speeds, struct hs_error *error)
{
    if (!speeds->model) {
        return HS_OK;
    }
    free(speeds->class_names);
    free(speeds->unit_names);
    speeds->class_names_count = speed_model_job_class_count(speeds->model);
    speeds->unit_count = speed_model_unit_count(speeds->model);
    speeds->class_names = calloc(speeds->class_names_count + 1, sizeof *speeds->class_names);
    speeds->unit_names = calloc(speeds->unit_count + 1, sizeof *speeds->unit_names);
    if (!speeds->class_names || !speeds->unit_names) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < speeds->class_names_count; i++) {
        speeds->class_names[i] = speed_model_job_class_name(speeds->model, (int32_t)i);
    }
    for (size_t i = 0; i < speeds->unit_count; i++) {
        speeds->unit_names[i] = speed_model_unit_name(speeds->model, (uint32_t)i);
    }
    return HS_OK;
}
