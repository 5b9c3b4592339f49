/* SPDX-License-Identifier: MIT */
/* mix.c - fragmentation of a node for a mix of demands. */
#include "hs/mix.h"

#include "free_internal.h"

/* Devices of a node that are alike: of the same kind, model and features, and equally free. */
struct likes {
    const struct hs_device *device; /* one of them */
    uint32_t share;                 /* free, of each */
    uint32_t count;
};

/* What is free on a node. Most of its devices are alike, so that a mix is asked few questions. */
struct sight {
    struct likes likes[HS_NODE_DEVICES_MAX];
    uint32_t count;
    int64_t cores_milli;
    uint64_t features;
};

/* Why a demand cannot use a device. The sums of each are added in this order at the end, as the
 * authors' simulator does, since scores are cut to whole numbers and must not hang on rounding. */
enum lack { LACK_BOTH, LACK_DEVICES, LACK_CORES, NO_DEVICES_CORES, NO_DEVICES, NO_ACCESS, LACKS };

static bool is_alike(const struct hs_device *a, const struct hs_device *b)
{
    return a->kind == b->kind && a->model == b->model && a->features == b->features;
}

/* Where the devices like this one are, or belong. */
static uint32_t find_likes(const struct sight *sight, const struct hs_device *device,
                           uint32_t share)
{
    uint32_t i = 0;

    while (i < sight->count &&
           (sight->likes[i].share != share || !is_alike(sight->likes[i].device, device))) {
        i++;
    }
    return i;
}

static void add_device(struct sight *sight, const struct hs_device *device, uint32_t share)
{
    uint32_t i = find_likes(sight, device, share);

    if (i == sight->count) {
        sight->likes[sight->count++] = (struct likes){device, share, 0};
    }
    sight->likes[i].count++;
}

/* The node without one task of `demand` (NULL: as it is) on `devices`. */
static void look(struct sight *sight, const struct hs_free *free, uint32_t node,
                 const struct hs_demand *demand, const struct hs_device_share *devices)
{
    const struct hs_node *place = &free->nodes[node];

    sight->count = 0;
    sight->cores_milli = free->cores_milli[node] - (demand ? demand->cores_milli : 0);
    sight->features = place->features;
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        uint32_t share = free->shares[d];

        for (uint32_t i = 0; demand && i < demand->device_count; i++) {
            share -= devices[i].device == d ? devices[i].share : 0;
        }
        add_device(sight, &free->devices[d], share);
    }
}

/* Why the demand cannot use all that is free. *serving: the devices that serve it, a bit for each
 * of the likes; none if it cannot have enough of them. */
static enum lack judge(const struct sight *sight, const struct hs_demand *demand, uint64_t *serving)
{
    bool has_cores = sight->cores_milli >= demand->cores_milli;
    uint32_t useful = 0;
    bool is_admitted = false;
    uint64_t bits = 0;

    *serving = 0;
    if (!demand->device_count) {
        return has_cores ? NO_DEVICES : NO_DEVICES_CORES;
    }
    for (uint32_t i = 0; i < sight->count; i++) {
        const struct likes *likes = &sight->likes[i];
        bool is_admissible = hs_demand_admits(demand, likes->device);

        is_admitted |= is_admissible;
        if (is_admissible && likes->share >= demand->device_share) {
            useful += likes->count;
            bits |= UINT64_C(1) << i;
        }
    }
    if (!is_admitted || (demand->node_features & ~sight->features)) {
        return NO_ACCESS;
    }
    if (useful < demand->device_count) {
        return has_cores ? LACK_DEVICES : LACK_BOTH;
    }
    if (!has_cores) {
        return LACK_CORES;
    }
    *serving = bits;
    return LACK_DEVICES;
}

/* Adds what of the free devices of `kind` the demand cannot use. */
static void add_lack(const struct sight *sight, const struct hs_demand *demand, double weight,
                     uint16_t kind, double *sums)
{
    uint64_t serving;
    enum lack lack = judge(sight, demand, &serving);
    uint32_t shares = 0;

    for (uint32_t i = 0; i < sight->count; i++) {
        const struct likes *likes = &sight->likes[i];

        if (!(serving >> i & 1) && (kind == HS_ANY_KIND || likes->device->kind == kind)) {
            shares += likes->share * likes->count;
        }
    }
    sums[lack] += weight * shares;
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

    look(&sight, free, node, NULL, NULL);
    return fragment(mix, &sight, kind);
}

double hs_mix_fragment_after(const struct hs_mix *mix, const struct hs_free *free, uint32_t node,
                             uint16_t kind, const struct hs_demand *demand,
                             const struct hs_device_share *devices)
{
    struct sight sight;

    look(&sight, free, node, demand, devices);
    return fragment(mix, &sight, kind);
}

void hs_mix_lost(const struct hs_mix *mix, const struct hs_free *free, uint32_t node, int64_t *lost)
{
    const struct hs_node *place = &free->nodes[node];
    int64_t jobs[HS_NODE_DEVICES_MAX] = {0}; /* that cannot use one of the likes */
    struct sight sight;

    look(&sight, free, node, NULL, NULL);
    for (size_t m = 0; m < mix->count; m++) {
        uint64_t serving;

        (void)judge(&sight, &mix->demands[m], &serving);
        for (uint32_t i = 0; i < sight.count; i++) {
            jobs[i] += serving >> i & 1 ? 0 : mix->jobs[m];
        }
    }
    for (uint32_t i = 0; i < place->device_count; i++) {
        uint32_t device = place->first_device + i;
        uint32_t share = free->shares[device];

        lost[i] = jobs[find_likes(&sight, &free->devices[device], share)] * share;
    }
}

void hs_free_pick(const struct hs_free *free, uint32_t node, const struct hs_demand *demand,
                  enum hs_local local, struct hs_device_share *devices)
{
    const struct hs_placement placement = {.local = local};
    bool is_picked =
        !demand->device_count || hsi_local_pick(free, node, demand, 1, &placement, devices);

    HS_ASSERT(is_picked);
}
