/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_names.h - how jobs and files of a sweep on Slurm are called: what slurm_queue.c reads of
 * that which slurm.c writes. */
#ifndef HSIM_SWEEP_SLURM_NAMES_H
#define HSIM_SWEEP_SLURM_NAMES_H

#include "sweep/slurm.h"

#define SLURM_MARK_SIZE  24 /* of ".0123456789abcdef." */
#define SLURM_STUDY_SIZE 25

/* The part of a job's name that tells the folder, with points around it: a digest of its path, in
 * whatever way a person has written that. */
void slurm_mark(const char *folder, char mark[SLURM_MARK_SIZE]);

/* The name of a study as jobs bear it: letters, digits, '-' and '_', and not too long. */
void slurm_study(const char *study, char name[SLURM_STUDY_SIZE]);

/* DIR/slurm/N, and the list of runs of a task in it. The caller frees; NULL: no memory. */
char *slurm_place(const char *folder, uint64_t submission);
char *slurm_task_path(const char *folder, uint64_t submission, uint64_t task);

#endif
