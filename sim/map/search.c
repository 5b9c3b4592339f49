/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search.c - rounds of threshold accepting. */
#include "map/search.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload/random.h"

/* Found by trial on generated matrices and on those of Braun et al.; the results depend on them
 * little. */
#define ROUND_COUNT     12
#define TARGET          1.003 /* z relative to the bound */
#define THRESHOLD_FIRST 1e-3  /* at the beginning of the first round */
#define HALVING_COUNT   10    /* of the threshold in a round */
#define LEVEL_COUNT     5     /* rounds begin in turn with thresholds each 1/3 of the one before */
#define FAR_PERIOD                                                                                 \
    3 /* every third round can leave even a best that is far off: few large tasks                  \
       */
#define CHECK_STEPS 20000 /* between two questions whether time is over */
#define PLACE_MAX   16    /* machines of a task that are tried */

struct place {
    uint32_t task, machine;
    double regret; /* priced time above that on the task's cheapest machine */
};

struct search {
    const struct map_etc *etc;
    const struct map_search_options *options;
    struct map_search_result *result;
    gsl_rng *rng;
    uint32_t *now, *best; /* by task: machine */
    double *loads_s;      /* by machine, of now */
    double *penalties;    /* by machine */
    double target_s;
    struct place *places; /* by regret */
    size_t place_count;
};

double map_makespan(const struct map_etc *etc, const uint32_t *machine_of_task, double *loads_s)
{
    double makespan_s = 0.0;

    memset(loads_s, 0, etc->machine_count * sizeof *loads_s);
    for (uint32_t task = 0; task < etc->task_count; task++) {
        uint32_t machine = machine_of_task[task];

        loads_s[machine] += etc->times_s[(size_t)task * etc->machine_count + machine];
    }
    for (uint32_t machine = 0; machine < etc->machine_count; machine++) {
        makespan_s = fmax(makespan_s, loads_s[machine]);
    }
    return makespan_s;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left;
    const struct place *b = right;

    if (a->regret != b->regret) {
        return a->regret < b->regret ? -1 : 1;
    }
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a->machine > b->machine) - (a->machine < b->machine);
}

/* The few machines of each task on which it costs least, then all of them by what they cost. */
static bool places_find(struct search *search, const double *prices)
{
    const struct map_etc *etc = search->etc;
    uint32_t width = etc->machine_count < PLACE_MAX ? etc->machine_count : PLACE_MAX;
    struct place *room = malloc(etc->machine_count * sizeof *room);

    search->places = malloc((size_t)etc->task_count * width * sizeof *search->places);
    if (!room || !search->places) {
        free(room);
        return false;
    }
    for (uint32_t task = 0; task < etc->task_count; task++) {
        const double *times_s = &etc->times_s[(size_t)task * etc->machine_count];
        uint32_t count = 0;

        for (uint32_t machine = 0; machine < etc->machine_count; machine++) {
            if (times_s[machine] < (double)INFINITY) {
                room[count++] = (struct place){task, machine, prices[machine] * times_s[machine]};
            }
        }
        qsort(room, count, sizeof *room, compare_places);
        count = count < width ? count : width;
        for (uint32_t i = 0; i < count; i++) {
            search->places[search->place_count] = room[i];
            search->places[search->place_count++].regret -= room[0].regret;
        }
    }
    qsort(search->places, search->place_count, sizeof *search->places, compare_places);
    free(room);
    return true;
}

static double penalty(const struct search *search, double load_s)
{
    double above = load_s / search->target_s - 1.0;

    return above > 0 ? above * above : 0.0;
}

static double time_on(const struct search *search, uint32_t task, uint32_t machine)
{
    return search->etc->times_s[(size_t)task * search->etc->machine_count + machine];
}

/* Keeps what there is now if it is the best so far. */
static void best_update(struct search *search)
{
    double makespan_s = 0.0;

    for (uint32_t machine = 0; machine < search->etc->machine_count; machine++) {
        makespan_s = fmax(makespan_s, search->loads_s[machine]);
    }
    if (makespan_s < search->result->makespan_s) {
        search->result->makespan_s = makespan_s;
        memcpy(search->best, search->now, search->etc->task_count * sizeof *search->best);
    }
}

/* Tries to move one task, and in half of the cases a task of that machine to where the first was.
 */
static void step(struct search *search, double threshold)
{
    double draw = gsl_rng_uniform(search->rng);
    double draw2 = draw * draw;
    const struct place *place =
        &search->places[(size_t)((double)search->place_count * draw2 * draw2)];
    unsigned long bits = gsl_rng_get(search->rng);
    uint32_t task = place->task;
    uint32_t from = search->now[task];
    uint32_t to = place->machine;
    uint32_t partner =
        (uint32_t)workload_random_below((uint64_t)bits << 32, search->etc->task_count);
    bool is_exchange = (bits & 1) && search->now[partner] == to;
    double from_s, to_s, from_penalty, to_penalty;

    if (from == to) {
        return;
    }
    from_s = search->loads_s[from] - time_on(search, task, from);
    to_s = search->loads_s[to] + time_on(search, task, to);
    if (is_exchange) {
        from_s += time_on(search, partner, from);
        to_s -= time_on(search, partner, to);
    }
    from_penalty = penalty(search, from_s);
    to_penalty = penalty(search, to_s);
    if (!(from_penalty + to_penalty - search->penalties[from] - search->penalties[to] <=
          threshold)) {
        return;
    }
    search->now[task] = to;
    if (is_exchange) {
        search->now[partner] = from;
    }
    search->loads_s[from] = from_s;
    search->loads_s[to] = to_s;
    search->penalties[from] = from_penalty;
    search->penalties[to] = to_penalty;
    if (from_s < search->result->makespan_s && to_s < search->result->makespan_s) {
        best_update(search);
    }
}

/* One round from the best mapping so far; false: it was cut. */
static bool round_run(struct search *search, uint32_t number, uint64_t step_count)
{
    const struct map_etc *etc = search->etc;
    uint64_t stage = step_count / HALVING_COUNT + 1;
    double gap = search->result->makespan_s / search->target_s - 1.0;
    double threshold = THRESHOLD_FIRST;

    for (uint32_t level = number % LEVEL_COUNT; level > 0; level--) {
        threshold /= 3.0;
    }
    if (number % FAR_PERIOD == FAR_PERIOD - 1) {
        threshold = fmax(threshold, 2.0 * gap * gap);
    }
    memcpy(search->now, search->best, etc->task_count * sizeof *search->now);
    (void)map_makespan(etc, search->now, search->loads_s);
    for (uint32_t machine = 0; machine < etc->machine_count; machine++) {
        search->penalties[machine] = penalty(search, search->loads_s[machine]);
    }
    for (uint64_t i = 0; i < step_count; i++) {
        if (i % CHECK_STEPS == 0 && search->options->is_over &&
            search->options->is_over(search->options->context)) {
            search->result->is_cut = true;
            return false;
        }
        if (i % stage == 0) {
            threshold /= 2.0;
        }
        step(search, threshold);
        search->result->step_count++;
    }
    return true;
}

static void rounds_run(struct search *search)
{
    uint64_t left = search->options->step_count;

    for (uint32_t number = 0; number < ROUND_COUNT; number++) {
        uint64_t count = left / (ROUND_COUNT - number);

        if (search->result->makespan_s <= search->target_s / TARGET ||
            (count && !round_run(search, number, count))) {
            return; /* nothing is left to gain, or no time */
        }
        left -= count;
    }
}

/* The longest that a task takes where it is fastest: a bound, too. */
static double longest_task(const struct map_etc *etc)
{
    double longest_s = 0.0;

    for (uint32_t task = 0; task < etc->task_count; task++) {
        double least_s = INFINITY;

        for (uint32_t machine = 0; machine < etc->machine_count; machine++) {
            least_s = fmin(least_s, etc->times_s[(size_t)task * etc->machine_count + machine]);
        }
        longest_s = fmax(longest_s, least_s);
    }
    return longest_s;
}

static bool search_init(struct search *search, const struct map_etc *etc, uint64_t seed)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* it would abort without memory */

    search->rng = gsl_rng_alloc(gsl_rng_taus2);
    (void)gsl_set_error_handler(handler);
    search->now = malloc(etc->task_count * sizeof *search->now);
    search->best = malloc(etc->task_count * sizeof *search->best);
    search->loads_s = malloc(etc->machine_count * sizeof *search->loads_s);
    search->penalties = malloc(etc->machine_count * sizeof *search->penalties);
    if (!search->rng || !search->now || !search->best || !search->loads_s || !search->penalties) {
        return false;
    }
    /* It takes 32 bits of seed, and 0 for its own default. */
    gsl_rng_set(search->rng,
                (unsigned long)(workload_random_bits(seed, "map.search", 0) >> 33) + 1);
    return true;
}

static void search_fini(struct search *search)
{
    if (search->rng) {
        gsl_rng_free(search->rng);
    }
    free(search->now);
    free(search->best);
    free(search->loads_s);
    free(search->penalties);
    free(search->places);
}

enum hs_err map_search(const struct map_etc *etc, const struct map_search_options *options,
                       uint32_t *machine_of_task, struct map_search_result *result,
                       struct hs_error *error)
{
    struct search search = {.etc = etc, .options = options, .result = result};
    double *prices = malloc(etc->machine_count * sizeof *prices);
    enum hs_err err;

    *result = (struct map_search_result){0};
    if (!prices || !search_init(&search, etc, options->seed)) {
        err = hs_error_memory(error);
        goto out;
    }
    err = map_bound_find(etc, machine_of_task, 0, prices, search.best, &result->bound, error);
    if (err != HS_OK) {
        goto out;
    }
    if (!places_find(&search, prices)) {
        err = hs_error_memory(error);
        goto out;
    }
    search.target_s = fmax(result->bound.bound_s, longest_task(etc)) * TARGET;
    result->start_s = map_makespan(etc, machine_of_task, search.loads_s);
    result->makespan_s = map_makespan(etc, search.best, search.loads_s);
    rounds_run(&search);
    /* Sums of another order may differ in the last digit: what counts is the order of the tasks. */
    result->makespan_s = map_makespan(etc, search.best, search.loads_s);
    if (result->makespan_s < result->start_s) {
        memcpy(machine_of_task, search.best, etc->task_count * sizeof *machine_of_task);
    } else {
        result->makespan_s = result->start_s;
    }
out:
    free(prices);
    search_fini(&search);
    return err;
}
