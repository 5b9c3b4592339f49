/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rapl.c - /sys/class/powercap/intel-rapl:N (Linux documentation, "Power Capping Framework"); AMD's
 * processors have the same names. */
#include "probe/rapl.h"

#include "probe/sysfile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JOULE_PER_UJ 1e-6
#define STAT_FIELDS  8 /* user nice system idle iowait irq softirq steal */
#define STAT_IDLE    3
#define STAT_IOWAIT  4

/* The first line of /proc/stat: "cpu" and ticks by what was done. */
static void read_ticks(const char *root, struct rapl *rapl)
{
    char text[512];
    char *at = text + 3;

    if (sysfile_read(root, text, sizeof text, "/proc/stat") <= 0 || strncmp(text, "cpu ", 4) != 0) {
        return;
    }
    for (int i = 0; i < STAT_FIELDS; i++) {
        char *end;
        long long ticks = strtoll(at, &end, 10);

        if (end == at || ticks < 0) {
            break;
        }
        at = end;
        rapl->all_ticks += ticks;
        rapl->busy_ticks += i == STAT_IDLE || i == STAT_IOWAIT ? 0 : ticks;
    }
}

void rapl_read(const char *root, double now_s, struct rapl *rapl)
{
    *rapl = (struct rapl){.time_s = now_s};
    for (int i = 0; i < RAPL_ZONES_MAX; i++) {
        static const char folder[] = "/sys/class/powercap/intel-rapl:";
        char name[64];

        if (sysfile_read(root, name, sizeof name, "%s%d/name", folder, i) <= 0 ||
            strncmp(name, "package", strlen("package")) != 0) {
            continue;
        }
        errno = 0;
        if (sysfile_number(root, &rapl->energy_uj[i], "%s%d/energy_uj", folder, i) &&
            sysfile_number(root, &rapl->range_uj[i], "%s%d/max_energy_range_uj", folder, i)) {
            rapl->is_package[i] = true;
            rapl->count++;
        } else if (errno == EACCES || errno == EPERM) {
            rapl->is_forbidden = true;
        }
    }
    read_ticks(root, rapl);
}

double rapl_power(const struct rapl *before, const struct rapl *after)
{
    double seconds = after->time_s - before->time_s;
    double joules = 0;

    if (seconds <= 0 || before->count == 0 || before->count != after->count) {
        return NAN;
    }
    for (int i = 0; i < RAPL_ZONES_MAX; i++) {
        if (before->is_package[i]) {
            double used = (double)(after->energy_uj[i] - before->energy_uj[i]);

            joules += (used < 0 ? used + (double)after->range_uj[i] : used) * JOULE_PER_UJ;
        }
    }
    return joules > 0 ? joules / seconds : NAN;
}

double rapl_load(const struct rapl *before, const struct rapl *after)
{
    int64_t all = after->all_ticks - before->all_ticks;

    return all > 0 ? (double)(after->busy_ticks - before->busy_ticks) / (double)all : NAN;
}
