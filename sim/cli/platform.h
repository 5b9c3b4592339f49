/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.h - what the subcommands of `hsim platform` share. */
#ifndef HSIM_CLI_PLATFORM_H
#define HSIM_CLI_PLATFORM_H

#include "platform/platform.h"

/* The subcommands, for the table of the family. */
struct argp;
struct cli_description;
extern const struct argp platform_show_argp, platform_devices_argp, platform_probe_argp;
enum hs_err platform_generate_describe(struct cli_description *description,
                                       struct hs_error *error) HS_MUST_USE;
int platform_show(int argc, char **argv);
int platform_generate(int argc, char **argv);
int platform_devices(int argc, char **argv);
int platform_probe(int argc, char **argv);

/* Equal hosts, or equal devices: entries [first, first + count) in the order of the platform. */
struct show_entry {
    const struct platform_host *host;
    size_t index; /* in the platform */
};
struct show_group {
    const struct show_entry *first;
    size_t count;
};
struct show_groups {
    struct show_entry *entries;
    struct show_group *groups;
    size_t count;
};

/* What is shown of a platform. */
struct show {
    const char *file; /* NULL: inline */
    bool is_json;
    bool has_hosts; /* every host is listed */
    const struct platform *platform;
    struct show_groups hosts;   /* equal in role, kind, model, cores, memory and speed */
    struct show_groups devices; /* those of nodes; equal in kind, model, memory and power */
};

enum hs_err show_groups_init(struct show *show, struct hs_error *error) HS_MUST_USE;
void show_groups_fini(struct show *show);

/* Entries from `first` on, at most `count`, whose names count up in one place. */
size_t show_range_length(const struct show_entry *first, size_t count);

/* Nodes that have a device of the group, and islands that do. */
void show_count_places(const struct show *show, const struct show_group *group, size_t *nodes,
                       size_t *islands);

/* Sums over nodes and devices whose power is known, and how many these are. */
struct show_power {
    double idle_w, busy_w;
    size_t nodes, devices;
};
struct show_power show_sum_power(const struct platform *platform);

/* Memory of all nodes, and how many do not say theirs. */
hs_int128 show_sum_memory(const struct platform *platform, size_t *silent_count);

const char *show_role_name(enum platform_role role);

bool show_table(const struct show *show); /* false: no memory */
void show_json(const struct show *show);

#endif
