/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_job.c - the life of a job, in sentences. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inspect.h"
#include "result/scan.h"

enum {
    ID,
    TRACE_ID,
    USER,
    PROCS,
    SUBMIT,
    ELIGIBLE,
    START,
    END,
    REQ,
    STATE,
    RUNTIME,
    USUAL, /* and before it: columns of every run */
    PREEMPTIONS = USUAL,
    EXECUTED,
    OVERHEAD,
    COLUMNS
};
static const size_t columns[COLUMNS] = {
    JOB_ID,  JOB_TRACE_ID, JOB_USER,  JOB_PROCS,   JOB_SUBMIT,      JOB_ELIGIBLE, JOB_START,
    JOB_END, JOB_REQ_TIME, JOB_STATE, JOB_RUNTIME, JOB_PREEMPTIONS, JOB_EXECUTED, JOB_OVERHEAD};

struct life {
    int64_t values[COLUMNS];
    int64_t waiting, waiting_procs; /* when it came */
    int64_t running;
    int64_t overtaken; /* came later, started earlier */
    bool has_attempts; /* so that who has started and not ended need not run */
};

/* Until when a job waited; INT64_MAX: it still waits, -1: it never did. */
static hs_time wait_end(const int64_t *job)
{
    if (job[STATE] == RESULT_REJECTED) {
        return -1;
    }
    if (job[START] >= 0) {
        return job[START];
    }
    return job[END] >= 0 ? job[END] : INT64_MAX;
}

/* What another job meant to this one. */
static void meet(struct life *life, const int64_t *other)
{
    hs_time now = life->values[ELIGIBLE];
    bool is_earlier =
        other[ELIGIBLE] < now || (other[ELIGIBLE] == now && other[ID] < life->values[ID]);

    if (other[ID] == life->values[ID]) {
        return;
    }
    if (is_earlier && wait_end(other) > now) {
        life->waiting++;
        life->waiting_procs += other[PROCS];
    }
    if (other[START] >= 0 && other[START] <= now && (other[END] > now || other[END] < 0)) {
        life->running++;
    }
    if (!is_earlier && other[START] >= 0 && other[START] < wait_end(life->values)) {
        life->overtaken++;
    }
}

/* Calls meet for every job, or only finds the jobs with the id. */
static enum hs_err walk(struct result_scan *scan, int64_t trace_id, struct life **lives,
                        size_t *count, bool is_finding, struct hs_error *error)
{
    for (int64_t row = 0; row < scan->rows; row++) {
        int64_t values[COLUMNS];
        size_t index = 0;
        enum hs_err code = result_scan_load(scan, row, &index, error);

        if (code != HS_OK) {
            return code;
        }
        for (int i = 0; i < COLUMNS; i++) {
            values[i] = (size_t)i < scan->column_count ? scan->values[i][index] : 0;
        }
        if (is_finding && values[TRACE_ID] == trace_id) {
            struct life *more = realloc(*lives, (*count + 1) * sizeof **lives);

            if (!more) {
                return hs_error_memory(error);
            }
            *lives = more;
            more[*count] = (struct life){.has_attempts = scan->column_count > USUAL};
            memcpy(more[(*count)++].values, values, sizeof values);
        }
        for (size_t i = 0; !is_finding && i < *count; i++) {
            meet(&(*lives)[i], values);
        }
    }
    return HS_OK;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Exact, and a rounded form of what is long. */
static void print_duration(hs_time time_ns)
{
    char exact[HS_TIME_TEXT_MAX];
    char rounded[32];

    (void)hs_time_format(time_ns, exact);
    (void)printf("%s s", exact);
    if (time_ns >= 60 * HS_NS_PER_S) {
        inspect_duration((double)time_ns / 1e9, rounded);
        (void)printf(" (%s)", rounded);
    }
}

static void print_time(hs_time time_ns)
{
    char exact[HS_TIME_TEXT_MAX];

    (void)hs_time_format(time_ns, exact);
    (void)printf("%s s", exact);
}

/* " 3" or " 0-3". */
static void print_run(int64_t first, int64_t count)
{
    (void)printf(" %" PRId64, first);
    if (count > 1) {
        (void)printf("-%" PRId64, first + count - 1);
    }
}

/* " on node 3", " on nodes 0-3 7": those of the first attempt. */
static enum hs_err print_nodes(struct result_reader *reader, int64_t id, struct hs_error *error)
{
    static const size_t wanted[] = {ALLOCATION_JOB, ALLOCATION_FIRST_NODE, ALLOCATION_NODE_COUNT,
                                    ALLOCATION_ATTEMPT};
    const struct result_table *table = result_reader_table(reader, "allocations");
    bool has_attempts = table && result_has_column(table, ALLOCATION_ATTEMPT);
    struct result_scan scan;
    int64_t first = 0, count = 0; /* of the run that is printed when it is known to be the last */
    bool is_first = true;
    enum hs_err code = result_scan_init(&scan, reader, table, wanted, 3 + has_attempts, error);

    for (int64_t row = 0; code == HS_OK && row < scan.rows; row++) {
        size_t i = 0;

        code = result_scan_load(&scan, row, &i, error);
        if (code != HS_OK || scan.values[0][i] != id || (has_attempts && scan.values[3][i] > 1)) {
            continue;
        }
        if (count > 0) {
            (void)printf("%s", is_first ? " on nodes" : "");
            print_run(first, count);
            is_first = false;
        }
        first = scan.values[1][i];
        count = scan.values[2][i];
    }
    if (count > 0) {
        (void)printf("%s", !is_first ? "" : count == 1 ? " on node" : " on nodes");
        print_run(first, count);
    }
    result_scan_fini(&scan);
    return code;
}

struct held_device {
    int64_t device, share;
};

/* What the devices of the platform are; models and kinds one behind the other. */
struct device_facts {
    int64_t *nodes;
    char *kinds, *models;
    size_t count;
};

static enum hs_err device_facts_init(struct device_facts *facts, struct result_reader *reader,
                                     struct hs_error *error)
{
    size_t counts[2] = {0, 0};
    enum hs_err code =
        result_reader_column(reader, "platform/devices/node", &facts->nodes, &facts->count, error);

    if (code == HS_OK) {
        code =
            result_reader_texts(reader, "platform/devices/kind", &facts->kinds, &counts[0], error);
    }
    if (code == HS_OK) {
        code = result_reader_texts(reader, "platform/devices/model", &facts->models, &counts[1],
                                   error);
    }
    if (code == HS_OK && (counts[0] != facts->count || counts[1] != facts->count)) {
        code = hs_error_set(error, HS_ERR_INPUT,
                            "%s: the columns of platform/devices are of different length. The file "
                            "is damaged: run the experiment again.",
                            result_reader_path(reader));
    }
    return code;
}

static const char *text_at(const char *texts, int64_t index)
{
    for (; index > 0; index--) {
        texts += strlen(texts) + 1;
    }
    return texts;
}

/* "It held device 2 (gpu t4 of node 1), a share of 0.25; devices 4-7 (npu x of node 2)." */
static void print_held(const struct device_facts *facts, const struct held_device *held,
                       size_t count)
{
    size_t next;

    (void)printf("It held");
    for (size_t i = 0; i < count; i = next) {
        int64_t device = held[i].device;
        const char *kind = text_at(facts->kinds, device);
        const char *model = text_at(facts->models, device);

        for (next = i + 1; next < count && held[next].device == held[next - 1].device + 1 &&
                           held[next].share == held[i].share &&
                           facts->nodes[held[next].device] == facts->nodes[device] &&
                           strcmp(text_at(facts->models, held[next].device), model) == 0;
             next++) {
        }
        (void)printf("%s%s", i ? "; " : " ", next == i + 1 ? "device" : "devices");
        print_run(device, (int64_t)(next - i));
        (void)printf(" (%s", kind);
        if (strcmp(kind, model) != 0) { /* a device without a model is called as its kind */
            (void)printf(" %s", model);
        }
        (void)printf(" of node %" PRId64 ")", facts->nodes[device]);
        if (held[i].share < 1000) {
            (void)printf(", a share of %g%s", (double)held[i].share / 1000,
                         next == i + 1 ? "" : " each");
        }
    }
    (void)printf(".\n");
}

/* The rows of /device_allocations of the job, of its first attempt. */
static enum hs_err find_held(struct result_reader *reader, int64_t id, struct held_device **held,
                             size_t *count, struct hs_error *error)
{
    static const size_t wanted[] = {DEVICE_JOB, DEVICE_INDEX, DEVICE_SHARE, DEVICE_ATTEMPT};
    const struct result_table *table = result_reader_table(reader, "device_allocations");
    bool has_attempts = table && result_has_column(table, DEVICE_ATTEMPT);
    struct result_scan scan;
    enum hs_err code = result_scan_init(&scan, reader, table, wanted, 3 + has_attempts, error);

    for (int64_t row = 0; code == HS_OK && row < scan.rows; row++) {
        struct held_device *more;
        size_t i = 0;

        code = result_scan_load(&scan, row, &i, error);
        if (code != HS_OK || scan.values[0][i] != id || (has_attempts && scan.values[3][i] > 1)) {
            continue;
        }
        more = realloc(*held, (*count + 1) * sizeof **held);
        if (!more) {
            code = hs_error_memory(error);
            break;
        }
        *held = more;
        more[(*count)++] = (struct held_device){scan.values[1][i], scan.values[2][i]};
    }
    result_scan_fini(&scan);
    return code;
}

static enum hs_err print_devices(struct result_reader *reader, int64_t id, struct hs_error *error)
{
    struct device_facts facts = {0};
    struct held_device *held = NULL;
    size_t count = 0;
    enum hs_err code = find_held(reader, id, &held, &count, error);

    if (code == HS_OK && count > 0) {
        code = device_facts_init(&facts, reader, error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        if (held[i].device < 0 || (size_t)held[i].device >= facts.count) {
            code = hs_error_set(error, HS_ERR_INPUT,
                                "%s: job number %" PRId64 " held device %" PRId64
                                " of %zu. The file is damaged: run the experiment again.",
                                result_reader_path(reader), id, held[i].device, facts.count);
        }
    }
    if (code == HS_OK && count > 0) {
        print_held(&facts, held, count);
    }
    free(held);
    free(facts.nodes);
    free(facts.kinds);
    free(facts.models);
    return code;
}

static void print_arrival(const struct life *life)
{
    const int64_t *job = life->values;

    (void)printf("Job %" PRId64 " (number %" PRId64 " of the workload", job[TRACE_ID], job[ID]);
    if (job[USER] >= 0) {
        (void)printf(", user %" PRId64, job[USER]);
    }
    (void)printf(") asked for %" PRId64 " processor%s", job[PROCS], plural(job[PROCS]));
    if (job[REQ] >= 0) {
        (void)printf(" and ");
        print_duration(job[REQ]);
    }
    (void)printf(".\nIt was submitted at ");
    print_time(job[SUBMIT]);
    if (job[ELIGIBLE] > job[SUBMIT]) {
        (void)printf(" and could start from ");
        print_time(job[ELIGIBLE]);
    }
    if (job[STATE] == RESULT_REJECTED) {
        (void)printf(", and rejected: it can never run on this machine, or the policy would not "
                     "let it wait.\n");
        return;
    }
    (void)printf(". Then %" PRId64 " job%s waited before it", life->waiting, plural(life->waiting));
    if (life->waiting) {
        (void)printf(", for %" PRId64 " processor%s,", life->waiting_procs,
                     plural(life->waiting_procs));
    }
    (void)printf(life->has_attempts ? " and %" PRId64 " had started and not ended.\n"
                                    : " and %" PRId64 " ran.\n",
                 life->running);
}

static enum hs_err print_start(struct result_reader *reader, const struct life *life,
                               struct hs_error *error)
{
    const int64_t *job = life->values;
    enum hs_err code;

    if (job[START] == job[ELIGIBLE]) {
        (void)printf("It started at once");
    } else {
        (void)printf("It started at ");
        print_time(job[START]);
        (void)printf(", after a wait of ");
        print_duration(job[START] - job[SUBMIT]);
        if (!result_reader_table(reader, "allocations")) {
            (void)printf(" (the file does not say on which nodes)");
        }
    }
    code = print_nodes(reader, job[ID], error);
    if (life->overtaken) {
        (void)printf("; %" PRId64 " job%s that came later had started before it", life->overtaken,
                     plural(life->overtaken));
    }
    (void)printf(".\n");
    return code == HS_OK ? print_devices(reader, job[ID], error) : code;
}

/* What came between the first start and the end. */
static void print_preemptions(const int64_t *job)
{
    if (job[PREEMPTIONS] == 0) {
        return;
    }
    (void)printf("It was preempted %" PRId64 " time%s", job[PREEMPTIONS], plural(job[PREEMPTIONS]));
    if (job[OVERHEAD] > 0) {
        (void)printf("; its restarts took ");
        print_duration(job[OVERHEAD]);
    }
    if (job[END] >= 0) {
        (void)printf("; after its first start it waited for ");
        print_duration(job[END] - job[START] - job[EXECUTED]);
    }
    (void)printf(".\n");
}

static void print_end(const int64_t *job)
{
    if (job[END] < 0) {
        (void)printf(job[START] < 0         ? "It was still waiting when the run was cut off.\n"
                     : job[PREEMPTIONS] > 0 ? "It had not ended when the run was cut off.\n"
                                            : "It was still running when the run was cut off.\n");
        return;
    }
    if (job[START] < 0) {
        (void)printf("It was cancelled at ");
        print_time(job[END]);
        (void)printf(" while it waited, after ");
        print_duration(job[END] - job[SUBMIT]);
        (void)printf(".\n");
        return;
    }
    (void)printf("It ended at ");
    print_time(job[END]);
    (void)printf(" after a run of ");
    print_duration(job[PREEMPTIONS] ? job[EXECUTED] : job[END] - job[START]);
    switch ((enum result_state)job[STATE]) {
    case RESULT_FINISHED:
        (void)printf(": finished.\n");
        break;
    case RESULT_KILLED:
        (void)printf(": killed, because its requested time was over.\n");
        break;
    case RESULT_CANCELLED:
        (void)printf(": cancelled by its user.\n");
        break;
    case RESULT_REJECTED:
    case RESULT_UNFINISHED:
        (void)printf(".\n");
        break;
    }
}

static enum hs_err print_life(struct result_reader *reader, const struct life *life,
                              struct hs_error *error)
{
    const int64_t *job = life->values;
    enum hs_err code = HS_OK;

    print_arrival(life);
    if (job[STATE] == RESULT_REJECTED) {
        return HS_OK;
    }
    if (job[START] >= 0) {
        code = print_start(reader, life, error);
    }
    print_preemptions(job);
    print_end(job);
    return code;
}

enum hs_err inspect_job(struct result_reader *reader, int64_t trace_id, struct hs_error *error)
{
    struct result_scan scan;
    struct life *lives = NULL;
    size_t count = 0;
    const struct result_table *table = result_reader_table(reader, "jobs");
    enum hs_err code =
        result_scan_init(&scan, reader, table, columns,
                         result_has_column(table, JOB_PREEMPTIONS) ? COLUMNS : USUAL, error);

    if (code == HS_OK) {
        code = walk(&scan, trace_id, &lives, &count, true, error);
    }
    if (code == HS_OK && count == 0) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%s: there is no job %" PRId64 " among its %" PRId64 " jobs. "
                            "`hsim export FILE --to csv --columns trace_id` lists them.",
                            result_reader_path(reader), trace_id, scan.rows);
    }
    if (code == HS_OK) {
        code = walk(&scan, trace_id, &lives, &count, false, error);
    }
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        (void)fputs(i ? "\n" : "", stdout);
        code = print_life(reader, &lives[i], error);
    }
    free(lives);
    result_scan_fini(&scan);
    return code;
}
