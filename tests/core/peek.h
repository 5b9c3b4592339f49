/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peek.h - the placement that the core composes from names, for tests of placement alone. */
#ifndef HSIM_TESTS_PEEK_H
#define HSIM_TESTS_PEEK_H

#include "hs/sched.h"

struct peek {
    struct hs_registry *registry;
    struct hs_stack *stack;
    struct hs_sched *sched;
    struct hs_placement placement; /* valid until peek_close */
};

/* A name may be NULL: the default. `mix` too. */
void peek_open(struct peek *peek, const struct hs_cluster *cluster, const char *place,
               const char *local, const char *tie, const struct hs_mix *mix);
void peek_close(struct peek *peek);

#endif
