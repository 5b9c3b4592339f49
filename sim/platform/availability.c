/* SPDX-License-Identifier: GPL-3.0-or-later */
/* availability.c - from rows to changes of nodes. */
#include "platform/availability.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "text/units.h"

#define WORD_MAX    200
#define TIME_MAX    (INT64_C(6000000000) * HS_NS_PER_S) /* as of submissions */
#define NEAREST_MAX 100000u /* nodes among which a misspelt name is looked for */

enum column { COLUMN_TIME, COLUMN_NODES, COLUMN_STATE, COLUMN_DATE, COLUMN_COUNT_OF, COLUMN_COUNT };

struct named_node {
    const char *name;
    uint32_t index;
};

struct reading {
    const char *path;
    const char *column;
    const struct hs_cluster *cluster;
    struct availability *result;
    size_t room;
    struct named_node *names; /* by name */
    bool *is_away;            /* by node, after the rows so far */
    hs_time last_ns;
    bool has_row;
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct named_node *)left)->name,
                  ((const struct named_node *)right)->name);
}

static enum hs_err prepare(struct reading *reading, struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(reading->cluster);

    reading->names = calloc(count, sizeof *reading->names);
    reading->is_away = calloc(count, sizeof *reading->is_away);
    if (!reading->names || !reading->is_away) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        reading->names[i] = (struct named_node){hs_cluster_node(reading->cluster, i)->name, i};
    }
    qsort(reading->names, count, sizeof *reading->names, compare_names);
    return HS_OK;
}

/* The node is so from now on. */
static enum hs_err set(struct reading *reading, uint32_t node, bool is_available,
                       struct hs_error *error)
{
    struct availability *result = reading->result;

    if (reading->is_away[node] == !is_available) {
        return HS_OK;
    }
    if (result->count == reading->room) {
        size_t room = reading->room ? 2 * reading->room : 256;
        void *moved = realloc(result->changes, room * sizeof *result->changes);

        if (!moved) {
            return hs_error_memory(error);
        }
        result->changes = moved;
        reading->room = room;
    }
    reading->is_away[node] = !is_available;
    result->changes[result->count++] =
        (struct availability_change){reading->last_ns, node, is_available};
    return HS_OK;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar; years 1970 to 2199. */
static int64_t days_until(int year, int month, int day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int leaps = (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return (int64_t)(year - 1970) * 365 + leaps + before[month - 1] + (is_leap && month > 2) + day -
           1;
}

static int days_of(int year, int month)
{
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2                                              ? 28 + is_leap
           : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                   : 31;
}

/* "2020-04-01", with a time of day behind a blank or T; false: no such time. */
static bool parse_date(const char *text, hs_time *time_ns)
{
    int year;
    int month;
    int day;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int end = 0;
    int more = 0;
    char between = ' ';

    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 || end != 10) {
        return false;
    }
    if (text[end]) {
        const char *rest = text + end;

        if (sscanf(rest, "%c%2d:%2d%n:%2d%n", &between, &hour, &minute, &more, &second, &more) <
                3 ||
            (more != 6 && more != 9) || rest[more] || (between != ' ' && between != 'T')) {
            return false;
        }
    }
    if (year < 1970 || year > 2199 || month < 1 || month > 12 || day < 1 ||
        day > days_of(year, month) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59) {
        return false;
    }
    *time_ns =
        ((days_until(year, month, day) * 24 + hour) * 3600 + minute * 60 + second) * HS_NS_PER_S;
    return true;
}

/* The time of a row, which is not before that of the last one. */
static enum hs_err read_time(struct reading *reading, const struct csv_row *row, const char *text,
                             struct hs_error *error)
{
    struct availability *result = reading->result;
    hs_time time_ns = 0;
    bool is_date = parse_date(text, &time_ns);

    if (!is_date && (text_units_parse(UNITS_TIME, text, &time_ns, NULL) != UNITS_OK ||
                     time_ns > TIME_MAX || time_ns < -TIME_MAX)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": '%.60s' is no time; a number of seconds, a duration "
                            "(units %s), at most 6e9 s, or a date like 2020-04-01 12:30:00 is "
                            "due.",
                            reading->path, row->line, text, text_units_list(UNITS_TIME));
    }
    if (reading->has_row && is_date != result->is_absolute) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the time '%.60s' is %s, and those before are not; "
                            "write all of them in one way.",
                            reading->path, row->line, text, is_date ? "a date" : "a number");
    }
    if (reading->has_row && time_ns < reading->last_ns) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the time '%.60s' lies before that of the row above; "
                            "sort the rows by time.",
                            reading->path, row->line, text);
    }
    result->is_absolute = is_date;
    reading->last_ns = time_ns;
    reading->has_row = true;
    return HS_OK;
}

static enum hs_err fail_node(const struct reading *reading, int64_t line, const char *word,
                             struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(reading->cluster);
    const char **names = count <= NEAREST_MAX ? malloc(count * sizeof *names) : NULL;
    const char *near = NULL;
    enum hs_err err;

    for (uint32_t i = 0; names && i < count; i++) {
        names[i] = reading->names[i].name;
    }
    near = names ? hs_nearest(word, names, count) : NULL;
    err = hs_error_set(error, HS_ERR_INPUT,
                       "%s:%" PRId64 ": The platform has no node '%.60s'. %s%.60s%sNames, indices "
                       "from 0 to %" PRIu32 " (\"0-4 6\") and all are allowed.",
                       reading->path, line, word, near ? "Did you mean '" : "", near ? near : "",
                       near ? "'? " : "", count - 1);
    free(names);
    return err;
}

/* The nodes of a word: a name, an index, a range of indices. */
static enum hs_err find_nodes(const struct reading *reading, int64_t line, const char *word,
                              uint32_t *first, uint32_t *last, struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(reading->cluster);
    struct named_node wanted = {word, 0};
    const struct named_node *found =
        bsearch(&wanted, reading->names, count, sizeof wanted, compare_names);
    char low[WORD_MAX];
    const char *dash = strchr(word, '-');
    int64_t from;
    int64_t to;

    if (found) {
        *first = *last = found->index;
        return HS_OK;
    }
    if (strcmp(word, "all") == 0) {
        *first = 0;
        *last = count - 1;
        return HS_OK;
    }
    (void)snprintf(low, sizeof low, "%.*s", dash ? (int)(dash - word) : WORD_MAX - 1, word);
    if (!csv_parse_int(low, &from) || !csv_parse_int(dash ? dash + 1 : low, &to)) {
        return fail_node(reading, line, word, error);
    }
    if (from < 0 || to < from || to >= count) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the nodes '%.60s' are none of the platform, which has "
                            "the indices from 0 to %" PRIu32 ".",
                            reading->path, line, word, count - 1);
    }
    *first = (uint32_t)from;
    *last = (uint32_t)to;
    return HS_OK;
}

/* "n3 7 10-19" */
static enum hs_err set_nodes(struct reading *reading, const struct csv_row *row, bool is_available,
                             struct hs_error *error)
{
    const char *at = row->fields[COLUMN_NODES];
    bool has_word = false;
    enum hs_err err = HS_OK;

    while (err == HS_OK) {
        char word[WORD_MAX];
        uint32_t first = 0;
        uint32_t last = 0;
        size_t length;

        at += strspn(at, " \t");
        length = strcspn(at, " \t");
        if (length == 0) {
            break;
        }
        has_word = true;
        (void)snprintf(word, sizeof word, "%.*s", length < WORD_MAX ? (int)length : WORD_MAX - 1,
                       at);
        at += length;
        err = find_nodes(reading, row->line, word, &first, &last, error);
        for (uint64_t node = first; err == HS_OK && node <= last; node++) {
            err = set(reading, (uint32_t)node, is_available, error);
        }
    }
    return err != HS_OK || has_word
               ? err
               : hs_error_set(error, HS_ERR_INPUT,
                              "%s:%" PRId64 ": no nodes are named; names, indices or all are due.",
                              reading->path, row->line);
}

static enum hs_err read_states(struct reading *reading, const struct csv_row *row,
                               struct hs_error *error)
{
    static const char *const states[] = {"up", "down"};
    const char *state = row->fields[COLUMN_STATE];
    const char *near = hs_nearest(state, states, 2);
    enum hs_err err = read_time(reading, row, row->fields[COLUMN_TIME], error);

    if (err != HS_OK) {
        return err;
    }
    if (strcmp(state, "up") != 0 && strcmp(state, "down") != 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the state is '%.60s'; up or down is due.%s%s%s",
                            reading->path, row->line, state, near ? " Did you mean '" : "",
                            near ? near : "", near ? "'?" : "");
    }
    return set_nodes(reading, row, strcmp(state, "up") == 0, error);
}

/* So many accelerators: the left-most nodes that have them stay. */
static enum hs_err read_count(struct reading *reading, const struct csv_row *row,
                              struct hs_error *error)
{
    uint32_t installed = hs_cluster_device_count(reading->cluster);
    const char *text = row->fields[COLUMN_COUNT_OF];
    int64_t wanted = 0;
    bool has_row = reading->has_row;
    hs_time before_ns = reading->last_ns;
    enum hs_err err = read_time(reading, row, row->fields[COLUMN_DATE], error);

    if (err != HS_OK) {
        return err;
    }
    if (has_row && reading->last_ns == before_ns) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": the date '%.60s' is that of the row above, too; "
                            "remove one of the two rows.",
                            reading->path, row->line, row->fields[COLUMN_DATE]);
    }
    if (!csv_parse_int(text, &wanted) || wanted < 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": %.60s is '%.60s'; a number of accelerators is due.",
                            reading->path, row->line, reading->column, text);
    }
    if (wanted > installed) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%" PRId64 ": %.60s is %" PRId64 ", but the platform has %" PRIu32
                            " accelerators; it must have as many as there ever are.",
                            reading->path, row->line, reading->column, wanted, installed);
    }
    for (uint32_t i = 0; err == HS_OK && i < hs_cluster_node_count(reading->cluster); i++) {
        uint32_t devices = hs_cluster_node(reading->cluster, i)->device_count;

        if (devices > 0) {
            err = set(reading, i, wanted > 0, error);
            wanted -= devices;
        }
    }
    return err;
}

static enum hs_err check_header(const struct reading *reading, const struct csv *csv,
                                bool *has_states, struct hs_error *error)
{
    bool has_dates = csv_has(csv, COLUMN_DATE);

    *has_states =
        csv_has(csv, COLUMN_TIME) && csv_has(csv, COLUMN_NODES) && csv_has(csv, COLUMN_STATE);
    if (*has_states || (has_dates && csv_has(csv, COLUMN_COUNT_OF))) {
        return HS_OK;
    }
    if (has_dates) {
        return hs_error_set(
            error, HS_ERR_INPUT, "%s:1: there is no column '%.60s' beside date%s%s.", reading->path,
            reading->column,
            *csv_unused(csv) ? "; set platform.availability_column to one of: " : "",
            csv_unused(csv));
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:1: the columns time, nodes and state are due, or date and %.60s.",
                        reading->path, reading->column);
}

static enum hs_err read_rows(struct reading *reading, struct csv *csv, struct hs_error *error)
{
    struct csv_row row;
    bool has_states;
    bool has_row = true;
    enum hs_err err = check_header(reading, csv, &has_states, error);

    while (err == HS_OK) {
        err = csv_next(csv, &row, &has_row, error);
        if (err != HS_OK || !has_row) {
            break;
        }
        if (row.problem) {
            err = hs_error_set(error, HS_ERR_INPUT, "%s:%" PRId64 ": %s.", reading->path, row.line,
                               row.problem);
        } else {
            err = has_states ? read_states(reading, &row, error) : read_count(reading, &row, error);
        }
    }
    return err;
}

enum hs_err availability_load(const char *path, const char *column,
                              const struct hs_cluster *cluster, struct availability *availability,
                              struct hs_error *error)
{
    const struct csv_column columns[COLUMN_COUNT] = {
        [COLUMN_TIME] = {"time", false},     [COLUMN_NODES] = {"nodes", false},
        [COLUMN_STATE] = {"state", false},   [COLUMN_DATE] = {"date", false},
        [COLUMN_COUNT_OF] = {column, false},
    };
    struct reading reading = {
        .path = path, .column = column, .cluster = cluster, .result = availability};
    struct csv *csv = NULL;
    enum hs_err err;

    *availability = (struct availability){0};
    err = prepare(&reading, error);
    if (err == HS_OK) {
        err = csv_open(path, "a table of when nodes are available", columns, COLUMN_COUNT, &csv,
                       error);
    }
    if (err == HS_OK) {
        err = read_rows(&reading, csv, error);
    }
    csv_close(csv);
    free(reading.names);
    free(reading.is_away);
    return err;
}

void availability_fini(struct availability *availability)
{
    free(availability->changes);
    *availability = (struct availability){0};
}
