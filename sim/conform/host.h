/* SPDX-License-Identifier: GPL-3.0-or-later */
/* host.h - a small host of the scheduling core: carries out one case, an instant at a time.
 *
 * At one instant it reports ends and failed starts, changes of nodes, cancellations, submissions,
 * corrections, timers, and asks once for decisions. Hosts share nothing, so that two can be stepped
 * in turn. */
#ifndef HSIM_CONFORM_HOST_H
#define HSIM_CONFORM_HOST_H

#include "conform/case.h"
#include "hs/event.h"

/* What the plug-in may be busy with; kept where it survives a crash. */
enum host_call {
    HOST_CALL_NONE,
    HOST_CALL_LOAD,    /* constructors of the shared object */
    HOST_CALL_BEGIN,   /* init */
    HOST_CALL_EVENT,   /* notify, keys of an order, predictions */
    HOST_CALL_PASS,    /* schedule, scores */
    HOST_CALL_PREDICT, /* predict, learn */
    HOST_CALL_END,     /* fini */
};

struct host_trace {
    enum host_call call;
    hs_time now_ns;
    uint32_t passes;
};

enum host_verdict {
    HOST_RUNS,
    HOST_DONE,    /* every job ended, was cancelled, or was rejected */
    HOST_REFUSED, /* the composition would not begin: HS_ERR_CONFIG of init */
    HOST_BROKE,   /* a decision broke a rule, or the core could not go on */
    HOST_STALLED, /* jobs wait, and nothing will change that */
};

struct host_options {
    const struct hs_registry *registry; /* borrowed */
    const struct hs_choice *choice;     /* borrowed */
    bool is_plain;                      /* hs_sched_options.is_plain */
    bool hides_truth;                   /* predictors are not told how long a job will run */
    struct host_trace *trace;
};

/* One decision that shaped the schedule. */
struct host_decision {
    enum hs_decision_kind kind;
    int64_t job;
    hs_time time_ns;
    uint64_t digest; /* of all of it, nodes and devices included */
};

struct conform_host;

/* Composes the stack and opens the scheduler. NULL: no memory. A refusal shows in the verdict. */
struct conform_host *host_open(const struct conform_case *model,
                               const struct host_options *options);
/* The next instant; false: it is over. */
bool host_step(struct conform_host *host);
void host_close(struct conform_host *host);

enum host_verdict host_verdict(const struct conform_host *host);
const char *host_text(const struct conform_host *host); /* a sentence about the verdict */
/* All starts, preemptions and rejections so far; valid until the next step. */
const struct host_decision *host_decisions(const struct conform_host *host, size_t *count);
/* Does the composition have a predictor that says that it reads the truth? */
bool host_knows_truth(const struct conform_host *host);

#endif
