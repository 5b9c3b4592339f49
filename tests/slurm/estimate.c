/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.c - times of missing runs from a small list of timings. */
#include "sweep/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#define ROWS 7

static const struct sweep_row rows[ROWS] = {
    {.key = "k0", .policy = "easy"}, {.key = "k1", .policy = "fcfs"},
    {.key = "k2", .policy = "easy"}, {.key = "k3", .policy = "sjf"},
    {.key = "k4", .policy = "easy"}, {.key = "k5", .policy = "fcfs"},
    {.key = "k6", .policy = "easy"},
};

/* Reads these lines as a file of timings. */
static struct sweep_estimate read_lines(const char *lines)
{
    char path[] = "/tmp/estimate-XXXXXX";
    int file = mkstemp(path);
    struct sweep_estimate estimate = {0};
    struct hs_error error = {0};
    char text[1024];
    int length = snprintf(text, sizeof text, "key,status,wall_s,cpu_s,rss_bytes\n%s", lines);

    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_EQUAL_FATAL(write(file, text, (size_t)length), length);
    (void)close(file);
    CU_ASSERT_EQUAL_FATAL(sweep_estimate_read(path, rows, ROWS, &estimate, &error), HS_OK);
    (void)unlink(path);
    return estimate;
}

static void test_means(void)
{
    static const double expected_s[ROWS] = {4, 30, 8, 30, 6, 30, 6};
    struct sweep_estimate estimate = read_lines("k0,complete,100,1,5000\n" /* and again below */
                                                "k2,complete,8,1,7000\n"
                                                "other,complete,1000,1,90000\n"
                                                "k4,failed,900,1,90000\n"
                                                "k1,complete,30,1,6000\n"
                                                "k0,complete,4,1,6500\n"
                                                "k6,comple");

    for (int i = 0; i < ROWS; i++) {
        CU_ASSERT_DOUBLE_EQUAL(estimate.wall_s[i], expected_s[i], 1e-12);
    }
    CU_ASSERT_EQUAL(estimate.rss_bytes, 7000);
    CU_ASSERT_EQUAL(estimate.measured, 3);
    sweep_estimate_fini(&estimate);
}

static void test_nothing(void)
{
    struct sweep_estimate estimate = read_lines("k0,complete,nan,1,1\nk1,complete,-1,1,1\n");
    struct hs_error error = {0};

    for (int i = 0; i < ROWS; i++) {
        CU_ASSERT(isnan(estimate.wall_s[i]));
    }
    CU_ASSERT_EQUAL(estimate.measured, 0);
    sweep_estimate_fini(&estimate);
    CU_ASSERT_EQUAL(sweep_estimate_read("/no/such/file", rows, ROWS, &estimate, &error), HS_OK);
    CU_ASSERT(isnan(estimate.wall_s[ROWS - 1]));
    CU_ASSERT_EQUAL(estimate.rss_bytes, 0);
    sweep_estimate_fini(&estimate);
}

static const struct unit_test tests[] = {
    {"means over policies", test_means},
    {"nothing is known", test_nothing},
};

UNIT_MAIN("estimates", tests)
