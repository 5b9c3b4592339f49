/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.c - opens the results of a figure and names their curves. */
#include "plot/runs.h"

#include <stdlib.h>
#include <string.h>

/* Control characters have no place in a legend. */
static void tidy(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 127) {
            *text = ' ';
        }
    }
}

static enum hs_err open_run(struct plot_run *run, const char *path, struct figure *figure,
                            struct hs_error *error)
{
    char *status = NULL;
    enum hs_err code = result_reader_open(path, &run->reader, error);

    run->path = path;
    if (code == HS_OK) {
        code = result_reader_text(run->reader, ".", "policy", &run->label, error);
    }
    if (code == HS_OK) {
        tidy(run->label);
        code = result_reader_text(run->reader, ".", "status", &status, error);
    }
    if (code == HS_OK && strcmp(status, "complete") != 0) {
        figure_note(figure,
                    "%s: the run was interrupted; the picture shows what was done until "
                    "then.",
                    path);
    }
    free(status);
    return code;
}

/* NAME=TEXT: TEXT for all runs whose policy or path is NAME. */
static enum hs_err apply_label(const char *label, struct plot_runs *runs, const char **policies,
                               struct hs_error *error)
{
    const char *equals = strchr(label, '=');
    size_t length = equals ? (size_t)(equals - label) : 0;
    bool is_used = false;
    char name[256];

    if (!equals || length == 0 || !equals[1]) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--label is '%s'; NAME=TEXT is due, where NAME is a policy or a file "
                            "as it is named, as in --label easy=EASY.",
                            label);
    }
    for (size_t i = 0; i < runs->count; i++) {
        struct plot_run *run = &runs->list[i];

        if ((strncmp(policies[i], label, length) == 0 && !policies[i][length]) ||
            (strncmp(run->path, label, length) == 0 && !run->path[length])) {
            char *text = strdup(equals + 1);

            if (!text) {
                return hs_error_memory(error);
            }
            tidy(text);
            free(run->label);
            run->label = text;
            is_used = true;
        }
    }
    if (!is_used) {
        const char *near;

        (void)snprintf(name, sizeof name, "%.*s", (int)length, label);
        near = hs_nearest(name, policies, runs->count);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--label %s: no file of the figure is of the policy '%s' or is named "
                            "so%s%s%s",
                            label, name, near ? "; did you mean '" : ".", near ? near : "",
                            near ? "'?" : "");
    }
    return HS_OK;
}

static enum hs_err apply_labels(const struct plot_request *request, struct plot_runs *runs,
                                struct hs_error *error)
{
    const char **policies = calloc(runs->count, sizeof *policies);
    char **copies = calloc(runs->count, sizeof *copies);
    enum hs_err code = policies && copies ? HS_OK : hs_error_memory(error);

    for (size_t i = 0; code == HS_OK && i < runs->count; i++) {
        copies[i] = strdup(runs->list[i].label);
        policies[i] = copies[i];
        code = copies[i] ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < request->label_count; i++) {
        code = apply_label(request->labels[i], runs, policies, error);
    }
    for (size_t i = 0; copies && i < runs->count; i++) {
        free(copies[i]);
    }
    free(copies);
    free(policies);
    return code;
}

/* Length of what all paths begin with, up to a slash. */
static size_t common_folder(const struct plot_runs *runs)
{
    const char *first = runs->list[0].path;
    size_t common = strlen(first);
    size_t folder = 0;

    for (size_t i = 1; i < runs->count; i++) {
        size_t length = 0;

        while (length < common && runs->list[i].path[length] == first[length]) {
            length++;
        }
        common = length;
    }
    for (size_t i = 0; i < common; i++) {
        folder = first[i] == '/' ? i + 1 : folder;
    }
    return folder;
}

static bool has_own_label(const struct plot_runs *runs, size_t run)
{
    for (size_t i = 0; i < runs->count; i++) {
        if (i != run && strcmp(runs->list[i].label, runs->list[run].label) == 0) {
            return false;
        }
    }
    return true;
}

/* "easy (study/a)", of a run whose path without the common folder is `name`. */
static char *label_with_file(const char *label, const char *name)
{
    size_t length = strlen(name);
    char *text = NULL;

    length -= length > 3 && strcmp(name + length - 3, ".h5") == 0 ? 3 : 0;
    if (asprintf(&text, "%s (%.*s)", label, (int)length, name) < 0) {
        return NULL;
    }
    tidy(text);
    return text;
}

/* Two curves of one name are told apart by their files. */
static enum hs_err part_labels(struct plot_runs *runs, struct hs_error *error)
{
    size_t folder = common_folder(runs);
    char **parted = calloc(runs->count, sizeof *parted); /* NULL: the label stays */
    enum hs_err code = parted ? HS_OK : hs_error_memory(error);

    for (size_t i = 0; code == HS_OK && i < runs->count; i++) {
        if (!has_own_label(runs, i)) {
            parted[i] = label_with_file(runs->list[i].label, runs->list[i].path + folder);
            code = parted[i] ? HS_OK : hs_error_memory(error);
        }
    }
    for (size_t i = 0; parted && i < runs->count; i++) {
        if (parted[i]) {
            free(runs->list[i].label);
            runs->list[i].label = parted[i];
        }
        runs->labels[i] = runs->list[i].label;
    }
    free(parted);
    return code;
}

enum hs_err plot_runs_open(const struct plot_request *request, size_t max, struct plot_runs *runs,
                           struct figure *figure, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    *runs = (struct plot_runs){0};
    if (request->path_count > max) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "A figure of this kind shows at most %zu runs, and %zu files are "
                            "named: more could not be told apart. Name fewer.",
                            max, request->path_count);
    }
    runs->list = calloc(request->path_count, sizeof *runs->list);
    runs->labels = calloc(request->path_count, sizeof *runs->labels);
    if (!runs->list || !runs->labels) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < request->path_count; i++) {
        runs->count++;
        code = open_run(&runs->list[i], request->paths[i], figure, error);
    }
    if (code == HS_OK) {
        code = apply_labels(request, runs, error);
    }
    return code == HS_OK ? part_labels(runs, error) : code;
}

void plot_runs_close(struct plot_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        result_reader_close(runs->list[i].reader);
        free(runs->list[i].label);
    }
    free(runs->list);
    free(runs->labels);
    *runs = (struct plot_runs){0};
}
