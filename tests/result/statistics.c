/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statistics.c - distributions against sorted arrays: ties, many values, more than one chunk. */
#include <math.h>

#include "fake.h"
#include "result/quantile.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Nearest rank: the smallest value such that at least so many percent are not above it. */
static double plain_quantile(const double *sorted, size_t count, unsigned percent)
{
    size_t rank = (count * percent + 99) / 100;

    return sorted[rank - 1];
}

/* The search by digits, with the readings that it asks for. */
static double found_quantile(const double *values, size_t count, unsigned percent)
{
    struct quantile_counts counts;
    struct quantile quantile;
    int readings = 0;

    CU_ASSERT_EQUAL_FATAL(quantile_counts_init(&counts, NULL), HS_OK);
    for (size_t i = 0; i < count; i++) {
        quantile_counts_add(&counts, values[i]);
    }
    CU_ASSERT_EQUAL_FATAL(quantile_init(&quantile, &counts, percent, NULL), HS_OK);
    do {
        quantile_add(&quantile, values, count);
        readings++;
    } while (!quantile_step(&quantile));
    CU_ASSERT(readings <= 3);
    quantile_fini(&quantile);
    quantile_counts_fini(&counts);
    return quantile.value;
}

enum shape { SHAPE_TIES, SHAPE_WIDE, SHAPE_CLOSE, SHAPE_EQUAL, SHAPE_COUNT };

static double draw(enum shape shape, uint64_t *state)
{
    uint64_t bits = next_random(state);

    switch (shape) {
    case SHAPE_TIES:
        return (double)(bits % 7);
    case SHAPE_WIDE:
        return ldexp((double)(bits % 1000003), (int)(bits >> 58) - 30);
    case SHAPE_CLOSE: /* differ in the last bits only */
        return 1 + (double)(bits % 100003) * 0x1p-52;
    case SHAPE_EQUAL:
    case SHAPE_COUNT:
        break;
    }
    return 1;
}

static void test_quantiles(void)
{
    static const unsigned percents[] = {1, 50, 90, 95, 99, 100};
    static const size_t counts[] = {1, 2, 3, 100, 65536, 65537, 300000};
    double *values = malloc(300000 * sizeof *values);
    double *sorted = malloc(300000 * sizeof *sorted);
    uint64_t state = 88172645463325252u;

    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            for (size_t i = 0; i < counts[c]; i++) {
                values[i] = draw((enum shape)shape, &state);
            }
            memcpy(sorted, values, counts[c] * sizeof *values);
            qsort(sorted, counts[c], sizeof *sorted, compare_doubles);
            for (size_t p = 0; p < sizeof percents / sizeof percents[0]; p++) {
                CU_ASSERT_EQUAL(found_quantile(values, counts[c], percents[p]),
                                plain_quantile(sorted, counts[c], percents[p]));
            }
        }
    }
    free(values);
    free(sorted);
}

/* 150,000 jobs: three chunks of the file. A third of them is measured. */
#define JOB_COUNT 150000u

static struct fake_job *many_jobs(void)
{
    struct fake_job *jobs = calloc(JOB_COUNT, sizeof *jobs);
    uint64_t state = 42;

    for (size_t i = 0; i < JOB_COUNT; i++) {
        struct fake_job *job = &jobs[i];

        job->submit = (int64_t)i * 3;
        job->start =
            job->submit + (int64_t)(next_random(&state) % 5 * (next_random(&state) % 40000));
        job->end = job->start + (int64_t)(next_random(&state) % 2000);
        job->procs = 1 + (int64_t)(next_random(&state) % 64);
        job->state = next_random(&state) % 10 ? RESULT_FINISHED : RESULT_KILLED;
        job->span_count = 0;
    }
    return jobs;
}

/* Mean, deviation, quantiles and maximum of the values, done plainly. */
static void expect_distribution(const struct result_summary *summary, const char *name,
                                const char *suffix, double *values, size_t count)
{
    static const char *const names[] = {"median", "p90", "p95", "p99", "max"};
    static const unsigned percents[] = {50, 90, 95, 99, 100};
    char metric[64];
    long double sum = 0;
    long double squares = 0;

    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        sum += (long double)values[i];
    }
    for (size_t i = 0; i < count; i++) {
        long double offset = (long double)values[i] - sum / (long double)count;

        squares += offset * offset;
    }
    for (int i = 0; i < 5; i++) {
        (void)snprintf(metric, sizeof metric, "%s_%s%s", name, names[i], suffix);
        CU_ASSERT_EQUAL(result_summary_get(summary, metric),
                        plain_quantile(values, count, percents[i]));
    }
    (void)snprintf(metric, sizeof metric, "%s_mean%s", name, suffix);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(summary, metric) / (double)(sum / (long double)count),
                           1, 1e-15);
    (void)snprintf(metric, sizeof metric, "%s_std%s", name, suffix);
    CU_ASSERT_DOUBLE_EQUAL(result_summary_get(summary, metric) /
                               (double)sqrtl(squares / (long double)(count - 1)),
                           1, 1e-14);
}

#define FROM 150000
#define TO   299997

static void check_summary(const struct result_summary *summary, const struct fake_job *jobs)
{
    double *values[4];
    size_t count = 0;
    size_t run_count = 0;

    for (int k = 0; k < 4; k++) {
        values[k] = malloc(JOB_COUNT * sizeof(double));
    }
    for (size_t i = 0; i < JOB_COUNT; i++) {
        double turnaround = (double)(jobs[i].end - jobs[i].submit);
        double run = (double)(jobs[i].end - jobs[i].start);

        if (jobs[i].submit < FROM || jobs[i].submit > TO) {
            continue;
        }
        values[0][count] = (double)(jobs[i].start - jobs[i].submit);
        values[1][count] = turnaround;
        values[2][count] = fmax(1, turnaround / fmax(run, 10));
        count++;
        if (run > 0) {
            values[3][run_count++] = turnaround / run;
        }
    }
    CU_ASSERT_EQUAL(result_summary_get(summary, "jobs_measured"), (double)count);
    expect_distribution(summary, "wait", "_s", values[0], count);
    expect_distribution(summary, "turnaround", "_s", values[1], count);
    expect_distribution(summary, "bsld", "", values[2], count);
    expect_distribution(summary, "slowdown", "", values[3], run_count);
    for (int k = 0; k < 4; k++) {
        free(values[k]);
    }
}

static void test_summary(void)
{
    struct fake_job *jobs = many_jobs();
    struct hs_cluster *cluster = fake_cluster(1, 1000000);
    struct result_meta meta = fake_meta(cluster);
    char path[256];

    meta.measure_from_ns = FROM * S;
    meta.measure_to_ns = TO * S;
    for (int i = 0; i < 3; i++) {
        struct result_options options = {.path = i == 2 ? NULL : fake_path("many.h5", path),
                                         .is_forced = true,
                                         .compression = i,
                                         .has_allocations = true};
        struct result_summary summary;

        fake_result(&options, &meta, jobs, JOB_COUNT, &summary);
        check_summary(&summary, jobs);
        result_summary_fini(&summary);
    }
    (void)unlink(path);
    hs_cluster_destroy(cluster);
    free(jobs);
}

/* Waits whose sum is beyond 64 bits are added up exactly. */
static void test_long_waits(void)
{
    static struct fake_job jobs[1001];
    struct hs_cluster *cluster = fake_cluster(1, 2000);
    struct result_meta meta = fake_meta(cluster);
    struct result_options options = {0};
    struct result_summary summary;

    for (int64_t i = 0; i < 1001; i++) {
        jobs[i] = (struct fake_job){
            .submit = i, .start = i + 9000000000, .end = i + 9000000001, .procs = 1};
    }
    fake_result(&options, &meta, jobs, 1001, &summary);
    CU_ASSERT_EQUAL(result_summary_get(&summary, "wait_mean_s"), 9e9);
    CU_ASSERT_EQUAL(result_summary_get(&summary, "wait_std_s"), 0);
    CU_ASSERT_EQUAL(result_summary_get(&summary, "turnaround_mean_s"), 9000000001.0);
    result_summary_fini(&summary);
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"quantiles", test_quantiles},
    {"summary", test_summary},
    {"long waits", test_long_waits},
};

UNIT_MAIN("result statistics", tests)
