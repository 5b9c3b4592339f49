/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_calendar.c - fixed durations: an end is start + duration, exactly.
 *
 * A cancelled entry stays in the heap and is passed over: the token's live sequence number tells.
 */
#include <stdlib.h>

#include "engine/calendar.h"
#include "engine/engine.h"

#define NOT_RUNNING UINT64_MAX

struct engine_calendar {
    struct engine base;
    struct calendar calendar;
    uint64_t *live; /* per token: sequence of its entry, or NOT_RUNNING */
    size_t token_room;
};

static struct engine_calendar *from_base(struct engine *engine)
{
    return (struct engine_calendar *)(void *)engine;
}

static bool reserve_token(struct engine_calendar *self, uint32_t token)
{
    size_t room = self->token_room ? self->token_room : 1024;
    uint64_t *moved;

    if (token < self->token_room) {
        return true;
    }
    while (room <= token) {
        room *= 2;
    }
    moved = realloc(self->live, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    for (size_t i = self->token_room; i < room; i++) {
        moved[i] = NOT_RUNNING;
    }
    self->live = moved;
    self->token_room = room;
    return true;
}

static enum hs_err calendar_start(struct engine *engine, hs_time now, uint32_t token,
                                  const struct engine_work *work, struct hs_error *error)
{
    struct engine_calendar *self = from_base(engine);

    HS_ASSERT(work->duration_ns >= 0);
    if (!reserve_token(self, token)) {
        return hs_error_memory(error);
    }
    HS_ASSERT(self->live[token] == NOT_RUNNING);
    if (work->duration_ns == HS_TIME_NEVER ||
        (now > 0 && work->duration_ns >= HS_TIME_NEVER - now)) {
        return HS_OK; /* ends only by cancellation */
    }
    if (!calendar_push(&self->calendar, now + work->duration_ns, 0, token, &self->live[token])) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

static void calendar_cancel(struct engine *engine, uint32_t token)
{
    struct engine_calendar *self = from_base(engine);

    if (token < self->token_room) {
        self->live[token] = NOT_RUNNING;
    }
}

static hs_time calendar_next(struct engine *engine)
{
    struct engine_calendar *self = from_base(engine);
    const struct calendar_entry *top;

    while ((top = calendar_top(&self->calendar)) && self->live[top->token] != top->sequence) {
        calendar_pop(&self->calendar);
    }
    return top ? top->time_ns : HS_TIME_NEVER;
}

static bool calendar_take(struct engine *engine, hs_time now, uint32_t *token)
{
    struct engine_calendar *self = from_base(engine);

    if (calendar_next(engine) != now) {
        return false;
    }
    *token = calendar_top(&self->calendar)->token;
    self->live[*token] = NOT_RUNNING;
    calendar_pop(&self->calendar);
    return true;
}

static void calendar_destroy(struct engine *engine)
{
    struct engine_calendar *self = from_base(engine);

    calendar_fini(&self->calendar);
    free(self->live);
    free(self);
}

static const struct engine_operations calendar_operations = {
    .name = "calendar",
    .start = calendar_start,
    .cancel = calendar_cancel,
    .next = calendar_next,
    .pop = calendar_take,
    .destroy = calendar_destroy,
};

struct engine *engine_calendar_create(void)
{
    struct engine_calendar *self = calloc(1, sizeof *self);

    if (!self) {
        return NULL;
    }
    self->base.operations = &calendar_operations;
    return &self->base;
}
