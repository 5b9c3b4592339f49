/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue_key.h - the table of the keys of a catalogue entry, and the quantities they take. */
#ifndef HSIM_PLATFORM_CATALOGUE_KEY_H
#define HSIM_PLATFORM_CATALOGUE_KEY_H

#include "platform/catalogue.h"

enum catalogue_type {
    CATALOGUE_MAP,     /* of the rows "path.*" */
    CATALOGUE_MODEL,   /* a name of [a-z0-9.+-] */
    CATALOGUE_KIND,    /* one of catalogue_kinds */
    CATALOGUE_STRING,  /* text */
    CATALOGUE_STRINGS, /* a list of texts */
    CATALOGUE_NAMES,   /* a list of names of [a-z0-9.+-] */
    CATALOGUE_SOURCES, /* figure: text */
    CATALOGUE_FIGURES, /* a list of figures */
    CATALOGUE_INTEGER,
    CATALOGUE_BYTES,
    CATALOGUE_BANDWIDTH,
    CATALOGUE_FLOPS,
    CATALOGUE_OPS, /* as flop/s, of integers */
    CATALOGUE_FRACTION,
    CATALOGUE_WATTS,
};

/* Path "peak.fp64": the key fp64 in the map of the key peak. */
struct catalogue_key {
    const char *path;
    const char *doc;
    const char *example;
    enum catalogue_type type;
    bool is_required;
    bool is_figure;      /* its number among the figures is the number of figures before it */
    size_t offset;       /* of the field in struct catalogue_device */
    size_t count_offset; /* of a list, the field with its length */
    double min, max;     /* of a number */
};

extern const struct catalogue_key catalogue_keys[];
extern const size_t catalogue_key_count;

/* The row below `parent` ("" or "peak") with this name; NULL: there is none. */
const struct catalogue_key *catalogue_key_child(const char *parent, const char *name);
/* Names of the rows below `parent`; their number. `names` has CATALOGUE_CHILDREN_MAX places. */
#define CATALOGUE_CHILDREN_MAX 24
size_t catalogue_key_children(const char *parent, const char **names);
/* The last part of the path. */
const char *catalogue_key_name(const struct catalogue_key *key);
/* The figure of a row; the row of a figure. */
size_t catalogue_key_figure(const struct catalogue_key *key);
const struct catalogue_key *catalogue_figure_key(size_t figure);

/* "a rate such as 19.5 Tf", ... */
const char *catalogue_type_text(enum catalogue_type type);

/* Reads "1555 GB/s"; the units of bandwidth, flops, ops and watts. False if it is none. */
bool catalogue_quantity_parse(enum catalogue_type type, const char *text, double *value);
/* Writes with the largest unit that leaves at least 1: "1.555 TB/s". CATALOGUE_TEXT_MAX bytes. */
void catalogue_quantity_format(enum catalogue_type type, double value, char *text);
/* "W, mW, kW", for messages. */
const char *catalogue_quantity_units(enum catalogue_type type);

#endif
