/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm.c - packs the runs into tasks, writes the scripts and calls sbatch. */
#include "sweep/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/pack.h"
#include "sweep/shell.h"
#include "sweep/slurm_files.h"
#include "sweep/slurm_names.h"

#define ARRAY_SIZE_DEFAULT 1001 /* MaxArraySize of a Slurm that was not told otherwise */

bool slurm_option_is_ours(const char *option)
{
    static const char *const names[] = {"--array",      "-a",     "--chdir",    "-D",
                                        "--dependency", "-d",     "--job-name", "-J",
                                        "--test-only",  "--wrap", "--wait",     "-W"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        bool is_short = length == 2;

        if (strncmp(option, names[i], length) == 0 &&
            (is_short || !option[length] || option[length] == '=')) {
            return true;
        }
    }
    return false;
}

enum hs_err slurm_lock(const char *folder, int *lock, struct hs_error *error)
{
    char *path = NULL;
    enum hs_err err = HS_OK;

    *lock = -1;
    if (asprintf(&path, "%s/slurm", folder) < 0) {
        return hs_error_memory(error);
    }
    (void)mkdir(path, 0777); /* if it is not there afterwards, open says so */
    free(path);
    if (asprintf(&path, "%s/slurm/lock", folder) < 0) {
        return hs_error_memory(error);
    }
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0) {
        err =
            hs_error_set(error, HS_ERR_SYSTEM, "%s: cannot be opened: %s.", path, strerror(errno));
    } else if (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        err = errno == EWOULDBLOCK
                  ? hs_error_set(error, HS_ERR_CONFIG,
                                 "%s: somebody is submitting this sweep at this moment; call again "
                                 "when that is done.",
                                 path)
                  : hs_error_set(error, HS_ERR_SYSTEM, "%s: cannot be locked: %s.", path,
                                 strerror(errno));
        (void)close(*lock);
        *lock = -1;
    }
    free(path);
    return err;
}

/* A submission that is being made. Streams end in memory. */
struct submission {
    const struct slurm_request *request;
    struct slurm_result *result;
    char name[SLURM_WORD_SIZE + 32]; /* "--job-name=STUDY.FOLDER.N." */
    FILE *calls;                     /* the calls of sbatch, for a shell */
    FILE *after;                     /* ":17:18": what the merge waits for */
    FILE *after_calls;               /* the same for a shell, with variables for the new arrays */
};

/* How many tasks an array may have. */
static size_t array_size(void)
{
    const char *words[] = {"scontrol", "show", "config", NULL};
    struct shell_answer answer = {0};
    struct hs_error ignored = {0};
    size_t size = ARRAY_SIZE_DEFAULT;

    if (shell_run(words, NULL, &answer, &ignored) == HS_OK && answer.output) {
        const char *line = strstr(answer.output, "MaxArraySize");
        unsigned long long value = 0;

        if (line) {
            line += strcspn(line, "=\n");
            value = *line == '=' ? strtoull(line + 1, NULL, 10) : 0;
        }
        size = value > 0 && value < SIZE_MAX ? (size_t)value : size;
    }
    shell_answer_fini(&answer);
    return size;
}

static enum hs_err fail_sbatch(const struct submission *submission,
                               const struct shell_answer *answer, struct hs_error *error)
{
    const struct slurm_result *result = submission->result;
    char before[320] = "Nothing was submitted";

    if (result->arrays > 0) {
        (void)snprintf(before, sizeof before,
                       "Array %s was submitted before, and will not be again", result->array_ids);
    }
    if (answer->is_missing) {
        return hs_error_set(
            error, HS_ERR_SYSTEM,
            "There is no `sbatch` on the PATH. Call hsim where Slurm's commands are, "
            "write the scripts only (--dry-run), or let another system run the "
            "commands of --engine commands.");
    }
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "sbatch refused %s/%s (exit code %d): %s\n%s. Options for sbatch can be "
                        "given with --slurm-option=--OPTION=VALUE; then call again.",
                        result->place, result->arrays > 0 ? "the rest" : "job.sh", answer->status,
                        *answer->words ? answer->words : "(it gave no reason)", before);
}

/* A call of sbatch: our words behind those that the person gave, so that ours win. */
struct call {
    const char *words[5];     /* NULL behind the last */
    const char *first;        /* words[0] as it stands in the script of calls; NULL: quoted */
    const char *variable;     /* of that script, for the number of the job; NULL: none */
    char id[SLURM_WORD_SIZE]; /* number of the job; "" in a dry run */
};

/* Writes the call into the script. */
static void note_call(FILE *file, const struct call *call, const char *const *words, size_t given)
{
    if (call->variable) {
        (void)fprintf(file, "%s=$(", call->variable);
    }
    shell_write_words(file, words, given);
    for (size_t i = 0; call->words[i]; i++) {
        (void)fputc(' ', file);
        if (i == 0 && call->first) {
            (void)fputs(call->first, file);
        } else {
            shell_write_word(file, call->words[i]);
        }
    }
    (void)fputs(call->variable ? ")\n" : "\n", file);
}

static enum hs_err call_sbatch(const struct submission *submission, struct call *call,
                               struct hs_error *error)
{
    const struct slurm_request *request = submission->request;
    const char **words = calloc(request->option_count + 8, sizeof *words);
    struct shell_answer answer = {0};
    size_t count = 0;
    enum hs_err err = HS_OK;

    if (!words) {
        return hs_error_memory(error);
    }
    words[count++] = "sbatch";
    words[count++] = "--parsable";
    for (size_t i = 0; i < request->option_count; i++) {
        words[count++] = request->options[i];
    }
    note_call(submission->calls, call, words, count);
    for (size_t i = 0; call->words[i]; i++) {
        words[count++] = call->words[i];
    }
    call->id[0] = '\0';
    if (!request->is_dry) {
        err = shell_run(words, submission->result->place, &answer, error);
    }
    if (err == HS_OK && !request->is_dry) {
        if (answer.is_missing || answer.status != 0) {
            err = fail_sbatch(submission, &answer, error);
        } else {
            /* "17", or "17;cluster" */
            (void)snprintf(call->id, sizeof call->id, "%.*s", (int)strcspn(answer.output, ";\n"),
                           answer.output);
        }
    }
    shell_answer_fini(&answer);
    free(words);
    return err;
}

/* Tasks `offset` to offset + count - 1. */
static enum hs_err submit_array(const struct submission *submission, size_t offset, size_t count,
                                struct hs_error *error)
{
    struct slurm_result *result = submission->result;
    char name[sizeof submission->name + 32], array[64], argument[32], variable[32];
    struct call call = {.words = {name, array, "job.sh", argument, NULL}, .variable = variable};
    size_t length = strlen(result->array_ids);
    enum hs_err err;

    (void)snprintf(name, sizeof name, "%s%zu", submission->name, offset);
    (void)snprintf(array, sizeof array, "--array=0-%zu", count - 1);
    (void)snprintf(argument, sizeof argument, "%zu", offset);
    (void)snprintf(variable, sizeof variable, "array%zu", result->arrays + 1);
    err = call_sbatch(submission, &call, error);
    if (err == HS_OK) {
        (void)snprintf(result->array_ids + length, sizeof result->array_ids - length, "%s%s",
                       length ? ", " : "", call.id);
        result->arrays++;
        (void)fprintf(submission->after, ":%s", call.id);
        (void)fprintf(submission->after_calls, ":\"${%s%%%%;*}\"", variable);
    }
    return err;
}

/* Behind all jobs of the sweep, whatever becomes of them. */
static enum hs_err submit_merge(const struct submission *submission, const char *after,
                                const char *after_calls, struct hs_error *error)
{
    char name[sizeof submission->name + 32];
    char *dependency = NULL;
    char *written = NULL;
    struct call call = {.words = {NULL}};
    enum hs_err err = HS_OK;

    (void)snprintf(name, sizeof name, "%smerge", submission->name);
    if (asprintf(&dependency, "--dependency=afterany%s", after) < 0) {
        return hs_error_memory(error);
    }
    if (asprintf(&written, "--dependency=afterany%s", after_calls) < 0) {
        free(dependency);
        return hs_error_memory(error);
    }
    if (*after_calls) {
        call = (struct call){.words = {dependency, name, "merge.sh", NULL}, .first = written};
    } else {
        call = (struct call){.words = {name, "merge.sh", NULL}};
    }
    err = call_sbatch(submission, &call, error);
    if (err == HS_OK) {
        (void)snprintf(submission->result->merge_id, sizeof submission->result->merge_id, "%s",
                       call.id);
    }
    free(dependency);
    free(written);
    return err;
}

/* The merge also waits for what is in the queue, an older merge too. */
static void wait_for_queue(const struct submission *submission)
{
    const struct slurm_queue *queue = submission->request->queue;

    for (size_t i = 0; i < queue->count; i++) {
        bool is_new = true;

        for (size_t k = i; k > 0 && is_new; k--) {
            is_new = strcmp(queue->jobs[k - 1].id, queue->jobs[i].id) != 0;
        }
        if (is_new) {
            (void)fprintf(submission->after, ":%s", queue->jobs[i].id);
            (void)fprintf(submission->after_calls, ":%s", queue->jobs[i].id);
        }
    }
}

static double longest_task(const struct slurm_work *work, const size_t *first, size_t tasks)
{
    double longest_s = 0.0;

    for (size_t task = 0; task < tasks; task++) {
        double sum_s = 0.0;

        for (size_t i = first[task]; i < first[task + 1]; i++) {
            sum_s += work->wall_s[i];
        }
        longest_s = isnan(sum_s) || sum_s > longest_s ? sum_s : longest_s;
        if (isnan(longest_s)) {
            break;
        }
    }
    return longest_s;
}

/* Packs the runs and writes all but the calls. */
static enum hs_err write_files(const struct submission *submission, const struct slurm_work *work,
                               struct hs_error *error)
{
    const struct slurm_request *request = submission->request;
    struct slurm_result *result = submission->result;
    size_t *first = calloc(work->count + 1, sizeof *first);
    enum hs_err err = HS_OK;

    if (!first) {
        return hs_error_memory(error);
    }
    if (work->count > 0) {
        result->tasks = sweep_pack(work->wall_s, work->count, request->task_s, first);
        err = slurm_files_tasks(result->place, work, first, result->tasks, error);
        if (err == HS_OK) {
            err = slurm_files_job(request, result->place, longest_task(work, first, result->tasks),
                                  work->rss_bytes, error);
        }
    }
    if (err == HS_OK) {
        err = slurm_files_merge(request, result->place, error);
    }
    free(first);
    return err;
}

/* Submits the arrays; then the merge, if they all could be. */
static enum hs_err submit_all(struct submission *submission, struct hs_error *error)
{
    struct slurm_result *result = submission->result;
    size_t size = result->tasks > 0 ? array_size() : 1;
    char *after = NULL, *after_calls = NULL;
    size_t length;
    enum hs_err err = HS_OK;

    submission->after = open_memstream(&after, &length);
    submission->after_calls = open_memstream(&after_calls, &length);
    if (!submission->after || !submission->after_calls) {
        err = hs_error_memory(error);
    } else {
        wait_for_queue(submission);
    }
    for (size_t offset = 0; offset < result->tasks && err == HS_OK; offset += size) {
        size_t left = result->tasks - offset;

        err = submit_array(submission, offset, left < size ? left : size, error);
    }
    if (submission->after && fclose(submission->after) != 0 && err == HS_OK) {
        err = hs_error_memory(error);
    }
    if (submission->after_calls && fclose(submission->after_calls) != 0 && err == HS_OK) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = submit_merge(submission, after, after_calls, error);
    }
    free(after);
    free(after_calls);
    return err;
}

enum hs_err slurm_submit(const struct slurm_request *request, const struct slurm_work *work,
                         struct slurm_result *result, struct hs_error *error)
{
    struct submission submission = {.request = request, .result = result};
    char study[SLURM_STUDY_SIZE];
    char mark[SLURM_MARK_SIZE];
    uint64_t number;
    size_t length;
    enum hs_err err;

    memset(result, 0, sizeof *result);
    err = slurm_files_begin(request, &number, &result->place, error);
    if (err == HS_OK) {
        err = write_files(&submission, work, error);
    }
    if (err != HS_OK) {
        return err;
    }
    submission.calls = open_memstream(&result->calls, &length);
    if (!submission.calls) {
        return hs_error_memory(error);
    }
    slurm_study(request->study, study);
    slurm_mark(request->folder, mark);
    (void)snprintf(submission.name, sizeof submission.name, "--job-name=%s%s%" PRIu64 ".", study,
                   mark, number);
    err = submit_all(&submission, error);
    if (fclose(submission.calls) != 0 && err == HS_OK) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = slurm_files_calls(result->place, result->calls, error);
    }
    return err;
}

void slurm_result_fini(struct slurm_result *result)
{
    free(result->place);
    free(result->calls);
    memset(result, 0, sizeof *result);
}
