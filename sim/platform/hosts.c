/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hosts.c - what a host of a platform file is for, and its properties.
 *
 * Roles are Batsim's: the property `role` is a comma-separated list of compute_node, master and
 * storage; a host takes jobs if compute_node is in it or it is missing. The host that Batsim calls
 * master_host is a master whatever it says. Accelerators are hosts with a `kind` other than cpu. */
#include "platform/hosts.h"

#include "platform/models.h"
#include "platform/nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MASTER_NAME    "master_host"
#define PORT_KIND      "port"
#define KIND_LETTERS   "abcdefghijklmnopqrstuvwxyz"
#define KIND_MAX       32
#define MEMORY_EXAMPLE "a number and a unit, for instance 64GiB, 40 GB or 512MiB"

static int compare_hosts(const void *left, const void *right)
{
    const struct platform_host *a = left;
    const struct platform_host *b = right;

    return platform_name_compare(a->name, b->name);
}

const char *hosts_property(const struct platform_host *host, const char *name)
{
    for (size_t i = 0; i < host->property_count; i++) {
        if (strcmp(host->property_names[i], name) == 0) {
            return host->property_values[i];
        }
    }
    return NULL;
}

/* "FILE:LINE" of a line, or "FILE" if it is 0. */
static struct hosts_place place_of(const struct source *source, long line)
{
    struct hosts_place place;

    if (line) {
        (void)snprintf(place.text, sizeof place.text, "%.1000s:%ld", source->path, line);
    } else {
        (void)snprintf(place.text, sizeof place.text, "%.1000s", source->path);
    }
    return place;
}

struct hosts_place hosts_place(const struct source *source, const struct platform_host *host)
{
    return place_of(source, source_locate_host(source, host->name));
}

enum hs_err hosts_fail_property(const struct source *source, const struct platform_host *host,
                                const char *name, const char *remedy, struct hs_error *error)
{
    const char *value = hosts_property(host, name);
    struct hosts_place place = place_of(source, source_locate_property(source, name, value));

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

/* Kinds name columns of results and words of demands. Some of these have other meanings there. */
static bool is_kind(const char *kind)
{
    static const char *const taken[] = {"cores", "power", "device"};
    size_t length = strlen(kind);

    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(kind, taken[i]) == 0) {
            return false;
        }
    }
    return length <= KIND_MAX && strspn(kind, KIND_LETTERS) > 0 &&
           strspn(kind, KIND_LETTERS "0123456789-_") == length;
}

static enum hs_err read_role(struct platform_host *host, const struct source *source,
                             struct hs_error *error)
{
    const char *roles = hosts_property(host, "role");
    const char *kind = hosts_property(host, "kind");

    host->role = PLATFORM_COMPUTE;
    host->kind = kind && *kind ? kind : "cpu";
    if (roles && !parse_roles(roles, &host->role)) {
        return hosts_fail_property(
            source, host, "role",
            "Roles are compute_node, master and storage, separated by commas; "
            "leave the property away for a host that takes jobs.",
            error);
    }
    if (strcmp(host->name, MASTER_NAME) == 0) {
        host->role = PLATFORM_MASTER;
    }
    if (host->role == PLATFORM_COMPUTE && strcmp(host->kind, "cpu") != 0) {
        if (!is_kind(host->kind)) {
            return hosts_fail_property(
                source, host, "kind",
                "A kind is cpu, gpu, fpga, npu or another name of small letters, digits, '-' and "
                "'_', beginning with a letter, up to 32 characters, but not cores, power or "
                "device.",
                error);
        }
        host->role = strcmp(host->kind, PORT_KIND) == 0 ? PLATFORM_PORT : PLATFORM_DEVICE;
    }
    return HS_OK;
}

static enum hs_err read_memory(struct platform_host *host, const struct source *source,
                               struct hs_error *error)
{
    static const char *const names[] = {"memory", "mem"};

    for (size_t i = 0; i < 2; i++) {
        const char *value = hosts_property(host, names[i]);
        int64_t bytes = 0;

        if (!value) {
            continue;
        }
        if (!platform_size_parse(value, &bytes)) {
            return hosts_fail_property(source, host, names[i],
                                       "A memory size is " MEMORY_EXAMPLE
                                       "; the units are B, kB, MB, "
                                       "GB, TB, PB and KiB, MiB, GiB, TiB, PiB.",
                                       error);
        }
        if (host->mem_bytes && host->mem_bytes != bytes) {
            return hosts_fail_property(
                source, host, names[i],
                "Its property memory says another size: keep one of the two.", error);
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
                            hosts_place(source, host).text);
    }
    while ((unsigned char)*at >= ' ' && *at != '\x7f') {
        at++;
    }
    if (*at) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: The name of a host has a control character (code %d) after "
                            "'%.*s'. Names of hosts are printable text on one line.",
                            hosts_place(source, host).text, *at, (int)(at - host->name),
                            host->name);
    }
    if (host->cores < 1 || host->cores > INT64_MAX / 1000) {
        return hs_error_set(error, HS_ERR_INPUT, "%s: Host '%.200s' has %lld cores; >= 1 is due.",
                            hosts_place(source, host).text, host->name, (long long)host->cores);
    }
    for (size_t i = 0; i < host->pstate_count; i++) {
        if (!isfinite(host->pstate_speeds[i]) || host->pstate_speeds[i] < 0) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "%s: Host '%.200s' has the speed %g flop/s. A speed is a finite "
                                "number >= 0 with a unit, for instance 10Gf.",
                                hosts_place(source, host).text, host->name, host->pstate_speeds[i]);
        }
    }
    return HS_OK;
}

/* Whether a name of the catalogue stands anywhere. */
static bool has_models(const struct platform *platform)
{
    for (size_t i = 0; i < platform->host_count; i++) {
        if (hosts_property(&platform->hosts[i], "model")) {
            return true;
        }
    }
    return false;
}

enum hs_err hosts_finish(struct platform *platform, const struct source *source,
                         const char *catalogue, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    qsort(platform->hosts, platform->host_count, sizeof *platform->hosts, compare_hosts);
    if (catalogue || has_models(platform)) {
        err = catalogue_load(catalogue, &platform->catalogue, error);
    }
    for (size_t i = 0; i < platform->host_count && err == HS_OK; i++) {
        struct platform_host *host = &platform->hosts[i];

        host->node = host->device = UINT32_MAX;
        err = check_host(host, source, error);
        if (err == HS_OK) {
            err = read_role(host, source, error);
        }
        if (err == HS_OK) {
            err = read_memory(host, source, error);
        }
        if (err == HS_OK) {
            err = models_read(platform->catalogue, host, source, error);
        }
    }
    return err == HS_OK ? nodes_build(platform, source, error) : err;
}
