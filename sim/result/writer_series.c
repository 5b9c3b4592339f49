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

/* "PREFIXgpu_integral" for each slot. */
static bool write_slots(hid_t group, const struct series *series,
                        const struct result_series_more *more, const char *prefix,
                        hs_int128 (*integral)(const struct series *,
                                              const struct result_series_more *, size_t))
{
    bool is_ok = true;

    for (size_t i = 0; is_ok && i < more->slot_count; i++) {
        char name[160];

        (void)snprintf(name, sizeof name, "%s%.100s_integral", prefix, more->slots[i]);
        is_ok = write_integral(group, name, integral(series, more, i));
    }
    return is_ok;
}

/* "avail_integral" for the cores, "avail_gpu_integral" for a kind. */
static bool write_avail(hid_t group, const struct series *series,
                        const struct result_series_more *more)
{
    bool is_ok = write_integral(group, "avail_integral", series_avail(series, more, 0));

    for (size_t i = 0; is_ok && i < more->kind_count; i++) {
        char name[160];

        (void)snprintf(name, sizeof name, "avail_%.100s_integral", more->slots[i]);
        is_ok = write_integral(group, name, series_avail(series, more, i + 1));
    }
    return is_ok;
}

/* The names of some slots: "gpu,fpga". */
static bool write_names(hid_t group, const char *name, const struct result_series_more *more,
                        size_t first, size_t end)
{
    char names[RESULT_SLOTS_MAX * 104] = "";
    size_t length = 0;

    for (size_t i = first; i < end; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%.100s",
                                   i > first ? "," : "", more->slots[i]);
    }
    return first == end || store_attr_text(group, name, names);
}

/* Those of power and devices, and the names of kinds and models. */
static bool write_extras(hid_t group, const struct series *series,
                         const struct result_series_more *more)
{
    bool is_ok =
        (!more->has_power || write_integral(group, "power_integral", series->extras[0].integral)) &&
        write_slots(group, series, more, "", series_shares) &&
        write_names(group, "kinds", more, 0, more->kind_count) &&
        (!more->has_avail || write_avail(group, series, more));

    if (!is_ok || !more->has_fragments) {
        return is_ok;
    }
    return write_names(group, "models", more, more->kind_count, more->slot_count) &&
           store_attr_int(group, "mix_jobs", more->mix_jobs) &&
           write_slots(group, series, more, "free_", series_free) &&
           write_slots(group, series, more, "frag_", series_lost);
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
