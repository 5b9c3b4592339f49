/* SPDX-License-Identifier: MIT */
/* mapping_rules.c - the heuristics.
 *
 * In batch mode all tasks are looked at in each step. A row remembers its best column and the least
 * completion on any other machine. Ready times only grow, so both stay lower bounds, and a best
 * stays the best until its column is used; behind that it still is if it lies below the other. */
#include <math.h>
#include <string.h>

#include "lib/mapping_internal.h"

/* The machine of a row for immediate mode; HP_MAPPING_NONE: it can run nowhere. */
typedef uint32_t choose_fn(struct hp_mapper *mapper, uint32_t row);

/* Tasks in the order of their numbers. */
static void map_in_turn(struct hp_mapper *mapper, choose_fn *choose)
{
    const struct hp_mapping_problem *problem = &mapper->problem;

    for (uint32_t task = 0; task < problem->task_count; task++) {
        uint32_t row = problem->row_of_task ? problem->row_of_task[task] : task;
        uint32_t machine = choose(mapper, row);

        if (machine != HP_MAPPING_NONE) {
            hp_mapper_place(mapper, row, machine);
        } else {
            mapper->row_next[row]++;
        }
    }
}

/* Braun 2001: "opportunistic load balancing" does not look at times, but here at whether the task
 * can run at all. */
static uint32_t choose_ready(struct hp_mapper *mapper, uint32_t row)
{
    const double *times_s = hp_mapper_row(mapper, row);
    double best_s = INFINITY;
    uint32_t best = HP_MAPPING_NONE;

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        double ready_s = hp_mapper_ready(mapper, row, column);
        uint32_t machine;

        if (ready_s > best_s || ready_s + times_s[column] >= (double)INFINITY) {
            continue;
        }
        machine = hp_mapper_machine(mapper, column, 0.0, ready_s);
        if (ready_s < best_s || machine < best) {
            best_s = ready_s;
            best = machine;
        }
    }
    mapper->cell_count += mapper->problem.column_count;
    return best;
}

void hp_map_olb(struct hp_mapper *mapper)
{
    map_in_turn(mapper, choose_ready);
}

/* The lowest machine of a column, ready or not: of those that are alike all tasks get the first. */
static uint32_t choose_fastest(struct hp_mapper *mapper, uint32_t row)
{
    const double *times_s = hp_mapper_row(mapper, row);
    double best_s = INFINITY;
    uint32_t best = HP_MAPPING_NONE;

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        if (times_s[column] <= best_s &&
            hp_mapper_ready(mapper, row, column) + times_s[column] < (double)INFINITY) {
            uint32_t machine = mapper->machines[mapper->column_begin[column]];

            if (times_s[column] < best_s || machine < best) {
                best_s = times_s[column];
                best = machine;
            }
        }
    }
    mapper->cell_count += mapper->problem.column_count;
    return best;
}

void hp_map_met(struct hp_mapper *mapper)
{
    map_in_turn(mapper, choose_fastest);
}

/* The lowest machine that completes a task of the row first. */
static uint32_t best_machine(const struct hp_mapper *mapper, uint32_t row)
{
    const struct hp_row *known = &mapper->rows[row];

    return hp_mapper_machine(mapper, known->best_column,
                             hp_mapper_row(mapper, row)[known->best_column], known->best_s);
}

static uint32_t choose_first_completion(struct hp_mapper *mapper, uint32_t row)
{
    hp_mapper_look(mapper, row);
    return mapper->rows[row].best_column == HP_MAPPING_NONE ? HP_MAPPING_NONE
                                                            : best_machine(mapper, row);
}

void hp_map_mct(struct hp_mapper *mapper)
{
    map_in_turn(mapper, choose_first_completion);
}

void hp_map_match(struct hp_mapper *mapper)
{
    map_in_turn(mapper, hp_choose_match);
}

void hp_map_balance(struct hp_mapper *mapper)
{
    map_in_turn(mapper, hp_choose_balance);
}

/* Looks at all rows; those that can run nowhere are dropped. */
static void look_at_all(struct hp_mapper *mapper)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < mapper->live_count; i++) {
        uint32_t row = mapper->live[i];

        hp_mapper_look(mapper, row);
        if (mapper->rows[row].best_column != HP_MAPPING_NONE) {
            mapper->live[kept++] = row;
        }
    }
    mapper->live_count = kept;
}

/* Drops the i-th live row if all its tasks have a machine. */
static void drop_if_done(struct hp_mapper *mapper, uint32_t i)
{
    uint32_t row = mapper->live[i];

    if (mapper->row_next[row] == mapper->row_begin[row + 1]) {
        mapper->live_count--;
        memmove(&mapper->live[i], &mapper->live[i + 1],
                (mapper->live_count - i) * sizeof mapper->live[0]);
    }
}

/* Which of the live rows goes first. */
enum rule { RULE_EARLIEST, RULE_LATEST, RULE_SUFFERAGE };

/* The row's knowledge is brought up to date, `used` being the column that was used since. */
static inline void refresh(struct hp_mapper *mapper, uint32_t row, uint32_t used, enum rule rule)
{
    struct hp_row *known = &mapper->rows[row];

    if (known->best_column != used && (rule != RULE_SUFFERAGE || known->other_column != used)) {
        return;
    }
    if (rule != RULE_SUFFERAGE) {
        double end_s = hp_mapper_ready(mapper, row, used) + hp_mapper_row(mapper, row)[used];

        mapper->cell_count++;
        if (end_s < known->other_s) {
            known->best_s = end_s;
            return;
        }
    }
    hp_mapper_look(mapper, row);
}

/* What the next task of the row loses if it does not get its best machine, times its urgency;
 * INFINITY if there is no other. */
static inline double sufferage(const struct hp_mapper *mapper, uint32_t row)
{
    const struct hp_row *known = &mapper->rows[row];

    return (known->other_s - known->best_s) * hp_mapper_urgency(mapper, row);
}

static inline void map_by_rule(struct hp_mapper *mapper, enum rule rule)
{
    uint32_t used = HP_MAPPING_NONE;

    look_at_all(mapper);
    while (mapper->live_count > 0) {
        double pick_key = INFINITY;
        uint32_t pick = HP_MAPPING_NONE;
        uint32_t row;

        for (uint32_t i = 0; i < mapper->live_count; i++) {
            const struct hp_row *known = &mapper->rows[row = mapper->live[i]];
            double key;

            if (used != HP_MAPPING_NONE) {
                refresh(mapper, row, used, rule);
            }
            if (known->best_column == HP_MAPPING_NONE) {
                continue; /* its completion has left the range of double */
            }
            key = rule == RULE_EARLIEST ? known->best_s / hp_mapper_urgency(mapper, row)
                  : rule == RULE_LATEST ? -(known->best_s * hp_mapper_urgency(mapper, row))
                                        : -sufferage(mapper, row);
            if (pick == HP_MAPPING_NONE || key < pick_key ||
                (key == pick_key && hp_mapper_next_task(mapper, row) <
                                        hp_mapper_next_task(mapper, mapper->live[pick]))) {
                pick_key = key;
                pick = i;
            }
        }
        if (pick == HP_MAPPING_NONE) {
            return;
        }
        row = mapper->live[pick];
        used = mapper->rows[row].best_column;
        hp_mapper_place(mapper, row, best_machine(mapper, row));
        drop_if_done(mapper, pick);
    }
}

void hp_map_min_min(struct hp_mapper *mapper)
{
    if (!hp_map_sorted(mapper)) {
        map_by_rule(mapper, RULE_EARLIEST);
    }
}

void hp_map_max_min(struct hp_mapper *mapper)
{
    map_by_rule(mapper, RULE_LATEST);
}

void hp_map_sufferage_iter(struct hp_mapper *mapper)
{
    map_by_rule(mapper, RULE_SUFFERAGE);
}

void hp_map_duplex(struct hp_mapper *mapper)
{
    struct hp_outcome outcome;

    hp_map_min_min(mapper);
    outcome = mapper->now;
    mapper->now = mapper->kept;
    mapper->kept = outcome;
    hp_mapper_reset(mapper);
    hp_map_max_min(mapper);
    if (mapper->now.mapped_count < mapper->kept.mapped_count ||
        !(hp_outcome_makespan(&mapper->now) < hp_outcome_makespan(&mapper->kept))) {
        outcome = mapper->now;
        mapper->now = mapper->kept;
        mapper->kept = outcome;
    }
}

/* One pass of Maheswaran 1999, figure 5: each row wants the best machine of its next task; whoever
 * suffers most holds it, at a tie the lower task. The number of machines that are wanted. */
static uint32_t collect_wishes(struct hp_mapper *mapper)
{
    uint32_t wanted = 0;

    for (uint32_t i = 0; i < mapper->live_count; i++) {
        uint32_t row = mapper->live[i];
        struct hp_row *known = &mapper->rows[row];
        uint32_t machine;
        uint32_t holder;

        if (mapper->is_touched[known->best_column] ||
            (known->other_column != HP_MAPPING_NONE && mapper->is_touched[known->other_column])) {
            hp_mapper_look(mapper, row);
        }
        if (known->best_column == HP_MAPPING_NONE) {
            mapper->row_next[row] = mapper->row_begin[row + 1];
            continue;
        }
        machine = best_machine(mapper, row);
        holder = mapper->holders[machine];
        if (holder == HP_MAPPING_NONE) {
            mapper->wanted[wanted++] = machine;
            mapper->holders[machine] = row;
        } else if (sufferage(mapper, row) > sufferage(mapper, holder) ||
                   (sufferage(mapper, row) == sufferage(mapper, holder) &&
                    hp_mapper_next_task(mapper, row) < hp_mapper_next_task(mapper, holder))) {
            mapper->holders[machine] = row;
        }
    }
    return wanted;
}

void hp_map_sufferage_pass(struct hp_mapper *mapper)
{
    look_at_all(mapper);
    while (mapper->live_count > 0) {
        uint32_t wanted = collect_wishes(mapper);
        uint32_t kept = 0;

        memset(mapper->is_touched, 0, mapper->problem.column_count * sizeof(bool));
        for (uint32_t i = 0; i < wanted; i++) {
            uint32_t machine = mapper->wanted[i];

            hp_mapper_place(mapper, mapper->holders[machine], machine);
            mapper->is_touched[mapper->column_of_machine[machine]] = true;
            mapper->holders[machine] = HP_MAPPING_NONE;
        }
        for (uint32_t i = 0; i < mapper->live_count; i++) {
            uint32_t row = mapper->live[i];

            mapper->live[kept] = row;
            kept += mapper->row_next[row] < mapper->row_begin[row + 1];
        }
        mapper->live_count = kept;
    }
}

/* How much the sum of squared distances from the mean grows if a machine that is ready at `ready_s`
 * gets a task: t (t (1 - 1/m) + 2 (ready - mean)). It does not fall as ready rises. */
static inline double growth(double ready_s, double time_s, double mean_s, double share)
{
    return time_s * (time_s * share + 2.0 * (ready_s - mean_s));
}

/* The lowest machine of the column with a growth <= limit; there is one. */
static uint32_t growth_machine(const struct hp_mapper *mapper, uint32_t column, double time_s,
                               double mean_s, double share, double limit)
{
    const struct hp_tree *tree = &mapper->trees[column];
    uint32_t node = 1;

    if (!tree->nodes) {
        return mapper->machines[mapper->column_begin[column]];
    }
    while (node < tree->leaves) {
        node *= 2;
        node += !(growth(tree->nodes[node], time_s, mean_s, share) <= limit);
    }
    return mapper->machines[mapper->column_begin[column] + node - tree->leaves];
}

/* The best assignment of a step so far. */
struct pick {
    double growth;
    uint32_t index, row, machine; /* index of the row in live */
};

/* All ready times: of machines, or of the slots of pools. */
struct ready_times {
    double sum_s;
    double count;
};

/* Is there a better one in this row? */
static void pick_in_row(struct hp_mapper *mapper, uint32_t index, struct ready_times all,
                        struct pick *pick)
{
    uint32_t row = mapper->live[index];
    const double *times_s = hp_mapper_row(mapper, row);
    double mean_s = all.sum_s / all.count;
    double share = 1.0 - 1.0 / all.count;

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        uint32_t width = hp_mapper_width(mapper, row, column);
        double ready_s = hp_mapper_ready(mapper, row, column);
        double more_s;
        double more;
        uint32_t machine;

        if (!(ready_s + times_s[column] < (double)INFINITY)) {
            continue;
        }
        more = width == 1 ? growth(ready_s, times_s[column], mean_s, share)
                          : hp_pool_growth(mapper, column, width, times_s[column], all.sum_s,
                                           all.count, &more_s);
        if (!(more <= pick->growth)) {
            continue;
        }
        machine = growth_machine(mapper, column, times_s[column], mean_s, share, more);
        if (more < pick->growth ||
            (row == pick->row
                 ? machine < pick->machine
                 : hp_mapper_next_task(mapper, row) < hp_mapper_next_task(mapper, pick->row))) {
            *pick = (struct pick){more, index, row, machine};
        }
    }
    mapper->cell_count += mapper->problem.column_count;
}

static struct ready_times sum_ready_times(const struct hp_mapper *mapper)
{
    struct ready_times all = {0.0, 0.0};

    for (uint32_t machine = 0; machine < mapper->problem.machine_count; machine++) {
        bool is_pool = mapper->problem.pools;

        all.sum_s += is_pool ? mapper->work_s[machine] : mapper->now.ready_s[machine];
        all.count += is_pool ? mapper->slot_counts[machine] : 1;
    }
    return all;
}

/* No paper defines this rule; ours: among all tasks and machines take the assignment behind which
 * the standard deviation of the ready times of all machines is smallest. */
void hp_map_deviation(struct hp_mapper *mapper)
{
    struct ready_times all = sum_ready_times(mapper);

    while (mapper->live_count > 0) {
        struct pick pick = {.growth = INFINITY, .row = HP_MAPPING_NONE};
        uint32_t column;
        uint32_t width;
        double more_s;

        for (uint32_t i = 0; i < mapper->live_count; i++) {
            pick_in_row(mapper, i, all, &pick);
        }
        if (pick.row == HP_MAPPING_NONE) {
            return;
        }
        column = mapper->column_of_machine[pick.machine];
        width = hp_mapper_width(mapper, pick.row, column);
        more_s = hp_mapper_row(mapper, pick.row)[column];
        if (width > 1) {
            (void)hp_pool_growth(mapper, column, width, more_s, all.sum_s, all.count, &more_s);
        }
        all.sum_s += more_s;
        hp_mapper_place(mapper, pick.row, pick.machine);
        drop_if_done(mapper, pick.index);
    }
}
