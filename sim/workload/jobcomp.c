/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobcomp.c - the file that Slurm's plug-in jobcomp/filetxt writes: a line a job, "JobId=6
 * UserId=root(0) ... Name=wrap JobState=COMPLETED ...", in the order in which jobs end.
 *
 * A value may hold blanks, so it ends before the next word that is one of the names and "=". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"
#include "workload/slurm.h"

/* Names in such a file; those that no field stands behind only end the value before. */
static const struct {
    const char *name;
    int field; /* enum slurm_field, or -1 */
} names[] = {
    {"JobId", SLURM_ID},
    {"UserId", SLURM_USER},
    {"GroupId", -1},
    {"Name", -1},
    {"JobState", SLURM_STATE},
    {"Partition", SLURM_PARTITION},
    {"TimeLimit", SLURM_TIMELIMIT},
    {"StartTime", SLURM_START},
    {"EndTime", SLURM_END},
    {"NodeList", -1},
    {"NodeCnt", SLURM_ALLOC_NODES},
    {"ProcCnt", SLURM_ALLOC_CPUS},
    {"WorkDir", -1},
    {"ReservationName", -1},
    {"Tres", SLURM_ALLOC_TRES},
    {"Gres", -1},
    {"Account", SLURM_ACCOUNT},
    {"QOS", SLURM_QOS},
    {"WcKey", -1},
    {"Cluster", -1},
    {"SubmitTime", SLURM_SUBMIT},
    {"EligibleTime", SLURM_ELIGIBLE},
    {"ArrayJobId", -1},
    {"ArrayTaskId", -1},
    {"HetJobId", -1},
    {"HetJobOffset", -1},
    {"PackJobId", -1},
    {"PackJobOffset", -1},
    {"DerivedExitCode", -1},
    {"ExitCode", -1},
};

#define NAME_COUNT (sizeof names / sizeof names[0])

struct reader {
    struct lines *lines;
    struct slurm_reader slurm;
    bool is_strict;
};

static void reader_close(void *self)
{
    struct reader *reader = self;

    if (reader) {
        lines_close(reader->lines);
        slurm_reader_fini(&reader->slurm);
        free(reader);
    }
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
    reader->is_strict = setup->options->is_strict;
    err = slurm_reader_init(&reader->slurm, setup, error);
    err = err ? err : lines_open(setup->options->file, &reader->lines, error);
    if (err) {
        reader_close(reader);
        return err;
    }
    setup->stats->epoch_unix = 0;
    *self = reader;
    return HS_OK;
}

/* The name that stands at `at` with "=" behind it, or NAME_COUNT. */
static size_t name_at(const char *at)
{
    size_t length = strcspn(at, "= ");

    if (at[length] != '=') {
        return NAME_COUNT;
    }
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (strlen(names[i].name) == length && !strncmp(names[i].name, at, length)) {
            return i;
        }
    }
    return NAME_COUNT;
}

static void value_note(const char *texts[SLURM_FIELD_COUNT], int field, char *value)
{
    bool is_before_name = field == SLURM_ID || field == SLURM_USER;

    if (field >= 0 && !(is_before_name && *texts[field])) {
        texts[field] = value;
    }
}

/* Ends each value in place. The name of a job can look like a field, so of equal names the first
 * counts where Slurm puts it before the name of the job, and the last where it stands behind. */
static bool line_split(char *line, const char *texts[SLURM_FIELD_COUNT])
{
    bool is_first = true;

    for (int i = 0; i < SLURM_FIELD_COUNT; i++) {
        texts[i] = "";
    }
    for (char *at = line; at;) {
        size_t name = name_at(at);
        char *blank;

        if (name < NAME_COUNT) {
            if (!is_first) {
                at[-1] = '\0';
            }
            value_note(texts, names[name].field, at + strlen(names[name].name) + 1);
        } else if (is_first) {
            return false;
        }
        is_first = false;
        blank = strchr(at, ' ');
        at = blank ? blank + 1 : NULL;
    }
    return *texts[SLURM_ID] != '\0';
}

static bool row_read(struct reader *reader, char *line, size_t length,
                     struct workload_record *record)
{
    const char *texts[SLURM_FIELD_COUNT];

    record->fields.value[SWF_ID] = -1;
    if (length > LINES_MAX_BYTES || strlen(line) < length) {
        (void)snprintf(reader->slurm.facts.problem, sizeof reader->slurm.facts.problem,
                       length > LINES_MAX_BYTES ? "longer than %zu bytes" : "a zero byte at %zu",
                       length > LINES_MAX_BYTES ? LINES_MAX_BYTES : strlen(line));
        return false;
    }
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\r')) {
        line[--length] = '\0';
    }
    if (!line_split(line, texts)) {
        (void)snprintf(reader->slurm.facts.problem, sizeof reader->slurm.facts.problem,
                       "'%.40s' does not begin a row; JobId=... is due", line);
        return false;
    }
    return slurm_to_record(&reader->slurm, texts, reader->slurm.facts.stats->lines, record);
}

static enum hs_err reader_next(void *self, struct workload_record *record, bool *has_record,
                               struct hs_error *error)
{
    struct reader *reader = self;
    struct workload_stats *stats = reader->slurm.facts.stats;

    for (;;) {
        char *line;
        size_t length = 0;
        enum hs_err err = lines_next(reader->lines, &line, &length, error);

        *has_record = false;
        if (err || !line) {
            return err;
        }
        stats->lines = lines_number(reader->lines);
        if (line[strspn(line, " \r")] == '\0' && strlen(line) == length) {
            continue;
        }
        stats->records++;
        *has_record = row_read(reader, line, length, record);
        err = facts_end_row(&reader->slurm.facts, lines_path(reader->lines), reader->is_strict,
                            !*has_record, record, error);
        if (err || *has_record) {
            *has_record = !err;
            return err;
        }
    }
}

static double reader_progress(const void *self)
{
    const struct reader *reader = self;

    return lines_progress(reader->lines);
}

const struct workload_source workload_source_jobcomp = {
    .open = reader_open,
    .next = reader_next,
    .progress = reader_progress,
    .close = reader_close,
};
