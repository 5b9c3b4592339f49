/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.c - which result files a session writes, and that none of them overwrites anything. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/run_internal.h"

enum hs_err run_make_folders(const char *path, struct hs_error *error)
{
    char *copy = strdup(path);
    enum hs_err err = HS_OK;

    if (!copy) {
        return hs_error_memory(error);
    }
    for (char *c = copy + 1; err == HS_OK; c++) {
        if (*c == '/' || *c == '\0') {
            char saved = *c;
            struct stat status;

            *c = '\0';
            if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
                err = hs_error_set(error, HS_ERR_SYSTEM,
                                   "The folder '%s' cannot be made: %s. Choose another with -o.",
                                   copy, strerror(errno));
            } else if (stat(copy, &status) == 0 && !S_ISDIR(status.st_mode)) {
                err = hs_error_set(error, HS_ERR_SYSTEM,
                                   "'%s' is no folder, so that no result can be written into it. "
                                   "Choose another with -o; the name of a single result file "
                                   "ends in .h5.",
                                   copy);
            }
            *c = saved;
            if (saved == '\0') {
                break;
            }
        }
    }
    free(copy);
    return err;
}

/* Whether both paths lead to one file; not if one of them leads nowhere. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;

    return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* No result takes the place of an input, not even with --force. */
static enum hs_err refuse_input(const struct run_session *session, const char *file,
                                struct hs_error *error)
{
    const struct run_inputs *inputs = &session->files_read;
    char *part;
    enum hs_err err = HS_OK;

    if (asprintf(&part, "%s.part", file) < 0) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; err == HS_OK && i <= inputs->count; i++) {
        const char *input = i < inputs->count ? inputs->list[i].path : session->experiment->path;

        if (is_same_file(file, input) || is_same_file(part, input)) {
            err = hs_error_set(error, HS_ERR_CONFIG,
                               "%s: writing this result would destroy '%s', which the experiment "
                               "reads; write elsewhere with -o.",
                               file, input);
        }
    }
    free(part);
    return err;
}

static enum hs_err refuse_existing(const struct run_session *session, struct hs_error *error)
{
    for (size_t i = 0; i < session->experiment->policy_count; i++) {
        struct stat status;
        enum hs_err err = refuse_input(session, session->files[i], error);

        if (err != HS_OK) {
            return err;
        }
        if (stat(session->files[i], &status) == 0 && S_ISDIR(status.st_mode)) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: this is a folder; a result is a file. Write elsewhere with "
                                "-o, or give it as '%s/' to write into it.",
                                session->files[i], session->files[i]);
        }
        if (!session->request->is_forced && access(session->files[i], F_OK) == 0) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: a result is there already; replace it with --force, or write "
                                "elsewhere with -o.",
                                session->files[i]);
        }
    }
    return HS_OK;
}

/* Names the result files and makes their folder. */
enum hs_err session_plan_files(struct run_session *session, struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    const char *given = session->request->output ? session->request->output : experiment->output;
    char *folder = NULL;
    enum hs_err err = HS_OK;

    if (session->request->has_no_file) {
        return HS_OK;
    }
    if (given && !*given) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The output path is empty; name a file that ends in .h5, or a folder.");
    }
    if (given && run_ends_with(given, ".h5")) {
        char *slash;

        if (experiment->policy_count > 1) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "'%s' is one file and the experiment has %zu policies; name a "
                                "folder (without .h5).",
                                given, experiment->policy_count);
        }
        session->files[0] = strdup(given);
        folder = strdup(given);
        slash = folder ? strrchr(folder, '/') : NULL;
        if (slash) {
            *slash = '\0';
        }
        if (session->files[0] && slash && *folder) {
            err = run_make_folders(folder, error);
        }
    } else {
        int length = given ? asprintf(&folder, "%s", given)
                           : asprintf(&folder, "results/%s", experiment->name);

        if (length < 0) {
            return hs_error_memory(error);
        }
        for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/'; end--) {
            folder[end - 1] = '\0';
        }
        err = run_make_folders(folder, error);
        for (size_t i = 0; i < experiment->policy_count; i++) {
            if (asprintf(&session->files[i], "%s/%s.h5", folder, session->labels[i]) < 0) {
                session->files[i] = NULL;
            }
        }
    }
    free(folder);
    for (size_t i = 0; err == HS_OK && i < experiment->policy_count; i++) {
        if (!session->files[i]) {
            err = hs_error_memory(error);
        }
    }
    return err == HS_OK ? refuse_existing(session, error) : err;
}
