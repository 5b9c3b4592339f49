/* SPDX-License-Identifier: MIT */
/* keys.c - dense indices of keys: a hash table with linear probing. */
#include "lib/keys.h"

#include <stdlib.h>

static uint32_t hash(struct hp_key key)
{
    uint64_t value = key.first * UINT64_C(0x9e3779b97f4a7c15) ^ (key.second + (key.first >> 32));

    value = (value ^ (value >> 32)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(value >> 32);
}

/* The bucket of the key, or the empty one where it belongs. There is always an empty one. */
static uint32_t *bucket_of(const struct hp_keys *keys, struct hp_key key)
{
    uint32_t mask = keys->bucket_count - 1;
    uint32_t place = hash(key) & mask;

    while (keys->buckets[place]) {
        const struct hp_key *other = &keys->list[keys->buckets[place] - 1];

        if (other->first == key.first && other->second == key.second) {
            break;
        }
        place = (place + 1) & mask;
    }
    return &keys->buckets[place];
}

uint32_t hp_keys_find(const struct hp_keys *keys, struct hp_key key)
{
    uint32_t bucket = keys->count ? *bucket_of(keys, key) : 0;

    return bucket ? bucket - 1 : HP_KEYS_NONE;
}

/* Room for one more key; at most half of the buckets are in use. */
static bool reserve(struct hp_keys *keys)
{
    uint32_t room = keys->room ? keys->room * 2 : 32;
    struct hp_key *list;
    uint32_t *buckets;

    if (keys->count < keys->room) {
        return true;
    }
    list = realloc(keys->list, room * sizeof *list);
    if (!list) {
        return false;
    }
    keys->list = list;
    buckets = calloc(2 * (size_t)room, sizeof *buckets);
    if (!buckets) {
        return false;
    }
    free(keys->buckets);
    keys->buckets = buckets;
    keys->bucket_count = 2 * room;
    keys->room = room;
    for (uint32_t i = 0; i < keys->count; i++) {
        *bucket_of(keys, list[i]) = i + 1;
    }
    return true;
}

uint32_t hp_keys_add(struct hp_keys *keys, struct hp_key key)
{
    uint32_t index = hp_keys_find(keys, key);

    if (index != HP_KEYS_NONE) {
        return index;
    }
    if (!reserve(keys)) {
        return HP_KEYS_NONE;
    }
    index = keys->count++;
    keys->list[index] = key;
    *bucket_of(keys, key) = index + 1;
    return index;
}

void hp_keys_fini(struct hp_keys *keys)
{
    free(keys->list);
    free(keys->buckets);
}
