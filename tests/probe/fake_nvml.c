/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake_nvml.c - stands in for NVML. The environment variable HSIM_FAKE says how it behaves:
 * two (default): two joined boards; four: islands {0, 2} and {1, 3}; one: only the first answers;
 * init, crash, hang, leave: what its name says, when it is opened. HSIM_FAKE_NAME is another name
 * of the boards. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {
    unsigned long long total, free, used;
};
struct use {
    unsigned gpu, memory;
};
struct pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned room);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory);
int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci);
int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *mw);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetUtilizationRates(void *device, struct use *use);
int nvmlDeviceGetMaxClockInfo(void *device, unsigned type, unsigned *mhz);
int nvmlDeviceGetNumGpuCores(void *device, unsigned *cores);
int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits);
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor);
int nvmlDeviceGetP2PStatus(void *device, void *other, unsigned what, unsigned *status);
const char *nvmlErrorString(int code);

static int boards[4];

static int is_mode(const char *mode)
{
    const char *chosen = getenv("HSIM_FAKE");

    return chosen && strcmp(chosen, mode) == 0;
}

static unsigned index_of(const void *device)
{
    return (unsigned)((const int *)device - boards);
}

int nvmlInit_v2(void)
{
    (void)fprintf(stderr, "noise of a driver\n");
    if (is_mode("crash")) {
        (void)kill(getpid(), SIGSEGV);
    }
    if (is_mode("hang")) {
        (void)sleep(60);
    }
    if (is_mode("leave")) {
        _exit(0);
    }
    return is_mode("init") ? 9 : 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = is_mode("four") ? 4 : 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    if (is_mode("one") && index > 0) {
        return 15;
    }
    *device = &boards[index];
    return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned room)
{
    const char *chosen = getenv("HSIM_FAKE_NAME");

    (void)device;
    (void)snprintf(name, room, "%s", chosen ? chosen : "NVIDIA A100-SXM4-40GB");
    return 0;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
    (void)device;
    *memory = (struct memory){.total = 42949672960ull};
    return 0;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci)
{
    *pci = (struct pci){.domain = 0, .bus = 0x3b + index_of(device), .device = 0};
    return 0;
}

int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *mw)
{
    (void)device;
    *mw = 400000;
    return 0;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
    (void)device;
    *mw = 55500;
    return 0;
}

/* In mode "one" the board works. */
int nvmlDeviceGetUtilizationRates(void *device, struct use *use)
{
    (void)device;
    *use = (struct use){.gpu = is_mode("one") ? 80 : 0};
    return 0;
}

int nvmlDeviceGetMaxClockInfo(void *device, unsigned type, unsigned *mhz)
{
    (void)device;
    *mhz = type == 1 ? 1410 : type == 2 ? 1215 : 0;
    return 0;
}

int nvmlDeviceGetNumGpuCores(void *device, unsigned *cores)
{
    (void)device;
    *cores = 6912;
    return 0;
}

int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits)
{
    (void)device;
    *bits = 5120;
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    (void)device;
    *major = 8;
    *minor = 0;
    return 0;
}

/* NVLink joins boards whose numbers are both even or both odd, or all two. */
int nvmlDeviceGetP2PStatus(void *device, void *other, unsigned what, unsigned *status)
{
    unsigned left = index_of(device), right = index_of(other);

    *status = what == 2 && (!is_mode("four") || left % 2 == right % 2) ? 0 : 2;
    return 0;
}

const char *nvmlErrorString(int code)
{
    return code == 9 ? "Driver Not Loaded" : "GPU is lost";
}
