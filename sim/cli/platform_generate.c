/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_generate.c - `hsim platform generate`: a platform file from a few words. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/platform.h"
#include "platform/generate.h"
#include "platform/platform.h"
#include "workload/output.h"

#define OPTIONS_MAX 32

enum option_key { KEY_FORCE = 0x100, KEY_NO_CHECK, KEY_TABLE = 0x200 };

struct arguments {
    struct generate *generate;
    struct hs_error error; /* of a key or class */
    const char *output;
    const char *catalogue;
    bool is_forced;
    bool is_quiet;
    bool is_unchecked;
};

/* Index of the row of the table that an option stands for, or generate_key_count. */
static size_t find_row(int key)
{
    for (size_t i = 0; i < generate_key_count; i++) {
        if (key == KEY_TABLE + (int)i || (key && key == generate_keys[i].letter)) {
            return i;
        }
    }
    return generate_key_count;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    size_t row = find_row(key);
    enum hs_err err = HS_OK;

    if (row < generate_key_count) {
        err = generate_set(arguments->generate, &generate_keys[row], value, &arguments->error);
        if (err != HS_OK) {
            cli_usage(state, "%s", arguments->error.text);
        }
        return 0;
    }
    switch (key) {
    case 'c':
        /* The first bad class is reported after the parsing, without advice on usage. */
        if (arguments->error.code == HS_OK) {
            err = generate_add_class(arguments->generate, value, &arguments->error);
        }
        return 0;
    case 'o':
        arguments->output = value;
        return 0;
    case 'C':
        arguments->catalogue = value;
        return 0;
    case 'q':
        arguments->is_quiet = true;
        return 0;
    case KEY_FORCE:
        arguments->is_forced = true;
        return 0;
    case KEY_NO_CHECK:
        arguments->is_unchecked = true;
        return 0;
    case ARGP_KEY_ARG:
        cli_usage(state, "'%s' is not understood; the file to write is named with -o.", value);
    case ARGP_KEY_SUCCESS:
        if (!arguments->output) {
            cli_usage(state, "Where to? Name the file with -o; - is standard output.");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Options from the table of keys, between their headings, and the others. */
static void fill_options(struct argp_option *options)
{
    static const struct argp_option others[] = {
        {NULL, 0, NULL, 0, "What is written:", 3},
        {"output", 'o', "FILE", 0, "File to write; - is standard output", 0},
        {"catalogue", 'C', "FILE", 0, "YAML file that adds models to the device catalogue", 0},
        {"force", KEY_FORCE, NULL, 0, "Overwrite an existing file", 0},
        {"no-check", KEY_NO_CHECK, NULL, 0, "Do not load the platform before it is written", 0},
        {"quiet", 'q', NULL, 0, "Do not tell what was done", 0},
    };
    size_t count = 0;

    options[count++] = (struct argp_option){
        .doc = "Keys of a class; outside of --class they hold for all classes:", .group = 1};
    for (int is_network = 0; is_network <= 1; is_network++) {
        if (is_network) {
            options[count++] = (struct argp_option){
                "class",
                'c',
                "NAME:KEY=VALUE,...",
                0,
                "A class of nodes, which are named NAME0, NAME1, ...; may be repeated",
                0};
            options[count++] = (struct argp_option){.doc = "The whole platform:", .group = 2};
        }
        for (size_t i = 0; i < generate_key_count; i++) {
            const struct generate_key *row = &generate_keys[i];

            if (row->is_network == is_network) {
                options[count++] = (struct argp_option){
                    row->name,     row->letter ? row->letter : KEY_TABLE + (int)i,
                    row->argument, 0,
                    row->doc,      0};
            }
        }
    }
    HS_ASSERT(count + sizeof others / sizeof others[0] < OPTIONS_MAX);
    memcpy(options + count, others, sizeof others);
}

/* The argp with the options. */
static struct argp generate_argp(const struct argp_option *options)
{
    return (struct argp){
        options,
        parse_option,
        "-o FILE --nodes N --cores N\n-o FILE -c NAME:KEY=VALUE,...",
        "Writes a SimGrid platform file: classes of equal nodes with their devices, in racks, and "
        "the network between these."
        "\vThe same options give the same bytes. Models and their figures come from the device "
        "catalogue (`hsim platform devices list`). Example:\n"
        "  hsim platform generate -o a.xml -t fat-tree \\\n"
        "    -c cpu:nodes=96,cpu=epyc-7742:2,memory=512GiB \\\n"
        "    -c gpu:nodes=32,cpu=epyc-7742:2,memory=1TiB,device=a100-sxm4-40:8,island=4",
        NULL,
        NULL,
        NULL};
}

enum hs_err platform_generate_describe(struct cli_description *description, struct hs_error *error)
{
    description->options = calloc(OPTIONS_MAX, sizeof *description->options);
    if (!description->options) {
        return hs_error_memory(error);
    }
    fill_options(description->options);
    description->argp = generate_argp(description->options);
    return HS_OK;
}

static int parse(int argc, char **argv, struct arguments *arguments)
{
    struct argp_option options[OPTIONS_MAX] = {0};
    struct argp argp = generate_argp(options);

    fill_options(options);
    return cli_parse(&argp, argc, argv, 0, NULL, arguments);
}

/* Loads the text as a platform, by a file of its own. */
static enum hs_err check_text(const struct arguments *arguments, const char *text, size_t length,
                              struct hs_error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    struct platform_options options = {.file = path, .catalogue = arguments->catalogue};
    struct platform platform = {0};
    FILE *file;
    int fd;
    enum hs_err err;

    (void)snprintf(path, sizeof path, "%s/hsim-generate-XXXXXX",
                   folder && *folder ? folder : "/tmp");
    fd = mkstemp(path);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file || fwrite(text, 1, length, file) != length || fflush(file) != 0) {
        err = hs_error_set(error, HS_ERR_SYSTEM,
                           "%s: The file for the check cannot be written: %s. Name another folder "
                           "by TMPDIR, or use --no-check.",
                           path, strerror(errno));
    } else {
        err = platform_load(&options, &platform, error);
    }
    if (file) {
        (void)fclose(file);
    }
    if (fd >= 0) {
        (void)unlink(path);
    }
    platform_fini(&platform);
    return err;
}

static enum hs_err save(const struct arguments *arguments, const char *text, size_t length,
                        struct hs_error *error)
{
    struct workload_output *output = NULL;
    enum hs_err err =
        workload_output_open(arguments->output, arguments->is_forced, stdout, &output, error);

    if (err != HS_OK) {
        return err;
    }
    (void)fwrite(text, 1, length, workload_output_file(output));
    return workload_output_finish(output, error);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void tell(const struct arguments *arguments, size_t length)
{
    struct generate_counts counts = generate_count(arguments->generate);

    if (!arguments->is_quiet) {
        (void)fprintf(stderr,
                      "%s: %lld node%s, %lld device%s, %lld rack%s; %lld host%s in %zu bytes\n",
                      arguments->output, (long long)counts.nodes, plural(counts.nodes),
                      (long long)counts.devices, plural(counts.devices), (long long)counts.racks,
                      plural(counts.racks), (long long)counts.hosts, plural(counts.hosts), length);
    }
}

static enum hs_err write_platform(const struct arguments *arguments, struct hs_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool is_whole;
    enum hs_err err = HS_OK;

    if (!file) {
        return hs_error_memory(error);
    }
    generate_write(arguments->generate, file);
    is_whole = !ferror(file);
    if (fclose(file) != 0 || !is_whole) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK && !arguments->is_unchecked) {
        err = check_text(arguments, text, length, error);
    }
    if (err == HS_OK) {
        err = save(arguments, text, length, error);
    }
    if (err == HS_OK) {
        tell(arguments, length);
    }
    free(text);
    return err;
}

int platform_generate(int argc, char **argv)
{
    struct arguments arguments = {.generate = generate_create()};
    struct catalogue *catalogue = NULL;
    struct hs_error error = {0};
    enum hs_err err = arguments.generate ? HS_OK : hs_error_memory(&error);
    int code = CLI_OK;

    if (err == HS_OK) {
        code = parse(argc, argv, &arguments);
    }
    if (err == HS_OK && code == CLI_OK) {
        error = arguments.error;
        err = error.code;
        if (err == HS_OK) {
            err = catalogue_load(arguments.catalogue, &catalogue, &error);
        }
        if (err == HS_OK) {
            err = generate_resolve(arguments.generate, catalogue, &error);
        }
        if (err == HS_OK) {
            err = write_platform(&arguments, &error);
        }
    }
    if (err != HS_OK) {
        code = cli_fail(&error);
    }
    generate_destroy(arguments.generate);
    catalogue_destroy(catalogue);
    return code == CLI_OK ? cli_finish(CLI_OK) : code;
}
