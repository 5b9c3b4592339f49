/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot.c - from jobs to a small, well scaled linear program, and back to shares.
 *
 * Equal jobs are one group, which is exact: the mean of the shares of equal jobs is as good as the
 * shares themselves, since constraints and objectives are convex and the jobs can be exchanged. The
 * groups are sorted, so the program does not depend on the order of the jobs.
 *
 * Max-min fairness and the makespan are one program: maximise z such that for each job sum_w T X >=
 * r z, with r = u p / s or r = steps. Its variables are X divided by the time e = r / max_w T that
 * a job needs on its best worker for one unit of z, in a unit of z that makes the optimum near 1:
 * then the solver's tolerances are relative ones, however much the jobs differ. */
#include "allot/allot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allot/lp.h"

#define RANGE " (1e-30 to 1e30, if not 0)" /* ALLOT_NUMBER_MIN to ALLOT_NUMBER_MAX */

struct member {
    const struct allot *allot; /* for the comparison */
    size_t job;
};

struct group {
    size_t first; /* a job of it */
    size_t count;
    size_t best;   /* its best throughput that counts, in `problem->steps_per_s` */
    double need_s; /* e; 1 for the total throughput */
};

struct allot {
    /* Of the problem at hand. */
    enum allot_goal goal;
    const struct allot_problem *problem;
    size_t group_count, column_count, entry_count;
    double z_unit;
    /* Room for `room` jobs and `cells` jobs x types. */
    size_t room, cells;
    struct member *members; /* all jobs, sorted by what counts */
    struct group *groups;
    double *bounds, *objective, *entries, *x;
    int *entry_rows, *entry_columns;
};

const char *allot_goal_name(enum allot_goal goal)
{
    static const char *const names[ALLOT_GOAL_COUNT] = {
        [ALLOT_MAX_MIN] = "max-min-fairness",
        [ALLOT_MAKESPAN] = "makespan",
        [ALLOT_TOTAL] = "total-throughput",
    };

    return names[goal];
}

const char *allot_goal_unit(enum allot_goal goal)
{
    static const char *const units[ALLOT_GOAL_COUNT] = {
        [ALLOT_MAX_MIN] = "", [ALLOT_MAKESPAN] = "s", [ALLOT_TOTAL] = "steps/s"};

    return units[goal];
}

struct allot *allot_create(void)
{
    return calloc(1, sizeof(struct allot));
}

static void room_free(struct allot *allot)
{
    free(allot->members);
    free(allot->groups);
    free(allot->bounds);
    free(allot->objective);
    free(allot->entries);
    free(allot->x);
    free(allot->entry_rows);
    free(allot->entry_columns);
    *allot = (struct allot){0};
}

void allot_destroy(struct allot *allot)
{
    if (allot) {
        room_free(allot);
        free(allot);
    }
}

/* Rows: one or two a job and one a type. Columns: one a cell, and z. An entry for each cell in up
 * to three rows, and z in one row a job. */
static bool room_make(struct allot *allot, size_t jobs, size_t types)
{
    size_t cells = jobs * types, rows = 2 * jobs + types, entries = 3 * cells + jobs;

    if (jobs <= allot->room && cells <= allot->cells) {
        return true;
    }
    room_free(allot);
    allot->members = malloc(jobs * sizeof *allot->members);
    allot->groups = malloc(jobs * sizeof *allot->groups);
    allot->bounds = malloc(rows * sizeof *allot->bounds);
    allot->objective = malloc((cells + 1) * sizeof *allot->objective);
    allot->x = malloc((cells + 1) * sizeof *allot->x);
    allot->entries = malloc(entries * sizeof *allot->entries);
    allot->entry_rows = malloc(entries * sizeof *allot->entry_rows);
    allot->entry_columns = malloc(entries * sizeof *allot->entry_columns);
    if (!allot->members || !allot->groups || !allot->bounds || !allot->objective || !allot->x ||
        !allot->entries || !allot->entry_rows || !allot->entry_columns) {
        room_free(allot);
        return false;
    }
    allot->room = jobs;
    allot->cells = cells;
    return true;
}

static double scale_of(const struct allot_problem *problem, size_t job)
{
    return problem->scale_factors ? problem->scale_factors[job] : 1;
}

static double weight_of(const struct allot_problem *problem, size_t job)
{
    return problem->weights ? problem->weights[job] : 1;
}

static double cell(const struct allot_problem *problem, size_t job, size_t type)
{
    return problem->steps_per_s[job * problem->type_count + type];
}

/* p: what the job would do with the share of each type that the type has of all workers. */
static double equal_share(const struct allot_problem *problem, size_t job)
{
    double steps_per_s = 0, workers = 0;

    for (size_t type = 0; type < problem->type_count; type++) {
        steps_per_s += cell(problem, job, type) * problem->workers[type];
        workers += problem->workers[type];
    }
    return steps_per_s / workers;
}

/* r: the throughput that is one unit of z. */
static double unit_of(enum allot_goal goal, const struct allot_problem *problem, size_t job)
{
    return goal == ALLOT_MAKESPAN
               ? problem->steps[job]
               : weight_of(problem, job) * equal_share(problem, job) / scale_of(problem, job);
}

/* Does the job fit on a worker that is there? */
static bool counts(const struct allot_problem *problem, size_t job, size_t type)
{
    return cell(problem, job, type) > 0 && problem->workers[type] > 0;
}

static enum hs_err wrong(const struct allot_problem *problem, size_t job, struct hs_error *error,
                         const char *what)
{
    const char *name = problem->job_names ? problem->job_names[job] : NULL;

    return hs_error_set(error, HS_ERR_CONFIG, "Job %zu%s%.128s%s: %s.", job, name ? " (" : "",
                        name ? name : "", name ? ")" : "", what);
}

static bool is_positive(double value)
{
    return value >= ALLOT_NUMBER_MIN && value <= ALLOT_NUMBER_MAX;
}

static bool is_zero_or_positive(double value)
{
    return value == 0 || is_positive(value);
}

static enum hs_err job_check(enum allot_goal goal, const struct allot_problem *problem, size_t job,
                             struct hs_error *error)
{
    bool fits = false, fits_somewhere = false;

    for (size_t type = 0; type < problem->type_count; type++) {
        double steps_per_s = cell(problem, job, type);

        if (!is_zero_or_positive(steps_per_s)) {
            return wrong(problem, job, error,
                         "a throughput is negative or no number; steps a second, from 0, are "
                         "due" RANGE);
        }
        fits_somewhere = fits_somewhere || steps_per_s > 0;
        fits = fits || counts(problem, job, type);
    }
    if (!fits) {
        return wrong(problem, job, error,
                     fits_somewhere
                         ? "it fits only on types of which there is no worker; add such a worker, "
                           "or leave the job out"
                         : "its throughput is 0 on every type of worker, so it can never run; "
                           "leave it out, or correct the throughputs");
    }
    if (!is_positive(scale_of(problem, job))) {
        return wrong(problem, job, error, "its scale factor must be a number above 0" RANGE);
    }
    if (goal == ALLOT_MAX_MIN && !is_positive(weight_of(problem, job))) {
        return wrong(problem, job, error, "its weight must be a number above 0" RANGE);
    }
    if (goal == ALLOT_MAKESPAN && (!problem->steps || !is_positive(problem->steps[job]))) {
        return wrong(problem, job, error,
                     "for the makespan the steps that it has still to do must be a number "
                     "above 0" RANGE);
    }
    return HS_OK;
}

static enum hs_err problem_check(enum allot_goal goal, const struct allot_problem *problem,
                                 struct hs_error *error)
{
    double workers = 0;
    enum hs_err err = HS_OK;

    if (problem->job_count == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "There is no job to share the workers among. Name at least one.");
    }
    for (size_t type = 0; type < problem->type_count; type++) {
        if (!is_zero_or_positive(problem->workers[type])) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "The number of workers of type %zu is %g; 0 or more is due" RANGE
                                ".",
                                type, problem->workers[type]);
        }
        workers += problem->workers[type];
    }
    if (!(workers > 0)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "There is no worker of any type. Give at least one type a number of "
                            "workers above 0.");
    }
    if (problem->type_count > ALLOT_CELLS_MAX / problem->job_count) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%zu jobs on %zu types of workers are too many: their product is at "
                            "most %zu.",
                            problem->job_count, problem->type_count, ALLOT_CELLS_MAX);
    }
    for (size_t job = 0; !err && job < problem->job_count; job++) {
        err = job_check(goal, problem, job, error);
    }
    return err;
}

static int compare_numbers(double left, double right)
{
    return (left > right) - (left < right);
}

/* By all that the program sees of a job. */
static int compare_jobs(const void *left, const void *right)
{
    const struct allot *allot = ((const struct member *)left)->allot;
    const struct allot_problem *problem = allot->problem;
    size_t a = ((const struct member *)left)->job, b = ((const struct member *)right)->job;
    int order = compare_numbers(scale_of(problem, a), scale_of(problem, b));

    for (size_t type = 0; !order && type < problem->type_count; type++) {
        order = compare_numbers(cell(problem, a, type), cell(problem, b, type));
    }
    if (!order && allot->goal == ALLOT_MAX_MIN) {
        order = compare_numbers(weight_of(problem, a), weight_of(problem, b));
    }
    if (!order && allot->goal == ALLOT_MAKESPAN) {
        order = compare_numbers(problem->steps[a], problem->steps[b]);
    }
    return order;
}

static void groups_make(struct allot *allot)
{
    const struct allot_problem *problem = allot->problem;

    for (size_t i = 0; i < problem->job_count; i++) {
        allot->members[i] = (struct member){allot, i};
    }
    qsort(allot->members, problem->job_count, sizeof *allot->members, compare_jobs);
    allot->group_count = 0;
    for (size_t i = 0; i < problem->job_count; i++) {
        if (i == 0 || compare_jobs(&allot->members[i - 1], &allot->members[i]) != 0) {
            allot->groups[allot->group_count++] = (struct group){.first = allot->members[i].job};
        }
        allot->groups[allot->group_count - 1].count++;
    }
}

/* The need of each group, and the unit of z: an optimum if all workers were the best ones. */
static void needs_make(struct allot *allot)
{
    const struct allot_problem *problem = allot->problem;
    double work = 0, workers = 0, longest = 0;

    for (size_t type = 0; type < problem->type_count; type++) {
        workers += problem->workers[type];
    }
    for (size_t i = 0; i < allot->group_count; i++) {
        struct group *group = &allot->groups[i];
        double best = 0;

        for (size_t type = 0; type < problem->type_count; type++) {
            double steps_per_s = cell(problem, group->first, type);

            if (counts(problem, group->first, type) && steps_per_s > best) {
                best = steps_per_s;
                group->best = group->first * problem->type_count + type;
            }
        }
        group->need_s =
            allot->goal == ALLOT_TOTAL ? 1 : unit_of(allot->goal, problem, group->first) / best;
        work += (double)group->count * scale_of(problem, group->first) * group->need_s;
        longest = group->need_s > longest ? group->need_s : longest;
    }
    allot->z_unit = workers / work < 1 / longest ? workers / work : 1 / longest;
    allot->z_unit = allot->goal == ALLOT_TOTAL ? 1 : allot->z_unit;
}

static void entry_add(struct allot *allot, size_t row, size_t column, double value)
{
    allot->entry_rows[allot->entry_count] = (int)row;
    allot->entry_columns[allot->entry_count] = (int)column;
    allot->entries[allot->entry_count++] = value;
}

/* Rows: first the types (workers in use), then the time of each group, then what each group must
 * reach. Columns: z, if there is one, then the cells that count, group by group. */
static struct lp program_make(struct allot *allot)
{
    const struct allot_problem *problem = allot->problem;
    bool has_z = allot->goal != ALLOT_TOTAL;
    size_t times = problem->type_count, reaches = times + allot->group_count;
    double greatest = 0;

    for (size_t i = 0; i < allot->group_count; i++) {
        double best = problem->steps_per_s[allot->groups[i].best];

        greatest = best > greatest ? best : greatest;
    }
    allot->entry_count = 0;
    allot->column_count = has_z;
    allot->objective[0] = 1;
    for (size_t type = 0; type < times; type++) {
        allot->bounds[type] = 1;
    }
    for (size_t i = 0; i < allot->group_count; i++) {
        const struct group *group = &allot->groups[i];
        double unit = group->need_s * allot->z_unit, best = problem->steps_per_s[group->best];

        allot->bounds[times + i] = 1 / unit;
        for (size_t type = 0; type < problem->type_count; type++) {
            size_t column = allot->column_count;
            double steps_per_s = cell(problem, group->first, type);

            if (!counts(problem, group->first, type)) {
                continue;
            }
            entry_add(allot, type, column,
                      (double)group->count * scale_of(problem, group->first) * unit /
                          problem->workers[type]);
            entry_add(allot, times + i, column, 1);
            if (has_z) {
                entry_add(allot, reaches + i, column, -steps_per_s / best);
            }
            allot->objective[column] = has_z ? 0 : (double)group->count * (steps_per_s / greatest);
            allot->column_count++;
        }
        if (has_z) {
            allot->bounds[reaches + i] = 0;
            entry_add(allot, reaches + i, 0, 1);
        }
    }
    return (struct lp){.row_count = reaches + (has_z ? allot->group_count : 0),
                       .column_count = allot->column_count,
                       .entry_count = allot->entry_count,
                       .bounds = allot->bounds,
                       .objective = allot->objective,
                       .entry_rows = allot->entry_rows,
                       .entry_columns = allot->entry_columns,
                       .entries = allot->entries};
}

/* From the columns of the program to the shares of every job. */
static void shares_fill(const struct allot *allot, double *shares)
{
    const struct allot_problem *problem = allot->problem;
    size_t column = allot->goal != ALLOT_TOTAL, member = 0;

    for (size_t i = 0; i < allot->group_count; i++) {
        const struct group *group = &allot->groups[i];
        double *first = &shares[group->first * problem->type_count];

        for (size_t type = 0; type < problem->type_count; type++) {
            double x = counts(problem, group->first, type) ? allot->x[column++] : 0;

            first[type] = x > 0 ? x * group->need_s * allot->z_unit : 0;
        }
        for (size_t k = 0; k < group->count; k++) {
            double *row = &shares[allot->members[member++].job * problem->type_count];

            if (row != first) {
                memcpy(row, first, problem->type_count * sizeof *row);
            }
        }
    }
}

/* What the tolerance of the solver lets stand out is cut off, in proportion. */
static void shares_trim(const struct allot *allot, double *shares)
{
    const struct allot_problem *problem = allot->problem;
    size_t types = problem->type_count;

    for (size_t job = 0; job < problem->job_count; job++) {
        double sum = 0;

        for (size_t type = 0; type < types; type++) {
            sum += shares[job * types + type];
        }
        for (size_t type = 0; sum > 1 && type < types; type++) {
            shares[job * types + type] /= sum;
        }
    }
    for (size_t type = 0; type < types; type++) {
        double used = 0;

        /* In the order of the groups, so that the sum does not depend on that of the jobs. */
        for (size_t i = 0; i < problem->job_count; i++) {
            size_t job = allot->members[i].job;

            used += scale_of(problem, job) * shares[job * types + type];
        }
        for (size_t job = 0; used > problem->workers[type] && job < problem->job_count; job++) {
            shares[job * types + type] *= problem->workers[type] / used;
        }
    }
}

double allot_value(enum allot_goal goal, const struct allot_problem *problem, const double *shares)
{
    double least = INFINITY, total = 0;

    for (size_t job = 0; job < problem->job_count; job++) {
        double steps_per_s = 0, reached;

        for (size_t type = 0; type < problem->type_count; type++) {
            steps_per_s += cell(problem, job, type) * shares[job * problem->type_count + type];
        }
        total += steps_per_s;
        if (goal != ALLOT_TOTAL) {
            reached = steps_per_s / unit_of(goal, problem, job);
            least = reached < least ? reached : least;
        }
    }
    return goal == ALLOT_TOTAL ? total : goal == ALLOT_MAKESPAN ? 1 / least : least;
}

enum hs_err allot_solve(struct allot *allot, enum allot_goal goal,
                        const struct allot_problem *problem, double *shares, double *optimum,
                        struct hs_error *error)
{
    struct lp lp;
    enum hs_err err = problem_check(goal, problem, error);

    *optimum = NAN;
    if (err) {
        return err;
    }
    if (!room_make(allot, problem->job_count, problem->type_count)) {
        return hs_error_memory(error);
    }
    allot->goal = goal;
    allot->problem = problem;
    groups_make(allot);
    needs_make(allot);
    lp = program_make(allot);
    err = lp_solve(&lp, allot->x, error);
    if (!err) {
        shares_fill(allot, shares);
        shares_trim(allot, shares);
        *optimum = allot_value(goal, problem, shares);
    }
    allot->problem = NULL;
    return err;
}
