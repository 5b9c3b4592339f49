/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb.c - lists of pods as Alibaba published them (clusterdata, cluster-trace-gpu-v2023).
 *
 * A pod is one task with cores in thousandths, memory, and whole GPUs or a share of one. What the
 * list says of its times becomes the fields of SWF: created is submitted, deleted less scheduled
 * is the run time. A pod that was never scheduled gave up waiting when it was deleted, as a job
 * that its user cancels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hs/cluster.h"
#include "input/csv.h"
#include "workload/model_list.h"
#include "workload/source.h"
#include "workload/tally.h"

#define CORES_MAX_MILLI   INT64_C(1000000000)
#define MEMORY_MAX_MIB    (INT64_MAX >> 21)
#define GPUS_MAX          HS_NODE_DEVICES_MAX
#define STATUS_FAILED     0
#define STATUS_COMPLETED  1
#define STATUS_CANCELLED  5
#define NANOSECONDS_SCALE 9 /* decimals that are kept of seconds */

enum column {
    COLUMN_NAME,
    COLUMN_CPU,
    COLUMN_MEMORY,
    COLUMN_GPUS,
    COLUMN_SHARE,
    COLUMN_MODELS,
    COLUMN_QOS,
    COLUMN_PHASE,
    COLUMN_CREATED,
    COLUMN_DELETED,
    COLUMN_SCHEDULED,
    COLUMN_COUNT
};

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_NAME] = {"name", true},
    [COLUMN_CPU] = {"cpu_milli", true},
    [COLUMN_MEMORY] = {"memory_mib", true},
    [COLUMN_GPUS] = {"num_gpu", true},
    [COLUMN_SHARE] = {"gpu_milli", true},
    [COLUMN_MODELS] = {"gpu_spec", true},
    [COLUMN_QOS] = {"qos", false},
    [COLUMN_PHASE] = {"pod_phase", false},
    [COLUMN_CREATED] = {"creation_time", false},
    [COLUMN_DELETED] = {"deletion_time", false},
    [COLUMN_SCHEDULED] = {"scheduled_time", false},
};

/* Classes of service, in the order of their queue numbers. */
static const char *const classes[] = {"LS", "Burstable", "BE", "Guaranteed"};

struct reader {
    struct csv *csv;
    char *path;
    struct workload_stats *stats;
    struct workload_names *names;
    bool is_strict;
    bool has_times;
    struct hs_demand demand; /* of the last record */
    char problem[96];        /* why the row cannot be used */
    struct hs_error refusal; /* why no node can serve it */
};

static void reader_close(void *self)
{
    struct reader *reader = self;

    if (reader) {
        csv_close(reader->csv);
        free(reader->path);
        free(reader);
    }
}

static enum hs_err check_times(const struct reader *reader, const struct workload_options *options,
                               struct hs_error *error)
{
    if (reader->has_times || options->inflation.is_on) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:1: the list of pods has no times (columns creation_time, "
                        "deletion_time, scheduled_time), so it cannot be replayed by them. Let "
                        "the pods fill the machine one by one: workload: {file: ..., inflation: "
                        "{load: 0, shuffle: false}}.",
                        reader->path);
}

static enum hs_err reader_open(const struct workload_setup *setup, void **self,
                               struct hs_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    enum hs_err err;

    *self = NULL;
    if (!reader) {
        return hs_error_memory(error);
    }
    reader->stats = setup->stats;
    reader->names = setup->names;
    reader->is_strict = setup->options->is_strict;
    reader->path = strdup(setup->options->file);
    err = reader->path
              ? csv_open(reader->path, "a list of pods", columns, COLUMN_COUNT, &reader->csv, error)
              : hs_error_memory(error);
    if (!err) {
        reader->has_times = csv_has(reader->csv, COLUMN_CREATED) &&
                            csv_has(reader->csv, COLUMN_DELETED) &&
                            csv_has(reader->csv, COLUMN_SCHEDULED);
        err = check_times(reader, setup->options, error);
    }
    if (err) {
        reader_close(reader);
        return err;
    }
    reader->stats->lines = 1;
    *self = reader;
    return HS_OK;
}

/* A whole number in [low, high], or a problem. */
static bool number(struct reader *reader, const struct csv_row *row, enum column column,
                   int64_t low, int64_t high, int64_t *value)
{
    const char *text = row->fields[column];

    if (csv_parse_int(text, value) && *value >= low && *value <= high) {
        return true;
    }
    (void)snprintf(reader->problem, sizeof reader->problem, "%s is '%.20s'; %lld to %lld is due",
                   columns[column].name, text, (long long)low, (long long)high);
    return false;
}

/* Seconds to ns; -1 for an empty field. */
static bool seconds(struct reader *reader, const struct csv_row *row, enum column column,
                    hs_time *time_ns)
{
    const char *text = row->fields[column];
    bool is_exact, is_huge;

    *time_ns = -1;
    if (!*text) {
        return true;
    }
    if (swf_number(&text, NANOSECONDS_SCALE, time_ns, &is_exact, &is_huge) && !*text &&
        *time_ns >= 0 && *time_ns <= SWF_TIME_MAX_NS) {
        return true;
    }
    (void)snprintf(reader->problem, sizeof reader->problem,
                   "%s is '%.20s'; seconds from 0 to 3000000000 are due", columns[column].name,
                   row->fields[column]);
    return false;
}

/* The number at the end of the name; without one, that of the row. */
static int64_t id_of(const struct reader *reader, const char *name)
{
    const char *digits = name + strlen(name);
    int64_t id;

    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9') {
        digits--;
    }
    return csv_parse_int(digits, &id) ? id : reader->stats->records - 1;
}

static bool read_gpus(struct reader *reader, const struct csv_row *row, int64_t gpus, int64_t share)
{
    struct hs_demand *demand = &reader->demand;

    reader->refusal.text[0] = '\0';
    demand->device_share = HS_SHARES_PER_UNIT;
    demand->device_kind = HS_ANY_KIND;
    if (gpus == 0 && share > 0) {
        (void)snprintf(reader->problem, sizeof reader->problem,
                       "gpu_milli is %lld without a GPU (num_gpu 0)", (long long)share);
        return false;
    }
    if (gpus == 0) {
        return true;
    }
    if (share == 0 || (gpus > 1 && share != HS_SHARES_PER_UNIT)) {
        (void)snprintf(reader->problem, sizeof reader->problem,
                       "gpu_milli is %lld with num_gpu %lld; %s is due", (long long)share,
                       (long long)gpus, gpus > 1 ? "1000 per GPU" : "1 to 1000");
        return false;
    }
    demand->device_count = (uint32_t)gpus;
    demand->device_share = (uint32_t)share;
    return model_list_read(reader->names, columns[COLUMN_MODELS].name, row->fields[COLUMN_MODELS],
                           demand, &reader->refusal, reader->problem, sizeof reader->problem);
}

static bool read_demand(struct reader *reader, const struct csv_row *row)
{
    int64_t cores_milli, memory_mib, gpus, share;

    memset(&reader->demand, 0, sizeof reader->demand);
    if (!number(reader, row, COLUMN_CPU, 1, CORES_MAX_MILLI, &cores_milli) ||
        !number(reader, row, COLUMN_MEMORY, 0, MEMORY_MAX_MIB, &memory_mib) ||
        !number(reader, row, COLUMN_GPUS, 0, GPUS_MAX, &gpus) ||
        !number(reader, row, COLUMN_SHARE, 0, HS_SHARES_PER_UNIT, &share)) {
        return false;
    }
    reader->demand.tasks = 1;
    reader->demand.cores_milli = cores_milli;
    reader->demand.mem_bytes = memory_mib << 20;
    return read_gpus(reader, row, gpus, share);
}

static bool read_times(struct reader *reader, const struct csv_row *row, int64_t *value)
{
    hs_time created_ns, deleted_ns, scheduled_ns;

    if (!reader->has_times) {
        value[SWF_SUBMIT] = 0;
        return true;
    }
    if (!seconds(reader, row, COLUMN_CREATED, &created_ns) ||
        !seconds(reader, row, COLUMN_DELETED, &deleted_ns) ||
        !seconds(reader, row, COLUMN_SCHEDULED, &scheduled_ns)) {
        return false;
    }
    if (created_ns < 0) {
        (void)snprintf(reader->problem, sizeof reader->problem, "creation_time is empty");
        return false;
    }
    value[SWF_SUBMIT] = created_ns;
    if (scheduled_ns >= 0 && deleted_ns >= 0 && deleted_ns < scheduled_ns) {
        (void)snprintf(reader->problem, sizeof reader->problem,
                       "deletion_time %.20s is before scheduled_time %.20s",
                       row->fields[COLUMN_DELETED], row->fields[COLUMN_SCHEDULED]);
        return false;
    }
    if (scheduled_ns >= 0) {
        value[SWF_RUN] = deleted_ns >= 0 ? deleted_ns - scheduled_ns : -1;
        value[SWF_WAIT] = scheduled_ns >= created_ns ? scheduled_ns - created_ns : -1;
    } else if (deleted_ns >= created_ns) {
        value[SWF_WAIT] = deleted_ns - created_ns;
        value[SWF_STATUS] = STATUS_CANCELLED;
    }
    return true;
}

static void read_rest(const struct reader *reader, const struct csv_row *row, int64_t *value)
{
    const char *phase = row->fields[COLUMN_PHASE];

    value[SWF_ID] = id_of(reader, row->fields[COLUMN_NAME]);
    value[SWF_STATUS] = strcmp(phase, "Succeeded") == 0 ? STATUS_COMPLETED
                        : strcmp(phase, "Failed") == 0  ? STATUS_FAILED
                                                        : -1;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(row->fields[COLUMN_QOS], classes[i]) == 0) {
            value[SWF_QUEUE] = (int64_t)i;
        }
    }
}

static bool read_row(struct reader *reader, const struct csv_row *row,
                     struct workload_record *record)
{
    int64_t *value = record->fields.value;

    for (int i = 0; i < SWF_FIELD_COUNT; i++) {
        value[i] = -1;
    }
    record->fields.line = row->line;
    if (row->problem) {
        (void)snprintf(reader->problem, sizeof reader->problem, "%.95s", row->problem);
        return false;
    }
    read_rest(reader, row, value);
    if (!read_demand(reader, row) || !read_times(reader, row, value)) {
        return false;
    }
    record->demand = &reader->demand;
    record->refusal = reader->refusal.text[0] ? reader->refusal.text : NULL;
    return true;
}

static enum hs_err reader_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct reader *reader = self;
    struct csv_row row;
    bool has_row;

    for (;;) {
        enum hs_err err = csv_next(reader->csv, &row, &has_row, error);

        *has_record = false;
        if (err || !has_row) {
            return err;
        }
        reader->stats->lines = row.line;
        reader->stats->records++;
        if (read_row(reader, &row, record)) {
            *has_record = true;
            return HS_OK;
        }
        err = workload_tally_bad_row(&reader->stats->bad, reader->is_strict, reader->path, row.line,
                                     record->fields.value[SWF_ID], reader->problem, error);
        if (err != HS_OK) {
            return err;
        }
    }
}

static double reader_progress(const void *self)
{
    const struct reader *reader = self;

    return csv_progress(reader->csv);
}

const struct workload_source workload_source_openb = {
    .open = reader_open,
    .next = reader_next,
    .progress = reader_progress,
    .close = reader_close,
};
