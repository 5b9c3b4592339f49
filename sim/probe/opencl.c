/* SPDX-License-Identifier: GPL-3.0-or-later */
/* opencl.c - accelerators of any maker. Prototypes and numbers are those of the Khronos OpenCL
 * specification and of its extension registry; nothing of it is needed to build. */
#include "probe/devices.h"

#include "probe/library.h"
#include "probe/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define REMEDY                                                                                     \
    "Repair the OpenCL driver (does clinfo work?), or name another library in "                    \
    "HSIM_OPENCL_LIBRARY."
#define PLATFORMS_MAX       16u
#define TYPE_CPU            (UINT64_C(1) << 1)
#define TYPE_GPU            (UINT64_C(1) << 2)
#define TYPE_ALL            UINT64_C(0xffffffff)
#define DEVICE_NOT_FOUND    (-1)
#define PLATFORM_NOT_FOUND  (-1001) /* of the loader: no driver is installed */
#define GET_TYPE            0x1000u
#define GET_VENDOR_ID       0x1001u
#define GET_MEMORY          0x101fu
#define GET_NAME            0x102bu
#define GET_EXTENSIONS      0x1030u
#define GET_UNIFIED         0x1035u
#define GET_BOARD_NAME_AMD  0x4038u
#define GET_PCI             0x410fu /* cl_khr_pci_bus_info */
#define XILINX_VENDOR       0x10eeu
#define ALTERA_VENDOR       0x1172u
#define EXTENSIONS_TEXT_MAX 16384

typedef int32_t call_platforms(uint32_t room, void **platforms, uint32_t *count);
typedef int32_t call_devices(void *platform, uint64_t type, uint32_t room, void **devices,
                             uint32_t *count);
typedef int32_t call_info(void *device, uint32_t what, size_t room, void *value, size_t *size);

enum { PLATFORMS, DEVICES, INFO, SYMBOLS };

static const struct library_symbol symbols[SYMBOLS] = {
    [PLATFORMS] = {"clGetPlatformIDs", false},
    [DEVICES] = {"clGetDeviceIDs", false},
    [INFO] = {"clGetDeviceInfo", false},
};

#define FUNCTION(functions, type, index) ((type *)(functions)[index])

/* A value of `size` bytes exactly. */
static bool get(library_function *const *functions, void *device, uint32_t what, void *value,
                size_t size)
{
    size_t got = 0;

    return FUNCTION(functions, call_info, INFO)(device, what, size, value, &got) == 0 &&
           got == size;
}

static bool get_text(library_function *const *functions, void *device, uint32_t what, char *text,
                     size_t room)
{
    size_t got = 0;
    bool is_there =
        FUNCTION(functions, call_info, INFO)(device, what, room, text, &got) == 0 && got > 0;

    text[is_there && got < room ? got : room - 1] = '\0';
    if (!is_there) {
        text[0] = '\0';
    }
    return text[0] != '\0';
}

static void read_kind(uint64_t type, struct probe_device *device)
{
    const char *kind = "asic";

    if (type & TYPE_GPU) {
        kind = "gpu";
    } else if (device->vendor_id == XILINX_VENDOR || device->vendor_id == ALTERA_VENDOR ||
               strstr(device->name, "FPGA")) {
        kind = "fpga";
    }
    (void)snprintf(device->kind, sizeof device->kind, "%s", kind);
}

/* Fills a device; false if it is no accelerator, or does not tell what it is. */
static bool read_device(library_function *const *functions, void *handle,
                        struct probe_device *device, struct probe_notes *notes)
{
    char text[PROBE_TEXT_MAX];
    char extensions[EXTENSIONS_TEXT_MAX];
    uint32_t pci[4]; /* domain, bus, device, function */
    uint32_t is_unified = 0;
    uint64_t type = 0, memory = 0;

    *device = (struct probe_device){.source = PROBE_OPENCL, .idle_w = NAN, .busy_w = NAN};
    if (!get(functions, handle, GET_TYPE, &type, sizeof type)) {
        words_note(notes, "An OpenCL device does not tell its type; it is left out. %s", REMEDY);
        return false;
    }
    if (type & TYPE_CPU) {
        return false; /* the host itself */
    }
    if (!get_text(functions, handle, GET_BOARD_NAME_AMD, text, sizeof text) &&
        !get_text(functions, handle, GET_NAME, text, sizeof text)) {
        words_note(notes, "An OpenCL device does not tell its name; it is left out. %s", REMEDY);
        return false;
    }
    words_copy(device->name, text);
    (void)get(functions, handle, GET_VENDOR_ID, &device->vendor_id, sizeof device->vendor_id);
    if (get(functions, handle, GET_MEMORY, &memory, sizeof memory) && memory <= INT64_MAX) {
        device->mem_bytes = (int64_t)memory;
    }
    if (get(functions, handle, GET_PCI, pci, sizeof pci)) {
        (void)snprintf(device->bus_id, sizeof device->bus_id, "%04x:%02x:%02x.%x", pci[0] & 0xffffu,
                       pci[1] & 0xffu, pci[2] & 0xffu, pci[3] & 0xfu);
    }
    read_kind(type, device);
    if (get_text(functions, handle, GET_EXTENSIONS, extensions, sizeof extensions)) {
        if (strstr(extensions, "cl_khr_fp64")) {
            words_feature(&device->features, "fp64");
        }
        if (strstr(extensions, "cl_khr_fp16")) {
            words_feature(&device->features, "fp16");
        }
    }
    if (get(functions, handle, GET_UNIFIED, &is_unified, sizeof is_unified) && is_unified) {
        words_feature(&device->features, "unified-memory");
    }
    return true;
}

static void read_platform(library_function *const *functions, void *platform,
                          struct devices_answer *answer)
{
    struct probe_devices of_platform = {0};
    void *handles[PROBE_DEVICES_MAX];
    uint32_t count = 0;
    int32_t code = FUNCTION(functions, call_devices, DEVICES)(platform, TYPE_ALL, PROBE_DEVICES_MAX,
                                                              handles, &count);

    if (code != 0) {
        if (code != DEVICE_NOT_FOUND) {
            words_note(&answer->notes,
                       "OpenCL cannot list the devices of a platform (error %" PRId32 "). %s", code,
                       REMEDY);
        }
        return;
    }
    for (uint32_t i = 0; i < count && i < PROBE_DEVICES_MAX; i++) {
        of_platform.count += read_device(functions, handles[i],
                                         &of_platform.items[of_platform.count], &answer->notes);
    }
    devices_merge(&answer->devices, &of_platform);
}

void opencl_ask(const char *library, bool is_wanted, struct devices_answer *answer)
{
    library_function *functions[SYMBOLS];
    void *platforms[PLATFORMS_MAX];
    uint32_t count = 0;
    int32_t code;

    if (!library_open(library, is_wanted, REMEDY, symbols, SYMBOLS, functions, &answer->notes)) {
        return;
    }
    code = FUNCTION(functions, call_platforms, PLATFORMS)(PLATFORMS_MAX, platforms, &count);
    if (code != 0) {
        if (code != PLATFORM_NOT_FOUND) {
            words_note(&answer->notes,
                       "OpenCL (%s) cannot be asked for devices (error %" PRId32 "). %s", library,
                       code, REMEDY);
        }
        return;
    }
    for (uint32_t i = 0; i < count && i < PLATFORMS_MAX; i++) {
        read_platform(functions, platforms[i], answer);
    }
}
