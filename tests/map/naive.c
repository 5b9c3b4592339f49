/* SPDX-License-Identifier: GPL-3.0-or-later */
/* naive.c - see naive.h. */
#include "naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double end_of(const struct naive *naive, uint32_t task, uint32_t machine)
{
    return naive->ready_s[machine] + naive->times_s[(size_t)task * naive->machine_count + machine];
}

static void place(struct naive *naive, uint32_t task, uint32_t machine)
{
    naive->ready_s[machine] = end_of(naive, task, machine);
    naive->machine_of_task[task] = machine;
    naive->makespan_s = fmax(naive->makespan_s, naive->ready_s[machine]);
}

/* The machine that completes the task first, when, and when the second best would. */
static uint32_t best_of(const struct naive *naive, uint32_t task, double *best_s, double *second_s)
{
    uint32_t best = HP_MAPPING_NONE;

    *best_s = *second_s = INFINITY;
    for (uint32_t machine = 0; machine < naive->machine_count; machine++) {
        if (end_of(naive, task, machine) < *best_s) {
            *best_s = end_of(naive, task, machine);
            best = machine;
        }
    }
    for (uint32_t machine = 0; machine < naive->machine_count; machine++) {
        if (machine != best) {
            *second_s = fmin(*second_s, end_of(naive, task, machine));
        }
    }
    return best;
}

static void map_in_turn(struct naive *naive, const char *name)
{
    for (uint32_t task = 0; task < naive->task_count; task++) {
        double least = INFINITY;
        uint32_t best = HP_MAPPING_NONE;

        for (uint32_t machine = 0; machine < naive->machine_count; machine++) {
            double time_s = naive->times_s[(size_t)task * naive->machine_count + machine];
            double key = strcmp(name, "olb") == 0   ? naive->ready_s[machine]
                         : strcmp(name, "met") == 0 ? time_s
                                                    : end_of(naive, task, machine);

            if (!isinf(time_s) && key < least) {
                least = key;
                best = machine;
            }
        }
        if (best != HP_MAPPING_NONE) {
            place(naive, task, best);
        }
    }
}

static void map_by_key(struct naive *naive, const char *name)
{
    for (;;) {
        double least = INFINITY;
        uint32_t pick = HP_MAPPING_NONE;
        uint32_t pick_machine = HP_MAPPING_NONE;

        for (uint32_t task = 0; task < naive->task_count; task++) {
            double best_s, second_s, key;
            uint32_t machine = best_of(naive, task, &best_s, &second_s);

            key = strcmp(name, "min-min") == 0   ? best_s
                  : strcmp(name, "max-min") == 0 ? -best_s
                                                 : -(second_s - best_s);
            if (naive->machine_of_task[task] == HP_MAPPING_NONE && machine != HP_MAPPING_NONE &&
                (pick == HP_MAPPING_NONE || key < least)) {
                least = key;
                pick = task;
                pick_machine = machine;
            }
        }
        if (pick == HP_MAPPING_NONE) {
            return;
        }
        place(naive, pick, pick_machine);
    }
}

static void map_by_passes(struct naive *naive)
{
    uint32_t *holder = malloc(naive->machine_count * sizeof *holder);
    double *loss = malloc(naive->machine_count * sizeof *loss);
    bool is_done = !holder || !loss;

    while (!is_done) {
        for (uint32_t machine = 0; machine < naive->machine_count; machine++) {
            holder[machine] = HP_MAPPING_NONE;
        }
        is_done = true;
        for (uint32_t task = 0; task < naive->task_count; task++) {
            double best_s, second_s;
            uint32_t machine = best_of(naive, task, &best_s, &second_s);

            if (naive->machine_of_task[task] != HP_MAPPING_NONE || machine == HP_MAPPING_NONE) {
                continue;
            }
            is_done = false;
            if (holder[machine] == HP_MAPPING_NONE || second_s - best_s > loss[machine]) {
                holder[machine] = task;
                loss[machine] = second_s - best_s;
            }
        }
        for (uint32_t machine = 0; machine < naive->machine_count; machine++) {
            if (holder[machine] != HP_MAPPING_NONE) {
                place(naive, holder[machine], machine);
            }
        }
    }
    free(holder);
    free(loss);
}

/* The variance itself, from the finish times of all machines. */
static double variance_with(const struct naive *naive, uint32_t task, uint32_t machine)
{
    double sum = 0.0, squares = 0.0;

    for (uint32_t i = 0; i < naive->machine_count; i++) {
        sum += i == machine ? end_of(naive, task, machine) : naive->ready_s[i];
    }
    for (uint32_t i = 0; i < naive->machine_count; i++) {
        double ready_s = i == machine ? end_of(naive, task, machine) : naive->ready_s[i];
        double distance = ready_s - sum / naive->machine_count;

        squares += distance * distance;
    }
    return squares / naive->machine_count;
}

static void map_by_variance(struct naive *naive)
{
    for (;;) {
        double least = INFINITY;
        uint32_t pick = HP_MAPPING_NONE;
        uint32_t pick_machine = 0;

        for (uint32_t task = 0; task < naive->task_count; task++) {
            for (uint32_t machine = 0;
                 naive->machine_of_task[task] == HP_MAPPING_NONE && machine < naive->machine_count;
                 machine++) {
                double variance = variance_with(naive, task, machine);

                if (!isinf(end_of(naive, task, machine)) && variance < least) {
                    least = variance;
                    pick = task;
                    pick_machine = machine;
                }
            }
        }
        if (pick == HP_MAPPING_NONE) {
            return;
        }
        place(naive, pick, pick_machine);
    }
}

void naive_map(struct naive *naive, const char *name)
{
    for (uint32_t task = 0; task < naive->task_count; task++) {
        naive->machine_of_task[task] = HP_MAPPING_NONE;
    }
    naive->makespan_s = 0.0;
    if (strcmp(name, "olb") == 0 || strcmp(name, "met") == 0 || strcmp(name, "mct") == 0) {
        map_in_turn(naive, name);
    } else if (strcmp(name, "sufferage-pass") == 0) {
        map_by_passes(naive);
    } else if (strcmp(name, "min-standard-deviation") == 0) {
        map_by_variance(naive);
    } else {
        map_by_key(naive, name);
    }
}
