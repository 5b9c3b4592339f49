/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lublin.c - the generator against its model: shares, moments, distributions, daily cycle, and the
 * output of the model's authors' program where it is at hand. */
#include <gsl/gsl_cdf.h>

#include "shared.h"
#include "support.h"

#define JOBS       50000
#define NODES      256
#define SLOTS      48
#define LN_MAX     12.0
#define LN_GAP_MAX 13.0
#define KS_BOUND   1.63 /* of sqrt(n) D at the 1 % level */
#define SEED_LAST  3

struct sample {
    size_t count;
    int64_t submit_s[JOBS], run_s[JOBS], size[JOBS];
};

static struct sample sample, other;

static void sample_read(struct sample *into, const struct workload_options *options)
{
    struct hs_error error = {0};
    struct workload *workload;

    CU_ASSERT_FATAL(workload_open(options, &workload, &error) == HS_OK);
    for (into->count = 0; into->count < JOBS; into->count++) {
        struct workload_job job;
        bool has_job;

        CU_ASSERT_FATAL(workload_next(workload, &job, &has_job, &error) == HS_OK);
        if (!has_job) {
            break;
        }
        CHECK_INT(job.submit_ns % S, 0);
        into->submit_s[into->count] = job.submit_ns / S;
        into->run_s[into->count] = job.run_ns / S;
        into->size[into->count] = (int64_t)job.demand.tasks;
    }
    workload_close(workload);
}

static void options_set(struct workload_options *options, uint64_t seed)
{
    workload_options_defaults(options);
    options->is_generated = true;
    options->lublin.jobs = JOBS;
    options->lublin.nodes = NODES;
    options->seed = seed;
}

static int compare(const void *left, const void *right)
{
    const int64_t *one = left, *two = right;

    return (*one > *two) - (*one < *two);
}

struct distribution {
    struct workload_lublin model;
    double first, second; /* weights of the two gammas of ln run time, over all sizes */
};

/* Largest distance between the values, sorted here, and a distribution of whole numbers. */
static double distance(int64_t *values, size_t count,
                       double (*at_most)(const struct distribution *, int64_t),
                       const struct distribution *distribution)
{
    double largest = 0;

    qsort(values, count, sizeof *values, compare);
    /* The distribution steps at each whole number; only the ends of equal values matter. */
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i - 1] != values[i]) {
            double below = (double)i / (double)count;

            largest = fmax(largest, fabs(below - at_most(distribution, values[i] - 1)));
        }
        if (i + 1 == count || values[i + 1] != values[i]) {
            double with = (double)(i + 1) / (double)count;

            largest = fmax(largest, fabs(with - at_most(distribution, values[i])));
        }
    }
    return largest;
}

/* Largest distance between two samples, sorted here. */
static double distance2(int64_t *left, size_t left_count, int64_t *right, size_t right_count)
{
    size_t i = 0, j = 0;
    double largest = 0;

    qsort(left, left_count, sizeof *left, compare);
    qsort(right, right_count, sizeof *right, compare);
    while (i < left_count && j < right_count) {
        int64_t value = left[i] < right[j] ? left[i] : right[j];

        while (i < left_count && left[i] == value) {
            i++;
        }
        while (j < right_count && right[j] == value) {
            j++;
        }
        largest =
            fmax(largest, fabs((double)i / (double)left_count - (double)j / (double)right_count));
    }
    return largest;
}

/* Two-stage uniform. */
static double exponent_cdf(const struct workload_lublin *model, double x)
{
    double high = log2(NODES), medium = high - model->u_med_offset, low = model->u_low;

    if (x <= low) {
        return 0;
    }
    if (x <= medium) {
        return model->u_probability * (x - low) / (medium - low);
    }
    if (x <= high) {
        return model->u_probability + (1 - model->u_probability) * (x - medium) / (high - medium);
    }
    return 1;
}

static double size_cdf(const struct distribution *distribution, int64_t size)
{
    const struct workload_lublin *model = &distribution->model;
    double other_probability = 1 - model->serial_probability - model->power2_probability;

    if (size < 1 || size >= NODES) {
        return size >= NODES;
    }
    return model->serial_probability +
           model->power2_probability * exponent_cdf(model, floor(log2((double)size)) + 0.5) +
           other_probability * exponent_cdf(model, log2((double)size + 0.5));
}

/* The mixture differs from size to size and is truncated for each. */
static void distribution_set(struct distribution *distribution, const struct workload_lublin *model)
{
    double first_all = gsl_cdf_gamma_P(LN_MAX, model->a1, model->b1);
    double second_all = gsl_cdf_gamma_P(LN_MAX, model->a2, model->b2);

    *distribution = (struct distribution){.model = *model};
    for (int64_t size = 1; size <= NODES; size++) {
        double share = size_cdf(distribution, size) - size_cdf(distribution, size - 1);
        double p = fmax(0, fmin(1, model->pa * (double)size + model->pb));
        double all = p * first_all + (1 - p) * second_all;

        distribution->first += share * p / all;
        distribution->second += share * (1 - p) / all;
    }
}

/* Run times, cut to seconds. */
static double run_cdf(const struct distribution *distribution, int64_t run_s)
{
    const struct workload_lublin *model = &distribution->model;
    double ln_run = fmin(log((double)run_s + 1), LN_MAX);

    return distribution->first * gsl_cdf_gamma_P(ln_run, model->a1, model->b1) +
           distribution->second * gsl_cdf_gamma_P(ln_run, model->a2, model->b2);
}

static void test_sizes(void)
{
    for (uint64_t seed = 1; seed <= SEED_LAST; seed++) {
        struct workload_options options;
        struct distribution distribution;
        double serial = 0, power2 = 0, expected_power2 = 0;

        options_set(&options, seed);
        distribution_set(&distribution, &options.lublin);
        sample_read(&sample, &options);
        CHECK_INT(sample.count, JOBS);
        for (size_t i = 0; i < JOBS; i++) {
            int64_t size = sample.size[i];

            CU_ASSERT(size >= 1 && size <= NODES);
            serial += size == 1;
            power2 += size > 1 && (size & (size - 1)) == 0;
        }
        for (int64_t size = 2; size <= NODES; size *= 2) {
            expected_power2 += size_cdf(&distribution, size) - size_cdf(&distribution, size - 1);
        }
        /* Four standard errors of a share. */
        CHECK_NEAR(serial / JOBS, 0.244, 4 * sqrt(0.244 * 0.756 / JOBS));
        CU_ASSERT(expected_power2 > 0.576);
        CHECK_NEAR(power2 / JOBS, expected_power2, 4 * sqrt(0.24 / JOBS));
        CHECK_NEAR(distance(sample.size, JOBS, size_cdf, &distribution), 0, KS_BOUND / sqrt(JOBS));
    }
}

static void test_runs(void)
{
    for (uint64_t seed = 1; seed <= SEED_LAST; seed++) {
        struct workload_options options;
        struct distribution distribution;

        options_set(&options, seed);
        distribution_set(&distribution, &options.lublin);
        sample_read(&sample, &options);
        CHECK_NEAR(distance(sample.run_s, JOBS, run_cdf, &distribution), 0, KS_BOUND / sqrt(JOBS));
        CU_ASSERT(sample.run_s[0] >= 1 && sample.run_s[JOBS - 1] <= 162754);
    }
}

/* E[X^k; X <= 12] of a gamma, k = 0, 1, 2. */
static double gamma_moment(double a, double b, int k)
{
    double factor = k == 0 ? 1 : k == 1 ? a * b : a * (a + 1) * b * b;

    return factor * gsl_cdf_gamma_P(LN_MAX, a + k, b);
}

/* Mean and variance of ln run time with a mixture that does not depend on the size. */
static void test_run_moments(void)
{
    static const double mixtures[] = {0, 0.3, 0.78, 1};

    for (size_t i = 0; i < sizeof mixtures / sizeof mixtures[0]; i++) {
        struct workload_options options;
        double p = mixtures[i], moments[3], mean, variance, sum = 0, squares = 0;

        options_set(&options, 11 + i);
        options.lublin.pa = 0;
        options.lublin.pb = p;
        sample_read(&sample, &options);
        for (size_t j = 0; j < JOBS; j++) {
            double ln_run = log((double)sample.run_s[j] + 0.5); /* cut to seconds */

            sum += ln_run;
            squares += ln_run * ln_run;
        }
        for (int k = 0; k < 3; k++) {
            moments[k] = p * gamma_moment(options.lublin.a1, options.lublin.b1, k) +
                         (1 - p) * gamma_moment(options.lublin.a2, options.lublin.b2, k);
        }
        mean = moments[1] / moments[0];
        variance = moments[2] / moments[0] - mean * mean;
        CHECK_NEAR(sum / JOBS, mean, 4 * sqrt(variance / JOBS) + 0.01);
        CHECK_NEAR(squares / JOBS - sum / JOBS * sum / JOBS, variance, 0.03 * variance + 0.01);
    }
}

/* Share of each half-hour in the arrivals, as the model has it. */
static double slot_share(const struct workload_lublin *model, int slot)
{
    int i = slot + 1 < 11 ? slot + 1 + SLOTS : slot + 1;
    double all = gsl_cdf_gamma_P(58.5, model->a_num, model->b_num) -
                 gsl_cdf_gamma_P(10.5, model->a_num, model->b_num);

    return (gsl_cdf_gamma_P(i + 0.5, model->a_num, model->b_num) -
            gsl_cdf_gamma_P(i - 0.5, model->a_num, model->b_num)) /
           all;
}

static void slots_count(const struct sample *from, double *shares)
{
    memset(shares, 0, SLOTS * sizeof *shares);
    for (size_t i = 0; i < from->count; i++) {
        shares[from->submit_s[i] % 86400 / 1800] += 1.0 / (double)from->count;
    }
}

static void test_daily_cycle(void)
{
    struct workload_options options;
    double shares[SLOTS], shifted[SLOTS], total = 0;
    int peak = 0, trough = 0, expected_peak = 0;

    options_set(&options, 1);
    sample_read(&sample, &options);
    slots_count(&sample, shares);
    for (int i = 0; i < SLOTS; i++) {
        CHECK_NEAR(shares[i], slot_share(&options.lublin, i), 0.004);
        total += slot_share(&options.lublin, i);
        peak = shares[i] > shares[peak] ? i : peak;
        trough = shares[i] < shares[trough] ? i : trough;
        expected_peak = slot_share(&options.lublin, i) > slot_share(&options.lublin, expected_peak)
                            ? i
                            : expected_peak;
    }
    CHECK_NEAR(total, 1, 1e-9);
    CHECK_INT(expected_peak, 27); /* half past one, the early afternoon */
    CU_ASSERT(peak >= 24 && peak <= 32);
    CU_ASSERT(trough >= 6 && trough <= 12); /* three to six in the morning */
    for (size_t i = 1; i < JOBS; i++) {
        CU_ASSERT(sample.submit_s[i - 1] <= sample.submit_s[i]);
    }
    /* A trace that begins at noon has its peak soon after its zero. */
    options.lublin.start_ns = 12 * 3600 * S;
    sample_read(&sample, &options);
    slots_count(&sample, shifted);
    for (int i = 0; i < SLOTS; i++) {
        CHECK_NEAR(shifted[i], slot_share(&options.lublin, (i + 24) % SLOTS), 0.004);
    }
}

/* A day offers as many points as it has half-hours, so the mean gap is that of exp(gamma),
 * truncated: (1 - b)^-a times the shares of two gammas below 13. */
static void test_mean_gap(void)
{
    for (uint64_t seed = 1; seed <= SEED_LAST; seed++) {
        struct workload_options options;
        double a, b, mean, squares = 0, deviation;

        options_set(&options, seed);
        sample_read(&sample, &options);
        a = options.lublin.a_arrival * options.lublin.arrival_ratio;
        b = options.lublin.b_arrival;
        mean = pow(1 - b, -a) * gsl_cdf_gamma_P(LN_GAP_MAX, a, b / (1 - b)) /
               gsl_cdf_gamma_P(LN_GAP_MAX, a, b);
        for (size_t i = 1; i < JOBS; i++) {
            squares += pow((double)(sample.submit_s[i] - sample.submit_s[i - 1]) - mean, 2);
        }
        deviation = sqrt(squares / JOBS);
        CHECK_NEAR(mean, 911.29, 0.01);
        CHECK_NEAR((double)sample.submit_s[JOBS - 1] / JOBS, mean, 3 * deviation / sqrt(JOBS));
    }
}

static void test_deterministic(void)
{
    struct workload_options options;

    options_set(&options, 5);
    sample_read(&sample, &options);
    sample_read(&other, &options);
    CHECK_INT(memcmp(&sample, &other, sizeof sample), 0);
    /* Other sizes leave the arrivals alone; another seed does not. */
    options.lublin.serial_probability = 0.1;
    sample_read(&other, &options);
    CHECK_INT(memcmp(sample.submit_s, other.submit_s, sizeof sample.submit_s), 0);
    CU_ASSERT(memcmp(sample.size, other.size, sizeof sample.size) != 0);
    options_set(&options, 6);
    sample_read(&other, &options);
    CU_ASSERT(memcmp(sample.submit_s, other.submit_s, sizeof sample.submit_s) != 0);
}

static void test_small_machines(void)
{
    for (int64_t nodes = 1; nodes <= 12; nodes++) {
        struct workload_options options;
        int64_t largest = 0;

        options_set(&options, 1);
        options.lublin.jobs = 2000;
        options.lublin.nodes = 0;
        options.machine_procs = nodes;
        sample_read(&sample, &options);
        CHECK_INT(sample.count, 2000);
        for (size_t i = 0; i < sample.count; i++) {
            largest = sample.size[i] > largest ? sample.size[i] : largest;
        }
        CHECK_INT(largest, nodes);
    }
}

static void test_refused(void)
{
    struct workload_options options;
    struct workload *workload;
    struct hs_error error = {0};

    for (int i = 0; i < 9; i++) {
        options_set(&options, 1);
        options.lublin.jobs = i == 0 ? 0 : 10;
        options.lublin.nodes = i == 1 ? -1 : 10;
        options.lublin.serial_probability = i == 2 ? 0.5 : 0.244;
        options.lublin.u_probability = i == 3 ? NAN : 0.86;
        options.lublin.b1 = i == 4 ? 0 : 0.94;
        options.lublin.a_num = i == 5 ? INFINITY : 8;
        options.lublin.b_num = i == 6 ? 1e9 : 4;
        options.lublin.u_low = i == 7 ? -1 : 0.8;
        options.lublin.start_ns = i == 8 ? -1 : 0;
        CHECK_INT(workload_open(&options, &workload, &error), HS_ERR_CONFIG);
        CHECK_HAS(error.text, "workload.generate.");
    }
    /* Gaps of ever 2 x 10^5 s: past the end of time. */
    options_set(&options, 1);
    options.lublin.a_arrival = 1000;
    CU_ASSERT_FATAL(workload_open(&options, &workload, &error) == HS_OK);
    for (bool has_job = true; has_job;) {
        struct workload_job job;

        if (workload_next(workload, &job, &has_job, &error)) {
            break;
        }
    }
    CHECK_HAS(error.text, "Ask for fewer jobs");
    workload_close(workload);
}

/* Against the authors' own program: sizes, run times, gaps, daily cycle. */
static void test_published(void)
{
    struct workload_options options;
    double shares[SLOTS], published[SLOTS], total_variation = 0;
    double bound;
    char path[512];

    if (!shared_trace("lublin_256.raw.swf.gz", path, sizeof path)) {
        return;
    }
    workload_options_defaults(&options);
    options.file = path;
    sample_read(&other, &options);
    CHECK_INT(other.count, 10000);
    options_set(&options, 1);
    sample_read(&sample, &options);
    slots_count(&sample, shares);
    slots_count(&other, published);
    for (int i = 0; i < SLOTS; i++) {
        total_variation += fabs(shares[i] - published[i]) / 2;
    }
    /* Gaps are heavy-tailed, so 10,000 jobs leave shares and mean uncertain. */
    CHECK_NEAR(total_variation, 0, 0.1);
    bound = KS_BOUND * sqrt(1.0 / (double)sample.count + 1.0 / (double)other.count);
    CHECK_NEAR((double)sample.submit_s[JOBS - 1] / JOBS, (double)other.submit_s[9999] / 10000, 200);
    for (size_t i = JOBS - 1; i > 0; i--) {
        sample.submit_s[i] -= sample.submit_s[i - 1];
    }
    for (size_t i = 9999; i > 0; i--) {
        other.submit_s[i] -= other.submit_s[i - 1];
    }
    CHECK_NEAR(distance2(sample.submit_s, JOBS, other.submit_s, 10000), 0, bound);
    CHECK_NEAR(distance2(sample.size, JOBS, other.size, 10000), 0, bound);
    CHECK_NEAR(distance2(sample.run_s, JOBS, other.run_s, 10000), 0, bound);
}

static const struct unit_test tests[] = {
    {"sizes", test_sizes},
    {"run times", test_runs},
    {"moments of run times", test_run_moments},
    {"daily cycle", test_daily_cycle},
    {"mean gap", test_mean_gap},
    {"deterministic", test_deterministic},
    {"small machines", test_small_machines},
    {"refused", test_refused},
    {"published trace", test_published},
};

UNIT_MAIN("workload lublin", tests)
