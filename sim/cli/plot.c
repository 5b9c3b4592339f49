/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot.c - hsim plot: figures of results. Kinds and their options come from the tables of
 * sim/plot. */
#include "plot/plot.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "text/units.h"

#define ARGUMENTS      "KIND FILE.h5|FOLDER..."
#define ARGUMENTS_RUNS "KIND FILE.h5..." /* of kinds that show single runs */

struct arguments {
    const struct plot_kind *kind;
    struct figure_options figure;
    struct plot_request request;
    const char **labels, **where; /* of the request; room for all arguments */
};

enum {
    OPTION_STYLE = 256,
    OPTION_WIDTH,
    OPTION_HEIGHT,
    OPTION_FORCE,
    OPTION_KEEP,
    OPTION_KIND = 512, /* and behind it, the rows of plot_options */
    OPTIONS_MAX = 32,
};

static const struct argp_option common_options[] = {
    {"output", 'o', "FILE", 0,
     "The picture; its ending, .pdf, .svg or .png, is the format. FILE.gp and FILE.dat beside it "
     "are the script and the numbers",
     0},
    {"style", OPTION_STYLE, "STYLE", 0, "one-column (default), two-column or slide", 0},
    {"width", OPTION_WIDTH, "CM", 0, "Width in cm in place of that of the style", 0},
    {"height", OPTION_HEIGHT, "CM", 0, "Height in cm, likewise", 0},
    {"keep", OPTION_KEEP, NULL, 0,
     "Draw with the FILE.gp that is there, which you have changed: only data and picture are made "
     "anew",
     0},
    {"force", OPTION_FORCE, NULL, 0,
     "Replace files that hsim has not made. Without it only figures of hsim are replaced", 0},
};

enum { COMMON_COUNT = sizeof common_options / sizeof common_options[0] };

static void parse_style(struct arguments *arguments, const char *value, struct argp_state *state)
{
    const char *names[8];
    struct hs_error error = {0};
    size_t index;

    for (size_t i = 0; i < figure_style_count; i++) {
        names[i] = figure_styles[i].name;
    }
    index = plot_word_find(value, names, figure_style_count);
    if (index == figure_style_count) {
        (void)plot_word_fail("--style", value, names, figure_style_count, &error);
        cli_usage(state, "%s", error.text);
    }
    arguments->figure.style = &figure_styles[index];
}

static double parse_size(const char *option, const char *value, struct argp_state *state)
{
    double size;

    if (!text_units_parse_double(value, &size) || !(size >= 3 && size <= 120)) {
        cli_usage(state, "%s is '%s'; a number of cm from 3 to 120 is due.", option, value);
    }
    return size;
}

static hs_time parse_time(const char *option, const char *value, struct argp_state *state)
{
    hs_time time_ns;

    if (text_units_parse(UNITS_TIME, value, &time_ns, NULL) != UNITS_OK || time_ns < 0) {
        cli_usage(state,
                  "--%s is '%s'; a time since the first submission is due, such as 36h or 2d "
                  "(%s).",
                  option, value, text_units_list(UNITS_TIME));
    }
    return time_ns;
}

static unsigned parse_axes(const char *value, struct argp_state *state)
{
    static const char *const words[] = {"none", "x", "y", "xy"};
    size_t index = plot_word_find(value, words, 4);

    if (index == 4) {
        cli_usage(state, "--log is '%s'; x, y, xy or none is due.", value);
    }
    return (unsigned)index;
}

static double parse_level(const char *value, struct argp_state *state)
{
    double percent;

    if (!text_units_parse_double(value, &percent) || !(percent >= 50 && percent <= 99.9999)) {
        cli_usage(state, "--level is '%s'; a number of percent from 50 to 99.9999 is due.", value);
    }
    return percent / 100;
}

/* An option of the kind, by its row. */
static void parse_kind_option(struct arguments *arguments, const struct plot_option_row *row,
                              const char *value, struct argp_state *state)
{
    struct plot_request *request = &arguments->request;

    request->given |= row->option;
    switch (row->option) {
    case PLOT_METRIC:
        request->metric = value;
        break;
    case PLOT_LABEL:
        arguments->labels[request->label_count++] = value;
        break;
    case PLOT_LOG:
        request->log_axes = parse_axes(value, state);
        break;
    case PLOT_FROM:
        request->from_ns = parse_time(row->name, value, state);
        break;
    case PLOT_TO:
        request->to_ns = parse_time(row->name, value, state);
        break;
    case PLOT_COLOR:
        request->color = value;
        break;
    case PLOT_AGAINST:
        request->against = value;
        break;
    case PLOT_ROWS:
        request->rows = value;
        break;
    case PLOT_BASELINE:
        request->baseline = value;
        break;
    case PLOT_POLICY:
        request->policy = value;
        break;
    case PLOT_WHERE:
        arguments->where[request->where_count++] = value;
        break;
    case PLOT_BY:
        request->by = value;
        break;
    case PLOT_LEVEL:
        request->level = parse_level(value, state);
        break;
    }
}

static void find_kind(struct arguments *arguments, const char *name, struct argp_state *state)
{
    struct hs_error error = {0};

    if (plot_kind_find(name, &arguments->kind, &error) != HS_OK) {
        cli_usage(state, "%s", error.text);
    }
}

static error_t parse_end(struct arguments *arguments, struct argp_state *state)
{
    if (!arguments->kind) {
        cli_usage(state, "Which kind of figure? `hsim plot --help` lists them.");
    }
    if (arguments->request.path_count == 0) {
        cli_usage(state,
                  "Which results? Name files that `hsim run` or `hsim sweep` wrote, FILE.h5.");
    }
    if (!arguments->figure.path) {
        cli_usage(state, "-o is missing: the name of the picture, as in -o fig.pdf.");
    }
    return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'o':
        arguments->figure.path = value;
        return 0;
    case OPTION_STYLE:
        parse_style(arguments, value, state);
        return 0;
    case OPTION_WIDTH:
        arguments->figure.width_cm = parse_size("--width", value, state);
        return 0;
    case OPTION_HEIGHT:
        arguments->figure.height_cm = parse_size("--height", value, state);
        return 0;
    case OPTION_FORCE:
        arguments->figure.is_forced = true;
        return 0;
    case OPTION_KEEP:
        arguments->figure.is_script_kept = true;
        return 0;
    case ARGP_KEY_ARG:
        if (!arguments->kind) {
            find_kind(arguments, value, state);
            return 0;
        }
        return ARGP_ERR_UNKNOWN; /* then all that are left come at once */
    case ARGP_KEY_ARGS:
        arguments->request.paths = state->argv + state->next;
        arguments->request.path_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        return parse_end(arguments, state);
    default:
        if (key >= OPTION_KIND && key < OPTION_KIND + (int)plot_option_count) {
            parse_kind_option(arguments, &plot_options[key - OPTION_KIND], value, state);
            return 0;
        }
        return ARGP_ERR_UNKNOWN;
    }
}

/* The options of all kinds; the help shows those of `kind`, or all without one. */
static void describe_options(const struct plot_kind *kind, struct argp_option *options)
{
    HS_ASSERT(COMMON_COUNT + plot_option_count < OPTIONS_MAX);
    memcpy(options, common_options, sizeof common_options);
    options += COMMON_COUNT;
    for (size_t i = 0; i < plot_option_count; i++) {
        bool is_shown = !kind || kind->options & plot_options[i].option;

        *options++ = (struct argp_option){plot_options[i].name,  OPTION_KIND + (int)i,
                                          plot_options[i].value, is_shown ? 0 : OPTION_HIDDEN,
                                          plot_options[i].doc,   0};
    }
}

/* The text of the help: of one kind, or the list of all. NULL: no memory. */
static char *describe(const struct plot_kind *kind)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (!file) {
        return NULL;
    }
    if (kind) {
        (void)fprintf(file, "%s: %s.\v%s", kind->name, kind->summary, kind->about);
    } else {
        (void)fputs("Draws a figure of results, fit for a paper.\vKinds:\n", file);
        for (size_t i = 0; i < plot_kind_count; i++) {
            (void)fprintf(file, "  %-14s %s\n", plot_kinds[i]->name, plot_kinds[i]->summary);
        }
        (void)fputs("\n`hsim plot KIND --help` tells what a kind shows and which options it has.\n"
                    "Example: hsim plot cdf results/x/*.h5 --metric bsld -o fig.pdf",
                    file);
    }
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    const struct plot_kind *kind = NULL;
    struct argp_option options[OPTIONS_MAX] = {{0}};
    struct hs_error error = {0};
    char *doc;
    int code;

    if (argc > 1 && argv[1][0] != '-') {
        /* An unknown one is told by the parser. */
        kind = plot_kind_find(argv[1], &kind, &error) == HS_OK ? kind : NULL;
    }
    doc = describe(kind);
    if (!doc) {
        (void)hs_error_memory(&error);
        return cli_fail(&error);
    }
    describe_options(kind, options);
    code =
        cli_parse(&(const struct argp){.options = options,
                                       .parser = parse_option,
                                       .args_doc = kind && kind->input == PLOT_RUNS ? ARGUMENTS_RUNS
                                                                                    : ARGUMENTS,
                                       .doc = doc},
                  argc, argv, 0, NULL, arguments);
    free(doc);
    return code;
}

static void print_notes(const char *notes)
{
    while (notes && *notes) {
        int length = (int)strcspn(notes, "\n");

        (void)fprintf(stderr, "hsim: note: %.*s\n", length, notes);
        notes += length + 1;
    }
}

static int plot_run(int argc, char **argv)
{
    struct arguments arguments = {.figure = {.style = &figure_styles[0]}};
    char *command_line = cli_command_line(argc, argv);
    struct figure figure = {0};
    struct hs_error error = {0};
    enum hs_err err = HS_OK;
    int code;

    arguments.labels = calloc((size_t)argc, sizeof *arguments.labels);
    arguments.where = calloc((size_t)argc, sizeof *arguments.where);
    if (!arguments.labels || !arguments.where || !command_line) {
        free(command_line);
        free(arguments.labels);
        free(arguments.where);
        (void)hs_error_memory(&error);
        return cli_fail(&error);
    }
    arguments.figure.command_line = command_line;
    arguments.request.labels = arguments.labels;
    arguments.request.where = arguments.where;
    code = parse_arguments(argc, argv, &arguments);
    if (code == CLI_OK) {
        err = plot_request_check(&arguments.request, arguments.kind, &error);
    }
    if (code == CLI_OK && err == HS_OK) {
        err = figure_init(&figure, &arguments.figure, &error);
    }
    if (code == CLI_OK && err == HS_OK) {
        err = arguments.kind->draw(&arguments.request, &figure, &error);
    }
    if (code == CLI_OK && err == HS_OK) {
        err = figure_finish(&figure, &error);
    }
    if (code == CLI_OK && err == HS_OK) {
        print_notes(figure.notes);
        (void)printf("%s, drawn by %s from %s\n", arguments.figure.path, figure.script_path,
                     figure.data_path);
    }
    figure_fini(&figure);
    free(command_line);
    free(arguments.labels);
    free(arguments.where);
    return cli_finish(code != CLI_OK ? code : err == HS_OK ? CLI_OK : cli_fail(&error));
}

/* Of all kinds. */
static enum hs_err describe_all(struct cli_description *description, struct hs_error *error)
{
    description->options = calloc(OPTIONS_MAX, sizeof *description->options);
    description->doc = describe(NULL);
    if (!description->options || !description->doc) {
        return hs_error_memory(error);
    }
    describe_options(NULL, description->options);
    description->argp = (struct argp){
        .options = description->options, .args_doc = ARGUMENTS, .doc = description->doc};
    return HS_OK;
}

static const char *kind_name(size_t index)
{
    return index < plot_kind_count ? plot_kinds[index]->name : NULL;
}

static const struct cli_values values[] = {
    {"style", "one-column two-column slide", NULL},
    {"log", "x y xy none", NULL},
    {"color", "user class state", NULL},
    {"against", "arrived allocated time", NULL},
    {"baseline", "@policies", NULL},
    {"policy", "@policies", NULL},
    {NULL, "*.h5 @folders", kind_name},
    CLI_VALUES_END,
};

const struct cli_command cli_plot = {
    .name = "plot",
    .summary = "Draw figures of results, fit for a paper",
    .run = plot_run,
    .describe = describe_all,
    .values = values,
};
