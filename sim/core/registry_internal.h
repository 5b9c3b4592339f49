/* SPDX-License-Identifier: MIT */
/* registry_internal.h - how the registry and its compositions look inside the core. */
#ifndef HSI_REGISTRY_H
#define HSI_REGISTRY_H

#include "hs/registry.h"

/* A copy of the plug-in's struct in the host's own layout: fields that an older plug-in lacks are
 * zero. */
struct hsi_entry {
    union {
        struct hs_policy policy;
        struct hs_order order;
        struct hs_reserve reserve;
        struct hs_place place;
        struct hs_predictor predictor;
    } as;
    const char *origin;
};

/* The fields that all kinds begin with. */
struct hsi_common {
    uint32_t abi, size;
    const char *name;
    const char *summary;
    const struct hs_param *params;
    size_t state_size;
};

const struct hsi_entry *hsi_registry_find(const struct hs_registry *registry, enum hs_kind kind,
                                          const char *name);

/* One part of a stack: its plug-in and its state. */
struct hsi_part {
    const struct hsi_entry *entry; /* NULL: not in this stack */
    void *state;
};

struct hs_stack {
    struct hsi_part parts[HS_KIND_COUNT]; /* a whole policy, or an order and a reservation rule */
    struct hs_placement placement;        /* of the placement part; score NULL: left-most */
    bool is_tie_random;
    char label[128];
};

/* dlopen and friends, alone in their file: the only part of the core that the operating system
 * sees. */
void *hsi_library_open(const char *path, const struct hs_plugin **plugin, struct hs_error *error);
void hsi_library_close(void *library);

#endif
