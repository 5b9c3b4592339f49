/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits.c - /proc/self/cgroup names the groups; each has files below /sys/fs/cgroup.
 *
 * Inside a container the named path may not exist below the mount; the mount itself is then the
 * container's group, so every path is walked up to the mount. */
#include "probe/limits.h"

#include "probe/sysfile.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NO_LIMIT (INT64_C(1) << 60) /* version 1 writes 2^63 less a page for "none" */

static void lower_cpus(struct limits *limits, double quota, double period)
{
    if (quota > 0 && period > 0 && (limits->cpus == 0 || quota / period < limits->cpus)) {
        limits->cpus = quota / period;
    }
}

static void lower_memory(struct limits *limits, int64_t bytes)
{
    if (bytes > 0 && bytes < NO_LIMIT && (limits->mem_bytes == 0 || bytes < limits->mem_bytes)) {
        limits->mem_bytes = bytes;
    }
}

/* Files that one group does not have are those of the other version, or of another controller. */
static void read_group(const char *root, const char *group, struct limits *limits)
{
    char text[64];
    int64_t quota, period, bytes;

    if (sysfile_read(root, text, sizeof text, "%s/cpu.max", group) > 0) {
        char *end;
        double first = strtod(text, &end); /* "max" reads as no number */

        lower_cpus(limits, first, strtod(end, NULL));
    }
    if (sysfile_number(root, &quota, "%s/cpu.cfs_quota_us", group) &&
        sysfile_number(root, &period, "%s/cpu.cfs_period_us", group)) {
        lower_cpus(limits, (double)quota, (double)period);
    }
    if (sysfile_number(root, &bytes, "%s/memory.max", group) ||
        sysfile_number(root, &bytes, "%s/memory.limit_in_bytes", group)) {
        lower_memory(limits, bytes);
    }
}

/* A group and those above it, up to the mount. */
static void climb(const char *root, const char *mount, const char *path, struct limits *limits)
{
    char group[PATH_MAX];
    size_t start = strlen(mount);
    int length = snprintf(group, sizeof group, "%s%s", mount, path);

    if (length < 0 || (size_t)length >= sizeof group || strstr(path, "..")) {
        group[start] = '\0'; /* outside of what this process sees */
    }
    for (;;) {
        char *slash;

        read_group(root, group, limits);
        slash = strrchr(group + start, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

void limits_read(const char *root, struct limits *limits)
{
    char text[8192];
    char *line = text;

    *limits = (struct limits){0};
    if (sysfile_read(root, text, sizeof text, "/proc/self/cgroup") <= 0) {
        return;
    }
    while (line) { /* "4:memory:/path", in version 2 "0::/path" */
        char *next = strchr(line, '\n');
        char *controllers, *path;

        if (next) {
            *next++ = '\0';
        }
        controllers = strchr(line, ':');
        path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (path) {
            *path++ = '\0';
            controllers++;
            if (*controllers == '\0') {
                climb(root, "/sys/fs/cgroup", path, limits);
                climb(root, "/sys/fs/cgroup/unified", path, limits);
            } else if (has_word(controllers, "cpu")) {
                climb(root, "/sys/fs/cgroup/cpu", path, limits);
                climb(root, "/sys/fs/cgroup/cpu,cpuacct", path, limits);
            } else if (has_word(controllers, "memory")) {
                climb(root, "/sys/fs/cgroup/memory", path, limits);
            }
        }
        line = next;
    }
}
