/* SPDX-License-Identifier: GPL-3.0-or-later */
/* write_catalogue.c - entries of a device catalogue, in YAML. */
#include "probe/probe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GIGA 1e9

/* A text in double quotes. */
static void put_text(const char *text, FILE *file)
{
    (void)putc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            (void)putc('\\', file);
        }
        (void)putc(*text, file);
    }
    (void)putc('"', file);
}

static void put_names(const char *kind, const char *model, const char *name, FILE *file)
{
    (void)fprintf(file, "  - model: \"%s\"\n    kind: %s\n    name: ", model, kind);
    put_text(name, file);
    (void)putc('\n', file);
    if (strcasecmp(model, name) != 0) {
        (void)fputs("    aliases: [", file);
        put_text(name, file);
        (void)fputs("]\n", file);
    }
}

static void put_power(double idle_w, double busy_w, FILE *file)
{
    bool has_idle = idle_w > 0; /* false for NaN */
    bool has_busy = busy_w > 0;

    if (has_idle && has_busy) {
        (void)fprintf(file, "    power: {idle: %.4g W, busy: %.4g W}\n", idle_w, busy_w);
        return;
    }
    (void)fputs("    # The catalogue needs its power; fill in what is not known, and remove the "
                "#:\n    # power: {idle: ",
                file);
    (void)fprintf(file, has_idle ? "%.4g W" : "? W", idle_w);
    (void)fputs(", busy: ", file);
    (void)fprintf(file, has_busy ? "%.4g W}\n" : "? W}\n", busy_w);
}

static void put_features(const struct probe_features *features, FILE *file)
{
    for (size_t i = 0; i < features->count; i++) {
        (void)fprintf(file, "%s%s", i ? ", " : "    features: [", features->words[i]);
    }
    if (features->count) {
        (void)fputs("]\n", file);
    }
}

/* Sockets in which the cores lie in equal numbers; else all count as one. */
static uint32_t count_sockets(const struct probe_machine *machine)
{
    uint32_t sockets = machine->package_count;

    return sockets && machine->core_count % sockets == 0 ? sockets : 1;
}

/* Figures of one socket, as the catalogue has them. */
static void put_processor(const struct probe_machine *machine, FILE *file)
{
    const struct probe_measured *measured = &machine->measured;
    uint32_t sockets = count_sockets(machine);

    put_names("cpu", machine->model, machine->name, file);
    (void)fprintf(file, "    cores: %" PRIu32 "\n", machine->core_count / sockets);
    if (measured->thread_count) {
        (void)fprintf(file,
                      "    memory: {bandwidth: %.4g GB/s}\n    peak: {fp64: %.4g Gf, fp32: %.4g "
                      "Gf}\n",
                      measured->triad_bytes_per_s / GIGA / sockets,
                      measured->fp64_flops / GIGA / sockets, measured->fp32_flops / GIGA / sockets);
    }
    put_power(machine->idle_w / sockets, machine->busy_w / sockets, file);
    put_features(&machine->features, file);
    if (measured->thread_count) {
        (void)fprintf(file,
                      "    note: \"rates are measured by hsim platform probe on all %" PRIu32
                      " cores, %" PRIu32 " socket%s; peaks of the data sheet are higher\"\n",
                      machine->core_count, sockets, sockets == 1 ? "" : "s");
    }
    (void)fputs("    sources:\n      cores: \"hwloc\"\n", file);
    if (measured->thread_count) {
        (void)fprintf(file,
                      "      memory.bandwidth: \"measured: triad of STREAM, arrays of %" PRId64
                      " bytes together\"\n      peak: \"measured: multiply-adds (%s)\"\n",
                      measured->array_bytes, measured->kernel);
    }
    if (machine->idle_w > 0 && machine->busy_w > 0) {
        (void)fputs("      power: \"measured: RAPL, idle and during multiply-adds\"\n", file);
    }
}

static void put_device_figures(const struct probe_device *device, FILE *file)
{
    if (device->mem_bytes > 0 || device->mem_bytes_per_s > 0) {
        (void)fputs("    memory: {", file);
        if (device->mem_bytes > 0) {
            (void)fprintf(file, "size: %" PRId64 " B", device->mem_bytes);
        }
        if (device->mem_bytes_per_s > 0) {
            (void)fprintf(file, "%sbandwidth: %.4g GB/s", device->mem_bytes > 0 ? ", " : "",
                          device->mem_bytes_per_s / GIGA);
        }
        (void)fputs("}\n", file);
    }
    if (device->peak_fp32_flops > 0) {
        (void)fprintf(file, "    peak: {fp32: %.6g Gf}\n", device->peak_fp32_flops / GIGA);
    }
    put_power(device->idle_w, device->busy_w, file);
    put_features(&device->features, file);
}

static void put_device_sources(const struct probe_device *device, FILE *file)
{
    const char *library = device->source == PROBE_NVML ? "NVML" : "OpenCL";
    bool has_bandwidth = device->mem_bytes_per_s > 0;
    bool has_peak = device->peak_fp32_flops > 0;
    bool has_power = device->idle_w > 0 && device->busy_w > 0;

    if (device->mem_bytes <= 0 && !has_bandwidth && !has_peak && !has_power) {
        return;
    }
    (void)fputs("    sources:\n", file);
    if (device->mem_bytes > 0) {
        (void)fprintf(file, "      memory.size: \"%s\"\n", library);
    }
    if (has_bandwidth) {
        (void)fputs("      memory.bandwidth: \"computed: width and clock by NVML, two transfers a "
                    "clock\"\n",
                    file);
    }
    if (has_peak) {
        (void)fputs(
            "      peak.fp32: \"computed: cores and highest clock by NVML, two operations a "
            "clock\"\n",
            file);
    }
    if (has_power) {
        (void)fputs("      power.idle: \"measured by the board, told by NVML\"\n"
                    "      power.busy: \"limit of the board, told by NVML\"\n",
                    file);
    }
    if (has_bandwidth || has_peak) {
        (void)fprintf(file, "    unconfirmed: [%s%s%s]\n", has_bandwidth ? "memory.bandwidth" : "",
                      has_bandwidth && has_peak ? ", " : "", has_peak ? "peak.fp32" : "");
    }
}

/* Whether a device before this one has its model. */
static bool is_repeated(const struct probe_devices *devices, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(devices->items[i].model, devices->items[index].model) == 0) {
            return true;
        }
    }
    return false;
}

/* The catalogue has its figures, with better sources than these. */
static void put_known(const char *model, const char *name, FILE *file)
{
    (void)fputs("  # ", file);
    (void)fputs(name, file);
    (void)fprintf(file, ": known to the catalogue, nothing is changed.\n  - model: \"%s\"\n",
                  model);
}

void probe_write_catalogue(const struct probe_machine *machine, FILE *file)
{
    const struct probe_devices *devices = &machine->devices;

    (void)fprintf(
        file,
        "# Devices of %s, as `hsim platform probe` saw them. Cores, rates and power count "
        "per socket.\n",
        machine->node);
    for (size_t i = 0; i < machine->notes.count; i++) {
        (void)fprintf(file, "# * %s\n", machine->notes.texts[i]);
    }
    (void)fputs("devices:\n", file);
    if (machine->is_known) {
        put_known(machine->model, machine->name, file);
    } else {
        put_processor(machine, file);
    }
    for (size_t i = 0; i < devices->count; i++) {
        const struct probe_device *device = &devices->items[i];

        if (is_repeated(devices, i)) {
            continue;
        }
        if (device->is_known) {
            put_known(device->model, device->name, file);
        } else {
            put_names(device->kind, device->model, device->name, file);
            put_device_figures(device, file);
            put_device_sources(device, file);
        }
    }
}
