/* SPDX-License-Identifier: MIT */
/* cluster.c - building a cluster, and reading it. */
#include "hs/cluster.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LIST_MAX 1000u /* kinds or models of devices */

struct name_list {
    char **names;
    uint16_t count;
};

struct hs_cluster {
    struct hs_node *nodes;
    struct hs_device *devices;
    struct name_list kinds;
    struct name_list models;
    struct name_list features;
    int64_t cores_milli;
    uint32_t node_count;
    uint32_t node_room;
    uint32_t device_count;
    uint32_t device_room;
    uint32_t class_count;
    uint32_t rack_count;
    bool is_sealed;
};

struct hs_cluster *hs_cluster_create(void)
{
    return calloc(1, sizeof(struct hs_cluster));
}

static void name_list_fini(struct name_list *list)
{
    for (uint16_t i = 0; i < list->count; i++) {
        free(list->names[i]);
    }
    free(list->names);
}

void hs_cluster_destroy(struct hs_cluster *cluster)
{
    if (!cluster) {
        return;
    }
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        free((void *)(uintptr_t)cluster->nodes[i].name);
    }
    name_list_fini(&cluster->kinds);
    name_list_fini(&cluster->models);
    name_list_fini(&cluster->features);
    free(cluster->nodes);
    free(cluster->devices);
    free(cluster);
}

/* Makes room for one more element; *array may move. False when memory is short. */
static bool grow(void **array, uint32_t count, uint32_t *room, size_t element_size)
{
    uint32_t wanted = *room ? *room * 2 : 16;
    void *moved;

    if (count < *room) {
        return true;
    }
    moved = realloc(*array, wanted * element_size);
    if (!moved) {
        return false;
    }
    *array = moved;
    *room = wanted;
    return true;
}

enum hs_err hs_cluster_add_node(struct hs_cluster *cluster, const char *name, int64_t cores_milli,
                                int64_t mem_bytes, struct hs_error *error)
{
    void *nodes = cluster->nodes;
    char *copy;

    HS_ASSERT(!cluster->is_sealed);
    if (cores_milli <= 0 || mem_bytes < 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "Node '%s' has no cores or a negative memory; a node needs both > 0.",
                            name);
    }
    if (cluster->node_count == UINT32_MAX / 2 ||
        cores_milli > (INT64_MAX - cluster->cores_milli) / 2) {
        return hs_error_set(error, HS_ERR_INPUT, "The cluster is too large at node '%s'.", name);
    }
    if (!grow(&nodes, cluster->node_count, &cluster->node_room, sizeof *cluster->nodes)) {
        return hs_error_memory(error);
    }
    cluster->nodes = nodes;
    copy = strdup(name);
    if (!copy) {
        return hs_error_memory(error);
    }
    cluster->nodes[cluster->node_count++] = (struct hs_node){
        .name = copy,
        .cores_milli = cores_milli,
        .mem_bytes = mem_bytes,
        .first_device = cluster->device_count,
        .rack = HS_NO_RACK,
    };
    cluster->cores_milli += cores_milli;
    return HS_OK;
}

static bool name_find(const struct name_list *list, const char *name, uint16_t *index)
{
    for (uint16_t i = 0; i < list->count; i++) {
        if (strcmp(list->names[i], name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* Index of `name` in the list, appended if new. `what` names what is listed. */
static enum hs_err name_enter(struct name_list *list, const char *name, const char *what,
                              uint16_t max, uint16_t *index, struct hs_error *error)
{
    char **moved;

    if (name_find(list, name, index)) {
        return HS_OK;
    }
    if (list->count == max) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "'%s' would be %s number %d of the cluster; at most %d are allowed.",
                            name, what, max + 1, max);
    }
    moved = realloc(list->names, (list->count + 1u) * sizeof *moved);
    if (!moved) {
        return hs_error_memory(error);
    }
    list->names = moved;
    moved[list->count] = strdup(name);
    if (!moved[list->count]) {
        return hs_error_memory(error);
    }
    *index = list->count++;
    return HS_OK;
}

enum hs_err hs_cluster_add_device(struct hs_cluster *cluster, const char *kind, const char *model,
                                  uint32_t group, int64_t mem_bytes, struct hs_error *error)
{
    void *devices = cluster->devices;
    struct hs_device device = {.group = group, .mem_bytes = mem_bytes};
    enum hs_err err;

    HS_ASSERT(!cluster->is_sealed && cluster->node_count);
    device.node = cluster->node_count - 1;
    err = name_enter(&cluster->kinds, kind, "device kind", NAME_LIST_MAX, &device.kind, error);
    if (err == HS_OK) {
        err = name_enter(&cluster->models, model, "device model", NAME_LIST_MAX, &device.model,
                         error);
    }
    if (err != HS_OK) {
        return err;
    }
    if (mem_bytes < 0) {
        return hs_error_set(error, HS_ERR_INPUT, "Device '%s' of node '%s' has a negative memory.",
                            model, cluster->nodes[device.node].name);
    }
    if (cluster->nodes[device.node].device_count == HS_NODE_DEVICES_MAX ||
        cluster->device_count == UINT32_MAX / 2) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "Node '%s' has too many devices, here one of model '%s'; a node has at "
                            "most %u.",
                            cluster->nodes[device.node].name, model, HS_NODE_DEVICES_MAX);
    }
    if (!grow(&devices, cluster->device_count, &cluster->device_room, sizeof *cluster->devices)) {
        return hs_error_memory(error);
    }
    cluster->devices = devices;
    cluster->devices[cluster->device_count++] = device;
    cluster->nodes[device.node].device_count++;
    return HS_OK;
}

void hs_cluster_set_rack(struct hs_cluster *cluster, uint32_t rack)
{
    HS_ASSERT(!cluster->is_sealed && cluster->node_count);
    cluster->nodes[cluster->node_count - 1].rack = rack;
    if (rack != HS_NO_RACK && rack >= cluster->rack_count) {
        cluster->rack_count = rack + 1;
    }
}

static enum hs_err add_feature(struct hs_cluster *cluster, const char *feature, uint64_t *mask,
                               struct hs_error *error)
{
    uint16_t index;
    enum hs_err err;

    HS_ASSERT(!cluster->is_sealed);
    err = name_enter(&cluster->features, feature, "feature", HS_FEATURE_MAX, &index, error);
    if (err == HS_OK) {
        *mask |= UINT64_C(1) << index;
    }
    return err;
}

enum hs_err hs_cluster_add_node_feature(struct hs_cluster *cluster, const char *feature,
                                        struct hs_error *error)
{
    HS_ASSERT(cluster->node_count);
    return add_feature(cluster, feature, &cluster->nodes[cluster->node_count - 1].features, error);
}

enum hs_err hs_cluster_add_device_feature(struct hs_cluster *cluster, const char *feature,
                                          struct hs_error *error)
{
    HS_ASSERT(cluster->device_count);
    return add_feature(cluster, feature, &cluster->devices[cluster->device_count - 1].features,
                       error);
}

struct name_entry {
    const char *name;
    uint32_t index;
};

static int compare_entries(const void *left, const void *right)
{
    const struct name_entry *a = left;
    const struct name_entry *b = right;

    return strcmp(a->name, b->name);
}

static enum hs_err check_names(const struct hs_cluster *cluster, struct hs_error *error)
{
    struct name_entry *entries = malloc(cluster->node_count * sizeof *entries);
    enum hs_err err = HS_OK;

    if (!entries) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        entries[i] = (struct name_entry){cluster->nodes[i].name, i};
    }
    qsort(entries, cluster->node_count, sizeof *entries, compare_entries);
    for (uint32_t i = 1; i < cluster->node_count && err == HS_OK; i++) {
        if (compare_entries(&entries[i - 1], &entries[i]) == 0) {
            err = hs_error_set(error, HS_ERR_INPUT, "Two nodes are named '%s'; rename one.",
                               entries[i].name);
        }
    }
    free(entries);
    return err;
}

static bool is_same_class(const struct hs_cluster *cluster, const struct hs_node *a,
                          const struct hs_node *b)
{
    if (a->cores_milli != b->cores_milli || a->mem_bytes != b->mem_bytes ||
        a->device_count != b->device_count || a->features != b->features) {
        return false;
    }
    for (uint32_t i = 0; i < a->device_count; i++) {
        const struct hs_device *x = &cluster->devices[a->first_device + i];
        const struct hs_device *y = &cluster->devices[b->first_device + i];

        if (x->kind != y->kind || x->model != y->model || x->group != y->group ||
            x->mem_bytes != y->mem_bytes || x->features != y->features) {
            return false;
        }
    }
    return true;
}

/* Cost: nodes x classes; classes are few. Neighbours are mostly equal, so the last is asked first.
 */
static enum hs_err find_classes(struct hs_cluster *cluster, struct hs_error *error)
{
    uint32_t *representatives = malloc(cluster->node_count * sizeof *representatives);
    uint32_t last = 0;

    if (!representatives) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        struct hs_node *node = &cluster->nodes[i];
        uint32_t found = cluster->class_count;

        if (found && is_same_class(cluster, node, &cluster->nodes[representatives[last]])) {
            found = last;
        } else {
            for (uint32_t k = 0; k < cluster->class_count; k++) {
                if (is_same_class(cluster, node, &cluster->nodes[representatives[k]])) {
                    found = k;
                    break;
                }
            }
        }
        if (found == cluster->class_count) {
            representatives[cluster->class_count++] = i;
        }
        node->class_index = last = found;
    }
    free(representatives);
    return HS_OK;
}

enum hs_err hs_cluster_seal(struct hs_cluster *cluster, struct hs_error *error)
{
    enum hs_err err;

    if (cluster->node_count == 0) {
        return hs_error_set(error, HS_ERR_INPUT, "The cluster has no nodes.");
    }
    err = check_names(cluster, error);
    if (err == HS_OK) {
        err = find_classes(cluster, error);
    }
    cluster->is_sealed = err == HS_OK;
    return err;
}

uint32_t hs_cluster_node_count(const struct hs_cluster *cluster)
{
    return cluster->node_count;
}

const struct hs_node *hs_cluster_node(const struct hs_cluster *cluster, uint32_t index)
{
    HS_ASSERT(index < cluster->node_count);
    return &cluster->nodes[index];
}

uint32_t hs_cluster_device_count(const struct hs_cluster *cluster)
{
    return cluster->device_count;
}

const struct hs_device *hs_cluster_device(const struct hs_cluster *cluster, uint32_t index)
{
    HS_ASSERT(index < cluster->device_count);
    return &cluster->devices[index];
}

uint32_t hs_cluster_class_count(const struct hs_cluster *cluster)
{
    return cluster->class_count;
}

uint32_t hs_cluster_rack_count(const struct hs_cluster *cluster)
{
    return cluster->rack_count;
}

uint16_t hs_cluster_kind_count(const struct hs_cluster *cluster)
{
    return cluster->kinds.count;
}

uint16_t hs_cluster_model_count(const struct hs_cluster *cluster)
{
    return cluster->models.count;
}

uint16_t hs_cluster_feature_count(const struct hs_cluster *cluster)
{
    return cluster->features.count;
}

const char *hs_cluster_kind_name(const struct hs_cluster *cluster, uint16_t kind)
{
    HS_ASSERT(kind < cluster->kinds.count);
    return cluster->kinds.names[kind];
}

const char *hs_cluster_model_name(const struct hs_cluster *cluster, uint16_t model)
{
    HS_ASSERT(model < cluster->models.count);
    return cluster->models.names[model];
}

const char *hs_cluster_feature_name(const struct hs_cluster *cluster, uint16_t feature)
{
    HS_ASSERT(feature < cluster->features.count);
    return cluster->features.names[feature];
}

bool hs_cluster_find_kind(const struct hs_cluster *cluster, const char *name, uint16_t *kind)
{
    return name_find(&cluster->kinds, name, kind);
}

bool hs_cluster_find_model(const struct hs_cluster *cluster, const char *name, uint16_t *model)
{
    return name_find(&cluster->models, name, model);
}

bool hs_cluster_find_feature(const struct hs_cluster *cluster, const char *name, uint16_t *feature)
{
    return name_find(&cluster->features, name, feature);
}

int64_t hs_cluster_cores_milli(const struct hs_cluster *cluster)
{
    return cluster->cores_milli;
}
