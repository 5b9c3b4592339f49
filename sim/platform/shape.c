/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shape.c - shapes of clusters that crash SimGrid or exhaust the memory.
 *
 * Numbers that cannot be read are left to SimGrid, which says so itself. */
#include "platform/shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 65536 /* radical lists can be long */

/* Reads a number from 0 to 10^12 and moves *at past it. */
static bool parse_count(const char **at, int64_t *count)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(*at, &end, 10);
    if (end == *at || errno || number < 0 || number > 1000000000000) {
        return false;
    }
    *at = end;
    *count = number;
    return true;
}

/* "groups,links;chassis,links;blades,links;nodes": a router for each blade. */
static enum hs_err check_dragonfly(const struct source *source, const struct source_tag *tag,
                                   const char *parameters, struct hs_error *error)
{
    int64_t sizes[3];
    const char *at = parameters;

    for (int level = 0; level < 3; level++) {
        if (!parse_count(&at, &sizes[level])) {
            return HS_OK;
        }
        at += strcspn(at, ";");
        at += *at == ';';
    }
    if (sizes[0] <= (hs_int128)sizes[1] * sizes[2]) {
        return HS_OK;
    }
    return hs_error_set(
        error, HS_ERR_INPUT,
        "%s:%ld: The dragonfly has %lld groups but only %lld x %lld routers in a "
        "group (topo_parameters=\"%.500s\": groups; chassis; blades; nodes). SimGrid "
        "needs groups <= chassis x blades: use fewer groups or more blades.",
        source->path, tag->line, (long long)sizes[0], (long long)sizes[1], (long long)sizes[2],
        parameters);
}

/* Number of hosts of a radical like "0-99,120,130-139". */
static int64_t count_radical(const char *at)
{
    int64_t hosts = 0;

    for (;;) {
        int64_t first;
        int64_t last;

        at += strspn(at, " ");
        if (!parse_count(&at, &first)) {
            return hosts;
        }
        last = first;
        if (*at == '-') {
            at++;
            if (!parse_count(&at, &last)) {
                return hosts;
            }
        }
        hosts += last >= first ? last - first + 1 : 0;
        if (*at != ',') {
            return hosts;
        }
        at++;
    }
}

static enum hs_err check_cluster(const struct source *source, const struct source_tag *tag,
                                 char *value, int64_t *hosts, struct hs_error *error)
{
    char topology[32];

    if (source_attribute(tag, "radical", value, VALUE_MAX)) {
        *hosts += count_radical(value);
    }
    if (!source_attribute(tag, "topo_parameters", value, VALUE_MAX)) {
        return HS_OK;
    }
    if (strchr(value, '-')) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%ld: A number in topo_parameters=\"%.500s\" is negative. They are "
                            "whole numbers > 0.",
                            source->path, tag->line, value);
    }
    return source_attribute(tag, "topology", topology, sizeof topology) &&
                   strcmp(topology, "DRAGONFLY") == 0
               ? check_dragonfly(source, tag, value, error)
               : HS_OK;
}

static enum hs_err check_tag(const struct source *source, const struct source_tag *tag, char *value,
                             int64_t *hosts, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    if (source_tag_is(tag, "host") || source_tag_is(tag, "peer")) {
        *hosts += 1;
    } else if (source_tag_is(tag, "cluster") || source_tag_is(tag, "cabinet")) {
        err = check_cluster(source, tag, value, hosts, error);
    }
    if (err == HS_OK && *hosts > SHAPE_HOSTS_MAX) {
        err = hs_error_set(error, HS_ERR_INPUT,
                           "%s:%ld: The platform has %lld hosts up to here; at most %d are read. "
                           "Describe fewer hosts, with more cores each.",
                           source->path, tag->line, (long long)*hosts, SHAPE_HOSTS_MAX);
    }
    return err;
}

enum hs_err shape_check(const struct source *source, struct hs_error *error)
{
    struct source_cursor cursor = source_begin(source);
    struct source_tag tag;
    char *value = malloc(VALUE_MAX);
    int64_t hosts = 0;
    enum hs_err err = HS_OK;

    if (!value) {
        return hs_error_memory(error);
    }
    while (err == HS_OK && source_next(&cursor, &tag)) {
        err = check_tag(source, &tag, value, &hosts, error);
    }
    free(value);
    return err;
}
