/* SPDX-License-Identifier: GPL-3.0-or-later */
/* write_platform.c - a SimGrid platform of one node.
 *
 * Node and accelerators are hosts of a star (spelled "Cluster" in SimGrid 3.32); each has a link to
 * the middle, so that transfers between any two of them contend on both. */
#include "probe/probe.h"

#include <inttypes.h>
#include <math.h>

#define ASSUMED_LINK    16e9 /* bytes/s where PCIe does not tell */
#define ASSUMED_LATENCY "500ns"
#define GIGA            1e9

/* Text between quotes. */
static void put_escaped(const char *text, FILE *file)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            (void)fputs("&amp;", file);
            break;
        case '<':
            (void)fputs("&lt;", file);
            break;
        case '>':
            (void)fputs("&gt;", file);
            break;
        case '"':
            (void)fputs("&quot;", file);
            break;
        default:
            (void)putc(*text, file);
        }
    }
}

/* Text in a comment, where two dashes in a row are not allowed. */
static void put_comment(const char *text, FILE *file)
{
    for (char before = ' '; *text; before = *text++) {
        if (before == '-' && *text == '-') {
            (void)putc(' ', file);
        }
        (void)putc(*text, file);
    }
}

static void put_property(const char *name, const char *value, FILE *file)
{
    if (*value) {
        (void)fprintf(file, "      <prop id=\"%s\" value=\"", name);
        put_escaped(value, file);
        (void)fputs("\"/>\n", file);
    }
}

static void put_number(const char *name, int64_t value, FILE *file)
{
    if (value > 0) {
        (void)fprintf(file, "      <prop id=\"%s\" value=\"%" PRId64 "\"/>\n", name, value);
    }
}

/* SimGrid's "idle:epsilon:max". */
static void put_power(double idle_w, double busy_w, FILE *file)
{
    if (idle_w > 0 && busy_w >= idle_w) { /* false for NaN */
        (void)fprintf(file, "      <prop id=\"wattage_per_state\" value=\"%.4g:%.4g:%.4g\"/>\n",
                      idle_w, idle_w, busy_w);
    }
}

static void put_head(const struct probe_machine *machine, FILE *file)
{
    const struct probe_measured *measured = &machine->measured;

    (void)fputs("<?xml version='1.0'?>\n<!-- ", file);
    put_comment(machine->node, file);
    (void)fputs(", as `hsim platform probe` saw it: ", file);
    put_comment(machine->name, file);
    (void)fprintf(file,
                  ".\n     Cores: %" PRIu32 ", threads: %" PRIu32 ", sockets: %" PRIu32
                  ", NUMA nodes: %" PRIu32 ".\n",
                  machine->core_count, machine->thread_count, machine->package_count,
                  machine->numa_count);
    if (measured->thread_count) {
        (void)fprintf(file,
                      "     Measured by `hsim platform probe` with one thread on each of %" PRIu32
                      " cores:\n     multiply-adds (%s) %.4g flop/s in double and %.4g in single "
                      "precision;\n     triad of STREAM %.4g B/s (three arrays of %" PRId64
                      " bytes together).\n     The speed of a core is its part of the first.\n",
                      measured->thread_count, measured->kernel, measured->fp64_flops,
                      measured->fp32_flops, measured->triad_bytes_per_s, measured->array_bytes);
    }
    for (size_t i = 0; i < machine->notes.count; i++) {
        (void)fputs("     * ", file);
        put_comment(machine->notes.texts[i], file);
        (void)putc('\n', file);
    }
    (void)fputs("-->\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                "<platform version=\"4.1\">\n",
                file);
}

static void put_node(const struct probe_machine *machine, bool has_catalogue, FILE *file)
{
    const struct probe_measured *measured = &machine->measured;
    double speed = measured->thread_count ? measured->fp64_flops / measured->thread_count : 0;

    (void)fprintf(file, "    <host id=\"%s\" speed=\"%.4gGf\" core=\"%" PRIu32 "\">\n",
                  machine->node, speed / GIGA, machine->core_count);
    put_property("kind", "cpu", file);
    if (machine->is_known || has_catalogue) {
        put_property("model", machine->model, file);
    }
    put_number("memory", machine->mem_bytes, file);
    put_number("numa", machine->numa_count, file);
    put_power(machine->idle_w, machine->busy_w, file);
    (void)fputs("    </host>\n", file);
}

static void put_device(const struct probe_machine *machine, const struct probe_device *device,
                       bool has_catalogue, FILE *file)
{
    (void)fputs("    <!-- ", file);
    put_comment(device->name, file);
    if (device->bus_id[0]) {
        (void)fprintf(file, " at %s", device->bus_id);
    }
    (void)fprintf(file, "; speed: %s -->\n",
                  device->peak_fp32_flops > 0
                      ? "single precision, computed from cores and clock by NVML"
                      : "not told, 0");
    (void)fprintf(file, "    <host id=\"%s:%s\" speed=\"%.6gGf\">\n", machine->node, device->id,
                  device->peak_fp32_flops / GIGA);
    put_property("kind", device->kind, file);
    if (device->is_known || has_catalogue) {
        put_property("model", device->model, file);
    }
    put_number("memory", device->mem_bytes, file);
    put_property("group", device->group, file);
    put_power(device->idle_w, device->busy_w, file);
    (void)fputs("    </host>\n", file);
}

static void put_link(const char *node, const char *id, double bytes_per_s, FILE *file)
{
    (void)fprintf(file,
                  "    <link id=\"%s:%s:link\" bandwidth=\"%.4gGBps\" latency=\"" ASSUMED_LATENCY
                  "\" sharing_policy=\"SPLITDUPLEX\"/>\n",
                  node, id, bytes_per_s / GIGA);
}

static void put_host_link(const char *node, const char *id, FILE *file)
{
    (void)fprintf(file,
                  "    <host_link id=\"%s:%s\" up=\"%s:%s:link_UP\" down=\"%s:%s:link_DOWN\"/>\n",
                  node, id, node, id, node, id);
}

static void put_links(const struct probe_machine *machine, FILE *file)
{
    double sum = 0;

    (void)fputs("    <!-- Bandwidth of PCIe, one way, from its generation and lanes; "
                "16 GB/s where\n         they are not told. Latencies are assumed, and the node's "
                "own link carries the sum. -->\n",
                file);
    for (size_t i = 0; i < machine->devices.count; i++) {
        const struct probe_device *device = &machine->devices.items[i];
        double rate = device->link_bytes_per_s > 0 ? device->link_bytes_per_s : ASSUMED_LINK;

        put_link(machine->node, device->id, rate, file);
        sum += rate;
    }
    put_link(machine->node, "root", sum, file);
    (void)fprintf(file,
                  "    <host_link id=\"%s\" up=\"%s:root:link_UP\" down=\"%s:root:link_DOWN\"/>\n",
                  machine->node, machine->node, machine->node);
    for (size_t i = 0; i < machine->devices.count; i++) {
        put_host_link(machine->node, machine->devices.items[i].id, file);
    }
}

void probe_write_platform(const struct probe_machine *machine, bool has_catalogue, FILE *file)
{
    bool is_star = machine->devices.count > 0;

    put_head(machine, file);
    (void)fprintf(file, "  <zone id=\"%s:zone\" routing=\"%s\">\n", machine->node,
                  is_star ? "Cluster" : "Full");
    put_node(machine, has_catalogue, file);
    for (size_t i = 0; i < machine->devices.count; i++) {
        put_device(machine, &machine->devices.items[i], has_catalogue, file);
    }
    if (is_star) {
        (void)fprintf(file, "    <router id=\"%s:bus\"/>\n", machine->node);
        put_links(machine, file);
    }
    (void)fputs("  </zone>\n</platform>\n", file);
}
