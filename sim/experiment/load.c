/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - reads the file, and takes its text through tree, overrides and check. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiment/fill.h"
#include "experiment/override.h"

#define FILE_BYTES_MAX ((size_t)16 << 20)

#define SMALLEST                                                                                   \
    "The smallest experiment has the four keys `hsim: 1`, `platform`, `workload` and `policy`."

/* The name of the file without folder and ending. */
static const char *default_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot ? (size_t)(dot - base) : strlen(base);

    if (length == 0 || *base == '.' || length > 100) {
        return "experiment";
    }
    return experiment_arena_copy(arena, base, length);
}

/* What stands in logs where no file is named. */
static void describe(struct experiment *experiment, struct experiment_storage *storage)
{
    experiment->platform_as_written =
        storage->written[experiment_key_find("platform.file") - experiment_keys];
    experiment->workload_as_written =
        storage->written[experiment_key_find("workload.file") - experiment_keys];
    if (!experiment->platform_as_written) {
        char text[96];
        int length = snprintf(
            text, sizeof text, "%lld nodes x %lld core%s", (long long)experiment->platform.nodes,
            (long long)experiment->platform.cores, experiment->platform.cores == 1 ? "" : "s");

        experiment->platform_as_written =
            experiment_arena_copy(&storage->arena, text, (size_t)length);
    }
    if (!experiment->workload_as_written) {
        char text[96];
        int length = snprintf(text, sizeof text, "%s model, %lld jobs",
                              experiment->workload.model == WORKLOAD_MODEL_MIX ? "mix" : "lublin",
                              (long long)experiment->workload.lublin.jobs);

        experiment->workload_as_written =
            experiment_arena_copy(&storage->arena, text, (size_t)length);
    }
    if (!experiment->name) {
        experiment->name = default_name(&storage->arena, experiment->path);
    }
}

static void read_text(struct filler *filler, const char *text, size_t length, size_t override_count)
{
    bool is_empty;
    struct tree_place start = {.source = 0};
    struct tree_node *root =
        experiment_tree_parse(filler->arena, filler->report, 0, text, length, &is_empty);

    if (is_empty) {
        experiment_report_add(filler->report, start, "The file is empty. " SMALLEST);
    } else if (root && root->kind != TREE_MAP) {
        experiment_report_add(
            filler->report, root->place,
            "An experiment consists of lines `key: value`, but here is a %s. " SMALLEST,
            root->kind == TREE_LIST ? "list" : "single value");
    } else if (root) {
        for (size_t i = 0; i < override_count; i++) {
            experiment_override_apply(filler->arena, filler->report, i, root);
        }
        experiment_fill(filler, root);
    }
}

/* Turns the outcome into the three ways in which callers see it. */
static enum hs_err conclude(struct filler *filler, char **report, struct hs_error *error)
{
    if (filler->arena->has_failed || filler->report->has_failed) {
        return hs_error_memory(error);
    }
    if (filler->report->count == 0) {
        return HS_OK;
    }
    *report = experiment_report_text(filler->report);
    if (!*report) {
        return hs_error_memory(error);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "%.*s", (int)strcspn(*report, "\n"), *report);
}

enum hs_err experiment_load_text(const char *text, size_t length, const char *path,
                                 const char *base_dir, const struct experiment_override *overrides,
                                 size_t override_count, struct experiment *experiment,
                                 char **report, struct hs_error *error)
{
    struct report problems = {.path = path, .overrides = overrides};
    struct experiment_storage *storage = calloc(1, sizeof *storage);
    struct filler filler = {
        .experiment = experiment, .base = experiment, .storage = storage, .report = &problems};
    enum hs_err result;

    *experiment = (struct experiment){.storage = storage};
    *report = NULL;
    if (!storage) {
        return hs_error_memory(error);
    }
    filler.arena = &storage->arena;
    experiment->path = experiment_arena_copy(filler.arena, path, strlen(path));
    experiment->base_dir = experiment_arena_copy(filler.arena, base_dir, strlen(base_dir));
    experiment->source = experiment_arena_copy(filler.arena, text, length);
    if (!filler.arena->has_failed) {
        read_text(&filler, text, length, override_count);
    }
    if (!filler.arena->has_failed && problems.count == 0) {
        describe(experiment, storage);
    }
    result = conclude(&filler, report, error);
    experiment_report_fini(&problems);
    if (result != HS_OK) {
        experiment_fini(experiment);
    }
    return result;
}

void experiment_fini(struct experiment *experiment)
{
    struct experiment_storage *storage = experiment->storage;

    if (storage) {
        experiment_arena_fini(&storage->arena);
        free(storage);
    }
    *experiment = (struct experiment){0};
}

/* Reads all of a stream into *text (caller frees). */
static enum hs_err read_stream(FILE *stream, const char *path, char **text, size_t *length,
                               struct hs_error *error)
{
    size_t room = 0, used = 0;

    *text = NULL;
    while (!feof(stream) && used <= FILE_BYTES_MAX) {
        if (used == room) {
            char *larger = realloc(*text, room ? room * 4 : 8192);

            if (!larger) {
                return hs_error_memory(error);
            }
            *text = larger;
            room = room ? room * 4 : 8192;
        }
        used += fread(*text + used, 1, room - used, stream);
        if (ferror(stream)) {
            return hs_error_set(error, HS_ERR_SYSTEM, "%s: The file cannot be read: %s.", path,
                                strerror(errno));
        }
    }
    *length = used;
    if (used > FILE_BYTES_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: The file is larger than 16 MiB, so it is no experiment. Name the "
                            "YAML file of one here; a trace goes behind its key `workload`.",
                            path);
    }
    return HS_OK;
}

/* Opens and reads a file; a missing one and a folder get their own sentences. */
static enum hs_err read_file(const char *path, char **text, size_t *length, struct hs_error *error)
{
    struct stat status;
    enum hs_err result;
    FILE *stream = fopen(path, "re");

    if (!stream && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: The experiment cannot be opened now: %s. Close programs, or raise "
                            "the limits (ulimit -n, ulimit -v).",
                            path, strerror(errno));
    }
    if (!stream) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: The experiment cannot be opened: %s. Check the path and its "
                            "permissions.",
                            path, strerror(errno));
    }
    if (fstat(fileno(stream), &status) == 0 && S_ISDIR(status.st_mode)) {
        (void)fclose(stream);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: This is a folder. Name a YAML file in it, for instance "
                            "%s/experiment.yaml.",
                            path, path);
    }
    result = read_stream(stream, path, text, length, error);
    (void)fclose(stream); /* only read from */
    return result;
}

enum hs_err experiment_load(const char *path, const struct experiment_override *overrides,
                            size_t override_count, struct experiment *experiment, char **report,
                            struct hs_error *error)
{
    struct hs_error local = {0};
    const char *slash = strrchr(path, '/');
    size_t folder_length = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 1;
    char *folder = strndup(slash ? path : ".", folder_length);
    char *text = NULL;
    size_t length = 0;
    enum hs_err result = folder ? read_file(path, &text, &length, &local) : hs_error_memory(&local);

    *experiment = (struct experiment){0};
    *report = NULL;
    if (result == HS_OK) {
        result = experiment_load_text(text, length, path, folder, overrides, override_count,
                                      experiment, report, &local);
    } else {
        *report = strdup(local.text);
    }
    if (result != HS_OK && error) {
        *error = local;
    }
    free(text);
    free(folder);
    return result;
}
