/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frames.c - two walks over the module's answer: one checks and counts, one fills. */
#include "platform/frames.h"

#include "platform/simgrid_module.h"

#include <stdlib.h>
#include <string.h>

/* After the first broken length everything reads as zero and `is_bad` stays. */
struct reader {
    const char *at;
    const char *end;
    bool is_bad;
};

static void get(struct reader *reader, void *target, size_t size)
{
    if (reader->is_bad || size > (size_t)(reader->end - reader->at)) {
        reader->is_bad = true;
        memset(target, 0, size);
        return;
    }
    memcpy(target, reader->at, size);
    reader->at += size;
}

static uint32_t get_u32(struct reader *reader)
{
    uint32_t number;

    get(reader, &number, sizeof number);
    return number;
}

/* A string in place; "" when broken. */
static const char *get_string(struct reader *reader)
{
    uint32_t size = get_u32(reader);
    const char *text = reader->at;

    if (reader->is_bad || size == 0 || size > (size_t)(reader->end - reader->at) ||
        memchr(text, '\0', size) != text + size - 1) {
        reader->is_bad = true;
        return "";
    }
    reader->at += size;
    return text;
}

/* One host frame after its kind; with `storage` its states and properties are kept there. */
static struct platform_host get_host(struct reader *reader, struct platform_storage *storage,
                                     size_t first_state, size_t first_property)
{
    struct platform_host host = {.name = get_string(reader)};
    uint32_t count;

    get(reader, &host.cores, sizeof host.cores);
    count = get_u32(reader);
    for (uint32_t i = 0; i < count && !reader->is_bad; i++) {
        double speed;

        get(reader, &speed, sizeof speed);
        if (storage) {
            storage->speeds[first_state + i] = speed;
        }
        host.speed = i == 0 ? speed : host.speed;
    }
    host.pstate_count = count;
    count = get_u32(reader);
    for (uint32_t i = 0; i < count && !reader->is_bad; i++) {
        const char *name = get_string(reader);
        const char *value = get_string(reader);

        if (storage) {
            storage->property_names[first_property + i] = name;
            storage->property_values[first_property + i] = value;
        }
    }
    host.property_count = count;
    return host;
}

bool frames_summarize(const char *bytes, size_t length, struct frames_summary *summary)
{
    struct reader reader = {bytes, bytes + length, false};

    *summary = (struct frames_summary){0};
    while (reader.at < reader.end && !reader.is_bad && !summary->is_whole) {
        char kind = *reader.at++;
        struct platform_host host;
        uint64_t hosts;

        switch (kind) {
        case SIMGRID_FRAME_VERSION:
            summary->version = get_string(&reader);
            break;
        case SIMGRID_FRAME_HOST:
            host = get_host(&reader, NULL, 0, 0);
            reader.is_bad = reader.is_bad || host.pstate_count == 0;
            summary->host_count++;
            summary->state_count += host.pstate_count;
            summary->property_count += host.property_count;
            break;
        case SIMGRID_FRAME_LINE:
            summary->line = get_u32(&reader);
            break;
        case SIMGRID_FRAME_END:
            get(&reader, &hosts, sizeof hosts);
            summary->is_whole = !reader.is_bad && hosts == summary->host_count;
            reader.is_bad = reader.is_bad || !summary->is_whole || reader.at != reader.end;
            break;
        default:
            reader.is_bad = true;
        }
    }
    return !reader.is_bad;
}

/* Never of zero size, so that NULL means that memory is short. */
static void *allocate(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

/* Sorts names and values together. Hosts have a handful of properties, so insertion is best. */
static void sort_properties(const char **names, const char **values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const char *name = names[i];
        const char *value = values[i];
        size_t k = i;

        for (; k > 0 && strcmp(names[k - 1], name) > 0; k--) {
            names[k] = names[k - 1];
            values[k] = values[k - 1];
        }
        names[k] = name;
        values[k] = value;
    }
}

enum hs_err frames_take(char *bytes, size_t length, const struct frames_summary *summary,
                        struct platform *platform, struct hs_error *error)
{
    struct platform_storage *storage = calloc(1, sizeof *storage);
    struct reader reader = {bytes, bytes + length, false};
    size_t state = 0;
    size_t property = 0;

    if (!storage) {
        free(bytes);
        return hs_error_memory(error);
    }
    platform->storage = storage;
    storage->frames = bytes;
    storage->speeds = allocate(summary->state_count, sizeof *storage->speeds);
    storage->property_names = allocate(summary->property_count, sizeof(const char *));
    storage->property_values = allocate(summary->property_count, sizeof(const char *));
    platform->hosts = allocate(summary->host_count, sizeof *platform->hosts);
    platform->simgrid_version = strdup(summary->version ? summary->version : "");
    if (!storage->speeds || !storage->property_names || !storage->property_values ||
        !platform->hosts || !platform->simgrid_version) {
        return hs_error_memory(error);
    }
    while (reader.at < reader.end) {
        char kind = *reader.at++;

        if (kind == SIMGRID_FRAME_HOST) {
            struct platform_host host = get_host(&reader, storage, state, property);

            host.pstate_speeds = storage->speeds + state;
            host.property_names = storage->property_names + property;
            host.property_values = storage->property_values + property;
            sort_properties(storage->property_names + property, storage->property_values + property,
                            host.property_count);
            state += host.pstate_count;
            property += host.property_count;
            platform->hosts[platform->host_count++] = host;
        } else if (kind == SIMGRID_FRAME_VERSION) {
            (void)get_string(&reader);
        } else if (kind == SIMGRID_FRAME_LINE) {
            (void)get_u32(&reader);
        } else {
            break;
        }
    }
    return HS_OK;
}

void platform_storage_destroy(struct platform_storage *storage)
{
    if (storage) {
        free(storage->frames);
        free(storage->speeds);
        free(storage->property_names);
        free(storage->property_values);
        free(storage);
    }
}
