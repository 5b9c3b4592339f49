/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_files.c - runs.csv and status.json. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/sweep_internal.h"

/* A field of CSV, in quotes if it needs them. */
static void write_field(FILE *file, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        (void)fputs(text, file);
        return;
    }
    (void)fputc('"', file);
    for (; *text; text++) {
        (void)fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, file);
    }
    (void)fputc('"', file);
}

static void write_rows(FILE *file, const struct sweep_work *work)
{
    const struct sweep_axis *axes;
    size_t axis_count = sweep_plan_axes(work->plan, &axes);

    (void)fputs("key,policy,seed,replicate", file);
    for (size_t i = 0; i < axis_count; i++) {
        (void)fputc(',', file);
        write_field(file, axes[i].key);
    }
    (void)fputc('\n', file);
    for (size_t i = 0; i < work->row_count; i++) {
        const struct sweep_row *row = &work->rows[i];

        (void)fprintf(file, "%s,", row->key);
        write_field(file, row->policy);
        (void)fprintf(file, ",%" PRIu64 ",%" PRId64, row->seed, row->replicate);
        for (size_t k = 0; k < axis_count; k++) {
            (void)fputc(',', file);
            write_field(file, row->values[k].text ? row->values[k].text : "");
        }
        (void)fputc('\n', file);
    }
}

enum hs_err sweep_write_table(struct sweep_work *work, bool is_kept, struct hs_error *error)
{
    char *path = sweep_store_path(work->store, "runs.csv");
    enum hs_err err = path ? HS_OK : hs_error_memory(error);
    char *text = NULL;
    size_t size;
    FILE *file;

    if (err != HS_OK || (is_kept && access(path, F_OK) == 0)) {
        free(path);
        return err;
    }
    file = open_memstream(&text, &size);
    if (file) {
        write_rows(file, work);
    }
    err = file && fclose(file) == 0 ? sweep_store_write(work->store, "runs.csv", text, error)
                                    : hs_error_memory(error);
    free(text);
    free(path);
    return err;
}

/* A failure is passed over: nothing depends on it, and a full disk ends the sweep elsewhere. */
void sweep_write_status(struct sweep_work *work, const char *state)
{
    const struct sweep_counts *counts = &work->result->counts;
    struct hs_error error = {0};
    const char *comma = "";
    char *text = NULL;
    double now = pool_now_s();
    size_t size;
    FILE *file = open_memstream(&text, &size);
    enum hs_err err = HS_OK;

    work->told_s = now;
    if (!file) {
        return;
    }
    (void)fprintf(
        file,
        "{\"state\": \"%s\", \"process\": %d, \"jobs\": %u, \"rows\": %zu, \"runs\": %zu,\n"
        " \"finished\": %zu, \"failed\": %zu, \"left\": %zu, \"elapsed_s\": %.1f, ",
        state, (int)getpid(), work->request->jobs, counts->rows, counts->runs, counts->finished,
        counts->failed, counts->left, now - work->began_s);
    if (isnan(counts->left_s)) {
        (void)fputs("\"left_s\": null,\n", file);
    } else {
        (void)fprintf(file, "\"left_s\": %.1f,\n", counts->left_s);
    }
    (void)fputs(" \"running\": [", file);
    for (unsigned i = 0; i < pool_places(work->request->jobs); i++) {
        if (work->running[i].is_used) {
            (void)fprintf(file, "%s\n  {\"key\": \"%s\", \"seconds\": %.1f}", comma,
                          work->rows[work->first_rows[work->running[i].run]].key,
                          now - work->running[i].began_s);
            comma = ",";
        }
    }
    (void)fputs("]}\n", file);
    if (fclose(file) == 0) {
        err = sweep_store_write(work->store, "status.json", text, &error);
    }
    (void)err;
    free(text);
}
