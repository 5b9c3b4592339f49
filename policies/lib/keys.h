/* SPDX-License-Identifier: MIT */
/* keys.h - a set of keys that gives each a dense index, in the order in which they came: for what a
 * predictor remembers of users or classes. Keys are never removed. */
#ifndef HP_KEYS_H
#define HP_KEYS_H

#include "hs/base.h"

#define HP_KEYS_NONE UINT32_MAX

struct hp_key {
    uint64_t first, second;
};

/* Zero it before first use. */
struct hp_keys {
    struct hp_key *list; /* by index */
    uint32_t count;
    uint32_t room;     /* of list */
    uint32_t *buckets; /* open addressing: index + 1; 0: empty */
    uint32_t bucket_count;
};

/* Index of the key, or HP_KEYS_NONE. */
uint32_t hp_keys_find(const struct hp_keys *keys, struct hp_key key);

/* Index of the key, which is added if it is new (then it is the old count). HP_KEYS_NONE: no
 * memory. */
uint32_t hp_keys_add(struct hp_keys *keys, struct hp_key key);

void hp_keys_fini(struct hp_keys *keys);

#endif
