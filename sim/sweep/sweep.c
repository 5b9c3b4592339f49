/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.c - from the rows of a plan to finished runs and the merged file. */
#include "sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/reader.h"
#include "sweep/sweep_internal.h"

#define MERGE_TRIES 3

void sweep_tell(struct sweep_work *work, struct sweep_event event)
{
    event.counts = &work->result->counts;
    if (work->request->event) {
        work->request->event(work->request->context, &event);
    }
}

/* ---- which runs there are */

struct keyed {
    const char *key;
    size_t row;
};

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed *a = left;
    const struct keyed *b = right;
    int order = strcmp(a->key, b->key);

    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* Is the run wanted? An empty list wants all. */
static bool is_asked(const struct sweep_request *request, const char *key)
{
    bool is_wanted = request->key_count == 0;

    for (size_t i = 0; i < request->key_count; i++) {
        is_wanted = is_wanted || strncmp(key, request->keys[i], strlen(request->keys[i])) == 0;
    }
    return is_wanted;
}

/* Each key, or beginning of a key, that was asked for stands for exactly one run. */
static enum hs_err check_keys(const struct sweep_work *work, const struct keyed *sorted,
                              struct hs_error *error)
{
    const struct sweep_request *request = work->request;

    for (size_t i = 0; i < request->key_count; i++) {
        size_t count = 0;

        for (size_t k = 0; k < work->row_count; k++) {
            bool is_first = k == 0 || strcmp(sorted[k - 1].key, sorted[k].key) != 0;

            count +=
                is_first && strncmp(sorted[k].key, request->keys[i], strlen(request->keys[i])) == 0;
        }
        if (count == 0) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--run %s: no run of this sweep has that key. `hsim sweep --list` "
                                "shows them; the same --set are needed.",
                                request->keys[i]);
        }
        if (count > 1) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--run %s: the keys of %zu runs begin so. Give more of its digits.",
                                request->keys[i], count);
        }
    }
    return HS_OK;
}

/* Numbers the runs by their first rows. */
static void number_runs(struct sweep_work *work, const struct keyed *sorted)
{
    for (size_t i = 0; i < work->row_count;) {
        size_t end = i;

        for (; end < work->row_count && strcmp(sorted[end].key, sorted[i].key) == 0; end++) {
            work->run_of[sorted[end].row] = sorted[i].row; /* the first row, for now */
        }
        i = end;
    }
    for (size_t row = 0; row < work->row_count; row++) {
        size_t first = work->run_of[row];

        if (!is_asked(work->request, work->rows[row].key)) {
            work->run_of[row] = SIZE_MAX;
        } else if (first == row) {
            work->first_rows[work->run_count] = row;
            work->run_of[row] = work->run_count++;
        } else {
            work->run_of[row] = work->run_of[first];
        }
    }
}

static enum hs_err list_runs(struct sweep_work *work, struct hs_error *error)
{
    struct keyed *sorted = calloc(work->row_count + 1, sizeof *sorted);
    enum hs_err err;

    work->first_rows = calloc(work->row_count + 1, sizeof *work->first_rows);
    work->run_of = calloc(work->row_count + 1, sizeof *work->run_of);
    work->states = calloc(work->row_count + 1, sizeof *work->states);
    work->deferred = calloc(work->row_count + 1, sizeof *work->deferred);
    work->running = calloc(pool_places(work->request->jobs), sizeof *work->running);
    if (!sorted || !work->first_rows || !work->run_of || !work->states || !work->deferred ||
        !work->running) {
        free(sorted);
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < work->row_count; i++) {
        sorted[i] = (struct keyed){work->rows[i].key, i};
    }
    qsort(sorted, work->row_count, sizeof *sorted, compare_keyed);
    err = check_keys(work, sorted, error);
    if (err == HS_OK) {
        number_runs(work, sorted);
    }
    free(sorted);
    return err;
}

static size_t count_strangers(const struct sweep_work *work)
{
    const char **keys = calloc(work->run_count + 1, sizeof *keys);
    struct keyed *sorted = calloc(work->run_count + 1, sizeof *sorted);
    size_t count = 0;

    if (keys && sorted && work->request->key_count == 0) {
        for (size_t i = 0; i < work->run_count; i++) {
            sorted[i].key = work->rows[work->first_rows[i]].key;
        }
        qsort(sorted, work->run_count, sizeof *sorted, compare_keyed);
        for (size_t i = 0; i < work->run_count; i++) {
            keys[i] = sorted[i].key;
        }
        count = sweep_store_strangers(work->store, keys, work->run_count);
    }
    free(keys);
    free(sorted);
    return count;
}

/* What the folder says of each run, and the counts from it. */
static void look_up(struct sweep_work *work)
{
    struct sweep_counts *counts = &work->result->counts;
    bool is_retrying = work->request->is_retrying || work->request->key_count > 0;

    *counts =
        (struct sweep_counts){.rows = work->row_count, .runs = work->run_count, .left_s = NAN};
    for (size_t i = 0; i < work->run_count; i++) {
        enum sweep_state state =
            sweep_store_state(work->store, work->rows[work->first_rows[i]].key);

        if (state == SWEEP_BROKEN && is_retrying) {
            state = SWEEP_MISSING;
        }
        work->states[i] = state;
        counts->finished += state == SWEEP_FINISHED;
        counts->failed += state == SWEEP_BROKEN;
        counts->left += state == SWEEP_MISSING;
    }
    counts->cached = counts->finished + counts->failed;
    counts->strangers = count_strangers(work);
    work->next = 0;
}

/* ---- merging */

/* Texts of the failures by row; the caller frees them and the list. */
static enum hs_err read_failures(const struct sweep_work *work, char ***list,
                                 struct hs_error *error)
{
    char **errors = calloc(work->row_count + 1, sizeof *errors);
    enum hs_err err = errors ? HS_OK : hs_error_memory(error);

    for (size_t row = 0; err == HS_OK && row < work->row_count; row++) {
        if (work->states[work->run_of[row]] == SWEEP_BROKEN) {
            errors[row] = sweep_store_failure(work->store, work->rows[row].key);
            err = errors[row] ? HS_OK
                              : hs_error_set(error, HS_ERR_SYSTEM,
                                             "%s/failed/%s: why the run failed cannot be read any "
                                             "more. If it is being computed again, wait for its "
                                             "end; else remove this, and call again.",
                                             work->request->folder, work->rows[row].key);
        }
    }
    *list = errors;
    return err;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++) {
        free(texts[i]);
    }
    free(texts);
}

/* Is the result of the run there, whole and complete? */
static enum hs_err read_run(const char *path, const char *key, struct hs_error *error)
{
    struct result_summary summary = {0};
    struct result_reader *reader = NULL;
    char *own = NULL;
    enum hs_err err = result_reader_open(path, &reader, error);

    if (err == HS_OK) {
        err = result_reader_summary(reader, &summary, error);
    }
    if (err == HS_OK) {
        err = result_reader_text(reader, ".", "run_key", &own, error);
    }
    if (err == HS_OK && strcmp(own, key) != 0) {
        err = hs_error_set(error, HS_ERR_INPUT, "%s: this is the result of another run, '%.40s'.",
                           path, own);
    }
    free(own);
    result_summary_fini(&summary);
    result_reader_close(reader);
    return err;
}

/* The merge met something that it cannot read: finds all such results, and removes them, so that
 * they are computed again. How many there were. */
static size_t drop_unreadable(struct sweep_work *work)
{
    struct sweep_counts *counts = &work->result->counts;
    size_t dropped = 0;

    for (size_t i = 0; i < work->run_count; i++) {
        const struct sweep_row *row = &work->rows[work->first_rows[i]];
        char *path = sweep_store_run_path(work->store, row->key);
        struct hs_error error = {0};
        struct hs_error failure = {0};

        if (path && work->states[i] == SWEEP_FINISHED &&
            read_run(path, row->key, &error) == HS_ERR_INPUT &&
            sweep_store_forget(work->store, row->key, &failure) == HS_OK) {
            work->states[i] = SWEEP_MISSING;
            counts->finished--;
            counts->left++;
            dropped++;
            sweep_tell(work, (struct sweep_event){
                                 .kind = SWEEP_RUN_LOST, .row = row, .error = error.text});
        }
        free(path);
    }
    work->next = 0;
    return dropped;
}

/* Makes sweep.h5, unless it is there as it would become. */
static enum hs_err merge(struct sweep_work *work, struct hs_error *error)
{
    struct sweep_source source = {
        .name = sweep_plan_base(work->plan)->name,
        .config = sweep_plan_config(work->plan),
        .rows = work->rows,
        .row_count = work->row_count,
    };
    char *path = sweep_store_path(work->store, "sweep.h5");
    char hash[SWEEP_KEY_SIZE];
    char **errors = NULL;
    enum hs_err err = path ? read_failures(work, &errors, error) : hs_error_memory(error);

    if (err == HS_OK) {
        source.path = path;
        source.axis_count = sweep_plan_axes(work->plan, &source.axes);
        source.errors = (const char *const *)errors;
        work->result->was_merged = sweep_store_is_merged(work->store, &source, hash);
        if (!work->result->was_merged) {
            sweep_tell(work, (struct sweep_event){.kind = SWEEP_MERGES});
            err = sweep_file_write(&source, error);
            err = err == HS_OK ? sweep_store_merged(work->store, &source, hash, error) : err;
        }
        work->result->is_merged = err == HS_OK;
    }
    free_texts(errors, work->row_count);
    free(path);
    return err;
}

/* ---- the whole */

static enum hs_err fail_incomplete(const struct sweep_work *work, struct hs_error *error)
{
    const struct sweep_counts *counts = &work->result->counts;
    const char *folder = work->request->folder;

    if (*work->request->stop > 0) {
        return hs_error_set(error, HS_ERR_INTERRUPTED,
                            "%s: interrupted: %zu of %zu runs are left. The same command goes on "
                            "with them.",
                            folder, counts->left, counts->runs);
    }
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "%s: %zu of %zu runs are missing, so that nothing was merged. `hsim sweep` "
                        "with the same experiment computes them.",
                        folder, counts->left, counts->runs);
}

/* Computes and merges; what the merge cannot read is computed again. */
static enum hs_err compute_and_merge(struct sweep_work *work, struct hs_error *error)
{
    const struct sweep_request *request = work->request;
    const struct sweep_counts *counts = &work->result->counts;
    enum hs_err err = HS_OK;

    for (int try = 0; try < MERGE_TRIES; try++) {
        if (!request->is_merging_only && counts->left > 0) {
            err = sweep_compute(work, error);
        }
        if (err != HS_OK) {
            return err;
        }
        if (work->has_given_up && counts->left > 0) {
            return HS_OK; /* as was wanted: what is left stays left */
        }
        if (counts->left > 0) {
            return fail_incomplete(work, error);
        }
        if (request->key_count > 0) {
            return HS_OK;
        }
        err = merge(work, error);
        if (err != HS_ERR_INPUT || drop_unreadable(work) == 0) {
            return err;
        }
    }
    return err;
}

static const char *state_of(enum hs_err err, const struct sweep_counts *counts)
{
    if (err == HS_ERR_INTERRUPTED) {
        return "interrupted";
    }
    return err == HS_OK && counts->left == 0 ? "complete" : "stopped";
}

enum hs_err sweep_run(const struct sweep_plan *plan, const struct sweep_request *request,
                      struct sweep_result *result, struct hs_error *error)
{
    struct sweep_work work = {
        .plan = plan, .request = request, .result = result, .began_s = pool_now_s()};
    bool is_whole = request->key_count == 0;
    bool is_alone = is_whole && !request->is_merging_only; /* single runs may go on meanwhile */
    enum hs_err err;

    *result = (struct sweep_result){.counts.left_s = NAN};
    work.row_count = sweep_plan_rows(plan, &work.rows);
    err = list_runs(&work, error);
    if (err == HS_OK) {
        err = sweep_store_open(request->folder, request->runs,
                               is_alone ? SWEEP_ALONE : SWEEP_TOGETHER, &work.store, error);
    }
    if (err == HS_OK) {
        if (is_alone) {
            sweep_store_clean(work.store);
        }
        err = sweep_write_table(&work, !is_whole, error);
    }
    if (err == HS_OK) {
        look_up(&work);
        if (is_whole) {
            sweep_write_status(&work, "running");
        }
        sweep_tell(&work, (struct sweep_event){.kind = SWEEP_BEGINS});
        err = compute_and_merge(&work, error);
        if (is_whole) {
            sweep_write_status(&work, state_of(err, &result->counts));
        }
        result->counts.elapsed_s = pool_now_s() - work.began_s;
        sweep_tell(&work, (struct sweep_event){.kind = SWEEP_ENDS,
                                               .error = err == HS_OK ? NULL : error->text});
    }
    sweep_store_close(work.store);
    free(work.first_rows);
    free(work.run_of);
    free(work.states);
    free(work.deferred);
    free(work.running);
    return err;
}
