/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_bench.c - runs a case both ways. A failure prints the seed, the smallest case that still
 * fails, and both outcomes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model_tests.h"
#include "unit.h"

static bool differs(struct model_bench *bench)
{
    if (bench->is_compared) {
        naive_run(&bench->model, &bench->naive);
    }
    return !drive_run(&bench->model, bench->extra, bench->watch, &bench->core, bench->complaint) ||
           (bench->is_compared &&
            model_difference(&bench->model, &bench->naive, &bench->core) >= 0);
}

/* Drops jobs, more and more finely, while the case still fails. */
static void shrink(struct model_bench *bench)
{
    for (uint32_t chunk = bench->model.job_count / 2; chunk > 0; chunk /= 2) {
        uint32_t at = bench->model.is_placed ? 1 : 0; /* the first job keeps it so */

        while (at < bench->model.job_count) {
            uint32_t end = at + chunk;
            uint32_t kept = at;

            bench->spare = bench->model;
            for (uint32_t job = end; job < bench->spare.job_count; job++) {
                bench->model.jobs[kept++] = bench->spare.jobs[job];
            }
            bench->model.job_count = kept;
            if (!differs(bench)) {
                bench->model = bench->spare;
                at = end;
            }
        }
    }
}

/* Drops nodes from the right while the case still fails. */
static void shrink_nodes(struct model_bench *bench)
{
    while (bench->model.node_count > 1 && !bench->model.vector) {
        bench->model.node_count--;
        if (!differs(bench)) {
            bench->model.node_count++;
            return;
        }
    }
}

bool model_check(struct model_bench *bench)
{
    if (!differs(bench)) {
        return true;
    }
    shrink(bench);
    shrink_nodes(bench);
    (void)differs(bench);
    (void)fprintf(stderr, "\n%s: seed %" PRIu64 ": %s\n", bench->title, bench->model.seed,
                  bench->complaint[0] ? bench->complaint : "the outcomes differ");
    model_print(&bench->model, bench->is_compared ? &bench->naive : NULL, &bench->core);
    return false;
}

struct model_bench *model_bench_create(const char *title)
{
    struct model_bench *bench = calloc(1, sizeof(*bench));

    if (!bench) {
        CU_FAIL_FATAL("no memory");
        abort();
    }
    bench->title = title;
    bench->is_compared = true;
    return bench;
}
