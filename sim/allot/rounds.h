/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rounds.h - an allocation of shares, realised in rounds. Internal to sim/allot.
 *
 * Time goes in rounds. At the start of each, every live job has a share X[j,w] of the time on each
 * type of worker (allot.h). The jobs with the highest priorities get the workers until the next
 * round: the priority of job j on type w is its share over the fraction of time that it has
 * received there (Narayanan et al., OSDI 2020, section 5). Since shares change when jobs come and
 * go, both are summed over the life of a job: what it was owed, the integral of X[j,w], over what
 * it got. While X stays as it is that is the paper's quotient.
 *
 * A type of worker is a speed class (hs/speed.h) together with one kind of device, or with the
 * cores of the class. Each kind, and the cores, are divided on their own: a job with devices is one
 * of their kind, any other one of the cores. Amounts are thousandths of devices or cores. */
#ifndef HSIM_ALLOT_ROUNDS_H
#define HSIM_ALLOT_ROUNDS_H

#include "allot/allot.h"
#include "hs/policy.h"

#define ROUNDS_TYPES_MAX   128u
#define ROUNDS_CLASSES_MAX 64u
#define ROUNDS_NO_TYPE     UINT32_MAX
#define ROUNDS_CORES       HS_ANY_KIND /* as the kind of a type */

struct worker_type {
    uint32_t speed_class;
    uint16_t kind;
    int64_t amount; /* that there is */
};

/* A live job, by slot. */
struct round_job {
    uint32_t type;        /* on which it runs, or ran last */
    uint32_t alternative; /* of its demand that is used: 0: the demand itself */
    uint16_t kind;
    bool is_hopeless; /* no type alone can hold it */
    int64_t amount;   /* what it holds while it runs */
};

/* A job that may get, or has, a place in the round. */
struct round_choice {
    const struct hs_job *job;
    uint32_t type;
    double priority, share;
};

/* The state of the policies; the parameters first. */
struct rounds {
    hs_time round;
    bool eager;
    bool aware;

    enum allot_goal goal;
    const struct hs_cluster *cluster;
    uint32_t class_count, type_count;
    struct worker_type types[ROUNDS_TYPES_MAX]; /* those of a kind are neighbours */
    struct hs_free **idle; /* by speed class: its nodes, empty; all others are held */
    struct hs_free **open; /* likewise, with what is free now */
    struct hs_alloc_buffer buffer;
    struct allot *allot;

    uint32_t room; /* slots, of all that follows */
    struct round_job *jobs;
    /* [slot * type_count + type] */
    double *rates;  /* 1 / predicted seconds; 0: does not fit */
    double *shares; /* X since the last solution */
    double *owed_s; /* until settled_ns */
    double *got_s;

    const struct hs_job **live; /* in this pass: first those that hold workers, by expected end */
    uint32_t live_count, held_count;
    struct round_choice *pairs;   /* room x type_count */
    struct round_choice *chosen;  /* who gets a place, in order; one a job */
    uint32_t *place_of;           /* by slot: the type that it is chosen for */
    const struct hs_alloc **left; /* what displaced jobs held */
    uint32_t chosen_count;
    double *problem_rates, *problem_scales, *problem_steps, *problem_shares;

    uint32_t hopeless_count;
    bool is_stale; /* the set of live jobs has changed since the last solution */
    bool is_short; /* of memory */
    hs_time settled_ns, next_ns;
    int64_t solved_count; /* linear programs */
};

/* rounds_types.c */
/* Finds the types. HS_ERR_CONFIG: too many speed classes. */
enum hs_err rounds_types_init(struct rounds *rounds, const struct hs_view *view,
                              struct hs_error *error);
void rounds_types_fini(struct rounds *rounds);
/* The part of the job's demand that is asked of a type. */
struct hs_demand rounds_demand(const struct rounds *rounds, const struct hs_job *job,
                               uint32_t type);
/* Chooses the kind, the alternative and the amount of a new job, and its rates. */
void rounds_meet(struct rounds *rounds, const struct hs_view *view, const struct hs_job *job);
/* `open` becomes what is free now: everywhere, or on the nodes of an allocation. */
void rounds_look(struct rounds *rounds, const struct hs_view *view);
void rounds_look_at(struct rounds *rounds, const struct hs_view *view,
                    const struct hs_alloc *alloc);

/* rounds_shares.c */
/* Sums up what was owed and received until now. */
void rounds_settle(struct rounds *rounds, const struct hs_view *view);
/* Solves the linear programs of the live jobs, one for each kind. */
enum hs_err rounds_solve(struct rounds *rounds, const struct hs_view *view, struct hs_error *error);
/* Chooses who gets a place in the round. */
void rounds_choose(struct rounds *rounds);

/* rounds_place.c */
/* Carries out the choice: leases go on, others are preempted, the chosen start. */
void rounds_place(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan);
/* Starts waiting jobs where workers are idle. */
void rounds_fill(struct rounds *rounds, const struct hs_view *view, struct hs_plan *plan);

#endif
