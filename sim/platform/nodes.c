/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nodes.c - builds the cluster in one walk over the nodes, each with its devices behind it. */
#include "platform/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/hosts.h"

#define NAME_MAX_BYTES 256 /* of a node, as a part of the name of a device */

/* A device, and the host of its node. Sorted, the devices of a node stand together, in the order
 * of their names. */
struct attachment {
    size_t node;
    size_t device;
};

struct builder {
    struct platform *platform;
    const struct source *source;
    struct attachment *attachments;
    size_t attachment_count;
    const char **racks; /* sorted, each once */
    size_t rack_count;
};

static int compare_attachments(const void *left, const void *right)
{
    const struct attachment *a = left;
    const struct attachment *b = right;

    if (a->node != b->node) {
        return a->node < b->node ? -1 : 1;
    }
    return (a->device > b->device) - (a->device < b->device);
}

static int compare_racks(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;

    return platform_name_compare(*a, *b);
}

/* The host of this name, found by halving: hosts are sorted. */
static const struct platform_host *find_host(const struct platform *platform, const char *name)
{
    size_t low = 0;
    size_t high = platform->host_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = platform_name_compare(name, platform->hosts[middle].name);

        if (order == 0) {
            return &platform->hosts[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

static enum hs_err fail_device(const struct source *source, const struct platform_host *host,
                               const char *node, struct hs_error *error)
{
    if (!node) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: The device '%.200s' (kind %.100s) belongs to no node. Name it "
                            "NODE:DEVICE, for instance n0:%.100s0, or give it <prop id=\"node\" "
                            "value=\"NODE\"/>.",
                            hosts_place(source, host).text, host->name, host->kind, host->kind);
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: The device '%.200s' (kind %.100s) belongs to the node '%.200s', but "
                        "no host of kind cpu has this name. Add the host, or correct the name "
                        "before ':' or the property node.",
                        hosts_place(source, host).text, host->name, host->kind, node);
}

/* The host of the node of a device. */
static enum hs_err find_node(const struct builder *builder, const struct platform_host *device,
                             const struct platform_host **node, struct hs_error *error)
{
    const char *name = hosts_property(device, "node");
    const char *colon = strchr(device->name, ':');
    char before[NAME_MAX_BYTES];

    if (!name && colon && (size_t)(colon - device->name) < sizeof before) {
        (void)snprintf(before, sizeof before, "%.*s", (int)(colon - device->name), device->name);
        name = before;
    }
    *node = name ? find_host(builder->platform, name) : NULL;
    if (!*node || (*node)->role == PLATFORM_DEVICE || (*node)->role == PLATFORM_PORT) {
        return fail_device(builder->source, device, name, error);
    }
    return HS_OK;
}

/* An empty value says nothing. */
static const char *property_or_none(const struct platform_host *host, const char *name)
{
    const char *value = hosts_property(host, name);

    return value && *value ? value : NULL;
}

/* Finds the nodes of all devices, and all racks. */
static enum hs_err survey(struct builder *builder, struct hs_error *error)
{
    struct platform *platform = builder->platform;
    size_t racks = 0;

    builder->attachments = calloc(platform->host_count, sizeof *builder->attachments);
    builder->racks = calloc(platform->host_count, sizeof *builder->racks);
    if (!builder->attachments || !builder->racks) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < platform->host_count; i++) {
        struct platform_host *host = &platform->hosts[i];
        const struct platform_host *node;

        if (host->role == PLATFORM_COMPUTE) {
            host->rack = property_or_none(host, "rack");
            if (host->rack) {
                builder->racks[racks++] = host->rack;
            }
        } else if (host->role == PLATFORM_DEVICE) {
            enum hs_err err = find_node(builder, host, &node, error);

            if (err != HS_OK) {
                return err;
            }
            host->group = property_or_none(host, "group");
            builder->attachments[builder->attachment_count++] =
                (struct attachment){(size_t)(node - platform->hosts), i};
        }
    }
    qsort(builder->attachments, builder->attachment_count, sizeof *builder->attachments,
          compare_attachments);
    qsort(builder->racks, racks, sizeof *builder->racks, compare_racks);
    for (size_t i = 0; i < racks; i++) {
        if (i == 0 || strcmp(builder->racks[i], builder->racks[i - 1]) != 0) {
            builder->racks[builder->rack_count++] = builder->racks[i];
        }
    }
    return HS_OK;
}

/* Groups count up within a node in the order in which its devices name them. */
static uint32_t find_group(const struct builder *builder, const struct attachment *first,
                           const struct attachment *at)
{
    const struct platform_host *hosts = builder->platform->hosts;
    const char *group = hosts[at->device].group;
    uint32_t count = 0;

    if (!group) {
        return HS_NO_GROUP;
    }
    for (const struct attachment *earlier = first; earlier < at; earlier++) {
        const struct platform_host *host = &hosts[earlier->device];

        if (host->group) {
            uint32_t number = hs_cluster_device(builder->platform->cluster, host->device)->group;

            if (strcmp(host->group, group) == 0) {
                return number;
            }
            count = number >= count ? number + 1 : count;
        }
    }
    return count;
}

static enum hs_err add_device(const struct builder *builder, const struct attachment *first,
                              const struct attachment *at, struct hs_error *error)
{
    struct platform_host *host = &builder->platform->hosts[at->device];
    struct hs_cluster *cluster = builder->platform->cluster;
    const struct catalogue_device *model = host->model;
    uint32_t group = find_group(builder, first, at);
    enum hs_err err =
        hs_cluster_add_device(cluster, host->kind, model ? model->model : host->kind, group,
                              host->mem_bytes ? host->mem_bytes : HS_MEM_UNLIMITED, error);

    host->node = builder->platform->hosts[at->node].node;
    host->device = hs_cluster_device_count(cluster) - 1;
    for (size_t i = 0; model && i < model->feature_count && err == HS_OK; i++) {
        err = hs_cluster_add_device_feature(cluster, model->features[i], error);
    }
    return err;
}

static enum hs_err add_node(const struct builder *builder, struct platform_host *host,
                            struct hs_error *error)
{
    struct hs_cluster *cluster = builder->platform->cluster;
    const struct catalogue_device *model = host->model;
    enum hs_err err;

    host->node = hs_cluster_node_count(cluster);
    err = hs_cluster_add_node(cluster, host->name, host->cores * 1000,
                              host->mem_bytes ? host->mem_bytes : HS_MEM_UNLIMITED, error);
    for (size_t i = 0; model && i < model->feature_count && err == HS_OK; i++) {
        err = hs_cluster_add_node_feature(cluster, model->features[i], error);
    }
    if (err == HS_OK && host->rack) {
        const char **rack = bsearch(&host->rack, builder->racks, builder->rack_count,
                                    sizeof *builder->racks, compare_racks);

        HS_ASSERT(rack);
        hs_cluster_set_rack(cluster, (uint32_t)(rack - builder->racks));
    }
    return err;
}

static enum hs_err add_all(struct builder *builder, struct hs_error *error)
{
    struct platform *platform = builder->platform;
    const struct attachment *at = builder->attachments;
    const struct attachment *end = at + builder->attachment_count;
    enum hs_err err = HS_OK;

    for (size_t i = 0; i < platform->host_count && err == HS_OK; i++) {
        struct platform_host *host = &platform->hosts[i];
        const struct attachment *first;
        bool is_node = host->role == PLATFORM_COMPUTE;

        if (is_node) {
            err = add_node(builder, host, error);
        }
        for (first = at; at < end && at->node == i && err == HS_OK; at++) {
            if (is_node) {
                err = add_device(builder, first, at, error);
            }
        }
        if (err == HS_ERR_INPUT) {
            struct hs_error inner = *error;

            return hs_error_set(error, err, "%s: %s", hosts_place(builder->source, host).text,
                                inner.text);
        }
    }
    return err;
}

enum hs_err nodes_collect_power(struct platform *platform, struct hs_error *error)
{
    size_t devices = hs_cluster_device_count(platform->cluster);
    bool is_known = false;

    for (size_t i = 0; i < platform->host_count && !is_known; i++) {
        is_known = platform->hosts[i].node != UINT32_MAX &&
                   platform_power_is_known(&platform->hosts[i].power);
    }
    if (!is_known) {
        return HS_OK;
    }
    platform->node_power =
        calloc(hs_cluster_node_count(platform->cluster), sizeof *platform->node_power);
    platform->device_power = calloc(devices ? devices : 1, sizeof *platform->device_power);
    if (!platform->node_power || !platform->device_power) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        if (host->device != UINT32_MAX) {
            platform->device_power[host->device] = host->power;
        } else if (host->node != UINT32_MAX) {
            platform->node_power[host->node] = host->power;
        }
    }
    return HS_OK;
}

static enum hs_err check_nodes(const struct platform *platform, const struct source *source,
                               struct hs_error *error)
{
    for (size_t i = 0; i < platform->host_count; i++) {
        if (platform->hosts[i].role == PLATFORM_COMPUTE) {
            return HS_OK;
        }
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: None of the %zu hosts takes jobs: all are masters, storage or "
                        "accelerators (properties role and kind). Add a host without these "
                        "properties.",
                        hosts_place(source, &platform->hosts[0]).text, platform->host_count);
}

enum hs_err nodes_build(struct platform *platform, const struct source *source,
                        struct hs_error *error)
{
    struct builder builder = {.platform = platform, .source = source};
    enum hs_err err = check_nodes(platform, source, error);

    if (err == HS_OK) {
        err = survey(&builder, error);
    }
    if (err == HS_OK) {
        platform->cluster = hs_cluster_create();
        err = platform->cluster ? add_all(&builder, error) : hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = hs_cluster_seal(platform->cluster, error);
    }
    if (err == HS_OK) {
        err = nodes_collect_power(platform, error);
    }
    free(builder.attachments);
    free(builder.racks);
    return err;
}
