/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer_series.c - attributes of /series: how the rows are to be read, and the exact integrals. */
#include <stdio.h>

#include "result/series.h"

static bool write_integral(hid_t group, const char *name, hs_int128 integral)
{
    char text[RESULT_INT128_TEXT_MAX];

    result_int128_format(integral, text);
    return store_attr_text(group, name, text);
}

/* Those of power and devices, and the names of the kinds: "gpu,fpga". */
static bool write_extras(hid_t group, const struct series *series,
                         const struct result_series_more *more)
{
    char kinds[1024] = "";
    size_t length = 0;
    bool is_ok =
        !more->has_power || write_integral(group, "power_integral", series->extras[0].integral);

    for (size_t i = 0; is_ok && i < more->kind_count; i++) {
        char name[128];

        length += (size_t)snprintf(kinds + length, sizeof kinds - length, "%s%.100s", i ? "," : "",
                                   more->kinds[i]);
        (void)snprintf(name, sizeof name, "%.100s_integral", more->kinds[i]);
        is_ok = write_integral(group, name, series->extras[more->has_power + i].integral);
    }
    return is_ok && (more->kind_count == 0 || store_attr_text(group, "kinds", kinds));
}

bool series_write_attributes(const struct series *series, hid_t file,
                             const struct result_series_more *more)
{
    static const char *const modes[] = {"events", "interval", "none"};
    static const char *const names[LEVEL_COUNT] = {"alloc_integral", "queue_integral",
                                                   "running_integral", "backlog_integral"};
    hid_t group = store_group(file, result_series_table.name);
    bool is_ok = group >= 0 && store_attr_text(group, "mode", modes[series->mode]) &&
                 store_attr_int(group, "interval_ns", series->interval_ns) &&
                 store_attr_int(group, "end_ns", series->now_ns);

    for (int i = 0; is_ok && i < LEVEL_COUNT; i++) {
        is_ok = write_integral(group, names[i], series->integrals[i]);
    }
    is_ok = is_ok && write_extras(group, series, more);
    return H5Gclose(group) >= 0 && is_ok;
}
