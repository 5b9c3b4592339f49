/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fixture.h - experiments from text, for the tests of this folder. */
#ifndef HSIM_TESTS_EXPERIMENT_FIXTURE_H
#define HSIM_TESTS_EXPERIMENT_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "experiment/experiment.h"
#include "unit.h"

/* Keys that a test is not about. */
#define HEAD  "hsim: 1\nplatform: {nodes: 4}\n"
#define FOUR  HEAD "workload: w.swf\npolicy: easy\n"
#define CHECK CU_ASSERT_TRUE

struct fixture {
    struct experiment experiment;
    struct hs_error error;
    char *report;
    enum hs_err result;
};

static inline void fixture_load_bytes(struct fixture *fixture, const char *text, size_t length,
                                      const struct experiment_override *overrides, size_t count)
{
    *fixture = (struct fixture){0};
    fixture->result = experiment_load_text(text, length, "dir/e.yaml", "dir", overrides, count,
                                           &fixture->experiment, &fixture->report, &fixture->error);
}

static inline void fixture_load(struct fixture *fixture, const char *text)
{
    fixture_load_bytes(fixture, text, strlen(text), NULL, 0);
}

static inline void fixture_fini(struct fixture *fixture)
{
    experiment_fini(&fixture->experiment);
    free(fixture->report);
}

/* Loads text that must be valid; says what is not. */
static inline bool fixture_is_valid(struct fixture *fixture, const char *text)
{
    fixture_load(fixture, text);
    if (fixture->result != HS_OK) {
        printf("\nunexpected problem: %s\n", fixture->report ? fixture->report : "(none)");
    }
    CHECK(fixture->result == HS_OK);
    return fixture->result == HS_OK;
}

/* Compares texts and shows both when they differ. */
static inline void check_text(const char *found, const char *expected)
{
    bool is_equal = found && strcmp(found, expected) == 0;

    if (!is_equal) {
        printf("\nfound:    %s\nexpected: %s\n", found ? found : "(none)", expected);
    }
    CHECK(is_equal);
}

/* Loads text that must fail with exactly this report. */
static inline void check_report(const char *text, const char *expected)
{
    struct fixture fixture;

    fixture_load(&fixture, text);
    CHECK(fixture.result == HS_ERR_CONFIG);
    CHECK(fixture.error.code == HS_ERR_CONFIG);
    check_text(fixture.report, expected);
    fixture_fini(&fixture);
}

#endif
