/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pools.c - mapping to pools of slots, against plain arrays and exhaustive search. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/mapping.h"
#include "unit.h"

#define TASKS_MAX 24u
#define POOLS_MAX 5u
#define SLOTS_MAX 6u

/* One problem, and the plain mapping of it. Times are small whole numbers, so that sums are exact
 * and ties are many. */
struct scene {
    uint32_t tasks, rows, pools;
    uint32_t slot_count[POOLS_MAX];
    double slots[POOLS_MAX][SLOTS_MAX]; /* ascending */
    double times_s[TASKS_MAX * POOLS_MAX];
    uint32_t widths[TASKS_MAX * POOLS_MAX];
    uint32_t row_of_task[TASKS_MAX];
    struct hp_booking bookings[4];
    uint32_t booking_count;
    double patience;
    /* the answer */
    double ready[POOLS_MAX][SLOTS_MAX];
    uint32_t pool_of_task[TASKS_MAX];
    double end_s[TASKS_MAX];
    uint32_t mapped;
    double makespan_s;
};

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static void sort(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = i; k > 0 && values[k - 1] > values[k]; k--) {
            double value = values[k];

            values[k] = values[k - 1];
            values[k - 1] = value;
        }
    }
}

static void make(struct scene *scene, uint32_t seed, bool is_wide)
{
    uint32_t state = seed;

    *scene = (struct scene){.tasks = 1 + draw(&state, TASKS_MAX),
                            .pools = 1 + draw(&state, POOLS_MAX),
                            .patience = draw(&state, 8) / 2.0};
    scene->rows = 1 + draw(&state, scene->tasks);
    for (uint32_t pool = 0; pool < scene->pools; pool++) {
        scene->slot_count[pool] = 1 + draw(&state, SLOTS_MAX);
        for (uint32_t i = 0; i < scene->slot_count[pool]; i++) {
            scene->slots[pool][i] = draw(&state, 8);
        }
        sort(scene->slots[pool], scene->slot_count[pool]);
    }
    for (uint32_t row = 0; row < scene->rows; row++) {
        for (uint32_t pool = 0; pool < scene->pools; pool++) {
            uint32_t cell = row * scene->pools + pool;

            scene->times_s[cell] = draw(&state, 6) ? draw(&state, 12) : (double)INFINITY;
            scene->widths[cell] = is_wide ? 1 + draw(&state, scene->slot_count[pool]) : 1;
        }
    }
    for (uint32_t task = 0; task < scene->tasks; task++) {
        scene->row_of_task[task] = draw(&state, scene->rows);
    }
    scene->booking_count = draw(&state, 5);
    for (uint32_t i = 0; i < scene->booking_count; i++) {
        uint32_t pool = draw(&state, scene->pools);

        scene->bookings[i] =
            (struct hp_booking){draw(&state, 9), pool, 1 + draw(&state, scene->slot_count[pool])};
    }
}

static uint32_t width_of(const struct scene *scene, uint32_t task, uint32_t pool)
{
    return scene->widths[scene->row_of_task[task] * scene->pools + pool];
}

static double time_of(const struct scene *scene, uint32_t task, uint32_t pool)
{
    return scene->times_s[scene->row_of_task[task] * scene->pools + pool];
}

static double end_of(const struct scene *scene, uint32_t task, uint32_t pool)
{
    return scene->ready[pool][width_of(scene, task, pool) - 1] + time_of(scene, task, pool);
}

static void take(struct scene *scene, uint32_t pool, uint32_t width, double time_s)
{
    double end_s = scene->ready[pool][width - 1] + time_s;

    for (uint32_t i = 0; i < width; i++) {
        scene->ready[pool][i] = end_s;
    }
    sort(scene->ready[pool], scene->slot_count[pool]);
}

static void give(struct scene *scene, uint32_t task, uint32_t pool)
{
    scene->end_s[task] = end_of(scene, task, pool);
    scene->pool_of_task[task] = pool;
    scene->mapped++;
    scene->makespan_s = fmax(scene->makespan_s, scene->end_s[task]);
    take(scene, pool, width_of(scene, task, pool), time_of(scene, task, pool));
}

static void reset(struct scene *scene)
{
    memcpy(scene->ready, scene->slots, sizeof scene->ready);
    for (uint32_t i = 0; i < scene->booking_count; i++) {
        take(scene, scene->bookings[i].column, scene->bookings[i].width, scene->bookings[i].time_s);
    }
    for (uint32_t task = 0; task < scene->tasks; task++) {
        scene->pool_of_task[task] = HP_MAPPING_NONE;
        scene->end_s[task] = INFINITY;
    }
    scene->mapped = 0;
    scene->makespan_s = 0.0;
}

/* The pool that completes the task first, and the least end on anything but the last slot of it. */
static uint32_t best_pool(const struct scene *scene, uint32_t task, double *other_s)
{
    uint32_t best = HP_MAPPING_NONE;

    for (uint32_t pool = 0; pool < scene->pools; pool++) {
        if (end_of(scene, task, pool) < (double)INFINITY &&
            (best == HP_MAPPING_NONE || end_of(scene, task, pool) < end_of(scene, task, best))) {
            best = pool;
        }
    }
    *other_s = INFINITY;
    for (uint32_t pool = 0; best != HP_MAPPING_NONE && pool < scene->pools; pool++) {
        uint32_t width = width_of(scene, task, pool);

        if (pool != best) {
            *other_s = fmin(*other_s, end_of(scene, task, pool));
        } else if (width < scene->slot_count[pool]) {
            *other_s = fmin(*other_s, scene->ready[pool][width] + time_of(scene, task, pool));
        }
    }
    return best;
}

/* What the rules in turn choose. */
static uint32_t choose(const struct scene *scene, const char *rule, uint32_t task)
{
    uint32_t best = HP_MAPPING_NONE;
    double best_key = INFINITY;
    double best_end_s = INFINITY;
    double other_s;

    if (strcmp(rule, "mct") == 0) {
        return best_pool(scene, task, &other_s);
    }
    for (uint32_t pool = 0; pool < scene->pools; pool++) {
        uint32_t width = width_of(scene, task, pool);
        double time_s = time_of(scene, task, pool);
        double wait_s = scene->ready[pool][width - 1];
        double key = strcmp(rule, "olb") == 0 ? wait_s : time_s;
        double end_s = 0.0;

        if (time_s >= (double)INFINITY) {
            continue;
        }
        if (strcmp(rule, "match") == 0) {
            key = wait_s <= scene->patience * time_s ? time_s : (double)INFINITY;
            end_s = wait_s + time_s;
        }
        if (strcmp(rule, "balance") == 0) {
            key = width * time_s;
            for (uint32_t i = 0; i < scene->slot_count[pool]; i++) {
                key += scene->ready[pool][i];
            }
            key /= scene->slot_count[pool];
        }
        if (key < best_key || (key == best_key && key < (double)INFINITY && end_s < best_end_s)) {
            best = pool;
            best_key = key;
            best_end_s = end_s;
        }
    }
    return best == HP_MAPPING_NONE && strcmp(rule, "match") == 0 ? best_pool(scene, task, &other_s)
                                                                 : best;
}

static void map_in_turn(struct scene *scene, const char *rule)
{
    reset(scene);
    for (uint32_t task = 0; task < scene->tasks; task++) {
        uint32_t pool = choose(scene, rule, task);

        if (pool != HP_MAPPING_NONE) {
            give(scene, task, pool);
        }
    }
}

static void map_by_key(struct scene *scene, const char *rule)
{
    reset(scene);
    for (;;) {
        uint32_t pick = HP_MAPPING_NONE;
        uint32_t pick_pool = 0;
        double pick_key = 0;

        for (uint32_t task = 0; task < scene->tasks; task++) {
            double other_s;
            double key;
            uint32_t pool;

            if (scene->pool_of_task[task] != HP_MAPPING_NONE) {
                continue;
            }
            pool = best_pool(scene, task, &other_s);
            if (pool == HP_MAPPING_NONE) {
                continue;
            }
            key = end_of(scene, task, pool);
            key = strcmp(rule, "min-min") == 0   ? key
                  : strcmp(rule, "max-min") == 0 ? -key
                                                 : key - other_s;
            if (pick == HP_MAPPING_NONE || key < pick_key) {
                pick = task;
                pick_pool = pool;
                pick_key = key;
            }
        }
        if (pick == HP_MAPPING_NONE) {
            return;
        }
        give(scene, pick, pick_pool);
    }
}

static void map_sufferage_passes(struct scene *scene)
{
    uint32_t before;

    reset(scene);
    do {
        uint32_t holder[POOLS_MAX];
        double suffers[POOLS_MAX] = {0};

        before = scene->mapped;
        for (uint32_t pool = 0; pool < scene->pools; pool++) {
            holder[pool] = HP_MAPPING_NONE;
        }
        for (uint32_t task = 0; task < scene->tasks; task++) {
            double other_s;
            uint32_t pool;

            if (scene->pool_of_task[task] != HP_MAPPING_NONE) {
                continue;
            }
            pool = best_pool(scene, task, &other_s);
            if (pool != HP_MAPPING_NONE && (holder[pool] == HP_MAPPING_NONE ||
                                            other_s - end_of(scene, task, pool) > suffers[pool])) {
                holder[pool] = task;
                suffers[pool] = other_s - end_of(scene, task, pool);
            }
        }
        for (uint32_t pool = 0; pool < scene->pools; pool++) {
            if (holder[pool] != HP_MAPPING_NONE) {
                give(scene, holder[pool], pool);
            }
        }
    } while (scene->mapped > before);
}

static void map_plainly(struct scene *scene, const char *rule)
{
    if (strcmp(rule, "duplex") == 0) {
        double makespan_s;

        map_by_key(scene, "max-min");
        makespan_s = scene->makespan_s;
        map_by_key(scene, "min-min");
        if (makespan_s < scene->makespan_s) {
            map_by_key(scene, "max-min");
        }
    } else if (strcmp(rule, "sufferage-pass") == 0) {
        map_sufferage_passes(scene);
    } else if (strcmp(rule, "min-min") == 0 || strcmp(rule, "max-min") == 0 ||
               strcmp(rule, "sufferage-iter") == 0) {
        map_by_key(scene, rule);
    } else {
        map_in_turn(scene, rule);
    }
}

static void map_scene(const struct scene *scene, struct hp_mapper *mapper,
                      const struct hp_heuristic *heuristic, bool is_wide,
                      struct hp_mapping *mapping)
{
    struct hp_slots slots[POOLS_MAX * SLOTS_MAX];
    uint32_t begin[POOLS_MAX + 1] = {0};
    struct hp_pools pools = {
        .slots = slots,
        .slots_begin = begin,
        .widths = is_wide ? scene->widths : NULL,
        .bookings = scene->bookings,
        .booking_count = scene->booking_count,
        .patience = scene->patience,
    };
    struct hp_mapping_problem problem = {
        .task_count = scene->tasks,
        .machine_count = scene->pools,
        .row_count = scene->rows,
        .times_s = scene->times_s,
        .row_of_task = scene->row_of_task,
        .pools = &pools,
    };

    for (uint32_t pool = 0; pool < scene->pools; pool++) {
        begin[pool + 1] = begin[pool];
        for (uint32_t i = 0; i < scene->slot_count[pool]; i++) {
            slots[begin[pool + 1]++] = (struct hp_slots){scene->slots[pool][i], 1};
        }
    }
    CU_ASSERT_EQUAL_FATAL(hp_mapper_map(mapper, heuristic, &problem, mapping, NULL), HS_OK);
}

static bool is_equal(const struct scene *scene, const struct hp_mapping *mapping)
{
    for (uint32_t task = 0; task < scene->tasks; task++) {
        if (mapping->machine_of_task[task] != scene->pool_of_task[task] ||
            mapping->completion_s[task] != scene->end_s[task]) {
            return false;
        }
    }
    return mapping->mapped_count == scene->mapped && mapping->makespan_s == scene->makespan_s;
}

static void check(struct hp_mapper *mapper, const struct hp_heuristic *heuristic, uint32_t seed)
{
    bool is_wide = seed % 3;
    struct scene scene;
    struct hp_mapping mapping;
    bool is_good;

    make(&scene, seed, is_wide);
    map_plainly(&scene, heuristic->name);
    map_scene(&scene, mapper, heuristic, is_wide, &mapping);
    is_good = is_equal(&scene, &mapping);
    if (!is_good) {
        printf("%s, seed %u\n", heuristic->name, (unsigned)seed);
    }
    CU_ASSERT_FATAL(is_good);
}

static void equals_the_plain_mapping(void)
{
    struct hp_mapper *mapper = hp_mapper_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(mapper);
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        for (size_t i = 0; i < hp_heuristic_count; i++) {
            if (strcmp(hp_heuristics[i].name, "min-standard-deviation") != 0) {
                check(mapper, &hp_heuristics[i], seed);
            }
        }
        check(mapper, &hp_heuristic_match, seed);
        check(mapper, &hp_heuristic_balance, seed);
    }
    hp_mapper_destroy(mapper);
}

/* The variance of all slots' ready times. */
static double variance(const struct scene *scene)
{
    double sum = 0.0;
    double squares = 0.0;
    double count = 0.0;

    for (uint32_t pool = 0; pool < scene->pools; pool++) {
        for (uint32_t i = 0; i < scene->slot_count[pool]; i++) {
            sum += scene->ready[pool][i];
            squares += scene->ready[pool][i] * scene->ready[pool][i];
            count++;
        }
    }
    return squares / count - sum / count * (sum / count);
}

/* Ties are broken by rounding, so it is followed step by step: each is at least as good as any. */
static void deviation_takes_a_best_step(void)
{
    struct hp_mapper *mapper = hp_mapper_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(mapper);
    for (uint32_t seed = 1; seed <= 500; seed++) {
        bool is_wide = seed % 3;
        struct scene scene;
        struct hp_mapping mapping;

        make(&scene, seed, is_wide);
        map_scene(&scene, mapper, hp_heuristic_find("min-standard-deviation"), is_wide, &mapping);
        reset(&scene);
        for (uint32_t k = 0; k < mapping.mapped_count; k++) {
            uint32_t picked = mapping.order[k];
            double least = INFINITY;

            for (uint32_t cell = 0; cell < scene.tasks * scene.pools; cell++) {
                uint32_t task = cell / scene.pools;
                uint32_t pool = cell % scene.pools;
                struct scene copy = scene;

                if (copy.pool_of_task[task] == HP_MAPPING_NONE &&
                    time_of(&copy, task, pool) < (double)INFINITY) {
                    give(&copy, task, pool);
                    least = fmin(least, variance(&copy));
                }
            }
            give(&scene, picked, mapping.machine_of_task[picked]);
            CU_ASSERT_FATAL(variance(&scene) <= least + 1e-9);
            CU_ASSERT_EQUAL_FATAL(scene.end_s[picked], mapping.completion_s[picked]);
        }
    }
    hp_mapper_destroy(mapper);
}

/* Pools of one slot are machines. */
static void pools_of_one_slot_are_machines(void)
{
    struct hp_mapper *mapper = hp_mapper_create();
    struct hp_mapper *plain = hp_mapper_create();

    CU_ASSERT_FATAL(mapper && plain);
    for (uint32_t seed = 1; seed <= 500; seed++) {
        for (size_t i = 0; i < hp_heuristic_count; i++) {
            struct scene scene;
            struct hp_mapping mapping;
            struct hp_mapping machines;
            double ready_s[POOLS_MAX];
            struct hp_mapping_problem problem;

            make(&scene, seed, false);
            scene.booking_count = 0;
            for (uint32_t pool = 0; pool < scene.pools; pool++) {
                scene.slot_count[pool] = 1;
                ready_s[pool] = scene.slots[pool][0];
            }
            problem = (struct hp_mapping_problem){.task_count = scene.tasks,
                                                  .machine_count = scene.pools,
                                                  .row_count = scene.rows,
                                                  .times_s = scene.times_s,
                                                  .row_of_task = scene.row_of_task,
                                                  .ready_s = ready_s};
            map_scene(&scene, mapper, &hp_heuristics[i], false, &mapping);
            CU_ASSERT_EQUAL_FATAL(
                hp_mapper_map(plain, &hp_heuristics[i], &problem, &machines, NULL), HS_OK);
            CU_ASSERT_EQUAL_FATAL(mapping.mapped_count, machines.mapped_count);
            CU_ASSERT_EQUAL_FATAL(mapping.makespan_s, machines.makespan_s);
            CU_ASSERT_FATAL(memcmp(mapping.order, machines.order,
                                   mapping.mapped_count * sizeof *mapping.order) == 0);
            CU_ASSERT_FATAL(memcmp(mapping.machine_of_task, machines.machine_of_task,
                                   scene.tasks * sizeof *mapping.machine_of_task) == 0);
        }
    }
    hp_mapper_destroy(mapper);
    hp_mapper_destroy(plain);
}

static const struct unit_test tests[] = {
    {"mapping to pools equals plain arrays and exhaustive search", equals_the_plain_mapping},
    {"min-standard-deviation takes a best step", deviation_takes_a_best_step},
    {"pools of one slot are machines", pools_of_one_slot_are_machines},
};

UNIT_MAIN("mapping to pools", tests)
