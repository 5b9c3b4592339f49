/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy_random.c - random starts and ends against an integration that walks over everything.
 *
 * The plain one keeps, per unit, what each job holds, and at each step of time adds for all units
 * and all jobs. Totals are compared as integers; what a job is charged as real numbers, since only
 * there the model divides. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy.h"
#include "engine/energy.h"
#include "unit.h"

#define NODES 3
#define JOBS  8
#define STEPS 400
#define UNITS (NODES + DEVICES)

enum { DEVICES = 4 };

struct job {
    bool is_running;
    struct hs_demand demand;
    struct hs_alloc alloc;
    struct hs_span spans[NODES];
    struct hs_device_share shares[DEVICES];
    int64_t held[UNITS], used[UNITS];
    long double charged;
    hs_time start;
};

struct plain {
    uint64_t state;
    double load;
    enum energy_attribution attribution;
    struct hs_power powers[UNITS];
    int64_t capacity[UNITS];
    struct job jobs[JOBS];
    hs_int128 energy[UNITS];
    hs_time now;
};

static uint32_t draw(struct plain *plain, uint32_t bound)
{
    plain->state = plain->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(plain->state >> 33) % bound;
}

static int64_t sum_of(const struct plain *plain, int unit, bool is_used)
{
    int64_t sum = 0;

    for (int j = 0; j < JOBS; j++) {
        if (plain->jobs[j].is_running) {
            sum += is_used ? plain->jobs[j].used[unit] : plain->jobs[j].held[unit];
        }
    }
    return sum;
}

/* Lets time pass. */
static void pass(struct plain *plain, hs_time duration)
{
    plain->now += duration;
    for (int u = 0; u < UNITS; u++) {
        const struct hs_power *power = &plain->powers[u];
        int64_t held = sum_of(plain, u, false);
        int64_t used = sum_of(plain, u, true);
        int64_t fixed = llround((used ? power->context_w : power->idle_w) * 1e6);
        int64_t dynamic = llround((power->busy_w - power->context_w) * 1e6 * plain->load);
        int64_t drawn = fixed + dynamic * used / plain->capacity[u];

        plain->energy[u] += (hs_int128)drawn * duration;
        for (int j = 0; j < JOBS; j++) {
            struct job *job = &plain->jobs[j];
            long double part = held ? (long double)job->held[u] / (long double)held : 0;
            long double charge = 0;

            switch (plain->attribution) {
            case ENERGY_EXCLUSIVE:
                charge = (long double)drawn * part;
                break;
            case ENERGY_PROPORTIONAL:
                charge = (long double)fixed * (long double)job->held[u] /
                             (long double)plain->capacity[u] +
                         (long double)(drawn - fixed) * part;
                break;
            case ENERGY_DYNAMIC:
                charge = ((long double)drawn - (long double)llround(power->idle_w * 1e6)) * part;
                break;
            }
            job->charged += job->is_running ? charge * (long double)duration : 0;
        }
    }
}

/* Gives the job what is free, at random; false: nothing is. */
static bool allocate(struct plain *plain, const struct hs_cluster *cluster, struct job *job)
{
    bool is_exclusive = draw(plain, 5) == 0;
    bool any = false;
    uint32_t devices = 0;
    uint32_t spans = 0;

    *job = (struct job){.demand = {.tasks = 1, .cores_milli = 250}};
    for (uint32_t n = 0; n < NODES; n++) {
        const struct hs_node *node = hs_cluster_node(cluster, n);
        int64_t held = sum_of(plain, (int)n, false);
        bool is_free = held == 0;

        for (uint32_t d = 0; d < node->device_count; d++) {
            is_free = is_free && sum_of(plain, (int)(NODES + node->first_device + d), false) == 0;
        }
        if (draw(plain, 2) || (is_exclusive && !is_free) || plain->capacity[n] - held < 1000) {
            continue;
        }
        any = true;
        job->spans[spans] = (struct hs_span){n, 1, 1 + draw(plain, 4)};
        job->held[n] = is_exclusive ? plain->capacity[n] : job->spans[spans].tasks * 250;
        job->used[n] = job->held[n];
        spans++;
        for (uint32_t d = 0; d < node->device_count; d++) {
            uint32_t device = node->first_device + d;
            int64_t left = 1000 - sum_of(plain, (int)(NODES + device), false);
            uint32_t share = left > 0 ? draw(plain, (uint32_t)left + 1) : 0;

            job->held[NODES + device] = is_exclusive ? 1000 : share;
            job->used[NODES + device] = share;
            if (share > 0) {
                job->shares[devices++] = (struct hs_device_share){device, share};
            }
        }
    }
    job->alloc = (struct hs_alloc){.spans = job->spans,
                                   .span_count = spans,
                                   .devices = job->shares,
                                   .device_count = devices,
                                   .is_exclusive = is_exclusive};
    return any;
}

static void stop(struct plain *plain, struct energy *energy, int j, hs_int128 *sum)
{
    struct job *job = &plain->jobs[j];
    hs_int128 charged = energy_stop(energy, plain->now, (uint32_t)j, &job->demand, &job->alloc);
    long double error = fabsl((long double)charged - job->charged);

    /* A division loses less than one unit per thousandth held, at each change of a unit; a charge
     * is a whole number of microwatts. */
    CU_ASSERT_TRUE(error <= 1e-15L * fabsl(job->charged) + 1e9L +
                                UNITS * (long double)(plain->now - job->start));
    *sum += charged;
    job->is_running = false;
}

static struct hs_cluster *make_cluster(struct plain *plain)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};
    uint32_t devices = 0;

    for (int n = 0; n < NODES; n++) {
        char name[8];

        plain->capacity[n] = (1 + draw(plain, 7)) * 1000;
        (void)snprintf(name, sizeof name, "n%d", n);
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_node(cluster, name, plain->capacity[n], HS_MEM_UNLIMITED, &error),
            HS_OK);
        for (int d = 0; d < n + (n == 2 ? -1 : 0) + (n == 0 ? 2 : 0); d++, devices++) {
            plain->capacity[NODES + devices] = 1000;
            CU_ASSERT_EQUAL_FATAL(
                hs_cluster_add_device(cluster, "gpu", "g", HS_NO_GROUP, HS_MEM_UNLIMITED, &error),
                HS_OK);
        }
    }
    CU_ASSERT_EQUAL_FATAL(devices, DEVICES);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, &error), HS_OK);
    for (int u = 0; u < UNITS; u++) {
        double idle = draw(plain, 100000) / 1e3;
        double context = idle + draw(plain, 50000) / 1e3;

        plain->powers[u] = (struct hs_power){0, idle, context, context + draw(plain, 400)};
    }
    return cluster;
}

static void compare(const struct plain *plain, struct energy *energy, hs_int128 sum)
{
    struct energy_totals totals;
    hs_int128 total = 0;
    hs_int128 states = 0;

    energy_settle(energy, plain->now);
    totals = energy_totals(energy);
    for (uint32_t u = 0; u < UNITS; u++) {
        CU_ASSERT_TRUE((u < NODES ? energy_of_node(energy, u)
                                  : energy_of_device(energy, u - NODES)) == plain->energy[u]);
        total += plain->energy[u];
    }
    for (int s = 0; s < ENERGY_STATE_COUNT; s++) {
        CU_ASSERT_TRUE(totals.states[s] >= 0);
        states += totals.states[s];
    }
    CU_ASSERT_TRUE(totals.total == total);
    CU_ASSERT_TRUE(states == total);
    CU_ASSERT_TRUE(totals.jobs == sum);
    CU_ASSERT_TRUE(totals.jobs + totals.uncharged == total);
    CU_ASSERT_TRUE(totals.uncharged >= 0);
}

static void run_case(uint64_t seed)
{
    static const double loads[] = {1, 0.5, 0};
    struct plain plain = {.state = seed,
                          .load = loads[seed % 3],
                          .attribution = (enum energy_attribution)(seed / 3 % 3)};
    struct hs_cluster *cluster = make_cluster(&plain);
    struct energy_options options = {cluster,    plain.powers,      plain.powers + NODES,
                                     plain.load, plain.attribution, false};
    struct energy *energy;
    struct hs_error error = {0};
    hs_int128 sum = 0;

    CU_ASSERT_EQUAL_FATAL(energy_create(&options, &energy, &error), HS_OK);
    plain.now = -5;
    energy_begin(energy, plain.now);
    for (int step = 0; step < STEPS; step++) {
        int j = (int)draw(&plain, JOBS);
        struct job *job = &plain.jobs[j];

        pass(&plain, draw(&plain, 3) ? (hs_time)draw(&plain, 1000000) * 1237 : 0);
        if (job->is_running) {
            stop(&plain, energy, j, &sum);
        } else if (allocate(&plain, cluster, job)) {
            job->is_running = true;
            job->start = plain.now;
            CU_ASSERT_EQUAL(
                energy_start(energy, plain.now, (uint32_t)j, &job->demand, &job->alloc, &error),
                HS_OK);
        }
    }
    for (int j = 0; j < JOBS; j++) {
        pass(&plain, 999999937);
        if (plain.jobs[j].is_running) {
            stop(&plain, energy, j, &sum);
        }
    }
    compare(&plain, energy, sum);
    energy_destroy(energy);
    hs_cluster_destroy(cluster);
}

void energy_equals_plain_integration(void)
{
    for (uint64_t seed = 1; seed <= 90; seed++) {
        run_case(seed);
    }
}
