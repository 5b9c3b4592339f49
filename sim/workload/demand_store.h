/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_store.h - texts of demands, each parsed once.
 *
 * Jobs repeat their demands, so a row of a trace costs one look-up by its text. Alternatives that
 * are equal are the same memory: equal demands are equal bytes. Memory grows with the number of
 * different texts. */
#ifndef HSIM_WORKLOAD_DEMAND_STORE_H
#define HSIM_WORKLOAD_DEMAND_STORE_H

#include "workload/demand_text.h"

struct demand_store;

/* An entry; it and all it points to live as long as the store. */
struct demand_entry {
    struct hs_demand demand;
    const char *refusal; /* why no node can serve it, see demand_text.h; NULL: one may */
};

/* NULL: no memory. `names` is borrowed. */
struct demand_store *demand_store_create(struct workload_names *names);
void demand_store_destroy(struct demand_store *store); /* takes NULL */

/* The entry of a text. Errors are those of demand_text_parse, or no memory. */
enum hs_err demand_store_find(struct demand_store *store, const char *text, size_t length,
                              const struct demand_entry **entry,
                              struct hs_error *error) HS_MUST_USE;

#endif
