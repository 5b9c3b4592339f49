/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot_trace.c - an instance from a trace of Gavel and a table of throughputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/allot.h"
#include "speed/throughput.h"
#include "workload/gavel.h"

#define TOLD_MAX 8 /* rows that cannot be used; the rest is counted */

/* Arrays that grow; what is kept goes into the arena. */
struct jobs {
    size_t count, room;
    double *cells, *scale_factors, *steps, *weights;
    const char **names;
};

struct source {
    struct arena *arena;
    const struct throughput_table *table;
    const size_t *columns; /* of the types of workers, in the table */
    size_t type_count;
    const char *path;
    bool is_strict;
    size_t passed_over;
};

static bool grow(void *array, size_t size)
{
    void *old, *moved;

    memcpy(&old, array, sizeof old);
    moved = realloc(old, size);
    if (!moved) {
        return false;
    }
    memcpy(array, &moved, sizeof moved);
    return true;
}

static bool jobs_reserve(struct jobs *jobs, size_t type_count)
{
    size_t room = jobs->room ? jobs->room * 2 : 64;

    if (jobs->count < jobs->room) {
        return true;
    }
    if (!grow(&jobs->cells, room * type_count * sizeof *jobs->cells) ||
        !grow(&jobs->scale_factors, room * sizeof *jobs->scale_factors) ||
        !grow(&jobs->steps, room * sizeof *jobs->steps) ||
        !grow(&jobs->weights, room * sizeof *jobs->weights) ||
        !grow(&jobs->names, room * sizeof *jobs->names)) {
        return false;
    }
    jobs->room = room;
    return true;
}

static void jobs_fini(struct jobs *jobs)
{
    free(jobs->cells);
    free(jobs->scale_factors);
    free(jobs->steps);
    free(jobs->weights);
    free((void *)jobs->names);
}

/* Why the job of the row cannot take part, into `problem`; NULL for its row of the table: see
 * there. */
static const struct throughput_row *row_check(const struct source *source,
                                              const struct gavel_row *row, char problem[256])
{
    const struct throughput_row *known;
    const char *nearest;

    if (row->problem) {
        (void)snprintf(problem, 256, "%s", row->problem);
        return NULL;
    }
    known = throughput_find(source->table, row->job_type, row->scale_factor);
    if (!known) {
        nearest = throughput_nearest(source->table, row->job_type);
        nearest = nearest && strcmp(nearest, row->job_type) != 0 ? nearest : NULL;
        (void)snprintf(
            problem, 256, "the table of throughputs has no '%.60s' with scale factor %lld%s%.60s%s",
            row->job_type, (long long)row->scale_factor, nearest ? " (did you mean '" : "",
            nearest ? nearest : "", nearest ? "'?)" : "");
        return NULL;
    }
    for (size_t i = 0; i < source->type_count; i++) {
        if (known->steps_per_s[source->columns[i]] > 0) {
            return known;
        }
    }
    (void)snprintf(problem, 256, "'%.60s' with scale factor %lld fits on none of the workers",
                   row->job_type, (long long)row->scale_factor);
    return NULL;
}

static enum hs_err pass_over(struct source *source, const struct gavel_row *row,
                             const char *problem, struct hs_error *error)
{
    if (source->is_strict) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%lld: %s. Correct or remove this row, or leave --strict out to "
                            "pass over such rows.",
                            source->path, (long long)row->line, problem);
    }
    if (source->passed_over++ < TOLD_MAX) {
        (void)fprintf(stderr, "hsim: warning: %s:%lld: %s; the row is passed over.\n", source->path,
                      (long long)row->line, problem);
    }
    return HS_OK;
}

static bool jobs_add(struct jobs *jobs, const struct source *source, const struct gavel_row *row,
                     const struct throughput_row *known)
{
    const char *name = text_arena_copy(source->arena, row->job_type, strlen(row->job_type));

    if (!name || !jobs_reserve(jobs, source->type_count)) {
        return false;
    }
    for (size_t i = 0; i < source->type_count; i++) {
        jobs->cells[jobs->count * source->type_count + i] = known->steps_per_s[source->columns[i]];
    }
    jobs->scale_factors[jobs->count] = (double)row->scale_factor;
    jobs->steps[jobs->count] = (double)row->total_steps;
    jobs->weights[jobs->count] = row->priority;
    jobs->names[jobs->count++] = name;
    return true;
}

static enum hs_err jobs_read(struct source *source, size_t head, struct jobs *jobs,
                             struct hs_error *error)
{
    struct gavel_reader *reader;
    enum hs_err err = gavel_open(source->path, &reader, error);
    bool has_row = true;

    while (!err && has_row && (head == 0 || jobs->count < head)) {
        struct gavel_row row;
        const struct throughput_row *known;
        char problem[256];

        err = gavel_next(reader, &row, &has_row, error);
        if (err || !has_row) {
            break;
        }
        known = row_check(source, &row, problem);
        if (!known) {
            err = pass_over(source, &row, problem, error);
        } else if (!jobs_add(jobs, source, &row, known)) {
            err = hs_error_memory(error);
        }
    }
    gavel_close(reader);
    if (source->passed_over > TOLD_MAX) {
        (void)fprintf(stderr, "hsim: warning: %s: %zu rows are passed over in all.\n", source->path,
                      source->passed_over);
    }
    if (!err && jobs->count == 0) {
        err = hs_error_set(error, HS_ERR_INPUT,
                           "%s: no row is a job with a throughput on these workers. A row has ten "
                           "fields with tabs between them.",
                           source->path);
    }
    return err;
}

/* A copy in the arena. */
static void *keep(struct arena *arena, const void *array, size_t size)
{
    void *copy = text_arena_alloc(arena, size);

    if (copy) {
        memcpy(copy, array, size);
    }
    return copy;
}

static enum hs_err instance_fill(struct source *source, const struct jobs *jobs,
                                 const struct instance_workers *workers, struct instance *instance,
                                 struct hs_error *error)
{
    struct arena *arena = source->arena;
    struct allot_problem *problem = &instance->problem;
    const char **types = text_arena_alloc(arena, source->type_count * sizeof *types);
    double *counts = text_arena_alloc(arena, source->type_count * sizeof *counts);

    instance->path = source->path;
    problem->job_count = jobs->count;
    problem->type_count = source->type_count;
    problem->steps_per_s =
        keep(arena, jobs->cells, jobs->count * source->type_count * sizeof *jobs->cells);
    problem->scale_factors =
        keep(arena, jobs->scale_factors, jobs->count * sizeof *jobs->scale_factors);
    problem->steps = keep(arena, jobs->steps, jobs->count * sizeof *jobs->steps);
    problem->weights = keep(arena, jobs->weights, jobs->count * sizeof *jobs->weights);
    problem->job_names = keep(arena, (const void *)jobs->names, jobs->count * sizeof *jobs->names);
    if (arena->has_failed) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < source->type_count; i++) {
        types[i] = workers[i].type;
        counts[i] = workers[i].count;
    }
    instance->types = types;
    problem->workers = counts;
    return HS_OK;
}

enum hs_err instance_from_trace(struct arena *arena, const char *path, const char *throughputs,
                                const struct instance_workers *workers, size_t worker_count,
                                size_t head, bool is_strict, struct instance **instance,
                                struct hs_error *error)
{
    struct throughput_table *table;
    size_t columns[THROUGHPUT_WORKERS_MAX];
    struct source source = {.arena = arena,
                            .columns = columns,
                            .type_count = worker_count,
                            .path = path,
                            .is_strict = is_strict};
    struct jobs jobs = {0};
    enum hs_err err = throughput_read(throughputs, &table, error);

    *instance = NULL;
    HS_ASSERT(worker_count <= THROUGHPUT_WORKERS_MAX);
    for (size_t i = 0; !err && i < worker_count; i++) {
        err = throughput_worker_find(table, workers[i].type, &columns[i], error);
    }
    if (!err) {
        source.table = table;
        err = jobs_read(&source, head, &jobs, error);
    }
    if (!err) {
        *instance = text_arena_alloc(arena, sizeof **instance);
        err = *instance ? instance_fill(&source, &jobs, workers, *instance, error)
                        : hs_error_memory(error);
    }
    jobs_fini(&jobs);
    throughput_destroy(table);
    return err;
}
