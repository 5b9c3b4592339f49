/* SPDX-License-Identifier: GPL-3.0-or-later */
/* facts.c - from the columns of a foreign list to a record. */
#include "workload/facts.h"

#include <stdio.h>
#include <string.h>

#include "hs/cluster.h"
#include "workload/model_list.h"
#include "workload/moment.h"
#include "workload/tally.h"

#define MILLI        1000
#define CORES_MAX    (INT64_C(1000) * INT32_MAX) /* thousandths, in all */
#define DEVICES_MAX  INT64_C(1000000)            /* in all */
#define MEM_MAX      (INT64_C(1) << 60)
#define DECIMALS     9
#define TOLERANCE_NS (2 * HS_NS_PER_S) /* between times that were rounded to seconds each */

void facts_clear(struct facts *facts)
{
    *facts = (struct facts){
        .id = -1,
        .submit_ns = -1,
        .eligible_ns = -1,
        .start_ns = -1,
        .end_ns = -1,
        .duration_ns = -1,
        .walltime_ns = -1,
        .wait_ns = -1,
        .state = FACTS_UNKNOWN,
        .cpus_milli = -1,
        .gpus_milli = -1,
        .nodes = -1,
        .tasks = -1,
        .mem_bytes = -1,
        .models = "",
        .user = -1,
        .group = -1,
        .queue = -1,
        .partition = -1,
        .job_class = -1,
    };
}

enum hs_err facts_reader_init(struct facts_reader *reader, const struct workload_setup *setup,
                              struct hs_error *error)
{
    const char *zone = setup->options->zone;

    *reader = (struct facts_reader){
        .stats = setup->stats,
        .names = setup->names,
        .duration = setup->options->duration,
        .has_models = setup->options->models == WORKLOAD_MODELS_TRACE,
    };
    if (zone && !moment_zone_parse(zone, &reader->offset_s)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Option workload.zone is '%.40s'; what local time is ahead of UTC is "
                            "due, as in +08:00 or -05:30, or UTC. Names of places are not "
                            "understood.",
                            zone);
    }
    return HS_OK;
}

bool facts_problem(struct facts_reader *reader, const char *name, const char *text, const char *due)
{
    (void)snprintf(reader->problem, sizeof reader->problem, "%.40s is '%.32s%s'; %s", name, text,
                   strlen(text) > 32 ? "..." : "", due);
    return false;
}

bool facts_read_moment(struct facts_reader *reader, const char *name, const char *text,
                       int64_t line, hs_time *unix_ns)
{
    bool has_zone;

    *unix_ns = -1;
    if (moment_is_missing(text)) {
        return true;
    }
    if (!moment_parse(text, reader->offset_s, unix_ns, &has_zone)) {
        *unix_ns = -1;
        return facts_problem(reader, name, text,
                             "a time is due, as in 2020-04-01 00:00:05 or "
                             "2023-05-17T11:00:58+08:00");
    }
    if (has_zone && reader->zoned_line == 0) {
        reader->zoned_line = line;
    } else if (!has_zone && reader->naive_line == 0) {
        reader->naive_line = line;
    }
    return true;
}

static enum hs_err check_zones(const struct facts_reader *reader, const char *path,
                               struct hs_error *error)
{
    int64_t naive = reader->naive_line, zoned = reader->zoned_line;

    if (naive == 0 || zoned == 0) {
        return HS_OK;
    }
    return hs_error_set(
        error, HS_ERR_INPUT,
        "%s:%lld: a time %s a zone, but line %lld has one %s. Which clock the times "
        "without a zone follow cannot be known: write the zone behind all of "
        "them, or behind none and name it with `workload.zone` (--zone).",
        path, (long long)(naive > zoned ? naive : zoned), naive > zoned ? "without" : "with",
        (long long)(naive > zoned ? zoned : naive), naive > zoned ? "with a zone" : "without");
}

enum hs_err facts_end_row(struct facts_reader *reader, const char *path, bool is_strict,
                          bool is_bad, const struct workload_record *record, struct hs_error *error)
{
    enum hs_err err = check_zones(reader, path, error);

    if (err != HS_OK || !is_bad) {
        return err;
    }
    return workload_tally_bad_row(&reader->stats->bad, is_strict, path, reader->stats->lines,
                                  record->fields.value[SWF_ID], reader->problem, error);
}

bool facts_read_number(struct facts_reader *reader, const char *name, const char *text, int scale,
                       int64_t unit, int64_t *value)
{
    const char *end = text;
    bool is_exact, is_huge;

    *value = -1;
    if (moment_is_missing(text)) {
        return true;
    }
    if (!swf_number(&end, scale, value, &is_exact, &is_huge) || *end) {
        *value = -1;
        return facts_problem(reader, name, text, is_huge ? "that is too large" : "a number is due");
    }
    if (*value < 0 || *value > INT64_MAX / unit) {
        bool is_negative = *value < 0;

        *value = -1;
        return facts_problem(reader, name, text,
                             is_negative ? "0 or more is due" : "that is too large");
    }
    *value *= unit;
    return true;
}

/* Enters the name of a number that is met for the first time. Names are for people: control
 * characters are shown as '?'. What the table has no room for has a number alone. Classes have no
 * names here: they would be written, and names that look like numbers do not read back. */
static void label_name(struct workload_names *names, enum workload_noun noun, const char *text,
                       int32_t number)
{
    char shown[64];
    uint16_t same;

    if (noun == WORKLOAD_NOUN_COUNT || number < 0 || number != workload_names_count(names, noun)) {
        return;
    }
    (void)snprintf(shown, sizeof shown, "%s", text);
    for (char *at = shown; *at; at++) {
        *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
    }
    (void)!workload_names_number(names, noun, shown, &same, NULL);
}

bool facts_read_label(struct facts_reader *reader, const char *name, const char *text,
                      struct labels *labels, enum workload_noun noun, int32_t *number)
{
    const char *due;

    if (labels_number(labels, text, number, &due)) {
        label_name(reader->names, noun, text, *number);
        return true;
    }
    return facts_problem(reader, name, text,
                         due ? due : "the memory does not suffice for its name");
}

static bool wrong(struct facts_reader *reader, const char *text)
{
    (void)snprintf(reader->problem, sizeof reader->problem, "%s", text);
    return false;
}

static int64_t divided_up(int64_t total, int64_t parts)
{
    return total > 0 ? (total - 1) / parts + 1 : 0;
}

/* Totals of a job to equal tasks. With nodes one task a node, if its GPUs divide evenly; else one
 * task a GPU; else one task a processor, as in SWF. */
static int64_t tasks_of(const struct facts *facts, int64_t cpus_milli, int64_t gpus)
{
    int64_t nodes = facts->nodes;

    if (nodes > 0 && gpus % nodes == 0 && gpus / nodes <= HS_NODE_DEVICES_MAX) {
        return nodes;
    }
    if (gpus > 0) {
        return gpus;
    }
    return cpus_milli % MILLI == 0 && cpus_milli > 0 ? cpus_milli / MILLI : 1;
}

/* GPUs of one task: whole ones, or a share of one. */
static bool read_gpus(struct facts_reader *reader, const struct facts *facts, int64_t gpus_milli)
{
    struct hs_demand *demand = &reader->demand;

    demand->device_share = HS_SHARES_PER_UNIT;
    demand->device_kind = HS_ANY_KIND;
    reader->refusal.text[0] = '\0';
    if (gpus_milli == 0) {
        return true;
    }
    if (gpus_milli > MILLI && gpus_milli % MILLI != 0) {
        (void)snprintf(reader->problem, sizeof reader->problem,
                       "a task asks for %.3f GPUs; a share of one or whole ones are due",
                       (double)gpus_milli / MILLI);
        return false;
    }
    if (gpus_milli / MILLI > HS_NODE_DEVICES_MAX) {
        (void)snprintf(reader->problem, sizeof reader->problem,
                       "a task asks for %lld GPUs; a node has at most %d",
                       (long long)(gpus_milli / MILLI), (int)HS_NODE_DEVICES_MAX);
        return false;
    }
    demand->device_count = gpus_milli < MILLI ? 1 : (uint32_t)(gpus_milli / MILLI);
    demand->device_share = gpus_milli < MILLI ? (uint32_t)gpus_milli : HS_SHARES_PER_UNIT;
    return model_list_read(reader->names, "the model of the GPUs",
                           reader->has_models && !moment_is_missing(facts->models) ? facts->models
                                                                                   : "",
                           demand, &reader->refusal, reader->problem, sizeof reader->problem);
}

/* Without processors a task has one core. A demand of nothing has no tasks: the rules drop it. */
static bool read_demand(struct facts_reader *reader, const struct facts *facts)
{
    struct hs_demand *demand = &reader->demand;
    bool is_total = facts->tasks < 0;
    int64_t gpus_milli = facts->gpus_milli > 0 ? facts->gpus_milli : 0;
    int64_t cpus_milli = facts->cpus_milli;
    int64_t mem = facts->mem_bytes > 0 ? facts->mem_bytes : 0;
    int64_t tasks = facts->tasks;

    memset(demand, 0, sizeof *demand);
    if (is_total && gpus_milli > MILLI && gpus_milli % MILLI != 0) {
        return wrong(reader, "the number of GPUs is neither whole nor a share of one");
    }
    if (is_total) {
        tasks = gpus_milli % MILLI != 0 ? 1 : tasks_of(facts, cpus_milli, gpus_milli / MILLI);
    }
    if (gpus_milli == 0 && (cpus_milli == 0 || (cpus_milli < 0 && is_total && facts->nodes <= 0))) {
        tasks = 0;
    }
    if (tasks == 0) {
        demand->device_share = HS_SHARES_PER_UNIT;
        demand->device_kind = HS_ANY_KIND;
        reader->refusal.text[0] = '\0';
        return true;
    }
    if (cpus_milli < 0) {
        cpus_milli = is_total ? tasks * MILLI : MILLI;
    }
    if (is_total) {
        cpus_milli = divided_up(cpus_milli, tasks);
        gpus_milli = gpus_milli % MILLI != 0 ? gpus_milli : gpus_milli / tasks;
        mem = divided_up(mem, tasks);
    }
    if (tasks > INT32_MAX || cpus_milli > CORES_MAX / tasks || mem > MEM_MAX / tasks ||
        gpus_milli / MILLI > DEVICES_MAX / tasks) {
        return wrong(reader, "the job asks for more than can be counted: 2147483647 processors, "
                             "1000000 GPUs, 2^60 bytes");
    }
    demand->tasks = (uint32_t)tasks;
    demand->cores_milli = cpus_milli;
    demand->mem_bytes = mem;
    return read_gpus(reader, facts, gpus_milli);
}

/* The run time, or -1. Where the duration and the times disagree, the option decides. */
static bool run_of(struct facts_reader *reader, const struct facts *facts, int64_t line,
                   hs_time *run_ns)
{
    hs_time duration_ns = facts->duration_ns, by_times_ns = -1;

    if (facts->start_ns >= 0 && facts->end_ns >= 0) {
        by_times_ns = facts->end_ns - facts->start_ns;
        if (by_times_ns < 0) {
            char text[HS_TIME_TEXT_MAX];

            (void)hs_time_format(-by_times_ns, text);
            (void)snprintf(reader->problem, sizeof reader->problem,
                           "the job ends %s s before it starts", text);
            return false;
        }
    }
    *run_ns = by_times_ns >= 0 ? by_times_ns : duration_ns;
    if (by_times_ns >= 0 && duration_ns >= 0 &&
        (duration_ns - by_times_ns > TOLERANCE_NS || by_times_ns - duration_ns > TOLERANCE_NS)) {
        char duration[HS_TIME_TEXT_MAX], times[HS_TIME_TEXT_MAX];
        bool is_by_times = reader->duration == WORKLOAD_DURATION_TIMES;

        (void)hs_time_format(duration_ns, duration);
        (void)hs_time_format(by_times_ns, times);
        workload_tally_add(&reader->stats->conflict, line, facts->id,
                           "duration %s s, end - start %s s: %s", duration, times,
                           is_by_times ? "end - start counts" : "duration counts");
        *run_ns = is_by_times ? by_times_ns : duration_ns;
    }
    return true;
}

/* When the job could first be started: the submit time, or when it was released. */
static hs_time release_of(struct facts_reader *reader, const struct facts *facts, int64_t line)
{
    char held[HS_TIME_TEXT_MAX];

    /* A job that was cancelled before it was released has a release time that never came. */
    if (facts->eligible_ns <= facts->submit_ns ||
        (facts->start_ns < 0 && facts->end_ns >= 0 && facts->eligible_ns > facts->end_ns)) {
        return facts->submit_ns;
    }
    (void)hs_time_format(facts->eligible_ns - facts->submit_ns, held);
    workload_tally_add(&reader->stats->held, line, facts->id,
                       "released %s s after it was submitted", held);
    return facts->eligible_ns;
}

static bool times_read(struct facts_reader *reader, const struct facts *facts, int64_t line,
                       int64_t *value)
{
    hs_time release_ns;

    if (facts->submit_ns < 0) {
        return wrong(reader, "there is no submit time");
    }
    release_ns = release_of(reader, facts, line);
    value[SWF_SUBMIT] = release_ns;
    if (!run_of(reader, facts, line, &value[SWF_RUN])) {
        return false;
    }
    if (facts->start_ns >= 0) {
        /* Clocks differ by a little: a start before the submit is one without a wait. */
        value[SWF_WAIT] = facts->start_ns > release_ns ? facts->start_ns - release_ns : 0;
    } else if (facts->state == FACTS_CANCELLED && facts->duration_ns <= 0 &&
               facts->end_ns >= release_ns) {
        value[SWF_RUN] = -1;
        value[SWF_WAIT] = facts->end_ns - release_ns;
    } else if (facts->wait_ns >= 0) {
        value[SWF_WAIT] = facts->wait_ns;
    }
    if (release_ns > SWF_SUBMIT_MAX_NS || value[SWF_WAIT] > SWF_TIME_MAX_NS ||
        value[SWF_RUN] > SWF_TIME_MAX_NS || facts->walltime_ns > SWF_TIME_MAX_NS) {
        return wrong(reader, "a time is too large: submit times lie in 0 to 6000000000 s, all "
                             "others in 0 to 3000000000 s");
    }
    value[SWF_WALLTIME] = facts->walltime_ns > 0 ? facts->walltime_ns : -1;
    return true;
}

bool facts_to_record(struct facts_reader *reader, const struct facts *facts, int64_t line,
                     struct workload_record *record)
{
    int64_t *value = record->fields.value;

    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        value[i] = -1;
    }
    workload_record_clear(record);
    record->fields.line = line;
    value[SWF_ID] = facts->id;
    if (!times_read(reader, facts, line, value) || !read_demand(reader, facts)) {
        return false;
    }
    value[SWF_STATUS] = facts->state;
    value[SWF_USER] = facts->user;
    value[SWF_GROUP] = facts->group;
    value[SWF_QUEUE] = facts->queue;
    value[SWF_PARTITION] = facts->partition;
    value[SWF_PROCS] = (reader->demand.cores_milli * reader->demand.tasks + MILLI - 1) / MILLI;
    record->job_class = facts->job_class;
    record->priority = facts->priority;
    record->has_priority = facts->has_priority;
    record->demand = &reader->demand;
    record->refusal = reader->refusal.text[0] ? reader->refusal.text : NULL;
    return true;
}
