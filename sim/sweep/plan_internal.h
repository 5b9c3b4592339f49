/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_internal.h - a plan from inside: combine.c makes the tree of a combination, build.c the
 * rows, plan.c is what others see. */
#ifndef HSIM_SWEEP_PLAN_INTERNAL_H
#define HSIM_SWEEP_PLAN_INTERNAL_H

#include "run/run_key.h"
#include "sweep/block.h"
#include "sweep/plan.h"
#include "sweep/policy_labels.h"

/* From what a row is made again. */
struct plan_origin {
    uint32_t combination; /* of the axes; behind them the cases of `include` */
    uint32_t policy;      /* of its experiment */
    uint32_t label;       /* number of the policy in the labels */
    bool is_policy_put;   /* `include` gave a policy that the experiment does not have */
};

struct sweep_plan {
    struct experiment_draft draft;
    struct block block;
    size_t combination_count; /* of the axes */
    struct sweep_axis *axes;
    struct sweep_row *rows;
    struct plan_origin *origins; /* by row */
    size_t row_count, row_room;
    struct arena values; /* of the rows */
    struct policy_labels labels;
    struct run_digests *digests;
    struct experiment base;
    char *config;
};

/* One combination of the axes, or a case of `include`. */
struct combination {
    size_t number;
    const struct block_case *include; /* NULL: of the axes */
    bool is_policy_put;
};

/* The case or NULL. */
const struct block_case *combination_include(const struct sweep_plan *plan, size_t number);

/* The value that a combination gives an axis; without a node: none. */
struct block_value combination_value(const struct sweep_plan *plan,
                                     const struct combination *combination, size_t axis);

/* Fills the experiment of a combination; problems go to `report`. experiment_fini in any case. */
enum hs_err combination_fill(const struct sweep_plan *plan, const struct combination *combination,
                             struct report *report, struct experiment *experiment,
                             struct hs_error *error) HS_MUST_USE;

/* "workload.load 0.5, scheduler.interval 30s" of a combination: all axes, or those of policies as
 * "depth=2". */
#define COMBINATION_TEXT_MAX 200
void combination_text(const struct sweep_plan *plan, const struct combination *combination,
                      bool is_policy, char text[COMBINATION_TEXT_MAX]);

/* Makes all rows, with keys if the plan has digests; problems go to the report of the draft. */
enum hs_err plan_build(struct sweep_plan *plan, struct hs_error *error) HS_MUST_USE;

/* sweep_plan_create or, without keys, sweep_plan_check, with another limit. */
enum hs_err plan_create(bool has_keys, size_t runs_max, const char *path,
                        const struct experiment_override *overrides, size_t override_count,
                        struct sweep_plan **plan, char **report,
                        struct hs_error *error) HS_MUST_USE;

#endif
