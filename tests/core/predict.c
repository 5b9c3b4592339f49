/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.c - predictors by values computed by hand, corrections, and corrected ends in the core.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define S HS_NS_PER_S

/* A scheduler of one node under easy with a predictor and its parameters. */
struct oracle {
    struct hs_cluster *cluster;
    struct hs_registry *registry;
    struct hs_stack *stack;
    struct hs_sched *sched;
};

static void begin(struct oracle *oracle, const char *name, const struct hs_choice_param *params,
                  size_t param_count, uint64_t seed)
{
    struct hs_choice choice = {
        .name = "easy", .predictor = name, .params = params, .param_count = param_count};
    struct hs_sched_options options = {.seed = seed};
    struct hs_error error = {0};

    oracle->cluster = hs_cluster_create();
    oracle->registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(oracle->cluster, "n", 1000, 1, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(oracle->cluster, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(oracle->registry, &hp_builtin, "built-in", &error),
                          HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(oracle->registry, &choice, &oracle->stack, &error),
                          HS_OK);
    options.cluster = oracle->cluster;
    options.stack = oracle->stack;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &oracle->sched, &error), HS_OK);
}

static void end(struct oracle *oracle)
{
    hs_sched_destroy(oracle->sched);
    hs_stack_destroy(oracle->stack);
    hs_registry_destroy(oracle->registry);
    hs_cluster_destroy(oracle->cluster);
}

static struct hs_predict_question job(int32_t user, hs_time request_ns, hs_time truth_ns)
{
    return (struct hs_predict_question){.request_ns = request_ns,
                                        .truth_ns = truth_ns,
                                        .procs = 1,
                                        .user = user,
                                        .group = -1,
                                        .queue = -1,
                                        .job_class = -1,
                                        .speed_class = -1};
}

static hs_time ask(struct oracle *oracle, struct hs_predict_question question)
{
    return hs_sched_predict(oracle->sched, &question);
}

static void teach(struct oracle *oracle, struct hs_predict_question question, hs_time run_ns)
{
    const struct hs_predict_run run = {.run_ns = run_ns};

    CU_ASSERT_TRUE(hs_sched_learn(oracle->sched, &question, &run));
}

static void what_is_known(void)
{
    struct oracle oracle;

    begin(&oracle, NULL, NULL, 0, 1);
    CU_ASSERT_FALSE(hs_stack_predicts(oracle.stack));
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, 7 * S)), 60 * S);
    end(&oracle);
    begin(&oracle, "request", NULL, 0, 1);
    CU_ASSERT_FALSE(hs_stack_predicts(oracle.stack));
    CU_ASSERT_FALSE(hs_stack_knows_truth(oracle.stack));
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, 7 * S)), 60 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, HS_TIME_NEVER, 7 * S)), HS_TIME_NEVER);
    end(&oracle);
    begin(&oracle, "oracle", NULL, 0, 1);
    CU_ASSERT_TRUE(hs_stack_predicts(oracle.stack));
    CU_ASSERT_TRUE(hs_stack_knows_truth(oracle.stack));
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, 7 * S)), 7 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, 90 * S)), 90 * S); /* not cut: it overruns */
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, -1)), 60 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, 0)), 1); /* no prediction is less */
    end(&oracle);
}

static void factors(void)
{
    const struct hs_choice_param half = {"factor", "0.5"};
    const struct hs_choice_param drawn[] = {{"factor", "5"}, {"drawn", "true"}};
    const struct hs_choice_param one = {"factor", "1"};
    struct hs_predict_question question = job(1, 60 * S, 8 * S);
    struct oracle oracle;
    double sum = 0;

    begin(&oracle, "factor", NULL, 0, 1);
    CU_ASSERT_EQUAL(ask(&oracle, question), 16 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, -1)), 60 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 60 * S, HS_TIME_NEVER - 1)), HS_TIME_NEVER);
    end(&oracle);
    begin(&oracle, "factor", &half, 1, 1);
    CU_ASSERT_EQUAL(ask(&oracle, question), 4 * S);
    end(&oracle);
    begin(&oracle, "factor", &one, 1, 1);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 1, INT64_C(123456789012345677))),
                    INT64_C(123456789012345677));
    end(&oracle);
    begin(&oracle, "factor", drawn, 2, 1);
    for (question.number = 0; question.number < 4000; question.number++) {
        hs_time answer = ask(&oracle, question);

        CU_ASSERT_TRUE(answer >= 8 * S && answer < 40 * S);
        CU_ASSERT_EQUAL(answer, ask(&oracle, question)); /* keyed by the job alone */
        sum += (double)answer / (8.0 * (double)S);
    }
    /* Uniform in [1, 5): mean 3, standard deviation of the mean 4 / sqrt(12 x 4000) = 0.018. */
    CU_ASSERT_TRUE(fabs(sum / 4000 - 3) < 0.1);
    end(&oracle);
}

static void last_two(void)
{
    struct oracle oracle;

    begin(&oracle, "last-two", NULL, 0, 1);
    CU_ASSERT_TRUE(hs_stack_predicts(oracle.stack));
    CU_ASSERT_FALSE(hs_stack_knows_truth(oracle.stack));
    CU_ASSERT_EQUAL(ask(&oracle, job(7, 100 * S, 1)), 100 * S);
    teach(&oracle, job(7, 100 * S, -1), 30 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(7, 100 * S, 1)), 100 * S); /* one is not enough */
    teach(&oracle, job(8, 100 * S, -1), 2 * S);
    teach(&oracle, job(7, 50 * S, -1), 40 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(7, 100 * S, 1)), 35 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(7, 34 * S, 1)), 34 * S); /* never above the request */
    CU_ASSERT_EQUAL(ask(&oracle, job(7, HS_TIME_NEVER, 1)), 35 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(8, 100 * S, 1)), 100 * S);
    teach(&oracle, job(7, 100 * S, -1), 3);
    CU_ASSERT_EQUAL(ask(&oracle, job(7, 100 * S, 1)), 20 * S + 1); /* (40 s + 3 ns) / 2 */
    teach(&oracle, job(7, 100 * S, -1), 0);
    teach(&oracle, job(7, 100 * S, -1), 0);
    CU_ASSERT_EQUAL(ask(&oracle, job(7, 100 * S, 1)), 1);
    teach(&oracle, job(-1, 100 * S, -1), 5 * S); /* nobody's jobs have no history */
    teach(&oracle, job(-1, 100 * S, -1), 5 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(-1, 100 * S, 1)), 100 * S);
    teach(&oracle, job(9, HS_TIME_NEVER, -1), HS_TIME_NEVER - 1);
    teach(&oracle, job(9, HS_TIME_NEVER, -1), HS_TIME_NEVER - 1);
    CU_ASSERT_EQUAL(ask(&oracle, job(9, HS_TIME_NEVER, 1)), HS_TIME_NEVER - 1);
    end(&oracle);
}

/* Many users, far apart: each keeps its own. */
static void many_users(void)
{
    struct oracle oracle;

    begin(&oracle, "last-two", NULL, 0, 1);
    for (int round = 0; round < 2; round++) {
        for (int32_t i = 0; i < 3000; i++) {
            teach(&oracle, job(i * 700001, 1 << 20, -1), 100 * (i + round));
        }
    }
    for (int32_t i = 0; i < 3000; i++) {
        CU_ASSERT_EQUAL(ask(&oracle, job(i * 700001, 1 << 20, -1)), 100 * i + 50);
        CU_ASSERT_EQUAL(ask(&oracle, job(i * 700001 + 1, 1 << 20, -1)), 1 << 20);
    }
    end(&oracle);
}

/* With prior 1 and l = 1: x = (1, ln r, 0), theta = (0, 1, 0). After a run of p, with u = ln r:
 * P x = x, spread = 1 + (1 + u^2), theta += x / spread (ln p - u). */
static void least_squares(void)
{
    const struct hs_choice_param params[] = {{"forgetting", "1"}, {"least", "1"}};
    double u = log(1000.0);
    double gain = (log(100.0) - u) / (2 + u * u);
    double expected = gain + (1 + gain * u) * u;
    struct oracle oracle;

    begin(&oracle, "rls", params, 2, 1);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 1000 * S, -1)), 1000 * S);
    teach(&oracle, job(1, 1000 * S, -1), 100 * S);
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 1000 * S, -1)), (hs_time)ceil(exp(expected)) * S);
    /* Of another user: the filter of all has learned the same. */
    CU_ASSERT_EQUAL(ask(&oracle, job(2, 1000 * S, -1)), (hs_time)ceil(exp(expected)) * S);
    CU_ASSERT_TRUE(ask(&oracle, job(1, 5 * S, -1)) <= 5 * S);
    end(&oracle);
}

/* The second step, with the matrix that the first one has left: P = (I - x x' / s) / l. */
static void forgetting_factor(void)
{
    const struct hs_choice_param params[] = {{"forgetting", "0.9"}, {"prior", "1"}};
    const double l = 0.9;
    const double x[2] = {1, log(600.0)}; /* ln n is 0: the third feature never matters */
    double theta[2] = {0, 1};
    double p[2][2] = {{1, 0}, {0, 1}};
    const double runs[] = {60, 300, 20};
    struct oracle oracle;

    begin(&oracle, "rls", params, 2, 1);
    for (int run = 0; run < 3; run++) {
        double px[2], spread, error, trace = 0;
        double step = l;

        teach(&oracle, job(1, 600 * S, -1), (hs_time)runs[run] * S);
        px[0] = p[0][0] * x[0] + p[0][1] * x[1];
        px[1] = p[1][0] * x[0] + p[1][1] * x[1];
        spread = step + px[0] * x[0] + px[1] * x[1];
        /* The third diagonal element is 1 and grows by the forgetting alone. */
        for (int i = 0; i < 2; i++) {
            trace += (p[i][i] - px[i] * px[i] / spread) / step;
        }
        CU_ASSERT_TRUE(trace + 1 / (l * l * l) < 3); /* so the limit is not met in this test */
        error = log(runs[run]) - theta[0] * x[0] - theta[1] * x[1];
        for (int i = 0; i < 2; i++) {
            theta[i] += px[i] / spread * error;
            for (int j = 0; j < 2; j++) {
                p[i][j] = (p[i][j] - px[i] * px[j] / spread) / step;
            }
        }
    }
    CU_ASSERT_EQUAL(ask(&oracle, job(1, 600 * S, -1)),
                    (hs_time)ceil(exp(theta[0] * x[0] + theta[1] * x[1])) * S);
    end(&oracle);
}

/* Jobs of two classes that always run 60 s and 20 minutes: each class is learned for itself, a
 * model of its own too, and a class without a filter is answered for by that of all. */
static void classes_and_models(void)
{
    const struct hs_choice_param few = {"filters", "4"};
    struct hs_predict_question short_job = job(1, 3600 * S, -1);
    struct hs_predict_question long_job = job(1, 3600 * S, -1);
    struct hs_predict_question other = job(1, 3600 * S, -1);
    struct oracle oracle;
    hs_time mixed;

    short_job.job_class = 0;
    long_job.job_class = 1;
    other.job_class = 2;
    begin(&oracle, "rls", &few, 1, 1);
    for (int i = 0; i < 300; i++) {
        short_job.model = i % 2 ? "a100" : NULL;
        teach(&oracle, short_job, i % 2 ? 30 * S : 60 * S);
        teach(&oracle, long_job, 1200 * S);
    }
    short_job.model = "a100";
    CU_ASSERT_TRUE(llabs(ask(&oracle, short_job) - 30 * S) <= S);
    short_job.model = "v100"; /* not seen: the class answers, which is a mix of 30 s and 60 s */
    CU_ASSERT_TRUE(ask(&oracle, short_job) > 31 * S && ask(&oracle, short_job) < 60 * S);
    CU_ASSERT_TRUE(llabs(ask(&oracle, long_job) - 1200 * S) <= S);
    mixed = ask(&oracle, other);
    CU_ASSERT_TRUE(mixed > 60 * S && mixed < 1200 * S);
    /* All four filters are given away: the class has none even when it has been seen. */
    teach(&oracle, other, 3600 * S);
    teach(&oracle, other, 3600 * S);
    CU_ASSERT_TRUE(ask(&oracle, other) < 3600 * S);
    end(&oracle);
}

/* Equal jobs for ever, and extreme ones: numbers stay finite and answers in range. */
static void nothing_overflows(void)
{
    const struct hs_choice_param params[] = {{"forgetting", "0.5"}, {"prior", "1000000"}};
    struct oracle oracle;

    begin(&oracle, "rls", params, 2, 1);
    for (int i = 0; i < 20000; i++) {
        teach(&oracle, job(1, 3600 * S, -1), 100 * S);
    }
    CU_ASSERT_TRUE(llabs(ask(&oracle, job(1, 3600 * S, -1)) - 100 * S) <= S);
    for (int i = 0; i < 2000; i++) {
        struct hs_predict_question question = job(i % 3, i % 2 ? 1 : HS_TIME_NEVER, -1);
        hs_time answer;

        question.procs = i % 5 ? INT64_MAX : 1;
        teach(&oracle, question, i % 7 ? HS_TIME_NEVER - 1 : 0);
        answer = ask(&oracle, question);
        CU_ASSERT_TRUE(answer >= 1 && answer <= question.request_ns);
    }
    end(&oracle);
}

static void corrections(void)
{
    static const int64_t steps_s[] = {60,    300,   900,    1800,   3600,   7200,  18000,
                                      36000, 72000, 180000, 360000, 360000, 360000};
    hs_time expected = 10 * S;

    for (uint32_t i = 0; i < sizeof steps_s / sizeof steps_s[0]; i++) {
        hs_time next = hs_predict_corrected(expected, i, HS_TIME_NEVER);

        CU_ASSERT_EQUAL(next, expected + steps_s[i] * S);
        CU_ASSERT_EQUAL(hs_predict_corrected(expected, i, next - 1), next - 1);
        expected = next;
    }
    CU_ASSERT_EQUAL(hs_predict_corrected(50 * S, 0, 50 * S), 50 * S);
    CU_ASSERT_EQUAL(hs_predict_corrected(90 * S, 3, 50 * S), 90 * S); /* beyond the request */
    CU_ASSERT_EQUAL(hs_predict_corrected(HS_TIME_NEVER - 5, 0, HS_TIME_NEVER), HS_TIME_NEVER);
}

/* Three nodes: job 1 holds two and is expected to end at 10, job 2 (wide) is the head. Job 3 (one
 * node, 12 s) would delay it, unless the host says that job 1 will run until 20. */
static void an_end_is_corrected(void)
{
    struct hs_job_spec jobs[] = {fixture_job(1, 0, 2, 10), fixture_job(2, 1, 3, 5),
                                 fixture_job(3, 1, 1, 12)};
    struct hs_event event = {.kind = HS_EVENT_EXPECTED, .expected_end_ns = 20 * S};
    char text[64];
    struct fixture f;

    fixture_init(&f, 3, 1, HS_MEM_UNLIMITED, NULL, "easy");
    CU_ASSERT_EQUAL(fixture_submit(&f, &jobs[0]), HS_OK);
    event.key = jobs[0].key;
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 0, &event, &f.error), HS_ERR_STATE); /* waits */
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, true), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &jobs[1]), HS_OK);
    CU_ASSERT_EQUAL(fixture_submit(&f, &jobs[2]), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 1, true), HS_OK);
    CU_ASSERT_STRING_EQUAL(fixture_starts(&f, text, sizeof text), "");
    CU_ASSERT_FALSE(hs_sched_wants_pass(f.sched));
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 2 * S, &event, &f.error), HS_OK);
    CU_ASSERT_TRUE(hs_sched_wants_pass(f.sched));
    CU_ASSERT_EQUAL(event.job->expected_end_ns, 20 * S);
    CU_ASSERT_EQUAL(fixture_decide(&f, 2, true), HS_OK);
    CU_ASSERT_STRING_EQUAL(fixture_starts(&f, text, sizeof text), "3");
    event.expected_end_ns = 2 * S - 1; /* the past: refused, and nothing changes */
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 2 * S, &event, &f.error), HS_ERR_STATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(f.error.text, "cannot be expected to end in the past"));
    CU_ASSERT_EQUAL(hs_sched_find(f.sched, jobs[0].key)->expected_end_ns, 20 * S);
    event.key = jobs[1].key; /* waits */
    event.expected_end_ns = 30 * S;
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 2 * S, &event, &f.error), HS_ERR_STATE);
    event.key.id = 77;
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 2 * S, &event, &f.error), HS_ERR_STATE);
    fixture_fini(&f);
}

/* Starts what waits, and at 40 s stops what runs. */
static void stopper_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    (void)self;
    if (hs_view_now(view) == 40 * S) {
        CU_ASSERT_EQUAL(count, 1);
        CU_ASSERT_TRUE(hs_plan_preempt(plan, running[0]));
        return;
    }
    for (const struct hs_job *it = hs_view_first(view); it; it = hs_view_next(view, it)) {
        (void)hs_plan_start(plan, it);
    }
}

static const struct hs_policy stopper = {
    HS_POLICY_HEADER,
    .name = "stopper",
    .summary = "stops what runs at 40 s",
    .schedule = stopper_schedule,
    .flags = HS_POLICY_PREEMPTS,
};

/* Predicted for 10 s, corrected to 70 s and stopped after 40 s: 30 s are left. */
static void what_is_left(void)
{
    static const struct hs_policy *const policies[] = {&stopper, NULL};
    const struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof plugin, .policies = policies};
    const struct hs_job_spec jobs[] = {fixture_job(1, 0, 1, 10), fixture_job(2, 40, 1, 5)};
    struct hs_event event = {
        .kind = HS_EVENT_EXPECTED, .key = jobs[0].key, .expected_end_ns = 70 * S};
    const struct hs_job *stopped;
    struct fixture f;

    fixture_init(&f, 1, 1, HS_MEM_UNLIMITED, &plugin, "stopper");
    CU_ASSERT_EQUAL(fixture_submit(&f, &jobs[0]), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 0, true), HS_OK);
    CU_ASSERT_EQUAL(hs_sched_event(f.sched, 10 * S, &event, &f.error), HS_OK);
    CU_ASSERT_EQUAL(event.job->walltime_ns, 70 * S);
    CU_ASSERT_EQUAL(fixture_submit(&f, &jobs[1]), HS_OK);
    CU_ASSERT_EQUAL(fixture_decide(&f, 40, true), HS_OK);
    stopped = hs_sched_find(f.sched, jobs[0].key);
    CU_ASSERT_EQUAL(stopped->state, HS_JOB_PENDING);
    CU_ASSERT_EQUAL(stopped->walltime_ns, 30 * S);
    fixture_fini(&f);
}

/* A plug-in list of an earlier header, which ends before the predictors. */
static void older_lists(void)
{
    struct hs_predictor old = {
        .abi = HS_ABI,
        .size = (uint32_t)offsetof(struct hs_predictor, flags),
        .name = "old",
        .summary = "from an older header",
        .flags = HS_PREDICT_TRUTH, /* behind its end */
    };
    const struct hs_predictor *list[] = {&old, NULL};
    struct hs_plugin plugin = {.abi = HS_ABI,
                               .size = (uint32_t)offsetof(struct hs_plugin, predictors),
                               .orders = hp_builtin.orders,
                               .predictors = list};
    struct hs_registry *registry = hs_registry_create();
    struct hs_choice choice = {.name = "fcfs", .predictor = "old"};
    struct hs_stack *stack = NULL;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "old.so", &error), HS_OK);
    CU_ASSERT_EQUAL(hs_registry_count(registry, HS_KIND_PREDICT), 0);
    plugin.size = sizeof plugin;
    plugin.orders = NULL;
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "new.so", &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "The predictor 'old' of new.so lacks its function"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "(predict)"));
    old.predict = hp_builtin.predictors[0]->predict;
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "new.so", &error), HS_OK);
    plugin =
        (struct hs_plugin){.abi = HS_ABI, .size = sizeof plugin, .reserves = hp_builtin.reserves};
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "rules", &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(registry, &choice, &stack, &error), HS_OK);
    CU_ASSERT_TRUE(hs_stack_predicts(stack));
    CU_ASSERT_FALSE(hs_stack_knows_truth(stack));
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
}

static const struct unit_test tests[] = {
    {"request and oracle", what_is_known},
    {"factor, fixed and drawn", factors},
    {"last-two", last_two},
    {"last-two of many users", many_users},
    {"rls: one step", least_squares},
    {"rls: steps with forgetting", forgetting_factor},
    {"rls: classes and models", classes_and_models},
    {"rls: nothing overflows", nothing_overflows},
    {"the steps of corrections", corrections},
    {"an expected end is corrected", an_end_is_corrected},
    {"what is left of a corrected job", what_is_left},
    {"older lists have no predictors", older_lists},
};

UNIT_MAIN("core: predictors", tests)
