/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes.c - `hsim classes`: the class library. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/grid.h"
#include "cli/json.h"
#include "speed/library.h"

#define FILES_MAX 32

struct arguments {
    const char *files[FILES_MAX];
    size_t file_count;
    const char *catalogue;
    const char *verb;
    const char *name;
    bool is_json;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'c':
        if (arguments->file_count == FILES_MAX) {
            cli_usage(state, "More than %d class libraries.", FILES_MAX);
        }
        arguments->files[arguments->file_count++] = value;
        return 0;
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
            cli_usage(state, "One class at a time; '%s' is one too many.", value);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"classes", 'c', "FILE", 0, "Class library (YAML) that adds classes, or replaces some", 0},
    {"catalogue", 'C', "FILE", 0, "YAML file that adds models to the device catalogue", 0},
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {0},
};

/* The keys of a class behind the options. */
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
    (void)fprintf(stream, "Keys of a class below `classes:`:\n");
    speed_library_explain(stream);
    if (fclose(stream) != 0) {
        free(keys);
        return NULL;
    }
    return keys;
}

static const struct argp classes_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "list\nshow NAME",
    .doc =
        "Lists the job classes whose speeds are known, or shows one with its values and their "
        "sources."
        "\vThe library is " SPEED_LIBRARY_FILE ", which comes with hsim; the environment "
        "variable " SPEED_LIBRARY_VARIABLE " names another file in its place. An experiment uses "
        "it through the block `speeds` (`hsim explain speeds`). Values marked with '?' are not "
        "confirmed by their source.",
    .help_filter = filter_help,
};

static size_t count_models(const struct speed_class *class)
{
    size_t count = 0;

    for (size_t i = 0; i < class->entry_count; i++) {
        count += i == 0 || strcmp(class->entries[i].model, class->entries[i - 1].model) != 0;
    }
    return count;
}

static bool list_table(const struct speed_library *library)
{
    struct grid grid = {.columns = 5, .rights = 0x4};
    static const char *const head[] = {"class", "reference", "models", "fallback", "what it is"};

    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        grid_add(&grid, "%s", head[i]);
    }
    for (size_t i = 0; i < speed_library_count(library); i++) {
        const struct speed_class *class = speed_library_class(library, i);

        grid_add(&grid, "%s", class->name);
        grid_add(&grid, "%s", class->reference);
        grid_add(&grid, "%zu", count_models(class));
        grid_add(&grid, "%s", speed_fallback_name(class->fallback));
        grid_add(&grid, "%s", class->summary ? class->summary : "-");
    }
    if (!grid_print(&grid)) {
        return false;
    }
    (void)printf("\n%zu classes\n", speed_library_count(library));
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

/* The value of the reference at a scale; 0: there is none. */
static double reference_at(const struct speed_class *class, int64_t scale)
{
    for (size_t i = 0; i < class->entry_count; i++) {
        if (class->entries[i].scale == scale &&
            strcmp(class->entries[i].model, class->reference) == 0) {
            return class->entries[i].value;
        }
    }
    return 0;
}

static bool show_text(const struct speed_class *class)
{
    struct grid grid = {.columns = 6, .rights = 0xe};

    (void)printf("%s: %s\n", class->name, class->summary ? class->summary : "-");
    print_words("aliases", class->aliases, class->alias_count);
    (void)printf("  %-13s %s\n", "demand", class->demand ? class->demand : "-");
    print_words("features", class->features, class->feature_count);
    (void)printf("  %-13s %s\n", "reference", class->reference);
    (void)printf("  %-13s %s\n", "fallback", speed_fallback_name(class->fallback));
    if (class->note) {
        (void)printf("  %-13s %s\n", "note", class->note);
    }
    (void)printf("  %-13s %s:%d\n\n", "described in", class->path, class->line);
    grid_add(&grid, "  model");
    grid_add(&grid, "scale");
    grid_add(&grid, "%s%s%s", class->is_rate ? "rate" : "time", class->unit ? ", " : "",
             class->unit ? class->unit : "");
    grid_add(&grid, "speed");
    grid_add(&grid, "%s", "");
    grid_add(&grid, "source");
    for (size_t i = 0; i < class->entry_count; i++) {
        const struct speed_entry *entry = &class->entries[i];
        double base = reference_at(class, entry->scale);
        double speed = class->is_rate ? entry->value / base : base / entry->value;

        grid_add(&grid, "  %s", entry->model);
        grid_add(&grid, "%lld", (long long)entry->scale);
        grid_add(&grid, "%.10g", entry->value);
        if (!(entry->value > 0)) {
            grid_add(&grid, "cannot run");
        } else if (!(base > 0)) {
            grid_add(&grid, "-");
        } else {
            grid_add(&grid, "%.3f x", speed);
        }
        grid_add(&grid, "%s", entry->is_unconfirmed ? "?" : "");
        grid_add(&grid, "%s", entry->source ? entry->source : "no source is given");
    }
    return grid_print(&grid);
}

static void print_json_text(const char *key, const char *text)
{
    (void)printf(", \"%s\": ", key);
    cli_json_string(stdout, text);
}

static void print_json_words(const char *key, const char *const *words, size_t count)
{
    (void)printf(", \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i ? ", " : "", stdout);
        cli_json_string(stdout, words[i]);
    }
    (void)fputs("]", stdout);
}

static void print_json_class(const struct speed_class *class)
{
    (void)fputs("  {\"name\": ", stdout);
    cli_json_string(stdout, class->name);
    print_json_text("summary", class->summary);
    print_json_words("aliases", class->aliases, class->alias_count);
    print_json_text("demand", class->demand);
    print_json_words("features", class->features, class->feature_count);
    print_json_text("reference", class->reference);
    print_json_text("fallback", speed_fallback_name(class->fallback));
    print_json_text("values", class->is_rate ? "rates" : "times");
    print_json_text("unit", class->unit);
    print_json_text("note", class->note);
    (void)fputs(", \"entries\": [", stdout);
    for (size_t i = 0; i < class->entry_count; i++) {
        const struct speed_entry *entry = &class->entries[i];

        (void)fputs(i ? ", {\"model\": " : "{\"model\": ", stdout);
        cli_json_string(stdout, entry->model);
        (void)printf(", \"scale\": %lld, \"value\": ", (long long)entry->scale);
        cli_json_number(stdout, entry->value);
        (void)printf(", \"confirmed\": %s", entry->is_unconfirmed ? "false" : "true");
        print_json_text("source", entry->source);
        (void)fputs("}", stdout);
    }
    (void)fputs("]}", stdout);
}

static void list_json(const struct speed_library *library)
{
    (void)fputs("[\n", stdout);
    for (size_t i = 0; i < speed_library_count(library); i++) {
        print_json_class(speed_library_class(library, i));
        (void)fputs(i + 1 < speed_library_count(library) ? ",\n" : "\n", stdout);
    }
    (void)fputs("]\n", stdout);
}

static enum hs_err print_one(const struct speed_library *library, const struct arguments *arguments,
                             struct hs_error *error)
{
    const struct speed_class *class = speed_library_find(library, arguments->name);

    if (!class) {
        const char *near = speed_library_nearest(library, arguments->name);

        return hs_error_set(
            error, HS_ERR_CONFIG, "There is no job class '%s'%s%s%s `hsim classes list` shows all.",
            arguments->name, near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "");
    }
    if (arguments->is_json) {
        print_json_class(class);
        (void)putchar('\n');
        return HS_OK;
    }
    return show_text(class) ? HS_OK : hs_error_memory(error);
}

static int run_classes(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct catalogue *catalogue = NULL;
    struct speed_library *library = NULL;
    struct hs_error error = {0};
    enum hs_err err = HS_OK;
    bool is_show;
    int code = cli_parse(&classes_argp, argc, argv, 0, NULL, &arguments);

    if (code != CLI_OK) {
        return code;
    }
    is_show = arguments.verb && strcmp(arguments.verb, "show") == 0;
    if ((!is_show && arguments.verb && strcmp(arguments.verb, "list") != 0) ||
        is_show != (arguments.name != NULL)) {
        err = hs_error_set(&error, HS_ERR_CONFIG,
                           "Say `hsim classes list` or `hsim classes show NAME`.");
    }
    if (err == HS_OK) {
        err = catalogue_load(arguments.catalogue, &catalogue, &error);
    }
    if (err == HS_OK) {
        err =
            speed_library_load(arguments.files, arguments.file_count, catalogue, &library, &error);
    }
    if (err == HS_OK && is_show) {
        err = print_one(library, &arguments, &error);
    } else if (err == HS_OK && arguments.is_json) {
        list_json(library);
    } else if (err == HS_OK && !list_table(library)) {
        err = hs_error_memory(&error);
    }
    code = err == HS_OK ? cli_finish(CLI_OK) : cli_fail(&error);
    speed_library_destroy(library);
    catalogue_destroy(catalogue);
    return code;
}

const struct cli_command cli_classes = {
    .name = "classes",
    .summary = "List job classes with known speeds, or show one",
    .run = run_classes,
    .argp = &classes_argp,
};
