/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_queue.c - which jobs of a sweep Slurm has, and which runs they will compute. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/shell.h"
#include "sweep/slurm_names.h"

#define FIELD_COUNT 5 /* of a line: %F|%K|%T|%r|%j */

/* The part of a job's name behind the study and the folder: "3.1000" or "3.merge". */
static bool parse_place(const char *text, struct slurm_job *job)
{
    char *end;

    errno = 0;
    job->submission = strtoull(text, &end, 10);
    if (errno || end == text || *end != '.') {
        return false;
    }
    text = end + 1;
    job->is_merge = strcmp(text, "merge") == 0;
    job->task = job->is_merge ? 0 : strtoull(text, &end, 10);
    return job->is_merge || (!errno && end != text && !*end);
}

/* A line of squeue, which is cut into its fields. False: no job of this sweep. */
static bool parse_line(char *line, const char *mark, struct slurm_job *job)
{
    char *fields[FIELD_COUNT];
    const char *place;

    memset(job, 0, sizeof *job);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        fields[i] = line;
        line += strcspn(line, "|");
        if (i + 1 < FIELD_COUNT) {
            if (!*line) {
                return false;
            }
            *line++ = '\0';
        }
    }
    place = strstr(fields[4], mark);
    if (!place || !parse_place(place + strlen(mark), job)) {
        return false;
    }
    if (!job->is_merge) {
        char *end;
        uint64_t index = strtoull(fields[1], &end, 10);

        if (end == fields[1] || *end) {
            return false;
        }
        job->task += index;
    }
    (void)snprintf(job->id, sizeof job->id, "%s", fields[0]);
    (void)snprintf(job->state, sizeof job->state, "%s", fields[2]);
    (void)snprintf(job->reason, sizeof job->reason, "%s", fields[3]);
    return true;
}

static bool add(struct slurm_queue *queue, size_t *capacity, const struct slurm_job *job)
{
    if (queue->count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 64;
        struct slurm_job *jobs = realloc(queue->jobs, larger * sizeof *jobs);

        if (!jobs) {
            return false;
        }
        queue->jobs = jobs;
        *capacity = larger;
    }
    queue->jobs[queue->count++] = *job;
    return true;
}

enum hs_err slurm_queue_parse(const char *folder, const char *text, struct slurm_queue *queue,
                              struct hs_error *error)
{
    char mark[SLURM_MARK_SIZE];
    char *copy = strdup(text);
    size_t capacity = 0;
    enum hs_err err = copy ? HS_OK : hs_error_memory(error);

    memset(queue, 0, sizeof *queue);
    slurm_mark(folder, mark);
    for (char *line = copy, *next; line && *line && err == HS_OK; line = next) {
        struct slurm_job job;

        next = strchrnul(line, '\n');
        if (*next) {
            *next++ = '\0';
        }
        if (parse_line(line, mark, &job) && !add(queue, &capacity, &job)) {
            err = hs_error_memory(error);
        }
    }
    free(copy);
    return err;
}

enum hs_err slurm_queue_read(const char *folder, struct slurm_queue *queue, struct hs_error *error)
{
    char user[32];
    const char *words[] = {"squeue", "--noheader", "--array", "--format=%F|%K|%T|%r|%j",
                           user,     NULL};
    struct shell_answer answer = {0};
    enum hs_err err;

    memset(queue, 0, sizeof *queue);
    (void)snprintf(user, sizeof user, "--user=%ju", (uintmax_t)getuid());
    err = shell_run(words, NULL, &answer, error);
    if (err == HS_OK && answer.is_missing) {
        queue->is_unknown = true;
    } else if (err == HS_OK && answer.status != 0) {
        err = hs_error_set(error, HS_ERR_SYSTEM,
                           "`squeue` cannot say which jobs are there (exit code %d): %s",
                           answer.status, answer.words);
    } else if (err == HS_OK) {
        err = slurm_queue_parse(folder, answer.output, queue, error);
    }
    shell_answer_fini(&answer);
    return err;
}

void slurm_queue_fini(struct slurm_queue *queue)
{
    free(queue->jobs);
    memset(queue, 0, sizeof *queue);
}

/* A key of the sweep and its place in the caller's list. */
struct entry {
    const char *key;
    size_t index;
};

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const struct entry *)left)->key, ((const struct entry *)right)->key);
}

/* Marks the runs of a task's list. A list that is not there names none. */
static void mark_task(const char *path, const struct entry *entries, size_t count, bool *is_waiting)
{
    FILE *file = fopen(path, "r");
    char line[SWEEP_KEY_SIZE + 1];

    while (file && fgets(line, sizeof line, file)) {
        const struct entry wanted = {.key = line};
        const struct entry *found;

        line[strcspn(line, "\n")] = '\0';
        found = bsearch(&wanted, entries, count, sizeof *entries, compare_entries);
        if (found) {
            is_waiting[found->index] = true;
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

enum hs_err slurm_waiting(const char *folder, const struct slurm_queue *queue,
                          const char *const *keys, size_t count, bool *is_waiting,
                          struct hs_error *error)
{
    struct entry *entries = calloc(count + 1, sizeof *entries);

    if (!entries) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct entry){keys[i], i};
        is_waiting[i] = false;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < queue->count; i++) {
        const struct slurm_job *job = &queue->jobs[i];
        char *path = NULL;

        if (job->is_merge) {
            continue;
        }
        path = slurm_task_path(folder, job->submission, job->task);
        if (!path) {
            free(entries);
            return hs_error_memory(error);
        }
        mark_task(path, entries, count, is_waiting);
        free(path);
    }
    free(entries);
    return HS_OK;
}
