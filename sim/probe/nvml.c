/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvml.c - NVIDIA's accelerators. Prototypes and numbers are those of NVML's interface as
 * documented in NVIDIA's "NVML API Reference Guide"; nothing of it is needed to build. */
#include "probe/devices.h"

#include "probe/library.h"
#include "probe/words.h"

#include <math.h>
#include <string.h>

#define REMEDY                                                                                     \
    "Repair the NVIDIA driver (does nvidia-smi work?), or name another library in "                \
    "HSIM_NVML_LIBRARY."
#define NVIDIA_VENDOR 0x10deu
#define CLOCK_SM      1
#define CLOCK_MEM     2
#define P2P_NVLINK    2
#define P2P_OK        0
#define MILLI         1e-3
#define MHZ           1e6
#define FLOPS_PER_FMA 2.0
#define EDGES         2.0 /* data per clock of the memory */
#define BITS          8.0

struct nvml_memory {
    unsigned long long total, free, used;
};
struct nvml_use {
    unsigned gpu, memory; /* percent */
};
struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

typedef int call_none(void);
typedef const char *call_error(int code);
typedef int call_count(unsigned *count);
typedef int call_handle(unsigned index, void **device);
typedef int call_name(void *device, char *name, unsigned room);
typedef int call_memory(void *device, struct nvml_memory *memory);
typedef int call_pci(void *device, struct nvml_pci *pci);
typedef int call_number(void *device, unsigned *number);
typedef int call_clock(void *device, unsigned type, unsigned *mhz);
typedef int call_use(void *device, struct nvml_use *use);
typedef int call_pair(void *device, int *major, int *minor);
typedef int call_modes(void *device, unsigned *current, unsigned *pending);
typedef int call_peers(void *device, void *other, unsigned what, unsigned *status);

enum {
    INIT,
    COUNT,
    HANDLE,
    NAME,
    MEMORY,
    ERROR,
    PCI,
    LIMIT,
    USAGE,
    USE,
    CLOCK,
    CORES,
    WIDTH,
    CAPABILITY,
    MIG,
    PEERS,
    SYMBOLS
};

static const struct library_symbol symbols[SYMBOLS] = {
    [INIT] = {"nvmlInit_v2", false},
    [COUNT] = {"nvmlDeviceGetCount_v2", false},
    [HANDLE] = {"nvmlDeviceGetHandleByIndex_v2", false},
    [NAME] = {"nvmlDeviceGetName", false},
    [MEMORY] = {"nvmlDeviceGetMemoryInfo", false},
    [ERROR] = {"nvmlErrorString", true},
    [PCI] = {"nvmlDeviceGetPciInfo_v3", true},
    [LIMIT] = {"nvmlDeviceGetPowerManagementLimit", true},
    [USAGE] = {"nvmlDeviceGetPowerUsage", true},
    [USE] = {"nvmlDeviceGetUtilizationRates", true},
    [CLOCK] = {"nvmlDeviceGetMaxClockInfo", true},
    [CORES] = {"nvmlDeviceGetNumGpuCores", true},
    [WIDTH] = {"nvmlDeviceGetMemoryBusWidth", true},
    [CAPABILITY] = {"nvmlDeviceGetCudaComputeCapability", true},
    [MIG] = {"nvmlDeviceGetMigMode", true},
    [PEERS] = {"nvmlDeviceGetP2PStatus", true},
};

struct nvml {
    library_function *functions[SYMBOLS];
    void *handles[PROBE_DEVICES_MAX]; /* of the devices in the answer */
    struct devices_answer *answer;
};

/* The function at `index` as what it is, or NULL. */
#define FUNCTION(nvml, type, index) ((type *)(nvml)->functions[index])

static const char *reason(const struct nvml *nvml, int code)
{
    const char *text = NULL;

    if (nvml->functions[ERROR]) {
        text = FUNCTION(nvml, call_error, ERROR)(code);
    }
    return text ? text : "no reason is given";
}

/* A number of a device, 0 if it does not tell. */
static double number_of(const struct nvml *nvml, void *handle, int index)
{
    unsigned number = 0;

    if (!nvml->functions[index] || FUNCTION(nvml, call_number, index)(handle, &number) != 0) {
        return 0;
    }
    return number;
}

static double clock_of(const struct nvml *nvml, void *handle, unsigned type)
{
    unsigned mhz = 0;

    if (!nvml->functions[CLOCK] || FUNCTION(nvml, call_clock, CLOCK)(handle, type, &mhz) != 0) {
        return 0;
    }
    return mhz * MHZ;
}

/* Idle power is what the board draws now, if it has nothing to do. */
static void read_power(struct nvml *nvml, void *handle, struct probe_device *device)
{
    struct nvml_use use = {0};
    double limit = number_of(nvml, handle, LIMIT) * MILLI;
    double usage = number_of(nvml, handle, USAGE) * MILLI;
    bool is_idle =
        nvml->functions[USE] && FUNCTION(nvml, call_use, USE)(handle, &use) == 0 && use.gpu == 0;

    device->busy_w = limit > 0 ? limit : NAN;
    device->idle_w = is_idle && usage > 0 ? usage : NAN;
    if (limit <= 0) {
        words_note(&nvml->answer->notes,
                   "%s: the power limit is not told, so its busy power is left out. Add it to the "
                   "catalogue from the data sheet.",
                   device->name);
    }
    if (usage > 0 && !is_idle) {
        words_note(&nvml->answer->notes,
                   "%s: it is in use, so its idle power is left out. Run the probe on an idle "
                   "machine.",
                   device->name);
    } else if (usage <= 0) {
        words_note(&nvml->answer->notes,
                   "%s: the power it draws is not told, so its idle power is left out. Measure it, "
                   "and add it to the catalogue.",
                   device->name);
    }
}

/* Tensor cores came with capability 7.0; the GTX 16 boards (7.5) have none. */
static void read_features(const struct nvml *nvml, void *handle, struct probe_device *device)
{
    int major = 0, minor = 0;

    if (!nvml->functions[CAPABILITY] ||
        FUNCTION(nvml, call_pair, CAPABILITY)(handle, &major, &minor) != 0 || major < 1) {
        return;
    }
    words_feature(&device->features, "cuda-sm%d%d", major, minor);
    if (major >= 7 && !strstr(device->name, "GTX 16")) {
        words_feature(&device->features, "wmma");
    }
    if (major >= 8) {
        words_feature(&device->features, "bf16");
        words_feature(&device->features, "tf32");
    }
}

static void read_mig(const struct nvml *nvml, void *handle, const struct probe_device *device)
{
    unsigned current = 0, pending = 0;

    if (nvml->functions[MIG] && FUNCTION(nvml, call_modes, MIG)(handle, &current, &pending) == 0 &&
        current) {
        words_note(&nvml->answer->notes,
                   "%s: it is divided into instances (MIG); the whole device is described.",
                   device->name);
    }
}

/* "00000000:3B:00.0" as the kernel writes it: "0000:3b:00.0". */
static void read_bus(const struct nvml *nvml, void *handle, struct probe_device *device)
{
    struct nvml_pci pci;

    memset(&pci, 0, sizeof pci);
    if (nvml->functions[PCI] && FUNCTION(nvml, call_pci, PCI)(handle, &pci) == 0) {
        (void)snprintf(device->bus_id, sizeof device->bus_id, "%04x:%02x:%02x.0", pci.domain,
                       pci.bus & 0xffu, pci.device & 0xffu);
    }
}

static void read_device(struct nvml *nvml, unsigned index)
{
    struct probe_devices *devices = &nvml->answer->devices;
    struct probe_device *device = &devices->items[devices->count];
    struct nvml_memory memory = {0};
    char name[PROBE_TEXT_MAX] = "";
    void *handle = NULL;
    int code = FUNCTION(nvml, call_handle, HANDLE)(index, &handle);

    if (code == 0) {
        code = FUNCTION(nvml, call_name, NAME)(handle, name, sizeof name);
    }
    if (code != 0) {
        words_note(&nvml->answer->notes, "NVIDIA device %u does not answer: %s. It is left out. %s",
                   index, reason(nvml, code), REMEDY);
        return;
    }
    *device =
        (struct probe_device){.source = PROBE_NVML, .kind = "gpu", .vendor_id = NVIDIA_VENDOR};
    name[sizeof name - 1] = '\0';
    words_copy(device->name, name);
    if (FUNCTION(nvml, call_memory, MEMORY)(handle, &memory) == 0 && memory.total <= INT64_MAX) {
        device->mem_bytes = (int64_t)memory.total;
    }
    device->peak_fp32_flops =
        number_of(nvml, handle, CORES) * FLOPS_PER_FMA * clock_of(nvml, handle, CLOCK_SM);
    device->mem_bytes_per_s =
        number_of(nvml, handle, WIDTH) / BITS * EDGES * clock_of(nvml, handle, CLOCK_MEM);
    read_bus(nvml, handle, device);
    read_power(nvml, handle, device);
    read_features(nvml, handle, device);
    read_mig(nvml, handle, device);
    nvml->handles[devices->count++] = handle;
}

static bool is_joined(const struct nvml *nvml, size_t left, size_t right)
{
    unsigned status = 1;

    return FUNCTION(nvml, call_peers, PEERS)(nvml->handles[left], nvml->handles[right], P2P_NVLINK,
                                             &status) == 0 &&
           status == P2P_OK;
}

/* Devices that reach each other over NVLink, be it in steps, are one island. */
static void find_islands(const struct nvml *nvml)
{
    struct probe_devices *devices = &nvml->answer->devices;
    size_t island[PROBE_DEVICES_MAX];
    size_t island_count = 0;

    for (size_t i = 0; i < devices->count; i++) {
        island[i] = i;
    }
    for (size_t i = 0; i < devices->count; i++) {
        for (size_t j = i + 1; nvml->functions[PEERS] && j < devices->count; j++) {
            size_t from = island[j], to = island[i];

            for (size_t k = 0; from != to && is_joined(nvml, i, j) && k < devices->count; k++) {
                island[k] = island[k] == from ? to : island[k];
            }
        }
    }
    for (size_t i = 0; i < devices->count; i++) {
        bool is_new = false;

        for (size_t j = i + 1; j < devices->count; j++) {
            if (island[j] == island[i] && !devices->items[j].group[0]) {
                is_new = is_new || !devices->items[i].group[0];
                (void)snprintf(devices->items[j].group, PROBE_WORD_MAX, "nvlink%zu", island_count);
            }
        }
        if (is_new) {
            (void)snprintf(devices->items[i].group, PROBE_WORD_MAX, "nvlink%zu", island_count++);
        }
    }
}

void nvml_ask(const char *library, bool is_wanted, struct devices_answer *answer)
{
    struct nvml nvml = {.answer = answer};
    unsigned count = 0;
    int code;

    if (!library_open(library, is_wanted, REMEDY, symbols, SYMBOLS, nvml.functions,
                      &answer->notes)) {
        return;
    }
    code = FUNCTION(&nvml, call_none, INIT)();
    if (code == 0) {
        code = FUNCTION(&nvml, call_count, COUNT)(&count);
    }
    if (code != 0) {
        words_note(&answer->notes, "NVML (%s) cannot be asked for NVIDIA devices: %s. %s", library,
                   reason(&nvml, code), REMEDY);
        return;
    }
    for (unsigned i = 0; i < count && answer->devices.count < PROBE_DEVICES_MAX; i++) {
        read_device(&nvml, i);
    }
    find_islands(&nvml);
}
