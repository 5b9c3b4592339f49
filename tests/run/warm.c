/* SPDX-License-Identifier: GPL-3.0-or-later */
/* warm.c - platforms that are kept: each is given away once, by file and catalogue, and the one
 * goes that was not used for longest. */
#include "run/warm.h"

#include <stdio.h>
#include <unistd.h>

#include "unit.h"

#define LIST TEST_PLATFORMS "/openb-demo.csv"

static void each_is_given_once(void)
{
    const struct platform_options list = {.file = LIST};
    const struct platform_options other = {.file = LIST, .catalogue = "another.yaml"};
    const struct platform_options missing = {.file = "/nowhere.csv"};
    const struct platform_options two_nodes = {.nodes = 2, .cores = 1};
    struct run_warm *warm = run_warm_create();
    struct platform platform = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(warm);
    CU_ASSERT_FALSE(run_warm_take(warm, &list, &platform));
    run_warm_add(warm, &list);
    run_warm_add(warm, &missing);   /* the run itself will say why it cannot be loaded */
    run_warm_add(warm, &two_nodes); /* costs nothing, and is not kept */
    CU_ASSERT_FALSE(run_warm_take(warm, &missing, &platform));
    CU_ASSERT_FALSE(run_warm_take(warm, &two_nodes, &platform));
    CU_ASSERT_FALSE(run_warm_take(warm, &other, &platform));
    CU_ASSERT(run_warm_take(warm, &list, &platform));
    CU_ASSERT(platform.host_count > 0);
    CU_ASSERT(hs_cluster_node_count(platform.cluster) > 0);
    platform_fini(&platform);
    CU_ASSERT_FALSE(run_warm_take(warm, &list, &platform));
    run_warm_destroy(warm);
}

/* The same file under RUN_WARM_MAX + 1 names. */
static void the_stalest_goes(void)
{
    char names[RUN_WARM_MAX + 1][64];
    struct run_warm *warm = run_warm_create();
    struct platform platform = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(warm);
    for (int i = 0; i <= RUN_WARM_MAX; i++) {
        (void)snprintf(names[i], sizeof names[i], "/tmp/hsim-warm-%d-%d.csv", (int)getpid(), i);
        CU_ASSERT_EQUAL(symlink(LIST, names[i]), 0);
    }
    for (int i = 0; i < RUN_WARM_MAX; i++) {
        run_warm_add(warm, &(struct platform_options){.file = names[i]});
    }
    run_warm_add(warm, &(struct platform_options){.file = names[0]}); /* used again */
    run_warm_add(warm, &(struct platform_options){.file = names[RUN_WARM_MAX]});
    for (int i = 0; i <= RUN_WARM_MAX; i++) {
        bool is_there =
            run_warm_take(warm, &(struct platform_options){.file = names[i]}, &platform);

        CU_ASSERT_EQUAL(is_there, i != 1);
        platform_fini(&platform);
        CU_ASSERT_EQUAL(unlink(names[i]), 0);
    }
    run_warm_destroy(warm);
}

static const struct unit_test tests[] = {
    {"each is given away once", each_is_given_once},
    {"the stalest goes", the_stalest_goes},
};

UNIT_MAIN("run: platforms that are kept", tests)
