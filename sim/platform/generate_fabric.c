/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate_fabric.c - fat trees and dragonflies that hold so many racks.
 *
 * SimGrid 3.32 wants every host of such a cluster; here they are the switches of the racks, and
 * those that no rack needs are spare. In a dragonfly it sends a packet to another group over the
 * blade with the number of that group (DragonflyZone::get_local_route), so that more groups than
 * blades read behind an array, although such a platform may load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/generate_internal.h"

static int64_t divide_up(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

/* "16x20": numbers from 1 on; their count, 0 if the text is something else. */
static size_t parse_shape(const char *text, int64_t sizes[GENERATE_LEVELS_MAX])
{
    size_t count = 0;

    for (;;) {
        char *end;

        if (count == GENERATE_LEVELS_MAX || *text < '0' || *text > '9') {
            return 0;
        }
        sizes[count] = strtoll(text, &end, 10);
        if (sizes[count] < 1 || sizes[count] > GENERATE_FABRIC_MAX) {
            return 0;
        }
        count++;
        if (!*end) {
            return count;
        }
        if (*end != 'x') {
            return 0;
        }
        text = end + 1;
    }
}

/* Whether the shape holds the racks and is not absurdly large. */
static enum hs_err check_size(const struct generate_network *network, const char *what,
                              const int64_t *sizes, size_t count, struct hs_error *error)
{
    int64_t product = 1;

    for (size_t i = 0; i < count; i++) {
        product *= sizes[i]; /* at most 4096^4 */
    }
    if (product > GENERATE_FABRIC_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--shape %s is a %s for %lld racks; at most %d are allowed. Leave "
                            "--shape away for the smallest that holds the %lld racks.",
                            network->shape, what, (long long)product, GENERATE_FABRIC_MAX,
                            (long long)network->racks);
    }
    if (product < network->racks) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--shape %s is too small: this %s has room for %lld racks, and there "
                            "are %lld. Enlarge a number, use fewer racks, or leave --shape away.",
                            network->shape, what, (long long)product, (long long)network->racks);
    }
    return HS_OK;
}

/* Levels of equal width, the last as narrow as can be. */
static size_t derive_tree(int64_t racks, int64_t sizes[GENERATE_LEVELS_MAX])
{
    size_t levels = 1;
    int64_t room = GENERATE_PORTS_MAX;
    int64_t width = 1;
    int64_t below = 1;

    while (room < racks) {
        room *= GENERATE_PORTS_MAX;
        levels++;
    }
    for (;; width++) {
        int64_t power = 1;

        for (size_t i = 0; i < levels; i++) {
            power *= width;
        }
        if (power >= racks) {
            break;
        }
    }
    for (size_t i = 0; i + 1 < levels; i++) {
        sizes[i] = width;
        below *= width;
    }
    sizes[levels - 1] = divide_up(racks, below);
    return levels;
}

static enum hs_err build_tree(struct generate_network *network, struct hs_error *error)
{
    int64_t sizes[GENERATE_LEVELS_MAX];
    size_t levels;
    char downs[64] = "";
    char ups[64] = "";
    char cables[64] = "";
    enum hs_err err = HS_OK;

    if (network->shape) {
        levels = parse_shape(network->shape, sizes);
        err = levels ? check_size(network, "fat tree", sizes, levels, error)
                     : hs_error_set(error, HS_ERR_CONFIG,
                                    "--shape is '%.100s'; 1 to %d numbers from 1 to %d with x "
                                    "between them are due for a fat tree, for instance 16x20.",
                                    network->shape, GENERATE_LEVELS_MAX, GENERATE_FABRIC_MAX);
    } else {
        levels = derive_tree(network->racks, sizes);
    }
    network->ports = 1;
    for (size_t i = 0; err == HS_OK && i < levels; i++) {
        const char *comma = i ? "," : "";
        size_t end = strlen(cables);

        /* As many links up as down: full bisection above the uplinks of the racks. */
        (void)snprintf(downs + strlen(downs), 16, "%s%lld", comma, (long long)sizes[i]);
        (void)snprintf(ups + strlen(ups), 16, "%s%lld", comma, i ? (long long)sizes[i - 1] : 1LL);
        (void)snprintf(cables + end, sizeof cables - end, "%s1", comma);
        network->ports *= sizes[i];
    }
    if (err == HS_OK) {
        (void)snprintf(network->parameters, sizeof network->parameters, "%zu;%.32s;%.32s;%.16s",
                       levels, downs, ups, cables);
    }
    return err;
}

/* Groups x chassis x blades with the fewest ports of a switch, then the fewest spares. */
static void derive_dragonfly(int64_t racks, int64_t sizes[3])
{
    int64_t best_ports = INT64_MAX;
    int64_t best_room = INT64_MAX;

    for (int64_t blades = 1; blades <= racks; blades++) {
        for (int64_t chassis = 1; chassis <= divide_up(racks, blades); chassis++) {
            int64_t groups = divide_up(racks, blades * chassis);
            int64_t room = groups * chassis * blades;
            int64_t ports = blades + chassis;

            if (groups <= blades &&
                (ports < best_ports || (ports == best_ports && room < best_room))) {
                best_ports = ports;
                best_room = room;
                sizes[0] = groups;
                sizes[1] = chassis;
                sizes[2] = blades;
            }
        }
    }
}

static enum hs_err build_dragonfly(struct generate_network *network, struct hs_error *error)
{
    int64_t sizes[GENERATE_LEVELS_MAX] = {1, 1, 1};
    int64_t cables;

    if (network->shape) {
        enum hs_err err;

        if (parse_shape(network->shape, sizes) != 3) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--shape is '%.100s'; GROUPSxCHASSISxBLADES is due for a "
                                "dragonfly, numbers from 1 to %d, for instance 4x2x6.",
                                network->shape, GENERATE_FABRIC_MAX);
        }
        err = check_size(network, "dragonfly", sizes, 3, error);
        if (err != HS_OK) {
            return err;
        }
    } else {
        derive_dragonfly(network->racks, sizes);
    }
    if (sizes[0] > sizes[2]) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--shape %s is impossible: %lld groups but %lld blades in a chassis. "
                            "SimGrid reaches group N over blade N and crashes where groups > "
                            "blades. Use fewer groups or more blades.",
                            network->shape, (long long)sizes[0], (long long)sizes[2]);
    }
    /* As many links between two groups as let all racks of a group send to the others. */
    cables = sizes[0] > 1 ? divide_up(sizes[1] * sizes[2], sizes[0]) : 1;
    network->ports = sizes[0] * sizes[1] * sizes[2];
    (void)snprintf(network->parameters, sizeof network->parameters, "%lld,%lld;%lld,1;%lld,1;1",
                   (long long)sizes[0], (long long)cables, (long long)sizes[1],
                   (long long)sizes[2]);
    return HS_OK;
}

enum hs_err generate_fabric(struct generate_network *network, struct hs_error *error)
{
    network->ports = 0;
    if (network->topology == GENERATE_FAT_TREE) {
        return build_tree(network, error);
    }
    if (network->topology == GENERATE_DRAGONFLY) {
        return build_dragonfly(network, error);
    }
    return network->shape ? hs_error_set(error, HS_ERR_CONFIG,
                                         "--shape %.100s is for --topology fat-tree or dragonfly; "
                                         "a star has none.",
                                         network->shape)
                          : HS_OK;
}
