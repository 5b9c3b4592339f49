/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate_write.c - a resolved description as SimGrid XML.
 *
 * SimGrid looks through all zones for each host and link it makes, so the few clusters with many
 * hosts come before the many racks. Zones and links have ':' in their names where a node has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "platform/generate_internal.h"
#include "text/units.h"

/* The name of an attribute or property and its value: a number with SimGrid's unit. */
static void put_scaled(FILE *file, const char *name, double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t prefix = 0;

    while (value >= 1000 && prefix + 1 < sizeof prefixes / sizeof prefixes[0]) {
        value /= 1000;
        prefix++;
    }
    (void)fprintf(file, " %s=\"%.9g%s%s\"", name, value, prefixes[prefix], unit);
}

static void put_link(FILE *file, const char *bandwidth_name, double bandwidth,
                     const char *latency_name, int64_t latency_ns)
{
    put_scaled(file, bandwidth_name, bandwidth, "Bps");
    (void)fprintf(file, " %s=\"%" PRId64 "ns\"", latency_name, latency_ns);
}

static void put_text(FILE *file, const char *id, const char *value)
{
    (void)fprintf(file, "<prop id=\"%s\" value=\"%s\"/>", id, value);
}

static void put_memory(FILE *file, int64_t bytes)
{
    char text[UNITS_TEXT_MAX];

    if (bytes) {
        text_units_format(UNITS_BYTES, bytes, text);
        put_text(file, "memory", text);
    }
}

/* SimGrid's power in the only state: idle, at the least load, busy. */
static void put_power(FILE *file, const struct generate_model *model)
{
    double count = (double)model->count;
    const struct platform_power *power = &model->device->power;

    (void)fprintf(file,
                  "<prop id=\"wattage_per_state\" value=\"%.6g:%.6g:%.6g\"/>"
                  "<prop id=\"wattage_off\" value=\"%.6g\"/>",
                  power->idle_w * count, power->context_w * count, power->busy_w * count,
                  power->off_w * count);
}

/* The rate that a flop of the host stands for: fp32, or what comes nearest. */
static double device_speed(const struct catalogue_device *device)
{
    static const enum catalogue_precision order[] = {
        CATALOGUE_FP32,        CATALOGUE_FP64,        CATALOGUE_TF32,
        CATALOGUE_FP16,        CATALOGUE_FP32_MATRIX, CATALOGUE_BF16_MATRIX,
        CATALOGUE_FP16_MATRIX, CATALOGUE_FP8_MATRIX,  CATALOGUE_INT8,
    };

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (device->peak_flops[order[i]] > 0) {
            return device->peak_flops[order[i]];
        }
    }
    return 1e12;
}

static void put_device(FILE *file, const struct generate_run *run)
{
    const struct generate_model model = {run->device, 1};

    put_text(file, "kind", run->device->kind);
    put_text(file, "model", run->device->model);
    put_memory(file, run->device->mem_bytes);
    if (run->group >= 0) {
        (void)fprintf(file, "<prop id=\"group\" value=\"%" PRId64 "\"/>", run->group);
    }
    put_power(file, &model);
}

static void put_rack(FILE *file, const struct generate_class *class, int64_t rack, int64_t number)
{
    int64_t first;
    int64_t count;

    generate_rack(class, rack, &first, &count);
    (void)fprintf(file,
                  "    <cluster id=\"rack:%" PRId64
                  "\" prefix=\"%s\" suffix=\"\" radical=\"%" PRId64 "-%" PRId64 "\"",
                  number, class->name, first, first + count - 1);
    put_scaled(file, "speed", class->speed, "f");
    (void)fprintf(file, " core=\"%" PRId64 "\"", class->cores);
    put_link(file, "bw", class->bandwidth, "lat", class->latency_ns);
    (void)fprintf(file, " router_id=\"rack:%" PRId64 ":switch\">\n      ", number);
    put_text(file, "kind", "cpu");
    if (class->cpu.device) {
        put_text(file, "model", class->cpu.device->model);
    }
    put_memory(file, class->mem_bytes);
    (void)fprintf(file, "<prop id=\"rack\" value=\"rack%" PRId64 "\"/>", number);
    if (class->cpu.device) {
        put_power(file, &class->cpu);
    }
    (void)fputs("\n    </cluster>\n", file);
}

/* Calls `put` for all racks of the platform. */
static void each_rack(const struct generate *generate, FILE *file,
                      void (*put)(FILE *file, const struct generate_class *class, int64_t rack,
                                  int64_t number))
{
    int64_t number = 0;

    for (size_t i = 0; i < generate->class_count; i++) {
        for (int64_t rack = 0; rack < generate->classes[i].racks; rack++) {
            put(file, &generate->classes[i], rack, number++);
        }
    }
}

/* A single rack of a star is the whole network. */
static bool has_uplinks(const struct generate *generate)
{
    return generate->network.racks > 1 || generate->network.ports > 0;
}

/* Uplinks have the bandwidth of all nodes of the rack over the taper. */
static double uplink(const struct generate *generate, const struct generate_class *class,
                     int64_t rack)
{
    int64_t first;
    int64_t count;

    generate_rack(class, rack, &first, &count);
    return class->bandwidth * (double)count / generate->network.taper;
}

/* The links of the fabric are as wide as the widest uplink. */
static void put_fabric(FILE *file, const struct generate *generate)
{
    const struct generate_network *network = &generate->network;
    double bandwidth = 0;
    int64_t latency_ns = 0;

    if (network->ports == 0) {
        return;
    }
    for (size_t i = 0; i < generate->class_count; i++) {
        const struct generate_class *class = &generate->classes[i];

        latency_ns = class->latency_ns > latency_ns ? class->latency_ns : latency_ns;
        for (int64_t rack = 0; rack < class->racks; rack++) {
            double own = uplink(generate, class, rack);

            bandwidth = own > bandwidth ? own : bandwidth;
        }
    }
    (void)fprintf(file,
                  "    <cluster id=\"fabric\" prefix=\"switch:\" suffix=\"\" radical=\"0-%" PRId64
                  "\" speed=\"1f\"",
                  network->ports - 1);
    put_link(file, "bw", bandwidth, "lat", latency_ns);
    (void)fprintf(file, "\n             topology=\"%s\" topo_parameters=\"%s\">",
                  network->topology == GENERATE_FAT_TREE ? "FAT_TREE" : "DRAGONFLY",
                  network->parameters);
    put_text(file, "kind", "port");
    (void)fputs("</cluster>\n", file);
}

static void put_core(FILE *file, const struct generate *generate)
{
    if (generate->network.ports == 0 && has_uplinks(generate)) {
        (void)fputs("    <zone id=\"core\" routing=\"Full\"><router id=\"core:switch\"/></zone>\n",
                    file);
    }
}

/* Layout flat: the devices with one number, of all nodes of a class; and a port for each node. */
static void put_slots(FILE *file, const struct generate_class *class)
{
    struct generate_run run;
    size_t entry = 0;
    int64_t index = 0;

    while (generate_next_run(class, &entry, &index, &run)) {
        for (int64_t i = run.first; i < run.first + run.count; i++) {
            (void)fprintf(file,
                          "    <cluster id=\"%s:%s%" PRId64 "\" prefix=\"%s\" suffix=\":%s%" PRId64
                          "\" radical=\"0-%" PRId64 "\"",
                          class->name, run.device->kind, i, class->name, run.device->kind, i,
                          class->nodes - 1);
            put_scaled(file, "speed", device_speed(run.device), "f");
            put_link(file, "bw", class->link_bandwidth, "lat", class->link_latency_ns);
            (void)fprintf(file, " router_id=\"%s:%s%" PRId64 ":bus\">\n      ", class->name,
                          run.device->kind, i);
            put_device(file, &run);
            (void)fputs("\n    </cluster>\n", file);
        }
    }
    (void)fprintf(file,
                  "    <cluster id=\"%s:port\" prefix=\"%s\" suffix=\":port\" radical=\"0-%" PRId64
                  "\" speed=\"1f\"",
                  class->name, class->name, class->nodes - 1);
    put_link(file, "bw", class->bus_bandwidth, "lat", 0);
    (void)fprintf(file, " router_id=\"%s:port:bus\">", class->name);
    put_text(file, "kind", "port");
    (void)fputs("</cluster>\n", file);
}

static void put_slot_routes(FILE *file, const struct generate_class *class)
{
    struct generate_run run;
    size_t entry = 0;
    int64_t index = 0;

    while (generate_next_run(class, &entry, &index, &run)) {
        for (int64_t i = run.first; i < run.first + run.count; i++) {
            (void)fprintf(file,
                          "    <zoneRoute src=\"%s:%s%" PRId64
                          "\" dst=\"%s:port\" gw_src=\"%s:%s%" PRId64
                          ":bus\" gw_dst=\"%s:port:bus\"><link_ctn id=\"%s:bus\"/>"
                          "</zoneRoute>\n",
                          class->name, run.device->kind, i, class->name, class->name,
                          run.device->kind, i, class->name, class->name);
        }
    }
}

/* What is written for each island of a node in the layout zones. */
enum part { PART_CLUSTER, PART_LINK, PART_ROUTE };

static void put_island(FILE *file, const struct generate_class *class, int64_t node, int64_t island,
                       const struct generate_run *run, enum part part)
{
    char name[96];

    (void)snprintf(name, sizeof name, "%s%" PRId64 ":island%" PRId64, class->name, node, island);
    switch (part) {
    case PART_CLUSTER:
        (void)fprintf(file,
                      "    <cluster id=\"%s\" prefix=\"%s%" PRId64
                      ":%s\" suffix=\"\" radical=\"%" PRId64 "-%" PRId64 "\"",
                      name, class->name, node, run->device->kind, run->first,
                      run->first + run->count - 1);
        put_scaled(file, "speed", device_speed(run->device), "f");
        put_link(file, "bw", class->link_bandwidth, "lat", class->link_latency_ns);
        (void)fprintf(file, " router_id=\"%s:bus\">\n      ", name);
        put_device(file, run);
        (void)fputs("\n    </cluster>\n", file);
        break;
    case PART_LINK:
        (void)fprintf(file, "    <link id=\"%s:link\"", name);
        put_link(file, "bandwidth", class->bus_bandwidth, "latency", 0);
        (void)fputs(" sharing_policy=\"SPLITDUPLEX\"/>\n", file);
        break;
    case PART_ROUTE:
        break;
    }
}

/* All islands of the nodes of a rack. */
static void put_islands(FILE *file, const struct generate_class *class, int64_t rack,
                        int64_t number, enum part part)
{
    int64_t first;
    int64_t count;

    generate_rack(class, rack, &first, &count);
    for (int64_t node = first; node < first + count; node++) {
        struct generate_run run;
        size_t entry = 0;
        int64_t index = 0;

        for (int64_t i = 0; generate_next_run(class, &entry, &index, &run); i++) {
            if (part != PART_ROUTE) {
                put_island(file, class, node, i, &run, part);
                continue;
            }
            (void)fprintf(file,
                          "    <zoneRoute src=\"%s%" PRId64 ":island%" PRId64
                          "\" dst=\"rack:%" PRId64 "\" gw_src=\"%s%" PRId64 ":island%" PRId64
                          ":bus\" gw_dst=\"%s%" PRId64 "\"><link_ctn id=\"%s%" PRId64
                          ":island%" PRId64 ":link\" direction=\"UP\"/></zoneRoute>\n",
                          class->name, node, i, number, class->name, node, i, class->name, node,
                          class->name, node, i);
        }
    }
}

static void put_island_clusters(FILE *file, const struct generate_class *class, int64_t rack,
                                int64_t number)
{
    put_islands(file, class, rack, number, PART_CLUSTER);
}

static void put_island_links(FILE *file, const struct generate_class *class, int64_t rack,
                             int64_t number)
{
    put_islands(file, class, rack, number, PART_LINK);
}

static void put_island_routes(FILE *file, const struct generate_class *class, int64_t rack,
                              int64_t number)
{
    put_islands(file, class, rack, number, PART_ROUTE);
}

static void put_links(FILE *file, const struct generate *generate)
{
    int64_t number = 0;

    for (size_t i = 0; i < generate->class_count; i++) {
        const struct generate_class *class = &generate->classes[i];

        if (generate->network.layout == GENERATE_FLAT && class->slots) {
            (void)fprintf(file, "    <link id=\"%s:bus\"", class->name);
            put_link(file, "bandwidth", class->bus_bandwidth, "latency", 0);
            (void)fputs(" sharing_policy=\"FATPIPE\"/>\n", file);
        }
        for (int64_t rack = 0; has_uplinks(generate) && rack < class->racks; rack++) {
            (void)fprintf(file, "    <link id=\"rack:%" PRId64 ":uplink\"", number++);
            put_link(file, "bandwidth", uplink(generate, class, rack), "latency",
                     class->latency_ns);
            (void)fputs(" sharing_policy=\"SPLITDUPLEX\"/>\n", file);
        }
    }
}

static void put_uplink_routes(FILE *file, const struct generate *generate)
{
    bool is_star = generate->network.ports == 0;

    for (int64_t rack = 0; has_uplinks(generate) && rack < generate->network.racks; rack++) {
        char gateway[32] = "core:switch";

        if (!is_star) {
            (void)snprintf(gateway, sizeof gateway, "switch:%" PRId64, rack);
        }
        (void)fprintf(file,
                      "    <zoneRoute src=\"rack:%" PRId64 "\" dst=\"%s\" gw_src=\"rack:%" PRId64
                      ":switch\" gw_dst=\"%s\"><link_ctn id=\"rack:%" PRId64
                      ":uplink\" direction=\"UP\"/></zoneRoute>\n",
                      rack, is_star ? "core" : "fabric", rack, gateway, rack);
    }
}

/* Text within a comment, where XML allows no "--". */
static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        (void)fputc(*text, file);
        if (text[0] == '-' && text[1] == '-') {
            (void)fputc('\\', file);
        }
    }
}

static void put_pair(FILE *file, const char *before, const char *key, const char *value)
{
    (void)fprintf(file, "%s%s=", before, key);
    put_escaped(file, value);
}

static void put_class(FILE *file, const struct generate *generate,
                      const struct generate_class *class)
{
    const struct generate_texts *defaults = &generate->defaults;
    const struct generate_texts *devices = class->texts.device_count ? &class->texts : defaults;
    const char *before = "";

    (void)fputs(" \\\n       -c '", file);
    put_escaped(file, class->name);
    (void)fputc(':', file);
    for (size_t id = 0; id < generate_key_count; id++) {
        const char *own = class->texts.values[id];
        const char *value = own ? own : defaults->values[id];

        if (!generate_keys[id].is_network && value) {
            put_pair(file, before, generate_keys[id].name, value);
            before = ",";
        }
        for (size_t i = 0; id == GENERATE_DEVICE && i < devices->device_count; i++) {
            put_pair(file, before, generate_keys[id].name, devices->devices[i]);
            before = ",";
        }
    }
    (void)fputc('\'', file);
}

/* The command that writes this file, but for its name. */
static void put_command(FILE *file, const struct generate *generate)
{
    (void)fputs("<!-- Written by this command:\n     hsim platform generate", file);
    for (size_t id = 0; id < generate_key_count; id++) {
        const char *value = generate->defaults.values[id];

        if (generate_keys[id].is_network && value) {
            (void)fprintf(file, " -%c ", generate_keys[id].letter);
            put_escaped(file, value);
        }
    }
    for (size_t i = 0; i < generate->class_count; i++) {
        put_class(file, generate, &generate->classes[i]);
    }
    (void)fputs(" -->\n", file);
}

void generate_write(const struct generate *generate, FILE *file)
{
    bool is_flat = generate->network.layout == GENERATE_FLAT;

    (void)fputs("<?xml version='1.0'?>\n", file);
    put_command(file, generate);
    (void)fputs("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                "<platform version=\"4.1\">\n"
                "  <zone id=\"site\" routing=\"Floyd\">\n",
                file);
    for (size_t i = 0; is_flat && i < generate->class_count; i++) {
        if (generate->classes[i].slots) {
            put_slots(file, &generate->classes[i]);
        }
    }
    put_fabric(file, generate);
    put_core(file, generate);
    each_rack(generate, file, put_rack);
    if (!is_flat) {
        each_rack(generate, file, put_island_clusters);
    }
    put_links(file, generate);
    if (!is_flat) {
        each_rack(generate, file, put_island_links);
    }
    for (size_t i = 0; is_flat && i < generate->class_count; i++) {
        if (generate->classes[i].slots) {
            put_slot_routes(file, &generate->classes[i]);
        }
    }
    if (!is_flat) {
        each_rack(generate, file, put_island_routes);
    }
    put_uplink_routes(file, generate);
    (void)fputs("  </zone>\n</platform>\n", file);
}
