/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability.c - the rule that tells runs whose backlog grows. */
#include "result/stability.h"

#include <string.h>

const char *const result_stability_names[RESULT_STABILITY_COUNT] = {"stable", "unstable",
                                                                    "unknown"};

bool result_stability_grows(double early, double least, double served)
{
    return least > 0 && least >= early && least >= served;
}

enum result_stability result_stability_of(const struct result_summary *summary)
{
    static const char *const names[] = {RESULT_BACKLOG_EARLY, RESULT_BACKLOG_LATE,
                                        RESULT_HELD_LATE};
    double values[3] = {0};
    int found = 0;

    for (size_t i = 0; i < summary->metric_count; i++) {
        for (int k = 0; k < 3; k++) {
            if (strcmp(summary->metrics[i].name, names[k]) == 0) {
                values[k] = summary->metrics[i].value;
                found |= 1 << k;
            }
        }
    }
    if (found != 7) {
        return RESULT_STABILITY_UNKNOWN;
    }
    return result_stability_grows(values[0], values[1], values[2]) ? RESULT_UNSTABLE
                                                                   : RESULT_STABLE;
}
