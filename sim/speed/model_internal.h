/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_internal.h - the performance model from inside. */
#ifndef HSIM_SPEED_MODEL_INTERNAL_H
#define HSIM_SPEED_MODEL_INTERNAL_H

#include "speed/model.h"

/* A job class on the units of this cluster. */
struct model_class {
    char *name;            /* as the workload has it; owned */
    int64_t *scales;       /* ascending, >= 1; owned */
    speed_factor *factors; /* [scale * units + unit]; owned */
    size_t scale_count;
};

/* Nodes with the same processors and the same kinds of devices. */
struct model_node_class {
    uint32_t processor; /* unit */
    uint32_t *devices;  /* one device of each kind, model and set of features; owned */
    uint32_t device_count;
    uint32_t cluster_class; /* of its first node */
};

struct speed_model {
    struct speed_options options;
    const char *reference; /* as the catalogue calls it; NULL: none is given */
    const char **units;    /* names */
    uint32_t unit_count;
    uint32_t device_units; /* the first of them: models of devices */
    uint32_t node_count;
    uint32_t *processor_of_node; /* units */
    uint32_t *class_of_node;
    struct model_node_class *node_classes; /* none with a matrix */
    uint32_t class_count;
    struct model_class *job_classes;
    size_t job_class_count, job_class_room;
};

/* model_class.c: fills the factors of the class of this name. HS_ERR_CONFIG. */
enum hs_err model_class_find(const struct speed_model *model, const char *name,
                             struct model_class *found, struct hs_error *error) HS_MUST_USE;
void model_class_fini(struct model_class *class);

/* The model of the catalogue that a name means; the name itself if it has none of it. */
const char *model_canonical(const struct speed_model *model, const char *name);

#endif
