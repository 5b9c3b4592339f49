/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.h - platform files from a few words: classes of equal nodes, and a network of racks.
 *
 * A class says how many nodes there are, their CPUs and devices (models of the catalogue), links
 * and racks; "gpu:nodes=64,cpu=epyc-7742:2,device=a100-sxm4-40:8,island=4". One table of keys
 * checks the text and yields the help. Nodes are named by class and number (gpu0, gpu1, ...).
 *
 * The file: a rack is a star of nodes; racks hang on one switch, or on a fat tree or a dragonfly
 * of SimGrid whose hosts are the switches of the racks. Devices lie in zones of their node (layout
 * "zones": every route is there), or in clusters over all nodes of a class (layout "flat": small
 * and fast to load; a transfer goes by the host NODE:port, then between nodes). Shapes with which
 * SimGrid crashes are refused. The same description gives the same bytes. */
#ifndef HSIM_PLATFORM_GENERATE_H
#define HSIM_PLATFORM_GENERATE_H

#include <stdio.h>

#include "platform/catalogue.h"

#define GENERATE_CLASSES_MAX 32
#define GENERATE_RACKS_MAX   1000 /* SimGrid searches all of them for each new host */
#define GENERATE_ZONES_MAX   1024 /* islands and racks of the layout "zones": time is cubic */

/* A row of the table. */
struct generate_key {
    const char *name;
    const char *argument; /* "N", "MODEL[:N]" */
    const char *doc;
    bool is_network; /* of the whole platform, no key of a class */
    char letter;     /* short option, 0: none */
};

extern const struct generate_key generate_keys[];
extern const size_t generate_key_count;

struct generate;

struct generate_counts {
    int64_t nodes, devices, racks, hosts;
};

/* An empty description; NULL without memory. */
struct generate *generate_create(void);
void generate_destroy(struct generate *generate); /* takes NULL */

/* Sets a key of the network, or the default of a key of the classes (`device` adds one). The key
 * is a row of the table; the value is borrowed until the end. */
enum hs_err generate_set(struct generate *generate, const struct generate_key *key,
                         const char *value, struct hs_error *error) HS_MUST_USE;

/* Adds a class: "NAME:KEY=VALUE,KEY=VALUE,...". The text is copied. */
enum hs_err generate_add_class(struct generate *generate, const char *text,
                               struct hs_error *error) HS_MUST_USE;

/* Reads all values, fills in what is not given and checks everything; without a class the defaults
 * are one class "n". Errors: HS_ERR_CONFIG. The catalogue is borrowed until the end. */
enum hs_err generate_resolve(struct generate *generate, const struct catalogue *catalogue,
                             struct hs_error *error) HS_MUST_USE;
struct generate_counts generate_count(const struct generate *generate);

/* Writes the platform of a resolved description; errors of the file are left in it (ferror). */
void generate_write(const struct generate *generate, FILE *file);

#endif
