/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability.c - the rule that tells runs whose backlog grows. */
#include <math.h>

#include "result/stability.h"
#include "unit.h"

static void test_rule(void)
{
    CU_ASSERT(result_stability_grows(25, 75, 10));   /* even growth from nothing to 100 */
    CU_ASSERT(!result_stability_grows(25, 0, 10));   /* came down in the last quarter */
    CU_ASSERT(!result_stability_grows(25, 20, 10));  /* below the first half */
    CU_ASSERT(!result_stability_grows(1, 5, 10));    /* less waits than is served */
    CU_ASSERT(!result_stability_grows(0, 0, 0));     /* nothing ever waits */
    CU_ASSERT(!result_stability_grows(NAN, NAN, 1)); /* no series */
}

int main(void)
{
    static const struct unit_test tests[] = {{"growth", test_rule}};

    return unit_main("result stability", tests, sizeof tests / sizeof tests[0]);
}
