/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inputs.c - what an experiment reads, and digests by path. */
#include "run/inputs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "speed/library.h"
#include "text/text_map.h"
#include "workload/source.h"

#define SINGLE_INPUTS 8 /* beside lists of files */

static void add(struct run_inputs *inputs, enum run_input_role role, const char *key,
                const char *path, const char *as_written, const char *format)
{
    if (path) {
        inputs->list[inputs->count++] = (struct run_input){role, key, path, as_written, format};
    }
}

/* What comes with hsim. Without the library nothing can run; the catalogue may not be needed, and
 * the platform says so if it is. */
static enum hs_err locate(struct run_inputs *inputs, const struct experiment *experiment,
                          struct hs_error *error)
{
    char path[PATH_MAX];
    struct hs_error unused;
    enum hs_err err;

    if ((experiment->platform.file || experiment->speeds.is_on) &&
        catalogue_locate(path, &unused) == HS_OK) {
        inputs->catalogue = strdup(path);
        if (!inputs->catalogue) {
            return hs_error_memory(error);
        }
    }
    if (!experiment->speeds.is_on) {
        return HS_OK;
    }
    err = speed_library_locate(path, error);
    if (err == HS_OK) {
        inputs->library = strdup(path);
        err = inputs->library ? HS_OK : hs_error_memory(error);
    }
    return err;
}

static void add_all(struct run_inputs *inputs, const struct experiment *experiment)
{
    const struct experiment_speeds *speeds = &experiment->speeds;
    const char *platform = experiment->platform.file;

    add(inputs, RUN_INPUT_NAMED, "workload.file", experiment->workload.file,
        experiment->workload_as_written, NULL);
    add(inputs, RUN_INPUT_NAMED, "workload.throughputs", experiment->workload.throughputs,
        experiment->throughputs_as_written, "throughputs");
    add(inputs, RUN_INPUT_NAMED, "platform.file", platform, experiment->platform_as_written,
        platform ? platform_format(platform) : NULL);
    add(inputs, RUN_INPUT_CATALOGUE, NULL, inputs->catalogue, CATALOGUE_FILE, "devices");
    add(inputs, RUN_INPUT_NAMED, "platform.catalogue", experiment->platform.catalogue,
        experiment->catalogue_as_written, "devices");
    add(inputs, RUN_INPUT_LIBRARY, NULL, inputs->library, SPEED_LIBRARY_FILE, "classes");
    for (size_t i = 0; speeds->is_on && i < speeds->class_count; i++) {
        add(inputs, RUN_INPUT_NAMED, "speeds.classes", speeds->classes[i],
            experiment->class_files_as_written[i], "classes");
    }
    if (speeds->is_on) {
        add(inputs, RUN_INPUT_NAMED, "speeds.etc", speeds->etc, experiment->etc_as_written, "etc");
        add(inputs, RUN_INPUT_NAMED, "speeds.throughputs", speeds->throughputs,
            experiment->speed_table_as_written, "throughputs");
    }
    add(inputs, RUN_INPUT_NAMED, "platform.availability", experiment->availability,
        experiment->availability_as_written, "availability");
    for (size_t i = 0; i < experiment->plugin_count; i++) {
        add(inputs, RUN_INPUT_PLUGIN, "plugins", experiment->plugins[i], experiment->plugins[i],
            "plug-in");
    }
}

enum hs_err run_inputs_init(struct run_inputs *inputs, const struct experiment *experiment,
                            struct hs_error *error)
{
    size_t room = SINGLE_INPUTS + experiment->speeds.class_count + experiment->plugin_count;
    enum hs_err err;

    *inputs = (struct run_inputs){.list = calloc(room, sizeof *inputs->list)};
    err = inputs->list ? locate(inputs, experiment, error) : hs_error_memory(error);
    if (err == HS_OK) {
        add_all(inputs, experiment);
    } else {
        run_inputs_fini(inputs);
    }
    return err;
}

void run_inputs_fini(struct run_inputs *inputs)
{
    free(inputs->list);
    free(inputs->catalogue);
    free(inputs->library);
    *inputs = (struct run_inputs){0};
}

enum hs_err run_input_format(const struct experiment *experiment, const struct run_input *input,
                             const char **format, struct hs_error *error)
{
    const struct workload_format *found;
    enum hs_err err;

    *format = input->format;
    if (input->format) {
        return HS_OK;
    }
    err = workload_format_find(&experiment->workload, &found, error);
    if (err == HS_OK) {
        *format = found->name;
    }
    return err;
}

struct run_digests {
    const volatile sig_atomic_t *stop;
    struct text_map paths;
    struct result_input *inputs; /* by the number of the path */
    size_t room;
};

struct run_digests *run_digests_create(const volatile sig_atomic_t *stop)
{
    struct run_digests *digests = calloc(1, sizeof *digests);

    if (digests) {
        digests->stop = stop;
    }
    return digests;
}

void run_digests_destroy(struct run_digests *digests)
{
    if (digests) {
        text_map_fini(&digests->paths);
        free(digests->inputs);
        free(digests);
    }
}

/* A file is entered once it has been read. */
static enum hs_err enter(struct run_digests *digests, const char *path,
                         const struct result_input *input, struct hs_error *error)
{
    size_t number;

    if (digests->paths.count == digests->room) {
        size_t room = digests->room ? 2 * digests->room : 16;
        struct result_input *moved = realloc(digests->inputs, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        digests->inputs = moved;
        digests->room = room;
    }
    if (!text_map_add(&digests->paths, path, &number)) {
        return hs_error_memory(error);
    }
    digests->inputs[number] = *input;
    return HS_OK;
}

enum hs_err run_digests_file(struct run_digests *digests, const char *path,
                             struct result_input *input, struct hs_error *error)
{
    struct result_input found = {0};
    size_t number;
    enum hs_err err = HS_OK;

    if (text_map_find(&digests->paths, path, &number)) {
        found = digests->inputs[number];
    } else {
        err = result_input_digest_until(path, digests->stop, &found, error);
        err = err == HS_OK ? enter(digests, path, &found, error) : err;
    }
    if (err == HS_OK) {
        input->bytes = found.bytes;
        memcpy(input->xxh128, found.xxh128, sizeof found.xxh128);
    }
    return err;
}
