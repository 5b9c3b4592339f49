/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_store.c - a hash table from text to demand, and the alternatives that the demands share.
 */
#include "workload/demand_store.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_MIN ((size_t)64)

struct slot {
    uint64_t hash;
    size_t length;
    struct demand_entry entry;
    char *refusal;
    char text[];
};

/* Alternatives: a list of demands that is held once. */
struct block {
    struct block *next; /* in its bucket */
    uint64_t hash;
    uint32_t count;
    struct hs_demand list[];
};

struct demand_store {
    struct workload_names *names;
    struct slot **buckets; /* open addressing, at most half full */
    size_t bucket_count, count;
    struct block **blocks; /* chains, one block to a bucket on average */
    size_t block_bucket_count, block_count;
    struct demand_options options; /* of the text that is parsed */
};

struct demand_store *demand_store_create(struct workload_names *names)
{
    struct demand_store *store = calloc(1, sizeof *store);

    if (!store) {
        return NULL;
    }
    store->names = names;
    store->bucket_count = BUCKETS_MIN;
    store->buckets = calloc(BUCKETS_MIN, sizeof(struct slot *));
    store->block_bucket_count = BUCKETS_MIN;
    store->blocks = calloc(BUCKETS_MIN, sizeof(struct block *));
    if (!store->buckets || !store->blocks) {
        free(store->buckets);
        free(store->blocks);
        free(store);
        return NULL;
    }
    return store;
}

void demand_store_destroy(struct demand_store *store)
{
    if (!store) {
        return;
    }
    for (size_t i = 0; i < store->bucket_count; i++) {
        if (store->buckets[i]) {
            free(store->buckets[i]->refusal);
            free(store->buckets[i]);
        }
    }
    for (size_t i = 0; i < store->block_bucket_count; i++) {
        while (store->blocks[i]) {
            struct block *block = store->blocks[i];

            store->blocks[i] = block->next;
            free(block);
        }
    }
    free(store->blocks);
    free(store->buckets);
    free(store);
}

/* FNV-1a. */
static uint64_t hash_of(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xCBF29CE484222325);

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    }
    return hash ^ (hash >> 32);
}

/* The bucket of the text, or the free one where it belongs. */
static size_t bucket_of(const struct demand_store *store, uint64_t hash, const char *text,
                        size_t length)
{
    size_t at = (size_t)hash & (store->bucket_count - 1);

    for (; store->buckets[at]; at = (at + 1) & (store->bucket_count - 1)) {
        const struct slot *slot = store->buckets[at];

        if (slot->hash == hash && slot->length == length && !memcmp(slot->text, text, length)) {
            break;
        }
    }
    return at;
}

static bool grow(struct demand_store *store)
{
    size_t count = store->bucket_count * 2;
    struct slot **buckets = calloc(count, sizeof(struct slot *));

    if (!buckets) {
        return false;
    }
    for (size_t i = 0; i < store->bucket_count; i++) {
        struct slot *slot = store->buckets[i];
        size_t at = slot ? (size_t)slot->hash & (count - 1) : 0;

        while (slot && buckets[at]) {
            at = (at + 1) & (count - 1);
        }
        if (slot) {
            buckets[at] = slot;
        }
    }
    free(store->buckets);
    store->buckets = buckets;
    store->bucket_count = count;
    return true;
}

static bool grow_blocks(struct demand_store *store)
{
    size_t count = store->block_bucket_count * 2;
    struct block **blocks = calloc(count, sizeof(struct block *));

    if (!blocks) {
        return false;
    }
    for (size_t i = 0; i < store->block_bucket_count; i++) {
        while (store->blocks[i]) {
            struct block *block = store->blocks[i];
            size_t at = (size_t)block->hash & (count - 1);

            store->blocks[i] = block->next;
            block->next = blocks[at];
            blocks[at] = block;
        }
    }
    free(store->blocks);
    store->blocks = blocks;
    store->block_bucket_count = count;
    return true;
}

/* The held list with these demands; NULL: no memory. */
static const struct hs_demand *share(struct demand_store *store, const struct hs_demand *list,
                                     uint32_t count)
{
    uint64_t hash = hash_of(list, count * sizeof *list);
    struct block *block = store->blocks[(size_t)hash & (store->block_bucket_count - 1)];
    struct block **bucket;

    for (; block; block = block->next) {
        if (block->hash == hash && block->count == count &&
            !memcmp(block->list, list, count * sizeof *list)) {
            return block->list;
        }
    }
    if (store->block_count == store->block_bucket_count && !grow_blocks(store)) {
        return NULL;
    }
    block = malloc(sizeof *block + count * sizeof *list);
    if (!block) {
        return NULL;
    }
    bucket = &store->blocks[(size_t)hash & (store->block_bucket_count - 1)];
    block->hash = hash;
    block->count = count;
    memcpy(block->list, list, count * sizeof *list);
    block->next = *bucket;
    *bucket = block;
    store->block_count++;
    return block->list;
}

/* From store->options to an entry. */
static bool entry_fill(struct demand_store *store, struct slot *slot)
{
    const struct demand_options *options = &store->options;
    struct hs_demand *demand = &slot->entry.demand;

    *demand = options->list[0];
    if (options->count > 1) {
        demand->alternatives = share(store, &options->list[1], options->count - 1);
        demand->alternative_count = options->count - 1;
        if (!demand->alternatives) {
            return false;
        }
    }
    if (*options->refusal) {
        slot->refusal = strdup(options->refusal);
        slot->entry.refusal = slot->refusal;
        return slot->refusal != NULL;
    }
    return true;
}

enum hs_err demand_store_find(struct demand_store *store, const char *text, size_t length,
                              const struct demand_entry **entry, struct hs_error *error)
{
    uint64_t hash = hash_of(text, length);
    size_t at = bucket_of(store, hash, text, length);
    struct slot *slot = store->buckets[at];
    enum hs_err err;

    if (slot) {
        *entry = &slot->entry;
        return HS_OK;
    }
    err = demand_text_parse(text, length, store->names, &store->options, error);
    if (err) {
        return err;
    }
    if (2 * (store->count + 1) > store->bucket_count && !grow(store)) {
        return hs_error_memory(error);
    }
    slot = calloc(1, sizeof *slot + length);
    if (!slot || !entry_fill(store, slot)) {
        free(slot);
        return hs_error_memory(error);
    }
    slot->hash = hash;
    slot->length = length;
    memcpy(slot->text, text, length);
    store->buckets[bucket_of(store, hash, text, length)] = slot;
    store->count++;
    *entry = &slot->entry;
    return HS_OK;
}
