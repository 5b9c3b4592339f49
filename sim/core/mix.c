/* SPDX-License-Identifier: MIT */
/* mix.c - fragmentation of a node for a mix of demands. */
#include "hs/mix.h"

#include "free_internal.h"

/* What is free on a node, by device. */
struct sight {
    const struct hs_device *devices;
    uint32_t shares[HS_NODE_DEVICES_MAX];
    uint32_t count;
    int64_t cores_milli;
    uint64_t features;
};

/* Why a demand cannot use a device. The sums of each are added in this order at the end, as the
 * authors' simulator does, since scores are cut to whole numbers and must not hang on rounding. */
enum lack { LACK_BOTH, LACK_DEVICES, LACK_CORES, NO_DEVICES_CORES, NO_DEVICES, NO_ACCESS, LACKS };

static void look(struct sight *sight, const struct hs_free *free, uint32_t node)
{
    const struct hs_node *place = &free->nodes[node];

    sight->count = place->device_count;
    sight->cores_milli = free->cores_milli[node];
    sight->features = place->features;
    sight->devices = place->device_count ? &free->devices[place->first_device] : NULL;
    for (uint32_t i = 0; i < sight->count; i++) {
        sight->shares[i] = free->shares[place->first_device + i];
    }
}

static bool is_of(const struct sight *sight, uint32_t index, uint16_t kind)
{
    return kind == HS_ANY_KIND || sight->devices[index].kind == kind;
}

/* Adds what of the free devices of `kind` the demand cannot use. */
static void add_lack(const struct sight *sight, const struct hs_demand *demand, double weight,
                     uint16_t kind, double *sums)
{
    bool has_cores = sight->cores_milli >= demand->cores_milli;
    uint32_t all = 0;    /* free shares */
    uint32_t rest = 0;   /* of them, on devices that the demand finds too full or may not use */
    uint32_t useful = 0; /* devices that serve it */
    bool is_admitted = false;

    for (uint32_t i = 0; i < sight->count; i++) {
        bool is_admissible = demand->device_count && hs_demand_admits(demand, &sight->devices[i]);
        bool is_useful = is_admissible && sight->shares[i] >= demand->device_share;

        is_admitted |= is_admissible;
        useful += is_useful;
        if (is_of(sight, i, kind)) {
            all += sight->shares[i];
            rest += is_useful ? 0 : sight->shares[i];
        }
    }
    if (!demand->device_count) {
        sums[has_cores ? NO_DEVICES : NO_DEVICES_CORES] += weight * all;
    } else if (!is_admitted || (demand->node_features & ~sight->features)) {
        sums[NO_ACCESS] += weight * all;
    } else if (useful < demand->device_count) {
        sums[has_cores ? LACK_DEVICES : LACK_BOTH] += weight * all;
    } else if (!has_cores) {
        sums[LACK_CORES] += weight * all;
    } else {
        sums[LACK_DEVICES] += weight * rest;
    }
}

static double fragment(const struct hs_mix *mix, const struct sight *sight, uint16_t kind)
{
    double sums[LACKS] = {0};
    double total = 0;

    for (size_t m = 0; m < mix->count; m++) {
        add_lack(sight, &mix->demands[m], mix->weights[m], kind, sums);
    }
    for (int i = 0; i < LACKS; i++) {
        total += sums[i];
    }
    return total;
}

double hs_mix_fragment(const struct hs_mix *mix, const struct hs_free *free, uint32_t node,
                       uint16_t kind)
{
    struct sight sight;

    look(&sight, free, node);
    return fragment(mix, &sight, kind);
}

double hs_mix_fragment_after(const struct hs_mix *mix, const struct hs_free *free, uint32_t node,
                             uint16_t kind, const struct hs_demand *demand,
                             const struct hs_device_share *devices)
{
    struct sight sight;

    look(&sight, free, node);
    sight.cores_milli -= demand->cores_milli;
    for (uint32_t i = 0; i < demand->device_count; i++) {
        sight.shares[devices[i].device - free->nodes[node].first_device] -= devices[i].share;
    }
    return fragment(mix, &sight, kind);
}

void hs_free_pick(const struct hs_free *free, uint32_t node, const struct hs_demand *demand,
                  enum hs_local local, struct hs_device_share *devices)
{
    const struct hs_placement placement = {.local = local};
    bool is_picked =
        !demand->device_count || hsi_local_pick(free, node, demand, 1, &placement, devices);

    HS_ASSERT(is_picked);
}
