/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.c - what pictures of many runs are made of: fronts, places of names, wrapped words, cells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/front.h"
#include "plot/labels.h"
#include "plot/scale.h"
#include "plot/sets.h"
#include "plot/words.h"
#include "unit.h"

/* Numbers that are the same everywhere: Knuth's generator of TAOCP 2, 3.3.4, line 26. */
static unsigned draw(uint64_t *state, unsigned limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % limit;
}

/* ---- fronts */

static bool dominates(const struct plot_front_point *a, const struct plot_front_point *b,
                      int x_sign, int y_sign)
{
    double x = x_sign * (b->x - a->x);
    double y = y_sign * (b->y - a->y);

    return x >= 0 && y >= 0 && (x > 0 || y > 0);
}

static void test_front_random(void)
{
    uint64_t state = 1;

    for (int round = 0; round < 400; round++) {
        struct plot_front_point points[12];
        size_t count = draw(&state, 12) + 1;
        int x_sign = round & 1 ? 1 : -1;
        int y_sign = round & 2 ? 1 : -1;
        size_t expected = 0;

        for (size_t i = 0; i < count; i++) {
            points[i] = (struct plot_front_point){draw(&state, 6), draw(&state, 6), false};
        }
        CU_ASSERT(plot_front_find(points, count, x_sign, y_sign) <= count);
        for (size_t i = 0; i < count; i++) {
            bool is_front = true;

            for (size_t k = 0; k < count; k++) {
                is_front = is_front && !dominates(&points[k], &points[i], x_sign, y_sign);
            }
            CU_ASSERT_EQUAL(points[i].is_front, is_front);
            expected += is_front;
            CU_ASSERT(i == 0 || x_sign * points[i].x >= x_sign * points[i - 1].x);
        }
        CU_ASSERT_EQUAL(plot_front_find(points, count, x_sign, y_sign), expected);
    }
    CU_ASSERT_EQUAL(plot_front_find(NULL, 0, 1, 1), 0);
}

/* ---- names */

static double shared(double a_low, double a_size, double b_low, double b_size)
{
    return fmin(a_low + a_size, b_low + b_size) - fmax(a_low, b_low);
}

static void check_names(const struct plot_label *labels, size_t count, const struct plot_area *area)
{
    for (size_t i = 0; i < count; i++) {
        const struct plot_label *a = &labels[i];

        CU_ASSERT(a->left >= 0 && a->left + a->width <= area->width + 1e-9);
        CU_ASSERT(a->bottom >= 0 && a->bottom + a->height <= area->height + 1e-9);
        for (size_t k = 0; k < count; k++) {
            const struct plot_label *b = &labels[k];

            CU_ASSERT(k == i || shared(a->left, a->width, b->left, b->width) <= 1e-9 ||
                      shared(a->bottom, a->height, b->bottom, b->height) <= 1e-9);
            CU_ASSERT(shared(a->left, a->width, b->x - area->point, 2 * area->point) <= 1e-9 ||
                      shared(a->bottom, a->height, b->y - area->point, 2 * area->point) <= 1e-9);
        }
    }
}

/* Seven names in a picture of 40 x 25 letters can be placed: in corners, close together, in a row.
 */
static void test_names(void)
{
    static const double places[][2] = {{0, 0},     {40, 25}, {39, 1}, {20, 12},
                                       {20.5, 12}, {20, 13}, {1, 24}};
    const struct plot_area area = {.width = 40, .height = 25, .point = 0.3};
    struct plot_label labels[7];
    struct plot_label again[7];

    for (int i = 0; i < 7; i++) {
        labels[i] =
            (struct plot_label){.x = places[i][0], .y = places[i][1], .width = 6, .height = 1.2};
    }
    memcpy(again, labels, sizeof labels);
    CU_ASSERT(plot_labels_place(labels, 7, &area) <= 0);
    check_names(labels, 7, &area);
    (void)plot_labels_place(again, 7, &area);
    CU_ASSERT(memcmp(again, labels, sizeof labels) == 0);
    /* Alone it stands on the right, and away from a line there. */
    labels[0] = (struct plot_label){.x = 10, .y = 10, .width = 6, .height = 1.2};
    (void)plot_labels_place(labels, 1, &area);
    CU_ASSERT(labels[0].left > 10 && fabs(labels[0].bottom + 0.6 - 10) < 1e-9);
    (void)plot_labels_place(
        labels, 1,
        &(struct plot_area){.width = 40,
                            .height = 25,
                            .point = 0.3,
                            .obstacles = &(struct plot_obstacle){5, 9.8, 40, 10.2},
                            .obstacle_count = 1});
    CU_ASSERT(labels[0].bottom >= 10.2 || labels[0].bottom + 1.2 <= 9.8);
}

/* Where there is no room it says so. */
static void test_names_crowded(void)
{
    const struct plot_area area = {.width = 8, .height = 2, .point = 0.3};
    struct plot_label labels[4];

    for (int i = 0; i < 4; i++) {
        labels[i] = (struct plot_label){.x = 4, .y = 1, .width = 6, .height = 1.2};
    }
    CU_ASSERT(plot_labels_place(labels, 4, &area) > 0);
}

static void is_wrapped(const char *text, size_t width, const char *expected, size_t lines)
{
    size_t count = 0;
    char *own = plot_words_wrap(text, width, &count);

    CU_ASSERT_STRING_EQUAL(own, expected);
    CU_ASSERT_EQUAL(count, lines);
    free(own);
}

static void test_wrap(void)
{
    is_wrapped("mean bounded slowdown", 12, "mean bounded\nslowdown", 2);
    is_wrapped("mean bounded slowdown", 11, "mean\nbounded\nslowdown", 3);
    is_wrapped("mean bounded slowdown", 21, "mean bounded slowdown", 1);
    is_wrapped("utilisation", 3, "utilisation", 1);
    is_wrapped("ä ö ü", 3, "ä ö\nü", 2); /* letters, not bytes */
    is_wrapped("", 3, "", 1);
}

/* ---- cells */

struct row {
    const char *label, *load, *seed;
    double value;
    enum result_stability stability;
};

/* Seven runs of two policies: a cell of five, one of one, and one that is unstable. */
static const struct row rows[] = {
    {"a", "0.5", "1", 1, RESULT_STABLE},   {"a", "0.5", "2", 2, RESULT_STABLE},
    {"a", "0.5", "3", 3, RESULT_STABLE},   {"a", "0.5", "4", 4, RESULT_STABLE},
    {"a", "0.5", "5", 5, RESULT_STABLE},   {"a", "0.9", "1", 9, RESULT_UNSTABLE},
    {"b", "0.5", "1", NAN, RESULT_STABLE},
};

static void fill(struct plot_sets *sets)
{
    static struct compare_fact facts[sizeof rows / sizeof rows[0]][2];
    static const char *lines[] = {"a", "b"};
    struct hs_error error = {0};

    *sets = (struct plot_sets){.level = 0.95, .line_count = 2, .lines = calloc(2, sizeof *lines)};
    memcpy(sets->lines, lines, sizeof lines);
    sets->set.metric_count = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = rows[i].value;
        struct compare_run run = {.path = "x",
                                  .name = "x",
                                  .label = rows[i].label,
                                  .facts = facts[i],
                                  .fact_count = 2,
                                  .values = &value,
                                  .stability = rows[i].stability};

        facts[i][0] = (struct compare_fact){"workload.load", rows[i].load, rows[i].load};
        facts[i][1] = (struct compare_fact){"seed", rows[i].seed, rows[i].seed};
        CU_ASSERT_EQUAL(compare_add_run(&sets->set, &run, &error), HS_OK);
    }
}

static void test_cells(void)
{
    struct plot_sets sets;
    struct plot_axis axis;
    struct plot_mean mean;
    struct hs_error error = {0};

    fill(&sets);
    CU_ASSERT_EQUAL(plot_axis_find(&sets, "workload.load", &axis, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(axis.unit, "1");
    CU_ASSERT_STRING_EQUAL(plot_sets_only_varying(&sets), "workload.load");
    CU_ASSERT_EQUAL(plot_sets_gather(&sets, &axis, 1, &error), HS_OK);
    CU_ASSERT_EQUAL(sets.cell_count, 3);
    CU_ASSERT_EQUAL(sets.cells[0].count, 5);
    CU_ASSERT(plot_axis_value(&axis, sets.cells[1].runs[0]) == 0.9);
    CU_ASSERT_STRING_EQUAL(plot_cells_differ(&sets.cells[0], &sets.cells[1]), "workload.load");
    CU_ASSERT(plot_cell_mean(&sets, &sets.cells[0], 0, &mean));
    /* 1 to 5: s = sqrt(2.5), t(4) = 2.7764451. */
    CU_ASSERT(mean.mean.estimate == 3 && mean.count == 5 && mean.unstable == 0);
    CU_ASSERT_DOUBLE_EQUAL(mean.mean.high, 3 + 2.7764451 * sqrt(0.5), 1e-7);
    CU_ASSERT(plot_cell_mean(&sets, &sets.cells[1], 0, &mean));
    CU_ASSERT(mean.count == 0 && mean.unstable == 1 && isnan(mean.mean.estimate));
    CU_ASSERT(plot_cell_mean(&sets, &sets.cells[2], 0, &mean));
    CU_ASSERT(mean.count == 0 && mean.missing == 1);
    plot_sets_fini(&sets);
}

/* Units of an axis come from its values; a zero without one goes with all. */
static void test_axis(void)
{
    struct plot_sets sets;
    struct plot_axis axis;
    struct hs_error error = {0};

    fill(&sets);
    sets.set.runs[0].facts[0].text = "0";
    for (size_t i = 1; i < sets.set.run_count; i++) {
        sets.set.runs[i].facts[0].text = i % 2 ? "90s" : "2m";
    }
    CU_ASSERT_EQUAL(plot_axis_find(&sets, "workload.load", &axis, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(axis.unit, "s");
    CU_ASSERT(plot_axis_value(&axis, &sets.set.runs[1]) == 90);
    CU_ASSERT(plot_axis_value(&axis, &sets.set.runs[2]) == 120);
    sets.set.runs[3].facts[0].text = "often";
    CU_ASSERT_EQUAL(plot_axis_find(&sets, "workload.load", &axis, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(axis.unit, "");
    CU_ASSERT(isnan(plot_axis_value(&axis, &sets.set.runs[1])));
    CU_ASSERT_EQUAL(plot_axis_find(&sets, "workload.laod", &axis, &error), HS_ERR_CONFIG);
    CU_ASSERT(strstr(error.text, "did you mean 'workload.load'?") != NULL);
    plot_sets_fini(&sets);
}

static void test_span(void)
{
    struct plot_span span = {false, 0, 0, 0};
    const struct stats_interval below = {1, -2, 4};

    plot_span_add(&span, NAN);
    CU_ASSERT(!span.is_used && !plot_span_is_wide(&span));
    plot_span_add_interval(&span, &below);
    CU_ASSERT(span.low == 1 && span.high == 4 && span.least == 1);
    plot_span_add(&span, 21);
    CU_ASSERT(plot_span_is_wide(&span));
    plot_span_add(&span, 0);
    CU_ASSERT(!plot_span_is_wide(&span) && span.least == 1);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"fronts against plain comparison", test_front_random},
        {"names cover nothing", test_names},
        {"names without room", test_names_crowded},
        {"wrapped words", test_wrap},
        {"cells and their means", test_cells},
        {"axes of numbers, durations and words", test_axis},
        {"spans", test_span},
    };

    return unit_main("plot parts", tests, sizeof tests / sizeof tests[0]);
}
