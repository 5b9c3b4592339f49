/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draft.c - from the text of a file to a tree, and from trees to experiments. */
#include "experiment/draft.h"

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

static void read_root(struct experiment_draft *draft, size_t length, size_t override_count)
{
    struct tree_place start = {.source = 0};
    bool is_empty;
    struct tree_node *root =
        text_tree_parse(&draft->arena, &draft->report, 0, draft->source, length, &is_empty);

    if (is_empty) {
        text_report_add(&draft->report, start, "The file is empty. " SMALLEST);
    } else if (root && root->kind != TREE_MAP) {
        text_report_add(&draft->report, root->place,
                        "An experiment consists of lines `key: value`, but here is a %s. " SMALLEST,
                        root->kind == TREE_LIST ? "list" : "single value");
    } else if (root) {
        for (size_t i = 0; i < override_count; i++) {
            experiment_override_apply(&draft->arena, &draft->report, i, root);
        }
        draft->root = root;
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

enum hs_err experiment_draft_parse(const char *text, size_t length, const char *path,
                                   const char *base_dir,
                                   const struct experiment_override *overrides,
                                   size_t override_count, struct experiment_draft *draft,
                                   struct hs_error *error)
{
    *draft = (struct experiment_draft){0};
    draft->path = text_arena_copy(&draft->arena, path, strlen(path));
    draft->base_dir = text_arena_copy(&draft->arena, base_dir, strlen(base_dir));
    draft->source = text_arena_copy(&draft->arena, text, length);
    draft->report.path = draft->path;
    draft->report.set_texts = list_texts(&draft->arena, overrides, override_count);
    if (!draft->arena.has_failed) {
        read_root(draft, length, override_count);
    }
    return draft->arena.has_failed || draft->report.has_failed ? hs_error_memory(error) : HS_OK;
}

enum hs_err experiment_draft_read(const char *path, const struct experiment_override *overrides,
                                  size_t override_count, struct experiment_draft *draft,
                                  struct hs_error *error)
{
    static const struct text_file_words words = {
        "experiment", "; a trace goes behind its key `workload`", HS_ERR_CONFIG};
    const char *slash = strrchr(path, '/');
    size_t folder_length = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 1;
    char *folder = strndup(slash ? path : ".", folder_length);
    char *text = NULL;
    size_t length = 0;
    enum hs_err result =
        folder ? text_file_read(path, &words, &text, &length, error) : hs_error_memory(error);

    *draft = (struct experiment_draft){0};
    if (result == HS_OK) {
        result = experiment_draft_parse(text, length, path, folder, overrides, override_count,
                                        draft, error);
    }
    free(text);
    free(folder);
    return result;
}

void experiment_draft_fini(struct experiment_draft *draft)
{
    text_report_fini(&draft->report);
    text_arena_fini(&draft->arena);
    *draft = (struct experiment_draft){0};
}

/* Storage of an experiment that is filled from the draft; false: no memory. */
static bool begin(const struct experiment_draft *draft, struct report *report,
                  struct experiment *experiment, struct filler *filler)
{
    struct experiment_storage *storage = calloc(1, sizeof *storage);

    *experiment = (struct experiment){.storage = storage,
                                      .path = draft->path,
                                      .base_dir = draft->base_dir,
                                      .source = draft->source};
    *filler = (struct filler){
        .experiment = experiment, .base = experiment, .storage = storage, .report = report};
    filler->arena = storage ? &storage->arena : NULL;
    return storage != NULL;
}

static enum hs_err end(const struct filler *filler, struct hs_error *error)
{
    return filler->arena->has_failed || filler->report->has_failed ? hs_error_memory(error) : HS_OK;
}

enum hs_err experiment_draft_fill(const struct experiment_draft *draft,
                                  const struct tree_node *root, struct report *report,
                                  struct experiment *experiment, struct hs_error *error)
{
    size_t before = report->count;
    struct filler filler;

    if (!begin(draft, report, experiment, &filler)) {
        return hs_error_memory(error);
    }
    experiment_fill(&filler, root);
    if (!filler.arena->has_failed && report->count == before) {
        describe(experiment, filler.storage);
    }
    return end(&filler, error);
}

void experiment_draft_give(struct experiment *experiment, struct arena *arena)
{
    struct experiment_storage *storage = experiment->storage;

    storage->tree = *arena;
    *arena = (struct arena){0};
}

enum hs_err experiment_draft_check(const struct experiment_draft *draft, const struct key *key,
                                   const struct tree_node *node, struct report *report,
                                   struct hs_error *error)
{
    struct experiment scratch;
    struct filler filler;
    enum hs_err result;

    if (!begin(draft, report, &scratch, &filler)) {
        return hs_error_memory(error);
    }
    experiment_fill_value(&filler, key, node);
    result = end(&filler, error);
    experiment_fini(&scratch);
    return result;
}
