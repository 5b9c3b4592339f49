/* SPDX-License-Identifier: MIT */
/* mapping_pools.c - machines that are pools of equal slots, and two heuristics for them.
 *
 * A pool is a list of its slots by ready time, those of equal times being one node of the list. A
 * task takes nodes from the front and puts one back, mostly near the end. While all tasks take one
 * slot, nobody asks for more than the first two, and a pool is a heap. */
#include <math.h>

#include "lib/mapping_internal.h"

#define FEW_BOOKINGS 8u /* of one pool, which need no heap */

const struct hp_heuristic hp_heuristic_match = {
    "match", "the fastest pool, unless the wait for it is too long", hp_map_match};
const struct hp_heuristic hp_heuristic_balance = {
    "balance", "the pool that then has the least work per slot", hp_map_balance};

size_t hp_pool_node_room(const struct hp_mapping_problem *problem)
{
    const struct hp_pools *pools = problem->pools;

    return pools ? (size_t)pools->slots_begin[problem->column_count] + pools->booking_count +
                       problem->task_count + 1
                 : 0;
}

/* A pool has at most as many nodes as slots, and one more for each time that some are taken. */
static size_t heap_room(const struct hp_mapping_problem *problem, uint32_t column)
{
    const struct hp_pools *pools = problem->pools;
    size_t nodes = pools->slots_begin[column + 1] - pools->slots_begin[column] + 1 +
                   (size_t)pools->booking_count + problem->task_count;
    size_t slots = 1;

    for (uint32_t i = pools->slots_begin[column]; i < pools->slots_begin[column + 1]; i++) {
        slots += pools->slots[i].count;
    }
    return slots < nodes ? slots : nodes;
}

size_t hp_pool_heap_room(const struct hp_mapping_problem *problem)
{
    size_t room = 0;

    if (problem->pools->widths) {
        return hp_pool_node_room(problem);
    }
    for (uint32_t column = 0; column < problem->column_count; column++) {
        room += heap_room(problem, column);
    }
    return room;
}

/* The tops of the column as the heuristics look at them. */
static void read_pool(struct hp_mapper *mapper, uint32_t column)
{
    uint32_t first = mapper->slot_first[column];
    const struct hp_slot_node *node = &mapper->slot_nodes[first];

    if (first == HP_MAPPING_NONE) {
        mapper->first_s[column] = mapper->second_s[column] = INFINITY;
        return;
    }
    mapper->first_s[column] = node->ready_s;
    mapper->second_s[column] = node->count > 1 ? node->ready_s
                               : node->next == HP_MAPPING_NONE
                                   ? (double)INFINITY
                                   : mapper->slot_nodes[node->next].ready_s;
}

/* The same of a pool that is kept as a heap. */
static void read_heap(struct hp_mapper *mapper, uint32_t column)
{
    const struct hp_slots *heap = &mapper->heap[mapper->heap_begin[column]];
    uint32_t count = mapper->heap_count[column];
    double second_s = count > 1 ? heap[1].ready_s : (double)INFINITY;

    mapper->first_s[column] = count > 0 ? heap[0].ready_s : (double)INFINITY;
    second_s = count > 2 && heap[2].ready_s < second_s ? heap[2].ready_s : second_s;
    mapper->second_s[column] = count > 0 && heap[0].count > 1 ? heap[0].ready_s : second_s;
}

static uint32_t new_node(struct hp_mapper *mapper)
{
    uint32_t node = mapper->free_slot_node;

    if (node == HP_MAPPING_NONE) {
        HS_ASSERT(mapper->slot_node_count < hp_pool_node_room(&mapper->problem));
        return mapper->slot_node_count++;
    }
    mapper->free_slot_node = mapper->slot_nodes[node].next;
    return node;
}

/* Adds slots to the pool, looking for their place from the end. */
static void add_slots(struct hp_mapper *mapper, uint32_t column, double ready_s, uint32_t count)
{
    struct hp_slot_node *nodes = mapper->slot_nodes;
    uint32_t before = mapper->slot_last[column];
    uint32_t after = HP_MAPPING_NONE;
    uint32_t node;

    while (before != HP_MAPPING_NONE && nodes[before].ready_s > ready_s) {
        after = before;
        before = nodes[before].previous;
    }
    if (before != HP_MAPPING_NONE && nodes[before].ready_s == ready_s) {
        nodes[before].count += count;
        return;
    }
    node = new_node(mapper);
    nodes[node] = (struct hp_slot_node){ready_s, count, before, after};
    *(before == HP_MAPPING_NONE ? &mapper->slot_first[column] : &nodes[before].next) = node;
    *(after == HP_MAPPING_NONE ? &mapper->slot_last[column] : &nodes[after].previous) = node;
}

/* Takes the first `width` slots out; when the last of them is ready. */
static double remove_slots(struct hp_mapper *mapper, uint32_t column, uint32_t width)
{
    struct hp_slot_node *nodes = mapper->slot_nodes;
    double ready_s = 0.0;

    while (width > 0) {
        uint32_t first = mapper->slot_first[column];
        uint32_t taken = nodes[first].count < width ? nodes[first].count : width;

        ready_s = nodes[first].ready_s;
        mapper->work_s[column] -= taken * ready_s;
        nodes[first].count -= taken;
        width -= taken;
        if (nodes[first].count == 0) {
            uint32_t next = nodes[first].next;

            mapper->slot_first[column] = next;
            *(next == HP_MAPPING_NONE ? &mapper->slot_last[column] : &nodes[next].previous) =
                HP_MAPPING_NONE;
            nodes[first].next = mapper->free_slot_node;
            mapper->free_slot_node = first;
        }
    }
    return ready_s;
}

/* The top of the heap moves down to its place: first along the smaller children to the end, without
 * a branch that depends on them, then back up, which is mostly no step. */
static void sift(struct hp_slots *heap, uint32_t count)
{
    struct hp_slots top = heap[0];
    uint32_t place = 0;
    uint32_t child = 1;

    while (child + 1 < count) {
        child += heap[child + 1].ready_s < heap[child].ready_s;
        heap[place] = heap[child];
        place = child;
        child = 2 * place + 1;
    }
    if (child < count) {
        heap[place] = heap[child];
        place = child;
    }
    while (place > 0 && heap[(place - 1) / 2].ready_s > top.ready_s) {
        heap[place] = heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    heap[place] = top;
}

static void push(struct hp_slots *heap, uint32_t *count, double ready_s, uint32_t slots)
{
    uint32_t place = (*count)++;

    while (place > 0 && heap[(place - 1) / 2].ready_s > ready_s) {
        heap[place] = heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    heap[place] = (struct hp_slots){ready_s, slots};
}

/* As hp_pool_take, on the pool's heap; those that are ready at one time count together, so that
 * the work is rounded alike. */
static double take_from_heap(struct hp_mapper *mapper, struct hp_slots *heap, uint32_t *count,
                             const struct hp_booking *booking)
{
    double *work_s = &mapper->work_s[booking->column];
    uint32_t width = booking->width;
    uint32_t together = 0;
    double ready_s = heap[0].ready_s;
    double end_s;

    if (width == 1 && heap[0].count == 1) { /* mostly: one slot is replaced */
        end_s = ready_s + booking->time_s;
        *work_s = *work_s - ready_s + end_s;
        heap[0].ready_s = end_s;
        sift(heap, *count);
        return end_s;
    }
    while (width > 0) {
        uint32_t taken = heap[0].count < width ? heap[0].count : width;

        if (heap[0].ready_s != ready_s) {
            *work_s -= together * ready_s;
            together = 0;
            ready_s = heap[0].ready_s;
        }
        together += taken;
        width -= taken;
        heap[0].count -= taken;
        if (heap[0].count == 0 && --*count > 0) {
            heap[0] = heap[*count];
            sift(heap, *count);
        }
    }
    *work_s -= together * ready_s;
    end_s = ready_s + booking->time_s;
    *work_s += booking->width * end_s;
    push(heap, count, end_s, booking->width);
    return end_s;
}

double hp_pool_take(struct hp_mapper *mapper, uint32_t column, uint32_t width, double time_s)
{
    struct hp_booking booking = {time_s, column, width};
    double end_s;

    HS_ASSERT(width <= mapper->slot_counts[column]);
    if (!mapper->is_wide) {
        end_s = take_from_heap(mapper, &mapper->heap[mapper->heap_begin[column]],
                               &mapper->heap_count[column], &booking);
        read_heap(mapper, column);
        return end_s;
    }
    end_s = remove_slots(mapper, column, width) + time_s;
    add_slots(mapper, column, end_s, width);
    mapper->work_s[column] += width * end_s;
    read_pool(mapper, column);
    return end_s;
}

/* Bookings of one pool: its list becomes a heap, which takes each in logarithmic time. */
static void book_all(struct hp_mapper *mapper, const struct hp_booking *bookings, uint32_t number)
{
    uint32_t column = bookings[0].column;
    uint32_t node = mapper->slot_first[column];
    uint32_t count = 0;

    HS_ASSERT(node != HP_MAPPING_NONE);
    while (node != HP_MAPPING_NONE) { /* a sorted list is a heap */
        uint32_t next = mapper->slot_nodes[node].next;

        mapper->heap[count++] =
            (struct hp_slots){mapper->slot_nodes[node].ready_s, mapper->slot_nodes[node].count};
        mapper->slot_nodes[node].next = mapper->free_slot_node;
        mapper->free_slot_node = node;
        node = next;
    }
    mapper->slot_first[column] = mapper->slot_last[column] = HP_MAPPING_NONE;
    for (uint32_t i = 0; i < number; i++) {
        HS_ASSERT(bookings[i].width <= mapper->slot_counts[column]);
        (void)take_from_heap(mapper, mapper->heap, &count, &bookings[i]);
    }
    while (count > 0) {
        add_slots(mapper, column, mapper->heap[0].ready_s, mapper->heap[0].count);
        mapper->heap[0] = mapper->heap[--count];
        if (count > 0) {
            sift(mapper->heap, count);
        }
    }
    read_pool(mapper, column);
}

/* The slots of the pool as the problem has them, as a list or a heap. */
static void reset_pool(struct hp_mapper *mapper, uint32_t column)
{
    const struct hp_pools *pools = mapper->problem.pools;

    for (uint32_t i = pools->slots_begin[column]; i < pools->slots_begin[column + 1]; i++) {
        const struct hp_slots *slots = &pools->slots[i];

        if (!slots->count) {
            continue;
        }
        if (mapper->is_wide) {
            add_slots(mapper, column, slots->ready_s, slots->count);
        } else {
            push(&mapper->heap[mapper->heap_begin[column]], &mapper->heap_count[column],
                 slots->ready_s, slots->count);
        }
        mapper->slot_counts[column] += slots->count;
        mapper->work_s[column] += slots->count * slots->ready_s;
    }
    if (mapper->is_wide) {
        read_pool(mapper, column);
    } else {
        read_heap(mapper, column);
    }
}

void hp_pools_reset(struct hp_mapper *mapper)
{
    const struct hp_pools *pools = mapper->problem.pools;
    size_t heap_end = 0;

    mapper->free_slot_node = HP_MAPPING_NONE;
    mapper->slot_node_count = 0;
    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        mapper->slot_counts[column] = 0;
        mapper->work_s[column] = 0.0;
        mapper->slot_first[column] = mapper->slot_last[column] = HP_MAPPING_NONE;
        mapper->heap_count[column] = 0;
        mapper->heap_begin[column] = heap_end;
        heap_end += mapper->is_wide ? 0 : heap_room(&mapper->problem, column);
        reset_pool(mapper, column);
    }
    for (uint32_t i = 0, end; i < pools->booking_count; i = end) {
        const struct hp_booking *booking = &pools->bookings[i];

        for (end = i + 1; end < pools->booking_count; end++) {
            if (pools->bookings[end].column != booking->column) {
                break;
            }
        }
        if (mapper->is_wide && end - i > FEW_BOOKINGS) {
            book_all(mapper, booking, end - i);
            continue;
        }
        for (uint32_t k = i; k < end; k++) {
            booking = &pools->bookings[k];
            (void)hp_pool_take(mapper, booking->column, booking->width, booking->time_s);
        }
    }
}

struct hp_offer hp_pool_offer(const struct hp_mapper *mapper, uint32_t column, uint32_t width)
{
    struct hp_offer offer = {INFINITY, INFINITY};
    uint32_t node = mapper->slot_first[column];

    while (node != HP_MAPPING_NONE && mapper->slot_nodes[node].count < width) {
        width -= mapper->slot_nodes[node].count;
        node = mapper->slot_nodes[node].next;
    }
    if (node == HP_MAPPING_NONE) {
        return offer;
    }
    offer.start_s = mapper->slot_nodes[node].ready_s;
    if (mapper->slot_nodes[node].count > width) {
        offer.other_s = offer.start_s;
    } else if (mapper->slot_nodes[node].next != HP_MAPPING_NONE) {
        offer.other_s = mapper->slot_nodes[mapper->slot_nodes[node].next].ready_s;
    }
    return offer;
}

double hp_pool_growth(const struct hp_mapper *mapper, uint32_t column, uint32_t width,
                      double time_s, double sum_s, double count, double *more_s)
{
    double end_s = hp_pool_offer(mapper, column, width).start_s + time_s;
    double squares = 0.0;

    *more_s = 0.0;
    for (uint32_t node = mapper->slot_first[column]; width > 0 && node != HP_MAPPING_NONE;
         node = mapper->slot_nodes[node].next) {
        double ready_s = mapper->slot_nodes[node].ready_s;
        uint32_t taken =
            mapper->slot_nodes[node].count < width ? mapper->slot_nodes[node].count : width;

        *more_s += taken * (end_s - ready_s);
        squares += taken * (end_s - ready_s) * (end_s + ready_s);
        width -= taken;
    }
    return squares - *more_s * (2.0 * sum_s + *more_s) / count;
}

uint32_t hp_choose_match(struct hp_mapper *mapper, uint32_t row)
{
    const double *times_s = hp_mapper_row(mapper, row);
    double patience = mapper->problem.pools->patience;
    double near_s = INFINITY, near_end_s = INFINITY, first_end_s = INFINITY;
    uint32_t near = HP_MAPPING_NONE, first = HP_MAPPING_NONE;

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        double wait_s = hp_mapper_ready(mapper, row, column);
        double time_s = times_s[column];
        double end_s = wait_s + time_s;

        if (!(end_s < (double)INFINITY)) {
            continue;
        }
        if (end_s < first_end_s) {
            first_end_s = end_s;
            first = column;
        }
        if (wait_s <= patience * time_s &&
            (time_s < near_s || (time_s == near_s && end_s < near_end_s))) {
            near_s = time_s;
            near_end_s = end_s;
            near = column;
        }
    }
    mapper->cell_count += mapper->problem.column_count;
    return near == HP_MAPPING_NONE ? first : near;
}

uint32_t hp_choose_balance(struct hp_mapper *mapper, uint32_t row)
{
    const double *times_s = hp_mapper_row(mapper, row);
    double best = INFINITY;
    uint32_t best_column = HP_MAPPING_NONE;

    for (uint32_t column = 0; column < mapper->problem.column_count; column++) {
        double load_s;

        if (!(hp_mapper_ready(mapper, row, column) + times_s[column] < (double)INFINITY)) {
            continue;
        }
        load_s = (mapper->work_s[column] + hp_mapper_width(mapper, row, column) * times_s[column]) /
                 mapper->slot_counts[column];
        if (load_s < best) {
            best = load_s;
            best_column = column;
        }
    }
    mapper->cell_count += mapper->problem.column_count;
    return best_column;
}
