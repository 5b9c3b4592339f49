/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.c - a ring for what arrives in order, a heap for what does not. */
#include "workload/order.h"

#include <stdlib.h>

#define CAPACITY_MIN ((size_t)64)

void workload_order_fini(struct workload_order *order)
{
    free(order->jobs);
    free(order->free_slots);
    free(order->ring);
    free(order->heap);
    *order = (struct workload_order){0};
}

static bool entry_precedes(const struct workload_order_entry *left,
                           const struct workload_order_entry *right)
{
    return left->submit_ns != right->submit_ns ? left->submit_ns < right->submit_ns
                                               : left->sequence < right->sequence;
}

static bool array_grow(void **array, size_t count, size_t size)
{
    void *grown = count > SIZE_MAX / size ? NULL : realloc(*array, count * size);

    if (grown) {
        *array = grown;
    }
    return grown != NULL;
}

static bool order_grow(struct workload_order *order)
{
    size_t old = order->capacity;
    size_t capacity = old ? old * 2 : CAPACITY_MIN;
    void *jobs = order->jobs, *ring = order->ring, *heap = order->heap, *slots = order->free_slots;
    bool is_grown = array_grow(&jobs, capacity, sizeof *order->jobs);

    is_grown = array_grow(&ring, capacity, sizeof *order->ring) && is_grown;
    is_grown = array_grow(&heap, capacity, sizeof *order->heap) && is_grown;
    is_grown = array_grow(&slots, capacity, sizeof *order->free_slots) && is_grown;
    order->jobs = jobs;
    order->ring = ring;
    order->heap = heap;
    order->free_slots = slots;
    if (!is_grown) {
        return false;
    }
    /* What had wrapped to the front of the ring goes on behind its old end. */
    for (size_t i = 0; order->ring_first + order->ring_count > old + i; i++) {
        order->ring[old + i] = order->ring[i];
    }
    for (size_t i = old; i < capacity; i++) {
        order->free_slots[order->free_count++] = capacity - 1 - (i - old);
    }
    order->capacity = capacity;
    return true;
}

struct workload_job *workload_order_slot(struct workload_order *order)
{
    if (order->free_count == 0 && !order_grow(order)) {
        return NULL;
    }
    return &order->jobs[order->free_slots[order->free_count - 1]];
}

static void heap_push(struct workload_order *order, struct workload_order_entry entry)
{
    size_t at = order->heap_count++;

    while (at > 0 && entry_precedes(&entry, &order->heap[(at - 1) / 2])) {
        order->heap[at] = order->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    order->heap[at] = entry;
}

static void heap_pop(struct workload_order *order)
{
    struct workload_order_entry last = order->heap[--order->heap_count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= order->heap_count) {
            break;
        }
        if (child + 1 < order->heap_count &&
            entry_precedes(&order->heap[child + 1], &order->heap[child])) {
            child++;
        }
        if (!entry_precedes(&order->heap[child], &last)) {
            break;
        }
        order->heap[at] = order->heap[child];
        at = child;
    }
    order->heap[at] = last;
}

static size_t ring_index(const struct workload_order *order, size_t offset)
{
    size_t index = order->ring_first + offset;

    return index < order->capacity ? index : index - order->capacity;
}

void workload_order_push(struct workload_order *order)
{
    struct workload_order_entry entry;

    HS_ASSERT(order->free_count > 0);
    entry.slot = order->free_slots[--order->free_count];
    entry.submit_ns = order->jobs[entry.slot].submit_ns;
    entry.sequence = order->sequence++;
    if (order->ring_count == 0 ||
        order->ring[ring_index(order, order->ring_count - 1)].submit_ns <= entry.submit_ns) {
        order->ring[ring_index(order, order->ring_count++)] = entry;
    } else {
        heap_push(order, entry);
    }
}

size_t workload_order_count(const struct workload_order *order)
{
    return order->ring_count + order->heap_count;
}

static bool is_heap_first(const struct workload_order *order)
{
    return order->heap_count > 0 &&
           (order->ring_count == 0 ||
            entry_precedes(&order->heap[0], &order->ring[order->ring_first]));
}

hs_time workload_order_first(const struct workload_order *order)
{
    HS_ASSERT(workload_order_count(order) > 0);
    return is_heap_first(order) ? order->heap[0].submit_ns
                                : order->ring[order->ring_first].submit_ns;
}

void workload_order_pop(struct workload_order *order, struct workload_job *job)
{
    size_t slot;

    HS_ASSERT(workload_order_count(order) > 0);
    if (is_heap_first(order)) {
        slot = order->heap[0].slot;
        heap_pop(order);
    } else {
        slot = order->ring[order->ring_first].slot;
        order->ring_first = ring_index(order, 1);
        order->ring_count--;
    }
    *job = order->jobs[slot];
    order->free_slots[order->free_count++] = slot;
}
