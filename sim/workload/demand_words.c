/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_words.c - the words of a demand, and how a demand is written with them. */
#include "workload/demand_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hs/cluster.h"
#include "workload/demand_text.h"

const struct demand_word demand_words[] = {
    {"tasks", "tasks=4, or 4x", DEMAND_TASKS, 0},
    {"cores", "cores=8", DEMAND_CORES, 0},
    {"mem", "mem=32GiB", DEMAND_MEM, 0},
    {"device-mem", "device-mem=40GB", DEMAND_DEVICE_MEM, 0},
    {"features", "features=wmma,nvlink", DEMAND_FEATURES, 0},
    {"node-features", "node-features=avx512", DEMAND_NODE_FEATURES, 0},
    {"tasks-per-node", "tasks-per-node=4", DEMAND_TASKS_PER_NODE, 0},
    {"exclusive", "exclusive", DEMAND_FLAG, HS_DEMAND_EXCLUSIVE},
    {"contiguous", "contiguous", DEMAND_FLAG, HS_DEMAND_CONTIGUOUS},
    {"spread", "spread", DEMAND_FLAG, HS_DEMAND_SPREAD},
    {"same-node", "same-node", DEMAND_FLAG, HS_DEMAND_SAME_NODE},
    {"same-island", "same-island", DEMAND_FLAG, HS_DEMAND_SAME_ISLAND},
    {NULL, NULL, DEMAND_FLAG, 0},
};

/* `device` stands for any; the others are the kinds of the device catalogue. */
static const char *const kinds[] = {"device", "gpu", "fpga", "npu", "asic", "dpu", "dsp", "qpu"};

const struct demand_unit demand_units[] = {
    {"", 1, true},
    {"B", 1, false},
    {"kB", 1000, true},
    {"KB", 1000, false},
    {"KiB", INT64_C(1) << 10, true},
    {"MB", 1000000, true},
    {"MiB", INT64_C(1) << 20, true},
    {"GB", 1000000000, true},
    {"GiB", INT64_C(1) << 30, true},
    {"TB", INT64_C(1000000000000), true},
    {"TiB", INT64_C(1) << 40, true},
    {NULL, 0, false},
};

const struct demand_word *demand_words_find(const char *name)
{
    for (const struct demand_word *word = demand_words; word->name; word++) {
        if (!strcmp(word->name, name)) {
            return word;
        }
    }
    return NULL;
}

bool demand_words_is_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!strcmp(kinds[i], name)) {
            return true;
        }
    }
    return false;
}

enum demand_word_class demand_text_word_class(const char *name)
{
    return demand_words_find(name)      ? DEMAND_CLASS_WORD
           : demand_words_is_kind(name) ? DEMAND_CLASS_KIND
                                        : DEMAND_CLASS_NONE;
}

size_t demand_text_words(const char *words[DEMAND_WORD_MAX])
{
    size_t count = 0;

    for (const struct demand_word *word = demand_words; word->name; word++) {
        words[count++] = word->name;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        words[count++] = kinds[i];
    }
    HS_ASSERT(count + 1 <= DEMAND_WORD_MAX);
    words[count++] = "or";
    return count;
}

/* Text that grows to a bound; `length` is what it would be. */
struct sink {
    char *text;
    size_t length;
};

static void put(struct sink *sink, const char *format, ...) HS_PRINTF(2, 3);
static void put(struct sink *sink, const char *format, ...)
{
    va_list arguments;
    size_t room = DEMAND_TEXT_MAX - sink->length;
    int written;

    va_start(arguments, format);
    written = vsnprintf(sink->text + sink->length, room, format, arguments);
    va_end(arguments);
    sink->length += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

static void put_thousandths(struct sink *sink, int64_t value)
{
    put(sink, "%" PRId64, value / 1000);
    if (value % 1000) {
        char digits[8];
        size_t length = 3;

        (void)snprintf(digits, sizeof digits, "%03d", (int)(value % 1000));
        while (digits[length - 1] == '0') {
            digits[--length] = '\0';
        }
        put(sink, ".%s", digits);
    }
}

/* In the largest unit in which it is a whole number. */
static void put_bytes(struct sink *sink, int64_t value)
{
    const struct demand_unit *best = demand_units;

    for (const struct demand_unit *unit = demand_units; unit->name; unit++) {
        if (unit->is_written && value % unit->bytes == 0) {
            best = unit;
        }
    }
    put(sink, "%" PRId64 "%s", value / best->bytes, best->name);
}

static void put_features(struct sink *sink, uint64_t bits, const struct workload_names *names)
{
    const char *separator = "";

    for (uint16_t i = 0; i < HS_FEATURE_MAX; i++) {
        if (bits >> i & 1u) {
            put(sink, "%s%s", separator, workload_names_text(names, WORKLOAD_FEATURE, i));
            separator = ",";
        }
    }
}

static void put_device(struct sink *sink, const struct hs_demand *demand,
                       const struct workload_names *names)
{
    const char *kind = demand->device_kind == HS_ANY_KIND
                           ? "device"
                           : workload_names_text(names, WORKLOAD_KIND, demand->device_kind);

    put(sink, " %s", kind);
    for (uint16_t i = 0; i < demand->model_count; i++) {
        put(sink, "%c%s", i ? '|' : ':',
            workload_names_text(names, WORKLOAD_MODEL, demand->models[i]));
    }
    if (demand->model_count == 0 && !demand_words_is_kind(kind)) {
        put(sink, ":*");
    }
    put(sink, "=");
    if (demand->device_share == HS_SHARES_PER_UNIT) {
        put(sink, "%" PRIu32, demand->device_count);
        return;
    }
    if (demand->device_count > 1) {
        put(sink, "%" PRIu32 "*", demand->device_count);
    }
    put_thousandths(sink, demand->device_share);
}

static void put_word(struct sink *sink, const struct demand_word *word,
                     const struct hs_demand *demand, const struct workload_names *names)
{
    switch (word->type) {
    case DEMAND_TASKS:
        if (demand->tasks > 1) {
            put(sink, "%" PRIu32 "x ", demand->tasks);
        }
        break;
    case DEMAND_CORES: /* always there, so that no text is empty */
        put(sink, "cores=");
        put_thousandths(sink, demand->cores_milli);
        break;
    case DEMAND_MEM:
        if (demand->mem_bytes) {
            put(sink, " mem=");
            put_bytes(sink, demand->mem_bytes);
        }
        if (demand->device_count) {
            put_device(sink, demand, names);
        }
        break;
    case DEMAND_DEVICE_MEM:
        if (demand->device_mem) {
            put(sink, " device-mem=");
            put_bytes(sink, demand->device_mem);
        }
        break;
    case DEMAND_FEATURES:
    case DEMAND_NODE_FEATURES: {
        uint64_t bits = word->type == DEMAND_FEATURES ? demand->features : demand->node_features;

        if (bits) {
            put(sink, " %s=", word->name);
            put_features(sink, bits, names);
        }
        break;
    }
    case DEMAND_TASKS_PER_NODE:
        if (demand->tasks_per_node) {
            put(sink, " tasks-per-node=%" PRIu32, demand->tasks_per_node);
        }
        break;
    case DEMAND_FLAG:
        if (demand->flags & word->flag) {
            put(sink, " %s", word->name);
        }
        break;
    }
}

size_t demand_text_format(const struct hs_demand *demand, const struct workload_names *names,
                          char text[DEMAND_TEXT_MAX])
{
    struct sink sink = {.text = text};

    text[0] = '\0';
    for (uint32_t i = 0; i <= demand->alternative_count; i++) {
        const struct hs_demand *part = i ? &demand->alternatives[i - 1] : demand;

        put(&sink, "%s", i ? " or " : "");
        for (const struct demand_word *word = demand_words; word->name; word++) {
            put_word(&sink, word, part, names);
        }
    }
    return sink.length;
}
