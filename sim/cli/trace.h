/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.h - what the subcommands of `hsim trace` share: their functions, and the options for the
 * rules of the replay and the transforms. */
#ifndef HSIM_CLI_TRACE_H
#define HSIM_CLI_TRACE_H

#include <argp.h>

#include "cli/describe.h"
#include "experiment/experiment.h"
#include "workload/workload.h"

/* The subcommands, for the table of the family. */
extern const struct argp trace_info_argp, trace_validate_argp, trace_convert_argp,
    trace_generate_argp;
extern const struct cli_values trace_values[];
int trace_info(int argc, char **argv);
int trace_validate(int argc, char **argv);
int trace_convert(int argc, char **argv);
int trace_generate(int argc, char **argv);

/* The options of a workload, with the arrays that they borrow. */
struct trace_options {
    struct workload_options workload;
    int32_t *users, *queues, *partitions;
    struct experiment columns; /* owns the texts of --columns */
};
void trace_options_init(struct trace_options *options);
void trace_options_fini(struct trace_options *options);

/* argp children; their input is a struct trace_options. */
extern const struct argp trace_rules_argp;      /* how records become jobs */
extern const struct argp trace_transforms_argp; /* what is done to the stream of jobs */

/* Values of options; what is wrong ends in cli_usage. */
int64_t trace_parse_count(struct argp_state *state, const char *option, const char *text);
hs_time trace_parse_time(struct argp_state *state, const char *option, const char *text);
enum workload_format_id trace_parse_format(struct argp_state *state, const char *option,
                                           const char *text);

/* "12 rows", "1 row": the noun with an s unless the count is 1. */
const char *trace_plural(int64_t count);

#endif
