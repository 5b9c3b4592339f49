/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_info.h - what text and JSON of `hsim trace info` share. */
#ifndef HSIM_CLI_TRACE_INFO_H
#define HSIM_CLI_TRACE_INFO_H

#include "workload/summary.h"

/* What the trace is measured by. */
struct trace_machine {
    int64_t procs;      /* 0: not known */
    int64_t devices;    /* 0: none, or not known */
    const char *origin; /* " (of the header)": for a person */
};

/* Work over processors x span; NaN if one of them is not known. */
double trace_info_load(const struct workload_extent *extent, const struct trace_machine *machine);

/* What summary->status counts: "completed (1)". */
extern const char *const trace_info_states[SUMMARY_STATUS_COUNT];

/* Prints one JSON object. */
void trace_info_json(const char *path, const struct workload_summary *summary,
                     const struct trace_machine *machine);

#endif
