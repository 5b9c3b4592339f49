/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm.h - what Slurm writes of a job, in its own words, to a record.
 *
 * `sacct` and the files of jobcomp/filetxt name the same things; each reader finds the texts, and
 * here they get their meaning (sacct(1), JOB ACCOUNTING FIELDS). */
#ifndef HSIM_WORKLOAD_SLURM_H
#define HSIM_WORKLOAD_SLURM_H

#include "workload/facts.h"

enum slurm_field {
    SLURM_ID,
    SLURM_RAW_ID,
    SLURM_USER,
    SLURM_ACCOUNT,
    SLURM_PARTITION,
    SLURM_QOS,
    SLURM_SUBMIT,
    SLURM_ELIGIBLE,
    SLURM_START,
    SLURM_END,
    SLURM_ELAPSED,     /* [days-]hours:minutes:seconds */
    SLURM_ELAPSED_RAW, /* seconds */
    SLURM_PLANNED,     /* the wait; Reserved in older versions */
    SLURM_TIMELIMIT,   /* as Elapsed, a number of minutes, or a word */
    SLURM_TIMELIMIT_RAW,
    SLURM_STATE,
    SLURM_NODES,
    SLURM_ALLOC_NODES,
    SLURM_REQ_NODES,
    SLURM_CPUS,
    SLURM_ALLOC_CPUS,
    SLURM_REQ_CPUS,
    SLURM_REQ_TRES,
    SLURM_ALLOC_TRES,
    SLURM_REQ_MEM,
    SLURM_FIELD_COUNT
};

/* Name of the column in sacct's header. */
const char *slurm_field_name(enum slurm_field field);

/* Could the text stand in the field? To tell apart fields and pieces of free text. */
bool slurm_is_plausible(enum slurm_field field, const char *text);

struct slurm_reader {
    struct facts_reader facts;
    enum workload_procs procs;
    struct labels users, accounts, partitions, services;
    char models[256]; /* of the last record's GPUs */
};

enum hs_err slurm_reader_init(struct slurm_reader *reader, const struct workload_setup *setup,
                              struct hs_error *error) HS_MUST_USE;
void slurm_reader_fini(struct slurm_reader *reader); /* takes a zeroed one */

/* Is this a part of a job, as 123.batch? */
bool slurm_is_step(const char *id);

/* The record of a row; a text that is not there is "". False: reader->facts.problem. */
bool slurm_to_record(struct slurm_reader *reader, const char *const texts[SLURM_FIELD_COUNT],
                     int64_t line, struct workload_record *record);

#endif
