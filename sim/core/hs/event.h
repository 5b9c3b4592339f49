/* SPDX-License-Identifier: MIT */
/* event.h - what the host tells the core, and what the core answers. */
#ifndef HS_EVENT_H
#define HS_EVENT_H

#include "hs/job.h"

enum hs_event_kind {
    HS_EVENT_SUBMITTED,    /* spec */
    HS_EVENT_STARTED,      /* the host carried out a start decision */
    HS_EVENT_START_FAILED, /* it could not: the job waits again */
    HS_EVENT_FINISHED,     /* ended by itself or killed at its limit */
    HS_EVENT_CANCELLED,    /* by the user, waiting or running */
    HS_EVENT_TIMER,        /* a wake-up that the core asked for, or a tick of the host */
    HS_EVENT_NODE,         /* a node becomes unavailable, or available again: node, is_available */
    HS_EVENT_EXPECTED,     /* a running job is now expected to end at `expected_end_ns` */
};

struct hs_event {
    enum hs_event_kind kind;
    struct hs_job_key key;          /* all but SUBMITTED, TIMER and NODE */
    const struct hs_job_spec *spec; /* SUBMITTED: borrowed for the call */
    /* Set by the core: for the host after SUBMITTED, for notify always. The host may set it before
     * to the job of `key`, which spares a look-up. */
    const struct hs_job *job;
    const char *refusal; /* set by the core after SUBMITTED: a clause why the job can never run here
                            (then job is NULL and nothing is kept), else NULL */
    /* NODE: the index of the node. While it is away nothing starts on it; what runs on it runs on.
     */
    uint32_t node;
    bool is_available;
    hs_time expected_end_ns; /* EXPECTED: not before now; HS_TIME_NEVER: unknown from now on. A rule
                                that keeps reservations finds it in `job`, and makes them anew */
};

enum hs_decision_kind {
    HS_DECISION_START,   /* carry out, then answer STARTED or START_FAILED */
    HS_DECISION_REJECT,  /* the job leaves; `reason` says why */
    HS_DECISION_WAKE,    /* send TIMER at `time_ns` */
    HS_DECISION_PREEMPT, /* the running job stops now, keeps what it has done, and waits again; to
                            be carried out before the starts of the same pass, without an answer */
};

struct hs_decision {
    uint64_t id; /* ascends over the life of the scheduler */
    enum hs_decision_kind kind;
    struct hs_job_key key;
    /* START, PREEMPT: valid until the job ends; REJECT: until the next event. A preempted job waits
     * again, or is started again in the same pass. */
    const struct hs_job *job;
    hs_time time_ns;    /* WAKE */
    const char *reason; /* REJECT: valid until the next call */
    /* PREEMPT: what it held, valid until the next event, and since when. */
    const struct hs_alloc *alloc;
    hs_time start_ns;
};

#endif
