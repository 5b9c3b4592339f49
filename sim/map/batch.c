/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch.c - collects batches, maps them, carries ready times on. */
#include "map/batch.h"

#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/keyed_rng.h"

struct batches {
    const struct map_batch_options *options;
    const struct map_batch_calls *calls;
    struct map_batch_result *result;
    struct hs_error *error;
    struct hp_mapper *mapper;
    struct map_rows *rows; /* drawn; NULL: those of the matrix */
    gsl_rng *rng;
    uint32_t task_count, machine_count;
    uint32_t next_task;
    double next_arrival_s;
    double *ready_s;    /* by machine: end of its last task */
    double *earliest_s; /* the same, but not before now */
    uint32_t count, room;
    double *arrivals_s; /* of the batch */
    double *times_s;    /* rows of the batch */
};

/* Draws when the next task arrives. */
static void arrival_draw(struct batches *batches)
{
    if (batches->options->rate_per_s > 0) {
        map_rng_begin(batches->rng, batches->options->seed, "map.arrival", batches->next_task);
        batches->next_arrival_s +=
            gsl_ran_exponential(batches->rng, 1.0 / batches->options->rate_per_s);
    }
}

static enum hs_err room_make(struct batches *batches)
{
    uint32_t room = batches->room ? batches->room * 2 : 64;
    double *arrivals_s, *times_s;

    room = room < batches->task_count ? room : batches->task_count;
    if ((uint64_t)room * batches->machine_count > MAP_CELLS_MAX) {
        return hs_error_set(batches->error, HS_ERR_CONFIG,
                            "A batch has more than %" PRIu32
                            " tasks, which are too many on %" PRIu32
                            " machines. Make the batches smaller, or the interval shorter.",
                            batches->room, batches->machine_count);
    }
    arrivals_s = realloc(batches->arrivals_s, room * sizeof *arrivals_s);
    if (!arrivals_s) {
        return hs_error_memory(batches->error);
    }
    batches->arrivals_s = arrivals_s;
    times_s = batches->times_s;
    if (batches->rows) {
        times_s = realloc(times_s, (size_t)room * batches->machine_count * sizeof *times_s);
    }
    if (batches->rows && !times_s) {
        return hs_error_memory(batches->error);
    }
    batches->times_s = times_s;
    batches->room = room;
    return HS_OK;
}

static enum hs_err task_add(struct batches *batches)
{
    if (batches->count == batches->room) {
        enum hs_err err = room_make(batches);

        if (err != HS_OK) {
            return err;
        }
    }
    if (batches->rows) {
        map_rows_draw(batches->rows, batches->next_task,
                      &batches->times_s[(size_t)batches->count * batches->machine_count]);
    }
    batches->arrivals_s[batches->count++] = batches->next_arrival_s;
    batches->next_task++;
    arrival_draw(batches);
    return HS_OK;
}

/* Fills the next batch; *now_s is when it is mapped. */
static enum hs_err batch_fill(struct batches *batches, double *now_s)
{
    const struct map_batch_options *options = batches->options;

    batches->count = 0;
    *now_s = batches->next_arrival_s;
    if (options->batch_size == 0) {
        *now_s = ceil(batches->next_arrival_s / options->interval_s) * options->interval_s;
        *now_s = fmax(*now_s, batches->next_arrival_s); /* rounding must not lose the task */
    }
    while (batches->next_task < batches->task_count &&
           (options->batch_size ? batches->count < options->batch_size
                                : batches->next_arrival_s <= *now_s)) {
        enum hs_err err = task_add(batches);

        if (err != HS_OK) {
            return err;
        }
    }
    if (options->batch_size) {
        *now_s = batches->arrivals_s[batches->count - 1];
    }
    return HS_OK;
}

/* Accounts for what has been mapped. */
static enum hs_err batch_take(struct batches *batches, const struct hp_mapping *mapping,
                              const double *times_s, double now_s)
{
    const struct map_batch_calls *calls = batches->calls;
    struct map_batch_result *result = batches->result;
    uint32_t first = batches->next_task - batches->count;

    for (uint32_t i = 0; i < mapping->mapped_count; i++) {
        uint32_t index = mapping->order[i];
        uint32_t machine = mapping->machine_of_task[index];
        double time_s = times_s[(size_t)index * batches->machine_count + machine];
        struct map_placed placed = {.task = first + index,
                                    .machine = machine,
                                    .arrival_s = batches->arrivals_s[index],
                                    .mapped_s = now_s,
                                    .start_s = fmax(batches->ready_s[machine], now_s),
                                    .end_s = mapping->completion_s[index]};

        batches->ready_s[machine] = placed.end_s;
        result->flowtime_s += placed.end_s - placed.arrival_s;
        result->busy_s += time_s;
        result->makespan_s = fmax(result->makespan_s, placed.end_s);
        if (calls->take && !calls->take(calls->context, &placed)) {
            return hs_error_set(batches->error, HS_ERR_INTERRUPTED, "The mapping was ended.");
        }
    }
    result->mapped_count += mapping->mapped_count;
    return HS_OK;
}

static enum hs_err batch_map(struct batches *batches, double now_s)
{
    const double *times_s = batches->times_s;
    struct hp_mapping_problem problem = {.task_count = batches->count,
                                         .machine_count = batches->machine_count,
                                         .ready_s = batches->earliest_s};
    const struct map_batch_calls *calls = batches->calls;
    struct hp_mapping mapping;
    enum hs_err err;

    if (!batches->rows) {
        times_s =
            &batches->options->etc
                 ->times_s[(size_t)(batches->next_task - batches->count) * batches->machine_count];
    }
    problem.times_s = times_s;
    for (uint32_t machine = 0; machine < batches->machine_count; machine++) {
        batches->earliest_s[machine] = fmax(batches->ready_s[machine], now_s);
    }
    if (calls->mark) {
        calls->mark(calls->context, true);
    }
    err = hp_mapper_map(batches->mapper, batches->options->heuristic, &problem, &mapping,
                        batches->error);
    if (calls->mark) {
        calls->mark(calls->context, false);
    }
    if (err != HS_OK) {
        return err;
    }
    batches->result->batch_count++;
    batches->result->cell_count += mapping.cell_count;
    if (batches->count > batches->result->batch_max) {
        batches->result->batch_max = batches->count;
    }
    return batch_take(batches, &mapping, times_s, now_s);
}

static bool batches_init(struct batches *batches)
{
    const struct map_batch_options *options = batches->options;

    batches->task_count = options->etc ? options->etc->task_count : options->generate->task_count;
    batches->machine_count =
        options->etc ? options->etc->machine_count : options->generate->machine_count;
    batches->mapper = hp_mapper_create();
    batches->rng = map_rng_create();
    batches->ready_s = calloc(batches->machine_count, sizeof *batches->ready_s);
    batches->earliest_s = calloc(batches->machine_count, sizeof *batches->earliest_s);
    if (!options->etc) {
        batches->rows = map_rows_create(options->generate);
    }
    return batches->mapper && batches->rng && batches->ready_s && batches->earliest_s &&
           (options->etc || batches->rows);
}

static void batches_fini(struct batches *batches)
{
    hp_mapper_destroy(batches->mapper);
    map_rows_destroy(batches->rows);
    if (batches->rng) {
        gsl_rng_free(batches->rng);
    }
    free(batches->ready_s);
    free(batches->earliest_s);
    free(batches->arrivals_s);
    free(batches->times_s);
}

enum hs_err map_batch_run(const struct map_batch_options *options,
                          const struct map_batch_calls *calls, struct map_batch_result *result,
                          struct hs_error *error)
{
    static const struct map_batch_calls none = {0};
    struct batches batches = {
        .options = options, .calls = calls ? calls : &none, .result = result, .error = error};
    enum hs_err err = HS_OK;

    HS_ASSERT(options->batch_size > 0 || options->interval_s > 0);
    *result = (struct map_batch_result){0};
    if (!batches_init(&batches)) {
        err = hs_error_memory(error);
    } else {
        arrival_draw(&batches);
    }
    while (err == HS_OK && batches.next_task < batches.task_count) {
        double now_s;

        err = batch_fill(&batches, &now_s);
        if (err == HS_OK) {
            err = batch_map(&batches, now_s);
        }
    }
    if (result->makespan_s > 0) {
        result->balance = result->busy_s / (batches.machine_count * result->makespan_s);
    }
    batches_fini(&batches);
    return err;
}
