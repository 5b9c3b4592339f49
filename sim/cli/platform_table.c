/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_table.c - a platform as tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/grid.h"
#include "cli/platform.h"

#define TEXT_MAX    48 /* a number with its unit */
#define NAMES_WIDTH 60 /* characters of names in a row of the table, about */

/* Ranges of names with commas; ends with "..." when the row gets wide. NULL without memory. */
static char *list_names(const struct show_group *group)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    long width = 0;
    bool has_failed;

    for (size_t i = 0; stream && i < group->count;) {
        const struct show_entry *first = &group->first[i];
        size_t length = show_range_length(first, group->count - i);

        if (width > NAMES_WIDTH) {
            (void)fprintf(stream, ",...");
            break;
        }
        (void)fprintf(stream, "%s%s", i ? "," : "", first->host->name);
        if (length > 1) {
            (void)fprintf(stream, "-%s", first[length - 1].host->name);
        }
        width = ftell(stream);
        i += length;
    }
    has_failed = !stream || ferror(stream);
    if ((stream && fclose(stream) != 0) || has_failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* "64 GiB", "40 GB", "1.5 TiB"; "-" for none. Sizes that are whole in neither are rounded. */
static void format_bytes(hs_int128 bytes, char *text)
{
    static const char letters[] = "KMGTPEZY";
    hs_int128 binary = 1;
    hs_int128 decimal = 1;
    int power = 0;

    if (bytes <= 0) {
        (void)snprintf(text, TEXT_MAX, "-");
        return;
    }
    while (power < 8 && bytes / binary >= 1024) {
        binary *= 1024;
        decimal *= 1000;
        power++;
    }
    if (power == 0) {
        (void)snprintf(text, TEXT_MAX, "%d B", (int)bytes);
    } else if (bytes % decimal == 0) {
        (void)snprintf(text, TEXT_MAX, "%" PRId64 " %cB", (int64_t)(bytes / decimal),
                       power == 1 ? 'k' : letters[power - 1]);
    } else {
        (void)snprintf(text, TEXT_MAX, "%.6g %ciB", (double)bytes / (double)binary,
                       letters[power - 1]);
    }
}

/* "10 Gf"; "-" if the platform does not say. */
static void format_speed(double speed, char *text)
{
    static const char *const units[] = {"f", "kf", "Mf", "Gf", "Tf", "Pf", "Ef"};
    size_t unit = 0;

    while (speed >= 1000 && unit + 1 < sizeof units / sizeof units[0]) {
        speed /= 1000;
        unit++;
    }
    if (speed > 0) {
        (void)snprintf(text, TEXT_MAX, "%.6g %s", speed, units[unit]);
    } else {
        (void)snprintf(text, TEXT_MAX, "-");
    }
}

/* "12.5 kW"; "-" if it is not known. */
static void format_power(double watts, char *text)
{
    if (!(watts >= 0)) {
        (void)snprintf(text, TEXT_MAX, "-");
    } else if (watts < 1e4) {
        (void)snprintf(text, TEXT_MAX, "%.6g W", watts);
    } else {
        (void)snprintf(text, TEXT_MAX, "%.6g %s", watts / (watts < 1e6 ? 1e3 : 1e6),
                       watts < 1e6 ? "kW" : "MW");
    }
}

/* A column of models stands only where a file names some. */
static void add_model(const struct show *show, struct grid *grid, const struct platform_host *host)
{
    if (show->platform->catalogue) {
        grid_add(grid, "%s", host->model ? host->model->model : "-");
    }
}

/* cores, memory, speed */
static void add_sizes(struct grid *grid, const struct platform_host *host)
{
    char text[TEXT_MAX];

    grid_add(grid, "%" PRId64, host->cores);
    format_bytes(host->mem_bytes, text);
    grid_add(grid, "%s", text);
    format_speed(host->speed, text);
    grid_add(grid, "%s", text);
}

static void add_head(const struct show *show, struct grid *grid, const char *const *words)
{
    for (; *words; words++) {
        if (**words != '*') {
            grid_add(grid, "%s", *words);
        } else if (show->platform->catalogue) {
            grid_add(grid, "%s", *words + 1);
        }
    }
}

static bool print_groups(const struct show *show)
{
    static const char *const head[] = {"role",   "kind",  "*model", "hosts", "cores",
                                       "memory", "speed", "names",  NULL};
    bool has_models = show->platform->catalogue != NULL;
    struct grid grid = {.columns = has_models ? 8 : 7, .rights = has_models ? 0x78 : 0x3c};

    add_head(show, &grid, head);
    for (size_t i = 0; i < show->hosts.count; i++) {
        const struct show_group *group = &show->hosts.groups[i];
        const struct platform_host *host = group->first->host;
        char *names = list_names(group);

        grid_add(&grid, "%s", show_role_name(host->role));
        grid_add(&grid, "%s", host->kind);
        add_model(show, &grid, host);
        grid_add(&grid, "%zu", group->count);
        add_sizes(&grid, host);
        grid_add(&grid, "%s", names ? names : "");
        grid.has_failed = grid.has_failed || !names;
        free(names);
    }
    return grid_print(&grid);
}

static bool print_hosts(const struct show *show)
{
    static const char *const head[] = {"host",  "role",   "kind",  "*model", "*rack",
                                       "cores", "memory", "speed", "node",   NULL};
    const struct platform *platform = show->platform;
    bool has_models = platform->catalogue != NULL;
    struct grid grid = {.columns = has_models ? 9 : 7, .rights = has_models ? 0xe0 : 0x38};

    add_head(show, &grid, head);
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        grid_add(&grid, "%s", host->name);
        grid_add(&grid, "%s", show_role_name(host->role));
        grid_add(&grid, "%s", host->kind);
        add_model(show, &grid, host);
        if (has_models) {
            grid_add(&grid, "%s", host->rack ? host->rack : "-");
        }
        add_sizes(&grid, host);
        if (host->node == UINT32_MAX) {
            grid_add(&grid, "-");
        } else {
            grid_add(&grid, "%" PRIu32, host->node);
        }
    }
    return grid_print(&grid);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool print_devices(const struct show *show)
{
    static const char *const head[] = {"devices", "model", "count", "nodes", "islands",
                                       "memory",  "idle",  "busy",  NULL};
    struct grid grid = {.columns = 8, .rights = 0xfc};
    char text[TEXT_MAX];

    if (show->devices.count == 0) {
        return true;
    }
    (void)putchar('\n');
    add_head(show, &grid, head);
    for (size_t i = 0; i < show->devices.count; i++) {
        const struct show_group *group = &show->devices.groups[i];
        const struct platform_host *host = group->first->host;
        size_t nodes, islands;

        show_count_places(show, group, &nodes, &islands);
        grid_add(&grid, "%s", host->kind);
        grid_add(&grid, "%s", host->model ? host->model->model : "-");
        grid_add(&grid, "%zu", group->count);
        grid_add(&grid, "%zu", nodes);
        if (islands) {
            grid_add(&grid, "%zu", islands);
        } else {
            grid_add(&grid, "-");
        }
        format_bytes(host->mem_bytes, text);
        grid_add(&grid, "%s", text);
        format_power(host->power.idle_w, text);
        grid_add(&grid, "%s", text);
        format_power(host->power.busy_w, text);
        grid_add(&grid, "%s", text);
    }
    return grid_print(&grid);
}

static void print_power(const struct platform *platform)
{
    uint32_t nodes = hs_cluster_node_count(platform->cluster);
    uint32_t devices = hs_cluster_device_count(platform->cluster);
    struct show_power sum = show_sum_power(platform);
    char idle[TEXT_MAX];
    char busy[TEXT_MAX];

    if (!platform->node_power) {
        if (devices) {
            (void)printf("power is not known; give hosts a model, or wattage_per_state\n");
        }
        return;
    }
    format_power(sum.idle_w, idle);
    format_power(sum.busy_w, busy);
    if (sum.nodes == nodes && sum.devices == devices) {
        (void)printf("power: %s idle, %s busy\n", idle, busy);
    } else {
        (void)printf("power is known of %zu of %" PRIu32 " nodes and %zu of %" PRIu32
                     " devices: %s idle, %s busy\n",
                     sum.nodes, nodes, sum.devices, devices, idle, busy);
    }
}

static void print_totals(const struct platform *platform)
{
    uint32_t nodes = hs_cluster_node_count(platform->cluster);
    uint32_t devices = hs_cluster_device_count(platform->cluster);
    uint32_t racks = hs_cluster_rack_count(platform->cluster);
    uint64_t cores = (uint64_t)hs_cluster_cores_milli(platform->cluster) / 1000;
    size_t others = platform->host_count - nodes - devices;
    size_t silent_count;
    hs_int128 memory = show_sum_memory(platform, &silent_count);
    char text[TEXT_MAX];

    format_bytes(memory, text);
    (void)printf("\n%" PRIu32 " node%s", nodes, plural(nodes));
    if (racks) {
        (void)printf(" in %" PRIu32 " rack%s", racks, plural(racks));
    }
    (void)printf(", %" PRIu64 " core%s", cores, plural(cores));
    if (devices) {
        (void)printf(", %" PRIu32 " device%s", devices, plural(devices));
    }
    if (silent_count == nodes) {
        (void)printf("; memory is not modelled");
    } else if (silent_count) {
        (void)printf(", %s of memory; %zu node%s without a stated memory", text, silent_count,
                     plural(silent_count));
    } else {
        (void)printf(", %s of memory", text);
    }
    (void)putchar('\n');
    if (others) {
        (void)printf("%zu host%s take%s no jobs: masters, storage, ports, and devices of such\n",
                     others, plural(others), others == 1 ? "s" : "");
    }
    print_power(platform);
}

bool show_table(const struct show *show)
{
    bool is_whole;

    if (show->platform->simgrid_version) {
        (void)printf("%s (SimGrid %s)\n\n", show->file, show->platform->simgrid_version);
    } else if (show->file) {
        (void)printf("%s (list of nodes)\n\n", show->file);
    } else {
        (void)printf("inline platform\n\n");
    }
    is_whole = show->has_hosts ? print_hosts(show) : print_groups(show);
    is_whole = print_devices(show) && is_whole;
    print_totals(show->platform);
    return is_whole;
}
