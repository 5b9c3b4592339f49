/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edges.c - the ends of the ranges: times, demands, allocations that only a careless host or
 * policy would hand in. */
#include <string.h>

#include "fixture.h"

/* A submission before all history: waits that do not fit 64 bits are still numbers. */
static void waits_beyond_all_measure(void)
{
    static const char *const orders[] = {"wfp3-easy", "unicep", "unicef-depth",
                                         "expansion-factor-conservative"};

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct hs_job_spec old = fixture_job(2, 0, 2, 10);
        struct hs_job_spec young = fixture_job(3, 0, 2, 10);
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED};
        hs_time late = HS_TIME_NEVER - 1;
        struct fixture f;

        young.key.submit_ns = late;
        old.key.submit_ns = INT64_MIN;
        fixture_init(&f, 2, 1, HS_MEM_UNLIMITED, NULL, orders[i]);
        event.spec = &young;
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, late, &event, &f.error), HS_OK);
        event.spec = &old;
        CU_ASSERT_EQUAL(hs_sched_event(f.sched, late, &event, &f.error), HS_OK);
        CU_ASSERT_EQUAL(hs_sched_decide(f.sched, late, &f.decisions, &f.decision_count, &f.error),
                        HS_OK);
        CU_ASSERT_EQUAL_FATAL(f.decision_count, 1);
        CU_ASSERT_EQUAL(f.decisions[0].key.id, 2);
        fixture_fini(&f);
    }
}

static const struct unit_test tests[] = {
    {"waits beyond all measure", waits_beyond_all_measure},
};

UNIT_MAIN("core: edges", tests)
