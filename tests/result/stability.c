/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability.c - the rule that tells runs whose backlog grows, and the sums behind it. */
#include <math.h>
#include <string.h>

#include "result/growth.h"
#include "result/stability.h"
#include "unit.h"

static void test_rule(void)
{
    CU_ASSERT(result_stability_grows(25, 75, 10));     /* even growth from nothing to 100 */
    CU_ASSERT(!result_stability_grows(25, 0, 10));     /* came down in the last quarter */
    CU_ASSERT(!result_stability_grows(25, 20, 10));    /* below the first half */
    CU_ASSERT(!result_stability_grows(1, 5, 10));      /* less waits than is served */
    CU_ASSERT(!result_stability_grows(0, 0, 0));       /* nothing ever waits */
    CU_ASSERT(!result_stability_grows(NAN, NAN, NAN)); /* no window */
}

static void test_summary(void)
{
    struct result_metric metrics[] = {
        {.name = "backlog_early_procs", .value = 25},
        {.name = "wait_mean_s", .value = 1},
        {.name = "backlog_late_min_procs", .value = 75},
        {.name = "held_late_cores", .value = 10},
    };
    struct result_summary summary = {.metrics = metrics, .metric_count = 4};

    CU_ASSERT_EQUAL(result_stability_of(&summary), RESULT_UNSTABLE);
    metrics[2].value = 20;
    CU_ASSERT_EQUAL(result_stability_of(&summary), RESULT_STABLE);
    summary.metric_count = 3;
    CU_ASSERT_EQUAL(result_stability_of(&summary), RESULT_STABILITY_UNKNOWN);
}

/* ---- the sums, against a plain computation over all that was told */

enum { EVENTS = 400 };

struct event {
    hs_time time_ns;
    bool is_submission;
    int64_t backlog, held_milli; /* from then on */
};

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Over the part of [from, to) in which the levels of an event hold. */
static hs_time overlap(const struct event *events, size_t count, size_t i, hs_time from, hs_time to)
{
    hs_time begin = events[i].time_ns > from ? events[i].time_ns : from;
    hs_time end = i + 1 < count && events[i + 1].time_ns < to ? events[i + 1].time_ns : to;

    return end > begin ? end - begin : 0;
}

/* The window in pieces of 2^shift ns. */
static struct growth_levels plain(const struct event *events, size_t count, hs_time begin,
                                  hs_time end, unsigned shift)
{
    hs_time length = (hs_time)1 << shift;
    hs_time pieces = (end - begin) / length;
    hs_time middle = begin + pieces / 2 * length;
    hs_time last = begin + pieces * length;
    hs_time late = last - pieces / 4 * length;
    struct growth_levels levels = {.least = INFINITY};

    for (size_t i = 0; i < count; i++) {
        hs_time in_late = overlap(events, count, i, late, last);

        levels.early +=
            (double)events[i].backlog * (double)overlap(events, count, i, begin, middle);
        levels.held += (double)events[i].held_milli / 1000 * (double)in_late;
        if (in_late > 0 && (double)events[i].backlog < levels.least) {
            levels.least = (double)events[i].backlog;
        }
    }
    levels.early /= (double)(middle - begin);
    levels.held /= (double)(last - late);
    return levels;
}

static size_t make_events(uint64_t *state, struct event *events)
{
    hs_time scale = (hs_time)1 << (draw(state) % 40);
    hs_time time = (hs_time)draw(state) - (hs_time)draw(state);
    size_t count = 20 + draw(state) % (EVENTS - 20);
    struct event levels = {0};

    for (size_t i = 0; i < count; i++) {
        /* Gaps are mostly short and now and then very long; some are none. */
        hs_time gap = (hs_time)(draw(state) % (draw(state) % 10 ? 100 : 10000)) * scale;

        levels.time_ns = time += draw(state) % 4 ? gap : 0;
        levels.is_submission = i == 0 || draw(state) % 3 == 0;
        if (draw(state) % 5) {
            levels.backlog = (int64_t)(draw(state) % 1000);
            levels.held_milli = (int64_t)(draw(state) % 100000);
        }
        events[i] = levels;
    }
    return count;
}

static void test_sums(void)
{
    uint64_t state = 1;
    int windows = 0;

    for (int round = 0; round < 500; round++) {
        struct event events[EVENTS];
        size_t count = make_events(&state, events);
        bool is_cut = round % 2;
        hs_time from = is_cut ? events[count / 8].time_ns : INT64_MIN;
        hs_time to = is_cut ? events[count - count / 8].time_ns : HS_TIME_NEVER;
        hs_time begin = INT64_MAX;
        hs_time end = INT64_MIN;
        struct growth growth;
        struct growth_levels levels, expected;

        growth_init(&growth, from, to);
        for (size_t i = 0; i < count; i++) {
            const struct event *event = &events[i];

            if (event->is_submission) {
                CU_ASSERT_FATAL(growth_submitted(&growth, event->time_ns));
            }
            if (event->is_submission && event->time_ns >= from && event->time_ns <= to) {
                begin = event->time_ns < begin ? event->time_ns : begin;
                end = event->time_ns;
            }
            growth_point(&growth, event->time_ns, event->backlog, event->held_milli);
        }
        levels = growth_levels(&growth);
        if (isnan(levels.early)) {
            CU_ASSERT(begin >= end || end - begin < 4);
        } else {
            unsigned shift = growth.tracks[0].shift;

            windows++;
            CU_ASSERT(shift == 0 || (end - begin) >> shift >= GROWTH_PIECES / 2);
            expected = plain(events, count, begin, end, shift);
            CU_ASSERT_DOUBLE_EQUAL(levels.early, expected.early, 1e-9 * expected.early);
            CU_ASSERT_DOUBLE_EQUAL(levels.held, expected.held, 1e-9 * expected.held);
            CU_ASSERT_EQUAL(levels.least, expected.least);
        }
        growth_fini(&growth);
    }
    CU_ASSERT(windows > 400);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"growth", test_rule},
        {"of a summary", test_summary},
        {"sums by pieces", test_sums},
    };

    return unit_main("result stability", tests, sizeof tests / sizeof tests[0]);
}
