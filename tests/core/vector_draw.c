/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vector_draw.c - random clusters with devices, and demands for them. */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "vector.h"

#define KINDS    3u
#define MODELS   5u
#define FEATURES 4u

/* Kinds, models and features are numbers here until vector_build asks the core for its own. */
static void draw_device(struct model_random *random, struct hs_device *device)
{
    uint32_t model = model_below(random, MODELS);

    *device = (struct hs_device){
        .kind = (uint16_t)(model < 3 ? 0 : model - 2),
        .model = (uint16_t)model,
        .group = HS_NO_GROUP,
        .mem_bytes =
            model_chance(random, 30) ? HS_MEM_UNLIMITED : (int64_t)model_between(random, 4, 16),
        .features = model_below(random, 1u << FEATURES),
    };
}

/* A kind of nodes. */
struct mould {
    struct vector_node node;
    struct hs_device devices[VECTOR_NODE_DEVICES_MAX];
};

static void draw_mould(struct model_random *random, struct mould *mould)
{
    uint32_t island = model_between(random, 1, 4);
    bool has_islands = model_chance(random, 60);

    mould->node = (struct vector_node){
        .cores_milli = (int64_t)model_between(random, 1, 16) * 500,
        .mem_bytes =
            model_chance(random, 25) ? HS_MEM_UNLIMITED : (int64_t)model_between(random, 1, 40),
        .features = model_below(random, 1u << FEATURES),
        .device_count =
            model_chance(random, 20) ? 0 : model_between(random, 1, VECTOR_NODE_DEVICES_MAX),
    };
    for (uint32_t d = 0; d < mould->node.device_count; d++) {
        if (d > 0 && model_chance(random, 70)) {
            mould->devices[d] = mould->devices[d - 1];
        } else {
            draw_device(random, &mould->devices[d]);
        }
        mould->devices[d].group = has_islands ? d / island : HS_NO_GROUP;
    }
}

void vector_draw_cluster(struct vector_cluster *cluster, struct model_random *random,
                         uint32_t node_count)
{
    struct mould moulds[4];
    uint32_t mould_count = model_between(random, 1, 4);
    bool has_racks = model_chance(random, 70);

    memset(cluster, 0, sizeof(*cluster));
    cluster->node_count = node_count;
    for (uint32_t m = 0; m < mould_count; m++) {
        draw_mould(random, &moulds[m]);
    }
    for (uint32_t i = 0; i < node_count; i++) {
        const struct mould *mould = &moulds[model_below(random, mould_count)];

        cluster->nodes[i] = mould->node;
        cluster->nodes[i].first_device = cluster->device_count;
        cluster->nodes[i].rack =
            has_racks && model_chance(random, 90) ? model_below(random, 4) : HS_NO_RACK;
        for (uint32_t d = 0; d < mould->node.device_count; d++) {
            cluster->devices[cluster->device_count] = mould->devices[d];
            cluster->devices[cluster->device_count++].node = i;
        }
    }
}

static void draw_devices(const struct vector_cluster *cluster, struct model_random *random,
                         struct hs_demand *demand)
{
    static const uint32_t shares[] = {100, 250, 300, 500, 500, 700, 999};

    demand->device_count = model_chance(random, 60) ? 1 : model_between(random, 1, 4);
    demand->device_share = model_chance(random, 50) ? 1000 : shares[model_below(random, 7)];
    demand->device_mem = model_chance(random, 70) ? 0 : (int64_t)model_between(random, 1, 10);
    demand->device_kind =
        model_chance(random, 70) ? HS_ANY_KIND : (uint16_t)model_below(random, cluster->kind_count);
    if (model_chance(random, 25)) {
        demand->model_count = (uint16_t)model_between(random, 1, 2);
        for (uint16_t i = 0; i < demand->model_count; i++) {
            demand->models[i] = (uint16_t)model_below(random, cluster->model_count);
        }
    }
    if (model_chance(random, 15) && cluster->feature_count > 0) {
        demand->features = UINT64_C(1) << model_below(random, cluster->feature_count);
    }
    if (model_chance(random, 20)) {
        demand->flags |= HS_DEMAND_SAME_ISLAND;
    }
}

static void draw_one(const struct vector_cluster *cluster, struct model_random *random,
                     struct hs_demand *demand)
{
    static const int64_t millis[] = {0, 250, 500, 1000, 1000, 2000, 3000};
    static const uint32_t flags[] = {HS_DEMAND_EXCLUSIVE, HS_DEMAND_SPREAD, HS_DEMAND_CONTIGUOUS,
                                     HS_DEMAND_SAME_NODE};
    bool is_wide = model_chance(random, 15);

    *demand = (struct hs_demand){
        .tasks = model_between(random, 1, is_wide ? 30 : 5),
        .cores_milli = millis[model_below(random, 7)],
        .mem_bytes = model_chance(random, 60) ? 0 : (int64_t)model_between(random, 1, 8),
        .tasks_per_node = model_chance(random, 85) ? 0 : model_between(random, 1, 3),
    };
    for (uint32_t i = 0; i < 4; i++) {
        if (model_chance(random, 8)) {
            demand->flags |= flags[i];
        }
    }
    if (model_chance(random, 10) && cluster->feature_count > 0) {
        demand->node_features = UINT64_C(1) << model_below(random, cluster->feature_count);
    }
    if (cluster->device_count > 0 && model_chance(random, 75)) {
        draw_devices(cluster, random, demand);
    } else if (demand->cores_milli == 0 && demand->mem_bytes == 0) {
        demand->cores_milli = 500;
    }
}

void vector_draw_demand(const struct vector_cluster *cluster, struct model_random *random,
                        struct hs_demand *demand, struct hs_demand *alternatives)
{
    uint32_t count = model_chance(random, 80) ? 0 : model_between(random, 1, 2);

    draw_one(cluster, random, demand);
    for (uint32_t a = 0; a < count; a++) {
        draw_one(cluster, random, &alternatives[a]);
    }
    demand->alternative_count = count;
    demand->alternatives = count > 0 ? alternatives : NULL;
}

static void add_device(struct hs_cluster *core, const struct hs_device *device)
{
    char kind[16];
    char model[16];
    char feature[16];

    (void)snprintf(kind, sizeof(kind), "kind%u", device->kind);
    (void)snprintf(model, sizeof(model), "model%u", device->model);
    CU_ASSERT_EQUAL_FATAL(
        hs_cluster_add_device(core, kind, model, device->group, device->mem_bytes, NULL), HS_OK);
    for (uint32_t f = 0; f < 64; f++) {
        if (device->features >> f & 1u) {
            (void)snprintf(feature, sizeof(feature), "feature%u", f);
            CU_ASSERT_EQUAL_FATAL(hs_cluster_add_device_feature(core, feature, NULL), HS_OK);
        }
    }
}

static void add_node(struct hs_cluster *core, uint32_t index, const struct vector_node *node)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "n%u", index);
    CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(core, name, node->cores_milli, node->mem_bytes, NULL),
                          HS_OK);
    hs_cluster_set_rack(core, node->rack);
    for (uint32_t f = 0; f < 64; f++) {
        if (node->features >> f & 1u) {
            (void)snprintf(name, sizeof(name), "feature%u", f);
            CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node_feature(core, name, NULL), HS_OK);
        }
    }
}

struct hs_cluster *vector_build(struct vector_cluster *cluster)
{
    struct hs_cluster *core = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(core);
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const struct vector_node *node = &cluster->nodes[i];

        add_node(core, i, node);
        for (uint32_t d = 0; d < node->device_count; d++) {
            add_device(core, &cluster->devices[node->first_device + d]);
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(core, NULL), HS_OK);
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        cluster->nodes[i].features = hs_cluster_node(core, i)->features;
    }
    for (uint32_t d = 0; d < cluster->device_count; d++) {
        cluster->devices[d] = *hs_cluster_device(core, d);
    }
    cluster->kind_count = hs_cluster_kind_count(core);
    cluster->model_count = hs_cluster_model_count(core);
    cluster->feature_count = hs_cluster_feature_count(core);
    return core;
}
