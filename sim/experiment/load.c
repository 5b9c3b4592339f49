/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - reads the file, and takes its text through tree, overrides and check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/fill.h"
#include "experiment/override.h"
#include "text/file.h"

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
    return text_arena_copy(arena, base, length);
}

/* What stands in logs where no file is named. */
static void describe(struct experiment *experiment, struct experiment_storage *storage)
{
    experiment->platform_as_written =
        storage->written[experiment_key_find("platform.file") - experiment_keys];
    experiment->catalogue_as_written =
        storage->written[experiment_key_find("platform.catalogue") - experiment_keys];
    experiment->class_files_as_written =
        storage->written_lists[experiment_key_find("speeds.classes") - experiment_keys];
    experiment->speed_table_as_written =
        storage->written[experiment_key_find("speeds.throughputs") - experiment_keys];
    experiment->availability_as_written =
        storage->written[experiment_key_find("platform.availability") - experiment_keys];
    experiment->etc_as_written =
        storage->written[experiment_key_find("speeds.etc") - experiment_keys];
    experiment->workload_as_written =
        storage->written[experiment_key_find("workload.file") - experiment_keys];
    experiment->throughputs_as_written =
        storage->written[experiment_key_find("workload.throughputs") - experiment_keys];
    if (!experiment->platform_as_written) {
        char text[96];
        int length = snprintf(
            text, sizeof text, "%lld nodes x %lld core%s", (long long)experiment->platform.nodes,
            (long long)experiment->platform.cores, experiment->platform.cores == 1 ? "" : "s");

        experiment->platform_as_written = text_arena_copy(&storage->arena, text, (size_t)length);
    }
    if (!experiment->workload_as_written) {
        char text[96];
        int length = snprintf(text, sizeof text, "%s model, %lld jobs",
                              experiment->workload.model == WORKLOAD_MODEL_MIX ? "mix" : "lublin",
                              (long long)experiment->workload.lublin.jobs);

        experiment->workload_as_written = text_arena_copy(&storage->arena, text, (size_t)length);
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
        text_tree_parse(filler->arena, filler->report, 0, text, length, &is_empty);

    if (is_empty) {
        text_report_add(filler->report, start, "The file is empty. " SMALLEST);
    } else if (root && root->kind != TREE_MAP) {
        text_report_add(filler->report, root->place,
                        "An experiment consists of lines `key: value`, but here is a %s. " SMALLEST,
                        root->kind == TREE_LIST ? "list" : "single value");
    } else if (root) {
        for (size_t i = 0; i < override_count; i++) {
            experiment_override_apply(filler->arena, filler->report, i, root);
        }
        experiment_fill(filler, root);
    }
}

static const char *const *list_texts(struct arena *arena,
                                     const struct experiment_override *overrides, size_t count)
{
    const char **texts = text_arena_alloc(arena, (count + 1) * sizeof *texts);

    for (size_t i = 0; texts && i < count; i++) {
        texts[i] = overrides[i].text;
    }
    return texts;
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
    *report = text_report_text(filler->report);
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
    struct report problems = {.path = path};
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
    experiment->path = text_arena_copy(filler.arena, path, strlen(path));
    experiment->base_dir = text_arena_copy(filler.arena, base_dir, strlen(base_dir));
    experiment->source = text_arena_copy(filler.arena, text, length);
    problems.set_texts = list_texts(filler.arena, overrides, override_count);
    if (!filler.arena->has_failed) {
        read_text(&filler, text, length, override_count);
    }
    if (!filler.arena->has_failed && problems.count == 0) {
        describe(experiment, storage);
    }
    result = conclude(&filler, report, error);
    text_report_fini(&problems);
    if (result != HS_OK) {
        experiment_fini(experiment);
    }
    return result;
}

/* The tree of a map of columns, to the fields. */
static void read_columns(struct filler *filler, const char *text, size_t length)
{
    const struct key *key = experiment_key_find("workload.columns");
    struct tree_place start = {.source = 0};
    bool is_empty;
    const struct tree_node *root =
        text_tree_parse(filler->arena, filler->report, 0, text, length, &is_empty);

    if (is_empty || (root && root->kind != TREE_MAP)) {
        text_report_add(filler->report, root ? root->place : start,
                        "A map of columns consists of lines `key: column`, as `submit: "
                        "submit_time`; `hsim explain workload.columns` lists the keys.");
    } else if (root) {
        experiment_fill_map(filler, key, root);
        filler->experiment->workload.columns.is_given = true;
    }
}

enum hs_err experiment_load_columns(const char *path, struct experiment *experiment, char **report,
                                    struct hs_error *error)
{
    static const struct text_file_words words = {"map of columns", "", HS_ERR_CONFIG};
    struct report problems = {.path = path};
    struct experiment_storage *storage = calloc(1, sizeof *storage);
    struct filler filler = {
        .experiment = experiment, .base = experiment, .storage = storage, .report = &problems};
    char *text = NULL;
    size_t length = 0;
    enum hs_err result;

    *experiment = (struct experiment){.storage = storage, .base_dir = "."};
    *report = NULL;
    if (!storage) {
        return hs_error_memory(error);
    }
    filler.arena = &storage->arena;
    result = text_file_read(path, &words, &text, &length, error);
    if (result == HS_OK) {
        const char *kept = text_arena_copy(filler.arena, text, length);

        if (kept) {
            read_columns(&filler, kept, length);
        }
        result = conclude(&filler, report, error);
    }
    text_report_fini(&problems);
    free(text);
    if (result != HS_OK) {
        experiment_fini(experiment);
    }
    return result;
}

void experiment_fini(struct experiment *experiment)
{
    struct experiment_storage *storage = experiment->storage;

    if (storage) {
        text_arena_fini(&storage->arena);
        free(storage);
    }
    *experiment = (struct experiment){0};
}

enum hs_err experiment_load(const char *path, const struct experiment_override *overrides,
                            size_t override_count, struct experiment *experiment, char **report,
                            struct hs_error *error)
{
    static const struct text_file_words words = {
        "experiment", "; a trace goes behind its key `workload`", HS_ERR_CONFIG};
    struct hs_error local = {0};
    const char *slash = strrchr(path, '/');
    size_t folder_length = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 1;
    char *folder = strndup(slash ? path : ".", folder_length);
    char *text = NULL;
    size_t length = 0;
    enum hs_err result =
        folder ? text_file_read(path, &words, &text, &length, &local) : hs_error_memory(&local);

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

void experiment_place(const struct experiment *experiment, const char *key, int *line, int *column)
{
    const struct experiment_storage *storage = experiment->storage;
    struct tree_place place = storage->places[experiment_key_find(key) - experiment_keys];

    *line = place.source == 0 ? place.line : 0;
    *column = place.source == 0 ? place.column : 0;
}
