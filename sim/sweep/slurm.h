/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm.h - a sweep as job arrays of Slurm.
 *
 * Nothing is kept but the finished runs and what Slurm itself knows. Each submission has a folder
 * DIR/slurm/N with the scripts, a list of runs for each task, and the logs; its jobs are called
 *
 *   STUDY.FOLDER.N.OFFSET   an array: index i is task OFFSET + i
 *   STUDY.FOLDER.N.merge    what merges when all arrays have ended
 *
 * where FOLDER is a digest of the folder's name, so that squeue alone tells which runs are on their
 * way. Who submits holds a lock of its own, DIR/slurm/lock. */
#ifndef HSIM_SWEEP_SLURM_H
#define HSIM_SWEEP_SLURM_H

#include "sweep/plan.h"

#define SLURM_WORD_SIZE 64

/* A task of this sweep that is in the queue. */
struct slurm_job {
    bool is_merge;
    uint64_t submission;
    uint64_t task;               /* 0 of a merge job */
    char id[SLURM_WORD_SIZE];    /* "17", of an array that of the whole */
    char state[SLURM_WORD_SIZE]; /* "PENDING" */
    char reason[SLURM_WORD_SIZE];
};

struct slurm_queue {
    struct slurm_job *jobs; /* in the order of squeue; owned */
    size_t count;
    bool is_unknown; /* there is no squeue on the PATH */
};

/* The jobs of the sweep in `folder` that wait, run or end, as squeue has them. HS_ERR_SYSTEM:
 * squeue fails; the error has its words. */
enum hs_err slurm_queue_read(const char *folder, struct slurm_queue *queue,
                             struct hs_error *error) HS_MUST_USE;
/* The same from what squeue has said. */
enum hs_err slurm_queue_parse(const char *folder, const char *text, struct slurm_queue *queue,
                              struct hs_error *error) HS_MUST_USE;
void slurm_queue_fini(struct slurm_queue *queue); /* takes a zeroed one, too */

/* Options that a person may not give to sbatch, since hsim sets them. */
bool slurm_option_is_ours(const char *option);

struct slurm_request {
    const char *folder;         /* of the sweep, absolute, as all machines see it */
    const char *study;          /* its name */
    const char *const *command; /* how hsim is called for the sweep, without what to compute */
    size_t command_count;
    const char *const *options; /* of sbatch, as given */
    size_t option_count;
    double task_s;                   /* length of a task that is aimed at */
    bool is_dry;                     /* write, and submit nothing */
    const struct slurm_queue *queue; /* read before the runs were looked at */
};

/* What there is to compute: runs in the order of the sweep. */
struct slurm_work {
    const char *const *keys;
    const double *wall_s; /* of each; NaN: not known */
    size_t count;
    int64_t rss_bytes; /* the most that a run has taken; 0: not known */
};

struct slurm_result {
    size_t tasks;
    size_t arrays;
    char array_ids[256]; /* "17, 18", cut where they are many */
    char merge_id[SLURM_WORD_SIZE];
    char *place; /* DIR/slurm/N; owned */
    char *calls; /* what was called, or is to be, for a shell, a line each; owned */
};

/* Marks the runs that a task in the queue will compute: is_waiting[i] for keys[i]. */
enum hs_err slurm_waiting(const char *folder, const struct slurm_queue *queue,
                          const char *const *keys, size_t count, bool *is_waiting,
                          struct hs_error *error) HS_MUST_USE;

/* Holds the lock until it is closed; -1: another has it, or an error. */
enum hs_err slurm_lock(const char *folder, int *lock, struct hs_error *error) HS_MUST_USE;

/* Writes and submits arrays for the work (count 0: none) and the job that merges, after these and
 * what is in the queue. On failure the result holds what was submitted before. */
enum hs_err slurm_submit(const struct slurm_request *request, const struct slurm_work *work,
                         struct slurm_result *result, struct hs_error *error) HS_MUST_USE;
void slurm_result_fini(struct slurm_result *result); /* takes a zeroed one, too */

#endif
