/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.h - ETC matrices drawn at random, any row by itself.
 *
 * Two models. `range` (Braun et al., JPDC 61(6), 2001, section 2): b[t] uniform in [1, task-range),
 * time = b[t] times uniform in [1, machine-range). `cvb` (Ali et al., Tamkang J. of Science and
 * Engineering 3(3), 2000, "coefficient of variation based"): q[t] from the gamma distribution of
 * mean `mean` and coefficient of variation `task-cv`, times from that of mean q[t] and coefficient
 * `machine-cv`. A consistent matrix has every row sorted, a semi-consistent one the even columns of
 * every row. */
#ifndef HSIM_MAP_GENERATE_H
#define HSIM_MAP_GENERATE_H

#include "map/etc.h"

enum map_model { MAP_MODEL_RANGE, MAP_MODEL_CVB };
enum map_consistency { MAP_INCONSISTENT, MAP_SEMI_CONSISTENT, MAP_CONSISTENT };

struct map_generate {
    enum map_model model;
    enum map_consistency consistency;
    uint32_t task_count, machine_count;
    double task_range, machine_range;   /* of range, without unit */
    double mean_s, task_cv, machine_cv; /* of cvb */
    uint64_t seed;
};

/* Reads a description: "range" or "cvb", then words KEY=VALUE, with blanks or commas between them.
 * HS_ERR_CONFIG: an unknown word or a value out of range, with what is allowed. */
enum hs_err map_generate_parse(const char *text, struct map_generate *generate,
                               struct hs_error *error) HS_MUST_USE;

/* The keys, one a line: name, default, range, meaning. Caller frees; NULL: no memory. */
char *map_generate_keys(void);

/* Draws rows. A row depends on the seed and its number alone. */
struct map_rows;

/* NULL: no memory. `generate` is copied. */
struct map_rows *map_rows_create(const struct map_generate *generate);
void map_rows_destroy(struct map_rows *rows);

/* The times of `task` on all machines into `times_s`. */
void map_rows_draw(struct map_rows *rows, uint32_t task, double *times_s);

/* All rows. Errors: HS_ERR_CONFIG for too large a matrix, HS_ERR_SYSTEM without memory. */
enum hs_err map_generate_etc(const struct map_generate *generate, struct map_etc *etc,
                             struct hs_error *error) HS_MUST_USE;

#endif
