/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_fixture.h - plans from text, in a folder that is removed at the end. */
#ifndef HSIM_TESTS_SWEEP_PLAN_FIXTURE_H
#define HSIM_TESTS_SWEEP_PLAN_FIXTURE_H

#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/plan.h"
#include "unit.h"

#define CHECK CU_ASSERT_TRUE
#define HEAD  "hsim: 1\nplatform: {nodes: 64}\nworkload: {generate: {jobs: 50}}\n"

struct plan_fixture {
    char folder[32];
    struct sweep_plan *plan;
    struct hs_error error;
    char *report;
    enum hs_err result;
};

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

/* Goes into a folder of its own. */
static inline void plan_enter(struct plan_fixture *fixture)
{
    *fixture = (struct plan_fixture){.folder = "/tmp/hsim-plan-XXXXXX"};
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(fixture->folder));
    CU_ASSERT_FATAL(chdir(fixture->folder) == 0);
}

static inline void plan_create(struct plan_fixture *fixture, const char *text,
                               const char *const *sets, size_t count)
{
    struct experiment_override overrides[8];

    CU_ASSERT_FATAL(count <= 8);
    for (size_t i = 0; i < count; i++) {
        overrides[i].text = sets[i];
    }
    write_file("e.yaml", text);
    fixture->error = (struct hs_error){0};
    fixture->result = sweep_plan_create("e.yaml", overrides, count, &fixture->plan,
                                        &fixture->report, &fixture->error);
}

/* A plan that must be valid; says what is not. */
static inline bool plan_is_valid(struct plan_fixture *fixture, const char *text)
{
    plan_create(fixture, text, NULL, 0);
    if (fixture->result != HS_OK) {
        printf("\nunexpected problem: %s\n",
               fixture->report ? fixture->report : fixture->error.text);
    }
    CHECK(fixture->result == HS_OK);
    return fixture->result == HS_OK;
}

static inline void plan_drop(struct plan_fixture *fixture)
{
    sweep_plan_destroy(fixture->plan);
    free(fixture->report);
    fixture->plan = NULL;
    fixture->report = NULL;
}

static inline int plan_remove(const char *path, const struct stat *status, int kind,
                              struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

static inline void plan_leave(struct plan_fixture *fixture)
{
    plan_drop(fixture);
    CHECK(chdir("/") == 0);
    CHECK(nftw(fixture->folder, plan_remove, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

static inline void check_text(const char *found, const char *expected)
{
    bool is_equal = found && strcmp(found, expected) == 0;

    if (!is_equal) {
        printf("\nfound:    %s\nexpected: %s\n", found ? found : "(none)", expected);
    }
    CHECK(is_equal);
}

/* "0.5 30s easy 7.1": the values of the axes, the policy, seed and replicate. */
static inline void row_text(const struct sweep_plan *plan, size_t row, char *text, size_t size)
{
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    size_t axis_count = sweep_plan_axes(plan, &axes), used = 0;

    (void)sweep_plan_rows(plan, &rows);
    for (size_t i = 0; i < axis_count; i++) {
        const char *value = rows[row].values[i].text;

        used += (size_t)snprintf(text + used, size - used, "%s ", value ? value : "-");
    }
    (void)snprintf(text + used, size - used, "%s %" PRIu64 ".%" PRId64, rows[row].policy,
                   rows[row].seed, rows[row].replicate);
}

/* All rows against a table that was made by hand. */
static inline void check_rows(const struct sweep_plan *plan, const char *const *expected,
                              size_t count)
{
    const struct sweep_row *rows;
    size_t found = sweep_plan_rows(plan, &rows);
    char text[256];

    CHECK(found == count);
    for (size_t i = 0; i < found && i < count; i++) {
        row_text(plan, i, text, sizeof text);
        check_text(text, expected[i]);
    }
}

#define CHECK_ROWS(plan, table) check_rows(plan, table, sizeof(table) / sizeof(table)[0])

static inline const char *row_key(const struct sweep_plan *plan, size_t row)
{
    const struct sweep_row *rows;

    CU_ASSERT_FATAL(row < sweep_plan_rows(plan, &rows));
    return rows[row].key;
}

static inline const char *row_situation(const struct sweep_plan *plan, size_t row)
{
    const struct sweep_row *rows;

    CU_ASSERT_FATAL(row < sweep_plan_rows(plan, &rows));
    return rows[row].situation;
}

#endif
