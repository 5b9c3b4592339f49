/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.h - an experiment carried out: one simulation and one result file for each policy.
 *
 * A session loads the platform and composes all policies first, so that a wrong name in the last
 * policy is told before the first simulation. */
#ifndef HSIM_RUN_H
#define HSIM_RUN_H

#include "experiment/experiment.h"
#include "run/simulation.h"
#include "run/warm.h"

struct run_request {
    const char *output; /* file (one policy, ends in .h5) or folder; NULL: as the experiment says */
    bool is_forced;     /* existing results are replaced */
    bool has_no_file;   /* compute, and write nothing */
    const char *command_line;
    const char *key;       /* what the key of the run must be (run_key.h); NULL: any */
    struct run_warm *warm; /* platforms that may be there already (warm.h); NULL: none */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, int64_t jobs_done, hs_time now, double share);
    void (*written)(void *context); /* before waiting until the result is on the disk; or NULL */
    void *context;
};

struct run_outcome {
    char *file;         /* where the result is; NULL: none was kept; owned */
    const char *status; /* "complete", "interrupted" or "failed" */
    double wall_s;
    double cpu_s;
    struct result_summary summary;
    struct simulation_report report;
};

struct run_session;

/* Are the plug-ins there, and names and parameters of the policies right? If not, the error has a
 * line for each wrong policy. */
enum hs_err run_check(const struct experiment *experiment, struct hs_error *error) HS_MUST_USE;

/* Loads the platform, plug-ins and policies, and checks the output. The experiment and the request
 * are borrowed. */
enum hs_err run_open(const struct experiment *experiment, const struct run_request *request,
                     struct run_session **session, struct hs_error *error) HS_MUST_USE;
void run_close(struct run_session *session); /* takes NULL */

/* Labels, unique within the session; live as long as it. */
const char *run_label(const struct run_session *session, size_t policy);

/* Simulates policy number `policy`. The outcome is filled in also on failure. */
enum hs_err run_policy(struct run_session *session, size_t policy, struct run_outcome *outcome,
                       struct hs_error *error) HS_MUST_USE;
void run_outcome_fini(struct run_outcome *outcome);

/* Makes a folder and those above it, as far as they are missing. */
enum hs_err run_make_folders(const char *path, struct hs_error *error) HS_MUST_USE;

/* A registry with the built-in plug-ins and those of the files. */
enum hs_err run_registry_create(const char *const *plugins, size_t plugin_count,
                                struct hs_registry **registry, struct hs_error *error) HS_MUST_USE;

/* Composes a policy of the experiment; errors have no place. The stack may be there on failure,
 * too: hs_stack_destroy in any case. */
struct hs_stack;
enum hs_err run_compose(const struct hs_registry *registry, const struct experiment *experiment,
                        size_t policy, struct hs_stack **stack, struct hs_error *error) HS_MUST_USE;

/* The label of a policy by itself; a session adds a number where one is taken. */
#define RUN_LABEL_SIZE 160
void run_label_make(const struct experiment_policy *policy, const struct hs_stack *stack,
                    char label[RUN_LABEL_SIZE]);

/* Runs the experiment that a result file holds again, and compares the digests of its inputs and
 * of the schedule. HS_ERR_INPUT: the file or its inputs cannot be used. */
struct run_verification {
    char recorded[33];
    char computed[33];
};
enum hs_err run_verify(const char *path, struct run_verification *verification,
                       struct hs_error *error) HS_MUST_USE;

#endif
