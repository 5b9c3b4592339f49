/* SPDX-License-Identifier: GPL-3.0-or-later */
/* read.c - files and folders to a set of runs. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/runs.h"
#include "result/sweep_file.h"

#define DEPTH_MAX 16 /* folders in folders; also ends circles of links */

static const char *const usual_metrics[] = {"wait_mean_s", "bsld_mean",  "turnaround_mean_s",
                                            "makespan_s",  "util_alloc", "energy_total_j"};

static const char *copy(struct compare_set *set, const char *text)
{
    return text_arena_copy(&set->arena, text, strlen(text));
}

static enum hs_err add_metric(struct compare_set *set, const char *name, size_t length,
                              struct hs_error *error)
{
    const char *own = text_arena_copy(&set->arena, name, length);

    if (!own) {
        return hs_error_memory(error);
    }
    if (length == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--metric holds an empty name; it takes NAME[,NAME...].");
    }
    for (size_t i = 0; i < set->metric_count; i++) {
        if (strcmp(set->metrics[i].name, own) == 0) {
            return hs_error_set(error, HS_ERR_CONFIG, "--metric names '%s' twice.", own);
        }
    }
    if (set->metric_count == COMPARE_METRICS_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG, "--metric takes at most %d names.",
                            COMPARE_METRICS_MAX);
    }
    set->metrics[set->metric_count++].name = own;
    return HS_OK;
}

enum hs_err compare_choose_metrics(struct compare_set *set, const char *names,
                                   struct hs_error *error)
{
    enum hs_err code = HS_OK;

    set->has_defaults = !names;
    for (size_t i = 0;
         !names && code == HS_OK && i < sizeof usual_metrics / sizeof usual_metrics[0]; i++) {
        code = add_metric(set, usual_metrics[i], strlen(usual_metrics[i]), error);
    }
    while (names && code == HS_OK) {
        size_t length = strcspn(names, ",");

        code = add_metric(set, names, length, error);
        names = names[length] ? names + length + 1 : NULL;
    }
    return code;
}

enum hs_err compare_fail_metric(const char *path, const char *name, const char *const *names,
                                size_t count, struct hs_error *error)
{
    const char *near = hs_nearest(name, names, count);

    return hs_error_set(
        error, HS_ERR_CONFIG,
        "%s: no metric '%s' was recorded%s%s%s `hsim inspect --json` lists those that there are.",
        path, name, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "");
}

static enum hs_err fail_metric(const char *path, const char *name,
                               const struct result_summary *summary, struct hs_error *error)
{
    const char **names = calloc(summary->metric_count + 1, sizeof *names);
    enum hs_err code;

    if (!names) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < summary->metric_count; i++) {
        names[i] = summary->metrics[i].name;
    }
    code = compare_fail_metric(path, name, names, summary->metric_count, error);
    free(names);
    return code;
}

static enum hs_err read_values(struct result_reader *reader, struct compare_set *set,
                               struct compare_run *run, struct hs_error *error)
{
    struct result_summary summary = {0};
    enum hs_err code = result_reader_summary(reader, &summary, error);

    for (size_t i = 0; code == HS_OK && i < set->metric_count; i++) {
        struct compare_metric *metric = &set->metrics[i];
        const struct result_metric *found = NULL;

        for (size_t k = 0; k < summary.metric_count && !found; k++) {
            found = strcmp(summary.metrics[k].name, metric->name) == 0 ? &summary.metrics[k] : NULL;
        }
        if (!found && compare_find_cost(metric->name)) {
            *metric = *compare_find_cost(metric->name);
            code = compare_read_cost(reader, metric->name, &run->values[i], error);
        } else if (!found && !set->has_defaults) {
            code = fail_metric(result_reader_path(reader), metric->name, &summary, error);
        } else {
            run->values[i] = found && isfinite(found->value) ? found->value : NAN;
        }
        if (found && !metric->unit) {
            metric->unit = copy(set, found->unit);
            metric->doc = copy(set, found->doc);
        }
    }
    if (code == HS_OK) {
        run->schedule = copy(set, summary.schedule_digest);
    }
    run->stability = code == HS_OK ? result_stability_of(&summary) : RESULT_STABILITY_UNKNOWN;
    result_summary_fini(&summary);
    return code;
}

const char *compare_join_facts(struct compare_set *set, const struct compare_run *run)
{
    size_t length = 0;
    char *text;
    char *at;

    for (size_t i = 0; i < run->fact_count; i++) {
        length += strlen(run->facts[i].key) + strlen(run->facts[i].value) + 2;
    }
    text = text_arena_alloc(&set->arena, length + 1);
    at = text;
    for (size_t i = 0; text && i < run->fact_count; i++) {
        at = stpcpy(stpcpy(at, run->facts[i].key), "\t");
        at = stpcpy(stpcpy(at, run->facts[i].value), "\n");
    }
    return text;
}

enum hs_err compare_add_run(struct compare_set *set, const struct compare_run *run,
                            struct hs_error *error)
{
    struct compare_run *added;

    if (set->run_count == set->run_room) {
        size_t room = set->run_room ? 2 * set->run_room : 64;
        struct compare_run *moved = realloc(set->runs, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        set->runs = moved;
        set->run_room = room;
    }
    added = &set->runs[set->run_count++];
    *added = *run;
    added->path = copy(set, run->path);
    added->name = run->name == run->path ? added->path : copy(set, run->name);
    added->label = copy(set, run->label);
    added->values = text_arena_alloc(&set->arena, set->metric_count * sizeof *added->values);
    if (!added->values) {
        return hs_error_memory(error);
    }
    memcpy(added->values, run->values, set->metric_count * sizeof *added->values);
    added->situation = compare_join_facts(set, added);
    return set->arena.has_failed ? hs_error_memory(error) : HS_OK;
}

static enum hs_err read_run(struct compare_set *set, struct result_reader *reader, bool is_named,
                            struct hs_error *error)
{
    double values[COMPARE_METRICS_MAX];
    const char *path = result_reader_path(reader);
    struct compare_run run = {.path = path, .name = path, .values = values};
    char *status = NULL;
    char *label = NULL;
    enum hs_err code = result_reader_text(reader, ".", "status", &status, error);
    bool is_complete = code == HS_OK && strcmp(status, "complete") == 0;

    if (code == HS_OK && !is_complete && is_named) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: the run was interrupted, so its numbers are those of a part of "
                            "the workload. Run the experiment to its end.",
                            run.path);
    }
    if (code == HS_OK && is_complete) {
        code = result_reader_text(reader, ".", "policy", &label, error);
    }
    if (code == HS_OK && is_complete) {
        code = read_values(reader, set, &run, error);
    }
    if (code == HS_OK && is_complete) {
        code = compare_read_facts(reader, &set->arena, &run, error);
    }
    if (code == HS_OK && is_complete) {
        run.label = label;
        run.trace = compare_trace_of_facts(&set->arena, &run);
        code = compare_add_run(set, &run, error);
    }
    set->interrupted += code == HS_OK && !is_complete;
    free(label);
    free(status);
    return code;
}

static enum hs_err remember_path(struct compare_set *set, const char *path, struct hs_error *error)
{
    char *resolved = realpath(path, NULL);

    if (!resolved && errno == ENOMEM) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; resolved && i < set->path_count; i++) {
        if (strcmp(set->paths[i], resolved) == 0) {
            free(resolved);
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: the file is named twice, and a run counts once. Name it, or "
                                "the folder in which it is, one time.",
                                path);
        }
    }
    if (resolved && set->path_count == set->path_room) {
        size_t room = set->path_room ? 2 * set->path_room : 64;
        const char **moved = realloc(set->paths, room * sizeof *moved);

        if (!moved) {
            free(resolved);
            return hs_error_memory(error);
        }
        set->path_room = room;
        set->paths = moved;
    }
    if (resolved) {
        set->paths[set->path_count++] = copy(set, resolved);
    }
    free(resolved);
    return set->arena.has_failed ? hs_error_memory(error) : HS_OK;
}

static enum hs_err read_file(struct compare_set *set, const char *path, bool is_named,
                             struct hs_error *error)
{
    struct result_reader *reader = NULL;
    bool has_company = set->path_count > 0;
    bool is_sweep = false;
    enum hs_err code = remember_path(set, path, error);

    if (code == HS_OK) {
        code = sweep_file_is_one(path, &is_sweep, error);
    }
    if (code == HS_OK && set->is_sweep) {
        code = compare_complete_facts(set, error);
    }
    if (code == HS_OK && is_sweep) {
        set->is_sweep = !has_company;
        return compare_read_sweep(set, path, has_company, error);
    }
    set->is_sweep = false;
    if (code == HS_OK) {
        code = result_reader_open(path, &reader, error);
    }
    if (code == HS_OK) {
        code = read_run(set, reader, is_named, error);
    }
    result_reader_close(reader);
    return code;
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name);

    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* FOLDER/NAME; the caller frees. NULL: no memory. */
static char *join_path(const char *folder, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%s%s%s", folder, has_ending(folder, "/") ? "" : "/", name) < 0) {
        return NULL;
    }
    return path;
}

/* Of the folder of a sweep the merged file is read: it has all that its runs have. *is_sweep: it
 * was one. */
static enum hs_err read_merged(struct compare_set *set, const char *folder, bool *is_sweep,
                               struct hs_error *error)
{
    char *path = join_path(folder, "sweep.h5");
    enum hs_err code = path ? HS_OK : hs_error_memory(error);

    *is_sweep = false;
    if (code == HS_OK && access(path, F_OK) == 0) {
        code = sweep_file_is_one(path, is_sweep, error);
    }
    if (code == HS_OK && *is_sweep) {
        code = read_file(set, path, false, error);
    }
    free(path);
    return code;
}

static enum hs_err read_folder(struct compare_set *set, const char *path, int depth,
                               struct hs_error *error)
{
    struct dirent **entries = NULL;
    bool is_sweep = false;
    enum hs_err code = read_merged(set, path, &is_sweep, error);
    int count = code == HS_OK && !is_sweep ? scandir(path, &entries, NULL, compare_entries) : 0;

    if (count < 0) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: the folder cannot be read: %s.", path,
                            strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        char *below = NULL;
        struct stat status;

        if (code == HS_OK && entries[i]->d_name[0] != '.') {
            below = join_path(path, entries[i]->d_name);
            code = below ? HS_OK : hs_error_memory(error);
        }
        if (below && stat(below, &status) == 0 && S_ISDIR(status.st_mode)) {
            code = depth < DEPTH_MAX ? read_folder(set, below, depth + 1, error) : HS_OK;
        } else if (below && has_ending(below, ".h5")) {
            code = read_file(set, below, false, error);
        }
        free(below);
        free(entries[i]);
    }
    free(entries);
    return code;
}

enum hs_err compare_read(struct compare_set *set, const char *path, struct hs_error *error)
{
    size_t before = set->path_count - set->interrupted;
    struct stat status;
    enum hs_err code;

    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return read_file(set, path, true, error);
    }
    code = read_folder(set, path, 0, error);
    if (code == HS_OK && set->path_count - set->interrupted == before) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: the folder holds no complete result (*.h5). Name the one into "
                            "which `hsim run -o FOLDER/` or `hsim sweep` wrote.",
                            path);
    }
    return code;
}

void compare_drop_metrics(struct compare_set *set)
{
    size_t kept = 0;

    for (size_t m = 0; m < set->metric_count; m++) {
        if (!set->metrics[m].unit) {
            continue;
        }
        set->metrics[kept] = set->metrics[m];
        for (size_t i = 0; i < set->run_count; i++) {
            set->runs[i].values[kept] = set->runs[i].values[m];
        }
        kept++;
    }
    set->metric_count = kept;
}

void compare_fini(struct compare_set *set)
{
    free(set->runs);
    free(set->paths);
    text_arena_fini(&set->arena);
    *set = (struct compare_set){0};
}
