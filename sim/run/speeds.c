/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speeds.c - from the block `speeds` to a performance model, and the classes of jobs. */
#include "run/speeds.h"

#include "run/run_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed/mark.h"
#include "speed/throughput.h"
#include "workload/tally.h"

#define CLASS_UNSET   (-2)
#define CLASS_UNKNOWN (-3) /* the default counts */

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

/* Reads the matrix, if there is one, and finds the nodes on which some job cannot run. */
static enum hs_err load_matrix(struct run_speeds *speeds, const struct experiment *experiment,
                               const struct hs_cluster *cluster, unsigned char **apart,
                               struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(cluster);
    struct map_etc *etc = &speeds->etc;
    enum hs_err err;

    if (!experiment->speeds.etc) {
        return HS_OK;
    }
    err = map_etc_read(experiment->speeds.etc, etc, error);
    if (err == HS_OK && etc->machine_count != count) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "%s: the matrix has %" PRIu32 " machines, and the platform %" PRIu32
                           " nodes; a column is a node. Take a platform of that size, or another "
                           "matrix.",
                           experiment->speeds.etc, etc->machine_count, count);
    }
    if (err != HS_OK) {
        return err;
    }
    *apart = calloc(count, 1);
    if (!*apart) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < (size_t)etc->task_count * count; i++) {
        if (isinf(etc->times_s[i])) {
            (*apart)[i % count] = 1;
        }
    }
    return HS_OK;
}

enum hs_err run_speeds_check_row(const struct run_speeds *speeds, const struct workload_job *job,
                                 struct hs_error *error)
{
    if (!speeds->etc.times_s || job->id < speeds->etc.task_count) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the matrix has %" PRIu32 " rows, but the workload has more jobs. Make "
                        "the matrix longer, or take the first jobs only (`workload.head: %" PRIu32
                        "`).",
                        speeds->options->etc, speeds->etc.task_count, speeds->etc.task_count);
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
    speeds->is_met = calloc(options->row_count + 1, sizeof *speeds->is_met);
    if (err == HS_OK && (!speeds->of_row || !speeds->is_met)) {
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
    unsigned char *apart = NULL;
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
        err = load_matrix(speeds, experiment, platform->cluster, &apart, error);
    }
    if (err == HS_OK) {
        err = speed_mark(platform->cluster, speeds->node_models, apart, &marked, error);
    }
    free(apart);
    if (err != HS_OK) {
        return err;
    }
    hs_cluster_destroy(platform->cluster);
    platform->cluster = marked;
    options.cluster = marked;
    options.node_models = speeds->node_models;
    options.library = speeds->library;
    options.throughputs = speeds->throughputs;
    options.etc_s = speeds->etc.times_s;
    options.etc_rows = speeds->etc.task_count;
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
    map_etc_fini(&speeds->etc);
    catalogue_destroy(speeds->own_catalogue);
    free(speeds->node_models);
    free(speeds->of_row);
    free(speeds->is_met);
    free(speeds->of_number);
    free(speeds->class_names);
    free(speeds->unit_names);
    *speeds = (struct run_speeds){0};
}

/* By a number of the job; SPEED_NO_CLASS: the map does not have it. */
static int32_t class_by_map(struct run_speeds *speeds, const struct workload_job *job)
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
            speeds->is_met[i] = true;
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

/* A class that is not known is the default, if there is one: UNKNOWN then. */
static enum hs_err look_up(struct run_speeds *speeds, const struct workload_names *names,
                           const struct workload_job *job, int32_t *job_class,
                           struct hs_error *error)
{
    const char *name = name_of(speeds, names, job->job_class);
    struct hs_error found = {0};
    enum hs_err err = HS_OK;
    char place[32];

    if (!name) {
        (void)hs_error_set(&found, HS_ERR_CONFIG, "Its class is the number %d; a class has a name.",
                           (int)job->job_class);
        err = HS_ERR_CONFIG;
    } else {
        err = speed_model_job_class(speeds->model, name, job_class, &found);
    }
    if (err == HS_ERR_CONFIG && is_plain_name(speeds, job)) {
        *job_class = SPEED_NO_CLASS;
        return HS_OK;
    }
    if (err == HS_ERR_CONFIG && speeds->options->fallback) {
        *job_class = CLASS_UNKNOWN;
        return HS_OK;
    }
    if (err == HS_OK) {
        return err;
    }
    (void)snprintf(place, sizeof place, job->line > 0 ? ":%" PRId64 ": " : ": ", job->line);
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s%sJob %" PRId64 ": %s Or name a class for such jobs as "
                        "`speeds.default`.",
                        speeds->workload->file ? speeds->workload->file : "workload", place,
                        job->trace_id, found.text);
}

enum hs_err run_speeds_class(struct run_speeds *speeds, const struct workload_names *names,
                             const struct workload_job *job, int32_t *job_class,
                             struct workload_tally *unknown, struct hs_error *error)
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
    if (*job_class == CLASS_UNKNOWN) {
        const char *name = name_of(speeds, names, job->job_class);

        workload_tally_add(unknown, job->line, job->trace_id, "class '%.60s'",
                           name ? name : "a number");
    }
    if (*job_class == SPEED_NO_CLASS || *job_class == CLASS_UNKNOWN) {
        *job_class = speeds->fallback;
    }
    return err;
}

void run_speeds_unmet(const struct run_speeds *speeds, struct workload_tally *unmet)
{
    const struct experiment_speeds *options = speeds->options;

    for (size_t i = 0; options && i < options->row_count; i++) {
        if (!speeds->is_met[i] || options->class_of == EXPERIMENT_CLASS_OF_CLASS) {
            workload_tally_add(unmet, 0, -1, "number %" PRId64 ", class '%.40s'",
                               options->rows[i].number, options->rows[i].class);
        }
    }
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
