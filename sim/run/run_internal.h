/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_internal.h - a session from inside: run.c opens and runs it, compose.c makes the policies of
 * the experiment, files.c decides which result files come to be. */
#ifndef HSIM_RUN_INTERNAL_H
#define HSIM_RUN_INTERNAL_H

#include <string.h>

#include "run/power.h"
#include "run/run.h"
#include "run/run_key.h"
#include "run/speeds.h"
#include "workload/mix.h"

#define RUN_LIBRARIES_MAX 32 /* class libraries of an experiment */
#define RUN_INPUT_MAX     (RUN_LIBRARIES_MAX + 10)

struct run_session {
    const struct experiment *experiment;
    const struct run_request *request;
    struct platform platform;
    struct availability availability; /* if the experiment has one */
    struct run_power power;
    struct run_speeds speeds;
    struct hs_registry *registry;
    struct workload_options workload;
    struct run_inputs files_read;
    struct run_digests *digests;
    struct result_input inputs[RUN_INPUT_MAX]; /* the workload first, if it is a file */
    size_t input_count;
    struct run_basis basis;  /* of the keys */
    struct workload_mix mix; /* of the workload; empty unless something needs it */
    hs_time measure_from_ns;
    hs_time measure_to_ns;
    struct hs_stack **stacks;
    char (*labels)[RUN_LABEL_SIZE];
    char **files; /* NULL entries: nothing is written */
};

/* Has `text` more than this end? */
static inline bool run_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* compose.c: composes and names all policies. Every wrong one is told, in a line of its own. */
enum hs_err session_compose(struct run_session *session, struct hs_error *error) HS_MUST_USE;

/* files.c: the names of the results; refuses those that would overwrite something. */
enum hs_err session_plan_files(struct run_session *session, struct hs_error *error) HS_MUST_USE;

#endif
