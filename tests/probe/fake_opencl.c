/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake_opencl.c - stands in for OpenCL: one platform with the host, a GPU, an FPGA and another
 * NVIDIA board. The environment variable HSIM_FAKE_OPENCL says how it behaves: all (default);
 * none: no driver; error: the platforms; devices: the devices of the platform; silent: devices
 * without names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count);
int32_t clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **devices,
                       uint32_t *count);
int32_t clGetDeviceInfo(void *device, uint32_t what, size_t room, void *value, size_t *size);

struct board {
    uint64_t type, memory;
    uint32_t vendor, bus;
    const char *name;
};

static struct board boards[] = {
    {1u << 1, 64, 0x8086, 0, "the host"},
    {1u << 2, 16ull << 30, 0x1002, 0x41, "AMD Radeon \"Pro\" <W6800>"},
    {1u << 3, 64ull << 30, 0x10ee, 0, "xilinx_u250"},
    {1u << 2, 40ull << 30, 0x10de, 0, "NVIDIA A100-SXM4-40GB"},
};

static int is_mode(const char *mode)
{
    const char *chosen = getenv("HSIM_FAKE_OPENCL");

    return chosen && strcmp(chosen, mode) == 0;
}

int32_t clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count)
{
    (void)room;
    if (is_mode("none") || is_mode("error")) {
        return is_mode("none") ? -1001 : -6;
    }
    platforms[0] = boards;
    *count = 1;
    return 0;
}

int32_t clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **devices,
                       uint32_t *count)
{
    (void)platform;
    (void)type;
    (void)room;
    if (is_mode("devices")) {
        return -5;
    }
    for (uint32_t i = 0; i < 4; i++) {
        devices[i] = &boards[i];
    }
    *count = 4;
    return 0;
}

static int32_t put(const void *bytes, size_t length, size_t room, void *value, size_t *size)
{
    if (length > room) {
        return -30;
    }
    memcpy(value, bytes, length);
    *size = length;
    return 0;
}

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t room, void *value, size_t *size)
{
    const struct board *board = device;
    uint32_t place[4] = {0, board->bus, 0, 0};

    switch (what) {
    case 0x1000:
        return put(&board->type, sizeof board->type, room, value, size);
    case 0x1001:
        return put(&board->vendor, sizeof board->vendor, room, value, size);
    case 0x101f:
        return put(&board->memory, sizeof board->memory, room, value, size);
    case 0x102b:
        return is_mode("silent") ? -30
                                 : put(board->name, strlen(board->name) + 1, room, value, size);
    case 0x1030:
        return put("cl_khr_fp64 cl_khr_fp16", 24, room, value, size);
    case 0x410f:
        return board->bus ? put(place, sizeof place, room, value, size) : -30;
    default:
        return -30;
    }
}
