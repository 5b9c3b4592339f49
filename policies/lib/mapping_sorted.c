/* SPDX-License-Identifier: MIT */
/* mapping_sorted.c - min-min by sorted columns.
 *
 * The least completion of all is, over the columns, the least of ready time + least time of a row
 * with tasks left. Each column keeps its rows by time, so a step costs columns and not rows. Sums
 * may be equal by rounding where times are not, so all rows up to the first larger sum are looked
 * at; the decisions are those of the plain rule, to the last tie. */
#include <math.h>

#include "lib/mapping_internal.h"

#define ENTRIES_MAX (1u << 20) /* 16 MB */

size_t hp_sorted_room(const struct hp_mapping_problem *problem, bool is_plain)
{
    size_t columns = problem->column_count;
    size_t rows = problem->row_count;

    return is_plain && columns < rows && rows <= ENTRIES_MAX / columns ? (columns + 1) * rows : 0;
}

static bool is_before(const struct hp_timed_row *left, const struct hp_timed_row *right)
{
    return left->time_s < right->time_s ||
           (left->time_s == right->time_s && left->row < right->row);
}

/* Merges the sorted runs [begin, middle) and [middle, end). */
static void merge(const struct hp_timed_row *from, struct hp_timed_row *to, uint32_t begin,
                  uint32_t middle, uint32_t end)
{
    uint32_t left = begin;
    uint32_t right = middle;

    for (uint32_t i = begin; i < end; i++) {
        bool is_left = left < middle && (right == end || !is_before(&from[right], &from[left]));

        to[i] = is_left ? from[left++] : from[right++];
    }
}

/* Sorts; `other` is as long and is overwritten. */
static void sort(struct hp_timed_row *rows, struct hp_timed_row *other, uint32_t count)
{
    struct hp_timed_row *from = rows;
    struct hp_timed_row *to = other;

    for (uint32_t run = 1; run < count; run *= 2) {
        struct hp_timed_row *swap = from;

        for (uint32_t begin = 0; begin < count; begin += 2 * run) {
            uint32_t middle = begin + run < count ? begin + run : count;
            uint32_t end = middle + run < count ? middle + run : count;

            merge(from, to, begin, middle, end);
        }
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; from != rows && i < count; i++) {
        rows[i] = from[i];
    }
}

static void sort_columns(struct hp_mapper *mapper)
{
    uint32_t count = mapper->live_count;

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        struct hp_timed_row *rows = &mapper->by_time[(size_t)column * count];

        for (uint32_t i = 0; i < count; i++) {
            uint32_t row = mapper->live[i];

            rows[i] = (struct hp_timed_row){hp_mapper_row(mapper, row)[column], row};
        }
        sort(rows, &mapper->by_time[(size_t)mapper->problem.column_count * count], count);
        mapper->by_time_next[column] = 0;
    }
    mapper->cell_count += (uint64_t)count * mapper->problem.column_count;
}

static bool has_tasks(const struct hp_mapper *mapper, uint32_t row)
{
    return mapper->row_next[row] < mapper->row_begin[row + 1];
}

/* The best assignment so far. */
struct pick {
    double end_s;
    uint32_t row, column;
};

/* Is there a better one in this column? It has `count` rows. */
static void pick_in_column(struct hp_mapper *mapper, uint32_t column, uint32_t count,
                           struct pick *pick)
{
    const struct hp_timed_row *rows = &mapper->by_time[(size_t)column * count];
    uint32_t *next = &mapper->by_time_next[column];
    double ready_s = mapper->first_s[column];

    while (*next < count && !has_tasks(mapper, rows[*next].row)) {
        ++*next;
    }
    for (uint32_t i = *next; i < count; i++) {
        double end_s = ready_s + rows[i].time_s;

        if (end_s > pick->end_s || end_s > ready_s + rows[*next].time_s ||
            !(end_s < (double)INFINITY)) {
            return;
        }
        mapper->cell_count++;
        if (has_tasks(mapper, rows[i].row) &&
            (end_s < pick->end_s ||
             hp_mapper_next_task(mapper, rows[i].row) < hp_mapper_next_task(mapper, pick->row))) {
            *pick = (struct pick){end_s, rows[i].row, column};
        }
    }
}

bool hp_map_sorted(struct hp_mapper *mapper)
{
    uint32_t count = mapper->live_count;

    if (!mapper->by_time || mapper->is_wide || mapper->problem.urgency) {
        return false;
    }
    sort_columns(mapper);
    while (true) {
        struct pick pick = {INFINITY, HP_MAPPING_NONE, HP_MAPPING_NONE};

        for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
            pick_in_column(mapper, column, count, &pick);
        }
        if (pick.row == HP_MAPPING_NONE) {
            return true;
        }
        hp_mapper_place(mapper, pick.row, pick.column);
    }
}
