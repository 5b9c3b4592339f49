/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - the table of trace formats, and which one a file has. */
#include "workload/source.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "input/input.h"
#include "workload/gavel.h"

#define HEADER_MAX   ((size_t)4096)
#define FORMAT_FIRST (WORKLOAD_FORMAT_AUTO + 1)

#define CSV_ROW   "A row has the fields that the header names."
#define SLURM_ROW "Times are 2020-04-01T00:00:05, resources cpu=2,mem=4G,node=1."

static const struct workload_format formats[WORKLOAD_FORMAT_COUNT] = {
    [WORKLOAD_FORMAT_SWF] = {.name = "swf",
                             .about = "Standard Workload Format",
                             .suffixes = ".swf",
                             .row = "An SWF row has 18 numbers; check that this is an SWF trace.",
                             .sorting = "Sort the trace by its second field (sort -s -n -k 2,2)",
                             .source = &workload_source_swf},
    [WORKLOAD_FORMAT_JOBS] = {.name = "jobs",
                              .about = "jobs as CSV",
                              .suffixes = ".csv",
                              .columns = "submit",
                              .row = "A row has a field for each name of the header.",
                              .sorting = "Sort the rows by their column submit",
                              .source = &workload_source_jobs},
    [WORKLOAD_FORMAT_OPENB] = {.name = "openb",
                               .about = "pods of Alibaba's openb trace",
                               .suffixes = ".csv",
                               .columns = "name cpu_milli memory_mib num_gpu gpu_milli gpu_spec",
                               .row =
                                   "A row has the fields that the header names; numbers are whole.",
                               .sorting = "Sort the list by its column creation_time",
                               .source = &workload_source_openb},
    [WORKLOAD_FORMAT_GAVEL] = {.name = "gavel",
                               .about = "jobs of Gavel, in steps",
                               .suffixes = ".trace .tsv",
                               .tab_count = GAVEL_FIELDS - 1,
                               .has_steps = true,
                               .row = "A row has ten fields with tabs between them, and the table "
                                      "of throughputs has its job type and scale factor.",
                               .sorting = "Sort the trace by its tenth field (sort -s -g -t "
                                          "\"$(printf '\\t')\" -k 10,10)",
                               .source = &workload_source_gavel},
    [WORKLOAD_FORMAT_HELIOS] = {.name = "helios",
                                .about = "jobs of the Helios traces",
                                .suffixes = ".csv",
                                .columns = "job_id vc submit_time duration gpu_num",
                                .row = CSV_ROW,
                                .sorting = "Sort the rows by their column submit_time",
                                .source = &workload_source_mapped},
    [WORKLOAD_FORMAT_ACME] = {.name = "acme",
                              .about = "jobs of the Acme traces",
                              .suffixes = ".csv",
                              .columns = "job_id type submit_time duration gpu_num",
                              .row = CSV_ROW,
                              .sorting = "Sort the rows by their column submit_time",
                              .source = &workload_source_mapped},
    [WORKLOAD_FORMAT_PHILLY] = {.name = "philly-sia",
                                .about = "jobs derived from the Philly trace",
                                .suffixes = ".csv",
                                .columns = "timestamp duration num_gpus cluster",
                                .row = CSV_ROW,
                                .sorting = "Sort the rows by their column timestamp",
                                .source = &workload_source_mapped},
    [WORKLOAD_FORMAT_PAI] = {.name = "pai",
                             .about = "tasks of Alibaba's PAI trace of 2020",
                             .suffixes = "",
                             .row = "A row of the task table has 10 fields, without a header.",
                             .sorting =
                                 "Sort the rows by their fifth field (sort -s -t, -g -k 5,5)",
                             .source = &workload_source_mapped},
    [WORKLOAD_FORMAT_CSV] = {.name = "csv",
                             .about = "jobs as CSV, by a map of columns",
                             .suffixes = "",
                             .row = CSV_ROW,
                             .sorting = "Sort the rows by their submit times",
                             .source = &workload_source_mapped},
    [WORKLOAD_FORMAT_SACCT] = {.name = "sacct",
                               .about = "accounting of Slurm (sacct -P)",
                               .suffixes = ".txt .sacct .csv .psv",
                               .columns = "JobID Submit",
                               .is_open = true,
                               .row = SLURM_ROW,
                               .sorting = "Print the jobs in the order of their submission (sacct "
                                          "sorts by job number)",
                               .source = &workload_source_sacct},
    [WORKLOAD_FORMAT_JOBCOMP] = {.name = "jobcomp",
                                 .about = "finished jobs of Slurm (jobcomp/filetxt)",
                                 .suffixes = ".txt .log",
                                 .columns = "JobId=",
                                 .is_open = true,
                                 .row = SLURM_ROW,
                                 .sorting = "Sort the lines by their SubmitTime",
                                 .source = &workload_source_jobcomp},
};

const struct workload_format *workload_format_at(enum workload_format_id id)
{
    return &formats[id];
}

enum workload_format_id workload_format_id_of(const struct workload_format *format)
{
    return (enum workload_format_id)(format - formats);
}

/* Takes the next word of a list with blanks between; *list moves on. */
static bool word_next(const char **list, const char **word, size_t *length)
{
    *word = *list + strspn(*list, " ");
    *length = strcspn(*word, " ");
    *list = *word + *length;
    return *length > 0;
}

static bool has_suffix(const char *path, const char *suffixes)
{
    size_t path_length = strlen(path), length;
    const char *word;

    if (path_length > 3 && !strcmp(path + path_length - 3, ".gz")) {
        path_length -= 3;
    } else if (path_length > 4 && !strcmp(path + path_length - 4, ".zst")) {
        path_length -= 4;
    }
    while (word_next(&suffixes, &word, &length)) {
        if (path_length > length && !strncmp(path + path_length - length, word, length)) {
            return true;
        }
    }
    return false;
}

/* Is the word one of the columns of the header line? */
static bool has_column(const char *header, const char *word, size_t length)
{
    for (const char *at = header; *at;) {
        size_t field_length = strcspn(at, ",;|\t\r\n");
        const char *field = at;
        size_t used = field_length;

        while (used > 0 && (*field == ' ' || *field == '"')) {
            field++;
            used--;
        }
        while (used > 0 && (field[used - 1] == ' ' || field[used - 1] == '"')) {
            used--;
        }
        if (used == length && !strncmp(field, word, length)) {
            return true;
        }
        at += field_length;
        if (*at == '\0' || *at == '\n' || *at == '\r') {
            return false;
        }
        at++;
    }
    return false;
}

static bool has_columns(const char *header, const char *columns)
{
    const char *word;
    size_t length;

    while (word_next(&columns, &word, &length)) {
        bool is_there = word[length - 1] == '=' ? !strncmp(header, word, length)
                                                : has_column(header, word, length);

        if (!is_there) {
            return false;
        }
    }
    return true;
}

/* The beginning of the file, unpacked, from its first line that is no comment. */
static enum hs_err header_read(const char *path, char header[HEADER_MAX + 1],
                               struct hs_error *error)
{
    struct input *input;
    size_t used = 0, length = 1;
    char *start = header;
    enum hs_err err = input_open(path, &input, error);

    while (!err && length > 0 && used < HEADER_MAX) {
        err = input_read(input, header + used, HEADER_MAX - used, &length, error);
        used += length;
    }
    input_close(input);
    header[used] = '\0';
    start += strncmp(start, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (*start == '#' || *start == '\n' || *start == '\r') {
        start += strcspn(start, "\n");
        start += *start == '\n';
    }
    memmove(header, start, strlen(start) + 1);
    return err;
}

/* How many of the columns are there, and which are not: "submit_time, vc". */
static size_t columns_missing(const char *header, const char *columns, char *list, size_t size)
{
    const char *word;
    size_t length, used = 0, count = 0;

    list[0] = '\0';
    while (word_next(&columns, &word, &length)) {
        if (has_column(header, word, length)) {
            count++;
        } else if (used < size) {
            used += (size_t)snprintf(list + used, size - used, "%s%.*s", used ? ", " : "",
                                     (int)length, word);
        }
    }
    return count;
}

/* No format has such a header: which is nearest, and what it would need. */
static enum hs_err header_refuse(const char *path, char *header, struct hs_error *error)
{
    const struct workload_format *nearest = &formats[WORKLOAD_FORMAT_JOBS];
    char lacking[200], list[200];
    size_t most = 0;

    (void)columns_missing(header, nearest->columns, lacking, sizeof lacking);
    for (size_t i = FORMAT_FIRST; i < WORKLOAD_FORMAT_COUNT; i++) {
        size_t count =
            formats[i].columns ? columns_missing(header, formats[i].columns, list, sizeof list) : 0;

        if (count > most) {
            most = count;
            nearest = &formats[i];
            memcpy(lacking, list, sizeof list);
        }
    }
    header[strcspn(header, "\r\n")] = '\0';
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the first line is '%.120s%s', which is the header of no list of jobs "
                        "that hsim knows; the nearest is %s (%s), and lacks %s. If each row is a "
                        "job, say which column is what with `workload.columns` (--columns FILE).",
                        path, header, strlen(header) > 120 ? "..." : "", nearest->name,
                        nearest->about, lacking);
}

/* Of the formats that share the ending of the name, the first whose columns are all there; NULL:
 * none. `is_open`: the name has no ending that tells,
 * so formats that are known by their first line alone may be meant. */
static enum hs_err find_by_header(const char *path, bool is_open,
                                  const struct workload_format **format, struct hs_error *error)
{
    char header[HEADER_MAX + 1];
    enum hs_err err = header_read(path, header, error);

    *format = NULL;
    if (err) {
        return err;
    }
    for (size_t i = FORMAT_FIRST; i < WORKLOAD_FORMAT_COUNT; i++) {
        if (formats[i].columns &&
            (is_open ? formats[i].is_open : has_suffix(path, formats[i].suffixes)) &&
            has_columns(header, formats[i].columns)) {
            *format = &formats[i];
            return HS_OK;
        }
    }
    return is_open ? HS_OK : header_refuse(path, header, error);
}

/* Does the first line have so many tabs? */
static enum hs_err has_tabs(const char *path, size_t tab_count, bool *has, struct hs_error *error)
{
    char header[HEADER_MAX + 1];
    size_t found = 0;
    enum hs_err err = header_read(path, header, error);

    for (const char *at = header; !err && *at && *at != '\n'; at++) {
        found += *at == '\t';
    }
    *has = !err && found == tab_count;
    return err;
}

/* Of the formats with a number of tabs, the one that shares the ending of the name and has them in
 * its first line; NULL: none. */
static enum hs_err find_by_tabs(const char *path, const struct workload_format **format,
                                struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *format = NULL;
    for (size_t i = FORMAT_FIRST; !err && !*format && i < WORKLOAD_FORMAT_COUNT; i++) {
        bool is_it = false;

        if (formats[i].tab_count && has_suffix(path, formats[i].suffixes)) {
            err = has_tabs(path, formats[i].tab_count, &is_it, error);
        }
        *format = is_it ? &formats[i] : NULL;
    }
    return err;
}

/* Can the file be read twice? What a pipe has said it does not say again. */
static bool is_regular(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Options that would have no effect are errors. */
static enum hs_err format_check(const struct workload_options *options,
                                const struct workload_format *format, struct hs_error *error)
{
    bool has_dates = format->source == &workload_source_mapped ||
                     format->source == &workload_source_sacct ||
                     format->source == &workload_source_jobcomp;

    if (options->columns.is_given && format->source != &workload_source_mapped) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: a map of columns has no meaning for the format %s (%s). Leave "
                            "`columns` or `format` out.",
                            options->file, format->name, format->about);
    }
    if (options->zone && !has_dates) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: a zone has no meaning for the format %s (%s), whose times are no "
                            "dates. Leave `zone` out.",
                            options->file, format->name, format->about);
    }
    return HS_OK;
}

static enum hs_err format_find(const struct workload_options *options,
                               const struct workload_format **format, struct hs_error *error)
{
    bool is_open = true;
    enum hs_err err;

    *format = &formats[options->format];
    if (options->format != WORKLOAD_FORMAT_AUTO) {
        return HS_OK;
    }
    if (options->columns.is_given) {
        *format = &formats[WORKLOAD_FORMAT_CSV];
        return HS_OK;
    }
    if (has_suffix(options->file, formats[WORKLOAD_FORMAT_SWF].suffixes)) {
        *format = &formats[WORKLOAD_FORMAT_SWF];
        return HS_OK;
    }
    err = find_by_tabs(options->file, format, error);
    if (err || *format) {
        return err;
    }
    is_open = !has_suffix(options->file, ".csv .sacct .psv");
    *format = NULL;
    err = is_open && !is_regular(options->file)
              ? HS_OK
              : find_by_header(options->file, is_open, format, error);
    if (!err && !*format) {
        /* A table of throughputs is for steps, also where the first row is not as it should be. */
        *format = &formats[options->throughputs ? WORKLOAD_FORMAT_GAVEL : WORKLOAD_FORMAT_SWF];
    }
    return err;
}

enum hs_err workload_format_find(const struct workload_options *options,
                                 const struct workload_format **format, struct hs_error *error)
{
    enum hs_err err = format_find(options, format, error);

    return err ? err : format_check(options, *format, error);
}
