/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reentrant.c - two simulations in one process: one runs inside the other, and neither is
 * disturbed. */
#include <stdio.h>
#include <string.h>

#include "run/run.h"
#include "unit.h"

static const char outer_text[] = "hsim: 1\n"
                                 "platform: {nodes: 64, cores: 1}\n"
                                 "workload: {generate: {jobs: 12000}}\n"
                                 "policy: wfp3-easy\n";
static const char inner_text[] = "hsim: 1\n"
                                 "platform: {nodes: 16, cores: 4}\n"
                                 "workload: {generate: {jobs: 500}}\n"
                                 "policy: {name: conservative, order: random}\n"
                                 "seed: 3\n";

/* Runs the experiment without a file; its digest. */
static void run_text(const char *text, void (*progress)(void *, int64_t, hs_time, double),
                     void *context, char digest[33])
{
    struct experiment experiment = {0};
    struct run_request request = {.has_no_file = true, .progress = progress, .context = context};
    struct run_session *session = NULL;
    struct run_outcome outcome = {0};
    struct hs_error error = {0};
    char *report = NULL;

    CU_ASSERT_EQUAL_FATAL(experiment_load_text(text, strlen(text), "text", ".", NULL, 0,
                                               &experiment, &report, &error),
                          HS_OK);
    CU_ASSERT_EQUAL_FATAL(run_open(&experiment, &request, &session, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(run_policy(session, 0, &outcome, &error), HS_OK);
    (void)snprintf(digest, 33, "%s", outcome.summary.schedule_digest);
    CU_ASSERT_STRING_EQUAL(outcome.status, "complete");
    run_outcome_fini(&outcome);
    run_close(session);
    experiment_fini(&experiment);
    free(report);
}

struct nested {
    char digest[33];
    int count;
};

static void run_inner(void *context, int64_t jobs_done, hs_time now, double share)
{
    struct nested *nested = context;

    (void)jobs_done;
    (void)now;
    CU_ASSERT(share > 0 && share <= 1);
    run_text(inner_text, NULL, NULL, nested->digest);
    nested->count++;
}

static void one_inside_the_other(void)
{
    char outer_alone[33];
    char inner_alone[33];
    char outer[33];
    struct nested nested = {0};

    run_text(outer_text, NULL, NULL, outer_alone);
    run_text(inner_text, NULL, NULL, inner_alone);
    run_text(outer_text, run_inner, &nested, outer);
    CU_ASSERT(nested.count >= 1);
    CU_ASSERT_STRING_EQUAL(outer, outer_alone);
    CU_ASSERT_STRING_EQUAL(nested.digest, inner_alone);
    CU_ASSERT_STRING_NOT_EQUAL(outer, nested.digest);
}

static void the_seed_matters(void)
{
    char first[33];
    char second[33];
    char other_seed[sizeof inner_text];

    run_text(inner_text, NULL, NULL, first);
    (void)snprintf(other_seed, sizeof other_seed, "%s", inner_text);
    other_seed[strlen(other_seed) - 2] = '4';
    run_text(other_seed, NULL, NULL, second);
    CU_ASSERT_STRING_NOT_EQUAL(first, second);
}

static const struct unit_test tests[] = {
    {"one inside the other", one_inside_the_other},
    {"the seed matters", the_seed_matters},
};

UNIT_MAIN("run: simulations", tests)
