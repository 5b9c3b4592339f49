/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue_key.c - all keys of an entry. The rows stand in the order of the help; a map comes
 * before its children. */
#include "platform/catalogue_key.h"

#include <string.h>

#define FIELD(member)          .offset = offsetof(struct catalogue_device, member)
#define LIST(member, count)    FIELD(member), .count_offset = offsetof(struct catalogue_device, count)
#define RANGE(lowest, highest) .min = (lowest), .max = (highest)
#define FIGURE(kind, member)   .type = (kind), .is_figure = true, FIELD(member)
#define PEAK(precision)        FIGURE(CATALOGUE_FLOPS, peak_flops[precision]), RANGE(1e6, 1e21)
#define FRACTION(which)        FIGURE(CATALOGUE_FRACTION, efficiency[which]), RANGE(1e-6, 1)
#define WATTS(member)          FIGURE(CATALOGUE_WATTS, power.member), RANGE(0, 1e6)

const char *const catalogue_kinds[] = {"cpu", "gpu", "fpga", "npu", "asic",
                                       "dpu", "dsp", "qpu",  NULL};

const struct catalogue_key catalogue_keys[] = {
    {.path = "model",
     .type = CATALOGUE_MODEL,
     .is_required = true,
     FIELD(model),
     .example = "a100-sxm4-40",
     .doc = "What platform files and demands name; the model of a known entry changes it"},
    {.path = "aliases",
     .type = CATALOGUE_STRINGS,
     LIST(aliases, alias_count),
     .example = "[A100, NVIDIA A100-SXM4-40GB]",
     .doc = "Other names of the model, in any case of letters"},
    {.path = "kind",
     .type = CATALOGUE_KIND,
     .is_required = true,
     FIELD(kind),
     .example = "gpu",
     .doc = "What it is"},
    {.path = "name",
     .type = CATALOGUE_STRING,
     .is_required = true,
     FIELD(name),
     .example = "NVIDIA A100 SXM4 40 GB",
     .doc = "Its name for people"},
    {.path = "vendor",
     .type = CATALOGUE_STRING,
     FIELD(vendor),
     .example = "NVIDIA",
     .doc = "Who makes it"},
    {.path = "year",
     .type = CATALOGUE_INTEGER,
     FIELD(year),
     RANGE(1940, 2100),
     .example = "2020",
     .doc = "When it came out"},
    {.path = "cores",
     FIGURE(CATALOGUE_INTEGER, cores),
     RANGE(1, 1e6),
     .example = "64",
     .doc = "Cores of a CPU socket"},
    {.path = "memory",
     .type = CATALOGUE_MAP,
     .example = "{size: 40 GB, bandwidth: 1555 GB/s}",
     .doc = "Its own memory"},
    {.path = "memory.size",
     FIGURE(CATALOGUE_BYTES, mem_bytes),
     RANGE(1e6, 1e15),
     .example = "40 GB",
     .doc = "How much; none for a CPU, whose memory belongs to the node"},
    {.path = "memory.bandwidth",
     FIGURE(CATALOGUE_BANDWIDTH, mem_bandwidth),
     RANGE(1e6, 1e18),
     .example = "1555 GB/s",
     .doc = "Peak of reading and writing together"},
    {.path = "peak",
     .type = CATALOGUE_MAP,
     .example = "{fp64: 9.7 Tf, fp16-matrix: 312 Tf}",
     .doc = "Peak rates by precision, without sparsity"},
    {.path = "peak.fp64",
     PEAK(CATALOGUE_FP64),
     .example = "9.7 Tf",
     .doc = "64 bits, vector units"},
    {.path = "peak.fp64-matrix",
     PEAK(CATALOGUE_FP64_MATRIX),
     .example = "19.5 Tf",
     .doc = "64 bits, matrix units"},
    {.path = "peak.fp32",
     PEAK(CATALOGUE_FP32),
     .example = "19.5 Tf",
     .doc = "32 bits, vector units"},
    {.path = "peak.fp32-matrix",
     PEAK(CATALOGUE_FP32_MATRIX),
     .example = "46.1 Tf",
     .doc = "32 bits, matrix units"},
    {.path = "peak.tf32",
     PEAK(CATALOGUE_TF32),
     .example = "156 Tf",
     .doc = "TF32 (19 bits), matrix units"},
    {.path = "peak.fp16", PEAK(CATALOGUE_FP16), .example = "78 Tf", .doc = "16 bits, vector units"},
    {.path = "peak.fp16-matrix",
     PEAK(CATALOGUE_FP16_MATRIX),
     .example = "312 Tf",
     .doc = "16 bits, matrix units"},
    {.path = "peak.bf16-matrix",
     PEAK(CATALOGUE_BF16_MATRIX),
     .example = "312 Tf",
     .doc = "Brain floats of 16 bits, matrix units"},
    {.path = "peak.fp8-matrix",
     PEAK(CATALOGUE_FP8_MATRIX),
     .example = "1979 Tf",
     .doc = "8 bits, matrix units"},
    {.path = "peak.int8",
     FIGURE(CATALOGUE_OPS, peak_flops[CATALOGUE_INT8]),
     RANGE(1e6, 1e21),
     .example = "624 Top/s",
     .doc = "Integers of 8 bits, the fastest way"},
    {.path = "efficiency",
     .type = CATALOGUE_MAP,
     .example = "{matmul: 0.87, stream: 0.88}",
     .doc = "Measured fractions of the peaks"},
    {.path = "efficiency.matmul",
     FRACTION(CATALOGUE_MATMUL),
     .example = "0.87",
     .doc = "Large matrix products, of the fastest 16-bit rate"},
    {.path = "efficiency.stream",
     FRACTION(CATALOGUE_STREAM),
     .example = "0.88",
     .doc = "STREAM or BabelStream, of memory.bandwidth"},
    {.path = "power",
     .type = CATALOGUE_MAP,
     .is_required = true,
     .example = "{idle: 55 W, busy: 400 W}",
     .doc = "What it draws; off <= idle <= context <= busy"},
    {.path = "power.off", WATTS(off_w), .example = "0 W", .doc = "Switched off; 0 W if not stated"},
    {.path = "power.idle",
     WATTS(idle_w),
     .is_required = true,
     .example = "55 W",
     .doc = "On, but nothing is allocated"},
    {.path = "power.context",
     WATTS(context_w),
     .example = "85 W",
     .doc = "Allocated, but nothing runs; idle if not stated"},
    {.path = "power.busy",
     WATTS(busy_w),
     .is_required = true,
     .example = "400 W",
     .doc = "At work: its thermal design power, or what was measured"},
    {.path = "interconnect",
     .type = CATALOGUE_STRING,
     FIELD(interconnect),
     .example = "NVLink3 600 GB/s; PCIe 4.0 x16",
     .doc = "What it is connected by"},
    {.path = "features",
     .type = CATALOGUE_NAMES,
     LIST(features, feature_count),
     .example = "[tensor-cores, bf16, mig]",
     .doc = "What demands may ask for"},
    {.path = "note",
     .type = CATALOGUE_STRING,
     FIELD(note),
     .example = "board limit 300 W",
     .doc = "What else there is to say"},
    {.path = "sources",
     .type = CATALOGUE_SOURCES,
     .example = "{peak: data sheet, power.idle: measured}",
     .doc = "Where figures come from, by figure (power.idle), map (power) or all"},
    {.path = "unconfirmed",
     .type = CATALOGUE_FIGURES,
     .example = "[power.idle]",
     .doc = "Figures that no source confirms: from memory, estimated or computed"},
};
const size_t catalogue_key_count = sizeof catalogue_keys / sizeof catalogue_keys[0];

const char *catalogue_key_name(const struct catalogue_key *key)
{
    const char *dot = strchr(key->path, '.');

    return dot ? dot + 1 : key->path;
}

static bool is_child(const struct catalogue_key *key, const char *parent)
{
    size_t length = strlen(parent);

    if (length == 0) {
        return !strchr(key->path, '.');
    }
    return strncmp(key->path, parent, length) == 0 && key->path[length] == '.';
}

const struct catalogue_key *catalogue_key_child(const char *parent, const char *name)
{
    for (size_t i = 0; i < catalogue_key_count; i++) {
        const struct catalogue_key *key = &catalogue_keys[i];

        if (is_child(key, parent) && strcmp(catalogue_key_name(key), name) == 0) {
            return key;
        }
    }
    return NULL;
}

size_t catalogue_key_children(const char *parent, const char **names)
{
    size_t count = 0;

    for (size_t i = 0; i < catalogue_key_count; i++) {
        if (is_child(&catalogue_keys[i], parent)) {
            HS_ASSERT(count < CATALOGUE_CHILDREN_MAX);
            names[count++] = catalogue_key_name(&catalogue_keys[i]);
        }
    }
    return count;
}

size_t catalogue_key_figure(const struct catalogue_key *key)
{
    size_t figure = 0;

    for (const struct catalogue_key *row = catalogue_keys; row < key; row++) {
        figure += row->is_figure;
    }
    return figure;
}

const struct catalogue_key *catalogue_figure_key(size_t figure)
{
    const struct catalogue_key *key = catalogue_keys;

    HS_ASSERT(figure < CATALOGUE_FIGURE_COUNT);
    while (!key->is_figure || figure-- > 0) {
        key++;
    }
    return key;
}

const char *catalogue_type_text(enum catalogue_type type)
{
    static const char *const texts[] = {
        [CATALOGUE_MAP] = "map",           [CATALOGUE_MODEL] = "name",
        [CATALOGUE_KIND] = "kind",         [CATALOGUE_STRING] = "text",
        [CATALOGUE_STRINGS] = "list",      [CATALOGUE_NAMES] = "names",
        [CATALOGUE_SOURCES] = "map",       [CATALOGUE_FIGURES] = "figures",
        [CATALOGUE_INTEGER] = "number",    [CATALOGUE_BYTES] = "size",
        [CATALOGUE_BANDWIDTH] = "bytes/s", [CATALOGUE_FLOPS] = "flop/s",
        [CATALOGUE_OPS] = "op/s",          [CATALOGUE_FRACTION] = "fraction",
        [CATALOGUE_WATTS] = "watts",
    };

    return texts[type];
}
