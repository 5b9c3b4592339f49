/* SPDX-License-Identifier: GPL-3.0-or-later */
/* power.h - what a node or a device draws in each of its states. */
#ifndef HSIM_PLATFORM_POWER_H
#define HSIM_PLATFORM_POWER_H

#include <stdbool.h>

/* Watts; NaN: not known. Known are all four or none, with off <= idle <= context <= busy but for
 * `off`, which a platform may put where it likes. */
struct platform_power {
    double off_w;     /* switched off, or suspended */
    double idle_w;    /* on, nothing allocated */
    double context_w; /* allocated, but no work runs; idle_w where nothing is known of it */
    double busy_w;    /* at work */
};

/* All four are NaN. */
struct platform_power platform_power_unknown(void);
bool platform_power_is_known(const struct platform_power *power);

#endif
