/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload.h - a stream of jobs from a trace or a generator, through transforms.
 *
 * A source yields jobs one by one in order of their submit times; a transform is a source over a
 * source. Nothing holds the whole trace but an inflation. A chain that must know the trace first
 * (load scaling, cool-down) reads it twice: workload_scan, then workload_open. */
#ifndef HSIM_WORKLOAD_H
#define HSIM_WORKLOAD_H

#include <signal.h>
#include <stdio.h>

#include "hs/base.h"
#include "hs/cluster.h"
#include "hs/demand.h"

/* One job, as read and after the rules of the replay. Missing numbers are -1. Submit times
 * are at most 6e9 s, durations 3e9 s, so that submit + wait and submit + run fit hs_time. */
struct workload_job {
    int64_t id;              /* 0-based number in the stream; unique */
    int64_t trace_id;        /* as in the trace */
    hs_time submit_ns;       /* after the transforms: what the simulation uses */
    hs_time trace_submit_ns; /* as in the trace */
    hs_time run_ns;          /* true run time, >= 0; HS_TIME_NEVER: unknown, ends by cancel_ns, or
                                never (inflation) */
    hs_time walltime_ns;     /* request, > 0; HS_TIME_NEVER: none */
    hs_time limit_ns;        /* run unknown: killed after so long; HS_TIME_NEVER: no limit */
    hs_time cancel_ns;       /* absolute time of a cancellation by the user; HS_TIME_NEVER: none */
    hs_time trace_wait_ns;   /* -1: missing */
    hs_time trace_start_ns;  /* recorded start, trace_submit_ns + trace_wait_ns; -1: not recorded,
                                or never started. Transforms do not move it. */
    struct hs_demand demand;
    double priority; /* 0 where the trace has none */
    int64_t line;    /* of the record in its file; 0: generated */
    int64_t executable;
    int64_t preceding; /* trace_id */
    hs_time think_ns;
    int32_t user;
    int32_t group;
    int32_t queue;
    int32_t partition;
    int32_t trace_status;
    int32_t job_class; /* -1: none */
    bool is_oversized; /* no place for it on the machine: the run rejects it and counts it */
    bool is_cut;       /* killed at the request (overrun: kill): run_ns is cut, or unknown */
};

/* Formats of traces (source.h); AUTO: found out. */
enum workload_format_id {
    WORKLOAD_FORMAT_AUTO,
    WORKLOAD_FORMAT_SWF,
    WORKLOAD_FORMAT_JOBS,
    WORKLOAD_FORMAT_OPENB,
    WORKLOAD_FORMAT_GAVEL,
    WORKLOAD_FORMAT_CSV, /* jobs of another system as CSV, by a map of columns */
    WORKLOAD_FORMAT_HELIOS,
    WORKLOAD_FORMAT_ACME,
    WORKLOAD_FORMAT_PHILLY,
    WORKLOAD_FORMAT_PAI,
    WORKLOAD_FORMAT_SACCT,
    WORKLOAD_FORMAT_JOBCOMP,
};
#define WORKLOAD_FORMAT_COUNT 12 /* with AUTO */

/* Values of trace_status that SWF has not: it says 0 (failed). */
#define WORKLOAD_STATUS_TIMEOUT   6
#define WORKLOAD_STATUS_NODE_FAIL 7

enum workload_procs { WORKLOAD_PROCS_REQUESTED, WORKLOAD_PROCS_ALLOCATED, WORKLOAD_PROCS_MAX };
enum workload_missing { WORKLOAD_MISSING_RUN, WORKLOAD_MISSING_WALLTIME, WORKLOAD_MISSING_DROP };
enum workload_overrun { WORKLOAD_OVERRUN_KILL, WORKLOAD_OVERRUN_RUN, WORKLOAD_OVERRUN_EXTEND };
enum workload_zero { WORKLOAD_ZERO_KEEP, WORKLOAD_ZERO_ONE_SECOND, WORKLOAD_ZERO_DROP };
enum workload_oversized { WORKLOAD_OVERSIZED_REJECT, WORKLOAD_OVERSIZED_CLAMP };
enum workload_memory { WORKLOAD_MEMORY_IGNORE, WORKLOAD_MEMORY_REQUESTED, WORKLOAD_MEMORY_USED };
enum workload_cancel { WORKLOAD_CANCEL_REPLAY, WORKLOAD_CANCEL_DROP };
/* Which run time counts where a list gives a duration and also a start and an end. */
enum workload_duration { WORKLOAD_DURATION_TIMES, WORKLOAD_DURATION_COLUMN };
/* Models of GPUs that a trace names: asked for, or any will do. */
enum workload_models { WORKLOAD_MODELS_TRACE, WORKLOAD_MODELS_ANY };
enum workload_times {
    WORKLOAD_TIMES_AUTO,    /* as the first row has them: dates, or seconds */
    WORKLOAD_TIMES_DATES,   /* 2020-04-01 00:00:05, perhaps with a zone */
    WORKLOAD_TIMES_SECONDS, /* on the trace's own clock */
    WORKLOAD_TIMES_UNIX     /* seconds since 1970 */
};
enum workload_estimate {
    WORKLOAD_ESTIMATE_TRACE,
    WORKLOAD_ESTIMATE_EXACT,
    WORKLOAD_ESTIMATE_FACTOR
};

/* Parameters of the Lublin-Feitelson model (JPDC 63, 2003); the defaults are the values that were
 * fitted to all jobs, batch and interactive together (workload_lublin_defaults). */
struct workload_lublin {
    int64_t jobs;
    int64_t nodes; /* largest size; 0: the machine's processors */
    double serial_probability, power2_probability;
    double u_low, u_med_offset, u_high, u_probability; /* log2 of the size, two-stage uniform;
                                                           u_high 0: log2 of nodes */
    double a1, b1, a2, b2, pa, pb;                     /* run time: hyper-gamma of ln seconds */
    double a_arrival, b_arrival, a_num, b_num, arrival_ratio; /* arrivals: gamma, daily cycle */
    hs_time start_ns;                                         /* time of day of the trace's zero */
};

enum workload_model { WORKLOAD_MODEL_LUBLIN, WORKLOAD_MODEL_MIX };
enum workload_distribution {
    WORKLOAD_RUN_FIXED,
    WORKLOAD_RUN_EXPONENTIAL,
    WORKLOAD_RUN_LOGNORMAL,
    WORKLOAD_RUN_UNIFORM
};

/* A class of jobs of the model `mix`. */
struct workload_class {
    const char *name;
    const char *speed_class; /* how a performance model knows it; NULL: by its name */
    const char *demand;      /* in the language of demand_text.h */
    double weight;           /* > 0; its share of the jobs is weight over the sum of weights */
    double estimate;         /* request over run time, >= 1 */
    double priority;
    struct {
        enum workload_distribution distribution;
        hs_time mean_ns; /* 0 if uniform */
        double cv;       /* standard deviation over mean, of a lognormal one */
        hs_time min_ns;  /* shorter ones become so long */
        hs_time max_ns;  /* longer ones become so long; 0: no limit */
    } run;
};

/* The model `mix`: Poisson arrivals of jobs of several classes. Borrowed. */
struct workload_classes {
    const struct workload_class *list;
    size_t count;
    double load; /* offered to the scarcest resource (bottleneck.h); 0: `rate` tells */
    double rate; /* jobs an hour */
};

/* Which column of a CSV file says what of a job: its name in the header (without a header "#3"),
 * perhaps with a unit behind ("timelimit min", "plan_gpu %", "mem GiB"); or "=" and a value that
 * all jobs have. NULL: none. Borrowed. */
struct workload_columns {
    bool is_given; /* else the map of the format */
    const char *id, *submit, *eligible, *start, *end, *duration, *wait, *walltime;
    const char *state, *user, *group, *queue, *job_class, *priority;
    const char *cpus, *gpus, *memory; /* totals of the job; with `tasks` those of each task */
    const char *nodes, *tasks, *model;
    const char *separator; /* one character, or "tab"; NULL: a comma */
    bool is_headless;
    enum workload_times times;
    struct { /* words of `state`, "A|B", beside the usual ones */
        const char *completed, *failed, *cancelled, *timeout, *node_fail;
    } states;
};

/* Everything that a workload block can say. Zeroed plus workload_options_defaults is valid. */
struct workload_options {
    const char *file; /* path that can be opened, or NULL; borrowed */
    enum workload_format_id format;
    const char *throughputs; /* table of steps a second (speed/throughput.h) of a format that counts
                                steps; NULL: none; borrowed */
    const char *reference;   /* type of worker of that table on which run times are taken */
    bool is_generated;       /* by a model, instead of a file */
    enum workload_model model;
    struct workload_lublin lublin; /* its number of jobs counts for every model */
    struct workload_classes classes;
    bool is_strict; /* a bad row is an error, not a count */
    bool is_survey; /* late records (beyond sort_window) are counted and skipped, no error */
    enum workload_procs procs;
    enum workload_missing missing;
    hs_time missing_walltime_ns;
    enum workload_overrun overrun;
    enum workload_zero zero;
    enum workload_oversized oversized;
    enum workload_memory memory;
    enum workload_cancel cancel;
    struct workload_columns columns; /* over those of the format */
    const char *zone;                /* of times without one, "+08:00"; NULL: UTC; borrowed */
    enum workload_duration duration;
    enum workload_models models;
    int priority_field;  /* SWF field 1..18 that carries the priority; 0: none */
    int64_t sort_window; /* records that may be out of order by submit; default 4096 */
    /* transforms, in the order in which they are applied */
    struct {
        int64_t min_procs, max_procs;   /* 0: no limit */
        hs_time min_run_ns, max_run_ns; /* 0: no limit */
        const int32_t *users;           /* NULL: all; borrowed */
        size_t user_count;
        const int32_t *queues;
        size_t queue_count;
        const int32_t *partitions;
        size_t partition_count;
    } filter;
    hs_time window_from_ns, window_to_ns; /* keep submits in [from, to); to 0: no end */
    hs_time shift_ns;                     /* added to every submit */
    bool shift_to_zero;                   /* then the first submit of the stream becomes 0 */
    double load;                          /* target offered load; 0: as it is */
    enum workload_estimate estimate;
    double estimate_factor;    /* walltime = run x factor */
    hs_time estimate_round_ns; /* rounded up to a multiple; 0: not */
    int64_t head;              /* the first so many jobs; 0: all */
    hs_time shake_ns;          /* submits move by up to +- this much (Tsafrir et al.) */
    /* Instead of all transforms but filter and head: jobs that never end fill the machine
     * (inflation.h). */
    struct {
        bool is_on;
        bool is_shuffled;
        double load; /* x the machine's accelerators; 0: the list, once */
        hs_time interval_ns;
    } inflation;
    /* what the rules need to know */
    int64_t machine_procs;            /* processors of the platform */
    const struct hs_cluster *cluster; /* whose devices and features are meant; NULL: any */
    uint64_t seed;
    /* Nonzero: passes over the whole workload (workload_scan, and that of load scaling when it is
     * opened) end soon with HS_ERR_INTERRUPTED. Streams do not look at it. NULL: nothing stops. */
    const volatile sig_atomic_t *stop;
};

#define WORKLOAD_NOTE_MAX 8

/* A kind of record that was changed, dropped or merely noticed, with its first examples. */
struct workload_tally {
    int64_t count;
    int64_t lines[WORKLOAD_NOTE_MAX]; /* of the first ones */
    int64_t trace_ids[WORKLOAD_NOTE_MAX];
    char reasons[WORKLOAD_NOTE_MAX][96]; /* short: "field 4 (run time) is 'abc'" */
};

/* What happened to the records so far; complete once the stream has ended. */
struct workload_stats {
    int64_t lines;
    int64_t records;                 /* rows that are no comments */
    int64_t jobs;                    /* handed on */
    struct workload_tally bad;       /* unreadable rows, dropped (or errors if strict) */
    struct workload_tally dropped;   /* cancelled before start, no processors, drop options */
    struct workload_tally oversized; /* rejected, or clamped */
    struct workload_tally absent;    /* rejected: ask for devices that the machine has not */
    struct workload_tally overrun;   /* run time above the request */
    struct workload_tally missing;   /* no requested time */
    struct workload_tally zero;      /* run time 0 */
    struct workload_tally cancelled; /* cancellations to be replayed */
    struct workload_tally unsorted;  /* put in order within the window */
    struct workload_tally late;      /* out of order beyond the window (is_survey) */
    struct workload_tally conflict;  /* the duration is not end - start */
    struct workload_tally held;      /* released later than submitted, which counts as the submit */
    int64_t steps;                   /* rows that are parts of jobs (Slurm), passed over */
    struct workload_tally id_order;  /* ids that do not ascend: may be used twice */
    bool is_clairvoyant;             /* some estimate is the true run time */
    int64_t epoch_unix;              /* UnixStartTime; -1: none */
    int64_t header_max_procs;        /* MaxProcs; -1: none */
    int64_t header_max_nodes;        /* MaxNodes; -1: none */
    double load_before, load_after;  /* offered load around load scaling; NaN if not scaled */
    int64_t left_out;                /* by filter and window */
    char unused_columns[160];        /* of a table that say nothing to hsim: "a, b"; "": none */
};

/* What a first pass over the whole chain finds. */
struct workload_extent {
    int64_t jobs;
    hs_time first_submit_ns;
    hs_time last_submit_ns;
    hs_int128 area; /* sum of processors x run time, processor-nanoseconds */
    int64_t max_procs;
    double offered_load;  /* area / (machine_procs x (last - first)); NaN if no span */
    bool is_whole_second; /* every submit time is a whole number of seconds */
};

/* Processors of a job: tasks x cores, rounded up. */
static inline int64_t workload_job_procs(const struct workload_job *job)
{
    return (job->demand.cores_milli * job->demand.tasks + 999) / 1000;
}

/* Processors x run time, in processor-nanoseconds. */
static inline hs_int128 workload_job_area(const struct workload_job *job)
{
    return (hs_int128)job->run_ns * (job->demand.cores_milli * job->demand.tasks) / 1000;
}

/* Accelerators that a job asks for, in thousandths. */
static inline hs_int128 workload_job_device_milli(const struct workload_job *job)
{
    return (hs_int128)job->demand.tasks * job->demand.device_count * job->demand.device_share;
}

struct workload;
struct workload_names;

void workload_options_defaults(struct workload_options *options);
void workload_lublin_defaults(struct workload_lublin *lublin);

/* Opens the chain that `options` describe (they are copied; what they borrow must outlive the
 * workload). Errors name file, line and remedy. */
enum hs_err workload_open(const struct workload_options *options, struct workload **workload,
                          struct hs_error *error) HS_MUST_USE;
void workload_close(struct workload *workload);

/* The next job; *has_job false at the end of the stream. After an error the stream is dead. */
enum hs_err workload_next(struct workload *workload, struct workload_job *job, bool *has_job,
                          struct hs_error *error) HS_MUST_USE;

/* What the numbers of kinds, models and features in the demands are called; lives as long as the
 * workload. */
const struct workload_names *workload_names(const struct workload *workload);

/* Counts so far; lives as long as the workload. */
const struct workload_stats *workload_stats(const struct workload *workload);

/* Share of the source that has been read or generated, 0 to 1; NaN if unknown. For a progress line.
 */
double workload_progress(const struct workload *workload);

/* Reads the whole chain once and forgets it. */
enum hs_err workload_scan(const struct workload_options *options, struct workload_extent *extent,
                          struct hs_error *error) HS_MUST_USE;

/* Jobs as CSV: the header once, then a line a job. `names` are those of the workload. Errors of the
 * stream show in ferror. */
void workload_jobs_write_header(FILE *file);
void workload_jobs_write_job(FILE *file, const struct workload_job *job,
                             const struct workload_names *names, hs_time wait_ns, int status);

/* SWF writer: the header once, then a line a job. Errors of the stream show in ferror. */
struct workload_swf_header {
    const char *computer;
    int64_t epoch_unix; /* -1: none */
    int64_t jobs;       /* -1: unknown */
    int64_t procs;
    const char *note; /* NULL: none; one line */
};
void workload_swf_write_header(FILE *file, const struct workload_swf_header *header);
/* Is the demand nothing but processors and memory? SWF can say no more. */
bool workload_swf_can_say(const struct workload_job *job);
/* wait_ns -1: unknown; status as in SWF. A task of several cores becomes so many processors. */
void workload_swf_write_job(FILE *file, const struct workload_job *job, hs_time wait_ns,
                            int status);

#endif
