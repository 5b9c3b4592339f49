/* SPDX-License-Identifier: GPL-3.0-or-later */
/* costs.c - what the simulation of a run took: no result of it, and not the same again. */
#include <string.h>

#include "compare/runs.h"

static const struct compare_metric costs[] = {
    {"cpu_s", "s", "CPU time of the simulation"},
    {"wall_s", "s", "time of the simulation"},
    {"rss_bytes", "B", "memory of the simulation"},
};

const struct compare_metric *compare_find_cost(const char *name)
{
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        if (strcmp(costs[i].name, name) == 0) {
            return &costs[i];
        }
    }
    return NULL;
}

enum hs_err compare_read_cost(struct result_reader *reader, const char *name, double *value,
                              struct hs_error *error)
{
    int64_t bytes = 0;
    enum hs_err code;

    if (strcmp(name, "rss_bytes") != 0) {
        return result_reader_double(reader, ".", name, value, error);
    }
    code = result_reader_int(reader, ".", name, &bytes, error);
    *value = (double)bytes;
    return code;
}
