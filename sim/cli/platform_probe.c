/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_probe.c - `hsim platform probe`: this machine as platform and catalogue entries. */
#include "cli/platform.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "platform/catalogue.h"
#include "probe/probe.h"
#include "workload/output.h"

#define NVML_VARIABLE     "HSIM_NVML_LIBRARY"
#define OPENCL_VARIABLE   "HSIM_OPENCL_LIBRARY"
#define TOPOLOGY_VARIABLE "HWLOC_XMLFILE" /* of hwloc */
#define GIB               (1024.0 * 1024 * 1024)
#define GIGA              1e9

enum { KEY_CATALOGUE = 256, KEY_NAME, KEY_NO_MEASURE, KEY_FORCE, KEY_JSON };

struct arguments {
    const char *output, *catalogue; /* NULL: not written */
    const char *name;
    bool is_forced, is_json, has_measurement;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the platform (.xml); - is standard output", 0},
    {"catalogue", KEY_CATALOGUE, "FILE", 0, "Write entries of a device catalogue (.yaml)", 0},
    {"name", KEY_NAME, "NODE", 0, "Name of the node (default: the host's name)", 0},
    {"no-measure", KEY_NO_MEASURE, NULL, 0, "Look, but measure nothing", 0},
    {"json", KEY_JSON, NULL, 0, "Print JSON", 0},
    {"force", KEY_FORCE, NULL, 0, "Overwrite existing files", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'o':
        arguments->output = value;
        return 0;
    case KEY_CATALOGUE:
        arguments->catalogue = value;
        return 0;
    case KEY_NAME:
        arguments->name = value;
        return 0;
    case KEY_NO_MEASURE:
        arguments->has_measurement = false;
        return 0;
    case KEY_JSON:
        arguments->is_json = true;
        return 0;
    case KEY_FORCE:
        arguments->is_forced = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp platform_probe_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[-o FILE.xml] [--catalogue FILE.yaml]",
    .doc =
        "Describes the machine it runs on: cores, memory and NUMA nodes by hwloc, accelerators by "
        "NVML and OpenCL, power by RAPL and NVML where they can be read. Measures, in about two "
        "seconds, the triad of STREAM and multiply-adds on all cores."
        "\vWhat cannot be known is left out, and a note on standard error says what to do. In a "
        "container or a job only what it may use is described. Drivers are asked in a child "
        "process; the environment variables " NVML_VARIABLE " and " OPENCL_VARIABLE " name other "
        "libraries than libnvidia-ml.so.1 and libOpenCL.so.1. HWLOC_XMLFILE describes another "
        "machine, from a file that lstopo wrote there. Example:\n"
        "  hsim platform probe -o here.xml --catalogue here.yaml",
};

/* Both files exist under their names only when both are complete. */
struct outputs {
    struct workload_output *platform, *catalogue;
};

static bool is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static enum hs_err check(const struct arguments *arguments, struct hs_error *error)
{
    int standards =
        is_standard(arguments->output) + is_standard(arguments->catalogue) + arguments->is_json;

    if (standards > 1) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Standard output takes one of platform, catalogue and --json. Write "
                            "the others to files.");
    }
    if (arguments->output && arguments->catalogue && !is_standard(arguments->output) &&
        strcmp(arguments->output, arguments->catalogue) == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: platform and catalogue cannot be one file. Give each its own "
                            "name.",
                            arguments->output);
    }
    return HS_OK;
}

/* Before anything is measured, so that a bad path is told at once. */
static enum hs_err open_outputs(const struct arguments *arguments, struct outputs *outputs,
                                struct hs_error *error)
{
    enum hs_err err = HS_OK;

    if (arguments->output) {
        err = workload_output_open(arguments->output, arguments->is_forced, stdout,
                                   &outputs->platform, error);
    }
    if (err == HS_OK && arguments->catalogue) {
        err = workload_output_open(arguments->catalogue, arguments->is_forced, stdout,
                                   &outputs->catalogue, error);
    }
    return err;
}

/* The catalogue comes first: a platform that names its models is of no use without it. */
static enum hs_err write_outputs(const struct probe_machine *machine, struct outputs *outputs,
                                 struct hs_error *error)
{
    enum hs_err err = HS_OK;
    bool has_catalogue = outputs->catalogue != NULL;

    if (outputs->catalogue) {
        probe_write_catalogue(machine, workload_output_file(outputs->catalogue));
        err = workload_output_finish(outputs->catalogue, error);
        outputs->catalogue = NULL;
    }
    if (err == HS_OK && outputs->platform) {
        probe_write_platform(machine, has_catalogue, workload_output_file(outputs->platform));
        err = workload_output_finish(outputs->platform, error);
        outputs->platform = NULL;
    }
    return err;
}

static void print_notes(const struct probe_machine *machine)
{
    const char *topology = getenv(TOPOLOGY_VARIABLE);

    for (size_t i = 0; i < machine->notes.count; i++) {
        (void)fprintf(stderr, "hsim: note: %s\n", machine->notes.texts[i]);
    }
    if (machine->is_here && topology && *topology) {
        (void)fprintf(stderr,
                      "hsim: note: hwloc could not use the file that " TOPOLOGY_VARIABLE
                      " names (%s), so this machine is described. Correct the variable, or unset "
                      "it.\n",
                      topology);
    }
}

/* "NAME", in columns of which the last is free. */
static void print_row(const char *what, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print_row(const char *what, const char *format, ...)
{
    va_list arguments;

    (void)printf("%-12s", what);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}

static void print_device(const struct probe_device *device)
{
    (void)printf("%-12s%s, %.4g GiB", device->id, device->name, (double)device->mem_bytes / GIB);
    if (device->mem_bytes_per_s > 0) {
        (void)printf(" at %.4g GB/s", device->mem_bytes_per_s / GIGA);
    }
    if (device->peak_fp32_flops > 0) {
        (void)printf(", %.4g Gflop/s (computed, single precision)", device->peak_fp32_flops / GIGA);
    }
    if (device->group[0]) {
        (void)printf(", %s", device->group);
    }
    (void)putchar('\n');
}

static void print_table(const struct probe_machine *machine)
{
    const struct probe_measured *measured = &machine->measured;

    print_row("node", "%s", machine->node);
    print_row("processor", "%s (model %s)", machine->name, machine->model);
    print_row("cores",
              "%" PRIu32 " (threads: %" PRIu32 ", sockets: %" PRIu32 ", NUMA nodes: %" PRIu32 ")",
              machine->core_count, machine->thread_count, machine->package_count,
              machine->numa_count);
    print_row("memory", "%.4g GiB", (double)machine->mem_bytes / GIB);
    (void)printf("%-12s", "features");
    for (size_t i = 0; i < machine->features.count; i++) {
        (void)printf("%s%s", i ? " " : "", machine->features.words[i]);
    }
    (void)putchar('\n');
    if (measured->thread_count) {
        print_row("measured", "%.4g GB/s triad, %.4g Gflop/s double, %.4g Gflop/s single (%s)",
                  measured->triad_bytes_per_s / GIGA, measured->fp64_flops / GIGA,
                  measured->fp32_flops / GIGA, measured->kernel);
    }
    if (machine->idle_w > 0) {
        print_row("idle", "%.4g W", machine->idle_w);
    }
    if (machine->busy_w > 0) {
        print_row("busy", "%.4g W", machine->busy_w);
    }
    for (size_t i = 0; i < machine->devices.count; i++) {
        print_device(&machine->devices.items[i]);
    }
}

/* ,"KEY": NUMBER; null for what is not known. */
static void json_rate(const char *key, double value)
{
    (void)printf(", \"%s\": ", key);
    cli_json_number(stdout, value > 0 ? value : NAN);
}

static void json_text(const char *key, const char *value)
{
    (void)printf(", \"%s\": ", key);
    cli_json_string(stdout, *value ? value : NULL);
}

static void json_features(const struct probe_features *features)
{
    (void)fputs(", \"features\": [", stdout);
    for (size_t i = 0; i < features->count; i++) {
        (void)fputs(i ? ", " : "", stdout);
        cli_json_string(stdout, features->words[i]);
    }
    (void)putchar(']');
}

static void json_device(const struct probe_device *device)
{
    (void)fputs("{\"id\": ", stdout);
    cli_json_string(stdout, device->id);
    json_text("kind", device->kind);
    json_text("name", device->name);
    json_text("model", device->model);
    json_text("group", device->group);
    json_text("pci", device->bus_id);
    json_text("told_by", device->source == PROBE_NVML ? "nvml" : "opencl");
    json_rate("mem_bytes", (double)device->mem_bytes);
    json_rate("mem_bytes_per_s", device->mem_bytes_per_s);
    json_rate("peak_fp32_flops", device->peak_fp32_flops);
    json_rate("link_bytes_per_s", device->link_bytes_per_s);
    json_rate("idle_w", device->idle_w);
    json_rate("busy_w", device->busy_w);
    json_features(&device->features);
    (void)putchar('}');
}

static void print_json(const struct probe_machine *machine)
{
    const struct probe_measured *measured = &machine->measured;

    (void)fputs("{\n  \"node\": ", stdout);
    cli_json_string(stdout, machine->node);
    json_text("name", machine->name);
    json_text("model", machine->model);
    (void)printf(",\n  \"sockets\": %" PRIu32 ", \"numa_nodes\": %" PRIu32 ", \"cores\": %" PRIu32
                 ", \"threads\": %" PRIu32,
                 machine->package_count, machine->numa_count, machine->core_count,
                 machine->thread_count);
    json_rate("mem_bytes", (double)machine->mem_bytes);
    json_rate("cache_bytes", (double)machine->cache_bytes);
    json_rate("idle_w", machine->idle_w);
    json_rate("busy_w", machine->busy_w);
    json_features(&machine->features);
    (void)printf(",\n  \"measured\": {\"threads\": %" PRIu32, measured->thread_count);
    json_rate("triad_bytes_per_s", measured->triad_bytes_per_s);
    json_rate("array_bytes", (double)measured->array_bytes);
    json_rate("fp64_flops", measured->fp64_flops);
    json_rate("fp32_flops", measured->fp32_flops);
    json_text("instructions", measured->kernel);
    (void)fputs("},\n  \"devices\": [", stdout);
    for (size_t i = 0; i < machine->devices.count; i++) {
        (void)fputs(i ? ",\n    " : "\n    ", stdout);
        json_device(&machine->devices.items[i]);
    }
    (void)printf("%s],\n  \"notes\": [", machine->devices.count ? "\n  " : "");
    for (size_t i = 0; i < machine->notes.count; i++) {
        (void)fputs(i ? ",\n    " : "\n    ", stdout);
        cli_json_string(stdout, machine->notes.texts[i]);
    }
    (void)printf("%s]\n}\n", machine->notes.count ? "\n  " : "");
}

/* A device that the catalogue knows by its name or model gets the model of the catalogue. */
static bool find_model(const struct catalogue *catalogue, const char *kind, const char *name,
                       char *model)
{
    const struct catalogue_device *known = catalogue_find(catalogue, name);

    if (!known) {
        known = catalogue_find(catalogue, model);
    }
    if (!known || strcmp(known->kind, kind) != 0) {
        return false;
    }
    (void)snprintf(model, PROBE_TEXT_MAX, "%s", known->model);
    return true;
}

static void find_models(const struct catalogue *catalogue, struct probe_machine *machine)
{
    machine->is_known = find_model(catalogue, "cpu", machine->name, machine->model);
    for (size_t i = 0; i < machine->devices.count; i++) {
        struct probe_device *device = &machine->devices.items[i];

        device->is_known = find_model(catalogue, device->kind, device->name, device->model);
    }
}

static enum hs_err probe(const struct arguments *arguments, struct probe_machine *machine,
                         struct hs_error *error)
{
    const struct probe_options probe_options = {.name = arguments->name,
                                                .nvml_library = getenv(NVML_VARIABLE),
                                                .opencl_library = getenv(OPENCL_VARIABLE),
                                                .root = "",
                                                .has_measurement = arguments->has_measurement};
    struct outputs outputs = {0};
    struct catalogue *catalogue = NULL;
    enum hs_err err = open_outputs(arguments, &outputs, error);

    if (err == HS_OK) {
        err = catalogue_load(NULL, &catalogue, error);
    }
    if (err == HS_OK) {
        err = probe_run(&probe_options, machine, error);
    }
    if (err == HS_OK) {
        find_models(catalogue, machine);
        err = write_outputs(machine, &outputs, error);
    }
    catalogue_destroy(catalogue);
    workload_output_discard(outputs.platform);
    workload_output_discard(outputs.catalogue);
    return err;
}

int platform_probe(int argc, char **argv)
{
    struct arguments arguments = {.has_measurement = true};
    struct probe_machine *machine = NULL;
    struct hs_error error = {0};
    int code = cli_parse(&platform_probe_argp, argc, argv, 0, NULL, &arguments);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    err = check(&arguments, &error);
    if (err == HS_OK) {
        machine = calloc(1, sizeof *machine);
        err = machine ? probe(&arguments, machine, &error) : hs_error_memory(&error);
    }
    if (err != HS_OK) {
        code = cli_fail(&error);
    } else {
        print_notes(machine);
        if (arguments.is_json) {
            print_json(machine);
        } else if (!is_standard(arguments.output) && !is_standard(arguments.catalogue)) {
            print_table(machine);
        }
        code = cli_finish(CLI_OK);
    }
    free(machine);
    return code;
}
