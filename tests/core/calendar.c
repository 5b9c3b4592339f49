/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calendar.c - the event heap and the calendar engine. */
#include "engine/calendar.h"

#include "engine/engine.h"
#include "unit.h"

static void pops_by_time_kind_and_sequence(void)
{
    struct calendar calendar = {0};
    uint32_t state = 12345;
    struct calendar_entry last = {.time_ns = -1};

    for (uint32_t i = 0; i < 10000; i++) {
        state = state * 1664525u + 1013904223u;
        CU_ASSERT_TRUE_FATAL(
            calendar_push(&calendar, (state >> 8) % 100, (state >> 24) % 3, i, NULL));
        if (i % 3 == 0) {
            calendar_pop(&calendar);
        }
    }
    for (size_t left = calendar.count; left > 0; left--) {
        struct calendar_entry entry = *calendar_top(&calendar);
        bool is_ordered = entry.time_ns > last.time_ns ||
                          (entry.time_ns == last.time_ns && entry.kind > last.kind) ||
                          (entry.time_ns == last.time_ns && entry.kind == last.kind &&
                           entry.sequence > last.sequence);

        CU_ASSERT_TRUE(is_ordered || last.time_ns < 0);
        last = entry;
        calendar_pop(&calendar);
    }
    CU_ASSERT_PTR_NULL(calendar_top(&calendar));
    calendar_fini(&calendar);
}

static void work_ends_when_it_ends(void)
{
    struct engine *engine = engine_calendar_create();
    struct hs_error error = {0};
    struct engine_work five = {5};
    struct engine_work zero = {0};
    struct engine_work endless = {HS_TIME_NEVER};
    uint32_t token;

    CU_ASSERT_EQUAL(engine_next(engine), HS_TIME_NEVER);
    CU_ASSERT_EQUAL(engine_start(engine, 10, 7, &five, &error), HS_OK);
    CU_ASSERT_EQUAL(engine_start(engine, 10, 3000, &five, &error), HS_OK);
    CU_ASSERT_EQUAL(engine_start(engine, 15, 1, &zero, &error), HS_OK);
    CU_ASSERT_EQUAL(engine_start(engine, 10, 2, &endless, &error), HS_OK);
    CU_ASSERT_EQUAL(engine_next(engine), 15);
    CU_ASSERT_FALSE(engine_pop(engine, 14, &token));
    CU_ASSERT_TRUE(engine_pop(engine, 15, &token));
    CU_ASSERT_EQUAL(token, 7);
    engine_cancel(engine, 3000);
    CU_ASSERT_TRUE(engine_pop(engine, 15, &token));
    CU_ASSERT_EQUAL(token, 1);
    CU_ASSERT_FALSE(engine_pop(engine, 15, &token));
    CU_ASSERT_EQUAL(engine_next(engine), HS_TIME_NEVER);
    /* A token is used again after a cancellation; the old end must not come back. */
    CU_ASSERT_EQUAL(engine_start(engine, 15, 7, &five, &error), HS_OK);
    engine_cancel(engine, 7);
    CU_ASSERT_EQUAL(engine_start(engine, 17, 7, &five, &error), HS_OK);
    CU_ASSERT_EQUAL(engine_next(engine), 22);
    engine_destroy(engine);
}

static const struct unit_test tests[] = {
    {"pops by time, kind and sequence", pops_by_time_kind_and_sequence},
    {"work ends when it ends", work_ends_when_it_ends},
};

UNIT_MAIN("engine: calendar", tests)
