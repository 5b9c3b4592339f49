/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_words.h - the table of words of a demand: what reader and writer share. */
#ifndef HSIM_WORKLOAD_DEMAND_WORDS_H
#define HSIM_WORKLOAD_DEMAND_WORDS_H

#include "hs/demand.h"

enum demand_word_type {
    DEMAND_TASKS,
    DEMAND_CORES,
    DEMAND_MEM,
    DEMAND_DEVICE_MEM,
    DEMAND_FEATURES,
    DEMAND_NODE_FEATURES,
    DEMAND_TASKS_PER_NODE,
    DEMAND_FLAG,
};

struct demand_word {
    const char *name;
    const char *example;
    enum demand_word_type type;
    uint32_t flag; /* of a flag */
};

/* In the order in which they are written. A name of NULL ends the table. */
extern const struct demand_word demand_words[];

/* Bits of words that were seen: their places in the table, and this one. */
#define DEMAND_SEEN_DEVICE (1u << 31)

/* NULL: no word of the table. */
const struct demand_word *demand_words_find(const char *name);

/* A kind of device that is understood without being known: "gpu", or "device" for any. */
bool demand_words_is_kind(const char *name);

/* Units of sizes, ascending; a name of NULL ends the table. */
struct demand_unit {
    const char *name;
    int64_t bytes;
    bool is_written;
};
extern const struct demand_unit demand_units[];

#endif
