/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue.h - the device catalogue: what is known of real CPUs, GPUs, FPGAs and NPUs.
 *
 * A catalogue is read from YAML: the file devices.yaml that comes with hsim, then files of the
 * user, which add models or change fields of known ones. One table of keys (catalogue_key.c)
 * checks the text, fills the entries and yields the help; platforms/README.md shows the format.
 *
 * A figure is a field with a number: cores, memory, rates, fractions and powers. Each has a source,
 * and is either confirmed by it or not. */
#ifndef HSIM_PLATFORM_CATALOGUE_H
#define HSIM_PLATFORM_CATALOGUE_H

#include <stdio.h>

#include "hs/base.h"
#include "platform/power.h"

/* Environment variable with a file to read in place of the one that comes with hsim. */
#define CATALOGUE_VARIABLE "HSIM_CATALOGUE"
#define CATALOGUE_FILE     "devices.yaml"

/* Rates of arithmetic. "-matrix": with matrix units (tensor cores, AMX, MFMA), dense. */
enum catalogue_precision {
    CATALOGUE_FP64,
    CATALOGUE_FP64_MATRIX,
    CATALOGUE_FP32,
    CATALOGUE_FP32_MATRIX,
    CATALOGUE_TF32,
    CATALOGUE_FP16,
    CATALOGUE_FP16_MATRIX,
    CATALOGUE_BF16_MATRIX,
    CATALOGUE_FP8_MATRIX,
    CATALOGUE_INT8,
    CATALOGUE_PRECISION_COUNT
};

/* Measured fractions of a peak. */
enum catalogue_efficiency {
    CATALOGUE_MATMUL, /* large matrix products, of the fastest 16-bit rate */
    CATALOGUE_STREAM, /* the STREAM triad or the best of BabelStream, of memory bandwidth */
    CATALOGUE_EFFICIENCY_COUNT
};

/* Index of a figure among all figures, see catalogue_figure_name. */
#define CATALOGUE_FIGURE_COUNT (7 + CATALOGUE_PRECISION_COUNT + CATALOGUE_EFFICIENCY_COUNT)

/* One model. Strings live as long as the catalogue; what is not stated is NULL, 0, or, of a power,
 * NaN. `cores`, memory and power count for one device as the platform allocates it: a CPU socket,
 * a GPU board. */
struct catalogue_device {
    const char *model; /* [a-z0-9.+-]+, what platforms and demands name */
    const char *kind;  /* one of catalogue_kinds */
    const char *name;  /* for people: "NVIDIA A100 SXM4 40 GB" */
    const char *vendor;
    const char *interconnect;
    const char *note;
    const char *const *aliases;
    const char *const *features; /* "avx512", "tensor-cores", ... */
    size_t alias_count, feature_count;
    int64_t year;                                 /* it came out; 0: not stated */
    int64_t cores;                                /* of a CPU; 0: not stated */
    int64_t mem_bytes;                            /* 0: not stated, or the node's */
    double mem_bandwidth;                         /* bytes/s */
    double peak_flops[CATALOGUE_PRECISION_COUNT]; /* flop/s, of int8 op/s; of the whole device */
    double efficiency[CATALOGUE_EFFICIENCY_COUNT];
    struct platform_power power;                 /* known for each entry of a catalogue */
    uint32_t figures;                            /* bit i: figure i is stated */
    const char *sources[CATALOGUE_FIGURE_COUNT]; /* NULL: no figure, or no source is given */
    bool is_unconfirmed[CATALOGUE_FIGURE_COUNT]; /* the source does not confirm it, or is missing */
    const char *path;                            /* of the file that described it last */
    int line;                                    /* where it does */
};

struct catalogue;

/* The catalogue that comes with hsim, then the file `extra` (NULL: none). The former is the file
 * that the environment variable HSIM_CATALOGUE names, else devices.yaml beside the running
 * program, or in ../share/hsim or ../bin from there.
 *
 * Errors: HS_ERR_INPUT with every problem of a file, a line each, `file:line:column: sentence`;
 * HS_ERR_SYSTEM for the machine. *catalogue is NULL then. */
enum hs_err catalogue_load(const char *extra, struct catalogue **catalogue,
                           struct hs_error *error) HS_MUST_USE;

/* An empty one (NULL without memory), and adding to it. After a failed addition a catalogue can
 * only be destroyed. `path` is for messages. */
struct catalogue *catalogue_create(void);
enum hs_err catalogue_add_file(struct catalogue *catalogue, const char *path,
                               struct hs_error *error) HS_MUST_USE;
enum hs_err catalogue_add_text(struct catalogue *catalogue, const char *text, size_t length,
                               const char *path, struct hs_error *error) HS_MUST_USE;
void catalogue_destroy(struct catalogue *catalogue);

/* Path of the shipped catalogue, or of the one in its place (at least PATH_MAX bytes). */
enum hs_err catalogue_locate(char *path, struct hs_error *error) HS_MUST_USE;

/* Entries in the order of the files. */
size_t catalogue_count(const struct catalogue *catalogue);
const struct catalogue_device *catalogue_device(const struct catalogue *catalogue, size_t index);

/* The entry of this model or alias, in any case of letters; NULL: there is none. */
const struct catalogue_device *catalogue_find(const struct catalogue *catalogue, const char *name);
/* The model or alias that `name` may have been meant to be, or NULL. */
const char *catalogue_nearest(const struct catalogue *catalogue, const char *name);

/* Kinds that an entry may have, NULL at the end: "cpu", "gpu", ... */
extern const char *const catalogue_kinds[];

/* Figures: path of the key ("peak.fp64"), its value (0 or NaN if not stated) and whether it is. */
const char *catalogue_figure_name(size_t figure);
double catalogue_figure(const struct catalogue_device *device, size_t figure);
bool catalogue_has_figure(const struct catalogue_device *device, size_t figure);
/* The value with its unit, "1555 GB/s"; `text` holds CATALOGUE_TEXT_MAX bytes. */
#define CATALOGUE_TEXT_MAX 48
void catalogue_figure_format(const struct catalogue_device *device, size_t figure, char *text);

/* "fp64", "fp64-matrix", ... */
const char *catalogue_precision_name(enum catalogue_precision precision);
/* The best 16-bit rate of a device, 0 if none is stated. */
double catalogue_peak_half(const struct catalogue_device *device);

/* The keys of an entry with their types and meaning, from the table. */
void catalogue_explain(FILE *file);

#endif
