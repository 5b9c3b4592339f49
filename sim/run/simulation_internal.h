/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulation_internal.h - a simulation from inside: live jobs, agenda, and what joins the files.
 *
 * simulation.c has the loop, life.c what happens to a job, live.c what is kept of live jobs,
 * predict.c what is predicted of them. */
#ifndef HSIM_SIMULATION_INTERNAL_H
#define HSIM_SIMULATION_INTERNAL_H

#include "engine/calendar.h"
#include "engine/engine.h"
#include "hs/sched.h"
#include "run/curve.h"
#include "run/history.h"
#include "run/levels.h"
#include "run/pace.h"
#include "run/simulation.h"

/* Kinds of the loop's own calendar; at equal times the smaller comes first. */
enum { AGENDA_CONFIRM, AGENDA_CANCEL, AGENDA_EXPECTED, AGENDA_TIMER };

#define RECORD_CHUNK      1024u
#define IDLE_ATTEMPTS_MAX 100000 /* preemptions in a row that stop jobs before they have worked */
#define CACHE_LINE        64u

/* What the host knows of a live job and the core does not; by the job's slot. In a deep queue each
 * look at one costs a line from memory, so that it must not take two. */
struct record {
    int64_t id; /* number in the stream; the core knows the job by its trace id */
    int64_t trace_id;
    hs_time trace_submit_ns;
    hs_time run_ns;      /* if that is unknown: until it is killed */
    hs_time walltime_ns; /* as requested, also when clairvoyant */
    int64_t executable;
    int32_t partition;
    uint32_t generation; /* ascends with each job in the slot */
    bool is_live;
    bool is_cut;
    bool is_unknown; /* its run time: the user cancels it */
};

_Static_assert(sizeof(struct record) == CACHE_LINE, "a record fills a cache line");

/* More about a live job, for what not every run needs; by the job's slot. Kept only while
 * simulation.has_annex, so that other runs do not pay for it. Zeroed for each job. */
struct annex {
    struct history *history; /* of a job that was preempted, owned; else NULL */
    struct pace_job pace;    /* with speeds */
    hs_time run_ref_ns;      /* likewise: run time on the reference device */
    uint32_t unit;           /* likewise: what its slowest task computes on */
    hs_time recorded_ns;  /* start in the trace, moved with the submission; HS_TIME_NEVER: none */
    hs_time predicted_ns; /* at the submission; while simulation.has_predictor, likewise below */
    int32_t predicted_class; /* class of the job as the predictor knows it */
    uint32_t corrections;    /* of that, so far */
};

struct agenda_item {
    uint32_t slot;
    uint32_t generation;
};

struct simulation {
    const struct simulation_options *options;
    struct simulation_report *report;
    struct hs_sched *sched;
    struct engine *engine;
    struct workload *workload;
    struct calendar agenda; /* tokens are indices of `items` */
    struct agenda_item *items;
    uint32_t item_count;
    uint32_t item_room;
    uint32_t *free_items;
    uint32_t free_item_count;
    struct record **records; /* chunks */
    struct annex **annexes;  /* chunks like those of the records; NULL: not kept */
    uint32_t record_chunks;
    struct workload_job next;   /* the next submission */
    hs_time predicted_ns;       /* of it, once it is being submitted; while has_predictor */
    struct hs_history recorded; /* for the policy of a replay */
    bool is_replay;             /* the policy asks for recorded starts */
    bool has_annex;
    bool has_predictor; /* policies see predictions, not requests */
    bool has_next;
    bool is_inflated; /* jobs never end, and the run ends with the last submission */
    hs_time last_submit_ns;
    struct curve curve; /* if it is inflated */
    hs_time tick_ns;    /* of the scheduling interval, if one is due; else HS_TIME_NEVER */
    struct result_point last_point;
    bool has_point;
    hs_time held_ns;      /* last change of what jobs hold */
    struct levels levels; /* of devices */
    struct pace pace;     /* speeds of jobs */
    int64_t deliveries;
    int idle_attempts;        /* that ended one after another without any work */
    size_t next_change;       /* of options->availability */
    hs_time change_offset_ns; /* to the clock of the core */
    bool has_begun;           /* changes before the first event make the state then */
};

/* live.c: the record of the job in a slot that is in use. */
static inline struct record *live_record(const struct simulation *sim, uint32_t slot)
{
    return &sim->records[slot / RECORD_CHUNK][slot % RECORD_CHUNK];
}

/* Only while sim->has_annex. */
static inline struct annex *live_annex(const struct simulation *sim, uint32_t slot)
{
    return &sim->annexes[slot / RECORD_CHUNK][slot % RECORD_CHUNK];
}

/* The core's job in a slot that is known to be alive. */
static inline const struct hs_job *live_job(const struct simulation *sim, uint32_t slot)
{
    return hs_sched_job(sim->sched, slot);
}

/* Room for the record, and the annex, of the job in `slot`; false: no memory. */
bool live_reserve(struct simulation *sim, uint32_t slot);
/* Puts something about a live job on the agenda. */
enum hs_err live_agenda_add(struct simulation *sim, hs_time time_ns, uint32_t kind, uint32_t slot,
                            struct hs_error *error) HS_MUST_USE;
void live_fini(struct simulation *sim);

/* life.c: hands sim->next to the core. */
enum hs_err life_submit(struct simulation *sim, struct hs_error *error) HS_MUST_USE;
/* The start has taken place: the work begins. */
enum hs_err life_begin(struct simulation *sim, hs_time now, const struct hs_job *job,
                       struct hs_error *error) HS_MUST_USE;
/* The job was preempted: its work stops, and it waits. To be called before the next event. */
enum hs_err life_preempt(struct simulation *sim, hs_time now, const struct hs_decision *decision,
                         struct hs_error *error) HS_MUST_USE;
/* After the preemptions of a pass: HS_ERR_POLICY if they come faster than restarts, so that no job
 * ever gets to work and the run would not end. */
enum hs_err life_check_progress(struct simulation *sim, hs_time now,
                                struct hs_error *error) HS_MUST_USE;
/* The job's end: into the log, then out of the core. */
enum hs_err life_end(struct simulation *sim, hs_time now, const struct hs_job *job,
                     enum hs_event_kind kind, enum result_state state,
                     struct hs_error *error) HS_MUST_USE;
/* A job that the policy rejected: into the log before the next event, with which it is gone. */
enum hs_err life_reject(struct simulation *sim, const struct hs_decision *decision,
                        struct hs_error *error) HS_MUST_USE;
/* HS_ERR_INPUT: what starts now and takes so long ends beyond the times that can be simulated. */
enum hs_err life_check_end(const struct simulation *sim, hs_time now, hs_time duration_ns,
                           const struct hs_job *job, struct hs_error *error) HS_MUST_USE;
/* After an interruption, or where jobs never end: what is not done goes into the log as it is. */
enum hs_err life_log_unfinished(struct simulation *sim, hs_time now,
                                struct hs_error *error) HS_MUST_USE;

#endif
