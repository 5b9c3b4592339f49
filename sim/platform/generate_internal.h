/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate_internal.h - what the files of the generator share. */
#ifndef HSIM_PLATFORM_GENERATE_INTERNAL_H
#define HSIM_PLATFORM_GENERATE_INTERNAL_H

#include "platform/generate.h"

#define GENERATE_DEVICES_MAX 8  /* entries `device` of a class */
#define GENERATE_LEVELS_MAX  4  /* of a fat tree */
#define GENERATE_PORTS_MAX   32 /* racks, or switches, below a switch of a derived fat tree */
#define GENERATE_FABRIC_MAX  4096

enum generate_key_id {
    GENERATE_NODES,
    GENERATE_CPU,
    GENERATE_CORES,
    GENERATE_SPEED,
    GENERATE_MEMORY,
    GENERATE_DEVICE,
    GENERATE_ISLAND,
    GENERATE_LINK,
    GENERATE_LINK_LATENCY,
    GENERATE_BUS,
    GENERATE_RACKS,
    GENERATE_BANDWIDTH,
    GENERATE_LATENCY,
    GENERATE_TOPOLOGY,
    GENERATE_SHAPE,
    GENERATE_TAPER,
    GENERATE_LAYOUT,
    GENERATE_KEY_COUNT
};

enum generate_topology { GENERATE_STAR, GENERATE_FAT_TREE, GENERATE_DRAGONFLY };
enum generate_layout { GENERATE_AUTO, GENERATE_ZONES, GENERATE_FLAT };

/* A model of the catalogue, so many times. */
struct generate_model {
    const struct catalogue_device *device;
    int64_t count;
};

/* Texts as they were given; NULL: not given. */
struct generate_texts {
    const char *values[GENERATE_KEY_COUNT];
    const char *devices[GENERATE_DEVICES_MAX];
    size_t device_count;
};

/* A class after generate_resolve. 0 and NULL: not stated. */
struct generate_class {
    char *copy; /* of the text of the class; owned */
    const char *name;
    struct generate_texts texts;
    int64_t nodes, cores, mem_bytes, island, racks, link_latency_ns, latency_ns;
    double speed, link_bandwidth, bus_bandwidth, bandwidth;
    struct generate_model cpu;
    struct generate_model devices[GENERATE_DEVICES_MAX];
    size_t device_count;
    int64_t slots;   /* devices of a node */
    int64_t islands; /* zones of devices of a node */
};

struct generate_network {
    int64_t topology, layout;
    double taper;
    const char *shape;
    int64_t racks;        /* of all classes */
    int64_t ports;        /* hosts of the fabric, >= racks; 0: a star */
    char parameters[128]; /* SimGrid's topo_parameters */
};

struct generate {
    struct generate_texts defaults;
    struct generate_class classes[GENERATE_CLASSES_MAX];
    size_t class_count;
    struct generate_network network;
};

/* Devices of one entry of a class that are numbered on: gpu4 to gpu7. */
struct generate_run {
    const struct catalogue_device *device;
    int64_t first; /* number of the first among the devices of its kind in the node */
    int64_t count;
    int64_t group; /* of the node; -1: none */
};

/* The runs of a node, one for each island; without islands one for each entry. *entry and *index
 * are 0 at first; false at the end. */
bool generate_next_run(const struct generate_class *class, size_t *entry, int64_t *index,
                       struct generate_run *run);

/* Nodes [first, first + count) of a class are in its rack number `rack`: as even as can be. */
void generate_rack(const struct generate_class *class, int64_t rack, int64_t *first,
                   int64_t *count);

/* Reads the text of a key into a class (or NULL) and the network. `catalogue` finds models. */
enum hs_err generate_read_value(enum generate_key_id id, const char *text,
                                const struct catalogue *catalogue, struct generate_class *class,
                                struct generate_network *network, struct hs_error *error);
enum hs_err generate_read_model(const char *text, bool is_cpu, const struct catalogue *catalogue,
                                const char *class_name, struct generate_model *model,
                                struct hs_error *error);

/* Finds the smallest fabric for the racks, or checks the one that is given. */
enum hs_err generate_fabric(struct generate_network *network, struct hs_error *error);

#endif
