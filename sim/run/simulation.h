/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulation.h - one simulation: the loop between workload, engine, scheduling core and log.
 *
 * At one instant: completions, changes of nodes, cancellations, submissions in file order, timers;
 * then one pass. */
#ifndef HSIM_SIMULATION_H
#define HSIM_SIMULATION_H

#include <signal.h>

#include "engine/energy.h"
#include "hs/mix.h"
#include "hs/registry.h"
#include "platform/availability.h"
#include "result/result.h"
#include "workload/workload.h"

struct run_speeds;

struct simulation_options {
    const struct hs_cluster *cluster; /* all borrowed */
    struct hs_stack *stack;
    const struct workload_options *workload;
    const struct hs_mix *mix;  /* the demands of the workload; NULL: not known */
    struct run_speeds *speeds; /* how fast jobs run where; NULL: all devices are equally fast */
    /* When nodes leave and come back; NULL: they stay. `availability_path` is for messages. */
    const struct availability *availability;
    const char *availability_path;
    struct result_writer *writer;
    struct energy *energy; /* is told what jobs hold, and settled at the end; NULL: none */
    uint64_t seed;
    hs_time interval_ns;     /* passes only at multiples of it; 0: at every event */
    hs_time latency_ns;      /* from a decision to the start */
    hs_time preempt_cost_ns; /* that each restart of a preempted job takes */
    bool has_whole_nodes;    /* every job gets its nodes for itself */
    bool has_fragments;      /* of free devices are told; needs a mix, if there are jobs */
    bool is_clairvoyant;     /* the estimate that policies see is the true run time */
    const volatile sig_atomic_t *stop; /* nonzero: end soon; may be NULL */
    /* Called now and then with the share of the workload that has been read, 0 to 1 (NaN: unknown);
     * may be NULL. */
    void (*progress)(void *context, int64_t jobs_done, hs_time now, double share);
    void *context;
};

struct simulation_report {
    int64_t events;
    int64_t passes;
    int64_t decisions;
    int64_t jobs_examined;
    int64_t jobs_done;
    int64_t pending_peak;
    struct workload_stats workload;
    struct workload_tally late; /* starts after the recorded one; no lines */
    hs_int128 late_ns;          /* sum of their delays */
    int64_t unrecorded;         /* jobs without a recorded start, when such starts are asked for */
    struct workload_tally rejected;        /* by the core (can never run) or the policy; no lines */
    struct workload_tally unknown_classes; /* jobs whose class is not known: the default counts */
    struct workload_tally unmet_rows;      /* rows of speeds.class_map that no job has met */
    bool is_interrupted;
};

/* Runs to the end, or to the interruption; jobs that are not done are then logged as unfinished. An
 * inflated workload, whose jobs never end, ends with its last submission.
 * Feeds the writer, and neither finishes nor aborts it. Errors: of the workload, of the policy
 * (HS_ERR_POLICY), of the writer. The report is filled in all cases. */
enum hs_err simulation_run(const struct simulation_options *options,
                           struct simulation_report *report, struct hs_error *error) HS_MUST_USE;

#endif
