/* SPDX-License-Identifier: GPL-3.0-or-later */
/* warm.c - a few platforms by what they were loaded from. */
#include "run/warm.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    char *file; /* NULL: free */
    char *catalogue;
    struct platform platform;
    uint64_t used; /* number of the last question that it answered */
};

struct run_warm {
    struct entry entries[RUN_WARM_MAX];
    uint64_t questions;
};

struct run_warm *run_warm_create(void)
{
    return calloc(1, sizeof(struct run_warm));
}

static void clear(struct entry *entry)
{
    platform_fini(&entry->platform);
    free(entry->file);
    free(entry->catalogue);
    *entry = (struct entry){0};
}

void run_warm_destroy(struct run_warm *warm)
{
    for (size_t i = 0; warm && i < RUN_WARM_MAX; i++) {
        clear(&warm->entries[i]);
    }
    free(warm);
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The entry of a platform; NULL: it is not there. */
static struct entry *find(struct run_warm *warm, const struct platform_options *options)
{
    warm->questions++;
    for (size_t i = 0; i < RUN_WARM_MAX; i++) {
        struct entry *entry = &warm->entries[i];

        if (entry->file && is_same(entry->file, options->file) &&
            is_same(entry->catalogue, options->catalogue)) {
            entry->used = warm->questions;
            return entry;
        }
    }
    return NULL;
}

void run_warm_add(struct run_warm *warm, const struct platform_options *options)
{
    struct entry *entry = &warm->entries[0];
    struct hs_error unused = {0};

    if (!options->file || find(warm, options)) {
        return;
    }
    for (size_t i = 1; i < RUN_WARM_MAX; i++) {
        entry = warm->entries[i].used < entry->used ? &warm->entries[i] : entry;
    }
    clear(entry);
    entry->file = strdup(options->file);
    entry->catalogue = options->catalogue ? strdup(options->catalogue) : NULL;
    entry->used = warm->questions;
    if (!entry->file || (options->catalogue && !entry->catalogue) ||
        platform_load(options, &entry->platform, &unused) != HS_OK) {
        clear(entry);
    }
}

bool run_warm_take(struct run_warm *warm, const struct platform_options *options,
                   struct platform *platform)
{
    struct entry *entry = options->file ? find(warm, options) : NULL;

    if (!entry) {
        return false;
    }
    *platform = entry->platform;
    entry->platform = (struct platform){0};
    clear(entry);
    return true;
}
