/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform_groups.c - equal hosts together, and sums over a platform. */
#include "cli/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static const char *model_name(const struct platform_host *host)
{
    return host->model ? host->model->model : "";
}

static int compare_kinds(const struct platform_host *a, const struct platform_host *b)
{
    int order = compare_numbers(a->role, b->role);

    if (order == 0) {
        order = strcmp(a->kind, b->kind);
    }
    if (order == 0) {
        order = strcmp(model_name(a), model_name(b));
    }
    if (order == 0) {
        order = compare_numbers(a->cores, b->cores);
    }
    if (order == 0) {
        order = compare_numbers(a->mem_bytes, b->mem_bytes);
    }
    return order ? order : (a->speed > b->speed) - (a->speed < b->speed);
}

static int compare_hosts(const void *left, const void *right)
{
    const struct show_entry *a = left;
    const struct show_entry *b = right;
    int order = compare_kinds(a->host, b->host);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_power(double a, double b)
{
    return (a > b) - (a < b); /* unknown is equal to all, but one model has one power mostly */
}

/* Devices of one model differ by what their file says of memory and power. */
static int compare_device_kinds(const struct platform_host *a, const struct platform_host *b)
{
    int order = strcmp(a->kind, b->kind);

    if (order == 0) {
        order = strcmp(model_name(a), model_name(b));
    }
    if (order == 0) {
        order = compare_numbers(a->mem_bytes, b->mem_bytes);
    }
    if (order == 0) {
        order = platform_power_is_known(&a->power) - platform_power_is_known(&b->power);
    }
    if (order == 0) {
        order = compare_power(a->power.idle_w, b->power.idle_w);
    }
    return order ? order : compare_power(a->power.busy_w, b->power.busy_w);
}

static int compare_devices(const void *left, const void *right)
{
    const struct show_entry *a = left;
    const struct show_entry *b = right;
    int order = compare_device_kinds(a->host, b->host);

    return order ? order : compare_numbers(a->host->device, b->host->device);
}

/* Groups go by their first host, those of one role together. */
static int compare_groups(const void *left, const void *right)
{
    const struct show_group *a = left;
    const struct show_group *b = right;
    int order = compare_numbers(a->first->host->role, b->first->host->role);

    return order ? order
                 : (a->first->index > b->first->index) - (a->first->index < b->first->index);
}

static void groups_fini(struct show_groups *groups)
{
    free(groups->entries);
    free(groups->groups);
    *groups = (struct show_groups){0};
}

/* Groups `count` entries; `compare` sorts them, `compare_group` tells where a group ends. */
static enum hs_err
group_entries(struct show_groups *groups, size_t count, int (*compare)(const void *, const void *),
              int (*compare_group)(const struct platform_host *, const struct platform_host *),
              struct hs_error *error)
{
    groups->groups = calloc(count ? count : 1, sizeof *groups->groups);
    if (!groups->groups) {
        return hs_error_memory(error);
    }
    qsort(groups->entries, count, sizeof *groups->entries, compare);
    for (size_t i = 0; i < count; i++) {
        const struct show_entry *entry = &groups->entries[i];

        if (i == 0 || compare_group(entry[-1].host, entry->host) != 0) {
            groups->groups[groups->count++].first = entry;
        }
        groups->groups[groups->count - 1].count++;
    }
    qsort(groups->groups, groups->count, sizeof *groups->groups, compare_groups);
    return HS_OK;
}

enum hs_err show_groups_init(struct show *show, struct hs_error *error)
{
    const struct platform *platform = show->platform;
    size_t device_count = 0;
    enum hs_err err;

    show->hosts.entries = calloc(platform->host_count, sizeof *show->hosts.entries);
    show->devices.entries = calloc(platform->host_count, sizeof *show->devices.entries);
    if (!show->hosts.entries || !show->devices.entries) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct show_entry entry = {&platform->hosts[i], i};

        show->hosts.entries[i] = entry;
        if (entry.host->device != UINT32_MAX) {
            show->devices.entries[device_count++] = entry;
        }
    }
    err = group_entries(&show->hosts, platform->host_count, compare_hosts, compare_kinds, error);
    return err == HS_OK ? group_entries(&show->devices, device_count, compare_devices,
                                        compare_device_kinds, error)
                        : err;
}

void show_groups_fini(struct show *show)
{
    groups_fini(&show->hosts);
    groups_fini(&show->devices);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether `next` is `name` with one run of digits raised by one ("n9", "n10"; "r08.x", "r09.x").
 * *start is where the run starts. */
static bool counts_up(const char *name, const char *next, size_t *start)
{
    size_t at = 0;
    char *name_end;
    char *next_end;
    unsigned long long number;

    while (name[at] && name[at] == next[at]) {
        at++;
    }
    while (at && is_digit(name[at - 1])) {
        at--;
    }
    if (!is_digit(name[at]) || !is_digit(next[at])) {
        return false;
    }
    errno = 0;
    number = strtoull(name + at, &name_end, 10);
    if (strtoull(next + at, &next_end, 10) != number + 1 || errno ||
        strcmp(name_end, next_end) != 0) {
        return false;
    }
    *start = at;
    /* 9 is followed by 10, 09 by 10, but 09 not by 010. */
    return name_end - name == next_end - next || (name[at] != '0' && next[at] != '0');
}

size_t show_range_length(const struct show_entry *first, size_t count)
{
    size_t length = 1;
    size_t place = 0;

    while (length < count) {
        size_t start;

        if (!counts_up(first[length - 1].host->name, first[length].host->name, &start) ||
            (length > 1 && start != place)) {
            break;
        }
        place = start;
        length++;
    }
    return length;
}

void show_count_places(const struct show *show, const struct show_group *group, size_t *nodes,
                       size_t *islands)
{
    uint32_t node = UINT32_MAX;
    uint64_t seen = 0;

    *nodes = *islands = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct hs_device *device =
            hs_cluster_device(show->platform->cluster, group->first[i].host->device);

        if (device->node != node) {
            node = device->node;
            seen = 0;
            (*nodes)++;
        }
        if (device->group < 64 && !(seen >> device->group & 1)) {
            seen |= UINT64_C(1) << device->group;
            (*islands)++;
        }
    }
}

struct show_power show_sum_power(const struct platform *platform)
{
    struct show_power sum = {0};

    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        if (host->node != UINT32_MAX && platform_power_is_known(&host->power)) {
            sum.idle_w += host->power.idle_w;
            sum.busy_w += host->power.busy_w;
            sum.devices += host->device != UINT32_MAX;
            sum.nodes += host->device == UINT32_MAX;
        }
    }
    return sum;
}

hs_int128 show_sum_memory(const struct platform *platform, size_t *silent_count)
{
    hs_int128 sum = 0;

    *silent_count = 0;
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        if (host->role == PLATFORM_COMPUTE) {
            sum += host->mem_bytes;
            *silent_count += host->mem_bytes == 0;
        }
    }
    return sum;
}

const char *show_role_name(enum platform_role role)
{
    switch (role) {
    case PLATFORM_COMPUTE:
        return "compute";
    case PLATFORM_MASTER:
        return "master";
    case PLATFORM_STORAGE:
        return "storage";
    case PLATFORM_DEVICE:
        return "device";
    case PLATFORM_PORT:
        return "port";
    }
    return "";
}
