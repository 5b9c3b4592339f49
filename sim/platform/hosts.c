/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hosts.c - what a host of a platform file is for, and the cluster of those that take jobs.
 *
 * Roles are Batsim's: the property `role` is a comma-separated list of compute_node, master and
 * storage; a host takes jobs if compute_node is in it or it is missing. The host that Batsim calls
 * master_host is a master whatever it says. Accelerators are hosts with a `kind` other than cpu. */
#include "platform/hosts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MASTER_NAME    "master_host"
#define MEMORY_EXAMPLE "a number and a unit, for instance 64GiB, 40 GB or 512MiB"

static int compare_hosts(const void *left, const void *right)
{
    const struct platform_host *a = left;
    const struct platform_host *b = right;

    return platform_name_compare(a->name, b->name);
}

static const char *find_property(const struct platform_host *host, const char *name)
{
    for (size_t i = 0; i < host->property_count; i++) {
        if (strcmp(host->property_names[i], name) == 0) {
            return host->property_values[i];
        }
    }
    return NULL;
}

/* "FILE:LINE" of a line, or "FILE" if it is 0. */
struct place {
    char text[1024];
};

static struct place place_of(const struct source *source, long line)
{
    struct place place;

    if (line) {
        (void)snprintf(place.text, sizeof place.text, "%.1000s:%ld", source->path, line);
    } else {
        (void)snprintf(place.text, sizeof place.text, "%.1000s", source->path);
    }
    return place;
}

static struct place place_of_host(const struct source *source, const struct platform_host *host)
{
    return place_of(source, source_locate_host(source, host->name));
}

static enum hs_err fail_property(const struct source *source, const struct platform_host *host,
                                 const char *name, const char *value, const char *remedy,
                                 struct hs_error *error)
{
    struct place place = place_of(source, source_locate_property(source, name, value));

    return hs_error_set(error, HS_ERR_INPUT, "%s: Host '%.200s' has the property %s=\"%.200s\". %s",
                        place.text, host->name, name, value, remedy);
}

/* Reads a comma-separated list of roles; false if a word is unknown. */
static bool parse_roles(const char *list, enum platform_role *role)
{
    static const char *const names[] = {
        [PLATFORM_COMPUTE] = "compute_node",
        [PLATFORM_MASTER] = "master",
        [PLATFORM_STORAGE] = "storage",
    };
    bool has[sizeof names / sizeof names[0]] = {false};

    while (*list) {
        size_t length;
        bool is_known = false;

        list += strspn(list, ", \t");
        length = strcspn(list, ", \t");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strlen(names[i]) == length && strncmp(list, names[i], length) == 0) {
                has[i] = is_known = true;
            }
        }
        if (length && !is_known) {
            return false;
        }
        list += length;
    }
    if (has[PLATFORM_COMPUTE]) {
        *role = PLATFORM_COMPUTE;
    } else if (has[PLATFORM_MASTER]) {
        *role = PLATFORM_MASTER;
    } else if (has[PLATFORM_STORAGE]) {
        *role = PLATFORM_STORAGE;
    }
    return true;
}

static enum hs_err read_role(struct platform_host *host, const struct source *source,
                             struct hs_error *error)
{
    const char *roles = find_property(host, "role");
    const char *kind = find_property(host, "kind");

    host->role = PLATFORM_COMPUTE;
    host->kind = kind && *kind ? kind : "cpu";
    if (roles && !parse_roles(roles, &host->role)) {
        return fail_property(source, host, "role", roles,
                             "Roles are compute_node, master and storage, separated by commas; "
                             "leave the property away for a host that takes jobs.",
                             error);
    }
    if (strcmp(host->name, MASTER_NAME) == 0) {
        host->role = PLATFORM_MASTER;
    }
    if (host->role == PLATFORM_COMPUTE && strcmp(host->kind, "cpu") != 0) {
        host->role = PLATFORM_DEVICE;
    }
    return HS_OK;
}

static enum hs_err read_memory(struct platform_host *host, const struct source *source,
                               struct hs_error *error)
{
    static const char *const names[] = {"memory", "mem"};

    for (size_t i = 0; i < 2; i++) {
        const char *value = find_property(host, names[i]);
        int64_t bytes = 0;

        if (!value) {
            continue;
        }
        if (!platform_size_parse(value, &bytes)) {
            return fail_property(source, host, names[i], value,
                                 "A memory size is " MEMORY_EXAMPLE "; the units are B, kB, MB, "
                                 "GB, TB, PB and KiB, MiB, GiB, TiB, PiB.",
                                 error);
        }
        if (host->mem_bytes && host->mem_bytes != bytes) {
            return fail_property(source, host, names[i], value,
                                 "Its property memory says another size: keep one of the two.",
                                 error);
        }
        host->mem_bytes = bytes;
    }
    return HS_OK;
}

/* Names go into tables, logs and lists of hosts, one on a line. */
static enum hs_err check_host(const struct platform_host *host, const struct source *source,
                              struct hs_error *error)
{
    const char *at = host->name;

    if (!*at) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: A host has an empty name. Give each host an id.",
                            place_of_host(source, host).text);
    }
    while ((unsigned char)*at >= ' ' && *at != '\x7f') {
        at++;
    }
    if (*at) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: The name of a host has a control character (code %d) after "
                            "'%.*s'. Names of hosts are printable text on one line.",
                            place_of_host(source, host).text, *at, (int)(at - host->name),
                            host->name);
    }
    if (host->cores < 1 || host->cores > INT64_MAX / 1000) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: Host '%.200s' has %lld cores; >= 1 is due.",
                            place_of_host(source, host).text, host->name, (long long)host->cores);
    }
    for (size_t i = 0; i < host->pstate_count; i++) {
        if (!isfinite(host->pstate_speeds[i]) || host->pstate_speeds[i] < 0) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: Host '%.200s' has the speed %g flop/s. A speed is a finite "
                                "number >= 0 with a unit, for instance 10Gf.",
                                place_of_host(source, host).text, host->name,
                                host->pstate_speeds[i]);
        }
    }
    return HS_OK;
}

static enum hs_err build_cluster(struct platform *platform, const struct source *source,
                                 struct hs_error *error)
{
    enum hs_err err = HS_OK;

    platform->cluster = hs_cluster_create();
    if (!platform->cluster) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < platform->host_count && err == HS_OK; i++) {
        struct platform_host *host = &platform->hosts[i];

        host->node = UINT32_MAX;
        if (host->role == PLATFORM_COMPUTE) {
            host->node = hs_cluster_node_count(platform->cluster);
            err = hs_cluster_add_node(platform->cluster, host->name, host->cores * 1000,
                                      host->mem_bytes ? host->mem_bytes : HS_MEM_UNLIMITED, error);
        }
    }
    if (err == HS_OK && hs_cluster_node_count(platform->cluster) == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: None of the %zu hosts takes jobs: all are masters, storage or "
                            "accelerators (properties role and kind). Add a host without these "
                            "properties.",
                            place_of_host(source, &platform->hosts[0]).text, platform->host_count);
    }
    return err == HS_OK ? hs_cluster_seal(platform->cluster, error) : err;
}

enum hs_err hosts_finish(struct platform *platform, const struct source *source,
                         struct hs_error *error)
{
    enum hs_err err = HS_OK;

    qsort(platform->hosts, platform->host_count, sizeof *platform->hosts, compare_hosts);
    for (size_t i = 0; i < platform->host_count && err == HS_OK; i++) {
        struct platform_host *host = &platform->hosts[i];

        err = check_host(host, source, error);
        if (err == HS_OK) {
            err = read_role(host, source, error);
        }
        if (err == HS_OK) {
            err = read_memory(host, source, error);
        }
    }
    return err == HS_OK ? build_cluster(platform, source, error) : err;
}
