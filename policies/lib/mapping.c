/* SPDX-License-Identifier: MIT */
/* mapping.c - the mapper: its memory, columns of like machines, and the table of heuristics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mapping_internal.h"

const struct hp_heuristic hp_heuristics[] = {
    {"olb", "each task in turn to the machine that is ready first", hp_map_olb},
    {"met", "each task in turn to the machine that computes it fastest, ready or not", hp_map_met},
    {"mct", "each task in turn to the machine that completes it first", hp_map_mct},
    {"min-min", "the task that can complete first goes first, to that machine", hp_map_min_min},
    {"max-min", "the task whose first completion is latest goes first", hp_map_max_min},
    {"duplex", "the better of min-min and max-min", hp_map_duplex},
    {"sufferage-iter", "the task that loses most by its second best machine goes first",
     hp_map_sufferage_iter},
    {"sufferage-pass", "in each pass a machine goes to who would lose most without it",
     hp_map_sufferage_pass},
    {"min-standard-deviation", "the task and machine that keep the ready times closest together",
     hp_map_deviation},
};
const size_t hp_heuristic_count = sizeof hp_heuristics / sizeof hp_heuristics[0];

const struct hp_heuristic *hp_heuristic_find(const char *name)
{
    for (size_t i = 0; i < hp_heuristic_count; i++) {
        if (strcmp(hp_heuristics[i].name, name) == 0) {
            return &hp_heuristics[i];
        }
    }
    return NULL;
}

struct hp_mapper *hp_mapper_create(void)
{
    return calloc(1, sizeof(struct hp_mapper));
}

void hp_mapper_destroy(struct hp_mapper *mapper)
{
    if (mapper) {
        free(mapper->block);
        free(mapper);
    }
}

/* Cuts arrays off a block; without a block it only adds up their bytes. */
struct cutter {
    char *block;
    size_t used;
    bool is_too_large;
};

static void *cut(struct cutter *cutter, size_t count, size_t size)
{
    const size_t align = 16;
    char *array = cutter->block ? cutter->block + cutter->used : NULL;

    if (count > (SIZE_MAX / 4 - cutter->used) / size) {
        cutter->is_too_large = true;
        return NULL;
    }
    cutter->used += (count * size + align - 1) / align * align;
    return array;
}

static void cut_outcome(struct cutter *cutter, struct hp_outcome *outcome, size_t tasks,
                        size_t machines)
{
    outcome->machine_of_task = cut(cutter, tasks, sizeof(uint32_t));
    outcome->order = cut(cutter, tasks, sizeof(uint32_t));
    outcome->completion_s = cut(cutter, tasks, sizeof(double));
    outcome->ready_s = cut(cutter, machines, sizeof(double));
}

static void cut_arrays(struct hp_mapper *mapper, struct cutter *cutter)
{
    size_t tasks = mapper->problem.task_count;
    size_t machines = mapper->problem.machine_count;
    size_t rows = mapper->problem.row_count;
    size_t columns = mapper->problem.column_count;

    cut_outcome(cutter, &mapper->now, tasks, machines);
    cut_outcome(cutter, &mapper->kept, tasks, machines);
    mapper->rows = cut(cutter, rows, sizeof *mapper->rows);
    mapper->tasks = cut(cutter, tasks, sizeof(uint32_t));
    mapper->row_begin = cut(cutter, rows + 1, sizeof(uint32_t));
    mapper->row_next = cut(cutter, rows, sizeof(uint32_t));
    mapper->live = cut(cutter, rows, sizeof(uint32_t));
    mapper->machines = cut(cutter, machines, sizeof(uint32_t));
    mapper->column_begin = cut(cutter, columns + 1, sizeof(uint32_t));
    mapper->column_of_machine = cut(cutter, machines, sizeof(uint32_t));
    mapper->leaf_of_machine = cut(cutter, machines, sizeof(uint32_t));
    mapper->first_s = cut(cutter, columns, sizeof(double));
    mapper->second_s = cut(cutter, columns, sizeof(double));
    mapper->trees = cut(cutter, columns, sizeof *mapper->trees);
    /* A tree of k machines has fewer than 2 * 2k nodes. */
    mapper->tree_nodes = cut(cutter, mapper->is_plain ? 0 : 4 * machines, sizeof(double));
    mapper->holders = cut(cutter, machines, sizeof(uint32_t));
    mapper->wanted = cut(cutter, machines, sizeof(uint32_t));
    mapper->is_touched = cut(cutter, columns, sizeof(bool));
    mapper->by_time = NULL;
    if (hp_sorted_room(&mapper->problem, mapper->is_plain)) {
        mapper->by_time = cut(cutter, hp_sorted_room(&mapper->problem, mapper->is_plain),
                              sizeof *mapper->by_time);
        mapper->by_time_next = cut(cutter, columns, sizeof(uint32_t));
    }
    if (mapper->problem.pools) {
        mapper->heap = cut(cutter, hp_pool_heap_room(&mapper->problem), sizeof *mapper->heap);
        mapper->heap_begin = cut(cutter, columns, sizeof *mapper->heap_begin);
        mapper->heap_count = cut(cutter, columns, sizeof *mapper->heap_count);
        mapper->slot_nodes =
            cut(cutter, hp_pool_node_room(&mapper->problem), sizeof *mapper->slot_nodes);
        mapper->slot_first = cut(cutter, columns, sizeof(uint32_t));
        mapper->slot_last = cut(cutter, columns, sizeof(uint32_t));
        mapper->slot_counts = cut(cutter, columns, sizeof(uint32_t));
        mapper->work_s = cut(cutter, columns, sizeof(double));
    }
}

static bool reserve(struct hp_mapper *mapper)
{
    struct cutter cutter = {0};

    cut_arrays(mapper, &cutter);
    if (cutter.is_too_large) {
        return false;
    }
    if (cutter.used > mapper->block_bytes) {
        free(mapper->block);
        mapper->block_bytes = 0;
        mapper->block = malloc(cutter.used);
        if (!mapper->block) {
            return false;
        }
        mapper->block_bytes = cutter.used;
    }
    cutter = (struct cutter){.block = mapper->block};
    cut_arrays(mapper, &cutter);
    return true;
}

/* Sorts `count` things by their class, then number, into `sorted`; `begin` gets class_count + 1
 * entries. class_of NULL: each is its own class. */
static void sort_by_class(const uint32_t *class_of, uint32_t count, uint32_t class_count,
                          uint32_t *sorted, uint32_t *begin)
{
    memset(begin, 0, (class_count + (size_t)1) * sizeof *begin);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t class = class_of ? class_of[i] : i;

        HS_ASSERT(class < class_count);
        begin[class + 1]++;
    }
    for (uint32_t class = 0; class < class_count; class ++) {
        begin[class + 1] += begin[class];
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[begin[class_of ? class_of[i] : i]++] = i;
    }
    for (uint32_t class = class_count; class > 0; class --) {
        begin[class] = begin[class - 1];
    }
    begin[0] = 0;
}

/* The least of the leaves, and the least of all but one leaf that has it. */
static void read_tree(struct hp_mapper *mapper, uint32_t column)
{
    const double *nodes = mapper->trees[column].nodes;
    double second_s = INFINITY;

    for (uint32_t node = 1; node < mapper->trees[column].leaves;) {
        bool is_left = nodes[2 * node] <= nodes[2 * node + 1];
        double passed_s = nodes[2 * node + is_left];

        second_s = passed_s < second_s ? passed_s : second_s;
        node = 2 * node + !is_left;
    }
    mapper->first_s[column] = nodes[1];
    mapper->second_s[column] = second_s;
}

static void reset_column(struct hp_mapper *mapper, uint32_t column)
{
    const uint32_t *machines = &mapper->machines[mapper->column_begin[column]];
    uint32_t size = mapper->column_begin[column + 1] - mapper->column_begin[column];
    uint32_t leaves = mapper->trees[column].leaves;
    double *nodes = mapper->trees[column].nodes;

    if (!nodes) {
        mapper->first_s[column] = size ? mapper->now.ready_s[machines[0]] : INFINITY;
        mapper->second_s[column] = INFINITY;
        return;
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        nodes[leaves + leaf] = leaf < size ? mapper->now.ready_s[machines[leaf]] : INFINITY;
    }
    for (uint32_t node = leaves - 1; node > 0; node--) {
        nodes[node] = fmin(nodes[2 * node], nodes[2 * node + 1]);
    }
    read_tree(mapper, column);
}

void hp_mapper_reset(struct hp_mapper *mapper)
{
    const struct hp_mapping_problem *problem = &mapper->problem;

    mapper->now.mapped_count = 0;
    for (uint32_t task = 0; task < problem->task_count; task++) {
        mapper->now.machine_of_task[task] = HP_MAPPING_NONE;
        mapper->now.completion_s[task] = INFINITY;
    }
    for (uint32_t machine = 0; machine < problem->machine_count; machine++) {
        mapper->now.ready_s[machine] = problem->ready_s ? problem->ready_s[machine] : 0.0;
        mapper->holders[machine] = HP_MAPPING_NONE;
    }
    for (uint32_t column = 0; column < problem->column_count; column++) {
        if (!problem->pools) {
            reset_column(mapper, column);
        }
        mapper->is_touched[column] = false;
    }
    if (problem->pools) {
        hp_pools_reset(mapper);
    }
    mapper->live_count = 0;
    for (uint32_t row = 0; row < problem->row_count; row++) {
        mapper->row_next[row] = mapper->row_begin[row];
        if (mapper->row_begin[row] < mapper->row_begin[row + 1]) {
            mapper->live[mapper->live_count++] = row;
        }
    }
}

uint32_t hp_mapper_machine(const struct hp_mapper *mapper, uint32_t column, double time_s,
                           double limit_s)
{
    const struct hp_tree *tree = &mapper->trees[column];
    uint32_t leaf = 0;

    if (tree->nodes) {
        uint32_t node = 1;

        while (node < tree->leaves) {
            node *= 2;
            node += !(tree->nodes[node] + time_s <= limit_s);
        }
        leaf = node - tree->leaves;
    }
    return mapper->machines[mapper->column_begin[column] + leaf];
}

void hp_mapper_place(struct hp_mapper *mapper, uint32_t row, uint32_t machine)
{
    struct hp_outcome *now = &mapper->now;
    uint32_t task = mapper->tasks[mapper->row_next[row]++];
    uint32_t column = mapper->column_of_machine[machine];
    double time_s = hp_mapper_row(mapper, row)[column];
    double end_s = mapper->problem.pools
                       ? hp_pool_take(mapper, column, hp_mapper_width(mapper, row, column), time_s)
                       : now->ready_s[machine] + time_s;
    const struct hp_tree *tree = &mapper->trees[column];

    now->machine_of_task[task] = machine;
    now->completion_s[task] = end_s;
    now->order[now->mapped_count++] = task;
    if (mapper->problem.pools) {
        now->ready_s[machine] = fmax(now->ready_s[machine], end_s);
        return;
    }
    now->ready_s[machine] = end_s;
    if (!tree->nodes) {
        mapper->first_s[column] = end_s;
        return;
    }
    for (uint32_t node = tree->leaves + mapper->leaf_of_machine[machine]; node > 0; node /= 2) {
        tree->nodes[node] = end_s;
        end_s = node > 1 ? fmin(end_s, tree->nodes[node ^ 1u]) : end_s;
    }
    read_tree(mapper, column);
}

/* When the column is ready for the task without the machine that would be its last. */
static double second_ready(const struct hp_mapper *mapper, uint32_t row, uint32_t column)
{
    uint32_t width = hp_mapper_width(mapper, row, column);

    return width == 1 ? mapper->second_s[column] : hp_pool_offer(mapper, column, width).other_s;
}

/* One more column, which ends the task at `end_s`. */
static inline void look_at_column(struct hp_row *known, uint32_t column, double end_s)
{
    bool is_best = end_s < known->best_s;

    if (end_s < known->other_s || is_best) {
        known->other_s = is_best ? known->best_s : end_s;
        known->other_column = is_best ? known->best_column : column;
        known->best_s = is_best ? end_s : known->best_s;
        known->best_column = is_best ? column : known->best_column;
    }
}

/* Columns are machines, or pools for tasks of one slot. Eight at a time are passed over if none of
 * them is better than the second best so far, which is what mostly happens. */
static void look_plainly(const struct hp_mapper *mapper, const double *times_s,
                         struct hp_row *known)
{
    const double *first_s = mapper->first_s;
    uint32_t column_count = mapper->problem.column_count;
    uint32_t column = 0;

    for (; column + 8 <= column_count; column += 8) {
        double least_s[4];

        for (uint32_t i = 0; i < 4; i++) {
            double end_s = first_s[column + i] + times_s[column + i];
            double next_s = first_s[column + i + 4] + times_s[column + i + 4];

            least_s[i] = next_s < end_s ? next_s : end_s;
        }
        least_s[0] = least_s[1] < least_s[0] ? least_s[1] : least_s[0];
        least_s[2] = least_s[3] < least_s[2] ? least_s[3] : least_s[2];
        if (least_s[0] >= known->other_s && least_s[2] >= known->other_s) {
            continue;
        }
        for (uint32_t i = column; i < column + 8; i++) {
            look_at_column(known, i, first_s[i] + times_s[i]);
        }
    }
    for (; column < column_count; column++) {
        look_at_column(known, column, first_s[column] + times_s[column]);
    }
}

/* At equal ends the column with the lowest machine is the best. */
static void look_at_classes(struct hp_mapper *mapper, uint32_t row, struct hp_row *known)
{
    const double *times_s = hp_mapper_row(mapper, row);

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        double end_s = hp_mapper_ready(mapper, row, column) + times_s[column];
        bool is_tie = known->best_column != HP_MAPPING_NONE && end_s == known->best_s;

        look_at_column(known, column, end_s);
        if (is_tie && !mapper->is_plain &&
            hp_mapper_machine(mapper, column, times_s[column], end_s) <
                hp_mapper_machine(mapper, known->best_column, times_s[known->best_column],
                                  known->best_s)) {
            known->other_s = end_s;
            known->other_column = known->best_column;
            known->best_column = column;
        }
    }
}

void hp_mapper_look(struct hp_mapper *mapper, uint32_t row)
{
    struct hp_row known = {INFINITY, INFINITY, HP_MAPPING_NONE, HP_MAPPING_NONE};

    if (mapper->is_plain && !mapper->is_wide) {
        look_plainly(mapper, hp_mapper_row(mapper, row), &known);
    } else {
        look_at_classes(mapper, row, &known);
    }
    if (known.best_column != HP_MAPPING_NONE) {
        double end_s = second_ready(mapper, row, known.best_column) +
                       hp_mapper_row(mapper, row)[known.best_column];

        if (end_s < known.other_s) {
            known.other_s = end_s;
            known.other_column = known.best_column;
        }
    }
    mapper->rows[row] = known;
    mapper->cell_count += mapper->problem.column_count;
}

double hp_outcome_makespan(const struct hp_outcome *outcome)
{
    double makespan_s = 0.0;

    for (uint32_t i = 0; i < outcome->mapped_count; i++) {
        makespan_s = fmax(makespan_s, outcome->completion_s[outcome->order[i]]);
    }
    return makespan_s;
}

/* Sorts tasks into rows and machines into columns, and gives each column its tree. */
static void sort_problem(struct hp_mapper *mapper)
{
    const struct hp_mapping_problem *problem = &mapper->problem;
    double *nodes = mapper->tree_nodes;

    sort_by_class(problem->row_of_task, problem->task_count, problem->row_count, mapper->tasks,
                  mapper->row_begin);
    sort_by_class(problem->column_of_machine, problem->machine_count, problem->column_count,
                  mapper->machines, mapper->column_begin);
    for (uint32_t column = 0; column < problem->column_count; column++) {
        uint32_t begin = mapper->column_begin[column];
        uint32_t size = mapper->column_begin[column + 1] - begin;
        struct hp_tree *tree = &mapper->trees[column];

        *tree = (struct hp_tree){.leaves = 1};
        for (uint32_t i = 0; i < size; i++) {
            mapper->column_of_machine[mapper->machines[begin + i]] = column;
            mapper->leaf_of_machine[mapper->machines[begin + i]] = i;
        }
        if (size > 1) {
            while (tree->leaves < size) {
                tree->leaves *= 2;
            }
            tree->nodes = nodes;
            nodes += 2 * (size_t)tree->leaves;
        }
    }
}

static void tell(const struct hp_mapper *mapper, struct hp_mapping *mapping)
{
    const struct hp_outcome *now = &mapper->now;

    *mapping = (struct hp_mapping){
        .machine_of_task = now->machine_of_task,
        .order = now->order,
        .completion_s = now->completion_s,
        .ready_s = now->ready_s,
        .mapped_count = now->mapped_count,
        .makespan_s = hp_outcome_makespan(now),
        .cell_count = mapper->cell_count,
    };
    for (uint32_t task = 0; task < mapper->problem.task_count; task++) {
        if (now->machine_of_task[task] != HP_MAPPING_NONE) {
            mapping->flowtime_s += now->completion_s[task];
        }
    }
}

enum hs_err hp_mapper_map(struct hp_mapper *mapper, const struct hp_heuristic *heuristic,
                          const struct hp_mapping_problem *problem, struct hp_mapping *mapping,
                          struct hs_error *error)
{
    struct hp_mapping_problem *own = &mapper->problem;

    HS_ASSERT(problem->task_count > 0);
    HS_ASSERT(problem->machine_count > 0);
    *own = *problem;
    own->row_count = problem->row_count ? problem->row_count : problem->task_count;
    own->column_count = problem->column_count ? problem->column_count : problem->machine_count;
    mapper->is_plain = !problem->column_of_machine;
    mapper->is_wide = problem->pools && problem->pools->widths;
    HS_ASSERT(!problem->pools || (mapper->is_plain && !problem->ready_s));
    if (!reserve(mapper)) {
        return hs_error_memory(error);
    }
    mapper->cell_count = 0;
    sort_problem(mapper);
    hp_mapper_reset(mapper);
    heuristic->map(mapper);
    tell(mapper, mapping);
    return HS_OK;
}
