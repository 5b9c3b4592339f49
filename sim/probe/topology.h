/* SPDX-License-Identifier: GPL-3.0-or-later */
/* topology.h - cores, caches, memory and name of the processor. */
#ifndef HSIM_PROBE_TOPOLOGY_H
#define HSIM_PROBE_TOPOLOGY_H

#include "probe/probe.h"

/* Where threads of a measurement run. */
struct topology_places {
    int *processors; /* one processor (as the kernel counts) of each core */
    size_t count;    /* at most machine->core_count; 0: unknown, threads are not bound */
};

/* Fills name, features, counts, memory and caches of *machine, with notes on what is withheld;
 * without hwloc's help from /proc alone. HS_ERR_SYSTEM if there is no number of cores or no memory.
 * topology_fini in any case. */
enum hs_err topology_read(const char *root, struct probe_machine *machine,
                          struct topology_places *places, struct hs_error *error) HS_MUST_USE;
/* What topology_read does when hwloc fails. */
enum hs_err topology_read_plain(const char *root, struct probe_machine *machine,
                                struct hs_error *error) HS_MUST_USE;
void topology_fini(struct topology_places *places);

#endif
