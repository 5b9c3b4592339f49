/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes.c - the model `mix`: shares, means and load of what it draws, draws that do not depend on
 * each other, the scarcest resource, and classes that a platform cannot serve. */
#include "support.h"
#include "workload/bottleneck.h"

#define JOBS 200000

static struct hs_error error;

/* n0 and n1: 8 cores, 2 a100 each; n2: 8 cores, 4 t4. */
static struct hs_cluster *cluster_make(void)
{
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    for (int node = 0; node < 3; node++) {
        char name[8];

        (void)snprintf(name, sizeof name, "n%d", node);
        CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, name, 8000, INT64_C(1) << 36, &error));
        for (int device = 0; device < (node < 2 ? 2 : 4); device++) {
            CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", node < 2 ? "a100" : "t4", 0,
                                                   node < 2 ? 40 : 16, &error));
        }
    }
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, &error));
    return cluster;
}

static struct workload_options options_make(const struct hs_cluster *cluster,
                                            const struct workload_class *classes, size_t count)
{
    struct workload_options options;

    workload_options_defaults(&options);
    options.is_generated = true;
    options.model = WORKLOAD_MODEL_MIX;
    options.lublin.jobs = JOBS;
    options.cluster = cluster;
    options.machine_procs = 24;
    options.classes.list = classes;
    options.classes.count = count;
    options.classes.load = 0.8;
    options.seed = 7;
    return options;
}

#define CLASS(name_, demand_, weight_)                                                             \
    .name = (name_), .demand = (demand_), .weight = (weight_), .estimate = 1

static void test_bottleneck(void)
{
    struct hs_cluster *cluster = cluster_make();
    struct hs_demand plain = {.tasks = 2, .cores_milli = 4000, .device_share = 1000};
    struct hs_demand any = {.tasks = 1,
                            .cores_milli = 100,
                            .device_count = 2,
                            .device_share = 500,
                            .device_kind = HS_ANY_KIND};
    struct hs_demand large = any, model = any;
    struct bottleneck found;
    struct bottleneck_class classes[] = {{&plain, 30}, {&any, 40}, {&large, 20}, {&model, 10}};

    large.device_mem = 20; /* only an a100 has so much */
    model.model_count = 1;
    model.models[0] = 1; /* t4 */
    model.device_share = 1000;
    CU_ASSERT_FATAL(!bottleneck_find(cluster, 24, classes, 1, &found, &error));
    CHECK_NEAR(found.load_per_rate, 30 * 8.0 / 24, 1e-12);
    CHECK_INT(found.class_index == SIZE_MAX, true);
    /* any of 8: (40 + 20 + 2 x 10) / 8; a100: 20 / 4; t4: 2 x 10 / 4 */
    CU_ASSERT_FATAL(!bottleneck_find(cluster, 24, classes + 1, 3, &found, &error));
    CHECK_NEAR(found.load_per_rate, 10, 1e-12);
    CHECK_INT(found.class_index, 0);
    classes[2].seconds = 100; /* a100: 100 / 4, any: 160 / 8 */
    CU_ASSERT_FATAL(!bottleneck_find(cluster, 24, classes + 1, 3, &found, &error));
    CHECK_NEAR(found.load_per_rate, 25, 1e-12);
    CHECK_INT(found.class_index, 1);
    plain.mem_bytes = INT64_C(1) << 36; /* two of three nodes full of memory */
    CU_ASSERT_FATAL(!bottleneck_find(cluster, 24, classes, 1, &found, &error));
    CHECK_NEAR(found.load_per_rate, 20, 1e-12);
    CHECK_INT(found.is_memory, true);
    large.device_mem = 41;
    CHECK_INT(bottleneck_find(cluster, 24, classes, 3, &found, &error), HS_ERR_CONFIG);
    CHECK_INT(found.class_index, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "its device-mem is "));
    large.features = UINT64_C(1) << 63;
    CHECK_INT(bottleneck_find(cluster, 24, classes, 3, &found, &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "the kind, the model and the features together"));
    hs_cluster_destroy(cluster);
}

struct moments {
    int64_t jobs[4];
    double run_s[4], square[4];
    double device_s, span_s;
    hs_time shortest_ns[4], longest_ns[4];
};

static void measure(const struct workload_options *options, struct moments *moments)
{
    struct workload *workload;
    struct workload_job job;
    bool has_job = true;
    hs_time last_ns = 0;

    *moments = (struct moments){0};
    CU_ASSERT_FATAL(!workload_open(options, &workload, &error));
    while (!workload_next(workload, &job, &has_job, &error) && has_job) {
        int class = job.job_class;
        double run_s = (double)job.run_ns / 1e9;
        bool is_first = moments->jobs[class]++ == 0;

        CU_ASSERT(job.submit_ns >= last_ns);
        last_ns = job.submit_ns;
        moments->run_s[class] += run_s;
        moments->square[class] += run_s * run_s;
        moments->device_s +=
            run_s * job.demand.tasks * job.demand.device_count * job.demand.device_share / 1000.0;
        moments->shortest_ns[class] = is_first || job.run_ns < moments->shortest_ns[class]
                                          ? job.run_ns
                                          : moments->shortest_ns[class];
        moments->longest_ns[class] =
            job.run_ns > moments->longest_ns[class] ? job.run_ns : moments->longest_ns[class];
        if (class == 1) {
            CHECK_INT(job.walltime_ns, (job.run_ns / 1000000 * 5 + 1) / 2 * 1000000);
        }
    }
    moments->span_s = (double)last_ns / 1e9;
    workload_close(workload);
}

static void test_draws(void)
{
    struct hs_cluster *cluster = cluster_make();
    struct workload_class classes[] = {
        {CLASS("fixed", "gpu=0.5", 1), .run = {WORKLOAD_RUN_FIXED, 100 * S, 0, 0, 0}},
        {CLASS("exponential", "gpu:a100=1", 2),
         .run = {WORKLOAD_RUN_EXPONENTIAL, 1000 * S, 0, 0, 0}},
        {CLASS("lognormal", "2x gpu=1", 3), .run = {WORKLOAD_RUN_LOGNORMAL, 500 * S, 1.5, 0, 0}},
        {CLASS("uniform", "cores=8", 4), .run = {WORKLOAD_RUN_UNIFORM, 0, 0, 10 * S, 30 * S}},
    };
    struct workload_options options = options_make(cluster, classes, 4);
    struct moments moments;
    double mean;

    classes[1].estimate = 2.5;
    measure(&options, &moments);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR((double)moments.jobs[i], JOBS * (i + 1) / 10.0, 1200);
    }
    CHECK_NEAR(moments.run_s[0] / (double)moments.jobs[0], 100, 1e-6);
    CHECK_NEAR(moments.run_s[1] / (double)moments.jobs[1], 1000, 20);
    mean = moments.run_s[2] / (double)moments.jobs[2];
    CHECK_NEAR(mean, 500, 15);
    CHECK_NEAR(sqrt(moments.square[2] / (double)moments.jobs[2] - mean * mean) / mean, 1.5, 0.1);
    CHECK_NEAR(moments.run_s[3] / (double)moments.jobs[3], 20, 0.1);
    CU_ASSERT(moments.shortest_ns[3] >= 10 * S && moments.longest_ns[3] <= 30 * S);
    /* a100: 200 s / 4 a job; any: (5 + 200 + 300) / 8 = 63.1 is more */
    CHECK_NEAR(moments.device_s / (8 * moments.span_s), 0.8, 0.02);
    hs_cluster_destroy(cluster);
}

/* The load counts the means of what is really drawn, also where limits cut the distributions. */
static void test_limits(void)
{
    static const enum workload_distribution distributions[] = {
        WORKLOAD_RUN_FIXED, WORKLOAD_RUN_EXPONENTIAL, WORKLOAD_RUN_LOGNORMAL};
    struct workload_class class = {CLASS("a", "cores=3", 1)};
    struct workload_options options = options_make(NULL, &class, 1);

    for (size_t i = 0; i < 3; i++) {
        struct moments moments;

        class.run.distribution = distributions[i];
        class.run.mean_ns = 1000 * S;
        class.run.cv = 2;
        class.run.min_ns = 600 * S;
        class.run.max_ns = 2000 * S;
        measure(&options, &moments);
        CU_ASSERT(moments.shortest_ns[0] >= 600 * S && moments.longest_ns[0] <= 2000 * S);
        CHECK_NEAR(3 * moments.run_s[0] / (24 * moments.span_s), 0.8, 0.01);
        class.run.max_ns = 0;
        measure(&options, &moments);
        CHECK_NEAR(3 * moments.run_s[0] / (24 * moments.span_s), 0.8, 0.02);
    }
    options.classes.load = 0;
    options.classes.rate = 7200;
    {
        struct moments moments;

        measure(&options, &moments);
        CHECK_NEAR(JOBS / moments.span_s, 2, 0.02);
    }
}

/* Every draw has its own key: a change of one class leaves all else as it was. */
static void test_keyed(void)
{
    struct workload_class classes[] = {
        {CLASS("a", "1x", 1), .run = {WORKLOAD_RUN_EXPONENTIAL, 100 * S, 0, 0, 0}},
        {CLASS("b", "2x", 1), .run = {WORKLOAD_RUN_EXPONENTIAL, 100 * S, 0, 0, 0}},
    };
    struct workload_options options = options_make(NULL, classes, 2);
    static struct stream first, second;
    int64_t differing = 0;

    options.lublin.jobs = 1000;
    options.classes.load = 0;
    options.classes.rate = 60;
    stream_read(&first, &options);
    stream_read(&second, &options);
    CHECK_INT(first.count, 1000);
    CU_ASSERT(!memcmp(first.jobs, second.jobs, first.count * sizeof first.jobs[0]));
    CU_ASSERT(first.stats.is_clairvoyant);
    classes[1].run.distribution = WORKLOAD_RUN_FIXED;
    classes[1].demand = "3x";
    stream_read(&second, &options);
    for (size_t i = 0; i < second.count; i++) {
        CHECK_INT(second.jobs[i].submit_ns, first.jobs[i].submit_ns);
        CHECK_INT(second.jobs[i].job_class, first.jobs[i].job_class);
        if (first.jobs[i].job_class == 0) {
            CHECK_INT(second.jobs[i].run_ns, first.jobs[i].run_ns);
        }
    }
    options.seed = 8;
    stream_read(&second, &options);
    for (size_t i = 0; i < second.count; i++) {
        differing += second.jobs[i].submit_ns != first.jobs[i].submit_ns;
    }
    CU_ASSERT(differing > 990);
}

static void check_refused(const struct workload_options *options, const char *part)
{
    static struct stream stream;

    stream_read(&stream, options);
    CHECK_INT(stream.err, HS_ERR_CONFIG);
    check_has(stream.error.text, part, __LINE__);
}

static void test_errors(void)
{
    struct hs_cluster *cluster = cluster_make();
    struct workload_class class = {CLASS("train", "gpu:a1000=1", 1),
                                   .run = {WORKLOAD_RUN_FIXED, S, 0, 0, 0}};
    struct workload_options options = options_make(cluster, &class, 1);

    check_refused(&options, "class 'train': the demand 'gpu:a1000=1' cannot be met: no node has a "
                            "device of model 'a1000' (did you mean 'a100'?)");
    class.demand = "gpu=1 device-mem=41";
    check_refused(&options, "class 'train': the demand 'gpu=1 device-mem=41' cannot be met: its "
                            "device-mem is 4.1e-08 GB, and the largest such device has 4e-08 GB");
    class.demand = "coers=3";
    check_refused(&options, "class 'train': demand, column 1: 'coers'");
    class.demand = "1x";
    options.classes.rate = 1;
    check_refused(&options, "either load");
    options.classes.rate = 0;
    class.run.max_ns = 1;
    class.run.min_ns = 2;
    check_refused(&options, "run.max is below run.min");
    class.run.distribution = WORKLOAD_RUN_UNIFORM;
    class.run.mean_ns = class.run.min_ns = class.run.max_ns = 0;
    check_refused(&options, "a uniform run time has run.min and run.max");
    class.run.distribution = WORKLOAD_RUN_LOGNORMAL;
    check_refused(&options, "run.mean is missing");
    class.run.mean_ns = S;
    class.weight = 0;
    check_refused(&options, "weight is above 0");
    class.weight = 1;
    class.estimate = 0.5;
    check_refused(&options, "estimate is 1 to");
    options.classes.count = 0;
    check_refused(&options, "needs classes");
    options.classes.count = 1;
    class.estimate = 1;
    class.run.mean_ns = 3000000000 * S;
    options.classes.load = 1e-6;
    check_refused(&options, "more than a trace can hold");
    options.cluster = NULL;
    options.machine_procs = 0;
    check_refused(&options, "Give `rate` instead");
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"scarcest resource", test_bottleneck},
    {"draws", test_draws},
    {"limits of run times", test_limits},
    {"draws have keys", test_keyed},
    {"errors", test_errors},
};

UNIT_MAIN("workload classes", tests)
