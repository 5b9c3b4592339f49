/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb.c - from rows to nodes, and from nodes to hosts.
 *
 * Nodes keep the order of the file, where those of a SimGrid platform are sorted by name: the
 * order is part of published experiments, which break ties by it. */
#include "platform/openb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "platform/frames.h"
#include "platform/nodes.h"

#define KIND           "gpu"
#define CORES_MAX      INT64_C(1000000000) /* milli */
#define MEMORY_MAX_MIB (INT64_MAX >> 21)
#define NODES_MAX      10000000u

enum column { COLUMN_NAME, COLUMN_CPU, COLUMN_MEMORY, COLUMN_GPU, COLUMN_MODEL, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_NAME] = {"sn", true},           [COLUMN_CPU] = {"cpu_milli", true},
    [COLUMN_MEMORY] = {"memory_mib", true}, [COLUMN_GPU] = {"gpu", true},
    [COLUMN_MODEL] = {"model", true},
};

struct list {
    const char *path;
    struct hs_cluster *cluster;        /* borrowed */
    const struct catalogue *catalogue; /* borrowed; NULL: nothing is known of models */
    int64_t *lines;                    /* of the nodes; owned */
    size_t room;
};

bool openb_is_list(const char *path)
{
    static const char *const endings[] = {".csv", ".csv.gz", ".csv.zst"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && strcmp(path + length - ending, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A whole number in [low, high]. */
static enum hs_err number(const struct list *list, const struct csv_row *row, enum column column,
                          int64_t low, int64_t high, int64_t *value, struct hs_error *error)
{
    const char *text = row->fields[column];

    if (csv_parse_int(text, value) && *value >= low && *value <= high) {
        return HS_OK;
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:%lld: %s is '%.40s'; a whole number from %lld to %lld is due.",
                        list->path, (long long)row->line, columns[column].name, text,
                        (long long)low, (long long)high);
}

/* Names stand in tables and in the lists of models that pods ask for. */
static enum hs_err name(const struct list *list, const struct csv_row *row, enum column column,
                        struct hs_error *error)
{
    const char *text = row->fields[column];

    if (!*text) {
        return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: %s is empty; a node %s.", list->path,
                            (long long)row->line, columns[column].name,
                            column == COLUMN_MODEL ? "with GPUs names their model" : "has a name");
    }
    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at <= ' ' || *at == '\x7f' || *at == '|') {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s:%lld: %s '%.40s' has the character %d; printable ones other "
                                "than blanks and '|' are allowed.",
                                list->path, (long long)row->line, columns[column].name, text,
                                (unsigned char)*at);
        }
    }
    return HS_OK;
}

static bool reserve_line(struct list *list, size_t count)
{
    size_t room = list->room ? 2 * list->room : 256;
    int64_t *moved;

    if (count < list->room) {
        return true;
    }
    moved = realloc(list->lines, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    list->lines = moved;
    list->room = room;
    return true;
}

/* What the catalogue says of a model; NULL: nothing. */
static const struct catalogue_device *model_of(const struct catalogue *catalogue, const char *name)
{
    const struct catalogue_device *model = catalogue ? catalogue_find(catalogue, name) : NULL;

    return model && strcmp(model->kind, KIND) == 0 ? model : NULL;
}

static enum hs_err add_devices(const struct list *list, const char *name, int64_t count,
                               struct hs_error *error)
{
    const struct catalogue_device *model = model_of(list->catalogue, name);
    int64_t mem_bytes = model && model->mem_bytes ? model->mem_bytes : HS_MEM_UNLIMITED;
    enum hs_err err = HS_OK;

    for (int64_t i = 0; !err && i < count; i++) {
        err = hs_cluster_add_device(list->cluster, KIND, name, HS_NO_GROUP, mem_bytes, error);
        for (size_t k = 0; !err && model && k < model->feature_count; k++) {
            err = hs_cluster_add_device_feature(list->cluster, model->features[k], error);
        }
    }
    return err;
}

static enum hs_err add_node(struct list *list, const struct csv_row *row, struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(list->cluster);
    int64_t cores_milli, memory_mib, gpus;
    enum hs_err err = name(list, row, COLUMN_NAME, error);

    if (!err) {
        err = number(list, row, COLUMN_CPU, 1, CORES_MAX, &cores_milli, error);
    }
    if (!err) {
        err = number(list, row, COLUMN_MEMORY, 1, MEMORY_MAX_MIB, &memory_mib, error);
    }
    if (!err) {
        err = number(list, row, COLUMN_GPU, 0, HS_NODE_DEVICES_MAX, &gpus, error);
    }
    if (!err && gpus > 0) {
        err = name(list, row, COLUMN_MODEL, error);
    }
    if (!err && count == NODES_MAX) {
        err = hs_error_set(error, HS_ERR_INPUT, "%s:%lld: more than %u nodes.", list->path,
                           (long long)row->line, NODES_MAX);
    }
    if (!err && !reserve_line(list, count)) {
        err = hs_error_memory(error);
    }
    if (!err) {
        list->lines[count] = row->line;
        err = hs_cluster_add_node(list->cluster, row->fields[COLUMN_NAME], cores_milli,
                                  memory_mib << 20, error);
    }
    return err ? err : add_devices(list, row->fields[COLUMN_MODEL], gpus, error);
}

static enum hs_err read_rows(struct list *list, struct csv *csv, struct hs_error *error)
{
    struct csv_row row;
    bool has_row;
    enum hs_err err = csv_next(csv, &row, &has_row, error);

    while (!err && has_row) {
        if (row.problem) {
            return hs_error_set(error, HS_ERR_INPUT, "%s:%lld: %s. Correct or remove this row.",
                                list->path, (long long)row.line, row.problem);
        }
        err = add_node(list, &row, error);
        if (!err) {
            err = csv_next(csv, &row, &has_row, error);
        }
    }
    if (!err && hs_cluster_node_count(list->cluster) == 0) {
        err = hs_error_set(error, HS_ERR_INPUT,
                           "%s:1: the list has a header and no node. A platform needs at least "
                           "one.",
                           list->path);
    }
    return err;
}

struct named {
    const char *name;
    int64_t line;
};

static int compare_named(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    int order = strcmp(a->name, b->name);

    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Two rows of one name are told with both lines. */
static enum hs_err check_names(const struct list *list, struct hs_error *error)
{
    uint32_t count = hs_cluster_node_count(list->cluster);
    struct named *named = malloc(count * sizeof *named);
    enum hs_err err = HS_OK;

    if (!named) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        named[i] = (struct named){hs_cluster_node(list->cluster, i)->name, list->lines[i]};
    }
    qsort(named, count, sizeof *named, compare_named);
    for (uint32_t i = 1; !err && i < count; i++) {
        if (strcmp(named[i - 1].name, named[i].name) == 0) {
            err = hs_error_set(error, HS_ERR_INPUT,
                               "%s:%lld: the node '%.200s' stands in line %lld already. Each node "
                               "has a name of its own.",
                               list->path, (long long)named[i].line, named[i].name,
                               (long long)named[i - 1].line);
        }
    }
    free(named);
    return err;
}

/* Bytes that the names of the accelerators take: NODE:gpu0, NODE:gpu1, ... */
static size_t names_size(const struct hs_cluster *cluster)
{
    size_t size = 1;

    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        const struct hs_node *node = hs_cluster_node(cluster, i);

        size += node->device_count * (strlen(node->name) + sizeof ":" KIND "00");
    }
    return size;
}

static void fill_node(const struct hs_cluster *cluster, uint32_t index, struct platform_host *host)
{
    const struct hs_node *node = hs_cluster_node(cluster, index);

    *host = (struct platform_host){
        .name = node->name,
        .role = PLATFORM_COMPUTE,
        .kind = "cpu",
        .cores = node->cores_milli / 1000,
        .mem_bytes = node->mem_bytes,
        .power = platform_power_unknown(),
        .node = index,
        .device = UINT32_MAX,
    };
}

/* The hosts that a SimGrid file of this cluster would have: each node, and its accelerators. */
static enum hs_err fill_hosts(struct platform *platform, struct hs_error *error)
{
    const struct hs_cluster *cluster = platform->cluster;
    size_t device_count = hs_cluster_device_count(cluster);
    size_t size = names_size(cluster);
    struct platform_storage *storage = calloc(1, sizeof *storage);
    struct platform_host *host;
    char *text;

    platform->storage = storage;
    platform->host_count = hs_cluster_node_count(cluster) + device_count;
    platform->hosts = host = calloc(platform->host_count, sizeof *host);
    if (!storage || !host) {
        return hs_error_memory(error);
    }
    storage->frames = text = malloc(size);
    storage->property_names = malloc((device_count + 1) * sizeof(const char *));
    storage->property_values = malloc((device_count + 1) * sizeof(const char *));
    if (!text || !storage->property_names || !storage->property_values) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        const struct hs_node *node = hs_cluster_node(cluster, i);

        fill_node(cluster, i, host++);
        for (uint32_t k = 0; k < node->device_count; k++, host++) {
            uint32_t device = node->first_device + k;
            const char *name =
                hs_cluster_model_name(cluster, hs_cluster_device(cluster, device)->model);
            const struct catalogue_device *model = model_of(platform->catalogue, name);
            int length = snprintf(text, size, "%s:" KIND "%u", node->name, k);

            HS_ASSERT(length >= 0 && (size_t)length < size);
            storage->property_names[device] = "model";
            storage->property_values[device] = name;
            *host = (struct platform_host){
                .name = text,
                .role = PLATFORM_DEVICE,
                .kind = KIND,
                .cores = 1,
                .mem_bytes = model && model->mem_bytes ? model->mem_bytes : 0,
                .property_names = &storage->property_names[device],
                .property_values = &storage->property_values[device],
                .property_count = 1,
                .model = model,
                .power = model ? model->power : platform_power_unknown(),
                .node = i,
                .device = device,
            };
            text += length + 1;
            size -= (size_t)length + 1;
        }
    }
    return HS_OK;
}

enum hs_err openb_load(const char *path, struct platform *platform, struct hs_error *error)
{
    struct list list = {.path = path, .catalogue = platform->catalogue};
    struct csv *csv;
    enum hs_err err = csv_open(path, "a list of nodes", columns, COLUMN_COUNT, &csv, error);

    if (err) {
        return err;
    }
    platform->cluster = list.cluster = hs_cluster_create();
    err = list.cluster ? read_rows(&list, csv, error) : hs_error_memory(error);
    if (!err) {
        err = check_names(&list, error);
    }
    if (!err) {
        err = hs_cluster_seal(platform->cluster, error);
    }
    if (!err) {
        err = fill_hosts(platform, error);
    }
    if (!err) {
        err = nodes_collect_power(platform, error);
    }
    free(list.lines);
    csv_close(csv);
    return err;
}
