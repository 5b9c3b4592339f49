/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.h - the class library: what is known of how fast real programs run on real devices.
 *
 * It is read from YAML: the file classes.yaml that comes with hsim, then files of the user, which
 * add classes or replace known ones. A class has either times or rates, for each model of the
 * device catalogue one number, or one for each scale (number of devices). Only ratios count, so the
 * unit is free; each number has a source, and is either confirmed by it or not. */
#ifndef HSIM_SPEED_LIBRARY_H
#define HSIM_SPEED_LIBRARY_H

#include <stdio.h>

#include "hs/base.h"
#include "platform/catalogue.h"

/* Environment variable with a file to read in place of the one that comes with hsim. */
#define SPEED_LIBRARY_VARIABLE "HSIM_CLASSES"
#define SPEED_LIBRARY_FILE     "classes.yaml"

/* How a class reaches a model that has no value: from the measured model of the same kind whose
 * figure in the catalogue is nearest, by the ratio of their figures, times the measured fractions
 * where both have one. Without a measured model of its kind a device is reached from the reference
 * in the same way; not so between processors and devices, since figures count sockets and values
 * whole nodes. */
enum speed_fallback {
    SPEED_FALLBACK_NONE,      /* it cannot run there */
    SPEED_FALLBACK_BANDWIDTH, /* memory.bandwidth, x efficiency.stream */
    SPEED_FALLBACK_FP64,      /* the larger of peak.fp64 and peak.fp64-matrix */
    SPEED_FALLBACK_FP32,      /* peak.fp32 */
    SPEED_FALLBACK_HALF,      /* the best 16-bit rate, x efficiency.matmul */
};

/* One number. Entries of a class are sorted by model, then scale. */
struct speed_entry {
    const char *model; /* of the catalogue */
    int64_t scale;     /* devices together, >= 1 */
    double value;      /* >= 0; 0: cannot run */
    const char *source;
    bool is_unconfirmed;
};

/* Strings live as long as the library; what is not stated is NULL or 0. */
struct speed_class {
    const char *name; /* [a-z0-9.+-]+ */
    const char *summary;
    const char *demand; /* that suits it, in the language of demands */
    const char *reference;
    const char *unit;
    const char *note;
    const char *const *aliases;  /* further names, any text */
    const char *const *features; /* of devices or processors that it makes good use of */
    size_t alias_count, feature_count;
    struct speed_entry *entries; /* >= 1 */
    size_t entry_count;
    enum speed_fallback fallback;
    bool is_rate; /* larger is faster; else the values are times */
    const char *path;
    int line;
};

struct speed_library;

/* The library that comes with hsim, then the files. That is the file that the environment variable
 * HSIM_CLASSES names, else classes.yaml beside the running program, or in ../share/hsim or ../bin
 * from there. The catalogue (borrowed for the call) checks the models.
 *
 * Errors: HS_ERR_INPUT with every problem of a file, a line each, `file:line:column: sentence`;
 * HS_ERR_SYSTEM. *library is NULL then. */
enum hs_err speed_library_load(const char *const *files, size_t file_count,
                               const struct catalogue *catalogue, struct speed_library **library,
                               struct hs_error *error) HS_MUST_USE;

/* An empty one (NULL without memory), and adding to it. After a failed addition a library can only
 * be destroyed. `path` is for messages. */
struct speed_library *speed_library_create(void);
enum hs_err speed_library_add_file(struct speed_library *library, const char *path,
                                   const struct catalogue *catalogue,
                                   struct hs_error *error) HS_MUST_USE;
enum hs_err speed_library_add_text(struct speed_library *library, const char *text, size_t length,
                                   const char *path, const struct catalogue *catalogue,
                                   struct hs_error *error) HS_MUST_USE;
void speed_library_destroy(struct speed_library *library); /* takes NULL */

/* Path of the library that comes with hsim, or of the one in its place (PATH_MAX bytes). */
enum hs_err speed_library_locate(char *path, struct hs_error *error) HS_MUST_USE;

size_t speed_library_count(const struct speed_library *library);
const struct speed_class *speed_library_class(const struct speed_library *library, size_t index);

/* The class of a name or alias, in any case of letters; NULL: none. */
const struct speed_class *speed_library_find(const struct speed_library *library, const char *name);
/* The name or alias that may have been meant, or NULL. */
const char *speed_library_nearest(const struct speed_library *library, const char *name);

/* "none", "bandwidth", ... */
const char *speed_fallback_name(enum speed_fallback fallback);
/* The figure of the catalogue by which a class with this fallback is `*ratio` times as fast on
 * `device` as on `reference`, with `has_fractions` times the measured fractions of it if both have
 * one; false: one of them does not state it. */
bool speed_fallback_ratio(enum speed_fallback fallback, const struct catalogue_device *device,
                          const struct catalogue_device *reference, bool has_fractions,
                          double *ratio);

/* The keys of a class with their meaning. */
void speed_library_explain(FILE *file);

#endif
