/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swf.h - records of the Standard Workload Format as they stand in a file.
 *
 * The reader yields rows in the order of the file, before any rule of the replay. Rows that cannot
 * be read are counted in the statistics (or are errors if strict) and passed over. */
#ifndef HSIM_WORKLOAD_SWF_H
#define HSIM_WORKLOAD_SWF_H

#include "workload/workload.h"

/* The fields in the order of the file, from 0. */
enum swf_field {
    SWF_ID,
    SWF_SUBMIT,
    SWF_WAIT,
    SWF_RUN,
    SWF_PROCS_USED,
    SWF_CPU_TIME,
    SWF_MEM_USED,
    SWF_PROCS,
    SWF_WALLTIME,
    SWF_MEM,
    SWF_STATUS,
    SWF_USER,
    SWF_GROUP,
    SWF_EXECUTABLE,
    SWF_QUEUE,
    SWF_PARTITION,
    SWF_PRECEDING,
    SWF_THINK,
    SWF_FIELD_COUNT
};

/* What fits 64 bits of nanoseconds with room to add: submit times to 190 years, durations to 95. */
#define SWF_SUBMIT_MAX_S  INT64_C(6000000000)
#define SWF_TIME_MAX_S    INT64_C(3000000000)
#define SWF_SUBMIT_MAX_NS (SWF_SUBMIT_MAX_S * HS_NS_PER_S)
#define SWF_TIME_MAX_NS   (SWF_TIME_MAX_S * HS_NS_PER_S)

/* One row. Times are in ns, memory in KB (rounded up); negative numbers of fields in which they
 * mean "missing" are -1. */
struct swf_record {
    int64_t value[SWF_FIELD_COUNT];
    int64_t line;
};

/* "run time", "requested processors", ... */
const char *swf_field_name(enum swf_field field);

struct swf_reader;

/* `stats` is written to while the reader lives: lines, records, bad; the header fields are known
 * after opening. */
enum hs_err swf_reader_open(const char *path, bool is_strict, struct workload_stats *stats,
                            struct swf_reader **reader, struct hs_error *error) HS_MUST_USE;
void swf_reader_close(struct swf_reader *reader);
double swf_reader_progress(const struct swf_reader *reader); /* as input_progress */
enum hs_err swf_reader_next(struct swf_reader *reader, struct swf_record *record, bool *has_record,
                            struct hs_error *error) HS_MUST_USE;

/* The header's lines so far (at most 8 KiB of them), each with its newline. */
const char *swf_reader_header(const struct swf_reader *reader);

/* Writes the row as it would be read. Errors of the stream show in ferror. */
void swf_record_write(FILE *file, const struct swf_record *record);

/* A decimal number at *text ("12", "-1", "12.5", "1e3"), times 10^scale. True if there is one and
 * it fits: then *text is behind it. The value is rounded to nearest, halves up; *is_exact tells
 * whether that was needed. *is_huge tells why a number was refused. Text ends with a newline or
 * a zero byte at the latest. */
bool swf_number(const char **text, int scale, int64_t *value, bool *is_exact, bool *is_huge);

#endif
