/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_slurm.c - the engine that submits to Slurm, and what the status says of its jobs. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/sweep.h"
#include "cli/sweep_engine_work.h"
#include "sweep/estimate.h"
#include "sweep/shell.h"
#include "sweep/slurm.h"

#define TASK_S_DEFAULT (45.0 * 60.0)
#define TRIAL_S        60.0 /* of this machine, for all trials together */

/* ---- how long runs take */

static enum hs_err read_estimate(const struct sweep_engine_work *work,
                                 struct sweep_estimate *estimate, struct hs_error *error)
{
    char *path = NULL;
    enum hs_err err;

    *estimate = (struct sweep_estimate){0};
    if (asprintf(&path, "%s/timings.csv", work->folder) < 0) {
        return hs_error_memory(error);
    }
    err = sweep_estimate_read(path, work->rows, work->row_count, estimate, error);
    free(path);
    return err;
}

/* Runs that are computed here until the time is over. */
struct trial {
    const volatile sig_atomic_t *asked; /* to stop, by the person */
    volatile sig_atomic_t stop;         /* the same, and by the clock: 2 ends what runs */
    double end_s;
};

static void watch_trial(void *context, const struct sweep_event *event)
{
    struct trial *trial = context;

    if (event->kind == SWEEP_TICK) {
        trial->stop = pool_now_s() >= trial->end_s ? 2 : *trial->asked;
    }
}

/* A run that is ended by the clock is missing as before. */
static enum hs_err try_run(const struct sweep_engine_work *work, const char *key,
                           struct trial *trial, struct hs_error *error)
{
    struct sweep_request request = *work->call->request;
    struct sweep_result result;
    enum hs_err err;

    request.jobs = 1;
    request.keys = &key;
    request.key_count = 1;
    request.stop = &trial->stop;
    request.event = watch_trial;
    request.context = trial;
    err = sweep_run(work->plan, &request, &result, error);
    return err == HS_ERR_INTERRUPTED && *trial->asked == 0 ? HS_OK : err;
}

/* Is it the last missing run of its policy? Those of larger axis values are. */
static bool is_last_of_policy(const struct sweep_engine_work *work, size_t index)
{
    const char *policy = work->rows[work->missing[index].row].policy;

    for (size_t i = index + 1; i < work->missing_count; i++) {
        if (strcmp(work->rows[work->missing[i].row].policy, policy) == 0) {
            return false;
        }
    }
    return true;
}

/* Computes a run of each policy, as long as there is time. */
static enum hs_err try_policies(const struct sweep_engine_work *work, struct hs_error *error)
{
    struct trial trial = {.asked = work->call->request->stop, .end_s = pool_now_s() + TRIAL_S};
    enum hs_err err = HS_OK;

    if (!work->call->is_quiet) {
        (void)fprintf(stderr,
                      "hsim: no run has been timed yet; the last one of each policy is computed "
                      "here first, for %.0f s at most\n",
                      TRIAL_S);
    }
    for (size_t i = 0; i < work->missing_count && err == HS_OK && pool_now_s() < trial.end_s; i++) {
        if (is_last_of_policy(work, i)) {
            err = try_run(work, work->missing[i].key, &trial, error);
        }
    }
    return err;
}

/* ---- submitting */

/* What the queue leaves to do. */
struct slurm_rest {
    const char **keys; /* owned, the texts are not */
    double *wall_s;    /* owned */
    size_t count;
    size_t waiting; /* missing runs that are on their way */
};

static enum hs_err list_rest(const struct sweep_engine_work *work, const struct slurm_queue *queue,
                             const struct sweep_estimate *estimate, struct slurm_rest *rest,
                             struct hs_error *error)
{
    bool *is_waiting = calloc(work->missing_count + 1, sizeof *is_waiting);
    enum hs_err err;

    rest->keys = calloc(work->missing_count + 1, sizeof *rest->keys);
    rest->wall_s = calloc(work->missing_count + 1, sizeof *rest->wall_s);
    if (!is_waiting || !rest->keys || !rest->wall_s) {
        free(is_waiting);
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < work->missing_count; i++) {
        rest->keys[i] = work->missing[i].key;
    }
    err = slurm_waiting(work->folder, queue, rest->keys, work->missing_count, is_waiting, error);
    for (size_t i = 0; i < work->missing_count; i++) {
        if (is_waiting[i]) {
            rest->waiting++;
        } else {
            rest->keys[rest->count] = work->missing[i].key;
            rest->wall_s[rest->count++] = estimate->wall_s[work->missing[i].row];
        }
    }
    free(is_waiting);
    return err;
}

static bool has_merge(const struct slurm_queue *queue)
{
    for (size_t i = 0; i < queue->count; i++) {
        if (queue->jobs[i].is_merge) {
            return true;
        }
    }
    return false;
}

static void print_submission(const struct sweep_engine_work *work, const struct slurm_rest *rest,
                             const struct slurm_result *result)
{
    double sum_s = 0;
    char time[32];

    if (work->call->is_quiet) {
        return;
    }
    if (rest->waiting > 0) {
        (void)printf("%zu runs are in the queue already\n", rest->waiting);
    }
    if (!result->place) {
        (void)printf("nothing was submitted\n");
        return;
    }
    for (size_t i = 0; i < rest->count; i++) {
        sum_s += rest->wall_s[i];
    }
    if (rest->count > 0) {
        (void)printf("%zu runs in %zu %s", rest->count, result->tasks,
                     result->tasks == 1 ? "task" : "tasks");
        if (isfinite(sum_s)) {
            sweep_show_time(sum_s / (double)result->tasks, time);
            (void)printf(" of about %s", time);
        }
        (void)printf(work->engine->is_dry ? "\n" : ": array %s\n", result->array_ids);
    }
    if (work->engine->is_dry) {
        (void)fputs("nothing was submitted; this does it: sh ", stdout);
        shell_write_word(stdout, result->place);
        (void)puts("/submit.sh");
    } else {
        (void)printf("job %s merges them; scripts and logs: %s\n", result->merge_id, result->place);
    }
}

/* Submits what neither is there nor in the queue, and a merge if something will come. */
static enum hs_err submit_rest(const struct sweep_engine_work *work,
                               const struct slurm_queue *queue,
                               const struct sweep_estimate *estimate, struct hs_error *error)
{
    const struct slurm_request request = {
        .folder = work->folder,
        .study = sweep_plan_base(work->plan)->name,
        .command = (const char *const *)work->words,
        .command_count = work->word_count,
        .options = work->engine->options,
        .option_count = work->engine->option_count,
        .task_s = work->engine->task_s > 0 ? work->engine->task_s : TASK_S_DEFAULT,
        .is_dry = work->engine->is_dry,
        .queue = queue,
    };
    struct slurm_result result = {0};
    struct slurm_rest rest = {0};
    enum hs_err err = list_rest(work, queue, estimate, &rest, error);

    if (err == HS_OK && (rest.count > 0 || !has_merge(queue))) {
        const struct slurm_work runs = {rest.keys, rest.wall_s, rest.count, estimate->rss_bytes};

        err = slurm_submit(&request, &runs, &result, error);
    }
    if (err == HS_OK) {
        print_submission(work, &rest, &result);
    }
    slurm_result_fini(&result);
    free(rest.keys);
    free(rest.wall_s);
    return err;
}

/* Without the commands of Slurm nobody knows what is in the queue. */
static enum hs_err check_queue(const struct sweep_engine_work *work,
                               const struct slurm_queue *queue, struct hs_error *error)
{
    if (!queue->is_unknown || work->engine->is_dry) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "There is no `squeue` on the PATH, so that nothing was submitted. Call "
                        "hsim where Slurm's commands are, write the scripts only (--dry-run), or "
                        "let another system run the commands of --engine commands.");
}

/* The queue is read before the runs are looked at: a task that ends in between has left them. */
static enum hs_err look(struct sweep_engine_work *work, struct slurm_queue *queue,
                        struct sweep_estimate *estimate, struct sweep_result *result,
                        struct hs_error *error)
{
    enum hs_err err;

    slurm_queue_fini(queue);
    sweep_estimate_fini(estimate);
    err = slurm_queue_read(work->folder, queue, error);
    if (err != HS_OK && work->engine->is_dry) { /* Slurm need not be within reach */
        queue->is_unknown = true;
        err = HS_OK;
    }
    if (err == HS_OK) {
        err = check_queue(work, queue, error);
    }
    if (err == HS_OK) {
        err = sweep_engine_look(work, result, error);
    }
    return err == HS_OK ? read_estimate(work, estimate, error) : err;
}

enum hs_err sweep_engine_slurm(struct sweep_engine_work *work, struct sweep_result *result,
                               struct hs_error *error)
{
    struct sweep_estimate estimate = {0};
    struct slurm_queue queue = {0};
    int lock = -1;
    enum hs_err err = look(work, &queue, &estimate, result, error);

    if (err == HS_OK && work->missing_count > 0) {
        err = slurm_lock(work->folder, &lock, error);
        if (err == HS_OK && estimate.measured == 0 && queue.count == 0) {
            err = try_policies(work, error);
        }
        if (err == HS_OK) {
            err = look(work, &queue, &estimate, result, error);
        }
    }
    if (err == HS_OK) {
        sweep_engine_print_counts(work, result);
        if (work->missing_count > 0) {
            err = submit_rest(work, &queue, &estimate, error);
        }
    }
    if (lock >= 0) {
        (void)close(lock);
    }
    slurm_queue_fini(&queue);
    sweep_estimate_fini(&estimate);
    return err;
}

/* ---- status */

/* Jobs of one array in one state, for one reason. */
struct group {
    const struct slurm_job *job;
    size_t count;
};

static bool is_alike(const struct slurm_job *left, const struct slurm_job *right)
{
    return strcmp(left->id, right->id) == 0 && strcmp(left->state, right->state) == 0 &&
           strcmp(left->reason, right->reason) == 0;
}

/* Has the folder ever had jobs? Then the queue, and its groups in the order of squeue; the caller
 * frees *groups. */
static bool read_groups(const char *folder, struct slurm_queue *queue, struct group **groups,
                        size_t *count, struct hs_error *error)
{
    char *place = NULL;
    bool is_there;

    *queue = (struct slurm_queue){0};
    *groups = NULL;
    *count = 0;
    if (asprintf(&place, "%s/slurm", folder) < 0) {
        return false;
    }
    is_there = access(place, F_OK) == 0;
    free(place);
    if (!is_there || slurm_queue_read(folder, queue, error) != HS_OK) {
        return is_there;
    }
    *groups = calloc(queue->count + 1, sizeof **groups);
    for (size_t i = 0; *groups && i < queue->count; i++) {
        const struct slurm_job *job = &queue->jobs[i];
        size_t g = 0;

        while (g < *count && !is_alike((*groups)[g].job, job)) {
            g++;
        }
        if (g == *count) {
            (*groups)[(*count)++] = (struct group){.job = job};
        }
        (*groups)[g].count++;
    }
    return true;
}

void sweep_engine_print_status(const char *folder)
{
    struct slurm_queue queue;
    struct group *groups;
    struct hs_error error = {0};
    size_t count;

    if (!read_groups(folder, &queue, &groups, &count, &error)) {
        return;
    }
    if (error.code != HS_OK || queue.is_unknown) {
        (void)printf("slurm    jobs are not known: %s\n",
                     queue.is_unknown ? "there is no squeue on the PATH" : error.text);
    } else if (count == 0) {
        (void)printf("slurm    no jobs in the queue\n");
    }
    for (size_t i = 0; i < count; i++) {
        const struct slurm_job *job = groups[i].job;
        bool has_reason = strcmp(job->reason, "None") != 0 && *job->reason;

        if (job->is_merge) {
            (void)printf("slurm    job %s, which merges: %s", job->id, job->state);
        } else {
            (void)printf("slurm    array %s: %zu %s %s", job->id, groups[i].count,
                         groups[i].count == 1 ? "task" : "tasks", job->state);
        }
        (void)printf(has_reason ? " (%s)\n" : "\n", job->reason);
    }
    free(groups);
    slurm_queue_fini(&queue);
}

void sweep_engine_print_status_json(const char *folder)
{
    struct slurm_queue queue;
    struct group *groups;
    struct hs_error error = {0};
    size_t count;

    if (!read_groups(folder, &queue, &groups, &count, &error)) {
        return;
    }
    (void)fputs(",\n \"slurm\": ", stdout);
    if (error.code != HS_OK || queue.is_unknown) {
        (void)fputs("null", stdout);
        return;
    }
    (void)fputs("[", stdout);
    for (size_t i = 0; i < count; i++) {
        const struct slurm_job *job = groups[i].job;

        (void)printf("%s\n  {\"job\": ", i > 0 ? "," : "");
        cli_json_string(stdout, job->id);
        (void)printf(", \"kind\": \"%s\", \"tasks\": %zu, \"state\": ",
                     job->is_merge ? "merge" : "array", groups[i].count);
        cli_json_string(stdout, job->state);
        (void)fputs(", \"reason\": ", stdout);
        cli_json_string(stdout, job->reason);
        (void)fputs("}", stdout);
    }
    (void)fputs("]", stdout);
    free(groups);
    slurm_queue_fini(&queue);
}
