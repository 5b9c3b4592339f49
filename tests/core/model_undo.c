/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_undo.c - reservation rules that first plan nonsense and undo it; the order random.
 *
 * Before each pass of a built-in rule, the test's rule starts, preempts and rejects jobs at random,
 * with marks inside marks, undoes all of it and looks whether queue, running jobs and free state
 * are as before. The schedules must then equal the naive simulator's, which knows nothing of this.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "model_tests.h"
#include "unit.h"

/* All that a policy can see. */
struct sight {
    const struct hs_job *queue[MODEL_JOBS_MAX];
    const struct hs_job *running[MODEL_JOBS_MAX];
    const struct hs_alloc *allocs[MODEL_JOBS_MAX]; /* of the running jobs, likewise the next */
    hs_time starts[MODEL_JOBS_MAX];
    hs_time ends[MODEL_JOBS_MAX];
    hs_time walltimes[MODEL_JOBS_MAX];
    uint64_t done;
    int64_t milli[MODEL_NODES_MAX];
    int64_t bytes[MODEL_NODES_MAX];
    uint32_t jobs[MODEL_NODES_MAX];
    uint32_t queue_count;
    uint32_t pending_count;
    uint32_t running_count;
    int64_t free_units;
    int64_t total_milli;
};

static void look(const struct hs_view *view, struct sight *sight)
{
    const struct hs_free *state = hs_view_free(view);
    const struct hs_job *const *running = hs_view_running(view, &sight->running_count);

    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        sight->queue[sight->queue_count++] = job;
    }
    for (uint32_t i = 0; i < sight->running_count; i++) {
        sight->running[i] = running[i];
        sight->allocs[i] = running[i]->alloc;
        sight->starts[i] = running[i]->start_ns;
        sight->ends[i] = running[i]->expected_end_ns;
        sight->walltimes[i] = running[i]->walltime_ns;
        sight->done += running[i]->done + (running[i]->state == HS_JOB_RUNNING);
    }
    for (uint32_t i = 0; i < hs_cluster_node_count(hs_view_cluster(view)); i++) {
        sight->milli[i] = hs_free_cores_milli(state, i);
        sight->bytes[i] = hs_free_mem_bytes(state, i);
        sight->jobs[i] = hs_free_node_jobs(state, i);
    }
    sight->pending_count = hs_view_pending_count(view);
    sight->free_units = hs_view_is_counted(view) ? hs_view_free_units(view) : -1;
    sight->total_milli = hs_free_total_cores_milli(state);
}

/* Do the queue and the running jobs come in the order that the view promises? */
static bool is_ordered(const struct hs_view *view, const struct sight *sight)
{
    for (uint32_t i = 1; i < sight->queue_count; i++) {
        if (hs_view_compare(view, sight->queue[i - 1], sight->queue[i]) >= 0) {
            return false;
        }
    }
    for (uint32_t i = 1; i < sight->running_count; i++) {
        const struct hs_job *left = sight->running[i - 1];
        const struct hs_job *right = sight->running[i];

        if (left->expected_end_ns > right->expected_end_ns ||
            (left->expected_end_ns == right->expected_end_ns &&
             left->sequence >= right->sequence)) {
            return false;
        }
    }
    return true;
}

/* Preempts about a third of the running jobs, and starts half of these again at once. */
static bool preempt_nonsense(const struct hs_view *view, struct hs_plan *plan,
                             const struct sight *before)
{
    uint64_t salt = (uint64_t)hs_view_now(view);

    for (uint32_t i = 0; i < before->running_count; i++) {
        const struct hs_job *job = before->running[i];
        double number = hs_view_random(view, "unrest", salt + job->sequence);

        if (number > 0.3 || job->state != HS_JOB_RUNNING) {
            continue;
        }
        if (!hs_plan_preempt(plan, job) || job->state != HS_JOB_PENDING || job->alloc) {
            return false;
        }
        if (number < 0.15) {
            (void)hs_plan_start(plan, job);
        }
    }
    return true;
}

/* Preempts, then starts and rejects about a third of the jobs each; marks and undoes half-way. */
static bool plan_nonsense(const struct hs_view *view, struct hs_plan *plan,
                          const struct sight *before)
{
    uint64_t salt = (uint64_t)hs_view_now(view);
    size_t middle = hs_plan_mark(plan);

    if (!preempt_nonsense(view, plan, before)) {
        return false;
    }
    for (uint32_t i = 0; i < before->queue_count; i++) {
        const struct hs_job *job = before->queue[before->queue_count - 1 - i];
        double number = hs_view_random(view, "nonsense", salt + job->sequence);

        if (job->state != HS_JOB_PENDING) {
            return false;
        }
        if (i == before->queue_count / 2 && !hs_view_first(view)) {
            continue; /* an index in use, too */
        }
        if (number < 0.4) {
            (void)hs_plan_start(plan, job);
        } else if (number < 0.6) {
            (void)hs_plan_reject(plan, job, "this is nonsense");
        } else if (number < 0.7) {
            middle = hs_plan_mark(plan);
        } else if (number < 0.75) {
            hs_plan_undo(plan, middle);
        }
    }
    return true;
}

static void schedule_undone(const char *rule, void *self, const struct hs_view *view,
                            struct hs_plan *plan)
{
    struct sight *before = calloc(2, sizeof(*before));
    size_t mark = hs_plan_mark(plan);
    bool is_equal = before != NULL;

    if (before) {
        look(view, &before[0]);
        is_equal = is_ordered(view, &before[0]) && plan_nonsense(view, plan, &before[0]);
        hs_plan_undo(plan, mark);
        look(view, &before[1]);
        is_equal = is_equal && memcmp(&before[0], &before[1], sizeof(*before)) == 0;
        free(before);
    }
    if (!is_equal) {
        hs_plan_fail(plan, "the view is out of order, or what was undone has left a trace");
        return;
    }
    for (size_t i = 0; hp_builtin.reserves[i]; i++) {
        if (strcmp(hp_builtin.reserves[i]->name, rule) == 0) {
            hp_builtin.reserves[i]->schedule(self, view, plan);
        }
    }
}

#define UNDONE(id, rule)                                                                           \
    static void schedule_##id(void *self, const struct hs_view *view, struct hs_plan *plan)        \
    {                                                                                              \
        schedule_undone(rule, self, view, plan);                                                   \
    }

UNDONE(none, "none")
UNDONE(first_fit, "first-fit")
UNDONE(easy, "easy")
UNDONE(easy_noextra, "easy-noextra")
UNDONE(easy_hosts, "easy-hosts")
UNDONE(depth, "depth")
UNDONE(rebuilt, "conservative-rebuilt")
UNDONE(conservative, "conservative")
UNDONE(easy_sjbf, "easy-sjbf")

/* The built-in rules under new names, with the schedule functions from above. */
struct wrapped {
    struct hs_reserve rules[MODEL_RULE_COUNT];
    char names[MODEL_RULE_COUNT][64];
    const struct hs_reserve *list[MODEL_RULE_COUNT + 1];
    struct hs_plugin plugin;
};

static void wrap(struct wrapped *wrapped)
{
    void (*const schedules[MODEL_RULE_COUNT])(void *, const struct hs_view *, struct hs_plan *) = {
        [MODEL_NONE] = schedule_none,
        [MODEL_FIRST_FIT] = schedule_first_fit,
        [MODEL_EASY] = schedule_easy,
        [MODEL_EASY_NOEXTRA] = schedule_easy_noextra,
        [MODEL_EASY_HOSTS] = schedule_easy_hosts,
        [MODEL_DEPTH] = schedule_depth,
        [MODEL_REBUILT] = schedule_rebuilt,
        [MODEL_CONSERVATIVE] = schedule_conservative,
        [MODEL_EASY_SJBF] = schedule_easy_sjbf,
    };

    memset(wrapped, 0, sizeof(*wrapped));
    for (uint32_t rule = 0; rule < MODEL_RULE_COUNT; rule++) {
        const char *name = model_rule_name((enum model_rule)rule);

        (void)snprintf(wrapped->names[rule], sizeof(wrapped->names[rule]), "undone-%s", name);
        for (size_t i = 0; hp_builtin.reserves[i]; i++) {
            if (strcmp(hp_builtin.reserves[i]->name, name) == 0) {
                wrapped->rules[rule] = *hp_builtin.reserves[i];
            }
        }
        wrapped->rules[rule].name = wrapped->names[rule];
        wrapped->rules[rule].schedule = schedules[rule];
        wrapped->rules[rule].flags |= HS_POLICY_PREEMPTS;
        wrapped->list[rule] = &wrapped->rules[rule];
    }
    wrapped->plugin = (struct hs_plugin){
        .abi = HS_ABI, .size = sizeof(struct hs_plugin), .reserves = wrapped->list};
}

void model_test_undo(void)
{
    struct model_bench *bench = model_bench_create("undone plans");
    struct wrapped wrapped;
    bool is_good = true;

    wrap(&wrapped);
    bench->extra = &wrapped.plugin;
    for (uint64_t i = 0; i < MODEL_ORDER_COUNT * MODEL_RULE_COUNT * 8 && is_good; i++) {
        model_generate(&bench->model, (enum model_order)(i % MODEL_ORDER_COUNT),
                       (enum model_rule)(i / MODEL_ORDER_COUNT % MODEL_RULE_COUNT),
                       11000000000u + i);
        if (i % 5 < 2) { /* nodes leave and come back */
            model_add_changes(&bench->model, &(struct model_random){.state = i});
        }
        bench->model.rule_prefix = "undone-";
        is_good = model_check(bench);
    }
    CU_ASSERT_TRUE(is_good);
    free(bench);
}

#define RANDOM_JOBS 40

/* The ids of jobs in the order in which a machine of one processor runs them. All are submitted at
 * once, in the order of `ids`. */
static bool random_order(uint64_t seed, const int64_t *ids, uint32_t count, int64_t *order)
{
    struct model_bench *bench = model_bench_create("the order random");
    bool is_good;

    bench->model = (struct model_case){
        .seed = seed,
        .order = MODEL_RANDOM,
        .rule_prefix = "",
        .tick_ns = 1,
        .node_count = 1,
        .units = {1},
        .cores_milli = {1000},
        .mem_bytes = {HS_MEM_UNLIMITED},
        .job_count = count,
    };
    for (uint32_t i = 0; i < count; i++) {
        bench->model.jobs[i] = (struct model_job){
            .id = ids[i],
            .submit_ns = 5,
            .run_ns = 1,
            .request_ns = 1,
            .cancel_ns = HS_TIME_NEVER,
            .procs = 1,
            .demand = {.tasks = 1, .cores_milli = 1000},
        };
        order[i] = INT64_MIN;
    }
    is_good = drive_run(&bench->model, NULL, NULL, &bench->core, bench->complaint);
    for (uint32_t i = 0; i < count && is_good; i++) {
        hs_time place = bench->core.start_ns[i] - 5;

        is_good = place >= 0 && place < count && order[place] == INT64_MIN;
        if (is_good) {
            order[place] = ids[i];
        }
    }
    free(bench);
    return is_good;
}

void model_test_random(void)
{
    int64_t ids[RANDOM_JOBS];
    int64_t reversed[RANDOM_JOBS];
    int64_t first[RANDOM_JOBS];
    int64_t again[RANDOM_JOBS];
    int64_t other[RANDOM_JOBS];
    int64_t fewer[RANDOM_JOBS];
    uint32_t place = 0;

    for (uint32_t i = 0; i < RANDOM_JOBS; i++) {
        ids[i] = (int64_t)i * 7 + 3;
        reversed[RANDOM_JOBS - 1 - i] = ids[i];
    }
    CU_ASSERT_TRUE(random_order(1, ids, RANDOM_JOBS, first));
    CU_ASSERT_TRUE(random_order(1, reversed, RANDOM_JOBS, again));
    CU_ASSERT_TRUE(random_order(2, ids, RANDOM_JOBS, other));
    CU_ASSERT_EQUAL(memcmp(first, again, sizeof(first)), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first, ids, sizeof(first)), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(first, other, sizeof(first)), 0);

    /* Without the second half of the jobs, the first half keep their order. */
    CU_ASSERT_TRUE(random_order(1, ids, RANDOM_JOBS / 2, fewer));
    for (uint32_t i = 0; i < RANDOM_JOBS; i++) {
        if (first[i] < ids[RANDOM_JOBS / 2]) {
            CU_ASSERT_EQUAL(first[i], fewer[place]);
            place++;
        }
    }
    CU_ASSERT_EQUAL(place, RANDOM_JOBS / 2);
}
