/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.c - random problems against a plain simplex, and properties that every solution has. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "allot/allot.h"
#include "unit.h"

#define JOBS_MAX  12
#define TYPES_MAX 4
#define CELLS_MAX (JOBS_MAX * TYPES_MAX)
#define PROBLEMS  400

struct sample {
    struct allot_problem problem;
    double steps_per_s[CELLS_MAX], workers[TYPES_MAX], scales[JOBS_MAX], steps[JOBS_MAX],
        weights[JOBS_MAX];
};

static uint64_t state;

/* Marsaglia's xorshift, 2003. */
static double draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static size_t draw_below(size_t count)
{
    return (size_t)(draw() * (double)count);
}

static void sample_bind(struct sample *sample)
{
    sample->problem.steps_per_s = sample->steps_per_s;
    sample->problem.workers = sample->workers;
    sample->problem.scale_factors = sample->scales;
    sample->problem.steps = sample->steps;
    sample->problem.weights = sample->weights;
}

/* Some jobs are equal, some throughputs 0; each job fits somewhere. */
static void sample_draw(struct sample *sample, uint64_t seed)
{
    size_t jobs, types;

    state = seed * 0x9e3779b97f4a7c15u + 1;
    jobs = 1 + draw_below(JOBS_MAX);
    types = 1 + draw_below(TYPES_MAX);
    *sample = (struct sample){.problem = {.job_count = jobs, .type_count = types}};
    sample_bind(sample);
    for (size_t type = 0; type < types; type++) {
        sample->workers[type] = 1 + (double)draw_below(8);
    }
    for (size_t job = 0; job < jobs; job++) {
        double *row = &sample->steps_per_s[job * types];
        size_t twin = job > 0 && draw() < 0.3 ? draw_below(job) : job;

        if (twin != job) {
            memcpy(row, &sample->steps_per_s[twin * types], types * sizeof *row);
            sample->scales[job] = sample->scales[twin];
            sample->steps[job] = sample->steps[twin];
            sample->weights[job] = sample->weights[twin];
            continue;
        }
        for (size_t type = 0; type < types; type++) {
            row[type] = draw() < 0.2 ? 0 : exp(6 * draw() - 2);
        }
        row[draw_below(types)] = exp(6 * draw() - 2);
        sample->scales[job] = (double)((size_t)1 << draw_below(4));
        sample->steps[job] = exp(8 * draw());
        sample->weights[job] = draw() < 0.5 ? 1 : 0.5 + draw();
    }
}

static double equal_share(const struct allot_problem *problem, size_t job)
{
    double sum = 0, workers = 0;

    for (size_t type = 0; type < problem->type_count; type++) {
        sum += problem->steps_per_s[job * problem->type_count + type] * problem->workers[type];
        workers += problem->workers[type];
    }
    return sum / workers;
}

/* --- a plain simplex: maximise c x, A x <= b, with b >= 0, in a dense tableau (Bland's rule) */

#define ROWS_MAX    (TYPES_MAX + 2 * JOBS_MAX)
#define COLUMNS_MAX (CELLS_MAX + 1 + ROWS_MAX)

struct tableau {
    size_t rows, columns; /* columns with the slacks; the last one of a row is b */
    long double cells[ROWS_MAX + 1][COLUMNS_MAX + 1];
    size_t basis[ROWS_MAX];
};

static void pivot(struct tableau *tableau, size_t row, size_t column)
{
    long double *line = tableau->cells[row], by = line[column];

    for (size_t k = 0; k <= tableau->columns; k++) {
        line[k] /= by;
    }
    for (size_t i = 0; i <= tableau->rows; i++) {
        long double factor = tableau->cells[i][column];

        for (size_t k = 0; i != row && factor != 0 && k <= tableau->columns; k++) {
            tableau->cells[i][k] -= factor * line[k];
        }
    }
    tableau->basis[row] = column;
}

static long double maximise(struct tableau *tableau)
{
    for (;;) {
        size_t column = 0, row = tableau->rows;

        while (column < tableau->columns && !(tableau->cells[tableau->rows][column] < -1e-13L)) {
            column++;
        }
        if (column == tableau->columns) {
            return tableau->cells[tableau->rows][tableau->columns];
        }
        for (size_t i = 0; i < tableau->rows; i++) {
            long double cell = tableau->cells[i][column], ratio, least;

            if (!(cell > 1e-13L)) {
                continue;
            }
            ratio = tableau->cells[i][tableau->columns] / cell;
            least = row < tableau->rows
                        ? tableau->cells[row][tableau->columns] / tableau->cells[row][column]
                        : INFINITY;
            if (ratio < least || (ratio == least && tableau->basis[i] < tableau->basis[row])) {
                row = i;
            }
        }
        CU_ASSERT_FATAL(row < tableau->rows);
        pivot(tableau, row, column);
    }
}

/* The optimum by the formulas as they stand in allot.h: no groups, no scaling. */
static double reference(enum allot_goal goal, const struct allot_problem *problem)
{
    static struct tableau tableau;
    size_t jobs = problem->job_count, types = problem->type_count, cells = jobs * types;
    size_t z = cells, slacks = cells + 1;
    long double best;

    memset(&tableau, 0, sizeof tableau);
    tableau.rows = types + (goal == ALLOT_TOTAL ? jobs : 2 * jobs);
    tableau.columns = slacks + tableau.rows;
    for (size_t row = 0; row < tableau.rows; row++) {
        tableau.cells[row][slacks + row] = 1;
        tableau.basis[row] = slacks + row;
        tableau.cells[row][tableau.columns] = row < types          ? problem->workers[row]
                                              : row < types + jobs ? 1
                                                                   : 0;
    }
    for (size_t job = 0; job < jobs; job++) {
        double unit = goal == ALLOT_MAKESPAN ? problem->steps[job]
                                             : problem->weights[job] * equal_share(problem, job) /
                                                   problem->scale_factors[job];

        for (size_t type = 0; type < types; type++) {
            size_t cell = job * types + type;

            tableau.cells[type][cell] = problem->scale_factors[job];
            tableau.cells[types + job][cell] = 1;
            if (goal == ALLOT_TOTAL) {
                tableau.cells[tableau.rows][cell] = -problem->steps_per_s[cell];
            } else {
                tableau.cells[types + jobs + job][cell] = -problem->steps_per_s[cell] / unit;
            }
        }
        if (goal != ALLOT_TOTAL) {
            tableau.cells[types + jobs + job][z] = 1;
        }
    }
    if (goal != ALLOT_TOTAL) {
        tableau.cells[tableau.rows][z] = -1;
    }
    best = maximise(&tableau);
    return (double)(goal == ALLOT_MAKESPAN ? 1 / best : best);
}

static void check(bool is_true, const char *what, uint64_t seed, enum allot_goal goal)
{
    if (!is_true) {
        printf("\n  problem %llu, %s: %s does not hold\n", (unsigned long long)seed,
               allot_goal_name(goal), what);
    }
    CU_ASSERT(is_true);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static bool is_feasible(const struct allot_problem *problem, const double *shares)
{
    for (size_t job = 0; job < problem->job_count; job++) {
        double sum = 0;

        for (size_t type = 0; type < problem->type_count; type++) {
            double share = shares[job * problem->type_count + type];

            if (!(share >= 0)) {
                return false;
            }
            sum += share;
        }
        if (sum > 1 + 1e-14) {
            return false;
        }
    }
    for (size_t type = 0; type < problem->type_count; type++) {
        double used = 0;

        for (size_t job = 0; job < problem->job_count; job++) {
            used += problem->scale_factors[job] * shares[job * problem->type_count + type];
        }
        if (used > problem->workers[type] * (1 + 1e-13)) {
            return false;
        }
    }
    return true;
}

static double solve(struct allot *allot, enum allot_goal goal, const struct sample *sample,
                    double *shares)
{
    struct hs_error error = {0};
    double optimum;

    CU_ASSERT_EQUAL_FATAL(allot_solve(allot, goal, &sample->problem, shares, &optimum, &error),
                          HS_OK);
    return optimum;
}

static void test_reference(void)
{
    struct allot *allot = allot_create();

    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        struct sample sample;
        double shares[CELLS_MAX];

        sample_draw(&sample, seed);
        for (enum allot_goal goal = 0; goal < ALLOT_GOAL_COUNT; goal++) {
            double optimum = solve(allot, goal, &sample, shares);

            check(is_near(optimum, reference(goal, &sample.problem)), "the plain optimum", seed,
                  goal);
            check(is_feasible(&sample.problem, shares), "feasibility", seed, goal);
            check(optimum == allot_value(goal, &sample.problem, shares), "the value", seed, goal);
        }
    }
    allot_destroy(allot);
}

/* Nothing simple is better: equal shares, each job its best type, at random. */
static void test_no_better(void)
{
    struct allot *allot = allot_create();

    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        struct sample sample;
        const struct allot_problem *problem = &sample.problem;
        double shares[CELLS_MAX], other[CELLS_MAX];

        sample_draw(&sample, seed);
        for (enum allot_goal goal = 0; goal < ALLOT_GOAL_COUNT; goal++) {
            double optimum = solve(allot, goal, &sample, shares);

            for (int attempt = 0; attempt < 20; attempt++) {
                double wanted[TYPES_MAX] = {0}, value;

                for (size_t i = 0; i < problem->job_count * problem->type_count; i++) {
                    other[i] = (attempt ? draw() : 1) / (double)problem->type_count;
                    wanted[i % problem->type_count] +=
                        other[i] * problem->scale_factors[i / problem->type_count];
                }
                for (size_t i = 0; i < problem->job_count * problem->type_count; i++) {
                    double most = problem->workers[i % problem->type_count];
                    double sum = wanted[i % problem->type_count];

                    other[i] *= sum > most ? most / sum : 1;
                }
                check(is_feasible(problem, other), "the test itself", seed, goal);
                value = allot_value(goal, problem, other);
                check(goal == ALLOT_MAKESPAN ? optimum <= value * (1 + 1e-9)
                                             : optimum >= value * (1 - 1e-9),
                      "nothing is better", seed, goal);
            }
        }
    }
    allot_destroy(allot);
}

static void permute(const struct sample *sample, const size_t *places, struct sample *permuted)
{
    size_t types = sample->problem.type_count;

    *permuted = *sample;
    sample_bind(permuted);
    for (size_t job = 0; job < sample->problem.job_count; job++) {
        memcpy(&permuted->steps_per_s[places[job] * types], &sample->steps_per_s[job * types],
               types * sizeof(double));
        permuted->scales[places[job]] = sample->scales[job];
        permuted->steps[places[job]] = sample->steps[job];
        permuted->weights[places[job]] = sample->weights[job];
    }
}

/* The shares are the same bytes when the jobs come in another order, and after other problems. */
static void test_order(void)
{
    struct allot *allot = allot_create(), *fresh;

    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        struct sample sample, permuted;
        double shares[CELLS_MAX], other[CELLS_MAX];
        size_t places[JOBS_MAX] = {0}, types;

        sample_draw(&sample, seed);
        types = sample.problem.type_count;
        for (size_t job = 0; job < sample.problem.job_count; job++) {
            size_t at = draw_below(job + 1);

            places[job] = places[at];
            places[at] = job;
        }
        permute(&sample, places, &permuted);
        fresh = allot_create();
        for (enum allot_goal goal = 0; goal < ALLOT_GOAL_COUNT; goal++) {
            bool is_same = true;

            (void)solve(allot, goal, &sample, shares);
            (void)solve(fresh, goal, &permuted, other);
            for (size_t job = 0; job < sample.problem.job_count; job++) {
                is_same = is_same && memcmp(&shares[job * types], &other[places[job] * types],
                                            types * sizeof(double)) == 0;
            }
            check(is_same, "equal shares in another order", seed, goal);
        }
        allot_destroy(fresh);
    }
    allot_destroy(allot);
}

/* One more worker harms nobody's goal; equal jobs get equal shares. */
static void test_more(void)
{
    struct allot *allot = allot_create();

    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        struct sample sample;
        double shares[CELLS_MAX], more[CELLS_MAX];
        size_t types;

        sample_draw(&sample, seed);
        types = sample.problem.type_count;
        for (enum allot_goal goal = ALLOT_MAKESPAN; goal < ALLOT_GOAL_COUNT; goal++) {
            double before = solve(allot, goal, &sample, shares), after;
            size_t type = draw_below(types);

            for (size_t a = 0; a < sample.problem.job_count; a++) {
                for (size_t b = 0; b < a; b++) {
                    bool is_twin =
                        !memcmp(&sample.steps_per_s[a * types], &sample.steps_per_s[b * types],
                                types * sizeof(double)) &&
                        !memcmp(&sample.scales[a], &sample.scales[b], sizeof(double)) &&
                        !memcmp(&sample.steps[a], &sample.steps[b], sizeof(double));

                    check(!is_twin || !memcmp(&shares[a * types], &shares[b * types],
                                              types * sizeof(double)),
                          "equal jobs, equal shares", seed, goal);
                }
            }
            sample.workers[type] += 1;
            after = solve(allot, goal, &sample, more);
            sample.workers[type] -= 1;
            check(goal == ALLOT_MAKESPAN ? after <= before * (1 + 1e-9)
                                         : after >= before * (1 - 1e-9),
                  "more is no less", seed, goal);
        }
    }
    allot_destroy(allot);
}

static const struct unit_test tests[] = {
    {"a plain simplex", test_reference},
    {"nothing is better", test_no_better},
    {"order and history", test_order},
    {"more workers, equal jobs", test_more},
};

UNIT_MAIN("shares of random problems", tests)
