/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_runs.c - which run is next, how it is computed in its process, and what becomes of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "sweep/sweep_internal.h"

#define STATUS_PERIOD_S 1.0

static const struct sweep_row *row_of(const struct sweep_work *work, size_t run)
{
    return &work->rows[work->first_rows[run]];
}

/* The sweep ends with this error, once what runs has ended. Only the first counts. */
static void give_up(struct sweep_work *work, const struct hs_error *error)
{
    if (work->trouble.code == HS_OK) {
        work->trouble = *error;
    }
}

/* Somebody else has computed it meanwhile. Asked after whether somebody still does: the other way
 * round, one that ends in between would be missed, and computed a second time. */
static bool take_finished(struct sweep_work *work, size_t run)
{
    if (sweep_store_state(work->store, row_of(work, run)->key) != SWEEP_FINISHED) {
        return false;
    }
    work->states[run] = SWEEP_FINISHED;
    work->result->counts.finished++;
    work->result->counts.left--;
    return true;
}

/* Runs that another sweep was computing: what of them is left is ours. */
static int64_t next_deferred(struct sweep_work *work)
{
    size_t kept = 0;
    int64_t piece = POOL_NONE;

    for (size_t i = 0; i < work->deferred_count; i++) {
        size_t run = work->deferred[i];

        if (piece >= 0 || sweep_store_is_busy(work->store, row_of(work, run)->key)) {
            work->deferred[kept++] = run;
        } else if (!take_finished(work, run)) {
            piece = (int64_t)run;
        }
    }
    work->deferred_count = kept;
    return piece < 0 && kept > 0 ? POOL_LATER : piece;
}

/* What the child needs is made here, so that it finds it. */
static void prepare(struct sweep_work *work, size_t run)
{
    const struct sweep_row *row = row_of(work, run);

    experiment_fini(&work->experiment);
    free(work->path);
    work->prepare_error = (struct hs_error){0};
    work->path = sweep_store_run_path(work->store, row->key);
    work->prepared = work->path ? sweep_plan_experiment(work->plan, work->first_rows[run],
                                                        &work->experiment, &work->prepare_error)
                                : hs_error_memory(&work->prepare_error);
    if (work->prepared == HS_OK) {
        run_warm_add(work->warm, &work->experiment.platform);
    }
}

static int64_t next_run(void *context)
{
    struct sweep_work *work = context;
    struct hs_error error = {0};
    int64_t piece = POOL_NONE;

    while (piece == POOL_NONE && work->next < work->run_count) {
        size_t run = work->next++;

        if (work->states[run] != SWEEP_MISSING) {
            continue;
        }
        if (sweep_store_is_busy(work->store, row_of(work, run)->key)) {
            work->deferred[work->deferred_count++] = run;
        } else if (!take_finished(work, run)) {
            piece = (int64_t)run;
        }
    }
    piece = piece == POOL_NONE ? next_deferred(work) : piece;
    if (piece >= 0 && sweep_store_forget_failure(work->store, row_of(work, (size_t)piece)->key,
                                                 &error) != HS_OK) {
        give_up(work, &error);
        return POOL_NONE;
    }
    if (piece >= 0) {
        prepare(work, (size_t)piece);
    }
    return piece;
}

static void is_written(void *context)
{
    pool_child_waits(context);
}

/* In the child. */
static enum hs_err compute(void *context, int64_t piece, struct pool_child *child, double *work_s,
                           struct hs_error *error)
{
    struct sweep_work *work = context;
    struct run_request request = {
        .output = work->path,
        .command_line = work->request->command_line,
        .key = row_of(work, (size_t)piece)->key,
        .warm = work->warm,
        .written = is_written,
        .context = child,
    };
    struct run_outcome outcome = {0};
    struct run_session *session = NULL;
    enum hs_err err = work->prepared;

    if (err != HS_OK) {
        *error = work->prepare_error;
        return err;
    }
    err = run_open(&work->experiment, &request, &session, error);
    if (err == HS_OK) {
        err = run_policy(session, 0, &outcome, error);
    }
    *work_s = outcome.cpu_s;
    return err; /* the process ends here: its memory need not be given back piece by piece */
}

static void not_begun(void *context, int64_t piece)
{
    struct sweep_work *work = context;

    work->deferred[work->deferred_count++] = (size_t)piece;
}

static void has_begun(void *context, int64_t piece, pid_t process)
{
    struct sweep_work *work = context;
    unsigned slot = 0;

    (void)process;
    while (work->running[slot].is_used) {
        slot++;
    }
    work->running[slot] =
        (struct sweep_running){.is_used = true, .run = (size_t)piece, .began_s = pool_now_s()};
    work->result->counts.running++;
    work->result->counts.left--;
}

/* Why a run failed, in words that do not depend on the moment. */
static void explain(const struct sweep_work *work, const struct pool_result *result,
                    char text[HS_ERROR_TEXT_MAX])
{
    const char *signal_text = sigdescr_np(result->signal);

    switch (result->end) {
    case POOL_TIME:
        (void)snprintf(text, HS_ERROR_TEXT_MAX,
                       "The run took longer than the %g s that --time-limit allows, and was ended.",
                       work->request->time_limit_s);
        break;
    case POOL_MEMORY:
        (void)snprintf(text, HS_ERROR_TEXT_MAX,
                       "The run needed more memory than the %lld bytes that --memory-limit allows, "
                       "and was ended.",
                       (long long)work->request->memory_limit_bytes);
        break;
    case POOL_SIGNAL:
        if (result->signal == 0) {
            (void)snprintf(text, HS_ERROR_TEXT_MAX,
                           "The process of the run ended itself without a word; a plug-in may have "
                           "called exit().");
        } else {
            (void)snprintf(text, HS_ERROR_TEXT_MAX,
                           "The process of the run crashed: signal %d (%s).%s", result->signal,
                           signal_text ? signal_text : "unknown",
                           result->signal == SIGKILL
                               ? " The system does so when memory is short; see --memory-limit "
                                 "and -j."
                               : "");
        }
        break;
    case POOL_DONE:
        (void)snprintf(text, HS_ERROR_TEXT_MAX,
                       "The run was computed, but its result is gone: somebody else has removed "
                       "it.");
        break;
    default:
        (void)snprintf(text, HS_ERROR_TEXT_MAX, "%s", result->error.text);
    }
}

/* Errors of result files begin with the name of the file: then no run is to blame, but the disk, or
 * who changes inputs meanwhile. */
static bool is_disk(const struct sweep_work *work, size_t run, const struct pool_result *result)
{
    char *path = sweep_store_run_path(work->store, row_of(work, run)->key);
    bool is_result = path && result->end == POOL_ERROR && result->error.code == HS_ERR_SYSTEM &&
                     strncmp(result->error.text, path, strlen(path)) == 0;

    free(path);
    return is_result;
}

static void remember_failure(struct sweep_work *work, size_t run, const char *text)
{
    struct hs_error error = {0};

    if (sweep_store_fail(work->store, row_of(work, run)->key, text, &error) == HS_OK) {
        work->states[run] = SWEEP_BROKEN;
        work->result->counts.failed++;
        work->has_given_up = work->request->is_fail_fast;
    } else {
        work->result->counts.left++;
        give_up(work, &error);
    }
}

/* Tells of a run that is finished or failed, and writes down what it took. */
static void report(struct sweep_work *work, size_t run, const struct pool_result *result,
                   const char *text)
{
    const struct sweep_timing timing = {
        .key = row_of(work, run)->key,
        .status = text ? "failed" : "complete",
        .wall_s = result->wall_s,
        .cpu_s = result->cpu_s,
        .rss_bytes = result->rss_bytes,
    };

    work->ended++;
    sweep_store_timing(work->store, &timing);
    sweep_tell(work, (struct sweep_event){.kind = SWEEP_RUN_ENDS,
                                          .row = row_of(work, run),
                                          .timing = &timing,
                                          .error = text});
}

static bool has_ended(void *context, int64_t piece, const struct pool_result *result)
{
    struct sweep_work *work = context;
    struct sweep_counts *counts = &work->result->counts;
    size_t run = (size_t)piece;
    const char *key = row_of(work, run)->key;
    char text[HS_ERROR_TEXT_MAX];
    unsigned slot = 0;

    while (!work->running[slot].is_used || work->running[slot].run != run) {
        slot++;
    }
    work->running[slot].is_used = false;
    counts->running--;
    counts->work_cpu_s += result->work_s;
    counts->child_cpu_s += result->cpu_s;
    if (result->end != POOL_DONE && result->end != POOL_ERROR) {
        sweep_store_remove_part(work->store, key);
    }
    if (sweep_store_state(work->store, key) == SWEEP_FINISHED) {
        work->states[run] = SWEEP_FINISHED;
        counts->finished++;
        if (result->end == POOL_DONE) { /* else another sweep was faster */
            report(work, run, result, NULL);
        }
    } else if (result->end == POOL_KILLED) {
        counts->left++;
    } else if (is_disk(work, run, result) &&
               (sweep_store_is_busy(work->store, key) ||
                sweep_store_state(work->store, key) == SWEEP_FINISHED)) {
        counts->left++; /* another sweep was a moment faster, and may have come to its end now */
        work->deferred[work->deferred_count++] = run;
    } else if (is_disk(work, run, result)) {
        counts->left++;
        give_up(work, &result->error);
    } else {
        explain(work, result, text);
        remember_failure(work, run, text);
        report(work, run, result, text);
    }
    return work->trouble.code == HS_OK && !work->has_given_up;
}

/* The estimate supposes that what is left is like what was computed. */
static void estimate(struct sweep_work *work)
{
    struct sweep_counts *counts = &work->result->counts;

    counts->elapsed_s = pool_now_s() - work->began_s;
    counts->left_s = NAN;
    if (work->ended > 0) {
        counts->left_s = counts->elapsed_s / (double)work->ended *
                         ((double)counts->left + (double)counts->running / 2);
    }
}

static void look_around(void *context)
{
    struct sweep_work *work = context;

    estimate(work);
    if (*work->request->stop > 0 && !work->is_stop_told) {
        work->is_stop_told = true;
        sweep_tell(work, (struct sweep_event){.kind = SWEEP_STOPS});
    }
    if (pool_now_s() - work->told_s >= STATUS_PERIOD_S) {
        sweep_write_status(work, "running");
    }
    sweep_tell(work, (struct sweep_event){.kind = SWEEP_TICK});
}

enum hs_err sweep_compute(struct sweep_work *work, struct hs_error *error)
{
    const struct sweep_request *request = work->request;
    struct pool_options options = {
        .jobs = request->jobs,
        .time_limit_s = request->time_limit_s,
        .memory_limit_bytes = request->memory_limit_bytes,
        .stop = request->stop,
        .next = next_run,
        .work = compute,
        .unbegun = not_begun,
        .began = has_begun,
        .ended = has_ended,
        .tick = look_around,
        .context = work,
    };
    enum hs_err err;

    work->warm = run_warm_create();
    if (!work->warm) {
        return hs_error_memory(error);
    }
    result_warm();
    err = pool_run(&options, error);
    estimate(work);
    run_warm_destroy(work->warm);
    experiment_fini(&work->experiment);
    free(work->path);
    work->path = NULL;
    if (err == HS_OK && work->trouble.code != HS_OK) {
        err =
            hs_error_set(error, work->trouble.code,
                         "%.1900s The sweep stops; the same command goes on with the %zu %s left.",
                         work->trouble.text, work->result->counts.left,
                         work->result->counts.left == 1 ? "run that is" : "runs that are");
    }
    return err;
}
