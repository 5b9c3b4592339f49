/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - the table of trace formats, and which one a file has. */
#include "workload/source.h"

#include <stdio.h>
#include <string.h>

#include "input/input.h"
#include "workload/gavel.h"

#define HEADER_MAX   ((size_t)4096)
#define FORMAT_FIRST (WORKLOAD_FORMAT_AUTO + 1)

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
};

const struct workload_format *workload_format_at(enum workload_format_id id)
{
    return &formats[id];
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
        size_t field_length = strcspn(at, ",;\t\r\n");
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
        if (!has_column(header, word, length)) {
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

/* Of the formats that share the ending of the name, the first whose columns are all there. */
static enum hs_err find_by_header(const char *path, const struct workload_format **format,
                                  struct hs_error *error)
{
    char header[HEADER_MAX + 1];
    char list[512] = "";
    size_t used = 0;
    enum hs_err err = header_read(path, header, error);

    if (err) {
        return err;
    }
    for (size_t i = FORMAT_FIRST; i < WORKLOAD_FORMAT_COUNT; i++) {
        if (!formats[i].columns || !has_suffix(path, formats[i].suffixes)) {
            continue;
        }
        if (has_columns(header, formats[i].columns)) {
            *format = &formats[i];
            return HS_OK;
        }
        if (used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%s)",
                                     used ? ", or " : "", formats[i].columns, formats[i].about);
        }
    }
    header[strcspn(header, "\r\n")] = '\0';
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the first line is '%.120s%s'; no format with this ending has such "
                        "columns. Due are at least: %s.",
                        path, header, strlen(header) > 120 ? "..." : "", list);
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

enum hs_err workload_format_find(const struct workload_options *options,
                                 const struct workload_format **format, struct hs_error *error)
{
    if (options->format != WORKLOAD_FORMAT_AUTO) {
        *format = &formats[options->format];
        return HS_OK;
    }
    for (size_t i = FORMAT_FIRST; i < WORKLOAD_FORMAT_COUNT; i++) {
        bool is_it = has_suffix(options->file, formats[i].suffixes);
        enum hs_err err = HS_OK;

        if (is_it && formats[i].tab_count) {
            err = has_tabs(options->file, formats[i].tab_count, &is_it, error);
        }
        if (err) {
            return err;
        }
        if (is_it) {
            *format = &formats[i];
            return formats[i].columns ? find_by_header(options->file, format, error) : HS_OK;
        }
    }
    *format = &formats[WORKLOAD_FORMAT_SWF];
    return HS_OK;
}
