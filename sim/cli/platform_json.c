/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_json.c - a platform for programs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/json.h"
#include "cli/platform.h"

static void print_text(const char *key, const char *text)
{
    (void)printf(", \"%s\": ", key);
    cli_json_string(stdout, text);
}

/* "mem_bytes": NUMBER, with null for 0: not stated. */
static void print_memory(hs_int128 bytes)
{
    if (bytes > 0 && bytes <= INT64_MAX) {
        (void)printf("\"mem_bytes\": %" PRId64, (int64_t)bytes);
    } else if (bytes > 0) {
        (void)printf("\"mem_bytes\": %.17g", (double)bytes);
    } else {
        (void)printf("\"mem_bytes\": null");
    }
}

/* Null for what is not stated. */
static void print_index(const char *key, uint32_t index)
{
    if (index == UINT32_MAX) {
        (void)printf(", \"%s\": null", key);
    } else {
        (void)printf(", \"%s\": %" PRIu32, key, index);
    }
}

static void print_number(const char *key, double value)
{
    (void)printf("\"%s\": ", key);
    cli_json_number(stdout, value);
}

static void print_power(const struct platform_power *power)
{
    if (!platform_power_is_known(power)) {
        (void)printf(", \"power\": null");
        return;
    }
    (void)printf(", \"power\": {");
    print_number("off_w", power->off_w);
    (void)printf(", ");
    print_number("idle_w", power->idle_w);
    (void)printf(", ");
    print_number("context_w", power->context_w);
    (void)printf(", ");
    print_number("busy_w", power->busy_w);
    (void)printf("}");
}

static void print_kind(const struct platform_host *host)
{
    (void)printf("\"role\": \"%s\"", show_role_name(host->role));
    print_text("kind", host->kind);
    print_text("model", host->model ? host->model->model : NULL);
    (void)printf(", \"cores\": %" PRId64 ", ", host->cores);
    print_memory(host->mem_bytes);
    if (host->speed > 0) {
        (void)printf(", \"speed_flops\": %.17g", host->speed);
    } else {
        (void)printf(", \"speed_flops\": null");
    }
}

static void print_group(const struct show_group *group)
{
    (void)printf("{\"hosts\": %zu, ", group->count);
    print_kind(group->first->host);
    (void)printf(", \"names\": [");
    for (size_t i = 0; i < group->count;) {
        size_t length = show_range_length(&group->first[i], group->count - i);

        (void)printf("%s[", i ? ", " : "");
        cli_json_string(stdout, group->first[i].host->name);
        (void)printf(", ");
        cli_json_string(stdout, group->first[i + length - 1].host->name);
        (void)printf("]");
        i += length;
    }
    (void)printf("]}");
}

static void print_devices(const struct show *show, const struct show_group *group)
{
    const struct platform_host *host = group->first->host;
    size_t nodes, islands;

    show_count_places(show, group, &nodes, &islands);
    (void)printf("{\"kind\": ");
    cli_json_string(stdout, host->kind);
    print_text("model", host->model ? host->model->model : NULL);
    (void)printf(", \"count\": %zu, \"nodes\": %zu, \"islands\": %zu, ", group->count, nodes,
                 islands);
    print_memory(host->mem_bytes);
    print_power(&host->power);
    (void)printf("}");
}

static void print_host(const struct platform_host *host)
{
    (void)printf("{\"name\": ");
    cli_json_string(stdout, host->name);
    (void)printf(", ");
    print_kind(host);
    print_index("node", host->node);
    print_index("device", host->device);
    print_text("rack", host->rack);
    print_text("group", host->group);
    print_power(&host->power);
    (void)printf(", \"pstate_flops\": [");
    for (size_t i = 0; i < host->pstate_count; i++) {
        (void)printf("%s%.17g", i ? ", " : "", host->pstate_speeds[i]);
    }
    (void)printf("], \"properties\": {");
    for (size_t i = 0; i < host->property_count; i++) {
        (void)printf("%s", i ? ", " : "");
        cli_json_string(stdout, host->property_names[i]);
        (void)printf(": ");
        cli_json_string(stdout, host->property_values[i]);
    }
    (void)printf("}}");
}

static void print_totals(const struct show *show)
{
    const struct platform *platform = show->platform;
    struct show_power sum = show_sum_power(platform);
    bool is_known = sum.nodes == hs_cluster_node_count(platform->cluster) &&
                    sum.devices == hs_cluster_device_count(platform->cluster);
    size_t silent_count;
    hs_int128 memory = show_sum_memory(platform, &silent_count);

    (void)printf("{\n  \"file\": ");
    cli_json_string(stdout, show->file);
    (void)printf(",\n  \"simgrid\": ");
    cli_json_string(stdout, platform->simgrid_version);
    (void)printf(",\n  \"nodes\": %" PRIu32 ",\n  \"racks\": %" PRIu32 ",\n  \"cores\": %" PRId64
                 ",\n  \"devices\": %" PRIu32 ",\n  ",
                 hs_cluster_node_count(platform->cluster), hs_cluster_rack_count(platform->cluster),
                 hs_cluster_cores_milli(platform->cluster) / 1000,
                 hs_cluster_device_count(platform->cluster));
    print_memory(silent_count ? 0 : memory);
    (void)printf(",\n  ");
    print_number("idle_w", is_known ? sum.idle_w : NAN);
    (void)printf(",\n  ");
    print_number("busy_w", is_known ? sum.busy_w : NAN);
}

/* Ends an element of a list. */
static void print_end(size_t index, size_t count)
{
    (void)printf("%s\n", index + 1 < count ? "," : "");
}

void show_json(const struct show *show)
{
    const struct platform *platform = show->platform;

    print_totals(show);
    (void)printf(",\n  \"groups\": [\n");
    for (size_t i = 0; i < show->hosts.count; i++) {
        (void)printf("    ");
        print_group(&show->hosts.groups[i]);
        print_end(i, show->hosts.count);
    }
    (void)printf("  ]");
    if (show->devices.count) {
        (void)printf(",\n  \"device_groups\": [\n");
        for (size_t i = 0; i < show->devices.count; i++) {
            (void)printf("    ");
            print_devices(show, &show->devices.groups[i]);
            print_end(i, show->devices.count);
        }
        (void)printf("  ]");
    }
    if (show->has_hosts) {
        (void)printf(",\n  \"hosts\": [\n");
        for (size_t i = 0; i < platform->host_count; i++) {
            (void)printf("    ");
            print_host(&platform->hosts[i]);
            print_end(i, platform->host_count);
        }
        (void)printf("  ]");
    }
    (void)printf("\n}\n");
}
