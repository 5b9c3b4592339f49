/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.h - where records come from: readers of trace formats and generators, behind one face.
 *
 * A source yields records as they stand in its file, before any rule of the replay. A new format
 * is a number in workload.h, a row in the table of source.c, and a word of `workload.format` in
 * experiment/table.c. What it cannot say with the fields of SWF it says with a demand. */
#ifndef HSIM_WORKLOAD_SOURCE_H
#define HSIM_WORKLOAD_SOURCE_H

#include "workload/names.h"
#include "workload/swf.h"

/* One record. Before each call of `next` it is as workload_record_clear leaves it, but for
 * `fields`, which the source fills. Pointers live as long as the source. */
struct workload_record {
    struct swf_record fields;       /* what SWF can say, in its units; line */
    const struct hs_demand *demand; /* NULL: so many tasks of one core, by the rules for SWF */
    const char *refusal;            /* why no node can serve the demand; NULL: one may */
    double priority;
    bool has_priority; /* else `priority_field` tells */
    int32_t job_class; /* -1: none */
};

struct workload_format;

/* What a source is opened with. */
struct workload_setup {
    const struct workload_options *options; /* checked; only read during the call */
    struct workload_stats *stats;           /* lines, records, bad; written to while it lives */
    struct workload_names *names;           /* of kinds, models, features; outlives the source */
    const struct workload_format *format;   /* of the file; NULL: generated */
};

/* The functions of a source. Rows that cannot be read are counted in stats->bad (or are errors if
 * options->is_strict) and passed over. */
struct workload_source {
    enum hs_err (*open)(const struct workload_setup *setup, void **self, struct hs_error *error);
    enum hs_err (*next)(void *self, struct workload_record *record, bool *has_record,
                        struct hs_error *error);
    double (*progress)(const void *self);    /* share that is done, 0 to 1; NaN: unknown */
    void (*close)(void *self);               /* takes NULL */
    const char *(*header)(const void *self); /* comments of the file; NULL: there are none */
    bool is_sorted;                          /* records come in order of their submit times */
};

/* A format of trace files. */
struct workload_format {
    const char *name;     /* of workload.format: "swf" */
    const char *about;    /* a few words for help and messages */
    const char *suffixes; /* of file names, with blanks: ".swf"; .gz or .zst may follow */
    const char *columns;  /* that the header line has at least, with blanks; "X=": how it begins;
                             NULL: no such line */
    bool is_open;         /* such a header is enough, whatever the ending of the name */
    size_t tab_count;     /* in the first line of a file with such an ending; 0: any number */
    bool has_steps;       /* rows count steps: needs `throughputs` and `reference` */
    const char *row;      /* a sentence: what a row looks like */
    const char *sorting;  /* a sentence: how to sort a file by submit time */
    const struct workload_source *source;
};

/* The format with this number, from WORKLOAD_FORMAT_AUTO + 1 to WORKLOAD_FORMAT_COUNT - 1. */
const struct workload_format *workload_format_at(enum workload_format_id id);

enum workload_format_id workload_format_id_of(const struct workload_format *format);

/* The format of options->file: options->format unless that is AUTO; else by the ending of its name
 * and, for formats with a header line or a number of tabs, by the first line. With columns it is
 * CSV by a map. What has neither a known ending nor a known first line is SWF. HS_ERR_CONFIG: an
 * option has no meaning for the format. */
enum hs_err workload_format_find(const struct workload_options *options,
                                 const struct workload_format **format,
                                 struct hs_error *error) HS_MUST_USE;

/* A record that says nothing but its fields. */
static inline void workload_record_clear(struct workload_record *record)
{
    record->demand = NULL;
    record->refusal = NULL;
    record->priority = 0;
    record->has_priority = false;
    record->job_class = -1;
}

extern const struct workload_source workload_source_swf, workload_source_jobs,
    workload_source_openb, workload_source_gavel, workload_source_mapped, workload_source_sacct,
    workload_source_jobcomp, workload_source_lublin, workload_source_classes;

#endif
