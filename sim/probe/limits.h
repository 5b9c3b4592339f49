/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits.h - what control groups (versions 1 and 2) leave to this process. */
#ifndef HSIM_PROBE_LIMITS_H
#define HSIM_PROBE_LIMITS_H

#include "probe/probe.h"

struct limits {
    double cpus;       /* processor time per time; 0: not limited */
    int64_t mem_bytes; /* 0: not limited */
};

/* The least of the group of this process and of all above it. */
void limits_read(const char *root, struct limits *limits);

#endif
