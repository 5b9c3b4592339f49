/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.c - the rules of the replay, one function a rule. */
#include "workload/rules.h"

#include "hs/cluster.h"
#include "workload/tally.h"

#define STATUS_CANCELLED 5
#define KB               1024
#define CORE_MILLI       1000

/* A request of nothing cannot be made: zero-length jobs ask for a second, the unit of SWF. */
static hs_time request_of(hs_time run_ns)
{
    return run_ns > 0 ? run_ns : HS_NS_PER_S;
}

static int64_t procs_of(const struct workload_options *options, const struct swf_record *record)
{
    int64_t requested = record->value[SWF_PROCS];
    int64_t used = record->value[SWF_PROCS_USED];

    switch (options->procs) {
    case WORKLOAD_PROCS_ALLOCATED:
        return used > 0 ? used : requested;
    case WORKLOAD_PROCS_MAX:
        return used > requested ? used : requested;
    case WORKLOAD_PROCS_REQUESTED:
        break;
    }
    return requested > 0 ? requested : used;
}

static double priority_of(const struct workload_options *options, const struct swf_record *record)
{
    int64_t value = options->priority_field ? record->value[options->priority_field - 1] : -1;

    if (value == -1) {
        return 0;
    }
    switch (options->priority_field - 1) {
    case SWF_SUBMIT:
    case SWF_WAIT:
    case SWF_RUN:
    case SWF_CPU_TIME:
    case SWF_WALLTIME:
    case SWF_THINK:
        return (double)value / (double)HS_NS_PER_S;
    default:
        return (double)value;
    }
}

static int64_t mem_of(const struct workload_options *options, const struct swf_record *record)
{
    int64_t mem_kb = options->memory == WORKLOAD_MEMORY_REQUESTED ? record->value[SWF_MEM]
                     : options->memory == WORKLOAD_MEMORY_USED    ? record->value[SWF_MEM_USED]
                                                                  : 0;

    return mem_kb > 0 ? mem_kb * KB : 0;
}

static void job_fill(const struct workload_options *options, const struct swf_record *record,
                     struct workload_job *job)
{
    const int64_t *value = record->value;

    *job = (struct workload_job){
        .id = -1,
        .trace_id = value[SWF_ID],
        .submit_ns = value[SWF_SUBMIT],
        .trace_submit_ns = value[SWF_SUBMIT],
        .run_ns = value[SWF_RUN],
        .walltime_ns = value[SWF_WALLTIME],
        .cancel_ns = HS_TIME_NEVER,
        .limit_ns = HS_TIME_NEVER,
        .trace_wait_ns = value[SWF_WAIT],
        .trace_start_ns = value[SWF_WAIT] >= 0 ? value[SWF_SUBMIT] + value[SWF_WAIT] : -1,
        .demand = {.cores_milli = 1000,
                   .mem_bytes = mem_of(options, record),
                   .device_share = HS_SHARES_PER_UNIT,
                   .device_kind = HS_ANY_KIND},
        .priority = priority_of(options, record),
        .line = record->line,
        .executable = value[SWF_EXECUTABLE],
        .preceding = value[SWF_PRECEDING],
        .think_ns = value[SWF_THINK],
        .user = (int32_t)value[SWF_USER],
        .group = (int32_t)value[SWF_GROUP],
        .queue = (int32_t)value[SWF_QUEUE],
        .partition = (int32_t)value[SWF_PARTITION],
        .trace_status = (int32_t)value[SWF_STATUS],
    };
}

/* Reasons name the fields of SWF; a record of another format has none of these numbers. */
static const char *reason_of(const struct workload_record *record, const char *swf,
                             const char *other)
{
    return record->demand ? other : swf;
}

static bool drop(struct workload_stats *stats, const struct workload_record *record,
                 const char *reason)
{
    workload_tally_add(&stats->dropped, record->fields.line, record->fields.value[SWF_ID], "%s",
                       reason);
    return false;
}

/* More processors than the machine has. */
static void rule_oversized(const struct workload_options *options, struct workload_job *job,
                           struct workload_stats *stats)
{
    bool is_clamped = options->oversized == WORKLOAD_OVERSIZED_CLAMP;
    hs_int128 cores_milli = (hs_int128)job->demand.cores_milli * job->demand.tasks;
    int64_t tasks = options->machine_procs * CORE_MILLI / job->demand.cores_milli;

    workload_tally_add(&stats->oversized, job->line, job->trace_id,
                       "%.15g processors, the machine has %lld: %s",
                       (double)cores_milli / CORE_MILLI, (long long)options->machine_procs,
                       is_clamped && tasks > 0 ? "clamped" : "rejected");
    if (is_clamped && tasks > 0) {
        job->demand.tasks = (uint32_t)tasks;
    } else {
        job->is_oversized = true;
    }
}

/* A job that its user cancelled while it waited: known is only how long it waited. If it starts
 * before that, it runs until then, but like every job not beyond its request. */
static bool rule_cancelled(const struct workload_options *options,
                           const struct workload_record *record, struct workload_job *job,
                           struct workload_stats *stats)
{
    if (job->trace_status != STATUS_CANCELLED || job->trace_wait_ns < 0) {
        return drop(stats, record, reason_of(record, "no run time (field 4)", "no run time"));
    }
    if (options->cancel == WORKLOAD_CANCEL_DROP) {
        return drop(stats, record, "cancelled while waiting (status 5)");
    }
    if (job->walltime_ns <= 0) {
        if (options->missing == WORKLOAD_MISSING_DROP) {
            return drop(stats, record,
                        reason_of(record, "no requested time (field 9)", "no requested time"));
        }
        job->walltime_ns = options->missing == WORKLOAD_MISSING_WALLTIME
                               ? options->missing_walltime_ns
                               : HS_TIME_NEVER;
    }
    workload_tally_add(&stats->cancelled, job->line, job->trace_id,
                       "cancelled after waiting %lld s",
                       (long long)(job->trace_wait_ns / HS_NS_PER_S));
    job->trace_start_ns = -1;
    job->run_ns = HS_TIME_NEVER;
    job->is_cut = options->overrun == WORKLOAD_OVERRUN_KILL;
    job->limit_ns = job->is_cut ? job->walltime_ns : HS_TIME_NEVER;
    job->cancel_ns = job->submit_ns + job->trace_wait_ns;
    return true;
}

static bool rule_zero(const struct workload_options *options, const struct workload_record *record,
                      struct workload_job *job, struct workload_stats *stats)
{
    static const char *const reasons[] = {
        [WORKLOAD_ZERO_KEEP] = "run time 0: kept",
        [WORKLOAD_ZERO_ONE_SECOND] = "run time 0: set to 1 s",
        [WORKLOAD_ZERO_DROP] = "run time 0: dropped",
    };

    workload_tally_add(&stats->zero, job->line, job->trace_id, "%s", reasons[options->zero]);
    if (options->zero == WORKLOAD_ZERO_DROP) {
        return drop(stats, record, reasons[options->zero]);
    }
    if (options->zero == WORKLOAD_ZERO_ONE_SECOND) {
        job->run_ns = HS_NS_PER_S;
    }
    return true;
}

static bool rule_missing(const struct workload_options *options,
                         const struct workload_record *record, struct workload_job *job,
                         struct workload_stats *stats)
{
    static const char *const swf[] = {
        [WORKLOAD_MISSING_RUN] = "no requested time (field 9): the run time stands in",
        [WORKLOAD_MISSING_WALLTIME] = "no requested time (field 9): the given walltime stands in",
        [WORKLOAD_MISSING_DROP] = "no requested time (field 9): dropped",
    };
    static const char *const others[] = {
        [WORKLOAD_MISSING_RUN] = "no requested time: the run time stands in",
        [WORKLOAD_MISSING_WALLTIME] = "no requested time: the given walltime stands in",
        [WORKLOAD_MISSING_DROP] = "no requested time: dropped",
    };
    const char *reason = reason_of(record, swf[options->missing], others[options->missing]);

    workload_tally_add(&stats->missing, job->line, job->trace_id, "%s", reason);
    switch (options->missing) {
    case WORKLOAD_MISSING_DROP:
        return drop(stats, record, reason);
    case WORKLOAD_MISSING_WALLTIME:
        job->walltime_ns = options->missing_walltime_ns;
        return true;
    case WORKLOAD_MISSING_RUN:
        break;
    }
    job->walltime_ns = request_of(job->run_ns);
    if (options->estimate == WORKLOAD_ESTIMATE_TRACE) {
        stats->is_clairvoyant = true;
    }
    return true;
}

static void rule_overrun(const struct workload_options *options, struct workload_job *job,
                         struct workload_stats *stats)
{
    static const char *const actions[] = {
        [WORKLOAD_OVERRUN_KILL] = "killed at the request",
        [WORKLOAD_OVERRUN_RUN] = "runs on",
        [WORKLOAD_OVERRUN_EXTEND] = "request raised",
    };
    char run[HS_TIME_TEXT_MAX], walltime[HS_TIME_TEXT_MAX];

    if (stats->overrun.count < WORKLOAD_NOTE_MAX) {
        (void)hs_time_format(job->run_ns, run);
        (void)hs_time_format(job->walltime_ns, walltime);
        workload_tally_add(&stats->overrun, job->line, job->trace_id,
                           "run time %s s, request %s s: %s", run, walltime,
                           actions[options->overrun]);
    } else {
        stats->overrun.count++;
    }
    switch (options->overrun) {
    case WORKLOAD_OVERRUN_KILL:
        job->run_ns = job->walltime_ns;
        job->is_cut = true;
        break;
    case WORKLOAD_OVERRUN_EXTEND:
        job->walltime_ns = job->run_ns;
        break;
    case WORKLOAD_OVERRUN_RUN:
        break;
    }
}

/* Zero run time, missing request, exceeded request. */
static bool rule_times(const struct workload_options *options, const struct workload_record *record,
                       struct workload_job *job, struct workload_stats *stats)
{
    if (job->run_ns == 0 && !rule_zero(options, record, job, stats)) {
        return false;
    }
    if (job->walltime_ns <= 0 && !rule_missing(options, record, job, stats)) {
        return false;
    }
    if (job->run_ns > job->walltime_ns) {
        rule_overrun(options, job, stats);
    }
    return true;
}

static bool has_too_many_cores(const struct workload_options *options,
                               const struct hs_demand *demand)
{
    return (hs_int128)demand->cores_milli * demand->tasks >
           (hs_int128)options->machine_procs * CORE_MILLI;
}

/* Do all alternatives ask for more cores than the machine has? */
static bool is_oversized(const struct workload_options *options, const struct hs_demand *demand)
{
    bool is_larger = options->machine_procs > 0 && has_too_many_cores(options, demand);

    for (uint32_t i = 0; is_larger && i < demand->alternative_count; i++) {
        is_larger = has_too_many_cores(options, &demand->alternatives[i]);
    }
    return is_larger;
}

/* The demand of a record that brings its own. */
static void demand_fill(const struct workload_record *record, struct workload_job *job,
                        struct workload_stats *stats)
{
    job->demand = *record->demand;
    if (record->refusal) {
        job->is_oversized = true;
        workload_tally_add(&stats->absent, record->fields.line, job->trace_id, "%s",
                           record->refusal);
    }
}

/* A job of an inflation never ends: the trace's times say nothing. */
static bool rule_endless(const struct workload_options *options, struct workload_job *job,
                         struct workload_stats *stats)
{
    job->trace_start_ns = -1;
    job->run_ns = HS_TIME_NEVER;
    job->walltime_ns = HS_TIME_NEVER;
    if (!job->is_oversized && is_oversized(options, &job->demand)) {
        rule_oversized(options, job, stats);
    }
    return true;
}

bool workload_rules_apply(const struct workload_options *options,
                          const struct workload_record *record, struct workload_job *job,
                          struct workload_stats *stats)
{
    const struct swf_record *fields = &record->fields;
    bool is_kept;

    job_fill(options, fields, job);
    job->job_class = record->job_class;
    job->priority = record->has_priority ? record->priority : job->priority;
    if (record->demand && record->demand->tasks == 0) {
        return drop(stats, record, "asks for no processors and no devices");
    }
    if (record->demand) {
        demand_fill(record, job, stats);
    } else {
        int64_t procs = procs_of(options, fields);

        if (procs <= 0) {
            return drop(stats, record, "no processors (fields 5 and 8)");
        }
        job->demand.tasks = (uint32_t)procs;
    }
    if (options->inflation.is_on) {
        return rule_endless(options, job, stats);
    }
    /* With a run time of 0 the status and the wait time decide whether the job ever started. */
    if (job->run_ns < 0 ||
        (job->run_ns == 0 && job->trace_status == STATUS_CANCELLED && job->trace_wait_ns >= 0)) {
        is_kept = rule_cancelled(options, record, job, stats);
    } else {
        is_kept = rule_times(options, record, job, stats);
    }
    if (is_kept && !job->is_oversized && is_oversized(options, &job->demand)) {
        rule_oversized(options, job, stats);
    }
    return is_kept;
}
