/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frames.h - reads what the module wrote (simgrid_module.h), trusting none of its lengths. */
#ifndef HSIM_PLATFORM_FRAMES_H
#define HSIM_PLATFORM_FRAMES_H

#include "platform/platform.h"

/* The memory behind a platform that came from a file. Strings of hosts point into `frames`. */
struct platform_storage {
    char *frames;
    double *speeds;
    const char **property_names; /* of all hosts, one after another; values likewise */
    const char **property_values;
};

/* What a first walk finds. */
struct frames_summary {
    const char *version; /* points into the frames; NULL if not said */
    size_t host_count;
    size_t state_count;    /* over all hosts */
    size_t property_count; /* over all hosts */
    uint32_t line;         /* at which SimGrid gave up; 0 if not said */
    bool is_whole;         /* the end came, with the right number of hosts */
};

/* Checks and counts. False if the bytes break the format; a missing end is no break. */
bool frames_summarize(const char *bytes, size_t length, struct frames_summary *summary);

/* Fills platform->hosts (name, cores, states, sorted properties) from frames
 * that frames_summarize accepted. Takes `bytes` over, on failure too: platform_fini frees it. */
enum hs_err frames_take(char *bytes, size_t length, const struct frames_summary *summary,
                        struct platform *platform, struct hs_error *error) HS_MUST_USE;

void platform_storage_destroy(struct platform_storage *storage);

#endif
