/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_convert.c - `hsim trace convert` and `hsim trace generate`: a workload becomes a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/stop.h"
#include "cli/trace.h"
#include "workload/output.h"

enum option_key { KEY_TO = 0x100, KEY_FORCE, KEY_MODEL, KEY_JOBS, KEY_NODES };

struct convert_arguments {
    struct trace_options options;
    const char *input;          /* NULL: generated */
    const char *output;         /* path, or "-" */
    enum workload_format_id to; /* AUTO: by the ending of `output` */
    bool is_csv;                /* CSV is written, not SWF */
    bool is_forced;
    bool is_quiet;
};

struct convert_counts {
    int64_t written;
    int64_t rejected; /* oversized */
};

static const struct argp_child convert_children[] = {
    {&trace_rules_argp, 0, NULL, 0}, {&trace_transforms_argp, 0, NULL, 0}, {0}};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);

    return length >= ending_length && !strcmp(text + length - ending_length, ending);
}

/* The format that is written: as asked for, else by the ending of the output's name. */
static bool is_csv_wanted(const struct convert_arguments *arguments)
{
    const char *path = arguments->output;

    return arguments->to == WORKLOAD_FORMAT_JOBS ||
           (arguments->to == WORKLOAD_FORMAT_AUTO &&
            (ends_with(path, ".csv") || ends_with(path, ".csv.gz") || ends_with(path, ".csv.zst")));
}

/* One job in the format that is written. */
static enum hs_err job_write(const struct convert_arguments *arguments,
                             const struct workload *workload, const struct workload_job *job,
                             FILE *file, struct hs_error *error)
{
    /* Waits of another load would mislead. */
    hs_time wait_ns = arguments->options.workload.load > 0 ? -1 : job->trace_wait_ns;

    if (job->cancel_ns != HS_TIME_NEVER) {
        wait_ns = job->cancel_ns - job->submit_ns;
    }
    if (arguments->is_csv) {
        workload_jobs_write_job(file, job, workload_names(workload), wait_ns, job->trace_status);
        return HS_OK;
    }
    if (!workload_swf_can_say(job)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%lld: job %lld asks for more than whole processors and memory, "
                            "which SWF cannot say. Write CSV: -o FILE.csv.",
                            arguments->input, (long long)job->line, (long long)job->trace_id);
    }
    workload_swf_write_job(file, job, wait_ns, job->trace_status);
    return HS_OK;
}

static enum hs_err jobs_write(const struct convert_arguments *arguments, struct workload *workload,
                              FILE *file, struct convert_counts *counts, struct hs_error *error)
{
    for (;;) {
        struct workload_job job;
        bool has_job;
        enum hs_err err = workload_next(workload, &job, &has_job, error);

        if (err || !has_job) {
            return err;
        }
        if (*cli_stop_count()) {
            return hs_error_set(error, HS_ERR_INTERRUPTED,
                                "Stopped after %lld jobs; the unfinished file is removed.",
                                (long long)counts->written);
        }
        if (job.is_oversized) {
            counts->rejected++;
            continue;
        }
        err = job_write(arguments, workload, &job, file, error);
        if (err) {
            return err;
        }
        counts->written++;
        if (ferror(file)) {
            return HS_OK; /* reported when the output is finished */
        }
    }
}

static void header_write(const struct convert_arguments *arguments,
                         const struct workload_stats *stats, FILE *file)
{
    const struct workload_options *options = &arguments->options.workload;
    bool is_moved = options->shift_ns != 0 || options->shift_to_zero || options->load > 0;
    const char *slash = arguments->input ? strrchr(arguments->input, '/') : NULL;
    struct workload_swf_header header = {.jobs = -1, .epoch_unix = -1};
    char note[200];

    if (arguments->is_csv) {
        workload_jobs_write_header(file);
        return;
    }
    header.procs = options->machine_procs ? options->machine_procs : stats->header_max_procs;
    if (arguments->input) {
        header.epoch_unix = is_moved ? -1 : stats->epoch_unix;
        (void)snprintf(note, sizeof note, "written by hsim trace convert from %s",
                       slash ? slash + 1 : arguments->input);
    } else {
        header.jobs = options->lublin.jobs;
        (void)snprintf(note, sizeof note,
                       "written by hsim trace generate, Lublin-Feitelson model, seed %llu",
                       (unsigned long long)options->seed);
    }
    header.note = note;
    workload_swf_write_header(file, &header);
}

static void tell_tally(const char *what, const struct workload_tally *tally)
{
    if (tally->count > 0) {
        (void)fprintf(stderr, "  %lld %s (first: line %lld, job %lld: %s)\n",
                      (long long)tally->count, what, (long long)tally->lines[0],
                      (long long)tally->trace_ids[0], tally->reasons[0]);
    }
}

static void tell(const struct convert_arguments *arguments, const struct workload_stats *stats,
                 const struct convert_counts *counts)
{
    (void)fprintf(stderr, "%lld job%s written to %s\n", (long long)counts->written,
                  trace_plural(counts->written),
                  !strcmp(arguments->output, "-") ? "standard output" : arguments->output);
    if (!isnan(stats->load_before)) {
        (void)fprintf(stderr, "  offered load %.4f, was %.4f\n", stats->load_after,
                      stats->load_before);
    }
    if (*stats->unused_columns) {
        (void)fprintf(stderr, "  columns that say nothing to hsim: %s\n", stats->unused_columns);
    }
    if (stats->left_out > 0) {
        (void)fprintf(stderr, "  %lld left out by filter and window\n", (long long)stats->left_out);
    }
    tell_tally("unreadable, skipped", &stats->bad);
    tell_tally("dropped", &stats->dropped);
    tell_tally("larger than the machine", &stats->oversized);
    tell_tally("asking for what the platform has not", &stats->absent);
    tell_tally("ran longer than requested", &stats->overrun);
    tell_tally("without requested time", &stats->missing);
    tell_tally("of zero length", &stats->zero);
    tell_tally("out of order, sorted", &stats->unsorted);
    tell_tally("released later than submitted", &stats->held);
    tell_tally("with a duration that is not end - start", &stats->conflict);
}

static int convert(const struct convert_arguments *arguments)
{
    const struct workload_options *options = &arguments->options.workload;
    struct workload *workload = NULL;
    struct workload_output *output = NULL;
    struct convert_counts counts = {0};
    struct hs_error error = {0};
    enum hs_err err;

    cli_stop_catch(false);
    err = workload_output_open(arguments->output, arguments->is_forced, stdout, &output, &error);
    if (!err) {
        struct workload_options stoppable = *options;

        stoppable.stop = cli_stop_count();
        err = workload_open(&stoppable, &workload, &error);
    }
    if (!err) {
        header_write(arguments, workload_stats(workload), workload_output_file(output));
        err = jobs_write(arguments, workload, workload_output_file(output), &counts, &error);
    }
    if (err) {
        workload_output_discard(output);
    } else {
        err = workload_output_finish(output, &error);
    }
    if (!err && !arguments->is_quiet) {
        tell(arguments, workload_stats(workload), &counts);
    }
    workload_close(workload);
    return err ? cli_fail(&error) : cli_finish(CLI_OK);
}

static error_t output_parse(int key, char *text, struct argp_state *state)
{
    struct convert_arguments *arguments = state->input;

    switch (key) {
    case 'o':
        arguments->output = text;
        return 0;
    case 'q':
        arguments->is_quiet = true;
        return 0;
    case KEY_FORCE:
        arguments->is_forced = true;
        return 0;
    case KEY_TO:
        arguments->to = trace_parse_format(state, "to", text);
        if (arguments->to > WORKLOAD_FORMAT_JOBS) {
            cli_usage(state, "--to is '%s'; written are swf and jobs (CSV).", text);
        }
        return 0;
    case ARGP_KEY_END:
        if (!arguments->output) {
            cli_usage(state, "Where to? Name the file to be written with -o FILE (- is standard "
                             "output).");
        }
        arguments->is_csv = is_csv_wanted(arguments);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t convert_parse(int key, char *text, struct argp_state *state)
{
    struct convert_arguments *arguments = state->input;

    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = &arguments->options;
        state->child_inputs[1] = &arguments->options;
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        if (arguments->input) {
            cli_usage(state, "Only one trace can be converted; '%s' is one too many.", text);
        }
        arguments->input = text;
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS) {
        cli_usage(state, "Which trace? Name a file of jobs.");
    }
    return output_parse(key, text, state);
}

static const struct argp_option convert_options[] = {
    {"output", 'o', "FILE", 0, "File to write; .gz and .zst are packed, - is standard output", 0},
    {"to", KEY_TO, "FORMAT", 0, "Format: swf (default), or jobs (CSV, default for FILE.csv)", 0},
    {"force", KEY_FORCE, NULL, 0, "Overwrite an existing file", 0},
    {"quiet", 'q', NULL, 0, "Do not tell what was done", 0},
    {0},
};
const struct argp trace_convert_argp = {
    convert_options,
    convert_parse,
    "TRACE -o FILE",
    "Selects and transforms the jobs of TRACE (in any format that `hsim trace info --help` "
    "lists) and writes them as SWF or CSV."
    "\vThe options are named as the keys of `workload` in an experiment (`hsim explain "
    "workload`). Times are seconds of the trace's own clock, or carry a unit: 90s 15m 2h 7d. "
    "Example, "
    "two "
    "weeks as a trace of its own:\n"
    "  hsim trace convert a.swf.gz -o b.swf --window-from 30d --window-to 44d --shift zero",
    convert_children,
    NULL,
    NULL};

int trace_convert(int argc, char **argv)
{
    struct convert_arguments arguments = {0};
    int code;

    trace_options_init(&arguments.options);
    code = cli_parse(&trace_convert_argp, argc, argv, 0, NULL, &arguments);
    if (code == CLI_OK) {
        arguments.options.workload.file = arguments.input;
        code = convert(&arguments);
    }
    trace_options_fini(&arguments.options);
    return code;
}

static error_t generate_parse(int key, char *text, struct argp_state *state)
{
    struct convert_arguments *arguments = state->input;
    struct workload_lublin *lublin = &arguments->options.workload.lublin;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->options;
        return 0;
    case KEY_MODEL:
        if (strcmp(text, "lublin") != 0) {
            cli_usage(state, "--model is '%s'; lublin is the only model.", text);
        }
        return 0;
    case KEY_JOBS:
        lublin->jobs = trace_parse_count(state, "jobs", text);
        return 0;
    case KEY_NODES:
        lublin->nodes = trace_parse_count(state, "nodes", text);
        return 0;
    case ARGP_KEY_ARG:
        cli_usage(state, "'%s' is not understood; the file to write is named with -o.", text);
    case ARGP_KEY_SUCCESS:
        if (lublin->jobs < 1 || lublin->nodes < 1) {
            cli_usage(state, "How large? Give --jobs N and --nodes N, both at least 1.");
        }
        return 0;
    default:
        return output_parse(key, text, state);
    }
}

static const struct argp_option generate_options[] = {
    {"output", 'o', "FILE", 0, "File to write; .gz and .zst are packed, - is standard output", 0},
    {"model", KEY_MODEL, "NAME", 0, "Model: lublin (default)", 0},
    {"jobs", KEY_JOBS, "N", 0, "Number of jobs", 0},
    {"nodes", KEY_NODES, "N", 0, "Processors of the machine, the largest size of a job", 0},
    {"force", KEY_FORCE, NULL, 0, "Overwrite an existing file", 0},
    {"quiet", 'q', NULL, 0, "Do not tell what was done", 0},
    {0},
};
static const struct argp_child generate_children[] = {{&trace_transforms_argp, 0, NULL, 0}, {0}};
const struct argp trace_generate_argp = {
    generate_options,
    generate_parse,
    "-o FILE --jobs N --nodes N",
    "Writes jobs drawn from the model of Lublin and Feitelson (JPDC 63(11), 2003) as SWF."
    "\vThe same options and seed give the same bytes. Without --load the arrival rate is that "
    "of the model. Requested times equal the run times unless --estimate says otherwise. "
    "Example:\n"
    "  hsim trace generate -o a.swf.gz --jobs 40000 --nodes 256 --load 0.8",
    generate_children,
    NULL,
    NULL};

int trace_generate(int argc, char **argv)
{
    struct convert_arguments arguments = {0};
    struct workload_options *workload = &arguments.options.workload;
    int code;

    trace_options_init(&arguments.options);
    code = cli_parse(&trace_generate_argp, argc, argv, 0, NULL, &arguments);
    if (code == CLI_OK) {
        workload->is_generated = true;
        workload->machine_procs = workload->lublin.nodes;
        code = convert(&arguments);
    }
    trace_options_fini(&arguments.options);
    return code;
}
