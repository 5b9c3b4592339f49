/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_files.c - scripts and lists of runs. */
#include "sweep/slurm_files.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/shell.h"
#include "sweep/slurm_names.h"

#define MEBIBYTE (INT64_C(1) << 20)

static enum hs_err fail_path(const char *path, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_SYSTEM, "%s: cannot be written: %s.", path, strerror(errno));
}

static enum hs_err make_folder(const char *path, struct hs_error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? HS_OK : fail_path(path, error);
}

enum hs_err slurm_files_begin(const struct slurm_request *request, uint64_t *submission,
                              char **place, struct hs_error *error)
{
    uint64_t last = 0;
    char *top = NULL;
    enum hs_err err;

    *place = NULL;
    if (asprintf(&top, "%s/slurm", request->folder) < 0) {
        return hs_error_memory(error);
    }
    err = make_folder(top, error);
    free(top);
    /* A person may have removed the folder of jobs that still are in the queue. */
    for (size_t i = 0; i < request->queue->count; i++) {
        const struct slurm_job *job = &request->queue->jobs[i];

        last = job->submission > last ? job->submission : last;
    }
    while (err == HS_OK) {
        *place = slurm_place(request->folder, ++last);
        if (!*place) {
            return hs_error_memory(error);
        }
        if (mkdir(*place, 0777) == 0) {
            *submission = last;
            return HS_OK;
        }
        if (errno != EEXIST) {
            err = fail_path(*place, error);
        }
        free(*place);
        *place = NULL;
    }
    return err;
}

/* PLACE/NAME for writing. */
static enum hs_err open_file(const char *place, const char *name, char **path, FILE **file,
                             struct hs_error *error)
{
    *file = NULL;
    *path = NULL;
    if (asprintf(path, "%s/%s", place, name) < 0) {
        *path = NULL;
        return hs_error_memory(error);
    }
    *file = fopen(*path, "w");
    if (!*file) {
        enum hs_err err = fail_path(*path, error);

        free(*path);
        *path = NULL;
        return err;
    }
    return HS_OK;
}

/* Closes the file, frees its path, and tells whether all of it was written. */
static enum hs_err close_file(char *path, FILE *file, struct hs_error *error)
{
    bool is_bad = ferror(file) != 0;
    enum hs_err err = HS_OK;

    if (fclose(file) != 0 || is_bad) {
        err = fail_path(path, error);
    }
    free(path);
    return err;
}

enum hs_err slurm_files_tasks(const char *place, const struct slurm_work *work, const size_t *first,
                              size_t task_count, struct hs_error *error)
{
    char *path = NULL;
    enum hs_err err;

    if (asprintf(&path, "%s/tasks", place) < 0) {
        return hs_error_memory(error);
    }
    err = make_folder(path, error);
    free(path);
    for (size_t task = 0; task < task_count && err == HS_OK; task++) {
        char name[32];
        FILE *file;

        (void)snprintf(name, sizeof name, "tasks/%zu", task);
        err = open_file(place, name, &path, &file, error);
        if (err != HS_OK) {
            break;
        }
        for (size_t i = first[task]; i < first[task + 1]; i++) {
            (void)fprintf(file, "%s\n", work->keys[i]);
        }
        err = close_file(path, file, error);
    }
    return err;
}

/* Lines that all scripts begin with. Files are named relative to the folder of the submission, in
 * which sbatch is called, so that the folder may have any name. */
static void write_head(FILE *file, const char *what, const char *log)
{
    (void)fprintf(
        file,
        "#!/bin/sh\n"
        "# %s\n"
        "# Written by `hsim sweep --engine slurm`, which passes further options to sbatch.\n"
        "#SBATCH --output=%s\n"
        "#SBATCH --open-mode=append\n"
        "#SBATCH --requeue\n"
        "#SBATCH --nodes=1\n"
        "#SBATCH --ntasks=1\n",
        what, log);
}

enum hs_err slurm_files_job(const struct slurm_request *request, const char *place,
                            double longest_s, int64_t rss_bytes, struct hs_error *error)
{
    char *path;
    FILE *file;
    enum hs_err err = open_file(place, "job.sh", &path, &file, error);

    if (err != HS_OK) {
        return err;
    }
    write_head(file, "Computes the runs of a task, which is number $1 + the index in the array.",
               "%A_%a.log");
    (void)fprintf(file, "#SBATCH --cpus-per-task=1\n");
    if (rss_bytes > 0) {
        int64_t needed = 2 * rss_bytes / MEBIBYTE + 256; /* the run, and what it is forked from */

        (void)fprintf(file, "#SBATCH --mem=%" PRId64 "M\n", needed < 512 ? 512 : needed);
    }
    if (!isnan(longest_s)) {
        (void)fprintf(file, "#SBATCH --time=%.0f\n", 10.0 + ceil(2.0 * longest_s / 60.0));
    }
    /* Without --run it would be the whole sweep. Keys are hexadecimal digits. */
    (void)fputs("runs=$(sed 's/^/--run /' ", file);
    shell_write_word(file, place);
    (void)fputs("/tasks/\"$(($1 + SLURM_ARRAY_TASK_ID))\") && [ -n \"$runs\" ] || exit\nexec ",
                file);
    shell_write_words(file, request->command, request->command_count);
    (void)fputs(" -j \"${SLURM_CPUS_PER_TASK:-1}\" $runs\n", file);
    return close_file(path, file, error);
}

enum hs_err slurm_files_merge(const struct slurm_request *request, const char *place,
                              struct hs_error *error)
{
    char *path;
    FILE *file;
    enum hs_err err = open_file(place, "merge.sh", &path, &file, error);

    if (err != HS_OK) {
        return err;
    }
    write_head(file, "Merges the results when all tasks have ended.", "merge-%j.log");
    (void)fputs("#SBATCH --cpus-per-task=1\n"
                "#SBATCH --mem=1G\n"
                "#SBATCH --time=60\n"
                "exec ",
                file);
    shell_write_words(file, request->command, request->command_count);
    (void)fputs(" --merge\n", file);
    return close_file(path, file, error);
}

enum hs_err slurm_files_calls(const char *place, const char *calls, struct hs_error *error)
{
    char *path;
    FILE *file;
    enum hs_err err = open_file(place, "submit.sh", &path, &file, error);

    if (err != HS_OK) {
        return err;
    }
    (void)fputs("#!/bin/sh\n# The calls of sbatch for this submission.\nset -e\ncd ", file);
    shell_write_word(file, place);
    (void)fprintf(file, "\n%s", calls);
    return close_file(path, file, error);
}
