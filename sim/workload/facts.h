/* SPDX-License-Identifier: GPL-3.0-or-later */
/* facts.h - what lists of jobs of other systems say of a job, and the record that follows from it.
 *
 * Each reader of such a list fills the facts from its columns. What they mean together is decided
 * here, once for all: which time is the submit time, how long the job ran, whether it was
 * cancelled while it waited, and which demand makes its totals of processors, GPUs and nodes. */
#ifndef HSIM_WORKLOAD_FACTS_H
#define HSIM_WORKLOAD_FACTS_H

#include "workload/labels.h"
#include "workload/source.h"

/* How a job ended: the numbers of SWF, and two more. */
enum facts_state {
    FACTS_UNKNOWN = -1,
    FACTS_FAILED = 0,
    FACTS_COMPLETED = 1,
    FACTS_CANCELLED = 5,
    FACTS_TIMEOUT = WORKLOAD_STATUS_TIMEOUT,
    FACTS_NODE_FAIL = WORKLOAD_STATUS_NODE_FAIL,
};

/* Times in ns, moments on the trace's clock; -1: not known. */
struct facts {
    int64_t id;
    hs_time submit_ns, eligible_ns, start_ns, end_ns;
    hs_time duration_ns, walltime_ns, wait_ns;
    enum facts_state state;
    int64_t cpus_milli; /* thousandths of processors */
    int64_t gpus_milli; /* thousandths of GPUs */
    int64_t nodes;
    int64_t tasks; /* equal ones, each with the processors, GPUs and memory above; -1: those are
                      totals of the job, spread over its nodes */
    int64_t mem_bytes;
    const char *models; /* of the GPUs, "A|B"; "": any */
    int32_t user, group, queue, partition, job_class;
    double priority;
    bool has_priority;
};

void facts_clear(struct facts *facts);

/* What a reader keeps for the facts. */
struct facts_reader {
    struct workload_stats *stats;
    struct workload_names *names;
    enum workload_duration duration;
    int32_t offset_s;               /* of naive times */
    bool has_models;                /* models of GPUs count */
    int64_t naive_line, zoned_line; /* first rows with times of each kind; 0: none yet */
    struct hs_demand demand;        /* of the last record */
    struct hs_error refusal;        /* why no node can serve it */
    char problem[160];              /* why the row cannot be used: a clause */
};

/* HS_ERR_CONFIG: options->zone is none. */
enum hs_err facts_reader_init(struct facts_reader *reader, const struct workload_setup *setup,
                              struct hs_error *error) HS_MUST_USE;

/* Fields to facts; false: reader->problem says what is wrong with the field `name`. Empty ones and
 * words for "not known" yield -1. */
bool facts_read_moment(struct facts_reader *reader, const char *name, const char *text,
                       int64_t line, hs_time *unix_ns);
/* A decimal number, 0 or more, times 10^scale and `unit`. */
bool facts_read_number(struct facts_reader *reader, const char *name, const char *text, int scale,
                       int64_t unit, int64_t *value);
/* The number of a label; a new one also gets its name in the table of names, while that has room;
 * `noun` WORKLOAD_NOUN_COUNT: it does not. */
bool facts_read_label(struct facts_reader *reader, const char *name, const char *text,
                      struct labels *labels, enum workload_noun noun, int32_t *number);
/* Says what is wrong with a field. */
bool facts_problem(struct facts_reader *reader, const char *name, const char *text,
                   const char *due);

/* After each row, the one in line reader->stats->lines of the file at `path`. HS_ERR_INPUT: the
 * file mixes naive times and times with a zone; or the row is bad (reader->problem tells why),
 * which is else counted, and that is an error if strict. */
enum hs_err facts_end_row(struct facts_reader *reader, const char *path, bool is_strict,
                          bool is_bad, const struct workload_record *record,
                          struct hs_error *error) HS_MUST_USE;

/* The record of the facts in row `line`; it points into `reader`. False: reader->problem. */
bool facts_to_record(struct facts_reader *reader, const struct facts *facts, int64_t line,
                     struct workload_record *record);

#endif
