/* SPDX-License-Identifier: MIT */
/* registry.c - plug-ins by kind and name. */
#include "registry_internal.h"

#include <stdlib.h>
#include <string.h>

struct hs_registry {
    struct hsi_entry **entries[HS_KIND_COUNT];
    size_t counts[HS_KIND_COUNT];
    void **libraries;
    char **paths;
    size_t library_count;
};

static const struct {
    const char *name;
    size_t size;
} kinds[HS_KIND_COUNT] = {
    [HS_KIND_POLICY] = {"policy", sizeof(struct hs_policy)},
    [HS_KIND_ORDER] = {"order", sizeof(struct hs_order)},
    [HS_KIND_RESERVE] = {"reservation rule", sizeof(struct hs_reserve)},
    [HS_KIND_PLACE] = {"placement", sizeof(struct hs_place)},
    [HS_KIND_PREDICT] = {"predictor", sizeof(struct hs_predictor)},
};

const char *hs_kind_name(enum hs_kind kind)
{
    return kinds[kind].name;
}

struct hs_registry *hs_registry_create(void)
{
    return calloc(1, sizeof(struct hs_registry));
}

void hs_registry_destroy(struct hs_registry *registry)
{
    if (!registry) {
        return;
    }
    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        for (size_t i = 0; i < registry->counts[kind]; i++) {
            free(registry->entries[kind][i]);
        }
        free(registry->entries[kind]);
    }
    for (size_t i = 0; i < registry->library_count; i++) {
        hsi_library_close(registry->libraries[i]);
        free(registry->paths[i]);
    }
    free(registry->libraries);
    free(registry->paths);
    free(registry);
}

const struct hsi_entry *hsi_registry_find(const struct hs_registry *registry, enum hs_kind kind,
                                          const char *name)
{
    for (size_t i = 0; i < registry->counts[kind]; i++) {
        if (strcmp(registry->entries[kind][i]->as.policy.name, name) == 0) {
            return registry->entries[kind][i];
        }
    }
    return NULL;
}

static bool is_name(const char *name)
{
    return name && *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static bool has_function(enum hs_kind kind, const struct hsi_entry *entry)
{
    switch (kind) {
    case HS_KIND_POLICY:
        return entry->as.policy.schedule != NULL;
    case HS_KIND_RESERVE:
        return entry->as.reserve.schedule != NULL;
    case HS_KIND_ORDER:
        return entry->as.order.key != NULL;
    case HS_KIND_PREDICT:
        return entry->as.predictor.predict != NULL;
    default:
        return true; /* a placement without a score is left-most */
    }
}

static enum hs_err check_entry(const struct hs_registry *registry, enum hs_kind kind,
                               const struct hsi_entry *entry, struct hs_error *error)
{
    const struct hs_policy *common = &entry->as.policy;
    const char *kind_name = kinds[kind].name;

    if (!is_name(common->name) || !common->summary) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "A %s of %s has no summary, or its name is not made of a-z, 0-9 and -.",
                            kind_name, entry->origin);
    }
    if (!has_function(kind, entry)) {
        return hs_error_set(error, HS_ERR_CONFIG, "The %s '%s' of %s lacks its function (%s).",
                            kind_name, common->name, entry->origin,
                            kind == HS_KIND_ORDER     ? "key"
                            : kind == HS_KIND_PREDICT ? "predict"
                                                      : "schedule");
    }
    if (hsi_registry_find(registry, kind, common->name)) {
        return hs_error_set(error, HS_ERR_CONFIG, "The %s '%s' of %s: the name is taken.",
                            kind_name, common->name, entry->origin);
    }
    return HS_OK;
}

static enum hs_err add_entry(struct hs_registry *registry, enum hs_kind kind,
                             const struct hsi_common *source, const char *origin,
                             struct hs_error *error)
{
    size_t count = registry->counts[kind];
    struct hsi_entry **moved;
    struct hsi_entry *entry;
    enum hs_err err;

    if (source->abi != HS_ABI || source->size < sizeof *source || source->size > 4096) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "A %s of %s was built for plug-in interface %u, this program has %u; "
                            "build it again with this version's headers.",
                            kinds[kind].name, origin, source->abi, HS_ABI);
    }
    entry = calloc(1, sizeof *entry);
    if (!entry) {
        return hs_error_memory(error);
    }
    memcpy(&entry->as, source, source->size < kinds[kind].size ? source->size : kinds[kind].size);
    entry->origin = origin;
    err = check_entry(registry, kind, entry, error);
    if (err != HS_OK) {
        free(entry);
        return err;
    }
    moved = realloc(registry->entries[kind], (count + 1) * sizeof(struct hsi_entry *));
    if (!moved) {
        free(entry);
        return hs_error_memory(error);
    }
    moved[count] = entry;
    registry->entries[kind] = moved;
    registry->counts[kind] = count + 1;
    return HS_OK;
}

/* The lists differ in element type only; each element begins with hsi_common. */
#define ADD_LIST(kind, list)                                                                       \
    for (size_t i = 0; err == HS_OK && (list) && (list)[i]; i++) {                                 \
        err = add_entry(registry, kind, (const struct hsi_common *)(const void *)(list)[i],        \
                        origin, error);                                                            \
    }

enum hs_err hs_registry_add(struct hs_registry *registry, const struct hs_plugin *plugin,
                            const char *origin, struct hs_error *error)
{
    struct hs_plugin lists = {0};
    enum hs_err err = HS_OK;

    if (plugin->abi != HS_ABI || plugin->size < offsetof(struct hs_plugin, policies) ||
        plugin->size > 4096) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Plug-in '%s' was built for plug-in interface %u, this program has %u; "
                            "build it again with this version's headers.",
                            origin, plugin->abi, HS_ABI);
    }
    memcpy(&lists, plugin, plugin->size < sizeof lists ? plugin->size : sizeof lists);
    if (!lists.policies && !lists.orders && !lists.reserves && !lists.places && !lists.predictors) {
        return hs_error_set(error, HS_ERR_CONFIG, "Plug-in '%s' lists no plug-ins.", origin);
    }
    ADD_LIST(HS_KIND_POLICY, lists.policies)
    ADD_LIST(HS_KIND_ORDER, lists.orders)
    ADD_LIST(HS_KIND_RESERVE, lists.reserves)
    ADD_LIST(HS_KIND_PLACE, lists.places)
    ADD_LIST(HS_KIND_PREDICT, lists.predictors)
    return err;
}

enum hs_err hs_registry_load(struct hs_registry *registry, const char *path, struct hs_error *error)
{
    size_t count = registry->library_count;
    const struct hs_plugin *plugin = NULL;
    void **libraries = realloc(registry->libraries, (count + 1) * sizeof *libraries);
    char **paths;

    if (!libraries) {
        return hs_error_memory(error);
    }
    registry->libraries = libraries;
    paths = realloc(registry->paths, (count + 1) * sizeof *paths);
    if (!paths) {
        return hs_error_memory(error);
    }
    registry->paths = paths;
    paths[count] = strdup(path);
    if (!paths[count]) {
        return hs_error_memory(error);
    }
    libraries[count] = hsi_library_open(path, &plugin, error);
    if (!libraries[count]) {
        free(paths[count]);
        return HS_ERR_CONFIG;
    }
    registry->library_count++; /* entries may point into it from here on */
    return hs_registry_add(registry, plugin, paths[count], error);
}

size_t hs_registry_count(const struct hs_registry *registry, enum hs_kind kind)
{
    return registry->counts[kind];
}

struct hs_plugin_info hs_registry_info(const struct hs_registry *registry, enum hs_kind kind,
                                       size_t index)
{
    const struct hsi_entry *entry;

    HS_ASSERT(index < registry->counts[kind]);
    entry = registry->entries[kind][index];
    return (struct hs_plugin_info){
        .name = entry->as.policy.name,
        .summary = entry->as.policy.summary,
        .params = entry->as.policy.params,
        .origin = entry->origin,
        .is_time_varying = kind == HS_KIND_ORDER && entry->as.order.is_time_varying,
    };
}
