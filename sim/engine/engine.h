/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine.h - how long started work takes.
 *
 * The loop starts and cancels work and asks what ends when; an engine knows. Work is named by a
 * token of the caller's (small, dense, used again after the work has ended). All state is in the
 * object: several engines can live in one process. */
#ifndef HSIM_ENGINE_H
#define HSIM_ENGINE_H

#include "hs/base.h"

struct engine_work {
    hs_time duration_ns; /* >= 0; HS_TIME_NEVER: until it is cancelled */
};

struct engine;

struct engine_operations {
    const char *name;
    enum hs_err (*start)(struct engine *engine, hs_time now, uint32_t token,
                         const struct engine_work *work, struct hs_error *error);
    void (*cancel)(struct engine *engine, uint32_t token);
    /* Time of the next end; HS_TIME_NEVER if nothing will end by itself. */
    hs_time (*next)(struct engine *engine);
    /* A token whose work ends at `now` (which is engine_next), in the order of their starts; false:
     * no more. */
    bool (*pop)(struct engine *engine, hs_time now, uint32_t *token);
    void (*destroy)(struct engine *engine);
};

/* Implementations embed this as their first member. */
struct engine {
    const struct engine_operations *operations;
};

/* Fixed durations on an event heap. NULL when memory is short. */
struct engine *engine_calendar_create(void);

static inline enum hs_err HS_MUST_USE engine_start(struct engine *engine, hs_time now,
                                                   uint32_t token, const struct engine_work *work,
                                                   struct hs_error *error)
{
    return engine->operations->start(engine, now, token, work, error);
}

static inline void engine_cancel(struct engine *engine, uint32_t token)
{
    engine->operations->cancel(engine, token);
}

static inline hs_time engine_next(struct engine *engine)
{
    return engine->operations->next(engine);
}

static inline bool engine_pop(struct engine *engine, hs_time now, uint32_t *token)
{
    return engine->operations->pop(engine, now, token);
}

static inline void engine_destroy(struct engine *engine)
{
    if (engine) {
        engine->operations->destroy(engine);
    }
}

#endif
