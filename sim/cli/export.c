/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export.c - hsim export: tables of a result file as text for other programs. */
#include "cli/export.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "result/outfile.h"
#include "result/sweep_file.h"

struct arguments {
    const char *path;
    const char *format;
    const char *table;
    const char *columns;
    const char *output;
    bool is_forced;
};

#define FORMATS "csv, json, sqlite, perfetto, swf or batsim"
#define TABLES                                                                                     \
    "jobs (default), series, allocations, device_allocations, nodes, devices, energy, classes, "   \
    "models, arrivals, inflation or summary"

/* What is exported. */
struct source {
    struct result_reader *reader; /* NULL: a sweep */
    struct contents *contents;    /* of a sweep, and where the format takes whatever there is */
};

enum { OPTION_TO = 256, OPTION_TABLE, OPTION_COLUMNS, OPTION_FORCE };

static const struct argp_option options[] = {
    {"to", OPTION_TO, "FORMAT", 0,
     "csv, json, sqlite, perfetto (a trace for its UI), swf or batsim (its jobs.csv)", 0},
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
            cli_usage(state, "--to is missing: " FORMATS ".");
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
    .doc =
        "Writes a result file in another form. As csv a table is printed; times are exact decimal "
        "seconds on the clock of the trace, -1 or nan means: does not apply, and jobs come in the "
        "order of the workload. Of the merged file of a sweep it is a row for each run. json and "
        "sqlite hold all of the file, with times in ns as they are "
        "there; perfetto what each node and device did (https://ui.perfetto.dev)."
        "\vExamples:\n"
        "  hsim export results/x/fcfs.h5 --to csv --columns trace_id,start,end\n"
        "  hsim export results/x/fcfs.h5 --to sqlite -o fcfs.db\n"
        "  hsim export results/x/fcfs.h5 --to perfetto -o fcfs.json\n\n"
        "results/README.md describes the formats.",
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

static const char *const formats[] = {"csv", "json", "sqlite", "perfetto", "swf", "batsim"};
static const char *const tables[] = {"jobs",   "series",   "allocations", "device_allocations",
                                     "nodes",  "devices",  "energy",      "classes",
                                     "models", "arrivals", "inflation",   "summary"};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };
enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

static bool is_format(const struct arguments *arguments, const char *format)
{
    return strcmp(arguments->format, format) == 0;
}

/* --force replaces what was exported before, never what is to be exported. */
static bool is_same_file(const char *path, const char *other)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

static enum hs_err check_arguments(const struct arguments *arguments, struct hs_error *error)
{
    enum hs_err code = check_word("--to", arguments->format, formats, FORMAT_COUNT, FORMATS, error);

    if (code == HS_OK && arguments->table) {
        code = check_word("--table", arguments->table, tables, TABLE_COUNT, TABLES, error);
    }
    if (code == HS_OK && !is_format(arguments, "csv") && (arguments->table || arguments->columns)) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%s has columns of its own: --table and --columns go with --to csv.",
                            arguments->format);
    }
    if (code == HS_OK && is_format(arguments, "sqlite") && !arguments->output) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "A database cannot be printed: name its file with -o FILE.");
    }
    if (code == HS_OK && arguments->output && is_same_file(arguments->path, arguments->output)) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the file is the result itself, which would be lost. Give another "
                            "name with -o.",
                            arguments->output);
    }
    return code;
}

static enum hs_err write_text(const struct arguments *arguments, struct source *source,
                              struct export_text *text, struct hs_error *error)
{
    if (is_format(arguments, "json")) {
        return export_json(source->contents, text, error);
    }
    if (is_format(arguments, "perfetto")) {
        return export_perfetto(source->reader, text, error);
    }
    if (is_format(arguments, "batsim")) {
        return export_batsim(source->reader, text, error);
    }
    if (source->contents) {
        return export_sweep_csv(source->contents, arguments->columns, text, error);
    }
    return export_csv(source->reader, arguments->table ? arguments->table : "jobs",
                      arguments->columns, text, error);
}

static enum hs_err export_to(const struct arguments *arguments, struct source *source, FILE *file,
                             struct hs_error *error)
{
    struct export_text *text;
    enum hs_err code;

    if (is_format(arguments, "swf")) {
        return export_swf(source->reader, file, error);
    }
    text = calloc(1, sizeof *text);
    if (!text) {
        return hs_error_memory(error);
    }
    text->file = file;
    code = write_text(arguments, source, text, error);
    export_flush(text);
    free(text);
    return code;
}

static enum hs_err write_file(const struct arguments *arguments, struct source *source,
                              const struct outfile *outfile, struct hs_error *error)
{
    FILE *file = fopen(outfile->part_path, "w");
    enum hs_err code;
    bool is_ok;
    int cause;

    if (!file) {
        return hs_error_set(error, HS_ERR_SYSTEM, "%s: opening the file failed: %s.",
                            outfile->part_path, strerror(errno));
    }
    code = export_to(arguments, source, file, error);
    is_ok = fflush(file) == 0 && !ferror(file);
    cause = errno;
    if (fclose(file) != 0 && is_ok) {
        cause = errno;
        is_ok = false;
    }
    if (code == HS_OK && !is_ok) {
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: writing the file failed: %s. Free space, or choose another place "
                            "with -o.",
                            arguments->output, strerror(cause));
    }
    return code;
}

static enum hs_err export_to_file(const struct arguments *arguments, struct source *source,
                                  struct hs_error *error)
{
    struct outfile outfile;
    enum hs_err code = outfile_init(&outfile, arguments->output, arguments->is_forced, error);

    if (code == HS_OK) {
        code = is_format(arguments, "sqlite")
                   ? export_sqlite(source->contents, outfile.part_path, error)
                   : write_file(arguments, source, &outfile, error);
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

static enum hs_err source_open(const struct arguments *arguments, struct source *source,
                               struct hs_error *error)
{
    bool is_whole = is_format(arguments, "json") || is_format(arguments, "sqlite");
    bool is_sweep = false;
    enum hs_err code = sweep_file_is_one(arguments->path, &is_sweep, error);

    if (code == HS_OK && is_sweep && !is_whole && !is_format(arguments, "csv")) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: this is the merged file of a sweep, which goes to csv, json and "
                            "sqlite. For %s, name the file of one run.",
                            arguments->path, arguments->format);
    }
    if (code == HS_OK && is_sweep && arguments->table) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: this is the merged file of a sweep, which is one table: leave out "
                            "--table.",
                            arguments->path);
    }
    if (code == HS_OK && !is_sweep) { /* which also checks that it is whole */
        code = result_reader_open(arguments->path, &source->reader, error);
    }
    if (code == HS_OK && (is_sweep || is_whole)) {
        code = contents_open(arguments->path, &source->contents, error);
    }
    return code;
}

static int export_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct source source = {0};
    struct hs_error error = {0};
    int code = cli_parse(&export_argp, argc, argv, 0, NULL, &arguments);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    err = check_arguments(&arguments, &error);
    if (err == HS_OK) {
        err = source_open(&arguments, &source, &error);
    }
    if (err == HS_OK) {
        err = arguments.output ? export_to_file(&arguments, &source, &error)
                               : export_to(&arguments, &source, stdout, &error);
    }
    contents_close(source.contents);
    result_reader_close(source.reader);
    return cli_finish(err == HS_OK ? CLI_OK : cli_fail(&error));
}

static const char *format_name(size_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

static const char *table_name(size_t index)
{
    return index < TABLE_COUNT ? tables[index] : NULL;
}

static const struct cli_values values[] = {
    {"to", NULL, format_name},
    {"table", NULL, table_name},
    CLI_VALUES_END,
};

const struct cli_command cli_export = {
    .name = "export",
    .summary = "Write a result file as CSV, JSON, SQLite and others",
    .run = export_run,
    .argp = &export_argp,
    .values = values,
};
