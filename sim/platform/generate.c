/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.c - a description of a platform: from its texts to checked numbers. */
#include "platform/generate.h"

#include <stdlib.h>
#include <string.h>

#include "hs/cluster.h"
#include "platform/generate_internal.h"
#include "platform/shape.h"

#define RACK_NODES   32  /* nodes of a rack, if nothing else is said */
#define RACKS_FEW    4   /* fewer are no tree and no dragonfly */
#define RACKS_USUAL  512 /* more racks than these make the racks larger */
#define ISLANDS_ZONE 512 /* up to these the layout is zones */

struct generate *generate_create(void)
{
    return calloc(1, sizeof(struct generate));
}

void generate_destroy(struct generate *generate)
{
    if (generate) {
        for (size_t i = 0; i < generate->class_count; i++) {
            free(generate->classes[i].copy);
        }
        free(generate);
    }
}

/* Number of devices of the kind before entry `entry` of a node. */
static int64_t count_before(const struct generate_class *class, size_t entry)
{
    int64_t count = 0;

    for (size_t i = 0; i < entry; i++) {
        if (strcmp(class->devices[i].device->kind, class->devices[entry].device->kind) == 0) {
            count += class->devices[i].count;
        }
    }
    return count;
}

bool generate_next_run(const struct generate_class *class, size_t *entry, int64_t *index,
                       struct generate_run *run)
{
    const struct generate_model *model;
    int64_t before = 0; /* islands of the entries before */

    if (*entry == class->device_count) {
        return false;
    }
    model = &class->devices[*entry];
    for (size_t i = 0; class->island && i < *entry; i++) {
        before += class->devices[i].count / class->island;
    }
    *run = (struct generate_run){
        .device = model->device,
        .first = count_before(class, *entry) + *index,
        .count = class->island ? class->island : model->count,
        .group = class->island ? before + *index / class->island : -1,
    };
    *index += run->count;
    if (*index == model->count) {
        *index = 0;
        ++*entry;
    }
    return true;
}

void generate_rack(const struct generate_class *class, int64_t rack, int64_t *first, int64_t *count)
{
    *first = class->nodes * rack / class->racks;
    *count = class->nodes * (rack + 1) / class->racks - *first;
}

/* The text of a key for a class: its own, else the default. */
static const char *text_of(const struct generate *generate, const struct generate_class *class,
                           size_t id)
{
    const char *own = class->texts.values[id];

    return own ? own : generate->defaults.values[id];
}

static enum hs_err read_devices(const struct generate *generate, struct generate_class *class,
                                const struct catalogue *catalogue, struct hs_error *error)
{
    const struct generate_texts *texts =
        class->texts.device_count ? &class->texts : &generate->defaults;
    enum hs_err err = HS_OK;

    class->device_count = texts->device_count;
    for (size_t i = 0; err == HS_OK && i < texts->device_count; i++) {
        struct generate_model *model = &class->devices[i];

        err = generate_read_model(texts->devices[i], false, catalogue, class->name, model, error);
        if (err == HS_OK && class->island && model->count % class->island != 0) {
            err = hs_error_set(error, HS_ERR_CONFIG,
                               "Class '%s' has device=%.200s in islands of %lld, but %lld does not "
                               "divide %lld. An island has a number of devices that divides each "
                               "count of the class.",
                               class->name, texts->devices[i], (long long)class->island,
                               (long long)class->island, (long long)model->count);
        }
        class->slots += model->count;
        class->islands += class->island ? model->count / class->island : 1;
    }
    if (err == HS_OK && class->slots > HS_NODE_DEVICES_MAX) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "Class '%s' has %lld devices in a node; at most %u are allowed.",
                           class->name, (long long)class->slots, HS_NODE_DEVICES_MAX);
    }
    if (err == HS_OK && class->island && class->device_count == 0) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "Class '%s' has island=%lld but no device. Name one by device=MODEL:N.",
                           class->name, (long long)class->island);
    }
    return err;
}

/* What is not given follows from the CPU. */
static enum hs_err finish_cpu(struct generate_class *class, struct hs_error *error)
{
    const struct catalogue_device *cpu = class->cpu.device;
    int64_t cores = cpu ? cpu->cores * class->cpu.count : 0;

    if (!class->cores) {
        class->cores = cores;
    }
    if (!class->cores) {
        return hs_error_set(
            error, HS_ERR_CONFIG,
            "Class '%s': how many cores has a node? Give cores=N, or cpu=MODEL with "
            "a CPU whose cores the catalogue states.",
            class->name);
    }
    if (class->speed <= 0) {
        class->speed = cpu && cpu->cores ? cpu->peak_flops[CATALOGUE_FP64] / (double)cpu->cores : 0;
    }
    if (class->speed <= 0) {
        class->speed = 1e10;
    }
    return HS_OK;
}

static enum hs_err read_class(const struct generate *generate, struct generate_class *class,
                              const struct catalogue *catalogue, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    class->bandwidth = 25e9;
    class->latency_ns = 500;
    class->link_bandwidth = 32e9;
    class->link_latency_ns = 500;
    class->bus_bandwidth = 64e9;
    for (size_t id = 0; err == HS_OK && id < generate_key_count; id++) {
        const char *text = text_of(generate, class, id);

        if (text && !generate_keys[id].is_network) {
            err =
                generate_read_value((enum generate_key_id)id, text, catalogue, class, NULL, error);
        }
    }
    if (err == HS_OK && !class->nodes) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "Class '%s': how many nodes are there? Give nodes=N.", class->name);
    }
    if (err == HS_OK && class->racks > class->nodes) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "Class '%s' has %lld racks for %lld nodes; a rack has a node at least.",
                           class->name, (long long)class->racks, (long long)class->nodes);
    }
    if (err == HS_OK) {
        err = finish_cpu(class, error);
    }
    return err == HS_OK ? read_devices(generate, class, catalogue, error) : err;
}

/* Racks of a class with so many nodes in each. */
static int64_t count_racks(const struct generate_class *class, int64_t rack_nodes)
{
    return class->racks ? class->racks : (class->nodes + rack_nodes - 1) / rack_nodes;
}

static int64_t count_all_racks(const struct generate *generate, int64_t rack_nodes)
{
    int64_t racks = 0;

    for (size_t i = 0; i < generate->class_count; i++) {
        racks += count_racks(&generate->classes[i], rack_nodes);
    }
    return racks;
}

/* Racks that are not given: smaller ones if a tree or dragonfly would have too few, larger ones if
 * there are very many. */
static enum hs_err finish_racks(struct generate *generate, struct hs_error *error)
{
    struct generate_network *network = &generate->network;
    int64_t rack_nodes = RACK_NODES;

    while (network->topology != GENERATE_STAR && rack_nodes > 1 &&
           count_all_racks(generate, rack_nodes) < RACKS_FEW) {
        rack_nodes /= 2;
    }
    while (rack_nodes < SHAPE_HOSTS_MAX && count_all_racks(generate, rack_nodes) > RACKS_USUAL) {
        rack_nodes *= 2;
    }
    network->racks = count_all_racks(generate, rack_nodes);
    if (network->racks > GENERATE_RACKS_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The platform has %lld racks in all; at most %d are allowed, since "
                            "SimGrid slows down with each. Use fewer racks with more nodes.",
                            (long long)network->racks, GENERATE_RACKS_MAX);
    }
    for (size_t i = 0; i < generate->class_count; i++) {
        generate->classes[i].racks = count_racks(&generate->classes[i], rack_nodes);
    }
    return HS_OK;
}

/* Chooses the layout; checks the number of zones and of hosts. */
static enum hs_err finish_layout(struct generate *generate, struct hs_error *error)
{
    struct generate_network *network = &generate->network;
    int64_t islands = 0;
    int64_t hosts;

    for (size_t i = 0; i < generate->class_count; i++) {
        islands += generate->classes[i].nodes * generate->classes[i].islands;
    }
    if (network->layout == GENERATE_AUTO) {
        network->layout = islands <= ISLANDS_ZONE ? GENERATE_ZONES : GENERATE_FLAT;
    }
    if (network->layout == GENERATE_ZONES && islands + network->racks > GENERATE_ZONES_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The layout zones needs %lld zones (islands of devices and racks); at "
                            "most %d are allowed, since SimGrid's time grows with their cube. Use "
                            "--layout flat.",
                            (long long)(islands + network->racks), GENERATE_ZONES_MAX);
    }
    hosts = generate_count(generate).hosts;
    if (hosts > SHAPE_HOSTS_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The platform has %lld hosts (nodes, devices, ports and switches); at "
                            "most %d are read. Use fewer nodes or devices.",
                            (long long)hosts, SHAPE_HOSTS_MAX);
    }
    return HS_OK;
}

static enum hs_err read_network(struct generate *generate, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    generate->network = (struct generate_network){.taper = 1};
    for (size_t id = 0; err == HS_OK && id < generate_key_count; id++) {
        const char *text = generate->defaults.values[id];

        if (text && generate_keys[id].is_network) {
            err = generate_read_value((enum generate_key_id)id, text, NULL, NULL,
                                      &generate->network, error);
        }
    }
    return err;
}

enum hs_err generate_resolve(struct generate *generate, const struct catalogue *catalogue,
                             struct hs_error *error)
{
    enum hs_err err = read_network(generate, error);

    if (err == HS_OK && generate->class_count == 0) {
        if (!generate->defaults.values[GENERATE_NODES]) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "How many nodes are there? Give --nodes N, or classes of nodes: "
                                "--class NAME:nodes=N,...");
        }
        err = generate_add_class(generate, "n:", error);
    }
    for (size_t i = 0; err == HS_OK && i < generate->class_count; i++) {
        err = read_class(generate, &generate->classes[i], catalogue, error);
    }
    if (err == HS_OK) {
        err = finish_racks(generate, error);
    }
    if (err == HS_OK) {
        err = generate_fabric(&generate->network, error);
    }
    return err == HS_OK ? finish_layout(generate, error) : err;
}

struct generate_counts generate_count(const struct generate *generate)
{
    struct generate_counts counts = {.racks = generate->network.racks,
                                     .hosts = generate->network.ports};

    for (size_t i = 0; i < generate->class_count; i++) {
        const struct generate_class *class = &generate->classes[i];
        bool has_ports = class->slots && generate->network.layout == GENERATE_FLAT;

        counts.nodes += class->nodes;
        counts.devices += class->nodes * class->slots;
        counts.hosts += class->nodes * (1 + class->slots + has_ports);
    }
    return counts;
}
