/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preempt.c - runs with preemption against a naive simulator, job by job.
 *
 * The naive simulator counts free processors, looks at every job at every instant and knows two
 * policies: jobs that take turns (a policy of this test), and least attained service. Each result
 * must also pass its own checks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../result/fake.h"
#include "builtin.h"
#include "result/check.h"
#include "run/simulation.h"

#define JOBS_MAX  48
#define WAKES_MAX 100000
#define CASES     150

struct job {
    hs_time submit_ns, run_ns, request_ns;
    int64_t procs;
    /* the outcome */
    hs_time start_ns, end_ns, executed_ns, overhead_ns;
    int64_t preemptions;
};

struct model {
    const char *policy;
    int64_t nodes, cores;
    hs_time cost_ns, quantum_ns;
    int64_t queues;
    double threshold, factor;
    uint32_t count;
    struct job jobs[JOBS_MAX]; /* by submission */
};

enum state { FUTURE, WAITING, RUNNING, GONE };

struct naive {
    struct model *model;
    enum state state[JOBS_MAX];
    hs_time left_ns[JOBS_MAX], since_ns[JOBS_MAX], held_ns[JOBS_MAX];
    int64_t free;
    hs_time now;
    hs_time wakes[WAKES_MAX];
    size_t wake_count;
};

static uint64_t random_state;

static int64_t below(int64_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((random_state >> 33) % (uint64_t)bound);
}

/* ---- the naive simulator ---- */

static bool is_restarted(const struct naive *naive, uint32_t i)
{
    return naive->model->jobs[i].preemptions > 0;
}

static hs_time naive_end(const struct naive *naive, uint32_t i)
{
    return naive->since_ns[i] + naive->left_ns[i] +
           (is_restarted(naive, i) ? naive->model->cost_ns : 0);
}

/* The job ceases to run. */
static void leave(struct naive *naive, uint32_t i)
{
    struct job *job = &naive->model->jobs[i];
    hs_time length = naive->now - naive->since_ns[i];
    hs_time cost = is_restarted(naive, i) ? naive->model->cost_ns : 0;

    cost = length < cost ? length : cost;
    job->executed_ns += length;
    job->overhead_ns += cost;
    naive->held_ns[i] += length;
    naive->left_ns[i] -= length - cost;
    naive->free += job->procs;
}

static void naive_preempt(struct naive *naive, uint32_t i)
{
    leave(naive, i);
    naive->model->jobs[i].preemptions++;
    naive->state[i] = WAITING;
}

static bool naive_start(struct naive *naive, uint32_t i)
{
    struct job *job = &naive->model->jobs[i];

    if (job->procs > naive->free) {
        return false;
    }
    naive->free -= job->procs;
    naive->state[i] = RUNNING;
    naive->since_ns[i] = naive->now;
    job->start_ns = job->start_ns < 0 ? naive->now : job->start_ns;
    return true;
}

static bool is_any(const struct naive *naive, enum state state)
{
    for (uint32_t i = 0; i < naive->model->count; i++) {
        if (naive->state[i] == state) {
            return true;
        }
    }
    return false;
}

static void add_wake(struct naive *naive, hs_time time)
{
    CU_ASSERT_FATAL(naive->wake_count < WAKES_MAX);
    naive->wakes[naive->wake_count++] = time;
}

/* The job that has run longest makes room, and is the last that may start again. */
static void naive_turns(struct naive *naive)
{
    hs_time quantum = naive->model->quantum_ns;
    uint32_t oldest = JOBS_MAX;

    if (naive->now % quantum == 0 && is_any(naive, WAITING)) {
        for (uint32_t i = 0; i < naive->model->count; i++) {
            if (naive->state[i] == RUNNING &&
                (oldest == JOBS_MAX || naive->since_ns[i] < naive->since_ns[oldest])) {
                oldest = i;
            }
        }
        if (oldest < JOBS_MAX) {
            naive_preempt(naive, oldest);
        }
    }
    for (uint32_t i = 0; i < naive->model->count; i++) {
        if (naive->state[i] == WAITING && i != oldest) {
            (void)naive_start(naive, i);
        }
    }
    if (oldest < JOBS_MAX) {
        (void)naive_start(naive, oldest);
    }
    if (is_any(naive, WAITING)) {
        add_wake(naive, (naive->now / quantum + 1) * quantum);
    }
}

static hs_time naive_limit(const struct naive *naive, uint32_t i, int64_t level)
{
    const struct model *model = naive->model;
    double service = model->threshold;

    if (level >= model->queues - 1) {
        return HS_TIME_NEVER;
    }
    while (level-- > 0) {
        service *= model->factor;
    }
    service = service / (double)model->jobs[i].procs * 1e9;
    return service >= 9e18 ? HS_TIME_NEVER : service < 1 ? 1 : (hs_time)service;
}

static hs_time naive_held(const struct naive *naive, uint32_t i)
{
    return naive->held_ns[i] + (naive->state[i] == RUNNING ? naive->now - naive->since_ns[i] : 0);
}

static int64_t naive_level(const struct naive *naive, uint32_t i)
{
    int64_t level = 0;

    while (naive_held(naive, i) >= naive_limit(naive, i, level)) {
        level++;
    }
    return level;
}

/* Running jobs of queues below `level` that have run before this pass: the lowest first. */
static uint32_t list_victims(const struct naive *naive, int64_t level, const bool *is_new,
                             uint32_t *victims)
{
    uint32_t count = 0;

    for (int64_t low = naive->model->queues - 1; low > level; low--) {
        for (uint32_t i = naive->model->count; i-- > 0;) {
            if (naive->state[i] == RUNNING && !is_new[i] && naive_level(naive, i) == low) {
                victims[count++] = i;
            }
        }
    }
    return count;
}

/* How many of the first victims are needed; 0: all together do not do. */
static uint32_t count_needed(const struct naive *naive, uint32_t i, const uint32_t *victims,
                             uint32_t count)
{
    int64_t sum = naive->free;

    for (uint32_t k = 0; k < count; k++) {
        sum += naive->model->jobs[victims[k]].procs;
        if (sum >= naive->model->jobs[i].procs) {
            return k + 1;
        }
    }
    return 0;
}

static void naive_las(struct naive *naive)
{
    bool is_new[JOBS_MAX] = {false};

    for (int64_t level = 0; level < naive->model->queues; level++) {
        for (uint32_t i = 0; i < naive->model->count; i++) {
            uint32_t victims[JOBS_MAX];
            uint32_t needed;

            if (naive->state[i] != WAITING || naive_level(naive, i) != level) {
                continue;
            }
            if (naive->model->jobs[i].procs > naive->free) {
                needed =
                    count_needed(naive, i, victims, list_victims(naive, level, is_new, victims));
                if (needed == 0) {
                    continue;
                }
                naive_preempt(naive, victims[needed - 1]);
                for (uint32_t k = 0; naive->model->jobs[i].procs > naive->free; k++) {
                    naive_preempt(naive, victims[k]);
                }
            }
            CU_ASSERT_TRUE_FATAL(naive_start(naive, i));
            is_new[i] = true;
        }
    }
    for (uint32_t i = 0; is_any(naive, WAITING) && i < naive->model->count; i++) {
        hs_time limit = naive_limit(naive, i, naive_level(naive, i));

        if (naive->state[i] == RUNNING && limit != HS_TIME_NEVER) {
            add_wake(naive, naive->now + limit - naive_held(naive, i));
        }
    }
}

static hs_time naive_next(const struct naive *naive)
{
    hs_time next = HS_TIME_NEVER;

    for (uint32_t i = 0; i < naive->model->count; i++) {
        hs_time time = naive->state[i] == FUTURE    ? naive->model->jobs[i].submit_ns
                       : naive->state[i] == RUNNING ? naive_end(naive, i)
                                                    : HS_TIME_NEVER;

        next = time < next ? time : next;
    }
    for (size_t i = 0; i < naive->wake_count; i++) {
        if (naive->wakes[i] > naive->now && naive->wakes[i] < next) {
            next = naive->wakes[i];
        }
    }
    return next;
}

static void naive_run(struct model *model)
{
    struct naive *naive = calloc(1, sizeof *naive);

    CU_ASSERT_PTR_NOT_NULL_FATAL(naive);
    naive->model = model;
    naive->free = model->nodes * model->cores;
    naive->now = -1;
    for (uint32_t i = 0; i < model->count; i++) {
        struct job *job = &model->jobs[i];

        job->start_ns = job->end_ns = -1;
        job->executed_ns = job->overhead_ns = job->preemptions = 0;
        naive->left_ns[i] = job->run_ns < job->request_ns ? job->run_ns : job->request_ns;
    }
    while (is_any(naive, FUTURE) || is_any(naive, WAITING) || is_any(naive, RUNNING)) {
        naive->now = naive_next(naive);
        for (uint32_t i = 0; i < model->count; i++) {
            if (naive->state[i] == RUNNING && naive_end(naive, i) == naive->now) {
                leave(naive, i);
                naive->state[i] = GONE;
                model->jobs[i].end_ns = naive->now;
            } else if (naive->state[i] == FUTURE && model->jobs[i].submit_ns == naive->now) {
                naive->state[i] = WAITING;
            }
        }
        (strcmp(model->policy, "las") == 0 ? naive_las : naive_turns)(naive);
    }
    free(naive);
}

/* ---- the policy of this test ---- */

struct turns {
    hs_time quantum;
};

static const struct hs_param turns_params[] = {
    HS_PARAM_TIME(struct turns, quantum, "60", 1, 1e6, "length of a turn"),
    HS_PARAM_END,
};

static void turns_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    const struct turns *self = state;
    hs_time now = hs_view_now(view);
    const struct hs_job *oldest = NULL;
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    if (now % self->quantum == 0 && hs_view_first(view)) {
        for (uint32_t i = 0; i < count; i++) {
            if (!oldest || running[i]->start_ns < oldest->start_ns ||
                (running[i]->start_ns == oldest->start_ns &&
                 running[i]->sequence < oldest->sequence)) {
                oldest = running[i];
            }
        }
        if (oldest) {
            (void)hs_plan_preempt(plan, oldest);
        }
    }
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        if (job != oldest) {
            (void)hs_plan_start(plan, job);
        }
    }
    if (oldest) {
        (void)hs_plan_start(plan, oldest);
    }
    if (hs_view_first(view)) {
        hs_plan_wake(plan, (now / self->quantum + 1) * self->quantum);
    }
}

static const struct hs_policy turns = {
    HS_POLICY_HEADER,
    .name = "turns",
    .summary = "who has run longest makes room",
    .params = turns_params,
    .state_size = sizeof(struct turns),
    .schedule = turns_schedule,
    .flags = HS_POLICY_PREEMPTS,
};
static const struct hs_policy *const policies[] = {&turns, NULL};
static const struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof plugin, .policies = policies};

/* ---- the simulator ---- */

static char trace[256], log_file[256];

static void write_trace(const struct model *model)
{
    FILE *file = fopen(fake_path("trace.swf", trace), "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct job *job = &model->jobs[i];

        (void)fprintf(file, "%u %lld -1 %lld %lld -1 -1 %lld %lld -1 1 1 1 -1 -1 -1 -1 -1\n", i + 1,
                      (long long)(job->submit_ns / S), (long long)(job->run_ns / S),
                      (long long)job->procs, (long long)job->procs,
                      (long long)(job->request_ns / S));
    }
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
}

static struct hs_stack *make_stack(const struct model *model, struct hs_registry *registry)
{
    char texts[3][32];
    struct hs_choice_param params[] = {
        {"queues", texts[0]}, {"threshold", texts[1]}, {"factor", texts[2]}};
    struct hs_choice choice = {.name = model->policy, .params = params, .param_count = 3};
    struct hs_stack *stack = NULL;
    struct hs_error error = {0};

    if (strcmp(model->policy, "turns") == 0) {
        params[0].name = "quantum";
        choice.param_count = 1;
        (void)snprintf(texts[0], sizeof texts[0], "%lld", (long long)(model->quantum_ns / S));
    } else {
        (void)snprintf(texts[0], sizeof texts[0], "%lld", (long long)model->queues);
        (void)snprintf(texts[1], sizeof texts[1], "%.17g", model->threshold);
        (void)snprintf(texts[2], sizeof texts[2], "%.17g", model->factor);
    }
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(registry, &hp_builtin, "built-in", &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(registry, &plugin, "test", &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(registry, &choice, &stack, &error), HS_OK);
    return stack;
}

static void simulate(const struct model *model, bool has_allocations)
{
    struct hs_cluster *cluster = fake_cluster((uint32_t)model->nodes, model->cores);
    struct hs_registry *registry = hs_registry_create();
    struct hs_stack *stack = make_stack(model, registry);
    struct result_meta meta = fake_meta(cluster);
    struct result_options result = {.path = fake_path("log.h5", log_file),
                                    .is_forced = true,
                                    .series = RESULT_SERIES_EVENTS,
                                    .has_allocations = has_allocations};
    struct workload_options workload = {0};
    struct simulation_options options = {.cluster = cluster,
                                         .stack = stack,
                                         .workload = &workload,
                                         .preempt_cost_ns = model->cost_ns};
    struct result_final final = {.status = "complete", .epoch_unix = -1};
    struct simulation_report report;
    struct result_summary summary = {0};
    struct hs_error error = {0};

    workload_options_defaults(&workload);
    workload.file = trace;
    workload.machine_procs = model->nodes * model->cores;
    meta.has_attempts = hs_stack_preempts(stack);
    CU_ASSERT_TRUE(meta.has_attempts);
    CU_ASSERT_EQUAL_FATAL(result_writer_create(&result, &meta, &options.writer, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(simulation_run(&options, &report, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(result_writer_finish(options.writer, &final, &summary, &error), HS_OK);
    result_summary_fini(&summary);
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
    hs_cluster_destroy(cluster);
}

static void read_column(struct result_reader *reader, size_t column, uint32_t count,
                        int64_t *values)
{
    CU_ASSERT_EQUAL_FATAL(result_reader_ints(reader, result_reader_table(reader, "jobs"), column, 0,
                                             count, values, NULL),
                          HS_OK);
}

/* Is the log that of the naive simulator, and does it agree with itself? */
static bool compare(const struct model *model, struct result_reader *reader, int64_t *preemptions)
{
    static const size_t wanted[] = {JOB_ID,          JOB_START,    JOB_END,
                                    JOB_PREEMPTIONS, JOB_EXECUTED, JOB_OVERHEAD};
    int64_t values[6][JOBS_MAX];

    CU_ASSERT_EQUAL_FATAL(result_reader_rows(reader, result_reader_table(reader, "jobs")),
                          model->count);
    for (size_t c = 0; c < 6; c++) {
        read_column(reader, wanted[c], model->count, values[c]);
    }
    for (uint32_t row = 0; row < model->count; row++) {
        const struct job *job = &model->jobs[values[0][row]];

        *preemptions += job->preemptions;
        if (values[1][row] != job->start_ns || values[2][row] != job->end_ns ||
            values[3][row] != job->preemptions || values[4][row] != job->executed_ns ||
            values[5][row] != job->overhead_ns) {
            printf("job %lld: start %lld end %lld preemptions %lld executed %lld overhead %lld, "
                   "naive %lld %lld %lld %lld %lld\n",
                   (long long)values[0][row], (long long)values[1][row], (long long)values[2][row],
                   (long long)values[3][row], (long long)values[4][row], (long long)values[5][row],
                   (long long)job->start_ns, (long long)job->end_ns, (long long)job->preemptions,
                   (long long)job->executed_ns, (long long)job->overhead_ns);
            return false;
        }
    }
    return true;
}

static bool passes_checks(struct result_reader *reader, bool has_allocations)
{
    struct result_check checks[RESULT_CHECKS_MAX];
    size_t count = 0;

    CU_ASSERT_EQUAL_FATAL(result_check(reader, checks, &count, NULL), HS_OK);
    for (size_t i = 0; i < count; i++) {
        if (checks[i].outcome == RESULT_FAILS ||
            (checks[i].outcome == RESULT_SKIPPED && has_allocations)) {
            printf("%s: %s\n", checks[i].name, checks[i].text);
            return false;
        }
    }
    return count > 8;
}

static void generate(struct model *model, const char *policy, uint64_t seed)
{
    random_state = seed;
    *model = (struct model){
        .policy = policy,
        .nodes = 1 + below(6),
        .cores = 1 + below(4),
        .cost_ns = below(3) * below(40) * S,
        .queues = 1 + below(5),
        .threshold = (double)(1 + below(2000)) / 7,
        .factor = 1 + (double)below(5) / 3,
        .count = (uint32_t)(2 + below(JOBS_MAX - 2)),
    };
    model->quantum_ns = model->cost_ns + (1 + below(60)) * S; /* else nothing would ever end */
    for (uint32_t i = 0; i < model->count; i++) {
        hs_time before = i ? model->jobs[i - 1].submit_ns : 0;

        model->jobs[i] = (struct job){
            .submit_ns = before + below(4) * below(30) * S,
            .run_ns = (1 + below(below(3) ? 60 : 600)) * S,
            .procs = 1 + below(model->nodes * model->cores),
        };
        model->jobs[i].request_ns = below(4) ? model->jobs[i].run_ns + below(100) * S
                                             : (1 + below(300)) * S; /* perhaps too short */
    }
}

static void play(const char *policy)
{
    int64_t preemptions = 0;
    bool is_good = true;

    for (uint64_t seed = 1; seed <= CASES && is_good; seed++) {
        bool has_allocations = seed % 5 != 0;
        struct result_reader *reader = NULL;
        struct model model;

        generate(&model, policy, seed);
        write_trace(&model);
        naive_run(&model);
        simulate(&model, has_allocations);
        CU_ASSERT_EQUAL_FATAL(result_reader_open(log_file, &reader, NULL), HS_OK);
        is_good = compare(&model, reader, &preemptions) && passes_checks(reader, has_allocations);
        result_reader_close(reader);
        if (!is_good) {
            printf("policy %s, seed %llu\n", policy, (unsigned long long)seed);
        }
    }
    CU_ASSERT_TRUE(is_good);
    CU_ASSERT(preemptions > 10 * CASES);
}

static void they_take_turns(void)
{
    play("turns");
}

static void least_attained_service(void)
{
    play("las");
}

static const struct unit_test tests[] = {
    {"they take turns", they_take_turns},
    {"least attained service", least_attained_service},
};

UNIT_MAIN("run: preemption", tests)
