/* SPDX-License-Identifier: MIT */
/* sched.h - the scheduling core: a pure state machine.
 *
 * The host reports events in order of time, then asks for decisions: hs_sched_event ... event,
 * hs_sched_decide. At one instant it reports completions, changes of nodes, cancellations,
 * submissions, timers, in this order, and then asks once. The core has no clock, no files, no
 * threads; the same core runs in the simulator and before a live cluster. All state is in the
 * object. */
#ifndef HS_SCHED_H
#define HS_SCHED_H

#include "hs/event.h"
#include "hs/history.h"
#include "hs/registry.h"
#include "hs/speed.h"

struct hs_sched;

struct hs_sched_options {
    const struct hs_cluster *cluster; /* borrowed */
    struct hs_stack *stack;           /* borrowed; used by one scheduler only */
    uint64_t seed;                    /* of the policies' random numbers */
    const struct hs_mix *mix;         /* the demands to come, or NULL: not known; borrowed */
    const struct hs_speeds *speeds;   /* NULL: all nodes are alike; borrowed */
    hs_time restart_ns;               /* time that each restart after a preemption takes; >= 0 */
    const struct hs_history *history; /* recorded starts; NULL: none; borrowed */
    bool is_plain; /* walk the whole queue in each pass: slow, the same decisions; for tests */
};

/* Counters and gauges; all exact. */
struct hs_sched_stats {
    int64_t pending_jobs;
    int64_t pending_procs; /* processors that they ask for */
    int64_t starting_jobs; /* decided, not confirmed: they hold resources and still wait */
    int64_t starting_procs;
    int64_t running_jobs; /* confirmed */
    int64_t alloc_milli;  /* cores held by confirmed jobs, thousandths */
    int64_t events;
    int64_t passes;
    int64_t decisions;
    int64_t examined; /* jobs looked at in all passes */
    int64_t live_jobs_peak;
    int64_t pending_jobs_peak;
    int64_t preemptions;
    int64_t nodes_looked; /* nodes asked what they take of a demand that is to start now */
    int64_t avail_milli;  /* cores, thousandths, without what is free on nodes that are away */
    int64_t away_nodes;
};

/* Creates the scheduler and initialises the policy. */
enum hs_err hs_sched_create(const struct hs_sched_options *options, struct hs_sched **sched,
                            struct hs_error *error) HS_MUST_USE;
void hs_sched_destroy(struct hs_sched *sched);

/* Reports one event. Times must not decrease; they and the time since each job's
 * submission fit 64 bits. HS_ERR_STATE: the event
 * cannot be (a job that is not there, a node that is away already, time running back); the state is
 * then unchanged.
 * HS_ERR_CONFIG: a demand of a kind that this core does not place. */
enum hs_err hs_sched_event(struct hs_sched *sched, hs_time time, struct hs_event *event,
                           struct hs_error *error) HS_MUST_USE;

/* One pass. *decisions (borrowed until the next pass) are checked and in order. HS_ERR_POLICY: the
 * policy broke a rule; the sentence has policy, time, job and reason, and the scheduler is dead. */
enum hs_err hs_sched_decide(struct hs_sched *sched, hs_time time,
                            const struct hs_decision **decisions, size_t *count,
                            struct hs_error *error) HS_MUST_USE;

/* Is there a reason for a pass: do jobs wait (or run, if the policy preempts), and has anything
 * happened since the last one (the confirmation of a start is nothing)? */
bool hs_sched_wants_pass(const struct hs_sched *sched);

/* Called when the host has nothing to come: no events, no timers. HS_ERR_POLICY if jobs wait and
 * nothing runs, so that they would wait for ever. */
enum hs_err hs_sched_check_stall(const struct hs_sched *sched, struct hs_error *error) HS_MUST_USE;

/* How long the job of `question` will run, by the predictor of the stack: >= 1; HS_TIME_NEVER: no
 * idea. Without a predictor its request. Sets question->draw. */
hs_time hs_sched_predict(struct hs_sched *sched, struct hs_predict_question *question);

/* Teaches the predictor how a job has run; see hs_predictor.learn. False: no memory. */
bool hs_sched_learn(struct hs_sched *sched, struct hs_predict_question *question,
                    const struct hs_predict_run *run) HS_MUST_USE;

/* The live job in a slot (hs_job.slot), which must be in use. */
const struct hs_job *hs_sched_job(const struct hs_sched *sched, uint32_t slot);
const struct hs_job *hs_sched_find(const struct hs_sched *sched, struct hs_job_key key);
struct hs_sched_stats hs_sched_stats(const struct hs_sched *sched);

/* Could `demand` ever run on the empty cluster, with all its nodes? If not, *reason becomes a
 * clause. */
bool hs_sched_can_run(struct hs_sched *sched, const struct hs_demand *demand, char *reason,
                      size_t reason_size);

#endif
