/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gavel_read.c - fields of a trace of Gavel to numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "input/csv.h"
#include "workload/gavel.h"
#include "workload/swf.h"

#define NANOSECONDS_SCALE 9 /* decimals that are kept of seconds */

enum field {
    FIELD_TYPE,
    FIELD_COMMAND,
    FIELD_FOLDER,
    FIELD_STEPS_ARGUMENT,
    FIELD_NEEDS_DATA,
    FIELD_STEPS,
    FIELD_SCALE,
    FIELD_PRIORITY,
    FIELD_SLO,
    FIELD_ARRIVAL
};

struct gavel_reader {
    struct csv *csv;
    char problem[160];
};

void gavel_close(struct gavel_reader *reader)
{
    if (reader) {
        csv_close(reader->csv);
        free(reader);
    }
}

enum hs_err gavel_open(const char *path, struct gavel_reader **reader, struct hs_error *error)
{
    struct gavel_reader *opened = calloc(1, sizeof *opened);
    enum hs_err err;

    *reader = NULL;
    if (!opened) {
        return hs_error_memory(error);
    }
    err = csv_open_bare(path, '\t', GAVEL_FIELDS, &opened->csv, error);
    if (err) {
        gavel_close(opened);
        return err;
    }
    *reader = opened;
    return HS_OK;
}

double gavel_progress(const struct gavel_reader *reader)
{
    return csv_progress(reader->csv);
}

static bool refuse(struct gavel_reader *reader, const char *field, const char *text,
                   const char *due)
{
    (void)snprintf(reader->problem, sizeof reader->problem, "%s is '%.24s'; %s", field, text, due);
    return false;
}

static bool parse_real(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* The SLO is not used, but where it is no number, the fields are not those of this format. */
static bool read_fields(struct gavel_reader *reader, const char *const *fields,
                        struct gavel_row *row)
{
    const char *arrival = fields[FIELD_ARRIVAL];
    bool is_exact, is_huge;
    double slo;

    row->job_type = fields[FIELD_TYPE];
    if (!*row->job_type) {
        return refuse(reader, "job_type", "", "a name is due");
    }
    if (!csv_parse_int(fields[FIELD_STEPS], &row->total_steps) || row->total_steps < 1 ||
        row->total_steps > GAVEL_STEPS_MAX) {
        return refuse(reader, "total_steps", fields[FIELD_STEPS],
                      "a whole number from 1 to 10^15 is due");
    }
    if (!csv_parse_int(fields[FIELD_SCALE], &row->scale_factor) || row->scale_factor < 1 ||
        row->scale_factor > GAVEL_SCALE_MAX) {
        return refuse(reader, "scale_factor", fields[FIELD_SCALE],
                      "the number of workers, 1 to 100000, is due");
    }
    if (!parse_real(fields[FIELD_PRIORITY], &row->priority)) {
        return refuse(reader, "priority", fields[FIELD_PRIORITY], "a number is due");
    }
    if (!parse_real(fields[FIELD_SLO], &slo)) {
        return refuse(reader, "SLO", fields[FIELD_SLO], "a number (below 0: none) is due");
    }
    if (!swf_number(&arrival, NANOSECONDS_SCALE, &row->arrival_ns, &is_exact, &is_huge) ||
        *arrival || row->arrival_ns < 0 || row->arrival_ns > SWF_SUBMIT_MAX_NS) {
        return refuse(reader, "arrival_time", fields[FIELD_ARRIVAL],
                      "seconds from 0 to 6000000000 are due");
    }
    return true;
}

enum hs_err gavel_next(struct gavel_reader *reader, struct gavel_row *row, bool *has_row,
                       struct hs_error *error)
{
    struct csv_row fields;
    enum hs_err err = csv_next(reader->csv, &fields, has_row, error);

    *row = (struct gavel_row){0};
    if (err || !*has_row) {
        return err;
    }
    row->line = fields.line;
    if (fields.problem) {
        row->problem = fields.problem;
    } else if (!read_fields(reader, fields.fields, row)) {
        row->problem = reader->problem;
    }
    return HS_OK;
}
