/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_show.c - `hsim platform show`: what hsim understands of a platform.
 *
 * Hosts that are equal in role, kind, model, cores, memory and speed are a group, named by ranges
 * of names that count up ("n0-n127,n130"). */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/platform.h"

/* What the command line says. Numbers stay text until all of it is read. */
struct arguments {
    const char *file;
    const char *catalogue;
    const char *nodes;
    const char *cores;
    const char *memory;
    bool is_json;
    bool has_hosts; /* list every host */
};

static error_t show_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'n':
        arguments->nodes = value;
        return 0;
    case 'c':
        arguments->cores = value;
        return 0;
    case 'm':
        arguments->memory = value;
        return 0;
    case 'C':
        arguments->catalogue = value;
        return 0;
    case 'j':
        arguments->is_json = true;
        return 0;
    case 'H':
        arguments->has_hosts = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->file) {
            cli_usage(state, "One platform file at a time; '%s' is the second.", value);
        }
        arguments->file = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option show_options[] = {
    {"nodes", 'n', "N", 0, "An inline platform with this many nodes, instead of a file", 0},
    {"cores", 'c', "C", 0, "Cores of each node (default 1)", 0},
    {"memory", 'm', "SIZE", 0, "Memory of each node, e.g. 64GiB (default: not modelled)", 0},
    {"catalogue", 'C', "FILE", 0, "YAML file that adds to the device catalogue", 0},
    {"hosts", 'H', NULL, 0, "List every host", 0},
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {0},
};

const struct argp platform_show_argp = {
    .options = show_options,
    .parser = show_option,
    .args_doc = "FILE.xml [--catalogue FILE]\nFILE.csv [--catalogue FILE]\n--nodes N [--cores C] "
                "[--memory SIZE]",
    .doc = "Shows the nodes of a platform, grouped by what they are, their devices by kind and "
           "model, racks and power, and the other hosts."
           "\vA platform file is a SimGrid platform (.xml) or a list of nodes (.csv, plain or "
           "packed); platforms/README.md says what is understood. A bad file ends with exit "
           "code 5.",
};

static enum hs_err parse_count(const char *option, const char *text, int64_t *count,
                               struct hs_error *error)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (end == text || *end || errno) {
        return hs_error_set(error, HS_ERR_CONFIG, "--%s %s: a whole number is due, e.g. --%s 16.",
                            option, text, option);
    }
    *count = number;
    return HS_OK;
}

static enum hs_err read_options(const struct arguments *arguments, struct platform_options *options,
                                struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *options = (struct platform_options){
        .file = arguments->file, .catalogue = arguments->catalogue, .cores = 1};
    if (arguments->file && (arguments->nodes || arguments->cores || arguments->memory)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "A platform is a file ('%s') or --nodes, --cores and --memory, not "
                            "both. Leave one of the two away.",
                            arguments->file);
    }
    if (!arguments->file && !arguments->nodes) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No platform is named. Write `hsim platform show FILE.xml`, or "
                            "`hsim platform show --nodes 16 --cores 32`.");
    }
    if (arguments->catalogue && !arguments->file) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--catalogue goes with a platform file; equal nodes have no models.");
    }
    if (arguments->nodes) {
        err = parse_count("nodes", arguments->nodes, &options->nodes, error);
    }
    if (err == HS_OK && arguments->cores) {
        err = parse_count("cores", arguments->cores, &options->cores, error);
    }
    if (err == HS_OK && arguments->memory &&
        !platform_size_parse(arguments->memory, &options->mem_bytes)) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "--memory %s: a size with a unit is due, e.g. 64GiB or 40GB.",
                           arguments->memory);
    }
    return err;
}

int platform_show(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct platform_options options;
    struct platform platform = {0};
    struct show show = {.platform = &platform};
    struct hs_error error = {0};
    int code = cli_parse(&platform_show_argp, argc, argv, 0, NULL, &arguments);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    show.file = arguments.file;
    show.is_json = arguments.is_json;
    show.has_hosts = arguments.has_hosts;
    err = read_options(&arguments, &options, &error);
    if (err == HS_OK) {
        err = platform_load(&options, &platform, &error);
    }
    if (err == HS_OK) {
        err = show_groups_init(&show, &error);
    }
    if (err == HS_OK && show.is_json) {
        show_json(&show);
    } else if (err == HS_OK && !show_table(&show)) {
        err = hs_error_memory(&error);
    }
    code = err == HS_OK ? cli_finish(CLI_OK) : cli_fail(&error);
    show_groups_fini(&show);
    platform_fini(&platform);
    return code;
}
