/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mark.c - copies a cluster, and gives it the features `not-MODEL`. */
#include "speed/mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE ((size_t)160)

/* A copy under construction. */
struct copy {
    const struct hs_cluster *from;
    struct hs_cluster *to;
    const char **processors; /* distinct models of processors */
    uint32_t processor_count;
    const char *const *node_models;
    const unsigned char *nodes_apart;
};

static void name_mark(char name[NAME_SIZE], const char *of)
{
    (void)snprintf(name, NAME_SIZE, "not-%.140s", of);
}

static void name_node(char name[NAME_SIZE], uint32_t node)
{
    (void)snprintf(name, NAME_SIZE, "node-%" PRIu32, node);
}

uint64_t speed_mark_bit(const struct hs_cluster *cluster, const char *name)
{
    char mark[NAME_SIZE];
    uint16_t feature;

    name_mark(mark, name);
    return hs_cluster_find_feature(cluster, mark, &feature) ? UINT64_C(1) << feature : 0;
}

static const char *model_of(const struct copy *copy, uint32_t node)
{
    const char *model = copy->node_models ? copy->node_models[node] : NULL;

    return model ? model : SPEED_UNKNOWN_MODEL;
}

static enum hs_err list_processors(struct copy *copy, struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(copy->from);

    copy->processors = calloc(count, sizeof *copy->processors);
    if (!copy->processors) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *model = model_of(copy, i);
        bool is_known = false;

        for (uint32_t k = 0; !is_known && k < copy->processor_count; k++) {
            is_known = strcmp(copy->processors[k], model) == 0;
        }
        if (!is_known) {
            copy->processors[copy->processor_count++] = model;
        }
    }
    return HS_OK;
}

static enum hs_err mark_node(struct copy *copy, uint32_t index, struct hs_error *error)
{
    const char *model = model_of(copy, index);
    char name[NAME_SIZE];
    char apart[NAME_SIZE];
    enum hs_err err = HS_OK;

    for (uint32_t i = 0; err == HS_OK && i < copy->processor_count; i++) {
        if (strcmp(copy->processors[i], model) != 0) {
            name_mark(name, copy->processors[i]);
            err = hs_cluster_add_node_feature(copy->to, name, error);
        }
    }
    for (uint32_t i = 0; copy->nodes_apart && err == HS_OK && i < hs_cluster_node_count(copy->from);
         i++) {
        if (copy->nodes_apart[i] && i != index) {
            name_node(apart, i);
            name_mark(name, apart);
            err = hs_cluster_add_node_feature(copy->to, name, error);
        }
    }
    return err;
}

static enum hs_err copy_device(struct copy *copy, uint32_t index, struct hs_error *error)
{
    const struct hs_device *device = hs_cluster_device(copy->from, index);
    char name[NAME_SIZE];
    enum hs_err err = hs_cluster_add_device(
        copy->to, hs_cluster_kind_name(copy->from, device->kind),
        hs_cluster_model_name(copy->from, device->model), device->group, device->mem_bytes, error);

    for (uint16_t i = 0; err == HS_OK && i < hs_cluster_feature_count(copy->from); i++) {
        if (device->features >> i & 1) {
            err = hs_cluster_add_device_feature(copy->to, hs_cluster_feature_name(copy->from, i),
                                                error);
        }
    }
    for (uint16_t i = 0; err == HS_OK && i < hs_cluster_model_count(copy->from); i++) {
        if (i != device->model) {
            name_mark(name, hs_cluster_model_name(copy->from, i));
            err = hs_cluster_add_device_feature(copy->to, name, error);
        }
    }
    return err;
}

static enum hs_err copy_node(struct copy *copy, uint32_t index, struct hs_error *error)
{
    const struct hs_node *node = hs_cluster_node(copy->from, index);
    enum hs_err err =
        hs_cluster_add_node(copy->to, node->name, node->cores_milli, node->mem_bytes, error);

    if (err == HS_OK) {
        hs_cluster_set_rack(copy->to, node->rack);
    }
    for (uint16_t i = 0; err == HS_OK && i < hs_cluster_feature_count(copy->from); i++) {
        if (node->features >> i & 1) {
            err = hs_cluster_add_node_feature(copy->to, hs_cluster_feature_name(copy->from, i),
                                              error);
        }
    }
    if (err == HS_OK) {
        err = mark_node(copy, index, error);
    }
    for (uint32_t i = 0; err == HS_OK && i < node->device_count; i++) {
        err = copy_device(copy, node->first_device + i, error);
    }
    return err;
}

enum hs_err speed_mark(const struct hs_cluster *cluster, const char *const *node_models,
                       const unsigned char *nodes_apart, struct hs_cluster **marked,
                       struct hs_error *error)
{
    struct copy copy = {.from = cluster,
                        .to = hs_cluster_create(),
                        .node_models = node_models,
                        .nodes_apart = nodes_apart};
    enum hs_err err = copy.to ? list_processors(&copy, error) : hs_error_memory(error);

    *marked = NULL;
    for (uint32_t i = 0; err == HS_OK && i < hs_cluster_node_count(cluster); i++) {
        err = copy_node(&copy, i, error);
    }
    if (err == HS_OK) {
        err = hs_cluster_seal(copy.to, error);
    } else if (err == HS_ERR_INPUT) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "The models of this platform's devices and processors, and the features "
                           "that they have, are together more than %u; job classes cannot keep "
                           "them apart. Take a platform with fewer models.",
                           HS_FEATURE_MAX);
    }
    free(copy.processors);
    if (err != HS_OK) {
        hs_cluster_destroy(copy.to);
        return err;
    }
    *marked = copy.to;
    return HS_OK;
}
