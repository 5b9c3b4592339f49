/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overview.c - reads runs.csv, looks at the files, and reads status.json. */
#include "sweep/overview.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/tree.h"

/* A whole file with an end; the caller frees. NULL with errno. */
static char *read_file(const struct sweep_store *store, const char *name)
{
    char *path = sweep_store_path(store, name);
    FILE *file = path ? fopen(path, "re") : NULL;
    char *text = NULL;
    size_t size = 0;

    if (file && getdelim(&text, &size, '\0', file) < 0) { /* also of an empty file */
        free(text);
        text = NULL;
    }
    if (file) {
        (void)fclose(file);
    }
    free(path);
    return text;
}

static int compare_runs(const void *left, const void *right)
{
    const struct sweep_overview_run *a = left;
    const struct sweep_overview_run *b = right;
    int order = strcmp(a->key, b->key);

    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int compare_rows(const void *left, const void *right)
{
    const struct sweep_overview_run *a = left;
    const struct sweep_overview_run *b = right;

    return (a->row > b->row) - (a->row < b->row);
}

/* Cuts the table into rows, and leaves one for each key. */
static enum hs_err list_runs(struct sweep_overview *overview, struct hs_error *error)
{
    size_t lines = 0;
    size_t kept = 0;
    char *line = strchr(overview->table, '\n');

    for (const char *c = overview->table; *c; c++) {
        lines += *c == '\n';
    }
    overview->runs = calloc(lines + 1, sizeof *overview->runs);
    if (!overview->runs) {
        return hs_error_memory(error);
    }
    while (line && line[1]) {
        char *end = strchr(line + 1, '\n');
        char *comma = strchr(line + 1, ',');

        if (end) {
            *end = '\0';
        }
        if (comma && comma - line - 1 == SWEEP_KEY_SIZE - 1 && (!end || comma < end)) {
            *comma = '\0';
            overview->runs[overview->rows++] =
                (struct sweep_overview_run){.key = line + 1, .row = comma + 1, .seconds = NAN};
        }
        line = end;
    }
    qsort(overview->runs, overview->rows, sizeof *overview->runs, compare_runs);
    for (size_t i = 0; i < overview->rows; i++) {
        if (i == 0 || strcmp(overview->runs[kept - 1].key, overview->runs[i].key) != 0) {
            overview->runs[kept++] = overview->runs[i];
        }
    }
    qsort(overview->runs, kept, sizeof *overview->runs, compare_rows);
    overview->run_count = kept;
    return HS_OK;
}

static double number_of(const struct tree_node *map, const char *key)
{
    const struct tree_entry *entry = map->kind == TREE_MAP ? text_tree_find(map, key) : NULL;

    if (!entry || entry->value->kind != TREE_SCALAR || text_tree_is_null(entry->value)) {
        return NAN;
    }
    return strtod(entry->value->text, NULL);
}

static void mark_running(struct sweep_overview *overview, const struct tree_node *list)
{
    for (const struct tree_entry *entry = list->first; entry; entry = entry->next) {
        const struct tree_entry *key =
            entry->value->kind == TREE_MAP ? text_tree_find(entry->value, "key") : NULL;

        for (size_t i = 0; key && key->value->kind == TREE_SCALAR && i < overview->run_count; i++) {
            struct sweep_overview_run *run = &overview->runs[i];

            if (run->state == SWEEP_MISSING && strcmp(run->key, key->value->text) == 0) {
                run->is_running = true;
                run->seconds = number_of(entry->value, "seconds");
            }
        }
    }
}

/* What the sweep that has the lock says of itself; JSON is YAML. */
static void read_report(struct sweep_overview *overview, const char *text)
{
    struct arena arena = {0};
    struct report report = {.path = "status.json"};
    bool is_empty = false;
    const struct tree_node *root =
        text_tree_parse(&arena, &report, 0, text, strlen(text), &is_empty);

    if (root && root->kind == TREE_MAP) {
        const struct tree_entry *running = text_tree_find(root, "running");
        double process = number_of(root, "process");

        overview->process = process > 0 && process < 1e9 ? (int)process : 0;
        overview->elapsed_s = number_of(root, "elapsed_s");
        overview->left_s = number_of(root, "left_s");
        if (running && running->value->kind == TREE_LIST) {
            mark_running(overview, running->value);
        }
    }
    text_report_fini(&report);
    text_arena_fini(&arena);
}

static void look_at_runs(struct sweep_overview *overview, const struct sweep_store *store)
{
    char *text = NULL;

    for (size_t i = 0; i < overview->run_count; i++) {
        struct sweep_overview_run *run = &overview->runs[i];

        run->state = sweep_store_state(store, run->key);
        if (run->state == SWEEP_BROKEN) {
            run->failure = sweep_store_failure(store, run->key);
        }
        run->is_running = run->state == SWEEP_MISSING && sweep_store_is_busy(store, run->key);
    }
    overview->is_running = sweep_store_is_locked(store, SWEEP_ALONE);
    if (sweep_store_is_locked(store, SWEEP_TOGETHER)) { /* else it is of a sweep that is no more */
        text = read_file(store, "status.json");
    }
    if (text) {
        read_report(overview, text);
    }
    free(text);
    for (size_t i = 0; i < overview->run_count; i++) {
        const struct sweep_overview_run *run = &overview->runs[i];

        overview->finished += run->state == SWEEP_FINISHED;
        overview->failed += run->state == SWEEP_BROKEN;
        overview->running += run->is_running;
        overview->left += run->state == SWEEP_MISSING && !run->is_running;
    }
}

enum hs_err sweep_overview_read(const char *folder, struct sweep_overview *overview,
                                struct hs_error *error)
{
    struct sweep_store *store = NULL;
    char *merged = NULL;
    enum hs_err err = sweep_store_open(folder, NULL, SWEEP_LOOK, &store, error);

    *overview = (struct sweep_overview){.elapsed_s = NAN, .left_s = NAN};
    if (err == HS_OK) {
        overview->table = read_file(store, "runs.csv");
        err = overview->table
                  ? list_runs(overview, error)
                  : hs_error_set(error, HS_ERR_SYSTEM, "%s/runs.csv cannot be read: %s.", folder,
                                 strerror(errno));
    }
    if (err == HS_OK) {
        look_at_runs(overview, store);
        merged = sweep_store_path(store, "sweep.h5");
        overview->is_merged = merged && access(merged, F_OK) == 0;
    }
    free(merged);
    sweep_store_close(store);
    return err;
}

void sweep_overview_fini(struct sweep_overview *overview)
{
    for (size_t i = 0; i < overview->run_count; i++) {
        free(overview->runs[i].failure);
    }
    free(overview->runs);
    free(overview->table);
    *overview = (struct sweep_overview){0};
}
