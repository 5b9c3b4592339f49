/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm.c - Slurm's words for ids, limits, memory and trackable resources. */
#include "workload/slurm.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "workload/columns.h"
#include "workload/moment.h"

#define MILLI     1000
#define MINUTE_NS (60 * HS_NS_PER_S)
#define MEM_SCALE 6
#define MEM_PARTS INT64_C(1000000)
#define MEM_MAX   (INT64_C(1) << 60)
#define COUNT_MAX INT64_C(1000000000)

static const char *const names[SLURM_FIELD_COUNT] = {
    [SLURM_ID] = "JobID",
    [SLURM_RAW_ID] = "JobIDRaw",
    [SLURM_USER] = "User",
    [SLURM_ACCOUNT] = "Account",
    [SLURM_PARTITION] = "Partition",
    [SLURM_QOS] = "QOS",
    [SLURM_SUBMIT] = "Submit",
    [SLURM_ELIGIBLE] = "Eligible",
    [SLURM_START] = "Start",
    [SLURM_END] = "End",
    [SLURM_ELAPSED] = "Elapsed",
    [SLURM_ELAPSED_RAW] = "ElapsedRaw",
    [SLURM_PLANNED] = "Planned",
    [SLURM_TIMELIMIT] = "Timelimit",
    [SLURM_TIMELIMIT_RAW] = "TimelimitRaw",
    [SLURM_STATE] = "State",
    [SLURM_NODES] = "NNodes",
    [SLURM_ALLOC_NODES] = "AllocNodes",
    [SLURM_REQ_NODES] = "ReqNodes",
    [SLURM_CPUS] = "NCPUS",
    [SLURM_ALLOC_CPUS] = "AllocCPUS",
    [SLURM_REQ_CPUS] = "ReqCPUS",
    [SLURM_REQ_TRES] = "ReqTRES",
    [SLURM_ALLOC_TRES] = "AllocTRES",
    [SLURM_REQ_MEM] = "ReqMem",
};

/* What a list of trackable resources says; -1: nothing. */
struct tres {
    int64_t cpus, nodes, mem_bytes;
    int64_t gpus;       /* all, of whatever model */
    int64_t typed_gpus; /* the sum of those with a model */
};

const char *slurm_field_name(enum slurm_field field)
{
    return names[field];
}

enum hs_err slurm_reader_init(struct slurm_reader *reader, const struct workload_setup *setup,
                              struct hs_error *error)
{
    *reader = (struct slurm_reader){.procs = setup->options->procs};
    /* Names that are all digits are names too. */
    reader->users.has_names = true;
    reader->accounts.has_names = true;
    reader->partitions.has_names = true;
    reader->services.has_names = true;
    return facts_reader_init(&reader->facts, setup, error);
}

void slurm_reader_fini(struct slurm_reader *reader)
{
    labels_fini(&reader->users);
    labels_fini(&reader->accounts);
    labels_fini(&reader->partitions);
    labels_fini(&reader->services);
}

bool slurm_is_step(const char *id)
{
    return strchr(id, '.') != NULL;
}

/* A whole number at the beginning; *text is behind it. */
static bool whole(const char **text, int64_t *value)
{
    int length = 0;

    *value = 0;
    for (; (unsigned)(**text - '0') < 10u && length < 18; (*text)++, length++) {
        *value = *value * 10 + (**text - '0');
    }
    return length > 0;
}

/* "500G", "2.5T", "2800Mc" for each processor, "4Gn" for each node; M where no unit stands. */
static bool memory_parse(const char *text, int64_t cpus, int64_t nodes, int64_t *bytes)
{
    static const char units[] = "KMGTP";
    const char *unit;
    int64_t value;
    hs_int128 product;
    bool is_exact, is_huge;
    int shift = 20;

    *bytes = -1;
    if (moment_is_missing(text)) {
        return true;
    }
    if (!swf_number(&text, MEM_SCALE, &value, &is_exact, &is_huge) || value < 0) {
        return false;
    }
    unit = *text ? strchr(units, *text) : NULL;
    if (unit) {
        shift = 10 * (int)(unit - units + 1);
        text++;
    } else if (*text == 'B') {
        shift = 0;
        text++;
    }
    product = ((hs_int128)value << shift) / MEM_PARTS;
    if (*text == 'c' || *text == 'n') {
        int64_t count = *text == 'c' ? cpus : nodes;

        product *= count > 0 && count < COUNT_MAX ? count : 1;
        text++;
    }
    *bytes = product < MEM_MAX ? (int64_t)product : MEM_MAX;
    return !*text;
}

/* Appends a model to "A|B" unless it is there; what does not fit is left out. */
static void model_add(char *models, size_t size, const char *name, size_t length)
{
    size_t used = strlen(models);

    for (const char *at = models; *at;) {
        size_t item = strcspn(at, "|");

        if (item == length && !strncmp(at, name, length)) {
            return;
        }
        at += item + (at[item] == '|');
    }
    if (used + length + 2 < size) {
        (void)snprintf(models + used, size - used, "%s%.*s", used ? "|" : "", (int)length, name);
    }
}

/* "billing=2,cpu=2,mem=500G,node=1,gres/gpu:v100=2,gres/gpu=2". */
static bool tres_parse(const char *text, struct tres *tres, char *models, size_t models_size)
{
    *tres = (struct tres){.cpus = -1, .nodes = -1, .mem_bytes = -1, .gpus = -1};
    models[0] = '\0';
    while (*text) {
        size_t length = strcspn(text, ",");
        const char *equals = memchr(text, '=', length);
        char value[32];
        const char *at = value;
        size_t name_length = equals ? (size_t)(equals - text) : 0;
        int64_t number = 0;

        if (!equals || length - name_length > sizeof value) {
            return false;
        }
        (void)snprintf(value, sizeof value, "%.*s", (int)(length - name_length - 1), equals + 1);
        if (name_length == 3 && !strncmp(text, "mem", 3)) {
            if (!memory_parse(value, 1, 1, &tres->mem_bytes)) {
                return false;
            }
        } else if (name_length == 3 && !strncmp(text, "cpu", 3)) {
            if (!whole(&at, &tres->cpus) || *at) {
                return false;
            }
        } else if (name_length == 4 && !strncmp(text, "node", 4)) {
            if (!whole(&at, &tres->nodes) || *at) {
                return false;
            }
        } else if (name_length == 8 && !strncmp(text, "gres/gpu", 8)) {
            if (!whole(&at, &tres->gpus) || *at) {
                return false;
            }
        } else if (name_length > 9 && !strncmp(text, "gres/gpu:", 9)) {
            if (!whole(&at, &number) || *at) {
                return false;
            }
            tres->typed_gpus += number;
            if (number > 0) {
                model_add(models, models_size, text + 9, name_length - 9);
            }
        }
        text += length + (text[length] == ',');
    }
    tres->gpus = tres->gpus > tres->typed_gpus ? tres->gpus : tres->typed_gpus;
    return true;
}

bool slurm_is_plausible(enum slurm_field field, const char *text)
{
    struct tres tres;
    char models[64];
    hs_time time;
    int64_t number;
    bool has_zone;

    switch (field) {
    case SLURM_SUBMIT:
    case SLURM_ELIGIBLE:
    case SLURM_START:
    case SLURM_END:
        return moment_is_missing(text) || moment_parse(text, 0, &time, &has_zone);
    case SLURM_ELAPSED:
    case SLURM_PLANNED:
        return !*text || moment_span_parse(text, &time);
    case SLURM_ELAPSED_RAW:
    case SLURM_NODES:
    case SLURM_ALLOC_NODES:
    case SLURM_REQ_NODES:
    case SLURM_CPUS:
    case SLURM_ALLOC_CPUS:
    case SLURM_REQ_CPUS:
        return !*text || (whole(&text, &number) && (!*text || strchr("KMG", *text)));
    case SLURM_REQ_TRES:
    case SLURM_ALLOC_TRES:
        return tres_parse(text, &tres, models, sizeof models);
    case SLURM_REQ_MEM:
        return memory_parse(text, 1, 1, &number);
    case SLURM_STATE:
        return strcspn(text, " 0123456789:=/.") > 0 && *text >= 'A' && *text <= 'Z';
    case SLURM_ID:
    case SLURM_RAW_ID:
        return whole(&text, &number);
    default:
        return true;
    }
}

/* 123, 123_4 (a task of an array), 123+1 (a component of a heterogeneous job). */
static bool id_read(struct slurm_reader *reader, const char *const texts[], int64_t *id)
{
    const char *text = *texts[SLURM_RAW_ID] ? texts[SLURM_RAW_ID] : texts[SLURM_ID];
    const char *at = text;

    return (whole(&at, id) && (!*at || strchr("_+[", *at))) ||
           facts_problem(&reader->facts, names[SLURM_ID], text,
                         "the number of a job is due, as 123, 123_4 or 123+1");
}

static bool moments_read(struct slurm_reader *reader, const char *const texts[], int64_t line,
                         struct facts *facts)
{
    struct facts_reader *base = &reader->facts;

    return facts_read_moment(base, names[SLURM_SUBMIT], texts[SLURM_SUBMIT], line,
                             &facts->submit_ns) &&
           facts_read_moment(base, names[SLURM_ELIGIBLE], texts[SLURM_ELIGIBLE], line,
                             &facts->eligible_ns) &&
           facts_read_moment(base, names[SLURM_START], texts[SLURM_START], line,
                             &facts->start_ns) &&
           facts_read_moment(base, names[SLURM_END], texts[SLURM_END], line, &facts->end_ns);
}

static bool spans_read(struct slurm_reader *reader, const char *const texts[], struct facts *facts)
{
    const char *limit = texts[SLURM_TIMELIMIT_RAW];
    const char *elapsed = texts[SLURM_ELAPSED];

    if (*texts[SLURM_ELAPSED_RAW]) {
        if (!facts_read_number(&reader->facts, names[SLURM_ELAPSED_RAW], texts[SLURM_ELAPSED_RAW],
                               0, HS_NS_PER_S, &facts->duration_ns)) {
            return false;
        }
    } else if (!moment_is_missing(elapsed) && !moment_span_parse(elapsed, &facts->duration_ns)) {
        return facts_problem(&reader->facts, names[SLURM_ELAPSED], elapsed,
                             "[days-]hours:minutes:seconds is due");
    }
    if (!moment_is_missing(texts[SLURM_PLANNED]) &&
        !moment_span_parse(texts[SLURM_PLANNED], &facts->wait_ns)) {
        facts->wait_ns = -1; /* some versions write nonsense for jobs that never started */
    }
    limit = *limit ? limit : texts[SLURM_TIMELIMIT];
    if (moment_is_missing(limit) || !strcasecmp(limit, "UNLIMITED") ||
        !strcasecmp(limit, "Partition_Limit") || !strcasecmp(limit, "INVALID")) {
        return true;
    }
    if (strchr(limit, ':')) {
        return moment_span_parse(limit, &facts->walltime_ns) ||
               facts_problem(&reader->facts, names[SLURM_TIMELIMIT], limit,
                             "[days-]hours:minutes:seconds is due");
    }
    return facts_read_number(&reader->facts, names[SLURM_TIMELIMIT_RAW], limit, 0, MINUTE_NS,
                             &facts->walltime_ns);
}

static bool count_read(struct slurm_reader *reader, enum slurm_field field,
                       const char *const texts[], int64_t *value)
{
    return facts_read_number(&reader->facts, names[field], texts[field], 0, 1, value);
}

/* What was requested, what was allocated, or the larger, as the option says; -1 and 0 are no
 * answers. */
static int64_t chosen(enum workload_procs procs, int64_t requested, int64_t allocated)
{
    if (procs == WORKLOAD_PROCS_MAX) {
        return requested > allocated ? requested : allocated;
    }
    if (procs == WORKLOAD_PROCS_ALLOCATED) {
        return allocated > 0 ? allocated : requested;
    }
    return requested > 0 ? requested : allocated;
}

static int64_t first_of(int64_t first, int64_t second)
{
    return first > 0 ? first : second;
}

/* Nodes are those that were allocated, where the job ran: a request names the fewest that would
 * do, which need not hold all its tasks. */
static bool demand_read(struct slurm_reader *reader, const char *const texts[], struct facts *facts)
{
    struct tres requested, allocated;
    char other[sizeof reader->models];
    int64_t cpus, req_cpus, alloc_cpus, nodes, req_nodes, alloc_nodes;

    if (!tres_parse(texts[SLURM_ALLOC_TRES], &allocated, other, sizeof other) ||
        !tres_parse(texts[SLURM_REQ_TRES], &requested, reader->models, sizeof reader->models)) {
        return facts_problem(&reader->facts, names[SLURM_REQ_TRES], texts[SLURM_REQ_TRES],
                             "resources are due, as in cpu=2,mem=4G,node=1,gres/gpu=1");
    }
    if (!count_read(reader, SLURM_CPUS, texts, &cpus) ||
        !count_read(reader, SLURM_REQ_CPUS, texts, &req_cpus) ||
        !count_read(reader, SLURM_ALLOC_CPUS, texts, &alloc_cpus) ||
        !count_read(reader, SLURM_NODES, texts, &nodes) ||
        !count_read(reader, SLURM_REQ_NODES, texts, &req_nodes) ||
        !count_read(reader, SLURM_ALLOC_NODES, texts, &alloc_nodes)) {
        return false;
    }
    if (requested.gpus <= 0) {
        memcpy(reader->models, other, sizeof other);
    }
    cpus = first_of(chosen(reader->procs, first_of(requested.cpus, req_cpus),
                           first_of(allocated.cpus, alloc_cpus)),
                    cpus);
    nodes = first_of(first_of(allocated.nodes, alloc_nodes),
                     first_of(nodes, first_of(requested.nodes, req_nodes)));
    facts->nodes = nodes;
    facts->cpus_milli = cpus > 0 && cpus < COUNT_MAX ? cpus * MILLI : cpus > 0 ? INT64_MAX : -1;
    facts->gpus_milli = chosen(reader->procs, requested.gpus, allocated.gpus);
    facts->gpus_milli = facts->gpus_milli > 0 && facts->gpus_milli < COUNT_MAX
                            ? facts->gpus_milli * MILLI
                        : facts->gpus_milli > 0 ? INT64_MAX
                                                : 0;
    facts->mem_bytes = chosen(reader->procs, requested.mem_bytes, allocated.mem_bytes);
    facts->models = reader->models;
    if (facts->mem_bytes < 0 &&
        !memory_parse(texts[SLURM_REQ_MEM], cpus, nodes, &facts->mem_bytes)) {
        return facts_problem(&reader->facts, names[SLURM_REQ_MEM], texts[SLURM_REQ_MEM],
                             "memory is due, as in 500G, 2800Mc (for each processor) or 4Gn (for "
                             "each node)");
    }
    return true;
}

static bool labels_read(struct slurm_reader *reader, const char *const texts[], struct facts *facts)
{
    struct facts_reader *base = &reader->facts;

    return facts_read_label(base, names[SLURM_USER], texts[SLURM_USER], &reader->users,
                            WORKLOAD_USER, &facts->user) &&
           facts_read_label(base, names[SLURM_ACCOUNT], texts[SLURM_ACCOUNT], &reader->accounts,
                            WORKLOAD_GROUP, &facts->group) &&
           facts_read_label(base, names[SLURM_PARTITION], texts[SLURM_PARTITION],
                            &reader->partitions, WORKLOAD_QUEUE, &facts->queue) &&
           facts_read_label(base, names[SLURM_QOS], texts[SLURM_QOS], &reader->services,
                            WORKLOAD_NOUN_COUNT, &facts->job_class);
}

/* Does it still run? Then how long it will is not known. A list without the column End has only the
 * state to say so. */
static bool is_unfinished(const char *const texts[], const struct facts *facts)
{
    static const char *const states[] = {"RUNNING", "SUSPENDED", "PENDING", "COMPLETING"};

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (!strncmp(texts[SLURM_STATE], states[i], strlen(states[i]))) {
            return true;
        }
    }
    return *texts[SLURM_END] && facts->end_ns < 0 && facts->state != FACTS_CANCELLED;
}

bool slurm_to_record(struct slurm_reader *reader, const char *const texts[SLURM_FIELD_COUNT],
                     int64_t line, struct workload_record *record)
{
    static const struct workload_columns usual = {0};
    struct facts facts;

    facts_clear(&facts);
    record->fields.value[SWF_ID] = -1;
    if (!id_read(reader, texts, &facts.id)) {
        return false;
    }
    record->fields.value[SWF_ID] = facts.id;
    if (!moments_read(reader, texts, line, &facts) || !spans_read(reader, texts, &facts) ||
        !demand_read(reader, texts, &facts) || !labels_read(reader, texts, &facts)) {
        return false;
    }
    facts.state = columns_state(&usual, texts[SLURM_STATE]);
    facts.partition = facts.queue;
    if (is_unfinished(texts, &facts)) {
        facts.duration_ns = -1;
    }
    return facts_to_record(&reader->facts, &facts, line, record);
}
