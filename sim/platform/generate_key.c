/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate_key.c - the keys of `hsim platform generate`: their table, their values, their text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platform/catalogue_key.h"
#include "platform/generate_internal.h"
#include "platform/platform.h"
#include "platform/shape.h"
#include "text/units.h"

#define NAME_MAX_LENGTH 32
#define COUNT_MAX       64 /* devices or sockets of a kind in a node */
#define CORES_MAX       1000000
#define TAPER_MAX       1000

const struct generate_key generate_keys[] = {
    [GENERATE_NODES] = {"nodes", "N", "Number of nodes", false, 0},
    [GENERATE_CPU] = {"cpu", "MODEL[:N]", "CPU of the catalogue, and how many of them in a node",
                      false, 0},
    [GENERATE_CORES] = {"cores", "N", "Cores of a node (default: those of its CPUs)", false, 0},
    [GENERATE_SPEED] = {"speed", "FLOPS",
                        "Speed of a core (default: fp64 peak of the CPU / cores; 10Gf without one)",
                        false, 0},
    [GENERATE_MEMORY] = {"memory", "SIZE", "Memory of a node (default: not modelled)", false, 0},
    [GENERATE_DEVICE] = {"device", "MODEL[:N]",
                         "Device of the catalogue, and how many of them in a node; may be repeated",
                         false, 0},
    [GENERATE_ISLAND] = {"island", "N", "Devices of an island (NVLink, NUMA); default: no islands",
                         false, 0},
    [GENERATE_LINK] = {"link", "RATE",
                       "Bandwidth of a device's own link (default 32GBps, PCIe 4.0)", false, 0},
    [GENERATE_LINK_LATENCY] = {"link-latency", "TIME", "Its latency (default 500ns)", false, 0},
    [GENERATE_BUS] = {"bus", "RATE",
                      "Bandwidth between a node and its devices, or those of an island (default "
                      "64GBps)",
                      false, 0},
    [GENERATE_RACKS] = {"racks", "N", "Number of racks (default: 32 nodes in each)", false, 0},
    [GENERATE_BANDWIDTH] = {"bandwidth", "RATE",
                            "Bandwidth of a node in the network (default 25GBps)", false, 0},
    [GENERATE_LATENCY] = {"latency", "TIME", "Latency of each link of the network (default 500ns)",
                          false, 0},
    [GENERATE_TOPOLOGY] = {"topology", "NAME",
                           "Network between racks: star (default), fat-tree or dragonfly", true,
                           't'},
    [GENERATE_SHAPE] = {"shape", "NxN...",
                        "Fat tree: racks below a switch x switches below one of the next level x "
                        "...; dragonfly: groups x chassis x blades, with a rack at each blade "
                        "(default: the smallest that holds the racks)",
                        true, 's'},
    [GENERATE_TAPER] = {"taper", "X",
                        "Bandwidth of the nodes of a rack over that of its uplink (default 1)",
                        true, 'T'},
    [GENERATE_LAYOUT] = {"layout", "NAME",
                         "Devices in zones, flat, or auto (default): zones up to 512 islands", true,
                         'l'},
};
const size_t generate_key_count = sizeof generate_keys / sizeof generate_keys[0];

static const char *const topology_words[] = {"star", "fat-tree", "dragonfly", NULL};
static const char *const layout_words[] = {"auto", "zones", "flat", NULL};

static enum hs_err fail_value(enum generate_key_id id, const char *text,
                              const struct generate_class *class, const char *due,
                              struct hs_error *error)
{
    if (class) {
        return hs_error_set(error, HS_ERR_CONFIG, "Class '%s' has %s=%.200s; %s is due.",
                            class->name, generate_keys[id].name, text, due);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "--%s is '%.200s'; %s is due.",
                        generate_keys[id].name, text, due);
}

static enum hs_err read_count(enum generate_key_id id, const char *text, int64_t most,
                              const struct generate_class *class, int64_t *count,
                              struct hs_error *error)
{
    bool is_number;
    char due[64];

    if (text_units_parse_int(text, count, &is_number) && *count >= 1 && *count <= most) {
        return HS_OK;
    }
    (void)snprintf(due, sizeof due, "a whole number from 1 to %lld", (long long)most);
    return fail_value(id, text, class, due, error);
}

static enum hs_err read_word(enum generate_key_id id, const char *text, const char *const *words,
                             int64_t *index, struct hs_error *error)
{
    size_t count = 0;
    const char *near;

    for (; words[count]; count++) {
        if (strcmp(words[count], text) == 0) {
            *index = (int64_t)count;
            return HS_OK;
        }
    }
    near = hs_nearest(text, words, count);
    return hs_error_set(error, HS_ERR_CONFIG, "--%s is '%.200s'; %s, %s or %s is due%s%s%s",
                        generate_keys[id].name, text, words[0], words[1], words[2],
                        near ? "; did you mean " : ".", near ? near : "", near ? "?" : "");
}

static enum hs_err read_rate(enum generate_key_id id, const char *text, enum catalogue_type type,
                             const struct generate_class *class, double *rate,
                             struct hs_error *error)
{
    if (catalogue_quantity_parse(type, text, rate) && *rate >= 1) {
        return HS_OK;
    }
    return fail_value(id, text, class,
                      type == CATALOGUE_FLOPS ? "a speed with a unit, such as 36Gf,"
                                              : "a rate with a unit, such as 25GBps,",
                      error);
}

static enum hs_err read_latency(enum generate_key_id id, const char *text,
                                const struct generate_class *class, int64_t *latency_ns,
                                struct hs_error *error)
{
    if (text_units_parse(UNITS_TIME, text, latency_ns, NULL) == UNITS_OK && *latency_ns >= 0 &&
        *latency_ns <= HS_NS_PER_S) {
        return HS_OK;
    }
    return fail_value(id, text, class, "a time up to 1s, such as 500ns or 2us,", error);
}

enum hs_err generate_read_model(const char *text, bool is_cpu, const struct catalogue *catalogue,
                                const char *class_name, struct generate_model *model,
                                struct hs_error *error)
{
    const char *key = generate_keys[is_cpu ? GENERATE_CPU : GENERATE_DEVICE].name;
    const char *colon = strchr(text, ':');
    char name[128];
    const char *near;
    bool is_number;

    model->count = 1;
    if (colon && (!text_units_parse_int(colon + 1, &model->count, &is_number) || model->count < 1 ||
                  model->count > COUNT_MAX)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Class '%s' has %s=%.200s; MODEL:N with N from 1 to %d is due.",
                            class_name, key, text, COUNT_MAX);
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)(colon ? colon - text : 120), text);
    model->device = catalogue_find(catalogue, name);
    if (!model->device) {
        near = catalogue_nearest(catalogue, name);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Class '%s' has %s=%.200s, but no device model '%s' is in the "
                            "catalogue%s%s%s `hsim platform devices list` lists them, and "
                            "--catalogue FILE adds your own.",
                            class_name, key, text, name, near ? "; did you mean " : ".",
                            near ? near : "", near ? "?" : "");
    }
    if (is_cpu != (strcmp(model->device->kind, "cpu") == 0)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Class '%s' has %s=%.200s, but the model '%s' is of the kind %s. CPUs "
                            "are named by cpu=, all other devices by device=.",
                            class_name, key, text, name, model->device->kind);
    }
    return HS_OK;
}

enum hs_err generate_read_value(enum generate_key_id id, const char *text,
                                const struct catalogue *catalogue, struct generate_class *class,
                                struct generate_network *network, struct hs_error *error)
{
    switch (id) {
    case GENERATE_NODES:
        return read_count(id, text, SHAPE_HOSTS_MAX, class, &class->nodes, error);
    case GENERATE_CPU:
        return generate_read_model(text, true, catalogue, class->name, &class->cpu, error);
    case GENERATE_CORES:
        return read_count(id, text, CORES_MAX, class, &class->cores, error);
    case GENERATE_SPEED:
        return read_rate(id, text, CATALOGUE_FLOPS, class, &class->speed, error);
    case GENERATE_MEMORY:
        return platform_size_parse(text, &class->mem_bytes)
                   ? HS_OK
                   : fail_value(id, text, class, "a size with a unit, such as 512GiB,", error);
    case GENERATE_ISLAND:
        return read_count(id, text, COUNT_MAX, class, &class->island, error);
    case GENERATE_LINK:
        return read_rate(id, text, CATALOGUE_BANDWIDTH, class, &class->link_bandwidth, error);
    case GENERATE_LINK_LATENCY:
        return read_latency(id, text, class, &class->link_latency_ns, error);
    case GENERATE_BUS:
        return read_rate(id, text, CATALOGUE_BANDWIDTH, class, &class->bus_bandwidth, error);
    case GENERATE_RACKS:
        return read_count(id, text, GENERATE_RACKS_MAX, class, &class->racks, error);
    case GENERATE_BANDWIDTH:
        return read_rate(id, text, CATALOGUE_BANDWIDTH, class, &class->bandwidth, error);
    case GENERATE_LATENCY:
        return read_latency(id, text, class, &class->latency_ns, error);
    case GENERATE_TOPOLOGY:
        return read_word(id, text, topology_words, &network->topology, error);
    case GENERATE_SHAPE:
        network->shape = text;
        return HS_OK;
    case GENERATE_TAPER:
        return text_units_parse_double(text, &network->taper) && network->taper >= 1 &&
                       network->taper <= TAPER_MAX
                   ? HS_OK
                   : fail_value(id, text, NULL, "a number from 1 to 1000", error);
    case GENERATE_LAYOUT:
        return read_word(id, text, layout_words, &network->layout, error);
    case GENERATE_DEVICE: /* may be repeated, so it is read by itself */
    case GENERATE_KEY_COUNT:
        break;
    }
    HS_ASSERT(id != GENERATE_DEVICE && id != GENERATE_KEY_COUNT);
    return HS_OK;
}

static enum hs_err put_text(struct generate_texts *texts, size_t id, const char *value,
                            struct hs_error *error)
{
    if (id != GENERATE_DEVICE) {
        texts->values[id] = value;
        return HS_OK;
    }
    if (texts->device_count == GENERATE_DEVICES_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "device=%.200s is one too many: a class has at most %d entries of "
                            "devices. Write MODEL:N for N equal devices.",
                            value, GENERATE_DEVICES_MAX);
    }
    texts->devices[texts->device_count++] = value;
    return HS_OK;
}

enum hs_err generate_set(struct generate *generate, const struct generate_key *key,
                         const char *value, struct hs_error *error)
{
    return put_text(&generate->defaults, (size_t)(key - generate_keys), value, error);
}

static enum hs_err fail_key(const struct generate_class *class, const char *word,
                            struct hs_error *error)
{
    const char *names[GENERATE_KEY_COUNT];
    size_t count = 0;
    const char *near;

    for (size_t i = 0; i < GENERATE_KEY_COUNT; i++) {
        if (generate_keys[i].is_network && strcmp(generate_keys[i].name, word) == 0) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "Class '%s': %s is a key of the whole platform; write --%s outside "
                                "of the class.",
                                class->name, word, word);
        }
        if (!generate_keys[i].is_network) {
            names[count++] = generate_keys[i].name;
        }
    }
    near = hs_nearest(word, names, count);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "Class '%s': there is no key '%.100s'%s%s%s `hsim platform generate "
                        "--help` lists the keys.",
                        class->name, word, near ? "; did you mean " : ".", near ? near : "",
                        near ? "?" : "");
}

/* "KEY=VALUE" of a class. */
static enum hs_err add_pair(struct generate_class *class, char *pair, struct hs_error *error)
{
    char *equals = strchr(pair, '=');

    if (!equals || !equals[1]) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Class '%s': '%.200s' is no KEY=VALUE; write for instance nodes=64.",
                            class->name, pair);
    }
    *equals = '\0';
    for (size_t i = 0; i < GENERATE_KEY_COUNT; i++) {
        if (strcmp(generate_keys[i].name, pair) != 0 || generate_keys[i].is_network) {
            continue;
        }
        if (class->texts.values[i]) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "Class '%s' has the key %s twice: '%.100s' and '%.100s'.",
                                class->name, pair, class->texts.values[i], equals + 1);
        }
        return put_text(&class->texts, i, equals + 1, error);
    }
    return fail_key(class, pair, error);
}

/* Names of nodes are the class and a number, and ':' parts the devices. */
static enum hs_err check_name(const struct generate *generate, const char *name,
                              struct hs_error *error)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_MAX_LENGTH || name[0] < 'a' || name[0] > 'z' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != length ||
        (name[length - 1] >= '0' && name[length - 1] <= '9')) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "'%.100s' cannot be the name of a class: allowed are a-z, 0-9 and '-', "
                            "beginning with a letter, not ending with a digit (the number of the "
                            "node follows), up to %d characters.",
                            name, NAME_MAX_LENGTH);
    }
    for (size_t i = 0; i < generate->class_count; i++) {
        if (strcmp(generate->classes[i].name, name) == 0) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "There are two classes '%s'. Give each its own name.", name);
        }
    }
    return HS_OK;
}

enum hs_err generate_add_class(struct generate *generate, const char *text, struct hs_error *error)
{
    struct generate_class *class = &generate->classes[generate->class_count];
    char *at;
    enum hs_err err;

    if (generate->class_count == GENERATE_CLASSES_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG, "At most %d classes of nodes can be given.",
                            GENERATE_CLASSES_MAX);
    }
    *class = (struct generate_class){.copy = strdup(text)};
    if (!class->copy) {
        return hs_error_memory(error);
    }
    generate->class_count++;
    class->name = class->copy;
    at = class->copy + strcspn(class->copy, ":=,");
    if (*at != ':') {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--class is '%.200s'; NAME:KEY=VALUE,... is due, for instance "
                            "gpu:nodes=64,cpu=epyc-7742:2,device=a100-sxm4-40:8.",
                            text);
    }
    *at++ = '\0';
    generate->class_count--;
    err = check_name(generate, class->name, error);
    generate->class_count++;
    while (err == HS_OK && *at) {
        char *pair = at;
        size_t length = strcspn(at, ",");

        at += length + (at[length] == ',');
        pair[length] = '\0';
        pair += strspn(pair, " ");
        err = *pair ? add_pair(class, pair, error) : HS_OK;
    }
    return err;
}
