/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block.h - the block `sweep` of an experiment, read and checked. Internal to sim/sweep.
 *
 * Axes stand in the order of the file. Those of an element of `zip` belong to one dimension, every
 * other axis is a dimension by itself: a combination is an index into each dimension. */
#ifndef HSIM_SWEEP_BLOCK_H
#define HSIM_SWEEP_BLOCK_H

#include "experiment/draft.h"
#include "experiment/override.h"
#include "result/sweep_file.h"

struct block_value {
    struct tree_node *node; /* what goes into the experiment; NULL: not given */
    struct sweep_value column;
};

struct block_axis {
    const char *key;
    const struct key *row;     /* NULL: a parameter of a policy */
    struct override_path path; /* with the place of the key */
    enum sweep_type type;
    bool is_policy;
    const struct tree_node *spec; /* the list, or the map of a range */
    size_t count;                 /* of the values */
    struct block_value *values;   /* NULL before block_expand */
    size_t dimension;
};

struct block_dimension {
    size_t first_axis, axis_count;
    size_t length;
};

/* A map of `exclude` or `include`. */
struct block_case {
    struct tree_place place;
    struct block_value *values; /* by axis */
    struct tree_node *policy;   /* NULL: not named */
    bool is_met;                /* it concerned a row */
};

struct block_cases {
    struct block_case *list;
    size_t count;
};

struct block {
    struct experiment_draft *draft;
    const struct tree_node *sweep; /* the map; NULL: there is none */
    struct tree_place place;       /* of the key `sweep` */
    struct block_axis *axes;
    size_t axis_count;
    struct block_dimension *dimensions;
    size_t dimension_count;
    const struct block_axis *policies; /* the axis whose values are policies; NULL: none */
    struct block_cases excludes, includes;
    int64_t replications;
};

/* Takes `sweep` out of the tree of the draft and reads its axes; problems go to the report of the
 * draft, with whose memory the block lives. Without the key there are no axes. */
enum hs_err block_read(struct experiment_draft *draft, struct block *block,
                       struct hs_error *error) HS_MUST_USE;

/* Makes the values of the axes, of which until then only the numbers are known; then reads
 * `exclude` and `include`. */
enum hs_err block_expand(struct block *block, struct hs_error *error) HS_MUST_USE;

/* value.c: a value as the merged file shows it. */
void value_describe(const struct block_axis *axis, struct block_value *value, struct arena *arena);
/* The type of an axis, once all values are known: those of parameters of policies tell it. */
void value_settle_type(struct block_axis *axis);
/* The number of a value of a parameter, of the type of its axis; false: it is none. */
bool value_number(const struct block_axis *axis, struct block_value *value);
bool value_is_equal(enum sweep_type type, const struct sweep_value *left,
                    const struct sweep_value *right);

/* range.c: reads the ends and the number of values of a range; then makes the values. Problems go
 * to the report. */
enum hs_err range_read(struct block *block, struct block_axis *axis,
                       struct hs_error *error) HS_MUST_USE;
void range_expand(struct block *block, struct block_axis *axis);

/* cases.c */
enum hs_err cases_read(struct block *block, const char *name, struct block_cases *cases,
                       struct hs_error *error) HS_MUST_USE;

#endif
