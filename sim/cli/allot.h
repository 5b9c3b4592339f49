/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot.h - what the parts of `hsim allot` share: instances, and how they are read and shown. */
#ifndef HSIM_CLI_ALLOT_H
#define HSIM_CLI_ALLOT_H

#include "allot/allot.h"
#include "text/arena.h"

/* Jobs and workers whose shares are asked for. All memory is the arena's but the path, which is
 * borrowed. */
struct instance {
    const char *path;
    const char *label; /* "instance 1", or what it is named; NULL: all jobs of a trace */
    const char *const *types;
    struct allot_problem problem; /* with job_names */
    struct instance *next;
};

/* Reads the instances of a YAML or JSON file: a map, or a list of maps, with worker_types,
 * num_workers, throughput (a row for each job), and as far as they are there jobs, scale_factor,
 * steps_remaining, weight, name. HS_ERR_INPUT with all problems and their places, a line each. */
enum hs_err instance_read(struct arena *arena, const char *path, struct instance **first,
                          struct hs_error *error) HS_MUST_USE;

/* How many workers there are of a type. */
struct instance_workers {
    const char *type;
    double count;
};

/* One instance of all jobs of a trace of Gavel, as if all were there at once with all their steps
 * to do; at most `head` of them (0: all). Rows that cannot be used are told on standard error and
 * passed over, or are errors if `is_strict`. */
enum hs_err instance_from_trace(struct arena *arena, const char *path, const char *throughputs,
                                const struct instance_workers *workers, size_t worker_count,
                                size_t head, bool is_strict, struct instance **instance,
                                struct hs_error *error) HS_MUST_USE;

/* Prints optimum and shares of the goals with is_chosen[goal] on standard output: text, or JSON. If
 * none is chosen: of all goals, but of the makespan only where the steps are given. */
enum hs_err instance_print(const struct instance *first, const bool is_chosen[ALLOT_GOAL_COUNT],
                           bool is_json, struct hs_error *error) HS_MUST_USE;

#endif
