/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export.c - hsim export: tables of a result file as text for other programs. */
#include "cli/export.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "result/outfile.h"

struct arguments {
    const char *path;
    const char *format;
    const char *table;
    const char *columns;
    const char *output;
    bool is_forced;
};

#define TABLES                                                                                     \
    "jobs (default), series, allocations, device_allocations, nodes, devices, energy, classes, "   \
    "models, arrivals, inflation or summary"

enum { OPTION_TO = 256, OPTION_TABLE, OPTION_COLUMNS, OPTION_FORCE };

static const struct argp_option options[] = {
    {"to", OPTION_TO, "FORMAT", 0, "csv, swf or batsim (its jobs.csv)", 0},
    {"table", OPTION_TABLE, "NAME", 0, "For csv: " TABLES, 0},
    {"columns", OPTION_COLUMNS, "A,B,...", 0,
     "For csv: columns of the table, in this order; jobs also have 'hosts', the node indices, and "
     "allocations 'trace_id'",
     0},
    {"output", 'o', "FILE", 0, "Write to a file instead of standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace the file if it is there already", 0},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case OPTION_TO:
        arguments->format = value;
        return 0;
    case OPTION_TABLE:
        arguments->table = value;
        return 0;
    case OPTION_COLUMNS:
        arguments->columns = value;
        return 0;
    case 'o':
        arguments->output = strcmp(value, "-") == 0 ? NULL : value;
        return 0;
    case OPTION_FORCE:
        arguments->is_forced = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->path) {
            cli_usage(state, "One file at a time, not '%s' and '%s'.", arguments->path, value);
        }
        arguments->path = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->path) {
            cli_usage(state, "Which file? Name a result, FILE.h5.");
        }
        if (!arguments->format) {
            cli_usage(state, "--to is missing: csv, swf or batsim.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp export_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "FILE.h5",
    .doc = "Prints a table of a result file. Times are exact decimal seconds on the clock of the "
           "trace; -1 or nan means: does not apply. Jobs come in the order of the workload."
           "\vExample: hsim export results/x/fcfs.h5 --to csv --columns trace_id,start,end",
};

/* One of a few words, or a sentence about the others. */
static enum hs_err check_word(const char *option, const char *word, const char *const *words,
                              size_t count, const char *list, struct hs_error *error)
{
    const char *near = hs_nearest(word, words, count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return HS_OK;
        }
    }
    return hs_error_set(error, HS_ERR_CONFIG, "%s takes %s, not '%s'.%s%s%s", option, list, word,
                        near ? " Did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static enum hs_err check_arguments(const struct arguments *arguments, struct hs_error *error)
{
    static const char *const formats[] = {"csv", "swf", "batsim"};
    static const char *const tables[] = {"jobs",   "series",   "allocations", "device_allocations",
                                         "nodes",  "devices",  "energy",      "classes",
                                         "models", "arrivals", "inflation",   "summary"};
    enum hs_err code =
        check_word("--to", arguments->format, formats, 3, "csv, swf or batsim", error);

    if (code == HS_OK && arguments->table) {
        code = check_word("--table", arguments->table, tables, sizeof tables / sizeof tables[0],
                          TABLES, error);
    }
    if (code == HS_OK && strcmp(arguments->format, "csv") != 0 &&
        (arguments->table || arguments->columns)) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%s has columns of its own: --table and --columns go with --to csv.",
                            arguments->format);
    }
    return code;
}

static enum hs_err export_to(const struct arguments *arguments, struct result_reader *reader,
                             FILE *file, struct hs_error *error)
{
    struct export_text *text;
    enum hs_err code;

    if (strcmp(arguments->format, "swf") == 0) {
        return export_swf(reader, file, error);
    }
    text = calloc(1, sizeof *text);
    if (!text) {
        return hs_error_memory(error);
    }
    text->file = file;
    if (strcmp(arguments->format, "batsim") == 0) {
        code = export_batsim(reader, text, error);
    } else {
        code = export_csv(reader, arguments->table ? arguments->table : "jobs", arguments->columns,
                          text, error);
    }
    export_flush(text);
    free(text);
    return code;
}

static enum hs_err export_to_file(const struct arguments *arguments, struct result_reader *reader,
                                  struct hs_error *error)
{
    struct outfile outfile;
    enum hs_err code = outfile_init(&outfile, arguments->output, arguments->is_forced, error);
    FILE *file = NULL;

    if (code == HS_OK) {
        file = fopen(outfile.part_path, "w");
        code = file ? export_to(arguments, reader, file, error)
                    : hs_error_set(error, HS_ERR_SYSTEM, "%s: opening the file failed: %s.",
                                   outfile.part_path, strerror(errno));
    }
    if (file) {
        bool is_ok = fflush(file) == 0 && !ferror(file);
        int cause = errno;

        is_ok = fclose(file) == 0 && is_ok;
        if (code == HS_OK && !is_ok) {
            code = hs_error_set(error, HS_ERR_SYSTEM,
                                "%s: writing the file failed: %s. Free space, or choose another "
                                "place with -o.",
                                arguments->output, strerror(cause));
        }
    }
    if (code == HS_OK) {
        code = outfile_complete(&outfile, error);
    }
    if (code != HS_OK) {
        outfile_remove(&outfile);
    }
    outfile_fini(&outfile);
    return code;
}

static int export_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct result_reader *reader = NULL;
    struct hs_error error = {0};
    int code = cli_parse(&export_argp, argc, argv, 0, NULL, &arguments);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    err = check_arguments(&arguments, &error);
    if (err == HS_OK) {
        err = result_reader_open(arguments.path, &reader, &error);
    }
    if (err == HS_OK) {
        err = arguments.output ? export_to_file(&arguments, reader, &error)
                               : export_to(&arguments, reader, stdout, &error);
    }
    result_reader_close(reader);
    return cli_finish(err == HS_OK ? CLI_OK : cli_fail(&error));
}

const struct cli_command cli_export = {
    .name = "export",
    .summary = "Print a result file as CSV, SWF or Batsim's jobs",
    .run = export_run,
    .argp = &export_argp,
};
