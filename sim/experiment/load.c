/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - experiments, and maps of columns, from files and texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/draft.h"
#include "experiment/fill.h"
#include "text/file.h"

/* Fills the experiment from a draft, whose memory it takes. */
static enum hs_err load_draft(struct experiment_draft *draft, struct experiment *experiment,
                              char **report, struct hs_error *error)
{
    enum hs_err result = HS_OK;

    if (draft->root) {
        result = experiment_draft_fill(draft, draft->root, &draft->report, experiment, error);
    }
    if (result == HS_OK) {
        result = text_report_conclude(&draft->report, report, error);
    }
    if (result == HS_OK) {
        experiment_draft_give(experiment, &draft->arena);
    } else {
        experiment_fini(experiment);
    }
    return result;
}

enum hs_err experiment_load_text(const char *text, size_t length, const char *path,
                                 const char *base_dir, const struct experiment_override *overrides,
                                 size_t override_count, struct experiment *experiment,
                                 char **report, struct hs_error *error)
{
    struct experiment_draft draft;
    enum hs_err result = experiment_draft_parse(text, length, path, base_dir, overrides,
                                                override_count, &draft, error);

    *experiment = (struct experiment){0};
    *report = NULL;
    if (result == HS_OK) {
        result = load_draft(&draft, experiment, report, error);
    }
    experiment_draft_fini(&draft);
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
        result = filler.arena->has_failed ? hs_error_memory(error)
                                          : text_report_conclude(&problems, report, error);
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
        text_arena_fini(&storage->tree);
        free(storage);
    }
    *experiment = (struct experiment){0};
}

enum hs_err experiment_load(const char *path, const struct experiment_override *overrides,
                            size_t override_count, struct experiment *experiment, char **report,
                            struct hs_error *error)
{
    struct experiment_draft draft;
    struct hs_error local = {0};
    enum hs_err result = experiment_draft_read(path, overrides, override_count, &draft, &local);

    *experiment = (struct experiment){0};
    *report = NULL;
    if (result == HS_OK) {
        result = load_draft(&draft, experiment, report, &local);
    } else {
        *report = strdup(local.text);
    }
    if (result != HS_OK && error) {
        *error = local;
    }
    experiment_draft_fini(&draft);
    return result;
}

void experiment_place(const struct experiment *experiment, const char *key, int *line, int *column)
{
    const struct experiment_storage *storage = experiment->storage;
    struct tree_place place = storage->places[experiment_key_find(key) - experiment_keys];

    *line = place.source == 0 ? place.line : 0;
    *column = place.source == 0 ? place.column : 0;
}
