/* SPDX-License-Identifier: GPL-3.0-or-later */
/* live.c - what the host keeps of live jobs, by slot, and its agenda. */
#include <stdlib.h>
#include <string.h>

#include "run/simulation_internal.h"

/* A zeroed chunk of elements of `size` bytes; NULL: no memory. */
static void *new_chunk(size_t size)
{
    void *chunk = aligned_alloc(CACHE_LINE, RECORD_CHUNK * size);

    return chunk ? memset(chunk, 0, RECORD_CHUNK * size) : NULL;
}

static bool add_annexes(struct simulation *sim)
{
    struct annex **moved = realloc(sim->annexes, (sim->record_chunks + 1) * sizeof(struct annex *));

    if (!moved) {
        return false;
    }
    sim->annexes = moved;
    moved[sim->record_chunks] = new_chunk(sizeof(struct annex));
    return moved[sim->record_chunks] != NULL;
}

bool live_reserve(struct simulation *sim, uint32_t slot)
{
    while (slot / RECORD_CHUNK >= sim->record_chunks) {
        struct record **moved =
            realloc(sim->records, (sim->record_chunks + 1) * sizeof(struct record *));

        if (!moved) {
            return false;
        }
        sim->records = moved;
        moved[sim->record_chunks] = new_chunk(sizeof(struct record));
        if (!moved[sim->record_chunks]) {
            return false;
        }
        if (sim->has_annex && !add_annexes(sim)) {
            free(moved[sim->record_chunks]);
            return false;
        }
        sim->record_chunks++;
    }
    return true;
}

enum hs_err live_agenda_add(struct simulation *sim, hs_time time_ns, uint32_t kind, uint32_t slot,
                            struct hs_error *error)
{
    uint32_t index;

    if (sim->free_item_count) {
        index = sim->free_items[--sim->free_item_count];
    } else {
        if (sim->item_count == sim->item_room) {
            uint32_t room = sim->item_room ? sim->item_room * 2 : 64;
            struct agenda_item *items = realloc(sim->items, room * sizeof *items);
            uint32_t *free_items;

            if (!items) {
                return hs_error_memory(error);
            }
            sim->items = items;
            free_items = realloc(sim->free_items, room * sizeof *free_items);
            if (!free_items) {
                return hs_error_memory(error);
            }
            sim->free_items = free_items;
            sim->item_room = room;
        }
        index = sim->item_count++;
    }
    sim->items[index] = (struct agenda_item){slot, live_record(sim, slot)->generation};
    if (!calendar_push(&sim->agenda, time_ns, kind, index, NULL)) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

void live_fini(struct simulation *sim)
{
    calendar_fini(&sim->agenda);
    free(sim->items);
    free(sim->free_items);
    for (uint32_t i = 0; i < sim->record_chunks; i++) {
        free(sim->records[i]);
        if (sim->has_annex) {
            for (uint32_t k = 0; k < RECORD_CHUNK; k++) {
                history_destroy(sim->annexes[i][k].history); /* of a run that was cut off */
            }
            free(sim->annexes[i]);
        }
    }
    free(sim->records);
    free(sim->annexes);
}
