/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups.c - numbers the kinds and models of devices. */
#include "result/groups.h"

#include <stdio.h>
#include <stdlib.h>

/* No '/', which would name a folder of the file, and no ',', which separates names. */
static void make_label(struct result_group *group)
{
    (void)snprintf(group->label, sizeof group->label, "%.40s_%.60s", group->kind, group->model);
    for (char *c = group->label; *c; c++) {
        *c = *c == '/' || *c == ',' ? '_' : *c;
    }
}

/* The group of a device; a new one if it is the first of its kind and model. */
static uint32_t find_group(struct result_groups *groups, const struct hs_cluster *cluster,
                           const struct hs_device *device)
{
    const char *model = hs_cluster_model_name(cluster, device->model);
    uint32_t g = 0;

    while (g < groups->count &&
           (groups->groups[g].kind_index != device->kind || groups->groups[g].model != model)) {
        g++;
    }
    if (g == groups->count) {
        groups->groups[groups->count++] = (struct result_group){
            .kind = hs_cluster_kind_name(cluster, device->kind),
            .model = model,
            .kind_index = device->kind,
        };
        make_label(&groups->groups[g]);
    }
    return g;
}

enum hs_err result_groups_init(struct result_groups *groups, const struct hs_cluster *cluster,
                               struct hs_error *error)
{
    uint32_t count = hs_cluster_device_count(cluster);
    size_t kinds = hs_cluster_kind_count(cluster);
    size_t models = hs_cluster_model_count(cluster);

    *groups = (struct result_groups){.kind_count = kinds};
    groups->of = calloc((size_t)count + 1, sizeof *groups->of);
    groups->groups = calloc(kinds * models + 1, sizeof *groups->groups);
    if (!groups->of || !groups->groups) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        groups->of[i] = find_group(groups, cluster, hs_cluster_device(cluster, i));
        groups->groups[groups->of[i]].count++;
    }
    return HS_OK;
}

void result_groups_fini(struct result_groups *groups)
{
    free(groups->of);
    free(groups->groups);
    *groups = (struct result_groups){0};
}
