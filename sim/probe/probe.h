/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probe.h - describes the machine that the program runs on: processors, memory, accelerators.
 *
 * hwloc tells the topology, NVML and OpenCL the accelerators; both are opened where they are and
 * only in a child process, since drivers may crash or hang. A short measurement gives rates. What
 * cannot be known stays zero (text: empty; power: NaN), and a note says why and what to do.
 *
 * What a control group or a binding withholds from this process is not described. */
#ifndef HSIM_PROBE_H
#define HSIM_PROBE_H

#include <stdio.h>

#include "hs/base.h"

#define PROBE_TEXT_MAX     128
#define PROBE_NOTE_MAX     512
#define PROBE_NOTES_MAX    32
#define PROBE_DEVICES_MAX  64
#define PROBE_FEATURES_MAX 24
#define PROBE_WORD_MAX     24

struct probe_options {
    const char *name;           /* of the node; NULL: the host's name */
    const char *nvml_library;   /* path or soname; NULL: libnvidia-ml.so.1 */
    const char *opencl_library; /* the same; NULL: libOpenCL.so.1 */
    const char *root;           /* where /proc and /sys are; "" except in tests */
    int library_wait_ms;        /* how long a driver may take; <= 0: 20 s */
    bool has_measurement;
};

/* Sentences for the person, in the order in which they came up. */
struct probe_notes {
    char texts[PROBE_NOTES_MAX][PROBE_NOTE_MAX];
    size_t count;
};

struct probe_features {
    char words[PROBE_FEATURES_MAX][PROBE_WORD_MAX];
    size_t count;
};

enum probe_source { PROBE_NVML, PROBE_OPENCL };

/* An accelerator. */
struct probe_device {
    enum probe_source source;
    char id[PROBE_WORD_MAX];     /* "gpu0": the kind and a number */
    char kind[PROBE_WORD_MAX];   /* gpu, fpga, asic (any other) */
    char name[PROBE_TEXT_MAX];   /* as the driver calls it */
    char model[PROBE_TEXT_MAX];  /* word for catalogue and platform */
    bool is_known;               /* the model is one of the catalogue; the caller sets it */
    char group[PROBE_WORD_MAX];  /* "nvlink0" or "numa0": equal for those that lie together */
    char bus_id[PROBE_WORD_MAX]; /* "0000:3b:00.0" */
    int64_t mem_bytes;
    double mem_bytes_per_s;  /* computed from clock and width of the memory */
    double peak_fp32_flops;  /* computed from cores and clock */
    double link_bytes_per_s; /* of PCIe, one way */
    double idle_w, busy_w;   /* measured when idle; the limit of the board */
    uint32_t vendor_id;      /* of PCI */
    struct probe_features features;
};

struct probe_devices {
    struct probe_device items[PROBE_DEVICES_MAX];
    size_t count;
};

/* What was measured, over all cores in use. */
struct probe_measured {
    uint32_t thread_count; /* 0: nothing was measured */
    int64_t array_bytes;   /* the three arrays of the triad together */
    double triad_bytes_per_s;
    double fp64_flops, fp32_flops;
    char kernel[PROBE_WORD_MAX]; /* "avx512": the instructions of the two */
};

struct probe_machine {
    char node[PROBE_TEXT_MAX];  /* name of the host in the platform */
    char name[PROBE_TEXT_MAX];  /* of the processor */
    char model[PROBE_TEXT_MAX]; /* word for catalogue and platform */
    bool is_known;              /* the model is one of the catalogue; the caller sets it */
    bool is_here; /* false: hwloc was told to describe another machine (HWLOC_XMLFILE) */
    bool is_part; /* cores are withheld from this process, and not described */
    uint32_t package_count, numa_count, core_count, thread_count;
    int64_t mem_bytes;
    int64_t cache_bytes; /* of the last level, all together */
    double idle_w, busy_w;
    struct probe_features features;
    struct probe_devices devices;
    struct probe_measured measured;
    struct probe_notes notes;
};

/* Looks and measures; takes about two seconds with the measurement. *machine is large (some 100
 * KB) and the caller's. Errors: HS_ERR_CONFIG for a bad name, HS_ERR_SYSTEM if not even the number
 * of cores or the memory can be found. Forks: the caller has one thread. */
enum hs_err probe_run(const struct probe_options *options, struct probe_machine *machine,
                      struct hs_error *error) HS_MUST_USE;

/* The machine as a SimGrid platform with one node. Models are named if they are known, or all if
 * `has_catalogue`: the entries of probe_write_catalogue go with the platform. Errors of writing are
 * in `file`. */
void probe_write_platform(const struct probe_machine *machine, bool has_catalogue, FILE *file);

/* Entries of a device catalogue: one of the processor and one of each model of accelerator; of a
 * known one only its name. What cannot be known is left out, with a comment. */
void probe_write_catalogue(const struct probe_machine *machine, FILE *file);

#endif
