/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_devices.c - `hsim platform devices`: the device catalogue. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/grid.h"
#include "cli/json.h"
#include "cli/platform.h"

struct arguments {
    const char *catalogue;
    const char *verb;
    const char *name;
    bool is_json;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'C':
        arguments->catalogue = value;
        return 0;
    case 'j':
        arguments->is_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (!arguments->verb) {
            arguments->verb = value;
        } else if (!arguments->name) {
            arguments->name = value;
        } else {
            cli_usage(state, "One model at a time; '%s' is one too many.", value);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"catalogue", 'C', "FILE", 0, "YAML file that adds models, or changes some fields", 0},
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {0},
};

/* The keys of an entry behind the options. */
static char *filter_help(int key, const char *text, void *input)
{
    char *keys = NULL;
    size_t size = 0;
    FILE *stream;

    (void)input;
    if (key != ARGP_KEY_HELP_EXTRA) {
        return (char *)(uintptr_t)text;
    }
    stream = open_memstream(&keys, &size);
    if (!stream) {
        return NULL;
    }
    (void)fprintf(stream, "Keys of an entry below `devices:`:\n");
    catalogue_explain(stream);
    if (fclose(stream) != 0) {
        free(keys);
        return NULL;
    }
    return keys;
}

const struct argp platform_devices_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "list\nshow MODEL",
    .doc = "Lists the device catalogue, or shows one model with the sources of its figures."
           "\vThe catalogue is " CATALOGUE_FILE ", which comes with hsim; the environment "
           "variable " CATALOGUE_VARIABLE " names another file in its place. Figures marked with "
           "'?' are not confirmed by a source.",
    .help_filter = filter_help,
};

/* The figure with its mark; figures of one field stand in one column. */
static void add_figure(struct grid *grid, const struct catalogue_device *device, const char *name)
{
    char text[CATALOGUE_TEXT_MAX];
    size_t figure = 0;

    while (strcmp(catalogue_figure_name(figure), name) != 0) {
        figure++;
    }
    catalogue_figure_format(device, figure, text);
    grid_add(grid, "%s%s", text,
             catalogue_has_figure(device, figure) && device->is_unconfirmed[figure] ? "?" : "");
}

static bool list_table(const struct catalogue *catalogue)
{
    static const char *const head[] = {"model", "kind",   "memory", "bandwidth", "fp64",
                                       "fp32",  "16-bit", "idle",   "busy"};
    struct grid grid = {.columns = sizeof head / sizeof head[0], .rights = 0x1fc};
    size_t count = catalogue_count(catalogue);

    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        grid_add(&grid, "%s", head[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct catalogue_device *device = catalogue_device(catalogue, i);
        bool is_brain =
            device->peak_flops[CATALOGUE_BF16_MATRIX] > device->peak_flops[CATALOGUE_FP16_MATRIX];

        grid_add(&grid, "%s", device->model);
        grid_add(&grid, "%s", device->kind);
        add_figure(&grid, device, "memory.size");
        add_figure(&grid, device, "memory.bandwidth");
        add_figure(&grid, device, "peak.fp64");
        add_figure(&grid, device, "peak.fp32");
        add_figure(&grid, device,
                   is_brain                                        ? "peak.bf16-matrix"
                   : device->peak_flops[CATALOGUE_FP16_MATRIX] > 0 ? "peak.fp16-matrix"
                                                                   : "peak.fp16");
        add_figure(&grid, device, "power.idle");
        add_figure(&grid, device, "power.busy");
    }
    if (!grid_print(&grid)) {
        return false;
    }
    (void)printf("\n%zu models; '?': no source confirms the figure\n", count);
    return true;
}

static void print_words(const char *key, const char *const *words, size_t count)
{
    (void)printf("  %-13s ", key);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s%s", i ? ", " : "", words[i]);
    }
    (void)printf("%s\n", count ? "" : "-");
}

static bool show_text(const struct catalogue_device *device)
{
    struct grid grid = {.columns = 4};
    char text[CATALOGUE_TEXT_MAX];

    (void)printf("%s: %s\n  %-13s %s\n", device->model, device->name, "kind", device->kind);
    (void)printf("  %-13s %s%s", "vendor", device->vendor ? device->vendor : "-",
                 device->year ? ", " : "\n");
    if (device->year) {
        (void)printf("%lld\n", (long long)device->year);
    }
    print_words("aliases", device->aliases, device->alias_count);
    print_words("features", device->features, device->feature_count);
    (void)printf("  %-13s %s\n", "interconnect", device->interconnect ? device->interconnect : "-");
    if (device->note) {
        (void)printf("  %-13s %s\n", "note", device->note);
    }
    (void)printf("  %-13s %s:%d\n\n", "described in", device->path, device->line);
    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        if (catalogue_has_figure(device, i)) {
            catalogue_figure_format(device, i, text);
            grid_add(&grid, "  %s", catalogue_figure_name(i));
            grid_add(&grid, "%s", text);
            grid_add(&grid, "%s", device->is_unconfirmed[i] ? "?" : "");
            grid_add(&grid, "%s", device->sources[i] ? device->sources[i] : "no source is given");
        }
    }
    return grid_print(&grid);
}

static void print_json_list(const char *key, const char *const *words, size_t count)
{
    (void)printf(", \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s", i ? ", " : "");
        cli_json_string(stdout, words[i]);
    }
    (void)printf("]");
}

static void print_json_text(const char *key, const char *text)
{
    (void)printf(", \"%s\": ", key);
    cli_json_string(stdout, text);
}

static void print_json_device(const struct catalogue_device *device)
{
    const char *comma = "";

    (void)printf("  {\"model\": ");
    cli_json_string(stdout, device->model);
    print_json_text("kind", device->kind);
    print_json_text("name", device->name);
    print_json_text("vendor", device->vendor);
    (void)printf(", \"year\": ");
    cli_json_number(stdout, device->year ? (double)device->year : NAN);
    print_json_list("aliases", device->aliases, device->alias_count);
    print_json_list("features", device->features, device->feature_count);
    print_json_text("interconnect", device->interconnect);
    print_json_text("note", device->note);
    (void)printf(", \"figures\": {");
    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        if (catalogue_has_figure(device, i)) {
            (void)printf("%s\"%s\": {\"value\": ", comma, catalogue_figure_name(i));
            cli_json_number(stdout, catalogue_figure(device, i));
            (void)printf(", \"confirmed\": %s", device->is_unconfirmed[i] ? "false" : "true");
            print_json_text("source", device->sources[i]);
            (void)printf("}");
            comma = ", ";
        }
    }
    (void)printf("}}");
}

static void list_json(const struct catalogue *catalogue)
{
    (void)printf("[\n");
    for (size_t i = 0; i < catalogue_count(catalogue); i++) {
        print_json_device(catalogue_device(catalogue, i));
        (void)printf("%s\n", i + 1 < catalogue_count(catalogue) ? "," : "");
    }
    (void)printf("]\n");
}

static enum hs_err print_one(const struct catalogue *catalogue, const struct arguments *arguments,
                             struct hs_error *error)
{
    const struct catalogue_device *device = catalogue_find(catalogue, arguments->name);

    if (!device) {
        const char *near = catalogue_nearest(catalogue, arguments->name);

        return hs_error_set(error, HS_ERR_CONFIG,
                            "There is no model '%s' in the device catalogue%s%s%s `hsim platform "
                            "devices list` shows all.",
                            arguments->name, near ? "; did you mean '" : ".", near ? near : "",
                            near ? "'?" : "");
    }
    if (arguments->is_json) {
        print_json_device(device);
        (void)putchar('\n');
        return HS_OK;
    }
    return show_text(device) ? HS_OK : hs_error_memory(error);
}

int platform_devices(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct catalogue *catalogue = NULL;
    struct hs_error error = {0};
    bool is_show;
    enum hs_err err = HS_OK;
    int code = cli_parse(&platform_devices_argp, argc, argv, 0, NULL, &arguments);

    if (code != CLI_OK) {
        return code;
    }
    is_show = arguments.verb && strcmp(arguments.verb, "show") == 0;
    if ((!is_show && arguments.verb && strcmp(arguments.verb, "list") != 0) ||
        is_show != (arguments.name != NULL)) {
        err = hs_error_set(&error, HS_ERR_CONFIG,
                           "Say `hsim platform devices list` or `hsim platform devices show "
                           "MODEL`.");
    }
    if (err == HS_OK) {
        err = catalogue_load(arguments.catalogue, &catalogue, &error);
    }
    if (err == HS_OK && is_show) {
        err = print_one(catalogue, &arguments, &error);
    } else if (err == HS_OK && arguments.is_json) {
        list_json(catalogue);
    } else if (err == HS_OK && !list_table(catalogue)) {
        err = hs_error_memory(&error);
    }
    code = err == HS_OK ? cli_finish(CLI_OK) : cli_fail(&error);
    catalogue_destroy(catalogue);
    return code;
}
