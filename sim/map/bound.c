/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bound.c - the simplex method on a basis of machines.
 *
 * A basis of the whole program has a variable for each task and each machine. Each task has one
 * that is basic, its key; with the keys taken out by their rows (x[key] = 1 - the others of the
 * task) there remain as many basic variables as machines, in a system of a row a machine: share of
 * task t on machine m:  ETC[t][m] in row m, -ETC[t][key] in row key slack of machine m: 1 in row m
 *     makespan:                      -1 in all rows
 * Times are scaled such that the first makespan is 1. */
#include "map/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REDUCED_MIN   1e-14 /* a reduced cost above minus this is none */
#define PIVOT_MIN     1e-10
#define TIE           1e-12 /* of steps */
#define INVERT_PERIOD 100   /* iterations */
#define STALL_MAX     200   /* iterations without progress; then the lowest index decides (Bland) */
#define PRICE_PART    8     /* a search looks at about this part of the tasks */
#define NONE          UINT32_MAX

enum kind { KIND_SHARE, KIND_SLACK, KIND_MAKESPAN };

struct variable {
    enum kind kind;
    uint32_t task, machine; /* of a share; machine of a slack */
};

struct solver {
    const struct map_etc *etc;
    uint32_t task_count, machine_count;
    double scale;                   /* scaled time = time * scale */
    uint32_t *key;                  /* by task: machine */
    struct variable *base;          /* by row of the basis */
    uint32_t makespan_row;          /* of the basis */
    double *block;                  /* what follows */
    double *values;                 /* of the base variables */
    double *inverse;                /* [row of the basis * machines + row of the system] */
    double *matrix;                 /* to be inverted */
    double *direction;              /* by row: how fast its variable falls as the new one grows */
    double *prices;                 /* by machine */
    double *key_value, *key_growth; /* by task, of those that have shares in the base */
    uint32_t next_task;             /* where the search for a new variable goes on */
    uint32_t stall_count;
};

static double scaled_time(const struct solver *solver, uint32_t task, uint32_t machine)
{
    return solver->etc->times_s[(size_t)task * solver->machine_count + machine] * solver->scale;
}

static bool solver_init(struct solver *solver, const struct map_etc *etc)
{
    size_t tasks = etc->task_count;
    size_t machines = etc->machine_count;

    *solver = (struct solver){
        .etc = etc,
        .task_count = etc->task_count,
        .machine_count = etc->machine_count,
        .key = calloc(tasks, sizeof *solver->key),
        .base = calloc(machines, sizeof *solver->base),
        .block = calloc(2 * machines * machines + 3 * machines + 2 * tasks, sizeof *solver->block)};
    if (!solver->key || !solver->base || !solver->block) {
        return false;
    }
    solver->inverse = solver->block;
    solver->matrix = solver->inverse + machines * machines;
    solver->values = solver->matrix + machines * machines;
    solver->direction = solver->values + machines;
    solver->prices = solver->direction + machines;
    solver->key_value = solver->prices + machines;
    solver->key_growth = solver->key_value + tasks;
    return true;
}

static void solver_fini(struct solver *solver)
{
    free(solver->key);
    free(solver->base);
    free(solver->block);
}

/* The makespan, and the slacks of all machines but the one that ends last. */
static void solver_start(struct solver *solver, const uint32_t *machine_of_task)
{
    double *loads = solver->values;
    uint32_t last = 0;

    memset(loads, 0, solver->machine_count * sizeof *loads);
    solver->scale = 1.0;
    for (uint32_t task = 0; task < solver->task_count; task++) {
        solver->key[task] = machine_of_task[task];
        loads[solver->key[task]] += scaled_time(solver, task, solver->key[task]);
    }
    for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
        last = loads[machine] > loads[last] ? machine : last;
    }
    solver->scale = loads[last] > 0 ? 1.0 / loads[last] : 1.0;
    solver->makespan_row = last;
    for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
        solver->base[machine] =
            (struct variable){machine == last ? KIND_MAKESPAN : KIND_SLACK, 0, machine};
    }
}

/* Sets column `row` of the matrix to that of the base variable. */
static void column_set(struct solver *solver, uint32_t row)
{
    const struct variable *variable = &solver->base[row];
    uint32_t count = solver->machine_count;
    double *column = &solver->matrix[row];

    for (uint32_t machine = 0; machine < count; machine++) {
        column[(size_t)machine * count] = variable->kind == KIND_MAKESPAN ? -1.0 : 0.0;
    }
    if (variable->kind == KIND_SLACK) {
        column[(size_t)variable->machine * count] = 1.0;
    } else if (variable->kind == KIND_SHARE) {
        uint32_t key = solver->key[variable->task];

        column[(size_t)variable->machine * count] =
            scaled_time(solver, variable->task, variable->machine);
        column[(size_t)key * count] = -scaled_time(solver, variable->task, key);
    }
}

static void row_swap(double *matrix, uint32_t count, uint32_t left, uint32_t right)
{
    for (uint32_t k = 0; left != right && k < count; k++) {
        double kept = matrix[(size_t)left * count + k];

        matrix[(size_t)left * count + k] = matrix[(size_t)right * count + k];
        matrix[(size_t)right * count + k] = kept;
    }
}

/* target -= factor * source */
static void row_subtract(double *target, const double *source, double factor, uint32_t count)
{
    for (uint32_t k = 0; factor != 0.0 && k < count; k++) {
        target[k] -= factor * source[k];
    }
}

static void row_divide(double *row, double divisor, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        row[k] /= divisor;
    }
}

/* Gauss-Jordan elimination with row exchanges. False: the basis is singular, by rounding. */
static bool invert(struct solver *solver)
{
    uint32_t count = solver->machine_count;
    double *matrix = solver->matrix;
    double *inverse = solver->inverse;

    memset(inverse, 0, (size_t)count * count * sizeof *inverse);
    for (uint32_t row = 0; row < count; row++) {
        column_set(solver, row);
        inverse[(size_t)row * count + row] = 1.0;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t pivot = k;

        for (uint32_t row = k + 1; row < count; row++) {
            if (fabs(matrix[(size_t)row * count + k]) > fabs(matrix[(size_t)pivot * count + k])) {
                pivot = row;
            }
        }
        if (!(fabs(matrix[(size_t)pivot * count + k]) > 0)) {
            return false;
        }
        row_swap(matrix, count, k, pivot);
        row_swap(inverse, count, k, pivot);
        row_divide(&inverse[(size_t)k * count], matrix[(size_t)k * count + k], count);
        row_divide(&matrix[(size_t)k * count], matrix[(size_t)k * count + k], count);
        for (uint32_t row = 0; row < count; row++) {
            double factor = matrix[(size_t)row * count + k];

            if (row != k) {
                row_subtract(&matrix[(size_t)row * count], &matrix[(size_t)k * count], factor,
                             count);
                row_subtract(&inverse[(size_t)row * count], &inverse[(size_t)k * count], factor,
                             count);
            }
        }
    }
    return true;
}

/* Values of the base variables: the inverse times minus the loads of the keys. */
static void values_find(struct solver *solver)
{
    uint32_t count = solver->machine_count;
    double *loads = solver->direction; /* free at this time */

    memset(loads, 0, count * sizeof *loads);
    for (uint32_t task = 0; task < solver->task_count; task++) {
        loads[solver->key[task]] += scaled_time(solver, task, solver->key[task]);
    }
    for (uint32_t row = 0; row < count; row++) {
        double value = 0.0;

        for (uint32_t k = 0; k < count; k++) {
            value -= solver->inverse[(size_t)row * count + k] * loads[k];
        }
        solver->values[row] = value > 0 ? value : 0.0;
    }
}

/* The dual values are a row of the inverse, since the makespan alone has a cost. */
static void prices_find(struct solver *solver)
{
    const double *row = &solver->inverse[(size_t)solver->makespan_row * solver->machine_count];

    for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
        solver->prices[machine] = -row[machine];
    }
}

/* Is the share of `task` with the least reduced cost less than *cost? */
static void price_task(const struct solver *solver, uint32_t task, double *cost,
                       struct variable *entering)
{
    const double *times_s = &solver->etc->times_s[(size_t)task * solver->machine_count];
    uint32_t key = solver->key[task];
    double limit = solver->prices[key] * times_s[key] * solver->scale + *cost;

    for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
        double priced = solver->prices[machine] * times_s[machine] * solver->scale;

        if (priced < limit && machine != key && times_s[machine] < (double)INFINITY) {
            *cost += priced - limit;
            limit = priced;
            *entering = (struct variable){KIND_SHARE, task, machine};
        }
    }
}

/* A variable whose growth shortens the makespan: false if there is none. */
static bool entering_find(struct solver *solver, struct variable *entering)
{
    bool is_lowest = solver->stall_count > STALL_MAX;
    uint32_t part = solver->task_count / PRICE_PART + 1;
    uint32_t task = is_lowest ? 0 : solver->next_task;
    double cost = -REDUCED_MIN;
    bool is_found;

    for (uint32_t i = 0; i < solver->task_count; i++) {
        is_found = cost < -REDUCED_MIN;
        if (is_found && (is_lowest || i % part == 0)) {
            break;
        }
        price_task(solver, task, &cost, entering);
        task = task + 1 < solver->task_count ? task + 1 : 0;
    }
    solver->next_task = task;
    is_found = cost < -REDUCED_MIN;
    for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
        if (solver->prices[machine] < cost && !(is_lowest && is_found)) {
            cost = solver->prices[machine];
            *entering = (struct variable){KIND_SLACK, 0, machine};
            is_found = true;
        }
    }
    return is_found;
}

/* How the base variables fall as the entering one grows. */
static void direction_find(struct solver *solver, const struct variable *entering)
{
    uint32_t count = solver->machine_count;

    for (uint32_t row = 0; row < count; row++) {
        const double *inverse = &solver->inverse[(size_t)row * count];
        double fall = inverse[entering->machine];

        if (entering->kind == KIND_SHARE) {
            uint32_t key = solver->key[entering->task];

            fall = fall * scaled_time(solver, entering->task, entering->machine) -
                   inverse[key] * scaled_time(solver, entering->task, key);
        }
        solver->direction[row] = fall;
    }
}

/* What stops the growth: a base variable of `row`, or the key of `task`, that falls to zero. */
struct leaving {
    double step, pivot;
    uint64_t index;
    uint32_t row, task; /* NONE: the other */
};

static uint64_t variable_index(const struct solver *solver, const struct variable *variable)
{
    uint64_t shares = (uint64_t)solver->task_count * solver->machine_count;

    return variable->kind == KIND_SHARE
               ? (uint64_t)variable->task * solver->machine_count + variable->machine
           : variable->kind == KIND_SLACK ? shares + variable->machine
                                          : shares + solver->machine_count;
}

/* Takes the nearer candidate; of equally near ones that with the larger pivot, or under Bland's
 * rule the lower index. */
static void leaving_offer(const struct solver *solver, struct leaving *leaving,
                          struct leaving candidate)
{
    bool is_lowest = solver->stall_count > STALL_MAX;

    if (candidate.pivot <= PIVOT_MIN) {
        return;
    }
    if (candidate.step < leaving->step - TIE ||
        (candidate.step <= leaving->step + TIE &&
         (is_lowest ? candidate.index < leaving->index : candidate.pivot > leaving->pivot))) {
        candidate.step = candidate.step < leaving->step ? candidate.step : leaving->step;
        *leaving = candidate;
    }
}

static struct leaving leaving_find(struct solver *solver, const struct variable *entering)
{
    struct leaving leaving = {.step = INFINITY, .index = UINT64_MAX, .row = NONE, .task = NONE};
    uint32_t count = solver->machine_count;

    if (entering->kind == KIND_SHARE) {
        solver->key_value[entering->task] = 1.0;
        solver->key_growth[entering->task] = -1.0;
    }
    for (uint32_t row = 0; row < count; row++) {
        const struct variable *base = &solver->base[row];

        if (base->kind == KIND_SHARE &&
            !(entering->kind == KIND_SHARE && base->task == entering->task)) {
            solver->key_value[base->task] = 1.0;
            solver->key_growth[base->task] = 0.0;
        }
    }
    for (uint32_t row = 0; row < count; row++) {
        const struct variable *base = &solver->base[row];
        double fall = solver->direction[row];

        leaving_offer(solver, &leaving,
                      (struct leaving){solver->values[row] / fall, fall,
                                       variable_index(solver, base), row, NONE});
        if (base->kind == KIND_SHARE) {
            solver->key_value[base->task] -= solver->values[row];
            solver->key_growth[base->task] += fall;
        }
    }
    for (uint32_t row = 0; row <= count; row++) {
        const struct variable *base = row < count ? &solver->base[row] : entering;

        if (base->kind == KIND_SHARE) {
            uint32_t task = base->task;
            struct variable key = {KIND_SHARE, task, solver->key[task]};

            leaving_offer(solver, &leaving,
                          (struct leaving){
                              fmax(solver->key_value[task], 0.0) / -solver->key_growth[task],
                              -solver->key_growth[task], variable_index(solver, &key), NONE, task});
        }
    }
    return leaving;
}

/* Makes a base variable of the task its key, and its key a base variable in that place: the columns
 * of the task change by that one, so the rows of the inverse add up. The place, or NONE if the task
 * has no share in the base. */
static uint32_t key_exchange(struct solver *solver, uint32_t task)
{
    uint32_t count = solver->machine_count;
    uint32_t place = NONE;
    uint32_t machine = solver->key[task];
    double *inverse;

    for (uint32_t row = 0; row < count; row++) {
        if (solver->base[row].kind == KIND_SHARE && solver->base[row].task == task &&
            (place == NONE || solver->values[row] > solver->values[place])) {
            place = row;
        }
    }
    if (place == NONE) {
        return NONE;
    }
    inverse = &solver->inverse[(size_t)place * count];
    for (uint32_t row = 0; row < count; row++) {
        if (row != place && solver->base[row].kind == KIND_SHARE &&
            solver->base[row].task == task) {
            row_subtract(inverse, &solver->inverse[(size_t)row * count], -1.0, count);
        }
    }
    row_divide(inverse, -1.0, count);
    solver->key[task] = solver->base[place].machine;
    solver->base[place].machine = machine;
    solver->values[place] = fmax(solver->key_value[task], 0.0);
    return place;
}

/* The entering variable takes the place of a base variable. */
static void pivot(struct solver *solver, const struct variable *entering, uint32_t place,
                  double step)
{
    uint32_t count = solver->machine_count;
    double *inverse = &solver->inverse[(size_t)place * count];

    row_divide(inverse, solver->direction[place], count);
    for (uint32_t row = 0; row < count; row++) {
        if (row != place) {
            row_subtract(&solver->inverse[(size_t)row * count], inverse, solver->direction[row],
                         count);
        }
    }
    solver->base[place] = *entering;
    solver->values[place] = step;
}

/* One step of the simplex method. False: the basis cannot be improved further. */
static bool iterate(struct solver *solver, const struct variable *entering)
{
    struct leaving leaving;
    uint32_t place;

    direction_find(solver, entering);
    leaving = leaving_find(solver, entering);
    if ((leaving.row == NONE && leaving.task == NONE) || leaving.row == solver->makespan_row) {
        return false; /* the latter: a makespan of zero */
    }
    solver->stall_count = leaving.step > TIE ? 0 : solver->stall_count + 1;
    for (uint32_t row = 0; row < solver->machine_count; row++) {
        solver->values[row] =
            fmax(solver->values[row] - leaving.step * solver->direction[row], 0.0);
    }
    place = leaving.row;
    if (leaving.task != NONE) {
        place = key_exchange(solver, leaving.task);
        if (place == NONE) {
            solver->key[leaving.task] = entering->machine; /* it was moved as a whole */
            return true;
        }
        direction_find(solver, entering);
    }
    pivot(solver, entering, place, leaving.step);
    return true;
}

/* The value of the dual for any prices. */
static double dual_value(struct solver *solver)
{
    double sum = 0.0;
    double value = 0.0;

    for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
        solver->prices[machine] = fmax(solver->prices[machine], 0.0);
        sum += solver->prices[machine];
    }
    for (uint32_t task = 0; task < solver->task_count; task++) {
        double least = INFINITY;

        for (uint32_t machine = 0; machine < solver->machine_count; machine++) {
            double time_s = solver->etc->times_s[(size_t)task * solver->machine_count + machine];

            if (time_s < (double)INFINITY) {
                least = fmin(least, solver->prices[machine] * time_s);
            }
        }
        value += least;
    }
    return sum > 0 ? value / sum : 0.0;
}

/* Whole tasks: each to the machine that has most of it. */
static void round_shares(struct solver *solver, uint32_t *machine_of_task)
{
    double *largest = solver->key_growth;

    for (uint32_t task = 0; task < solver->task_count; task++) {
        solver->key_value[task] = 1.0;
        largest[task] = 0.0;
    }
    for (uint32_t row = 0; row < solver->machine_count; row++) {
        const struct variable *base = &solver->base[row];

        if (base->kind == KIND_SHARE) {
            solver->key_value[base->task] -= solver->values[row];
            if (solver->values[row] > largest[base->task]) {
                largest[base->task] = solver->values[row];
                machine_of_task[base->task] = base->machine;
            }
        }
    }
    for (uint32_t task = 0; task < solver->task_count; task++) {
        if (solver->key_value[task] >= largest[task]) {
            machine_of_task[task] = solver->key[task];
        }
    }
}

static void solve(struct solver *solver, uint64_t iteration_max, struct map_bound *bound)
{
    bool is_fresh = false;

    while (bound->iterations < iteration_max) {
        struct variable entering;

        if (!is_fresh && bound->iterations % INVERT_PERIOD == 0) {
            if (!invert(solver)) {
                return;
            }
            values_find(solver);
            is_fresh = true;
        }
        prices_find(solver);
        if (entering_find(solver, &entering) && iterate(solver, &entering)) {
            bound->iterations++;
            is_fresh = false;
        } else if (is_fresh || !invert(solver)) {
            return;
        } else {
            values_find(solver);
            is_fresh = true;
        }
    }
}

enum hs_err map_bound_find(const struct map_etc *etc, const uint32_t *machine_of_task,
                           uint64_t iteration_max, double *prices, uint32_t *rounded,
                           struct map_bound *bound, struct hs_error *error)
{
    struct solver solver;
    enum hs_err err = HS_OK;

    *bound = (struct map_bound){0};
    if (etc->machine_count > MAP_BOUND_MACHINES_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The bound, from which a search begins, too, is found for at most %d "
                            "machines, not for %u: it takes memory for each pair of them.",
                            MAP_BOUND_MACHINES_MAX, etc->machine_count);
    }
    if (iteration_max == 0) {
        iteration_max = 10000 + 100 * ((uint64_t)etc->task_count + etc->machine_count);
    }
    if (!solver_init(&solver, etc)) {
        err = hs_error_memory(error);
        goto out;
    }
    solver_start(&solver, machine_of_task);
    solve(&solver, iteration_max, bound);
    prices_find(&solver);
    bound->relaxed_s = solver.values[solver.makespan_row] / solver.scale;
    bound->bound_s = dual_value(&solver);
    bound->is_exact = bound->relaxed_s - bound->bound_s <= MAP_BOUND_GAP_MAX * bound->relaxed_s;
    if (prices) {
        memcpy(prices, solver.prices, etc->machine_count * sizeof *prices);
    }
    if (rounded) {
        round_shares(&solver, rounded);
    }
out:
    solver_fini(&solver);
    return err;
}
