/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heuristics.c - every heuristic against its definition, with ties, forbidden machines, ready times
 * and classes; properties; the work that is done. */
#include <math.h>
#include <string.h>

#include "lib/mapping.h"
#include "naive.h"
#include "unit.h"

#define TASKS_MAX    24
#define MACHINES_MAX 12
#define CASE_COUNT   600

static size_t allocation_count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    allocation_count++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocation_count++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    allocation_count++;
    return __real_realloc(memory, size);
}

static uint64_t draw(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9E3779B97F4A7C15);

    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(draw(state) % limit);
}

static double real(uint64_t *state)
{
    return (double)(draw(state) >> 11) * 0x1.0p-53;
}

/* A matrix of classes and the same written out. */
struct fixture {
    uint32_t tasks, machines, rows, columns;
    uint32_t row_of_task[TASKS_MAX], column_of_machine[MACHINES_MAX];
    double classes_s[TASKS_MAX * MACHINES_MAX];
    double times_s[TASKS_MAX * MACHINES_MAX];
    double ready_s[MACHINES_MAX];
    bool has_ready;
};

/* Whole numbers tie often, others never. */
static double draw_time(uint64_t *state, bool is_whole)
{
    if (below(state, 8) == 0) {
        return INFINITY;
    }
    return is_whole ? below(state, 6) : 1.0 + 1000.0 * real(state);
}

static void fixture_draw(struct fixture *fixture, uint64_t *state, bool has_classes, bool is_whole)
{
    fixture->tasks = 1 + below(state, TASKS_MAX);
    fixture->machines = 1 + below(state, MACHINES_MAX);
    fixture->rows = has_classes ? 1 + below(state, 5) : fixture->tasks;
    fixture->columns = has_classes ? 1 + below(state, 4) : fixture->machines;
    fixture->has_ready = below(state, 2);
    for (uint32_t i = 0; i < fixture->rows * fixture->columns; i++) {
        fixture->classes_s[i] = draw_time(state, is_whole);
    }
    for (uint32_t task = 0; task < fixture->tasks; task++) {
        fixture->row_of_task[task] = has_classes ? below(state, fixture->rows) : task;
    }
    for (uint32_t machine = 0; machine < fixture->machines; machine++) {
        fixture->column_of_machine[machine] =
            has_classes ? below(state, fixture->columns) : machine;
        fixture->ready_s[machine] = 0.0;
        if (fixture->has_ready) {
            /* Tiny ready times vanish beside larger times: sums tie although terms differ. */
            fixture->ready_s[machine] =
                is_whole ? below(state, 4) * (below(state, 2) ? 1.0 : 1e-17) : 500.0 * real(state);
        }
    }
    for (uint32_t i = 0; i < fixture->tasks * fixture->machines; i++) {
        uint32_t row = fixture->row_of_task[i / fixture->machines];

        fixture->times_s[i] = fixture->classes_s[row * fixture->columns +
                                                 fixture->column_of_machine[i % fixture->machines]];
    }
}

static struct hp_mapping map(struct hp_mapper *mapper, const char *name,
                             const struct fixture *fixture, bool has_classes)
{
    struct hp_mapping_problem problem = {.task_count = fixture->tasks,
                                         .machine_count = fixture->machines,
                                         .times_s = fixture->times_s,
                                         .ready_s = fixture->has_ready ? fixture->ready_s : NULL};
    struct hp_mapping mapping = {0};
    struct hs_error error = {0};

    if (has_classes) {
        problem.times_s = fixture->classes_s;
        problem.row_count = fixture->rows;
        problem.column_count = fixture->columns;
        problem.row_of_task = fixture->row_of_task;
        problem.column_of_machine = fixture->column_of_machine;
    }
    CU_ASSERT_EQUAL_FATAL(
        hp_mapper_map(mapper, hp_heuristic_find(name), &problem, &mapping, &error), HS_OK);
    return mapping;
}

/* The order of a mapping replayed gives its completions, makespan and flowtime. */
static void check_books(const struct fixture *fixture, const struct hp_mapping *mapping)
{
    double ready_s[MACHINES_MAX];
    bool is_seen[TASKS_MAX] = {false};
    double makespan_s = 0.0, flowtime_s = 0.0;
    uint32_t count = 0;

    memcpy(ready_s, fixture->ready_s, sizeof ready_s);
    for (uint32_t i = 0; i < mapping->mapped_count; i++) {
        uint32_t task = mapping->order[i];
        uint32_t machine = mapping->machine_of_task[task];

        CU_ASSERT_FATAL(task < fixture->tasks && machine < fixture->machines && !is_seen[task]);
        is_seen[task] = true;
        ready_s[machine] += fixture->times_s[task * fixture->machines + machine];
        CU_ASSERT_EQUAL(mapping->completion_s[task], ready_s[machine]);
        makespan_s = fmax(makespan_s, ready_s[machine]);
    }
    for (uint32_t task = 0; task < fixture->tasks; task++) {
        count += mapping->machine_of_task[task] != HP_MAPPING_NONE;
        flowtime_s += is_seen[task] ? mapping->completion_s[task] : 0.0;
    }
    CU_ASSERT_EQUAL(count, mapping->mapped_count);
    CU_ASSERT_EQUAL(mapping->makespan_s, makespan_s);
    CU_ASSERT_EQUAL(mapping->flowtime_s, flowtime_s);
    CU_ASSERT_EQUAL(memcmp(mapping->ready_s, ready_s, fixture->machines * sizeof *ready_s), 0);
}

static void check_naive(const char *name, const struct fixture *fixture,
                        const struct hp_mapping *mapping)
{
    double ready_s[MACHINES_MAX];
    uint32_t machine_of_task[TASKS_MAX];
    struct naive naive = {fixture->tasks, fixture->machines, fixture->times_s,
                          ready_s,        machine_of_task,   0.0};

    memcpy(ready_s, fixture->ready_s, sizeof ready_s);
    if (strcmp(name, "duplex") == 0) {
        struct naive other;

        naive_map(&naive, "min-min");
        other = naive;
        memcpy(ready_s, fixture->ready_s, sizeof ready_s);
        naive_map(&naive, "max-min");
        CU_ASSERT_EQUAL(mapping->makespan_s, fmin(naive.makespan_s, other.makespan_s));
        return;
    }
    naive_map(&naive, name);
    CU_ASSERT_EQUAL(mapping->makespan_s, naive.makespan_s);
    CU_ASSERT_EQUAL(
        memcmp(mapping->machine_of_task, machine_of_task, fixture->tasks * sizeof *machine_of_task),
        0);
}

/* Whole and other times; the deviation is compared where it does not tie, since the two ways to
 * compute it round differently. */
static void test_definitions(void)
{
    struct hp_mapper *mapper = hp_mapper_create();
    struct fixture fixture;
    uint64_t state = 1;

    for (int i = 0; i < CASE_COUNT; i++) {
        bool is_whole = i % 2;

        fixture_draw(&fixture, &state, false, is_whole);
        for (size_t h = 0; h < hp_heuristic_count; h++) {
            const char *name = hp_heuristics[h].name;
            struct hp_mapping mapping = map(mapper, name, &fixture, false);

            check_books(&fixture, &mapping);
            if (!is_whole || strcmp(name, "min-standard-deviation") != 0) {
                check_naive(name, &fixture, &mapping);
            }
        }
    }
    hp_mapper_destroy(mapper);
}

static void test_classes(void)
{
    struct hp_mapper *mappers[] = {hp_mapper_create(), hp_mapper_create()};
    struct fixture fixture;
    uint64_t state = 2;

    for (int i = 0; i < CASE_COUNT; i++) {
        fixture_draw(&fixture, &state, true, i % 2);
        for (size_t h = 0; h < hp_heuristic_count; h++) {
            const char *name = hp_heuristics[h].name;
            struct hp_mapping plain = map(mappers[0], name, &fixture, false);
            struct hp_mapping classes = map(mappers[1], name, &fixture, true);

            check_books(&fixture, &classes);
            CU_ASSERT_EQUAL(plain.mapped_count, classes.mapped_count);
            CU_ASSERT_EQUAL(memcmp(plain.machine_of_task, classes.machine_of_task,
                                   fixture.tasks * sizeof(uint32_t)),
                            0);
            CU_ASSERT_EQUAL(plain.makespan_s, classes.makespan_s);
        }
    }
    hp_mapper_destroy(mappers[0]);
    hp_mapper_destroy(mappers[1]);
}

/* Scaling by a power of two scales all; with one machine all heuristics agree; MET is the sum of
 * the row minima by machine; duplex the better of two. */
static void test_properties(void)
{
    struct hp_mapper *mapper = hp_mapper_create();
    struct fixture fixture, scaled;
    uint64_t state = 3;

    for (int i = 0; i < CASE_COUNT; i++) {
        double makespans_s[16];

        fixture_draw(&fixture, &state, false, false);
        fixture.machines = i % 4 ? fixture.machines : 1;
        scaled = fixture;
        for (uint32_t k = 0; k < TASKS_MAX * MACHINES_MAX; k++) {
            scaled.times_s[k] = fixture.times_s[k] * 8.0;
        }
        for (uint32_t k = 0; k < MACHINES_MAX; k++) {
            scaled.ready_s[k] = fixture.ready_s[k] * 8.0;
        }
        for (size_t h = 0; h < hp_heuristic_count; h++) {
            makespans_s[h] = map(mapper, hp_heuristics[h].name, &fixture, false).makespan_s;
            CU_ASSERT_EQUAL(map(mapper, hp_heuristics[h].name, &scaled, false).makespan_s,
                            8.0 * makespans_s[h]);
            if (fixture.machines == 1) {
                CU_ASSERT_DOUBLE_EQUAL(makespans_s[h], makespans_s[0], 1e-9 * makespans_s[0]);
            }
        }
        CU_ASSERT_EQUAL(map(mapper, "duplex", &fixture, false).makespan_s,
                        fmin(map(mapper, "min-min", &fixture, false).makespan_s,
                             map(mapper, "max-min", &fixture, false).makespan_s));
    }
    hp_mapper_destroy(mapper);
}

static void fill(double *times_s, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        times_s[i] = 1.0 + 3000.0 * real(state);
    }
}

/* A mapper that has seen the size allocates nothing; steps cost what has changed. */
static void test_work(void)
{
    enum { TASKS = 1000, MACHINES = 50 };
    double *times_s = malloc(TASKS * MACHINES * sizeof *times_s);
    struct hp_mapper *mapper = hp_mapper_create();
    struct hp_mapping_problem problem = {
        .task_count = TASKS, .machine_count = MACHINES, .times_s = times_s};
    struct hp_mapping mapping = {0};
    struct hs_error error = {0};
    uint64_t state = 4;
    uint64_t cells = TASKS * MACHINES;

    CU_ASSERT_FATAL(times_s && mapper);
    fill(times_s, TASKS * MACHINES, &state);
    for (int round = 0; round < 2; round++) {
        size_t before = allocation_count;

        for (size_t h = 0; h < hp_heuristic_count; h++) {
            CU_ASSERT_EQUAL(hp_mapper_map(mapper, &hp_heuristics[h], &problem, &mapping, &error),
                            HS_OK);
            CU_ASSERT_EQUAL(mapping.mapped_count, TASKS);
        }
        CU_ASSERT_EQUAL(allocation_count - before, round == 0 ? 1 : 0);
    }
    CU_ASSERT_EQUAL(hp_mapper_map(mapper, hp_heuristic_find("mct"), &problem, &mapping, &error),
                    HS_OK);
    CU_ASSERT_EQUAL(mapping.cell_count, cells);
    CU_ASSERT_EQUAL(hp_mapper_map(mapper, hp_heuristic_find("min-min"), &problem, &mapping, &error),
                    HS_OK);
    /* Every task in every step would be 500 times the cells. */
    CU_ASSERT(mapping.cell_count < 20 * cells);
    hp_mapper_destroy(mapper);
    free(times_s);
}

/* Ten thousand machines of three classes: a step costs classes. */
static void test_class_work(void)
{
    enum { TASKS = 2000, MACHINES = 10000 };
    static const double times_s[] = {10, 20, 30, 8, INFINITY, 5};
    uint32_t *rows = calloc(TASKS, sizeof *rows);
    uint32_t *columns = calloc(MACHINES, sizeof *columns);
    struct hp_mapper *mapper = hp_mapper_create();
    struct hp_mapping_problem problem = {.task_count = TASKS,
                                         .machine_count = MACHINES,
                                         .row_count = 2,
                                         .column_count = 3,
                                         .times_s = times_s,
                                         .row_of_task = rows,
                                         .column_of_machine = columns};
    struct hs_error error = {0};

    CU_ASSERT_FATAL(rows && columns && mapper);
    for (uint32_t i = 0; i < TASKS; i++) {
        rows[i] = i % 2;
    }
    for (uint32_t i = 0; i < MACHINES; i++) {
        columns[i] = i % 3;
    }
    for (size_t h = 0; h < hp_heuristic_count; h++) {
        struct hp_mapping mapping = {0};

        CU_ASSERT_EQUAL(hp_mapper_map(mapper, &hp_heuristics[h], &problem, &mapping, &error),
                        HS_OK);
        CU_ASSERT_EQUAL(mapping.mapped_count, TASKS);
        CU_ASSERT(mapping.cell_count <= (uint64_t)TASKS * 2 * 3 * 2 + 12);
        if (strcmp(hp_heuristics[h].name, "min-min") == 0) {
            CU_ASSERT_EQUAL(mapping.makespan_s, 10.0); /* all run at once */
        }
    }
    hp_mapper_destroy(mapper);
    free(rows);
    free(columns);
}

/* By hand: Maheswaran's tie rules on three tasks and two machines. */
static void test_by_hand(void)
{
    static const double times_s[] = {4, 10, 5, 6, 3, 9};
    struct fixture fixture = {.tasks = 3, .machines = 2};
    struct hp_mapper *mapper = hp_mapper_create();

    memcpy(fixture.times_s, times_s, sizeof times_s);
    CU_ASSERT_EQUAL(map(mapper, "olb", &fixture, false).makespan_s, 7.0);  /* 0, 1, then 0: 4 < 6 */
    CU_ASSERT_EQUAL(map(mapper, "met", &fixture, false).makespan_s, 12.0); /* all on 0 */
    CU_ASSERT_EQUAL(map(mapper, "mct", &fixture, false).makespan_s, 7.0);
    CU_ASSERT_EQUAL(map(mapper, "min-min", &fixture, false).makespan_s, 7.0);
    /* 1 on 0 (5), then 0 on 0 (9 < 10), then 2: 9 on 1. */
    CU_ASSERT_EQUAL(map(mapper, "max-min", &fixture, false).makespan_s, 9.0);
    /* Losses 6, 1, 6: task 0 on 0 (4). Then 1 (6 or 9: loss 3) on 1, and 2 (7 or 15) on 0. */
    CU_ASSERT_EQUAL(map(mapper, "sufferage-iter", &fixture, false).makespan_s, 7.0);
    CU_ASSERT_EQUAL(map(mapper, "sufferage-pass", &fixture, false).makespan_s, 7.0);
    CU_ASSERT_PTR_NULL(hp_heuristic_find("minmin"));
    hp_mapper_destroy(mapper);
    hp_mapper_destroy(NULL);
}

static const struct unit_test tests[] = {
    {"each heuristic is its definition", test_definitions},
    {"classes decide as the matrix written out", test_classes},
    {"properties", test_properties},
    {"by hand", test_by_hand},
    {"work and memory", test_work},
    {"work with classes", test_class_work},
};

UNIT_MAIN("heuristics", tests)
