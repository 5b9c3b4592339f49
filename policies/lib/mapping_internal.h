/* SPDX-License-Identifier: MIT */
/* mapping_internal.h - what the heuristics share: rows of tasks, columns of machines.
 *
 * Tasks of a row are mapped in the order of their numbers. The machines of a column are the leaves
 * of a tree that keeps the earliest ready time below each node; fl(ready + time) never falls as
 * ready rises, so the tree also finds the lowest machine that reaches the least completion. */
#ifndef HP_MAPPING_INTERNAL_H
#define HP_MAPPING_INTERNAL_H

#include "lib/mapping.h"

/* What a row knows of its columns, as of the last look at them. */
struct hp_row {
    double best_s;  /* the least completion of one more task of this row */
    double other_s; /* the least on any other machine, of the same column or another */
    uint32_t best_column, other_column; /* HP_MAPPING_NONE: there is none */
};

/* A column of several machines: [node] is the earliest ready time below it, 1 the root, the leaves
 * follow the inner nodes. */
struct hp_tree {
    double *nodes;   /* NULL: one machine, or none */
    uint32_t leaves; /* a power of two; those without a machine are never ready */
};

/* Slots of a pool, in a list by ready time. */
struct hp_slot_node {
    double ready_s;
    uint32_t count;
    uint32_t previous, next; /* HP_MAPPING_NONE: none; next also chains nodes that are free */
};

/* What a pool would do for one more task. */
struct hp_offer {
    double start_s; /* INFINITY: it has fewer slots */
    double other_s; /* the start without the slot that is ready last */
};

/* A row by its time in a column. */
struct hp_timed_row {
    double time_s;
    uint32_t row;
};

/* One finished mapping; duplex keeps two. */
struct hp_outcome {
    uint32_t *machine_of_task, *order;
    double *completion_s, *ready_s;
    uint32_t mapped_count;
};

struct hp_mapper {
    void *block; /* all arrays */
    size_t block_bytes;
    struct hp_mapping_problem problem; /* row_count and column_count filled in */
    struct hp_outcome now, kept;
    uint64_t cell_count;

    uint32_t *tasks;     /* sorted by row, then number */
    uint32_t *row_begin; /* by row, and the end: into tasks */
    uint32_t *row_next;  /* by row: the next of tasks that has no machine */
    uint32_t *live;      /* rows that have tasks left, ascending */
    uint32_t live_count;
    struct hp_row *rows;

    uint32_t *machines;     /* sorted by column, then number */
    uint32_t *column_begin; /* by column, and the end: into machines */
    uint32_t *column_of_machine, *leaf_of_machine;
    double *first_s;       /* by column: the earliest ready time */
    double *second_s;      /* the second earliest; INFINITY for one machine */
    struct hp_tree *trees; /* by column */
    double *tree_nodes;    /* of all of them */
    uint32_t *holders;     /* by machine: who wants it in this pass; else NONE */
    uint32_t *wanted;      /* machines that somebody wants */
    bool *is_touched;      /* by column: used in the last pass */
    bool is_plain;         /* column k is machine k */

    struct hp_timed_row *by_time; /* [column * live rows + i], and a column to sort with; NULL: not
                                     to be used */
    uint32_t *by_time_next;       /* by column: those before it have no tasks left */

    /* Only where machines are pools. */
    struct hp_slots *heap; /* of all pools, else of the one that is booked */
    size_t *heap_begin;    /* by column: into heap */
    uint32_t *heap_count;  /* by column */
    struct hp_slot_node *slot_nodes;
    uint32_t *slot_first, *slot_last; /* by column; HP_MAPPING_NONE: it has none */
    uint32_t *slot_counts;            /* by column */
    double *work_s;                   /* by column: slots x time until they are ready */
    uint32_t free_slot_node, slot_node_count;
    bool is_wide; /* a task may take more than one slot */
};

/* mapping_sorted.c: entries of by_time; 0: it does not pay. */
size_t hp_sorted_room(const struct hp_mapping_problem *problem, bool is_plain);
/* Maps by min-min. False: the problem is not of that kind, and nothing has changed. */
bool hp_map_sorted(struct hp_mapper *mapper);

/* mapping_pools.c: nodes of slots that are needed at most. */
size_t hp_pool_node_room(const struct hp_mapping_problem *problem);
/* Nodes of heaps that are needed at most. */
size_t hp_pool_heap_room(const struct hp_mapping_problem *problem);
/* All pools as the problem has them, with their bookings. */
void hp_pools_reset(struct hp_mapper *mapper);
struct hp_offer hp_pool_offer(const struct hp_mapper *mapper, uint32_t column, uint32_t width);
/* Gives `width` slots to a task of this length; when it ends. */
double hp_pool_take(struct hp_mapper *mapper, uint32_t column, uint32_t width, double time_s);
/* By how much the sum of squared distances of the slots' ready times from their mean grows, with
 * `sum_s` the sum of the ready times and `count` the number of all slots, if the pool gets a task
 * of several slots; *more_s is by how much the sum grows. */
double hp_pool_growth(const struct hp_mapper *mapper, uint32_t column, uint32_t width,
                      double time_s, double sum_s, double count, double *more_s);

static inline const double *hp_mapper_row(const struct hp_mapper *mapper, uint32_t row)
{
    return &mapper->problem.times_s[(size_t)row * mapper->problem.column_count];
}

static inline uint32_t hp_mapper_next_task(const struct hp_mapper *mapper, uint32_t row)
{
    return mapper->tasks[mapper->row_next[row]];
}

/* Of the next task of the row. */
static inline double hp_mapper_urgency(const struct hp_mapper *mapper, uint32_t row)
{
    return mapper->problem.urgency ? mapper->problem.urgency[hp_mapper_next_task(mapper, row)]
                                   : 1.0;
}

/* Slots that a task of the row takes of a pool. */
static inline uint32_t hp_mapper_width(const struct hp_mapper *mapper, uint32_t row,
                                       uint32_t column)
{
    return mapper->is_wide
               ? mapper->problem.pools->widths[(size_t)row * mapper->problem.column_count + column]
               : 1;
}

/* When the column is ready for a task of the row at the earliest. */
static inline double hp_mapper_ready(const struct hp_mapper *mapper, uint32_t row, uint32_t column)
{
    uint32_t width = hp_mapper_width(mapper, row, column);

    return width == 1 ? mapper->first_s[column] : hp_pool_offer(mapper, column, width).start_s;
}

/* The lowest machine of the column with ready + time <= limit; there is one. */
uint32_t hp_mapper_machine(const struct hp_mapper *mapper, uint32_t column, double time_s,
                           double limit_s);

/* Gives the next task of the row to the machine, which is of this column. */
void hp_mapper_place(struct hp_mapper *mapper, uint32_t row, uint32_t machine);

/* Looks at all columns of the row. */
void hp_mapper_look(struct hp_mapper *mapper, uint32_t row);

/* Begins again with all tasks unmapped and machines as the problem has them. */
void hp_mapper_reset(struct hp_mapper *mapper);

/* The last completion of what is mapped now. */
double hp_outcome_makespan(const struct hp_outcome *outcome);

/* The pool for one more task of the row, by the rules of mapping.h; HP_MAPPING_NONE: it can run on
 * none. */
uint32_t hp_choose_match(struct hp_mapper *mapper, uint32_t row);
uint32_t hp_choose_balance(struct hp_mapper *mapper, uint32_t row);

void hp_map_olb(struct hp_mapper *mapper);
void hp_map_met(struct hp_mapper *mapper);
void hp_map_mct(struct hp_mapper *mapper);
void hp_map_min_min(struct hp_mapper *mapper);
void hp_map_max_min(struct hp_mapper *mapper);
void hp_map_duplex(struct hp_mapper *mapper);
void hp_map_sufferage_iter(struct hp_mapper *mapper);
void hp_map_sufferage_pass(struct hp_mapper *mapper);
void hp_map_deviation(struct hp_mapper *mapper);
void hp_map_match(struct hp_mapper *mapper);
void hp_map_balance(struct hp_mapper *mapper);

#endif
