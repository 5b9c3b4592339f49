/* SPDX-License-Identifier: MIT */
/* power.h - what a node or a device draws in each of its states. */
#ifndef HS_POWER_H
#define HS_POWER_H

/* Watts, finite and >= 0. NaN in busy_w: nothing is known; in context_w: as idle. */
struct hs_power {
    double off_w;     /* switched off */
    double idle_w;    /* on, and no job has a part of it */
    double context_w; /* a job has a part of it, and no work runs */
    double busy_w;    /* all of it works */
};

#endif
